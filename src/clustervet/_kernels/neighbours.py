"""Loops over sparse rows and their nearest others."""

from __future__ import annotations

import numpy as np

from clustervet._kernels.compile import compiled


@compiled
def nearest_rows(
    data, indices, indptr, held, holders, starts, total, most, near, cosines, first, last
):
    """The rows of greatest cosine below `most` to each row, greatest first, by a word's holders.

    Rows have length one. `held`, `holders` and `starts` list, word by word, the values and rows
    among which neighbours are sought, `total` of them. Only positive cosines count; where fewer
    rows have one, `near` ends in -1. Ties go to the earlier row.
    """
    sums = np.zeros(total)
    seen = np.full(total, -1, np.int64)
    touched = np.empty(total, np.int64)
    width = near.shape[1]
    for i in range(first, last):
        count = 0
        for t in range(indptr[i], indptr[i + 1]):
            word = indices[t]
            value = data[t]
            for u in range(starts[word], starts[word + 1]):
                j = holders[u]
                if seen[j] != i:
                    seen[j] = i
                    sums[j] = 0.0
                    touched[count] = j
                    count += 1
                sums[j] += value * held[u]
        found = 0
        for at in range(count):
            j = touched[at]
            cosine = sums[j]
            if not 0.0 < cosine < most:
                continue
            if found == width:
                worst = cosines[i, width - 1]
                if cosine < worst or (cosine == worst and j > near[i, width - 1]):
                    continue
            else:
                found += 1
            place = found - 1
            while place > 0 and (
                cosines[i, place - 1] < cosine
                or (cosines[i, place - 1] == cosine and near[i, place - 1] > j)
            ):
                cosines[i, place] = cosines[i, place - 1]
                near[i, place] = near[i, place - 1]
                place -= 1
            cosines[i, place] = cosine
            near[i, place] = j
        for place in range(found, width):
            cosines[i, place] = 0.0
            near[i, place] = -1


@compiled
def largest_values(data, indptr, most, keep, first, last):
    """Mark the values of each row that are largest regardless of sign; ties go to the earlier."""
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
