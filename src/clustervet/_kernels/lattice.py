"""Loops over the codes of two partitions: meet, join, refinement, blocks, and a walk."""

from __future__ import annotations

import math

import numpy as np

from clustervet._kernels.compile import compiled


@compiled
def renumber(codes, clusters, out):
    """Number codes by first appearance into `out`; return the old code of each new one."""
    place = np.full(clusters, -1, np.int32)
    order = np.empty(clusters, np.int64)
    found = 0
    for i in range(len(codes)):
        code = place[codes[i]]
        if code < 0:
            code = found
            place[codes[i]] = code
            order[found] = codes[i]
            found += 1
        out[i] = code
    return order[:found].copy()


@compiled
def relabel(codes, names):
    """Replace each code by its name, in place."""
    for i in range(len(codes)):
        codes[i] = names[codes[i]]


@compiled
def gather(codes, names, out):
    """The name of each code."""
    for i in range(len(codes)):
        out[i] = names[codes[i]]


@compiled
def number_cells(first, second, width, table, seen, out):
    """Number the pairs of codes that occur by first appearance; `table` is -1 everywhere.

    `seen` gets the cells in that order; their number is returned.
    """
    wide = np.uint64(width)
    found = 0
    for i in range(len(first)):
        cell = np.uint64(first[i]) * wide + np.uint64(second[i])
        code = table[cell]
        if code < 0:
            code = np.int32(found)
            table[cell] = code
            seen[found] = cell
            found += 1
        out[i] = code
    return found


@compiled
def number_sparse(first, second, heights, width, out):
    """Like `number_cells`, for tables that would be mostly empty.

    Codes are numbered by first cluster, then by appearance. Objects are sorted by their first code,
    so that one row of the table at a time is enough.
    """
    order = bucket(first, heights)
    stamp = np.full(width, -1, np.int32)
    code_of = np.empty(width, np.int32)
    found = 0
    for i in order:
        col = second[i]
        if stamp[col] != first[i]:
            stamp[col] = first[i]
            code_of[col] = found
            found += 1
        out[i] = code_of[col]
    return found


@compiled
def bucket(codes, sizes):
    """Positions sorted by code, in their order within each (counting sort)."""
    place = np.zeros(len(sizes) + 1, np.int64)
    for k in range(len(sizes)):
        place[k + 1] = place[k] + sizes[k]
    order = np.empty(len(codes), np.int64)
    for i in range(len(codes)):
        order[place[codes[i]]] = i
        place[codes[i]] += 1
    return order


@compiled
def _root(parent, node):
    """The smallest node of a set; the path to it is halved on the way."""
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


@compiled
def unite(first, second, height, parent):
    """Unite the sets of both codes of each object; stops when one set is left."""
    left = len(parent) - 1
    for i in range(len(first)):
        a = _root(parent, first[i])
        b = _root(parent, height + second[i])
        if a != b:
            parent[max(a, b)] = min(a, b)
            left -= 1
            if left == 0:
                return


@compiled
def unite_forests(parent, other):
    """Unite the sets that another forest over the same nodes unites."""
    for node in range(len(other)):
        a = _root(parent, node)
        b = _root(parent, other[node])
        if a != b:
            parent[max(a, b)] = min(a, b)


@compiled
def number_roots(parent, height):
    """The set of each of the first `height` nodes, numbered by its smallest node."""
    codes = np.empty(height, np.int32)
    found = 0
    for node in range(height):
        root = _root(parent, node)
        if root == node:
            codes[node] = found
            found += 1
        else:
            codes[node] = codes[root]
    return codes, found


@compiled
def maps_into(first, second, image):
    """Whether equal first codes have equal second codes; `image` is -1 everywhere."""
    for i in range(len(first)):
        known = image[first[i]]
        if known != second[i]:
            if known >= 0:
                return False
            image[first[i]] = second[i]
    return True


@compiled
def _step_down(count):
    """Difference of x log x between x = count and x = count - 1."""
    if count < 2:
        return 0.0
    return count * math.log(count) - (count - 1) * math.log(count - 1)


@compiled
def walk(order, cell_from, cell_to, label_from, label_to, cells, labels, start, target):
    """Move objects one by one up to the target; return the step nearest to it, and the difference.

    `cells` and `labels` count the objects in each cell of the table and each cluster of the
    clustering that moves; n times its variation of information from the other one, in nats, is
    `start` before the first move.
    """
    best = 0
    gap = abs(start - target)
    total = start
    for step in range(len(order)):
        i = order[step]
        total += 2 * _step_down(cells[cell_from[i]]) - _step_down(labels[label_from[i]])
        cells[cell_from[i]] -= 1
        labels[label_from[i]] -= 1
        cells[cell_to[i]] += 1
        labels[label_to[i]] += 1
        total += _step_down(labels[label_to[i]]) - 2 * _step_down(cells[cell_to[i]])
        if abs(total - target) < gap:
            gap = abs(total - target)
            best = step + 1
        if total >= target:
            break
    return best, gap
