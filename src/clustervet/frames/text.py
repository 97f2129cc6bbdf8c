"""Delimited text (CSV, TSV and the like) as Python reads it.

This reader has the last word on what a line says: it names the line of a mistake. DuckDB reads
large files, and is trusted only where both must agree (`trailing_delimiters`).
"""

from __future__ import annotations

import csv
import gzip
import io
import math
import re
import zlib
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._memory import need, show_size
from clustervet.errors import FileError
from clustervet.frames.columns import (
    COMMA_NUMBER,
    DELIMITED,
    MISSING,
    GrowingMatrix,
    Kind,
    LabelCodes,
    NoNumberError,
    check_unique,
    column_of,
    is_number,
    refused_value,
    text_bytes,
)
from clustervet.frames.places import Place, advancing, long_line, longest_line
from clustervet.labels import Codes, show_label

DELIMITERS = (",", "\t", ";", "|")
# Rows that are looked at together, and fields of them, at most.
ROWS, CHUNK_FIELDS = 50_000, 2**22
PEEK = 65_536
# Rows that tell what a column holds, and fields that are looked at in wide tables.
LOOKED_AT = 1_000
FIELDS = 200_000
# Bytes that take about two seconds to read.
SHOW_PROGRESS = 4_000_000
TRUTH = {"true": 1.0, "false": 0.0}
# Columns up to which the engine counts the empty ones at the end of a row.
MANY = 200
CHUNK = 2**23
# A line that does not fit into a buffer of the engine (32 MB) may be lost without a word.
LONGEST = 2**24
# The longest line that is unpacked from Zstandard.
LONGEST_PACKED = 2**25
TOO_LONG = re.compile(r"Error on Line: (\d+)\b.*Maximum line size", re.DOTALL)

ZSTD = (
    "SELECT * FROM read_csv(?, columns={'l': 'VARCHAR'}, delim='\x1f', quote='', escape='', "
    "compression='zstd', auto_detect=false, header=false, parallel=false, "
    f"max_line_size={LONGEST_PACKED:d})"
)

WITH_COMMA = re.compile(COMMA_NUMBER)
# The first line of what R writes between blanks: names in quotes. One name alone is known by the
# name in quotes before the next row.
R_NAMES = re.compile(rb'"[^"]*"(?: "[^"]*")+\r?')
R_NAME = re.compile(rb'"[^"]*"\r?\n"[^"]*"([ \t])')

Line = tuple[int, list[str]]


class DoubtfulTextError(Exception):
    """Lines that DuckDB and Python may read differently."""


@dataclass(frozen=True)
class TextFile:
    """A delimited file: what cuts its lines, whether the first holds names, and its columns."""

    place: Place
    delimiter: str
    named: bool
    columns: Mapping[str, Kind]
    header_guessed: str | None = None
    first_line: int = 1
    doubtful: bool = False
    # Whether a row has a name, which the first line does not count among its own.
    row_names: bool = False

    @property
    def name(self) -> str:
        """The file in words that are safe to show."""
        return self.place.name

    def read(self, features: Sequence[str], labels: Sequence[str]) -> tuple[Any, dict[str, Codes]]:
        """The features as a matrix, and columns as labels, in one pass over the rows."""
        matrix = GrowingMatrix(len(features))
        gathered = {name: LabelCodes(self._column(name)) for name in labels}
        places = {name: place for place, name in enumerate(self.columns)}
        done = 0
        for chunk in self._chunks():
            columns = list(zip(*(row for _, row in chunk), strict=True))
            numbers = [_numbers(columns[places[name]], self.columns[name]) for name in features]
            try:
                matrix.extend(numbers, len(chunk))
            except NoNumberError as found:
                name = features[found.column]
                line, row = chunk[found.row - done]
                where, comma = f"{self.place.line} {line}", self.columns[name] is Kind.comma
                raise refused_value(name, self.name, where, row[places[name]], comma) from None
            for name, codes in gathered.items():
                codes.add(columns[places[name]])
            done += len(chunk)
        return matrix.finished(), {name: codes.codes() for name, codes in gathered.items()}

    def texts(self, names: Sequence[str]) -> list[NDArray[Any]]:
        """Columns as they stand, None where a value is missing."""
        places = [list(self.columns).index(name) for name in names]
        once: dict[str, str | None] = dict.fromkeys(MISSING)
        found: list[list[str | None]] = [[] for _ in names]
        rows = held = 0
        for chunk in self._chunks():
            known, rows = len(once), rows + len(chunk)
            for texts, place in zip(found, places, strict=True):
                texts.extend(once.setdefault(row[place], row[place]) for _, row in chunk)
            held += text_bytes(once, known)
            # Lists become arrays of the same size.
            need(held + 16 * rows * len(names), f"the columns of {self.name} that are read")
        return [np.array(texts, object) for texts in found]

    def check_header(self) -> None:
        """Refuse a first line of numbers of which nobody has said what it is."""
        if self.doubtful:
            raise FileError(
                f"the first line of {self.name} holds numbers only; say whether it names the "
                "columns (--header, header=True) or is a row (--no-header, header=False)."
            )

    def check(self) -> None:
        """Read every row, so that the first one at fault is refused by its line."""
        for _ in self._chunks():
            pass

    def _chunks(self) -> Iterator[list[Line]]:
        """Blocks of rows, each as wide as the first line."""
        width, row = len(self.columns), _Row()
        with text_lines(self.place, self.delimiter, watch=True, row=row) as lines:
            data = islice(lines, int(self.named), None)
            number = max(1, min(ROWS, CHUNK_FIELDS // width))
            some = islice if self.place.is_short else partial(_some, row)
            while chunk := list(some(data, number)):
                _check_width(chunk, width, self.name, self.row_names)
                yield chunk

    def _column(self, name: str) -> Any:
        return column_of(name, self.name, [(self.name, DELIMITED)], nested=True)


def open_text(place: Place, delimiter: str | None, header: bool | None) -> TextFile:
    """A delimited file with its columns, and what their first rows hold.

    With `header=None` a file of several columns has one, and a file of a single column has one
    if its first line is no number and occurs nowhere else in it. A first line of several
    numbers is `doubtful`: nobody can tell whether they are names.
    """
    with opened_text(place) as (_, start):
        cut = find_delimiter(delimiter, place.suffix, start)
    row = _Row()
    with text_lines(place, cut, row=row) as lines:
        looked = list(islice(lines, 1))
        if not looked or not looked[0][1]:
            raise FileError(f"{place.name} is empty.")
        first_line, first = looked[0]
        looked += _some(row, lines, _most(first))
        if delimiter is None and header is not False and not place.sheet_row:
            between = _between_blanks(looked)
            cut, looked = (cut, looked) if between is None else (" ", between)
            first = looked[0][1]
        row_names = header is not False and cut in " \t" and _has_row_names(looked)
        # A single column has a name if that is unlike every label, however far down.
        named = header if header is not None else row_names or _has_header(first, looked, lines)
    names = first if named else [str(k) for k in range(1, len(first) + 1)]
    names = ["", *names] if row_names else names
    check_unique(names, place.name)
    _check_width(looked[int(named) :], len(names), place.name, row_names)
    rows = [row for _, row in looked[int(named) :]]
    if not rows:
        raise FileError(f"{place.name} has a header and no rows.")
    kind = _kind if cut == "," else _kind_by_comma
    kinds = dict(zip(names, map(kind, zip(*rows, strict=True)), strict=True))
    guessed = first[0] if named and header is None and len(names) == 1 else None
    counted = [[str(start + k) for k in range(len(first))] for start in (0, 1)]
    doubtful = header is None and len(first) > 1 and all(map(is_number, first))
    doubtful = doubtful and first not in counted
    if place.sheet_row:  # what is counted are rows of a sheet
        first_line = 1 + any(end in name for name in first for end in "\r\n")
    return TextFile(place, cut, named, kinds, guessed, first_line, doubtful, row_names)


def _has_row_names(looked: Sequence[Line]) -> bool:
    """Whether every row has a name before it, of which the first line does not tell.

    So R writes a table. Names of rows differ, and no row ends in an empty field, so that a
    delimiter too many at the ends of lines is not taken for a column.
    """
    width = 1 + len(looked[0][1])
    rows = [row for _, row in looked[1:]]
    fit = all(len(row) == width and row[0] and row[-1] for row in rows)
    return bool(rows) and fit and len({row[0] for row in rows}) == len(rows)


def _most(first: list[str]) -> int:
    """How many rows are looked at."""
    return max(20, min(LOOKED_AT, FIELDS // len(first)))


def _between_blanks(looked: Sequence[Line]) -> list[Line] | None:
    """Rows as R writes them between blanks without quotes; None where they may be labels.

    Labels may have blanks, too. A table has two names or more in its first line, none of which is
    a number, a name before each row, and a column of numbers.
    """
    first = looked[0][1][0].split(" ")
    if len(first) < 2 or not all(first) or any(map(is_number, first)):
        return None
    if any(len(row) != 1 or '"' in row[0] for _, row in looked):
        return None
    rows = [(line, row[0].split(" ")) for line, row in looked[: 1 + _most(first)]]
    if not _has_row_names(rows):
        return None
    columns = list(zip(*(row for _, row in rows[1:]), strict=True))
    whole = all(map(all, columns))
    return rows if whole and any(all(map(is_number, column)) for column in columns) else None


def _has_header(first: list[str], looked: Sequence[Line], lines: Iterator[Line]) -> bool:
    """Whether the first line holds names, where nobody has said so."""
    if len(first) > 1:
        return True
    if len(looked) == 1 or first[0] in MISSING or is_number(first[0]):
        return False
    return all(row[0] != first[0] for _, row in chain(looked[1:], lines))


def _check_width(lines: Sequence[Line], width: int, name: str, row_names: bool) -> None:
    for line, row in lines:
        if len(row) != width:
            raise FileError(
                f"line {line} of {name} has {len(row)} {'field' if len(row) == 1 else 'fields'} "
                f"where {'other rows have' if row_names else 'the first line has'} {width}."
            )


@contextmanager
def text_lines(
    place: Place, delimiter: str, *, watch: bool = False, row: _Row | None = None
) -> Iterator[Iterator[Line]]:
    """The rows with their line numbers; `row` tells how long they are."""
    limit = csv.field_size_limit(2**31 - 1)  # labels may have any length
    try:
        row = row or _Row()
        with (
            opened_text(place) as (stream, _),
            closing(_watched(stream, place, watch, row)) as lines,
        ):
            yield _rows(lines, delimiter, row, place.sheet_row)
    except UnicodeDecodeError as error:
        raise _not_text(place, error) from None
    except csv.Error as error:
        said = show_label(str(error), 100)  # it may quote a tab
        raise FileError(f"{place.name} is not well-formed delimited text: {said}.") from None
    finally:
        csv.field_size_limit(limit)


class _Row:
    """How long a row is so far, which may go on over many lines, and some rows together."""

    length = total = 0


def _some(row: _Row, rows: Iterator[Line], most: int) -> Iterator[Line]:
    """The next rows: at least one, and as many as are not too long together."""
    row.total, longest = 0, longest_line()
    for one in islice(rows, most):
        yield one
        if row.total > longest:
            return


def _rows(lines: Iterator[str], delimiter: str, current: _Row, sheet_row: int) -> Iterator[Line]:
    """Rows with their line numbers; blank lines are skipped, but are labels in a single column.

    Rows of a sheet are counted from `sheet_row` on, however many lines one takes.
    """
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    blanks = range(0)
    width = 0
    for record, row in enumerate(reader, sheet_row):
        number = record if sheet_row else reader.line_num
        if current.length:
            current.total += current.length
            current.length = 0
        if not row:
            blanks = range(number - len(blanks), number + 1)
            continue
        width = width or len(row)
        if blanks:
            if width == 1:
                yield from ((blank, [""]) for blank in blanks)
            blanks = range(0)
        yield number, row


def whole_text(place: Place) -> str:
    """The text of a file that holds one thing, such as a tree; it may not be longer than a line."""
    try:
        with opened_text(place) as (stream, _):
            held, length, longest = [], 0, longest_line()
            for line in stream:
                held.append(line)
                length += len(line)
                if length > longest:
                    raise long_line(place.name, len(held))
            return "".join(held)
    except UnicodeDecodeError as error:
        raise _not_text(place, error) from None


def _not_text(place: Place, error: UnicodeDecodeError) -> FileError:
    return FileError(
        f"{place.name} is not UTF-8 text (byte 0x{error.object[error.start]:02x}); convert it, "
        "for example with iconv."
    )


@contextmanager
def opened_text(place: Place) -> Iterator[tuple[Iterator[str], bytes]]:
    """The lines of a file, with its first bytes; what is wrong with it is said in one sentence."""
    if place.packing == "zstd":
        lines = _zstd_lines(place)
        first = next(lines, "")
        yield chain([first] if first else [], lines), first.encode()
        return
    with ExitStack() as stack:
        try:
            raw: Any = stack.enter_context(open(place.path, "rb"))
            if place.packing == "gzip":
                raw = stack.enter_context(gzip.GzipFile(fileobj=raw))
            buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw)
            start = buffered.peek(PEEK)[:PEEK]
            if b"\0" in start:
                raise FileError(f"{place.name} is a binary file, not delimited text.")
            text = io.TextIOWrapper(buffered, encoding="utf-8-sig", newline="")
            # A line that is cut is too long, and is refused where its letters are counted.
            cut = iter(partial(text.readline, longest_line() + 1), "")
            yield text if place.is_short else cut, start
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            why = "its checksum does not fit" if "CRC" in str(error) else error
            raise FileError(f"{place.name} is not a whole gzip file: {why}.") from None
        except OSError as error:
            raise FileError(f"{place.name} cannot be read: {error.strerror or error}.") from None


def _zstd_lines(place: Place) -> Iterator[str]:
    """The lines of a file packed by Zstandard, which DuckDB unpacks."""
    from clustervet.frames.duck import EngineError, engine_fault, session

    try:
        with session() as opened, closing(opened.batches(ZSTD, [opened.path(place)])) as stream:
            for _, (lines,) in stream:
                yield from (f"{line or ''}\n" for line in lines)
    except EngineError as error:
        if found := TOO_LONG.search(str(error)):
            most = show_size(LONGEST_PACKED)
            raise FileError(
                f"line {int(found[1]):,} of {place.name} is longer than the {most} that a line "
                "packed by Zstandard may have; unpack the file first."
            ) from None
        raise engine_fault(error, [place], "Zstandard") from None


def _watched(
    stream: Iterator[str], place: Place, watch: bool, row: _Row
) -> Generator[str, None, None]:
    """The lines, with a progress bar on a terminal if the file is large; no row is too long."""
    if place.is_short and place.size <= SHOW_PROGRESS:
        yield from stream
        return
    what, size, done = f"reading {show_label(Path(place.name).name)}", place.size, 0
    longest = longest_line()
    with advancing(what, size, large=watch and size > SHOW_PROGRESS) as advance:
        for number, line in enumerate(stream, 1):
            row.length += len(line)
            if row.length > longest:
                raise long_line(place.name, number)
            done += len(line)
            if done > 2**20:
                advance(done)
                done = 0
            yield line


def find_delimiter(given: str | None, suffix: str, start: bytes) -> str:
    """The delimiter given, or the one that the file's name or first line suggests."""
    if given is not None:
        given = {"tab": "\t", "\\t": "\t"}.get(given, given)
        if len(given) != 1:
            raise FileError(f"a delimiter is one character, not {show_label(given)!r}.")
        if given in '"\r\n':
            raise FileError(f"a delimiter cannot be {given!r}, which ends fields and lines.")
        return given
    if suffix in (".tsv", ".tab"):
        return "\t"
    line = start.partition(b"\n")[0]
    if R_NAMES.fullmatch(line):
        return " "
    if found := R_NAME.match(start):
        return found[1].decode()
    counts = [line.count(character.encode()) for character in DELIMITERS]
    return DELIMITERS[counts.index(max(counts))]


def _kind(column: Sequence[str]) -> Kind:
    """Numbers if most of the values that are there are numbers."""
    values = [text for text in column if text not in MISSING]
    if not values:
        return Kind.empty
    if all(text.lower() in TRUTH for text in values):
        return Kind.boolean
    return Kind.number if 2 * sum(map(is_number, values)) > len(values) else Kind.text


def _kind_by_comma(column: Sequence[str]) -> Kind:
    """Numbers with a decimal comma if all values that are there are such, or whole numbers."""
    values = [text for text in column if text not in MISSING]
    commas = any("," in text for text in values) and all(map(WITH_COMMA.fullmatch, values))
    return Kind.comma if commas else _kind(column)


def _numbers(column: Sequence[str], kind: Kind) -> NDArray[np.float64]:
    """Fields as numbers; not a number where one is none."""
    if kind is Kind.comma:
        fit = WITH_COMMA.fullmatch
        return np.array([float(t.replace(",", ".")) if fit(t) else math.nan for t in column])
    if kind is Kind.boolean:
        return np.array([TRUTH.get(text.lower(), math.nan) for text in column])
    try:
        return np.fromiter(map(float, column), np.float64, len(column))
    except ValueError:
        return np.array([float(text) if is_number(text) else math.nan for text in column])


def empty_at_end(width: int, ends: int) -> str:
    """How many delimiters the line of a row ends in by the engine's reading, in SQL."""
    last = width - 1
    if not ends:
        return f"CAST(c{last} IS NULL AS BIGINT)"
    cases = [f"WHEN c{last - k} IS NOT NULL THEN {k}" for k in range(last)]
    return f"CASE {' '.join(cases)} ELSE {last} END"


def trailing_delimiters(place: Place, delimiter: str) -> int:
    """How many delimiters end the lines of a file whose quotes have one reading.

    The engine takes one delimiter too many at the end of a line for none, and forgives spaces
    around quotes; Python does not.
    """
    mark = delimiter.encode()
    edge = rb"(?:[\r\n]|%s)" % re.escape(mark)
    doubt = re.compile(rb'%s +"|" +%s|%s""[\r\n]' % (edge, edge, re.escape(mark)))
    opened: Any = gzip.open if place.packing == "gzip" else open
    ends, kept = 0, b"\n"
    try:
        with opened(place.path, "rb") as stream:
            while chunk := stream.read(CHUNK):
                chunk = kept + chunk
                cut_at = chunk.rfind(b"\n", 1)
                if cut_at < 0 and len(chunk) > LONGEST:
                    raise DoubtfulTextError("a very long line")
                # The newline before a line belongs to it, as an edge.
                kept, lines = (chunk, b"") if cut_at < 0 else (chunk[cut_at:], chunk[: cut_at + 1])
                ends += _ends(lines, mark, doubt)
    except (OSError, EOFError, zlib.error) as error:
        raise DoubtfulTextError(str(error)) from None
    return ends + _ends(kept + b"\n", mark, doubt)


def _ends(lines: bytes, mark: bytes, doubt: re.Pattern[bytes]) -> int:
    if b'"' in lines and doubt.search(lines):
        raise DoubtfulTextError("quotes beside spaces, or nothing between quotes")
    ends = 0
    for end in (b"\n", b"\r") if b"\r" in lines else (b"\n",):
        times = 1
        while found := lines.count(mark * times + end):
            ends += found
            times += 1
    return ends
