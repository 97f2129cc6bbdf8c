"""Clusters by their centroids, and by how far points and single features spread about them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import is_number
from clustervet._memory import need
from clustervet.errors import ParameterError, UndefinedError
from clustervet.geometry import Geometry, MomentGeometry
from clustervet.geometry.moments import centers, scatter
from clustervet.internal.common import DISTANCE_BIAS, pieces, ratio
from clustervet.internal.separation import centroid_distances, need_few_clusters
from clustervet.registry import measure

Floats = NDArray[np.float64]
ONE_PLACE = "all points lie in one place"
# A point is near a place if it is within the deviation, but for what rounding adds.
NEAR = 1 + 1e-12


@measure(
    title="Ball-Hall index",
    symbol="BH",
    family="indices",
    kind="internal",
    better="lower",
    bounds=(0, math.inf),
    unit="squared units",
    equation="mean_k (1 / n_k) sum_{x in k} |x - c_k|^2",
    reference="Ball & Hall 1965",
    meaning="The mean squared distance to the centroid in a cluster, averaged over clusters.",
    use="Small clusters should count as much as large ones, with one number of clusters.",
    avoid="Numbers of clusters or scales of features differ: more clusters lower it. In NbClust it "
    "is ssq / k, and genieclust sums over clusters; " + DISTANCE_BIAS + ".",
    weighted=True,
)
def ball_hall(geometry: Geometry) -> float:
    """Mean over clusters of the mean squared distance to the centroid.

    >>> ball_hall([[0], [2], [10], [16]], [0, 0, 1, 1])
    5.0
    """
    return geometry.in_unit(math.fsum(geometry.within / geometry.sizes) / geometry.k, 2)


@measure(
    title="PBM index",
    symbol="PBM",
    family="indices",
    kind="internal",
    better="higher",
    bounds=(0, math.inf),
    unit="squared units",
    aliases=("pakhira_bandyopadhyay_maulik",),
    equation="(E_1 / E_k max_{i,j} |c_i - c_j| / k)^2, E: distances to the mean, or to centroids",
    reference="Pakhira, Bandyopadhyay & Maulik 2004",
    meaning="How much nearer points are to centroids than to one mean, times the largest distance "
    "of centroids, by the number of clusters.",
    use="You choose a number of clusters for the same points: its largest value is a good one.",
    avoid="Scales of features differ between data sets, or one cluster lies far away: the farthest "
    "two centroids count alone; " + DISTANCE_BIAS + ".",
    weighted=True,
)
def pbm(geometry: Geometry) -> float:
    """Fall of the distances to centers, times the widest gap of centroids, by clusters, squared.

    >>> pbm([[0], [2], [10], [12]], [0, 0, 1, 1])
    625.0
    """
    geometry.need_clusters()
    near = math.fsum(geometry.spreads * geometry.sizes)
    widest = max(_without_own(block, -np.inf).max() for _, _, block in centroid_distances(geometry))
    root = ratio(_from_mean(geometry) * float(widest), geometry.k * near, ONE_PLACE)
    return geometry.in_unit(root**2, 2)


@measure(
    title="Duda-Hart ratio",
    symbol="Je2/Je1",
    family="indices",
    kind="internal",
    better="lower",
    bounds=(0, 1),
    aliases=("duda", "dudahart"),
    equation="max_{i != j} (W_i + W_j) / W_{i and j as one}",
    reference="Duda & Hart 1973",
    meaning="The two clusters that are most like one: what splitting them leaves of their sum of "
    "squares.",
    use="You suspect that two clusters should be one. A Gaussian that is cut in half has 0.36 "
    "along one feature, and nearer to 1 the more features there are.",
    avoid="Clusters differ much in size: a small cluster takes little from the sum of squares. "
    "NbClust compares the two clusters that are merged next; " + DISTANCE_BIAS + ".",
    weighted=True,
)
def duda_hart(geometry: Geometry) -> float:
    """Largest share of the sum of squares of two clusters that is left when they are apart.

    Notes
    -----
    With two clusters it is Je(2) / Je(1) of the book, and `dh` of fpc's dudahart2.

    Examples
    --------
    >>> round(duda_hart([[0], [2], [10], [12]], [0, 0, 1, 1]), 6)
    0.038462
    """
    geometry.need_clusters()
    sizes, within = geometry.sizes.astype(float), geometry.within
    largest = 0.0
    for first, last, apart in centroid_distances(geometry):
        joint = sizes[first:last, None] * sizes / (sizes[first:last, None] + sizes)
        left = within[first:last, None] + within
        whole = left + joint * apart**2  # infinite for a cluster and itself
        if not whole.all():
            raise UndefinedError("two clusters are the same single point")
        largest = max(largest, float((left / whole).max()))
    return largest


@measure(
    title="SD index",
    symbol="SD",
    family="indices",
    kind="internal",
    better="lower",
    bounds=(0, math.inf),
    unit="1 / distance",
    aliases=("sd_validity",),
    equation="alpha Scat + Dis, Scat: mean_k |var_k| / |var|, "
    "Dis: max |c_i - c_j| / min |c_i - c_j| sum_i 1 / sum_j |c_i - c_j|",
    reference="Halkidi, Vazirgiannis & Batistakis 2000",
    meaning="How much features vary within clusters, and how unevenly and closely centroids lie.",
    use="You choose a number of clusters for the same points: its least value is a good one.",
    avoid="Scales of features differ between data sets: it is in the unit of 1 / distance; "
    + DISTANCE_BIAS
    + ".",
    weighted=True,
)
def sd_index(geometry: Geometry, alpha: float | None = None) -> float:
    """Scatter within clusters times a weight, plus the uneven closeness of centroids.

    Parameters
    ----------
    alpha : float, optional
        Weight of the scatter. The paper takes Dis of the largest number of clusters that is
        compared, which is the value of that clustering with ``alpha=0``. By default Dis of the
        clustering itself.

    Notes
    -----
    NbClust takes the weight from the largest number of clusters. clusterCrit reports Scat and Dis
    apart.

    Examples
    --------
    >>> X, labels = [[0], [2], [10], [12]], [0, 0, 1, 1]
    >>> round(sd_index(X, labels), 6), sd_index(X, labels, alpha=0)
    (0.207692, 0.2)
    """
    if alpha is not None and not (is_number(alpha) and 0 <= alpha < math.inf):
        raise ParameterError(f"alpha must be a number of at least 0, not {alpha!r}.")
    geometry.need_clusters()
    least, most, sums = math.inf, 0.0, []
    for _, _, apart in centroid_distances(geometry):
        least = min(least, float(apart.min()))
        inside = _without_own(apart, 0.0)
        most = max(most, float(inside.max()))
        sums.append(inside.sum(axis=1))
    if least == 0:
        raise UndefinedError("two clusters have the same centroid")
    uneven = geometry.in_unit(most / least * math.fsum(1 / np.concatenate(sums)), -1)
    return (uneven if alpha is None else float(alpha)) * _scatter(geometry) + uneven


@measure(
    title="S_Dbw index",
    symbol="S_Dbw",
    family="indices",
    kind="internal",
    better="lower",
    bounds=(0, math.inf),
    aliases=("sdbw",),
    equation="Scat + mean_{i != j} dens(middle of c_i and c_j) / max(dens(c_i), dens(c_j))",
    reference="Halkidi & Vazirgiannis 2001",
    meaning="How much features vary within clusters, and how dense it is half-way between them "
    "beside their centres.",
    use="Dense regions with sparse ones between them are what you call clusters.",
    avoid="There are many features or clusters: then no point is near a centroid, and it has no "
    "value; " + DISTANCE_BIAS + ".",
    weighted=True,
)
def s_dbw(geometry: Geometry) -> float:
    """Scatter within clusters plus the density between them.

    Notes
    -----
    The density of a place is the number of points of the two clusters within the mean deviation of
    it, sqrt(sum_k |var_k|) / k. About a centroid NbClust counts the points of its own cluster
    alone, and it takes 0/0 as 0.

    Examples
    --------
    >>> points = [[0], [0], [1], [-1], [10], [10], [11], [9]]
    >>> round(s_dbw(points, [0, 0, 0, 0, 1, 1, 1, 1]), 6)
    0.019608
    """
    geometry.need_clusters()
    need_few_clusters(geometry)
    scat = _scatter(geometry)
    k = geometry.k
    need(32 * k**2, f"the densities between {k:,} clusters")
    apart = np.concatenate([_without_own(b, 0.0) for _, _, b in centroid_distances(geometry)])
    variances = geometry.feature_scatter / geometry.sizes[:, None]
    radius = NEAR * float(np.sqrt((variances**2).sum(axis=1)).sum()) / k**2  # squared
    centre, middle = np.zeros((k, k)), np.zeros((k, k))
    for points, codes, rows in pieces(geometry):
        squares = geometry.centers.squares(points, 0, len(codes))
        own = squares[np.arange(len(codes)), codes][:, None]
        # The median of the triangle of a point and two centroids, by Apollonius.
        halfway = (own + squares) / 2 - apart[codes] ** 2 / 4
        np.add.at(centre, codes, geometry.weighed(squares <= radius, rows))
        np.add.at(middle, codes, geometry.weighed(halfway <= radius, rows))
    at_own = np.diag(centre)[:, None] + centre.T  # points of both clusters about the first one
    densest = np.maximum(at_own, at_own.T)
    other = ~np.eye(k, dtype=bool)
    if not densest[other].all():
        raise UndefinedError("no point of two clusters is within the mean deviation of a centroid")
    return scat + float(((middle + middle.T)[other] / densest[other]).mean())


def _without_own(block: Floats, value: float) -> Floats:
    """Distances of centroids, with a value for those of a centroid to itself."""
    return np.where(np.isinf(block), value, block)


def _scatter(geometry: Geometry) -> float:
    """Mean over clusters of the length of the vector of variances, by that of all points."""
    inside = geometry.feature_scatter
    steps = geometry.centers.from_first()
    steps -= (geometry.sizes / geometry.n) @ steps
    total = inside.sum(axis=0) + geometry.sizes @ steps**2
    lengths = np.sqrt(((inside / geometry.sizes[:, None]) ** 2).sum(axis=1))
    return ratio(float(lengths.mean()), math.sqrt(((total / geometry.n) ** 2).sum()), ONE_PLACE)


def _from_mean(geometry: Geometry) -> float:
    """Sum of the distances of all points to their mean."""
    if isinstance(geometry, MomentGeometry):
        steps = geometry.centers.from_first()
        mean = (geometry.sizes / geometry.n) @ steps
        found = 0.0
        for points, _ in geometry.blocks():
            found += float(
                np.linalg.norm(points - geometry.centers.anchors[0] - mean, axis=1).sum()
            )
        return found
    one: Any = np.zeros(geometry.rows, np.int32)
    mean_of_all = centers(geometry.points, one, np.array([geometry.n]), geometry.weights)
    return float(scatter(geometry.points, one, mean_of_all, geometry.weights)[1].sum())
