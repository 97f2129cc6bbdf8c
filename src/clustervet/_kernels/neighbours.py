"""Loops over sparse rows and their nearest neighbours."""

from __future__ import annotations

import numpy as np

from clustervet._kernels.compile import compiled


@compiled
def insert(near, cosines, found, j, cosine):
    """Insert a row into the `found` nearest rows so far; return the new number of rows."""
    width = len(near)
    if found == width:
        worst = cosines[width - 1]
        if cosine < worst or (cosine == worst and j > near[width - 1]):
            return found
    else:
        found += 1
    place = found - 1
    while place > 0 and (
        cosines[place - 1] < cosine or (cosines[place - 1] == cosine and near[place - 1] > j)
    ):
        cosines[place] = cosines[place - 1]
        near[place] = near[place - 1]
        place -= 1
    cosines[place] = cosine
    near[place] = j
    return found


@compiled
def nearest_rows(
    data, indices, indptr, held, holders, starts, total, most, near, cosines, first, last
):
    """The rows of greatest cosine below `most` to each row, greatest first.

    Rows have length one. `held`, `holders` and `starts` list, word by word, the values and the
    `total` rows among which neighbours are searched. Only positive cosines count; where fewer rows
    have one, `near` ends in -1. Ties go to the earlier row. If the words of a row occur in few
    rows, only these rows are compared; otherwise all rows, which is then faster.
    """
    sums = np.zeros(total)
    seen = np.full(total, -1, np.int64)
    touched = np.empty(total, np.int64)
    for i in range(first, last):
        work = 0
        for t in range(indptr[i], indptr[i + 1]):
            work += starts[indices[t] + 1] - starts[indices[t]]
        found = 0
        if 4 * work < total:
            count = 0
            for t in range(indptr[i], indptr[i + 1]):
                for u in range(starts[indices[t]], starts[indices[t] + 1]):
                    j = holders[u]
                    if seen[j] != i:
                        seen[j] = i
                        touched[count] = j
                        count += 1
                    sums[j] += data[t] * held[u]
            for at in range(count):
                j = touched[at]
                if 0.0 < sums[j] < most:
                    found = insert(near[i], cosines[i], found, j, sums[j])
                sums[j] = 0.0
        else:
            for t in range(indptr[i], indptr[i + 1]):
                value = data[t]
                for u in range(starts[indices[t]], starts[indices[t] + 1]):
                    sums[holders[u]] += value * held[u]
            edge = 0.0
            for j in range(total):
                if edge < sums[j] < most:
                    found = insert(near[i], cosines[i], found, j, sums[j])
                    if found == near.shape[1]:
                        edge = cosines[i, found - 1]
            sums[:] = 0.0
        near[i, found:] = -1
        cosines[i, found:] = 0.0


@compiled
def largest_values(data, indptr, most, keep, first, last):
    """Mark the values of each row with the largest absolute values; ties go to the earlier one."""
    for i in range(first, last):
        begin = indptr[i]
        length = indptr[i + 1] - begin
        if length <= most:
            keep[begin : begin + length] = True
            continue
        sizes = np.abs(data[begin : begin + length])
        edge = np.partition(sizes, length - most)[length - most]
        room = most
        for t in range(length):
            if sizes[t] > edge:
                room -= 1
        for t in range(length):
            keep[begin + t] = sizes[t] > edge
            if sizes[t] == edge and room > 0:
                keep[begin + t] = True
                room -= 1
