"""Measures of record linkage and its kin: entities found whole, and the cost of repairing them."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import is_number
from clustervet.contingency import Contingency
from clustervet.contingency.sums import exact_sum
from clustervet.errors import ParameterError
from clustervet.external.common import NO_OBJECTS, harmonic, pairs_of, ratios, share
from clustervet.registry import measure

Cost = str | float | Callable[[Any, Any], float]
BINETTE = "Binette et al. 2022"
CLOSEST = "Menestrina, Whang & Garcia-Molina 2010"
# Costs of sizes with which a cost function is tried.
TRIED = (1, 2, 3, 7)


def recovered(table: Contingency) -> NDArray[np.int64]:
    """The cells that are a whole class and a whole cluster at once.

    >>> import clustervet as cv
    >>> recovered(cv.Contingency.from_counts([[2, 0, 0], [0, 1, 3]])).tolist()
    [0]
    """
    cells = table.cells
    whole_class = np.diff(cells.indptr)[cells.rows] == 1
    whole_cluster = np.bincount(cells.cols, minlength=table.shape[1])[cells.cols] == 1
    return np.flatnonzero(whole_class & whole_cluster)


@measure(
    title="Cluster precision",
    symbol="cluster P",
    family="linkage",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    equation="(classes that are clusters) / |K|",
    reference=BINETTE,
    meaning="The share of clusters that are exactly a class.",
    use="An entity is of use only if it is found whole.",
    avoid="Classes are large: one wrong object makes a cluster as wrong as any other.",
)
def cluster_precision(table: Contingency) -> float:
    """Share of clusters that are exactly a class.

    >>> cluster_precision(["a", "a", "b", "b"], [0, 0, 1, 2])
    0.3333333333333333
    """
    return len(recovered(table)) / table.shape[1]


@measure(
    title="Cluster recall",
    symbol="cluster R",
    family="linkage",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    equation="(classes that are clusters) / |C|",
    reference=BINETTE,
    meaning="The share of classes that are exactly a cluster.",
    use="An entity is of use only if it is found whole.",
    avoid="Classes are large: one wrong object makes a class as lost as any other.",
)
def cluster_recall(table: Contingency) -> float:
    """Share of classes that are exactly a cluster.

    >>> cluster_recall(["a", "a", "b", "b"], [0, 0, 1, 2])
    0.5
    """
    return len(recovered(table)) / table.shape[0]


@measure(
    title="Cluster F-measure",
    symbol="cluster F",
    family="linkage",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("cluster_f", "fga"),
    equation="2 (classes that are clusters) / (|C| + |K|)",
    reference="Binette et al. 2022; Jiang et al. 2024 (FGA, of log parsing)",
    meaning="The harmonic mean of cluster precision and recall.",
    use="An entity is of use only if it is found whole.",
    avoid="Classes are large: nearly right and quite wrong count the same.",
)
def cluster_f1(table: Contingency) -> float:
    """Harmonic mean of cluster precision and recall.

    >>> cluster_f1(["a", "a", "b", "b"], [0, 0, 1, 2])
    0.4
    """
    return 2 * len(recovered(table)) / sum(table.shape)


@measure(
    title="Grouping accuracy",
    symbol="GA",
    family="log_parsing",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("ga", "group_accuracy"),
    equation="(1/n) sum of h(c) over classes that are clusters",
    reference="Zhu et al. 2019",
    meaning="The share of objects whose class is exactly a cluster.",
    use="You compare with published figures of log parsing.",
    avoid="A few classes hold most objects: they decide it alone. Take cluster_f1.",
)
def grouping_accuracy(table: Contingency) -> float:
    """Share of objects whose class is exactly a cluster.

    >>> grouping_accuracy(["a", "a", "b", "b"], [0, 0, 1, 2])
    0.5
    """
    return share(exact_sum(table.cells.values[recovered(table)]), table.exact_n, NO_OBJECTS)


def overlaps(table: Contingency) -> NDArray[np.float64]:
    """For each cell its objects as a share of the union of class and cluster (Jaccard).

    >>> import clustervet as cv
    >>> overlaps(cv.Contingency.from_counts([[2, 0], [1, 1]])).round(3).tolist()
    [0.667, 0.25, 0.5]
    """
    cells = table.cells
    union = table.class_sizes[cells.rows] + table.cluster_sizes[cells.cols] - cells.values
    return np.minimum(ratios(cells.values, union), 1.0)


def best_of_classes(table: Contingency) -> NDArray[np.float64]:
    """The largest overlap of each class.

    >>> import clustervet as cv
    >>> best_of_classes(cv.Contingency.from_counts([[2, 0], [1, 1]])).round(3).tolist()
    [0.667, 0.5]
    """
    return np.maximum.reduceat(overlaps(table), table.cells.indptr[:-1])


def _mean_of_clusters(table: Contingency) -> float:
    best = np.zeros(table.shape[1])
    np.maximum.at(best, table.cells.cols, overlaps(table))
    return math.fsum(best.tolist()) / len(best)


def _mean_of_classes(table: Contingency) -> float:
    return math.fsum(best_of_classes(table).tolist()) / table.shape[0]


@measure(
    title="Closest cluster precision",
    symbol="cc P",
    family="linkage",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    equation="(1/|K|) sum_k max_c h(c,k) / (h(c) + h(k) - h(c,k))",
    reference=CLOSEST,
    meaning="The mean over clusters of the overlap with the closest class, by Jaccard's "
    "coefficient.",
    use="Nearly right clusters should count nearly as much as right ones.",
    avoid="Alone: several clusters may be close to the same class.",
)
def closest_cluster_precision(table: Contingency) -> float:
    """Mean over clusters of Jaccard's overlap with the closest class.

    >>> round(closest_cluster_precision(["a", "a", "b", "b"], [0, 0, 0, 1]), 12)
    0.583333333333
    """
    return _mean_of_clusters(table)


@measure(
    title="Closest cluster recall",
    symbol="cc R",
    family="linkage",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    equation="(1/|C|) sum_c max_k h(c,k) / (h(c) + h(k) - h(c,k))",
    reference=CLOSEST,
    meaning="The mean over classes of the overlap with the closest cluster, by Jaccard's "
    "coefficient.",
    use="Together with closest cluster precision.",
    avoid="Alone: it does not see clusters that are closest to no class.",
)
def closest_cluster_recall(table: Contingency) -> float:
    """Mean over classes of Jaccard's overlap with the closest cluster.

    >>> round(closest_cluster_recall(["a", "a", "b", "b"], [0, 0, 0, 1]), 12)
    0.583333333333
    """
    return _mean_of_classes(table)


@measure(
    title="Closest cluster F-measure",
    symbol="cc F",
    family="linkage",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("closest_cluster", "cc_f1"),
    equation="2 P R / (P + R)",
    reference=CLOSEST,
    meaning="The harmonic mean of closest cluster precision and recall.",
    use="Nearly right clusters should count nearly as much as right ones.",
    avoid="Objects rather than entities matter: all entities weigh the same. Take bcubed_f1.",
)
def closest_cluster_f1(table: Contingency) -> float:
    """Harmonic mean of closest cluster precision and recall.

    >>> round(closest_cluster_f1(["a", "a", "b", "b"], [0, 0, 0, 1]), 12)
    0.583333333333
    """
    return harmonic(_mean_of_clusters(table), _mean_of_classes(table))


@measure(
    title="Generalized merge distance",
    symbol="GMD",
    family="linkage",
    better="lower",
    bounds=(0, math.inf),
    unit="operations",
    symmetric=True,
    perfect=0.0,
    aliases=("gmd", "merge_distance"),
    equation="sum of split(x, y) over the splits of clusters into cells + sum of merge(x, y) over "
    "the merges of cells into classes",
    reference=CLOSEST,
    meaning="What it costs to split the clusters into pieces of one class and to merge the "
    "pieces into the classes; by default the number of splits and merges.",
    use="You know what a repair costs: a split may be dearer than a merge, or cost by sizes.",
    avoid="You need a metric: it may be shorter to merge first, which this does not do.",
)
def generalized_merge_distance(table: Contingency, split: Cost = 1, merge: Cost = 1) -> float:
    """Cost of turning the clusters into the classes by splits and merges.

    Parameters
    ----------
    split : float, {'pairs', 'bits'} or callable, default 1
        Cost of splitting a set into parts of sizes x and y: a number; 'pairs' for x y, the pairs
        of objects that are parted; 'bits' for the change of entropy, times the number of objects;
        or a function of x and y. The order of operations must not matter.
    merge : float, {'pairs', 'bits'} or callable, default 1
        Cost of merging sets of sizes x and y, likewise.

    Examples
    --------
    >>> generalized_merge_distance(["a", "a", "b", "b"], [0, 0, 0, 1])
    2.0
    >>> generalized_merge_distance(["a", "a", "b", "b"], [0, 0, 0, 1], split="pairs", merge=0)
    2.0
    >>> generalized_merge_distance(["a", "a", "b", "b"], [0, 0, 0, 1], split=lambda x, y: x * y)
    3.0
    """
    return _cost(table, split, "split", 1) + _cost(table, merge, "merge", 0)


def _cost(table: Contingency, cost: Cost, name: str, axis: int) -> float:
    """The cost of parting the columns (axis 1) into cells, or of joining cells into rows."""
    if isinstance(cost, str):
        if cost == "pairs":
            pairs = pairs_of(table)
            return float(pairs.n01 if axis else pairs.n10)
        if cost == "bits":
            found = table.entropies
            nats = found.classes_given_clusters if axis else found.clusters_given_classes
            return float(table.n) * nats / math.log(2)
    elif callable(cost):
        return _folded(table, _orderless(cost, name), axis)
    elif is_number(cost) and 0 <= cost < math.inf:
        return cost * (len(table.cells.values) - table.shape[axis])
    raise ParameterError(
        f"{name} must be a number of at least 0, 'pairs', 'bits' or a function of two sizes, not "
        f"{cost!r}."
    )


def _folded(table: Contingency, cost: Callable[[Any, Any], float], axis: int) -> float:
    lines = table.cells.cols if axis else table.cells.rows
    sizes: list[Any] = [0] * table.shape[axis]
    costs = []
    for line, x in zip(lines.tolist(), table.cells.values.tolist(), strict=True):
        if sizes[line]:
            costs.append(cost(sizes[line], x))
        sizes[line] += x
    return math.fsum(costs)


def _orderless(cost: Callable[[Any, Any], float], name: str) -> Callable[[Any, Any], float]:
    """The cost function, if three parts cost the same in any order of operations."""
    for x, y, z in product(TRIED, repeat=3):
        one, other = cost(x, y) + cost(x + y, z), cost(y, z) + cost(x, y + z)
        if not (is_number(one) and is_number(other)):
            raise ParameterError(f"{name} must give a number for two sizes, not {one!r}.")
        if not math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9):
            raise ParameterError(
                f"{name} must cost the same in any order of operations: ({x}, {y}) then "
                f"({x + y}, {z}) costs {one:.6g}, and ({y}, {z}) then ({x}, {y + z}) costs "
                f"{other:.6g}."
            )
    return cost
