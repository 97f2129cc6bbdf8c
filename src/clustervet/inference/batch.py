"""Many tables of equally many objects, as arrays of the sums that measures read.

A formula that takes arrays has all values in one call; any other is asked for one table after the
other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._exact import CellSums
from clustervet.contingency import Contingency, Pairs
from clustervet.contingency.derived import Entropies, Table
from clustervet.registry import Measure

# Objects beyond which single ones are lost in rounding, and squares of counts overflow.
ROUNDED = 10**8

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
# Of classes, of clusters and of cells.
Three = tuple[Any, Any, Any]


class Batch(Table):
    """What follows from the sums of many tables: arrays with one item per table.

    There are `left` objects in each table. `scaled` tables are read as distributions over `n`
    objects, as `Contingency.as_population` does for one.
    """

    is_whole = True
    scaled = False
    n: int
    left: int

    @property
    def exact_n(self) -> int:
        """Number of objects."""
        return self.n

    @cached_property
    def shape(self) -> tuple[Counts, Counts]:
        """Number of classes and of clusters that are not empty."""
        raise NotImplementedError

    @cached_property
    def filled(self) -> Counts:
        """Number of cells that are not empty."""
        raise NotImplementedError

    @cached_property
    def squares(self) -> Three:
        """Sums of squares."""
        raise NotImplementedError

    @cached_property
    def logs(self) -> Three:
        """Sums of x log x."""
        raise NotImplementedError

    @cached_property
    def agreements(self) -> Three:
        """Sums of x^2 / b, x^2 / a and x^2 / max(a, b) over the cells, per object."""
        raise NotImplementedError

    @cached_property
    def identical(self) -> NDArray[np.bool_]:
        """Whether classes and clusters are the same partition."""
        return np.asarray((self.filled == self.shape[0]) & (self.filled == self.shape[1]))

    @cached_property
    def exact_pairs(self) -> Pairs:
        """Pair counts, or those expected in `n` draws."""
        if self.scaled:
            same = [sums * (self.n / (2 * self.left)) for sums in self.squares]
            total = self.n * (self.n - 1) / 2
        else:
            same = [((sums - self.n) // 2).astype(object) for sums in self.squares]
            total = (self.n * self.n - self.n) // 2
        classes, clusters, both = same
        return Pairs._make(
            (both, classes - both, clusters - both, total - classes - clusters + both)
        )

    @cached_property
    def entropies(self) -> Entropies:
        """Entropies and mutual information in nats."""
        classes, clusters, joint = (math.log(self.left) - sums / self.left for sums in self.logs)
        height, width = self.shape
        # What must be nothing: of one class or cluster, and where one side determines the other.
        classes, clusters = np.where(height > 1, classes, 0.0), np.where(width > 1, clusters, 0.0)
        given_clusters = np.where(self.filled > width, joint - clusters, 0.0)
        given_classes = np.where(self.filled > height, joint - classes, 0.0)
        found = (classes, clusters, given_clusters, given_classes, classes - given_clusters)
        return Entropies._make(np.maximum(part, 0.0) for part in found)

    @cached_property
    def cell_sums(self) -> CellSums:
        """The sums over cells that measures share."""
        confusion = [np.maximum(1 - part, 0.0) for part in self.agreements[:2]]
        return CellSums._make((*self.entropies[2:5], *self.agreements, *confusion))

    @cached_property
    def class_impurity(self) -> Floats:
        """The chance that two draws with replacement differ in class."""
        return np.asarray((self.left**2 - self.squares[0]) / self.left**2)

    def read(self, counts: Counts) -> Any:
        """Counts among as many objects as the tables are read as."""
        return counts * (self.n / self.left) if self.scaled else counts.astype(object)


class Drawn(Batch):
    """Tables with the cells of one table and other counts: one row of counts per table."""

    def __init__(self, table: Contingency, counts: Counts) -> None:
        cells = table.cells
        self.table, self.counts = table, counts
        self.rows, self.cols = cells.rows, cells.cols
        self.starts = cells.indptr[:-1]
        self.order = np.argsort(cells.cols, kind="stable")
        self.firsts = np.searchsorted(cells.cols[self.order], np.arange(table.shape[1]))
        self.n = self.left = int(counts[0].sum())

    def by_class(self, over: np.ufunc, values: NDArray[Any]) -> NDArray[Any]:
        """Values of cells taken together by class: one row per table."""
        return np.asarray(over.reduceat(values, self.starts, axis=1))

    def by_cluster(self, over: np.ufunc, values: NDArray[Any]) -> NDArray[Any]:
        """Values of cells taken together by cluster: one row per table."""
        return np.asarray(over.reduceat(values[:, self.order], self.firsts, axis=1))

    @cached_property
    def sizes(self) -> tuple[Counts, Counts, Counts]:
        """Objects of classes, of clusters and of cells."""
        return (
            self.by_class(np.add, self.counts),
            self.by_cluster(np.add, self.counts),
            self.counts,
        )

    @cached_property
    def shape(self) -> tuple[Counts, Counts]:
        """Number of classes and of clusters that are not empty."""
        height, width = (np.count_nonzero(sizes, axis=1) for sizes in self.sizes[:2])
        return height, width

    @cached_property
    def filled(self) -> Counts:
        """Number of cells that are not empty."""
        return np.asarray(np.count_nonzero(self.counts, axis=1))

    @cached_property
    def squares(self) -> Three:
        """Sums of squares."""
        classes, clusters, cells = (np.einsum("ij,ij->i", part, part) for part in self.sizes)
        return classes, clusters, cells

    @cached_property
    def logs(self) -> Three:
        """Sums of x log x."""
        classes, clusters, cells = (times_log(part).sum(axis=1) for part in self.sizes)
        return classes, clusters, cells

    @cached_property
    def _own_sizes(self) -> tuple[Counts, Counts]:
        """Class and cluster of each cell: at least 1, so that an empty one can divide nothing."""
        classes, clusters, _ = self.sizes
        return np.maximum(classes[:, self.rows], 1), np.maximum(clusters[:, self.cols], 1)

    @cached_property
    def agreements(self) -> Three:
        """Sums of x^2 / b, x^2 / a and x^2 / max(a, b) over the cells, per object."""
        squares = self.counts.astype(np.float64) ** 2
        a, b = self._own_sizes
        found = [(squares / by).sum(axis=1) / self.n for by in (b, a, np.maximum(a, b))]
        return found[0], found[1], found[2]

    @cached_property
    def class_peak_sum(self) -> Any:
        """Objects in the largest cells of their classes."""
        return self.read(self.by_class(np.maximum, self.counts).sum(axis=1))

    @cached_property
    def cluster_peak_sum(self) -> Any:
        """Objects in the largest cells of their clusters."""
        return self.read(self.by_cluster(np.maximum, self.counts).sum(axis=1))

    @cached_property
    def class_overlap_sum(self) -> Floats:
        """Sum over classes of the largest 2x / (a + b)."""
        a, b = self._own_sizes
        return np.asarray(self.by_class(np.maximum, 2.0 * self.counts / (a + b)).sum(axis=1))

    @cached_property
    def largest_class(self) -> Any:
        """Objects of the largest class."""
        return self.read(self.sizes[0].max(axis=1))

    @cached_property
    def matched(self) -> Any:
        """Objects in the cells of the best matching."""
        return np.array([self.table.with_values(row).matched for row in self.counts], object)

    @cached_property
    def expected_mutual_information(self) -> Floats:
        """Mean mutual information in nats over all tables with the same sizes."""
        margins = np.hstack([np.sort(part, axis=1) for part in self.sizes[:2]])
        _, firsts, places = np.unique(margins, axis=0, return_index=True, return_inverse=True)
        tables = map(self.table.with_values, self.counts[firsts])
        found = np.array([table.expected_mutual_information for table in tables])[places.ravel()]
        alone = (self.shape[0] == self.n) | (self.shape[1] == self.n)
        return np.where(alone, self.entropies.mutual, found)

    def over_sizes(self, term: Callable[[Any, int], float], *, of_clusters: bool) -> Floats:
        """Sum a term of the sizes of clusters, or of classes, and of the number of classes."""
        found = np.empty(len(self.counts))
        for kinds in np.unique(self.shape[0]).tolist():
            mine = self.shape[0] == kinds
            sizes, places = np.unique(self.sizes[of_clusters][mine], return_inverse=True)
            terms = np.array([term(size, kinds) if size else 0.0 for size in sizes.tolist()])
            found[mine] = terms[places].reshape(np.count_nonzero(mine), -1).sum(axis=1)
        return found


def times_log(counts: Counts) -> Floats:
    """Return x log x, which is 0 for no objects."""
    return np.asarray(counts * np.log(np.maximum(counts, 1)))


def scores(
    table: Contingency,
    measured: Sequence[tuple[Measure, dict[str, Any]]],
    counts: Counts,
    tick: Callable[[], None],
) -> Floats:
    """Values of measures, with parameters, of tables with the cells of one table.

    Each table is a row of `counts` and a row of the answer. `tick` is called after each; an error
    that it raises ends the work.
    """
    values = np.empty((len(counts), len(measured)))
    batch = Drawn(table, counts)
    singly = []
    for k, (record, own) in enumerate(measured):
        if record.arrays and 1 < batch.n <= ROUNDED and not table.partial:
            values[:, k] = record.evaluate_all(batch, **own)
        else:
            singly.append((k, record, own))
    for row, drawn in zip(values, counts, strict=True):
        each = table.with_values(drawn) if singly else None
        for k, record, own in singly:
            row[k] = record.evaluate(each, **own).value
        tick()
    return values
