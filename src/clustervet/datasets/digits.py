"""Handwritten digits, clustered by several algorithms."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Clustered:
    """Features, known classes, and several clusterings.

    Parameters
    ----------
    features : ndarray of shape (n_objects, n_features)
        The features.
    truth : ndarray of int
        The known class of each object.
    predictions : dict of str to ndarray of int
        The clusterings by name.
    """

    features: NDArray[np.float64]
    truth: Labels
    predictions: dict[str, Labels]


def clustered_digits() -> Clustered:
    """Return the digits of scikit-learn, clustered in six ways.

    Returns
    -------
    Clustered
        1,797 digits of 8 x 8 pixels. HDBSCAN labels some of them as noise, -1; the other
        algorithms make ten clusters.
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
        warnings.simplefilter("ignore")  # such as that the graph of neighbours is not connected
        predictions = {
            name: np.asarray(algorithm.fit_predict(pixels), np.int64)
            for name, algorithm in algorithms.items()
        }
    return Clustered(pixels, np.asarray(held.target, np.int64), predictions)
