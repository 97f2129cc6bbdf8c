"""How often a benchmark finds a difference between algorithms that are equally good.

    python studies/benchmark_errors.py [--write] [--repeats 1000]

The data sets are scikit-learn's toy sets and the sets that it bundles. Each algorithm is run many
times on each set. A benchmark is then drawn: equal algorithms get runs of the same algorithm, drawn
anew for each of them, so that they differ by chance alone. An error is any two equal algorithms
that the tests of `benchmark` call different. Where others stand beside them, these are truly
different.

`--write` puts the table into docs/theory.md.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_blobs,
    make_circles,
    make_moons,
)
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

import clustervet as cv
from clustervet.suites.ranking import RankedScores

KEY = "benchmark_errors"
THEORY = Path(__file__).resolve().parent.parent / "docs" / "theory.md"
POOL = 200
RUNS = 5


def sets() -> dict[str, tuple[Any, Any]]:
    """Return the data sets, standardized."""
    blobs = make_blobs(300, random_state=170)
    found = {
        "iris": load_iris(return_X_y=True),
        "wine": load_wine(return_X_y=True),
        "cancer": load_breast_cancer(return_X_y=True),
        "digits": tuple(part[:400] for part in load_digits(return_X_y=True)),
        "circles": make_circles(300, factor=0.5, noise=0.05, random_state=30),
        "moons": make_moons(300, noise=0.05, random_state=30),
        "blobs": make_blobs(300, random_state=30),
        "skewed": (blobs[0] @ np.array([[0.6, -0.6], [-0.4, 0.8]]), blobs[1]),
        "varied": make_blobs(300, cluster_std=[1.0, 2.5, 0.5], random_state=170),
        "none": (np.random.default_rng(30).uniform(size=(300, 2)), np.arange(300) % 3),
        "close": make_blobs(300, 6, centers=6, cluster_std=2.5, random_state=3),
        "many": make_blobs(300, 2, centers=12, random_state=5),
    }
    return {name: (StandardScaler().fit_transform(X), y) for name, (X, y) in found.items()}


class Random(KMeans):  # type: ignore[misc]  # scikit-learn ships no types
    """Labels at random."""

    def fit_predict(self, X: Any, y: Any = None) -> Any:  # noqa: N803  # scikit-learn's name
        """Return a cluster for each point, whatever the points."""
        return np.random.default_rng(self.random_state).integers(0, self.n_clusters, len(X))


def pools() -> dict[str, Any]:
    """Return many scores of each algorithm: one row per set."""
    algorithms = {
        "kmeans": KMeans(n_init=1, init="random"),
        "gmm": GaussianMixture(init_params="random_from_data"),
        "random": Random(),
        "ward": "ward",
        "single": "single",
    }
    found = cv.benchmark(sets(), algorithms, POOL, measure="ari", n_jobs=-1, progress=True)
    held = {}
    for name in algorithms:
        rows = [found.score(one.name, name).values for one in found.sets]
        held[name] = np.array([np.resize(row, POOL) for row in rows])
    return held


# The equal algorithms, how many of them, and what stands beside them.
CASES = (
    ("kmeans", 3, ()),
    ("kmeans", 5, ()),
    ("kmeans", 8, ()),
    ("gmm", 5, ()),
    ("random", 5, ()),
    ("random", 2, ()),
    ("kmeans", 3, ("ward", "single")),
    ("gmm", 3, ("ward", "random")),
    ("kmeans", 2, ("ward", "single", "gmm", "random")),
)


def errors(
    held: dict[str, Any], case: tuple[str, int, tuple[str, ...]], size: int, repeats: int
) -> dict[str, float]:
    """Return how often some equal algorithms are called different, by test."""
    equal, many, others = case
    rng = np.random.default_rng([size, many, len(others)])
    count = dict.fromkeys(("nemenyi", "wilcoxon"), 0)
    names = tuple(f"a{k}" for k in range(many + len(others)))
    pool = held[equal]
    for _ in range(repeats):
        chosen = rng.choice(len(pool), size, replace=size > len(pool))
        columns = []
        for name in (*[equal] * many, *others):
            rows = held[name][chosen]
            drawn = rng.integers(POOL, size=(size, RUNS))
            columns.append(np.take_along_axis(rows, drawn, axis=1).mean(axis=1))
        scores = np.stack(columns, axis=1)
        for test in count:
            found = RankedScores(names, scores, test, 0.05, 0.0, 0)
            count[test] += any(_differ(found, a, b) for a in range(many) for b in range(a))
    return {test: number / repeats for test, number in count.items()}


def _differ(found: RankedScores, a: int, b: int) -> bool:
    """Return `found.differ`, by the critical difference where that is quicker."""
    if found.critical_difference is None:
        return found.differ(a, b)
    overall = found.friedman is None or found.friedman[1] <= found.alpha
    return overall and abs(found.mean_ranks[a] - found.mean_ranks[b]) >= found.critical_difference


def main() -> None:
    """Print the table, or write it into the docs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--repeats", type=int, default=1_000)
    given = parser.parse_args()
    held = pools()
    sizes = (6, 12, 24)
    lines = [
        "| equal algorithms | beside them | test | "
        + " | ".join(f"{n} sets" for n in sizes)
        + " |",
        "|---|---|---|" + "--:|" * len(sizes),
    ]
    for case in CASES:
        found = [errors(held, case, size, given.repeats) for size in sizes]
        for test in ("nemenyi", "wilcoxon"):
            shares = " | ".join(f"{one[test]:.1%}" for one in found)
            beside = ", ".join(case[2]) or "none"
            lines.append(f"| {case[1]} × {case[0]} | {beside} | {test} | {shares} |")
            print(lines[-1], flush=True)
    table = "\n".join(lines)
    print(table)
    if given.write:
        text = THEORY.read_text(encoding="utf-8")
        begin, end = f"<!-- {KEY} -->", f"<!-- end {KEY} -->"
        pattern = re.compile(f"{begin}.*?{end}", re.DOTALL)
        THEORY.write_text(pattern.sub(lambda _: f"{begin}\n{table}\n{end}", text), encoding="utf-8")


if __name__ == "__main__":
    main()
