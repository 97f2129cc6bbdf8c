"""Files as DuckDB reads them: the files of one layout are one `FilePart` of a table.

Each format is opened in one place here, for labels, features and grouped counts alike.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import FileError
from clustervet.frames.arrays import ArrayFile
from clustervet.frames.arrow import arrow_table
from clustervet.frames.columns import COMMA, DELIMITED, Kind, absent_column, check_unique, kind_of
from clustervet.frames.duck import (
    LARGEST_OBJECT,
    READ_PARQUET,
    EngineError,
    Session,
    engine_fault,
    large_object,
    session,
)
from clustervet.frames.grouping import Query
from clustervet.frames.places import JSON, PARQUET, Place, long_line, longest_line
from clustervet.frames.text import (
    MANY,
    DoubtfulTextError,
    TextFile,
    empty_at_end,
    trailing_delimiters,
)

# The engine's time to plan grows with the square of the columns.
WIDE = 2_000
# Rows of JSON that tell which keys there are.
LOOKED_AT = 10_000
READ_CSV = (
    "read_csv(?, columns=?, delim=?, compression=?, auto_detect=false, header={header}, "
    "quote='\"', escape='\"', strict_mode=true, hive_partitioning=false{alone})"
)
# Lines packed by Zstandard are not looked at before, and the engine may lose a very long one
# where several threads read.
ALONE = {"zstd": ", parallel=false"}
READ_JSON = "read_json_objects(?, format=?, compression=?)"
SCHEMA = (
    "SELECT file_name, name, coalesce(num_children, 0), type, converted_type, scale, precision, "
    "logical_type FROM parquet_schema(?)"
)


@dataclass(frozen=True)
class FilePart:
    """Files of one layout as something to select from; `types` has their columns in order."""

    places: Sequence[Place]
    types: Mapping[str, str]
    source: str
    options: tuple[Any, ...] = ()
    rows: int | None = None
    ends: int = 0
    tables: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """The first of its files in words that are safe to show."""
        return self.places[0].name

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """What each column holds as a feature."""
        return {column: kind_of(declared) for column, declared in self.types.items()}

    @property
    def trailing(self) -> str | None:
        """How many delimiters the line of a row ends in, where the engine's reading is checked."""
        return None

    def declared(self, name: str) -> str:
        """The type of a column."""
        if name not in self.types:
            raise absent_column(name, self.name, self.types)
        return self.types[name]

    def select(
        self, opened: Session, wanted: Sequence[str], expressions: Sequence[str], more: str = ""
    ) -> Query:
        """A query for columns as k0, k1, ...; `{}` in an expression stands for its column."""
        places = {column: place for place, column in enumerate(self.types)}
        chosen = ", ".join(
            f"{expression.replace('{}', f'c{places[column]}')} AS k{at}"
            for at, (column, expression) in enumerate(zip(wanted, expressions, strict=True))
        )
        names = ", ".join(f"c{place}" for place in range(len(self.types)))
        for name, table in self.tables.items():
            opened.register(name, table)
        given = [] if self.tables else [[opened.path(place) for place in self.places]]
        sql = f"SELECT {chosen or '1 AS k0'}{more} FROM {self.source} AS t({names})"
        return sql, [*given, *self.options]


@dataclass(frozen=True)
class TextPart(FilePart):
    """Delimited text; its lines end in `ends` delimiters in all, and the engine must agree."""

    @property
    def trailing(self) -> str | None:
        """How many delimiters the line of a row ends in, by the engine's reading."""
        packed = self.places[0].packing == "zstd"
        return None if packed else empty_at_end(len(self.types), self.ends)


@dataclass(frozen=True)
class JsonPart(FilePart):
    """JSON objects, one per row, whose values are taken as they stand."""

    @cached_property
    def kinds(self) -> Mapping[str, Kind]:
        """What each key holds in all rows."""
        with session() as opened:
            paths = [opened.path(place) for place in self.places]
            sql = f"SELECT json_group_structure(json) FROM {READ_JSON}"
            found = json.loads(opened.rows(sql, [paths, *self.options])[0][0])
        if not isinstance(found, dict):
            check_json_lines(self.places)
            raise FileError(f"{self.name} holds no JSON objects with values.")
        return {key: _json_kind(held) for key, held in found.items()}

    def declared(self, name: str) -> str:
        """JSON for every key, also for one that no early row has."""
        return "JSON" if name not in self.types and name in self.kinds else super().declared(name)

    def select(
        self, opened: Session, wanted: Sequence[str], expressions: Sequence[str], more: str = ""
    ) -> Query:
        """A query for keys; every object is parsed once."""
        chosen = ", ".join(
            f"{expression.replace('{}', f'l[{at + 1}]')} AS k{at}"
            for at, expression in enumerate(expressions)
        )
        pointers = ["/" + key.replace("~", "~0").replace("/", "~1") for key in wanted]
        inner = f"SELECT json_extract(json, ?::VARCHAR[]) AS l FROM {self.source}"
        paths = [opened.path(place) for place in self.places]
        sql = f"SELECT {chosen or '1 AS k0'}{more} FROM ({inner})"
        return sql, [pointers, paths, *self.options]


@dataclass(frozen=True)
class ArrayPart(FilePart):
    """Columns in memory, which are handed to the engine when they are asked for."""

    arrays: Callable[[Sequence[str]], Sequence[NDArray[Any]]] = field(
        default=lambda _: [], repr=False
    )

    def select(
        self, opened: Session, wanted: Sequence[str], expressions: Sequence[str], more: str = ""
    ) -> Query:
        """A query for arrays."""
        chosen = list(dict.fromkeys(wanted))
        held = {f"c{at}": _engine_array(one) for at, one in enumerate(self.arrays(chosen))}
        types = {column: self.types[column] for column in chosen}
        only = replace(self, types=types, tables={self.source: held})
        return FilePart.select(only, opened, wanted, expressions, more)


def open_parts(files: Sequence[Place | TextFile | ArrayFile]) -> list[FilePart]:
    """Files of one format by their layouts."""
    first = files[0]
    if isinstance(first, TextFile):
        return _text([file for file in files if isinstance(file, TextFile)])
    if isinstance(first, ArrayFile):
        return [_arrays(f, at) for at, f in enumerate(files) if isinstance(f, ArrayFile)]
    places = [file for file in files if isinstance(file, Place)]
    try:
        with session() as opened:
            known = {opened.path(place): place for place in places}
            if first.format == PARQUET:
                return _parquet(opened, known)
            if first.format == JSON:
                return _json(opened, known)
            return [_arrow(opened, place, at) for at, place in enumerate(places)]
    except EngineError as error:
        check_json_lines(places)
        raise engine_fault(error, places, first.format) from None


def check_json_lines(places: Sequence[Place]) -> None:
    """Refuse the first line of JSON lines that is no object, by its number."""
    for place in places:
        if place.format != JSON or place.suffix == ".json" or place.packing == "zstd":
            continue
        opened: Any = gzip.open if place.packing == "gzip" else open
        with suppress(OSError, EOFError, zlib.error), opened(place.path, "rb") as stream:
            lines = iter(partial(stream.readline, longest_line() + 1), b"")
            for number, line in enumerate(lines, 1):
                if len(line) > longest_line():
                    raise long_line(place.name, number)
                if len(line) > LARGEST_OBJECT:
                    raise large_object(f"line {number} of {place.name}")
                _check_json(line, number, place.name)


def _check_json(line: bytes, number: int, name: str) -> None:
    try:
        found = json.loads(line, parse_int=str) if line.strip() else {}
    except (ValueError, RecursionError) as error:
        said = getattr(error, "msg", "it is no text that JSON allows")
        raise FileError(f"line {number} of {name} is not well-formed JSON: {said}.") from None
    if not isinstance(found, dict):
        raise FileError(f"line {number} of {name} holds no JSON object.")


def _json_kind(held: Any) -> Kind:
    if not isinstance(held, str):
        return Kind.other
    return Kind.empty if held == "NULL" else kind_of(held)


def _parquet(opened: Session, known: Mapping[str, Place]) -> list[FilePart]:
    """Files by their schemas, which are read all at once."""
    schemas: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
    for path, *rest in opened.rows(SCHEMA, [list(known)]):
        schemas[path].append(tuple(rest))
    layouts: defaultdict[tuple[Any, ...], list[str]] = defaultdict(list)
    for path in known:
        layouts[tuple(schemas[path])].append(path)
    counted = "SELECT file_name, num_rows FROM parquet_file_metadata(?)"
    rows = dict(opened.rows(counted, [list(known)]))
    parts = []
    for schema, paths in layouts.items():
        _, types = opened.types(READ_PARQUET, [paths[0]])
        columns, places = _outer(schema), [known[path] for path in paths]
        check_unique(columns, places[0].name)
        if len(columns) != len(types):
            raise FileError(f"{places[0].name} has a schema that cannot be read.")
        number = sum(int(rows.get(path, 0)) for path in paths)
        declared = dict(zip(columns, types, strict=True))
        parts.append(FilePart(places, declared, READ_PARQUET, rows=number))
    return parts


def _outer(schema: Sequence[tuple[Any, ...]]) -> list[str]:
    """The names of the columns as they are written, without those nested in them.

    The engine itself does not tell `x` from `X` and would call the second `X_1`.
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


def _json(opened: Session, known: Mapping[str, Place]) -> list[FilePart]:
    """Files by their keys."""
    layouts: defaultdict[tuple[Any, ...], list[tuple[Place, dict[str, None]]]] = defaultdict(list)
    for path, place in known.items():
        lines = "auto" if place.suffix == ".json" else "newline_delimited"
        asked = f"SELECT CAST(json AS VARCHAR) FROM {READ_JSON} LIMIT {LOOKED_AT:d}"
        keys: dict[str, None] = {}
        rows = 0
        with closing(opened.batches(asked, [path, lines, place.packing])) as stream:
            for length, (texts,) in stream:
                rows += length
                for text in texts:
                    keys.update(dict.fromkeys(_json_keys(text, place)))
        if not rows:
            raise FileError(f"{place.name} has no rows.")
        layouts[lines, place.packing, frozenset(keys)].append((place, keys))
    return [
        JsonPart(
            [place for place, _ in same],
            dict.fromkeys(same[0][1], "JSON"),
            READ_JSON,
            (lines, packing),
        )
        for (lines, packing, _), same in layouts.items()
    ]


def _json_keys(text: str, place: Place) -> Iterable[str]:
    try:
        found = json.loads(text, parse_int=str)  # a number may have too many digits
    except RecursionError:
        raise EngineError("JSON: values are nested too deeply") from None
    if not isinstance(found, dict):
        check_json_lines([place])
        raise FileError(f"{place.name} holds something else than JSON objects.")
    return found


def _arrow(opened: Session, place: Place, at: int) -> FilePart:
    table = arrow_table(place)
    source = f"arrow_{at}_{id(table):d}"
    opened.register(source, table)
    check_unique(table.column_names, place.name)
    types = dict(zip(table.column_names, opened.types(source)[1], strict=True))
    return FilePart([place], types, source, (), table.num_rows, tables={source: table})


def _arrays(file: ArrayFile, at: int) -> FilePart:
    source = f"arrays_{at}_{id(file):d}"
    return ArrayPart([file.place], _ArrayTypes(file), source, arrays=file.arrays_of)


@dataclass(frozen=True)
class _ArrayTypes(Mapping[str, str]):
    """The type of each column, told when it is asked for, since there may be very many."""

    file: ArrayFile

    def __getitem__(self, column: str) -> str:
        if column not in self.file.columns:
            raise KeyError(column)
        return _declared(self.file.dtype(column))

    def __iter__(self) -> Iterator[str]:
        return iter(self.file.columns)

    def __len__(self) -> int:
        return len(self.file.columns)


def _declared(dtype: np.dtype[Any]) -> str:
    if dtype.kind in "iu":
        return "UBIGINT" if dtype == np.uint64 else "BIGINT"
    return {"b": "BOOLEAN", "f": "DOUBLE", "M": "TIMESTAMP"}.get(dtype.kind, "VARCHAR")


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


def _text(files: Sequence[TextFile]) -> list[FilePart]:
    """Files by their layouts; those of which Python alone is sure are read by it."""
    layouts: defaultdict[tuple[Any, ...], list[tuple[TextFile, int]]] = defaultdict(list)
    parts: list[FilePart] = []
    for file in files:
        ends = trusted_ends(file)
        if ends is None:
            parts.append(python_part(file))
        else:
            held = tuple(_text_types(file).items())
            layouts[file.delimiter, file.named, held, file.place.packing].append((file, ends))
    for (cut, named, declared, packing), same in layouts.items():
        types = {f"c{place}": "VARCHAR" for place in range(len(declared))}
        part = TextPart(
            [file.place for file, _ in same],
            dict(declared),
            READ_CSV.format(header="true" if named else "false", alone=ALONE.get(packing, "")),
            (types, cut, packing),
            ends=sum(ends for _, ends in same),
        )
        parts.append(part)
    return parts


def trusted_ends(file: TextFile) -> int | None:
    """Delimiters at the ends of lines; None where only Python reads the file beyond doubt."""
    names = list(file.columns)
    # DuckDB may lose rows after a header of several lines, or after blank lines.
    if not 1 < len(names) <= WIDE or file.first_line != 1 or file.row_names:
        return None
    if file.place.packing == "zstd":
        return 0
    try:
        ends = trailing_delimiters(file.place, file.delimiter)
    except DoubtfulTextError:
        return None
    if file.named and not names[-1]:
        ends -= 1  # the header itself ends in a delimiter
    return None if ends and len(names) > MANY else ends


def python_part(file: TextFile) -> FilePart:
    """A file of delimited text that Python reads."""
    types = _text_types(file)
    return ArrayPart([file.place], types, f"text_{id(file):d}", arrays=file.texts)


def _text_types(file: TextFile) -> dict[str, str]:
    """The types of columns of delimited text."""
    return {name: COMMA if kind is Kind.comma else DELIMITED for name, kind in file.columns.items()}
