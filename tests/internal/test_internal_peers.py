"""scikit-learn and hdbscan give the same values where their own arithmetic holds."""

from __future__ import annotations

import math
import warnings

import internal_data as data
import internal_oracle as oracle
import numpy as np
import pytest
from hdbscan.validity import validity_index
from sklearn import metrics
from sklearn.mixture import GaussianMixture

import clustervet as cv
from clustervet import ClustervetError

# scikit-learn multiplies matrices of features as they are: far from the origin it has no digits.
NEAR = data.names(without="far")
COVARIANCES = {"spherical": "spherical", "diagonal": "diag", "tied": "tied", "full": "full"}


def same(ours: float, theirs: float, one: data.Case) -> bool:
    digits = 1e-5 if "float32" in one.flags else 1e-10
    return math.isclose(ours, theirs, rel_tol=digits, abs_tol=digits / 100)


def _features(one: data.Case) -> np.ndarray:
    return one.dense.astype(np.float64)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine", "manhattan"])
@pytest.mark.parametrize("name", NEAR)
def test_silhouettes_of_scikit_learn(name: str, metric: str) -> None:
    one = data.case(name)
    # Its distances of equal points are not 0 but 1e-8, and the digits that follow are lost.
    digits = 1e-7 if "repeated" in one.flags else 1e-5 if "float32" in one.flags else 1e-10
    s = cv.silhouettes(one.X, one.labels, metric=metric)
    theirs = metrics.silhouette_samples(_features(one), one.codes, metric=metric)
    np.testing.assert_allclose(s.points, theirs, rtol=digits, atol=digits)
    assert math.isclose(cv.silhouette(one.X, one.labels, metric=metric), theirs.mean(),
                        rel_tol=10 * digits)  # fmt: skip


@pytest.mark.parametrize("metric", ["canberra", "braycurtis", "minkowski", "chebyshev"])
def test_silhouette_in_any_metric_that_scikit_learn_names(metric: str) -> None:
    one = data.case("whole_numbers")
    theirs = metrics.silhouette_score(_features(one), one.codes, metric=metric)
    assert same(cv.silhouette(one.X, one.labels, metric=metric), theirs, one)


@pytest.mark.parametrize("metric", ["jaccard", "yule", "russellrao", "rogerstanimoto"])
def test_silhouette_in_metrics_of_yes_and_no(metric: str) -> None:
    rng = np.random.default_rng(3)
    labels = np.arange(60) % 3
    answers = rng.random((60, 8)) < 0.2 + 0.25 * labels[:, None]
    answers[:, 0] = True  # two points without any yes have no distance in some of these metrics
    theirs = metrics.silhouette_score(answers, labels, metric=metric)
    for given in (answers, answers.astype(float), answers.astype(int)):
        assert math.isclose(cv.silhouette(given, labels, metric=metric), theirs, rel_tol=1e-12)


@pytest.mark.parametrize("name", NEAR)
def test_calinski_harabasz_and_davies_bouldin_of_scikit_learn(name: str) -> None:
    one = data.case(name)
    theirs = metrics.calinski_harabasz_score(_features(one), one.codes)
    assert same(cv.calinski_harabasz(one.X, one.labels), theirs, one)
    theirs = metrics.davies_bouldin_score(_features(one), one.codes)
    assert same(cv.davies_bouldin(one.X, one.labels), theirs, one)


def test_scikit_learn_far_from_the_origin_is_not_the_judge() -> None:
    """At an offset of 10^8 its silhouette is off in the second digit; ours has ten."""
    one = data.case("far_from_the_origin")
    right = oracle.silhouette(oracle.Points(one.X, one.labels))
    theirs = metrics.silhouette_score(one.X, one.labels)
    assert abs(theirs - right) > 0.01
    assert math.isclose(cv.silhouette(one.X, one.labels), right, rel_tol=1e-10)


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize("name", ["blobs", "iris", "wine", "mixed_up", "whole_numbers"])
def test_likelihood_of_a_mixture_of_scikit_learn(name: str, covariance: str) -> None:
    one = data.case(name)
    features, y = _features(one), one.codes
    sizes = np.bincount(y)
    kind = COVARIANCES[covariance]
    model = GaussianMixture(one.k, covariance_type=kind)
    model.weights_ = sizes / len(y)
    model.means_ = np.array([features[y == c].mean(axis=0) for c in range(one.k)])
    full = np.array([np.cov(features[y == c].T, bias=True) for c in range(one.k)])
    variances = full.diagonal(axis1=1, axis2=2)
    model.covariances_ = {
        "spherical": variances.mean(axis=1),
        "diag": variances,
        "tied": np.tensordot(model.weights_, full, axes=1),
        "full": full,
    }[kind]
    if kind in ("spherical", "diag"):
        model.precisions_cholesky_ = 1 / np.sqrt(model.covariances_)
    else:
        model.precisions_cholesky_ = np.linalg.inv(np.linalg.cholesky(model.covariances_))
        model.precisions_cholesky_ = np.swapaxes(model.precisions_cholesky_, -1, -2)
    given = {"covariance": covariance}
    theirs = model.score_samples(features).sum()
    assert same(cv.log_likelihood(one.X, one.labels, **given), theirs, one)
    assert same(cv.bic(one.X, one.labels, **given), model.bic(features), one)
    assert same(cv.aic(one.X, one.labels, **given), model.aic(features), one)


def hdbscan_index(features: np.ndarray, labels: np.ndarray, **options: object) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it divides by 0 on its way
        return float(validity_index(np.asarray(features, dtype=np.float64), labels, **options))


@pytest.mark.parametrize("name", data.names(without="far alone"))
def test_density_validity_of_hdbscan(name: str) -> None:
    one = data.case(name)
    ours = cv.dbcv(one.X, one.labels)
    assert same(ours, hdbscan_index(one.dense, one.codes), one)


@pytest.mark.parametrize("metric", ["cityblock", "chebyshev", "cosine"])
def test_density_validity_of_hdbscan_in_another_metric(metric: str) -> None:
    for name in ("blobs", "whole_numbers", "wine"):
        one = data.case(name)
        ours = cv.dbcv(one.X, one.labels, metric=metric)
        assert same(ours, hdbscan_index(one.dense, one.codes, metric=metric), one)


def test_density_validity_of_hdbscan_for_given_distances() -> None:
    for name in ("blobs", "wine"):
        one = data.case(name)
        features = _features(one)
        matrix = np.sqrt(((features[:, None] - features[None]) ** 2).sum(axis=2))
        for dimension in (2, 5):
            ours = cv.dbcv(matrix, one.labels, metric="precomputed", dimension=dimension)
            theirs = hdbscan_index(matrix, one.codes, metric="precomputed", d=dimension)
            assert same(ours, theirs, one)
    with pytest.raises(ClustervetError, match="dimension"):
        cv.dbcv(matrix, one.labels, metric="precomputed")


def test_density_validity_of_hdbscan_with_noise() -> None:
    features, y = data.moons(120)
    noisy = np.where(np.arange(120) % 7 == 0, -1, y)
    ours = cv.dbcv(features, noisy)
    assert math.isclose(ours, hdbscan_index(features, noisy), rel_tol=1e-10)
    assert math.isclose(ours, oracle.dbcv(oracle.Points(features, noisy)), rel_tol=1e-10)
    # Noise counts in the weights, so leaving it out first gives more.
    left = noisy != -1
    assert math.isclose(cv.dbcv(features[left], noisy[left]) * left.mean(), ours, rel_tol=1e-10)


def test_density_validity_depends_on_the_order_of_points_as_in_hdbscan() -> None:
    """Mutual reachability ties, so spanning trees differ with the order, and the index with them.

    The paper does not say which tree it means; hdbscan takes the first of equals, and so do we.
    """
    one = data.case("blobs")
    found = []
    for seed in range(10):
        order = np.random.default_rng(seed).permutation(len(one.codes))
        features, labels = one.X[order], one.codes[order]
        found.append(cv.dbcv(features, labels))
        assert math.isclose(found[-1], hdbscan_index(features, labels), rel_tol=1e-10)
    assert max(found) - min(found) > 0.3


def test_density_validity_where_hdbscan_overflows() -> None:
    """In 120 dimensions the inverse distances to the power of 120 leave the range of floats."""
    features, y = data.gaussians([15, 20, 25], 120, seed=12, apart=0.5)
    right = cv.dbcv(features, y)
    for factor in (1e-6, 1e3):
        assert math.isclose(cv.dbcv(features * factor, y), right, rel_tol=1e-9)
        wrong = hdbscan_index(features * factor, y)
        assert math.isnan(wrong) or abs(wrong - right) > 1e-3


def test_density_validity_where_hdbscan_takes_small_for_equal() -> None:
    """It compares distances with a tolerance of 1e-8, so all of them tie in small units."""
    features, y = data.moons(120)
    right = cv.dbcv(features, y)
    assert abs(hdbscan_index(features * 1e-9, y) - right) > 0.1
    assert math.isclose(cv.dbcv(features * 1e-9, y), right, rel_tol=1e-9)
