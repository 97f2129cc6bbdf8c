"""The ways to predict unlabelled points: bounds hold, and nothing looks at what is held out."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.datasets import make_moons
from sklearn.dummy import DummyClassifier

from clustervet.errors import ParameterError
from clustervet.fitting.fits import stream_of
from clustervet.pacmdl import bmax, transduce
from clustervet.selection import select
from clustervet.selection.predictors import _classifiers, _errors, halves_of

RNG = np.random.default_rng(3)
ORDER = RNG.permutation(120)
Y = np.repeat(["ham", "news", "spam"], 40)[ORDER]
X = (RNG.normal(size=(120, 2)) + 4 * np.repeat([[0, 0], [1, 0], [0, 1]], 40, axis=0))[ORDER]
MEANS = {"km": KMeans(n_init=1)}


class Fixed(ClusterMixin, BaseEstimator):
    """Clusters that were there before: the first feature modulo the number of clusters."""

    def __init__(self, n_clusters=2):
        self.n_clusters = n_clusters

    def fit(self, points, y=None):
        self.labels_ = points[:, 0].astype(int) % self.n_clusters
        return self


def parts(found, labelled, share=0.5):
    """The labelled points that are learnt from, and those held out."""
    rng = np.random.default_rng(stream_of(found.study.seed, "held out"))
    return halves_of(labelled, share, rng)


def exact_bmax(m, n, a, delta):
    """The largest b whose tail is at least delta, by the definition in whole numbers."""

    def tail(b):
        ways = sum(math.comb(n, t) * math.comb(m, a + b - t) for t in range(b, min(n, a + b) + 1))
        return Fraction(ways, math.comb(m + n, a + b))

    return max(b for b in range(n + 1) if tail(b) >= delta)


@pytest.mark.parametrize("delta", [Fraction(1, 10), Fraction(1, 3)])
def test_without_bits_the_bound_is_exact_for_a_predictor_fixed_beforehand(delta):
    held, rest = 7, 9
    for wrong in range(held + rest + 1):
        fails = Fraction(0)
        for seen in range(max(0, wrong - rest), min(held, wrong) + 1):
            ways = math.comb(held, seen) * math.comb(rest, wrong - seen)
            if wrong - seen > bmax(held, rest, seen, math.log2(delta)):
                fails += Fraction(ways, math.comb(held + rest, wrong))
        assert fails <= delta


def test_each_predictor_is_what_it_says_and_its_bound_is_the_tail_of_what_is_held_out():
    labelled = np.arange(120) % 2 == 0
    found = select(X, Y, MEANS, [2, 3, 4], 2, labelled=labelled, delta=0.25)
    assert list(found.predictors) == ["pac_mdl", "held_out", "baseline"]
    halves = parts(found, labelled)
    assert not (halves.learnt & halves.held).any()
    np.testing.assert_array_equal(halves.learnt | halves.held, labelled)
    for name in ("held_out", "baseline"):
        one = found.predictors[name]
        wrong = one.predictions != Y
        assert (one.learn_size, one.check_size) == (30, 30)
        assert one.check_errors == wrong[halves.held].sum()
        assert one.test_errors == wrong[~labelled].sum()
        assert one.test_rate == one.test_errors / 60
        assert one.bits == 0
        assert one.max_errors == exact_bmax(30, 60, one.check_errors, Fraction(1, 4))
        assert one.joint_max_errors == exact_bmax(30, 60, one.check_errors, Fraction(1, 12))
        assert (one.rate, one.joint_rate) == (one.max_errors / 60, one.joint_max_errors / 60)
    first = found.predictors["pac_mdl"]
    assert first.max_errors == found.bound.max_errors
    assert (first.check_errors, first.bits) == (found.best.train_errors, found.best.bits)
    np.testing.assert_array_equal(first.predictions, found.predictions)
    delta = Fraction(1, 12) / Fraction(2**first.bits)
    assert first.joint_max_errors == exact_bmax(60, 60, first.check_errors, delta)


def test_the_clustering_held_against_the_other_part_errs_least_on_the_first():
    labelled = np.arange(120) < 70
    found = select(X, Y, MEANS, [2, 3, 5, 9], 2, labelled=labelled)
    learnt = parts(found, labelled).learnt

    def errors(pred):
        """Each object is predicted by the others of its cluster; a tie is half an error."""
        total = Fraction(0)
        for k in np.flatnonzero(learnt):
            mates = [Y[j] for j in np.flatnonzero(learnt & (pred == pred[k])) if j != k]
            votes = Counter(mates)
            top = max(votes.values(), default=0)
            best = [label for label, count in votes.items() if count == top]
            others = len([label for label in best if label != Y[k]])
            if others or not mates:
                total += Fraction(1, 2) if Y[k] in best or not mates else 1
        return total

    tried = {}
    for one in found.table:
        pred = KMeans(one.clusters, n_init=1, random_state=one.seed).fit_predict(X)
        tried[errors(pred), one.clusters, one.run] = f"km, {one.clusters} clusters, run {one.run}"
    assert found.predictors["held_out"].method == tried[min(tried)]


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), min_size=2, max_size=25))
def test_errors_with_each_object_left_out_are_those_of_counting_one_by_one(pairs):
    truth, pred = zip(*pairs, strict=True)
    expected = 0.0
    for k, (label, cluster) in enumerate(pairs):
        votes = Counter(t for j, (t, p) in enumerate(pairs) if p == cluster and j != k)
        top = max(votes.values(), default=0)
        if votes[label] < top:
            expected += 1
        elif not votes or list(votes.values()).count(top) > 1:
            expected += 0.5
    assert transduce(truth, pred, range(len(pairs))).left_out_errors == expected


@settings(max_examples=15)
@given(st.integers(0, 2**16), st.sampled_from([0.3, 0.5, 0.7]))
def test_no_prediction_depends_on_the_labels_that_are_held_out(seed, share):
    labelled = np.random.default_rng(seed).random(120) < 0.4
    ask = {"labelled": labelled, "held_out": share, "labels": 3, "random_state": seed}
    found = select(X, Y, MEANS, [2, 3, 6], 1, **ask)
    halves = parts(found, labelled, share)
    other = Y.copy()
    other[halves.held] = np.random.default_rng(seed).permutation(other[halves.held])
    again = select(X, other, MEANS, [2, 3, 6], 1, **ask)
    for name in ("held_out", "baseline"):
        one, two = found.predictors[name], again.predictors[name]
        assert one.method == two.method
        np.testing.assert_array_equal(one.predictions, two.predictions)


def test_bounds_fail_no_more_often_than_delta_over_random_splits():
    # Classes that clusters and classifiers predict badly, so that bounds are put to the test.
    rng = np.random.default_rng(8)
    points = np.column_stack([np.arange(80), rng.normal(size=80)])
    truth = np.where(rng.random(80) < 0.3, rng.integers(0, 4, 80), np.arange(80) % 4)
    delta, runs = 0.3, 60
    alone, joint = Counter(), 0
    for seed in range(runs):
        found = select(
            points, truth, {"f": Fixed()}, [2, 4, 8], 1, train=40, delta=delta, random_state=seed
        )
        for name, one in found.predictors.items():
            alone[name] += one.test_errors > one.max_errors
        joint += any(one.test_errors > one.joint_max_errors for one in found.predictors.values())
    # 18 are expected at most; 32 or more would happen in one of 5,000 studies.
    assert max(alone.values()) < 32
    assert alone["held_out"] > 0  # the bound is not loose
    assert joint < 32


def test_the_smallest_joint_bound_is_trusted_and_said():
    points, truth = make_moons(200, noise=0.1, random_state=0)
    found = select(points, truth, MEANS, [2, 3], 2)
    assert found.trusted == "baseline"
    one = found.predictors["baseline"]
    assert one.joint_max_errors == min(p.joint_max_errors for p in found.predictors.values())
    said = (
        f"Of 3 ways to predict, trust baseline ({one.method}): at most "
        f"{one.joint_max_errors} of 100 wrong ({one.joint_rate:.2%})."
    )
    assert said in found.advice
    assert found.advice in repr(found)
    held = json.loads(found.to_json())
    assert (held["trusted"], held["advice"]) == ("baseline", found.advice)
    assert held["predictors"]["baseline"]["joint_max_errors"] == one.joint_max_errors
    assert "predictions" not in held["predictors"]["baseline"]


def test_clusters_that_are_apart_need_no_classifier():
    centres = 30 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    points = np.random.default_rng(1).normal(size=(400, 3)) + np.repeat(centres, 100, axis=0)
    found = select(points, np.repeat(list("abcd"), 100), MEANS, [3, 4, 5], 3, train=32)
    assert found.trusted == "held_out"
    assert found.predictors["held_out"].rate < found.predictors["pac_mdl"].rate


def test_both_opinions_can_be_left_out():
    alone = select(X, Y, MEANS, [3], 1, held_out=0)
    assert list(alone.predictors) == ["pac_mdl"]
    assert (alone.trusted, alone.advice) == ("pac_mdl", "")
    assert "Ways to predict" not in repr(alone)
    assert list(select(X, Y, MEANS, [3], 1, baseline=False).predictors) == ["pac_mdl", "held_out"]
    single = np.where(np.arange(120) == 5, Y, None)
    found = select(X, single, MEANS, [3], 1, labels=["ham", "news", "spam"])
    assert list(found.predictors) == ["pac_mdl"]


@pytest.mark.parametrize("share", [-0.1, 1, "half", None, float("nan"), True])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(ParameterError, match="held_out must be a share from 0 to below 1"):
        select(X, Y, MEANS, [3], 1, held_out=share)


def test_one_class_to_learn_from_is_answered_always():
    truth = np.array(["a"] * 30 + ["b"])
    points = np.random.default_rng(0).normal(size=(31, 2))
    found = select(points, truth, MEANS, [2], 1, labelled=np.arange(31) % 3 == 0)
    assert found.predictors["baseline"].method == "one class only"
    assert set(found.predictors["baseline"].predictions) == {"a"}


def test_labels_of_every_kind_come_back_as_they_were():
    kinds = (np.unique(Y, return_inverse=True)[1], Y == "ham", Y.astype(object))
    for truth in kinds:
        found = select(X, truth, MEANS, [3], 1)
        for one in found.predictors.values():
            assert set(one.predictions.tolist()) <= set(truth.tolist())
            assert one.test_errors < 20


def test_labels_of_several_kinds_are_not_made_words():
    truth = np.where(np.arange(120) % 2 == 0, Y, "ham").astype(object)
    truth[truth == "spam"] = 7
    found = select(X, truth, MEANS, [3], 1)
    for one in found.predictors.values():
        assert one.predictions.dtype == object
        assert set(one.predictions.tolist()) <= {"ham", "news", 7}
        assert one.predictions.shape == (120,)
    assert {7, "ham"} <= set(found.predictors["baseline"].predictions.tolist())


def test_text_and_sparse_rows_are_classified_too():
    rng = np.random.default_rng(0)
    topics = np.repeat(list("abc"), 60)
    means = 0.2 + 2.0 * np.repeat(np.kron(np.eye(3), np.ones((1, 5))), 60, axis=0)
    counts = rng.poisson(means)
    for weighting in ("none", "counts", "tfidf"):
        dense, packed = (
            select(rows, topics, ["spherical"], [3], 1, weighting=weighting)
            for rows in (counts, sparse.csr_matrix(counts))
        )
        for found in (dense, packed):
            assert found.predictors["baseline"].test_errors < 15


def test_features_of_any_size_are_classified():
    for scale in (1e148, 1e-100):
        found = select(X * scale, Y, MEANS, [3], 1)
        assert found.predictors["baseline"].test_errors < 15


def test_many_points_are_classified_in_blocks_and_learnt_from_in_part(monkeypatch):
    from clustervet.selection import predictors

    whole = select(X, Y, MEANS, [3], 1).predictors["baseline"].predictions
    monkeypatch.setattr(predictors, "BLOCK", 7)
    np.testing.assert_array_equal(
        select(X, Y, MEANS, [3], 1).predictors["baseline"].predictions, whole
    )
    monkeypatch.setattr(predictors, "MOST_LEARNT", 12)
    few = select(X, Y, MEANS, [3], 1).predictors["baseline"]
    assert few.learn_size == 30
    assert few.test_errors < 30


def test_a_journal_goes_on_with_another_part_held_out(tmp_path):
    ask = {"journal": tmp_path / "run.db"}
    first = select(X, Y, MEANS, [2, 3], 2, **ask)
    for more in ({"held_out": 0.3}, {"held_out": 0}, {"baseline": False}):
        again = select(X, Y, MEANS, [2, 3], 2, **ask, **more, resume=True)
        assert again.table == first.table
        assert again.to_json() == select(X, Y, MEANS, [2, 3], 2, **more).to_json()


def test_predictions_can_be_those_of_any_predictor():
    found = select(X, Y, MEANS, [3], 1)
    plain = found.predictions_columns()
    assert list(plain) == ["cluster", "label"]
    assert plain == found.predictions_columns(by="pac_mdl")
    for name in ("held_out", "baseline"):
        columns = found.predictions_columns(by=name)
        assert columns == {"label": found.predictors[name].predictions.tolist()}
    trusted = found.predictions_columns(by="trusted")
    assert trusted["label"] == found.predictors[found.trusted].predictions.tolist()
    with pytest.raises(ParameterError, match="by must be"):
        found.predictions_columns(by="luck")
    alone = select(X, Y, MEANS, [3], 1, held_out=0)
    with pytest.raises(ParameterError, match="has no predictor 'baseline', but pac_mdl"):
        alone.predictions_columns(by="baseline")
    assert alone.predictions_columns(by="trusted") == alone.predictions_columns()


def test_errors_are_counted_from_ten_points_on():
    model = DummyClassifier(strategy="most_frequent")
    for points in (9, 10, 11):
        wrong = _errors(model, np.zeros((points, 1)), np.arange(points) % 2)
        assert (wrong == 0) == (points < 10)


def test_where_a_part_leaves_one_class_to_learn_from_all_points_count_as_errors():
    model = DummyClassifier(strategy="most_frequent")
    classes = np.array([0] * 11 + [1])
    assert _errors(model, np.zeros((12, 1)), classes) == 12
    classes[0] = 1
    assert _errors(model, np.zeros((12, 1)), classes) == 2


def test_linear_rules_are_learnt_for_a_hundred_classes_at_most():
    assert "ridge regression" in _classifiers(100)
    assert list(_classifiers(101)) == ["1 nearest neighbour", "5 nearest neighbours"]
