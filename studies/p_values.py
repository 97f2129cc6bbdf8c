"""Whether p-values are uniform when there is nothing to find.

    python studies/p_values.py [--pairs 1000] [--samples 499]

The first part draws pairs of unrelated labelings. For each measure it tests whether the p-values
are uniform, and prints the Kolmogorov-Smirnov statistic and its p-value. The second part draws
pairs of predictions that are equally good in the population, and prints how often their comparison
says that one is better: once with independent errors, and once with half of the errors on the same
objects.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.stats import kstest

import clustervet as cv

KEYS = ("adjusted_rand", "normalized_mutual_information", "matching_accuracy")
PAIRED = ("adjusted_rand", "variation_of_information", "purity")
CLASSES, WRONG = 4, 0.2


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=1_000)
    parser.add_argument("--samples", type=int, default=499)
    options = parser.parse_args()
    print("| measure | pairs | KS statistic | KS p-value | share below 0.05 |")
    print("|---|---|---|---|---|")
    for key in KEYS:
        rng = np.random.default_rng(0)
        found = np.empty(options.pairs)
        for k in range(options.pairs):
            classes, clusters = rng.integers(2, 8, 2)
            truth, pred = rng.integers(0, classes, 200), rng.integers(0, clusters, 200)
            found[k] = cv.chance(
                key, truth, pred, samples=options.samples, ties="random", random_state=rng
            ).p_value
        test = kstest(found, "uniform")
        print(
            f"| {key} | {options.pairs} | {test.statistic:.4f} | {test.pvalue:.3f} "
            f"| {np.mean(found <= 0.05):.3f} |",
            flush=True,
        )
    print("\n| measure | objects | errors shared | below 0.05 | below 0.2 |")
    print("|---|---|---|---|---|")
    for key in PAIRED:
        for objects in (100, 500):
            for shared in (0.0, 0.5):
                found = np.array([paired(key, objects, shared, k) for k in range(options.pairs)])
                below = " | ".join(f"{np.mean(found < limit):.3f}" for limit in (0.05, 0.2))
                print(f"| {key} | {objects} | {shared:.0%} | {below} |", flush=True)


def paired(key: str, objects: int, shared: float, seed: int) -> float:
    """The p-value of two predictions with equally many random errors."""
    rng = np.random.default_rng([seed, objects, round(10 * shared)])
    truth = rng.integers(0, CLASSES, objects)
    both = rng.random(objects) < shared * WRONG
    noise = rng.integers(0, CLASSES, objects)
    preds = []
    for _ in range(2):
        own = rng.random(objects) < (1 - shared) * WRONG
        wrong = np.where(both, noise, rng.integers(0, CLASSES, objects))
        preds.append(np.where(both | own, wrong, truth))
    found = cv.compare_predictions(truth, *preds, key, resamples=500, random_state=seed)
    return found.p_value


if __name__ == "__main__":
    main()
