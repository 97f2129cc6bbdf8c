"""Confidence intervals for measures: the table is a sample from a population."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import one_of, share
from clustervet.contingency import Contingency
from clustervet.contingency.engine_table import with_cells
from clustervet.inference.resample import (
    accelerations,
    bootstrap,
    check_resamples,
    check_whole,
    subsample_size,
)
from clustervet.registry import Measure, MeasureFunction, measures
from clustervet.view import Result, Section, facts_table, plain
from clustervet.view.words import known, number

Method = Literal["basic", "bca", "percentile", "subsample"]
METHODS: tuple[Method, ...] = ("basic", "bca", "percentile", "subsample")
Choice = Method | Literal["auto"]
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


def intervals(
    table: Contingency,
    records: Sequence[Measure],
    *,
    confidence: float = 0.95,
    method: Choice = "auto",
    resamples: int = 2_000,
    random_state: Any = None,
    n_jobs: int | None = None,
    parameters: dict[str, Any] | None = None,
) -> list[Interval]:
    """An interval for each measure; measures of one method share their resampled tables."""
    share(confidence, "confidence")
    check_resamples(resamples)
    n = check_whole(table, "an interval")
    own = parameters or {}
    methods = [resolve_method(record, method) for record in records]
    found: dict[str, Interval] = {}
    for kind in dict.fromkeys(methods):
        chosen = [r for r, m in zip(records, methods, strict=True) if m == kind]
        size = subsample_size(n) if kind == "subsample" else n
        values = bootstrap(table, chosen, own, resamples, random_state, n_jobs, size)
        skew = accelerations(table, chosen, own) if kind == "bca" else [0.0] * len(chosen)
        population = table.as_population(size)
        for k, record in enumerate(chosen):
            found[record.key] = make_interval(
                record.evaluate(table, **own).value,
                values[:, k],
                confidence,
                kind,
                center=record.evaluate(population, **own).value,
                scale=math.sqrt(size / n),
                acceleration=skew[k],
                bounds=record.bounds,
            )
    return [found[record.key] for record in records]


def resolve_method(record: Measure, method: Choice) -> Method:
    """The method asked for; "auto" depends on the measure."""
    one_of(method, "method", ("auto", *METHODS))
    if method == "auto":
        return "subsample" if record.family == "matching" else "basic"
    return method


def confidence_interval(
    measure: str | Measure | MeasureFunction,
    truth: Any,
    pred: Any = None,
    *,
    confidence: float = 0.95,
    method: Choice = "auto",
    resamples: int = 2_000,
    random_state: Any = None,
    n_jobs: int | None = None,
    **options: Any,
) -> Interval:
    """Return an interval for a measure's value in the population that the objects are drawn from.

    Parameters
    ----------
    measure : str, Measure or function
        The measure: its name, its record, or your own measure.
    truth : array-like or Contingency
        The classes, or one finished table.
    pred : array-like, optional
        The clusters, unless `truth` is a table.
    confidence : float, default 0.95
        The confidence, between 0 and 1.
    method : {"auto", "basic", "bca", "percentile", "subsample"}, default "auto"
        How the interval is made. "auto" takes "subsample" for measures built on the largest cells,
        whose bootstrap fails where cells tie, and "basic" for all others.
    resamples : int, default 2000
        The number of resampled tables, at least 20.
    random_state : int, Generator, RandomState, SeedSequence or None, optional
        The seed.
    n_jobs : int, optional
        The number of threads; -1 uses all cores.
    **options
        Parameters of the measure (`base`, `average`, ...) and of reading labels (`missing`,
        `noise`, ...).

    Returns
    -------
    Interval
        The ends of the interval, its standard error and the bias.

    Raises
    ------
    LabelError
        If the labels cannot be read.
    ParameterError
        If a parameter is unknown or out of range.
    TableError
        If the table has real weights, fewer than two objects or only one non-empty cell.

    Notes
    -----
    Tables are resampled, never labels, so that the cost does not grow with the number of objects.
    Let v be the value, c the value of the table read as a distribution, and a and b the lower and
    upper quantiles of the resampled values. "basic" is [v - (b - c), v - (a - c)], which removes a
    bias that resampling repeats; "percentile" is [v + a - c, v + b - c]; "bca" is "percentile" with
    corrected quantiles (Efron 1987, eq. 2.3). "subsample" is "basic" with n**0.7 objects in each
    resample, scaled back to n objects.

    Examples
    --------
    >>> import clustervet as cv
    >>> table = cv.Contingency.from_counts([[45, 5], [8, 42]])
    >>> found = cv.confidence_interval("purity", table, random_state=0)
    >>> 0.75 < found.low < 0.87 < found.high < 0.96
    True
    >>> found.method
    'subsample'
    """
    record = measures.select([measure])[0]
    parameters = {name: options.pop(name) for name in record.parameters if name in options}
    table = with_cells(record.subject(truth, pred, **options), "an interval")
    found = intervals(
        table,
        [record],
        confidence=confidence,
        method=method,
        resamples=resamples,
        random_state=random_state,
        n_jobs=n_jobs,
        parameters=parameters,
    )
    return found[0]


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
