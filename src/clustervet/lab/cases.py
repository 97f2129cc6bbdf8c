"""Clusterings of a few points, all of them, and larger ones at random, for tests of measures."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from clustervet.contingency import Contingency

Labeling = tuple[int, ...]
Pair = tuple[Labeling, Labeling]
# What a property wants of its two sides; "better" and "as good" follow the measure's direction.
Relation = Literal["=", "<=", ">=", ">", "better", "as good"]

# Points up to which all clusterings are tried, in pairs and in threes.
EVERY_PAIR = 6
EVERY_THREE = 5
# Larger cases drawn at random for each property, and how many points they have.
DRAWN = 200
SMALLEST, LARGEST = 7, 24


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that a property says about a measure.

    `pairs` are evaluated, `left` and `right` say what is then compared, and `shown` are the
    labelings to print if it fails. `seeds` are the labelings that the case was built from, and
    `sizes` the numbers of points that its weights need.
    """

    seeds: tuple[Labeling, ...]
    shown: tuple[tuple[str, Labeling], ...]
    pairs: tuple[Pair, ...]
    relation: Relation
    left: str
    right: str
    sizes: tuple[int, ...] = ()
    renamed: bool = False

    @property
    def weight(self) -> tuple[int, int]:
        """How large a case is: points first, then clusters."""
        return len(self.seeds[0]), sum(len(set(seed)) for seed in self.seeds)


@functools.cache
def partitions(n: int) -> tuple[Labeling, ...]:
    """Every clustering of n points once, labels in order of first appearance.

    >>> partitions(3)
    ((0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2))
    >>> [len(partitions(n)) for n in range(1, 7)]
    [1, 2, 5, 15, 52, 203]
    """
    if n == 0:
        return ((),)
    return tuple(
        (*start, label)
        for start in partitions(n - 1)
        for label in range((max(start) if start else -1) + 2)
    )


@functools.cache
def shapes(n: int) -> tuple[Labeling, ...]:
    """One clustering of n points for each list of cluster sizes, larger clusters first.

    >>> shapes(3)
    ((0, 0, 0), (0, 0, 1), (0, 1, 2))
    """
    found = {sizes_of(labels): labels for labels in partitions(n)}
    return tuple(of_sizes(sizes) for sizes in sorted(found, reverse=True))


def sizes_of(labels: Labeling) -> tuple[int, ...]:
    """Cluster sizes, the largest first."""
    return tuple(sorted((labels.count(label) for label in set(labels)), reverse=True))


def of_sizes(sizes: Sequence[int]) -> Labeling:
    """A labeling whose clusters have these sizes.

    >>> of_sizes([2, 1])
    (0, 0, 1)
    """
    return tuple(k for k, size in enumerate(sizes) for _ in range(size))


def canonical(labels: Iterable[object]) -> Labeling:
    """The same clusters, labelled in order of first appearance."""
    names: dict[object, int] = {}
    return tuple(names.setdefault(label, len(names)) for label in labels)


def meet(*labelings: Labeling) -> Labeling:
    """The clusters that are left when every labeling cuts; Meilă 2007, §4.3.

    >>> meet((0, 0, 1, 1), (0, 1, 1, 1))
    (0, 1, 2, 2)
    """
    return canonical(zip(*labelings, strict=True))


def top(n: int) -> Labeling:
    """All points in one cluster."""
    return (0,) * n


def bottom(n: int) -> Labeling:
    """Each point a cluster."""
    return tuple(range(n))


@functools.cache
def pairs(n: int) -> tuple[Pair, ...]:
    """Every pair of clusterings of n points, once for each table they can make.

    >>> [len(pairs(n)) for n in range(1, 5)]
    [1, 4, 10, 33]
    """
    found: dict[object, Pair] = {}
    for first in shapes(n):
        for second in partitions(n):
            found.setdefault(table_key(first, second), (first, second))
    return tuple(found.values())


def every_pair(most: int = EVERY_PAIR) -> Iterator[Pair]:
    """Every pair of clusterings of up to so many points."""
    for n in range(1, most + 1):
        yield from pairs(n)


def drawn(
    rng: np.random.Generator, sides: int, count: int = DRAWN
) -> Iterator[tuple[Labeling, ...]]:
    """Larger labelings at random: some unrelated, some a few moves apart."""
    for k in range(count):
        n = int(rng.integers(SMALLEST, LARGEST + 1))
        first = rng.integers(0, rng.integers(2, 7), n)
        found = [first]
        for _ in range(sides - 1):
            other = rng.integers(0, rng.integers(2, 7), n)
            moved = rng.random(n) < (1.0 if k % 2 else 0.25)
            found.append(np.where(moved, other, first))
        yield tuple(tuple(int(label) for label in labels) for labels in found)


def table_key(first: Labeling, second: Labeling) -> tuple[tuple[int, ...], ...]:
    """The table of two labelings, its rows and columns sorted.

    Two pairs with one key have one table up to the order of labels. Sorting by turns does not
    find every such pair, which only costs a table more.
    """
    rows = {label: k for k, label in enumerate(dict.fromkeys(first))}
    columns = {label: k for k, label in enumerate(dict.fromkeys(second))}
    grid = [[0] * len(columns) for _ in rows]
    for one, other in zip(first, second, strict=True):
        grid[rows[one]][columns[other]] += 1
    sides: list[tuple[int, ...]] = [tuple(row) for row in grid]
    for _ in range(4):
        sides = list(zip(*sorted(sides, key=lambda row: (sorted(row), row)), strict=True))
    return tuple(sides)


@dataclass
class Atlas:
    """Tables of pairs of labelings, each made once and shared by all measures."""

    tables: list[Contingency] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    _places: dict[object, int] = field(default_factory=dict)
    _known: dict[Pair, int] = field(default_factory=dict)

    def place(self, pair: Pair, *, renamed: bool = False) -> int:
        """Where the pair's table stands; `renamed` keeps pairs apart whose labels differ."""
        if renamed:
            return self._put(("as it is", pair), pair)
        if pair not in self._known:
            self._known[pair] = self._put(table_key(*pair), pair)
        return self._known[pair]

    def _put(self, key: object, pair: Pair) -> int:
        if key not in self._places:
            self._places[key] = len(self.tables)
            self.tables.append(Contingency.from_labels(*pair))
            self.pairs.append(pair)
        return self._places[key]
