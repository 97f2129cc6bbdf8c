"""Partitions counted, listed one after the other, and drawn at random."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

# Weights below exp(-RARE) of the largest are left out of a draw: too small to change a float.
RARE = 60.0
# Number of draws at once, until one fits.
BATCH = 1_000


def stirling(n: int, k: int) -> int:
    """Number of partitions of n objects into k clusters: Stirling's number of the second kind.

    Counts the maps onto k labels by inclusion and exclusion, and divides by the k! orders of the
    labels.

    >>> [stirling(4, k) for k in range(6)]
    [0, 1, 7, 6, 1, 0]
    """
    if k > n:
        return 0
    onto: int = sum((-1) ** (k - j) * math.comb(k, j) * j**n for j in range(k + 1))
    return onto // math.factorial(k)


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
    whole_sum: int = sum(math.comb(n, j) * derangements[n - j] * j**n for j in range(n + 1))
    return whole_sum // math.factorial(n)


def growth_strings(n: int, k: int | None) -> Iterator[list[int]]:
    """Codes of every partition of n objects (into k clusters), in lexicographic order.

    Each code is at most one above the largest before it (Knuth, TAOCP 4A, 7.2.1.5). The same list
    is yielded every time, with other contents.
    """
    codes = [0] * n

    def grow(at: int, used: int) -> Iterator[list[int]]:
        if at == n:
            yield codes
            return
        least = used if k is not None and k - used == n - at else 0
        most = used + 1 if k is None or used < k else used
        for code in range(least, most):
            codes[at] = code
            yield from grow(at + 1, max(used, code + 1))

    return grow(1, 1)


def any_labels(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Labels of a uniform partition: draw a number of urns, then an urn for each object.

    With m urns drawn with probability m^n / (e m! B(n)), all partitions are equally likely (Stam
    1983). The weights are computed from their ratios, outwards from the largest.
    """
    return rng.integers(0, _urns(n, rng), n)


def _urns(n: int, rng: np.random.Generator) -> int:
    low, high = 1, n + 1
    while low < high:  # find the largest weight: weights rise up to it
        middle = (low + high) // 2
        if n * math.log1p(1 / middle) > math.log(middle + 1):
            low = middle + 1
        else:
            high = middle
    reach = int(12 * math.sqrt(low) + RARE)  # the spread is below that of a Poisson law
    urns = np.arange(max(1, low - reach), low + reach + 1)
    steps = n * np.log1p(1 / urns[:-1]) - np.log(urns[1:])
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    shares = np.exp(logs - logs.max())
    return int(rng.choice(urns, p=shares / shares.sum()))


def labels_onto(n: int, k: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Labels of a uniform partition into k clusters.

    Each partition has k! labelings that use all k labels, so a uniform one of these will do: draw
    its sizes, then shuffle.
    """
    if k * math.exp(-n / k) < 3:
        sizes = rng.multinomial(n, np.full(k, 1 / k))
        while sizes.min() == 0:
            sizes = rng.multinomial(n, np.full(k, 1 / k))
    else:
        sizes = _small_sizes(n, k, rng)
    return rng.permutation(np.repeat(np.arange(k), sizes))


def _small_sizes(n: int, k: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Sizes of the clusters where most are small: Poisson's law without zero, given the sum.

    The numbers of clusters of each size are multinomial. They are drawn until the sizes add up to
    n, which takes about as many draws as the standard deviation of the sum.
    """
    if n == k:
        return np.ones(k, np.int64)
    rate = _rate(n / k)
    top = n - k + 1
    sizes = np.arange(1, min(top, int(rate + 12 * math.sqrt(rate) + RARE)) + 1)
    logs = sizes * math.log(rate) - np.cumsum(np.log(sizes))
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    while True:
        drawn = rng.multinomial(k, shares, size=BATCH)
        fits = np.flatnonzero(drawn @ sizes == n)
        if len(fits):
            return np.repeat(sizes, drawn[fits[0]])


def _rate(mean: float) -> float:
    """Rate of the Poisson law without zero that has this mean: rate / (1 - exp(-rate))."""
    low, high = 0.0, mean
    for _ in range(60):
        middle = (low + high) / 2
        if middle / -math.expm1(-middle) < mean:
            low = middle
        else:
            high = middle
    return high
