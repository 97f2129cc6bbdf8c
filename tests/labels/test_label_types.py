from __future__ import annotations

import array
import collections
import datetime as dt
import enum
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from clustervet import Contingency

PRED = [0, 0, 1, 1, 2, 2]
WORDS = ["b", "a", "b", "c", "a", "b"]
NUMBERS = [3, 1, 3, 7, 1, 3]
BOOLS = [True, False, True, True, False, False]
DAYS = [dt.date(2020, 1, 1 + k) for k in (2, 0, 2, 6, 0, 2)]
TIMES = [dt.datetime(2020, 1, 1 + k, 12, 30) for k in (2, 0, 2, 6, 0, 2)]
SPANS = [dt.timedelta(days=k) for k in (2, 0, 2, 6, 0, 2)]
IDS = [2**62 + k for k in (2, 0, 2, 6, 0, 2)]
INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
FLOATS = ["float32", "float64"]
BEYOND = [2**63 + k for k in (2, 0, 2, 6, 0, 2)]
# The same as far as this machine's long double can tell them apart.
WIDER = [int(label) for label in np.array(BEYOND, np.uint64).astype(np.longdouble)]


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


def strided(values, dtype=None):
    """The same labels as every third element of a longer array."""
    whole = np.repeat(np.array(values, dtype), 3)
    return whole[::3]


def read_only(values, dtype=None):
    frozen = np.array(values, dtype)
    frozen.flags.writeable = False
    return frozen


def snapshot(given):
    return pickle.dumps(given) if isinstance(given, np.ndarray) else (repr(given), given.dtype)


NUMPY = {
    **{
        f"numpy {name}": (np.array(NUMBERS, name), NUMBERS)
        for name in (*INTEGERS, "float16", *FLOATS, "longdouble", ">i4", "<i4", ">i8", ">u2", ">f8")
    },
    "numpy bool": (np.array(BOOLS), BOOLS),
    "numpy negative": (np.array([-3, 1, -3, 7, 1, -3]), [-3, 1, -3, 7, 1, -3]),
    "numpy negative whole floats": (np.array([-3.0, 1, -3, 7, 1, -3]), [-3, 1, -3, 7, 1, -3]),
    "numpy minus zero": (np.array([-0.0, 0.0, 1, 1, 1, 1]), [0, 0, 1, 1, 1, 1]),
    "numpy 63-bit ids": (np.array(IDS), IDS),
    "numpy extreme ids": (
        np.array([-(2**63), 2**63 - 1, 0, 0, 0, 0]),
        [-(2**63), 2**63 - 1, 0, 0, 0, 0],
    ),
    "numpy uint64 above 2^63": (np.array(BEYOND, np.uint64), BEYOND),
    "numpy >u8 above 2^63": (np.array(BEYOND, ">u8"), BEYOND),
    "numpy float above 2^63": (
        np.array([2.0**70, 1, 2.0**70, 2.0**65, 1, 1]),
        [2**70, 1, 2**70, 2**65, 1, 1],
    ),
    "numpy longdouble above 2^63": (np.array(BEYOND, np.uint64).astype(np.longdouble), WIDER),
    "pandas longdouble above 2^63": (
        pd.Series(np.array(BEYOND, np.uint64).astype(np.longdouble)),
        WIDER,
    ),
    "numpy str": (np.array(WORDS), WORDS),
    "numpy >U": (np.array(WORDS, ">U3"), WORDS),
    "numpy bytes": (np.array(WORDS, "S"), [word.encode() for word in WORDS]),
    "numpy StringDType": (np.array(WORDS, np.dtypes.StringDType()), WORDS),
    "numpy object words": (np.array(WORDS, object), WORDS),
    "numpy object ints": (np.array(NUMBERS, object), NUMBERS),
    "numpy datetime64[D]": (np.array(DAYS, "M8[D]"), DAYS),
    "numpy datetime64[us]": (np.array(TIMES, "M8[us]"), TIMES),
    "numpy >datetime64": (np.array(TIMES, ">M8[us]"), TIMES),
    "numpy timedelta64": (np.array(SPANS, "m8[us]"), SPANS),
    "numpy strided": (strided(NUMBERS), NUMBERS),
    "numpy strided int8": (strided(NUMBERS, np.int8), NUMBERS),
    "numpy strided dates": (strided(DAYS, "M8[D]"), DAYS),
    "numpy strided bool": (strided(BOOLS), BOOLS),
    "numpy strided objects": (strided(WORDS, object), WORDS),
    "numpy reversed": (np.array(NUMBERS[::-1])[::-1], NUMBERS),
    "numpy column of a matrix": (np.column_stack([NUMBERS, PRED])[:, 0], NUMBERS),
    "numpy read-only": (read_only(NUMBERS), NUMBERS),
    "numpy read-only dates": (read_only(DAYS, "M8[D]"), DAYS),
    "numpy read-only words": (read_only(WORDS), WORDS),
    "numpy masked, nothing hidden": (np.ma.array(NUMBERS), NUMBERS),
    "numpy masked words, nothing hidden": (np.ma.array(WORDS), WORDS),
}
PYTHON = {
    "tuple": (tuple(NUMBERS), NUMBERS),
    "range": (range(5, 11), list(range(5, 11))),
    "range downwards": (range(10, 4, -1), list(range(10, 4, -1))),
    "array.array": (array.array("h", NUMBERS), NUMBERS),
    "deque": (collections.deque(WORDS), WORDS),
    "dict values": (dict(enumerate(WORDS)).values(), WORDS),
    "memoryview": (memoryview(np.array(NUMBERS)), NUMBERS),
    "list of numpy ints": ([np.int16(k) for k in NUMBERS], NUMBERS),
    "list of longdouble": (list(np.array(BEYOND, np.uint64).astype(np.longdouble)), WIDER),
    "list of numpy strings": ([np.str_(word) for word in WORDS], WORDS),
    "list of whole floats": ([float(k) for k in NUMBERS], NUMBERS),
    "list of numpy datetimes": (list(np.array(DAYS, "M8[D]")), DAYS),
    "ints and whole floats": ([3, 1.0, 3.0, 7, 1, 3], NUMBERS),
    "bools and ints": ([True, 0, 1, 1, False, 0], [1, 0, 1, 1, 0, 0]),
    "numpy and Python ints": ([np.int8(3), 1, 3, np.uint64(7), 1, 3], NUMBERS),
}
PANDAS = {
    "pandas int64": (pd.Series(NUMBERS), NUMBERS),
    "pandas int8": (pd.Series(NUMBERS, dtype="int8"), NUMBERS),
    "pandas Int64": (pd.Series(NUMBERS, dtype="Int64"), NUMBERS),
    "pandas UInt64 above 2^63": (pd.Series(BEYOND, dtype="UInt64"), BEYOND),
    "pandas whole floats": (pd.Series(NUMBERS, dtype="float64"), NUMBERS),
    "pandas Float64": (pd.Series(NUMBERS, dtype="Float64"), NUMBERS),
    "pandas words": (pd.Series(WORDS), WORDS),
    "pandas string": (pd.Series(WORDS, dtype="string"), WORDS),
    "pandas object": (pd.Series(WORDS, dtype=object), WORDS),
    "pandas category": (pd.Series(WORDS, dtype="category"), WORDS),
    "pandas category, reversed order": (
        pd.Series(pd.Categorical(WORDS, categories=["c", "b", "a"], ordered=True)),
        WORDS,
    ),
    "pandas category of ints": (pd.Series(NUMBERS).astype("category"), NUMBERS),
    "pandas category of days": (pd.Series(DAYS).astype("category"), DAYS),
    "pandas unused categories": (
        pd.Series(pd.Categorical(WORDS, categories=list("zyxwcba"))),
        WORDS,
    ),
    "pandas Categorical": (pd.Categorical(WORDS), WORDS),
    "pandas bool": (pd.Series(BOOLS), BOOLS),
    "pandas boolean": (pd.Series(BOOLS, dtype="boolean"), BOOLS),
    "pandas datetimes": (pd.Series(TIMES), TIMES),
    "pandas tz-aware": (
        pd.Series(TIMES).dt.tz_localize("UTC"),
        [time.replace(tzinfo=dt.UTC) for time in TIMES],
    ),
    "pandas timedeltas": (pd.Series(SPANS), SPANS),
    "pandas periods": (
        pd.Series(pd.PeriodIndex(DAYS, freq="D")),
        list(pd.PeriodIndex(DAYS, freq="D")),
    ),
    "pandas arrow-backed ints": (pd.Series(NUMBERS, dtype="int64[pyarrow]"), NUMBERS),
    "pandas arrow-backed words": (pd.Series(WORDS, dtype=pd.ArrowDtype(pa.string())), WORDS),
    "pandas Index": (pd.Index(NUMBERS), NUMBERS),
    "pandas Index of words": (pd.Index(WORDS), WORDS),
    "pandas CategoricalIndex": (pd.CategoricalIndex(WORDS), WORDS),
    "pandas RangeIndex": (pd.RangeIndex(6), list(range(6))),
    "pandas DatetimeIndex": (pd.DatetimeIndex(TIMES), TIMES),
    "pandas array": (pd.array(NUMBERS, dtype="Int64"), NUMBERS),
    "pandas sparse": (pd.Series(pd.arrays.SparseArray(NUMBERS)), NUMBERS),
    "pandas with its own index": (pd.Series(WORDS, index=list("zyxwvu")), WORDS),
    "pandas slice": (pd.DataFrame({"a": WORDS, "b": NUMBERS})["b"], NUMBERS),
}
POLARS = {
    **{
        f"polars {name}": (pl.Series(NUMBERS, dtype=getattr(pl, name)), NUMBERS)
        for name in (*(name.title().replace("Ui", "UI") for name in INTEGERS), "Float32", "Float64")
    },
    "polars UInt64 above 2^63": (pl.Series(BEYOND, dtype=pl.UInt64), BEYOND),
    "polars Boolean": (pl.Series(BOOLS), BOOLS),
    "polars String": (pl.Series(WORDS), WORDS),
    "polars Binary": (
        pl.Series([word.encode() for word in WORDS]),
        [word.encode() for word in WORDS],
    ),
    "polars Categorical": (pl.Series(WORDS, dtype=pl.Categorical), WORDS),
    "polars Enum": (pl.Series(WORDS, dtype=pl.Enum(["z", "c", "b", "a"])), WORDS),
    "polars Date": (pl.Series(DAYS), DAYS),
    "polars Datetime": (pl.Series(TIMES), TIMES),
    "polars Duration": (pl.Series(SPANS), SPANS),
    "polars Time": (
        pl.Series([dt.time(k) for k in NUMBERS]),
        [dt.time(k) for k in NUMBERS],
    ),
    "polars chunks": (pl.concat([pl.Series(WORDS[:2]), pl.Series(WORDS[2:])]), WORDS),
    "polars slice": (pl.Series(["x", *NUMBERS, "x"], strict=False)[1:7].cast(pl.Int64), NUMBERS),
}
PYARROW = {
    **{
        f"pyarrow {name}": (pa.array(NUMBERS, getattr(pa, name)()), NUMBERS)
        for name in (*INTEGERS, *FLOATS)
    },
    "pyarrow uint64 above 2^63": (pa.array(BEYOND, pa.uint64()), BEYOND),
    "pyarrow bool": (pa.array(BOOLS), BOOLS),
    "pyarrow string": (pa.array(WORDS), WORDS),
    "pyarrow large_string": (pa.array(WORDS, pa.large_string()), WORDS),
    "pyarrow binary": (
        pa.array([word.encode() for word in WORDS]),
        [word.encode() for word in WORDS],
    ),
    "pyarrow dictionary": (pa.array(WORDS).dictionary_encode(), WORDS),
    "pyarrow dictionary with a twin": (
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3, 1, 0]), ["b", "a", "b", "c"]),
        WORDS,
    ),
    "pyarrow dictionary with an unused entry": (
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, 3, 1, 0]), ["b", "a", "z", "c"]),
        WORDS,
    ),
    "pyarrow date32": (pa.array(DAYS), DAYS),
    "pyarrow timestamp": (pa.array(TIMES), TIMES),
    "pyarrow tz-aware timestamp": (
        pa.array([time.replace(tzinfo=dt.UTC) for time in TIMES], pa.timestamp("us", "UTC")),
        [time.replace(tzinfo=dt.UTC) for time in TIMES],
    ),
    "pyarrow chunked": (pa.chunked_array([WORDS[:2], WORDS[2:]]), WORDS),
    "pyarrow chunked ints": (pa.chunked_array([NUMBERS[:2], NUMBERS[2:]]), NUMBERS),
    "pyarrow one chunk": (pa.chunked_array([NUMBERS]), NUMBERS),
    "pyarrow chunks of unlike dictionaries": (
        pa.chunked_array(
            [pa.array(WORDS[:2]).dictionary_encode(), pa.array(WORDS[2:]).dictionary_encode()]
        ),
        WORDS,
    ),
    "pyarrow slice": (pa.array([9, *NUMBERS, 9])[1:7], NUMBERS),
    "pyarrow column": (pa.table({"a": WORDS, "b": NUMBERS})["b"], NUMBERS),
}
SERIES = {**NUMPY, **PYTHON, **PANDAS, **POLARS, **PYARROW}


@pytest.mark.parametrize("name", SERIES)
def test_every_kind_of_labels_gives_the_table_of_the_plain_list(name):
    given, plain = SERIES[name]
    expected = collections.Counter(zip(plain, PRED, strict=True))
    as_truth = Contingency.from_labels(given, PRED)
    assert as_truth.to_dict() == expected
    assert as_truth == Contingency.from_labels(plain, PRED)
    assert Contingency.from_labels(PRED, given) == as_truth.T


# A user's categories have an order of their own.
ORDERED = {
    name
    for name in SERIES
    if any(word in name.lower() for word in ("categor", "enum", "dictionar"))
}


@pytest.mark.parametrize("name", sorted(SERIES.keys() - ORDERED))
def test_names_come_sorted_whatever_the_kind_of_labels(name):
    given, plain = SERIES[name]
    assert Contingency.from_labels(given, PRED).class_names == sorted(set(plain))


@pytest.mark.parametrize(
    "given",
    [
        pd.Series(pd.Categorical(WORDS, categories=["c", "x", "b", "a"])),
        pd.Categorical(WORDS, categories=["c", "b", "x", "a"], ordered=True),
        pd.CategoricalIndex(WORDS, categories=["x", "c", "b", "a"]),
        pl.Series(WORDS, dtype=pl.Enum(["c", "b", "a", "x"])),
        pa.DictionaryArray.from_arrays(pa.array([2, 3, 2, 1, 3, 2]), ["x", "c", "b", "a"]),
    ],
    ids=[
        "pandas series",
        "pandas Categorical",
        "pandas index",
        "polars Enum",
        "pyarrow dictionary",
    ],
)
def test_categories_keep_the_order_that_the_user_gave_them(given):
    assert Contingency.from_labels(given, PRED).class_names == ["c", "b", "a"]


@pytest.mark.parametrize("name", ["numpy int64", "pandas category", "polars String", "tuple"])
def test_two_kinds_of_labels_may_meet(name):
    given, plain = SERIES[name]
    for other, same in SERIES.values():
        if hasattr(given, "reset_index") and hasattr(other, "reset_index"):
            other = other.set_axis(given.index)  # indexes that differ are refused
        table = Contingency.from_labels(given, other)
        assert table.to_dict() == collections.Counter(zip(plain, same, strict=True))


@pytest.mark.parametrize("name", [*NUMPY, *PANDAS])
def test_inputs_are_left_as_they_were(name):
    given, plain = SERIES[name]
    before = snapshot(given)
    Contingency.from_labels(given, PRED, noise={plain[0]: "singletons"}, missing="class")
    Contingency.from_labels(PRED, given, noise={plain[0]: "drop"}, missing="drop")
    assert snapshot(given) == before


def test_lists_and_weights_are_left_as_they_were():
    truth, pred = [1.0, None, "a", -1, -1], [-1, -1, 0, 1, 1]
    weights = np.array([1.0, 2.0, 0.0, 3.0, 4.0])
    Contingency.from_labels(truth, pred, weights=weights, noise="singletons", missing="class")
    assert truth == [1.0, None, "a", -1, -1]
    assert pred == [-1, -1, 0, 1, 1]
    assert weights.tolist() == [1.0, 2.0, 0.0, 3.0, 4.0]


def test_masked_arrays_and_nan_are_left_as_they_were():
    hidden = np.ma.array([1, 2, 3], mask=[0, 1, 0])
    floats = np.array([1.0, np.nan, 3.0])
    dates = np.array(["2020-01-01", "NaT", "2020-01-02"], "M8[D]")
    for given in (hidden, floats, dates):
        before = pickle.dumps(given)
        Contingency.from_labels(given, [0, 0, 1], missing="class")
        Contingency.from_labels(given, [0, 0, 1], missing="drop")
        assert pickle.dumps(given) == before


def test_a_generator_is_read_once():
    table = Contingency.from_labels((word for word in WORDS), iter(PRED))
    assert table == Contingency.from_labels(WORDS, PRED)


def test_unused_categories_are_no_classes():
    given = pd.Series(pd.Categorical(["a", "b"], categories=["a", "b", "c"]))
    assert Contingency.from_labels(given, [0, 1]).shape == (2, 2)


def test_mixed_labels_are_told_apart_by_value_and_kind():
    truth = ["1", 1, None.__class__, (1, 2), Colour.RED, Colour.BLUE, b"1", frozenset({1}), "1"]
    table = Contingency.from_labels(truth, [0] * len(truth))
    assert table.to_dict() == {(label, 0): 2 if label == "1" else 1 for label in set(truth)}


def test_labels_that_cannot_be_sorted_keep_their_order_of_appearance():
    assert Contingency.from_labels(["b", 1, "a"], [0, 0, 0]).class_names == ["b", 1, "a"]


def test_labels_that_python_calls_equal_are_one_label():
    assert Contingency.from_labels([1, 1.0, True, "x"], [0, 0, 0, 0]).shape == (2, 1)


def test_integers_beyond_64_bits_are_labels():
    huge = [10**30, -(10**30), 10**30]
    assert Contingency.from_labels(huge, [0, 0, 1]).class_names == [-(10**30), 10**30]


def test_sparse_moments_with_a_time_zone_are_labels_without_a_warning():
    moments = [dt.datetime(2026, 1, day, tzinfo=dt.UTC) for day in (1, 2, 1)]
    with warnings.catch_warnings(action="ignore"):
        pred = pd.Series(pd.arrays.SparseArray([*moments, pd.NA]))
    table = Contingency.from_labels([0, 0, 1, 1], pred, missing="drop")
    assert table.counts.toarray().tolist() == [[1, 1], [1, 0]]


def test_tuples_in_an_object_array_are_labels():
    truth = np.empty(3, object)
    truth[:] = [("a", 1), ("a", 2), ("a", 1)]
    assert Contingency.from_labels(truth, [0, 0, 0]).to_dict() == {
        (("a", 1), 0): 2,
        (("a", 2), 0): 1,
    }


def test_many_references_to_few_objects_are_counted_by_value():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 50, 40_000)
    words = np.array([f"class {k}" for k in range(50)], object)
    twins = np.array([f"class {k}" for k in range(50)], object)
    truth = np.where(codes % 2, words[codes], twins[codes])
    expected = Contingency.from_labels([f"class {k}" for k in codes.tolist()], codes)
    assert Contingency.from_labels(truth, codes) == expected
    assert Contingency.from_labels(np.repeat(truth, 2)[::2], codes) == expected


def test_many_references_with_missing_labels_among_them():
    truth = np.array(["a", None, "b", float("nan")] * 10_000, object)
    pred = np.tile([0, 1, 2, 3], 10_000)
    table = Contingency.from_labels(truth, pred, missing="class")
    assert table.to_dict() == {
        ("a", 0): 10_000,
        ("b", 2): 10_000,
        (None, 1): 10_000,
        (None, 3): 10_000,
    }


def test_many_distinct_objects_are_counted_by_value():
    truth = np.array([f"label {k // 2}" for k in range(30_000)], object)
    table = Contingency.from_labels(truth, np.zeros(30_000, int))
    assert table.shape == (15_000, 1)
    assert set(table.cells.values.tolist()) == {2}


@pytest.mark.parametrize("kind", ["Int128", "UInt128"])
def test_integers_of_128_bits(kind):
    large = [2**100, 5, 5, None]
    truth = pl.Series(large, dtype=getattr(pl, kind))
    table = Contingency.from_labels(truth, [0, 1, 1, 1], missing="class")
    assert table.to_dict() == {(5, 1): 2, (2**100, 0): 1, (None, 1): 1}
    frame = pl.DataFrame({"y": truth, "c": [0, 1, 1, 1]})
    for held in (frame, frame.lazy()):
        counted = Contingency.from_frame(held, truth="y", pred="c", missing="class")
        assert counted.to_dict() == table.to_dict()
        dropped = Contingency.from_frame(
            held, truth="y", pred="c", missing="drop", noise={5: "drop"}
        )
        assert dropped.to_dict() == {(2**100, 0): 1}
    assert Contingency.from_labels(truth[1:3], [0, 1]) == Contingency.from_labels([5, 5], [0, 1])


@pytest.mark.parametrize("eager", [True, False])
def test_weights_of_128_bits(eager):
    frame = pl.DataFrame(
        {"y": ["a", "b"], "c": [0, 1], "w": pl.Series([2**62, 1], dtype=pl.Int128)}
    )
    held = frame if eager else frame.lazy()
    table = Contingency.from_frame(held, truth="y", pred="c", weights="w")
    assert table.to_dict() == {("a", 0): 2**62, ("b", 1): 1}


def test_digits_beyond_those_of_a_number_are_text_like_any_other():
    many = "1" * 5_000
    table = Contingency.from_labels([many, many, "-1"], [0, 0, 1], noise="drop")
    assert table.to_dict() == {(many, 0): 2}
    assert len(repr(table.document())) > 0


def test_chunks_of_arrow_are_one_column():
    whole = pa.chunked_array([["a", "b"], [], ["a"]])
    assert Contingency.from_labels(whole, [0, 1, 0]).to_dict() == {("a", 0): 2, ("b", 1): 1}
    for chunks in ([[1, 2], [1]], [[1, 2, 1]]):
        table = Contingency.from_labels(pa.chunked_array(chunks), [0, 1, 0])
        assert table.to_dict() == {(1, 0): 2, (2, 1): 1}
