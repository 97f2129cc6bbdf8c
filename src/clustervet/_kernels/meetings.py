"""How often pairs of objects are together in many labelings."""

from __future__ import annotations

import numpy as np

from clustervet._kernels.compile import compiled

# Columns that are compared at once: their codes in some hundred labelings fit a cache.
TILE = 2_048


@compiled
def together(codes, sizes, first, last, counts, found):
    """Count pairs of columns first..last with later ones by the rows in which they are equal.

    `found[k]` gets the objects of pairs that are equal in k rows: the product of the sizes of both
    columns. `counts` is room for a tile.
    """
    rows, columns = codes.shape
    for low in range((first // TILE) * TILE, columns, TILE):
        high = min(low + TILE, columns)
        for i in range(first, min(last, high)):
            start = max(low, i + 1)
            width = high - start
            if width <= 0:
                continue
            counts[:width] = 0
            for row in range(rows):
                own = codes[row, i]
                line = codes[row, start:high]
                for j in range(width):
                    counts[j] += line[j] == own
            for j in range(width):
                found[np.uint64(counts[j])] += sizes[i] * sizes[start + j]


@compiled
def together_shared(codes, blank, sizes, first, last, counts, both, found):
    """The same where `blank` is no label: `found[b, k]` are pairs equal in k of b common rows."""
    rows, columns = codes.shape
    for low in range((first // TILE) * TILE, columns, TILE):
        high = min(low + TILE, columns)
        for i in range(first, min(last, high)):
            start = max(low, i + 1)
            width = high - start
            if width <= 0:
                continue
            counts[:width] = 0
            both[:width] = 0
            for row in range(rows):
                own = codes[row, i]
                if own == blank:
                    continue
                line = codes[row, start:high]
                for j in range(width):
                    counts[j] += line[j] == own
                    both[j] += line[j] != blank
            for j in range(width):
                found[np.uint64(both[j]), np.uint64(counts[j])] += sizes[i] * sizes[start + j]
