from __future__ import annotations

import math

import numpy as np
import pytest

import clustervet as cv
from clustervet.errors import ClustervetError
from clustervet.inference import compare
from clustervet.inference.compare import Joint, _too_close, holm
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
    assert str(found).endswith("> poor")
    assert found.to_dict()["confidence"] == 0.95


def test_the_joint_table_holds_the_table_of_each_prediction():
    joint = Joint(["good", "poor"], [read_labels(x) for x in (TRUTH, GOOD, POOR)])
    for table, pred in zip(joint.tables(), (GOOD, POOR), strict=True):
        assert table == cv.Contingency.from_labels(TRUTH, pred)
    for table, again in zip(joint.tables(), joint.resampled(joint.counts), strict=True):
        assert table == again


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
        (lambda: cv.rank_predictions(TRUTH, {"one": GOOD}), "at least two predictions"),
        (lambda: cv.rank_predictions(TRUTH, {"truth": GOOD, "b": POOR}), "may be called 'truth'"),
        (lambda: cv.compare_predictions(TRUTH, GOOD, POOR, confidence=2), "confidence must"),
    ],
)
def test_what_cannot_be_compared_is_refused(call, message):
    with pytest.raises(ClustervetError, match=message):
        call()


def test_what_is_too_close_to_call():
    # The standard error of p = 0.04 from 1,000 resamples is 0.0089.
    assert _too_close([0.9, 0.04], [0.9, 0.04], 0.05, 1_000)
    assert not _too_close([0.9, 0.04], [0.9, 0.04], 0.05, 100_000)
    assert not _too_close([0.9, 0.001], [0.9, 0.001], 0.05, 1_000)
    # Holm's method multiplies a p-value and its error by the number of pairs.
    assert _too_close([0.01], [0.03], 0.05, 1_000)
    # Without noise, or where nothing is defined, more resamples would tell nothing more.
    assert not _too_close([0.0, math.nan], [0.0, math.nan], 0.05, 100)


def test_what_is_too_close_to_call_is_resampled_more(monkeypatch):
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 200)
    first, second = truth.copy(), truth.copy()
    first[:30] = rng.integers(0, 3, 30)
    second[30:78] = rng.integers(0, 3, 48)
    numbers = []
    plain = compare.evaluate

    def watched(blocks, score, resamples, width, n_jobs):
        numbers.append(resamples)
        return plain(blocks, score, resamples, width, n_jobs)

    monkeypatch.setattr(compare, "evaluate", watched)
    options = {"resamples": 500, "random_state": 1}
    p = cv.compare_predictions(truth, first, second, "ari", **options).p_value
    assert numbers == [500]
    # At a confidence that the p-value lies next to, more is drawn until the limit.
    numbers.clear()
    close = cv.compare_predictions(truth, first, second, "ari", confidence=1 - p, **options)
    assert numbers[:3] == [500, 500, 1000]
    assert sum(numbers) <= compare.EVALUATED / 2
    again = cv.compare_predictions(truth, first, second, "ari", confidence=1 - p, **options)
    assert again == close
    assert close.p_value == pytest.approx(p, abs=0.04)


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
