"""Squared distances to centroids; distances within clusters compared with those between."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from clustervet.errors import ParameterError, UndefinedError
from clustervet.geometry import Geometry
from clustervet.internal.common import DISTANCE_BIAS, generator, ratio, whole
from clustervet.internal.pairs import exact_means, sampled_means
from clustervet.registry import Estimate, measure

# By default the ratio of distances is exact up to this many pairs of points; beyond, this many
# pairs are drawn.
EXACT_PAIRS = 50_000_000
DRAWN_PAIRS = 1_000_000


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
)
def ssq(geometry: Geometry) -> float:
    """Sum of squared distances to centroids.

    >>> ssq([[0, 0], [0, 2], [5, 0], [5, 2]], [0, 0, 1, 1])
    4.0
    """
    return math.fsum(geometry.within)


@measure(
    title="Intra- to inter-cluster distance ratio",
    symbol="Intra/Inter",
    family="compactness",
    kind="internal",
    better="lower",
    bounds=(0, math.inf),
    cost="pairs",
    aliases=("within_between_ratio", "wb_ratio"),
    equation="mean distance of pairs in one cluster / mean distance of pairs in two",
    reference="Aggarwal 2015, eqs. 6.43 and 6.44",
    meaning="How far apart points of one cluster are, compared with points of different clusters.",
    use="You want a number that is easy to read, for any metric: small is good, 1 is no structure.",
    avoid="Numbers of clusters differ much: more clusters lower it; " + DISTANCE_BIAS + ".",
)
def intra_inter_ratio(
    geometry: Geometry, pairs: int | Literal["all"] | None = None, random_state: Any = 0
) -> float:
    """Mean distance within clusters divided by the mean distance between them.

    Parameters
    ----------
    pairs : int or 'all', optional
        Number of pairs to draw, half within clusters and half between, or all pairs. By default
        all pairs up to fifty million, and one million drawn pairs beyond.
    random_state : int, Generator or None, default 0
        Seed for drawing pairs.

    Notes
    -----
    With drawn pairs the value is an `Estimate` with its standard error.

    Examples
    --------
    >>> intra_inter_ratio([[0], [1], [5], [6]], [0, 0, 1, 1])
    0.2
    """
    geometry.need_clusters()
    if pairs is None:
        pairs = "all" if math.comb(geometry.n, 2) <= EXACT_PAIRS else DRAWN_PAIRS
    if pairs == "all":
        intra, inter = exact_means(geometry)
        return ratio(intra, inter, "all points lie in one place")
    if isinstance(pairs, str):
        raise ParameterError(f"pairs must be 'all' or the number to draw, not {pairs!r}.")
    return sampled_means(geometry, whole(pairs, "pairs", 4), generator(random_state))


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
)
def calinski_harabasz(geometry: Geometry) -> float:
    """Ratio of the variance between clusters to the variance within.

    >>> calinski_harabasz([[0], [2], [10], [12]], [0, 0, 1, 1])
    50.0
    """
    geometry.need_clusters()
    n, k, within = geometry.n, geometry.k, ssq.record.formula(geometry)
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
)
def hartigan(geometry: Geometry) -> float:
    """Logarithm of the sum of squares between clusters over the sum within.

    >>> round(hartigan([[0], [2], [10], [12]], [0, 0, 1, 1]), 6)
    3.218876
    """
    geometry.need_clusters()
    found = ratio(geometry.between, ssq.record.formula(geometry), "all points lie in one place")
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
    meaning="How much tighter the clusters are than k-means makes them in structureless data.",
    use="One cluster or none must be a possible answer: it is the measure that can say so.",
    avoid="Time is short: it clusters every reference set; " + DISTANCE_BIAS + ".",
)
def gap_statistic(geometry: Geometry, references: int = 10, random_state: Any = 0) -> float:
    """Logarithm of the SSQ expected without structure, minus that of the clustering.

    Parameters
    ----------
    references : int, default 10
        Number of reference sets, at least 2.
    random_state : int, Generator or None, default 0
        Seed for the reference sets.

    Notes
    -----
    Reference points are uniform in the box along the principal axes. k-means clusters each set
    into as many clusters as the clustering has. The value is an `Estimate`; its standard error is
    s_k of step 3 of the paper.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.concatenate([np.arange(20.0), 1_000 + np.arange(20.0)])[:, None]
    >>> gap_statistic(X, np.repeat([0, 1], 20)) > 1
    True
    """
    count = whole(references, "references", 2)
    within = ssq.record.formula(geometry)
    if within == 0:
        raise UndefinedError("all points of each cluster are equal, so the SSQ is 0")
    from clustervet.internal.references import reference_ssq

    expected = reference_ssq(geometry.dense, geometry.k, count, generator(random_state))
    if not expected.all():
        raise UndefinedError("reference points have no more positions than there are clusters")
    found = np.log(expected)
    error = float(found.std()) * math.sqrt(1 + 1 / count)
    return Estimate(float(found.mean()) - math.log(within), standard_error=error, sample=count)
