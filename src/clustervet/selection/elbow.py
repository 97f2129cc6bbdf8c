"""Elbows: where a curve that always falls with the number of clusters stops falling fast.

Law: numbers in, a `Choice` out; nothing is fitted or measured here. A rule says how strong
its choice is, so that "no clear elbow" is an answer. The thresholds come from simulated data
(`studies/tuning_accuracy.py --calibrate`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from clustervet.errors import ParameterError
from clustervet.selection.choice import (
    AT_THE_END,
    Choice,
    Floats,
    nothing,
    read_clusters,
    read_curve,
)

# A curve must fall into an elbow at least twice as steeply as after it.
ELBOW_STRENGTH = 0.5
# The fall into an elbow is taken over the last fifth of the clusters, and the fall after it
# over the next two and a quarter of the clusters more: single steps jump where the clusterer
# was caught in a poor local optimum.
BEFORE = 0.2
AFTER = (2.0, 0.25)
# No step after an elbow counts as flatter than half the mean fall: where a curve has come to
# rest, the ratio of two tiny steps means nothing.
REST = 0.5
# Zeros in a curve that is read by its logarithm become this share of its largest value.
ZERO = 1e-24
# Hartigan's own threshold.
ENOUGH = 10.0


def find_elbow(
    clusters: Sequence[Any],
    curve: ArrayLike,
    *,
    start: float | None = None,
    logarithm: bool = True,
    prices: ArrayLike | None = None,
    threshold: float = ELBOW_STRENGTH,
) -> Choice:
    """The elbow of a curve that falls with the number of clusters, if it has one.

    Without structure SSQ falls like k^(-2/d): a straight line where both axes are logarithms,
    whatever the range of k. An elbow is where that line breaks. Its strength is 1 - a / b: b
    is the slope into k, the lesser of the last step's and of that over the last fifth of the
    clusters, and a is the steepest slope of the next steps. `start` is the curve at one
    cluster, which lets two clusters be an elbow. `logarithm=False` is for curves that are
    logarithms already, such as a negative log-likelihood; with `prices`, what the parameters
    of each mixture cost, a step that gains less than its price counts as flat.

    >>> choice = find_elbow([2, 3, 4, 5, 6, 7], [300, 60, 55, 51, 48, 46], start=600)
    >>> choice.value, choice.clear, round(choice.strength, 2)
    (3, True, 0.83)
    >>> find_elbow(range(2, 9), [600 / k for k in range(2, 9)], start=600).why
    'no clear elbow'
    """
    heights, k = read_curve(clusters, curve), read_clusters(clusters)
    price = np.zeros(len(k)) if prices is None else read_curve(clusters, prices)
    places = np.flatnonzero(np.isfinite(heights) & np.isfinite(price))
    skipped = len(heights) - len(places)
    k, y, price = k[places], heights[places], price[places]
    if start is not None and math.isfinite(start) and len(k) and k[0] > 1:
        k, y, price = np.append(1, k), np.append(start, y), np.append(price[0], price)
        places = np.append(-1, places)
    if len(k) < 4:
        return nothing("elbow", "an elbow needs four numbers of clusters or more", skipped)
    y = np.minimum.accumulate(_logarithm(y) if logarithm else y)
    slopes = -np.diff(y) / np.diff(np.log(k))
    strengths = _breaks(k, y, slopes, np.diff(price) / np.diff(np.log(k)))
    best = int(np.argmax(strengths))
    strength, index = float(strengths[best]), int(places[best])
    if strength == 0:
        return nothing("elbow", _why_none(slopes), skipped)
    clear = strength >= threshold
    why = None if clear else _why_none(slopes)
    return Choice(clusters[index], index, strength, clear, "elbow", why, skipped)


def _breaks(k: Floats, y: Floats, slopes: Floats, floors: Floats) -> Floats:
    """By which share the fall of y slackens at each k; 0 at the ends.

    `floors` are slopes below which a step counts as flat.
    """
    x = np.log(k)
    rest = REST * (y[0] - y[-1]) / (x[-1] - x[0])
    found = np.zeros(len(k))
    for i in range(1, len(k) - 2):
        far = int(np.searchsorted(k, (1 - BEFORE) * k[i] + 1e-9, side="right")) - 1
        low = min(max(far, 0), i - 1)
        high = int(np.searchsorted(k, AFTER[0] + (1 + AFTER[1]) * k[i] - 1e-9))
        before = min(slopes[i - 1], (y[low] - y[i]) / (x[i] - x[low]))
        after = max(slopes[i : max(high, i + 2)].max(), rest, floors[i])
        found[i] = 1 - after / before if before > after else 0.0
    return found


def _why_none(slopes: Floats) -> str:
    late = int(np.argmax(slopes)) >= len(slopes) - 2
    if late and slopes.max() * ELBOW_STRENGTH >= np.median(slopes):
        return "no clear elbow: the curve falls most steeply at the end of the range"
    return "no clear elbow"


def _logarithm(curve: Floats) -> Floats:
    if curve.min() < 0:
        raise ParameterError("an elbow is read off logarithms, and the curve has negative values.")
    top = float(curve.max())
    return np.log(np.maximum(curve, ZERO * top)) if top > 0 else np.zeros(len(curve))


def find_hartigan(
    clusters: Sequence[Any], ssq: ArrayLike, points: int, *, start: float | None = None
) -> Choice:
    """The smallest k with (W(k) / W(k + 1) - 1)(n - k - 1) <= 10 (Hartigan 1975, ch. 4).

    `start` is the SSQ of one cluster. Where k or k + 1 is not there, k is passed over. The
    strength is the share by which the statistic falls from k - 1 to k.

    >>> find_hartigan([2, 3, 4, 5], [300, 60, 57, 54], 100, start=600).value
    3
    """
    heights, numbers = read_curve(clusters, ssq), read_clusters(clusters)
    curve = {int(k): float(w) for k, w in zip(numbers, heights, strict=True) if math.isfinite(w)}
    skipped = len(heights) - len(curve)
    if start is not None:
        curve.setdefault(1, start)
    statistic = {
        k: _statistic(curve[k], curve[k + 1], points - k - 1)
        for k in sorted(curve)
        if k + 1 in curve
    }
    found = next((k for k, value in statistic.items() if value <= ENOUGH), None)
    if found is None:
        return nothing("hartigan", "Hartigan's statistic stays above 10", skipped)
    if found == 1:
        return nothing("hartigan", "Hartigan's statistic asks for no second cluster", skipped)
    index = int(np.searchsorted(numbers, found))
    before = statistic.get(found - 1)
    strength = 0.0 if before is None else 1 - statistic[found] / before
    why = None
    if before is None:
        why = AT_THE_END
    elif strength < ELBOW_STRENGTH:
        why = "Hartigan's statistic passes 10 only gradually"
    return Choice(clusters[index], index, strength, why is None, "hartigan", why, skipped)


def _statistic(now: float, then: float, freedom: int) -> float:
    """Hartigan's statistic; what is 0 cannot shrink."""
    if then == 0:
        return math.inf if now > 0 else 0.0
    return max(0.0, (now / then - 1) * freedom)
