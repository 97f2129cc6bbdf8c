"""Which rule reads which measure's curve, and how the curve is made ready for it."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from clustervet.errors import ParameterError
from clustervet.registry import Measure
from clustervet.registry import measures as registry
from clustervet.selection.choice import Choice, Floats, nothing
from clustervet.selection.elbow import ELBOW_STRENGTH, find_elbow, find_hartigan
from clustervet.selection.optimum import Scale, find_gap, find_optimum
from clustervet.selection.sweep import Sweep, standard_error

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
# Pairs weigh large clusters more, which makes the ratio's curve rougher than SSQ's.
RATIO_STRENGTH = 0.6
# Measures that look at the two nearest clusters or points only: their optima stand out by
# chance more often.
ROUGH = frozenset({"dunn", "generalized_dunn", "xie_beni"})
ROUGH_STRENGTHS = (0.4, 0.4)
# Sums over points, which compare only where the same points are summed.
SUMS = frozenset({"aic", "bic", "gap_statistic", "hartigan", "log_likelihood", "ssq"})
CRITERIA = frozenset({"aic", "bic"})
# Shares of noise that differ by less than this are one share.
SAME_NOISE = 1e-3
MOSTLY_NOISE = 0.5
MORE_NOISE = 0.1


def read_rules(rules: Mapping[str, str] | None, records: list[Measure]) -> dict[str, str]:
    """A rule for each measure: the one asked for, or its own."""
    found = {record.key: OWN_RULES.get(record.key, "optimum") for record in records}
    for name, rule in dict(rules or {}).items():
        key = registry[name].key
        if key not in found:
            raise ParameterError(f"rules names {name}, which is not among the measures.")
        if rule not in RULES:
            near = difflib.get_close_matches(str(rule), RULES, n=1)
            hint = f"did you mean {near[0]}?" if near else f"the rules are {', '.join(RULES)}."
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


def choose(record: Measure, rule: str, sweep: Sweep) -> Choice:
    """What a measure's curve says by a rule."""
    if record.key in SUMS and float(np.ptp(_known(sweep.noise))) > SAME_NOISE:
        why = "the values leave out different points as noise, and sums over points do not compare"
        return nothing(rule, why)
    if rule == "elbow":
        choice = _elbow(record, sweep)
    elif rule == "gap":
        start = sweep.start.outcomes[record.key].value
        beside = (float(start), standard_error(start))
        curve, errors = _curve(record, sweep), sweep.errors(record.key)
        choice = find_gap(sweep.values, curve, errors, start=beside)
    elif rule == "hartigan":
        one = _start(sweep, "ssq")
        choice = _over_clusters(
            sweep,
            _curve(record, sweep),
            lambda clusters, ssq: find_hartigan(clusters, ssq, sweep.points, start=one),
        )
    else:
        choice = _optimum(record, sweep)
    return choice if record.family == "density" else _beside_noise(choice, sweep)


def _beside_noise(choice: Choice, sweep: Sweep) -> Choice:
    """A choice that wins while leaving more points out than others do is not clear."""
    known = _known(sweep.noise)
    if not choice.clear or sweep.noise[choice.index or 0] <= known.min() + MORE_NOISE:
        return choice
    why = "the best value leaves more points out as noise than others, which the measure ignores"
    return replace(choice, clear=False, why=why)


def _known(noise: Floats) -> Floats:
    known = noise[~np.isnan(noise)]
    return known if len(known) else np.zeros(1)


def _curve(record: Measure, sweep: Sweep) -> Floats:
    """The curve where most points are clustered: the rest would win by leaving points out.

    Density-based measures see the noise, and weigh it.
    """
    curve = sweep.curve(record.key)
    most = ~(sweep.noise > MOSTLY_NOISE) | (record.family == "density")
    return np.where(most, curve, math.nan)


def _start(sweep: Sweep, key: str) -> float | None:
    outcome = sweep.start.outcomes.get(key)
    return None if outcome is None else float(outcome.value)


def _elbow(record: Measure, sweep: Sweep) -> Choice:
    curve = _curve(record, sweep)
    start = _start(sweep, record.key)
    threshold, logarithm = ELBOW_STRENGTH, True
    prices: Floats | None = None
    if record.key == "intra_inter_ratio":
        # With a share p of the pairs within clusters, the mean distance of all pairs is
        # p Intra + (1 - p) Inter: this is Intra in its units. It is a straight line without
        # structure, which the ratio itself is not.
        pairs = np.array([fit.pairs for fit in sweep.fits])
        curve = np.where(np.isinf(curve), math.nan, curve)
        curve, start = curve / (pairs * curve + 1 - pairs), 1.0
        threshold = RATIO_STRENGTH
    elif record.key == "hartigan":
        curve, start = 1 / (1 + np.exp(np.minimum(curve, 700))), 1.0  # W / (W + B)
    elif record.key == "log_likelihood":
        prices = np.array([fit.price for fit in sweep.fits])
    if record.better == "higher" and record.key != "hartigan":
        curve, logarithm = -curve, False
        start = None if start is None else -start
    elif record.bounds[0] < 0 and record.key != "hartigan":
        logarithm = False
    return _over_clusters(
        sweep,
        curve,
        lambda clusters, heights, costs=None: find_elbow(
            clusters,
            heights,
            start=start,
            logarithm=logarithm,
            prices=costs,
            threshold=threshold,
        ),
        prices,
    )


def _over_clusters(sweep: Sweep, curve: Floats, rule: Any, *more: Floats | None) -> Choice:
    """A rule applied over numbers of clusters, whatever the parameter is.

    Of the values with one number of clusters, the middle one speaks for all, with the median
    of the curve.
    """
    counts = np.array(sweep.clusters)
    distinct = [int(k) for k in np.unique(counts) if k > 0]
    groups = [np.flatnonzero(counts == k) for k in distinct]
    columns = [
        [float(np.median(column[group])) for group in groups]
        for column in (curve, *more)
        if column is not None
    ]
    choice: Choice = rule(distinct, *columns)
    if choice.index is None:
        return choice
    group = groups[choice.index]
    index = int(group[(len(group) - 1) // 2])
    skipped = int(np.isnan(curve).sum())
    return replace(choice, value=sweep.values[index], index=index, skipped=skipped)


def _optimum(record: Measure, sweep: Sweep) -> Choice:
    low = record.bounds[0]
    scale: Scale = (
        "share" if low >= 0 or (record.better == "higher" and low > -math.inf) else "range"
    )
    if record.key in CRITERIA:
        scale = "odds"
    return find_optimum(
        sweep.values,
        _curve(record, sweep),
        record.better,
        clusters=sweep.clusters,
        scale=scale,
        start=_start(sweep, record.key),
        thresholds=ROUGH_STRENGTHS if record.key in ROUGH else None,
    )
