"""Measures of how alike two soft clusterings find the same pairs of objects."""

from __future__ import annotations

import math

from clustervet.errors import UndefinedError
from clustervet.registry import measure
from clustervet.soft.pair import SoftPair

HULLERMEIER = "Hüllermeier, Rifqi, Henzgen & Senge 2012"
NO_PAIRS = "there are no pairs of objects"
NOT_TOGETHER = "no two objects are equivalent to any degree"
SPLIT = (
    "E_P = 1 - |P_i - P_j|_1 / 2; a = sum (1 - |E_P - E_Q|) E_P E_Q, b = sum max(E_P - E_Q, 0), "
    "c = sum max(E_Q - E_P, 0), over pairs i < j; "
)


def pairs_of(pair: SoftPair) -> int:
    """The number of pairs of objects; undefined if there are none."""
    if pair.pairs == 0:
        raise UndefinedError(NO_PAIRS)
    return pair.pairs


def quotient(part: float, whole: float, why: str) -> float:
    """A share of at most 1; undefined for the given reason if the whole is zero."""
    if whole == 0:
        raise UndefinedError(why)
    return min(1.0, part / whole)


@measure(
    title="Normalized degree of concordance",
    symbol="NDC",
    family="soft",
    kind="soft",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    cost="pairs",
    aliases=("normalized_degree_of_concordance", "hullermeier_rand"),
    equation="1 - mean over pairs i < j of |E_P(i,j) - E_Q(i,j)|, E_P(i,j) = 1 - |P_i - P_j|_1 / 2",
    reference=HULLERMEIER,
    meaning="1 minus the mean difference, over pairs of objects, of how equivalent the two "
    "clusterings find them.",
    use="You compare soft clusterings with any numbers of clusters: equal ones have 1, and 1 minus "
    "the value is a pseudometric.",
    avoid="Chance must be taken out: unrelated clusterings have high values. Take "
    "adjusted_concordance.",
)
def ndc(pair: SoftPair) -> float:
    """Share of pairs of objects on which two soft clusterings agree.

    Notes
    -----
    Two objects are equivalent by 1 less half the sum of the differences of their degrees: the
    paper leaves the distance open, and this is its choice for degrees that sum to 1. Of hard
    clusterings the value is `rand`.

    Examples
    --------
    >>> import clustervet as cv
    >>> cv.ndc([[1, 0], [0.5, 0.5], [0, 1]], [[1, 0], [1, 0], [0, 1]])
    0.6666666666666666
    >>> cv.ndc(["a", "a", "b"], [0, 1, 1]) == cv.rand(["a", "a", "b"], [0, 1, 1])
    True
    """
    total = pairs_of(pair)
    return max(0.0, (total - pair.sums.more - pair.sums.less) / total)


@measure(
    title="Adjusted concordance index",
    symbol="ACI",
    family="soft",
    kind="soft",
    better="higher",
    bounds=(-1, 1),
    symmetric=True,
    adjusted=True,
    perfect=1.0,
    cost="pairs",
    aliases=("aci", "adjusted_concordance_index"),
    equation="(NDC - E[NDC]) / (1 - E[NDC]), E over all orders of the objects of one side",
    reference="D'Ambrosio, Amodio, Iorio, Pandolfo & Siciliano 2021",
    meaning="The normalized degree of concordance corrected for chance: 0 on average if the "
    "objects of one side are in a random order, 1 for equal clusterings.",
    use="You compare soft clusterings and want to know whether they are more alike than chance.",
    avoid="Another model of chance is meant: this one keeps the rows of degrees of both sides.",
)
def adjusted_concordance(pair: SoftPair) -> float:
    """Normalized degree of concordance corrected for chance.

    Notes
    -----
    The expectation is exact: in a random order every pair of objects of one side meets every pair
    of the other equally often. The paper draws 1,000 random orders instead. Where both sides are
    soft, the values of all pairs are sorted, in ranges that fit into memory. Of hard clusterings
    the value is `adjusted_rand`.

    Examples
    --------
    >>> import clustervet as cv
    >>> round(cv.adjusted_concordance([[1, 0], [0.8, 0.2], [0, 1]], [[1, 0], [1, 0], [0, 1]]), 6)
    0.7
    """
    total = pairs_of(pair)
    gap = (pair.sums.more + pair.sums.less) / total
    if pair.expected_gap <= 1e-15:
        raise UndefinedError("all pairs of objects are equally equivalent, in any order")
    return max(-1.0, 1 - gap / pair.expected_gap)


@measure(
    title="Jaccard index of concordance",
    symbol="J_NDC",
    family="soft",
    kind="soft",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    cost="pairs",
    equation=SPLIT + "a / (a + b + c)",
    reference=HULLERMEIER,
    meaning="Of the pairs of objects that either clustering finds equivalent, the share on which "
    "both agree.",
    use="There are many clusters, so that most pairs are far apart in both and would decide ndc.",
    avoid="Pairs that both keep apart matter too. Take ndc.",
)
def ndc_jaccard(pair: SoftPair) -> float:
    """Jaccard index of pairs that are found equivalent.

    Notes
    -----
    Concordance is split by the product: a pair that both find equivalent counts
    (1 - |E_P - E_Q|) E_P E_Q, one that both keep apart (1 - |E_P - E_Q|) (1 - E_P E_Q). With b and
    c the four add up to 1 for each pair. Of hard clusterings the value is `jaccard`.

    Examples
    --------
    >>> import clustervet as cv
    >>> cv.ndc_jaccard([[1, 0], [0.5, 0.5], [0, 1]], [[1, 0], [1, 0], [0, 1]])
    0.2
    """
    both, more, less, *_ = pair.sums
    pairs_of(pair)
    return quotient(both, both + more + less, NOT_TOGETHER)


@measure(
    title="Dice index of concordance",
    symbol="F_NDC",
    family="soft",
    kind="soft",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    cost="pairs",
    equation=SPLIT + "2 a / (2 a + b + c)",
    reference=HULLERMEIER,
    meaning="The harmonic mean of the shares of either clustering's equivalent pairs on which "
    "both agree.",
    use="You want the F-measure of pairs for soft clusterings.",
    avoid="Pairs that both keep apart matter too. Take ndc.",
)
def ndc_dice(pair: SoftPair) -> float:
    """F-measure of pairs that are found equivalent.

    Notes
    -----
    The paper gives the split into a, b, c and d for measures that are made of them; this is one.
    Of hard clusterings the value is `pair_f1`.

    Examples
    --------
    >>> import clustervet as cv
    >>> round(cv.ndc_dice([[1, 0], [0.5, 0.5], [0, 1]], [[1, 0], [1, 0], [0, 1]]), 6)
    0.333333
    """
    both, more, less, *_ = pair.sums
    pairs_of(pair)
    return quotient(2 * both, 2 * both + more + less, NOT_TOGETHER)


@measure(
    title="Fowlkes-Mallows index of concordance",
    symbol="FM_NDC",
    family="soft",
    kind="soft",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    cost="pairs",
    equation=SPLIT + "a / sqrt((a + b) (a + c))",
    reference=HULLERMEIER,
    meaning="The geometric mean of the shares of either clustering's equivalent pairs on which "
    "both agree.",
    use="You compare with the Fowlkes-Mallows index of hard clusterings.",
    avoid="Pairs that both keep apart matter too. Take ndc.",
)
def ndc_fowlkes_mallows(pair: SoftPair) -> float:
    """Geometric mean of the shares of equivalent pairs on which both agree.

    Notes
    -----
    The paper gives the split into a, b, c and d for measures that are made of them; this is one.
    Of hard clusterings the value is `fowlkes_mallows`.

    Examples
    --------
    >>> import clustervet as cv
    >>> round(cv.ndc_fowlkes_mallows([[1, 0], [0.5, 0.5], [0, 1]], [[1, 0], [1, 0], [0, 1]]), 6)
    0.333333
    """
    both, more, less, *_ = pair.sums
    pairs_of(pair)
    whole = math.sqrt(both + more) * math.sqrt(both + less)
    return quotient(both, whole, "one clustering finds no two objects equivalent")
