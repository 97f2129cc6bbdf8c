"""Tests of any external measure for every property: the property matrix."""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clustervet._kernels.threads import cores
from clustervet._progress import ticking
from clustervet.contingency import Contingency
from clustervet.errors import ParameterError, UndefinedError
from clustervet.lab.cases import Atlas, Case, Pair
from clustervet.lab.desiderata_trial import chosen_measures
from clustervet.lab.matrix import PropertyMatrix, packaged_row
from clustervet.lab.properties import Property, choose_properties, known_properties
from clustervet.lab.property_verdict import Counterexample, Verdict
from clustervet.lab.shrink import shrink
from clustervet.labels import show_label
from clustervet.registry import Measure
from clustervet.registry import measures as registry

RandomState = int | np.random.Generator | None
# The seed of the matrix that comes with the package.
PACKAGED_SEED = 0
# Cases whose tables are read twice, to see whether a measure repeats itself.
STEADY = 20


class BrokenError(Exception):
    """A measure that gives no number where it should."""


@dataclass(frozen=True)
class Plan:
    """A property's cases, and where the tables of each stand."""

    kind: Property
    cases: tuple[Case, ...]
    places: tuple[tuple[int, ...], ...]


@dataclass
class Reader:
    """One measure's values, each computed once."""

    record: Measure
    atlas: Atlas
    values: dict[int, float] = field(default_factory=dict)

    def at(self, place: int) -> float:
        """The value at a table of the atlas."""
        if place not in self.values:
            self.values[place] = self.value(self.atlas.tables[place], self.atlas.pairs[place])
        return self.values[place]

    def of(self, case: Case) -> list[float]:
        """The values of a case that is not in the atlas."""
        return [self.value(Contingency.from_labels(*pair), pair) for pair in case.pairs]

    def value(self, table: Contingency, pair: Pair) -> float:
        """The value, `nan` where the measure says that it has none, or what is wrong with it."""
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
    """Whether the formula itself says that it has no value here, with a reason."""
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
    """Measures put to the tests of properties: what each has, and where it fails.

    All external measures and all properties by default. Measures are keys, records, decorated
    functions, or plain functions of a table, for which higher is taken to be better. Every
    clustering of a few points is tried, and larger ones drawn from `random_state`. What comes
    with the package is looked up for its own measures unless `fresh`, or another seed, asks for
    a new run.

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
    jobs = _jobs(n_jobs)
    kept = not fresh and isinstance(random_state, int) and random_state == PACKAGED_SEED
    looked_up = {record.key: packaged_row(record) if kept else None for record in records}
    new = [record for record in records if looked_up[record.key] is None]
    tested = _tested(new, chosen, random_state, jobs) if new else {}
    rows = {key: tested[key] if row is None else row for key, row in looked_up.items()}
    return PropertyMatrix(
        tuple(records),
        {key: {kind.key: row[kind.key] for kind in chosen} for key, row in rows.items()},
    )


def _jobs(n_jobs: int | None) -> int:
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0:
        raise ParameterError(f"n_jobs must be a whole number other than 0, not {n_jobs!r}.")
    return n_jobs if n_jobs > 0 else max(1, cores() + 1 + n_jobs)


def _tested(
    records: list[Measure], chosen: list[Property], random_state: RandomState, jobs: int
) -> dict[str, dict[str, Verdict]]:
    # Whoever depends on the names of labels has no values that other tests could read.
    names = known_properties()["relabelling"]
    kinds = list(dict.fromkeys([names, *chosen]))
    if isinstance(random_state, np.random.Generator) or random_state is None:
        random_state = int(np.random.default_rng(random_state).integers(2**32))
    with ticking(len(records) * len(kinds) + 1, "Testing properties") as tick:
        bench = _bench(random_state)
        plans = [bench.plan(kind) for kind in kinds]
        tick()
        work = functools.partial(_test, atlas=bench.atlas, plans=plans, tick=tick)
        if jobs == 1:
            return {record.key: work(record) for record in records}
        with ThreadPoolExecutor(jobs) as pool:
            found = list(pool.map(work, records))
    return {record.key: row for record, row in zip(records, found, strict=True)}


@dataclass
class Bench:
    """The cases of one seed: each property draws its own, once, whatever else is asked for."""

    seed: int
    atlas: Atlas = field(default_factory=Atlas)
    plans: dict[str, Plan] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def plan(self, kind: Property) -> Plan:
        """The cases of a property, and where their tables stand."""
        with self.lock:
            if kind.key not in self.plans:
                rng = np.random.default_rng([self.seed, *kind.key.encode()])
                cases = tuple(kind.cases(rng))
                places = tuple(
                    tuple(self.atlas.place(pair, renamed=case.renamed) for pair in case.pairs)
                    for case in cases
                )
                self.plans[kind.key] = Plan(kind, cases, places)
            return self.plans[kind.key]


@functools.lru_cache(maxsize=1)
def _bench(seed: int) -> Bench:
    return Bench(seed)


def _test(
    record: Measure, *, atlas: Atlas, plans: list[Plan], tick: Callable[[], None]
) -> dict[str, Verdict]:
    reader = Reader(record, atlas)
    row: dict[str, Verdict] = {}
    unsteady = _unsteady(record, atlas, plans[0])
    for plan in plans:
        row[plan.kind.key] = unsteady or _unfit(row, record) or verdict(plan, reader)
        tick()
    return row


def _unsteady(record: Measure, atlas: Atlas, plan: Plan) -> Verdict | None:
    """Whether the measure gives one table several values, which leaves nothing to test."""
    places = list(dict.fromkeys(place for some in plan.places[:STEADY] for place in some))
    readers = Reader(record, atlas), Reader(record, atlas)
    try:
        for place in places:
            first, again = (reader.at(place) for reader in readers)
            if first != again and not (math.isnan(first) and math.isnan(again)):
                said = f"{first:.6g}, then {again:.6g}"
                return Verdict(
                    "broken", why=f"{record.key} gives the same table different values: {said}"
                )
    except BrokenError:
        return None  # the first test says so
    return None


def _unfit(row: dict[str, Verdict], record: Measure) -> Verdict | None:
    """What the first test, of names, says about all others: a measure that cannot be read."""
    names = row.get("relabelling")
    if names is None or names.status not in ("fails", "broken"):
        return None
    order = f"{record.key} depends on the names or the order of labels"
    return Verdict("broken", why=names.why or order)


def verdict(plan: Plan, reader: Reader) -> Verdict:
    """What the cases say: the first that fails is the smallest, and is made smaller still."""
    kind, record = plan.kind, reader.record
    why = kind.refuses(record)
    if why is not None:
        return Verdict("does not apply", why=why)
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
                return _failed(case, kind, reader, judged, undefined)
    except BrokenError as broken:
        return Verdict("broken", judged, undefined, why=str(broken))
    if not judged:
        return Verdict("does not apply", 0, undefined, why="it is undefined in every case tried")
    return Verdict("holds", judged, undefined)


def _failed(case: Case, kind: Property, reader: Reader, judged: int, undefined: int) -> Verdict:
    record = reader.record
    sign, zero = kind.reading(record)

    def sides(found: Case) -> tuple[float, float]:
        return kind.sides(found, [sign * (x - zero) for x in reader.of(found)], record)

    def fails(found: Case) -> bool:
        try:
            left, right = sides(found)
        except BrokenError:
            return False
        known = not (math.isnan(left) or math.isnan(right))
        return known and not kind.holds(found, (left, right), record)

    case = shrink(case, kind, fails)
    left, right = sides(case)
    example = Counterexample(case.shown, case.left, left, case.relation, case.right, right)
    return Verdict("fails", judged, undefined, counterexample=example)
