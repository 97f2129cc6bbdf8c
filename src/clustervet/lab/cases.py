"""What a property of measures is, and the clusterings on which it is tried.

Law: a property is one comparison of two numbers, made from values of a measure. A property of
distances reads every measure as a distance: the value itself where lower is better, and the
difference to its best value where higher is better. The best value is the declared `perfect`, or
the better end of the declared bounds. A measure without a direction or without a best value is no
distance, and properties of distances do not apply to it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from clustervet.contingency import Contingency
from clustervet.partition.draw import growth_strings
from clustervet.registry import Measure

Labeling = tuple[int, ...]
Pair = tuple[Labeling, Labeling]
Seeds = tuple[Labeling, ...]
Sides = tuple[float, float]
# What a property wants of its two sides; "better" and "as good" follow the measure's direction.
Relation = Literal["=", "<=", ">=", ">", "better", "as good"]
# What a property compares: values, distances, or which value is better.
Reads = Literal["values", "distances", "order"]

# Points up to which all clusterings are tried, in pairs and in threes.
EVERY_PAIR = 6
EVERY_THREE = 5
# Number of larger cases drawn at random for each property, and their numbers of points.
DRAWN = 200
SMALLEST, LARGEST = 7, 24
# Two numbers are equal if they differ by no more than this share of the larger (or of 1).
TOLERANCE = 1e-9
PAIRS_TRIED = f"all pairs of clusterings of up to {EVERY_PAIR} points, and larger ones at random"


@dataclass(frozen=True, slots=True)
class PropertyCase:
    """One comparison that a property makes.

    The measure is evaluated on `pairs`; `left` and `right` say what is then compared. The first
    `lefts` values belong to the left side. `shown` are the labelings to print if the comparison
    fails, `seeds` those that the case was built from, and `sizes` numbers of points that serve as
    weights.
    """

    seeds: Seeds
    shown: tuple[tuple[str, Labeling], ...]
    pairs: tuple[Pair, ...]
    relation: Relation
    left: str
    right: str
    lefts: int = 1
    sizes: tuple[int, ...] = ()
    renamed: bool = False

    @property
    def weight(self) -> tuple[int, int]:
        """The size of the case: points first, then clusters."""
        return len(self.seeds[0]), sum(len(set(seed)) for seed in self.seeds)


@functools.cache
def partitions(n: int) -> tuple[Labeling, ...]:
    """Return every clustering of n points once, labels in order of first appearance.

    >>> partitions(3)
    ((0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2))
    >>> [len(partitions(n)) for n in range(1, 7)]
    [1, 2, 5, 15, 52, 203]
    """
    return tuple(map(tuple, growth_strings(n, None)))


@functools.cache
def shapes(n: int) -> tuple[Labeling, ...]:
    """Return one clustering of n points per list of cluster sizes, larger clusters first.

    >>> shapes(3)
    ((0, 0, 0), (0, 0, 1), (0, 1, 2))
    """
    found = {sizes_of(labels): labels for labels in partitions(n)}
    return tuple(of_sizes(sizes) for sizes in sorted(found, reverse=True))


def sizes_of(labels: Labeling) -> tuple[int, ...]:
    """Return the cluster sizes, the largest first."""
    return tuple(sorted((labels.count(label) for label in set(labels)), reverse=True))


def of_sizes(sizes: Sequence[int]) -> Labeling:
    """Return a labeling whose clusters have these sizes.

    >>> of_sizes([2, 1])
    (0, 0, 1)
    """
    return tuple(k for k, size in enumerate(sizes) for _ in range(size))


def canonical(labels: Iterable[object]) -> Labeling:
    """Return the same clusters, labelled in order of first appearance."""
    names: dict[object, int] = {}
    return tuple(names.setdefault(label, len(names)) for label in labels)


def meet(*labelings: Labeling) -> Labeling:
    """Return the meet: two points are together if all labelings put them together.

    >>> meet((0, 0, 1, 1), (0, 1, 1, 1))
    (0, 1, 2, 2)
    """
    return canonical(zip(*labelings, strict=True))


@functools.cache
def pairs(n: int) -> tuple[Pair, ...]:
    """Return every pair of clusterings of n points, one per table that they can make.

    >>> [len(pairs(n)) for n in range(1, 5)]
    [1, 4, 10, 33]
    """
    found: dict[object, Pair] = {}
    for first in shapes(n):
        for second in partitions(n):
            found.setdefault(table_key(first, second), (first, second))
    return tuple(found.values())


def every_pair(most: int = EVERY_PAIR) -> Iterator[Pair]:
    """Yield every pair of clusterings of at most this number of points."""
    for n in range(1, most + 1):
        yield from pairs(n)


def drawn(rng: np.random.Generator, sides: int, count: int = DRAWN) -> Iterator[Seeds]:
    """Yield larger labelings at random: some unrelated, some that differ in a few points."""
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
    """Return the table of two labelings with its rows and columns sorted.

    Two pairs with the same key have the same table up to the order of labels. Sorting rows and
    columns in turn does not find every such pair, which costs no more than an extra table.
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


def comparison(
    seeds: Seeds,
    shown: dict[str, Labeling],
    sign: str,
    left: Sequence[tuple[str, str]],
    relation: Relation,
    right: Sequence[tuple[str, str]],
) -> PropertyCase:
    """Return a case with sums of values on both sides; each pair names two labelings.

    >>> shown = {"a": (0, 1), "b": (0, 0)}
    >>> case = comparison(((0, 1),), shown, "m", [("a", "b")], "=", [("b", "a")])
    >>> case.left, case.right, case.pairs
    ('m(a, b)', 'm(b, a)', (((0, 1), (0, 0)), ((0, 0), (0, 1))))
    """
    texts = [" + ".join(f"{sign}({one}, {other})" for one, other in side) for side in (left, right)]
    pairs = tuple((shown[one], shown[other]) for one, other in (*left, *right))
    named = tuple(shown.items())
    return PropertyCase(seeds, named, pairs, relation, texts[0], texts[1], len(left))


def sums(case: PropertyCase, values: Sequence[float], record: Measure) -> Sides:
    """Return the sum of the values on each side, which most properties compare."""
    return sum(values[: case.lefts]), sum(values[case.lefts :])


def two(rng: np.random.Generator) -> Iterator[Seeds]:
    """Yield every pair of small clusterings, and larger pairs at random."""
    yield from every_pair()
    yield from drawn(rng, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """A property that a measure may have, its reference, and how it is tested.

    Parameters
    ----------
    key, title, short : str
        Names of the property: in code, in text, and above a narrow column.
    claim : str
        What the property wants.
    reference : str
        Who stated it.
    reads : {"values", "distances", "order"}
        What is compared: values, distances, or which value is better.
    build : callable
        Makes cases of labelings; none where they do not meet the premise of the property.
    tested : str, optional
        The clusterings on which it is tried, in words.
    seeds : callable, optional
        Gives the labelings.
    sides : callable, optional
        Gives the two numbers that are compared.
    shrinks : bool, optional
        Whether `build` checks the premise, so that it may be given labelings with fewer points.
    """

    key: str
    title: str
    short: str
    claim: str
    reference: str
    reads: Reads
    build: Callable[[Seeds], Iterator[PropertyCase]]
    tested: str = PAIRS_TRIED
    seeds: Callable[[np.random.Generator], Iterable[Seeds]] = two
    sides: Callable[[PropertyCase, Sequence[float], Measure], Sides] = sums
    shrinks: bool = True

    def cases(self, rng: np.random.Generator) -> list[PropertyCase]:
        """Return every case, the smallest first.

        Parameters
        ----------
        rng : numpy.random.Generator
            The source of the larger cases.

        Returns
        -------
        list of PropertyCase
            The cases.
        """
        found = [case for seeds in self.seeds(rng) for case in self.build(seeds)]
        return sorted(found, key=lambda case: case.weight)

    def reading(self, record: Measure) -> tuple[float, float]:
        """Return the sign and the origin that turn a value into what the property compares.

        Parameters
        ----------
        record : Measure
            The measure.

        Returns
        -------
        tuple of float
            Sign and origin: the property compares sign * (value - origin).
        """
        sign = -1.0 if record.better == "higher" else 1.0
        return (sign, origin(record)) if self.reads == "distances" else (1.0, 0.0)

    def refuses(self, record: Measure) -> str | None:
        """Return why the property does not apply to a measure.

        Parameters
        ----------
        record : Measure
            The measure.

        Returns
        -------
        str or None
            The reason; None if the property applies.
        """
        if self.reads == "values":
            return None
        if record.better == "neither":
            return "neither high nor low is better"
        if self.reads == "distances" and not math.isfinite(origin(record)):
            return "it has no fixed best value to measure a distance from"
        return None

    def holds(self, case: PropertyCase, sides: Sides, record: Measure) -> bool:
        """Return whether the two sides are related as the property wants.

        Parameters
        ----------
        case : PropertyCase
            The case, which has the relation.
        sides : tuple of float
            The two numbers.
        record : Measure
            The measure, which has the direction.

        Returns
        -------
        bool
            Whether the relation holds.
        """
        left, right = sides
        if case.relation in ("better", "as good") and record.better == "lower":
            left, right = -left, -right
        return compare(left, case.relation, right)


def tested_property(**said: Any) -> Callable[[Callable[[Seeds], Iterator[PropertyCase]]], Property]:
    """Return a decorator that makes a property of the function that builds its cases.

    The name of the function is the key of the property and its docstring the claim; `said` are
    the other fields.
    """

    def made(build: Callable[[Seeds], Iterator[PropertyCase]]) -> Property:
        claim = " ".join((build.__doc__ or "").split())
        return Property(key=build.__name__, claim=claim, build=build, **said)

    return made


def origin(record: Measure) -> float:
    """Return the value of a measure that is read as distance 0."""
    if record.perfect is not None:
        return record.perfect
    return record.bounds[0] if record.better == "lower" else record.bounds[1]


def compare(left: float, relation: Relation, right: float) -> bool:
    """Return whether a relation holds within the tolerance; strict ones hold by more than it.

    >>> compare(0.1 + 0.2, "=", 0.3), compare(0.1 + 0.2, ">", 0.3)
    (True, False)
    """
    size = max(1.0, *(abs(side) for side in (left, right) if math.isfinite(side)), 0.0)
    slack = TOLERANCE * size
    if relation == "=":
        return abs(left - right) <= slack
    if relation in (">", "better"):
        return left > right + slack
    if relation == "<=":
        return left <= right + slack
    return left >= right - slack


@dataclass
class Atlas:
    """Tables of pairs of labelings, each made once and shared by all measures."""

    tables: list[Contingency] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    _places: dict[object, int] = field(default_factory=dict)
    _known: dict[Pair, int] = field(default_factory=dict)

    def place(self, pair: Pair, *, renamed: bool = False) -> int:
        """Return the place of the pair's table; `renamed` keeps pairs apart whose labels differ."""
        if renamed:
            return self._put(("renamed", pair), pair)
        if pair not in self._known:
            self._known[pair] = self._put(table_key(*pair), pair)
        return self._known[pair]

    def _put(self, key: object, pair: Pair) -> int:
        if key not in self._places:
            self._places[key] = len(self.tables)
            self.tables.append(Contingency.from_labels(*pair))
            self.pairs.append(pair)
        return self._places[key]
