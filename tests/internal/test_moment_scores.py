"""Internal measures of clusters known by their moments, against those of the points."""

from __future__ import annotations

import math
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clustervet as cv
from clustervet import internal_scores, measures
from clustervet.errors import FeatureError, ParameterError
from clustervet.frames import rows as rows_module
from clustervet.frames.moments import cluster_moments
from clustervet.frames.rows import Rows, Sample, sample_rows
from clustervet.geometry import Geometry, MomentGeometry
from clustervet.geometry.from_moments import sampled_silhouette

FEATURES = ["a", "b", "c"]
ALONE = ["ssq", "calinski_harabasz", "hartigan", "xie_beni", "ward_linkage"]
INDICES = ["ball_hall", "duda_hart", "sd_index"]
OF_SQUARES = ["intra_inter_ratio", "intra_distance", "inter_distance"]
SPREAD = [*ALONE, "davies_bouldin"]


def dask(table):
    import dask.dataframe as dd

    return dd.from_pandas(table.to_pandas(), npartitions=3)


ENGINES = {
    "pandas": lambda table: table.to_pandas(),
    "pandas of arrow": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
    "lazy polars": lambda table: pl.from_arrow(table).lazy(),
    "pyarrow": lambda table: table,
    "duckdb": lambda table: duckdb.connect().from_arrow(table),
    "dask": dask,
}


def blobs(mean=0.0, apart=4.0, n=300, clusters=4, seed=3):
    """Points, and the cluster of each."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(clusters, size=n)
    centers = rng.normal(size=(clusters, 3)) * apart
    return rng.normal(size=(n, 3)) * [1, 2, 0.5] + centers[codes] + mean, codes


def as_table(points, codes):
    return pa.table({"k": codes} | {f: points[:, j] for j, f in enumerate(FEATURES)})


def moments_of(points, codes, **options):
    return cluster_moments(as_table(points, codes), label="k", features=FEATURES, **options)


@pytest.mark.parametrize("mean", [0.0, 1e6, -1e9])
@pytest.mark.parametrize("apart", [4.0, 1e5])
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_gives_the_scores_of_the_points(engine, mean, apart):
    points, codes = blobs(mean, apart)
    frame = ENGINES[engine](as_table(points, codes))
    moments = cluster_moments(frame, label="k", features=FEATURES, spreads=True)
    found = internal_scores(moments, measures=SPREAD)
    wanted = internal_scores(points, codes, measures=SPREAD)
    for key in SPREAD:
        assert found[key] == pytest.approx(wanted[key], rel=1e-9), key


def test_squared_distances_of_pairs_follow_from_moments():
    points, codes = blobs(1e6)
    found = internal_scores(moments_of(points, codes), metric="sqeuclidean")
    wanted = internal_scores(points, codes, metric="sqeuclidean")
    for key in OF_SQUARES:
        assert found[key] == pytest.approx(wanted[key], rel=1e-9)
    assert found["ssq"] == pytest.approx(wanted["ssq"], rel=1e-9)


def test_moments_of_shards_score_like_the_whole():
    points, codes = blobs(1e6, n=500)
    parts = np.array_split(np.arange(500), 7)
    shards = [moments_of(points[part], codes[part]) for part in parts]
    whole = shards[0]
    for shard in shards[1:]:
        whole = whole + shard
    found, wanted = internal_scores(whole), internal_scores(points, codes)
    for key in ALONE:
        assert found[key] == pytest.approx(wanted[key], rel=1e-9)


def test_noise_is_what_it_is_for_points():
    points, codes = blobs()
    codes = codes - 1
    for options in ({}, {"noise": "drop"}, {"noise": "keep"}):
        found = internal_scores(moments_of(points, codes, spreads=True, **options), measures=SPREAD)
        wanted = internal_scores(points, codes, measures=SPREAD, **options)
        for key in SPREAD:
            assert found[key] == pytest.approx(wanted[key], rel=1e-9)
        one, other = found.to_dict(), wanted.to_dict()
        for part in ("objects", "clusters", "features", "noise", "remarks"):
            assert one[part] == other[part], part


def test_what_needs_points_says_so():
    points, codes = blobs(n=80)
    geometry = Geometry.from_moments(moments_of(points, codes))
    assert isinstance(geometry, MomentGeometry)
    assert repr(geometry) == "Geometry of 80 points by moments: 3 features, 4 clusters, euclidean"
    own = [record for record in measures.values() if is_own(record)]
    card = internal_scores(geometry, measures=[record.key for record in own])
    finite = {record.key for record in own if math.isfinite(card[record.key])}
    assert finite == {*ALONE, *INDICES}
    for metric in ("euclidean", "sqeuclidean"):
        geometry = Geometry.from_moments(moments_of(points, codes), metric)
        exact = [*ALONE, *INDICES, *(OF_SQUARES if metric == "sqeuclidean" else [])]
        for record in own:
            if record.key not in exact:
                with pytest.raises((FeatureError, ParameterError), match=r"need|every point"):
                    record(geometry)
    with pytest.raises(FeatureError, match="ask for spreads=True with them"):
        cv.davies_bouldin(geometry)


def is_own(record):
    return record.kind == "internal" and record.formula.__module__.startswith("clustervet.")


def test_limits_are_those_of_points():
    alone = moments_of(np.arange(9.0).reshape(3, 3), [0, 1, 2])
    one = moments_of(np.arange(9.0).reshape(3, 3), [5, 5, 5])
    same = moments_of(np.ones((4, 3)), [0, 0, 1, 1], spreads=True)
    assert cv.ssq(alone) == cv.ssq(same) == 0.0
    for moments in (alone, one):
        card = internal_scores(moments, measures=ALONE)
        assert all(math.isnan(card[key]) for key in ALONE[1:4])
    assert cv.ward_linkage(alone) == pytest.approx(math.sqrt(27))
    card = internal_scores(same, measures=SPREAD)
    assert card["ward_linkage"] == 0.0
    assert all(math.isnan(card[key]) for key in SPREAD[1:] if key != "ward_linkage")


def test_calls_that_cannot_be_meant_are_refused():
    moments = moments_of(*blobs(n=20))
    with pytest.raises(ParameterError, match="either one Moments or features and labels"):
        internal_scores(moments, [0] * 20)
    with pytest.raises(ParameterError, match="either one Moments or features and labels"):
        internal_scores(moments, noise="drop")
    with pytest.raises(ParameterError, match="euclidean and sqeuclidean, not manhattan"):
        internal_scores(moments, metric="manhattan")
    with pytest.raises(AttributeError, match="has no colour"):
        _ = Geometry.from_moments(moments).colour


@pytest.mark.parametrize("engine", ["polars", "duckdb", "pandas"])
def test_mean_distances_follow_from_the_rows_once_more(engine, monkeypatch):
    monkeypatch.setattr(rows_module, "ROWS", 70)
    points, codes = blobs(1e6)
    codes = codes - 1
    frame = ENGINES[engine](as_table(points, codes))
    rows = Rows(frame, "k", FEATURES)
    for noise in ({}, {"noise": "drop"}):
        moments = cluster_moments(frame, label="k", features=FEATURES, **noise)
        found = cv.davies_bouldin(Geometry.from_moments(moments, rows=rows))
        wanted = cv.davies_bouldin(points, codes, **noise)
        assert found == pytest.approx(wanted, rel=1e-9)


def test_rows_of_other_points_are_refused():
    points, codes = blobs()
    rows = Rows(as_table(points[1:], codes[1:]), "k", FEATURES)
    geometry = Geometry.from_moments(moments_of(points, codes), rows=rows)
    with pytest.raises(FeatureError, match="the rows are not those of the moments"):
        cv.davies_bouldin(geometry)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean"])
def test_a_sample_of_all_points_has_the_silhouette(metric):
    points, codes = blobs(1e3)
    codes[:3] = [7, 8, 8]
    table = as_table(points, codes)
    sample = sample_rows(table, label="k", features=FEATURES, per_cluster=1_000)
    geometry = Geometry.from_moments(moments_of(points, codes), metric, sample=sample)
    found = internal_scores(geometry, measures=["silhouette"])["silhouette"]
    assert found == pytest.approx(cv.silhouette(points, codes, metric), rel=1e-12)
    assert found.standard_error == 0


def test_intervals_of_sampled_silhouettes_hold_as_often_as_they_say():
    rng = np.random.default_rng(8)
    points, codes = blobs(apart=1.5, n=1_500, clusters=3)
    codes[codes == 2] = np.where(rng.random((codes == 2).sum()) < 0.8, 1, 2)  # unequal sizes
    exact = cv.silhouette(points, codes)
    moments, table = moments_of(points, codes), as_table(points, codes)
    held, found = 0, []
    for seed in range(200):
        sample = sample_rows(table, label="k", features=FEATURES, per_cluster=40, random_state=seed)
        estimate = Geometry.from_moments(moments, sample=sample).estimate("silhouette")
        low, high = estimate.interval(0.95)
        held += low <= exact <= high
        found.append((float(estimate), estimate.standard_error))
    values, errors = np.array(found).T
    # Of 200 intervals at 95%, 178 to 199 hold with probability above 0.999.
    assert 178 <= held <= 200
    assert abs(values.mean() - exact) < 0.4 * values.std()
    assert errors.mean() == pytest.approx(values.std(), rel=0.25)


def test_a_sample_of_most_points_leaves_little_doubt():
    points, codes = blobs(apart=1.5, n=240, clusters=2)
    moments, table = moments_of(points, codes), as_table(points, codes)
    options = {"label": "k", "features": FEATURES, "per_cluster": 90}
    found = []
    for seed in range(150):
        sample = sample_rows(table, **options, random_state=seed)
        estimate = Geometry.from_moments(moments, sample=sample).estimate("silhouette")
        found.append((float(estimate), estimate.standard_error))
    values, errors = np.array(found).T
    assert errors.mean() == pytest.approx(values.std(), rel=0.3)


def test_a_sample_that_lacks_a_cluster_is_refused():
    points, codes = blobs()
    few = Sample([0, 0, 1, 1, 2, 2, 3], points[:7])
    geometry = Geometry.from_moments(moments_of(points, codes), sample=few)
    with pytest.raises(ParameterError, match="the sample holds 1 points of cluster 3; draw it"):
        internal_scores(geometry, measures=["silhouette"])


def test_blocks_of_a_sample_do_not_change_its_silhouette(monkeypatch):
    points, codes = blobs(n=200)
    sizes = np.bincount(codes) * 10
    whole = sampled_silhouette(points, codes, sizes)
    monkeypatch.setattr("clustervet.geometry.from_moments.BLOCK", 1_000)
    pieces = sampled_silhouette(points, codes, sizes)
    assert pieces == pytest.approx(whole, rel=1e-12)
    assert pieces.standard_error == pytest.approx(whole.standard_error, rel=1e-9)


@pytest.mark.parametrize("mean", [0.0, 1e6])
@pytest.mark.parametrize("engine", ENGINES)
def test_likelihoods_follow_from_moments_and_rows(engine, mean, monkeypatch):
    monkeypatch.setattr(rows_module, "ROWS", 70)
    points, codes = blobs(mean)
    frame = ENGINES[engine](as_table(points, codes))
    moments = cluster_moments(frame, label="k", features=FEATURES, cross=True)
    found = Geometry.from_moments(moments, rows=Rows(frame, "k", FEATURES))
    wanted = Geometry(points, codes)
    shapes = ("spherical", "diagonal", "tied", "full") if engine != "dask" else ("full",)
    for covariance in shapes:
        for regularization in (0.0, 1e-2):
            options = {"covariance": covariance, "regularization": regularization}
            for measure in (cv.log_likelihood, cv.bic, cv.aic):
                exact = measure(wanted, **options)
                assert measure(found, **options) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("mean", [0.0, 1e6])
def test_silhouettes_by_centroids_and_by_squares_follow_from_moments_and_rows(mean, monkeypatch):
    monkeypatch.setattr(rows_module, "ROWS", 70)
    # The room's own name for the module is that of the measure.
    monkeypatch.setattr(sys.modules["clustervet.internal.common"], "BLOCK", 100)
    points, codes = blobs(mean)
    codes[0] = 9
    rows = Rows(as_table(points, codes), "k", FEATURES)
    moments = moments_of(points, codes)
    for metric in ("euclidean", "sqeuclidean"):
        found = Geometry.from_moments(moments, metric, rows=rows)
        exact = cv.simplified_silhouette(points, codes)
        assert cv.simplified_silhouette(found) == pytest.approx(exact, rel=1e-9)
    exact = cv.silhouette(points, codes, "sqeuclidean")
    assert cv.silhouette(found) == pytest.approx(exact, rel=1e-9)


def test_covariances_need_products_of_features():
    points, codes = blobs()
    rows = Rows(as_table(points, codes), "k", FEATURES)
    geometry = Geometry.from_moments(moments_of(points, codes), rows=rows)
    assert math.isfinite(cv.bic(geometry, covariance="diagonal"))
    for covariance in ("tied", "full"):
        with pytest.raises(FeatureError, match=f"a {covariance} covariance needs products of"):
            cv.bic(geometry, covariance=covariance)


def test_a_singular_covariance_is_as_singular_by_moments():
    points, codes = blobs()
    points[:, 2] = points[:, 0] - points[:, 1]
    rows = Rows(as_table(points, codes), "k", FEATURES)
    geometry = Geometry.from_moments(moments_of(points, codes, cross=True), rows=rows)
    with pytest.raises(FeatureError, match="the covariance of cluster 0 is singular"):
        cv.log_likelihood(geometry)
    found = cv.log_likelihood(geometry, regularization=1e-3)
    assert found == pytest.approx(cv.log_likelihood(points, codes, regularization=1e-3), rel=1e-9)


def test_a_sample_answers_for_the_silhouette_itself():
    points, codes = blobs()
    sample = sample_rows(as_table(points, codes), label="k", features=FEATURES, per_cluster=20)
    geometry = Geometry.from_moments(moments_of(points, codes), sample=sample)
    assert cv.silhouette(geometry) == geometry.estimate("silhouette")
