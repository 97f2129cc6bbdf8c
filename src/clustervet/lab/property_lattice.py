"""Meilă's properties of a distance on the lattice of clusterings: 2007, §4.4, §6 and §7."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from clustervet.lab.cases import (
    EVERY_PAIR,
    Case,
    Labeling,
    bottom,
    canonical,
    drawn,
    meet,
    of_sizes,
    pairs,
    shapes,
    top,
)
from clustervet.lab.properties import Property, Seeds, Sides, both
from clustervet.lab.property_metric import PAIRS_TRIED, named, two
from clustervet.registry import Measure

OUTSIDE, ONE, OTHER = 0, 1, 2


def _two_parts(rng: np.random.Generator) -> Iterator[Seeds]:
    """Two blocks of points, and two clusterings that both keep them apart."""
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


def _parts(seeds: Seeds) -> Iterator[Case]:
    blocks = seeds[0]
    if len(set(blocks)) != 2:
        return
    first, second = (meet(blocks, seed) for seed in seeds[1:])
    kept = [[k for k, block in enumerate(blocks) if block == name] for name in sorted(set(blocks))]
    inside = tuple(
        (canonical(first[k] for k in part), canonical(second[k] for k in part)) for part in kept
    )
    yield Case(
        seeds,
        (*named(first, second), ("parts", canonical(blocks))),
        ((first, second), *inside),
        "=",
        "d(a, b)",
        "the mean of d within the parts, weighted by their sizes",
        sizes=tuple(map(len, kept)),
    )


def _weighted(case: Case, values: Sequence[float], record: Measure) -> Sides:
    whole, *parts = values
    total = sum(s * v for s, v in zip(case.sizes, parts, strict=True))
    return whole, total / sum(case.sizes)


def _splits(rng: np.random.Generator) -> Iterator[Seeds]:
    """A cluster to split, and two ways to cluster the other points."""
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


def _local(seeds: Seeds) -> Iterator[Case]:
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
    shown = (
        ("a", before[0]),
        ("a split", after[0]),
        ("b", before[1]),
        ("b split", after[1]),
    )
    splitting = ((before[0], after[0]), (before[1], after[1]))
    merging = ((after[0], before[0]), (after[1], before[1]))
    yield Case(seeds, shown, splitting, "=", "m(a, a split)", "m(b, b split)")
    yield Case(seeds, shown, merging, "=", "m(a split, a)", "m(b split, b)")


def _one(rng: np.random.Generator) -> Iterator[Seeds]:
    for n in range(3, EVERY_PAIR + 3):
        yield from ((labels,) for labels in shapes(n))
    yield from drawn(rng, 1)


def _vertical(seeds: Seeds) -> Iterator[Case]:
    middle = seeds[0]
    high, low = top(len(middle)), bottom(len(middle))
    if len(set(middle)) in (1, len(middle)):  # the line's own ends
        return
    yield Case(
        seeds,
        (("a", middle), ("one cluster", high), ("singletons", low)),
        ((high, middle), (middle, low), (high, low)),
        "=",
        "d(one cluster, a) + d(a, singletons)",
        "d(one cluster, singletons)",
    )


def _two_and_one(case: Case, values: Sequence[float], record: Measure) -> Sides:
    return values[0] + values[1], values[2]


def _horizontal(seeds: Seeds) -> Iterator[Case]:
    first, second = seeds
    cut = meet(first, second)
    yield Case(
        seeds,
        (*named(first, second), ("meet", cut)),
        ((first, cut), (second, cut), (first, second)),
        "=",
        "d(a, meet) + d(b, meet)",
        "d(a, b)",
    )


def _uniform_seeds(rng: np.random.Generator) -> Iterator[Seeds]:
    for clusters in range(2, 17):
        yield from ((of_sizes([size] * clusters),) for size in (1, 2, 5))


def _uniform(seeds: Seeds) -> Iterator[Case]:
    labels = seeds[0]
    clusters = len(set(labels))
    if clusters > 1 and len({labels.count(label) for label in set(labels)}) == 1:
        high = top(len(labels))
        shown = ("one cluster", high), ("a", labels)
        right = f"log2 {clusters}"
        yield Case(seeds, shown, ((high, labels),), "=", "d(one cluster, a)", right)


def _log_clusters(case: Case, values: Sequence[float], record: Measure) -> Sides:
    return values[0], math.log2(len(set(case.seeds[0])))


PROPERTIES = (
    Property(
        key="convex_additivity",
        title="Convex additivity",
        short="convex",
        claim="Where two clusterings both keep two parts of the data apart, their distance is "
        "the mean of their distances within the parts, weighted by size.",
        reference="Meilă 2007, Property 8 (eq. 31) and axiom A3",
        tested=f"all pairs of clusterings of up to {EVERY_PAIR} points in two parts, and larger",
        reads="distances",
        seeds=_two_parts,
        build=_parts,
        sides=_weighted,
        shrinks=True,
    ),
    Property(
        key="locality",
        title="Locality",
        short="local",
        claim="What splitting a cluster changes does not depend on how the other points of the "
        "same data are clustered.",
        reference="Meilă 2007, §6",
        tested=f"all splits of a cluster of up to {EVERY_PAIR + 1} points, the others clustered "
        "in two ways, and larger at random; as a split and as a merge",
        reads="values",
        seeds=_splits,
        build=_local,
        sides=both,
        shrinks=True,
    ),
    Property(
        key="vertical_collinearity",
        title="Collinearity of top and bottom (A1)",
        short="A1",
        claim="Every clustering lies on a straight line between one cluster and singletons.",
        reference="Meilă 2007, axiom A1",
        tested=f"all clusterings of up to {EVERY_PAIR + 2} points, and larger ones at random",
        reads="distances",
        seeds=_one,
        build=_vertical,
        sides=_two_and_one,
        shrinks=True,
    ),
    Property(
        key="horizontal_collinearity",
        title="Collinearity of the meet (A2)",
        short="A2",
        claim="The meet of two clusterings lies on a straight line between them.",
        reference="Meilă 2007, axiom A2 and Property 6 (eq. 29)",
        tested=PAIRS_TRIED,
        reads="distances",
        seeds=two,
        build=_horizontal,
        sides=_two_and_one,
        shrinks=True,
    ),
    Property(
        key="log_scale",
        title="Logarithmic scale (A4)",
        short="A4",
        claim="K equal clusters are log2 K bits away from a single one.",
        reference="Meilă 2007, axiom A4",
        tested="2 to 16 clusters of 1, 2 and 5 points",
        reads="distances",
        seeds=_uniform_seeds,
        build=_uniform,
        sides=_log_clusters,
        shrinks=True,
    ),
)
