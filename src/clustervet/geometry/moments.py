"""Centroids and squared distances to them: sums over points, never over pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet import _kernels
from clustervet._kernels.patience import is_little
from clustervet._memory import need
from clustervet.errors import FeatureError, UndefinedError
from clustervet.geometry.metrics import Metric
from clustervet.geometry.points import even_rows, is_sparse
from clustervet.geometry.sources import CLOSE, FEW_VALUES
from clustervet.labels.codes import first_places

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]
# Share of a sum of weights up to which a difference is rounding.
ROUNDED = 1e-12
# Least number of points per thread.
GRAIN = 20_000


@dataclass(frozen=True, slots=True)
class Centers:
    """Centroids as a point of each cluster (its anchor) and the step from it to the mean.

    Points of a cluster lie near its anchor, so their differences are exact. Neither an origin far
    away nor clusters far apart cost precision. Sparse points have the origin as their anchor.
    """

    anchors: Floats
    offsets: Floats

    @property
    def values(self) -> Floats:
        """The centroids."""
        return self.anchors + self.offsets

    def from_first(self) -> Floats:
        """Steps from the first anchor to each centroid."""
        return np.asarray((self.anchors - self.anchors[0]) + self.offsets)

    def squares(self, points: Any, first: int, last: int) -> Floats:
        """Squared distances of the points first..last to every centroid."""
        out = np.empty((last - first, len(self.anchors)))
        if _is_few(points, len(self.anchors)):
            some = _dense(points[first:last])
            for c, (anchor, offset) in enumerate(zip(self.anchors, self.offsets, strict=True)):
                steps = (some - anchor) - offset
                out[:, c] = np.einsum("ij,ij->i", steps, steps)
            return out
        anchors, offsets = (np.ascontiguousarray(x.T) for x in (self.anchors, self.offsets))
        if is_sparse(points):
            norms = (self.offsets**2).sum(axis=1)
            _kernels.sparse_to_centroids(
                points.data, points.indices, points.indptr, first, last, offsets, norms, CLOSE, out
            )
        else:
            _kernels.dense_to_centroids(points, first, last, anchors, offsets, out)
        return out

    def apart(self, first: int, last: int) -> Floats:
        """Distances of the centroids first..last to every centroid."""
        out = np.empty((last - first, len(self.anchors)))
        for row, c in enumerate(range(first, last)):
            steps = (self.anchors[c] - self.anchors) + (self.offsets[c] - self.offsets)
            out[row] = np.sqrt((steps**2).sum(axis=1))
        return out


def centers(
    points: Any, codes: Labels, sizes: NDArray[Any], weights: Floats | None = None
) -> Centers:
    """Mean of each cluster; with weights, which `sizes` are sums of, the weighted mean."""
    shape = (len(sizes), points.shape[1])
    need(24 * shape[0] * shape[1], f"the centroids of {shape[0]:,} clusters")
    if weights is not None and is_sparse(points):
        sums = np.asarray((_sums_of(codes, weights, len(sizes)) @ points).toarray(), np.float64)
        return Centers(np.zeros(shape), sums / sizes[:, None])
    if weights is not None or _is_few(points):
        return _plain_centers(points, codes, sizes, weights)
    if is_sparse(points):
        sums = np.zeros(shape)
        _kernels.sparse_sums(points.data, points.indices, points.indptr, codes, 0, len(codes), sums)
        return Centers(np.zeros(shape), sums / sizes[:, None])
    anchors = points[_kernels.first_places(codes, len(sizes))].astype(np.float64)

    def part(first: int, last: int) -> Floats:
        sums = np.zeros(shape)
        _kernels.dense_sums(points, codes, first, last, anchors, sums)
        return sums

    parts = _kernels.run(part, _kernels.ranges(len(codes), GRAIN))
    return Centers(anchors, sum(parts) / sizes[:, None])


def _plain_centers(
    points: Any, codes: Labels, sizes: NDArray[Any], weights: Floats | None
) -> Centers:
    """Like `centers`, by numpy alone."""
    anchors = np.zeros((len(sizes), points.shape[1]))
    if not is_sparse(points):
        anchors[:] = points[first_places(codes, len(sizes))]
    sums = np.zeros(anchors.shape[::-1])
    for part in _parts(points):
        steps = _dense(points[part]) - anchors[codes[part]]
        steps = steps if weights is None else steps * weights[part, None]
        for f, column in enumerate(steps.T):
            sums[f] += np.bincount(codes[part], column, minlength=len(sizes))
    return Centers(anchors, sums.T / sizes[:, None])


def _sums_of(codes: Labels, weights: Floats, clusters: int) -> Any:
    """The sparse matrix, clusters × points, whose product with points has their weighted sums."""
    from scipy.sparse import csr_matrix

    places = np.arange(len(codes))
    return csr_matrix((weights, (codes, places)), shape=(clusters, len(codes)))


def _parts(points: Any) -> list[slice]:
    """Rows that are taken at once: all of them where they are few, or sparse."""
    if is_sparse(points):
        return [slice(None)]
    rows = max(1, FEW_VALUES // points.shape[1])
    return [slice(at, at + rows) for at in range(0, points.shape[0], rows)]


def _is_few(points: Any, times: int = 1) -> bool:
    """Whether numpy is done before a compiler is loaded."""
    return is_little(points.shape[0] * points.shape[1] * times, FEW_VALUES)


def _dense(points: Any) -> NDArray[Any]:
    return np.asarray(points.toarray() if is_sparse(points) else points)


def own_squares(points: Any, codes: Labels, means: Centers) -> Floats:
    """Squared distances of points to the centroids of their clusters."""
    if is_sparse(points) and not _is_few(points):
        norms = (means.offsets**2).sum(axis=1)
        whole = (points.data, points.indices, points.indptr, codes, 0, len(codes))
        return np.asarray(_kernels.sparse_to_own(*whole, means.offsets, norms, CLOSE))
    steps = (_dense(points) - means.anchors[codes]) - means.offsets[codes]
    return np.asarray(np.einsum("ij,ij->i", steps, steps))


def scatter(
    points: Any, codes: Labels, means: Centers, weights: Floats | None = None
) -> tuple[Floats, Floats]:
    """Squared distances to the centroids and distances to them, summed by cluster."""
    clusters = len(means.anchors)
    if weights is not None or _is_few(points):
        found = np.concatenate([own_squares(points[p], codes[p], means) for p in _parts(points)])
        both = (found, np.sqrt(found))
        heavy = both if weights is None else (each * weights for each in both)
        squares, distances = (np.bincount(codes, each, clusters) for each in heavy)
        return squares.astype(np.float64), distances.astype(np.float64)
    norms = (means.offsets**2).sum(axis=1)

    def part(first: int, last: int) -> tuple[Floats, Floats]:
        squares, distances = np.zeros(clusters), np.zeros(clusters)
        where = (codes, first, last)
        if is_sparse(points):
            found = _kernels.sparse_to_own(
                points.data, points.indices, points.indptr, *where, means.offsets, norms, CLOSE
            )
            np.add.at(squares, codes[first:last], found)
            np.add.at(distances, codes[first:last], np.sqrt(found))
        else:
            _kernels.dense_scatter(points, *where, means.anchors, means.offsets, squares, distances)
        return squares, distances

    parts = _kernels.run(part, _kernels.ranges(len(codes), GRAIN))
    return sum(squares for squares, _ in parts), sum(distances for _, distances in parts)


def feature_scatter(
    points: Any,
    codes: Labels,
    sizes: NDArray[Any],
    means: Centers,
    weights: Floats | None = None,
) -> Floats:
    """Squared steps from the centroids, summed by cluster and feature."""
    clusters, d = means.anchors.shape
    need(16 * clusters * d, f"the variances of {d:,} features in {clusters:,} clusters")
    if is_sparse(points):
        filled = np.diff(points.indptr)
        cells = np.repeat(codes.astype(np.int64), filled) * d + points.indices
        values = means.values.ravel()
        found = (points.data - values[cells]) ** 2
        heavy = None if weights is None else np.repeat(weights, filled)
        squares = np.bincount(cells, found if heavy is None else found * heavy, clusters * d)
        whole = np.repeat(sizes, d)
        zeros = whole - np.bincount(cells, heavy, clusters * d)
        if heavy is not None:  # what rounding leaves is no zero
            zeros[zeros < ROUNDED * whole] = 0
        return np.asarray((squares + zeros * values**2).reshape(clusters, d))
    found = np.empty((d, clusters))
    for f in range(d):
        steps = (points[:, f] - means.anchors[codes, f]) - means.offsets[codes, f]
        squares = steps**2 if weights is None else steps**2 * weights
        found[f] = np.bincount(codes, squares, clusters)
    return found.T


def unit_rows(points: Any) -> Any:
    """Rows scaled to length one; rows of zeros stay zero."""
    if is_sparse(points):
        points = even_rows(points)
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
    means: Centers
    within: Floats
    full: NDArray[Any]
    blank: NDArray[np.int64]
    is_blank: NDArray[np.bool_]
    codes: Labels
    factor: float

    def of(self, rows: NDArray[np.int64]) -> Floats:
        """Summed distances of some points, by row as given, to every cluster."""
        points = self.points[rows]
        squares = self.means.squares(points, 0, len(rows))
        sums = self.factor * (self.full * squares + self.within) + self.blank
        zeros = self.is_blank[rows]
        if zeros.any():
            sums[zeros] = self.full + self.blank
            sums[zeros, self.codes[rows][zeros]] -= 1  # a point is at distance 0 from itself
        return np.asarray(sums)

    def own(self, rows: NDArray[np.int64]) -> Floats:
        """Summed distances of some points, by row as given, to their own clusters."""
        codes = self.codes[rows]
        squares = own_squares(self.points[rows], codes, self.means)
        sums = self.factor * (self.full[codes] * squares + self.within[codes]) + self.blank[codes]
        # A row of zeros is at distance 1 from all others, and at distance 0 from itself.
        zeros = self.full[codes] + self.blank[codes] - 1.0
        return np.where(self.is_blank[rows], zeros, sums)


def squared_sums(
    points: Any,
    codes: Labels,
    sizes: NDArray[Any],
    metric: Metric,
    weights: Floats | None = None,
) -> SquaredSums:
    """Prepare the sums of squared distances to clusters, in one pass over the points."""
    blank = np.zeros(len(codes), np.bool_)
    if metric.name == "cosine":
        squares = (
            points.multiply(points).sum(axis=1) if is_sparse(points) else (points**2).sum(axis=1)
        )
        blank = np.asarray(squares).ravel() == 0
        if weights is not None and blank.any():
            # Equal points would be at distance 1 from each other.
            why = "cosine distances of rows of zeros take no weights"
            raise UndefinedError(why, fault=FeatureError)
    zeros = np.bincount(codes[blank], minlength=len(sizes))
    full = sizes - zeros
    if not zeros.any():
        means = centers(points, codes, sizes, weights)
        within = scatter(points, codes, means, weights)[0]
    else:
        means = Centers(*(np.zeros((len(sizes), points.shape[1])) for _ in range(2)))
        kept = ~blank
        held, renumbered = np.unique(codes[kept], return_inverse=True)
        found = centers(points[kept], renumbered.astype(np.int32), full[held])
        means.anchors[held], means.offsets[held] = found.anchors, found.offsets
        within = scatter(points[kept], codes[kept], means)[0]
    return SquaredSums(points, means, within, full, zeros, blank, codes, metric.squares)
