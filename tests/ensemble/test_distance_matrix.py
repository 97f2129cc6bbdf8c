"""`distance_matrix` against each measure itself, and against definitions."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections import Counter
from itertools import combinations, pairwise, product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath import MPContext

import clustervet as cv
from clustervet.ensemble import distance_matrix, distances_to, read_labelings
from clustervet.ensemble.labelings import _shrunk
from clustervet.ensemble.pair_values import group_edges, plan_blocks
from clustervet.labels import read_labels
from clustervet.partition import Partition

law = settings(max_examples=40)
EXTERNAL = [key for key, record in cv.measures.items() if record.kind == "external"]
PATHS = {"plain": 10**6, "compiled": 0}
mp = MPContext()
mp.dps = 40


@pytest.fixture(params=PATHS)
def path(request, monkeypatch):
    """Few pairs in plain Python, or compiled loops, for data of the same size."""
    monkeypatch.setattr("clustervet.ensemble.pair_values.FEW_PAIRS", PATHS[request.param])
    return request.param


def some_labelings(n, clusters, seed=0):
    rng = np.random.default_rng(seed)
    base = rng.integers(0, max(clusters), n)
    found = []
    for k in clusters:
        moved = rng.random(n) < 0.4
        found.append(np.where(moved, rng.integers(0, k, n), base % k))
    return found


def vi_by_definition(one, other):
    """Bits, to 40 digits (Meilă 2007, eq. 22)."""
    n = len(one)

    def entropy(labels):
        return -mp.fsum(mp.mpf(c) / n * mp.log(mp.mpf(c) / n, 2) for c in Counter(labels).values())

    one, other = list(one), list(other)
    return float(2 * entropy(zip(one, other, strict=True)) - entropy(one) - entropy(other))


def check_entries(found, labelings, measure, **parameters):
    for (i, one), (j, other) in product(enumerate(labelings), repeat=2):
        expected = measure(one, other, **parameters)
        assert found.matrix[i, j] == pytest.approx(expected, rel=1e-12, abs=1e-14, nan_ok=True)


@pytest.mark.parametrize("key", EXTERNAL)
def test_every_measure_has_its_own_value_in_each_entry(key, path):
    labelings = [*some_labelings(50, (1, 2, 3, 5, 12)), np.arange(50), np.zeros(50)]
    found = distance_matrix(labelings, key)
    check_entries(found, labelings, getattr(cv, key))
    assert found.measure is cv.measures[key]
    assert found.counts.tolist() == [[50] * 7] * 7


@pytest.mark.parametrize(
    ("key", "parameters"),
    [
        ("variation_of_information", {"base": 10}),
        ("variation_of_information", {"base": math.e}),
        ("pair_f1", {"beta": 2.0}),
        ("v_measure", {"beta": 0.5}),
        ("normalized_mutual_information", {"average": "max"}),
        ("normalized_variation_of_information", {"k_max": 12}),
    ],
)
def test_parameters_are_those_of_the_measure(key, parameters, path):
    labelings = some_labelings(60, (2, 5, 9, 12))
    found = distance_matrix(labelings, key, **parameters)
    check_entries(found, labelings, getattr(cv, key), **parameters)
    assert found.parameters == parameters


@pytest.mark.parametrize("key", ["variation_of_information", "adjusted_rand", "van_dongen"])
@pytest.mark.parametrize(
    "clusters",
    [
        (2,) * 9,
        (10,) * 7,
        (2, 3, 10, 30, 50, 200),
        (3, 700, 4_000, 20_000),
        (5, 40_000, 66_000, 70_000),
    ],
    ids=str,
)
def test_large_labelings_with_few_and_many_clusters(key, clusters):
    n = 80_000 if max(clusters) > 65_536 else 30_000
    labelings = some_labelings(n, clusters)
    if max(clusters) > 65_536:
        labelings[-1] = np.arange(n)  # more clusters than 16 bits tell
    found = distance_matrix(labelings, key)
    check_entries(found, labelings, getattr(cv, key))


def test_larger_data_agrees_with_the_definition():
    labelings = some_labelings(25_000, (4, 9, 30, 600))
    found = distance_matrix(labelings)
    for i, j in combinations(range(4), 2):
        exact = vi_by_definition(labelings[i].tolist(), labelings[j].tolist())
        assert found.matrix[i, j] == pytest.approx(exact, rel=1e-13, abs=1e-15)


def test_labelings_that_differ_in_one_object_keep_their_digits():
    n = 300_000
    labelings = [np.arange(n) % 3 for _ in range(30)]
    for k in range(30):
        labelings[k][k] = 7
    found = distance_matrix(labelings)
    # Each has one object of one cluster alone; two differ in two objects.
    exact = cv.variation_of_information(labelings[0], labelings[3])
    assert 0 < exact < 3e-4
    assert found.matrix[0, 3] == pytest.approx(exact, rel=1e-12)
    again = distance_matrix([labelings[0]] * 30)
    assert again.matrix.tolist() == [[0.0] * 30] * 30


@pytest.mark.parametrize("clusters", [(3, 5, 8, 9), (3, 40, 900, 900)], ids=str)
def test_counts_beyond_the_table_of_logarithms(clusters, monkeypatch):
    few = np.log(np.maximum(np.arange(20), 1.0))
    monkeypatch.setattr("clustervet.ensemble.pair_values.log_table", lambda n: few)
    monkeypatch.setattr("clustervet.ensemble.pair_values.FEW_PAIRS", 0)
    labelings = some_labelings(3_000, clusters)
    check_entries(distance_matrix(labelings), labelings, cv.variation_of_information)


@given(
    st.lists(st.integers(1, 9), min_size=2, max_size=12),
    st.integers(1, 60),
    st.integers(0, 10**6),
    st.data(),
)
@law
@example([8] * 12, 60, 0, None)
def test_any_grouping_gives_the_same_matrix(clusters, n, seed, data):
    labelings = some_labelings(n, clusters, seed)
    edges, tile = [np.array([0, len(clusters)])] * 2, 1
    if data is not None:
        some = st.sets(st.integers(1, len(clusters) - 1))
        edges = [np.array([0, *sorted(data.draw(some)), len(clusters)]) for _ in range(2)]
        tile = data.draw(st.sampled_from([1, 8 * n]))
    with pytest.MonkeyPatch.context() as patch:
        plain = distance_matrix(labelings)
        patch.setattr("clustervet.ensemble.pair_values.FEW_PAIRS", 0)
        patch.setattr("clustervet.ensemble.pair_values.plan_blocks", lambda slots, n: edges)
        patch.setattr("clustervet.ensemble.pair_values.TILE", tile)
        blocks = distance_matrix(labelings)
        pairs = distance_matrix(labelings, "mirkin")
    assert blocks.matrix == pytest.approx(plain.matrix, rel=1e-13, abs=1e-15)
    assert pairs.matrix.tolist() == distance_matrix(labelings, "mirkin").matrix.tolist()


@given(st.lists(st.integers(1, 3_000), min_size=1, max_size=80), st.integers(1, 10**6))
@law
def test_plans_cover_every_labeling_once(slots, n):
    chosen = plan_blocks(np.sort(slots), n)
    for edges in chosen:
        assert edges[0] == 0
        assert edges[-1] == len(slots)
        assert (np.diff(edges) > 0).all()
    for first, last in pairwise(group_edges(np.sort(slots), 100).tolist()):
        assert last - first == 1 or np.sort(slots)[first:last].prod() <= 100


def test_the_number_of_threads_changes_nothing(path):
    labelings = some_labelings(500, (2, 4, 8, 16, 32, 64))
    for key in ("variation_of_information", "adjusted_rand", "van_dongen"):
        one, two, many = (distance_matrix(labelings, key, n_jobs=k) for k in (None, 2, -1))
        assert one.matrix.tolist() == two.matrix.tolist() == many.matrix.tolist()


@pytest.mark.parametrize(
    ("key", "n"),
    [
        ("variation_of_information", 6),
        ("mirkin_invariant", 5),
        ("van_dongen_invariant", 5),
        ("classification_error", 5),
    ],
)
def test_all_partitions_of_few_objects_are_a_metric_space(key, n):
    # Meilă 2007, Property 1, for VI and the metrics that it is compared with.
    between = distance_matrix(list(Partition.all(n)), key).matrix
    apart = between[~np.eye(len(between), dtype=bool)]
    assert (np.diag(between) == 0).all()
    assert (apart > 0).all()
    for row in between:
        assert (row[:, None] + between >= row - 1e-13).all()
    if key == "variation_of_information":
        assert apart.max() == pytest.approx(math.log2(n))  # Property 3
        assert apart.min() == pytest.approx(2 / n)  # after eq. 30


def unlabelled(labelings, share=0.3, seed=0):
    rng = np.random.default_rng(seed)
    found = [labels.astype(float) for labels in labelings]
    for labels in found[1:]:
        labels[rng.random(len(labels)) < share] = np.nan
    return found


@pytest.mark.parametrize("key", ["variation_of_information", "adjusted_rand", "larsen_aone"])
def test_labelings_of_partly_different_objects_are_compared_on_what_they_share(key, path):
    labelings = unlabelled(some_labelings(80, (2, 3, 7, 30, 40)))
    found = distance_matrix(labelings, key, shared=True)
    measure = getattr(cv, key)
    for (i, one), (j, other) in product(enumerate(labelings), repeat=2):
        assert found.counts[i, j] == (~np.isnan(one) & ~np.isnan(other)).sum()
        expected = measure(one, other, missing="drop")
        assert found.matrix[i, j] == pytest.approx(expected, rel=1e-12, abs=1e-14, nan_ok=True)
    assert f"of {found.counts.min()} to 80 shared objects" in repr(found)


def test_shared_objects_of_large_labelings_with_many_clusters():
    labelings = unlabelled(some_labelings(30_000, (4, 300, 9_000, 20_000)))
    found = distance_matrix(labelings, shared=True)
    for (i, one), (j, other) in product(enumerate(labelings), repeat=2):
        expected = cv.variation_of_information(one, other, missing="drop")
        assert found.matrix[i, j] == pytest.approx(expected, rel=1e-12, abs=1e-14)
        assert found.counts[i, j] == (~np.isnan(one) & ~np.isnan(other)).sum()


def test_missing_labels_are_dropped_everywhere_or_are_a_class(path):
    labelings = [[0, 0, 1, None, 1], ["a", None, "b", "b", "b"], [1, 2, 3, 4, 5]]
    dropped = distance_matrix(labelings, missing="drop")
    assert dropped.counts.tolist() == [[3] * 3] * 3
    kept = [[labels[place] for place in (0, 2, 4)] for labels in labelings]
    assert dropped.matrix == pytest.approx(distance_matrix(kept).matrix)
    made = distance_matrix(labelings, missing="class")
    filled = [[0, 0, 1, 2, 1], [0, 1, 2, 2, 2], [1, 2, 3, 4, 5]]
    assert made.matrix == pytest.approx(distance_matrix(filled).matrix)


def test_noise_takes_the_policies_of_a_table(path):
    labelings = [[0, 0, -1, -1, 1], [0, 0, 0, 1, 1]]
    for policy in ("keep", "singletons", "drop"):
        expected = cv.variation_of_information(*labelings, noise=policy)
        assert distance_matrix(labelings, noise=policy).matrix[0, 1] == pytest.approx(expected)
    shared = distance_matrix(labelings, noise="drop", shared=True)
    assert shared.counts.tolist() == [[3, 3], [3, 5]]


def test_labelings_come_in_many_forms():
    rows = [[0, 0, 1, 1], [0, 1, 1, 1], [2, 2, 2, 2]]
    expected = distance_matrix(rows).matrix.tolist()
    names = ["first", "second", "third"]
    columns = dict(zip(names, rows, strict=True))
    forms = [
        np.array(rows),
        np.asfortranarray(np.array(rows, np.uint8)),
        (list(map(str, row)) for row in rows),
        tuple(Partition(row) for row in rows),
        [np.array(rows[0]), pd.Series(rows[1]), ["x", "x", "x", "x"]],
    ]
    for form in forms:
        found = distance_matrix(form)
        assert found.matrix.tolist() == expected
        assert found.names == ("labeling 1", "labeling 2", "labeling 3")
    for form in (columns, pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        found = distance_matrix(form)
        assert found.matrix.tolist() == expected
        assert found.names == tuple(names)
    read = read_labelings(columns)
    assert distance_matrix(read).matrix.tolist() == expected
    assert repr(read) == "3 labelings of 4 objects, 1 to 2 clusters each"
    assert read.partition(1) == Partition(rows[1])


def test_masked_and_missing_entries_of_matrices_and_frames():
    matrix = np.ma.masked_equal([[0, 0, 1, 1], [0, 9, 1, 0]], 9)
    frame = pl.DataFrame({"a": [0, 0, 1, 1], "b": [0, None, 1, 0]})
    for form in (matrix, frame, frame.to_pandas(), frame.to_arrow()):
        found = distance_matrix(form, shared=True)
        assert found.counts.tolist() == [[4, 3], [3, 3]]
        assert found.matrix[0, 1] == pytest.approx(4 / 3)


def test_wide_ranges_and_gaps_between_labels():
    rng = np.random.default_rng(0)
    base = rng.integers(0, 5, 30_000)
    forms = [base, base * 10**12, base * 7 - 3, base.astype(np.int8), -base, base * 60.0]
    found = distance_matrix(forms)
    assert found.matrix.tolist() == np.zeros((6, 6)).tolist()


def test_undefined_values_are_counted_by_their_reason(path):
    found = distance_matrix([[0, 0, 0], [0, 0, 1], [0, 1, 2]], "hubert_gamma")
    assert np.isnan(found.matrix).sum() == sum(found.undefined.values()) + 3
    assert list(found.undefined) == ["all pairs, or none, share a class or a cluster"]


def test_a_users_own_measure_is_taken(path):
    @cv.measure(title="Cells", family="mine", better="neither", bounds=(1, math.inf))
    def number_of_cells(table):
        return len(table)

    try:
        found = distance_matrix([[0, 0, 1], [0, 1, 1]], number_of_cells)
        assert found.matrix.tolist() == [[2, 3], [3, 2]]
        assert repr(found).startswith("Cells of 2 labelings of 3 objects")
    finally:
        cv.measures.remove("number_of_cells")


def test_distances_to_a_query_are_a_column_of_the_matrix(path):
    labelings = some_labelings(70, (2, 5, 9, 20))
    for key in ("variation_of_information", "pair_recall", "purity"):
        whole = distance_matrix(labelings, key).matrix
        column = distances_to(labelings[3], labelings[:3], key)
        assert column == pytest.approx(whole[:3, 3], rel=1e-13)
    read = read_labelings(labelings)
    some = distances_to(labelings[0], read, which=[2, 0])
    assert some == pytest.approx(distance_matrix(labelings).matrix[[2, 0], 0], rel=1e-13)
    assert len(distances_to(labelings[0], read, which=[])) == 0


def test_a_query_follows_what_the_labelings_dropped():
    read = read_labelings([[0, 0, None, 1], [0, 1, 1, 1]], missing="drop")
    assert distances_to([5, 5, 5, 6], read)[0] == 0
    shared = read_labelings([[0, 0, None, 1], [0, 1, 1, 1]], shared=True)
    assert distances_to([0, None, 1, 1], shared).tolist() == [0, pytest.approx(0)]


HOSTILE = "\x1b[31mred\n" + "x" * 500
REFUSED = {
    "lengths": (lambda: distance_matrix([[0, 1], [0, 1, 2]]), "labeling 1 has 2 labels and"),
    "named lengths": (
        lambda: distance_matrix({"a": [0], HOSTILE: [0, 1]}),
        r"labeling 'a' has 1 labels",
    ),
    "one labeling": (lambda: distance_matrix([[0, 1]]), "nothing to be compared with"),
    "no labeling": (lambda: distance_matrix([]), "there are no labelings"),
    "one array": (lambda: distance_matrix(np.array([0, 1])), r"has shape \(2,\)"),
    "a list of labels": (lambda: distance_matrix([0, 1, 1]), "labeling 1 must be a sequence"),
    "a string": (lambda: distance_matrix("abc"), "not one string"),
    "None": (lambda: distance_matrix(None), "not None"),
    "a series": (lambda: distance_matrix(pd.Series([0, 1])), "one column per labeling"),
    "no objects": (lambda: distance_matrix([[], []]), "labeling 1 is empty"),
    "names twice": (
        lambda: distance_matrix(pd.DataFrame([[0, 1]], columns=["a", "a"])),
        "two labelings are called 'a'",
    ),
    "unknown measure": (
        lambda: distance_matrix([[0, 1], [0, 0]], "variation"),
        "there is no measure 'variation'",
    ),
    "internal measure": (
        lambda: distance_matrix([[0, 1], [0, 0]], "silhouette"),
        "silhouette needs features, not a second labeling",
    ),
    "unknown parameter": (
        lambda: distance_matrix([[0, 1], [0, 0]], "rand", base=2),
        "rand has no parameter 'base'",
    ),
    "bad parameter": (lambda: distance_matrix([[0, 1], [0, 0]], base=1), "base must be a number"),
    "missing": (
        lambda: distance_matrix({"a": [0, 1], "b": [None, 0]}),
        "labeling 'b' has no label for 1 of 2 objects, the first at position 0; .*shared=True",
    ),
    "missing twice": (
        lambda: distance_matrix([[0, 1], [0, 0]], shared=True, missing="drop"),
        "give one of them",
    ),
    "unknown policy": (
        lambda: distance_matrix([[0, 1], [0, 0]], missing="ignore"),
        "missing must be 'raise', 'drop' or 'class'",
    ),
    "nothing in common": (
        lambda: distance_matrix({"a": [0, None], "b": [None, 0]}, shared=True),
        "'a' and 'b' have no labelled object in common",
    ),
    "nothing left": (
        lambda: distance_matrix([[0, None], [None, 0]], missing="drop"),
        "no object has a label in every labeling",
    ),
    "nothing labelled": (
        lambda: distance_matrix([[0, 1], [None, None]], shared=True),
        "labeling 2 labels no object at all",
    ),
    "threads": (lambda: distance_matrix([[0, 1], [0, 0]], n_jobs=0), "n_jobs must be"),
    "read already": (
        lambda: distance_matrix(read_labelings([[0, 1], [0, 0]]), missing="drop"),
        "read already",
    ),
    "length of a query": (
        lambda: distances_to([0, 1, 1], [[0, 1]]),
        "a labeling has 2 labels and the query has 3",
    ),
    "a query with gaps": (lambda: distances_to([0, None], [[0, 1]]), "the query has no label"),
    "which": (lambda: distances_to([0, 1], [[0, 1]], which=[1]), "between 0 and 0"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_say_what_was_wanted(case):
    call, message = REFUSED[case]
    with pytest.raises(cv.ClustervetError, match=message) as refused:
        call()
    text = str(refused.value)
    assert text.endswith((".", "?"))
    assert text.isprintable()
    assert len(text) < 400


def test_nothing_in_common_is_refused_by_compiled_loops_too(path):
    for key in ("variation_of_information", "rand", "purity"):
        with pytest.raises(cv.ClustervetError, match="no labelled object in common"):
            distance_matrix([[0, 1, None], [0, 0, None], [None, None, 1]], key, shared=True)


def test_the_record():
    found = distance_matrix({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 1, 2, 3]})
    assert len(found) == 3
    assert found["a", "b"] == found[0, 1] == found.matrix[0, 1] == 0.5
    assert found.condensed.tolist() == [0.5, 1.0, 0.5]
    assert np.asarray(found).tolist() == found.matrix.tolist()
    with pytest.raises(ValueError, match="read-only"):
        found.matrix[0, 0] = 1
    with pytest.raises(cv.ClustervetError, match="there is no labeling 'd' among the 3 here"):
        found["a", "d"]
    with pytest.raises(cv.ClustervetError, match="that of two labelings"):
        found["a"]
    plain = json.loads(found.to_json())
    assert plain["measure"] == "variation_of_information"
    assert plain["matrix"][0] == [0.0, 0.5, 1.0]
    assert plain["objects"][0] == [4, 4, 4]
    undefined = distance_matrix([[0, 0], [0, 1]], "hubert_gamma").to_dict()
    assert undefined["matrix"] == [[1.0, None], [None, 1.0]]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_the_record_as_a_frame(backend):
    found = distance_matrix({"labeling": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 1, 2, 3]})
    wide = found.to_frame(backend)
    names = list(wide.column_names if backend == "pyarrow" else wide.columns)
    assert names == ["labeling'", "labeling", "b", "c"]
    long = found.to_frame(backend, layout="long")
    assert long.shape == (3, 4)
    assert distance_matrix([[0, 0, 1], [0, 1, 1]], "pair_recall").to_frame(
        backend, layout="long"
    ).shape == (1, 4)
    assert distance_matrix([[0, 0, 1], [0, 0, 0]], "pair_recall").to_frame(
        backend, layout="long"
    ).shape == (2, 4)
    with pytest.raises(cv.ClustervetError, match="layout must be"):
        found.to_frame(backend, layout="tall")


def test_it_shows_a_corner_and_safe_names():
    many = distance_matrix({HOSTILE: [0, 1], **{f"run {k}": [0, 0] for k in range(20)}})
    text = repr(many)
    assert len(text.splitlines()) == 11
    assert all(line.isprintable() for line in text.splitlines())
    assert "…" in text


def test_a_small_matrix_loads_no_compiler():
    code = """
import sys
from clustervet.ensemble import distance_matrix
distance_matrix([[0, 0, 1], [0, 1, 1], [0, 1, 2]]), distance_matrix([[0, 1], [0, 0]], "ami")
print([name for name in ("numba", "scipy", "pandas") if name in sys.modules])
"""
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert (ran.stdout.strip(), ran.stderr) == ("[]", "")


def test_distances_are_an_array_where_one_is_wanted():
    found = distance_matrix({"a": [0, 0, 1], "b": [0, 1, 1], "c": [0, 1, 2]})
    assert np.array_equal(np.asarray(found), found.matrix)
    assert np.asarray(found, np.float32).dtype == np.float32
    assert len(found) == 3


def test_labels_between_which_none_is_used_have_no_code():
    labels = np.tile([7, 2, 9, 2], 10_000)
    for some in (labels, labels.astype(np.int16)):
        codes, count = _shrunk(read_labels(some))
        assert count == 3
        assert codes.tolist() == [1, 0, 2, 0] * 10_000
