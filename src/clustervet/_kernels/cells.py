"""Loops over the cells of a finished table."""

from __future__ import annotations

import math

import numpy as np

from clustervet._kernels.compile import compiled, deviance, expected_deviance

# Plain partial sums are kept this short and then added with compensation.
BLOCK = 256
SUMS = 8
SPLIT = 134217729.0  # 2^27 + 1


@compiled
def _product(a, b):
    """A * b as a rounded product and its exact error (Dekker 1971)."""
    p = a * b
    t = SPLIT * a
    a1 = t - (t - a)
    a2 = a - a1
    t = SPLIT * b
    b1 = t - (t - b)
    b2 = b - b1
    return p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2


@compiled
def _add(total, lost, value):
    """One step of Neumaier's compensated sum."""
    larger = total + value
    if abs(total) >= abs(value):
        lost += (total - larger) + value
    else:
        lost += (value - larger) + total
    return larger, lost


@compiled
def margins(indptr, cols, values, row_sums, col_sums):
    """Sums of whole values by row and by column."""
    for row in range(len(row_sums)):
        total = 0
        for k in range(indptr[row], indptr[row + 1]):
            total += values[k]
            col_sums[np.uint64(cols[k])] += values[k]
        row_sums[row] = total


@compiled
def sum_squares(values):
    """Sum of squares of whole values, exactly, as words high, middle and low in base 2^32."""
    words = np.zeros(6, np.uint64)
    mask = np.uint64(0xFFFFFFFF)
    for value in values:
        x = np.uint64(value)
        high = x >> np.uint64(32)
        low = x & mask
        for k in range(3):
            term = high * high if k == 0 else high * low if k == 1 else low * low
            words[k] += term
            if words[k] < term:
                words[k + 3] += np.uint64(1)
    return words


@compiled
def entropy(sizes, n):
    """-sum p log p in nats."""
    total = 0.0
    lost = 0.0
    for size in sizes:
        p = size / n
        q = (n - size) / n
        total, lost = _add(total, lost, -p * (math.log1p(-q) if q < 0.5 else math.log(p)))
    return total + lost


@compiled
def cell_sums(indptr, cols, values, class_sizes, cluster_sizes, n, first, last):
    """The sums of `_exact.CellSums` over rows first..last, and the sum of a*b as two floats."""
    totals = np.zeros(SUMS)
    losses = np.zeros(SUMS)
    part = np.zeros(SUMS)
    known = min(4096, 1 + indptr[last] - indptr[first])
    logs = np.empty(known)
    for k in range(1, known):
        logs[k] = math.log(k)
    log_clusters = np.log(cluster_sizes.astype(np.float64))
    square = n * n
    # The sum of a * b over occupied cells as an unevaluated pair of floats: twice 53 bits.
    occupied = 0.0
    rest = 0.0
    held = 0
    for row in range(first, last):
        a = np.float64(class_sizes[row])
        log_a = math.log(a)
        for k in range(indptr[row], indptr[row + 1]):
            x = np.float64(values[k])
            b = np.float64(cluster_sizes[cols[k]])
            share = x / n
            log_x = logs[np.int64(x)] if x < known and x == math.floor(x) else math.log(x)
            by_b = log_clusters[cols[k]] - log_x if 2 * x <= b else -math.log1p(-((b - x) / b))
            by_a = log_a - log_x if 2 * x <= a else -math.log1p(-((a - x) / a))
            ab, ab_error = _product(a, b)
            xn, xn_error = _product(x, n)
            gap = ((xn - ab) + (xn_error - ab_error)) / square
            larger = occupied + ab
            back = larger - occupied
            rest += ((occupied - (larger - back)) + (ab - back)) + ab_error
            occupied = larger
            part[0] += share * by_b
            part[1] += share * by_a
            part[2] += deviance(share, ab / square, gap)
            part[3] += share * (x / b)
            part[4] += share * (x / a)
            part[5] += share * (x / max(a, b))
            part[6] += share * ((b - x) / b)
            part[7] += share * ((a - x) / a)
            held += 1
            if held == BLOCK:
                for s in range(SUMS):
                    totals[s], losses[s] = _add(totals[s], losses[s], part[s])
                    part[s] = 0.0
                held = 0
    for s in range(SUMS):
        totals[s], losses[s] = _add(totals[s], losses[s], part[s])
    return totals + losses, occupied, rest


@compiled
def peaks(indptr, cols, values, class_sizes, cluster_sizes):
    """Largest cells; see `_exact.Peaks`."""
    class_peaks = np.zeros(len(class_sizes), values.dtype)
    overlaps = np.zeros(len(class_sizes))
    cluster_peaks = np.zeros(len(cluster_sizes), values.dtype)
    majority = np.zeros(len(cluster_sizes), values.dtype)
    for row in range(len(class_sizes)):
        a = class_sizes[row]
        for k in range(indptr[row], indptr[row + 1]):
            col = cols[k]
            x = values[k]
            class_peaks[row] = max(class_peaks[row], x)
            overlaps[row] = max(overlaps[row], 2.0 * x / (np.float64(a) + cluster_sizes[col]))
            if x > cluster_peaks[col] or (x == cluster_peaks[col] and a < majority[col]):
                cluster_peaks[col] = x
                majority[col] = a
    return class_peaks, cluster_peaks, majority, overlaps


@compiled
def expected_terms(
    sizes, size_rests, size_counts, widths, width_rests, width_counts, n, first, last, terms
):
    """Terms of the expected mutual information, of pairs of distinct sizes, rows first..last."""
    for i in range(first, last):
        for j in range(len(widths)):
            mean = expected_deviance(sizes[i], widths[j], n, size_rests[i], width_rests[j])
            terms[i, j] = size_counts[i] * width_counts[j] * mean / n
