"""Delimited text: CSV, TSV and the like, streamed into codes; a label is kept once."""

from __future__ import annotations

import csv
import difflib
import gzip
import io
import os
import sys
import zlib
from array import array
from collections import Counter, defaultdict
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import FileError
from clustervet.labels import Codes, show_label
from clustervet.labels.codes import from_keys

# What common writers put for a missing value.
MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "<NA>", "null", "NULL", "None"})
DELIMITERS = (",", "\t", ";", "|")
ROWS = 50_000
PEEK = 65_536
# Bytes that take about two seconds to read.
SHOW_PROGRESS = 4_000_000


@dataclass(frozen=True)
class TextTable:
    """Columns of a delimited file as codes."""

    name: str
    columns: dict[str, Codes]
    header_guessed: str | None = None

    def column(self, name: str) -> Codes:
        """A column by name; an unknown name gets the nearest one suggested."""
        if name in self.columns:
            return self.columns[name]
        near = difflib.get_close_matches(name, self.columns, n=1)
        known = ", ".join(show_label(column) for column in list(self.columns)[:20])
        hint = f"did you mean {show_label(near[0])}?" if near else f"its columns are {known}."
        raise FileError(f"{self.name} has no column {show_label(name)!r}; {hint}")

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A column of weights."""
        column = self.column(name)
        what = f"column {show_label(name)} of {self.name}"
        if column.missing is not None:
            raise FileError(f"{what} has an empty weight.")
        texts = column.restore(np.arange(column.span[1] if column.span else 0))
        for text in texts:
            if not _is_number(text):
                raise FileError(f"{what} holds {show_label(text)!r}, which is no weight.")
        return np.array([float(text) for text in texts])[column.values]


def read_text_table(
    source: str | Path,
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    name: str | None = None,
) -> TextTable:
    """Read a delimited text file, plain or gzipped; "-" is standard input.

    With `header=None` a file of several columns has one, and a file of a single column has
    one if its first line is no number and occurs nowhere else in it. Messages call the file
    by its `name`, if that is another than its path.
    """
    if "\0" in str(source):
        raise FileError("a path cannot hold the character NUL.")
    if name is None:
        name = "standard input" if str(source) == "-" else show_label(str(source), 200)
    with opened_text(source, name) as (stream, start), long_fields():
        separator = find_delimiter(delimiter, source, start)
        try:
            with closing(watched_lines(stream, source)) as lines:
                return _collect(text_rows(lines, separator), name, header)
        except UnicodeDecodeError as error:
            raise FileError(
                f"{name} is not UTF-8 text (byte 0x{error.object[error.start]:02x}); convert it, "
                "for example with iconv."
            ) from None
        except csv.Error as error:
            raise FileError(f"{name} is not well-formed delimited text: {error}.") from None


def _collect(rows: Iterator[tuple[int, list[str]]], name: str, header: bool | None) -> TextTable:
    _, first = next(rows, (0, []))
    if not first:
        raise FileError(f"{name} is empty.")
    one = len(first) == 1
    guess = one and header is None
    names = first if header or (header is None and not one) else numbered(first)
    check_unique(names, name)
    places = [defaultdict[str, int](count().__next__) for _ in names]
    codes = [array("i") for _ in names]
    if names is not first and not guess:
        _add([first], places, codes)
    while chunk := list(islice(rows, ROWS)):
        for line, row in chunk:
            if len(row) != len(names):
                raise FileError(
                    f"line {line} of {name} has {len(row)} "
                    f"{'field' if len(row) == 1 else 'fields'} where the first line has "
                    f"{len(names)}."
                )
        _add([row for _, row in chunk], places, codes)
    guessed = None
    if guess:
        if looks_like_header(first[0], list(places[0])):
            names, guessed = first, first[0]
        else:
            _put_first(first[0], places[0], codes[0])
    if not codes[0]:
        raise FileError(f"{name} has a header and no rows.")
    columns = {
        column: _coded(place, values)
        for column, place, values in zip(names, places, codes, strict=True)
    }
    return TextTable(name, columns, guessed)


def numbered(row: Sequence[str]) -> list[str]:
    """Names for columns that have none: 1, 2, ..."""
    return [str(k) for k in range(1, len(row) + 1)]


def check_unique(names: Sequence[str], name: str) -> None:
    """Refuse two columns of one name."""
    for column, times in Counter(names).items():
        if times > 1:
            raise FileError(
                f"{name} has {times} columns named {show_label(column)!r}; names must be unique."
            )


def _add(rows: list[list[str]], places: list[Any], codes: list[Any]) -> None:
    for place, values, column in zip(places, codes, zip(*rows, strict=True), strict=True):
        values.extend(map(place.__getitem__, column))


def _put_first(label: str, place: defaultdict[str, int], values: array[int]) -> None:
    values.insert(0, place[label])


def looks_like_header(first: str, labels: list[str]) -> bool:
    """Whether the first line of a single column is a name: unlike every label that follows."""
    return bool(labels) and not (first in labels or first in MISSING or _is_number(first))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _coded(place: dict[str, int], values: array[int]) -> Codes:
    keys = list(place)
    codes = np.frombuffer(values, np.int32)
    absent = np.array([key in MISSING for key in keys])
    if not absent.any():
        return from_keys(codes, keys)
    rank = np.where(absent, 0, np.cumsum(~absent) - 1).astype(np.int32)
    kept = [key for key in keys if key not in MISSING] or [""]
    return from_keys(rank[codes], kept, absent[codes])


@contextmanager
def opened_text(source: str | Path, name: str) -> Iterator[tuple[io.TextIOWrapper, bytes]]:
    """The file as text, with its first bytes; what is wrong with it is said in one sentence."""
    standard = str(source) == "-"
    with ExitStack() as stack:
        try:
            raw: Any = sys.stdin.buffer if standard else stack.enter_context(open(source, "rb"))
            if str(source).endswith(".gz"):
                raw = stack.enter_context(gzip.GzipFile(fileobj=raw))
            buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw)
            start = buffered.peek(PEEK)[:PEEK]
            if b"\0" in start:
                raise FileError(f"{name} is a binary file, not delimited text.")
            stream = io.TextIOWrapper(buffered, encoding="utf-8-sig", newline="")
            if standard:
                stack.callback(stream.detach)  # standard input is not ours to close
            yield stream, start
        except IsADirectoryError:
            raise FileError(f"{name} is a directory, not a file.") from None
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise FileError(f"{name} is not a whole gzip file: {error}.") from None
        except OSError as error:
            raise FileError(f"{name} cannot be read: {error.strerror or error}.") from None


@contextmanager
def long_fields() -> Iterator[None]:
    """Allow labels of any length while reading."""
    old = csv.field_size_limit(2**31 - 1)
    try:
        yield
    finally:
        csv.field_size_limit(old)


def find_delimiter(given: str | None, source: str | Path, start: bytes) -> str:
    """The separator given, or the one that the file's name or first line suggests."""
    if given is not None:
        given = {"tab": "\t", "\\t": "\t"}.get(given, given)
        if len(given) != 1:
            raise FileError(f"a delimiter is one character, not {show_label(given)!r}.")
        if given in '"\r\n':
            raise FileError(f"a delimiter cannot be {given!r}, which ends fields and lines.")
        return given
    if Path(str(source).removesuffix(".gz")).suffix in (".tsv", ".tab"):
        return "\t"
    line = start.partition(b"\n")[0]
    counts = [line.count(character.encode()) for character in DELIMITERS]
    return DELIMITERS[counts.index(max(counts))]


def text_rows(lines: Iterator[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Rows with their line numbers; blank lines are skipped, but are labels in a single column."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    blanks: list[int] = []
    width = 0
    for row in reader:
        if not row:
            blanks.append(reader.line_num)
            continue
        width = width or len(row)
        if width == 1:
            yield from ((line, [""]) for line in blanks)
        blanks.clear()
        yield reader.line_num, row


def watched_lines(stream: io.TextIOWrapper, source: str | Path) -> Generator[str, None, None]:
    """The lines, with a progress bar on a terminal if the file is large."""
    large = str(source) != "-" and os.path.getsize(source) > SHOW_PROGRESS
    if not (large and sys.stderr.isatty()):
        for line in stream:  # not `yield from`, which would close the stream with itself
            yield line
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        name = escape(show_label(Path(source).name))
        task = progress.add_task(f"reading {name}", total=os.path.getsize(source))
        done = 0
        for line in stream:
            done += len(line)
            if done > 2**20:
                progress.advance(task, done)
                done = 0
            yield line
