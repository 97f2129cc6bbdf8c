"""Orders in which rows and columns are drawn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency import Contingency

Places = NDArray[np.int64]


def diagonal_order(table: Contingency) -> tuple[Places, Places]:
    """Orders of classes and clusters in which matched pairs lie on the diagonal.

    Pairs of the table's best matching come first, the largest cell foremost; then what is left:
    each class or cluster without a match, the largest first.

    >>> table = Contingency.from_counts([[0, 9, 1], [5, 0, 0]])
    >>> [order.tolist() for order in diagonal_order(table)]
    [[0, 1], [1, 0, 2]]
    """
    cells = table.cells
    matched = table.match()
    values = cells.values[matched].astype(np.float64)
    matched = matched[np.argsort(-values, kind="stable")]
    rows = cells.rows[matched].astype(np.int64)
    cols = cells.cols[matched].astype(np.int64)
    return _completed(rows, table.class_sizes), _completed(cols, table.cluster_sizes)


def _completed(first: Places, sizes: NDArray[np.generic]) -> Places:
    """These places, and behind them the others, the largest first."""
    left = np.ones(len(sizes), np.bool_)
    left[first] = False
    others = np.flatnonzero(left)
    falling = np.argsort(-sizes[others].astype(np.float64), kind="stable")
    return np.concatenate([first, others[falling]])
