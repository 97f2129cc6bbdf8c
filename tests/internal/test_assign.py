"""New points in the clusters of a finished clustering."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

import clustervet as cv
from clustervet.errors import FeatureError, LabelError, ParameterError

RNG = np.random.default_rng(0)
LABELS = np.repeat([5, 2, 9], [40, 30, 20])
X = RNG.normal(size=(90, 3)) + LABELS[:, None]
NEW = RNG.normal(size=(200, 3)) + RNG.uniform(1, 10, size=(200, 1))


def test_centroids_are_those_of_scikit_learn():
    wanted = NearestCentroid().fit(X, LABELS).predict(NEW)
    assert cv.assign(X, LABELS, NEW).tolist() == wanted.tolist()


@pytest.mark.parametrize("neighbours", [1, 3, 7])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "canberra"])
def test_nearest_points_are_those_of_scikit_learn(neighbours, metric):
    peer = KNeighborsClassifier(neighbours, metric=metric, algorithm="brute").fit(X, LABELS)
    share = np.sort(peer.predict_proba(NEW), axis=1)
    clear = share[:, -1] > share[:, -2]  # the peer settles ties by the order of labels
    found = cv.assign(X, LABELS, NEW, "knn", metric=metric, neighbours=neighbours)
    assert found[clear].tolist() == peer.predict(NEW)[clear].tolist()
    assert clear.mean() > 0.7


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "chebyshev", "cosine"])
def test_the_least_mean_distance(metric):
    distances = cdist(NEW, X, metric)
    means = {k: distances[:, k == LABELS].mean(axis=1) for k in (5, 2, 9)}
    wanted = [min(means, key=lambda k: means[k][i]) for i in range(len(NEW))]
    assert cv.assign(X, LABELS, NEW, "average", metric=metric).tolist() == wanted


def test_distances_that_are_given():
    distances = cdist(NEW, X)
    for how in ("knn", "average"):
        found = cv.assign(None, LABELS, distances, how, metric="precomputed")
        assert found.tolist() == cv.assign(X, LABELS, NEW, how).tolist()


@pytest.mark.parametrize("how", ["centroid", "knn", "average"])
def test_sparse_points_functions_and_blocks(how, monkeypatch):
    wanted = cv.assign(X, LABELS, NEW, how).tolist()
    found = cv.assign(sparse.csr_array(X), LABELS, sparse.csr_array(NEW), how)
    assert found.tolist() == wanted
    assert cv.assign(sparse.csr_array(X), LABELS, NEW, how).tolist() == wanted
    monkeypatch.setattr("clustervet.geometry.assign.BLOCK", 500)
    assert cv.assign(X, LABELS, NEW, how).tolist() == wanted
    if how != "centroid":
        own = cv.assign(X, LABELS, NEW, how, metric=lambda a, b: float(np.linalg.norm(a - b)))
        assert own.tolist() == wanted


@given(st.lists(st.integers(0, 3), min_size=2, max_size=30), st.integers(0, 9))
def test_points_that_were_clustered_keep_their_cluster_beside_their_nearest_point(labels, seed):
    points = np.random.default_rng(seed).normal(size=(len(labels), 2))
    assert cv.assign(points, labels, points, "knn").tolist() == labels


def test_of_equally_many_neighbours_the_nearer_ones_win():
    points, new = [[0.0], [1.0], [4.0], [5.0]], [[2.4], [2.6]]
    assert cv.assign(points, [0, 0, 1, 1], new, "knn", neighbours=4).tolist() == [0, 1]


def test_noise_and_missing_labels_are_no_cluster():
    points = [[0.0], [1.0], [5.0], [9.0]]
    assert cv.assign(points, [0, 0, -1, 1], [[5.0]], "knn").tolist() in ([0], [1])
    assert cv.assign(points, [0, 0, -1, 1], [[5.0]], "knn", noise=None).tolist() == [-1]
    assert cv.assign(points, ["a", "a", None, "b"], [[4.9]], "knn").tolist() == ["a"]
    assert cv.assign(points, ["a", "a", "out", "b"], [[4.9]], "knn", noise="out").tolist() == ["a"]


def test_a_sign_is_no_noise():
    assert cv.assign([[0.0], [9.0]], [1, -1], [[8.0]]).tolist() == [-1]


def test_frames_and_names():
    frame = pd.DataFrame(NEW[:4], index=list("wxyz"))
    found = cv.assign(pd.DataFrame(X), pd.Series(LABELS), frame)
    assert found.index.tolist() == list("wxyz")
    assert found.tolist() == cv.assign(X, LABELS, NEW[:4]).tolist()
    mixed = cv.assign([[0.0], [9.0]], ["a", 1], [[1.0], [8.0]])
    assert mixed.tolist() == ["a", 1]


@pytest.mark.parametrize(
    ("arguments", "options", "error", "said"),
    [
        ((X, LABELS, NEW[:, :2]), {}, FeatureError, "it has 2, and X has 3"),
        ((X, LABELS[:5], NEW), {}, LabelError, "labels has 5 labels, and X has 90 points"),
        ((X, LABELS, NEW, "best"), {}, ParameterError, "how must be"),
        ((X, LABELS, NEW), {"metric": "cosine"}, ParameterError, "Euclidean distances"),
        ((X, LABELS, NEW, "knn"), {"neighbours": 0}, ParameterError, "neighbours must be"),
        ((X, LABELS, [[1.0, 2.0, np.nan]]), {}, FeatureError, "new"),
        ((X, np.full(90, -1), NEW), {}, LabelError, "there is no cluster"),
        (
            (None, LABELS, -np.ones((2, 90)), "knn"),
            {"metric": "precomputed"},
            FeatureError,
            "not negative",
        ),
        ((pd.DataFrame(X), pd.Series(LABELS, index=range(1, 91)), NEW), {}, LabelError, "index"),
    ],
)
def test_what_cannot_be_assigned(arguments, options, error, said):
    with pytest.raises(error, match=said):
        cv.assign(*arguments, **options)
