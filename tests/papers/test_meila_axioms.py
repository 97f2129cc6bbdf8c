"""Meilă 2007, §7: the axioms of the VI and of the Mirkin metric."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paper_clusterings import as_table, bottom, induced, meet, top
from paper_oracles import clusterings, entropy_given, entropy_of, mp, near, partitions

import clustervet as cv

law = settings(max_examples=80)
vi = cv.variation_of_information
FOUR = list(partitions(4))


@given(clusterings(1, clusters=6, most=14))
@law
def test_axiom_a1_every_clustering_lies_between_top_and_bottom(labels):
    (middle,) = labels
    one, zero = top(middle), bottom(middle)
    for distance in (vi, cv.mirkin_invariant):
        whole = distance(one, zero)
        assert distance(one, middle) + distance(middle, zero) == near(whole)
    assert vi(middle, zero) == near(mp.log(len(middle), 2) - entropy_of(middle))
    assert vi(one, middle) == near(entropy_of(middle))


@given(clusterings(2, clusters=4, most=14))
@law
def test_axiom_a2_the_meet_is_on_the_straight_line(labels):
    both = meet(*labels)
    for distance in (vi, cv.mirkin_invariant):
        assert distance(*labels) == near(sum(distance(side, both) for side in labels))


@given(clusterings(2, clusters=4, most=14))
@law
def test_axiom_a3_a_refinement_costs_the_mean_of_its_splits(labels):
    # A3 for VI and D_inv, A3.M for M_inv.
    coarse, other = labels
    fine = meet(coarse, other)
    n = len(coarse)
    for distance, power in ((vi, 1), (cv.van_dongen_invariant, 1), (cv.mirkin_invariant, 2)):
        parts = [
            (len(group) / n) ** power * distance(top(group), group)
            for group in induced(fine, coarse).values()
        ]
        assert distance(coarse, fine) == near(math.fsum(parts))


@given(clusterings(2, clusters=4, most=14))
@law
def test_the_mean_entropy_inside_the_first_clustering_is_that_of_the_second_given_it(labels):
    # Eq. 46 prints H(C|C') for it; the sum of eq. 45 is H(C'|C).
    coarse, other = labels
    both = meet(coarse, other)
    mean = mp.fsum(
        mp.mpf(len(group)) / len(coarse) * entropy_of(group)
        for group in induced(other, coarse).values()
    )
    assert vi(coarse, both) == near(mean)
    assert vi(coarse, both) == near(entropy_given(other, coarse))


def test_eq_46_as_printed_fails_where_one_clustering_refines_the_other():
    coarse, fine = [0, 0, 0, 0], [0, 0, 1, 1]
    assert vi(coarse, meet(coarse, fine)) == 1
    assert entropy_given(coarse, fine) == 0


@pytest.mark.parametrize("clusters", [1, 2, 3, 7, 64])
@pytest.mark.parametrize("size", [1, 6])
def test_axiom_a4_and_the_distance_of_uniform_clusterings_from_the_top(clusters, size):
    uniform = as_table([[size] * clusters])
    assert vi(uniform) == near(mp.log(clusters, 2))
    assert cv.van_dongen_invariant(uniform) == near((1 - Fraction(1, clusters)) / 2)
    assert cv.mirkin_invariant(uniform) == near(1 - Fraction(1, clusters))


def test_fig_6_the_lines_drawn_in_the_lattice_are_straight():
    one, a_bcd, a_b_cd, zero = (0, 0, 0, 0), (0, 1, 1, 1), (0, 1, 2, 2), (0, 1, 2, 3)
    ab_cd, d_abc = (0, 0, 1, 1), (0, 0, 0, 1)
    assert vi(one, zero) == near(vi(one, a_bcd) + vi(a_bcd, a_b_cd) + vi(a_b_cd, zero))
    assert vi(a_bcd, ab_cd) == near(vi(a_bcd, a_b_cd) + vi(a_b_cd, ab_cd))
    on_the_way = [
        middle
        for middle in FOUR
        if middle not in (d_abc, zero)
        and vi(d_abc, middle) + vi(middle, zero) == near(vi(d_abc, zero))
    ]
    assert len(on_the_way) == 3


@pytest.mark.parametrize("n", [2, 3, 10, 1000])
def test_axioms_m2_and_m4_of_the_mirkin_metric(n):
    assert cv.mirkin_invariant([0] * n, [1, *[0] * (n - 1)]) == near(Fraction(2 * (n - 1), n * n))
    assert cv.mirkin_invariant([0] * n, range(n)) == near(Fraction(n - 1, n))


@given(clusterings(2, clusters=3, most=8), st.lists(st.integers(0, 2), min_size=1, max_size=6))
@law
def test_axiom_m3_holds_for_the_unscaled_mirkin_metric(labels, shared):
    # The paper puts M3 in terms of M_inv. Clusters in common leave M unchanged but enter n, so
    # M_inv shrinks by (|E| / n)^2.
    common = [f"common {label}" for label in shared]
    first, second = ([*map(str, side), *common] for side in labels)
    assert cv.mirkin(first, second) == cv.mirkin(*labels)
    scale = Fraction(len(labels[0]), len(first)) ** 2
    assert cv.mirkin_invariant(first, second) == near(
        scale * Fraction(cv.mirkin_invariant(*labels))
    )


def test_axiom_m3_as_printed_fails_for_the_invariant_metric():
    assert cv.mirkin_invariant([0, 0], [0, 1]) == 0.5
    assert cv.mirkin_invariant([0, 0, 2, 2], [0, 1, 2, 2]) == 0.125
