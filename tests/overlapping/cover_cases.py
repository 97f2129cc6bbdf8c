"""Covers for tests, as hypothesis draws them."""

from __future__ import annotations

import math

from hypothesis import strategies as st

import clustervet as cv

Groups = list[frozenset[int]]
COVERS = cv.measures.select(kind="overlapping")


def close(a: float, b: float) -> bool:
    """The same to twelve digits, or both undefined."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)


def groups(n: int, most: int = 6) -> st.SearchStrategy[Groups]:
    """Groups of 0, ..., n - 1: any number of them, large and small, some of them equal."""
    group = st.frozensets(st.integers(0, n - 1), min_size=1, max_size=n)
    return st.lists(group, max_size=most)


@st.composite
def pairs(draw: st.DrawFn, most: int = 8, least: int = 1) -> tuple[int, Groups, Groups]:
    """Two covers of the same objects: unrelated, alike, partitions, or with groups twice."""
    n = draw(st.integers(least, most))
    kind = draw(st.sampled_from(["any", "any", "alike", "partitions", "large"]))
    if kind == "partitions":
        labels = st.lists(st.integers(0, 3), min_size=n, max_size=n)
        sides = [draw(labels) for _ in range(2)]
        return n, *(
            [frozenset(k for k in range(n) if side[k] == c) for c in sorted(set(side))]
            for side in sides
        )
    truth = draw(groups(n))
    if kind == "alike":
        order = draw(st.permutations(truth))
        other = [group ^ draw(st.frozensets(st.integers(0, n - 1), max_size=1)) for group in order]
        return n, truth, [group for group in other if group]
    if kind == "large":
        gone = st.frozensets(st.integers(0, n - 1), max_size=n // 3)
        full = frozenset(range(n))
        return n, truth, [g for g in (full - draw(gone) for _ in range(3)) if g]
    return n, truth, draw(groups(n))
