"""Meilă 2007, §1 and §4.1: groups of clusterings with a consensus each, "à la K-means".

The totals are held against every choice of centres among all partitions of a few objects.
"""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest

import clustervet as cv
from clustervet import Ensemble
from clustervet.ensemble import consensus_groups, distances_to
from clustervet.errors import LabelError, ParameterError

OBJECTS = 5
EVERY = [list(map(int, one.codes)) for one in cv.Partition.all(OBJECTS)]
BETWEEN = {
    measure: cv.distance_matrix(EVERY, measure).matrix
    for measure in ("variation_of_information", "mirkin")
}


def numbered(labels):
    seen = {}
    return [seen.setdefault(label, len(seen)) for label in labels]


def drawn(seed, count, k, objects=OBJECTS, noise=0.2):
    """Copies of k partitions with some labels drawn anew."""
    rng = np.random.default_rng(seed)
    plain = rng.integers(0, 3, (k, objects))
    copies = (plain[i % k] for i in range(count))
    return [
        np.where(rng.random(objects) < noise, rng.integers(0, 3, objects), one).tolist()
        for one in copies
    ]


def least_total(labelings, k, measure, weights):
    """The least weighted total over every k of all partitions as centres."""
    places = [EVERY.index(numbered(labels)) for labels in labelings]
    gaps = BETWEEN[measure][places]
    return min(
        float(weights @ gaps[:, list(chosen)].min(axis=1))
        for chosen in combinations(range(len(EVERY)), k)
    )


@pytest.mark.parametrize("measure", BETWEEN)
def test_no_choice_of_centres_does_better_in_nearly_every_tiny_ensemble(measure):
    tried = best = medoids = 0
    for seed in range(200, 230):
        k, count = 2, 5 + seed % 3
        weights = np.random.default_rng(seed).integers(1, 4, count).astype(float)
        labelings = drawn(seed, count, k)
        ensemble = Ensemble(labelings, measure=measure, weights=weights)
        least = least_total(labelings, k, measure, weights)
        found = ensemble.groups(k, "consensus").mean_distance * weights.sum()
        alone = ensemble.groups(k).mean_distance * weights.sum()
        assert least - 1e-9 <= found <= alone + 1e-9
        tried, best = tried + 1, best + (found <= least + 1e-9)
        medoids += alone <= least + 1e-9
    assert best >= 0.9 * tried
    assert best > medoids


def test_the_record_is_what_it_says():
    labelings = drawn(3, 9, 3, objects=12)
    ensemble = Ensemble(labelings, weights=np.arange(1.0, 10.0))
    found = ensemble.groups(3, "consensus")
    gaps = np.stack([distances_to(centre, labelings) for centre in found.centres])
    rows = np.arange(len(labelings))
    own = gaps[found.labels, rows]
    assert own == pytest.approx(gaps.min(axis=0))  # each goes to the nearest centre
    assert found.mean_distance == pytest.approx(np.average(own, weights=ensemble.weights))
    for group in range(3):
        inside = np.flatnonzero(found.labels == group)
        assert own[found.medoids[group]] == pytest.approx(own[inside].min())
        assert found.medoids[group] in inside
        # The centre of a group is never worse than any of its members.
        members = np.stack([distances_to(labelings[i], labelings)[inside] for i in inside])
        weights = ensemble.weights[inside]
        assert weights @ own[inside] <= (members @ weights).min() + 1e-9


@pytest.mark.parametrize("seed", range(8))
def test_the_total_never_rises_and_starts_with_labelings_as_centres(seed):
    labelings = drawn(seed, 10, 3, objects=20, noise=0.4)
    ensemble = Ensemble(labelings)
    found = ensemble.groups(3, "consensus")
    assert all(after < before for before, after in zip(found.trace, found.trace[1:], strict=False))
    assert found.trace[-1] == found.mean_distance
    matrix = ensemble.distances.matrix
    starts = [matrix[list(some)].min(axis=0).mean() for some in combinations(range(10), 3)]
    assert np.isclose(found.trace[0], starts).any()
    assert found.mean_distance <= ensemble.groups(3).mean_distance + 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_any_order_of_the_labelings_gives_the_same_groups(seed):
    labelings = dict(zip("abcdefghij", drawn(seed, 10, 3, objects=15, noise=0.35), strict=True))
    weights = dict(zip(labelings, np.random.default_rng(seed).integers(1, 3, 10), strict=True))

    def groups(names):
        chosen = {name: labelings[name] for name in names}
        ensemble = Ensemble(chosen, weights=[weights[name] for name in names])
        found = ensemble.groups(3, "consensus", random_state=5)
        sets = {frozenset(found.members(k)): found.centres[k] for k in range(3)}
        return sets, found.mean_distance, found.labels

    first = groups(list(labelings))
    for turn in range(3):
        names = np.random.default_rng(turn).permutation(list(labelings)).tolist()
        sets, mean, labels = groups(names)
        assert sets == first[0]
        assert mean == pytest.approx(first[1])
        # Groups are numbered by their first labelings.
        assert labels.tolist() == numbered(labels.tolist())


def test_the_same_seed_gives_the_same_answer():
    ensemble = Ensemble(drawn(1, 12, 3, objects=30, noise=0.5))
    one, other = (ensemble.groups(3, "consensus", random_state=9).to_dict() for _ in range(2))
    assert one == other


def test_the_number_of_groups_is_that_of_medoids_where_none_is_given():
    ensemble = Ensemble(drawn(2, 9, 3, objects=40, noise=0.1))
    assert ensemble.groups(centres="consensus").k == ensemble.groups().k == 3


def test_one_group_has_the_consensus_of_all_as_its_centre():
    labelings = drawn(4, 6, 1, objects=15)
    ensemble = Ensemble(labelings)
    found = ensemble.groups(1, "consensus")
    assert found.centres == (ensemble.consensus().partition,)
    assert found.mean_distance == pytest.approx(ensemble.consensus().objective / 6)


def test_as_many_groups_as_labelings_leave_nothing_even_where_some_are_equal():
    labelings = [[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1], [0, 1, 0, 1]]
    found = Ensemble(labelings).groups(4, "consensus")
    assert sorted(found.labels.tolist()) == [0, 1, 2, 3]
    assert found.mean_distance == 0
    three = Ensemble(labelings).groups(3, "consensus")
    assert sorted(three.sizes) == [1, 1, 2]
    assert three.mean_distance == 0


def test_a_group_that_everyone_leaves_takes_the_worst_placed_labeling():
    labelings = [[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 0, 1]]
    ensemble = Ensemble(labelings)
    search = consensus_groups.CentreSearch(
        ensemble.labelings, ensemble.weights, "variation_of_information",
        ensemble.distances.matrix, 4, 0,
    )  # fmt: skip
    centres = [search.alone(0), search.alone(1)]
    found = search.assigned(np.array([0, 0, 0, 0]), centres)
    assert found.tolist() == [0, 0, 0, 1]
    assert centres[1].labels.tolist() == [0, 1, 0, 1]


def test_labelings_that_weigh_nothing_have_a_group_too():
    labelings = drawn(6, 5, 2, objects=10)
    found = Ensemble(labelings, weights=[1, 0, 1, 0, 0]).groups(2, "consensus")
    assert found.k == 2
    assert found.mean_distance == 0


# Forms


RUNS = {
    "a": [0, 0, 0, 1, 1, 1],
    "b": [0, 0, 1, 1, 1, 1],
    "c": [0, 0, 0, 0, 1, 1],
    "d": [0, 1, 2, 0, 1, 2],
}


def test_what_it_prints_and_keeps():
    found = Ensemble(RUNS).groups(2, "consensus")
    text = repr(found)
    assert "2 groups (labelings) around consensus centres near a (3), d (1)" in text
    assert "Mean distance to the consensus of its group: " in text
    assert text.splitlines()[2].split() == ["group", "clusters", "nearest", "labelings", "members"]
    data = json.loads(found.to_json())
    assert data["centres"] == [[3, 3], [2, 2, 2]]
    assert data["trace"] == list(found.trace)
    assert list(found.columns()) == ["labeling", "group", "nearest"]
    around = Ensemble(RUNS).groups(2)
    assert "centres" not in around.to_dict()
    assert list(around.columns()) == ["labeling", "group", "medoid"]


def test_the_summary_and_its_map_say_whose_consensus_it_is():
    summary = Ensemble(RUNS).summary(2, centres="consensus")
    assert "around consensus centres near a (3), d (1)" in repr(summary)
    assert summary.labels(0) == [0, 0, 0, 1, 1, 1]
    assert summary.labels() == summary.consensus.labels.tolist()
    hovers = str(cv.plots.figures(summary)[0].to_dict())
    assert "nearest to the consensus of its group" in hovers
    assert "medoid of its group" not in hovers
    with pytest.raises(ParameterError, match="groups around medoids have no consensus"):
        Ensemble(RUNS).summary(2).labels(0)
    with pytest.raises(ParameterError, match="group must be a whole number between 0 and 1"):
        summary.labels(2)


def test_what_has_no_consensus_is_refused():
    with pytest.raises(ParameterError, match="a consensus is by variation_of_information"):
        Ensemble(RUNS, measure="van_dongen").groups(2, "consensus")
    with pytest.raises(ParameterError, match="grouping needs a distance"):
        Ensemble(RUNS, measure="rand").groups(2, "consensus")
    with pytest.raises(ParameterError, match="centres must be 'medoids' or 'consensus'"):
        Ensemble(RUNS).groups(2, "means")
    with pytest.raises(ParameterError, match="starts"):
        Ensemble(RUNS).groups(2, "consensus", starts=0)
    with pytest.raises(ParameterError, match="k must be a whole number between 1 and 4"):
        Ensemble(RUNS).groups(5, "consensus")
    gaps = {**RUNS, "e": [0, 0, 1, 1, None, 1]}
    with pytest.raises(LabelError, match="labelings of all objects; use centres='medoids' instead"):
        Ensemble(gaps, shared=True).groups(2, "consensus")
    dropped = Ensemble(gaps, missing="drop").groups(2, "consensus")
    assert dropped.centres[0].n == 5
