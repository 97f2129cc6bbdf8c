"""Handwritten digits, clustered by several algorithms; importing this loads scikit-learn."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Clustered:
    """Features, known classes, and clusterings by name.

    Parameters
    ----------
    features : ndarray of float
        One row per object.
    truth : ndarray of int
        Class of each object.
    predictions : dict
        Clusterings by the name of the algorithm.

    Examples
    --------
    >>> data = Clustered(np.zeros((2, 3)), np.array([0, 1]), {"one": np.array([0, 0])})
    >>> list(data.predictions)
    ['one']
    """

    features: NDArray[np.float64]
    truth: Labels
    predictions: dict[str, Labels]


def clustered_digits() -> Clustered:
    """Cluster the 1,797 digits of scikit-learn with six algorithms.

    Returns
    -------
    Clustered
        Pixels (8 × 8 per digit), true digits and six clusterings. HDBSCAN labels some digits as
        noise, -1; the others make ten clusters.

    Examples
    --------
    >>> data = clustered_digits()
    >>> data.features.shape, list(data.predictions)[:3]
    ((1797, 64), ['kmeans', 'ward', 'birch'])
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
        warnings.simplefilter("ignore")  # about graphs of neighbours that are not connected
        predictions = {
            name: np.asarray(algorithm.fit_predict(pixels), np.int64)
            for name, algorithm in algorithms.items()
        }
    return Clustered(pixels, np.asarray(held.target, np.int64), predictions)
