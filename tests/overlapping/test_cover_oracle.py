"""Every measure of covers agrees with its definition in exact or sixty-digit arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

import cover_oracle
import numpy as np
import pytest
from cover_cases import COVERS, Groups, close, groups, pairs
from hypothesis import example, given, settings
from hypothesis import strategies as st

import clustervet as cv
from clustervet._kernels.patience import compiled_always
from clustervet.overlapping import meetings, overlaps, rows, walks


def test_every_measure_of_covers_has_an_oracle() -> None:
    assert {record.key for record in COVERS} == set(cover_oracle.MEASURES)


def wanted(record: cv.Measure, pair: cv.CoverPair, case: tuple[int, Groups, Groups]) -> float:
    exact = cover_oracle.MEASURES[record.key](*case)
    if pair.identical and record.perfect is not None:
        assert exact is None or abs(exact - record.perfect) < 1e-30
        return record.perfect
    return math.nan if exact is None else float(exact)


@pytest.mark.parametrize("record", COVERS, ids=lambda record: record.key)
@settings(max_examples=150)
@given(case=pairs())
# A large group says something about a small one that it does not meet.
@example(case=(100, [frozenset(range(69))], [frozenset({99})]))
@example(case=(5, [frozenset({0, 1})], []))
@example(case=(5, [frozenset(range(5))], [frozenset(range(5)), frozenset({1})]))
def test_it_is_what_its_definition_says(
    record: cv.Measure, case: tuple[int, Groups, Groups]
) -> None:
    n, truth, pred = case
    if n == 100 and record.key == "overlapping_element_centric":
        return  # sixty digits for a hundred objects take too long
    pair = cv.CoverPair(truth, pred, n)
    assert close(record.evaluate(pair).value, wanted(record, pair, case))


@pytest.mark.parametrize(
    "record",
    [record for record in COVERS if record.key.startswith(("omega", "extended"))],
    ids=lambda record: record.key,
)
@settings(max_examples=60, deadline=None)
@given(case=pairs())
def test_compiled_loops_give_the_same_value(
    record: cv.Measure, case: tuple[int, Groups, Groups]
) -> None:
    n, truth, pred = case
    plain = record.evaluate(cv.CoverPair(truth, pred, n)).value
    with compiled_always():
        compiled = record.evaluate(cv.CoverPair(truth, pred, n)).value
    assert plain == compiled or (math.isnan(plain) and math.isnan(compiled))


@pytest.mark.parametrize("record", COVERS, ids=lambda record: record.key)
def test_small_blocks_and_parts_give_the_same_value(
    record: cv.Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    truth, pred = (
        [rng.choice(60, rng.integers(1, 25), replace=False) for _ in range(20)] for _ in range(2)
    )
    plain = record(truth, pred, objects=60)
    monkeypatch.setattr(meetings, "STEP", 100)
    monkeypatch.setattr(overlaps, "STEP", 50)
    monkeypatch.setattr(walks, "BLOCK", 200)
    with compiled_always():
        assert close(record(truth, pred, objects=60), plain)


@pytest.mark.parametrize("record", COVERS, ids=lambda record: record.key)
def test_rows_with_equal_hashes_are_still_told_apart(
    record: cv.Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    truth, pred = [[0, 1, 2], [2, 3, 5]], [[0, 1], [1, 2, 3, 4], [5]]
    plain = record(truth, pred)
    monkeypatch.setattr(rows, "mixed", lambda numbers, salt: np.ones(len(numbers), np.uint64))
    assert close(record(truth, pred), plain)


@settings(max_examples=60)
@given(case=pairs(), beta=st.sampled_from([1, 2, 3]))
def test_beta_weighs_recall(case: tuple[int, Groups, Groups], beta: int) -> None:
    n, truth, pred = case
    exact = cover_oracle.extended_bcubed_f1(n, truth, pred, beta)
    pair = cv.CoverPair(truth, pred, n)
    found = cv.extended_bcubed_f1.record.evaluate(pair, beta=beta).value
    if not pair.identical:
        assert close(found, math.nan if exact is None else float(exact))


@settings(max_examples=60)
@given(case=pairs(), side=st.sampled_from(["truth", "pred", ""]))
def test_groups_may_count_by_their_objects(case: tuple[int, Groups, Groups], side: str) -> None:
    n, truth, pred = case
    key = f"best_match_f1_{side}".rstrip("_")
    exact = cover_oracle.MEASURES[key](n, truth, pred, "objects")
    pair = cv.CoverPair(truth, pred, n)
    found = cv.measures[key].evaluate(pair, average="objects").value
    if not pair.identical:
        assert close(found, math.nan if exact is None else float(exact))


@settings(max_examples=30)
@given(case=pairs(), alpha=st.sampled_from([Fraction(1, 10), Fraction(1, 2), Fraction(99, 100)]))
def test_walks_may_be_short_or_long(case: tuple[int, Groups, Groups], alpha: Fraction) -> None:
    n, truth, pred = case
    exact = cover_oracle.overlapping_element_centric(n, truth, pred, alpha)
    found = cv.overlapping_element_centric(truth, pred, objects=n, alpha=float(alpha))
    assert close(found, float(exact))


@pytest.mark.parametrize("groups_each", [3, 127, 128, 300, 33_000])
def test_counts_of_any_width_are_compiled_alike(groups_each: int) -> None:
    """Objects that share so many groups that a narrow number would not hold them."""
    kinds = np.arange(4)
    truth = cv.Cover.from_edges(
        np.repeat(kinds, groups_each), np.tile(np.arange(groups_each), 4), 5
    )
    pred = cv.Cover.from_edges(
        np.repeat(kinds[:3], groups_each), np.tile(np.arange(groups_each), 3), 5
    )
    for key in ("omega_index", "extended_bcubed_recall", "extended_bcubed_precision"):
        plain = cv.measures[key](truth, pred)
        with compiled_always():
            assert cv.measures[key](truth, pred) == plain
    assert cv.CoverPair(truth, pred).meetings.ones[-1] == 6


def test_counts_stay_exact_where_pairs_exceed_floats() -> None:
    """Two groups of 3 x 10^8 objects are two atoms, and their pairs do not fit 53 bits."""
    atoms = rows.Atoms(np.array([300_000_000, 300_000_001]), np.array([0, 1]), np.array([0, 1]))
    own = (np.array([0, 1, 2]), np.array([0, 1])), (np.array([0, 1, 2]), np.array([0, 0]))
    n = 600_000_001
    met = meetings.count_meetings(meetings.sides_of(atoms, own, (2, 1)), n)
    together = sum(size * (size - 1) // 2 for size in (300_000_000, 300_000_001))
    assert met.ones == [n * (n - 1) // 2 - together, together]
    assert met.twos == [0, n * (n - 1) // 2]
    assert met.agreed == together


@given(n=st.integers(2, 12), data=st.data())
def test_groups_that_a_large_group_does_not_meet_are_compared_too(
    n: int, data: st.DataObject
) -> None:
    """The least conditional entropy over all groups, also those without a common object."""
    truth, pred = data.draw(groups(n)), data.draw(groups(n))
    pair = cv.CoverPair(truth, pred, n)
    for side, one, two in ((0, truth, pred), (1, pred, truth)):
        exact = [float(cover_oracle._conditional(n, x, two)) * n for x in one]
        assert np.allclose(pair.entropies[side].left, exact, rtol=1e-12, atol=1e-12)
