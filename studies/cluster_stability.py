"""How often `stability` tells the two halves of a cut through one group from whole groups.

    python studies/cluster_stability.py [--trials 100] [--how default,bootstrap]

Each trial draws three to six round groups, whose centres are at least eight standard deviations
apart, and asks a clusterer for one cluster more, so that it cuts one group in two. The table shows
in how many trials both halves are called unstable, all other clusters stable, and both. The size of
subsets was chosen with k-means and the seeds from 1000 on; the trials here have other seeds.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small fits are faster on one core

import numpy as np
from sklearn.cluster import AgglomerativeClustering, KMeans

import clustervet as cv

CLUSTERERS = {
    "k-means": lambda k: KMeans(k, n_init=10),
    "Ward": lambda k: AgglomerativeClustering(k),
}
APART = 8.0


def groups(rng: np.random.Generator, kind: str, dimensions: int) -> tuple[np.ndarray, np.ndarray]:
    """Points in well separated groups, and the group of each."""
    k = int(rng.integers(3, 7))
    sizes = rng.integers(40, 150, k) if kind == "equal" else rng.integers(30, 400, k)
    spreads = np.ones(k) if kind == "equal" else rng.uniform(0.6, 1.6, k)
    while True:
        centres = rng.uniform(-1, 1, (k, dimensions)) * 12 * k ** (1 / dimensions)
        gaps = np.linalg.norm(centres[:, None] - centres, axis=2)
        needed = APART * np.maximum(spreads[:, None], spreads)
        if (gaps + 1e9 * np.eye(k) >= needed).all():
            break
    points = [
        rng.normal(centre, spread, (size, dimensions))
        for centre, spread, size in zip(centres, spreads, sizes, strict=True)
    ]
    return np.concatenate(points), np.repeat(np.arange(k), sizes)


def trials(
    clusterer: str, kind: str, dimensions: int, how: str, count: int, seed: int
) -> Iterator[tuple[bool, bool]]:
    """Whether the halves were called unstable, and the other clusters stable."""
    made = 0
    while made < count:
        seed += 1
        rng = np.random.default_rng([seed, dimensions])
        points, truth = groups(rng, kind, dimensions)
        found = cv.stability(
            CLUSTERERS[clusterer](int(truth.max()) + 2),
            points,
            how=None if how == "default" else how,
            random_state=seed,
            progress=False,
        )
        held = [np.bincount(truth[found.labels == k]) for k in range(len(found))]
        owners = [int(counts.argmax()) for counts in held]
        pure = all(counts.max() == counts.sum() for counts in held)
        if not pure or len(set(owners)) != len(owners) - 1:
            continue  # it cut no group in two, or not only one
        made += 1
        halves = [owners.count(owner) == 2 for owner in owners]
        pairs = list(zip(halves, (one.stable for one in found.clusters), strict=True))
        yield (
            all(not stable for half, stable in pairs if half),
            all(stable for half, stable in pairs if not half),
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--how", default="default,bootstrap")
    asked = parser.parse_args()
    print("| samples | clusterer | groups | dimensions | halves unstable | others stable | both |")
    print("|---|---|---|---:|---:|---:|---:|")
    for how in asked.how.split(","):
        for clusterer in CLUSTERERS:
            for kind, dimensions in (("equal", 2), ("unequal", 2), ("unequal", 8)):
                rows = trials(clusterer, kind, dimensions, how, asked.trials, 80_000)
                table = np.array(list(rows))
                halves, others = table.sum(axis=0)
                both = int(table.all(axis=1).sum())
                print(
                    f"| {how} | {clusterer} | {kind} | {dimensions} | {halves} | {others} "
                    f"| {both} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
