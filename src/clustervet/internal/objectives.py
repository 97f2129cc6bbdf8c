"""Objectives of clustering algorithms: medoids, medians, and the criteria of linkage."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import generator, whole
from clustervet.geometry import Geometry
from clustervet.internal.common import BLOCK, DISTANCE_BIAS, distance, drawn_places, strata
from clustervet.internal.separation import (
    centroid_distances,
    least_of_pairs,
    mean_distances,
    need_few_clusters,
)
from clustervet.registry import Estimate, measure

Floats = NDArray[np.float64]
FEWER_IS_HIGHER = "Numbers of clusters differ: fewer clusters usually raise it; it favours "


@measure(
    title="Sum of distances to medoids",
    symbol="TD",
    family="compactness",
    kind="internal",
    better="lower",
    bounds=(0, math.inf),
    unit="distance",
    cost="pairs",
    aliases=("td", "total_deviation", "k_medoids"),
    equation="sum_k min_{m in k} sum_{x in k} d(x, m)",
    reference="Kaufman & Rousseeuw 1990, ch. 2; Mottin (TD)",
    meaning="How far points lie from the most central point of their cluster, summed.",
    use="You compare runs of k-medoids (PAM) with one number of clusters, in any metric, or look "
    "for the elbow.",
    avoid="Numbers of clusters or scales of features differ: more clusters lower it; "
    + DISTANCE_BIAS
    + ".",
    weighted=True,
    sized=True,
)
def medoid_distance(geometry: Geometry, sample: int | None = None, random_state: Any = 0) -> float:
    """Sum of the distances of points to the medoid of their cluster.

    Parameters
    ----------
    sample : int, optional
        Number of points that are tried as medoids, drawn cluster by cluster, at least two of each;
        each is compared with all points of its cluster. By default all points are tried.
    random_state : int, Generator or None, default 0
        Seed for drawing points.

    Notes
    -----
    The medoid of a cluster is the point of it with the least sum of distances to the others.
    Finding it takes time n_k^2 for a cluster of n_k points, and time n_k where distances are
    squares ("sqeuclidean", "cosine"). Memory stays bounded.

    With `sample` the value is an `Estimate`, and never below the exact value. Let g be how much the
    value falls, on average, as the number of points that are tried rises from a quarter of those
    drawn to a half. Each further doubling gains less than the one before. So g times the number of
    doublings from the points drawn to all points, which is the standard error, is a cautious guess
    of how far the value is above the exact one.

    Examples
    --------
    >>> medoid_distance([[0], [1], [5], [20], [21]], [0, 0, 0, 1, 1])
    6.0
    """
    if sample is None:
        sums = geometry.own_sums(np.arange(geometry.rows))
        least = np.minimum.reduceat(sums, geometry.starts[:-1])
        return distance(geometry, math.fsum(least))
    asked = whole(sample, "sample", 2)
    count = min(geometry.rows, max(asked, int(np.minimum(geometry.sizes, 2).sum())))
    parts = strata(geometry, count)
    sums = geometry.own_sums(drawn_places(parts, generator(random_state)))
    found, excess, at = [], 0.0, 0
    for _, size, drawn in parts:
        tried = np.sort(sums[at : at + drawn])
        at += drawn
        found.append(tried[0])
        if drawn < size:
            half, quarter = max(1, drawn // 2), max(1, drawn // 4)
            more, fewer = (half, quarter) if half > quarter else (drawn, half)
            gain = _mean_of_least(tried, fewer) - _mean_of_least(tried, more)
            excess += gain * math.log(size / drawn) / math.log(more / fewer)
    value = Estimate(math.fsum(found), standard_error=excess, sample=count)
    return distance(geometry, value)


def _mean_of_least(values: Floats, count: int) -> float:
    """The mean, over all choices of some of the rising values, of the least one chosen."""
    total = len(values)
    places = np.arange(1, total - count + 1)
    # The share of choices whose least value is the first one, then the ratio of each to the next.
    steps = (total - places - count + 1) / (total - places)
    shares = count / total * np.cumprod(np.concatenate([[1.0], steps]))
    return float(shares @ values[: len(shares)])


@measure(
    title="Sum of distances to medians",
    symbol="KMD",
    family="compactness",
    kind="internal",
    better="lower",
    bounds=(0, math.inf),
    unit="distance",
    cost="points",
    aliases=("k_medians",),
    equation="sum_k sum_{x in k} |x - median_k|_1",
    reference="Bradley, Mangasarian & Street 1997; Aggarwal 2015, §6.9.1 (k-representatives)",
    meaning="How far points lie from the medians of the features in their cluster, in city-block "
    "distance, summed.",
    use="You compare runs of k-medians with one number of clusters: outliers count less than in "
    "SSQ.",
    avoid="Numbers of clusters or scales of features differ: more clusters lower it. The axes "
    "matter, so turning the points changes it; " + DISTANCE_BIAS + ".",
    weighted=True,
    sized=True,
)
def median_distance(geometry: Geometry) -> float:
    """Sum of the city-block distances of points to the medians of their cluster.

    Notes
    -----
    The distance is the city-block one whatever the metric. Every median of an even number of
    values gives the same sum.

    Examples
    --------
    >>> median_distance([[0, 0], [1, 0], [5, 3], [20, 0], [21, 1]], [0, 0, 0, 1, 1])
    10.0
    """
    points = geometry.points
    if geometry.is_sparse:
        sums = _sparse_spreads(geometry)
    else:
        sums = []
        for start, stop in zip(geometry.starts[:-1], geometry.starts[1:], strict=True):
            places = geometry.order[start:stop]
            step = max(1, BLOCK // len(places))
            sums += [
                _to_medians(geometry, places, points[places, at : at + step])
                for at in range(0, geometry.d, step)
            ]
    return geometry.in_unit(math.fsum(sums))


def _to_medians(geometry: Geometry, places: NDArray[np.int64], values: NDArray[Any]) -> float:
    """Sum over columns of the distances of the rows' values to the median of their column."""
    # A value of the column, so that differences are exact however far the points are from 0.
    if geometry.weights is None:
        middle = len(values) // 2
        medians = np.partition(values, middle, axis=0)[middle].astype(np.float64)
    else:
        rising = np.argsort(values, axis=0)
        reached = np.cumsum(geometry.weights[places][rising], axis=0)
        halves = rising[(reached < reached[-1] / 2).sum(axis=0), np.arange(values.shape[1])]
        medians = values[halves, np.arange(values.shape[1])].astype(np.float64)
    return float(geometry.weighed(np.abs(values - medians), places).sum())


def _sparse_spreads(geometry: Geometry) -> list[float]:
    """Distances to medians by cluster; where at least half of a column is 0, so is its median."""
    found = []
    spans = zip(geometry.starts[:-1], geometry.starts[1:], geometry.sizes, strict=True)
    for start, stop, size in spans:
        places = geometry.order[start:stop]
        rows = geometry.points[places].tocsc()
        of = places[rows.indices]  # the row of each value
        columns = np.repeat(np.arange(geometry.d), np.diff(rows.indptr))
        filled = np.bincount(columns, geometry.weighed(np.ones(len(of)), of), geometry.d)
        full = np.flatnonzero(2 * filled > size)
        found.append(float(geometry.weighed(np.abs(rows.data, dtype=np.float64), of).sum()))
        step = max(1, BLOCK // rows.shape[0])
        for at in range(0, len(full), step):
            values = rows[:, full[at : at + step]].toarray().astype(np.float64)
            known = float(geometry.weighed(np.abs(values), places).sum())
            found += [_to_medians(geometry, places, values), -known]
    return found


@measure(
    title="Single-linkage distance",
    symbol="SL",
    family="separation",
    kind="internal",
    better="higher",
    bounds=(0, math.inf),
    unit="distance",
    cost="pairs",
    aliases=("spacing",),
    equation="min_{a != b} min_{x in a, y in b} d(x, y)",
    reference="Sneath 1957; Aggarwal 2015, §6.9.1 (agglomerative methods)",
    meaning="The least distance between points of two clusters: the height at which single linkage "
    "would merge next.",
    use="Clusters must be apart, whatever their shape. At one number of clusters, single linkage "
    "makes it as large as possible.",
    avoid=FEWER_IS_HIGHER + "single linkage. A chain of points or a single one decides it.",
    weighted=True,
    no_interval="single points decide it, and leaving points out at random says little about them",
)
def single_linkage(geometry: Geometry) -> float:
    """Least distance between points of two clusters.

    Notes
    -----
    The criterion of a linkage for a flat clustering is its value for the two clusters that it would
    merge next. For a cut of the tree of the same linkage it is the height of the next merge.

    Examples
    --------
    >>> single_linkage([[0], [2], [10], [12]], [0, 0, 1, 1])
    8.0
    """
    geometry.need_clusters(fewer_than_points=False)
    return distance(geometry, float(geometry.extremes().separation.min()))


@measure(
    title="Complete-linkage distance",
    symbol="CL",
    family="separation",
    kind="internal",
    better="higher",
    bounds=(0, math.inf),
    unit="distance",
    cost="pairs",
    equation="min_{a != b} max_{x in a, y in b} d(x, y)",
    reference="Sørensen 1948; Aggarwal 2015, §6.9.1 (agglomerative methods)",
    meaning="The least, over two clusters, of the largest distance between their points: the "
    "height at which complete linkage would merge next.",
    use="You ask how wide a cluster would become if the two most similar ones were merged.",
    avoid=FEWER_IS_HIGHER + "complete linkage and compact clusters. Outliers raise it.",
    weighted=True,
    no_interval="single points decide it, and leaving points out at random says little about them",
)
def complete_linkage(geometry: Geometry) -> float:
    """Least of the largest distances between points of two clusters.

    Notes
    -----
    The criterion of a linkage for a flat clustering is its value for the two clusters that it would
    merge next. For a cut of the tree of the same linkage it is the height of the next merge.

    Examples
    --------
    >>> complete_linkage([[0], [2], [10], [12]], [0, 0, 1, 1])
    12.0
    """
    geometry.need_clusters(fewer_than_points=False)
    need_few_clusters(geometry)
    return distance(geometry, least_of_pairs(geometry.extremes(by_pair=True).farthest))


@measure(
    title="Average-linkage distance",
    symbol="AL",
    family="separation",
    kind="internal",
    better="higher",
    bounds=(0, math.inf),
    unit="distance",
    cost="pairs",
    aliases=("upgma",),
    equation="min_{a != b} mean_{x in a, y in b} d(x, y)",
    reference="Sokal & Michener 1958; Aggarwal 2015, §6.9.1 (agglomerative methods)",
    meaning="The least, over two clusters, of the mean distance between their points: the height "
    "at which average linkage would merge next.",
    use="You ask how far apart the two most similar clusters are, and no single point may decide.",
    avoid=FEWER_IS_HIGHER + "average linkage and compact clusters.",
    weighted=True,
)
def average_linkage(geometry: Geometry) -> float:
    """Least mean distance between the points of two clusters.

    Notes
    -----
    The criterion of a linkage for a flat clustering is its value for the two clusters that it would
    merge next. For a cut of the tree of the same linkage it is the height of the next merge.

    Examples
    --------
    >>> average_linkage([[0], [2], [10], [12]], [0, 0, 1, 1])
    10.0
    """
    geometry.need_clusters(fewer_than_points=False)
    need_few_clusters(geometry)
    return distance(geometry, least_of_pairs(mean_distances(geometry)))


@measure(
    title="Ward distance",
    symbol="WL",
    family="separation",
    kind="internal",
    better="higher",
    bounds=(0, math.inf),
    unit="distance",
    cost="points",
    aliases=("ward_distance",),
    equation="min_{a != b} sqrt(2 n_a n_b / (n_a + n_b)) |c_a - c_b|",
    reference="Ward 1963; Aggarwal 2015, §6.9.1 (agglomerative methods)",
    meaning="The height at which Ward's method would merge next: half of its square is the least "
    "rise of SSQ by a merge.",
    use="You ask what the next merge would cost in SSQ, for clusters of k-means or Ward's method.",
    avoid=FEWER_IS_HIGHER + "Ward's method, k-means and large clusters.",
    weighted=True,
    no_interval="it grows with the square root of the number of points",
)
def ward_linkage(geometry: Geometry) -> float:
    """Least distance of centroids, weighted by sizes as in Ward's method.

    Notes
    -----
    The criterion of a linkage for a flat clustering is its value for the two clusters that it would
    merge next. For a cut of the tree of the same linkage it is the height of the next merge, as
    scipy gives it. Distances are Euclidean whatever the metric.

    Examples
    --------
    >>> round(ward_linkage([[0], [2], [10], [12]], [0, 0, 1, 1]), 6)
    14.142136
    """
    geometry.need_clusters(fewer_than_points=False)
    sizes = geometry.sizes.astype(float)
    least = math.inf
    for first, last, apart in centroid_distances(geometry):
        own = sizes[first:last, None]
        least = min(least, float((np.sqrt(2 * own * sizes / (own + sizes)) * apart).min()))
    return geometry.in_unit(least)
