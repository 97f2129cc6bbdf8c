"""Meilă 2007, §4: the metric, its bounds, its neighbourhoods, how it adds."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from paper_clusterings import as_table, bottom, induced, meet, separated, split_in_two, top
from paper_oracles import clusterings, entropy, matrix_of, mp, near, partitions, same_partition

import clustervet as cv

law = settings(max_examples=80)
vi = cv.variation_of_information
FOUR = list(partitions(4))
FIVE = list(partitions(5))


@given(clusterings(2))
@law
def test_property_1_vi_is_zero_only_between_equal_clusterings(labels):
    assert (vi(*labels) == 0) == same_partition(*labels)
    assert vi(*labels) >= 0
    assert vi(*labels) == near(vi(*reversed(labels)))


@given(clusterings(3, clusters=5, most=15))
@law
def test_property_1_a_detour_is_never_shorter(labels):
    first, second, third = labels
    for distance in (vi, cv.mirkin_invariant, cv.van_dongen_invariant, cv.classification_error):
        detour = distance(first, second) + distance(second, third)
        assert detour >= distance(first, third) - 1e-13


def test_property_1_holds_for_all_clusterings_of_four_points():
    between = {(a, b): vi(a, b) for a, b in product(FOUR, FOUR)}
    for a, b, c in product(FOUR, FOUR, FOUR):
        assert between[a, b] + between[b, c] >= between[a, c] - 1e-14


@given(clusterings(2), st.integers(2, 50))
@law
def test_property_2_only_relative_sizes_matter(labels, times):
    matrix = matrix_of(*labels)
    many = as_table([[count * times for count in row] for row in matrix])
    for measure in (
        vi,
        cv.mirkin_invariant,
        cv.van_dongen_invariant,
        cv.classification_error,
        cv.larsen_aone,
    ):
        assert measure(many) == near(measure(as_table(matrix)))


@given(clusterings(2, clusters=12, most=12))
@law
def test_property_3_vi_is_at_most_log_n(labels):
    n = len(labels[0])
    assert vi(*labels) <= math.log2(n) + 1e-13
    assert vi(top(labels[0]), bottom(labels[0])) == near(mp.log(n, 2))


@given(clusterings(2, clusters=3, least=9, most=30))
@law
def test_property_4_vi_is_at_most_twice_log_of_the_number_of_clusters(labels):
    most = max(len(set(side)) for side in labels)
    assert vi(*labels) <= 2 * math.log2(most) + 1e-13


@pytest.mark.parametrize("clusters", [2, 3, 5, 10])
@pytest.mark.parametrize("times", [1, 4, 1000])
def test_property_4_the_bound_is_met_where_n_is_a_multiple_of_k_squared(clusters, times):
    assert vi(as_table(separated(clusters, times))) == near(2 * mp.log(clusters, 2))


@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.data())
@law
def test_property_5_a_split_costs_its_entropy_times_the_size_of_the_cluster(sizes, data):
    # Eq. 27; the other clusters do not matter.
    parts = data.draw(st.lists(st.integers(1, 9), min_size=2, max_size=4))
    width = len(parts) + len(sizes)
    rows = [[*parts, *[0] * len(sizes)]]
    rows += [[size * (c == len(parts) + k) for c in range(width)] for k, size in enumerate(sizes)]
    share = mp.mpf(sum(parts)) / (sum(parts) + sum(sizes))
    assert vi(as_table(rows)) == near(share * entropy(parts))
    assert vi(as_table(rows).T) == near(share * entropy(parts))


@pytest.mark.parametrize("equal", [2, 3, 8])
def test_property_5_a_split_into_equal_parts_costs_their_log(equal):
    rows = [[6] * equal + [0], [0] * equal + [12]]
    share = Fraction(6 * equal, 6 * equal + 12)
    assert vi(as_table(rows)) == near(share.numerator * mp.log(equal, 2) / share.denominator)


@pytest.mark.parametrize("size", [2, 3, 10, 10**6])
def test_splitting_one_point_off_a_cluster(size):
    # Eq. 28.
    rows = split_in_two([size, 5, 3], 1)
    n = size + 8
    lost = size * mp.log(size, 2) - (size - 1) * mp.log(size - 1, 2)
    assert vi(as_table(rows)) == near(lost / n, rel=1e-12)


@given(clusterings(2, clusters=5, most=15))
@law
def test_property_6_the_meet_lies_between_two_clusterings(labels):
    # Eq. 29, and eq. 39 on the way to it.
    first, second = labels
    both = meet(first, second)
    assert vi(first, second) == near(vi(first, both) + vi(second, both))
    assert cv.conditional_entropy(both, second) == near(cv.conditional_entropy(first, second))


@given(clusterings(2, clusters=4, most=12))
@law
def test_property_7_no_clustering_is_nearer_than_the_meet(labels):
    # Eq. 30.
    first, second = labels
    both = meet(first, second)
    assert vi(first, second) >= vi(first, both) - 1e-14
    if not same_partition(second, both):
        assert vi(first, second) > vi(first, both)


@pytest.mark.parametrize("first", FIVE, ids=str)
def test_the_nearest_neighbours_split_or_merge_the_smallest_clusters(first):
    sizes = sorted(Counter(first).values())
    finer = [vi(first, second) for second in FIVE if len(set(second)) > len(sizes)]
    coarser = [vi(first, second) for second in FIVE if len(set(second)) < len(sizes)]
    if finer:
        smallest = next(size for size in sizes if size > 1)
        lost = smallest * mp.log(smallest, 2) - (smallest - 1) * mp.log(smallest - 1, 2)
        assert min(finer) == near(lost / 5)
    if coarser:
        pair = sizes[:2]
        assert min(coarser) == near(mp.mpf(sum(pair)) / 5 * entropy(pair))


@given(clusterings(2, clusters=12, most=12))
@law
def test_different_clusterings_are_at_least_two_nths_of_a_bit_apart(labels):
    assume(not same_partition(*labels))
    assert vi(*labels) >= 2 / len(labels[0]) - 1e-13


@pytest.mark.parametrize("n", [2, 3, 10, 1000])
def test_two_singletons_merged_are_exactly_that_far_apart(n):
    assert vi(range(n), [0, 0, *range(2, n)]) == near(Fraction(2, n))


@given(clusterings(3, clusters=3, most=15))
@law
def test_properties_8_and_9_distances_add_over_the_clusters_of_a_common_coarsening(labels):
    # Eq. 31: weights n_k / n for VI and D_inv, their squares for M_inv.
    coarse, *fine = labels
    first, second = (meet(coarse, side) for side in fine)
    left, right = induced(first, coarse), induced(second, coarse)
    n = len(coarse)
    for distance, power in ((vi, 1), (cv.van_dongen_invariant, 1), (cv.mirkin_invariant, 2)):
        parts = [(len(left[k]) / n) ** power * distance(left[k], right[k]) for k in left]
        assert distance(first, second) == near(math.fsum(parts))
    for distance in (cv.van_dongen, cv.mirkin):
        assert distance(first, second) == sum(distance(left[k], right[k]) for k in left)


def test_fig_5_clusterings_of_disjoint_data_combine_by_size():
    one, other = as_table([[3, 1], [0, 4]]), as_table([[2, 2], [1, 1], [6, 0]])
    union = as_table([[3, 1, 0, 0], [0, 4, 0, 0], [0, 0, 2, 2], [0, 0, 1, 1], [0, 0, 6, 0]])
    assert vi(union) == near(8 / 20 * vi(one) + 12 / 20 * vi(other))
