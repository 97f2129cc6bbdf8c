"""The record of one measure, and how arguments of users become what its formula reads."""

from __future__ import annotations

import difflib
import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from clustervet.errors import ClustervetError, ParameterError, UndefinedError
from clustervet.registry.estimate import Estimate, Outcome

Better = Literal["higher", "lower", "neither"]
# What a measure's time grows with: cells of a table, points, pairs of points, or refits.
Cost = Literal["cells", "points", "pairs", "refits"]
Kind = Literal["external", "internal"]


Fault = type[ClustervetError] | None


class MeasureFunction(Protocol):
    """What the user calls: labels (or one finished table) in, a float out."""

    record: Measure

    def __call__(self, *data: Any, **options: Any) -> float:
        """Score labels, or one finished table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """All that is known about one measure; the formula reads a table (or a geometry)."""

    key: str
    title: str
    symbol: str
    family: str
    kind: Kind
    better: Better
    bounds: tuple[float, float]
    unit: str
    symmetric: bool
    metric: bool
    adjusted: bool
    perfect: float | None
    reference: str
    aliases: tuple[str, ...]
    meaning: str
    equation: str
    use: str
    avoid: str
    formula: Callable[..., float]
    cost: Cost = "cells"

    def __call__(self, *data: Any, **options: Any) -> float:
        """Score labels, or one finished table."""
        own = self.parameters if options else {}
        parameters = {name: options.pop(name) for name in own if name in options}
        outcome, fault = self._apply(self.subject(*data, **options), parameters)
        if fault is not None:
            raise fault(f"{self.key} has no value here: {outcome.why}.")
        return outcome.value

    def subject(self, *data: Any, **options: Any) -> Any:
        """What the formula reads, from what the user gave: labels, or a finished table."""
        if options:
            known = list(inspect.signature(doors[self.kind]).parameters)[1:]
            check_options(options, [*known, *self.parameters], self.key)
        return doors[self.kind](self, *data, **options)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by key: whoever loads it has the measure in the registry."""
        return _recall, (self.key,)

    @property
    def parameters(self) -> dict[str, Any]:
        """The formula's own parameters with their defaults."""
        signature = inspect.signature(self.formula)
        return {
            name: parameter.default
            for name, parameter in list(signature.parameters.items())[1:]
            if parameter.default is not inspect.Parameter.empty
        }

    def evaluate(self, subject: Any, **parameters: Any) -> Outcome:
        """Apply the formula to a finished table or geometry, with the limit policy.

        Identical partitions are perfect whatever the formula's denominators do there; an
        undefined value is `nan` and carries its reason.
        """
        return self._apply(subject, parameters)[0]

    def _apply(self, subject: Any, parameters: Mapping[str, Any]) -> tuple[Outcome, Fault]:
        """The outcome, and what is wrong with the input if it could not have had a value."""
        unknown = [name for name in parameters if name not in self.parameters]
        if unknown:
            raise ParameterError(
                f"{self.key} has no parameter {unknown[0]!r}; it takes "
                f"{', '.join(self.parameters) or 'none'}."
            )
        perfect = self.perfect if getattr(subject, "identical", False) else None
        if perfect is not None and not parameters:
            return Outcome(perfect), None
        try:
            value = self.formula(subject, **parameters)  # checks its parameters too
            value = value if isinstance(value, Estimate) else float(value)
            if perfect is not None:
                return Outcome(perfect), None
        except UndefinedError as undefined:
            if perfect is not None:
                return Outcome(perfect), None
            return Outcome(math.nan, str(undefined)), undefined.fault
        except OverflowError:
            return Outcome(math.inf, "the value is larger than any float"), None
        except Exception as error:
            error.add_note(f"This happened in the measure {self.key}.")
            raise
        why = "the formula gives no number here" if math.isnan(value) else None
        return Outcome(value, why), None


def _recall(key: str) -> Measure:
    from clustervet.registry.catalogue import measures

    return measures[key]


def check_options(options: Mapping[str, Any], known: Iterable[str], who: str) -> None:
    """Refuse an option that nothing knows, and suggest the nearest that something does."""
    for name in options:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"it knows {', '.join(known)}."
            raise ParameterError(f"{who} knows no option {name!r}; {hint}")


# A door turns what the user gave into what formulas of that kind read. The rooms that own
# tables and geometries register theirs, since this room may not import them.
doors: dict[Kind, Callable[..., Any]] = {}


def register_door(kind: Kind, door: Callable[..., Any]) -> None:
    """Say how arguments of a measure of this kind become the formula's subject."""
    doors[kind] = door
