"""Pair counts by chance: moments and tails against enumeration, exact rationals and simulation."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pearson3, random_table

import clustervet as cv
from clustervet.inference.nulls import Side
from clustervet.inference.pair_null import (
    ALL_TABLES,
    LOST,
    NORMAL,
    PEARSON,
    PairNull,
    count_tables,
    pearson_tail,
)

SIZES = st.lists(st.integers(1, 4), min_size=1, max_size=3)


def null_of(class_sizes, cluster_sizes) -> PairNull:
    n = sum(class_sizes)
    return PairNull((Side(n, np.array(class_sizes)), Side(n, np.array(cluster_sizes))))


def of_all_tables(rows, columns) -> dict[int, Fraction]:
    """The probability of each N11, from every table and its exact number of permutations."""
    found: dict[int, Fraction] = defaultdict(Fraction)

    def fill(left, todo, pairs, weight):
        if not todo:
            found[pairs] += weight
            return
        for taken in itertools.product(*(range(min(x, todo[0]) + 1) for x in left)):
            if sum(taken) == todo[0]:
                ways = math.prod(math.comb(x, k) for x, k in zip(left, taken, strict=True))
                rest = tuple(x - k for x, k in zip(left, taken, strict=True))
                more = sum(math.comb(k, 2) for k in taken)
                share = Fraction(ways, math.comb(sum(left), todo[0]))
                fill(rest, todo[1:], pairs + more, weight * share)

    fill(tuple(rows), tuple(columns), 0, Fraction(1))
    return dict(found)


def moments(law) -> tuple[Fraction, Fraction, Fraction]:
    mean = sum(x * p for x, p in law.items())
    return mean, *(sum((x - mean) ** k * p for x, p in law.items()) for k in (2, 3))


@st.composite
def two_sizes(draw):
    """Sizes of two clusterings of the same objects."""
    rows = draw(SIZES)
    left, columns = sum(rows), []
    while left:
        columns.append(draw(st.integers(1, left)))
        left -= columns[-1]
    return rows, columns[:3] + ([sum(columns[3:])] if columns[3:] else [])


@given(two_sizes())
@settings(max_examples=60)
def test_three_moments_are_those_of_all_tables(sizes):
    rows, columns = sizes
    null = null_of(rows, columns)
    assert (null.mean, null.variance, null.third) == moments(of_all_tables(rows, columns))


@pytest.mark.parametrize(
    ("truth", "pred"),
    [
        ((0, 0), (0, 1)),
        ((0, 0, 1), (0, 1, 1)),
        ((0, 0, 0, 1, 1, 2), (0, 0, 1, 1, 2, 2)),
        ((0, 0, 0, 0, 1, 1), (0, 1, 2, 3, 3, 3)),
    ],
)
def test_three_moments_are_those_of_all_permutations(truth, pred):
    law: dict[int, Fraction] = defaultdict(Fraction)
    for shuffled in itertools.permutations(pred):
        n11 = cv.Contingency.from_labels(truth, shuffled).exact_pairs.n11
        law[int(n11)] += Fraction(1, math.factorial(len(pred)))
    null = null_of(np.bincount(truth).tolist(), np.bincount(pred).tolist())
    assert (null.mean, null.variance, null.third) == moments(law)


@pytest.mark.parametrize("n", [10, 10**3, 10**6, 10**9, 10**13])
def test_three_moments_are_exact_at_any_size(n):
    law: dict[int, Fraction] = defaultdict(Fraction)
    for x in range(4):  # of three objects of one class, x are in a cluster of four
        cells = (x, 3 - x, 4 - x, n - 7 + x)
        n11 = sum(cell * (cell - 1) // 2 for cell in cells)
        law[n11] += Fraction(math.comb(4, x) * math.comb(n - 4, 3 - x), math.comb(n, 3))
    null = null_of([3, n - 3], [4, n - 4])
    assert (null.mean, null.variance, null.third) == moments(law)
    exact = moments(law)
    skewness = mpmath.mpf(exact[2].numerator) / exact[2].denominator
    skewness /= (mpmath.mpf(exact[1].numerator) / exact[1].denominator) ** 1.5
    assert null.skewness == pytest.approx(float(skewness), rel=1e-12)


def partitions(n):
    found = [(0,)]
    for _ in range(n - 1):
        found = [(*p, k) for p in found for k in range(max(p) + 2)]
    return found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"clusters": 2}, {"clusters": 3}),
        ({}, {}),
        ({"clusters": 5}, {}),
        ({"sizes": np.array([3, 1, 1])}, {"clusters": 2}),
        ({"sizes": np.array([2, 2, 1])}, {}),
    ],
)
def test_three_moments_under_other_models_are_those_of_all_partitions(one, other):
    weights = (Fraction(1), Fraction(-1, 2), Fraction(-1, 3))

    def allowed(model):
        for p in partitions(5):
            if "sizes" in model:
                if sorted(np.bincount(p)) == sorted(model["sizes"]):
                    yield p
            elif max(p) + 1 == model.get("clusters", max(p) + 1):
                yield p

    values = []
    for a, b in itertools.product(allowed(one), allowed(other)):
        pairs = cv.Contingency.from_labels(a, b).exact_pairs
        counts = (pairs.n11, pairs.same_class, pairs.same_cluster)
        values.append(sum(w * int(x) for w, x in zip(weights, counts, strict=True)))
    law: dict[Fraction, Fraction] = defaultdict(Fraction)
    for value in values:
        law[value] += Fraction(1, len(values))
    null = PairNull((Side(5, **one), Side(5, **other)), weights)
    for found, right in zip((null.mean, null.variance, null.third), moments(law), strict=True):
        assert abs(found - right) < Fraction(1, 10**70)


@pytest.mark.parametrize("skewness", [0.0, 1e-9, 1e-4, 0.03, 0.5, 1.41, 2.83, 30.0])
@pytest.mark.parametrize("z", [-2.0, -0.1, 0.0, 1.0, 3.0, 12.0])
def test_the_tail_is_that_of_a_shifted_gamma_distribution(z, skewness):
    with mpmath.workdps(40):
        if skewness < 1e-6:
            right = mpmath.erfc(z / mpmath.sqrt(2)) / 2
        elif skewness < 1e-3:
            right = mpmath.mpf(float(pearson3.sf(z, skewness)))
        else:
            shape = 4 / mpmath.mpf(skewness) ** 2
            start = max(mpmath.mpf(0), shape + z * mpmath.sqrt(shape))
            right = mpmath.gammainc(shape, start, mpmath.inf, regularized=True)
    assert pearson_tail(z, skewness) == pytest.approx(float(right), rel=1e-6)


@given(two_sizes())
@settings(max_examples=40)
def test_small_tables_are_all_counted(sizes):
    rows, columns = sizes
    found = count_tables(*map(tuple, sorted((rows, columns), key=len)))
    right = of_all_tables(rows, columns)
    assert found is not None
    assert {x for x, p in found.items() if p > 0} == set(right)
    for value, p in right.items():
        assert found[value] == pytest.approx(float(p), rel=1e-12)


TRUTH, PRED = (0, 0, 0, 1, 1, 2), (0, 0, 1, 1, 1, 2)


@pytest.mark.parametrize("key", ["rand", "ari", "jaccard", "fowlkes_mallows", "mirkin", "gamma"])
def test_p_values_of_small_tables_are_shares_of_all_permutations(key):
    value = cv.measures[key](TRUTH, PRED)
    sign = 1 if cv.measures[key].better == "higher" else -1
    shuffled = [cv.measures[key](TRUTH, p) for p in itertools.permutations(PRED)]
    share = np.mean(sign * (np.array(shuffled) - value) >= -1e-12)
    found = cv.chance(key, TRUTH, PRED, samples=0)
    assert found.p_value == pytest.approx(share, rel=1e-12)
    assert found.tail == "all tables of these sizes"


def test_ties_at_random_lie_between_passing_and_reaching():
    law = of_all_tables((3, 2, 1), (2, 3, 1))
    n11 = cv.Contingency.from_labels(TRUTH, PRED).exact_pairs.n11
    past = float(sum(p for x, p in law.items() if x > n11))
    found = [
        cv.chance("rand", TRUTH, PRED, samples=0, ties="random", random_state=k).p_value
        for k in range(60)
    ]
    assert past < min(found) < max(found) < past + float(law[n11])
    assert np.mean(found) == pytest.approx(past + float(law[n11]) / 2, abs=0.06)


@pytest.mark.parametrize("key", ["rand", "mirkin", "jaccard", "purity", "vi"])
@pytest.mark.parametrize("pred", [[0] * 6, [0, 1, 2, 3, 4, 5]])
def test_sizes_that_leave_no_choice_make_every_table_as_good(key, pred):
    for sides in (([0, 0, 0, 1, 1, 2], pred), (pred, [0, 0, 0, 1, 1, 2])):
        assert cv.chance(key, *sides, samples=0).p_value == 1


def blocks(n, k, moved, seed=0):
    """Even classes, and clusters in which that many objects are at random."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % k
    pred = truth.copy()
    pred[:moved] = rng.permutation(pred[:moved])
    return truth, pred


def test_a_large_table_names_the_tail_that_was_used():
    truth, pred = blocks(600, 5, 570)
    found = cv.chance("ari", truth, pred, samples=0)
    assert found.tail == PEARSON == "Pearson III from the exact third moment"
    assert found.to_dict()["tail"] == PEARSON
    assert found.skewness == pytest.approx(null_of([120] * 5, [120] * 5).skewness)
    assert "p-values are approximate: the tail is that of a Pearson type III" in repr(found)
    assert "(approximate)" in found.verdict
    sampled = cv.chance("ari", truth, pred, samples=4_000, random_state=0)
    assert sampled.tail == "random tables"
    assert found.p_value == pytest.approx(sampled.p_value, abs=0.02)
    lower = cv.chance("mirkin", truth, pred, samples=0)
    assert lower.p_value == pytest.approx(found.p_value, rel=1e-12)
    assert lower.skewness == pytest.approx(-found.skewness)


def test_p_values_that_nobody_checked_are_shown_as_a_limit():
    truth, pred = blocks(600, 5, 100)
    found = cv.chance("rand", truth, pred, samples=0)
    assert found.p_value < 1e-10
    assert "≤ 0.0001" in repr(found)
    assert "p < 0.0001 (approximate)" in found.verdict
    exact = cv.chance("rand", np.repeat([0, 1], 50), np.repeat([0, 1], 50), samples=0)
    assert (exact.p_value, exact.tail) == (LOST, ALL_TABLES)
    assert "≤ 1e-12" in repr(exact)


def test_measures_without_a_tail_say_that_they_have_no_p_value():
    truth, pred = blocks(60, 3, 30)
    found = cv.chance("nmi", truth, pred, samples=0)
    assert math.isnan(found.p_value)
    assert found.tail == ""
    assert "Without random tables there is no p-value for normalized_mutual_information." in repr(
        found
    )
    assert "no p-value" not in repr(cv.chance("joint_entropy", truth, pred, samples=0))


def test_a_measure_that_is_better_with_fewer_pairs_has_the_other_tail():
    @cv.measure(title="Apart", family="mine", better="higher", bounds=(0, 1))
    def apart(table):
        pairs = table.exact_pairs
        return float(1 - Fraction(pairs.n11) / pairs.total)

    try:
        law = of_all_tables((3, 2, 1), (2, 3, 1))
        n11 = cv.Contingency.from_labels(TRUTH, PRED).exact_pairs.n11
        right = float(sum(p for x, p in law.items() if x <= n11))
        assert cv.chance("apart", TRUTH, PRED, samples=0).p_value == pytest.approx(right)
        truth, pred = blocks(600, 5, 600)
        found = cv.chance("apart", truth, pred, samples=0)
        assert found.tail == NORMAL
        assert found.skewness < 0
        assert 0 < found.p_value < 1
    finally:
        cv.measures.remove("apart")


@pytest.mark.parametrize("model", ["number", "all", "number_one_sided", "all_one_sided"])
def test_other_models_have_spread_and_p_value_for_rand(model):
    truth, pred = blocks(60, 3, 52, seed=3)
    found = cv.chance("rand", truth, pred, model=model, samples=0)
    sampled = cv.chance("rand", truth, pred, model=model, samples=1_000, random_state=0)
    drawn = cv.chance("vi", truth, pred, model=model, samples=2, random_state=0)
    assert found.tail in (PEARSON, NORMAL)
    assert found.p_value == pytest.approx(sampled.p_value, abs=0.06)
    assert drawn.tail == "random tables"
    assert math.isnan(cv.chance("ari", truth, pred, model=model, samples=0).p_value)


def test_one_class_that_is_all_objects_does_not_turn_the_tail():
    # The more pairs the clusters have, the better; few partitions have as many as this one.
    truth, pred = [0] * 30, [0] * 28 + [1, 2]
    found = cv.chance("mirkin", truth, pred, model="number_one_sided", samples=0)
    assert found.p_value < 0.01
    assert found.z < -5


def test_many_clusters_with_a_fixed_number_have_no_p_value():
    labels = np.arange(3_000) // 2
    found = cv.chance("rand", labels, labels[::-1], model="number", samples=0)
    assert math.isnan(found.p_value)
    assert found.exact


def test_very_many_clusters_take_no_time():
    labels = np.arange(40_000) // 2
    found = cv.chance("rand", labels, np.roll(labels, 1), samples=0)
    assert found.tail == PEARSON
    # The pairs that two matchings share are nearly Poisson with mean 1/2.
    assert found.skewness == pytest.approx(math.sqrt(2), rel=0.001)


def test_z_is_not_rounded_away_at_large_sizes():
    n = 10**13
    table = cv.Contingency.from_counts([[n + 10**7, n], [n, n + 10**7]])
    found = cv.chance("rand", table, samples=0)
    null = null_of([2 * n + 10**7] * 2, [2 * n + 10**7] * 2)
    right = float(table.exact_pairs.n11 - null.mean) / math.sqrt(float(null.variance))
    assert found.z == pytest.approx(right, rel=1e-9)
    assert found.z > 1
    assert found.p_value < 0.1


# Sizes, and the greatest share of p-values up to 0.01 and 0.001 that is let pass for 20,000 draws.
@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ([10, 10], [10, 10]),
        ([50, 50], [70, 30]),
        ([100] * 3, [100] * 3),
        ([40] * 5, [120, 40, 20, 10, 10]),
        ([300, 100, 60, 30, 10], [250] * 2),
        ([940, 20, 20, 20], [400, 300, 200, 100]),
        ([3] * 20, [12] * 5),
        ([1000] * 4, [500] * 8),
    ],
)
def test_p_values_hold_their_level(rows, columns):
    draws = 20_000
    tables = random_table(rows, columns).rvs(draws, random_state=np.random.default_rng(5))
    drawn = (tables * (tables - 1) // 2).sum((1, 2))
    null = null_of(rows, columns)
    values, places = np.unique(drawn, return_inverse=True)
    p = np.array([null.tail(Fraction(int(x)), True)[1] for x in values])[places]
    for level, most in ((0.05, 1.15), (0.01, 1.25), (0.001, 1.5)):
        limit = most * level + 3 * math.sqrt(level / draws)
        assert np.mean(p <= level) <= limit, level
    assert np.mean(p <= 0.1) > 0.01  # and are not merely large
