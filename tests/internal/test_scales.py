"""Features of any size, from 1e-300 to 1e300, give the values of features of a usual size."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import internal_data as data
import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import pairwise_distances
from threadpoolctl import threadpool_limits

import clustervet as cv
from clustervet import ClustervetError
from clustervet.errors import FeatureError
from clustervet.geometry.points import read_points, standardized

INTERNAL = [record.key for record in cv.measures.select(kind="internal")]
# The others are Euclidean whatever the metric.
OF_PAIRS = [key for key in INTERNAL if cv.measures[key].cost == "pairs"]
# Little work for measures that fit many models, and pairs that are drawn.
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "gap_statistic": [{"references": 3}],
    "validated_likelihood": [{"folds": 4}, {"folds": 4, "covariance": "tied"}],
    "log_likelihood": [{"covariance": c} for c in ("spherical", "diagonal", "tied", "full")],
    "bic": [{"regularization": 1e-3}],
    "silhouette": [{}, {"sample": 20}],
    "intra_inter_ratio": [{}, {"pairs": 30}],
    "intra_distance": [{}, {"pairs": 30}, {"pairs": 60, "draw": "simple"}],
    "medoid_distance": [{}, {"sample": 10}],
    "generalized_dunn": [
        {"between": b, "within": w}
        for b, w in (
            ("average", "centroid"),
            ("single", "diameter"),
            ("hausdorff", "average"),
            ("to_centroids", "average"),
            ("centroid", "diameter"),
        )
    ],
    "dbcv": [{"dimension": 3}],
}
METRICS = ["euclidean", "sqeuclidean", "cosine", "manhattan", "chebyshev"]
FOREIGN = ["minkowski", "canberra", "braycurtis", "correlation", "hamming"]
WITHOUT_UNIT = FOREIGN[1:]
LENGTHS = {"average_linkage", "complete_linkage", "inter_distance", "intra_distance",
           "medoid_distance", "single_linkage"}  # fmt: skip
POWERS = st.integers(-300, 300)
X, Y = data.gaussians([9, 12, 14], 3, seed=70)
FORMS: dict[str, Any] = {
    "dense": X,
    "wide": data.gaussians([9, 12, 14], 40, seed=71)[0],
    "sparse": sparse.csr_matrix(np.where((np.abs(X) < 3) & [False, False, True], 0.0, X)),
    "distances": pairwise_distances(X),
}


def _step(a: Any, b: Any) -> float:
    return float(np.abs(np.asarray(a) - np.asarray(b)).sum())


def outcomes(features: Any, labels: Any, keys: list[str], **data_options: Any) -> dict[str, Any]:
    """Values with their standard errors, or the sentences that refuse them."""
    geometry = cv.Geometry(features, labels, **data_options)
    found: dict[str, Any] = {}
    for key in keys:
        for options in OPTIONS.get(key, [{}]):
            try:
                value = getattr(cv, key)(geometry, **options)
            except ClustervetError as error:
                found[f"{key} {options}"] = (type(error), str(error))
            else:
                found[f"{key} {options}"] = (value, getattr(value, "standard_error", 0.0))
    return found


@cache
def usual(form: str, metric: str, dtype: str) -> dict[str, Any]:
    return outcomes(FORMS[form].astype(dtype), Y, keys_of(metric), metric=metric)


def keys_of(metric: str) -> list[str]:
    return INTERNAL if metric == "euclidean" else [*OF_PAIRS, "ssq"]


def power_of(key: str, metric: str, d: int = 1) -> int:
    """The power of the unit of the features that a measure's values have."""
    fixed = {"ssq": 2, "median_distance": 1, "ward_linkage": 1, "ball_hall": 2, "pbm": 2,
             "sd_index": -1, "marriott": 2 * d}  # fmt: skip
    if key in fixed or key not in LENGTHS:
        return fixed.get(key, 0)
    return {"sqeuclidean": 2, **dict.fromkeys(["cosine", *WITHOUT_UNIT], 0)}.get(metric, 1)


def expected(name: str, known: Any, factor: float, n: int, d: int, metric: str) -> Any:
    """What a value at the usual size becomes if features are multiplied by a factor."""
    value, error = known
    if isinstance(value, type):
        return known
    key, nats = name.partition(" ")[0], n * d * math.log(factor)
    if power := power_of(key, metric, d):
        size = math.log10(value) + power * math.log10(factor)
        # Near the ends of the floats it may be either.
        return None if 307 < abs(size) < 309 else (value, size)
    moved = {"log_likelihood": -nats, "bic": 2 * nats, "aic": 2 * nats}
    return value + moved.get(key, -nats / n if key == "validated_likelihood" else 0.0), error


def same(form: str, metric: str, factor: float, digits: float, dtype: str = "f8") -> None:
    """Features times a factor have the values that they should have."""
    features = FORMS[form].astype(dtype)
    scaled = features * features.dtype.type(factor)
    n, d = features.shape
    for name, got in outcomes(scaled, Y, keys_of(metric), metric=metric).items():
        known = usual(form, metric, dtype)[name]
        wanted = expected(name, known, factor, n, d, metric)
        if wanted is None:
            continue
        power = power_of(name.partition(" ")[0], metric, d)
        if isinstance(wanted[0], type):
            assert got == wanted, name
        elif power and abs(wanted[1]) > 307:
            assert got[0] is FeatureError, name
            assert "which no float can hold; multiply the features" in got[1]
        elif power:
            assert abs(math.log10(got[0]) - wanted[1]) < max(digits, 1e-12 * abs(wanted[1])), name
            if abs(wanted[1]) < 290:  # errors of the same digits, unless they are subnormal
                share = known[1] / known[0]
                assert math.isclose(got[1] / got[0], share, rel_tol=100 * digits), name
        else:
            if math.isnan(got[0]) and math.isnan(wanted[0]):  # no value at any size
                continue
            assert math.isclose(got[0], wanted[0], rel_tol=digits, abs_tol=digits), name
            assert math.isclose(got[1], wanted[1], rel_tol=digits, abs_tol=digits), name


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("form", ["dense", "wide", "sparse"])
@settings(max_examples=2)
@given(power=POWERS)
@example(-300)
@example(-162)
@example(300)
def test_features_of_any_size(form: str, metric: str, power: int) -> None:
    with threadpool_limits(1):
        same(form, metric, 10.0**power, 1e-9)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("form", ["dense", "wide", "sparse"])
@settings(max_examples=2)
@given(power=st.integers(-34, 35))
@example(-34)
@example(19)
@example(35)
def test_single_precision(form: str, metric: str, power: int) -> None:
    with threadpool_limits(1):
        same(form, metric, 10.0**power, 2e-4, "f4")


@pytest.mark.parametrize("metric", FOREIGN)
@pytest.mark.parametrize("power", [-300, 300])
def test_metrics_of_scikit_learn(metric: str, power: int) -> None:
    same("dense", metric, 10.0**power, 1e-9)


@settings(max_examples=6)
@given(power=POWERS)
@example(-300)
@example(300)
def test_distances_of_any_size(power: int) -> None:
    same("distances", "precomputed", 10.0**power, 1e-9)


@pytest.mark.parametrize("power", [-290, 290])
def test_a_function_reads_features_as_they_were_given(power: int) -> None:
    seen: list[float] = []

    def step(a: Any, b: Any) -> float:
        seen.append(float(np.abs(a).max()))
        return _step(a, b)

    huge = X * 10.0**power
    found = cv.silhouette(huge, Y, metric=step)
    assert math.isclose(found, cv.silhouette(X, Y, metric="manhattan"), rel_tol=1e-9)
    assert max(seen) == np.abs(huge).max()


def test_faults_of_huge_distances_are_named_in_their_unit() -> None:
    distances = pairwise_distances(X) * 1e250
    distances[4, 1] = distances[1, 4] = -5e249
    with pytest.raises(FeatureError, match=r"row 1, column 4 of X is -5e\+249"):
        cv.silhouette(distances, Y, metric="precomputed")


@pytest.mark.parametrize("size", [1e-162, 1e-170, 1e-300, 1e160, 1e300])
def test_a_silhouette_that_used_to_vanish(size: float) -> None:
    points = np.array([[0.0], [1.0], [10.0], [11.0]]) * size
    assert math.isclose(cv.silhouette(points, [0, 0, 1, 1]), 0.899749373433584, rel_tol=1e-12)


def test_powers_of_two_change_no_bit() -> None:
    # Logarithms of other numbers are rounded otherwise.
    nats = ("gap_statistic", "log_likelihood", "bic", "aic", "validated_likelihood")
    keys = [key for key in INTERNAL if key not in nats and not power_of(key, "euclidean")]
    wanted = outcomes(X, Y, keys)
    for exponent in (-900, -190, 190, 900):
        assert outcomes(np.ldexp(X, exponent), Y, keys) == wanted


def test_features_of_a_usual_size_are_not_touched() -> None:
    geometry = cv.Geometry(X, Y)
    assert geometry.exponent == 0
    assert geometry.points is X
    assert cv.Geometry(X * 1e58, Y).exponent == 0
    assert cv.Geometry(X * 1e-58, Y).exponent == 0


def test_the_size_is_that_of_the_points_that_are_kept() -> None:
    labels = np.append(Y, -1)
    wanted = cv.silhouette(X, Y)
    for size, outlier in ((1.0, 1e300), (1e-200, 1.0), (1e-300, 1e300)):
        points = np.vstack([X * size, np.full((1, 3), outlier)])
        found = cv.silhouette(points, labels, noise="drop")
        assert math.isclose(found, wanted, rel_tol=1e-9)


@pytest.mark.parametrize("thin", [False, True])
def test_cosines_of_rows_of_very_different_length(thin: bool) -> None:
    lengths = 10.0 ** np.resize([-250.0, -170.0, 0.0, 30.0], len(Y))
    points = X * lengths[:, None]
    for extra in (False, True):  # a row of zeros has no direction
        given_points = np.vstack([points, np.zeros((1, 3))]) if extra else points
        plain = np.vstack([X, np.zeros((1, 3))]) if extra else X
        labels = np.append(Y, 0) if extra else Y
        form = sparse.csr_matrix if thin else np.asarray
        for key in ("silhouette", "dunn", "intra_inter_ratio"):
            measure = getattr(cv, key)
            found = measure(form(given_points), labels, metric="cosine")
            wanted = measure(form(plain), labels, metric="cosine")
            assert math.isclose(found, wanted, rel_tol=1e-9), key


def moments(size: float, **options: Any) -> cv.Moments:
    frame = pl.DataFrame({"c": Y, **{f"x{j}": X[:, j] * size for j in range(3)}})
    names = ["x0", "x1", "x2"]
    return cv.cluster_moments(frame, label="c", features=names, **options)


@pytest.mark.parametrize("size", [1e-128, 1e-80, 1e80, 1e148])
def test_moments_of_any_size_that_engines_can_square(size: float) -> None:
    frame = pl.DataFrame({"c": Y, **{f"x{j}": X[:, j] * size for j in range(3)}})
    names = ["x0", "x1", "x2"]
    rows = cv.Rows(frame, "c", names)
    drawn = cv.sample_rows(frame, label="c", features=names, per_cluster=20)
    known = moments(size, cross=True, spreads=True)
    nats = Y.size * 3 * math.log(size)
    for metric in ("euclidean", "sqeuclidean"):
        geometry = cv.Geometry.from_moments(known, metric, rows=rows, sample=drawn)
        for key in ("calinski_harabasz", "hartigan", "davies_bouldin", "xie_beni",
                    "simplified_silhouette", "silhouette", "log_likelihood"):  # fmt: skip
            wanted = getattr(cv, key)(X, Y, metric)
            wanted -= nats if key == "log_likelihood" else 0.0
            assert math.isclose(getattr(cv, key)(geometry), wanted, rel_tol=1e-8), key
        assert math.isclose(cv.ssq(geometry), cv.ssq(X, Y) * size**2, rel_tol=1e-8)


@pytest.mark.parametrize("size", [1e-140, 1e-200, 1e-300])
def test_moments_too_small_to_square_are_refused(size: float) -> None:
    with pytest.raises(FeatureError, match="too small to square; multiply them by a constant"):
        moments(size)


def test_moments_whose_squares_sum_to_too_much_are_refused() -> None:
    frame = pl.DataFrame({"c": [0, 0, 1, 1], "x": [-9e149, 9e149, 1.0, 2.0], "w": [10**9] * 4})
    with pytest.raises(FeatureError, match="sum to more than a float can hold"):
        cv.cluster_moments(frame, label="c", features="x", weights="w")


@pytest.mark.parametrize("size", [1e-140, 1e-300])
def test_algorithms_refuse_what_they_cannot_square(size: float) -> None:
    for refused in (
        lambda: cv.tune("kmeans", X * size, values=[2, 3]),
        lambda: cv.select(X * size, Y),
        lambda: read_points(FORMS["sparse"] * size),
    ):
        with pytest.raises(FeatureError, match="too small to square; multiply X by a constant"):
            refused()


def test_single_precision_is_widened_before_algorithms_square_it() -> None:
    small = (X * 1e-30).astype(np.float32)
    assert read_points(small).dtype == np.float64
    assert read_points(X.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_columns_that_cannot_be_standardized_are_refused(form: Any) -> None:
    for size, words in ((1e-200, "too small .*; multiply"), (1e200, "too large .*; divide")):
        points = X.copy()
        points[:, 1] *= size
        with pytest.raises(FeatureError, match=f"column 1 of X is .*{words}"):
            standardized(form(points))
        with pytest.raises(FeatureError, match=f"column 1 of X|beyond 1e\\+150|{words}"):
            cv.tune("kmeans", form(points), values=[2, 3], standardize=True)


def test_numbers_beyond_any_float_are_refused() -> None:
    with pytest.raises(FeatureError, match="beyond any float"):
        cv.silhouette([[10**400], [1], [2]], [0, 0, 1])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_a_column_of_zeros_is_no_fault(form: Any) -> None:
    points = np.array([[0.0, 1], [0, 2], [0, 6]])
    found = standardized(form(points))
    found = found.toarray() if hasattr(found, "toarray") else found
    assert not found[:, 0].any()
    assert found[:, 1].std() == pytest.approx(1)
