"""Measures of one soft clustering: how sharp its memberships are, and how they fit the points."""

from __future__ import annotations

import math

import numpy as np

from clustervet._checks import is_number, shown
from clustervet.errors import LabelError, ParameterError, UndefinedError
from clustervet.external.common import in_base
from clustervet.geometry.widths import all_widths
from clustervet.internal.common import DISTANCE_BIAS, ratio
from clustervet.registry import measure
from clustervet.soft.features import ONE_CLUSTER, SoftGeometry


def _degrees(geometry: SoftGeometry) -> np.ndarray:
    """All degrees above 0."""
    shares = geometry.memberships.shares
    values = shares.data if geometry.memberships.is_sparse else shares[shares > 0]
    return np.asarray(values, np.float64)


def _coefficient(geometry: SoftGeometry) -> float:
    return min(1.0, float(np.square(_degrees(geometry)).sum()) / geometry.n)


def _power(m: float) -> float:
    if not (is_number(m) and 1 <= m < math.inf):
        raise ParameterError(f"m must be a number of at least 1, not {shown(m)}.")
    return float(m)


@measure(
    title="Partition coefficient",
    symbol="PC",
    family="fuzziness",
    kind="soft_internal",
    better="higher",
    bounds=(0, 1),
    aliases=("bezdek_partition_coefficient",),
    equation="(1/n) sum_i sum_k u_ik^2",
    reference="Bezdek 1981",
    meaning="How sharp memberships are: the chance that an object drawn twice is drawn into the "
    "same cluster.",
    use="You compare runs with the same number of clusters and the same fuzzifier.",
    avoid="Numbers of clusters differ: the least value is one over their number. Take "
    "modified_partition_coefficient. Or you want to know whether the clusters fit the points.",
)
def partition_coefficient(geometry: SoftGeometry) -> float:
    """Mean sum of squared degrees; 1 for hard memberships.

    >>> import clustervet as cv
    >>> cv.partition_coefficient([[1, 0], [0.5, 0.5]])
    0.75
    """
    return _coefficient(geometry)


@measure(
    title="Partition entropy",
    symbol="PE",
    family="fuzziness",
    kind="soft_internal",
    better="lower",
    bounds=(0, math.inf),
    unit="bits",
    aliases=("bezdek_partition_entropy",),
    equation="-(1/n) sum_i sum_k u_ik log u_ik",
    reference="Bezdek 1981",
    meaning="How uncertain the cluster of an object is, on average.",
    use="You compare runs with the same number of clusters and the same fuzzifier.",
    avoid="Numbers of clusters differ: the largest value is the logarithm of their number. Or you "
    "want to know whether the clusters fit the points.",
)
def partition_entropy(geometry: SoftGeometry, base: float = 2) -> float:
    """Mean entropy of the degrees of an object; 0 for hard memberships.

    Parameters
    ----------
    base : float, default 2
        Base of the logarithm: 2 for bits, e for nats.

    Examples
    --------
    >>> import clustervet as cv
    >>> cv.partition_entropy([[1, 0], [0.5, 0.5]])
    0.5
    """
    values = _degrees(geometry)
    nats = max(0.0, -float((values * np.log(values)).sum())) / geometry.n
    return in_base(nats, base)


@measure(
    title="Modified partition coefficient",
    symbol="MPC",
    family="fuzziness",
    kind="soft_internal",
    better="higher",
    bounds=(0, 1),
    equation="1 - K/(K - 1) (1 - PC)",
    reference="Dave 1996",
    meaning="The partition coefficient on a scale from 0, all degrees equal, to 1, all hard.",
    use="Numbers of clusters differ.",
    avoid="You want to know whether the clusters fit the points. Take fuzzy_silhouette.",
)
def modified_partition_coefficient(geometry: SoftGeometry) -> float:
    """Partition coefficient on a scale from 0 to 1.

    Notes
    -----
    K is the number of columns of memberships, empty ones too.

    Examples
    --------
    >>> import clustervet as cv
    >>> cv.modified_partition_coefficient([[1, 0], [0.5, 0.5]])
    0.5
    """
    k = geometry.memberships.k
    if k < 2:
        raise UndefinedError("it needs at least 2 clusters, and there is 1", fault=LabelError)
    return max(0.0, 1 - k / (k - 1) * (1 - _coefficient(geometry)))


@measure(
    title="Xie-Beni index with memberships",
    symbol="XB_F",
    family="fuzziness",
    kind="soft_internal",
    better="lower",
    bounds=(0, math.inf),
    aliases=("xie_beni_fuzzy",),
    equation="sum_k sum_i u_ik^m |x_i - v_k|^2 / (n min_{k != l} |v_k - v_l|^2), "
    "v_k = sum_i u_ik^m x_i / sum_i u_ik^m",
    reference="Xie & Beni 1991; Pal & Bezdek 1995",
    meaning="Mean squared distance to the centres, by degrees, over the least squared distance of "
    "two centres.",
    use="You choose the number of clusters of fuzzy c-means.",
    avoid="There are many clusters: it falls with their number; " + DISTANCE_BIAS + ".",
)
def fuzzy_xie_beni(geometry: SoftGeometry, m: float = 2.0) -> float:
    """Compactness by degrees, divided by the separation of the two nearest centres.

    Parameters
    ----------
    m : float, default 2.0
        The fuzzifier: the power of the degrees, at least 1.

    Notes
    -----
    Centres are the means by degrees, which fuzzy c-means ends with. Distances are Euclidean. Of
    hard memberships the value is `xie_beni`.

    Examples
    --------
    >>> import clustervet as cv
    >>> cv.fuzzy_xie_beni([[0], [2], [10], [12]], [0, 0, 1, 1])
    0.01
    """
    centers = geometry.centers(_power(m))
    if len(centers) < 2:
        raise UndefinedError(ONE_CLUSTER, fault=LabelError)
    least = min(
        float(np.square(centers[k + 1 :] - center).sum(axis=1).min())
        for k, center in enumerate(centers[:-1])
    )
    within = math.fsum(geometry.scatter(m))
    return ratio(within, geometry.n * least, "two clusters are the same single point")


@measure(
    title="Fuzzy silhouette",
    symbol="FS",
    family="fuzziness",
    kind="soft_internal",
    better="higher",
    bounds=(-1, 1),
    cost="pairs",
    aliases=("soft_silhouette",),
    equation="sum_i (u_i1 - u_i2)^alpha s_i / sum_i (u_i1 - u_i2)^alpha",
    reference="Campello & Hruschka 2006",
    meaning="The mean silhouette of the main clusters; points between clusters count less.",
    use="Clusters overlap, and points between them should not decide how well the others fit.",
    avoid="Memberships are nearly equal everywhere: few points decide it then; "
    + DISTANCE_BIAS
    + ".",
)
def fuzzy_silhouette(geometry: SoftGeometry, alpha: float = 1.0) -> float:
    """Mean silhouette weighted by the difference of the two largest degrees.

    Parameters
    ----------
    alpha : float, default 1.0
        The power of the weights; 0 gives the silhouette of the main clusters.

    Notes
    -----
    An object with two largest degrees goes to the first of these clusters, and has weight 0. Of
    hard memberships the value is `silhouette`. SIL.F of R's fclust takes squared distances:
    ``metric="sqeuclidean"``.

    Examples
    --------
    >>> import clustervet as cv
    >>> X, P = [[0], [1], [5], [10], [11]], [[1, 0], [1, 0], [0.6, 0.4], [0, 1], [0, 1]]
    >>> round(cv.fuzzy_silhouette(X, P), 6), round(cv.silhouette(X, [0, 0, 0, 1, 1]), 6)
    (0.774138, 0.679367)
    """
    if not (is_number(alpha) and 0 <= alpha < math.inf):
        raise ParameterError(f"alpha must be a number of at least 0, not {shown(alpha)}.")
    geometry.hard.need_clusters()
    high, second, _ = geometry.memberships.tops
    weights = (high - second) ** alpha
    widths = geometry.hard.as_given(all_widths(geometry.hard)[0], math.nan)
    if not weights.any():
        raise UndefinedError("every object belongs to two clusters to the same degree")
    return float((weights * widths).sum() / weights.sum())
