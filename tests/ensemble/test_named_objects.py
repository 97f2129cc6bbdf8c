"""Labelings by the names of their objects: communities, mappings, named partitions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

import clustervet as cv
from clustervet.ensemble import distances_to, read_labelings
from clustervet.errors import ClustervetError, LabelError

GRAPH = nx.relabel_nodes(nx.karate_club_graph(), {k: f"member {k}" for k in range(34)})
CLUB = nx.get_node_attributes(GRAPH, "club")
RUNS = {f"run {seed}": nx.community.louvain_communities(GRAPH, seed=seed) for seed in range(5)}
RUNS["greedy"] = nx.community.greedy_modularity_communities(GRAPH, weight=None)
RUNS["spread"] = nx.community.label_propagation_communities(GRAPH)
HALVES = nx.community.kernighan_lin_bisection(GRAPH, seed=1)


def by_member(groups: Any) -> dict[str, int]:
    """Return the group of each member, sorted by the members' names."""
    place = {member: k for k, group in enumerate(groups) for member in group}
    return {member: place[member] for member in sorted(place)}


PLACES = {name: by_member(groups) for name, groups in RUNS.items()}
ROWS = {name: list(places.values()) for name, places in PLACES.items()}


def variation(one: dict[str, Any], other: dict[str, Any]) -> float:
    """Return the variation of information of two clusterings, from its definition."""
    n = len(one)

    def entropy(sizes: Counter[Any]) -> float:
        return -sum(size / n * math.log2(size / n) for size in sizes.values())

    both = Counter((one[member], other[member]) for member in one)
    return 2 * entropy(both) - entropy(Counter(one.values())) - entropy(Counter(other.values()))


def test_distances_of_communities_pair_members_by_name() -> None:
    wanted = [[variation(a, b) for b in PLACES.values()] for a in PLACES.values()]
    for given in (RUNS, PLACES, {name: cv.Partition(groups) for name, groups in RUNS.items()}):
        assert cv.distance_matrix(given).matrix == pytest.approx(np.array(wanted), abs=1e-12)
    assert cv.Ensemble(list(RUNS.values())).distances.matrix == pytest.approx(
        np.array(wanted), abs=1e-12
    )
    column = distances_to(HALVES, RUNS)
    halves = by_member(HALVES)
    assert column == pytest.approx([variation(each, halves) for each in PLACES.values()])


def test_the_order_in_which_labelings_name_objects_does_not_matter() -> None:
    rng = np.random.default_rng(0)
    mixed = {
        name: {member: places[member] for member in rng.permutation(list(places)).tolist()}
        for name, places in PLACES.items()
    }
    e, by_rows = cv.Ensemble(mixed), cv.Ensemble(ROWS)
    assert (e.distances.matrix == by_rows.distances.matrix).all()
    assert e.objects == tuple(mixed["run 0"])
    assert by_rows.objects is None


def test_partitions_of_an_ensemble_have_the_names_of_the_objects() -> None:
    e, by_rows = cv.Ensemble(RUNS), cv.Ensemble(ROWS)
    found, wanted = e.consensus().partition, by_rows.consensus().partition
    assert found == cv.Partition(dict(zip(sorted(CLUB), wanted.codes.tolist(), strict=True)))
    assert cv.adjusted_rand(CLUB, found) == pytest.approx(
        cv.adjusted_rand([CLUB[member] for member in sorted(CLUB)], wanted)
    )
    for name, groups in RUNS.items():
        assert e.partition(name) == cv.Partition(groups)
    assert e.partition(e.medoid.name) == cv.Partition(RUNS[e.medoid.name])
    centres = e.groups(2, "consensus").centres
    assert all(set(centre.objects or ()) == set(CLUB) for centre in centres)
    assert centres[0].by_object().keys() == CLUB.keys()


def test_aligned_labels_are_by_object() -> None:
    found, wanted = cv.Ensemble(RUNS).aligned("greedy"), cv.Ensemble(ROWS).aligned("greedy")
    for name, numbers in found.items():
        assert [numbers[member] for member in sorted(CLUB)] == wanted[name].tolist()


def test_arrays_are_in_the_order_of_the_objects() -> None:
    e, by_rows = cv.Ensemble(RUNS), cv.Ensemble(ROWS)
    assert e.objects is not None
    for name in ("objects", "consistency"):
        found = getattr(e.coassociation("greedy"), name)
        wanted = getattr(by_rows.coassociation("greedy"), name)
        place = {member: k for k, member in enumerate(sorted(CLUB))}
        assert found == pytest.approx(wanted[[place[member] for member in e.objects]])
    labels = e.summary().labels()
    assert cv.Partition(dict(zip(e.objects, labels, strict=True))) == e.consensus().partition
    assert tuple(e.subset([0, 1]).objects or ()) == e.objects


def test_a_query_is_paired_by_name() -> None:
    e = cv.Ensemble(RUNS)
    assert e.nearest(by_member(RUNS["greedy"])).names == ("greedy",)
    assert e.nearest(cv.Partition(RUNS["spread"])).distances.tolist() == [0]
    assert "run 3" in e.within(RUNS["run 3"], 0).names
    near = e.summary(query=list(RUNS["greedy"]), nearest=1).nearest
    assert near is not None
    assert near.names == ("greedy",)


MORE, FEWER = {**CLUB, "guest": "Officer"}, {**CLUB}
del FEWER["member 3"]
QUERIES = {
    "no names": ([0] * 34, "a labeling names its objects and the query does not"),
    "one more": (MORE, "the query alone has 1, such as 'guest'"),
    "one fewer": (FEWER, "a labeling alone has 1, such as 'member 3'"),
}


@pytest.mark.parametrize("case", QUERIES)
def test_a_query_of_other_objects_is_refused(case: str) -> None:
    query, said = QUERIES[case]
    for call in (cv.Ensemble(RUNS).nearest, lambda q: distances_to(q, RUNS)):
        with pytest.raises(LabelError, match=said) as refused:
            call(query)
        assert "missing=" not in str(refused.value)


def test_named_queries_of_unnamed_labelings_are_refused() -> None:
    with pytest.raises(LabelError, match="the query names its objects and a labeling does not"):
        cv.Ensemble(ROWS).nearest(RUNS["greedy"])


ONE, OTHER = {"x": 0, "y": 0, "z": 1, "w": 1}, {"w": 5, "z": 5, "y": 6, "v": 6}


@pytest.mark.parametrize("door", [cv.Ensemble, cv.distance_matrix, read_labelings])
def test_objects_that_some_labelings_lack_are_refused(door: Callable[[Any], Any]) -> None:
    said = (
        "labeling 'a' and labeling 'b' must label the same objects; labeling 'a' alone has 1, such "
        "as 'x' and labeling 'b' alone has 1, such as 'v'. Leave them out with missing='drop'."
    )
    with pytest.raises(LabelError) as refused:
        door({"a": ONE, "b": OTHER})
    assert str(refused.value) == said


def test_objects_that_some_labelings_lack_by_policy() -> None:
    dropped = cv.Ensemble([ONE, OTHER], missing="drop")
    assert (dropped.n, dropped.objects) == (3, ("x", "y", "z", "w", "v"))
    assert dropped.partition(0) == cv.Partition([{"y"}, {"z", "w"}])
    assert dropped.consensus().partition == dropped.partition(1)
    assert dropped.aligned(0)["labeling 2"] == {"x": -1, "y": 1, "z": 0, "w": 0, "v": -1}
    held = dict(zip(dropped.objects or (), dropped.summary().labels(), strict=True))
    assert (held["x"], held["v"]) == (None, None)
    assert held["z"] == held["w"] != held["y"]

    shared = cv.Ensemble([ONE, OTHER], shared=True)
    assert shared.distances.counts[0, 1] == 3
    assert shared.partition(1) == cv.Partition([{"y", "v"}, {"z", "w"}])
    assert shared.distances[0, 1] == 0

    own = cv.Ensemble([ONE, OTHER], missing="class")
    assert own.partition(0) == cv.Partition([{"x", "y"}, {"z", "w"}, {"v"}])


def test_a_query_where_objects_may_differ() -> None:
    dropped = cv.Ensemble([ONE, OTHER], missing="drop")
    assert dropped.nearest({"y": 0, "z": 1, "w": 1, "u": 2}).distances.tolist() == [0]
    with pytest.raises(LabelError, match="the query has no label for 1 of 3 objects"):
        dropped.nearest({"y": 0, "z": 1})
    shared = read_labelings([ONE, OTHER], shared=True)
    assert distances_to({"z": 0, "w": 0, "u": 1}, shared).tolist() == [0, 0]


def test_labels_of_noise_and_missing_labels_in_mappings() -> None:
    runs = [{"x": 0, "y": 0, "z": -1, "w": 1}, {"w": 2, "z": 2, "y": 3, "x": 3}]
    e = cv.Ensemble(runs, noise="drop", missing="drop")
    assert (e.n, e.partition(1).objects) == (3, ("x", "y", "w"))
    with pytest.raises(LabelError, match="labeling 1 has no label for 1 of 2 objects"):
        cv.Ensemble([{"x": 0, "y": None}, {"x": 0, "y": 1}])


REFUSED = {
    "the groups of one": (lambda: cv.Ensemble(RUNS["run 0"]), "these are the groups of one"),
    "one named partition": (lambda: cv.Ensemble(cv.Partition(CLUB)), "the groups of one"),
    "one list": (lambda: cv.Ensemble([RUNS["run 0"]]), "one labeling has nothing to be compared"),
    "a mapping of labels": (lambda: cv.Ensemble(CLUB), "labeling 'member 0' must be a sequence"),
    "names beside rows": (
        lambda: cv.Ensemble({"a": RUNS["run 0"], "b": ROWS["run 1"]}),
        "labeling 'a' names its objects and labeling 'b' does not; give both as mappings or groups",
    ),
    "rows beside names": (
        lambda: cv.distance_matrix([ROWS["run 0"], CLUB]),
        "labeling 2 names its objects and labeling 1 does not",
    ),
    "a series beside names": (
        lambda: cv.Ensemble([CLUB, pd.Series(CLUB)]),
        "labeling 1 names its objects and labeling 2 does not",
    ),
    "overlaps": (
        lambda: cv.Ensemble([[{"x", "y"}, {"z"}], [{"x", "y"}, {"y", "z"}]]),
        "labeling 2 has 'y' in two groups; groups must not overlap here, and cv.Cover is for",
    ),
    "numbers and text": (
        lambda: cv.Ensemble([{1: 0, 2: 0}, {"1": 0, "2": 0}]),
        "labeling 1 alone has 2, such as 1 and labeling 2 alone has 2, such as '1'",
    ),
    "no objects": (lambda: cv.Ensemble([[set()], [set()]]), "labeling 1 is empty"),
    "empty mappings": (lambda: cv.Ensemble([{}, {}]), "labeling 1 must be a sequence"),
    "nothing in common": (
        lambda: cv.Ensemble([{"x": 0}, {"y": 0}], missing="drop"),
        "no object has a label in every labeling",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_say_what_was_wanted(case: str) -> None:
    call, said = REFUSED[case]
    with pytest.raises(ClustervetError, match=said) as refused:
        call()
    assert str(refused.value).count("\n") == 0


def test_an_empty_community_is_no_cluster() -> None:
    e = cv.Ensemble([[{"x", "y"}, set(), {"z"}], [frozenset("xyz")]])
    assert e.labelings.clusters.tolist() == [2, 1]


def test_levels_of_girvan_and_newman_are_tuples_of_sets() -> None:
    levels = list(nx.community.girvan_newman(GRAPH))[:4]
    named = {f"{len(level)} groups": level for level in levels}
    assert cv.Ensemble(named).labelings.clusters.tolist() == [2, 3, 4, 5]
    trajectory = cv.Ensemble(iter(levels)).trajectory()
    places = [by_member(level) for level in levels]
    steps = [variation(a, b) for a, b in pairwise(places)]
    assert trajectory.steps[1:] == pytest.approx(steps)


def test_clusterings_of_igraph_and_estimators_stay_positional() -> None:
    graph = igraph.Graph.Famous("Zachary")
    found = [graph.community_fastgreedy().as_clustering(), graph.community_multilevel()]
    e = cv.Ensemble(found)
    assert e.objects is None
    assert e.distances[0, 1] == pytest.approx(
        cv.variation_of_information(found[0].membership, found[1].membership)
    )
    points = np.random.default_rng(0).normal(size=(34, 2))
    assert cv.Ensemble([KMeans(2, random_state=0).fit(points), found[0]]).n == 34


def test_labels_in_tuples_are_no_groups() -> None:
    assert cv.Ensemble({"a": (0, 0, 1), "b": (0, 1, 1)}).objects is None


def test_many_labelings_against_a_truth() -> None:
    found = cv.adjusted_rand.many(CLUB, RUNS)
    rows = [CLUB[member] for member in sorted(CLUB)]
    assert found == pytest.approx([cv.adjusted_rand(rows, labels) for labels in ROWS.values()])


def test_stability_of_an_ensemble_of_communities() -> None:
    found = cv.stability(cv.Ensemble(RUNS), labels="greedy")
    wanted = cv.stability(ROWS, labels="greedy")
    assert sorted(c.jaccard for c in found.clusters) == pytest.approx(
        sorted(c.jaccard for c in wanted.clusters)
    )
