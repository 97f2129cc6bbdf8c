"""Whose cluster is whose: `Contingency.mapping` and `align`."""

from __future__ import annotations

import itertools
import json
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import clustervet as cv
from clustervet import Contingency
from clustervet.errors import LabelError, ParameterError

MATRICES = (
    st.integers(1, 5)
    .flatmap(
        lambda width: st.lists(
            st.lists(st.integers(0, 6), min_size=width, max_size=width), min_size=1, max_size=5
        )
    )
    .filter(lambda rows: any(map(any, rows)))
)
PAIRS = st.integers(1, 40).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 5), min_size=n, max_size=n) for _ in range(2)))
)


@given(MATRICES)
def test_a_matching_has_the_largest_total_and_uses_each_class_once(rows):
    table = Contingency.from_counts(rows)
    found = table.mapping()
    matrix = np.array(rows)
    chosen = linear_sum_assignment(-matrix)
    assert sum(matrix[cls, cluster] for cluster, cls in found.items()) == matrix[chosen].sum()
    assert len(set(found.values())) == len(found)
    assert sorted([*found, *found.unmatched]) == sorted(table.cluster_names)
    assert sorted([*found.values(), *found.unfound]) == sorted(table.class_names)


@given(MATRICES, st.sampled_from(["majority", "jaccard"]), st.sampled_from([1, 10**30]))
def test_the_best_class_of_each_cluster_by_exact_fractions(rows, how, scale):
    rows = [[count * scale for count in row] for row in rows]
    table = Contingency.from_counts(rows)
    sizes = [sum(row) for row in rows]
    found = table.mapping(how)
    for cluster in table.cluster_names:
        column = [row[cluster] for row in rows]
        value = {
            cls: Fraction(x, sizes[cls] + sum(column) - x) if how == "jaccard" else x
            for cls, x in enumerate(column)
            if x
        }
        best = max(value.values())
        equal = [cls for cls in value if value[cls] == best]
        smallest = min(sizes[cls] for cls in equal)
        assert found[cluster] == next(cls for cls in equal if sizes[cls] == smallest)
    assert found.unmatched == []


def test_a_mapping_is_a_dict_a_table_and_a_sentence():
    table = Contingency.from_labels(["a"] * 5 + ["b"] * 3 + ["c"], [0, 0, 0, 1, 1, 1, 1, 1, 2])
    found = table.mapping("majority")
    assert found == {0: "a", 1: "b", 2: "c"}
    assert (len(found), 1 in found, found.get(7, "none")) == (3, True, "none")
    found = Contingency.from_labels(["a", "a", "b"], [0, 1, 1]).mapping("majority")
    assert found == {0: "a", 1: "b"}  # of equal classes the smaller
    found = Contingency.from_labels(["a", "a", "a", "b"], [7, 7, 8, 7]).mapping()
    assert (dict(found), found.unmatched, found.unfound) == ({7: "a"}, [8], ["b"])
    text = str(found)
    assert "1 cluster without a class: 8." in text
    assert "1 class without a cluster: b." in text
    assert found.columns()["jaccard"][0] == pytest.approx(2 / 4)
    data = json.loads(found.to_json())
    assert data["schema"] == "clustervet/mapping/1"
    assert data["clusters"][1] == {
        "cluster": 8,
        "class": None,
        "shared": None,
        "cluster_size": 1,
        "class_size": None,
        "jaccard": None,
    }
    assert data["unfound"] == ["b"]


def test_real_weights_and_objects_of_one_side_alone():
    table = Contingency.from_counts([[0.5, 0.25], [0.25, 0.0]])
    assert dict(table.mapping("majority")) == {0: 0, 1: 0}
    assert sum(table.mapping().shared) == 0.5
    table = Contingency.from_labels(["a", "a", None, "b"], [0, None, 1, 1], missing="absent")
    found = table.mapping()
    assert (dict(found), found.unmatched, found.unfound) == ({0: "a", 1: "b"}, [], [])
    assert found.jaccard.tolist() == [1 / 2, 1 / 2]


def test_noise_is_no_class_and_has_none():
    table = Contingency.from_labels([0, 0, -1, -1, -1], [5, 5, 5, 5, -1])
    assert dict(table.mapping(noise=-1)) == {5: 0}
    assert dict(table.mapping()) in ({5: 0, -1: -1}, {5: -1})
    assert table.mapping(noise=-1).unmatched == [-1]


def test_an_unknown_rule():
    with pytest.raises(ParameterError, match="how must be 'matching', 'majority' or 'jaccard'"):
        Contingency.from_counts([[1]]).mapping("best")


@given(PAIRS)
def test_aligned_labels_are_the_same_clustering_and_match_as_many_as_can_be(pair):
    reference, labels = pair
    found = cv.align(labels, to=reference)
    assert cv.adjusted_rand(labels, found) == 1
    assert np.mean(found == np.array(reference)) == pytest.approx(
        cv.matching_accuracy(reference, labels)
    )


@given(PAIRS, st.permutations(range(6)))
def test_other_names_of_the_same_clusters_are_undone(pair, names):
    reference = pair[0]
    assert cv.align([names[label] for label in reference], to=reference).tolist() == reference


@given(PAIRS, st.sampled_from(["majority", "jaccard"]))
def test_clusters_may_take_the_name_of_the_same_class(pair, how):
    reference, labels = pair
    mapping = Contingency.from_labels(reference, labels).mapping(how)
    assert cv.align(labels, to=reference, how=how).tolist() == [mapping[x] for x in labels]


@pytest.mark.parametrize(
    ("labels", "to", "wanted"),
    [
        ([3, 3, 4, 5], [0, 0, 0, 0], [0, 0, 1, 2]),  # the larger one of equal size comes first
        (["x", "y", "y", "y"], ["a", "a", "a", "a"], ["new 1", "a", "a", "a"]),
        ([1, 2, 2], ["new 1", "b", "b"], ["new 1", "b", "b"]),
        ([1, 1, 1, 2], ["new 1", "new 1", "b", "b"], ["new 1", "new 1", "new 1", "b"]),
        (["u", "u", "v"], ["4", "4", "4"], ["4", "4", "5"]),
        ([9, 9, -1, 8], [0, 0, 0, -1], [0, 0, -1, 1]),
        (["-1", "v"], ["0", "0"], ["-1", "0"]),
        ([-1, -1], [0, 0], [-1, -1]),
        ([True, False, False], [0, 1, 1], [0, 1, 1]),
    ],
)
def test_names_of_clusters_without_a_partner(labels, to, wanted):
    assert cv.align(labels, to=to).tolist() == wanted


def test_names_that_are_taken_are_not_given():
    found = cv.align([1, 1, 1, 2, 3], to=["new 1", "new 1", "new 1", "new 1", "b"])
    assert found.tolist() == ["new 1", "new 1", "new 1", "new 2", "b"]


def test_objects_that_only_one_side_has():
    found = cv.align({"x": 1, "y": 0, "z": 2}, to={"y": "b", "x": "a"}, missing="drop")
    assert found == {"x": "a", "y": "b", "z": "new 1"}
    with pytest.raises(ParameterError, match="missing must be 'raise' or 'drop'"):
        cv.align([1], to=[1], missing="class")


def test_noise_may_be_another_label_or_none():
    assert cv.align(["out", "v"], to=["a", "a"], noise="out").tolist() == ["out", "a"]
    assert cv.align([-1, -1, 4], to=[0, 0, 1], noise=None).tolist() == [0, 0, 1]


def test_a_sign_is_no_noise():
    assert cv.align([1, -1, -1], to=[0, 1, 1]).tolist() == [0, 1, 1]
    assert cv.align([5, 6, 6], to=[1, -1, -1]).tolist() == [1, -1, -1]


def test_missing_labels_stay_missing():
    assert cv.align([2, None, 1], to=["b", "a", "a"]).tolist() == ["b", None, "a"]
    assert cv.align([2, 1, 1], to=["b", None, "a"]).tolist() == ["b", "a", "a"]
    assert cv.align([7, None, None], to=[0, 0, None]).tolist() == [0, None, None]


def test_the_result_is_as_the_labels_were_given():
    index = pd.Index(["u", "v", "w"])
    run = pd.Series([1, 1, 0], index=index, name="run")
    found = cv.align(run, to=pd.Series([5, 5, 6], index=index))
    pd.testing.assert_series_equal(found, pd.Series([5, 5, 6], index=index, name="run"))
    assert cv.align({"x": 1, "y": 0}, to={"y": "b", "x": "a"}) == {"x": "a", "y": "b"}
    assert cv.align([{"x"}, {"y"}], to={"y": "b", "x": "a"}) == {"x": "a", "y": "b"}
    assert cv.align(pl.Series([1, 1, 0]), to=["a", "a", "b"]).tolist() == ["a", "a", "b"]
    assert cv.align(np.array([1, 1, 0]), to=np.array([0, 0, 1])).dtype.kind == "i"
    categories = pd.Series(["p", "p", "q"], dtype="category")
    assert cv.align(categories, to=pd.Series([0, 0, 1])).tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("labels", "to", "said"),
    [
        ([1, 2], [1], "to has 1 labels and labels has 2"),
        ({"x": 1}, {"y": 1}, "to alone has 1, such as 'y'"),
        ({"x": 1}, [1], "names its objects"),
        ([1.5, 2], [1, 2], "1.5"),
        (pd.Series([1, 2]), pd.Series([1, 2], index=[1, 0]), "another order"),
    ],
)
def test_labels_of_other_objects_are_refused(labels, to, said):
    with pytest.raises(LabelError, match=said):
        cv.align(labels, to=to)


def test_names_of_other_objects_by_the_same_mapping():
    mapping = Contingency.from_labels(["a", "a", "b"], [3, 3, 4]).mapping()
    assert mapping.names_of([4, 3, 9, -1]).tolist() == ["b", "a", "new 1", -1]


def test_many_clusters():
    rng = np.random.default_rng(0)
    reference = rng.integers(0, 5_000, 20_000)
    names = rng.permutation(5_000)
    labels = names[reference]
    assert (cv.align(labels, to=reference) == reference).all()
    moved = np.where(rng.random(20_000) < 0.1, rng.integers(0, 5_000, 20_000), labels)
    found = cv.align(moved, to=reference)
    assert (found == reference).mean() == pytest.approx(cv.matching_accuracy(reference, moved))


def test_every_order_of_names_gives_the_same_partition():
    reference, labels = [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 2]
    partitions = set()
    for names in itertools.permutations("xyz"):
        found = cv.align([names[label] for label in labels], to=reference)
        partitions.add(tuple(found.tolist()))
    assert len({cv.matching_accuracy(reference, list(found)) for found in partitions}) == 1


def test_names_of_classes_survive_a_pickle():
    found = cv.judge(["a", "a", "b"], [7, 7, 8], measures=["rand"])
    assert pickle.loads(pickle.dumps(found)).aligned() == {"pred": ["a", "a", "b"]}
