"""The metric tree against brute force: same neighbours, same order, fewer distances."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustervet.ensemble import nearest as nearest_module
from clustervet.ensemble.distances import distances_to
from clustervet.ensemble.ensemble import Ensemble
from clustervet.ensemble.nearest import MetricTree
from clustervet.errors import LabelError, ParameterError


def brute_force(gaps, wanted):
    """Places and distances by (distance, place)."""
    order = sorted(range(len(gaps)), key=lambda place: (gaps[place], place))[:wanted]
    return tuple(order), [gaps[place] for place in order]


def families(rng, kinds, copies, n=120):
    """Copies of unrelated partitions, each with some of the objects moved."""
    labelings = []
    for _ in range(kinds):
        base = rng.integers(0, rng.integers(3, 7), n)
        for _ in range(copies):
            labels = base.copy()
            moved = rng.random(n) < rng.uniform(0.01, 0.1)
            labels[moved] = rng.integers(0, base.max() + 1, moved.sum())
            labelings.append(labels)
    return labelings


@settings(max_examples=150)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=120),
    st.tuples(st.integers(-1, 8), st.integers(-1, 8)),
    st.data(),
)
def test_neighbours_on_a_grid_with_many_ties(points, query, data):
    places = np.array(points, np.float64)
    wanted = data.draw(st.integers(1, len(points)))
    table = abs(places[:, None] - places).sum(axis=2)
    to_query = abs(places - np.array(query)).sum(axis=1)
    expected = brute_force(to_query.tolist(), wanted)
    for tree in (
        MetricTree.build(len(points), lambda i, js: table[i, js]),
        MetricTree.from_matrix(table),
    ):
        asked = []

        def distance(place, asked=asked):
            asked.append(place)
            return to_query[place]

        found, gaps, computed = tree.search(distance, wanted)
        assert (tuple(found.tolist()), gaps.tolist()) == expected
        assert len(asked) == len(set(asked)) == computed


@pytest.mark.parametrize("leaf", [1, 5, 32])
def test_every_point_has_its_place_in_the_tree(monkeypatch, leaf):
    monkeypatch.setattr(nearest_module, "LEAF", leaf)
    points = np.random.default_rng(0).normal(size=(200, 3))
    table = np.linalg.norm(points[:, None] - points, axis=2)
    ticks = []
    tree = MetricTree.build(200, lambda i, js: table[i, js], lambda: ticks.append(1))

    def places(node):
        own = [int(node.points[k]) for k in node.pivots]
        return own + [place for child in node.children for place in places(child)]

    assert sorted(places(tree.root)) == list(range(200))
    assert 0 < len(ticks) <= 200
    for k in (1, 7, 200):
        found, gaps, _ = tree.search(lambda i: float(table[17, i]), k)
        assert (tuple(found.tolist()), gaps.tolist()) == brute_force(table[17].tolist(), k)


@pytest.mark.parametrize(
    "measure",
    ["variation_of_information", "mirkin", "van_dongen", "classification_error"],
)
def test_nearest_labelings_are_those_of_brute_force(measure):
    rng = np.random.default_rng(1)
    labelings = families(rng, 6, 20)
    labelings += [labelings[3], labelings[3] + 10, labelings[40]]  # equal ones, also by other names
    e = Ensemble(labelings, measure=measure)
    for known in (False, True):
        for wanted in (1, 4, len(e)):
            query = labelings[int(rng.integers(len(labelings)))].copy()
            query[rng.integers(0, 120, 5)] = 0
            gaps = distances_to(query, e.labelings, measure)
            found = e.nearest(query, wanted)
            assert (found.indices, found.distances.tolist()) == brute_force(gaps.tolist(), wanted)
            assert found.computed <= found.total == len(e)
            assert found.names == tuple(e.names[i] for i in found.indices)
        assert ("distances" in e.__dict__) == known
        _ = e.distances


def test_far_fewer_distances_are_computed():
    rng = np.random.default_rng(2)
    labelings = families(rng, 15, 20)
    e = Ensemble(labelings)
    shares = []
    for _ in (False, True):
        computed = [e.nearest(labelings[k], 1).computed for k in range(0, 300, 10)]
        shares.append(sum(computed) / (len(computed) * len(labelings)))
        _ = e.distances
    assert shares[0] < 0.4
    assert shares[1] < 0.1


def test_nearest_as_data():
    found = Ensemble({"a": [0, 0, 1], "b": [0, 1, 1]}).nearest([0, 0, 1])
    assert found.to_dict() == {
        "names": ["a"],
        "distances": [0.0],
        "computed": found.computed,
        "total": 2,
    }


def test_objects_that_are_dropped_are_dropped_from_the_query():
    e = Ensemble([[0, 0, 1, None], [0, 1, 1, 0]], missing="drop")
    found = e.nearest([5, 5, 6, 7], 2)
    assert found.indices == (0, 1)
    assert found.distances[0] == 0


@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        ("rand", "rand is a similarity"),
        ("conditional_entropy", "conditional_entropy is not one"),
        ("class_entropy", "class_entropy is no distance"),
    ],
)
def test_what_is_no_metric_is_refused(measure, reason):
    e = Ensemble([[0, 0, 1], [0, 1, 1]], measure=measure)
    with pytest.raises(ParameterError, match=f"found by a metric, and {reason}"):
        e.nearest([0, 0, 1])


def test_refused_queries():
    e = Ensemble([[0, 0, 1], [0, 1, 1]])
    with pytest.raises(LabelError, match="the query has 2"):
        e.nearest([0, 1])
    with pytest.raises(LabelError, match="query"):
        e.nearest([0, None, 1])
    with pytest.raises(ParameterError, match="k must be a whole number between 1 and 2, not 3"):
        e.nearest([0, 0, 1], 3)
    partial = Ensemble([[0, 0, None], [0, 1, 1]], shared=True)
    with pytest.raises(ParameterError, match="on different objects"):
        partial.nearest([0, 0, 1])


def test_many_equal_points_are_one_place():
    tree = MetricTree.build(300, lambda i, places: np.zeros(len(places)))
    found, gaps, _ = tree.search(lambda place: 0.5, 3)
    assert (found.tolist(), gaps.tolist()) == ([0, 1, 2], [0.5] * 3)
