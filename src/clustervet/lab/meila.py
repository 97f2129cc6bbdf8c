"""Properties from Meilă 2007: labels, metric axioms, bounds, data size, and the lattice."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from clustervet.lab.cases import (
    EVERY_PAIR,
    EVERY_THREE,
    PAIRS_TRIED,
    Labeling,
    PropertyCase,
    Relation,
    Seeds,
    Sides,
    bottom,
    canonical,
    comparison,
    drawn,
    every_pair,
    meet,
    of_sizes,
    pairs,
    partitions,
    shapes,
    tested_property,
    top,
)
from clustervet.registry import Measure

OUTSIDE, ONE, OTHER = 0, 1, 2


def _named(first: Labeling, second: Labeling) -> tuple[tuple[str, Labeling], ...]:
    """Return two labelings with their names in a counterexample."""
    return ("a", first), ("b", second)


def _few(rng: np.random.Generator) -> Iterator[Seeds]:
    yield from every_pair(4)
    yield from drawn(rng, 2, 50)


@tested_property(
    title="Names of labels do not matter",
    short="names",
    reference="Meilă 2007, §2",
    tested="all pairs of clusterings of up to 4 points and 50 larger ones, under other labels",
    reads="values",
    seeds=_few,
)
def relabelling(seeds: Seeds) -> Iterator[PropertyCase]:
    """Two clusterings have the same value whatever their clusters are called."""
    first, second = (canonical(seed) for seed in seeds)
    sizes = len(set(first)), len(set(second))
    for turn in (0, 1):
        others = tuple(
            tuple((size - 1 - x if turn == 0 else (x + 1) % size) for x in labels)
            for labels, size in zip((first, second), sizes, strict=True)
        )
        shown = {"a": first, "b": second, "a renamed": others[0], "b renamed": others[1]}
        renamed = [("a renamed", "b renamed")]
        yield comparison(seeds, shown, "m", [("a", "b")], "=", renamed, renamed=True)


def _beside_zero(case: PropertyCase, values: Sequence[float], record: Measure) -> Sides:
    return values[0], 0.0


@tested_property(
    title="Identity of indiscernibles",
    short="ident",
    reference="Meilă 2007, Property 1",
    reads="distances",
    sides=_beside_zero,
)
def identity(seeds: Seeds) -> Iterator[PropertyCase]:
    """The distance is zero between equal clusterings and positive between all others."""
    same = canonical(seeds[0]) == canonical(seeds[1])
    relation: Relation = "=" if same else ">"
    first, second = seeds
    yield PropertyCase(seeds, _named(first, second), ((first, second),), relation, "d(a, b)", "0")


@tested_property(
    title="Symmetry",
    short="symm",
    reference="Meilă 2007, Property 1",
    reads="values",
)
def symmetry(seeds: Seeds) -> Iterator[PropertyCase]:
    """Truth and prediction may change places."""
    shown = dict(_named(*seeds))
    yield comparison(seeds, shown, "m", [("a", "b")], "=", [("b", "a")])


def _threes(rng: np.random.Generator) -> Iterator[Seeds]:
    for n in range(2, EVERY_THREE + 1):
        for middle in shapes(n):
            for first in partitions(n):
                for last in partitions(n):
                    yield first, middle, last
    yield from drawn(rng, 3)


@tested_property(
    title="Triangle inequality",
    short="trian",
    reference="Meilă 2007, Property 1 (eq. 23)",
    tested=f"all threes of clusterings of up to {EVERY_THREE} points, and larger at random",
    reads="distances",
    seeds=_threes,
)
def triangle(seeds: Seeds) -> Iterator[PropertyCase]:
    """A detour by a third clustering is never shorter."""
    first, middle, last = seeds
    if middle in (first, last):
        return
    shown = {"a": first, "b": middle, "c": last}
    yield comparison(seeds, shown, "d", [("a", "c")], "<=", [("a", "b"), ("b", "c")])


def _bound(case: PropertyCase, values: Sequence[float], record: Measure) -> Sides:
    return values[0], record.bounds[case.relation == "<="]


@tested_property(
    title="Declared bounds",
    short="bound",
    reference="Meilă 2007, §4.2",
    reads="values",
    sides=_bound,
)
def bounds(seeds: Seeds) -> Iterator[PropertyCase]:
    """No value lies outside the bounds that the measure declares."""
    first, second = seeds
    pairs, shown = ((first, second),), _named(first, second)
    yield PropertyCase(seeds, shown, pairs, ">=", "m(a, b)", "the lower bound")
    yield PropertyCase(seeds, shown, pairs, "<=", "m(a, b)", "the upper bound")


@tested_property(
    title="The truth scores best",
    short="best",
    reference="Meilă 2007, §2",
    reads="order",
)
def identity_best(seeds: Seeds) -> Iterator[PropertyCase]:
    """No clustering scores better against a truth than the truth itself."""
    shown = dict(zip(("truth", "pred"), seeds, strict=True))
    yield comparison(seeds, shown, "m", [("truth", "truth")], "as good", [("truth", "pred")])


@tested_property(
    title="n-invariance",
    short="n-inv",
    reference="Meilă 2007, Property 2",
    tested=f"{PAIRS_TRIED}, each point taken 2, 3 and 10 times",
    reads="values",
)
def n_invariance(seeds: Seeds) -> Iterator[PropertyCase]:
    """Only relative sizes count: every point taken several times gives the same value."""
    first, second = seeds
    for times in (2, 3, 10):
        pairs = ((first, second), (first * times, second * times))
        right = f"m of every point {times} times"
        yield PropertyCase(seeds, _named(first, second), pairs, "=", "m(a, b)", right)


def _two_parts(rng: np.random.Generator) -> Iterator[Seeds]:
    """Yield two parts of the points, and two clusterings that both keep the parts apart."""
    for n in range(2, EVERY_PAIR + 1):
        for size in range(1, n // 2 + 1):
            for a, b in pairs(size):
                for c, d in pairs(n - size):
                    yield of_sizes([size, n - size]), (*a, *_after(a, c)), (*b, *_after(b, d))
    for coarse, *fine in drawn(rng, 3):
        blocks = tuple(label % 2 for label in coarse)
        yield blocks, meet(blocks, fine[0]), meet(blocks, fine[1])


def _after(used: Labeling, labels: Labeling) -> Labeling:
    return tuple(max(used) + 1 + label for label in labels)


def _weighted(case: PropertyCase, values: Sequence[float], record: Measure) -> Sides:
    whole, *parts = values
    total = sum(s * v for s, v in zip(case.sizes, parts, strict=True))
    return whole, total / sum(case.sizes)


@tested_property(
    title="Convex additivity",
    short="convex",
    reference="Meilă 2007, Property 8 (eq. 31) and axiom A3",
    tested=f"all pairs of clusterings of up to {EVERY_PAIR} points in two parts, and larger",
    reads="distances",
    seeds=_two_parts,
    sides=_weighted,
)
def convex_additivity(seeds: Seeds) -> Iterator[PropertyCase]:
    """If clusterings keep two parts apart, their distance is the weighted mean over the parts."""
    blocks = seeds[0]
    if len(set(blocks)) != 2:
        return
    first, second = (meet(blocks, seed) for seed in seeds[1:])
    kept = [[k for k, block in enumerate(blocks) if block == name] for name in sorted(set(blocks))]
    inside = tuple(
        (canonical(first[k] for k in part), canonical(second[k] for k in part)) for part in kept
    )
    yield PropertyCase(
        seeds,
        (*_named(first, second), ("parts", canonical(blocks))),
        ((first, second), *inside),
        "=",
        "d(a, b)",
        "the mean of d within the parts, weighted by their sizes",
        sizes=tuple(map(len, kept)),
    )


def _splits(rng: np.random.Generator) -> Iterator[Seeds]:
    """Yield a cluster to split, and two ways to cluster the other points."""
    for n in range(4, EVERY_PAIR + 2):
        for rest in range(2, n - 1):
            ways = shapes(rest)
            for half in range(1, (n - rest) // 2 + 1):
                split = (*(ONE,) * (n - rest - half), *(OTHER,) * half, *(OUTSIDE,) * rest)
                for k, one in enumerate(ways):
                    for other in ways[:k]:
                        yield split, (0,) * (n - rest) + one, (0,) * (n - rest) + other
    for split, one, other in drawn(rng, 3):
        yield tuple(label % 3 for label in split), one, other


@tested_property(
    title="Locality",
    short="local",
    reference="Meilă 2007, §6",
    tested=f"all splits of a cluster of up to {EVERY_PAIR + 1} points, the others clustered "
    "in two ways, and larger at random; as a split and as a merge",
    reads="values",
    seeds=_splits,
)
def locality(seeds: Seeds) -> Iterator[PropertyCase]:
    """What a split changes does not depend on how the other points of the data are clustered."""
    split, *ways = seeds
    if not {ONE, OTHER} <= set(split):
        return
    before, after = [], []
    for way in ways:
        both_sides = list(zip(split, way, strict=True))
        before.append(canonical((s != OUTSIDE, s == OUTSIDE and w) for s, w in both_sides))
        after.append(canonical((s, s == OUTSIDE and w) for s, w in both_sides))
    if before[0] == before[1]:
        return
    shown = {"a": before[0], "a split": after[0], "b": before[1], "b split": after[1]}
    for one, other in (("a", "a split"), ("b", "b split")), (("a split", "a"), ("b split", "b")):
        yield comparison(seeds, shown, "m", [one], "=", [other])


def _one(rng: np.random.Generator) -> Iterator[Seeds]:
    for n in range(3, EVERY_PAIR + 3):
        yield from ((labels,) for labels in shapes(n))
    yield from drawn(rng, 1)


@tested_property(
    title="Collinearity of top and bottom (A1)",
    short="A1",
    reference="Meilă 2007, axiom A1",
    tested=f"all clusterings of up to {EVERY_PAIR + 2} points, and larger ones at random",
    reads="distances",
    seeds=_one,
)
def vertical_collinearity(seeds: Seeds) -> Iterator[PropertyCase]:
    """Every clustering lies on a straight line between one cluster and singletons."""
    middle = seeds[0]
    if len(set(middle)) in (1, len(middle)):  # these are the ends of the line
        return
    shown = {"a": middle, "one cluster": top(len(middle)), "singletons": bottom(len(middle))}
    detour = [("one cluster", "a"), ("a", "singletons")]
    yield comparison(seeds, shown, "d", detour, "=", [("one cluster", "singletons")])


@tested_property(
    title="Collinearity of the meet (A2)",
    short="A2",
    reference="Meilă 2007, axiom A2 and Property 6 (eq. 29)",
    reads="distances",
)
def horizontal_collinearity(seeds: Seeds) -> Iterator[PropertyCase]:
    """The meet of two clusterings lies on a straight line between them."""
    shown = {**dict(_named(*seeds)), "meet": meet(*seeds)}
    yield comparison(seeds, shown, "d", [("a", "meet"), ("b", "meet")], "=", [("a", "b")])


def _uniform_seeds(rng: np.random.Generator) -> Iterator[Seeds]:
    for clusters in range(2, 17):
        yield from ((of_sizes([size] * clusters),) for size in (1, 2, 5))


def _log_clusters(case: PropertyCase, values: Sequence[float], record: Measure) -> Sides:
    return values[0], math.log2(len(set(case.seeds[0])))


@tested_property(
    title="Logarithmic scale (A4)",
    short="A4",
    reference="Meilă 2007, axiom A4",
    tested="2 to 16 clusters of 1, 2 and 5 points",
    reads="distances",
    seeds=_uniform_seeds,
    sides=_log_clusters,
)
def log_scale(seeds: Seeds) -> Iterator[PropertyCase]:
    """K equal clusters are log2 K bits away from a single one."""
    labels = seeds[0]
    clusters = len(set(labels))
    if clusters > 1 and len({labels.count(label) for label in set(labels)}) == 1:
        high = top(len(labels))
        shown = ("one cluster", high), ("a", labels)
        right = f"log2 {clusters}"
        yield PropertyCase(seeds, shown, ((high, labels),), "=", "d(one cluster, a)", right)
