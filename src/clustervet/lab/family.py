"""Dom's family of distributions over classes and clusters, and grids of its parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clustervet._checks import whole
from clustervet._progress import ticking
from clustervet.contingency import Contingency
from clustervet.errors import ParameterError, Setting
from clustervet.labels import show_label
from clustervet.registry import Measure
from clustervet.registry import measures as registry

# How far shares may be from a sum of one: rounding, not another distribution.
SUM_SLACK = 1e-9
WHOLE_SLACK = 1e-14
# The seven measures that Dom 2001, §7.2.1, compares.
PAPER_MEASURES = (
    *("rand", "fowlkes_mallows", "hubert_gamma", "jaccard", "hamming", "dom_q0", "dom_q2"),
)
# Sums in another order differ by rounding, which is far below this share of the value.
ORDER_SLACK = 1e-9
# The family of a function that has no record.
PLAIN = "a plain function"

FaultKind = Literal["raises", "undefined", "order", "unsteady", "direction"]


def family(
    classes: int,
    useful: int,
    noise: int = 0,
    error_useful: float = 0.0,
    error_noise: float = 0.0,
) -> NDArray[np.float64]:
    """Return a member of Dom's family of distributions p(c,k) over classes and clusters.

    Parameters
    ----------
    classes : int
        Number of classes. All classes are equally likely.
    useful : int
        Number of useful clusters, which belong to classes.
    noise : int, optional
        Number of noise clusters, which belong to no class. They are the last columns, and they
        are empty where `error_noise` is 0.
    error_useful : float, optional
        Probability that an object is in a useful cluster of another class (epsilon_1). It is
        spread evenly over these clusters.
    error_noise : float, optional
        Probability that an object is in a noise cluster (epsilon_2).

    Returns
    -------
    ndarray of shape (classes, useful + noise)
        The probabilities. Rows are classes, columns are clusters.

    Raises
    ------
    ParameterError
        If the parameters do not describe a distribution.

    Notes
    -----
    Dom 2001, §6.1. Useful clusters are dealt out by the ceiling rule: each class in turn takes
    the ceiling of (clusters that are left) / (classes that are left). Where there are more
    classes than clusters, each cluster takes classes in the same way.

    Examples
    --------
    >>> family(2, 3, 1, error_useful=0.1, error_noise=0.2)
    array([[0.175, 0.175, 0.05 , 0.1  ],
           [0.025, 0.025, 0.35 , 0.1  ]])
    """
    given = classes, useful, noise, error_useful, error_noise
    classes, useful, noise, error_useful, error_noise = map(_parameter, Point._fields, given)
    reason = _no_distribution(classes, useful, noise, error_useful, error_noise)
    if reason:
        raise ParameterError(reason)
    own = _own_clusters(classes, useful)
    count = own.sum(axis=1, keepdims=True)
    hit = (1 - error_useful - error_noise) / (classes * count)
    miss = error_useful / (classes * np.maximum(useful - count, 1))
    blind = np.full((classes, noise), error_noise / (classes * max(noise, 1)))
    return np.hstack([np.where(own, np.maximum(hit, 0.0), miss), blind])


def expected_table(distribution: ArrayLike, n: float) -> Contingency:
    """Return the table of the expected counts n p(c,k).

    Parameters
    ----------
    distribution : array_like of shape (classes, clusters)
        Probabilities that sum to 1, such as those of `family`. Rows are classes.
    n : float
        Number of objects.

    Returns
    -------
    Contingency
        The expected counts, which need not be whole. Clusters of probability 0 are left out.

    Raises
    ------
    ParameterError
        If `distribution` is not a distribution, or `n` is not a positive number.

    Notes
    -----
    The pair counts of the table are the expectations of Dom 2001, eqs. 25-30.

    Examples
    --------
    >>> expected_table(family(2, 2, error_useful=0.2), 10)
    Contingency of 10 objects: 2 classes x 2 clusters, 4 non-empty cells
           0  1  total
        0  4  1      5
        1  1  4      5
    total  5  5     10
    >>> round(expected_table(family(2, 2, error_useful=0.2), 10).pairs.n11, 12)
    15.3
    """
    try:
        shares = np.asarray(distribution, np.float64)
    except (TypeError, ValueError):
        raise ParameterError("a distribution is a matrix of numbers, one row per class.") from None
    if shares.ndim != 2 or 0 in shares.shape:
        raise ParameterError(
            f"a distribution is a matrix, one row per class, not an array of shape {shares.shape}."
        )
    if not (shares >= 0).all() or abs(shares.sum() - 1) > SUM_SLACK:
        raise ParameterError(
            f"a distribution is never negative and sums to 1, not to {shares.sum():.6g} with "
            f"smallest value {shares.min():.6g}."
        )
    counts = check_objects(n) * shares
    whole = np.rint(counts)
    # Counts that are whole but for rounding are made whole, as some measures need whole counts.
    counts = np.where(np.abs(counts - whole) <= WHOLE_SLACK * whole, whole, counts)
    return Contingency.from_counts(counts).as_population()


def check_objects(n: float) -> float:
    """Return a number of objects, which need not be whole."""
    if isinstance(n, bool) or not isinstance(n, int | float | np.number):
        raise ParameterError(Setting("n"), f" is a number of objects, not {n!r}.")
    if not (math.isfinite(n) and n > 0):
        raise ParameterError(Setting("n"), f" is a number of objects above 0, not {n}.")
    return float(n)


class Point(NamedTuple):
    """The parameters of one member of the family."""

    classes: int
    useful: int
    noise: int
    error_useful: float
    error_noise: float

    def __str__(self) -> str:
        return describe(self._asdict())


def describe(parameters: dict[str, Any]) -> str:
    """Return parameters as people read them.

    >>> describe({"useful": 5, "error_noise": 1 / 15})
    'useful=5, error_noise=0.06667'
    """
    return ", ".join(f"{name}={value:.4g}" for name, value in parameters.items())


@dataclass(frozen=True)
class Grid:
    """A grid of members of Dom's family: all combinations of the values given.

    Combinations that are no distribution of their own are left out: noise clusters without
    `error_noise` or the reverse, `error_useful` where no useful cluster is wrong, and errors
    that sum to more than 1.

    Parameters
    ----------
    classes : int or iterable of int, optional
        Numbers of classes.
    useful : int or iterable of int, optional
        Numbers of useful clusters.
    noise : int or iterable of int, optional
        Numbers of noise clusters.
    error_useful : float or iterable of float, optional
        Probabilities of a useful cluster of another class.
    error_noise : float or iterable of float, optional
        Probabilities of a noise cluster.

    Raises
    ------
    ParameterError
        If a field has no value, or a value that is out of range.

    Notes
    -----
    The defaults are the 760 combinations of Dom 2001, §7.2.1.

    Examples
    --------
    >>> len(Grid())
    760
    >>> list(Grid(classes=2, useful=[1, 2], noise=0, error_useful=[0, 0.1]))[1]
    Point(classes=2, useful=2, noise=0, error_useful=0.0, error_noise=0.0)
    """

    classes: Any = (5,)
    useful: Any = tuple(range(2, 12))
    noise: Any = tuple(range(7))
    error_useful: Any = (0.0, 1 / 15, 2 / 15, 1 / 5)
    error_noise: Any = (0.0, 0.1, 0.2, 0.3)

    def __post_init__(self) -> None:
        for name in Point._fields:
            given = getattr(self, name)
            several = isinstance(given, Iterable) and not isinstance(given, str)
            values = {_parameter(name, value) for value in (given if several else [given])}
            if not values:
                raise ParameterError(f"a grid needs at least one value of {name}.")
            object.__setattr__(self, name, tuple(sorted(values)))

    def __iter__(self) -> Iterator[Point]:
        for values in product(*self.to_dict().values()):
            point = Point(*values)
            if (point.noise > 0) == (point.error_noise > 0) and not _no_distribution(*point):
                yield point

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the values of each parameter.

        Returns
        -------
        dict
            One sorted list per field.

        Examples
        --------
        >>> Grid(classes=2, useful=[1, 2], noise=0, error_useful=[0, 0.1], error_noise=0).to_dict()
        {'classes': [2], 'useful': [1, 2], 'noise': [0], 'error_useful': [0.0, 0.1],
         'error_noise': [0.0]}
        """
        return {name: list(getattr(self, name)) for name in self.__dataclass_fields__}


def _own_clusters(classes: int, useful: int) -> NDArray[np.bool_]:
    """Return which useful clusters belong to which class, by the ceiling rule.

    Each class in turn takes the ceiling of its share of what is left.

    >>> _own_clusters(5, 11).sum(axis=1)
    array([3, 2, 2, 2, 2])
    """
    if classes > useful:
        return _own_clusters(useful, classes).T
    fewest, more = divmod(useful, classes)
    owner = np.repeat(np.arange(classes), fewest + (np.arange(classes) < more))
    return np.equal.outer(np.arange(classes), owner)


def _no_distribution(
    classes: int, useful: int, noise: int, error_useful: float, error_noise: float
) -> str | None:
    """Return why the family has no such member, if it has none."""
    if error_useful + error_noise > 1 + SUM_SLACK:
        return (
            "error_useful and error_noise are probabilities of different errors and sum to at "
            f"most 1, not to {error_useful + error_noise:.6g}."
        )
    if noise == 0 and error_noise > 0:
        return f"error_noise is {error_noise:.6g}, but there are no noise clusters to err into."
    if error_useful > 0 and (useful == 1 or classes == 1):
        one = "useful cluster" if useful == 1 else "class"
        return f"error_useful is {error_useful:.6g}, but with one {one} no useful cluster is wrong."
    return None


def _parameter(name: str, value: Any) -> Any:
    """Return a parameter of the family: a number of classes or clusters, or a probability."""
    if name in ("classes", "useful", "noise"):
        return whole(value, name, 0 if name == "noise" else 1)
    if isinstance(value, bool | str | bytes):
        raise ParameterError(Setting(name), f" is a probability, not {value!r}.")
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(Setting(name), f" is a probability, not {value!r}.") from None
    if not 0 <= number <= 1:
        raise ParameterError(Setting(name), f" is a probability between 0 and 1, not {number:.6g}.")
    return number


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
        return [r for r in registry.select(kind="external", general=True) if r.better != "neither"]
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
    """Return the record of a measure; of a function that has none, higher is taken to be better."""
    known = isinstance(item, str | Measure) or isinstance(getattr(item, "record", None), Measure)
    if known or not callable(item):
        return registry.select([item])[0]
    name = show_label(getattr(item, "__name__", type(item).__name__))
    return Measure(
        key=name,
        title=name,
        family=PLAIN,
        kind="external",
        better="higher",
        bounds=(-math.inf, math.inf),
        formula=item,
    )


def run_trials(
    records: Sequence[Measure], grid: Grid, n: float, what: str
) -> tuple[list[FamilyCase], list[MeasureTrial]]:
    """Return the members of the family in a grid, and what each measure gives for all of them."""
    cases = cases_of(grid, n)
    with ticking(len(records) * len(cases), what) as tick:
        return cases, [_run_trial(record, cases, tick) for record in records]


def _run_trial(
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
