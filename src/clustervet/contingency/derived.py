"""What measures share about a table: sizes, pairs, entropies, largest cells, matching.

Each is computed when first asked for, and once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from operator import floordiv, truediv
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from clustervet._exact import CellSums, Peaks, Plain, sum_squares
from clustervet.contingency import sums
from clustervet.contingency.cells import Cells, margins
from clustervet.contingency.matching import match
from clustervet.errors import TableError
from clustervet.labels import ABSENT, plain_label
from clustervet.labels.codes import Names

Number = int | float | Fraction


class Table:
    """A finished table, which measures read as it is."""

    @property
    def absent(self) -> tuple[int | None, int | None]:
        """The row of objects that no class has, and the column of those that no cluster has."""
        return None, None

    @property
    def partial(self) -> bool:
        """Whether some objects are in one of the clusterings alone."""
        return self.absent != (None, None)


class SizedTable(Table):
    """A table that knows how many of its classes and clusters have each size."""

    def over_sizes(self, term: Callable[[Any, int], float], *, of_clusters: bool) -> float:
        """Return the sum of a term of each cluster's (or class's) size and the number of classes.

        Parameters
        ----------
        term : callable
            A function of a size and of the number of classes.
        of_clusters : bool
            Whether the sizes are those of clusters.

        Returns
        -------
        float
            The sum.

        Examples
        --------
        >>> import clustervet as cv
        >>> table = cv.Contingency.from_counts([[4, 3], [5, 1]])
        >>> table.over_sizes(lambda size, kinds: size * kinds, of_clusters=True)
        26.0
        """
        kinds = sum(self._counted_sizes(of_clusters=False).values())
        sizes = self._counted_sizes(of_clusters)
        return math.fsum(count * term(size, kinds) for size, count in sizes.items())

    def _counted_sizes(self, of_clusters: bool) -> Mapping[int, int]:
        """How many clusters, or classes, have each size."""
        raise NotImplementedError


class Pairs(NamedTuple):
    """Pairs of objects by whether class and cluster put them together (Meilă 2007, §2.1).

    In Dom's (2001, eqs. 2-5) notation n11, n10, n01, n00 are a00, a01, a10, a11.

    Parameters
    ----------
    n11 : int, float or Fraction
        Pairs in the same class and the same cluster.
    n10 : int, float or Fraction
        Pairs in the same class and different clusters.
    n01 : int, float or Fraction
        Pairs in different classes and the same cluster.
    n00 : int, float or Fraction
        Pairs in different classes and different clusters.

    Examples
    --------
    >>> import clustervet as cv
    >>> pairs = cv.Contingency.from_labels(["a", "a", "b", "b"], [0, 0, 0, 1]).pairs
    >>> pairs
    Pairs(n11=1, n10=1, n01=2, n00=2)
    >>> pairs.total, pairs.same_class, pairs.same_cluster
    (6, 2, 3)
    """

    n11: Number  # same class, same cluster
    n10: Number  # same class, different clusters
    n01: Number  # different classes, same cluster
    n00: Number  # different classes, different clusters

    @property
    def total(self) -> Number:
        """All pairs."""
        return self.n11 + self.n10 + self.n01 + self.n00

    @property
    def same_class(self) -> Number:
        """Pairs in one class (Dom 2001, eq. 6)."""
        return self.n11 + self.n10

    @property
    def same_cluster(self) -> Number:
        """Pairs in one cluster (Dom 2001, eq. 7)."""
        return self.n11 + self.n01


def count_pairs(cells: Number, classes: Number, clusters: Number, n: Number) -> Pairs:
    """Pairs from the sums of squares of cells and of both margins, each of x (x - 1) / 2."""
    halve = floordiv if isinstance(n, int) else truediv
    both = halve(cells - n, 2)
    # Rounded sums of very many real weights must not turn a count of pairs negative.
    apart, together = max(halve(classes - n, 2) - both, 0), max(halve(clusters - n, 2) - both, 0)
    return Pairs(both, apart, together, halve(n * n - n, 2) - both - apart - together)


class Entropies(NamedTuple):
    """Entropies of the table in nats, each a sum of positive terms."""

    classes: float
    clusters: float
    classes_given_clusters: float
    clusters_given_classes: float
    mutual: float

    @property
    def joint(self) -> float:
        """Entropy of class and cluster together."""
        return self.clusters + self.classes_given_clusters


class Sides(NamedTuple):
    """The cells of the objects that both clusterings have, and all sets of each clustering."""

    x: NDArray[Any]  # objects of a cell; 0 where only one of the clusterings has them
    a: NDArray[Any]  # size of its class
    b: NDArray[Any]  # size of its cluster
    classes: NDArray[Any]  # sizes of the classes
    clusters: NDArray[Any]  # sizes of the clusters


def _plain_names(names: Names) -> list[Any]:
    """Names as plain Python values."""
    if isinstance(names, np.ndarray) and names.dtype.kind in "iuU":
        plain: list[Any] = names.tolist()
        return plain
    return [plain_label(name) for name in names]


def _absent_place(names: Names) -> int | None:
    """The place of the objects that a clustering does not have; None if it has all."""
    if isinstance(names, np.ndarray):
        return None
    return next((k for k, name in enumerate(names) if name is ABSENT), None)


class TableSums(SizedTable):
    """The cells of a table, their names, and everything that follows from them."""

    def __init__(self, cells: Cells, class_names: Names, cluster_names: Names) -> None:
        self.__dict__.update(_cells=cells, _class_names=class_names, _cluster_names=cluster_names)
        for array in (cells.indptr, cells.cols, cells.values):
            array.flags.writeable = False

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a table never changes; {name} cannot be set.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a table never changes; {name} cannot be deleted.")

    _class_names: Names
    _cluster_names: Names

    @classmethod
    def _of_plain(cls, plain: Plain, class_names: Names, cluster_names: Names) -> Self:
        """Make a table of few counts, whose arrays are made on demand."""
        table = cls.__new__(cls)
        table.__dict__.update(
            _class_names=class_names,
            _cluster_names=cluster_names,
            plain=plain,
            n=plain.n,
            exact_n=plain.n,
            is_whole=True,
            absent=(None, None),
            identical=len(plain.values) == len(class_names) == len(cluster_names),
        )
        return table

    @cached_property
    def _cells(self) -> Cells:
        """The cells of a table that was made of plain numbers."""
        plain = self.__dict__["plain"]
        indptr = np.concatenate([[0], np.cumsum(np.bincount(plain.rows))])
        cells = Cells(indptr, np.array(plain.cols, np.int32), np.array(plain.values, np.int64))
        for array in (cells.indptr, cells.cols, cells.values):
            array.flags.writeable = False
        return cells

    @property
    def cells(self) -> Cells:
        """The non-empty cells in compressed rows."""
        return self._cells

    @property
    def class_names(self) -> list[Any]:
        """The classes' labels, in the order of the rows."""
        return _plain_names(self._class_names)

    @property
    def cluster_names(self) -> list[Any]:
        """The clusters' labels, in the order of the columns."""
        return _plain_names(self._cluster_names)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of classes and number of clusters, none of them empty."""
        return len(self._class_names), len(self._cluster_names)

    @property
    def counts(self) -> Any:
        """The counts as a scipy `csr_array`, or an object matrix where int64 would overflow."""
        if self._cells.values.dtype == object:
            matrix = np.zeros(self.shape, object)
            matrix[self._cells.rows, self._cells.cols] = self._cells.values
            return matrix
        from scipy.sparse import csr_array

        return csr_array(
            (self._cells.values, self._cells.cols, self._cells.indptr), shape=self.shape
        )

    @cached_property
    def _margins(self) -> tuple[NDArray[Any], NDArray[Any]]:
        rows, cols = margins(self._cells, len(self._cluster_names))
        rows.flags.writeable = cols.flags.writeable = False
        return rows, cols

    @property
    def class_sizes(self) -> NDArray[Any]:
        """Objects in each class."""
        return self._margins[0]

    @property
    def cluster_sizes(self) -> NDArray[Any]:
        """Objects in each cluster."""
        return self._margins[1]

    @cached_property
    def n(self) -> int | float:
        """Number (or total weight) of objects."""
        values = self._cells.values
        if values.dtype == np.float64:
            return math.fsum(values.tolist())
        return int(values.sum())

    @cached_property
    def is_whole(self) -> bool:
        """Whether the table counts objects, rather than real weights."""
        return self._cells.values.dtype != np.float64

    @cached_property
    def absent(self) -> tuple[int | None, int | None]:
        """The row of objects that no class has, and the column of those that no cluster has."""
        row, column = map(_absent_place, (self._class_names, self._cluster_names))
        return row, column

    @cached_property
    def identical(self) -> bool:
        """Whether both clusterings are the same partition, whatever the names."""
        return not self.partial and len(self._cells.values) == self.shape[0] == self.shape[1]

    @cached_property
    def plain(self) -> Plain | None:
        """The table as Python ints, where its sums are taken that way."""
        return sums.as_plain(self._cells) if sums.needs_plain(self._cells.values) else None

    @cached_property
    def exact_pairs(self) -> Pairs:
        """Pair counts without rounding: ints, or fractions for real weights."""
        return count_pairs(*self._squares, self.exact_n)

    @cached_property
    def _squares(self) -> tuple[int | Fraction, int | Fraction, int | Fraction]:
        """Sums of squares of the cells and of both margins."""
        if self.plain is not None:
            unit = 1 if self.is_whole else self.plain.unit**2
            return (
                sum_squares(self.plain.values) * unit,
                sum_squares(self.plain.class_sizes) * unit,
                sum_squares(self.plain.cluster_sizes) * unit,
            )
        return (
            sums.sum_squares(self._cells.values),
            sums.sum_squares(self.class_sizes),
            sums.sum_squares(self.cluster_sizes),
        )

    @property
    def pairs(self) -> Pairs:
        """How many pairs of objects class and cluster put together or apart."""
        return Pairs(*(x if isinstance(x, int) else float(x) for x in self.exact_pairs))

    @cached_property
    def cell_sums(self) -> CellSums:
        """The sums over cells that measures share."""
        return sums.cell_sums(self)

    @cached_property
    def entropies(self) -> Entropies:
        """Entropies and mutual information in nats."""
        return Entropies(
            sums.entropy(self, self.class_sizes, "class_sizes"),
            sums.entropy(self, self.cluster_sizes, "cluster_sizes"),
            *self.cell_sums[:3],
        )

    @cached_property
    def expected_mutual_information(self) -> float:
        """Mean mutual information in nats over all tables with these margins."""
        if not self.is_whole:
            raise TableError("expected mutual information needs whole counts, not real weights.")
        if max(self.shape) == self.n:
            return self.entropies.mutual  # with one side all singletons every table shares as much
        return sums.expected_information(self)

    @cached_property
    def peaks(self) -> Peaks:
        """The largest cell of every class and every cluster."""
        return sums.peaks(self)

    @cached_property
    def exact_n(self) -> int | Fraction:
        """The number of objects without rounding."""
        return sums.exact_sum(self._cells.values)

    @property
    def class_peak_sum(self) -> int | Fraction:
        """Objects that lie in their class's largest cell."""
        if self.partial:
            return self._shared_peaks(self._cells.rows, self.shape[0])
        return self._peak_sum(self.peaks.class_peaks)

    @property
    def cluster_peak_sum(self) -> int | Fraction:
        """Objects that lie in their cluster's largest cell."""
        if self.partial:
            return self._shared_peaks(self._cells.cols, self.shape[1])
        return self._peak_sum(self.peaks.cluster_peaks)

    @property
    def largest_class(self) -> int | Fraction:
        """Objects of the largest class."""
        largest = self.class_sizes.max() if self.plain is None else max(self.plain.class_sizes)
        return self._peak_sum([largest])

    @property
    def class_impurity(self) -> float:
        """The chance that two draws with replacement differ in class."""
        square = self.exact_n**2
        return float((square - self._squares[1]) / square)

    @property
    def class_overlap_sum(self) -> float:
        """Sum over classes of the largest 2x / (a + b) of a cell x with class a and cluster b."""
        return math.fsum(self.peaks.class_overlaps)

    def _counted_sizes(self, of_clusters: bool) -> Mapping[int, int]:
        return Counter((self.cluster_sizes if of_clusters else self.class_sizes).tolist())

    def _shared_peaks(self, lines: NDArray[Any], count: int) -> int | Fraction:
        """The sum of the largest cells of rows or columns, of objects that both sides have."""
        peaks = np.zeros(count, self.sides.x.dtype)
        np.maximum.at(peaks, lines, self.sides.x)
        return sums.exact_sum(peaks)

    def _peak_sum(self, peaks: Sequence[int]) -> int | Fraction:
        if self.plain is not None:
            return sum(peaks) * (1 if self.is_whole else self.plain.unit)
        return sums.exact_sum(np.asarray(peaks))

    @property
    def matched(self) -> int | Fraction:
        """Objects that lie in the cells of the best one-to-one matching."""
        return sums.exact_sum((self.sides.x if self.partial else self._cells.values)[self.match()])

    def match(self, weights: NDArray[Any] | None = None) -> NDArray[np.int64]:
        """Return the one-to-one matching of classes and clusters with the largest total.

        Parameters
        ----------
        weights : ndarray, optional
            One weight per non-empty cell; the counts by default.

        Returns
        -------
        ndarray of int64
            The positions of the matched cells in `cells`.

        Notes
        -----
        The matching is exact for whole weights (the assignment problem, Kuhn 1955).

        Examples
        --------
        >>> import clustervet as cv
        >>> table = cv.Contingency.from_counts([[4, 3], [5, 1]])
        >>> chosen = table.match()
        >>> table.cells.cols[chosen].tolist(), table.cells.values[chosen].tolist()
        ([1, 0], [3, 5])
        """
        return self._matching if weights is None else match(self, weights)

    @cached_property
    def _matching(self) -> NDArray[np.int64]:
        return match(self, self.sides.x if self.partial else self._cells.values)

    @cached_property
    def matched_overlap(self) -> float:
        """The largest sum of 2x / (a + b) over one-to-one matchings of classes and clusters."""
        x, a, b, *_ = self.sides
        overlaps = np.asarray(2 * x / (a + b), np.float64)
        return math.fsum(overlaps[self.match(overlaps)].tolist())

    @cached_property
    def sides(self) -> Sides:
        """The table where objects may be in one of the clusterings alone."""
        rows, cols, x = self._cells.rows, self._cells.cols, self._cells.values
        classes, clusters = self._margins
        row, col = self.absent
        a, b = classes[rows], clusters[cols]
        if row is not None:
            x, classes = np.where(rows == row, 0, x), np.delete(classes, row)
        if col is not None:
            x, clusters = np.where(cols == col, 0, x), np.delete(clusters, col)
        return Sides(x, a, b, classes, clusters)

    @property
    def shared_pairs(self) -> Pairs:
        """Pairs of objects that both clusterings have, without rounding."""
        if not self.partial:
            return self.exact_pairs
        both = Cells(self._cells.indptr, self._cells.cols, self.sides.x)
        squares = [sums.sum_squares(x) for x in (both.values, *margins(both, self.shape[1]))]
        return count_pairs(squares[0], squares[1], squares[2], sums.exact_sum(both.values))
