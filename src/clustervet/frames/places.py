"""Where files lie: patterns and folders as lists of files, formats by name, copies of pipes."""

from __future__ import annotations

import bz2
import glob
import gzip
import json
import lzma
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import weakref
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from clustervet._memory import refusal, room, show_size
from clustervet.errors import (
    ClustervetError,
    FileError,
    MemoryLimitError,
    MissingPackageError,
    Setting,
)
from clustervet.labels import show_label

PARQUET, JSON, ARROW, ARRAY, TEXT = "Parquet", "JSON", "Arrow", "array", "delimited text"
WORKBOOK = "a workbook"
FORMATS = {
    **dict.fromkeys((".parquet", ".pq", ".parq"), PARQUET),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), JSON),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), ARROW),
    **dict.fromkeys((".npy", ".npz"), ARRAY),
    **dict.fromkeys((".xlsx", ".xlsm", ".ods"), WORKBOOK),
    **dict.fromkeys((".csv", ".tsv", ".tab", ".txt", ".dat"), TEXT),
}
# A file or several, as callers name them.
Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
MAGIC = {b"PAR1": ".parquet", b"ARRO": ".arrow", b"\x93NUM": ".npy", b"PK\x03\x04": ".npz"}
ZIP, GZIP, COMPOUND = b"PK\x03\x04", b"\x1f\x8b", b"\xd0\xcf\x11\xe0"
# Files of other programs, by their first bytes.
FOREIGN = {
    COMPOUND: "an old Excel or Word file",
    b"%PDF-": "a PDF document",
    b"$FL2@(#)": "an SPSS file",
    b"$FL3@(#)": "an SPSS file",
    b"<stata_d": "a Stata file",
    b"\x89HDF": "an HDF5 file",
    b"SQLite f": "an SQLite database",
    b"Obj\x01": "an Avro file",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"RDX3\nX\n": "a file of R",
    b"RDX2\nX\n": "a file of R",
    **{bytes([0x80, version]): "a Python pickle" for version in range(2, 6)},
}
# The same by the ends of names, where the first bytes are those of a ZIP or gzip archive.
PACKED = {
    ".xlsb": "an Excel workbook",
    **dict.fromkeys((".docx", ".odt"), "a text document"),
    **dict.fromkeys((".pptx", ".odp"), "a presentation"),
    **dict.fromkeys((".rds", ".rda", ".rdata"), "a file of R"),
    ".zsav": "an SPSS file",
}
EXPORT = "export it as CSV or Parquet"
# The member of an archive by which a workbook of Excel is known.
EXCEL = "xl/workbook.xml"
# How frames of Zstandard begin, those to be skipped too, and the kind of block that repeats a byte.
ZSTANDARD, SKIPPABLE, REPEATED = 0xFD2FB528, 0x184D2A50, 1
# Seconds after which people are told that a pipe is waited for.
PATIENCE = 1.0
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


def path_list(paths: Paths) -> list[str]:
    """Return the names of files.

    >>> path_list("a.csv"), path_list([Path("b.csv"), "c.csv"])
    (['a.csv'], ['b.csv', 'c.csv'])
    """
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    return [os.fspath(path) for path in given]


@dataclass(frozen=True)
class Place:
    """A file that can be read again and again; `suffix` tells its format."""

    path: str
    name: str
    start: bytes = b""
    suffix: str = ""
    packing: str = "none"
    # For the text of a sheet: the row in which it begins.
    sheet_row: int = 0

    @property
    def line(self) -> str:
        """What people call a line of it."""
        return "row" if self.sheet_row else "line"

    @property
    def format(self) -> str:
        """One of the values of `FORMATS`."""
        return FORMATS.get(self.suffix, TEXT)

    @property
    def size(self) -> int:
        """Bytes on disk."""
        try:
            return os.path.getsize(self.path)
        except OSError as error:
            raise FileError(f"{self.name} cannot be read: {error.strerror}.") from None

    @property
    def is_short(self) -> bool:
        """Whether all of it together is no longer than a line may be."""
        return self.packing == "none" and self.size <= longest_line()

    @property
    def is_light(self) -> bool:
        """Whether it is delimited text that Python reads at once."""
        return self.format == TEXT and self.packing != "zstd" and self.holds_at_most(LIGHT)

    def holds_at_most(self, most: int) -> bool:
        """Whether there are at most this many bytes in it, unpacked if it is packed by gzip."""
        if self.packing != "gzip" or self.size > most:
            return self.size <= most
        try:
            with gzip.open(self.path) as stream:
                left = most
                while left >= 0 and (piece := stream.read(COPIED)):
                    left -= len(piece)
        except (EOFError, OSError, zlib.error):
            return True  # Python says what is wrong with it
        return left >= 0


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
    suffix = place.suffix
    if suffix not in FORMATS:
        excel = start.startswith(ZIP) and EXCEL in _members(place.path)
        suffix = ".xlsx" if excel else MAGIC.get(start[:4], suffix)
    if FORMATS.get(suffix) != WORKBOOK:
        _check_foreign(start, place, name)
    if place.packing == "zstd":
        _check_whole(place.path, name)
    return Place(place.path, name, start, suffix, place.packing)


def _check_foreign(start: bytes, place: Place, name: str) -> None:
    """Refuse a file that another program must open first."""
    kind = next((kind for begin, kind in FOREIGN.items() if start.startswith(begin)), None)
    if start.startswith(ZIP) and place.suffix != ".npz":
        kind = PACKED.get(place.suffix) or _archive(place.path)
    elif start.startswith(GZIP) and place.packing == "none":
        kind = PACKED.get(place.suffix, "packed by gzip, though its name does not end in .gz")
    if kind is not None:
        how = "rename it" if "though" in kind else EXPORT
        how = "unpack or rename it" if "pack" in kind or "archive" in kind else how
        raise FileError(f"{name} is {kind}; {how}.")


def _check_whole(path: str, name: str) -> None:
    """Refuse a file packed by Zstandard that is cut: DuckDB would read the rows before the cut.

    Frames and blocks say how long they are (RFC 8878, §3.1), so nothing is unpacked here.
    """
    at, size = 0, os.path.getsize(path)
    with open(path, "rb", buffering=0) as stream:

        def number(length: int) -> int:
            """Return the next bytes as a number."""
            nonlocal at
            stream.seek(at)
            at += length
            return int.from_bytes(stream.read(length), "little")

        while at < size:
            start, magic = at, number(4)
            if magic & 0xFFFFFFF0 == SKIPPABLE:
                skipped = number(4)
                at += skipped
            elif magic == ZSTANDARD:
                sign = number(1)
                alone = sign >> 5 & 1  # then the size of the content stands for that of the window
                at += (1 - alone) + (0, 1, 2, 4)[sign & 3] + (alone, 2, 4, 8)[sign >> 6]
                last = False
                while not last and at < size:
                    block = number(3)
                    last, kind = bool(block & 1), block >> 1 & 3
                    at += 1 if kind == REPEATED else block >> 3
                at += 4 * (sign >> 2 & 1)  # the checksum
                if not last:  # cut between two blocks
                    at = size + 1
            elif not start:
                return  # no file of this kind, as the engine will say
            else:
                raise FileError(
                    f"{name} is not a whole Zstandard file: after {start:,} bytes there is "
                    "something else."
                )
    if at > size:
        raise FileError(f"{name} is not a whole Zstandard file: its end is missing.")


def _archive(path: str) -> str | None:
    """What a ZIP archive is by its members; None for arrays of numpy."""
    members = _members(path)
    if not members or any(member.endswith(".npy") for member in members):
        return None
    excel = "an Excel workbook, though its name does not end in .xlsx"
    return excel if EXCEL in members else "a ZIP archive"


def _members(path: str) -> list[str]:
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except (zipfile.BadZipFile, OSError, NotImplementedError):
        return []


def sheet_text(place: Place, chosen: str | None, header: bool | None) -> Place:
    """A sheet of a workbook as a temporary file of text, which another process writes.

    By default it is the only sheet that holds something and is not hidden.
    """
    name = place.name
    if find_spec("python_calamine") is None:
        raise MissingPackageError(
            f"{name} is a workbook, for which python-calamine is needed; install it with "
            "clustervet's extra 'spreadsheets'."
        )
    if place.start.startswith(COMPOUND):
        raise _sheet_fault({"fault": "password"}, name, chosen)
    if not place.start.startswith(ZIP):
        raise FileError(
            f"{name} is not a workbook, though its name ends in {place.suffix}; save it as one, "
            "or rename it."
        )
    asked = {"path": place.path, "sheet": chosen, "header": header, "memory": room()}
    program = [sys.executable, "-P", str(Path(__file__).with_name("sheets.py"))]
    with subprocess.Popen(
        program,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "RUST_BACKTRACE": "0"},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            with process.stdin:
                process.stdin.write(json.dumps(asked).encode())
            text = _spooled(process.stdout, name)
            said = process.stderr.read().decode("utf-8", "replace")
        except BaseException:
            process.kill()
            raise
    try:
        facts = json.loads(said)
    except ValueError:  # the process has ended before it could say why
        memory = process.returncode == -signal.SIGKILL or "memory allocation" in said
        facts = {"fault": "memory" if memory else "broken", "said": "its reader has failed"}
    if "fault" in facts:
        raise _sheet_fault(facts, name, chosen)
    return Place(text, name, b"", ".tsv", sheet_row=facts["row"])


def _sheet_fault(facts: Mapping[str, Any], name: str, chosen: str | None) -> ClustervetError:
    """What is wrong with a workbook, in one sentence."""
    fault = facts["fault"]
    if fault == "memory":
        return refusal(f"the cells of {name} take more memory than")
    shown = ", ".join(map(show_label, facts.get("sheets", ())[:20]))
    if fault == "broken":
        return FileError(
            f"{name} is not a whole workbook: {show_label(facts['said'], 200).rstrip('.')}."
        )
    if fault == "unnamed":
        return FileError(
            f"column {facts['column']} of {name} has no name in row {facts['row']}; that row "
            "names every column, without merged cells or a title above it."
        )
    if fault == "several":
        said = f"{name} holds several sheets, {shown}; name one with "
        return FileError(said, Setting("array"), ".")
    words = {
        "password": "is protected by a password; save it without one",
        "absent": f"has no sheet {show_label(chosen or '')!r}; its sheets are {shown}",
        "empty": "has no rows",
    }
    return FileError(f"{name} {words[fault]}.")


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
    with ExitStack() as stack:
        with _patience(name):
            pipe = stack.enter_context(open(text, "rb", buffering=0))
            first = pipe.read(2**16)
        return Place(_spooled(pipe, name, packed, first), name, b"", suffix, known)


@contextmanager
def _patience(name: str) -> Iterator[None]:
    """Say on standard error that a pipe is waited for, if nobody writes into it."""
    told = f"clustervet: {name} is a pipe; waiting for something to be written into it.\n"
    timer = threading.Timer(PATIENCE, lambda: sys.stderr.write(told))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _spooled(
    stream: IO[bytes], name: str, suffix: str = "", first: bytes = b"", *, lines: bool = False
) -> str:
    """A temporary copy, which must leave space on the disk; with `lines` no line is too long."""
    handle, path = tempfile.mkstemp(suffix, "clustervet-")
    spool = _Spool(path)
    weakref.finalize(spool, os.unlink, path)
    folder, longest = os.path.dirname(path), longest_line()
    most = COPY * shutil.disk_usage(folder).free
    size = line = number = 0
    with open(handle, "wb") as copy:
        chunk = first or stream.read(COPIED)
        while chunk:
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
            chunk = stream.read(COPIED)
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
    return os.path.isdir(path) or is_pattern(path)


def is_pattern(path: str) -> bool:
    """Whether an argument stands for the files that match it, since no file has this name."""
    return glob.has_magic(path) and not os.path.lexists(path)


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
