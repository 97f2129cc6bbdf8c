"""Properties of a measure as such: names of labels, metric axioms, bounds, scale of the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from clustervet.lab.cases import (
    EVERY_PAIR,
    EVERY_THREE,
    Case,
    Labeling,
    Relation,
    canonical,
    drawn,
    every_pair,
    partitions,
    shapes,
)
from clustervet.lab.properties import Property, Seeds, Sides, both
from clustervet.registry import Measure

PAIRS_TRIED = f"all pairs of clusterings of up to {EVERY_PAIR} points, and larger ones at random"


def two(rng: np.random.Generator) -> Iterator[Seeds]:
    """Every small pair of clusterings, and larger ones."""
    yield from every_pair()
    yield from drawn(rng, 2)


def named(first: Labeling, second: Labeling) -> tuple[tuple[str, Labeling], ...]:
    """Two labelings with the names that people are shown."""
    return ("a", first), ("b", second)


def _few(rng: np.random.Generator) -> Iterator[Seeds]:
    yield from every_pair(4)
    yield from drawn(rng, 2, 50)


def _renamed(seeds: Seeds) -> Iterator[Case]:
    """The same clusters under other labels: reversed, and turned by one."""
    first, second = (canonical(seed) for seed in seeds)
    sizes = len(set(first)), len(set(second))
    for turn in (0, 1):
        others = tuple(
            tuple((size - 1 - x if turn == 0 else (x + 1) % size) for x in labels)
            for labels, size in zip((first, second), sizes, strict=True)
        )
        shown = (*named(first, second), ("a renamed", others[0]), ("b renamed", others[1]))
        yield Case(
            seeds,
            shown,
            ((first, second), (others[0], others[1])),
            "=",
            "m(a, b)",
            "m(a renamed, b renamed)",
            renamed=True,
        )


def _identity(seeds: Seeds) -> Iterator[Case]:
    same = canonical(seeds[0]) == canonical(seeds[1])
    relation: Relation = "=" if same else ">"
    first, second = seeds
    yield Case(seeds, named(first, second), ((first, second),), relation, "d(a, b)", "0")


def _beside_zero(case: Case, values: Sequence[float], record: Measure) -> Sides:
    return values[0], 0.0


def _swapped(seeds: Seeds) -> Iterator[Case]:
    first, second = seeds
    pairs = ((first, second), (second, first))
    yield Case(seeds, named(first, second), pairs, "=", "m(a, b)", "m(b, a)")


def _threes(rng: np.random.Generator) -> Iterator[Seeds]:
    for n in range(2, EVERY_THREE + 1):
        for middle in shapes(n):
            for first in partitions(n):
                for last in partitions(n):
                    yield first, middle, last
    yield from drawn(rng, 3)


def _detour(seeds: Seeds) -> Iterator[Case]:
    first, middle, last = seeds
    if middle in (first, last):
        return
    shown = ("a", first), ("b", middle), ("c", last)
    pairs = ((first, last), (first, middle), (middle, last))
    yield Case(seeds, shown, pairs, "<=", "d(a, c)", "d(a, b) + d(b, c)")


def _one_and_two(case: Case, values: Sequence[float], record: Measure) -> Sides:
    return values[0], values[1] + values[2]


def _within(seeds: Seeds) -> Iterator[Case]:
    first, second = seeds
    pairs, shown = ((first, second),), named(first, second)
    yield Case(seeds, shown, pairs, ">=", "m(a, b)", "the lower bound")
    yield Case(seeds, shown, pairs, "<=", "m(a, b)", "the upper bound")


def _bound(case: Case, values: Sequence[float], record: Measure) -> Sides:
    return values[0], record.bounds[case.relation == "<="]


def _best(seeds: Seeds) -> Iterator[Case]:
    truth, pred = seeds
    shown = ("truth", truth), ("pred", pred)
    pairs = ((truth, truth), (truth, pred))
    yield Case(seeds, shown, pairs, "as good", "m(truth, truth)", "m(truth, pred)")


def _copied(seeds: Seeds) -> Iterator[Case]:
    first, second = seeds
    for times in (2, 3, 10):
        pairs = ((first, second), (first * times, second * times))
        right = f"m of every point {times} times"
        yield Case(seeds, named(first, second), pairs, "=", "m(a, b)", right)


PROPERTIES = (
    Property(
        key="relabelling",
        title="Names of labels do not matter",
        short="names",
        claim="Two clusterings have the same value whatever their clusters are called.",
        reference="Meilă 2007, §2",
        tested="all pairs of clusterings of up to 4 points and 50 larger ones, under other labels",
        reads="values",
        seeds=_few,
        build=_renamed,
        sides=both,
        shrinks=True,
    ),
    Property(
        key="identity",
        title="Identity of indiscernibles",
        short="ident",
        claim="The distance is zero between equal clusterings and positive between all others.",
        reference="Meilă 2007, Property 1",
        tested=PAIRS_TRIED,
        reads="distances",
        seeds=two,
        build=_identity,
        sides=_beside_zero,
        shrinks=True,
    ),
    Property(
        key="symmetry",
        title="Symmetry",
        short="symm",
        claim="Truth and prediction may change places.",
        reference="Meilă 2007, Property 1",
        tested=PAIRS_TRIED,
        reads="values",
        seeds=two,
        build=_swapped,
        sides=both,
        shrinks=True,
    ),
    Property(
        key="triangle",
        title="Triangle inequality",
        short="trian",
        claim="A detour by a third clustering is never shorter.",
        reference="Meilă 2007, Property 1 (eq. 23)",
        tested=f"all threes of clusterings of up to {EVERY_THREE} points, and larger at random",
        reads="distances",
        seeds=_threes,
        build=_detour,
        sides=_one_and_two,
        shrinks=True,
    ),
    Property(
        key="bounds",
        title="Declared bounds",
        short="bound",
        claim="No value lies outside the bounds that the measure declares.",
        reference="Meilă 2007, §4.2",
        tested=PAIRS_TRIED,
        reads="values",
        seeds=two,
        build=_within,
        sides=_bound,
        shrinks=True,
    ),
    Property(
        key="identity_best",
        title="The truth scores best",
        short="best",
        claim="No clustering scores better against a truth than the truth itself.",
        reference="Meilă 2007, §2",
        tested=PAIRS_TRIED,
        reads="order",
        seeds=two,
        build=_best,
        sides=both,
        shrinks=True,
    ),
    Property(
        key="n_invariance",
        title="n-invariance",
        short="n-inv",
        claim="Only relative sizes count: every point taken several times gives the same value.",
        reference="Meilă 2007, Property 2",
        tested=f"{PAIRS_TRIED}, each point taken 2, 3 and 10 times",
        reads="values",
        seeds=two,
        build=_copied,
        sides=both,
        shrinks=True,
    ),
)
