"""Loops over two trees: tables of cuts that are merged, and sums over pairs of leaves.

Rule: plain Python on lists or arrays, which `compiled_form` compiles for large trees. Small ones
run the same source as it is, with the same results, without loading a compiler.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

FUNCTIONS = (
    "_find",
    "_join",
    "_fill",
    "_make",
    "joint_squares",
    "centroid_paths",
    "_distance",
    "_add",
    "joined_sums",
)


@functools.cache
def compiled_form() -> dict[str, Any]:
    """Return the functions of this module, compiled."""
    from clustervet._kernels.compile import compiled_source

    return compiled_source(sys.modules[__name__], FUNCTIONS)


def _find(keys: Any, key: Any) -> Any:
    """The place of a key in a table of which some places are empty, or the place for it."""
    mixed = key * 40503
    at = (mixed ^ (mixed >> 20)) & (len(keys) - 1)
    while keys[at] >= 0 and keys[at] != key:
        at = (at + 1) & (len(keys) - 1)
    return at


def _join(
    old: Any,
    new: Any,
    line: Any,
    other: Any,
    scale: Any,
    beside: Any,
    counts: Any,
    heads: Any,
    after: Any,
    used: Any,
    used_other: Any,
    keys: Any,
    held: Any,
) -> Any:
    """Put the cells of a line into another one: what the sum of squares grows by, and new keys.

    Keys of the old line stay where they are: nobody asks for them again.
    """
    grown = 0
    filled = 0
    cell = heads[old]
    while cell >= 0:
        following = after[cell]
        if counts[cell] > 0:
            key = new * scale + other[cell] * beside
            at = _find(keys, key)
            if keys[at] == key:
                met = held[at]
                grown += 2 * counts[cell] * counts[met]
                counts[met] += counts[cell]
                counts[cell] = 0
                used_other[other[cell]] -= 1
            else:
                keys[at] = key
                held[at] = cell
                filled += 1
                line[cell] = new
                after[cell] = heads[new]
                heads[new] = cell
                used[new] += 1
        cell = following
    heads[old] = -1
    used[old] = 0
    return grown, filled


def _fill(rows: Any, columns: Any, counts: Any, keys: Any, held: Any, n: Any) -> Any:
    """Write the keys of all cells into an empty table; return how many there are."""
    for at in range(len(keys)):
        keys[at] = -1
    filled = 0
    for cell in range(n):
        if counts[cell] > 0:
            at = _find(keys, rows[cell] * n + columns[cell])
            keys[at] = rows[cell] * n + columns[cell]
            held[at] = cell
            filled += 1
    return filled


def _make(
    node: Any,
    tree: Any,
    slots: Any,
    line: Any,
    other: Any,
    scale: Any,
    beside: Any,
    table: Any,
    heads: Any,
    after: Any,
    used: Any,
    used_other: Any,
    filled: Any,
    n: Any,
) -> Any:
    """Join the lines of a node's children into the one with the most cells."""
    first, below = tree
    counts, keys, held = table
    grown = 0
    kept = slots[below[first[node]]]
    for k in range(first[node] + 1, first[node + 1]):
        slot = slots[below[k]]
        if used[slot] > used[kept]:
            slot, kept = kept, slot
        if filled + used[slot] > len(keys) // 4 * 3:
            if scale > beside:
                filled = _fill(line, other, counts, keys, held, n)
            else:
                filled = _fill(other, line, counts, keys, held, n)
        more, new = _join(
            slot,
            kept,
            line,
            other,
            scale,
            beside,
            counts,
            heads,
            after,
            used,
            used_other,
            keys,
            held,
        )
        grown += more
        filled += new
    slots[n + node] = kept
    return grown, filled


def joint_squares(
    n: Any,
    trees: Any,
    stops: Any,
    slots: Any,
    lines: Any,
    heads: Any,
    after: Any,
    used: Any,
    table: Any,
    found: Any,
) -> None:
    """Sums of squared cells of the tables of two cuts, from fine to coarse ones.

    `trees` has for both where the children of each inner node start, and the children. `stops` has
    for both how many inner nodes each cut makes. Two clusters are merged by moving the cells of the
    line with fewer of them, so that all tables together take O(n log n) moves. The rest is room for
    one item per node (`slots`), per object, and for keys of cells.
    """
    rows, columns = lines
    counts, keys, held = table
    total = n
    filled = _fill(rows, columns, counts, keys, held, n)
    made = 0
    beside = 0
    for t in range(len(found)):
        while made < stops[0][t]:
            grown, filled = _make(
                made,
                trees[0],
                slots[0],
                rows,
                columns,
                n,
                1,
                table,
                heads[0],
                after[0],
                used[0],
                used[1],
                filled,
                n,
            )
            total += grown
            made += 1
        while beside < stops[1][t]:
            grown, filled = _make(
                beside,
                trees[1],
                slots[1],
                columns,
                rows,
                1,
                n,
                table,
                heads[1],
                after[1],
                used[1],
                used[0],
                filled,
                n,
            )
            total += grown
            beside += 1
        found[t] = total


def centroid_paths(
    parents: Any,
    first: Any,
    below: Any,
    lengths: Any,
    leaves: Any,
    path: Any,
    away: Any,
    deep: Any,
    room: Any,
    distance: Any,
) -> None:
    """Split a tree at its centroids: those above each leaf, and how far it is from them.

    Every part that a centroid leaves has at most half of the nodes, so a leaf has at most
    log2(nodes) + 1 centroids above it. `lengths` are those of the branches above the nodes, and
    `room` is five arrays of a number per node.
    """
    nodes = len(parents)
    done, before, queue, sizes, waiting = room
    for node in range(nodes):
        done[node] = -1
    waiting[0] = nodes - 1
    open_parts = 1
    while open_parts:
        open_parts -= 1
        start = waiting[open_parts]
        level = -done[start] - 1
        count = 1
        queue[0] = start
        before[start] = -1
        at = 0
        while at < count:
            node = queue[at]
            sizes[node] = 1
            up = parents[node]
            if up < nodes and up != before[node] and done[up] < 0:
                before[up] = node
                queue[count] = up
                count += 1
            if node >= leaves:
                for k in range(first[node - leaves], first[node - leaves + 1]):
                    child = below[k]
                    if child != before[node] and done[child] < 0:
                        before[child] = node
                        queue[count] = child
                        count += 1
            at += 1
        centre = start
        for back in range(count - 1, -1, -1):
            node = queue[back]
            if 2 * sizes[node] >= count:
                centre = node
                break
            sizes[before[node]] += sizes[node]
        queue[0] = centre
        before[centre] = -1
        distance[centre] = 0.0
        count = 1
        at = 0
        while at < count:
            node = queue[at]
            if node < leaves:
                path[node, level] = centre
                away[node, level] = distance[node]
                deep[node] = level + 1
            up = parents[node]
            if up < nodes and up != before[node] and done[up] < 0:
                before[up] = node
                distance[up] = distance[node] + lengths[node]
                queue[count] = up
                count += 1
            if node >= leaves:
                for k in range(first[node - leaves], first[node - leaves + 1]):
                    child = below[k]
                    if child != before[node] and done[child] < 0:
                        before[child] = node
                        distance[child] = distance[node] + lengths[child]
                        queue[count] = child
                        count += 1
            at += 1
        done[centre] = level
        # A part that waits is known by one of its nodes, which holds its level below zero.
        up = parents[centre]
        if up < nodes and done[up] < 0:
            done[up] = -level - 2
            waiting[open_parts] = up
            open_parts += 1
        if centre >= leaves:
            for k in range(first[centre - leaves], first[centre - leaves + 1]):
                child = below[k]
                if done[child] < 0:
                    done[child] = -level - 2
                    waiting[open_parts] = child
                    open_parts += 1


def _distance(leaf: Any, path: Any, away: Any, deep: Any, sums: Any) -> Any:
    """The sum of the distances from a leaf to all that were added."""
    count, total, across = sums
    found = 0.0
    for level in range(deep[leaf]):
        centre = path[leaf, level]
        far = away[leaf, level]
        found += total[centre] + count[centre] * far
        if level + 1 < deep[leaf]:
            nearer = path[leaf, level + 1]
            found -= across[nearer] + count[nearer] * far
    return found


def _add(leaf: Any, path: Any, away: Any, deep: Any, sums: Any) -> None:
    """Add a leaf to the number of leaves and the sums of distances at each of its centroids."""
    count, total, across = sums
    for level in range(deep[leaf]):
        centre = path[leaf, level]
        count[centre] += 1
        total[centre] += away[leaf, level]
        if level:
            across[centre] += away[leaf, level - 1]


def joined_sums(
    order: Any,
    starts: Any,
    ends: Any,
    parents: Any,
    first: Any,
    below: Any,
    largest: Any,
    leaves: Any,
    path: Any,
    away: Any,
    deep: Any,
    sums: Any,
    found: Any,
) -> None:
    """For each inner node of a tree, the distances in another tree of the pairs that it joins.

    A node is walked along its largest child, and each smaller child is compared with what is there
    already: a leaf is added once per node above it that is not the largest child of its parent,
    and there are at most log2(leaves) + 1 of these. `largest` has that child of each inner node.
    """
    count, total, across = sums
    nodes = len(parents)
    for head in range(leaves, nodes):
        # Only a node that is not the largest child of its parent starts a walk.
        if parents[head] < nodes and largest[parents[head] - leaves] == head:
            continue
        node = head
        while node >= leaves:
            node = largest[node - leaves]
        _add(node, path, away, deep, sums)
        while node != head:
            up = parents[node]
            joined = 0.0
            for k in range(first[up - leaves], first[up - leaves + 1]):
                child = below[k]
                if child != node:
                    for at in range(starts[child], ends[child]):
                        joined += _distance(order[at], path, away, deep, sums)
                    for at in range(starts[child], ends[child]):
                        _add(order[at], path, away, deep, sums)
            found[up - leaves] = joined
            node = up
        for at in range(starts[head], ends[head]):
            leaf = order[at]
            for level in range(deep[leaf]):
                centre = path[leaf, level]
                count[centre] = 0
                total[centre] = 0.0
                across[centre] = 0.0
