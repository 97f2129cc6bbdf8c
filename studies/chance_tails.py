"""Whether p-values without random tables hold their level when there is nothing to find.

    python studies/chance_tails.py [--draws 200000] [--seed 0]

Draws unrelated clusterings of given sizes, or as another null model says, and prints how often
``chance(..., samples=0)`` gives a p-value of at most 5%, 1% and 0.1%: by a normal tail, as it once
did, and as it does now. N11 is whole, so few levels can be met exactly; "best possible" is the
largest share of draws that is not above the level. All measures that rise or fall with N11 have
the same p-value; the other models are for the Rand index.

The method has no setting that was chosen on these sizes. That the normal tail is taken for negative
skewness was decided on other numbers of clusters and another seed.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.stats import random_table

from clustervet.inference.nulls import Side
from clustervet.inference.pair_null import N11, PairNull, Weights

Counts = NDArray[np.int64]
LEVELS = (0.05, 0.01, 0.001)
OBJECTS = (20, 100, 1_000, 10_000)
# Labels in one block of draws.
BLOCK = 2_000_000
# Random tables with more entries are drawn by shuffling labels.
ENTRIES = 400
RAND: Weights = (Fraction(1), Fraction(-1, 2), Fraction(-1, 2))


def even(n: int, clusters: int) -> Counts:
    """Clusters of one size, as far as that goes."""
    return np.bincount(np.arange(n) % clusters)


def zipf(n: int, clusters: int) -> Counts:
    """Clusters whose sizes fall as 1, 1/2, 1/3, ..."""
    return shared(n, 1 / np.arange(1, clusters + 1))


def halving(n: int, clusters: int) -> Counts:
    """Clusters each half as large as the one before."""
    return shared(n, 0.5 ** np.arange(clusters))


def one_large(n: int, clusters: int) -> Counts:
    """One cluster with nine tenths of the objects."""
    return shared(n, np.array([0.9] + [0.1 / (clusters - 1)] * (clusters - 1)))


def shared(n: int, weights: NDArray[np.float64]) -> Counts:
    """Sizes by weight, at least 1; the first one takes what is left."""
    sizes = np.maximum(1, np.floor(n * weights / weights.sum())).astype(np.int64)
    sizes[0] += n - sizes.sum()
    return sizes


SHAPES: dict[str, Callable[[int], tuple[Counts, Counts]]] = {
    "even, 2 and 2": lambda n: (even(n, 2), even(n, 2)),
    "even, 3 and 3": lambda n: (even(n, 3), even(n, 3)),
    "even, 6 and 4": lambda n: (even(n, 6), even(n, 4)),
    "even, 12 and 8": lambda n: (even(n, 12), even(n, 8)),
    "1, 1/2, 1/3, ..., 8 and 4": lambda n: (zipf(n, 8), zipf(n, 4)),
    "halving, 6, and even, 6": lambda n: (halving(n, 6), even(n, 6)),
    "90% in one of 6, and even, 3": lambda n: (one_large(n, 6), even(n, 3)),
    "90% in one of 4, both": lambda n: (one_large(n, 4), one_large(n, 4)),
    "twos and twos": lambda n: (even(n, n // 2), even(n, n // 2)),
    "threes, and even, 5": lambda n: (even(n, n // 3), even(n, 5)),
}
MODELS: dict[str, Callable[[int], tuple[Side, Side]]] = {
    "number, 3 and 3": lambda n: (Side(n, clusters=3), Side(n, clusters=3)),
    "number, 4 and 8": lambda n: (Side(n, clusters=4), Side(n, clusters=8)),
    "number, 10 and 10": lambda n: (Side(n, clusters=10), Side(n, clusters=10)),
    "all": lambda n: (Side(n), Side(n)),
    "number_one_sided, 1, 1/2, 1/3, 1/4, and 5": lambda n: (
        Side(n, zipf(n, 4)),
        Side(n, clusters=5),
    ),
    "all_one_sided, 1, 1/2, 1/3, 1/4": lambda n: (Side(n, zipf(n, 4)), Side(n)),
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    head = "objects | skewness | tail | best possible | normal | now |"
    print(f"| cluster sizes | {head}\n|---|---|---|---|---|---|---|")
    for name, make in SHAPES.items():
        for n in OBJECTS:
            rows, columns = make(n)
            many = len(rows) * len(columns) > ENTRIES
            draws = min(options.draws, max(10_000, 10**8 // n)) if many else options.draws
            null = PairNull((Side(n, rows), Side(n, columns)))
            report(f"{name} | {n:,}", null, draw_n11(rows, columns, draws, rng))
    print(f"\n| model | {head}\n|---|---|---|---|---|---|---|")
    for name, side in MODELS.items():
        for n in (50, 300):
            both = side(n)
            drawn = draw_model(both, options.draws // 4, rng)
            report(f"{name} | {n:,}", PairNull(both, RAND), drawn)


def report(name: str, null: PairNull, drawn: NDArray[np.float64]) -> None:
    """Print how often p-values are at most the levels."""
    rates = calibration(null, drawn)
    tail = null.tail(Fraction(float(drawn[0])), True)[0].partition(" ")[0].rstrip(",")
    shown = " | ".join(" / ".join(f"{100 * x:.2g}" for x in each) for each in rates)
    print(f"| {name} | {null.skewness:.2f} | {tail} | {shown} |", flush=True)


def calibration(null: PairNull, drawn: NDArray[np.float64]) -> list[list[float]]:
    """Shares of draws with p-values up to each level: best possible, normal tail, and now."""
    values, counts = np.unique(drawn, return_counts=True)
    reached = np.append(counts[::-1].cumsum()[::-1] / len(drawn), 0.0)
    mean, spread = float(null.mean), null.spread

    def normal(value: float) -> float:
        return 0.5 * math.erfc((value - mean) / spread / math.sqrt(2))

    def now(value: float) -> float:
        return null.tail(Fraction(value), True)[1]

    def first(p_value: Callable[[float], float], level: float) -> int:
        low, high = 0, len(values)
        while low < high:
            middle = (low + high) // 2
            if p_value(float(values[middle])) <= level:
                high = middle
            else:
                low = middle + 1
        return low

    best = [float(reached[reached <= level].max()) for level in LEVELS]
    return [best, *([float(reached[first(p, a)]) for a in LEVELS] for p in (normal, now))]


def draw_n11(
    rows: Counts, columns: Counts, draws: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """N11 of random tables with fixed sizes."""
    if len(rows) * len(columns) > ENTRIES:
        both = Side(int(rows.sum()), rows), Side(int(columns.sum()), columns)
        return draw_model(both, draws, rng, N11)
    law = random_table(rows, columns)
    parts = []
    for start in range(0, draws, 10_000):
        tables = law.rvs(size=min(10_000, draws - start), random_state=rng)
        parts.append((tables * (tables - 1) // 2).sum((1, 2)))
    return np.concatenate(parts).astype(np.float64)


def draw_model(
    both: tuple[Side, Side], draws: int, rng: np.random.Generator, weights: Weights = RAND
) -> NDArray[np.float64]:
    """A combination of pair counts for random clusterings of a model."""
    found = []
    for left in range(draws, 0, -max(1, BLOCK // both[0].n)):
        size = min(left, max(1, BLOCK // both[0].n))
        one, other = (labels(side, size, rng) for side in both)
        together = one * (1 + other.max()) + other
        parts = zip(weights, (together, one, other), strict=True)
        found.append(sum(float(w) * count_pairs(codes) for w, codes in parts if w))
    return np.concatenate(found)


def labels(side: Side, draws: int, rng: np.random.Generator) -> Counts:
    """Random clusterings, one row each."""
    if side.sizes is not None:
        fixed = np.repeat(np.arange(len(side.sizes)), side.sizes)
        return rng.permuted(np.tile(fixed, (draws, 1)), axis=1)
    if side.clusters is None:
        return np.vstack([side.draw(rng) for _ in range(draws)])
    found = np.empty((0, side.n), np.int64)
    for drawn in _labelings(side, draws, rng):
        complete = (np.sort(drawn, axis=1)[:, 1:] > np.sort(drawn, axis=1)[:, :-1]).sum(1)
        found = np.vstack([found, drawn[complete == side.clusters - 1]])
        if len(found) >= draws:
            break
    return found[:draws]


def _labelings(side: Side, draws: int, rng: np.random.Generator) -> Iterator[Counts]:
    while True:
        yield rng.integers(0, side.clusters or 1, (draws, side.n))


def count_pairs(codes: Counts) -> Counts:
    """Pairs of equal codes in each row."""
    ordered = np.sort(codes, axis=1)
    starts = np.ones(ordered.shape, bool)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    places = np.flatnonzero(starts.ravel())
    sizes = np.diff(np.append(places, ordered.size))
    pairs = (sizes * (sizes - 1) // 2).astype(np.float64)
    return np.bincount(places // ordered.shape[1], pairs, len(ordered)).astype(np.int64)


if __name__ == "__main__":
    main()
