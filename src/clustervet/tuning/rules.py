"""Rules that read a number of clusters, or another value, off a curve.

Law: numbers in, a `Choice` out; nothing is fitted or measured here. A rule says how strong its
choice is, so that "no clear elbow" is an answer. The thresholds come from simulated data
(`studies/tuning_accuracy.py --calibrate`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clustervet._checks import is_number, one_of
from clustervet.errors import ParameterError
from clustervet.labels import show_label
from clustervet.view import Result, Section

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Scale = Literal["share", "odds", "range"]
AT_THE_END = "the best value lies at the end of the range"
# A curve must fall into an elbow at least twice as steeply as after it.
ELBOW_STRENGTH = 0.5
# The fall into an elbow is taken over the last fifth of the clusters, and the fall after it
# over the next two and a quarter of the clusters more: single steps jump where the clusterer
# was caught in a poor local optimum.
BEFORE = 0.2
AFTER = (2.0, 0.25)
# No step after an elbow counts as flatter than half the mean fall: where a curve has become
# flat, the ratio of two tiny steps means nothing.
REST = 0.5
# Zeros in a curve that is read by its logarithm become this share of its largest value.
ZERO = 1e-24
# Hartigan's own threshold.
ENOUGH = 10.0
# By how much an optimum must stand out; and an optimum beyond which the curve has no value, so
# that nothing on that side could contradict it.
STRENGTHS: dict[Scale, tuple[float, float]] = {
    "share": (0.15, 0.25),
    # A difference of 10 in BIC is very strong evidence (Kass & Raftery 1995, §3.2).
    "odds": (-math.expm1(-10 / 2), -math.expm1(-10 / 2)),
    "range": (0.5, 0.5),
}
# A prediction strength from which clusters are there in both halves (Tibshirani & Walther 2005).
CUTOFF = 0.8
# Numbers of clusters within this factor of each other are neighbours.
NEIGHBOURS = 1.5


@dataclass(frozen=True, slots=True, repr=False)
class Choice(Result):
    """What one rule reads off one curve.

    Parameters
    ----------
    value : object
        The chosen value; where the choice is not clear, the best candidate or None.
    index : int or None
        The place of the value in the curve.
    strength : float
        How sure the choice is, from 0 (nothing to see) to 1.
    clear : bool
        Whether the strength is enough.
    rule : str
        The rule: "elbow", "optimum", "gap", "hartigan" or "cutoff".
    why : str or None, optional
        What is missing where the choice is not clear.
    skipped : int, optional
        The number of undefined values in the curve.

    Examples
    --------
    >>> Choice(3, 1, 0.83, True, "elbow")
    3 (elbow, strength 0.83)
    """

    value: Any
    index: int | None
    strength: float
    clear: bool
    rule: str
    why: str | None = None
    skipped: int = 0

    @property
    def words(self) -> str:
        """The choice in a few words."""
        strength = f"strength {self.strength:.2f}"
        if self.clear:
            return f"{value_text(self.value)} ({self.rule}, {strength})"
        best = f" (best: {value_text(self.value)}, {strength})" if self.index is not None else ""
        return f"{self.why}{best}"

    def document(self) -> Section:
        """Return the choice in a few words.

        Returns
        -------
        Section
            One sentence and no table.
        """
        return Section("choice", "The choice", (self.words,))

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return the fields as columns of one row.

        Returns
        -------
        dict
            Lists of length one by the name of the field.
        """
        return {name: [value] for name, value in self.to_dict().items()}

    def __str__(self) -> str:
        return f"{self.value}" if self.clear else f"{self.why}"


def value_text(value: Any) -> str:
    """Return a parameter value as people read it."""
    return f"{value:g}" if isinstance(value, float) else show_label(value)


def nothing(rule: str, why: str, skipped: int = 0) -> Choice:
    """Return no choice at all, with the reason."""
    return Choice(None, None, 0.0, False, rule, why, skipped)


def _read_curve(values: Sequence[Any], curve: ArrayLike) -> Floats:
    """Return a curve as floats, one number per parameter value."""
    heights = np.asarray(curve, np.float64)
    if heights.shape != (len(values),):
        raise ParameterError(
            f"a curve has a number for each parameter value; there are {len(values)} values and "
            f"the curve has shape {heights.shape}."
        )
    return heights


def _read_numbers(values: Sequence[Any]) -> Floats:
    """Return numbers of clusters, which are positive and rising."""
    wanted = "this rule reads numbers of clusters, positive and rising"
    if not all(is_number(value) for value in values):
        raise ParameterError(f"{wanted}; not all values are numbers.")
    numbers = np.asarray(values, np.float64)
    if len(numbers) and not (numbers[0] > 0 and (np.diff(numbers) > 0).all()):
        raise ParameterError(f"{wanted}, not {', '.join(f'{x:g}' for x in numbers[:5])}, ...")
    return numbers


def find_elbow(
    clusters: Sequence[Any],
    curve: ArrayLike,
    *,
    start: float | None = None,
    logarithm: bool = True,
    prices: ArrayLike | None = None,
    threshold: float = ELBOW_STRENGTH,
) -> Choice:
    """Find the elbow of a curve that falls with the number of clusters, if it has one.

    Parameters
    ----------
    clusters : sequence of int
        Numbers of clusters, positive and rising.
    curve : array-like of float
        The curve at each of them; undefined values are nan.
    start : float, optional
        The curve at one cluster; with it, two clusters can be an elbow.
    logarithm : bool, optional
        Whether the logarithm of the curve is read. False is for a curve that is a logarithm
        already, such as a negative log-likelihood.
    prices : array-like of float, optional
        What the parameters of each mixture cost. A step that gains less than its price counts as
        flat.
    threshold : float, optional
        The strength from which an elbow is clear.

    Returns
    -------
    Choice
        The elbow, how strong it is, and whether that is enough.

    Raises
    ------
    ParameterError
        If the curve does not fit the numbers, or has negative values and its logarithm is read.

    Notes
    -----
    Without structure SSQ falls like k^(-2/d): a straight line where both axes are logarithms,
    whatever the range of k. An elbow is where that line breaks. Its strength is 1 - a / b: b is
    the slope into k, the smaller one of the last step's and of that over the last fifth of the
    clusters, and a is the steepest slope of the next steps.

    Examples
    --------
    >>> choice = find_elbow([2, 3, 4, 5, 6, 7], [300, 60, 55, 51, 48, 46], start=600)
    >>> choice.value, choice.clear, round(choice.strength, 2)
    (3, True, 0.83)
    >>> find_elbow(range(2, 9), [600 / k for k in range(2, 9)], start=600).why
    'no clear elbow'
    """
    heights, k = _read_curve(clusters, curve), _read_numbers(clusters)
    price = np.zeros(len(k)) if prices is None else _read_curve(clusters, prices)
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
    """Return by which share the fall of y slows down at each k; 0 at the ends.

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
    """Find the number of clusters by Hartigan's rule.

    Parameters
    ----------
    clusters : sequence of int
        Numbers of clusters, positive and rising.
    ssq : array-like of float
        The sum of squared distances to centroids at each of them.
    points : int
        The number of points.
    start : float, optional
        The sum of squares of one cluster.

    Returns
    -------
    Choice
        The number of clusters, if the rule finds one. Its strength is the share by which the
        statistic falls from k - 1 to k.

    Notes
    -----
    The rule takes the smallest k with (W(k) / W(k + 1) - 1)(n - k - 1) <= 10, where W is the sum
    of squares (Hartigan 1975, ch. 4). A k is passed over where k or k + 1 is not given.

    Examples
    --------
    >>> find_hartigan([2, 3, 4, 5], [300, 60, 57, 54], 100, start=600).value
    3
    """
    heights, numbers = _read_curve(clusters, ssq), _read_numbers(clusters)
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
    """Return Hartigan's statistic; what is 0 cannot shrink."""
    if then == 0:
        return math.inf if now > 0 else 0.0
    return max(0.0, (now / then - 1) * freedom)


def find_optimum(
    values: Sequence[Any],
    curve: ArrayLike,
    better: str = "higher",
    *,
    clusters: Sequence[int] | None = None,
    scale: Scale = "share",
    start: float | None = None,
    thresholds: tuple[float, float] | None = None,
    ends: Sequence[int] | None = None,
) -> Choice:
    """Find the best value of a curve, and how far it stands out.

    Parameters
    ----------
    values : sequence
        The values of the parameter.
    curve : array-like of float
        The curve at each of them; undefined values are nan.
    better : {"higher", "lower"}, optional
        Which end of the curve is better.
    clusters : sequence of int, optional
        The number of clusters at each value. It says which values are neighbours: numbers of
        clusters within a factor of 1.5; without it the next values, and all values in a row with
        the same number of clusters. It also lets two clusters be an answer at an end of the
        range, where any other best value is not clear.
    scale : {"share", "range", "odds"}, optional
        How the strength is measured; see Notes.
    start : float, optional
        The curve at one cluster, where it has a value there.
    thresholds : tuple of float, optional
        The strengths from which an optimum is clear: one within the range, and one at its end.
    ends : sequence of int, optional
        For values without an order, such as combinations of several parameters: the places of
        those at the end of a range. Values with like numbers of clusters are then neighbours.

    Returns
    -------
    Choice
        The best value, how strong it is, and whether that is enough.

    Raises
    ------
    ParameterError
        If the curve does not fit the values, or `better` is unknown.

    Notes
    -----
    The strength compares the best value with the best of those that are not its neighbours: by
    which share of itself it is better ("share"), by which share of the curve's range ("range"),
    or by the odds exp(-difference / 2) of an information criterion ("odds", where neighbours
    count too).

    Examples
    --------
    >>> choice = find_optimum([2, 3, 4, 5, 6], [0.5, 0.8, 0.7, 0.6, 0.5])
    >>> choice.value, choice.clear, round(choice.strength, 2)
    (3, True, 0.25)
    >>> find_optimum([2, 3, 4], [0.1, 0.2, 0.3]).why
    'the best value lies at the end of the range'
    """
    sign = 1.0 if one_of(better, "better", ("higher", "lower")) == "higher" else -1.0
    goods = sign * _read_curve(values, curve)
    defined = np.flatnonzero(~np.isnan(goods))
    skipped = len(goods) - len(defined)
    if len(defined) < 2:
        return nothing("optimum", "at least two values must have a number", skipped)
    ordered = all(is_number(value) for value in values)
    index = _middle_best(goods, clusters)
    spared: Any = [index]
    if ends is not None and clusters is not None:
        near = _like_numbers(np.asarray(clusters, np.float64), index)
        spared = near if len(near) < len(goods) else [index]
    elif ordered and scale != "odds":
        spared = _neighbours(values, index, clusters)
    strength = _stands_out(goods, index, np.delete(goods, spared), scale, sign)
    if ends is None:
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
    """Return where the curve is best; of equally good values in a row, the middle one."""
    first = last = int(np.nanargmax(goods))
    while last + 1 < len(goods) and goods[last + 1] == goods[first]:
        if clusters is not None and clusters[last + 1] != clusters[first]:
            break
        last += 1
    return (first + last) // 2


def _neighbours(values: Sequence[Any], index: int, clusters: Sequence[int] | None) -> Places:
    """Return the places of the value at `index` and of values too near to contradict it."""
    places = np.arange(len(values))
    if clusters is None:
        return np.flatnonzero(abs(places - index) <= 1)
    counts = np.asarray(clusters, np.float64)
    if (counts == np.asarray(values, np.float64)).all():
        return _like_numbers(counts, index)
    runs = np.cumsum(np.append(0, np.diff(counts) != 0))
    return np.flatnonzero((runs == runs[index]) | (abs(places - index) <= 1))


def _like_numbers(counts: Floats, index: int) -> Places:
    """Return the places of numbers of clusters that are near to one of them."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = counts / counts[index]
    return np.flatnonzero((ratio < NEIGHBOURS - 1e-9) & (ratio > 1 / NEIGHBOURS + 1e-9))


def _stands_out(goods: Floats, index: int, others: Floats, scale: Scale, sign: float) -> float:
    """Return how far the best value is from the best of the others; 0 where there are none."""
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
    """Find the number of clusters by the rule of the gap statistic.

    Parameters
    ----------
    values : sequence
        Numbers of clusters, rising.
    gaps : array-like of float
        The gap statistic at each of them.
    errors : array-like of float
        The standard errors of the gaps.
    start : tuple of float, optional
        The gap at one cluster and its standard error; with it the rule may prefer one cluster.

    Returns
    -------
    Choice
        The number of clusters, if the rule finds one. Its strength is 1 - exp(-z / 2), where z is
        the rise into k in standard errors.

    Notes
    -----
    The rule takes the smallest k with Gap(k) >= Gap(k + 1) - s(k + 1) (Tibshirani, Walther &
    Hastie 2001, step 4).

    Examples
    --------
    >>> find_gap([2, 3, 4, 5], [0.2, 0.9, 0.88, 0.85], [0.02] * 4, start=(0.1, 0.02)).value
    3
    """
    heights, spreads = _read_curve(values, gaps), _read_curve(values, errors)
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
    if index < 0 or (at == 0 and values[index] == 1):
        return nothing("gap", "the gap statistic prefers one cluster", skipped)
    if at == 0:
        return Choice(values[index], index, 0.0, False, "gap", AT_THE_END, skipped)
    rise = max(0.0, float(h[at] - h[at - 1]))
    strength = -math.expm1(-rise / s[at] / 2) if s[at] > 0 else float(rise > 0)
    return Choice(values[index], index, strength, True, "gap", None, skipped)


def find_cutoff(
    values: Sequence[Any], strengths: ArrayLike, *, threshold: float = CUTOFF
) -> Choice:
    """Find the largest number of clusters that is predicted well.

    Parameters
    ----------
    values : sequence
        Numbers of clusters, rising.
    strengths : array-like of float
        The prediction strength at each of them; undefined values are nan.
    threshold : float, optional
        The least prediction strength of clusters that new data would show again.

    Returns
    -------
    Choice
        The last value above the threshold, if there is one. Its strength is how far the prediction
        strength falls after it.

    Notes
    -----
    The rule takes the largest k whose prediction strength is above 0.8 (Tibshirani & Walther
    2005, §2, who name 0.8 to 0.9; 0.8 is the default of ``fpc::prediction.strength``). Where no k
    has as much, one cluster is the answer.

    Examples
    --------
    >>> find_cutoff([2, 3, 4, 5], [0.7, 0.95, 0.5, 0.4])
    3 (cutoff, strength 0.45)
    >>> find_cutoff([2, 3, 4], [0.7, 0.6, 0.5]).why
    'no number of clusters is predicted well; one cluster is'
    """
    curve = _read_curve(values, strengths)
    skipped = int(np.isnan(curve).sum())
    held = np.flatnonzero(np.nan_to_num(curve, nan=-1.0) > threshold)
    if not len(held):
        return nothing("cutoff", "no number of clusters is predicted well; one cluster is", skipped)
    index = int(held[-1])
    after = curve[index + 1 :][~np.isnan(curve[index + 1 :])]
    if not len(after):
        return Choice(values[index], index, 0.0, False, "cutoff", AT_THE_END, skipped)
    fall = float(curve[index] - after.max())
    return Choice(values[index], index, fall, True, "cutoff", None, skipped)
