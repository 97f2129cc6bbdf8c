"""The record of a property of measures, and the registry of those that are tested.

Law: a property is one comparison of two numbers, made from values of a measure. A property that
speaks of distances reads any measure as one: the value itself where lower is better, or what is
missing to its best value where higher is better. The best value is the declared `perfect`, or the
better end of the declared bounds where no `perfect` is declared. A measure without a direction, or
without a best value, is no distance, and such properties do not apply to it.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from clustervet.errors import ParameterError
from clustervet.lab.cases import Case, Labeling, Relation
from clustervet.labels import show_label
from clustervet.registry import Measure

Reads = Literal["values", "distances", "order"]
Seeds = tuple[Labeling, ...]
Sides = tuple[float, float]

# Two numbers are the same if they differ by no more than this share of the larger (or of 1).
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """What a measure may or may not have, who says so, and how it is tested.

    `seeds` draws labelings, `build` makes a case of them (or none, where they do not meet the
    property's premise), and `sides` gives the two numbers that are compared.
    """

    key: str
    title: str
    short: str
    claim: str
    reference: str
    tested: str
    reads: Reads
    seeds: Callable[[np.random.Generator], Iterable[Seeds]]
    build: Callable[[Seeds], Iterator[Case]]
    sides: Callable[[Case, Sequence[float], Measure], Sides]
    # Whether `build` may be given fewer points: where it checks the premise, not where `seeds` do.
    shrinks: bool = False

    def cases(self, rng: np.random.Generator) -> list[Case]:
        """Every case, the smallest first."""
        found = [case for seeds in self.seeds(rng) for case in self.build(seeds)]
        return sorted(found, key=lambda case: case.weight)

    def reading(self, record: Measure) -> tuple[float, float]:
        """Sign and origin that turn a value into what the property speaks of."""
        sign = -1.0 if record.better == "higher" else 1.0
        return (sign, origin(record)) if self.reads == "distances" else (1.0, 0.0)

    def refuses(self, record: Measure) -> str | None:
        """Why the property does not speak of this measure."""
        if self.reads == "values":
            return None
        if record.better == "neither":
            return "neither high nor low is better"
        if self.reads == "distances" and not math.isfinite(origin(record)):
            return "it has no fixed best value to measure a distance from"
        return None

    def holds(self, case: Case, sides: Sides, record: Measure) -> bool:
        """Whether the two sides stand as the property wants them."""
        left, right = sides
        if case.relation in ("better", "as good") and record.better == "lower":
            left, right = -left, -right
        return compare(left, case.relation, right)


def origin(record: Measure) -> float:
    """The value of a measure that is read as distance zero."""
    if record.perfect is not None:
        return record.perfect
    return record.bounds[0] if record.better == "lower" else record.bounds[1]


def compare(left: float, relation: Relation, right: float) -> bool:
    """Whether a relation holds within the tolerance; strict ones hold by more than it.

    >>> compare(0.1 + 0.2, "=", 0.3), compare(0.1 + 0.2, ">", 0.3)
    (True, False)
    """
    size = max(1.0, *(abs(side) for side in (left, right) if math.isfinite(side)), 0.0)
    slack = TOLERANCE * size
    if relation == "=":
        return abs(left - right) <= slack
    if relation in (">", "better"):
        return left > right + slack
    if relation == "<=":
        return left <= right + slack
    return left >= right - slack


def both(case: Case, values: Sequence[float], record: Measure) -> Sides:
    """The first value beside the second."""
    return values[0], values[1]


def known_properties() -> dict[str, Property]:
    """Every property by key, in the order in which people are shown them.

    >>> list(known_properties())[:4]
    ['relabelling', 'identity', 'symmetry', 'triangle']
    """
    from clustervet.lab import (
        property_chance,
        property_constraints,
        property_lattice,
        property_metric,
    )

    listed = [
        *property_metric.PROPERTIES,
        *property_lattice.PROPERTIES,
        *property_chance.PROPERTIES,
        *property_constraints.PROPERTIES,
    ]
    return {one.key: one for one in listed}


def choose_properties(names: str | Iterable[str] | None) -> list[Property]:
    """The named properties in the order given, or all of them."""
    known = known_properties()
    if names is None:
        return list(known.values())
    chosen = []
    for name in [names] if isinstance(names, str) else names:
        key = str(name).strip().lower().replace("-", "_").replace(" ", "_")
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}."
            raise ParameterError(f"there is no property {show_label(name)!r}; {hint}")
        chosen.append(known[key])
    if not chosen:
        raise ParameterError("name at least one property, or none at all for all of them.")
    return list(dict.fromkeys(chosen))
