from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clustervet as cv
from clustervet import ClustervetError, Contingency

NAN = float("nan")
PRED = [0, 0, 1, 1]
# Each holds three "same" labels in two classes, and one that is missing, at position 2.
GAPPED = {
    "list with None": ["a", "b", None, "a"],
    "list with NaN": ["a", "b", NAN, "a"],
    "list with numpy NaN": ["a", "b", np.float64("nan"), "a"],
    "list with NA": ["a", "b", pd.NA, "a"],
    "ints with None": [1, 2, None, 1],
    "ints with NaN": [1, 2, NAN, 1],
    "ints with NaT": [1, 2, pd.NaT, 1],
    "floats with NaN": [1.0, 2.0, NAN, 1.0],
    "bools with None": [False, True, None, False],
    "days with None": [dt.date(2020, 1, 1), dt.date(2020, 1, 2), None, dt.date(2020, 1, 1)],
    "numpy floats": np.array([1.0, 2.0, NAN, 1.0]),
    "numpy float32": np.array([1.0, 2.0, NAN, 1.0], np.float32),
    "numpy objects": np.array(["a", "b", None, "a"], object),
    "numpy dates": np.array(["2020-01-01", "2020-01-02", "NaT", "2020-01-01"], "M8[D]"),
    "numpy >dates": np.array(["2020-01-01", "2020-01-02", "NaT", "2020-01-01"], ">M8[s]"),
    "numpy timedeltas": np.array([1, 2, "NaT", 1], "m8[s]"),
    "numpy masked ints": np.ma.array([1, 2, 9, 1], mask=[0, 0, 1, 0]),
    "numpy masked uint8": np.ma.array(np.array([1, 2, 9, 1], np.uint8), mask=[0, 0, 1, 0]),
    "numpy masked floats": np.ma.array([1.0, 2, 0.5, 1], mask=[0, 0, 1, 0]),
    "numpy masked words": np.ma.array(["a", "b", "z", "a"], mask=[0, 0, 1, 0]),
    "numpy masked bools": np.ma.array([False, True, True, False], mask=[0, 0, 1, 0]),
    "numpy masked dates": np.ma.array(
        np.array(["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-01"], "M8[D]"),
        mask=[0, 0, 1, 0],
    ),
    "numpy masked largest id": np.ma.array([2**63 - 1, 2, 9, 2**63 - 1], mask=[0, 0, 1, 0]),
    "numpy masked uint64": np.ma.array(
        np.array([2**63, 2, 9, 2**63], np.uint64), mask=[0, 0, 1, 0]
    ),
    "numpy nullable strings": np.array(
        ["a", "b", None, "a"], np.dtypes.StringDType(na_object=None)
    ),
    "numpy nan strings": np.array(["a", "b", np.nan, "a"], np.dtypes.StringDType(na_object=np.nan)),
    "pandas Int64": pd.Series([1, 2, None, 1], dtype="Int64"),
    "pandas Float64": pd.Series([1, 2, None, 1], dtype="Float64"),
    "pandas floats": pd.Series([1.0, 2.0, None, 1.0]),
    "pandas category": pd.Series(["a", "b", None, "a"], dtype="category"),
    "pandas Categorical": pd.Categorical(["a", "b", None, "a"], categories=["b", "a", "c"]),
    "pandas string": pd.Series(["a", "b", None, "a"], dtype="string"),
    "pandas words": pd.Series(["a", "b", None, "a"]),
    "pandas object": pd.Series(["a", "b", None, "a"], dtype=object),
    "pandas boolean": pd.Series([True, False, None, True], dtype="boolean"),
    "pandas datetimes": pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02", None, "2020-01-01"])),
    "pandas tz-aware": pd.Series(
        pd.to_datetime(["2020-01-01", "2020-01-02", None, "2020-01-01"], utc=True)
    ),
    "pandas Index": pd.Index(["a", "b", None, "a"]),
    "pandas arrow ints": pd.Series([1, 2, None, 1], dtype="int64[pyarrow]"),
    "polars ints": pl.Series([1, 2, None, 1]),
    "polars UInt8": pl.Series([1, 2, None, 1], dtype=pl.UInt8),
    "polars floats": pl.Series([1.0, 2.0, None, 1.0]),
    "polars NaN": pl.Series([1.0, 2.0, NAN, 1.0]),
    "polars String": pl.Series(["a", "b", None, "a"]),
    "polars Categorical": pl.Series(["a", "b", None, "a"], dtype=pl.Categorical),
    "polars Enum": pl.Series(["a", "b", None, "a"], dtype=pl.Enum(["b", "a"])),
    "polars Boolean": pl.Series([True, False, None, True]),
    "polars Date": pl.Series([dt.date(2020, 1, 1), dt.date(2020, 1, 2), None, dt.date(2020, 1, 1)]),
    "pyarrow ints": pa.array([1, 2, None, 1]),
    "pyarrow floats": pa.array([1.0, 2.0, None, 1.0]),
    "pyarrow NaN": pa.array([1.0, 2.0, NAN, 1.0]),
    "pyarrow strings": pa.array(["a", "b", None, "a"]),
    "pyarrow bools": pa.array([True, False, None, True]),
    "pyarrow dictionary": pa.array(["a", "b", None, "a"]).dictionary_encode(),
    "pyarrow dictionary with a null entry": pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, 0]), pa.array(["a", "b", None])
    ),
    "pyarrow chunked": pa.chunked_array([["a", "b"], [None, "a"]]),
    "pyarrow timestamps": pa.array(
        [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2), None, dt.datetime(2020, 1, 1)]
    ),
}


def sizes(table):
    """The table without its names."""
    return table.counts.toarray().tolist()


@pytest.mark.parametrize("name", GAPPED)
def test_a_missing_label_stops_and_the_message_says_where_and_what_to_do(name):
    message = (
        r"^truth has 1 missing label, the first at position 2; drop such objects with "
        r"missing='drop' or make them a class of their own with missing='class'\.$"
    )
    with pytest.raises(ClustervetError, match=message):
        Contingency.from_labels(GAPPED[name], PRED)
    with pytest.raises(ClustervetError, match=r"^pred has 1 missing label"):
        Contingency.from_labels(PRED, GAPPED[name])


@pytest.mark.parametrize("name", GAPPED)
def test_missing_labels_can_be_dropped_with_their_objects(name):
    table = Contingency.from_labels(GAPPED[name], PRED, missing="drop")
    assert table.n == 3
    assert sorted(map(sorted, sizes(table))) == [[0, 1], [1, 1]]
    assert all(label == label and label is not None for label in table.class_names)
    assert Contingency.from_labels(PRED, GAPPED[name], missing="drop") == table.T


@pytest.mark.parametrize("name", GAPPED)
def test_missing_labels_can_be_a_class_of_their_own(name):
    table = Contingency.from_labels(GAPPED[name], PRED, missing="class")
    assert table.class_names[-1] is None
    assert sizes(table)[-1] == [0, 1]
    assert sorted(map(sorted, sizes(table))) == [[0, 1], [0, 1], [1, 1]]
    rest = Contingency.from_labels(GAPPED[name], PRED, missing="drop")
    assert table.class_names[:-1] == rest.class_names
    assert Contingency.from_labels(PRED, GAPPED[name], missing="class") == table.T


def test_all_kinds_of_missing_are_one_class():
    truth = ["a", None, NAN, pd.NA, np.float64("nan"), pd.NaT]
    table = Contingency.from_labels(truth, [0] * 6, missing="class")
    assert table.to_dict() == {("a", 0): 1, (None, 0): 5}


def test_missing_on_both_sides():
    truth, pred = [1, None, 3, None], ["x", None, None, "y"]
    assert Contingency.from_labels(truth, pred, missing="drop").to_dict() == {(1, "x"): 1}
    assert Contingency.from_labels(truth, pred, missing="class").to_dict() == {
        (1, "x"): 1,
        (None, None): 1,
        (3, None): 1,
        (None, "y"): 1,
    }


def test_nothing_but_missing_labels():
    with pytest.raises(
        ClustervetError, match=r"^truth has 2 missing labels, the first at position"
    ):
        Contingency.from_labels([None, None], [0, 1])
    with pytest.raises(ClustervetError, match=r"^no object is left once missing and noise labels"):
        Contingency.from_labels([None, None], [0, 1], missing="drop")
    table = Contingency.from_labels([None, None], [0, 1], missing="class")
    assert table.to_dict() == {(None, 0): 1, (None, 1): 1}


@pytest.mark.parametrize("policy", ["raise", "drop", "class"])
def test_the_policy_changes_nothing_where_nothing_is_missing(policy):
    expected = Contingency.from_labels([1, 2, 1], [0, 0, 1])
    assert Contingency.from_labels([1.0, 2, 1], pd.Series([0, 0, 1]), missing=policy) == expected


def test_missing_and_noise_and_weights_together():
    truth = ["a", None, "noise", "noise", "b", "a"]
    pred = [0, 0, 0, 1, None, -1]
    table = Contingency.from_labels(
        truth,
        pred,
        weights=[1, 2, 3, 4, 5, 6],
        noise={"noise": "singletons", -1: "drop"},
        missing="drop",
    )
    assert table.n == 1 + 3 + 4
    assert table.shape == (3, 2)
    assert sorted(table.class_sizes.tolist()) == [1, 3, 4]


NOISY = {
    "list": [-1, -1, 5, 5, 7, -1],
    "numpy int8": np.array([-1, -1, 5, 5, 7, -1], np.int8),
    "whole floats": np.array([-1.0, -1, 5, 5, 7, -1]),
    "objects": np.array([-1, -1, 5, 5, 7, -1], object),
    "pandas": pd.Series([-1, -1, 5, 5, 7, -1]),
    "pandas Int64": pd.Series([-1, -1, 5, 5, 7, -1], dtype="Int64"),
    "pandas category": pd.Series([-1, -1, 5, 5, 7, -1]).astype("category"),
    "polars": pl.Series([-1, -1, 5, 5, 7, -1]),
    "pyarrow": pa.array([-1, -1, 5, 5, 7, -1]),
    "pyarrow dictionary": pa.array([-1, -1, 5, 5, 7, -1]).dictionary_encode(),
    "words": ["-1", "-1", "5", "5", "7", "-1"],
}
OTHER = ["x", "x", "y", "y", "y", "y"]
WAYS = {
    "a policy": lambda policy: {"noise": policy},
    "a mapping": lambda policy: {"noise": {-1: policy}},
    "a numpy mapping": lambda policy: {"noise": {np.int64(-1): policy}},
    "a label and its policy": lambda policy: {"noise": -1, "noise_policy": policy},
    "a float label": lambda policy: {"noise": -1.0, "noise_policy": policy},
    "the policy alone": lambda policy: {"noise_policy": policy},
}


@pytest.mark.parametrize(
    ("kind", "way"),
    [(kind, way) for kind in NOISY for way in WAYS if (kind, way) != ("words", "a float label")],
)
def test_noise_is_kept_dropped_or_split_however_it_is_named(kind, way):
    labels = NOISY[kind]
    kept = Contingency.from_labels(OTHER, labels, **WAYS[way]("keep"))
    assert kept == Contingency.from_labels(OTHER, labels)
    dropped = Contingency.from_labels(OTHER, labels, **WAYS[way]("drop"))
    five, seven = ("5", "7") if kind == "words" else (5, 7)
    assert dropped.to_dict() == {("y", five): 2, ("y", seven): 1}
    split = Contingency.from_labels(OTHER, labels, **WAYS[way]("singletons"))
    assert sorted(split.cluster_sizes.tolist()) == [1, 1, 1, 1, 2]
    assert split.class_sizes.tolist() == [2, 4]
    assert cv.rand(split) == cv.rand(OTHER, ["n1", "n2", "5", "5", "7", "n3"])


@pytest.mark.parametrize("policy", ["keep", "drop", "singletons"])
def test_noise_in_truth_is_treated_as_noise_in_prediction(policy):
    one = Contingency.from_labels(NOISY["list"], OTHER, noise=policy)
    two = Contingency.from_labels(OTHER, NOISY["list"], noise=policy)
    assert sorted(map(tuple, one.counts.toarray())) == sorted(map(tuple, two.counts.toarray().T))


def test_noise_on_both_sides_drops_an_object_that_is_noise_on_either():
    table = Contingency.from_labels([-1, 1, 1, 2], [0, -1, 1, 1], noise="drop")
    assert table.to_dict() == {(1, 1): 1, (2, 1): 1}


def test_two_noise_labels_may_have_two_policies():
    table = Contingency.from_labels(
        ["a", "a", "a", "b", "b"], [-1, -2, -2, 0, -1], noise={-1: "drop", -2: "singletons"}
    )
    assert table.class_sizes.tolist() == [2, 1]
    assert table.cluster_sizes.tolist() == [1, 1, 1]


def test_a_noise_label_may_be_a_word_a_date_or_a_tuple():
    day = dt.date(2020, 1, 1)
    for label in ("noise", day, np.datetime64("2020-01-01"), ("x", 1), True, 2**70, b"?"):
        labels = np.empty(3, object)
        labels[:] = [label, label, "other"]
        table = Contingency.from_labels([0, 0, 0], labels, noise={label: "drop"})
        assert table.to_dict() == {(0, "other"): 1}


def test_noise_among_dates_is_found():
    dates = np.array(["2020-01-01", "2020-01-02", "2020-01-02"], "M8[D]")
    noise = {np.datetime64("2020-01-02"): "drop"}
    assert Contingency.from_labels([1, 2, 3], dates, noise=noise).n == 1


def test_a_noise_label_of_another_kind_matches_nothing():
    dates = np.array(["2020-01-01", "2020-01-02"], "M8[D]")
    for label in (-1, "noise", np.int64(-1), np.str_("noise"), None):
        assert Contingency.from_labels([1, 2], dates, noise={label: "drop"}).n == 2
        assert Contingency.from_labels([True, False], [1, 2], noise={label: "drop"}).n == 2


def test_noise_that_does_not_occur_changes_nothing():
    expected = Contingency.from_labels([1, 2], [0, 1])
    for policy in ("keep", "drop", "singletons"):
        assert Contingency.from_labels([1, 2], [0, 1], noise=policy) == expected


def test_a_single_noise_object_keeps_its_name():
    table = Contingency.from_labels([1, 2], [0, -1], noise="singletons")
    assert table.to_dict() == {(1, 0): 1, (2, -1): 1}


def test_singletons_show_which_label_they_were():
    table = Contingency.from_labels([1, 1, 1], [-1, -1, 0], noise="singletons")
    assert [str(name) for name in table.cluster_names] == ["0", "noise -1", "noise -1"]


def test_singletons_next_to_the_largest_ids():
    table = Contingency.from_labels([-1, -1, 2**63 - 1], [0, 0, 0], noise="singletons")
    assert table.class_sizes.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"noise": -1, "noise_policy": "dorp"}, "dorp"),
        ({"noise": {-1: "dorp"}}, "dorp"),
        ({"noise_policy": "dorp"}, "dorp"),
        ({"noise": {-1: None}}, "None"),
        ({"noise": {-1: ["drop"]}}, "drop"),
    ],
)
def test_an_unknown_noise_policy_is_refused(given, wrong):
    message = f"^a noise policy is one of keep, drop, singletons, not .*{wrong}.*\\.$"
    with pytest.raises(ClustervetError, match=message):
        Contingency.from_labels([1, 2], [0, -1], **given)


def test_a_misspelt_policy_is_no_noise_label():
    with pytest.raises(ClustervetError, match="dorp"):
        Contingency.from_labels([1, 2], [0, -1], noise="dorp")


def test_an_unhashable_noise_label_is_refused():
    with pytest.raises(ClustervetError, match=r"noise .*list"):
        Contingency.from_labels([1, 2], [0, -1], noise=[-1])


@pytest.mark.parametrize("policy", ["Drop", "", None, "keep", 0])
def test_an_unknown_policy_for_missing_labels_is_refused(policy):
    with pytest.raises(
        ClustervetError, match=r"^missing must be 'raise', 'drop', 'class' or 'absent', not "
    ):
        Contingency.from_labels([1, 2], [0, 1], missing=policy)


@pytest.mark.parametrize(
    "weights",
    [
        [2, 1, 0, 3],
        (2, 1, 0, 3),
        np.array([2, 1, 0, 3], np.uint8),
        np.array([2.0, 1.0, 0.0, 3.0]),
        np.array([2.0, 1.0, 0.0, 3.0], ">f4"),
        np.array([2, 9, 1, 9, 0, 9, 3, 9])[::2],
        pd.Series([2, 1, 0, 3]),
        pd.Series([2, 1, 0, 3], dtype="Int64"),
        pl.Series([2, 1, 0, 3]),
        pa.array([2, 1, 0, 3]),
    ],
    ids=str,
)
def test_whole_weights_count_an_object_several_times(weights):
    table = Contingency.from_labels(["a", "a", "b", "b"], [0, 1, 0, 1], weights=weights)
    assert table == Contingency.from_labels(["a"] * 3 + ["b"] * 3, [0, 0, 1, 1, 1, 1])
    assert table.is_whole
    assert isinstance(table.n, int)


def test_real_weights_add_up_without_rounding_drift():
    table = Contingency.from_labels(["a"] * 10, [0] * 10, weights=[0.1] * 10)
    assert table.n == 1.0
    assert table.to_dict() == {("a", 0): 1.0}
    assert not table.is_whole


def test_yes_and_no_are_weights_one_and_zero():
    table = Contingency.from_labels([1, 2, 2], [0, 1, 1], weights=[True, False, True])
    assert table.to_dict() == {(1, 0): 1, (2, 1): 1}


def test_an_object_of_weight_zero_is_no_object():
    table = Contingency.from_labels(["a", "b"], ["x", "y"], weights=[1, 0])
    assert (table.class_names, table.cluster_names) == (["a"], ["x"])


def test_huge_weights_stay_exact():
    table = Contingency.from_labels([1, 1, 2], [0, 0, 0], weights=[2**62, 2**62, 1])
    assert table.n == 2**63 + 1
    assert table.to_dict() == {(1, 0): 2**63, (2, 0): 1}
    unsigned = np.array([2**63 + 1, 1, 1], np.uint64)
    assert Contingency.from_labels([1, 1, 2], [0, 0, 0], weights=unsigned).n == 2**63 + 3
    beyond = Contingency.from_labels([1, 1, 2], [0, 0, 0], weights=[10**30, 1, 1])
    assert beyond.to_dict() == {(1, 0): 10**30 + 1, (2, 0): 1}


def test_many_real_weights_are_summed_as_few_are():
    rng = np.random.default_rng(0)
    truth, pred = rng.integers(0, 3, 30_000), rng.integers(0, 4, 30_000)
    weights = rng.random(30_000)
    table = Contingency.from_labels(truth, pred, weights=weights)
    for (row, col), value in table.to_dict().items():
        chosen = weights[(truth == row) & (pred == col)]
        assert value == pytest.approx(float(np.sum(chosen.astype(np.longdouble))), rel=1e-15)


BAD_WEIGHTS = {
    "negative": ([1, -2], r"^weights must not be negative; position 1 has -2\.$"),
    "negative float": ([1, -0.5], r"^weights must not be negative; position 1 has -0\.5\.$"),
    "minus infinity": ([1, -np.inf], r"^weights must be finite; there is a NaN or an infinity"),
    "NaN": ([1, NAN], r"^weights must be finite; there is a NaN or an infinity among them\.$"),
    "infinite": ([1, np.inf], r"^weights must be finite; there is a NaN or an infinity among"),
    "None": ([1, None], r"^weights must be "),
    "pandas NA": (pd.Series([1, None], dtype="Int64"), r"^weights must be finite"),
    "too few": ([1], r"^weights must be one number per object; there are 2 objects .*\(1,\)\.$"),
    "too many": ([1, 2, 3], r"^weights must be one number per object; there are 2 .*\(3,\)\.$"),
    "a number": (3, r"^weights must be one number per object; there are 2 objects .*\(\)\.$"),
    "a matrix": ([[1, 2]], r"^weights must be one number per object; .* shape \(1, 2\)\.$"),
    "words": (["a", "b"], r"^weights must be numbers, one per object"),
    "a word": ("ab", r"^weights must be numbers, one per object"),
    "ragged": ([[1], [1, 2]], r"^weights must be numbers, one per object"),
    "a set": ({1, 2}, r"^weights must be numbers, one per object"),
    "a mapping": ({0: 1, 1: 2}, r"^weights must be numbers, one per object"),
    "complex": ([1j, 1], r"^weights must be numbers, one per object"),
    "dates": (np.array(["2020-01-01"] * 2, "M8[D]"), r"^weights must be numbers, one per object"),
    "all zero": ([0, 0], r"^weights are all zero; at least one must be positive\.$"),
    "all zero floats": ([0.0, -0.0], r"^weights are all zero; at least one must be positive\.$"),
    "masked": (np.ma.array([1, 2], mask=[0, 1]), r"^weights must "),
}


@pytest.mark.parametrize("name", BAD_WEIGHTS)
def test_bad_weights_are_refused_with_the_reason(name):
    weights, message = BAD_WEIGHTS[name]
    with pytest.raises(ClustervetError, match=message):
        Contingency.from_labels([1, 2], [0, 1], weights=weights)


def test_weights_of_what_is_dropped_do_not_count():
    with pytest.raises(ClustervetError, match="no object that is left has a weight above 0"):
        Contingency.from_labels(["a", None], [0, 1], weights=[0, 1], missing="drop")


def test_a_measure_takes_the_same_options_as_the_table():
    truth, pred = ["a", "a", None, "b"], [0, -1, -1, 1]
    options = {"weights": [1, 2, 3, 4], "noise": "drop", "missing": "drop"}
    table = Contingency.from_labels(truth, pred, **options)
    assert cv.rand(truth, pred, **options) == cv.rand(table)


# Labels that share a code with nothing


def test_dropping_noise_leaves_missing_labels_alone():
    table = Contingency.from_labels([None, -1, 5], [0, 0, 0], noise="drop", missing="class")
    assert table.n == 2
    zero = Contingency.from_labels([NAN, 0, 5], [1, 1, 1], noise={0: "drop"}, missing="class")
    assert zero.n == 2


def test_a_noise_label_that_is_absent_singles_out_nothing():
    table = Contingency.from_labels(
        np.array([1, NAN, NAN]), [0, 0, 0], noise={2: "singletons"}, missing="class"
    )
    assert table.shape == (2, 1)


def test_integers_beyond_64_bits_stay_apart():
    table = Contingency.from_labels([1, 2**64 - 1, 2**64 - 2], [0, 1, 2])
    assert table.shape == (3, 3)
    assert Contingency.from_labels([-1, 2**63, 2**63 + 1], [0, 1, 2]).shape == (3, 3)


def test_nulls_and_nans_of_one_column_are_both_missing():
    table = Contingency.from_labels(pl.Series([1.0, None, NAN, 0.0]), [0, 0, 0, 0], missing="drop")
    assert table.n == 2


@pytest.mark.parametrize(
    "noise",
    [
        dt.datetime(2020, 1, 1),
        dt.date(2020, 1, 1),
        pd.Timestamp("2020-01-01"),
        np.datetime64("2020-01-01"),
    ],
)
def test_a_moment_is_noise_however_it_is_written(noise):
    moments = np.array(["2020-01-01T00:00", "2020-01-02T00:00"], "datetime64[ns]")
    assert Contingency.from_labels(moments, [0, 1], noise={noise: "drop"}).n == 1
    days = moments.astype("datetime64[D]")
    assert Contingency.from_labels(days, [0, 1], noise={noise: "drop"}).n == 1


def test_a_moment_is_not_the_day_it_falls_on():
    days = np.array(["2020-01-01", "2020-01-02"], "datetime64[D]")
    for noise in (dt.datetime(2020, 1, 1, 12), np.datetime64("2020-01-01T12"), "2020-01-01", 7):
        assert Contingency.from_labels(days, [0, 1], noise={noise: "drop"}).n == 2


def test_a_span_of_time_is_noise():
    spans = np.array([1, 2], "timedelta64[h]")
    for noise in (dt.timedelta(hours=1), pd.Timedelta("1h"), np.timedelta64(60, "m")):
        assert Contingency.from_labels(spans, [0, 1], noise={noise: "drop"}).n == 1


@pytest.mark.parametrize("text", [pd.Series(["1", "2"]), pa.array(["1", "2"]), ["1", "2"]])
def test_weights_of_text_are_refused(text):
    with pytest.raises(ClustervetError, match="weights must be numbers"):
        Contingency.from_labels([0, 1], [0, 1], weights=text)


ENCODED = {
    "polars Categorical": pl.Series(["-1", "a", "b", "-1"], dtype=pl.Categorical),
    "polars Enum": pl.Series(["-1", "a", "b", "-1"], dtype=pl.Enum(["a", "b", "-1"])),
    "polars String": pl.Series(["-1", "a", "b", "-1"]),
    "pandas Categorical": pd.Categorical(["-1", "a", "b", "-1"]),
    "pyarrow dictionary": pa.array(["-1", "a", "b", "-1"]).dictionary_encode(),
}


@pytest.mark.parametrize("name", ENCODED)
def test_noise_is_found_among_the_codes_of_an_engine(name):
    for noise in ("-1", -1):
        found = Contingency.from_labels(
            [0, 0, 1, 1], ENCODED[name], noise=noise, noise_policy="drop"
        )
        assert found.to_dict() == {(0, "a"): 1, (1, "b"): 1}
    kept = Contingency.from_labels([0, 0, 1, 1], ENCODED[name], noise="a", noise_policy="drop")
    assert kept.n == 3
    none = Contingency.from_labels([0, 0, 1, 1], ENCODED[name], noise="c", noise_policy="drop")
    assert none.n == 4


def test_noise_beside_a_missing_label_where_no_code_is_left():
    labels = pl.Series([2**63 - 1, -1, None, 2**63 - 1, 0])
    options = {"noise": -1, "noise_policy": "drop", "missing": "class"}
    found = Contingency.from_labels([0, 0, 1, 1, 1], labels, **options)
    assert found.to_dict() == {(0, 2**63 - 1): 1, (1, None): 1, (1, 2**63 - 1): 1, (1, 0): 1}
    apart = Contingency.from_labels([0] * 5, labels, missing="class", noise="singletons")
    assert apart.shape == (1, 4)


def test_labels_may_all_be_negative():
    table = Contingency.from_labels([-9, -4, -9, -7], np.array([-3, -3, -2, -3], np.int8))
    assert table.to_dict() == {(-9, -3): 1, (-4, -3): 1, (-9, -2): 1, (-7, -3): 1}
    assert cv.Geometry([[0.0], [1.0], [5.0]], [-9, -9, -4]).names == [-9, -4]


def test_masked_objects_and_missing_ones_are_both_missing():
    labels = np.ma.array(np.array(["a", None, "b", "a"], object), mask=[0, 0, 1, 0])
    table = cv.Contingency.from_labels([1, 2, 3, 4], labels, missing="drop")
    assert table.class_names == [1, 4]
    assert table.cluster_names == ["a"]
