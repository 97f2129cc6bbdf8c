"""Objects that nothing tells apart are counted as one row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]


def distinct_rows(shares: Any) -> tuple[Places, Places]:
    """For each row the number of its kind, and for each kind one row; equal rows are one kind.

    >>> distinct_rows(np.array([[0.5, 0.5], [1.0, 0.0], [0.5, 0.5]]))[0].tolist()
    [0, 1, 0]
    """
    if not hasattr(shares, "tocsr"):
        return _kinds(shares)
    lengths = np.diff(shares.indptr)
    kinds = np.empty(len(lengths), np.int64)
    firsts: list[Places] = []
    count = 0
    for length in np.unique(lengths).tolist():
        rows = np.flatnonzero(lengths == length)
        cells = shares.indptr[rows][:, None] + np.arange(length)
        held = np.hstack([shares.indices[cells].astype(np.float64), shares.data[cells]])
        found, places = _kinds(held)
        kinds[rows] = found + count
        firsts.append(rows[places])
        count += len(places)
    return kinds, np.concatenate(firsts)


def _kinds(matrix: NDArray[np.float64]) -> tuple[Places, Places]:
    lines = np.ascontiguousarray(matrix).view(np.dtype((np.void, matrix.shape[1] * 8))).ravel()
    _, first, kinds = np.unique(lines, return_index=True, return_inverse=True)
    # Kinds in the order in which they first appear: bytes have no order that means anything.
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank[kinds], first[order]


def column_marks(shares: Any) -> list[bytes]:
    """The contents of the columns that are not empty, in an order that names do not change.

    >>> one, other = np.array([[0.5, 0.5, 0], [1, 0, 0]]), np.array([[0.5, 0.5], [0, 1]])
    >>> column_marks(one) == column_marks(other)
    True
    """
    if hasattr(shares, "tocsr"):
        held = shares.tocsc()
        held.sort_indices()
        spans = zip(held.indptr[:-1].tolist(), held.indptr[1:].tolist(), strict=True)
        found = [(held.indices[a:b].astype(np.int64), held.data[a:b]) for a, b in spans]
    else:
        found = [(np.flatnonzero(line), line[line != 0]) for line in shares.T]
    return sorted(rows.tobytes() + values.tobytes() for rows, values in found if len(rows))
