"""The matrix of a measure between all pairs of labelings, filled in threads.

Labelings are counted in groups. A group is read as one labeling whose number of codes is the
product of theirs. Counting a group of r labelings against a group of c costs one increment per
object for r c pairs, about half a nanosecond on one core, and a table of the product of both.
Which groups are best depends on the numbers of codes and objects, so it is estimated. The joint
codes of one tile of columns are held at a time, so that memory does not grow with the number of
labelings beyond their codes and the matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet._progress import ticking
from clustervet.ensemble.labelings import Labelings
from clustervet.ensemble.pair_values import (
    NARROW,
    PairValues,
    Scoring,
    log_table,
    no_common,
    pair_sums,
    room,
)
from clustervet.errors import ParameterError, Setting

Edges = NDArray[np.int64]
Joint = NDArray[np.uint16]
# Tables of groups that pay are small beside the second-level cache and the number of objects.
LARGEST = 2**15
# Estimates look at this many of the labelings.
SAMPLE = 48
# Nanoseconds: an increment, adding a cell to another, and a call of a compiled loop.
INCREMENT, ADDITION, CALL = 0.5, 0.15, 20_000.0
# Bytes of joint codes that are held at a time.
TILE = 2**26


class BlockPlan(NamedTuple):
    """Where the groups of rows and the groups of columns start, and the end."""

    rows: Edges
    cols: Edges


def plan_blocks(slots: NDArray[np.int64], n: int) -> BlockPlan:
    """Return the cheapest groups of consecutive labelings, sorted by their number of codes.

    >>> plan_blocks(np.full(6, 10), 100_000)
    BlockPlan(rows=array([0, 2, 4, 6]), cols=array([0, 2, 4, 6]))
    """
    sample = slots[np.linspace(0, len(slots) - 1, min(SAMPLE, len(slots))).astype(np.int64)]
    limits = [1, *(2**k for k in range(2, LARGEST.bit_length()))]
    tried = {limit: group_edges(sample, limit) for limit in limits}
    pairs = [(r, c) for r, c in product(limits, limits) if r <= c and r * c <= LARGEST]
    best = min(pairs, key=lambda pair: _cost(sample, n, tried[pair[0]], tried[pair[1]]))
    return BlockPlan(group_edges(slots, best[0]), group_edges(slots, best[1]))


def group_edges(slots: NDArray[np.int64], limit: int) -> Edges:
    """Return the edges of groups, each as large as the limit on its product of codes allows.

    >>> group_edges(np.array([2, 3, 4, 50]), 25)
    array([0, 3, 4])
    """
    edges = [0]
    size = 1
    for k, slot in enumerate(slots.tolist()):
        if size * slot > limit and k > edges[-1]:
            edges.append(k)
            size = 1
        size *= slot
    return np.array([*edges, len(slots)], np.int64)


def _cost(slots: NDArray[np.int64], n: int, rows: Edges, cols: Edges) -> float:
    """Estimate the nanoseconds for all blocks of a group of rows and a group of columns."""
    heights, widths = (
        np.multiply.reduceat(slots.astype(np.float64), edges[:-1]) for edges in (rows, cols)
    )
    members, others = np.diff(rows), np.diff(cols)
    cells = np.outer(heights, widths)
    pairs = np.outer(members, others)
    collapsed = np.outer(members * (members > 1), widths) * heights[:, None]
    spread = np.outer(np.add.reduceat(slots, rows[:-1]), widths * others * (others > 1))
    counted = n * INCREMENT * (1 + (cells > LARGEST)) + ADDITION * (cells + collapsed + spread)
    single = pairs * (n * INCREMENT + CALL)
    needed = np.less.outer(rows[:-1], cols[1:] - 1)  # else no row comes before a column
    return float(np.where(cells <= room(n), counted, single)[needed].sum())


def thread_count(n_jobs: int | None) -> int:
    """Return the number of threads: 1 by default; -1 means all cores, -2 all but one, ..."""
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs == 0:
        raise ParameterError(
            Setting("n_jobs"), f" must be a whole number other than 0, not {n_jobs!r}."
        )
    if n_jobs > 0:
        return int(n_jobs)
    from clustervet._kernels.threads import cores

    return max(1, cores() + 1 + int(n_jobs))


def _run_tasks(task: Callable[[Any], None], items: Iterable[Any], jobs: int) -> None:
    """Call a task on each item, in threads; an error ends all."""
    if jobs == 1:
        for item in items:
            task(item)
        return
    with ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(task, item) for item in items]
        try:
            for done in waiting:
                done.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


class PairMatrix:
    """The values of a measure for all pairs of labelings, and how many objects each pair shares.

    Blocks are counted over the labelings sorted by their number of codes; `order` gives the
    place of each in the matrix.
    """

    def __init__(self, many: Labelings, scoring: Scoring) -> None:
        self.many, self.scoring = many, scoring
        size = len(many)
        self.pair = PairValues(many, scoring, size * (size - 1) // 2)
        self.values = np.empty((size, size))
        self.counts: NDArray[np.int64] = np.broadcast_to(np.int64(many.n), self.values.shape)
        if not many.complete:
            self.counts = np.empty((size, size), np.int64)
        self.order = np.argsort(many.slots, kind="stable")
        self.slots = many.slots[self.order]
        self.live = many.clusters[self.order]
        self.codes = [many.codes[k] for k in self.order.tolist()]

    def fill(self, jobs: int) -> None:
        """Fill in every entry, with a progress bar."""
        for k in range(len(self.many)):
            self._fill_diagonal(k)
        if self.pair.by_sums:
            self._fill_blocks(jobs)
            return
        last = len(self.many) - 1
        with ticking(last, "distances") as tick:

            def row(i: int) -> None:
                for j in range(i + 1, last + 1):
                    *values, shared = self.pair(i, j)
                    self._set(i, j, values, shared)
                tick()

            _run_tasks(row, range(last), 1 if self.pair.few else jobs)

    def _fill_diagonal(self, k: int) -> None:
        if self.scoring.unit is not None and self.many.complete:
            self.values[k, k] = 0.0
            return
        sizes = self.many.sizes(k)
        self._set(k, k, (self.scoring.itself(sizes),) * 2, int(sizes.sum()))

    def _set(self, i: int, j: int, values: Sequence[float], shared: int) -> None:
        self.values[i, j], self.values[j, i] = values
        if not self.many.complete:
            self.counts[i, j] = self.counts[j, i] = shared

    def _fill_blocks(self, jobs: int) -> None:
        """Count every pair once: groups of labelings by blocks, those with many clusters alone."""
        n, logs = self.many.n, log_table(self.many.n)
        narrow = int(np.searchsorted(self.slots, NARROW, side="right"))
        tiles: list[Edges] = []
        rows: list[tuple[int, int]] = []
        if narrow > 1:
            chosen = plan_blocks(self.slots[:narrow], n)
            step = max(1, TILE // (2 * n))
            starts = range(0, len(chosen.cols) - 1, step)
            tiles = [chosen.cols[start : start + step + 1] for start in starts]
            rows = list(pairwise(chosen.rows.tolist()))
        wide = range(max(narrow, 1), len(self.codes))
        total = sum(sum(first < tile[-1] - 1 for first, _ in rows) for tile in tiles) + len(wide)
        with ticking(total, "distances") as tick:
            for edges in tiles:
                cols = np.empty((len(edges) - 1, n), np.uint16)
                for k, ends in enumerate(pairwise(edges.tolist())):
                    cols[k] = self._joint(*ends)

                def block(row: tuple[int, int], edges: Edges = edges, cols: Joint = cols) -> None:
                    self._count_block(row, edges, cols, logs)
                    tick()

                _run_tasks(block, [row for row in rows if row[0] < edges[-1] - 1], jobs)

            def column(j: int) -> None:
                self._count_column(j, logs)
                tick()

            _run_tasks(column, wide, jobs)

    def _joint(self, first: int, last: int) -> Joint:
        """Return the joint codes of some labelings, the first one leading."""
        joint: Joint = self.codes[first].astype(np.uint16)
        for k in range(first + 1, last):
            joint *= np.uint16(self.slots[k])
            joint += self.codes[k]
        return joint

    def _count_block(
        self, group: tuple[int, int], edges: Edges, cols: Joint, logs: NDArray[np.float64]
    ) -> None:
        """Count a group of rows against a tile of columns."""
        from clustervet import _kernels

        first, last = group
        rows, others = np.arange(first, last), np.arange(edges[0], edges[-1])
        nats = np.zeros((len(rows), len(others)))
        sums = np.empty((*nats.shape, 7), np.int64)
        _kernels.band(
            self._joint(first, last), first, last, cols, edges, self.slots, self.live,
            room(self.many.n), logs, nats, sums,
        )  # fmt: skip
        wanted = np.less.outer(rows, others)
        for i, j in zip(*np.nonzero(wanted & (sums[..., 0] < 0)), strict=True):
            nats[i, j] = self._count_pair(int(rows[i]), int(others[j]), logs, sums[i, j])
        self._take_block(self.order[rows], self.order[others], nats, sums, wanted)

    def _count_column(self, j: int, logs: NDArray[np.float64]) -> None:
        """Count one labeling with many clusters against all with fewer."""
        nats = np.empty((j, 1))
        sums = np.empty((j, 1, 7), np.int64)
        for i in range(j):
            nats[i, 0] = self._count_pair(i, j, logs, sums[i, 0])
        wanted = np.ones((j, 1), np.bool_)
        self._take_block(self.order[:j], self.order[j : j + 1], nats, sums, wanted)

    def _count_pair(
        self, i: int, j: int, logs: NDArray[np.float64], sums: NDArray[np.int64]
    ) -> float:
        return pair_sums(self.many, int(self.order[i]), int(self.order[j]), logs, sums)

    def _take_block(
        self,
        rows: NDArray[np.int64],
        cols: NDArray[np.int64],
        nats: NDArray[np.float64],
        sums: NDArray[np.int64],
        wanted: NDArray[np.bool_],
    ) -> None:
        """Enter the values of the wanted pairs of a block, from their sums."""
        at = np.nonzero(wanted)
        i, j = rows[at[0]], cols[at[1]]
        shared = sums[..., 0][at]
        if not shared.all():
            where = int(np.flatnonzero(shared == 0)[0])
            raise no_common(self.many, int(i[where]), int(j[where]))
        if not self.many.complete:
            self.counts[i, j] = self.counts[j, i] = shared
        if self.scoring.unit is not None:
            self.values[i, j] = self.values[j, i] = nats[at] * self.scoring.unit
            return
        for one, other, part in zip(i.tolist(), j.tolist(), sums[at].tolist(), strict=True):
            self.values[one, other], self.values[other, one] = self.pair.from_sums(
                one, other, 0.0, part
            )
