"""Measures that find the best overlap of each class or cluster separately."""

from __future__ import annotations

import math

from clustervet.contingency import Contingency
from clustervet.external.common import NO_OBJECTS, as_array, positive, ratios, share
from clustervet.registry import measure


@measure(
    title="Purity",
    symbol="purity",
    family="matching",
    arrays="sums",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    equation="(1/n) sum_k max_c h(c,k)",
    reference="Aggarwal 2015, eqs. 6.48 and 6.49; Mottin, 'Purity'",
    meaning="The share of objects that belong to the majority class of their cluster.",
    use="Clusters are read as class predictions and their number is fixed.",
    avoid="Numbers of clusters differ: more clusters are always purer.",
)
def purity(table: Contingency) -> float:
    """Share of objects in the majority class of their cluster.

    >>> purity(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.75
    """
    return share(table.cluster_peak_sum, table.exact_n, NO_OBJECTS)


@measure(
    title="Inverse purity",
    symbol="inverse purity",
    family="matching",
    arrays="sums",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    equation="(1/n) sum_c max_k h(c,k)",
    reference="Aggarwal 2015, §6.9.2 (row-wise)",
    meaning="The share of objects that lie in the main cluster of their class.",
    use="Together with purity.",
    avoid="Alone: a single cluster makes it perfect.",
)
def inverse_purity(table: Contingency) -> float:
    """Share of objects in the main cluster of their class.

    >>> inverse_purity(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.75
    """
    return share(table.class_peak_sum, table.exact_n, NO_OBJECTS)


@measure(
    title="Mean purity",
    symbol="mean purity",
    family="matching",
    arrays="sums",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    equation="(purity + inverse purity) / 2",
    reference="Aggarwal 2015, §6.9.2",
    meaning="The mean of purity and inverse purity.",
    use="Neither too many nor too few clusters should raise the value.",
    avoid="What happens to the unmatched objects matters: it does not look at them.",
)
def mean_purity(table: Contingency) -> float:
    """Mean of purity and inverse purity.

    >>> mean_purity(["a", "a", "b", "b"], [0, 0, 0, 0])
    0.75
    """
    both = table.cluster_peak_sum + table.class_peak_sum
    return share(both, 2 * table.exact_n, NO_OBJECTS)


@measure(
    title="Goodman and Kruskal's lambda",
    symbol="λ",
    family="matching",
    arrays="sums",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    aliases=("gk_lambda",),
    equation="(sum_k max_c h(c,k) - max_c h(c)) / (n - max_c h(c))",
    reference="Goodman & Kruskal 1954; cited in Dom 2001, §5",
    meaning="The share of errors that knowing the cluster saves when the most frequent class is "
    "predicted.",
    use="Clusters are read as class predictions, and one class is so large that purity is high "
    "anyway.",
    avoid="Numbers of clusters differ: splitting never lowers it. Or all clusters have the same "
    "majority class: it is 0 then, however much they tell.",
)
def goodman_kruskal_lambda(table: Contingency) -> float:
    """Share of errors that the cluster saves in predicting the class.

    The table's transpose gives the share saved in predicting the cluster from the class.

    >>> round(goodman_kruskal_lambda(["a", "a", "a", "b", "b"], [0, 0, 1, 1, 1]), 12)
    0.5
    """
    largest = table.largest_class
    left = table.exact_n - largest
    return share(
        table.cluster_peak_sum - largest, left, "there is one class, so nothing to predict"
    )


@measure(
    title="Larsen-Aone measure",
    symbol="L",
    family="matching",
    arrays="sums",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    equation="(1/|C|) sum_c max_k 2 h(c,k) / (h(c) + h(k))",
    reference="Larsen & Aone 1999; Meilă 2007, eq. 11",
    meaning="For each class the F of the cluster that fits it best, averaged over classes.",
    use="Every class matters equally, small ones too.",
    avoid="Tiny classes are noise: each weighs as much as a large one.",
)
def larsen_aone(table: Contingency) -> float:
    """Mean over classes of the best F among clusters.

    >>> larsen_aone(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.7333333333333334
    """
    return table.class_overlap_sum / table.shape[0]


@measure(
    title="F-measure",
    symbol="F",
    family="matching",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    equation="(1/|K|) sum_k F of cluster k and its majority class",
    reference="Mottin, 'F-measure'",
    meaning="For each cluster the F with its majority class, averaged over clusters; a tie for "
    "the majority goes to the smaller class.",
    use="Every cluster matters equally.",
    avoid="There are many tiny clusters: each weighs as much as a large one.",
)
def f_measure(table: Contingency, beta: float = 1.0) -> float:
    """Mean over clusters of F with the majority class.

    Parameters
    ----------
    beta : float, default 1.0
        Weight of recall: above 1 it counts more than precision.

    Examples
    --------
    >>> f_measure(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.7333333333333334
    """
    weight = positive(beta, "beta") ** 2
    sizes = table.plain.cluster_sizes if table.plain else table.cluster_sizes
    overlap, majority, cluster = (
        as_array(column)
        for column in (table.peaks.cluster_peaks, table.peaks.majority_sizes, sizes)
    )
    precision, recall = ratios(overlap, cluster), ratios(overlap, majority)
    scores = (1 + weight) * precision * recall / (weight * precision + recall)
    return math.fsum(scores.tolist()) / table.shape[1]


@measure(
    title="van Dongen metric",
    symbol="D",
    family="matching",
    arrays="sums",
    better="lower",
    bounds=(0, math.inf),
    unit="objects",
    symmetric=True,
    metric=True,
    perfect=0.0,
    aliases=("split_join",),
    equation="2n - sum_k max_k' n_kk' - sum_k' max_k n_kk'",
    reference="van Dongen 2000; Meilă 2007, eq. 12",
    meaning="Objects to move so that each clustering becomes a refinement of the other.",
    use="You need a metric in numbers of objects.",
    avoid="Data sets of different size are compared. Take van_dongen_invariant.",
    sized=True,
)
def van_dongen(table: Contingency) -> float:
    """Number of objects outside the best overlaps, counted in both directions.

    >>> van_dongen(["a", "a", "b", "b"], [0, 0, 0, 1])
    2.0
    """
    return share(2 * table.exact_n - table.class_peak_sum - table.cluster_peak_sum, 1, NO_OBJECTS)


@measure(
    title="van Dongen metric, invariant of n",
    symbol="D_inv",
    family="matching",
    arrays="sums",
    better="lower",
    bounds=(0, 1),
    symmetric=True,
    metric=True,
    perfect=0.0,
    equation="D / 2n",
    reference="Meilă 2007, §5",
    meaning="The van Dongen metric as a share of its bound.",
    use="You need a bounded metric that does not depend on the number of objects.",
    avoid="How the unmatched objects are spread matters: it does not look at them.",
)
def van_dongen_invariant(table: Contingency) -> float:
    """Van Dongen metric divided by 2n.

    >>> van_dongen_invariant(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.25
    """
    distance = 2 * table.exact_n - table.class_peak_sum - table.cluster_peak_sum
    return share(distance, 2 * table.exact_n, NO_OBJECTS)


@measure(
    title="Normalized Hamming similarity",
    symbol="D̃_H",
    family="matching",
    arrays="sums",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    equation="1 - (D_H(C;K) + D_H(K;C)) / 2n",
    reference="Huang & Dom 1995; Dom 2001, eq. 23",
    meaning="One minus the mean share of objects outside the best overlaps, in both directions. "
    "It equals mean purity.",
    use="To compare with work that reports it.",
    avoid="The name misleads: the paper calls it a distance, yet 1 is perfect.",
)
def hamming(table: Contingency) -> float:
    """One minus the normalised sum of both directional Hamming distances.

    >>> hamming(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.75
    """
    return mean_purity.record.formula(table)


@measure(
    title="Directional Hamming distance",
    symbol="D_H(C;K)",
    family="matching",
    arrays="sums",
    better="lower",
    bounds=(0, math.inf),
    unit="objects",
    perfect=0.0,
    equation="sum_k sum over c other than the majority of k of h(c,k)",
    reference="Huang & Dom 1995; Dom 2001, eqs. 19 and 21",
    meaning="Objects that are not of the majority class of their cluster.",
    use="You want to count errors in objects.",
    avoid="Numbers of clusters differ: more clusters always lower it.",
    sized=True,
)
def directional_hamming(table: Contingency) -> float:
    """Number of objects outside the majority class of their cluster.

    >>> directional_hamming(["a", "a", "b", "b"], [0, 0, 0, 1])
    1.0
    """
    return share(table.exact_n - table.cluster_peak_sum, 1, NO_OBJECTS)


@measure(
    title="Inverse directional Hamming distance",
    symbol="D_H(K;C)",
    family="matching",
    arrays="sums",
    better="lower",
    bounds=(0, math.inf),
    unit="objects",
    perfect=0.0,
    equation="sum_c sum over k other than the main cluster of c of h(c,k)",
    reference="Huang & Dom 1995; Dom 2001, eqs. 20 and 22",
    meaning="Objects that are not in the main cluster of their class.",
    use="You want to count, in objects, how classes are scattered.",
    avoid="Alone: a single cluster makes it perfect.",
    sized=True,
)
def inverse_directional_hamming(table: Contingency) -> float:
    """Number of objects outside the main cluster of their class.

    >>> inverse_directional_hamming(["a", "a", "b", "b"], [0, 0, 1, 2])
    1.0
    """
    return share(table.exact_n - table.class_peak_sum, 1, NO_OBJECTS)
