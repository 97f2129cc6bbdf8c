"""Time calls side by side, and define the row that every case yields.

Rules: contenders take turns in one process. The best run of each counts. Only the call itself
is timed. A peer that fails gets a row that says so.
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
# Fast calls are repeated for this many seconds, so that at least one run is not interrupted.
SETTLED = 0.5
# A peer that takes longer than this many seconds runs only once: a second run takes too long,
# and its noise is small compared with the ratio.
SLOW = 5.0
# OpenMP threads of the previous contender keep a core busy for a while; the pause lets them stop.
PAUSE = 0.25
# Number of calls in a row before the next contender's turn. A turn ends early if its calls
# together take longer than LONG seconds.
BURST = 5
LONG = 0.2


@dataclass(frozen=True)
class Scale:
    """Sizes of the data: full, or divided for a quick check that everything runs."""

    divisor: int = 1

    @property
    def is_full(self) -> bool:
        """Whether the data has full size, so that the figures are meaningful."""
        return self.divisor == 1

    def __call__(self, n: int, least: int = 1_000) -> int:
        return n if self.is_full else max(n // self.divisor, min(n, least))


class AbsentError(Exception):
    """A peer cannot take part; its row shows the message."""


@dataclass(frozen=True)
class Contender:
    """Something to time; `prepare` makes new arguments before every call and is not timed."""

    name: str
    call: Callable[..., Any]
    prepare: Callable[[], tuple[Any, ...]] = tuple


@dataclass
class Result:
    """The time of a contender, and its value or the reason for its failure."""

    name: str
    seconds: float = math.inf
    value: Any = None
    failure: str | None = None
    runs: int = 0
    spent: float = 0.0

    def wants_more(self, scale: Scale) -> bool:
        """Whether another run is worth the time."""
        if self.failure is not None or self.runs >= (MOST_RUNS if scale.is_full else PEER_RUNS):
            return False
        least = OUR_RUNS if self.name == OURS else 1 if self.spent > SLOW else PEER_RUNS
        return self.runs < least or self.spent < SETTLED

    def add(self, seconds: float) -> None:
        self.seconds = min(self.seconds, seconds)
        self.spent += seconds
        self.runs += 1


def timed(call: Callable[..., Any], arguments: Sequence[Any] = ()) -> tuple[float, Any]:
    """Seconds and value of one call, with the garbage collector switched off."""
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
    """Time our call and the peers' calls in turns; `summary` reduces a value to what is kept."""
    contenders = [Contender(OURS, ours, prepare), *peers]
    results = [Result(contender.name) for contender in contenders]
    gc.collect()
    warm_up = Result(OURS)  # compiles the loops if necessary
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
    """A few calls in a row, because the first call after a pause has idle cores and cold caches."""
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
    except Exception as error:  # a peer may fail in any way; the table shows how
        result.failure = f"failed: {type(error).__name__}: {str(error).partition(chr(10))[0][:160]}"


@dataclass(frozen=True)
class Goal:
    """The goal of a row: a speed-up, a multiple of the peer's figure, or a fixed limit."""

    kind: Literal["speedup", "share", "limit"]
    bound: float

    def met(self, ours: float, theirs: float | None) -> bool | None:
        """Whether the goal is met; None if the figure to compare with is missing."""
        if self.kind == "limit":
            return ours <= self.bound
        if theirs is None:
            return None
        return (
            theirs >= self.bound * ours if self.kind == "speedup" else ours <= self.bound * theirs
        )


def at_least(times: float) -> Goal:
    """The peer takes at least `times` as long as we do."""
    return Goal("speedup", times)


def at_most(times: float) -> Goal:
    """We take at most `times` as long as the peer."""
    return Goal("share", times)


def limit(figure: float) -> Goal:
    """Our own figure is at most `figure`."""
    return Goal("limit", figure)


Unit = Literal["s", "MB", "error", "slope"]


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the table: clustervet and one peer on the same data in the same run."""

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
    alarm: bool = field(default=False)  # a wrong value, or clustervet failed
    curve: tuple[tuple[float, float], ...] = ()  # sizes and seconds behind a slope

    @property
    def speedup(self) -> float | None:
        """The peer's figure divided by ours."""
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
    """The size of the data as the table shows it."""
    return f"n = {n:,}, K = {clusters:,}"
