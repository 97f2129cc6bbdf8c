"""What can be a cover, what cannot, and what a cover says."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from types import SimpleNamespace
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cover_cases import groups, pairs
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import clustervet as cv
from clustervet.errors import LabelError, ParameterError
from clustervet.registry import subject_kind

# Objects 0, 1, 2 in one group and 2, 3 in another; 4 in none.
GROUPS = [{0, 1, 2}, {2, 3}]
MATRIX = np.array([[1, 0], [1, 0], [1, 1], [0, 1], [0, 0]])


def vertex_cover() -> Any:
    return igraph.VertexCover(igraph.Graph(5), [[0, 1, 2], [2, 3]])


def node_clustering() -> Any:
    """What cdlib returns: communities, and the graph with all nodes."""
    return SimpleNamespace(communities=[[0, 1, 2], [2, 3]], graph=nx.empty_graph(5))


WAYS = {
    "sets": lambda: cv.Cover(GROUPS, 5),
    "lists": lambda: cv.Cover([[2, 1, 0], (3, 2)], range(5)),
    "frozen sets in a tuple": lambda: cv.Cover(tuple(map(frozenset, GROUPS)), [0, 1, 2, 3, 4]),
    "a generator": lambda: cv.Cover((group for group in GROUPS), np.arange(5)),
    "arrays": lambda: cv.Cover([np.array([0, 1, 2]), np.array([2, 3], np.uint8)], 5),
    "ranges": lambda: cv.Cover([range(3), range(2, 4)], 5),
    "a mapping": lambda: cv.Cover({0: [0, 1, 2], 1: [2, 3]}, 5),
    "dict views": lambda: cv.Cover([dict.fromkeys([0, 1, 2]).keys(), {2: 0, 3: 0}.keys()], 5),
    "a cover": lambda: cv.Cover(cv.Cover(GROUPS), 5),
    "objects": lambda: cv.Cover.from_objects({0: [0], 1: 0, 2: {0, 1}, 3: (1,), 4: None}),
    "edges": lambda: cv.Cover.from_edges([0, 1, 2, 2, 3], [0, 0, 0, 1, 1], 5),
    "edges with a gap": lambda: cv.Cover.from_edges([3, 2, 2, 1, 0, 4], [1, 1, 0, 0, 0, None]),
    "matrix": lambda: cv.Cover(MATRIX),
    "booleans": lambda: cv.Cover(MATRIX.astype(bool), 5),
    "floats": lambda: cv.Cover(MATRIX.astype(float)),
    "csr": lambda: cv.Cover(sparse.csr_array(MATRIX)),
    "coo": lambda: cv.Cover(sparse.coo_matrix(MATRIX)),
    "csc of booleans": lambda: cv.Cover(sparse.csc_array(MATRIX.astype(bool))),
    "igraph": lambda: cv.Cover(vertex_cover()),
    "cdlib": lambda: cv.Cover(node_clustering()),
    "networkx": lambda: cv.Cover(nx.connected_components(nx.path_graph(3)), 5),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_cover_is_read_from_what_people_have(way: str) -> None:
    cover = WAYS[way]()
    wanted = {0: [0, 1, 2], 1: [2, 3]} if way != "networkx" else {0: [0, 1, 2]}
    assert cover.groups == wanted
    assert cover.objects == [0, 1, 2, 3, 4]
    assert cover.ungrouped == 5 - len(set().union(*wanted.values()))


FRAMES = {
    "pandas": lambda columns: pd.DataFrame(columns),
    "polars": lambda columns: pl.DataFrame(columns),
    "pyarrow": lambda columns: pa.table(columns),
}


@pytest.mark.parametrize("engine", FRAMES)
def test_a_frame_of_two_columns_has_one_membership_per_row(engine: str) -> None:
    frame = FRAMES[engine]({"who": ["a", "b", "b", "c"], "club": ["x", "x", "y", None]})
    assert cv.Cover(frame).groups == {"x": ["a", "b"], "y": ["b"]}
    assert cv.Cover(frame).ungrouped == 1
    assert cv.Cover(frame, objects="cbad").objects == ["c", "b", "a", "d"]


@pytest.mark.parametrize("engine", FRAMES)
def test_a_frame_of_booleans_has_one_column_per_group(engine: str) -> None:
    frame = FRAMES[engine]({"x": [True, True, False], "y": [False, True, False]})
    assert cv.Cover(frame).groups == {"x": [0, 1], "y": [1]}
    assert cv.Cover(frame, objects=["a", "b", "c"]).groups == {"x": ["a", "b"], "y": ["b"]}


def test_an_index_of_pandas_names_the_objects() -> None:
    frame = pd.DataFrame({"x": [True, False], "y": [True, True]}, index=["a", "b"])
    assert cv.Cover(frame).groups == {"x": ["a"], "y": ["a", "b"]}
    series = pd.Series(["x", "y", "x"], index=[7, 8, 9])
    assert cv.Cover(series).groups == {"x": [7, 9], "y": [8]}
    assert cv.Cover(series.reset_index(drop=True)).groups == {"x": [0, 2], "y": [1]}
    assert cv.Cover(series, objects="abc").groups == {"x": ["a", "c"], "y": ["b"]}


@pytest.mark.parametrize(
    "labels",
    [
        ["x", "y", None, "x"],
        np.array(["x", "y", None, "x"], object),
        pl.Series(["x", "y", None, "x"]),
        pa.array(["x", "y", None, "x"]),
        SimpleNamespace(labels_=["x", "y", None, "x"]),
    ],
)
def test_labels_put_each_object_into_one_group_or_none(labels: Any) -> None:
    cover = cv.Cover(labels)
    assert cover.groups == {"x": [0, 3], "y": [1]}
    assert cover.ungrouped == 1
    assert cover.n == 4


def test_a_partition_is_a_cover() -> None:
    assert cv.Cover(cv.Partition(["b", "a", "b"])).groups == {"b": [0, 2], "a": [1]}
    clusters = igraph.VertexClustering(igraph.Graph(3), [0, 1, 0])
    assert cv.Cover(clusters).groups == {0: [0, 2], 1: [1]}


def test_objects_may_be_named_by_anything_that_has_a_hash() -> None:
    assert cv.Cover([[(0, 1), (0, 2)], [(0, 1)]]).objects == [(0, 1), (0, 2)]
    assert cv.Cover([["a", 3], ["a"]]).groups == {0: ["a", 3], 1: ["a"]}
    assert cv.Cover(nx.connected_components(nx.grid_2d_graph(1, 2))).n == 2
    assert cv.Cover([{1, 2}, {2.0}]).groups == {0: [1, 2], 1: [2]}
    days = pd.to_datetime(["2020-01-01", "2020-01-02"])
    assert cv.Cover([days, days[:1]]).n == 2


def test_equal_groups_are_two_groups_and_empty_ones_are_left_out() -> None:
    cover = cv.Cover([{1, 2}, set(), {1, 2}])
    assert (cover.k, cover.empty) == (2, 1)
    assert cover.groups == {0: [1, 2], 2: [1, 2]}
    assert cv.Cover(np.array([[1, 0], [1, 0]])).empty == 1
    assert not cv.CoverPair([{1, 2}], [{1, 2}, {1, 2}]).identical
    assert cv.Cover([], 3).ungrouped == 3
    assert cv.Cover({}, objects=["a"]).k == 0


WRONG = {
    "nothing": (lambda: cv.Cover([]), "no group holds an object"),
    "only empty groups": (lambda: cv.Cover([[], []]), "no group holds an object"),
    "a number": (lambda: cv.Cover(3), "a cover is a list of groups.*not an int"),
    "None": (lambda: cv.Cover(None), "not None"),
    "a text": (lambda: cv.Cover("abc"), "not one string"),
    "groups and labels": (lambda: cv.Cover([{1}, 2]), "item 1 is an int"),
    "a mapping to labels": (
        lambda: cv.Cover({"a": 0, "b": 1}),
        "group 'a' must be a collection of objects, not an int; .*Cover.from_objects",
    ),
    "a mapping to texts": (lambda: cv.Cover({"x": "abc"}), "group 'x' must be a collection"),
    "a member twice": (
        lambda: cv.Cover({"x": ["b", "b"]}),
        "object 'b' is more than once in group 'x'",
    ),
    "a row twice": (
        lambda: cv.Cover.from_edges(["a", "b", "a"], ["x", "x", "x"]),
        "object 'a' is more than once in group 'x'",
    ),
    "a list as a member": (lambda: cv.Cover([[0], [[1, 2]]]), "group '1' holds a list"),
    "a set as a member": (lambda: cv.Cover({"x": [{1}]}), "group 'x' holds a set"),
    "a list as a group": (
        lambda: cv.Cover.from_objects({"a": [["x"]]}),
        "object 'a' holds a list",
    ),
    "a missing member": (lambda: cv.Cover([["a", None]]), "group '0' holds a missing value"),
    "NaN among numbers": (lambda: cv.Cover([[1.0], [2.0, np.nan]]), "group '1' holds a missing"),
    "a fraction": (lambda: cv.Cover([[0.5]]), "float labels must be whole numbers"),
    "an unknown object": (
        lambda: cv.Cover({"x": ["a", "q"]}, objects="abc"),
        "group 'x' holds 'q', which objects does not have",
    ),
    "a number too large": (lambda: cv.Cover([[0], [5]], 5), "group '1' holds '5', which objects"),
    "a negative number": (lambda: cv.Cover([[-1]], 5), "group '0' holds '-1', which objects"),
    "text and a number of objects": (lambda: cv.Cover([["a"]], 5), "group '0' holds 'a'"),
    "an object that only looks alike": (lambda: cv.Cover([[1]], ["1"]), "group '0' holds '1'"),
    "another range": (lambda: cv.Cover([[0]], range(1, 3)), "group '0' holds '0'"),
    "objects twice": (lambda: cv.Cover([["a"]], ["a", "b", "a"]), "objects names 'a' twice"),
    "no objects": (lambda: cv.Cover([], []), "objects is empty"),
    "no objects by number": (
        lambda: cv.Cover([], 0),
        "objects must be a whole number of at least 1",
    ),
    "objects that are none": (lambda: cv.Cover([], 2.5), "objects must be all objects"),
    "too few objects for labels": (
        lambda: cv.Cover(["x", "y"], "abc"),
        "objects has 3 objects and labels has 2 rows",
    ),
    "too few objects for a matrix": (lambda: cv.Cover(MATRIX, 4), "the matrix has 5 rows"),
    "degrees": (
        lambda: cv.Cover(np.array([[1.0, 0.0], [0.3, 0.7]])),
        "row 1 of the matrix holds 0.3.*cv.Memberships",
    ),
    "sparse degrees": (lambda: cv.Cover(sparse.csr_array([[0.0, 1.0], [2.0, 0.0]])), "row 1.*2.0"),
    "NaN in a matrix": (
        lambda: cv.Cover(np.array([[1.0, np.nan]])),
        "row 0 of the matrix holds nan",
    ),
    "a masked matrix": (lambda: cv.Cover(np.ma.array(MATRIX, mask=MATRIX)), "some are masked"),
    "complex numbers": (lambda: cv.Cover(sparse.csr_array([[1 + 0j]])), "not complex128"),
    "a sparse vector": (lambda: cv.Cover(sparse.coo_array([1, 0])), "its shape is .2,."),
    "a group without a name": (lambda: cv.Cover({np.nan: [0]}), "name of a group is missing"),
    "no object at all": (lambda: cv.Cover.from_objects({}), "needs at least one object"),
    "rows of 0 and 1": (lambda: cv.Cover([[1, 0], [1, 1]]), "in group '1'. A matrix of 0 and 1 is"),
    "a truth value that is missing": (
        lambda: cv.Cover(pd.DataFrame({"g": [True, False], "h": [True, None]})),
        "column 'h' of the frame has a missing value",
    ),
    "columns of 0 and 1": (
        lambda: cv.Cover(pd.DataFrame({"g": [1, 0, 1], "h": [1, 1, 0]})),
        "two columns of 0 and 1 may be",
    ),
    "a place that is none": (
        lambda: cv.Cover(GROUPS).take(np.array([-1])),
        "places of objects must be between 0 and",
    ),
    "a matrix of texts": (lambda: cv.Cover(np.array([["a", "b"]])), "holds 0 and 1, or booleans"),
    "a matrix without rows": (lambda: cv.Cover(np.zeros((0, 2))), "its shape is"),
    "three dimensions": (lambda: cv.Cover(np.zeros((2, 2, 2))), "must be one-dimensional"),
    "three columns": (
        lambda: cv.Cover(pd.DataFrame({"a": [1], "b": [2], "c": [3]})),
        "two columns, object and group, .*it has 3: a, b, c",
    ),
    "equal column names": (
        lambda: cv.Cover(pd.DataFrame([[True, False]], columns=["x", "x"])),
        "two columns of the frame have the same name",
    ),
    "columns of other lengths": (
        lambda: cv.Cover.from_edges(["a"], ["x", "y"]),
        "objects has 1 and groups has 2",
    ),
    "a group of no object": (
        lambda: cv.Cover.from_edges(["a", None], ["x", "y"]),
        "row 1 has a group and no object",
    ),
    "objects by object": (lambda: cv.Cover.from_objects([1, 2]), "not a list"),
    "an object outside": (
        lambda: cv.Cover.from_objects({"a": "x"}, objects="bc"),
        "the mapping holds 'a', which objects does not have",
    ),
    "a row outside": (
        lambda: cv.Cover.from_edges(["a"], ["x"], all_objects=["b"]),
        "the column of objects holds 'a'",
    ),
    "nothing in common": (
        lambda: cv.CoverPair([["a", "b"]], [0, 1]),
        "no object in common: truth has 'a', and pred has 0",
    ),
    "one side": (lambda: cv.omega_index(GROUPS), "omega_index needs truth and prediction"),
    "a pair and a side": (
        lambda: cv.omega_index(cv.CoverPair(GROUPS, GROUPS), GROUPS),
        "either one CoverPair or two covers",
    ),
    "alpha": (
        lambda: cv.overlapping_element_centric(GROUPS, GROUPS, alpha=1),
        "alpha must lie between 0 and 1",
    ),
    "average": (
        lambda: cv.best_match_f1(GROUPS, GROUPS, average="pairs"),
        "average must be 'groups' or 'objects'",
    ),
    "beta": (lambda: cv.extended_bcubed_f1(GROUPS, GROUPS, beta=0), "beta must be a positive"),
    "an unknown option": (lambda: cv.omega_index(GROUPS, GROUPS, noise=-1), "no option 'noise'"),
    "a soft clustering": (
        lambda: subject_kind(cv.Cover(GROUPS), cv.Memberships([[0.5, 0.5]])),
        "no measure compares a Cover with a Memberships",
    ),
}


def test_columns_that_are_called_object_and_group_may_be_in_any_order():
    frame = pd.DataFrame({"group": ["red", "red"], "object": ["a", "b"]})
    assert cv.Cover(frame).groups == cv.Cover(frame[["object", "group"]]).groups
    assert cv.Cover(frame).groups == {"red": ["a", "b"]}


def test_every_kind_of_sparse_matrix_is_read():
    for kind in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil"):
        made = getattr(sparse, f"{kind}_array")(np.array([[1, 0], [1, 1]]))
        assert cv.Cover(made).groups == {0: [0, 1], 1: [1]}


def test_a_label_of_noise_is_mentioned():
    said = cv.CoverPair(["a", "a", "b"], ["0", "0", "-1"]).remarks
    assert said == ("label -1 is scored as one group of pred (1 object)",)
    assert cv.CoverPair(["a", "a", "b"], [1, 1, -1]).remarks == ()  # signs


@pytest.mark.parametrize("beta", [1e-200, 1e200, 1e308])
def test_any_weight_of_recall_has_a_value(beta):
    covers = [{0, 1}, {2}], [{0, 1, 2}]
    limit = cv.extended_bcubed_recall if beta > 1 else cv.extended_bcubed_precision
    assert cv.extended_bcubed_f1(*covers, beta=beta) == pytest.approx(limit(*covers), rel=1e-15)


@pytest.mark.parametrize("what", WRONG)
def test_what_is_no_cover_is_refused_in_one_sentence(what: str) -> None:
    call, message = WRONG[what]
    with pytest.raises((LabelError, ParameterError), match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_cover_says_what_it_holds() -> None:
    named = {"red": ["a", "b", "c"], "blue": ["c", "d"], "gone": []}
    cover = cv.Cover(named, objects="abcde")
    assert cover.columns() == {
        "object": ["a", "b", "c", "c", "d", "e"],
        "group": ["red", "red", "red", "blue", "blue", None],
    }
    assert cv.Cover(cover.to_frame("pandas")).groups == cover.groups
    text = repr(cover)
    assert "5 objects in 2 groups: 1 in several, 1 in none. 1 empty group left out." in text
    assert cover.document().tables[0].rows[0].cells[0].text == "red"
    data = json.loads(cover.to_json())
    assert data["schema"] == "clustervet/cover/1"
    assert (data["objects"], data["groups"], data["ungrouped"]) == (5, 2, 1)
    assert cover.to_csv().splitlines()[:2] == ["object,group", "a,red"]
    assert "red" in cover.to_latex()
    assert cover.combinations(2) == [(["red"], 2), (["red", "blue"], 1)]
    assert [row.cells[0].text for row in cover.document().tables[2].rows] == [
        *("red", "red, blue", "blue", "none")
    ]


def test_a_cover_never_changes() -> None:
    cover = cv.Cover(GROUPS, 5)
    for array in (cover.indptr, cover.indices, cover.sizes, cover.memberships, *cover.by_group):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
    with pytest.raises(AttributeError):
        cover.empty = 3
    pair = cv.CoverPair(cover, cover)
    with pytest.raises(AttributeError):
        pair.truth = cover


def test_covers_and_pairs_survive_copying_and_pickling() -> None:
    pair = cv.CoverPair({"x": ["a", "b"]}, {"y": ["b", "c"]})
    for again in (pickle.loads(pickle.dumps(pair)), copy.deepcopy(pair)):
        assert again.truth.groups == pair.truth.groups
        assert again.remarks == pair.remarks


def test_arrays_that_are_given_stay_writable() -> None:
    objects, titles = np.array([0, 1, 2]), np.array([0, 0, 1])
    cv.Cover.from_edges(objects, titles, np.arange(3))
    matrix = sparse.csr_array(MATRIX)
    cv.Cover(matrix)
    objects[0], titles[0], matrix.data[0] = 5, 5, 5


def test_objects_are_paired_by_name() -> None:
    pair = cv.CoverPair({"x": ["b", "a"], "y": ["c"]}, [["c", "d"], ["a", "b"]])
    assert pair.truth.objects == pair.pred.objects == ["a", "b", "c", "d"]
    assert pair.remarks == ("1 object is in pred alone", "1 object is in no group of truth")
    pair = cv.CoverPair([[10, 5]], np.eye(6, dtype=int))
    assert pair.truth.groups == {0: [5, 10]}
    assert pair.n == 7
    assert pair.remarks[:2] == ("1 object is in truth alone", "5 objects are in pred alone")
    with pytest.raises(LabelError, match="truth has 2 objects and pred has 5; rows without names"):
        cv.CoverPair(["x", "y"], MATRIX)
    large = np.array([2**63 + 1, 5], np.uint64)
    assert cv.CoverPair([large], [[5, 2**63 + 1]]).identical
    assert (
        cv.CoverPair([large[1:]], [np.array([-1, 5])]).remarks[0].startswith("1 object is in pred")
    )
    assert cv.CoverPair(["x", "y"], {"p": ["b"]}, objects="ab").truth.groups == {
        "x": ["a"],
        "y": ["b"],
    }


def test_remarks_say_what_a_reader_must_know() -> None:
    pair = cv.CoverPair([{0}, set()], [0, -1, -1, None])
    assert pair.remarks == (
        "3 objects are in pred alone",
        "3 objects are in no group of truth",
        "1 empty group of truth left out",
        "1 object is in no group of pred",
        "label -1 is scored as one group of pred (2 objects)",
    )
    assert cv.CoverPair(GROUPS, GROUPS).remarks == ()
    assert pair.sizes == {"true groups": 1, "groups": 2}


def test_the_registry_knows_the_kind_of_covers() -> None:
    cover = cv.Cover(GROUPS)
    assert subject_kind(cover, [0, 1]) == subject_kind(cv.CoverPair(cover, cover)) == "overlapping"


def test_many_covers_are_scored_at_once() -> None:
    found = cv.omega_index.many(GROUPS, {"same": GROUPS, "other": [{0, 1}, {2, 3}]})
    assert found.tolist() == [1.0, cv.omega_index(GROUPS, [{0, 1}, {2, 3}])]


@given(case=pairs())
def test_memberships_read_again_are_the_same_cover(case: Any) -> None:
    n, truth, _ = case
    cover = cv.Cover(truth, n)
    columns = cover.columns()
    again = cv.Cover.from_edges(columns["object"], columns["group"], n)
    assert cv.CoverPair(cover, again).identical
    dense = np.zeros((n, max(len(truth), 1)), bool)
    for k, group in enumerate(truth):
        dense[list(group), k] = True
    for same in (cv.Cover(dense), cv.Cover(sparse.csr_array(dense)), cv.Cover(cover, n)):
        assert cv.CoverPair(cover, same).identical
    by_object = {k: [g for g, group in enumerate(truth) if k in group] for k in range(n)}
    assert cv.CoverPair(cover, cv.Cover.from_objects(by_object)).identical


@given(n=st.integers(1, 7), data=st.data())
def test_identical_means_the_same_groups_as_often(n: int, data: st.DataObject) -> None:
    truth, pred = data.draw(groups(n)), data.draw(groups(n))
    same = sorted(map(sorted, truth)) == sorted(map(sorted, pred))
    assert cv.CoverPair(truth, pred, n).identical == same


def test_small_covers_load_no_compiler() -> None:
    import subprocess

    code = (
        "import sys, clustervet as cv; a = cv.Cover([{0, 1, 2}, {2, 3}]);"
        "[record(a, [[0, 1], [1, 2]]) for record in cv.measures.select(kind='overlapping')];"
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_too_many_connected_objects_are_refused_before_they_are_computed() -> None:
    rng = np.random.default_rng(0)
    sides = [[rng.choice(500, 12, replace=False) for _ in range(300)] for _ in range(2)]
    with cv.memory_limit("1MB"), pytest.raises(MemoryError, match="walks between"):
        cv.overlapping_element_centric(*sides)
