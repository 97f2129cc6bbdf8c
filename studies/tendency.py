"""How often `tendency` finds structure where there is none, and where there is.

    python studies/tendency.py [--sets 200]

Uniform points in a cube, one Gaussian cloud, and three Gaussian clouds on a line, six standard
deviations from one to the next. The table shows the share of sets that the Hopkins statistic calls
uneven (p at most 0.05, against uniform sets and by the Beta law), and the share with the answer
"clusters", which rests on the dip tests alone.
"""

from __future__ import annotations

import argparse

import numpy as np

import clustervet as cv

DIMENSIONS = (1, 2, 3, 5, 10, 20)
SIZES = (50, 300)


def uniform(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Return points without structure."""
    return rng.uniform(size=(n, d))


def one_cloud(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Return points of one Gaussian."""
    return rng.normal(size=(n, d)) * rng.uniform(0.5, 2, d)


def three_clouds(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Return points of three Gaussians on a line, six standard deviations from one to the next."""
    line = rng.normal(size=d)
    centres = np.outer(rng.permutation([-6, 0, 6]), line / np.linalg.norm(line))
    return centres[rng.integers(3, size=n)] + rng.normal(size=(n, d))


KINDS = {"uniform": uniform, "one Gaussian": one_cloud, "three Gaussians": three_clouds}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200)
    asked = parser.parse_args()
    print('| points | n | features | Hopkins | by the Beta law | answer "clusters" |')
    print("|---|---:|---:|---:|---:|---:|")
    for kind, draw in KINDS.items():
        for n in SIZES:
            for d in DIMENSIONS:
                rows = []
                for k in range(asked.sets):
                    rng = np.random.default_rng([n, d, k])
                    found = cv.tendency(draw(rng, n, d), random_state=k)
                    rows.append(
                        (
                            found.p_value <= 0.05,
                            found.beta_p_value <= 0.05,
                            found.answer == "clusters",
                        )
                    )
                shares = np.mean(rows, axis=0)
                print(
                    f"| {kind} | {n} | {d} | " + " | ".join(f"{s:.1%}" for s in shares) + " |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
