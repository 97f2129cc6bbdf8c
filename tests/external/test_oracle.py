"""Every measure gives the digits of exact arithmetic, whatever the table."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from fractions import Fraction

import oracle
import pytest
from agreement import EXTERNAL, counts_up_to, disagreements, matrices, nearly_independent, within
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

import clustervet as cv

WEIGHTS = st.one_of(st.just(0.0), st.floats(0.01, 100.0))
# Seconds; a table takes a fraction of one, its oracle included.
PATIENCE = 5.0
WIDE_WEIGHTS = st.one_of(st.just(0.0), st.floats(1e-9, 1e9))


def test_every_external_measure_has_an_oracle() -> None:
    assert {record.key for record in EXTERNAL} == set(oracle.MEASURES)


@settings(max_examples=120)
@given(matrices(st.integers(0, 30)))
@example([[1, 1], [1, 1]])
@example([[2, 0], [0, 2]])
@example([[3, 1, 0], [0, 0, 2]])
def test_small_tables(counts: list[list[int]]) -> None:
    assert not disagreements(counts)


@settings(max_examples=40)
@given(matrices(counts_up_to(10**15)))
@example([[10**15] * 10 + [1000], [0] * 10 + [3]])
def test_counts_up_to_a_thousand_million_million(counts: list[list[int]]) -> None:
    with within(PATIENCE):
        assert not disagreements(counts)


@settings(max_examples=30)
@given(matrices(counts_up_to(10**30), classes=4, clusters=4))
@example([[10**16, 1], [1, 0]])
@example([[10**16 + 1, 3], [2, 2]])
@example([[10**16, 1000], [0, 3]])
def test_counts_beyond_any_machine_integer(counts: list[list[int]]) -> None:
    with within(PATIENCE):
        assert not disagreements(counts)


@settings(max_examples=30)
@given(matrices(counts_up_to(10**15), classes=1, clusters=9))
def test_one_class(counts: list[list[int]]) -> None:
    assert not disagreements(counts)


@settings(max_examples=30)
@given(matrices(counts_up_to(10**15), classes=9, clusters=1))
def test_one_cluster(counts: list[list[int]]) -> None:
    assert not disagreements(counts)


def test_one_object() -> None:
    assert not disagreements([[1]])


@pytest.mark.parametrize("n", [2, 3, 7, 100])
def test_all_objects_alone_on_both_sides(n: int) -> None:
    assert not disagreements({(k, k): 1 for k in range(n)})


@settings(max_examples=40)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.booleans())
@example([0, 0, 0], True)
@example([0, 1, 0, 1], False)
def test_all_objects_alone_on_one_side(labels: list[int], singleton_classes: bool) -> None:
    cells = [(k, label) if singleton_classes else (label, k) for k, label in enumerate(labels)]
    assert not disagreements(dict.fromkeys(cells, 1))


def random_tables(count: int, seed: int) -> Iterator[list[list[int]]]:
    """Tables of up to six classes and clusters: sparse or full, with counts of one size."""
    rng = random.Random(seed)
    while count:
        shape = rng.randint(1, 6), rng.randint(1, 6)
        most, full = rng.choice([1, 2, 3, 5, 9, 20, 30]), rng.choice([0.3, 0.6, 0.9, 1.0])
        counts = [
            [rng.randint(0, most) if rng.random() < full else 0 for _ in range(shape[1])]
            for _ in range(shape[0])
        ]
        if any(map(any, counts)):
            count -= 1
            yield counts


def even_tables(count: int, seed: int) -> Iterator[list[list[int]]]:
    """Large tables of products of margins, but for a few objects: all measures are close to 0."""
    rng = random.Random(seed)
    for _ in range(count):
        rows, columns = ([rng.choice([1, 1, 2, 3]) for _ in range(rng.randint(2, 5))] for _ in "ab")
        scale = 10 ** rng.randint(0, 7)
        counts = [[scale * a * b for b in columns] for a in rows]
        for _ in range(rng.randint(0, 3)):
            rng.choice(counts)[rng.randrange(len(columns))] += rng.randint(1, 3)
        yield counts


def test_a_thousand_random_tables() -> None:
    assert not [line for counts in random_tables(1_000, 1) for line in disagreements(counts)]


@pytest.mark.parametrize("key", ["pair_sets_index", "normalized_clustering_accuracy", "dom_q1"])
@pytest.mark.parametrize("tables", [random_tables, even_tables])
def test_thousands_of_tables_by_measures_that_subtract(
    key: str, tables: Callable[[int, int], Iterator[list[list[int]]]]
) -> None:
    """Near 0 a difference of rounded sums has no digits left; these keep theirs."""
    assert not [line for counts in tables(2_000, 2) for line in disagreements(counts, [key])]


@pytest.mark.parametrize("size", [2, 3, 5])
@pytest.mark.parametrize("diagonal", [10, 10**6, 10**15])
@pytest.mark.parametrize("place", [(0, 1), (1, 0)])
def test_one_object_astray_among_many(size: int, diagonal: int, place: tuple[int, int]) -> None:
    counts = [[diagonal * (row == col) for col in range(size)] for row in range(size)]
    counts[place[0]][place[1]] = 1
    assert not disagreements(counts)


def test_one_object_alone_beside_a_huge_cluster() -> None:
    assert not disagreements([[10**15, 0], [0, 10**15], [1, 0]])
    assert not disagreements([[10**15, 1], [1, 0]])


@settings(max_examples=40)
@given(nearly_independent(10**6))
@example([[10**12, 10**12], [10**12, 10**12 + 1]])
@example([[10**12, 10**12], [10**12, 10**12]])
def test_clusterings_that_share_next_to_no_information(counts: list[list[int]]) -> None:
    assert not disagreements(counts)


@settings(max_examples=20)
@given(nearly_independent(10**15, classes=3, clusters=3))
@example([[10**20, 10**10], [10**10, 1]])
def test_huge_clusterings_that_share_next_to_no_information(counts: list[list[int]]) -> None:
    with within(PATIENCE):
        assert not disagreements(counts)


@settings(max_examples=100)
@given(matrices(WEIGHTS, classes=5, clusters=5))
@example([[0.1, 0.2, 0.3]])
@example([[0.16091468621653895, 3.4471709482128143]])
def test_real_weights(counts: list[list[float]]) -> None:
    assert not disagreements(counts)


@settings(max_examples=100)
@given(matrices(WIDE_WEIGHTS, classes=4, clusters=4))
@example([[652741286.8249141, 1.2006455759077299e-08]])
@example([[1e8 + 0.1, 1e-3], [0.0, 1e8]])
@example([[1.0, 1e-9]])
def test_real_weights_of_very_different_size(counts: list[list[float]]) -> None:
    assert not disagreements(counts)


def test_values_beyond_any_float_are_infinite_and_say_so() -> None:
    table = cv.Contingency.from_counts([[10**200, 10**200], [1, 10**200]])
    value, why = cv.measures["mirkin"].evaluate(table)
    assert value == math.inf
    assert why


# The oracle itself: three ways to an expectation, two to a matching, and textbook values.


@pytest.mark.parametrize("margins", [(3, 5, 9), (200, 300, 400), (1999, 3, 2000), (1, 1, 2)])
def test_expected_information_summed_two_ways(margins: tuple[int, int, int]) -> None:
    with mp.workdps(60):
        plain, outward = (
            oracle.expected_by_definition(*margins),
            oracle.expected_by_summation(*margins),
        )
        assert abs(plain - outward) < plain * mpf("1e-50")


@pytest.mark.parametrize(
    "margins",
    [
        (15_000, 15_000, 20_000),
        (20_000, 30_000, 40_000),
        (10**6, 10**5, 10**7),
        (99_900, 10**5, 10**5),
    ],
)
def test_expected_information_from_moments(margins: tuple[int, int, int]) -> None:
    with mp.workdps(60):
        outward, moments = (
            oracle.expected_by_summation(*margins),
            oracle.expected_by_moments(*margins),
        )
        assert abs(outward - moments) <= outward * mpf("1e-28")


def test_expected_information_of_a_two_by_two_table() -> None:
    """Of the six ways to choose two objects of four, two repeat the classes and tell one bit."""
    table = oracle.Table([[1, 1], [1, 1]])
    with mp.workdps(60):
        assert abs(table.expected_mutual_information - mp.log(2) / 3) < mpf("1e-50")


def test_matching_found_two_ways() -> None:
    rng = random.Random(5)
    for _ in range(50):
        shape = rng.randint(1, 7), rng.randint(1, 7)
        counts = [[rng.randint(0, 9) for _ in range(shape[1])] for _ in range(shape[0])]
        counts[0][0] += 1
        table = oracle.Table(counts)
        for weigh in (lambda cell: cell.x, lambda cell: cell.x / cell.a):
            all_maps = oracle.exhaustive_matching(table, weigh)
            assert all_maps == oracle.assigned_matching(table, weigh)


def test_textbook_values() -> None:
    """Manning, Raghavan & Schütze 2008, §16.3: three clusters of 17 objects in three classes."""
    table = oracle.Table([[5, 1, 2], [1, 4, 0], [0, 1, 3]])
    assert oracle.MEASURES["purity"](table) == Fraction(12, 17)
    assert oracle.MEASURES["rand"](table) == Fraction(20 + 72, 136)
    average = oracle.MEASURES["normalized_mutual_information"](table, average="arithmetic")
    assert round(float(average), 2) == 0.36
