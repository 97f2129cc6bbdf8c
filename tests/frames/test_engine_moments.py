"""Moments of clusters from every engine, against exact rationals, row by row."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engine_frames import ENGINES, spark_session
from hypothesis import given, settings
from hypothesis import strategies as st

from clustervet.errors import FeatureError, FileError, LabelError, ParameterError
from clustervet.frames import open_table
from clustervet.frames import rows as rows_module
from clustervet.frames.frame import Frame
from clustervet.frames.moments import cluster_moments, file_moments
from clustervet.frames.rows import Rows, sample_rows

FEATURES = ["x", "y one", "z.2"]
# How far the mean of all lies from 0, and clusters from one another, in units of their spread.
PLACES = {"near": (0, 3), "a far mean": (1e6, 3), "far clusters": (-5, 1e6), "all far": (1e6, 1e6)}


def points(place="near", n=120, seed=1, labels=("a", "b", "c", None)):
    """A table with a column of labels, three features, and weights."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(len(labels), size=n)
    mean, apart = PLACES[place]
    steps = rng.normal(size=(n, 3)) + mean + apart * codes[:, None] * [1, -2, 0.5]
    columns = {name: steps[:, j] for j, name in enumerate(FEATURES)}
    return pa.table(
        {"c": [labels[k] for k in codes], **columns, "w": rng.integers(0, 4, n), "id": np.arange(n)}
    )


def expected(table, label="c", features=FEATURES, weights=None):
    """Size, mean, cross products and summed distances of each cluster: exact, but for roots."""
    data = table.to_pydict()
    heavy = data[weights] if weights else [1] * table.num_rows
    found = {}
    for name in set(data[label]):
        here = [i for i, one in enumerate(data[label]) if one == name and heavy[i]]
        rows = [([Fraction(data[f][i]) for f in features], heavy[i]) for i in here]
        n = sum(w for _, w in rows)
        mean = [sum(w * row[j] for row, w in rows) / n for j in range(len(features))]
        steps = [([a - b for a, b in zip(row, mean, strict=True)], w) for row, w in rows]
        cross = [
            [sum(w * s[i] * s[j] for s, w in steps) for j in range(len(features))]
            for i in range(len(features))
        ]
        far = math.fsum(w * math.sqrt(sum(x * x for x in s)) for s, w in steps)
        found[name] = n, mean, cross, far
    return found


def check(moments, wanted, rel=1e-10):
    assert set(moments.names) == set(wanted)
    for k, name in enumerate(moments.names):
        n, mean, cross, far = wanted[name]
        assert moments.sizes[k] == n
        assert moments.centroids[k] == pytest.approx([float(x) for x in mean], rel=1e-12)
        scatter = [float(cross[j][j]) for j in range(len(mean))]
        assert moments.scatter[k] == pytest.approx(scatter, rel=rel)
        if moments.cross is not None:
            scale = math.sqrt(max(scatter)) ** 2
            for row, exact in zip(moments.cross[k], cross, strict=True):
                assert row == pytest.approx([float(x) for x in exact], rel=rel, abs=rel * scale)
        if moments.distances is not None:
            assert moments.distances[k] == pytest.approx(far, rel=rel)


@pytest.mark.parametrize(
    ("engine", "place"),
    [
        (engine, place)
        for engine in ENGINES
        for place in (["near", "all far"] if engine in ("dask", "ibis") else PLACES)
    ],
)
def test_an_engine_sums_like_the_definition(engine, place):
    table = points(place)
    frame = ENGINES[engine](table)
    options = {"label": "c", "features": FEATURES, "missing": "class"}
    check(cluster_moments(frame, **options, cross=True), expected(table))
    check(cluster_moments(frame, **options, spreads=True), expected(table))


@pytest.mark.parametrize("place", PLACES)
def test_rows_are_summed_once_where_that_keeps_the_digits(place, monkeypatch):
    asked = []
    collect = Frame.collect
    monkeypatch.setattr(Frame, "collect", lambda *args: asked.append(1) or collect(*args))
    frame = ENGINES["duckdb"](points(place))
    options = {"label": "c", "features": FEATURES, "missing": "class"}
    cluster_moments(frame, **options)
    # The first rows, all rows, and once more where clusters are far apart.
    assert len(asked) == (2 if PLACES[place][1] == 3 else 3)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_row_stands_for_as_many_points_as_its_weight_says(engine):
    table = points("far clusters", labels=("a", "b"))
    frame = ENGINES[engine](table)
    options = {"label": "c", "features": FEATURES, "weights": "w"}
    found = cluster_moments(frame, **options, cross=True, spreads=True)
    check(found, expected(table, weights="w"))
    check(cluster_moments(frame, **options), expected(table, weights="w"))


def test_spark_sums_draws_and_sends_rows_like_the_others(monkeypatch):
    monkeypatch.setattr(rows_module, "ROWS", 50)
    table = points("all far")
    plainly = {
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.adaptive.enabled": "false",
    }
    with spark_session(settings=plainly) as session:
        frame = session.createDataFrame(table)
        options = {"label": "c", "features": FEATURES}
        found = cluster_moments(
            frame, **options, missing="class", cross=True, spreads=True, weights="w"
        )
        check(found, expected(table, weights="w"))
        assert rows_of(Rows(frame, **options)) == rows_of(Rows(table, **options))
        drawn = sample_rows(frame, **options, per_cluster=10)
        assert sorted(map(str, drawn.names)) == sorted(["a", "b", "c", "None"] * 10)
        known = {row for _, row in rows_of(Rows(table, **options))}
        assert {tuple(row) for row in drawn.points.tolist()} <= known


def rows_of(rows):
    """Label and features of every row, in any order."""
    found = [
        (str(names[place]), tuple(point))
        for names, places, points in rows.blocks()
        for place, point in zip(places, points.tolist(), strict=True)
    ]
    return sorted(found)


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_come_in_blocks(engine, monkeypatch):
    monkeypatch.setattr(rows_module, "ROWS", 50)
    table = points()
    found = Rows(ENGINES[engine](table), "c", FEATURES)
    data = table.to_pydict()
    wanted = zip(map(str, data["c"]), zip(*(data[f] for f in FEATURES), strict=True), strict=True)
    assert rows_of(found) == sorted(wanted)
    assert len(list(found.blocks())) >= 3


def test_duckdb_sends_rows_without_arrow(monkeypatch):
    monkeypatch.setattr(rows_module, "find_spec", lambda name: None)
    monkeypatch.setattr(rows_module, "ROWS", 50)
    table = points()
    assert rows_of(Rows(duckdb.from_arrow(table), "c", FEATURES)) == rows_of(
        Rows(table, "c", FEATURES)
    )
    gap = duckdb.sql("FROM (VALUES (0, 1.5), (1, NULL)) t(c, x)")
    with pytest.raises(FeatureError, match="column 'x' must be finite, filled"):
        list(Rows(gap, "c", "x").blocks())


def test_polars_sends_rows_without_batches(monkeypatch):
    monkeypatch.delattr(pl.LazyFrame, "collect_batches")
    monkeypatch.setattr(rows_module, "ROWS", 50)
    table = points()
    found = Rows(pl.from_arrow(table).lazy(), "c", FEATURES)
    assert rows_of(found) == rows_of(Rows(table, "c", FEATURES))
    assert len(list(found.blocks())) >= 3


def test_parts_without_rows_are_passed_over():
    frame = ENGINES["dask"](pa.table({"c": [0, 1] * 30, "x": np.arange(60.0)}))
    found = list(Rows(frame[frame.x >= 25], "c", "x").blocks())
    assert [len(points) for _, _, points in found] == [15, 20]


def test_whole_numbers_of_128_bits(tmp_path):
    frame = pl.DataFrame({"c": [0, 0], "x": pl.Series([2**70, 3], dtype=pl.Int128)})
    ((_, _, points),) = Rows(frame, "c", "x").blocks()
    assert points.tolist() == [[2.0**70], [3.0]]
    frame.write_parquet(tmp_path / "t.parquet")
    table = open_table(tmp_path / "t.parquet", engine="polars").features(["x"])
    assert table.matrix.tolist() == [[2.0**70], [3.0]]


@pytest.mark.parametrize("engine", ["arrow", "pandas", "polars_lazy", "duckdb", "dask"])
def test_a_sample_has_so_many_of_each_cluster_and_is_the_same_for_a_seed(engine, monkeypatch):
    monkeypatch.setattr(rows_module, "ROWS", 64)
    table = pa.table({"c": ["a"] * 150 + ["b"] * 4 + [None] * 46, "x": np.arange(200.0)})
    frame = ENGINES[engine](table)
    draws = [
        sample_rows(frame, label="c", features="x", per_cluster=20, random_state=seed)
        for seed in (1, 1, 2)
    ]
    first = draws[0]
    assert {name: first.names.count(name) for name in set(first.names)} == {
        "a": 20,
        "b": 4,
        None: 20,
    }
    assert len(set(first.points[:, 0])) == 44
    for name, point in zip(first.names, first.points[:, 0], strict=True):
        assert name == ("a" if point < 150 else "b" if point < 154 else None)
    assert draws[1].points.tolist() == first.points.tolist()
    assert draws[2].points.tolist() != first.points.tolist()


def test_every_row_is_drawn_equally_often(monkeypatch):
    monkeypatch.setattr(rows_module, "ROWS", 7)
    table = pa.table({"c": [0] * 30, "x": np.arange(30.0)})
    rng = np.random.default_rng(4)
    seen = np.zeros(30)
    for _ in range(300):
        drawn = sample_rows(table, label="c", features="x", per_cluster=10, random_state=rng)
        seen[drawn.points[:, 0].astype(int)] += 1
    # Each count has mean 100 and a standard deviation of 8.2.
    assert np.abs(seen - 100).max() < 35
    assert ((seen - 100) ** 2).sum() / (300 * (1 / 3) * (2 / 3)) < 60  # chi-squared, about 29


def test_policies_for_noise_and_missing_labels():
    table = pa.table({"c": [-1, -1, 0, 0, None, 7], "x": [9.0, 8.0, 1.0, 3.0, 50.0, 4.0]})
    for make in ENGINES.values():
        frame = make(table)

        def moments(frame=frame, **options):
            return cluster_moments(frame, label="c", features="x", **options)

        with pytest.raises(LabelError, match="the clustering has 1 missing label; drop"):
            moments()
        kept = moments(missing="drop")
        assert (kept.names, kept.dropped, kept.noise_cluster) == ([-1, 0, 7], 1, 0)
        classed = moments(missing="class")
        assert (classed.names, classed.sizes.tolist()) == ([-1, 0, 7, None], [2, 2, 1, 1])
        for noise in ({"noise": "drop"}, {"noise": -1, "noise_policy": "drop"}):
            less = moments(missing="drop", **noise)
            assert (less.names, less.dropped, less.noise_cluster) == ([0, 7], 3, None)
        same = moments(missing="drop", noise="keep")
        assert (same.names, same.noise_cluster) == ([-1, 0, 7], None)
        with pytest.raises(ParameterError, match="noise as singletons needs every point"):
            moments(missing="drop", noise="singletons")
        with pytest.raises(LabelError, match="no point is left"):
            moments(missing="drop", noise={-1: "drop", 0: "drop", 7: "drop"})


def test_labels_that_are_all_missing_may_be_one_cluster():
    frame = pl.DataFrame({"c": pl.Series([None, None], dtype=pl.String), "x": [1e9, 1e9 + 2]})
    found = cluster_moments(frame, label="c", features="x", missing="class", spreads=True)
    assert (found.names, found.scatter.tolist(), found.distances.tolist()) == ([None], [[2]], [2])


def test_features_of_every_kind_of_number():
    table = pa.table(
        {
            "c": [0, 0, 1, 1],
            "f": pa.array([0.5, 1.5, 2.5, 4.5], pa.float32()),
            "i": pa.array([1, 2, 3, 5], pa.int16()),
            "u": pa.array([2**40, 2**40 + 1, 0, 2], pa.uint64()),
            "b": [True, False, True, True],
            "d": pa.array([Decimal("0.25"), Decimal("0.75"), Decimal(3), Decimal(5)]),
        }
    )
    for name, make in ENGINES.items():
        features = ["f", "i", "u", "b"] + (["d"] if name != "pandas" else [])
        found = cluster_moments(make(table), label="c", features=features)
        wanted = [[0.5, 0.5, 0.5, 0.5, 0.125], [2, 2, 2, 0, 2]]
        assert found.scatter.tolist() == [row[: len(features)] for row in wanted], name


def test_a_constant_feature_has_no_scatter_however_far_it_is():
    values = [0.1 + 1e9] * 7 + [0.3 - 1e5] * 5
    table = pa.table({"c": [0] * 7 + [1] * 5, "x": values, "y": np.arange(12.0) ** 3})
    for make in ENGINES.values():
        for spreads in (False, True):
            options = {"label": "c", "features": ["x", "y"], "cross": True, "spreads": spreads}
            found = cluster_moments(make(table), **options)
            assert found.scatter[:, 0].tolist() == [0, 0]
            assert found.cross[:, 0].tolist() == [[0, 0], [0, 0]]
            assert found.centroids[:, 0].tolist() == [values[0], values[-1]]


BAD = {
    "column 'x' has 1 missing or NaN value; drop or fill": [1.0, None, 3.0],
    "column 'x' has 2 missing or NaN values; drop or fill": [float("nan"), 2.0, None],
    "column 'x' must be finite; it holds an infinite value": [1.0, float("-inf"), 3.0],
    "column 'x' holds values beyond 1e[+]150, too large to square": [1e160, 2.0, 3.0],
}


@pytest.mark.parametrize("reason", BAD)
def test_what_is_no_number_is_refused_with_its_column(reason):
    table = pa.table({"c": [0, 0, 1], "ok": [1.0, 2.0, 3.0], "x": pa.array(BAD[reason])})
    for make in ENGINES.values():
        with pytest.raises(FeatureError, match=reason):
            cluster_moments(make(table), label="c", features=["ok", "x"])
    with pytest.raises(FeatureError, match="column 'x' must be finite, filled"):
        list(Rows(table, "c", ["ok", "x"]).blocks())


def test_calls_that_cannot_be_meant_are_refused():
    frame = points(labels=("a", "b"))
    wrong = {
        "features names no column": {"features": []},
        "'x' is asked for as a feature twice": {"features": ["x", "x"]},
        "'c' is asked for both as a feature and as a label": {"features": ["x", "c"]},
        "'w' is asked for both as a feature and as weights": {"features": ["w"], "weights": "w"},
        "a column is named by a string, not by '3'": {"features": [3]},
        "missing must be 'raise', 'drop' or 'class'": {"features": "x", "missing": "no"},
        "a noise policy is one of": {"features": "x", "noise": {1: "no"}},
        "frame must be a dataframe": {"features": "x", "frame": [1, 2]},
    }
    for reason, options in wrong.items():
        with pytest.raises(ParameterError, match=reason):
            cluster_moments(**{"frame": frame, "label": "c"} | options)
    with pytest.raises(ParameterError, match="per_cluster must be a whole number of at least 10"):
        sample_rows(frame, label="c", features="x", per_cluster=1)
    with pytest.raises(ParameterError, match="random_state must be"):
        sample_rows(frame, label="c", features="x", per_cluster=10, random_state="1")
    with pytest.raises(FileError, match="the frame has no column 'y on'; did you mean y one"):
        cluster_moments(frame, label="c", features="y on")
    with pytest.raises(FeatureError, match="column 'c' holds String, not numbers"):
        cluster_moments(frame, label="x", features="c")
    with pytest.raises(LabelError, match="the frame has no rows to sum"):
        cluster_moments(frame.slice(0, 0), label="c", features="x")
    with pytest.raises(FeatureError, match="the frame has no rows to draw from"):
        sample_rows(frame.slice(0, 0), label="c", features="x", per_cluster=10)


@pytest.mark.parametrize(
    ("weights", "reason"),
    [
        ([0.5, 1, 1], "weights must be whole numbers: how many points"),
        ([-1, 1, 1], "weights must not be negative"),
        ([None, 1, 1], "weights must be finite"),
        ([0, 0, 0], "weights are all zero"),
        ([2**52, 2**52, 1], "weights must be finite and sum to less than 2\\^53"),
        ([math.inf, 1, 1], "weights must be finite and sum"),
    ],
)
def test_weights_that_are_no_numbers_of_points_are_refused(weights, reason):
    frame = pl.DataFrame({"c": [0, 0, 1], "x": [1.0, 2.0, 3.0], "w": weights})
    with pytest.raises(LabelError, match=reason):
        cluster_moments(frame, label="c", features="x", weights="w")


def test_a_cluster_without_weight_is_none():
    frame = pl.DataFrame({"c": ["a", "a", "b"], "x": [1.0, 2.0, 1e9], "w": [2, 3, 0]})
    found = cluster_moments(frame, label="c", features="x", weights="w", spreads=True)
    assert (found.names, found.sizes.tolist()) == (["a"], [5])
    assert found.centroids.tolist() == [[1.6]]


@settings(max_examples=12)
@given(
    cuts=st.lists(st.integers(1, 119), max_size=4),
    place=st.sampled_from(list(PLACES)),
    engine=st.sampled_from(["arrow", "polars", "pandas"]),
)
def test_moments_of_shards_add_up_to_those_of_the_whole(cuts, place, engine):
    table = points(place)
    edges = [0, *sorted(cuts), 120]
    parts = [
        cluster_moments(
            ENGINES[engine](table.slice(a, b - a)),
            label="c",
            features=FEATURES,
            missing="class",
            cross=True,
            spreads=True,
        )
        for a, b in pairwise(edges)
        if b > a
    ]
    found = parts[0]
    for part in parts[1:]:
        found = found + part
    assert found.names == ["a", "b", "c", None]
    check(found, expected(table))
    assert len(parts) == 1 or found.distances is None


def test_shards_keep_what_was_dropped_and_which_cluster_is_noise():
    one = pl.DataFrame({"c": [3, None], "x": [1.0, 2.0]})
    two = pl.DataFrame({"c": [-1, 3], "x": [5.0, 3.0]})
    first, last = (
        cluster_moments(frame, label="c", features="x", missing="drop") for frame in (one, two)
    )
    both = first + last
    assert (both.names, both.sizes.tolist()) == ([-1, 3], [1, 2])
    assert (both.dropped, both.noise_cluster) == (1, 0)
    assert repr(both) == "Moments of 3 points: 1 feature, 2 clusters"


def test_moments_that_do_not_belong_together_do_not_add():
    frame = points(labels=("a", "b"))
    one = cluster_moments(frame, label="c", features="x")
    with pytest.raises(ParameterError, match="moments of different features cannot be added"):
        one + cluster_moments(frame, label="c", features="id")
    with pytest.raises(ParameterError, match="ask for cross=True in both or in neither"):
        one + cluster_moments(frame, label="c", features="x", cross=True)
    with pytest.raises(TypeError):
        one + 1


def test_files_are_summed_by_an_engine(tmp_path):
    table = points("a far mean", labels=("a", "it's; --", "c"))
    parts = [tmp_path / "one.parquet", tmp_path / "t';wo.parquet"]
    pq.write_table(table.slice(0, 50), parts[0])
    pq.write_table(table.slice(50), parts[1])
    table.to_pandas().to_csv(tmp_path / "all.csv", index=False)
    options = {"label": "c", "features": FEATURES, "cross": True}
    for engine in ("duckdb", "polars"):
        check(file_moments(parts, engine=engine, **options), expected(table))
    check(file_moments(tmp_path / "all.csv", **options), expected(table))
    heavy = file_moments(tmp_path / "all.csv", **options, weights="w", memory_limit="1GB")
    check(heavy, expected(table, weights="w"))
    with pytest.raises(FileError, match="did you mean"):
        file_moments(tmp_path / "all.csv", label="c", features=["y one", "z2"])
    with pytest.raises(FileError, match="duckdb cannot"):
        file_moments(tmp_path / "all.csv", label="x", features="c")


def test_labels_of_other_kinds_name_clusters():
    moment = pd.Timestamp("2024-02-29 12:00")
    frame = pd.DataFrame({"c": [moment, moment, pd.Timestamp("2023-01-01")], "x": [1.0, 3.0, 9.0]})
    found = cluster_moments(frame, label="c", features="x")
    assert found.sizes.tolist() == [1, 2]
    mixed = pd.DataFrame({"c": pd.Series([1, "a", 1, "a"], dtype=object), "x": [1.0, 3.0, 9.0, 5]})
    for spreads in (False, True):
        found = cluster_moments(mixed, label="c", features="x", spreads=spreads)
        assert dict(zip(found.names, found.centroids[:, 0], strict=True)) == {1: 5.0, "a": 4.0}
