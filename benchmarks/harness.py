"""Timing side by side, and the row that every case yields.

Law: contenders take turns in one process, the best run of each counts, and nothing but the
call itself is inside the clock. A peer that fails becomes a row that says so.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

OURS = "clustervet"
OUR_RUNS = 5
PEER_RUNS = 2
MOST_RUNS = 25
# Quick calls are repeated for this long, since their best run is the one without interruption.
SETTLED = 0.5
# A peer this slow runs once: its noise is small beside the ratio, its second run is not.
SLOW = 5.0
# OpenMP threads of the one before keep a core spinning for a while; they go to sleep meanwhile.
PAUSE = 0.25
# Calls in a row before the next contender's turn, unless they take this long together.
BURST = 5
LONG = 0.2


@dataclass(frozen=True)
class Scale:
    """Sizes of the data: full, or divided for a quick look at whether everything runs."""

    divisor: int = 1

    @property
    def is_full(self) -> bool:
        """Whether figures are meant to be read."""
        return self.divisor == 1

    def __call__(self, n: int, least: int = 1_000) -> int:
        return n if self.is_full else max(n // self.divisor, min(n, least))


class AbsentError(Exception):
    """A peer that cannot take part; the message is what its row says."""


@dataclass(frozen=True)
class Contender:
    """Something to time; `prepare` makes the arguments anew before every call, untimed."""

    name: str
    call: Callable[..., Any]
    prepare: Callable[[], tuple[Any, ...]] = tuple


@dataclass
class Result:
    """What a contender took, and what it returned or why it failed."""

    name: str
    seconds: float = math.inf
    value: Any = None
    failure: str | None = None
    runs: int = 0
    spent: float = 0.0

    def wants_more(self, scale: Scale) -> bool:
        """Whether another run is worth its time."""
        if self.failure is not None or self.runs >= (MOST_RUNS if scale.is_full else PEER_RUNS):
            return False
        least = OUR_RUNS if self.name == OURS else 1 if self.spent > SLOW else PEER_RUNS
        return self.runs < least or self.spent < SETTLED

    def add(self, seconds: float) -> None:
        self.seconds = min(self.seconds, seconds)
        self.spent += seconds
        self.runs += 1


def timed(call: Callable[..., Any], arguments: Sequence[Any] = ()) -> tuple[float, Any]:
    """Seconds and value of one call, with the garbage collector out of the way."""
    gc.disable()
    try:
        start = time.perf_counter()
        value = call(*arguments)
        return time.perf_counter() - start, value
    finally:
        gc.enable()


def race(
    scale: Scale,
    ours: Callable[..., Any],
    peers: Iterable[Contender],
    *,
    prepare: Callable[[], tuple[Any, ...]] = tuple,
    summary: Callable[[Any], Any] = lambda value: value,
) -> tuple[Result, list[Result]]:
    """Time our call and the peers' in turns; `summary` says what to keep of a value."""
    contenders = [Contender(OURS, ours, prepare), *peers]
    results = [Result(contender.name) for contender in contenders]
    gc.collect()
    warm_up = Result(OURS)  # compiles what is not compiled yet
    _turn(contenders[0], warm_up, summary)
    if warm_up.failure is not None:
        results[0] = warm_up
    while any(result.wants_more(scale) for result in results):
        for contender, result in zip(contenders, results, strict=True):
            if result.wants_more(scale):
                time.sleep(PAUSE)
                _burst(contender, result, scale, summary)
    return results[0], results[1:]


def _burst(
    contender: Contender, result: Result, scale: Scale, summary: Callable[[Any], Any]
) -> None:
    """A few calls in a row: the first after a pause finds sleeping cores and cold caches."""
    spent = result.spent
    for _ in range(BURST):
        _turn(contender, result, summary)
        if result.spent - spent > LONG or not result.wants_more(scale):
            break


def _turn(contender: Contender, result: Result, summary: Callable[[Any], Any]) -> None:
    try:
        seconds, value = timed(contender.call, contender.prepare())
        result.add(seconds)
        if result.runs == 1:
            result.value = summary(value)
    except AbsentError as absent:
        result.failure = str(absent)
    except Exception as error:  # a peer may fail in any way; the table tells which
        result.failure = f"failed: {type(error).__name__}: {str(error).partition(chr(10))[0][:160]}"


@dataclass(frozen=True)
class Goal:
    """What a row must reach: a speed-up, a share of the peer's figure, or a plain limit."""

    kind: Literal["speedup", "share", "limit"]
    bound: float

    def met(self, ours: float, theirs: float | None) -> bool | None:
        """Whether it is reached; unknown without the figure it compares with."""
        if self.kind == "limit":
            return ours <= self.bound
        if theirs is None:
            return None
        return (
            theirs >= self.bound * ours if self.kind == "speedup" else ours <= self.bound * theirs
        )


def at_least(times: float) -> Goal:
    """The peer takes at least so many times as long."""
    return Goal("speedup", times)


def at_most(times: float) -> Goal:
    """We take at most so many times as long as the peer."""
    return Goal("share", times)


def limit(figure: float) -> Goal:
    """Our figure itself is at most this."""
    return Goal("limit", figure)


Unit = Literal["s", "MB", "error"]


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the table: clustervet beside one peer on the same data in the same run."""

    what: str
    size: str
    peer: str
    ours: float | None = None
    theirs: float | None = None
    unit: Unit = "s"
    goal: Goal | None = None
    value_ours: Any = None
    value_peer: Any = None
    note: str = ""
    alarm: bool = field(default=False)  # a wrong value, or a failure of ours

    @property
    def speedup(self) -> float | None:
        """The peer's figure in multiples of ours."""
        if self.theirs is None or not self.ours:
            return None
        return self.theirs / self.ours

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None without a goal or without figures."""
        if self.goal is None or self.ours is None:
            return None
        return self.goal.met(self.ours, self.theirs)


def size_of(n: int, clusters: int) -> str:
    """How the table writes the size of the data."""
    return f"n = {n:,}, K = {clusters:,}"
