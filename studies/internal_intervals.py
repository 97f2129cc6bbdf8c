"""How often 95% intervals of internal measures hold the value of the source, by measure and size.

    python studies/internal_intervals.py [--half report] [--samples 100] [--jobs 1] [--groups 30]
        [--measures silhouette,dunn] [--write]

A population is 20,000 points with labels: data sets of scikit-learn and statsmodels, made large by
drawing rows and adding noise, and made ones. The labels are the classes, or come from a clusterer
that was fitted to the data set, as a fixed rule. Samples are drawn without replacement, with their
labels. The populations of the half "choose" served to choose how intervals are made; those of the
half "report" give the figures. A sum over points has the value of the population times its share of
the points. Samples are put into groups by the number of points, by whether the smallest cluster has
five points, and by whether the sample tells all centroids apart.

Prints, for each measure, the share of intervals that hold the value: the mean over populations, and
the least in brackets. Measures for which intervals are refused, and those that take long, have
fewer samples. With --write the figures of all others go into
src/clustervet/inference/inner_calibration.json, which intervals quote; with --measures as well, the
figures of all other measures are kept.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import clustervet as cv
from clustervet.inference import groups as leaving
from clustervet.inference import inner_interval
from clustervet.inference.calibration import POINTS, SMALLEST, inner_group_of
from clustervet.inference.interval import inner_intervals
from clustervet.registry import Measure

ROOT = Path(__file__).resolve().parents[1]
NUMBER = 20_000
SIZES = (25, 50, 100, 300, 1_000)
# Samples for measures that take long, for those that are refused, and samples that say something.
FEW, FEWER, ENOUGH = 60, 25, 20
SLOW = ("c_index", "baker_hubert_gamma", "kendall_tau", "point_biserial")
EXTREME = ("dunn", "single_linkage", "complete_linkage", "dbcv")
# Pairs that are drawn for the value of a population.
PAIRS = 1_000_000
FAIR = ["rate_marriage", "age", "yrs_married", "children", "religious", "educ"]
HEALTH = ["mdvis", "lncoins", "lpi", "fmde", "disea", "physlm"]
VOTERS = ["popul", "TVnews", "selfLR", "PID", "age", "educ", "income"]
Points = np.ndarray
Labelled = tuple[Points, np.ndarray]
Tallies = dict[tuple[str, str], list[int]]


def real(name: str, columns: list[str] | None = None, components: int = 0) -> Any:
    """A data set, standardised: features, and classes if there are any."""
    if columns is None:
        features, classes = getattr(datasets, f"load_{name}")(return_X_y=True)
    else:
        import statsmodels.datasets

        frame = getattr(statsmodels.datasets, name).load_pandas().data[columns].dropna()
        features, classes = frame.to_numpy(float), None
    features = StandardScaler().fit_transform(features)
    if components:
        features = PCA(components, random_state=0).fit_transform(features)
        features = StandardScaler().fit_transform(features)
    return features, classes


def enlarged(name: str, clusterer: Any = None, **options: Any) -> Callable[..., Labelled]:
    """A data set made large; labels are the classes, or those of a clusterer fitted to it."""

    def make(rng: np.random.Generator) -> Labelled:
        features, classes = real(name, **options)
        rows = rng.integers(len(features), size=NUMBER)
        points = features[rows] + 0.2 * rng.normal(size=(NUMBER, features.shape[1]))
        if clusterer is None:
            return points, classes[rows]
        return points, clusterer.fit(features).predict(points)

    return make


def kmeans(clusters: int) -> KMeans:
    """k-means with a fixed seed."""
    return KMeans(clusters, n_init=5, random_state=0)


def mixture(clusters: int) -> GaussianMixture:
    """A mixture of Gaussians with a fixed seed."""
    return GaussianMixture(clusters, reg_covar=0.05, random_state=0)


def groups(
    shares: list[float], features: int, spread: float, tails: float = 0
) -> Callable[..., Labelled]:
    """Groups of points about random centers, Gaussian or with the tails of Student's t."""

    def make(rng: np.random.Generator) -> Labelled:
        labels = rng.choice(len(shares), NUMBER, p=np.array(shares) / sum(shares))
        centers = spread * rng.normal(size=(len(shares), features))
        scales = rng.uniform(0.5, 1.5, size=(len(shares), features))
        steps = rng.normal(size=(NUMBER, features))
        if tails:
            steps *= np.sqrt(tails / rng.chisquare(tails, size=NUMBER))[:, None]
        return centers[labels] + scales[labels] * steps, labels

    return make


def log_normal(rng: np.random.Generator) -> Labelled:
    """Three skew groups in four features."""
    labels = rng.choice(3, NUMBER, p=[0.5, 0.3, 0.2])
    centers = np.array([[0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1.5, -1]])
    return np.exp(0.6 * rng.normal(size=(NUMBER, 4)) + 0.8 * centers[labels]), labels


def square(rng: np.random.Generator) -> Labelled:
    """Points without structure, in clusters of k-means."""
    points = rng.uniform(size=(NUMBER, 2))
    return points, kmeans(5).fit(points[:2_000]).predict(points)


def moons(rng: np.random.Generator) -> Labelled:
    """Two half moons."""
    return datasets.make_moons(NUMBER, noise=0.12, random_state=int(rng.integers(2**31)))


def rings(rng: np.random.Generator) -> Labelled:
    """A ring within a ring."""
    seed = int(rng.integers(2**31))
    return datasets.make_circles(NUMBER, noise=0.08, factor=0.4, random_state=seed)


def core_and_shell(rng: np.random.Generator) -> Labelled:
    """A Gaussian group within a shell of three features."""
    labels = rng.choice(2, NUMBER, p=[0.6, 0.4])
    steps = rng.normal(size=(NUMBER, 3))
    length = np.linalg.norm(steps, axis=1, keepdims=True)
    shell = steps / length * rng.normal(4.0, 0.5, size=(NUMBER, 1))
    return np.where(labels[:, None] == 0, steps, shell), labels


# Name: half, metric, and how it is made. The split was made before any result was seen.
POPULATIONS: dict[str, tuple[str, str, Callable[..., Labelled]]] = {
    "iris, k-means, 3": ("choose", "euclidean", enlarged("iris", kmeans(3))),
    "digits, k-means, 10": ("choose", "cosine", enlarged("digits", kmeans(10), components=8)),
    "diabetes, k-means, 5": ("choose", "manhattan", enlarged("diabetes", kmeans(5))),
    "fair, mixture, 4": ("choose", "euclidean", enlarged("fair", mixture(4), columns=FAIR)),
    "Gaussians, 4": ("choose", "euclidean", groups([4, 3, 2, 1], 3, 2.5)),
    "heavy tails, 3": ("choose", "euclidean", groups([7, 2, 1], 2, 4, tails=3)),
    "moons": ("choose", "euclidean", moons),
    "rings": ("choose", "euclidean", rings),
    "wine, classes, 3": ("report", "cosine", enlarged("wine")),
    "breast cancer, k-means, 4": ("report", "manhattan", enlarged("breast_cancer", kmeans(4))),
    "randhie, k-means, 6": ("report", "euclidean", enlarged("randhie", kmeans(6), columns=HEALTH)),
    "anes96, mixture, 3": ("report", "euclidean", enlarged("anes96", mixture(3), columns=VOTERS)),
    "Gaussians, 8": ("report", "euclidean", groups([1 / k for k in range(1, 9)], 5, 2)),
    "square, k-means, 5": ("report", "euclidean", square),
    "log-normal, 3": ("report", "euclidean", log_normal),
    "core and shell": ("report", "euclidean", core_and_shell),
}


def studied(keys: tuple[str, ...] | None = None) -> list[Measure]:
    """The measures of the study: those with intervals, and those that single points decide."""
    records = cv.measures.select(list(keys) if keys else None, kind="internal")
    return [x for x in records if not x.no_interval or x.key in EXTREME]


def population_value(record: Measure, whole: cv.Geometry, n: int = 0) -> float:
    """The value of a measure in a population; of a sum over points that of n of them."""
    drawn = record.family == "indices" and "pairs" in record.parameters
    value = float(record.evaluate(whole, **({"pairs": PAIRS} if drawn else {})).value)
    return value * n / whole.n if record.sized else value


def most_samples(record: Measure, samples: int) -> int:
    """How many samples a measure has."""
    if record.no_interval:
        return min(FEWER, samples)
    return min(FEW, samples) if record.key in SLOW else samples


def simulate(job: tuple[str, tuple[str, ...] | None, tuple[int, ...], int, int]) -> Tallies:
    """How many samples each measure and group has, and how many intervals hold the value."""
    name, keys, sizes, samples, least_groups = job
    leaving.GROUPS = least_groups
    _, metric, make = POPULATIONS[name]
    rng = np.random.default_rng([7, *name.encode()])
    points, labels = make(rng)
    records = studied(keys)
    found: Tallies = defaultdict(lambda: [0, 0])
    with threadpool_limits(1):
        whole = cv.Geometry(points, labels, metric)
        truth = {record.key: population_value(record, whole, 1) for record in records}
        for n in sizes:
            for sample in range(samples):
                kept = np.sort(rng.choice(NUMBER, n, replace=False))
                geometry = whole.part(kept)
                some = [
                    record
                    for record in records
                    if np.isfinite(truth[record.key]) and sample < most_samples(record, samples)
                ]
                values = [record.evaluate(geometry).value for record in some]
                made = inner_intervals(geometry, some, values, random_state=rng)
                group = inner_group_of(geometry.sizes, inner_interval.are_apart(geometry))
                for record, interval in zip(some, made, strict=True):
                    if np.isnan(interval.low):  # no value, and so no interval
                        continue
                    value = truth[record.key] * (n if record.sized else 1)
                    tally = found[record.key, group]
                    tally[0] += 1
                    tally[1] += value in interval
    return dict(found)


def study(
    half: str,
    keys: tuple[str, ...] | None,
    sizes: tuple[int, ...],
    samples: int,
    jobs: int,
    least_groups: int,
) -> dict[str, dict[str, tuple[float, float, int]]]:
    """The mean and least coverage over populations, and their number, by measure and group."""
    names = [name for name, (own, *_) in POPULATIONS.items() if half in ("all", own)]
    work = [(name, keys, sizes, samples, least_groups) for name in names]
    shares: dict[tuple[str, str], list[float]] = defaultdict(list)
    with ProcessPoolExecutor(jobs) as pool:
        for job, tallies in zip(work, pool.map(simulate, work), strict=True):
            print(job[0], flush=True)
            for (key, group), (number, held) in tallies.items():
                if number >= min(ENOUGH, samples / 2):
                    shares[key, group].append(held / number)
    found: dict[str, dict[str, tuple[float, float, int]]] = {x.key: {} for x in studied(keys)}
    for (key, group), values in sorted(shares.items()):
        mean, least = round(float(np.mean(values)), 3), round(min(values), 3)
        found[key][group] = (mean, least, len(values))
    return found


def as_markdown(found: dict[str, dict[str, tuple[float, float, int]]]) -> str:
    """A table for each kind of clusters, the easiest first."""
    lines = []
    for apart, smallest in product((1, 0), range(len(SMALLEST), 0, -1)):
        few = "at least" if smallest == len(SMALLEST) else "fewer than"
        told = "centroids told apart" if apart else "centroids not told apart"
        lines += ["", f"Smallest cluster of {few} {SMALLEST[-1]} points, {told}:", ""]
        lines += [f"| measure | {' | '.join(f'{n:,}' for n in SIZES)} |"]
        lines += ["|---" * (len(SIZES) + 1) + "|"]
        for key, held in found.items():
            cells = [held.get(f"{size}/{smallest}/{apart}") for size in range(1, len(POINTS) + 1)]
            shown = [f"{100 * x[0]:.0f} ({100 * x[1]:.0f})" if x else "" for x in cells]
            if any(shown):
                refused = " (refused)" if cv.measures[key].no_interval else ""
                lines.append(f"| {key}{refused} | {' | '.join(shown)} |")
    return "\n".join(lines)


def main() -> None:
    """Run the study, print its tables, and write them where asked."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--half", choices=("choose", "report"), default="report")
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--groups", type=int, default=leaving.GROUPS)
    parser.add_argument("--measures", help="separated by commas; all by default")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="into the package")
    options = parser.parse_args()
    keys = tuple(options.measures.split(",")) if options.measures else None
    found = study(options.half, keys, SIZES, options.samples, options.jobs, options.groups)
    print(as_markdown(found), flush=True)
    if options.write:
        path = ROOT / "src" / "clustervet" / "inference" / "inner_calibration.json"
        if keys:
            found = json.loads(path.read_text(encoding="utf-8")) | found
        kept = {
            record.key: found[record.key]
            for record in studied()
            if record.key in found and not record.no_interval
        }
        rows = ",\n".join(f" {json.dumps(key)}: {json.dumps(held)}" for key, held in kept.items())
        path.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
