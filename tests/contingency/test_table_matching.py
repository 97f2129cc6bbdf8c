from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from clustervet import Contingency
from clustervet.contingency import matching

# The first runs plain Python on small tables, the second compiled loops on all of them.
STEPS = {"plain": 10**9, "compiled": -1}


@pytest.fixture(params=STEPS)
def way(request, monkeypatch):
    monkeypatch.setattr(matching, "FEW_STEPS", STEPS[request.param])
    return request.param


def best_total(matrix):
    return matrix[linear_sum_assignment(matrix, maximize=True)].sum()


def check(matrix):
    """The matching is one-to-one, and no other has a larger total."""
    table = Contingency.from_counts(matrix)
    chosen = table.match()
    rows, cols = table.cells.rows[chosen], table.cells.cols[chosen]
    assert len(set(rows.tolist())) == len(rows)
    assert len(set(cols.tolist())) == len(cols)
    assert chosen.tolist() == sorted(chosen.tolist())
    assert table.matched == pytest.approx(float(best_total(matrix)), rel=1e-12)


def random_matrix(seed, height, width, share, top):
    rng = np.random.default_rng(seed)
    matrix = rng.integers(1, top, (height, width), endpoint=True)
    matrix[rng.random((height, width)) >= share] = 0
    matrix[0, 0] = max(1, matrix[0, 0])
    return matrix


@pytest.mark.parametrize("steps", STEPS.values(), ids=STEPS)
@settings(max_examples=150)
@given(
    st.integers(0, 2**32),
    st.integers(1, 14),
    st.integers(1, 14),
    st.sampled_from([0.1, 0.3, 0.6, 1.0]),
    st.sampled_from([1, 2, 5, 1000, 2**45]),
)
def test_the_matching_is_as_good_as_the_best(steps, seed, height, width, share, top):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "FEW_STEPS", steps)
        check(random_matrix(seed, height, width, share, top))


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(1, 12))
def test_the_matching_of_real_weights_is_as_good_as_the_best(seed, height, width):
    rng = np.random.default_rng(seed)
    matrix = rng.random((height, width)) * (rng.random((height, width)) < 0.6)
    matrix[0, 0] += 0.5
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "FEW_STEPS", -1)
        check(matrix)


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(1, 40))
def test_near_independent_tables_are_matched_as_well_as_the_best(seed, height, width):
    rng = np.random.default_rng(seed)
    outer = np.outer(rng.integers(1, 99, height), rng.integers(1, 99, width))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(matching, "FEW_STEPS", -1)
        check(outer + rng.integers(0, 2, outer.shape))
        patch.setattr(matching, "PATIENCE", 0)
        check(outer)


@pytest.mark.parametrize("shape", [(1, 1), (1, 60), (60, 1), (3, 90), (90, 3), (70, 70), (40, 75)])
def test_tables_of_every_shape(way, shape):
    for share in (0.05, 0.4, 1.0):
        check(random_matrix(1, *shape, share, 100))


@pytest.mark.parametrize("patience", [0, 30, 10**9])
def test_a_large_table_close_to_independence_whatever_the_patience(patience, monkeypatch):
    monkeypatch.setattr(matching, "PATIENCE", patience)
    rng = np.random.default_rng(2)
    outer = np.outer(rng.integers(1, 400, 120), rng.integers(1, 400, 150))
    check(outer)
    check(outer + rng.integers(0, 3, outer.shape))


@pytest.mark.parametrize(("patience", "dense"), [(0, True), (30, True), (10**9, False)])
def test_a_search_that_takes_too_long_is_given_to_the_dense_solver(patience, dense, monkeypatch):
    used = []
    solver = matching._dense
    monkeypatch.setattr(matching, "_dense", lambda *cells: used.append(1) or solver(*cells))
    monkeypatch.setattr(matching, "PATIENCE", patience)
    rng = np.random.default_rng(2)
    check(np.outer(rng.integers(1, 400, 120), rng.integers(1, 400, 150)))
    assert bool(used) is dense


def test_a_large_sparse_table():
    rng = np.random.default_rng(3)
    truth, pred = rng.integers(0, 400, 3_000), rng.integers(0, 300, 3_000)
    check(Contingency.from_labels(truth, pred).counts.toarray())


def test_a_table_that_is_nearly_a_permutation(way):
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 60, 5_000)
    pred = (truth * 7) % 60
    pred[rng.random(5_000) < 0.1] = 0
    check(Contingency.from_labels(truth, pred).counts.toarray())


def test_all_cells_equal(way):
    check(np.ones((9, 6), int))
    check(np.ones((6, 9), int))


def test_identical_clusterings_match_everything(way):
    table = Contingency.from_labels(np.arange(50) % 25, (np.arange(50) % 25) * 3)
    assert table.matched == 50
    assert len(table.match()) == 25


def test_counts_beyond_64_bits_are_matched_exactly(way):
    # In floats both diagonals weigh the same.
    table = Contingency.from_counts([[10**30 + 1, 10**30], [10**30, 10**30]])
    assert table.matched == 2 * 10**30 + 1
    assert table.match().tolist() == [0, 3]


def test_whole_counts_close_to_2_to_the_53_are_matched_exactly(way):
    big = 2**50
    check(np.array([[big + 1, big, 1], [big, big, 1], [1, 1, 1]]))


def test_own_weights_may_replace_the_counts(way):
    table = Contingency.from_counts([[9, 1], [9, 1]])
    assert table.match().tolist() in ([0, 3], [1, 2])
    weights = np.array([0.0, 1.0, 5.0, 1.0])
    assert table.match(weights).tolist() == [1, 2]


def test_the_transposed_table_matches_as_much(way):
    table = Contingency.from_counts(random_matrix(5, 20, 33, 0.3, 9))
    assert table.T.matched == table.matched
