"""Whether `diagnose` finds the mistakes that were made, and is silent where there is nothing.

    python studies/repairs.py [--labelings 300] [--tables 200]

The first table is about planted moves. The clusters are the classes, with some objects in random
clusters. Then a part of one, two or three classes is moved to another cluster. The study compares
the best repair by its gain in total with moving the objects of one planted move back, whichever of
them gains most.

The second table is about random labels: how often repairs are named although there is no agreement.

The third table is about clusterings in which each object keeps its class with a given probability,
and else gets a random cluster; and about one class that is found among others that are not. It
prints how often repairs are named.

Nothing in the library was chosen by these numbers: the level of 5% and the list of repairs were
fixed before.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import clustervet as cv

Labels = NDArray[np.int64]
# Objects, classes, and whether the classes have unequal sizes.
PLANTED = [(n, k, skewed) for n, k in ((60, 3), (200, 5), (1_000, 3), (1_000, 12), (5_000, 30))
           for skewed in (False, True)]  # fmt: skip
RANDOM = [(20, 2, 2), (20, 4, 6), (50, 3, 3), (200, 2, 2), (200, 10, 10), (1_000, 5, 5),
          (1_000, 30, 30), (5_000, 10, 10), (5_000, 100, 100), (300_000, 10, 10),
          (300_000, 200, 200)]  # fmt: skip
REAL = [(n, k, kept) for n, k in ((20, 2), (50, 3), (200, 3), (1_000, 10)) for kept in (0.9, 0.6)]


def sizes_of(n: int, classes: int, skewed: bool, rng: np.random.Generator) -> NDArray[np.float64]:
    """The shares of the classes; the smallest of unequal ones has about six objects."""
    shares = rng.dirichlet(np.ones(classes)) if skewed else np.full(classes, 1 / classes)
    least = min(6 / n, 0.5 / classes)
    return least + (1 - classes * least) * shares


def planted(
    n: int, classes: int, skewed: bool, rng: np.random.Generator
) -> tuple[Labels, Labels, list[tuple[Labels, int]]]:
    """Classes, clusters, and each planted move: the objects, and the cluster they came from."""
    truth = rng.choice(classes, n, p=sizes_of(n, classes, skewed, rng))
    pred = truth.copy()
    stray = rng.random(n) < rng.choice([0.0, 0.05, 0.1])
    pred[stray] = rng.integers(0, classes, stray.sum())
    moves = []
    for a in rng.choice(classes, min(rng.integers(1, 4), classes - 1), replace=False).tolist():
        b = int(rng.choice([c for c in range(classes) if c != a]))
        held = np.flatnonzero((truth == a) & (pred == a))
        moved = held[rng.random(len(held)) < rng.uniform(0.2, 0.5)]
        if len(moved):
            pred[moved] = b
            moves.append((moved, a))
    return truth, pred, moves


def gain_back(truth: Labels, pred: Labels, moves: list[tuple[Labels, int]]) -> float:
    """What is gained by moving the objects of one planted move back, at best."""
    before = cv.variation_of_information(truth, pred)
    gains = []
    for moved, home in moves:
        mended = pred.copy()
        mended[moved] = home
        gains.append(before - cv.variation_of_information(truth, mended))
    return max(gains, default=0.0)


def planted_ratio(case: tuple[int, int, bool], seed: int) -> float:
    """What moving back gains, divided by the gain of the best repair; inf if none is named."""
    truth, pred, moves = planted(*case, np.random.default_rng([*case, seed]))
    found = cv.diagnose(truth, pred).repairs
    back = gain_back(truth, pred, moves)
    return back / found[0].vi_gain if found else np.inf if back > 0 else 0.0


def is_named_at_random(case: tuple[int, int, int], seed: int) -> bool:
    """Whether repairs are named for labels that have nothing to do with each other."""
    n, classes, clusters = case
    rng = np.random.default_rng([*case, seed])
    skewed = bool(seed % 2)
    truth, pred = (rng.choice(k, n, p=sizes_of(n, k, skewed, rng)) for k in (classes, clusters))
    return bool(cv.diagnose(truth, pred).repairs)


def is_named_for_real(case: tuple[int, int, float], seed: int) -> bool:
    """Whether repairs are named for a clustering that keeps a share of the objects, or all."""
    n, classes, kept = case
    rng = np.random.default_rng([n, classes, int(100 * kept), seed])
    truth = rng.integers(0, classes, n)
    pred = np.where(rng.random(n) < kept, truth, rng.integers(0, classes, n))
    found = cv.diagnose(truth, pred)
    return found.vi == 0 or bool(found.repairs)


def is_named_for_one_class(n: int, seed: int) -> bool:
    """Whether repairs are named where six objects are right and the others random."""
    rng = np.random.default_rng([n, seed])
    truth, pred = (rng.choice(2, n, p=[0.8, 0.2]) for _ in range(2))
    truth[:6] = pred[:6] = 2
    return bool(cv.diagnose(truth, pred).repairs)


def share(question: Callable[[int], bool], times: int) -> str:
    """The share of seeds for which the answer is yes."""
    return f"{np.mean([question(seed) for seed in range(times)]):.1%}"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--labelings", type=int, default=300, help="with planted moves, in all")
    parser.add_argument("--tables", type=int, default=200, help="of each kind of random labels")
    options = parser.parse_args()
    print("| objects | classes | sizes | labelings | moving back gains more | median ratio |")
    print("|---|---|---|---|---|---|")
    for case in PLANTED:
        times = max(1, options.labelings // len(PLANTED))
        ratios = np.array([planted_ratio(case, seed) for seed in range(times)])
        sizes = "unequal" if case[2] else "equal"
        more = np.count_nonzero(ratios > 1 + 1e-9)
        print(
            f"| {case[0]:,} | {case[1]} | {sizes} | {times} | {more} | {np.median(ratios):.2f} |",
            flush=True,
        )
    print("\n| objects | classes | clusters | random labels with repairs |\n|---|---|---|---|")
    for n, classes, clusters in RANDOM:
        rate = share(lambda seed, of=(n, classes, clusters): is_named_at_random(of, seed),
                     options.tables)  # fmt: skip
        print(f"| {n:,} | {classes} | {clusters} | {rate} |", flush=True)
    print("\n| objects | classes | kept | with repairs, or perfect |\n|---|---|---|---|")
    for n, classes, kept in REAL:
        rate = share(lambda seed, of=(n, classes, kept): is_named_for_real(of, seed),
                     options.tables)  # fmt: skip
        print(f"| {n:,} | {classes} | {kept:.0%} | {rate} |", flush=True)
    for n in (1_000, 10_000):
        rate = share(lambda seed, n=n: is_named_for_one_class(n, seed), options.tables)
        print(f"| {n:,} | 3 | a class of six | {rate} |", flush=True)


if __name__ == "__main__":
    main()
