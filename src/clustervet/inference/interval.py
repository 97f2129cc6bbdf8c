"""Confidence intervals for measures: the table, or the points, are a sample."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import one_of, share
from clustervet.contingency import Contingency
from clustervet.contingency.engine_table import with_cells
from clustervet.errors import ParameterError
from clustervet.geometry import Geometry
from clustervet.inference.calibration import (
    LEAST,
    Coverage,
    coverage_of,
    inner_coverage,
    pair_coverage,
)
from clustervet.inference.groups import size_of
from clustervet.inference.inner_interval import (
    DRAWING,
    LABELS_GIVEN,
    are_apart,
    check_measure,
    check_points,
    inner_spreads,
)
from clustervet.inference.jackknife import (
    MOST_CELLS,
    Spread,
    is_quick,
    jackknife,
    left_out,
    score_ends,
    spread_of,
)
from clustervet.inference.paired import pair_spreads
from clustervet.inference.resample import (
    accelerations,
    bootstrap,
    check_draws,
    check_whole,
    subsample_size,
    values_of,
)
from clustervet.registry import PAIRED, Measure, MeasureFunction, Pair, measures
from clustervet.view import Result, Section, facts_table, plain
from clustervet.view.words import known, number

Method = Literal["jackknife", "basic", "bca", "percentile", "subsample"]
METHODS: tuple[Method, ...] = ("jackknife", "basic", "bca", "percentile", "subsample")
Choice = Method | Literal["auto"]
NORMAL = NormalDist()
# What of an interval is in the unit of the value.
SCALED = ("low", "high", "standard_error", "bias")


@dataclass(frozen=True, slots=True, repr=False)
class Interval(Result):
    """Where the value of the population lies, with the confidence stated.

    Parameters
    ----------
    low, high : float
        The ends; nan where too few resamples have a value.
    confidence : float
        The share of such intervals that hold the value of the population.
    method : {"jackknife", "basic", "bca", "percentile", "subsample"}
        How the interval was made.
    standard_error : float
        How much the value varies from sample to sample.
    bias : float
        How far the value is off on average.
    resamples : int
        How many tables were resampled; 0 where objects were left out in turn instead.
    undefined : int
        How many of the resampled tables, or of the objects or groups left out, leave no value.
    coverage : Coverage or None
        How often such intervals held the value of the population in a study of tables or points
        like these; None where no such ones were tried, or for other methods.
    groups : int
        How many groups of points or objects were left out in turn, where no table was; otherwise 0.
    of : str
        What these groups are made of.

    Examples
    --------
    >>> import clustervet as cv
    >>> table = cv.Contingency.from_counts([[45, 5], [8, 42]])
    >>> found = cv.confidence_interval("rand", table, random_state=0)
    >>> cv.rand(table) in found, found.confidence, found.resamples
    (True, 0.95, 0)
    """

    low: float
    high: float
    confidence: float
    method: Method
    standard_error: float
    bias: float
    resamples: int
    undefined: int = 0
    coverage: Coverage | None = None
    groups: int = 0
    of: str = "points"

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
        """Whether intervals like this one may hold the value of the population too rarely."""
        if self.method == "jackknife":
            return not self.width or self.coverage is None or self.coverage.least < LEAST
        return abs(self.bias) > 3 * self.standard_error

    @property
    def caution(self) -> str:
        """Why the interval is only a rough guide; empty where it is more."""
        if not self.is_rough or math.isnan(self.low):
            return ""
        if self.method != "jackknife":
            return (
                "a rough guide, since there are too few objects for this many cells: the value is "
                "biased far beyond its standard error"
            )
        if not self.width:
            one = f"group of {self.of}" if self.groups else "single object"
            return f"no {one} changes the value, so that the interval has no width"
        if self.coverage is None:
            return f"how often such intervals are right was not studied for {self._alike}"
        return (
            f"a rough guide, since in a study of {self._alike} fewer than {LEAST:.0%} of 95% "
            "intervals held the true value"
        )

    @property
    def _alike(self) -> str:
        return "data like these" if self.groups else "tables like this one"

    @property
    def how(self) -> str:
        """What was resampled or left out."""
        if self.groups:
            return f"{self.groups} groups of {self.of} left out in turn"
        if self.resamples:
            return f"{self.resamples:,} resampled tables"
        return "each object left out in turn"

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
            "coverage": None if self.coverage is None else self.coverage._asdict(),
            "rough": self.is_rough,
            **({"groups": self.groups} if self.groups else {}),
        }

    def columns(self) -> dict[str, list[Any]]:
        """Return the interval as columns of one row.

        Returns
        -------
        dict
            Values by the name of the column.
        """
        found = {name: [value] for name, value in self.to_dict().items()}
        found["coverage"] = [self.coverage.mean if self.coverage else None]
        return found

    def document(self) -> Section:
        """Return the interval in words, and how it was made.

        Returns
        -------
        Section
            The sentences and tables.
        """
        facts = {
            "method": f"{self.method}, {self.how}",
            "standard error": known(self.standard_error),
            "bias": known(self.bias),
        }
        if self.undefined:
            left = "groups" if self.groups else "objects"
            where = "of the resampled tables" if self.resamples else f"of the {left} left out"
            facts["undefined"] = f"in {self.undefined:,} {where}"
        if self.coverage is not None:
            facts["coverage"] = (
                f"{self.coverage.mean:.1%} of 95% intervals in {self._alike}, at least "
                f"{self.coverage.least:.1%}"
            )
        said = f"{number(self.low)} to {number(self.high)} at {self.confidence:.4g} confidence"
        if math.isnan(self.low):
            said = "No interval: too few resampled tables have a value"
            if self.groups:
                said = f"No interval: without most groups of {self.of} there is no finite value"
        table = facts_table("interval-facts", "How it was made", facts)
        caution = self.caution
        more = (f"{caution[0].upper()}{caution[1:]}.",) if caution else ()
        notes = (LABELS_GIVEN,) if self.groups and self.of == "points" else ()
        paragraphs = (f"{said}.", *more)
        return Section("interval", "Interval", paragraphs, (table,), notes=notes, subject=self)


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
    """An interval for each measure; all share the tables that the method takes."""
    share(confidence, "confidence")
    check_draws(resamples, random_state, n_jobs)
    n = check_whole(table, "an interval")
    own = parameters or {}
    kind = resolve_method(method)
    values = values_of(table, records, own)
    if kind == "jackknife":
        spreads = _spreads(table, records, own, (resamples, random_state, n_jobs))
        # Neither parameters nor tables of more cells were studied.
        studied = not own and len(table) <= MOST_CELLS
        return [
            spread_interval(
                value,
                spread,
                confidence,
                record.bounds,
                n,
                drawn,
                coverage_of(record.key, table.cells.values) if studied else None,
            )
            for record, value, (spread, drawn) in zip(records, values, spreads, strict=True)
        ]
    size = subsample_size(n) if kind == "subsample" else n
    resampled = bootstrap(table, records, own, resamples, random_state, n_jobs, size)
    skew = accelerations(table, records, own) if kind == "bca" else [0.0] * len(records)
    centers = values_of(table.as_population(size), records, own)
    return [
        make_interval(
            value,
            resampled[:, k],
            confidence,
            kind,
            center=centers[k],
            scale=math.sqrt(size / n),
            acceleration=skew[k],
            bounds=record.bounds,
        )
        for k, (record, value) in enumerate(zip(records, values, strict=True))
    ]


def _spreads(
    table: Contingency,
    records: Sequence[Measure],
    own: dict[str, Any],
    draws: tuple[int, Any, int | None],
) -> list[tuple[Spread, int]]:
    """The spread of each measure, and how many tables were resampled for it."""
    quick = [record for record in records if is_quick(table, record)]
    slow = [record for record in records if not is_quick(table, record)]
    found: dict[str, tuple[Spread, int]] = {}
    if quick:
        changes, counts = left_out(table, quick, own), table.cells.values
        for k, record in enumerate(quick):
            found[record.key] = jackknife(changes[:, k], counts), 0
    if slow:
        resampled = bootstrap(table, slow, own, *draws)
        centers = values_of(table.as_population(), slow, own)
        for k, record in enumerate(slow):
            found[record.key] = spread_of(resampled[:, k], centers[k], int(table.n)), draws[0]
    return [found[record.key] for record in records]


def spread_interval(
    value: float,
    spread: Spread,
    confidence: float,
    bounds: tuple[float, float],
    n: int,
    drawn: int,
    coverage: Coverage | None,
    groups: int = 0,
) -> Interval:
    """An interval from how far a value is off and how much it varies."""
    low = high = math.nan
    if math.isfinite(value) and math.isfinite(spread.error):
        low, high = score_ends(value, spread, confidence, bounds, n)
    return Interval(
        low,
        high,
        confidence,
        "jackknife",
        spread.error,
        spread.bias,
        drawn,
        spread.undefined,
        coverage,
        groups,
    )


def inner_intervals(
    geometry: Geometry,
    records: Sequence[Measure],
    values: Sequence[float],
    *,
    confidence: float = 0.95,
    random_state: Any = 0,
    parameters: dict[str, Any] | None = None,
) -> list[Interval]:
    """An interval for each value of a measure of features; all leave out the same points."""
    own = parameters or {}
    studied, apart = own.keys() <= DRAWING, are_apart(geometry)
    found = []
    spreads = inner_spreads(geometry, records, own, random_state)
    for record, value, (spread, groups) in zip(records, values, spreads, strict=True):
        # What drawing points or pairs for the value adds.
        error = math.hypot(spread.error, getattr(value, "standard_error", 0.0))
        unit = size_of(value) if record.unit else 1.0  # whose square a float may not hold
        made = spread_interval(
            float(value) / unit,
            replace(spread, bias=spread.bias / unit, error=error / unit),
            confidence,
            (record.bounds[0] / unit, record.bounds[1] / unit),
            geometry.rows,
            0,
            inner_coverage(record.key, geometry.sizes, apart) if studied else None,
            groups,
        )
        scaled = {name: unit * getattr(made, name) for name in SCALED}
        found.append(replace(made, **scaled))
    return found


def pair_intervals(
    pair: Pair,
    measured: Sequence[tuple[Measure, dict[str, Any]]],
    confidence: float = 0.95,
    random_state: Any = 0,
) -> list[Interval]:
    """An interval for each measure of two clusterings that are more than labels."""
    values = [float(record.evaluate(pair, **own).value) for record, own in measured]
    spreads = pair_spreads(pair, measured, random_state)
    found = []
    for (record, own), value, (spread, groups) in zip(measured, values, spreads, strict=True):
        covered = None if own else pair_coverage(record.key, pair.n, pair.smallest)
        made = spread_interval(value, spread, confidence, record.bounds, pair.n, 0, covered, groups)
        found.append(replace(made, of="objects"))
    return found


def resolve_method(method: Choice) -> Method:
    """The method asked for; "auto" is the one that holds for every measure."""
    one_of(method, "method", ("auto", *METHODS))
    return "jackknife" if method == "auto" else method


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

    A measure of features takes the labels as given: the interval says where its value lies for all
    points of the source, each with the label that it has. How much the clusters would change with
    other points is another question, which `stability` answers.

    Parameters
    ----------
    measure : str, Measure or function
        The measure: its name, its record, or your own measure.
    truth : array-like or Contingency
        The classes, or one finished table. For a measure of features, the points. For a measure
        of soft, overlapping or hierarchical clusterings, one of these.
    pred : array-like, optional
        The clusters, unless `truth` is a table.
    confidence : float, default 0.95
        The confidence, between 0 and 1.
    method : {"auto", "jackknife", "basic", "bca", "percentile", "subsample"}, default "auto"
        How the interval is made. "auto" is "jackknife", which needs no random numbers and holds
        for every measure; the others resample tables, and are for measures of classes.
    resamples : int, default 2000
        The number of resampled tables, at least 20; "jackknife" resamples only tables of more than
        2,000 non-empty cells, for measures that cannot be taken of all tables at once.
    random_state : int, Generator, RandomState, SeedSequence or None, optional
        The seed of resampling, and of dealing points to groups; groups have the seed 0 by default.
    n_jobs : int, optional
        The number of threads for resampling; -1 uses all cores.
    **options
        Parameters of the measure (`base`, `average`, ...) and of reading labels and features
        (`missing`, `noise`, `metric`, ...).

    Returns
    -------
    Interval
        The ends of the interval, its standard error and the bias.

    Raises
    ------
    LabelError
        If the labels cannot be read.
    ParameterError
        If a parameter is unknown or out of range, or no interval can be made for the measure.
    TableError
        If the table has real weights, fewer than two objects or only one non-empty cell.
    FeatureError
        If there are fewer than 20 points.

    Notes
    -----
    "jackknife" leaves every object out in turn. Objects of one cell are alike, so that the cost
    grows with the number of cells and not of objects. With v the value, v_i the value without
    object i and m their mean, the bias is b = (n - 1)(m - v) and the squared standard error
    (n - 1)/n sum (v_i - m)^2 (Efron 1982). The interval holds every x within t standard errors of
    v or of v - b, where the standard error at x falls to 0 at the ends of the measure's range, as
    in Wilson's interval of a share (1927). t is the quantile of Student's distribution with
    2 n / (kurtosis - 1) degrees of freedom, so that a standard error that rests on few objects
    widens the interval. `coverage` says how often such intervals were right in a study
    (docs/theory.md).

    The other methods resample tables, never labels. Let v be the value, c the value of the table
    read as a distribution, and a and b the lower and upper quantiles of the resampled values.
    "basic" is [v - (b - c), v - (a - c)]; "percentile" is [v + a - c, v + b - c]; "bca" is
    "percentile" with corrected quantiles (Efron 1987, eq. 2.3). "subsample" is "basic" with n**0.7
    objects in each resample, scaled back to n objects.

    For a measure of features the points are dealt at random to 30 to 59 groups, each of which is
    left out in turn, or each of fewer than 60 points is; bias, standard error and interval are as
    above, with groups in place of objects. Drawing points with replacement would make copies at
    distance 0. For measures whose time grows with pairs, groups are left out of at most 500 points,
    or 20 per cluster up to 2,000, which are drawn by cluster, and for others of at most 20,000; the
    standard error is taken to fall with the root of the number of points. There is no interval for
    measures that rest on single points, such as Dunn's index.

    Examples
    --------
    >>> import clustervet as cv
    >>> table = cv.Contingency.from_counts([[45, 5], [8, 42]])
    >>> found = cv.confidence_interval("purity", table)
    >>> 0.75 < found.low < 0.87 < found.high < 0.96
    True
    >>> found.method
    'jackknife'

    >>> X = [[k % 7 + 10.0 * (k % 2), k % 5] for k in range(70)]
    >>> labels = [k % 2 for k in range(70)]
    >>> found = cv.confidence_interval("silhouette", X, labels)
    >>> found.groups, cv.silhouette(X, labels) in found
    (35, True)
    """
    record = measures.select([measure])[0]
    parameters = {name: options.pop(name) for name in record.parameters if name in options}
    if record.kind != "external":
        share(confidence, "confidence")
        check_measure(record)
        if resolve_method(method) != "jackknife":
            raise ParameterError(
                f"the method {method!r} resamples tables, and {record.key} reads none; leave it "
                "out.",
                parameter="method",
            )
    if record.kind in PAIRED:
        pair = record.subject(truth, pred, **options)
        record.evaluate(pair, **parameters)  # its parameters are refused before the work
        return pair_intervals(pair, [(record, parameters)], confidence, random_state)[0]
    if record.kind == "soft_internal":
        raise ParameterError(
            f"there is no interval for {record.key}: how often it would be right was not studied."
        )
    if record.kind == "internal":
        geometry = record.subject(truth, pred, **options)
        check_points(geometry)
        value = record(geometry, **parameters)
        asked = {"confidence": confidence, "random_state": random_state, "parameters": parameters}
        return inner_intervals(geometry, [record], [value], **asked)[0]
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
