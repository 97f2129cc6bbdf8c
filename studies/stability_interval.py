"""How often the interval of `Ensemble.stability` contains the mean over all runs.

    python studies/stability_interval.py [--samples 2000]

A large pool of runs stands for an algorithm; the mean variation of information of the pool is
known. Samples of a few runs are drawn from the pool. A Markdown table shows the share of their 95%
intervals that contain the mean of the pool, for two kinds of interval: by the jackknife over runs,
which the library uses, and by treating the pairs as independent, which they are not.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small fits are faster on one core

import numpy as np
from scipy.stats import t as student
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, load_wine
from sklearn.preprocessing import StandardScaler

from clustervet.ensemble.distances import distance_matrix
from clustervet.ensemble.groups import mean_distance

POOL = 600
RUNS = (5, 10, 20, 40)


def kmeans_pool(name: str, clusters: int) -> list[np.ndarray]:
    """Runs of k-means from single random starts."""
    data = {"digits": load_digits, "wine": load_wine}[name]().data[:500]
    points = StandardScaler().fit_transform(data)
    return [
        KMeans(clusters, init="random", n_init=1, random_state=seed).fit_predict(points)
        for seed in range(POOL)
    ]


def noisy_pool() -> list[np.ndarray]:
    """Copies of one partition; each run moves a different share of the objects."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, 300)
    pool = []
    for _ in range(POOL):
        labels = truth.copy()
        moved = rng.random(300) < rng.uniform(0, 0.3)
        labels[moved] = rng.integers(0, 5, moved.sum())
        pool.append(labels)
    return pool


def covered(matrix: np.ndarray, runs: int, samples: int) -> tuple[float, float]:
    """Shares of intervals that contain the mean: by the jackknife, and by independent pairs."""
    rng = np.random.default_rng(runs)
    truth = matrix[np.triu_indices(len(matrix), 1)].mean()
    hits = np.zeros(2)
    for _ in range(samples):
        drawn = rng.choice(len(matrix), runs, replace=False)
        block = matrix[np.ix_(drawn, drawn)]
        low, high = mean_distance(block, np.ones(runs)).interval(0.95)
        hits[0] += low <= truth <= high
        pairs = block[np.triu_indices(runs, 1)]
        reach = student.ppf(0.975, len(pairs) - 1) * pairs.std(ddof=1) / np.sqrt(len(pairs))
        hits[1] += abs(pairs.mean() - truth) <= reach
    return float(hits[0] / samples), float(hits[1] / samples)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=2_000)
    options = parser.parse_args()
    pools = {
        "perturbed partition": noisy_pool(),
        "k-means on digits, 10 clusters": kmeans_pool("digits", 10),
        "k-means on wine, 6 clusters": kmeans_pool("wine", 6),
    }
    print("| algorithm | runs per sample | covered, jackknife | covered, independent pairs |")
    print("|---|---|---|---|")
    for name, pool in pools.items():
        matrix = distance_matrix(pool).matrix
        for runs in RUNS:
            own, naive = covered(matrix, runs, options.samples)
            print(f"| {name} | {runs} | {own:.1%} | {naive:.1%} |", flush=True)


if __name__ == "__main__":
    main()
