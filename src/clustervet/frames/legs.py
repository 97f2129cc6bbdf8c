"""The readers behind a table of many files: Parquet, JSON lines, Arrow, arrays and text."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clustervet.errors import FileError
from clustervet.frames.arrays import ArraySource, open_npy, open_npz
from clustervet.frames.duck import EngineError, engine
from clustervet.frames.scan import ArrayLeg, Leg, Part, engine_fault
from clustervet.frames.source import ARRAYS
from clustervet.frames.text import check_unique
from clustervet.frames.text_legs import text_legs
from clustervet.frames.typed import FORMATS, JSON, PARQUET, _arrow_table, _check_lines, _outer

# Rows of JSON that tell which keys there are.
LOOKED_AT = 10_000
TEXT, ARRAY = "delimited text", "array"


@dataclass(frozen=True)
class JsonLeg(Leg):
    """Objects, a row each, whose values are taken as they stand."""

    def select(
        self, wanted: Sequence[str], expressions: Sequence[str], more: str = ""
    ) -> tuple[str, list[Any]]:
        """A query for keys; every object is parsed once."""
        chosen = ", ".join(
            f"{expression.replace('{}', f'l[{at + 1}]')} AS k{at}"
            for at, expression in enumerate(expressions)
        )
        pointers = ["/" + key.replace("~", "~0").replace("/", "~1") for key in wanted]
        inner = f"SELECT json_extract(json, ?::VARCHAR[]) AS l FROM {self.source}"
        return f"SELECT {chosen}{more} FROM ({inner})", [pointers, *self.parameters]


def open_legs(
    parts: Sequence[Part],
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    array: str | None = None,
    by_python: bool = False,
) -> list[Leg]:
    """Files of one format by their layouts; `by_python` distrusts the engine's reader of text."""
    formats: dict[str, Part] = {}
    for part in parts:
        formats.setdefault(_format(part), part)
    if len(formats) > 1:
        (one, a), (two, b) = list(formats.items())[:2]
        raise FileError(
            f"{a.name} is {one} and {b.name} is {two}; the parts of a table have one format."
        )
    (kind,) = formats
    if kind == TEXT:
        return text_legs(parts, delimiter, header, by_python=by_python)
    if kind == ARRAY:
        return [_arrays(part, array, at) for at, part in enumerate(parts)]
    try:
        if kind == PARQUET:
            return _parquet(parts)
        if kind == JSON:
            return _json(parts)
        return [_arrow(part, at) for at, part in enumerate(parts)]
    except EngineError as error:
        check_json_lines(parts)
        raise engine_fault(error, parts, kind) from None


def _format(part: Part) -> str:
    return ARRAY if part.suffix in ARRAYS else FORMATS.get(part.suffix, TEXT)


def check_json_lines(parts: Sequence[Part]) -> None:
    """Refuse the first line of JSON lines that is no object, by its number."""
    for part in parts:
        if FORMATS.get(part.suffix) == JSON and part.suffix != ".json" and part.packing != "zstd":
            _check_lines(part.place)


def _parquet(parts: Sequence[Part]) -> list[Leg]:
    """Files by their schemas, which are read all at once."""
    layouts: defaultdict[tuple[Any, ...], list[str]] = defaultdict(list)
    schemas: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
    source = "read_parquet(?, hive_partitioning=false)"
    legs: list[Leg] = []
    names = {part.path: part.name for part in parts}
    with engine() as connection:
        asked = "SELECT file_name, name, coalesce(num_children, 0), type, converted_type, scale, "
        asked += "precision, logical_type FROM parquet_schema(?)"
        for path, *rest in connection.execute(asked, [list(names)]).fetchall():
            schemas[path].append(tuple(rest))
        for path in names:
            layouts[tuple(schemas[path])].append(path)
        for schema, paths in layouts.items():
            found = connection.sql(f"SELECT * FROM {source}", params=[paths[0]])
            columns, name = _outer(schema), names[paths[0]]
            check_unique(columns, name)
            if len(columns) != len(found.types):
                raise FileError(f"{name} has a schema that cannot be read.")
            types = dict(zip(columns, map(str, found.types), strict=True))
            legs.append(Leg(name, types, source, (paths,)))
    return legs


def _json(parts: Sequence[Part]) -> list[Leg]:
    layouts: defaultdict[tuple[Any, ...], list[tuple[Part, dict[str, None]]]] = defaultdict(list)
    source = "read_json_objects(?, format=?, compression=?)"
    with engine() as connection:
        for part in parts:
            lines = "auto" if part.suffix == ".json" else "newline_delimited"
            asked = f"SELECT json FROM {source} LIMIT {LOOKED_AT:d}"
            rows = connection.execute(asked, [part.path, lines, part.packing]).fetchall()
            keys: dict[str, None] = {}
            for (text,) in rows:
                found = json.loads(text)
                if not isinstance(found, dict):
                    check_json_lines([part])
                    raise FileError(f"{part.name} holds something else than JSON objects.")
                keys.update(dict.fromkeys(found))
            if not rows:
                raise FileError(f"{part.name} has no rows.")
            layouts[lines, part.packing, frozenset(keys)].append((part, keys))
    return [
        JsonLeg(
            same[0][0].name,
            dict.fromkeys(same[0][1], "JSON"),
            source,
            ([part.path for part, _ in same], lines, packing),
        )
        for (lines, packing, _), same in layouts.items()
    ]


def _arrow(part: Part, at: int) -> Leg:
    table = _arrow_table(part.place)
    with engine() as connection:
        connection.register("arrow_table", table)
        types = [str(kind) for kind in connection.sql("SELECT * FROM arrow_table").types]
    check_unique(table.column_names, part.name)
    columns = dict(zip(table.column_names, types, strict=True))
    source = f"arrow_{at}_{id(table):d}"
    return Leg(part.name, columns, source, (), {source: table})


def _arrays(part: Part, array: str | None, at: int) -> Leg:
    place = part.place
    found: ArraySource = open_npy(place) if part.suffix == ".npy" else open_npz(place, array)
    types = {}
    for column in found.kinds:
        dtype = found.arrays[column].dtype if column in found.arrays else found.matrix.dtype
        types[column] = _declared(dtype)
    return ArrayLeg(part.name, types, f"arrays_{at}_{id(found):d}", (), arrays=found._column)


def _declared(dtype: np.dtype[Any]) -> str:
    if dtype.kind in "iu":
        return "UBIGINT" if dtype == np.uint64 else "BIGINT"
    return {"b": "BOOLEAN", "f": "DOUBLE", "M": "TIMESTAMP"}.get(dtype.kind, "VARCHAR")
