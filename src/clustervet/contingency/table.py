"""`Contingency`: the sparse table of two clusterings and the sums that measures share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clustervet._exact import CellSums, Peaks, Plain, sum_squares
from clustervet.contingency import show, sums
from clustervet.contingency.build import build_cells, ordered_names
from clustervet.contingency.cells import Cells, group_cells, margins, squeeze, transpose
from clustervet.contingency.count import count_labels
from clustervet.contingency.frame import Backend, to_frame
from clustervet.contingency.matching import match
from clustervet.contingency.pairs import Pairs, count_pairs
from clustervet.errors import ParameterError, TableError
from clustervet.labels import encode_pair, plain_label
from clustervet.labels.codes import Names
from clustervet.labels.pair import Missing, NoisePolicy
from clustervet.registry import Measure, register_door


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


class Contingency:
    """How many objects of each class fall into each cluster: rows are classes.

    Only non-empty cells are held. Make one with `from_labels` or `from_counts`; it never
    changes afterwards, and what measures share (pairs, entropies, matching) is computed once.

    >>> table = Contingency.from_labels(["a", "a", "b", "b"], [0, 0, 0, 1])
    >>> table
    Contingency of 4 objects: 2 classes x 2 clusters, 3 non-empty cells
           0  1  total
        a  2  .      2
        b  1  1      2
    total  3  1      4
    >>> table.pairs
    Pairs(n11=1, n10=1, n01=2, n00=2)
    """

    def __init__(self, cells: Cells, class_names: Names, cluster_names: Names) -> None:
        self.__dict__.update(_cells=cells, _class_names=class_names, _cluster_names=cluster_names)
        for array in (cells.indptr, cells.cols, cells.values):
            array.flags.writeable = False

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a table never changes; {name} cannot be set.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a table never changes; {name} cannot be deleted.")

    _cells: Cells
    _class_names: Names
    _cluster_names: Names

    @classmethod
    def from_labels(
        cls,
        truth: Any,
        pred: Any,
        *,
        weights: ArrayLike | None = None,
        noise: Any = None,
        noise_policy: NoisePolicy | None = None,
        missing: Missing = "raise",
    ) -> Contingency:
        """Count two labelings of the same objects, truth first.

        `missing` says what None, NaN and NA do: "raise", "drop" the object, or be a "class".
        `noise` is a policy for the label -1 ("keep", "drop" or "singletons"), or
        {label: policy} for other labels.

        >>> Contingency.from_labels([1, 1, 2, 2], [0, 0, -1, -1], noise="singletons").shape
        (2, 3)
        """
        codes = encode_pair(
            truth, pred, weights=weights, noise=noise, noise_policy=noise_policy, missing=missing
        )
        cells, rows, cols = count_labels(*codes)
        return cls(cells, codes[0].restore(rows), codes[1].restore(cols))

    @classmethod
    def from_counts(
        cls,
        counts: Any,
        *,
        class_names: Sequence[Any] | None = None,
        cluster_names: Sequence[Any] | None = None,
    ) -> Contingency:
        """Take finished counts: rows are classes, columns are clusters.

        `counts` is a matrix, a scipy sparse matrix, a crosstab frame, or a mapping from
        (class, cluster) to count; Python ints of any size, or real weights.

        >>> Contingency.from_counts({("a", 0): 10**20, ("b", 0): 1}).n
        100000000000000000001
        """
        return cls(*build_cells(counts, class_names, cluster_names))

    def with_values(self, values: NDArray[Any]) -> Contingency:
        """A table of the same cells with other whole counts; empty classes and clusters go."""
        kept = np.flatnonzero(values)
        rows, cols = self._cells.rows[kept], self._cells.cols[kept]
        starts = np.searchsorted(rows, np.arange(len(self._class_names) + 1))
        cells, used_rows, used_cols = squeeze(Cells(starts, cols, values[kept]))
        table = Contingency(cells, used_rows, used_cols)
        table.__dict__["plain"] = None  # many such tables are made: compiled loops pay
        return table

    def as_population(self, n: float | None = None) -> Contingency:
        """The table read as a distribution: pair counts are those expected in n draws from it.

        A cell of share p holds C(n,2) p^2 pairs on average (Dom 2001, eqs. 25-30), where the
        table itself, a sample, holds x (x - 1) / 2. Another n scales the counts to it.

        >>> Contingency.from_counts([[3, 1], [1, 3]]).as_population().pairs.n11
        8.75
        """
        if n is not None and n != self.n:
            scaled = self._cells.values.astype(np.float64) * (n / float(self.n))
            resized = Cells(self._cells.indptr, self._cells.cols, scaled)
            return Contingency(resized, self._class_names, self._cluster_names).as_population()
        table = Contingency(self._cells, self._class_names, self._cluster_names)
        total = Fraction(self.exact_n)
        cells, classes, clusters = (
            Fraction(square) * (total - 1) / total + total for square in self._squares
        )
        table.__dict__["exact_pairs"] = count_pairs(cells, classes, clusters, total)
        return table

    @property
    def cells(self) -> Cells:
        """The non-empty cells in compressed rows."""
        return self._cells

    @property
    def class_names(self) -> list[Any]:
        """The classes' labels, in the order of the rows."""
        return [plain_label(name) for name in self._class_names]

    @property
    def cluster_names(self) -> list[Any]:
        """The clusters' labels, in the order of the columns."""
        return [plain_label(name) for name in self._cluster_names]

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

    @property
    def is_whole(self) -> bool:
        """Whether the table counts objects, rather than real weights."""
        return self._cells.values.dtype != np.float64

    @cached_property
    def identical(self) -> bool:
        """Whether both clusterings are the same partition, whatever the names."""
        return len(self._cells.values) == self.shape[0] == self.shape[1]

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
        return self._peak_sum(self.peaks.class_peaks)

    @property
    def cluster_peak_sum(self) -> int | Fraction:
        """Objects that lie in their cluster's largest cell."""
        return self._peak_sum(self.peaks.cluster_peaks)

    def _peak_sum(self, peaks: Sequence[int]) -> int | Fraction:
        if self.plain is not None:
            return sum(peaks) * (1 if self.is_whole else self.plain.unit)
        return sums.exact_sum(np.asarray(peaks))

    @property
    def matched(self) -> int | Fraction:
        """Objects that lie in the cells of the best one-to-one matching."""
        return sums.exact_sum(self._cells.values[self.match()])

    def match(self, weights: NDArray[Any] | None = None) -> NDArray[np.int64]:
        """Positions of the cells in a one-to-one matching of largest total count (or weight)."""
        return self._matching if weights is None else match(self, weights)

    @cached_property
    def _matching(self) -> NDArray[np.int64]:
        return match(self, self._cells.values)

    @property
    def T(self) -> Contingency:
        """The table with the roles of classes and clusters exchanged."""
        cells = transpose(self._cells, len(self._cluster_names))
        return Contingency(cells, self._cluster_names, self._class_names)

    def transpose(self) -> Contingency:
        """The table with the roles of classes and clusters exchanged."""
        return self.T

    def __add__(self, other: object) -> Contingency:
        """The table of the union of two disjoint sets of objects."""
        if not isinstance(other, Contingency):
            return NotImplemented
        names: list[list[Any]] = []
        codes: list[NDArray[np.int64]] = []
        for mine, theirs, here, there in (
            (self._class_names, other._class_names, self._cells.rows, other._cells.rows),
            (self._cluster_names, other._cluster_names, self._cells.cols, other._cells.cols),
        ):
            both = [[plain_label(name) for name in side] for side in (mine, theirs)]
            distinct, place = ordered_names([*both[0], *both[1]])
            moved = [np.array([place[name] for name in side], np.int64) for side in both]
            names.append(distinct)
            codes.append(np.concatenate([moved[0][here], moved[1][there]]))
        values = np.concatenate([self._cells.values, other._cells.values])
        if values.dtype == object and not (self.is_whole and other.is_whole):
            try:
                values = values.astype(np.float64)
            except OverflowError:
                raise TableError(
                    "a table of real weights cannot be added to one whose counts exceed any float."
                ) from None
        return Contingency(group_cells(codes[0], codes[1], values), names[0], names[1])

    def __radd__(self, other: object) -> Contingency:
        """Let `sum(tables)` work, which starts from 0."""
        return self if other == 0 and isinstance(other, int) else NotImplemented

    def __eq__(self, other: object) -> bool:
        """Same counts for the same names, in whatever order."""
        if not isinstance(other, Contingency):
            return NotImplemented
        same = self.shape == other.shape and len(self._cells.values) == len(other._cells.values)
        return same and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]  # equality is by content, which may be large

    def __len__(self) -> int:
        """Number of non-empty cells."""
        return len(self._cells.values)

    def to_dict(self) -> dict[tuple[Any, Any], int | float]:
        """The non-empty cells as {(class, cluster): count}."""
        rows, cols = self._cells.rows.tolist(), self._cells.cols.tolist()
        classes, clusters = self.class_names, self.cluster_names
        return {
            (classes[row], clusters[col]): value
            for row, col, value in zip(rows, cols, self._cells.values.tolist(), strict=True)
        }

    def to_frame(
        self, backend: Backend | None = None, *, layout: Literal["long", "wide"] = "long"
    ) -> Any:
        """A frame of pandas, polars or pyarrow (the first that is installed).

        "long" has a row a non-empty cell: class, cluster, count. "wide" has a row a class
        and a column a cluster.
        """
        if layout not in ("long", "wide"):
            raise ParameterError(f"layout must be 'long' or 'wide', not {layout!r}.")
        return to_frame(show.columns(self, layout), backend)

    def __repr__(self) -> str:
        return show.text(self)

    def _repr_html_(self) -> str:
        return show.html(self)


def _table_door(
    record: Measure,
    truth: Any,
    pred: Any = None,
    *,
    weights: ArrayLike | None = None,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: Missing = "raise",
) -> Contingency:
    """What an external measure takes: one finished table, or truth and prediction."""
    if isinstance(truth, Contingency):
        options = (pred, weights, noise, noise_policy)
        if any(option is not None for option in options) or missing != "raise":
            raise ParameterError(
                f"{record.key} takes either one table or labels with options, not both."
            )
        return truth
    if pred is None:
        raise ParameterError(f"{record.key} needs truth and prediction, or one Contingency.")
    return Contingency.from_labels(
        truth, pred, weights=weights, noise=noise, noise_policy=noise_policy, missing=missing
    )


register_door("external", _table_door)
