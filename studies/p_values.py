"""Whether p-values are uniform when there is nothing to find.

    python studies/p_values.py [--pairs 1000] [--samples 499]

Pairs of unrelated labelings are drawn. For each measure the p-values are tested for being uniform,
and the Kolmogorov-Smirnov statistic and its p-value are printed.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.stats import kstest

import clustervet as cv

KEYS = ("adjusted_rand", "normalized_mutual_information", "matching_accuracy")


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


if __name__ == "__main__":
    main()
