"""Orders of the leaves of two trees in which few of the lines between them cross."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from clustervet.hierarchical.pair import TreePair
from clustervet.hierarchical.shape import Shape
from clustervet.hierarchical.tree import Places

# Children of a node up to which the best of all their orders is taken.
ALL_ORDERS = 8
# Times that each tree is turned to fit the other one.
ROUNDS = 20


class Untangled(NamedTuple):
    """The leaves of both trees from top to bottom, and how many pairs of lines cross.

    `before` counts those in the orders in which the trees were read.
    """

    truth: Places
    pred: Places
    crossings: int
    before: int


def untangle(pair: TreePair) -> Untangled:
    """Turn the nodes of two trees so that few lines between their leaves cross.

    With one tree fixed, the best order of two children does not depend on those of other nodes, so
    a tree of such nodes is turned in the best possible way (Fernau, Kaufmann & Poths 2010); of
    nodes with up to eight children all orders are tried, and of more a good one is made. The trees
    take turns until nothing gets better, once from each side; the best of both is returned.

    >>> untangle(TreePair.of("((a,b),(c,d));", "((d,c),(b,a));")).crossings
    0
    """
    truth, pred = pair.truth.order, pair.pred.order
    before = crossings(truth, pred)
    best = truth, pred, before
    for start in (0, 1):
        orders = [pair.truth.order, pair.pred.order]
        found = before
        for turn in range(2 * ROUNDS):
            side = (turn + start) % 2
            moved = turned((pair.truth, pair.pred)[side], orders[1 - side])
            after = crossings(moved, orders[1 - side])
            if after >= found and turn > 1:
                break
            if after <= found:
                orders[side], found = moved, after
        if found < best[2]:
            best = orders[0], orders[1], found
    return Untangled(*best, before)


def crossings(one: Places, two: Places) -> int:
    """How many pairs of lines cross between the same leaves in two orders.

    >>> crossings(np.array([0, 1, 2]), np.array([2, 0, 1]))
    2
    """
    place = np.empty(len(two), np.int64)
    place[two] = np.arange(len(two))
    values = place[one]
    return sum(int((values[:k] > value).sum()) for k, value in enumerate(values.tolist()))


def turned(shape: Shape, beside: Places) -> Places:
    """Return the leaves of a tree in the order that crosses fewest lines to leaves in an order."""
    place = np.empty(len(beside), np.int64)
    place[beside] = np.arange(len(beside))
    # For each node its leaves in their order, and their places on the other side, sorted.
    held = {leaf: [leaf] for leaf in range(shape.leaves)}
    places = {leaf: place[leaf : leaf + 1] for leaf in range(shape.leaves)}
    first, below = shape.children
    for node, (low, high) in enumerate(pairwise(first.tolist()), shape.leaves):
        children = below[low:high].tolist()
        order = _best_order([places[child] for child in children])
        held[node] = [leaf for k in order for leaf in held.pop(children[k])]
        places[node] = np.sort(np.concatenate([places.pop(child) for child in children]))
    return np.array(held[shape.nodes - 1], np.int64)


def _best_order(parts: list[Places]) -> list[int]:
    """Return the order of children that crosses fewest lines."""
    count = len(parts)
    # costs[i, j]: lines that cross if i stands before j.
    costs = np.array([[np.searchsorted(b, a).sum() for b in parts] for a in parts], np.int64)
    np.fill_diagonal(costs, 0)
    if count <= ALL_ORDERS:
        best: dict[int, tuple[int, list[int]]] = {0: (0, [])}
        for chosen in range(1, 1 << count):
            inside = [k for k in range(count) if chosen >> k & 1]
            best[chosen] = min(
                (best[chosen ^ (1 << k)][0] + int(costs[inside, k].sum()), [*so_far, k])
                for k in inside
                for so_far in (best[chosen ^ (1 << k)][1],)
            )
        return best[(1 << count) - 1][1]
    order = sorted(range(count), key=lambda k: float(parts[k].mean()))
    better = True
    while better:  # neighbours change places as long as that crosses fewer lines
        better = False
        for k in range(count - 1):
            one, two = order[k], order[k + 1]
            if costs[two, one] < costs[one, two]:
                order[k : k + 2] = [two, one]
                better = True
    return order
