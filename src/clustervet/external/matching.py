"""Measures that match classes and clusters one to one."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._exact import Plain, best_quotients
from clustervet.contingency import Contingency
from clustervet.contingency.sums import as_plain
from clustervet.external.common import NO_OBJECTS, Exact, ratios, share
from clustervet.registry import measure

# A sum of rounded quotients less another is computed again exactly where it is below this share of
# the sum, unless the matching would take more than this many steps.
CLOSE = 1e-3
FEW_STEPS = 250_000


def _best_sum(table: Contingency, wholes: NDArray[Any]) -> float:
    """The largest sum of cell / whole over one-to-one maps of classes to clusters."""
    weights = ratios(table.cells.values, wholes)
    return math.fsum(weights[table.match(weights)].tolist())


def _exactly(table: Contingency) -> Plain | None:
    """The table as Python ints, if a matching by fractions does not take long."""
    least, most = sorted(table.shape)
    few = least * least * most <= FEW_STEPS
    return (table.plain or as_plain(table.cells)) if few else None


@measure(
    title="Matching accuracy",
    symbol="match",
    family="matching",
    arrays="sums",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("max_matching", "maximum_matching", "accuracy"),
    equation="(1/n) max over one-to-one maps of sum h(c, map(c))",
    reference="Mottin, 'Maximum matching'; Meilă 2007, eq. 10",
    meaning="Accuracy as a classifier under the best one-to-one map of clusters to classes.",
    use="Clusters should be the classes, one for one.",
    avoid="Splitting a class into meaningful parts should not count as error.",
)
def matching_accuracy(table: Contingency) -> float:
    """Accuracy under the best one-to-one map of clusters to classes.

    >>> matching_accuracy(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.75
    """
    return share(table.matched, table.exact_n, NO_OBJECTS)


@measure(
    title="Classification error",
    symbol="H",
    family="matching",
    arrays="sums",
    better="lower",
    bounds=(0, 1),
    symmetric=True,
    metric=True,
    perfect=0.0,
    equation="1 - matching accuracy",
    reference="Meilă & Heckerman 2001; Meilă 2007, eq. 10",
    meaning="The share of objects to move, at least, to make both clusterings equal.",
    use="You need a metric that people read at once.",
    avoid="How the errors are spread matters: it does not look at unmatched objects.",
)
def classification_error(table: Contingency) -> float:
    """Share of objects outside the best one-to-one matching.

    >>> classification_error(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.25
    """
    return share(table.exact_n - table.matched, table.exact_n, NO_OBJECTS)


@measure(
    title="Pair sets index",
    symbol="PSI",
    family="matching",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("psi",),
    equation="(S - E) / (max(|C|, |K|) - E), at least 0; S sums overlap / larger size over the "
    "best matching, E is its expectation",
    reference="Rezaei & Fränti 2016",
    meaning="Overlap of matched classes and clusters, minus what their sizes alone would give. "
    "Each pair of sets has the same weight.",
    use="Small clusters matter as much as large ones.",
    avoid="Objects, not sets, are what counts; or chance must come out at zero: E supposes that "
    "sets are matched in the order of their sizes, and random clusterings do better than that.",
)
def pair_sets_index(table: Contingency) -> float:
    """Overlap of matched sets, minus what their sizes alone would give.

    >>> round(pair_sets_index(["a", "a", "b", "b"], [0, 0, 0, 1]), 12)
    0.333333333333
    """
    cells = table.cells
    sides: list[Any] = [table.class_sizes, table.cluster_sizes]
    found: Exact = _best_sum(table, np.maximum(sides[0][cells.rows], sides[1][cells.cols]))
    classes, clusters = (np.sort(sizes)[::-1][: min(table.shape)] for sizes in sides)
    expected: Exact = math.fsum((np.minimum(classes, clusters) / table.n).tolist())
    if abs(float(found - expected)) < CLOSE * found and (plain := _exactly(table)):
        sides = [plain.class_sizes, plain.cluster_sizes]
        places = zip(plain.rows, plain.cols, strict=True)
        found = best_quotients(plain, [max(sides[0][c], sides[1][k]) for c, k in places])
        ranked = zip(*(sorted(sizes, reverse=True) for sizes in sides), strict=False)
        expected = Fraction(sum(min(pair) for pair in ranked), plain.n)
    most = max(table.shape)
    return max(0.0, share(found - expected, most - expected, "there is one class and one cluster"))


@measure(
    title="Normalized clustering accuracy",
    symbol="NCA",
    family="matching",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    aliases=("nca",),
    equation="(S - 1) / (|C| - 1), at least 0; S the largest sum over one-to-one maps of "
    "h(c, map(c)) / h(c)",
    reference="Gagolewski 2025, Journal of Classification 42",
    meaning="Mean recall of the classes under the best one-to-one map, rescaled so that a "
    "uniformly spread clustering gives 0.",
    use="Classes differ in size and each should have the same weight.",
    avoid="Chance must come out at zero: only a clustering that spreads every class evenly does.",
)
def normalized_clustering_accuracy(table: Contingency) -> float:
    """Mean recall of the classes under the best one-to-one map, rescaled.

    >>> normalized_clustering_accuracy(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.5
    """
    found: Exact = _best_sum(table, table.class_sizes[table.cells.rows])
    if abs(float(found - 1)) < CLOSE * found and (plain := _exactly(table)):
        found = best_quotients(plain, [plain.class_sizes[c] for c in plain.rows])
    return max(0.0, share(found - 1, table.shape[0] - 1, "there is one class"))
