"""Every internal measure equals its definition, worked out exactly, on every set of points."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import internal_data as data
import internal_oracle as oracle
import numpy as np
import pytest

import clustervet as cv
from clustervet import ClustervetError

COVARIANCES = ["spherical", "diagonal", "tied", "full"]
BETWEEN = ["single", "complete", "average", "centroid", "to_centroids", "hausdorff"]
WITHIN = ["diameter", "average", "centroid"]
# Measures of distances alone: the metric matters, and a matrix of distances will do.
OF_DISTANCES = {
    "intra_inter_ratio": {},
    "intra_distance": {},
    "inter_distance": {},
    "medoid_distance": {},
    "single_linkage": {},
    "complete_linkage": {},
    "average_linkage": {},
    "dunn": {},
    "silhouette": {},
    "generalized_dunn": {"between": "hausdorff", "within": "average"},
    "macro_silhouette": {},
    "c_index": {},
    "baker_hubert_gamma": {},
    "kendall_tau": {},
    "point_biserial": {},
}
PLAIN = [key for key in oracle.MEASURES if key not in ("log_likelihood", "bic", "aic")]


@cache
def points(name: str, metric: Any = "euclidean") -> oracle.Points:
    one = data.case(name)
    return oracle.Points(one.X, one.labels, metric)


@cache
def exact(name: str, key: str, metric: Any = "euclidean", **parameters: Any) -> Any:
    return oracle.MEASURES[key](points(name, metric), **parameters)


def scored(key: str, *given: Any, **options: Any) -> float | None:
    """The measure's value; None where it is refused or undefined."""
    try:
        value = getattr(cv, key)(*given, **options)
    except ClustervetError:
        return None
    return None if math.isnan(value) else value


def agrees(ours: float | None, wanted: Any, one: data.Case) -> bool:
    """The same to ten digits, in float32 to five; a mean of signed terms may be near 0."""
    if ours is None or wanted is None:
        return ours is None and wanted is None
    digits = 1e-5 if "float32" in one.flags else 1e-8 if "apart" in one.flags else 1e-10
    return math.isclose(ours, float(wanted), rel_tol=digits, abs_tol=digits / 100)


@pytest.mark.parametrize("key", PLAIN)
@pytest.mark.parametrize("name", data.names())
def test_value_of_the_definition(name: str, key: str) -> None:
    one = data.case(name)
    assert agrees(scored(key, one.X, one.labels), exact(name, key), one)


@pytest.mark.parametrize("metric", ["sqeuclidean", "cosine", "manhattan", "chebyshev"])
@pytest.mark.parametrize("key", OF_DISTANCES)
@pytest.mark.parametrize(
    "name",
    ["blobs", "one_feature", "sixty_dimensions", "sparse_counts", "one_point_clusters",
     "every_point_three_times", "single_precision_wide"],
)  # fmt: skip
def test_value_in_another_metric(name: str, key: str, metric: str) -> None:
    one = data.case(name)
    wanted = exact(name, key, metric, **OF_DISTANCES[key])
    if metric == "chebyshev" and "sparse" in one.flags:
        wanted = None  # scikit-learn has it for dense features alone
    assert agrees(scored(key, one.X, one.labels, metric=metric, **OF_DISTANCES[key]), wanted, one)


@pytest.mark.parametrize("key", OF_DISTANCES)
@pytest.mark.parametrize("name", data.names(only="far"))
@pytest.mark.parametrize("metric", ["sqeuclidean", "manhattan"])
def test_far_points_keep_their_digits_in_other_metrics(name: str, key: str, metric: str) -> None:
    one = data.case(name)
    wanted = exact(name, key, metric, **OF_DISTANCES[key])
    assert agrees(scored(key, one.X, one.labels, metric=metric, **OF_DISTANCES[key]), wanted, one)


def crooked(x: np.ndarray, y: np.ndarray) -> float:
    """A distance that no library has."""
    return float(np.sqrt(np.abs(x - y)).sum())


@pytest.mark.parametrize("key", OF_DISTANCES)
@pytest.mark.parametrize("name", ["whole_numbers", "one_point_clusters"])
def test_value_for_a_function_of_two_points(name: str, key: str) -> None:
    one = data.case(name)
    wanted = exact(name, key, crooked, **OF_DISTANCES[key])
    assert agrees(scored(key, one.X, one.labels, metric=crooked, **OF_DISTANCES[key]), wanted, one)


@pytest.mark.parametrize("key", OF_DISTANCES)
@pytest.mark.parametrize("name", ["wine", "one_point_clusters", "equal_points_in_a_cluster"])
def test_value_for_given_distances(name: str, key: str) -> None:
    one = data.case(name)
    matrix = np.array([[float(x) for x in row] for row in points(name).D])
    wanted = exact(name, key, **OF_DISTANCES[key])
    for given in (matrix, matrix.copy(order="F")):
        ours = scored(key, given, one.labels, metric="precomputed", **OF_DISTANCES[key])
        assert agrees(ours, wanted, one)
    single = getattr(cv, key)(
        matrix.astype(np.float32), one.labels, metric="precomputed", **OF_DISTANCES[key]
    )
    assert math.isclose(single, wanted, rel_tol=1e-5)


@pytest.mark.parametrize("within", WITHIN)
@pytest.mark.parametrize("between", BETWEEN)
def test_every_generalized_dunn(between: str, within: str) -> None:
    for name in ("blobs", "one_point_clusters", "many_dimensions", "far_from_the_origin"):
        one = data.case(name)
        wanted = exact(name, "generalized_dunn", between=between, within=within)
        ours = cv.generalized_dunn(one.X, one.labels, between=between, within=within)
        assert agrees(ours, wanted, one), name


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize("key", ["log_likelihood", "bic", "aic"])
@pytest.mark.parametrize(
    "name",
    ["blobs", "blobs_in_ten_dimensions", "every_point_three_times", "equal_points_in_a_cluster",
     "constant_columns", "collinear", "far_from_the_origin", "groups_far_apart",
     "one_point_clusters", "single_precision", "one_feature", "mixed_up"],
)  # fmt: skip
def test_likelihood_and_its_criteria(name: str, key: str, covariance: str) -> None:
    one = data.case(name)
    wanted = exact(name, key, covariance=covariance)
    ours = scored(key, one.X, one.labels, covariance=covariance)
    assert agrees(ours, wanted, one)


@pytest.mark.parametrize("covariance", COVARIANCES)
@pytest.mark.parametrize(
    "name",
    ["one_point_clusters", "equal_points_in_a_cluster", "collinear", "constant_columns",
     "one_feature", "wine", "far_from_the_origin",
     "more_features_than_points"],
)  # fmt: skip
def test_regularized_likelihood(name: str, covariance: str) -> None:
    one = data.case(name)
    given = {"covariance": covariance, "regularization": 0.02}
    wanted = exact(name, "log_likelihood", **given)
    assert agrees(cv.log_likelihood(one.X, one.labels, **given), wanted, one)


@pytest.mark.parametrize("covariance", ["spherical", "diagonal"])
@pytest.mark.parametrize("name", data.names(only="wide", without="sparse"))
def test_likelihood_of_many_features(name: str, covariance: str) -> None:
    one = data.case(name)
    wanted = exact(name, "log_likelihood", covariance=covariance)
    assert agrees(scored("log_likelihood", one.X, one.labels, covariance=covariance), wanted, one)


@pytest.mark.parametrize("covariance", COVARIANCES)
def test_likelihood_of_points_left_out_one_by_one(covariance: str) -> None:
    features, y = data.gaussians([9, 11, 12], 2, seed=20, apart=2.0)
    wanted = oracle.leave_one_out_likelihood(oracle.Points(features, y), covariance)
    found = cv.validated_likelihood(features, y, covariance=covariance, folds=len(y))
    assert math.isclose(found, wanted, rel_tol=1e-10)
    ridge = oracle.leave_one_out_likelihood(oracle.Points(features, y), covariance, 0.1)
    found = cv.validated_likelihood(
        features, y, covariance=covariance, regularization=0.1, folds=len(y)
    )
    assert math.isclose(found, ridge, rel_tol=1e-10)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine", "manhattan"])
@pytest.mark.parametrize(
    "name",
    ["blobs", "one_point_clusters", "labels_of_text", "sparse_counts", "many_dimensions",
     "equal_points_in_a_cluster", "far_from_the_origin", "groups_far_apart"],
)  # fmt: skip
def test_silhouette_of_every_point_and_cluster(name: str, metric: str) -> None:
    if metric == "cosine" and name in data.names(only="far"):
        # Directions of points 10^8 away agree to sixteen digits: no float64 could tell them apart.
        return
    one = data.case(name)
    p = points(name, metric)
    wanted = np.array([float(x) for x in oracle.silhouette_points(p)])
    s = cv.silhouettes(one.X, one.labels, metric=metric)
    np.testing.assert_allclose(
        s.points, wanted, rtol=0, atol=1e-8 if "apart" in one.flags else 1e-10
    )
    assert agrees(s.overall, wanted.mean(), one)
    assert set(s.clusters) == set(p.names)
    for label, group in zip(p.names, p.groups, strict=True):
        assert agrees(s.clusters[label], wanted[group].mean(), one)


def test_nearest_other_cluster_of_every_point() -> None:
    for name in ("blobs", "one_point_clusters", "iris"):
        one, p = data.case(name), points(name)
        nearest = cv.silhouettes(one.X, one.labels).nearest
        assert len(nearest) == p.n
        for i in range(p.n):
            others = {
                label: oracle.mean([p.D[i][j] for j in group])
                for label, group in zip(p.names, p.groups, strict=True)
                if label != p.labels[i]
            }
            assert nearest[i] == min(others, key=others.__getitem__)


@pytest.mark.parametrize("k", [1, 3])
def test_gap_against_sets_without_clusters(k: int) -> None:
    features, y = data.gaussians([10, 15, 15, 20], 3, seed=21)
    y = np.minimum(y, k - 1)
    wanted = oracle.reference_dispersions(features, k, 100, seed=1)
    found = cv.gap_statistic(features, y, references=30, random_state=3)
    spread = wanted.std()
    middle = wanted.mean() - math.log(oracle.ssq(oracle.Points(features, y)))
    assert abs(found - middle) < 4 * spread * math.sqrt(1 / 30 + 1 / 100)
    assert math.isclose(found.standard_error, spread * math.sqrt(1 + 1 / 30), rel_tol=0.45)


def test_gap_of_flat_data_has_flat_references() -> None:
    """The box follows the principal axes: sets along a line are compared with a line."""
    one = data.case("collinear")
    wanted = oracle.reference_dispersions(one.dense, 3, 80, seed=2)
    middle = wanted.mean() - math.log(exact("collinear", "ssq"))
    found = cv.gap_statistic(one.X, one.labels, references=20)
    assert abs(found - middle) < 4 * wanted.std() * math.sqrt(1 / 20 + 1 / 80)


def test_every_registered_measure_has_its_definition_here() -> None:
    random = {"gap_statistic", "validated_likelihood"}
    ours = {record.key for record in cv.measures.select(kind="internal")}
    assert ours == set(oracle.MEASURES) | random
