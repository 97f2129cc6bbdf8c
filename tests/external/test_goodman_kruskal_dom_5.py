"""Goodman and Kruskal's lambda and tau (1954), which Dom 2001, §5, cites.

Lambda is held against their own printed figures and against every way to guess a class; tau
against guesses at random drawn out one by one, and against chi-square where there are two classes.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from agreement import disagreements, matrices, nearly_independent
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats.contingency import association

import clustervet as cv

KEYS = ("goodman_kruskal_lambda", "goodman_kruskal_tau")
# Goodman & Kruskal 1954: eye colour (rows) by hair colour of 6,800 men of Baden.
BADEN = [[1768, 807, 189, 47], [946, 1387, 746, 53], [115, 438, 288, 16]]
law = settings(max_examples=60)


def table_of(matrix):
    return cv.Contingency.from_counts(np.array(matrix))


def test_the_figures_that_goodman_and_kruskal_print_for_eyes_and_hair():
    eyes = table_of(BADEN)
    assert round(cv.goodman_kruskal_lambda(eyes), 4) == 0.2241
    assert round(cv.goodman_kruskal_lambda(eyes.T), 4) == 0.1924


def errors_of_the_best_rule(matrix, *, knowing):
    """Errors of the best function from clusters to classes, by trying every one of them."""
    classes, clusters = len(matrix), len(matrix[0])
    rules = (
        product(range(classes), repeat=clusters)
        if knowing
        else ((c,) * clusters for c in range(classes))
    )
    n = sum(map(sum, matrix))
    return min(n - sum(matrix[c][k] for k, c in enumerate(rule)) for rule in rules)


@given(matrices(st.integers(0, 9), classes=4, clusters=5))
@law
def test_lambda_is_the_share_of_errors_that_the_best_rule_saves(matrix):
    table = table_of(matrix)
    without = errors_of_the_best_rule(matrix, knowing=False)
    if table.identical:
        assert cv.goodman_kruskal_lambda(table) == 1
    elif not without:
        value, why = cv.measures["gk_lambda"].evaluate(table)
        assert math.isnan(value)
        assert why == "there is one class, so nothing to predict"
    else:
        saved = without - errors_of_the_best_rule(matrix, knowing=True)
        assert cv.goodman_kruskal_lambda(table) == saved / without


def errors_of_random_guesses(truth, pred, *, knowing):
    """The chance that the class of a random object, of the same cluster or of all, is another."""
    wrong = Fraction(0)
    for kind, cluster in zip(truth, pred, strict=True):
        drawn = [c for c, k in zip(truth, pred, strict=True) if k == cluster or not knowing]
        wrong += Fraction(sum(other != kind for other in drawn), len(drawn))
    return wrong / len(truth)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=14))
@law
def test_tau_is_the_share_of_errors_that_guesses_at_random_lose(points):
    truth, pred = zip(*points, strict=True)
    without = errors_of_random_guesses(truth, pred, knowing=False)
    if without:
        exact = (without - errors_of_random_guesses(truth, pred, knowing=True)) / without
        assert cv.goodman_kruskal_tau(truth, pred) == pytest.approx(float(exact), rel=1e-13, abs=0)
    elif len(set(pred)) > 1:
        assert math.isnan(
            cv.measures["gk_tau"].evaluate(cv.Contingency.from_labels(truth, pred)).value
        )


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40)), min_size=2, max_size=6))
@law
def test_tau_of_two_classes_is_chi_square_over_n(columns):
    matrix = np.array(columns).T
    cramer = association(matrix, method="cramer")
    assert cv.goodman_kruskal_tau(table_of(matrix)) == pytest.approx(cramer**2, abs=1e-12)


def test_tau_is_one_less_the_gini_index_over_that_of_one_cluster():
    table = table_of(BADEN)
    alone = table_of([[sum(row)] for row in BADEN])
    assert cv.goodman_kruskal_tau(table) == pytest.approx(1 - cv.gini(table) / cv.gini(alone))


@pytest.mark.parametrize("key", KEYS)
def test_nothing_is_saved_by_one_cluster_and_everything_by_pure_ones(key):
    measure = cv.measures[key]
    assert measure([0, 0, 1], [5, 5, 5]) == 0
    assert measure([0, 0, 1], [0, 1, 2]) == 1
    assert measure([0, 0, 0], [1, 1, 1]) == 1  # equal partitions, though there is one class


def test_lambda_is_zero_where_all_clusters_have_one_majority_and_tau_is_not():
    truth, pred = [0] * 8 + [1] * 3, [0] * 5 + [1] * 3 + [1] * 2 + [0]
    assert cv.goodman_kruskal_lambda(truth, pred) == 0
    assert cv.goodman_kruskal_tau(truth, pred) > 0.05


@given(nearly_independent(10**6))
@example([[3, 3], [3, 3]])
@example([[6, 10, 14], [9, 15, 21]])
@law
def test_next_to_nothing_explained_keeps_its_digits(matrix):
    assert not disagreements(matrix, KEYS)


@given(matrices(st.one_of(st.just(0.0), st.floats(0.01, 100.0)), classes=4, clusters=4))
@law
def test_real_weights(matrix):
    assert not disagreements(matrix, KEYS)


def test_tables_of_very_many_objects_and_cells():
    assert not disagreements([[10**30, 1], [3, 10**25]], KEYS)
    rng = np.random.default_rng(3)
    assert not disagreements(rng.integers(0, 50, (40, 60)).tolist(), KEYS)
    wide = rng.integers(1, 9, (120, 120))
    wide[np.arange(120), np.arange(120)] += 500
    assert not disagreements(wide.tolist(), KEYS)
