"""Whatever holds numbers can be scored, gives the same values, and comes out unchanged."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import internal_data as data
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import clustervet as cv
from clustervet.geometry.picture import distance_plane

X, Y = data.gaussians([14, 15, 16], 3, seed=50)
X.flags.writeable = False
COLUMNS = ["a", "b", "c"]
KEYS = ["ssq", "silhouette", "davies_bouldin", "dunn", "log_likelihood", "dbcv"]

FORMS: dict[str, Any] = {
    "lists": X.tolist(),
    "tuples": tuple(map(tuple, X.tolist())),
    "list of rows": list(X),
    "columns first": np.asfortranarray(X),
    "every second row": np.repeat(X, 2, axis=0)[::2],
    "every second column": np.repeat(X, 2, axis=1)[:, ::2],
    "backwards": X[::-1][::-1],
    "big endian": X.astype(">f8"),
    "long double": X.astype(np.longdouble),
    "objects": X.astype(object),
    "matrix": sparse.csr_matrix(X).todense(),
    "unmasked": np.ma.array(X),
    "csr matrix": sparse.csr_matrix(X),
    "csr array": sparse.csr_array(X),
    "csc matrix": sparse.csc_matrix(X),
    "coo array": sparse.coo_array(X),
    "lil matrix": sparse.lil_matrix(X),
    "pandas": pd.DataFrame(X, columns=COLUMNS),
    "pandas with an odd index": pd.DataFrame(X, columns=COLUMNS, index=range(100, 145)),
    "pandas nullable": pd.DataFrame(X, columns=COLUMNS).astype("Float64"),
    "pandas with numbers for names": pd.DataFrame(X),
    "polars": pl.DataFrame(X, COLUMNS),
    "polars lazy": pl.DataFrame(X, COLUMNS).lazy(),
    "pyarrow": pa.table(dict(zip(COLUMNS, X.T, strict=True))),
}


@pytest.mark.parametrize("form", FORMS)
def test_same_values_for_every_form_of_features(form: str) -> None:
    for key in KEYS:
        measure = getattr(cv, key)
        if key == "log_likelihood" and sparse.issparse(FORMS[form]):
            continue  # for dense features alone
        found = measure(FORMS[form], Y)
        assert math.isclose(found, measure(X, Y), rel_tol=1e-10), key


@pytest.mark.parametrize("wrong", [-1.0, math.inf, math.nan])
def test_a_metric_that_gives_no_distances_is_refused(wrong: float) -> None:
    def metric(one: Any, other: Any) -> float:
        return wrong if one[0] < X[3, 0] else 1.0

    with pytest.raises(cv.ClustervetError, match="gives distances that are negative or not finite"):
        cv.dunn(X, Y, metric=metric)


@pytest.mark.parametrize("kind", [np.array, list, pd.Series, pl.Series, pa.chunked_array])
def test_one_feature_needs_a_table(kind: Any) -> None:
    one = kind([X[:, 0]]) if kind is pa.chunked_array else kind(X[:, 0])
    with pytest.raises(cv.ClustervetError, match=r"two dimensions, .* it has one. For a single"):
        cv.ssq(one, Y)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "?"])
def test_small_types_do_not_overflow(dtype: str) -> None:
    whole = np.random.default_rng(51).integers(0, 2 if dtype == "?" else 120, (40, 3))
    labels = np.arange(40) % 3
    for key in ("ssq", "silhouette", "calinski_harabasz"):
        measure = getattr(cv, key)
        wanted = measure(whole.astype(np.float64), labels)
        assert math.isclose(measure(whole.astype(dtype), labels), wanted, rel_tol=1e-12)


@pytest.mark.parametrize("name", [*data.names(only="sparse"), "digits"])
def test_sparse_and_dense_agree(name: str) -> None:
    one = data.case(name)
    thin = sparse.csr_matrix(one.dense)
    for key in ("ssq", "calinski_harabasz", "davies_bouldin", "xie_beni", "simplified_silhouette",
                "silhouette", "dunn", "intra_inter_ratio", "dbcv"):  # fmt: skip
        measure = getattr(cv, key)
        assert math.isclose(
            measure(thin, one.labels), measure(one.dense, one.labels), rel_tol=1e-10
        )
    for metric in ("cosine", "sqeuclidean", "manhattan"):
        found = cv.silhouette(thin, one.labels, metric=metric)
        wanted = cv.silhouette(one.dense, one.labels, metric=metric)
        assert math.isclose(found, wanted, rel_tol=1e-10)


def test_sparse_rows_out_of_order_and_repeated() -> None:
    rows, columns = np.nonzero(np.ones_like(X))
    half = sparse.coo_matrix((np.tile(X.ravel() / 2, 2), (np.tile(rows, 2), np.tile(columns, 2))))
    assert math.isclose(cv.silhouette(half, Y), cv.silhouette(X, Y), rel_tol=1e-12)
    messy = sparse.csr_matrix(X)
    for i in range(len(Y)):
        place = slice(messy.indptr[i], messy.indptr[i + 1])
        messy.indices[place] = messy.indices[place][::-1].copy()
        messy.data[place] = messy.data[place][::-1].copy()
    messy.has_sorted_indices = False
    for metric in ("euclidean", "cosine"):
        found = cv.silhouette(messy, Y, metric=metric)
        assert math.isclose(found, cv.silhouette(X, Y, metric=metric), rel_tol=1e-12)


def test_inputs_are_left_as_they_were() -> None:
    dense, labels, matrix = X.copy(), Y.copy(), np.abs(X[:, :1] - X[:, :1].T)
    thin, kept = sparse.csr_matrix(X), sparse.csr_matrix(X)
    given = matrix.copy()
    cv.internal_scores(dense, labels)
    cv.internal_scores(thin, labels)
    cv.internal_scores(matrix, labels, metric="precomputed")
    cv.silhouette(thin, labels, metric="cosine")
    assert np.array_equal(dense, X)
    assert np.array_equal(labels, Y)
    assert (matrix == given).all()
    assert (thin != kept).nnz == 0


def test_what_a_geometry_knows() -> None:
    names = np.array(["x", "y", "z"])
    g = cv.Geometry(X, names[Y])
    assert (g.n, g.k, g.d) == (45, 3, 3)
    assert sorted(g.names) == ["x", "y", "z"]
    order = [list("xyz").index(name) for name in g.names]
    assert list(g.sizes) == [[14, 15, 16][c] for c in order]
    wanted = [X[c == Y].mean(axis=0) for c in order]
    np.testing.assert_allclose(g.centroids, wanted, rtol=1e-12)


def test_a_geometry_serves_every_measure() -> None:
    g = cv.Geometry(X, Y)
    for record in cv.measures.select(kind="internal"):
        measure = getattr(cv, record.key)
        little = {"references": 2} if "references" in record.parameters else {}
        np.testing.assert_equal(float(measure(g, **little)), float(measure(X, Y, **little)))
    assert cv.silhouettes(g).overall == cv.silhouette(g)
    assert cv.internal_scores(g)["silhouette"] == cv.silhouette(g)
    assert cv.generalized_dunn(g, between="single") == cv.generalized_dunn(X, Y, between="single")


NOISY = np.where(np.arange(45) % 9 == 0, -1, Y)
KEPT = NOISY != -1


@pytest.mark.parametrize("key", ["silhouette", "ssq", "dunn", "davies_bouldin"])
def test_noise_is_one_more_cluster_unless_it_is_said_otherwise(key: str) -> None:
    measure = getattr(cv, key)
    assert math.isclose(measure(X, NOISY), measure(X, np.where(KEPT, Y, 3)), rel_tol=1e-12)
    assert measure(X, NOISY, noise="keep") == measure(X, NOISY)


@pytest.mark.parametrize("key", ["silhouette", "ssq", "dunn", "davies_bouldin"])
def test_noise_can_be_dropped(key: str) -> None:
    measure = getattr(cv, key)
    wanted = measure(X[KEPT], Y[KEPT])
    assert math.isclose(measure(X, NOISY, noise="drop"), wanted, rel_tol=1e-12)
    named = np.where(KEPT, np.array(list("abc"))[Y], "?")
    assert math.isclose(measure(X, named, noise={"?": "drop"}), wanted, rel_tol=1e-12)
    matrix = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    if key in ("silhouette", "dunn"):
        found = measure(matrix, NOISY, metric="precomputed", noise="drop")
        assert math.isclose(found, wanted, rel_tol=1e-10)


def test_noise_is_noise_to_the_density_measure_however_it_is_said() -> None:
    found = cv.dbcv(X, NOISY)
    assert math.isclose(found, cv.dbcv(X[KEPT], Y[KEPT]) * KEPT.mean(), rel_tol=1e-12)
    assert math.isclose(cv.dbcv(X, NOISY, noise="drop"), found, rel_tol=1e-12)
    assert math.isclose(cv.dbcv(X, NOISY, noise="singletons"), found, rel_tol=1e-12)
    kept = cv.dbcv(X, NOISY, noise="keep")
    assert math.isclose(kept, cv.dbcv(X, np.where(KEPT, Y, 3)), rel_tol=1e-12)
    assert kept < found - 0.1


@pytest.mark.parametrize("key", ["silhouette", "ssq", "dunn", "intra_inter_ratio"])
def test_noise_can_be_single_points(key: str) -> None:
    measure = getattr(cv, key)
    alone = np.where(KEPT, Y, 100 + np.arange(45))
    found = measure(X, NOISY, noise="singletons")
    assert math.isclose(found, measure(X, alone), rel_tol=1e-12)


def test_points_with_missing_labels_can_be_dropped() -> None:
    gapped = [None if i % 9 == 0 else int(y) for i, y in enumerate(Y)]
    found = cv.silhouette(X, gapped, missing="drop")
    assert math.isclose(found, cv.silhouette(X[KEPT], Y[KEPT]), rel_tol=1e-12)
    found = cv.silhouette(X, gapped, missing="class")
    assert math.isclose(found, cv.silhouette(X, NOISY), rel_tol=1e-12)


def test_silhouettes_stay_in_the_order_of_the_input() -> None:
    s = cv.silhouettes(X, Y)
    order = np.random.default_rng(1).permutation(45)
    np.testing.assert_allclose(cv.silhouettes(X[order], Y[order]).points, s.points[order])


def test_many_points_in_blocks_give_the_same_silhouettes() -> None:
    """More points than one block holds, clusters of very different sizes."""
    rng = np.random.default_rng(52)
    labels = np.repeat([0, 1, 2, 3, 4], [2500, 1, 40, 700, 9])
    labels = rng.permutation(labels)
    for d in (2, 64):
        cloud = rng.normal(size=(len(labels), d)) + labels[:, None] * 0.5
        some = rng.choice(len(labels), 40, replace=False)
        for metric in ("euclidean", "sqeuclidean", "cosine", "manhattan"):
            s = cv.silhouettes(cloud, labels, metric=metric)
            for i in some:
                assert math.isclose(
                    s.points[i], one_silhouette(cloud, labels, i, metric), abs_tol=1e-10
                )


def one_silhouette(cloud: np.ndarray, labels: np.ndarray, i: int, metric: str) -> float:
    distances = {
        "euclidean": lambda: np.sqrt(((cloud - cloud[i]) ** 2).sum(axis=1)),
        "sqeuclidean": lambda: ((cloud - cloud[i]) ** 2).sum(axis=1),
        "manhattan": lambda: np.abs(cloud - cloud[i]).sum(axis=1),
        "cosine": lambda: (
            1 - cloud @ cloud[i] / (np.linalg.norm(cloud, axis=1) * np.linalg.norm(cloud[i]))
        ),
    }[metric]()
    distances[i] = 0.0
    sizes = np.bincount(labels)
    sums = np.bincount(labels, weights=distances)
    own = labels[i]
    if sizes[own] == 1:
        return 0.0
    a = sums[own] / (sizes[own] - 1)
    b = np.delete(sums / sizes, own).min()
    return float((b - a) / max(a, b))


def test_near_points_in_single_precision_keep_their_distance() -> None:
    """Their difference is exact, far as they are from the mean of all points."""
    near = np.array([[0.1], [0.10001], [5.3], [9.7]], dtype=np.float32)
    wanted = float(near[1, 0] - near[0, 0]) / float(near[3, 0] - near[1, 0])
    assert math.isclose(cv.dunn(near, [0, 1, 0, 1]), wanted, rel_tol=1e-5)


def test_threads_can_share_a_geometry() -> None:
    features, labels = data.gaussians([300, 400, 500], 4, seed=53)

    def scores(g: cv.Geometry) -> tuple[float, float, float]:
        return cv.silhouette(g), cv.dunn(g), cv.ssq(g)

    wanted = scores(cv.Geometry(features, labels))
    for _ in range(5):
        shared = cv.Geometry(features, labels)
        with ThreadPoolExecutor(4) as pool:
            assert set(pool.map(scores, [shared] * 4)) == {wanted}


def test_sparse_columns_of_pandas_are_a_sparse_matrix() -> None:
    counts = np.where(np.arange(60).reshape(20, 3) % 4 == 0, 1.5, 0.0)
    frame = pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(counts))
    labels = np.arange(20) % 3
    assert cv.ssq(frame, labels) == cv.ssq(sparse.csr_matrix(counts), labels)
    assert sparse.issparse(cv.Geometry(frame, labels).points)
    assert not sparse.issparse(cv.Geometry(pd.DataFrame(counts), labels).points)


@pytest.mark.parametrize("scale", [1.0, 1e-150, 1e160])
def test_a_plane_keeps_distances_of_any_size(scale: float) -> None:
    places = X[:, :2] * scale
    gaps = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
    plane = distance_plane(gaps)
    again = np.hypot(*(plane.places[:, None] - plane.places).transpose(2, 0, 1))
    np.testing.assert_allclose(again, gaps, rtol=1e-9, atol=1e-9 * scale)
    assert "the plane holds 100.0% of their squares" in plane.note
    assert not distance_plane(np.zeros((3, 3))).places.any()


def test_clustered_points_are_rows_of_clusters_and_features() -> None:
    found = cv.examine(None, Y, features=X, measures="rand").points
    assert found.columns() == found.profiles.columns()
    assert (found.document().key, found.document().title) == ("points", "The points")
    gaps = np.hypot(*(X[:, None, :2] - X[:, :2]).transpose(2, 0, 1))
    bare = cv.examine(None, Y, features=gaps, metric="precomputed", measures="rand").points
    assert bare.profiles is None
    assert bare.columns() == {"group": ["2", "1", "0"], "points": [16, 15, 14]}
