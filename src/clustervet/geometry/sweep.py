"""Passes over pairs of points: sums by cluster and extremes, in threads and bounded memory."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet import _kernels
from clustervet._memory import need
from clustervet._progress import ticking
from clustervet.geometry.points import check_sums
from clustervet.geometry.sources import DirectSource, Positions, ProductSource, Source

Floats = NDArray[np.float64]
Stopped = Callable[[], bool]
# Parts per core into which a pass is cut, so that no core waits long for the others.
PARTS = 8
# Differences of coordinates that a compiled loop takes at once; they take about a second.
AT_ONCE = 2**31
# Largest number of values of a block of points × clusters.
BLOCK = 2**22
# Distances below which threads cost more than they save.
AT_LEAST = 2**21


@dataclass(frozen=True, slots=True)
class PairSums:
    """Sums over pairs of points, in cluster order.

    `own` is the summed distance of a point to its cluster, `nearest` its least mean distance to
    another cluster, and `which` that cluster; `between` is the sum over pairs in two clusters.
    """

    own: Floats
    nearest: Floats
    which: NDArray[np.int32]
    between: float


def pair_sums(source: Source, starts: Positions, codes: NDArray[np.int32]) -> PairSums:
    """Sums over all pairs; each pair is visited once, or twice where there are few points."""
    n, clusters = len(codes), len(starts) - 1
    if source.plain:
        return _plain_sums(source, starts, codes)
    total = PairSums(np.zeros(n), np.full(n, np.inf), np.zeros(n, np.int32), 0.0)
    pending: dict[int, Floats] = {}
    between = 0.0

    def part(blocks: Positions, stopped: Stopped) -> tuple[PairSums, Floats, Floats]:
        own, nearest, which = np.zeros(n), np.full(n, np.inf), np.zeros(n, np.int32)
        waiting, across = np.zeros((2, n)), np.zeros(clusters)
        state = (starts, codes, own, nearest, which, waiting, across)
        if isinstance(source, DirectSource):
            step = max(1, AT_ONCE // (source.height * source.columns.size))
            for at in range(0, len(blocks), step):
                if stopped():
                    break
                some = (source.columns, blocks[at : at + step], blocks[0, 0], source.kind)
                _kernels.direct_sums(*some, *state, source.height, source.width)
        else:
            _tile_sums(source, blocks, stopped, *state)
        return PairSums(own, nearest, which, 0.0), waiting, across

    parts = plan(starts, n, source.height)
    for blocks, (found, waiting, across) in _in_threads(part, parts, source, "pairs of points"):
        total.own[:] += found.own
        _take(total, found.nearest, found.which)
        between += float(across.sum())
        for cluster, slot in _left_open(blocks, starts):
            if cluster in pending:
                pending[cluster] += waiting[slot]
            else:
                pending[cluster] = waiting[slot].copy()
    for cluster, sums in pending.items():
        _kernels.settle_pending(sums, cluster, starts, total.nearest, total.which)
    return PairSums(total.own, total.nearest, total.which, between)


def _plain_sums(source: Source, starts: Positions, codes: NDArray[np.int32]) -> PairSums:
    """Like `pair_sums`, by numpy alone."""
    n, sizes = len(codes), np.diff(starts)

    def part(rows: Positions, stopped: Stopped) -> PairSums:
        sums = np.add.reduceat(source.tile(rows, 0, n), starts[:-1], axis=1, dtype=np.float64)
        return given_sums(sums, codes[rows], sizes)

    blocks = [np.arange(at, min(n, at + source.height)) for at in range(0, n, source.height)]
    return _joined([found for _, found in _in_threads(part, blocks, source, "pairs of points")])


def _joined(parts: list[PairSums]) -> PairSums:
    """The sums of all points from those of some points each."""
    own, nearest, which = (
        np.concatenate([getattr(found, name) for found in parts])
        for name in ("own", "nearest", "which")
    )
    return PairSums(own, nearest, which, math.fsum(found.between for found in parts))


def weighted_sums(
    source: Source,
    starts: Positions,
    codes: NDArray[np.int32],
    sizes: NDArray[Any],
    weights: Floats,
) -> PairSums:
    """Like `pair_sums`, of points with weights; each pair is visited twice.

    A distance counts as often in the sums of a point as the other point weighs, and in `between`
    as often as the product of both weights.
    """
    n = len(codes)
    parts = []
    step = max(1, BLOCK // len(sizes))
    for at in range(0, n, step):
        rows = np.arange(at, min(n, at + step))
        sums = row_sums(source, rows, starts, codes, weights, "pairs of points")
        parts.append(given_sums(sums, codes[rows], sizes, weights[rows]))
    return _joined(parts)


def given_sums(
    sums: Floats, codes: NDArray[np.int32], sizes: NDArray[Any], weights: Floats | None = None
) -> PairSums:
    """Like `pair_sums`, from the summed distances of every point to every cluster."""
    rows = np.arange(len(codes))
    own = sums[rows, codes]
    means = sums / sizes
    means[rows, codes] = np.inf
    which = means.argmin(axis=1).astype(np.int32)
    if weights is None:
        between = float(sums.sum() - own.sum()) / 2
    else:
        between = float(weights @ (sums.sum(axis=1) - own)) / 2
    return PairSums(own, means[rows, which], which, between)


def _take(total: PairSums, nearest: Floats, which: NDArray[np.int32]) -> None:
    """Keep the nearer cluster; the earlier one where two are equally near."""
    nearer = (nearest < total.nearest) | ((nearest == total.nearest) & (which < total.which))
    total.nearest[nearer] = nearest[nearer]
    total.which[nearer] = which[nearer]


def _left_open(blocks: Positions, starts: Positions) -> list[tuple[int, int]]:
    """Large clusters whose sums these blocks began or continued, with their slots."""
    first, last = blocks[0], blocks[-1]
    found = []
    if first[2] >= 0 and starts[first[2]] < first[0]:
        found.append((int(first[2]), 0))
    if last[2] >= 0 and last[1] < starts[last[2] + 1] and starts[last[2]] >= first[0]:
        found.append((int(last[2]), 1))
    return found


def _tile_sums(
    source: Source, blocks: Positions, stopped: Stopped, starts: Any, codes: Any, *state: Any
) -> None:
    """Like the compiled `direct_sums`, for distances that come in tiles."""
    own, nearest, which, waiting, across = state
    n = len(codes)
    sums = np.zeros((source.height, len(starts) - 1))
    for first, last, piece in blocks.tolist():
        if stopped():
            return
        slot = 0 if piece >= 0 and starts[piece] < blocks[0, 0] else 1
        rows = np.arange(first, last)
        for start in range(first, n, source.width):
            stop = min(n, start + source.width)
            tile = source.tile(rows, start, stop)
            where = (first, last, start, stop, starts, codes, piece)
            _kernels.add_tile(tile, *where, sums, own, nearest, which, waiting[slot])
        _kernels.close_rows(sums, first, last, starts, codes, own, nearest, which, across)
        if piece >= 0 and slot == 1 and last == starts[piece + 1]:
            _kernels.settle_pending(waiting[1], piece, starts, nearest, which)


def plan(starts: Positions, n: int, height: int) -> list[Positions]:
    """Blocks (first, last, large cluster of which it is a piece, or -1), in parts of equal work."""
    blocks: list[tuple[int, int, int]] = []
    first = 0
    for cluster, (start, stop) in enumerate(
        zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    ):
        if stop - start >= height:
            if first < start:
                blocks.append((first, start, -1))
            blocks += [(at, min(stop, at + height), cluster) for at in range(start, stop, height)]
            first = stop
        elif stop - first > height:
            blocks.append((first, start, -1))
            first = start
    if first < n:
        blocks.append((first, n, -1))
    table = np.array(blocks, np.int64)
    work = np.cumsum((table[:, 1] - table[:, 0]) * (n - table[:, 0]).astype(np.float64))
    parts = PARTS * _kernels.cores() if n > 2_000 else 1
    cuts = np.searchsorted(work, np.arange(1, parts) * work[-1] / parts)
    return [part for part in np.split(table, np.unique(cuts)) if len(part)]


def _in_threads(part: Any, parts: list[Any], source: Source, what: str) -> Any:
    """Each part with its result, in order; matrix products use one core per thread.

    A part is told how to find out that its result is no longer wanted.
    """
    alone = _kernels.blas_on_one_core if isinstance(source, ProductSource) else nullcontext

    def guarded(item: Any, unwanted: Stopped) -> Any:
        with alone():
            return part(item, unwanted)

    with alone(), ticking(len(parts), what) as tick:
        if len(parts) == 1:
            yield parts[0], part(parts[0], lambda: False)
            return
        with _kernels.Pool(_kernels.cores()) as pool:
            results = pool.map(guarded, parts, repeat(pool.stopped.is_set))
            for item, found in zip(parts, results, strict=True):
                yield item, found
                tick()


def row_sums(
    source: Source,
    rows: Positions,
    starts: Positions,
    codes: NDArray[np.int32],
    weights: Floats | None = None,
    what: str = "sampled points",
) -> Floats:
    """The rows' summed distances to every cluster, times the weights of its points if given."""
    n = len(codes)
    check_sums(len(rows), len(starts) - 1)
    sums = np.zeros((len(rows), len(starts) - 1))
    height = source.height
    parts = [(at, min(len(rows), at + height)) for at in range(0, len(rows), height)]

    def part(span: tuple[int, int], stopped: Stopped) -> None:
        first, last = span
        for start in range(0, n, source.width):
            if stopped():
                return
            stop = min(n, start + source.width)
            tile = source.tile(rows[first:last], start, stop)
            if weights is not None:
                tile = tile * weights[start:stop]
            if source.plain:  # the tile has all columns
                sums[first:last] = np.add.reduceat(tile, starts[:-1], axis=1, dtype=np.float64)
            else:
                _kernels.add_rows(tile, last - first, start, stop, starts, codes, sums[first:last])

    for _ in _in_threads(part, parts, source, what):
        pass
    return sums


def own_sums(
    source: Source,
    rows: Positions,
    starts: Positions,
    codes: NDArray[np.int32],
    weights: Floats | None = None,
) -> Floats:
    """The rows' summed distances to their own clusters, as in `row_sums`; the rows rise."""
    sums = np.zeros(len(rows))
    firsts = np.arange(0, len(rows), source.height)
    lasts = np.minimum(firsts + source.height, len(rows))
    # The columns of a block are those of all clusters that it has rows of.
    lows, highs = starts[codes[rows[firsts]]], starts[codes[rows[lasts - 1]] + 1]
    blocks = np.column_stack([firsts, lasts, lows, highs])
    work = np.cumsum((lasts - firsts) * (highs - lows).astype(np.float64))
    parts = PARTS * _kernels.cores() if work[-1] > AT_LEAST else 1
    cuts = np.searchsorted(work, np.arange(1, parts) * work[-1] / parts)

    def part(blocks: Positions, stopped: Stopped) -> None:
        for first, last, low, high in blocks.tolist():
            picked = rows[first:last]
            mixed = codes[picked[0]] != codes[picked[-1]]
            for start in range(low, high, source.width):
                if stopped():
                    return
                stop = min(high, start + source.width)
                tile = source.tile(picked, start, stop)
                if mixed:
                    tile = np.where(codes[picked][:, None] == codes[start:stop], tile, 0)
                if weights is not None:
                    tile = tile * weights[start:stop]
                sums[first:last] += tile.sum(axis=1, dtype=np.float64)

    some = [one for one in np.split(blocks, np.unique(cuts)) if len(one)]
    for _ in _in_threads(part, some, source, "points beside those of their cluster"):
        pass
    return sums


@dataclass(frozen=True, slots=True)
class Extremes:
    """Least and greatest distances.

    In cluster order, `separation` is the least distance of a point to another cluster and `reach`
    the greatest within its own. By pair of clusters, if asked for: the `nearest` and `farthest`
    points, and the one-sided `hausdorff` distance from row to column.
    """

    separation: Floats
    reach: Floats
    nearest: Floats
    farthest: Floats
    hausdorff: Floats

    def squared(self, factor: float) -> Extremes:
        """The same extremes for squared distances times a factor."""
        every = (self.separation, self.reach, self.nearest, self.farthest, self.hausdorff)
        return Extremes(*(factor * np.sign(x) * x**2 for x in every))


def extremes(
    source: Source, starts: Positions, codes: NDArray[np.int32], *, by_pair: bool
) -> Extremes:
    """Extremes over all pairs of points; with `by_pair` also those of every two clusters."""
    n, clusters = len(codes), len(starts) - 1
    side = clusters if by_pair else 0
    # Three matrices in all, and as many in each thread.
    need(24 * side**2 * (1 + _kernels.cores()), f"the distances between {side:,} clusters")
    separation, reach = np.full(n, np.inf), np.zeros(n)
    total = [np.full((side, side), value) for value in (np.inf, -np.inf, -np.inf)]
    edges = np.linspace(0, n, 1 + min(n, PARTS * _kernels.cores()), dtype=np.int64).tolist()
    parts = list(pairwise(edges))

    def part(span: tuple[int, int], stopped: Stopped) -> list[Floats]:
        first, last = span
        low = np.full((source.height, clusters), np.inf)
        high = np.full((source.height, clusters), -np.inf)
        found = [np.full((side, side), value) for value in (np.inf, -np.inf, -np.inf)]
        for top in range(first, last, source.height):
            if stopped():
                break
            bottom = min(last, top + source.height)
            rows = np.arange(top, bottom)
            for start in range(0, n, source.width):
                stop = min(n, start + source.width)
                tile = source.tile(rows, start, stop)
                if source.plain:  # the tile has all columns
                    _plain_extremes(tile, rows, starts, codes, separation, reach, *found)
                else:
                    _kernels.extreme_rows(tile, top, bottom, start, stop, starts, codes, low, high)
            if not source.plain:
                _kernels.close_extremes(low, high, top, bottom, codes, separation, reach, *found)
        return found

    for _, found in _in_threads(part, parts, source, "pairs of points"):
        for whole, new, better in zip(
            total, found, (np.minimum, np.maximum, np.maximum), strict=True
        ):
            better(whole, new, out=whole)
    return Extremes(separation, reach, *total)


def _plain_extremes(
    tile: NDArray[Any],
    rows: Positions,
    starts: Positions,
    codes: NDArray[np.int32],
    separation: Floats,
    reach: Floats,
    nearest: Floats,
    farthest: Floats,
    hausdorff: Floats,
) -> None:
    """Update the extremes with those of some rows, as `close_extremes` does, by numpy alone."""
    here, own = np.arange(len(rows)), codes[rows]
    high = np.maximum.reduceat(tile, starts[:-1], axis=1)
    reach[rows] = high[here, own]
    tile[here, rows] = np.inf
    low = np.minimum.reduceat(tile, starts[:-1], axis=1)
    if len(nearest):
        np.minimum.at(nearest, own, low)
        np.maximum.at(farthest, own, high)
        np.maximum.at(hausdorff, own, low)
    low[here, own] = np.inf
    separation[rows] = low.min(axis=1)
