"""Degrees of membership (Dom 2001, Appendix C.1) as a table, against sums of exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.mixture import GaussianMixture

import clustervet as cv
from clustervet import Contingency
from clustervet.errors import LabelError

TRUTH = ["a", "a", "b", "b"]
SHARES = np.array([[1.0, 0.0, 0.0], [0.5, 0.25, 0.25], [0.0, 0.25, 0.75], [0.0, 0.0, 1.0]])


def eighths(rows, columns):
    """Rows of whole eighths that sum to 1."""
    cuts = st.lists(st.integers(0, 8), min_size=columns - 1, max_size=columns - 1).map(sorted)
    row = cuts.map(lambda c: [b - a for a, b in zip([0, *c], [*c, 8], strict=True)])
    return st.lists(row, min_size=rows, max_size=rows)


@st.composite
def shared_objects(draw):
    n, k, c = draw(st.integers(1, 8)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    return draw(eighths(n, c)), draw(eighths(n, k))


@given(shared_objects())
def test_cells_are_sums_of_products(case):
    classes, clusters = case
    right = {}
    for q, p in zip(classes, clusters, strict=True):
        for i, one in enumerate(q):
            for j, other in enumerate(p):
                right[i, j] = right.get((i, j), 0) + Fraction(one * other, 64)
    right = {cell: float(count) for cell, count in right.items() if count}
    found = Contingency.from_memberships(np.array(classes) / 8, np.array(clusters) / 8)
    assert found.to_dict() == right
    assert found.n == len(classes)


@given(shared_objects())
def test_memberships_of_zero_and_one_are_labels(case):
    truth, pred = ([int(np.argmax(row)) for row in side] for side in case)
    found = Contingency.from_memberships(truth, np.eye(4)[pred])
    assert found.to_dict() == Contingency.from_labels(truth, pred).to_dict()
    assert found.is_whole


@pytest.mark.parametrize(
    "container",
    [
        np.asarray,
        np.ndarray.tolist,
        sp.csr_array,
        sp.coo_matrix,
        np.float32,
        lambda p: pd.DataFrame(p),
        lambda p: sp.csc_array(p),
    ],
)
def test_containers_give_one_table(container):
    found = Contingency.from_memberships(TRUTH, container(SHARES))
    assert found.to_dict() == {
        ("a", 0): 1.5, ("a", 1): 0.25, ("a", 2): 0.25, ("b", 1): 0.25, ("b", 2): 1.75,
    }  # fmt: skip


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_of_frames_name_clusters(frame):
    found = Contingency.from_memberships(
        TRUTH, frame({"x": [1.0, 1.0, 0.0, 0.5], "y": [0.0, 0.0, 1.0, 0.5]})
    )
    assert found.to_dict() == {("a", "x"): 2.0, ("b", "x"): 0.5, ("b", "y"): 1.5}


def test_what_predict_proba_gives_goes_straight_in():
    points, truth = load_iris(return_X_y=True)
    model = GaussianMixture(3, random_state=0).fit(points)
    shares = model.predict_proba(points)
    table = Contingency.from_memberships(truth, shares)
    for k in range(3):
        sums = shares[truth == k].sum(axis=0)
        held = [table.to_dict().get((k, j), 0.0) for j in range(3)]
        np.testing.assert_allclose(held, sums, rtol=1e-12, atol=1e-300)
    card = cv.external_scores(table)
    undefined = {key for key, score in card.scores.items() if math.isnan(score.value)}
    assert undefined == {"adjusted_mutual_information"}
    soft = card.scores["variation_of_information"].value
    # H(C) + H(K) - 2 I, by its definition over the cells.
    p = np.array([shares[truth == k].sum(axis=0) for k in range(3)]) / 150
    p = p[p > 0], p.sum(1), p.sum(0)
    entropy = [-(x * np.log2(x)).sum() for x in p]
    assert soft == pytest.approx(2 * entropy[0] - entropy[1] - entropy[2], rel=1e-9)


def test_weights_missing_labels_and_noise_of_the_truth():
    half = [[0.5, 0.5]] * 4
    found = Contingency.from_memberships(["a", None, "b", "b"], half, missing="drop")
    assert found.to_dict() == {("a", 0): 0.5, ("a", 1): 0.5, ("b", 0): 1.0, ("b", 1): 1.0}
    found = Contingency.from_memberships([0, 0, -1, 1], half, noise="drop", weights=[1, 2, 5, 4])
    assert found.to_dict() == {(0, 0): 1.5, (0, 1): 1.5, (1, 0): 2.0, (1, 1): 2.0}
    found = Contingency.from_memberships(half, half, weights=[1, 1, 1, 5])
    assert found.to_dict() == {(i, j): 2.0 for i in range(2) for j in range(2)}
    with pytest.raises(LabelError, match="truth has 1 missing label"):
        Contingency.from_memberships(["a", None, "b", "b"], half)


@pytest.mark.parametrize("policy", ["drop", "singletons"])
def test_a_row_number_is_no_noise(policy):
    found = Contingency.from_memberships([5, 0, 5], np.eye(3), noise={0: policy})
    assert found.n == (2 if policy == "drop" else 3)
    assert found.to_dict()[5, 0] == found.to_dict()[5, 2] == 1


@pytest.mark.parametrize("kind", [np.array, sp.csr_array, sp.csr_matrix, sp.coo_matrix])
def test_two_matrices_may_have_weights(kind):
    found = Contingency.from_memberships(
        kind(np.eye(2)), kind([[0.5, 0.5], [1, 0]]), weights=[4, 3]
    )
    assert found.to_dict() == {(0, 0): 2.0, (0, 1): 2.0, (1, 0): 3.0}


@pytest.mark.parametrize("kind", [np.array, sp.csr_array])
def test_rows_are_divided_by_their_sums_if_asked(kind):
    rows = kind([[2.0, 2.0], [0.125, 0.375]])
    found = Contingency.from_memberships(["a", "b"], rows, normalize=True)
    assert found.to_dict() == {("a", 0): 0.5, ("a", 1): 0.5, ("b", 0): 0.25, ("b", 1): 0.75}
    written = Contingency.from_memberships(["a"], [[0.333, 0.333, 0.333]])
    assert written.n == pytest.approx(1.0, rel=1e-15)


BAD = {
    "row 1 of memberships holds -0.5; memberships are not negative": [[1, 0], [-0.5, 1.5]],
    "row 0 of memberships holds nan; memberships are finite": [[math.nan, 1], [0, 1]],
    "row 1 of memberships holds inf; memberships are finite": [[0, 1], [math.inf, 1]],
    "row 1 of memberships is all zero": [[1, 0], [0, 0]],
    "row 0 of memberships sums to 0.9, not 1. If no column is missing, normalize=True": [
        [0.4, 0.5],
        [0, 1],
    ],
}


@pytest.mark.parametrize("words", BAD)
@pytest.mark.parametrize("container", [np.array, sp.csr_array])
def test_bad_memberships_are_refused(container, words):
    with pytest.raises(LabelError, match=words):
        Contingency.from_memberships(["a", "b"], container(BAD[words]))


@pytest.mark.parametrize(
    ("truth", "given", "words"),
    [
        (["a"], [[1, 0], [0, 1]], "truth has 1 label"),
        ([[1.0]], [[1, 0], [0, 1]], "truth has 1 rows and memberships has 2"),
        (["a", "b"], [1.0, 0.0], "memberships must be a matrix with one row per object"),
        (["a", "b"], [["x", "y"], ["z", "w"]], "memberships must be a matrix of numbers"),
        (["a", "b"], np.zeros((2, 0)), "memberships is empty"),
        ([[0.5, 0.4]], [[1.0]], "row 0 of truth sums to 0.9"),
    ],
)
def test_what_does_not_fit_is_refused(truth, given, words):
    with pytest.raises(LabelError, match=words):
        Contingency.from_memberships(truth, given)
