"""How often objects are together: `Ensemble.coassociation`."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clustervet as cv
from clustervet._kernels.patience import compiled_always
from clustervet.errors import ParameterError

LABELS = st.one_of(st.none(), st.integers(0, 3))
RUNS = st.tuples(st.integers(2, 14), st.integers(2, 6)).flatmap(
    lambda size: st.lists(
        st.lists(LABELS, min_size=size[0], max_size=size[0]), min_size=size[1], max_size=size[1]
    )
)


def by_hand(runs):
    """The consensus of every pair of objects as fractions; None where no run labels both."""
    found = {}
    for i, j in combinations(range(len(runs[0])), 2):
        both = [run for run in runs if run[i] is not None and run[j] is not None]
        met = sum(run[i] == run[j] for run in both)
        found[i, j] = Fraction(met, len(both)) if both else None
    return found


def read(runs):
    """The ensemble, or None where a run labels no object."""
    if any(all(label is None for label in run) for run in runs):
        return None
    return cv.Ensemble(runs, shared=True)


@given(RUNS, st.booleans())
def test_every_number_equals_that_of_all_pairs(runs, compiled):
    ensemble = read(runs)
    if ensemble is None:
        return
    if compiled:
        with compiled_always():
            found = ensemble.coassociation(0)
    else:
        found = ensemble.coassociation(0)
    pairs = by_hand(runs)
    known = [value for value in pairs.values() if value is not None]
    wanted = sorted(set(known))
    assert found.values.tolist() == [float(value) for value in wanted]
    assert found.pairs.tolist() == [known.count(value) for value in wanted]
    assert found.alone == len(pairs) - len(known)
    if not known:
        assert math.isnan(found.pac)
        return
    between = sum(Fraction(1, 10) < value <= Fraction(9, 10) for value in known)
    assert found.pac == pytest.approx(between / len(known))
    assert found.area == pytest.approx(1 - float(sum(known)) / len(known))
    edges = np.linspace(0, 1, 1_001)
    steps = np.mean([found.cdf(x) for x in (edges[1:] + edges[:-1]) / 2])
    assert found.area == pytest.approx(steps, abs=2e-3)
    block = found.block(range(len(runs[0])), range(len(runs[0])))
    for (i, j), value in pairs.items():
        assert math.isnan(block[i, j]) if value is None else block[i, j] == float(value)


COMPLETE = st.tuples(st.integers(2, 12), st.integers(2, 5)).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, 3), min_size=size[0], max_size=size[0]),
        min_size=size[1],
        max_size=size[1],
    )
)


@given(COMPLETE)
def test_objects_and_clusters_are_means_over_their_pairs(runs):
    found = cv.Ensemble(runs).coassociation(0)
    pairs = by_hand(runs)
    pairs |= {(j, i): value for (i, j), value in pairs.items()}
    n = len(runs[0])
    for i in range(n):
        beside = [pairs[i, j] for j in range(n) if j != i and runs[0][i] == runs[0][j]]
        wanted = float(sum(beside)) / len(beside) if beside else math.nan
        assert found.objects[i] == pytest.approx(wanted, nan_ok=True)
    names = sorted(set(runs[0]))
    for k, name in enumerate(names):
        inside = [i for i in range(n) if runs[0][i] == name]
        beside = [pairs[i, j] for i, j in combinations(inside, 2)]
        wanted = float(sum(beside)) / len(beside) if beside else math.nan
        assert found.clusters[k] == pytest.approx(wanted, nan_ok=True)


@given(COMPLETE)
def test_consistency_is_the_mean_element_centric_similarity(runs):
    found = cv.Ensemble(runs).coassociation(0)
    values = [cv.element_centric_similarity(one, two) for one, two in combinations(runs, 2)]
    assert found.consistency.mean() == pytest.approx(np.mean(values))
    assert (found.consistency <= 1 + 1e-12).all()


def test_equal_runs_are_never_ambiguous():
    labels = np.random.default_rng(0).integers(0, 5, 300)
    found = cv.Ensemble([labels, (labels + 1) % 5, 9 - labels]).coassociation()
    assert found.pac == 0
    assert found.values.tolist() == [0.0, 1.0]
    assert set(found.clusters.values()) == {1.0}
    assert (found.objects == 1).all()
    assert (found.consistency == 1).all()


@pytest.mark.parametrize(("runs", "clusters", "n"), [(300, 5, 90), (4, 400, 900), (3, 3, 5_000)])
def test_many_runs_clusters_and_objects(runs, clusters, n):
    rng = np.random.default_rng(1)
    labelings = rng.integers(0, clusters, (runs, n))
    with compiled_always():
        found = cv.Ensemble(labelings).coassociation(0)
    met = np.zeros((n, n), np.int32)
    for labels in labelings:
        met += labels[:, None] == labels
    counts = np.bincount(met[np.triu_indices(n, 1)], minlength=runs + 1)
    assert found.pairs.tolist() == counts[counts > 0].tolist()
    assert found.values.tolist() == (np.flatnonzero(counts) / runs).tolist()


def test_objects_that_were_dropped():
    runs = {"a": [0, 0, None, 1, 1], "b": [0, 0, 1, 1, 1]}
    found = cv.Ensemble(runs, missing="drop").coassociation("a")
    assert np.isnan(found.objects).tolist() == [False, False, True, False, False]
    assert np.isnan(found.consistency).tolist() == [False, False, True, False, False]
    assert found.pairs.sum() == 6


def test_what_it_shows():
    runs = {"a": [0, 0, 1, 1, 2], "b": [0, 0, 1, 1, 1], "c": [0, 1, 1, 0, 0]}
    found = cv.Ensemble(runs).coassociation("b")
    text = str(found)
    assert "Consensus of 3 labelings of 5 objects" in text
    data = json.loads(found.to_json())
    assert data["schema"] == "clustervet/coassociation/1"
    assert data["reference"] == "b"
    assert data["distribution"]["cdf"][-1] == 1
    assert sum(data["distribution"]["pairs"]) == 10
    assert cv.Ensemble(runs).coassociation().reference == cv.Ensemble(runs).medoid.name


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda e: e.coassociation("z"), "there is no labeling 'z'"),
        (lambda e: e.coassociation().ambiguous(0.9, 0.1), "in their order, not 0.9 and 0.1"),
        (lambda e: e.coassociation().ambiguous("a", 1), "from 0 to 1"),
    ],
)
def test_what_makes_no_sense(ask, said):
    with pytest.raises(ParameterError, match=said):
        ask(cv.Ensemble([[0, 0, 1], [0, 1, 1]]))


def test_weights_are_refused():
    ensemble = cv.Ensemble([[0, 0, 1], [0, 1, 1]], weights=[1, 2])
    with pytest.raises(ParameterError, match="leave out weights"):
        ensemble.coassociation()
    assert cv.Ensemble([[0, 0, 1], [0, 1, 1]], weights=[2, 2]).coassociation().pac > 0
