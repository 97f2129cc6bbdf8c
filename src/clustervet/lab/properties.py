"""The properties that measures are tested for: those of Meilă (2007), then those of others."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations, pairwise, product

import numpy as np

from clustervet.lab.cases import (
    EVERY_PAIR,
    EVERY_THREE,
    LARGEST,
    PAIRS_TRIED,
    Labeling,
    PropertyCase,
    Relation,
    Seeds,
    Sides,
    canonical,
    comparison,
    drawn,
    every_pair,
    meet,
    of_sizes,
    pairs,
    partitions,
    shapes,
    sizes_of,
    tested_property,
    two,
)
from clustervet.registry import Measure

OUTSIDE, ONE, OTHER = 0, 1, 2
# Sizes of the classes beside those that a constraint is about.
OTHERS: tuple[tuple[int, ...], ...] = ((), (3,), (2, 2))
ALL_SMALL = (
    f"all clusters of up to {EVERY_PAIR} points, and larger at random; of two classes or more "
    "that are not all singletons"
)


def _named(first: Labeling, second: Labeling) -> tuple[tuple[str, Labeling], ...]:
    """Return two labelings with their names in a counterexample."""
    return ("a", first), ("b", second)


@tested_property(
    title="Names of labels do not matter",
    short="names",
    reference="Meilă 2007, §2",
    tested="all pairs of clusterings of up to 4 points and 50 larger ones, under other labels",
    reads="values",
    seeds=lambda rng: chain(every_pair(4), drawn(rng, 2, 50)),
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
        case = comparison(seeds, shown, "m", [("a", "b")], "=", [("a renamed", "b renamed")])
        yield replace(case, renamed=True)


@tested_property(
    title="Identity of indiscernibles",
    short="ident",
    reference="Meilă 2007, Property 1",
    reads="distances",
    sides=lambda case, values, record: (values[0], 0.0),
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
        for middle, first, last in product(shapes(n), partitions(n), partitions(n)):
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


@tested_property(
    title="Declared bounds",
    short="bound",
    reference="Meilă 2007, §4.2",
    reads="values",
    sides=lambda case, values, record: (values[0], record.bounds[case.relation == "<="]),
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
            for (a, b), (c, d) in product(pairs(size), pairs(n - size)):
                yield of_sizes([size, n - size]), (*a, *_after(a, c)), (*b, *_after(b, d))
    for coarse, *fine in drawn(rng, 3):
        blocks = tuple(label % 2 for label in coarse)
        yield blocks, meet(blocks, fine[0]), meet(blocks, fine[1])


def _after(used: Labeling, labels: Labeling) -> Labeling:
    return tuple(max(used) + 1 + label for label in labels)


def _weighted(
    case: PropertyCase, values: Sequence[float], record: Measure, power: int = 1
) -> Sides:
    """Return a distance, and the sum of those within parts, weighted by powers of their shares."""
    whole, *parts = values
    n = sum(case.sizes)
    return whole, sum(s**power * v for s, v in zip(case.sizes, parts, strict=True)) / n**power


@tested_property(
    title="Convex additivity",
    short="convex",
    reference="Meilă 2007, Property 8 (eq. 31), of which axiom A3 is a case",
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
    shown = (*_named(first, second), ("parts", canonical(blocks)))
    right = "the mean of d within the parts, weighted by their sizes"
    yield _by_parts(seeds, shown, blocks, (first, second), right)


def _by_parts(
    seeds: Seeds,
    shown: tuple[tuple[str, Labeling], ...],
    blocks: Labeling,
    pair: tuple[Labeling, Labeling],
    right: str,
) -> PropertyCase:
    """Return the case of two clusterings, and of what they are within each block of points."""
    kept = [[k for k, block in enumerate(blocks) if block == name] for name in sorted(set(blocks))]
    first, second = pair
    inside = tuple(
        (canonical(first[k] for k in part), canonical(second[k] for k in part)) for part in kept
    )
    sizes = tuple(map(len, kept))
    return PropertyCase(seeds, shown, (pair, *inside), "=", "d(a, b)", right, sizes=sizes)


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
    middle, n = seeds[0], len(seeds[0])
    if len(set(middle)) in (1, n):  # these are the ends of the line
        return
    shown = {"a": middle, "one cluster": (0,) * n, "singletons": tuple(range(n))}
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


def _uniform(rng: np.random.Generator) -> Iterator[Seeds]:
    yield from ((of_sizes([size] * k),) for k in range(2, 17) for size in (1, 2, 5))


def _is_uniform(labels: Labeling) -> bool:
    """Return whether there are several clusters, all of one size."""
    kinds = set(labels)
    return len(kinds) > 1 and len({labels.count(label) for label in kinds}) == 1


def _from_the_top(seeds: Seeds, right: str) -> PropertyCase:
    """Return the case of the distance of a clustering from one cluster."""
    labels = seeds[0]
    high = (0,) * len(labels)
    shown = ("one cluster", high), ("a", labels)
    return PropertyCase(seeds, shown, ((high, labels),), "=", "d(one cluster, a)", right)


@tested_property(
    title="Logarithmic scale (A4)",
    short="A4",
    reference="Meilă 2007, axiom A4",
    tested="2 to 16 clusters of 1, 2 and 5 points",
    reads="distances",
    seeds=_uniform,
    sides=lambda case, values, record: (values[0], math.log2(len(set(case.seeds[0])))),
)
def log_scale(seeds: Seeds) -> Iterator[PropertyCase]:
    """K equal clusters are log2 K bits away from a single one."""
    if _is_uniform(seeds[0]):
        yield _from_the_top(seeds, f"log2 {len(set(seeds[0]))}")


@tested_property(
    title="Quadratic additivity (A3.M)",
    short="A3.M",
    reference="Meilă 2007, axiom A3.M in Property 12, after eq. 32",
    tested=f"all clusterings of up to {EVERY_PAIR} points with their proper refinements, and "
    "larger ones at random",
    reads="distances",
    sides=functools.partial(_weighted, power=2),
)
def quadratic_additivity(seeds: Seeds) -> Iterator[PropertyCase]:
    """The distance to a refinement is the sum over clusters, weighted by squares of shares."""
    first, second = canonical(seeds[0]), meet(*seeds)
    if not any(first) or first == second:
        return  # both sides are the same distance, or that of equal clusterings
    right = "the sum of d within the clusters of a, weighted by the squares of their shares"
    yield _by_parts(seeds, _named(first, second), first, (first, second), right)


@tested_property(
    title="Scale of the Mirkin metric (A4.M)",
    short="A4.M",
    reference="Meilă 2007, axiom A4.M in Property 11",
    tested="2 to 16 clusters of 1, 2 and 5 points",
    reads="distances",
    seeds=_uniform,
    sides=lambda case, values, record: (values[0], 1 - 1 / len(set(case.seeds[0]))),
)
def mirkin_scale(seeds: Seeds) -> Iterator[PropertyCase]:
    """K equal clusters are at distance 1 - 1/K from a single one."""
    if _is_uniform(seeds[0]):
        yield _from_the_top(seeds, f"1 - 1/{len(set(seeds[0]))}")


def _two_uniform(rng: np.random.Generator) -> Iterator[Seeds]:
    """Yield K equal clusters beside as many of another size, and beside one more of any size."""
    sizes = (1, 2, 3, 5)
    for k, one, other in product(range(1, 13), sizes, sizes):
        for more in (k, k + 1):
            if more > k or (k > 1 and one < other):
                found = of_sizes([one] * k), of_sizes([other] * more)
                # The size of a case is that of its first labeling.
                yield tuple(sorted(found, key=len, reverse=True))


@tested_property(
    title="Scale that never falls (A4.H)",
    short="A4.H",
    reference="Meilă 2007, axiom A4.H before Property 13 (eqs. 50 to 54)",
    tested="1 to 12 clusters of 1, 2, 3 and 5 points, beside as many and beside one more",
    reads="distances",
    seeds=_two_uniform,
    shrinks=False,
)
def monotone_scale(seeds: Seeds) -> Iterator[PropertyCase]:
    """How far K equal clusters are from one depends on K alone and never falls as K grows."""
    fewer, more = sorted(seeds, key=lambda labels: (len(set(labels)), len(labels)))
    shown = {"a": fewer, "one for a": (0,) * len(fewer), "b": more, "one for b": (0,) * len(more)}
    relation: Relation = "=" if len(set(more)) == len(set(fewer)) else "<="
    yield comparison(seeds, shown, "d", [("one for a", "a")], relation, [("one for b", "b")])


def _twos_and_threes(rng: np.random.Generator) -> Iterator[Seeds]:
    yield from two(rng)
    yield from _threes(rng)


@tested_property(
    title="Metric (M1)",
    short="M1",
    reference="Meilă 2007, axiom M1 (Property 1, eq. 23)",
    tested=f"identity and symmetry on {PAIRS_TRIED}; detours as for the triangle inequality",
    reads="distances",
    seeds=_twos_and_threes,
)
def metric(seeds: Seeds) -> Iterator[PropertyCase]:
    """Zero between equal clusterings alone, never negative, symmetric, and no detour is shorter."""
    if len(seeds) == 3:
        yield from triangle.build(seeds)
        return
    yield from identity.build(seeds)
    yield from (replace(case, left="d(a, b)", right="d(b, a)") for case in symmetry.build(seeds))


@tested_property(
    title="Cost of splitting off one point (M2)",
    short="M2",
    reference="Meilă 2007, axiom M2; Mirkin & Cherny 1970",
    tested="2 to 24 points",
    reads="distances",
    seeds=lambda rng: ((of_sizes([n - 1, 1]),) for n in range(2, LARGEST + 1)),
    sides=lambda case, values, record: (values[0], _one_point(len(case.seeds[0]))),
)
def single_split(seeds: Seeds) -> Iterator[PropertyCase]:
    """One point split off a single cluster of n points is at distance 2 (n - 1) / n^2."""
    n = len(seeds[0])
    if sizes_of(seeds[0]) == (n - 1, 1):
        yield _from_the_top(seeds, f"2 x {n - 1} / {n}^2")


def _one_point(n: int) -> float:
    return 2 * (n - 1) / n**2


def _with_common(rng: np.random.Generator) -> Iterator[Seeds]:
    """Yield clusters that two clusterings share, 0 for the other points, and both clusterings."""
    for n in range(2, EVERY_PAIR + 1):
        for rest in range(1, n):
            for (a, b), common in product(pairs(n - rest), shapes(rest)):
                marks = (*(0,) * (n - rest), *(1 + k for k in common))
                yield marks, (*a, *(0,) * rest), (*b, *(0,) * rest)
    for marks, *others in drawn(rng, 3):
        yield (tuple(label // 2 for label in marks), *others)


@tested_property(
    title="Clusters in common do not count (M3)",
    short="M3",
    reference="Meilă 2007, axiom M3; Mirkin & Cherny 1970",
    tested=f"{PAIRS_TRIED}, with some clusters in common",
    reads="distances",
    seeds=_with_common,
)
def common_clusters(seeds: Seeds) -> Iterator[PropertyCase]:
    """The distance stays the same if clusters that both clusterings have are left out."""
    marks, *sides = seeds
    kept = [k for k, mark in enumerate(marks) if not mark]
    inside = [canonical(side[k] for k in kept) for side in sides]
    if len(kept) == len(marks) or inside[0] == inside[1]:
        return  # nothing is in common, or everything is
    whole = [canonical((m, not m and x) for m, x in zip(marks, s, strict=True)) for s in sides]
    shown = {"a": whole[0], "b": whole[1], "rest of a": inside[0], "rest of b": inside[1]}
    yield comparison(seeds, shown, "d", [("a", "b")], "=", [("rest of a", "rest of b")])


@tested_property(
    title="Distance from top to bottom (M4)",
    short="M4",
    reference="Meilă 2007, axiom M4; Mirkin & Cherny 1970",
    tested="2 to 24 points",
    reads="distances",
    seeds=lambda rng: ((tuple(range(n)),) for n in range(2, LARGEST + 1)),
    sides=lambda case, values, record: (values[0], 1 - 1 / len(case.seeds[0])),
)
def top_to_bottom(seeds: Seeds) -> Iterator[PropertyCase]:
    """One cluster and singletons are at distance (n - 1) / n."""
    n = len(seeds[0])
    if len(set(seeds[0])) == n > 1:
        yield _from_the_top(seeds, f"{n - 1}/{n}")


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
    larger = ((truth, meet(truth, pred)) for truth, pred in drawn(rng, 2))
    for truth, pred in chain(every_pair(), larger):
        for one, other in combinations(sorted(set(pred)), 2):
            yield truth, pred, canonical(one if own == other else own for own in pred)


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
    for size, others in product(range(2, 9), OTHERS):
        truth = of_sizes([size, *[1] * size, 1, *others])
        rest = tuple(3 + k for k in of_sizes(others))
        clean, bag = (0,) * size, (1,) * size
        yield truth, (*clean, *bag, 0, *rest), (*clean, *bag, 1, *rest)


def _quantities(rng: np.random.Generator) -> Iterator[Seeds]:
    """Yield many small clusters cut, or one point cut off a large cluster."""
    for count, others in product(range(2, 9), OTHERS):
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
