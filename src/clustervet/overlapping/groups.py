"""Measures of covers that look at groups: best matches, and normalised mutual information."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import one_of
from clustervet.errors import UndefinedError
from clustervet.external.common import at_least_zero, at_most_one, share
from clustervet.overlapping.cover import Cover
from clustervet.overlapping.overlaps import Entropies
from clustervet.overlapping.pair import CoverPair
from clustervet.registry import measure

Average = Literal["groups", "objects"]
YANG = "Yang & Leskovec 2013"


def _mean(values: NDArray[np.float64], cover: Cover, average: Average, what: str) -> float:
    """The mean over groups, each with weight 1 or with the number of its objects."""
    equal = one_of(average, "average", ("groups", "objects")) == "groups"
    weights = np.ones(cover.k) if equal else cover.sizes.astype(np.float64)
    total = math.fsum((values * weights).tolist())
    return at_most_one(share(total, math.fsum(weights.tolist()), f"{what} has no groups"))


@measure(
    title="Best-match F of true groups",
    symbol="F_best(T)",
    family="covers",
    kind="overlapping",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    equation="(1/|C|) sum_c max_k 2 |c ∩ k| / (|c| + |k|)",
    reference=YANG,
    meaning="For each true group the F of the group that fits it best, averaged over true groups. "
    "Where nothing overlaps it is the Larsen-Aone measure.",
    use="Every true group should be found by some group.",
    avoid="Alone: a prediction with all possible groups makes it perfect.",
)
def best_match_f1_truth(pair: CoverPair, average: Average = "groups") -> float:
    """Mean over true groups of the best F of a group.

    Parameters
    ----------
    average : {'groups', 'objects'}, default 'groups'
        Whether each group counts once, or as often as it has objects.

    Examples
    --------
    >>> best_match_f1_truth([{0, 1, 2}, {2, 3}], [{0, 1}, {2, 3}])
    0.9
    """
    return _mean(pair.matches[0], pair.truth, average, "the truth")


@measure(
    title="Best-match F of found groups",
    symbol="F_best(P)",
    family="covers",
    kind="overlapping",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    equation="(1/|K|) sum_k max_c 2 |c ∩ k| / (|c| + |k|)",
    reference=YANG,
    meaning="For each found group the F of the true group that fits it best, averaged over found "
    "groups.",
    use="Every found group should be a true one.",
    avoid="Alone: one group that is right makes it perfect, and all found groups may match the "
    "same true one.",
)
def best_match_f1_pred(pair: CoverPair, average: Average = "groups") -> float:
    """Mean over found groups of the best F of a true group.

    Parameters
    ----------
    average : {'groups', 'objects'}, default 'groups'
        Whether each group counts once, or as often as it has objects.

    Examples
    --------
    >>> round(best_match_f1_pred([{0, 1, 2}, {2, 3}], [{0, 1}, {0, 2}, {2, 3}]), 12)
    0.866666666667
    """
    return _mean(pair.matches[1], pair.pred, average, "the prediction")


@measure(
    title="Best-match F",
    symbol="F_best",
    family="covers",
    kind="overlapping",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("average_f1",),
    equation="(best-match F of true groups + best-match F of found groups) / 2",
    reference=YANG,
    meaning="The F of each group with the one that fits it best, averaged over the groups of "
    "either cover, and then over both.",
    use="You compare with published figures of overlapping communities.",
    avoid="Chance matters: with many groups of few objects, some F is high for any of them.",
)
def best_match_f1(pair: CoverPair, average: Average = "groups") -> float:
    """Mean of the best-match F of true groups and that of found groups.

    Parameters
    ----------
    average : {'groups', 'objects'}, default 'groups'
        Whether each group counts once, or as often as it has objects.

    Examples
    --------
    >>> best_match_f1([{0, 1, 2}, {2, 3}], [{0, 1}, {2, 3}])
    0.9
    """
    one = _mean(pair.matches[0], pair.truth, average, "the truth")
    return (one + _mean(pair.matches[1], pair.pred, average, "the prediction")) / 2


def _left(found: Entropies, what: str) -> float:
    """The mean over groups of the share of their information that the other cover leaves."""
    if not len(found.own):
        raise UndefinedError(f"{what} has no groups")
    if not found.own.all():
        raise UndefinedError(f"a group of {what} has all objects, so that its entropy is 0")
    return math.fsum((found.left / found.own).tolist()) / len(found.own)


@measure(
    title="Overlapping NMI (LFK)",
    symbol="NMI_LFK",
    family="covers",
    kind="overlapping",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("onmi_lfk", "overlapping_nmi"),
    equation="1 - (1/2) ((1/|C|) sum_c H(c|K) / H(c) + (1/|K|) sum_k H(k|C) / H(k)), H(c|K) the "
    "least H(c|k) of groups k that agree with c more than they oppose it",
    reference="Lancichinetti, Fortunato & Kertész 2009, appendix B",
    meaning="The share of the information in each group that the best group of the other cover "
    "gives, averaged over groups and over both covers.",
    use="You compare with published figures of overlapping communities.",
    avoid="Many groups match nothing well: a group is matched with the best of many, so the value "
    "is too high. One found group that is one of two equally large true ones gets 0.75, where half "
    "of the groups are missing (McDaid, Greene & Hurley 2011). Take overlapping_nmi_max.",
)
def overlapping_nmi_lfk(pair: CoverPair) -> float:
    """Share of the information in groups that the best group of the other cover gives.

    >>> round(overlapping_nmi_lfk([{0, 1}, {2, 3}], [{0, 1}], objects=8), 12)
    0.75
    """
    one, two = pair.entropies
    left = _left(one, "the truth") + _left(two, "the prediction")
    return at_least_zero(at_most_one(1 - left / 2))


@measure(
    title="Overlapping NMI (max)",
    symbol="NMI_max",
    family="covers",
    kind="overlapping",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("onmi_max", "overlapping_nmi_mgh"),
    equation="I / max(H(C), H(K)), I = (H(C) - H(C|K) + H(K) - H(K|C)) / 2, H(C) = sum_c H(c), "
    "H(C|K) = sum_c H(c|K)",
    reference="McDaid, Greene & Hurley 2011",
    meaning="The information in the groups of one cover that the best groups of the other give, as "
    "a share of that of the cover with more information.",
    use="Groups overlap, and groups that are missing or too many should lower the value.",
    avoid="Groups are few and large: a group is only compared with the best other one, and what "
    "several say together is not seen.",
)
def overlapping_nmi_max(pair: CoverPair) -> float:
    """Information that the best groups of the other cover give, divided by the larger entropy.

    >>> round(overlapping_nmi_max([{0, 1}, {2, 3}], [{0, 1}], objects=8), 12)
    0.5
    """
    own, left = zip(*((_sum(side.own), _sum(side.left)) for side in pair.entropies), strict=True)
    shared = (sum(own) - sum(left)) / 2
    why = "every group of both covers has all objects, or there are no groups"
    return at_least_zero(at_most_one(share(shared, max(own), why)))


def _sum(values: NDArray[np.float64]) -> float:
    return math.fsum(values.tolist())
