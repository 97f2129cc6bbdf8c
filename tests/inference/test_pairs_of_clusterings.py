"""Intervals, chance levels and comparisons of soft, overlapping and hierarchical clusterings."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage

import clustervet as cv
from clustervet.errors import ClustervetError, LabelError, ParameterError
from clustervet.inference.compare import _difference_interval
from clustervet.inference.paired import pair_changes
from clustervet.registry import PAIRED, doors

KINDS = sorted(PAIRED)
MEASURE = {
    "soft": "ndc",
    "overlapping": "omega_index",
    "hierarchical": "cophenetic_correlation",
}


def sides(kind: str, n: int = 40, noise: float = 0.2, seed: int = 0, sides: int = 2) -> list[Any]:
    """A clustering and noisy copies of it."""
    rng = np.random.default_rng(seed)
    if kind == "soft":
        first = rng.dirichlet(np.full(3, 0.4), n)
        mixed = [
            (1 - noise) * first + noise * rng.dirichlet(np.ones(3), n) for _ in range(sides - 1)
        ]
        return [cv.Memberships(one) for one in (first, *mixed)]
    if kind == "overlapping":
        held = rng.random((n, 4)) < 0.35
        held[np.arange(n), rng.integers(4, size=n)] = True
        mixed = []
        for _ in range(sides - 1):
            other = held.copy()
            moved = rng.random(n) < noise
            other[moved] = rng.permuted(other[moved], axis=1)
            mixed.append(other)
        return [cv.Cover(one) for one in (held, *mixed)]
    points = rng.normal(size=(n, 3))
    mixed = [points + noise * rng.normal(size=points.shape) for _ in range(sides - 1)]
    return [cv.Hierarchy(linkage(one, "average")) for one in (points, *mixed)]


@pytest.mark.parametrize("kind", KINDS)
def test_the_interval_is_that_of_leaving_every_object_out(kind: str) -> None:
    """With fewer than 60 objects each is a group: bias and standard error are Quenouille's."""
    truth, pred = sides(kind, n=25)
    record = cv.measures[MEASURE[kind]]
    pair = doors[record.kind]("a test", truth, pred)
    value = record(pair)
    without = np.array([record(pair.take(np.delete(np.arange(25), k))) for k in range(25)])
    found = cv.confidence_interval(record.key, truth, pred)
    assert found.groups == 25
    assert found.bias == pytest.approx(24 * (without.mean() - value), rel=1e-9, abs=1e-12)
    error = math.sqrt(24 / 25 * ((without - without.mean()) ** 2).sum())
    assert found.standard_error == pytest.approx(error, rel=1e-9)
    assert value in found
    assert found.low >= record.bounds[0]
    assert found.high <= record.bounds[1]
    assert "25 groups of objects left out in turn" in repr(found)
    same = cv.confidence_interval(record.key, pair)
    assert (same.low, same.high) == (found.low, found.high)


@pytest.mark.parametrize("kind", KINDS)
def test_more_objects_narrow_the_interval(kind: str) -> None:
    few = cv.confidence_interval(MEASURE[kind], *sides(kind, n=40))
    many = cv.confidence_interval(MEASURE[kind], *sides(kind, n=400))
    assert many.width < 0.6 * few.width
    wide = cv.confidence_interval(MEASURE[kind], *sides(kind, n=40), confidence=0.99)
    assert wide.width > few.width


@pytest.mark.parametrize("kind", KINDS)
def test_chance_is_that_of_all_orders(kind: str) -> None:
    truth, pred = sides(kind, n=6, noise=0.4)
    record = cv.measures[MEASURE[kind]]
    pair = doors[record.kind]("a test", truth, pred)
    every = np.array([record(pair.shuffled(np.array(order))) for order in permutations(range(6))])
    found = cv.chance(record.key, truth, pred, samples=2_000, random_state=0)
    assert found.model == "objects"
    assert found.samples == 2_000
    assert abs(found.expected - every.mean()) < 5 * every.std() / math.sqrt(2_000)
    assert found.spread == pytest.approx(every.std(), rel=0.1)
    share = float(np.mean(every >= found.value - 1e-12))
    assert abs(found.p_value - share) < 5 * math.sqrt(share * (1 - share) / 2_000) + 1e-3


def test_the_chance_of_an_adjusted_measure_is_zero() -> None:
    found = cv.chance("omega_index", *sides("overlapping"), samples=500, random_state=1)
    assert abs(found.expected) < 5 * found.spread / math.sqrt(500)
    assert found.adjusted == pytest.approx(found.value, abs=0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_a_clearly_better_prediction_is_found(kind: str) -> None:
    truth, good = sides(kind, n=120, noise=0.05)
    poor = sides(kind, n=120, noise=0.9)[1]
    key = MEASURE[kind]
    found = cv.compare_predictions(truth, good, poor, key, names=("good", "poor"))
    assert found.better == "good"
    assert found.p_value < 0.01
    assert found.interval.low > 0
    assert found.difference == found.values[0] - found.values[1]
    ranking = cv.rank_predictions(truth, {"poor": poor, "good": good}, key)
    assert ranking.line() == "good > poor"
    note = ranking.table("pairs").note
    assert f"120 objects left out in {ranking.comparisons[0].interval.groups} groups" in note


@pytest.mark.parametrize("kind", ["soft", "overlapping"])
def test_equally_good_predictions_are_seldom_told_apart(kind: str) -> None:
    """A small version of a study: 5% in the long run, at most 5 of 40 here."""
    told = 0
    for seed in range(40):
        truth, one, other = sides(kind, n=40, noise=0.3, seed=seed, sides=3)
        told += cv.compare_predictions(truth, one, other, MEASURE[kind]).better is not None
    assert told <= 5


def test_differences_of_trees_are_those_of_all_leaves() -> None:
    """Trees of a population are fixed, and its leaves are drawn: 95% in the long run."""
    truth, one, other = sides("hierarchical", n=400, noise=0.3, sides=3)
    record = cv.measures[MEASURE["hierarchical"]]
    wholes = [doors["hierarchical"]("a test", truth, tree) for tree in (one, other)]
    gap = record(wholes[0]) - record(wholes[1])
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(40):
        places = rng.choice(400, 60, replace=False)
        drawn = [whole.take(places) for whole in wholes]
        changes, shrink = pair_changes(drawn, [(record, {})], 0)
        spread = changes.spread_between(0, 1, shrink)
        found = record(drawn[0]) - record(drawn[1])
        held += gap in _difference_interval(found, spread, 0.95, 2, 0)
    assert held >= 34


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_possible_is_refused(kind: str) -> None:
    truth, pred = sides(kind)
    key = MEASURE[kind]
    with pytest.raises(ParameterError, match="resamples tables"):
        cv.confidence_interval(key, truth, pred, method="bca")
    with pytest.raises(ParameterError, match="is 'sizes', which exchanges"):
        cv.chance(key, truth, pred, model="number")
    with pytest.raises(ParameterError, match="samples must be"):
        cv.chance(key, truth, pred, samples=0)
    with pytest.raises(ParameterError, match="no method"):
        cv.compare_predictions(truth, pred, pred, key, method="basic")
    with pytest.raises(LabelError, match="at least 20 objects; there are 10"):
        cv.confidence_interval(key, *sides(kind, n=10))
    with pytest.raises(ClustervetError):
        cv.confidence_interval("rand", truth, pred)
    with pytest.raises(ClustervetError):
        cv.confidence_interval(key, truth, pred, confidence=2)


def test_predictions_with_other_objects_are_not_ranked() -> None:
    names = [f"o{k}" for k in range(32)]
    truth = cv.Cover([["o0", "o1", "o2"], ["o2", "o3"]], objects=names[:30])
    more = cv.Cover([["o0", "o1"], ["o30", "o31"]], objects=names)
    with pytest.raises(LabelError, match="has objects that the truth does not have"):
        cv.rank_predictions(truth, {"a": truth, "b": more}, "omega_index")


def test_scores_of_memberships_and_points_have_no_interval() -> None:
    degrees = np.random.default_rng(0).dirichlet(np.ones(2), 30)
    with pytest.raises(ParameterError, match="no interval for partition_coefficient"):
        cv.confidence_interval("partition_coefficient", degrees)
    with pytest.raises(ParameterError, match="no chance level for partition_coefficient"):
        cv.chance("partition_coefficient", degrees)


def test_measures_that_count_have_neither_interval_nor_test() -> None:
    truth, pred = sides("hierarchical")
    refused = [r for r in cv.measures.values() if r.kind in PAIRED and r.no_interval]
    for record in refused:
        with pytest.raises(ParameterError, match=f"no interval for {record.key}: "):
            cv.confidence_interval(record.key, truth, pred)
        with pytest.raises(ParameterError, match="has no test"):
            cv.compare_predictions(truth, pred, pred, record.key)


def test_a_part_of_many_objects_is_enough_where_time_grows_with_pairs() -> None:
    slow = [r.key for r in cv.measures.values() if r.kind == "soft" and r.cost == "pairs"]
    found = cv.confidence_interval(slow[0], *sides("soft", n=2_500))
    whole = cv.confidence_interval(slow[0], *sides("soft", n=2_000))
    assert 30 <= found.groups < 60
    assert found.standard_error == pytest.approx(whole.standard_error, rel=0.5)


def test_of_few_objects_the_values_are_compared_and_nothing_is_told():
    rng = np.random.default_rng(0)
    truth = rng.dirichlet([0.5] * 3, 10)
    found = cv.compare_predictions(truth, truth, np.roll(truth, 1, axis=0), "ndc")
    assert found.values[0] == 1 > found.values[1]
    assert np.isnan(found.p_value)
    assert found.better is None
