"""Measures averaged over objects: B-cubed and element-centric similarity."""

from __future__ import annotations

import math

import numpy as np

from clustervet.contingency import Contingency
from clustervet.external.common import (
    NO_OBJECTS,
    at_most_one,
    objects_of,
    ratios,
    share,
    squared,
)
from clustervet.registry import measure


def _agreement(table: Contingency, *, of_clusters: bool) -> float:
    """The mean over objects of the share of their cluster, or class, that is with them in both."""
    if not table.partial:
        found = table.cell_sums
        return found.cluster_agreement if of_clusters else found.class_agreement
    x, a, b, *_ = table.sides
    alike = ratios(x, b if of_clusters else a) * x.astype(np.float64)
    objects = objects_of(table, of_clusters=of_clusters)
    return share(math.fsum(alike.tolist()), objects, NO_OBJECTS)


@measure(
    title="B-cubed precision",
    symbol="B3_P",
    family="objects",
    arrays="sums",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    partial=True,
    equation="(1/n) sum h(c,k)^2 / h(k)",
    reference="Bagga & Baldwin 1998; Amigó et al. 2009",
    meaning="For an object, the share of its cluster that is of its class; averaged over objects.",
    use="Coreference and deduplication, where objects rather than pairs are the unit.",
    avoid="Alone: singletons make it perfect.",
)
def bcubed_precision(table: Contingency) -> float:
    """Mean over objects of the share of their cluster that is of their class.

    >>> bcubed_precision(["a", "a", "b", "b"], [0, 0, 0, 0])
    0.5
    """
    return at_most_one(_agreement(table, of_clusters=True))


@measure(
    title="B-cubed recall",
    symbol="B3_R",
    family="objects",
    arrays="sums",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    partial=True,
    equation="(1/n) sum h(c,k)^2 / h(c)",
    reference="Bagga & Baldwin 1998; Amigó et al. 2009",
    meaning="For an object, the share of its class that is in its cluster; averaged over objects.",
    use="Together with B-cubed precision.",
    avoid="Alone: a single cluster makes it perfect.",
)
def bcubed_recall(table: Contingency) -> float:
    """Mean over objects of the share of their class that is in their cluster.

    >>> bcubed_recall(["a", "a", "b", "b"], [0, 1, 2, 3])
    0.5
    """
    return at_most_one(_agreement(table, of_clusters=False))


@measure(
    title="B-cubed F-measure",
    symbol="B3_F",
    family="objects",
    arrays="sums",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    partial=True,
    aliases=("bcubed", "b3"),
    equation="(1 + beta^2) P R / (beta^2 P + R)",
    reference="Bagga & Baldwin 1998; Amigó et al. 2009",
    meaning="The harmonic mean of B-cubed precision and recall; beta > 1 favours recall.",
    use="Cluster sizes vary widely: it satisfies constraints that pair measures break.",
    avoid="Chance matters: it is not corrected for it.",
)
def bcubed_f1(table: Contingency, beta: float = 1.0) -> float:
    """Harmonic mean of B-cubed precision and recall.

    Parameters
    ----------
    beta : float, default 1.0
        Weight of recall: above 1 it counts more than precision.

    Examples
    --------
    >>> round(bcubed_f1(["a", "a", "b", "b"], [0, 0, 0, 0]), 12)
    0.666666666667
    """
    weight = squared(beta)
    precision, recall = (_agreement(table, of_clusters=side) for side in (True, False))
    if table.partial and not precision and not recall:
        return 0.0
    return at_most_one((1 + weight) * precision * recall / (weight * precision + recall))


@measure(
    title="Element-centric similarity",
    symbol="ECS",
    family="objects",
    arrays="sums",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("ecs", "element_centric"),
    equation="(1/n) sum h(c,k)^2 / max(h(c), h(k))",
    reference="Gates, Wood, Hetrick & Ahn 2019 (for partitions, where the restart rate drops out)",
    meaning="For an object, the overlap of its class and its cluster as a share of the larger of "
    "the two; averaged over objects.",
    use="You want a symmetric, unbiased view of which objects are placed in the same way.",
    avoid="Overlapping or hierarchical clusterings are meant: this is the form for partitions.",
)
def element_centric_similarity(table: Contingency) -> float:
    """Mean over objects of overlap divided by the larger of class and cluster.

    >>> element_centric_similarity(["a", "a", "b", "b"], [0, 0, 0, 0])
    0.5
    """
    return at_most_one(table.cell_sums.element_agreement)
