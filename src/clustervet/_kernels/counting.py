"""Loops that turn labels into a table: ranges, counts, groups, codes."""

from __future__ import annotations

import numpy as np

from clustervet._kernels.compile import compiled


@compiled
def value_range(values):
    """Smallest and largest value."""
    low = values[0]
    high = values[0]
    for value in values:
        low = min(low, value)
        high = max(high, value)
    return low, high


@compiled
def count_dense(truth, pred, low_truth, low_pred, height, width, small, big):
    """Count into a dense height x width block; return False at the first label outside it.

    Counters are bytes that carry into `big`: a block of a million cells then fits the second-level
    cache, which limits the speed of random increments.
    """
    rows = np.uint64(height)
    cols = np.uint64(width)
    for i in range(len(truth)):
        row = np.uint64(np.int64(truth[i]) - low_truth)
        col = np.uint64(np.int64(pred[i]) - low_pred)
        if (row >= rows) | (col >= cols):
            return False
        cell = row * cols + col
        count = np.uint8(small[cell] + 1)
        small[cell] = count
        if count == 0:
            big[cell] += 256
    return True


@compiled
def merge_dense(small, big, width, first, last, total, found):
    """Add up the threads' counters for rows first..last, and count each row's cells."""
    for row in range(first, last):
        start = row * width
        line = total[start : start + width]
        for part in range(small.shape[0]):
            bytes_ = small[part, start : start + width]
            carried = big[part, start : start + width]
            for k in range(width):
                line[k] += np.int64(bytes_[k]) + np.int64(carried[k])
        cells = 0
        for k in range(width):
            cells += line[k] != 0
        found[row] = cells


@compiled
def gather_dense(total, width, first, last, starts, cols, values, used):
    """Write the non-empty cells of rows first..last, and mark the columns in use.

    Several threads may mark the same column at once, which is harmless.
    """
    for row in range(first, last):
        at = starts[row]
        line = total[row * width : (row + 1) * width]
        for k in range(width):
            if line[k] > 0:
                used[k] = True
                cols[at] = k
                values[at] = line[k]
                at += 1


@compiled
def _bucket(keys, low, size):
    """Start of each key's run in an array sorted by key (counting sort)."""
    starts = np.zeros(size + 1, np.int64)
    for key in keys:
        starts[np.int64(key) - low + 1] += 1
    for k in range(size):
        starts[k + 1] += starts[k]
    return starts


@compiled
def _insertion_sort(line):
    for i in range(1, len(line)):
        value = line[i]
        k = i
        while k > 0 and line[k - 1] > value:
            line[k] = line[k - 1]
            k -= 1
        line[k] = value


@compiled
def count_sparse(truth, pred, low_truth, low_pred, height):
    """Count when the block would be mostly empty: sort by class, then within each class."""
    starts = _bucket(truth, low_truth, height)
    place = starts[:-1].copy()
    line = np.empty(len(pred), np.int32)
    for i in range(len(truth)):
        row = np.int64(truth[i]) - low_truth
        line[place[row]] = np.int64(pred[i]) - low_pred
        place[row] += 1
    indptr = np.zeros(height + 1, np.int64)
    cells = 0
    for row in range(height):
        part = line[starts[row] : starts[row + 1]]
        if len(part) < 48:
            _insertion_sort(part)
        else:
            part.sort()
        for k in range(len(part)):
            if k == 0 or part[k] != part[k - 1]:
                cells += 1
        indptr[row + 1] = cells
    cols = np.empty(cells, np.int32)
    values = np.zeros(cells, np.int64)
    at = -1
    for row in range(height):
        for k in range(starts[row], starts[row + 1]):
            if k == starts[row] or line[k] != line[k - 1]:
                at += 1
                cols[at] = line[k]
            values[at] += 1
    return indptr, cols, values


@compiled
def group(rows, cols, values, height):
    """Sum values of equal (row, col) into compressed rows; float sums are compensated."""
    starts = _bucket(rows, 0, height)
    place = starts[:-1].copy()
    order = np.empty(len(rows), np.int64)
    for i in range(len(rows)):
        order[place[rows[i]]] = i
        place[rows[i]] += 1
    indptr = np.zeros(height + 1, np.int64)
    out_cols = np.empty(len(rows), np.int32)
    sums = np.empty(len(rows), values.dtype)
    cells = 0
    for row in range(height):
        part = order[starts[row] : starts[row + 1]]
        part = part[np.argsort(cols[part], kind="mergesort")]
        lost = values[0] - values[0]
        for k in range(len(part)):
            value = values[part[k]]
            if k > 0 and cols[part[k]] == cols[part[k - 1]]:
                total = sums[cells - 1] + value
                if abs(sums[cells - 1]) >= abs(value):
                    lost += (sums[cells - 1] - total) + value
                else:
                    lost += (value - total) + sums[cells - 1]
                sums[cells - 1] = total
            else:
                if k > 0:
                    sums[cells - 1] += lost
                lost = values[0] - values[0]
                out_cols[cells] = cols[part[k]]
                sums[cells] = value
                cells += 1
        if len(part) > 0:
            sums[cells - 1] += lost
        indptr[row + 1] = cells
    return indptr, out_cols[:cells].copy(), sums[:cells].copy()


@compiled
def hash_codes(values, most):
    """Number distinct 64-bit values by first appearance, and return where each appears first.

    With more than `most` distinct values it stops and returns empty arrays.
    """
    bits = np.uint64(10)
    table = np.full(1 << bits, -1, np.int32)
    first = np.empty(1 << (bits - 1), np.int64)
    keys = np.empty(1 << (bits - 1), np.int64)
    codes = np.empty(len(values), np.int32)
    found = 0
    for i in range(len(values)):
        slot = _slot(table, keys, values[i], bits)
        code = table[slot]
        if code < 0:
            if found == most:
                return codes[:0], first[:0]
            code = found
            table[slot] = code
            first[code] = i
            keys[code] = values[i]
            found += 1
            if found == len(keys):
                bits += np.uint64(2)
                table = np.full(1 << bits, -1, np.int32)
                first = np.concatenate((first, np.empty(3 * found, np.int64)))
                keys = np.concatenate((keys, np.empty(3 * found, np.int64)))
                for k in range(found):
                    table[_slot(table, keys, keys[k], bits)] = k
        codes[i] = code
    return codes, first[:found].copy()


@compiled
def _slot(table, keys, value, bits):
    """The slot of a value, or where it would go; at most half of the slots are used."""
    slot = (np.uint64(value) * np.uint64(0x9E3779B97F4A7C15)) >> (np.uint64(64) - bits)
    last = np.uint64(len(table) - 1)
    while table[slot] >= 0 and keys[table[slot]] != value:
        slot = (slot + np.uint64(1)) & last
    return slot
