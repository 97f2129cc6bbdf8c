from __future__ import annotations

import copy
import datetime as dt
import itertools
import operator
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustervet import ClustervetError, Contingency, Pairs, adjusted_rand
from clustervet.contingency import cells

TRUTH = ["a", "a", "b", "b", "b", "c"]
PRED = ["x", "y", "y", "y", "z", "x"]


@pytest.fixture
def table():
    return Contingency.from_labels(TRUTH, PRED)


def test_sizes_names_and_counts(table):
    assert table.n == 6
    assert table.shape == (3, 3)
    assert len(table) == 5
    assert table.class_names == ["a", "b", "c"]
    assert table.cluster_names == ["x", "y", "z"]
    assert table.class_sizes.tolist() == [2, 3, 1]
    assert table.cluster_sizes.tolist() == [2, 3, 1]
    assert table.counts.format == "csr"
    assert table.counts.toarray().tolist() == [[1, 1, 0], [0, 2, 1], [1, 0, 0]]
    assert table.to_dict() == {
        ("a", "x"): 1,
        ("a", "y"): 1,
        ("b", "y"): 2,
        ("b", "z"): 1,
        ("c", "x"): 1,
    }


def test_a_table_is_true_whatever_it_holds():
    assert bool(Contingency.from_counts([[1]]))


def test_plain_numbers_come_out(table):
    assert all(type(value) is int for value in table.to_dict().values())
    assert type(table.n) is int
    assert all(type(value) is int for value in table.pairs)
    real = Contingency.from_counts([[0.5]])
    assert type(real.n) is float
    assert all(type(value) is float for value in real.pairs)


def test_plain_names_come_out():
    table = Contingency.from_labels(np.array([1, 2]), np.array([True, False]))
    assert repr(table.to_dict()) == "{(1, True): 1, (2, False): 1}"
    assert repr(table.class_names) == "[1, 2]"
    assert repr(Contingency.from_counts([[1]]).to_dict()) == "{(0, 0): 1}"


def test_the_pairs_of_a_small_table():
    truth, pred = [0, 0, 0, 1, 1], [0, 0, 1, 1, 1]
    table = Contingency.from_labels(truth, pred)
    together = [
        (truth[i] == truth[j], pred[i] == pred[j]) for i, j in itertools.combinations(range(5), 2)
    ]
    assert table.pairs == Pairs(
        together.count((True, True)),
        together.count((True, False)),
        together.count((False, True)),
        together.count((False, False)),
    )
    assert table.pairs.total == 10
    assert table.pairs.same_class == 4
    assert table.pairs.same_cluster == 4


def test_pairs_of_10_to_the_15_objects_are_exact():
    counts = [[10**15 // 2 - 7, 3], [11, 10**15 // 2 - 7]]
    pairs = Contingency.from_counts(counts).pairs
    choose = lambda x: x * (x - 1) // 2  # noqa: E731  # a formula, not a function to call elsewhere
    flat = [x for row in counts for x in row]
    rows, cols = [sum(row) for row in counts], [sum(col) for col in zip(*counts, strict=True)]
    n11 = sum(map(choose, flat))
    assert sum(flat) == 10**15
    assert pairs.n11 == n11
    assert pairs.n10 == sum(map(choose, rows)) - n11
    assert pairs.n01 == sum(map(choose, cols)) - n11
    assert pairs.total == choose(10**15)


def test_pairs_of_many_large_cells_are_exact():
    rng = np.random.default_rng(0)
    matrix = rng.integers(10**10, 10**11, (60, 60))
    pairs = Contingency.from_counts(matrix).pairs
    flat = matrix.astype(object)
    square = lambda values: sum(int(x) * (int(x) - 1) // 2 for x in values)  # noqa: E731  # a formula, not a function to call elsewhere
    assert pairs.n11 == square(flat.ravel())
    assert pairs.same_class == square(flat.sum(axis=1))
    assert pairs.same_cluster == square(flat.sum(axis=0))
    assert pairs.total == square([int(matrix.sum())])


def test_pairs_of_real_weights_are_as_good_as_floats_can_be():
    weights = [[0.1, 0.2], [0.3, 0.4]]
    table = Contingency.from_counts(weights)
    exact = [[Fraction(x) for x in row] for row in weights]
    n = sum(map(sum, exact))
    n11 = (sum(x * x for row in exact for x in row) - n) / 2
    same_class = (sum(sum(row) ** 2 for row in exact) - n) / 2
    assert table.pairs.n11 == pytest.approx(float(n11), rel=1e-15)
    assert table.pairs.n10 == pytest.approx(float(same_class - n11), rel=1e-15)


def test_huge_real_weights_have_pairs():
    assert Contingency.from_counts([[1e149, 1e149]]).pairs.n11 > 0


def test_identical_partitions_are_seen_whatever_the_names():
    assert Contingency.from_labels([1, 1, 2], ["b", "b", "a"]).identical
    assert not Contingency.from_labels([1, 1, 2], ["b", "a", "a"]).identical
    assert not Contingency.from_labels([1, 1, 2], ["b", "b", "b"]).identical
    assert not Contingency.from_labels([1, 1], ["a", "b"]).identical
    assert Contingency.from_labels(["only"], [0]).identical


def test_the_transposed_table_swaps_the_roles(table):
    other = table.T
    assert other == Contingency.from_labels(PRED, TRUTH)
    assert other.class_names == table.cluster_names
    assert other.class_sizes.tolist() == table.cluster_sizes.tolist()
    assert (other.counts.toarray() == table.counts.toarray().T).all()
    assert table == other.T
    assert table.transpose() == other


def test_tables_of_disjoint_data_merge(table):
    other = Contingency.from_labels(["b", "d"], ["x", "w"])
    both = Contingency.from_labels([*TRUTH, "b", "d"], [*PRED, "x", "w"])
    assert table + other == both
    assert other + table == both
    assert (table + other).shape == (4, 4)
    assert table == Contingency.from_labels(TRUTH, PRED)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 4)), min_size=1, max_size=60),
    st.integers(1, 7),
)
def test_the_sum_of_shards_is_the_whole(objects, shards):
    truth, pred = zip(*objects, strict=True)
    parts = [
        Contingency.from_labels(truth[k::shards], pred[k::shards])
        for k in range(min(shards, len(objects)))
    ]
    assert sum(parts) == Contingency.from_labels(truth, pred)


def test_the_sum_of_large_shards_is_the_whole():
    rng = np.random.default_rng(1)
    truth, pred = rng.integers(0, 300, 60_000), rng.integers(0, 300, 60_000)
    weights = rng.random(60_000)
    shards = [slice(0, 7), slice(7, 30_000), slice(30_000, 60_000)]
    whole = Contingency.from_labels(truth, pred)
    assert sum(Contingency.from_labels(truth[s], pred[s]) for s in shards) == whole
    real = sum(Contingency.from_labels(truth[s], pred[s], weights=weights[s]) for s in shards)
    expected = Contingency.from_labels(truth, pred, weights=weights)
    assert real.to_dict() == pytest.approx(expected.to_dict(), rel=1e-14)


def test_shards_with_other_label_sets_go_through_the_compiled_way():
    left = Contingency.from_labels(np.arange(3_000), np.arange(3_000) % 7)
    right = Contingency.from_labels(np.arange(2_000, 5_000), np.arange(3_000) % 11)
    both = left + right
    assert len(both.cells.values) > cells.FEW_CELLS
    assert both.n == 6_000
    assert both.shape == (5_000, 11)
    expected = left.to_dict()
    for pair, value in right.to_dict().items():
        expected[pair] = expected.get(pair, 0) + value
    assert both.to_dict() == expected


def test_sums_grow_past_64_bits():
    table = Contingency.from_counts([[2**62 - 1]])
    total = table + table + table
    assert total.n == 3 * (2**62 - 1)
    assert total.to_dict() == {(0, 0): 3 * (2**62 - 1)}
    assert (total + total).pairs.n11 == 6 * (2**62 - 1) * (6 * (2**62 - 1) - 1) // 2


def test_counts_and_weights_merge_to_weights():
    total = Contingency.from_counts([[1]]) + Contingency.from_counts([[0.5]])
    assert total.to_dict() == {(0, 0): 1.5}
    assert not total.is_whole


def test_weights_beyond_the_limit_are_refused_in_a_sum_too():
    half = Contingency.from_counts([[9e149]])
    with pytest.raises(ClustervetError, match=r"must sum to less than 1e\+150"):
        half + half


def test_counts_beyond_any_float_and_weights_do_not_merge():
    half, huge = Contingency.from_counts([[0.5]]), Contingency.from_counts([[10**20]])
    assert (huge + half).to_dict() == {(0, 0): 1e20}
    with pytest.raises(
        ClustervetError,
        match=r"^a table of real weights cannot be added to one whose counts exceed any float\.$",
    ):
        Contingency.from_counts([[10**400]]) + half


def test_real_weights_have_no_expected_information():
    with pytest.raises(
        ClustervetError,
        match=r"^expected mutual information needs whole counts, not real weights\.$",
    ):
        Contingency.from_counts([[0.5, 1], [1, 2]]).expected_mutual_information  # noqa: B018  # asked for


def test_labels_without_a_prediction_are_refused(table):
    with pytest.raises(
        ClustervetError, match=r"^adjusted_rand needs truth and prediction, or one Contingency\.$"
    ):
        adjusted_rand(TRUTH)
    assert adjusted_rand(table) == adjusted_rand(TRUTH, PRED)


def test_only_tables_merge(table):
    for other in (1, "x", None, [[1]], 0.0):
        with pytest.raises(TypeError):
            table + other
        with pytest.raises(TypeError):
            other + table
    assert sum([table]) is table


def test_each_shard_has_noise_objects_of_its_own():
    shards = [Contingency.from_labels([1, 1], [-1, -1], noise="singletons") for _ in range(2)]
    assert sum(shards).shape == (1, 4)


def test_equality_does_not_depend_on_the_order_of_names():
    one = Contingency.from_counts([[1, 2], [3, 4]], class_names="ab", cluster_names="xy")
    two = Contingency.from_counts([[4, 3], [2, 1]], class_names="ba", cluster_names="yx")
    assert one == two
    assert one != Contingency.from_counts([[1, 2], [3, 4]], class_names="ba", cluster_names="xy")
    assert one != Contingency.from_counts([[1, 2], [3, 5]], class_names="ab", cluster_names="xy")
    assert one != Contingency.from_counts([[1, 2], [3, 4]])
    assert one != Contingency.from_counts([[1, 2]], class_names="a", cluster_names="xy")
    assert one != "table"
    assert one is not None


def test_a_table_is_no_dictionary_key(table):
    with pytest.raises(TypeError, match="unhashable"):
        hash(table)


def test_nothing_about_a_table_can_be_changed(table):
    for array in (
        table.class_sizes,
        table.cluster_sizes,
        table.cells.values,
        table.cells.cols,
        table.cells.indptr,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 99
    table.class_names.append("z")
    table.to_dict().clear()
    counts = table.counts
    with pytest.raises(ValueError, match="read-only"):
        counts.data[0] = 99
    for name in ("n", "class_sizes", "shape", "counts", "cells", "pairs"):
        with pytest.raises(AttributeError):
            setattr(table, name, 3)
        with pytest.raises(AttributeError, match=rf"^a table never changes; {name} cannot be d"):
            delattr(table, name)
    assert table == Contingency.from_labels(TRUTH, PRED)


def test_a_table_can_be_copied_and_sent_elsewhere(table):
    assert copy.copy(table) == table
    assert copy.deepcopy(table) == table
    assert pickle.loads(pickle.dumps(table)) == table
    numbers = Contingency.from_labels([1, 2, 2], [0.0, 1.0, 1.0])
    assert pickle.loads(pickle.dumps(numbers)) == numbers


FRAMES = {
    "pandas": (pd.DataFrame, lambda frame: frame.to_dict("list")),
    "polars": (pl.DataFrame, lambda frame: frame.to_dict(as_series=False)),
    "pyarrow": (pa.Table, operator.methodcaller("to_pydict")),
}


@pytest.mark.parametrize("backend", FRAMES)
def test_a_long_frame_has_a_row_a_cell(table, backend):
    kind, as_dict = FRAMES[backend]
    frame = table.to_frame(backend)
    assert isinstance(frame, kind)
    assert as_dict(frame) == {
        "class": ["a", "a", "b", "b", "c"],
        "cluster": ["x", "y", "y", "z", "x"],
        "count": [1, 1, 2, 1, 1],
    }


@pytest.mark.parametrize("backend", FRAMES)
def test_a_wide_frame_has_a_row_a_class_and_a_column_a_cluster(table, backend):
    kind, as_dict = FRAMES[backend]
    frame = table.to_frame(backend, layout="wide")
    assert isinstance(frame, kind)
    assert as_dict(frame) == {
        "class": ["a", "b", "c"],
        "x": [1, 0, 1],
        "y": [1, 2, 0],
        "z": [0, 1, 0],
    }


@pytest.mark.parametrize("backend", FRAMES)
@pytest.mark.parametrize(
    "truth",
    [[1, 2, 2], [True, False, False], [dt.date(2020, 1, 1), dt.date(2020, 1, 2)] * 2, [0.0, 1.0]],
    ids=["ints", "bools", "days", "floats"],
)
def test_names_of_every_kind_fit_a_frame(backend, truth):
    table = Contingency.from_labels(truth, np.arange(len(truth)))
    as_dict = FRAMES[backend][1]
    assert sorted(as_dict(table.to_frame(backend))["class"]) == sorted(truth)
    wide = as_dict(table.to_frame(backend, layout="wide"))
    assert list(wide) == ["class", *map(str, range(len(truth)))]


@pytest.mark.parametrize("backend", FRAMES)
@pytest.mark.parametrize("layout", ["long", "wide"])
@pytest.mark.parametrize(
    "table",
    [
        Contingency.from_counts({("a", 1): 1, (2, "b"): 3}),
        Contingency.from_labels([None, 1, "x"], [0, 0, 1], missing="class"),
        Contingency.from_labels([-1, -1, 1], [0, 1, 1], noise="singletons"),
        Contingency.from_labels(["a", "b"], np.array([("x", 1), "y"], object)),
    ],
    ids=["mixed", "missing", "singletons", "tuples"],
)
def test_names_without_a_common_type_still_fit_a_frame(backend, layout, table):
    assert len(table.to_frame(backend, layout=layout)) == (
        len(table) if layout == "long" else table.shape[0]
    )


@pytest.mark.parametrize("backend", FRAMES)
def test_counts_beyond_64_bits_fit_a_frame(backend):
    table = Contingency.from_counts({("a", 0): 10**30, ("b", 0): 1})
    found = FRAMES[backend][1](table.to_frame(backend))["count"]
    assert [int(value) for value in found] == [10**30, 1]


@pytest.mark.parametrize("cluster", ["class", 1])
def test_no_column_of_a_wide_frame_hides_another(cluster):
    table = Contingency.from_counts({("a", cluster): 1, ("b", "1"): 2})
    frame = table.to_frame("pandas", layout="wide")
    assert frame.shape == (2, 3)
    counts = {tuple(column) for column in frame.iloc[:, 1:].to_numpy().T.tolist()}
    assert counts == {(1, 0), (0, 2)}


def test_the_first_installed_library_makes_the_frame(table):
    assert isinstance(table.to_frame(), pd.DataFrame)


def test_unknown_frames_are_refused(table):
    with pytest.raises(
        ClustervetError, match=r"^backend must be one of pandas, polars, pyarrow, not 'modin'\.$"
    ):
        table.to_frame("modin")
    with pytest.raises(ClustervetError, match=r"^layout must be 'long' or 'wide', not 'tall'\.$"):
        table.to_frame(layout="tall")


def test_a_small_table_in_full(table):
    assert repr(table).split("\n") == [
        "Contingency of 6 objects: 3 classes x 3 clusters, 5 non-empty cells",
        "       x  y  z  total",
        "    a  1  1  .      2",
        "    b  .  2  1      3",
        "    c  1  .  .      1",
        "total  2  3  1      6",
    ]


def test_one_of_each_is_in_the_singular():
    assert repr(Contingency.from_counts([[1]])).startswith(
        "Contingency of 1 object: 1 class x 1 cluster, 1 non-empty cell\n"
    )


def test_real_weights_are_shown_short():
    text = repr(Contingency.from_counts([[1 / 3, 2.0]]))
    assert "0.333333" in text
    assert "2.33333" in text
    assert "0.3333333" not in text


def test_a_large_table_is_cut_after_twelve_rows_and_columns():
    table = Contingency.from_counts(np.ones((1000, 1000), int))
    lines = repr(table).split("\n")
    assert lines[0].endswith("1,000 classes x 1,000 clusters, 1,000,000 non-empty cells")
    assert len(lines) == 1 + 1 + 12 + 1 + 1
    assert lines[1].split() == [*map(str, range(12)), "…", "total"]
    assert lines[2].split() == ["0", *["1"] * 12, "…", "1000"]
    assert lines[-2].split() == ["…"] * 15
    assert lines[-1].split() == ["total", *["1000"] * 12, "…", "1000000"]


@pytest.mark.parametrize(("shape", "cut"), [((12, 12), 0), ((13, 12), 14), ((12, 13), 14)])
def test_a_table_is_cut_only_past_twelve(shape, cut):
    assert repr(Contingency.from_counts(np.ones(shape, int))).count("…") == cut


def test_the_html_of_a_small_table():
    html = Contingency.from_labels(["a", "b"], [0, 0])._repr_html_()
    assert html == (
        "<table><caption>Contingency of 2 objects: 2 classes x 1 cluster, 2 non-empty cells"
        "</caption><thead><tr><th></th><th>0</th><th>total</th></tr></thead><tbody>"
        "<tr><th>a</th><td>1</td><td>1</td></tr><tr><th>b</th><td>1</td><td>1</td></tr>"
        "<tr><th>total</th><td>2</td><td>2</td></tr></tbody></table>"
    )


def test_hostile_names_cannot_break_out():
    hostile = ["<script>alert(1)</script>", 'a"b&c', "\x1b[31m", "two\nlines", "\u202eevil"]
    table = Contingency.from_labels(hostile, hostile)
    html, text = table._repr_html_(), repr(table)
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "a&quot;b&amp;c" in html
    for shown in (html, text):
        assert "\x1b" not in shown
        assert "\u202e" not in shown
        assert r"two\nlines" in shown
    assert len(text.split("\n")) == 1 + 1 + 5 + 1


def test_a_huge_name_stays_small():
    table = Contingency.from_labels(["x" * 10**6, "y"], [0, 1])
    assert len(repr(table)) < 500
    assert len(table._repr_html_()) < 1000


def test_names_are_shown_without_their_python_types():
    dates = np.array(["2020-01-01", "2020-01-02"], "M8[D]")
    text = repr(Contingency.from_labels(dates, np.array([True, False])))
    assert "2020-01-01" in text
    assert "datetime" not in text
    assert "np." not in text
