"""Numbers of partitions, as whole numbers of any size."""

from __future__ import annotations

from math import comb, factorial
from typing import Any

import numpy as np

from clustervet.errors import ParameterError


def is_whole(value: Any) -> bool:
    """Whether a value is one whole number."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def whole(value: Any, name: str, least: int) -> int:
    """Check a parameter that must be a whole number of at least `least`."""
    if not is_whole(value):
        raise ParameterError(f"{name} must be a whole number, not {value!r}.")
    number = int(value)
    if number < least:
        raise ParameterError(f"{name} must be at least {least}, not {number:,}.")
    return number


def stirling(n: int, k: int) -> int:
    """Number of partitions of n objects into k clusters: Stirling's number of the second kind.

    Counts the maps onto k labels by inclusion and exclusion, and divides by the k! orders of the
    labels.

    >>> [stirling(4, k) for k in range(6)]
    [0, 1, 7, 6, 1, 0]
    """
    if k > n:
        return 0
    onto: int = sum((-1) ** (k - j) * comb(k, j) * j**n for j in range(k + 1))
    return onto // factorial(k)


def bell(n: int) -> int:
    """Number of partitions of n objects: Bell's number.

    The sum of Stirling's numbers with its two sums exchanged: n! B(n) is the sum over j of
    (n over j) D(n - j) j^n, where D is the number of derangements.

    >>> [bell(n) for n in range(8)]
    [1, 1, 2, 5, 15, 52, 203, 877]
    """
    derangements = [1]
    for m in range(1, n + 1):
        derangements.append(m * derangements[-1] + (-1) ** m)
    whole_sum: int = sum(comb(n, j) * derangements[n - j] * j**n for j in range(n + 1))
    return whole_sum // factorial(n)
