"""Measures of one soft clustering, alone and with the points."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import soft_oracle as oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.metrics import silhouette_samples
from sklearn.mixture import GaussianMixture
from test_soft_pairs import dirichlet, same, weights

import clustervet as cv
from clustervet.errors import FeatureError, LabelError, ParameterError
from clustervet.soft import SoftGeometry

INNER = cv.measures.select(kind="soft_internal")
OF_POINTS = ("fuzzy_xie_beni", "fuzzy_silhouette")


@st.composite
def points_and_weights(draw: st.DrawFn) -> tuple[list[list[int]], list[list[int]]]:
    rows = draw(weights())
    point = st.lists(st.integers(-9, 9), min_size=2, max_size=2)
    return draw(st.lists(point, min_size=len(rows), max_size=len(rows))), rows


def geometry_of(points: Any, rows: Any) -> SoftGeometry:
    return SoftGeometry(cv.Memberships(rows, normalize=True), points)


@settings(max_examples=100, deadline=None)
@given(rows=weights())
def test_sharpness_is_that_of_the_definition(rows: list[list[int]]) -> None:
    exact, geometry = oracle.exactly(rows), geometry_of(None, rows)
    for name in ("partition_coefficient", "modified_partition_coefficient", "partition_entropy"):
        assert same(cv.measures[name].evaluate(geometry).value, getattr(oracle, name)(exact)), name


@settings(max_examples=150, deadline=None)
@given(case=points_and_weights(), m=st.sampled_from([1, 2, 3]))
def test_xie_beni_is_that_of_the_definition(case: Any, m: int) -> None:
    points, rows = case
    exact = oracle.fuzzy_xie_beni(points, oracle.exactly(rows), m)
    value = cv.measures["fuzzy_xie_beni"].evaluate(geometry_of(np.array(points), rows), m=m).value
    # Centres that are equal by the definition may differ in their last digit.
    if exact in (None, math.inf) or exact > 1e9:
        assert math.isnan(value) or value > 1e9
    else:
        assert math.isclose(value, exact, rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize("alpha", [0, 1, 2.5])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "precomputed"])
def test_the_silhouette_is_that_of_scikit_learn_weighted(alpha: float, metric: str) -> None:
    rng = np.random.default_rng(0)
    points, degrees = rng.normal(size=(60, 3)), dirichlet(1, 60, 4)
    high = np.sort(degrees, axis=1)
    by = (high[:, -1] - high[:, -2]) ** alpha
    if metric == "precomputed":
        points = np.abs(points[:, None] - points).sum(axis=2)
    widths = silhouette_samples(points, degrees.argmax(axis=1), metric=metric)
    value = cv.fuzzy_silhouette(points, degrees, metric=metric, alpha=alpha)
    assert math.isclose(value, np.average(widths, weights=by), rel_tol=1e-12)


def test_of_hard_memberships_they_are_known_measures() -> None:
    rng = np.random.default_rng(2)
    points, labels = rng.normal(size=(40, 2)), rng.integers(0, 4, 40)
    for m in (1, 2, 7.5):
        ours = cv.fuzzy_xie_beni(points, labels, m=m)
        assert math.isclose(ours, cv.xie_beni(points, labels), rel_tol=1e-12)
    ours = cv.fuzzy_silhouette(points, labels)
    assert math.isclose(ours, cv.silhouette(points, labels), rel_tol=1e-12)
    assert cv.partition_coefficient(labels) == cv.modified_partition_coefficient(labels) == 1
    assert cv.partition_entropy(labels) == 0


@pytest.mark.parametrize("key", OF_POINTS)
@pytest.mark.parametrize("power", [-495, -300, 300, 495])
def test_scale_and_place_of_the_points_do_not_matter(key: str, power: int) -> None:
    rng = np.random.default_rng(3)
    points, degrees = rng.normal(size=(50, 3)), dirichlet(4, 50, 3)
    value = cv.measures[key](points, degrees)
    scaled = cv.measures[key](np.ldexp(points, power), degrees)
    assert math.isclose(scaled, value, rel_tol=1e-12)
    assert math.isclose(cv.measures[key](points + 1e6, degrees), value, rel_tol=1e-8)
    assert math.isclose(cv.measures[key](csr_array(points), degrees), value, rel_tol=1e-10)


def test_tiny_points_beside_a_large_mean_keep_their_digits() -> None:
    points = np.array([[0.0], [2], [10], [12]]) * 2.0**-30 + 1
    assert cv.fuzzy_xie_beni(points, [0, 0, 1, 1]) == 0.01


@pytest.mark.parametrize("record", INNER, ids=lambda record: record.key)
@settings(max_examples=40, deadline=None)
@given(case=points_and_weights(), data=st.data())
def test_the_record_holds(record: cv.Measure, case: Any, data: st.DataObject) -> None:
    points, rows = (np.array(side, float) for side in case)
    value, why = record.evaluate(geometry_of(points, rows))
    assert why if math.isnan(value) else record.bounds[0] <= value <= record.bounds[1]
    order = data.draw(st.permutations(range(len(rows))))
    columns = data.draw(st.permutations(range(rows.shape[1])))
    again = [(points[order], rows[order])]
    high = np.sort(rows, axis=1)[:, -2:]
    # Of two largest degrees the first one counts.
    if record.key != "fuzzy_silhouette" or (high[:, 0] < high[:, -1]).all():
        again.append((points, rows[:, columns]))
    for other in again:
        found = record.evaluate(geometry_of(*other)).value
        blown = max(abs(value), abs(found)) > 1e9  # centres that differ in their last digit
        assert blown or same(found, None if why else value)
    assert record.family == "fuzziness"
    assert all(getattr(record, name) for name in ("symbol", "reference", "use", "avoid"))


def test_memberships_of_a_mixture() -> None:
    """Sharper memberships and better fit for the number of groups that there are."""
    rng = np.random.default_rng(5)
    points = np.vstack([rng.normal(size=(80, 2)) + place for place in ([0, 0], [7, 0], [0, 7])])
    found = {}
    for k in (2, 3, 6):
        degrees = GaussianMixture(k, random_state=0, n_init=3).fit(points).predict_proba(points)
        found[k] = [
            cv.modified_partition_coefficient(degrees),
            -cv.fuzzy_xie_beni(points, degrees),
            cv.fuzzy_silhouette(points, degrees),
        ]
    assert all(found[3][place] > found[6][place] for place in range(3))
    assert found[3][2] > found[2][2]
    truth = np.repeat([0, 1, 2], 80)
    three = GaussianMixture(3, random_state=0, n_init=3).fit(points).predict_proba(points)
    assert cv.ndc(truth, three) > 0.99
    assert cv.adjusted_concordance(truth, three) > 0.98
    assert cv.soft_variation_of_information(truth, three) < 0.1


def test_what_is_missing_is_said() -> None:
    degrees = [[0.5, 0.5], [1, 0], [0, 1]]
    with pytest.raises(ParameterError, match=r"fuzzy_xie_beni .* it needs the features"):
        cv.fuzzy_xie_beni(degrees)
    with pytest.raises(ParameterError, match=r"fuzzy_silhouette .* it needs the features"):
        cv.fuzzy_silhouette(degrees)
    with pytest.raises(FeatureError, match="it needs features, and these are distances"):
        cv.fuzzy_xie_beni(np.zeros((3, 3)), degrees, metric="precomputed")
    with pytest.raises(LabelError, match="X has 2 rows and memberships has 3; they must"):
        cv.fuzzy_silhouette([[1], [2]], degrees)
    with pytest.raises(ParameterError, match="got a metric and no features"):
        cv.partition_coefficient(degrees, metric="euclidean")
    geometry = SoftGeometry(cv.Memberships(degrees), [[1.0], [2], [3]])
    assert cv.partition_coefficient(geometry) == cv.partition_coefficient(degrees)
    with pytest.raises(ParameterError, match="either one SoftGeometry or features"):
        cv.partition_coefficient(geometry, degrees)
    for key, option in (("fuzzy_xie_beni", {"m": 0.5}), ("fuzzy_silhouette", {"alpha": -1})):
        with pytest.raises(ParameterError, match="must be a number of at least"):
            cv.measures[key](geometry, **option)
    with pytest.raises(LabelError, match="at least 2 clusters"):
        cv.fuzzy_xie_beni([[1.0], [2.0]], [[1, 0], [1, 0]])
    with pytest.raises(LabelError, match="at least 2 clusters"):
        cv.modified_partition_coefficient([[1], [1]])
