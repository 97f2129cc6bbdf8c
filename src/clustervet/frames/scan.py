"""Many files as one table: patterns and folders spelled out, and files of one layout together.

A column is known to SQL by its place alone and paths are bound parameters, so nothing that a
file or a user says becomes SQL.
"""

from __future__ import annotations

import bz2
import glob
import lzma
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import FileError
from clustervet.frames.duck import GLOB, EngineError
from clustervet.frames.source import ARRAYS, MAGIC, PACKED, TEXTS, TYPED, Place, find_place
from clustervet.labels import show_label

PATTERN = re.compile(r"[*?\[]")
UNPACKERS: dict[str, Any] = {".bz2": bz2.open, ".xz": lzma.open}
# What Spark and others leave beside their data.
HIDDEN = (".", "_")


@dataclass(frozen=True)
class Part:
    """One file, where the engine finds it, and how it is packed."""

    place: Place
    path: str
    suffix: str
    packing: str = "none"

    @property
    def name(self) -> str:
        """The file in words that are safe to show."""
        return self.place.name


@dataclass(frozen=True)
class Leg:
    """Files of one layout as something to select from; `types` has their columns in order."""

    name: str
    types: Mapping[str, str]
    source: str
    parameters: tuple[Any, ...]
    tables: Mapping[str, Any] = field(default_factory=dict)

    def select(
        self, wanted: Sequence[str], expressions: Sequence[str], more: str = ""
    ) -> tuple[str, list[Any]]:
        """A query for columns; `{}` in an expression stands for its column."""
        places = {column: place for place, column in enumerate(self.types)}
        chosen = ", ".join(
            f"{expression.replace('{}', f'c{places[column]}')} AS k{at}"
            for at, (column, expression) in enumerate(zip(wanted, expressions, strict=True))
        )
        names = ", ".join(f"c{place}" for place in range(len(self.types)))
        return f"SELECT {chosen}{more} FROM {self.source} AS t({names})", list(self.parameters)


@dataclass(frozen=True)
class ArrayLeg(Leg):
    """Arrays in memory, which are handed over when they are asked for."""

    arrays: Any = None
    tables: dict[str, Any] = field(default_factory=dict)

    def select(
        self, wanted: Sequence[str], expressions: Sequence[str], more: str = ""
    ) -> tuple[str, list[Any]]:
        """A query for arrays."""
        chosen = list(dict.fromkeys(wanted))
        self.tables[self.source] = {
            f"c{place}": _engine_array(self.arrays(column)) for place, column in enumerate(chosen)
        }
        only = replace(self, types={column: self.types[column] for column in chosen})
        return Leg.select(only, wanted, expressions, more)


def _engine_array(array: NDArray[Any]) -> NDArray[Any]:
    """An array of a type that the engine knows."""
    kind = array.dtype.kind
    if kind in "iu":
        return np.ascontiguousarray(array, np.uint64 if array.dtype == np.uint64 else np.int64)
    if kind == "f":
        return np.ascontiguousarray(array, np.float64)
    if kind == "M":
        return np.ascontiguousarray(array.astype("datetime64[us]"))
    if kind == "S":
        return np.char.decode(array, "utf-8").astype(object)
    return np.ascontiguousarray(array) if kind == "b" else array.astype(object)


class Workspace:
    """A folder of our own for links, copies and what the engine spills; gone at the end."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._made = 0
        self.folder = ""

    def __enter__(self) -> Workspace:
        self.folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="clustervet-"))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def spill(self) -> str:
        """Where the engine goes on beyond its memory."""
        return os.path.join(self.folder, "spill")

    def part(self, path: str) -> Part:
        """A file as the engine can read it."""
        packed = Path(path.lower()).suffix
        place = find_place(path)
        packing = "gzip" if place.gzipped else "none"
        if packed in PACKED:
            place = replace(place, suffix=Path(path[: -len(packed)]).suffix.lower())
            if packed in UNPACKERS:
                place = replace(place, path=self._unpacked(place, UNPACKERS[packed]))
            else:
                packing = "zstd"
        suffix = place.suffix
        if suffix not in (*TYPED, *ARRAYS, *TEXTS):
            suffix = MAGIC.get(place.start[:4], suffix)
        return Part(place, self._safe(place.path), suffix, packing)

    def _unpacked(self, place: Place, opened: Any) -> str:
        target = self._new()
        try:
            with opened(place.path, "rb") as packed, open(target, "wb") as copy:
                shutil.copyfileobj(packed, copy, 2**20)
        except (OSError, EOFError, lzma.LZMAError) as error:
            raise FileError(f"{place.name} cannot be unpacked: {error}.") from None
        return target

    def _safe(self, path: str) -> str:
        """A path in which the engine sees no pattern and no byte that it cannot spell."""
        try:
            path.encode()
            if not GLOB.search(path):
                return path
        except UnicodeEncodeError:
            pass
        link = self._new()
        os.symlink(path, link)
        return link

    def _new(self) -> str:
        self._made += 1
        return os.path.join(self.folder, f"part-{self._made}")


def find_files(arguments: Sequence[str]) -> list[str]:
    """Files by name, by pattern or by the folder they lie in, each once."""
    found = [path for argument in arguments for path in _files(argument)]
    seen: dict[str, str] = {}
    for path in found:
        real = os.path.realpath(path)
        if real in seen:
            raise FileError(f"{show_label(path, 200)} is named twice; its rows would count twice.")
        seen[real] = path
    return found


def _files(argument: str) -> Iterator[str]:
    if "\0" in argument:
        raise FileError("a path cannot hold the character NUL.")
    name = show_label(argument, 200)
    if os.path.isdir(argument):
        inside = sorted(_inside(argument))
        if not inside:
            raise FileError(f"{name} is a directory, not a file, and it holds no files.")
        yield from inside
    elif argument == "-" or os.path.lexists(argument) or not PATTERN.search(argument):
        yield argument
    else:
        matching = sorted(glob.glob(argument, recursive=True))
        if not matching:
            raise FileError(f"no file matches {name}.")
        for path in matching:
            yield from sorted(_inside(path)) if os.path.isdir(path) else [path]


def _inside(folder: str) -> Iterator[str]:
    def refuse(error: OSError) -> None:
        shown = show_label(str(error.filename), 200)
        raise FileError(f"{shown} cannot be read: {error.strerror}.") from None

    for place, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(HIDDEN)]
        yield from (os.path.join(place, name) for name in files if not name.startswith(HIDDEN))


def engine_fault(error: EngineError, parts: Sequence[Part], format: str) -> FileError:
    """What the engine said about one of several files, in one sentence."""
    said = str(error)
    named = [part for part in parts if part.path in said] or list(parts)
    part = max(named, key=lambda part: len(part.path) if part.path in said else 0)
    line = said.split("\n", 1)[0].partition(": ")[2] or said
    for quote in "'\"":
        quoted = f"{quote}{part.path}{quote}"
        line = line.replace(f" in file {quoted},", "").replace(f"file {quoted}", "the file")
    line = show_label(line.replace(part.path, "the file"), 200).strip(" .")
    return FileError(f"{part.name} is not a whole {format} file: {line}.")
