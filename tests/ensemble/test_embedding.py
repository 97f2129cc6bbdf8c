"""Maps against the points that distances came from, and against a general minimiser."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.manifold import smacof

from clustervet.ensemble import embedding as maps
from clustervet.ensemble.embedding import classical, majorize, stress
from clustervet.ensemble.ensemble import Ensemble
from clustervet.errors import ParameterError


def gaps_of(points):
    return np.linalg.norm(points[:, None] - points, axis=2)


def many(seed=0, count=12, n=80):
    rng = np.random.default_rng(seed)
    base = rng.integers(0, 4, n)
    labelings = []
    for _ in range(count):
        labels = base.copy()
        labels[rng.random(n) < 0.3] = rng.integers(0, 4)
        labelings.append(labels)
    return Ensemble(labelings)


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_classical_scaling_finds_points_again(dimensions):
    points = np.random.default_rng(dimensions).normal(size=(15, dimensions))
    found = classical(gaps_of(points), dimensions)
    assert gaps_of(found) == pytest.approx(gaps_of(points), abs=1e-9)
    assert stress(gaps_of(points), found) == pytest.approx(0, abs=1e-9)


def test_lanczos_gives_the_same_map(monkeypatch):
    matrix = many(count=30).distances.matrix
    whole = classical(matrix, 3)
    monkeypatch.setattr(maps, "MANY", 5)
    assert gaps_of(classical(matrix, 3)) == pytest.approx(gaps_of(whole), abs=1e-7)


@pytest.mark.parametrize("kinds", [1, 2])
def test_many_labelings_of_few_kinds(kinds):
    labelings = [[0, 0, 1], [0, 1, 1]][:kinds] * 600
    found = Ensemble(labelings[:601]).embedding(starts=1)
    assert found.stress == pytest.approx(0, abs=1e-9)
    assert len(np.unique(found.points.round(9), axis=0)) == kinds


def test_stress_is_lowered_as_far_as_a_general_minimiser_does():
    matrix = many(count=9).distances.matrix
    start = classical(matrix, 2)
    points, value = majorize(matrix, start)

    def raw(flat):
        return ((matrix - gaps_of(flat.reshape(-1, 2)))[np.triu_indices(9, 1)] ** 2).sum()

    best = minimize(raw, start.ravel(), method="L-BFGS-B", options={"maxiter": 2_000}).fun
    scale = (matrix[np.triu_indices(9, 1)] ** 2).sum()
    assert value == pytest.approx(np.sqrt(raw(points.ravel()) / scale))
    assert value <= np.sqrt(best / scale) + 1e-3
    assert value <= stress(matrix, start)


def test_no_step_raises_the_stress(monkeypatch):
    matrix = many(count=20).distances.matrix
    start = np.random.default_rng(0).normal(size=(20, 2))
    values = []
    for steps in range(1, 12):
        monkeypatch.setattr(maps, "STEPS", steps)
        values.append(majorize(matrix, start)[1])
    assert all(b <= a + 1e-12 for a, b in pairwise(values))


@pytest.mark.parametrize("count", [3, 9, 20, 60])
@pytest.mark.parametrize("drawn", [False, True])
def test_steps_are_those_of_scikit_learn(count, drawn):
    matrix = many(count=count).distances.matrix
    start = classical(matrix, 2)
    if drawn:
        start = np.random.default_rng(count).normal(size=start.shape)
    peer, _ = smacof(
        matrix, init=start, n_init=1, max_iter=1_000, eps=1e-7, normalized_stress=False
    )
    points, value = majorize(matrix, start)
    assert points == pytest.approx(peer, abs=1e-8)
    assert value == stress(matrix, points)


def test_equal_labelings_stay_at_one_place():
    matrix = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    points, value = majorize(matrix, np.array([[0.0, 0.0], [0.0, 0.0], [3.0, 1.0]]))
    assert (points[0] == points[1]).all()
    assert value == pytest.approx(0, abs=1e-6)


def test_a_map_of_an_ensemble():
    e = many()
    by_stress, plain = e.embedding(), e.embedding(method="classical")
    assert by_stress.points.shape == plain.points.shape == (12, 2)
    assert by_stress.stress <= plain.stress
    assert by_stress.stress == pytest.approx(stress(e.distances.matrix, by_stress.points))
    again = e.embedding(random_state=0)
    assert np.array_equal(again.points, by_stress.points)
    assert by_stress.points.mean(axis=0) == pytest.approx([0, 0], abs=1e-9)
    assert by_stress.dimensions == 2
    assert by_stress.to_dict()["points"].keys() == set(e.names)
    assert e.embedding(5).stress < e.embedding(1).stress


def test_more_starts_are_never_worse():
    e = many(3)
    few, more = (e.embedding(1, starts=starts, random_state=1).stress for starts in (1, 12))
    assert more <= few


def test_equal_labelings_and_pairs_have_maps_without_error():
    same = Ensemble([[0, 0, 1]] * 3)
    assert same.embedding().stress == 0
    assert not same.embedding().points.any()
    pair = Ensemble([[0, 0, 1], [0, 1, 2]])
    for method in ("stress", "classical"):
        found = pair.embedding(method=method)
        assert found.stress == pytest.approx(0, abs=1e-7)
        assert gaps_of(found.points) == pytest.approx(pair.distances.matrix)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "tsne"}, "method must be 'stress' or 'classical', not 'tsne'"),
        ({"dimensions": 0}, "dimensions must be a whole number between 1 and 12"),
        ({"starts": 0}, "starts must be a whole number between 1 and"),
    ],
)
def test_refused_maps(options, message):
    with pytest.raises(ParameterError, match=message):
        many().embedding(**options)
