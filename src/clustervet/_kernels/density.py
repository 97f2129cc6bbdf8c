"""Core distances and spanning trees of single clusters, for density-based validity."""

from __future__ import annotations

import numpy as np

from clustervet._kernels.compile import compiled


@compiled
def core_distances(tile, first, dimension, size, core):
    """All-points core distances of the tile's rows, whose columns are the whole cluster.

    ((sum over others of d^-D) / (size - 1))^(-1/D) without a power that could overflow.
    """
    for r in range(tile.shape[0]):
        least = np.inf
        for j in range(size):
            value = tile[r, j]
            if value > 0.0 and j != first + r:
                least = min(least, value)
        if least == np.inf:
            core[first + r] = 0.0
            continue
        total = 0.0
        for j in range(size):
            value = tile[r, j]
            if value > 0.0 and j != first + r:
                total += (least / value) ** dimension
        core[first + r] = least * (total / (size - 1)) ** (-1.0 / dimension)


@compiled
def grow_tree(row, core, node, left, weight, parent, tie):
    """Make one step of Prim's algorithm: offer `node`, whose distances are `row`, as a parent.

    Weights that differ by a share of `tie` are equal, and go to the first point. Returns the next
    node: the first of the nearest nodes that are left.
    """
    best, chosen = np.inf, -1
    for j in range(len(core)):
        if left[j]:
            offer = max(row[j], core[node], core[j])
            slack = tie * offer
            if offer < weight[j] - slack or (offer <= weight[j] + slack and node < parent[j]):
                weight[j] = min(offer, weight[j])
                parent[j] = node
            if weight[j] < best:
                best, chosen = weight[j], j
    return chosen


@compiled
def least_reachability(tile, row_core, column_core):
    """The least mutual reachability between rows and columns of a tile."""
    best = np.inf
    for r in range(tile.shape[0]):
        for j in range(tile.shape[1]):
            best = min(best, max(tile[r, j], row_core[r], column_core[j]))
    return best
