"""Every table that lacks one object of a table, as arrays of the sums that measures read.

Without one object of a cell of x objects, in a class of a and a cluster of b objects, x, a, b and n
are one less, and so the sums over cells, classes and clusters change by terms that are known once
per cell, row or column. All tables together cost about as much as one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency import Contingency
from clustervet.contingency.sums import expected_matrix
from clustervet.inference.batch import Batch, Counts, Floats, Three, times_log


class LeftOut(Batch):
    """The tables that lack one object of the chosen cells of a table of whole counts.

    `scaled` tables are read as distributions over as many objects as the whole table has.
    """

    def __init__(self, table: Contingency, chosen: Counts, *, scaled: bool) -> None:
        cells = table.cells
        self.table, self.chosen, self.scaled = table, chosen, scaled
        # Of all cells, and of those that lose an object.
        self.all_rows, self.all_cols, self.values = cells.rows, cells.cols, cells.values
        self.rows, self.cols, self.x = (
            side[chosen] for side in (self.all_rows, self.all_cols, self.values)
        )
        self.class_sizes, self.cluster_sizes = table.class_sizes, table.cluster_sizes
        self.a, self.b = self.class_sizes[self.rows], self.cluster_sizes[self.cols]
        self.left = int(table.n) - 1
        self.n = self.left + scaled
        self._sizes: list[tuple[Counts, Counts]] = [
            (self.class_sizes, self.a),
            (self.cluster_sizes, self.b),
            (self.values, self.x),
        ]

    @cached_property
    def shape(self) -> tuple[Counts, Counts]:
        """Number of classes and of clusters that are not empty."""
        height, width = self.table.shape
        return height - (self.a == 1), width - (self.b == 1)

    @cached_property
    def filled(self) -> Counts:
        """Number of cells that are not empty."""
        return np.asarray(len(self.values) - (self.x == 1))

    @cached_property
    def squares(self) -> Three:
        """Sums of squares."""
        classes, clusters, cells = (int(sizes @ sizes) - 2 * own + 1 for sizes, own in self._sizes)
        return classes, clusters, cells

    @cached_property
    def logs(self) -> Three:
        """Sums of x log x."""
        classes, clusters, cells = (
            math.fsum(times_log(sizes)) + (times_log(own - 1) - times_log(own))
            for sizes, own in self._sizes
        )
        return classes, clusters, cells

    @cached_property
    def expected_mutual_information(self) -> Floats:
        """Mean mutual information in nats over all tables with the same sizes.

        It is a sum over pairs of a class and a cluster, of which one row and one column change.
        """
        sides = []
        for sizes, own in self._sizes[:2]:
            distinct, counts = np.unique(sizes, return_counts=True)
            needed = np.union1d(distinct, distinct - 1)
            needed = needed[needed > 0]
            times = np.zeros(len(needed))
            times[np.searchsorted(needed, distinct)] = counts
            less = np.where(own > 1, np.searchsorted(needed, own - 1), -1)
            sides.append((needed, times, np.searchsorted(needed, own), less))
        (classes, heights, i, i_less), (clusters, widths, j, j_less) = sides
        # The last row and column are for classes and clusters of which nothing is left.
        terms = np.zeros((len(classes) + 1, len(clusters) + 1))
        terms[:-1, :-1] = expected_matrix(classes, clusters, self.left)
        by_class, by_cluster = terms[:, :-1] @ widths, heights @ terms[:-1]
        found = by_class[i_less] - by_class[i] + by_cluster[j_less] - by_cluster[j]
        found += heights @ by_class[:-1]
        found += terms[i, j] - terms[i_less, j] - terms[i, j_less] + terms[i_less, j_less]
        alone = (self.shape[0] == self.left) | (self.shape[1] == self.left)
        return np.where(alone, self.entropies.mutual, found)

    @cached_property
    def agreements(self) -> Three:
        """Sums of x^2 / b, x^2 / a and x^2 / max(a, b) over the cells, per object."""
        squares = self.values.astype(np.float64) ** 2
        found = []
        for places, mine, (sizes, own) in (
            (self.all_cols, self.cols, self._sizes[1]),
            (self.all_rows, self.rows, self._sizes[0]),
        ):
            inner = np.bincount(places, squares, minlength=len(sizes))
            rest = _divided(inner[mine] - (2 * self.x - 1), own - 1)
            found.append((math.fsum(inner / sizes) - inner[mine] / own + rest) / self.left)
        return found[0], found[1], self._element_agreement(squares)

    def _element_agreement(self, squares: Floats) -> Floats:
        """Sum of x^2 / max(a, b): a size divides the cells whose other size is not larger."""
        a, b = self.class_sizes[self.all_rows], self.cluster_sizes[self.all_cols]
        by_class = np.bincount(self.all_rows, np.where(a > b, squares, 0.0))[self.rows]
        by_cluster = np.bincount(self.all_cols, np.where(b > a, squares, 0.0))[self.cols]
        total = math.fsum(squares / np.maximum(a, b))
        a, b, own = self.a, self.b, squares[self.chosen]
        larger = np.maximum(a, b)
        found = (
            total
            + _divided(by_class - own * (a > b), a * (a - 1))  # 1 / (a - 1) - 1 / a
            + _divided(by_cluster - own * (b > a), b * (b - 1))
            + _divided((self.x - 1.0) ** 2, larger - 1)
            - own / larger
        )
        return np.asarray(found / self.left)

    @cached_property
    def class_peak_sum(self) -> Any:
        """Objects in the largest cells of their classes."""
        return self._peak_sum(self.all_rows, self.rows)

    @cached_property
    def cluster_peak_sum(self) -> Any:
        """Objects in the largest cells of their clusters."""
        return self._peak_sum(self.all_cols, self.cols)

    def _peak_sum(self, places: Counts, mine: Counts) -> Any:
        """The sum of the largest cells: less by one without an object of the only largest cell."""
        peaks = np.zeros(int(places.max()) + 1, np.int64)
        np.maximum.at(peaks, places, self.values)
        holders = np.bincount(places, self.values == peaks[places])
        alone = (self.x == peaks[mine]) & (holders[mine] == 1)
        return self.read(int(peaks.sum()) - alone)

    @cached_property
    def class_overlap_sum(self) -> Floats:
        """Sum over classes of the largest 2x / (a + b)."""
        rows, twice = self.all_rows, 2.0 * self.values
        both = self.class_sizes[rows] + self.cluster_sizes[self.all_cols]
        peaks = np.zeros(len(self.class_sizes))
        np.maximum.at(peaks, rows, twice / both)
        # In a smaller class: the cell with the largest overlap, and the next one.
        smaller = twice / (both - 1)
        order = np.lexsort((smaller, rows))
        first = order[np.cumsum(np.bincount(rows)) - 1]
        without = smaller.copy()
        without[first] = 0.0
        second = np.zeros(len(peaks))
        np.maximum.at(second, rows, without)
        mine = first[self.rows]
        others = np.where(mine == self.chosen, second[self.rows], smaller[mine])
        own = _divided(2.0 * (self.x - 1), self.a + self.b - 2)
        # In a smaller cluster: what other classes gain.
        gains = np.maximum(smaller - peaks[rows], 0.0)
        gained = np.bincount(self.all_cols, gains)[self.cols] - gains[self.chosen]
        found = math.fsum(peaks) - peaks[self.rows] + np.maximum(others, own) + gained
        return np.asarray(found)

    @cached_property
    def largest_class(self) -> Any:
        """Objects of the largest class."""
        most = int(self.class_sizes.max())
        alone = (self.a == most) & (np.count_nonzero(self.class_sizes == most) == 1)
        return self.read(most - alone)

    @cached_property
    def matched(self) -> Any:
        """Objects in the cells of the best matching: the same if the cell is not one of them."""
        pairs = self.table.match()
        found = np.full(len(self.chosen), int(self.values[pairs].sum()))
        for k in np.flatnonzero(np.isin(self.chosen, pairs)):
            fewer = self.values.copy()
            fewer[self.chosen[k]] -= 1
            found[k] = int(self.table.with_values(fewer).matched)
        return self.read(found)

    def over_sizes(self, term: Callable[[Any, int], float], *, of_clusters: bool) -> Floats:
        """Sum a term of the sizes of clusters, or of classes, and of the number of classes."""
        sizes, own = self._sizes[of_clusters]
        scale = self.n / self.left
        distinct, counts = np.unique(sizes, return_counts=True)
        place = np.searchsorted(distinct, own)
        found = np.empty(len(own))
        for kinds in np.unique(self.shape[0]).tolist():
            now, less = (
                np.array([term(size * scale, kinds) if size else 0.0 for size in part])
                for part in (distinct.tolist(), (distinct - 1).tolist())
            )
            whole = math.fsum(counts * now) + (less - now)[place]
            np.copyto(found, whole, where=self.shape[0] == kinds)
        return found


def _divided(parts: NDArray[Any], wholes: Counts) -> Floats:
    """Return parts / wholes, and 0 for nothing."""
    return np.where(wholes > 0, parts / np.maximum(wholes, 1), 0.0)
