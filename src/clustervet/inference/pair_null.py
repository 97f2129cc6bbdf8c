"""How pair counts are distributed by chance: exact moments, all tables of small ones, and tails.

A count of pairs is a sum over pairs of objects, so its m-th moment is a sum over m pairs. What
matters of them is only how they touch: there are three ways for two pairs and eight for three. How
often random clusterings keep such a pattern together is known in closed form for every null model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product

from clustervet.inference.nulls import Side

# How p-values without random tables are found.
ALL_TABLES = "all tables of these sizes"
PEARSON = "Pearson III from the exact third moment"
NORMAL = "normal, because the exact skewness is negative"
# Rows of tables that are all counted, and the steps that this may take: a tenth of a second.
ROWS, STEPS = 12, 50_000
# Ways to fill a table that are less likely are not counted.
UNLIKELY = 1e-16
# What the tables that are not counted may add to a probability, at most.
LOST = 1e-12
# Smaller approximate p-values were not checked.
TRUSTED = 1e-4
# A skewness too small to tell the tail from that of a normal distribution.
SYMMETRIC = 1e-6

Edge = tuple[int, int]
Split = list[tuple[int, float]]
Weights = tuple[Fraction, Fraction, Fraction]
N11 = (Fraction(1), Fraction(0), Fraction(0))
# Ways in which one, two and three pairs of objects touch. With v objects, n (n-1) ... (n-v+1)
# times the factor is the number of ways to place them in order.
PATTERNS: tuple[tuple[tuple[Fraction, tuple[Edge, ...]], ...], ...] = (
    ((Fraction(1, 2), ((0, 1),)),),
    (
        (Fraction(1, 2), ((0, 1), (0, 1))),
        (Fraction(1), ((0, 1), (0, 2))),
        (Fraction(1, 4), ((0, 1), (2, 3))),
    ),
    (
        (Fraction(1, 2), ((0, 1), (0, 1), (0, 1))),
        (Fraction(3), ((0, 1), (0, 1), (0, 2))),
        (Fraction(3, 4), ((0, 1), (0, 1), (2, 3))),
        (Fraction(1), ((0, 1), (0, 2), (1, 2))),
        (Fraction(1), ((0, 1), (0, 2), (0, 3))),
        (Fraction(3), ((0, 1), (1, 2), (2, 3))),
        (Fraction(3, 2), ((0, 1), (0, 2), (3, 4))),
        (Fraction(1, 8), ((0, 1), (2, 3), (4, 5))),
    ),
)


class PairNull:
    """The chance distribution of u N11 + v P + w Q for two independent random clusterings.

    N11 counts the pairs of objects that both clusterings put together, P and Q those that the
    first and the second one do. Mean, variance and third central moment are exact.

    Parameters
    ----------
    both : tuple of Side
        The random clusterings.
    weights : tuple of Fraction, optional
        u, v and w; by default N11 alone.

    Notes
    -----
    The tail is counted from all tables where these are few. Else it is that of the Pearson type III
    distribution (a shifted gamma distribution) with the same mean, variance and skewness g. A half
    step is taken off, because pair counts are whole (Mantel 1967; Siemiatycki 1978; Mielke & Berry
    2007). A Pearson type III distribution of negative skewness has a largest value, which would
    make p-values 0. There the normal tail is taken, which is longer.
    """

    def __init__(self, both: tuple[Side, Side], weights: Weights = N11) -> None:
        self.both, self.weights, self.n = both, weights, both[0].n

    @cached_property
    def mean(self) -> Fraction:
        """The expectation."""
        return self._raw(1)

    @cached_property
    def variance(self) -> Fraction:
        """The second central moment; for N11 that of Fowlkes & Mallows 1983, §2."""
        return self._raw(2) - self.mean**2

    @cached_property
    def third(self) -> Fraction:
        """The third central moment."""
        return self._raw(3) - 3 * self.mean * self._raw(2) + 2 * self.mean**3

    @cached_property
    def skewness(self) -> float:
        """The third central moment in units of the standard deviation; nan without spread."""
        if self.variance <= 0:
            return math.nan
        size = math.sqrt(float(self.third**2 / self.variance**3))
        return math.copysign(size, float(self.third))

    @property
    def spread(self) -> float:
        """The standard deviation."""
        return math.sqrt(max(0.0, float(self.variance)))

    def at(self, n11: Fraction, p: Fraction, q: Fraction) -> Fraction:
        """The count for given numbers of pairs."""
        return sum((w * x for w, x in zip(self.weights, (n11, p, q), strict=True)), Fraction(0))

    def standardised(self, value: Fraction) -> float:
        """The distance from the mean in standard deviations; nan without spread."""
        return float(value - self.mean) / self.spread if self.variance > 0 else math.nan

    def _raw(self, power: int) -> Fraction:
        """The moment about zero: the sum over patterns of their number times their mean."""
        total = Fraction(0)
        for factor, edges in PATTERNS[power - 1]:
            places = factor * math.perm(self.n, 1 + max(map(max, edges)))
            if places:
                total += places * self._mean_product(edges)
        return total

    def _mean_product(self, edges: Sequence[Edge]) -> Fraction:
        """The expected product over pairs of u a b + v a + w b, where a and b are 1 or 0."""
        total = Fraction(0)
        for chosen in product(range(3), repeat=len(edges)):
            weight = math.prod((self.weights[k] for k in chosen), start=Fraction(1))
            if weight:
                one = [edge for edge, k in zip(edges, chosen, strict=True) if k != 2]
                other = [edge for edge, k in zip(edges, chosen, strict=True) if k != 1]
                weight *= self.both[0].together(_groups(one))
                total += weight * self.both[1].together(_groups(other))
        return total

    def tail(self, value: Fraction, upward: bool) -> tuple[str, float, float]:
        """How the tail was found, and the probabilities to reach a value and to pass it."""
        if self.variance <= 0:
            return ALL_TABLES, 1.0, 0.0
        found = self._counted
        if found is not None:
            past = math.fsum(p for x, p in found.items() if (x > value if upward else x < value))
            reach = past + found.get(int(value), 0.0)
            return ALL_TABLES, min(1.0, max(LOST, reach)), past
        half = min(abs(weight) for weight in self.weights if weight) / 2
        sign = 1 if upward else -1
        skewness = sign * self.skewness
        reach, past = (
            pearson_tail(float(sign * (value - self.mean) + move) / self.spread, skewness)
            for move in (-half, half)
        )
        return PEARSON if skewness >= 0 else NORMAL, reach, past

    @cached_property
    def _counted(self) -> dict[int, float] | None:
        """The probability of each value of N11, if sizes are fixed and tables are few."""
        sizes = [side.sizes for side in self.both]
        if self.weights != N11 or sizes[0] is None or sizes[1] is None:
            return None
        short, long = sorted((sizes[0].tolist(), sizes[1].tolist()), key=len)
        return count_tables(tuple(short), tuple(long)) if len(short) <= ROWS else None


def pearson_tail(z: float, skewness: float) -> float:
    """P(Z >= z) of the Pearson type III distribution with mean 0, variance 1 and a skewness g.

    It is Q(k, k + z sqrt(k)) with k = 4/g^2 and Q the regularised upper incomplete gamma function.
    For g = 0 that is the normal distribution, which stands in for negative skewness too.

    >>> round(pearson_tail(1.96, 0.0), 4), round(pearson_tail(1.96, 1.0), 4)
    (0.025, 0.0447)
    """
    from scipy.special import gammaincc, ndtr

    if skewness < SYMMETRIC:
        return float(ndtr(-z))
    shape = 4 / skewness**2
    return float(gammaincc(shape, max(0.0, shape + z * math.sqrt(shape))))


@lru_cache(maxsize=8)
def count_tables(rows: tuple[int, ...], columns: tuple[int, ...]) -> dict[int, float] | None:
    """The probability of each N11 over all tables with these sizes; None if there are too many.

    Columns are filled one after the other. What is left of the rows is kept in order of size,
    since N11 does not depend on which row is which. The last column, and columns of one object,
    leave no choice. Ways that are less likely than `UNLIKELY` are left out.

    >>> count_tables((2, 1), (2, 1))
    {0: 0.6666666666666666, 1: 0.3333333333333333}
    """
    wide = sorted(size for size in columns if size > 1)
    ends = len(wide) == len(columns)
    if ends:
        wide.pop()
    states: dict[tuple[int, ...], dict[int, float]] = {tuple(sorted(rows)): {0: 1.0}}
    steps, splits = 0, lru_cache(maxsize=None)(_hypergeometric)
    for size in wide:
        reached: dict[tuple[int, ...], dict[int, float]] = {}
        for left, values in states.items():
            for rest, pairs, share in _fillings(left, size, 1.0, splits):
                steps += len(left) + len(values)
                if steps > STEPS:
                    return None
                into = reached.setdefault(tuple(sorted(rest)), {})
                for value, p in values.items():
                    into[value + pairs] = into.get(value + pairs, 0.0) + p * share
        states = reached
    found: dict[int, float] = {}
    for left, values in states.items():
        pairs = sum(x * (x - 1) // 2 for x in left) if ends else 0
        for value, p in values.items():
            found[value + pairs] = found.get(value + pairs, 0.0) + p
    return found


def _fillings(
    left: tuple[int, ...], size: int, share: float, splits: Callable[[int, int, int], Split]
) -> Iterator[tuple[tuple[int, ...], int, float]]:
    """Ways to take objects from rows: what is left, the pairs taken, and the probability."""
    if len(left) == 1:
        yield (left[0] - size,), size * (size - 1) // 2, share
        return
    first, others = left[0], left[1:]
    for taken, p in splits(first, sum(others), size):
        if p * share > UNLIKELY:
            for rest, pairs, whole in _fillings(others, size - taken, p * share, splits):
                yield (first - taken, *rest), pairs + taken * (taken - 1) // 2, whole


def _hypergeometric(marked: int, others: int, drawn: int) -> Split:
    """How many of the objects drawn are marked, with probabilities, from the likeliest outwards.

    A list that is longer than the steps that counting may take is not finished.
    """
    low, high = max(0, drawn - others), min(marked, drawn)
    peak = min(high, max(low, (drawn + 1) * (marked + 1) // (marked + others + 2)))
    found = [(peak, 1.0)]
    at, p = peak, 1.0
    while at < high and p > UNLIKELY and len(found) <= STEPS:
        p *= (marked - at) * (drawn - at) / ((at + 1) * (others - drawn + at + 1))
        at += 1
        found.append((at, p))
    at, p = peak, 1.0
    while at > low and p > UNLIKELY and len(found) <= STEPS:
        p *= at * (others - drawn + at) / ((marked - at + 1) * (drawn - at + 1))
        at -= 1
        found.append((at, p))
    total = math.fsum(p for _, p in found)
    return [(at, p / total) for at, p in found]


def _groups(edges: Sequence[Edge]) -> tuple[int, ...]:
    """The numbers of objects that pairs link to each other, largest first."""
    linked: list[set[int]] = []
    for edge in edges:
        touched = [group for group in linked if not group.isdisjoint(edge)]
        linked = [group for group in linked if group.isdisjoint(edge)]
        linked.append(set(edge).union(*touched))
    return tuple(sorted(map(len, linked), reverse=True))
