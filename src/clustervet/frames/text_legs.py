"""Delimited text for an engine, where its reader and Python's have one reading of every line."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import FileError
from clustervet.frames.delimited import WIDE, _lines
from clustervet.frames.duck import EngineError, engine
from clustervet.frames.line_ends import MANY, empty_at_end, trailing_delimiters
from clustervet.frames.scan import ArrayLeg, Leg, Part, engine_fault
from clustervet.frames.text import (
    check_unique,
    find_delimiter,
    numbered,
    opened_text,
    read_text_table,
)
from clustervet.labels import Codes

# A column of delimited text, in which some words mean that a value is missing.
DELIMITED = "TEXT"
READ_CSV = (
    "read_csv(?, columns=?, delim=?, compression=?, auto_detect=false, header={header}, "
    "quote='\"', escape='\"', strict_mode=true, hive_partitioning=false)"
)


@dataclass(frozen=True)
class TextLeg(Leg):
    """Delimited text; its lines end in so many delimiters, and the engine must agree."""

    ends: int = 0
    checked: bool = True

    @property
    def trailing(self) -> str:
        """How many delimiters the line of a row ends in, by the engine's reading."""
        return empty_at_end(len(self.types), self.ends) if self.checked else "0"


def text_legs(
    parts: Sequence[Part], delimiter: str | None, header: bool | None, *, by_python: bool
) -> list[Leg]:
    """Files by their layouts; those of which Python alone is sure are read by it."""
    layouts: defaultdict[tuple[Any, ...], list[tuple[str, int]]] = defaultdict(list)
    first_names: dict[tuple[Any, ...], str] = {}
    legs: list[Leg] = []
    for at, part in enumerate(parts):
        found = None if by_python else _layout(part, delimiter, header)
        if found is None:
            legs.append(_read_text(part, delimiter, header, at))
            continue
        layout, ends = found
        layouts[layout].append((part.path, ends))
        first_names.setdefault(layout, part.name)
    for layout, same in layouts.items():
        cut, named, names, packing = layout
        types = {f"c{place}": "VARCHAR" for place in range(len(names))}
        ends = sum(ends for _, ends in same)
        legs.append(
            TextLeg(
                first_names[layout],
                dict.fromkeys(names, DELIMITED),
                READ_CSV.format(header="true" if named else "false"),
                ([path for path, _ in same], types, cut, packing),
                ends=ends,
                checked=packing != "zstd",
            )
        )
    return legs


def _layout(
    part: Part, delimiter: str | None, header: bool | None
) -> tuple[tuple[str, bool, tuple[str, ...], str], int] | None:
    """How the engine is to read a file; None where only Python reads it beyond doubt."""
    place = part.place
    if part.packing == "zstd":
        cut, line, first = _zstd_start(part, delimiter)
    else:
        with opened_text(place.path, place.name) as (_, start):
            cut = find_delimiter(delimiter, f"table{place.suffix}", start)
        with _lines(place, cut) as lines:
            line, first = next(lines, (0, []))
    if not first:
        raise FileError(f"{part.name} is empty.")
    if not 1 < len(first) <= WIDE or line != 1 + sum(name.count("\n") for name in first):
        return None
    named = header is None or header
    names = tuple(first) if named else tuple(numbered(first))
    check_unique(names, part.name)
    try:
        ends = 0 if part.packing == "zstd" else trailing_delimiters(place, cut)
    except EngineError:
        return None
    if named and not first[-1]:
        ends -= 1  # the header itself ends in a delimiter
    return None if ends and len(names) > MANY else ((cut, named, names, part.packing), ends)


def _zstd_start(part: Part, delimiter: str | None) -> tuple[str, int, list[str]]:
    asked = "SELECT * FROM read_csv(?, columns={'l': 'VARCHAR'}, delim='\x1f', quote='', "
    asked += "escape='', compression='zstd', auto_detect=false, header=false) LIMIT 1"
    try:
        with engine() as connection:
            rows = connection.execute(asked, [part.path]).fetchall()
    except EngineError as error:
        raise engine_fault(error, [part], "Zstandard") from None
    line = rows[0][0] or "" if rows else ""
    cut = find_delimiter(delimiter, f"table{part.place.suffix}", line.encode())
    first = next(csv.reader([line], delimiter=cut, strict=True), [])
    return cut, 1, first


def _read_text(part: Part, delimiter: str | None, header: bool | None, at: int) -> Leg:
    """A file that Python reads, as arrays."""
    if part.packing == "zstd":
        raise FileError(f"{part.name} is not well-formed delimited text; unpack it to see why.")
    place = part.place
    with opened_text(place.path, place.name) as (_, start):
        cut = find_delimiter(delimiter, f"table{place.suffix}", start)
    table = read_text_table(place.path, delimiter=cut, header=header, name=place.name)
    types = dict.fromkeys(table.columns, DELIMITED)

    def labels(column: str) -> NDArray[Any]:
        return _objects(table.columns[column])

    return ArrayLeg(part.name, types, f"text_{at}_{id(table):d}", (), arrays=labels)


def _objects(codes: Codes) -> NDArray[Any]:
    names = np.array(codes.restore(np.arange(codes.span[1] if codes.span else 0)), object)
    texts = names[codes.values]
    if codes.missing is not None:
        texts[codes.missing] = None
    return texts
