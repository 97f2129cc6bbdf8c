"""Dataframes of any engine: label columns are grouped there, and the counts are returned.

The engine is looked up by narwhals and never imported here: whoever passes a frame has it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import LabelError, ParameterError
from clustervet.frames.columns import absent_column
from clustervet.frames.grouping import GroupedCounts
from clustervet.labels import read_labels, show_label
from clustervet.labels.pair import missing_error

if TYPE_CHECKING:
    import narwhals as nw

# Types that DuckDB returns as numpy arrays without loss and without another library.
NUMPY_TYPES = {
    *("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE", "VARCHAR"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
}
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
# A whole weight is added in two parts, a high one and a low one, as engines add in 64 bits: their
# sums cannot overflow below four billion rows per group.
PART_BITS = 31
# Whole numbers below this are exact in a float64.
FLOAT_LIMIT = 2.0**53
# The columns whose combinations are the cells, the classes and the clusters of a table.
KEYS = (["truth", "pred"], ["truth"], ["pred"])


@dataclass(frozen=True)
class Frame:
    """A user's dataframe behind narwhals: in memory (`eager`), or in an engine.

    >>> import pyarrow
    >>> Frame.of(pyarrow.table({"y": ["a"], "c": [0]})).columns
    ['y', 'c']
    """

    native: Any  # narwhals' DataFrame or LazyFrame

    @classmethod
    def of(cls, frame: Any) -> Frame:
        """Take what the user has, if it is a dataframe."""
        import narwhals as nw

        if isinstance(frame, Frame):
            return frame
        try:
            return cls(nw.from_native(frame))
        except TypeError:
            name = type(frame).__name__
            raise ParameterError(
                "frame must be a dataframe of pandas, polars, pyarrow, DuckDB, Dask, Spark or "
                f"Ibis, not {'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}."
            ) from None
        except nw.exceptions.DuplicateError:
            raise LabelError("two columns of the frame have the same name.") from None

    @property
    def engine(self) -> Any:
        """The engine, as narwhals names it."""
        return self.native.implementation

    @property
    def eager(self) -> bool:
        """Whether its columns are arrays that the door for labels reads as they are."""
        import narwhals as nw

        engines = (nw.Implementation.PANDAS, nw.Implementation.POLARS, nw.Implementation.PYARROW)
        return isinstance(self.native, nw.DataFrame) and self.engine in engines

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.native.collect_schema().names())

    def column(self, name: str) -> Any:
        """A column of a frame in memory, in its engine's own type."""
        import narwhals as nw

        column = self.native.get_column(self._known(name))
        check_plain(name, column.dtype)
        if self.engine.is_polars() and column.dtype.is_float():
            # There NaN is a number and null is missing; here both are missing.
            here = nw.nth(self.columns.index(name))
            column = self.native.select(known=nw.when(~here.is_nan()).then(here)).get_column(
                "known"
            )
        return column.to_native()

    def weights(self, name: str) -> Any:
        """A column of numbers of a frame in memory."""
        column = self.native.get_column(self._known(name))
        check_weights(column.dtype)
        return column.to_native()

    def picked(self, *, keys: Iterable[str] = (), **named: str) -> Frame:
        """The named columns alone, under names that no engine misreads.

        Of `keys`, which are new names, the columns are made ready to be grouped by.
        """
        import narwhals as nw

        columns = self.columns  # which may be many, and take an engine a while
        stands = dict(zip(reversed(columns), reversed(range(len(columns))), strict=True))
        places = {}
        for new, old in named.items():
            known = isinstance(old, str) and old in stands
            places[new] = stands[old if known else self._known(old)]
        # Spark takes a dot in a name for a field, and polars a star for all columns; a column is
        # safe under its place alone.
        frame = self.native
        if "spark" in self.engine.value:
            renamed = [f"c{place}" for place in range(len(columns))]
            frame = nw.from_native(frame.to_native().toDF(*renamed))
        chosen = [nw.nth(place).alias(new) for new, place in places.items()]
        picked = Frame(frame.lazy().select(*chosen))
        grouped = [group_key(picked, key, named[key]) for key in keys]
        return Frame(picked.native.with_columns(*grouped)) if grouped else picked

    def _known(self, name: str) -> str:
        if name in self.columns:
            return name
        if not isinstance(name, str):
            raise ParameterError(f"a column is named by a string, not by {show_label(name)!r}.")
        raise absent_column(name, "the frame", self.columns)

    def collect(self, frame: nw.LazyFrame[Any]) -> dict[str, Any]:
        """The columns of a finished query, each as something that `read_labels` takes."""
        if self.engine.is_duckdb():
            return _from_duckdb(frame)
        options: dict[str, Any] = {"engine": "streaming"} if self.engine.is_polars() else {}
        found = frame.collect(**options)
        return {name: found[name].to_native() for name in found.columns}


def group_frame(
    frame: Any, *, weights: str | None = None, apart: Sequence[Any] = (), **columns: str
) -> GroupedCounts:
    """Every combination of some columns with its number of rows and its sum of weights.

    The keyword of a column is its name in the result. `apart` has labels whose weighted rows
    are returned one by one.

    >>> import duckdb
    >>> frame = duckdb.sql("SELECT i % 2 AS y, i % 2 AS c FROM range(10) AS t(i)")
    >>> group_frame(frame, truth="y", pred="c").counts.tolist()
    [5, 5]
    """
    more = {} if weights is None else {"weight": weights}
    query = _Grouped(Frame.of(frame).picked(keys=columns, **columns, **more), list(columns))
    if weights is None:
        return query.counted()
    dtype = query.frame.native.collect_schema()["weight"]
    weigh = _weighing(dtype)
    grouped = query.weighed(weigh)
    if weigh.must_be_whole(grouped):
        grouped = query.weighed(_weighing(dtype, as_whole=True))
    return query.apart(grouped, apart) if apart else grouped


@dataclass(frozen=True)
class _Grouped:
    """Rows in their engine, and the columns to group them by."""

    frame: Frame
    sides: list[str]

    def counted(self, *more: str, rows: Any = None) -> GroupedCounts:
        """How many rows each combination has, of all rows or of some."""
        import narwhals as nw

        keys = [*self.sides, *more]
        chosen = self.frame.native if rows is None else rows
        grouped = chosen.group_by(*keys, drop_null_keys=False)
        found = self.frame.collect(grouped.agg(nw.len().alias("rows")))
        return GroupedCounts({key: found[key] for key in keys}, whole(found["rows"]))

    def weighed(self, weigh: _Weighing) -> GroupedCounts:
        """The sums of weights, too."""
        import narwhals as nw

        rows = self.frame.native.with_columns(*weigh.columns)
        sums = rows.group_by(*self.sides, drop_null_keys=False).agg(
            nw.len().alias("rows"), *weigh.sums
        )
        found = self.frame.collect(sums.with_columns(nw.col(*weigh.whole).cast(nw.Int64())))
        keys = {side: found[side] for side in self.sides}
        return weigh.grouped(found, keys, whole(found["rows"]))

    def apart(self, grouped: GroupedCounts, labels: Sequence[Any]) -> GroupedCounts:
        """The same with the rows of some labels as groups of one, each with its own weight."""
        import narwhals as nw

        chosen, conditions = _found(grouped, labels)
        if not conditions:
            return grouped
        rows = self.frame.native.filter(nw.any_horizontal(*conditions, ignore_nulls=True))
        found = self.counted("weight", rows=rows)
        if found.counts.sum() != grouped.counts[chosen].sum():
            # Spark reads a time of Python in its own time zone: then all rows are asked for.
            found = self.counted("weight")
        single = GroupedCounts({side: found.keys[side] for side in self.sides}, found.counts)
        each = np.where(_found(single, labels)[0], single.counts, 0)
        assert grouped.weights is not None  # the caller grouped weights
        own = np.asarray(_plain(found.keys["weight"]), object).astype(grouped.weights.dtype)
        kept = ~chosen
        return GroupedCounts(
            {
                side: _objects(
                    [*_items(grouped.keys[side], kept), *_repeated(single.keys[side], each)]
                )
                for side in self.sides
            },
            np.concatenate([grouped.counts[kept], np.ones(int(each.sum()), np.int64)]),
            np.concatenate([grouped.weights[kept], np.repeat(own, each)]),
            grouped.fractional,
        )


def _found(grouped: GroupedCounts, labels: Sequence[Any]) -> tuple[NDArray[np.bool_], list[Any]]:
    """The groups that hold one of some labels in any column, and how an engine finds them."""
    import narwhals as nw

    conditions: list[Any] = []
    chosen = np.zeros(len(grouped.counts), bool)
    for side, keys in grouped.keys.items():
        codes = read_labels(keys, side)
        for label in labels:
            code = codes.find(label)
            here = np.zeros(len(chosen), bool) if code is None else codes.values == code
            here &= True if codes.missing is None else ~codes.missing
            chosen |= here
            if here.any():
                conditions.append(nw.col(side).is_in(list(set(_items(keys, here)))))
    return chosen, conditions


def group_key(frame: Frame, side: str, name: str) -> Any:
    """A label column as it is grouped: NaN is null, and categories are their text."""
    import narwhals as nw

    dtype = frame.native.collect_schema()[side]
    check_plain(name, dtype)
    column = nw.col(side)
    if dtype.is_float():
        return nw.when(~column.is_nan()).then(column).alias(side)
    text = dtype in (nw.Categorical, nw.Enum)
    if text and frame.engine.is_dask():
        # The categories of pandas may be no text; those of Arrow cannot be grouped by Dask.
        text = hasattr(frame.native.to_native()[side].dtype, "pyarrow_dtype")
    return column.cast(nw.String()) if text else column


def check_plain(name: str, dtype: Any) -> None:
    """Refuse a column of lists, arrays or structs."""
    if dtype.is_nested():
        raise LabelError(
            f"column {show_label(name)!r} holds {str(dtype).partition('(')[0].lower()}s; "
            "a label must be one plain value."
        )


def _from_duckdb(frame: nw.LazyFrame[Any]) -> dict[str, Any]:
    """A result of DuckDB without any other library: arrays, or lists of Python's own values."""
    from duckdb import ColumnExpression, FunctionExpression

    relation = frame.to_native()
    kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
    # The engine makes moments of a time zone by a library that may not be there.
    aware = [name for name, kind in kinds.items() if kind == "TIMESTAMP WITH TIME ZONE"]
    if aware:
        shown = {name: ColumnExpression(name) for name in kinds}
        for name in aware:
            shown[name] = FunctionExpression("epoch_us", shown[name]).alias(name)
        relation = relation.select(*shown.values())
    if {str(kind) for kind in relation.types} <= NUMPY_TYPES:
        found: dict[str, Any] = relation.fetchnumpy()
    else:
        rows = relation.fetchall()
        columns = zip(*rows, strict=True) if rows else ((),) * len(relation.columns)
        found = dict(zip(relation.columns, map(_objects, columns), strict=True))
    for name in aware:
        found[name] = _objects(
            None if moment is None else EPOCH + dt.timedelta(microseconds=int(moment))
            for moment in _plain(found[name])
        )
    return found


def whole(values: Any) -> Any:
    """A column of whole numbers as an array."""
    return np.asarray(values, np.int64)


def _objects(items: Iterable[Any]) -> NDArray[Any]:
    """Python's own values, of which no two become one, as numbers in a list might."""
    listed = list(items)
    array = np.empty(len(listed), object)
    array[:] = listed
    return array


def _plain(column: Any) -> list[Any]:
    """A column as a list, whatever engine it comes from."""
    for way in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, way):
            listed: list[Any] = getattr(column, way)()
            return listed
    return list(column)


def _items(column: Any, chosen: Any) -> list[Any]:
    return [item for item, wanted in zip(_plain(column), chosen, strict=True) if wanted]


def _repeated(column: Any, times: Any) -> list[Any]:
    pairs = zip(_plain(column), times.tolist(), strict=True)
    return [item for item, number in pairs for _ in range(number)]


@dataclass(frozen=True)
class _Weighing:
    """What an engine computes about weights: new columns, and their sums in each group."""

    columns: Sequence[Any]
    sums: Sequence[Any]
    whole: Sequence[str]  # the sums that fit into 64 bits, whatever the engine makes of them
    real: bool

    def grouped(
        self, found: Mapping[str, Any], keys: Mapping[str, Any], rows: NDArray[np.int64]
    ) -> GroupedCounts:
        """The groups, once their weights are found to be weights."""
        if int(np.asarray(found["given"], np.int64).sum()) < int(rows.sum()):
            raise LabelError("weights must be finite; some are missing or NaN.")
        least = np.asarray(found["least"], object).min(initial=0)
        if least < 0:
            raise LabelError(f"weights must not be negative; the smallest is {show_label(least)}.")
        if not self.real:
            return GroupedCounts(keys, rows, _joined(found["high"], found["low"]))
        total, parts = (np.asarray(found[name], np.float64) for name in ("total", "parts"))
        if not np.isfinite(total).all():
            raise LabelError("weights must be finite; there is a NaN or an infinity among them.")
        return GroupedCounts(keys, rows, total, bool(parts.any()))

    def must_be_whole(self, grouped: GroupedCounts) -> bool:
        """Whether floats that are all whole sum to more than floats can hold."""
        if not self.real or grouped.fractional or grouped.weights is None:
            return False
        return FLOAT_LIMIT <= float(grouped.weights.sum()) < 2.0**62


def check_weights(dtype: Any) -> None:
    """Refuse a column of anything but numbers; what a column of objects holds shows later."""
    import narwhals as nw

    if not (dtype.is_numeric() or dtype in (nw.Boolean, nw.Object)):
        raise LabelError(f"weights must be numbers, one an object, not of type {dtype}.")


def _weighing(dtype: Any, *, as_whole: bool = False) -> _Weighing:
    """How weights of a type are added."""
    import narwhals as nw

    check_weights(dtype)
    weight = nw.col("weight")
    checks = weight.count().alias("given"), weight.min().alias("least")
    if dtype.is_integer() or dtype == nw.Boolean or as_whole:
        if dtype != nw.UInt64:
            weight = weight.cast(nw.Int64())
        low = weight % 2**PART_BITS
        # The difference has few digits, so that even an engine that divides as floats is exact.
        high = (weight - low) // 2**PART_BITS
        return _Weighing(
            [weight, low.cast(nw.Int64()).alias("low"), high.cast(nw.Int64()).alias("high")],
            [*checks, nw.col("low").sum(), nw.col("high").sum()],
            ["given", "low", "high"],
            real=False,
        )
    real = weight.cast(nw.Float64())
    known = nw.when(~real.is_nan()).then(real).alias("weight")
    part = nw.when(real % 1 != 0).then(1).otherwise(0)
    return _Weighing(
        [known, part.alias("parts")],
        [
            *checks,
            nw.col("weight").sum().alias("total"),
            nw.col("parts").sum(),
        ],
        ["given", "parts"],
        real=True,
    )


def _joined(high: Any, low: Any) -> NDArray[Any]:
    """High and low parts as one array of whole numbers, of any size."""
    tops, rests = (np.asarray(part, np.int64) for part in (high, low))
    if float(tops.sum(dtype=np.float64)) < 2.0**30:
        return (tops << PART_BITS) + rests
    sums = np.empty(len(tops), object)
    pairs = zip(tops.tolist(), rests.tolist(), strict=True)
    sums[:] = [(top << PART_BITS) + rest for top, rest in pairs]
    return sums


@dataclass(frozen=True)
class Sizes:
    """How many cells, classes and clusters have each size: {size: how many}.

    Pair counts and entropies are sums over sizes alone. Of n objects at most about sqrt(2n)
    sizes differ, so a table of a hundred million cells is returned as a few thousand numbers.
    """

    cells: Mapping[int, int]
    classes: Mapping[int, int]
    clusters: Mapping[int, int]


def table_sizes(
    frame: Any, *, truth: str, pred: str, missing: Literal["raise", "drop", "class"] = "raise"
) -> Sizes:
    """The sizes of the table of two columns, counted by the engine in three passes.

    >>> import duckdb
    >>> frame = duckdb.sql("SELECT i % 2 AS y, i % 3 AS c FROM range(60) AS t(i)")
    >>> table_sizes(frame, truth="y", pred="c")
    Sizes(cells={10: 6}, classes={30: 2}, clusters={20: 3})
    """
    import narwhals as nw

    if missing not in ("raise", "drop", "class"):
        raise ParameterError(f"missing must be 'raise', 'drop' or 'class', not {missing!r}.")
    picked = Frame.of(frame).picked(keys=("truth", "pred"), truth=truth, pred=pred)
    rows = picked.native
    if missing == "raise":
        _refuse_missing(picked, rows)
    elif missing == "drop":
        rows = rows.filter(~nw.col("truth").is_null(), ~nw.col("pred").is_null())
    sizes = Sizes(*(_histogram(picked, rows, keys) for keys in KEYS))
    if not sizes.cells:
        raise LabelError("the frame has no rows to count; at least one object is needed.")
    return sizes


def _histogram(frame: Frame, rows: Any, keys: Sequence[str]) -> dict[int, int]:
    import narwhals as nw

    groups = rows.group_by(*keys, drop_null_keys=False).agg(nw.len().alias("size"))
    counted = groups.filter(nw.col("size") > 0).group_by("size").agg(nw.len().alias("groups"))
    found = frame.collect(counted)
    pairs = zip(whole(found["size"]).tolist(), whole(found["groups"]).tolist(), strict=True)
    return dict(sorted(pairs))


def _refuse_missing(frame: Frame, rows: Any) -> None:
    import narwhals as nw

    counts = (nw.col(side).is_null().sum().alias(side) for side in ("truth", "pred"))
    found = frame.collect(rows.select(*counts))
    for side in ("truth", "pred"):
        absent = int(whole(found[side]).sum()) if len(found[side]) and found[side][0] else 0
        if absent:
            raise missing_error(side, absent)
