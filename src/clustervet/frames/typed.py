"""Files that know the types of their columns: Parquet, JSON lines, Arrow and Feather."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from clustervet.errors import FileError, MissingPackageError
from clustervet.frames.collect import ROOM, NoNumberError, NumberLabels, Rows, TextLabels
from clustervet.frames.duck import EngineError, Relation, safe_path, watched
from clustervet.frames.source import Kind, Place, absent_column, refused_value
from clustervet.frames.text import check_unique
from clustervet.labels import Codes, show_label

PARQUET, JSON, ARROW = "Parquet", "JSON", "Arrow"
FORMATS = {
    **dict.fromkeys((".parquet", ".pq", ".parq"), PARQUET),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), JSON),
    **dict.fromkeys((".arrow", ".feather", ".ipc"), ARROW),
}
ABOUT_PARQUET = (
    "SELECT name, coalesce(num_children, 0) FROM parquet_schema(?)",
    "SELECT num_rows FROM parquet_file_metadata(?)",
)
WHOLE = re.compile(r"U?(TINY|SMALL|BIG)?INT(EGER)?")
NUMBER = re.compile(r"DOUBLE|U?HUGEINT|BIGNUM|DECIMAL.*|" + WHOLE.pattern)
# A decimal of so few digits is exact as a float.
SHORT = re.compile(r"FLOAT|DOUBLE|DECIMAL\(([1-9]|1[0-5]),\d+\)")
DATE = re.compile(r"DATE|TIME.*|INTERVAL")


@dataclass(frozen=True)
class TypedSource:
    """A file read by DuckDB with the types that it declares."""

    indexed: ClassVar[bool] = True
    place: Place
    format: str
    types: Mapping[str, str]
    rows: int | None
    header_guessed: str | None = None

    @property
    def name(self) -> str:
        """The file in words that are safe to show."""
        return self.place.name

    @cached_property
    def kinds(self) -> Mapping[str, Kind]:
        """What each column holds."""
        return {column: _kind(declared) for column, declared in self.types.items()}

    def read(self, features: Sequence[str], labels: Sequence[str]) -> tuple[Any, dict[str, Codes]]:
        """The features as a matrix, and columns as labels, in one pass over the rows."""
        single = bool(features) and {self.types[column] for column in features} == {"FLOAT"}
        rows = Rows(len(features), single=single, expected=self.rows or ROOM)
        gathered = {column: self._gatherer(column) for column in labels}
        chosen = [
            *(self._number(column, "FLOAT" if single else "DOUBLE") for column in features),
            *(self._label(column) for column in labels),
        ]
        try:
            with (
                _relation(self.place, self.format, self.types) as relation,
                relation.scan(len(self.types), chosen) as stream,
            ):
                for length, columns in watched(stream, self.place, self.rows):
                    rows.extend(columns[: len(features)], length)
                    for gatherer, values in zip(
                        gathered.values(), columns[len(features) :], strict=False
                    ):
                        gatherer.add(values)
        except NoNumberError as found:
            column = features[found.column]
            value = self._value(column, found.row)
            raise refused_value(column, self.name, f"row {found.row + 1}", value) from None
        matrix = rows.matrix()
        if not len(matrix):
            raise FileError(f"{self.name} has no rows.")
        return matrix, {column: gatherer.codes() for column, gatherer in gathered.items()}

    def absent(self, column: str) -> FileError:
        """The refusal of a column that the file does not have."""
        return absent_column(column, self.name, self.types)

    def _value(self, column: str, row: int) -> str | None:
        text: str | None = None
        with (
            _relation(self.place, self.format, self.types) as relation,
            relation.scan(len(self.types), [self._text(column)], slice(row, row + 1)) as stream,
        ):
            for _, columns in stream:
                text = columns[0][0]
        return text

    def _number(self, column: str, declared: str) -> str:
        """A column as a number, NULL where it is none."""
        kind = _kind(self.types[column])
        given = self._place(column) if kind.numeric else self._text(column)
        return f"TRY_CAST({given} AS {declared})"

    def _label(self, column: str) -> str:
        declared = self.types[column]
        if declared == "UBIGINT":
            return self._place(column)
        if declared == "BOOLEAN" or WHOLE.fullmatch(declared):
            return f"CAST({self._place(column)} AS BIGINT)"
        if SHORT.fullmatch(declared):
            return f"CAST({self._place(column)} AS DOUBLE)"
        return self._text(column)

    def _gatherer(self, column: str) -> TextLabels | NumberLabels:
        declared = self.types[column]
        if declared == "BOOLEAN" or WHOLE.fullmatch(declared) or SHORT.fullmatch(declared):
            what = f"column {show_label(column)!r} of {self.name}"
            return NumberLabels(what, boolean=declared == "BOOLEAN")
        return TextLabels({None})

    def _text(self, column: str) -> str:
        return f"CAST({self._place(column)} AS VARCHAR)"

    def _place(self, column: str) -> str:
        return f"c{self._places[column]}"

    @cached_property
    def _places(self) -> dict[str, int]:
        return {column: place for place, column in enumerate(self.types)}


def open_typed(place: Place, format: str) -> TypedSource:
    """A file with its columns and their types."""
    rows = None
    with _relation(place, format) as relation:
        names, types, more = relation.describe(*(ABOUT_PARQUET if format == PARQUET else ()))
        if format == PARQUET:
            names, rows = _outer(more[0]), int(more[1][0][0])
        elif format == ARROW:
            table = relation.tables["arrow_table"]
            names, rows = list(table.column_names), table.num_rows
    check_unique(names, place.name)
    if len(names) != len(types):
        raise FileError(f"{place.name} has a schema that cannot be read.")
    return TypedSource(place, format, dict(zip(names, types, strict=True)), rows)


@contextmanager
def _relation(
    place: Place, format: str, types: Mapping[str, str] | None = None
) -> Iterator[Relation]:
    """The file for the engine; what is wrong with it is said in one sentence."""
    with safe_path(place) as path:
        try:
            if format == PARQUET:
                yield Relation("read_parquet(?, hive_partitioning=false)", (path,))
            elif format == JSON:
                yield _json(place, path, types)
            else:
                table = _arrow_table(place)
                yield Relation("arrow_table", (), {"arrow_table": table})
        except EngineError as error:
            if format == JSON and place.suffix != ".json":
                _check_lines(place)
            raise FileError(
                f"{place.name} is not a whole {format} file: {_reason(str(error), path)}."
            ) from None


def _json(place: Place, path: str, types: Mapping[str, str] | None) -> Relation:
    """Objects, one a row; once their types are known nothing is guessed again.

    Then strings that look like dates are read as they stand. But where the engine may have
    renamed a key (`X` beside `x` to `X_1`), only the engine knows which key a column is.
    """
    lines = "auto" if place.suffix == ".json" else "newline_delimited"
    given = (path, lines, "gzip" if place.gzipped else "none")
    source = "read_json(?, format=?, compression=?, records='true', hive_partitioning=false"
    if types is None or _renamed(types):
        return Relation(f"{source}, sample_size=-1, map_inference_threshold=-1)", given)
    plain = {
        column: declared if _kind(declared).numeric else "VARCHAR"
        for column, declared in types.items()
    }
    return Relation(f"{source}, columns=?)", (*given, plain))


def _check_lines(place: Place) -> None:
    """Refuse the first line that is no object, by its number, which the engine miscounts."""
    opened: Any = gzip.open if place.gzipped else open
    with suppress(OSError, EOFError, zlib.error), opened(place.path, "rb") as stream:
        for number, line in enumerate(stream, 1):
            try:
                found = json.loads(line) if line.strip() else {}
            except (ValueError, RecursionError) as error:
                said = getattr(error, "msg", "it is no text that JSON allows")
                raise FileError(
                    f"line {number} of {place.name} is not well-formed JSON: {said}."
                ) from None
            if not isinstance(found, dict):
                raise FileError(f"line {number} of {place.name} holds no JSON object.")


def _renamed(names: Iterable[str]) -> bool:
    known = {name.lower() for name in names}
    tails = (re.fullmatch(r"(.*)_\d+", name.lower()) for name in known)
    return any(tail and tail[1] in known for tail in tails) or "" in known


def _reason(said: str, path: str) -> str:
    """The first line of what the engine said, without its own category and the path."""
    line = said.split("\n", 1)[0].partition(": ")[2] or said
    for quote in "'\"":
        line = line.replace(f" in file {quote}{path}{quote},", "").replace(
            f"file {quote}{path}{quote}", "the file"
        )
    line = line.replace(path, "the file")
    return show_label(line, 200).strip(" .")


def _outer(schema: Sequence[tuple[Any, ...]]) -> list[str]:
    """The names of the columns as they are written, without those nested in them.

    The engine itself tells no `x` from `X` and would call the second `X_1`.
    """
    names = []
    place = 1
    while place < len(schema):
        names.append(schema[place][0])
        inner = 1
        while inner and place < len(schema):
            inner += schema[place][1] - 1
            place += 1
    return names


def _arrow_table(place: Place) -> Any:
    try:
        import pyarrow  # type: ignore[import-untyped]  # it ships no types
    except ImportError:
        raise MissingPackageError(
            f"{place.name} is an Arrow file, for which the package pyarrow is needed."
        ) from None
    try:
        with pyarrow.memory_map(place.path) as file:
            if place.start.startswith(b"ARROW1"):
                table = pyarrow.ipc.open_file(file).read_all()
            else:
                table = pyarrow.ipc.open_stream(file).read_all()
        table.validate(full=True)  # the engine would follow a wrong offset anywhere
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise EngineError(f"Arrow: {error}") from None
    for number, column in enumerate(table.schema):
        if column.type == pyarrow.float16():  # which DuckDB does not know
            wide = table.column(number).cast(pyarrow.float32())
            table = table.set_column(number, column.name, wide)
    return table


def _kind(declared: str) -> Kind:
    if declared == "FLOAT":
        return Kind.single
    if NUMBER.fullmatch(declared):
        return Kind.number
    if declared == "BOOLEAN":
        return Kind.boolean
    if declared in ("VARCHAR", "JSON", "UUID") or declared.startswith("ENUM("):
        return Kind.text
    if DATE.fullmatch(declared):
        return Kind.date
    return Kind.empty if declared == '"NULL"' else Kind.other
