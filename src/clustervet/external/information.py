"""Measures of information shared, lost and gained, in bits unless `base` says otherwise."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any, Literal

import numpy as np

from clustervet._checks import is_whole
from clustervet._exact import information
from clustervet.contingency import Contingency
from clustervet.contingency.sums import as_plain
from clustervet.errors import ParameterError, UndefinedError
from clustervet.external.common import (
    MANY_CELLS,
    at_most_one,
    in_base,
    positive,
    root,
    share,
)
from clustervet.registry import measure

Average = Literal["geometric", "arithmetic", "min", "max", "joint"]
ONE_CLASS = "there is one class, so there is no information to share"
ONE_CLUSTER = "there is one cluster, so there is no information to share"
ALL_ALIKE = "all tables with these sizes share the same information"
# Information above chance is computed again in more digits where it is below this share of all.
CLOSE = 1e-2
# Decimals of forty digits that differ by less than this share are equal.
NOTHING = Decimal("1e-30")


@measure(
    title="Entropy of the classes",
    symbol="H(C)",
    family="information",
    arrays="sums",
    better="neither",
    bounds=(0, math.inf),
    unit="bits",
    equation="-sum_c p(c) log p(c)",
    reference="Shannon 1948; Meilă 2007, eq. 14; Dom 2001, §4.1",
    meaning="How uncertain the class of an object is before anything is known.",
    use="As the yardstick for mutual information and conditional entropy.",
    avoid="As a score: it does not look at the clustering.",
)
def class_entropy(table: Contingency, base: float = 2) -> float:
    """Entropy of the classes.

    Parameters
    ----------
    base : float, default 2
        Base of the logarithm: 2 for bits, e for nats.

    Examples
    --------
    >>> class_entropy(["a", "a", "b", "b"], [0, 0, 0, 0])
    1.0
    """
    return in_base(table.entropies.classes, base)


@measure(
    title="Entropy of the clusters",
    symbol="H(K)",
    family="information",
    arrays="sums",
    better="neither",
    bounds=(0, math.inf),
    unit="bits",
    equation="-sum_k p(k) log p(k)",
    reference="Shannon 1948; Meilă 2007, eq. 14; Mottin, 'Conditional entropy'",
    meaning="How uncertain the cluster of an object is before anything is known.",
    use="To see how finely and how evenly a clustering divides the data.",
    avoid="As a score: it does not look at the classes.",
)
def cluster_entropy(table: Contingency, base: float = 2) -> float:
    """Entropy of the clusters.

    Parameters
    ----------
    base : float, default 2
        Base of the logarithm: 2 for bits, e for nats.

    Examples
    --------
    >>> cluster_entropy(["a", "a", "a", "a"], [0, 1, 2, 3])
    2.0
    """
    return in_base(table.entropies.clusters, base)


@measure(
    title="Joint entropy",
    symbol="H(C,K)",
    family="information",
    arrays="sums",
    better="neither",
    bounds=(0, math.inf),
    unit="bits",
    symmetric=True,
    equation="-sum p(c,k) log p(c,k)",
    reference="Shannon 1948; Meilă 2007, §3",
    meaning="How uncertain class and cluster of an object are together.",
    use="As the yardstick of the joint normalisation of mutual information.",
    avoid="As a score: it grows with the number of clusters on either side.",
)
def joint_entropy(table: Contingency, base: float = 2) -> float:
    """Entropy of class and cluster together.

    Parameters
    ----------
    base : float, default 2
        Base of the logarithm: 2 for bits, e for nats.

    Examples
    --------
    >>> joint_entropy(["a", "a", "b", "b"], [0, 1, 0, 1])
    2.0
    """
    return in_base(table.entropies.joint, base)


@measure(
    title="Conditional entropy of the classes",
    symbol="H(C|K)",
    family="information",
    arrays="sums",
    better="lower",
    bounds=(0, math.inf),
    unit="bits",
    perfect=0.0,
    aliases=("average_entropy", "vi_merge"),
    equation="-sum p(c,k) log p(c|k)",
    reference="Dom 2001, §4.1; Aggarwal 2015, eqs. 6.52 and 6.53; Mottin, 'Conditional entropy'",
    meaning="How uncertain an object's class still is once its cluster is known.",
    use="All clusterings compared have the same number of clusters.",
    avoid="Numbers of clusters differ: splitting always lowers it. Take dom_q0.",
)
def conditional_entropy(table: Contingency, base: float = 2) -> float:
    """Uncertainty about the class that is left when the cluster is known.

    Parameters
    ----------
    base : float, default 2
        Base of the logarithm: 2 for bits, e for nats.

    Examples
    --------
    >>> conditional_entropy(["a", "a", "b", "b"], [0, 0, 0, 0])
    1.0
    """
    return in_base(table.entropies.classes_given_clusters, base)


@measure(
    title="Conditional entropy of the clusters",
    symbol="H(K|C)",
    family="information",
    arrays="sums",
    better="lower",
    bounds=(0, math.inf),
    unit="bits",
    perfect=0.0,
    aliases=("vi_split",),
    equation="-sum p(c,k) log p(k|c)",
    reference="Meilă 2007, eq. 21; Aggarwal 2015, §6.9.2 (row-wise)",
    meaning="How uncertain an object's cluster still is once its class is known.",
    use="To see how much classes are scattered over clusters.",
    avoid="Alone: a single cluster makes it perfect.",
)
def inverse_conditional_entropy(table: Contingency, base: float = 2) -> float:
    """Uncertainty about the cluster that is left when the class is known.

    Parameters
    ----------
    base : float, default 2
        Base of the logarithm: 2 for bits, e for nats.

    Examples
    --------
    >>> inverse_conditional_entropy(["a", "a", "b", "b"], [0, 1, 2, 3])
    1.0
    """
    return in_base(table.entropies.clusters_given_classes, base)


def average_entropy(entropies: Any, average: Average) -> Any:
    """The chosen mean of both entropies, in nats: floats, arrays, or decimals of many digits."""
    classes, clusters = entropies.classes, entropies.clusters
    many = isinstance(classes, np.ndarray)
    sqrt: Any = root if many or isinstance(classes, float) else Decimal.sqrt
    least: Any = np.minimum if many else min
    most: Any = np.maximum if many else max
    means = {
        "geometric": sqrt(classes) * sqrt(clusters),
        "arithmetic": (classes + clusters) / 2,
        "min": least(classes, clusters),
        "max": most(classes, clusters),
        "joint": entropies.joint,
    }
    if not isinstance(average, str) or average not in means:
        raise ParameterError(f"average must be one of {', '.join(means)}, not {average!r}.")
    return means[average]


@measure(
    title="Mutual information",
    symbol="I",
    family="information",
    arrays="sums",
    better="higher",
    bounds=(0, math.inf),
    unit="bits",
    symmetric=True,
    aliases=("mi",),
    equation="sum p(c,k) log( p(c,k) / (p(c) p(k)) )",
    reference="Meilă 2007, eq. 16; Dom 2001, eq. 8; Mottin, 'Mutual information'",
    meaning="How many bits the cluster of an object tells about its class.",
    use="All clusterings compared have the same number of clusters and the same classes.",
    avoid="Numbers of clusters differ: splitting never lowers it, and it has no common ceiling.",
)
def mutual_information(table: Contingency, base: float = 2) -> float:
    """Information that class and cluster share.

    Parameters
    ----------
    base : float, default 2
        Base of the logarithm: 2 for bits, e for nats.

    Examples
    --------
    >>> mutual_information(["a", "a", "b", "b"], [0, 0, 1, 1])
    1.0
    """
    return in_base(table.entropies.mutual, base)


@measure(
    title="Normalized mutual information",
    symbol="NMI",
    family="information",
    arrays="sums",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("nmi",),
    equation="I / mean(H(C), H(K)); the mean is geometric unless average= says otherwise",
    reference="Strehl & Ghosh 2002; Mottin, 'Mutual information'",
    meaning="Shared information as a share of the information in the clusterings themselves.",
    use="You need a value between 0 and 1 that others report; say which average you took.",
    avoid="Many small clusters: chance alone lifts it. Take adjusted_mutual_information.",
)
def normalized_mutual_information(table: Contingency, average: Average = "geometric") -> float:
    """Mutual information divided by a mean of both entropies.

    Parameters
    ----------
    average : {'geometric', 'arithmetic', 'min', 'max', 'joint'}, default 'geometric'
        Mean of both entropies by which the value is normalised; 'joint' is the entropy of class
        and cluster together.

    Examples
    --------
    >>> round(normalized_mutual_information(["a", "a", "b", "b"], [0, 0, 1, 2]), 12)
    0.816496580928
    """
    mean = average_entropy(table.entropies, average)
    one_sided = ONE_CLASS if np.all(table.shape[0] == 1) else ONE_CLUSTER
    return at_most_one(share(table.entropies.mutual, mean, one_sided))


@measure(
    title="Adjusted mutual information",
    symbol="AMI",
    family="information",
    arrays="sums",
    better="higher",
    bounds=(-1, 1),
    symmetric=True,
    adjusted=True,
    perfect=1.0,
    aliases=("ami",),
    equation="(I - E[I]) / (mean(H(C), H(K)) - E[I]); the mean is arithmetic by default",
    reference="Vinh, Epps & Bailey 2010",
    meaning="Mutual information corrected for chance: 0 on average for unrelated clusterings "
    "with the same sizes, 1 for identical ones.",
    use="Cluster sizes are uneven and numbers of clusters differ.",
    avoid="You need a metric, or the counts are real weights: chance needs whole objects.",
)
def adjusted_mutual_information(table: Contingency, average: Average = "arithmetic") -> float:
    """Mutual information corrected for chance under fixed sizes.

    Parameters
    ----------
    average : {'geometric', 'arithmetic', 'min', 'max', 'joint'}, default 'arithmetic'
        Mean of both entropies by which the value is normalised; 'joint' is the entropy of class
        and cluster together.

    Examples
    --------
    >>> round(adjusted_mutual_information(["a", "a", "b", "b"], [0, 0, 1, 2]), 12)
    0.571428571429
    """
    if not table.is_whole:
        raise UndefinedError("chance is defined for whole counts, and these are real weights")
    shared, expected = table.entropies.mutual, table.expected_mutual_information
    most = average_entropy(table.entropies, average)
    above, below = shared - expected, most - expected
    if isinstance(above, np.ndarray):
        return share(above, np.where(below > 1e-14 * most, below, 0.0), ALL_ALIKE)
    if below <= 1e-14 * most:
        raise UndefinedError(ALL_ALIKE)
    close = abs(above) < CLOSE * shared or below < CLOSE * most
    close = close and isinstance(table, Contingency)  # else its cells are not at hand
    if close and max(table.shape) < table.n and len(table.cells.values) <= MANY_CELLS:
        exact = information(table.plain or as_plain(table.cells))
        if exact is not None:
            more = exact.mutual - exact.expected
            above = float(more) if abs(more) > NOTHING * exact.mutual else 0.0
            below = float(average_entropy(exact, average) - exact.expected)
    return float(above / below)


@measure(
    title="Variation of information",
    symbol="VI",
    family="information",
    arrays="sums",
    better="lower",
    bounds=(0, math.inf),
    unit="bits",
    symmetric=True,
    metric=True,
    perfect=0.0,
    aliases=("vi",),
    equation="H(C|K) + H(K|C)",
    reference="Meilă 2007, eqs. 19-22",
    meaning="The information lost and gained in going from one clustering to the other; a true "
    "distance, at most log n.",
    use="You want to add, average or map distances, or compare them across data sets.",
    avoid="Readers expect a value between 0 and 1: any such rescaling loses its advantages.",
)
def variation_of_information(table: Contingency, base: float = 2) -> float:
    """Information lost plus information gained between two clusterings.

    Parameters
    ----------
    base : float, default 2
        Base of the logarithm: 2 for bits, e for nats.

    Examples
    --------
    >>> variation_of_information(["a", "a", "b", "b"], [0, 0, 1, 2])
    0.5
    """
    entropies = table.entropies
    return in_base(entropies.classes_given_clusters + entropies.clusters_given_classes, base)


@measure(
    title="Normalized variation of information",
    symbol="V",
    family="information",
    arrays="sums",
    better="lower",
    bounds=(0, 1),
    symmetric=True,
    metric=True,
    perfect=0.0,
    aliases=("nvi",),
    equation="VI / log n, or VI / (2 log K*) with k_max=K*",
    reference="Meilă 2007, §5.1",
    meaning="Variation of information as a share of the largest value possible.",
    use="Within one data set; across data sets with k_max, a bound on every number of clusters.",
    avoid="Data sets of different size are compared by the default log n: the units differ.",
    sized=True,
)
def normalized_variation_of_information(table: Contingency, k_max: int | None = None) -> float:
    """Variation of information divided by its upper bound.

    Parameters
    ----------
    k_max : int, optional
        Upper bound on the number of clusters on either side, at least 2. The value is then divided
        by 2 log k_max instead of log n.

    Examples
    --------
    >>> normalized_variation_of_information(["a", "a", "b", "b"], [0, 0, 1, 2])
    0.25
    """
    largest = int(np.max(table.shape))
    if k_max is not None and (not is_whole(k_max) or k_max < max(2, largest)):
        raise ParameterError(
            f"k_max must bound both numbers of clusters ({largest} here) and be at "
            f"least 2, not {k_max!r}."
        )
    if k_max is None and table.n <= 1:
        raise UndefinedError("the weights sum to one object or less")
    bound = _log_n(table) if k_max is None else 2 * math.log(k_max)
    ratio = variation_of_information.record.formula(table, base=math.e) / bound
    return at_most_one(ratio) if table.is_whole else ratio


def _log_n(table: Contingency) -> float:
    """Log of n with full precision, also for real weights that sum to little more than one."""
    return math.log(table.n) if table.n >= 2 else math.log1p(float(table.exact_n - 1))


@measure(
    title="Homogeneity",
    symbol="h",
    family="information",
    arrays="sums",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    equation="I / H(C) = 1 - H(C|K) / H(C)",
    reference="Rosenberg & Hirschberg 2007",
    meaning="The share of the classes' information that the clusters tell.",
    use="Together with completeness.",
    avoid="Alone: splitting clusters raises it to 1.",
)
def homogeneity(table: Contingency) -> float:
    """Share of the class information that the clusters carry.

    >>> homogeneity(["a", "a", "b", "b"], [0, 0, 1, 2])
    1.0
    """
    return at_most_one(share(table.entropies.mutual, table.entropies.classes, ONE_CLASS))


@measure(
    title="Completeness",
    symbol="c",
    family="information",
    arrays="sums",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    equation="I / H(K) = 1 - H(K|C) / H(K)",
    reference="Rosenberg & Hirschberg 2007",
    meaning="The share of the clusters' information that the classes tell.",
    use="Together with homogeneity.",
    avoid="Alone: merging clusters raises it.",
)
def completeness(table: Contingency) -> float:
    """Share of the cluster information that the classes carry.

    >>> round(completeness(["a", "a", "b", "b"], [0, 0, 1, 2]), 12)
    0.666666666667
    """
    return at_most_one(share(table.entropies.mutual, table.entropies.clusters, ONE_CLUSTER))


@measure(
    title="V-measure",
    symbol="V_β",
    family="information",
    arrays="sums",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("v",),
    equation="(1 + beta) h c / (beta h + c)",
    reference="Rosenberg & Hirschberg 2007",
    meaning="The harmonic mean of homogeneity and completeness; beta > 1 favours completeness.",
    use="You report homogeneity and completeness and want one number for both.",
    avoid="Chance matters: with beta = 1 it is mutual information over the arithmetic mean.",
)
def v_measure(table: Contingency, beta: float = 1.0) -> float:
    """Weighted harmonic mean of homogeneity and completeness.

    Parameters
    ----------
    beta : float, default 1.0
        Weight of completeness: above 1 it counts more than homogeneity.

    Examples
    --------
    >>> round(v_measure(["a", "a", "b", "b"], [0, 0, 1, 2]), 12)
    0.8
    """
    weight = positive(beta, "beta")
    mean = (weight * table.entropies.clusters + table.entropies.classes) / (1 + weight)
    return at_most_one(share(table.entropies.mutual, mean, ONE_CLASS))
