"""Helpers that several internal measures share."""

from __future__ import annotations

import math

from clustervet.errors import UndefinedError

DISTANCE_BIAS = (
    "it favours round, compact clusters, as k-means makes them, and fails on other shapes"
)


def ratio(above: float, below: float, why: str) -> float:
    """A quotient that may be infinite; 0/0 is undefined for the given reason."""
    if below == 0:
        if above == 0:
            raise UndefinedError(why)
        return math.inf
    return above / below
