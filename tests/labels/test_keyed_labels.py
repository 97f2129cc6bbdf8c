"""Labels in the objects that people hold: mappings, groups, estimators, frames, graphs."""

from __future__ import annotations

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.cluster import DBSCAN, KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import clustervet as cv
from clustervet.errors import ClustervetError, LabelError

TRUTH = {"x": "a", "y": "a", "z": "b", "w": "b"}
PRED = {"w": 1, "z": 0, "y": 0, "x": 0}
WANTED = cv.adjusted_rand(["a", "a", "b", "b"], [0, 0, 0, 1])


@pytest.mark.parametrize(
    "pred",
    [PRED, [{"x", "y", "z"}, {"w"}], [frozenset("xyz"), frozenset("w")], ({"w"}, set("xyz"))],
)
def test_objects_are_paired_by_their_names(pred: object) -> None:
    assert cv.adjusted_rand(TRUTH, pred) == WANTED
    assert cv.external_scores(TRUTH, pred)["adjusted_rand"] == WANTED
    assert cv.Contingency.from_labels(TRUTH, pred).n == 4
    assert cv.examine(TRUTH, pred, measures="ari").scores["pred"]["adjusted_rand"] == WANTED
    several = cv.external_scores(TRUTH, {"one": pred, "other": TRUTH})
    assert (several["one"]["ari"], several["other"]["ari"]) == (WANTED, 1.0)
    ranked = cv.rank_predictions(TRUTH, {"one": pred, "other": TRUTH}, "rand")
    assert set(ranked.values) == {"one", "other"}


def test_the_order_of_objects_is_that_of_the_truth() -> None:
    found = cv.diagnose(TRUTH, PRED).objects(cluster=0, cls="b")
    assert np.asarray(found).tolist() == [2]


@pytest.mark.parametrize(
    ("truth", "pred", "said"),
    [
        (TRUTH, {"x": 0, "y": 0, "z": 1, "q": 1}, r"truth alone has 1, such as 'w' and pred alone"),
        (TRUTH, {"x": 0, "y": 0}, r"truth alone has 2, such as 'z'\. Leave them out with missing="),
        (TRUTH, [0, 0, 1, 1], "truth names its objects and pred does not; give both as mappings"),
        (["a", "a", "b", "b"], PRED, "pred names its objects and truth does not"),
        (
            TRUTH,
            [{"x", "y"}, {"y", "z", "w"}],
            "pred has 'y' in two groups; groups must not overlap here, and cv.Cover is for groups",
        ),
        (TRUTH, {}, "pred"),
    ],
)
def test_objects_that_cannot_be_paired(truth: object, pred: object, said: str) -> None:
    for call in (cv.rand, cv.external_scores, cv.examine):
        with pytest.raises(ClustervetError, match=said):
            call(truth, pred)


def test_objects_of_one_side_by_the_policy_for_missing_labels() -> None:
    fewer = {"x": 0, "y": 0, "z": 1}
    assert cv.rand(TRUTH, fewer, missing="drop") == 1
    assert cv.muc_recall(TRUTH, fewer, missing="absent") == 0.5
    assert cv.Contingency.from_labels(TRUTH, fewer, missing="class").shape == (2, 3)


def test_weights_and_features_have_no_names_of_objects() -> None:
    with pytest.raises(LabelError, match="truth names its objects, and weights go by position"):
        cv.rand(TRUTH, PRED, weights=[1, 1, 1, 1])
    with pytest.raises(LabelError, match="truth names its objects, and features go by position"):
        cv.examine(TRUTH, PRED, features=np.eye(4))


def test_communities_of_networkx() -> None:
    graph = nx.karate_club_graph()
    club = nx.get_node_attributes(graph, "club")
    groups = nx.community.greedy_modularity_communities(graph, weight=None)
    place = {node: k for k, group in enumerate(groups) for node in group}
    by_hand = cv.v_measure([club[node] for node in graph], [place[node] for node in graph])
    assert cv.v_measure(club, groups) == pytest.approx(by_hand)
    louvain = nx.community.louvain_communities(graph, seed=1)
    assert 0 < cv.normalized_f1(club, louvain) <= 1


def test_communities_in_other_containers_of_networkx() -> None:
    graph = nx.karate_club_graph()
    club = nx.get_node_attributes(graph, "club")
    spread = nx.community.label_propagation_communities(graph)  # the values of a dict
    assert cv.rand(club, spread) == cv.rand(club, list(spread))
    halves = nx.community.kernighan_lin_bisection(graph, seed=1)  # a tuple
    cards = cv.external_scores(club, {"halves": halves, "spread": spread})
    assert cards["halves"]["rand"] == cv.rand(club, list(halves))
    assert cards["spread"]["rand"] == cv.rand(club, spread)


def test_a_clustering_of_cdlib() -> None:
    class NodeClustering:  # what cdlib returns, as far as labels go
        def __init__(self, communities: list[list[str]]) -> None:
            self.communities = communities

    pred = NodeClustering([["x", "y", "z"], ["w"]])
    assert cv.adjusted_rand(TRUTH, pred) == WANTED
    assert cv.external_scores(TRUTH, {"a": pred, "b": TRUTH})["a"]["ari"] == WANTED
    assert cv.Ensemble([pred, TRUTH]).objects == ("x", "y", "z", "w")
    with pytest.raises(LabelError, match=r"pred has an object that is no name: \['z'\]"):
        cv.rand(TRUTH, NodeClustering([["x", ["z"]]]))


def test_a_column_called_communities_is_a_column() -> None:
    frame = pd.DataFrame({"communities": [0, 0, 1, 1], "other": [0, 0, 0, 1]})
    assert cv.external_scores([0, 0, 1, 1], frame)["communities"]["rand"] == 1
    assert cv.Ensemble(frame).names == ("communities", "other")


def test_objects_that_are_numbers_here_and_text_there() -> None:
    with pytest.raises(LabelError, match="truth alone has 1, such as 7 and pred alone has 1, such"):
        cv.rand({7: 0, "x": 0}, {"7": 0, "x": 0})


def test_a_clustering_of_igraph() -> None:
    graph = igraph.Graph.Famous("Zachary")
    found = graph.community_fastgreedy().as_clustering()
    truth = [0 if k < 17 else 1 for k in range(34)]
    assert cv.rand(truth, found) == cv.rand(truth, found.membership)
    assert cv.external_scores(truth, {"a": found})["a"]["rand"] == cv.rand(truth, found.membership)


def test_fitted_estimators_and_pipelines() -> None:
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 30)
    points = rng.normal(size=(60, 2)) + 6 * truth[:, None]
    kmeans = KMeans(2, random_state=0).fit(points)
    pipeline = make_pipeline(StandardScaler(), DBSCAN(eps=1)).fit(points)
    assert cv.adjusted_rand(truth, kmeans) == cv.adjusted_rand(truth, kmeans.labels_) == 1
    labels = pipeline[-1].labels_
    assert cv.rand(truth, pipeline) == cv.rand(truth, labels)
    cards = cv.external_scores(truth, {"kmeans": kmeans, "dbscan": pipeline})
    assert cards["dbscan"]["rand"] == cv.rand(truth, labels)
    assert cv.silhouette(points, kmeans) == cv.silhouette(points, kmeans.labels_)
    assert cv.Ensemble([kmeans, labels]).n == 60
    with pytest.raises(LabelError, match="pred must be a sequence with one label per object, not"):
        cv.rand(truth, KMeans(2))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_frame_has_one_prediction_in_every_column(frame: type) -> None:
    columns = {"a": [0, 0, 1, 1], "b": [0, 0, 0, 1]}
    cards = cv.external_scores([0, 0, 1, 1], frame(columns))
    assert {name: card["rand"] for name, card in cards.items()} == {"a": 1.0, "b": 0.5}
    one = cv.external_scores([0, 0, 1, 1], frame({"a": columns["a"]}))
    assert list(one) == ["a"]
    found = cv.examine([0, 0, 1, 1], frame(columns), measures="rand")
    assert found.scores["b"]["rand"] == 0.5
    with pytest.raises(LabelError, match="is a table"):
        cv.external_scores(frame(columns), [0, 0, 1, 1])


def test_a_frame_with_another_index_is_refused() -> None:
    truth = pd.Series([0, 0, 1, 1], index=[3, 2, 1, 0])
    with pytest.raises(LabelError, match="index"):
        cv.external_scores(truth, pd.DataFrame({"a": [0, 0, 1, 1]}))


def test_labels_of_objects_may_be_numbers_of_numpy():
    names = list("abcd")
    truth = dict(zip(names, np.array([0, 0, 1, 1]), strict=True))
    pred = dict(zip(names, np.array([5, 5, 5, 6], np.int32), strict=True))
    assert cv.rand(truth, pred) == cv.rand([0, 0, 1, 1], [5, 5, 5, 6])
    assert cv.external_scores(truth, {"a": pred, "b": truth}, measures=["rand"])["b"]["rand"] == 1
