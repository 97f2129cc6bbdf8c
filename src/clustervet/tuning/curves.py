"""The curves of a tuning: measures of the clustering at every value, and the rule for each.

Samples of the points say whether choices, curves and clusters stay the same without the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, partial
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import suggestion
from clustervet.contingency import Contingency
from clustervet.ensemble.cluster_stability import Stability, StabilityCount, clusters_of
from clustervet.errors import LabelError, ParameterError
from clustervet.fitting.algorithms import Algorithm
from clustervet.fitting.fits import Fit, FitTask, fit_row, run_fits
from clustervet.geometry import Geometry
from clustervet.geometry.metrics import GOWER
from clustervet.registry import Estimate, Measure, Outcome
from clustervet.registry import measures as registry
from clustervet.tuning import rules
from clustervet.tuning.refits import GAP, cross_validated, gap_beside_its_own, needs_refits
from clustervet.tuning.resampled import RESAMPLED, Cluster, resampled
from clustervet.tuning.rules import Choice, Floats, Places, nothing
from clustervet.view.data import record as plain_record

Asked = tuple[tuple[Measure, dict[str, Any]], ...]
NOISE = -1
# Measures that have a value at one cluster, which the other values are compared with.
STARTS = frozenset(
    {
        "aic",
        "bic",
        "gap_statistic",
        "intra_distance",
        "log_likelihood",
        "median_distance",
        "medoid_distance",
        "ssq",
        "validated_likelihood",
    }
)
RULES = ("elbow", "optimum", "gap", "hartigan", "cutoff")
# Measures that get better with every further cluster, and the one with a rule of its own; the
# others have an optimum.
OWN_RULES = {
    "ssq": "elbow",
    "medoid_distance": "elbow",
    "median_distance": "elbow",
    "intra_distance": "elbow",
    "intra_inter_ratio": "elbow",
    "log_likelihood": "elbow",
    "hartigan": "elbow",
    "gap_statistic": "gap",
    "prediction_strength": "cutoff",
}
# Pairs give large clusters more weight, which makes their curves rougher than SSQ's.
OF_PAIRS = frozenset({"intra_distance", "intra_inter_ratio"})
RATIO_STRENGTH = 0.6
# Measures that get worse with further clusters: their optimum is the smallest number of clusters,
# whatever the points are.
FALLING = frozenset(
    {"average_linkage", "complete_linkage", "inter_distance", "single_linkage", "ward_linkage"}
)
# Measures that look at the two nearest clusters or points only: their optima stand out by
# chance more often.
ROUGH = frozenset({"dunn", "generalized_dunn", "xie_beni"})
ROUGH_STRENGTHS = (0.4, 0.4)
# Sums over points, which can be compared only where the same points are summed.
SUMS = frozenset(
    {
        "aic",
        "bic",
        "gap_statistic",
        "hartigan",
        "log_likelihood",
        "median_distance",
        "medoid_distance",
        "ssq",
    }
)
CRITERIA = frozenset({"aic", "bic"})
# Shares of noise that differ by less than this are one share.
SAME_NOISE = 1e-3
MOSTLY_NOISE = 0.5
MORE_NOISE = 0.1
# Each sample holds four fifths of the points (Ben-Hur, Elisseeff & Guyon 2002). Points drawn
# with replacement would be copies, which clusterers and silhouettes take for dense places.
SHARE = 0.8
Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredFit:
    """One clustering and its measures; `why` says why there is none, `warning` what was warned of.

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
    warning: str | None = None


@dataclass(frozen=True)
class CurvePlan:
    """What is fitted and measured, the same at every value."""

    algorithm: Algorithm
    asked: Asked
    rules: dict[str, str]
    metric: Any
    noise: Any
    seed: int | None

    def measured(self, points: Any, fit: Fit) -> MeasuredFit:
        """Return the measures of one fit."""
        if fit.labels is not None:
            again = partial(self._again, fit)
            found = self._measured(points, fit.labels, self.asked, again, fit.key)
            return replace(found, warning=fit.warning)
        why = self.algorithm.refusal(fit.key, str(fit.error).rstrip("."))
        nowhere = {record.key: Outcome(math.nan, why) for record, _ in self.asked}
        return MeasuredFit(None, 0, math.nan, nowhere, why=why)

    def start(self, points: Any) -> MeasuredFit:
        """Return all points in one cluster, by the measures that have a value there."""
        asked = tuple(item for item in self.asked if item[0].key in STARTS)
        return self._measured(points, np.zeros(points.shape[0], np.int32), asked)

    def choices(self, curves: Curves) -> dict[str, Choice]:
        """Return what each measure chooses by its rule."""
        return {r.key: choose(r, self.rules[r.key], curves) for r, _ in self.asked}

    def _measured(
        self,
        points: Any,
        labels: NDArray[Any],
        asked: Asked,
        again: Cluster | None = None,
        value: Any = None,
    ) -> MeasuredFit:
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
            if again is not None and self.refits(record, options) and not isinstance(view, str):
                outcomes[record.key] = self._refitted(points, view, again, value, record, options)
                continue
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

    def refits(self, record: Measure, options: Mapping[str, Any]) -> bool:
        """Return whether a measure has the clusterer fitted again; for folds it takes features."""
        distances = getattr(self.metric, "name", "") in (GOWER, "precomputed")
        return needs_refits(record, options) and (record.key in RESAMPLED or not distances)

    def _refitted(
        self,
        points: Any,
        seen: Geometry,
        again: Cluster,
        value: Any,
        record: Measure,
        options: Mapping[str, Any],
    ) -> Outcome:
        """Return a measure for which samples of the points, or references, are clustered."""
        clusterer = self.algorithm.at(value)
        if record.key == GAP:  # by k-means where there are labels alone
            return (
                record.evaluate(seen, **options)
                if clusterer.fixed
                else gap_beside_its_own(seen, again, record, options)
            )
        if clusterer.fixed:
            return Outcome(math.nan, clusterer.fixed)
        if record.key in RESAMPLED:
            return resampled(points, again, clusterer, self.metric, record, options)
        view = partial(self._geometry, noise=self.noise)
        return cross_validated(points, again, view, record, options)

    def _again(self, fit: Fit, points: Any) -> NDArray[Any] | str:
        """Return the labels of other points by the same clusterer, or why there are none."""
        made = [(self.algorithm.made(fit.key, fit.seed), fit.key, fit.seed)]
        (found,) = fit_row(points, made)
        return str(found.error).rstrip(".") if found.labels is None else np.asarray(found.labels)

    def _geometry(self, points: Any, labels: NDArray[Any], noise: Any) -> Geometry | str:
        """Return the clustering as measures see it, or why there is nothing to see."""
        try:
            return Geometry(points, labels, self.metric, noise=noise)
        except LabelError as error:
            return str(error).rstrip(".")


@dataclass(frozen=True, eq=False)
class Curves:
    """Measured fits at every value, and all points in a single cluster (`start`).

    `ends` are the places of settings at the end of a range, where settings have no order and those
    with as many clusters are one answer.
    """

    values: list[Any]
    fits: list[MeasuredFit]
    start: MeasuredFit
    points: int
    ends: list[int] | None = None

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
    samples: Sequence[Places | None],
    values: list[Any],
    n_jobs: int | None,
    tick: Callable[[], None],
) -> Iterator[Curves]:
    """Yield the curves of each sample of the points (None is all of them), in order."""
    square = getattr(plan.metric, "name", "") == "precomputed"

    def drawn(rows: Places | None) -> Any:
        if rows is None:
            return X
        return X[np.ix_(rows, rows)] if square else X[rows]

    tasks = (
        (FitTask(value, plan.algorithm, value, plan.seed), drawn(rows))
        for rows in samples
        for value in values
    )
    fits = run_fits(tasks, n_jobs, then=plan.measured, ordered=True)
    with closing(fits):
        for rows in samples:
            measured = []
            for _ in values:
                measured.append(next(fits))
                tick()
            points = drawn(rows)
            ends = plan.algorithm.ends(values)
            yield Curves(values, measured, plan.start(points), points.shape[0], ends)


def read_rules(asked: Mapping[str, str] | None, records: list[Measure]) -> dict[str, str]:
    """Return a rule for each measure: the one asked for, or its own."""
    found = {record.key: OWN_RULES.get(record.key, "optimum") for record in records}
    for name, rule in dict(asked or {}).items():
        key = name if name in RESAMPLED else registry[name].key
        if key not in found:
            raise ParameterError(f"rules names {name}, which is not among the measures.")
        if rule not in RULES:
            hint = suggestion(str(rule), RULES, f"the rules are {', '.join(RULES)}.")
            raise ParameterError(f"there is no rule {rule!r}; {hint}")
        readers = {"gap": "gap_statistic", "hartigan": "ssq", "cutoff": "prediction_strength"}
        wanted = readers.get(rule, key)
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
    why = _incomparable(record, rule, curves)
    if why is not None:
        return nothing(rule, why)
    curve = _clustered(record, curves)
    if rule == "elbow":
        choice = _elbow(record, curve, curves)
    elif rule == "gap":
        first = curves.start.outcomes[record.key].value
        errors = np.array([_error(fit.outcomes[record.key].value) for fit in curves.fits])
        # One cluster may be among the values already.
        start = None if 1 in curves.clusters else (float(first), _error(first))
        choice = rules.find_gap(curves.values, curve, errors, start=start)
    elif rule == "hartigan":
        one = curves.at_one("ssq")
        hartigan = partial(rules.find_hartigan, points=curves.points, start=one)
        choice = _over_clusters(hartigan, curves, curve)
    elif rule == "cutoff":
        choice = rules.find_cutoff(curves.values, curve)
    else:
        choice = _optimum(record, curve, curves)
    return choice if record.family == "density" else _beside_noise(choice, curves)


def statistic(record: Measure, rule: str, curves: Curves) -> float:
    """Return the most extreme that a curve shows over all values; larger is more structure.

    That is the strength of the elbow, or the best value of the measure; for a measure that has a
    value at one cluster, what the best value gains over it.
    """
    if rule in ("elbow", "hartigan"):
        return choose(record, "elbow", curves).strength
    if _incomparable(record, rule, curves) is not None:
        return math.nan
    goods = _clustered(record, curves) * (-1.0 if record.better == "lower" else 1.0)
    start = curves.at_one(record.key) or 0.0
    best = float(np.max(goods[~np.isnan(goods)], initial=-math.inf))
    return best - (-start if record.better == "lower" else start)


def _incomparable(record: Measure, rule: str, curves: Curves) -> str | None:
    """Return why the values of a curve cannot be compared, where they cannot."""
    if record.key in SUMS and float(np.ptp(curves.known_noise)) > SAME_NOISE:
        return "the values leave out different points as noise, and sums over points do not compare"
    if record.key in FALLING and rule == "optimum":
        return "it falls with further clusters; compare it at one number of clusters"
    return None


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
    threshold = RATIO_STRENGTH if record.key in OF_PAIRS else rules.ELBOW_STRENGTH
    logarithm = True
    prices: Floats | None = None
    if record.key == "intra_inter_ratio":
        # With a share p of the pairs within clusters, the mean distance of all pairs is
        # p Intra + (1 - p) Inter: this is Intra in its units. It is a straight line without
        # structure, which the ratio itself is not.
        pairs = np.array([fit.pairs for fit in curves.fits])
        curve = np.where(np.isinf(curve), math.nan, curve)
        curve, start = curve / (pairs * curve + 1 - pairs), 1.0
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
        ends=curves.ends,
    )


@dataclass(frozen=True, eq=False)
class TuningStability:
    """What samples of the points say about a tuning.

    Parameters
    ----------
    samples : int
        The number of samples.
    size : int
        The number of points in each of them.
    shares : dict
        By measure, how often it chose each value, clearly or not.
    clear : dict
        By measure, how often it chose clearly.
    low, high : dict
        By measure, 95% intervals of its curve.
    labels : ndarray
        At each value, the mean adjusted Rand index of the clusterings of two samples on the
        points that they share.
    clusters : list
        At each value, how well each of its clusters comes back in the samples, as a `Stability`;
        None where there is no clustering.
    """

    samples: int
    size: int
    shares: dict[str, Floats]
    clear: dict[str, float]
    low: dict[str, Floats]
    high: dict[str, Floats]
    labels: Floats
    clusters: list[Stability | None]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data.

        Returns
        -------
        dict
            The fields, with lists for arrays and None for what is undefined.
        """
        return plain_record(self)


def _drawn_samples(points: int, samples: int, seed: int | None) -> list[Places]:
    """Return the positions of the points in each sample, rising."""
    size = max(2, round(SHARE * points))
    streams = np.random.SeedSequence(seed).spawn(samples)
    return [
        np.sort(np.random.default_rng(stream).choice(points, size, replace=False))
        for stream in streams
    ]


def stability_of(
    plan: CurvePlan,
    X: Any,  # noqa: N803  # the name that everyone gives to features
    every: Curves,
    samples: int,
    seed: int | None,
    n_jobs: int | None,
    tick: Callable[[], None],
) -> TuningStability:
    """Return what the curves of samples say beside those of all points."""
    rows = _drawn_samples(every.points, samples, seed)
    keys = list(every.fits[0].outcomes)
    curves: dict[str, list[Floats]] = {key: [] for key in keys}
    votes = {key: np.zeros(len(every.values)) for key in keys}
    clear = dict.fromkeys(keys, 0)
    agreement: list[Floats] = []
    counts = [None if fit.labels is None else _count(fit.labels) for fit in every.fits]
    first: Curves | None = None
    last: Curves | None = None
    for b, sample in enumerate(fit_curves(plan, X, rows, every.values, n_jobs, tick)):
        for key, choice in plan.choices(sample).items():
            curves[key].append(sample.curve(key))
            clear[key] += choice.clear
            if choice.index is not None:
                votes[key][choice.index] += 1
        for count, fit in zip(counts, sample.fits, strict=True):
            if count is not None and fit.labels is not None:
                count.add(clusters_of(fit.labels), rows[b])
        if last is not None:
            agreement.append(_agreement(last, sample, rows[b - 1], rows[b]))
        first, last = first or sample, sample
    if samples > 2 and first is not None and last is not None:
        agreement.append(_agreement(last, first, rows[-1], rows[0]))
    bands = {
        key: _band(every.curve(key), np.array(curves[key]), every.points, len(rows[0]))
        for key in keys
    }
    return TuningStability(
        samples,
        len(rows[0]),
        {key: count / samples for key, count in votes.items()},
        {key: count / samples for key, count in clear.items()},
        {key: band[0] for key, band in bands.items()},
        {key: band[1] for key, band in bands.items()},
        _mean(np.array(agreement)),
        [None if c is None else c.result(f"{samples} samples of {len(rows[0]):,}") for c in counts],
    )


def _count(labels: NDArray[Any]) -> StabilityCount | None:
    """Return what compares clusters with those of samples; None where all points are noise."""
    return StabilityCount(labels) if (labels != NOISE).any() else None


def _agreement(one: Curves, other: Curves, rows: Places, others: Places) -> Floats:
    """Return the adjusted Rand index of two samples at each value; noise is one more cluster."""
    _, here, there = np.intersect1d(rows, others, assume_unique=True, return_indices=True)
    found = np.full(len(one.values), math.nan)
    if len(here) < 2:
        return found
    for k, (a, b) in enumerate(zip(one.fits, other.fits, strict=True)):
        if a.labels is not None and b.labels is not None:
            table = Contingency.from_labels(a.labels[here], b.labels[there])
            found[k] = registry["adjusted_rand"].evaluate(table).value
    return found


def _band(curve: Floats, drawn: Floats, points: int, size: int) -> tuple[Floats, Floats]:
    """Return an interval around a curve from its values on samples of fewer points.

    Means of m out of n points vary by (1 - m/n) / m, those of n points by 1 / n: deviations
    are stretched by sqrt(m / (n - m)) (Politis, Romano & Wolf 1999, §2.2). A measure
    that grows with the number of points, such as SSQ, is first brought to the scale of all points.
    """
    drawn = np.where(np.isfinite(drawn), drawn, math.nan)
    center = _mean(drawn)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = curve / center
    factor = np.clip(np.where(ratio > 0, ratio, 1.0), size / points, points / size)
    spread = np.sqrt(_mean((drawn - center) ** 2) * len(drawn) / (len(drawn) - 1))
    reach = Z * spread * factor * math.sqrt(size / max(1, points - size))
    return curve - reach, curve + reach


def _mean(rows: Floats) -> Floats:
    """Return the means of the columns over what is defined; nan where nothing is."""
    count = (~np.isnan(rows)).sum(axis=0)
    total = np.nansum(rows, axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), math.nan)
