"""What intervals say about themselves is what the study found, and holds for fresh samples."""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path

import numpy as np
import pytest

import clustervet as cv
from clustervet.inference.calibration import ALONE, OBJECTS, _study, coverage_of, group_of

STUDIES = Path(__file__).resolve().parents[2] / "studies"
EXTERNAL = [record.key for record in cv.measures.select(kind="external")]


def load(name):
    """A script of the folder of studies as a module."""
    spec = importlib.util.spec_from_file_location(name, STUDIES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_measure_was_studied():
    assert _study().keys() == set(EXTERNAL)
    for groups in _study().values():
        for name, (mean, least, populations) in groups.items():
            size, alone = map(int, name.split("/"))
            assert 1 <= size <= len(OBJECTS)
            assert 1 <= alone <= len(ALONE)
            assert 0 <= least <= mean <= 1
            assert populations >= 1


# Their kinks are too sharp for any interval here, and they say so: one object more or less makes a
# cell, a match or an exact cluster of a table that has none of them in its population.
KINKED = {
    *("pair_sets_index", "normalized_clustering_accuracy", "f_measure", "normalized_f1"),
    *("muc_precision", "muc_recall", "muc_f1", "panoptic_quality"),
    *("cluster_precision", "cluster_recall", "cluster_f1", "grouping_accuracy"),
}


@pytest.mark.parametrize("key", sorted({*EXTERNAL} - KINKED))
def test_what_is_promised_of_large_enough_tables(key):
    # 150 objects or more, of which at most 2% are alone in their cell: 93 to 97% on average, and
    # one point more for the error of the study.
    groups = {
        name: held
        for name, held in _study()[key].items()
        if int(name.split("/")[0]) >= 4 and int(name.split("/")[1]) <= 2
    }
    assert groups
    mean = np.average([m for m, *_ in groups.values()], weights=[p for *_, p in groups.values()])
    assert 0.92 <= mean <= 0.98


def test_tables_are_put_into_groups():
    assert group_of(np.array([10, 9])) == (0, 1)
    assert group_of(np.ones(20, int)) == (1, len(ALONE))
    assert group_of(np.array([100, 47, 1, 1])) == (3, 2)
    assert group_of(np.array([10**9, 10**9])) == (len(OBJECTS), 1)
    assert coverage_of("vi", np.array([10**6, 10**6])) is None  # keys alone, no aliases
    assert coverage_of("rand", np.array([10, 9])) is None
    for key in EXTERNAL:  # from 20 objects on every table is like some that were tried
        for n in (20, 60, 100, 300, 1_000, 5_000):
            assert coverage_of(key, np.array([n // 2, n - n // 2])) is not None


def test_figures_hold_for_fresh_samples():
    # A small version of the study, on a population that was made for this test.
    rng = np.random.default_rng(20)
    shares = rng.dirichlet(np.full(20, 0.8)).reshape(4, 5)
    population = cv.Contingency.from_counts(np.round(1e9 * shares).astype(np.int64) + 1)
    study = load("interval_coverage")
    keys = ("adjusted_rand", "variation_of_information", "purity", "adjusted_mutual_information")
    records = [cv.measures[key] for key in keys]
    truth = [study.population_value(record, population, 400) for record in records]
    held = np.zeros(len(keys))
    tables = 120
    for counts in rng.multinomial(400, shares.ravel() / shares.sum(), size=tables):
        table = cv.Contingency.from_counts(counts.reshape(4, 5))
        card = cv.external_scores(table, measures=list(keys), confidence=0.95)
        held += [value in card.score(key).interval for key, value in zip(keys, truth, strict=True)]
    # Below 105 of 120 has a probability of 1 in 1,000 if 95% is right.
    assert held.min() >= 105


def test_the_studies_run(monkeypatch):
    study = load("interval_coverage")
    monkeypatch.setitem(sys.modules, study.__name__, study)  # where worker processes look for it
    found = study.study("report", 10, "auto", ("rand", "purity"), 1, (30, 100))
    assert found.keys() == {"rand", "purity"}
    assert "## Rand index (`rand`)" in study.as_markdown(found, {})
    before = study.study("report", 10, "before", ("rand", "purity"), 1, (100,))
    assert " → " in study.short_table(found, before)
    tests = load("paired_tests")
    shares = tests.simulate(("wine", 40, 2, 10, ("adjusted_rand",)))
    assert 0 <= shares["adjusted_rand"] <= 0.5
    assert not math.isnan(shares["adjusted_rand"])
