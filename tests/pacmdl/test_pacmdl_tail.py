"""Bucket and bmax beside exact rationals, 60-digit arithmetic and scipy."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath.ctx_mp import MPContext
from scipy.stats import hypergeom

from clustervet.errors import ParameterError
from clustervet.pacmdl import bmax, log2_bucket, max_errors

# A context of its own, so that no other test's precision is touched.
mp = MPContext()
mp.dps = 60

DELTAS = [
    *(Fraction(1, 2**k) for k in (1, 2, 3, 10, 40, 70)),
    *(Fraction(1, 10**k) for k in (1, 2, 3, 6, 15, 22)),
    *(Fraction(p, q) for p, q in ((9, 10), (99, 100), (3, 4), (1, 3), (2, 7), (1, 270), (1, 5400))),
]


def tails(m, n):
    """Bucket(m, n, a, b) as tails[a + b][b] over C(m + n, a + b), from the definition."""
    found = []
    for drawn in range(m + n + 1):
        sums, total = {}, 0
        for blue in range(min(n, drawn), max(0, drawn - m) - 1, -1):
            total += math.comb(n, blue) * math.comb(m, drawn - blue)
            sums[blue] = total
        found.append(sums)
    return found


def exact_bucket(m, n, a, b):
    return Fraction(tails(m, n)[a + b][b], math.comb(m + n, a + b))


@pytest.mark.parametrize("m", range(41))
def test_bmax_is_that_of_exact_rationals_for_all_small_buckets(m):
    for n in range(41):
        counts = tails(m, n)
        ways = [math.comb(m + n, drawn) for drawn in range(m + n + 1)]
        for a in range(m + 1):
            for k in (m + 3 * n + a, 7 * m + n + 5 * a + 9, 4 * m + 6 * n + 11 * a + 4):
                delta = DELTAS[k % len(DELTAS)]
                want = max(
                    b
                    for b in range(n + 1)
                    if counts[a + b][b] * delta.denominator >= delta.numerator * ways[a + b]
                )
                assert bmax(m, n, a, math.log2(delta)) == want, (m, n, a, delta)


@pytest.mark.parametrize(("m", "n"), [(1, 1), (7, 7), (8, 8), (3, 12), (12, 5), (15, 15)])
def test_a_tail_that_equals_delta_reaches_it(m, n):
    for a in range(m):
        for b in range(1, n + 1):
            assert bmax(m, n, a, math.log2(exact_bucket(m, n, a, b))) == b


@pytest.mark.parametrize(("m", "n"), list(product((1, 2, 5, 11), (1, 3, 4, 12))))
def test_small_buckets_are_those_of_exact_rationals(m, n):
    for a in range(m + 1):
        for b in range(n + 1):
            exact = exact_bucket(m, n, a, b)
            want = mp.log(mp.mpf(exact.numerator) / exact.denominator, 2)
            assert log2_bucket(m, n, a, b) == pytest.approx(float(want), rel=1e-13, abs=0)


@pytest.mark.parametrize(("red", "blue"), [(1, 3), (2, 2), (3, 4), (4, 3)])
def test_a_bucket_counts_the_blue_before_the_next_red(red, blue):
    # Why Bucket falls with b: at least b blue among a + b balls means that at least b come
    # before the red one after the a-th, and fewer orders do so for a larger b.
    orders = list(combinations(range(red + blue), red))
    for a in range(red):
        before = [places[a] - a for places in orders]
        for b in range(blue + 1):
            share = Fraction(sum(count >= b for count in before), len(orders))
            assert share == exact_bucket(red, blue, a, b)


@pytest.mark.parametrize("size", [2, 9, 24])
def test_exact_buckets_fall_with_b_and_their_logarithms_are_concave(size):
    counts = tails(size, size)
    for a in range(size):
        row = [Fraction(counts[a + b][b], math.comb(2 * size, a + b)) for b in range(size + 1)]
        assert row == sorted(row, reverse=True)
        assert len(set(row)) == len(row)
        assert all(x * z <= y * y for x, y, z in zip(row, row[1:], row[2:], strict=False))


def log2_in_60_digits(m, n, a, b):
    """The smaller of the two tails, summed outward from b in 60 digits."""
    drawn = a + b

    def point(blue):
        cells = (blue, drawn - blue, n - blue, m - drawn + blue)
        margins = (m, n, drawn, m + n - drawn)
        log = mp.fsum(mp.loggamma(mp.mpf(x) + 1) for x in margins)
        return mp.exp(
            log
            - mp.loggamma(mp.mpf(m + n) + 1)
            - mp.fsum(mp.loggamma(mp.mpf(x) + 1) for x in cells)
        )

    upper = b * (m + n) > n * drawn
    blue = b if upper else b - 1
    total = term = point(blue)
    while term > total * mp.mpf(10) ** -30:
        if upper:
            term *= mp.mpf((n - blue) * (drawn - blue)) / ((blue + 1) * (m - drawn + blue + 1))
            blue += 1
        else:
            term *= mp.mpf(blue * (m - drawn + blue)) / ((n - blue + 1) * (drawn - blue + 1))
            blue -= 1
        total += term
    return (mp.log(total) if upper else mp.log1p(-total)) / mp.log(2)


MILLION = 10**6


@pytest.mark.parametrize(
    ("a", "b"),
    [
        *((0, 1), (0, 1_000), (0, MILLION), (1, 3), (5, 2), (1_000, 900), (1_000, 1_000)),
        *((1_000, 1_250), (1_000, 50_000), (100_000, 98_000), (100_000, 100_000)),
        *((100_000, 100_900), (100_000, 140_000), (500_000, 497_000), (500_000, 500_010)),
        *((500_000, 503_000), (500_000, MILLION), (999_997, 999_000), (999_999, MILLION)),
    ],
)
def test_log2_bucket_keeps_its_digits_at_a_million(a, b):
    exact = log2_in_60_digits(MILLION, MILLION, a, b)
    assert log2_bucket(MILLION, MILLION, a, b) == pytest.approx(float(exact), rel=1e-12, abs=0)


@pytest.mark.parametrize(
    ("m", "n", "a", "b"),
    [
        (10**9, 10**9, 10**7, 15_930_580),
        (10**9, 10**9, 3, 10**6),
        (10**9, 10**6, 5 * 10**8, 505_000),
        (10**3, 10**9, 10, 2 * 10**7),
        (50, 10**9, 49, 999_000_000),
    ],
)
def test_log2_bucket_keeps_its_digits_at_a_billion(m, n, a, b):
    exact = log2_in_60_digits(m, n, a, b)
    assert log2_bucket(m, n, a, b) == pytest.approx(float(exact), rel=1e-11, abs=0)


def test_a_probability_next_to_one_is_told_from_one():
    value = log2_bucket(1_000, 1_000, 500, 250)
    exact = log2_in_60_digits(1_000, 1_000, 500, 250)
    assert -1e-20 < value < 0
    assert value == pytest.approx(float(exact), rel=1e-12, abs=0)


def test_the_ends_of_the_support():
    assert log2_bucket(10, 5, 3, 0) == 0
    assert log2_bucket(10, 5, 10, 5) == 0  # all red are among the draws, so all else is blue
    assert log2_bucket(10, 5, 3, 6) == -math.inf
    assert log2_bucket(0, 0, 0, 0) == 0
    assert bmax(10, 0, 3, -1) == 0
    assert bmax(0, 7, 0, -1) == 7
    assert bmax(10, 5, 10, -0.001) == 5
    assert bmax(10, 5, 3, 0) == 0
    assert bmax(10, 5, 3, -math.inf) == 5


counts = st.one_of(st.integers(1, 60), st.integers(1, 10**5), st.integers(1, 10**9))


@given(counts, counts, st.floats(0, 1), st.floats(0, 6))
@settings(max_examples=150)
def test_bmax_is_the_last_b_whose_tail_reaches_delta(m, n, share, magnitude):
    a, log2_delta = int(share * m), -(10.0**magnitude)
    b = bmax(m, n, a, log2_delta)
    assert 0 <= b <= n
    assert log2_bucket(m, n, a, b) >= log2_delta * (1 + 1e-11)
    if b < n:
        assert log2_bucket(m, n, a, b + 1) < log2_delta


@given(st.integers(1, 3_000), st.integers(1, 3_000), st.floats(0, 1))
@settings(max_examples=60)
def test_tails_fall_with_b_and_rise_with_a(m, n, share):
    a = int(share * (m - 1))
    bs = np.unique(np.linspace(0, n, 12).astype(int)).tolist()
    here = [log2_bucket(m, n, a, b) for b in bs]
    assert here == sorted(here, reverse=True)
    assert all(
        log2_bucket(m, n, a + 1, b) >= low - 1e-12 * abs(low)
        for b, low in zip(bs, here, strict=True)
    )


@pytest.mark.parametrize(
    ("m", "n", "a", "log2_delta"),
    [(1_500, 1_500, 44, -8), (9_000, 1_000, 2_500, -30), (10**5, 10**5, 3_000, -5_000)],
)
def test_bmax_is_what_halving_scipy_s_tail_finds(m, n, a, log2_delta):
    low, high = 0, n
    while low < high:
        b = (low + high + 1) // 2
        reached = hypergeom.logsf(b - 1, m + n, n, a + b) >= log2_delta * math.log(2)
        low, high = (b, high) if reached else (low, b - 1)
    assert bmax(m, n, a, log2_delta) == low


def test_many_classifiers_at_once_have_the_bounds_of_each():
    errors, bits = np.array([[0, 3, 44], [9, 9, 200]]), np.array([4.7, 8.1, 10.6])
    found = max_errors(errors, bits, train_size=1_500, test_size=1_000, delta=0.05)
    assert found.shape == (2, 3)
    for (row, col), most in np.ndenumerate(found):
        want = bmax(1_500, 1_000, int(errors[row, col]), math.log2(0.05) - bits[col])
        assert most == want
    assert max_errors([], [], train_size=10, test_size=10).shape == (0,)


@pytest.mark.parametrize(
    "arguments",
    [
        *((-1, 5, 0, 0), (5, -1, 0, 0), (5, 5, -1, 0), (5, 5, 0, -1)),
        *((5, 5, 6, 0), (5.5, 5, 0, 0), ("5", 5, 0, 0), (10**13, 5, 0, 0)),
    ],
)
def test_buckets_that_cannot_be_are_refused(arguments):
    with pytest.raises(ParameterError, match="must"):
        log2_bucket(*arguments)


@pytest.mark.parametrize("log2_delta", [0.5, math.nan, math.inf, "half", None])
def test_a_delta_that_is_no_probability_is_refused(log2_delta):
    with pytest.raises(ParameterError, match="at most 0"):
        bmax(5, 5, 1, log2_delta)


@pytest.mark.parametrize("bits", [-1.0, math.nan])
def test_a_length_that_is_none_is_refused(bits):
    with pytest.raises(ParameterError, match="at least 0"):
        max_errors([1], [bits], train_size=5, test_size=5)


@pytest.mark.parametrize("delta", [Fraction(1, 2), Fraction(1, 10), Fraction(1, 100)])
@pytest.mark.parametrize(("m", "n"), [(20, 20), (10, 30), (30, 10)])
def test_a_fixed_classifier_exceeds_its_bound_with_probability_below_delta(m, n, delta):
    # The theorem for one description of no bits, exactly: of its errors on all m + n objects,
    # a random half or so falls on the unlabelled ones.
    for errors in range(m + n + 1):
        chance = sum(
            Fraction(math.comb(n, b) * math.comb(m, errors - b), math.comb(m + n, errors))
            for b in range(max(0, errors - m), min(n, errors) + 1)
            if b > bmax(m, n, errors - b, math.log2(delta))
        )
        assert chance < delta
