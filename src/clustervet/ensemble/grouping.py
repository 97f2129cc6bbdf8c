"""Which labelings are counted together.

Labelings in a group are read as one, with the product of their numbers of codes. Counting a
group of r against a group of c costs one increment an object for r c pairs, and a table of the
product of both; what is best depends on the numbers of codes and objects, so it is estimated.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Edges = NDArray[np.int64]
# A pair's table is held whole up to this many cells, or twice the number of objects.
FEW_CELLS = 2**12
MOST_CELLS = 2**22
# Tables of groups that pay are small beside the second-level cache and the number of objects.
LARGEST = 2**15
# Estimates look at this many of the labelings.
SAMPLE = 48
# Nanoseconds: an increment, adding a cell to another, and a call of a compiled loop.
INCREMENT, ADDITION, CALL = 0.5, 0.15, 20_000.0


class Plan(NamedTuple):
    """Where the groups of rows and the groups of columns start, and the end."""

    rows: Edges
    cols: Edges


def room(n: int) -> int:
    """Cells of the largest table that is held whole."""
    return min(MOST_CELLS, max(FEW_CELLS, 2 * n))


def plan(slots: NDArray[np.int64], n: int) -> Plan:
    """Groups of labelings in a row, their numbers of codes rising, that cost least.

    >>> plan(np.full(6, 10), 100_000)
    Plan(rows=array([0, 2, 4, 6]), cols=array([0, 2, 4, 6]))
    """
    sample = slots[np.linspace(0, len(slots) - 1, min(SAMPLE, len(slots))).astype(np.int64)]
    limits = [1, *(2**k for k in range(2, LARGEST.bit_length()))]
    tried = {limit: group(sample, limit) for limit in limits}
    pairs = [(r, c) for r, c in product(limits, limits) if r <= c and r * c <= LARGEST]
    best = min(pairs, key=lambda pair: _cost(sample, n, tried[pair[0]], tried[pair[1]]))
    return Plan(group(slots, best[0]), group(slots, best[1]))


def group(slots: NDArray[np.int64], limit: int) -> Edges:
    """Edges of groups in a row, each with as many members as keep its product in the limit.

    >>> group(np.array([2, 3, 4, 50]), 25)
    array([0, 3, 4])
    """
    edges = [0]
    size = 1
    for k, slot in enumerate(slots.tolist()):
        if size * slot > limit and k > edges[-1]:
            edges.append(k)
            size = 1
        size *= slot
    return np.array([*edges, len(slots)], np.int64)


def _cost(slots: NDArray[np.int64], n: int, rows: Edges, cols: Edges) -> float:
    """Nanoseconds for all blocks of a group of rows and a group of columns, roughly."""
    heights, widths = (
        np.multiply.reduceat(slots.astype(np.float64), edges[:-1]) for edges in (rows, cols)
    )
    members, others = np.diff(rows), np.diff(cols)
    cells = np.outer(heights, widths)
    pairs = np.outer(members, others)
    collapsed = np.outer(members * (members > 1), widths) * heights[:, None]
    spread = np.outer(np.add.reduceat(slots, rows[:-1]), widths * others * (others > 1))
    counted = n * INCREMENT * (1 + (cells > LARGEST)) + ADDITION * (cells + collapsed + spread)
    single = pairs * (n * INCREMENT + CALL)
    needed = np.less.outer(rows[:-1], cols[1:] - 1)  # else no row comes before a column
    return float(np.where(cells <= room(n), counted, single)[needed].sum())
