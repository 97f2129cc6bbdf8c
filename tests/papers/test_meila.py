"""Meilă, 'Comparing clusterings: an information based distance' (2007): §2 and §3.

C is the first labeling (rows), C' the second (columns). Where a printed formula does not
follow from the paper's own definition, the definition is kept and the slip is pinned here.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from paper_clusterings import as_table, meet
from paper_oracles import (
    PairCounts,
    best_matching,
    clusterings,
    columns_of,
    entropy,
    entropy_given,
    entropy_of,
    labels_of,
    matrix_of,
    mp,
    near,
    pairs_one_by_one,
    partitions,
    ratio,
    same_partition,
)

import clustervet as cv

law = settings(max_examples=80)
few = settings(max_examples=40)
vi = cv.variation_of_information
FOUR = list(partitions(4))


def pair_indices(first, second):
    """Eqs. 2, 3, 5, 6 and 7 from pairs looked at one by one; None where 0/0."""
    pairs = pairs_one_by_one(first, second)
    in_first, in_second = pairs.n11 + pairs.n10, pairs.n11 + pairs.n01
    everything = sum(pairs)
    chance = Fraction(in_first * in_second, everything)
    room = Fraction(in_first + in_second, 2) - chance
    return {
        "pair_recall": ratio(pairs.n11, in_first),
        "pair_precision": ratio(pairs.n11, in_second),
        "rand": ratio(pairs.n11 + pairs.n00, everything),
        "adjusted_rand": (pairs.n11 - chance) / room if room else None,
        "jaccard": ratio(pairs.n11, pairs.n11 + pairs.n01 + pairs.n10),
    }


def assert_pair_equations(first, second):
    table = cv.Contingency.from_labels(first, second)
    pairs = pairs_one_by_one(first, second)
    n = len(first)
    assert PairCounts(*table.pairs) == pairs
    assert sum(pairs) == n * (n - 1) // 2
    assert 2 * pairs.n11 == sum(count**2 for row in matrix_of(first, second) for count in row) - n
    for key, exact in pair_indices(first, second).items():
        value = cv.measures[key](table)
        if same_partition(first, second):
            assert value == 1, key
        elif exact is None:
            assert math.isnan(value), key
        else:
            assert value == near(exact), key


@pytest.mark.parametrize("first", FOUR, ids=str)
def test_pair_measures_are_what_looking_at_every_pair_gives(first):
    for second in FOUR:
        assert_pair_equations(first, second)


@given(clusterings(2, clusters=5, most=20))
@law
def test_pair_measures_hold_on_larger_clusterings(labels):
    assert_pair_equations(*labels)


def test_wallace_s_names_lead_to_recall_and_precision():
    assert cv.measures["wallace_1"].key == "pair_recall"
    assert cv.measures["wallace_2"].key == "pair_precision"


@given(clusterings(2, most=20))
@law
def test_fowlkes_mallows_is_the_geometric_mean_of_wallace_s_two(labels):
    exact = pair_indices(*labels)
    recall, precision = exact["pair_recall"], exact["pair_precision"]
    assume(recall is not None and precision is not None)
    product_ = recall * precision
    root = mp.sqrt(mp.mpf(product_.numerator) / product_.denominator)
    assert cv.fowlkes_mallows(*labels) == near(root)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]),
        ([0, 0, 0, 0, 1, 2], [0, 1, 1, 0, 0, 1]),
        ([0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1]),
    ],
)
def test_adjusted_rand_measures_from_the_mean_over_all_shufflings(first, second):
    # Eq. 6, first line: E[R] is the mean with both sets of sizes fixed.
    def rand(labels):
        pairs = pairs_one_by_one(first, labels)
        return Fraction(pairs.n11 + pairs.n00, sum(pairs))

    shuffled = [rand(labels) for labels in permutations(second)]
    expected = sum(shuffled) / len(shuffled)
    assert cv.adjusted_rand(first, second) == near((rand(second) - expected) / (1 - expected))


@given(clusterings(2, most=20))
@law
def test_mirkin_is_a_sum_of_squares_and_a_count_of_disagreements(labels):
    # Eqs. 8 and 9.
    matrix, pairs, n = matrix_of(*labels), pairs_one_by_one(*labels), len(labels[0])
    squares = (
        sum(sum(row) ** 2 for row in matrix)
        + sum(sum(column) ** 2 for column in columns_of(matrix))
        - 2 * sum(count**2 for row in matrix for count in row)
    )
    assert cv.mirkin(*labels) == squares == 2 * (pairs.n01 + pairs.n10)
    assert cv.mirkin(*labels) == near(n * (n - 1) * (1 - cv.rand(*labels)), rel=1e-12)
    assert cv.mirkin_invariant(*labels) == near(Fraction(squares, n * n))


def test_rand_and_fowlkes_mallows_can_be_zero():
    # §2.1 gives min R > 0 and min F > 0 as the reason to adjust. The least values are zero:
    # one cluster against singletons, and two halves crossed with two halves.
    assert cv.rand([0, 0, 0, 0], [0, 1, 2, 3]) == 0
    assert cv.fowlkes_mallows([0, 0, 1, 1], [0, 1, 0, 1]) == 0


def larsen(matrix):
    """Eq. 11; the size in the denominator is that of the cluster in C'."""
    sizes = [sum(column) for column in columns_of(matrix)]
    best = [
        max(Fraction(2 * count, sum(row) + size) for count, size in zip(row, sizes, strict=True))
        for row in matrix
    ]
    return sum(best) / len(best)


def van_dongen(matrix):
    """Eq. 12."""
    return 2 * sum(map(sum, matrix)) - sum(map(max, matrix)) - sum(map(max, columns_of(matrix)))


def assert_matching_equations(first, second):
    table, matrix, n = (
        cv.Contingency.from_labels(first, second),
        matrix_of(first, second),
        len(first),
    )
    assert cv.classification_error(table) == near(1 - Fraction(best_matching(matrix), n))
    assert cv.larsen_aone(table) == near(larsen(matrix))
    assert cv.van_dongen(table) == van_dongen(matrix)
    assert cv.van_dongen_invariant(table) == near(Fraction(van_dongen(matrix), 2 * n))


@pytest.mark.parametrize("first", FOUR, ids=str)
def test_matching_measures_are_what_trying_every_match_gives(first):
    for second in FOUR:
        assert_matching_equations(first, second)


@given(clusterings(2, clusters=5, most=25))
@law
def test_matching_measures_hold_on_larger_clusterings(labels):
    assert_matching_equations(*labels)


@given(clusterings(2))
@law
def test_van_dongen_is_zero_for_identical_clusterings_and_below_2n_otherwise(labels):
    distance = cv.van_dongen(*labels)
    assert (distance == 0) == same_partition(*labels)
    assert 0 <= distance < 2 * len(labels[0])


@given(clusterings(1))
@few
def test_identical_clusterings_have_no_classification_error(labels):
    # The text below eq. 10 says that H is 1 for identical clusterings; eq. 10 makes it 0.
    assert cv.classification_error(labels[0], labels[0]) == 0
    assert cv.matching_accuracy(labels[0], labels[0]) == 1
    assert cv.larsen_aone(labels[0], labels[0]) == 1


@given(clusterings(2))
@law
def test_classification_error_and_van_dongen_are_symmetric(labels):
    first, second = labels
    for distance in (cv.classification_error, cv.van_dongen):
        assert distance(first, second) == distance(second, first)


small_shares = pytest.mark.parametrize(
    "f", [Fraction(1, 5), Fraction(1, 10), Fraction(1, 1000), Fraction(1, 10**9)], ids=str
)


def split_off_two(f):
    """§2.2: C is one cluster, C' splits two clusters of size nf off it."""
    n = f.denominator
    return as_table([[n - 2 * f.numerator, f.numerator, f.numerator]])


@small_shares
def test_larsen_from_one_cluster_to_its_split(f):
    assert cv.larsen_aone(split_off_two(f)) == near((1 - 2 * f) / (1 - f))


@small_shares
def test_larsen_from_the_split_back_to_one_cluster(f):
    # Printed with f / (1 + f). Eq. 11 gives 2f / (1 + f) for each of the two small clusters.
    printed = (f / (1 + f) + (1 - 2 * f) / (1 - f)) / 3
    right = (4 * f / (1 + f) + (1 - 2 * f) / (1 - f)) / 3
    n = f.denominator
    assert larsen([[n - 2 * f.numerator], [f.numerator], [f.numerator]]) == right != printed
    assert cv.larsen_aone(split_off_two(f).T) == near(right)
    assert right - printed == f / (1 + f)


def test_larsen_falls_to_a_third_however_small_the_split():
    assert cv.larsen_aone(split_off_two(Fraction(1, 10**12)).T) == pytest.approx(1 / 3, abs=1e-11)
    assert cv.larsen_aone(split_off_two(Fraction(1, 10**12))) == pytest.approx(1, abs=1e-11)


@small_shares
def test_classification_error_of_a_small_split_is_small(f):
    # The text says that H yields 1 - 2f. Eq. 10 is an error: it yields 2f, and 1 - H is 1 - 2f.
    assert cv.classification_error(split_off_two(f)) == near(2 * f)
    assert cv.classification_error(split_off_two(f)) != near(1 - 2 * f)
    assert cv.matching_accuracy(split_off_two(f)) == near(1 - 2 * f)


def moved_to_next(clusters, size, moved):
    """Fig. 1: from each cluster some points go to the next cluster."""
    return [
        [
            (size - moved) * (column == row) + moved * (column == (row + 1) % clusters)
            for column in range(clusters)
        ]
        for row in range(clusters)
    ]


def spread_evenly(clusters, size, moved):
    """Fig. 1: as many points go to all other clusters in equal parts."""
    return [
        [size - moved if column == row else moved // (clusters - 1) for column in range(clusters)]
        for row in range(clusters)
    ]


fig_1 = pytest.mark.parametrize(
    ("clusters", "size", "moved"), [(3, 10, 2), (4, 20, 3), (5, 100, 48), (7, 60, 12)]
)


@fig_1
def test_set_matching_cannot_tell_moved_from_scattered_points(clusters, size, moved):
    table = as_table(moved_to_next(clusters, size, moved))
    other = as_table(spread_evenly(clusters, size, moved))
    for measure in (cv.van_dongen, cv.classification_error, cv.larsen_aone):
        assert measure(table) == near(measure(other))
        assert measure(table.T) == near(measure(other.T))


@fig_1
def test_vi_calls_scattered_points_farther_than_moved_ones(clusters, size, moved):
    # §2.2's text and the caption of Fig. 1 swap the names C' and C''. Only the caption (C' to
    # the next cluster, C'' scattered) goes with §8: VI(C, C'') = VI(C, C') + 2f log(K - 1).
    moved_on = as_table(moved_to_next(clusters, size, moved))
    scattered = as_table(spread_evenly(clusters, size, moved))
    exact = 2 * mp.mpf(moved) / size * mp.log(clusters - 1, 2)
    assert vi(moved_on) == near(2 * entropy([moved, size - moved]))
    assert vi(scattered) - vi(moved_on) == near(exact, rel=1e-12)
    assert vi(scattered) > vi(moved_on)


def test_labels_and_tables_agree_on_fig_1():
    matrix = moved_to_next(4, 20, 3)
    assert vi(*labels_of(matrix)) == near(vi(as_table(matrix)))


def test_with_two_clusters_the_two_changes_of_fig_1_are_the_same():
    assert moved_to_next(2, 10, 3) == spread_evenly(2, 10, 3)


@given(clusterings(2, clusters=5, most=20))
@law
def test_entropies_and_mutual_information_follow_their_definitions(labels):
    # Eqs. 13-16.
    first, second = labels
    n = len(first)
    left, right = Counter(first), Counter(second)
    joint = Counter(zip(first, second, strict=True))
    shared = mp.fsum(
        mp.mpf(count) / n * mp.log(mp.mpf(count) * n / (left[a] * right[b]), 2)
        for (a, b), count in joint.items()
    )
    assert cv.class_entropy(first, second) == near(entropy_of(first))
    assert cv.cluster_entropy(first, second) == near(entropy_of(second))
    assert cv.joint_entropy(first, second) == near(entropy_of(meet(first, second)))
    assert cv.mutual_information(first, second) == near(shared)


@given(clusterings(2, clusters=5, most=20))
@law
def test_mutual_information_is_symmetric_and_within_both_entropies(labels):
    # Eqs. 17 and 18.
    first, second = labels
    shared = cv.mutual_information(first, second)
    assert shared == near(cv.mutual_information(second, first))
    assert -1e-14 <= shared <= min(float(entropy_of(first)), float(entropy_of(second))) + 1e-13


@given(clusterings(1, clusters=6, most=20), st.integers(1, 5))
@law
def test_merging_clusters_leaves_the_information_of_the_merged_clustering(labels, kept):
    (fine,) = labels
    merged = [min(label, kept) for label in fine]
    assert cv.mutual_information(fine, merged) == near(entropy_of(merged))
    if len(set(merged)) < len(set(fine)):
        assert entropy_of(merged) < entropy_of(fine)


def test_two_equal_halves_are_one_bit_however_many_points():
    for half in (1, 50, 10**9):
        assert cv.class_entropy(as_table([[half], [half]])) == 1
    assert cv.class_entropy([0, 0, 0], [0, 0, 0]) == 0


@given(clusterings(2, clusters=5, most=20))
@law
def test_the_three_expressions_of_vi_are_one(labels):
    # Eqs. 19 to 22.
    first, second = labels
    one, two, both = entropy_of(first), entropy_of(second), entropy_of(meet(first, second))
    shared = one + two - both
    conditional = entropy_given(first, second) + entropy_given(second, first)
    value = vi(first, second)
    assert value == near(one + two - 2 * shared)
    assert value == near((one - shared) + (two - shared))
    assert value == near(conditional)
    assert value == near(2 * both - one - two)
    assert cv.conditional_entropy(first, second) == near(entropy_given(first, second))
    assert cv.inverse_conditional_entropy(first, second) == near(entropy_given(second, first))


@given(clusterings(2))
@few
def test_the_base_only_changes_the_unit(labels):
    bits = vi(*labels)
    assert vi(*labels, base=math.e) == near(bits * mp.log(2))
    assert vi(*labels, base=4) == near(bits / 2)
