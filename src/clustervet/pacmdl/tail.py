"""The tail of the PAC-MDL bound in log space: Bucket(m, n, a, b) and bmax.

Balls are drawn one by one from m red and n blue ones. At least b of the first a + b are blue if
and only if at most a of them are red, that is, if at least b blue balls come before red ball
number a + 1. The number of these blue balls has one law for all b (negative hypergeometric), so
Bucket is its survival function: it falls with b, and its logarithm is concave.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clustervet._checks import share
from clustervet._numeric import LN_TWO_PI, deviance, stirling_error
from clustervet.errors import ParameterError

LOG_TWO = math.log(2)
# With more balls of one colour the sums would take seconds.
MOST = 10**12
# A tail this close to delta counts as reaching it, since the difference may be rounding. That
# makes b larger, which is safe: the bound still holds.
SLACK = 1e-12
# Share of a sum that may be left out.
LEFT_OUT = 1e-17
# Up to this many terms a loop is quicker than an array.
FEW_TERMS = 96
MOST_TERMS = 2**16


def log2_bucket(m: int, n: int, a: int, b: int) -> float:
    """Return log2 of the probability of at least b blue among a + b balls.

    Parameters
    ----------
    m : int
        Number of red balls: labelled objects.
    n : int
        Number of blue balls: unlabelled objects.
    a : int
        Number of red balls drawn: errors among the labelled objects, at most m.
    b : int
        Number of blue balls: errors among the unlabelled objects.

    Returns
    -------
    float
        Logarithm of the probability, at most 0; minus infinity if b is larger than n.

    Raises
    ------
    ParameterError
        If a number is not whole, or out of range.

    Notes
    -----
    Bucket(m, n, a, b) of Banerjee & Langford 2004, §2. The point of the hypergeometric law at b
    comes from Loader's saddle-point form (2000), which has no differences of large numbers. The
    rest of the tail follows by ratios of neighbours, away from the mode, until it no longer
    matters. Below the mode the other tail is summed, so that a probability near 1 keeps its
    precision.

    Examples
    --------
    >>> round(2 ** log2_bucket(10, 10, 1, 3), 4)  # 1410 / 4845
    0.291
    >>> log2_bucket(10**9, 10**9, 1000, 10**6)
    -989957.2388383688
    """
    m, n, a, b = _checked(m, n, a, b)
    if b > n:
        return -math.inf
    return 0.0 if b == 0 or a == m else _tail(m, n, a, b)[0] / LOG_TWO


def bmax(m: int, n: int, a: int, log2_delta: float) -> int:
    """Return the largest b whose Bucket(m, n, a, b) is at least delta.

    Parameters
    ----------
    m : int
        Number of labelled objects.
    n : int
        Number of unlabelled objects.
    a : int
        Number of errors among the labelled objects, at most m.
    log2_delta : float
        Logarithm of delta to base 2, at most 0.

    Returns
    -------
    int
        Bound on the errors among the unlabelled objects.

    Raises
    ------
    ParameterError
        If a number is not whole, or out of range.

    Notes
    -----
    With probability 1 - delta over the split, a classifier that is fixed beforehand and errs on a
    of m labelled objects errs on at most bmax of the n others (Banerjee & Langford 2004, §2).

    Examples
    --------
    >>> bmax(1500, 1500, 44, math.log2(0.1) - 3 * math.log2(3))
    73
    >>> bmax(10**9, 10**9, 10**7, -1e6)
    15930580
    """
    m, n, a, _ = _checked(m, n, a, 0)
    try:
        level = float(log2_delta)
    except (TypeError, ValueError):
        level = math.nan
    if not level <= 0:
        raise ParameterError(f"log2_delta must be a number of at most 0, not {log2_delta!r}.")
    return _bmax(m, n, a, level)


def max_errors(
    train_errors: ArrayLike,
    bits: ArrayLike,
    *,
    train_size: int,
    test_size: int,
    delta: float = 0.1,
) -> NDArray[np.int64]:
    """Compute `bmax` of many classifiers on one split, from their errors and their bits.

    Parameters
    ----------
    train_errors : array_like of int
        Errors of each classifier among the labelled objects.
    bits : array_like of float
        Length of the description of each classifier.
    train_size : int
        Number of labelled objects.
    test_size : int
        Number of unlabelled objects.
    delta : float, default 0.1
        Probability with which the bound may fail.

    Returns
    -------
    ndarray of int
        Bound on the errors among the unlabelled objects, one per classifier.

    Raises
    ------
    ParameterError
        If a number is out of range.

    Notes
    -----
    Each bound is bmax(m, n, a, 2^-bits delta) of Banerjee & Langford 2004, §2.

    Examples
    --------
    >>> max_errors([44, 40], [4.75, 8.08], train_size=1500, test_size=1500)
    array([73, 76])
    """
    share(delta, "delta")
    wrong, lengths = np.broadcast_arrays(np.asarray(train_errors), np.asarray(bits, np.float64))
    if wrong.size and not lengths.min() >= 0:
        raise ParameterError("bits must be numbers of at least 0.")
    level = math.log2(delta)
    found = [
        bmax(train_size, test_size, errors, level - length)
        for errors, length in zip(wrong.ravel().tolist(), lengths.ravel().tolist(), strict=True)
    ]
    return np.array(found, np.int64).reshape(wrong.shape)


def _checked(*given: Any) -> Sequence[int]:
    counts = []
    for name, value in zip("mnab", given, strict=True):
        try:
            counts.append(operator.index(value))
        except TypeError:
            raise ParameterError(f"{name} must be a whole number, not {value!r}.") from None
        if not 0 <= counts[-1] <= MOST:
            raise ParameterError(f"{name} must lie between 0 and {MOST:,}, not {value!r}.")
    if counts[2] > counts[0]:
        raise ParameterError(f"a must be at most m; a is {counts[2]:,} and m is {counts[0]:,}.")
    return counts


@lru_cache(maxsize=2**16)
def _bmax(m: int, n: int, a: int, log2_delta: float) -> int:
    """Newton's method on a concave function, with bisection where it is quicker.

    Every b up to `low` reaches delta and none beyond `high` does. At each b that is tried, the
    tails one step up and one step down follow from the edge term. The line through two neighbours
    lies above the logarithm everywhere else, so the point where it crosses delta is a new `high`.
    """
    if a == m or math.isinf(log2_delta):
        return n
    level = log2_delta * LOG_TWO
    level -= SLACK * max(1.0, -level)
    low, high = 0, n
    b = _guess(m, n, a, level)
    while low < high:
        width = high - low
        b = min(max(b, low + 1), high)
        log_tail, log_edge = _tail(m, n, a, b)
        edge = math.exp(log_edge - log_tail) * (m - a)
        if log_tail >= level:
            low = b
            fall = edge / (m + n - a - b)
            if fall > 0:
                slope = -math.log1p(-fall) if fall < 1 else math.inf
                high = min(high, b + _whole((log_tail - level) / slope))
        else:
            high = b - 1
            rise = math.log1p(edge / (a + b) * (b / (n - b + 1)))
            high = min(high, b - math.ceil((level - log_tail) / rise * (1 - 1e-9) - 1e-6))
        b = high if high - low <= width // 2 else (low + high + 1) // 2
    return low


def _whole(step: float) -> int:
    """A step rounded down, with room for rounding errors and an upper limit."""
    return math.floor(min(step * (1 + 1e-9) + 1e-6, 2.0 * MOST))


def _guess(m: int, n: int, a: int, level: float) -> int:
    """Quantile of a normal law with the mean and variance of the negative hypergeometric one."""
    mean = (a + 1) / (m + 1) * n
    variance = mean * ((m - a) / (m + 1)) * ((m + n + 1) / (m + 2))
    return min(n, math.ceil(mean + math.sqrt(-2 * level * variance)))


def _tail(m: int, n: int, a: int, b: int) -> tuple[float, float]:
    """Logarithms of Bucket(m, n, a, b) and of its term at b, for 0 <= a < m, 1 <= b <= n."""
    drawn = a + b
    if b > (n + 1) * (drawn + 1) // (m + n + 2):  # the mode
        log_edge = _log_point(m, n, drawn, b)
        return log_edge + math.log(_series(n - b, a, b + 1, m - a + 1)), log_edge
    log_below = _log_point(m, n, drawn, b - 1)
    below = math.exp(log_below) * _series(b - 1, m - a - 1, n - b + 2, a + 2)
    ratio = (n - b + 1) / b * ((a + 1) / (m - a))
    return math.log1p(-below), log_below + math.log(ratio)


def _log_point(m: int, n: int, drawn: int, blue: int) -> float:
    """Log of the hypergeometric probability of `blue`, from the deviances of the four cells."""
    balls, left, red = m + n, m + n - drawn, drawn - blue
    gap = (blue * balls - n * drawn) / balls  # whole numbers until the division
    exponent = (
        deviance(float(blue), n * drawn / balls, gap)
        + deviance(float(red), m * drawn / balls, -gap)
        + deviance(float(n - blue), n * left / balls, -gap)
        + deviance(float(m - red), m * left / balls, gap)
    )
    margins = _excess(n) + _excess(m) + _excess(drawn) + _excess(left) - _excess(balls)
    cells = _excess(blue) + _excess(red) + _excess(n - blue) + _excess(m - red)
    return margins - cells - exponent


def _excess(x: int) -> float:
    """Log x! minus (x log x - x)."""
    return stirling_error(float(x)) + 0.5 * (LN_TWO_PI + math.log(x)) if x else 0.0


def _series(p: float, q: float, u: float, v: float) -> float:
    """1 + r0 + r0 r1 + ... with r_k = (p - k)(q - k) / ((u + k)(v + k)), below 1 and falling."""
    total = term = 1.0
    for _ in range(FEW_TERMS):
        ratio = (p / u) * (q / v)
        term *= ratio
        total += term
        if term * ratio <= LEFT_OUT * (1.0 - ratio) * total:
            return total
        p, q, u, v = p - 1, q - 1, u + 1, v + 1
    size = 8 * FEW_TERMS
    while True:
        size = min(2 * size, MOST_TERMS, int(min(p, q)) + 1)
        k = np.arange(size, dtype=np.float64)
        ratios = (p - k) / (u + k) * ((q - k) / (v + k))
        terms = np.cumprod(ratios)
        total += term * float(terms.sum())
        term, ratio = term * float(terms[-1]), float(ratios[-1])
        if term * ratio <= LEFT_OUT * (1.0 - ratio) * total:
            return total
        p, q, u, v = p - size, q - size, u + size, v + size
