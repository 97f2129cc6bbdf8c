"""The record of a measure, the decorator that makes one, and the registry of all of them.

Law: this room knows no formula. What a measure claims about itself here (bounds, symmetry,
direction, metric axioms) is tested from the record, never trusted.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal, NamedTuple, Protocol, Self

from clustervet.errors import ClustervetError, ParameterError, UndefinedError, UnknownMeasureError

# Families in the order in which people are shown them, and what each looks at; a user's own
# families come after these.
FAMILIES = {
    "pairs": "pairs of objects put together or apart",
    "matching": "classes and clusters matched to each other",
    "information": "information shared, lost and gained",
    "coding": "code length of the classes given the clusters",
    "impurity": "mixtures of classes within clusters",
    "objects": "averages over single objects",
    "compactness": "squared distances to centroids, within and between",
    "separation": "distances between clusters beside those within",
    "silhouette": "each point's own cluster beside the nearest other",
    "likelihood": "density of the points in a mixture made from the clusters",
    "density": "connected dense regions of any shape, and noise",
}

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


class Outcome(NamedTuple):
    """A measure's value, and the reason where the value is undefined (`nan`)."""

    value: float
    why: str | None = None


class Estimate(float):
    """A value known up to a sampling error: a float with its standard error.

    >>> guess = Estimate(0.5, standard_error=0.01, sample=1_000)
    >>> guess + 1
    1.5
    >>> low, high = guess.interval(0.95)
    >>> round(low, 4), round(high, 4)
    (0.4804, 0.5196)
    """

    standard_error: float
    sample: int
    degrees: float

    def __new__(
        cls, value: float, *, standard_error: float, sample: int, degrees: float = math.inf
    ) -> Self:
        """A float that remembers how it was sampled."""
        made = super().__new__(cls, value)
        made.standard_error = float(standard_error)
        made.sample = int(sample)
        made.degrees = float(degrees)
        return made

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Where the exact value lies: by Student's law with so many degrees of freedom."""
        if not 0 < confidence < 1:
            raise ParameterError(f"confidence must lie between 0 and 1, not {confidence!r}.")
        reach = self._quantile((1 + confidence) / 2) * self.standard_error
        return float(self) - reach, float(self) + reach

    def _quantile(self, share: float) -> float:
        if self.degrees > 1_000:
            return NormalDist().inv_cdf(share)
        from scipy.special import stdtrit

        return float(stdtrit(max(self.degrees, 1.0), share))

    def __repr__(self) -> str:
        return f"{float(self)!r} ± {self.standard_error:.2g}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _estimate, (float(self), self.standard_error, self.sample, self.degrees)


def _estimate(value: float, standard_error: float, sample: int, degrees: float) -> Estimate:
    return Estimate(value, standard_error=standard_error, sample=sample, degrees=degrees)


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
            known = list(inspect.signature(_doors[self.kind]).parameters)[1:]
            check_options(options, [*known, *self.parameters], self.key)
        return _doors[self.kind](self, *data, **options)

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


class Registry(Mapping[str, Measure]):
    """Every measure by key; aliases, hyphens and capitals resolve to it too."""

    def __init__(self) -> None:
        self._records: dict[str, Measure] = {}
        self._names: dict[str, str] = {}  # keys and aliases, as `_normal` writes them

    def __getitem__(self, name: str) -> Measure:
        if not isinstance(name, str):
            raise UnknownMeasureError(f"a measure is named by a string, not by {name!r}.")
        key = self._names.get(_normal(name))
        if key is not None:
            return self._records[key]
        near = difflib.get_close_matches(_normal(name), self._names, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else "see `clustervet measures`."
        raise UnknownMeasureError(f"there is no measure {name!r}; {hint}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def __repr__(self) -> str:
        return f"<{len(self)} measures: {', '.join(self)}>"

    def add(self, record: Measure) -> None:
        """Add a record; a key or alias that another formula holds is refused."""
        for name in (record.key, *record.aliases):
            held = self._names.get(_normal(name))
            if held is not None and _origin(self._records[held]) != _origin(record):
                raise ParameterError(f"the name {name!r} already belongs to {held}.")
        self._records[record.key] = record
        self._sort()
        self._names.update({_normal(x): record.key for x in (record.key, *record.aliases)})

    def remove(self, name: str) -> None:
        """Forget a measure and its aliases."""
        key = self[name].key
        del self._records[key]
        self._names = {name: held for name, held in self._names.items() if held != key}

    def select(
        self,
        names: Iterable[str | Measure | MeasureFunction] | str | None = None,
        *,
        kind: Kind | None = None,
        family: str | Iterable[str] | None = None,
    ) -> list[Measure]:
        """The named measures in the order given, or all of a kind or family."""
        chosen = list(self.values())
        if names is not None:
            listed = [names] if _is_one(names) or not isinstance(names, Iterable) else list(names)
            chosen = list({r.key: r for r in (self._resolve(name) for name in listed)}.values())
        if family is not None and not isinstance(family, Iterable):
            raise UnknownMeasureError(f"a family is named by a string, not by {family!r}.")
        families = None if family is None else {family} if isinstance(family, str) else set(family)
        if families is not None:
            known = {record.family for record in self.values()}
            for name in sorted(families - known):
                raise UnknownMeasureError(
                    f"there is no family {name!r}; the families are {', '.join(sorted(known))}."
                )
        return [
            record
            for record in chosen
            if (kind is None or names is not None or record.kind == kind)
            and (families is None or record.family in families)
        ]

    def _sort(self) -> None:
        """Keep records by family, in the order of FAMILIES, and by arrival within one."""
        order = {family: k for k, family in enumerate(FAMILIES)}
        ranked = sorted(self._records.values(), key=lambda r: order.get(r.family, len(order)))
        self._records = {record.key: record for record in ranked}

    def _resolve(self, name: object) -> Measure:
        if isinstance(name, Measure):
            return name
        if isinstance(name, str):
            return self[name]
        record = getattr(name, "record", None)
        if isinstance(record, Measure):
            return record
        raise UnknownMeasureError(f"{name!r} is neither a measure nor the name of one.")


def _is_one(names: object) -> bool:
    return isinstance(names, str | Measure) or isinstance(getattr(names, "record", None), Measure)


def _normal(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def _origin(record: Measure) -> tuple[str, str]:
    return record.formula.__module__, record.formula.__qualname__


measures = Registry()


def _recall(key: str) -> Measure:
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
_doors: dict[Kind, Callable[..., Any]] = {}


def register_door(kind: Kind, door: Callable[..., Any]) -> None:
    """Say how arguments of a measure of this kind become the formula's subject."""
    _doors[kind] = door


def measure(
    *,
    title: str,
    family: str,
    better: Better,
    bounds: tuple[float, float],
    symbol: str = "",
    kind: Kind = "external",
    unit: str = "",
    symmetric: bool = False,
    metric: bool = False,
    adjusted: bool = False,
    perfect: float | None = None,
    reference: str = "",
    aliases: Iterable[str] = (),
    meaning: str = "",
    equation: str = "",
    use: str = "",
    avoid: str = "",
    key: str | None = None,
    cost: Cost | None = None,
) -> Callable[[Callable[..., float]], MeasureFunction]:
    """Turn a formula of one table into a public measure and put it into the registry.

    >>> import clustervet as cv
    >>> @cv.measure(title="Share of singleton clusters", family="mine", better="lower",
    ...             bounds=(0, 1))
    ... def singleton_share(table):
    ...     return float((table.cluster_sizes == 1).mean())
    >>> singleton_share(["a", "a", "b"], [0, 0, 1])
    0.5
    >>> cv.external_scores(["a", "a", "b"], [0, 0, 1], measures=["singleton_share", "rand"])["rand"]
    1.0
    >>> cv.measures.remove("singleton_share")
    """
    if better not in ("higher", "lower", "neither"):
        raise ParameterError(f"better must be 'higher', 'lower' or 'neither', not {better!r}.")

    def decorate(formula: Callable[..., float]) -> MeasureFunction:
        record = Measure(
            key=key or formula.__name__,
            title=title,
            symbol=symbol,
            family=family,
            kind=kind,
            better=better,
            bounds=(float(bounds[0]), float(bounds[1])),
            unit=unit,
            symmetric=symmetric,
            metric=metric,
            adjusted=adjusted,
            perfect=perfect,
            reference=reference,
            aliases=tuple(aliases),
            meaning=meaning or (inspect.getdoc(formula) or title).partition("\n")[0],
            equation=equation,
            use=use,
            avoid=avoid,
            formula=formula,
            cost=cost or ("cells" if kind == "external" else "points"),
        )
        measures.add(record)

        @functools.wraps(formula)
        def public(*data: Any, **options: Any) -> float:
            return record(*data, **options)

        public.record = record  # type: ignore[attr-defined]  # a function with its record
        public.__signature__ = _public_signature(record)  # type: ignore[attr-defined]  # for help()
        return public  # type: ignore[return-value]  # the Protocol's attribute is set above

    return decorate


def _public_signature(record: Measure) -> inspect.Signature:
    """What help() shows: the door's arguments, then the formula's own parameters."""
    door = _doors.get(record.kind)
    named = list(inspect.signature(door).parameters.values())[1:] if door else []
    own = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
        for name, default in record.parameters.items()
    ]
    return inspect.Signature([*named, *own], return_annotation=float)
