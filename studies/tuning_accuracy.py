"""How often `tune` is right, and how often it suggests clusters where there are none.

    python studies/tuning_accuracy.py [--sets 20] [--jobs 2] [--half report] [--part suggestions]
    python studies/tuning_accuracy.py --calibrate

Three parts, each with its Markdown tables:

- `suggestions`: k-means with all defaults, over 2 to 6, 8, 12 and 20 clusters. On data without
  clusters, how often a value is suggested; on separated clusters, how often the right one and a
  wrong one. "Votes" is what the measures agree on, which was suggested before there were
  references; "after" is the suggestion now.
- `measures`: the choice of each measure over 2 to 20 clusters on structureless sets and on blobs.
- `real`: four of scikit-learn's sets.

The half `design` was looked at while references were designed. The tables in the documents are
those of the half `report`, which shares no generator, dimension, separation or seed with it.
`--calibrate` draws other sets for `measures` and prints the strengths that structureless sets
reach: the thresholds of the rules are based on these. `--keep FILE` appends every result to a file,
and a second run with the same file leaves out what is there.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
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
TOPS = (6, 8, 12, 20)
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


Rng = np.random.Generator


def disc(n: int, rng: Rng) -> np.ndarray:
    """Points uniform in a disc."""
    points = rng.normal(size=(n, 2))
    radii = np.sqrt(rng.uniform(size=n))
    return points / np.linalg.norm(points, axis=1)[:, None] * radii[:, None]


def triangle(n: int, rng: Rng) -> np.ndarray:
    """Points uniform in an equilateral triangle."""
    corners = np.array([[0, 0], [1, 0], [0.5, math.sqrt(0.75)]])
    return rng.dirichlet(np.ones(3), n) @ corners


def t_points(n: int, d: int, freedom: float, rng: Rng) -> np.ndarray:
    """Points of a multivariate t distribution."""
    return rng.normal(size=(n, d)) / np.sqrt(rng.chisquare(freedom, (n, 1)) / freedom)


TURN = np.array([[0.8, -0.6], [0.6, 0.8]])
# Data without clusters. One half was looked at while references were designed.
NOTHING: dict[str, dict[str, Callable[[int, Rng], np.ndarray]]] = {
    "design": {
        "turned box": lambda n, rng: rng.uniform(size=(n, 2)) * [3, 1] @ TURN,
        "triangle": triangle,
        "stretched Gaussian, 4-d": lambda n, rng: rng.normal(size=(n, 4)) * [4, 3, 2, 1],
        "exponential, 2-d": lambda n, rng: rng.exponential(size=(n, 2)),
        "Laplace, 3-d": lambda n, rng: rng.laplace(size=(n, 3)),
        "t5, 2-d": lambda n, rng: t_points(n, 2, 5, rng),
        "t2, independent, 2-d": lambda n, rng: rng.standard_t(2, size=(n, 2)),
        "gamma, 1-d": lambda n, rng: rng.gamma(2, size=(n, 1)),
        "negative binomial, 1-d": lambda n, rng: rng.negative_binomial(2, 0.2, (n, 1)) * 1.0,
    },
    "report": {
        "square": lambda n, rng: rng.uniform(size=(n, 2)),
        "rectangle, 2 to 1": lambda n, rng: rng.uniform(size=(n, 2)) * [2, 1],
        "rectangle, 4 to 1": lambda n, rng: rng.uniform(size=(n, 2)) * [4, 1],
        "disc": disc,
        "cube": lambda n, rng: rng.uniform(size=(n, 3)),
        "Gaussian, 2-d": lambda n, rng: rng.normal(size=(n, 2)),
        "Gaussian, 10-d": lambda n, rng: rng.normal(size=(n, 10)),
        "t3, 2-d": lambda n, rng: t_points(n, 2, 3, rng),
        "t1.5, 2-d": lambda n, rng: t_points(n, 2, 1.5, rng),
        "lognormal, 2-d": lambda n, rng: rng.lognormal(size=(n, 2)),
        "lognormal, 5-d": lambda n, rng: rng.lognormal(size=(n, 5)),
        "Poisson 3, 1-d": lambda n, rng: rng.poisson(3, (n, 1)) * 1.0,
        "Poisson 20, 1-d": lambda n, rng: rng.poisson(20, (n, 1)) * 1.0,
        "Poisson 3, 3-d": lambda n, rng: rng.poisson(3, (n, 3)) * 1.0,
    },
}
# Numbers of points; dimensions, separations and numbers of clusters of separated sets.
GRIDS: dict[str, tuple[tuple[int, ...], ...]] = {
    "design": ((120, 250, 400), (3, 10), (5, 8), (3, 4, 6)),
    "report": ((100, 200, 500), DIMENSIONS, SEPARATIONS, CLUSTERS),
}
Suggested = tuple[str, int, int | None, Any, Any]
Case = tuple[str, int, int | None, tuple[Any, ...]]


def suggestion_cases(half: str, sets: int) -> Iterator[Case]:
    """Return the sets of a half: name, largest k, number of clusters, and how to draw the set."""
    sizes, dimensions, separations, clusters = GRIDS[half]
    first = 5_000 if half == "design" else 0
    for name, top, seed in itertools.product(NOTHING[half], TOPS, range(sets)):
        yield name, top, None, ("nothing", half, name, sizes[seed % len(sizes)], first + seed, top)
    grid = itertools.product(range(max(1, sets // 10)), SHAPES, separations, dimensions, clusters)
    for place, (seed, shape, separation, d, k) in enumerate(grid):
        tops = [top for top in TOPS if top > k + 1]
        n = sizes[1:][(seed + k) % 2]
        how = ("blobs", shape, k, separation, n, d, first + seed)
        yield f"{separation} sd apart", tops[place % len(tops)], k, how


def suggest(case: Case) -> Suggested:
    """Return what the measures agree on in a case, and what is suggested."""
    name, top, truth, how = case
    if how[0] == "nothing":
        _, half, kind, n, *seeds = how
        X = NOTHING[half][kind](n, np.random.default_rng([*seeds, *kind.encode()]))  # noqa: N806
    else:
        X = draw(how)  # noqa: N806
    found = tune("kmeans", X, values=range(2, top + 1), random_state=0, progress=False)
    return name, top, truth, found.voted, found.suggestion


def suggest_all(cases: list[Case], pool: ProcessPoolExecutor, keep: Path | None) -> list[Suggested]:
    """Return what is suggested in each case; results in the file are not computed again."""
    held: dict[str, Suggested] = {}
    if keep is not None and keep.exists():
        held = {key: tuple(row) for key, row in map(json.loads, keep.read_text().splitlines())}
    open_cases = [case for case in cases if repr(case) not in held]
    for case, row in zip(open_cases, pool.map(suggest, open_cases, chunksize=2), strict=True):
        held[repr(case)] = row
        if keep is not None:
            with keep.open("a") as file:
                file.write(json.dumps([repr(case), row]) + "\n")
    return [held[repr(case)] for case in cases]


def suggestion_tables(found: list[Suggested]) -> None:
    """Print how often there is a suggestion without clusters, and the right one with clusters."""

    def cell(mine: list[Suggested], place: int) -> str:
        return f"{np.mean([one[place] is not None for one in mine]):.0%}"

    none = [one for one in found if one[2] is None]
    heads = [f"k 2..{top}" for top in TOPS]
    print("| data without clusters | " + " | ".join(heads) + " | all |")
    print("|---|" + "---|" * (len(heads) + 1))
    for name in [*dict.fromkeys(one[0] for one in none), "all"]:
        mine = [one for one in none if name in (one[0], "all")]
        parts = [[one for one in mine if one[1] == top] for top in TOPS]
        cells = [f"{cell(part, 3)} → {cell(part, 4)}" for part in [*parts, mine]]
        print(f"| {name} | " + " | ".join(cells) + " |")
    some = [one for one in found if one[2] is not None]
    print("\n| clusters | sets | right: votes | after | wrong: votes | after |")
    print("|---|---|---|---|---|---|")
    for name in [*dict.fromkeys(one[0] for one in some), "all"]:
        mine = [one for one in some if name in (one[0], "all")]
        right = [np.mean([one[place] == one[2] for one in mine]) for place in (3, 4)]
        wrong = [np.mean([one[p] not in (None, one[2]) for one in mine]) for p in (3, 4)]
        cells = [f"{x:.0%}" for x in (*right, *wrong)]
        print(f"| {name} | {len(mine)} | " + " | ".join(cells) + " |")


Found = dict[str, tuple[Any, bool, float]]


def judge(X: np.ndarray) -> Found:  # noqa: N803  # scikit-learn's name
    """Value, clearness and strength by each measure, and the same for the other rules."""
    clusterer = KMeans(n_init=5, random_state=0)
    options = {"measures": MEASURES, "references": 0, "progress": False}
    tuning = tune(clusterer, X, values=VALUES, **options)
    found: Found = {
        key: (choice.value, choice.clear, choice.strength) for key, choice in tuning.choices.items()
    }
    usual = list(MEASURES)[:DEFAULTS]
    few = replace(
        tuning,
        measures=tuning.measures[:DEFAULTS],
        choices={key: tuning.choices[key] for key in usual},
    )
    found["votes of the first five"] = (few.voted, few.voted is not None, 0.0)
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
    parser.add_argument("--sets", type=int, default=20, help="sets of each kind and range")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--half", choices=list(NOTHING), default="report")
    parser.add_argument("--part", choices=["suggestions", "measures", "real"], default=None)
    parser.add_argument("--keep", type=Path, help="a file of results, which a second run goes on")
    parser.add_argument("--calibrate", action="store_true")
    options = parser.parse_args()
    parts = [options.part] if options.part else ["suggestions", "measures", "real"]
    with ProcessPoolExecutor(options.jobs) as pool:
        if options.calibrate:
            chosen = cases(max(1, options.sets // 10), 1_000)
            strengths_table(list(pool.map(_judge_case, chosen, chunksize=4)))
            return
        if "suggestions" in parts:
            chosen_cases = list(suggestion_cases(options.half, options.sets))
            suggestion_tables(suggest_all(chosen_cases, pool, options.keep))
            print()
        if "measures" in parts:
            chosen = cases(max(1, options.sets // 10), 0)
            synthetic_table(list(pool.map(_judge_case, chosen, chunksize=4)))
            print()
        if "real" in parts:
            names = list(real_sets())
            real_table(dict(zip(names, pool.map(_judge_real, names), strict=True)))


if __name__ == "__main__":
    main()
