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
def band_sizes(truth, low, shift, sizes):
    """Add to the number of objects of each band, which is 2^shift rows."""
    for value in truth:
        sizes[np.uint64(np.int64(value) - low) >> np.uint64(shift)] += 1


@compiled
def fill_bands(truth, pred, low_truth, low_pred, shift, place, rows, cols):
    """Write each object's row within its band, and its column, to the next place of the band."""
    mask = (np.uint64(1) << np.uint64(shift)) - np.uint64(1)
    for i in range(len(truth)):
        row = np.uint64(np.int64(truth[i]) - low_truth)
        band = row >> np.uint64(shift)
        at = place[band]
        place[band] = at + np.uint64(1)
        rows[at] = row & mask
        cols[at] = np.int64(pred[i]) - low_pred


@compiled
def count_bands(first, last, starts, shift, rows, cols, counts, found, cells):
    """Sort the objects of the bands first..last by row and column, and count equal ones.

    A band's cells come to the front of its part of `cols` and `counts`; `found` gets the number
    of cells of each row, and `cells` that of each band. Unsigned places spare the compiler a test
    for negative ones, and most rows of a sparse table have one or two objects.
    """
    one = np.uint64(1)
    two = np.uint64(2)
    most = 0
    for band in range(first, last):
        most = max(most, starts[band + 1] - starts[band])
    line = np.empty(most, np.int32)
    ends = np.empty((1 << shift) + 1, np.uint64)
    for band in range(first, last):
        base = band << shift
        height = min(1 << shift, len(found) - base)
        ends[:] = 0
        for i in range(starts[band], starts[band + 1]):
            ends[np.uint64(rows[np.uint64(i)]) + one] += one
        for row in range(height):
            ends[np.uint64(row) + one] += ends[np.uint64(row)]
        for i in range(starts[band], starts[band + 1]):
            row = np.uint64(rows[np.uint64(i)])
            place = ends[row]
            line[place] = cols[np.uint64(i)]
            ends[row] = place + one
        start = np.uint64(0)
        out = np.uint64(starts[band])
        for row in range(height):
            end = ends[np.uint64(row)]
            size = end - start
            before = out
            if size == one:
                cols[out] = line[start]
                counts[out] = 1
                out += one
            elif size == two:
                a = line[start]
                b = line[start + one]
                same = np.uint64(a == b)
                cols[out] = min(a, b)
                counts[out] = one + same
                if not same:
                    cols[out + one] = max(a, b)
                    counts[out + one] = 1
                out += two - same
            elif size > two:
                _sort(line, start, end)
                last_col = np.int32(-1)
                out -= one
                for i in range(start, end):
                    col = line[np.uint64(i)]
                    new = col != last_col
                    out += np.uint64(new)
                    cols[out] = col
                    counts[out] = (0 if new else counts[out]) + 1
                    last_col = col
                out += one
            found[np.uint64(base + row)] = np.int64(out - before)
            start = end
        cells[band] = np.int64(out) - starts[band]


@compiled
def pair_bands(first, last, starts, shift, rows, cols, height):
    """Pairs of objects in one row, and in one row and column, of the bands first..last."""
    one = np.uint64(1)
    most = 0
    for band in range(first, last):
        most = max(most, starts[band + 1] - starts[band])
    line = np.empty(most, np.int32)
    ends = np.empty((1 << shift) + 1, np.uint64)
    in_row = np.int64(0)
    in_cell = np.int64(0)
    for band in range(first, last):
        ends[:] = 0
        for i in range(starts[band], starts[band + 1]):
            ends[np.uint64(rows[np.uint64(i)]) + one] += one
        held = min(1 << shift, height - (band << shift))
        for row in range(held):
            ends[np.uint64(row) + one] += ends[np.uint64(row)]
        for i in range(starts[band], starts[band + 1]):
            row = np.uint64(rows[np.uint64(i)])
            place = ends[row]
            line[place] = cols[np.uint64(i)]
            ends[row] = place + one
        start = np.uint64(0)
        for row in range(held):
            end = ends[np.uint64(row)]
            size = np.int64(end - start)
            in_row += size * (size - 1) // 2
            if size < 24:  # comparing all of them takes less time than sorting
                for i in range(start, end):
                    col = line[np.uint64(i)]
                    for k in range(start, i):
                        in_cell += np.int64(line[np.uint64(k)] == col)
            else:
                line[start:end].sort()
                run = np.int64(0)
                for i in range(start + one, end):
                    same = line[np.uint64(i)] == line[np.uint64(i) - one]
                    run = run + 1 if same else 0
                    in_cell += run
            start = end
    return in_row, in_cell


@compiled
def column_sizes(pred, low, sizes):
    """Add to the number of objects of each column."""
    for value in pred:
        sizes[np.uint64(np.int64(value) - low)] += 1


@compiled
def _sort(line, start, end):
    """Sort a part of a line; a short one by insertion."""
    one = np.uint64(1)
    if end - start >= np.uint64(48):
        line[start:end].sort()
        return
    for i in range(start + one, end):
        k = np.uint64(i)
        value = line[k]
        while k > start and line[k - one] > value:
            line[k] = line[k - one]
            k -= one
        line[k] = value


@compiled
def gather_bands(first, last, starts, cols, counts, into, out_cols, values, used):
    """Copy the cells of the bands first..last to their places, and mark the columns in use."""
    for band in range(first, last):
        start = starts[band]
        out = into[band]
        for k in range(into[band + 1] - out):
            col = cols[start + k]
            used[np.uint64(col)] = True
            out_cols[out + k] = col
            values[out + k] = counts[start + k]


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
