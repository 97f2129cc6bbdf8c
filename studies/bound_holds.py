"""How often the true test error exceeds the PAC-MDL bound, over random splits of real data.

    python studies/bound_holds.py [--splits 2000] [--delta 0.1] [--data DIR]

Three algorithms cluster each set without its labels, with 2 to 12 clusters, in five runs. Then
a random half of the objects is labelled, a new half for each split. Each language takes the
clustering with the lowest bound among those whose choice it pays for. The study prints the share
of splits in which the chosen clustering has more errors than its bound allows, the share in which
any of the candidates has (the theorem covers all of them at once), and the mean bound beside the
mean error. DIR may hold text corpora as .npz files (data, indices, indptr, shape, labels).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler, normalize

from clustervet.pacmdl import Description, languages, max_errors

NUMBERS = range(2, 13)
RUNS = 5
MOST_DOCUMENTS = 5_000
ALGORITHMS = ("kmeans", "spherical", "mixture")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--splits", type=int, default=2_000)
    parser.add_argument("--delta", type=float, default=0.1)
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    print("| data | language | chosen exceeds | any exceeds | mean bound | mean error |")
    print("|---|---|---|---|---|---|")
    for name, features, classes in sets(options.data):
        pool = Pool(features, classes)
        rows = np.array([pool.split(seed, options.delta) for seed in range(options.splits)])
        for key, found in zip(languages, rows.transpose(1, 2, 0), strict=True):
            chosen, anywhere, bound, error = found.mean(axis=1)
            print(
                f"| {name} | {key} | {chosen:.2%} | {anywhere:.2%} | {bound:.2%} | {error:.2%} |",
                flush=True,
            )


def sets(folder: Path | None) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Names, features and class codes of real data sets."""
    for load in (load_iris, load_wine, load_breast_cancer, load_digits):
        bunch = load()
        features = bunch.data if load is load_digits else StandardScaler().fit_transform(bunch.data)
        yield load.__name__.removeprefix("load_"), features, bunch.target
    for path in sorted(folder.glob("*.npz")) if folder else ():
        with np.load(path, allow_pickle=False) as file:
            if len(file["labels"]) > MOST_DOCUMENTS:
                continue
            parts = (file["data"], file["indices"], file["indptr"])
            words = TfidfTransformer(sublinear_tf=True).fit_transform(
                csr_matrix(parts, shape=tuple(file["shape"]))
            )
            _, classes = np.unique(file["labels"], return_inverse=True)
        yield path.stem, TruncatedSVD(50, random_state=0).fit_transform(words), classes


def clusterings(features: np.ndarray) -> Iterator[tuple[str, int, np.ndarray]]:
    """Algorithm, number of clusters and labels of every clustering."""
    unit = normalize(features)
    for number in NUMBERS:
        for run in range(RUNS):
            seed: dict[str, Any] = {"random_state": 100 * number + run}
            means = {"n_clusters": number, "n_init": 1, **seed}
            mixture = GaussianMixture(number, covariance_type="diag", reg_covar=1e-3, **seed)
            yield "kmeans", number, KMeans(**means).fit_predict(features)
            yield "spherical", number, KMeans(**means).fit_predict(unit)
            yield "mixture", number, mixture.fit_predict(features)


class Pool:
    """All clusterings of one set as one indicator matrix, so that a split needs one product."""

    def __init__(self, features: np.ndarray, classes: np.ndarray) -> None:
        self.labels = int(classes.max()) + 1
        self.truth = np.eye(self.labels, dtype=np.float32)[classes]
        found = list(clusterings(features))
        self.algorithms = np.array([algorithm for algorithm, _, _ in found])
        self.numbers = np.array([number for _, number, _ in found])
        columns, self.starts = [], [0]
        for _, _, pred in found:
            distinct, codes = np.unique(pred, return_inverse=True)
            columns.append(np.eye(len(distinct), dtype=np.float32)[codes])
            self.starts.append(self.starts[-1] + len(distinct))
        self.clusters = np.ascontiguousarray(np.hstack(columns).T)
        self.counts = self.clusters @ self.truth
        number = min(self.labels, max(NUMBERS))
        fixed = (self.algorithms == ALGORITHMS[0]) & (self.numbers == number)
        first = np.zeros(len(found), bool)
        first[np.flatnonzero(fixed)[0]] = True
        everything = np.ones(len(found), bool)
        self.candidates = {
            "simple": (first, {}),
            "init": (fixed, {"runs": RUNS}),
            "cluster": (self.algorithms == ALGORITHMS[0], {"runs": RUNS, "searched": True}),
        }
        self.all = everything, {"runs": RUNS, "searched": True, "algorithms": len(ALGORITHMS)}

    def split(self, seed: int, delta: float) -> list[tuple[float, float, float, float]]:
        """Per language: chosen exceeds, any exceeds, bound of the chosen, error of the chosen."""
        rng = np.random.default_rng(seed)
        n = len(self.truth)
        labelled = rng.permutation(n) < n // 2
        train = self.clusters @ (self.truth * labelled[:, None])
        test = self.counts - train
        # Random numbers below 0.4 break ties, and label clusters that have no labelled objects.
        assigned = (train + 0.4 * rng.random(train.shape, np.float32)).argmax(axis=1)
        rows = np.arange(len(assigned))
        sizes = int(labelled.sum()), int(n - labelled.sum())
        right = [
            np.add.reduceat(part[rows, assigned], self.starts[:-1]).astype(int)
            for part in (train, test)
        ]
        wrong, missed = sizes[0] - right[0], sizes[1] - right[1]
        found = []
        for key, language in languages.items():
            which, choices = self.candidates.get(key, self.all)
            bits = [
                language.bits(self.description(k, assigned, choices)) for k in np.flatnonzero(which)
            ]
            most = max_errors(
                wrong[which], bits, train_size=sizes[0], test_size=sizes[1], delta=delta
            )
            best, errors = int(most.argmin()), missed[which]
            exceeds = errors > most
            found.append(
                (exceeds[best], exceeds.any(), most[best] / sizes[1], errors[best] / sizes[1])
            )
        return found

    def description(self, k: int, assigned: np.ndarray, choices: dict[str, Any]) -> Description:
        """The description of one clustering with its labels."""
        labels = assigned[self.starts[k] : self.starts[k + 1]]
        return Description(
            clusters=len(labels),
            labels=self.labels,
            assignment=tuple(labels.tolist()),
            number=int(self.numbers[k]),
            **choices,
        )


if __name__ == "__main__":
    main()
