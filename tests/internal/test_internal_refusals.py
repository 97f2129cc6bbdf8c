"""Bad input gets one clear sentence that says what was given and what is wanted."""

from __future__ import annotations

import math
import re
from typing import Any

import internal_data as data
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import clustervet as cv
from clustervet import ClustervetError
from clustervet.errors import FeatureError, LabelError, ParameterError, UnknownMeasureError

X, Y = data.gaussians([4, 5, 6], 2, seed=40)
D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
INTERNAL = [record.key for record in cv.measures.select(kind="internal")]
# Defined for a single cluster, and for a cluster a point.
FOR_ONE = {"ssq", "log_likelihood", "bic", "aic", "validated_likelihood", "gap_statistic",
           "medoid_distance", "median_distance", "intra_distance", "ball_hall", "rubin",
           "scott_symons", "marriott"}  # fmt: skip


def changed(row: int, column: int, value: float, array: np.ndarray = X) -> np.ndarray:
    copy = array.copy()
    copy[row, column] = value
    return copy


def refuses(kind: type[Exception], pattern: str, *given: Any, **options: Any) -> None:
    """Geometry, a measure, per-point silhouettes and the score card refuse alike."""
    for door in (cv.Geometry, cv.silhouette, cv.ssq, cv.silhouettes, cv.internal_scores):
        if door is cv.ssq and options.get("metric") == "precomputed":
            continue
        with pytest.raises(kind, match=pattern) as caught:
            door(*given, **options)
        assert isinstance(caught.value, ClustervetError)
        sentence = str(caught.value)
        assert sentence.endswith((".", "?")), sentence
        assert "\n" not in sentence


FEATURES = {
    "NaN": (changed(7, 1, np.nan), r"row 7, column 1 is NaN"),
    "infinite": (changed(3, 0, np.inf), r"row 3, column 0 is infinite"),
    "minus infinite": (changed(3, 0, -np.inf), r"row 3, column 0 is infinite"),
    "NaN in a late row": (
        np.vstack([np.zeros((70_000, 20)), np.full((1, 20), np.nan)]), r"row 70000, column 0"),
    "float32 NaN": (changed(7, 1, np.nan, X.astype(np.float32)), r"row 7, column 1 is NaN"),
    "too large": (changed(2, 0, 1e300), r"1e\+300, too large to square beside row 0"),
    "one dimension": (X[:, 0], r"two dimensions.*reshape\(-1, 1\)"),
    "three dimensions": (X[None], r"two dimensions.*3"),
    "no points": (np.empty((0, 2)), r"\(0, 2\)"),
    "no features": (np.empty((15, 0)), r"\(15, 0\)"),
    "text in a list": ([[1.0, 2.0], [3.0, "n/a"]], r"row 1, column 1 is 'n/a'"),
    "text in an array": (np.array([["a", "b"]] * 15), r"row 0, column 0 is 'a'"),
    "unequal rows": ([[1.0, 2.0], [3.0]], r"rows of equal length"),
    "complex": (X + 1j, r"numbers"),
    "digits": (np.array([["1", "2"]] * 15), r"must hold real numbers, not <U1"),
    "rows of arrays": ([X[0], X[1], X[2, :1]], r"must have rows of equal length"),
    "dates": (X.astype("datetime64[s]"), r"numbers"),
    "None": (None, r"must be an array"),
    "a word": ("data.csv", r"must be an array"),
    "a mapping": ({"a": [1.0], "b": [2.0]}, r"must be an array"),
    "masked": (np.ma.masked_greater(X, 0), r"masked"),
    "sparse NaN": (sparse.csr_matrix(changed(7, 1, np.nan)), r"row 7, column 1 is nan"),
    "sparse without features": (sparse.csr_matrix((15, 0)), r"shape \(15, 0\); it needs"),
    "sparse complex": (sparse.csr_matrix(X + 1j), r"must hold numbers, not complex128"),
    "sparse too large": (sparse.csr_matrix(changed(7, 1, 1e300)), r"too large"),
    "pandas words": (pd.DataFrame({"size": X[:, 0], "city": ["Rome"] * 15}), r"column 'city'"),
    "pandas dates": (
        pd.DataFrame({"size": X[:, 0], "day": pd.date_range("2020-01-01", periods=15)}),
        r"column 'day'"),
    "pandas gap": (pd.DataFrame(changed(7, 1, np.nan), columns=["a", "b"]), r"'b'.*row 7"),
    "pandas names twice": (pd.DataFrame(X, columns=["a", "a"]), r"'?a'?.*(twice|2 times|unique)"),
    "polars words": (pl.DataFrame({"size": X[:, 0], "city": ["Rome"] * 15}), r"column 'city'"),
    "polars gap": (
        pl.DataFrame({"a": [1.0, None, 2.0], "b": [1.0, 2.0, 3.0]}), r"'a'.*row 1"),
    "polars NaN": (pl.DataFrame(changed(7, 1, np.nan), ["a", "b"]), r"row 7, column 1"),
    "arrow words": (pa.table({"size": X[:, 0], "city": ["Rome"] * 15}), r"column 'city'"),
    "hostile column": (
        pd.DataFrame({"a": X[:, 0], "\x1b[31mred\n": ["x"] * 15}), r"column '[^\x1b\n]*'"),
}  # fmt: skip


@pytest.mark.parametrize("name", FEATURES)
def test_features_that_are_no_points(name: str) -> None:
    features, pattern = FEATURES[name]
    length = 15
    if isinstance(features, (np.ndarray, list, pl.DataFrame)):
        length = len(features)
    refuses(FeatureError, pattern, features, (np.arange(length) % 2).tolist() or [0, 1])


DISTANCES = {
    "not square": (D[:, :9], r"square.*\(15, 9\)"),
    "asymmetric": (changed(2, 5, 99.0, D), r"symmetric; row 2, column 5 .* 99 "),
    "asymmetric late": (
        changed(14, 13, 99.0, D),
        r"symmetric; row 13, column 14|row 14, column 13",
    ),
    "negative": (
        changed(4, 1, -0.5, changed(1, 4, -0.5, D)),
        r"negative; row 1, column 4 .* -0\.5",
    ),
    "diagonal": (changed(6, 6, 0.25, D), r"itself must be 0; it is 0\.25 for point 6"),
    "NaN": (changed(2, 5, np.nan, D), r"row 2, column 5 is NaN"),
    "infinite": (changed(2, 5, np.inf, D), r"row 2, column 5 is infinite"),
    "sparse": (sparse.csr_matrix(D), r"dense"),
    "one dimension": (D[0], r"two dimensions"),
}


@pytest.mark.parametrize("name", DISTANCES)
def test_distances_that_are_none(name: str) -> None:
    matrix, pattern = DISTANCES[name]
    refuses(FeatureError, pattern, matrix, Y, metric="precomputed")


def test_distances_may_differ_from_their_mirror_by_rounding() -> None:
    rounded = changed(2, 5, D[2, 5] * (1 + 1e-15), D)
    found = cv.silhouette(rounded, Y, metric="precomputed")
    assert found == pytest.approx(cv.silhouette(X, Y), rel=1e-12)


LABELS = {
    "too few": (Y[:-2], r"\b15\b.*\b13\b|\b13\b.*\b15\b"),
    "too many": (np.append(Y, 0), r"\b15\b.*\b16\b|\b16\b.*\b15\b"),
    "two dimensions": (np.column_stack([Y, Y]), r"dimension"),
    "fractions": (Y + 0.5, r"whole"),
    "missing": ([None, *Y[1:].tolist()], r"missing label.*position 0"),
    "none at all": ([], r"."),
}


@pytest.mark.parametrize("name", LABELS)
def test_labels_that_do_not_fit(name: str) -> None:
    labels, pattern = LABELS[name]
    refuses(LabelError, pattern, X, labels)


@pytest.mark.parametrize("key", [key for key in INTERNAL if key not in FOR_ONE])
def test_fewer_than_two_clusters(key: str) -> None:
    with pytest.raises(LabelError, match=r"(two|2) clusters.*\b(1|one)\b"):
        getattr(cv, key)(X, np.zeros(15, dtype=int))
    card = cv.internal_scores(X, np.zeros(15, dtype=int), measures=[key])
    assert np.isnan(card[key])
    assert "cluster" in str(card)


@pytest.mark.parametrize(
    "key", ["silhouette", "simplified_silhouette", "calinski_harabasz", "intra_inter_ratio", "dunn"]
)
def test_as_many_clusters_as_points(key: str) -> None:
    with pytest.raises(LabelError, match=r"\b15\b"):
        getattr(cv, key)(X, np.arange(15))
    card = cv.internal_scores(X, np.arange(15), measures=[key])
    assert np.isnan(card[key])


@pytest.mark.parametrize("key", sorted(FOR_ONE))
def test_measures_of_a_single_cluster(key: str) -> None:
    assert np.isfinite(getattr(cv, key)(X, np.zeros(15, dtype=int)))


def test_silhouettes_refuse_one_cluster_and_one_for_each_point() -> None:
    with pytest.raises(LabelError, match=r"(two|2) clusters"):
        cv.silhouettes(X, ["only"] * 15)
    with pytest.raises(LabelError, match=r"\b15\b"):
        cv.silhouettes(X, np.arange(15))


@pytest.mark.parametrize("key", ["log_likelihood", "bic", "aic", "validated_likelihood"])
def test_singular_covariance_names_its_cluster(key: str) -> None:
    labels = np.array(["wide", "flat", "far"])[Y]
    flat = X.copy()
    flat[labels == "flat", 1] = 2 * flat[labels == "flat", 0]
    with pytest.raises(ClustervetError, match=r"'?flat'?.*regularization"):
        getattr(cv, key)(flat, labels)
    card = cv.internal_scores(flat, labels, measures=[key])
    assert np.isnan(card[key])
    assert "flat" in str(card)
    assert np.isfinite(getattr(cv, key)(flat, labels, regularization=0.01))
    assert np.isfinite(getattr(cv, key)(flat, labels, covariance="tied"))


def test_too_few_points_for_a_covariance_are_always_noticed() -> None:
    for seed in range(300):  # three points in three features: rounding alone makes it regular
        rng = np.random.default_rng(seed)
        points = rng.normal(size=(13, 3)) * rng.uniform(0.1, 10, 3)
        outcome = cv.measures["bic"].evaluate(cv.Geometry(points, [0] * 3 + [1] * 10))
        assert outcome.why is not None
        assert "singular" in outcome.why


def test_hostile_names_of_clusters_are_shown_safely() -> None:
    labels = np.array(["a", "b", "\x1b[31mred\n"], dtype=object)[Y]
    flat = X.copy()
    flat[Y == 2, 1] = 2 * flat[Y == 2, 0]
    with pytest.raises(ClustervetError) as caught:
        cv.log_likelihood(flat, labels)
    assert not re.search(r"[\x00-\x1f]", str(caught.value))


OPTIONS: dict[str, tuple[str, dict[str, Any], str]] = {
    "unknown metric": ("silhouette", {"metric": "euclidian"}, r"euclidean"),
    "metric of a wrong kind": ("silhouette", {"metric": 3}, r"metric"),
    "unknown covariance": ("log_likelihood", {"covariance": "diag"}, r"diagonal"),
    "negative regularization": ("log_likelihood", {"regularization": -1.0}, r"regularization.*-1"),
    "NaN regularization": ("bic", {"regularization": float("nan")}, r"regularization"),
    "unknown between": ("generalized_dunn", {"between": "mean"}, r"average"),
    "unknown within": ("generalized_dunn", {"within": "radius"}, r"diameter"),
    "no sample": ("silhouette", {"sample": 0}, r"sample.*0"),
    "negative sample": ("silhouette", {"sample": -5}, r"sample.*-5"),
    "fractional sample": ("silhouette", {"sample": 2.5}, r"sample.*2\.5"),
    "sample as text": ("silhouette", {"sample": "many"}, r"sample"),
    "no pairs": ("intra_inter_ratio", {"pairs": 0}, r"pairs.*0"),
    "one pair": ("intra_inter_ratio", {"pairs": 1}, r"pairs.*1"),
    "pairs as text": ("intra_inter_ratio", {"pairs": "some"}, r"pairs.*all"),
    "pairs drawn in another way": ("intra_inter_ratio", {"draw": "thirds"}, r"draw.*'halves'"),
    "no medoids to try": ("medoid_distance", {"sample": 1}, r"sample.*1"),
    "no references": ("gap_statistic", {"references": 0}, r"references"),
    "one fold": ("validated_likelihood", {"folds": 1}, r"folds.*1"),
    "random_state as text": ("silhouette", {"sample": 5, "random_state": "x"}, r"random_state"),
    "unknown option": ("silhouette", {"metrics": "cosine"}, r"metric"),
    "option of another measure": ("ssq", {"sample": 5}, r"sample"),
    "noise of a wrong kind": ("silhouette", {"noise": "forget"}, r"drop"),
    "missing of a wrong kind": ("silhouette", {"missing": "forget"}, r"drop"),
}  # fmt: skip


@pytest.mark.parametrize("name", OPTIONS)
def test_options_that_do_not_exist(name: str) -> None:
    key, options, pattern = OPTIONS[name]
    with pytest.raises(ParameterError, match=pattern) as caught:
        getattr(cv, key)(X, Y, **options)
    assert str(caught.value).endswith((".", "?"))


def test_metric_function_that_gives_no_distance() -> None:
    for bad in (lambda x, y: -1.0, lambda x, y: float("nan"), lambda x, y: "far"):
        with pytest.raises(ClustervetError, match="metric"):
            cv.silhouette(X, Y, metric=bad)


@pytest.mark.parametrize("metric", ["jaccard", "dice", "yule"])
def test_metric_of_yes_and_no_for_other_numbers(metric: str) -> None:
    with pytest.raises(
        FeatureError, match=f"metric {metric} compares features of 0 and 1, and .* 2"
    ):
        cv.silhouette([[0, 1], [1, 1], [2, 0], [1, 0]], [0, 0, 1, 1], metric=metric)


def test_error_of_a_metric_function_is_the_users_own() -> None:
    def broken(x: np.ndarray, y: np.ndarray) -> float:
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        cv.silhouette(X, Y, metric=broken)


@pytest.mark.parametrize(
    "key", [key for key in INTERNAL if key not in
            ("silhouette", "dunn", "generalized_dunn", "intra_inter_ratio", "dbcv",
             "intra_distance", "inter_distance", "medoid_distance", "single_linkage",
             "complete_linkage", "average_linkage", "macro_silhouette", "c_index",
             "baker_hubert_gamma", "kendall_tau", "point_biserial")]
)  # fmt: skip
def test_measures_of_features_need_features(key: str) -> None:
    with pytest.raises(ClustervetError, match=r"precomputed|distances"):
        getattr(cv, key)(D, Y, metric="precomputed")
    card = cv.internal_scores(D, Y, metric="precomputed", measures=[key])
    assert np.isnan(card[key])


def test_centroids_need_features_and_the_euclidean_metric() -> None:
    with pytest.raises(ClustervetError, match=r"euclidean.*precomputed"):
        cv.generalized_dunn(D, Y, metric="precomputed")
    with pytest.raises(ClustervetError, match=r"'to_centroids'.*euclidean.*manhattan"):
        cv.generalized_dunn(X, Y, between="to_centroids", within="average", metric="manhattan")


@pytest.mark.parametrize("key", ["log_likelihood", "bic", "aic", "validated_likelihood"])
def test_likelihoods_need_dense_features(key: str) -> None:
    with pytest.raises(ClustervetError, match=r"dense.*sparse"):
        getattr(cv, key)(sparse.csr_matrix(X), Y)


def test_more_folds_than_points_leave_out_one_at_a_time() -> None:
    every = cv.validated_likelihood(X, Y, covariance="tied", folds=15)
    assert cv.validated_likelihood(X, Y, covariance="tied", folds=99) == pytest.approx(every)


def test_unknown_measure_in_a_score_card() -> None:
    with pytest.raises(UnknownMeasureError, match="silhouette"):
        cv.internal_scores(X, Y, measures=["silhuette"])


def test_external_measure_in_an_internal_score_card() -> None:
    with pytest.raises(ClustervetError, match="rand"):
        cv.internal_scores(X, Y, measures=["rand"])


def test_geometry_and_labels_at_once() -> None:
    g = cv.Geometry(X, Y)
    with pytest.raises((ClustervetError, TypeError)):
        cv.silhouette(g, Y)
    with pytest.raises((ClustervetError, TypeError)):
        cv.silhouette(X)


def test_all_points_dropped_as_noise() -> None:
    with pytest.raises(LabelError, match="left"):
        cv.silhouette(X, np.full(15, -1), noise="drop")


def test_points_to_validate_by_are_dense_and_have_the_same_features() -> None:
    with pytest.raises(ClustervetError, match="validation must be dense, as X must be"):
        cv.validated_likelihood(X, Y, covariance="tied", validation=sparse.csr_matrix(X))
    with pytest.raises(ClustervetError, match="validation has 1 features, and X has 2"):
        cv.validated_likelihood(X, Y, covariance="tied", validation=X[:, :1])


def test_pairs_drawn_between_clusters_at_one_place_have_no_ratio() -> None:
    points = np.repeat([[0.0], [1.0]], 6, axis=0)
    labels = np.tile([0, 1], 6)
    geometry = cv.Geometry(points, labels)
    record = cv.measures["intra_inter_ratio"]
    drawn = [record.evaluate(geometry, pairs=4, random_state=seed) for seed in range(60)]
    assert "all pairs drawn between clusters are at distance 0" in {each.why for each in drawn}
    assert all(math.isnan(each.value) == bool(each.why) for each in drawn)


def test_a_variance_of_zero_names_its_feature_where_features_have_their_own() -> None:
    points = np.array([[0.0, 1.0], [0.5, 1.0], [5.0, 2.0], [6.0, 3.0]])
    labels = ["a", "a", "b", "b"]
    with pytest.raises(ClustervetError, match="the variance of cluster a in feature 1 is singular"):
        cv.log_likelihood(points, labels, covariance="diagonal")
    points[1] = points[0]
    with pytest.raises(ClustervetError, match="the variance of cluster a is singular"):
        cv.log_likelihood(points, labels, covariance="spherical")
