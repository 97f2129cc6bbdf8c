"""The curves of a tuning: measures of the clustering at every value, and the rule for each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import suggestion
from clustervet.errors import LabelError, ParameterError
from clustervet.fitting.algorithms import Algorithm
from clustervet.fitting.fits import Fit, FitTask, run_fits
from clustervet.geometry import Geometry
from clustervet.registry import Estimate, Measure, Outcome
from clustervet.registry import measures as registry
from clustervet.tuning import rules
from clustervet.tuning.rules import Choice, Floats, nothing

Asked = tuple[tuple[Measure, dict[str, Any]], ...]
NOISE = -1
# Measures that have a value at one cluster, which the other values are compared with.
STARTS = frozenset({"aic", "bic", "gap_statistic", "log_likelihood", "ssq", "validated_likelihood"})
RULES = ("elbow", "optimum", "gap", "hartigan")
# Measures that get better with every further cluster, and the one with a rule of its own; the
# others have an optimum.
OWN_RULES = {
    "ssq": "elbow",
    "intra_inter_ratio": "elbow",
    "log_likelihood": "elbow",
    "hartigan": "elbow",
    "gap_statistic": "gap",
}
# Pairs give large clusters more weight, which makes the ratio's curve rougher than SSQ's.
RATIO_STRENGTH = 0.6
# Measures that look at the two nearest clusters or points only: their optima stand out by
# chance more often.
ROUGH = frozenset({"dunn", "generalized_dunn", "xie_beni"})
ROUGH_STRENGTHS = (0.4, 0.4)
# Sums over points, which can be compared only where the same points are summed.
SUMS = frozenset({"aic", "bic", "gap_statistic", "hartigan", "log_likelihood", "ssq"})
CRITERIA = frozenset({"aic", "bic"})
# Shares of noise that differ by less than this are one share.
SAME_NOISE = 1e-3
MOSTLY_NOISE = 0.5
MORE_NOISE = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredFit:
    """One clustering and its measures; `why` says why there is no clustering.

    `pairs` is the share of the pairs of points that lie in one cluster, and `price` half of BIC's
    price of the mixture's parameters: the elbows of the ratio and of the likelihood need them.
    """

    labels: NDArray[Any] | None
    clusters: int
    noise: float
    outcomes: dict[str, Outcome]
    pairs: float = math.nan
    price: float = math.nan
    why: str | None = None


@dataclass(frozen=True)
class CurvePlan:
    """What is fitted and measured, the same at every value."""

    algorithm: Algorithm
    asked: Asked
    metric: Any
    noise: Any
    seed: int | None

    def measured(self, points: Any, fit: Fit) -> MeasuredFit:
        """Return the measures of one fit."""
        if fit.labels is not None:
            return self._measured(points, fit.labels, self.asked)
        reason = str(fit.error).rstrip(".")
        why = f"{self.algorithm.name} refuses {self.algorithm.parameter}={fit.key}: {reason}"
        nowhere = {record.key: Outcome(math.nan, why) for record, _ in self.asked}
        return MeasuredFit(None, 0, math.nan, nowhere, why=why)

    def start(self, points: Any) -> MeasuredFit:
        """Return all points in one cluster, by the measures that have a value there."""
        asked = tuple(item for item in self.asked if item[0].key in STARTS)
        return self._measured(points, np.zeros(points.shape[0], np.int32), asked)

    def _measured(self, points: Any, labels: NDArray[Any], asked: Asked) -> MeasuredFit:
        is_noise = labels == NOISE
        # Measures of density know what noise is; the others see what the user's policy leaves.
        seen = self._geometry(points, labels, self.noise)
        drops = self.noise == "drop" and bool(is_noise.any())
        dense = seen
        if drops and any(record.family == "density" for record, _ in asked):
            dense = self._geometry(points, labels, None)
        outcomes = {}
        for record, options in asked:
            view = dense if record.family == "density" else seen
            outcomes[record.key] = (
                Outcome(math.nan, view)
                if isinstance(view, str)
                else record.evaluate(view, **options)
            )
        pairs = price = math.nan
        if not isinstance(seen, str):
            sizes, n = seen.sizes.astype(float), float(seen.n)
            pairs = float((sizes * (sizes - 1)).sum() / (n * (n - 1))) if n > 1 else math.nan
            priced = next((options for r, options in asked if r.key == "log_likelihood"), None)
            if priced is not None:
                # BIC is -2 LL + price, and the mixture is at hand already.
                both = float(registry["bic"].evaluate(seen, **priced).value)
                price = both / 2 + float(outcomes["log_likelihood"].value)
        clusters = len(np.unique(labels[~is_noise]))
        return MeasuredFit(labels, clusters, float(np.mean(is_noise)), outcomes, pairs, price)

    def _geometry(self, points: Any, labels: NDArray[Any], noise: Any) -> Geometry | str:
        """Return the clustering as measures see it, or why there is nothing to see."""
        try:
            return Geometry(points, labels, self.metric, noise=noise)
        except LabelError as error:
            return str(error).rstrip(".")


@dataclass(frozen=True, eq=False)
class Curves:
    """Measured fits at every value, and all points in a single cluster (`start`)."""

    values: list[Any]
    fits: list[MeasuredFit]
    start: MeasuredFit
    points: int

    def curve(self, key: str) -> Floats:
        """Return a measure at every value."""
        return np.array([float(fit.outcomes[key].value) for fit in self.fits])

    def at_one(self, key: str) -> float | None:
        """Return a measure at one cluster, where it has a value there."""
        outcome = self.start.outcomes.get(key)
        return None if outcome is None else float(outcome.value)

    @cached_property
    def clusters(self) -> list[int]:
        """Number of clusters found at every value."""
        return [fit.clusters for fit in self.fits]

    @cached_property
    def noise(self) -> Floats:
        """Share of the points that are noise at every value."""
        return np.array([fit.noise for fit in self.fits])

    @cached_property
    def known_noise(self) -> Floats:
        """The shares of noise of the values that have a clustering."""
        known = self.noise[~np.isnan(self.noise)]
        return known if len(known) else np.zeros(1)


def fit_curves(
    plan: CurvePlan,
    X: Any,  # noqa: N803  # the name that everyone gives to features
    samples: Sequence[NDArray[np.int64] | None],
    values: list[Any],
    n_jobs: int | None,
    tick: Callable[[], None],
) -> Iterator[Curves]:
    """Yield the curves of each sample of the points (None is all of them), in order."""
    square = getattr(plan.metric, "name", "") == "precomputed"

    def drawn(rows: NDArray[np.int64] | None) -> Any:
        if rows is None:
            return X
        return X[np.ix_(rows, rows)] if square else X[rows]

    tasks = (
        (FitTask(value, plan.algorithm, value, plan.seed), drawn(rows))
        for rows in samples
        for value in values
    )
    fits = run_fits(tasks, n_jobs, then=plan.measured, ordered=True, quiet=False)
    with closing(fits):
        for rows in samples:
            measured = []
            for _ in values:
                measured.append(next(fits))
                tick()
            points = drawn(rows)
            yield Curves(values, measured, plan.start(points), points.shape[0])


def read_rules(asked: Mapping[str, str] | None, records: list[Measure]) -> dict[str, str]:
    """Return a rule for each measure: the one asked for, or its own."""
    found = {record.key: OWN_RULES.get(record.key, "optimum") for record in records}
    for name, rule in dict(asked or {}).items():
        key = registry[name].key
        if key not in found:
            raise ParameterError(f"rules names {name}, which is not among the measures.")
        if rule not in RULES:
            hint = suggestion(str(rule), RULES, f"the rules are {', '.join(RULES)}.")
            raise ParameterError(f"there is no rule {rule!r}; {hint}")
        wanted = {"gap": "gap_statistic", "hartigan": "ssq"}.get(rule, key)
        if wanted != key:
            raise ParameterError(f"the rule {rule} reads {wanted}, not {key}.")
        found[key] = rule
    for record in records:
        if record.better == "neither" and found[record.key] == "optimum":
            raise ParameterError(
                f"{record.key} is better neither high nor low; it has no optimum to choose by."
            )
    return found


def choose(record: Measure, rule: str, curves: Curves) -> Choice:
    """Return what a measure's curve says by a rule."""
    if record.key in SUMS and float(np.ptp(curves.known_noise)) > SAME_NOISE:
        why = "the values leave out different points as noise, and sums over points do not compare"
        return nothing(rule, why)
    curve = _clustered(record, curves)
    if rule == "elbow":
        choice = _elbow(record, curve, curves)
    elif rule == "gap":
        start = curves.start.outcomes[record.key].value
        errors = np.array([_error(fit.outcomes[record.key].value) for fit in curves.fits])
        choice = rules.find_gap(curves.values, curve, errors, start=(float(start), _error(start)))
    elif rule == "hartigan":
        one = curves.at_one("ssq")
        hartigan = partial(rules.find_hartigan, points=curves.points, start=one)
        choice = _over_clusters(hartigan, curves, curve)
    else:
        choice = _optimum(record, curve, curves)
    return choice if record.family == "density" else _beside_noise(choice, curves)


def _error(value: float) -> float:
    """Return the standard error of an estimate, nan for other numbers."""
    return value.standard_error if isinstance(value, Estimate) else math.nan


def _beside_noise(choice: Choice, curves: Curves) -> Choice:
    """Return a choice that is not clear if it leaves more points out than other values do."""
    least = curves.known_noise.min()
    if not choice.clear or curves.noise[choice.index or 0] <= least + MORE_NOISE:
        return choice
    why = "the best value leaves more points out as noise than others, which the measure ignores"
    return replace(choice, clear=False, why=why)


def _clustered(record: Measure, curves: Curves) -> Floats:
    """Return the curve where most points are clustered: leaving points out must not win.

    Measures of density see the noise and count it.
    """
    most = ~(curves.noise > MOSTLY_NOISE) | (record.family == "density")
    return np.where(most, curves.curve(record.key), math.nan)


def _elbow(record: Measure, curve: Floats, curves: Curves) -> Choice:
    start = curves.at_one(record.key)
    threshold, logarithm = rules.ELBOW_STRENGTH, True
    prices: Floats | None = None
    if record.key == "intra_inter_ratio":
        # With a share p of the pairs within clusters, the mean distance of all pairs is
        # p Intra + (1 - p) Inter: this is Intra in its units. It is a straight line without
        # structure, which the ratio itself is not.
        pairs = np.array([fit.pairs for fit in curves.fits])
        curve = np.where(np.isinf(curve), math.nan, curve)
        curve, start = curve / (pairs * curve + 1 - pairs), 1.0
        threshold = RATIO_STRENGTH
    elif record.key == "hartigan":
        curve, start = 1 / (1 + np.exp(np.minimum(curve, 700))), 1.0  # W / (W + B)
    elif record.key == "log_likelihood":
        prices = np.array([fit.price for fit in curves.fits])
    if record.better == "higher" and record.key != "hartigan":
        curve, logarithm = -curve, False
        start = None if start is None else -start
    elif record.bounds[0] < 0 and record.key != "hartigan":
        logarithm = False
    rule = partial(rules.find_elbow, start=start, logarithm=logarithm, threshold=threshold)
    return _over_clusters(rule, curves, curve, prices)


def _over_clusters(
    rule: Callable[..., Choice], curves: Curves, curve: Floats, prices: Floats | None = None
) -> Choice:
    """Apply a rule over numbers of clusters, whatever the parameter is.

    Values with the same number of clusters are one: the middle value, and the median of the curve.
    """
    counts = np.array(curves.clusters)
    distinct = [int(k) for k in np.unique(counts) if k > 0]
    groups = [np.flatnonzero(counts == k) for k in distinct]

    def medians(column: Floats) -> list[float]:
        return [float(np.median(column[group])) for group in groups]

    more = {} if prices is None else {"prices": medians(prices)}
    choice = rule(distinct, medians(curve), **more)
    if choice.index is None:
        return choice
    group = groups[choice.index]
    index = int(group[(len(group) - 1) // 2])
    skipped = int(np.isnan(curve).sum())
    return replace(choice, value=curves.values[index], index=index, skipped=skipped)


def _optimum(record: Measure, curve: Floats, curves: Curves) -> Choice:
    low = record.bounds[0]
    by_share = low >= 0 or (record.better == "higher" and low > -math.inf)
    scale: rules.Scale = "odds" if record.key in CRITERIA else "share" if by_share else "range"
    return rules.find_optimum(
        curves.values,
        curve,
        record.better,
        clusters=curves.clusters,
        scale=scale,
        start=curves.at_one(record.key),
        thresholds=ROUGH_STRENGTHS if record.key in ROUGH else None,
    )
