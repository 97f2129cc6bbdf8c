"""Clusterings that the papers speak of, as labels or as tables of counts."""

from __future__ import annotations

import clustervet as cv


def as_table(matrix):
    return cv.Contingency.from_counts(matrix)


def meet(first, second):
    return [f"{one} and {other}" for one, other in zip(first, second, strict=True)]


def top(labels):
    return [0] * len(labels)


def bottom(labels):
    return list(range(len(labels)))


def split_in_two(sizes, part):
    """C with these sizes against C' that splits `part` points off the first cluster."""
    width = len(sizes) + 1
    rows = [[sizes[0] - part, part, *[0] * (width - 2)]]
    rows += [
        [size * (column == k + 2) for column in range(width)] for k, size in enumerate(sizes[1:])
    ]
    return rows


def separated(clusters, scale=1):
    """Fig. 3: uniform and independent, n a multiple of K^2."""
    return [[scale] * clusters for _ in range(clusters)]


def induced(labels, coarse):
    """The labels inside each cluster of a coarser clustering."""
    groups = {}
    for label, key in zip(labels, coarse, strict=True):
        groups.setdefault(key, []).append(label)
    return groups
