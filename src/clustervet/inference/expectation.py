"""Exact expectations of measures under null models, and the exact spread of pair measures.

Which measures have them is found out, not listed: a measure that reads nothing but pair
counts, or nothing but entropies, and is affine in what varies takes its expectation where
those take theirs. So a user's own measure of that kind has a closed form too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from clustervet.contingency import Contingency, Pairs
from clustervet.contingency.derived import Entropies
from clustervet.contingency.sums import expected_deviances
from clustervet.inference.nulls import Side
from clustervet.registry import Measure


def _is_affine(
    at: Callable[..., float], here: Sequence[Any], moves: Sequence[Sequence[Any]]
) -> bool:
    """Whether steps of one and two lengths in each direction change the value alike."""
    start = at(*here)
    for move in moves:
        near, far = (
            at(*(x + times * step for x, step in zip(here, move, strict=True))) for times in (1, 2)
        )
        # The comparison is written so that nan, which compares with nothing, says no.
        if not abs(2 * (near - start) - (far - start)) <= 1e-9 * abs(near - start):
            return False
    return True


class _PairsOnly:
    """Stands for a table of which nothing but the pair counts is known."""

    identical = False
    is_whole = False

    def __init__(self, pairs: Pairs, n: int) -> None:
        self.exact_pairs = pairs
        self.exact_n = self.n = n


class _EntropiesOnly:
    """Stands for a table of which nothing but sizes and information is known."""

    identical = False
    is_whole = True

    def __init__(self, table: Contingency, mutual: float) -> None:
        classes, clusters = table.entropies.classes, table.entropies.clusters
        self.entropies = Entropies(classes, clusters, classes - mutual, clusters - mutual, mutual)
        self.n, self.shape = table.n, table.shape
        self.class_sizes, self.cluster_sizes = table.class_sizes, table.cluster_sizes
        self.expected_mutual_information = table.expected_mutual_information


class ClosedForm:
    """What is known of a measure without random tables, for a table and the sides of a model.

    Given its sizes, a random clustering puts each pair together independently of the other
    clustering, so N11 has expectation P Q / M (Hubert & Arabie 1985). Mutual information is
    a sum over pairs of clusters that depends on their sizes alone (Vinh et al. 2010).
    """

    def __init__(
        self,
        record: Measure,
        parameters: dict[str, Any],
        table: Contingency,
        both: tuple[Side, Side],
        model: str,
    ) -> None:
        self.record, self.parameters, self.table, self.both = record, parameters, table, both
        self.n, self.sizes_fixed = int(table.n), model == "sizes"
        self.total = Fraction(self.n * (self.n - 1), 2)
        self.p, self.q = (side.expected_pairs() for side in both)
        self.n11 = self.p * self.q / self.total

    def expectation(self) -> float | None:
        """The exact expectation, where there is one."""
        found = self._by_pairs
        return self._by_information() if found is None else found

    def spread(self) -> float | None:
        """The standard deviation with sizes fixed, that of N11 times the slope, if known."""
        if not self.sizes_fixed or self.n <= 3 or self._by_pairs is None:
            return None
        step = self._step
        change = self._at_pairs(self.n11 + step, self.p, self.q)
        change -= self._at_pairs(self.n11, self.p, self.q)
        sizes = self.table.class_sizes.tolist(), self.table.cluster_sizes.tolist()
        return abs(change / float(step)) * math.sqrt(max(0.0, pair_variance(*sizes)))

    @cached_property
    def _by_pairs(self) -> float | None:
        """The value at the expected pair counts, if the measure is affine in what varies."""
        here = (self.n11, self.p, self.q)
        step, none = self._step, Fraction(0)
        moves = [(step, none, none)]
        if not self.sizes_fixed:
            moves += [(step, 2 * step, none), (none, step, 3 * step)]
        return self._at_pairs(*here) if _is_affine(self._at_pairs, here, moves) else None

    @property
    def _step(self) -> Fraction:
        """Pairs to move: so many that the value changes by more than it is rounded."""
        together, apart = min(self.p, self.q) - self.n11, self.total - self.p - self.q + self.n11
        return max(Fraction(1, 4), min(together, apart) / 16)

    def _by_information(self) -> float | None:
        """The value at the expected information, if the measure is affine in it."""
        if not self.sizes_fixed and self.record.key != "mutual_information":
            return None  # entropies vary too where sizes do
        step = min(self.table.entropies.classes, self.table.entropies.clusters) / 8
        if not _is_affine(self._at_information, (0.0,), ((step,),)):
            return None
        spectra = [side.spectrum() for side in self.both]
        return self._at_information(expected_deviances(spectra[0], spectra[1], self.n))

    def _at_pairs(self, n11: Fraction, p: Fraction, q: Fraction) -> float:
        pairs = Pairs(n11, p - n11, q - n11, self.total - p - q + n11)
        return self._evaluate(_PairsOnly(pairs, self.n))

    def _at_information(self, mutual: float) -> float:
        return self._evaluate(_EntropiesOnly(self.table, mutual))

    def _evaluate(self, subject: object) -> float:
        """The measure of a stand-in; nan if it asks for what the stand-in does not know."""
        try:
            return self.record.evaluate(subject, **self.parameters).value
        except (AttributeError, TypeError):
            return math.nan


def pair_variance(class_sizes: Sequence[int], cluster_sizes: Sequence[int]) -> float:
    """Variance of N11 over all tables with these sizes (Fowlkes & Mallows 1983, §2)."""
    n = sum(class_sizes)
    p, p3 = _falling_moments(class_sizes)
    q, q3 = _falling_moments(cluster_sizes)
    two = Fraction(n * (n - 1))
    three = two * (n - 2)
    four = three * (n - 3)
    variance = 2 * p * q / two + 4 * p3 * q3 / three - (p * q / two) ** 2
    variance += (p * p - 2 * p - 4 * p3) * (q * q - 2 * q - 4 * q3) / four
    return float(variance / 4)


def _falling_moments(sizes: Sequence[int]) -> tuple[Fraction, Fraction]:
    """Sums of x (x - 1) and of x (x - 1) (x - 2)."""
    second = sum(size * (size - 1) for size in sizes)
    third = sum(size * (size - 1) * (size - 2) for size in sizes)
    return Fraction(second), Fraction(third)
