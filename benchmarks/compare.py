"""Compare values with each other, and with the exact value where it is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from harness import OURS, Goal, Result, Row

# A value with a larger relative error is wrong, not just imprecise.
WRONG = 1e-6
# A value with at most this relative error is precise enough for any use.
FINE = 1e-9

Exact = Decimal | None
Judge = Callable[[str, Any, Any], tuple[str, bool]]


def relative_error(value: float, exact: Decimal) -> float:
    """Difference from the exact value, as a share of the exact value."""
    if math.isnan(value) or math.isinf(value):
        return math.inf
    gap = abs(Decimal(float(value)) - exact)
    return float(gap / abs(exact)) if exact else float(gap)


def digits(error: float) -> int:
    """Number of correct leading digits for a relative error; a float has 16."""
    return 16 if error < 1e-16 else max(0, math.floor(-math.log10(error)))


def judge(peer: str, ours: float, theirs: float, exact: Exact = None) -> tuple[str, bool]:
    """Return a note about the two values, and whether one of them is wrong."""
    ours, theirs = float(ours), float(theirs)
    if exact is None:
        gap = abs(ours - theirs) / max(abs(ours), abs(theirs), 1e-300)
        if gap <= FINE:
            return "same value", False
        return f"values differ by {gap:.1e}; the exact value is not known", True
    errors = {OURS: relative_error(ours, exact), peer: relative_error(theirs, exact)}
    wrong = [name for name, error in errors.items() if error > WRONG]
    values = {OURS: ours, peer: theirs}
    if wrong:
        said = ", ".join(f"{name} is WRONG: it says {values[name]:.10g}" for name in wrong)
        return f"{said}; the exact value is {exact:.10g}", True
    if max(errors.values()) <= FINE:
        return f"both right to {digits(max(errors.values()))} digits", False
    return ", ".join(f"{name} is off by {error:.0e}" for name, error in errors.items()), False


def rows(
    ours: Result,
    peers: Iterable[Result],
    *,
    what: str,
    size: str,
    goals: Mapping[str, Goal] | None = None,
    judged: Judge = judge,
) -> list[Row]:
    """One row per peer. The function `judged` compares the values."""
    return [_row(ours, peer, what, size, (goals or {}).get(peer.name), judged) for peer in peers]


def _row(ours: Result, peer: Result, what: str, size: str, goal: Goal | None, judged: Judge) -> Row:
    if ours.failure is not None:
        note, alarm = f"{OURS} {ours.failure}", True
    elif peer.failure is not None:
        note, alarm = peer.failure, False
    else:
        note, alarm = judged(peer.name, ours.value, peer.value)
    return Row(
        what=what,
        size=size,
        peer=peer.name,
        ours=ours.seconds if ours.runs else None,
        theirs=peer.seconds if peer.runs else None,
        goal=goal,
        value_ours=plain(ours.value),
        value_peer=plain(peer.value),
        note=note,
        alarm=alarm,
    )


def plain(value: Any) -> float | int | str | None:
    """Convert a value for a table cell and for JSON; a matrix becomes its number of cells."""
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, np.ndarray) and value.ndim == 2:
        return f"{np.count_nonzero(value):,} cells"
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
