"""The decorator that makes a measure of a formula, and the docstring that the measure gets."""

from __future__ import annotations

import functools
import inspect
import math
import re
from collections.abc import Callable, Iterable
from typing import Any

from clustervet.errors import ParameterError
from clustervet.registry.catalogue import measures
from clustervet.registry.record import Arrays, Better, Cost, Kind, Measure, MeasureFunction, doors

# A parameter in a numpydoc section: its name, then its type and description.
PARAMETER = re.compile(r"^(\w+) : (.+(?:\n+ .*)*)", re.M)
# The parameters that measures share, as their docstrings describe them.
SHARED = dict(
    PARAMETER.findall("""
truth : array_like or Contingency
    Class of each object; or one finished table instead of labels.
pred : array_like, optional
    Cluster of each object, in the order of `truth`.
weights : array_like, optional
    One number per object, not negative. By default every object counts once.
X : array_like, sparse matrix, dataframe, Geometry or Moments
    Features, one row per point; with ``metric='precomputed'`` a square matrix of distances.
    Or one finished geometry instead of features and labels.
labels : array_like, optional
    Cluster of each point, in the order of the rows of `X`.
metric : str or callable, optional
    Metric of scikit-learn, 'gower' for columns of any kind, 'precomputed', or a function of two
    points; 'euclidean' by default.
noise : label, str or dict, optional
    Label that means noise, a policy for the label -1, or a policy per label.
noise_policy : {'keep', 'drop', 'singletons'}, optional
    Keep noise as a cluster (the default), drop its objects, or make each of them a cluster.
missing : {'raise', 'drop', 'class'}, default 'raise'
    Refuse missing labels (None, NaN, NA), drop their objects, or make them a class.""")
)
RAISES = "ClustervetError\n    If the input cannot be read, or a parameter is out of range."


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
    sized: bool = False,
    arrays: Arrays = "",
    partial: bool = False,
    weighted: bool = False,
    no_interval: str = "",
) -> Callable[[Callable[..., float]], MeasureFunction]:
    """Turn a formula into a public measure and add it to the registry.

    The formula reads a finished `Contingency` (or `Geometry`) and returns a float. The measure
    takes labels (or features and labels) as well. Everything that works for the built-in
    measures, such as score cards, intervals, the lab and the command line, works for it too.

    Parameters
    ----------
    title : str
        Name for headings and tables.
    family : str
        Group in which the measure is listed, for example "pairs".
    better : {'higher', 'lower', 'neither'}
        Which values are good.
    bounds : tuple of float
        Smallest and largest possible value; infinite where there is no bound.
    symbol : str, optional
        Symbol of the measure in formulas.
    kind : str, default 'external'
        What the formula reads: 'external' a table of classes and clusters, 'internal' features
        and clusters, 'soft', 'overlapping' or 'hierarchical' two such clusterings, and
        'soft_internal' memberships and perhaps features.
    unit : str, optional
        Unit of the value, for example "bits".
    symmetric : bool, default False
        Whether truth and prediction may be exchanged.
    metric : bool, default False
        Whether the value is a metric on clusterings.
    adjusted : bool, default False
        Whether the value is corrected for chance.
    perfect : float, optional
        Value of identical clusterings, whatever the formula gives for them.
    reference : str, optional
        Works that define the measure, separated by semicolons.
    aliases : iterable of str, optional
        Other names that find the measure in the registry.
    meaning : str, optional
        What the value says; by default the first line of the formula's docstring.
    equation : str, optional
        Formula as text.
    use : str, optional
        When to use the measure.
    avoid : str, optional
        When to avoid it.
    key : str, optional
        Name in the registry; by default the name of the formula.
    cost : {'cells', 'points', 'pairs', 'refits'}, optional
        What the time grows with; by default the cells of a table, or the points.
    sized : bool, default False
        Whether the value depends on the number of objects, beside their shares in the cells of
        the table, as a count of objects does; with features, whether it grows in proportion to the
        number of points, as a sum over points does. Intervals take this into account.
    arrays : {'', 'pairs', 'sums'}, default ''
        Of what the formula takes arrays as well, one item per table: of pair counts (`exact_pairs`
        and `exact_n`, which makes `many` quick), of all sums that tables have (which makes
        intervals quick), or of nothing.
    partial : bool, default False
        Whether the formula takes tables in which some objects are in one of the clusterings alone.
    weighted : bool, default False
        Whether the formula takes a geometry whose rows have weights, so that its value is that of
        rows repeated so many times. Tables have weights in their counts.
    no_interval : str, optional
        Why no interval can be made for a measure of features, for example "two points decide it".
        Intervals leave out points; by default this is taken to be valid.

    Returns
    -------
    callable
        Decorator that returns the measure: a function with its `record`, and with a docstring
        made from the record and the formula's own docstring.

    Raises
    ------
    ParameterError
        If `better` is none of the three, or if another formula has the key or an alias.

    Notes
    -----
    The formula may have parameters of its own, with defaults. Describe them in a "Parameters"
    section of its docstring.

    Examples
    --------
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
            sized=sized,
            arrays=arrays,
            partial=partial,
            weighted=weighted,
            no_interval=no_interval,
        )
        measures.add(record)

        @functools.wraps(formula)
        def public(*data: Any, **options: Any) -> float:
            return record(*data, **options)

        public.record = record  # type: ignore[attr-defined]  # a function with its record
        public.many = record.many  # type: ignore[attr-defined]  # and with its batch form
        signature = _public_signature(record)
        public.__signature__ = signature  # type: ignore[attr-defined]  # for help()
        public.__doc__ = _docstring(record, signature)
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


def _docstring(record: Measure, signature: inspect.Signature) -> str:
    """A numpydoc docstring from the record and the sections of the formula's own docstring."""
    head, *rest = re.split(r"^(\w+)\n-{3,}\n", inspect.getdoc(record.formula) or "", flags=re.M)
    given = {name: body.rstrip() for name, body in zip(rest[::2], rest[1::2], strict=True)}
    head, _, example = head.partition("\n>>> ")  # a short docstring has no sections
    door = inspect.getdoc(doors.get(record.kind)) or ""
    own = given.get("Parameters", "")
    known = SHARED | dict(PARAMETER.findall(door)) | dict(PARAMETER.findall(own))
    unknown = "object, optional\n    Parameter of the formula."
    works = enumerate(filter(None, record.reference.split("; ")), 1)
    sections = {
        "Parameters": "\n".join(f"{p} : {known.get(p, unknown)}" for p in signature.parameters),
        "Returns": f"float\n{_filled(_value(record), '    ')}",
        "Raises": RAISES,
        "Notes": "\n\n".join([*_notes(record), *filter(None, [given.get("Notes")])]),
        "References": "\n".join(_filled(f".. [{k}] {work}.") for k, work in works),
        "Examples": given.get("Examples") or (example and f">>> {example.rstrip()}"),
    }
    parts = [f"{name}\n{'-' * len(name)}\n{body}" for name, body in sections.items() if body]
    return "\n\n".join([head.rstrip() or f"{record.title}.", *parts]) + "\n"


def _value(record: Measure) -> str:
    """What the measure returns: unit, range, direction, and the values at the limits."""
    low, high = (f"{bound:g}" if math.isfinite(bound) else "" for bound in record.bounds)
    span = " and ".join(filter(None, [low and f"at least {low}", high and f"at most {high}"]))
    unit = f" in {record.unit}" if record.unit else ""
    good = "" if record.better == "neither" else f" {record.better.capitalize()} is better."
    best = "" if record.perfect is None else f" {record.perfect:g} for identical clusterings."
    return f"Value{unit}, {span or 'any real number'}.{good}{best} NaN where it is undefined."


def _notes(record: Measure) -> list[str]:
    """Meaning, formula, advice and properties, one paragraph each."""
    claims = [(record.symmetric, "symmetric"), (record.metric, "a metric")]
    claims.append((record.adjusted, "adjusted for chance"))
    traits = "; ".join(claim if holds else f"not {claim}" for holds, claim in claims)
    facts = {
        "": record.meaning,
        "Formula: ": record.equation and f"``{record.equation}``",
        "When to use it: ": record.use,
        "When to avoid it: ": record.avoid,
        "Properties: ": "" if record.kind.endswith("internal") else f"{traits}.",
        "Weights: ": record.kind == "internal" and not record.weighted and "it takes none.",
        "Time: grows with the number of ": record.kind == "internal" and f"{record.cost}.",
        "No interval: ": record.no_interval and f"{record.no_interval}.",
        "Aliases: ": record.aliases and f"{', '.join(record.aliases)}.",
    }
    return [_filled(f"{name}{fact}") for name, fact in facts.items() if fact]


def _filled(text: str, indent: str = "") -> str:
    """Text in lines of at most 88 characters; quicker than `textwrap` at every import."""
    lines = [indent]
    for word in text.split():
        if len(lines[-1]) + len(word) > 88:
            lines.append(indent)
        lines[-1] += f"{word} "
    return "\n".join(line.rstrip() for line in lines)
