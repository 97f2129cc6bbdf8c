"""How often intervals cover the population's value, for tables drawn from Dom's Tables 2 and 3.

    python studies/interval_coverage.py [--tables 2000] [--resamples 1000] [--jobs 2]

The population's value is the value of the measure on the expected table n p(c,k), whose pair
counts are expectations (Dom 2001, App. A). A measure that depends on n, such as Q2, has a different
population value for each n. Prints a Markdown table with the coverage of each method.
"""

from __future__ import annotations

import argparse
import math
from concurrent.futures import ProcessPoolExecutor

import numpy as np

import clustervet as cv
from clustervet.inference.interval import METHODS, make_interval
from clustervet.inference.resample import accelerations, bootstrap, subsample_size

KEYS = (
    "adjusted_rand",
    "variation_of_information",
    "normalized_mutual_information",
    "purity",
    "dom_q2",
    "pair_f1",
)


def dom_table_2() -> np.ndarray:
    """Five classes, five useful clusters, error 0.2 between these clusters (Dom 2001, Table 2)."""
    return np.full((5, 5), 0.01) + 0.15 * np.eye(5)


def dom_table_3() -> np.ndarray:
    """The same, with error 0.2 in useful clusters and 0.3 in three noise clusters (Table 3)."""
    useful = np.full((5, 5), 0.01) + 0.09 * np.eye(5)
    return np.hstack([useful, np.full((5, 3), 0.02)])


def population_values(p: np.ndarray, n: int) -> dict[str, float]:
    """The value of each measure on the expected table."""
    table = cv.Contingency.from_counts(n * p).as_population()
    return {key: cv.measures[key].evaluate(table).value for key in KEYS}


def simulate(job: tuple[str, int, int, int, int]) -> np.ndarray:
    """Per measure and method: how often intervals cover the value, lie above it and lie below."""
    which, n, tables, resamples, seed = job
    p = dom_table_2() if which == "Table 2" else dom_table_3()
    truth = population_values(p, n)
    records = [cv.measures[key] for key in KEYS]
    rng = np.random.default_rng(seed)
    found = np.zeros((len(KEYS), len(METHODS), 3))
    for _ in range(tables):
        table = cv.Contingency.from_counts(rng.multinomial(n, p.ravel()).reshape(p.shape))
        m_size = subsample_size(n)
        drawn, fewer = (
            bootstrap(
                table, records, {}, resamples=resamples, random_state=rng, n_jobs=None, size=size
            )
            for size in (n, m_size)
        )
        skew = accelerations(table, records, {})
        populations = table.as_population(), table.as_population(m_size)
        for k, record in enumerate(records):
            value = record.evaluate(table).value
            centers = [record.evaluate(population).value for population in populations]
            for m, method in enumerate(METHODS):
                less = method == "subsample"
                interval = make_interval(
                    value,
                    (fewer if less else drawn)[:, k],
                    0.95,
                    method,
                    center=centers[less],
                    scale=math.sqrt(m_size / n) if less else 1.0,
                    acceleration=skew[k],
                    bounds=record.bounds,
                )
                found[k, m, 0] += truth[record.key] in interval
                found[k, m, 1] += truth[record.key] < interval.low
                found[k, m, 2] += truth[record.key] > interval.high
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", type=int, default=2_000)
    parser.add_argument("--resamples", type=int, default=1_000)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    print("| population | n | measure | " + " | ".join(METHODS) + " |")
    print("|---|---|---|" + "---|" * len(METHODS))
    with ProcessPoolExecutor(options.jobs) as pool:
        for which in ("Table 2", "Table 3"):
            for n in (500, 5_000):
                share = math.ceil(options.tables / options.jobs)
                jobs = [
                    (which, n, share, options.resamples, 1_000 * n + k) for k in range(options.jobs)
                ]
                found = sum(pool.map(simulate, jobs)) / (share * options.jobs)
                for k, key in enumerate(KEYS):
                    cells = [
                        f"{hit:.1%} ({low:.1%} low, {high:.1%} high)" for hit, low, high in found[k]
                    ]
                    print(f"| {which} | {n} | {key} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
