"""Quantiles of the dip of uniform samples, the table of `geometry/dip.py`.

    python studies/dip_quantiles.py [--draws 40000]

Of all distributions with one mode the uniform one has the largest dip (Hartigan and Hartigan 1985,
§4), so its quantiles give p-values that are never too small. The table holds the quantiles times
the square root of the number of values, which converge as there are more of them.
"""

from __future__ import annotations

import argparse

import numpy as np

from clustervet.geometry.dip import PROBABILITIES, SIZES, dip


def main() -> None:
    """Print one row per number of values."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=40_000)
    asked = parser.parse_args()
    for size in SIZES:
        rng = np.random.default_rng(size)
        drawn = [dip(rng.uniform(size=size)) for _ in range(asked.draws)]
        row = np.quantile(drawn, PROBABILITIES) * size**0.5
        print(f"    ({', '.join(f'{value:.4f}' for value in row)}),", flush=True)


if __name__ == "__main__":
    main()
