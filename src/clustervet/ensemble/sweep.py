"""Every pair of many labelings, by blocks of groups, in threads.

The limit is one increment an object and block of two groups, about half a nanosecond on a
core. Joint codes of a tile of columns are held at a time, so memory does not grow with the
number of labelings beyond their codes and the matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._progress import ticking
from clustervet.ensemble.grouping import Edges, plan, room
from clustervet.ensemble.labelings import Labelings
from clustervet.errors import ParameterError

Joint = NDArray[np.uint16]
# Bytes of joint codes that are held at a time.
TILE = 2**26
# Logarithms of counts up to here are looked up.
LOOKED_UP = 2**22
# Joint codes are 16 bits wide; labelings with more clusters are counted one by one.
NARROW = 2**16
# What is told of a block: positions of rows and of columns, the variation of information of
# each pair in nats, the seven sums of each pair, and which of the pairs are told.
Told = Callable[
    [
        NDArray[np.int64],
        NDArray[np.int64],
        NDArray[np.float64],
        NDArray[np.int64],
        NDArray[np.bool_],
    ],
    None,
]


def read_jobs(n_jobs: int | None) -> int:
    """Threads to use: one, so many, or all cores but so many."""
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs == 0:
        raise ParameterError(f"n_jobs must be a whole number other than 0, not {n_jobs!r}.")
    if n_jobs > 0:
        return int(n_jobs)
    from clustervet._kernels.threads import cores

    return max(1, cores() + 1 + int(n_jobs))


def run_tasks(task: Callable[[Any], None], items: Iterable[Any], jobs: int) -> None:
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


@lru_cache(maxsize=2)
def log_table(n: int) -> NDArray[np.float64]:
    """Logarithms of counts up to n, or as many as are looked up; 0 for none."""
    counts = np.arange(min(n, LOOKED_UP) + 1, dtype=np.float64)
    counts[0] = 1.0
    return np.log(counts)


def pair_sums(
    many: Labelings, i: int, j: int, logs: NDArray[np.float64], sums: NDArray[np.int64]
) -> float:
    """One pair: its seven sums are written, its variation of information in nats is given."""
    from clustervet import _kernels

    slots, live = many.slots[[i, j]], many.clusters[[i, j]]
    size = int(slots.prod())
    if size <= room(many.n) and slots.max() <= NARROW:
        row, col = (many.codes[k].astype(np.uint16) for k in (i, j))
        nats, block = np.empty((1, 1)), np.empty((1, 1, 7), np.int64)
        edges = np.array([1, 2])
        _kernels.band(row, 0, 1, col[None], edges, slots, live, size, logs, nats, block)
        sums[:] = block[0, 0]
        return float(nats[0, 0])
    codes, other = (many.codes[k].astype(np.int32) for k in (i, j))
    sizes = np.bincount(codes, minlength=int(slots[0]))
    starts = np.concatenate([[0], np.cumsum(sizes)])[: live[0] + 1]
    order = _kernels.bucket(codes, sizes)
    return float(_kernels.by_rows(order, starts, other, int(live[1]), logs, sums))


class Sweep:
    """The sums of every pair of labelings, told block by block.

    Labelings are taken with their numbers of codes rising; `order` says which each one is.
    """

    def __init__(self, many: Labelings, tell: Told) -> None:
        self.many = many
        self.order = np.argsort(many.slots, kind="stable")
        self.slots = many.slots[self.order]
        self.live = many.clusters[self.order]
        self.codes = [many.codes[k] for k in self.order.tolist()]
        self.n = many.n
        self.tell = tell
        self.logs = log_table(self.n)

    def run(self, jobs: int) -> None:
        """Every pair once, with a progress bar."""
        narrow = int(np.searchsorted(self.slots, NARROW, side="right"))
        chosen = plan(self.slots[:narrow], self.n) if narrow > 1 else None
        tiles: list[Edges] = []
        if chosen is not None:
            step = max(1, TILE // (2 * self.n))
            starts = range(0, len(chosen.cols) - 1, step)
            tiles = [chosen.cols[start : start + step + 1] for start in starts]
        rows = [] if chosen is None else list(pairwise(chosen.rows.tolist()))
        wide = range(max(narrow, 1), len(self.codes))
        total = sum(sum(first < tile[-1] - 1 for first, _ in rows) for tile in tiles) + len(wide)
        with ticking(total, "distances") as tick:
            for edges in tiles:
                cols = self._joint_groups(edges)

                def block(row: tuple[int, int], edges: Edges = edges, cols: Joint = cols) -> None:
                    self._block(row, edges, cols)
                    tick()

                run_tasks(block, [row for row in rows if row[0] < edges[-1] - 1], jobs)

            def column(j: int) -> None:
                self._column(j)
                tick()

            run_tasks(column, wide, jobs)

    def _joint(self, first: int, last: int) -> Joint:
        """The joint codes of some labelings, the first leading."""
        joint: Joint = self.codes[first].astype(np.uint16)
        for k in range(first + 1, last):
            joint *= np.uint16(self.slots[k])
            joint += self.codes[k]
        return joint

    def _joint_groups(self, edges: Edges) -> Joint:
        cols = np.empty((len(edges) - 1, self.n), np.uint16)
        for k, (first, last) in enumerate(pairwise(edges.tolist())):
            cols[k] = self._joint(first, last)
        return cols

    def _block(self, group: tuple[int, int], edges: Edges, cols: Joint) -> None:
        """A group of rows against a tile of columns."""
        from clustervet import _kernels

        first, last = group
        rows, others = np.arange(first, last), np.arange(edges[0], edges[-1])
        nats = np.zeros((len(rows), len(others)))
        sums = np.empty((*nats.shape, 7), np.int64)
        _kernels.band(
            self._joint(first, last), first, last, cols, edges, self.slots, self.live,
            room(self.n), self.logs, nats, sums,
        )  # fmt: skip
        wanted = np.less.outer(rows, others)
        for i, j in zip(*np.nonzero(wanted & (sums[..., 0] < 0)), strict=True):
            nats[i, j] = self._alone(int(rows[i]), int(others[j]), sums[i, j])
        self.tell(self.order[rows], self.order[others], nats, sums, wanted)

    def _column(self, j: int) -> None:
        """One labeling with many clusters against all with fewer."""
        nats = np.empty((j, 1))
        sums = np.empty((j, 1, 7), np.int64)
        for i in range(j):
            nats[i, 0] = self._alone(i, j, sums[i, 0])
        self.tell(self.order[:j], self.order[j : j + 1], nats, sums, np.ones((j, 1), np.bool_))

    def _alone(self, i: int, j: int, sums: NDArray[np.int64]) -> float:
        return pair_sums(self.many, int(self.order[i]), int(self.order[j]), self.logs, sums)
