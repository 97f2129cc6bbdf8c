"""Pairs of points in one cluster and in two: all of them, or some that are drawn."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import one_of, whole
from clustervet._memory import need
from clustervet._progress import ticking
from clustervet.errors import ParameterError
from clustervet.geometry import Geometry

# By default all pairs of points count up to this many of them; beyond, this many are drawn.
EXACT_PAIRS = 50_000_000
DRAWN_PAIRS = 1_000_000
# Pairs whose distances are computed at once.
BATCH = 50_000
# Largest number of distances of a block.
BLOCK = 2**20
DRAWS = ("halves", "simple")
Floats = NDArray[np.float64]
Places = NDArray[np.int64]
NumberOfPairs = int | Literal["all"] | None


def number_of_pairs(geometry: Geometry, pairs: Any, draw: str = "halves") -> int | None:
    """The number of pairs to draw, or None for all pairs."""
    one_of(draw, "draw", DRAWS)
    if pairs is None:
        return None if math.comb(geometry.rows, 2) <= EXACT_PAIRS else DRAWN_PAIRS
    if isinstance(pairs, str):
        if pairs == "all":
            return None
        raise ParameterError(f"pairs must be 'all' or the number to draw, not {pairs!r}.")
    return whole(pairs, "pairs", 4)


def all_pairs(geometry: Geometry) -> tuple[NDArray[Any], NDArray[Any]]:
    """Distances of all pairs of points in one cluster, and of all pairs in two."""
    n, ends = geometry.rows, geometry.starts[1:][geometry.sorted_codes]
    inside = sum(math.comb(int(size), 2) for size in geometry.sizes)
    total = math.comb(n, 2)
    need(16 * total, f"the distances of {total:,} pairs of points", "draw some with pairs=")
    step = max(1, BLOCK // n)
    found = np.empty(total, geometry.tile(np.arange(1), 0, 1).dtype)
    at, to = 0, inside
    with ticking(n, "points") as tick:
        for first in range(0, n, step):
            rows = np.arange(first, min(n, first + step))
            tile = geometry.tile(rows, first, n)
            for row, place in enumerate(rows.tolist()):
                same, other = int(ends[place]) - place - 1, n - int(ends[place])
                found[at : at + same] = tile[row, row + 1 : row + 1 + same]
                found[to : to + other] = tile[row, row + 1 + same :]
                at, to = at + same, to + other
                tick()
    return found[:inside], found[inside:]


def drawn_pairs(
    geometry: Geometry, count: int, draw: str, rng: np.random.Generator
) -> tuple[tuple[Places, Places], tuple[Places, Places]]:
    """Drawn pairs of points within clusters, and between them."""
    geometry.need_no_weights("a sample of pairs")
    if draw == "halves":
        within = _pairs_within(geometry, count // 2, rng)
        return within, _pairs_between(geometry, count - count // 2, rng)
    one = rng.integers(0, geometry.rows, count)
    other = rng.integers(0, geometry.rows - 1, count)
    other += other >= one
    same = geometry.sorted_codes[one] == geometry.sorted_codes[other]
    return (one[same], other[same]), (one[~same], other[~same])


def _pairs_within(
    geometry: Geometry, count: int, rng: np.random.Generator
) -> tuple[Places, Places]:
    sizes = geometry.sizes.astype(float)
    clusters = _drawn(sizes * (sizes - 1), count, rng)
    start, size = geometry.starts[clusters], geometry.sizes[clusters]
    one = rng.integers(0, size)
    other = rng.integers(0, size - 1)
    other += other >= one
    return start + one, start + other


def _pairs_between(
    geometry: Geometry, count: int, rng: np.random.Generator
) -> tuple[Places, Places]:
    sizes = geometry.sizes.astype(float)
    clusters = _drawn(sizes * (geometry.rows - sizes), count, rng)
    start, size = geometry.starts[clusters], geometry.sizes[clusters]
    one = start + rng.integers(0, size)
    other = rng.integers(0, geometry.rows - size)
    other += np.where(other >= start, size, 0)
    return one, other


def _drawn(weights: Floats, count: int, rng: np.random.Generator) -> Places:
    """Clusters drawn by weight; none where no cluster has any."""
    edges = np.cumsum(weights)
    count = count if edges[-1] else 0
    return np.asarray(np.searchsorted(edges, rng.random(count) * edges[-1], side="right"))


def distances_of(geometry: Geometry, rows: Places, others: Places) -> Floats:
    """Distances of pairs of points."""
    parts = [
        geometry.paired(rows[at : at + BATCH], others[at : at + BATCH])
        for at in range(0, len(rows), BATCH)
    ]
    return np.concatenate(parts)
