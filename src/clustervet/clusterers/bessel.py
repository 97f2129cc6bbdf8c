"""Modified Bessel functions for the von Mises-Fisher density, of any order and argument.

Orders from `LARGE` upwards use Debye's expansion, which is uniform in the argument (DLMF §10.41).
Smaller orders are computed downwards from there by the recurrence of ratios (DLMF 10.29.1), which
is stable in that direction.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LARGE = 40.0
TERMS = 12
POWERS = np.arange(3 * TERMS + 1)
LOG_TWO_PI = math.log(2 * math.pi)
# Concentrations outside this range are clipped: below it the density is uniform up to rounding,
# above it the mean of unit vectors is one up to rounding.
FLATTEST, SHARPEST = 1e-10, 1e12
STEPS = 8
CLOSE = 2e-15


def log_bessel(order: float, argument: Any) -> Floats:
    """log(exp(-x) I_v(x)), the scaled modified Bessel function of the first kind.

    DLMF 10.41.3 (Debye's uniform expansion), scaled so that large x cost no precision.

    >>> abs(float(log_bessel(0.5, 2.0)) + 2 - math.log(math.sinh(2) / math.sqrt(math.pi))) < 1e-13
    True
    >>> round(float(log_bessel(25_000, 1e4)), 9)
    -24260.973984719
    """
    x = np.asarray(argument, np.float64)
    steps = _steps(order)
    top = order + steps
    logs = _leading(top, x) + np.log(_series(top, x))
    ratio = _debye_ratio(top, x)
    for at in range(steps):
        ratio = 1.0 / (2.0 * (top - at) / x + ratio)
        logs = logs - np.log(ratio)
    return np.asarray(logs)


def bessel_ratio(order: float, argument: Any) -> Floats:
    """I_(v+1)(x) / I_v(x); with v = d/2 - 1 the mean resultant length A_d of the density.

    Recurrence DLMF 10.29.1; in three dimensions A_d(κ) is coth κ - 1/κ.

    >>> abs(float(bessel_ratio(0.5, 2.0)) - 1 / math.tanh(2.0) + 0.5) < 1e-15
    True
    """
    x = np.asarray(argument, np.float64)
    steps = _steps(order)
    ratio = _debye_ratio(order + steps, x)
    for at in range(steps):
        ratio = 1.0 / (2.0 * (order + steps - at) / x + ratio)
    return np.asarray(ratio)


def log_normalizer(dimension: int, concentration: Any) -> Floats:
    """The logarithm of c_d(κ), plus κ: the log-density is this plus κ (μ·x - 1).

    Banerjee et al. 2005; in three dimensions c_d(κ) is κ / (4π sinh κ).

    >>> abs(float(log_normalizer(3, 1.0)) - 1 + math.log(4 * math.pi * math.sinh(1))) < 1e-14
    True
    """
    kappa = np.asarray(concentration, np.float64)
    order = dimension / 2 - 1
    return np.asarray(order * np.log(kappa) - dimension / 2 * LOG_TWO_PI - log_bessel(order, kappa))


def concentration(dimension: int, resultant: Any, most: float = SHARPEST) -> Floats:
    """The κ whose mean resultant length A_d(κ) is the given one.

    Starts at (R d - R³) / (1 - R²) (Banerjee et al. 2005). Then Newton steps in log κ on the
    logarithm of the inverse of Amos's bound x / (a + sqrt(x² + b²)), which is nearly a straight
    line of slope one. The slope comes from the last two steps, since the formula 1 - A² - (d - 1) A
    / κ for it loses its precision where κ is large.

    >>> round(float(concentration(3, 1 / np.tanh(5.0) - 1 / 5.0)), 9)
    5.0
    """
    r = np.clip(np.asarray(resultant, np.float64), 0.0, 1.0)
    if dimension == 1:  # two points: A_1 is the hyperbolic tangent
        with np.errstate(divide="ignore"):
            return np.asarray(np.clip(np.arctanh(r), FLATTEST, most))
    order = dimension / 2 - 1
    with np.errstate(divide="ignore"):
        start = (r * dimension - r**3) / ((1 - r) * (1 + r))
    log_kappa, wanted = _log_clipped(start), _log_clipped(_unbound(order, r))
    before, gap_before, slope = log_kappa, np.zeros_like(r), np.ones_like(r)
    for step in range(STEPS):
        found = _unbound(order, bessel_ratio(order, np.exp(log_kappa)))
        gap = _log_clipped(found) - wanted
        move = log_kappa - before
        if step:
            with np.errstate(divide="ignore", invalid="ignore"):
                slope = np.where(move != 0, (gap - gap_before) / move, slope)
            slope = np.clip(slope, 0.5, 2.0)
        before, gap_before, log_kappa = log_kappa, gap, log_kappa - gap / slope
        if (np.abs(gap) <= CLOSE).all():
            break
    return np.asarray(np.clip(np.exp(log_kappa), FLATTEST, min(most, SHARPEST)))


def _log_clipped(kappa: Floats) -> Floats:
    return np.asarray(np.log(np.clip(kappa, FLATTEST, SHARPEST)))


def _steps(order: float) -> int:
    """Number of orders to go up until the expansion is good enough."""
    return max(0, math.ceil(LARGE - order))


def _unbound(order: float, ratio: Floats) -> Floats:
    """The x at which Amos's bound of I_(v+1)/I_v takes a value (Amos 1974), inverted."""
    a, b = order + 0.5, math.sqrt((order + 0.5) * (order + 1.5))
    rest = (1 - ratio) * (1 + ratio)
    with np.errstate(divide="ignore"):
        return np.asarray(ratio / rest * (a + np.sqrt((a * ratio) ** 2 + b * b * rest)))


def _leading(order: float, x: Floats) -> Floats:
    """First factor of Debye's expansion, as a logarithm, minus x."""
    root = np.hypot(order, x)
    shift = order * order / (root + x) - order * np.arcsinh(order / x)
    return np.asarray(shift - 0.5 * LOG_TWO_PI - 0.5 * np.log(root))


def _debye_ratio(order: float, x: Floats) -> Floats:
    """I_(v+1)/I_v of a large order; differences are formed before they can cancel."""
    low, high = np.hypot(order, x), np.hypot(order + 1, x)
    climb = (2 * order + 1) / (low + high)
    # asinh((v+1)/x) - asinh(v/x)
    turn = np.arcsinh((2 * order + 1) / ((order + 1) * low + order * high))
    exponent = climb - np.arcsinh((order + 1) / x) - order * turn
    factor = np.sqrt(low / high) * _series(order + 1, x) / _series(order, x)
    return np.asarray(np.exp(exponent) * factor)


def _series(order: float, x: Floats) -> Floats:
    """Sum of U_k(p) / v^k with p = v / sqrt(v² + x²)."""
    p = order / np.hypot(order, x)
    return np.asarray((p[..., None] ** POWERS * _coefficients(order)).sum(axis=-1))


@cache
def _coefficients(order: float) -> Floats:
    """Coefficients of the sum of U_k(p) / v^k by powers of p."""
    scale = order ** -np.arange(TERMS + 1.0)
    return np.asarray((_polynomials() * scale[:, None]).sum(axis=0))


@cache
def _polynomials() -> Floats:
    """Coefficients of U_0, U_1, ... by powers of p, by the recurrence DLMF 10.41.9."""
    found = np.zeros((TERMS + 1, len(POWERS)))
    current = {0: Fraction(1)}
    found[0, 0] = 1.0
    for k in range(1, TERMS + 1):
        after: dict[int, Fraction] = {}
        for power, c in current.items():
            slope, area = Fraction(power, 2) * c, c / 8
            after[power + 1] = after.get(power + 1, Fraction(0)) + slope + area / (power + 1)
            after[power + 3] = after.get(power + 3, Fraction(0)) - slope - 5 * area / (power + 3)
        current = after
        for power, c in current.items():
            found[k, power] = float(c)
    return found
