"""How often the choices of `tune` are right, and how often "clear" means right.

    python studies/tuning_accuracy.py [--sets 2] [--jobs 2] [--calibrate]

k-means is tuned over 2 to 20 clusters on synthetic sets with a known number of clusters, on
structureless sets, where the right answer is that no value is clear, and on four of
scikit-learn's real sets. Prints one Markdown table per question. `--calibrate` draws other sets and
prints the strengths that structureless sets reach. The thresholds in `clustervet.selection` are
based on these strengths.
"""

from __future__ import annotations

import argparse
import itertools
import os
import warnings
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # the processes share the cores

import numpy as np
from kneed import KneeLocator
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from clustervet.tuning import Tuning, find_hartigan, tune

MEASURES: dict[str, dict[str, Any]] = {
    "ssq": {},
    "intra_inter_ratio": {},
    "silhouette": {},
    "calinski_harabasz": {},
    "davies_bouldin": {},
    "simplified_silhouette": {},
    "xie_beni": {},
    "dunn": {},
    "hartigan": {},
    "bic": {"covariance": "tied"},
    "log_likelihood": {"covariance": "tied"},
    "validated_likelihood": {"covariance": "tied"},
}
DEFAULTS = 5  # `tune` uses the first five by default
VALUES = range(2, 21)
STRUCTURELESS = {
    "gaussian": "round",
    "uniform": "round",
    "stretched": "stretched",
    "box": "stretched",
    "exponential": "skew or heavy tails",
    "t": "skew or heavy tails",
}
SHAPES = ("equal", "unequal sizes", "unequal spreads")
SEPARATIONS = (4, 6, 10)
DIMENSIONS = (2, 5, 20)
SIZES = (150, 500)
CLUSTERS = (2, 3, 5, 8)


def structureless(kind: str, n: int, d: int, rng: np.random.Generator) -> np.ndarray:
    """Points without clusters: round, stretched, skewed or heavy-tailed."""
    scales = np.geomspace(4, 1, d)
    if kind in ("uniform", "box"):
        return rng.uniform(size=(n, d)) * (scales if kind == "box" else 1)
    if kind == "exponential":
        return rng.exponential(size=(n, d))
    points = rng.normal(size=(n, d))
    if kind == "t":
        return points / np.sqrt(rng.chisquare(5, (n, 1)) / 5)
    return points * (scales if kind == "stretched" else 1)


def blobs(
    shape: str, k: int, separation: float, n: int, d: int, rng: np.random.Generator
) -> np.ndarray:
    """Gaussian clusters; the nearest two centres are `separation` standard deviations apart."""
    best = 0.0
    for _ in range(50):
        drawn = rng.uniform(-1, 1, (k, d))
        gaps = np.linalg.norm(drawn[:, None] - drawn, axis=2)[np.triu_indices(k, 1)]
        if gaps.min() > best:
            best, centres = gaps.min(), drawn
    weights = rng.uniform(1, 4, k) if shape == "unequal sizes" else np.ones(k)
    spreads = rng.uniform(0.5, 1, k) if shape == "unequal spreads" else np.ones(k)
    sizes = np.maximum(5, np.round(n * weights / weights.sum()).astype(int))
    places = np.repeat(np.arange(k), sizes)
    noise = rng.normal(size=(len(places), d)) * spreads[places, None]
    return centres[places] * (separation / best) + noise


def cases(sets: int, first: int) -> Iterator[tuple[str, int | None, tuple[Any, ...]]]:
    """Group, number of clusters (None: no clusters), and the parameters to draw the set."""
    for seed, kind, n, d in itertools.product(
        range(first, first + sets), STRUCTURELESS, SIZES, DIMENSIONS
    ):
        yield f"none: {STRUCTURELESS[kind]}", None, ("structureless", kind, n, d, seed)
    for seed, shape, separation, d, k in itertools.product(
        range(first, first + sets), SHAPES, SEPARATIONS, DIMENSIONS, CLUSTERS
    ):
        n = SIZES[(seed + k) % len(SIZES)]
        yield f"apart: {separation}", k, ("blobs", shape, k, separation, n, d, seed)


def draw(how: tuple[Any, ...]) -> np.ndarray:
    """The set that a case describes."""
    kind, *options, seed = how
    text = "/".join(map(str, how))
    rng = np.random.default_rng([seed, *text.encode()])
    return {"structureless": structureless, "blobs": blobs}[kind](*options, rng)


def real_sets() -> dict[str, tuple[np.ndarray, int]]:
    """Features and numbers of classes of scikit-learn's sets."""

    def standard(X: np.ndarray) -> np.ndarray:  # noqa: N803  # scikit-learn's name
        return (X - X.mean(axis=0)) / X.std(axis=0)

    return {
        "iris": (load_iris().data, 3),
        "wine": (standard(load_wine().data), 3),
        "digits": (load_digits().data, 10),
        "breast cancer": (standard(load_breast_cancer().data), 2),
    }


def knee(tuning: Tuning, X: np.ndarray) -> int | None:  # noqa: N803  # scikit-learn's name
    """The elbow of SSQ that kneed finds, with one cluster as the first point."""
    whole = float(((X - X.mean(axis=0)) ** 2).sum())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns if it finds no elbow
        curve = [whole, *tuning.curves["ssq"]]
        found = KneeLocator([1, *VALUES], curve, curve="convex", direction="decreasing").knee
    return None if found is None else int(found)


Found = dict[str, tuple[Any, bool, float]]


def judge(X: np.ndarray) -> Found:  # noqa: N803  # scikit-learn's name
    """Value, clearness and strength by each measure, and the same for the other rules."""
    clusterer = KMeans(n_init=5, random_state=0)
    tuning = tune(clusterer, X, values=VALUES, measures=MEASURES, progress=False)
    found: Found = {
        key: (choice.value, choice.clear, choice.strength) for key, choice in tuning.choices.items()
    }
    usual = list(MEASURES)[:DEFAULTS]
    few = replace(
        tuning,
        measures=tuning.measures[:DEFAULTS],
        choices={key: tuning.choices[key] for key in usual},
    )
    found["suggestion of the first five"] = (few.suggestion, few.suggestion is not None, 0.0)
    whole = float(((X - X.mean(axis=0)) ** 2).sum())
    choice = find_hartigan(VALUES, tuning.curves["ssq"], len(X), start=whole)
    found["ssq by Hartigan's rule"] = (choice.value, choice.clear, choice.strength)
    named = knee(tuning, X)
    found["ssq by kneed"] = (named, named is not None, 0.0)
    return found


def _judge_case(case: tuple[str, int | None, tuple[Any, ...]]) -> tuple[str, int | None, Found]:
    group, truth, how = case
    return group, truth, judge(draw(how))


def _judge_real(name: str) -> Found:
    return judge(real_sets()[name][0])


def synthetic_table(results: list[tuple[str, int | None, Found]]) -> None:
    """Print the shares of clear choices on structureless sets, and of right ones on the others."""
    groups = list(dict.fromkeys(group for group, _, _ in results))
    print("| measure | " + " | ".join(groups) + " |")
    print("|---|" + "---|" * len(groups))
    for key in results[0][2]:
        cells = []
        for group in groups:
            mine = [(truth, found[key]) for g, truth, found in results if g == group]
            clear = np.mean([c for _, (_, c, _) in mine])
            if mine[0][0] is None:
                cells.append(f"{clear:.0%} clear")
                continue
            right = np.mean([v == truth for truth, (v, _, _) in mine])
            both = np.mean([c and v == truth for truth, (v, c, _) in mine])
            cells.append(
                f"{right:.0%} right, {both:.0%} clear and right, {clear - both:.0%} clear and wrong"
            )
        print(f"| {key} | " + " | ".join(cells) + " |")


def strengths_table(results: list[tuple[str, int | None, Found]]) -> None:
    """Print quantiles of the strengths of structureless sets, inside the range and at 2."""
    print("| measure | 90% | 95% | 98% | at two clusters: 95% | 98% |")
    print("|---|---|---|---|---|---|")
    reached: dict[str, list[list[float]]] = defaultdict(lambda: [[], []])
    for _, truth, found in results:
        for key, (value, _, strength) in found.items():
            if truth is None:
                reached[key][0].append(strength if value not in (2, VALUES[-1]) else 0.0)
                reached[key][1].append(strength if value == 2 else 0.0)
    for key, (inside, two) in reached.items():
        cells = [*np.quantile(inside, [0.9, 0.95, 0.98]), *np.quantile(two, [0.95, 0.98])]
        print(f"| {key} | " + " | ".join(f"{x:.2f}" for x in cells) + " |")


def real_table(found: dict[str, Found]) -> None:
    """Print the choices on the real sets, with unclear choices in brackets."""
    classes = {name: k for name, (_, k) in real_sets().items()}
    print("| measure | " + " | ".join(f"{name}: {k}" for name, k in classes.items()) + " |")
    print("|---|" + "---|" * len(classes))
    for key in next(iter(found.values())):
        cells = [
            f"{value}" if clear else "none" if value is None else f"({value})"
            for value, clear, _ in (found[name][key] for name in classes)
        ]
        print(f"| {key} | " + " | ".join(cells) + " |")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sets", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--calibrate", action="store_true")
    options = parser.parse_args()
    first = 1_000 if options.calibrate else 0
    with ProcessPoolExecutor(options.jobs) as pool:
        results = list(pool.map(_judge_case, cases(options.sets, first), chunksize=4))
        synthetic_table(results)
        print()
        if options.calibrate:
            strengths_table(results)
        else:
            names = list(real_sets())
            real_table(dict(zip(names, pool.map(_judge_real, names), strict=True)))


if __name__ == "__main__":
    main()
