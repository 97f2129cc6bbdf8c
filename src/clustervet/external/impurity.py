"""Gini impurity of the clusters and of the classes."""

from __future__ import annotations

from clustervet.contingency import Contingency
from clustervet.registry import measure


@measure(
    title="Gini index",
    symbol="G",
    family="impurity",
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
