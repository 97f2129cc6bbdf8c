"""Confidence intervals for measures: the table is a sample from a population."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

from clustervet.contingency import Contingency
from clustervet.contingency.engine_table import with_cells
from clustervet.inference.interval import (
    Interval,
    Method,
    check_confidence,
    check_method,
    make_interval,
)
from clustervet.inference.resample import (
    accelerations,
    bootstrap,
    check_resamples,
    check_whole,
    subsample_size,
)
from clustervet.registry import Measure, MeasureFunction, measures

Choice = Method | Literal["auto"]


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
    check_confidence(confidence)
    check_resamples(resamples)
    check_whole(table, "an interval")
    methods = [resolve_method(record, method) for record in records]
    found: dict[str, Interval] = {}
    for kind in dict.fromkeys(methods):
        chosen = [r for r, m in zip(records, methods, strict=True) if m == kind]
        made = _of_method(
            table, chosen, confidence, kind, resamples, random_state, n_jobs, parameters or {}
        )
        found.update({r.key: interval for r, interval in zip(chosen, made, strict=True)})
    return [found[record.key] for record in records]


def resolve_method(record: Measure, method: Choice) -> Method:
    """The method asked for; "auto" depends on the measure."""
    if method == "auto":
        return "subsample" if record.family == "matching" else "basic"
    return check_method(method)


def _of_method(
    table: Contingency,
    records: Sequence[Measure],
    confidence: float,
    method: Method,
    resamples: int,
    random_state: Any,
    n_jobs: int | None,
    parameters: dict[str, Any],
) -> list[Interval]:
    n = int(table.n)
    size = subsample_size(n) if method == "subsample" else n
    values = bootstrap(
        table,
        records,
        parameters,
        resamples=resamples,
        random_state=random_state,
        n_jobs=n_jobs,
        size=size,
    )
    skew = accelerations(table, records, parameters) if method == "bca" else [0.0] * len(records)
    population = table.as_population(size)
    return [
        make_interval(
            record.evaluate(table, **parameters).value,
            values[:, k],
            confidence,
            method,
            center=record.evaluate(population, **parameters).value,
            scale=math.sqrt(size / n),
            acceleration=skew[k],
            bounds=record.bounds,
        )
        for k, record in enumerate(records)
    ]


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
