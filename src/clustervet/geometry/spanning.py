"""Spanning trees of single clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from clustervet import _kernels

if TYPE_CHECKING:
    from clustervet.geometry.geometry import Geometry

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
# Relative difference up to which weights are ties, which go to the first point.
TIE = 1e-12


def spanning_tree(
    geometry: Geometry, cluster: int, core: Floats | None = None
) -> tuple[Floats, Places]:
    """Return the length of each point's edge to its parent in the shortest tree, and the parent.

    Points are in cluster order; the first one has no parent. With core distances the lengths are
    those of mutual reachability. A tie for a parent goes to the point that comes first.
    """
    start, stop = geometry.starts[cluster : cluster + 2].tolist()
    size = stop - start
    core = np.zeros(size) if core is None else core
    left = np.ones(size, np.bool_)
    weight, parent = np.full(size, np.inf), np.full(size, size)
    node = 0
    for _ in range(size - 1):
        left[node] = False
        row = geometry.tile(np.array([start + node]), start, stop)[0]
        if geometry.source.plain:
            node = _grow(row, core, node, left, weight, parent)
        else:
            node = _kernels.grow_tree(row, core, node, left, weight, parent, TIE)
    return weight, parent


def _grow(
    row: Floats, core: Floats, node: int, left: NDArray[np.bool_], weight: Floats, parent: Places
) -> int:
    """Make one step of Prim's algorithm; see the compiled `grow_tree`."""
    offer = np.maximum(np.maximum(row, core[node]), core)
    slack = TIE * offer
    tied = (offer <= weight + slack) & (node < parent)
    better = left & ((offer < weight - slack) | tied)
    weight[better] = np.minimum(offer, weight)[better]
    parent[better] = node
    return int(np.argmin(np.where(left, weight, np.inf)))
