"""The rows that clusterers read: sparse, scaled, weighted, with equal rows merged.

Rule: the results depend neither on the order of the rows, nor on whether a row is given twice or
once with double weight, nor on the number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._kernels import sparse_rows as loops
from clustervet._kernels.threads import cores, ranges, run
from clustervet._memory import need

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]

# Number of multiplications that is worth a thread.
GRAIN = 1_000_000


def threads() -> int:
    """Number of threads that a loop may use: all cores, or what OMP_NUM_THREADS allows.

    Joblib sets that variable in its worker processes, so nested work does not use too many threads.
    """
    said = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(cores(), int(said))) if said.isdigit() else cores()


def spread(function: Callable[..., Any], arguments: tuple[Any, ...], n: int, work: int) -> None:
    """Call a loop over 0..n in as many threads as its work is worth."""
    most = min(threads(), max(1, work // GRAIN))
    run(function, [(*arguments, first, last) for first, last in ranges(n, 1, most)])


@dataclass(frozen=True)
class Rows:
    """Scaled rows in CSR form.

    `weights` are positive. `sizes` are the lengths (or sums) of the rows before scaling. `places`
    holds, for each row of the input, its row here, or -1 for a row without words or without weight.
    `mass` is the sum of the weights given.
    """

    data: Floats
    indices: NDArray[np.int32]
    indptr: NDArray[np.int64]
    width: int
    weights: Floats
    sizes: Floats
    places: NDArray[np.int64]
    mass: float

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def _arrays(self) -> tuple[Floats, NDArray[np.int32], NDArray[np.int64]]:
        return self.data, self.indices, self.indptr

    @cached_property
    def columns(self) -> tuple[Floats, NDArray[np.int32], NDArray[np.int64]]:
        """The same values feature by feature."""
        from scipy.sparse import csr_array

        turned = csr_array(self._arrays, (len(self), self.width)).tocsc()
        return turned.data, turned.indices.astype(np.int32), turned.indptr.astype(np.int64)

    def by_content(self) -> NDArray[np.int64]:
        """Positions of the rows in an order that depends on their content alone."""
        codes = _codes(*self._arrays)
        return np.argsort(codes, kind="stable")

    def sum(self, values: Floats) -> float:
        """Weighted sum over the rows; not by BLAS, whose rounding depends on its threads."""
        return float((self.weights * values).sum())

    def scores(self, table: Floats, bias: Floats) -> Floats:
        """Rows times table (features × clusters) plus bias."""
        out = np.empty((len(self), len(bias)))
        arguments = (*self._arrays, table, bias, out)
        spread(loops.multiply, arguments, len(self), len(self.data) * len(bias))
        return out

    def nearest(self, table: Floats, bias: Floats) -> tuple[Labels, Floats]:
        """The cluster with the largest score for each row, and that score."""
        labels, best = np.empty(len(self), np.int32), np.empty(len(self))
        arguments = (*self._arrays, table, bias, labels, best)
        spread(loops.nearest, arguments, len(self), len(self.data) * len(bias))
        return labels, best

    def posteriors(
        self, table: Floats, bias: Floats, out: Floats | None = None
    ) -> tuple[Floats, Labels, Floats]:
        """Scores as probabilities, the most likely cluster, and the log of the sum of exp."""
        shares = np.empty((len(self), len(bias))) if out is None else out
        labels, evidence = np.empty(len(self), np.int32), np.empty(len(self))
        arguments = (*self._arrays, table, bias, shares, labels, evidence)
        spread(loops.posteriors, arguments, len(self), len(self.data) * len(bias))
        return shares, labels, evidence

    def shared_sums(self, shares: Floats, out: Floats | None = None) -> Floats:
        """Sums of rows by weighted shares: features × clusters."""
        nothing = np.zeros(shares.shape[1])
        out = np.empty((self.width, shares.shape[1])) if out is None else out
        arguments = (*self.columns, shares, nothing, out)
        spread(loops.multiply, arguments, self.width, len(self.data) * shares.shape[1])
        return out

    def pick(
        self, chosen: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], Floats, NDArray[np.int64]]:
        """Words and values of chosen rows one after the other, and where each row begins."""
        parts = [np.arange(self.indptr[i], self.indptr[i + 1]) for i in chosen]
        starts = np.cumsum([0, *(len(part) for part in parts)])
        at = np.concatenate(parts)
        return self.indices[at], self.data[at], starts

    def products(
        self, words: NDArray[np.int32], values: Floats, starts: NDArray[np.int64]
    ) -> Floats:
        """Products of all rows with a few sparse vectors, through the features of these."""
        out = np.empty((len(starts) - 1, len(self)))
        starting = self.columns[2]
        work = int((starting[words + 1] - starting[words]).sum())
        arguments = (*self.columns, words, values, starts, out)
        spread(loops.sparse_products, arguments, len(out), work)
        return out.T

    def dense(self, chosen: NDArray[np.int64]) -> Floats:
        """Chosen rows as a dense matrix."""
        out = np.zeros((len(chosen), self.width))
        for at, i in enumerate(chosen):
            part = slice(self.indptr[i], self.indptr[i + 1])
            out[at, self.indices[part]] = self.data[part]
        return out


class Sums:
    """Sums of the rows of each cluster, updated when rows move.

    Only moved rows are read. After `FRESH` changes, or when a third of the rows moved at once, the
    sums are computed again, so that rounding errors do not add up.
    """

    FRESH = 16

    def __init__(self, rows: Rows, labels: Labels, clusters: int) -> None:
        self.rows = rows
        need(24 * clusters * rows.width, f"centres of {rows.width:,} features")
        self.totals = np.zeros((clusters, rows.width))
        self.labels = np.full(len(rows), -1, np.int32)
        self.sizes: Floats = np.zeros(clusters)
        self.counts: NDArray[np.int64] = np.zeros(clusters, np.int64)
        self._age = self.FRESH
        self.move(labels)

    def move(self, labels: Labels) -> NDArray[np.bool_]:
        """Move rows to their new clusters; return which clusters changed."""
        moved = np.flatnonzero(labels != self.labels)
        clusters = len(self.totals)
        changed = np.zeros(clusters, np.bool_)
        changed[labels[moved]] = True
        changed[self.labels[moved]] |= self.labels[moved] >= 0
        self._age += 1
        if self._age > self.FRESH or 3 * len(moved) > len(labels):
            self._age = 0
            self.totals[:] = 0.0
            self.labels = np.full(len(labels), -1, np.int32)
            moved = np.arange(len(labels))
        rows, work = self.rows, len(moved) * len(self.rows.data) // max(1, len(self.rows))
        arguments = (*rows._arrays, rows.weights, moved, self.labels, labels, self.totals)
        spread(loops.shift_sums, arguments, clusters, work)
        self.labels = labels.copy()
        self.sizes = np.asarray(np.bincount(labels, rows.weights, clusters), np.float64)
        self.counts = np.asarray(np.bincount(labels, minlength=clusters), np.int64)
        self.totals[self.counts == 0] = 0.0
        return changed


def read_rows(matrix: Any, weights: Floats, *, squared: bool, merge: bool) -> Rows:
    """Rows of a matrix scaled to length one (`squared`) or to sum one.

    With `merge` rows without words or weight are left out, equal rows become one with the sum of
    their weights, and rows are sorted by the codes of their content.
    """
    data, indices, indptr = _canonical(matrix)
    n = len(indptr) - 1
    order = np.arange(n)
    places = np.where(np.diff(indptr) > 0, order, -1)
    if merge:
        order, places, weights = _merged(data, indices, indptr, weights)
    lengths = np.diff(indptr)[order]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    out, put = np.empty(starts[-1]), np.empty(starts[-1], np.int32)
    sizes = np.zeros(len(order))
    arguments = (data, indices, indptr, order, squared, starts, out, put, sizes)
    spread(loops.scaled_rows, arguments, len(order), 4 * len(out))
    return Rows(out, put, starts, matrix.shape[1], weights, sizes, places, float(weights.sum()))


def _canonical(matrix: Any) -> tuple[Floats, NDArray[np.int32], NDArray[np.int64]]:
    """Arrays of a CSR matrix with sorted columns, without duplicates or stored zeros."""
    from scipy.sparse import csr_array

    csr = csr_array(matrix)
    if not csr.has_canonical_format or (len(csr.data) and not csr.data.all()):
        csr = csr.copy()
        csr.sum_duplicates()
        csr.eliminate_zeros()
    return (
        np.ascontiguousarray(csr.data, np.float64),
        np.ascontiguousarray(csr.indices, np.int32),
        np.ascontiguousarray(csr.indptr, np.int64),
    )


def _codes(
    data: Floats, indices: NDArray[np.int32], indptr: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """A code of the content of each row."""
    n = len(indptr) - 1
    codes = np.empty(n, np.uint64)
    spread(loops.row_codes, (data.view(np.uint64), indices, indptr, codes), n, 4 * len(data))
    return codes


def _merged(
    data: Floats, indices: NDArray[np.int32], indptr: NDArray[np.int64], weights: Floats
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """The rows to keep, in order; the new position of every row; and the summed weights."""
    n = len(indptr) - 1
    codes = _codes(data, indices, indptr)
    kept = np.flatnonzero((np.diff(indptr) > 0) & (weights > 0))
    order = kept[np.argsort(codes[kept], kind="stable")]
    same = np.zeros(len(order), np.bool_)
    same[1:] = codes[order[1:]] == codes[order[:-1]]
    if same.any():
        loops.same_rows(data, indices, indptr, order, same)
    group = np.cumsum(~same) - 1
    places = np.full(n, -1)
    places[order] = group
    total = np.bincount(group, weights[order], len(order) - int(same.sum()))
    return order[~same], places, np.asarray(total, np.float64)
