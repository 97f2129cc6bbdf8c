"""Measures that count pairs of objects that are together or apart.

Pair counts are exact integers, so the values are exact for any number of objects. Formulas take
arrays of them as well: the pairs of many tables.
"""

from __future__ import annotations

import math

from clustervet.contingency import Contingency
from clustervet.external.common import NO_OBJECTS, pairs_of, root, share, squared
from clustervet.registry import measure

NO_CLASS_PAIR = "every class has one object, so no pair shares a class"
NO_CLUSTER_PAIR = "every cluster has one object, so no pair shares a cluster"
NO_PAIR = "no pair shares a class or a cluster"


@measure(
    title="Rand index",
    symbol="R",
    family="pairs",
    arrays="pairs",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    equation="(N11 + N00) / (n (n - 1) / 2)",
    reference="Rand 1971; Meilă 2007, eq. 5; Dom 2001, §5.2",
    meaning="The share of all pairs of objects on which both clusterings agree: together in "
    "both, or apart in both.",
    use="You want a plain probability of agreement on a pair, with few clusters.",
    avoid="There are many clusters: nearly all pairs are apart in both, and the value crowds "
    "near 1 whatever the clustering. Take adjusted_rand.",
)
def rand(table: Contingency) -> float:
    """Share of pairs of objects on which both clusterings agree.

    >>> rand([0, 0, 1, 1], [0, 0, 1, 2])
    0.8333333333333334
    """
    pairs = pairs_of(table)
    return share(pairs.n11 + pairs.n00, pairs.total, "one object makes no pair")


@measure(
    title="Adjusted Rand index",
    symbol="AR",
    family="pairs",
    arrays="pairs",
    better="higher",
    bounds=(-0.5, 1),
    symmetric=True,
    adjusted=True,
    perfect=1.0,
    aliases=("ari",),
    equation="(N11 - PQ/M) / ((P + Q)/2 - PQ/M), P and Q the pairs together in each, M all pairs",
    reference="Hubert & Arabie 1985; Meilă 2007, eq. 6",
    meaning="The Rand index corrected for chance: 1 for identical clusterings, 0 on average for "
    "unrelated ones with the same sizes.",
    use="The default for comparing a clustering with classes, also across numbers of clusters.",
    avoid="One large class dominates the pairs, or you need a metric to add and average.",
)
def adjusted_rand(table: Contingency) -> float:
    """Rand index corrected for chance under fixed sizes.

    >>> adjusted_rand([0, 0, 1, 1], [0, 0, 1, 2])
    0.5714285714285714
    """
    pairs = pairs_of(table)
    m, p, q = pairs.total, pairs.same_class, pairs.same_cluster
    return share(2 * (m * pairs.n11 - p * q), m * (p + q) - 2 * p * q, NO_PAIR)


@measure(
    title="Jaccard index",
    symbol="J",
    family="pairs",
    arrays="pairs",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    equation="N11 / (N11 + N10 + N01)",
    reference="Jaccard 1901; Meilă 2007, eq. 7; Dom 2001, §5.2",
    meaning="Among pairs that at least one clustering puts together, the share that both do.",
    use="Pairs that are apart in both should not count as success.",
    avoid="Values from different numbers of clusters are compared: it is not corrected for chance.",
)
def jaccard(table: Contingency) -> float:
    """Share of pairs together in both among pairs together in either.

    >>> jaccard([0, 0, 1, 1], [0, 0, 1, 2])
    0.5
    """
    pairs = pairs_of(table)
    return share(pairs.n11, pairs.n11 + pairs.n10 + pairs.n01, NO_PAIR)


@measure(
    title="Fowlkes-Mallows index",
    symbol="F",
    family="pairs",
    arrays="pairs",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    equation="N11 / sqrt(P Q), P and Q the pairs together in each",
    reference="Fowlkes & Mallows 1983; Meilă 2007, eq. 4; Dom 2001, §5.2; Aggarwal 2015, §6.9.2",
    meaning="The geometric mean of pairwise precision and recall.",
    use="You want one number from pairwise precision and recall.",
    avoid="Few, large clusters: its chance level is then high (up to 0.6). Take "
    "adjusted_fowlkes_mallows.",
)
def fowlkes_mallows(table: Contingency) -> float:
    """Geometric mean of pairwise precision and recall.

    >>> round(fowlkes_mallows([0, 0, 1, 1], [0, 0, 1, 2]), 12)
    0.707106781187
    """
    pairs = pairs_of(table)
    recall = share(pairs.n11, pairs.same_class, NO_CLASS_PAIR)
    return root(recall * share(pairs.n11, pairs.same_cluster, NO_CLUSTER_PAIR))


@measure(
    title="Adjusted Fowlkes-Mallows index",
    symbol="AF",
    family="pairs",
    arrays="pairs",
    better="higher",
    bounds=(-1, 1),
    symmetric=True,
    adjusted=True,
    perfect=1.0,
    aliases=("afm",),
    equation="(N11 - PQ/M) / (sqrt(P Q) - PQ/M)",
    reference="Fowlkes & Mallows 1983, §2; Hubert & Arabie 1985; Meilă 2007, §2.1",
    meaning="The Fowlkes-Mallows index corrected for chance with both sets of sizes fixed.",
    use="You report Fowlkes-Mallows across different numbers of clusters.",
    avoid="A reader may take it for the plain index: say which one it is.",
)
def adjusted_fowlkes_mallows(table: Contingency) -> float:
    """Index of Fowlkes and Mallows, corrected for chance under fixed sizes.

    >>> round(adjusted_fowlkes_mallows([0, 0, 1, 1], [0, 0, 1, 2]), 12)
    0.616781257308
    """
    pairs = pairs_of(table)
    m, p, q = pairs.total, pairs.same_class, pairs.same_cluster
    share(pairs.n11, p, NO_CLASS_PAIR)  # for its reason, where there is no value
    # Written without the difference sqrt(PQ) - PQ/M, which loses digits where PQ is close to M^2.
    factor = 1 + root(share(m * m, p * q, NO_CLUSTER_PAIR))
    return share(m * pairs.n11 - p * q, m * m - p * q, NO_PAIR) * factor


@measure(
    title="Pairwise precision",
    symbol="W_II",
    family="pairs",
    arrays="pairs",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    aliases=("wallace_2",),
    equation="N11 / Q, Q the pairs in one cluster",
    reference="Wallace 1983; Meilă 2007, eq. 3; Aggarwal 2015, §6.9.2",
    meaning="The chance that two objects of one cluster are of one class.",
    use="Wrong merges are the costly errors, as in record linkage.",
    avoid="Alone: splitting clusters until nothing is left together makes it perfect.",
)
def pair_precision(table: Contingency) -> float:
    """Share of pairs in one cluster that are in one class.

    >>> pair_precision([0, 0, 1, 1], [0, 0, 0, 1])
    0.3333333333333333
    """
    pairs = pairs_of(table)
    return share(pairs.n11, pairs.same_cluster, NO_CLUSTER_PAIR)


@measure(
    title="Pairwise recall",
    symbol="W_I",
    family="pairs",
    arrays="pairs",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    aliases=("wallace_1",),
    equation="N11 / P, P the pairs in one class",
    reference="Wallace 1983; Meilă 2007, eq. 2; Aggarwal 2015, §6.9.2",
    meaning="The chance that two objects of one class are in one cluster.",
    use="Missed links are the costly errors.",
    avoid="Alone: a single cluster makes it perfect.",
)
def pair_recall(table: Contingency) -> float:
    """Share of pairs in one class that are in one cluster.

    >>> pair_recall([0, 0, 1, 1], [0, 0, 0, 1])
    0.5
    """
    pairs = pairs_of(table)
    return share(pairs.n11, pairs.same_class, NO_CLASS_PAIR)


@measure(
    title="Pairwise F-measure",
    symbol="F_pair",
    family="pairs",
    arrays="pairs",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("pair_f", "pairwise_f", "czekanowski_dice"),
    equation="(1 + beta^2) N11 / ((1 + beta^2) N11 + beta^2 N10 + N01)",
    reference="van Rijsbergen 1979; Aggarwal 2015, §6.9.2",
    meaning="The harmonic mean of pairwise precision and recall; beta > 1 favours recall.",
    use="Record linkage and deduplication, where it is the custom.",
    avoid="Large clusters should not weigh by the square of their size. Take bcubed_f1.",
)
def pair_f1(table: Contingency, beta: float = 1.0) -> float:
    """Harmonic mean of pairwise precision and recall.

    Parameters
    ----------
    beta : float, default 1.0
        Weight of recall: above 1 it counts more than precision.

    Examples
    --------
    >>> pair_f1([0, 0, 1, 1], [0, 0, 0, 1])
    0.4
    """
    weight = squared(beta)
    pairs = pairs_of(table)
    missed = share(pairs.n10, pairs.total, "one object makes no pair")
    wrong = share(pairs.n01, pairs.total, "one object makes no pair")
    hit = (1 + weight) * share(pairs.n11, pairs.total, "one object makes no pair")
    return share(hit, hit + weight * missed + wrong, NO_PAIR)


@measure(
    title="Mirkin metric",
    symbol="M",
    family="pairs",
    arrays="pairs",
    better="lower",
    bounds=(0, math.inf),
    unit="ordered pairs",
    symmetric=True,
    metric=True,
    perfect=0.0,
    equation="sum n_k^2 + sum n'_k'^2 - 2 sum n_kk'^2 = 2 (N10 + N01)",
    reference="Mirkin & Cherny 1970; Meilă 2007, eqs. 8 and 9",
    meaning="The number of ordered pairs on which the clusterings disagree; a true distance.",
    use="You need a metric on clusterings of one fixed set of objects.",
    avoid="Data sets of different size are compared: it grows with n squared.",
    sized=True,
)
def mirkin(table: Contingency) -> float:
    """Ordered pairs on which the clusterings disagree.

    >>> mirkin([0, 0, 1, 1], [0, 0, 1, 2])
    2.0
    """
    pairs = table.exact_pairs
    return share(2 * (pairs.n10 + pairs.n01), 1, NO_OBJECTS)


@measure(
    title="Mirkin metric, invariant of n",
    symbol="M_inv",
    family="pairs",
    arrays="pairs",
    better="lower",
    bounds=(0, 1),
    symmetric=True,
    metric=True,
    perfect=0.0,
    equation="M / n^2",
    reference="Meilă 2007, §5",
    meaning="The chance that two objects drawn with replacement are judged differently.",
    use="You need a bounded metric that does not depend on the number of objects.",
    avoid="Numbers of clusters differ: it shrinks like 1/K for unrelated clusterings.",
)
def mirkin_invariant(table: Contingency) -> float:
    """Mirkin metric divided by n squared.

    >>> mirkin_invariant([0, 0, 1, 1], [0, 0, 1, 2])
    0.125
    """
    pairs = table.exact_pairs
    return share(2 * (pairs.n10 + pairs.n01), table.exact_n * table.exact_n, NO_OBJECTS)


@measure(
    title="Hubert's gamma",
    symbol="Γ",
    family="pairs",
    arrays="pairs",
    better="higher",
    bounds=(-1, 1),
    symmetric=True,
    adjusted=True,
    perfect=1.0,
    aliases=("gamma", "phi", "phi_coefficient"),
    equation="(M N11 - P Q) / sqrt(P Q (M - P) (M - Q))",
    reference="Hubert & Schultz 1976; Dom 2001, §5.2",
    meaning="The correlation over pairs between 'same class' and 'same cluster'.",
    use="You think of agreement as correlation: 0 is unrelated, 1 identical.",
    avoid="One side has a single cluster, or only singletons: it is undefined there. Phi of "
    "clusterCrit lacks the square root.",
)
def hubert_gamma(table: Contingency) -> float:
    """Correlation between sharing a class and sharing a cluster.

    >>> round(hubert_gamma([0, 0, 1, 1], [0, 0, 1, 2]), 12)
    0.632455532034
    """
    pairs = pairs_of(table)
    m, p, q = pairs.total, pairs.same_class, pairs.same_cluster
    excess = m * pairs.n11 - p * q
    spread = p * q * (m - p) * (m - q)
    square = share(excess * excess, spread, "all pairs, or none, share a class or a cluster")
    return root(square) * (1 - 2 * (excess < 0))
