"""Dataframes of any engine, by one path: group both columns, count, and bring the counts home.

The engine is looked up by narwhals and never imported here: whoever passes a frame has it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import LabelError, ParameterError
from clustervet.frames.grouped import Grouped
from clustervet.frames.source import absent_column
from clustervet.frames.weighing import Weighing, check_weights, weighing
from clustervet.labels import read_labels, show_label

if TYPE_CHECKING:
    import narwhals as nw

# Types of DuckDB that come home as numpy arrays without loss and without another library.
NUMPY_TYPES = {
    *("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "FLOAT", "DOUBLE", "VARCHAR"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
}
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


@dataclass(frozen=True)
class Held:
    """A user's frame behind narwhals: in memory (`eager`), or in an engine.

    >>> import pyarrow
    >>> Held.of(pyarrow.table({"y": ["a"], "c": [0]})).columns
    ['y', 'c']
    """

    frame: Any  # narwhals' DataFrame or LazyFrame

    @classmethod
    def of(cls, frame: Any) -> Held:
        """Take what the user has, if it is a frame."""
        import narwhals as nw

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
        return self.frame.implementation

    @property
    def eager(self) -> bool:
        """Whether its columns are arrays that the door for labels reads as they are."""
        import narwhals as nw

        engines = (nw.Implementation.PANDAS, nw.Implementation.POLARS, nw.Implementation.PYARROW)
        return isinstance(self.frame, nw.DataFrame) and self.engine in engines

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.frame.collect_schema().names())

    def column(self, name: str) -> Any:
        """A column of a frame in memory, in its engine's own type."""
        import narwhals as nw

        column = self.frame.get_column(self._known(name))
        check_plain(name, column.dtype)
        if self.engine.is_polars() and column.dtype.is_float():
            # There NaN is a number and null is missing; here both are missing.
            known = nw.when(~nw.col(name).is_nan()).then(nw.col(name)).alias(name)
            column = self.frame.select(known).get_column(name)
        return column.to_native()

    def weights(self, name: str) -> Any:
        """A column of numbers of a frame in memory."""
        column = self.frame.get_column(self._known(name))
        check_weights(column.dtype)
        return column.to_native()

    def picked(self, **named: str) -> Held:
        """The named columns alone, under names that no engine misreads."""
        import narwhals as nw

        places = {new: self.columns.index(self._known(old)) for new, old in named.items()}
        frame, names = self.frame, self.columns
        if "spark" in self.engine.value:
            # Spark takes a dot in a name for a field; a column is safe under its place alone.
            names = [f"c{place}" for place in range(len(names))]
            frame = nw.from_native(frame.to_native().toDF(*names))
        chosen = [nw.col(names[place]).alias(new) for new, place in places.items()]
        return Held(frame.lazy().select(*chosen))

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
        home = frame.collect(**options)
        return {name: home[name].to_native() for name in home.columns}


def group_frame(
    frame: Any, *, truth: str, pred: str, weights: str | None = None, apart: Sequence[Any] = ()
) -> Grouped:
    """Every combination of two columns with its number of rows and its sum of weights.

    `apart` names labels whose weighted rows are to come one by one.

    >>> import duckdb
    >>> frame = duckdb.sql("SELECT i % 2 AS y, i % 2 AS c FROM range(10) AS t(i)")
    >>> group_frame(frame, truth="y", pred="c").counts.tolist()
    [5, 5]
    """
    named = {"truth": truth, "pred": pred} | ({} if weights is None else {"weight": weights})
    held = Held.of(frame).picked(**named)
    schema = held.frame.collect_schema()
    keyed = held.frame.with_columns(
        *(group_key(held, side, schema[side], named[side]) for side in ("truth", "pred"))
    )
    if weights is None:
        home = held.collect(_counted(keyed))
        return Grouped(home["truth"], home["pred"], whole(home["rows"]))
    weigh = weighing(schema["weight"])
    grouped = _weighed(held, keyed, weigh)
    if weigh.must_be_whole(grouped):
        grouped = _weighed(held, keyed, weighing(schema["weight"], as_whole=True))
    return _apart(held, keyed, grouped, apart) if apart else grouped


def _counted(keyed: Any, *keys: str) -> nw.LazyFrame[Any]:
    import narwhals as nw

    grouped = keyed.group_by("truth", "pred", *keys, drop_null_keys=False)
    counted: nw.LazyFrame[Any] = grouped.agg(nw.len().alias("rows"))
    return counted


def _weighed(held: Held, keyed: Any, weigh: Weighing) -> Grouped:
    import narwhals as nw

    grouped = keyed.with_columns(*weigh.columns).group_by("truth", "pred", drop_null_keys=False)
    weighed = grouped.agg(nw.len().alias("rows"), *weigh.sums)
    home = held.collect(weighed.with_columns(nw.col(*weigh.whole).cast(nw.Int64())))
    return weigh.grouped(home, whole(home["rows"]))


def _apart(held: Held, keyed: Any, grouped: Grouped, apart: Sequence[Any]) -> Grouped:
    """The same with the rows of some labels as groups of one, each with its own weight."""
    import narwhals as nw

    chosen, conditions = _found(grouped, apart)
    if not conditions:
        return grouped
    rows = keyed.filter(nw.any_horizontal(*conditions, ignore_nulls=True))
    home = held.collect(_counted(rows, "weight"))
    if whole(home["rows"]).sum() != grouped.counts[chosen].sum():
        # Spark takes a moment of Python for one of its own time zone: then all rows are asked for.
        home = held.collect(_counted(keyed, "weight"))
    single = Grouped(home["truth"], home["pred"], whole(home["rows"]))
    each = np.where(_found(single, apart)[0], single.counts, 0)
    assert grouped.weights is not None  # the caller grouped weights
    own = np.asarray(_plain(home["weight"]), object).astype(grouped.weights.dtype)
    kept = ~chosen
    return Grouped(
        _objects([*_items(grouped.truth, kept), *_repeated(single.truth, each)]),
        _objects([*_items(grouped.pred, kept), *_repeated(single.pred, each)]),
        np.concatenate([grouped.counts[kept], np.ones(int(each.sum()), np.int64)]),
        np.concatenate([grouped.weights[kept], np.repeat(own, each)]),
        grouped.fractional,
    )


def _found(grouped: Grouped, labels: Sequence[Any]) -> tuple[NDArray[np.bool_], list[Any]]:
    """The groups that hold one of some labels on either side, and how an engine finds them."""
    import narwhals as nw

    conditions: list[Any] = []
    chosen = np.zeros(len(grouped.counts), bool)
    for side, keys in (("truth", grouped.truth), ("pred", grouped.pred)):
        codes = read_labels(keys, side)
        for label in labels:
            code = codes.find(label)
            here = np.zeros(len(chosen), bool) if code is None else codes.values == code
            here &= True if codes.missing is None else ~codes.missing
            chosen |= here
            if here.any():
                conditions.append(nw.col(side).is_in(list(set(_items(keys, here)))))
    return chosen, conditions


def group_key(held: Held, side: str, dtype: Any, name: str) -> Any:
    """A label column as it is grouped: NaN is null, and categories are their text."""
    import narwhals as nw

    check_plain(name, dtype)
    column = nw.col(side)
    if dtype.is_float():
        return nw.when(~column.is_nan()).then(column).alias(side)
    text = dtype in (nw.Categorical, nw.Enum)
    if text and held.engine.is_dask():
        # The categories of pandas may be no text; those of Arrow cannot be grouped by Dask.
        text = hasattr(held.frame.to_native()[side].dtype, "pyarrow_dtype")
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
        home: dict[str, Any] = relation.fetchnumpy()
    else:
        rows = relation.fetchall()
        columns = zip(*rows, strict=True) if rows else ((),) * len(relation.columns)
        home = dict(zip(relation.columns, map(_objects, columns), strict=True))
    for name in aware:
        home[name] = _objects(
            None if moment is None else EPOCH + dt.timedelta(microseconds=int(moment))
            for moment in _plain(home[name])
        )
    return home


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
