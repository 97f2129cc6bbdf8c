"""What every internal measure must respect, found through the registry, and a few identities."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import internal_data as data
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustervet as cv
from clustervet import ClustervetError

INTERNAL = cv.measures.select(kind="internal")
# Ties of mutual reachability leave the spanning trees of Moulavi et al. 2014 open, and the order
# of points decides, as in hdbscan.
ORDERED = {"dbcv"}
METRICS = ["euclidean", "sqeuclidean", "cosine", "manhattan"]
# City-block distances, or variances of features, which depend on the axes.
ALONG_AXES = {"median_distance", "sd_index", "s_dbw"}
# Values in the unit of the distance.
LENGTHS = {"average_linkage", "complete_linkage", "inter_distance", "intra_distance",
           "median_distance", "medoid_distance", "single_linkage", "ward_linkage"}  # fmt: skip


def records(claim: Callable[[cv.Measure], bool] = lambda record: True) -> pytest.MarkDecorator:
    chosen = [record for record in INTERNAL if claim(record)]
    return pytest.mark.parametrize("record", chosen, ids=lambda record: record.key)


Clustering = tuple[np.ndarray, np.ndarray]


@st.composite
def clusterings(draw: st.DrawFn, *, least: int = 14, most: int = 25) -> Clustering:
    """Two to four Gaussian groups, apart or not, with enough points for a covariance each."""
    k, d = draw(st.integers(2, 4)), draw(st.integers(1, 4))
    sizes = draw(st.lists(st.integers(least, most), min_size=k, max_size=k))
    apart = draw(st.sampled_from([0.0, 1.0, 5.0]))
    return data.gaussians(sizes, d, seed=draw(st.integers(0, 2**32)), apart=apart)


# Little work for measures that fit many models.
LITTLE = {"references": 5, "folds": 6}


def value(record: cv.Measure, features: Any, y: Any) -> float:
    """The measure's answer as the user gets it: an `Estimate` stays one."""
    little = {name: count for name, count in LITTLE.items() if name in record.parameters}
    return getattr(cv, record.key)(features, y, **little)


def alike(a: float, b: float, digits: float = 1e-8) -> bool:
    """The same number; two estimates need only agree within their errors."""
    if isinstance(a, cv.Estimate) and isinstance(b, cv.Estimate):
        slack = 6 * math.hypot(a.standard_error, b.standard_error)
        return abs(a - b) <= slack + digits * abs(a)
    if math.isnan(a) and math.isnan(b):  # no point is near a centroid, for one measure
        return True
    return math.isclose(a, b, rel_tol=digits, abs_tol=digits)


@records()
def test_record_tells_what_it_is_and_what_it_favours(record: cv.Measure) -> None:
    for field in ("title", "symbol", "family", "meaning", "equation", "reference", "use", "avoid"):
        assert str(getattr(record, field)).strip(), field
    assert record.better in ("higher", "lower")
    assert record.bounds[0] < record.bounds[1]
    assert not record.symmetric
    # Aggarwal 2015, 6.9.1: internal measures favour algorithms of their own kind; each says so.
    assert any(word in record.avoid.lower() for word in ("favour", "prefer", "bias", "reward")), (
        record.avoid
    )


@records()
@settings(max_examples=4)
@given(clustering=clusterings())
def test_value_lies_within_its_bounds(record: cv.Measure, clustering: Clustering) -> None:
    low, high = record.bounds
    found = value(record, *clustering)
    assert math.isnan(found) or low - 1e-12 <= found <= high + 1e-12


@records()
@settings(max_examples=4)
@given(clustering=clusterings(), seed=st.integers(0, 99))
def test_names_of_clusters_do_not_matter(
    record: cv.Measure, clustering: Clustering, seed: int
) -> None:
    features, y = clustering
    names = np.array(["zebra", "ant", "mole", "cat"])
    renamed = np.random.default_rng(seed).permutation(names)[y]
    assert alike(value(record, features, y), value(record, features, renamed))


@records(lambda record: record.key not in ORDERED)
@settings(max_examples=4)
@given(clustering=clusterings(), seed=st.integers(0, 99))
def test_order_of_points_does_not_matter(
    record: cv.Measure, clustering: Clustering, seed: int
) -> None:
    features, y = clustering
    order = np.random.default_rng(seed).permutation(len(y))
    assert alike(value(record, features, y), value(record, features[order], y[order]))


@records(lambda record: record.key in ORDERED)
@settings(max_examples=4)
@given(clustering=clusterings())
def test_only_the_order_within_clusters_can_matter(
    record: cv.Measure, clustering: Clustering
) -> None:
    features, y = clustering
    order = np.argsort(y, kind="stable")
    assert alike(value(record, features, y), value(record, features[order], y[order]))


@records()
@settings(max_examples=4)
@given(clustering=clusterings(), shift=st.sampled_from([-3.0, 1e3, 1e6]), seed=st.integers(0, 99))
def test_moving_and_turning_all_points_does_not_matter(
    record: cv.Measure, clustering: Clustering, shift: float, seed: int
) -> None:
    features, y = clustering
    d = features.shape[1]
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(d, d)))[0]
    found = value(record, features, y)
    assert alike(found, value(record, features + shift, y), 1e-7)
    if record.key not in ALONG_AXES:
        assert alike(found, value(record, features @ turn, y), 1e-6)


@records()
@settings(max_examples=4)
@given(clustering=clusterings(), factor=st.sampled_from([1e-6, 0.3, 7.0, 1e5]))
def test_units_of_features_change_what_they_must(
    record: cv.Measure, clustering: Clustering, factor: float
) -> None:
    features, y = clustering
    n, d = features.shape
    nats = -n * d * math.log(factor)
    changed = {
        **dict.fromkeys(["ssq", "ball_hall", "pbm"], lambda v: v * factor**2),
        "sd_index": lambda v: v / factor,
        "marriott": lambda v: v * factor ** (2 * d),
        "log_likelihood": lambda v: v + nats,
        "bic": lambda v: v - 2 * nats,
        "aic": lambda v: v - 2 * nats,
        "validated_likelihood": lambda v: v - d * math.log(factor),
        **dict.fromkeys(LENGTHS, lambda v: v * factor),
    }.get(record.key, lambda v: v)
    assert alike(changed(value(record, features, y)), value(record, features * factor, y), 1e-7)


@settings(max_examples=12)
@given(clustering=clusterings(), seed=st.integers(0, 99))
def test_splitting_a_cluster_lowers_the_sum_of_squares(clustering: Clustering, seed: int) -> None:
    features, y = clustering
    finer = np.where((y == 0) & (np.random.default_rng(seed).random(len(y)) < 0.5), 9, y)
    assert cv.ssq(features, finer) <= cv.ssq(features, y) * (1 + 1e-12)


def test_points_that_are_their_own_centroids_have_no_squares() -> None:
    points, y = data.gaussians([9, 9], 3, seed=60)
    assert cv.ssq(points, np.arange(18)) == 0
    equal = np.where((y == 0)[:, None], points[0], points[1])
    assert cv.ssq(equal, y) == 0
    assert cv.ssq(equal[y == 0], y[y == 0]) == 0


@settings(max_examples=12)
@given(clustering=clusterings())
def test_squares_within_and_between_make_the_total(clustering: Clustering) -> None:
    features, y = clustering
    n, k = len(y), len(np.unique(y))
    within, total = cv.ssq(features, y), cv.ssq(features, np.zeros(n))
    between = math.exp(cv.hartigan(features, y)) * within
    assert math.isclose(within + between, total, rel_tol=1e-10)
    wanted = (between / (k - 1)) / (within / (n - k))
    assert math.isclose(cv.calinski_harabasz(features, y), wanted, rel_tol=1e-10)


@settings(max_examples=12)
@given(clustering=clusterings())
def test_criteria_are_penalties_on_the_likelihood(clustering: Clustering) -> None:
    features, y = clustering
    for covariance in ("spherical", "diagonal", "tied", "full"):
        cost = -2 * cv.log_likelihood(features, y, covariance=covariance)
        half = (cv.aic(features, y, covariance=covariance) - cost) / 2
        assert math.isclose(half, round(half), rel_tol=1e-6)
        wanted = cost + round(half) * math.log(len(y))
        assert math.isclose(cv.bic(features, y, covariance=covariance), wanted, rel_tol=1e-9)


@settings(max_examples=12)
@given(clustering=clusterings())
def test_freer_covariances_are_likelier_within_clusters(clustering: Clustering) -> None:
    """One cluster: each model holds the one before it, so its best fit is at least as likely."""
    features, _ = clustering
    one = np.zeros(len(features))
    found = [
        cv.log_likelihood(features, one, covariance=c) for c in ("spherical", "diagonal", "full")
    ]
    assert found[0] <= found[1] + 1e-8
    assert found[1] <= found[2] + 1e-8
    tied = cv.log_likelihood(features, one, covariance="tied")
    assert math.isclose(tied, found[2], rel_tol=1e-9)


@pytest.mark.parametrize("metric", ["sqeuclidean", "cosine"])
@settings(max_examples=25)
@given(clustering=clusterings(least=1, most=12), shift=st.sampled_from([0.0, 3.0, 1e4]))
def test_silhouettes_without_pairs_equal_those_over_all_pairs(
    clustering: Clustering, metric: str, shift: float
) -> None:
    features, y = clustering
    if len(y) == len(np.unique(y)):
        return
    features = features + (shift if metric == "sqeuclidean" else 0.0)
    if metric == "sqeuclidean":
        distances = ((features[:, None] - features[None]) ** 2).sum(axis=2)
    else:
        unit = features / np.linalg.norm(features, axis=1, keepdims=True)
        distances = ((unit[:, None] - unit[None]) ** 2).sum(axis=2) / 2
    fast = cv.silhouettes(features, y, metric=metric)
    slow = cv.silhouettes(distances, y, metric="precomputed")
    np.testing.assert_allclose(fast.points, slow.points, rtol=1e-7, atol=1e-8)


@settings(max_examples=20)
@given(clustering=clusterings(least=2))
@pytest.mark.parametrize("metric", METRICS)
def test_overall_silhouette_is_the_mean_of_its_parts(clustering: Clustering, metric: str) -> None:
    features, y = clustering
    s = cv.silhouettes(features, y, metric=metric)
    assert len(s.points) == len(y)
    assert np.all((s.points >= -1) & (s.points <= 1))
    assert math.isclose(s.overall, s.points.mean(), rel_tol=1e-10, abs_tol=1e-12)
    assert math.isclose(s.overall, cv.silhouette(features, y, metric=metric), abs_tol=1e-12)
    sizes = np.bincount(y)
    weighted = sum(s.clusters[c] * sizes[c] for c in range(len(sizes))) / len(y)
    assert math.isclose(s.overall, weighted, rel_tol=1e-10, abs_tol=1e-12)
    assert all(nearest != label for nearest, label in zip(s.nearest, y, strict=True))


def outcome(record: cv.Measure, features: Any, y: Any) -> float | str:
    """A value, or the sentence that refuses one."""
    try:
        return value(record, features, y)
    except ClustervetError as error:
        return str(error)


@records()
def test_clusters_that_cannot_be_scored_say_so_and_never_crash(record: cv.Measure) -> None:
    """One cluster, a cluster a point, equal points: a number, nan or a clear sentence."""
    features = np.random.default_rng(0).normal(size=(12, 2))
    halves = np.arange(12) % 2
    for given_points, labels in (
        (features, np.zeros(12)),
        (features, np.arange(12)),
        (np.ones((12, 2)), halves),
        (np.ones((12, 2)), np.zeros(12)),
        (np.column_stack([halves, halves]), halves),
        (features[:1], [0]),
        (features[:2], [0, 1]),
        (features[:2], [0, 0]),
        (features[:3], [0, 0, 1]),
    ):
        found = outcome(record, given_points, labels)
        low, high = record.bounds
        if isinstance(found, str):
            assert found.endswith(".")
        else:
            assert math.isnan(found) or low - 1e-12 <= found <= high + 1e-12
