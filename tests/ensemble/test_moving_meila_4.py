"""Balls and trajectories in the space of clusterings (Meilă 2007, §§4.1 and 4.3)."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cut_tree, linkage
from sklearn.cluster import KMeans

import clustervet as cv
from clustervet import Ensemble, plots
from clustervet.errors import LabelError, ParameterError


def partitions(n):
    """All partitions of n objects, as restricted growth strings."""
    found = [[0]]
    for _ in range(n - 1):
        found = [[*labels, k] for labels in found for k in range(max(labels) + 2)]
    return found


def vi(one, other):
    """Variation of information in bits, from its definition."""
    n = len(one)
    sizes = [{}, {}, {}]
    for a, b in zip(one, other, strict=True):
        for held, key in zip(sizes, (a, b, (a, b)), strict=True):
            held[key] = held.get(key, 0) + 1
    h = [-sum(c / n * math.log2(c / n) for c in held.values()) for held in sizes]
    return 2 * h[2] - h[0] - h[1]


@settings(max_examples=40)
@given(st.lists(st.integers(0, 4), min_size=6, max_size=6), st.floats(0, 3), st.booleans())
def test_a_ball_holds_every_partition_within_the_radius(query, radius, known):
    every = partitions(6)
    ensemble = Ensemble(every)
    if known:
        assert len(ensemble.distances) == len(every)
    right = {k for k, one in enumerate(every) if vi(one, query) <= radius - 1e-9}
    edge = {k for k, one in enumerate(every) if abs(vi(one, query) - radius) < 1e-9}
    found = ensemble.within(query, radius)
    assert right <= set(found.indices) <= right | edge
    assert list(found.distances) == sorted(found.distances)
    assert found.computed <= found.total == len(every)


def test_small_balls_hold_their_centre_alone_and_take_few_distances():
    # Meilă 2007, §4.3: balls below a certain radius contain only the clustering at their centre.
    rng = np.random.default_rng(0)
    many = rng.integers(0, 5, size=(400, 60))
    many[200:] = many[:200]
    many[np.arange(200, 400), rng.integers(0, 60, 200)] = 7
    found = Ensemble(many).within(many[3], 1e-12)
    assert found.indices == (3,)
    near = Ensemble(many).within(many[3], 0.2)
    assert near.indices == (3, 203)
    assert near.computed < 400
    assert "Within 0.2000 of the query" in near.to_markdown() or near.document().title.startswith(
        "Within"
    )
    assert near.to_dict()["radius"] == 0.2


def test_a_ball_may_be_empty():
    found = Ensemble([[0, 0, 1, 1], [0, 1, 1, 1]]).within([0, 1, 2, 3], 0.1)
    assert found.names == ()
    assert found.columns() == {"labeling": [], "distance": []}


@pytest.mark.parametrize("radius", [-1, math.nan, "near", None, True])
def test_a_radius_is_a_number_from_zero_on(radius):
    with pytest.raises(ParameterError, match="radius must be a number of at least 0"):
        Ensemble([[0, 1], [0, 0]]).within([0, 1], radius)


def test_a_query_of_another_length_is_refused():
    with pytest.raises(LabelError):
        Ensemble([[0, 1], [0, 0]]).within([0, 1, 1], 1)


def test_steps_are_the_distances_by_definition():
    rng = np.random.default_rng(1)
    runs = [rng.integers(0, 4, 40).tolist() for _ in range(6)]
    found = Ensemble(runs).trajectory()
    np.testing.assert_allclose(found.steps[1:], [vi(a, b) for a, b in itertools.pairwise(runs)])
    np.testing.assert_allclose(found.from_start, [vi(runs[0], run) for run in runs], atol=1e-12)
    np.testing.assert_allclose(found.to_end, [vi(run, runs[-1]) for run in runs], atol=1e-12)
    assert math.isnan(found.steps[0])
    assert found.length == pytest.approx(sum(vi(a, b) for a, b in itertools.pairwise(runs)))
    assert found.straightness == pytest.approx(vi(runs[0], runs[-1]) / found.length)
    assert found.settled is None


@given(st.lists(st.lists(st.integers(0, 3), min_size=5, max_size=5), min_size=2, max_size=6))
def test_no_way_is_shorter_than_the_distance_of_its_ends(runs):
    found = Ensemble(runs).trajectory()
    assert found.length >= found.to_end[0] - 1e-12
    assert found.to_end[0] == pytest.approx(found.from_start[-1], abs=1e-12)


def test_cuts_of_a_dendrogram_lie_on_a_straight_way():
    points = np.random.default_rng(2).normal(size=(50, 3))
    cuts = cut_tree(linkage(points, "average"), n_clusters=range(1, 20)).T
    found = Ensemble({f"k={k + 1}": cut for k, cut in enumerate(cuts)}).trajectory()
    assert found.straightness == pytest.approx(1, rel=1e-12)
    np.testing.assert_allclose(found.from_start + found.to_end, found.length, rtol=1e-9)


def test_iterations_of_k_means_settle():
    points = np.random.default_rng(3).normal(size=(300, 2))
    start = points[:6]
    runs = {
        f"after {k}": KMeans(6, init=start, n_init=1, max_iter=k, tol=0).fit_predict(points)
        for k in range(1, 60, 4)
    }
    found = Ensemble(runs).trajectory()
    assert found.settled in runs
    at = list(runs).index(found.settled)
    assert not found.steps[at + 1 :].any()
    assert found.steps[at] > 0
    assert f"Nothing moves after {found.settled!r}." in str(found)


def test_nothing_moves():
    found = Ensemble([[0, 0, 1], [1, 1, 0]]).trajectory()
    assert math.isnan(found.straightness)
    assert found.settled == found.names[0]
    assert found.to_dict()["straightness"] is None
    assert "Nothing moves: all clusterings are the same." in str(found)


def test_a_similarity_has_no_trajectory():
    with pytest.raises(ParameterError, match="a trajectory needs a distance, and adjusted_rand"):
        Ensemble([[0, 0, 1], [1, 1, 0]], measure="adjusted_rand").trajectory()


def test_the_figure_has_three_curves_and_says_what_is_seen():
    found = Ensemble({"k=1": [0, 0, 0, 0], "k=2": [0, 0, 1, 1], "k=3": [0, 0, 1, 2]}).trajectory()
    (figure,) = plots.figures(found)
    drawn = {trace.name: list(trace.y) for trace in figure.data}
    assert drawn == {
        "from the start": [0.0, 1.0, 1.5],
        "to the end": [1.5, 0.5, 0.0],
        "from the step before": [None, 1.0, 0.5],
    }
    assert figure.layout.meta["title"] == found.facts()[0]


def test_summary_takes_a_radius():
    runs = {"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 1, 0, 1]}
    assert Ensemble(runs).summary(query=[0, 0, 1, 1], within=0.5).nearest.names == ("a", "b")
    with pytest.raises(ParameterError, match="within goes without nearest"):
        Ensemble(runs).summary(query=[0, 0, 1, 1], within=0.5, nearest=2)


def test_names_in_json_are_those_given():
    found = json.loads(Ensemble({"<b>": [0, 0, 1], "é": [0, 1, 1]}).trajectory().to_json())
    assert found["names"] == ["<b>", "é"]
    assert found["measure"] == "variation_of_information"
    assert cv.Ensemble is Ensemble
