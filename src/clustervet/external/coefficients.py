"""Further coefficients of pairs together and apart, which other packages and fields report.

They are functions of the four pair counts, as those of `pairs`. A card shows them on request, by
``family="coefficients"``: they rank clusterings much as the Rand and the Jaccard index do.
"""

from __future__ import annotations

import math

from clustervet.contingency import Contingency
from clustervet.external.common import pairs_of, root, share
from clustervet.external.pairs import NO_CLASS_PAIR, NO_CLUSTER_PAIR, NO_PAIR
from clustervet.registry import measure

ONE_OBJECT = "one object makes no pair"


@measure(
    title="Rogers-Tanimoto coefficient",
    symbol="RT",
    family="coefficients",
    arrays="pairs",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    equation="(N11 + N00) / (N11 + N00 + 2 (N10 + N01))",
    reference="Rogers & Tanimoto 1960",
    meaning="The Rand index in which a pair that is judged differently counts twice.",
    use="You must report it beside older work: it ranks clusterings as the Rand index does.",
    avoid="You compare with old versions of clusterCrit, which counted N10 twice and N01 never.",
)
def rogers_tanimoto(table: Contingency) -> float:
    """Share of agreeing pairs, where disagreeing pairs count twice.

    >>> round(rogers_tanimoto([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.714286
    """
    pairs = pairs_of(table)
    alike = pairs.n11 + pairs.n00
    return share(alike, alike + 2 * (pairs.n10 + pairs.n01), ONE_OBJECT)


@measure(
    title="Sokal-Sneath coefficient 1",
    symbol="SS1",
    family="coefficients",
    arrays="pairs",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("sokal_sneath",),
    equation="N11 / (N11 + 2 (N10 + N01))",
    reference="Sokal & Sneath 1963",
    meaning="The Jaccard index in which a pair that is judged differently counts twice.",
    use="You must report it beside older work: it ranks clusterings as the Jaccard index does.",
    avoid="You compare with old versions of clusterCrit, which counted N10 twice and N01 never.",
)
def sokal_sneath_1(table: Contingency) -> float:
    """Share of pairs together in both, where disagreeing pairs count twice.

    >>> round(sokal_sneath_1([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.333333
    """
    pairs = pairs_of(table)
    return share(pairs.n11, pairs.n11 + 2 * (pairs.n10 + pairs.n01), NO_PAIR)


@measure(
    title="Sokal-Sneath coefficient 2",
    symbol="SS2",
    family="coefficients",
    arrays="pairs",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    equation="2 (N11 + N00) / (2 (N11 + N00) + N10 + N01)",
    reference="Sokal & Sneath 1963",
    meaning="The Rand index in which a pair that is judged alike counts twice.",
    use="You must report it beside older work: it ranks clusterings as the Rand index does.",
    avoid="Names are compared: the number 2 is another coefficient in some lists of these.",
)
def sokal_sneath_2(table: Contingency) -> float:
    """Share of agreeing pairs, where agreeing pairs count twice.

    >>> round(sokal_sneath_2([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.909091
    """
    pairs = pairs_of(table)
    alike = 2 * (pairs.n11 + pairs.n00)
    return share(alike, alike + pairs.n10 + pairs.n01, ONE_OBJECT)


@measure(
    title="Kulczynski coefficient",
    symbol="K",
    family="coefficients",
    arrays="pairs",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("kulczynski_2",),
    equation="(N11 / P + N11 / Q) / 2, P and Q the pairs together in each",
    reference="Kulczynski 1927",
    meaning="The arithmetic mean of pairwise precision and recall.",
    use="You want the plain mean of pairwise precision and recall.",
    avoid="One of the two may be 1 for no reason: singletons or one cluster still score above 1/2. "
    "Take fowlkes_mallows or pair_f1.",
)
def kulczynski(table: Contingency) -> float:
    """Arithmetic mean of pairwise precision and recall.

    >>> kulczynski([0, 0, 1, 1], [0, 0, 1, 2])
    0.75
    """
    pairs = pairs_of(table)
    recall = share(pairs.n11, pairs.same_class, NO_CLASS_PAIR)
    return (recall + share(pairs.n11, pairs.same_cluster, NO_CLUSTER_PAIR)) / 2


@measure(
    title="Russell-Rao coefficient",
    symbol="RR",
    family="coefficients",
    arrays="pairs",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    aliases=("russel_rao",),
    equation="N11 / (n (n - 1) / 2)",
    reference="Russell & Rao 1940",
    meaning="The share of all pairs of objects that both clusterings put together.",
    use="You want the chance that two objects are together in both, as a plain probability.",
    avoid="Clusterings are judged: equal clusterings score the share of pairs that are together, "
    "not 1. Take jaccard.",
)
def russell_rao(table: Contingency) -> float:
    """Share of all pairs that are together in both clusterings.

    >>> round(russell_rao([0, 0, 1, 1], [0, 0, 1, 1]), 6)
    0.333333
    """
    pairs = pairs_of(table)
    return share(pairs.n11, pairs.total, ONE_OBJECT)


@measure(
    title="McNemar's statistic",
    symbol="McN",
    family="coefficients",
    arrays="pairs",
    better="neither",
    bounds=(-math.inf, math.inf),
    unit="standard deviations",
    equation="(N10 - N01) / sqrt(N10 + N01)",
    reference="McNemar 1947",
    meaning="Whether the clusters are finer (above 0) or coarser (below 0) than the classes, in "
    "pairs that are judged differently.",
    use="You ask in which direction a clustering errs: towards splits or towards merges.",
    avoid="A p-value is wanted: pairs that share an object are not independent. clusterCrit puts "
    "N00 in the place of N10.",
    sized=True,
)
def mcnemar(table: Contingency) -> float:
    """Excess of separated pairs over joined ones, by the square root of their number.

    Notes
    -----
    It is 0 where no pair is judged differently.

    Examples
    --------
    >>> mcnemar([0, 0, 1, 1], [0, 0, 1, 2])
    1.0
    """
    pairs = pairs_of(table)
    surplus, unlike = pairs.n10 - pairs.n01, pairs.n10 + pairs.n01
    square = share(surplus * surplus, unlike + (unlike == 0), ONE_OBJECT)
    return root(square) * (1 - 2 * (surplus < 0))


@measure(
    title="Yule's Q",
    symbol="Q",
    family="coefficients",
    arrays="pairs",
    better="higher",
    bounds=(-1, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("yule",),
    equation="(N11 N00 - N10 N01) / (N11 N00 + N10 N01)",
    reference="Yule 1900",
    meaning="The association over pairs between 'same class' and 'same cluster', from their odds "
    "ratio.",
    use="You think in odds ratios: Q is (OR - 1) / (OR + 1).",
    avoid="Clusters are only split or only merged: one empty cell makes it 1. Take hubert_gamma.",
)
def yule_q(table: Contingency) -> float:
    """Association between sharing a class and sharing a cluster.

    >>> round(yule_q([0, 0, 0, 1, 1], [0, 0, 1, 1, 1]), 6)
    0.333333
    """
    pairs = pairs_of(table)
    alike, unlike = pairs.n11 * pairs.n00, pairs.n10 * pairs.n01
    return share(alike - unlike, alike + unlike, "the odds of a pair are 0/0")
