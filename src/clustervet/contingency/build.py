"""From a matrix of counts, in whatever form, to cells and names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency.cells import Cells, as_values, group_cells, squeeze
from clustervet.errors import ParameterError, TableError
from clustervet.labels import show_label
from clustervet.labels.codes import Names, name_order

Built = tuple[Cells, Names, Names]
Parts = tuple[NDArray[Any], NDArray[Any], NDArray[Any], tuple[int, ...]]
# Squares of real weights must stay far from the largest float.
REAL_LIMIT = 1e150
# Stands for every NaN among names.
NAN = object()


def build_cells(
    counts: Any, class_names: Sequence[Any] | None, cluster_names: Sequence[Any] | None
) -> Built:
    """Cells of a dense matrix, a scipy sparse one, a frame, or {(class, cluster): count}."""
    sparse = hasattr(counts, "tocoo")
    if not sparse and isinstance(counts, Mapping):
        if class_names is not None or cluster_names is not None:
            raise ParameterError("a mapping brings its own class_names and cluster_names.")
        return _from_mapping(counts)
    if not sparse and is_frame(counts):
        rows_named, cols_named, counts = frame_parts(counts)
        class_names = rows_named if class_names is None else class_names
        cluster_names = cols_named if cluster_names is None else cluster_names
    rows, cols, values, shape = _from_sparse(counts) if sparse else _from_matrix(counts)
    kept = _checked(values)
    cells = group_cells(rows[kept], cols[kept], typed_counts(values[kept]))
    cells, used_rows, used_cols = squeeze(cells)
    return (
        cells,
        _names(class_names, shape[0], used_rows, "class"),
        _names(cluster_names, shape[1], used_cols, "cluster"),
    )


def list_cells(
    rows: NDArray[np.int64],
    cols: NDArray[np.int64],
    values: NDArray[Any],
    class_names: Sequence[Any],
    cluster_names: Sequence[Any],
) -> Built:
    """Cells listed row by row, each of them once and none of them empty, with all their names."""
    if not _checked(values).all():
        raise TableError("counts of listed cells must be positive; one is 0.")
    for places, names, what in ((rows, class_names, "class"), (cols, cluster_names, "cluster")):
        _check_places(places, len(names), what)
    steps = np.diff(rows)
    wrong = np.flatnonzero((steps < 0) | ((steps == 0) & (np.diff(cols) <= 0)))
    if len(wrong):
        raise TableError(f"cell {wrong[0] + 2:,} is listed twice or out of order.")
    starts = np.searchsorted(rows, np.arange(len(class_names) + 1))
    cells = Cells(starts, cols.astype(np.int32), typed_counts(values, narrow=False))
    return (
        cells,
        _names(class_names, len(class_names), np.arange(len(class_names)), "class"),
        _names(cluster_names, len(cluster_names), np.arange(len(cluster_names)), "cluster"),
    )


def _check_places(places: NDArray[np.int64], size: int, what: str) -> None:
    """Refuse a cell outside the table, and a row or column without cells."""
    wrong = np.flatnonzero((places < 0) | (places >= size))
    if len(wrong):
        raise TableError(
            f"cell {wrong[0] + 1:,} lies in {what} {places[wrong[0]]:,}, and there are {size:,}, "
            "counted from 0."
        )
    used = np.zeros(size, np.bool_)
    used[places] = True
    if not used.all():
        raise TableError(f"{what} {np.argmin(used):,}, counted from 0, has no cell.")


def is_frame(counts: Any) -> bool:
    """Whether something is a frame of pandas, polars or pyarrow."""
    return hasattr(counts, "columns") and (
        hasattr(counts, "to_numpy") or hasattr(counts, "column_names")
    )


def frame_parts(frame: Any) -> tuple[list[Any], list[Any], NDArray[Any]]:
    """Names and numbers of a crosstab in pandas, polars or pyarrow."""
    if hasattr(frame, "column_names"):
        columns = [column.to_numpy() for column in frame.columns]
        return list(range(len(frame))), list(frame.column_names), np.column_stack(columns)
    return (
        list(getattr(frame, "index", range(len(frame)))),
        list(frame.columns),
        frame.to_numpy(),
    )


def _from_sparse(counts: Any) -> Parts:
    if len(counts.shape) != 2:
        raise _not_a_matrix(counts.shape)
    sparse = counts.tocoo()
    return sparse.row, sparse.col, sparse.data, sparse.shape


def _from_matrix(counts: Any) -> Parts:
    if np.ma.is_masked(counts):
        raise TableError("counts must be numbers; some are masked.")
    try:
        # Lists go in as objects: numpy would turn large ints among small ones into floats.
        matrix = np.asarray(counts) if hasattr(counts, "dtype") else np.array(counts, object)
    except ValueError:
        raise TableError("the rows of the matrix of counts differ in length.") from None
    if matrix.ndim == 1 and len({len(row) for row in matrix if hasattr(row, "__len__")}) > 1:
        raise TableError("the rows of the matrix of counts differ in length.")
    if matrix.ndim != 2:
        raise _not_a_matrix(matrix.shape)
    rows, cols = np.indices(matrix.shape)
    return rows.ravel(), cols.ravel(), matrix.ravel(), matrix.shape


def _not_a_matrix(shape: tuple[int, ...]) -> TableError:
    return TableError(
        f"counts must be a matrix with a row a class and a column a cluster; its shape is {shape}."
    )


def _from_mapping(counts: Mapping[Any, Any]) -> Built:
    if not counts:
        raise TableError("the table is empty; at least one positive count is needed.")
    for key in counts:
        if not isinstance(key, tuple) or len(key) != 2:
            raise TableError(
                f"the keys of counts must be (class, cluster) pairs; one is {show_label(key)!r}."
            )
    values = np.fromiter(counts.values(), object, len(counts))
    kept = _checked(values)
    pairs = [pair for pair, keep in zip(counts, kept, strict=True) if keep]
    names: list[list[Any]] = []
    codes: list[NDArray[np.int64]] = []
    for side in zip(*pairs, strict=True):
        distinct, place = ordered_names(side)
        _check_distinct(distinct, ("class", "cluster")[len(names)])
        names.append(distinct)
        codes.append(np.fromiter(map(place.__getitem__, side), np.int64, len(side)))
    return group_cells(codes[0], codes[1], typed_counts(values[kept])), names[0], names[1]


def ordered_names(names: Sequence[Any]) -> tuple[list[Any], dict[Any, int]]:
    """Distinct names, sorted where they can be, and the place of each."""
    distinct = list(dict.fromkeys(names))
    order = name_order(distinct)
    distinct = distinct if order is None else [distinct[k] for k in order]
    return distinct, {name: k for k, name in enumerate(distinct)}


def _checked(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which counts are positive; an error if any is no count at all."""
    numbers = values
    if values.dtype.kind == "O":
        numbers = np.array([_as_float(value) for value in values.tolist()], np.float64)
    elif values.dtype.kind not in "biuf":
        raise TableError("counts must be numbers.")
    if numbers.dtype.kind == "f":
        if np.isnan(numbers).any():
            raise TableError("counts must be finite; there is a NaN among them.")
        if values.dtype.kind == "f" and np.isinf(numbers).any():
            raise _infinite()
    if len(numbers) and numbers.min() < 0:
        raise TableError(
            f"counts must not be negative; one is {show_label(values[np.argmin(numbers)])}."
        )
    positive = np.asarray(numbers > 0)
    if not positive.any():
        raise TableError("the table is empty; at least one positive count is needed.")
    return positive


def _too_heavy() -> TableError:
    return TableError(f"counts that are real weights must sum to less than {REAL_LIMIT:g}.")


def _infinite() -> TableError:
    return TableError("counts must be finite; there is an infinity among them.")


def _as_float(value: Any) -> float:
    """A count's size, roughly: a whole number beyond any float counts as infinite."""
    if isinstance(value, int):
        try:
            return float(value)
        except OverflowError:
            return np.inf if value > 0 else -1.0
    try:
        number = float("text" if isinstance(value, str | bytes) else value)
    except (TypeError, ValueError):
        raise TableError("counts must be numbers.") from None
    if np.isinf(number):
        raise _infinite()
    return number


def typed_counts(values: NDArray[Any], *, narrow: bool = True) -> NDArray[Any]:
    """Whole counts as ints (of any size), the rest as float64.

    Real weights that all happen to be whole are counts, too, unless they are not to be narrowed.
    """
    if values.dtype.kind in "biu":
        large = float(values.sum(dtype=np.float64)) >= 2.0**62
        return as_values(values.tolist()) if large else values.astype(np.int64)
    if values.dtype.kind == "f":
        real = values.astype(np.float64)
        with np.errstate(over="ignore"):
            total = float(real.sum())
        if total >= REAL_LIMIT:
            raise _too_heavy()
        whole = narrow and (real == np.trunc(real)).all() and total < 2.0**53
        return real.astype(np.int64) if whole else real
    items = values.tolist()
    if all(isinstance(item, int | np.integer) for item in items):
        return as_values([int(item) for item in items])
    try:
        return typed_counts(np.array([float(item) for item in items], np.float64), narrow=narrow)
    except OverflowError:
        raise _too_heavy() from None


def _names(given: Sequence[Any] | None, size: int, used: NDArray[np.int64], what: str) -> Names:
    if given is None:
        return used
    try:
        names = list(given)
    except TypeError:
        raise _no_names(what) from None
    if len(names) != size:
        plural = {"class": "classes", "cluster": "clusters"}[what]
        raise TableError(
            f"there are {len(names)} {what} names for {size} {what if size == 1 else plural}."
        )
    _check_distinct(names, what)
    return [names[k] for k in used]


def _check_distinct(names: Sequence[Any], what: str) -> None:
    """Refuse names that are equal; NaN, which equals nothing, may be there once."""
    seen: set[Any] = set()
    try:
        for name in names:
            key = NAN if _is_nan(name) else name
            if key in seen:
                raise TableError(f"{what} names must differ; {show_label(name)!r} is there twice.")
            seen.add(key)
    except (TypeError, ArithmeticError):  # unhashable, or a NaN of Decimal that signals
        raise _no_names(what) from None


def _is_nan(name: Any) -> bool:
    return isinstance(name, float | Decimal | np.generic) and bool(name != name)


def _no_names(what: str) -> TableError:
    return TableError(f"{what}_names must be a sequence of plain values.")
