"""Columns of frames as a table: what is refused, what is not imported, odd names and types."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from engine_frames import ENGINES
from hypothesis import given, settings
from hypothesis import strategies as st

from clustervet import Contingency, rand
from clustervet.contingency.grouped import table_of
from clustervet.errors import ClustervetError, FileError, LabelError, ParameterError
from clustervet.frames.frame import group_frame
from clustervet.frames.grouping import GroupedCounts

LAZY = ["polars_lazy", "duckdb", "dask", "ibis"]
LIBRARIES = ("pandas", "polars", "pyarrow", "duckdb", "dask", "pyspark", "ibis", "sklearn", "scipy")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_column_that_is_not_there_is_named_with_those_that_are(engine):
    frame = ENGINES[engine](pa.table({"label": [1], "group": [2]}))
    with pytest.raises(FileError, match="no column 'zzz'; its columns are label, group"):
        Contingency.from_frame(frame, truth="zzz", pred="group")
    with pytest.raises(FileError, match="no column 'lable'; did you mean label"):
        Contingency.from_frame(frame, truth="group", pred="lable")
    with pytest.raises(FileError, match="no column 'w'"):
        Contingency.from_frame(frame, truth="group", pred="label", weights="w")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_nested_column_is_refused(engine):
    frame = ENGINES[engine](pa.table({"y": [[1, 2], [3]], "c": [0, 1]}))
    with pytest.raises(LabelError, match=r"y|truth"):
        Contingency.from_frame(frame, truth="y", pred="c")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_frame_without_rows_is_refused(engine):
    empty = pa.table({"y": pa.array([], pa.int64()), "c": pa.array([], pa.int64())})
    with pytest.raises(LabelError, match="is empty"):
        Contingency.from_frame(ENGINES[engine](empty), truth="y", pred="c")


@pytest.mark.parametrize("engine", ENGINES)
def test_missing_labels_are_counted_in_the_refusal(engine):
    frame = ENGINES[engine](pa.table({"y": ["a", None, None, None], "c": [0, 0, 0, 1]}))
    with pytest.raises(LabelError, match="truth has 3 missing labels"):
        Contingency.from_frame(frame, truth="y", pred="c")


@pytest.mark.parametrize("engine", ENGINES)
def test_fractions_are_no_labels_and_whole_floats_are_ints(engine):
    table = pa.table({"y": [1.0, -0.0, 0.0, float("nan")], "z": [0.5, 1, 1, 1], "c": [1, 1, 1, 1]})
    frame = ENGINES[engine](table)
    with pytest.raises(LabelError, match=r"0\.5"):
        Contingency.from_frame(frame, truth="z", pred="c")
    got = Contingency.from_frame(frame, truth="y", pred="c", missing="drop")
    assert got.to_dict() == {(0, 1): 2, (1, 1): 1}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("weights", "complaint"),
    [
        ([1, -1, 1], "negative"),
        ([1.0, None, 1.0], "finite|numbers"),
        ([1.0, float("nan"), 1.0], "finite"),
        ([1.0, float("inf"), 1.0], "finite"),
        ([0, 0, 0], "all zero"),
        (["1", "2", "3"], "must be numbers"),
    ],
)
def test_weights_that_are_none_are_refused(engine, weights, complaint):
    frame = ENGINES[engine](pa.table({"y": [1, 2, 2], "w": weights}))
    with pytest.raises(LabelError, match=complaint):
        Contingency.from_frame(frame, truth="y", pred="y", weights="w")


@pytest.mark.parametrize("engine", ENGINES)
def test_columns_with_hostile_names(engine):
    names = ['a"; DROP TABLE t; --', "b.c`d", "e f\n"]
    table = pa.table(dict(zip(names, ([1, 1, 2], ["x", "y", "y"], [1, 2, 3]), strict=True)))
    options = {"truth": names[0], "pred": names[1], "weights": names[2]}
    got = Contingency.from_frame(ENGINES[engine](table), **options)
    assert got.to_dict() == {(1, "x"): 1, (1, "y"): 2, (2, "y"): 3}


@pytest.mark.parametrize("engine", LAZY)
def test_whole_floats_as_weights_stay_exact_beyond_floats(engine):
    weights = [2.0**52, 1.0, 2.0**52, 2.0**52 + 1]
    frame = ENGINES[engine](pa.table({"y": [1, 1, 1, 1], "w": weights}))
    got = Contingency.from_frame(frame, truth="y", pred="y", weights="w")
    assert got.to_dict() == {(1, 1): 3 * 2**52 + 2}


@pytest.mark.parametrize("engine", LAZY)
def test_fractions_that_sum_to_whole_numbers_make_no_whole_table(engine):
    frame = ENGINES[engine](pa.table({"y": [1, 1, 2], "w": [0.5, 0.5, 1.0]}))
    got = Contingency.from_frame(frame, truth="y", pred="y", weights="w")
    same = Contingency.from_labels([1, 1, 2], [1, 1, 2], weights=[0.5, 0.5, 1.0])
    assert got == same
    assert got.is_whole is same.is_whole is False


@pytest.mark.parametrize("engine", ["pandas", "polars", "arrow"])
def test_a_frame_in_memory_can_be_grouped_too(engine):
    frame = ENGINES[engine](pa.table({"y": ["a", "a", None], "c": [1, 1, 2], "w": [1, 2, 3]}))
    grouped = group_frame(frame, truth="y", pred="c", weights="w")
    assert table_of(grouped, missing="class").to_dict() == {("a", 1): 3, (None, 2): 3}


@pytest.mark.parametrize("engine", ["pandas", "polars", "dask"])
def test_categories_that_do_not_occur_are_no_classes(engine):
    labels = pa.DictionaryArray.from_arrays(pa.array([3, 3, 1]), ["a", "b", "c", "d"])
    frame = ENGINES[engine](pa.table({"y": labels, "c": labels}))
    assert Contingency.from_frame(frame, truth="y", pred="c").shape == (2, 2)


def test_what_is_no_frame_is_refused():
    for thing in ([1, 2], None, np.zeros(3), "file.csv"):
        with pytest.raises(ParameterError, match="frame must be a dataframe"):
            Contingency.from_frame(thing, truth="y", pred="c")
    frame = ENGINES["duckdb"](pa.table({"y": [1]}))
    with pytest.raises(ParameterError, match="named by a string"):
        Contingency.from_frame(frame, truth=0, pred="y")
    with pytest.raises(ParameterError, match="missing must be"):
        Contingency.from_frame(frame, truth="y", pred="y", missing="ignore")


class Incomparable:
    """What cannot be told from another object."""

    def __eq__(self, other):
        raise TypeError

    def __hash__(self):
        return 1


def test_labels_that_cannot_be_told_apart_are_refused():
    import pandas as pd

    frame = pd.DataFrame({"y": [Incomparable(), Incomparable()], "c": [0, 1]})
    with pytest.raises(
        LabelError, match=r"^truth holds what is no plain value among its labels\.$"
    ):
        Contingency.from_frame(frame, truth="y", pred="c")


def test_two_columns_of_one_name_are_refused():
    import pandas as pd

    frame = pd.DataFrame([[1, 2]], columns=["y", "y"])
    with pytest.raises(ClustervetError, match="same name"):
        Contingency.from_frame(frame, truth="y", pred="y")


MADE = {
    "pandas": "import pandas; f = pandas.DataFrame({'y': ['a', 'b'], 'c': [0, 1]})",
    "polars": "import polars; f = polars.LazyFrame({'y': ['a', 'b'], 'c': [0, 1]})",
    "pyarrow": "import pyarrow; f = pyarrow.table({'y': ['a', 'b'], 'c': [0, 1]})",
    "duckdb": "import duckdb; f = duckdb.sql(\"SELECT 'a' AS y, i AS c FROM range(3) t(i)\")",
}


@pytest.mark.parametrize("library", MADE)
def test_a_frame_brings_no_other_engine(library):
    code = f"""
import json, sys
{MADE[library]}
before = set(sys.modules)
import clustervet
clustervet.Contingency.from_frame(f, truth="y", pred="c")
clustervet.Contingency.from_frame(f, truth="y", pred="c", weights="c", noise="singletons")
print(json.dumps([m for m in {LIBRARIES} if m in sys.modules and m not in before]))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == []


KEYS = st.one_of(st.none(), st.integers(-2, 2), st.just(float("nan")), st.sampled_from([0.0, 1.0]))
GROUPS = st.lists(st.tuples(KEYS, KEYS, st.integers(1, 3)), min_size=1, max_size=12)


@settings(max_examples=150)
@given(
    groups=GROUPS, policy=st.sampled_from(["keep", "drop", "singletons"]), noise=st.integers(-2, 2)
)
def test_partial_groups_merge_into_the_table_of_the_objects(groups, policy, noise):
    objects = [(a, b) for a, b, times in groups for _ in range(times)]
    kept = [
        tuple("none" if x is None or x != x else int(x) for x in pair)
        for pair in objects
        if policy != "drop" or noise not in pair
    ]
    options = {"noise": {noise: policy}, "missing": "class"}
    keys = {"truth": [g[0] for g in groups], "pred": [g[1] for g in groups]}
    grouped = GroupedCounts(keys, np.array([g[2] for g in groups]))
    if not kept:
        with pytest.raises(LabelError, match="no object is left"):
            table_of(grouped, **options)
        return
    got = table_of(grouped, **options)
    assert got.n == len(kept)
    if policy == "singletons":
        same = Contingency.from_labels(*zip(*kept, strict=True), noise={noise: policy})
        assert sorted(got.class_sizes) == sorted(same.class_sizes)
        assert rand(got) == rand(same)
    else:
        names = {(a, b): n for (a, b), n in got.to_dict().items()}
        named = {tuple("none" if x is None else x for x in key): n for key, n in names.items()}
        assert named == Counter(kept)


def test_noise_beyond_memory_is_refused_before_it_is_expanded():
    grouped = GroupedCounts({"truth": [1, 2], "pred": [-1, 0]}, np.array([10**12, 5]))
    with pytest.raises(LabelError, match="1,000,000,000,000 objects of noise"):
        table_of(grouped, noise="singletons")
    assert table_of(grouped, noise="drop").n == 5


def test_weighted_noise_cannot_be_told_apart_from_sums():
    grouped = GroupedCounts(
        {"truth": [1, 2], "pred": [-1, 0]}, np.array([2, 5]), np.array([3.0, 4.0])
    )
    with pytest.raises(LabelError, match="weight of every object"):
        table_of(grouped, noise="singletons")


def test_counts_beyond_64_bits_are_exact():
    grouped = GroupedCounts({"truth": [1, 1], "pred": [1, 1]}, np.array([2**62, 2**62]))
    assert table_of(grouped).n == 2**63
