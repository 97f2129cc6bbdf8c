"""Handwritten digits and what several algorithms make of them; importing it loads scikit-learn."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Clustered:
    """Features, the classes that are known, and clusterings by name."""

    features: NDArray[np.float64]
    truth: Labels
    predictions: dict[str, Labels]


def clustered_digits() -> Clustered:
    """The 1,797 digits that come with scikit-learn, 8 x 8 pixels each, clustered in six ways.

    HDBSCAN leaves digits out as noise, -1; the others make ten clusters.
    """
    from sklearn.cluster import (
        HDBSCAN,
        AgglomerativeClustering,
        Birch,
        KMeans,
        SpectralClustering,
    )
    from sklearn.datasets import load_digits
    from sklearn.mixture import GaussianMixture

    held = load_digits()
    pixels = np.asarray(held.data, np.float64)
    algorithms: dict[str, Any] = {
        "kmeans": KMeans(10, n_init=4, random_state=0),
        "ward": AgglomerativeClustering(10),
        "birch": Birch(n_clusters=10, threshold=20.0),
        "gaussian mixture": GaussianMixture(10, covariance_type="diag", random_state=0),
        "spectral": SpectralClustering(10, affinity="nearest_neighbors", random_state=0),
        "hdbscan": HDBSCAN(min_cluster_size=15, copy=True),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of neighbours' graphs in parts, and the like
        predictions = {
            name: np.asarray(algorithm.fit_predict(pixels), np.int64)
            for name, algorithm in algorithms.items()
        }
    return Clustered(pixels, np.asarray(held.target, np.int64), predictions)
