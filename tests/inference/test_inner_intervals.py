"""Intervals of measures of features: groups of points are left out in turn."""

from __future__ import annotations

import importlib.util
import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist
from scipy.stats import t as student
from sklearn import metrics

import clustervet as cv
from clustervet.errors import FeatureError, LabelError, ParameterError
from clustervet.inference.calibration import _study, inner_coverage, inner_group_of
from clustervet.inference.inner_interval import LABELS_GIVEN

INTERNAL = [record.key for record in cv.measures.select(kind="internal")]
ABLE = [key for key in INTERNAL if not cv.measures[key].no_interval]
SAME = pytest.approx
PEERS = {
    "silhouette": metrics.silhouette_score,
    "calinski_harabasz": metrics.calinski_harabasz_score,
    "davies_bouldin": metrics.davies_bouldin_score,
}


def points(n, seed=0, clusters=3, features=2, apart=3.0):
    """A sample of Gaussian clusters of unequal shares, with the labels of its source."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(clusters, n, p=np.arange(1, clusters + 1) / sum(range(clusters + 1)))
    centers = apart * np.random.default_rng(99).normal(size=(clusters, features))
    return centers[labels] + rng.normal(size=(n, features)), labels


def jackknife(value, without):
    """Quenouille's bias and Tukey's standard error, in exact arithmetic of the values given."""
    found = [Fraction(float(each)) for each in without]
    g, mean = len(found), sum(found) / len(found)
    bias = (g - 1) * (mean - Fraction(float(value)))
    variance = Fraction(g - 1, g) * sum((each - mean) ** 2 for each in found)
    return float(bias), math.sqrt(variance)


@pytest.mark.parametrize("key", PEERS)
@pytest.mark.parametrize(("n", "groups"), [(41, 41), (90, 30), (120, 30)])
def test_bias_and_error_are_those_of_groups_left_out(key, n, groups):
    x, y = points(n, seed=n)
    peer, dealt = PEERS[key], np.random.default_rng(5).permutation(n).reshape(groups, -1)
    without = []
    for group in dealt:
        kept = np.setdiff1d(np.arange(n), group)
        # Calinski and Harabasz's index grows with the points, so the rest stands for all of them.
        grown = n / len(kept) if key == "calinski_harabasz" else 1
        without.append(grown * peer(x[kept], y[kept]))
    bias, error = jackknife(peer(x, y), without)
    found = cv.confidence_interval(key, x, y, random_state=5)
    assert (found.groups, found.resamples, found.undefined) == (groups, 0, 0)
    assert found.bias == SAME(bias, rel=1e-6, abs=1e-12)
    assert found.standard_error == SAME(error, rel=1e-9)


def test_the_ends_are_those_of_students_interval_about_value_and_corrected_value():
    # A measure without bounds has the plain interval; single points are left out of 45.
    x, y = points(45, seed=3)
    hartigan = cv.hartigan(x, y)
    without = [cv.hartigan(np.delete(x, k, 0), np.delete(y, k)) for k in range(45)]
    bias, error = jackknife(hartigan, without)
    steps = np.array(without) - np.mean(without)
    kurtosis = np.mean(steps**4) / np.mean(steps**2) ** 2
    reach = student.ppf(0.95, min(44, 2 * 45 / (kurtosis - 1))) * math.hypot(error, bias / 4)
    found = cv.confidence_interval("hartigan", x, y, confidence=0.9)
    assert found.low == SAME(min(hartigan, hartigan - bias) - reach)
    assert found.high == SAME(max(hartigan, hartigan - bias) + reach)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_distances_that_were_given_have_the_same_interval(metric):
    x, y = points(80, seed=1)
    apart = cdist(x, x, "cityblock" if metric == "manhattan" else metric)
    for key in ("silhouette", "intra_inter_ratio", "kendall_tau", "average_linkage"):
        ours = cv.confidence_interval(key, x, y, metric=metric)
        given_ = cv.confidence_interval(key, apart, y, metric="precomputed")
        assert (given_.low, given_.high) == SAME((ours.low, ours.high), rel=1e-7)


def test_sparse_features_labels_of_all_kinds_and_dropped_noise():
    x, y = points(60, seed=2)
    plain = cv.confidence_interval("silhouette", x, y)
    assert cv.confidence_interval("silhouette", csr_matrix(x), y).low == SAME(plain.low)
    assert cv.confidence_interval("silhouette", x, [f"c{k}" for k in y]) == plain
    noisy = np.concatenate([y, [-1] * 7])
    more = np.concatenate([x, np.full((7, 2), 50.0)])
    assert cv.confidence_interval("silhouette", more, noisy, noise="drop") == plain
    assert cv.confidence_interval("silhouette", cv.Geometry(x, y)) == plain


@given(st.integers(0, 2**32), st.sampled_from([1.0, 1e-90, 1e90]), st.sampled_from(ABLE))
@settings(max_examples=60, deadline=None)
def test_a_part_is_the_geometry_of_its_points(seed, unit, key):
    rng = np.random.default_rng(seed)
    x, y = points(40, seed=seed % 1000)
    x = x * unit
    kept = np.sort(rng.choice(40, 30, replace=False))
    part, fresh = cv.Geometry(x, y).part(kept), cv.Geometry(x[kept], y[kept])
    assert part.names == fresh.names
    assert part.sizes.tolist() == fresh.sizes.tolist()
    ours, theirs = (cv.measures[key].evaluate(each) for each in (part, fresh))
    assert (ours.value == SAME(theirs.value, rel=1e-6, nan_ok=True)) or ours.why == theirs.why
    apart = cdist(x, x)
    given_ = cv.Geometry(apart, y, "precomputed").part(kept)
    assert cv.silhouette(given_) == SAME(cv.silhouette(fresh), rel=1e-6)


def test_a_part_knows_its_noise():
    x, y = [[0.0], [1.0], [5.0], [9.0], [10.0]], [-1, 0, 0, 7, 7]
    geometry = cv.Geometry(x, y)
    assert geometry.part(np.array([0, 1, 3])).noise_cluster == 0
    assert geometry.part(np.array([1, 3, 4])).noise_cluster is None


def test_a_factor_of_all_features_is_a_factor_of_distances():
    x, y = points(60, seed=4)
    for unit in (1e-120, 1e7, 1e120):
        for key, power in (("intra_distance", 1), ("silhouette", 0), ("davies_bouldin", 0)):
            plain, scaled = (cv.confidence_interval(key, each, y) for each in (x, unit * x))
            assert scaled.low / unit**power == SAME(plain.low, rel=1e-9)
            assert scaled.high / unit**power == SAME(plain.high, rel=1e-9)


def test_the_same_at_every_call_and_the_same_on_the_card():
    x, y = points(130, seed=6)
    found = cv.confidence_interval("silhouette", x, y)
    assert found == cv.confidence_interval("silhouette", x, y, random_state=0)
    assert found != cv.confidence_interval("silhouette", x, y, random_state=1)
    card = cv.internal_scores(x, y, confidence=0.95)
    assert card.score("silhouette").interval == found
    assert cv.internal_scores(x, y, measures="db", confidence=0.8).score(
        "davies_bouldin"
    ).interval == cv.confidence_interval("db", x, y, confidence=0.8)


def test_large_data_is_judged_by_points_that_are_drawn():
    # The error falls with the root of the points; the brute force leaves some single points out.
    x, y = points(700, seed=7)
    out = range(0, 700, 7)
    without = [metrics.silhouette_score(np.delete(x, k, 0), np.delete(y, k)) for k in out]
    error = math.sqrt(699) * np.std(without)
    found = cv.confidence_interval("silhouette", x, y)
    assert found.standard_error == SAME(error, rel=0.35)  # 29 degrees of freedom: 13% is one sd
    # A sum over points grows as the points do.
    x, y = points(40_000, seed=8)
    error = cv.confidence_interval("ssq", x, y).standard_error
    squares = np.concatenate([((x[y == k] - x[y == k].mean(0)) ** 2).sum(1) for k in range(3)])
    assert error == SAME(squares.std() * math.sqrt(40_000), rel=0.35)


def test_a_value_that_was_sampled_has_the_wider_interval():
    x, y = points(400, seed=9)
    plain = cv.confidence_interval("silhouette", x, y)
    drawn = cv.confidence_interval("silhouette", x, y, sample=60)
    sampled = cv.silhouette(x, y, sample=60).standard_error
    assert drawn.standard_error == SAME(math.hypot(plain.standard_error, sampled))


def test_an_infinite_value_has_no_interval():
    x = np.repeat([0.0, 5.0], 20)[:, None]
    found = cv.confidence_interval("calinski_harabasz", x, np.repeat([0, 1], 20))
    assert math.isnan(found.low)
    assert "No interval: without most groups of points there is no finite value" in str(found)


# Refusals


@pytest.mark.parametrize("key", [key for key in INTERNAL if key not in ABLE])
def test_a_measure_without_interval_is_refused_with_the_reason(key):
    with pytest.raises(ParameterError, match=f"no interval for {key}: ") as refusal:
        cv.confidence_interval(key, *points(40))
    assert cv.measures[key].no_interval in str(refusal.value)


def test_what_cannot_have_an_interval_is_refused():
    x, y = points(40)
    with pytest.raises(FeatureError, match="at least 20 points; there are 19"):
        cv.confidence_interval("silhouette", x[:19], y[:19])
    with pytest.raises(ParameterError, match="the method 'basic' resamples tables"):
        cv.confidence_interval("silhouette", x, y, method="basic")
    with pytest.raises(ParameterError, match="between 0 and 1"):
        cv.confidence_interval("silhouette", x, y, confidence=95)
    with pytest.raises(ParameterError, match="between 0 and 1"):
        cv.internal_scores(x, y, confidence=95)
    with pytest.raises(LabelError, match="at least 2 clusters"):
        cv.confidence_interval("silhouette", x, np.zeros(40))
    with pytest.raises(ParameterError, match="no option"):
        cv.confidence_interval("silhouette", x, y, metrics="cosine")


def test_moments_are_not_points():
    import polars

    x, y = points(40)
    frame = polars.DataFrame({"a": x[:, 0], "b": x[:, 1], "c": y})
    moments = cv.cluster_moments(frame, label="c", features=["a", "b"])
    for call in (cv.internal_scores, lambda m, confidence: cv.confidence_interval("ssq", m)):
        with pytest.raises(ParameterError, match="all points in memory"):
            call(moments, confidence=0.95)


# Cards


def test_a_card_shows_intervals_in_every_form():
    x, y = points(60, seed=10)
    card = cv.internal_scores(x, y, measures=["silhouette", "db", "dunn"], confidence=0.9)
    interval = card.score("silhouette").interval
    assert card.score("dunn").interval is None
    text = str(card)
    assert "[low, high]: 0.9 confidence intervals, 60 groups" not in text
    assert "[low, high]: 0.9 confidence intervals, 30 groups of points left out in turn" in text
    assert f"[{interval.low:.4f}, {interval.high:.4f}]" in text
    assert "No interval for dunn: single points decide it" in text
    assert LABELS_GIVEN in text
    data = json.loads(card.to_json())
    held = {score["measure"]: score["interval"] for score in data["scores"]}
    assert held["dunn"] is None
    assert held["silhouette"]["groups"] == 30
    assert held["silhouette"]["low"] == interval.low
    assert LABELS_GIVEN in data["remarks"]
    assert card.to_dict(flat=True)["silhouette.high"] == interval.high
    columns = card.columns()
    assert columns["low"][0] == interval.low
    assert math.isnan(columns["low"][2])
    for form in (card.to_markdown(), card.to_latex(), card.to_csv(), card._repr_html_()):
        assert f"{interval.low:.4f}"[:5] in form
    assert LABELS_GIVEN in str(interval)
    assert "30 groups of points left out" in str(interval)


def test_too_few_points_have_a_card_that_says_so():
    x, y = points(12)
    card = cv.internal_scores(x, y, measures="ssq", confidence=0.95)
    assert card.score("ssq").interval is None
    assert "No intervals: an interval needs at least 20 points; there are 12." in str(card)


def test_clusters_that_vanish_are_told_of():
    x, y = points(60, seed=11)
    # Alone among others, so that leaving it out leaves three clusters.
    y = np.where(np.arange(60) == 0, 3, y)
    found = cv.confidence_interval("silhouette", x, y)
    assert found.coverage == inner_coverage("silhouette", np.bincount(y), False)
    # With two clusters, one of them a point alone, the rest has no value.
    found = cv.confidence_interval("silhouette", x, np.arange(60) == 0)
    assert found.undefined == 1
    assert "undefined" in str(found)


# What the records say, held against what values do


def slow_or_random(key):
    return key in ("gap_statistic", "validated_likelihood")


@pytest.mark.parametrize("key", [key for key in INTERNAL if not slow_or_random(key)])
def test_what_grows_with_the_number_of_points_is_known(key):
    record = cv.measures[key]
    geometry = cv.Geometry(*points(3_000, seed=12))
    small = np.mean(
        [record.evaluate(geometry.part(np.arange(k, 3_000, 6))).value for k in range(6)]
    )
    ratio = record.evaluate(geometry).value / small
    if record.sized:
        assert ratio == SAME(6, rel=0.05)
    elif not record.no_interval:
        assert ratio == SAME(1, rel=0.1)
    else:  # single points decide it, or it grows otherwise
        assert not 0.9 < ratio < 1.1


@pytest.mark.parametrize("key", [key for key in INTERNAL if not slow_or_random(key)])
def test_intervals_are_made_where_the_error_is_known(key):
    # Forty samples of 120 points, and the value of 4,000; the error of five samples.
    record = cv.measures[key]
    source = cv.Geometry(*points(4_000, seed=13, apart=2.0))
    rng = np.random.default_rng(14)
    parts = [source.part(np.sort(rng.choice(4_000, 120, replace=False))) for _ in range(40)]
    values = np.array([record.evaluate(part).value for part in parts])
    truth = record.evaluate(source).value * (120 / 4_000 if record.sized else 1)
    if record.no_interval:
        off = abs(values.mean() - truth) / values.std()
        assert off > 1 or key in ("bic", "aic")
        return
    made = [cv.confidence_interval(key, part) for part in parts[:5]]
    assert 0.6 < np.mean([one.standard_error for one in made]) / values.std() < 1.8
    assert sum(truth in one for one in made) >= 4


def test_every_measure_was_studied():
    assert _study("inner_calibration").keys() == set(ABLE) - {"gap_statistic"}
    for groups in _study("inner_calibration").values():
        for mean, least, populations in groups.values():
            assert 0 <= least <= mean <= 1
            assert populations >= 1


# A medoid is the best of the points that were drawn, and the value of a small or wide cluster may
# decide the others; all of them say so.
LOOSE = {"medoid_distance", "generalized_dunn", "ball_hall", "sd_index"}


@pytest.mark.parametrize("key", sorted({*ABLE} - LOOSE))
def test_what_is_promised_of_enough_points(key):
    # 75 points or more, at least five of them in the smallest cluster, and centroids told apart.
    groups = [_study("inner_calibration")[key][f"{points}/2/1"] for points in (3, 4, 5)]
    assert all(mean >= 0.92 for mean, *_ in groups)
    assert 0.93 <= np.mean([mean for mean, *_ in groups]) <= 0.99


def test_loose_intervals_say_so():
    x, y = points(300, seed=18)
    for key in LOOSE:
        assert "rough guide" in cv.confidence_interval(key, x, y).caution


def test_centroids_in_one_place_are_known():
    rng = np.random.default_rng(17)
    y = np.arange(150) % 2
    steps = rng.normal(size=(150, 2))
    ring = np.where(y[:, None], 5 * steps / np.linalg.norm(steps, axis=1)[:, None], steps)
    assert "rough guide" in cv.confidence_interval("davies_bouldin", ring, y).caution
    assert not cv.confidence_interval("silhouette", ring, y).caution
    x, y = points(150, seed=17)
    assert not cv.confidence_interval("davies_bouldin", x, y).caution


def test_points_are_put_into_groups():
    assert inner_group_of(np.array([15, 10]), True) == "1/2/1"
    assert inner_group_of(np.array([36, 4]), False) == "2/1/0"
    assert inner_group_of(np.array([10**6, 10**6]), True) == "5/2/1"
    for key in ABLE:
        for n in (20, 60, 100, 300, 1_000, 5_000):
            assert inner_coverage(key, np.array([n // 2, n - n // 2]), True) is not None
    x, y = points(60)
    assert cv.confidence_interval("silhouette", x, y, metric="manhattan").coverage is not None
    tied = cv.confidence_interval("scott_symons", x, y, covariance="full")
    assert tied.coverage is None  # parameters were not studied
    assert "not studied for data like these" in tied.caution


def test_a_measure_of_your_own_has_an_interval_that_was_not_studied():
    @cv.measure(title="Mean norm", family="mine", kind="internal", better="lower", bounds=(0, 9))
    def mean_norm(geometry):
        return float(np.linalg.norm(geometry.dense, axis=1).mean())

    try:
        x, y = points(50)
        found = cv.confidence_interval("mean_norm", x, y)
        norms = np.linalg.norm(x, axis=1)
        assert found.standard_error == SAME(norms.std(ddof=1) / math.sqrt(50))
        assert found.is_rough
    finally:
        cv.measures.remove("mean_norm")


def test_the_study_runs(monkeypatch):
    path = Path(__file__).resolve().parents[2] / "studies" / "internal_intervals.py"
    spec = importlib.util.spec_from_file_location("internal_intervals", path)
    study = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(study)
    monkeypatch.setattr(study, "NUMBER", 500)
    found = study.simulate(("core and shell", ("silhouette", "ssq", "dunn"), (25,), 4, 30))
    assert {key for key, _ in found} == {"silhouette", "ssq", "dunn"}
    assert sum(number for (key, _), (number, _) in found.items() if key == "ssq") == 4
    shares = {key: {"1/2/1": (0.95, 0.9, 3)} for key in ("silhouette", "dunn")}
    assert "| silhouette | 95 (90) |" in study.as_markdown(shares)
    assert "| dunn (refused) | 95 (90) |" in study.as_markdown(shares)


def test_intervals_hold_the_value_of_the_source():
    # A small version of the study: 60 samples of 60 points.
    x, y = points(6_000, seed=15, apart=1.5)
    source, rng = cv.Geometry(x, y), np.random.default_rng(16)
    held = dict.fromkeys(("silhouette", "davies_bouldin", "calinski_harabasz"), 0)
    truth = {key: cv.measures[key](source) for key in held}
    truth["calinski_harabasz"] *= 60 / 6_000
    for _ in range(60):
        part = source.part(np.sort(rng.choice(6_000, 60, replace=False)))
        for key in held:
            held[key] += truth[key] in cv.confidence_interval(key, part)
    # Below 51 of 60 has a probability of 1 in 400 if 95% is right.
    assert min(held.values()) >= 51


def test_weights_get_no_interval_and_columns_of_any_kind_do():
    x, y = points(60, seed=17, apart=3)
    with pytest.raises(ParameterError, match=r"^an interval takes no weights\.$"):
        cv.confidence_interval("silhouette", x, y, weights=np.arange(1, 61))
    with pytest.raises(ParameterError, match=r"^an interval takes no weights\.$"):
        cv.internal_scores(x, y, weights=np.arange(1, 61), confidence=0.95)
    names = [f"kind {label}" if k % 5 else "other" for k, label in enumerate(y)]
    table = [[name, *row] for name, row in zip(names, x, strict=True)]
    found = cv.confidence_interval("silhouette", table, y, metric="gower")
    assert found.low < cv.silhouette(table, y, metric="gower") < found.high
