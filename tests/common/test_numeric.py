"""Scalar functions against the same formulas in 50 digits."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from clustervet._numeric import (
    deviance,
    expected_deviance,
    log_binomial,
    log_rising,
    stirling_error,
    wide_expectation,
)

mp = mpmath.mp.clone()
mp.dps = 50


def true_deviance(mean, gap):
    x = mp.mpf(mean) + mp.mpf(gap)
    return x * mp.log(x / mean) - gap


@pytest.mark.parametrize("mean", [1e-3, 0.7, 1.0, 12.0, 3e9])
def test_deviance_keeps_its_digits_near_and_far_from_the_mean(mean):
    shares = [*np.geomspace(1e-12, 0.2, 40), 0.2222, 0.2223, 0.25, 0.9, 5.0, 1e6]
    for share in shares:
        for gap in (share * mean, -min(share, 0.97) * mean):
            found = deviance(mean + gap, mean, gap)
            assert found == pytest.approx(float(true_deviance(mean, gap)), rel=4e-15), share
    assert deviance(0.0, mean, -mean) == mean
    assert deviance(-1e-30, mean, -mean) == mean
    assert deviance(mean, mean, 0.0) == 0.0


def test_what_stirlings_formula_leaves_out():
    for x in (1.0, 2.5, 9.0, 15.0, 15.999, 16.0, 16.5, 17.0, 40.0, 1e3, 1e8):
        wide = mp.mpf(x)
        formula = (wide + 0.5) * mp.log(wide) - wide + mp.log(2 * mp.pi) / 2
        exact = float(mp.loggamma(wide + 1) - formula)
        assert stirling_error(x) == pytest.approx(exact, rel=1e-12 if x < 16 else 2e-14)


def true_expectation(a, b, n):
    """The mean over the hypergeometric law, term by term."""
    mean = mp.mpf(a) * b / n
    low, high = max(0, a + b - n), min(a, b)
    middle = int(mean)
    low, high = max(low, middle - 2_500), min(high, middle + 2_500)
    probability = mp.exp(
        mp.loggamma(b + 1) - mp.loggamma(low + 1) - mp.loggamma(b - low + 1)
        + mp.loggamma(n - b + 1) - mp.loggamma(a - low + 1) - mp.loggamma(n - b - a + low + 1)
        - mp.loggamma(n + 1) + mp.loggamma(a + 1) + mp.loggamma(n - a + 1)
    )  # fmt: skip
    total = mass = mp.mpf(0)
    for x in range(low, high + 1):
        total += probability * ((x * mp.log(x / mean) if x else 0) - x + mean)
        mass += probability
        probability *= mp.mpf((a - x) * (b - x)) / ((x + 1) * (n - a - b + x + 1))
    return total / mass


@pytest.mark.parametrize(
    ("a", "b", "n"),
    [
        *[(1, 1, 2), (3, 5, 9), (4, 4, 8), (2, 40, 50), (45, 7, 50), (45, 44, 50), (1, 999, 1_000)],
        *[(400, 300, 1_000), (900, 850, 1_000), (20_000, 30_000, 100_000), (600, 700, 10**6)],
    ],
)
def test_expected_deviance_of_random_sets(a, b, n):
    found = expected_deviance(float(a), float(b), float(n), float(n - a), float(n - b))
    assert found == pytest.approx(float(true_expectation(a, b, n)), rel=1e-13)


def test_nothing_is_expected_of_a_set_that_holds_everything():
    assert expected_deviance(5.0, 3.0, 5.0, 0.0, 2.0) == 0.0
    assert expected_deviance(3.0, 5.0, 5.0, 2.0, 0.0) == 0.0


def test_a_coarse_grid_gives_the_same_as_every_term():
    a, b, n = 30_000.0, 40_000.0, 100_000.0
    spread = math.sqrt(a / n * b * (1 - a / n) * (1 - b / n) * (n / (n - 1)))
    assert spread > 30
    exact = float(true_expectation(30_000, 40_000, 100_000))
    assert wide_expectation(a, b, n, n - a, n - b, spread) == pytest.approx(exact, rel=1e-13)
    a, b, n = 2_000.0, 9_000.0, 20_000.0
    spread = math.sqrt(a / n * b * (1 - a / n) * (1 - b / n) * (n / (n - 1)))
    exact = float(true_expectation(2_000, 9_000, 20_000))
    assert wide_expectation(a, b, n, n - a, n - b, spread) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("h", [0, 0.3, 1, 2.5, 12, 12.5, 31, 31.7, 32, 32.5, 100, 1e6, 1e15])
@pytest.mark.parametrize("m", [0, 1, 7, 31, 32, 33, 40, 1_000, 10**6])
def test_log_binomial_keeps_its_digits(h, m):
    wide = mp.mpf(h)
    exact = mp.loggamma(wide + m + 1) - mp.loggamma(wide + 1) - mp.loggamma(m + 1)
    assert log_binomial(h, m) == pytest.approx(float(exact), rel=2e-14)


@pytest.mark.parametrize("z", [33.0, 34.5, 100.0, 1e6, 1e12])
@pytest.mark.parametrize("h", [0.0, 1e-6, 0.4, 1.0, 5.5, 31.9])
def test_log_rising_keeps_its_digits(z, h):
    exact = mp.loggamma(mp.mpf(z) + h) - mp.loggamma(z)
    assert log_rising(z, h) == pytest.approx(float(exact), rel=2e-14, abs=1e-300)
