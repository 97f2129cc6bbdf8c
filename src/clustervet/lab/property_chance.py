"""Properties from the wider literature: what chance alone gives, and what small clusters weigh."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, product

import numpy as np

from clustervet.lab.cases import (
    EVERY_PAIR,
    EVERY_THREE,
    Case,
    Labeling,
    of_sizes,
    partitions,
    shapes,
    sizes_of,
)
from clustervet.lab.properties import Property, Seeds, Sides, both
from clustervet.registry import Measure


def _margins(rng: np.random.Generator) -> Iterator[Seeds]:
    """Two pairs of class and cluster sizes of the same points; singletons leave no chance."""
    for n in range(3, EVERY_PAIR + 1):
        sizes = list(product(shapes(n)[1:-1], repeat=2))
        couples = combinations(sizes, 2) if n <= EVERY_THREE else pairwise(sizes)
        yield from ((*one, *other) for one, other in couples)


def _shuffled(labels: Labeling) -> list[Labeling]:
    """Every clustering with the same sizes: what a shuffle gives, each as often."""
    sizes = sizes_of(labels)
    return [other for other in partitions(len(labels)) if sizes_of(other) == sizes]


def _chance(seeds: Seeds) -> Iterator[Case]:
    truth, pred, truth_2, pred_2 = seeds
    first = tuple((truth, other) for other in _shuffled(pred))
    second = tuple((truth_2, other) for other in _shuffled(pred_2))
    yield Case(
        seeds,
        (("truth 1", truth), ("pred 1", pred), ("truth 2", truth_2), ("pred 2", pred_2)),
        (*first, *second),
        "=",
        "the mean of m over shuffles of pred 1",
        "the mean of m over shuffles of pred 2",
        sizes=(len(first), len(second)),
    )


def _means(case: Case, values: Sequence[float], record: Measure) -> Sides:
    many, others = case.sizes
    return math.fsum(values[:many]) / many, math.fsum(values[many:]) / others


def _unequal(rng: np.random.Generator) -> Iterator[Seeds]:
    """The same share of a large class and of a small one goes astray."""
    for times, small, parts in product((2, 3, 4), (2, 3, 4, 6), (2, 3)):
        if small % parts:
            continue
        large = small * times
        for others in ((), (small,), (large, small)):
            truth = of_sizes([large, small, *others])
            for target in (-1, None):
                yield (
                    truth,
                    _astray(truth, 0, large // parts, 1 if target is None else target),
                    _astray(truth, 1, small // parts, 0 if target is None else target),
                )


def _astray(truth: Labeling, kind: int, count: int, target: int) -> Labeling:
    """The truth, but for the first so many of a class, which are elsewhere."""
    start = truth.index(kind)
    new = max(truth) + 1 if target < 0 else target
    return tuple(new if start <= k < start + count else label for k, label in enumerate(truth))


def _large_or_small(seeds: Seeds) -> Iterator[Case]:
    truth, large, small = seeds
    yield Case(
        seeds,
        (("truth", truth), ("large hurt", large), ("small hurt", small)),
        ((truth, large), (truth, small)),
        "=",
        "m(truth, large hurt)",
        "m(truth, small hurt)",
    )


PROPERTIES = (
    Property(
        key="constant_baseline",
        title="Constant baseline under chance",
        short="chance",
        claim="Shuffled clusters score the same on average whatever their number and sizes.",
        reference="Vinh, Epps & Bailey 2010, §2; Hubert & Arabie 1985",
        tested=f"the exact mean over all shuffles, for class and cluster sizes of up to "
        f"{EVERY_PAIR} points",
        reads="values",
        seeds=_margins,
        build=_chance,
        sides=_means,
    ),
    Property(
        key="size_balance",
        title="Small classes count as much as large ones",
        short="equal",
        claim="The same share of a class gone astray costs the same, be the class large or small.",
        reference="Rezaei & Fränti 2016; de Souto et al. 2012",
        tested="a half or a third of a class of 2 to 6 points, and of one 2 to 4 times as large, "
        "moved to a new cluster or to the other's",
        reads="order",
        seeds=_unequal,
        build=_large_or_small,
        sides=both,
    ),
)
