"""Sums over all pairs of objects of two soft clusterings, in memory that grows with the objects.

Few objects are compared by numpy, more by compiled loops. Every object has a sum of its own over
the pairs with later objects, and these are added exactly, so that threads change nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet import _kernels
from clustervet._kernels.patience import is_little
from clustervet._progress import ticking
from clustervet.soft.memberships import Memberships

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
# A matrix of clusters × objects, or without rows where degrees are sparse; then CSR.
Side = tuple[Floats, Places, Places, Floats]
# Comparisons of degrees up to which numpy is quicker than loading compiled loops.
FEW = 30_000_000
# Differences of degrees that numpy takes at once.
BLOCK = 2**18
# Clusters up to which all degrees are compared, and the share of degrees above 0 from which more.
NARROW, DENSE = 32, 0.25
# Rows of pairs that one step compares, so that progress is seen.
STEP = 1_000


class Joint(NamedTuple):
    """One row per distinct object, and how many objects each of them stands for."""

    rows: Places
    sizes: Floats

    @property
    def doubles(self) -> Floats:
        """The number of pairs of objects within each row."""
        return self.sizes * (self.sizes - 1) / 2


class Sums(NamedTuple):
    """Sums over pairs of objects with equivalences e and f.

    `both` is that of (1 - |e - f|) e f, `more` of max(e - f, 0), `less` of max(f - e, 0), `left` of
    e and `right` of f.
    """

    both: float
    more: float
    less: float
    left: float
    right: float


class Overlaps(NamedTuple):
    """Campello's four sums over pairs: together in both, in truth alone, in pred alone, apart."""

    a: float
    b: float
    c: float
    d: float


@dataclass(frozen=True)
class Rows:
    """Some rows of one side: dense for few comparisons, and as the compiled loops take them."""

    shares: Any

    @property
    def dense(self) -> Floats:
        """All degrees in the clusters that are not empty."""
        found = self.shares.toarray() if hasattr(self.shares, "tocsr") else self.shares
        return np.ascontiguousarray(found[:, found.any(axis=0)])

    @property
    def side(self) -> Side:
        """The degrees as the compiled loops take them."""
        shares, none = self.shares, np.zeros(0)
        rows, columns = shares.shape
        sparse = hasattr(shares, "tocsr")
        filled = shares.nnz if sparse else np.count_nonzero(shares)
        if columns <= NARROW or filled >= DENSE * rows * columns:
            dense = shares.toarray() if sparse else shares
            zeros = np.zeros(rows + 1, np.int64)
            return np.array(dense.T, order="C"), zeros, np.zeros(0, np.int64), none
        from scipy.sparse import csr_array

        held = csr_array(shares)
        places = held.indices.astype(np.int64), held.data.astype(np.float64)
        return np.zeros((0, rows)), held.indptr.astype(np.int64), *places

    @property
    def room(self) -> Floats:
        """A row with one place per cluster."""
        return np.zeros(self.shares.shape[1])


def add_concordances(truth: Memberships, pred: Memberships, joint: Joint) -> Sums:
    """Add up over all pairs how equivalent objects are on both sides."""
    one, other = (Rows(side.shares[joint.rows]) for side in (truth, pred))
    rows = len(joint.rows)
    if is_little(rows**2 / 2 * (truth.k + pred.k), FEW):
        found = _plain_concordances(one.dense, other.dense, joint.sizes)
    else:
        left, right = one.side, other.side

        def part(first: int, last: int) -> Floats:
            sums = np.zeros((last - first, 5))
            rooms = one.room, other.room
            _kernels.concordances(left, right, rooms, joint.sizes, first, last, sums)
            return sums

        found = in_parts(part, rows)
    inside = math.fsum(joint.doubles.tolist())  # pairs of equal objects are equivalent
    within = np.array([inside, 0, 0, inside, inside])
    return Sums(*_exact_sums(np.vstack([found, within])))


def equivalences(rows: Floats, i: int) -> Floats:
    """1 less half the distance of a row to each of the later ones.

    >>> equivalences(np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]), 0).tolist()
    [0.5, 0.0]
    """
    distances = np.abs(rows[i + 1 :] - rows[i]).sum(axis=1)
    return np.asarray(np.maximum(0.0, 1 - distances / 2))


def _block(rows: Floats, here: Places) -> Floats:
    """The equivalences of some rows with all rows."""
    distances = np.zeros((len(here), len(rows)))
    for column in rows.T.copy():
        distances += np.abs(column[here, None] - column)
    return np.maximum(0.0, 1 - distances / 2)


def _plain_concordances(left: Floats, right: Floats, sizes: Floats) -> Floats:
    n = len(sizes)
    found = np.zeros((n, 5))
    step = max(1, BLOCK // n)
    for first in range(0, n, step):
        here = np.arange(first, min(n, first + step))
        e, f = (_block(rows, here) for rows in (left, right))
        gap = e - f
        kinds = ((1 - abs(gap)) * e * f, np.maximum(gap, 0), np.maximum(-gap, 0), e, f)
        # Each pair once: with the later objects.
        pairs = np.where(np.arange(n) > here[:, None], sizes[here, None] * sizes, 0.0)
        found[here] = np.column_stack([(pairs * kind).sum(axis=1) for kind in kinds])
    return found


def add_overlaps(truth: Memberships, pred: Memberships, joint: Joint, norm: str) -> Overlaps:
    """Add up over all pairs the t-norms of being together or apart on each side."""
    one, other = (Rows(side.shares[joint.rows]) for side in (truth, pred))
    rows, product = len(joint.rows), norm == "product"
    tops = [tuple(np.array(top[joint.rows]) for top in side.tops) for side in (truth, pred)]
    if is_little(rows**2 / 2 * (truth.k + pred.k), FEW):
        found = _plain_overlaps((one.dense, other.dense), tops, joint.sizes, product)
    else:
        left, right = one.side, other.side

        def part(first: int, last: int) -> Floats:
            sums = np.zeros((last - first, 4))
            rooms, span = (one.room, other.room), (first, last)
            _kernels.overlaps(left, right, *tops, rooms, joint.sizes, *span, product, sums)
            return sums

        found = in_parts(part, rows)
    t_norm = np.multiply if product else np.minimum
    (high, second, _), (peak, beside, _) = tops
    # Equal objects share their main cluster, and are apart as far as its second one allows.
    same, apart, alike, other_apart = (
        t_norm(x, y) for x, y in ((high, high), (high, second), (peak, peak), (peak, beside))
    )
    within = [
        math.fsum((joint.doubles * t_norm(x, y)).tolist())
        for x in (same, apart)
        for y in (alike, other_apart)
    ]
    return Overlaps(*_exact_sums(np.vstack([found, within])))


def _plain_overlaps(
    dense: tuple[Floats, Floats], tops: list[Any], sizes: Floats, product: bool
) -> Floats:
    t_norm: Any = np.multiply if product else np.minimum
    found = np.zeros((len(sizes), 4))
    for i in range(len(sizes) - 1):
        kinds = []
        for rows, (high, second, place) in zip(dense, tops, strict=True):
            same = t_norm(rows[i + 1 :], rows[i]).max(axis=1)
            apart = t_norm(high[i + 1 :], high[i])
            beside = np.maximum(t_norm(high[i], second[i + 1 :]), t_norm(second[i], high[i + 1 :]))
            kinds.append((same, np.where(place[i + 1 :] == place[i], beside, apart)))
        found[i] = [
            sizes[i] * float((sizes[i + 1 :] * t_norm(x, y)).sum())
            for x in kinds[0]
            for y in kinds[1]
        ]
    return found


def in_parts(part: Callable[[int, int], Floats], count: int) -> Floats:
    """The sums of all rows; several parts are computed at once."""
    starts = range(0, count, STEP)
    found = []
    with ticking(len(starts), "pairs of objects") as tick, _kernels.Pool(_kernels.cores()) as pool:
        for sums in pool.map(lambda first: part(first, min(first + STEP, count)), starts):
            found.append(sums)
            tick()
    return np.vstack(found)


def _exact_sums(rows: Floats) -> list[float]:
    return [math.fsum(column) for column in rows.T.tolist()]
