"""Helpers that several internal measures share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from clustervet.errors import ParameterError, UndefinedError

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


def whole(value: Any, name: str, least: int) -> int:
    """Check a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ParameterError(f"{name} must be a whole number of at least {least}, not {value!r}.")
    return int(value)


def one_of(value: Any, name: str, known: tuple[str, ...]) -> str:
    """Check that a value is one of the known names."""
    if value not in known:
        raise ParameterError(f"{name} must be one of {', '.join(known)}, not {value!r}.")
    return str(value)


def generator(random_state: Any) -> np.random.Generator:
    """A source of random numbers from a seed or a generator."""
    if random_state is None or isinstance(random_state, int | np.integer | np.random.Generator):
        return np.random.default_rng(random_state)
    raise ParameterError(
        f"random_state must be None, a whole number or a numpy Generator, not {random_state!r}."
    )
