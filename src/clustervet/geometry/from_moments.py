"""A geometry of which only the moments of its clusters are known.

Sums of squares and distances of centroids follow from moments exactly. What needs every point
(mean distances, silhouettes, densities of mixtures) does not follow: it needs `spreads`, the rows
a second time, or a sample.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import FeatureError, ParameterError, UndefinedError
from clustervet.frames.moments import Moments
from clustervet.frames.rows import Rows, Sample
from clustervet.geometry.geometry import Geometry
from clustervet.geometry.metrics import read_metric
from clustervet.geometry.moments import Centers, SquaredSums
from clustervet.geometry.points import scale_ratio, scaled_by, usual_exponent
from clustervet.labels import show_label
from clustervet.registry import Estimate

Floats = NDArray[np.float64]
METRICS = ("euclidean", "sqeuclidean")
# Largest number of parts of a sample that are left out in turn.
PARTS = 20
# Largest number of values of a block.
BLOCK = 2**22


class MomentGeometry(Geometry):
    """Clusters known by their moments, for the internal measures that need no more.

    Parameters
    ----------
    moments : Moments
        Sizes, means and sums of squares of the clusters.
    metric : {'euclidean', 'sqeuclidean'}, default 'euclidean'
        Metric of the measures.
    sample : Sample, optional
        Some points of each cluster, for the silhouette.
    rows : Rows, optional
        All points, read again block by block by measures that need every point.

    Raises
    ------
    ParameterError
        If the metric is not one of the two.

    Examples
    --------
    >>> import duckdb
    >>> from clustervet import calinski_harabasz, cluster_moments
    >>> frame = duckdb.sql("SELECT i // 2 AS c, 2 * i + 6 * (i // 2) AS x FROM range(4) AS t(i)")
    >>> geometry = Geometry.from_moments(cluster_moments(frame, label="c", features="x"))
    >>> geometry
    Geometry of 4 points by moments: 1 features, 2 clusters, euclidean
    >>> calinski_harabasz(geometry)
    50.0
    """

    def __init__(
        self,
        moments: Moments,
        metric: Any = "euclidean",
        *,
        sample: Sample | None = None,
        rows: Rows | None = None,
    ) -> None:
        self.metric = read_metric(metric)
        if not self.metric.is_own or self.metric.name not in METRICS:
            raise ParameterError(
                f"moments know the metrics {' and '.join(METRICS)}, not {self.metric.name}."
            )
        peak = max(float(abs(moments.centroids).max()), math.sqrt(float(moments.scatter.max())))
        self.exponent = usual_exponent(peak, np.dtype(np.float64))
        self.moments = _scaled_by(moments, -self.exponent)
        self._points = self._distances = self._kept = None
        self._names = moments.names
        self.sizes = moments.sizes
        self.dropped = moments.dropped
        self.noise_cluster = moments.noise_cluster
        self._sample, self._rows = sample, rows

    @cached_property
    def n(self) -> int:
        """Number of points."""
        return self.moments.n

    @property
    def rows(self) -> int:
        """Number of points, too: none has a weight."""
        return self.n

    @property
    def d(self) -> int:
        """Number of features."""
        return len(self.moments.features)

    @cached_property
    def scale_ratio(self) -> float:
        """Widest range of a feature by the narrowest, by the sample where there is one."""
        if self._sample is None or not len(self._sample.points):
            return 0.0
        return scale_ratio(self._sample.points, self.metric.name)

    @property
    def points(self) -> Any:
        """Not available: moments have no points, so this raises an error."""
        _refuse("features")

    def __getattr__(self, name: str) -> Any:
        if name == "codes":
            _refuse("the cluster of every point")
        raise AttributeError(f"a geometry by moments has no {name}.")

    def __repr__(self) -> str:
        return (
            f"Geometry of {self.n:,} points by moments: {self.d:,} features, {self.k:,} clusters, "
            f"{self.metric.name}"
        )

    @cached_property
    def centers(self) -> Centers:
        """Mean of each cluster."""
        return Centers(self.moments.anchors, self.moments.offsets)

    @property
    def within(self) -> Floats:
        """Sum of squared distances to the centroid, by cluster."""
        return np.asarray(self.moments.scatter.sum(axis=1))

    @property
    def feature_scatter(self) -> Floats:
        """Sum of squared steps from the centroid, by cluster and feature."""
        return self.moments.scatter

    @property
    def spreads(self) -> Floats:
        """Mean distance to the centroid, by cluster."""
        if self.moments.distances is not None:
            return np.asarray(self.moments.distances / self.sizes)
        if self._rows is None:
            raise UndefinedError(
                "it needs mean distances to centroids, which moments do not contain; ask for "
                "spreads=True with them",
                fault=FeatureError,
            )
        return self._spreads

    @cached_property
    def _spreads(self) -> Floats:
        sums = np.zeros(self.k)
        for points, codes in self.blocks():
            steps = (points - self.centers.anchors[codes]) - self.centers.offsets[codes]
            sums += np.bincount(codes, np.sqrt((steps**2).sum(axis=1)), self.k)
        return np.asarray(sums / self.sizes)

    @property
    def sorted_codes(self) -> NDArray[np.int32]:
        """Not available: moments have no codes of points, so this raises an error."""
        _refuse("the cluster of every point")

    def row_sums(self, rows: NDArray[np.int64]) -> Floats:
        """Raise an error, since moments know no distances of points.

        Parameters
        ----------
        rows : ndarray of int
            Positions of points.

        Raises
        ------
        UndefinedError
            Always.

        Examples
        --------
        >>> from clustervet.errors import UndefinedError
        >>> from clustervet import cluster_moments
        >>> import polars
        >>> frame = polars.DataFrame({"c": [0, 0, 1, 1], "x": [0, 2, 10, 12]})
        >>> geometry = MomentGeometry(cluster_moments(frame, label="c", features="x"))
        >>> try:
        ...     geometry.row_sums(np.array([0]))
        ... except UndefinedError as error:
        ...     print(error)
        it needs features, and only moments of the clusters are known
        """
        _refuse("features")

    @cached_property
    def squared(self) -> SquaredSums:
        """Sums of squared distances by cluster; those that need points raise an error when used."""
        blank = np.zeros(self.k, np.int64)
        none: Any = _NoPoints()
        return SquaredSums(
            none, self.centers, self.within, self.sizes, blank, none, none, self.metric.squares
        )

    def blocks(self) -> Iterator[tuple[Floats, NDArray[np.int64]]]:
        """Yield all points with their clusters, block by block, where the rows are known.

        Yields
        ------
        points : ndarray of float
            Some of the points.
        codes : ndarray of int
            The cluster of each.

        Raises
        ------
        UndefinedError
            If the rows were not given.
        FeatureError
            If the rows are not those from which the moments were computed.

        Examples
        --------
        >>> import polars
        >>> from clustervet import Rows, cluster_moments
        >>> frame = polars.DataFrame({"c": [0, 0, 1, 1], "x": [0.0, 2.0, 10.0, 12.0]})
        >>> moments = cluster_moments(frame, label="c", features="x")
        >>> geometry = MomentGeometry(moments, rows=Rows(frame, "c", ["x"]))
        >>> sum(len(points) for points, codes in geometry.blocks())
        4
        """
        if self._rows is None:
            raise UndefinedError(
                "it needs every point, and only moments of the clusters are known; give rows= "
                "as well",
                fault=FeatureError,
            )
        places = {name: code for code, name in enumerate(self.moments.names)}
        seen = np.zeros(self.k, np.int64)
        for names, found, points in self._rows.shown(self.n, "going over rows"):
            codes = np.array([places.get(name, -1) for name in names], np.int64)[found]
            kept = codes >= 0
            seen += np.bincount(codes[kept], minlength=self.k)
            points = scaled_by(points, -self.exponent)
            yield (points, codes) if kept.all() else (points[kept], codes[kept])
        if not np.array_equal(seen, self.sizes):
            raise FeatureError(
                "the rows are not those of the moments: the sizes of clusters differ."
            )

    def estimate(self, key: str) -> Estimate | None:
        """Estimate a measure from the sample, where that is possible.

        Parameters
        ----------
        key : str
            Key of the measure; only "silhouette" is estimated.

        Returns
        -------
        Estimate or None
            Value with its standard error; None for other measures, or without a sample.

        Raises
        ------
        ParameterError
            If the sample has too few points of a cluster.

        Examples
        --------
        >>> import polars
        >>> from clustervet import cluster_moments
        >>> frame = polars.DataFrame({"c": [0, 0, 1, 1], "x": [0, 2, 10, 12]})
        >>> geometry = MomentGeometry(cluster_moments(frame, label="c", features="x"))
        >>> geometry.estimate("silhouette") is None
        True
        """
        if key != "silhouette" or self._sample is None or not 1 < self.k < self.n:
            return None
        places = {name: code for code, name in enumerate(self.moments.names)}
        codes = np.array([places.get(name, -1) for name in self._sample.names], np.int64)
        kept = codes >= 0
        held = np.bincount(codes[kept], minlength=self.k)
        short = np.flatnonzero(held < np.minimum(self.sizes, 2))
        if len(short):
            raise ParameterError(
                f"the sample holds {held[short[0]]} points of cluster "
                f"{show_label(self.moments.names[short[0]])}; draw it with sample_rows."
            )
        points = scaled_by(self._sample.points[kept], -self.exponent)
        return sampled_silhouette(points, codes[kept], self.sizes, squared=self.metric.squares > 0)


def _scaled_by(moments: Moments, exponent: int) -> Moments:
    """The moments of the same features times 2**exponent."""
    if not exponent:
        return moments
    powers = {"anchors": 1, "offsets": 1, "scatter": 2, "cross": 2, "distances": 1}
    known = {name: getattr(moments, name) for name in powers}
    found = {
        name: np.ldexp(values, powers[name] * exponent)
        for name, values in known.items()
        if values is not None
    }
    return replace(moments, **found)


class _NoPoints:
    """A placeholder for points; reading it raises an error."""

    def __getitem__(self, rows: Any) -> NoReturn:
        _refuse("features")


def _refuse(what: str) -> NoReturn:
    raise UndefinedError(
        f"it needs {what}, and only moments of the clusters are known", fault=FeatureError
    )


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
