"""The four formal constraints on the evaluation of clusterings: Amigó et al. 2009, §2."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from clustervet.lab.cases import (
    EVERY_PAIR,
    Case,
    Labeling,
    canonical,
    drawn,
    every_pair,
    meet,
    of_sizes,
)
from clustervet.lab.properties import Property, Seeds, both

ALL_SMALL = (
    f"all clusters of up to {EVERY_PAIR} points, and larger at random; of two classes or more "
    "that are not all singletons"
)


def _mixed(rng: np.random.Generator) -> Iterator[Seeds]:
    """A cluster of two classes, and the same with the classes apart."""
    for truth, pred in every_pair():
        for cluster in sorted(set(pred)):
            inside = {kind for kind, own in zip(truth, pred, strict=True) if own == cluster}
            if len(inside) == 2:
                yield truth, pred, _apart(truth, pred, cluster)
    for truth, pred in drawn(rng, 2):
        mixed = meet(pred, tuple(int(kind > 1) for kind in truth))
        yield truth, mixed, _apart(truth, mixed, mixed[0])


def _apart(truth: Labeling, pred: Labeling, cluster: int) -> Labeling:
    """The clusters, but one of them divided by class."""
    return canonical((p, t * (p == cluster)) for t, p in zip(truth, pred, strict=True))


def _broken(rng: np.random.Generator) -> Iterator[Seeds]:
    """Two clusters of one class, and the same as one cluster."""
    for truth, pred in every_pair():
        for one, other in combinations(sorted(set(pred)), 2):
            yield truth, pred, canonical(one if own == other else own for own in pred)
    for truth, pred in drawn(rng, 2):
        pure = meet(truth, pred)
        for one, other in combinations(sorted(set(pure)), 2):
            yield truth, pure, canonical(one if own == other else own for own in pure)


def _parted(seeds: Seeds) -> Iterator[Case]:
    """A case, if one cluster of two classes is divided by class and nothing else changes."""
    truth, mixed, apart = seeds
    if _divided(truth, mixed, apart) == 2:
        yield from _worse_and_better(seeds)


def _joined(seeds: Seeds) -> Iterator[Case]:
    """A case, if two clusters of one class are joined and nothing else changes."""
    truth, pieces, whole = seeds
    if _divided(truth, whole, pieces) == 1:
        yield from _worse_and_better(seeds)


def _divided(truth: Labeling, coarse: Labeling, fine: Labeling) -> int:
    """Classes in the one cluster that is cut in two pure ones; 0 where that is not so."""
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
    """A stranger put with a clean cluster, or with a cluster of strangers."""
    for size in range(2, 9):
        for others in ((), (3,), (2, 2)):
            truth = of_sizes([size, *[1] * size, 1, *others])
            rest = tuple(3 + k for k in of_sizes(others))
            clean, bag = (0,) * size, (1,) * size
            yield truth, (*clean, *bag, 0, *rest), (*clean, *bag, 1, *rest)


def _quantities(rng: np.random.Generator) -> Iterator[Seeds]:
    """Many small clusters broken, or one point broken off a large one."""
    for count in range(2, 9):
        for others in ((), (3,), (2, 2)):
            truth = of_sizes([count + 1, *[2] * count, *others])
            large, small = count + 1, 2 * count
            rest = tuple(100 + k for k in of_sizes(others))
            many = (*(0,) * large, *range(1, small + 1), *rest)
            one = (*(0,) * count, 99, *(k // 2 + 1 for k in range(small)), *rest)
            yield truth, canonical(many), canonical(one)


def _worse_and_better(seeds: Seeds) -> Iterator[Case]:
    truth, worse, better = seeds
    yield Case(
        seeds,
        (("truth", truth), ("better", better), ("worse", worse)),
        ((truth, better), (truth, worse)),
        "better",
        "m(truth, better)",
        "m(truth, worse)",
    )


PROPERTIES = (
    Property(
        key="homogeneity",
        title="Homogeneity",
        short="homog",
        claim="To part the two classes of a mixed cluster is better.",
        reference="Amigó et al. 2009, constraint 1; Rosenberg & Hirschberg 2007",
        tested=ALL_SMALL,
        reads="order",
        seeds=_mixed,
        build=_parted,
        sides=both,
        shrinks=True,
    ),
    Property(
        key="completeness",
        title="Completeness",
        short="compl",
        claim="To join two clusters of one class is better.",
        reference="Amigó et al. 2009, constraint 2; Rosenberg & Hirschberg 2007",
        tested=ALL_SMALL,
        reads="order",
        seeds=_broken,
        build=_joined,
        sides=both,
        shrinks=True,
    ),
    Property(
        key="rag_bag",
        title="Rag bag",
        short="rag",
        claim="A stranger does less harm in a cluster of strangers than in a clean one.",
        reference="Amigó et al. 2009, constraint 3",
        tested="clean and disordered clusters of 2 to 8 points, alone and beside others",
        reads="order",
        seeds=_bags,
        build=_worse_and_better,
        sides=both,
    ),
    Property(
        key="size_over_quantity",
        title="Cluster size versus quantity",
        short="size",
        claim="To break one point off a large cluster is better than to break many small ones.",
        reference="Amigó et al. 2009, constraint 4",
        tested="2 to 8 clusters of two beside one that is larger by one than their number",
        reads="order",
        seeds=_quantities,
        build=_worse_and_better,
        sides=both,
    ),
)
