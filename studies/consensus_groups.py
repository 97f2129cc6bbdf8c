"""How often groups around consensus centres reach the least total of all choices of centres.

    python studies/consensus_groups.py [--trials 60] [--seed 0]

Ensembles are tiny, 5 to 8 labelings of 6 objects, so that every choice of two or three of the 203
partitions as centres can be tried. Two of three ensembles are copies of two or three partitions
with a fifth of the labels drawn anew, the third is random. Prints how often groups around medoids
and groups around consensus centres have the least total of all. Nothing was chosen by them.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

import clustervet as cv

OBJECTS = 6
MEASURES = ("variation_of_information", "mirkin")


def labelings_of(rng: np.random.Generator, k: int, *, planted: bool) -> list[NDArray[np.int64]]:
    """Noisy copies of k partitions, or random labelings."""
    count = int(rng.integers(5, 9))
    if not planted:
        return [rng.integers(0, rng.integers(2, 5), OBJECTS) for _ in range(count)]
    plain = rng.integers(0, 3, (k, OBJECTS))
    fresh = rng.random((count, OBJECTS)) < 0.2
    anew = rng.integers(0, 3, (count, OBJECTS))
    return [np.where(fresh[i], anew[i], plain[i % k]) for i in range(count)]


def least_total(gaps: NDArray[np.float64], k: int) -> float:
    """The least sum of distances to the nearest of k centres, from distances to all partitions."""
    if k == 1:
        return float(gaps.sum(axis=0).min())
    return min(least_total(np.minimum(gaps, gaps[:, [c]]), k - 1) for c in range(gaps.shape[1]))


def main() -> None:
    """Run the study and print its table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=60, help="ensembles of each kind")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    everyone = list(cv.Partition.all(OBJECTS))
    place = {partition: k for k, partition in enumerate(everyone)}
    codes = [partition.codes for partition in everyone]
    print("| distance | groups | ensembles | around medoids | around a consensus each |")
    print("|---|---|---|---|---|")
    for measure in MEASURES:
        matrix = cv.distance_matrix(codes, measure).matrix
        for k in (2, 3):
            reached = np.zeros(2, int)
            for trial in range(options.trials):
                rng = np.random.default_rng([options.seed, k, trial])
                labelings = labelings_of(rng, k, planted=trial % 3 > 0)
                gaps = matrix[[place[cv.Partition(labels)] for labels in labelings]]
                least = least_total(gaps, k) / len(labelings) + 1e-9
                ensemble = cv.Ensemble(labelings, measure=measure)
                found = (ensemble.groups(k), ensemble.groups(k, "consensus"))
                reached += [groups.mean_distance <= least for groups in found]
            shares = " | ".join(f"{share:.0%}" for share in reached / options.trials)
            print(f"| {measure} | {k} | {options.trials} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
