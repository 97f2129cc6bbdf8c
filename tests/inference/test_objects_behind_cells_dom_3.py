"""The objects behind cells, splits, merges and repairs (Dom 2001, §3), by looking at every row."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clustervet as cv
from clustervet.errors import LabelError, ParameterError

TRUTH = ["a"] * 12 + ["b"] * 12
PRED = [0] * 16 + [1] * 8
labels = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(0, 3)), min_size=1, max_size=30
).map(lambda rows: ([a for a, _ in rows], [b for _, b in rows]))


@given(labels)
def test_cells_clusters_and_classes_have_their_rows(case):
    truth, pred = case
    found = cv.diagnose(truth, pred)
    for cluster in set(pred):
        rows = [i for i, p in enumerate(pred) if p == cluster]
        assert found.objects(cluster).tolist() == rows
        for cls in set(truth):
            both = [i for i in rows if truth[i] == cls]
            assert found.objects(cluster=cluster, cls=cls).tolist() == both
    for cls in set(truth):
        assert found.objects(cls=cls).tolist() == [i for i, t in enumerate(truth) if t == cls]
    assert found.objects().tolist() == list(range(len(truth)))


@given(labels)
def test_a_repair_has_as_many_objects_as_it_says_and_gains_what_it_says(case):
    truth, pred = case
    found = cv.diagnose(truth, pred, level=1)
    before = cv.variation_of_information(truth, pred)
    for repair in found.repairs:
        rows = found.objects(repair)
        assert len(rows) == repair.objects
        mended = np.array(pred)
        if repair.kind == "split":
            mended[rows] = 99
        elif repair.kind == "move":
            mended[rows] = repair.clusters[1]
        else:
            (other,) = set(repair.clusters) - {pred[rows[0]]}
            mended[rows] = other
        after = cv.variation_of_information(truth, mended)
        assert before - after == pytest.approx(repair.vi_gain, abs=1e-9)


@given(labels)
def test_splits_and_merges_name_what_lies_outside_their_largest_part(case):
    truth, pred = case
    found = cv.diagnose(truth, pred)
    for spreads, own, other in ((found.splits, truth, pred), (found.merges, pred, truth)):
        for spread in spreads:
            right = [
                i
                for i, (a, b) in enumerate(zip(own, other, strict=True))
                if a == spread.name and b != spread.parts[0][0]
            ]
            assert found.objects(spread).tolist() == right


def test_ids_stand_for_rows():
    names = [f"doc {k}" for k in range(24)]
    found = cv.diagnose(TRUTH, PRED, ids=names)
    assert found.objects(0, "b").tolist() == names[12:16]
    assert found.objects(found.repairs[0]).tolist() == names[12:16]
    frame = pd.Series(range(100, 124))
    assert cv.diagnose(TRUTH, PRED, ids=frame).objects(0, "b").tolist() == [112, 113, 114, 115]


def test_rows_are_those_of_the_labels_given_whatever_is_dropped():
    found = cv.diagnose(["a", None, "a", "b", "b"], [0, 0, -1, 0, 1], noise="drop", missing="drop")
    assert found.objects().tolist() == [0, 3, 4]
    assert found.objects(cluster=0).tolist() == [0, 3]
    # A row number is no label, even where a label is noise.
    found = cv.diagnose(["a", "b", "b"], [5, 0, 5], noise=0, noise_policy="drop")
    assert found.objects().tolist() == [0, 2]


def test_missing_labels_may_be_a_class():
    found = cv.diagnose(["a", None, None], [0, 0, 1], missing="class")
    (part,) = [part for part in found.classes if part.name != "a"]
    assert found.objects(cls=part.name).tolist() == [1, 2]


def test_a_diagnosis_can_be_pickled_with_its_objects():
    found = pickle.loads(pickle.dumps(cv.diagnose(TRUTH, PRED)))
    assert found.objects(0, "b").tolist() == [12, 13, 14, 15]
    table = pickle.loads(pickle.dumps(cv.diagnose(cv.Contingency.from_labels(TRUTH, PRED))))
    with pytest.raises(ParameterError, match="a table does not know its objects"):
        table.objects(0, "b")
    judged = pickle.loads(pickle.dumps(cv.judge(TRUTH, PRED, measures=["rand"], diagnose=True)))
    assert judged.diagnoses["pred"].objects(0, "b").tolist() == [12, 13, 14, 15]


def test_labels_of_files_are_left_out_of_a_pickle(tmp_path):
    path = tmp_path / "labels.csv"
    pd.DataFrame({"y": TRUTH, "c": PRED}).to_csv(path, index=False)
    found = cv.score_files(str(path), "y", "c", measures=["rand"], diagnose=True)
    assert found.diagnoses["c"].objects("0", "b").tolist() == [12, 13, 14, 15]
    again = pickle.loads(pickle.dumps(found.diagnoses["c"]))
    assert again.vi == found.diagnoses["c"].vi


def test_labels_that_can_be_read_once_are_kept():
    found = cv.diagnose(iter(TRUTH), iter(PRED))
    assert found.objects(0, "b").tolist() == [12, 13, 14, 15]


@pytest.mark.parametrize(
    ("asked", "words"),
    [({"cluster": 7}, "there is no cluster '7'"), ({"cls": "z"}, "there is no class 'z'")],
)
def test_what_is_not_there_is_refused(asked, words):
    with pytest.raises(ParameterError, match=words):
        cv.diagnose(TRUTH, PRED).objects(**asked)


def test_a_table_does_not_know_its_objects():
    table = cv.Contingency.from_labels(TRUTH, PRED)
    with pytest.raises(ParameterError, match="a table does not know its objects"):
        cv.diagnose(table).objects(0, "b")
    with pytest.raises(ParameterError, match="ids go with labels"):
        cv.diagnose(table, ids=range(24))


@pytest.mark.parametrize("ids", [range(3), "x" * 24, []])
def test_there_is_one_id_for_each_object(ids):
    with pytest.raises(LabelError, match="ids must have one id for each of the 24 objects"):
        cv.diagnose(TRUTH, PRED, ids=ids)
