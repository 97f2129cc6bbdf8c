"""Exact values of measures. No code is shared with the library that is tested here.

Counts are Python ints. Ratios of pair counts are computed once from ints. Logarithms have 50
digits. Sums run over distinct sizes with their multiplicities, which keeps them short.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from decimal import Decimal, localcontext
from functools import cache

import numpy as np
from numpy.typing import NDArray

DIGITS = 50
TINY = Decimal(10) ** -45


@cache
def _ln(x: int) -> Decimal:
    with localcontext() as context:
        context.prec = DIGITS
        return Decimal(x).ln()


def _two(x: int) -> int:
    return x * (x - 1) // 2


class ExactTable:
    """Counts of two arrays of integer labels, and the measures computed from them."""

    def __init__(self, truth: NDArray[np.int64], pred: NDArray[np.int64]) -> None:
        width = int(pred.max()) + 1
        keys, counts = np.unique(truth * width + pred, return_counts=True)
        self.rows, self.cols, self.counts = keys // width, keys % width, counts
        self.class_sizes = np.bincount(truth)
        self.cluster_sizes = np.bincount(pred)
        self.n = len(truth)
        self.cells = _tally(counts)
        self.classes = _tally(self.class_sizes)
        self.clusters = _tally(self.cluster_sizes)
        self._found: dict[str, Decimal] = {}

    def __call__(self, measure: str) -> Decimal | None:
        """The exact value of a measure (in nats if it has a unit), or None if unknown here."""
        formula: Callable[[], Decimal] | None = getattr(self, measure, None)
        if formula is not None and measure not in self._found:
            with localcontext() as context:
                context.prec = DIGITS
                self._found[measure] = formula()
        return self._found.get(measure)

    def _pairs(self) -> tuple[int, int, int, int]:
        """Numbers of pairs in the same cell, class and cluster, and of all pairs."""
        both, p, q = _pair_sum(self.cells), _pair_sum(self.classes), _pair_sum(self.clusters)
        return both, p, q, _two(self.n)

    def rand(self) -> Decimal:
        both, p, q, m = self._pairs()
        return Decimal(m + 2 * both - p - q) / m

    def adjusted_rand(self) -> Decimal:
        both, p, q, m = self._pairs()
        return Decimal(2 * (m * both - p * q)) / (m * (p + q) - 2 * p * q)

    def jaccard(self) -> Decimal:
        both, p, q, _ = self._pairs()
        return Decimal(both) / (p + q - both)

    def pair_f1(self) -> Decimal:
        both, p, q, _ = self._pairs()
        return Decimal(2 * both) / (p + q)

    def fowlkes_mallows(self) -> Decimal:
        both, p, q, _ = self._pairs()
        return both / Decimal(p * q).sqrt()

    def adjusted_fowlkes_mallows(self) -> Decimal:
        both, p, q, m = self._pairs()
        chance = Decimal(p * q) / m
        return (both - chance) / (Decimal(p * q).sqrt() - chance)

    def hubert_gamma(self) -> Decimal:
        both, p, q, m = self._pairs()
        return (m * both - p * q) / Decimal(p * q * (m - p) * (m - q)).sqrt()

    def _entropy(self, sizes: Counter[int]) -> Decimal:
        return _ln(self.n) - sum((k * x * _ln(x) for x, k in sizes.items()), Decimal(0)) / self.n

    def mutual_information(self) -> Decimal:
        return sum(map(self._entropy, (self.classes, self.clusters)), -self._entropy(self.cells))

    def variation_of_information(self) -> Decimal:
        joint = self._entropy(self.cells)
        return 2 * joint - self._entropy(self.classes) - self._entropy(self.clusters)

    def homogeneity(self) -> Decimal:
        return self.mutual_information() / self._entropy(self.classes)

    def completeness(self) -> Decimal:
        return self.mutual_information() / self._entropy(self.clusters)

    def v_measure(self) -> Decimal:
        return self.mutual_information() / self._mean_entropy()

    def normalized_mutual_information(self) -> Decimal:  # with the arithmetic mean
        return self.v_measure()

    def _mean_entropy(self) -> Decimal:
        return (self._entropy(self.classes) + self._entropy(self.clusters)) / 2

    def adjusted_mutual_information(self) -> Decimal:
        expected = sum(
            count * other * self._expected(a, b)
            for a, count in self.classes.items()
            for b, other in self.clusters.items()
        )
        return (self.mutual_information() - expected) / (self._mean_entropy() - expected)

    def _expected(self, a: int, b: int) -> Decimal:
        """E[x/n log(n x / a b)] for the hypergeometric overlap x of sets of sizes a and b.

        Vinh, Epps & Bailey 2010, eq. 24a. Probabilities are computed from their ratios and
        divided by their own sum.
        """
        rest = self.n - a - b
        x = max(0, -rest)
        weight = mass = Decimal(1)
        shift = _ln(self.n) - _ln(a) - _ln(b)
        total = x * (_ln(x) + shift) if x else Decimal(0)
        mean = a * b // self.n
        while x < min(a, b):
            weight = weight * ((a - x) * (b - x)) / ((x + 1) * (rest + x + 1))
            x += 1
            mass += weight
            total += weight * x * (_ln(x) + shift)
            if x > mean and weight * x < TINY * mass:
                break
        return total / (mass * self.n)

    def purity(self) -> Decimal:
        return Decimal(self._peaks(self.cols, self.cluster_sizes)) / self.n

    def van_dongen(self) -> Decimal:
        peaks = self._peaks(self.rows, self.class_sizes), self._peaks(self.cols, self.cluster_sizes)
        return Decimal(2 * self.n - sum(peaks))

    def _peaks(self, line: NDArray[np.int64], sizes: NDArray[np.int64]) -> int:
        best = np.zeros(len(sizes), np.int64)
        np.maximum.at(best, line, self.counts)
        return int(best.sum())

    def element_centric_similarity(self) -> Decimal:
        larger = np.maximum(self.class_sizes[self.rows], self.cluster_sizes[self.cols])
        pairs = zip(self.counts.tolist(), larger.tolist(), strict=True)
        return sum((Decimal(x * x) / size for x, size in pairs), Decimal(0)) / self.n


def _tally(sizes: NDArray[np.int64]) -> Counter[int]:
    """How many times each size occurs; sizes of 0 are left out."""
    return Counter(sizes[sizes > 0].tolist())


def _pair_sum(sizes: Counter[int]) -> int:
    return sum(count * _two(size) for size, count in sizes.items())
