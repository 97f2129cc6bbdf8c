"""How smoothing by neighbours was chosen, and how its bounds change with the split.

    python studies/neighbour_smoothing.py --data DIR [--journal DIR] [--jobs N]

The number of neighbours and the number of values that a row keeps were chosen on one set,
cmu-different-1000, by the mean bound over six random halves (language Algo, six algorithms, 2 to 6
clusters, five runs). This is the first table. The second table shows the same for five disjoint
draws of 100 documents per class from that set, where there are few documents to find neighbours
among. The third table uses sets that played no part in the choice, in full, over twenty random
halves. DIR holds the corpora of docs/corpora.md. A journal keeps the fits of
`clustervet lab text --neighbours 10`, which the third table can reuse.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from math import log2
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from clustervet.clusterers import NeighbourSmoothing
from clustervet.datasets.corpora import load_corpus
from clustervet.fitting.algorithms import read_algorithms
from clustervet.fitting.fits import seeds_of
from clustervet.fitting.preparation import TfIdf
from clustervet.pacmdl import bmax
from clustervet.selection import select

CHOSEN_ON = "cmu-different-1000"
SETTINGS = ((0, None), (5, None), (10, None), (20, None), (10, 200), (10, 300), (20, 200))
UNSEEN = ("classic2", "classic3")
DELTA, RUNS, HALVES, DRAWS = 0.1, 5, 6, 5


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--journal", type=Path)
    parser.add_argument("--jobs", type=int)
    options = parser.parse_args()
    corpus = load_corpus(CHOSEN_ON, options.data)
    print(f"| {CHOSEN_ON}: neighbours | terms | bound | by algorithm |\n|---|---|---|---|")
    for setting in SETTINGS:
        print_row(*setting, [bounds(corpus.counts, corpus.labels, *setting)])
    print(f"\n| {DRAWS} draws of 100 per class | terms | bound | by algorithm |\n|---|---|---|---|")
    small = draws(corpus.counts, corpus.labels)
    for setting in SETTINGS[:5]:
        print_row(*setting, [bounds(*pool, *setting) for pool in small])
    print("\n| set, 20 random halves | smallest | mean | largest |\n|---|---|---|---|")
    with TemporaryDirectory() as fresh:
        for name in UNSEEN:
            rates = halves(name, options.data, options.journal or Path(fresh), options.jobs)
            row = f"{min(rates):.2%} | {np.mean(rates):.2%} | {max(rates):.2%}"
            print(f"| {name} | {row} |", flush=True)


def print_row(neighbours: int, terms: int | None, found: Sequence[dict[str, float]]) -> None:
    """Print one setting: the means over the pools."""
    means = {name: np.mean([rates[name] for rates in found]) for name in found[0]}
    best = means.pop("best")
    each = ", ".join(f"{name} {rate:.2%}" for name, rate in means.items())
    print(
        f"| {neighbours} | {'all' if terms is None else terms} | {best:.2%} | {each} |", flush=True
    )


def bounds(counts: Any, labels: Any, neighbours: int, terms: int | None) -> dict[str, float]:
    """Mean bounds over halves: the best of each algorithm, and the best of all."""
    tfidf = TfIdf()
    inputs = {False: tfidf.fit_transform(counts), True: counts.astype(float)}
    if neighbours:
        smoothing = {"neighbours": neighbours, "terms": terms}
        inputs = {
            False: NeighbourSmoothing(**smoothing).fit_transform(inputs[False]),
            True: NeighbourSmoothing(**smoothing, by=tfidf).fit_transform(inputs[True]),
        }
    clusterings = {
        (algorithm.name, k): [
            algorithm.made(k, seeds_of(0, algorithm.name, k, run)[0])
            .fit(inputs[algorithm.counts])
            .labels_
            for run in range(RUNS)
        ]
        for algorithm in read_algorithms(None)
        for k in range(2, 7)
    }
    rates: dict[str, list[float]] = {}
    for half in range(HALVES):
        mask = labelled(len(labels), half)
        best: dict[str, float] = {}
        for (name, k), runs in clusterings.items():
            errors = min(train_errors(labels[mask], found[mask]) for found in runs)
            bits = log2(6) + log2(10) + log2(k * (k - 1)) + k * log2(labels.max() + 1)
            test = int((~mask).sum())
            most = bmax(int(mask.sum()), test, errors, log2(DELTA) - bits)
            best[name] = min(best.get(name, 1.0), most / test)
        for name, rate in {**best, "best": min(best.values())}.items():
            rates.setdefault(name, []).append(rate)
    return {name: float(np.mean(values)) for name, values in rates.items()}


def labelled(total: int, half: int) -> Any:
    """The mask of a random half of the objects."""
    mask = np.zeros(total, bool)
    mask[np.random.default_rng([half, 500]).permutation(total)[: round(total / 2)]] = True
    return mask


def train_errors(labels: Any, clusters: Any) -> int:
    """Number of labelled objects without the majority label of their cluster."""
    table = np.zeros((clusters.max() + 1, labels.max() + 1), int)
    np.add.at(table, (clusters, labels), 1)
    return int(len(labels) - table.max(axis=1).sum())


def draws(counts: Any, labels: Any) -> list[tuple[Any, Any]]:
    """Disjoint draws of 100 documents per class, with words in at least three documents."""
    rng = np.random.default_rng(1)
    orders = [rng.permutation(np.flatnonzero(labels == c)) for c in range(labels.max() + 1)]
    found = []
    for draw in range(DRAWS):
        rows = np.concatenate([order[100 * draw : 100 * draw + 100] for order in orders])
        part = counts[rows]
        part = part[:, np.bincount(part.indices, minlength=part.shape[1]) >= 3]
        kept = np.diff(part.indptr) > 0
        found.append((part[kept], labels[rows][kept]))
    return found


def halves(name: str, folder: Path, journals: Path, jobs: int | None) -> list[float]:
    """The bound of the whole study for twenty halves; the fits do not depend on labels."""
    corpus = load_corpus(name, folder)
    return [
        select(
            corpus.counts,
            corpus.labels,
            labelled=labelled(len(corpus.labels), half),
            language="algo",
            weighting="tfidf",
            representations={"smoothed": {"neighbours": 10}},
            journal=journals / f"{name}.db",
            n_jobs=jobs,
        ).bound.rate
        for half in range(20)
    ]


if __name__ == "__main__":
    main()
