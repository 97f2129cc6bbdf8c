"""The harness of `benchmark` beside a plain loop over the same fits, on one core.

The least that any harness can take is the time of the fits themselves. What it adds: a copy of the
estimator with its seed, a contingency table and one measure per fit, and the tests of ranks.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_blobs
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

import clustervet as cv
from harness import Contender, Row, Scale, at_most, race

RUNS = 10
ALGORITHMS = {
    "kmeans": KMeans(n_init=10),
    "gmm": GaussianMixture(),
    "ward": AgglomerativeClustering(),
}


def run(scale: Scale) -> Iterator[Row]:
    """Seconds of both, which make the same fits."""
    data = {
        "iris": load_iris(return_X_y=True),
        "wine": load_wine(return_X_y=True),
        "cancer": load_breast_cancer(return_X_y=True),
        "digits": load_digits(return_X_y=True),
        "blobs": make_blobs(scale(2_000, 200), random_state=0),
    }
    ours, [peer] = race(
        scale,
        partial(cv.benchmark, data, ALGORITHMS, RUNS, n_jobs=1, progress=False),
        [Contender("a plain loop of scikit-learn's fits", partial(_loop, data))],
        summary=lambda value: None,
    )
    yield Row(
        what="benchmark: 5 data sets, 3 algorithms, 10 runs",
        size=f"n = {min(len(y) for _, y in data.values()):,} to "
        f"{max(len(y) for _, y in data.values()):,}",
        peer=peer.name,
        ours=ours.seconds,
        theirs=peer.seconds,
        goal=at_most(1.05),
    )


def _loop(data: dict[str, tuple[Any, Any]]) -> list[Any]:
    found = []
    with threadpool_limits(1):
        for points, y in data.values():
            many = len(set(y.tolist()))
            for estimator in ALGORITHMS.values():
                name = "n_components" if hasattr(estimator, "n_components") else "n_clusters"
                seeded = "random_state" in estimator.get_params()
                for seed in range(RUNS if seeded else 1):
                    own = {"random_state": seed} if seeded else {}
                    made = clone(estimator).set_params(**{name: many}, **own)
                    found.append(made.fit_predict(points))
    return found
