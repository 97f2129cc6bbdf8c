"""Scalar functions that keep their precision, in plain Python that numba can compile too.

Rule: floats in, a float out, nothing imported except `math`. `_kernels` compiles the same source
for large tables; small ones run it as it is, without loading a compiler.
"""

from __future__ import annotations

import math

# With a larger spread the hypergeometric sum is on a coarse grid instead of every integer.
WIDE = 30.0
# A sum of a Gaussian-like function with step h has the error exp(-2 pi^2 (spread / h)^2): with
# half a spread that is e^-79. Beyond nineteen steps of half a spread is 1e-20 of the mass.
GRID = 19
LN_TWO_PI = 1.8378770664093453


def deviance(x: float, mean: float, gap: float) -> float:
    """X log(x / mean) - x + mean, never negative, with full relative precision.

    `gap` is x - mean, which the caller knows more exactly than a difference of floats. The series
    in (x - mean) / (x + mean) is that of Loader (2000), "Fast and accurate computation of binomial
    probabilities".
    """
    if x <= 0.0:
        return mean
    if abs(gap) >= 0.1 * (x + mean):
        return x * math.log(x / mean) - gap
    v = gap / (x + mean)
    s = v * v  # below 0.01, so that eight terms give full precision
    tail = 1 / 11 + s * (1 / 13 + s * (1 / 15 + s / 17))
    tail = 1 / 3 + s * (1 / 5 + s * (1 / 7 + s * (1 / 9 + s * tail)))
    return v * (gap + 2.0 * x * s * tail)


def stirling_error(x: float) -> float:
    """Log Gamma(x + 1) minus Stirling's formula (x + 1/2) log x - x + log(2 pi) / 2."""
    if x < 16.0:
        return math.lgamma(x + 1.0) - (x + 0.5) * math.log(x) + x - 0.5 * LN_TWO_PI
    y = 1.0 / (x * x)
    return (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / x


def expected_deviance(a: float, b: float, n: float, not_a: float, not_b: float) -> float:
    """E[x log(x / mu) - x + mu] for the overlap x of random sets of sizes a and b among n.

    x is hypergeometric with mean mu = a b / n. Summed over all pairs of clusters and divided by n
    this is the expected mutual information (Vinh, Epps & Bailey 2010, eq. 24a), written as a sum of
    terms that are never negative. The probabilities are computed from their ratios alone and
    divided by their sum, so that no log-gamma costs precision. The sum is over y, the overlap of
    the smaller of each set and its complement. y determines x, and is a small whole number wherever
    the sum is taken term by term. The sizes of the complements, n - a and n - b, are parameters,
    since they do not follow from sizes beyond 2^53.
    """
    if not_a <= 0.0 or not_b <= 0.0:
        return 0.0
    mean = a / n * b
    spread = math.sqrt(mean * (not_a / n) * (not_b / n) * (n / (n - 1.0)))
    if spread > WIDE:
        return wide_expectation(a, b, n, not_a, not_b, spread)
    s = min(a, not_a)
    r = min(b, not_b)
    sign = 1.0 if (s == a) == (r == b) else -1.0
    center = s / n * r
    rest = n - s - r
    high = min(s, r)
    mode = min(float(math.floor((s + 1.0) / (n + 2.0) * (r + 1.0))), high)
    gap = sign * (mode - center)
    mass = 1.0
    total = deviance(mean + gap, mean, gap)
    weight = 1.0
    y = mode
    while y < high:
        weight *= (s - y) / (y + 1.0) * ((r - y) / (rest + y + 1.0))
        y += 1.0
        gap = sign * (y - center)
        mass += weight
        total += weight * deviance(mean + gap, mean, gap)
        if weight * (y + mean) < 1e-19 * total or weight < 1e-40:
            break
    weight = 1.0
    y = mode
    while y > 0.0:
        weight *= y / (s - y + 1.0) * ((rest + y) / (r - y + 1.0))
        y -= 1.0
        gap = sign * (y - center)
        mass += weight
        total += weight * deviance(mean + gap, mean, gap)
        if weight * (y + mean) < 1e-19 * total or weight < 1e-40:
            break
    return total / mass


def wide_expectation(
    a: float, b: float, n: float, not_a: float, not_b: float, spread: float
) -> float:
    """`expected_deviance` where the spread is large: a trapezoid sum on a grid of 39 points.

    The probability at mean + t is, up to a factor, Loader's saddle-point form of the four cells of
    the 2 x 2 table, each exact up to rounding for any n.
    """
    mean = a / n * b
    only_a = a / n * not_b
    only_b = not_a / n * b
    neither = not_a / n * not_b
    mass = 0.0
    total = 0.0
    for k in range(-GRID, GRID + 1):
        t = 0.5 * k * spread
        exponent = (
            deviance(mean + t, mean, t)
            + deviance(only_a - t, only_a, -t)
            + deviance(only_b - t, only_b, -t)
            + deviance(neither + t, neither, t)
            + stirling_error(mean + t)
            + stirling_error(only_a - t)
            + stirling_error(only_b - t)
            + stirling_error(neither + t)
            + 0.5
            * (
                math.log1p(t / mean)
                + math.log1p(-t / only_a)
                + math.log1p(-t / only_b)
                + math.log1p(t / neither)
            )
        )
        weight = math.exp(-exponent)
        mass += weight
        total += weight * deviance(mean + t, mean, t)
    return total / mass


def log_binomial(h: float, m: int) -> float:
    """Log of (h + m choose m) for real h >= 0 and whole m >= 0, with full relative precision.

    Differences of log-gammas would lose all precision at h = 1e15. A short product is summed
    directly; otherwise Stirling's formula is arranged so that its large terms are positive.
    """
    if m == 0 or h == 0:
        return 0.0
    if m <= 32:
        return math.fsum(math.log1p(h / i) for i in range(1, m + 1))
    if h <= 32 and float(h).is_integer():
        return math.fsum(math.log1p(m / i) for i in range(1, int(h) + 1))
    if h < 32:
        head = math.fsum(math.log1p(h / i) for i in range(1, 33))
        return head + log_rising(m + 1.0, h) - log_rising(33.0, h)
    return (
        h * math.log1p(m / h)
        + m * math.log1p(h / m)
        + 0.5 * (math.log1p(m / h) - math.log(m) - LN_TWO_PI)
        + stirling_error(h + m)
        - stirling_error(h)
        - stirling_error(m)
    )


def log_rising(z: float, h: float) -> float:
    """Log Gamma(z + h) - log Gamma(z) for z >= 33 and moderate h, in terms that shrink with h."""
    step = math.log1p(h / z)
    tail = 0.0
    for power, coefficient in ((1, 1 / 12), (3, -1 / 360), (5, 1 / 1260), (7, -1 / 1680)):
        tail += coefficient * z**-power * math.expm1(-power * step)
    return (z - 0.5) * step + h * (math.log(z) + step) - h + tail
