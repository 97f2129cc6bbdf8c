"""`Geometry.clusters`: distances within single clusters and to the others."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist

import clustervet as cv
from clustervet._kernels.patience import compiled_always
from clustervet.errors import LabelError

METRICS = ["euclidean", "sqeuclidean", "manhattan", "cosine", "chebyshev"]


def by_hand(distances, labels):
    """Rows of the table from the matrix of all distances, as `fpc::cluster.stats` defines them."""
    labels = np.asarray(labels)
    found = {}
    for name in np.unique(labels).tolist():
        inside = labels == name
        own = distances[np.ix_(inside, inside)]
        pairs = own[np.triu_indices(len(own), 1)]
        tree = minimum_spanning_tree(own + 1e-300).toarray()
        widths, neighbours = [], []
        for i in np.flatnonzero(inside):
            others = {
                other: distances[i, labels == other].mean()
                for other in np.unique(labels).tolist()
                if other != name
            }
            nearest = min(others, key=others.get)
            neighbours.append(nearest)
            a = distances[i, inside].sum() / max(inside.sum() - 1, 1)
            b = others[nearest]
            widths.append((b - a) / max(a, b) if inside.sum() > 1 and max(a, b) > 0 else 0.0)
        found[name] = {
            "size": int(inside.sum()),
            "diameter": own.max(),
            "mean_distance": pairs.mean() if len(pairs) else math.nan,
            "gap": tree.max() if len(pairs) else math.nan,
            "separation": distances[np.ix_(inside, ~inside)].min(),
            "silhouette": np.mean(widths),
            "neighbours": neighbours,
        }
    return found


def check(geometry, distances, labels):
    found = geometry.clusters()
    for name, wanted in by_hand(distances, labels).items():
        row = found[name]
        for key in ("size", "diameter", "mean_distance", "gap", "separation", "silhouette"):
            assert getattr(row, key) == pytest.approx(wanted[key], abs=1e-9, nan_ok=True), key
        votes = wanted["neighbours"]
        assert votes.count(row.nearest) == max(map(votes.count, votes))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("compiled", [False, True])
def test_distances_equal_those_of_the_whole_matrix(metric, compiled):
    rng = np.random.default_rng(1)
    labels = np.repeat([3, 1, 2, 9], [30, 20, 7, 1])
    points = rng.normal(size=(58, 3)) + labels[:, None] + 4
    distances = cdist(points, points, {"manhattan": "cityblock"}.get(metric, metric))
    if compiled:
        with compiled_always():
            check(cv.Geometry(points, labels, metric), distances, labels)
    else:
        check(cv.Geometry(points, labels, metric), distances, labels)


def test_distances_that_are_given():
    rng = np.random.default_rng(2)
    points, labels = rng.normal(size=(40, 2)), rng.integers(0, 3, 40)
    distances = cdist(points, points)
    check(cv.Geometry(distances, labels, "precomputed"), distances, labels)


@given(
    st.lists(
        st.tuples(st.integers(-9, 9), st.integers(-9, 9), st.integers(0, 3)),
        min_size=3,
        max_size=20,
    ).filter(lambda rows: 1 < len({row[2] for row in rows}) < len(rows))
)
def test_laws(rows):
    points = np.array([row[:2] for row in rows], float)
    labels = [row[2] for row in rows]
    found = cv.Geometry(points, labels).clusters()
    known = ~np.isnan(found.gaps)
    slack = 1e-9
    assert (found.gaps[known] <= found.diameters[known] + slack).all()
    assert (found.mean_distances[known] <= found.diameters[known] + slack).all()
    overall = (found.silhouettes * found.sizes).sum() / found.sizes.sum()
    assert overall == pytest.approx(cv.silhouette(points, labels), abs=1e-9)
    assert found.separations.min() == pytest.approx(
        min(
            math.dist(points[i], points[j])
            for i in range(len(rows))
            for j in range(i)
            if labels[i] != labels[j]
        )
    )


@pytest.mark.parametrize("power", [-70, 0, 70])
@pytest.mark.parametrize(("metric", "degree"), [("euclidean", 1), ("sqeuclidean", 2)])
def test_the_unit_is_that_of_the_features(power, metric, degree):
    points = np.array([[0.0], [1], [4], [10], [11]]) * 10.0**power
    found = cv.Geometry(points, ["a", "a", "a", "b", "b"], metric).clusters()
    assert found["a"].diameter == pytest.approx((4 * 10.0**power) ** degree)
    assert found["a"].separation == pytest.approx((6 * 10.0**power) ** degree)


def test_what_it_shows():
    points = [[0], [1], [30], [40], [41], [42]]
    found = cv.Geometry(points, ["a", "a", "a", "b", "b", "c"]).clusters()
    text = str(found)
    assert text.startswith("3 clusters, euclidean distances")
    data = json.loads(found.to_json())
    assert data["schema"] == "clustervet/clusters/1"
    assert data["clusters"][2] == {
        "cluster": "c",
        "size": 1,
        "diameter": 0.0,
        "mean_distance": None,
        "gap": None,
        "separation": 1.0,
        "silhouette": 0.0,
        "nearest": "b",
    }
    assert len(found) == 3
    assert found.columns()["nearest"] == ["b", "c", "b"]


def test_a_large_cluster_has_no_gap(monkeypatch):
    monkeypatch.setattr("clustervet.geometry.clusters.GAPS", 2)
    found = cv.Geometry([[0], [1], [3], [10], [11]], [0, 0, 0, 1, 1]).clusters()
    assert np.isnan(found.gaps).tolist() == [True, False]


def test_one_cluster_has_no_neighbour():
    with pytest.raises(LabelError, match="at least 2 clusters, and there is 1"):
        cv.Geometry([[0], [1], [2]], [0, 0, 0]).clusters()
