"""Measures on the expected tables of Dom's family: their values and their faults."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency import Contingency
from clustervet.errors import ParameterError
from clustervet.lab.family import Grid, Point, describe, expected_table, family
from clustervet.labels import show_label
from clustervet.registry import Measure
from clustervet.registry import measures as registry

# The measures that Dom 2001, §7.2, compares. Q0 gives the same ranks as Q2.
PAPER_MEASURES = ("rand", "fowlkes_mallows", "hubert_gamma", "jaccard", "hamming", "dom_q2")
# Sums in another order differ by rounding, which is far below this share of the value.
ORDER_SLACK = 1e-9
# The family of a function that has no record.
PLAIN = "a plain function"

FaultKind = Literal["raises", "undefined", "order", "unsteady", "direction"]


@dataclass(frozen=True)
class MeasureFault:
    """A fault of a measure: the number of tables that show it, and the first of them.

    `kind` is "raises", "undefined" (nan or infinite), "order" (another order of labels gives
    another value), "unsteady" (the same table gives another value) or "direction" (its record
    does not say whether higher or lower is better). `first` has the parameters of the first
    table that shows the fault, and `what` says in words what happened there.
    """

    measure: str
    kind: FaultKind
    tables: int
    tried: int
    first: dict[str, Any] | None
    what: str

    def __str__(self) -> str:
        if self.first is None:
            return f"{self.measure} {self.what}."
        where = f"in {self.tables} of {self.tried} tables, first at {describe(self.first)}"
        return f"{self.measure} {self.what.rstrip('.')}; {where}."


class MeasureTrial(NamedTuple):
    """A measure's values, signed so that higher is better and nan where undefined; its faults."""

    record: Measure
    values: NDArray[np.float64]
    faults: tuple[MeasureFault, ...]

    @property
    def is_sound(self) -> bool:
        """Whether the values depend on the clustering alone, and have a direction."""
        return not any(fault.kind in ("order", "unsteady", "direction") for fault in self.faults)


class FamilyCase(NamedTuple):
    """A member of the family as a table, and the same table with one side in reverse order."""

    point: Point
    table: Contingency
    turned: Contingency
    side: str


def cases_of(grid: Grid, n: float) -> list[FamilyCase]:
    """Return the expected tables of a grid; classes and clusters are reversed in turn."""
    cases = []
    for place, point in enumerate(grid):
        shares = family(*point)
        side, turned = ("classes", shares[::-1]) if place % 2 else ("clusters", shares[:, ::-1])
        cases.append(FamilyCase(point, expected_table(shares, n), expected_table(turned, n), side))
    if not cases:
        raise ParameterError("the grid holds no combination that names a distribution.")
    return cases


def chosen_measures(measures: Any) -> list[Measure]:
    """Return the records of keys, records, measures or plain functions of a table.

    None stands for the measures of the paper, "all" for every external measure with a direction.
    """
    if measures is None:
        return registry.select(PAPER_MEASURES)
    if isinstance(measures, str) and measures == "all":
        return [r for r in registry.select(kind="external") if r.better != "neither"]
    single = isinstance(measures, str) or callable(measures) or not isinstance(measures, Iterable)
    chosen: dict[str, Measure] = {}
    for item in [measures] if single else measures:
        record = _record(item)
        if record.kind != "external":
            raise ParameterError(f"{record.key} reads features; the laboratory has tables only.")
        if chosen.setdefault(record.key, record).formula is not record.formula:
            raise ParameterError(f"two measures are named {record.key}.")
    if not chosen:
        raise ParameterError("name at least one measure, or none at all for the paper's.")
    return list(chosen.values())


def _record(item: Any) -> Measure:
    known = isinstance(item, str | Measure) or isinstance(getattr(item, "record", None), Measure)
    if known or not callable(item):
        return registry.select([item])[0]
    return _plain_record(item)


def _plain_record(function: Callable[..., float]) -> Measure:
    """Return a record for a function that has none; higher is taken to be better."""
    name = show_label(getattr(function, "__name__", type(function).__name__))
    return Measure(
        key=name,
        title=name,
        family=PLAIN,
        kind="external",
        better="higher",
        bounds=(-math.inf, math.inf),
        formula=function,
    )


def run_trial(
    record: Measure, cases: Sequence[FamilyCase], tick: Callable[[], None]
) -> MeasureTrial:
    """Return the values on every table; whatever the measure raises becomes a fault."""
    values = np.full(len(cases), np.nan)
    found: dict[FaultKind, list[tuple[Point, str]]] = {}
    if record.better == "neither":
        what = "has no direction: its record does not say whether higher or lower is better"
        return MeasureTrial(
            record, values, (MeasureFault(record.key, "direction", 0, 0, None, what),)
        )
    for place, case in enumerate(cases):
        value, kind, what = _value(record, case.table)
        if kind is None:
            values[place] = value
            kind, what = _turned_fault(record, case, value)
        if kind is not None:
            found.setdefault(kind, []).append((case.point, what))
        tick()
    faults = (
        MeasureFault(record.key, kind, len(shown), len(cases), shown[0][0]._asdict(), shown[0][1])
        for kind, shown in found.items()
    )
    sign = 1 if record.better == "higher" else -1
    return MeasureTrial(record, sign * values, tuple(faults))


def values_on(record: Measure, tables: Iterable[Contingency]) -> list[float]:
    """Return the measure's own values, nan where it has none."""
    return [_value(record, table)[0] for table in tables]


def _value(record: Measure, table: Contingency) -> tuple[float, FaultKind | None, str]:
    """Return a finite value, or what happened instead."""
    try:
        with np.errstate(all="ignore"):
            value, why = record.evaluate(table)
    except Exception as error:
        said = str(error).strip() or "no message"
        return math.nan, "raises", f"raises {type(error).__name__}: {show_label(said, 200)}"
    if not math.isfinite(value):
        reason = f": {show_label(why, 200)}" if why else ""
        return math.nan, "undefined", f"is {value}{reason}"
    return float(value), None, ""


def _turned_fault(record: Measure, case: FamilyCase, value: float) -> tuple[FaultKind | None, str]:
    """Return the fault that another order of classes or clusters shows, if any."""
    other, kind, what = _value(record, case.turned)
    if kind is not None:
        return kind, f"{what}, with the {case.side} in reverse order"
    if not _differ(value, other):
        return None, ""
    again, kind, what = _value(record, case.table)
    if kind is not None or _differ(value, again):
        said = what or f"{value:.6g}, then {again:.6g}"
        return "unsteady", f"gives the same table different values: {said}"
    said = f"{value:.6g}, but {other:.6g} with the {case.side} reversed"
    return "order", f"depends on the order of labels: {said}"


def _differ(one: float, other: float) -> bool:
    return abs(one - other) > ORDER_SLACK * max(abs(one), abs(other))
