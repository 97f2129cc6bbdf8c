"""How often 95% intervals of soft, overlapping and hierarchical measures hold the source's value.

    python studies/pair_intervals.py [--samples 200] [--jobs 1] [--write]

A population is two clusterings of 1,500 to 3,000 objects: of data sets of scikit-learn, and made
ones. Samples of its objects are drawn without replacement, with their memberships, groups or places
in the trees. The intervals are those of `confidence_interval` as they were made for measures of
features: nothing of the method was chosen by these populations. That samples with few objects in a
cluster are a group of their own was learnt from one of them, "degrees with a rare cluster".

Prints, for each measure and number of objects, the share of intervals that hold the population's
value: the mean over populations, and the least in brackets; first of samples whose clusters all
have five objects, then of the others. With --write the figures go into
src/clustervet/inference/pair_calibration.json, which intervals quote.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import linkage
from sklearn import datasets
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import clustervet as cv
from clustervet.inference.calibration import pair_group_of
from clustervet.inference.interval import pair_intervals
from clustervet.registry import Measure, doors

ROOT = Path(__file__).resolve().parents[1]
NUMBER = 2_000
SIZES = (30, 60, 150, 400)
# Samples that say something of a population.
ENOUGH = 20
# By measure and group of samples: how many, and how many intervals hold the value.
Tallies = dict[tuple[str, str], list[int]]
Figures = dict[str, dict[str, tuple[float, float, int]]]
Rng = np.random.Generator


def points(name: str, rng: Rng) -> np.ndarray:
    """A data set, standardised, and made larger by drawing rows and adding noise."""
    features, _ = getattr(datasets, f"load_{name}")(return_X_y=True)
    features = StandardScaler().fit_transform(features)[:, :16]
    rows = rng.integers(len(features), size=NUMBER)
    return features[rows] + 0.2 * rng.normal(size=(NUMBER, features.shape[1]))


def mixture(features: np.ndarray, clusters: int, sharpness: float = 0.4) -> np.ndarray:
    """Degrees of membership in a mixture of Gaussians, softened."""
    made = GaussianMixture(clusters, covariance_type="diag", reg_covar=0.05, random_state=0)
    degrees = made.fit(features).predict_proba(features) ** sharpness
    return np.asarray(degrees / degrees.sum(axis=1, keepdims=True))


def two_mixtures(name: str, one: int, other: int) -> Callable[[Rng], tuple[Any, Any]]:
    """Mixtures of two halves of the features."""

    def make(rng: Rng) -> tuple[Any, Any]:
        features = points(name, rng)
        half = features.shape[1] // 2
        sides = mixture(features[:, :half], one), mixture(features[:, half:], other)
        return tuple(map(cv.Memberships, sides))

    return make


def blurred(clusters: int, noise: float) -> Callable[[Rng], tuple[Any, Any]]:
    """Degrees drawn by Dirichlet's law, and the same mixed with others."""

    def make(rng: Rng) -> tuple[Any, Any]:
        degrees = rng.dirichlet(np.full(clusters, 0.3), NUMBER)
        other = (1 - noise) * degrees + noise * rng.dirichlet(np.ones(clusters), NUMBER)
        return cv.Memberships(degrees), cv.Memberships(other)

    return make


def rare(share: float, wrong: float) -> Callable[[Rng], tuple[Any, Any]]:
    """Degrees of two clusters of which one is rare, and the same with some objects exchanged."""

    def make(rng: Rng) -> tuple[Any, Any]:
        degrees = np.where(rng.random(NUMBER) < share, 0.9, 0.02)
        other = np.where(rng.random(NUMBER) < wrong, 1 - degrees, degrees)
        return tuple(cv.Memberships(np.column_stack([1 - x, x])) for x in (degrees, other))

    return make


def overlaps(name: str, one: int, other: int) -> Callable[[Rng], tuple[Any, Any]]:
    """Groups of the objects with a degree of at least a fifth in a mixture."""
    made = two_mixtures(name, one, other)

    def make(rng: Rng) -> tuple[Any, Any]:
        return tuple(cv.Cover(side.shares >= 0.2) for side in made(rng))

    return make


def planted(groups: int, second: float, moved: float) -> Callable[[Rng], tuple[Any, Any]]:
    """Groups of sizes 1, 1/2, 1/3, ..., a share of objects in two of them, and some moved."""

    def cover(rng: Rng, first: np.ndarray, also: np.ndarray) -> cv.Cover:
        held = np.zeros((NUMBER, groups), bool)
        held[np.arange(NUMBER), first] = True
        held[also, (first[also] + 1) % groups] = True
        return cv.Cover(held)

    def make(rng: Rng) -> tuple[Any, Any]:
        shares = 1 / np.arange(1, groups + 1)
        first = rng.choice(groups, NUMBER, p=shares / shares.sum())
        also = np.flatnonzero(rng.random(NUMBER) < second)
        other = np.where(rng.random(NUMBER) < moved, rng.integers(groups, size=NUMBER), first)
        return cover(rng, first, also), cover(rng, other, rng.permutation(NUMBER)[: len(also)])

    return make


def two_trees(name: str, method: str) -> Callable[[Rng], tuple[Any, Any]]:
    """Trees of two halves of the features."""

    def make(rng: Rng) -> tuple[Any, Any]:
        features = points(name, rng)
        half = features.shape[1] // 2
        sides = features[:, :half], features[:, half:]
        return tuple(cv.Hierarchy(linkage(side, method)) for side in sides)

    return make


def noisy_trees(groups: int, noise: float) -> Callable[[Rng], tuple[Any, Any]]:
    """Trees of groups within groups, and of the same points with noise."""

    def make(rng: Rng) -> tuple[Any, Any]:
        centers = 6 * rng.normal(size=(groups, 3))
        near = centers[rng.integers(groups, size=NUMBER)] + rng.normal(size=(NUMBER, 3))
        other = near + noise * rng.normal(size=near.shape)
        return tuple(cv.Hierarchy(linkage(side, "average")) for side in (near, other))

    return make


POPULATIONS: dict[str, Callable[[Rng], tuple[Any, Any]]] = {
    "iris, mixtures of 3 and 4": two_mixtures("iris", 3, 4),
    "wine, mixtures of 3 and 3": two_mixtures("wine", 3, 3),
    "breast cancer, mixtures of 2 and 5": two_mixtures("breast_cancer", 2, 5),
    "degrees of 5 clusters": blurred(5, 0.3),
    "degrees with a rare cluster": rare(0.03, 0.02),
    "degrees with a cluster of a tenth": rare(0.1, 0.05),
    "wine, overlaps of 3 and 4": overlaps("wine", 3, 4),
    "digits, overlaps of 8 and 10": overlaps("digits", 8, 10),
    "5 groups": planted(5, 0.3, 0.1),
    "12 groups": planted(12, 0.5, 0.4),
    "30 groups, few moved": planted(30, 0.2, 0.05),
    "15 groups": planted(15, 0.1, 0.2),
    "iris, average linkage": two_trees("iris", "average"),
    "wine, Ward": two_trees("wine", "ward"),
    "digits, complete linkage": two_trees("digits", "complete"),
    "noisy trees": noisy_trees(8, 0.5),
}


def simulate(job: tuple[str, int]) -> Tallies:
    """How many samples each measure and group has, and how many intervals hold the value."""
    name, samples = job
    rng = np.random.default_rng([11, *name.encode()])
    found: Tallies = defaultdict(lambda: [0, 0])
    with threadpool_limits(1):
        truth, pred = POPULATIONS[name](rng)
        kind = {cv.Memberships: "soft", cv.Cover: "overlapping"}.get(type(truth), "hierarchical")
        whole = doors[kind]("the study", truth, pred)  # type: ignore[index]
        values = {record.key: float(record.evaluate(whole).value) for record in measured(kind)}
        records = [record for record in measured(kind) if np.isfinite(values[record.key])]
        for n in SIZES:
            for _ in range(samples):
                sample = whole.take(np.sort(rng.choice(whole.n, n, replace=False)))
                made = pair_intervals(sample, [(record, {}) for record in records], 0.95, rng)
                group = pair_group_of(sample.n, sample.smallest)
                for record, interval in zip(records, made, strict=True):
                    if np.isnan(interval.low):
                        continue
                    tally = found[record.key, group]
                    tally[0] += 1
                    tally[1] += values[record.key] in interval
    return dict(found)


def measured(kind: Any) -> list[Measure]:
    """The measures of a kind that have intervals."""
    return [record for record in cv.measures.select(kind=kind) if not record.no_interval]


def study(samples: int, jobs: int) -> Figures:
    """The mean and least coverage over populations, and their number, by measure and group."""
    work = [(name, samples) for name in POPULATIONS]
    shares: dict[tuple[str, str], list[float]] = defaultdict(list)
    with ProcessPoolExecutor(jobs) as pool:
        for job, tallies in zip(work, pool.map(simulate, work), strict=True):
            print(job[0], flush=True)
            for (key, group), (number, held) in tallies.items():
                if number >= min(ENOUGH, samples / 2):
                    shares[key, group].append(held / number)
    found: Figures = defaultdict(dict)
    for (key, group), values in sorted(shares.items(), key=lambda item: item[0][1]):
        mean, least = round(float(np.mean(values)), 3), round(min(values), 3)
        found[key][group] = (mean, least, len(values))
    return {record.key: found[record.key] for record in cv.measures.select() if record.key in found}


def as_markdown(found: Figures, smallest: int) -> str:
    """One row per measure, from samples whose smallest cluster has about so many objects."""
    groups = [pair_group_of(n, smallest) for n in SIZES]
    lines = [f"| measure | {' | '.join(map(str, SIZES))} |", "|---" * (len(SIZES) + 1) + "|"]
    for key, held in found.items():
        cells = [held.get(group) for group in groups]
        shown = [f"{100 * cell[0]:.0f} ({100 * cell[1]:.0f})" if cell else "" for cell in cells]
        if any(cells):
            lines.append(f"| {key} | {' | '.join(shown)} |")
    return "\n".join(lines)


def main() -> None:
    """Run the study, print its tables, and write the figures where asked."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="into the package")
    options = parser.parse_args()
    found = study(options.samples, options.jobs)
    for smallest in (5, 1):
        print(f"\n{as_markdown(found, smallest)}", flush=True)
    if options.write:
        path = ROOT / "src" / "clustervet" / "inference" / "pair_calibration.json"
        rows = ",\n".join(f" {json.dumps(key)}: {json.dumps(held)}" for key, held in found.items())
        path.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
