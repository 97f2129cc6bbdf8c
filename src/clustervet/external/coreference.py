"""Measures of coreference resolution: entities are sets of mentions.

The key is the truth, the response the prediction. Mentions that only one of them has count in the
sizes of that side alone, as in the reference scorer of the CoNLL shared tasks (Pradhan et al.
2014).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from clustervet.contingency import Contingency
from clustervet.contingency.sums import exact_sum, sum_squares
from clustervet.errors import UndefinedError
from clustervet.external.bcubed import bcubed_f1
from clustervet.external.common import (
    NO_OBJECTS,
    Exact,
    at_most_one,
    harmonic,
    objects_of,
    pairs_of,
    ratios,
    share,
)
from clustervet.registry import measure

NO_KEY_LINK = "every class has one object, so the truth has no link"
NO_RESPONSE_LINK = "every cluster has one object, so the prediction has no link"
NO_LINK = "every class and every cluster has one object, so there is no link"
MUC = "Vilain et al. 1995; Pradhan et al. 2014"
CEAF = "Luo 2005; Pradhan et al. 2014"
BLANC = "Recasens & Hovy 2011; Luo et al. 2014"
LEA = "Moosavi & Strube 2016"


class Links(NamedTuple):
    """How many links both sides have, and how many each of them."""

    shared: Exact
    truth: Exact
    pred: Exact

    @property
    def precision(self) -> float:
        """The share of the prediction's links that the truth has; 0 if there is none."""
        return share(self.shared, self.pred, "") if self.pred else 0.0

    @property
    def recall(self) -> float:
        """The share of the truth's links that the prediction has; 0 if there is none."""
        return share(self.shared, self.truth, "") if self.truth else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        return share(2 * self.shared, self.truth + self.pred, NO_LINK)


def _need_objects(table: Contingency) -> None:
    if not table.is_whole:
        raise UndefinedError("links are between whole objects, and these have real weights")


def _spanning_links(table: Contingency) -> Links:
    """The links that hold sets together: in each set one fewer than it has objects."""
    _need_objects(table)
    sides = table.sides
    shared = exact_sum(sides.x) - int(np.count_nonzero(sides.x))
    truth, pred = (exact_sum(sizes) - len(sizes) for sizes in (sides.classes, sides.clusters))
    return Links(shared, truth, pred)


@measure(
    title="MUC precision",
    symbol="MUC_P",
    family="coreference",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    partial=True,
    equation="(n - cells) / (n - |K|), cells the non-empty cells of the table",
    reference=MUC,
    meaning="Of the links that hold the clusters together, the share that the classes have too.",
    use="You compare with published figures of coreference resolution.",
    avoid="Alone, or for anything new: merging entities costs one link, however large they are.",
)
def muc_precision(table: Contingency) -> float:
    """Share of the links within clusters that lie within classes.

    >>> round(muc_precision(["a", "b", "b", "c", "c", "c"], [0, 0, 0, 0, 0, 0]), 12)
    0.6
    """
    shared, _, pred = _spanning_links(table)
    return share(shared, pred, NO_RESPONSE_LINK)


@measure(
    title="MUC recall",
    symbol="MUC_R",
    family="coreference",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    partial=True,
    equation="(n - cells) / (n - |C|), cells the non-empty cells of the table",
    reference=MUC,
    meaning="Of the links that hold the classes together, the share that the clusters have too.",
    use="Together with MUC precision.",
    avoid="Alone: a single cluster makes it perfect.",
)
def muc_recall(table: Contingency) -> float:
    """Share of the links within classes that lie within clusters.

    >>> round(muc_recall(["a", "a", "a", "a"], [0, 0, 1, 1]), 12)
    0.666666666667
    """
    shared, truth, _ = _spanning_links(table)
    return share(shared, truth, NO_KEY_LINK)


@measure(
    title="MUC F-measure",
    symbol="MUC_F",
    family="coreference",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    partial=True,
    aliases=("muc",),
    equation="2 (n - cells) / (2n - |C| - |K|), cells the non-empty cells of the table",
    reference=MUC,
    meaning="The harmonic mean of MUC precision and recall.",
    use="You compare with published figures of coreference resolution.",
    avoid="Singletons matter, or merging all entities must cost much: it sees links alone. Take "
    "lea_f1.",
)
def muc_f1(table: Contingency) -> float:
    """Harmonic mean of MUC precision and recall.

    >>> muc_f1(["a", "b", "b", "c", "c", "c"], [0, 0, 0, 0, 0, 0])
    0.75
    """
    return _spanning_links(table).f1


@measure(
    title="CEAF precision by mentions",
    symbol="CEAF_M_P",
    family="coreference",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    partial=True,
    symmetric=True,
    equation="(1/n) max over one-to-one maps of sum h(c, map(c)), n the objects of the prediction",
    reference=CEAF,
    meaning="The share of the prediction's objects that lie in the class matched to their "
    "cluster. Where both sides have the same objects, it is matching_accuracy.",
    use="Clusters should be the classes, one for one, and some objects are on one side only.",
    avoid="Both sides have the same objects: it is matching_accuracy then.",
)
def ceaf_m_precision(table: Contingency) -> float:
    """Share of the prediction's objects in the best one-to-one matching.

    >>> ceaf_m_precision(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.75
    """
    return share(table.matched, objects_of(table, of_clusters=True), NO_OBJECTS)


@measure(
    title="CEAF recall by mentions",
    symbol="CEAF_M_R",
    family="coreference",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    partial=True,
    symmetric=True,
    equation="(1/n) max over one-to-one maps of sum h(c, map(c)), n the objects of the truth",
    reference=CEAF,
    meaning="The share of the truth's objects that lie in the cluster matched to their class. "
    "Where both sides have the same objects, it is matching_accuracy.",
    use="Together with ceaf_m_precision.",
    avoid="Both sides have the same objects: it is matching_accuracy then.",
)
def ceaf_m_recall(table: Contingency) -> float:
    """Share of the truth's objects in the best one-to-one matching.

    >>> ceaf_m_recall(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.75
    """
    return share(table.matched, objects_of(table, of_clusters=False), NO_OBJECTS)


@measure(
    title="CEAF F-measure by mentions",
    symbol="CEAF_M_F",
    family="coreference",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    partial=True,
    symmetric=True,
    aliases=("ceaf_m", "ceafm", "mention_ceaf"),
    equation="2 M / (n of truth + n of prediction), M the largest matched overlap",
    reference=CEAF,
    meaning="The harmonic mean of CEAF precision and recall by mentions. Where both sides have "
    "the same objects, it is matching_accuracy.",
    use="Clusters should be the classes, one for one, and some objects are on one side only.",
    avoid="Both sides have the same objects: it is matching_accuracy then.",
)
def ceaf_m_f1(table: Contingency) -> float:
    """Harmonic mean of CEAF precision and recall by mentions.

    >>> ceaf_m_f1(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.75
    """
    both = objects_of(table, of_clusters=True) + objects_of(table, of_clusters=False)
    return share(2 * table.matched, both, NO_OBJECTS)


@measure(
    title="CEAF precision by entities",
    symbol="CEAF_E_P",
    family="coreference",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    partial=True,
    equation="(1/|K|) max over one-to-one maps of sum 2 h(c,k) / (h(c) + h(k)), k = map(c)",
    reference=CEAF,
    meaning="The mean over clusters of the overlap with the class matched to it, by Dice's "
    "coefficient; 0 for a cluster without a class.",
    use="Every entity should count the same, whatever its size.",
    avoid="Alone; or objects rather than entities matter: a wrong pair weighs as much as a wrong "
    "hundred.",
)
def ceaf_e_precision(table: Contingency) -> float:
    """Mean over clusters of Dice's overlap with the matched class.

    >>> round(ceaf_e_precision(["a", "a", "b", "b"], [0, 0, 0, 1]), 12)
    0.733333333333
    """
    return at_most_one(share(table.matched_overlap, len(table.sides.clusters), NO_OBJECTS))


@measure(
    title="CEAF recall by entities",
    symbol="CEAF_E_R",
    family="coreference",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    partial=True,
    equation="(1/|C|) max over one-to-one maps of sum 2 h(c,k) / (h(c) + h(k)), k = map(c)",
    reference=CEAF,
    meaning="The mean over classes of the overlap with the cluster matched to it, by Dice's "
    "coefficient; 0 for a class without a cluster.",
    use="Together with CEAF precision by entities.",
    avoid="Alone: it does not see clusters that match no class.",
)
def ceaf_e_recall(table: Contingency) -> float:
    """Mean over classes of Dice's overlap with the matched cluster.

    >>> round(ceaf_e_recall(["a", "a", "b", "b"], [0, 0, 0, 0]), 12)
    0.333333333333
    """
    return at_most_one(share(table.matched_overlap, len(table.sides.classes), NO_OBJECTS))


@measure(
    title="CEAF F-measure by entities",
    symbol="CEAF_E_F",
    family="coreference",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    partial=True,
    aliases=("ceaf_e", "ceafe", "entity_ceaf"),
    equation="2 S / (|C| + |K|), S the largest sum over one-to-one maps of "
    "2 h(c,k) / (h(c) + h(k))",
    reference=CEAF,
    meaning="The harmonic mean of CEAF precision and recall by entities.",
    use="Every entity should count the same, and split or merged ones should cost.",
    avoid="A split entity should earn something for its other parts: only one of them is matched.",
)
def ceaf_e_f1(table: Contingency) -> float:
    """Harmonic mean of CEAF precision and recall by entities.

    >>> round(ceaf_e_f1(["a", "a", "b", "b"], [0, 0, 0, 1]), 12)
    0.733333333333
    """
    sides = table.sides
    return at_most_one(2 * table.matched_overlap / (len(sides.classes) + len(sides.clusters)))


def _blanc_links(table: Contingency) -> list[Links]:
    """Pairs together and pairs apart, of which the truth has some."""
    shared = pairs_of(table)
    together = [shared.same_class, shared.same_cluster]
    everything = [shared.total, shared.total]
    if table.partial:
        shared = table.shared_pairs
        sizes = (table.sides.classes, table.sides.clusters)
        objects = [exact_sum(each) for each in sizes]
        together = [Fraction(sum_squares(x) - n, 2) for x, n in zip(sizes, objects, strict=True)]
        everything = [Fraction(n * (n - 1), 2) for n in objects]
    links = [
        Links(shared.n11, together[0], together[1]),
        Links(shared.n00, everything[0] - together[0], everything[1] - together[1]),
    ]
    found = [kind for kind in links if kind.truth]
    if not found:
        raise UndefinedError("the truth has one object, so no pair")
    return found


@measure(
    title="BLANC precision",
    symbol="BLANC_P",
    family="coreference",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    partial=True,
    equation="(N11 / (N11 + N01) + N00 / (N00 + N10)) / 2",
    reference=BLANC,
    meaning="The mean of two shares: of pairs that the prediction puts together, and of pairs "
    "that it puts apart, those on which the truth agrees. A kind of pair that the truth has not "
    "is left out. Random clusterings have 1/2 on average, whatever their sizes.",
    use="Pairs apart should count as much as pairs together, though there are many more of them.",
    avoid="There are many classes: nearly all pairs are apart in both, and half of the value is "
    "close to 1 whatever the clustering.",
)
def blanc_precision(table: Contingency) -> float:
    """Mean precision of pairs together and of pairs apart.

    >>> round(blanc_precision(["a", "a", "b", "b"], [0, 0, 0, 1]), 12)
    0.5
    """
    links = _blanc_links(table)
    return math.fsum(kind.precision for kind in links) / len(links)


@measure(
    title="BLANC recall",
    symbol="BLANC_R",
    family="coreference",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    partial=True,
    equation="(N11 / (N11 + N10) + N00 / (N00 + N01)) / 2",
    reference=BLANC,
    meaning="The mean of two shares: of pairs that the truth puts together, and of pairs that it "
    "puts apart, those on which the prediction agrees. A kind of pair that the truth has not is "
    "left out. Random clusterings have 1/2 on average, whatever their sizes.",
    use="Together with BLANC precision.",
    avoid="There are many classes: half of the value is then close to 1 whatever the clustering.",
)
def blanc_recall(table: Contingency) -> float:
    """Mean recall of pairs together and of pairs apart.

    >>> blanc_recall(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.5
    """
    links = _blanc_links(table)
    return math.fsum(kind.recall for kind in links) / len(links)


@measure(
    title="BLANC",
    symbol="BLANC_F",
    family="coreference",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    partial=True,
    aliases=("blanc",),
    equation="(F of pairs together + F of pairs apart) / 2",
    reference=BLANC,
    meaning="The mean of the F-measures of pairs together and of pairs apart. A kind of pair "
    "that the truth has not is left out.",
    use="You want a Rand index in which pairs together count as much as pairs apart.",
    avoid="There are many classes: half of the value is then close to 1 whatever the clustering. "
    "Take adjusted_rand.",
)
def blanc_f1(table: Contingency) -> float:
    """Mean of the F-measures of pairs together and of pairs apart.

    >>> round(blanc_f1(["a", "a", "b", "b"], [0, 0, 0, 1]), 12)
    0.485714285714
    """
    links = _blanc_links(table)
    return math.fsum(kind.f1 for kind in links) / len(links)


def _resolved(table: Contingency, *, of_clusters: bool) -> float:
    """The share of objects by how far the links of their set are resolved."""
    _need_objects(table)
    sides = table.sides
    whole, other = (sides.b, sides.a) if of_clusters else (sides.a, sides.b)
    linked = ratios(sides.x - 1, np.maximum(whole - 1, 1)) * sides.x.astype(np.float64)
    alone = (sides.x == 1) & (other == 1)  # a single object is linked to itself
    found = np.where(whole > 1, np.maximum(linked, 0), alone)
    objects = objects_of(table, of_clusters=of_clusters)
    return at_most_one(share(math.fsum(found.tolist()), objects, NO_OBJECTS))


@measure(
    title="LEA precision",
    symbol="LEA_P",
    family="coreference",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    partial=True,
    equation="(1/n) sum_k h(k) (pairs of k within one class) / (pairs of k)",
    reference=LEA,
    meaning="For a cluster, the share of its pairs that are of one class; averaged with weights "
    "by size. A single object is linked to itself.",
    use="Together with LEA recall.",
    avoid="Alone: singletons that are classes make it perfect.",
)
def lea_precision(table: Contingency) -> float:
    """Mean over objects of the share of their cluster's pairs that are of one class.

    >>> round(lea_precision(["a", "b", "b", "c", "c", "c"], [0, 0, 0, 0, 0, 0]), 12)
    0.266666666667
    """
    return _resolved(table, of_clusters=True)


@measure(
    title="LEA recall",
    symbol="LEA_R",
    family="coreference",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    partial=True,
    equation="(1/n) sum_c h(c) (pairs of c within one cluster) / (pairs of c)",
    reference=LEA,
    meaning="For a class, the share of its pairs that are in one cluster; averaged with weights "
    "by size. A single object is linked to itself.",
    use="Together with LEA precision.",
    avoid="Alone: a single cluster makes it perfect, but for classes of one object.",
)
def lea_recall(table: Contingency) -> float:
    """Mean over objects of the share of their class's pairs that are in one cluster.

    >>> round(lea_recall(["a", "b", "b", "c", "c", "c"], [0, 0, 0, 0, 0, 0]), 12)
    0.833333333333
    """
    return _resolved(table, of_clusters=False)


@measure(
    title="LEA F-measure",
    symbol="LEA_F",
    family="coreference",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    partial=True,
    aliases=("lea",),
    equation="2 P R / (P + R)",
    reference=LEA,
    meaning="The harmonic mean of LEA precision and recall.",
    use="Large entities should weigh by their size, and merging them should cost.",
    avoid="Published figures are of another measure: take conll_f1.",
)
def lea_f1(table: Contingency) -> float:
    """Harmonic mean of LEA precision and recall.

    >>> round(lea_f1(["a", "b", "b", "c", "c", "c"], [0, 0, 0, 0, 0, 0]), 12)
    0.40404040404
    """
    return harmonic(_resolved(table, of_clusters=True), _resolved(table, of_clusters=False))


@measure(
    title="CoNLL score",
    symbol="CoNLL_F",
    family="coreference",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    partial=True,
    aliases=("conll",),
    equation="(MUC_F + B3_F + CEAF_E_F) / 3",
    reference="Pradhan et al. 2012; Pradhan et al. 2014",
    meaning="The mean of the F-measures of MUC, B-cubed and CEAF by entities.",
    use="You compare with published figures of coreference resolution.",
    avoid="You want to know what the value means: it is a mean of three different things.",
)
def conll_f1(table: Contingency) -> float:
    """Mean of the F-measures of MUC, B-cubed and CEAF by entities.

    >>> round(conll_f1(["a", "a", "b", "b"], [0, 0, 0, 1]), 12)
    0.646405228758
    """
    parts = [one.record.formula(table) for one in (muc_f1, bcubed_f1, ceaf_e_f1)]
    return math.fsum(parts) / len(parts)
