"""Criteria of "agglomerative methods" (Aggarwal 2015, 6.9.1) for a flat clustering.

The criterion of a clustering is the height at which the linkage would merge next.
"""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import Any

import internal_data as data
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import pdist, squareform

import clustervet as cv
from clustervet.errors import LabelError, ParameterError

X, _ = data.gaussians([20, 25, 15], 3, seed=85, apart=2.0)
LINKAGES = {
    "single": cv.single_linkage,
    "complete": cv.complete_linkage,
    "average": cv.average_linkage,
    "ward": cv.ward_linkage,
}


@pytest.mark.parametrize("method", LINKAGES)
@pytest.mark.parametrize("k", [2, 3, 7, 25, 59, 60])
def test_next_merge_of_a_tree_of_scipy(method: str, k: int) -> None:
    tree = linkage(X, method)
    labels = cut_tree(tree, n_clusters=k).ravel()
    assert len(np.unique(labels)) == k
    assert math.isclose(LINKAGES[method](X, labels), tree[len(X) - k, 2], rel_tol=1e-10)


@pytest.mark.parametrize("metric", ["cityblock", "chebyshev", "cosine", "sqeuclidean", "canberra"])
@pytest.mark.parametrize("method", ["single", "complete", "average"])
def test_next_merge_in_another_metric(method: str, metric: str) -> None:
    distances = pdist(X, metric)
    tree = linkage(distances, method)
    labels = cut_tree(tree, n_clusters=6).ravel()
    wanted = tree[len(X) - 6, 2]
    assert math.isclose(LINKAGES[method](X, labels, metric), wanted, rel_tol=1e-9)
    given_matrix = LINKAGES[method](squareform(distances), labels, "precomputed")
    assert math.isclose(given_matrix, wanted, rel_tol=1e-9)


def merge_cost(distances: np.ndarray, one: Any, other: Any, method: str) -> float:
    between = distances[np.ix_(one, other)]
    return float({"single": np.min, "complete": np.max, "average": np.mean}[method](between))


@pytest.mark.parametrize("method", ["single", "complete", "average"])
def test_any_clustering_by_trying_all_merges(method: str) -> None:
    """Labels that no tree has."""
    labels = np.random.default_rng(0).integers(0, 5, len(X))
    distances = squareform(pdist(X))
    groups = [np.flatnonzero(labels == k) for k in range(5)]
    wanted = min(merge_cost(distances, a, b, method) for a, b in combinations(groups, 2))
    assert math.isclose(LINKAGES[method](X, labels), wanted, rel_tol=1e-12)


def test_half_of_the_squared_ward_distance_is_the_least_rise_of_ssq() -> None:
    labels = np.random.default_rng(1).integers(0, 6, len(X))
    before = cv.ssq(X, labels)
    rises = [
        cv.ssq(X, np.where(labels == b, a, labels)) - before for a, b in combinations(range(6), 2)
    ]
    assert math.isclose(cv.ward_linkage(X, labels) ** 2 / 2, min(rises), rel_tol=1e-9)


def test_single_linkage_makes_its_criterion_as_large_as_possible() -> None:
    """All clusterings of 7 points into 3 clusters are tried."""
    for seed in range(2):
        points = np.random.default_rng(seed).normal(size=(7, 2))
        best = max(
            cv.single_linkage(points, labels)
            for labels in product(range(3), repeat=7)
            if labels[0] == 0 and set(labels) == {0, 1, 2} and labels.index(1) < labels.index(2)
        )
        cut = cut_tree(linkage(points, "single"), n_clusters=3).ravel()
        assert math.isclose(cv.single_linkage(points, cut), best, rel_tol=1e-12)


@settings(max_examples=20)
@given(
    seed=st.integers(0, 2**32),
    sizes=st.lists(st.integers(1, 9), min_size=2, max_size=5),
    metric=st.sampled_from(["euclidean", "manhattan", "cosine", "sqeuclidean"]),
)
def test_single_at_most_average_at_most_complete(seed: int, sizes: list[int], metric: str) -> None:
    points, labels = data.gaussians(sizes, 3, seed=seed)
    single, average, complete = (
        LINKAGES[method](points, labels, metric) for method in ("single", "average", "complete")
    )
    assert single <= average * (1 + 1e-9)
    assert average <= complete * (1 + 1e-9)


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), sizes=st.lists(st.integers(2, 9), min_size=2, max_size=5))
def test_splitting_a_cluster_never_raises_single_linkage(seed: int, sizes: list[int]) -> None:
    points, labels = data.gaussians(sizes, 2, seed=seed)
    split = labels.copy()
    split[np.flatnonzero(labels == 0)[0]] = 9
    assert cv.single_linkage(points, split) <= cv.single_linkage(points, labels)


@pytest.mark.parametrize("method", LINKAGES)
def test_one_cluster_has_no_next_merge(method: str) -> None:
    with pytest.raises(LabelError, match="at least 2 clusters, and there is 1"):
        LINKAGES[method](X, np.zeros(len(X)))


@pytest.mark.parametrize("method", LINKAGES)
def test_equal_clusters_merge_at_height_0(method: str) -> None:
    assert LINKAGES[method](np.ones((4, 2)), [0, 0, 1, 1]) == 0.0


def test_many_clusters() -> None:
    points = np.arange(4_100.0)[:, None] ** 1.1
    labels = np.arange(4_100)
    assert math.isclose(cv.single_linkage(points, labels), 1.0)
    assert math.isclose(cv.ward_linkage(points, labels), 1.0)
    for method in ("complete", "average"):
        with pytest.raises(ParameterError, match="up to 4,000 clusters"):
            LINKAGES[method](points, labels)


def test_extremes_are_found_once() -> None:
    """Dunn's index, single and complete linkage share one pass over the pairs."""
    g = cv.Geometry(X, np.arange(len(X)) % 4)
    assert g.extremes() is g.extremes(by_pair=True)
    many = cv.Geometry(X, np.arange(len(X)))
    first = many.extremes()
    assert many.extremes(by_pair=True) is many.extremes()
    np.testing.assert_array_equal(first.separation, many.extremes().separation)


def test_more_clusters_than_few_are_found_by_pair_when_asked() -> None:
    points = np.random.default_rng(2).normal(size=(150, 2))
    g = cv.Geometry(points, np.arange(150) // 2)
    plain = g.extremes()
    assert plain.nearest.size == 0
    both = g.extremes(by_pair=True)
    assert both.nearest.shape == (75, 75)
    assert g.extremes() is both


def test_tuning_does_not_choose_by_a_criterion_that_falls_with_every_cluster() -> None:
    found = cv.tune(
        "kmeans",
        X,
        values=range(2, 7),
        measures=["ssq", "single_linkage", "ward_linkage", "inter_distance"],
        random_state=0,
        references=0,
    )
    for key in ("single_linkage", "ward_linkage", "inter_distance"):
        assert found.choices[key].index is None
        assert "compare it at one number of clusters" in found.choices[key].why
    asked = cv.tune(
        "kmeans",
        X,
        values=range(2, 7),
        measures=["ward_linkage"],
        rules={"ward_linkage": "elbow"},
        random_state=0,
        references=0,
    )
    assert asked.choices["ward_linkage"].rule == "elbow"
