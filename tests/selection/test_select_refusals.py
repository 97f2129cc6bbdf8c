from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans

from clustervet.errors import FeatureError, LabelError, ParameterError
from clustervet.selection import select

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20, 3))
Y = np.array(["a", "b"] * 10)


class Untouched(KMeans):
    """Says so if it is fitted at all."""

    def fit_predict(self, points, y=None, sample_weight=None):
        raise AssertionError("a fit was started")


ALGORITHMS = {"never": Untouched()}


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"y": [None] * 20}, LabelError, "no object is labelled"),
        ({"y": ["a"] * 20}, LabelError, "there is one label only, 'a'"),
        ({"y": Y[:19]}, LabelError, "X has 20 points and y has 19 labels"),
        ({"y": None}, LabelError, "y must be a sequence"),
        ({"X": X[:1], "y": Y[:1]}, FeatureError, "at least 2 points; X has 1"),
        ({"X": X.ravel()}, FeatureError, "two dimensions"),
        ({"labelled": np.zeros(20, bool)}, LabelError, "no object is labelled"),
        ({"labelled": np.ones(20, bool)}, LabelError, "nothing to predict"),
        ({"labelled": [3, 99]}, ParameterError, "position 99"),
        ({"labelled": [0], "y": [None, *Y[1:]]}, LabelError, "no truth"),
        ({"clusters": [3, 21]}, ParameterError, "asks for 21 clusters, which is more than the 20"),
        ({"clusters": []}, ParameterError, "clusters is empty"),
        ({"clusters": [2.5]}, ParameterError, "clusters must be a whole number of at least 1"),
        ({"clusters": [0]}, ParameterError, "clusters must be a whole number of at least 1"),
        ({"clusters": "2..5"}, ParameterError, "clusters must be a whole number"),
        ({"clusters": [1, 2]}, ParameterError, "needs two clusters or more"),
        ({"clusters": 1, "language": "algo"}, ParameterError, "needs two clusters or more"),
        ({"runs": 0}, ParameterError, "runs must be a whole number of at least 1"),
        ({"delta": 0}, ParameterError, "delta must lie between 0 and 1, not 0"),
        ({"delta": 1.0}, ParameterError, "delta must lie between 0 and 1, not 1.0"),
        ({"delta": -0.5}, ParameterError, "delta must lie between 0 and 1"),
        ({"delta": float("nan")}, ParameterError, "delta must lie between 0 and 1"),
        ({"delta": "0.1"}, ParameterError, "delta must lie between 0 and 1"),
        ({"language": "clutser"}, ParameterError, "did you mean cluster"),
        ({"language": "init"}, ParameterError, "does not pay for choosing the number of clusters"),
        ({"language": "simple", "clusters": 2, "runs": 2}, ParameterError, "choosing the run"),
        ({"train": 1.0}, ParameterError, "train must be a share"),
        ({"train": 0}, ParameterError, "train must be a share"),
        ({"train": True}, ParameterError, "train must be a share"),
        ({"train": "half"}, ParameterError, "train must be a share"),
        ({"train": 20}, ParameterError, "at most 19 can be labelled"),
        ({"labels": 1}, ParameterError, "labels is 1, but truth holds 2"),
        ({"labels": ["a", "c"]}, LabelError, "'b', which is not among labels"),
        ({"noise": "drop"}, ParameterError, "noise must be 'keep' or 'singletons'"),
        ({"neighbours": 3}, ParameterError, "they go with weighting='tfidf' or weighting="),
        ({"neighbours": -1}, ParameterError, "neighbours must be"),
        ({"neighbours": 1.5}, ParameterError, "neighbours must be"),
        ({"weighting": "tf"}, ParameterError, "weighting must be 'none', 'counts' or 'tfidf'"),
        ({"weighting": "tfidf"}, FeatureError, "is for counts, from zero on; row 0, column"),
        ({"n_jobs": 0}, ParameterError, "n_jobs must not be 0"),
        ({"random_state": -1}, ParameterError, "random_state must be"),
        ({"random_state": "x"}, ParameterError, "random_state must be"),
        ({"resume": True}, ParameterError, "resume goes with a journal"),
        ({"resume": False}, ParameterError, "resume goes with a journal"),
        ({"algorithms": []}, ParameterError, "algorithms is empty"),
        ({"algorithms": ["sphericl"]}, ParameterError, "did you mean spherical"),
        ({"algorithms": ["xyzzy"]}, ParameterError, "the names are kmeans, spherical"),
        ({"algorithms": ["kmeans", "kmeans"]}, ParameterError, "has 'kmeans' twice"),
        ({"algorithms": {"": KMeans()}}, ParameterError, "name must be a word"),
        ({"algorithms": {3: KMeans()}}, ParameterError, "name must be a word"),
        ({"algorithms": {"a": 3}}, ParameterError, "must be a clusterer"),
        ({"algorithms": 3}, ParameterError, "must be a clusterer"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_cannot_be_selected_is_refused_before_any_fit(changes, kind, message):
    options = {"X": X, "y": Y, "algorithms": ALGORITHMS, "clusters": [2, 3], "runs": 2} | changes
    with pytest.raises(kind, match=message) as caught:
        select(**options)
    assert str(caught.value).endswith((".", "?"))


@pytest.mark.parametrize("matrix", [X, sparse.csr_matrix(X)])
def test_negative_counts_are_refused_by_the_name_of_the_algorithm(matrix):
    with pytest.raises(FeatureError, match="the algorithm 'kl' reads counts, from zero on; row 0"):
        select(matrix, Y, ["kmeans", "kl"])
    usual = select(matrix, Y, clusters=[3], runs=1)
    assert len(usual.study.algorithms) == 5
    assert "Left out: kl, which reads counts, from zero on; row 0, column" in repr(usual)


def test_shares_of_words_are_not_counts():
    shares = np.abs(X) / np.abs(X).sum(axis=1, keepdims=True)
    with pytest.raises(FeatureError, match="weighting='tfidf' is for counts, and row 0, column 0"):
        select(shares, Y, ["kmeans"], [3], 1, weighting="tfidf")
    select(shares, Y, ["kmeans"], [3], 1, weighting="counts", neighbours=3)


def test_a_refused_call_leaves_no_journal(tmp_path):
    with pytest.raises(ParameterError):
        select(X, Y, ALGORITHMS, [2, 3], 2, delta=2, journal=tmp_path / "run.db")
    assert list(tmp_path.iterdir()) == []


def test_the_usual_numbers_of_clusters_end_where_the_points_do():
    found = select(X, Y, ["kmeans"], runs=1)
    assert found.study.clusters == tuple(range(2, 20))
