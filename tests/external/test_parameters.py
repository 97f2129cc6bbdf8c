"""What base, beta, average, k_max and others do, and what happens when they make no sense."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from agreement import EXTERNAL, disagreements, matrices
from hypothesis import example, given, settings
from hypothesis import strategies as st

import clustervet as cv
from clustervet import _exact
from clustervet._exact import nats_saved
from clustervet.contingency.sums import as_plain
from clustervet.errors import ParameterError

TRUTH, PRED = ["a", "a", "b", "b", "c"], [0, 0, 0, 1, 1]
TABLES = matrices(st.integers(0, 12), classes=4, clusters=4)
AVERAGES = ["geometric", "arithmetic", "min", "max", "joint"]


def with_parameter(name: str) -> list[str]:
    return [record.key for record in EXTERNAL if name in record.parameters]


def test_each_parameter_is_taken_by_some_measure() -> None:
    assert {name for record in EXTERNAL for name in record.parameters} == {
        "base",
        "beta",
        "average",
        "k_max",
        "alpha",
        "iou",
        "isolated",
        "split",
        "merge",
    }


# Values below the smallest normal number have too few digits to compare.
@settings(max_examples=30)
@given(TABLES, st.just(0.0) | st.floats(1e-200, 1))
def test_weight_of_precision(counts: list[list[int]], alpha: float) -> None:
    assert not disagreements(counts, with_parameter("alpha"), alpha=alpha)


@settings(max_examples=40)
@given(TABLES, st.sampled_from([0.5, 0.6, 2 / 3, 0.75, 0.9]))
@example([[1, 1], [0, 2]], 0.5)
@example([[2, 0], [1, 3]], 2 / 3)
def test_threshold_of_overlaps(counts: list[list[int]], iou: float) -> None:
    assert not disagreements(counts, with_parameter("iou"), iou=iou)


@settings(max_examples=30)
@given(TABLES, st.sampled_from([2, math.e, 10, 3.5, 1.0001, 1e6]))
def test_information_in_another_base(counts: list[list[int]], base: float) -> None:
    assert not disagreements(counts, with_parameter("base"), base=base)


@settings(max_examples=30)
@given(TABLES, st.floats(1e-3, 1e3))
def test_weight_of_recall(counts: list[list[int]], beta: float) -> None:
    assert not disagreements(counts, with_parameter("beta"), beta=beta)


@pytest.mark.parametrize("average", AVERAGES)
@settings(max_examples=40)
@given(counts=TABLES)
@example(counts=[[1, 0], [1, 0], [0, 1]])
@example(counts=[[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1], [0, 1]])
@example(counts=[[1, 1, 1, 0, 0], [0, 0, 0, 1, 1]])
@example(counts=[[3, 4]])
@example(counts=[[10**6, 10**6], [10**6, 10**6 + 1]])
def test_each_average_of_both_entropies(average: str, counts: list[list[int]]) -> None:
    assert not disagreements(counts, with_parameter("average"), average=average)


@pytest.mark.parametrize("average", AVERAGES)
@settings(max_examples=40)
@given(labels=st.lists(st.integers(0, 6), min_size=2, max_size=30))
def test_each_average_where_every_object_is_alone(average: str, labels: list[int]) -> None:
    """Against single objects no clustering can tell more or less than any other of its sizes."""
    counts = dict.fromkeys(enumerate(labels), 1)
    assert not disagreements(counts, with_parameter("average"), average=average)


@settings(max_examples=30)
@given(TABLES, st.integers(4, 10**6))
def test_a_common_bound_on_the_number_of_clusters(counts: list[list[int]], k_max: int) -> None:
    assert not disagreements(counts, with_parameter("k_max"), k_max=k_max)


def test_a_common_bound_on_the_number_of_clusters_serves_any_weights() -> None:
    counts = [[0.2, 0.1], [0.0, 0.3]]
    assert not disagreements(counts, with_parameter("k_max"), k_max=2)


BAD = {
    "base": [0, 1, -2, math.nan, math.inf, "two", None],
    "beta": [0, -1, math.nan, math.inf, "one", None],
    "average": ["median", "", None, 2, ["min"]],
    "k_max": [0, 1, -5, math.nan, "three"],
    "alpha": [-0.1, 1.1, math.nan, "half", None],
    "iou": [0.4, 1, 2, math.nan, "half", None],
    "isolated": ["z", 5, []],
    "split": [-1, math.inf, math.nan, "weight", None, []],
    "merge": [-1, math.inf, math.nan, "weight", None, []],
}


PARAMETERS = [(record.key, name) for record in EXTERNAL for name in record.parameters]


@pytest.mark.parametrize(("key", "name"), PARAMETERS)
def test_a_value_that_makes_no_sense_is_refused_in_one_sentence(key: str, name: str) -> None:
    for value in BAD[name]:
        with pytest.raises(ParameterError) as refused:
            getattr(cv, key)(TRUTH, PRED, **{name: value})
        assert str(refused.value).startswith(f"{name} must ")
        assert str(refused.value).endswith(f"not {value!r}.")


@pytest.mark.parametrize("key", with_parameter("k_max"))
def test_a_bound_below_the_number_of_clusters_is_refused(key: str) -> None:
    with pytest.raises(ParameterError, match="3 here"):
        getattr(cv, key)(TRUTH, PRED, k_max=2)


@pytest.mark.parametrize(("key", "name"), PARAMETERS)
def test_a_bad_value_is_refused_for_a_perfect_clustering_too(key: str, name: str) -> None:
    with pytest.raises(ParameterError):
        getattr(cv, key)(TRUTH, TRUTH, **{name: BAD[name][0]})


@pytest.mark.parametrize("record", EXTERNAL, ids=lambda record: record.key)
def test_an_unknown_parameter_is_refused_by_name(record: cv.Measure) -> None:
    table = cv.Contingency.from_labels(TRUTH, PRED)
    with pytest.raises(ParameterError, match="no parameter 'temperature'"):
        record.evaluate(table, temperature=1)


def test_next_to_no_information_needs_no_cells_in_an_engine() -> None:
    """Mutual information that is nearly its expectation is computed in more digits from cells."""
    import duckdb

    matrix = [[6, 4, 2], [2, 6, 2]]
    rows = [(c, k) for c, row in enumerate(matrix) for k, x in enumerate(row) for _ in range(x)]
    frame = duckdb.sql(f"SELECT * FROM (VALUES {', '.join(map(str, rows))}) AS t(y, c)")
    there = cv.EngineTable.from_frame(frame, truth="y", pred="c")
    here = cv.adjusted_mutual_information(cv.Contingency.from_counts(matrix))
    assert abs(here) < 1e-5
    assert cv.adjusted_mutual_information(there) == pytest.approx(here, abs=1e-14)


@pytest.mark.parametrize("classes", [3, 90])
def test_code_length_saved_is_exact_for_many_classes(classes: int) -> None:
    """Dom 2001, eq. 17, in 60 digits; binomials of many classes have very many digits."""
    rng = np.random.default_rng(classes)
    matrix = rng.integers(0, 40, (classes, 4)) + np.eye(classes, 4, dtype=np.int64)
    table = cv.Contingency.from_counts(matrix)
    with mpmath.workdps(60):
        log = mpmath.log
        x, a, b = (
            sum(int(v) * log(int(v)) for v in part.ravel() if v)
            for part in (matrix, matrix.sum(axis=1), matrix.sum(axis=0))
        )
        n, m = int(matrix.sum()), int(np.count_nonzero(matrix.sum(axis=1))) - 1
        nats = x + n * log(n) - a - b + log(mpmath.binomial(n + m, m))
        nats -= sum(log(mpmath.binomial(int(v) + m, m)) for v in matrix.sum(axis=0))
        expected = float(nats / n)
    assert nats_saved(as_plain(table.cells)) == pytest.approx(expected, rel=1e-14)


def test_code_length_saved_needs_no_exact_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are very many classes and sizes, floats have to do."""
    table = cv.Contingency.from_counts([[6, 4, 2], [2, 6, 2], [1, 2, 3]])
    expected = cv.dom_q1(table)
    monkeypatch.setattr(_exact, "MANY_FACTORS", 0)
    assert nats_saved(as_plain(table.cells)) is None
    assert cv.dom_q1(table) == pytest.approx(expected, rel=1e-12)


def test_weights_of_one_object_in_all_have_no_logarithm_to_divide_by() -> None:
    table = cv.Contingency.from_counts([[0.5, 0.25], [0.25, 0.0]])
    outcome = cv.measures["normalized_variation_of_information"].evaluate(table)
    assert outcome.why == "the weights sum to one object or less"
