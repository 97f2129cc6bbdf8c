"""Exact expectations of measures under null models, and what pair measures have beside them.

Which measures have them is found out, not listed: a measure that reads nothing but pair
counts, or nothing but entropies, and is affine in what varies takes its expectation where
those take theirs. So a user's own measure of that kind has a closed form too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from clustervet.contingency import Contingency, Pairs
from clustervet.contingency.derived import Entropies
from clustervet.contingency.sums import expected_deviances
from clustervet.inference.nulls import COUNTED_CLUSTERS, Side
from clustervet.inference.pair_null import PairNull
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
        """The standard deviation, that of the pair counts times the slope, if known."""
        if self.null is None or self._by_pairs is None:
            return None
        return abs(self._slope(0)) * self.null.spread

    def z(self) -> float | None:
        """The distance of the value from its expectation in standard deviations, if known."""
        if self.null is None or self._by_pairs is None:
            return None
        z = self.null.standardised(self._count(self.null))
        return z if self.rises else -z

    def skewness(self) -> float:
        """The skewness of the measure by chance; nan if not known."""
        if self.null is None or self._by_pairs is None:
            return math.nan
        return self.null.skewness if self.rises else -self.null.skewness

    def tail(self, higher: bool) -> tuple[str, float, float] | None:
        """How the tail was found, and the probabilities to reach the value and to pass it."""
        if self.null is None:
            return None
        return self.null.tail(self._count(self.null), upward=self.rises == higher)

    def _count(self, null: PairNull) -> Fraction:
        """The pair count of the table that the null distribution is of."""
        pairs = self.table.exact_pairs
        n11, p, q = pairs.n11, pairs.same_class, pairs.same_cluster
        return null.at(Fraction(n11), Fraction(p), Fraction(q))

    @cached_property
    def null(self) -> PairNull | None:
        """The pair count that orders random tables as the measure does, by chance.

        With sizes fixed that is N11 if the measure rises or falls with it. Else the measure has to
        be affine in N11, P and Q, and the count is that combination of them.
        """
        if self.rises is None or any((s.clusters or 0) > COUNTED_CLUSTERS for s in self.both):
            return None
        if self.sizes_fixed:
            return PairNull(self.both)
        # The measure's own rounding is taken off.
        ratios = [self._slope(k) / self._slope(0) for k in range(3)]
        one, p, q = (Fraction(ratio).limit_denominator(10**6) for ratio in ratios)
        return PairNull(self.both, (one, p, q))

    @cached_property
    def rises(self) -> bool | None:
        """Whether the measure rises with N11, other pair counts fixed; None if it does neither."""
        if not self.sizes_fixed:
            slope = self._slope(0) if self._by_pairs is not None else 0.0
            return slope > 0 if slope else None
        least, most = max(Fraction(0), self.p + self.q - self.total), min(self.p, self.q)
        if least == most:
            return True  # sizes leave no choice, so nothing varies
        places = [least + (most - least) * k / 8 for k in range(9)]
        values = [self._at_pairs(n11, self.p, self.q) for n11 in places]
        steps = [after - before for before, after in pairwise(values)]
        rises = all(step > 0 for step in steps)
        return rises if rises or all(step < 0 for step in steps) else None

    def _slope(self, which: int) -> float:
        """By how much the value changes with N11, P or Q at their expectations."""
        step, here = self._step, [self.n11, self.p, self.q]
        start = self._at_pairs(*here)
        here[which] += step
        return (self._at_pairs(*here) - start) / float(step)

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
