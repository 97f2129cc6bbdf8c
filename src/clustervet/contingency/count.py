"""Counting: from two arrays of codes to the cells of a table.

The limit is one read of both arrays. Labels in a small range are counted into a dense block
whose extent is guessed from a sample and checked while counting, so that the usual case is
just that one read; a wrong guess costs one more. Objects of sparse tables are brought into bands
of classes first, each of which is counted in cache; wide ranges are numbered by hash before that,
and nothing sorts all labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet._exact import Plain, plain
from clustervet.contingency.cells import Cells, group_cells, squeeze
from clustervet.labels import Codes
from clustervet.labels.codes import Names
from clustervet.labels.pair import heavy_rows

# Up to this many objects numpy is quicker than loading compiled loops.
FEW_OBJECTS = 20_000
# Numbers of up to this many bits are counted as pairs in one array, and tables of up to this many
# cells are finished in plain Python.
FEW_BITS = 6
FEW_KEYS = 100
UNSIGNED = {np.dtype(f"i{size}"): np.dtype(f"u{size}") for size in (4, 8)}
ONE = Fraction(1)
DENSE_CELLS = 2**24
SAMPLE = 2_048
GRAIN = 500_000
CHUNK = 2**20
PAGE = 4_096
# Sparse tables are counted in about 2^BANDS bands of at most 2^MOST_SHIFT rows.
BANDS, MOST_SHIFT = 9, 16
SPARSE_GRAIN = 100_000
# Objects that are counted at once, and the share of them, 1 / MANY, that are many cells.
BLOCK, MANY = 2**24, 8
Span = tuple[int, int]
Used = tuple[Cells, NDArray[np.bool_]]


class Banded(NamedTuple):
    """Objects by bands of 2^shift rows: where bands start, rows in them, columns, and shares."""

    shift: int
    starts: NDArray[np.int64]
    near: NDArray[np.uint16]
    far: NDArray[np.int32]
    shares: list[tuple[int, int]]


Counted = tuple[Cells, NDArray[Any], NDArray[Any]]


def count_labels(truth: Codes, pred: Codes, weights: NDArray[Any] | None) -> Counted:
    """Cells without empty rows or columns, and the codes that the rows and columns stand for."""
    if weights is not None:
        kept = heavy_rows(weights)
        if not kept.all():
            truth, pred, weights = truth.keep(kept), pred.keep(kept), weights[kept]
        return _weighted(truth.values, pred.values, weights)
    if len(truth) <= FEW_OBJECTS:
        return _few(truth.values, pred.values)
    guess = truth.span or _guess(truth.values), pred.span or _guess(pred.values)
    return _try_dense(truth.values, pred.values, *guess) or _measured(truth, pred)


def count_short(truth: Any, pred: Any) -> tuple[Plain, Names, Names] | None:
    """Count two arrays of small numbers from 0 on, with the names of rows and columns.

    None if they are something else, or have many objects or cells. The result is that of counting
    any labels; most of the time of a small call would go into reading them.
    """
    if not (type(truth) is type(pred) is np.ndarray and truth.dtype == pred.dtype):
        return None
    unsigned = UNSIGNED.get(truth.dtype)
    if unsigned is None or truth.ndim != 1 or not 0 < len(truth) <= FEW_OBJECTS:
        return None
    if truth.shape != pred.shape:
        return None
    largest = np.maximum.reduce((truth | pred).view(unsigned))  # very large if any is negative
    bits = int(largest).bit_length()
    if bits > FEW_BITS:
        return None
    counts = np.bincount((truth << bits) | pred)
    keys = counts.nonzero()[0]
    if len(keys) > FEW_KEYS:
        return None
    rows, cols = (keys >> bits).tolist(), (keys & ((1 << bits) - 1)).tolist()
    names = list(dict.fromkeys(rows)), sorted(set(cols))
    if len(names[0]) <= rows[-1]:
        place = {name: k for k, name in enumerate(names[0])}
        rows = [place[name] for name in rows]
    if len(names[1]) <= names[1][-1]:
        place = {name: k for k, name in enumerate(names[1])}
        cols = [place[name] for name in cols]
    return plain(rows, cols, counts[keys].tolist(), ONE), *names


def _few(truth: NDArray[Any], pred: NDArray[Any]) -> Counted:
    rows, height, classes = _narrow(truth.astype(np.int64))
    cols, width, clusters = _narrow(pred.astype(np.int64))
    keys = rows * width + cols
    if height * width <= 4 * FEW_OBJECTS:
        counts = np.bincount(keys)
        keys = np.flatnonzero(counts)
        counts = counts[keys]
    else:
        keys, counts = np.unique(keys, return_counts=True)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(keys // width, minlength=height))])
    cells = Cells(indptr, (keys % width).astype(np.int32), counts.astype(np.int64))
    return _named(cells, classes, clusters)


def _narrow(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], int, NDArray[np.int64] | int]:
    """Codes from zero up, their number, and what they stand for (or the offset)."""
    low, high = int(values.min()), int(values.max())
    if high - low < 4 * max(FEW_OBJECTS, len(values)):
        return values - low, high - low + 1, low
    distinct, codes = np.unique(values, return_inverse=True)
    return codes, len(distinct), distinct


def _named(
    cells: Cells,
    classes: NDArray[Any] | int,
    clusters: NDArray[Any] | int,
    used: NDArray[np.bool_] | None = None,
) -> Counted:
    cells, rows, cols = squeeze(cells, used)
    return cells, _names(classes, rows), _names(clusters, cols)


def _names(codes: NDArray[Any] | int, kept: NDArray[np.int64]) -> NDArray[Any]:
    if not isinstance(codes, int):
        return codes[kept]
    kept += codes
    return kept


def _guess(values: NDArray[Any]) -> Span:
    """A span that probably holds all values, from a sample, rounded up."""
    sample = values[:: max(1, len(values) // SAMPLE)]
    low, high = int(sample.min()), int(sample.max())
    room = max(8, (high - low) // 16)
    low = min(low, max(0, low - room)) if low >= 0 else max(low - room, -(2**63))
    return low, high - low + 1 + room


def count_pairs_alone(truth: Any, pred: Any) -> tuple[int, int, int] | None:
    """Pairs of objects in one class, in one cluster, and in both.

    None for anything but two arrays of whole numbers with a small table, or with a large and sparse
    one: other tables are counted in as little time.
    """
    if not (type(truth) is type(pred) is np.ndarray and truth.dtype in UNSIGNED):
        return None
    if pred.dtype not in UNSIGNED or truth.ndim != 1 or truth.shape != pred.shape:
        return None
    if len(truth) <= FEW_OBJECTS:
        return _few_pairs(truth, pred) if truth.dtype == pred.dtype and len(truth) else None
    if len(truth) > BLOCK or not _is_sparse(_guess(truth)[1], _guess(pred)[1], len(truth)):
        return None
    return _sparse_pairs(truth, pred)


def _few_pairs(truth: NDArray[Any], pred: NDArray[Any]) -> tuple[int, int, int] | None:
    """Pairs by a dense table of small numbers from 0 on."""
    largest = np.maximum.reduce((truth | pred).view(UNSIGNED[truth.dtype]))  # large if one is < 0
    bits = int(largest).bit_length()
    if bits > FEW_BITS:
        return None
    width, n = 1 << bits, len(truth)
    cells = np.bincount((truth << bits) | pred, minlength=width * width)
    table = cells.reshape(width, width)
    rows, cols = np.add.reduce(table, axis=1), np.add.reduce(table, axis=0)
    squares = (int(sizes.dot(sizes)) for sizes in (rows, cols, cells))
    in_row, in_col, in_cell = ((square - n) // 2 for square in squares)
    return in_row, in_col, in_cell


def _sparse_pairs(truth: NDArray[Any], pred: NDArray[Any]) -> tuple[int, int, int] | None:
    from clustervet import _kernels

    found = _kernels.run(_kernels.value_range, [(truth,), (pred,)])
    (low, height), (left, width) = [(int(a), int(b) - int(a) + 1) for a, b in found]
    if max(height, width) > max(2**16, 2 * len(truth)) or not _is_sparse(height, width, len(truth)):
        return None
    bands = _banded(truth, pred, (low, height), left)
    given = bands.starts, bands.shift, bands.near, bands.far, height
    counted = _kernels.run(_kernels.pair_bands, [(*share, *given) for share in bands.shares])
    parts = _kernels.ranges(len(pred), SPARSE_GRAIN)
    sizes = np.zeros((len(parts), width), np.int32)
    _kernels.run(
        _kernels.column_sizes,
        [(pred[slice(*part)], np.int64(left), sizes[k]) for k, part in enumerate(parts)],
    )
    columns = sizes.sum(axis=0, dtype=np.int64)
    in_row, in_cell = (sum(int(part[k]) for part in counted) for k in range(2))
    return in_row, (int(columns @ columns) - len(pred)) // 2, in_cell


def _is_sparse(height: int, width: int, objects: int) -> bool:
    """Whether a table is too large for a dense block."""
    return height * width > min(DENSE_CELLS, max(2**16, 2 * objects))


def _measured(truth: Codes, pred: Codes) -> Counted:
    """Count with known spans: dense if it fits, else sparse, wide ranges numbered first."""
    from clustervet import _kernels

    sides = [_kernel_ready(truth.values), _kernel_ready(pred.values)]
    spans: list[Span] = []
    for low, high in _kernels.run(_kernels.value_range, [(side,) for side in sides]):
        spans.append((int(low), int(high) - int(low) + 1))
    dense = _try_dense(sides[0], sides[1], spans[0], spans[1])
    if dense is not None:
        return dense
    names: list[Any] = [spans[0][0], spans[1][0]]
    for k, side in enumerate(sides):
        if spans[k][1] > max(2**16, 2 * len(side)):
            wide = side.astype(np.int64)
            sides[k], first = _kernels.hash_codes(wide, len(wide))
            keys = wide[first]
            order = np.argsort(keys)
            rank = np.empty(len(keys), np.int32)
            rank[order] = np.arange(len(keys), dtype=np.int32)
            sides[k] = rank[sides[k]]
            names[k], spans[k] = keys[order], (0, len(keys))
    cells, used = _sparse(sides[0], sides[1], spans[0], spans[1])
    return _named(cells, names[0], names[1], used)


def _try_dense(truth: NDArray[Any], pred: NDArray[Any], rows: Span, cols: Span) -> Counted | None:
    """Count into a dense block; None if the block would be too large or a label lies outside."""
    from clustervet import _kernels

    (low, height), (left, width) = rows, cols
    size = height * width
    if _is_sparse(height, width, len(truth)):
        return None
    parts = _kernels.ranges(len(truth), max(GRAIN, size))
    room = -(-size // PAGE) * PAGE  # threads that share a cache line wait for each other
    small = np.zeros((len(parts), room), np.uint8)
    big = np.zeros((len(parts), room), np.uint32 if len(truth) < 2**32 else np.int64)

    def work(part: int, first: int, last: int) -> bool:
        return all(
            _kernels.count_dense(
                a, b, np.int64(low), np.int64(left), height, width, small[part], big[part]
            )
            for a, b in _slices(truth, pred, first, last)
        )

    jobs = [(part, first, last) for part, (first, last) in enumerate(parts)]
    if not all(_kernels.run(work, jobs)):
        return None
    cells, used = _gather(small, big, height, width)
    return _named(cells, low, left, used)


def _gather(small: NDArray[Any], big: NDArray[Any], height: int, width: int) -> Used:
    """The dense block as cells, in two parallel sweeps: how many a row, then what they are."""
    from clustervet import _kernels

    total = np.zeros(height * width, np.int64)
    indptr = np.zeros(height + 1, np.int64)
    bands = _kernels.ranges(height, max(1, 2**18 // width))
    _kernels.run(
        _kernels.merge_dense, [(small, big, width, *band, total, indptr[1:]) for band in bands]
    )
    np.cumsum(indptr, out=indptr)
    used = np.zeros(width, np.bool_)
    filled = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.int64)
    _kernels.run(
        _kernels.gather_dense, [(total, width, *band, indptr, *filled, used) for band in bands]
    )
    return Cells(indptr, *filled), used


def _sparse(truth: NDArray[Any], pred: NDArray[Any], rows: Span, cols: Span) -> Used:
    """Count in blocks of bounded size, and merge the blocks.

    Counting takes 10 bytes per object, and a cell has 12. So where the first block has many
    cells, and the table will have more, all objects are counted at once: merging would take more
    memory.
    """
    n = len(truth)
    used = np.zeros(cols[1], np.bool_)
    total = _count_sparse(truth[:BLOCK], pred[:BLOCK], rows, cols[0], used)
    if n > BLOCK and len(total.values) > BLOCK // MANY:
        del total
        return _count_sparse(truth, pred, rows, cols[0], used), used
    for first in range(BLOCK, n, BLOCK):
        sides = truth[first : first + BLOCK], pred[first : first + BLOCK]
        total = _merge(total, _count_sparse(*sides, rows, cols[0], used), rows[1])
    return total, used


def _banded(truth: NDArray[Any], pred: NDArray[Any], rows: Span, left: int) -> Banded:
    """Bring the objects into bands of rows that fit a cache, shared out among the threads."""
    from clustervet import _kernels

    lows, height = (np.int64(rows[0]), np.int64(left)), rows[1]
    shift = min(MOST_SHIFT, max(0, (height - 1).bit_length() - BANDS))
    bands = ((height - 1) >> shift) + 1
    parts = _kernels.ranges(len(truth), SPARSE_GRAIN)
    sizes = np.zeros((len(parts), bands), np.int64)
    _kernels.run(
        _kernels.band_sizes,
        [(truth[slice(*part)], lows[0], shift, sizes[k]) for k, part in enumerate(parts)],
    )
    starts = np.concatenate([[0], np.cumsum(sizes.sum(0))])
    place = (starts[:-1] + np.cumsum(sizes, 0) - sizes).astype(np.uint64)
    near, far = np.empty(len(truth), np.uint16), np.empty(len(truth), np.int32)
    jobs = [
        (truth[slice(*part)], pred[slice(*part)], *lows, shift, place[k], near, far)
        for k, part in enumerate(parts)
    ]
    _kernels.run(_kernels.fill_bands, jobs)
    edges = np.searchsorted(starts, [first for first, _ in parts] + [len(truth)]).tolist()
    return Banded(shift, starts, near, far, list(pairwise([0, *edges[1:-1], bands])))


def _count_sparse(
    truth: NDArray[Any], pred: NDArray[Any], rows: Span, left: int, used: NDArray[np.bool_]
) -> Cells:
    """Count each band of rows."""
    from clustervet import _kernels

    bands = _banded(truth, pred, rows, left)
    shift, starts, far, shares, height = bands.shift, bands.starts, bands.far, bands.shares, rows[1]
    counts = np.empty(len(truth), np.uint32 if len(truth) < 2**32 else np.int64)
    indptr, into = np.zeros(height + 1, np.int64), np.zeros(len(starts), np.int64)
    near, bands = bands.near, bands._replace(near=bands.near[:0])
    _kernels.run(
        _kernels.count_bands,
        [(*share, starts, shift, near, far, counts, indptr[1:], into[1:]) for share in shares],
    )
    del near
    np.cumsum(indptr, out=indptr)
    np.cumsum(into, out=into)
    filled = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.int64)
    _kernels.run(
        _kernels.gather_bands,
        [(*share, starts, far, counts, into, *filled, used) for share in shares],
    )
    return Cells(indptr, *filled)


def _merge(a: Cells, b: Cells, height: int) -> Cells:
    cells = group_cells(
        np.concatenate([a.rows, b.rows]),
        np.concatenate([a.cols, b.cols]),
        np.concatenate([a.values, b.values]),
    )
    missing = height + 1 - len(cells.indptr)
    indptr = np.pad(cells.indptr, (0, missing), mode="edge")
    return Cells(indptr, cells.cols, cells.values)


def _weighted(truth: NDArray[Any], pred: NDArray[Any], weights: NDArray[Any]) -> Counted:
    if weights.dtype == np.int64 and weights.sum(dtype=np.float64) >= 2**62:
        weights = weights.astype(object)
    rows, _, classes = _narrow(truth.astype(np.int64))
    cols, _, clusters = _narrow(pred.astype(np.int64))
    return _named(group_cells(rows, cols, weights), classes, clusters)


def _kernel_ready(values: NDArray[Any]) -> NDArray[Any]:
    """Compiled loops read int32 and int64; anything narrower widens, without a copy if it can."""
    if values.dtype in (np.int32, np.int64):
        return values
    return values.view(np.int64) if values.dtype == np.uint64 else values.astype(np.int64)


def _slices(
    truth: NDArray[Any], pred: NDArray[Any], first: int, last: int
) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """The arrays from first to last: whole, or widened in chunks that stay in cache."""
    ready = all(side.dtype in (np.int32, np.int64) for side in (truth, pred))
    step = last - first if ready else CHUNK
    for at in range(first, last, step):
        stop = min(at + step, last)
        yield _kernel_ready(truth[at:stop]), _kernel_ready(pred[at:stop])
