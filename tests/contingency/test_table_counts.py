from __future__ import annotations

import math
from collections import Counter, OrderedDict
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from clustervet import ClustervetError, Contingency

COUNTS = [[5, 0, 1], [0, 2, 3]]
CELLS = {(0, 0): 5, (0, 2): 1, (1, 1): 2, (1, 2): 3}
SAME = {
    "list of lists": COUNTS,
    "tuple of tuples": tuple(map(tuple, COUNTS)),
    "list of arrays": [np.array(row) for row in COUNTS],
    **{
        f"numpy {dtype}": np.array(COUNTS, dtype)
        for dtype in ("int8", "int64", "uint8", "uint64", "float32", "float64", ">i4", ">f8", "O")
    },
    "numpy fortran": np.asfortranarray(COUNTS),
    "numpy strided": np.repeat(np.array(COUNTS), 2, axis=0)[::2],
    "mapping": CELLS,
    "mapping with zeros": {**CELLS, (0, 1): 0, (7, 7): 0},
    "mapping of numpy numbers": {pair: np.int16(value) for pair, value in CELLS.items()},
    "mapping of whole floats": {pair: float(value) for pair, value in CELLS.items()},
    "counter": Counter(CELLS),
    "ordered dict": OrderedDict(reversed(CELLS.items())),
    "read-only mapping": MappingProxyType(CELLS),
    **{
        f"scipy {kind}_array": getattr(sparse, f"{kind}_array")(np.array(COUNTS))
        for kind in ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")
    },
    "scipy csr_matrix": sparse.csr_matrix(np.array(COUNTS)),
    "scipy dok_matrix": sparse.dok_matrix(np.array(COUNTS)),
    "scipy floats": sparse.csr_array(np.array(COUNTS, float)),
    "scipy explicit zeros": sparse.coo_array(
        ([5, 1, 2, 3, 0], ([0, 0, 1, 1, 1], [0, 2, 1, 2, 0])), shape=(2, 3)
    ),
    "scipy repeated cells": sparse.coo_array(
        ([2, 3, 1, 2, 3], ([0, 0, 0, 1, 1], [0, 0, 2, 1, 2])), shape=(2, 3)
    ),
    "pandas": pd.DataFrame(COUNTS),
    "pandas Int64": pd.DataFrame(COUNTS, dtype="Int64"),
}


@pytest.mark.parametrize("name", SAME)
def test_every_form_of_the_same_counts_is_the_same_table(name):
    table = Contingency.from_counts(SAME[name])
    assert table.to_dict() == CELLS
    assert table.n == 11
    assert isinstance(table.n, int)
    assert table.is_whole
    assert table.class_sizes.tolist() == [6, 5]
    assert table.cluster_sizes.tolist() == [5, 2, 4]
    assert (table.class_names, table.cluster_names) == ([0, 1], [0, 1, 2])


def test_a_pandas_crosstab_brings_its_names():
    truth, pred = ["a", "b", "a", "c"], ["x", "x", "y", "y"]
    crosstab = pd.crosstab(pd.Series(truth, name="t"), pd.Series(pred, name="p"))
    assert Contingency.from_counts(crosstab) == Contingency.from_labels(truth, pred)


def test_a_polars_frame_brings_the_names_of_its_columns():
    table = Contingency.from_counts(pl.DataFrame({"x": [1, 0], "y": [2, 3]}))
    assert table.to_dict() == {(0, "x"): 1, (0, "y"): 2, (1, "y"): 3}


def test_a_pyarrow_table_brings_the_names_of_its_columns():
    table = Contingency.from_counts(pa.table({"x": [1, 0], "y": [2, 3]}))
    assert table.to_dict() == {(0, "x"): 1, (0, "y"): 2, (1, "y"): 3}


def test_names_given_for_a_frame_are_used():
    frame = pd.DataFrame([[1, 2], [3, 4]])
    table = Contingency.from_counts(frame, class_names=["a", "b"], cluster_names=["x", "y"])
    assert (table.class_names, table.cluster_names) == (["a", "b"], ["x", "y"])


def test_counts_beyond_64_bits_stay_exact():
    for counts in ([[10**30, 1], [0, 10**25]], {("a", 0): 10**30, ("a", 1): 1, ("b", 1): 10**25}):
        table = Contingency.from_counts(counts)
        assert table.n == 10**30 + 10**25 + 1
        assert table.class_sizes.tolist() == [10**30 + 1, 10**25]
        assert table.cluster_sizes.tolist() == [10**30, 10**25 + 1]
        assert table.counts.tolist() == [[10**30, 1], [0, 10**25]]


@pytest.mark.parametrize("top", [2**53, 2**61, 2**62 - 1, 2**62, 2**63 - 1, 2**63, 2**64 - 1])
def test_counts_around_the_edges_of_machine_integers_stay_exact(top):
    for counts in ([[top, 1], [1, top]], np.array([[top, 1], [1, top]], np.uint64)):
        table = Contingency.from_counts(counts)
        assert table.n == 2 * top + 2
        assert table.class_sizes.tolist() == [top + 1, top + 1]
        assert (table + table).n == 4 * top + 4
        assert table.pairs.total == (2 * top + 2) * (2 * top + 1) // 2


def test_real_weights_stay_real():
    table = Contingency.from_counts([[0.5, 0], [0.25, 1]])
    assert table.n == 1.75
    assert not table.is_whole
    assert table.to_dict() == {(0, 0): 0.5, (1, 0): 0.25, (1, 1): 1.0}
    assert table.class_sizes.tolist() == [0.5, 1.25]


def test_real_weights_sum_to_the_nearest_float():
    values = [0.1] * 10 + [1e16, 1.0, -0.0]
    table = Contingency.from_counts({(k, 0): value for k, value in enumerate(values)})
    assert table.n == math.fsum(values)
    assert table.cluster_sizes.tolist() == [math.fsum(values)]


@pytest.mark.parametrize("number", [Fraction(3, 2), Decimal("1.5"), np.float32(1.5)])
def test_other_real_numbers_are_weights(number):
    assert Contingency.from_counts({("a", 0): number, ("b", 0): 1}).n == 2.5
    assert Contingency.from_counts([[number, 1]]).n == 2.5


def test_yes_and_no_are_one_and_zero():
    assert Contingency.from_counts([[True, False], [True, True]]).n == 3


def test_small_integer_types_do_not_overflow():
    assert Contingency.from_counts(np.full((3, 3), 100, np.int8)).n == 900


def test_empty_rows_and_columns_vanish_and_names_stay_aligned():
    counts = [[0, 0, 0, 0], [1, 0, 2, 0], [0, 0, 0, 0], [3, 0, 0, 4]]
    for form in (counts, np.array(counts, float), sparse.csr_array(np.array(counts))):
        table = Contingency.from_counts(form, class_names="abcd", cluster_names=np.array([*"wxyz"]))
        assert (table.class_names, table.cluster_names) == (["b", "d"], ["w", "y", "z"])
        assert table.to_dict() == {("b", "w"): 1, ("b", "y"): 2, ("d", "w"): 3, ("d", "z"): 4}
    bare = Contingency.from_counts(counts)
    assert (bare.class_names, bare.cluster_names) == ([1, 3], [0, 2, 3])


def test_a_large_matrix_takes_the_compiled_way_and_agrees():
    rng = np.random.default_rng(0)
    matrix = rng.integers(0, 3, (120, 90))
    matrix[:, 7] = matrix[11] = 0
    expected = {(int(r), int(c)): int(matrix[r, c]) for r, c in np.argwhere(matrix)}
    for form in (matrix, sparse.coo_array(matrix), matrix.astype(float), expected):
        table = Contingency.from_counts(form)
        assert table.to_dict() == expected
        assert table.shape == (119, 89)
        assert table.class_sizes.sum() == table.n == matrix.sum()
    weights = matrix * 0.1
    real = Contingency.from_counts(weights)
    assert real.n == math.fsum(weights.ravel())


def test_mapping_names_come_sorted_and_mixed_ones_in_order_of_appearance():
    table = Contingency.from_counts({("b", 2): 1, ("a", 1): 1})
    assert (table.class_names, table.cluster_names) == (["a", "b"], [1, 2])
    mixed = Contingency.from_counts({("b", 2): 1, (1, "z"): 1})
    assert (mixed.class_names, mixed.cluster_names) == (["b", 1], [2, "z"])


@settings(max_examples=60)
@given(
    st.dictionaries(
        st.tuples(st.integers(-5, 5), st.sampled_from("abc")), st.integers(0, 10**40), min_size=1
    ).filter(lambda cells: any(cells.values()))
)
def test_a_table_gives_back_the_mapping_it_was_made_of(cells):
    table = Contingency.from_counts(cells)
    assert table.to_dict() == {pair: value for pair, value in cells.items() if value}
    assert Contingency.from_counts(table.to_dict()) == table
    assert table.n == sum(cells.values())


MATRIX = "^counts must be a matrix with a row a class and a column a cluster; "
BAD = {
    "nothing": ([], MATRIX),
    "empty rows": ([[]], r"^the table is empty; at least one positive count is needed\.$"),
    "all zero": ([[0, 0]], "^the table is empty; at least one positive count"),
    "all zero floats": ([[0.0, -0.0]], "^the table is empty"),
    "empty mapping": ({}, "^the table is empty; at least one positive count"),
    "all zero mapping": ({("a", 0): 0}, "^the table is empty"),
    "empty sparse": (sparse.coo_array((3, 2)), "^the table is empty"),
    "empty dok": (sparse.dok_array((3, 2)), "^the table is empty"),
    "negative": ([[1, -2]], r"^counts must not be negative; one is -2\.$"),
    "negative float": ([[1, -0.5]], r"^counts must not be negative; one is -0\.5\.$"),
    "negative mapping": ({("a", 0): -3, ("b", 0): 4}, r"^counts must not be negative; one is -3"),
    "negative huge": ({("a", 0): -(10**400)}, "^counts must not be negative; one is -1000"),
    "negative sparse": (sparse.csr_array([[1, -2]]), "^counts must not be negative; one is -2"),
    "NaN": ([[1, math.nan]], r"^counts must be finite; there is a NaN among them\.$"),
    "NaN mapping": ({("a", 0): math.nan}, "^counts must be finite; there is a NaN"),
    "NA": (pd.DataFrame({"x": [1, None]}, dtype="Int64"), "^counts must be finite; there is a NaN"),
    "infinite": ([[1, math.inf]], r"^counts must be finite; there is an infinity among them\.$"),
    "infinite beside huge": ([[10**30, math.inf]], "^counts must be finite; .* infinity"),
    "infinite mapping": ({("a", 0): math.inf}, "^counts must be finite; .* infinity"),
    "minus infinity": ([[1, -math.inf]], "^counts must be finite; .* infinity"),
    "words": ([["a", "b"]], "^counts must be numbers"),
    "digits": ([["1", "2"]], "^counts must be numbers"),
    "bytes": ([[b"1"]], "^counts must be numbers"),
    "words mapping": ({("a", 0): "3"}, "^counts must be numbers"),
    "None mapping": ({("a", 0): None}, "^counts must be numbers"),
    "list mapping": ({("a", 0): [1, 2]}, "^counts must be numbers"),
    "complex": ([[1j]], "^counts must be numbers"),
    "complex mapping": ({("a", 0): 1j}, "^counts must be numbers"),
    "dates": (np.array([["2020-01-01"]], "M8[D]"), "^counts must be numbers"),
    "timedeltas": (np.array([[3]], "m8[D]"), "^counts must be numbers"),
    "frame of words": (pd.DataFrame({"x": ["a", "b"]}), "^counts must be numbers"),
    "None": (None, MATRIX),
    "a number": (3, MATRIX + r".*\(\)"),
    "a word": ("abc", MATRIX),
    "a set": ({1, 2}, MATRIX),
    "one row": ([1, 2], MATRIX + r"its shape is \(2,\)\.$"),
    "a cube": (np.ones((1, 2, 3)), MATRIX + r"its shape is \(1, 2, 3\)\.$"),
    "one sparse row": (sparse.coo_array(np.array([1, 2])), MATRIX + r"its shape is \(2,\)\.$"),
    "ragged": ([[1], [1, 2]], "^the rows of the matrix of counts differ in length"),
    "ragged cube": ([np.ones((2, 2)), np.ones((2, 3))], "^the rows of the matrix of counts differ"),
    "keys of one": ({"ab": 1}, r"^the keys of counts must be \(class, cluster\) pairs; one is"),
    "keys of three": ({(1, 2, 3): 1}, r"^the keys of counts must be \(class, cluster\) pairs"),
    "nested": ({"a": {"x": 1}}, r"^the keys of counts must be \(class, cluster\) pairs"),
    "masked": (np.ma.array([[1, 2]], mask=[[0, 1]]), "^counts must "),
    "huge beside real": ({("a", 0): 10**400, ("b", 0): 0.5}, "^counts "),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_table_of_counts_is_refused_in_one_sentence(name):
    counts, message = BAD[name]
    with pytest.raises(ClustervetError, match=message) as caught:
        Contingency.from_counts(counts)
    text = str(caught.value)
    assert text.isprintable()
    assert text.endswith(".")
    assert len(text) < 300


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"class_names": ["a", "b"]}, r"^there are 2 class names for 1 class\.$"),
        ({"class_names": []}, r"^there are 0 class names for 1 class\.$"),
        ({"cluster_names": ["a"]}, r"^there (are|is) 1 cluster names? for 2 clusters\.$"),
        ({"cluster_names": ["a", "a"]}, "cluster names.*'a'"),
        ({"cluster_names": [["a"], ["b"]]}, "cluster_?names"),
        ({"cluster_names": 3}, "cluster_?names"),
        ({"cluster_names": [float("nan"), float("nan")]}, "cluster names.*'nan'"),
        ({"cluster_names": [Decimal("sNaN"), 1]}, "cluster_?names"),
    ],
)
def test_names_that_do_not_fit_are_refused(names, message):
    with pytest.raises(ClustervetError, match=message):
        Contingency.from_counts([[1, 2]], **names)


def test_a_name_that_is_there_twice_is_found_at_once():
    names = [*range(200_000), 199_999]
    with pytest.raises(ClustervetError, match="class names must differ; '199999' is there twice"):
        Contingency.from_counts(sparse.eye_array(200_001), class_names=names)


def test_not_a_number_is_one_name_at_most():
    nan, other = float("nan"), float("nan")
    assert Contingency.from_counts({(nan, 0): 1, (nan, 1): 2}).shape == (1, 2)
    assert Contingency.from_counts({(Decimal("nan"), 0): 1, (Decimal(1), 1): 2}).shape == (2, 2)
    with pytest.raises(ClustervetError, match="class names must differ; 'nan' is there twice"):
        Contingency.from_counts({(nan, 0): 1, (other, 0): 2})


def test_names_beside_a_mapping_are_refused_not_ignored():
    with pytest.raises(ClustervetError, match="names"):
        Contingency.from_counts({("a", 0): 1}, class_names=["b"])


def test_counts_are_left_as_they_were_and_not_shared():
    matrix = np.array([[1, 2], [3, 4]])
    table = Contingency.from_counts(matrix)
    matrix[0, 0] = 99
    assert table.n == 10
    coo = sparse.csr_array(np.array([[1, 2], [3, 4]]))
    table = Contingency.from_counts(coo)
    assert coo.data.flags.writeable
    coo.data[:] = 99
    assert table.n == 10
