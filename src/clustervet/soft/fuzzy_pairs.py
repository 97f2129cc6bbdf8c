"""Campello's measures: pair counts of soft clusterings by a t-norm."""

from __future__ import annotations

import math
from typing import Any, Literal

from clustervet._checks import one_of
from clustervet.registry import measure
from clustervet.soft.concordance import pairs_of, quotient
from clustervet.soft.pair import SoftPair
from clustervet.soft.pair_sums import Overlaps

Norm = Literal["minimum", "product"]
CAMPELLO = "Campello 2007"
COUNTS = (
    "with V = max_k T(P_ik, P_jk) and X = max_{k != l} T(P_ik, P_jl), of Q likewise Y and Z: "
    "a = sum T(V, Y), b = sum T(V, Z), c = sum T(X, Y), d = sum T(X, Z), over pairs i < j; "
)
NOT_ONE = "Equal clusterings must have a fixed value: equal soft ones have less than 1 here. Take "
NOT_TOGETHER = "no two objects share a cluster to any degree"
BOTH_WHOLE = "no pair of objects is together, or none is apart, in both clusterings"


def _overlaps(pair: SoftPair, norm: Any) -> Overlaps:
    if pair.truth.is_hard and pair.identical:
        return Overlaps(1.0, 0.0, 0.0, 1.0)  # perfect, even where no pair is together, or apart
    pairs_of(pair)
    return pair.overlaps(one_of(norm, "norm", ("minimum", "product")))


@measure(
    title="Fuzzy Rand index",
    symbol="R_F",
    family="soft",
    kind="soft",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    cost="pairs",
    aliases=("campello_rand",),
    equation=COUNTS + "(a + d) / (a + b + c + d)",
    reference=CAMPELLO,
    meaning="The share of pairs of objects that both clusterings put together or both apart, "
    "counted by degrees.",
    use="You compare with published values of it; one side at least should be hard.",
    avoid=NOT_ONE + "ndc.",
)
def fuzzy_rand(pair: SoftPair, norm: Norm = "minimum") -> float:
    """Rand index of pair counts by degrees.

    Parameters
    ----------
    norm : {'minimum', 'product'}, default 'minimum'
        The t-norm T. A maximum joins degrees in both cases.

    Notes
    -----
    It is RI.F of R's fclust. Of hard clusterings the value is `rand`.

    Examples
    --------
    >>> import clustervet as cv
    >>> cv.fuzzy_rand(["a", "a", "b"], [[1, 0], [0.75, 0.25], [0, 1]])
    0.8333333333333334
    >>> P = [[0.5, 0.5], [0.5, 0.5]]
    >>> cv.fuzzy_rand(P, P)
    0.5
    """
    a, b, c, d = _overlaps(pair, norm)
    return quotient(a + d, a + b + c + d, "no pair of objects has any degree")


@measure(
    title="Fuzzy adjusted Rand index",
    symbol="AR_F",
    family="soft",
    kind="soft",
    better="higher",
    bounds=(-1, 1),
    symmetric=True,
    cost="pairs",
    aliases=("campello_adjusted_rand",),
    equation=COUNTS + "2 (a d - b c) / ((a + b)(b + d) + (a + c)(c + d))",
    reference=CAMPELLO,
    meaning="The adjusted Rand index with pair counts by degrees.",
    use="You compare with published values of it; one side at least should be hard.",
    avoid=NOT_ONE + "adjusted_concordance, whose mean over random orders is 0, as that of this "
    "one is not.",
)
def fuzzy_adjusted_rand(pair: SoftPair, norm: Norm = "minimum") -> float:
    """Adjusted Rand index of pair counts by degrees.

    Parameters
    ----------
    norm : {'minimum', 'product'}, default 'minimum'
        The t-norm T. A maximum joins degrees in both cases.

    Notes
    -----
    It is ARI.F of R's fclust. Of hard clusterings the value is `adjusted_rand`.

    Examples
    --------
    >>> import clustervet as cv
    >>> round(cv.fuzzy_adjusted_rand(["a", "a", "b"], [[1, 0], [0.75, 0.25], [0, 1]]), 6)
    0.625
    """
    counts = _overlaps(pair, norm)
    whole = math.fsum(counts) or 1.0
    a, b, c, d = (count / whole for count in counts)
    below = (a + b) * (b + d) + (a + c) * (c + d)
    return max(-1.0, quotient(2 * (a * d - b * c), below, BOTH_WHOLE))


@measure(
    title="Fuzzy Jaccard index",
    symbol="J_F",
    family="soft",
    kind="soft",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    cost="pairs",
    aliases=("campello_jaccard",),
    equation=COUNTS + "a / (a + b + c)",
    reference=CAMPELLO,
    meaning="Of the pairs of objects that either clustering puts together, the share that both "
    "do, counted by degrees.",
    use="You compare with published values of it; one side at least should be hard.",
    avoid=NOT_ONE + "ndc_jaccard.",
)
def fuzzy_jaccard(pair: SoftPair, norm: Norm = "minimum") -> float:
    """Jaccard index of pair counts by degrees.

    Parameters
    ----------
    norm : {'minimum', 'product'}, default 'minimum'
        The t-norm T. A maximum joins degrees in both cases.

    Notes
    -----
    It is JACCARD.F of R's fclust. Of hard clusterings the value is `jaccard`.

    Examples
    --------
    >>> import clustervet as cv
    >>> cv.fuzzy_jaccard(["a", "a", "b"], [[1, 0], [0.75, 0.25], [0, 1]])
    0.6
    """
    a, b, c, _ = _overlaps(pair, norm)
    return quotient(a, a + b + c, NOT_TOGETHER)


@measure(
    title="Fuzzy Fowlkes-Mallows index",
    symbol="FM_F",
    family="soft",
    kind="soft",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    cost="pairs",
    aliases=("campello_fowlkes_mallows",),
    equation=COUNTS + "a / sqrt((a + b) (a + c))",
    reference=CAMPELLO,
    meaning="The geometric mean of the shares of either clustering's pairs that the other has "
    "too, counted by degrees.",
    use="You compare with published values of it; one side at least should be hard.",
    avoid=NOT_ONE + "ndc_fowlkes_mallows.",
)
def fuzzy_fowlkes_mallows(pair: SoftPair, norm: Norm = "minimum") -> float:
    """Geometric mean of the shares of pairs that both put together, counted by degrees.

    Parameters
    ----------
    norm : {'minimum', 'product'}, default 'minimum'
        The t-norm T. A maximum joins degrees in both cases.

    Notes
    -----
    Of hard clusterings the value is `fowlkes_mallows`.

    Examples
    --------
    >>> import clustervet as cv
    >>> round(cv.fuzzy_fowlkes_mallows(["a", "a", "b"], [[1, 0], [0.75, 0.25], [0, 1]]), 6)
    0.75
    """
    a, b, c, _ = _overlaps(pair, norm)
    return quotient(a, math.sqrt(a + b) * math.sqrt(a + c), NOT_TOGETHER)
