"""Gini impurity of the clusters and of the classes, and the share of it that is explained."""

from __future__ import annotations

from clustervet._exact import explained_impurity
from clustervet.contingency import Contingency
from clustervet.contingency.sums import as_plain
from clustervet.external.common import MANY_CELLS, at_least_zero, share
from clustervet.registry import measure

# Impurity explained is computed again in whole numbers where it is below this share of all.
CLOSE = 1e-2


@measure(
    title="Gini index",
    symbol="G",
    family="impurity",
    arrays="sums",
    better="lower",
    bounds=(0, 1),
    perfect=0.0,
    aliases=("gini_index", "average_gini"),
    equation="sum_k (h(k)/n) (1 - sum_c (h(c,k)/h(k))^2)",
    reference="Aggarwal 2015, eqs. 6.50 and 6.51",
    meaning="The chance that two draws with replacement from an object's cluster differ in class.",
    use="Purity is too coarse: how the minority is spread should matter too.",
    avoid="Numbers of clusters differ: more clusters always lower it.",
)
def gini(table: Contingency) -> float:
    """Average Gini impurity of the clusters.

    >>> gini(["a", "a", "b", "b"], [0, 0, 1, 1])
    0.0
    >>> gini(["a", "a", "b", "b"], [0, 0, 0, 0])
    0.5
    """
    return table.cell_sums.cluster_confusion


@measure(
    title="Inverse Gini index",
    symbol="G_inv",
    family="impurity",
    arrays="sums",
    better="lower",
    bounds=(0, 1),
    perfect=0.0,
    equation="sum_c (h(c)/n) (1 - sum_k (h(c,k)/h(c))^2)",
    reference="Aggarwal 2015, §6.9.2 (row-wise)",
    meaning="The chance that two draws with replacement from an object's class differ in cluster.",
    use="Together with the Gini index, to see scattered classes.",
    avoid="Alone: a single cluster makes it perfect.",
)
def inverse_gini(table: Contingency) -> float:
    """Average Gini impurity of the classes over clusters.

    >>> inverse_gini(["a", "a", "b", "b"], [0, 1, 2, 3])
    0.5
    """
    return table.cell_sums.class_confusion


@measure(
    title="Goodman and Kruskal's tau",
    symbol="τ",
    family="impurity",
    arrays="sums",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    aliases=("gk_tau",),
    equation="1 - G / (1 - sum_c (h(c)/n)^2), with the Gini index G",
    reference="Goodman & Kruskal 1954; cited in Dom 2001, §5",
    meaning="The share of errors that knowing the cluster saves when classes are guessed with "
    "their own frequencies.",
    use="Lambda is too coarse: it is 0 wherever all clusters have the same majority class.",
    avoid="Numbers of clusters differ: splitting never lowers it.",
)
def goodman_kruskal_tau(table: Contingency) -> float:
    """Share of the classes' Gini impurity that the clusters explain.

    The table's transpose gives the share of the clusters' impurity that the classes explain.

    >>> round(goodman_kruskal_tau(["a", "a", "a", "b", "b"], [0, 0, 1, 1, 1]), 12)
    0.444444444444
    """
    mixed = table.class_impurity
    explained = mixed - table.cell_sums.cluster_confusion
    exactly = isinstance(table, Contingency)  # its cells are at hand
    if exactly and explained < CLOSE * mixed and len(table.cells.values) <= MANY_CELLS:
        explained = explained_impurity(table.plain or as_plain(table.cells))
    return at_least_zero(share(explained, mixed, "there is one class, so nothing to predict"))
