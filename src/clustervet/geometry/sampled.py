"""The silhouette of clusters of which only a sample of points is known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.registry import Estimate

Floats = NDArray[np.float64]
# Largest number of parts of a sample that are left out in turn.
PARTS = 20
# Largest number of values of a block.
BLOCK = 2**22


def sampled_silhouette(
    points: Floats, codes: NDArray[np.int64], sizes: NDArray[np.int64], *, squared: bool = False
) -> Estimate:
    """The mean silhouette from points drawn by cluster, in random order within each.

    Mean distances to clusters come from the sample too, so the errors of points are not
    independent. The standard error is therefore that of the jackknife that leaves out one part of
    the whole sample at a time (Kott 2001), with a correction for sampling a finite population.
    Clusters are weighted by their true sizes.

    >>> x = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> sampled_silhouette(x, np.array([0, 0, 1, 1]), np.array([2, 2]))
    0.899749373433584 ± 0
    """
    k = len(sizes)
    held = np.bincount(codes, minlength=k)
    drawn = held < sizes
    parts = max(2, min(PARTS, int(held[drawn].min()) // 2)) if drawn.any() else 0
    part = np.where(drawn[codes], _ranks(codes, k) % max(parts, 1), -1)
    whole, without = np.zeros(k), np.zeros((parts, k))
    for first in range(0, len(points), _rows(len(points), k, parts)):
        block = slice(first, first + _rows(len(points), k, parts))
        sums = _sums(points[block], points, codes, part, k, parts, squared)
        own = codes[block]
        total = sums.sum(axis=2)
        whole += np.bincount(own, _widths(total, held, own, sizes), k)
        for g in range(parts):
            left = part[block] != g
            fewer = held - np.bincount(codes[part == g], minlength=k)
            widths = _widths((total - sums[:, :, g])[left], fewer, own[left], sizes)
            without[g] += np.bincount(own[left], widths, k)
    shares = sizes / sizes.sum()
    value = float(shares @ (whole / held))
    if not parts:
        return Estimate(value, standard_error=0.0, sample=len(points))
    fewer = np.array([held - np.bincount(codes[part == g], minlength=k) for g in range(parts)])
    again = (without / fewer) @ shares
    variance = (parts - 1) / parts * float(((again - again.mean()) ** 2).sum())
    census = 1 - float((held / sizes).min())
    error = math.sqrt(variance * census)
    return Estimate(value, standard_error=error, sample=len(points), degrees=parts - 1)


def _rows(points: int, clusters: int, parts: int) -> int:
    """Number of points whose sums and distances are computed at once."""
    return max(1, BLOCK // max(points, clusters * (parts + 1)))


def _ranks(codes: NDArray[np.int64], clusters: int) -> NDArray[np.int64]:
    """The position of each point within its cluster."""
    order = np.argsort(codes, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=clusters))[:-1]])
    ranks = np.empty(len(codes), np.int64)
    ranks[order] = np.arange(len(codes)) - starts[codes[order]]
    return ranks


def _sums(
    rows: Floats,
    points: Floats,
    codes: NDArray[np.int64],
    part: NDArray[np.int64],
    clusters: int,
    parts: int,
    squared: bool,
) -> Floats:
    """Summed distances of some points to each part of each cluster; points in no part come last."""
    from scipy.sparse import csr_array
    from scipy.spatial.distance import cdist

    width = parts + 1
    cells = codes * width + np.where(part < 0, parts, part)
    ones: Any = csr_array(
        (np.ones(len(cells)), (cells, np.arange(len(cells)))), shape=(clusters * width, len(cells))
    )
    distances = cdist(rows, points, "sqeuclidean" if squared else "euclidean")
    return np.asarray((ones @ distances.T).T).reshape(len(rows), clusters, width)


def _widths(
    sums: Floats, held: NDArray[np.int64], own: NDArray[np.int64], sizes: NDArray[np.int64]
) -> Floats:
    """(b - a) / max(a, b) of points; 0 for a point alone and where both distances are 0."""
    rows = np.arange(len(own))
    inside = sums[rows, own] / np.maximum(held[own] - 1, 1)
    means = sums / held
    means[rows, own] = np.inf
    nearest = means.min(axis=1)
    scale = np.maximum(inside, nearest)
    defined = (sizes[own] > 1) & (scale > 0)
    return np.where(defined, (nearest - inside) / np.where(defined, scale, 1), 0.0)
