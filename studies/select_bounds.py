"""How tight the bounds of `select` are: the paper's languages, a held-out part, a baseline.

    python studies/select_bounds.py [--data DIR] [--splits 200] [--shares 0.05 0.1 0.2 0.5]

Clusterings of every set are made once, without labels. Then a share of the objects is labelled at
random, again and again, and every rule chooses a clustering and bounds its errors among the other
objects, at delta = 10%:

- algo, mixture: the lowest PAC-MDL bound under that language (Banerjee & Langford 2004).
- most accurate: the fewest errors on all labelled objects, with its PAC-MDL bound under algo.
- compression: the lowest sample-compression bound. One labelled object per cluster is enough to
  describe the labels of the clusters, which costs log2 C(m, c) bits for c of m objects.
- held out 1/3, 1/2, 2/3: this share of the labelled objects is kept back. The others label the
  clusters and choose the clustering with the fewest errors if each object is left out of the vote
  of its own cluster (or with the fewest errors, or with the lowest PAC-MDL bound). Those kept back
  bound its errors by the hypergeometric tail, without any bits.
- baseline: a classifier that learns from the other labelled objects, bounded in the same way by
  those kept back.

Per rule the study prints the share of splits in which the errors exceed the bound, the mean bound
and the mean error. The sets are in two halves: rules and shares were chosen on the first half, and
are reported on the second.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from math import comb, log2
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_blobs,
    make_moons,
)
from sklearn.preprocessing import StandardScaler

from clustervet.fitting.algorithms import read_algorithms
from clustervet.labels import read_labels
from clustervet.pacmdl import Description, bmax, languages
from clustervet.selection.candidates import Split
from clustervet.selection.predictors import Halves, classified
from text_clusterers import read

DELTA, RUNS = 0.1, 3
TEXT, NUMBERS = ("kmeans", "spherical", "soft_movmf"), ("kmeans", "ward", "gmm")
CHOICE = (
    "iris",
    "breast_cancer",
    "blobs, far",
    "moons",
    "classic2",
    "cmu-different-100",
    "cmu-same-1000",
    "science-300",
    "blobs, many",
    "ten-groups-300",
)
REPORT = (
    "wine",
    "digits",
    "blobs, near",
    "rings",
    "classic3",
    "cmu-similar-1000",
    "cmu-newsgroup-clean-100",
    "yahoo",
    "driving-300",
)
HELD_OUT = {"1/3": 1 / 3, "1/2": 1 / 2, "2/3": 2 / 3}


def main() -> None:
    """Print one table per half of the sets and share of labelled objects."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--splits", type=int, default=200)
    parser.add_argument("--trained", type=int, default=20, help="splits with a baseline")
    parser.add_argument("--shares", type=float, nargs="+", default=[0.05, 0.1, 0.2, 0.5])
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    print("| half | set | labelled | rule | exceeds | mean bound | mean error |")
    print("|---|---|---|---|---|---|---|")
    for half, names in {"chosen on": CHOICE, "reported on": REPORT}.items():
        for name in names:
            if options.only and name not in options.only:
                continue
            try:
                features, classes = made(name, options.data)
            except FileNotFoundError:
                continue
            pool = Pool(features, classes)
            for share in options.shares:
                found: dict[str, list[tuple[int, int]]] = {}
                for seed in range(options.splits):
                    for rule, pair in pool.split(share, seed, seed < options.trained).items():
                        found.setdefault(rule, []).append(pair)
                size = len(classes) - round(share * len(classes))
                for rule, pairs in found.items():
                    bound, error = np.array(pairs, float).T
                    print(
                        f"| {half} | {name} | {share:.0%} | {rule} | {np.mean(error > bound):.1%} "
                        f"| {bound.mean() / size:.2%} | {error.mean() / size:.2%} |",
                        flush=True,
                    )


def made(name: str, folder: Path | None) -> tuple[Any, np.ndarray]:
    """Features and classes of a set."""
    rng = np.random.default_rng(17)
    if name.startswith("blobs"):
        spread, centers = {"far": (1.0, 5), "near": (3.5, 5), "many": (3.5, 15)}[name.split()[1]]
        return make_blobs(1_000, 5, centers=centers, cluster_std=spread, random_state=1)
    if name == "moons":
        return make_moons(1_000, noise=0.15, random_state=1)
    if name == "rings":
        angle, ring = rng.uniform(0, 2 * np.pi, 900), np.repeat([0, 1, 2], 300)
        radius = 1.0 + 2 * ring + rng.normal(0, 0.2, 900)
        return np.c_[radius * np.cos(angle), radius * np.sin(angle)], ring
    bundled = {
        "iris": load_iris,
        "wine": load_wine,
        "breast_cancer": load_breast_cancer,
        "digits": load_digits,
    }
    if name in bundled:
        bunch = bundled[name]()
        return StandardScaler().fit_transform(bunch.data), bunch.target
    if folder is None:
        raise FileNotFoundError(name)
    return read(name, folder)


def clusterings(features: Any, classes: int) -> Iterator[tuple[int, np.ndarray]]:
    """Number of clusters and labels of every clustering."""
    numbers = (2, 3, 4, 5, 6, 8, 10) if classes < 10 else (5, 10, 15, 20, 25, 30)
    for algorithm in read_algorithms(TEXT if hasattr(features, "tocsr") else NUMBERS):
        for number in numbers:
            for run in range(RUNS if algorithm.seeds else 1):
                model = algorithm.made(number, 100 * number + run)
                if "n_init" in model.get_params():
                    model.set_params(n_init=1)
                yield number, model.fit_predict(features)


class Pool:
    """All clusterings of one set as one indicator matrix, so that a split needs few products."""

    def __init__(self, features: Any, classes: np.ndarray) -> None:
        self.features, self.classes = features, read_labels(classes)
        self.labels = int(classes.max()) + 1
        self.truth = np.eye(self.labels, dtype=np.float32)[classes]
        found = list(clusterings(features, self.labels))
        self.numbers = [number for number, _ in found]
        columns, self.starts = [], [0]
        for _, pred in found:
            distinct, codes = np.unique(pred, return_inverse=True)
            columns.append(np.eye(len(distinct), dtype=np.float32)[codes])
            self.starts.append(self.starts[-1] + len(distinct))
        self.clusters = np.ascontiguousarray(np.hstack(columns).T)
        self.counts = self.clusters @ self.truth

    def split(self, share: float, seed: int, train_too: bool) -> dict[str, tuple[int, int]]:
        """Bound and errors of the clustering that each rule chooses."""
        rng = np.random.default_rng([seed, 17])
        total = len(self.truth)
        order = rng.permutation(total)
        m = round(share * total)
        n = total - m
        train = self._table(order[:m])
        if train_too:
            baseline = self._trained(order, m, seed)
        wrong, missed, assigned = self._wrong(train, self.counts - train, rng)
        found: dict[str, tuple[int, int]] = {}
        for key in ("algo", "mixture"):
            most = [
                bmax(m, n, a, log2(DELTA) - self._bits(key, k, assigned))
                for k, a in enumerate(wrong)
            ]
            best = int(np.argmin(most))
            found[key] = most[best], missed[best]
            if key == "algo":
                accurate = int(np.argmin(wrong))
                found["most accurate"] = most[accurate], missed[accurate]
        found["compression"] = self._compressed(m, n, train, wrong, missed)
        for name, part in HELD_OUT.items():
            held = max(1, round(part * m))
            learnt, kept = self._table(order[held:m]), self._table(order[:held])
            errors, _, labels = self._wrong(learnt, learnt, rng)
            ways = {"leave one out": self._left_out(learnt)}
            if name == "1/2":
                ways["fewest errors"] = np.array(errors)
                ways["lowest bound"] = np.array(
                    [
                        bmax(m - held, n + held, a, log2(DELTA) - self._bits("algo", k, labels))
                        for k, a in enumerate(errors)
                    ]
                )
            for how, values in ways.items():
                best = int(np.argmin(values))
                rows = slice(self.starts[best], self.starts[best + 1])
                right = np.arange(rows.stop - rows.start), labels[rows]
                seen = held - int(kept[rows][right].sum())
                unseen = n - int((self.counts - learnt - kept)[rows][right].sum())
                found[f"held out {name}, {how}"] = bmax(held, n, seen, log2(DELTA)), unseen
        return found | ({"baseline": baseline} if train_too else {})

    def _trained(self, order: np.ndarray, m: int, seed: int) -> tuple[int, int]:
        """Bound and errors of the classifier that `select` trains, with one half held out."""
        masks = np.zeros((2, len(order)), bool)
        held = max(1, round(m / 2))
        masks[0, order[held:m]], masks[1, order[:held]] = True, True
        split, halves = Split(self.classes, masks.any(axis=0)), Halves(*masks)
        kind = "counts" if hasattr(self.features, "tocsr") else "none"
        one = classified(self.features, kind, split, halves, seed).predictor(split, DELTA, halves)
        return one.max_errors, one.test_errors or 0

    def _table(self, objects: np.ndarray) -> np.ndarray:
        return self.clusters[:, objects] @ self.truth[objects]

    def _wrong(self, train: Any, test: Any, rng: Any) -> tuple[list[int], list[int], np.ndarray]:
        """Errors of every clustering in two tables, and the labels of its clusters."""
        # Random numbers below 0.4 break ties, and label clusters that have no labelled objects.
        assigned = (train + 0.4 * rng.random(train.shape, np.float32)).argmax(axis=1)
        rows = np.arange(len(assigned))
        sums = [
            (np.add.reduceat(part.sum(axis=1) - part[rows, assigned], self.starts[:-1]))
            for part in (train, test)
        ]
        return sums[0].astype(int).tolist(), sums[1].astype(int).tolist(), assigned

    def _left_out(self, table: Any) -> np.ndarray:
        """Errors of every clustering if each object is left out of the vote of its own cluster."""
        ranked = np.sort(table, axis=1)
        top, second = ranked[:, -1], ranked[:, -2]
        lost = np.where(top - 1 < second, 1.0, np.where(top - 1 == second, 0.5, 0.0))
        return np.add.reduceat(table.sum(axis=1) - top + lost * top, self.starts[:-1])

    def _bits(self, key: str, k: int, assigned: np.ndarray) -> float:
        labels = assigned[self.starts[k] : self.starts[k + 1]]
        return languages[key].bits(
            Description(
                clusters=len(labels),
                labels=self.labels,
                assignment=tuple(labels.tolist()),
                number=self.numbers[k],
                runs=RUNS,
                algorithms=3,
                searched=True,
            )
        )

    def _compressed(
        self, m: int, n: int, train: Any, wrong: list[int], missed: list[int]
    ) -> tuple[int, int]:
        most = []
        for k, a in enumerate(wrong):
            c = int((train[self.starts[k] : self.starts[k + 1]].sum(axis=1) > 0).sum())
            number = self.numbers[k]
            bits = log2(comb(m, c)) + log2(3 * RUNS * number * (number - 1))
            most.append(n if c >= m else bmax(m - c, n, min(a, m - c), log2(DELTA) - bits))
        best = int(np.argmin(most))
        return most[best], missed[best]


if __name__ == "__main__":
    main()
