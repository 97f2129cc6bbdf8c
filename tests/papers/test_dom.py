"""Dom, 'An information-theoretic external cluster-validity measure' (2001), §3 to §5.

Rows are classes, columns clusters. Where a printed formula does not follow from the paper's
own definition, the definition is kept and the slip is pinned here.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from paper_clusterings import as_table
from paper_oracles import (
    best_matching,
    clusterings,
    columns_of,
    entropy,
    labels_of,
    log2_choose,
    matrix_of,
    mp,
    near,
    pairs_one_by_one,
    same_partition,
)

import clustervet as cv

law = settings(max_examples=80)


def left_entropy(matrix):
    """H(C|K), column by column."""
    n = sum(map(sum, matrix))
    return mp.fsum(mp.mpf(sum(column)) / n * entropy(column) for column in columns_of(matrix))


def model_bits(sizes, classes):
    """Eq. 10."""
    return mp.fsum(log2_choose(size + classes - 1, classes - 1) for size in sizes)


def q0(matrix):
    """Eq. 11."""
    n = sum(map(sum, matrix))
    return left_entropy(matrix) + model_bits(map(sum, columns_of(matrix)), len(matrix)) / n


def one_cluster(sizes):
    return [[size] for size in sizes]


def a_cluster_each(sizes):
    """Every object its own cluster."""
    before = [sum(sizes[:k]) for k in range(len(sizes))]
    return [
        [int(start <= column < start + size) for column in range(sum(sizes))]
        for start, size in zip(before, sizes, strict=True)
    ]


def perfect(sizes):
    return [
        [size * (row == column) for column in range(len(sizes))] for row, size in enumerate(sizes)
    ]


several_classes = pytest.mark.parametrize(
    "sizes", [(1, 1), (5, 5), (9, 1), (3, 4, 5), (20, 1, 1, 1), (7,) * 6], ids=str
)


# ---------------------------------------------------------------- §3 pairs


@given(clusterings(2, clusters=5, most=20))
@law
def test_pairs_counted_one_by_one_are_dom_s_a(labels):
    # Eqs. 2 to 7.
    table, matrix, n = cv.Contingency.from_labels(*labels), matrix_of(*labels), len(labels[0])
    a00, a01, a10, a11 = pairs_one_by_one(*labels)
    assert tuple(table.pairs) == (a00, a01, a10, a11)
    assert a00 == sum(math.comb(count, 2) for row in matrix for count in row)
    assert table.pairs.same_class == a00 + a01 == sum(math.comb(sum(r), 2) for r in matrix)
    assert table.pairs.same_cluster == a00 + a10
    assert a00 + a10 == sum(math.comb(sum(column), 2) for column in columns_of(matrix))
    assert table.pairs.total == math.comb(n, 2)


def scattered(rows):
    """Eqs. 3 and 4, first lines: products of two different cells of one row."""
    return sum(row[j] * row[i] for row in rows for j in range(len(row)) for i in range(j))


@given(clusterings(2, clusters=5, most=20))
@law
def test_pairs_split_by_one_side_only_are_sums_of_products(labels):
    pairs, matrix = cv.Contingency.from_labels(*labels).pairs, matrix_of(*labels)
    assert pairs.n10 == scattered(matrix)
    assert pairs.n01 == scattered(columns_of(matrix))


def apart_in_both(matrix, is_other):
    """Eq. 5, first line, with the condition on k' left open."""
    height, width = len(matrix), len(matrix[0])
    return sum(
        matrix[c][k] * matrix[d][j]
        for c, k, j in product(range(height), range(width), range(width))
        for d in range(c)
        if is_other(j, k)
    )


@given(clusterings(2, clusters=4, most=15))
@law
def test_pairs_apart_in_both_need_every_other_cluster(labels):
    # The sum of eq. 5 is printed over k' < k. With c' < c that drops every pair whose cluster
    # order runs against its class order; over k' != k it agrees with the second line.
    pairs, matrix = cv.Contingency.from_labels(*labels).pairs, matrix_of(*labels)
    assert pairs.n00 == apart_in_both(matrix, lambda j, k: j != k)
    assert pairs.n00 == pairs.total - pairs.n11 - pairs.n10 - pairs.n01
    missed = apart_in_both(matrix, lambda j, k: j > k)
    assert apart_in_both(matrix, lambda j, k: j < k) == pairs.n00 - missed


def test_eq_5_as_printed_misses_pairs():
    matrix = [[0, 2], [3, 0]]
    assert as_table(matrix).pairs.n00 == 6
    assert apart_in_both(matrix, lambda j, k: j < k) == 0


def test_expected_pairs_over_all_samples():
    # Appendix A, eqs. 25 to 28. The last lines of 26 and 27 lack a factor of two: the sum of
    # p(c,k) p(c,k') over k' < k counts each ordered pair of draws once, and there are two.
    chances = [Fraction(1, 2), Fraction(1, 8), Fraction(1, 8), Fraction(1, 4)]
    n = 4
    expected = [Fraction(0)] * 4
    for counts in product(range(n + 1), repeat=4):
        if sum(counts) != n:
            continue
        ways = math.factorial(n)
        weight = Fraction(1)
        for count, chance in zip(counts, chances, strict=True):
            ways //= math.factorial(count)
            weight *= chance**count
        pairs = as_table([counts[:2], counts[2:]]).pairs
        expected = [e + ways * weight * p for e, p in zip(expected, pairs, strict=True)]
    (a, b), (c, d) = chances[:2], chances[2:]
    everything = math.comb(n, 2)
    both = a * a + b * b + c * c + d * d
    assert expected[0] == everything * both
    assert expected[1] == everything * ((a + b) ** 2 + (c + d) ** 2 - both)
    assert expected[1] == 2 * everything * (a * b + c * d)
    assert expected[2] == everything * ((a + c) ** 2 + (b + d) ** 2 - both)
    assert expected[2] == 2 * everything * (a * c + b * d)
    assert expected[3] == 2 * everything * (a * d + b * c)


# ---------------------------------------------------------------- §4.1 a fixed number of clusters


@given(clusterings(2, clusters=5, most=20))
@law
def test_mutual_information_is_what_conditional_entropy_leaves_of_the_classes(labels):
    # Eq. 8.
    matrix = matrix_of(*labels)
    of_classes, left = entropy(map(sum, matrix)), left_entropy(matrix)
    together = entropy(count for row in matrix for count in row)
    assert cv.conditional_entropy(*labels) == near(left)
    assert cv.conditional_entropy(*labels) == near(together - entropy(map(sum, columns_of(matrix))))
    assert cv.mutual_information(*labels) == near(of_classes - left)
    assert -1e-14 <= cv.conditional_entropy(*labels) <= float(of_classes) + 1e-13


# ---------------------------------------------------------------- §4.2 the cost of the table


def columns_that_sum_to(size, classes):
    return [c for c in product(range(size + 1), repeat=classes) if sum(c) == size]


@pytest.mark.parametrize(("size", "classes"), [(1, 2), (4, 2), (3, 3), (5, 3), (4, 4)])
def test_the_cost_of_a_column_is_the_log_of_how_many_columns_there_are(size, classes):
    # Eq. 9, by listing them. Equal pure clusters cost nothing but their columns.
    ways = len(columns_that_sum_to(size, classes))
    assert ways == math.comb(size + classes - 1, classes - 1)
    assert cv.dom_q0(as_table(perfect([size] * classes))) * size == near(mp.log(ways, 2))


def test_the_cost_of_a_table_is_the_log_of_how_many_tables_there_are():
    # Eq. 10: each choice of columns with sums 2, 3 and 1 is one table.
    tables = list(product(*(columns_that_sum_to(size, 2) for size in (2, 3, 1))))
    pure = as_table([[2, 0, 1], [0, 3, 0]])
    assert cv.dom_q0(pure) * 6 == near(mp.log(len(tables), 2))


@given(clusterings(2, clusters=5, most=25))
@law
def test_q0_is_entropy_plus_table_cost(labels):
    # Eqs. 10 and 11, with exact binomials.
    assert cv.dom_q0(*labels) == near(q0(matrix_of(*labels)))
    assert cv.dom_q0(*labels, base=math.e) == near(q0(matrix_of(*labels)) * mp.log(2))


def test_q0_treats_classes_and_clusters_differently():
    table = as_table([[3, 2, 0], [0, 0, 4]])
    assert cv.dom_q0(table) != near(cv.dom_q0(table.T))


@pytest.mark.parametrize(
    "matrix", [[[2.5, 0.5], [0.5, 2.5]], [[40.0, 2.5, 7.5], [1.25, 47.5, 1.25]]]
)
def test_expected_tables_use_the_gamma_function(matrix):
    # Footnote 11: counts need not be whole.
    n, classes = sum(map(sum, matrix)), len(matrix)
    cost = mp.fsum(
        mp.log(
            mp.gamma(mp.mpf(size) + classes) / (mp.gamma(classes) * mp.gamma(mp.mpf(size) + 1)), 2
        )
        for size in map(sum, columns_of(matrix))
    )
    assert cv.dom_q0(as_table(matrix)) == near(left_entropy(matrix) + cost / n)


# ---------------------------------------------------------------- §4.2.2 extreme cases


@several_classes
def test_a_perfect_clustering_costs_its_table_only(sizes):
    # Eq. 12.
    exact = model_bits(sizes, len(sizes)) / sum(sizes)
    assert cv.dom_q0(as_table(perfect(sizes))) == near(exact)
    assert cv.dom_q2(as_table(perfect(sizes))) == 1


@several_classes
def test_one_cluster_costs_the_classes_and_their_sizes(sizes):
    # Eq. 15.
    n, classes = sum(sizes), len(sizes)
    exact = entropy(sizes) + log2_choose(n + classes - 1, classes - 1) / n
    assert cv.dom_q0(as_table(one_cluster(sizes))) == near(exact)


@several_classes
def test_a_cluster_each_costs_the_log_of_the_number_of_classes(sizes):
    # Eq. 16.
    assert cv.dom_q0(as_table(a_cluster_each(sizes))) == near(mp.log(len(sizes), 2))


@given(clusterings(2, clusters=5, most=20))
@law
def test_no_clustering_costs_less_than_the_perfect_one(labels):
    truth, pred = labels
    best, actual = cv.dom_q0(truth, truth), cv.dom_q0(truth, pred)
    assert actual >= best - 1e-13
    if len(set(truth)) > 1 and not same_partition(truth, pred):
        assert q0(matrix_of(truth, pred)) > q0(matrix_of(truth, truth))
        assert actual > best


@pytest.mark.parametrize("sizes", [(1, 1), (5, 5), (50, 50), (4, 4, 4), (10,) * 10], ids=str)
def test_with_equal_classes_one_cluster_costs_more_than_a_cluster_each(sizes):
    assert cv.dom_q0(as_table(one_cluster(sizes))) > cv.dom_q0(as_table(a_cluster_each(sizes)))


@pytest.mark.parametrize("sizes", [(20, 1), (200, 1), (100, 1, 1), (500, 1, 1, 1)], ids=str)
def test_with_nearly_all_objects_in_one_class_a_cluster_each_costs_more(sizes):
    # The paper speaks of classes that are empty; one object each is as close as data come.
    assert cv.dom_q0(as_table(one_cluster(sizes))) < cv.dom_q0(as_table(a_cluster_each(sizes)))


@pytest.mark.parametrize("n", [2, 10, 1000])
@pytest.mark.parametrize("classes", [2, 3, 8])
def test_with_all_other_classes_empty_the_equations_rank_them_the_same_way(n, classes):
    # Eq. 15 with no entropy against eq. 16; only at one object are they equal.
    assert log2_choose(n + classes - 1, classes - 1) / n < mp.log(classes, 2)


@pytest.mark.parametrize("sizes", [(24, 24), (48, 24), (24, 24, 72)], ids=str)
def test_more_clusters_that_say_nothing_cost_more(sizes):
    # Case 3(b).
    costs = [
        cv.dom_q0(as_table([[size // clusters] * clusters for size in sizes]))
        for clusters in (1, 2, 3, 4, 6, 8, 12)
    ]
    assert costs == sorted(costs)
    assert len(set(costs)) == len(costs)


def test_the_worst_clustering_is_neither_one_cluster_nor_a_cluster_each():
    # Eqs. 15 and 16 are offered as the maximum, but by case 3(b) two blind clusters cost more.
    blind = cv.dom_q0(as_table([[12, 12], [12, 12]]))
    assert blind > cv.dom_q0(as_table(one_cluster([24, 24])))
    assert blind > cv.dom_q0(as_table(a_cluster_each([24, 24])))


@pytest.mark.parametrize(
    "shape",
    [[[1, 0], [0, 1]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[1, 2, 0], [0, 0, 1]], [[3, 0], [0, 1]]],
    ids=str,
)
def test_the_cost_of_the_table_nears_its_asymptotic_form(shape):
    # Eq. 13. The clusters are pure, so the cost of the table is all of Q0.
    clusters, classes = len(shape[0]), len(shape)
    gaps = []
    for power in (3, 6, 12, 50, 150, 299):
        table = as_table([[count * 10**power for count in row] for row in shape])
        limit = clusters * (classes - 1) * math.log2(table.n) / table.n
        gaps.append(abs(cv.dom_q0(table) / limit - 1))
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 5e-3


def test_the_asymptotic_form_also_holds_beside_entropy():
    matrix = [[3, 1], [1, 3]]
    gaps = []
    for times in (10**2, 10**4, 10**6):
        table = as_table([[count * times for count in row] for row in matrix])
        cost = cv.dom_q0(table) - cv.conditional_entropy(table)
        gaps.append(abs(cost / (2 * math.log2(table.n) / table.n) - 1))
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 0.1


def test_with_much_data_q0_is_the_conditional_entropy():
    # Eq. 14.
    matrix = [[3, 1], [1, 3]]
    table = as_table([[count * 10**12 for count in row] for row in matrix])
    assert cv.dom_q0(table) == pytest.approx(float(left_entropy(matrix)), abs=1e-10)


@pytest.mark.parametrize("times", [1, 100, 10**6])
def test_at_equal_conditional_entropy_fewer_clusters_win(times):
    few = as_table([[6 * times, 2 * times], [2 * times, 6 * times]])
    many = as_table([[3 * times, 3 * times, times, times], [times, times, 3 * times, 3 * times]])
    assert cv.conditional_entropy(few) == near(cv.conditional_entropy(many))
    assert cv.dom_q0(few) < cv.dom_q0(many)
    assert cv.dom_q2(few) > cv.dom_q2(many)


# ---------------------------------------------------------------- §4.2.3 other forms


@given(clusterings(2, clusters=5, most=20))
@law
def test_q1_is_what_the_clusters_save_over_one_cluster(labels):
    # Eq. 17, and its reading as a difference of code lengths.
    matrix = matrix_of(*labels)
    n, classes = len(labels[0]), len(matrix)
    shared = entropy(map(sum, matrix)) - left_entropy(matrix)
    alone = log2_choose(n + classes - 1, classes - 1)
    cost = model_bits(map(sum, columns_of(matrix)), classes)
    exact = shared + (alone - cost) / n
    assert cv.dom_q1(*labels) == near(exact)
    one = cv.dom_q0(labels[0], [0] * n)
    assert cv.dom_q1(*labels) == near(one - cv.dom_q0(*labels), rel=1e-12)


def test_one_cluster_saves_nothing_and_q1_is_not_symmetric():
    assert cv.dom_q1(as_table(one_cluster([4, 3]))) == pytest.approx(0, abs=1e-14)
    table = as_table([[3, 2, 0], [0, 0, 4]])
    assert cv.mutual_information(table) == near(cv.mutual_information(table.T))
    assert cv.dom_q1(table) != near(cv.dom_q1(table.T))


@given(clusterings(2, clusters=5, most=20))
@law
def test_q2_is_one_for_perfect_clusterings_only(labels):
    # Eq. 18.
    truth, pred = labels
    assume(len(set(truth)) > 1)
    value = cv.dom_q2(truth, pred)
    assert value == near(q0(matrix_of(truth, truth)) / q0(matrix_of(truth, pred)))
    assert 0 < value <= 1
    assert (value == 1) == same_partition(truth, pred)


@given(clusterings(3, clusters=4, most=15))
@law
def test_q0_and_q2_rank_clusterings_alike(labels):
    truth, one, other = labels
    assume(len(set(truth)) > 1)
    first, second = q0(matrix_of(truth, one)), q0(matrix_of(truth, other))
    if abs(first - second) > mp.mpf(10) ** -9:
        assert (cv.dom_q2(truth, one) > cv.dom_q2(truth, other)) == (first < second)
        assert (cv.dom_q0(truth, one) < cv.dom_q0(truth, other)) == (first < second)


def test_q2_nears_zero_only_with_ever_more_data():
    values = [cv.dom_q2(as_table(one_cluster([size, size]))) for size in (1, 10**2, 10**6, 10**12)]
    assert values == sorted(values, reverse=True)
    assert 0 < values[-1] < 1e-9


# ---------------------------------------------------------------- §5 other measures


def outside_the_largest(groups):
    """Eqs. 19 to 22: everything but the largest cell of each group."""
    return sum(sum(group) - max(group) for group in groups)


@given(clusterings(2, clusters=5, most=20))
@law
def test_hamming_counts_objects_outside_the_largest_overlaps(labels):
    matrix, n = matrix_of(*labels), len(labels[0])
    by_cluster, by_class = outside_the_largest(columns_of(matrix)), outside_the_largest(matrix)
    assert cv.directional_hamming(*labels) == by_cluster
    assert cv.inverse_directional_hamming(*labels) == by_class
    # Eq. 23 is named a distance, yet grows with agreement.
    assert cv.hamming(*labels) == near(1 - Fraction(by_cluster + by_class, 2 * n))
    assert cv.hamming(*labels) == near(cv.mean_purity(*labels))
    assert cv.hamming(labels[0], labels[0]) == 1


def test_the_choice_among_tied_majorities_does_not_matter():
    table = as_table([[3, 1], [3, 1]])
    swapped = as_table([[1, 3], [1, 3]])
    assert cv.directional_hamming(table) == cv.directional_hamming(swapped) == 4
    assert cv.inverse_directional_hamming(table) == cv.inverse_directional_hamming(swapped) == 2


@given(clusterings(2, clusters=4, most=15))
@law
def test_majority_classes_never_err_more_than_a_one_to_one_map(labels):
    # §5.1: total classification error by majority class, against the map that must differ.
    matrix, n = matrix_of(*labels), len(labels[0])
    by_majority = Fraction(outside_the_largest(columns_of(matrix)), n)
    assert 1 - cv.purity(*labels) == near(by_majority)
    assert cv.classification_error(*labels) == near(1 - Fraction(best_matching(matrix), n))
    assert by_majority <= 1 - Fraction(best_matching(matrix), n)


def test_classification_error_ignores_how_errors_are_spread():
    gathered = as_table([[8, 2, 0], [0, 8, 2], [2, 0, 8]])
    spread = as_table([[8, 1, 1], [1, 8, 1], [1, 1, 8]])
    for measure in (cv.hamming, cv.classification_error, cv.directional_hamming):
        assert measure(gathered) == near(measure(spread))
    assert cv.dom_q0(gathered) < cv.dom_q0(spread)


@given(clusterings(2, clusters=5, most=20))
@law
def test_the_four_measures_of_pairs(labels):
    # §5.2.
    assume(not same_partition(*labels))
    a00, a01, a10, a11 = pairs_one_by_one(*labels)
    everything, classes, clusters = a00 + a01 + a10 + a11, a00 + a01, a00 + a10
    assert cv.rand(*labels) == near(Fraction(a00 + a11, everything))
    assert cv.jaccard(*labels) == near(Fraction(a00, a00 + a01 + a10))
    both = classes * clusters
    fowlkes, gamma = cv.fowlkes_mallows(*labels), cv.hubert_gamma(*labels)
    assert math.isnan(fowlkes) if both == 0 else fowlkes == near(a00 / mp.sqrt(both))
    spread = both * (everything - classes) * (everything - clusters)
    excess = everything * a00 - both
    assert math.isnan(gamma) if spread == 0 else gamma == near(excess / mp.sqrt(spread))


@given(clusterings(2, clusters=3, least=4, most=12))
@law
def test_gamma_is_the_correlation_over_pairs(labels):
    truth, pred = labels
    indices = [(i, j) for j in range(len(truth)) for i in range(j)]
    same_class = [int(truth[i] == truth[j]) for i, j in indices]
    same_cluster = [int(pred[i] == pred[j]) for i, j in indices]
    assume(len(set(same_class)) == len(set(same_cluster)) == 2)
    mean_class = Fraction(sum(same_class), len(indices))
    mean_cluster = Fraction(sum(same_cluster), len(indices))
    joint = Fraction(sum(map(int.__mul__, same_class, same_cluster)), len(indices))
    square = mean_class * (1 - mean_class) * mean_cluster * (1 - mean_cluster)
    excess = joint - mean_class * mean_cluster
    exact = mp.mpf(excess.numerator) / excess.denominator
    exact /= mp.sqrt(mp.mpf(square.numerator) / square.denominator)
    assert cv.hubert_gamma(truth, pred) == near(exact)


@given(st.lists(st.integers(1, 9), min_size=2, max_size=4))
@settings(max_examples=30)
def test_labels_give_what_the_table_gives(sizes):
    matrix = [[size, 1] for size in sizes]
    assert cv.dom_q0(*labels_of(matrix)) == near(cv.dom_q0(as_table(matrix)))
    assert cv.dom_q2(*labels_of(matrix)) == near(cv.dom_q2(as_table(matrix)))
