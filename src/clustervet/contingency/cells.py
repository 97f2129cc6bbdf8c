"""Non-empty cells in compressed rows: how they are made, grouped and merged."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._kernels.patience import is_little

# Up to this many cells plain Python is quicker than loading compiled loops.
FEW_CELLS = 2_000
# Up to this many cells numpy sums rows and columns; it takes some times the memory of the cells.
MANY_CELLS = 2**16
# Whole numbers below this are exact in a float64.
FLOAT_LIMIT = 2**53


@dataclass(frozen=True, slots=True)
class Cells:
    """Row r holds cells indptr[r]..indptr[r + 1]: column and value, columns ascending."""

    indptr: NDArray[np.int64]
    cols: NDArray[Any]
    values: NDArray[Any]

    @property
    def rows(self) -> NDArray[np.int64]:
        """The row of every cell."""
        return np.repeat(np.arange(len(self.indptr) - 1), np.diff(self.indptr))


def group_cells(rows: NDArray[Any], cols: NDArray[Any], values: NDArray[Any]) -> Cells:
    """Sum values that share a cell; values are int64, float64, or objects (Python ints)."""
    if values.dtype == object or len(values) <= FEW_CELLS:
        return _group_plainly(rows.tolist(), cols.tolist(), values.tolist())
    from clustervet import _kernels

    if values.dtype == np.int64 and float(values.sum(dtype=np.float64)) >= 2**62:
        return _group_plainly(rows.tolist(), cols.tolist(), values.tolist())
    height = int(rows.max()) + 1
    return Cells(*_kernels.group(rows.astype(np.int64), cols.astype(np.int64), values, height))


def _group_plainly(rows: list[int], cols: list[int], values: list[Any]) -> Cells:
    found: defaultdict[tuple[int, int], list[Any]] = defaultdict(list)
    for row, col, value in zip(rows, cols, values, strict=True):
        found[row, col].append(value)
    keys = sorted(found)
    add = math.fsum if any(isinstance(value, float) for value in values) else sum
    sums = [add(found[key]) for key in keys]
    height = max(rows) + 1
    indptr = np.zeros(height + 1, np.int64)
    np.add.at(indptr, [row + 1 for row, _ in keys], 1)
    return Cells(np.cumsum(indptr), np.array([col for _, col in keys], np.int32), as_values(sums))


def as_values(values: Sequence[Any]) -> NDArray[Any]:
    """The narrowest exact array: int64, float64, or Python ints where int64 would overflow."""
    if any(isinstance(value, float) for value in values):
        return np.array(values, np.float64)
    if sum(values) < 2**62:
        return np.array(values, np.int64)
    return np.fromiter(values, object, len(values))


def margins(cells: Cells, width: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Sums of rows and of columns, exactly for whole values."""
    values = cells.values
    height = len(cells.indptr) - 1
    if values.dtype == np.int64 and int(values.sum()) < FLOAT_LIMIT:
        if is_little(len(values), MANY_CELLS):
            rows = np.add.reduceat(values, cells.indptr[:-1])
            cols = np.bincount(cells.cols, weights=values, minlength=width).astype(np.int64)
            return rows, cols
        from clustervet import _kernels

        rows, cols = np.empty(height, np.int64), np.zeros(width, np.int64)
        _kernels.margins(cells.indptr, cells.cols, values, rows, cols)
        return rows, cols
    if values.dtype == np.float64:
        return _float_sums(cells.rows, values, height), _float_sums(cells.cols, values, width)
    sums: list[list[int]] = [[0] * height, [0] * width]
    for row, col, value in zip(
        cells.rows.tolist(), cells.cols.tolist(), values.tolist(), strict=True
    ):
        sums[0][row] += value
        sums[1][col] += value
    return as_values(sums[0]), as_values(sums[1])


def _float_sums(keys: NDArray[Any], values: NDArray[Any], size: int) -> NDArray[np.float64]:
    """Compensated sums of values by key, through one-column cells."""
    cells = group_cells(keys, np.zeros(len(keys), np.int64), values)
    return cells.values if len(cells.values) == size else np.zeros(size)


def squeeze(
    cells: Cells, used: NDArray[np.bool_] | None = None
) -> tuple[Cells, NDArray[np.int64], NDArray[np.int64]]:
    """Drop rows and columns without cells; also return which ones were kept.

    `used` marks the columns in use, where that is known.
    """
    rows = np.flatnonzero(cells.indptr[1:] > cells.indptr[:-1])
    if used is None:
        used = np.zeros(int(cells.cols.max()) + 1, np.bool_)
        used[cells.cols] = True
    cols = np.flatnonzero(used)
    if cols[-1] + 1 > len(cols):
        place = np.cumsum(used, dtype=np.int32) - np.int32(1)
        cells = Cells(cells.indptr, _renamed(cells.cols, place), cells.values)
    if len(rows) < len(cells.indptr) - 1:
        indptr = np.full(len(rows) + 1, cells.indptr[-1])
        np.take(cells.indptr, rows, out=indptr[:-1], mode="clip")
        cells = Cells(indptr, cells.cols, cells.values)
    return cells, rows, cols


def _renamed(codes: NDArray[Any], names: NDArray[np.int32]) -> NDArray[Any]:
    if is_little(len(codes), MANY_CELLS):
        return np.asarray(names[codes])
    from clustervet import _kernels

    out = np.empty(len(codes), np.int32)
    _kernels.gather(codes, names, out)
    return out


def transpose(cells: Cells, width: int) -> Cells:
    """Columns as rows."""
    order = np.argsort(cells.cols, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(cells.cols, minlength=width))])
    return Cells(indptr, cells.rows[order].astype(np.int32), cells.values[order])
