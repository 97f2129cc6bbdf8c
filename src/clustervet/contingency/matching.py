"""Maximum-weight matching of classes and clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clustervet import _exact

if TYPE_CHECKING:
    from clustervet.contingency.table import Contingency

# The plain Hungarian method takes about rows^2 x columns steps.
FEW_STEPS = 60_000
# A graph denser than this is quicker as a full matrix, if the matrix is not too large.
DENSE_SHARE = 0.05
DENSE_ENTRIES = 10**8


def match(table: Contingency, weights: NDArray[Any]) -> NDArray[np.int64]:
    """Positions of the cells in a matching of largest total weight, one weight a cell.

    Exact for whole weights: cells that outweigh their rivals are settled at once, what is
    left goes to scipy's dense solver or to a sparse shortest-path solver.
    """
    cells = table.cells
    height, width = table.shape
    small = min(height, width) ** 2 * max(height, width) <= FEW_STEPS
    if small or weights.dtype == object:
        rows, cols = cells.rows.tolist(), cells.cols.tolist()
        return np.array(_exact.assignment(rows, cols, weights.tolist()), np.int64)
    if len(weights) > DENSE_SHARE * height * width and height * width <= DENSE_ENTRIES:
        return _dense(cells.rows, cells.cols, weights)
    from clustervet import _kernels

    real = weights.astype(np.float64)
    chosen, taken = _kernels.settle(cells.indptr, cells.cols, real, width)
    left = np.flatnonzero((chosen[cells.rows] < 0) & ~taken[cells.cols])
    done = chosen[chosen >= 0]
    if len(left):
        done = np.concatenate([done, left[_core(cells.rows[left], cells.cols[left], real[left])]])
    return np.sort(done)


def _core(
    rows: NDArray[Any], cols: NDArray[Any], weights: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Match what did not settle: dense components one by one, everything sparse at once."""
    from clustervet import _kernels

    row_names, rows = np.unique(rows, return_inverse=True)
    col_names, cols = np.unique(cols, return_inverse=True)
    height, width = len(row_names), len(col_names)
    if len(weights) > 16 * height:
        return _by_component(rows, cols, weights, height, width)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=height))])
    chosen = _kernels.augment(indptr, cols.astype(np.int64), weights, width)
    return np.asarray(chosen[chosen >= 0])


def _by_component(
    rows: NDArray[Any], cols: NDArray[Any], weights: NDArray[Any], height: int, width: int
) -> NDArray[np.int64]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    nodes = height + width
    graph = coo_array((np.ones(len(rows), np.int8), (rows, height + cols)), shape=(nodes, nodes))
    count, component = connected_components(graph, directed=False)
    of_cell = component[rows]
    order = np.argsort(of_cell, kind="stable")
    edges = np.searchsorted(of_cell[order], np.arange(count + 1))
    done = []
    for first, last in zip(edges[:-1], edges[1:], strict=True):
        part = order[first:last]
        if len(part):
            done.append(part[_dense_or_sparse(rows[part], cols[part], weights[part])])
    return np.concatenate(done)


def _dense_or_sparse(
    rows: NDArray[Any], cols: NDArray[Any], weights: NDArray[Any]
) -> NDArray[np.int64]:
    row_names, rows = np.unique(rows, return_inverse=True)
    col_names, cols = np.unique(cols, return_inverse=True)
    entries = len(row_names) * len(col_names)
    if len(weights) > DENSE_SHARE * entries and entries <= DENSE_ENTRIES:
        return _dense(rows, cols, weights)
    from clustervet import _kernels

    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows))])
    chosen = _kernels.augment(indptr, cols.astype(np.int64), weights, len(col_names))
    return np.asarray(chosen[chosen >= 0])


def _dense(rows: NDArray[Any], cols: NDArray[Any], weights: NDArray[Any]) -> NDArray[np.int64]:
    from scipy.optimize import linear_sum_assignment

    matrix = np.zeros((rows.max() + 1, cols.max() + 1))
    matrix[rows, cols] = weights
    position = np.full(matrix.shape, -1, np.int32)
    position[rows, cols] = np.arange(len(rows), dtype=np.int32)
    found = position[linear_sum_assignment(matrix, maximize=True)]
    return np.sort(found[found >= 0]).astype(np.int64)
