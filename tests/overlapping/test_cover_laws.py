"""What the record of every measure of covers claims is so."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from cover_cases import COVERS, Groups, close, groups, pairs
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import clustervet as cv


def records(claim: object = lambda record: True) -> pytest.MarkDecorator:
    chosen = [record for record in COVERS if claim(record)]
    return pytest.mark.parametrize("record", chosen, ids=lambda record: record.key)


def test_the_family_has_all_measures_of_covers() -> None:
    assert set(COVERS) == set(cv.measures.select(family="covers"))
    assert {record.key for record in COVERS} <= set(cv.__all__)


@records()
@settings(max_examples=60)
@given(case=pairs())
def test_values_stay_within_bounds(record: cv.Measure, case: tuple[int, Groups, Groups]) -> None:
    n, truth, pred = case
    value, why = record.evaluate(cv.CoverPair(truth, pred, n))
    assert why if math.isnan(value) else record.bounds[0] <= value <= record.bounds[1]


REACHED = {
    # All pairs of the first three objects against all pairs with the fourth one.
    -1.0: ([{0, 1, 2}], [{0, 3}, {1, 3}, {2, 3}], 4),
    0.0: ([{0, 1}, {2, 3}], [], 4),
    1.0: ([{0, 1}, {1, 2}], [{1, 2}, {0, 1}], 4),
}


@records()
def test_values_reach_the_bounds(record: cv.Measure) -> None:
    rng = np.random.default_rng(0)
    found = [record.evaluate(cv.CoverPair(a, b, n)).value for a, b, n in REACHED.values()]
    apart = [rng.choice(4000, 2, replace=False) for _ in range(300)]
    other = [rng.choice(4000, 2, replace=False) for _ in range(300)]
    found.append(record.evaluate(cv.CoverPair(apart, other, 4000)).value)
    every = list(range(300))
    found.append(record.evaluate(cv.CoverPair([every], [[k] for k in every])).value)
    found.append(record.evaluate(cv.CoverPair([[k] for k in every], [every])).value)
    known = [value for value in found if not math.isnan(value)]
    low, high = record.bounds
    assert min(known) <= low + 0.01
    assert max(known) == high


@records(lambda record: record.symmetric)
@settings(max_examples=60)
@given(case=pairs())
def test_truth_and_prediction_may_be_exchanged(
    record: cv.Measure, case: tuple[int, Groups, Groups]
) -> None:
    n, truth, pred = case
    one, two = cv.CoverPair(truth, pred, n), cv.CoverPair(pred, truth, n)
    assert close(record.evaluate(one).value, record.evaluate(two).value)


@records(lambda record: not record.symmetric)
def test_what_is_not_symmetric_differs_somewhere(record: cv.Measure) -> None:
    truth, pred = [{0, 1, 2}, {2, 3}], [{0, 1}, {1, 3}, {3, 4}]
    assert not close(record(truth, pred), record(pred, truth))


@records()
@settings(max_examples=40)
@given(case=pairs(), seed=st.integers(0, 2**32 - 1))
def test_neither_names_nor_any_order_matters(
    record: cv.Measure, case: tuple[int, Groups, Groups], seed: int
) -> None:
    n, *sides = case
    rng = np.random.default_rng(seed)
    names = rng.permutation([f"object {k}" for k in range(n)]).tolist()
    renamed = [
        {
            f"group {k}": [names[item] for item in sides[side][k]]
            for k in rng.permutation(len(groups))
        }
        for side, groups in enumerate(sides)
    ]
    plain = record.evaluate(cv.CoverPair(*sides, n)).value
    objects = rng.permutation(names).tolist()
    assert close(plain, record.evaluate(cv.CoverPair(*renamed, objects)).value)


@records(lambda record: record.perfect is not None)
@settings(max_examples=60)
@given(data=st.data(), n=st.integers(1, 8))
def test_identical_covers_are_perfect(record: cv.Measure, data: st.DataObject, n: int) -> None:
    truth = data.draw(groups(n))
    pair = cv.CoverPair(truth, data.draw(st.permutations(truth)), n)
    assert pair.identical
    assert record.evaluate(pair).value == record.perfect
    try:
        value = record.formula(pair)
    except cv.ClustervetError:
        return  # 0/0, and then identical covers are perfect by policy
    assert close(value, record.perfect)


@records()
def test_every_measure_of_covers_has_a_perfect_value(record: cv.Measure) -> None:
    assert record.perfect == 1.0


@records(lambda record: record.adjusted)
@settings(max_examples=5, deadline=None)
@given(case=pairs(most=5, least=3))
def test_an_adjusted_measure_is_near_zero_for_shuffled_objects(
    record: cv.Measure, case: tuple[int, Groups, Groups]
) -> None:
    """Over all orders of the objects the mean is exactly zero."""
    n, truth, pred = case
    pair = cv.CoverPair(truth, pred, n)
    met = pair.meetings
    assume(sum(a * b for a, b in zip(met.ones, met.twos, strict=False)) < met.pairs**2)
    orders = [np.array(order) for order in permutations(range(n))]
    values = [record.formula(pair.shuffled(order)) for order in orders]
    assert abs(math.fsum(values)) / len(values) < 1e-12


@records()
@settings(max_examples=30)
@given(labels=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12))
def test_labels_and_groups_of_a_partition_score_alike(
    record: cv.Measure, labels: list[tuple[int, int]]
) -> None:
    truth, pred = ([row[side] for row in labels] for side in (0, 1))
    held = [{k for k, c in enumerate(pred) if c == each} for each in sorted(set(pred))]
    assert close(
        record.evaluate(cv.CoverPair(truth, pred)).value,
        record.evaluate(cv.CoverPair(cv.Partition(truth), held)).value,
    )


# What a measure is where every object is in exactly one group of either cover.
REDUCES = {
    "omega_index": ("adjusted_rand", {}),
    "omega_unadjusted": ("rand", {}),
    "extended_bcubed_precision": ("bcubed_precision", {}),
    "extended_bcubed_recall": ("bcubed_recall", {}),
    "extended_bcubed_f1": ("bcubed_f1", {}),
    "best_match_f1_truth": ("larsen_aone", {}),
    "overlapping_element_centric": ("element_centric_similarity", {}),
}


@pytest.mark.parametrize("key", REDUCES)
@settings(max_examples=80)
@given(labels=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=16))
def test_without_overlaps_it_is_a_measure_of_partitions(
    key: str, labels: list[tuple[int, int]]
) -> None:
    truth, pred = ([row[side] for row in labels] for side in (0, 1))
    name, options = REDUCES[key]
    record = cv.measures[name]
    known = record.evaluate(cv.Contingency.from_labels(truth, pred), **options).value
    assert close(cv.measures[key].evaluate(cv.CoverPair(truth, pred)).value, known)


@settings(max_examples=80)
@given(labels=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=16))
def test_the_best_match_of_found_groups_is_larsen_aone_the_other_way(
    labels: list[tuple[int, int]],
) -> None:
    truth, pred = ([row[side] for row in labels] for side in (0, 1))
    assert close(cv.best_match_f1_pred(truth, pred), cv.larsen_aone(pred, truth))
    both = (cv.larsen_aone(truth, pred) + cv.larsen_aone(pred, truth)) / 2
    assert close(cv.best_match_f1(truth, pred), both)


@settings(max_examples=80)
@given(
    labels=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=2, max_size=16),
)
def test_two_groups_against_two_give_normalised_mutual_information(
    labels: list[tuple[int, int]],
) -> None:
    """With more groups neither of the two is a known measure: each looks at one group at a time."""
    truth, pred = ([row[side] for row in labels] for side in (0, 1))
    assume(len(set(truth)) == len(set(pred)) == 2)
    largest = cv.normalized_mutual_information(truth, pred, average="max")
    assert close(cv.overlapping_nmi_max(truth, pred), largest)
    mean = (cv.homogeneity(truth, pred) + cv.completeness(truth, pred)) / 2
    assert close(cv.overlapping_nmi_lfk(truth, pred), mean)


def test_with_three_groups_the_overlapping_nmis_are_none_of_the_averages() -> None:
    truth, pred = [0, 0, 1, 1, 2, 2, 2], [0, 1, 1, 1, 2, 2, 0]
    for average in ("min", "max", "arithmetic", "geometric", "joint"):
        known = cv.normalized_mutual_information(truth, pred, average=average)
        assert abs(cv.overlapping_nmi_max(truth, pred) - known) > 1e-3
        assert abs(cv.overlapping_nmi_lfk(truth, pred) - known) > 1e-3


@records()
@settings(max_examples=30)
@given(case=pairs(), data=st.data())
def test_some_objects_and_another_order_score_like_covers_made_of_them(
    record: cv.Measure, case: tuple[int, Groups, Groups], data: st.DataObject
) -> None:
    n, truth, pred = case
    pair = cv.CoverPair(truth, pred, n)
    places = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=8))
    sides = [
        [{k for k, place in enumerate(places) if place in group} for group in side]
        for side in (truth, pred)
    ]
    made = cv.CoverPair(*sides, len(places))
    assert close(record.evaluate(pair.take(np.array(places))).value, record.evaluate(made).value)
    order = data.draw(st.permutations(range(n)))
    moved = [{k for k in range(n) if order[k] in group} for group in pred]
    found = record.evaluate(pair.shuffled(np.array(order))).value
    assert close(found, record.evaluate(cv.CoverPair(truth, moved, n)).value)
