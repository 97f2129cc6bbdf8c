"""Centroids and squared distances to them: sums over points, never over pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet import _kernels
from clustervet.geometry.metrics import Metric
from clustervet.geometry.points import is_sparse
from clustervet.geometry.sources import CLOSE

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]
# Points a thread at least.
GRAIN = 20_000


def centroids(points: Any, codes: Labels, sizes: NDArray[np.int64]) -> Floats:
    """Mean of each cluster.

    Dense sums are taken about a point of the data, so that a far origin costs no digits.
    """
    shape = (len(sizes), points.shape[1])
    if is_sparse(points):
        sums = np.zeros(shape)
        _kernels.sparse_sums(points.data, points.indices, points.indptr, codes, 0, len(codes), sums)
        return sums / sizes[:, None]
    shift = points[: min(len(points), 1_000)].mean(axis=0, dtype=np.float64)

    def part(first: int, last: int) -> Floats:
        sums = np.zeros(shape)
        _kernels.dense_sums(points, codes, first, last, shift, sums)
        return sums

    parts = _kernels.run(part, _kernels.ranges(len(codes), GRAIN))
    return shift + sum(parts) / sizes[:, None]  # type: ignore[no-any-return]  # arrays


def scatter(points: Any, codes: Labels, means: Floats) -> tuple[Floats, Floats]:
    """Squared distances to the centroids and distances to them, summed by cluster."""
    clusters = len(means)

    def part(first: int, last: int) -> tuple[Floats, Floats]:
        squares, distances = np.zeros(clusters), np.zeros(clusters)
        if is_sparse(points):
            found = to_own(points, codes, means, first, last)
            np.add.at(squares, codes[first:last], found)
            np.add.at(distances, codes[first:last], np.sqrt(found))
        else:
            _kernels.dense_scatter(points, codes, first, last, means, squares, distances)
        return squares, distances

    parts = _kernels.run(part, _kernels.ranges(len(codes), GRAIN))
    return sum(squares for squares, _ in parts), sum(distances for _, distances in parts)


def to_own(points: Any, codes: Labels, means: Floats, first: int, last: int) -> Floats:
    """Squared distances of some points to their own centroids."""
    return _kernels.sparse_to_own(  # type: ignore[no-any-return]  # compiled
        points.data,
        points.indices,
        points.indptr,
        codes,
        first,
        last,
        means,
        (means**2).sum(axis=1),
        CLOSE,
    )


def to_centroids(points: Any, means: Floats, first: int, last: int) -> Floats:
    """Squared distances of the points first..last to every centroid."""
    out = np.empty((last - first, len(means)))
    by_feature = np.ascontiguousarray(means.T)
    if is_sparse(points):
        norms = (means**2).sum(axis=1)
        _kernels.sparse_to_centroids(
            points.data, points.indices, points.indptr, first, last, by_feature, norms, CLOSE, out
        )
    else:
        _kernels.dense_to_centroids(points, first, last, by_feature, out)
    return out


def unit_rows(points: Any) -> Any:
    """Rows scaled to length one; rows of zeros stay zero."""
    if is_sparse(points):
        lengths = np.sqrt(np.asarray(points.multiply(points).sum(axis=1), np.float64).ravel())
        scaled = points.astype(np.float64)
        scaled.data /= np.repeat(np.where(lengths > 0, lengths, 1), np.diff(points.indptr))
        return scaled
    largest = np.abs(points).max(axis=1, keepdims=True).astype(np.float64)
    scaled = points / np.where(largest > 0, largest, 1)
    lengths = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))[:, None]
    return scaled / np.where(lengths > 0, lengths, 1)


@dataclass(frozen=True, slots=True)
class SquaredSums:
    """Sums over clusters of a metric that is a squared Euclidean distance, times a factor.

    The sum over a cluster is size |x - mean|² + the cluster's own sum of squares. Under
    "cosine" a row of zeros is at distance 1 from every other point.
    """

    points: Any
    means: Floats
    within: Floats
    full: NDArray[np.int64]
    blank: NDArray[np.int64]
    is_blank: NDArray[np.bool_]
    codes: Labels
    factor: float

    def of(self, rows: NDArray[np.int64]) -> Floats:
        """Summed distances of some points, by row as given, to every cluster."""
        points = self.points[rows]
        squares = to_centroids(points, self.means, 0, len(rows))
        sums = self.factor * (self.full * squares + self.within) + self.blank
        zeros = self.is_blank[rows]
        if zeros.any():
            sums[zeros] = self.full + self.blank
            sums[zeros, self.codes[rows][zeros]] -= 1  # a point is at distance 0 from itself
        return np.asarray(sums)


def squared_sums(
    points: Any, codes: Labels, sizes: NDArray[np.int64], metric: Metric
) -> SquaredSums:
    """What squared distances to clusters need, in one pass over the points."""
    blank = np.zeros(len(codes), np.bool_)
    if metric.name == "cosine":
        squares = (
            points.multiply(points).sum(axis=1) if is_sparse(points) else (points**2).sum(axis=1)
        )
        blank = np.asarray(squares).ravel() == 0
    zeros = np.bincount(codes[blank], minlength=len(sizes))
    full = sizes - zeros
    means = centroids(points, codes, sizes)
    if zeros.any():
        means *= (sizes / np.maximum(full, 1))[:, None]
        kept = ~blank
        within = scatter(points[kept], codes[kept], means)[0]
    else:
        within = scatter(points, codes, means)[0]
    return SquaredSums(points, means, within, full, zeros, blank, codes, metric.squares)
