"""Values of a measure for pairs of labelings, by whichever way is quickest for it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._progress import ticking
from clustervet.contingency import Contingency
from clustervet.ensemble.labelings import Labelings
from clustervet.ensemble.record import Distances
from clustervet.ensemble.scoring import Scoring
from clustervet.ensemble.sweep import Sweep, log_table, pair_sums, run_tasks
from clustervet.ensemble.tables import (
    LazyTable,
    counted_cells,
    counted_table,
    no_common,
    plain_table,
)

# Up to so many pairs of so many objects plain tables are quicker than loading compiled loops.
FEW_PAIRS = 300
FEW_OBJECTS = 2_000


class PairValues:
    """The measure of two labelings both ways, and on how many objects.

    The variation of information and measures of pairs come from compiled sums, the others from
    a counted table; few and small labelings are counted without a compiler.
    """

    def __init__(self, many: Labelings, scoring: Scoring, pairs: int) -> None:
        self.many, self.scoring = many, scoring
        self.few = pairs <= FEW_PAIRS and many.n <= FEW_OBJECTS
        self.by_sums = not self.few and (scoring.unit is not None or scoring.pairs_alone)

    def __call__(self, i: int, j: int) -> tuple[float, float, int]:
        """The value of i against j, that of j against i, and the number of objects."""
        if self.by_sums:
            sums = np.empty(7, np.int64)
            nats = pair_sums(self.many, i, j, log_table(self.many.n), sums)
            return (*self.from_sums(i, j, nats, sums.tolist()), int(sums[0]))
        table: Contingency = (plain_table if self.few else counted_table)(self.many, i, j)
        return (*self.scoring.both(table), int(table.n))

    def from_sums(self, i: int, j: int, nats: float, sums: list[int]) -> tuple[float, float]:
        """The values of a pair whose sums are known."""
        if sums[0] == 0:
            raise no_common(self.many, i, j)
        if self.scoring.unit is not None:
            value = nats * self.scoring.unit
            return value, value
        return self.scoring.both(LazyTable(sums, lambda: counted_cells(self.many, i, j)))


class Filling:
    """A matrix of values, one for each pair of labelings."""

    def __init__(self, many: Labelings, scoring: Scoring) -> None:
        self.many, self.scoring = many, scoring
        size = len(many)
        self.pair = PairValues(many, scoring, size * (size - 1) // 2)
        self.matrix = np.empty((size, size))
        self.counts: NDArray[np.int64] | None = None
        if not many.complete:
            self.counts = np.empty((size, size), np.int64)

    def run(self, jobs: int) -> None:
        """Fill in every entry."""
        for k in range(len(self.many)):
            self._diagonal(k)
        if self.pair.by_sums:
            Sweep(self.many, self._told).run(jobs)
            return
        with ticking(len(self.many) - 1, "distances") as tick:

            def row(i: int) -> None:
                for j in range(i + 1, len(self.many)):
                    *values, shared = self.pair(i, j)
                    self._set(i, j, values, shared)
                tick()

            run_tasks(row, range(len(self.many) - 1), 1 if self.pair.few else jobs)

    def _diagonal(self, k: int) -> None:
        if self.scoring.unit is not None and self.many.complete:
            self.matrix[k, k] = 0.0
            return
        sizes = self.many.sizes(k)
        self._set(k, k, (self.scoring.itself(sizes),) * 2, int(sizes.sum()))

    def _set(self, i: int, j: int, values: Any, shared: int) -> None:
        self.matrix[i, j], self.matrix[j, i] = values
        if self.counts is not None:
            self.counts[i, j] = self.counts[j, i] = shared

    def _told(
        self,
        rows: NDArray[np.int64],
        cols: NDArray[np.int64],
        nats: NDArray[np.float64],
        sums: NDArray[np.int64],
        told: NDArray[np.bool_],
    ) -> None:
        """Take the sums of a block of pairs."""
        at = np.nonzero(told)
        i, j = rows[at[0]], cols[at[1]]
        shared = sums[..., 0][at]
        if not shared.all():
            where = int(np.flatnonzero(shared == 0)[0])
            raise no_common(self.many, int(i[where]), int(j[where]))
        if self.counts is not None:
            self.counts[i, j] = self.counts[j, i] = shared
        if self.scoring.unit is not None:
            self.matrix[i, j] = self.matrix[j, i] = nats[at] * self.scoring.unit
            return
        for one, other, part in zip(i.tolist(), j.tolist(), sums[at].tolist(), strict=True):
            self.matrix[one, other], self.matrix[other, one] = self.pair.from_sums(
                one, other, 0.0, part
            )

    def result(self) -> Distances:
        """The finished matrix."""
        counts = self.counts
        if counts is None:
            counts = np.broadcast_to(np.int64(self.many.n), self.matrix.shape)
        return Distances(
            self.many.names,
            self.matrix,
            counts,
            self.scoring.record,
            self.scoring.parameters,
            dict(self.scoring.undefined),
        )
