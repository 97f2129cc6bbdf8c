"""Maximum-weight matching of classes and clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clustervet import _exact
from clustervet.contingency.cells import Cells

if TYPE_CHECKING:
    from clustervet.contingency.derived import TableSums

# The plain Hungarian method takes about rows^2 x columns steps.
FEW_STEPS = 60_000
# Looks a cell that the sparse solver may take before a dense one is worth its matrix: with
# near-independent clusterings of uneven sizes its searches reach far.
PATIENCE = 30
DENSE_SHARE = 0.02
DENSE_ENTRIES = 10**8


def match(table: TableSums, weights: NDArray[Any]) -> NDArray[np.int64]:
    """Positions of the cells in a matching of largest total weight, one weight a cell.

    Exact for whole weights. Cells that outweigh their rivals settle at once; what is left
    goes to a sparse shortest-path solver, whose searches stay local, or where they do not
    and the rest is dense, to scipy's dense one.
    """
    cells = table.cells
    height, width = table.shape
    small = min(height, width) ** 2 * max(height, width) <= FEW_STEPS
    if small or weights.dtype == object:
        rows, cols = cells.rows.tolist(), cells.cols.tolist()
        return np.array(_exact.assignment(rows, cols, weights.tolist()), np.int64)
    from clustervet import _kernels

    real = weights.astype(np.float64)
    chosen, taken = _kernels.settle(cells.indptr, cells.cols, real, width)
    done = chosen[chosen >= 0]
    if len(done) == 0:
        return np.sort(_solve(cells, real, width))
    rows = cells.rows
    left = np.flatnonzero((chosen[rows] < 0) & ~taken[cells.cols])
    if len(left):
        rows, cols = _consecutive(rows[left]), _consecutive(cells.cols[left])
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rows))])
        rest = Cells(indptr, cols, real[left])
        done = np.concatenate([done, left[_solve(rest, rest.values, int(cols.max()) + 1)]])
    return np.sort(done)


def _solve(cells: Cells, weights: NDArray[np.float64], width: int) -> NDArray[np.int64]:
    """Match what did not settle."""
    from clustervet import _kernels

    entries = (len(cells.indptr) - 1) * width
    fits = DENSE_SHARE * entries < len(weights) and entries < DENSE_ENTRIES
    budget = PATIENCE * len(weights) if fits else 2**62
    chosen, finished = _kernels.augment(cells.indptr, cells.cols, weights, width, budget)
    if not finished:
        return _dense(cells.rows, cells.cols, weights)
    return np.asarray(chosen[chosen >= 0])


def _consecutive(codes: NDArray[Any]) -> NDArray[np.int64]:
    """Renumber codes without gaps, in order."""
    used = np.zeros(int(codes.max()) + 1, np.bool_)
    used[codes] = True
    return np.asarray((np.cumsum(used) - 1)[codes])


def _dense(rows: NDArray[Any], cols: NDArray[Any], weights: NDArray[Any]) -> NDArray[np.int64]:
    from scipy.optimize import linear_sum_assignment

    matrix = np.zeros((rows.max() + 1, cols.max() + 1))
    matrix[rows, cols] = weights
    position = np.full(matrix.shape, -1, np.int64)
    position[rows, cols] = np.arange(len(rows))
    found = position[linear_sum_assignment(matrix, maximize=True)]
    return np.sort(found[found >= 0])
