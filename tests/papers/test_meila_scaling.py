"""Meilă 2007, §5, §6 and §8: how the criteria scale with n and K, and which are local."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from paper_clusterings import as_table, separated, split_in_two
from paper_oracles import clusterings, columns_of, matrix_of, mp, near

import clustervet as cv

law = settings(max_examples=80)
vi = cv.variation_of_information

separations = pytest.mark.parametrize(
    ("clusters", "scale"), [(2, 1), (2, 5), (3, 1), (3, 7), (4, 2), (5, 4), (10, 3), (2, 10**9)]
)


@separations
def test_maximally_separated_clusterings_have_the_printed_vi_and_van_dongen(clusters, scale):
    table = as_table(separated(clusters, scale))
    assert vi(table) == near(2 * mp.log(clusters, 2))
    assert cv.van_dongen_invariant(table) == near(1 - Fraction(1, clusters))


@separations
def test_maximally_separated_clusterings_have_another_mirkin_than_printed(clusters, scale):
    # Printed as 2/K - 1/K^2. Eq. 8 gives n^2/K + n^2/K - 2 n^2/K^2, hence 2/K - 2/K^2.
    value = cv.mirkin_invariant(as_table(separated(clusters, scale)))
    printed = Fraction(2, clusters) - Fraction(1, clusters**2)
    right = Fraction(2, clusters) - Fraction(2, clusters**2)
    assert value == near(right)
    assert value != near(printed)


@separations
def test_maximally_separated_clusterings_have_the_printed_adjusted_rand(clusters, scale):
    n = scale * clusters**2
    value = cv.adjusted_rand(as_table(separated(clusters, scale)))
    assert value == near(Fraction(-(clusters - 1), n - clusters))


def test_with_more_clusters_vi_and_van_dongen_grow_while_mirkin_shrinks():
    tables = [as_table(separated(clusters, 2)) for clusters in range(2, 9)]
    for distance, sign in ((vi, 1), (cv.van_dongen_invariant, 1), (cv.mirkin_invariant, -1)):
        values = [sign * distance(table) for table in tables]
        assert values == sorted(values)
        assert len(set(values)) == len(values)
    assert cv.mirkin_invariant(as_table(separated(100))) == pytest.approx(2 / 100, rel=0.02)


@given(clusterings(2, clusters=3, least=4, most=18))
@law
def test_no_clusterings_with_as_many_clusters_are_farther_apart_by_van_dongen(labels):
    numbers = {len(set(side)) for side in labels}
    assume(len(numbers) == 1)
    assert cv.van_dongen_invariant(*labels) <= 1 - 1 / numbers.pop() + 1e-14


def test_mirkin_and_adjusted_rand_have_more_extreme_pairs_than_the_separated_one():
    # For K = 2 no pair exceeds the Mirkin distance of one half; from K = 3 on some do.
    lopsided = as_table([[10, 12, 12], [1, 0, 0], [1, 0, 0]])
    assert cv.mirkin_invariant(lopsided) > cv.mirkin_invariant(as_table(separated(3, 4)))
    crossed = as_table([[0, 2], [2, 8]])
    assert cv.adjusted_rand(crossed) == near(Fraction(-17, 115))
    assert cv.adjusted_rand(crossed) < cv.adjusted_rand(as_table(separated(2, 3)))


@given(clusterings(2, clusters=2, most=14))
@law
def test_two_clusters_each_never_exceed_a_mirkin_distance_of_one_half(labels):
    assert cv.mirkin_invariant(*labels) <= 0.5


@given(clusterings(2))
@law
def test_normalised_vi_divides_by_its_bounds(labels):
    # §5.1.
    value, n = vi(*labels), len(labels[0])
    assert cv.normalized_variation_of_information(*labels) == near(value / mp.log(n, 2))
    for bound in (4, 16):
        scaled = cv.normalized_variation_of_information(*labels, k_max=bound)
        assert scaled == near(value / (2 * mp.log(bound, 2)))
        assert 0 <= scaled <= 1


def test_normalised_vi_spans_zero_to_one():
    assert cv.normalized_variation_of_information([0] * 7, range(7)) == near(1)
    separated_pair = as_table(separated(5, 3))
    assert cv.normalized_variation_of_information(separated_pair, k_max=5) == near(1)


def test_only_the_bound_on_the_number_of_clusters_compares_across_data_sets():
    small, large = as_table([[3, 1], [1, 3]]), as_table([[300, 100], [100, 300]])
    by_n = cv.normalized_variation_of_information
    assert by_n(small) > by_n(large)
    assert by_n(small, k_max=2) == near(by_n(large, k_max=2))


@pytest.mark.parametrize(
    "key", ["rand", "adjusted_rand", "fowlkes_mallows", "jaccard", "pair_recall", "pair_precision"]
)
def test_pair_indices_depend_on_n_only_weakly(key):
    matrix = [[5, 1, 0], [2, 3, 1], [0, 1, 4]]

    def scaled(times):
        return cv.measures[key](as_table([[count * times for count in row] for row in matrix]))

    limit = scaled(10**14)
    assert scaled(1) != near(limit)
    assert abs(scaled(10**3) - limit) < 1e-3
    assert scaled(10**7) == pytest.approx(limit, abs=1e-7)


splits = pytest.mark.parametrize(
    ("sizes", "part"),
    [([4], 1), ([10, 5], 5), ([10, 5, 7], 3), ([2, 1, 1, 1], 1), ([60, 30, 30, 8], 11)],
)


@splits
def test_mirkin_of_a_split_depends_on_the_split_cluster_alone(sizes, part):
    # Eq. 32.
    inner = as_table([[sizes[0] - part, part]])
    value = cv.mirkin_invariant(as_table(split_in_two(sizes, part)))
    share = sizes[0] / sum(sizes)
    assert value == near(share**2 * cv.mirkin_invariant(inner))
    assert value == near(Fraction(2 * part * (sizes[0] - part), sum(sizes) ** 2))


@pytest.mark.parametrize(
    "key",
    [
        "variation_of_information",
        "van_dongen",
        "van_dongen_invariant",
        "mirkin",
        "mirkin_invariant",
        "rand",
        "classification_error",
    ],
)
def test_local_measures_ignore_how_the_other_points_are_clustered(key):
    one_way, other_way = split_in_two([10, 20], 3), split_in_two([10, 5, 5, 4, 6], 3)
    measure = cv.measures[key]
    assert measure(as_table(one_way)) == near(measure(as_table(other_way)))


@pytest.mark.parametrize("key", ["larsen_aone", "fowlkes_mallows", "jaccard", "adjusted_rand"])
def test_other_measures_change_with_the_points_outside_the_split(key):
    one_way, other_way = split_in_two([10, 20], 3), split_in_two([10, 5, 5, 4, 6], 3)
    measure = cv.measures[key]
    assert abs(measure(as_table(one_way)) - measure(as_table(other_way))) > 1e-3


@splits
def test_larsen_of_a_split_as_printed(sizes, part):
    table, clusters, whole = as_table(split_in_two(sizes, part)), len(sizes), sizes[0]
    pieces = [Fraction(piece, whole + piece) for piece in (part, whole - part)]
    assert cv.larsen_aone(table) == near((clusters - 1 + 2 * max(pieces)) / clusters)
    assert cv.larsen_aone(table.T) == near((clusters - 1 + 2 * sum(pieces)) / (clusters + 1))


@splits
def test_fowlkes_mallows_and_jaccard_of_a_split_as_printed(sizes, part):
    table, n, whole = as_table(split_in_two(sizes, part)), sum(sizes), sizes[0]
    others = sum(size**2 for size in sizes[1:])
    kept = 1 - Fraction(2 * part * (whole - part), whole**2 - n + others)
    assert cv.jaccard(table) == near(kept)
    if kept:
        assert cv.fowlkes_mallows(table) == near(mp.sqrt(mp.mpf(kept.numerator) / kept.denominator))


def limit_of_adjusted_rand(shares):
    """Eq. 33."""
    rows = sum(sum(row) ** 2 for row in shares)
    columns = sum(sum(column) ** 2 for column in columns_of(shares))
    both = sum(share**2 for row in shares for share in row)
    return (both - rows * columns) / (Fraction(rows + columns) / 2 - rows * columns)


@given(clusterings(2))
@law
def test_adjusted_rand_nears_its_limit_as_data_grow(labels):
    matrix, n = matrix_of(*labels), len(labels[0])
    assume(max(len(matrix), len(matrix[0])) > 1)
    shares = [[Fraction(count, n) for count in row] for row in matrix]
    huge = as_table([[count * 10**12 for count in row] for row in matrix])
    assert cv.adjusted_rand(huge) == pytest.approx(float(limit_of_adjusted_rand(shares)), abs=1e-9)


@splits
def test_the_limit_of_adjusted_rand_for_a_split_as_printed(sizes, part):
    # Eq. 34 against eq. 33, in fractions.
    n = sum(sizes)
    shares = [[Fraction(count, n) for count in row] for row in split_in_two(sizes, part)]
    one, two = Fraction(part, n), Fraction(sizes[0] - part, n)
    whole, squares = (one + two) ** 2, one**2 + two**2
    others = sum(Fraction(size, n) ** 2 for size in sizes[1:])
    below = (squares + whole) / 2 - squares * whole - (squares + whole - 1) * others - others**2
    printed = 1 - one * two / below
    assert printed == limit_of_adjusted_rand(shares)
    huge = as_table([[count * 10**12 for count in row] for row in split_in_two(sizes, part)])
    assert cv.adjusted_rand(huge) == pytest.approx(float(printed), abs=1e-9)


@pytest.mark.parametrize("clusters", [2, 3, 5, 20])
def test_separated_clusterings_have_fowlkes_mallows_1_over_k_and_jaccard_1_over_2k_minus_1(
    clusters,
):
    table = as_table(separated(clusters, 10**12))
    assert cv.fowlkes_mallows(table) == pytest.approx(1 / clusters, abs=1e-11)
    assert cv.jaccard(table) == pytest.approx(1 / (2 * clusters - 1), abs=1e-11)


def test_the_values_printed_for_separated_clusterings():
    # F = 0.5 and 0.16 for K = 2 and 5 is right at about n = 100. J = 0.13 and 0.02 is not: no
    # number of points gives them both, and n = 100 gives 0.32 and 0.09.
    two, five = as_table(separated(2, 25)), as_table(separated(5, 4))
    assert two.n == five.n == 100
    assert cv.fowlkes_mallows(two) == pytest.approx(0.5, abs=0.02)
    assert cv.fowlkes_mallows(five) == pytest.approx(0.16, abs=5e-3)
    assert cv.jaccard(two) == near(Fraction(96, 296))
    assert cv.jaccard(five) == near(Fraction(3, 35))
    for clusters, printed in ((2, 0.13), (5, 0.02)):
        values = [cv.jaccard(as_table(separated(clusters, scale))) for scale in range(1, 40)]
        assert values == sorted(values)
        assert min(abs(value - printed) for value in values) > 0.01
