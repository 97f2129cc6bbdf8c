"""Several groupings of the same rows, counted by DuckDB in one scan."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import LabelError
from clustervet.labels import show_label

if TYPE_CHECKING:
    from clustervet.frames.columns import Column
    from clustervet.frames.duck import Session

Query = tuple[str, list[Any]]
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


@dataclass(frozen=True)
class GroupedCounts:
    """The distinct combinations of some label columns, and how often each occurs.

    A combination may come more than once, as from the parts of a table. Of the keys, None and
    NaN are missing labels. `weights` are sums: whole numbers, or floats; `fractional` says that
    some weight was no whole number, even if every sum is one. Where noise is to be singletons
    and there are weights, every object of noise is a group of its own.

    >>> grouped = GroupedCounts({"y": ["a", None], "c": [0, 0]}, np.array([2, 1]))
    >>> grouped.pair("c", "y").keys
    {'truth': [0, 0], 'pred': ['a', None]}
    """

    keys: Mapping[Any, Any]  # whatever `read_labels` takes: a list, an array, an engine's column
    counts: NDArray[np.int64]
    weights: NDArray[Any] | None = None
    fractional: bool = False

    def pair(self, truth: Hashable, pred: Hashable) -> GroupedCounts:
        """Two of the columns, as truth and prediction."""
        keys = {"truth": self.keys[truth], "pred": self.keys[pred]}
        return GroupedCounts(keys, self.counts, self.weights, self.fractional)


@dataclass(frozen=True)
class Grouping:
    """Sets of columns to group rows by.

    In SQL the columns are k0, k1, ... and the weight is the column after them. Where files are
    joined, h0, h1, ... say which file has a row, and `holders` has the file of each column; the
    weight's is under None.
    """

    columns: Mapping[Any, Column]
    names: Sequence[Sequence[Any]]
    weight: Column | None = None
    holders: Mapping[Any, int] = field(default_factory=dict)
    more: Sequence[tuple[str, ...]] = ()

    def raw(self, names: Sequence[Any]) -> tuple[str, ...]:
        """A set of columns as SQL knows them, with the files that must have the row."""
        places = {name: f"k{at}" for at, name in enumerate(self.columns)}
        held = {f"h{self.holders[name]}" for name in (*names, None) if name in self.holders}
        return tuple(sorted({places[name] for name in names} | held))

    @property
    def sets(self) -> list[tuple[str, ...]]:
        """Every set once, as SQL knows it."""
        return [*dict.fromkeys(map(self.raw, self.names)), *self.more]

    def _mark(self, one: tuple[str, ...]) -> int:
        """What GROUPING_ID says of a set: a bit for every name that is not in it."""
        every = self._every()
        return sum((name not in one) << (len(every) - 1 - at) for at, name in enumerate(every))

    def _every(self) -> list[str]:
        return sorted({name for one in self.sets for name in one})

    def stage(self, opened: Session, query: Query, size: int, *, checked: bool = False) -> None:
        """Group the rows of a query into the temporary table g; checked, its z is summed."""
        every = ", ".join(self._every())
        sums = ["count(*) AS n", "sum(z) AS z" if checked else "0 AS z"]
        if self.weight is not None:
            sums += _weighed(f"k{len(self.columns)}", self.weight)
        sets = self.sets
        mark, grouped = "0", every
        if len(sets) > 1:
            mark = f"grouping_id({every})"
            grouped = f"GROUPING SETS ({', '.join('(' + ', '.join(one) + ')' for one in sets)})"
        made = f"CREATE TEMP TABLE g AS SELECT {every}, {mark} AS s, {', '.join(sums)} "
        opened.run(f"{made} FROM ({query[0]}) GROUP BY {grouped}", query[1], size)

    def total(
        self, opened: Session, column: str, one: tuple[str, ...] | None = None, where: str = "true"
    ) -> int:
        """The sum of n or z over the rows of a set, the first one by default."""
        sql = f"SELECT coalesce(sum({column}), 0)::VARCHAR FROM g "
        sql += f"WHERE s = {self._mark(one or self.sets[0]):d} AND {where}"
        return int(opened.rows(sql)[0][0])

    def fetch(
        self, opened: Session, names: Sequence[Any], most: int | None
    ) -> GroupedCounts | None:
        """The groups of a set; None if there are more than `most`."""
        raw = self.raw(names)
        held = [name for name in raw if name.startswith("h")]
        where = " AND ".join([f"s = {self._mark(raw):d}", *held])
        if most is not None and opened.rows(f"SELECT count(*) FROM g WHERE {where}")[0][0] > most:
            return None
        places = {name: at for at, name in enumerate(self.columns)}
        chosen = [self.columns[name].fetched.replace("{}", f"k{places[name]}") for name in names]
        weights = [] if self.weight is None else WEIGHED
        sql = f"SELECT {', '.join([*chosen, 'n', *weights])} FROM g WHERE {where}"
        found = opened.gather(sql, len(names) + 1 + len(weights))
        keys = {
            name: self.columns[name].keys(values)
            for name, values in zip(names, found, strict=False)
        }
        counts = np.asarray(found[len(names)], np.int64)
        if self.weight is None:
            return GroupedCounts(keys, counts)
        return GroupedCounts(keys, counts, *_weights(self.weight, counts, found[len(names) + 1 :]))

    def absent(self) -> str:
        """The condition that a row of the first set has none of its columns."""
        return " AND ".join(f"{name} IS NULL" for name in self.sets[0])


def _weighed(place: str, column: Column) -> list[str]:
    """The sums of a column of weights."""
    from clustervet.frames.columns import Form

    known = (Form.whole, Form.real, Form.boolean, Form.number, Form.delimited, Form.json)
    if column.form not in known:
        raise LabelError(f"{column.what} holds {column.form}, not weights.")
    text = f"CAST({place} AS VARCHAR)"
    # A bare TRY_CAST moves into the engine's reader of CSV and fails there.
    number = f"CASE WHEN {place} IS NOT NULL THEN TRY_CAST({text} AS DOUBLE) END"
    whole = (
        f"TRY_CAST({text} AS HUGEINT)"
        if column.form is Form.whole
        else f"CASE WHEN {number} = trunc({number}) THEN TRY_CAST({number} AS HUGEINT) END"
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
    column: Column, counts: NDArray[np.int64], found: Sequence[Any]
) -> tuple[NDArray[Any], bool]:
    """Sums of weights, and whether any weight was no whole number."""
    whole, total, parts, given, least, greatest, wrong = found
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
