"""Squared distances to centroids; distances within clusters compared with those between."""

from __future__ import annotations

import math
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import generator, whole
from clustervet._progress import ticking
from clustervet.errors import LabelError, ParameterError, UndefinedError
from clustervet.geometry import Geometry
from clustervet.internal.common import DISTANCE_BIAS, distance, ratio
from clustervet.internal.pairs import (
    NumberOfPairs,
    Places,
    distances_of,
    drawn_pairs,
    number_of_pairs,
)
from clustervet.registry import Estimate, measure

WHERE = ("in the same cluster", "in different clusters")


@measure(
    title="Sum of squared distances to centroids",
    symbol="SSQ",
    family="compactness",
    kind="internal",
    better="lower",
    bounds=(0, math.inf),
    unit="squared units",
    aliases=("sse", "inertia", "wcss", "within_ss"),
    equation="sum_k sum_{x in k} |x - c_k|^2",
    reference="Aggarwal 2015, §6.9.1",
    meaning="How far points lie from the centroids of their clusters, squared and summed.",
    use="You compare runs of k-means with one number of clusters, or look for the elbow.",
    avoid="Numbers of clusters or scales of features differ; " + DISTANCE_BIAS + ".",
    weighted=True,
    sized=True,
)
def ssq(geometry: Geometry) -> float:
    """Sum of squared distances to centroids.

    >>> ssq([[0, 0], [0, 2], [5, 0], [5, 2]], [0, 0, 1, 1])
    4.0
    """
    return geometry.in_unit(math.fsum(geometry.within), 2)


@measure(
    title="Intra- to inter-cluster distance ratio",
    symbol="Intra/Inter",
    family="compactness",
    kind="internal",
    better="lower",
    bounds=(0, math.inf),
    cost="pairs",
    aliases=("within_between_ratio", "wb_ratio", "mcclain_rao"),
    equation="mean distance of pairs in one cluster / mean distance of pairs in two",
    reference="Aggarwal 2015, eqs. 6.43 and 6.44; McClain & Rao 1975",
    meaning="How far apart points of one cluster are, compared with points of different clusters.",
    use="You want a number that is easy to read, for any metric: small is good, 1 is no structure.",
    avoid="Numbers of clusters differ much: more clusters lower it; " + DISTANCE_BIAS + ".",
    weighted=True,
)
def intra_inter_ratio(
    geometry: Geometry,
    pairs: NumberOfPairs = None,
    random_state: Any = 0,
    draw: str = "halves",
) -> float:
    """Mean distance within clusters divided by the mean distance between them.

    Parameters
    ----------
    pairs : int or 'all', optional
        Number of pairs to draw, or all pairs. By default all pairs up to fifty million, and one
        million drawn pairs beyond.
    random_state : int, Generator or None, default 0
        Seed for drawing pairs.
    draw : {'halves', 'simple'}, default 'halves'
        Whether half of the pairs are drawn within clusters and half between them, or all of them
        from all pairs of points, as in the book.

    Notes
    -----
    With drawn pairs the value is an `Estimate` with its standard error. It is McClain_Rao of
    clusterCrit. NbClust's McClain divides both means by their numbers of pairs once more.

    Examples
    --------
    >>> intra_inter_ratio([[0], [1], [5], [6]], [0, 0, 1, 1])
    0.2
    """
    geometry.need_clusters()
    count = _number(geometry, pairs, draw)
    if count is None:
        within, between = (_exact_mean(geometry, side) for side in (0, 1))
        return ratio(within, between, "all points lie in one place")
    drawn = drawn_pairs(geometry, count, draw, generator(random_state))
    intra, inter = (_sampled_mean(geometry, drawn[side], WHERE[side]) for side in (0, 1))
    found = ratio(intra, inter, "all points drawn lie in one place")
    if not math.isfinite(found):
        raise UndefinedError("all pairs drawn between clusters are at distance 0")
    # The variance of a quotient of independent means, to first order.
    error = math.hypot(intra.standard_error, found * inter.standard_error) / inter
    return Estimate(found, standard_error=error, sample=count)


@measure(
    title="Mean distance within clusters",
    symbol="Intra",
    family="compactness",
    kind="internal",
    better="lower",
    bounds=(0, math.inf),
    unit="distance",
    cost="pairs",
    aliases=("intra", "average_within"),
    equation="sum_{(i,j) in P} d(x_i, x_j) / |P|, P: pairs of points in one cluster",
    reference="Aggarwal 2015, eq. 6.43",
    meaning="How far apart two points of the same cluster are, on average.",
    use="You compare clusterings into one number of clusters in the unit of the distance, for any "
    "metric.",
    avoid="Numbers of clusters or scales of features differ: more clusters lower it; "
    + DISTANCE_BIAS
    + ".",
    weighted=True,
)
def intra_distance(
    geometry: Geometry,
    pairs: NumberOfPairs = None,
    random_state: Any = 0,
    draw: str = "halves",
) -> float:
    """Mean distance of two points of the same cluster.

    Parameters
    ----------
    pairs : int or 'all', optional
        Number of pairs to draw, as for `intra_inter_ratio`: the same seed draws the same pairs,
        and those within clusters count. By default all pairs up to fifty million.
    random_state : int, Generator or None, default 0
        Seed for drawing pairs.
    draw : {'halves', 'simple'}, default 'halves'
        Whether half of the pairs are drawn within clusters and half between them, or all of them
        from all pairs of points, as in the book.

    Notes
    -----
    With drawn pairs the value is an `Estimate` with its standard error; its sample is the number
    of pairs within clusters.

    Examples
    --------
    >>> intra_distance([[0], [1], [5], [6]], [0, 0, 1, 1])
    1.0
    """
    if geometry.k == geometry.rows == geometry.n:
        raise UndefinedError("it needs a cluster of at least 2 points", fault=LabelError)
    return _mean_of_side(geometry, 0, pairs, random_state, draw)


@measure(
    title="Mean distance between clusters",
    symbol="Inter",
    family="compactness",
    kind="internal",
    better="higher",
    bounds=(0, math.inf),
    unit="distance",
    cost="pairs",
    aliases=("inter", "average_between"),
    equation="sum_{(i,j) in Q} d(x_i, x_j) / |Q|, Q: pairs of points in two clusters",
    reference="Aggarwal 2015, eq. 6.44",
    meaning="How far apart two points of different clusters are, on average.",
    use="You compare clusterings into one number of clusters in the unit of the distance, for any "
    "metric.",
    avoid="Numbers of clusters or scales of features differ: more clusters usually lower it; "
    + DISTANCE_BIAS
    + ".",
    weighted=True,
)
def inter_distance(
    geometry: Geometry,
    pairs: NumberOfPairs = None,
    random_state: Any = 0,
    draw: str = "halves",
) -> float:
    """Mean distance of two points of different clusters.

    Parameters
    ----------
    pairs : int or 'all', optional
        Number of pairs to draw, as for `intra_inter_ratio`: the same seed draws the same pairs,
        and those between clusters count. By default all pairs up to fifty million.
    random_state : int, Generator or None, default 0
        Seed for drawing pairs.
    draw : {'halves', 'simple'}, default 'halves'
        Whether half of the pairs are drawn within clusters and half between them, or all of them
        from all pairs of points, as in the book.

    Notes
    -----
    With drawn pairs the value is an `Estimate` with its standard error; its sample is the number
    of pairs between clusters.

    Examples
    --------
    >>> inter_distance([[0], [1], [5], [6]], [0, 0, 1, 1])
    5.0
    """
    geometry.need_clusters(fewer_than_points=False)
    return _mean_of_side(geometry, 1, pairs, random_state, draw)


@measure(
    title="Calinski-Harabasz index",
    symbol="CH",
    family="compactness",
    kind="internal",
    better="higher",
    bounds=(0, math.inf),
    aliases=("variance_ratio", "ch"),
    equation="(B / (k - 1)) / (W / (n - k))",
    reference="Calinski & Harabasz 1974, eq. 3",
    meaning="Variance between centroids over variance within clusters, by degrees of freedom.",
    use="You choose a number of clusters for k-means or Ward's method: its maximum is a good one.",
    avoid="Clusters differ much in size or spread; " + DISTANCE_BIAS + ".",
    weighted=True,
    sized=True,
)
def calinski_harabasz(geometry: Geometry) -> float:
    """Ratio of the variance between clusters to the variance within.

    >>> calinski_harabasz([[0], [2], [10], [12]], [0, 0, 1, 1])
    50.0
    """
    geometry.need_clusters()
    n, k, within = geometry.n, geometry.k, math.fsum(geometry.within)
    return ratio(geometry.between * (n - k), within * (k - 1), "all points lie in one place")


@measure(
    title="Hartigan's index",
    symbol="H",
    family="compactness",
    kind="internal",
    better="higher",
    bounds=(-math.inf, math.inf),
    unit="nats",
    aliases=("log_ss_ratio",),
    equation="ln(B / W)",
    reference="Hartigan 1975, ch. 4",
    meaning="Logarithm of the sum of squares between clusters over that within.",
    use="You watch its rise from one number of clusters to the next: a small rise means enough.",
    avoid="Numbers of clusters differ: it always rises with them; " + DISTANCE_BIAS + ".",
    weighted=True,
)
def hartigan(geometry: Geometry) -> float:
    """Logarithm of the sum of squares between clusters over the sum within.

    >>> round(hartigan([[0], [2], [10], [12]], [0, 0, 1, 1]), 6)
    3.218876
    """
    geometry.need_clusters()
    found = ratio(geometry.between, math.fsum(geometry.within), "all points lie in one place")
    return math.log(found) if found > 0 else -math.inf


@measure(
    title="Gap statistic",
    symbol="Gap",
    family="compactness",
    kind="internal",
    better="higher",
    bounds=(-math.inf, math.inf),
    unit="nats",
    cost="refits",
    aliases=("gap",),
    equation="mean over references of ln W* - ln W",
    reference="Tibshirani, Walther & Hastie 2001, eq. 3",
    meaning="How much tighter the clusters are than those of structureless data.",
    use="One cluster or none must be a possible answer: it is the measure that can say so.",
    avoid="Time is short: it clusters every reference set; " + DISTANCE_BIAS + ".",
    no_interval="the points are clustered again for it",
)
def gap_statistic(
    geometry: Geometry, references: int = 10, random_state: Any = 0, cluster: Any = None
) -> float:
    """Logarithm of the SSQ expected without structure, minus that of the clustering.

    Parameters
    ----------
    references : int, default 10
        Number of reference sets, at least 2.
    random_state : int, Generator or None, default 0
        Seed for the reference sets.
    cluster : callable, optional
        Function of points that returns labels, which clusters the reference sets. By default
        k-means makes as many clusters as the clustering has. `tune` clusters them by the
        clusterer that it tunes.

    Notes
    -----
    Reference points are uniform in the box along the principal axes. The value is an `Estimate`;
    its standard error is s_k of step 3 of the paper.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.concatenate([np.arange(20.0), 1_000 + np.arange(20.0)])[:, None]
    >>> gap_statistic(X, np.repeat([0, 1], 20)) > 1
    True
    """
    count = whole(references, "references", 2)
    within = math.fsum(geometry.within)
    if within == 0:
        raise UndefinedError("all points of each cluster are equal, so the SSQ is 0")
    if cluster is not None and not callable(cluster):
        raise ParameterError("cluster must be a function of points that returns labels.")
    expected = _reference_ssq(geometry, count, generator(random_state), cluster)
    if not expected.all():
        raise UndefinedError("reference points have no more positions than there are clusters")
    found = np.log(expected)
    error = float(found.std()) * math.sqrt(1 + 1 / count)
    return Estimate(float(found.mean()) - math.log(within), standard_error=error, sample=count)


def _number(geometry: Geometry, pairs: NumberOfPairs, draw: str) -> int | None:
    """The number of pairs to draw, or None for all; squared distances follow from centroids."""
    known = pairs is None and geometry.metric.squares
    return number_of_pairs(geometry, "all" if known else pairs, draw)


def _mean_of_side(geometry: Geometry, side: int, pairs: Any, random_state: Any, draw: str) -> float:
    """Mean distance of pairs within clusters (side 0) or between them (side 1)."""
    count = _number(geometry, pairs, draw)
    if count is None:
        return distance(geometry, _exact_mean(geometry, side))
    drawn = drawn_pairs(geometry, count, draw, generator(random_state))[side]
    return distance(geometry, _sampled_mean(geometry, drawn, WHERE[side]))


def _exact_mean(geometry: Geometry, side: int) -> float:
    """Mean distance over all pairs in one cluster (side 0), or in two (side 1)."""
    others = [(size - 1, geometry.n - size)[side] for size in geometry.sizes.tolist()]
    count = float(sum(map(mul, geometry.sizes.tolist(), others))) / 2
    if count <= 0:
        raise UndefinedError("the weights are too small to count pairs of points")
    if geometry.metric.squares:
        return _squared_totals(geometry)[side] / count
    sums = geometry.pair_sums
    inside = float(geometry.weighed(sums.own, geometry.order).sum()) / 2
    return (inside, sums.between)[side] / count


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


def _sampled_mean(geometry: Geometry, drawn: tuple[Places, Places], where: str) -> Estimate:
    """Mean distance of drawn pairs, in the unit of the geometry."""
    if len(drawn[0]) < 2:
        raise UndefinedError(
            f"{len(drawn[0])} of the pairs drawn are of points {where}; draw more pairs"
        )
    found = distances_of(geometry, *drawn)
    error = float(found.std(ddof=1)) / math.sqrt(len(found))
    return Estimate(float(found.mean()), standard_error=error, sample=len(found))


def _reference_ssq(
    geometry: Geometry, count: int, rng: np.random.Generator, cluster: Any
) -> NDArray[np.float64]:
    """SSQ of clusters of `count` sets of uniform points in the box along the principal axes."""
    from threadpoolctl import threadpool_limits

    points = geometry.dense
    centred = points - points.mean(axis=0, dtype=np.float64)
    axes = np.linalg.eigh(centred.T @ centred)[1]
    turned = centred @ axes
    low, high = turned.min(axis=0), turned.max(axis=0)
    found = np.empty(count)
    # Threads within a fit of this size cost more than they save.
    with ticking(count, "reference sets") as tick, threadpool_limits(1):
        for b in range(count):
            drawn = rng.uniform(low, high, points.shape)
            if cluster is None or geometry.k == 1:
                found[b] = _kmeans_ssq(drawn, geometry.k, rng)
            else:
                labels = cluster(np.ldexp(drawn, geometry.exponent))
                found[b] = math.fsum(Geometry(drawn, labels).within)
            tick()
    return found


def _kmeans_ssq(points: NDArray[np.float64], clusters: int, rng: np.random.Generator) -> float:
    if clusters == 1:
        return float(((points - points.mean(axis=0)) ** 2).sum())
    from sklearn.cluster import KMeans

    seed = int(rng.integers(2**31))
    return float(KMeans(clusters, n_init=3, random_state=seed).fit(points).inertia_)
