"""Tests of any external measure for every property: the property matrix."""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clustervet._checks import generator
from clustervet._kernels.threads import Pool
from clustervet._progress import ticking
from clustervet.contingency import Contingency
from clustervet.ensemble.pair_values import thread_count
from clustervet.errors import ParameterError, UndefinedError
from clustervet.lab.cases import Atlas, Pair, Property, PropertyCase
from clustervet.lab.family import chosen_measures
from clustervet.lab.matrix import (
    Counterexample,
    PropertyMatrix,
    PropertyVerdict,
    choose_properties,
    known_properties,
    packaged_row,
)
from clustervet.labels import show_label
from clustervet.registry import Measure
from clustervet.registry import measures as registry

RandomState = int | np.random.Generator | None
# The seed of the matrix that comes with the package.
PACKAGED_SEED = 0
# The tables of this number of cases are evaluated twice, to see whether a measure repeats itself.
STEADY = 20


class BrokenError(Exception):
    """A measure gives no number where it should."""


@dataclass(frozen=True)
class PropertyPlan:
    """A property's cases, and the places of their tables in the atlas."""

    kind: Property
    cases: tuple[PropertyCase, ...]
    places: tuple[tuple[int, ...], ...]


@dataclass
class PropertyPlans:
    """The plans of one seed. The cases of a property do not depend on what else is tested."""

    seed: int
    atlas: Atlas = field(default_factory=Atlas)
    plans: dict[str, PropertyPlan] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def plan(self, kind: Property) -> PropertyPlan:
        """Return the plan of a property, which is made once."""
        with self.lock:
            if kind.key not in self.plans:
                rng = np.random.default_rng([self.seed, *kind.key.encode()])
                cases = tuple(kind.cases(rng))
                places = tuple(
                    tuple(self.atlas.place(pair, renamed=case.renamed) for pair in case.pairs)
                    for case in cases
                )
                self.plans[kind.key] = PropertyPlan(kind, cases, places)
            return self.plans[kind.key]


_plans = functools.lru_cache(maxsize=1)(PropertyPlans)


@dataclass
class MeasureValues:
    """The values of one measure, each computed once."""

    record: Measure
    atlas: Atlas
    values: dict[int, float] = field(default_factory=dict)

    def at(self, place: int) -> float:
        """Return the value on a table of the atlas."""
        if place not in self.values:
            self.values[place] = self.value(self.atlas.tables[place], self.atlas.pairs[place])
        return self.values[place]

    def of(self, case: PropertyCase) -> list[float]:
        """Return the values on a case that is not in the atlas."""
        return [self.value(Contingency.from_labels(*pair), pair) for pair in case.pairs]

    def value(self, table: Contingency, pair: Pair) -> float:
        """Return the value, or nan where the measure itself says that it has none."""
        where = f"for {list(pair[0])} and {list(pair[1])}"
        key = self.record.key
        try:
            value = self.record.evaluate(table).value
            unsaid = math.isnan(value) and not _says_undefined(self.record, table)
        except Exception as error:  # whatever a user's formula raises is reported, not passed on
            said = show_label(f"{type(error).__name__}: {error}".rstrip(": "), 80)
            raise BrokenError(f"{key} raises {said} {where}") from None
        if unsaid or math.isinf(value):
            raise BrokenError(f"{key} returns {value} {where}")
        return value


def _says_undefined(record: Measure, table: Contingency) -> bool:
    """Return whether the formula itself says, with a reason, that it has no value here."""
    try:
        record.formula(table)
    except UndefinedError:
        return True
    return False


def axioms(
    measures: Any = None,
    properties: Iterable[str] | str | None = None,
    *,
    random_state: RandomState = PACKAGED_SEED,
    n_jobs: int | None = None,
    fresh: bool = False,
) -> PropertyMatrix:
    """Test external measures for properties, and keep a small counterexample of each failure.

    Every clustering of a few points is tried, and larger ones at random.

    Parameters
    ----------
    measures : str, Measure, function or iterable of these, optional
        Keys, records or measures. A plain function of a table is a measure for which higher is
        better. All external measures by default.
    properties : str or iterable of str, optional
        Keys of properties, see `known_properties`. All of them by default.
    random_state : int, numpy.random.Generator or None, optional
        The seed of the larger clusterings.
    n_jobs : int, optional
        Number of measures that are tested at once; -1 means all cores.
    fresh : bool, optional
        Whether to test again what the package knows already. The verdicts on its own measures
        come with it; they are looked up for the default seed.

    Returns
    -------
    PropertyMatrix
        ``matrix[measure][property]`` is a verdict.

    Raises
    ------
    ParameterError
        If no measure or property is named, or a measure needs features.
    UnknownMeasureError
        If a measure is unknown.

    Notes
    -----
    The properties are those of Meilă 2007 and Amigó et al. 2009 and some others; each
    `Property` has its reference. Two numbers are equal if they differ by at most 1e-9 of the
    larger.

    Examples
    --------
    >>> matrix = axioms(["variation_of_information", "jaccard"], ["triangle", "locality"])
    >>> matrix["variation_of_information"]["locality"].status
    'holds'
    >>> matrix["jaccard"]["locality"].status
    'fails'
    """
    if isinstance(measures, list | tuple | set) and not measures:
        raise ParameterError("name at least one measure, or none at all for every external one.")
    every = measures is None or (isinstance(measures, str) and measures == "all")
    records = registry.select(kind="external") if every else chosen_measures(measures)
    chosen = choose_properties(properties)
    threads = thread_count(n_jobs)
    kept = not fresh and isinstance(random_state, int) and random_state == PACKAGED_SEED
    looked_up = {record.key: packaged_row(record) if kept else None for record in records}
    new = [record for record in records if looked_up[record.key] is None]
    tested = _tested(new, chosen, random_state, threads) if new else {}
    rows = {key: tested[key] if row is None else row for key, row in looked_up.items()}
    return PropertyMatrix(
        tuple(records),
        {key: {kind.key: row[kind.key] for kind in chosen} for key, row in rows.items()},
    )


def _tested(
    records: list[Measure], chosen: list[Property], random_state: RandomState, threads: int
) -> dict[str, dict[str, PropertyVerdict]]:
    # The first test is that of names: if it fails, no other test can read the measure's values.
    names = known_properties()["relabelling"]
    kinds = list(dict.fromkeys([names, *chosen]))
    if isinstance(random_state, np.random.Generator) or random_state is None:
        random_state = int(generator(random_state).integers(2**32))
    with ticking(len(records) * len(kinds) + 1, "Testing properties") as tick:
        drawn = _plans(random_state)
        plans = [drawn.plan(kind) for kind in kinds]
        tick()
        work = functools.partial(_test, atlas=drawn.atlas, plans=plans, tick=tick)
        if threads == 1:
            return {record.key: work(record) for record in records}
        with Pool(threads) as pool:
            found = list(pool.map(work, records))
    return {record.key: row for record, row in zip(records, found, strict=True)}


def _test(
    record: Measure, *, atlas: Atlas, plans: list[PropertyPlan], tick: Callable[[], None]
) -> dict[str, PropertyVerdict]:
    values = MeasureValues(record, atlas)
    row: dict[str, PropertyVerdict] = {}
    unsteady = _unsteady(record, atlas, plans[0])
    for plan in plans:
        row[plan.kind.key] = unsteady or _unfit(row, record) or _verdict(plan, values)
        tick()
    return row


def _unsteady(record: Measure, atlas: Atlas, plan: PropertyPlan) -> PropertyVerdict | None:
    """Return the fault of a measure that gives the same table different values."""
    places = list(dict.fromkeys(place for some in plan.places[:STEADY] for place in some))
    readings = MeasureValues(record, atlas), MeasureValues(record, atlas)
    try:
        for place in places:
            first, again = (values.at(place) for values in readings)
            if first != again and not (math.isnan(first) and math.isnan(again)):
                said = f"{first:.6g}, then {again:.6g}"
                why = f"{record.key} gives the same table different values: {said}"
                return PropertyVerdict("broken", why=why)
    except BrokenError:
        return None  # the first test reports it
    return None


def _unfit(row: dict[str, PropertyVerdict], record: Measure) -> PropertyVerdict | None:
    """Return the verdict on all other properties if the test of names was not passed."""
    names = row.get("relabelling")
    if names is None or names.status not in ("fails", "broken"):
        return None
    order = f"{record.key} depends on the names or the order of labels"
    return PropertyVerdict("broken", why=names.why or order)


def _verdict(plan: PropertyPlan, reader: MeasureValues) -> PropertyVerdict:
    """Return the verdict of all cases; the first that fails is the smallest, and is shrunk."""
    kind, record = plan.kind, reader.record
    why = kind.refuses(record)
    if why is not None:
        return PropertyVerdict("does not apply", why=why)
    sign, zero = kind.reading(record)
    judged = undefined = 0
    try:
        for case, places in zip(plan.cases, plan.places, strict=True):
            values = [sign * (reader.at(place) - zero) for place in places]
            if any(map(math.isnan, values)):
                undefined += 1
                continue
            judged += 1
            if not kind.holds(case, kind.sides(case, values, record), record):
                example = _counterexample(case, kind, reader)
                return PropertyVerdict("fails", judged, undefined, counterexample=example)
    except BrokenError as broken:
        return PropertyVerdict("broken", judged, undefined, why=str(broken))
    if not judged:
        why = "it is undefined in every case tried"
        return PropertyVerdict("does not apply", 0, undefined, why=why)
    return PropertyVerdict("holds", judged, undefined)


def _counterexample(case: PropertyCase, kind: Property, reader: MeasureValues) -> Counterexample:
    record = reader.record
    sign, zero = kind.reading(record)

    def sides(found: PropertyCase) -> tuple[float, float]:
        return kind.sides(found, [sign * (x - zero) for x in reader.of(found)], record)

    def fails(found: PropertyCase) -> bool:
        try:
            left, right = sides(found)
        except BrokenError:
            return False
        known = not (math.isnan(left) or math.isnan(right))
        return known and not kind.holds(found, (left, right), record)

    smaller = _smaller(case, kind, fails)
    while smaller is not None:
        case, smaller = smaller, _smaller(smaller, kind, fails)
    left, right = sides(case)
    return Counterexample(case.shown, case.left, left, case.relation, case.right, right)


def _smaller(
    case: PropertyCase, kind: Property, fails: Callable[[PropertyCase], bool]
) -> PropertyCase | None:
    """Return a failing case with one point less, taken out of all labelings at once."""
    points = len(case.seeds[0])
    if not kind.shrinks or points == 1:
        return None
    for k in range(points):
        seeds = tuple((*seed[:k], *seed[k + 1 :]) for seed in case.seeds)
        for found in kind.build(seeds):
            if fails(found):
                return found
    return None
