"""Loops over many labelings: the tables of all their pairs, and what measures need of each.

A group of labelings is read as one: the joint code of its members is a number in mixed radix, with
the first member as the leading digit. Counting two groups against each other takes one increment
per object for all pairs of their members; the table of each pair is then a sum over the other
digits.
"""

from __future__ import annotations

import math

import numpy as np

from clustervet._kernels.cells import BLOCK, _add
from clustervet._kernels.compile import compiled, compiled_for_vectors

# The items of `sums` for each pair, in this order.
SUMS = ("n", "cells", "height", "width", "squares", "row_squares", "col_squares")


@compiled
def shrink(values, low, out, counts):
    """Write values minus `low` as narrower codes, and count each."""
    for i in range(len(values)):
        place = values[i] - low
        out[i] = place
        counts[place] += 1


@compiled
def count_pair(rows, cols, width, table):
    """Count two arrays of codes into a table, which is cleared first."""
    table[:] = 0
    wide = np.uint64(width)
    for i in range(len(rows)):
        table[np.uint64(rows[i]) * wide + np.uint64(cols[i])] += np.uint32(1)


@compiled
def _collapse_rows(table, height, width, stride, size, out):
    """Sum the rows that share one digit."""
    out[: size * width] = 0
    for row in range(height):
        digit = row // stride % size
        line = out[digit * width : (digit + 1) * width]
        part = table[row * width : (row + 1) * width]
        for k in range(width):
            line[k] += part[k]


@compiled
def _collapse_cols(table, height, width, stride, size, out):
    """Sum the columns that share one digit."""
    out[: height * size] = 0
    step = stride * size
    for row in range(height):
        line = out[row * size : (row + 1) * size]
        for first in range(row * width, (row + 1) * width, step):
            if stride == 1:
                part = table[first : first + size]
                for k in range(size):
                    line[k] += part[k]
            else:
                for k in range(size):
                    part = table[first + k * stride : first + (k + 1) * stride]
                    total = np.uint32(0)
                    for x in part:
                        total = np.uint32(total + x)
                    line[k] += total


@compiled
def _log(logs, count):
    return logs[count] if count < len(logs) else math.log(count)


@compiled
def _nearly_all(part, size):
    """-part log(part / size) where part is more than half of size, with full precision."""
    return -part * math.log1p(-np.float64(size - part) / np.float64(size))


@compiled
def _surprise(part, size, log_part, log_size):
    """-part log(part / size)."""
    return _nearly_all(part, size) if 2 * part > size else part * (log_size - log_part)


@compiled
def _margins(table, height, width, stride, rows, cols, row_peaks, col_peaks, sums):
    """Sums and largest cells of rows and columns, and all sums that are counted exactly."""
    cols[:width] = 0
    col_peaks[:width] = 0
    sums[:] = 0
    cells = 0
    squares = 0
    for r in range(height):
        line = table[r * stride : r * stride + width]
        total = 0
        peak = 0
        for k in range(width):
            x = np.int64(line[k])
            total += x
            peak = max(peak, x)
            cols[k] += x
            col_peaks[k] = max(col_peaks[k], x)
            squares += x * x
            cells += x > 0
        rows[r] = total
        row_peaks[r] = peak
    sums[1] = cells
    sums[4] = squares
    for r in range(height):
        sums[0] += rows[r]
        sums[2] += rows[r] > 0
        sums[5] += rows[r] * rows[r]
    for k in range(width):
        sums[3] += cols[k] > 0
        sums[6] += cols[k] * cols[k]


@compiled_for_vectors
def _row_terms(line, size, log_size, cols, log_cols, logs):
    """Part of a row in n times the variation of information, without cells above half of it.

    Terms are positive, so their order does not matter.
    """
    total = 0.0
    for k in range(len(line)):
        x = np.int64(line[k])
        log_x = logs[x]
        by_row = log_size - log_x if 2 * x <= size else 0.0
        by_col = log_cols[k] - log_x if 2 * x <= cols[k] else 0.0
        total += x * (by_row + by_col)
    return total


@compiled
def _row_terms_beyond(line, size, log_size, cols, log_cols, logs):
    """Like `_row_terms`, where counts may exceed the table of logarithms."""
    total = 0.0
    for k in range(len(line)):
        x = np.int64(line[k])
        if x > 0:
            log_x = _log(logs, x)
            by_row = log_size - log_x if 2 * x <= size else 0.0
            by_col = log_cols[k] - log_x if 2 * x <= cols[k] else 0.0
            total += x * (by_row + by_col)
    return total


@compiled
def _variation(table, height, width, stride, logs, rows, cols, row_peaks, col_peaks, log_cols):
    """N times the variation of information in nats, as a sum of positive terms."""
    total = 0.0
    lost = 0.0
    for k in range(width):
        log_cols[k] = _log(logs, cols[k])
        if 2 * col_peaks[k] > cols[k]:
            total, lost = _add(total, lost, _nearly_all(col_peaks[k], cols[k]))
    for r in range(height):
        size = rows[r]
        log_size = _log(logs, size)
        if 2 * row_peaks[r] > size:
            total, lost = _add(total, lost, _nearly_all(row_peaks[r], size))
        for start in range(0, width, BLOCK):
            stop = min(start + BLOCK, width)
            line = table[r * stride + start : r * stride + stop]
            sizes = cols[start:stop]
            log_sizes = log_cols[start:stop]
            if size < len(logs):
                part = _row_terms(line, size, log_size, sizes, log_sizes, logs)
            else:
                part = _row_terms_beyond(line, size, log_size, sizes, log_sizes, logs)
            total, lost = _add(total, lost, part)
    return total + lost


@compiled
def _members(table, first, last, left, right, height, width, slots, live, logs, work, out):
    """For each pair of a block: sum the table over the other digits, then compute its sums."""
    strip, pair, rows, cols, row_peaks, col_peaks, log_cols = work
    nats, sums, offset = out
    below = height
    for i in range(first, last):
        below //= slots[i]
        lines = table
        if last - first > 1:
            _collapse_rows(table, height, width, below, slots[i], strip)
            lines = strip
        beside = width
        for j in range(left, right):
            beside //= slots[j]
            if j <= i:
                continue
            cells = lines
            if right - left > 1:
                _collapse_cols(lines, slots[i], width, beside, slots[j], pair)
                cells = pair
            found = sums[i - first, j - offset]
            shape = live[i], live[j], slots[j]
            _margins(cells, *shape, rows, cols, row_peaks, col_peaks, found)
            nats[i - first, j - offset] = _variation(
                cells, *shape, logs, rows, cols, row_peaks, col_peaks, log_cols
            ) / max(1, found[0])


@compiled
def band(row, first, last, cols, edges, slots, live, room, logs, nats, sums):
    """Compare each of the labelings first..last, joint in `row`, with later ones, joint in `cols`.

    Group g of the columns holds labelings edges[g]..edges[g + 1]. A labeling has `slots` codes, of
    which the first `live` are clusters; the other one, if any, means no label. Pairs whose table is
    too large for `room` are skipped: their number of objects stays -1.
    """
    widest = slots[first : edges[-1]].max()
    height = slots[first:last].prod()
    table = np.empty(room, np.uint32)
    sizes = np.empty((4, widest), np.int64)
    work = (
        np.empty(room, np.uint32), np.empty(room, np.uint32),
        sizes[0], sizes[1], sizes[2], sizes[3], np.empty(widest),
    )  # fmt: skip
    out = nats, sums, edges[0]
    sums[:, :, 0] = -1
    for g in range(len(edges) - 1):
        left, right = edges[g], edges[g + 1]
        width = slots[left:right].prod()
        # A division, since the product of two large groups may overflow.
        if right - 1 > first and 0 < height <= room and 0 < width <= room // height:
            cells = table[: height * width]
            count_pair(row, cols[g], width, cells)
            _members(cells, first, last, left, right, height, width, slots, live, logs, work, out)


@compiled
def by_rows(order, starts, other, width, logs, sums):
    """The same result as `band` for a pair whose table would be mostly empty.

    `order` holds the positions of each cluster of the first labeling in turn, starting at `starts`;
    codes of the other labeling from `width` upwards mean no label. One row of the table is kept.
    """
    cols = np.zeros(width, np.int64)
    line = np.zeros(width, np.int64)
    touched = np.empty(width, np.int64)
    for i in order[: starts[-1]]:
        if other[i] < width:
            cols[other[i]] += 1
    sums[:] = 0
    for k in range(width):
        sums[3] += cols[k] > 0
        sums[6] += cols[k] * cols[k]
    total = 0.0
    lost = 0.0
    for r in range(len(starts) - 1):
        found = 0
        size = 0
        for at in range(starts[r], starts[r + 1]):
            col = other[order[at]]
            if col < width:
                if line[col] == 0:
                    touched[found] = col
                    found += 1
                line[col] += 1
                size += 1
        log_size = _log(logs, size)
        for k in range(found):
            col = touched[k]
            x = line[col]
            line[col] = 0
            log_x = _log(logs, x)
            by_row = _surprise(x, size, log_x, log_size)
            by_col = _surprise(x, cols[col], log_x, _log(logs, cols[col]))
            total, lost = _add(total, lost, by_row + by_col)
            sums[4] += x * x
        sums[0] += size
        sums[1] += found
        sums[2] += size > 0
        sums[5] += size * size
    return (total + lost) / max(1, sums[0])
