"""Maximum-weight matching of a sparse bipartite graph, in two steps.

`settle` matches what must be matched; `augment` finishes the rest by shortest paths.
"""

from __future__ import annotations

import numpy as np

from clustervet._kernels.compile import compiled

# Largest number of bids in a row, each by the row that lost its column, before searches.
ROUNDS = 64


@compiled
def settle(indptr, cols, weights, width):
    """Match each cell that weighs at least its best rivals in row and column together.

    Such a cell is in some best matching: leaving it out frees at most those two cells. Matched rows
    and columns leave the graph, which settles more cells, until few are settled. Returns the cell
    of each row (-1: none) and whether each column is taken.
    """
    height = len(indptr) - 1
    cell = np.full(height, -1, np.int64)
    taken = np.zeros(width, np.bool_)
    first = np.empty(width)
    second = np.empty(width)
    best_row = np.empty(width, np.int64)
    live = np.arange(height)
    while len(live) > 0:
        first[:] = 0.0
        second[:] = 0.0
        best_row[:] = -1
        for row in live:
            for k in range(indptr[row], indptr[row + 1]):
                col = cols[k]
                if taken[col]:
                    continue
                w = weights[k]
                if w > first[col]:
                    second[col] = first[col]
                    first[col] = w
                    best_row[col] = row
                elif w > second[col]:
                    second[col] = w
        kept = 0
        for row in live:
            best = 0.0
            other = 0.0
            at = -1
            for k in range(indptr[row], indptr[row + 1]):
                if taken[cols[k]]:
                    continue
                w = weights[k]
                if w > best:
                    other = best
                    best = w
                    at = k
                elif w > other:
                    other = w
            if at < 0:
                continue
            col = cols[at]
            rival = second[col] if best_row[col] == row else first[col]
            if best >= other + rival:
                cell[row] = at
                taken[col] = True
            else:
                live[kept] = row
                kept += 1
        settled = len(live) - kept
        live = live[:kept].copy()
        if settled * 200 < kept or settled == 0:
            break
    return cell, taken


@compiled
def _push(keys, items, size, key, item):
    k = size
    while k > 0:
        parent = (k - 1) >> 1
        if keys[parent] <= key:
            break
        keys[k] = keys[parent]
        items[k] = items[parent]
        k = parent
    keys[k] = key
    items[k] = item
    return size + 1


@compiled
def _pop(keys, items, size):
    size -= 1
    key = keys[size]
    item = items[size]
    k = 0
    while True:
        child = 2 * k + 1
        if child >= size:
            break
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[k] = keys[child]
        items[k] = items[child]
        k = child
    keys[k] = key
    items[k] = item
    return size


@compiled
def _bid(indptr, cols, weights, cell, owner, of_col):
    """Let rows bid for columns, each raising the price by its gain over its second choice.

    This is the row reduction of Jonker & Volgenant (1987): cheap, and it leaves few rows for
    the search by shortest paths. A price rises only on a column that is owned from then on.
    """
    height = len(indptr) - 1
    for start in range(height):
        row = start
        for _ in range(ROUNDS):
            first = 0.0
            second = 0.0
            at = -1
            for k in range(indptr[row], indptr[row + 1]):
                gain = weights[k] - of_col[cols[k]]
                if gain > first or (gain == first and at >= 0 and owner[cols[at]] >= 0):
                    second = first
                    first = gain
                    at = k
                elif gain > second:
                    second = gain
            if at < 0:
                break
            col = cols[at]
            loser = owner[col]
            if loser >= 0 and first <= second:
                break
            of_col[col] += first - second
            owner[col] = row
            cell[row] = at
            if loser < 0:
                break
            cell[loser] = -1
            row = loser


@compiled
def augment(indptr, cols, weights, width, budget):
    """Maximum-weight matching with one shortest augmenting path per row, and dual prices.

    Prices satisfy of_row + of_col >= weight, with equality on matched cells and zero for rows and
    columns that stay alone. A search ends at a free column, or at a row that does best alone. No
    search goes farther than the price of the row it starts from, so searches stay local. Whole
    weights below 2^53 are handled exactly. Returns the cell of each row, and whether the budget, in
    cells that are read, was enough.
    """
    height = len(indptr) - 1
    cell = np.full(height, -1, np.int64)
    owner = np.full(width, -1, np.int64)
    of_row = np.zeros(height)
    of_col = np.zeros(width)
    _bid(indptr, cols, weights, cell, owner, of_col)
    for row in range(height):
        for k in range(indptr[row], indptr[row + 1]):
            of_row[row] = max(of_row[row], weights[k] - of_col[cols[k]])
    distance = np.empty(width)
    back = np.empty(width, np.int64)
    stamp = np.full(width, -1, np.int64)
    done = np.full(width, -1, np.int64)
    reached = np.empty(width, np.int64)
    keys = np.empty(len(cols) + 1)
    items = np.empty(len(cols) + 1, np.int64)
    for start in range(height):
        if cell[start] >= 0 or of_row[start] <= 0.0:
            continue
        if budget < 0:
            return cell, False
        size = 0
        visited = 0
        row = start
        base = 0.0
        end = of_row[start]
        end_col = -1
        end_row = start
        while True:
            budget -= indptr[row + 1] - indptr[row]
            for k in range(indptr[row], indptr[row + 1]):
                col = cols[k]
                if done[col] == start:
                    continue
                far = base + max(0.0, of_row[row] + of_col[col] - weights[k])
                if far >= end or (stamp[col] == start and far >= distance[col]):
                    continue
                stamp[col] = start
                distance[col] = far
                back[col] = k
                if owner[col] < 0:
                    end = far
                    end_col = col
                else:
                    size = _push(keys, items, size, far, col)
            col = -1
            while size > 0:
                base = keys[0]
                col = items[0]
                size = _pop(keys, items, size)
                if done[col] != start and base <= distance[col]:
                    break
                col = -1
            if col < 0 or base >= end:
                break
            done[col] = start
            reached[visited] = col
            visited += 1
            row = owner[col]
            if base + of_row[row] < end:
                end = base + of_row[row]
                end_col = -1
                end_row = row
        of_row[start] -= end
        for v in range(visited):
            col = reached[v]
            gain = end - distance[col]
            if gain > 0.0:
                of_col[col] += gain
                of_row[owner[col]] -= gain
        col = end_col
        if col < 0:
            if end_row == start:
                continue
            col = cols[cell[end_row]]
            cell[end_row] = -1
        while True:
            k = back[col]
            row = _row_of(indptr, k)
            old = cell[row]
            cell[row] = k
            owner[col] = row
            if row == start:
                break
            col = cols[old]
    return cell, True


@compiled
def _row_of(indptr, k):
    return np.searchsorted(indptr, k, side="right") - 1
