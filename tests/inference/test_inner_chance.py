"""Chance for measures of features: random labels of the same points, and data without clusters."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans

import clustervet as cv
from clustervet.errors import ParameterError

RNG = np.random.default_rng(0)
NULL = "structureless"
Y = np.repeat([0, 1, 2], 10)
X = RNG.normal(size=(30, 2)) + 4 * Y[:, None]


@pytest.mark.parametrize("key", ["silhouette", "davies_bouldin", "calinski_harabasz", "dunn"])
def test_clusters_are_beyond_random_labels(key):
    found = cv.chance(key, X, Y, samples=199, random_state=0)
    assert found.value == cv.measures[key](X, Y)
    assert found.p_value == 1 / 200
    assert found.is_least
    assert found.verdict.startswith("That is beyond chance: p ≤ 0.005 (none of 199 random")
    assert (found.z > 0) == (cv.measures[key].better == "higher")


def test_expectation_and_p_value_are_those_of_all_orders():
    points, labels = [[0.0], [1.0], [2.5], [7.0], [8.5]], [0, 0, 0, 1, 1]
    every = [
        cv.silhouette(points, [0 if k in chosen else 1 for k in range(5)])
        for chosen in itertools.combinations(range(5), 3)
    ]
    found = cv.chance("silhouette", points, labels, samples=4_000, random_state=1)
    assert found.expected == pytest.approx(np.mean(every), abs=4 * np.std(every) / math.sqrt(4_000))
    assert found.spread == pytest.approx(np.std(every), rel=0.05)
    share = np.mean(np.array(every) >= found.value - 1e-12)
    assert found.p_value == pytest.approx(share, abs=4 * math.sqrt(share / 4_000))
    assert found.adjusted == pytest.approx((found.value - found.expected) / (1 - found.expected))


def test_p_values_of_random_labels_are_spread_evenly():
    rng = np.random.default_rng(2)
    values = []
    for seed in range(60):
        labels = rng.permutation(Y)
        asked = {"samples": 39, "ties": "random", "random_state": seed}
        values.append(cv.chance("calinski_harabasz", X, labels, **asked).p_value)
    assert abs(np.mean(values) - 0.5) < 4 * math.sqrt(1 / 12 / 60)
    assert np.mean(np.array(values) <= 0.1) < 0.3


def test_noise_and_missing_labels_stay_where_they_are():
    labels = Y.astype(object)
    labels[[0, 12]] = -1
    labels[5] = None
    asked = {"noise": "drop", "missing": "drop", "samples": 20, "random_state": 0}
    found = cv.chance("silhouette", X, labels, **asked)
    kept = np.delete(np.arange(30), [0, 12, 5])
    assert found.value == cv.silhouette(X[kept], Y[kept])
    same = cv.chance("silhouette", X[kept], Y[kept], samples=20, random_state=0)
    assert abs(found.expected - same.expected) < 4 * same.spread


def test_the_metric_is_passed_on_and_text_is_fine():
    named = np.array(["a", "b", "c"])[Y]
    asked = {"samples": 5, "random_state": 0}
    distances = np.abs(X[:, None] - X).sum(axis=2)
    one = cv.chance("silhouette", X, named, metric="manhattan", **asked)
    two = cv.chance("silhouette", distances, named, metric="precomputed", **asked)
    assert one.value == pytest.approx(two.value)
    assert one.expected == pytest.approx(two.expected)


def test_what_it_shows():
    found = cv.chance("silhouette", X, Y, samples=9, random_state=0)
    assert "beside 9 random labels of the same points" in str(found)
    assert found.model == "labels"
    assert cv.chance("ssq", X, Y, samples=9, random_state=0).adjusted <= 1


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: cv.chance("silhouette", X, Y, model="all"), "has the models 'sizes'"),
        (lambda: cv.chance("silhouette", X), "needs features and labels"),
        (lambda: cv.chance("silhouette", X, model=NULL), "needs features and labels"),
        (lambda: cv.chance("silhouette", X, Y, estimator=KMeans(3)), "model='structureless' alone"),
        (lambda: cv.chance("rand", Y, Y, estimator=KMeans(3)), "model='structureless' alone"),
        (lambda: cv.chance("silhouette", X, Y, model=NULL, estimator=3), "must have fit_predict"),
        (lambda: cv.chance("silhouette", X, Y, model=NULL, estimator=dict), "must have fit_pred"),
        (lambda: cv.chance("silhouette", csr_matrix(X), Y, model=NULL), "must be dense features"),
        (
            lambda: cv.chance(
                "dunn", np.ones((30, 30)) - np.eye(30), Y, metric="precomputed", model=NULL
            ),
            "must be dense features",
        ),
        (lambda: cv.chance("rand", Y, Y, model=NULL), "structureless"),
        (lambda: cv.chance("silhouette", X, Y, samples=0), "samples must be"),
    ],
)
def test_what_cannot_be_asked(call, said):
    with pytest.raises(ParameterError, match=said):
        call()


@pytest.mark.parametrize("key", ["silhouette", "calinski_harabasz", "davies_bouldin"])
def test_groups_that_are_apart_are_beyond_data_without_clusters(key):
    rng = np.random.default_rng(1)
    points = rng.normal(size=(90, 2)) + 8 * np.array([[0, 0], [1, 0], [0, 1]])[np.arange(90) % 3]
    found = cv.chance(key, points, np.arange(90) % 3, model=NULL, samples=150, random_state=0)
    assert (found.model, found.samples) == (NULL, 30)
    assert found.p_value == 1 / 31
    assert found.reference in str(found)
    said = "none of 30 clusterings of data without clusters"
    assert said in found.verdict


@pytest.mark.parametrize("shape", ["normal", "uniform", "exponential", "standard_t"])
def test_what_k_means_finds_in_one_group_is_not_beyond(shape):
    """Random labels never do as well; data without clusters do."""
    rng, alarms = np.random.default_rng(2), 0
    for seed in range(8):
        size = (80, 2 + seed % 2)
        points = (
            rng.standard_t(4, size) if shape == "standard_t" else getattr(rng, shape)(size=size)
        )
        labels = KMeans(3, n_init=3, random_state=seed).fit_predict(points)
        low = cv.chance("silhouette", points, labels, samples=19, random_state=seed)
        assert low.p_value == 1 / 20
        found = cv.chance("silhouette", points, labels, model=NULL, samples=100, random_state=seed)
        alarms += found.p_value <= 0.05
    assert alarms <= 1


def test_the_clusterer_of_the_labels_clusters_the_references():
    ward = AgglomerativeClustering(3)
    asked = {"model": NULL, "samples": 20, "random_state": 0}
    one = cv.chance("silhouette", X, Y, estimator=ward, **asked)
    two = cv.chance("silhouette", X, Y, estimator=lambda points: ward.fit_predict(points), **asked)
    assert one.to_dict() == two.to_dict()
    assert one.to_dict() != cv.chance("silhouette", X, Y, **asked).to_dict()
    # One cluster has no silhouette.
    none = cv.chance("silhouette", X, Y, estimator=DBSCAN(eps=1e9), **asked)
    assert (none.undefined, none.samples) == (4, 4)
    assert math.isnan(none.p_value)
    assert none.verdict == ""


def test_size_and_dropped_points_do_not_matter_to_references():
    asked = {"model": NULL, "samples": 20, "random_state": 0}
    labels = np.where(np.arange(30) % 10 == 0, -1, Y)
    kept = labels >= 0
    found = cv.chance("silhouette", X, labels, noise="drop", **asked)
    assert found.to_dict() == cv.chance("silhouette", X[kept], Y[kept], **asked).to_dict()
    tiny = cv.chance("ssq", np.ldexp(X, -300), Y, **asked)
    usual = cv.chance("ssq", X, Y, **asked)
    assert tiny.p_value == usual.p_value
    assert math.isclose(tiny.expected, math.ldexp(usual.expected, -600), rel_tol=1e-6)
