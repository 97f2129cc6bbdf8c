"""How the time grows with the size: the slope of a line through logarithms, beside theory.

One thing grows and the others stay. The slope is fitted to the larger sizes, where fixed costs no
longer count; a slope of 1 means that twice the size takes twice the time. Theory is a lower limit
for n, cells and pairs of labelings, which must all be visited. For pairs of points it is what an
exact value costs without an index of the points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import clustervet as cv
from harness import Row, Scale, limit, timed
from labels import SEED, moved

# How far above theory a slope may be: caches that overflow make large sizes slower.
LEEWAY = 0.25
# The share of the sizes, the largest, that a slope is fitted to.
FITTED = 0.6
# Runs of one size, of which the quickest counts, unless they take longer than this many seconds.
RUNS, LONG = 3, 2.0
Call = Callable[[], Any]


@dataclass(frozen=True)
class Growth:
    """What is called, what grows, the slope of theory, and how a call of one size is made."""

    what: str
    axis: str
    theory: float
    sizes: tuple[int, ...]
    make: Callable[[int], Call]


def run(scale: Scale) -> Iterator[Row]:
    """One row per thing that grows."""
    for case in cases():
        sizes = case.sizes if scale.is_full else case.sizes[:3]
        curve = []
        for size in sizes:
            call = case.make(size)
            call()  # compiles the loops if necessary
            curve.append((float(size), best(call)))
        chosen = np.log(curve[-max(2, round(FITTED * len(curve))) :])
        slope = float(np.polyfit(chosen[:, 0], chosen[:, 1], 1)[0])
        yield Row(
            what=case.what,
            size=f"{case.axis}: {sizes[0]:,} to {sizes[-1]:,}",
            peer="theory",
            ours=slope,
            theirs=case.theory,
            unit="slope",
            goal=limit(case.theory + LEEWAY),
            curve=tuple(curve),
        )


def best(call: Call) -> float:
    """Seconds of the quickest of several runs."""
    spent: list[float] = []
    while len(spent) < RUNS and sum(spent) < LONG:
        spent.append(timed(call)[0])
    return min(spent)


def cases() -> list[Growth]:
    """Objects, clusters, cells, labelings and points, one at a time."""
    rng = np.random.default_rng(SEED)

    def labels(n: int, clusters: int) -> Call:
        truth, pred = moved(n, clusters)
        return lambda: cv.adjusted_rand(truth, pred)

    def information(clusters: int) -> Call:
        truth, pred = moved(1_000_000, clusters)
        table = cv.Contingency.from_labels(truth, pred)
        return lambda: cv.adjusted_mutual_information(table.with_values(table.cells.values))

    def filled(cells: int) -> cv.Contingency:
        side = round((4 * cells) ** 0.5)
        places = np.unique(rng.integers(0, side * side, cells))
        rows, cols = np.unique(places // side), np.unique(places % side)
        pairs = np.searchsorted(rows, places // side), np.searchsorted(cols, places % side)
        counts = rng.integers(1, 100, len(places))
        return cv.Contingency.from_labels(*pairs, weights=counts)

    def everything(cells: int) -> Call:
        table, asked = filled(cells), ["vi", "nmi", "purity", "bcubed_f1", "rand", "dom_q0"]
        return lambda: cv.external_scores(table.with_values(table.cells.values), measures=asked)

    def interval(cells: int) -> Call:
        table = filled(cells)
        return lambda: cv.confidence_interval("vi", table)

    def matrix(many: int) -> Call:
        found = [rng.integers(0, 10, 100_000) for _ in range(many)]
        return lambda: cv.distance_matrix(found, n_jobs=-1)

    def points(measure: Any) -> Callable[[int], Call]:
        def make(n: int) -> Call:
            features, groups = rng.normal(size=(n, 4)), rng.integers(0, 10, n)
            return lambda: measure(features, groups)

        return make

    many = tuple(10_000 * 4**k for k in range(6))
    return [
        Growth("adjusted_rand", "objects", 1, many, lambda n: labels(n, 100)),
        Growth("adjusted_mutual_information", "clusters", 2, (63, 125, 250, 500), information),
        Growth("six external measures", "cells", 1, many[:-2], everything),
        Growth("interval of vi", "cells", 1, many[:-2], interval),
        Growth("distance_matrix", "labelings", 2, (25, 50, 100, 200), matrix),
        Growth("silhouette", "points", 2, (10_000, 20_000, 40_000), points(cv.silhouette)),
        Growth("calinski_harabasz", "points", 1, many, points(cv.calinski_harabasz)),
    ]
