"""Meilă 2007, §7, Properties 10 to 13: what the axioms leave free.

The axioms are linear in the unknown distances, so for all clusterings of at most four points they
are written down one by one and solved in exact rationals.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from paper_clusterings import bottom, induced, meet, top
from paper_oracles import near, partitions
from scipy.optimize import linprog

import clustervet as cv

MOST = 4
SPACES = {n: list(partitions(n)) for n in range(1, MOST + 1)}
# One equation: coefficients of the unknown distances, and its right-hand side as a combination of
# 1, log 2 and log 3, between which no rational relation holds.
Equation = tuple[dict[tuple, Fraction], tuple[Fraction, ...]]
NOTHING = (Fraction(0), Fraction(0), Fraction(0))
LOGS = {1: (0, 0, 0), 2: (0, 1, 0), 3: (0, 0, 1), 4: (0, 2, 0)}


def canonical(labels):
    """The clustering with clusters numbered by their first points."""
    seen = {}
    return tuple(seen.setdefault(label, len(seen)) for label in labels)


def equation(*terms, equals=NOTHING) -> Equation:
    row: dict[tuple, Fraction] = {}
    for factor, first, second in terms:
        place = canonical(first), canonical(second)
        row[place] = row.get(place, Fraction(0)) + Fraction(factor)
    return {place: factor for place, factor in row.items() if factor}, tuple(map(Fraction, equals))


def alignment(space):
    """A1 and A2: straight lines from top to bottom, and through the meet."""
    one, zero = top(space[0]), bottom(space[0])
    for middle in space:
        yield equation((1, one, middle), (1, middle, zero), (-1, one, zero))
    for first in space:
        for second in space:
            both = meet(first, second)
            yield equation((1, first, both), (1, both, second), (-1, first, second))
            # The distance from a refinement is that to it.
            yield equation((1, first, second), (-1, second, first))


def additivity(space, power):
    """A3, and A3.M where shares are squared."""
    n = len(space[0])
    for coarse in space:
        for other in space:
            fine = meet(coarse, other)
            parts = [
                (-(Fraction(len(group), n) ** power), top(group), group)
                for group in induced(fine, coarse).values()
            ]
            yield equation((1, coarse, fine), *parts)


def scale(space, value):
    """A4, A4.M: the distance of the uniform clusterings from the top."""
    n = len(space[0])
    for clusters in range(1, n + 1):
        if n % clusters == 0:
            uniform = [place * clusters // n for place in range(n)]
            yield equation((1, top(uniform), uniform), equals=value(clusters))


def logarithm(clusters):
    return LOGS[clusters]


def share(clusters):
    return (1 - Fraction(1, clusters), 0, 0)


def one_scale(space):
    """A4.H: the distance of a uniform clustering from the top depends on its clusters alone."""
    n = len(space[0])
    for clusters in (clusters for clusters in range(1, n) if n % clusters == 0):
        uniform = [place * clusters // n for place in range(n)]
        yield equation((1, top(uniform), uniform), (-1, [0] * clusters, range(clusters)))


def axioms(*, power=1, value=None):
    for space in SPACES.values():
        yield from alignment(space)
        yield from additivity(space, power)
        if value is not None:
            yield from scale(space, value)


class ContradictionError(Exception):
    """An equation that says 0 = something else."""


def eliminate(equations):
    """Reduced rows by their leading unknown."""
    rows: dict[tuple, Equation] = {}
    for given in equations:
        row, right = reduced(given, rows)
        if not row:
            if any(right):
                raise ContradictionError
            continue
        lead, factor = next(iter(row.items()))
        new = {place: x / factor for place, x in row.items()}, tuple(x / factor for x in right)
        rows = {place: reduced(old, {lead: new}) for place, old in rows.items()}
        rows[lead] = new
    return rows


def reduced(given, rows) -> Equation:
    row, right = dict(given[0]), list(given[1])
    for place in [place for place in row if place in rows]:
        factor = row[place]
        if not factor:
            continue
        known, value = rows[place]
        for other, x in known.items():
            row[other] = row.get(other, Fraction(0)) - factor * x
        right = [x - factor * y for x, y in zip(right, value, strict=True)]
    return {place: x for place, x in row.items() if x}, tuple(right)


def unknowns():
    return {(first, second) for space in SPACES.values() for first in space for second in space}


def solution(**asked):
    rows = eliminate(axioms(**asked))
    assert {(canonical(a), canonical(b)) for a, b in unknowns()} == set(rows)
    assert all(len(row) == 1 for row, _ in rows.values())
    return {
        place: float(right[0]) + float(right[1]) + float(right[2]) * math.log2(3)
        for place, (_, right) in rows.items()
    }


def test_property_10_only_vi_satisfies_a1_to_a4():
    for (first, second), value in solution(value=logarithm).items():
        assert cv.variation_of_information(first, second) == near(value)


def test_property_11_nothing_satisfies_a1_to_a3_and_a4_m():
    with pytest.raises(ContradictionError):
        eliminate(axioms(value=share))


def test_property_12_only_mirkin_satisfies_a1_a2_a3_m_and_a4_m():
    for (first, second), value in solution(power=2, value=share).items():
        assert cv.mirkin_invariant(first, second) == near(value)


def test_van_dongen_keeps_a2_and_a3_but_not_a1():
    rows = [*additivity(SPACES[4], 1), *alignment(SPACES[4])]
    failures = [
        row
        for row, _ in rows
        if abs(
            sum(float(factor) * cv.van_dongen_invariant(*place) for place, factor in row.items())
        )
        > 1e-12
    ]
    # Only the three clusterings into two pairs are off the line from top to bottom.
    assert len(failures) == 3
    assert all(
        (top([0] * 4), bottom([0] * 4)) == tuple(map(list, list(row)[2])) for row in failures
    )


def test_property_13_a1_to_a3_make_any_scale_of_the_number_of_clusters_additive():
    rows = eliminate([*axioms(), *(row for space in SPACES.values() for row in one_scale(space))])
    # h(4) = 2 h(2): the distance from top to bottom of four points is twice that of two.
    free = equation((1, top([0] * 4), range(4)), (-2, (0, 0), (0, 1)))
    assert reduced(free, rows) == ({}, NOTHING)
    # Beyond the zeros, h(2) and h(3) are all that is left to choose.
    left = {place for row, _ in rows.values() for place in row if place not in rows}
    left |= {(canonical(a), canonical(b)) for a, b in unknowns()} - set(rows)
    assert len(left) == 2


@pytest.mark.parametrize(("most", "low", "high"), [(9, 1.5, 2.0), (300, 1.58, 1.59)])
def test_property_13_a_non_decreasing_additive_scale_is_pressed_towards_the_logarithm(
    most, low, high
):
    # Unknowns h(1..most) with h(2) = 1: additive over products and never falling.
    equal = [(a * b, a, b) for a in range(1, most + 1) for b in range(a, most // a + 1)]
    additive = np.zeros((len(equal) + 1, most + 1))
    for row, (product, a, b) in enumerate(equal):
        additive[row, product] += 1
        additive[row, a] -= 1
        additive[row, b] -= 1
    additive[-1, 2] = 1
    right = np.zeros(len(additive))
    right[-1] = 1
    falling = np.zeros((most - 1, most + 1))
    for k in range(1, most):
        falling[k - 1, [k, k + 1]] = 1, -1
    reach = []
    for sign in (1, -1):
        aim = np.zeros(most + 1)
        aim[3] = sign
        found = linprog(
            aim, A_ub=falling, b_ub=np.zeros(most - 1), A_eq=additive, b_eq=right, bounds=(0, None)
        )
        assert found.success
        reach.append(found.x[3])
    assert low <= reach[0] <= math.log2(3) <= reach[1] <= high
