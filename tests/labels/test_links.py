"""Links as labels: connected components, checked against networkx."""

from __future__ import annotations

import warnings

import networkx as nx
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import clustervet as cv
from clustervet.errors import LabelError
from clustervet.labels import components

graphs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=15)


@pytest.mark.filterwarnings("ignore:links are not transitive")
@given(graphs)
@settings(max_examples=80)
def test_are_those_of_networkx(links):
    found = components(links, objects=range(10))
    graph = nx.Graph(links)
    graph.add_nodes_from(range(10))
    wanted = {frozenset(group) for group in nx.connected_components(graph)}
    groups = {}
    for name, label in found.items():
        groups.setdefault(label, set()).add(name)
    assert set(map(frozenset, groups.values())) == wanted
    assert components(graph) == {name: components(graph)[name] for name in graph.nodes}


@given(graphs)
@settings(max_examples=80)
def test_warns_exactly_where_links_are_not_transitive(links):
    graph = nx.Graph([link for link in links if link[0] != link[1]])
    cliques = all(
        graph.subgraph(group).number_of_edges() == len(group) * (len(group) - 1) // 2
        for group in nx.connected_components(graph)
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        components(links, objects=range(10))
    assert (not caught) == cliques


def test_the_warning_names_a_pair():
    with pytest.warns(UserWarning, match="in 1 group: 'a' and 'c' have no link"):
        components([("a", "b"), ("b", "c")])


def test_pairs_that_are_no_links():
    triples = [("a", "b", True), ("b", "c", False)]
    assert components(triples, objects="abc") == {"a": 0, "b": 0, "c": 1}
    assert components(pd.DataFrame(triples), objects="abc") == {"a": 0, "b": 0, "c": 1}


def test_a_sparse_matrix():
    matrix = sp.coo_array(([1, 1], ([0, 2], [1, 3])), (5, 5))
    assert components(matrix) == {0: 0, 1: 0, 2: 1, 3: 1, 4: 2}


def test_frames_and_scores():
    links = [("a", "b"), ("c", "d")]
    wanted = components(links)
    assert components(pd.DataFrame(links)) == wanted
    assert components(pl.DataFrame(links, schema=["one", "other"], orient="row")) == wanted
    truth = {"a": 1, "b": 1, "c": 2, "d": 3, "e": 4}
    assert cv.pair_precision(truth, components(links, objects=truth)) == 0.5


@pytest.mark.parametrize(
    ("links", "objects", "said"),
    [
        ([("a",)], None, "link 1 must be a pair of objects"),
        ([("a", "b"), 7], None, "link 2 must be a pair of objects, or with.*not 7"),
        ([("a", ["b"])], None, "link 1 has an object that is missing or no name"),
        ([("a", None)], None, "link 1 has an object that is missing"),
        ([("a", float("nan"))], None, "link 1 has an object that is missing"),
        ([("a", "b", 0.9)], None, "a third entry that is True or False"),
        ([("a", "b")], 5, "objects must be a sequence"),
        (pd.DataFrame({k: [1] for k in "abcd"}), None, "two columns.*it has 4"),
        ("ab", None, "links must be pairs of objects, not"),
        (5, None, "links must be pairs of objects, not"),
        ([("a", "z")], ["a"], "link 1 has 'z', which objects does not have"),
        ([], None, "links has no pairs and no objects"),
        (pd.DataFrame({"a": [1]}), None, "must have two columns"),
    ],
)
def test_bad_links(links, objects, said):
    with pytest.raises(LabelError, match=said):
        components(links, objects)
