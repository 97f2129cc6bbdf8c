"""Measures that find the best overlap of each class or cluster separately."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from clustervet.contingency import Contingency
from clustervet.errors import ParameterError
from clustervet.external.common import (
    NO_OBJECTS,
    as_array,
    at_most_one,
    harmonic,
    objects_of,
    ratios,
    share,
    squared,
)
from clustervet.labels import plain_label
from clustervet.registry import measure


@measure(
    title="Purity",
    symbol="purity",
    family="matching",
    arrays="sums",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    partial=True,
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
    return share(table.cluster_peak_sum, objects_of(table, of_clusters=True), NO_OBJECTS)


@measure(
    title="Inverse purity",
    symbol="inverse purity",
    family="matching",
    arrays="sums",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    partial=True,
    aliases=("coverage",),
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
    return share(table.class_peak_sum, objects_of(table, of_clusters=False), NO_OBJECTS)


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
    title="Purity F-measure",
    symbol="purity F",
    family="diarisation",
    arrays="sums",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    partial=True,
    aliases=("purity_coverage_f1",),
    equation="2 (purity) (inverse purity) / (purity + inverse purity)",
    reference="Bredin 2017; Giannakopoulos & Petridis 2012",
    meaning="The harmonic mean of purity and inverse purity, which speech processing calls "
    "coverage.",
    use="Segments of speech, weighted by their length, should be neither too mixed nor too split.",
    avoid="What happens to the unmatched objects matters: it does not look at them.",
)
def purity_f1(table: Contingency) -> float:
    """Harmonic mean of purity and inverse purity.

    >>> round(purity_f1(["a", "a", "b", "b"], [0, 0, 0, 0]), 12)
    0.666666666667
    """
    if table.partial:
        return harmonic(purity.record.formula(table), inverse_purity.record.formula(table))
    pure, covered = table.cluster_peak_sum, table.class_peak_sum
    return share(2 * pure * covered, table.exact_n * (pure + covered), NO_OBJECTS)


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
    title="Isolated label F-measure",
    symbol="isolated F",
    family="single_cell",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    aliases=("isolated_labels_f1",),
    equation="(1/|I|) sum over isolated c of max_k 2 h(c,k) / (h(c) + h(k))",
    reference="Luecken et al. 2022",
    meaning="For each isolated class the F of the cluster that fits it best, averaged over these "
    "classes. All classes are isolated by default, which gives larsen_aone.",
    use="Cell types that few batches have must not be lost when batches are integrated.",
    avoid="The classes that matter are not a few: take larsen_aone.",
)
def isolated_label_f1(table: Contingency, isolated: Any = None) -> float:
    """Mean over isolated classes of the best F among clusters.

    Parameters
    ----------
    isolated : label or iterable of labels, optional
        The classes to look at, such as those that the fewest batches have; all by default.

    Examples
    --------
    >>> isolated_label_f1(["a", "a", "b", "b"], [0, 0, 0, 1], isolated=["a"])
    0.8
    """
    best = table.peaks.class_overlaps
    if isolated is None:
        return math.fsum(best) / len(best)
    one = isinstance(isolated, str) or not isinstance(isolated, Iterable)
    place = {name: k for k, name in enumerate(table.class_names)}
    chosen = [plain_label(label) for label in ([isolated] if one else isolated)]
    wrong = [label for label in chosen if label not in place] or ([] if chosen else [chosen])
    if wrong:
        raise ParameterError(f"isolated must name classes of the truth, not {wrong[0]!r}.")
    return math.fsum(best[place[label]] for label in chosen) / len(chosen)


@measure(
    title="Normalized F1",
    symbol="NF1",
    family="communities",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    aliases=("nf1",),
    equation="F (m / |C|) / max(1, |K| / m), F the mean F of clusters with their majority classes, "
    "m the number of classes that are some cluster's majority",
    reference="Rossetti, Pappalardo & Rinzivillo 2016",
    meaning="For each community the F with the true one it overlaps most, averaged; times the "
    "share of true communities that are so matched; divided by communities per matched one.",
    use="You compare with published figures of community detection.",
    avoid="You want to know what the value means: it is a product of three different things.",
)
def normalized_f1(table: Contingency) -> float:
    """Mean F of clusters with their majority classes, times coverage, divided by redundancy.

    A cluster that overlaps several classes most counts once for each of them; redundancy is at
    least 1.

    >>> round(normalized_f1(["a", "a", "b", "b"], [0, 0, 0, 1]), 12)
    0.733333333333
    """
    cells = table.cells
    largest = np.zeros(table.shape[1], cells.values.dtype)
    np.maximum.at(largest, cells.cols, cells.values)
    most = np.flatnonzero(cells.values == largest[cells.cols])
    x, rows = cells.values[most], cells.rows[most]
    scores = ratios(2 * x, table.class_sizes[rows] + table.cluster_sizes[cells.cols[most]])
    matched = len(np.unique(rows))
    mean = math.fsum(scores.tolist()) / len(most)
    coverage, redundancy = matched / table.shape[0], max(1.0, table.shape[1] / matched)
    return at_most_one(mean * coverage / redundancy)


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
    weight = squared(beta)
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
