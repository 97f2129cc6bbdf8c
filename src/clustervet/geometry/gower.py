"""Gower's distance of tables with columns of any kind, as a Manhattan distance of points.

Gower (1971) takes the mean over the columns of a difference from 0 to 1. That of two numbers is
their share of the range of the column, and that of two categories is 0 or 1. So a number becomes
its place in the range, and a category one of several features, which is a half; divided by the
number of columns, these have the Manhattan distances that are Gower's.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet._memory import need
from clustervet.errors import FeatureError
from clustervet.frames.columns import refused_value
from clustervet.frames.feature_table import FeatureTable
from clustervet.geometry.metrics import GOWER, Metric
from clustervet.geometry.points import (
    FRAMES,
    check_finite,
    check_shape,
    is_sparse,
    missing_value,
    open_frame,
    read_with_peak,
    unpacked,
)
from clustervet.labels import Codes, consecutive, read_labels, show_label
from clustervet.labels.arrays import is_missing
from clustervet.view.words import names as listed

Floats = NDArray[np.floating[Any]]
Places = NDArray[np.int64]
ColumnKind = Literal["numbers", "dates", "ordered categories", "categories"]
# Features for each column of the table from which sparse rows are quicker, and take less memory.
WIDE = 32
# Rows up to which all values of a column may differ by chance.
FEW_ROWS = 10
# What a column of text in a file looks like whose values are dates, or dates with times.
DATE = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?([+-]\d\d(:?\d\d)?|Z)?)?")
# Dates are nanoseconds from here on; a year has so many on average.
EPOCH, MICROSECOND = datetime(1970, 1, 1), timedelta(microseconds=1)
YEAR = 365.2425 * 86_400 * 10**9


@dataclass(frozen=True, eq=False)
class Column:
    """A column of a table: numbers, or the places of categories among the levels."""

    name: str
    kind: ColumnKind
    values: Floats | Places
    levels: tuple[Any, ...] = ()

    @property
    def nominal(self) -> bool:
        """Whether two values are either equal or not, and nothing between."""
        return self.kind == "categories"

    def has(self, level: Any) -> bool:
        """Whether a row has a category."""
        return bool((self.values == self.levels.index(level)).any())


@dataclass(frozen=True, eq=False)
class GowerTable:
    """A table of columns of any kind as points, of which the Manhattan distance is Gower's.

    Each row has one feature for each column, at `places`, and there the value of `shares`, which is
    divided by the number of columns in the end.
    """

    columns: tuple[Column, ...]
    places: Places
    shares: Floats

    @property
    def shape(self) -> tuple[int, int]:
        """How many points there are, and how many features."""
        return len(self.places), len(self.nominal)

    @property
    def metric(self) -> Metric:
        """The metric of the points."""
        return Metric(GOWER, columns=len(self.columns))

    @property
    def points(self) -> Any:
        """The points: an array, or a sparse matrix where there are many categories."""
        wide = self.shape[1] > WIDE * len(self.columns)
        return self._matrix(self.shares / len(self.columns)) if wide else self.dense

    @property
    def dense(self) -> NDArray[np.float64]:
        """The points as an array."""
        n, d = self.shape
        need(8 * n * d, f"{n:,} points with {d:,} categories", "leave out columns with many")
        found: NDArray[np.float64] = self._matrix(self.shares / len(self.columns)).toarray()
        return found

    @property
    def values(self) -> Any:
        """The features in their own units: numbers, years of dates, and 1 for a category."""
        return self._matrix(np.column_stack([_unscaled(one) for one in self.columns]))

    @cached_property
    def names(self) -> list[str]:
        """The names of the features."""
        found = []
        for one in self.columns:
            title = f"{one.name} (year)" if one.kind == "dates" else one.name
            levels = [f"{one.name} = {show_label(level)}" for level in one.levels]
            found += levels if one.nominal else [title]
        return found

    @cached_property
    def nominal(self) -> Places:
        """For each feature the number of its column if that holds categories, else -1."""
        return np.repeat(
            [at if one.nominal else -1 for at, one in enumerate(self.columns)],
            [len(one.levels) if one.nominal else 1 for one in self.columns],
        )

    @property
    def remark(self) -> str:
        """How the columns were read, in a sentence."""
        parts = []
        for kind in ("numbers", "dates", "ordered categories", "categories"):
            held = [one.name for one in self.columns if one.kind == kind]
            parts += [f"{kind}: {listed(held)}"] if held else []
        return f"Gower's distance reads {'; '.join(parts)}."

    def distances(self, rows: Places) -> NDArray[np.float64]:
        """Return the distances of some points."""
        from scipy.spatial.distance import cdist

        part = self._matrix(self.shares / len(self.columns))[rows]
        part = part[:, np.unique(part.indices)].toarray()  # categories that these have
        return np.asarray(cdist(part, part, "cityblock"))

    def _matrix(self, values: Floats) -> Any:
        from scipy import sparse

        n, p = self.places.shape
        # Others read sparse matrices by small numbers of rows and columns alone.
        small = np.int32 if max(n * p, self.shape[1]) < 2**31 else np.int64
        starts, places = np.arange(0, n * p + 1, p, dtype=small), self.places.astype(small)
        plain = values.astype(np.float64, copy=False)
        return sparse.csr_array((plain.ravel(), places.ravel(), starts), shape=self.shape)


def gower_table(X: Any, what: str = "X") -> GowerTable:  # noqa: N803  # the name of features
    """Return a table as points; one that was made before is returned as it is.

    >>> found = gower_table([[20, "Oslo"], [30, "Rome"], [60, "Oslo"]])
    >>> found.points.tolist()
    [[0.0, 0.25, 0.0], [0.125, 0.0, 0.25], [0.5, 0.25, 0.0]]
    >>> found.distances(np.array([0, 1])).tolist(), found.remark
    ([[0.0, 0.625], [0.625, 0.0]], "Gower's distance reads numbers: 0; categories: 1.")
    """
    if isinstance(X, GowerTable):
        return X
    columns = read_columns(X, what)
    what = X.name if isinstance(X, FeatureTable) else what
    for one in columns:
        if one.nominal and len(one.levels) == len(one.values) > FEW_ROWS:
            raise FeatureError(
                f"column {show_label(one.name)!r} of {what} has another value in each row, which "
                "says nothing about which rows are alike; leave it out."
            )
    return _table(columns, columns)


def gower_tables(
    X: Any,  # noqa: N803  # the name that everyone gives to features
    new: Any,
) -> tuple[GowerTable, GowerTable]:
    """Return two tables as points of one space, with the ranges and categories of the first.

    A category that the first does not have is as far from all of its categories as these from each
    other.
    """
    old, fresh = read_columns(X, "X"), read_columns(new, "new")
    if len(old) != len(fresh):
        raise FeatureError(
            f"new must have the features of X; it has {len(fresh):,}, and X has {len(old):,}."
        )
    fresh = [_matched(one, other) for one, other in zip(old, fresh, strict=True)]
    levels = [
        other.levels if one.nominal else one.levels for one, other in zip(old, fresh, strict=True)
    ]
    old = [replace(one, levels=held) for one, held in zip(old, levels, strict=True)]
    return _table(old, old), _table(fresh, old)


def _table(columns: Sequence[Column], known: Sequence[Column]) -> GowerTable:
    """Return columns as points, in the ranges of the columns that are known."""
    widths = [len(one.levels) if one.nominal else 1 for one in columns]
    starts = np.cumsum([0, *widths[:-1]])
    places = np.empty((len(columns[0].values), len(columns)), np.int64)
    shares = np.empty(places.shape)
    for at, (one, old) in enumerate(zip(columns, known, strict=True)):
        places[:, at] = starts[at] + (one.values if one.nominal else 0)
        shares[:, at] = 0.5 if one.nominal else _shares(one.values, old.values)
    return GowerTable(tuple(columns), places, shares)


def _shares(values: Any, known: Any) -> Any:
    """Return numbers as shares of the range of those known; 0 if that is a single number."""
    low, high = known.min(), known.max()
    if low == high:
        return 0.0
    with np.errstate(over="ignore"):
        part = 1.0 if math.isfinite(high - low) else 0.5  # halves of any numbers can be subtracted
    return (values * part - low * part) / (high * part - low * part)


def _unscaled(column: Column) -> Any:
    if column.nominal:
        return np.ones(len(column.values))
    return 1970 + column.values / YEAR if column.kind == "dates" else column.values


def _matched(old: Column, new: Column) -> Column:
    """Return a new column with the categories of the old one, and others after them."""
    if old.kind != new.kind:
        raise FeatureError(
            f"column {show_label(new.name)!r} of new holds {new.kind}, and that of X {old.kind}."
        )
    if not new.levels:
        return new
    known = {level: at for at, level in enumerate(old.levels)}
    for level in new.levels:
        if level not in known and not old.nominal and new.has(level):
            raise FeatureError(
                f"column {show_label(new.name)!r} of new has the category {show_label(level)!r}, "
                "which has no place in the order of those of X."
            )
        known.setdefault(level, len(known))
    places = np.array([known[level] for level in new.levels])
    return replace(new, values=places[new.values.astype(np.int64)], levels=tuple(known))


def read_columns(X: Any, what: str) -> list[Column]:  # noqa: N803  # the name of features
    """Return the columns of a table, each with its kind; a value that is missing is refused."""
    if isinstance(X, FeatureTable):
        return [_of_file(name, values, X.name) for name, values in X.mixed]
    given = unpacked(X)
    if is_sparse(given):
        raise FeatureError(
            f"{what} is sparse, and Gower's distance is for tables with few columns; take the "
            "metric 'manhattan' for counts."
        )
    table = open_frame(given, what) if type(given).__module__.partition(".")[0] in FRAMES else None
    if table is None:
        return _of_array(given, what)
    check_shape(table, what)
    return [_of_frame(table[name], what) for name in table.columns]


def _of_file(name: str, values: Any, what: str) -> Column:
    """Return a column of a file: numbers, or labels."""
    if not isinstance(values, Codes):
        return Column(name, "numbers", values)
    codes, distinct, gone = _distinct(values)
    if gone is not None:
        raise refused_value(name, what, f"row {gone + 1}", None)
    return _of_values(name, codes, distinct, what, dates_as_text=True)


def _of_array(given: Any, what: str) -> list[Column]:
    """Return the columns of an array, or of rows."""
    try:
        array = np.asarray(given)
    except ValueError:
        raise FeatureError(f"{what} must have rows of equal length.") from None
    if array.ndim:
        check_shape(array, what)
    if array.dtype.kind not in "OUSTM" or not array.ndim or np.ma.isMaskedArray(given):
        points = read_with_peak(given, what)[0].astype(np.float64)
        return [Column(str(at), "numbers", values) for at, values in enumerate(points.T)]
    if array.dtype.kind == "M":
        array = array.astype("datetime64[us]").astype(object)
    elif isinstance(given, np.ndarray) and array.dtype.kind != "O":
        raise FeatureError(
            f"{what} is an array of {array.dtype}, in which numbers are no numbers; give a data "
            "frame, or an array of objects."
        )
    else:
        array = np.asarray(given, object)
    return [_of_objects(str(at), array[:, at].tolist(), what) for at in range(array.shape[1])]


def _of_frame(series: Any, what: str) -> Column:
    """Return a column of a data frame, as narwhals has it."""
    import narwhals as nw

    name, kind, native = series.name, series.dtype, series.to_native()
    if series.null_count():
        raise missing_value(name, what, int(np.flatnonzero(series.is_null().to_numpy())[0]))
    if kind.is_numeric() or kind == nw.Boolean:
        values = np.asarray(series.to_numpy()).astype(np.float64)
        check_finite(values, name, what)
        return Column(name, "numbers", values)
    if kind == nw.Datetime or kind == nw.Date:
        # Days, or times to the microsecond or nanosecond; those with a time zone are in UTC.
        unit: Any = "ns" if getattr(kind, "time_unit", "") == "ns" else "us"
        dated = series.cast(nw.Datetime("us")) if kind == nw.Date else series
        return Column(name, "dates", _times(dated.dt.timestamp(unit), 1 if unit == "ns" else 1_000))
    if kind == nw.Duration:
        fine = getattr(kind, "time_unit", "") == "ns"
        spans = series.dt.total_nanoseconds() if fine else series.dt.total_microseconds()
        return Column(name, "numbers", _times(spans, 1 if fine else 1_000) / 10**9)
    held: Any = getattr(native, "array", None)
    if hasattr(held, "categories"):  # pandas, of which levels that no row has are left out
        if held.ordered:
            return _ordered(name, held.codes, held.categories)
        used, codes = np.unique(held.codes, return_inverse=True)
        return Column(name, "categories", codes, tuple(held.categories[used]))
    if kind == nw.Enum:  # polars compares these by their order
        return _ordered(name, native.to_physical().to_numpy(), kind.categories)
    if getattr(getattr(native, "type", None), "ordered", False):  # pyarrow
        whole = native.combine_chunks()
        return _ordered(name, whole.indices.to_numpy(), whole.dictionary.to_pylist())
    if kind in (nw.Categorical, nw.String):
        codes, levels, _ = _distinct(read_labels(native, f"column {show_label(name)!r} of {what}"))
        return Column(name, "categories", codes, tuple(levels))
    return _of_objects(name, series.to_list(), what)


def _times(series: Any, unit: int) -> Floats:
    """Return whole numbers times a unit, with all their digits."""
    return np.asarray(series.to_numpy(), np.longdouble) * unit


def _ordered(name: str, places: Any, levels: Sequence[Any]) -> Column:
    return Column(name, "ordered categories", np.asarray(places, np.int64), tuple(levels))


def _of_objects(name: str, values: Sequence[Any], what: str) -> Column:
    """Return a column of Python objects, which must be of one kind."""
    known: dict[Any, int] = {}
    try:
        codes = np.array([known.setdefault(value, len(known)) for value in values])
    except TypeError:
        raise FeatureError(
            f"column {show_label(name)!r} of {what} holds values such as lists, which are no "
            "numbers, text or dates; leave it out."
        ) from None
    for value, code in known.items():
        if is_missing(value):
            raise missing_value(name, what, int(np.flatnonzero(codes == code)[0]))
    return _of_values(name, codes, list(known), what)


def _of_values(
    name: str, codes: Places, values: Sequence[Any], what: str, *, dates_as_text: bool = False
) -> Column:
    """Return a column of which the distinct values are known."""
    readers: dict[Any, Any] = {_reader(value): value for value in values}
    if len(readers) > 1:
        one, other = list(readers.values())[:2]
        raise FeatureError(
            f"column {show_label(name)!r} of {what} holds {show_label(repr(one), 40)} and "
            f"{show_label(repr(other), 40)}, which are of two kinds; make them one."
        )
    ((read, first),) = readers.items()
    if read is None:
        raise FeatureError(
            f"column {show_label(name)!r} of {what} holds {show_label(repr(first), 40)}, which is "
            "no number, text or date; leave it out."
        )
    if read is _text and dates_as_text and all(map(DATE.fullmatch, values)):
        try:
            dated = [datetime.fromisoformat(one) for one in values]
        except ValueError:  # a day that no month has
            dated = []
        if len({one.tzinfo is None for one in dated}) == 1:
            read, values = _reader(dated[0]), dated
    if read is _text:
        return Column(name, "categories", codes, tuple(values))
    try:
        numbers = np.array([read(value) for value in values], np.longdouble)[codes]
    except OverflowError:
        raise FeatureError(
            f"column {show_label(name)!r} of {what} holds a whole number beyond any float."
        ) from None
    check_finite(numbers, name, what)
    if read in (_moment, _instant, _day):
        return Column(name, "dates", numbers * 1_000)
    return Column(name, "numbers", numbers)


def _reader(value: Any) -> Callable[[Any], Any] | None:
    """Return what makes numbers of such values; None for those that no column may hold."""
    if isinstance(value, Real | Decimal | np.bool_):
        return float
    if isinstance(value, str | bytes):
        return _text
    if isinstance(value, timedelta):
        return timedelta.total_seconds
    if isinstance(value, time):
        return _clock
    if isinstance(value, datetime):
        return _moment if value.tzinfo is None else _instant
    return _day if isinstance(value, date) else None


def _text(value: Any) -> Any:
    return value


def _clock(value: time) -> float:
    return (datetime.combine(EPOCH, value.replace(tzinfo=None)) - EPOCH).total_seconds()


def _moment(value: datetime) -> float:
    return (value - EPOCH) / MICROSECOND


def _instant(value: datetime) -> float:
    return (value - EPOCH.replace(tzinfo=UTC)) / MICROSECOND


def _day(value: date) -> float:
    return (value - EPOCH.date()) / MICROSECOND


def _distinct(labels: Codes) -> tuple[Places, list[Any], int | None]:
    """Return consecutive codes, the label of each, and the first row that has none."""
    if labels.missing is not None and labels.missing.any():
        return np.empty(0, np.int64), [], int(labels.missing.argmax())
    codes, distinct = consecutive(labels)
    return codes.astype(np.int64), list(labels.restore(distinct)), None
