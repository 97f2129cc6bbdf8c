"""Mean distances of pairs of points within clusters and between them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import UndefinedError
from clustervet.geometry import Geometry
from clustervet.internal.common import ratio
from clustervet.registry import Estimate

# Pairs whose distances are computed at once.
BATCH = 50_000


def exact_means(geometry: Geometry) -> tuple[float, float]:
    """Mean distance over all pairs in one cluster, and over all pairs in two clusters."""
    sizes = [int(size) for size in geometry.sizes]
    inside = sum(math.comb(size, 2) for size in sizes)
    across = math.comb(geometry.n, 2) - inside
    if geometry.metric.squares:
        within, between = _squared_totals(geometry)
    else:
        sums = geometry.pair_sums
        within, between = float(sums.own.sum()) / 2, sums.between
    return within / inside, between / across


def _squared_totals(geometry: Geometry) -> tuple[float, float]:
    """Totals of squared distances within and between clusters, from centroids alone.

    Over pairs in cluster k they sum to n_k W_k, over pairs in two clusters to
    sum_k W_k (n - n_k) + n B. A row of zeros is at distance 1 under "cosine".
    """
    sums = geometry.squared
    full, blank = sums.full.astype(float), sums.blank.astype(float)
    count = full.sum()
    steps = sums.means.from_first()
    steps -= (full @ steps) / max(count, 1)
    spread = float(full @ (steps**2).sum(axis=1))
    within = sums.factor * float(full @ sums.within)
    between = sums.factor * (float(sums.within @ (count - full)) + count * spread)
    blank_within = float((blank * full + blank * (blank - 1) / 2).sum())
    zeros = blank.sum()
    blank_all = zeros * count + zeros * (zeros - 1) / 2
    return within + blank_within, between + (blank_all - blank_within)


def sampled_means(geometry: Geometry, pairs: int, rng: np.random.Generator) -> float:
    """The ratio of mean distances from drawn pairs, half within and half between clusters."""
    inside = _distances(geometry, *_pairs_within(geometry, pairs // 2, rng))
    across = _distances(geometry, *_pairs_between(geometry, pairs - pairs // 2, rng))
    intra, inter = float(inside.mean()), float(across.mean())
    found = ratio(intra, inter, "all points drawn lie in one place")
    if not math.isfinite(found):
        raise UndefinedError("all pairs drawn between clusters are at distance 0")
    # The variance of a quotient of independent means, to first order.
    errors = [float(x.std(ddof=1)) / math.sqrt(len(x)) for x in (inside, across)]
    error = math.hypot(errors[0], found * errors[1]) / inter
    return Estimate(found, standard_error=error, sample=pairs)


Places = NDArray[np.int64]


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
    clusters = _drawn(sizes * (geometry.n - sizes), count, rng)
    start, size = geometry.starts[clusters], geometry.sizes[clusters]
    one = start + rng.integers(0, size)
    other = rng.integers(0, geometry.n - size)
    other += np.where(other >= start, size, 0)
    return one, other


def _drawn(weights: NDArray[np.float64], count: int, rng: np.random.Generator) -> Places:
    edges = np.cumsum(weights)
    return np.asarray(np.searchsorted(edges, rng.random(count) * edges[-1], side="right"))


def _distances(geometry: Geometry, rows: Places, others: Places) -> NDArray[np.float64]:
    parts = [
        geometry.paired(rows[at : at + BATCH], others[at : at + BATCH])
        for at in range(0, len(rows), BATCH)
    ]
    return np.concatenate(parts)
