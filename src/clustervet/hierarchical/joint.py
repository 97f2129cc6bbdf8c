"""What two trees say of the same pairs of objects, without a matrix of pairs where they are large.

Both trees give a number to each pair of objects, which is that of the node that joins them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from clustervet._kernels.patience import is_little
from clustervet._memory import need
from clustervet.hierarchical.shape import Shape
from clustervet.hierarchical.tree import Floats, Places

# Leaves up to which all pairs are gone through by numpy, and cells are merged in plain Python.
FEW_PAIRS, FEW_MERGES = 2_000, 2_500


def pair_rows(
    one: Shape, two: Shape, first: Any, second: Any, dtype: Any
) -> Iterator[tuple[Any, Any]]:
    """Yield for each object the numbers that both trees give its pairs with later objects.

    `first` and `second` hold the number of each inner node, which must not fall from a node to the
    one that holds it. Later objects are those further on in the order of the first tree.
    """
    n = one.leaves
    gaps = np.asarray(first, dtype)[one.joins - n], np.asarray(second, dtype)[two.joins - n]
    row = np.empty(n, dtype)
    places = two.starts[one.order]
    for k in range(n - 1):
        place = places[k]
        np.maximum.accumulate(gaps[1][place:], out=row[place + 1 :])
        if place:
            np.maximum.accumulate(gaps[1][:place][::-1], out=row[:place][::-1])
        yield np.maximum.accumulate(gaps[0][k:]), row[places[k + 1 :]]


def correlation(one: Shape, two: Shape, first: Floats, second: Floats) -> float | None:
    """Pearson's correlation over all pairs of objects; None where one side does not vary.

    `first` and `second` hold the number of each inner node, in ascending order.
    """
    if not one.inner or first[0] == first[-1] or second[0] == second[-1]:
        return None
    # From 0 to 1, so that no square is lost or too large.
    x, y = map(_from_0_to_1, (first, second))
    pairs = one.leaves * (one.leaves - 1) // 2
    x, y = (
        side - math.fsum((side * shape.pairs).tolist()) / pairs
        for side, shape in ((x, one), (y, two))
    )
    spreads = [
        math.fsum((side * side * shape.pairs).tolist()) for side, shape in ((x, one), (y, two))
    ]
    if is_little(one.leaves, FEW_PAIRS):
        products = [float(a @ b) for a, b in pair_rows(one, two, x, y, np.float64)]
    else:
        products = (x * _joined(one, two, y)).tolist()
    return min(1.0, max(-1.0, math.fsum(products) / math.sqrt(spreads[0] * spreads[1])))


def _from_0_to_1(rising: Floats) -> Floats:
    low, high = float(rising[0]), float(rising[-1])
    if math.isinf(high - low):  # further apart than any float
        rising, low, high = rising / 2, low / 2, high / 2
    scaled: Floats = (rising - low) / (high - low)
    return scaled


def _joined(one: Shape, two: Shape, second: Floats) -> Floats:
    """For each inner node of a tree, the sum of another tree's numbers of the pairs it joins."""
    from clustervet._kernels.hierarchies import compiled_form

    loops = compiled_form()
    n, nodes = two.leaves, two.nodes
    levels = int(math.log2(nodes)) + 2
    need(24.0 * n * levels, f"a comparison of trees of {n:,} leaves", "compare fewer leaves")
    high = np.concatenate([np.zeros(n), second - second[0]])
    lengths = np.append(high[two.parents[:-1]] - high[:-1], 0.0)
    path, away = np.empty((n, levels), np.int64), np.empty((n, levels))
    deep = np.zeros(n, np.int64)
    room = tuple(np.empty(nodes, np.int64) for _ in range(5))
    loops["centroid_paths"](
        two.parents, *two.children, lengths, n, path, away, deep, room, np.empty(nodes)
    )
    sums = np.zeros(nodes, np.int64), np.zeros(nodes), np.zeros(nodes)
    found = np.zeros(one.inner)
    by_size = np.lexsort((one.sizes[:-1], one.parents[:-1]))
    largest = by_size[np.append(one.parents[by_size][1:] > one.parents[by_size][:-1], True)]
    loops["joined_sums"](
        one.order,
        one.starts,
        one.ends,
        one.parents,
        *one.children,
        largest,
        n,
        path,
        away,
        deep,
        sums,
        found,
    )
    joined: Floats = found / 2 + second[0] * one.pairs
    return joined


def joint_counts(one: Shape, two: Shape) -> tuple[Any, Any, Any]:
    """Count pairs of objects by the steps of both trees that join them.

    The table has a row per step of the first tree that joins pairs, from the lowest one.
    """
    rows, columns = int(one.steps[-1]) + 1, int(two.steps[-1]) + 1
    n = one.leaves
    need(
        8.0 * rows * columns,
        f"a table of {rows:,} by {columns:,} heights of trees of {n:,} leaves",
        "compare fewer leaves",
    )
    table = np.zeros(rows * columns, np.int64)
    for a, b in pair_rows(one, two, one.steps * columns, two.steps, np.int64):
        np.add.at(table, a + b, 1)
    return table.reshape(rows, columns), rows, columns


def concordance(one: Shape, two: Shape) -> tuple[int, int]:
    """Count concordant and discordant pairs of pairs of objects, exactly."""
    table, rows, columns = joint_counts(one, two)
    below = np.zeros(columns, np.int64)  # pairs of lower rows by column
    same, other = 0, 0
    for row in range(rows):
        line = table[row]
        left = np.cumsum(below) - below
        right = below.sum() - left - below
        # Below 2^63 for 78,000 leaves, whose table would take 48 GB.
        same += int(line @ left)
        other += int(line @ right)
        below += line
    return same, other


def mean_ranks(shape: Shape) -> Floats:
    """The mean rank of the pairs that each inner node joins, among all pairs by their height."""
    counts = np.bincount(shape.steps, shape.pairs.astype(np.float64))
    before = np.cumsum(counts) - counts
    return (before + (counts + 1) / 2)[shape.steps]


def joint_squares(one: Shape, two: Shape, cuts: Sequence[tuple[int, int]]) -> list[int]:
    """Sums of squared cells of the tables of two cuts, from fine to coarse cuts.

    A cut is the number of inner nodes that it makes, in each of the trees.
    """
    n = one.leaves
    stops = [np.array([cut[side] for cut in cuts], np.int64) for side in (0, 1)]
    made: Any
    convert: Any
    if is_little(n, FEW_MERGES):
        from clustervet._kernels import hierarchies

        made, convert = hierarchies.joint_squares, np.ndarray.tolist
    else:
        from clustervet._kernels.hierarchies import compiled_form

        made, convert = compiled_form()["joint_squares"], np.asarray
    own = np.arange(n)

    def room(start: Places) -> Any:
        return convert(start.copy())

    found = room(np.zeros(len(cuts), np.int64))
    size = 1 << max(4, (4 * n - 1).bit_length())
    made(
        n,
        tuple(tuple(map(convert, shape.children)) for shape in (one, two)),
        tuple(map(convert, stops)),
        tuple(room(np.concatenate([own, np.zeros(s.inner, np.int64)])) for s in (one, two)),
        (room(own), room(own)),
        (room(own), room(own)),
        (room(np.full(n, -1)), room(np.full(n, -1))),
        (room(np.ones(n, np.int64)), room(np.ones(n, np.int64))),
        (room(np.ones(n, np.int64)), room(np.full(size, -1)), room(np.zeros(size, np.int64))),
        found,
    )
    return [int(value) for value in found]
