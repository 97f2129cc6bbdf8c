"""Loops over sparse rows and dense tables: scores of centres, sums of clusters.

A table has one line per feature, so that the values of one word for all clusters are next to each
other: a row reads as many lines as it has words, and all clusters are computed together.
"""

from __future__ import annotations

import math

import numpy as np

from clustervet._kernels.compile import compiled

MIX_A = np.uint64(0x9E3779B97F4A7C15)
MIX_B = np.uint64(0xBF58476D1CE4E5B9)
SHIFT = np.uint64(31)


@compiled
def row_codes(bits, indices, indptr, codes, first, last):
    """A 64-bit code of the content of each row; equal rows have equal codes."""
    for i in range(first, last):
        code = MIX_A
        for t in range(indptr[i], indptr[i + 1]):
            code = (code ^ (bits[t] + np.uint64(indices[t]) * MIX_A)) * MIX_B
            code ^= code >> SHIFT
        codes[i] = code


@compiled
def same_rows(data, indices, indptr, order, same):
    """Whether each row, in an order, has the same content as the one before it."""
    for at in range(1, len(order)):
        a = order[at - 1]
        b = order[at]
        length = indptr[b + 1] - indptr[b]
        if not same[at] or indptr[a + 1] - indptr[a] != length:
            same[at] = False
            continue
        for t in range(length):
            u = indptr[a] + t
            v = indptr[b] + t
            if indices[u] != indices[v] or data[u] != data[v]:
                same[at] = False
                break


@compiled
def scaled_rows(data, indices, indptr, order, squared, starts, out, places, sizes, first, last):
    """Chosen rows scaled to length one (or to sum one of absolute values).

    Values are divided by the largest before they are squared, so that nothing overflows.
    """
    for at in range(first, last):
        i = order[at]
        peak = 0.0
        for t in range(indptr[i], indptr[i + 1]):
            peak = max(peak, abs(data[t]))
        total = 0.0
        for t in range(indptr[i], indptr[i + 1]):
            part = abs(data[t]) / peak
            total += part * part if squared else part
        size = math.sqrt(total) if squared else total
        sizes[at] = peak * size
        to = starts[at]
        for t in range(indptr[i], indptr[i + 1]):
            out[to] = data[t] / peak / size
            places[to] = indices[t]
            to += 1


@compiled
def add_scores(data, indices, start, stop, table, total):
    """Add the product of one row and the table to `total`, four words at a time.

    Unsigned indices save the compiler the check for negative ones.
    """
    t = start
    k = len(total)
    while t + 4 <= stop:
        a, b, c, d = data[t], data[t + 1], data[t + 2], data[t + 3]
        p, q = table[np.uint64(indices[t])], table[np.uint64(indices[t + 1])]
        r, s = table[np.uint64(indices[t + 2])], table[np.uint64(indices[t + 3])]
        for h in range(k):
            total[h] += (a * p[h] + b * q[h]) + (c * r[h] + d * s[h])
        t += 4
    while t < stop:
        a, p = data[t], table[np.uint64(indices[t])]
        for h in range(k):
            total[h] += a * p[h]
        t += 1


@compiled
def multiply(data, indices, indptr, table, bias, out, first, last):
    """Rows times table plus bias, rows first..last."""
    for i in range(first, last):
        out[i, :] = bias
        add_scores(data, indices, indptr[i], indptr[i + 1], table, out[i])


@compiled
def nearest(data, indices, indptr, table, bias, labels, best, first, last):
    """The column of the largest score of each row, the lowest among equals, and that score."""
    total = np.empty(len(bias))
    for i in range(first, last):
        total[:] = bias
        add_scores(data, indices, indptr[i], indptr[i + 1], table, total)
        at = 0
        for h in range(1, len(total)):
            if total[h] > total[at]:
                at = h
        labels[i] = at
        best[i] = total[at]


@compiled
def posteriors(data, indices, indptr, table, bias, shares, labels, evidence, first, last):
    """Scores as shares that sum to one, the largest column, and the log of the sum of exp."""
    for i in range(first, last):
        total = shares[i]
        total[:] = bias
        add_scores(data, indices, indptr[i], indptr[i + 1], table, total)
        at = 0
        for h in range(1, len(total)):
            if total[h] > total[at]:
                at = h
        peak = total[at]
        mass = 0.0
        for h in range(len(total)):
            gap = total[h] - peak
            # smaller terms do not change a sum of at least one
            total[h] = math.exp(gap) if gap > -50.0 else 0.0
            mass += total[h]
        for h in range(len(total)):
            total[h] /= mass
        labels[i] = at
        evidence[i] = peak + math.log(mass)


@compiled
def shift_sums(data, indices, indptr, weights, moved, old, new, sums, first, last):
    """Subtract rows from the sums of their old clusters and add them to the new ones, first..last.

    Each thread has some clusters, so each sum is computed in the order of rows, whatever the number
    of threads. A cluster of -1 means none.
    """
    for i in moved:
        a = old[i]
        b = new[i]
        w = weights[i]
        if first <= a < last:
            for t in range(indptr[i], indptr[i + 1]):
                sums[a, indices[t]] -= w * data[t]
        if first <= b < last:
            for t in range(indptr[i], indptr[i + 1]):
                sums[b, indices[t]] += w * data[t]


@compiled
def fill_table(sums, factors, changed, table, first, last):
    """Columns of a table from lines of sums times factors, features first..last."""
    for j in range(first, last):
        for h in changed:
            table[j, h] = sums[h, j] * factors[h]


@compiled
def sparse_products(data, indices, indptr, words, values, starts, out, first, last):
    """Products of all rows, given feature by feature, with sparse vectors first..last."""
    for c in range(first, last):
        line = out[c]
        line[:] = 0.0
        for t in range(starts[c], starts[c + 1]):
            value = values[t]
            for u in range(indptr[words[t]], indptr[words[t] + 1]):
                line[indices[u]] += value * data[u]


@compiled
def balanced_pass(cosines, weights, spread, labels, sizes, strength, half, gains):
    """Assign rows in turn by (L / n_h)(cosine - 1) - half log n_h, where n_h follows every move.

    With `spread` every row counts as spread evenly over the clusters until its turn; otherwise it
    counts in the cluster of its label. `gains` gets the gain of each move.
    """
    k = len(sizes)
    bias = np.empty(k)
    kappa = np.empty(k)
    known = np.zeros(k)
    for i in range(len(labels)):
        w = weights[i]
        for h in range(k):
            held = max(sizes[h], w)
            if held != known[h]:
                known[h] = held
                kappa[h] = strength / held
                bias[h] = kappa[h] + half * math.log(held)
        best = 0
        top = -np.inf
        own = -np.inf
        for h in range(k):
            score = kappa[h] * cosines[i, h] - bias[h]
            if h == labels[i]:
                own = score
            if score > top:
                top = score
                best = h
        old = labels[i]
        gains[i] = top - own
        labels[i] = best
        if spread:
            for h in range(k):
                sizes[h] -= w / k
            sizes[best] += w
        elif old != best:
            sizes[old] -= w
            sizes[best] += w
