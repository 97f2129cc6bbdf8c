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
# Looks a cell that the sparse solver may take before a dense one is worth its matrix: with
# near-independent clusterings of uneven sizes its searches reach far.
PATIENCE = 30
DENSE_SHARE = 0.02
DENSE_ENTRIES = 10**8


def match(table: Contingency, weights: NDArray[Any]) -> NDArray[np.int64]:
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
    rows = cells.rows
    left = np.flatnonzero((chosen[rows] < 0) & ~taken[cells.cols])
    if len(left):
        done = np.concatenate([done, left[_solve(rows[left], cells.cols[left], real[left])]])
    return np.sort(done)


def _solve(
    rows: NDArray[Any], cols: NDArray[Any], weights: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Match what did not settle; rows come in order."""
    from clustervet import _kernels

    rows, cols = _consecutive(rows), _consecutive(cols)
    height, width = int(rows.max()) + 1, int(cols.max()) + 1
    fits = DENSE_SHARE * height * width < len(rows) and height * width < DENSE_ENTRIES
    budget = PATIENCE * len(rows) if fits else 2**62
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows))])
    chosen, finished = _kernels.augment(indptr, cols, weights, width, budget)
    return chosen[chosen >= 0] if finished else _dense(rows, cols, weights)  # type: ignore[no-any-return]  # compiled, untyped


def _consecutive(codes: NDArray[Any]) -> NDArray[np.int64]:
    """Renumber codes without gaps, in order."""
    used = np.zeros(int(codes.max()) + 1, np.bool_)
    used[codes] = True
    return (np.cumsum(used) - 1)[codes]


def _dense(rows: NDArray[Any], cols: NDArray[Any], weights: NDArray[Any]) -> NDArray[np.int64]:
    from scipy.optimize import linear_sum_assignment

    matrix = np.zeros((rows.max() + 1, cols.max() + 1))
    matrix[rows, cols] = weights
    position = np.full(matrix.shape, -1, np.int64)
    position[rows, cols] = np.arange(len(rows))
    found = position[linear_sum_assignment(matrix, maximize=True)]
    return np.sort(found[found >= 0])
