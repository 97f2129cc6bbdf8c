"""How many distances the metric tree saves, with a check that its answers are those of brute force.

    python studies/metric_tree.py [--labelings 2000] [--queries 100]

There are several kinds of labelings: copies of unrelated partitions with a share of the objects
moved, chains of partitions that are split again and again, and runs of k-means on scikit-learn's
digits. Each query is a labeling that is not in the ensemble. Every answer is compared with the
answer from all distances, including the order of ties. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small fits are faster on one core

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

from clustervet.ensemble.distances import distances_to
from clustervet.ensemble.ensemble import Ensemble

OBJECTS = 500
NEAREST = (1, 5, 20)


def copies(rng: np.random.Generator, count: int, kinds: int, most: float) -> list[np.ndarray]:
    """Copies of unrelated partitions, with at most a share `most` of the objects moved."""
    bases = [rng.integers(0, rng.integers(3, 9), OBJECTS) for _ in range(kinds)]
    made = []
    for k in range(count):
        labels = bases[k % kinds].copy()
        moved = rng.random(OBJECTS) < rng.uniform(0, most)
        labels[moved] = rng.integers(0, labels.max() + 1, moved.sum())
        made.append(labels)
    return made


def splits(rng: np.random.Generator, count: int) -> list[np.ndarray]:
    """Chains of partitions from one cluster to many, by splits of random clusters."""
    made = []
    while len(made) < count:
        labels = np.zeros(OBJECTS, np.int64)
        for step in range(1, 21):
            inside = np.flatnonzero(labels == rng.integers(0, step))
            labels[inside[rng.random(len(inside)) < 0.5]] = step
            made.append(labels.copy())
    return [made[k] for k in rng.permutation(len(made))[:count]]


def kmeans_runs(rng: np.random.Generator, count: int) -> list[np.ndarray]:
    """Runs of k-means with 2 to 20 clusters."""
    points = load_digits().data[:OBJECTS]
    return [
        KMeans(int(k), init="random", n_init=1, random_state=seed).fit_predict(points)
        for seed, k in enumerate(rng.integers(2, 21, count))
    ]


def measured(name: str, labelings: list[np.ndarray], queries: list[np.ndarray]) -> None:
    """Print one row per number of neighbours, with the tree and with all distances known."""
    for known in (False, True):
        ensemble = Ensemble(labelings)
        if known:
            _ = ensemble.distances
        for wanted in NEAREST:
            computed = 0
            for query in queries:
                gaps = distances_to(query, ensemble.labelings)
                found = ensemble.nearest(query, wanted)
                order = np.lexsort((np.arange(len(gaps)), gaps))[:wanted]
                assert found.indices == tuple(order.tolist())
                assert np.array_equal(found.distances, gaps[order])
                computed += found.computed
            pairs = len(labelings) * (len(labelings) - 1) // 2
            before = pairs if known else ensemble._space.tree.built
            share = computed / (len(queries) * len(labelings))
            print(
                f"| {name} | {'all distances' if known else 'tree'} | {before / pairs:.1%} "
                f"| {wanted} | {computed / len(queries):,.0f} of {len(labelings):,} "
                f"| {1 - share:.1%} |",
                flush=True,
            )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--labelings", type=int, default=2_000)
    parser.add_argument("--queries", type=int, default=100)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    total = options.labelings + options.queries
    sets = {
        "20 families, up to 10% moved": copies(rng, total, 20, 0.1),
        "20 families, up to 30% moved": copies(rng, total, 20, 0.3),
        "200 families, up to 30% moved": copies(rng, total, 200, 0.3),
        "chains of splits": splits(rng, total),
        "k-means on digits": kmeans_runs(rng, total),
    }
    print("| labelings | by | known before | nearest | computed per query | saved |")
    print("|---|---|---|---|---|---|")
    for name, labelings in sets.items():
        order = rng.permutation(total)
        inside, asked = order[: options.labelings], order[options.labelings :]
        measured(name, [labelings[k] for k in inside], [labelings[k] for k in asked])


if __name__ == "__main__":
    main()
