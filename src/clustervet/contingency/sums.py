"""Which way a table's sums are taken: plain Python for few or huge counts, else compiled loops."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clustervet import _exact
from clustervet._exact import CellSums, Peaks, Plain
from clustervet._kernels.patience import Patience
from clustervet.contingency.cells import FEW_CELLS, FLOAT_LIMIT, Cells

if TYPE_CHECKING:
    from clustervet.contingency.derived import TableSums

# Pairs of distinct sizes whose expectations plain Python computes before the loop over them is
# compiled; they take about half a second.
patience = Patience(4_000)


def needs_plain(values: NDArray[Any]) -> bool:
    """Whether a table is small, or too large in its counts for float64."""
    if values.dtype == object or len(values) <= FEW_CELLS:
        return True
    return values.dtype == np.int64 and int(values.sum()) >= FLOAT_LIMIT


def as_plain(cells: Cells) -> Plain:
    """The table as Python ints."""
    values, unit = cells.values.tolist(), Fraction(1)
    if cells.values.dtype == np.float64:
        values, unit = _exact.whole(values)
    return _exact.plain(cells.rows.tolist(), cells.cols.tolist(), values, unit)


def exact_sum(values: NDArray[Any]) -> int | Fraction:
    """The sum: exact for whole numbers and for few reals, else correctly rounded."""
    if values.dtype == np.float64 and len(values) <= FEW_CELLS:
        numbers, unit = _exact.whole(values.tolist())
        return sum(numbers) * unit
    if values.dtype == np.float64:
        return Fraction(math.fsum(values.tolist()))
    return int(values.sum()) if len(values) else 0


def sum_squares(values: NDArray[Any]) -> int | Fraction:
    """The sum of squares: exact for whole numbers and for few reals, else compensated."""
    if values.dtype == np.float64:
        if len(values) > FEW_CELLS:
            return Fraction(math.fsum((values * values).tolist()))
        numbers, unit = _exact.whole(values.tolist())
        return _exact.sum_squares(numbers) * unit * unit
    if values.dtype == object or len(values) <= FEW_CELLS:
        return _exact.sum_squares(values.tolist())
    from clustervet import _kernels

    words = [int(word) for word in _kernels.sum_squares(values)]
    high, middle, low = (words[k] + (words[k + 3] << 64) for k in range(3))
    return (high << 64) + (middle << 33) + low


def entropy(table: TableSums, sizes: NDArray[Any], plain_sizes: str) -> float:
    """Entropy of a margin in nats."""
    if table.plain is not None:
        return _exact.entropy(getattr(table.plain, plain_sizes), table.plain.n)
    from clustervet import _kernels

    return float(_kernels.entropy(sizes.astype(np.float64), float(table.n)))


def cell_sums(table: TableSums) -> CellSums:
    """All sums over cells."""
    if table.plain is not None:
        return _exact.cell_sums(table.plain)
    from clustervet import _kernels

    cells, n = table.cells, float(table.n)
    bands = _row_bands(cells.indptr)
    parts = _kernels.run(
        _kernels.cell_sums,
        [
            (cells.indptr, cells.cols, cells.values, table.class_sizes, table.cluster_sizes, n, *b)
            for b in bands
        ],
    )
    sums = [math.fsum(column) for column in zip(*(part[0] for part in parts), strict=True)]
    occupied = sum((Fraction(high) + Fraction(low) for _, high, low in parts), Fraction(0))
    # The deviance of an empty cell is its expectation; all of them together, exactly.
    empty = float(1 - occupied / Fraction(n) ** 2)
    sums[2] += max(0.0, empty)
    return CellSums(*sums)


def _row_bands(indptr: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Bands of rows with about the same number of cells, one a core."""
    from clustervet import _kernels

    edges = [
        int(np.searchsorted(indptr, first)) for first, _ in _kernels.ranges(int(indptr[-1]), 50_000)
    ]
    edges[0] = 0
    return list(zip(edges, [*edges[1:], len(indptr) - 1], strict=True))


def peaks(table: TableSums) -> Peaks:
    """The largest cells."""
    if table.plain is not None:
        return _exact.peaks(table.plain)
    from clustervet import _kernels

    cells = table.cells
    return Peaks(
        *_kernels.peaks(
            cells.indptr, cells.cols, cells.values, table.class_sizes, table.cluster_sizes
        )
    )


def expected_information(table: TableSums) -> float:
    """Expected mutual information in nats over all tables with these margins."""
    classes, clusters = _distinct(table.class_sizes), _distinct(table.cluster_sizes)
    return expected_deviances(classes, clusters, int(table.n))


def expected_deviances(
    classes: Mapping[int, float], clusters: Mapping[int, float], n: int
) -> float:
    """Expected mutual information in nats from the (mean) numbers of clusters of each size."""
    if n >= 2**1000 or patience.allows(len(classes) * len(clusters)):
        return _exact.expected_information(classes, clusters, n)
    return math.fsum(_expected_terms(classes, clusters, n).ravel())


def expected_matrix(
    classes: NDArray[np.int64], clusters: NDArray[np.int64], n: int
) -> NDArray[np.float64]:
    """The part of one class and one cluster in the expected mutual information, by their sizes."""
    heights, widths = (dict.fromkeys(side.tolist(), 1) for side in (classes, clusters))
    if patience.allows(len(classes) * len(clusters)):
        terms = [[_exact.expected_information({a: 1}, {b: 1}, n) for b in widths] for a in heights]
        return np.array(terms)
    return _expected_terms(heights, widths, n)


def _expected_terms(
    classes: Mapping[int, float], clusters: Mapping[int, float], n: int
) -> NDArray[np.float64]:
    from clustervet import _kernels

    # The sizes of complements do not follow from sizes beyond 2^53.
    sides = [
        np.array([float(x) for x in column])
        for side in (classes, clusters)
        for column in (side, (n - size for size in side), side.values())
    ]
    bands = _kernels.ranges(len(classes), max(1, 2_000 // len(clusters)))
    terms = np.empty((len(classes), len(clusters)))
    _kernels.run(_kernels.expected_terms, [(*sides, float(n), *band, terms) for band in bands])
    return terms


def _distinct(sizes: NDArray[Any]) -> dict[int, int]:
    """Distinct sizes with their multiplicities."""
    if sizes.dtype == object:
        return Counter(sizes.tolist())
    values, counts = np.unique(sizes, return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))
