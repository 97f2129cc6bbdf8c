"""How far sampled sums of distances to medoids are above the exact ones, and what intervals cover.

    python studies/medoid_samples.py [--half choose|report] [--sets 100]

`medoid_distance(sample=m)` tries m points as medoids, so it is too high; its standard error is a
cautious guess of the excess. Three clusters of unequal sizes have 2,000 points in all. The half
`choose` (Gaussian, exponential and Student's t with two degrees) chose that the guess follows from
a quarter and a half of the points drawn, not from a half and all of them. The half `report`
(uniform, Laplace, beta, Gaussians of two widths) was not looked at before.

The table shows the mean excess and the mean standard error, in percent of the exact value, and the
share of intervals of 95% that hold the exact value.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import clustervet as cv

POINTS = 2_000
Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]
HALVES: dict[str, dict[str, Draw]] = {
    "choose": {
        "Gaussian": lambda rng, d: rng.normal(size=(POINTS, d)),
        "exponential": lambda rng, d: rng.exponential(size=(POINTS, d)),
        "t, 2 degrees": lambda rng, d: rng.standard_t(2, size=(POINTS, d)),
    },
    "report": {
        "uniform": lambda rng, d: rng.uniform(size=(POINTS, d)),
        "Laplace": lambda rng, d: rng.laplace(size=(POINTS, d)),
        "beta(0.4, 0.4)": lambda rng, d: rng.beta(0.4, 0.4, size=(POINTS, d)),
        "two widths": lambda rng, d: (
            rng.normal(size=(POINTS, d)) * rng.choice([1.0, 6.0], POINTS)[:, None]
        ),
    },
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=list(HALVES), default="report")
    parser.add_argument("--sets", type=int, default=100, help="number of sets of each kind")
    given = parser.parse_args()
    print("| points | features | tried | excess | standard error | intervals that hold |")
    print("|---|--:|--:|--:|--:|--:|")
    for name, draw in HALVES[given.half].items():
        for d in (2, 20, 100):
            for tried in (60, 240):
                found = []
                for seed in range(given.sets):
                    rng = np.random.default_rng([seed, d])
                    labels = rng.choice(3, POINTS, p=[0.1, 0.3, 0.6])
                    geometry = cv.Geometry(draw(rng, d) + 3.0 * labels[:, None], labels)
                    exact = cv.medoid_distance(geometry)
                    value = cv.medoid_distance(geometry, sample=tried, random_state=seed)
                    assert isinstance(value, cv.Estimate)
                    low, high = value.interval()
                    error = value.standard_error / exact
                    found.append((value / exact - 1, error, low <= exact <= high))
                excess, error, held = 100 * np.mean(found, axis=0)
                cells = [f"{excess:.2f}%", f"{error:.2f}%", f"{held:.0f}%"]
                print(f"| {name} | {d} | {tried} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
