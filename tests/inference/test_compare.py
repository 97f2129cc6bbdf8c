from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustervet as cv
from clustervet.errors import ClustervetError
from clustervet.inference.compare import Joint, holm
from clustervet.inference.jackknife import Spread, jackknife, spread_of
from clustervet.labels import read_labels

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 4, 400)


def corrupted(share: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    labels = TRUTH.copy()
    moved = rng.random(len(labels)) < share
    labels[moved] = rng.integers(0, 4, moved.sum())
    return labels


GOOD, ALIKE, POOR = corrupted(0.1, 1), corrupted(0.1, 2), corrupted(0.6, 3)


@pytest.mark.parametrize("key", ["adjusted_rand", "vi", "purity", "dom_q2"])
def test_a_clear_winner_is_named_whatever_the_direction(key):
    found = cv.compare_predictions(TRUTH, GOOD, POOR, key, names=("good", "poor"), random_state=0)
    assert found.better == "good"
    assert found.p_value < 0.01
    assert 0 not in found.interval
    turned = cv.compare_predictions(TRUTH, POOR, GOOD, key, random_state=0)
    assert turned.difference == pytest.approx(-found.difference)
    assert turned.better == "second"


def test_what_the_data_cannot_tell_is_not_told():
    found = cv.compare_predictions(TRUTH, GOOD, ALIKE, random_state=0)
    assert found.better is None
    assert 0 in found.interval
    assert found.p_value > 0.05
    assert found.to_dict()["better"] is None


def test_a_prediction_equals_itself():
    found = cv.compare_predictions(TRUTH, GOOD, GOOD, random_state=0)
    assert found.difference == 0
    assert found.p_value == 1
    assert found.interval.low == found.interval.high == 0


def test_pairing_sees_more_than_two_separate_intervals():
    better = GOOD.copy()
    wrong = np.flatnonzero(better != TRUTH)[:12]
    better[wrong] = TRUTH[wrong]
    paired = cv.compare_predictions(TRUTH, better, GOOD, "purity", random_state=0)
    alone = [
        cv.confidence_interval("purity", TRUTH, p, random_state=0).width for p in (better, GOOD)
    ]
    assert paired.interval.width < 0.7 * sum(alone)
    assert paired.better == "first"


def test_a_ranking_groups_ties():
    found = cv.rank_predictions(TRUTH, {"poor": POOR, "good": GOOD, "alike": ALIKE}, random_state=0)
    assert found.groups[-1] == ["poor"]
    assert sorted(found.groups[0]) == ["alike", "good"]
    assert len(found.comparisons) == 3
    assert str(found).endswith("> poor (= where the data cannot tell)")
    assert found.to_dict()["confidence"] == 0.95


def test_the_joint_table_holds_the_table_of_each_prediction():
    joint = Joint(["good", "poor"], [read_labels(x) for x in (TRUTH, GOOD, POOR)])
    for table, pred in zip(joint.tables(), (GOOD, POOR), strict=True):
        assert table == cv.Contingency.from_labels(TRUTH, pred)
    record = cv.measures["adjusted_rand"]
    found = joint.scores(record, {}, np.vstack([joint.counts, joint.counts[::-1]]), lambda: None)
    assert found[0].tolist() == [cv.adjusted_rand(TRUTH, GOOD), cv.adjusted_rand(TRUTH, POOR)]
    turned = [np.repeat(labels, joint.counts[::-1]) for labels in joint.labels]
    assert found[1].tolist() == [cv.adjusted_rand(turned[0], each) for each in turned[1:]]


def test_missing_objects_are_dropped_from_all():
    holed = GOOD.astype(float)
    holed[:50] = np.nan
    found = cv.compare_predictions(TRUTH, holed, POOR, missing="drop", random_state=0)
    assert found.values[0] == cv.adjusted_rand(TRUTH[50:], GOOD[50:])
    assert found.values[1] == cv.adjusted_rand(TRUTH[50:], POOR[50:])


def test_many_predictions_can_still_be_separated():
    preds = {f"good {k}": corrupted(0.05, k) for k in range(12)} | {"poor": POOR}
    found = cv.rank_predictions(TRUTH, preds, resamples=300, random_state=0)
    assert found.groups[-1] == ["poor"]


def test_holm_is_the_step_down_of_1979():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cv.compare_predictions(TRUTH, GOOD[:-1], POOR), "must label the same objects"),
        (lambda: cv.compare_predictions(TRUTH, GOOD, POOR, "class_entropy"), "no direction"),
        (
            lambda: cv.compare_predictions(TRUTH, GOOD, POOR, "f_measure"),
            "apart too often",
        ),
        (lambda: cv.rank_predictions(TRUTH, {"one": GOOD}), "at least two predictions"),
        (lambda: cv.rank_predictions(TRUTH, {"truth": GOOD, "b": POOR}), "may be called 'truth'"),
        (lambda: cv.compare_predictions(TRUTH, GOOD, POOR, confidence=2), "confidence must"),
    ],
)
def test_what_cannot_be_compared_is_refused(call, message):
    with pytest.raises(ClustervetError, match=message):
        call()


@given(st.integers(0, 2**32))
@settings(max_examples=25)
def test_differences_are_those_of_objects_left_out(seed):
    # The oracle leaves objects out of the labels, and scores by scikit-learn.
    from scipy.stats import kurtosis, t
    from sklearn.metrics import adjusted_rand_score

    rng = np.random.default_rng(seed)
    n = 30
    truth = rng.integers(0, 3, n)
    both = [np.where(rng.random(n) < 0.7, truth, rng.integers(0, 3, n)) for _ in range(2)]
    scores = [adjusted_rand_score(truth, pred) for pred in both]
    keep = ~np.eye(n, dtype=bool)
    without = np.array(
        [
            adjusted_rand_score(truth[rest], both[0][rest])
            - adjusted_rand_score(truth[rest], both[1][rest])
            for rest in keep
        ]
    )
    difference = scores[0] - scores[1]
    bias = (n - 1) * (without.mean() - difference)
    error = math.sqrt((n - 1) * without.var())
    found = cv.compare_predictions(truth, *both)
    assert found.difference == pytest.approx(difference, abs=1e-9)
    assert found.interval.bias == pytest.approx(bias, abs=1e-9)
    assert found.interval.standard_error == pytest.approx(error, abs=1e-9)
    if error < 1e-9 or difference * (difference - bias) <= 0:
        assert found.p_value == 1
        return
    freedom = min(n - 1, 2 * n / (kurtosis(without, fisher=False) - 1))
    size = min(abs(difference), abs(difference - bias)) / math.hypot(error, bias / 4)
    assert found.p_value == pytest.approx(2 * t.sf(size, freedom), rel=1e-6, abs=1e-12)


@given(st.integers(0, 2**32), st.sampled_from(["ari", "vi", "purity", "nmi", "bcubed_f1"]))
@settings(max_examples=25)
def test_an_interval_without_zero_is_a_p_value_below_the_limit(seed, key):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, 60)
    both = [np.where(rng.random(60) < share, truth, rng.integers(0, 3, 60)) for share in (0.8, 0.6)]
    found = cv.compare_predictions(truth, *both, key)
    if found.p_value > 1e-9 and abs(found.p_value - 0.05) > 1e-6:
        assert (found.p_value < 0.05) == (0 not in found.interval)


def test_tables_of_many_cells_are_resampled():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 210, 6_000)
    both = [np.where(rng.random(6_000) < p, truth, rng.integers(0, 210, 6_000)) for p in (0.6, 0.2)]
    found = cv.compare_predictions(truth, *both, "matching_accuracy", resamples=40, random_state=0)
    assert (found.better, found.interval.resamples) == ("first", 40)
    found = cv.compare_predictions(truth, *both, "rand", resamples=40, random_state=0)
    assert (found.better, found.interval.resamples) == ("first", 0)


def test_equally_good_predictions_are_seldom_told_apart():
    # A small version of studies/paired_tests.py: at most 6% in the long run, here of 200.
    rng = np.random.default_rng(1)
    counts = dict.fromkeys(["ari", "vi", "nmi", "purity"], 0)
    for _ in range(200):
        truth = rng.integers(0, 4, 40)
        both = [np.where(rng.random(40) < 0.8, truth, rng.integers(0, 4, 40)) for _ in range(2)]
        for key in counts:
            counts[key] += cv.compare_predictions(truth, *both, key).p_value < 0.05
    # More than 19 of 200 have a probability below 0.001 if it is 5%.
    assert max(counts.values()) <= 19


def ladder(steps):
    """Predictions that get worse step by step, so that neighbours cannot be told apart."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 4, 600)
    return truth, {
        f"p{k}": np.where(rng.random(600) < 0.03 * k, rng.integers(0, 4, 600), truth)
        for k in range(1, steps + 1)
    }


def test_groups_are_true_of_every_pair():
    truth, preds = ladder(12)
    found = cv.rank_predictions(truth, preds)
    apart = {frozenset((c.first, c.second)) for c in found.comparisons if c.better}
    assert apart
    together = [set(group) for group in found.groups]
    for c in found.comparisons:
        pair = {c.first, c.second}
        assert any(pair <= group for group in together) == (frozenset(pair) not in apart)
        assert bool(set(found.letters[c.first]) & set(found.letters[c.second])) == (not c.better)
    # No group is within another, and the best is in the first.
    assert not any(a < b for a in together for b in together)
    best = max(found.values, key=found.values.get)
    assert found.groups[0][0] == best
    assert list(found.letters) == sorted(found.values, key=found.values.get, reverse=True)


def test_what_is_shown_of_a_long_ranking_is_true_everywhere():
    truth, preds = ladder(12)
    found = cv.rank_predictions(truth, preds)
    # The ends of the ladder are told apart, so nothing may call all predictions equal.
    assert " = " not in str(found)
    assert "share a letter" in str(found)
    assert found.to_dict()["letters"] == found.letters
    assert found.to_dict()["verdict"] == found.verdict
    figure = cv.plots.ranking_plot(found)
    near = [c for c in found.comparisons if found.groups[0][0] in (c.first, c.second)]
    tied = sum(c.better is None for c in near)
    hollow = [trace for trace in figure.data if trace.name == "not distinguished"]
    assert sum(len(trace.x) for trace in hollow) == tied


def test_more_groups_than_letters_are_numbered():
    names = [f"p{k}" for k in range(70)]
    groups = [names[k : k + 2] for k in range(69)]
    values = dict.fromkeys(names, 0.5)
    found = cv.Ranking("rand", 0.95, values, 100, groups, [])
    assert found.letters["p1"] == "1 2"
    assert "share a number" in found.line()


@pytest.mark.parametrize("n", [2, 6, 19])
def test_few_objects_tell_nothing(n):
    truth = np.arange(n) % 2
    found = cv.compare_predictions(truth, truth, np.zeros(n, int), "rand", random_state=0)
    assert np.isnan(found.p_value)
    assert found.better is None
    assert found.to_dict()["p_value"] is None
    ranked = cv.rank_predictions(truth, {"a": truth, "b": np.zeros(n, int)}, random_state=0)
    assert [sorted(group) for group in ranked.groups] == [["a", "b"]]
    enough = np.arange(40) % 2
    better = cv.compare_predictions(enough, enough, np.zeros(40, int), "rand", random_state=0)
    assert better.better == "first"


def test_intervals_of_differences_stay_within_what_is_possible():
    found = cv.compare_predictions([0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1], random_state=0)
    assert found.interval.high <= 1.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"names": ("a", "a")}, "names must be two different ones"),
        ({"names": ("truth", "b")}, "names must be two different ones"),
        ({"measure": "ssq"}, "ssq needs features, not a second labeling."),
        ({"random_state": -1}, "random_state must be None, a whole number from 0 on"),
    ],
)
def test_bad_options_of_comparisons(options, message):
    with pytest.raises(ClustervetError, match=message):
        cv.compare_predictions([0, 1] * 20, [0, 1] * 20, [0, 0] * 20, **options)


@pytest.mark.parametrize("method", ["basic", "percentile", "subsample"])
def test_differences_by_other_methods_lie_about_the_difference(method):
    quick = cv.compare_predictions(TRUTH, GOOD, POOR)
    found = cv.compare_predictions(
        TRUTH, GOOD, POOR, method=method, resamples=200, random_state=0, n_jobs=2
    )
    assert found.interval.method == method
    assert found.interval.resamples == 200
    assert found.difference in found.interval
    assert found.interval.width == pytest.approx(quick.interval.width, rel=0.4)
    assert found.p_value == quick.p_value


def test_what_is_neither_first_nor_tied_is_counted():
    preds = {"good": GOOD, "poor": POOR, "worst": corrupted(0.95, 4)}
    ranking = cv.rank_predictions(TRUTH, preds)
    assert ranking.verdict_on("poor") == (
        "The data show poor to be better than 1 of 2, at 0.95 confidence."
    )


def test_an_unknown_spread_tells_nothing():
    assert math.isnan(Spread(math.nan, 0.1, 9).p_value(0.5))
    assert math.isnan(Spread(0.0, math.nan, 9).p_value(0.5))
    assert Spread(0.0, 0.0, 9).p_value(0.5) == 0.0
    assert Spread(0.6, 0.1, 9).p_value(0.5) == 1.0


@pytest.mark.parametrize("values", [[math.nan] * 3, [0.5, math.nan, math.nan]])
def test_a_spread_needs_two_values(values):
    found = jackknife(np.array(values), np.array([1, 4, 4]))
    assert math.isnan(found.bias)
    assert math.isnan(found.error)
    assert found.undefined == 9 - np.isfinite(values).sum()
    few = spread_of(np.array([0.5] * 19 + [math.nan]), 0.5, 30)
    assert math.isnan(few.error)
    assert few.undefined == 1
