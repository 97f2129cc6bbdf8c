"""What every reader of feature tables shares: where a file lies, its rows, and what is refused."""

from __future__ import annotations

import difflib
import os
import shutil
import stat
import sys
import tempfile
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from clustervet.errors import FileError
from clustervet.frames.text import MISSING
from clustervet.labels import Codes, show_label

# Bytes up to which Python reads delimited text quicker than an engine is loaded.
LIGHT = 8 * 2**20
TYPED = (".parquet", ".pq", ".parq", ".jsonl", ".ndjson", ".json", ".arrow", ".feather", ".ipc")
ARRAYS = (".npy", ".npz")
TEXTS = (".csv", ".tsv", ".tab", ".txt", ".dat")
MAGIC = {b"PAR1": ".parquet", b"ARRO": ".arrow", b"\x93NUM": ".npy", b"PK\x03\x04": ".npz"}
PACKED = (".zst", ".bz2", ".xz")


class Kind(StrEnum):
    """What a column holds; the value is the reason to leave it out of the features."""

    number = "numbers"
    single = "numbers of single precision"
    boolean = "true and false, taken as 1 and 0"
    text = "text"
    date = "dates or times"
    empty = "empty"
    other = "neither numbers nor text"
    beside = "an array beside the matrix"

    @property
    def numeric(self) -> bool:
        """Whether a column of this kind can be a feature without being asked for."""
        return self in (Kind.number, Kind.single, Kind.boolean)


class Source(Protocol):
    """A file whose columns are known and whose rows can be read."""

    @property
    def name(self) -> str:
        """The file in words that are safe to show."""

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """What each column holds, in the order of the file."""

    @property
    def indexed(self) -> bool:
        """Whether a column may be an index, by its name."""

    @property
    def header_guessed(self) -> str | None:
        """The first line of a single column where it was taken for a name."""

    def read(self, features: Sequence[str], labels: Sequence[str]) -> tuple[Any, dict[str, Codes]]:
        """The features as a matrix, and columns as labels, in one pass over the rows."""

    def absent(self, column: str) -> FileError:
        """The refusal of a column that the file does not have."""


def is_light(path: str) -> bool:
    """Whether a file is delimited text that Python reads at once; errors are left to it, too."""
    if path == "-":
        return True
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return not any(character in path for character in "*?[")
    if stat.S_ISDIR(found.st_mode):
        return False
    suffix = Path(path.lower().removesuffix(".gz")).suffix
    if suffix in (*TYPED, *ARRAYS, *PACKED):
        return False
    if not stat.S_ISREG(found.st_mode):
        return True
    return found.st_size <= LIGHT and not (suffix not in TEXTS and _is_typed(path))


def is_many(path: str) -> bool:
    """Whether an argument is a folder or a pattern rather than a file."""
    if path == "-" or "\0" in path:
        return False
    return os.path.isdir(path) or (not os.path.lexists(path) and any(c in path for c in "*?["))


def is_plain(path: str) -> bool:
    """Whether a file is delimited text by its name or its first bytes, plain or gzipped."""
    suffix = Path(path.lower().removesuffix(".gz")).suffix
    if suffix in (*TYPED, *ARRAYS, *PACKED):
        return False
    return suffix in TEXTS or not _is_typed(path)


def _is_typed(path: str) -> bool:
    try:
        with open(path, "rb") as stream:
            return stream.read(4) in MAGIC
    except OSError:
        return False


def refused_value(column: str, name: str, place: str, value: Any) -> FileError:
    """The refusal of a value that is no finite number, with the place where it stands."""
    what = f"column {show_label(column)!r} of {name}"
    hint = "mend it, or leave the column out of the features."
    if value is None or (isinstance(value, str) and value in MISSING) or value != value:
        return FileError(f"{what} has no value in {place}; {hint}")
    shown = show_label(value)
    if is_number(value):
        return FileError(f"{what} holds {shown} in {place}, which is not finite; {hint}")
    return FileError(f"{what} holds {shown!r} in {place}, which is no number; {hint}")


def is_number(value: Any) -> bool:
    """Whether Python reads it as a number."""
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def absent_column(column: str, name: str, known: Iterable[str]) -> FileError:
    """The refusal of a column that is not there; the nearest name is suggested."""
    names = list(known)
    near = difflib.get_close_matches(column, names, n=1)
    hint = f"did you mean {show_label(near[0])}?" if near else f"its columns are {listed(names)}."
    return FileError(f"{name} has no column {show_label(column)!r}; {hint}")


def listed(names: Sequence[str]) -> str:
    """Names on one line, the first twenty of them."""
    shown = ", ".join(show_label(name) or "''" for name in names[:20])
    return f"{shown} and {len(names) - 20:,} more" if len(names) > 20 else shown


@dataclass(frozen=True)
class Place:
    """Where the bytes of a file can be read again and again."""

    path: str
    name: str
    start: bytes
    suffix: str = ""
    gzipped: bool = False


class _Spool(str):
    """The path of a copy that is deleted when nobody knows the path any more."""


def find_place(path: str | os.PathLike[str]) -> Place:
    """Where a file lies; standard input and pipes are copied, as they can be read only once."""
    text = os.fspath(path)
    if "\0" in text:
        raise FileError("a path cannot hold the character NUL.")
    name = "standard input" if text == "-" else show_label(text, 200)
    try:
        if text == "-":
            return _checked(Place(_spooled(sys.stdin.buffer), name, b""))
        if stat.S_ISDIR(os.stat(text).st_mode):
            raise FileError(f"{name} is a directory, not a file.")
        gzipped = text.lower().endswith(".gz")
        suffix = Path(text[:-3] if gzipped else text).suffix.lower()
        if stat.S_ISREG(os.stat(text).st_mode):
            return _checked(Place(os.path.abspath(text), name, b"", suffix, gzipped))
        with open(text, "rb") as pipe:
            copy = _spooled(pipe, ".gz" if gzipped else "")
            return _checked(Place(copy, name, b"", suffix, gzipped))
    except OSError as error:
        raise FileError(f"{name} cannot be read: {error.strerror or error}.") from None


def _checked(place: Place) -> Place:
    with open(place.path, "rb") as stream:
        start = stream.read(8)
    if not start:
        raise FileError(f"{place.name} is empty.")
    return Place(place.path, place.name, start, place.suffix, place.gzipped)


def _spooled(stream: BinaryIO, suffix: str = "") -> str:
    handle, path = tempfile.mkstemp(suffix, "clustervet-")
    spool = _Spool(path)
    weakref.finalize(spool, os.unlink, path)
    with open(handle, "wb") as copy:
        shutil.copyfileobj(stream, copy, 2**20)
    return spool
