"""Further indices: R's fpc and genieclust give the same values, and estimates hold their promise.

r_indices.json holds what r_indices.R printed.

| fpc | here |
|---|---|
| pearsongamma | point_biserial |
| g2 | baker_hubert_gamma; fpc compares distances bit by bit, so rounding decides its ties |
| mean of clus.avg.silwidths | macro_silhouette |
| dudahart2 dh | duda_hart of two clusters |
"""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import internal_data as data
import numpy as np
import pytest
from genieclust import cluster_validity

import clustervet as cv
from clustervet.errors import ClustervetError, ParameterError
from clustervet.internal import pairs as pairs_module

R = json.loads((Path(__file__).parent / "r_indices.json").read_text())["sets"]
DRAWN = ["c_index", "baker_hubert_gamma", "kendall_tau", "point_biserial"]
X, Y = data.gaussians([40, 90, 170], 3, seed=30, apart=1.2)


def same(ours: float, theirs: float) -> bool:
    return math.isclose(ours, theirs, rel_tol=1e-10, abs_tol=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@pytest.mark.parametrize("name", data.IN_R)
def test_distances_in_order_as_fpc_has_them(name: str, metric: str) -> None:
    one, r = data.case(name), R[name][metric]
    assert same(cv.point_biserial(one.X, one.labels, metric=metric), r["pearsongamma"])
    widths = cv.macro_silhouette(one.X, one.labels, metric=metric)
    assert same(widths, np.mean(r["clus.avg.silwidths"]))
    gamma = cv.baker_hubert_gamma(one.X, one.labels, metric=metric)
    # Decimals make many ties in the city-block distances of iris, of which rounding leaves few.
    assert abs(gamma - r["g2"]) < (0.006 if name == "iris" else 1e-5)


@pytest.mark.parametrize("name", data.IN_R)
def test_two_clusters_as_dudahart2_has_them(name: str) -> None:
    one = data.case(name)
    halves = itertools.combinations(np.unique(one.codes), 2)
    for (a, b), wanted in zip(halves, R[name]["dudahart"], strict=True):
        kept = np.isin(one.codes, [a, b])
        if kept.sum() > 2:
            assert same(cv.duda_hart(one.dense[kept], one.codes[kept]), wanted)
    assert same(cv.duda_hart(one.X, one.labels), max(R[name]["dudahart"]))


@pytest.mark.parametrize("name", ["iris", "wine", "blobs"])
def test_ball_hall_of_genieclust_is_a_sum_over_clusters(name: str) -> None:
    one = data.case(name)
    theirs = -cluster_validity.negated_ball_hall_index(np.asarray(one.X), one.codes)
    assert same(cv.ball_hall(one.X, one.labels) * one.k, theirs)


@pytest.mark.parametrize("key", DRAWN)
def test_intervals_of_drawn_pairs_cover(key: str) -> None:
    g, index = cv.Geometry(X, Y), getattr(cv, key)
    exact = index(g)
    assert type(exact) is float
    assert exact == index(g, pairs="all")
    found = [index(g, pairs=800, random_state=seed) for seed in range(200)]
    ends = [estimate.interval(0.95) for estimate in found]
    assert np.mean([low <= exact <= high for low, high in ends]) >= 0.9
    assert abs(np.mean(found) - exact) < 4 * np.std(found) / math.sqrt(200) + 0.002
    errors = [estimate.standard_error for estimate in found]
    assert math.isclose(np.std(found), np.mean(errors), rel_tol=0.25)
    assert found[0] == index(g, pairs=800, random_state=0) != found[1]


@pytest.mark.parametrize("key", DRAWN)
def test_many_points_are_drawn_by_themselves(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    exact = getattr(cv, key)(X, Y)
    monkeypatch.setattr(pairs_module, "EXACT_PAIRS", 10_000)
    monkeypatch.setattr(pairs_module, "DRAWN_PAIRS", 20_000)
    found = getattr(cv, key)(X, Y)
    assert isinstance(found, cv.Estimate)
    assert found.sample == 20_000
    assert abs(found - exact) < 5 * found.standard_error


@pytest.mark.parametrize("key", DRAWN)
def test_pairs_must_be_a_number_or_all(key: str) -> None:
    for pairs in (0, 3, -1, 2.5, "some", True, math.nan):
        with pytest.raises(ParameterError, match="pairs must be"):
            getattr(cv, key)(X, Y, pairs=pairs)


def test_decimals_that_are_equal_are_ties() -> None:
    """0.3 - 0.2 and 0.2 - 0.1 differ in the last bit; both are a distance of 0.1."""
    points = [[0.1], [0.2], [0.3], [1.3]]
    assert points[2][0] - points[1][0] != points[1][0] - points[0][0]
    found = cv.baker_hubert_gamma(points, [0, 0, 1, 1])
    # within 0.1 and 1.0; between 0.2, 1.2, 0.1, 1.1
    assert same(found, ((3 + 2) - (0 + 2)) / 7)


@pytest.mark.parametrize("alpha", [-1.0, math.nan, math.inf, "much", None, True])
def test_weight_of_the_scatter(alpha: object) -> None:
    if alpha is None:
        dis = cv.sd_index(X, Y, alpha=0)
        scatter = cv.sd_index(X, Y, alpha=1) - dis
        assert same(cv.sd_index(X, Y), dis * (1 + scatter))
        return
    with pytest.raises(ParameterError, match="alpha must be a number of at least 0"):
        cv.sd_index(X, Y, alpha=alpha)


def test_determinants_do_not_depend_on_the_units_or_mixtures_of_features() -> None:
    mixed = X @ np.array([[2.0, 1.0, 0.0], [0.0, 1e-3, 5.0], [1.0, 0.0, 1e4]])
    assert math.isclose(cv.rubin(mixed, Y), cv.rubin(X, Y), rel_tol=1e-7)
    for covariance in ("tied", "full"):
        found = [cv.scott_symons(points, Y, covariance=covariance) for points in (X, mixed)]
        assert math.isclose(*found, rel_tol=1e-7)


def test_determinants_that_no_float_can_hold_say_so() -> None:
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(400, 150)) * 1e4
    with pytest.raises(ClustervetError, match=r"it is about 1e\+1\d+, which no float can hold"):
        cv.marriott(wide, np.arange(400) % 2)
    with pytest.raises(ClustervetError, match="singular: too few points") as refusal:
        cv.rubin(X[:3], [0, 0, 1])
    assert "regularization" not in str(refusal.value)


def test_one_cluster_has_the_volume_of_all_points() -> None:
    one = np.zeros(len(Y))
    assert cv.rubin(X, one) == 1
    assert cv.scott_symons(X, one) == 0
    assert same(cv.marriott(X, one), float(np.linalg.det(np.cov(X.T, ddof=0) * len(Y))))


def test_moments_give_what_needs_no_points() -> None:
    import polars

    frame = polars.DataFrame({"k": Y} | {name: X[:, f] for f, name in enumerate("abc")})
    columns = {"label": "k", "features": ["a", "b", "c"]}
    moments = cv.cluster_moments(frame, **columns, cross=True, spreads=True)
    rows = cv.Rows(frame, "k", ["a", "b", "c"])
    exact = ["ball_hall", "duda_hart", "rubin", "scott_symons", "marriott", "sd_index"]
    for key in exact:
        assert math.isclose(getattr(cv, key)(moments), getattr(cv, key)(X, Y), rel_tol=1e-9), key
    geometry = cv.Geometry.from_moments(moments, rows=rows)
    for key in ("pbm", "s_dbw"):
        assert math.isclose(getattr(cv, key)(geometry), getattr(cv, key)(X, Y), rel_tol=1e-9), key


def test_cards_show_them_on_request_alone() -> None:
    assert "c_index" not in cv.internal_scores(X, Y)
    assert "macro_silhouette" in cv.internal_scores(X, Y)
    card = cv.internal_scores(X, Y, family="indices")
    assert {*DRAWN, "pbm", "rubin", "s_dbw"} <= set(card)
    assert "mcnemar" not in cv.external_scores(Y, Y % 2)
    assert "mcnemar" in cv.external_scores(Y, Y % 2, family="coefficients")
