"""`distance_matrix`: any measure between many labelings, and its record `Distances`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import one_of
from clustervet.ensemble.labelings import read_labelings
from clustervet.ensemble.pair_values import PairMatrix, PairValues, Scoring, thread_count
from clustervet.errors import ParameterError
from clustervet.labels import show_label
from clustervet.labels.pair import Missing, NoisePolicy
from clustervet.registry import Measure, MeasureFunction
from clustervet.view import Backend, Cell, Column, Result, Row, Section, Table, name_cell, to_frame
from clustervet.view.words import ident, noise_note, number, short

# Labelings up to which all values are shown, and those that are shown of more.
MATRIX = 12
CORNER = 8
# Letters of a name above a column.
WIDTH = 12


@dataclass(frozen=True, eq=False, repr=False)
class Distances(Result):
    """A measure between every two of many labelings; made by `distance_matrix`.

    Parameters
    ----------
    names : tuple of str
        Names of the labelings.
    matrix : ndarray of shape (labelings, labelings)
        The values. Row i takes labeling i as the truth, column j labeling j as the prediction.
    counts : ndarray of shape (labelings, labelings)
        The number of objects that each pair shares.
    measure : Measure
        The measure.
    parameters : dict, optional
        Parameters of the measure.
    undefined : dict, optional
        The number of entries without a value (nan), by the reason.
    noise_as_cluster : dict, optional
        The number of objects labelled -1, by labeling, where no policy said what that means.

    Examples
    --------
    >>> found = distance_matrix({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 0, 0, 0]})
    >>> found.names, found.measure.key
    (('a', 'b', 'c'), 'variation_of_information')
    >>> found.matrix
    array([[0. , 0.5, 1. ],
           [0.5, 0. , 1.5],
           [1. , 1.5, 0. ]])
    """

    SCHEMA: ClassVar[str] = "clustervet/distances/1"

    names: tuple[str, ...]
    matrix: NDArray[np.float64]
    counts: NDArray[np.int64]
    measure: Measure
    parameters: Mapping[str, Any] = field(default_factory=dict)
    undefined: Mapping[str, int] = field(default_factory=dict)
    noise_as_cluster: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.matrix.flags.writeable = False
        self.counts.flags.writeable = False

    def __len__(self) -> int:
        """Number of labelings."""
        return len(self.names)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.matrix, dtype, copy=copy)

    def __getitem__(self, pair: tuple[str | int, str | int]) -> float:
        """Return the value of two labelings, by name or by position."""
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ParameterError("a distance is that of two labelings: distances[first, second].")
        return float(self.matrix[self._place(pair[0]), self._place(pair[1])])

    def _place(self, labeling: str | int) -> int:
        if isinstance(labeling, str):
            if labeling in self.names:
                return self.names.index(labeling)
        elif isinstance(labeling, int | np.integer) and -len(self) <= labeling < len(self):
            return int(labeling)
        shown = show_label(labeling)
        raise ParameterError(f"there is no labeling {shown!r} among the {len(self):,} here.")

    @property
    def condensed(self) -> NDArray[np.float64]:
        """The entries above the diagonal, row by row, as scipy's clusterings take distances."""
        return self.matrix[np.triu_indices(len(self), 1)]

    def columns(self, *, layout: Literal["wide", "long"] = "wide") -> dict[str, Any]:
        """Return the values as columns of equal length.

        Parameters
        ----------
        layout : {"wide", "long"}, optional
            "wide" has one row and one column per labeling; "long" has one row per pair, with the
            number of objects that it shares. Pairs appear in both orders only where their values
            differ.

        Returns
        -------
        dict
            Values by the name of the column.
        """
        one_of(layout, "layout", ("wide", "long"))
        if layout == "wide":
            head = "labeling"
            while head in self.names:
                head += "'"
            by_name = {name: self.matrix[:, k].tolist() for k, name in enumerate(self.names)}
            return {head: list(self.names), **by_name}
        one, other = np.triu_indices(len(self), 1)
        if not np.array_equal(self.matrix, self.matrix.T, equal_nan=True):
            one, other = np.nonzero(~np.eye(len(self), dtype=np.bool_))
        return {
            "first": [self.names[i] for i in one],
            "second": [self.names[j] for j in other],
            "value": self.matrix[one, other].tolist(),
            "objects": self.counts[one, other].tolist(),
        }

    def to_frame(
        self, backend: Backend | None = None, *, layout: Literal["wide", "long"] = "wide"
    ) -> Any:
        """Return the values as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library; by default the first one that is installed.
        layout : {"wide", "long"}, optional
            As in `columns`.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            The columns.

        Raises
        ------
        ParameterError
            If the layout or the library is unknown.
        """
        return to_frame(self.columns(layout=layout), backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the distances as plain data; a number that is not finite is None.

        Returns
        -------
        dict
            The measure, the names, the matrix, and the number of objects of each pair.
        """
        facts = {key: getattr(self.measure, key) for key in ("title", "better", "unit", "metric")}
        return {
            "schema": self.SCHEMA,
            "measure": self.measure.key,
            **facts,
            "parameters": dict(self.parameters),
            "names": list(self.names),
            "matrix": np.where(np.isfinite(self.matrix), self.matrix, np.array(None)).tolist(),
            "objects": self.counts.tolist(),
            "undefined": dict(self.undefined),
            **({"noise_as_cluster": noise} if (noise := dict(self.noise_as_cluster)) else {}),
        }

    def cautions(self) -> list[str]:
        """Return in which labelings the label -1 counts as a cluster, where no policy said so.

        Returns
        -------
        list of str
            One sentence, or none.
        """
        total = int(self.counts.max())
        note = noise_note({name: (count, total) for name, count in self.noise_as_cluster.items()})
        return [note] if note else []

    def document(self) -> Section:
        """Return what the distances say: the matrix, or a corner of a large one.

        Returns
        -------
        Section
            One sentence and one table.
        """
        record = self.measure
        least, most = int(self.counts.min()), int(self.counts.max())
        objects = f"{most:,}" if least == most else f"{least:,} to {most:,} shared"
        unit = f", in {record.unit}" if record.unit and "base" not in self.parameters else ""
        what = f"{record.title} ({record.symbol})" if record.symbol else record.title
        return Section(
            "distances",
            "Distances",
            (f"{what} of {len(self):,} labelings of {objects} objects{unit}",),
            (matrix_table("distances", self, ".4g"),),
            notes=tuple(self.cautions()),
            subject=self,
            measures=(record,),
        )


def matrix_table(key: str, distances: Distances, form: str = "", **options: Any) -> Table:
    """Return the table of all values, or of the first labelings where there are many."""
    record = distances.measure
    rest = [Cell("…")] if len(distances) > MATRIX else []
    shown = CORNER if rest else len(distances)
    heads = [short(name, WIDTH if form else 24) for name in distances.names[:shown]]
    rows = []
    for name, values in zip(distances.names, distances.matrix[:shown, :shown], strict=False):
        cells = [_value_cell(float(value), record.unit, form) for value in values]
        first = name_cell("pred", name, width=WIDTH if form else 24)
        rows.append(Row((first, *cells, *rest), ident("pred", name)))
    if rest:
        rows.append(Row(tuple(rest * (shown + 2))))
    columns = [
        Column("" if form else "distance", "text"),
        *map(Column, [*heads, *(cell.text for cell in rest)]),
    ]
    title = f"{record.title} of each pair"
    return Table(f"{key}-matrix", title, tuple(columns), tuple(rows), **options)


def _value_cell(value: float, unit: str, form: str) -> Cell:
    """Return a value in a form for text, with the usual number of decimals on a page."""
    exact = value if math.isfinite(value) else None
    usual = number(value, unit)
    return Cell(format(value, form), exact, long=usual) if form else Cell(usual, exact)


def distance_matrix(
    labelings: Any,
    measure: str | Measure | MeasureFunction = "variation_of_information",
    *,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: Missing = "raise",
    shared: bool = False,
    n_jobs: int | None = None,
    **parameters: Any,
) -> Distances:
    """Return any external measure between every two of many labelings of the same objects.

    A progress bar is shown on a terminal.

    Parameters
    ----------
    labelings : list, dict, ndarray, data frame or Labelings
        A list of labelings, {name: labels}, the rows of an array or the columns of a frame, as in
        `Ensemble`; objects with names are paired by them.
    measure : str, Measure or callable, optional
        An external measure. Similarities are returned as they are.
    noise, noise_policy : optional
        As in `read_labelings`.
    missing : {"raise", "drop", "class"}, optional
        What to do with an object that some labeling does not label, or does not name: refuse it,
        drop it from all labelings, or put it into one more cluster of that labeling.
    shared : bool, optional
        Whether each pair is compared on the objects that both label; `counts` then has their
        number.
    n_jobs : int, optional
        The number of threads; -1 means all cores.
    **parameters
        Parameters of the measure, such as ``base``.

    Returns
    -------
    Distances
        Entry i, j takes labeling i as the truth and j as the prediction, so the matrix of a
        measure that is not symmetric is not symmetric either.

    Raises
    ------
    LabelError
        If the labelings are of different objects, lack labels, or are fewer than two.
    ParameterError
        If the measure needs features, or does not take the parameters.

    Examples
    --------
    >>> found = distance_matrix({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 0, 0, 0]})
    >>> found
    Variation of information (VI) of 3 labelings of 4 objects, in bits
         a    b    c
    a    0  0.5    1
    b  0.5    0  1.5
    c    1  1.5    0
    >>> found["a", "c"]
    1.0
    """
    scoring = Scoring(measure, parameters)
    jobs = thread_count(n_jobs)
    many = read_labelings(
        labelings, noise=noise, noise_policy=noise_policy, missing=missing, shared=shared
    )
    found = PairMatrix(many, scoring)
    found.fill(jobs)
    undefined = dict(scoring.undefined)
    noise = {
        name: count for name, count in zip(many.names, many.noise_as_cluster, strict=False) if count
    }
    facts = scoring.record, parameters, undefined, noise
    return Distances(many.names, found.values, found.counts, *facts)


def distances_to(
    query: Any,
    labelings: Any,
    measure: str | Measure | MeasureFunction = "variation_of_information",
    *,
    which: Sequence[int] | NDArray[np.int64] | None = None,
    **parameters: Any,
) -> NDArray[np.float64]:
    """Return any external measure between each of many labelings and one more.

    Parameters
    ----------
    query : array-like, mapping or groups
        One more labeling of the same objects, by their names if the labelings are; it is the
        prediction. An object that it does not label is refused unless the labelings were read
        with ``shared=True``.
    labelings : list, dict, ndarray, data frame or Labelings
        The labelings, as in `Ensemble`; each is the truth.
    measure : str, Measure or callable, optional
        An external measure.
    which : sequence of int, optional
        The positions of the labelings to compare; by default all.
    **parameters
        Parameters of the measure, such as ``base``.

    Returns
    -------
    ndarray of float
        One value per labeling.

    Raises
    ------
    LabelError
        If the query is of other objects than the labelings, or lacks labels.
    ParameterError
        If `which` has a position that does not exist.

    Examples
    --------
    >>> distances_to([0, 0, 0, 0], [[0, 0, 1, 1], [0, 0, 1, 2]])
    array([1. , 1.5])
    """
    scoring = Scoring(measure, parameters)
    many = read_labelings(labelings, least=1).with_query(query)
    last = len(many) - 1
    chosen = np.arange(last) if which is None else np.asarray(which, np.int64)
    if len(chosen) and (chosen.min() < 0 or chosen.max() >= last):
        raise ParameterError(f"which must hold positions between 0 and {last - 1:,}.")
    pair = PairValues(many, scoring, len(chosen))
    return np.array([pair(index, last)[0] for index in chosen.tolist()], np.float64)
