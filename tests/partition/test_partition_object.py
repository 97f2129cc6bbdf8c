"""`Partition` as an object: what it takes, what it is equal to, and what it refuses."""

from __future__ import annotations

import copy
import operator
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

import clustervet as cv
from clustervet.partition import Partition


@pytest.mark.parametrize(
    "labels",
    [
        [3, 3, 1, 2, 1],
        ("x", "x", "a", "b", "a"),
        np.array([9.0, 9.0, -1.0, 0.0, -1.0]),
        np.array([True, True, False, 7, False], object),
        pd.Categorical(["z", "z", "y", "x", "y"]),
        pl.Series(["z", "z", "y", "x", "y"]),
        Partition([0, 0, 1, 2, 1]),
        iter([5, 5, 6, 7, 6]),
        [10**30, 10**30, 0, "zero", 0],
    ],
    ids=lambda labels: type(labels).__name__,
)
def test_labels_of_any_kind_are_the_same_partition(labels):
    p = Partition(labels)
    assert p == Partition([0, 0, 1, 2, 1])
    assert hash(p) == hash(Partition([0, 0, 1, 2, 1]))
    assert p.codes.tolist() == [0, 0, 1, 2, 1]
    assert p.codes.dtype == np.int32
    assert (p.n, p.k, len(p), p.sizes.tolist()) == (5, 3, 5, [2, 2, 1])


def test_names_and_labels_are_kept_but_do_not_count():
    p = Partition(["b", "a", "b", None], missing="class")
    assert p.names == ["b", "a", None]
    assert p.labels.tolist() == ["b", "a", "b", None]
    assert p == Partition([0, 1, 0, 2])
    assert Partition([7, 7, 5]).labels.tolist() == [7, 7, 5]
    assert Partition.top(2).names == [0]
    assert Partition.bottom(2).labels.tolist() == [0, 1]


def test_policies_for_noise_and_missing_labels():
    assert Partition([0, -1, -1, 1], noise="singletons") == Partition.bottom(4)
    assert Partition([0, -1, -1, 0], noise="drop") == Partition.top(2)
    assert Partition(Partition([0, -1, -1, 1]), noise="singletons") == Partition.bottom(4)
    assert Partition([1, None, 1], missing="drop") == Partition.top(2)
    with pytest.raises(cv.ClustervetError, match="missing label"):
        Partition([1, None])


def test_a_partition_is_taken_wherever_labels_are():
    p, q = Partition(list("aabb")), Partition(list("aaab"))
    assert cv.rand(p, q) == cv.rand(list("aabb"), list("aaab"))
    assert cv.Contingency.from_labels(p, q).n == 4
    assert np.asarray(p).tolist() == [0, 0, 1, 1]
    assert np.asarray(p, np.float64).dtype == np.float64


def test_it_never_changes():
    p = Partition([0, 1, 1])
    with pytest.raises(ValueError, match="read-only"):
        p.codes[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        p.sizes[0] = 1
    with pytest.raises(AttributeError, match="never changes"):
        p.k = 3
    with pytest.raises(AttributeError, match="never changes"):
        del p._codes


def test_the_users_array_stays_writeable():
    mine = np.array([0, 1, 1], np.int32)
    Partition(mine)
    mine[0] = 1


def test_copies_and_pickles_are_equal():
    p = Partition(["x", "y", "x"])
    for other in (pickle.loads(pickle.dumps(p)), copy.copy(p), copy.deepcopy(p)):
        assert other == p
        assert other.names == ["x", "y"]
        assert not other.codes.flags.writeable


def test_equality_is_by_content_and_with_partitions_alone():
    assert Partition([0, 1]) != Partition([0, 1, 1])
    assert Partition([0, 1]) != Partition([0, 0])
    assert Partition([0, 1]) != [0, 1]
    assert {Partition([0, 1]), Partition("ab"[k] for k in range(2))} == {Partition.bottom(2)}
    for compare in (
        operator.le,
        operator.lt,
        operator.ge,
        operator.gt,
        operator.and_,
        operator.or_,
    ):
        for other in ([0, 1], 3, None, "ab"):
            with pytest.raises(TypeError, match=r"not supported|unsupported operand"):
                compare(Partition([0, 1]), other)
            with pytest.raises(TypeError, match=r"not supported|unsupported operand"):
                compare(other, Partition([0, 1]))


def test_uniform_partitions_differ_by_one_at_most():
    for n, k in ((7, 3), (6, 3), (5, 5), (9, 1), (100_001, 7)):
        p = Partition.uniform(n, k)
        assert (p.n, p.k, int(p.sizes.sum())) == (n, k, n)
        assert p.sizes.max() - p.sizes.min() <= 1


def test_it_shows_itself_in_one_short_line():
    assert repr(Partition(list("aba"))) == "Partition({0, 2}, {1})"
    assert repr(Partition.top(13)) == "Partition of 13 objects: 1 cluster of 13"
    assert repr(Partition.uniform(10**4, 5_000)).endswith(
        "5,000 clusters of 2, 2, 2, 2, 2, 2, 2, 2, ..."
    )


REFUSED = {
    "no objects": (lambda: Partition([]), "empty"),
    "two dimensions": (lambda: Partition(np.zeros((2, 2))), "one-dimensional"),
    "top of nothing": (lambda: Partition.top(0), "n must be a whole number of at least 1, not 0."),
    "bottom of a half": (
        lambda: Partition.bottom(0.5),
        "n must be a whole number of at least 1, not 0.5.",
    ),
    "true objects": (lambda: Partition.top(True), "whole number"),
    "too many clusters": (
        lambda: Partition.uniform(3, 4),
        "k must be a whole number between 1 and 3",
    ),
    "random, too many": (
        lambda: Partition.random(3, 0, k=4),
        "k must be a whole number between 1 and 3",
    ),
    "random, none": (
        lambda: Partition.random(3, 0, k=0),
        "k must be a whole number between 1 and 3",
    ),
    "random state": (lambda: Partition.random(3, "x"), "random_state must be None, a whole number"),
    "negative seed": (lambda: Partition.random(3, -1), "random_state must be None, a whole number"),
    "all of many": (lambda: Partition.all(13), "n must be at most 12"),
    "count below nothing": (lambda: Partition.count(-1), "n must be a whole number of at least 0"),
    "other objects": (lambda: Partition([0]) & Partition([0, 0]), "one has 1 and the other 2"),
    "order of others": (lambda: Partition([0]) < Partition([0, 0]), "of the same objects"),
    "no such cluster": (
        lambda: Partition([0, 1]).merge(0, 2),
        "cluster must be a whole number between 0 and 1",
    ),
    "one to merge": (lambda: Partition([0, 1]).merge(0, 0), "at least two different clusters"),
    "labels to split": (
        lambda: Partition.top(3).split(0, [1, 2]),
        "has 3 objects, and there are 2",
    ),
    "parts to split": (
        lambda: Partition.top(3).split(0, 4),
        "k must be a whole number between 1 and 3",
    ),
    "too many splits": (lambda: Partition.top(30).covers_below(), "too many ways to split"),
    "nowhere": (lambda: Partition.top(3).restrict([]), "there are no positions"),
    "beyond": (lambda: Partition.top(3).restrict([3]), "between 0 and 2"),
    "before": (lambda: Partition.top(3).restrict([-1]), "between 0 and 2"),
    "twice": (lambda: Partition.top(3).restrict([1, 1]), "positions must differ"),
    "halves": (lambda: Partition.top(3).restrict([0.5]), "positions must be whole numbers"),
    "a short mask": (lambda: Partition.top(3).restrict([True, False]), "a mask of 3 objects"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_say_what_was_wanted(case):
    call, message = REFUSED[case]
    with pytest.raises(cv.ClustervetError, match=message) as refused:
        call()
    assert str(refused.value).endswith(".")


def test_small_partitions_load_no_compiler():
    code = """
import sys
from clustervet.partition import Partition
p, q = Partition("a b b c".split()), Partition([0, 0, 1, 1])
p & q, p | q, p <= q, list(p.geodesic(q)), p.nearest_neighbours(), Partition.random(5, 0)
print([name for name in ("numba", "scipy", "pandas") if name in sys.modules])
"""
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert (ran.stdout.strip(), ran.stderr) == ("[]", "")


def test_up_to_twelve_objects_are_shown_each():
    assert repr(Partition([0] * 11 + [1])) == "Partition({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {11})"
    assert repr(Partition([0] * 12 + [1])) == "Partition of 13 objects: 2 clusters of 12, 1"


def test_as_many_clusters_as_objects_leave_one_partition():
    assert Partition.random(60, 0, k=60) == Partition(range(60))
