"""Measures of two soft clusterings: their definitions, their records, and their hard limits."""

from __future__ import annotations

import itertools
import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
import soft_oracle as oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import clustervet as cv
from clustervet._kernels.patience import compiled_always
from clustervet.errors import LabelError, ParameterError
from clustervet.soft import SoftPair, chance

SOFT = cv.measures.select(kind="soft")
records = pytest.mark.parametrize("record", SOFT, ids=lambda record: record.key)
# The measure of labels that each one is for hard clusterings.
HARD = {
    "ndc": "rand",
    "adjusted_concordance": "adjusted_rand",
    "ndc_jaccard": "jaccard",
    "ndc_dice": "pair_f1",
    "ndc_fowlkes_mallows": "fowlkes_mallows",
    "fuzzy_rand": "rand",
    "fuzzy_adjusted_rand": "adjusted_rand",
    "fuzzy_jaccard": "jaccard",
    "fuzzy_fowlkes_mallows": "fowlkes_mallows",
    "soft_mutual_information": "mutual_information",
    "soft_normalized_mutual_information": "normalized_mutual_information",
    "soft_variation_of_information": "variation_of_information",
}
CAMPELLO = [key for key in HARD if key.startswith("fuzzy")]


@st.composite
def weights(draw: st.DrawFn, n: int | None = None, most: int = 6) -> list[list[int]]:
    """Whole numbers that become degrees; ties, zeros and equal rows are frequent."""
    rows = draw(st.integers(1, most)) if n is None else n
    columns = draw(st.integers(1, 4))
    row = st.lists(st.integers(0, 4), min_size=columns, max_size=columns).filter(any)
    return draw(st.lists(row, min_size=rows, max_size=rows))


@st.composite
def two_sides(draw: st.DrawFn, most: int = 6) -> tuple[list[list[int]], list[list[int]]]:
    one = draw(weights(most=most))
    return one, draw(weights(n=len(one)))


def pair_of(one: Any, other: Any) -> SoftPair:
    return cv.measures["ndc"].subject(one, other, normalize=True)


def same(value: float, exact: Any) -> bool:
    if exact is None or exact != exact:
        return math.isnan(value)
    return math.isclose(value, float(exact), rel_tol=1e-12, abs_tol=1e-12)


def dirichlet(seed: int, n: int, k: int, sharp: float = 0.3) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet([sharp] * k, n)


# Definitions


@records
@settings(max_examples=60, deadline=None)
@given(sides=two_sides(most=5))
def test_values_are_those_of_the_definition(
    record: cv.Measure, sides: tuple[list[list[int]], list[list[int]]]
) -> None:
    exact = oracle.MEASURES[record.key](*map(oracle.exactly, sides))
    pair = pair_of(*sides)
    value = record.evaluate(pair).value
    if pair.identical and record.perfect is not None:
        assert value == record.perfect
        assert exact is None or same(value, exact)
    elif exact is None and pair.identical and pair.truth.is_hard:
        assert value == 1  # as measures of labels have it, wherever the formula is 0 / 0
    else:
        assert same(value, exact)


@pytest.mark.parametrize("key", CAMPELLO)
@settings(max_examples=60, deadline=None)
@given(sides=two_sides())
def test_the_product_is_another_t_norm(key: str, sides: Any) -> None:
    exact = oracle.MEASURES[key](*map(oracle.exactly, sides), norm="product")
    pair = pair_of(*sides)
    if exact is None and pair.identical and pair.truth.is_hard:
        exact = 1
    assert same(cv.measures[key].evaluate(pair, norm="product").value, exact)


@pytest.mark.parametrize("labels", [[0] * 5, [0, 1, 2, 3], [0], [0, 0, 1]])
def test_equal_labels_have_the_values_of_measures_of_labels(labels: list[int]) -> None:
    for soft, hard in {
        "fuzzy_rand": "rand",
        "fuzzy_adjusted_rand": "adjusted_rand",
        "fuzzy_jaccard": "jaccard",
        "fuzzy_fowlkes_mallows": "fowlkes_mallows",
        "soft_normalized_mutual_information": "normalized_mutual_information",
    }.items():
        assert cv.measures[soft](labels, labels) == cv.measures[hard](labels, labels) == 1


def test_the_expectation_is_that_of_all_orders() -> None:
    one, other = (
        [[3, 1], [1, 1], [0, 2], [4, 1], [1, 0]],
        [[1, 2], [2, 0], [1, 1], [0, 3], [5, 1]],
    )
    ps, qs = oracle.exactly(one), oracle.exactly(other)
    e, f = oracle.equivalences(ps), oracle.equivalences(qs)
    gaps = [abs(x - y) for x in e for y in f]
    assert oracle.expected_gap(ps, qs) == sum(gaps) / len(gaps)
    assert math.isclose(pair_of(one, other).expected_gap, float(sum(gaps) / len(gaps)))


def test_of_random_orders_the_adjusted_index_is_0_on_average() -> None:
    ps, qs = dirichlet(0, 6, 3), dirichlet(1, 6, 4)
    values = [cv.adjusted_concordance(ps, qs[list(o)]) for o in itertools.permutations(range(6))]
    assert abs(math.fsum(values) / len(values)) < 1e-12


# Ways of computing


@pytest.mark.parametrize("key", list(HARD))
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("repeated", [False, True])
def test_compiled_and_sparse_are_the_same(key: str, wide: bool, repeated: bool) -> None:
    ps, qs = dirichlet(2, 150, 4), dirichlet(3, 150, 50 if wide else 5, 0.02)
    qs[qs < 1e-6] = 0
    qs /= qs.sum(axis=1, keepdims=True)
    if repeated:
        drawn = np.random.default_rng(4).integers(0, 40, 150)
        ps, qs = ps[drawn], qs[drawn]
    plain = cv.measures[key](ps, qs)
    with compiled_always():
        for other in (qs, csr_array(qs)):
            assert math.isclose(cv.measures[key](ps, other), plain, rel_tol=1e-12, abs_tol=1e-13)
            if key in CAMPELLO:
                values = [cv.measures[key](ps, qs, norm="product")]
                values.append(cv.measures[key](csr_array(ps), other, norm="product"))
                assert math.isclose(*values, rel_tol=1e-12)


@pytest.mark.parametrize("repeated", [False, True])
def test_the_expectation_in_many_ranges(monkeypatch: pytest.MonkeyPatch, repeated: bool) -> None:
    """Nearly hard degrees: most values are near 0 or 1, and many are equal."""
    ps, qs = dirichlet(5, 120, 4, 0.02), dirichlet(6, 120, 3, 0.05)
    ps = ps.round(3) / ps.round(3).sum(axis=1, keepdims=True)
    if repeated:
        ps[:50], qs[30:80] = ps[0], qs[3]
    sides = cv.Memberships(ps), cv.Memberships(qs)
    expected = chance.expected_gap(*sides)
    e, f = (
        np.array(
            [
                1 - np.abs(side[i] - side[j]).sum() / 2
                for i, j in itertools.combinations(range(120), 2)
            ]
        )
        for side in (ps, qs)
    )
    assert math.isclose(expected, np.abs(e[:, None] - f[None, :]).mean(), rel_tol=1e-12)
    with compiled_always():
        assert math.isclose(chance.expected_gap(*sides), expected, rel_tol=1e-12)
        monkeypatch.setattr(chance, "HELD", 300)
        monkeypatch.setattr(chance, "SAMPLE", 64)
        assert math.isclose(chance.expected_gap(*sides), expected, rel_tol=1e-12)


def test_the_expectation_within_a_memory_limit() -> None:
    sides = [cv.Memberships(dirichlet(seed, 800, 3)) for seed in (15, 16)]
    expected = chance.expected_gap(*sides)
    with compiled_always(), cv.memory_limit("1MB"):
        chance.expected_gap(*(side.take(np.arange(9)) for side in sides))  # loads the compiler
        tracemalloc.start()
        try:
            found = chance.expected_gap(*sides)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert math.isclose(found, expected, rel_tol=1e-12)
    assert peak < 4e6  # all values of both sides would take 5.1 MB, and as much to sort them


def test_memory_does_not_grow_with_the_pairs() -> None:
    ps, qs = dirichlet(7, 5_000, 5), dirichlet(8, 5_000, 6)
    cv.ndc(ps[:10], qs[:10])
    with compiled_always():
        cv.ndc(ps[:10], qs[:10])
        cv.fuzzy_rand(ps[:10], qs[:10])
        tracemalloc.start()
        try:
            assert 0 < cv.ndc(ps, qs) < 1
            assert 0 < cv.fuzzy_rand(ps, qs) < 1
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert peak < 20e6  # a number for every pair would take 100 MB


def test_many_equal_objects_are_counted_once() -> None:
    truth = np.random.default_rng(9).integers(0, 20, 300_000)
    pred = np.random.default_rng(10).integers(0, 30, 300_000)
    assert math.isclose(cv.ndc(truth, pred), cv.rand(truth, pred), rel_tol=1e-12)
    ours, theirs = cv.adjusted_concordance(truth, pred), cv.adjusted_rand(truth, pred)
    assert math.isclose(ours, theirs, rel_tol=1e-6, abs_tol=1e-12)


# What the records claim


@pytest.mark.parametrize(("key", "hard"), HARD.items())
@settings(max_examples=80, deadline=None)
@given(labels=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12))
def test_of_hard_clusterings_they_are_known_measures(
    key: str, hard: str, labels: list[tuple[int, int]]
) -> None:
    truth, pred = (list(side) for side in zip(*labels, strict=True))
    pair = pair_of(truth, pred)
    table = cv.Contingency.from_labels(truth, pred)
    assert pair.identical == table.identical
    value = cv.measures[key].evaluate(pair).value
    if pair.identical and cv.measures[key].perfect is None and math.isnan(value):
        return  # 0/0, which only the fixed value of equal clusterings settles
    assert same(value, cv.measures[hard].evaluate(table).value)


def test_every_measure_has_an_oracle_and_a_hard_limit() -> None:
    assert {record.key for record in SOFT} == set(HARD) == set(oracle.MEASURES)
    assert all(record.family == "soft" for record in SOFT)


@records
@settings(max_examples=40, deadline=None)
@given(sides=two_sides(), data=st.data())
def test_the_record_holds(record: cv.Measure, sides: Any, data: st.DataObject) -> None:
    one, other = (np.array(side, float) for side in sides)
    value, why = record.evaluate(pair_of(one, other))
    if math.isnan(value):
        assert why
    else:
        assert record.bounds[0] <= value <= record.bounds[1]

    def again(left: Any, right: Any) -> bool:
        return same(record.evaluate(pair_of(left, right)).value, None if why else value)

    rows = data.draw(st.permutations(range(len(one))))
    columns = data.draw(st.permutations(range(other.shape[1])))
    assert again(one[rows], other[rows])
    assert again(one, other[:, columns])
    assert again(one, np.hstack([other, np.zeros((len(other), 1))]))  # a cluster without objects
    assert again(other, one) == record.symmetric
    if record.perfect is not None:
        assert record.evaluate(pair_of(other, other[:, columns])).value == record.perfect


@records
def test_equal_soft_clusterings_are_perfect_only_where_the_record_says_so(
    record: cv.Measure,
) -> None:
    ps = [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75], [1, 0]]
    best = record.bounds[record.better == "higher"]
    value = record(ps, [row[::-1] for row in ps])
    assert (value == best) == (record.perfect is not None)


@records
def test_adjusted_is_claimed_where_random_orders_have_0_on_average(record: cv.Measure) -> None:
    ps, qs = dirichlet(0, 5, 3), dirichlet(1, 5, 4)
    values = [record(ps, qs[list(order)]) for order in itertools.permutations(range(5))]
    assert (abs(math.fsum(values) / len(values)) < 1e-12) == record.adjusted


@settings(max_examples=60, deadline=None)
@given(three=st.integers(2, 6).flatmap(lambda n: st.tuples(*[weights(n=n)] * 3)))
def test_one_less_ndc_is_a_pseudometric(three: Any) -> None:
    one, other, third = three
    distance = [
        1 - cv.ndc(a, b, normalize=True) for a, b in ((one, other), (other, third), (one, third))
    ]
    assert distance[2] <= distance[0] + distance[1] + 1e-12


# The pair


def test_a_pair_is_made_once_and_measured_often() -> None:
    ps, qs = dirichlet(11, 20, 3), dirichlet(12, 20, 4)
    pair = SoftPair(cv.Memberships(ps), cv.Memberships(qs))
    assert cv.ndc(pair) == cv.ndc(ps, qs)
    assert pair.sizes == {"objects": 20, "classes": 3, "clusters": 4}
    places = np.array([3, 3, 5, 0])
    assert cv.ndc(pair.take(places)) == cv.ndc(ps[places], qs[places])
    order = np.random.default_rng(0).permutation(20)
    assert cv.ndc(pair.shuffled(order)) == cv.ndc(ps, qs[order])
    assert pair.remarks == ()
    with pytest.raises(ParameterError, match="either one pair or two clusterings"):
        cv.ndc(pair, qs)
    with pytest.raises(ParameterError, match="ndc needs two soft clusterings"):
        cv.ndc(ps)


def test_what_a_reader_should_know_is_remarked() -> None:
    pair = pair_of(["a", "b", "b"], [[1, 0, 0], [1, 0, 0], [0, 1, 0]])
    assert pair.remarks == (
        "1 cluster of pred without any degree.",
        "Every degree is 0 or 1: measures of labels give the same values faster.",
    )
    soft = pair_of([0, -1], [[1, 1], [0, 1]])
    assert soft.remarks == ("Label -1 is scored as one cluster of truth (1 object).",)


def test_other_objects_are_refused() -> None:
    import pandas as pd

    with pytest.raises(LabelError, match="truth has 2 objects and pred has 3; they must"):
        cv.ndc([0, 1], [0, 1, 1])
    one = pd.DataFrame({"a": [1.0, 0.0], "b": [0.0, 1.0]}, index=["x", "y"])
    with pytest.raises(LabelError, match="same index values in another order"):
        cv.ndc(one, one.iloc[::-1])
    assert cv.ndc(one, one.to_numpy()[::-1]) == 1.0
    with pytest.raises(LabelError, match="row 0 is 'x' in truth and 'y' in pred"):
        cv.ndc({"x": {"a": 1}, "y": {"b": 1}}, {"y": {"a": 1}, "x": {"b": 1}})


def test_one_object_has_no_pairs() -> None:
    value, why = cv.measures["ndc"].evaluate(pair_of([[1, 3]], [[1, 1]]))
    assert math.isnan(value)
    assert why == "there are no pairs of objects"
    assert cv.ndc([[1, 0]], [[1, 0]]) == 1.0
    with pytest.raises(ParameterError, match="norm must be 'minimum' or 'product', not 'sum'"):
        cv.fuzzy_rand([0, 1], [0, 0], norm="sum")


def test_the_table_of_shares_takes_memberships() -> None:
    ps, qs = dirichlet(13, 12, 3), dirichlet(14, 12, 2)
    truth, pred = (
        cv.Memberships(ps, names=["a", "b", "c"]),
        cv.Memberships(csr_array(qs), names=["x", "y"]),
    )
    table = cv.Contingency.from_memberships(truth, pred)
    assert list(table.class_names) == ["a", "b", "c"]
    assert np.allclose(table.to_frame("pandas")["count"], (ps.T @ qs).ravel(), rtol=1e-12)
    table = cv.Contingency.from_memberships(["u", "v"] * 6, pred)
    assert list(table.cluster_names) == ["x", "y"]
    sums = np.array([qs[::2].sum(axis=0), qs[1::2].sum(axis=0)])
    assert np.allclose(table.to_frame("pandas")["count"], sums.ravel(), rtol=1e-12)
