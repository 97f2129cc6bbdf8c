"""The decorator that makes a measure of a formula."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from clustervet.errors import ParameterError
from clustervet.registry.catalogue import measures
from clustervet.registry.record import Better, Cost, Kind, Measure, MeasureFunction, doors


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
    door = doors.get(record.kind)
    named = list(inspect.signature(door).parameters.values())[1:] if door else []
    own = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
        for name, default in record.parameters.items()
    ]
    return inspect.Signature([*named, *own], return_annotation=float)
