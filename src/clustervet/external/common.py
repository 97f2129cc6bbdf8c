"""Helpers that several formulas share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import is_number
from clustervet.contingency import Contingency, Pairs
from clustervet.contingency.sums import exact_sum
from clustervet.errors import ParameterError, UndefinedError

Exact = int | float | Fraction
NO_OBJECTS = "there are no objects"
Items = NDArray[Any]
Floats = NDArray[np.float64]
# Cells up to which a difference that lost its digits is computed again in more digits.
MANY_CELLS = 10_000
# A weight of recall beyond which values are equal to all digits of a float.
LARGEST_BETA = 1e100


def in_base(nats: float, base: float) -> float:
    """Information in the unit of the base: 2 for bits, e for nats."""
    if not (is_number(base) and 1 < base < math.inf):
        raise ParameterError(f"base must be a number above 1, not {base!r}.")
    return nats if base == math.e else nats / math.log(base)


@overload
def share(part: Exact, whole: Exact, why: str) -> float: ...


@overload
def share(part: Items, whole: Items | Exact, why: str) -> Floats: ...


def share(part: Exact | Items, whole: Exact | Items, why: str) -> float | Floats:
    """Part / whole, rounded once; undefined for the given reason if the whole is zero.

    Arrays are divided item by item, and undefined items are nan.
    """
    if isinstance(part, np.ndarray):
        found, by = np.full(part.shape, np.nan), np.asarray(whole)
        np.divide(part, by, out=found, where=np.asarray(by != 0), casting="unsafe")
        return found
    if whole == 0:
        raise UndefinedError(why)
    return float(part / whole)


@overload
def root(square: float) -> float: ...


@overload
def root(square: Floats) -> Floats: ...


def root(square: float | Floats) -> float | Floats:
    """The square root of a number, or of each item of an array."""
    return np.sqrt(square) if isinstance(square, np.ndarray) else math.sqrt(square)


def squared(beta: float) -> float:
    """The square of a weight of recall; larger ones would give the same, and overflow."""
    return min(positive(beta, "beta"), LARGEST_BETA) ** 2


def harmonic(a: float, b: float) -> float:
    """The harmonic mean of two numbers that are not negative; 0 if one of them is."""
    return 2 * a * b / (a + b) if a + b else 0.0


def objects_of(table: Contingency, *, of_clusters: bool) -> Exact:
    """The number of objects that the prediction has, or the truth; of many tables, an array."""
    if not table.partial:
        return table.exact_n
    return exact_sum(table.sides.clusters if of_clusters else table.sides.classes)


def each(function: Callable[[Any], float], value: Any) -> Any:
    """The function of a number, or of each item of an array with few distinct ones."""
    if not isinstance(value, np.ndarray):
        return function(value)
    distinct, places = np.unique(value, return_inverse=True)
    return np.array([function(item) for item in distinct.tolist()])[places]


def at_most_one(value: float) -> float:
    """The value without what rounding adds above 1; of an array, each item."""
    if isinstance(value, np.ndarray):
        return np.minimum(value, 1.0)
    return min(1.0, value)


def at_least_zero(value: float) -> float:
    """The value without what rounding takes below 0; of an array, each item."""
    if isinstance(value, np.ndarray):
        return np.maximum(value, 0.0)
    return max(0.0, value)


def as_array(numbers: Sequence[int] | NDArray[Any]) -> NDArray[Any]:
    """The numbers as an array; Python ints are not converted."""
    return numbers if isinstance(numbers, np.ndarray) else np.array(numbers, object)


def ratios(parts: NDArray[Any], wholes: NDArray[Any]) -> NDArray[np.float64]:
    """Elementwise parts / wholes as floats; Python ints may exceed any float."""
    return np.asarray(parts / wholes, np.float64)


def positive(value: float, name: str) -> float:
    """A parameter that must be positive and finite."""
    if not (is_number(value) and 0 < value < math.inf):
        raise ParameterError(f"{name} must be a positive number, not {value!r}.")
    return value


def pairs_of(table: Contingency) -> Pairs:
    """Pair counts, undefined where real weights do not stand for objects."""
    pairs = table.exact_pairs
    if not table.is_whole and (pairs.total <= 0 or min(pairs) < 0):
        raise UndefinedError("the weights are too small to count pairs of objects")
    return pairs
