"""Counts of classes that are merged from the leaves of a tree up."""

from __future__ import annotations

import math

from clustervet.hierarchical.shape import Shape


def class_purity(classes: list[int], shape: Shape, by_object: bool) -> float | None:
    """Expected share of a class in the node that joins two of its objects; None without pairs.

    A pair of objects has the weight 1; or, `by_object`, 1 / (m - 1) in a class of m objects, so
    that every object has the same weight.
    """
    totals: dict[int, int] = {}
    for kind in classes:
        totals[kind] = totals.get(kind, 0) + 1
    counts: list[dict[int, int]] = [{kind: 1} for kind in classes]
    first, below = (side.tolist() for side in shape.children)
    sizes = shape.sizes.tolist()
    terms: list[float] = []
    for node in range(shape.inner):
        children = below[first[node] : first[node + 1]]
        largest = max(children, key=lambda child: len(counts[child]))
        merged, joined = counts[largest], dict[int, int]()
        for child in children:
            if child != largest:
                for kind, count in counts[child].items():
                    held = merged.get(kind, 0)
                    if held:
                        joined[kind] = joined.get(kind, 0) + held * count
                    merged[kind] = held + count
                counts[child] = {}
        counts[largest] = {}
        counts.append(merged)
        size = sizes[shape.leaves + node]
        for kind, pairs in joined.items():
            parts = size * (totals[kind] - 1) if by_object else size
            terms.append(pairs * merged[kind] / parts)
    if by_object:
        weight = math.fsum(total / 2 for total in totals.values() if total > 1)
    else:
        weight = sum(total * (total - 1) // 2 for total in totals.values())
    return min(1.0, math.fsum(terms) / weight) if weight else None
