"""Measures of two trees over the same objects."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from clustervet._checks import is_number, one_of, shown
from clustervet.errors import ParameterError, TableError, UndefinedError
from clustervet.hierarchical.information import Affinity, mutual_nats
from clustervet.hierarchical.joint import concordance, correlation, mean_ranks
from clustervet.hierarchical.pair import TreePair
from clustervet.hierarchical.purity import class_purity
from clustervet.hierarchical.shape import Shape, clades, splits
from clustervet.registry import measure

FLAT = "all pairs of objects are joined at one height in one of the trees"
PEROTTI = "Perotti, Tessone & Caldarelli 2015, Phys. Rev. E 92, 062825"
GATES = "Gates, Wood, Hetrick & Ahn 2019, Sci. Rep. 9, 8574"
# Trees of more objects have finer groups, so trees of a sample say little about their source.
GROWS = "its values change with the number of objects"
Average = Literal["geometric", "arithmetic", "min", "max"]


@measure(
    title="Cophenetic correlation",
    symbol="r coph",
    kind="hierarchical",
    family="hierarchies",
    better="higher",
    bounds=(-1, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("cor_cophenetic", "cophenetic"),
    equation="Pearson's correlation of h1(i,j) and h2(i,j) over all pairs of objects, where h(i,j) "
    "is the height at which a tree joins i and j",
    reference="Sokal & Rohlf 1962, Taxon 11, 33-40",
    meaning="How strongly the heights at which two trees join pairs of objects are correlated.",
    use="Heights mean something, and both trees measure them on scales that go together.",
    avoid="A few high merges hold most pairs: they decide it. Take bakers_gamma.",
)
def cophenetic_correlation(pair: TreePair) -> float:
    """Correlation of the heights at which two trees join pairs of objects.

    Notes
    -----
    Merges of equal height need no rule here: pairs are joined at the same height in any order of
    merges. Up to 2,000 objects all pairs are gone through; for more, the sum of products is made
    from pairs that each node joins and from distances to centroids of the other tree, in
    O(n log² n). scipy's ``cophenet`` and ``corrcoef`` give the same, from matrices of all pairs.

    Examples
    --------
    >>> cophenetic_correlation("((a,b),c);", "((a,b),c);")
    1.0
    >>> round(cophenetic_correlation("(((a,b),c),d);", "((a,b),(c,d));"), 12)
    0.316227766017
    """
    for side in (pair.truth, pair.pred):
        if not np.isfinite(side.heights).all():
            raise UndefinedError("a height is infinite")
    found = correlation(pair.truth, pair.pred, pair.truth.heights, pair.pred.heights)
    if found is None:
        raise UndefinedError(FLAT)
    return found


@measure(
    title="Baker's gamma",
    symbol="γ",
    kind="hierarchical",
    family="hierarchies",
    better="higher",
    bounds=(-1, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("baker_gamma",),
    equation="(S+ - S-) / (S+ + S-), where S+ and S- count pairs of pairs of objects that both "
    "trees join in the same order, and in opposite orders",
    reference="Baker 1974, J. Am. Stat. Assoc. 69, 440-445; Goodman & Kruskal 1954",
    meaning="Whether two trees join pairs of objects in the same order.",
    use="Only the order of merges means something, and not the heights.",
    avoid="More than some 10,000 objects: time and memory grow with the square of their number. "
    "Take method='spearman'.",
    cost="pairs",
)
def bakers_gamma(pair: TreePair, method: Literal["gamma", "spearman"] = "gamma") -> float:
    """Rank correlation of the steps at which two trees join pairs of objects.

    Parameters
    ----------
    method : {'gamma', 'spearman'}, default 'gamma'
        Goodman and Kruskal's gamma, as Baker defines it; or Spearman's correlation with mean ranks
        for ties, as ``cor_bakers_gamma`` of R's dendextend computes it, in O(n log² n).

    Notes
    -----
    Merges of equal height are one step, so pairs that they join are tied. dendextend computes
    Spearman's correlation under Baker's name, which is another number; where heights are equal it
    also depends there on the order of rows.

    Examples
    --------
    >>> round(bakers_gamma("(((a,b),c),d);", "((a,b),(c,d));"), 12)
    0.333333333333
    >>> round(bakers_gamma("(((a,b),c),d);", "((a,b),(c,d));", method="spearman"), 12)
    0.22360679775
    """
    one_of(method, "method", ("gamma", "spearman"))
    if method == "spearman":
        one, two = pair.truth, pair.pred
        found = correlation(one, two, mean_ranks(one), mean_ranks(two)) if one.inner else None
        if found is None:
            raise UndefinedError(FLAT)
        return found
    if not pair.truth.inner:
        raise UndefinedError("there is one object")
    same, other = concordance(pair.truth, pair.pred)
    if not same + other:
        raise UndefinedError("no two pairs of objects are joined at different steps in both trees")
    return (same - other) / (same + other)


def _group_counts(pair: TreePair, rooted: bool) -> tuple[int, int, int]:
    """Count the groups of each tree that are not in every tree, and those that are in both."""
    if not isinstance(rooted, bool | np.bool_):
        raise ParameterError(f"rooted must be True or False, not {shown(rooted)}.")
    if not pair.truth.inner:
        return 0, 0, 0
    if rooted:
        one, two = (side[:-1] for side in clades(pair.truth, pair.pred))
        return len(one), len(two), len(np.intersect1d(one, two))
    one, two = splits(pair.truth, pair.pred)
    own, _ = splits(pair.pred, pair.pred)
    return len(one), len(own), len(np.intersect1d(one, two))


@measure(
    title="Robinson-Foulds distance",
    symbol="RF",
    kind="hierarchical",
    family="hierarchies",
    better="lower",
    bounds=(0, math.inf),
    unit="groups",
    symmetric=True,
    metric=True,
    perfect=0.0,
    aliases=("rf", "symmetric_difference"),
    equation="|G1 - G2| + |G2 - G1|, where G holds the groups of objects that are an inner node "
    "of a tree",
    reference="Robinson & Foulds 1981, Math. Biosci. 53, 131-147; Day 1985, J. Classif. 2, 7-28",
    meaning="The number of groups that one tree has and the other one does not.",
    use="Only the groups matter, and not the heights; you want a metric.",
    avoid="One object that moves far may change every group. Take a measure of pairs.",
    no_interval=GROWS,
)
def robinson_foulds(pair: TreePair, rooted: bool = True) -> float:
    """Number of groups that are in one of two trees alone.

    Parameters
    ----------
    rooted : bool, default True
        Whether a group is the objects below a node. With False a group is the way in which a
        branch parts the objects in two, which does not depend on where the root is.

    Notes
    -----
    Nodes that ties make one are one group, whatever the order of their merges. Heights do not
    count otherwise, so the distance is a metric on the groups of trees: trees that differ in
    heights alone have the distance 0.

    Examples
    --------
    >>> robinson_foulds("(((a,b),c),d);", "(((a,c),b),d);")
    2.0
    >>> robinson_foulds("((a,b),(c,d));", "(((a,b),c),d);", rooted=False)
    0.0
    """
    one, two, both = _group_counts(pair, rooted)
    return float(one + two - 2 * both)


@measure(
    title="Normalized Robinson-Foulds distance",
    symbol="nRF",
    kind="hierarchical",
    family="hierarchies",
    better="lower",
    bounds=(0, 1),
    symmetric=True,
    perfect=0.0,
    aliases=("nrf", "normalized_rf"),
    equation="RF / (|G1| + |G2|)",
    reference="Robinson & Foulds 1981, Math. Biosci. 53, 131-147",
    meaning="The share of the groups of both trees that the other tree does not have.",
    use="Trees of different sizes are to be compared.",
    avoid="You need a metric: with numbers of groups that differ it is none. Take robinson_foulds.",
    no_interval=GROWS,
)
def normalized_robinson_foulds(pair: TreePair, rooted: bool = True) -> float:
    """Share of the groups of two trees that are in one of them alone.

    Parameters
    ----------
    rooted : bool, default True
        Whether a group is the objects below a node, or the way in which a branch parts the objects
        in two.

    Notes
    -----
    Groups that every tree has, of one object and of all, do not count. Other programs divide by
    2 (n - 2), or 2 (n - 3) without a root, the most that binary trees have.

    Examples
    --------
    >>> normalized_robinson_foulds("(((a,b),c),d);", "(((a,c),b),d);")
    0.5
    """
    one, two, both = _group_counts(pair, rooted)
    if not one + two:
        raise UndefinedError("neither tree has a group besides single objects and all objects")
    return (one + two - 2 * both) / (one + two)


def _in_base(nats: float, base: float) -> float:
    if not (is_number(base) and 1 < base < math.inf):
        raise ParameterError(f"base must be a number above 1, not {shown(base)}.")
    return nats / math.log(base)


@measure(
    title="Hierarchical mutual information",
    symbol="HMI",
    kind="hierarchical",
    family="hierarchies",
    better="higher",
    bounds=(0, math.inf),
    unit="bits",
    symmetric=True,
    aliases=("hmi",),
    equation="sum over levels l of I(parts at l+1 in T1; parts at l+1 in T2 | nodes at l in T1 and "
    "T2)",
    reference=PEROTTI,
    meaning="The information that the parts of a node in one tree give about those in the other, "
    "summed over levels from the root down.",
    use="Both trees split the objects level by level, and flat clusterings are to be included.",
    avoid="One tree has levels that the other one skips: then different levels are compared.",
    no_interval=GROWS,
)
def hierarchical_mutual_information(pair: TreePair, base: float = 2) -> float:
    """Mutual information of two trees, level by level.

    Parameters
    ----------
    base : float, default 2
        Base of the logarithm; 2 gives bits.

    Notes
    -----
    A level is the number of nodes above; a node with one child splits nothing and is no level, and
    merges of equal height are one. The tree of a linkage ends in single objects, that of labels in
    the finest labels. Of two flat clusterings this is the mutual information. Time grows with the
    number of objects times the depth.

    Examples
    --------
    >>> hierarchical_mutual_information("((a,b),(c,d));", "((a,b),(c,d));")
    2.0
    >>> hierarchical_mutual_information(["x", "x", "y", "y"], "((a,b),(c,d));")
    1.0
    """
    return _in_base(mutual_nats(pair.truth, pair.pred), base)


@measure(
    title="Normalized hierarchical mutual information",
    symbol="NHMI",
    kind="hierarchical",
    family="hierarchies",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("nhmi",),
    equation="HMI(T1; T2) / mean(HMI(T1; T1), HMI(T2; T2)); the mean is geometric unless average= "
    "says otherwise",
    reference=PEROTTI,
    meaning="Hierarchical mutual information as a share of that of each tree with itself.",
    use="You need a value between 0 and 1.",
    avoid="Trees are deep and bushy: chance alone lifts it. Compare it with cv.chance.",
    no_interval=GROWS,
)
def normalized_hierarchical_mutual_information(
    pair: TreePair, average: Average = "geometric"
) -> float:
    """Hierarchical mutual information divided by a mean of that of each tree with itself.

    Parameters
    ----------
    average : {'geometric', 'arithmetic', 'min', 'max'}, default 'geometric'
        Mean by which the value is normalised.

    Examples
    --------
    >>> round(normalized_hierarchical_mutual_information("((a,b),(c,d));", "(((a,b),c),d);"), 12)
    0.15563906223
    """
    one_of(average, "average", ("geometric", "arithmetic", "min", "max"))
    own = [mutual_nats(side, side) for side in (pair.truth, pair.pred)]
    means = {
        "geometric": math.sqrt(own[0]) * math.sqrt(own[1]),
        "arithmetic": (own[0] + own[1]) / 2,
        "min": min(own),
        "max": max(own),
    }
    if not means[average]:
        raise UndefinedError("a tree splits nothing")
    return min(1.0, mutual_nats(pair.truth, pair.pred) / means[average])


@measure(
    title="Hierarchical element-centric similarity",
    symbol="S hier",
    kind="hierarchical",
    family="hierarchies",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("hierarchical_ecs",),
    equation="mean over i of 1 - (1 / 2 alpha) sum_j |p1(i,j) - p2(i,j)|, where p(i,j) is the "
    "personalised PageRank of j from i over clusters of weight exp(r depth)",
    reference=GATES,
    meaning="How alike the neighbourhoods of an object are in both trees, on average over objects.",
    use="You want to weigh coarse groups (small r) against fine groups (large r), or to see which "
    "objects differ.",
    avoid="More than some 10,000 objects: time grows with the square of their number.",
    cost="pairs",
    no_interval=GROWS,
)
def hierarchical_element_centric(pair: TreePair, r: float = 1.0, alpha: float = 0.9) -> float:
    """Mean likeness of the neighbourhoods of objects in two trees.

    Parameters
    ----------
    r : float, default 1.0
        How much finer clusters weigh: a cluster at the relative depth d, from 0 for the root to 1
        for the leaves, weighs exp(r d).
    alpha : float, default 0.9
        Probability with which a walk goes on, between 0 and 1.

    Notes
    -----
    The clusters are the nodes of the tree, single objects included where the tree ends in them;
    the root of labels that leave objects apart is none. The relative depth is the number of nodes
    above, divided by the length of the longest way from the root through the node to a leaf. Of
    two flat clusterings this is the element-centric similarity of partitions. CluSim 0.4, the
    program of the authors, fails here with current versions of scipy.

    Examples
    --------
    >>> round(hierarchical_element_centric("((a,b),(c,d));", "((a,c),(b,d));"), 12)
    0.894556857318
    >>> hierarchical_element_centric(["x", "x", "y", "y"], [0, 0, 0, 0])
    0.5
    """
    if not (is_number(r) and abs(r) <= 100):
        raise ParameterError(f"r must be a number between -100 and 100, not {shown(r)}.")
    if not (is_number(alpha) and 0 < alpha < 1):
        raise ParameterError(f"alpha must be a number between 0 and 1, not {shown(alpha)}.")
    one, two = (Affinity(side, float(r), float(alpha)) for side in (pair.truth, pair.pred))
    apart = (float(np.abs(a - b).sum()) for a, b in zip(one.rows(), two.rows(), strict=True))
    found = 1 - math.fsum(apart) / (2 * alpha * pair.n)
    return min(1.0, max(0.0, found))


@measure(
    title="Dendrogram purity",
    symbol="DP",
    kind="hierarchical",
    family="hierarchies",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    equation="E[share of the class of i in the smallest node that holds i and j], where i is any "
    "object and j another one of its class",
    reference="Heller & Ghahramani 2005, ICML, sec. 5; Kobren et al. 2017, KDD",
    meaning="How pure the smallest group is that holds an object and another one of its class.",
    use="The truth is classes, and the tree is to be judged without choosing a cut.",
    avoid="Classes have subclasses: what a tree says of them is not seen.",
)
def dendrogram_purity(pair: TreePair, average: Literal["objects", "pairs"] = "objects") -> float:
    """Expected purity of the smallest node that holds two objects of one class.

    Parameters
    ----------
    average : {'objects', 'pairs'}, default 'objects'
        Draw an object and then another one of its class, as Heller and Ghahramani do; or draw a
        pair of objects of one class, as Kobren and colleagues do, so that large classes weigh
        more. Objects that are alone in their class have no partner and are left out.

    Notes
    -----
    The truth is a flat clustering. A node that ties make of several merges is one node, so nothing
    depends on the order of these. Counts of classes are merged from the smaller node into the
    larger one, in O(n log n).

    Examples
    --------
    >>> dendrogram_purity(["x", "x", "y", "y"], "((a,b),(c,d));")
    1.0
    >>> dendrogram_purity(["x", "x", "y", "y"], "(((a,b),c),d);")
    0.75
    """
    one_of(average, "average", ("objects", "pairs"))
    if not pair.truth.flat:
        raise UndefinedError(
            "the truth is a tree, and this measure compares a tree with classes; give labels as "
            "the truth",
            fault=TableError,
        )
    found = class_purity(_classes(pair.truth), pair.pred, average == "objects")
    if found is None:
        raise UndefinedError("no class has two objects")
    return found


def _classes(shape: Shape) -> list[int]:
    """Return the class of each object from the tree of a flat clustering."""
    own = np.arange(shape.leaves)
    parents = shape.parents[: shape.leaves]
    if shape.inner:
        grouped = shape.heights[parents - shape.leaves] <= shape.floor
        own = np.where(grouped, parents, own)
    return own.tolist()
