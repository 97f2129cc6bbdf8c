"""Gower's distance: exact fractions of the definition, R's daisy, and tables of every library."""

import json
from datetime import UTC, date, datetime, timedelta, timezone
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans

import clustervet as cv
from clustervet.errors import FeatureError, LabelError, ParameterError
from clustervet.geometry import gower
from clustervet.geometry.gower import gower_table, gower_tables
from clustervet.geometry.nulls import TableNulls

R = json.loads((Path(__file__).parent / "r_gower.json").read_text())
DAY = date(2020, 1, 1)


def distances(table):
    """All distances, by the geometry that measures read."""
    n = table.shape[0] if hasattr(table, "shape") else len(table)
    geometry = cv.Geometry(table, np.zeros(n, int), "gower")
    return geometry.tile(np.arange(n), 0, n)


def frame_of_r(columns):
    """The data frame that R had."""
    made = {}
    for name, one in columns.items():
        values = one["values"]
        if one["levels"]:  # a factor; a level alone is no list
            levels = np.atleast_1d(one["levels"]).tolist()
            values = pd.Categorical(values, levels, ordered=one["ordered"])
        made[name] = values
    return pd.DataFrame(made)


@pytest.mark.parametrize("name", R)
def test_distances_and_silhouettes_are_those_of_daisy(name):
    held = R[name]
    frame = frame_of_r(held["columns"])
    np.testing.assert_allclose(distances(frame), held["distances"], rtol=1e-12, atol=1e-15)
    found = cv.silhouettes(frame, held["labels"], metric="gower")
    assert found.overall == pytest.approx(held["silhouette"], rel=1e-12)
    assert list(found.clusters.values()) == pytest.approx(held["clusters"], rel=1e-12)


KINDS = {
    "number": st.integers(-1000, 1000).map(lambda value: value / 8),
    "truth": st.booleans(),
    "text": st.sampled_from(["red", "green", "blue", "=1", ""]),
    "level": st.sampled_from(["low", "middle", "high"]),
    "day": st.integers(0, 4000).map(lambda days: DAY + timedelta(days)),
}
LEVELS = ["low", "middle", "high"]


@st.composite
def tables(draw):
    """Columns by name, each with its kind before a number."""
    rows = draw(st.integers(2, 8))
    kinds = draw(st.lists(st.sampled_from(list(KINDS)), min_size=1, max_size=6))
    return {
        f"{kind} {k}": draw(st.lists(KINDS[kind], min_size=rows, max_size=rows))
        for k, kind in enumerate(kinds)
    }


def exact(table):
    """Gower's distances by the definition, as fractions."""
    rows = len(next(iter(table.values())))
    total = [[Fraction(0)] * rows for _ in range(rows)]
    for name, column in table.items():
        kind = name.partition(" ")[0]
        if kind == "text":
            numbers = None
        elif kind == "level":
            numbers = [Fraction(LEVELS.index(value)) for value in column]
        elif kind == "day":
            numbers = [Fraction((value - DAY).days) for value in column]
        else:
            numbers = [Fraction(value) for value in column]
        width = max(numbers) - min(numbers) if numbers else 0
        for i in range(rows):
            for j in range(rows):
                if numbers is None:
                    total[i][j] += column[i] != column[j]
                elif width:
                    total[i][j] += abs(numbers[i] - numbers[j]) / width
    return np.array([[float(value / len(table)) for value in row] for row in total])


def in_pandas(table):
    """The table with ordered categories as pandas has them."""
    made = {
        name: pd.Categorical(column, LEVELS, ordered=True) if name[:5] == "level" else column
        for name, column in table.items()
    }
    return pd.DataFrame(made)


def in_polars(table):
    """The table with ordered categories as polars has them."""
    kinds = {name: pl.Enum(LEVELS) for name in table if name[:5] == "level"}
    return pl.DataFrame(table, schema_overrides=kinds)


@given(tables())
@settings(max_examples=60, deadline=None)
def test_distances_are_those_of_the_definition(table):
    wanted = exact(table)
    for frame in (in_pandas(table), in_polars(table)):
        np.testing.assert_allclose(distances(frame), wanted, rtol=1e-12, atol=1e-15)


@given(tables())
@settings(max_examples=20, deadline=None)
def test_sparse_points_have_the_same_distances(table):
    frame = in_polars(table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gower, "WIDE", 0)
        assert sparse.issparse(gower_table(frame).points)
        np.testing.assert_allclose(distances(frame), exact(table), rtol=1e-12, atol=1e-15)


def test_many_categories_are_held_sparse():
    zips = [f"{k % 500:05d}" for k in range(1000)]
    table = pl.DataFrame({"zip": zips, "size": np.arange(1000) % 7})
    held = gower_table(table)
    assert sparse.issparse(held.points)
    assert held.shape == (1000, 501)
    found = distances(table)
    assert found[0, 1] == pytest.approx((1 + 1 / 6) / 2)
    assert found[0, 500] == pytest.approx(3 / 6 / 2)  # the same zip


MIXED = {
    "age": [20, 30, 40, 60],
    "city": ["Oslo", "Rome", "Oslo", "Bern"],
    "member": [True, False, True, True],
    "joined": [datetime(2020, 1, day) for day in (1, 2, 9, 11)],
    "score": [0.5, 0.25, 1.0, 0.0],
}


def test_all_libraries_and_plain_rows_give_the_same():
    frame = pd.DataFrame(MIXED)
    wanted = distances(frame)
    assert wanted[0, 1] == pytest.approx((10 / 40 + 1 + 1 + 1 / 10 + 0.25) / 5)
    for other in (
        pl.DataFrame(MIXED),
        pl.LazyFrame(MIXED).collect().to_arrow(),
        frame.astype({"age": "Int64", "city": "category", "member": "boolean"}),
        frame.astype(object),
        frame.to_numpy(object),
    ):
        np.testing.assert_allclose(distances(other), wanted, rtol=1e-12)
    rows = [list(row) for row in zip(*MIXED.values(), strict=True)]
    assert cv.silhouette(rows, [0, 1, 0, 1], metric="gower") == pytest.approx(
        cv.silhouette(frame, [0, 1, 0, 1], metric="gower")
    )


def test_ordered_categories_of_arrow_and_categories_that_are_numbers():
    ordered = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(LEVELS), ordered=True)
    assert distances(pa.table({"a": ordered}))[0].tolist() == [0, 0.5, 1]
    plain = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(LEVELS))
    assert distances(pa.table({"a": plain}))[0].tolist() == [0, 1, 1]
    assert distances(pd.DataFrame({"a": pd.Categorical([1.5, 2.5, 9.0])}))[0].tolist() == [0, 1, 1]
    cut = pd.DataFrame({"a": pd.cut([1.0, 2.0, 3.0], 3)})  # intervals, which are ordered
    assert distances(cut)[0].tolist() == [0, 0.5, 1]


def test_times_with_a_zone_are_instants():
    east = timezone(timedelta(hours=9))
    moments = [datetime(2020, 1, 1, tzinfo=UTC), datetime(2020, 1, 1, 12, tzinfo=east)]
    moments.append(datetime(2020, 1, 1, 10, tzinfo=UTC))  # 0, 3 and 10 o'clock in UTC
    zoned = pd.Series(pd.DatetimeIndex(moments[::2]).tz_convert("Asia/Tokyo"))
    assert distances(pd.DataFrame({"a": zoned}))[0].tolist() == [0, 1]
    objects = pd.DataFrame({"a": pd.Series(moments, dtype=object)})
    assert distances(objects)[0].tolist() == pytest.approx([0, 0.3, 1])
    assert distances(pl.DataFrame({"a": moments}))[0].tolist() == pytest.approx([0, 0.3, 1])


def test_nanoseconds_of_today_are_told_apart():
    stamps = pd.to_datetime([10**18, 10**18 + 1, 10**18 + 4])
    assert distances(pd.DataFrame({"a": stamps}))[0].tolist() == [0, 0.25, 1]


def test_spans_and_times_of_day_are_numbers():
    spans = [timedelta(1), timedelta(2), timedelta(5)]
    for frame in (pd.DataFrame({"a": spans}), pl.DataFrame({"a": spans})):
        assert distances(frame)[0].tolist() == [0, 0.25, 1]
    clock = [datetime(2020, 1, 1, hour).time() for hour in (1, 2, 5)]
    assert distances(pl.DataFrame({"a": clock}))[0].tolist() == [0, 0.25, 1]


def test_numbers_at_the_ends_of_floats_keep_their_shares():
    wide = distances(pd.DataFrame({"a": [1.7e308, 0.0, -1.7e308]}))
    assert wide[0].tolist() == [0, 0.5, 1]
    narrow = distances(pd.DataFrame({"a": [0.0, 5e-324, 1e-323]}))
    assert narrow[0].tolist() == [0, 0.5, 1]


def test_constant_columns_count_as_columns_and_differ_nowhere():
    frame = pd.DataFrame({"same": [7, 7, 7], "one": ["x", "x", "x"], "a": [0, 1, 4]})
    assert distances(frame)[0] == pytest.approx([0, 1 / 12, 1 / 3])
    nothing = frame[["same", "one"]]
    assert not distances(nothing).any()
    assert cv.silhouette(nothing, [0, 0, 1], metric="gower") == 0
    with pytest.raises(FeatureError, match="all points are equal"):
        cv.tendency(pd.concat([nothing] * 4), metric="gower")


def test_one_row_has_no_silhouette():
    frame = pd.DataFrame({"a": [1], "b": ["x"]})
    with pytest.raises(LabelError, match="at least 2 clusters"):
        cv.silhouette(frame, [0], metric="gower")


@pytest.mark.parametrize(
    "column",
    [
        ["a", None, "b"],
        [True, None, False],
        [1.0, np.nan, 2.0],
        pd.Categorical(["a", None, "b"]),
        pd.Categorical(["a", None, "b"], ordered=True),
        pd.to_datetime(["2020-01-01", None, "2020-01-02"]),
        pd.array([1, None, 3], "Int64"),
        pd.Series([DAY, None, DAY], dtype=object),
    ],
    ids=str,
)
def test_a_missing_value_is_refused_by_its_column(column):
    frame = pd.DataFrame({"ok": [1, 2, 3], "gap": column})
    with pytest.raises(FeatureError, match="'gap' of X has a missing value in row 1; drop or fill"):
        cv.silhouette(frame, [0, 0, 1], metric="gower")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (pd.DataFrame({"a": [1, "x", 2]}), "holds 2 and 'x', which are of two kinds"),
        (pd.DataFrame({"a": [[1], [2], [3]]}), "values such as lists"),
        (pl.DataFrame({"a": [{"x": 1}] * 3}), "values such as lists"),
        (pd.DataFrame({"a": pd.period_range("2020", periods=3, freq="M")}), "no number, text or"),
        (pd.DataFrame([[1, 2], [3, 4], [5, 6]], columns=["a", "a"]), "two columns called 'a'"),
        (pd.DataFrame({"a": [0.0, np.inf, 1.0]}), "'a' of X must be finite; row 1 is infinite"),
        (pd.DataFrame({"a": [10**400, 1, 2]}), "beyond any float"),
        (
            pd.DataFrame({"a": pd.Series([datetime(2020, 1, 1), datetime.now(UTC), 0])[:2]}),
            "of two kinds",
        ),
        (pd.DataFrame({"a": []}), "needs points and features"),
        (pd.Series(["x", "y", "z"]), "two dimensions"),
        (np.array([["1", "x"], ["2", "y"], ["3", "z"]]), "an array of <U1"),
        ([[1, "x"], [2], [3, "y"]], "rows of equal length"),
        ({"a": [1, 2, 3]}, "not a dict"),
        (sparse.eye_array(3), "take the metric 'manhattan'"),
        (pd.DataFrame({"id": [f"n{k}" for k in range(12)]}), "'id' of X has another value in each"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_table_is_refused_in_one_sentence(table, said):
    with pytest.raises(FeatureError) as refusal:
        gower_table(table)
    assert said in str(refusal.value)


def test_text_among_features_names_gower_as_a_way_out():
    with pytest.raises(FeatureError, match="metric='gower' reads it as it is"):
        cv.silhouette(pd.DataFrame(MIXED)[["age", "city"]], [0, 1, 0, 1])


# What is measured


def test_a_card_names_gower_and_says_what_has_no_value():
    frame = pd.DataFrame(MIXED)
    card = cv.internal_scores(frame, [0, 1, 0, 1], "gower")
    assert str(card.subject) == "4 points, 5 features, 2 clusters, gower distances"
    assert card.to_dict()["metric"] == "gower"
    said = "numbers: age, member, score; dates: joined; categories: city."
    assert card.subject.remarks[1] == f"Gower's distance reads {said}"
    assert np.isnan(card["ssq"])
    assert np.isnan(card["median_distance"])
    assert card.scores["ssq"].why.startswith("it needs numbers, and Gower's distance")
    for known in ("silhouette", "dunn", "medoid_distance", "average_linkage"):
        assert np.isfinite(card[known])
    assert repr(cv.Geometry(frame, [0, 1, 0, 1], "gower")).endswith("5 features, 2 clusters, gower")
    assert "gower distances" in repr(cv.Geometry(frame, [0, 1, 0, 1], "gower").clusters())
    with pytest.raises(FeatureError, match="needs numbers"):
        cv.ssq(frame, [0, 1, 0, 1], metric="gower")


def test_points_of_a_noise_policy_keep_the_ranges_of_the_table():
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0, 10.0]})
    geometry = cv.Geometry(frame, [0, 0, 1, -1], "gower", noise_policy="drop")
    assert geometry.tile(np.arange(3), 0, 3)[0].tolist() == pytest.approx([0, 0.1, 0.2])


def test_several_clusterings_chance_and_batches_take_gower():
    frame = pd.DataFrame({name: column * 6 for name, column in MIXED.items()})
    labels = [0, 1, 0, 1] * 6
    cards = cv.internal_scores(frame, {"a": labels, "b": sorted(labels)}, "gower")
    assert cards["a"]["silhouette"] == cv.silhouette(frame, labels, metric="gower")
    chance = cv.chance("silhouette", frame, labels, metric="gower", samples=30, random_state=0)
    assert chance.value == cards["a"]["silhouette"]
    with pytest.raises(ParameterError, match="not a table for Gower's distance"):
        cv.chance("silhouette", frame, labels, metric="gower", model="structureless")
    own = distances(frame)
    batches = [0, 0, 1, 1] * 6
    assert cv.silhouette_batch(frame, labels, batches, "gower") == pytest.approx(
        cv.silhouette_batch(own, labels, batches, "precomputed")
    )


# New points


def test_new_points_are_in_the_ranges_and_categories_of_the_old_ones():
    old = pd.DataFrame({"a": [0.0, 10.0], "b": ["x", "y"], "c": pd.Categorical(["lo", "hi"])})
    new = pd.DataFrame({"a": [5.0, 30.0], "b": ["x", "z"], "c": pd.Categorical(["hi", "no"])})
    one, other = gower_tables(old, new)
    found = np.abs(one.dense[:, None] - other.dense).sum(axis=2)
    assert found == pytest.approx(np.array([[1.5 / 3, 5 / 3], [1.5 / 3, 4 / 3]]))


def test_new_points_get_the_clusters_of_the_nearest():
    old = pd.DataFrame({"a": [0, 1, 8, 9], "b": list("xxyy")})
    labels = ["low", "low", "high", "high"]
    new = pd.DataFrame({"a": [2, 100], "b": ["unknown", "unknown"]}, index=["p", "q"])
    for how in ("knn", "average"):
        found = cv.assign(old, labels, new, how, metric="gower")
        assert found.to_dict() == {"p": "low", "q": "high"}


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (pd.DataFrame({"a": ["x"], "b": ["x"]}), "'a' of new holds categories, and that of X num"),
        (pd.DataFrame({"a": [1]}), "it has 1, and X has 2"),
        (pd.DataFrame({"a": [1], "b": [None]}), "'b' of new has a missing value in row 0"),
    ],
)
def test_new_points_of_other_columns_are_refused(new, said):
    old = pd.DataFrame({"a": [0, 1, 8, 9], "b": list("xxyy")})
    with pytest.raises(FeatureError, match=said):
        cv.assign(old, [0, 0, 1, 1], new, "knn", metric="gower")


def test_an_unknown_level_has_no_place_in_an_order():
    old = pl.DataFrame({"a": pl.Series(LEVELS, dtype=pl.Enum(LEVELS))})
    new = pl.DataFrame({"a": pl.Series(["top"], dtype=pl.Enum(["top"]))})
    unused = pl.DataFrame({"a": pl.Series(["low"], dtype=pl.Enum(["top", "low"]))})
    assert cv.assign(old, [0, 0, 1], unused, "knn", metric="gower").tolist() == [0]
    with pytest.raises(FeatureError, match="category 'top', which has no place in the order"):
        cv.assign(old, [0, 0, 1], new, "knn", metric="gower")


# Tuning, stability, tendency


def grouped(seed=0, size=120):
    """A table of three groups, and the groups."""
    rng = np.random.default_rng(seed)
    group = rng.integers(3, size=size)
    table = {
        "age": np.array([20, 45, 70])[group] + rng.normal(0, 4, size),
        "city": np.array(["Oslo", "Rome", "Bern"])[group],
        "job": np.where(rng.random(size) < 0.9, np.array(["x", "y", "z"])[group], "w"),
        "member": rng.random(size) < 0.5,
    }
    return pd.DataFrame(table), group


def unrelated(seed=0, size=100):
    """A table of columns that know nothing of each other."""
    rng = np.random.default_rng(seed)
    table = {
        "a": rng.choice(list("xyz"), size, p=[0.6, 0.3, 0.1]),
        "b": rng.choice(list("pq"), size),
        "c": rng.normal(size=size),
        "d": rng.random(size) < 0.4,
    }
    return pd.DataFrame(table)


def test_tune_finds_the_groups_of_a_mixed_table():
    frame, group = grouped(size=240)
    options = {"metric": "gower", "random_state": 0}
    found = cv.tune("average", frame, values=range(2, 7), **options)
    assert found.suggestion == 3
    assert cv.adjusted_rand(group, found.best_labels()) == 1
    assert [record.key for record in found.measures] == ["intra_inter_ratio", "silhouette"]
    assert "city = Oslo" in repr(found.picture.profiles)
    # By the distances themselves, and by estimators that take distances.
    by_distance = cv.tune("average", distances(frame), values=range(2, 7), metric="precomputed")
    np.testing.assert_allclose(found.curves["silhouette"], by_distance.curves["silhouette"])
    own = AgglomerativeClustering(metric="precomputed", linkage="average")
    grid = cv.tune([own, "complete"], frame, grid={"n_clusters": [2, 3]}, references=0, **options)
    assert grid.curves["silhouette"][1] == pytest.approx(found.curves["silhouette"][1])
    assert own.metric == "precomputed"


def test_tune_takes_given_labels_and_samples_by_gower():
    frame, group = grouped()
    options = {"metric": "gower", "random_state": 0, "references": 0}
    given = cv.tune({2: group > 0, 3: group}, frame, **options)
    assert given.curves["silhouette"][1] == cv.silhouette(frame, group, metric="gower")
    strong = cv.tune("average", frame, None, [2, 3], "prediction_strength", **options)
    assert strong.curves["prediction_strength"][1] > 0.8


@pytest.mark.parametrize("seed", range(3))
def test_unrelated_columns_are_no_clusters(seed):
    frame = unrelated(seed)
    found = cv.tune("average", frame, values=range(2, 7), metric="gower", random_state=0)
    assert found.suggestion is None
    assert cv.tendency(frame, metric="gower").answer == "none"


def test_sets_without_clusters_keep_the_frequencies_of_categories():
    table = gower_table(unrelated())
    nulls = TableNulls(table.dense, table.nominal)
    drawn = nulls.draw(next(iter(nulls.kinds)), np.random.default_rng(0))
    held = table.nominal >= 0
    np.testing.assert_array_equal(drawn[:, held].sum(axis=0), table.dense[:, held].sum(axis=0))
    np.testing.assert_allclose(drawn[:, table.nominal == 0].sum(axis=1), 0.5 / 4)
    truth = table.names.index("d")  # two values, which stay as frequent as they are
    assert sorted(drawn[:, truth]) == sorted(table.dense[:, truth])
    assert not np.array_equal(drawn, table.dense)
    words = gower_table(unrelated()[["a", "b"]])
    assert list(TableNulls(words.dense, words.nominal).kinds) == ["independent columns"]


def test_stability_and_tendency_of_a_mixed_table():
    frame, _group = grouped()
    found = cv.stability("average", frame, clusters=3, metric="gower", samples=10, random_state=0)
    assert all(one.jaccard > 0.9 for one in found.clusters)
    seen = cv.tendency(frame, metric="gower")
    assert seen.answer == "clusters"
    assert seen.metric == "gower"
    assert np.isnan(seen.hopkins)
    assert [test.of for test in seen.dips] == ["distances"]


def test_examine_takes_gower():
    frame, group = grouped(size=60)
    found = cv.examine({"y": group}, {"a": group, "b": group > 0}, features=frame, metric="gower")
    assert found.inner["a"]["silhouette"] == cv.silhouette(frame, group, metric="gower")
    assert found.inner["a"].subject.metric == "gower"
    said = "Gower's distance reads numbers: age, member; categories: city, job."
    assert said in found.notes
    assert "job = x" in repr(found.points.profiles)


FRAME, GROUP = grouped(size=30)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (partial(cv.tune, "kmeans", FRAME), "kmeans knows no Gower distances"),
        (partial(cv.tune, KMeans(), FRAME), "KMeans knows no Gower distances"),
        (partial(cv.tune, HDBSCAN(copy=True), FRAME), "average, complete, single, dbscan, hdbscan"),
        (partial(cv.tune, ["average", "ward"], FRAME), "ward knows no Gower distances"),
        (partial(cv.tune, "average", FRAME, standardize=True), "does not go with metric='gower'"),
        (partial(cv.tune, "average", FRAME, validation=FRAME), "validation is for features"),
        (partial(cv.stability, "gmm", FRAME, clusters=2), "gmm knows no Gower distances"),
        (partial(cv.stability, "average", FRAME, clusters=2, how="jitter"), "is for features"),
        (partial(cv.stability, "average", FRAME, clusters=2, standardize=True), "not go with"),
        (partial(cv.tendency, FRAME, standardize=True), "does not go with metric='gower'"),
        (partial(cv.internal_scores, FRAME, GROUP, standardize=True), "does not go with metric"),
        (partial(cv.examine, GROUP, GROUP, features=FRAME, standardize=True), "does not go with"),
        (partial(cv.assign, FRAME, GROUP, FRAME), "centroids are by Euclidean distances"),
    ],
)
def test_what_does_not_go_with_gower_is_refused(ask, said):
    with pytest.raises(ParameterError, match=said):
        ask(metric="gower")


def test_a_finer_table_is_no_farther():
    """Each column counts the same, whatever its unit is."""
    frame = pd.DataFrame({"a": [1.0, 2.0, 5.0], "b": [0.1, 0.4, 0.2]})
    scaled = frame.assign(a=frame.a * 1000 + 3, b=-frame.b)
    np.testing.assert_allclose(distances(frame), distances(scaled), rtol=1e-12)


def test_weights_and_columns_of_any_kind_go_together():
    frame = pd.DataFrame({"age": [20, 24, 60, 58, 33], "city": ["a", "a", "b", "b", "c"]})
    labels, weights = [0, 0, 1, 1, 0], [1, 3, 2, 1, 2]
    again = frame.loc[frame.index.repeat(weights)].reset_index(drop=True)
    for measure in ("silhouette", "intra_inter_ratio", "medoid_distance"):
        ours = getattr(cv, measure)(frame, labels, metric="gower", weights=weights)
        theirs = getattr(cv, measure)(again, np.repeat(labels, weights), metric="gower")
        assert ours == pytest.approx(theirs, abs=1e-12)
