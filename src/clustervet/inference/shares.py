"""What every cell contributes to VI, to Dom's Q0 and to the pair errors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._numeric import log_binomial
from clustervet.contingency import Contingency

Reals = NDArray[np.float64]


@dataclass(frozen=True)
class Shares:
    """Contributions of the cells; each array sums to the measure it is named after.

    VI is local (Meilă 2007, Property 5): a cell of x objects, of a class of a and a cluster
    of b, contributes (x/n) [log(b/x) + log(a/x)]. Q0 (Dom 2001, eq. 11) gives a cell
    (x/n) log(b/x) and its part of the cluster's model cost. A pair in error lies in two
    cells, and each gets half of it.
    """

    rows: NDArray[Any]
    cols: NDArray[Any]
    vi: Reals
    q0: Reals
    pair_errors: Reals
    within_column: Reals  # (x/b) log(b/x), which sums to the column's entropy
    within_row: Reals  # (x/a) log(a/x)

    def flipped(self) -> Shares:
        """The same with rows and columns exchanged, in the order of the transposed table."""
        order = np.argsort(self.cols, kind="stable")
        return Shares(
            rows=self.cols[order],
            cols=self.rows[order],
            vi=self.vi[order],
            q0=self.q0[order],
            pair_errors=self.pair_errors[order],
            within_column=self.within_row[order],
            within_row=self.within_column[order],
        )

    def by_column(self, width: int) -> tuple[Reals, Reals, Reals, Reals]:
        """Sums over each column: VI, Q0, pair errors, and the column's own entropy."""
        vi, q0, errors, entropy = (
            np.bincount(self.cols, weights=values, minlength=width).astype(np.float64)
            for values in (self.vi, self.q0, self.pair_errors, self.within_column)
        )
        return vi, q0, errors, entropy


def cell_shares(table: Contingency) -> Shares:
    """The contributions of all cells, in bits and in pairs."""
    cells = table.cells
    rows, cols, x = cells.rows, cells.cols, cells.values
    a, b = table.class_sizes[rows], table.cluster_sizes[cols]
    share = _ratio(x, np.full(len(x), table.n, x.dtype))
    by_cluster, by_class = _surprise(x, b), _surprise(x, a)
    kinds = table.shape[0] - 1
    cost = np.array([log_binomial(float(size), kinds) for size in table.cluster_sizes.tolist()])
    model = _ratio(x, b) * (cost / float(table.n))[cols]
    return Shares(
        rows=rows,
        cols=cols,
        vi=share * (by_cluster + by_class) / math.log(2),
        q0=(share * by_cluster + model) / math.log(2),
        pair_errors=(x * (a - x) + x * (b - x)).astype(np.float64) / 2
        if _fits(table)
        else x.astype(np.float64) * ((a - x).astype(np.float64) + (b - x).astype(np.float64)) / 2,
        within_column=_ratio(x, b) * by_cluster / math.log(2),
        within_row=_ratio(x, a) * by_class / math.log(2),
    )


def _fits(table: Contingency) -> bool:
    """Whether products of counts stay within 64 bits, or are Python ints anyway."""
    return table.cells.values.dtype == object or table.n < 2**31


def _ratio(part: NDArray[Any], whole: NDArray[Any]) -> Reals:
    return np.asarray(part / whole, np.float64)


def _surprise(part: NDArray[Any], whole: NDArray[Any]) -> Reals:
    """log(whole / part), exact in its last digits also where part is nearly all of whole."""
    rest = _ratio(whole - part, whole)
    ratio = _ratio(part, whole)
    return np.where(rest < 0.5, -np.log1p(-np.minimum(rest, 0.5)), -np.log(ratio))
