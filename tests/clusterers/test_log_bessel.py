from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from clustervet.clusterers.bessel import (
    bessel_ratio,
    concentration,
    log_bessel,
    log_normalizer,
)

DIMENSIONS = [2, 3, 10, 100, 1_000, 50_000]
ARGUMENTS = [1e-3, 0.1, 1.0, 30.0, 1e3, 4e4, 1e6, 1e8]


def exact_log_bessel(order, x):
    """log(exp(-x) I_v(x)): the power series where it is short, else an integral (DLMF 10.32.2)."""
    v, x = mpmath.mpf(order), mpmath.mpf(x)
    if x < 2_000 or order < 20:
        return mpmath.log(mpmath.besseli(v, x)) - x
    # I_v(x) is an integral of (1 - t²)^(v - 1/2) exp(x t); with t = 1 - u it has one sharp peak.
    a = v - mpmath.mpf(1) / 2
    t = (mpmath.sqrt(a * a + x * x) - a) / x
    peak = 2 * a * t / (x * (1 + t))

    def log_density(u):
        return a * mpmath.log(u * (2 - u)) - x * u

    width = 1 / mpmath.sqrt(a * (peak**-2 + (2 - peak) ** -2))
    edges = [peak + step * width for step in range(-16, 21, 4)]
    edges = [mpmath.mpf(0) if peak < 16 * width else edges[0], *(e for e in edges[1:] if e > 0)]
    top = log_density(peak)
    area = mpmath.quad(lambda u: mpmath.exp(log_density(u) - top) if u else mpmath.mpf(0), edges)
    front = v * mpmath.log(x / 2) - mpmath.log(mpmath.pi) / 2
    return top + mpmath.log(area) + front - mpmath.loggamma(v + mpmath.mpf(1) / 2)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_logarithms_and_ratios_have_all_their_digits(dimension):
    order = dimension / 2 - 1
    with mpmath.workdps(25):
        for x in ARGUMENTS:
            low, high = exact_log_bessel(order, x), exact_log_bessel(order + 1, x)
            error = abs(mpmath.mpf(float(log_bessel(order, x))) - low)
            assert error <= 2e-13 * max(1, abs(low)), x
            ratio = mpmath.exp(high - low)
            assert abs(mpmath.mpf(float(bessel_ratio(order, x))) - ratio) <= 1e-14 * ratio, x


@settings(max_examples=60)
@given(st.floats(0, 60), st.floats(1e-2, 600))
def test_small_orders_agree_with_scipy(order, x):
    assert float(log_bessel(order, x)) == pytest.approx(
        float(mpmath.log(mpmath.besseli(order, x)) - x), rel=1e-12, abs=1e-12
    )
    if special.ive(order, x) > 1e-250:
        assert math.exp(log_bessel(order, x)) == pytest.approx(special.ive(order, x), rel=1e-10)


def test_the_order_of_one_dimension_gives_hyperbolic_functions():
    for x in (1e-3, 0.7, 5.0, 300.0):
        assert float(bessel_ratio(-0.5, x)) == pytest.approx(math.tanh(x), rel=1e-14)
        # c_1(κ) = 1 / (2 cosh κ) sums to one over the two points
        total = (1 + math.exp(-2 * x)) / 2
        assert float(log_normalizer(1, x)) == pytest.approx(-math.log(2 * total), abs=1e-12)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_uniform_density_is_the_limit_of_small_concentrations(dimension):
    area = math.log(2) + dimension / 2 * math.log(math.pi) - math.lgamma(dimension / 2)
    value = float(log_normalizer(dimension, 1e-9))
    assert value == pytest.approx(-area, rel=1e-11, abs=1e-8)


@pytest.mark.parametrize("dimension", [1, *DIMENSIONS])
def test_a_concentration_gives_back_its_resultant(dimension):
    order = dimension / 2 - 1
    resultants = np.array([1e-6, 0.01, 0.2, 0.5, 0.9, 0.99, 0.9999, 1 - 1e-8])
    kappa = concentration(dimension, resultants)
    assert np.all(np.diff(kappa) > 0)
    kept = kappa < 1e12
    found = bessel_ratio(order, kappa[kept])
    np.testing.assert_allclose(found, resultants[kept], rtol=1e-14)


@pytest.mark.parametrize("dimension", [2, 3, 10, 1_000, 50_000])
def test_a_concentration_is_found_again(dimension):
    order = dimension / 2 - 1
    for kappa in (1e-3, 1.0, 50.0, 1e3, 1e5):
        ratio = float(bessel_ratio(order, kappa))
        # The digits that 1 - R has left limit what anyone can find.
        room = 1e-13 + 2e-15 / (1 - ratio)
        assert float(concentration(dimension, ratio)) == pytest.approx(kappa, rel=room)


def test_rows_all_alike_or_without_direction_end_at_the_limits():
    assert float(concentration(100, 1.0, 1e8)) == 1e8
    assert float(concentration(1, 1.0, 1e8)) == 1e8
    assert float(concentration(100, 0.0)) == pytest.approx(1e-10)
    assert np.isfinite(log_normalizer(50_000, [1e-10, 1e12])).all()
