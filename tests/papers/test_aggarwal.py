"""Aggarwal, 'Data Mining', §6.9.2: the confusion matrices of Figs. 6.25 and 6.26."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paper_clusterings import as_table
from paper_oracles import columns_of, labels_of, mp, near, pairs_one_by_one

import clustervet as cv

# Rows are classes, as the text below the figures says, though the figures head them with
# "cluster indices".
GOOD = [[97, 0, 2, 1], [5, 191, 1, 3], [4, 3, 87, 6], [0, 0, 5, 195]]
POOR = [[33, 30, 17, 20], [51, 101, 24, 24], [24, 23, 31, 22], [46, 40, 44, 70]]

figures = pytest.mark.parametrize("figure", [GOOD, POOR], ids=["6.25", "6.26"])


def gini_of(counts):
    """Eq. 6.50."""
    return 1 - sum(Fraction(count, sum(counts)) ** 2 for count in counts)


def entropy_of(counts):
    """Eq. 6.52, in bits."""
    shares = [mp.mpf(count) / sum(counts) for count in counts if count]
    return -mp.fsum(share * mp.log(share, 2) for share in shares)


def weighted(of_one, groups):
    """Eqs. 6.51 and 6.53."""
    return sum(of_one(group) * sum(group) for group in groups) / sum(map(sum, groups))


def purity_of(groups):
    """Eqs. 6.48 and 6.49."""
    return Fraction(sum(map(max, groups)), sum(map(sum, groups)))


@figures
def test_margins_are_the_sums_of_rows_and_columns(figure):
    table = as_table(figure)
    assert table.class_sizes.tolist() == [sum(row) for row in figure]
    assert table.cluster_sizes.tolist() == [sum(column) for column in columns_of(figure)]


def test_the_sizes_of_the_classes_do_not_depend_on_the_clustering():
    assert as_table(GOOD).class_sizes.tolist() == as_table(POOR).class_sizes.tolist()


@figures
def test_purity_both_ways_and_their_mean(figure):
    table = as_table(figure)
    by_cluster, by_class = purity_of(columns_of(figure)), purity_of(figure)
    assert cv.purity(table) == float(by_cluster)
    assert cv.inverse_purity(table) == float(by_class)
    assert cv.mean_purity(table) == float((by_cluster + by_class) / 2)


@figures
def test_gini_index_both_ways(figure):
    table = as_table(figure)
    assert cv.gini(table) == near(weighted(gini_of, columns_of(figure)))
    assert cv.inverse_gini(table) == near(weighted(gini_of, figure))


@figures
def test_entropy_both_ways(figure):
    table = as_table(figure)
    assert cv.conditional_entropy(table) == near(weighted(entropy_of, columns_of(figure)))
    assert cv.inverse_conditional_entropy(table) == near(weighted(entropy_of, figure))
    nats = weighted(entropy_of, columns_of(figure)) * mp.log(2)
    assert cv.conditional_entropy(table, base=float(mp.e)) == near(nats)


@figures
def test_pairwise_precision_recall_and_their_geometric_mean(figure):
    table = as_table(figure)
    pairs = pairs_one_by_one(*labels_of(figure))
    precision = Fraction(pairs.n11, pairs.n11 + pairs.n01)
    recall = Fraction(pairs.n11, pairs.n11 + pairs.n10)
    assert tuple(table.pairs) == pairs
    assert cv.pair_precision(table) == float(precision)
    assert cv.pair_recall(table) == float(recall)
    product = precision * recall
    root = mp.sqrt(mp.mpf(product.numerator) / product.denominator)
    assert cv.fowlkes_mallows(table) == near(root)


def test_the_values_a_reader_can_check_by_hand():
    good, poor = as_table(GOOD), as_table(POOR)
    assert cv.purity(good) == (97 + 191 + 87 + 195) / 600 == 0.95
    assert cv.inverse_purity(good) == 0.95
    assert cv.purity(poor) == (51 + 101 + 44 + 70) / 600
    assert cv.inverse_purity(poor) == (33 + 101 + 31 + 70) / 600


def test_the_first_clustering_is_better_by_every_measure_that_has_a_direction():
    good, poor = as_table(GOOD), as_table(POOR)
    general = cv.measures.select(kind="external", general=True)
    directed = [m for m in general if m.better != "neither"]
    assert len(directed) > 30
    for record in directed:
        gain = record(good) - record(poor)
        assert gain > 0 if record.better == "higher" else gain < 0, record.key


@figures
def test_the_order_of_rows_and_columns_does_not_matter(figure):
    shuffled = [[figure[row][column] for column in (2, 0, 3, 1)] for row in (1, 3, 0, 2)]
    for record in cv.measures.select(kind="external"):
        assert record(as_table(shuffled)) == near(record(as_table(figure))), record.key


def test_the_two_ways_differ_when_the_numbers_of_classes_and_clusters_do():
    # Two classes cut into four pure clusters: flawless by column, half lost by row.
    table = as_table([[5, 5, 0, 0], [0, 0, 5, 5]])
    assert (cv.purity(table), cv.inverse_purity(table)) == (1.0, 0.5)
    assert (cv.gini(table), cv.inverse_gini(table)) == (0.0, 0.5)
    assert cv.mean_purity(table) == 0.75


def test_gini_and_entropy_see_the_minority_that_purity_ignores():
    # The same dominant class; the rest from one other class, or scattered over three.
    two_classes = as_table([[60, 0], [40, 0], [0, 50], [0, 50]])
    many_classes = as_table([[60, 0], [14, 0], [13, 50], [13, 50]])
    assert cv.purity(two_classes) == cv.purity(many_classes)
    assert cv.gini(two_classes) < cv.gini(many_classes)
    assert cv.conditional_entropy(two_classes) < cv.conditional_entropy(many_classes)


@pytest.mark.parametrize("classes", [2, 3, 4, 10])
def test_an_even_column_has_the_largest_gini_and_entropy(classes):
    even = as_table([[7, 3]] * classes)
    assert cv.gini(even) == near(1 - Fraction(1, classes))
    assert cv.conditional_entropy(even) == near(mp.log(classes, 2))


def test_gini_is_near_zero_for_the_good_figure_and_near_its_bound_for_the_poor_one():
    bound = 1 - 1 / 4
    assert cv.gini(as_table(GOOD)) < 0.15 * bound
    assert 0.9 * bound < cv.gini(as_table(POOR)) < bound


def matrices():
    cell = st.integers(0, 9)
    shape = st.tuples(st.integers(1, 5), st.integers(1, 5))
    return shape.flatmap(
        lambda s: st.lists(
            st.lists(cell, min_size=s[1], max_size=s[1]), min_size=s[0], max_size=s[0]
        )
    ).filter(lambda rows: all(map(any, rows)) and all(map(any, zip(*rows, strict=True))))


@given(matrices())
@settings(max_examples=80)
def test_the_equations_hold_for_any_confusion_matrix(matrix):
    table, columns = as_table(matrix), columns_of(matrix)
    assert cv.purity(table) == near(purity_of(columns))
    assert cv.inverse_purity(table) == near(purity_of(matrix))
    assert cv.gini(table) == near(weighted(gini_of, columns))
    assert cv.inverse_gini(table) == near(weighted(gini_of, matrix))
    assert cv.conditional_entropy(table) == near(weighted(entropy_of, columns))
    assert cv.inverse_conditional_entropy(table) == near(weighted(entropy_of, matrix))
    assert cv.gini(table) <= 1 - 1 / len(matrix) + 1e-14
    assert cv.inverse_gini(table) <= 1 - 1 / len(columns) + 1e-14
