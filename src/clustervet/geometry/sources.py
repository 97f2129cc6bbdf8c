"""Sources of distances: blocks of rows against columns, of points in cluster order."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from clustervet import _kernels
from clustervet._kernels.patience import is_little
from clustervet.errors import FeatureError
from clustervet.geometry.metrics import GOWER, Metric
from clustervet.geometry.points import FEW_DISTANCES, is_sparse

# Coordinates of all pairs up to which scipy computes distances, in about a tenth of a second, and
# numpy sums them. For more a compiler is loaded.
FEW_STEPS = 2**28
# Coordinates of sparse points that may be held as a dense array.
FEW_VALUES = 2**20
# With more features a matrix product is faster than differences.
FEW_FEATURES = 32
# Distances below this share of the points' squared norms are recomputed by differences.
CLOSE = 1e-5
# What scipy calls metrics that are not Euclidean.
SCIPY_NAMES = {"manhattan": "cityblock", GOWER: "cityblock", "chebyshev": "chebyshev"}
# Metrics of features that are either there or not.
YES_OR_NO = (
    "dice",
    "jaccard",
    "rogerstanimoto",
    "russellrao",
    "sokalmichener",
    "sokalsneath",
    "yule",
)
Positions = NDArray[np.int64]
Tile = NDArray[np.floating[Any]]


class Source(Protocol):
    """Distances of some points to a range of points; positions are in cluster order."""

    height: int
    width: int
    plain: bool  # whether there are so few points that nothing should be compiled

    def tile(self, rows: Positions, start: int, stop: int) -> Tile:
        """Distances of the rows to the points start..stop."""

    def paired(self, rows: Positions, others: Positions) -> NDArray[np.float64]:
        """Distance of each row to the point at the same place in `others`."""


class PlainSource:
    """Few points: distances by scipy."""

    plain = True

    def __init__(self, points: NDArray[Any], metric: str) -> None:
        self.points, self.metric = points.astype(np.float64, copy=False), metric
        self.height, self.width = tile_of(len(points))

    def tile(self, rows: Positions, start: int, stop: int) -> Tile:
        """Distances by differences."""
        from scipy.spatial.distance import cdist

        return np.asarray(cdist(self.points[rows], self.points[start:stop], self.metric))

    def paired(self, rows: Positions, others: Positions) -> NDArray[np.float64]:
        """Distances by differences."""
        return _lengths((self.points[rows] - self.points[others]).T, self.metric)


def tile_of(points: int) -> tuple[int, int]:
    """Height and width of tiles that have all points as columns and fit into a cache."""
    return max(1, 2**16 // points), points


class DirectSource:
    """Few features: distances by differences; points are columns, so loops run along memory."""

    height, width, plain = 32, 512, False

    def __init__(self, columns: NDArray[Any], metric: str) -> None:
        kinds = {"cityblock": _kernels.MANHATTAN, "chebyshev": _kernels.CHEBYSHEV}
        self.columns, self.metric = columns, metric
        self.kind = kinds.get(metric, _kernels.EUCLIDEAN)

    def tile(self, rows: Positions, start: int, stop: int) -> Tile:
        """Distances by differences."""
        picked = np.ascontiguousarray(self.columns[:, rows])
        out = np.empty((len(rows), stop - start), self.columns.dtype)
        _kernels.direct_tile(self.columns, picked, 0, len(rows), start, stop, self.kind, out)
        return out

    def paired(self, rows: Positions, others: Positions) -> NDArray[np.float64]:
        """Distances by differences."""
        steps = self.columns[:, rows].astype(np.float64) - self.columns[:, others]
        return _lengths(steps, self.metric)


class ProductSource:
    """Many features: one matrix product per tile; points are centred."""

    height, width, plain = 128, 4096, False

    def __init__(self, points: NDArray[np.float64]) -> None:
        self.points = points
        self.norms = np.einsum("ij,ij->i", points, points)

    def tile(self, rows: Positions, start: int, stop: int) -> Tile:
        """Distances by inner products."""
        picked = self.points[rows]
        out = picked @ self.points[start:stop].T
        _kernels.product_tile(
            out, picked, self.points[start:stop], self.norms[rows], self.norms[start:stop], CLOSE
        )
        return out

    def paired(self, rows: Positions, others: Positions) -> NDArray[np.float64]:
        """Distances by differences."""
        return np.asarray(np.sqrt(((self.points[rows] - self.points[others]) ** 2).sum(axis=1)))


class SparseSource:
    """Sparse rows: an inverted index, so that only shared features take time."""

    height, width, plain = 16, 2**62, False

    def __init__(self, points: Any) -> None:
        self.points = points
        self.by_feature = points.tocsc()
        self.norms = np.asarray(points.multiply(points).sum(axis=1), np.float64).ravel()

    def tile(self, rows: Positions, start: int, stop: int) -> Tile:
        """Distances by inner products of sparse rows."""
        out = np.empty((len(rows), stop - start))
        whole, index = self.points, self.by_feature
        _kernels.sparse_tile(
            out,
            rows,
            start,
            whole.data,
            whole.indices,
            whole.indptr,
            index.data,
            index.indices,
            index.indptr,
            self.norms,
            CLOSE,
        )
        return out

    def paired(self, rows: Positions, others: Positions) -> NDArray[np.float64]:
        """Distances by differences."""
        steps = self.points[rows] - self.points[others]
        return np.sqrt(np.asarray(steps.multiply(steps).sum(axis=1), np.float64).ravel())


class MatrixSource:
    """Distances that the user gave."""

    height, width = 32, 8192

    def __init__(self, distances: NDArray[Any], order: Positions) -> None:
        self.distances, self.order = distances, order
        self.plain = is_little(distances.size, FEW_DISTANCES)
        if self.plain:
            self.height, self.width = tile_of(len(order))

    def tile(self, rows: Positions, start: int, stop: int) -> Tile:
        """Distances looked up."""
        if self.plain:
            found = self.distances[self.order[rows]][:, self.order[start:stop]]
            return _zero_to_itself(found, rows, start, stop)
        out = np.empty((len(rows), stop - start), self.distances.dtype)
        _kernels.precomputed_tile(out, self.distances, self.order[rows], self.order[start:stop])
        return out

    def paired(self, rows: Positions, others: Positions) -> NDArray[np.float64]:
        """Distances looked up."""
        return self.distances[self.order[rows], self.order[others]].astype(np.float64)


class ForeignSource:
    """Any metric of scikit-learn, or a user's function of two points."""

    height, width = 128, 2048

    def __init__(self, points: Any, metric: Metric) -> None:
        self.points, self.metric = _as_answers(points, metric), metric
        self.plain = is_few(points)
        if self.plain:
            self.height, self.width = tile_of(points.shape[0])

    def tile(self, rows: Positions, start: int, stop: int) -> Tile:
        """Distances by scikit-learn."""
        from sklearn.metrics import pairwise_distances

        given = self.metric.of_points
        try:
            out = pairwise_distances(self.points[rows], self.points[start:stop], metric=given)
        except (TypeError, ValueError) as error:
            reason = str(error).partition("\n")[0].rstrip(".")
            raise FeatureError(
                f"metric {self.metric.name} refuses these points: {reason}."
            ) from error
        out = np.ascontiguousarray(out)
        if not np.isfinite(out).all() or out.min() < 0:
            raise FeatureError(
                f"metric {self.metric.name} gives distances that are negative or not finite."
            )
        return _zero_to_itself(out, rows, start, stop)  # even if the metric gives something else

    def paired(self, rows: Positions, others: Positions) -> NDArray[np.float64]:
        """Distances by scikit-learn, one pair at a time."""
        ones = [np.array([row]) for row in rows]
        pairs = zip(ones, others.tolist(), strict=True)
        return np.array([self.tile(row, other, other + 1)[0, 0] for row, other in pairs], float)


def _as_answers(points: Any, metric: Metric) -> Any:
    """The points as yes and no, where the metric compares these; else as they are."""
    if metric.function is not None or metric.name not in YES_OR_NO or is_sparse(points):
        return points
    other = points[(points != 0) & (points != 1)]
    if len(other):
        raise FeatureError(
            f"metric {metric.name} compares features of 0 and 1, and there is a {other[0]:.6g} "
            "among these; give it such features, or another metric."
        )
    return points.astype(np.bool_)


def _lengths(steps: NDArray[np.float64], metric: str) -> NDArray[np.float64]:
    """Return the lengths of differences, which are columns."""
    if metric == "cityblock":
        return np.asarray(np.abs(steps).sum(axis=0))
    if metric == "chebyshev":
        return np.asarray(np.abs(steps).max(axis=0))
    return np.asarray(np.sqrt((steps**2).sum(axis=0)))


def _zero_to_itself(tile: Tile, rows: Positions, start: int, stop: int) -> Tile:
    """Set the distance of each point to itself."""
    own = np.flatnonzero((rows >= start) & (rows < stop))
    tile[own, rows[own] - start] = 0.0
    return tile


def is_few(points: Any) -> bool:
    """Whether there are so few points that compiling would take longer than their distances."""
    n, features = points.shape
    return is_little(n * n * (features + 4), FEW_STEPS)


def open_source(points: Any, order: Positions, metric: Metric) -> Source:
    """The source of distances for features and a metric; Euclidean ones for squares and cosines."""
    squared = metric.squares > 0 or (metric.is_own and metric.name == "euclidean")
    by_scipy = SCIPY_NAMES.get(metric.name, "euclidean")
    light = points.shape[0] * points.shape[1] <= FEW_VALUES and squared
    if metric.is_own and is_few(points) and (light or not is_sparse(points)):
        rows = points[order]
        rows = rows.toarray() if is_sparse(rows) else rows
        return PlainSource(rows, by_scipy)
    if is_sparse(points):
        rows = points[order]
        rows.sort_indices()
        return SparseSource(rows) if squared else ForeignSource(rows, metric)
    if not metric.is_own:
        return ForeignSource(points[order], metric)
    if squared and points.shape[1] > FEW_FEATURES:
        return ProductSource(points[order] - points.mean(axis=0, dtype=np.float64))
    columns = np.empty(points.shape[::-1], points.dtype)
    for f in range(points.shape[1]):
        columns[f] = points[order, f]
    return DirectSource(columns, by_scipy)
