from __future__ import annotations

import contextlib
import pickle
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustervet import Contingency
from clustervet.contingency import count
from clustervet.errors import LabelError

# Thresholds that send even a few objects down every path there is.
PATHS = {
    "as installed": {},
    "compiled, dense": {"FEW_OBJECTS": 0},
    "compiled, dense, several threads": {"FEW_OBJECTS": 0, "GRAIN": 1},
    "compiled, dense, widened in chunks": {"FEW_OBJECTS": 0, "CHUNK": 7},
    "compiled, sparse": {"FEW_OBJECTS": 0, "DENSE_CELLS": 0},
    "compiled, sparse, few bands, several threads": {
        "FEW_OBJECTS": 0,
        "DENSE_CELLS": 0,
        "BANDS": 2,
        "SPARSE_GRAIN": 5,
    },
    "compiled, sparse, in blocks": {"FEW_OBJECTS": 0, "DENSE_CELLS": 0, "BLOCK": 13, "MANY": 1},
    "compiled, sparse, many cells": {"FEW_OBJECTS": 0, "DENSE_CELLS": 0, "BLOCK": 13, "MANY": 99},
    "compiled, poor guesses": {"FEW_OBJECTS": 0, "SAMPLE": 1},
}
DTYPES = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


@contextlib.contextmanager
def thresholds(path):
    with pytest.MonkeyPatch.context() as patch:
        for name, value in PATHS[path].items():
            patch.setattr(count, name, value)
        yield


def check(truth, pred):
    """The table holds exactly the pairs that plain Python counts, in order of name."""
    table = Contingency.from_labels(truth, pred)
    assert table.to_dict() == Counter(zip(truth.tolist(), pred.tolist(), strict=True))
    assert table.class_names == sorted(set(truth.tolist()))
    assert table.cluster_names == sorted(set(pred.tolist()))
    assert table.n == len(truth)


@st.composite
def sides(draw):
    """One side: a dtype, a range of labels within it, and how many labels are drawn."""
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    info = np.iinfo(dtype)
    low = draw(st.one_of(st.just(0), st.just(info.min), st.integers(info.min, info.max)))
    high = draw(st.one_of(st.integers(0, 20), st.integers(0, 2**64))) + low
    return dtype, low, min(high, info.max)


@pytest.mark.parametrize("path", PATHS)
@settings(max_examples=40)
@given(sides(), sides(), st.integers(1, 60), st.integers(0, 2**32))
def test_every_path_counts_what_plain_python_counts(path, left, right, size, seed):
    rng = np.random.default_rng(seed)
    truth, pred = (
        rng.integers(low, high, size, dtype=dtype, endpoint=True)
        for dtype, low, high in (left, right)
    )
    with thresholds(path):
        check(truth, pred)


@pytest.mark.parametrize("path", PATHS)
@settings(max_examples=20)
@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=8),
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=8),
    st.integers(1, 200),
    st.integers(0, 2**32),
)
def test_a_few_labels_from_anywhere_in_64_bits(path, classes, clusters, size, seed):
    rng = np.random.default_rng(seed)
    truth, pred = rng.choice(np.array(classes), size), rng.choice(np.array(clusters), size)
    with thresholds(path):
        check(truth, pred)


def test_random_labels_far_above_every_threshold():
    rng = np.random.default_rng(0)
    for height, width in ((5, 7), (300, 1), (2_000, 2_000), (50_000, 3), (10**6, 10**6)):
        check(rng.integers(0, height, 60_000), rng.integers(0, width, 60_000))


def test_one_class_that_holds_most_objects_of_a_sparse_table():
    rng = np.random.default_rng(2)
    truth = np.where(rng.random(210_000) < 0.9, 77, rng.integers(0, 10**5, 210_000))
    check(truth, rng.integers(0, 10**5, 210_000))
    check(rng.integers(-(10**5), 0, 210_000).astype(np.int32), truth)


def test_63_bit_ids_far_above_every_threshold():
    rng = np.random.default_rng(1)
    ids = rng.integers(-(2**63), 2**63 - 1, 5_000)
    check(ids[rng.integers(0, 5_000, 60_000)], rng.integers(0, 9, 60_000))
    check(rng.integers(0, 9, 60_000), ids[rng.integers(0, 5_000, 60_000)])
    check(rng.integers(-(2**63), 2**63 - 1, 30_000), rng.integers(-(2**63), 2**63 - 1, 30_000))


@pytest.mark.parametrize("label", [-(2**63), -(2**63) + 7, 2**63 - 1, 2**63 - 8])
def test_the_first_and_last_64_bit_integers_far_above_the_threshold(label):
    check(np.full(30_000, label), np.arange(30_000) % 3)


@pytest.mark.parametrize("distinct", [511, 512, 513, 1023, 1024, 1025, 2048, 2049, 8193])
def test_any_number_of_distinct_wide_labels(distinct):
    spread = np.arange(distinct) * 2**40 - 2**50
    truth = np.tile(spread, 25_000 // distinct + 1)
    check(truth, np.arange(len(truth)) % 3)


@pytest.mark.parametrize("dtype", DTYPES)
def test_each_integer_type_far_above_the_threshold(dtype):
    rng = np.random.default_rng(2)
    low = max(np.iinfo(dtype).min, -50)
    truth = rng.integers(low, 100, 30_000).astype(dtype)
    for other in (np.int32, np.int64, np.uint8):
        check(truth, rng.integers(0, 9, 30_000).astype(other))


def test_a_label_outside_the_guessed_range_at_the_very_end():
    truth = np.zeros(100_001, np.int64)
    pred = np.arange(100_001) % 5
    for stray in (10**4, -1, -(10**6), 2**62, -(2**63), 2**63 - 1):
        truth[-1] = stray
        check(truth, pred)
        check(pred, truth)
        truth[-1], truth[50_001] = 0, stray
        check(truth, pred)
        truth[50_001] = 0


@pytest.mark.parametrize("times", [1, 254, 255, 256, 257, 511, 512, 513, 65_535, 65_536, 65_537])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_cell_may_be_counted_any_number_of_times(times, threads, monkeypatch):
    monkeypatch.setattr(count, "FEW_OBJECTS", 0)
    monkeypatch.setattr(count, "GRAIN", 10**6 if threads == 1 else 1)
    truth = np.repeat([3, 4, 4], [times, times + 1, 2])
    pred = np.repeat([1, 1, 2], [times, times + 1, 2])
    check(truth, pred)


def test_millions_in_one_cell():
    truth = np.zeros(5_000_000, np.int8)
    assert Contingency.from_labels(truth, truth).to_dict() == {(0, 0): 5_000_000}


@pytest.mark.parametrize("layout", ["strided", "reversed", "read-only", "big-endian", "column"])
def test_arrays_that_do_not_lie_in_a_row_far_above_the_threshold(layout):
    rng = np.random.default_rng(3)
    truth, pred = rng.integers(0, 5, 30_000), rng.integers(0, 4, 30_000)
    shaped = {
        "strided": lambda a: np.repeat(a, 2)[::2],
        "reversed": lambda a: a[::-1].copy()[::-1],
        "read-only": lambda a: np.frombuffer(a.tobytes(), a.dtype),
        "big-endian": lambda a: a.astype(">i8"),
        "column": lambda a: np.column_stack([a, a])[:, 0],
    }[layout]
    check(shaped(truth), shaped(pred))


@pytest.mark.parametrize("dtype", [bool, "U3", "S3", object, "M8[D]", "m8[s]", np.float64])
def test_labels_that_are_no_integers_far_above_the_threshold(dtype):
    rng = np.random.default_rng(4)
    codes, pred = rng.integers(0, 2, 30_000), rng.integers(0, 9, 30_000)
    truth = codes.astype(dtype) if dtype not in ("M8[D]", "m8[s]") else codes.view(dtype)
    table = Contingency.from_labels(truth, pred)
    expected = Contingency.from_labels(codes, pred)
    assert (table.counts != expected.counts).nnz == 0
    assert table.class_names == sorted(set(truth))


@pytest.mark.parametrize("path", PATHS)
def test_weights_count_like_repetition_on_every_path(path):
    rng = np.random.default_rng(5)
    truth, pred = rng.integers(-9, 9, 500), rng.integers(0, 2**40, 500)
    weights = rng.integers(0, 4, 500)
    with thresholds(path):
        weighted = Contingency.from_labels(truth, pred, weights=weights)
        repeated = Contingency.from_labels(np.repeat(truth, weights), np.repeat(pred, weights))
    assert weighted == repeated


@pytest.mark.parametrize("path", PATHS)
def test_missing_and_noise_labels_on_every_path(path):
    truth = np.ma.array(np.tile([5, 7, -1, 5], 100), mask=np.tile([0, 0, 0, 1], 100))
    pred = np.tile([0.0, 1.0, 2.0, np.nan], 100)
    with thresholds(path):
        dropped = Contingency.from_labels(truth, pred, missing="drop", noise="drop")
        split = Contingency.from_labels(truth, pred, missing="class", noise="singletons")
    assert dropped.to_dict() == {(5, 0): 100, (7, 1): 100}
    assert split.shape == (3 + 100, 4)
    assert split.to_dict()[None, None] == 100


@pytest.mark.parametrize(
    "limits", [{}, {"DENSE_CELLS": 0, "BLOCK": 9_000, "MANY": 1}], ids=["dense", "sparse"]
)
def test_many_threads_at_once_get_the_answer_of_one(limits, monkeypatch):
    rng = np.random.default_rng(6)
    inputs = [
        (rng.integers(0, 50 * (k + 1), 40_000), rng.integers(0, 30, 40_000)) for k in range(4)
    ]
    expected = [Counter(zip(*map(np.ndarray.tolist, pair), strict=True)) for pair in inputs]
    for name, value in limits.items():
        monkeypatch.setattr(count, name, value)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda k: Contingency.from_labels(*inputs[k % 4]), range(24)))
    assert all(table.to_dict() == expected[k % 4] for k, table in enumerate(found))


def test_one_table_read_by_many_threads_at_once():
    rng = np.random.default_rng(7)
    table = Contingency.from_labels(rng.integers(0, 90, 30_000), rng.integers(0, 90, 30_000))
    twin = Contingency.from_counts(table.counts)
    expected = (twin.pairs, twin.entropies, twin.match().tolist(), twin.expected_mutual_information)
    with ThreadPoolExecutor(8) as pool:
        read = [
            pool.submit(
                lambda: (
                    table.pairs,
                    table.entropies,
                    table.match().tolist(),
                    table.expected_mutual_information,
                )
            )
            for _ in range(16)
        ]
        assert all(job.result() == expected for job in read)


@settings(max_examples=150)
@given(
    st.integers(1, 80).flatmap(
        lambda n: st.tuples(
            *(st.lists(st.integers(-1, top), min_size=n, max_size=n) for top in (3, 70))
        )
    ),
    st.sampled_from(["i4", "i8", "u8", "i2"]),
    st.booleans(),
)
def test_short_arrays_are_counted_like_any_labels(sides, kind, swap):
    truth, pred = reversed(sides) if swap else sides
    if kind == "u8":
        truth, pred = [abs(x) for x in truth], [abs(x) for x in pred]
    quick = Contingency.from_labels(np.array(truth, kind), np.array(pred, kind))
    wanted = Contingency.from_labels(truth, pred)
    assert quick == wanted
    assert quick.to_dict() == wanted.to_dict()
    assert quick.class_names == wanted.class_names
    assert all(type(name) is int for name in quick.class_names + quick.cluster_names)
    assert (quick.n, quick.exact_n, quick.shape) == (wanted.n, wanted.exact_n, wanted.shape)
    assert (quick.identical, quick.is_whole) == (wanted.identical, wanted.is_whole)
    assert quick.plain == wanted.plain
    assert quick.noise_as_cluster == wanted.noise_as_cluster
    for name in ("indptr", "cols", "values"):
        mine, other = getattr(quick.cells, name), getattr(wanted.cells, name)
        assert mine.tolist() == other.tolist()
        assert mine.dtype == other.dtype
        assert not mine.flags.writeable
    assert pickle.loads(pickle.dumps(quick)) == wanted


def test_short_arrays_of_other_lengths_and_shapes_are_refused():
    with pytest.raises(LabelError, match="4"):
        Contingency.from_labels(np.arange(3), np.arange(4))
    with pytest.raises(LabelError):
        Contingency.from_labels(np.zeros((2, 2), int), np.zeros((2, 2), int))
    with pytest.raises(LabelError):
        Contingency.from_labels(np.zeros(0, int), np.zeros(0, int))
