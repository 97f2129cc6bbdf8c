"""The points of a clustering in two dimensions (Aggarwal 2015, §6.9.1.1)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris

from clustervet import plots
from clustervet.errors import FeatureError, LabelError
from clustervet.geometry import picture

RNG = np.random.default_rng(0)
IRIS = load_iris()


def marked(figure):
    """The traces that hold points; the others are entries of the legend."""
    return [trace for trace in figure.data if trace.customdata is not None]


def drawn(figure):
    """Row numbers and places of all marks."""
    rows, places = [], []
    for trace in marked(figure):
        rows += list(trace.customdata)
        places += list(zip(trace.x, trace.y, strict=True))
    order = np.argsort(rows)
    return np.array(rows)[order], np.array(places)[order]


def test_two_features_are_drawn_as_they_are():
    points = RNG.normal(size=(30, 2))
    labels = RNG.integers(0, 3, 30)
    figure = plots.points_plot(pd.DataFrame(points, columns=["wide", "<b>"]), labels)
    rows, places = drawn(figure)
    np.testing.assert_array_equal(rows, np.arange(30))
    np.testing.assert_allclose(places, points)
    assert figure.layout.xaxis.title.text == "wide"
    assert figure.layout.yaxis.title.text == "&lt;b&gt;"
    colours = {}
    for trace in marked(figure):
        colours.setdefault(trace.marker.color, set()).update(labels[list(trace.customdata)])
    assert sorted(len(held) for held in colours.values()) == [1, 1, 1]


def test_more_features_are_drawn_by_principal_components_with_their_share():
    figure = plots.points_plot(IRIS.data, IRIS.target)
    _, places = drawn(figure)
    centred = IRIS.data - IRIS.data.mean(axis=0)
    _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    right = centred @ directions[:2].T
    np.testing.assert_allclose(np.abs(places), np.abs(right), atol=1e-8)
    shares = sizes**2 / (sizes**2).sum()
    # The shares of iris are 92.5% and 5.3%.
    assert figure.layout.xaxis.title.text == f"component 1 ({shares[0]:.1%} of the variance)"
    assert "hold 97.8% of their variance" in figure.layout.meta["note"]


def test_classes_have_shapes_and_the_title_counts_what_is_off():
    pred = IRIS.target.copy()
    pred[:4] = 1
    figure = plots.points_plot(IRIS.data, pred, IRIS.target_names[IRIS.target])
    assert figure.layout.meta["title"] == (
        "3 clusters of 150 points; 4 points are not of the class that leads their cluster."
    )
    shapes = {trace.name: trace.marker.symbol for trace in marked(figure)}
    assert shapes["cluster 1, class setosa"] == shapes["cluster 0, class setosa"]
    assert len(set(shapes.values())) == 3


def test_noise_is_told_apart():
    figure = plots.points_plot([[0, 0], [1, 1], [9, 9], [5, 5]], [0, 0, 1, -1], list("aabb"))
    (noise,) = [trace for trace in marked(figure) if trace.name.startswith("noise")]
    assert noise.marker.symbol == "x-thin"
    assert "25.0% of them noise; every cluster holds one class." in figure.layout.meta["title"]


def test_small_clusters_share_a_colour():
    labels = np.repeat(np.arange(10), np.arange(20, 10, -1))
    figure = plots.points_plot(RNG.normal(size=(len(labels), 2)), labels)
    (rest,) = [trace for trace in marked(figure) if "smaller" in trace.name]
    assert rest.name == "4 smaller clusters"
    assert set(labels[list(rest.customdata)]) == {6, 7, 8, 9}


def test_many_points_are_drawn_as_densities():
    points = np.concatenate([RNG.normal(c, 1, (40_000, 2)) for c in ((0, 0), (6, 6))])
    figure = plots.points_plot(points, np.repeat([0, 1], 40_000))
    maps = [trace for trace in figure.data if trace.type == "heatmap"]
    assert len(maps) == 2
    assert len(figure.to_json()) < 3_000_000
    low, high = (np.array(trace.z, float) for trace in maps)
    # No cell has two colours, and the densest cells are those around the centres.
    assert not (np.isfinite(low) & np.isfinite(high)).any()
    y, x = np.unravel_index(np.nanargmax(low), low.shape)
    assert abs(maps[0].x[x]) < 1.5
    assert abs(maps[0].y[y]) < 1.5


def test_components_of_many_points_come_from_a_sample(monkeypatch):
    monkeypatch.setattr(picture, "FITTED", 400)
    points = RNG.normal(size=(3_000, 4)) * [9, 5, 1, 1] + 1e6
    figure = plots.points_plot(points, np.zeros(3_000, int))
    assert "of their variance, by 400 points drawn at random." in figure.layout.meta["note"]
    _, places = drawn(figure)
    # The sample's directions are nearly those of the data, and all points have their places.
    centred = points - points.mean(axis=0)
    for k in (0, 1):
        assert abs(np.corrcoef(places[:, k], centred[:, k])[0, 1]) > 0.98


def test_classes_that_are_missing_and_many_classes():
    truth = [None if k % 4 == 0 else f"c{k % 12}" for k in range(150)]
    figure = plots.points_plot(IRIS.data, IRIS.target, truth)
    names = {trace.name.partition(", ")[2]: trace for trace in marked(figure)}
    assert names["class not known"].marker.size < 7
    assert "one of 2 other classes" in names
    assert len({trace.marker.symbol for trace in names.values()}) == 8
    keys = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert keys[:3] == ["cluster 0", "cluster 1", "cluster 2"]
    assert len(keys) == 3 + 7 + 1 + 1
    assert plots.points_plot(IRIS.data, IRIS.target, [None] * 150).layout.meta["title"] == (
        "3 clusters of 150 points."
    )
    with pytest.raises(LabelError, match="truth has 3 labels, and X has 150 points"):
        plots.points_plot(IRIS.data, IRIS.target, [0, 1, 2])


def test_an_embedding_is_drawn_instead():
    places = RNG.normal(size=(150, 2))
    figure = plots.points_plot(IRIS.data, IRIS.target, embedding=places, theme="dark")
    np.testing.assert_allclose(drawn(figure)[1], places)
    with pytest.raises(FeatureError, match="two coordinates for each of the 150 points"):
        plots.points_plot(IRIS.data, IRIS.target, embedding=places[:5])


@pytest.mark.parametrize("width", [1, 3])
def test_sparse_and_narrow_features_are_drawn(width):
    points = sp.random_array((40, width), density=0.5, rng=np.random.default_rng(1)).tocsr()
    assert len(drawn(plots.points_plot(points, np.arange(40) % 2))[0]) == 40
    assert len(drawn(plots.points_plot(points.toarray(), np.arange(40) % 2))[0]) == 40


def test_odd_inputs():
    assert (
        plots.points_plot([[1.0, 2.0, 3.0]], ["only"]).layout.meta["title"]
        == "1 cluster of 1 point."
    )
    constant = plots.points_plot(np.ones((6_000, 2)), np.zeros(6_000, int))
    assert constant.layout.meta["figure"] == "points"
    with pytest.raises(LabelError, match="labels has 3 labels, and X has 4 points"):
        plots.points_plot(np.zeros((4, 2)), [0, 1, 1])
    with pytest.raises(FeatureError):
        plots.points_plot([[np.nan, 1.0]], [0])
