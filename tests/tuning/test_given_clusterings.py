"""A function of the parameter, or labels by value, in the place of an estimator."""

from __future__ import annotations

import json
import random
import re
from functools import partial

import igraph
import joblib
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.cluster import DBSCAN, KMeans
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import kneighbors_graph

import clustervet as cv
from clustervet.errors import ClustervetError, FeatureError, LabelError
from clustervet.tuning import tune

RNG = np.random.default_rng(7)
X = np.concatenate([RNG.normal(c, 1, (30, 2)) for c in ((0, 0), (10, 0), (0, 10), (10, 10))])
CLOUD = RNG.uniform(size=(120, 3))
NUMBERS = range(2, 9)
FEW = {"measures": ["silhouette"], "references": 0}


def kmeans(n_clusters):
    return KMeans(n_clusters, n_init=10, random_state=0).fit_predict(X)


LABELS = {k: kmeans(k) for k in NUMBERS}


@pytest.fixture(scope="module")
def fitted():
    return tune("kmeans", X, values=NUMBERS, random_state=0)


@pytest.mark.parametrize(
    ("given", "parameter", "name"),
    [
        (kmeans, "n_clusters", "kmeans"),
        (lambda k: kmeans(k), "k", "lambda"),
        (lambda k: KMeans(k, n_init=10, random_state=0).fit(X), "k", "lambda"),
        (lambda *values: kmeans(*values), "value", "lambda"),
        (partial(lambda points, k: kmeans(k), X), "k", "lambda"),
        (LABELS, "value", "given labels"),
        ({k: labels.tolist() for k, labels in reversed(LABELS.items())}, "value", "given labels"),
        (pd.DataFrame(LABELS), "value", "given labels"),
        (pl.DataFrame({str(k): v for k, v in LABELS.items()}), "value", "given labels"),
        (pa.table({str(k): v for k, v in LABELS.items()}), "value", "given labels"),
    ],
)
def test_labels_made_elsewhere_tune_as_an_estimator_does(fitted, given, parameter, name):
    values = None if name == "given labels" else NUMBERS
    found = tune(given, X, values=values, random_state=0)
    assert (found.estimator, found.parameter) == (name, parameter)
    assert found.values == fitted.values
    assert (found.suggestion, found.verdict) == (4, fitted.verdict)
    for key, curve in fitted.curves.items():
        assert found.curves[key].tolist() == curve.tolist()
        assert found.choices[key].to_dict() == fitted.choices[key].to_dict()
    assert found.counts.tolist() == fitted.counts.tolist()
    assert (found.best_labels() == fitted.best_labels()).all()


def test_the_parameter_has_a_name_of_ones_own():
    found = tune(lambda k: kmeans(k), X, "resolution", [3, 4, 5], **FEW)
    assert found.parameter == "resolution"
    assert list(found.columns())[:2] == ["resolution", "clusters"]
    assert tune(LABELS, X, parameter="k", **FEW).parameter == "k"
    clash = tune(lambda clusters: kmeans(clusters), X, values=[3, 4], **FEW)
    assert list(clash.columns())[:2] == ["clusters_value", "clusters"]


def test_an_argument_of_the_name_of_the_parameter_varies():
    calls = []

    def noted(k=4, scale=1.0, seed=None):
        calls.append((k, scale, seed))
        return kmeans(k)

    found = tune(noted, X, "scale", [0.5, 2.0], random_state=6, **FEW)
    assert (found.parameter, calls) == ("scale", [(4, 0.5, 6), (4, 2.0, 6)])
    calls.clear()
    tune(noted, X, "seed", [1, 2], random_state=6, **FEW)
    assert calls == [(4, 1.0, 1), (4, 1.0, 2)]


def test_a_function_is_called_once_per_value_and_gets_the_seed_that_it_asks_for():
    calls = []

    def seeded(k, seed=None):
        calls.append((k, seed))
        return kmeans(k)

    tune(seeded, X, values=[4, 3, 5], random_state=6)
    assert calls == [(3, 6), (4, 6), (5, 6)]
    calls.clear()
    tune(seeded, X, values=[3, 4], **FEW)
    assert calls[0][1] == calls[1][1] is not None  # all values start alike

    def own(k, random_state=11, scale=1.0):
        calls.append((k, random_state))
        return kmeans(k)

    calls.clear()
    tune(own, X, values=[3], **FEW)
    tune(own, X, values=[3], random_state=2, **FEW)
    assert calls == [(3, 11), (3, 2)]


def test_a_number_of_clusters_has_its_usual_values():
    points = X[::12]
    found = tune(lambda n_clusters: KMeans(n_clusters).fit(points), points, **FEW)
    assert found.values == [2, 3, 4, 5, 6, 7, 8, 9]


def test_clusterings_of_graphs_are_taken_as_they_come():
    nearest = kneighbors_graph(X, 12)
    edges = list(zip(*nearest.nonzero(), strict=True))
    graph = igraph.Graph(len(X), edges).simplify()

    def leiden(resolution):
        return graph.community_leiden("modularity", resolution=resolution, n_iterations=5)

    random.seed(0)  # igraph draws from it
    resolutions = [0.01, 0.1, 0.3, 1.0, 8.0]
    found = tune(leiden, X, values=resolutions, random_state=0)
    assert (found.estimator, found.parameter) == ("leiden", "resolution")
    assert found.counts[found.values.index(found.suggestion)] == 4
    network = nx.from_edgelist(edges)

    def louvain(resolution, seed):
        return nx.community.louvain_communities(network, resolution=resolution, seed=seed)

    groups = tune(louvain, X, values=[1.0], random_state=0, **FEW)
    for k, members in enumerate(louvain(1.0, 0)):
        assert set(np.flatnonzero(groups.labels[1.0] == k)) == members


def test_labels_by_object_are_put_in_the_order_of_the_rows():
    names = [f"cell {i}" for i in range(120)]
    frame = pd.DataFrame(X, index=names)
    shuffled = {names[i]: int(LABELS[4][i]) for i in RNG.permutation(120)}
    found = tune({4: shuffled}, frame, **FEW)
    assert found.labels[4].tolist() == LABELS[4].tolist()
    groups = [{i for i in range(120) if LABELS[4][i] == k} for k in range(4)]
    assert tune({4: groups}, X, **FEW).labels[4].tolist() == LABELS[4].tolist()
    with pytest.raises(LabelError, match=r"labels at value=4 name objects that are not the rows"):
        tune({4: shuffled}, X, **FEW)


def test_series_must_have_the_index_of_the_points():
    frame = pd.DataFrame(X)
    series = pd.Series(LABELS[4])
    assert tune({4: series}, frame, **FEW).labels[4].tolist() == LABELS[4].tolist()
    with pytest.raises(LabelError, match="X and the labels at value=4 have the same index values"):
        tune({4: series.iloc[::-1]}, frame, **FEW)


def test_labels_keep_their_names_and_noise_is_noise():
    text = np.array(["a", "b", "c", "d"])[LABELS[4]]
    found = tune({4: text, 5: LABELS[5]}, X, **FEW)
    assert found.labels[4].tolist() == text.tolist()
    noisy = DBSCAN(eps=0.8).fit_predict(X)
    share = np.mean(noisy == -1)
    assert 0 < share < 0.5
    words = np.where(noisy == -1, "-1", np.char.add("c", noisy.astype(str)))
    mixed = [-1 if label == -1 else f"c{label}" for label in noisy.tolist()]
    found = tune({1: noisy, 2: words, 3: mixed}, X, **FEW)
    assert found.noise == pytest.approx([share] * 3)
    assert len(set(found.counts.tolist())) == 1
    assert len(set(found.curves["silhouette"].tolist())) == 1


def test_what_needs_further_fits_is_left_out_and_the_reason_is_said():
    found = tune(kmeans, X, values=[3, 4, 5], measures=["ssq", "validated_likelihood"], bootstrap=5)
    why = "a function of n_clusters alone cannot cluster other points"
    assert found.stability is None
    assert found.reasons["validated_likelihood"] == [why] * 3
    assert f"No stability over samples and no validation by folds: {why}." in repr(found)
    assert "with a new fit" not in repr(found)
    assert json.loads(found.to_json())["fixed"] == why
    given = tune(LABELS, X, bootstrap=5, **FEW)
    assert "labels are given for these points alone" in repr(given)
    other = tune(LABELS, X, measures=["validated_likelihood"], validation=X + 0.1, references=0)
    assert np.isfinite(other.curves["validated_likelihood"]).all()  # needs no further fit


def test_the_gap_statistic_draws_its_own_references(fitted):
    options = {"measures": {"gap_statistic": {"references": 2}}, "random_state": 0}
    values = range(2, 6)
    given = tune({k: LABELS[k] for k in values}, X, **options)
    direct = tune("kmeans", X, values=values, **options)
    # k-means clusters the references of labels that were given, with other seeds.
    np.testing.assert_allclose(
        given.curves["gap_statistic"], direct.curves["gap_statistic"], atol=0.05
    )
    assert given.choices["gap_statistic"].value == 4


def test_points_and_sets_without_clusters_are_compared_by_a_usual_clusterer(fitted):
    found = tune(LABELS, X, random_state=0)
    assert found.reference.clusterer == "kmeans"
    assert "without clusters, all clustered by kmeans like the points: p < 0.001" in repr(found)
    assert found.to_dict()["reference"]["clusterer"] == "kmeans"
    assert len(found.reference.low["ssq"]) == len(found.values)
    square = tune(LABELS, pairwise_distances(X), metric="precomputed", random_state=0)
    assert (square.suggestion, square.reference.clusterer) == (4, "average")
    assert "clusterer" not in fitted.to_dict()["reference"]
    assert "fixed" not in fitted.to_dict()


def test_votes_for_labels_of_data_without_clusters_are_no_suggestion():
    # Labels that measures agree on: three slices of a uniform box, and others at random.
    slices = np.digitize(CLOUD[:, 0], [1 / 3, 2 / 3])
    others = {k: RNG.integers(k, size=120) for k in (2, 4, 5)}
    found = tune({3: slices} | others, CLOUD, random_state=0)
    assert found.voted == 3
    assert found.suggestion is None
    assert "the points, clustered by kmeans, look like data without clusters (p =" in found.why


def test_a_value_without_a_clustering_is_undefined_with_its_reason():
    def moody(r):
        if r == 0.1:
            raise RuntimeError("not today\nor ever")
        if r == 0.2:
            return [0, 1, 2]
        return np.zeros(120, int) if r == 0.3 else kmeans(round(r * 10))

    found = tune(moody, X, values=[0.1, 0.2, 0.3, 0.4, 0.5], **FEW)
    why = found.reasons["silhouette"]
    assert why[0] == "moody(r=0.1) fails: RuntimeError, not today"
    assert why[1] == "there are 3 labels at r=0.2, and X has 120 points"
    assert "needs at least 2 clusters" in why[2]
    assert why[3:] == [None, None]
    assert list(found.labels) == [0.3, 0.4, 0.5]


def test_workers_of_any_kind_call_the_function():
    options = {"values": [3, 4], "random_state": 0, **FEW}
    one = tune(lambda k: kmeans(k), X, **options)
    assert tune(lambda k: kmeans(k), X, n_jobs=2, **options).to_json() == one.to_json()
    with joblib.parallel_config("loky", n_jobs=2):
        assert tune(lambda k: kmeans(k), X, **options).to_json() == one.to_json()
        assert tune(LABELS, X, **FEW).counts.tolist() == list(NUMBERS)


def test_text_values_stay_in_their_order():
    found = tune({"low": LABELS[3], "high": LABELS[5], "default": LABELS[4]}, X)
    assert found.values == ["low", "high", "default"]
    assert found.choices["silhouette"].value == "default"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tune(lambda r: 1 / 0, X, values=[0.1]), "lambda(r=0.1) fails: ZeroDivisionEr"),
        (lambda: tune(lambda r: [0, 1], X, values=[0.1]), "there are 2 labels at r=0.1, and X has"),
        (lambda: tune(lambda r: None, X, values=[0.1]), "labels at r=0.1 must be a sequence with"),
        (lambda: tune(lambda r: [[0]] * 120, X, values=[1]), "at r=1 must be one-dimensional"),
        (lambda: tune(lambda r: [0.5] * 120, X, values=[1]), "the labels at r=1"),
        (lambda: tune(lambda r: [0] * 120, X, values=[1, 2]), "no value of r (1, 2) gives two clu"),
        (lambda: tune(lambda r: {"a": 0}, X, values=[1]), "at r=1 name objects that are not the"),
        (lambda: tune(lambda r: r, X), "values of r must be given"),
        (lambda: tune(lambda r, graph: r, X, values=[1]), "lambda takes (r, graph)"),
        (lambda: tune(lambda: 0, X, values=[1]), "a function must take one value"),
        (lambda: tune(kmeans, X, 5, values=[1]), "parameter must be a name, not 5"),
        (lambda: tune(kmeans, X, values=[0.1, "a"]), "have no order: 'a' stands among numbers"),
        (lambda: tune(kmeans, X, values=[np.nan, 1.0]), "have no order: nan stands among"),
        (lambda: tune(kmeans, X, values=[2, 500]), "n_clusters=500 asks for more clusters"),
        (lambda: tune({1: [0, 1] * 60, None: [0] * 120}, X), "have no order: None stands among"),
        (lambda: tune({1: [0, 1] * 60, 2: [0, 1]}, X), "there are 2 labels at value=2, and X has"),
        (lambda: tune({1: [0, None] * 60}, X), "labels at value=1 are missing for 60 points"),
        (lambda: tune({"a": 0, "b": 1}, X), "the labels at value='a' must be a sequence"),
        (lambda: tune({1: KMeans()}, X), "the labels at value=1 must be a sequence"),
        (lambda: tune({}, X), "there are no labels; give at least one value"),
        (
            lambda: tune(LABELS, X, values=[2]),
            "labels have their values; leave values and grid out",
        ),
        (lambda: tune(LABELS, X, grid={"k": [2]}), "have their values; leave values and grid out"),
        (
            lambda: tune(pl.DataFrame({"1": LABELS[2], "1.0": LABELS[3]}), X),
            "two columns of labels have the value '1'",
        ),
    ],
)
def test_bad_calls_get_one_clear_sentence(call, message):
    with pytest.raises(ClustervetError, match=re.escape(message)) as caught:
        call()
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith(".")


def test_the_public_name_takes_them_too():
    assert cv.tune(LABELS, X, random_state=0).suggestion == 4


def test_clusters_are_judged_by_the_points():
    needs = r"tune needs X, by which .* for a graph, with metric='precomputed', a matrix of"
    with pytest.raises(FeatureError, match=needs):
        cv.tune(lambda r: [0, 1], values=[1, 2])


def test_one_cluster_may_be_among_the_values_of_the_gap_rule():
    rng = np.random.default_rng(0)
    chosen = []
    for apart in (0, 5):
        points = np.concatenate([rng.normal((apart * c, 0), 1, (30, 2)) for c in range(3)])
        ask = {"measures": ["gap_statistic"], "references": 0, "random_state": 0}
        one, two = (
            cv.tune("kmeans", points, values=range(first, 6), **ask).choices["gap_statistic"]
            for first in (1, 2)
        )
        assert (one.value, one.why) == (two.value, two.why)
        chosen.append(one.value)
    assert chosen == [None, 3]  # none is one cluster
