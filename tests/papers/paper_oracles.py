"""Slow and plain answers to hold the measures against: fractions, 50 digits, every pair."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any, NamedTuple

import pytest
from hypothesis import strategies as st
from mpmath import MPContext

Labels = Sequence[Hashable]
Matrix = Sequence[Sequence[int]]

# A context of its own, so that no other test's precision is touched.
mp = MPContext()
mp.dps = 50


def near(exact: Any, rel: float = 1e-13) -> Any:
    """What a float should be if only rounding parts it from the exact value."""
    return pytest.approx(float(exact), rel=rel, abs=1e-14)


class PairCounts(NamedTuple):
    n11: int
    n10: int
    n01: int
    n00: int


def pairs_one_by_one(truth: Labels, pred: Labels) -> PairCounts:
    found = Counter(
        (a == b, c == d) for (a, c), (b, d) in combinations(list(zip(truth, pred, strict=True)), 2)
    )
    return PairCounts(
        found[True, True], found[True, False], found[False, True], found[False, False]
    )


def ratio(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None


def labels_of(matrix: Matrix) -> tuple[list[int], list[int]]:
    """One object per count: rows are the first clustering, columns the second."""
    cells = [
        (r, c) for r, row in enumerate(matrix) for c, count in enumerate(row) for _ in [0] * count
    ]
    return [r for r, _ in cells], [c for _, c in cells]


def matrix_of(truth: Labels, pred: Labels) -> list[list[int]]:
    cells = Counter(zip(truth, pred, strict=True))
    columns = list(dict.fromkeys(pred))
    return [[cells[row, column] for column in columns] for row in dict.fromkeys(truth)]


def columns_of(matrix: Matrix) -> list[list[int]]:
    return [list(column) for column in zip(*matrix, strict=True)]


def same_partition(truth: Labels, pred: Labels) -> bool:
    return len(set(truth)) == len(set(pred)) == len(set(zip(truth, pred, strict=True)))


def entropy(sizes: Iterable[int]) -> Any:
    """Bits, to 50 digits."""
    kept = [size for size in sizes if size]
    n = sum(kept)
    return -mp.fsum(mp.mpf(size) / n * mp.log(mp.mpf(size) / n, 2) for size in kept)


def entropy_of(labels: Labels) -> Any:
    return entropy(Counter(labels).values())


def entropy_given(labels: Labels, known: Labels) -> Any:
    """H(labels | known) as the average over what is known, not as a difference."""
    groups: dict[Hashable, list[Hashable]] = {}
    for label, key in zip(labels, known, strict=True):
        groups.setdefault(key, []).append(label)
    return mp.fsum(mp.mpf(len(g)) / len(labels) * entropy_of(g) for g in groups.values())


def best_matching(matrix: Matrix) -> int:
    """Most objects that any one-to-one map keeps, by trying every map."""
    short = matrix if len(matrix) <= len(matrix[0]) else columns_of(matrix)
    return max(
        sum(row[place] for row, place in zip(short, places, strict=True))
        for places in permutations(range(len(short[0])), len(short))
    )


def partitions(n: int) -> Iterator[tuple[int, ...]]:
    """Every clustering of n objects once."""

    def grow(labels: tuple[int, ...], used: int) -> Iterator[tuple[int, ...]]:
        if len(labels) == n:
            yield labels
            return
        for label in range(used + 1):
            yield from grow((*labels, label), max(used, label + 1))

    return grow((), 0)


def clusterings(
    how_many: int, clusters: int = 4, least: int = 2, most: int = 12
) -> st.SearchStrategy[list[list[int]]]:
    """So many labelings of the same objects."""
    label = st.integers(0, clusters - 1)
    return st.integers(least, most).flatmap(
        lambda n: st.lists(
            st.lists(label, min_size=n, max_size=n), min_size=how_many, max_size=how_many
        )
    )


def log2_choose(n: int, k: int) -> Any:
    return mp.log(math.comb(n, k), 2)
