"""Whether a consensus is nearer to the truth than the labelings it was made from.

    python studies/consensus_recovery.py [--trials 100]

In copies of a known partition, a share of the objects is moved to random other clusters. The
consensus of the copies, by variation of information and by Mirkin's metric, is compared with the
partition and with the copies. "One cluster has a smaller total" counts the trials in which a single
cluster has a smaller total distance to the copies than any other partition found. Then k-means runs
20 times, from single random starts, on each of scikit-learn's real sets, and the total of the
consensus is compared with that of the best run. Prints one Markdown table for each part.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small fits are faster on one core

import numpy as np
import sklearn.datasets
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler

import clustervet as cv
from clustervet.ensemble.distances import distances_to
from clustervet.ensemble.ensemble import Ensemble

SETTINGS = (
    # objects, clusters, copies, share moved
    (200, 3, 10, 0.1),
    (200, 3, 10, 0.2),
    (200, 3, 20, 0.3),
    (500, 5, 10, 0.2),
    (500, 5, 20, 0.3),
    (500, 10, 10, 0.1),
    (500, 10, 20, 0.2),
    (500, 10, 20, 0.3),
    (1_000, 20, 20, 0.2),
    (1_000, 20, 20, 0.3),
)
CRITERIA = ("variation_of_information", "mirkin")
SETS = ("iris", "wine", "digits", "breast_cancer")


def perturbed(
    n: int, clusters: int, copies: int, share: float, rng: np.random.Generator
) -> tuple[np.ndarray, list[np.ndarray]]:
    """A random partition, and copies of it with a share of the objects moved."""
    truth = rng.integers(0, clusters, n)
    made = []
    for _ in range(copies):
        labels = truth.copy()
        moved = rng.choice(n, round(share * n), replace=False)
        labels[moved] = (labels[moved] + rng.integers(1, clusters, len(moved))) % clusters
        made.append(labels)
    return truth, made


def recovery(trials: int) -> None:
    """How often the consensus is nearer to the truth than every copy, and by how much."""
    print(
        "| objects | clusters | copies | moved | by | nearer than every copy | exact "
        "| one cluster has a smaller total | VI to truth | VI of nearest copy |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for n, clusters, copies, share in SETTINGS:
        rows: dict[str, list[tuple[bool, bool, bool, float, float]]] = {key: [] for key in CRITERIA}
        for seed in range(trials):
            rng = np.random.default_rng([seed, n, clusters, copies, round(100 * share)])
            truth, made = perturbed(n, clusters, copies, share, rng)
            ensemble = Ensemble(made)
            nearest = float(distances_to(truth, ensemble.labelings).min())
            for key in CRITERIA:
                found = ensemble.consensus(key)
                gap = cv.variation_of_information(truth, found.labels)
                rows[key].append((gap < nearest, gap == 0, found.collapsed, gap, nearest))
        for key, results in rows.items():
            closer, exact, single, gap, nearest = (np.array(x) for x in zip(*results, strict=True))
            print(
                f"| {n:,} | {clusters} | {copies} | {share:.0%} | {key} "
                f"| {closer.sum()} of {trials} | {exact.sum()} | {single.sum()} "
                f"| {gap.mean():.3f} | {nearest.mean():.3f} |",
                flush=True,
            )


def real_runs() -> None:
    """The total of the consensus, and that of the best of 20 runs of k-means."""
    print(
        "| set | clusters | by | total of best run | total of consensus | its clusters "
        "| VI to classes: best run | consensus |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name in SETS:
        data = getattr(sklearn.datasets, f"load_{name}")()
        points = StandardScaler().fit_transform(data.data)
        for clusters in (len(data.target_names), 2 * len(data.target_names)):
            runs = [
                KMeans(clusters, init="random", n_init=1, random_state=seed).fit_predict(points)
                for seed in range(20)
            ]
            ensemble = Ensemble(runs)
            for key in CRITERIA:
                found = ensemble.consensus(key)
                best = int(np.argmin(found.objectives))
                assert found.objective <= found.objectives.min()
                to_classes = [
                    cv.variation_of_information(data.target, x) for x in (runs[best], found.labels)
                ]
                print(
                    f"| {name} | {clusters} | {key} | {found.objectives[best]:,.4f} "
                    f"| {found.objective:,.4f} | {found.partition.k} "
                    f"| {to_classes[0]:.3f} | {to_classes[1]:.3f} |",
                    flush=True,
                )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=100)
    options = parser.parse_args()
    recovery(options.trials)
    print()
    real_runs()


if __name__ == "__main__":
    main()
