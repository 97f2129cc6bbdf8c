"""Dom's desiderata P1 to P5, tried on any external measure over a grid of his family."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet._progress import ticking
from clustervet.errors import ParameterError
from clustervet.lab.desiderata_result import PAPER_OBJECTS, Desiderata, Failure, Step, Verdict
from clustervet.lab.desiderata_trial import Case, Trial, cases_of, chosen_measures, run_trial
from clustervet.lab.family import Grid, Point, check_objects
from clustervet.registry import check_options


@dataclass(frozen=True)
class Rule:
    """A desideratum: how a measure must change as one parameter grows and all others stay."""

    key: str
    varied: str
    sign: int
    holds_for: Callable[[Point], bool]


# Table 4 of Dom 2001. Equality, which P4 and P5 allow with one useful or no noise cluster, needs
# no case of its own: there the error has no other value than 0, and no sequence arises.
RULES = (
    Rule("P1", "useful", 1, lambda point: point.useful <= point.classes),
    Rule("P2", "useful", -1, lambda point: point.useful >= point.classes),
    Rule("P3", "noise", -1, lambda point: True),
    Rule("P4", "error_useful", -1, lambda point: True),
    Rule("P5", "error_noise", -1, lambda point: True),
)


class _Sequence(NamedTuple):
    """Places of cases that differ in one parameter, which grows."""

    held: dict[str, Any]
    places: NDArray[np.int64]


def desiderata(
    measures: Any = None,
    grid: Grid | Mapping[str, Any] | None = None,
    *,
    n: float = PAPER_OBJECTS,
    tolerance: float = 1e-12,
) -> Desiderata:
    """Which measures do what Dom 2001, §6.2, asks of one, over a grid of his family.

    `measures` are keys, records, or functions of a table (of which higher is taken as better
    unless decorated); None is what the paper compares, "all" every external measure that has a
    direction. `grid` is a `Grid` or its fields; the paper's 760 combinations by default. A
    sequence is a set of members that differ in one parameter; it fails a rule once, however
    many of its steps break it. A change of at most `tolerance` times the larger value is no
    change, which the paper counts as a failure. A measure that raises, has no value, or
    depends on the order of labels is reported under `faults` and does not stop the run.

    >>> found = desiderata(["jaccard", "dom_q2"])
    >>> len(found.failures["P3"]["jaccard"]), found.tried["P3"]
    (80, 120)
    >>> found.failures["P3"]["dom_q2"]
    ()
    """
    records = chosen_measures(measures)
    over = _as_grid(grid)
    n = check_objects(n)
    if not 0 <= tolerance < 1:
        raise ParameterError(f"tolerance is a share of the value from 0 to 1, not {tolerance!r}.")
    cases = cases_of(over, n)
    with ticking(len(records) * len(cases), "desiderata") as tick:
        trials = [run_trial(record, cases, tick) for record in records]
    return judged(trials, cases, over, n, tolerance)


def judged(
    trials: Sequence[Trial], cases: Sequence[Case], over: Grid, n: float, tolerance: float
) -> Desiderata:
    """The verdicts on finished values."""
    sequences = {rule: _sequences(rule, cases) for rule in RULES}
    sound = [trial for trial in trials if trial.is_sound]
    failures = {
        rule.key: {t.record.key: _failures(rule, t, found, cases, tolerance) for t in sound}
        for rule, found in sequences.items()
    }
    return Desiderata(
        over=over,
        n=n,
        tolerance=tolerance,
        records=tuple(trial.record for trial in trials),
        tried={rule.key: len(found) for rule, found in sequences.items()},
        verdicts={
            rule.key: {
                t.record.key: _verdict(rule.key, t, found, failures[rule.key][t.record.key])
                for t in sound
            }
            for rule, found in sequences.items()
        },
        failures=failures,
        faults={trial.record.key: trial.faults for trial in trials if trial.faults},
    )


def _as_grid(grid: Grid | Mapping[str, Any] | None) -> Grid:
    if grid is None:
        return Grid()
    if isinstance(grid, Grid):
        return grid
    if not isinstance(grid, Mapping):
        raise ParameterError(f"a grid is a Grid or a mapping of its fields, not {grid!r}.")
    check_options(grid, list(Grid.__dataclass_fields__), "a grid")
    return Grid(**grid)


def _sequences(rule: Rule, cases: Sequence[Case]) -> list[_Sequence]:
    """Members that differ in the rule's parameter alone; a grid walks its values upwards."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for place, case in enumerate(cases):
        if rule.holds_for(case.point):
            groups.setdefault(tuple(_held(rule, case.point).values()), []).append(place)
    return [
        _Sequence(_held(rule, cases[places[0]].point), np.array(places, np.int64))
        for places in groups.values()
        if len(places) > 1
    ]


def _held(rule: Rule, point: Point) -> dict[str, Any]:
    return {name: value for name, value in point._asdict().items() if name != rule.varied}


def _failures(
    rule: Rule,
    trial: Trial,
    sequences: Sequence[_Sequence],
    cases: Sequence[Case],
    tolerance: float,
) -> tuple[Failure, ...]:
    found = []
    for held, places in sequences:
        values = trial.values[places]
        size = np.maximum(np.abs(values[:-1]), np.abs(values[1:]))
        change = np.diff(values)
        still = np.abs(change) <= tolerance * size
        broken = np.flatnonzero((rule.sign * change <= 0) | still)  # never where values are nan
        if np.isnan(values).any() or not len(broken):
            continue
        own = (values if trial.record.better == "higher" else -values).tolist()
        at = [float(getattr(cases[place].point, rule.varied)) for place in places]
        steps = tuple(
            Step(at[k], at[k + 1], own[k], own[k + 1], bool(still[k])) for k in broken.tolist()
        )
        found.append(Failure(trial.record.key, rule.key, held, rule.varied, steps))
    return tuple(found)


def _verdict(
    rule: str, trial: Trial, sequences: Sequence[_Sequence], failures: Sequence[Failure]
) -> Verdict:
    """Counts over the sequences on which the measure has all its values."""
    whole = [s for s in sequences if not np.isnan(trial.values[s.places]).any()]
    broken = [step for failure in failures for step in failure.steps]
    return Verdict(
        measure=trial.record.key,
        desideratum=rule,
        sequences=len(whole),
        failed=len(failures),
        steps=sum(len(sequence.places) - 1 for sequence in whole),
        failed_steps=len(broken),
        tied_steps=sum(step.tie for step in broken),
    )
