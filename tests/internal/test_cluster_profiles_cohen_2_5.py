"""Sizes of clusters and Cohen's d of their features (Cohen 1988, §2.5), against direct sums."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import clustervet as cv
from clustervet.errors import FeatureError, LabelError, ParameterError
from clustervet.geometry import profiles

IRIS = load_iris(as_frame=True)
KINDS = IRIS.target_names[IRIS.target]


def cohen(own, rest):
    """Cohen's d by its definition, with pandas, which leaves missing values out."""
    own, rest = pd.Series(own, dtype=float), pd.Series(rest, dtype=float)
    n, m = own.count(), rest.count()
    pooled = ((n - 1) * own.var() if n > 1 else 0.0) + ((m - 1) * rest.var() if m > 1 else 0.0)
    return (own.mean() - rest.mean()) / math.sqrt(pooled / (n + m - 2))


def by_feature(profile):
    return {one.feature: one for one in profile.features}


def test_iris_by_pandas():
    found = cv.cluster_profiles(IRIS.data, KINDS, most=4)
    assert len(found) == 3
    for name in IRIS.target_names:
        profile, inside = found[name], name == KINDS
        assert (profile.size, profile.share, profile.noise) == (50, 50 / 150, False)
        held = by_feature(profile)
        assert set(held) == set(IRIS.data.columns)
        for feature, column in IRIS.data.items():
            one = held[feature]
            assert one.difference == pytest.approx(
                cohen(column[inside], column[~inside]), rel=1e-12
            )
            assert one.mean == pytest.approx(column[inside].mean(), rel=1e-14)
            assert one.rest_mean == pytest.approx(column[~inside].mean(), rel=1e-14)
            assert (one.points, one.rest_points) == (50, 100)
        sizes = [abs(one.difference) for one in profile.features]
        assert sizes == sorted(sizes, reverse=True)
    # What everybody knows of the irises.
    assert found["setosa"].features[0].feature == "petal length (cm)"
    assert found["setosa"].features[0].difference < -5


values = st.one_of(st.integers(-3, 3), st.just(None))


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 2), values, values), min_size=3, max_size=20))
def test_missing_values_and_constants_in_exact_arithmetic(rows):
    labels = [row[0] for row in rows]
    points = [[math.nan if x is None else x for x in row[1:]] for row in rows]
    found = cv.cluster_profiles(points, labels, most=9)
    for profile in found.profiles:
        held = by_feature(profile)
        for k in (0, 1):
            own = [
                Fraction(r[k + 1]) for r in rows if r[0] == profile.name and r[k + 1] is not None
            ]
            rest = [
                Fraction(r[k + 1]) for r in rows if r[0] != profile.name and r[k + 1] is not None
            ]
            one = held.get(f"feature {k + 1}")
            if not own or not rest or len(own) + len(rest) < 3:
                assert one is None
                continue
            means = [sum(side) / len(side) for side in (own, rest)]
            squares = sum(
                (x - m) ** 2 for side, m in zip((own, rest), means, strict=True) for x in side
            )
            if not squares:
                right = math.copysign(math.inf, means[0] - means[1])
                assert (one is None) if means[0] == means[1] else one.difference == right
                continue
            variance = squares / (len(own) + len(rest) - 2)
            right = float(means[0] - means[1]) / math.sqrt(variance)
            assert one.difference == pytest.approx(right, rel=1e-12, abs=1e-12)
            assert (one.points, one.rest_points) == (len(own), len(rest))


def test_sparse_is_as_dense():
    rng = np.random.default_rng(0)
    dense = rng.poisson(0.4, (200, 30)) * rng.normal(1, 1, (200, 30))
    dense[:, 7] = 0
    labels = rng.integers(0, 5, 200)
    names = [f"word {k}" for k in range(30)]
    one, other = (
        cv.cluster_profiles(given, labels, most=30, feature_names=names)
        for given in (dense, sp.csr_array(dense))
    )
    assert one.constant == other.constant == 1
    for first, second in zip(one.profiles, other.profiles, strict=True):
        held, again = by_feature(first), by_feature(second)
        assert held.keys() == again.keys()
        assert len(held) == 29
        for name, each in held.items():
            assert again[name].difference == pytest.approx(each.difference, rel=1e-9, abs=1e-12)
            assert again[name].mean == pytest.approx(each.mean, rel=1e-9, abs=1e-12)
    gaps = dense.copy()
    gaps[3, 2] = gaps[9, 2] = np.nan
    # A missing value that is stored is missing, a zero that is not stored is a zero.
    one, other = (cv.cluster_profiles(x, labels, most=30) for x in (gaps, sp.csr_array(gaps)))
    for first, second in zip(one.profiles, other.profiles, strict=True):
        each, again = by_feature(first)["feature 3"], by_feature(second)["feature 3"]
        assert again.difference == pytest.approx(each.difference, rel=1e-9)
        assert (again.points, again.rest_points) == (each.points, each.rest_points)


def test_many_points_are_summed_in_blocks(monkeypatch):
    rng = np.random.default_rng(1)
    points, labels = rng.normal(size=(500, 4)) + 1e6, rng.integers(0, 3, 500)
    whole = cv.cluster_profiles(points, labels, most=4)
    monkeypatch.setattr(profiles, "BLOCK", 40)
    parts = cv.cluster_profiles(points, labels, most=4)
    for one, other in zip(whole.profiles, parts.profiles, strict=True):
        assert [each.feature for each in one.features] == [each.feature for each in other.features]
        for first, second in zip(one.features, other.features, strict=True):
            assert first.difference == pytest.approx(second.difference, rel=1e-9, abs=1e-12)


def test_far_from_zero_and_of_any_size_the_digits_stay():
    rng = np.random.default_rng(2)
    points, labels = rng.integers(-8, 9, (60, 2)) / 8, np.arange(60) % 3
    plain = cv.cluster_profiles(points, labels, most=2)
    odd = np.column_stack([points[:, 0] + 2.0**40, points[:, 1] * 2.0**1000])
    again = cv.cluster_profiles(odd, labels, most=2)
    for one, other in zip(plain.profiles, again.profiles, strict=True):
        for name, each in by_feature(one).items():
            assert by_feature(other)[name].difference == pytest.approx(each.difference, rel=1e-9)


def test_a_feature_that_does_not_vary_within_is_infinitely_apart():
    points = [[0.1, 5.0]] * 7 + [[0.3, 5.0]] * 5 + [[0.7, 5.0]] * 4
    found = cv.cluster_profiles(points, [0] * 7 + [1] * 9)
    assert found.constant == 1
    assert found[0].features[0].difference < -2
    found = cv.cluster_profiles(points[:12], [0] * 7 + [1] * 5)
    assert [one.difference for one in found[0].features] == [-math.inf]
    assert found.table("k", "").rows[0].cells[3].text == "feature 1 −∞"
    assert found.to_dict()["clusters"][0]["features"][0]["difference"] is None
    # Rounding is no difference: the means of equal values differ in the last digit.
    same = cv.cluster_profiles(np.full((1_000, 1), 0.1), np.arange(1_000) % 7)
    assert same.constant == 1
    assert all(not one.features for one in same.profiles)


def test_noise_comes_last_and_many_clusters_are_counted(monkeypatch):
    points = np.random.default_rng(3).normal(size=(60, 3))
    labels = np.concatenate([[-1] * 30, np.repeat([4, 5, 6], [5, 10, 15])])
    found = cv.cluster_profiles(points, labels)
    assert [one.name for one in found.profiles] == [6, 5, 4, -1]
    assert found[-1].noise
    assert found.columns()["cluster"][-1] == "noise"
    monkeypatch.setattr(profiles, "PROFILED", 2)
    few = cv.cluster_profiles(points, labels)
    assert [one.name for one in few.profiles] == [6, 5, -1]
    assert (few.others, few.other_points) == (1, 5)
    assert "1 smaller cluster of 5 points not shown." in few.document().tables[0].note
    # The rest is the same: all other points.
    assert few[5] == found[5]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_frames_name_their_features_and_may_miss_values(make):
    frame = make({"width": [1, 2, None, 9], "<b>": [1.0, 1.5, 1.2, 1.1]})
    found = cv.cluster_profiles(frame, ["a", "a", "b", "b"])
    held = by_feature(found["b"])
    assert held["width"].points == 1
    assert held["width"].difference == pytest.approx(cohen([9], [1, 2]))
    table = found.table("k", "p3")
    assert table.rows[0].link == "p3|cluster:a"
    (cell,) = [c for c in table.rows[1].cells if c.text.startswith("width")]
    assert cell.text.endswith("(1 point)")
    assert "mean 9 of 1 point here, 1.5 of 2 points in the rest" in cell.hint
    assert "<b>" in found.to_csv()
    assert "&lt;b&gt;" in found._repr_html_()


def test_one_row_per_cluster_and_feature():
    found = cv.cluster_profiles(IRIS.data, KINDS, most=2)
    columns = found.columns()
    assert columns["cluster"] == [name for name in IRIS.target_names for _ in range(2)]
    assert columns["rank"] == [1, 2] * 3
    assert found.to_frame("pandas").shape == (6, 10)
    plain = json.loads(found.to_json())
    assert plain["clusters"][0]["features"][0]["points"] == 50
    assert "setosa" in repr(found)
    with pytest.raises(KeyError):
        found["tulip"]


def test_one_cluster_has_nothing_to_differ_from():
    found = cv.cluster_profiles(IRIS.data, np.zeros(150, int))
    assert found[0].size == 150
    assert found[0].features == ()
    assert found.columns()["feature"] == [None]
    assert found.document().tables[0].title == "Sizes of the clusters"


@pytest.mark.parametrize(
    ("points", "labels", "options", "error", "words"),
    [
        ([[1.0], [2.0]], [0], {}, LabelError, "labels has 1 labels, and X has 2 points"),
        ([[1.0], [np.inf]], [0, 1], {}, FeatureError, "row 1, column 0 is infinite"),
        (
            pd.DataFrame([[1.0], [2.0]]),
            pd.Series([0, 1], index=[1, 0]),
            {},
            LabelError,
            "index",
        ),
        ([["a"], ["b"]], [0, 1], {}, FeatureError, "must hold numbers"),
        ([[1.0], [2.0]], [0, 1], {"most": 0}, ParameterError, "most must be"),
        (
            [[1.0], [2.0]],
            [0, 1],
            {"feature_names": ["a", "b"]},
            FeatureError,
            "one name for each of the 1 features; it has 2",
        ),
    ],
)
def test_refusals(points, labels, options, error, words):
    with pytest.raises(error, match=words):
        cv.cluster_profiles(points, labels, **options)


def test_profiles_are_gone_through_by_the_names_of_their_clusters():
    found = cv.cluster_profiles([[0.0], [0.1], [5.0], [5.1]], ["b", "b", "a", "a"])
    assert sorted(found) == ["a", "b"]
    assert [found[name].name for name in found] == list(found)
