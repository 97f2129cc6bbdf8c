"""Clusters of any shape: what silhouettes get wrong and density gets right.

Aggarwal 2015, section 6.9.1: for clusters such as those of Fig. 6.11, the right clustering can
have a lower silhouette than a wrong one by k-means, and points of it even a negative one.
"""

from __future__ import annotations

from functools import cache

import internal_data as data
import numpy as np
import pytest
from sklearn.cluster import KMeans

import clustervet as cv

SHAPES = {"rings": data.rings, "moons": data.moons, "spirals": data.spirals}
LIKE_K_MEANS = ["silhouette", "simplified_silhouette", "ssq", "calinski_harabasz",
                "davies_bouldin", "xie_beni", "hartigan"]  # fmt: skip


@cache
def clusterings(shape: str, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points, the right clusters, and those of k-means."""
    features, right = SHAPES[shape](300, seed=seed)
    return features, right, KMeans(2, n_init=3, random_state=seed).fit_predict(features)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(2))
def test_the_right_clustering_loses_by_silhouette_and_wins_by_density(
    shape: str, seed: int
) -> None:
    features, right, wrong = clusterings(shape, seed)
    assert cv.silhouette(features, right) < cv.silhouette(features, wrong) - 0.1
    assert cv.dbcv(features, right) > cv.dbcv(features, wrong) + 0.3


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("key", LIKE_K_MEANS)
def test_measures_of_round_clusters_prefer_k_means(shape: str, key: str) -> None:
    features, right, wrong = clusterings(shape)
    sign = {"higher": 1, "lower": -1}[cv.measures[key].better]
    assert sign * getattr(cv, key)(features, wrong) > sign * getattr(cv, key)(features, right)


def test_points_of_the_right_clustering_can_have_negative_silhouettes() -> None:
    features, right = data.rings(300)
    assert np.mean(cv.silhouettes(features, right).points < 0) > 0.2


@pytest.mark.parametrize("shape", SHAPES)
def test_noise_between_shapes_is_better_called_noise(shape: str) -> None:
    features, right = SHAPES[shape](300)
    rng = np.random.default_rng(5)
    strays = rng.uniform(features.min(axis=0), features.max(axis=0), (15, 2))
    both = np.vstack([features, strays])
    honest = np.append(right, np.full(15, -1))
    forced = np.append(right, rng.integers(0, 2, 15))
    assert cv.dbcv(both, honest) > cv.dbcv(both, forced)
