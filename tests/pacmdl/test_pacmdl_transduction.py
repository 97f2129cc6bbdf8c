"""Transduction beside one that walks over the objects one by one."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustervet.errors import ClustervetError, LabelError, ParameterError
from clustervet.labels import read_labels
from clustervet.pacmdl import transduce

rows = st.tuples(st.sampled_from("abcd"), st.integers(-1, 4), st.booleans(), st.booleans())


def candidates(truth, pred, labelled, names):
    """The labels that each cluster may get."""
    inside = defaultdict(Counter)
    for label, cluster, is_labelled in zip(truth, pred, labelled, strict=True):
        if is_labelled:
            inside[cluster][label] += 1
    return {
        cluster: {label for label, count in inside[cluster].items() if count == most}
        if (most := max(inside[cluster].values(), default=0))
        else set(names)
        for cluster in set(pred)
    }


@given(st.lists(rows, min_size=1, max_size=40), st.integers(0, 10))
@settings(max_examples=200)
def test_clusters_get_their_majority_and_errors_are_counted(drawn, seed):
    truth, pred, labelled, hidden = map(list, zip(*drawn, strict=True))
    if not any(labelled):
        labelled[0] = True
    given_truth = [
        None if gone and not kept else label
        for label, kept, gone in zip(truth, labelled, hidden, strict=True)
    ]
    found = transduce(given_truth, pred, labelled, random_state=seed)
    known = {label for label in given_truth if label is not None}
    ways = candidates(given_truth, pred, labelled, known)
    assert found.clusters == tuple(sorted(ways))
    assert all(found.mapping[cluster] in options for cluster, options in ways.items())
    wrong = [label != found.mapping[k] for label, k in zip(given_truth, pred, strict=True)]
    train = [w for w, kept in zip(wrong, labelled, strict=True) if kept]
    test = [
        w
        for w, kept, label in zip(wrong, labelled, given_truth, strict=True)
        if not kept and label is not None
    ]
    assert (found.train_size, found.train_errors) == (len(train), sum(train))
    assert (found.test_size, found.test_known) == (len(truth) - len(train), len(test))
    assert found.test_errors == (sum(test) if test else None)
    marked = Counter(k for k, kept in zip(pred, labelled, strict=True) if kept)
    assert found.without == sum(marked[k] == 0 for k in ways)
    assert found.tied == sum(marked[k] > 0 and len(ways[k]) > 1 for k in ways)
    share = Counter(label for label in given_truth if label is not None).most_common(1)[0][1]
    assert found.largest_share == share / sum(label is not None for label in given_truth)


def test_ties_and_clusters_without_labels_go_to_every_candidate_in_turn():
    truth, pred = ["a", "b", "b", "c", "c", "c"], [0, 0, 1, 2, 2, 3]
    labelled = [True, True, True, True, True, False]
    drawn = [transduce(truth, pred, labelled, random_state=seed).mapping for seed in range(600)]
    ties, anything = (Counter(mapping[k] for mapping in drawn) for k in (0, 3))
    assert set(ties) == {"a", "b"}
    assert min(ties.values()) > 240
    assert set(anything) == {"a", "b", "c"}
    assert min(anything.values()) > 140
    assert {mapping[1] for mapping in drawn} == {"b"}


def test_the_same_random_state_gives_the_same_labels():
    rng = np.random.default_rng(3)
    truth, pred = rng.integers(0, 4, 300), rng.integers(0, 150, 300)
    labelled = rng.random(300) < 0.4
    first = transduce(truth, pred, labelled, random_state=7)
    assert first.tied > 5
    assert first.without > 5
    assert first == transduce(truth, pred, labelled, random_state=7)
    assert first == transduce(truth, pred, labelled, random_state=np.random.default_rng(7))
    others = {transduce(truth, pred, labelled, random_state=k).assignment for k in range(5)}
    assert len(others) == 5


def test_many_objects_are_counted_as_few_are():
    rng = np.random.default_rng(0)
    truth, pred = rng.integers(0, 5, 30_000), rng.integers(0, 40, 30_000)
    pred[truth == 2] = 7
    labelled = rng.random(30_000) < 0.3
    many = transduce(truth, pred, labelled)
    counts = np.zeros((5, 40), int)
    np.add.at(counts, (truth[labelled], pred[labelled]), 1)
    assert many.assignment == tuple(counts.argmax(axis=0))
    assert many.train_errors == labelled.sum() - counts.max(axis=0).sum()
    assert many.test_errors == (np.array(many.assignment)[pred] != truth)[~labelled].sum()


masks = {
    "list": [True, True, False, True, False],
    "array": np.array([True, True, False, True, False]),
    "objects": np.array([True, True, False, True, False], object),
    "pandas": pd.Series([True, True, False, True, False], index=list("vwxyz")),
    "nullable": pd.array([True, True, False, True, False], dtype="boolean"),
    "polars": pl.Series([True, True, False, True, False]),
    "positions": [3, 0, 1],
    "words": ["yes", " T ", "no", "TRUE", "n"],
    "gaps": ["yes", "y", None, "1", None],
    "ones": [1, 1, 0, 1, 0],
    "floats": np.array([1.0, 1.0, 0.0, 1.0, np.nan]),
    "codes": read_labels(["1", "1", "0", "1", "0"]),
    "tuple": (0, 1, 3),
    "unsigned": np.array([0, 1, 3], np.uint8),
}


@pytest.mark.parametrize("kind", masks)
def test_labelled_objects_are_named_by_a_mask_or_by_positions(kind):
    found = transduce(list("aabba"), [0, 0, 0, 1, 1], masks[kind])
    assert found.mapping == {0: "a", 1: "b"}
    assert (found.train_size, found.test_size, found.test_errors) == (3, 2, 2)


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA])
def test_objects_without_truth_are_the_unlabelled_ones(gap):
    found = transduce(["a", "b", gap, gap], [0, 1, 1, 0])
    assert (found.train_size, found.test_size, found.test_known) == (2, 2, 0)
    assert found.test_errors is None
    assert transduce(np.array([1.0, 2.0, np.nan]), [0, 1, 1]).labels == (1, 2)


def test_a_class_that_no_labelled_object_has_is_never_right():
    found = transduce(["a", "a", "b", "b"], [0, 0, 1, 0], [True, True, False, False])
    assert found.labels == ("a", "b")
    assert found.mapping[0] == "a"
    assert found.test_errors >= 1


def test_possible_labels_may_be_listed_or_counted():
    truth, pred = ["a", "a", None, None], [0, 0, 1, 2]
    assert transduce(truth, pred).label_count == 1
    counted = transduce(truth, pred, labels=5)
    assert (counted.label_count, counted.labels) == (5, ("a",))
    listed = [transduce(truth, pred, labels=["z", "a"], random_state=k) for k in range(30)]
    assert listed[0].labels == ("z", "a")
    assert {found.mapping[1] for found in listed} == {"z", "a"}
    assert {found.mapping[0] for found in listed} == {"a"}


def test_noise_is_a_cluster_unless_a_policy_says_otherwise():
    truth, pred = [1, 1, -1, 2, 2, 2], [0, 0, -1, -1, -1, 1]
    labelled = [True, False, True, True, False, True]
    kept = transduce(truth, pred, labelled)
    assert kept.clusters == (-1, 0, 1)
    single = transduce(truth, pred, labelled, noise="singletons")
    assert len(single.clusters) == 5
    assert single.without == 1
    dropped = transduce(truth, pred, labelled, noise="drop")
    assert dropped.clusters == (0, 1)
    assert (dropped.train_size, dropped.test_size) == (2, 1)
    other = transduce(truth, pred, labelled, noise=0, noise_policy="drop")
    assert other.clusters == (-1, 1)
    # The policy is for clusters: the class -1 stays.
    assert transduce([-1, -1, 1, 1], [0, 0, 1, 1], [0, 2], noise="drop").train_size == 2


def test_missing_clusters_follow_their_policy():
    truth, pred = ["a", "a", "b", "b"], ["x", None, None, "x"]
    with pytest.raises(LabelError, match="pred has 2 missing labels"):
        transduce(truth, pred, [0, 1])
    assert transduce(truth, pred, [0, 1], missing="class").clusters == ("x", None)
    dropped = transduce(truth, pred, [0, 1], missing="drop")
    assert (dropped.train_size, dropped.test_size) == (1, 1)


def test_the_commonest_label_stands_beside_the_clusters():
    found = transduce(list("aaabbcbb"), [0] * 8, [True] * 4 + [False] * 4)
    assert (found.constant, found.constant_train_errors, found.constant_test_errors) == ("a", 1, 4)
    assert found.largest_share == 0.5


@pytest.mark.parametrize(
    ("labelled", "match"),
    [
        ([True, False], "there are 4 objects and 2 entries"),
        (["yes", "no", "no"], "there are 4 objects and 3 entries"),
        ([0, 9], "position 9"),
        ([-1], "position -1"),
        ([1, 0, 1], "holds a position twice"),
        ([0, 2, 0, 2], "holds a position twice"),
        (["yes", "no", "maybe", "no"], "'maybe' is neither"),
        ([0.0, 1.0, 2.0, 1.0], "'2' is neither"),
        ([[True, False, True, False]], "must be a mask, positions of objects, or a column"),
        ([[True], [1, 2]], "must be a mask"),
        ("all", "must be a mask"),
        (2, "must be a mask"),
    ],
)
def test_what_is_neither_mask_nor_positions_is_refused(labelled, match):
    with pytest.raises(ParameterError, match=match):
        transduce(list("aabb"), [0, 0, 1, 1], labelled)


@pytest.mark.parametrize(
    ("arguments", "options", "match"),
    [
        ((["a", "b"], [0]), {}, "truth has 2 labels and pred has 1"),
        (([], []), {}, "empty"),
        (([None, None], [0, 1]), {}, "no object is labelled"),
        ((["a", "b"], [0, 1], []), {}, "no object is labelled"),
        ((["a", "b"], [0, 1], [False, False]), {}, "no object is labelled"),
        ((["a", None], [0, 1], [0, 1]), {}, "1 of the labelled objects has no truth"),
        ((["a", "b", None], [0, -1, 0], [1]), {"noise": "drop"}, "no object is labelled"),
        ((["a", "b", None], [0, 0, 1]), {"labels": 1}, "truth holds 2 labels"),
        ((["a", "b", None], [0, 0, 1]), {"labels": ["a", "c"]}, "truth holds 'b'"),
        ((["a", "b", None], [0, 0, 1]), {"labels": "ab"}, "labels must be"),
        ((["a", "b", None], [0, 0, 1]), {"labels": 2.5}, "labels must be"),
        ((["a", "b", None], [0, 0, 1]), {"labels": [["a"], "b"]}, "labels must be"),
        ((["a", "b", None], [0, 0, 1]), {"random_state": "dice"}, "random_state"),
        ((["a", "b", None], [0, 0, 1]), {"random_state": -1}, "random_state"),
        ((["a", "b", None], [0, 0, 1]), {"missing": "never"}, "missing must be"),
        ((["a", "b", None], [0, 0, 1]), {"noise_policy": "hide"}, "noise policy"),
    ],
)
def test_bad_input_gets_a_clear_sentence(arguments, options, match):
    with pytest.raises(ClustervetError, match=match) as caught:
        transduce(*arguments, **options)
    assert str(caught.value).endswith(".")
