"""`Memberships`: what it reads, what it refuses, and what it says."""

from __future__ import annotations

import json
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from scipy.sparse import coo_matrix, csr_array, csr_matrix
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.mixture import GaussianMixture

import clustervet as cv
from clustervet.errors import LabelError, ParameterError

DEGREES = [[0.5, 0.5, 0.0], [0.0, 1.0, 0.0], [0.25, 0.25, 0.5]]
COLUMNS = {name: [row[k] for row in DEGREES] for k, name in enumerate("abc")}
FORMS: dict[str, Any] = {
    "lists": DEGREES,
    "array": np.array(DEGREES),
    "floats of 32 bits": np.array(DEGREES, np.float32),
    "sparse array": csr_array(DEGREES),
    "sparse matrix": csr_matrix(DEGREES),
    "coordinates": coo_matrix(DEGREES),
    "pandas": pd.DataFrame(COLUMNS),
    "polars": pl.DataFrame(COLUMNS),
    "pyarrow": pa.table(COLUMNS),
    "dicts": [{"a": 0.5, "b": 0.5}, {"b": 1}, {"a": 0.25, "b": 0.25, "c": 0.5}],
    "dicts by object": {
        "x": {"a": 0.5, "b": 0.5},
        "y": {"b": 1},
        "z": {"a": 0.25, "b": 0.25, "c": 0.5},
    },
}


def dense(found: cv.Memberships) -> list[list[float]]:
    return (found.shares.toarray() if found.is_sparse else found.shares).tolist()


@pytest.mark.parametrize("form", list(FORMS))
def test_every_form_is_the_same_matrix(form: str) -> None:
    found = cv.Memberships(FORMS[form])
    assert dense(found) == DEGREES
    named = form in ("pandas", "polars", "pyarrow") or form.startswith("dicts")
    assert found.names == (("a", "b", "c") if named else (0, 1, 2))
    assert found.objects == (("x", "y", "z") if form == "dicts by object" else None)
    assert (found.n, found.k, found.shape, len(found)) == (3, 3, (3, 3), 3)
    assert cv.ndc(found, DEGREES) == 1.0


def test_labels_are_degrees_of_1() -> None:
    for labels in (["b", "a", "b"], pd.Series(["b", "a", "b"]), np.array(["b", "a", "b"])):
        found = cv.Memberships(labels)
        assert found.names == ("a", "b")
        assert dense(found) == [[0, 1], [1, 0], [0, 1]]
        assert found.is_hard
        assert found.harden().tolist() == ["b", "a", "b"]
    fitted = KMeans(2, n_init=1, random_state=0).fit([[0.0], [9.0], [9.0]])
    assert cv.Memberships(fitted).harden().tolist() == fitted.labels_.tolist()
    keyed = cv.Memberships({"x": "b", "y": "a"})
    assert keyed.objects == ("x", "y")


def test_what_is_left_of_a_probability_goes_to_noise() -> None:
    found = cv.Memberships.from_labels([0, 1, -1, 1], [0.75, 1.0, 0.5, 0.5])
    assert found.names == (0, 1, "noise")
    assert dense(found) == [[0.75, 0, 0.25], [0, 1, 0], [0, 0, 1], [0, 0.5, 0.5]]
    certain = cv.Memberships.from_labels([0, 1], [1, 1])
    assert certain.names == (0, 1)
    clusterer = SimpleNamespace(
        labels_=np.array([0, 1, -1, 1]), probabilities_=np.array([0.75, 1.0, 0.0, 0.5])
    )
    assert dense(cv.Memberships(clusterer)) == dense(found)
    assert cv.Memberships.from_labels([0, -1]).names == (-1, 0)


def test_hdbscan_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    points = np.vstack([rng.normal(size=(60, 2)), rng.normal(size=(60, 2)) + 9, [[99, 99]]])
    fitted = HDBSCAN(min_cluster_size=20, copy=True).fit(points)
    found = cv.Memberships(fitted)
    assert found.names == (0, 1, "noise")
    assert found.shares.toarray()[-1].tolist() == [0, 0, 1]
    clear = fitted.probabilities_ > 0.5
    assert (found.harden()[clear] == fitted.labels_[clear].astype(object)).all()


REFUSED: dict[str, tuple[Any, str]] = {
    "negative": ([[1, 0], [1.5, -0.5]], "row 1 of memberships holds -0.5; memberships are not neg"),
    "missing": ([[1, 0], [math.nan, 1]], "row 1 of memberships holds nan; memberships are finite"),
    "infinite": (csr_array([[1, 0], [0, math.inf]]), "row 1 of memberships holds inf"),
    "sum": ([[1, 0], [0.5, 0.4]], "row 1 of memberships sums to 0.9, not 1. If no column"),
    "no degree": ([[1, 0], [0, 0]], "row 1 of memberships is all zero"),
    "empty": (np.zeros((0, 2)), "memberships is empty"),
    "three dimensions": (np.ones((2, 2, 2)), "one-dimensional|must be a matrix"),
    "masked": (
        np.ma.masked_array([[1.0, 0.0]], mask=[[False, True]]),
        "must be a matrix of numbers; some are masked",
    ),
    "text": ([["a", "b"]], "must be a matrix of numbers"),
    "dict with text": ([{"a": 1}, {"a": "x"}], "row 1 of memberships gives cluster 'a' 'x', which"),
    "dict and list": ([{"a": 1}, [1]], "row 1 of memberships must be a dict of degrees by cluster"),
    "dict without cluster": ([{"a": 1}, {}], "row 1 of memberships is all zero"),
    "dict over 1": ([{"a": 1}, {"a": 0.5, "b": 0.75}], "row 1 of memberships sums to 1.25"),
    "same names": (
        pd.DataFrame([[0.5, 0.5]], columns=["a", "a"]),
        "two clusters are called 'a'; their names must differ",
    ),
    "complex": (np.array([[1 + 1j, 0]]), "must be a matrix of real numbers, not complex128"),
    "several at once": (
        [[1, 0, 0.5, 0.5], [0, 1, 1, 0]],
        "every row of memberships sums to 2, not 1, as if these were 2 clusterings",
    ),
    "names that are missing": ([{math.nan: 1}, {math.nan: 1}], "names must .* some are missing"),
    "missing label": (["a", None], "row 1 of memberships has no label; leave such objects out"),
}


@pytest.mark.parametrize("case", list(REFUSED))
def test_what_is_no_membership_is_refused(case: str) -> None:
    given, why = REFUSED[case]
    with pytest.raises(LabelError, match=why):
        cv.Memberships(given)


def test_degrees_whose_sum_is_no_float_are_divided_by_it() -> None:
    found = cv.Memberships([[1e308, 1e308, 0], [0, 0, 1]], normalize=True)
    assert found.shares.tolist() == [[0.5, 0.5, 0], [0, 0, 1]]
    packed = cv.Memberships(csr_array([[1e308, 1e308, 0], [0, 0, 1]]), normalize=True)
    assert packed.shares.toarray().tolist() == found.shares.tolist()


def test_rounding_below_zero_is_zero() -> None:
    for degrees in ([[-8e-16, 1], [0.5, 0.5]], csr_array([[-8e-16, 1], [0.5, 0.5]])):
        shares = cv.Memberships(degrees).shares
        assert shares.min() == 0
        assert shares.sum(axis=1).tolist() == [1, 1]


def test_every_kind_of_sparse_matrix_is_read() -> None:
    degrees = np.array([[0.5, 0.5], [0, 1]])
    for kind in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil"):
        made = getattr(sparse, f"{kind}_array")(degrees)
        assert cv.Memberships(made).shares.toarray().tolist() == degrees.tolist()


def test_names_are_held_against_an_index() -> None:
    named = cv.Memberships({"x": {"a": 1}, "y": {"a": 1}, "z": {"b": 1}})
    frame = pd.DataFrame({"a": [0, 1, 1], "b": [1, 0, 0]}, index=["z", "y", "x"])
    with pytest.raises(LabelError, match="row 0 is 'x' in truth and 'z' in pred"):
        cv.ndc(named, frame)
    assert cv.ndc(named, frame.loc[["x", "y", "z"]]) == 1
    assert cv.ndc(named, frame.iloc[::-1].reset_index(drop=True)) == 1  # which counts the rows
    with pytest.raises(LabelError, match="truth alone has 1, such as 'z' and pred alone has 1, su"):
        cv.ndc(named, frame.set_axis(["w", "y", "x"]))
    with pytest.raises(LabelError, match="truth alone has 3, such as 'x' and pred alone has 3, su"):
        cv.ndc(named, frame.set_axis([7, 8, 9]))


def test_rows_that_are_none_are_refused() -> None:
    for places in ([3], [-1], [], [0.5]):
        with pytest.raises(ParameterError, match="places of objects must be"):
            cv.Memberships([[1, 0]]).take(np.array(places))


def test_messages_name_the_side_that_is_wrong() -> None:
    with pytest.raises(LabelError, match=r"row 1 of pred sums to 0\.9, not 1"):
        cv.ndc([[1, 0], [0, 1]], [[1, 0], [0.5, 0.4]])
    with pytest.raises(LabelError, match="row 0 of truth holds -1"):
        cv.ndc([[2, -1], [0, 1]], [[1, 0], [0, 1]])
    with pytest.raises(LabelError, match="memberships must be memberships, not a GaussianMixture"):
        cv.Memberships(GaussianMixture())
    with pytest.raises(LabelError, match=r"row 1 of probabilities is 1\.5; it must be from 0 to 1"):
        cv.Memberships.from_labels([0, 1], [0.5, 1.5])
    with pytest.raises(LabelError, match="there are 2 labels, and the shape of the probabilities"):
        cv.Memberships.from_labels([0, 1], [0.5])
    with pytest.raises(LabelError, match="probabilities must be one number per object"):
        cv.Memberships.from_labels([0, 1], ["x", "y"])
    with pytest.raises(LabelError, match="is called 'noise', which is the name of the rest"):
        cv.Memberships.from_labels(["noise", "a"], [0.5, 1])
    with pytest.raises(LabelError, match="names must be one name per cluster; there are 1 name"):
        cv.Memberships(DEGREES, names=["a"])
    with pytest.raises(LabelError, match="names must be one name per cluster, not one string"):
        cv.Memberships(DEGREES, names="abc")
    with pytest.raises(LabelError, match="objects must be names that can be told apart"):
        cv.Memberships(DEGREES, objects=[["x"], ["y"], ["z"]])


def test_sums_near_1_are_rounded_ones() -> None:
    found = cv.Memberships([[0.3333, 0.6666], [1, 0]])
    assert np.allclose(found.shares.sum(axis=1), 1, atol=1e-15)
    halves = cv.Memberships([[3, 1], [0, 2]], normalize=True)
    assert dense(halves) == [[0.75, 0.25], [0, 1]]


def test_a_record_does_not_change_with_what_it_was_made_of() -> None:
    given = np.array(DEGREES)
    found, sparse = cv.Memberships(given), cv.Memberships(csr_array(given))
    given[0] = [0, 0, 1]
    assert dense(found) == dense(sparse) == DEGREES
    with pytest.raises(ValueError, match="read-only"):
        found.shares[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        sparse.shares.data[0] = 1
    with pytest.raises(AttributeError):
        found.names = ("x", "y", "z")  # type: ignore[misc]  # a frozen record
    again = cv.Memberships(found, names=["x", "y", "z"], objects=["o", "p", "q"])
    assert (again.names, again.objects) == (("x", "y", "z"), ("o", "p", "q"))


def test_tops_of_sparse_and_dense_are_the_same() -> None:
    rng = np.random.default_rng(0)
    degrees = rng.multinomial(8, [0.5, 0.3, 0.1, 0.1, 0], 200) / 8
    sides = cv.Memberships(degrees), cv.Memberships(csr_array(degrees))
    for one, other in zip(*(side.tops for side in sides), strict=True):
        assert (one == other).all()
    assert cv.Memberships([[1.0], [1.0]]).tops[1].tolist() == [0, 0]


def test_it_is_a_result_in_every_form() -> None:
    found = cv.Memberships(DEGREES, names=["a", "b", "<c>"], objects=["x", "y", "z"])
    assert "3 objects with degrees of membership in 3 clusters" in repr(found)
    assert "&lt;c&gt;" in found._repr_html_()
    assert "<c>" not in found._repr_html_()
    frame = found.to_frame("pandas")
    assert list(frame.columns) == ["object", "a", "b", "<c>"]
    assert dense(cv.Memberships(frame.set_index("object"))) == DEGREES
    known = json.loads(found.to_json())
    assert known["schema"] == "clustervet/memberships/1"
    assert known["clusters"][1] == {"cluster": "b", "sum": 1.75, "objects": 1, "mean": 1.0}
    assert "main cluster of" in found.to_markdown()
    assert "tabular" in found.to_latex()
    assert found.to_csv().splitlines()[1] == "x,0.5,0.5,0.0"


def test_a_frame_keeps_its_index() -> None:
    frame = pd.DataFrame(COLUMNS, index=["x", "y", "z"])
    found = cv.Memberships(frame)
    assert list(found.index) == ["x", "y", "z"]
    labels = pd.Series([0, 1, 1], index=["x", "y", "z"])
    assert cv.Contingency.from_memberships(labels, found).n == 3
    for given in (found, frame):
        with pytest.raises(LabelError, match=r"different indexes|in another order"):
            cv.Contingency.from_memberships(labels.iloc[::-1], given)
    with pytest.raises(LabelError, match="X and memberships have"):
        cv.fuzzy_xie_beni(pd.DataFrame({"x": [1.0, 2, 3]}), found)
