"""The same group has the same colour in every figure."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clustervet as cv
from clustervet import plots
from clustervet.contingency.mapping import colour_places, places_beside
from clustervet.errors import LabelError
from clustervet.geometry.picture import COLOURED, free_places
from clustervet.plots.theme import EITHER, QUIET

RNG = np.random.default_rng(0)
TRUTH = np.repeat(["a", "b", "c"], [60, 50, 40])
X = RNG.normal(size=(150, 2)) + 6 * np.repeat([[0, 0], [1, 0], [0, 1]], [60, 50, 40], axis=0)
# Names in another order than that of the sizes, one class split, and noise.
PRED = np.repeat([9, 4, 7], [60, 50, 40])
PRED[:22] = 5
PRED[148:] = -1
OTHER = np.repeat([1, 2, 0], [60, 50, 40])
WANTED = {9: EITHER[0], 4: EITHER[1], 7: EITHER[2], 5: EITHER[3], -1: QUIET}


def colours_of_points(figure):
    """The colours of single points, by the name of their cluster."""
    return {
        trace.name.partition(",")[0].removeprefix("cluster "): trace.marker.color
        for trace in figure.data
        if trace.x[0] is not None
    }


def colours_of_flows(figure):
    node = figure.data[0].node
    return dict(zip(node.label, node.color, strict=True))


def colours_of_silhouettes(figure):
    return {trace.name: trace.line.color for trace in figure.data if trace.fill == "tozerox"}


def named(colours):
    return {"noise" if name == -1 else str(name): colour for name, colour in colours.items()}


def test_points_flows_and_silhouettes_agree():
    found = cv.examine(TRUTH, {"one": PRED, "other": OTHER}, features=X, noise={-1: "drop"})
    wanted = named(WANTED)
    points = plots.points_plot(X, PRED, TRUTH)
    assert colours_of_points(points) == wanted
    flows = colours_of_flows(plots.alluvial({"truth": TRUTH, "one": PRED}))
    assert {name: flows[name] for name in ("a", "b", "c")} == dict(
        zip("abc", EITHER[:3], strict=True)
    )
    assert all(flows["-1" if name == "noise" else name] == c for name, c in wanted.items())
    silhouettes = plots.silhouette_plot(found.silhouettes["one"])
    assert colours_of_silhouettes(silhouettes) == {k: v for k, v in wanted.items() if k != "noise"}
    other = colours_of_silhouettes(plots.silhouette_plot(found.silhouettes["other"]))
    assert other == {"1": EITHER[0], "2": EITHER[1], "0": EITHER[2]}
    assert found.leader == "other"
    assert colours_of_points(plots.figures(found.points)[0]) == other


def test_without_classes_clusters_are_coloured_beside_the_leading_clustering():
    found = cv.examine(None, {"one": PRED, "other": OTHER}, features=X, noise={-1: "drop"})
    leader = found.silhouettes[found.leader]
    rest = found.silhouettes["one" if found.leader == "other" else "other"]
    first = colours_of_silhouettes(plots.silhouette_plot(leader))
    second = colours_of_silhouettes(plots.silhouette_plot(rest))
    pairs = {"9": "1", "4": "2", "7": "0"}
    both = first | second
    assert all(both[one] == both[other] for one, other in pairs.items())


def test_silhouettes_by_themselves_are_coloured_by_size_as_the_points_are():
    silhouettes = plots.silhouette_plot(cv.silhouettes(X, OTHER))
    points = plots.points_plot(X, OTHER)
    assert colours_of_silhouettes(silhouettes) == colours_of_points(points)


@given(st.lists(st.integers(-1, 9), max_size=9))
def test_colours_of_a_figure_differ(wanted):
    found = free_places(wanted)
    assert len(set(found)) == len(found) == len(wanted)
    first = {place: k for k, place in reversed(list(enumerate(wanted)))}
    for place, k in first.items():
        assert found[k] == place or not 0 <= place < COLOURED


def test_classes_go_by_size_and_clusters_by_their_classes():
    table = cv.Contingency.from_labels(TRUTH, PRED)
    assert colour_places(table) == {9: 0, 4: 1, 7: 2, 5: 3}
    assert places_beside(None, PRED) == {}
    assert places_beside([None, None], [1, 2]) == {}


def test_flows_with_missing_labels():
    given_labels = {"may": ["a", "a", None, "b"], "june": [1, None, 1, 2], "july": [1, 1, 1, None]}
    figure = plots.alluvial(given_labels)
    node = figure.data[0].node
    assert list(node.label).count("no label") == 3
    assert {c for name, c in zip(node.label, node.color, strict=True) if name == "no label"} == {
        QUIET
    }
    assert sum(figure.data[0].link.value) == 8  # every object, twice
    assert not any("None" in box for *_, box in [*node.customdata, *figure.data[0].link.customdata])
    dropped = plots.alluvial(given_labels, missing="drop")
    assert "no label" not in dropped.data[0].node.label
    with pytest.raises(LabelError, match="may has 1 missing label"):
        plots.alluvial(given_labels, missing="raise")
    people = {"may": {"x": 1, "y": 1, "z": 2}, "june": {"x": 5, "y": 5, "w": 6}}
    assert list(plots.alluvial(people).data[0].node.label).count("no label") == 2
