"""Intervals from the values of a measure on resampled tables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import ParameterError
from clustervet.view import Result, Section, facts_table, plain
from clustervet.view.words import known, number

Method = Literal["basic", "bca", "percentile", "subsample"]
METHODS: tuple[Method, ...] = ("basic", "bca", "percentile", "subsample")
NORMAL = NormalDist()


@dataclass(frozen=True, slots=True, repr=False)
class Interval(Result):
    """Where the value of the population lies, with the confidence stated.

    Parameters
    ----------
    low, high : float
        The ends; nan where too few resamples have a value.
    confidence : float
        The share of such intervals that hold the value of the population.
    method : {"basic", "bca", "percentile", "subsample"}
        How the interval was made from the resampled values.
    standard_error : float
        The standard deviation of the resampled values, scaled to the sample.
    bias : float
        How far resampling shifts the value on average: an estimate of how far the value itself
        is off.
    resamples : int
        How many tables were resampled.
    undefined : int
        How many of them have no value of the measure.

    Examples
    --------
    >>> import clustervet as cv
    >>> table = cv.Contingency.from_counts([[45, 5], [8, 42]])
    >>> found = cv.confidence_interval("rand", table, random_state=0)
    >>> cv.rand(table) in found, found.confidence, found.resamples
    (True, 0.95, 2000)
    """

    low: float
    high: float
    confidence: float
    method: Method
    standard_error: float
    bias: float
    resamples: int
    undefined: int = 0

    @property
    def width(self) -> float:
        """High less low."""
        return self.high - self.low

    @property
    def is_shifted(self) -> bool:
        """Whether the bias is so large that the interval may not hold the value itself."""
        return abs(self.bias) > self.standard_error

    @property
    def is_rough(self) -> bool:
        """Whether the bias is so large that a first-order correction cannot be trusted."""
        return abs(self.bias) > 3 * self.standard_error

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def to_dict(self) -> dict[str, Any]:
        """Return the interval as plain data; a number that is not finite is None.

        Returns
        -------
        dict
            Plain data, as JSON holds it.
        """
        numbers = ("confidence", "method", "low", "high", "standard_error", "bias", "resamples")
        return {
            **{name: plain(getattr(self, name)) for name in numbers},
            "undefined_resamples": self.undefined,
            "rough": self.is_rough,
        }

    def columns(self) -> dict[str, list[Any]]:
        """Return the interval as columns of one row.

        Returns
        -------
        dict
            Values by the name of the column.
        """
        return {name: [value] for name, value in self.to_dict().items()}

    def document(self) -> Section:
        """Return the interval in words, and how it was made.

        Returns
        -------
        Section
            The sentences and tables.
        """
        facts = {
            "method": f"{self.method}, {self.resamples:,} resampled tables",
            "standard error": known(self.standard_error),
            "bias": known(self.bias),
        }
        if self.undefined:
            facts["undefined"] = f"in {self.undefined:,} of the resampled tables"
        said = f"{number(self.low)} to {number(self.high)} at {self.confidence:.4g} confidence"
        if math.isnan(self.low):
            said = "No interval: too few resampled tables have a value"
        table = facts_table("interval-facts", "How it was made", facts)
        return Section("interval", "Interval", (f"{said}.",), (table,), subject=self)


def check_confidence(confidence: float) -> float:
    """A confidence strictly between 0 and 1."""
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence must lie between 0 and 1, not {confidence!r}.")
    return float(confidence)


def check_method(method: Method) -> Method:
    """One of the known ways to make an interval."""
    if method not in METHODS:
        raise ParameterError(f"method must be auto or one of {', '.join(METHODS)}, not {method!r}.")
    return method


def make_interval(
    value: float,
    resampled: NDArray[np.float64],
    confidence: float,
    method: Method,
    *,
    center: float | None = None,
    scale: float = 1.0,
    acceleration: float = 0.0,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Interval:
    """An interval for the value from its bootstrap distribution.

    `center` is the measure's value in the population that is resampled: the table read as a
    distribution. "percentile" takes the quantiles as they are. "bca" (Efron 1987) shifts
    them by the share of resamples below the center and by the acceleration. "basic" reflects
    them about the center, which undoes a bias that resampling repeats, as plug-in
    information has it. "subsample" is "basic" with fewer objects a resample, whose spread is
    larger by 1 / `scale`.
    """
    defined = resampled[np.isfinite(resampled)]
    undefined = len(resampled) - len(defined)
    if len(defined) < 20 or not math.isfinite(value):
        low = high = spread = bias = math.nan
    else:
        tail = (1 - confidence) / 2
        spread = float(defined.std(ddof=1))
        middle = value if center is None or not math.isfinite(center) else center
        spread *= scale
        bias = (float(defined.mean()) - middle) * scale
        shares = (tail, 1 - tail)
        if method == "bca":
            shares = _bca_shares(middle, defined, shares, acceleration)
        below, above = (float(x) - middle for x in np.quantile(defined, shares))
        if method in ("basic", "subsample"):
            low, high = value - scale * above, value - scale * below
        else:
            low, high = value + below, value + above
        low, high = (min(max(x, bounds[0]), bounds[1]) for x in (low, high))
    return Interval(low, high, confidence, method, spread, bias, len(resampled), undefined)


def _bca_shares(
    value: float,
    resampled: NDArray[np.float64],
    shares: tuple[float, float],
    acceleration: float,
) -> tuple[float, float]:
    """Quantiles to take instead of the nominal ones (Efron 1987, eq. 2.3)."""
    # Values tied with the estimate count half: discrete measures repeat theirs often.
    below = (
        np.count_nonzero(resampled < value) + 0.5 * np.count_nonzero(resampled == value)
    ) / len(resampled)
    edge = 0.5 / len(resampled)
    shift = NORMAL.inv_cdf(min(max(below, edge), 1 - edge))

    def moved(share: float) -> float:
        z = shift + NORMAL.inv_cdf(share)
        return NORMAL.cdf(shift + z / max(1e-9, 1 - acceleration * z))

    return moved(shares[0]), moved(shares[1])
