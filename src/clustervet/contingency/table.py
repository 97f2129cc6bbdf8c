"""`Contingency`: the sparse table of two clusterings and the sums that measures share."""

from __future__ import annotations

import os
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clustervet._checks import one_of
from clustervet._kernels.patience import is_little
from clustervet.contingency import layout as layouts
from clustervet.contingency.build import build_cells, ordered_names, typed_counts
from clustervet.contingency.cells import Cells, group_cells, squeeze, transpose
from clustervet.contingency.count import count_labels, count_short
from clustervet.contingency.derived import Table, TableSums, count_pairs
from clustervet.errors import ParameterError, TableError
from clustervet.labels import ABSENT, encode_pair, plain_label
from clustervet.labels.codes import Names
from clustervet.labels.pair import Missing, MissingInPair, NoisePolicy, noise_place
from clustervet.registry import register_door
from clustervet.view import Backend, Result, Section, plain, to_frame, to_json
from clustervet.view.words import noise_note, one_sided_note

if TYPE_CHECKING:
    from clustervet.contingency.mapping import ClusterMap, How

Layout = Literal["long", "wide"]

# Up to this many cells plain Python takes no longer than the call of a compiled loop.
FEW_RESAMPLED = 64


class Contingency(TableSums, Result):
    """How many objects of each class lie in each cluster: rows are classes.

    Only non-empty cells are held. Make one with `from_labels`, `from_counts` or `from_frame`. It
    never changes afterwards, and what measures share (pairs, entropies, matching) is computed
    once.

    Parameters
    ----------
    cells : Cells
        The non-empty cells in compressed rows.
    class_names, cluster_names : sequence
        Names of the rows and columns.

    Examples
    --------
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

    @classmethod
    def from_labels(
        cls,
        truth: Any,
        pred: Any,
        *,
        weights: ArrayLike | None = None,
        noise: Any = None,
        noise_policy: NoisePolicy | None = None,
        missing: MissingInPair = "raise",
        names: tuple[str, str] = ("truth", "pred"),
    ) -> Contingency:
        """Count two labelings of the same objects, truth first.

        Parameters
        ----------
        truth, pred : array-like
            One label per object: lists, arrays, series; numbers, strings, dates or mixed. They
            are paired by position; two pandas series must have equal indexes.
        weights : array-like, optional
            One weight per object.
        noise : str or dict, optional
            What the label -1 means ("keep", "drop" or "singletons"), or {label: policy} for
            other labels. It holds in both labelings.
        noise_policy : {"keep", "drop", "singletons"}, optional
            The policy, where `noise` is a label.
        missing : {"raise", "drop", "class", "absent"}, optional
            What None, NaN and NA do: raise an error, drop the object, be a class, or say that
            the object is in the other labeling alone, as mentions in coreference may be.
        names : tuple of str, optional
            What messages call the two labelings.

        Returns
        -------
        Contingency
            The table.

        Raises
        ------
        LabelError
            If labels are missing, are no labels, or differ in number, or if two pandas series
            have different indexes.

        Examples
        --------
        >>> Contingency.from_labels([1, 1, 2, 2], [0, 0, -1, -1], noise="singletons").shape
        (2, 3)
        """
        if weights is None and noise is None and noise_policy is None:
            short = count_short(truth, pred)
            if short is not None:
                return cls._of_plain(*short)
        codes = encode_pair(
            truth,
            pred,
            weights=weights,
            noise=noise,
            noise_policy=noise_policy,
            missing=missing,
            names=names,
        )
        cells, rows, cols = count_labels(*codes)
        table = cls(cells, codes[0].restore(rows), codes[1].restore(cols))
        if noise is not None or noise_policy is not None:
            table.__dict__["noise_as_cluster"] = (0, 0)
        return table

    @classmethod
    def from_counts(
        cls,
        counts: Any,
        *,
        class_names: Sequence[Any] | None = None,
        cluster_names: Sequence[Any] | None = None,
    ) -> Contingency:
        """Take finished counts: rows are classes, columns are clusters.

        Parameters
        ----------
        counts : array-like, sparse matrix, frame or mapping
            A matrix, a crosstab frame, or {(class, cluster): count}; Python ints of any size, or
            real weights.
        class_names, cluster_names : sequence, optional
            Names of the rows and columns.

        Returns
        -------
        Contingency
            The table.

        Raises
        ------
        TableError
            If the counts are negative, not finite or all zero.

        Examples
        --------
        >>> Contingency.from_counts({("a", 0): 10**20, ("b", 0): 1}).n
        100000000000000000001
        """
        return cls(*build_cells(counts, class_names, cluster_names))

    @classmethod
    def from_memberships(
        cls,
        truth: Any,
        memberships: Any,
        *,
        weights: ArrayLike | None = None,
        noise: Any = None,
        missing: Missing = "raise",
        normalize: bool = False,
    ) -> Contingency:
        """Share every object out to its clusters, by its degrees of membership.

        Parameters
        ----------
        truth : array-like
            One label per object; or a matrix of memberships, with one column per class.
        memberships : array-like, sparse matrix or data frame
            One row per object and one column per cluster, as `predict_proba` gives them. Rows sum
            to 1; sums that differ from it by up to 0.001 are taken for rounded ones.
        weights : array-like, optional
            One weight per object.
        noise : str or dict, optional
            What the label -1 of a truth means, as in `from_labels`.
        missing : {"raise", "drop", "class"}, optional
            What None, NaN and NA do in a truth, as in `from_labels`.
        normalize : bool, optional
            Whether every row is divided by its sum, whatever that is.

        Returns
        -------
        Contingency
            The table. Its counts are real numbers, unless every membership is 0 or 1.

        Raises
        ------
        LabelError
            If memberships are negative, not finite or all zero in a row, if a row does not sum to
            1, or if the truth has another number of objects.

        Notes
        -----
        The degrees p(j|x) of a soft clustering are those of Dom 2001, App. C.1. The count of class
        c and cluster j is the sum of p(j|x) over the objects of c; with memberships on both
        sides it is the sum of q(c|x) p(j|x). The table is that of one object drawn at random, then
        its class and its cluster. Measures of chance need whole counts and have no value here.

        Examples
        --------
        >>> Contingency.from_memberships(["a", "a", "b"], [[1, 0], [0.5, 0.5], [0.25, 0.75]])
        Contingency of 3 objects: 2 classes x 2 clusters, 4 non-empty cells
                  0     1  total
            a   1.5   0.5      2
            b  0.25  0.75      1
        total  1.75  1.25      3
        """
        from clustervet.contingency.memberships import shared_cells

        return cls(
            *shared_cells(
                truth,
                memberships,
                weights=weights,
                noise=noise,
                missing=missing,
                normalize=normalize,
            )
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        truth: str,
        pred: str,
        weights: str | None = None,
        noise: Any = None,
        noise_policy: NoisePolicy | None = None,
        missing: MissingInPair = "raise",
    ) -> Contingency:
        """Count two columns of a dataframe where it is; only the counts are returned.

        Parameters
        ----------
        frame : dataframe
            A dataframe of pandas, polars (eager or lazy), pyarrow, DuckDB, Dask, Spark
            (classic or Connect) or Ibis.
        truth : str
            The column of classes.
        pred : str
            The column of clusters.
        weights : str, optional
            A column of weights.
        noise : optional
            A policy for the label -1 (``"keep"``, ``"drop"`` or ``"singletons"``), or a
            mapping {label: policy}.
        noise_policy : str, optional
            The policy for the label given as `noise`.
        missing : {"raise", "drop", "class", "absent"}, default "raise"
            What a missing label does: it is an error, its object is dropped, it is a class, or
            its object is in the other column alone.

        Returns
        -------
        Contingency
            The table.

        Raises
        ------
        FileError
            If the dataframe has no such column.
        LabelError
            If labels or weights are missing, or cannot be such.
        ParameterError
            If `frame` is no dataframe.

        Notes
        -----
        A dataframe in memory is read as labels. Every other engine groups both columns, so
        that one row per cell is sent to this process.

        Examples
        --------
        >>> import duckdb
        >>> frame = duckdb.sql("SELECT i % 2 AS y, i % 3 AS c FROM range(60) AS t(i)")
        >>> Contingency.from_frame(frame, truth="y", pred="c").shape
        (2, 3)
        """
        from clustervet.contingency.grouped import codes_of, singled, table_of
        from clustervet.frames.frame import Frame, group_frame

        held = Frame.of(frame)
        if not held.eager:
            apart = () if weights is None else singled(noise, noise_policy)
            grouped = group_frame(held, truth=truth, pred=pred, weights=weights, apart=apart)
            return table_of(grouped, noise=noise, noise_policy=noise_policy, missing=missing)
        return cls.from_labels(
            codes_of(held.column(truth), "truth"),
            codes_of(held.column(pred), "pred"),
            weights=None if weights is None else held.weights(weights),
            noise=noise,
            noise_policy=noise_policy,
            missing=missing,
        )

    @classmethod
    def from_images(cls, truth: Any, pred: Any, *, ignore: Any = None) -> Contingency:
        """Count the pixels of two images of labels.

        Parameters
        ----------
        truth, pred : array-like of int
            Images of segments with the same shape, in any number of dimensions.
        ignore : int or iterable of int, optional
            True labels whose pixels are left out, such as 0 for the background.

        Returns
        -------
        Contingency
            The table. Those of the blocks of a volume add up to that of the volume.

        Raises
        ------
        LabelError
            If an image has no pixels or no whole numbers, if shapes differ, or if no pixel is
            left.
        ParameterError
            If `ignore` is no whole number.

        Examples
        --------
        >>> import clustervet as cv
        >>> truth, pred = [[0, 1, 1], [0, 1, 2]], [[0, 3, 3], [4, 4, 4]]
        >>> table = cv.Contingency.from_images(truth, pred, ignore=0)
        >>> table.n, cv.adapted_rand_error(table)
        (4, 0.6)
        """
        from clustervet.contingency.images import image_table

        return image_table(truth, pred, ignore)

    @classmethod
    def from_segments(
        cls, truth: Any, pred: Any, *, overlap: Literal["raise", "drop"] = "raise"
    ) -> Contingency:
        """Measure the time that two lists of labelled segments share, such as who speaks when.

        Parameters
        ----------
        truth, pred : list of (start, end, label), data frame or Annotation
            Segments of time; a frame has the columns start, end and label, and an Annotation is
            one of pyannote. Segments of one label may overlap.
        overlap : {"raise", "drop"}, default "raise"
            What times with several labels on one side do: raise an error, or be left out.

        Returns
        -------
        Contingency
            The table, in units of time. Time that only one side labels counts on that side alone,
            as with ``missing="absent"`` in `from_labels`.

        Raises
        ------
        LabelError
            If segments cannot be read, or if a side has times with several labels.

        Examples
        --------
        >>> import clustervet as cv
        >>> truth = [(0, 4, "ann"), (4, 6, "bob")]
        >>> table = cv.Contingency.from_segments(truth, [(0, 5, 1), (5, 6, 2)])
        >>> round(cv.purity(table), 4), round(cv.inverse_purity(table), 4)
        (0.8333, 0.8333)
        """
        from clustervet.contingency.segments import segment_table

        return segment_table(truth, pred, overlap)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table to a .parquet or .json file, whole or not at all.

        The file carries a version and a checksum, and labels keep their types.

        Parameters
        ----------
        path : str or path
            The file; the end of its name gives the format.

        Raises
        ------
        FileError
            If the name ends otherwise, or the file cannot be written.

        Examples
        --------
        >>> import os, tempfile
        >>> table = Contingency.from_labels(["a", "b"], [0, 0])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "table.json")
        ...     table.save(path)
        ...     Contingency.load(path) == table
        True
        """
        from clustervet.contingency.saved import save_table

        save_table(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Contingency:
        """Read a table that was saved; tables of disjoint objects merge by `+`.

        Parameters
        ----------
        path : str or path
            A file that `save` has written.

        Returns
        -------
        Contingency
            The table.

        Raises
        ------
        FileError
            If the file cannot be read, is no saved table, or has been changed.

        Examples
        --------
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "table.json")
        ...     Contingency.from_labels(["a", "b"], [0, 0]).save(path)
        ...     (Contingency.load(path) + Contingency.load(path)).to_dict()
        {('a', 0): 2, ('b', 0): 2}
        """
        from clustervet.contingency.saved import load_table

        return load_table(path)

    def with_values(self, values: NDArray[Any]) -> Contingency:
        """Return a table of the same cells with other whole counts.

        Classes and clusters that become empty are left out. The table is made for scoring
        thousands of them: its names are just the positions of the rows and columns in this
        table, and the sums of more than a few cells are compiled.

        Parameters
        ----------
        values : ndarray of int64
            One count per non-empty cell of this table; 0 removes the cell.

        Returns
        -------
        Contingency
            The new table.

        Examples
        --------
        >>> import numpy as np
        >>> table = Contingency.from_counts([[4, 3], [5, 1]], class_names=["a", "b"])
        >>> table.with_values(np.array([2, 0, 6, 0])).to_dict()
        {(0, 0): 2, (1, 0): 6}
        """
        kept = np.flatnonzero(values)
        rows, cols = self._cells.rows[kept], self._cells.cols[kept]
        starts = np.searchsorted(rows, np.arange(len(self._class_names) + 1))
        cells, *used = squeeze(Cells(starts, cols, values[kept]))
        names = map(_renamed, used, self.absent)
        table = Contingency(cells, *names)
        if not is_little(len(kept), FEW_RESAMPLED):
            table.__dict__["plain"] = None
        return table

    def mapping(self, how: How = "matching", *, noise: Any = None) -> ClusterMap:
        """Return the class of each cluster.

        Parameters
        ----------
        how : {'matching', 'majority', 'jaccard'}, default 'matching'
            The rule. 'matching' gives each class to at most one cluster, so that the objects that
            clusters and their classes have in common are as many as possible (the assignment
            problem, Kuhn 1955). 'majority' gives a cluster the class that most of its objects
            have, and 'jaccard' that with the largest Jaccard index; several clusters may have
            the same class, and of equal classes the smaller one is taken.
        noise : label, optional
            A label that means noise: it is no class, and as a cluster has none.

        Returns
        -------
        ClusterMap
            A mapping from clusters to classes, which also knows the clusters without a class, the
            classes without a cluster, and the objects that each pair has in common.

        See Also
        --------
        clustervet.align : Labels by the names of another clustering.

        Examples
        --------
        >>> import clustervet as cv
        >>> table = cv.Contingency.from_counts([[6, 3], [5, 1]], class_names=["a", "b"])
        >>> dict(table.mapping()), dict(table.mapping("majority"))
        ({0: 'b', 1: 'a'}, {0: 'a', 1: 'a'})
        """
        from clustervet.contingency.mapping import map_clusters

        return map_clusters(self, how, noise)

    @cached_property
    def noise_as_cluster(self) -> tuple[int | float, int | float]:
        """Objects labelled -1 in truth and prediction, where no policy said what that means."""
        names, sizes = (
            (self._class_names, self._cluster_names),
            (self.class_sizes, self.cluster_sizes),
        )
        places = [noise_place(side) for side in names]
        truth, pred = (
            0 if place is None else plain_label(size[place])
            for place, size in zip(places, sizes, strict=True)
        )
        return truth, pred

    def cautions(self) -> list[str]:
        """Return that the label -1 is a class or a cluster, where no policy said so.

        Returns
        -------
        list of str
            That, and how many objects are in one of the labelings alone; or nothing.
        """
        truth, pred = self.noise_as_cluster
        note = noise_note({"pred": (pred, self.n)}, {"truth": (truth, self.n)})
        return list(filter(None, [note, self.one_sided_note()]))

    def one_sided_note(self) -> str:
        """Return how many objects are in one of the labelings alone; empty where none is.

        Returns
        -------
        str
            One sentence.

        Examples
        --------
        >>> table = Contingency.from_labels(["a", "b", None], [0, 0, 1], missing="absent")
        >>> table.one_sided_note()
        'Of 3 objects, pred alone has 1; measures that need both have no value.'
        """
        row, col = self.absent
        alone = {
            "truth": 0 if col is None else plain_label(self.cluster_sizes[col]),
            "pred": 0 if row is None else plain_label(self.class_sizes[row]),
        }
        return one_sided_note(alone, self.n)

    def as_population(self, n: float | None = None) -> Contingency:
        """Return the table read as a distribution, whose pair counts are those expected in n draws.

        Parameters
        ----------
        n : float, optional
            The number of draws, to which the counts are scaled; by default that of the table.

        Returns
        -------
        Contingency
            A table with expected pair counts.

        Notes
        -----
        A cell of share p holds C(n,2) p^2 pairs on average (Dom 2001, eqs. 25-30), where the table
        itself, a sample, holds x (x - 1) / 2.

        Examples
        --------
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
    def T(self) -> Contingency:
        """The table with the roles of classes and clusters exchanged."""
        cells = transpose(self._cells, len(self._cluster_names))
        return Contingency(cells, self._cluster_names, self._class_names)

    def transpose(self) -> Contingency:
        """Return the table with the roles of classes and clusters exchanged.

        Returns
        -------
        Contingency
            The other table; `T` is the same.

        Examples
        --------
        >>> Contingency.from_labels(["a", "a", "b"], [0, 1, 1]).transpose().to_dict()
        {(0, 'a'): 1, (1, 'a'): 1, (1, 'b'): 1}
        """
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
        values = typed_counts(values, narrow=False)
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

    def to_dict(self) -> dict[Any, int | float]:
        """Return the non-empty cells as {(class, cluster): count}.

        Returns
        -------
        dict
            Counts by (class, cluster).
        """
        rows, cols = self._cells.rows.tolist(), self._cells.cols.tolist()
        classes, clusters = self.class_names, self.cluster_names
        return {
            (classes[row], clusters[col]): value
            for row, col, value in zip(rows, cols, self._cells.values.tolist(), strict=True)
        }

    def to_json(self, indent: int | None = 2) -> str:
        """Return the non-empty cells as JSON: three lists of classes, clusters and counts.

        Parameters
        ----------
        indent : int or None, optional
            Spaces per level; None writes one line.

        Returns
        -------
        str
            The text of a JSON object.
        """
        return to_json(plain(self.columns()), indent)

    def columns(self, layout: Layout = "long") -> dict[str, Any]:
        """Return the table as columns.

        Parameters
        ----------
        layout : {"long", "wide"}, optional
            "long" has one row per non-empty cell: class, cluster, count. "wide" has one row per
            class and one column per cluster.

        Returns
        -------
        dict
            Values by the name of the column.
        """
        return layouts.columns(self, one_of(layout, "layout", ("long", "wide")))

    def to_frame(self, backend: Backend | None = None, *, layout: Layout = "long") -> Any:
        """Return the table as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library; by default the first one that is installed.
        layout : {"long", "wide"}, optional
            As in `columns`.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            The table.
        """
        return to_frame(self.columns(layout), backend)

    def document(self) -> Section:
        """Return the corner of the table that fits a screen.

        Returns
        -------
        Section
            One table, and its size in a sentence.
        """
        return layouts.document(self)


def _renamed(places: NDArray[np.int64], absent: int | None) -> Names:
    """Places as names, but for that of objects that a clustering does not have."""
    if absent is None:
        return places
    return [ABSENT if place == absent else place for place in places.tolist()]


def _table_door(
    who: str,
    truth: Any,
    pred: Any = None,
    *,
    weights: ArrayLike | None = None,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: MissingInPair = "raise",
) -> Table:
    """What an external measure takes: one finished table, or truth and prediction."""
    if isinstance(truth, Table):
        options = (pred, weights, noise, noise_policy)
        if any(option is not None for option in options) or missing != "raise":
            raise ParameterError(f"{who} takes either one table or labels with options, not both.")
        return truth
    if pred is None:
        raise ParameterError(f"{who} needs truth and prediction, or one Contingency.")
    return Contingency.from_labels(
        truth, pred, weights=weights, noise=noise, noise_policy=noise_policy, missing=missing
    )


register_door("external", _table_door)
