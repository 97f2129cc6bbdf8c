"""`many`: one truth and many labelings at once give what single calls give, to the last bit."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

import clustervet as cv
from clustervet.contingency import many
from clustervet.errors import LabelError, ParameterError

OF_PAIRS = [record for record in cv.measures.values() if record.arrays == "pairs"]
EXTERNAL = [record for record in cv.measures.values() if record.kind == "external"]
TRUTH = ["a", "a", "b", "b", "c"]
ROWS = np.array([[0, 0, 1, 1, 2], [0, 0, 0, 1, 1], [0, 1, 2, 3, 4], [7, 7, 7, 7, 7]])


@st.composite
def batches(draw: Any) -> tuple[list[int], np.ndarray]:
    n = draw(st.integers(1, 12))
    label = st.integers(draw(st.sampled_from([-1, 0, 3])), 5)
    truth = draw(st.lists(label, min_size=n, max_size=n))
    row = st.lists(label, min_size=n, max_size=n)
    rows = draw(st.lists(row, min_size=1, max_size=5))
    kind = draw(st.sampled_from([np.int8, np.int64, np.int32]))
    return truth, np.array(rows, kind)


def singly(measure: Any, truth: Any, labelings: Any, **options: Any) -> list[float]:
    record = measure.record if hasattr(measure, "record") else measure
    return [record.evaluate(record.subject(truth, labels), **options).value for labels in labelings]


def test_all_measures_of_pairs_are_counted_together() -> None:
    assert {record.key for record in OF_PAIRS} == {
        "adapted_rand_error",
        *(r.key for r in cv.measures.values() if r.family in ("pairs", "coefficients")),
    }


@pytest.mark.parametrize("record", EXTERNAL, ids=lambda record: record.key)
def test_values_are_those_of_single_calls(record: Any) -> None:
    found = record.many(TRUTH, ROWS)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, singly(record, TRUTH, ROWS))


@settings(max_examples=200)
@given(batches())
def test_many_tables_count_like_one(batch: tuple[list[int], np.ndarray]) -> None:
    truth, rows = batch
    for record in OF_PAIRS:
        np.testing.assert_array_equal(
            record.many(truth, rows), singly(record, truth, rows), err_msg=record.key
        )


def test_adjusted_rand_beside_scikit_learn_and_exact_fractions() -> None:
    rng = np.random.default_rng(1)
    truth, rows = rng.integers(0, 4, 150), rng.integers(0, 5, (50, 150))
    found = cv.adjusted_rand.many(truth, rows)
    peer = [adjusted_rand_score(truth, row) for row in rows]
    np.testing.assert_allclose(found, peer, rtol=1e-12)

    def pairs(*sides: Any) -> int:
        keys = list(zip(*(side.tolist() for side in sides), strict=True))
        return sum(math.comb(keys.count(key), 2) for key in set(keys))

    for value, row in zip(found.tolist(), rows, strict=True):
        both, p, q, m = pairs(truth, row), pairs(truth), pairs(row), math.comb(150, 2)
        chance = Fraction(p * q, m)
        assert value == float((both - chance) / (Fraction(p + q, 2) - chance))


def test_blocks_hold_all_labelings(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).integers(0, 3, (23, 30))
    truth = np.arange(30) % 4
    whole = cv.rand.many(truth, rows)
    monkeypatch.setattr(many, "BLOCK", 100)
    np.testing.assert_array_equal(cv.rand.many(truth, rows), whole)


@pytest.mark.parametrize(
    "rows",
    [
        np.array([[-128, 127, 127, -128, 0]], np.int8),
        np.array([[2**64 - 1, 2**64 - 1, 2**64 - 2, 2**64 - 2, 2**64 - 2]], np.uint64),
        np.array([[-(2**63), -(2**63), -(2**63) + 1, 0, 0]], np.int64),
        np.array([[True, True, False, False, True]]),
        np.array([["x", "x", "y", "y", "x"]]),
        np.array([[0, 10**9, 0, 5, 5]]),
    ],
    ids=["int8", "uint64", "int64", "bool", "text", "wide"],
)
def test_numbers_of_any_type_and_size(rows: np.ndarray) -> None:
    np.testing.assert_array_equal(
        cv.adjusted_rand.many(TRUTH, rows), singly(cv.adjusted_rand, TRUTH, rows)
    )


@pytest.mark.parametrize(
    "labelings",
    [
        ROWS.tolist(),
        list(ROWS),
        [ROWS[0].astype(np.int8), *ROWS[1:]],
        [ROWS[0].tolist(), *ROWS[1:]],
        dict(enumerate(ROWS)),
        pd.DataFrame(ROWS.T, columns=list("abcd")),
        pl.DataFrame(ROWS.T, schema=list("abcd")),
        pa.table(dict(zip("abcd", ROWS, strict=True))),
        (row for row in ROWS),
    ],
    ids=[
        "lists",
        "arrays",
        "unlike arrays",
        "lists and arrays",
        "dict",
        "pandas",
        "polars",
        "pyarrow",
        "generator",
    ],
)
def test_containers(labelings: Any) -> None:
    np.testing.assert_array_equal(
        cv.jaccard.many(TRUTH, labelings), singly(cv.jaccard, TRUTH, ROWS)
    )


def test_options_and_parameters() -> None:
    rows = np.array([[0, 0, 1, 1, -1], [0, 0, 1, -1, -1]])
    np.testing.assert_array_equal(
        cv.rand.many(TRUTH, rows, noise="drop"),
        [cv.rand(TRUTH, row, noise="drop") for row in rows],
    )
    np.testing.assert_array_equal(
        cv.pair_f1.many(TRUTH, ROWS, beta=2.0), [cv.pair_f1(TRUTH, row, beta=2.0) for row in ROWS]
    )


def test_features_and_many_labelings() -> None:
    points = np.array([[0.0], [0.1], [5.0], [5.1], [9.0]])
    found = cv.silhouette.many(points, ROWS[:2])
    np.testing.assert_array_equal(found, [cv.silhouette(points, row) for row in ROWS[:2]])


def test_an_empty_batch_has_no_values() -> None:
    assert cv.rand.many(TRUTH, np.empty((0, 5), int)).shape == (0,)
    assert cv.rand.many(TRUTH, []).shape == (0,)


def test_refusals() -> None:
    with pytest.raises(LabelError, match=r"truth has 5 labels and pred has 4"):
        cv.rand.many(TRUTH, ROWS[:, :4])
    with pytest.raises(LabelError, match=r"truth has 5 labels and pred has 4"):
        cv.rand.many(TRUTH, [ROWS[0], ROWS[1, :4]])
    with pytest.raises(LabelError, match="one row per labeling"):
        cv.rand.many(TRUTH, ROWS[0])
    with pytest.raises(ParameterError, match="colour"):
        cv.rand.many(TRUTH, ROWS, colour="red")
    with pytest.raises(LabelError, match="missing"):
        cv.rand.many(["a", None, "b", "b", "c"], ROWS)


@pytest.mark.parametrize(
    ("classes", "clusters"), [(20_000, 20_000), (30_000, 50), (3, 90_000), (1_000, 40_000)]
)
@pytest.mark.parametrize("kind", [np.int64, np.int32])
def test_pairs_of_many_objects_need_no_table(classes: int, clusters: int, kind: Any) -> None:
    rng = np.random.default_rng(classes)
    truth = rng.integers(-3, classes, 100_000)
    pred = rng.integers(7, clusters, 100_000).astype(kind)
    assert many.count_alone(truth, pred) is not None
    table = cv.Contingency.from_labels(truth, pred)
    for record in OF_PAIRS:
        assert record(truth, pred) == record(table)


def test_large_groups_of_pairs_are_counted_too() -> None:
    """Rows of one object, of a few, and of many, which are sorted."""
    rng = np.random.default_rng(0)
    truth = np.concatenate([np.arange(40_000), np.zeros(30_000, np.int64), rng.integers(0, 9, 99)])
    pred = np.concatenate([np.arange(60_000), rng.integers(0, 3, len(truth) - 60_000)])
    table = cv.Contingency.from_labels(truth, pred)
    found = many.count_alone(truth, pred)
    assert found is not None
    assert found.exact_pairs == table.exact_pairs
    other = rng.permutation(truth.max() + 1)[truth]
    same = many.count_alone(truth, other)
    assert same is not None
    assert same.identical
    assert cv.adjusted_rand(truth, other) == 1.0


@pytest.mark.parametrize(
    ("truth", "pred"),
    [
        (np.arange(100), np.arange(100)),
        (np.array([-1, 0, 1]), np.array([0, 0, 1])),
        (np.array([0, 0, 1]), np.array([0, 0, 1], np.int32)),
        (np.empty(0, np.int64), np.empty(0, np.int64)),
        (np.zeros((2, 2), np.int64), np.zeros((2, 2), np.int64)),
        (np.zeros(30_000, np.int64), np.arange(30_000) % 5),
        (np.arange(30_000) * 2**40, np.arange(30_000)),
        (np.arange(30_000), np.arange(30_001)),
        (np.arange(30_000).astype(float), np.arange(30_000)),
        (np.ma.array(np.arange(30_000), mask=np.arange(30_000) == 3), np.arange(30_000)),
        (list(range(30_000)), np.arange(30_000)),
    ],
)
def test_other_labels_are_counted_as_a_table(truth: Any, pred: Any) -> None:
    assert many.count_alone(truth, pred) is None


@given(st.lists(st.tuples(st.integers(0, 63), st.integers(0, 63)), min_size=1, max_size=30))
def test_pairs_of_few_objects_need_no_table_either(rows: list[tuple[int, int]]) -> None:
    truth, pred = np.array(rows).T.copy()
    found = many.count_alone(truth, pred)
    assert found is not None
    table = cv.Contingency.from_labels(truth.tolist(), pred.tolist())
    assert found.exact_pairs == table.exact_pairs
    assert found.exact_n == len(rows)
    assert found.identical == table.identical
    for key in ("adjusted_rand", "fowlkes_mallows", "pair_f1"):
        np.testing.assert_equal(cv.measures[key](truth, pred), cv.measures[key](table))
