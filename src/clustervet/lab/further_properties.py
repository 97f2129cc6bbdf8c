"""Properties from other papers: chance, small classes, and the four constraints of Amigó et al."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, product

import numpy as np

from clustervet.lab.cases import (
    EVERY_PAIR,
    EVERY_THREE,
    Labeling,
    PropertyCase,
    Seeds,
    Sides,
    canonical,
    comparison,
    drawn,
    every_pair,
    meet,
    of_sizes,
    partitions,
    shapes,
    sizes_of,
    tested_property,
)
from clustervet.registry import Measure

ALL_SMALL = (
    f"all clusters of up to {EVERY_PAIR} points, and larger at random; of two classes or more "
    "that are not all singletons"
)


def _margins(rng: np.random.Generator) -> Iterator[Seeds]:
    """Yield two pairs of class sizes and cluster sizes; singletons leave nothing to chance."""
    for n in range(3, EVERY_PAIR + 1):
        sizes = list(product(shapes(n)[1:-1], repeat=2))
        couples = combinations(sizes, 2) if n <= EVERY_THREE else pairwise(sizes)
        yield from ((*one, *other) for one, other in couples)


def _shuffled(labels: Labeling) -> list[Labeling]:
    """Return every clustering with the same sizes; a shuffle gives each with equal chance."""
    sizes = sizes_of(labels)
    return [other for other in partitions(len(labels)) if sizes_of(other) == sizes]


def _means(case: PropertyCase, values: Sequence[float], record: Measure) -> Sides:
    left, right = values[: case.lefts], values[case.lefts :]
    return math.fsum(left) / len(left), math.fsum(right) / len(right)


@tested_property(
    title="Constant baseline under chance",
    short="chance",
    reference="Vinh, Epps & Bailey 2010, §2; Hubert & Arabie 1985",
    tested=f"the exact mean over all shuffles, for class and cluster sizes of up to "
    f"{EVERY_PAIR} points",
    reads="values",
    seeds=_margins,
    sides=_means,
    shrinks=False,
)
def constant_baseline(seeds: Seeds) -> Iterator[PropertyCase]:
    """Shuffled clusters score the same on average whatever their number and sizes."""
    truth, pred, truth_2, pred_2 = seeds
    first = tuple((truth, other) for other in _shuffled(pred))
    second = tuple((truth_2, other) for other in _shuffled(pred_2))
    yield PropertyCase(
        seeds,
        (("truth 1", truth), ("pred 1", pred), ("truth 2", truth_2), ("pred 2", pred_2)),
        (*first, *second),
        "=",
        "the mean of m over shuffles of pred 1",
        "the mean of m over shuffles of pred 2",
        lefts=len(first),
    )


def _unequal(rng: np.random.Generator) -> Iterator[Seeds]:
    """Yield clusterings that move the same share of a large class, or of a small one."""
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
    """Return the truth with the first objects of a class moved to another cluster."""
    start = truth.index(kind)
    new = max(truth) + 1 if target < 0 else target
    return tuple(new if start <= k < start + count else label for k, label in enumerate(truth))


@tested_property(
    title="Small classes count as much as large ones",
    short="equal",
    reference="Rezaei & Fränti 2016; de Souto et al. 2012",
    tested="a half or a third of a class of 2 to 6 points, and of one 2 to 4 times as large, "
    "moved to a new cluster or to the other's",
    reads="order",
    seeds=_unequal,
    shrinks=False,
)
def size_balance(seeds: Seeds) -> Iterator[PropertyCase]:
    """Moving the same share of a class costs the same for a large class and a small one."""
    truth, large, small = seeds
    shown = {"truth": truth, "large hurt": large, "small hurt": small}
    yield comparison(seeds, shown, "m", [("truth", "large hurt")], "=", [("truth", "small hurt")])


def _mixed(rng: np.random.Generator) -> Iterator[Seeds]:
    """Yield a clustering with a cluster of two classes, and the same with the classes apart."""
    for truth, pred in every_pair():
        for cluster in sorted(set(pred)):
            inside = {kind for kind, own in zip(truth, pred, strict=True) if own == cluster}
            if len(inside) == 2:
                yield truth, pred, _apart(truth, pred, cluster)
    for truth, pred in drawn(rng, 2):
        mixed = meet(pred, tuple(int(kind > 1) for kind in truth))
        yield truth, mixed, _apart(truth, mixed, mixed[0])


def _apart(truth: Labeling, pred: Labeling, cluster: int) -> Labeling:
    """Return the clusters with one of them divided by class."""
    return canonical((p, t * (p == cluster)) for t, p in zip(truth, pred, strict=True))


def _broken(rng: np.random.Generator) -> Iterator[Seeds]:
    """Yield a clustering with two clusters of one class, and the same with them joined."""
    for truth, pred in every_pair():
        for one, other in combinations(sorted(set(pred)), 2):
            yield truth, pred, canonical(one if own == other else own for own in pred)
    for truth, pred in drawn(rng, 2):
        pure = meet(truth, pred)
        for one, other in combinations(sorted(set(pure)), 2):
            yield truth, pure, canonical(one if own == other else own for own in pure)


@tested_property(
    title="Homogeneity",
    short="homog",
    reference="Amigó et al. 2009, constraint 1; Rosenberg & Hirschberg 2007",
    tested=ALL_SMALL,
    reads="order",
    seeds=_mixed,
)
def homogeneity(seeds: Seeds) -> Iterator[PropertyCase]:
    """Separating the two classes of a mixed cluster is better."""
    truth, mixed, apart = seeds
    if _divided(truth, mixed, apart) == 2:
        yield from _worse_and_better(seeds)


@tested_property(
    title="Completeness",
    short="compl",
    reference="Amigó et al. 2009, constraint 2; Rosenberg & Hirschberg 2007",
    tested=ALL_SMALL,
    reads="order",
    seeds=_broken,
)
def completeness(seeds: Seeds) -> Iterator[PropertyCase]:
    """Joining two clusters of one class is better."""
    truth, pieces, whole = seeds
    if _divided(truth, whole, pieces) == 1:
        yield from _worse_and_better(seeds)


def _divided(truth: Labeling, coarse: Labeling, fine: Labeling) -> int:
    """Return the number of classes in the one cluster that is cut into two pure ones, or 0."""
    if not 1 < len(set(truth)) < len(truth) or meet(coarse, fine) != canonical(fine):
        return 0  # a truth of one class, or of singletons, says nothing
    parts: dict[int, set[tuple[int, int]]] = {}
    for kind, whole, part in zip(truth, coarse, fine, strict=True):
        parts.setdefault(whole, set()).add((part, kind))
    cut = [found for found in parts.values() if len({part for part, _ in found}) > 1]
    if len(cut) != 1 or len(cut[0]) != 2:
        return 0
    return len({kind for _, kind in cut[0]})


def _bags(rng: np.random.Generator) -> Iterator[Seeds]:
    """Yield an object of another class put into a pure cluster, or into a mixed one."""
    for size in range(2, 9):
        for others in ((), (3,), (2, 2)):
            truth = of_sizes([size, *[1] * size, 1, *others])
            rest = tuple(3 + k for k in of_sizes(others))
            clean, bag = (0,) * size, (1,) * size
            yield truth, (*clean, *bag, 0, *rest), (*clean, *bag, 1, *rest)


def _quantities(rng: np.random.Generator) -> Iterator[Seeds]:
    """Yield many small clusters cut, or one point cut off a large cluster."""
    for count in range(2, 9):
        for others in ((), (3,), (2, 2)):
            truth = of_sizes([count + 1, *[2] * count, *others])
            large, small = count + 1, 2 * count
            rest = tuple(100 + k for k in of_sizes(others))
            many = (*(0,) * large, *range(1, small + 1), *rest)
            one = (*(0,) * count, 99, *(k // 2 + 1 for k in range(small)), *rest)
            yield truth, canonical(many), canonical(one)


def _worse_and_better(seeds: Seeds) -> Iterator[PropertyCase]:
    truth, worse, better = seeds
    shown = {"truth": truth, "better": better, "worse": worse}
    yield comparison(seeds, shown, "m", [("truth", "better")], "better", [("truth", "worse")])


@tested_property(
    title="Rag bag",
    short="rag",
    reference="Amigó et al. 2009, constraint 3",
    tested="pure and mixed clusters of 2 to 8 points, alone and beside others",
    reads="order",
    seeds=_bags,
    shrinks=False,
)
def rag_bag(seeds: Seeds) -> Iterator[PropertyCase]:
    """An object of another class does less harm in a mixed cluster than in a pure one."""
    yield from _worse_and_better(seeds)


@tested_property(
    title="Cluster size versus quantity",
    short="size",
    reference="Amigó et al. 2009, constraint 4",
    tested="2 to 8 clusters of two beside one that is larger by one than their number",
    reads="order",
    seeds=_quantities,
    shrinks=False,
)
def size_over_quantity(seeds: Seeds) -> Iterator[PropertyCase]:
    """Cutting one point off a large cluster is better than cutting many small clusters."""
    yield from _worse_and_better(seeds)
