from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import clustervet as cv
from clustervet import ClustervetError, Contingency

NAN = float("nan")
INF = float("inf")
GOOD = [0, 1]
ONE_LABEL = "^truth must be a sequence with one label per object, not "
ONE_DIMENSION = "^truth must be one-dimensional, one label per object; "
WHOLE = "; float labels must be whole numbers"
INFINITE = "^truth holds .*inf"
DIGITS = r"^truth holds a whole number of more than 4,300 digits, which cannot be a label; make it"
PLAIN = " among its labels; a label must be one plain value\\.$"
NO_LABELS = "which cannot be labels?\\.$"

BAD = {
    "empty list": ([], r"^truth is empty; at least one object is needed\.$"),
    "empty tuple": ((), "^truth is empty"),
    "empty array": (np.array([]), "^truth is empty"),
    "empty array of words": (np.array([], "U3"), "^truth is empty"),
    "empty array of dates": (np.array([], "M8[D]"), "^truth is empty"),
    "empty array of uint64": (np.array([], np.uint64), "^truth is empty"),
    "empty objects": (np.array([], object), "^truth is empty"),
    "empty range": (range(0), "^truth is empty"),
    "empty pandas": (pd.Series([], dtype=float), "^truth is empty"),
    "empty pandas category": (pd.Series([], dtype="category"), "^truth is empty"),
    "empty pandas Int64": (pd.Series([], dtype="Int64"), "^truth is empty"),
    "empty polars": (pl.Series([], dtype=pl.Int64), "^truth is empty"),
    "empty polars words": (pl.Series([], dtype=pl.String), "^truth is empty"),
    "empty polars nothing": (pl.Series([]), "^truth is empty"),
    "empty pyarrow": (pa.array([]), "^truth is empty"),
    "empty pyarrow words": (pa.array([], pa.string()), "^truth is empty"),
    "no pyarrow chunks": (pa.chunked_array([], pa.int64()), "^truth is empty"),
    "matrix": (
        np.zeros((2, 3)),
        ONE_DIMENSION + r"its shape is \(2, 3\); degrees of membership are a cv.Memberships, .*\.$",
    ),
    "column": (np.zeros((2, 1)), r"\(2, 1\); pass one column, or ravel it\.$"),
    "no dimension": (np.array(3), ONE_DIMENSION + r"its shape is \(\)\.$"),
    "cube": (np.zeros((2, 1, 1)), ONE_DIMENSION + r"its shape is \(2, 1, 1\)\.$"),
    "masked matrix": (np.ma.zeros((2, 2)), ONE_DIMENSION),
    "list of lists": ([[1, 2], [3, 4]], ONE_DIMENSION + r"it holds 2 rows\.$"),
    "list of tuples": ([(1, 2), (3, 4)], ONE_DIMENSION + r"it holds 2 rows\.$"),
    "list of arrays": ([np.array([1]), np.array([2])], ONE_DIMENSION + r"it holds 2 rows\.$"),
    "pandas frame": (
        pd.DataFrame({"a": GOOD}),
        r"^truth is a table of shape \(2, 1\); pass one of its columns\.$",
    ),
    "pandas series of nested lists": (
        pd.Series([[[0]], [[1]]], dtype="float32"),
        r"^truth is a table of shape \(2, 1, 1\); pass one of its columns\.$",
    ),
    "polars frame": (pl.DataFrame({"a": GOOD}), r"^truth is a table.*; pass one of its columns\.$"),
    "polars lazy frame": (pl.LazyFrame({"a": GOOD}), "^truth .*LazyFrame"),
    "polars expression": (pl.col("a"), "^truth .*Expr"),
    "pyarrow table": (pa.table({"a": GOOD}), r"^truth is a Table; pass one of its columns\.$"),
    "pyarrow batch": (pa.record_batch({"a": GOOD}), "^truth is a RecordBatch; pass one of its"),
    "pandas multi-index": (pd.MultiIndex.from_tuples([(1, 2), (3, 4)]), "^truth "),
    "sparse matrix": (sparse.csr_array([[1, 2]]), "^truth .*csr_array"),
    "int": (3, ONE_LABEL + r"an int\.$"),
    "float": (3.5, ONE_LABEL + r"a float\.$"),
    "numpy scalar": (np.int64(3), "^truth must be "),
    "date": (dt.date(2020, 1, 1), ONE_LABEL + r"a date\.$"),
    "string": ("ab", ONE_LABEL + r"one string \('ab'\)\.$"),
    "long string": ("a" * 10**6, ONE_LABEL + r"one string \('a+…'\)\.$"),
    "hostile string": ("\x1b[31m\n", ONE_LABEL + "one string"),
    "bytes": (b"ab", ONE_LABEL),
    "None": (None, ONE_LABEL + r"None\.$"),
    "dict": ({0: 1, 1: 2}, "names its objects and .* does not; give both as mappings or groups"),
    "dict of nothing": ({0: None, 1: None}, ONE_LABEL + r"a dict\.$"),
    "set": ({0, 1}, ONE_LABEL + r"a set\.$"),
    "frozenset": (frozenset({0, 1}), ONE_LABEL + r"a frozenset\.$"),
    "dict keys": ({0: 1, 1: 2}.keys(), ONE_LABEL),
    "object": (object(), ONE_LABEL + r"an object\.$"),
    "function": (len, ONE_LABEL),
    "class": (int, ONE_LABEL),
    "pandas NA": (pd.NA, ONE_LABEL),
    "pandas timestamp": (pd.Timestamp(0), ONE_LABEL),
    "fractions": ([0.5, 1.0], r"^truth holds 0\.5" + ".*" + WHOLE),
    "fraction among ints": ([1, 0.5], r"^truth holds 0\.5" + WHOLE),
    "fraction among words": (["a", 0.5], r"^truth holds 0\.5" + WHOLE),
    "numpy fraction among words": (["a", np.float32(0.5)], r"^truth holds .*0\.5" + ".*" + WHOLE),
    "a fraction that a double would round away": (
        np.array([1, np.nextafter(np.longdouble(1), 2)]),
        r"^truth holds 1\.00.* at position 1" + WHOLE,
    ),
    "numpy fractions": (np.array([1, 0.5]), r"^truth holds 0\.5 at position 1" + WHOLE),
    "numpy float32": (np.array([1, 0.5], np.float32), r"^truth holds 0\.5 at position 1" + WHOLE),
    "numpy object fractions": (np.array([1, 0.5], object), r"^truth holds 0\.5" + WHOLE),
    "pandas fractions": (pd.Series([1, 0.5]), r"^truth holds 0\.5" + ".*" + WHOLE),
    "pandas Float64": (pd.Series([None, 0.5], dtype="Float64"), r"^truth holds 0\.5.*" + WHOLE),
    "pandas category of fractions": (
        pd.Series([1, 0.5], dtype="category"),
        r"^truth holds 0\.5.*" + WHOLE,
    ),
    "polars fractions": (pl.Series([1.0, 0.5]), r"^truth holds 0\.5.*" + WHOLE),
    "polars fraction beside null": (pl.Series([None, 0.5]), r"^truth holds 0\.5.*" + WHOLE),
    "pyarrow fractions": (pa.array([1.0, 0.5]), r"^truth holds 0\.5.*" + WHOLE),
    "pyarrow fraction beside null": (pa.array([None, 0.5]), r"^truth holds 0\.5.*" + WHOLE),
    "pyarrow dictionary of nothing": (
        pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array([None, None])),
        "2 missing labels",
    ),
    "pyarrow dictionary of fractions": (
        pa.array([1.0, 0.5]).dictionary_encode(),
        r"^truth holds 0\.5.*" + WHOLE,
    ),
    "infinity": ([1.0, INF], INFINITE),
    "minus infinity": ([1.0, -INF], INFINITE),
    "infinity among words": (["a", INF], INFINITE),
    "infinity beside NaN": ([NAN, INF], INFINITE),
    "numpy infinity": (np.array([1, INF]), INFINITE),
    "pandas infinity": (pd.Series([1, INF]), INFINITE),
    "pandas Float64 infinity": (pd.Series([1, INF], dtype="Float64"), INFINITE),
    "polars infinity": (pl.Series([1.0, INF]), INFINITE),
    "pyarrow infinity": (pa.array([1.0, INF]), INFINITE),
    "too many digits": ([10**4300, 1], DIGITS),
    "too many digits below zero": ([1, -(10**4300)], DIGITS),
    "too many digits among words": (["a", 10**9999], DIGITS),
    "too many digits in objects": (np.array([10**4300, 1], object), DIGITS),
    "too many digits in pandas": (pd.Series([10**4300, 1], dtype=object), DIGITS),
    "too many digits in categories": (pd.Series([10**4300, 1], dtype="category"), DIGITS),
    "list among labels": (["a", [1]], "^truth holds a list" + PLAIN),
    "dict among labels": ([{}, {}], "^truth holds a dict" + PLAIN),
    "set among labels": (np.array([{1}, {2}]), "^truth holds a set" + PLAIN),
    "array among labels": (["a", np.array([1])], "^truth holds an? ndarray" + PLAIN),
    "list inside a tuple": (["a", ([],)], "^truth holds a tuple" + PLAIN),
    "pandas lists": (pd.Series([[1], [2]]), "^truth holds a list" + PLAIN),
    "polars lists": (pl.Series([[1], [2]]), "^truth holds a list" + PLAIN),
    "polars structs": (pl.Series([{"a": 1}, {"a": 2}]), "^truth holds a dict" + PLAIN),
    "pyarrow lists": (pa.array([[1], [2]]), "^truth holds a list" + PLAIN),
    "pyarrow structs": (pa.array([{"a": 1}, {"a": 2}]), "^truth holds a dict" + PLAIN),
    "complex array": (np.array([1j, 2]), "^truth has dtype complex128, " + NO_LABELS),
    "complex list": ([1j, 2 + 0j], "^truth .*complex"),
    "structured": (np.zeros(2, [("a", int), ("b", int)]), "^truth has dtype .*" + NO_LABELS),
    "records": (np.rec.fromrecords([(1, 2), (3, 4)]), "^truth has dtype .*" + NO_LABELS),
    "void": (np.zeros(2, "V3"), "^truth has dtype .*" + NO_LABELS),
}


def check_sentence(message):
    """One line, no escapes, and a sentence's end."""
    assert message.isprintable()
    assert message.endswith((".", "?"))
    assert len(message) < 300


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_labels_is_refused_in_one_sentence(name):
    labels, message = BAD[name]
    with pytest.raises(ClustervetError, match=message) as caught:
        Contingency.from_labels(labels, GOOD)
    check_sentence(str(caught.value))
    with pytest.raises(ClustervetError, match=message.replace("^truth", "^pred")):
        Contingency.from_labels(GOOD, labels)


@pytest.mark.parametrize("name", ["empty list", "matrix", "string", "fractions", "complex array"])
def test_a_measure_refuses_what_the_table_refuses(name):
    labels, message = BAD[name]
    with pytest.raises(ClustervetError, match=message):
        cv.rand(labels, GOOD)
    with pytest.raises(ClustervetError, match=message):
        cv.external_scores(labels, GOOD)


@pytest.mark.parametrize(
    ("truth", "pred"),
    [
        ([1, 2, 3], [1, 2]),
        (np.arange(3), pd.Series([1, 2])),
        ((k for k in range(3)), pl.Series([1, 2])),
        (pa.array([1, 2, 3]), ["a", "b"]),
    ],
)
def test_unequal_lengths_are_named(truth, pred):
    message = r"^truth and pred must label the same objects; truth has 3 labels and pred has 2\.$"
    with pytest.raises(ClustervetError, match=message):
        Contingency.from_labels(truth, pred)


def test_an_empty_generator_is_empty():
    with pytest.raises(ClustervetError, match=r"^pred is empty"):
        Contingency.from_labels([1], iter([]))


def test_lengths_are_easy_to_read():
    with pytest.raises(ClustervetError, match="1,234,567 labels and pred has 2"):
        Contingency.from_labels(range(1_234_567), [1, 2])


def test_an_error_is_a_value_error_and_hides_what_caused_it():
    with pytest.raises(ValueError, match="one plain value") as caught:
        Contingency.from_labels([[], "a"], [0, 1])
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize(
    ("labels", "article"),
    [([["a"], "b"], "a list"), ([np.array([1]), "b"], "an ndarray"), (pl.col("a"), "an Expr")],
)
def test_articles_fit_what_they_precede(labels, article):
    with pytest.raises(ClustervetError, match=f" {article}[ .]"):
        Contingency.from_labels(labels, [0, 1])


def test_no_chunks_of_arrow_are_no_labels():
    empty = pa.chunked_array([], pa.int64())
    with pytest.raises(ClustervetError, match=r"no labels|empty|no objects"):
        Contingency.from_labels(empty, empty)


def test_a_label_that_cannot_be_compared_is_no_missing_one():
    class Odd:
        def __ne__(self, other):
            raise TypeError("not comparable")

        def __eq__(self, other):
            return self is other

        def __hash__(self):
            return 7

    one, other = Odd(), Odd()
    assert Contingency.from_labels([one, other, one], [0, 1, 0]).shape == (2, 2)
