from __future__ import annotations

import sys

import figure_cases as cases
import matplotlib as mpl
import numpy as np
import pytest

import clustervet as cv
from clustervet import plots
from clustervet.errors import MissingPackageError, ParameterError

mpl.use("Agg")


@pytest.fixture
def axes():
    from matplotlib import pyplot

    figure, made = pyplot.subplots(layout="constrained")
    yield made
    figure.canvas.draw()
    pyplot.close(figure)


def test_a_table_is_drawn_with_matches_on_the_diagonal(axes):
    truth, pred = cases.labels(5, 200)
    display = plots.ContingencyDisplay.from_labels(truth, pred).plot(ax=axes, shade="count")
    drawn = np.ma.filled(display.im_.get_array(), 0)
    assert np.nansum(drawn.diagonal()) == cv.Contingency.from_labels(truth, pred).matched
    assert display.ax_ is axes
    assert display.figure_ is axes.figure
    assert display.text_[0, 0].get_text() == str(int(drawn[0, 0]))


def test_hostile_names_are_no_mathematics(axes):
    display = plots.ContingencyDisplay.from_table(cases.hostile_table()).plot(ax=axes)
    texts = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert r"\$\frac{1}{2}\$" in texts
    assert max(map(len, texts)) <= 28


def test_large_tables_have_no_numbers_and_fewer_names(axes):
    display = plots.ContingencyDisplay.from_table(cases.table(90, 4000)).plot(ax=axes)
    assert display.text_ is None
    assert len(display.ax_.get_yticks()) == 30


def test_scores_have_bars(axes):
    display = plots.ScoreDisplay.from_cards(cases.cards()).plot(ax=axes)
    assert len(display.lines_) == 2
    assert list(display.lines_[0][0].get_xdata()) == [
        cases.cards()["good"][key] for key in ("rand", "adjusted_rand", "purity")
    ]
    with pytest.raises(ParameterError, match="have no silhouette"):
        display.plot(ax=axes, measures=["silhouette"])


def test_scores_of_labels_are_computed_once_by_the_facade(axes):
    truth, pred = cases.labels(3, 60)
    display = plots.ScoreDisplay.from_labels(truth, pred, confidence=None, measures=["rand"])
    assert display.plot(ax=axes).cards["pred"]["rand"] == cv.rand(truth, pred)


def test_scores_without_bounds_are_drawn_only_by_name(axes):
    display = plots.ScoreDisplay.from_labels([0, 0, 1], [0, 1, 1], measures=["vi"])
    with pytest.raises(ParameterError, match="no measure of these cards lies between bounds; name"):
        display.plot(ax=axes)
    drawn = display.plot(ax=axes, measures=["vi"]).lines_[0][0]
    assert list(drawn.get_xdata()) == [cv.variation_of_information([0, 0, 1], [0, 1, 1])]


def test_an_elbow_is_drawn_with_its_choice(axes):
    display = plots.ElbowDisplay.from_tuning(cases.tuning()).plot(ax=axes, measure="silhouette")
    assert list(display.line_.get_ydata()) == list(cases.tuning().curves["silhouette"])
    star = display.ax_.lines[1]
    assert star.get_xdata()[0] == cases.tuning().choices["silhouette"].value
    with pytest.raises(ParameterError, match="the tuning has no dunn"):
        display.plot(ax=axes, measure="dunn")


def test_values_that_are_no_numbers_are_named_below_the_curve(axes):
    display = plots.ElbowDisplay(cases.tuning_by_name()).plot(ax=axes)
    assert [text.get_text() for text in display.ax_.get_xticklabels()] == ["low", "mean", "high"]
    assert list(display.ax_.get_xticks()) == list(display.line_.get_xdata()) == [0, 1, 2]


def test_bounds_are_drawn_by_algorithm(axes):
    found = cases.selection()
    display = plots.BoundDisplay.from_selection(found).plot(ax=axes)
    for name, curve in found.curves.items():
        assert list(display.lines_[name].get_ydata()) == list(curve.values())


def test_distances_are_drawn_in_the_order_of_the_tree(axes):
    found = cases.ensemble()
    display = plots.DistanceDisplay.from_distances(found.distances, found.hierarchy()).plot(ax=axes)
    order = found.hierarchy().order
    assert np.asarray(display.im_.get_array()) == pytest.approx(
        found.distances.matrix[np.ix_(order, order)]
    )
    same = plots.DistanceDisplay.from_labelings({"a": [0, 0, 1], "b": [0, 1, 1]})
    assert same.distances["a", "b"] == pytest.approx(4 / 3)


def test_silhouettes_are_drawn_by_cluster(axes):
    display = plots.SilhouetteDisplay.from_silhouettes(cases.widths()).plot(ax=axes)
    assert len(display.fills_) == 3
    data, codes = cases.points()
    other = plots.SilhouetteDisplay.from_labels(data, codes)
    assert other.silhouettes.overall == pytest.approx(cases.widths().overall)


def test_a_figure_is_made_where_none_is_given():
    from matplotlib import pyplot

    display = plots.ContingencyDisplay.from_labels([0, 1], [0, 1]).plot()
    assert pyplot.gcf() is display.figure_
    pyplot.close(display.figure_)


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingPackageError, match="extra 'matplotlib'"):
        plots.ContingencyDisplay.from_labels([0, 1], [0, 1]).plot()
