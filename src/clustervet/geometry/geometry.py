"""`Geometry`: features and a clustering of them, and what internal measures share."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import FeatureError, LabelError, ParameterError, Setting, UndefinedError
from clustervet.frames.moments import Moments
from clustervet.geometry import moments, sources, sweep
from clustervet.geometry.gower import gower_table
from clustervet.geometry.metrics import Metric, read_metric
from clustervet.geometry.points import (
    check_rows,
    even_rows,
    is_sparse,
    peak_of,
    read_matrix,
    read_with_peak,
    rescaled,
    scale_ratio,
    scaled_by,
    survey,
)
from clustervet.labels import (
    check_index,
    consecutive,
    encode_one,
    encode_weights,
    plain_label,
)
from clustervet.labels.codes import Names
from clustervet.labels.pair import Missing, NoisePolicy, heavy_rows, noise_policies
from clustervet.registry import register_door

if TYPE_CHECKING:
    from clustervet.frames.rows import Rows, Sample
    from clustervet.geometry.clusters import ClusterDistances

Floats = NDArray[np.float64]
NOISE = -1
# Largest number of values of a block of points × features.
BLOCK = 2**22
# From here on a float knows no difference between so many points and one more.
HEAVIEST = 2.0**53
# Products of lighter clusters come too near to 0.
LIGHTEST = 1e-50
# Up to this number of clusters the extremes of every two of them take no time beside the rest.
FEW_CLUSTERS = 64


class Geometry:
    """Points and their clusters: what an internal measure reads.

    What measures share (centroids, sums over pairs) is computed once, when it is first needed, in
    bounded memory.

    Parameters
    ----------
    X : array_like, sparse matrix or dataframe
        Features, one row per point; with ``metric='precomputed'`` a square matrix of distances.
    labels : array_like
        Cluster of each point, one label per row of `X`. A data frame and a series of pandas must
        have equal indexes.
    metric : str or callable, default 'euclidean'
        Name of a metric of scikit-learn, 'gower' for data frames with columns of any kind,
        'precomputed', or a function of two points that returns their distance.
    weights : array_like, optional
        One number per row of `X`, not negative: how many points at this place the row stands for.
        By default every row is one point.
    noise : label, str or dict, optional
        Label that means noise, a policy for the label -1, or a policy per label.
    noise_policy : {'keep', 'drop', 'singletons'}, optional
        What to do with noise. By default it is kept as one more cluster.
    missing : {'raise', 'drop', 'class'}, default 'raise'
        What to do with missing labels.

    Raises
    ------
    FeatureError
        If `X` cannot be read as points or distances.
    LabelError
        If the labels or weights cannot be read, or their number is not that of the points.
    ParameterError
        If the metric or a policy is unknown.

    Notes
    -----
    Centroids are always Euclidean. Under 'cosine', rows of zeros are at distance 1 from all others.

    Features or distances whose largest value is below 1e-60 or above 1e60 are divided by a power of
    two, 2**`exponent`, so that their squares neither vanish nor overflow. Points, centroids,
    distances and sums of squares are then in this unit; `in_unit` takes a value back to the unit
    of `X`. Otherwise `exponent` is 0 and the unit is that of `X`.

    A row of weight w counts as w points that are at distance 0 from each other, so with whole
    weights every value is that of the rows repeated so many times. Rows of weight 0 are left out.
    `n` and `sizes` are sums of weights. What cannot take weights refuses them; where all of them
    are 1 there are none.

    Examples
    --------
    >>> square = [[0, 0], [0, 1], [5, 0], [5, 1]]
    >>> geometry = Geometry(square, ["left", "left", "right", "right"])
    >>> geometry
    Geometry of 4 points: 2 features, 2 clusters, euclidean
    >>> geometry.centroids.tolist()
    [[0.0, 0.5], [5.0, 0.5]]
    >>> Geometry(square, ["l", "l", "r", "r"], weights=[1, 3, 1, 1]).centroids.tolist()
    [[0.0, 0.75], [5.0, 0.5]]
    """

    # Weights of the rows, in the order given; None if each is one point.
    weights: Floats | None = None
    # The power of two by which all is divided; not 0 only if values are very large or very small.
    exponent: int = 0
    # How the columns of a table were read, for Gower's distance.
    reading: str = ""

    def __init__(
        self,
        X: Any,  # noqa: N803  # the name that everyone gives to features
        labels: Any,
        metric: Any = "euclidean",
        *,
        weights: Any = None,
        noise: Any = None,
        noise_policy: NoisePolicy | None = None,
        missing: Missing = "raise",
    ) -> None:
        self.metric: Metric = read_metric(metric)
        self._distances = read_matrix(X) if self.is_precomputed else None
        points: Any = None
        peak = 0.0
        if self.metric.reads_table:
            table = gower_table(X)
            points, self.metric = table.points, table.metric
            peak, self.reading = peak_of(points), table.remark
        elif self._distances is None:
            points, peak = read_with_peak(X)
        read, kept = encode_one(labels, noise=noise, noise_policy=noise_policy, missing=missing)
        given = len(read) if kept is None else len(kept)
        rows = len(self._distances) if self._distances is not None else points.shape[0]
        if given != rows:
            raise LabelError(
                f"X and labels must be of the same points; X has {rows:,} rows and there are "
                f"{given:,} labels."
            )
        check_index({"X": X, "labels": labels, "the weights": weights})
        self.dropped: int | float = given - len(read)
        heavy = None
        if weights is not None:
            heavy = _read_weights(weights, given, noise_policies(noise, noise_policy))
            kept = np.ones(given, np.bool_) if kept is None else kept
            self.dropped = heavy[~kept].sum().item()
            read, kept = read.keep(heavy_rows(heavy[kept])), kept & (heavy > 0)
            heavy = heavy[kept]
            self.weights = None if (heavy == 1).all() else heavy.astype(np.float64)
        if kept is not None and not kept.all():
            if points is not None:
                points = points[kept]
                peak = peak_of(points)
            else:
                assert self._distances is not None
                self._distances = self._distances[np.ix_(kept, kept)]
        self._points: Any = None
        if points is not None:
            self._points, self.exponent = rescaled(points, peak)
            if self.exponent > 0:
                check_rows(points, peak)
        self.codes, codes = consecutive(read)
        self._names: Names = read.restore(codes)
        sizes = np.bincount(self.codes, self.weights)
        whole = heavy is None or heavy.dtype == np.int64
        self.sizes: NDArray[Any] = sizes.astype(np.int64) if whole else sizes
        if self.sizes.min() < LIGHTEST:
            raise LabelError(f"weights of a cluster must sum to at least {LIGHTEST:g}.")
        if self._distances is not None:
            found = survey(self._distances, self.codes, self.k)
            self._distances, self._sums, self.exponent = found
        self._kept = kept
        # Density-based measures treat label -1 as noise, unless a policy was given.
        code = read.find(NOISE) if noise is None and noise_policy is None else None
        self.noise_cluster: int | None = None
        if code is not None and code in codes:
            self.noise_cluster = int(np.searchsorted(codes, code))

    @staticmethod
    def from_moments(
        moments: Moments,
        metric: Any = "euclidean",
        *,
        sample: Sample | None = None,
        rows: Rows | None = None,
    ) -> Geometry:
        """Make a geometry of clusters that are known by their moments alone.

        Parameters
        ----------
        moments : Moments
            Sizes, means and sums of squares of the clusters, as `cluster_moments` computes them.
        metric : {'euclidean', 'sqeuclidean'}, default 'euclidean'
            Metric of the measures.
        sample : Sample, optional
            Some points of each cluster, for the silhouette.
        rows : Rows, optional
            All points, read again block by block by measures that need every point.

        Returns
        -------
        MomentGeometry
            Geometry for the internal measures that moments, the sample or the rows suffice for.

        Raises
        ------
        ParameterError
            If the metric is not one of the two.

        Examples
        --------
        >>> import polars
        >>> from clustervet import cluster_moments
        >>> frame = polars.DataFrame({"c": [0, 0, 1, 1], "x": [0, 2, 10, 12]})
        >>> Geometry.from_moments(cluster_moments(frame, label="c", features="x")).between
        100.0
        """
        from clustervet.geometry.from_moments import MomentGeometry

        return MomentGeometry(moments, metric, sample=sample, rows=rows)

    # Data

    @property
    def is_precomputed(self) -> bool:
        """Whether distances were given rather than features."""
        return self.metric.is_own and self.metric.name == "precomputed"

    @property
    def is_sparse(self) -> bool:
        """Whether the features are a sparse matrix."""
        return is_sparse(self._points)

    @property
    def rows(self) -> int:
        """Number of rows: points, but for those that a weight stands for."""
        return len(self.codes)

    @cached_property
    def n(self) -> int | float:
        """Number of points: the sum of the weights, where rows have weights."""
        return self.sizes.sum().item()  # type: ignore[no-any-return]  # an int or a float

    @property
    def k(self) -> int:
        """Number of clusters."""
        return len(self.sizes)

    @property
    def d(self) -> int:
        """Number of features; 0 where only distances are known."""
        if self.metric.columns:
            return self.metric.columns
        return 0 if self._points is None else int(self._points.shape[1])

    @property
    def names(self) -> list[Any]:
        """Names of the clusters, in order."""
        return [plain_label(name) for name in self._names]

    @property
    def points(self) -> Any:
        """Features, in the order given."""
        if self.metric.columns:
            raise UndefinedError(
                "it needs numbers, and Gower's distance is for columns of any kind",
                fault=FeatureError,
            )
        if self._points is None:
            raise UndefinedError(
                "it needs features, and only distances were given", fault=FeatureError
            )
        return self._points

    @property
    def dense(self) -> NDArray[Any]:
        """Features as an array, for measures that cannot use a sparse matrix."""
        if self.is_sparse and not self.metric.columns:
            raise UndefinedError(
                "it needs dense features, and these are sparse", fault=FeatureError
            )
        return self.points  # type: ignore[no-any-return]  # an array, since not sparse

    @property
    def is_single(self) -> bool:
        """Whether the features, or the distances that were given, are in single precision."""
        known = self._distances if self._points is None else self._points
        return known is not None and known.dtype == np.float32

    def __repr__(self) -> str:
        known = "distances" if self._points is None else f"{self.d:,} features"
        rows = "" if self.weights is None else f" in {self.rows:,} rows"
        points = f"{self.n:,} points{rows}"
        return f"Geometry of {points}: {known}, {self.k:,} clusters, {self.metric.name}"

    def need_clusters(self, *, fewer_than_points: bool = True) -> None:
        """Raise an error if nothing can be compared: one cluster, or every point alone.

        Parameters
        ----------
        fewer_than_points : bool, default True
            Whether there must be fewer clusters than points.

        Raises
        ------
        UndefinedError
            If there is one cluster, or every point is a cluster of its own.

        Examples
        --------
        >>> Geometry([[0], [1], [5]], [0, 0, 1]).need_clusters()
        """
        if self.k < 2:
            raise UndefinedError("it needs at least 2 clusters, and there is 1", fault=LabelError)
        if fewer_than_points and self.k >= self.n:
            found = f"each of the {self.n:,} points is a cluster of its own"
            if self.weights is not None:
                found = f"the weights of {self.k:,} clusters sum to {self.n:g}"
            raise UndefinedError(
                f"it needs fewer clusters than points, and {found}", fault=LabelError
            )

    def need_no_weights(self, what: str) -> None:
        """Raise an error if rows have weights.

        Parameters
        ----------
        what : str
            What takes no weights.

        Raises
        ------
        UndefinedError
            If rows have weights.

        Examples
        --------
        >>> Geometry([[0], [1], [5]], [0, 0, 1]).need_no_weights("a sample")
        """
        if self.weights is not None:
            raise UndefinedError(f"{what} takes no weights", fault=ParameterError)

    def weighed(self, values: NDArray[Any], rows: Any = slice(None)) -> NDArray[Any]:
        """Multiply values of rows by the weights of the rows.

        Parameters
        ----------
        values : ndarray
            One value, or several, per row.
        rows : slice or ndarray of int, optional
            The rows, in the order given; by default all.

        Returns
        -------
        ndarray
            The products; the values themselves where rows have no weights.

        Examples
        --------
        >>> Geometry([[0], [1], [5]], [0, 0, 1], weights=[2, 1, 3]).weighed(np.ones(3)).tolist()
        [2.0, 1.0, 3.0]
        """
        return values if self.weights is None else (values.T * self.weights[rows]).T

    def in_unit(self, value: float, power: int = 1) -> float:
        """Return a distance, or a power of one, in the unit of the features.

        Parameters
        ----------
        value : float
            A value in the unit of the geometry, which is 2**`exponent`.
        power : int, default 1
            Power of the unit: 2 for sums of squares.

        Returns
        -------
        float
            The value in the unit of the features.

        Raises
        ------
        UndefinedError
            If the value is too large or too small for a float.

        Examples
        --------
        >>> geometry = Geometry([[0], [1e-70], [5e-70]], [0, 0, 1])
        >>> geometry.in_unit(float(geometry.within.sum()), 2)
        5e-141
        """
        steps = power * self.exponent
        if not steps or not value:
            return value
        try:
            found = math.ldexp(value, steps)
        except OverflowError:
            found = math.inf
        if not sys.float_info.min <= abs(found) < math.inf:
            size = round(math.log10(abs(value)) + steps * math.log10(2))
            raise UndefinedError(
                f"it is about 1e{size:+d}, which no float can hold; multiply the features by a "
                "constant first",
                fault=FeatureError,
            )
        return found

    @cached_property
    def scale_ratio(self) -> float:
        """Widest range of a feature by the narrowest, where they differ much; otherwise 0."""
        return 0.0 if self._points is None else scale_ratio(self._points, self.metric.name)

    @cached_property
    def memory(self) -> dict[Any, Any]:
        """Values that measures keep here for each other."""
        return {}

    def as_given(self, values: NDArray[Any], blank: Any) -> NDArray[Any]:
        """Return values per point in the order of the user's rows.

        Parameters
        ----------
        values : ndarray
            One value per point that was kept.
        blank : object
            Value for rows that a policy dropped.

        Returns
        -------
        ndarray
            One value per row.

        Examples
        --------
        >>> geometry = Geometry([[0], [1], [5]], [0, -1, 1], noise="drop")
        >>> geometry.as_given(np.array([7, 8]), -1).tolist()
        [7, -1, 8]
        """
        if self._kept is None:
            return values
        whole = np.full((len(self._kept), *values.shape[1:]), blank, values.dtype)
        whole[self._kept] = values
        return whole

    def part(self, places: NDArray[np.int64]) -> Geometry:
        """Return some of the points with their clusters, as a geometry of their own.

        Parameters
        ----------
        places : ndarray of int
            Which points, by their order in the data.

        Returns
        -------
        Geometry
            These points, in the unit of the whole; clusters without any of them are left out.

        Examples
        --------
        >>> whole = Geometry([[0], [1], [5], [9]], ["a", "a", "b", "c"])
        >>> part = whole.part(np.array([0, 1, 3]))
        >>> part.n, part.names, part.centroids.tolist()
        (3, ['a', 'c'], [[0.5], [9.0]])
        """
        made = object.__new__(Geometry)
        made.metric, made.exponent, made.dropped, made._kept = self.metric, self.exponent, 0, None
        held, codes = np.unique(self.codes[places], return_inverse=True)
        made.codes, made.sizes = codes.astype(np.int32), np.bincount(codes)
        made._names = [self._names[code] for code in held.tolist()]
        noise = np.flatnonzero(held == self.noise_cluster).tolist()
        made.noise_cluster = noise[0] if noise else None
        made._points = None if self._points is None else self._points[places]
        made._distances = None
        if self._distances is not None:
            made._distances = self._distances[np.ix_(places, places)]
            here, sorted_ = np.arange(made.n), made._distances[:, made.order]
            made._sums = np.add.reduceat(sorted_, made.starts[:-1], axis=1, dtype=np.float64)
            made._sums[here, made.codes] -= np.diagonal(made._distances)
        return made

    # Centroids and squares, always Euclidean

    @cached_property
    def centers(self) -> moments.Centers:
        """Mean of each cluster, as a point of the cluster and a step from it."""
        return moments.centers(self.points, self.codes, self.sizes, self.weights)

    @property
    def centroids(self) -> Floats:
        """Mean of each cluster: clusters × features."""
        return self.centers.values

    @cached_property
    def _scatter(self) -> tuple[Floats, Floats]:
        return moments.scatter(self.points, self.codes, self.centers, self.weights)

    @property
    def within(self) -> Floats:
        """Sum of squared distances to the centroid, by cluster."""
        return self._scatter[0]

    @property
    def spreads(self) -> Floats:
        """Mean distance to the centroid, by cluster."""
        return np.asarray(self._scatter[1] / self.sizes)

    @cached_property
    def feature_scatter(self) -> Floats:
        """Sum of squared steps from the centroid, by cluster and feature."""
        data = self.points, self.codes, self.sizes, self.centers
        return moments.feature_scatter(*data, self.weights)

    @cached_property
    def between(self) -> float:
        """Sum over points of the squared distance of their centroid from the overall mean."""
        steps = self.centers.from_first()
        steps -= (self.sizes / self.n) @ steps
        return float(self.sizes @ (steps**2).sum(axis=1))

    # Pairs of points

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """Positions of the points, sorted by cluster."""
        return np.argsort(self.codes, kind="stable")

    @cached_property
    def sorted_codes(self) -> NDArray[np.int32]:
        """Clusters of the points in cluster order."""
        return self.codes[self.order]

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Start of each cluster in cluster order, and the end."""
        return np.concatenate([[0], np.cumsum(np.bincount(self.codes))]).astype(np.int64)

    @cached_property
    def source(self) -> sources.Source:
        """Source of distances; under "sqeuclidean" and "cosine" of the Euclidean ones."""
        if self._distances is not None:
            return sources.MatrixSource(self._distances, self.order)
        if self.metric.name == "cosine" and not self.squares:
            return sources.ForeignSource(even_rows(self.points)[self.order], self.metric)
        points = self.base
        if not self.metric.scales:
            points = scaled_by(points, self.exponent)
        return sources.open_source(points, self.order, self.metric)

    @cached_property
    def squares(self) -> float:
        """Factor by which squared distances of `source` are multiplied; 0 if they are not squared.

        Under "cosine" rows of zeros are at distance 1 from all others, which no square gives.
        """
        blank = self.metric.name == "cosine" and self.metric.is_own and self.squared.blank.any()
        return 0.0 if blank else self.metric.squares

    @cached_property
    def base(self) -> Any:
        """Features in which distances are Euclidean; under "cosine" rows of length one."""
        if self.metric.is_own and self.metric.name == "cosine":
            return moments.unit_rows(self.points)
        return self._points if self.metric.columns else self.points

    @cached_property
    def _sorted_weights(self) -> Floats | None:
        return None if self.weights is None else self.weights[self.order]

    @cached_property
    def pair_sums(self) -> sweep.PairSums:
        """Sums over all pairs of points, in cluster order."""
        if self._sorted_weights is not None:
            where = self.source, self.starts, self.sorted_codes
            return sweep.weighted_sums(*where, self.sizes, self._sorted_weights)
        if self._distances is not None:
            return sweep.given_sums(self._sums[self.order], self.sorted_codes, self.sizes)
        return sweep.pair_sums(self.source, self.starts, self.sorted_codes)

    def row_sums(self, rows: NDArray[np.int64]) -> Floats:
        """Sum the distances of some points to every cluster.

        Parameters
        ----------
        rows : ndarray of int
            Positions of the points in cluster order.

        Returns
        -------
        ndarray of float
            Sums, points × clusters.

        Examples
        --------
        >>> Geometry([[0], [1], [5]], [0, 0, 1]).row_sums(np.array([0, 2])).tolist()
        [[1.0, 5.0], [9.0, 0.0]]
        """
        if self._distances is not None and self.weights is None:
            return np.asarray(self._sums[self.order[rows]])
        where = self.source, rows, self.starts, self.sorted_codes
        return sweep.row_sums(*where, self._sorted_weights)

    def own_sums(self, rows: NDArray[np.int64]) -> Floats:
        """Sum the distances of some points to the points of their own clusters.

        Parameters
        ----------
        rows : ndarray of int
            Positions of the points in cluster order, rising.

        Returns
        -------
        ndarray of float
            One sum per point.

        Examples
        --------
        >>> Geometry([[0], [1], [5]], [0, 0, 1]).own_sums(np.array([0, 2])).tolist()
        [1.0, 0.0]
        """
        if self._distances is not None and self.weights is None:
            return np.asarray(self._sums[self.order[rows], self.sorted_codes[rows]])
        if self.metric.squares:
            step = max(1, BLOCK // max(1, self.d))
            order = self.order[rows]
            parts = [self.squared.own(order[at : at + step]) for at in range(0, len(rows), step)]
            return np.concatenate(parts)
        where = self.source, rows, self.starts, self.sorted_codes
        return sweep.own_sums(*where, self._sorted_weights)

    def tile(self, rows: NDArray[np.int64], start: int, stop: int) -> Any:
        """Compute distances of some points to a range of points.

        Parameters
        ----------
        rows : ndarray of int
            Positions of the points in cluster order.
        start : int
            First position of the range.
        stop : int
            End of the range.

        Returns
        -------
        ndarray of float
            Distances, rows × range.

        Examples
        --------
        >>> Geometry([[0], [1], [5]], [0, 0, 1]).tile(np.array([0]), 1, 3).tolist()
        [[1.0, 5.0]]
        """
        found = self.source.tile(rows, start, stop)
        return self.squares * found**2 if self.squares else found

    def paired(self, rows: NDArray[np.int64], others: NDArray[np.int64]) -> Floats:
        """Compute distances of pairs of points.

        Parameters
        ----------
        rows : ndarray of int
            Positions of the first points in cluster order.
        others : ndarray of int
            Positions of the second points, one per first point.

        Returns
        -------
        ndarray of float
            One distance per pair.

        Examples
        --------
        >>> Geometry([[0], [1], [5]], [0, 0, 1]).paired(np.array([0, 1]), np.array([1, 2])).tolist()
        [1.0, 4.0]
        """
        found = self.source.paired(rows, others)
        return self.squares * found**2 if self.squares else found

    def extremes(self, *, by_pair: bool = False) -> sweep.Extremes:
        """Find the least and greatest distances within and between clusters.

        Parameters
        ----------
        by_pair : bool, default False
            Whether to find them for every pair of clusters too.

        Returns
        -------
        Extremes
            By point, in cluster order: `separation` from other clusters and `reach` within the own
            one. By pair of clusters, if asked for or if they are few: `nearest`, `farthest` and
            `hausdorff`.

        Examples
        --------
        >>> found = Geometry([[0], [1], [5]], [0, 0, 1]).extremes()
        >>> found.separation.tolist(), found.reach.tolist()
        ([5.0, 4.0, 4.0], [1.0, 1.0, 0.0])
        """
        by_pair = by_pair or self.k <= FEW_CLUSTERS
        held = self.memory.get("extremes")
        if held is None or (by_pair and not len(held.nearest)):
            held = sweep.extremes(self.source, self.starts, self.sorted_codes, by_pair=by_pair)
            held = held.squared(self.squares) if self.squares else held
            self.memory["extremes"] = held
        return held

    def clusters(self) -> ClusterDistances:
        """Describe each cluster: how wide it is, and how far from the others.

        Returns
        -------
        ClusterDistances
            For each cluster its size, diameter, mean distance, widest gap, separation, silhouette
            and nearest other cluster.

        Raises
        ------
        LabelError
            If there are fewer than 2 clusters.
        ParameterError
            If rows have weights.

        Examples
        --------
        >>> Geometry([[0], [1], [4], [10], [11]], ["a", "a", "a", "b", "b"]).clusters()
        2 clusters, euclidean distances
        cluster  objects  silhouette  diameter  mean distance  widest gap  separation  nearest
        a              3      0.6710    4.0000         2.6667      3.0000      6.0000  b
        b              2      0.8864    1.0000         1.0000      1.0000      6.0000  a
        """
        from clustervet.geometry.clusters import cluster_distances

        refuse_weights("Geometry.clusters", self)
        return cluster_distances(self)

    @cached_property
    def squared(self) -> moments.SquaredSums:
        """Sums of squared distances by cluster, for metrics that are such squares."""
        data = self.base, self.codes, self.sizes, self.metric
        return moments.squared_sums(*data, self.weights)


def as_geometry(
    who: str,
    X: Any,  # noqa: N803  # the name that everyone gives to features
    labels: Any = None,
    metric: Any = None,
    *,
    weights: Any = None,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: Missing = "raise",
) -> Geometry:
    """Return a finished geometry, or make one from moments or from features and labels."""
    if isinstance(X, Geometry | Moments):
        known = metric if isinstance(X, Geometry) else None  # moments take a metric
        options = (labels, known, weights, noise, noise_policy)
        if any(option is not None for option in options) or missing != "raise":
            name = "Geometry" if isinstance(X, Geometry) else "Moments"
            raise ParameterError(f"{who} takes either one {name} or features and labels, not both.")
        return X if isinstance(X, Geometry) else Geometry.from_moments(X, metric or "euclidean")
    if labels is None:
        raise ParameterError(f"{who} needs features and labels, or one Geometry.")
    policies: dict[str, Any] = {"noise": noise, "noise_policy": noise_policy, "missing": missing}
    given = X, labels, "euclidean" if metric is None else metric
    return Geometry(*given, weights=weights, **policies)


def refuse_weights(who: str, geometry: Geometry) -> None:
    """Refuse rows with weights, for what is no measure and takes none."""
    if geometry.weights is not None:
        raise ParameterError(f"{who} takes no weights.")


def _read_weights(weights: Any, rows: int, policies: Mapping[Any, str]) -> NDArray[Any]:
    """Weights as int64 or float64, whose sum tells one point more from none."""
    found = encode_weights(weights, rows)
    if "singletons" in policies.values() and ((found != 0) & (found != 1)).any():
        why = " takes no weights: the points of one row would be clusters of their own."
        raise ParameterError(Setting("noise", "singletons"), why)
    if found.max() >= HEAVIEST or found.sum(dtype=np.float64) >= HEAVIEST:
        raise LabelError(f"weights of points must sum to less than {HEAVIEST:g}.")
    return found.astype(np.int64) if found.dtype.kind == "O" else found


def read_once(X: Any, metric: Any) -> Any:  # noqa: N803  # the name that everyone gives to features
    """Return features for several geometries; a table for Gower's distance is read here."""
    finished = metric is None or isinstance(X, Geometry | Moments)
    return X if finished or not read_metric(metric).reads_table else gower_table(X)


register_door("internal", as_geometry)
