"""TD, the sum of distances to medoids, which Mottin's slides name as an internal measure."""

from __future__ import annotations

import math
import tracemalloc
from itertools import product
from typing import Any

import internal_data as data
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris
from sklearn.metrics import pairwise_distances

import clustervet as cv

X, Y = data.gaussians([5, 30, 65], 3, seed=80, apart=1.5)
METRICS = ["euclidean", "cityblock", "chebyshev", "sqeuclidean", "cosine", "canberra"]


def by_trial(features: Any, labels: np.ndarray, metric: Any) -> float:
    """Every point of a cluster as its centre, by distances of scikit-learn."""
    total = 0.0
    for k in np.unique(labels):
        own = features[labels == k]
        total += pairwise_distances(own, metric=metric).sum(axis=0).min()
    return total


@pytest.mark.parametrize("metric", METRICS)
def test_every_point_tried_as_a_centre(metric: str) -> None:
    found = cv.medoid_distance(X, Y, metric)
    assert math.isclose(found, by_trial(X, Y, metric), rel_tol=1e-12)
    given_distances = cdist(X, X, metric)
    precomputed = cv.medoid_distance(given_distances, Y, "precomputed")
    assert math.isclose(found, precomputed, rel_tol=1e-12)


def test_the_best_choice_of_one_centre_per_cluster() -> None:
    """All choices of centres are tried together, as k-medoids does; its objective is TD."""
    points, labels = data.gaussians([3, 5, 6], 2, seed=81, apart=1.0)
    distances = cdist(points, points)
    places = [np.flatnonzero(labels == k) for k in range(3)]
    best = min(
        sum(distances[medoids[k], places[k]].sum() for k in range(3))
        for medoids in product(*places)
    )
    assert math.isclose(cv.medoid_distance(points, labels), best, rel_tol=1e-12)


def test_a_function_of_two_points() -> None:
    def odd(a: np.ndarray, b: np.ndarray) -> float:
        return float(np.sqrt(np.abs(a - b)).sum())

    assert math.isclose(cv.medoid_distance(X, Y, odd), by_trial(X, Y, odd), rel_tol=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine", "manhattan"])
def test_sparse_counts_with_empty_rows(metric: str) -> None:
    one = data.case("sparse_counts")
    wanted = by_trial(one.dense, one.codes, metric)
    if metric == "cosine":  # the distance of an empty row to itself is 0, not 1
        wanted = 0.0
        for k in range(one.k):
            own = pairwise_distances(one.dense[one.codes == k], metric=metric)
            np.fill_diagonal(own, 0.0)
            wanted += own.sum(axis=0).min()
    assert math.isclose(cv.medoid_distance(one.X, one.labels, metric), wanted, rel_tol=1e-9)


@pytest.mark.parametrize("wide", [False, True])
def test_clusters_of_every_size_in_blocks(wide: bool) -> None:
    """Blocks of points hold parts of a cluster, whole clusters, and both."""
    sizes = [1, 1, 2, 700, 3, 1, 40, 31, 33, 1, 600, 2]
    points, labels = data.gaussians(sizes, 40 if wide else 2, seed=82)
    wanted = by_trial(points, labels, "euclidean")
    assert math.isclose(cv.medoid_distance(points, labels), wanted, rel_tol=1e-10)


def test_clusters_of_two_points_each() -> None:
    points = np.random.default_rng(0).normal(size=(600, 2))
    apart = np.linalg.norm(points[::2] - points[1::2], axis=1).sum()
    assert math.isclose(cv.medoid_distance(points, np.arange(600) // 2), apart, rel_tol=1e-12)
    assert cv.medoid_distance(points, np.arange(600)) == 0.0


def test_iris() -> None:
    """By R, cluster::pam(iris[, 1:4], 3): the mean distance to the medoids is 0.6542077."""
    points = load_iris().data
    medoids = np.array([8, 79, 113]) - 1  # the medoids that pam names
    labels = cdist(points, points[medoids]).argmin(axis=1)
    assert math.isclose(cv.measures["td"](points, labels) / 150, 0.6542077, abs_tol=5e-7)


@settings(max_examples=20)
@given(
    seed=st.integers(0, 2**32),
    sizes=st.lists(st.integers(1, 12), min_size=1, max_size=4),
    metric=st.sampled_from(["euclidean", "manhattan", "chebyshev"]),
)
def test_between_the_mean_of_pairs_and_half_of_it(seed: int, sizes: list[int], metric: str) -> None:
    """The best centre is no worse than the mean one; detours by it are no shorter (triangles)."""
    points, labels = data.gaussians(sizes, 2, seed=seed)
    found = cv.medoid_distance(points, labels, metric)
    means = 0.0
    for k in range(len(sizes)):
        own = pairwise_distances(points[labels == k], metric=metric)
        means += own.sum() / len(own)
    assert means / 2 <= found * (1 + 1e-9) + 1e-12
    assert found <= means * (1 + 1e-9) + 1e-12


# Sampling


def drawn_sets(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Sets of other kinds than those by which the standard error was chosen."""
    rng = np.random.default_rng(10_000 + seed)
    labels = rng.integers(0, 3, 700)
    kinds = [
        rng.uniform(size=(700, 3)),
        rng.laplace(size=(700, 12)),
        rng.normal(size=(700, 2)) * np.repeat([1.0, 6.0], 350)[:, None],
        rng.beta(0.4, 0.4, size=(700, 6)),
    ]
    return kinds[seed % 4] + 3.0 * labels[:, None], labels


def test_sampled_values_are_never_too_low_and_their_intervals_cover() -> None:
    hits = []
    for seed in range(48):
        g = cv.Geometry(*drawn_sets(seed))
        exact = cv.medoid_distance(g)
        found = cv.medoid_distance(g, sample=120, random_state=seed)
        assert isinstance(found, cv.Estimate)
        assert found >= exact * (1 - 1e-12)
        assert found.sample == 120
        low, high = found.interval()
        hits.append(low <= exact <= high)
    assert np.mean(hits) >= 0.94


def test_more_points_tried_come_closer() -> None:
    g = cv.Geometry(*drawn_sets(0))
    exact = cv.medoid_distance(g)
    few, many = (
        [cv.medoid_distance(g, sample=m, random_state=s) for s in range(30)] for m in (20, 300)
    )
    assert np.mean(few) > np.mean(many) >= exact
    errors = [np.mean([e.standard_error for e in found]) for found in (few, many)]
    assert errors[0] > 5 * errors[1]


def test_all_points_tried_are_exact() -> None:
    exact = cv.medoid_distance(X, Y)
    for size in (len(Y), 10**6):
        found = cv.medoid_distance(X, Y, sample=size)
        assert math.isclose(found, exact, rel_tol=1e-12)
        assert found.standard_error == 0.0
        assert found.sample == len(Y)


def test_every_cluster_has_a_centre_however_few_points_are_drawn() -> None:
    found = cv.medoid_distance(X, Y, sample=2)
    assert found.sample == 6
    assert cv.medoid_distance(X, np.arange(len(Y)), sample=2) == 0.0


def test_the_mean_of_the_least_of_some_values() -> None:
    """Against all choices of 3 of 7 values, for the standard error."""
    from itertools import combinations

    from clustervet.internal.objectives import _mean_of_least

    values = np.sort(np.random.default_rng(1).normal(size=7))
    for count in range(1, 8):
        wanted = np.mean([min(chosen) for chosen in combinations(values, count)])
        assert math.isclose(_mean_of_least(values, count), wanted, rel_tol=1e-12)


def test_a_card_of_many_points_says_that_it_was_sampled() -> None:
    card = cv.internal_scores(X, Y, measures=["td"], sample=20)
    assert card["medoid_distance"] == cv.medoid_distance(X, Y, sample=20)
    assert "0.95 confidence interval of a value that was sampled" in str(card)


@pytest.mark.parametrize("wide", [False, True])
def test_no_matrix_of_points_by_points(wide: bool) -> None:
    points = np.random.default_rng(2).normal(size=(6_000, 40 if wide else 2))
    g = cv.Geometry(points, np.zeros(6_000, int))
    cv.medoid_distance(points[:100], np.zeros(100, int))  # compiles
    tracemalloc.start()
    try:
        cv.medoid_distance(g)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 6_000**2 * 8 / 4


def test_huge_sparse_clusters_are_read_by_rows() -> None:
    dense = np.random.default_rng(3).poisson(0.2, (300, 50)).astype(float)
    labels = np.arange(300) % 2
    found = cv.medoid_distance(sparse.csr_array(dense), labels)
    assert math.isclose(found, by_trial(dense, labels, "euclidean"), rel_tol=1e-9)
