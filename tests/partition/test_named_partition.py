"""Partitions of objects that have names: read from mappings and groups, paired by the names."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clustervet as cv
from clustervet import Partition
from clustervet.errors import ClustervetError, LabelError

LETTERS = "abcdefg"
labels = st.lists(st.integers(0, 3), min_size=len(LETTERS), max_size=len(LETTERS))
orders = st.permutations(range(len(LETTERS)))


def named(codes: list[int], order: list[int]) -> Partition:
    """Return a partition of letters that are given in some order."""
    return Partition({LETTERS[place]: codes[place] for place in order})


def groups(partition: Partition) -> set[frozenset[Any]]:
    """Return the clusters of a named partition as sets of names."""
    found: dict[Any, set[Any]] = {}
    for key, label in partition.by_object().items():
        found.setdefault(label, set()).add(key)
    return set(map(frozenset, found.values()))


def letters(partition: Partition) -> set[frozenset[str]]:
    """Return the clusters of a partition of positions as sets of letters."""
    return {frozenset(LETTERS[k] for k in block) for block in partition.blocks()}


def test_communities_of_networkx() -> None:
    graph = nx.karate_club_graph()
    found = nx.community.louvain_communities(graph, seed=1)
    partition = Partition(found)
    assert groups(partition) == set(map(frozenset, found))
    assert (partition.n, partition.k) == (34, len(found))
    assert partition == Partition([*map(frozenset, found[::-1])])
    assert partition == Partition({node: k for k, group in enumerate(found) for node in group})
    spread = Partition(nx.community.label_propagation_communities(graph))
    assert groups(partition & spread) == {
        one & other for one in groups(partition) for other in groups(spread) if one & other
    }


@given(labels, labels, orders, orders)
def test_the_lattice_does_not_depend_on_the_order_of_the_objects(
    one: list[int], other: list[int], order: list[int], order2: list[int]
) -> None:
    p, q = named(one, order), named(other, order2)
    plain, plain_q = Partition(one), Partition(other)
    assert groups(p.meet(q)) == letters(plain.meet(plain_q))
    assert groups(p.join(q)) == letters(plain.join(plain_q))
    assert groups(q.join(p)) == letters(plain.join(plain_q))
    assert p.refines(q) == plain.refines(plain_q)
    assert (p == q) == (plain == plain_q)
    assert p == named(one, order2)
    assert hash(p) == hash(named(one, order2))
    assert p.meet(q).objects == p.objects
    path, plain_path = p.geodesic(q), plain.geodesic(plain_q)
    assert path.total == pytest.approx(plain_path.total)
    assert all(step.objects == p.objects for step in path[:-1])
    assert path[-1] == q
    assert cv.rand(p, q) == cv.rand(one, other)


def test_what_is_made_of_a_partition_has_its_objects() -> None:
    p = Partition({"x": 0, "y": 0, "z": 1, "w": 0})
    assert p.objects == ("x", "y", "z", "w")
    assert groups(p.split(0, 2)) == {frozenset("xy"), frozenset("w"), frozenset("z")}
    by_name = p.split(0, [{"w", "x"}, {"y"}])
    assert groups(by_name) == {frozenset("xw"), frozenset("y"), frozenset("z")}
    assert groups(p.merge(0, 1)) == {frozenset("xyzw")}
    assert groups(p.restrict([3, 2])) == {frozenset("w"), frozenset("z")}
    assert all(q.objects == p.objects for q in [*p.covers_above(), *p.covers_below()])
    near = p.nearest_neighbours()
    assert near.finer is not None
    assert near.finer.partition.objects == p.objects
    assert p.at_distance(0.5, random_state=0).partition.objects == p.objects
    again = pickle.loads(pickle.dumps(p))
    assert again == p
    assert again.by_object() == {"x": 0, "y": 0, "z": 1, "w": 0}
    assert repr(p) == "Partition({'x', 'y', 'w'}, {'z'})"
    assert repr(Partition({3: "a", 4: "b"})) == "Partition({3}, {4})"
    assert Partition(p) == p
    assert Partition(p).objects == p.objects


def test_policies_for_noise_and_missing_labels_leave_objects_out() -> None:
    given = {"x": 0, "y": -1, "z": None, "w": 0}
    assert Partition(given, missing="drop").objects == ("x", "y", "w")
    assert Partition(given, missing="drop", noise="drop").objects == ("x", "w")
    own = Partition(given, missing="class")
    assert own.by_object() == given
    assert Partition(own, noise="drop", missing="class").objects == ("x", "z", "w")
    assert own == Partition([{"x", "w"}, {"y"}, {"z"}])
    assert own.meet(Partition({"w": 0, "z": 0, "y": 0, "x": 0})) == own


def test_a_named_partition_is_labels_by_name_everywhere() -> None:
    truth = {"x": "a", "y": "a", "z": "b"}
    p = Partition([{"z"}, {"y", "x"}])
    assert cv.external_scores(truth, p)["rand"] == 1
    assert cv.align(p, to=truth) == truth
    assert cv.drift(truth, p).moved == 0


def test_an_empty_community_is_no_cluster() -> None:
    assert Partition([{1, 2}, set(), {3}]).k == 2


P = Partition({"x": 0, "y": 0, "z": 1})
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "overlaps": (
        lambda: Partition([{"x", "y"}, {"y", "z"}]),
        "labels has 'y' in two groups; groups must not overlap here, and cv.Cover is for groups",
    ),
    "no objects": (lambda: Partition([set()]), "labels is empty"),
    "an empty mapping": (lambda: Partition({}), "labels must be a sequence"),
    "a missing label": (lambda: Partition({"x": 0, "y": None}), "labels has 1 missing label"),
    "labels by position": (
        lambda: P.meet([0, 0, 1]),
        "the partition names its objects and the other one does not",
    ),
    "a partition by position": (lambda: P & Partition([0, 0, 1]), "does not; give both as"),
    "a series": (lambda: P.join(pd.Series({"x": 0, "y": 0, "z": 1})), "does not; give both as"),
    "labels by name": (
        lambda: Partition([0, 0, 1]).refines({"x": 0, "y": 0, "z": 1}),
        "the other one names its objects and the partition does not",
    ),
    "other objects": (
        lambda: P.geodesic({"x": 0, "y": 0, "w": 1}),
        "the partition alone has 1, such as 'z' and the other one alone has 1, such as 'w'",
    ),
    "parts of other objects": (lambda: P.split(0, {"x": 0, "z": 1}), "the parts alone has 1"),
    "an array": (lambda: np.asarray(P), r"take \.codes, which are in the order of \.objects"),
    "points": (lambda: cv.silhouette(np.eye(3), P), "an array goes by position"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_say_what_was_wanted(case: str) -> None:
    call, said = REFUSED[case]
    with pytest.raises(ClustervetError, match=said):
        call()


def test_partitions_of_other_objects_are_not_equal() -> None:
    assert Partition({0: "a", 1: "a"}) != Partition(["a", "a"])
    assert Partition(["a", "a"]) != Partition({0: "a", 1: "a"})
    assert Partition({"x": 0}) != Partition({"y": 0})
    with pytest.raises(LabelError):
        assert Partition({"x": 0}) <= Partition({"y": 0})
