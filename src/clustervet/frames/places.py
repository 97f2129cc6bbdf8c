"""Where files lie: patterns and folders as lists of files, formats by name, copies of pipes."""

from __future__ import annotations

import bz2
import glob
import lzma
import os
import shutil
import stat
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from clustervet._memory import refusal, room, show_size
from clustervet.errors import FileError, MemoryLimitError
from clustervet.labels import show_label

PARQUET, JSON, ARROW, ARRAY, TEXT = "Parquet", "JSON", "Arrow", "array", "delimited text"
FORMATS = {
    **dict.fromkeys((".parquet", ".pq", ".parq"), PARQUET),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), JSON),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), ARROW),
    **dict.fromkeys((".npy", ".npz"), ARRAY),
    **dict.fromkeys((".csv", ".tsv", ".tab", ".txt", ".dat"), TEXT),
}
MAGIC = {b"PAR1": ".parquet", b"ARRO": ".arrow", b"\x93NUM": ".npy", b"PK\x03\x04": ".npz"}
UNPACKERS: dict[str, Any] = {".bz2": bz2.open, ".xz": lzma.open}
# Names that begin like this are not data; Spark and others leave such files beside it.
HIDDEN = (".", "_")
# Bytes up to which Python reads delimited text faster than an engine is loaded.
LIGHT = 8 * 2**20
# Bytes of memory that a letter of a line takes, as fields of text or as values of JSON.
LETTER = 32
# Bytes that are copied at a time.
COPIED = 2**20
# Share of the free space of the temporary folder that a copy may take.
COPY = 0.9
# Formats whose rows are lines.
LINES = (JSON, TEXT)


@dataclass(frozen=True)
class Place:
    """A file that can be read again and again; `suffix` tells its format."""

    path: str
    name: str
    start: bytes = b""
    suffix: str = ""
    packing: str = "none"

    @property
    def format(self) -> str:
        """One of the values of `FORMATS`."""
        return FORMATS.get(self.suffix, TEXT)

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return os.path.getsize(self.path)

    @property
    def is_short(self) -> bool:
        """Whether all of it together is no longer than a line may be."""
        return self.packing == "none" and self.size <= longest_line()

    @property
    def is_light(self) -> bool:
        """Whether it is delimited text that Python reads at once."""
        return self.format == TEXT and self.packing != "zstd" and self.size <= LIGHT


class _Spool(str):
    """The path of a temporary copy, which is deleted with the last reference to the path."""


def find_place(path: str | os.PathLike[str]) -> Place:
    """Where a file lies; a pipe, standard input and bz2 or xz files are copied first."""
    text = os.fspath(path)
    if "\0" in text:
        raise FileError("a path cannot hold the character NUL.")
    name = "standard input" if text == "-" else show_label(text, 200)
    try:
        place = _found(text, name)
        with open(place.path, "rb") as stream:
            start = stream.read(8)
    except OSError as error:
        raise FileError(f"{name} cannot be read: {error.strerror or error}.") from None
    if not start:
        raise FileError(f"{name} is empty.")
    suffix = place.suffix if place.suffix in FORMATS else MAGIC.get(start[:4], place.suffix)
    return Place(place.path, name, start, suffix, place.packing)


def _found(text: str, name: str) -> Place:
    if text == "-":
        return Place(_spooled(sys.stdin.buffer, name), name)
    mode = os.stat(text).st_mode
    if stat.S_ISDIR(mode):
        raise FileError(f"{name} is a directory, not a file.")
    packed = Path(text.lower()).suffix
    known = {".gz": "gzip", ".zst": "zstd"}.get(packed, "none")
    inner = text[: -len(packed)] if known != "none" or packed in UNPACKERS else text
    suffix = Path(inner).suffix.lower()
    if packed in UNPACKERS:
        try:
            with UNPACKERS[packed](text, "rb") as stream:
                lines = FORMATS.get(suffix, TEXT) in LINES and suffix != ".json"
                return Place(_spooled(stream, name, lines=lines), name, b"", suffix)
        except (OSError, EOFError, lzma.LZMAError) as error:
            raise FileError(f"{name} cannot be unpacked: {error}.") from None
    if stat.S_ISREG(mode):
        return Place(os.path.abspath(text), name, b"", suffix, known)
    with open(text, "rb") as pipe:
        return Place(_spooled(pipe, name, packed), name, b"", suffix, known)


def _spooled(stream: BinaryIO, name: str, suffix: str = "", *, lines: bool = False) -> str:
    """A temporary copy, which must leave space on the disk; with `lines` no line is too long."""
    handle, path = tempfile.mkstemp(suffix, "clustervet-")
    spool = _Spool(path)
    weakref.finalize(spool, os.unlink, path)
    folder, longest = os.path.dirname(path), longest_line()
    most = COPY * shutil.disk_usage(folder).free
    size = line = number = 0
    with open(handle, "wb") as copy:
        while chunk := stream.read(COPIED):
            size += len(chunk)
            if size > most:
                raise FileError(
                    f"a copy of {name} needs more than the {show_size(most)} that the temporary "
                    f"folder {show_label(folder, 200)} can give; set TMPDIR to another folder."
                )
            if lines:
                number += chunk.count(b"\n")
                last = chunk.rfind(b"\n")
                line = line + len(chunk) if last < 0 else len(chunk) - last - 1
                if line > longest:
                    raise long_line(name, number + 1)
            copy.write(chunk)
    return spool


def longest_line() -> int:
    """How long a line may be whose fields are held in memory."""
    return max(room() // LETTER, 1)


def long_line(name: str, number: int) -> MemoryLimitError:
    """The refusal of a line that is too long."""
    longest = show_size(longest_line())
    return refusal(f"line {number:,} of {name} is longer than {longest}, which is too long for")


@contextmanager
def advancing(what: str, total: int | None, *, large: bool) -> Iterator[Callable[[float], None]]:
    """A progress bar on a terminal if the work is large; gives the function that advances it."""
    if not (large and sys.stderr.isatty()):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        yield partial(progress.advance, progress.add_task(escape(what), total=total))


def is_many(path: str) -> bool:
    """Whether an argument is a folder or a pattern rather than one file."""
    if path == "-" or "\0" in path:
        return False
    return os.path.isdir(path) or (not os.path.lexists(path) and glob.has_magic(path))


def find_files(arguments: Sequence[str]) -> list[str]:
    """Files given by name, by pattern or by folder, each once.

    >>> find_files(["-"])
    ['-']
    """
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
        inside = sorted(files_inside(argument))
        if not inside:
            raise FileError(f"{name} is a directory, not a file, and it holds no files.")
        yield from inside
    elif argument == "-" or os.path.lexists(argument) or not glob.has_magic(argument):
        yield argument
    else:
        matching = sorted(glob.glob(argument, recursive=True))
        if not matching:
            raise FileError(f"no file matches {name}.")
        for path in matching:
            yield from sorted(files_inside(path)) if os.path.isdir(path) else [path]


def files_inside(folder: str, hidden: tuple[str, ...] = HIDDEN) -> Iterator[str]:
    """All files in a folder, in an order that no file system changes."""

    def refuse(error: OSError) -> None:
        shown = show_label(str(error.filename), 200)
        raise FileError(f"{shown} cannot be read: {error.strerror}.") from None

    for place, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith(hidden))
        for name in sorted(files):
            if not name.startswith(hidden):
                yield os.path.join(place, name)
