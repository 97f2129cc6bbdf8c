"""Clusterings at every value of a parameter, and the measures of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import ClustervetError, LabelError, ParameterError
from clustervet.geometry import Geometry
from clustervet.registry import Estimate, Measure, Outcome, measures
from clustervet.selection.choice import Floats
from clustervet.selection.estimators import Clusterer
from clustervet.selection.parallel import run_jobs

NOISE = -1
# Measures that have a value at one cluster, beside which all others can be held.
STARTS = frozenset({"aic", "bic", "gap_statistic", "log_likelihood", "ssq", "validated_likelihood"})


@dataclass(frozen=True)
class Plan:
    """What is fitted and measured, the same at every value."""

    clusterer: Clusterer
    asked: tuple[tuple[Measure, dict[str, Any]], ...]
    metric: Any
    noise: Any
    seed: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """One clustering and its measures; `why` says what kept it from being made."""

    labels: NDArray[Any] | None
    clusters: int
    noise: float
    outcomes: dict[str, Outcome]
    # Share of the pairs of points that lie in one cluster, and what the mixture's parameters
    # cost, half of BIC's price: what elbows of the ratio and of the likelihood are read by.
    pairs: float = math.nan
    price: float = math.nan
    why: str | None = None


@dataclass(frozen=True, eq=False)
class Sweep:
    """Fits at every value, and one of all points in a single cluster."""

    values: list[Any]
    fits: list[Fit]
    start: Fit
    points: int

    def curve(self, key: str) -> Floats:
        """A measure at every value."""
        return np.array([float(fit.outcomes[key].value) for fit in self.fits])

    def errors(self, key: str) -> Floats:
        """Its standard errors, where it is an estimate."""
        return np.array([standard_error(fit.outcomes[key].value) for fit in self.fits])

    @cached_property
    def clusters(self) -> list[int]:
        """Number of clusters found at every value."""
        return [fit.clusters for fit in self.fits]

    @cached_property
    def noise(self) -> Floats:
        """Share of the points that are noise at every value."""
        return np.array([fit.noise for fit in self.fits])


def standard_error(value: float) -> float:
    """The standard error of an estimate, nan for other numbers."""
    return value.standard_error if isinstance(value, Estimate) else math.nan


def sweeps(
    plan: Plan,
    X: Any,  # noqa: N803  # the name that everyone gives to features
    samples: Sequence[NDArray[np.int64] | None],
    values: list[Any],
    n_jobs: int | None,
    tick: Callable[[], None],
) -> Iterator[Sweep]:
    """A sweep of each sample of the points (None is all of them), in order.

    Work is shared out by joblib: over threads, or by whatever backend is active. Inside it
    every fit runs on one core, so that the answer does not depend on how many there are.
    """
    from joblib import delayed
    from threadpoolctl import threadpool_limits

    square = getattr(plan.metric, "name", "") == "precomputed"
    jobs = (
        delayed(_fit)(plan, _rows(X, rows, square=square), value)
        for rows in samples
        for value in values
    )
    with threadpool_limits(1, user_api="blas"):
        found = run_jobs(jobs, n_jobs, ordered=True)
        for rows in samples:
            fits = []
            for _ in values:
                fits.append(next(found))
                tick()
            points = _rows(X, rows, square=square)
            yield Sweep(values, fits, _start(plan, points), points.shape[0])


def _rows(X: Any, rows: NDArray[np.int64] | None, *, square: bool) -> Any:  # noqa: N803  # as above
    if rows is None:
        return X
    return X[np.ix_(rows, rows)] if square else X[rows]


def _fit(plan: Plan, X: Any, value: Any) -> Fit:  # noqa: N803  # as above
    from threadpoolctl import threadpool_limits

    made = plan.clusterer.made(value, plan.seed)
    try:
        with threadpool_limits(1):
            labels = np.asarray(made.fit_predict(X))
    except ClustervetError:
        raise
    except (ValueError, TypeError) as error:
        reason = str(error).strip().partition("\n")[0].rstrip(".")
        why = f"{plan.clusterer.name} refuses {plan.clusterer.parameter}={value}: {reason}"
        nowhere = {record.key: Outcome(math.nan, why) for record, _ in plan.asked}
        return Fit(None, 0, math.nan, nowhere, why=why)
    if labels.shape != (X.shape[0],):
        raise ParameterError(
            f"fit_predict of {plan.clusterer.name} must give a label a point; there are "
            f"{X.shape[0]:,} points and it gave shape {labels.shape}."
        )
    return _measured(plan, X, labels, plan.asked)


def _start(plan: Plan, X: Any) -> Fit:  # noqa: N803  # as above
    """All points in one cluster, by the measures that have a value there."""
    asked = tuple(item for item in plan.asked if item[0].key in STARTS)
    return _measured(plan, X, np.zeros(X.shape[0], np.int32), asked)


def _measured(
    plan: Plan,
    X: Any,  # noqa: N803  # as above
    labels: NDArray[Any],
    asked: tuple[tuple[Measure, dict[str, Any]], ...],
) -> Fit:
    is_noise = labels == NOISE
    clusters = len(np.unique(labels[~is_noise]))
    noise = float(np.mean(is_noise))
    views = _Views(plan, X, labels)
    outcomes = {record.key: views.outcome(record, options) for record, options in asked}
    pairs = price = math.nan
    if views.seen is not None:
        sizes, n = views.seen.sizes.astype(float), float(views.seen.n)
        pairs = float((sizes * (sizes - 1)).sum() / (n * (n - 1))) if n > 1 else math.nan
        priced = next((item for item in asked if item[0].key == "log_likelihood"), None)
        if priced is not None:
            # BIC is -2 LL + price, and the mixture is at hand already.
            both = float(measures["bic"].evaluate(views.seen, **priced[1]).value)
            price = both / 2 + float(outcomes["log_likelihood"].value)
    return Fit(labels, clusters, noise, outcomes, pairs, price)


@dataclass
class _Views:
    """The clustering as measures see it: density-based ones know what noise is."""

    plan: Plan
    X: Any
    labels: NDArray[Any]
    why: str = field(default="", init=False)

    @cached_property
    def seen(self) -> Geometry | None:
        return self._view(self.plan.noise)

    @cached_property
    def dense(self) -> Geometry | None:
        drops = self.plan.noise == "drop" and bool((self.labels == NOISE).any())
        return self._view(None) if drops else self.seen

    def _view(self, noise: Any) -> Geometry | None:
        try:
            return Geometry(self.X, self.labels, self.plan.metric, noise=noise)
        except LabelError as error:
            self.why = str(error).rstrip(".")
            return None

    def outcome(self, record: Measure, options: dict[str, Any]) -> Outcome:
        geometry = self.dense if record.family == "density" else self.seen
        if geometry is None:
            return Outcome(math.nan, self.why)
        return record.evaluate(geometry, **options)
