"""Several groupings of the same rows in the engine, and how they come home."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import LabelError
from clustervet.frames.duck import run_watched
from clustervet.frames.forms import Column, Form, as_array
from clustervet.frames.grouped import Grouped
from clustervet.frames.stream import batches
from clustervet.labels import show_label

Query = tuple[str, list[Any]]
# The place of the weight among names of columns, which cannot hold this character.
WEIGHT = "\0weight"
WEIGHTS = (Form.whole, Form.real, Form.boolean, Form.number, Form.delimited, Form.json)


@dataclass(frozen=True)
class Groups:
    """The distinct combinations of some columns, and how often each occurs."""

    keys: Mapping[str, Any]
    counts: NDArray[np.int64]
    weights: NDArray[Any] | None = None
    fractional: bool = False

    def pair(self, truth: str, pred: str) -> Grouped:
        """Two of the columns for a table."""
        keys = self.keys
        return Grouped(keys[truth], keys[pred], self.counts, self.weights, self.fractional)


@dataclass(frozen=True)
class Grouping:
    """Sets of columns to group rows by: k0, k1, ... are columns, h0, h1, ... say who has a row."""

    columns: Mapping[str, tuple[str, Column]]
    sets: Sequence[tuple[str, ...]]
    weight: Column | None = None
    holders: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Column],
        sets: Sequence[Sequence[str]],
        weight: Column | None = None,
        holders: Mapping[str, int] | None = None,
    ) -> Grouping:
        """Sets of columns by their names; the weight is the column after them.

        `holders` has the table that each column comes from, where several are joined.
        """
        placed = {name: (f"k{at}", column) for at, (name, column) in enumerate(columns.items())}
        made = cls(placed, [], weight, holders or {})
        distinct = dict.fromkeys(made.raw(one) for one in sets)
        return cls(placed, list(distinct), weight, holders or {})

    def raw(self, names: Sequence[str]) -> tuple[str, ...]:
        """A set of columns as SQL knows them, with the tables that must have the row."""
        held = {f"h{self.holders[name]}" for name in (*names, WEIGHT) if name in self.holders}
        return tuple(sorted({self.columns[name][0] for name in names} | held))

    @property
    def _every(self) -> list[str]:
        return sorted({name for one in self.sets for name in one})

    def _mark(self, one: tuple[str, ...]) -> int:
        """What GROUPING_ID says of a set: a bit for every name that is not in it."""
        every = self._every
        return sum((name not in one) << (len(every) - 1 - at) for at, name in enumerate(every))

    def stage(self, connection: Any, query: Query, size: int, *, checked: bool = False) -> None:
        """Group the rows of a query into the temporary table g; checked, z is summed."""
        every = ", ".join(self._every)
        sums = ["count(*) AS n", "sum(z) AS z" if checked else "0 AS z"]
        if self.weight is not None:
            sums += weighed(f"k{len(self.columns)}", self.weight)
        if len(self.sets) == 1:
            mark, grouped = "0", every
        else:
            mark = f"grouping_id({every})"
            listed = ", ".join("(" + ", ".join(one) + ")" for one in self.sets)
            grouped = f"GROUPING SETS ({listed})"
        connection.register_arrays()
        sql = f"CREATE TEMP TABLE g AS SELECT {every}, {mark} AS s, {', '.join(sums)} "
        run_watched(connection, f"{sql} FROM ({query[0]}) GROUP BY {grouped}", query[1], size)

    def total(self, connection: Any, column: str) -> int:
        """The sum of n or z over all rows."""
        sql = f"SELECT coalesce(sum({column}), 0)::VARCHAR FROM g "
        sql += f"WHERE s = {self._mark(self.sets[0]):d}"
        return int(connection.execute(sql).fetchall()[0][0])

    @property
    def absent(self) -> str:
        """That a row of the first set has none of its columns."""
        return " AND ".join(f"{name} IS NULL" for name in self.sets[0])

    def count(self, connection: Any, one: tuple[str, ...], where: str) -> int:
        """The rows of a set that satisfy a condition."""
        sql = f"SELECT coalesce(sum(n), 0)::VARCHAR FROM g WHERE s = {self._mark(one):d} AND "
        return int(connection.execute(f"{sql} {where}").fetchall()[0][0])

    def fetch(self, connection: Any, names: Sequence[str], most: int | None) -> Groups | None:
        """The groups of a set; None if there are more than so many."""
        raw = self.raw(names)
        held = [name for name in raw if name.startswith("h")]
        where = " AND ".join([f"s = {self._mark(raw):d}", *held])
        if most is not None:
            found = connection.execute(f"SELECT count(*) FROM g WHERE {where}").fetchall()
            if found[0][0] > most:
                return None
        placed = [self.columns[name] for name in names]
        chosen = [column.fetched.replace("{}", place) for place, column in placed]
        weights = [] if self.weight is None else WEIGHED
        sql = f"SELECT {', '.join([*chosen, 'n', *weights])} FROM g WHERE {where}"
        home = _gather(connection, sql, len(names) + 1 + len(weights))
        keys = {
            name: self.columns[name][1].keys(values)
            for name, values in zip(names, home, strict=False)
        }
        counts = np.asarray(home[len(names)], np.int64)
        if self.weight is None:
            return Groups(keys, counts)
        return Groups(keys, counts, *_weights(self.weight, counts, home[len(names) + 1 :]))


# Exact sums of whole weights as text, sums of real ones, what tells them apart, and the checks.
WEIGHED = [
    "whole",
    "total",
    "CAST(parts AS BIGINT)",
    "CAST(given AS BIGINT)",
    "least",
    "greatest",
    "wrong",
]


def weighed(place: str, column: Column) -> list[str]:
    """The sums of a column of weights."""
    if column.form not in WEIGHTS:
        raise LabelError(
            f"column {show_label(column.name)!r} of {column.table} holds {column.form}, "
            "not weights."
        )
    text = f"CAST({place} AS VARCHAR)"
    # A bare TRY_CAST moves into the engine's reader of CSV and fails there.
    number = f"CASE WHEN {place} IS NOT NULL THEN TRY_CAST({text} AS DOUBLE) END"
    whole = (
        f"TRY_CAST({text} AS HUGEINT)"
        if column.form is Form.whole
        else (f"CASE WHEN {number} = trunc({number}) THEN TRY_CAST({number} AS HUGEINT) END")
    )
    return [
        f"CAST(sum({whole}) AS VARCHAR) AS whole",
        f"fsum({number}) AS total",
        f"count(*) FILTER ({number} <> trunc({number})) AS parts",
        f"count({number}) AS given",
        f"min({number}) AS least",
        f"max({number}) AS greatest",
        f"any_value({text}) FILTER ({number} IS NULL) AS wrong",
    ]


def _weights(
    column: Column, counts: NDArray[np.int64], home: Sequence[Any]
) -> tuple[NDArray[Any], bool]:
    """Sums of weights, and whether any weight was no whole number."""
    whole, total, parts, given, least, greatest, wrong = home
    what = f"column {show_label(column.name)} of {column.table}"
    if int(np.ma.filled(given, 0).sum()) < int(counts.sum()):
        text = next((text for text in wrong if text is not None), None)
        if text is None:
            raise LabelError(f"{what} has an empty weight.")
        raise LabelError(f"{what} holds {show_label(text)!r}, which is no weight.")
    smallest, largest = float(np.min(least)), float(np.max(greatest))
    if not np.isfinite([smallest, largest]).all():
        raise LabelError("weights must be finite; there is a NaN or an infinity among them.")
    if smallest < 0:
        raise LabelError(f"weights must not be negative; the smallest is {smallest:g}.")
    if parts.any():
        return np.asarray(total, np.float64), True
    sums = np.empty(len(counts), object)
    sums[:] = [int(text or 0) for text in whole]
    return (sums.astype(np.int64) if sum(sums) < 2**62 else sums), False


def _gather(connection: Any, sql: str, width: int) -> list[Any]:
    """The columns of a result, batch by batch; equal texts are held once."""
    parts: list[list[Any]] = [[] for _ in range(width)]
    once: dict[str | None, str | None] = {}
    capsule = connection.sql(sql).__arrow_c_stream__()
    with closing(batches(capsule)) as stream:
        for _, columns in stream:
            for part, values in zip(parts, columns, strict=True):
                if isinstance(values, list):
                    part.extend(once.setdefault(text, text) for text in values)
                else:
                    part.append(values.copy())
    del capsule  # the connection cannot close while a result is open
    return [
        part if not part or not isinstance(part[0], np.ndarray) else as_array(part)
        for part in parts
    ]
