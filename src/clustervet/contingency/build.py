"""From a matrix of counts, in whatever form, to cells and names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency.cells import Cells, as_values, group_cells, squeeze
from clustervet.errors import TableError
from clustervet.labels import show_label
from clustervet.labels.codes import Names, name_order

Built = tuple[Cells, Names, Names]


def build_cells(
    counts: Any, class_names: Sequence[Any] | None, cluster_names: Sequence[Any] | None
) -> Built:
    """Cells of a dense matrix, a scipy sparse one, a frame, or {(class, cluster): count}."""
    if isinstance(counts, Mapping):
        return _from_mapping(counts)
    if hasattr(counts, "columns") and hasattr(counts, "to_numpy"):
        class_names = list(getattr(counts, "index", range(len(counts))))
        cluster_names = list(counts.columns)
        counts = counts.to_numpy()
    if hasattr(counts, "tocoo"):
        sparse = counts.tocoo()
        rows, cols, values, shape = sparse.row, sparse.col, sparse.data, sparse.shape
    else:
        rows, cols, values, shape = _from_matrix(counts)
    kept = _checked(values)
    cells = group_cells(rows[kept], cols[kept], _typed(values[kept]))
    cells, used_rows, used_cols = squeeze(cells)
    names = (
        _names(class_names, shape[0], used_rows, "class"),
        _names(cluster_names, shape[1], used_cols, "cluster"),
    )
    return cells, *names


def _from_matrix(counts: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], tuple[int, ...]]:
    try:
        matrix = np.asarray(counts)
    except ValueError:
        raise TableError("the rows of the matrix of counts differ in length.") from None
    if matrix.ndim != 2:
        raise TableError(
            "counts must be a matrix with a row a class and a column a cluster; its shape is "
            f"{matrix.shape}."
        )
    grid = np.indices(matrix.shape)
    return grid[0].ravel(), grid[1].ravel(), matrix.ravel(), matrix.shape


def _from_mapping(counts: Mapping[Any, Any]) -> Built:
    if not counts:
        raise TableError("the table is empty; at least one positive count is needed.")
    for key in counts:
        if not isinstance(key, tuple) or len(key) != 2:
            raise TableError(
                f"the keys of counts must be (class, cluster) pairs; one is {show_label(key)!r}."
            )
    values = np.empty(len(counts), object)
    values[:] = list(counts.values())
    kept = _checked(values)
    pairs = [pair for pair, keep in zip(counts, kept, strict=True) if keep]
    names: list[list[Any]] = []
    codes: list[NDArray[np.int64]] = []
    for side in zip(*pairs, strict=True):
        distinct = list(dict.fromkeys(side))
        order = name_order(distinct)
        distinct = distinct if order is None else [distinct[k] for k in order]
        place = {name: k for k, name in enumerate(distinct)}
        names.append(distinct)
        codes.append(np.fromiter(map(place.__getitem__, side), np.int64, len(side)))
    return group_cells(codes[0], codes[1], _typed(values[kept])), names[0], names[1]


def _checked(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Which counts are positive; an error if any is no count at all."""
    numbers = values
    if values.dtype.kind not in "biuf":
        try:
            numbers = np.array([_as_float(value) for value in values.tolist()], np.float64)
        except (TypeError, ValueError):
            raise TableError("counts must be numbers.") from None
    if numbers.dtype.kind == "f" and np.isnan(numbers).any():
        raise TableError("counts must be finite; there is a NaN among them.")
    if numbers.dtype.kind == "f" and values.dtype.kind == "f" and np.isinf(numbers).any():
        raise TableError("counts must be finite; there is an infinity among them.")
    if len(numbers) and numbers.min() < 0:
        raise TableError(
            f"counts must not be negative; one is {show_label(values[np.argmin(numbers)])}."
        )
    positive = np.asarray(numbers > 0)
    if not positive.any():
        raise TableError("the table is empty; at least one positive count is needed.")
    return positive


def _as_float(value: Any) -> float:
    if isinstance(value, str | bytes):
        raise TypeError
    try:
        number = float(value)
    except OverflowError:
        return np.inf if value > 0 else -1.0
    if np.isinf(number):
        raise TableError("counts must be finite; there is an infinity among them.")
    return number


def _typed(values: NDArray[Any]) -> NDArray[Any]:
    """Whole counts as ints (of any size), the rest as float64."""
    if values.dtype.kind in "biu":
        return as_values(values.tolist()) if _may_overflow(values) else values.astype(np.int64)
    if values.dtype.kind == "f":
        whole = (values == np.trunc(values)).all() and float(values.sum()) < 2.0**53
        return values.astype(np.int64 if whole else np.float64)
    items = values.tolist()
    if all(isinstance(item, int | np.integer) for item in items):
        return as_values([int(item) for item in items])
    return _typed(np.array([float(item) for item in items], np.float64))


def _may_overflow(values: NDArray[Any]) -> bool:
    return float(values.sum(dtype=np.float64)) >= 2.0**62


def _names(given: Sequence[Any] | None, size: int, used: NDArray[np.int64], what: str) -> Names:
    if given is None:
        return used
    if len(given) != size:
        raise TableError(f"there are {len(given)} {what} names for {size} {what}s.")
    return [given[k] for k in used]
