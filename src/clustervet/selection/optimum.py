"""Optima: where a curve is best, how far that stands out, and the rule of the gap statistic.

Law: numbers in, a `Choice` out, as in `elbow`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clustervet.errors import ParameterError
from clustervet.selection.choice import (
    AT_THE_END,
    Choice,
    Floats,
    is_number,
    nothing,
    read_curve,
)

Scale = Literal["share", "odds", "range"]
# What an optimum must stand out by; and one beyond which the curve has no value, where nothing
# on that side could contradict it.
STRENGTHS: dict[Scale, tuple[float, float]] = {
    "share": (0.15, 0.25),
    # A difference of 10 in BIC is very strong evidence (Kass & Raftery 1995, §3.2).
    "odds": (-math.expm1(-10 / 2), -math.expm1(-10 / 2)),
    "range": (0.5, 0.5),
}
# Numbers of clusters within this factor of each other are neighbours.
NEIGHBOURS = 1.5


def find_optimum(
    values: Sequence[Any],
    curve: ArrayLike,
    better: str = "higher",
    *,
    clusters: Sequence[int] | None = None,
    scale: Scale = "share",
    start: float | None = None,
    thresholds: tuple[float, float] | None = None,
) -> Choice:
    """The best value of a curve, and how far it stands out.

    The strength compares the best value with the best of those that are not its neighbours:
    by which share of itself it is better ("share"), by which share of the curve's range
    ("range"), or by the odds exp(-difference / 2) of an information criterion ("odds", where
    no value is spared as a neighbour). `clusters`, how many there are at each value, tells who is
    a neighbour (numbers of clusters within a factor of 1.5; otherwise the next values, and
    all in a row with as many clusters). It also lets two clusters be an answer at an end of the
    range, where any other best value is not clear. `start` is the curve at one cluster, where it
    has a value there.

    >>> choice = find_optimum([2, 3, 4, 5, 6], [0.5, 0.8, 0.7, 0.6, 0.5])
    >>> choice.value, choice.clear, round(choice.strength, 2)
    (3, True, 0.25)
    >>> find_optimum([2, 3, 4], [0.1, 0.2, 0.3]).why
    'the best value lies at the end of the range'
    """
    if better not in ("higher", "lower"):
        raise ParameterError(f"better must be 'higher' or 'lower', not {better!r}.")
    sign = 1.0 if better == "higher" else -1.0
    goods = sign * read_curve(values, curve)
    defined = np.flatnonzero(~np.isnan(goods))
    skipped = len(goods) - len(defined)
    if len(defined) < 2:
        return nothing("optimum", "a choice needs two values with a number or more", skipped)
    ordered = all(is_number(value) for value in values)
    index = _middle_best(goods, clusters)
    spared = _neighbours(values, index, clusters) if ordered and scale != "odds" else [index]
    strength = _stands_out(goods, index, np.delete(goods, spared), scale, sign)
    ends = (0, len(goods) - 1) if ordered else ()
    two = clusters is not None and clusters[index] == 2
    at_end = ordered and index in (defined[0], defined[-1])
    enough = (thresholds or STRENGTHS[scale])[1 if at_end else 0]
    why = None
    if start is not None and sign * start >= goods[index]:
        strength, why = 0.0, "one cluster does better than any value"
    elif index in ends and not two:
        why = AT_THE_END
    elif strength < enough:
        why = "no value stands out"
    return Choice(values[index], index, strength, why is None, "optimum", why, skipped)


def _middle_best(goods: Floats, clusters: Sequence[int] | None) -> int:
    """Where the curve is best; of equally good values in a row, the middle one."""
    first = last = int(np.nanargmax(goods))
    while last + 1 < len(goods) and goods[last + 1] == goods[first]:
        if clusters is not None and clusters[last + 1] != clusters[first]:
            break
        last += 1
    return (first + last) // 2


def _neighbours(
    values: Sequence[Any], index: int, clusters: Sequence[int] | None
) -> NDArray[np.int64]:
    """Places of the values that are too near to contradict the one at `index`, and its own."""
    places = np.arange(len(values))
    if clusters is None:
        return np.flatnonzero(abs(places - index) <= 1)
    counts = np.asarray(clusters, np.float64)
    if (counts == np.asarray(values, np.float64)).all():
        ratio = counts / counts[index]
        return np.flatnonzero((ratio < NEIGHBOURS - 1e-9) & (ratio > 1 / NEIGHBOURS + 1e-9))
    runs = np.cumsum(np.append(0, np.diff(counts) != 0))
    return np.flatnonzero((runs == runs[index]) | (abs(places - index) <= 1))


def _stands_out(goods: Floats, index: int, others: Floats, scale: Scale, sign: float) -> float:
    """How far the best value is from the best of the others; 0 where nothing is left."""
    others = others[~np.isnan(others)]
    best = float(goods[index])
    rival = float(others.max()) if len(others) else best
    if rival >= best:
        return 0.0
    if math.isinf(best) or math.isinf(rival):
        return 1.0
    if scale == "odds":
        return -math.expm1(-(best - rival) / 2)
    whole = best if sign > 0 else -rival
    if scale == "range":
        finite = goods[np.isfinite(goods)]
        whole = float(finite.max() - finite.min())
    return min(1.0, (best - rival) / whole) if whole > 0 else 0.0


def find_gap(
    values: Sequence[Any],
    gaps: ArrayLike,
    errors: ArrayLike,
    *,
    start: tuple[float, float] | None = None,
) -> Choice:
    """The smallest k with Gap(k) >= Gap(k + 1) - s(k + 1) (Tibshirani et al. 2001, step 4).

    `start` is the gap at one cluster and its standard error: the rule may prefer one cluster.
    The strength is 1 - exp(-z / 2), where z is the rise into k in standard errors.

    >>> find_gap([2, 3, 4, 5], [0.2, 0.9, 0.88, 0.85], [0.02] * 4, start=(0.1, 0.02)).value
    3
    """
    heights, spreads = read_curve(values, gaps), read_curve(values, errors)
    places = np.flatnonzero(np.isfinite(heights) & np.isfinite(spreads))
    skipped = len(heights) - len(places)
    h, s = heights[places], spreads[places]
    if start is not None and math.isfinite(start[0]):
        h, s, places = np.append(start[0], h), np.append(start[1], s), np.append(-1, places)
    if len(h) < 2:
        return nothing("gap", "the gap rule needs two numbers of clusters or more", skipped)
    held = np.flatnonzero(h[:-1] >= h[1:] - s[1:])
    if not len(held):
        return nothing("gap", "the gap still rises at the end of the range", skipped)
    at = int(held[0])
    index = int(places[at])
    if index < 0:
        return nothing("gap", "the gap statistic prefers one cluster", skipped)
    if at == 0:
        return Choice(values[index], index, 0.0, False, "gap", AT_THE_END, skipped)
    rise = max(0.0, float(h[at] - h[at - 1]))
    strength = -math.expm1(-rise / s[at] / 2) if s[at] > 0 else float(rise > 0)
    return Choice(values[index], index, strength, True, "gap", None, skipped)
