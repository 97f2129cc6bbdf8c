"""Sums of distances to medians, an objective of "k-representatives" (Aggarwal 2015, 6.9.1)."""

from __future__ import annotations

import math

import internal_data as data
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize_scalar
from scipy.stats import median_abs_deviation

import clustervet as cv
from clustervet.errors import FeatureError

X, Y = data.gaussians([5, 30, 64], 3, seed=84, apart=1.5)


def cluster(k: int) -> np.ndarray:
    labels = Y
    return X[labels == k]


def test_by_the_medians_of_numpy() -> None:
    groups = [cluster(k) for k in range(3)]
    wanted = sum(np.abs(own - np.median(own, axis=0)).sum() for own in groups)
    assert math.isclose(cv.median_distance(X, Y), wanted, rel_tol=1e-12)
    assert math.isclose(cv.measures["k_medians"](X, Y), wanted, rel_tol=1e-12)


def test_no_other_point_is_nearer_in_sum() -> None:
    """Each coordinate of the centre is free; scipy minimises the sum over it."""
    total = 0.0
    for k in range(3):
        for f in range(3):
            own = cluster(k)[:, f]
            found = minimize_scalar(
                lambda c, own=own: np.abs(own - c).sum(),
                bounds=(own.min(), own.max()),
                method="bounded",
                options={"xatol": 1e-12},
            )
            total += found.fun
    assert math.isclose(cv.median_distance(X, Y), total, rel_tol=1e-9)


def test_one_feature_is_the_mean_absolute_deviation_from_the_median() -> None:
    own = cluster(1)[:, :1]
    wanted = median_abs_deviation(own[:, 0], center=np.median, scale=1.0)
    deviations = np.abs(own[:, 0] - np.median(own[:, 0]))
    assert np.median(deviations) == wanted
    assert math.isclose(cv.median_distance(own, np.zeros(len(own))), deviations.sum())


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 0.7, 1.0])
def test_sparse_features_with_medians_of_zero_and_others(share: float) -> None:
    rng = np.random.default_rng(5)
    points = np.where(rng.random(X.shape) < share, 0.0, X + 2)
    points[:, 0] = np.where(np.arange(len(Y)) % 2, 0.0, points[:, 0])  # exactly half
    thin = sparse.csr_matrix(points)
    assert math.isclose(cv.median_distance(thin, Y), cv.median_distance(points, Y), rel_tol=1e-12)


def test_zeros_that_a_sparse_matrix_stores() -> None:
    thin = sparse.csr_matrix(X)
    thin.data[::3] = 0.0
    wanted = cv.median_distance(thin.toarray(), Y)
    assert math.isclose(cv.median_distance(thin, Y), wanted, rel_tol=1e-12)


def test_the_metric_does_not_matter() -> None:
    found = {cv.median_distance(X, Y, m) for m in ("euclidean", "manhattan", "sqeuclidean")}
    assert len(found) == 1


def test_distances_alone_are_refused() -> None:
    with pytest.raises(FeatureError, match="needs features, and only distances were given"):
        cv.median_distance(np.zeros((3, 3)), [0, 0, 1], "precomputed")


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), sizes=st.lists(st.integers(1, 14), min_size=1, max_size=4))
def test_free_centres_are_no_worse_than_medoids(seed: int, sizes: list[int]) -> None:
    points, labels = data.gaussians(sizes, 3, seed=seed)
    median = cv.median_distance(points, labels)
    medoid = cv.medoid_distance(points, labels, "manhattan")
    assert median <= medoid * (1 + 1e-12) + 1e-12
    assert medoid <= 2 * median * (1 + 1e-12) + 1e-12  # Kaufman & Rousseeuw: at most twice


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), sizes=st.lists(st.integers(2, 14), min_size=1, max_size=4))
def test_splitting_a_cluster_never_raises_it(seed: int, sizes: list[int]) -> None:
    points, labels = data.gaussians(sizes, 3, seed=seed)
    split = np.where((labels == 0) & (points[:, 0] > 0), 9, labels)
    before = cv.median_distance(points, labels)
    assert cv.median_distance(points, split) <= before * (1 + 1e-12)


def test_columns_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    from clustervet.internal import objectives

    wanted = cv.median_distance(X, Y)
    thin = cv.median_distance(sparse.csr_matrix(X), Y)
    monkeypatch.setattr(objectives, "BLOCK", 70)
    assert math.isclose(cv.median_distance(X, Y), wanted, rel_tol=1e-12)
    assert math.isclose(cv.median_distance(sparse.csr_matrix(X), Y), thin, rel_tol=1e-12)
