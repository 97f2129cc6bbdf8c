"""Measures of covers that are averages over objects: extended B-cubed and element-centric."""

from __future__ import annotations

import math

from clustervet._checks import share as between
from clustervet.errors import UndefinedError
from clustervet.external.common import at_least_zero, at_most_one, squared
from clustervet.overlapping.pair import CoverPair
from clustervet.overlapping.walks import walk_similarities
from clustervet.registry import measure

AMIGO = "Amigó, Gonzalo, Artiles & Verdejo 2009"


def _shares(pair: CoverPair) -> tuple[float, float]:
    """Precision and recall; undefined where a side has no group at all."""
    precision, recall = pair.object_means
    if math.isnan(precision):
        raise UndefinedError("no object is in a group of the prediction")
    if math.isnan(recall):
        raise UndefinedError("no object is in a group of the truth")
    return at_most_one(precision), at_most_one(recall)


@measure(
    title="Extended B-cubed precision",
    symbol="B3x_P",
    family="covers",
    kind="overlapping",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    equation="mean over objects e of the mean over e' that share a group of the prediction with e "
    "of min(t, p) / p, t and p the groups of truth and prediction that they share",
    reference=AMIGO,
    meaning="For an object and each one that is in a predicted group with it, the share of their "
    "common predicted groups that the truth confirms; averaged twice.",
    use="Groups overlap, and objects are the unit, as in coreference and deduplication.",
    avoid="Alone: groups of one object make it perfect, and objects in no predicted group are "
    "left out of the mean.",
)
def extended_bcubed_precision(pair: CoverPair) -> float:
    """Mean over objects of the multiplicity precision of their predicted neighbours.

    >>> extended_bcubed_precision([{0, 1}, {2, 3}], [{0, 1, 2, 3}])
    0.5
    """
    return _shares(pair)[0]


@measure(
    title="Extended B-cubed recall",
    symbol="B3x_R",
    family="covers",
    kind="overlapping",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    equation="mean over objects e of the mean over e' that share a true group with e of "
    "min(t, p) / t, t and p the groups of truth and prediction that they share",
    reference=AMIGO,
    meaning="For an object and each one that is in a true group with it, the share of their common "
    "true groups that the prediction finds; averaged twice.",
    use="Together with extended B-cubed precision.",
    avoid="Alone: one group of everything, repeated often enough, makes it perfect; objects in no "
    "true group are left out of the mean.",
)
def extended_bcubed_recall(pair: CoverPair) -> float:
    """Mean over objects of the multiplicity recall of their true neighbours.

    >>> extended_bcubed_recall([{0, 1}, {2, 3}], [{0}, {1}, {2}, {3}])
    0.5
    """
    return _shares(pair)[1]


@measure(
    title="Extended B-cubed F-measure",
    symbol="B3x_F",
    family="covers",
    kind="overlapping",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("extended_bcubed", "overlapping_bcubed_f1"),
    equation="(1 + beta^2) P R / (beta^2 P + R)",
    reference=AMIGO,
    meaning="The harmonic mean of extended B-cubed precision and recall; beta > 1 favours recall. "
    "Where nothing overlaps it is the B-cubed F-measure.",
    use="Groups overlap and their sizes vary widely.",
    avoid="Chance matters: it is not corrected for it. Nor does 1 mean equal covers: pairs that "
    "share as many groups in both are right, whichever groups these are.",
)
def extended_bcubed_f1(pair: CoverPair, beta: float = 1.0) -> float:
    """Harmonic mean of extended B-cubed precision and recall.

    Parameters
    ----------
    beta : float, default 1.0
        Weight of recall: above 1 it counts more than precision.

    Examples
    --------
    >>> round(extended_bcubed_f1([{0, 1}, {2, 3}], [{0, 1, 2, 3}]), 12)
    0.666666666667
    """
    weight = squared(beta)
    precision, recall = _shares(pair)
    if not precision and not recall:
        return 0.0
    return at_most_one((1 + weight) * precision * recall / (weight * precision + recall))


@measure(
    title="Element-centric similarity of covers",
    symbol="ECS_o",
    family="covers",
    kind="overlapping",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("overlapping_ecs",),
    equation="1 - (1/n) sum_i (1 / 2 alpha) sum_j |p_ij - q_ij|, p_i and q_i the stationary "
    "distributions of walks with restarts at object i",
    reference="Gates, Wood, Hetrick & Ahn 2019",
    meaning="For an object, how far walks from it through the groups end at the same objects in "
    "both covers; averaged over objects. Where nothing overlaps it is the element-centric "
    "similarity of partitions.",
    use="You want a symmetric, unbiased view of which objects are placed in the same way.",
    avoid="Many different objects are connected: its time grows with the square of the number of "
    "objects with different groups. An object in no group counts as a group of its own.",
)
def overlapping_element_centric(pair: CoverPair, alpha: float = 0.9) -> float:
    """Mean over objects of the overlap of where walks through the groups end.

    Parameters
    ----------
    alpha : float, default 0.9
        Probability that a walk goes on, between 0 and 1; with 1 - alpha it starts again.

    Examples
    --------
    >>> round(overlapping_element_centric([{0, 1}, {2, 3}], [{0, 1, 2, 3}]), 12)
    0.5
    """
    alike = walk_similarities(pair.atoms, between(alpha, "alpha"))
    total = math.fsum((alike * pair.atoms.atoms.weights).tolist())
    return at_least_zero(at_most_one(total / pair.n))
