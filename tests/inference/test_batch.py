"""Many tables at once give what each of them gives alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import clustervet as cv
from clustervet.inference.batch import Drawn, scores

EXTERNAL = [record for record in cv.measures.values() if record.kind == "external"]
QUICK = [record for record in EXTERNAL if record.arrays]


def alone(record: cv.Measure, table: cv.Contingency, counts: Any, **own: Any) -> list[float]:
    """The measure of each table, one after the other."""
    return [record.evaluate(table.with_values(row), **own).value for row in counts]


@st.composite
def draws(draw: Any) -> tuple[cv.Contingency, Any]:
    """A table, and tables with its cells in which the same number of objects is spread anew."""
    height, width = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    row = st.lists(st.integers(0, 1), min_size=width, max_size=width)
    layout = np.array(draw(st.lists(row, min_size=height, max_size=height)))
    assume(layout.any())
    table = cv.Contingency.from_counts(layout)
    objects = draw(st.sampled_from([2, 3, 5, 30, 400]))
    shares = np.random.default_rng(draw(st.integers(0, 99))).dirichlet([0.3] * len(table), 4)
    return table, np.vstack([np.random.default_rng(1).multinomial(objects, p) for p in shares])


@settings(max_examples=150)
@given(draws())
def test_values_are_those_of_the_tables_alone(given: tuple[cv.Contingency, Any]) -> None:
    table, counts = given
    batch = Drawn(table, counts)
    for record in QUICK:
        np.testing.assert_allclose(
            record.evaluate_all(batch),
            alone(record, table, counts),
            rtol=1e-11,
            atol=1e-12,
            err_msg=record.key,
        )


@pytest.mark.parametrize("record", EXTERNAL, ids=lambda record: record.key)
def test_larger_tables_by_every_measure(record: cv.Measure) -> None:
    rng = np.random.default_rng(5)
    table = cv.Contingency.from_counts(rng.integers(0, 60, (17, 23)) * (rng.random((17, 23)) < 0.4))
    shares = table.cells.values / float(table.n)
    counts = rng.multinomial(3_000, shares, size=12)
    ticks: list[None] = []
    found = scores(table, [(record, {})], counts, lambda: ticks.append(None))
    assert len(ticks) == 12
    np.testing.assert_allclose(found[:, 0], alone(record, table, counts), rtol=1e-11, atol=1e-13)


def test_parameters_and_several_measures() -> None:
    table = cv.Contingency.from_counts([[9, 3, 1], [0, 12, 2], [4, 0, 15]])
    counts = np.random.default_rng(0).multinomial(46, table.cells.values / 46, size=9)
    asked = [("vi", {"base": 3}), ("f_measure", {"beta": 2.0}), ("ami", {"average": "max"})]
    measured = [(cv.measures[key], own) for key, own in asked]
    found = scores(table, measured, counts, lambda: None)
    for column, (record, own) in zip(found.T, measured, strict=True):
        np.testing.assert_allclose(column, alone(record, table, counts, **own), rtol=1e-11)


def test_a_single_object_is_scored_alone() -> None:
    table = cv.Contingency.from_counts([[1, 1]])
    measured = [(record, dict[str, Any]()) for record in EXTERNAL]
    counts = np.array([[1, 0], [0, 1]])
    found = scores(table, measured, counts, lambda: None)
    expected = [alone(record, table, counts) for record in EXTERNAL]
    np.testing.assert_array_equal(found.T, expected)


def test_very_many_objects_are_scored_one_by_one() -> None:
    """Squares of their counts would overflow."""
    table = cv.Contingency.from_counts([[9, 3], [1, 12]])
    counts = np.array(
        [[6 * 10**9, 2 * 10**9, 10**9, 10**9], [4 * 10**9, 10**9, 2 * 10**9, 10**9 * 3]]
    )
    record = cv.measures["adjusted_rand"]
    found = scores(table, [(record, {})], counts, lambda: None)
    assert found[:, 0].tolist() == alone(record, table, counts)
