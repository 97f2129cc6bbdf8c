"""Every measure of soft clusterings once more: sums over all pairs of objects, in exact fractions.

Nothing here comes from the package. Degrees are fractions that sum to 1 in each row.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from mpmath import mp, mpf

Row = tuple[Fraction, ...]
Matrix = list[Row]
Value = Any  # a Fraction, an mpf, or None where the definition is 0/0


def exactly(weights: Sequence[Sequence[int]]) -> Matrix:
    """Rows of whole numbers, divided by their sums."""
    return [tuple(Fraction(x, sum(row)) for x in row) for row in weights]


def pairs(ps: Matrix) -> Iterator[tuple[int, int]]:
    return itertools.combinations(range(len(ps)), 2)


def equivalence(ps: Matrix, i: int, j: int) -> Fraction:
    return 1 - sum((abs(x - y) for x, y in zip(ps[i], ps[j], strict=True)), Fraction(0)) / 2


def equivalences(ps: Matrix) -> list[Fraction]:
    return [equivalence(ps, i, j) for i, j in pairs(ps)]


def mean_gap(e: Sequence[Fraction], f: Sequence[Fraction]) -> Fraction:
    return sum((abs(x - y) for x, y in zip(e, f, strict=True)), Fraction(0)) / len(e)


def share(part: Value, whole: Value) -> Value:
    return None if whole == 0 else part / whole


def root(x: Fraction) -> Any:
    return mp.sqrt(mpf(x.numerator) / x.denominator)


def ndc(ps: Matrix, qs: Matrix) -> Value:
    return None if len(ps) < 2 else 1 - mean_gap(equivalences(ps), equivalences(qs))


def expected_gap(ps: Matrix, qs: Matrix) -> Fraction:
    """The mean gap over all orders of the objects of qs, one by one."""
    e = equivalences(ps)
    orders = list(itertools.permutations(qs))
    return sum((mean_gap(e, equivalences(list(order))) for order in orders), Fraction(0)) / len(
        orders
    )


def adjusted_concordance(ps: Matrix, qs: Matrix) -> Value:
    if len(ps) < 2:
        return None
    expected = 1 - expected_gap(ps, qs)
    return share(ndc(ps, qs) - expected, 1 - expected)


def split(ps: Matrix, qs: Matrix) -> tuple[Fraction, ...]:
    """The four parts of every pair, which sum to 1 for each."""
    parts = [Fraction(0)] * 4
    for e, f in zip(equivalences(ps), equivalences(qs), strict=True):
        concordant = 1 - abs(e - f)
        found = (concordant * e * f, max(e - f, 0), max(f - e, 0), concordant * (1 - e * f))
        assert sum(found) == 1
        parts = [x + y for x, y in zip(parts, found, strict=True)]
    return tuple(parts)


def ndc_jaccard(ps: Matrix, qs: Matrix) -> Value:
    a, b, c, _ = split(ps, qs)
    return share(a, a + b + c)


def ndc_dice(ps: Matrix, qs: Matrix) -> Value:
    a, b, c, _ = split(ps, qs)
    return share(2 * a, 2 * a + b + c)


def ndc_fowlkes_mallows(ps: Matrix, qs: Matrix) -> Value:
    a, b, c, _ = split(ps, qs)
    return share(mpf(a.numerator) / a.denominator, root((a + b) * (a + c)))


def campello(ps: Matrix, qs: Matrix, norm: str) -> tuple[Fraction, ...]:
    """Pairs together and apart by a t-norm, over all clusters and pairs of clusters."""
    t: Callable[[Fraction, Fraction], Fraction] = (
        min if norm == "minimum" else lambda x, y: x * y  # type: ignore[assignment]
    )

    def together(side: Matrix, i: int, j: int) -> Fraction:
        return max(t(x, y) for x, y in zip(side[i], side[j], strict=True))

    def apart(side: Matrix, i: int, j: int) -> Fraction:
        found = [
            t(x, y) for k, x in enumerate(side[i]) for other, y in enumerate(side[j]) if k != other
        ]
        return max(found, default=Fraction(0))

    sums = [Fraction(0)] * 4
    for i, j in pairs(ps):
        left, right = (together(ps, i, j), apart(ps, i, j)), (together(qs, i, j), apart(qs, i, j))
        found = [t(x, y) for x in left for y in right]
        sums = [x + y for x, y in zip(sums, found, strict=True)]
    return tuple(sums)


def fuzzy_rand(ps: Matrix, qs: Matrix, norm: str = "minimum") -> Value:
    a, b, c, d = campello(ps, qs, norm)
    return share(a + d, a + b + c + d)


def fuzzy_adjusted_rand(ps: Matrix, qs: Matrix, norm: str = "minimum") -> Value:
    """As the paper has it: the index, the index expected, and the largest."""
    a, b, c, d = campello(ps, qs, norm)
    if a + b + c + d == 0:
        return None
    expected = (a + b) * (a + c) / (a + b + c + d)
    return share(a - expected, ((a + b) + (a + c)) / 2 - expected)


def fuzzy_jaccard(ps: Matrix, qs: Matrix, norm: str = "minimum") -> Value:
    a, b, c, _ = campello(ps, qs, norm)
    return share(a, a + b + c)


def fuzzy_fowlkes_mallows(ps: Matrix, qs: Matrix, norm: str = "minimum") -> Value:
    a, b, c, _ = campello(ps, qs, norm)
    return share(mpf(a.numerator) / a.denominator, root((a + b) * (a + c)))


def _log(x: Fraction) -> Any:
    return mp.log(mpf(x.numerator) / x.denominator)


def _entropy(shares: Sequence[Fraction]) -> Any:
    return -mp.fsum(mpf(p.numerator) / p.denominator * _log(p) for p in shares if p)


def _entropies(ps: Matrix, qs: Matrix) -> tuple[Any, Any, Any]:
    n = len(ps)
    cells = [
        sum((p[c] * q[k] for p, q in zip(ps, qs, strict=True)), Fraction(0)) / n
        for c in range(len(ps[0]))
        for k in range(len(qs[0]))
    ]
    sides = [[sum(column) / n for column in zip(*side, strict=True)] for side in (ps, qs)]
    return _entropy(sides[0]), _entropy(sides[1]), _entropy(cells)


def soft_mutual_information(ps: Matrix, qs: Matrix) -> Value:
    one, other, joint = _entropies(ps, qs)
    return (one + other - joint) / mp.log(2)


def soft_variation_of_information(ps: Matrix, qs: Matrix) -> Value:
    one, other, joint = _entropies(ps, qs)
    return (2 * joint - one - other) / mp.log(2)


def soft_normalized_mutual_information(ps: Matrix, qs: Matrix) -> Value:
    one, other, joint = _entropies(ps, qs)
    return share(one + other - joint, mp.sqrt(one * other))


MEASURES: dict[str, Callable[..., Value]] = {
    found.__name__: found
    for found in (
        ndc,
        adjusted_concordance,
        ndc_jaccard,
        ndc_dice,
        ndc_fowlkes_mallows,
        fuzzy_rand,
        fuzzy_adjusted_rand,
        fuzzy_jaccard,
        fuzzy_fowlkes_mallows,
        soft_mutual_information,
        soft_variation_of_information,
        soft_normalized_mutual_information,
    )
}


def partition_coefficient(ps: Matrix) -> Value:
    return sum(x * x for row in ps for x in row) / Fraction(len(ps))


def modified_partition_coefficient(ps: Matrix) -> Value:
    k = len(ps[0])
    return None if k == 1 else 1 - Fraction(k, k - 1) * (1 - partition_coefficient(ps))


def partition_entropy(ps: Matrix) -> Value:
    return mp.fsum(_entropy(row) for row in ps) / len(ps) / mp.log(2)


def fuzzy_xie_beni(points: Sequence[Sequence[int]], ps: Matrix, m: int = 2) -> Value:
    """Centres are means by degrees to the power m; empty clusters are left out."""
    clusters = [k for k in range(len(ps[0])) if any(row[k] for row in ps)]
    centers = []
    for k in clusters:
        weights = [row[k] ** m for row in ps]
        total = sum(weights)
        centers.append(
            [
                sum(w * x for w, x in zip(weights, column, strict=True)) / total
                for column in zip(*points, strict=True)
            ]
        )
    if len(centers) < 2:
        return None

    def square(one: Sequence[Any], other: Sequence[Any]) -> Fraction:
        return sum(((x - y) ** 2 for x, y in zip(one, other, strict=True)), Fraction(0))

    within = sum(
        row[k] ** m * square(x, center)
        for k, center in zip(clusters, centers, strict=True)
        for row, x in zip(ps, points, strict=True)
    )
    least = min(square(one, other) for one, other in itertools.combinations(centers, 2))
    if least == 0:
        return None if within == 0 else mp.inf
    return within / (len(ps) * least)
