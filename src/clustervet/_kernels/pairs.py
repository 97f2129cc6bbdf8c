"""Sums and extremes over pairs of points in cluster order; each pair is visited once.

Points are sorted by cluster; cluster c has positions starts[c]..starts[c+1]. Work comes in blocks
of rows: a block is some whole clusters, or a piece of one large cluster (`piece`, otherwise -1).
The sum of a row over a later cluster is complete as soon as the row is done. The sum of a column
over the rows' cluster is complete once all its rows are, so pieces keep theirs in `pending`, and no
array of the size points × clusters is needed.
"""

from __future__ import annotations

import numpy as np

from clustervet._kernels.compile import compiled, compiled_for_vectors
from clustervet._kernels.tiles import direct_tile


@compiled_for_vectors
def add_tile(
    tile, first, last, start, stop, starts, codes, piece, row_sums, own, nearest, which, pending
):
    """Add a tile's distances to the sums of its rows and of its columns.

    Row r of the tile is point first + r, column j is point start + j; only columns after the
    row count. `row_sums` is rows × clusters; `own` sums distances within a point's cluster;
    `nearest` is the least mean distance to another cluster so far, `which` that cluster.
    """
    height = last - first
    columns = np.empty(stop - start)
    r = 0
    while r < height:
        cluster = codes[first + r]
        end = min(height, starts[cluster + 1] - first)
        columns[:] = 0.0
        for row in range(r, end):
            i = first + row
            j = max(start, i + 1)
            while j < stop:
                other = codes[j]
                until = min(stop, starts[other + 1])
                total = 0.0
                values = tile[row, j - start : until - start]
                sums = columns[j - start : until - start]
                for q in range(until - j):
                    total += values[q]
                    sums[q] += values[q]
                row_sums[row, other] += total
                j = until
        inside = min(stop, starts[cluster + 1])
        j = max(start, first + r)
        while j < inside:
            own[j] += columns[j - start]
            j += 1
        j = max(j, start)
        if piece >= 0:
            for q in range(j, stop):
                pending[q] += columns[q - start]
        else:
            size = starts[cluster + 1] - starts[cluster]
            for q in range(j, stop):
                mean = columns[q - start] / size
                if mean < nearest[q]:
                    nearest[q] = mean
                    which[q] = cluster
        r = end


@compiled
def close_rows(row_sums, first, last, starts, codes, own, nearest, which, between):
    """Turn the finished sums of a block's rows into means; `between` sums over other clusters."""
    clusters = len(starts) - 1
    for r in range(last - first):
        i = first + r
        cluster = codes[i]
        own[i] += row_sums[r, cluster]
        for other in range(cluster + 1, clusters):
            total = row_sums[r, other]
            between[cluster] += total
            mean = total / (starts[other + 1] - starts[other])
            if mean < nearest[i]:
                nearest[i] = mean
                which[i] = other
        row_sums[r, :] = 0.0


@compiled
def settle_pending(pending, cluster, starts, nearest, which):
    """The sums of columns over a large cluster are complete: use them for the nearest means."""
    size = starts[cluster + 1] - starts[cluster]
    for j in range(starts[cluster + 1], len(pending)):
        mean = pending[j] / size
        if mean < nearest[j]:
            nearest[j] = mean
            which[j] = cluster
        pending[j] = 0.0


@compiled_for_vectors
def direct_sums(
    columns,
    blocks,
    begin,
    metric,
    starts,
    codes,
    own,
    nearest,
    which,
    pending,
    between,
    rows,
    width,
):
    """Sums over pairs of the blocks' rows with all later points, distances by differences.

    `pending[0]` is for a large cluster that began before `begin`, the first row of all blocks that
    share the sums, and `pending[1]` for one that continues after them.
    """
    n = columns.shape[1]
    tile = np.empty((rows, width), columns.dtype)
    row_sums = np.zeros((rows, len(starts) - 1))
    for b in range(len(blocks)):
        first, last, piece = blocks[b]
        slot = 0 if piece >= 0 and starts[piece] < begin else 1
        for start in range(first, n, width):
            stop = min(n, start + width)
            direct_tile(columns, columns, first, last, start, stop, metric, tile)
            add_tile(
                tile,
                first,
                last,
                start,
                stop,
                starts,
                codes,
                piece,
                row_sums,
                own,
                nearest,
                which,
                pending[slot],
            )
        close_rows(row_sums, first, last, starts, codes, own, nearest, which, between)
        if piece >= 0 and slot == 1 and last == starts[piece + 1]:
            settle_pending(pending[1], piece, starts, nearest, which)


@compiled_for_vectors
def add_rows(tile, height, start, stop, starts, codes, row_sums):
    """Add a tile's distances to the sums of its rows over each cluster of its columns."""
    for row in range(height):
        j = start
        while j < stop:
            other = codes[j]
            until = min(stop, starts[other + 1])
            total = 0.0
            values = tile[row, j - start : until - start]
            for q in range(until - j):
                total += values[q]
            row_sums[row, other] += total
            j = until


@compiled
def extreme_rows(tile, first, last, start, stop, starts, codes, low, high):
    """Least and greatest distance of each row to each cluster of the tile's columns.

    The distance of a point to itself does not count as its least one.
    """
    for row in range(last - first):
        j = start
        while j < stop:
            other = codes[j]
            until = min(stop, starts[other + 1])
            least, most = low[row, other], high[row, other]
            for q in range(j, until):
                value = tile[row, q - start]
                most = max(most, value)
                if q != first + row:
                    least = min(least, value)
            low[row, other], high[row, other] = least, most
            j = until


@compiled
def close_extremes(low, high, first, last, codes, separation, reach, nearest, farthest, hausdorff):
    """Update the extremes of points and, if wanted, of pairs of clusters with those of a block.

    `separation` is the least distance of a point to another cluster and `reach` its greatest within
    its own; `nearest`, `farthest` and `hausdorff` are clusters × clusters, or empty.
    """
    clusters = low.shape[1]
    for row in range(last - first):
        i = first + row
        cluster = codes[i]
        reach[i] = max(0.0, high[row, cluster])
        for other in range(clusters):
            if other != cluster:
                separation[i] = min(separation[i], low[row, other])
        if len(nearest):
            for other in range(clusters):
                nearest[cluster, other] = min(nearest[cluster, other], low[row, other])
                farthest[cluster, other] = max(farthest[cluster, other], high[row, other])
                hausdorff[cluster, other] = max(hausdorff[cluster, other], low[row, other])
        low[row, :] = np.inf
        high[row, :] = -np.inf
