"""All tables without one object, at once, give what each of them gives alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import clustervet as cv
from clustervet.inference import jackknife
from clustervet.inference.jackknife import is_quick, left_out
from clustervet.inference.left_out import LeftOut
from clustervet.registry.catalogue import ON_REQUEST

EXTERNAL = [record for record in cv.measures.values() if record.kind == "external"]
QUICK = [record for record in EXTERNAL if record.arrays]
COUNTS = st.integers(0, 3) | st.sampled_from([0, 0, 1, 7, 40])


def alone(table: cv.Contingency, record: cv.Measure, cell: int, **parameters: Any) -> float:
    """The measure of the table without one object of a cell."""
    counts = table.cells.values.copy()
    counts[cell] -= 1
    fewer = table.with_values(counts)
    if record.sized:
        fewer = fewer.as_population(int(table.n))
    return record.evaluate(fewer, **parameters).value


@st.composite
def tables(draw: Any) -> cv.Contingency:
    height, width = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    row = st.lists(COUNTS, min_size=width, max_size=width)
    matrix = np.array(draw(st.lists(row, min_size=height, max_size=height)))
    assume(matrix.sum() >= 2 and np.count_nonzero(matrix) >= 2)
    return cv.Contingency.from_counts(matrix)


def test_which_measures_take_arrays() -> None:
    """The others find a best matching of quotients, or the best cluster of every class."""
    general = [record for record in EXTERNAL if record.family not in ON_REQUEST]
    assert {record.key for record in general if not record.arrays} == {
        "f_measure",
        "normalized_clustering_accuracy",
        "pair_sets_index",
    }


@settings(max_examples=150)
@given(tables())
def test_values_are_those_of_the_tables_alone(table: cv.Contingency) -> None:
    cells = np.arange(len(table))
    for scaled in (False, True):
        batch = LeftOut(table, cells, scaled=scaled)
        for record in QUICK:
            if record.sized == scaled:
                found = record.evaluate_all(batch)
                expected = [alone(table, record, cell) for cell in cells]
                np.testing.assert_allclose(
                    found, expected, rtol=1e-11, atol=1e-12, err_msg=record.key
                )


@pytest.mark.parametrize("record", QUICK, ids=lambda record: record.key)
def test_a_larger_table(record: cv.Measure) -> None:
    """Sizes at which expectations and peaks are compiled, and some cells only."""
    rng = np.random.default_rng(5)
    matrix = rng.integers(0, 60, (17, 23)) * (rng.random((17, 23)) < 0.4)
    table = cv.Contingency.from_counts(matrix)
    chosen = np.arange(0, len(table), 19)
    found = record.evaluate_all(LeftOut(table, chosen, scaled=record.sized))
    expected = [alone(table, record, cell) for cell in chosen]
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize(
    ("key", "parameters"),
    [
        ("vi", {"base": math.e}),
        ("nmi", {"average": "min"}),
        ("nmi", {"average": "max"}),
        ("ami", {"average": "joint"}),
        ("v_measure", {"beta": 0.5}),
        ("pair_f1", {"beta": 2.0}),
        ("bcubed_f1", {"beta": 2.0}),
        ("normalized_variation_of_information", {"k_max": 9}),
        ("dom_q1", {"base": 10}),
    ],
)
def test_parameters(key: str, parameters: dict[str, Any]) -> None:
    record = cv.measures[key]
    table = cv.Contingency.from_counts([[9, 3, 1], [0, 12, 2], [4, 0, 15]])
    found = record.evaluate_all(
        LeftOut(table, np.arange(len(table)), scaled=record.sized), **parameters
    )
    expected = [alone(table, record, cell, **parameters) for cell in range(len(table))]
    np.testing.assert_allclose(found, expected, rtol=1e-11)


def test_intervals_do_not_depend_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    table = cv.Contingency.from_counts(rng.integers(0, 9, (6, 7)))
    quick = left_out(table, EXTERNAL, {})
    monkeypatch.setattr(jackknife, "ROUNDED", 0)
    monkeypatch.setattr(jackknife, "BLOCK", 1 / float(table.n))
    np.testing.assert_allclose(left_out(table, EXTERNAL, {}), quick, rtol=1e-9, atol=1e-13)


def test_large_tables_are_resampled_only_where_they_must_be() -> None:
    rng = np.random.default_rng(3)
    truth, pred = rng.integers(0, 50, (2, 20_000))
    table = cv.Contingency.from_labels(truth, pred)
    assert len(table) > 2_000
    card = cv.external_scores(table, confidence=0.95, resamples=20, random_state=0)
    found = {key: card.score(key).interval for key in card}
    drawn = {key for key, interval in found.items() if interval and interval.resamples}
    assert drawn == {"f_measure", "normalized_clustering_accuracy", "pair_sets_index"}
    wide = cv.Contingency.from_counts(np.ones((250, 251), int))
    assert not is_quick(wide, cv.measures["matching_accuracy"])
    assert is_quick(wide, cv.measures["purity"])


def test_many_cells_agree_with_the_bootstrap() -> None:
    """Two estimates of one standard error, from the same table of 2,500 cells."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 50, 30_000)
    pred = np.where(rng.random(30_000) < 0.5, truth, rng.integers(0, 50, 30_000))
    for key in ("adjusted_rand", "purity", "vi"):
        found = cv.confidence_interval(key, truth, pred)
        peer = cv.confidence_interval(
            key, truth, pred, method="basic", resamples=300, random_state=0
        )
        assert found.resamples == 0
        assert found.coverage is None
        assert "was not studied" in found.caution
        assert found.standard_error == pytest.approx(peer.standard_error, rel=0.2)
