"""Whatever is given as a cover, there is an answer, or one sentence that says what is wrong."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import clustervet as cv
from clustervet.errors import ClustervetError

Y = np.array([0, 1, 1, 2])
ODD: dict[str, Any] = {
    "None": None,
    "a number": 5,
    "text": "x",
    "bytes": b"x",
    "an empty list": [],
    "an empty dict": {},
    "an empty array": np.array([]),
    "an empty frame": pd.DataFrame(),
    "no rows": pd.DataFrame({"a": [], "b": []}),
    "no columns": pl.DataFrame(),
    "nested empty lists": [[], []],
    "NaN": np.nan,
    "missing labels": [None] * 4,
    "labels": Y,
    "a list of arrays": [Y, Y[:2]],
    "an array of sets": np.array([{1}, {2, 3}], object),
    "a scalar array": np.array("x"),
    "an infinite matrix": np.full((2, 2), np.inf),
    "a matrix of objects": np.array([[1, None]], object),
    "dates": np.array(["2020-01-01", "NaT"], "datetime64[D]"),
    "an object": object(),
    "a function": len,
    "a class": dict,
    "a dict of dicts": {"a": {"b": 1}},
    "a dict of None": {"a": None},
    "None as a key": {None: ["a"]},
    "tuples": [(1, 2)] * 4,
    "pairs of names": [("a", "x"), ("b", "y")],
    "strange text": [["\x00"], ["\ud800"]],
    "complex": [[1j]],
    "truth values": [[True], [False, True]],
    "mixed": [["a", 1], [2.0, "1"]],
    "huge numbers": [[10**30, -(10**30)], [2**63]],
    "unsigned": [np.array([2**64 - 1], np.uint64), np.array([1], np.uint64)],
    "masked": np.ma.masked_array(Y, Y == 1),
    "categories": pd.Series(["a", None], dtype="category"),
    "several levels": pd.Series([1, 2], pd.MultiIndex.from_tuples([(0, 1), (0, 2)])),
    "an empty sparse matrix": sparse.csr_array((0, 3)),
    "a sparse matrix of zeros": sparse.csr_array((3, 2)),
    "a memory limit": 10**12,
}
CALLS = {
    "groups": cv.Cover,
    "groups and their number": lambda a: cv.Cover(a, 5),
    "objects": lambda a: cv.Cover([[0, 1]], a),
    "by object": cv.Cover.from_objects,
    "edges": lambda a: cv.Cover.from_edges(a, [0, 1, 1, 2]),
    "edges, groups": lambda a: cv.Cover.from_edges([0, 1, 1, 2], a),
    "a side": lambda a: cv.omega_index(a, [{0, 1}, {2}]),
    "both sides": lambda a: cv.best_match_f1(a, a),
    "alpha": lambda a: cv.overlapping_element_centric([{0, 1}], [{0}], alpha=a),
    "average": lambda a: cv.best_match_f1([{0, 1}], [{0}], average=a),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("odd", ODD)
def test_there_is_an_answer_or_one_sentence(call: str, odd: str) -> None:
    given = ODD[odd]
    if call == "objects" and odd == "a memory limit":
        given = 10**5
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = CALLS[call](given)
    except ClustervetError as error:
        said = str(error)
        assert said.endswith(".")
        assert "\n" not in said
    else:
        assert isinstance(found, cv.Cover | float)
        if isinstance(found, cv.Cover):
            repr(found)
            found.to_json()
