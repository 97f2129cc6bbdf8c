"""Truth of a sample: exact where all is known, right on average, and beside er-evaluation."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustervet as cv
from clustervet.errors import LabelError, ParameterError
from clustervet.inference.sample_sums import FORMULAS

WHOLE = tuple(FORMULAS["clusters"])
PAIRS = ("pair_precision", "pair_recall", "pair_f1", "bcubed_precision")
labelings = st.integers(2, 30).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 6), min_size=n, max_size=n),
        st.lists(st.integers(0, 6), min_size=n, max_size=n),
    )
)


def all_pairs(truth, pred=None):
    """Every pair of objects, or every pair within a predicted cluster."""
    return [
        (i, j, truth[i] == truth[j])
        for i, j in combinations(range(len(truth)), 2)
        if pred is None or pred[i] == pred[j]
    ]


def drawn(seed, n=4_000, classes=900, clusters=700):
    """Clusters of many sizes, and a prediction that is mostly right."""
    rng = np.random.default_rng(seed)
    truth = (rng.pareto(0.8, n) * 3).astype(int) * 7 % classes
    pred = np.where(rng.random(n) < 0.85, truth, rng.integers(0, clusters, n))
    return truth, pred, rng


@given(labelings)
@settings(max_examples=60)
def test_all_true_clusters_give_the_measures_themselves(pair):
    truth, pred = pair
    for sampling in ("uniform", "size", dict.fromkeys(truth, 0.5)):
        found = cv.sampled_scores(truth, pred, sample="clusters", sampling=sampling)
        for key in WHOLE:
            score, value = found.score(key), cv.measures[key](truth, pred)
            if np.isnan(score.value):
                assert "sample" in score.why
            else:
                assert score.value == pytest.approx(value, rel=1e-12)
            if not np.isnan(score.value):
                assert score.low == score.high == score.value
                assert score.standard_error == 0


@given(labelings)
@settings(max_examples=60)
def test_all_objects_and_all_pairs_give_the_measures_themselves(pair):
    truth, pred = pair
    by_object = cv.sampled_scores(truth, pred, sample="objects")
    by_pair = cv.sampled_scores(all_pairs(truth), pred, sample="pairs")
    for key in PAIRS:
        for found in (by_object, by_pair):
            if not np.isnan(found[key]):
                assert found[key] == pytest.approx(cv.measures[key](truth, pred), rel=1e-12)
    within = all_pairs(truth, pred)
    if within:
        found = cv.sampled_scores(within, pred, sample="pairs", sampling="predicted")
        for key in ("pair_precision", "bcubed_precision"):
            assert found[key] == pytest.approx(cv.measures[key](truth, pred), rel=1e-12)
            assert found.score(key).low == found.score(key).high


def test_totals_are_right_on_average_over_all_samples():
    """Horvitz and Thompson's sums are unbiased: the mean over all samples is the sum itself."""
    from clustervet.inference.sample_sums import READERS
    from clustervet.labels.sampled import Predicted

    truth = np.array([0, 0, 0, 1, 1, 2, 3, 3, 3, 3])
    pred = Predicted(np.array([0, 0, 1, 1, 1, 2, 3, 3, 4, 2]))
    whole = READERS["clusters"](truth, pred, "uniform").totals
    for drawn_clusters in (1, 2, 3):
        sums = dict.fromkeys(whole, 0.0)
        samples = list(combinations(range(4), drawn_clusters))
        for kept in samples:
            known = {i: int(c) for i, c in enumerate(truth) if c in kept}
            found = READERS["clusters"](known, pred, dict.fromkeys(kept, drawn_clusters / 4))
            # The reader scales probabilities by the number of objects; undone here.
            factor = found.chances[0] / (drawn_clusters / 4)
            for name in sums:
                sums[name] += found.totals[name] * factor / len(samples)
        assert sums == pytest.approx(whole)


def test_probabilities_by_cluster_weigh_what_they_say():
    """By hand: cluster x (2 objects together, drawn surely), y (2 apart, drawn half the time)."""
    pred = {"a": 1, "b": 1, "c": 2, "d": 3, "e": 2, "f": 3}
    known = {"a": "x", "b": "x", "c": "y", "d": "y"}
    found = cv.sampled_scores(
        known, pred, sample="clusters", sampling={"x": 1.0, "y": 0.5}, measures=["pair_recall"]
    )
    assert found["pair_recall"] == pytest.approx(1 / 3)  # 1 of 1 + 2 true pairs
    for same in ({"x": 2.0, "y": 1.0}, dict(zip(pred, [4.0] * 2 + [2.0] * 2, strict=False))):
        sampling = same if "x" in same else [same.get(name) for name in pred]
        again = cv.sampled_scores(
            known, pred, sample="clusters", sampling=sampling, measures=["pair_recall"]
        )
        assert again["pair_recall"] == pytest.approx(1 / 3)  # a common factor does not matter


def test_probabilities_by_object_count_pairs_by_both():
    pred = [0, 0, 0, 1]
    truth = ["a", "a", "b", None]
    chances = [0.5, 0.25, 1.0, np.nan]
    found = cv.sampled_scores(truth, pred, sample="objects", sampling=chances)
    # Pairs ab: weight 8 and right; ac: 2, bc: 4, both wrong.
    assert found["pair_precision"] == pytest.approx(8 / 14)
    assert found["pair_recall"] == 1


def test_pairs_with_probabilities():
    pred = [0, 0, 1, 1, 2]
    pairs = [(0, 1, True), (2, 3, False), (0, 4, True)]
    found = cv.sampled_scores(pairs, pred, sample="pairs", sampling=[0.5, 0.5, 0.01])
    assert found["pair_precision"] == pytest.approx(0.5)
    assert found["pair_recall"] == pytest.approx(2 / 102)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:.*inplace")
@pytest.mark.parametrize("weights", ["uniform", "cluster_size"])
def test_like_er_evaluation(weights, monkeypatch):
    """The same ratios: er-evaluation's correction of their bias is left out here.

    Its B-cubed is another measure, the mean over true clusters and not over objects; see
    tests/external/test_fields_peers.py.
    """
    from er_evaluation import estimators as peer
    from er_evaluation.estimators import _utils

    monkeypatch.setattr(_utils, "ratio_estimator", lambda part, whole: sum(part) / sum(whole))
    truth, pred, rng = drawn(1)
    chosen = rng.choice(np.unique(truth), 150, replace=False)
    known = pd.Series(truth)[np.isin(truth, chosen)]
    sizes = known.value_counts()
    given = {c: float(sizes[c]) if weights == "cluster_size" else 1.0 for c in sizes.index}
    found = cv.sampled_scores(known, pd.Series(pred), sample="clusters", sampling=given)
    for key, function in {
        "pair_precision": peer.pairwise_precision_estimator,
        "pair_recall": peer.pairwise_recall_estimator,
        "pair_f1": peer.pairwise_f_estimator,
        "cluster_recall": peer.cluster_recall_estimator,
    }.items():
        value, _ = function(pd.Series(pred), known, weights)
        assert found[key] == pytest.approx(value, rel=1e-9), key


def test_er_evaluation_s_own_example():
    """The example of its docstrings: recall by clusters is 1/3 there, and so is ours."""
    pred = pd.Series([1, 1, 2, 3, 2, 4, 4, 4], index=range(1, 9))
    known = pd.Series(["c1"] * 3 + ["c2"] * 2 + ["c3"] * 3, index=range(1, 9))
    found = cv.sampled_scores(known, pred, sample="clusters")
    assert found["cluster_recall"] == pytest.approx(1 / 3)
    assert found["cluster_precision"] == pytest.approx(1 / 4)  # it says 0.2617: corrected for bias


def test_every_form_of_the_same_sample():
    pred = [0, 0, 1, 1, 2, 2]
    first = cv.sampled_scores(["x", "x", "y", "y", None, None], pred, sample="clusters")
    names = list("abcdef")
    forms = [
        ({0: "x", 1: "x", 2: "y", 3: "y"}, pred),
        ([{0, 1}, {2, 3}], np.array(pred)),
        (pl.Series(["x", "x", "y", "y", None, None]), pl.Series(pred)),
        (pd.Series(["y", "y", "x", "x"], index=[2, 3, 0, 1]), pd.Series(pred)),
        ({"a": 1, "b": 1, "c": 2, "d": 2}, dict(zip(names, pred, strict=True))),
        ([{"a", "b"}, {"c", "d"}], [{"a", "b"}, {"c", "d"}, {"e", "f"}]),
    ]
    for truth, whole in forms:
        assert cv.sampled_scores(truth, whole, sample="clusters") == first
    pairs = [("a", "b", 1), ("a", "c", 0)]
    keyed = dict(zip(names, pred, strict=True))
    frame = pd.DataFrame(pairs, columns=["one", "other", "same"])
    mapping = {("a", "b"): "yes", ("a", "c"): "no"}
    one = cv.sampled_scores(pairs, keyed, sample="pairs")
    assert cv.sampled_scores(frame, keyed, sample="pairs") == one
    assert cv.sampled_scores(mapping, keyed, sample="pairs") == one
    assert cv.sampled_scores(pl.DataFrame(frame), keyed, sample="pairs") == one


def test_more_units_for_a_narrower_interval():
    truth, pred, rng = drawn(3)
    rows = rng.choice(len(truth), 800, replace=False)
    known = pd.Series(truth[rows], index=rows)
    wide, narrow = (
        cv.sampled_scores(known, pd.Series(pred), sample="objects", width=w) for w in (0.2, 0.05)
    )
    for score in narrow.scores:
        assert score.needed > wide.score(score.measure.key).needed
        assert score.needed <= len(truth)  # all objects leave no doubt
    now = narrow.score("bcubed_precision")
    exact = cv.sampled_scores(known, pd.Series(pred), sample="objects", width=now.high - now.low)
    assert exact.score("bcubed_precision").needed == pytest.approx(len(rows), abs=1)


def test_the_number_needed_gives_the_width():
    """Samples of the size that a first sample asks for have about the width wanted."""
    truth, pred, rng = drawn(5, n=30_000)

    def sample(count):
        rows = rng.choice(len(truth), count, replace=False)
        known = pd.Series(truth[rows], index=rows)
        return cv.sampled_scores(known, pd.Series(pred), sample="objects", width=0.04)

    needed = sample(2_000).score("pair_recall").needed
    widths = [s.high - s.low for s in (sample(needed).score("pair_recall") for _ in range(5))]
    assert np.median(widths) == pytest.approx(0.04, rel=0.25)


def test_few_large_clusters_are_called_rough():
    sizes = [500, 300] + [2] * 400
    truth = np.repeat(np.arange(len(sizes)), sizes)
    pred = truth.copy()
    pred[::7] += 1
    kept = np.isin(truth, np.arange(2, 60))
    known = {int(i): int(truth[i]) for i in np.flatnonzero(kept)}
    found = cv.sampled_scores(known, pred, sample="clusters")
    assert found.score("pair_precision").is_rough
    assert not found.score("cluster_recall").is_rough
    assert any("draw true clusters by size" in said for said in found.remarks)
    by_size = cv.sampled_scores(known, pred, sample="clusters", sampling="size")
    assert not any("by size" in said for said in by_size.remarks)


def test_chances_by_size_stand_for_all_objects():
    from clustervet.inference.sample_sums import READERS
    from clustervet.labels.sampled import Predicted

    truth, pred, rng = drawn(7)
    order = truth[rng.permutation(len(truth))]
    found = set(order[:60].tolist())
    known = {i: int(c) for i, c in enumerate(truth) if c in found}
    sample = READERS["clusters"](known, Predicted(pred), "size")
    assert sample.totals["size"] == pytest.approx(len(truth))
    # The number of draws that it takes for true is about the 60 that were made.
    sizes = np.bincount(truth)[sorted(found)]
    draws = np.log1p(-sample.chances) / np.log1p(-sizes / len(truth))
    assert np.allclose(draws, draws[0])
    assert 30 < draws[0] < 120


def test_undefined_says_why():
    found = cv.sampled_scores({0: "a", 1: "b"}, [0, 1, 2, 2], sample="objects")
    assert np.isnan(found["pair_precision"])
    assert (
        found.score("pair_recall").why == "no pair of objects of one true cluster is in the sample"
    )
    assert found.score("pair_recall").needed is None
    assert "has no value" in repr(found)
    assert found.to_dict()["scores"][0]["value"] is None


def test_noise_is_mentioned_or_alone():
    found = cv.sampled_scores({0: "a", 1: "a"}, [-1, -1, 0, 0], sample="clusters")
    assert any("-1" in said for said in found.remarks)
    alone = cv.sampled_scores(
        {0: "a", 1: "a"}, [-1, -1, 0, 0], sample="clusters", noise="singletons"
    )
    assert (found["pair_recall"], alone["pair_recall"]) == (1, 0)
    assert not any("-1" in said for said in alone.remarks)


@pytest.mark.parametrize(
    ("truth", "pred", "options", "said"),
    [
        ([1, 2], [0, 0, 1], {"sample": "clusters"}, "truth has 2 labels and pred has 3"),
        ([None, None], [0, 1], {"sample": "clusters"}, "truth"),
        ({5: "a"}, [0, 1], {"sample": "clusters"}, r"does not have \(its rows count from 0 to 1\)"),
        ({"z": 1}, {"a": 0}, {"sample": "clusters"}, "such as 'z'"),
        ([1], {"a": 0}, {"sample": "clusters"}, "pred names its objects and truth does not"),
        ([1, 2], [0, 1], {"sample": "records"}, "'clusters', 'objects' or 'pairs'"),
        ([1, 2], [0, 1], {"sample": "objects", "sampling": "size"}, "'uniform' for a sample"),
        ([1, 2], [0, 1], {"sample": "clusters", "sampling": {1: 0.5}}, "above 0 for each class"),
        ([1, 2], [0, 1], {"sample": "clusters", "sampling": {1: 0.5, 2: 0.0}}, "it has 0.0 for 1"),
        ([1, 1], [0, 1], {"sample": "clusters", "sampling": [0.1, 0.2]}, "same for all objects"),
        ([1, 1], [0, 1], {"sample": "objects", "sampling": [0.1]}, "2 in all"),
        ([1, 1], [0, 1], {"sample": "objects", "sampling": ["x", "y"]}, "one number per object"),
        ([1, 2], [0, 1], {"sample": "objects", "width": 0}, "width must lie between 0 and 1"),
        ([1, 2], [0, 1], {"sample": "objects", "measures": ["cluster_f1"]}, "cannot estimate"),
        ([(0, 1)], [0, 1], {"sample": "pairs"}, "pair 1 of truth must have two objects"),
        ([(0, 0, True)], [0, 1], {"sample": "pairs"}, "the same object twice"),
        ([(0, 1, "maybe")], [0, 1], {"sample": "pairs"}, "must be a match or not"),
        ([(0, 1, None)], [0, 1], {"sample": "pairs"}, "must be a match or not"),
        ([(0, 9, True)], [0, 1], {"sample": "pairs"}, "1 object that pred does not have"),
        ([], [0, 1], {"sample": "pairs"}, "no pairs"),
        (7, [0, 1], {"sample": "pairs"}, "pairs of objects, not"),
        ([(0, 1, True)], [0, 1], {"sample": "pairs", "sampling": "predicted"}, "not within"),
        ([1, 2], [0, -1], {"sample": "objects", "noise": "drop"}, "noise='singletons'"),
        ([1, 2], [0, None], {"sample": "objects"}, "pred"),
    ],
)
def test_bad_input(truth, pred, options, said):
    with pytest.raises((LabelError, ParameterError), match=said):
        cv.sampled_scores(truth, pred, **options)


def test_an_index_twice():
    pred = pd.Series([0, 1, 1], index=["a", "b", "b"])
    with pytest.raises(LabelError, match="two objects with the index 'b'"):
        cv.sampled_scores(pd.Series([1], index=["a"]), pred, sample="clusters")
    with pytest.raises(LabelError, match="an object twice"):
        cv.sampled_scores(
            pd.Series([1, 2], index=["a", "a"]), pd.Series([0], index=["a"]), sample="clusters"
        )


def test_a_common_factor_of_the_probabilities_of_pairs_does_not_matter():
    pairs = [(k, k + 1, k % 3 == 0) for k in range(0, 40, 2)]
    pred = np.arange(60) // 2
    found = [
        cv.sampled_scores(pairs, pred, sample="pairs", sampling=np.full(20, p)).to_dict(flat=True)
        for p in (1.0, 0.9, 1e-6, 5.0)
    ]
    for other in found[1:]:
        assert other == pytest.approx(found[0])
    assert found[0]["pair_precision.low"] < found[0]["pair_precision"]


def test_rounding_does_not_go_beyond_one():
    labels = [0, 1, 2, 2, 0, 1, 1, 2, 0, 0, 1]
    found = cv.sampled_scores([*labels, None], [*labels, 0], sample="objects")
    assert found["bcubed_precision"] <= found.score("bcubed_precision").high == 1


def test_clusters_of_one_object_are_precise():
    pairs = [(0, 1, True), (2, 3, False)]
    score = cv.sampled_scores(pairs, range(5), sample="pairs").score("bcubed_precision")
    assert (score.low, score.value, score.high) == (1, 1, 1)


def test_minus_one_in_the_truth_is_told():
    found = cv.sampled_scores([0, 0, -1, -1], [0, 0, 1, 1], sample="clusters")
    assert any("-1 of 2 objects is taken as a true cluster" in said for said in found.remarks)


def test_a_series_of_the_sample_beside_a_mapping():
    pred = {"a": 0, "b": 0, "c": 1}
    series = pd.Series(["x", "x"], index=["a", "b"])
    mapping = {"a": "x", "b": "x"}
    wanted = cv.sampled_scores(mapping, pred, sample="clusters")
    assert cv.sampled_scores(series, pred, sample="clusters") == wanted
