"""Whether there is structure: the dip, the Hopkins statistic, ordered distances, the verdict."""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.optimize import linprog
from scipy.sparse import csr_matrix
from scipy.sparse import random as random_sparse
from scipy.spatial.distance import pdist, squareform
from scipy.stats import beta

import clustervet as cv
from clustervet.errors import FeatureError, ParameterError
from clustervet.geometry.dip import QUANTILES, dip, dip_p_value
from clustervet.geometry.tendency import nearest_two, ordered_distances

R = json.loads((Path(__file__).parent / "r_dip.json").read_text())
RNG = np.random.default_rng(11)
BLOBS = np.concatenate([RNG.normal(c, 1, (50, 3)) for c in ((0, 0, 0), (12, 0, 0), (0, 12, 0))])
values = st.lists(st.integers(-8, 8), min_size=2, max_size=8).map(lambda v: np.array(v, float))


@pytest.mark.parametrize("name", R)
def test_dips_equal_those_of_r(name):
    held = R[name]
    found, p_value = dip_p_value(np.array(held["values"], float))
    assert found == pytest.approx(held["dip"], rel=1e-12)
    if len(held["values"]) > 4:  # R interpolates between few sizes there
        assert p_value == pytest.approx(max(held["p_value"], 0.001), abs=0.015)


def oracle_dip(sample: np.ndarray) -> float:
    """The least largest distance to a distribution with its mode at one of the values.

    A linear program for each mode: the function is convex before it and concave after it, and it
    may jump at the mode alone.
    """
    x, counts = np.unique(sample, return_counts=True)
    n, m = len(sample), len(x)
    above = np.cumsum(counts) / n
    below = above - counts / n
    best = math.inf
    for mode in range(m):
        # Unknown: the value before each place (the same after it, but at the mode), and the limit.
        left, right = np.eye(2 * m + 1)[:m], np.eye(2 * m + 1)[m : 2 * m]
        limit = np.eye(2 * m + 1)[-1]
        rows, bounds, same = [], [], []
        for k in range(m):
            for value, levels in ((left[k], below[k]), (right[k], above[k])):
                rows += [value - limit, -value - limit]
                bounds += [levels, -levels]
            if k != mode:
                same.append(left[k] - right[k])
        rows += [left[mode] - right[mode]]
        bounds += [0]
        slopes = [(left[k + 1] - right[k]) / (x[k + 1] - x[k]) for k in range(m - 1)]
        for k, slope in enumerate(slopes):
            rows.append(-slope)
            bounds.append(0)
            if k + 1 < len(slopes) and k + 1 != mode:
                sign = 1 if k + 1 < mode else -1
                rows.append(sign * (slope - slopes[k + 1]))
                bounds.append(0)
        equal = np.array(same) if same else None
        found = linprog(
            limit, rows, bounds, equal, None if equal is None else np.zeros(len(same)), (None, None)
        )
        best = min(best, found.fun)
    return best


@given(values)
def test_the_dip_is_the_distance_to_the_nearest_function_with_one_mode(sample):
    least = 1 / (2 * len(sample))
    assert dip(sample) == pytest.approx(max(oracle_dip(sample), least), abs=1e-9)


@given(values, st.floats(0.1, 9), st.floats(-5, 5))
def test_the_dip_knows_no_scale_place_or_sign(sample, scale, place):
    assert dip(sample * scale + place) == pytest.approx(dip(sample), abs=1e-9)
    assert dip(-sample) == pytest.approx(dip(sample), abs=1e-9)


def test_quantiles_rise():
    assert (np.diff(QUANTILES, axis=1) >= 0).all()
    # Where there are few values, the least dip is 1 / (2 n).
    assert QUANTILES[0][0] == pytest.approx(4**0.5 / 8)


@given(st.integers(0, 10_000))
def test_path_distances_are_those_of_single_linkage(seed):
    points = np.random.default_rng(seed).normal(size=(12, 2))
    distances = squareform(pdist(points))
    image, order = ordered_distances(distances)
    right = squareform(cophenet(linkage(points, "single")))
    np.testing.assert_allclose(image, right[np.ix_(order, order)], atol=1e-12)
    assert sorted(order) == list(range(12))


@pytest.mark.parametrize("features", [2, 12])
def test_nearest_points_are_those_of_all_distances(features):
    points, places = RNG.normal(size=(40, features)), RNG.normal(size=(7, features))
    right = np.sort(np.linalg.norm(places[:, None] - points, axis=2), axis=1)[:, :2]
    np.testing.assert_allclose(nearest_two(points, places), right)


def test_the_hopkins_statistic_has_its_beta_law_on_uniform_points():
    found = [cv.tendency(np.random.default_rng([k, 5]).uniform(size=(60, 1))) for k in range(60)]
    assert np.mean([one.hopkins for one in found]) == pytest.approx(0.5, abs=0.05)
    assert all(
        one.beta_p_value == pytest.approx(beta.sf(one.hopkins, 6, 6), rel=1e-9) for one in found
    )
    assert np.mean([one.p_value <= 0.05 for one in found]) <= 0.15


def test_answers():
    blobs = cv.tendency(BLOBS)
    assert blobs.answer == "clusters"
    assert blobs.hopkins > 0.9
    assert blobs.verdict.startswith("There are separate groups: ")
    cloud = cv.tendency(RNG.normal(size=(300, 3)))
    assert cloud.answer == "uneven"
    assert "a single Gaussian cloud looks like this too" in cloud.verdict
    flat = cv.tendency(RNG.uniform(size=(300, 3)))
    assert flat.answer == "none"
    assert flat.verdict.startswith("No sign of clusters: the points look uniform")


def test_a_seed_of_the_data_is_no_seed_of_the_places():
    """Places from the same generator would be the points themselves."""
    points = np.random.default_rng(0).uniform(size=(200, 2))
    assert 0.3 < cv.tendency(points, random_state=0).hopkins < 0.7


@pytest.mark.parametrize(
    ("points", "options"),
    [
        (squareform(pdist(BLOBS)), {"metric": "precomputed"}),
        (csr_matrix(BLOBS), {}),
        (pd.DataFrame(BLOBS), {"metric": "manhattan", "standardize": True}),
        (np.repeat(BLOBS, 10, axis=0), {"random_state": np.random.default_rng(1)}),
        (np.c_[BLOBS, np.ones(150)], {}),
        (BLOBS * 1e140, {}),
        (BLOBS.astype(np.float32), {}),
    ],
)
def test_any_points(points, options):
    found = cv.tendency(points, **options)
    assert found.answer == "clusters"
    assert len(found.image) == len(found.order) <= 200
    assert math.isnan(found.hopkins) == (options.get("metric") == "precomputed")


def test_the_same_again_and_what_is_written(tmp_path):
    one, two = cv.tendency(BLOBS), cv.tendency(BLOBS)
    assert one.to_dict() == two.to_dict()
    assert json.loads(one.to_json())["answer"] == "clusters"
    assert one.to_frame().shape == (5, 3)
    assert pickle.loads(pickle.dumps(one)).verdict == one.verdict
    (figure,) = cv.plots.figures(one)
    assert figure.layout.meta["title"] == one.verdict
    cv.write_report(one, tmp_path / "report.html")
    assert "Hopkins" in (tmp_path / "report.html").read_text()
    wide = cv.tendency(RNG.normal(size=(30, 40)))
    assert "With 40 features the Hopkins statistic rests on a few points." in repr(wide)
    many = cv.tendency(RNG.uniform(size=(1_200, 2)))
    assert "1,000 of the points" in repr(many)


def test_tune_says_so_where_there_is_nothing_to_find():
    flat = cv.tune("kmeans", RNG.uniform(size=(100, 2)), values=range(2, 6), random_state=0)
    assert flat.suggestion is None
    assert "No sign of clusters" in flat.tendency
    assert flat.tendency in repr(flat)
    found = cv.tune("kmeans", BLOBS, values=range(2, 6), random_state=0)
    assert found.tendency == ""


@pytest.mark.parametrize(
    ("points", "options", "error", "words"),
    [
        (np.zeros((5, 2)), {}, FeatureError, "at least 10 points"),
        (np.zeros((20, 2)), {}, FeatureError, "all points are equal"),
        (np.zeros((20, 20)), {"metric": "precomputed"}, FeatureError, "all points are equal"),
        (np.full((20, 2), np.nan), {}, FeatureError, "X"),
        (BLOBS, {"metric": "euclid"}, ParameterError, "metric"),
        (BLOBS, {"random_state": -1}, ParameterError, "random_state"),
        (
            squareform(pdist(BLOBS)),
            {"metric": "precomputed", "standardize": True},
            ParameterError,
            "standardize",
        ),
    ],
)
def test_bad_input_gets_one_sentence(points, options, error, words):
    with pytest.raises(error, match=words) as raised:
        cv.tendency(points, **options)
    assert "\n" not in str(raised.value)


def test_wide_tables_are_looked_at_by_fewer_points():
    text = random_sparse(600, 30_000, density=0.002, random_state=0, format="csr")
    found = cv.tendency(text)
    assert math.isnan(found.hopkins)
    assert found.answer in ("none", "clusters")
    assert "The Hopkins statistic is left out; with 30,000 features it says little." in repr(found)
    assert "200 of the points" in repr(found)
