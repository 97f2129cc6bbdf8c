"""How a measure's value is held against its oracle, and the tables that tests draw."""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import oracle
from hypothesis import strategies as st
from mpmath import mp, mpf

import clustervet as cv

TIGHT = mpf("1e-12")
# Only where `oracle.CANCELS` says that floats subtract larger terms: this share of those terms.
FLOOR = mpf("2e-15")

EXTERNAL = cv.measures.select(kind="external")


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail what does not come to an end, where the system has a timer for it."""
    if not hasattr(signal, "setitimer") or threading.current_thread() != threading.main_thread():
        yield
        return

    def give_up(*_: object) -> None:
        raise AssertionError(f"no answer within {seconds} seconds")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def disagreements(counts: Any, keys: Iterable[str] | None = None, **parameters: Any) -> list[str]:
    """What the package and the oracle see differently, one line a measure; none is agreement."""
    table, exact = cv.Contingency.from_counts(counts), oracle.Table(_exactly(counts))
    records = EXTERNAL if keys is None else [cv.measures[key] for key in keys]
    lines = (_difference(record, table, exact, parameters) for record in records)
    return [line for line in lines if line]


def _exactly(counts: Any) -> Any:
    if isinstance(counts, dict):
        return {key: Fraction(x) for key, x in counts.items()}
    return [[Fraction(x) for x in row] for row in counts]


def _difference(
    record: cv.Measure, table: cv.Contingency, exact: oracle.Table, parameters: dict[str, Any]
) -> str | None:
    value, why = record.evaluate(table, **parameters)
    wanted = oracle.MEASURES[record.key](exact, **parameters)
    limit = record.perfect is not None and exact.identical
    if limit and wanted is not None and abs(wanted - record.perfect) > mpf("1e-40"):
        return f"{record.key} claims {record.perfect} if perfect, but the formula gives {wanted}"
    if limit:
        wanted = record.perfect
    if wanted is None:
        undefined = math.isnan(value) and bool(why)
        return None if undefined else f"{record.key} is {value} ({why}), but it is undefined"
    with mp.workdps(exact.digits):
        wanted = oracle.real(wanted)
        if math.isnan(value) or why:
            return f"{record.key} is {value} ({why}), not {mp.nstr(wanted, 17)}"
        allowed = TIGHT * abs(wanted)
        if record.key in oracle.CANCELS and not limit:
            allowed += FLOOR * oracle.real(oracle.CANCELS[record.key](exact, **parameters))
        error = abs(mpf(value) - wanted)
        if error <= allowed:
            return None
        return f"{record.key} is {value!r}, not {mp.nstr(wanted, 17)}: off by {mp.nstr(error, 3)}"


def matrices(values: st.SearchStrategy, classes: int = 6, clusters: int = 6) -> st.SearchStrategy:
    """Tables of up to so many classes and clusters, with at least one object."""

    def of_shape(shape: tuple[int, int]) -> st.SearchStrategy:
        row = st.lists(values, min_size=shape[1], max_size=shape[1])
        return st.lists(row, min_size=shape[0], max_size=shape[0])

    shapes = st.tuples(st.integers(1, classes), st.integers(1, clusters))
    return shapes.flatmap(of_shape).filter(lambda rows: any(any(row) for row in rows))


def counts_up_to(most: int) -> st.SearchStrategy:
    """Empty cells, small counts and counts of every order of magnitude."""
    orders = [st.integers(0, 10**k) for k in range(1, len(str(most)))]
    return st.one_of(st.just(0), st.integers(0, 3), *orders, st.integers(0, most))


@st.composite
def nearly_independent(draw: st.DrawFn, most: int, classes: int = 5, clusters: int = 5) -> Any:
    """Products of margins, but for a few objects too many in some cells."""
    factor = st.integers(1, most)
    rows = draw(st.lists(factor, min_size=2, max_size=classes))
    columns = draw(st.lists(factor, min_size=2, max_size=clusters))
    table = [[a * b for b in columns] for a in rows]
    for _ in range(draw(st.integers(0, 3))):
        row = draw(st.integers(0, len(rows) - 1))
        table[row][draw(st.integers(0, len(columns) - 1))] += draw(st.integers(1, 3))
    return table
