"""Groups of objects that are left out in turn, where an object cannot be drawn twice.

An object drawn twice would be at distance 0 from itself, and always together with itself. So
nothing is drawn with replacement: all others stay as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from clustervet._progress import ticking
from clustervet.inference.jackknife import Floats, Spread, jackknife

# The least number of groups; there are less than twice as many.
GROUPS = 30
FEWEST = 20
# Values of measures on the objects at some places; on all of them for None.
Values = Callable[[NDArray[np.int64] | None], Floats]


def leave_groups_out(n: int, values: Values, rng: np.random.Generator, what: str) -> Changes:
    """Return the values of all objects, and how each group that is left out changes them."""
    size = max(1, n // GROUPS)
    groups = n // size
    order = rng.permutation(n)[: groups * size].reshape(groups, size)
    whole = values(None)
    changes = np.empty((groups, len(whole)))  # at first the values
    with ticking(groups, f"leaving {what} out") as tick:
        for group, left_out in enumerate(order):
            kept = np.ones(n, bool)
            kept[left_out] = False
            changes[group] = values(np.flatnonzero(kept))
            tick()
    with np.errstate(invalid="ignore"):  # infinite values
        changes -= whole
    # A group is `size` of the objects, not one of `groups` equal shares, if some are in no group.
    return Changes(whole, changes, (n / size - 1) / (groups - 1))


class Changes:
    """Values, how groups that are left out change them, and what that says of single objects."""

    def __init__(self, whole: Floats, changes: Floats, factor: float) -> None:
        self.whole, self.changes, self.factor = whole, changes, factor

    @property
    def groups(self) -> int:
        """The number of groups."""
        return len(self.changes)

    def spreads(self, shrink: float = 1.0, sized: Sequence[bool] | None = None) -> list[Spread]:
        """Return the spread of each value, of a part of the objects that is `shrink` of all.

        A sized value grows in proportion to the number of objects.
        """
        grows = [False] * len(self.whole) if sized is None else sized
        columns = zip(self.whole, self.changes.T, grows, strict=True)
        return [self._spread(value, column, shrink, grow) for value, column, grow in columns]

    def spread_between(self, one: int, other: int, shrink: float = 1.0) -> Spread:
        """Return the spread of the difference of two values."""
        gap = self.changes[:, one] - self.changes[:, other]
        return self._spread(self.whole[one] - self.whole[other], gap, shrink, grows=False)

    def _spread(self, value: float, column: Floats, shrink: float, grows: bool) -> Spread:
        scale = size_of(value)  # so that rounding is told from a spread at any scale
        spread = jackknife(column / scale, np.ones(self.groups))
        unit = scale / shrink if grows else scale
        bias = unit * self.factor * shrink * spread.bias
        error = unit * math.sqrt(self.factor * shrink) * spread.error
        return replace(spread, bias=bias, error=error)


def size_of(value: float) -> float:
    """The power of two at or below a value, by which it is divided without rounding.

    >>> size_of(5.0), size_of(0.0)
    (4.0, 1.0)
    """
    return math.ldexp(1.0, math.frexp(value)[1] - 1) if value and math.isfinite(value) else 1.0
