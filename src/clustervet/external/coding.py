"""Dom's measures: the code length of the classes for a receiver who knows the clusters."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from clustervet._exact import nats_saved, total_entropy
from clustervet._numeric import log_binomial
from clustervet.contingency import Contingency
from clustervet.contingency.sums import as_plain
from clustervet.external.common import MANY_CELLS, at_most_one, each, in_base, share
from clustervet.registry import measure

# What is saved is computed again in more digits where it is below this share of its terms.
CLOSE = 1e-2


@lru_cache(maxsize=10_000)  # clusters of many tables, or of a tree, have the same sizes
def _log_choices(size: float, kinds: int) -> float:
    """Log of the number of ways to split `size` objects among `kinds` classes (eq. 9)."""
    try:
        return log_binomial(float(size), kinds - 1)
    except OverflowError:  # beyond any float (h choose m) is h^m / m! to full precision
        return (kinds - 1) * math.log(size) - math.lgamma(kinds)


def _model_cost(table: Contingency, of_clusters: bool) -> float:
    """Nats per object to send the columns of a table with these sizes (eq. 10)."""
    total = table.over_sizes(_log_choices, of_clusters=of_clusters)
    return total / table.n if table.n < 2**1000 else 0.0


def cluster_nats(counts: Iterable[int], kinds: int) -> float:
    """Nats to send the classes of one cluster: its term of n Q0 (eq. 11).

    `counts` are the objects of its classes, and `kinds` is the number of all classes.

    >>> round((cluster_nats([2], 2) + cluster_nats([1, 1], 2)) / math.log(2), 12)
    5.169925001442
    """
    sizes = Counter(counts)
    objects = sum(size * count for size, count in sizes.items())
    return total_entropy(sizes, objects) + _log_choices(objects, kinds)


@measure(
    title="Dom's code length",
    symbol="Q0",
    family="coding",
    arrays="sums",
    better="lower",
    bounds=(0, math.inf),
    unit="bits",
    equation="H(C|K) + (1/n) sum_k log (h(k) + |C| - 1 choose |C| - 1)",
    reference="Dom 2001, eq. 11",
    meaning="Bits per object to send the class labels to someone who knows the clusters, the "
    "cost of the table itself included.",
    use="Clusterings with different numbers of clusters are compared against one truth.",
    avoid="Truths differ between the values compared: the unit is bits about that truth.",
    sized=True,
)
def dom_q0(table: Contingency, base: float = 2) -> float:
    """Code length of the classes given the clusters, model included, per object.

    Parameters
    ----------
    base : float, default 2
        Base of the logarithm: 2 for bits, e for nats.

    Examples
    --------
    >>> round(dom_q0(["a", "a", "b", "b"], [0, 0, 1, 1]), 12)
    0.792481250361
    """
    nats = table.entropies.classes_given_clusters + _model_cost(table, of_clusters=True)
    return in_base(nats, base)


@measure(
    title="Dom's code length saved",
    symbol="Q1",
    family="coding",
    arrays="sums",
    better="higher",
    bounds=(-math.inf, math.inf),
    unit="bits",
    equation="I(C;K) + (1/n) [log (n + |C| - 1 choose |C| - 1) - sum_k log (h(k) + |C| - 1 choose "
    "|C| - 1)]",
    reference="Dom 2001, eq. 17",
    meaning="Bits per object that the clusters save when the class labels are sent.",
    use="You want a gain over knowing nothing: below zero the clusters cost more than they tell.",
    avoid="A fixed scale is needed. Take dom_q2.",
    sized=True,
)
def dom_q1(table: Contingency, base: float = 2) -> float:
    """Code length saved by knowing the clusters, per object.

    Parameters
    ----------
    base : float, default 2
        Base of the logarithm: 2 for bits, e for nats.

    Examples
    --------
    >>> round(dom_q1(["a", "a", "b", "b"], [0, 0, 1, 1]), 12)
    0.788000773361
    """
    alone = 0.0
    if table.n < 2**1000:
        alone = each(lambda kinds: _log_choices(table.n, kinds), table.shape[0]) / table.n
    shared, model = table.entropies.mutual, _model_cost(table, of_clusters=True)
    nats = shared + (alone - model)
    if not isinstance(table, Contingency):  # its cells are not at hand
        return in_base(nats, base)
    close = table.shape[1] > 1 and abs(nats) < CLOSE * (shared + alone + model)
    if close and len(table.cells.values) <= MANY_CELLS:
        exact = nats_saved(table.plain or as_plain(table.cells))
        nats = nats if exact is None else exact
    return in_base(nats, base)


@measure(
    title="Dom's normalized code length",
    symbol="Q2",
    family="coding",
    arrays="sums",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    equation="Q0 of the perfect clustering / Q0",
    reference="Dom 2001, eq. 18",
    meaning="The shortest code length possible as a share of the actual one: 1 if perfect.",
    use="One number between 0 and 1 that weighs errors and the number of clusters together.",
    avoid="Sizes of the data differ: the cost of the table fades as n grows.",
    sized=True,
)
def dom_q2(table: Contingency) -> float:
    """Code length of the perfect clustering divided by that of this one.

    >>> round(dom_q2(["a", "a", "b", "b"], [0, 0, 1, 2]), 12)
    0.884228217395
    """
    actual = table.entropies.classes_given_clusters + _model_cost(table, of_clusters=True)
    best = _model_cost(table, of_clusters=False)
    return at_most_one(share(best, actual, "there is one class, so there is nothing to send"))
