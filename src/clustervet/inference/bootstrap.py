"""Confidence intervals for measures: the table is a sample from a population."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from clustervet.contingency import Contingency
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


def intervals(
    table: Contingency,
    records: Sequence[Measure],
    *,
    confidence: float = 0.95,
    method: Method = "basic",
    resamples: int = 2_000,
    random_state: Any = None,
    n_jobs: int | None = None,
    parameters: dict[str, Any] | None = None,
) -> list[Interval]:
    """An interval for each measure, all from the same resampled tables."""
    check_confidence(confidence)
    check_method(method)
    given = parameters or {}
    n = check_whole(table, "an interval")
    size = subsample_size(n) if method == "subsample" else n
    values = bootstrap(
        table,
        records,
        given,
        resamples=check_resamples(resamples),
        random_state=random_state,
        n_jobs=n_jobs,
        size=size,
    )
    skew = accelerations(table, records, given) if method == "bca" else [0.0] * len(records)
    population = table.as_population(size)
    return [
        make_interval(
            record.evaluate(table, **given).value,
            values[:, k],
            confidence,
            method,
            center=record.evaluate(population, **given).value,
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
    method: Method = "basic",
    resamples: int = 2_000,
    random_state: Any = None,
    n_jobs: int | None = None,
    **options: Any,
) -> Interval:
    """An interval for a measure's value in the population that the objects are drawn from.

    Give labels, or one finished table. Tables are resampled, never labels, so that the cost
    does not grow with the number of objects. `options` are those of the measure
    (`base`, `average`, ...) and of reading labels (`missing`, `noise`, ...).

    >>> import clustervet as cv
    >>> table = cv.Contingency.from_counts([[45, 5], [8, 42]])
    >>> found = confidence_interval("purity", table, random_state=0)
    >>> 0.78 < found.low < 0.87 < found.high < 0.94
    True
    """
    record = measures.select([measure])[0]
    parameters = {name: options.pop(name) for name in record.parameters if name in options}
    table = record.subject(truth, pred, **options)
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
