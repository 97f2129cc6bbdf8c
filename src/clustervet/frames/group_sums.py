"""Sums of features by cluster, added where the rows are: one row a cluster comes home.

Squares of large numbers that differ little lose their digits, so sums are taken about a shift.
The first rows give one shift for all clusters. Where a cluster still lies so far from it that
its squares would cancel, the engine adds once more, about each cluster's own mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import FeatureError, LabelError
from clustervet.frames.narwhal import Held, whole
from clustervet.frames.rows import (
    LARGEST,
    floats,
    pick,
    read_names,
    weight_columns,
    weight_sums,
)
from clustervet.labels import read_labels, show_label

Floats = NDArray[np.float64]
# Rows whose mean is the shift.
FIRST_ROWS = 1_000
# Squares about the shift may be so many times those about the mean: engines add without
# compensation, good to about 1e-13, and twelve digits less three are nine.
CANCELLING = 1e3


@dataclass(frozen=True)
class GroupSums:
    """What an engine sends home of each group of rows with one label.

    A mean is `anchors` + `offsets`; `scatter` sums squares of steps from it, `cross` products of
    such steps, and `distances` their lengths. `sizes` are points, `counts` are rows.
    """

    labels: Any  # whatever `read_labels` takes
    counts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    anchors: Floats
    offsets: Floats
    scatter: Floats
    cross: Floats | None = None
    distances: Floats | None = None


def group_sums(
    frame: Any,
    *,
    label: str,
    features: Sequence[str],
    cross: bool = False,
    spreads: bool = False,
    weights: str | None = None,
) -> GroupSums:
    """Sums of features by label, in one aggregate, or in two where one would lose digits.

    >>> import duckdb
    >>> frame = duckdb.sql("SELECT i % 2 AS c, 1e9 + i AS x FROM range(4) AS t(i)")
    >>> sums = group_sums(frame, label="c", features=["x"])
    >>> sums.counts.tolist(), sums.scatter.tolist()
    ([2, 2], [[2.0], [2.0]])
    """
    query = _Query.of(frame, label, features, weights)
    shift = query.first_mean()
    query = query.shifted(shift)
    found = _about_shift(query, shift, cross and not spreads)
    if spreads or _cancels(found):
        found = _about_means(query, shift, found, cross=cross, spreads=spreads)
    return found[0]


@dataclass(frozen=True)
class _Query:
    """The rows in their engine, and the names of what is summed."""

    held: Held
    rows: Any
    features: list[str]
    weighs: bool = False

    @classmethod
    def of(cls, frame: Any, label: str, features: Sequence[str], weights: str | None) -> _Query:
        names = read_names(features, label, weights)
        held, schema, columns = pick(frame, label, names, weights)
        if weights is not None:
            columns += weight_columns(schema["weight"])
        return cls(held, held.frame.with_columns(*columns), names, weights is not None)

    @property
    def d(self) -> int:
        return len(self.features)

    def first_mean(self) -> Floats:
        """The mean of the first rows; 0 where they hold no number."""
        import narwhals as nw

        means = [nw.col(f"f{j}").mean() for j in range(self.d)]
        home = self.held.collect(self.rows.head(FIRST_ROWS).select(*means))
        found = np.array([floats(home[f"f{j}"])[0] for j in range(self.d)])
        # Few digits, so that differences from it are exact.
        with np.errstate(over="ignore"):
            short = found.astype(np.float32).astype(np.float64)
        short = np.where(np.isfinite(short), short, found)
        return np.where(np.abs(short) < LARGEST, short, 0.0)

    def shifted(self, shift: Floats) -> _Query:
        """The same with features less a shift as y0, y1, ..."""
        import narwhals as nw

        steps = [(nw.col(f"f{j}") - float(shift[j])).alias(f"y{j}") for j in range(self.d)]
        return replace(self, rows=self.rows.with_columns(*steps))

    def weighed(self, value: Any) -> Any:
        """A value a row, times the row's weight."""
        import narwhals as nw

        return value * nw.col("weight") if self.weighs else value

    def products(self, name: str, *, cross: bool) -> dict[str, Any]:
        """Columns to be summed for means and (co)variances of the columns name0, name1, ..."""
        import narwhals as nw

        one = [nw.col(f"{name}{j}") for j in range(self.d)]
        made = {f"s{j}": self.weighed(column) for j, column in enumerate(one)}
        made |= {f"q{j}": self.weighed(column * column) for j, column in enumerate(one)}
        if cross:
            made |= {
                f"p{i}_{j}": self.weighed(one[i] * one[j])
                for i, j in combinations(range(self.d), 2)
            }
        return made

    def sums(self, rows: Any, made: dict[str, Any], *more: Any) -> dict[str, Any]:
        """Sums of made columns by label, at home."""
        import narwhals as nw

        grouped = rows.with_columns(*(column.alias(name) for name, column in made.items()))
        added = [nw.col(name).sum() for name in made]
        if self.weighs:
            weight = nw.col("weight")
            more = (
                *more,
                weight.count().alias("given"),
                weight.min().alias("least"),
                weight.sum().alias("total"),
                nw.col("parts").sum(),
            )
        grouped = grouped.group_by("label", drop_null_keys=False)
        return self.held.collect(grouped.agg(nw.len().alias("rows"), *added, *more))

    def sizes(self, home: dict[str, Any]) -> NDArray[np.int64]:
        """How many points each group that came home stands for."""
        return weight_sums(home) if self.weighs else whole(home["rows"])


Found = tuple[GroupSums, Floats]  # and the squares about the point the sums were taken about


def _about_shift(query: _Query, shift: Floats, cross: bool) -> Found:
    import narwhals as nw

    checks = []
    for j in range(query.d):
        column = nw.col(f"f{j}")
        checks += [
            column.count().alias(f"n{j}"),
            column.min().alias(f"l{j}"),
            column.max().alias(f"h{j}"),
        ]
    home = query.sums(query.rows, query.products("y", cross=cross), *checks)
    counts = whole(home["rows"])
    if not counts.sum():
        raise LabelError("the frame has no rows to sum; at least one point is needed.")
    _check_features(home, counts, query.features)
    sizes = query.sizes(home)
    low, high = (_table(home, name, query.d) for name in "lh")
    found = _centered(home, sizes, np.tile(shift, (len(counts), 1)), cross)
    # A feature that is constant in a cluster is known exactly.
    still = low == high
    found[0].anchors[still] = low[still]
    found[0].offsets[still] = 0.0
    found[0].scatter[still] = 0.0
    found[1][still] = 0.0
    if found[0].cross is not None:
        found[0].cross[still[:, :, None] | still[:, None, :]] = 0.0
    return found


def _cancels(found: Found) -> bool:
    sums, squares = found
    return bool((squares > CANCELLING * sums.scatter).any())


def _about_means(
    query: _Query, shift: Floats, first: Found, *, cross: bool, spreads: bool
) -> Found:
    """The sums about each cluster's own mean, which the engine computes and joins to its rows."""
    import narwhals as nw

    places = range(query.d)
    rows = query.rows.join(_means(query, shift), on="label", how="left")
    # Rows without a label meet no mean in a join.
    absent = _missing_mean(first[0])
    known = [
        nw.when(nw.col(f"c{j}").is_null()).then(float(absent[j])).otherwise(nw.col(f"c{j}"))
        for j in places
    ]
    rows = rows.with_columns(*(column.alias(f"c{j}") for j, column in enumerate(known)))
    rows = rows.with_columns(*((nw.col(f"f{j}") - nw.col(f"c{j}")).alias(f"z{j}") for j in places))
    made = query.products("z", cross=cross)
    if spreads:
        squares = _added([nw.col(f"z{j}") * nw.col(f"z{j}") for j in places])
        made["r"] = query.weighed(squares**0.5)
    more = [nw.col(f"c{j}").min() for j in places]
    home = query.sums(rows, made, *more)
    found, about_means = _centered(home, query.sizes(home), _table(home, "c", query.d), cross)
    if spreads:
        found = replace(found, distances=floats(home["r"]))
    return found, about_means


def _means(query: _Query, shift: Floats) -> Any:
    """The mean of each cluster, in the engine; the value itself where a feature is constant."""
    import narwhals as nw

    places = range(query.d)
    rows = query.rows.with_columns(
        *(query.weighed(nw.col(f"y{j}")).alias(f"s{j}") for j in places),
        query.weighed(nw.lit(1.0)).alias("w"),
    )
    sums = [nw.col("w").sum()]
    for j in places:
        sums += [nw.col(f"s{j}").sum(), nw.col(f"f{j}").min(), nw.col(f"f{j}").max().alias(f"h{j}")]
    grouped = rows.group_by("label", drop_null_keys=False).agg(*sums)
    means = []
    for j in places:
        mean = nw.when(nw.col("w") > 0).then(nw.col(f"s{j}") / nw.col("w") + float(shift[j]))
        still = nw.col(f"f{j}") == nw.col(f"h{j}")
        means.append(nw.when(still).then(nw.col(f"f{j}")).otherwise(mean).alias(f"c{j}"))
    return grouped.select("label", *means)


def _added(columns: list[Any]) -> Any:
    """A sum as a shallow tree of two at a time: engines bound how deep an expression may be."""
    half = len(columns) // 2
    return columns[0] if not half else _added(columns[:half]) + _added(columns[half:])


def _missing_mean(sums: GroupSums) -> Floats:
    gone = read_labels(sums.labels).missing
    at = 0 if gone is None else int(np.argmax(gone))
    return np.asarray(sums.anchors[at] + sums.offsets[at])


def _centered(
    home: dict[str, Any], sizes: NDArray[np.int64], anchors: Floats, cross: bool
) -> Found:
    """Sums about some point as means, and squares about those."""
    d = anchors.shape[1]
    divisor = np.maximum(sizes, 1)[:, None]
    sums, squares = _table(home, "s", d), _table(home, "q", d)
    steps = sums / divisor
    scatter = np.maximum(squares - sums * steps, 0.0)
    products = None
    if cross:
        products = np.zeros((len(sums), d, d))
        products[:, np.arange(d), np.arange(d)] = scatter
        for i, j in combinations(range(d), 2):
            products[:, i, j] = floats(home[f"p{i}_{j}"]) - sums[:, i] * steps[:, j]
            products[:, j, i] = products[:, i, j]
    counts = whole(home["rows"])
    return GroupSums(home["label"], counts, sizes, anchors, steps, scatter, products), squares


def _check_features(home: dict[str, Any], counts: NDArray[np.int64], names: list[str]) -> None:
    for j, name in enumerate(names):
        shown = f"column {show_label(name)!r}"
        absent = int(counts.sum() - whole(home[f"n{j}"]).sum())
        if absent:
            raise FeatureError(
                f"{shown} has {absent:,} missing or NaN value{'s' if absent > 1 else ''}; drop or "
                "fill such rows first."
            )
        ends = np.abs([floats(home[f"l{j}"]), floats(home[f"h{j}"])])
        if np.isinf(ends).any():
            raise FeatureError(f"{shown} must be finite; it holds an infinite value.")
        if ends.max() >= LARGEST:
            raise FeatureError(f"{shown} holds values beyond {LARGEST:g}, too large to square.")


def _table(home: dict[str, Any], name: str, width: int) -> Floats:
    return np.stack([floats(home[f"{name}{j}"]) for j in range(width)], axis=1)
