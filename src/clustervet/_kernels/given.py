"""One pass over a matrix of distances: whether it is valid, and its sums over clusters."""

from __future__ import annotations

from clustervet._kernels.compile import compiled, compiled_for_vectors

WIDTH = 1024


@compiled_for_vectors
def _project(row, weights, weight, across):
    """The weighted sum of a row, and a sum that is above 0 if any value is negative.

    The row times its weight is added to `across`. NaN and infinities show in the sums.
    """
    total = negative = 0.0
    for j in range(len(row)):
        value = row[j]
        total += value * weights[j]
        negative += abs(value) - value
        across[j] += value * weight
    return total, negative


@compiled
def _add_four(a, b, c, d, codes, sums, at):
    """Add four rows to their sums over clusters.

    Four independent sums are quicker than one, since an addition need not wait for the last one.
    """
    for j in range(len(a)):
        cluster = codes[j]
        sums[at, cluster] += a[j]
        sums[at + 1, cluster] += b[j]
        sums[at + 2, cluster] += c[j]
        sums[at + 3, cluster] += d[j]


@compiled
def survey(distances, first, last, codes, weights, sums, along, across):
    """Sum rows first..last over clusters, and project them; return whether any value is negative.

    `along` gets the weighted sum of each row and `across` that of each column over these rows: in a
    symmetric matrix both are the same once all rows are read.
    """
    n = len(distances)
    negative = 0.0
    for top in range(first, last, 4):
        bottom = min(last, top + 4)
        for left in range(0, n, WIDTH):
            right = min(n, left + WIDTH)
            for i in range(top, bottom):
                row, across_here = distances[i, left:right], across[left:right]
                total, below = _project(row, weights[left:right], weights[i], across_here)
                along[i] += total
                negative += below
            if bottom - top == 4:
                a, b = distances[top, left:right], distances[top + 1, left:right]
                c, d = distances[top + 2, left:right], distances[top + 3, left:right]
                _add_four(a, b, c, d, codes[left:right], sums, top)
            else:
                for i in range(top, bottom):
                    for j in range(left, right):
                        sums[i, codes[j]] += distances[i, j]
    for i in range(first, last):
        sums[i, codes[i]] -= distances[i, i]
    return negative > 0
