"""Feature tables in delimited text: DuckDB reads large files, Python has the last word.

Both read the same rows. Python's reader says what is wrong with a file, and in which line; the
engine's is taken only where every value is beyond doubt.
"""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import FileError
from clustervet.frames.collect import NoNumberError, Rows, TextLabels
from clustervet.frames.duck import EngineError, Relation, safe_path, watched
from clustervet.frames.line_ends import MANY, empty_at_end, trailing_delimiters
from clustervet.frames.source import Kind, Place, absent_column, is_number, refused_value
from clustervet.frames.text import (
    MISSING,
    ROWS,
    check_unique,
    find_delimiter,
    long_fields,
    looks_like_header,
    numbered,
    opened_text,
    text_rows,
    watched_lines,
)
from clustervet.labels import Codes, show_label

# Bytes up to which Python is quicker than loading the engine.
SMALL = 2**20
# The engine's time to plan grows with the square of the columns.
WIDE = 2_000
# Rows that tell what a column holds, unless there are very many columns.
LOOKED_AT = 1_000
FIELDS = 200_000
# The engine reads an empty field as nothing.
ABSENT = MISSING | {None}
TRUTH = {"true": 1.0, "false": 0.0}

Line = tuple[int, list[str]]


@dataclass(frozen=True)
class DelimitedSource:
    """A delimited file whose first rows have been looked at."""

    indexed: ClassVar[bool] = True
    place: Place
    delimiter: str
    header: bool
    kinds: Mapping[str, Kind]
    header_guessed: str | None = None

    @property
    def name(self) -> str:
        """The file in words that are safe to show."""
        return self.place.name

    def read(self, features: Sequence[str], labels: Sequence[str]) -> tuple[Any, dict[str, Codes]]:
        """The features as a matrix, and columns as labels, in one pass over the rows."""
        if os.path.getsize(self.place.path) > SMALL and 1 < len(self.kinds) <= WIDE:
            try:
                return self._by_engine(features, labels)
            except NoNumberError as found:
                self._refuse(found, features)
            except EngineError:
                self._check_lines()
        return self._by_python(features, labels)

    def absent(self, column: str) -> FileError:
        """The refusal of a column that the file does not have."""
        return absent_column(column, self.name, self.kinds)

    def _by_engine(
        self, features: Sequence[str], labels: Sequence[str]
    ) -> tuple[Any, dict[str, Codes]]:
        rows, gathered = Rows(len(features)), {column: TextLabels(ABSENT) for column in labels}
        ends = trailing_delimiters(self.place, self.delimiter)
        width, split, places = len(self.kinds), len(features), self._places()
        if ends and width > MANY:
            raise EngineError("lines of a wide table end in delimiters")
        chosen = [
            *(_number(f"c{places[column]}", self.kinds[column]) for column in features),
            *(f"c{places[column]}" for column in labels),
            f"CAST({empty_at_end(width, ends)} AS DOUBLE)",
        ]
        first = int(self.header)
        with self._relation() as relation, relation.scan(width, chosen) as stream:
            for length, columns in watched(stream, self.place, None):
                ends -= int(columns.pop().sum())
                kept = [column[first:] for column in columns]
                rows.extend(kept[:split], length - first)
                for gatherer, values in zip(gathered.values(), kept[split:], strict=True):
                    gatherer.add(values)
                first = 0
        if ends:
            raise EngineError("a line ends in a delimiter too many")
        return rows.matrix(), {column: gatherer.codes() for column, gatherer in gathered.items()}

    @contextmanager
    def _relation(self) -> Iterator[Relation]:
        types = {f"c{place}": "VARCHAR" for place in range(len(self.kinds))}
        packed = "gzip" if self.place.gzipped else "none"
        with safe_path(self.place) as path:
            yield Relation(
                "read_csv(?, columns=?, delim=?, compression=?, auto_detect=false, header=false, "
                "quote='\"', escape='\"', strict_mode=true, hive_partitioning=false)",
                (path, types, self.delimiter, packed),
            )

    def _refuse(self, found: NoNumberError, features: Sequence[str]) -> None:
        """Refuse what the engine found, with its line, unless Python reads it as a number."""
        column = features[found.column]
        with _lines(self.place, self.delimiter, len(self.kinds)) as lines:
            line, row = next(islice(lines, found.row + self.header, None))
        text = row[self._places()[column]]
        if not math.isfinite(_value(text, self.kinds[column])):
            raise refused_value(column, self.name, f"line {line}", text)

    def _check_lines(self) -> None:
        with _lines(self.place, self.delimiter, len(self.kinds), watch=True) as lines:
            for _ in lines:
                pass

    def _by_python(
        self, features: Sequence[str], labels: Sequence[str]
    ) -> tuple[Any, dict[str, Codes]]:
        rows, gathered = Rows(len(features)), {column: TextLabels(ABSENT) for column in labels}
        places = self._places()
        with _lines(self.place, self.delimiter, len(self.kinds), watch=True) as lines:
            data = islice(lines, int(self.header), None)
            while chunk := list(islice(data, ROWS)):
                columns = list(zip(*(row for _, row in chunk), strict=True))
                numbers = [
                    _numbers(columns[places[column]], self.kinds[column]) for column in features
                ]
                try:
                    rows.extend(numbers, len(chunk))
                except NoNumberError as found:
                    column = features[found.column]
                    line, row = chunk[found.row % ROWS]
                    text = row[places[column]]
                    raise refused_value(column, self.name, f"line {line}", text) from None
                for column, gatherer in gathered.items():
                    gatherer.add(columns[places[column]])
        return rows.matrix(), {column: gatherer.codes() for column, gatherer in gathered.items()}

    def _places(self) -> dict[str, int]:
        return {column: place for place, column in enumerate(self.kinds)}


def open_delimited(place: Place, delimiter: str | None, header: bool | None) -> DelimitedSource:
    """A delimited file with its columns, and what their first rows hold."""
    with opened_text(place.path, place.name) as (_, start):
        delimiter = find_delimiter(delimiter, f"table{place.suffix}", start)
    with _lines(place, delimiter) as lines:
        _, first = next(lines, (0, []))
    if not first:
        raise FileError(f"{place.name} is empty.")
    named, guessed = _header(place, delimiter, first, header)
    names = first if named else numbered(first)
    check_unique(names, place.name)
    count = max(20, min(LOOKED_AT, FIELDS // len(names)))
    with _lines(place, delimiter, len(names)) as lines:
        looked = [row for _, row in islice(lines, int(named), int(named) + count)]
    if not looked:
        raise FileError(f"{place.name} has a header and no rows.")
    kinds = map(_kind, zip(*looked, strict=True))
    return DelimitedSource(
        place, delimiter, named, dict(zip(names, kinds, strict=True)), first[0] if guessed else None
    )


def _header(
    place: Place, delimiter: str, first: list[str], header: bool | None
) -> tuple[bool, bool]:
    """Whether the first line holds names, and whether that is a guess, as with labels."""
    if header is not None:
        return header, False
    if len(first) == 1:
        if is_number(first[0]):
            return False, False
        with _lines(place, delimiter, 1) as lines:
            guess = looks_like_header(first[0], [row[0] for _, row in islice(lines, 1, None)])
        return guess, guess
    counted = [[str(start + k) for k in range(len(first))] for start in (0, 1)]
    if all(map(is_number, first)) and first not in counted:
        raise FileError(
            f"the first line of {place.name} holds numbers only; say whether it names the "
            "columns (--header, header=True) or is a row (--no-header, header=False)."
        )
    return True, False


@contextmanager
def _lines(
    place: Place, delimiter: str, width: int | None = None, *, watch: bool = False
) -> Iterator[Iterator[Line]]:
    """The rows with their line numbers, each as wide as the first."""
    with opened_text(place.path, place.name) as (stream, _), long_fields():
        try:
            if watch:
                with closing(watched_lines(stream, place.path)) as watched_stream:
                    yield _even(text_rows(watched_stream, delimiter), width, place.name)
            else:
                yield _even(text_rows(stream, delimiter), width, place.name)
        except UnicodeDecodeError as error:
            raise FileError(
                f"{place.name} is not UTF-8 text (byte 0x{error.object[error.start]:02x}); convert "
                "it, for example with iconv."
            ) from None
        except csv.Error as error:
            said = show_label(str(error), 100)  # it may quote a tab
            raise FileError(f"{place.name} is not well-formed delimited text: {said}.") from None


def _even(lines: Iterator[Line], width: int | None, name: str) -> Iterator[Line]:
    for line, row in lines:
        if width is not None and len(row) != width:
            raise FileError(
                f"line {line} of {name} has {len(row)} {'field' if len(row) == 1 else 'fields'} "
                f"where the first line has {width}."
            )
        yield line, row


def _number(place: str, kind: Kind) -> str:
    """A column of text as a number in SQL, NULL where it is none."""
    if kind is Kind.boolean:
        return f"CASE lower({place}) WHEN 'true' THEN 1.0::DOUBLE WHEN 'false' THEN 0.0 END"
    # A bare TRY_CAST moves into the engine's reader of CSV and fails there.
    return f"CASE WHEN {place} IS NOT NULL THEN TRY_CAST({place} AS DOUBLE) END"


def _kind(column: Sequence[str]) -> Kind:
    """Numbers if most of the values that are there are numbers."""
    values = [text for text in column if text not in MISSING]
    if not values:
        return Kind.empty
    if all(text.lower() in TRUTH for text in values):
        return Kind.boolean
    return Kind.number if 2 * sum(map(is_number, values)) > len(values) else Kind.text


def _numbers(column: Sequence[str], kind: Kind) -> NDArray[np.float64]:
    if kind is not Kind.boolean:
        try:
            return np.fromiter(map(float, column), np.float64, len(column))
        except ValueError:
            pass
    return np.array([_value(text, kind) for text in column])


def _value(text: str, kind: Kind) -> float:
    """A field as a number; not a number where it is none."""
    if kind is Kind.boolean:
        return TRUTH.get(text.lower(), math.nan)
    return float(text) if is_number(text) else math.nan
