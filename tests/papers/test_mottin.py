"""Mottin, 'Clustering Validation': the two iris tables and the definitions behind them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from paper_clusterings import as_table
from paper_oracles import (
    best_matching,
    clusterings,
    columns_of,
    entropy,
    entropy_given,
    entropy_of,
    labels_of,
    mp,
    near,
)

import clustervet as cv

# As on the slides, where a row is a cluster and a column a species. The classes are our rows.
GOOD = [[0, 47, 14], [50, 0, 0], [0, 3, 36]]
POOR = [[30, 0, 0], [20, 4, 0], [0, 46, 50]]

slides = pytest.mark.parametrize(
    ("slide", "purity", "match", "f_measure"),
    [
        pytest.param(GOOD, 0.887, 0.887, 0.885, id="good"),
        pytest.param(POOR, 0.667, 0.560, 0.658, id="poor"),
    ],
)
both = pytest.mark.parametrize("slide", [GOOD, POOR], ids=["good", "poor"])


def table_of(slide):
    return as_table(columns_of(slide))


def cluster_f(cluster, species_sizes):
    """2 n_ij / (n_i + m_j) for the species j that the cluster holds most of."""
    most = cluster.index(max(cluster))
    return Fraction(2 * cluster[most], sum(cluster) + species_sizes[most])


def exact_f(slide):
    species_sizes = [sum(column) for column in columns_of(slide)]
    return [cluster_f(cluster, species_sizes) for cluster in slide]


@slides
def test_the_slide_s_numbers_come_out(slide, purity, match, f_measure):
    table = table_of(slide)
    assert cv.purity(table) == pytest.approx(purity, abs=5e-4)
    assert cv.matching_accuracy(table) == pytest.approx(match, abs=5e-4)
    assert cv.f_measure(table) == pytest.approx(f_measure, abs=6e-4)


@both
def test_every_digit_agrees_with_exact_fractions(slide):
    table = table_of(slide)
    assert table.n == 150
    assert cv.purity(table) == float(Fraction(sum(max(cluster) for cluster in slide), 150))
    assert cv.matching_accuracy(table) == float(Fraction(best_matching(slide), 150))
    assert cv.f_measure(table) == near(sum(exact_f(slide)) / 3)


def test_the_good_slide_prints_the_first_cluster_s_f_as_the_mean():
    # The slide says F1 0.85. By the slide's own definition the mean over the clusters is 0.885.
    first, second, third = exact_f(GOOD)
    assert (first, second, third) == (Fraction(94, 111), 1, Fraction(72, 89))
    assert float(first) == pytest.approx(0.85, abs=5e-3)
    assert cv.f_measure(table_of(GOOD)) == pytest.approx(0.885, abs=5e-4)
    assert abs(cv.f_measure(table_of(GOOD)) - 0.85) > 0.03


def test_the_good_slide_has_150_flowers_though_it_prints_100():
    table = table_of(GOOD)
    assert table.n == 150
    assert table.class_sizes.tolist() == [50, 50, 50]
    assert table.cluster_sizes.tolist() == [61, 50, 39]
    # Only 150 flowers give the purity that the same slide prints.
    assert sum(max(cluster) for cluster in GOOD) / 150 == pytest.approx(0.887, abs=5e-4)


def test_purity_forgives_two_clusters_for_one_species_and_matching_does_not():
    assert cv.purity(table_of(GOOD)) == cv.matching_accuracy(table_of(GOOD))
    assert cv.purity(table_of(POOR)) > cv.matching_accuracy(table_of(POOR))


@both
def test_f_is_the_harmonic_mean_of_precision_and_recall(slide):
    species_sizes = [sum(column) for column in columns_of(slide)]
    total = Fraction(0)
    for cluster in slide:
        hits = max(cluster)
        precision = Fraction(hits, sum(cluster))
        recall = Fraction(hits, species_sizes[cluster.index(hits)])
        total += 2 / (1 / precision + 1 / recall)
    assert cv.f_measure(table_of(slide)) == near(total / len(slide))


@both
def test_entropies_mutual_information_and_nmi_follow_their_definitions(slide):
    table = table_of(slide)
    n = sum(map(sum, slide))
    of_clusters = entropy(map(sum, slide))
    of_species = entropy(map(sum, columns_of(slide)))
    left = mp.fsum(mp.mpf(sum(cluster)) / n * entropy(cluster) for cluster in slide)
    shared = mp.fsum(
        mp.mpf(count) / n * mp.log(mp.mpf(count) * n / (sum(cluster) * sum(column)), 2)
        for cluster in slide
        for count, column in zip(cluster, columns_of(slide), strict=True)
        if count
    )
    assert cv.cluster_entropy(table) == near(of_clusters)
    assert cv.class_entropy(table) == near(of_species)
    assert cv.conditional_entropy(table) == near(left)
    assert cv.mutual_information(table) == near(shared)
    assert cv.normalized_mutual_information(table) == near(
        shared / mp.sqrt(of_clusters * of_species)
    )


def test_the_good_clustering_is_better_by_every_measure_that_has_a_direction():
    good, poor = table_of(GOOD), table_of(POOR)
    for record in cv.measures.select(kind="external", general=True):
        if record.better == "higher":
            assert record(good) > record(poor), record.key
        if record.better == "lower":
            assert record(good) < record(poor), record.key


def test_labels_give_what_the_table_gives():
    clusters, species = labels_of(GOOD)
    assert cv.f_measure(species, clusters) == cv.f_measure(table_of(GOOD))
    assert cv.purity(species, clusters) == cv.purity(table_of(GOOD))


@given(clusterings(2))
@settings(max_examples=60)
def test_conditional_entropy_lies_between_zero_and_log_k(labels):
    truth, pred = labels
    value = cv.conditional_entropy(truth, pred)
    assert value == near(entropy_given(truth, pred))
    assert 0 <= value <= float(mp.log(len(set(truth)), 2)) + 1e-13


@pytest.mark.parametrize("species", [2, 3, 7])
def test_the_worst_conditional_entropy_is_log_k_and_the_best_zero(species):
    one_cluster = as_table([[5]] * species)
    assert cv.conditional_entropy(one_cluster) == near(mp.log(species, 2))
    perfect = [[5 * (row == column) for column in range(species)] for row in range(species)]
    assert cv.conditional_entropy(as_table(perfect)) == 0


@pytest.mark.parametrize("matrix", [[[2, 4], [3, 6]], [[1, 2, 3], [10, 20, 30]]])
def test_independent_clusterings_share_no_information(matrix):
    table = as_table(matrix)
    assert cv.mutual_information(table) == pytest.approx(0, abs=1e-14)
    assert cv.normalized_mutual_information(table) == pytest.approx(0, abs=1e-14)


@given(clusterings(2))
@settings(max_examples=60)
def test_mutual_information_never_exceeds_either_entropy(labels):
    # The slide says that it has no upper bound. It has none for all data at once, but for
    # given clusterings the smaller entropy is one; this is why NMI stays within [0, 1].
    truth, pred = labels
    ceiling = float(min(entropy_of(truth), entropy_of(pred)))
    assert -1e-14 <= cv.mutual_information(truth, pred) <= ceiling + 1e-13
    if ceiling > 0:
        assert 0 <= cv.normalized_mutual_information(truth, pred) <= 1
