"""Measures put to expected tables: their values, and what is wrong with a measure itself."""

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

# The measures that Dom 2001, §7.2, compares; Q0 ranks as Q2 does.
PAPER_MEASURES = ("rand", "fowlkes_mallows", "hubert_gamma", "jaccard", "hamming", "dom_q2")
# Sums in another order differ by rounding alone, far below this share of the value.
ORDER_SLACK = 1e-9

FaultKind = Literal["raises", "undefined", "order", "unsteady", "direction"]


@dataclass(frozen=True)
class Fault:
    """What is wrong with a measure: in how many of the tables tried, and how it first showed.

    `kind` is "raises", "undefined" (nan or infinite), "order" (another order of labels gives
    another value), "unsteady" (the same table gives another value) or "direction" (its record
    does not say whether higher or lower is better).
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

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


class Trial(NamedTuple):
    """A measure's values, higher is better, nan where it has none; and its faults."""

    record: Measure
    values: NDArray[np.float64]
    faults: tuple[Fault, ...]

    @property
    def is_sound(self) -> bool:
        """Whether values say something of the clustering, rather than of its labels."""
        return not any(fault.kind in ("order", "unsteady", "direction") for fault in self.faults)


class Case(NamedTuple):
    """A member of the family as a table, and the same with one side of it in reverse order."""

    point: Point
    table: Contingency
    turned: Contingency
    side: str


def cases_of(grid: Grid, n: float) -> list[Case]:
    """The expected tables of a grid; classes and clusters are reversed in turn."""
    cases = []
    for place, point in enumerate(grid):
        shares = family(*point)
        side, turned = ("classes", shares[::-1]) if place % 2 else ("clusters", shares[:, ::-1])
        cases.append(Case(point, expected_table(shares, n), expected_table(turned, n), side))
    if not cases:
        raise ParameterError("the grid holds no combination that names a distribution.")
    return cases


def chosen_measures(measures: Any) -> list[Measure]:
    """Records of what was asked for: keys, records, measures, or plain functions of a table.

    None is what the paper compares, "all" every external measure that has a direction.
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
    """A record for a function that has none: all that is supposed is that higher is better."""
    name = show_label(getattr(function, "__name__", type(function).__name__))
    return Measure(
        key=name,
        title=name,
        symbol="",
        family=PLAIN,
        kind="external",
        better="higher",
        bounds=(-math.inf, math.inf),
        unit="",
        symmetric=False,
        metric=False,
        adjusted=False,
        perfect=None,
        reference="",
        aliases=(),
        meaning="",
        equation="",
        use="",
        avoid="",
        formula=function,
    )


PLAIN = "a plain function"


def run_trial(record: Measure, cases: Sequence[Case], tick: Callable[[], None]) -> Trial:
    """The measure on every table and its turned form; nothing it does stops the run."""
    values = np.full(len(cases), np.nan)
    found: dict[FaultKind, list[tuple[Point, str]]] = {}
    if record.better == "neither":
        what = "has no direction: its record does not say whether higher or lower is better"
        return Trial(record, values, (Fault(record.key, "direction", 0, 0, None, what),))
    for place, case in enumerate(cases):
        value, kind, what = _value(record, case.table)
        if kind is None:
            values[place] = value
            kind, what = _turned_fault(record, case, value)
        if kind is not None:
            found.setdefault(kind, []).append((case.point, what))
        tick()
    faults = (
        Fault(record.key, kind, len(shown), len(cases), shown[0][0]._asdict(), shown[0][1])
        for kind, shown in found.items()
    )
    sign = 1 if record.better == "higher" else -1
    return Trial(record, sign * values, tuple(faults))


def values_on(record: Measure, tables: Iterable[Contingency]) -> list[float]:
    """The measure's own values, nan where it has none."""
    return [_value(record, table)[0] for table in tables]


def _value(record: Measure, table: Contingency) -> tuple[float, FaultKind | None, str]:
    """A finite value, or what happened instead."""
    try:
        with np.errstate(all="ignore"):
            value, why = record.evaluate(table)
    except Exception as error:
        said = str(error).strip() or "without a word"
        return math.nan, "raises", f"raises {type(error).__name__}: {show_label(said, 200)}"
    if not math.isfinite(value):
        reason = f": {show_label(why, 200)}" if why else ""
        return math.nan, "undefined", f"is {value}{reason}"
    return float(value), None, ""


def _turned_fault(record: Measure, case: Case, value: float) -> tuple[FaultKind | None, str]:
    """What another order of classes or clusters shows about the measure, if anything."""
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
