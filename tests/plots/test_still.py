"""Figures as SVG: every mark is there, in its place, and nothing else runs or escapes."""

from __future__ import annotations

import base64
import re
import struct
import zlib
from xml.etree import ElementTree

import figure_cases as cases
import numpy as np
import plotly.graph_objects as go
import pytest
import test_drawings
from hypothesis import given
from hypothesis import strategies as st

import clustervet as cv
from clustervet import plots
from clustervet.errors import ParameterError
from clustervet.plots.theme import template

NAME = "{http://www.w3.org/2000/svg}"


def drawn(figure, **options):
    return ElementTree.fromstring(plots.svg(figure, **options))


def texts(root):
    return ["".join(text.itertext()) for text in root.iter(f"{NAME}text")]


def dots(root):
    """The centres of filled circles."""
    paths = (path.get("d") for path in root.iter(f"{NAME}path") if path.get("stroke-linecap"))
    found = [re.findall(r"M([-\d.]+) ([-\d.]+)h0", path) for path in paths]
    return np.array([spot for spots in found for spot in spots], float)


def boxes(root):
    return [
        tuple(float(box.get(key)) for key in ("x", "y", "width", "height"))
        for box in root.iter(f"{NAME}rect")
    ][1:]  # after the paper


def plain_figure(*traces, **layout):
    return go.Figure(traces, {"template": template("light"), "height": 400, **layout})


@pytest.mark.parametrize("name", test_drawings.FIGURES)
def test_every_figure_is_drawn_with_its_words(name):
    for figure in test_drawings.FIGURES[name]():
        for theme in (None, "dark", "auto"):
            text = plots.svg(figure, theme=theme)
            root = ElementTree.fromstring(text)
            assert root.get("aria-label") == figure.layout.meta["title"]
            assert root.get("height") == str(figure.layout.height)
            assert "script" not in text
            assert not re.search(r"\b(nan|inf|None)\b", text)
            said = " ".join("".join(root.itertext()).split())
            for word in figure.layout.meta["title"].split()[:3]:
                assert word in said
            for axis in figure.select_xaxes():
                assert (axis.title.text or "") in said


def test_hostile_labels_stay_text():
    for figure in (
        plots.contingency_heatmap(cases.hostile_table()),
        plots.alluvial(cases.hostile_table()),
    ):
        root = drawn(figure)
        assert {element.tag.removeprefix(NAME) for element in root.iter()} <= {
            *("svg", "g", "path", "rect", "text", "tspan", "image"),
        }
        assert not any(key.startswith("on") for element in root.iter() for key in element.attrib)


@given(
    st.lists(
        st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=2, max_size=30, unique=True
    )
)
def test_places_of_points_follow_their_values(pairs):
    x, y = np.array(pairs).T
    root = drawn(plain_figure({"type": "scatter", "mode": "markers", "x": x, "y": y}))
    found = dots(root)
    assert len(found) == len(pairs)
    wide, tall = float(root.get("width")), float(root.get("height"))
    assert (found >= 0).all()
    assert (found[:, 0] <= wide).all()
    assert (found[:, 1] <= tall).all()
    for values, places, sign in ((x, found[:, 0], 1), (y, found[:, 1], -1)):
        span = np.ptp(values)
        if span > 1e-3:  # a line through the ends meets every point, to a tenth of a pixel
            low, high = np.argmin(values), np.argmax(values)
            expected = places[low] + (values - values[low]) / span * (places[high] - places[low])
            np.testing.assert_allclose(places, expected, atol=0.11)
            assert sign * (places[high] - places[low]) > 100


def test_an_axis_of_powers_has_equal_steps():
    figure = plain_figure(
        {"type": "scatter", "mode": "markers", "x": [1, 10, 100, 1000], "y": [0, 1, 2, 3]},
        xaxis={"type": "log"},
    )
    steps = np.diff(dots(drawn(figure))[:, 0])
    np.testing.assert_allclose(steps, steps[0], atol=0.2)
    assert {"1", "10", "100", "1,000"} <= set(texts(drawn(figure)))


def test_points_outside_a_given_range_are_not_drawn():
    figure = plain_figure(
        {"type": "scatter", "mode": "markers", "x": [0, 1, 9], "y": [0, 1, 9]},
        xaxis={"range": [-1, 2]},
        yaxis={"range": [-1, 2]},
    )
    assert len(dots(drawn(figure))) == 2


def test_bars_are_as_long_as_their_values():
    values = [4.0, 2.0, 1.0]
    figure = plain_figure(
        {
            "type": "bar",
            "orientation": "h",
            "x": values,
            "y": ["a", "b", "c"],
            "text": ["A", "", ""],
        }
    )
    root = drawn(figure)
    lengths = [wide for _, _, wide, _ in boxes(root)]
    np.testing.assert_allclose(np.array(lengths) / lengths[0], np.array(values) / 4, atol=0.001)
    assert {"a", "b", "c", "A"} <= set(texts(root))
    upright = plain_figure({"type": "bar", "x": ["a", "b"], "y": [1.0, 3.0]})
    heights = [tall for *_, tall in boxes(drawn(upright))]
    assert heights[1] == pytest.approx(3 * heights[0], rel=0.01)


def test_cells_have_the_colours_of_the_scale_and_gaps_none():
    figure = plain_figure(
        {
            "type": "heatmap",
            "z": [[0.0, 1.0], [np.nan, 0.5]],
            "x": ["a", "b"],
            "y": ["c", "d"],
            "coloraxis": "coloraxis",
        }
    )
    cells = [box.get("fill") for box in drawn(figure).iter(f"{NAME}rect")][1:4]
    scale = template("light")["layout"]["coloraxis"]["colorscale"]
    assert cells[:2] == [scale[0][1].lower(), scale[-1][1].lower()]
    assert cells[2] == scale[3][1].lower()  # the fourth of seven colours is the middle


def test_very_many_cells_are_an_image_of_the_same_colours():
    values = np.arange(2_500.0).reshape(50, 50)
    values[0, 0] = np.nan
    names = [f"c{k}" for k in range(50)]
    heat = {"type": "heatmap", "z": values, "x": names, "y": names, "coloraxis": "coloraxis"}
    root = drawn(plain_figure(heat, yaxis={"autorange": "reversed"}))
    (image,) = root.iter(f"{NAME}image")
    data = base64.b64decode(image.get("href").partition(",")[2])
    wide, tall = struct.unpack(">II", data[16:24])
    size = struct.unpack(">I", data[33:37])[0]
    rows = np.frombuffer(zlib.decompress(data[41 : 41 + size]), np.uint8).reshape(tall, -1)
    pixels = rows[:, 1:].reshape(tall, wide, 4)
    assert (wide, tall) == (50, 50)
    assert pixels[0, 0, 3] == 0
    last = template("light")["layout"]["coloraxis"]["colorscale"][-1][1]
    assert bytes(pixels[49, 49, :3]).hex() == last[1:].lower()
    assert len(plots.svg(plain_figure(heat))) < 60_000


def test_flows_are_as_thick_as_their_numbers():
    table = cv.Contingency.from_counts([[30, 10], [0, 20]])
    root = drawn(plots.alluvial(table))
    heights = sorted(tall for *_, tall in boxes(root))
    assert heights[-1] / heights[0] == pytest.approx(40 / 20, rel=0.02)
    thick = [float(re.search(r"v([\d.]+)C", path.get("d"))[1]) for path in root.iter(f"{NAME}path")]
    np.testing.assert_allclose(sorted(np.array(thick) / max(thick)), [1 / 3, 2 / 3, 1], atol=0.01)


def test_one_drawing_holds_the_colours_of_both_themes():
    figure = plots.contingency_heatmap(cases.table(3))
    light, dark, both = (plots.svg(figure, theme=name) for name in ("light", "dark", "auto"))
    papers = [template(name)["layout"]["paper_bgcolor"] for name in ("light", "dark")]
    assert papers[0] in light
    assert papers[1] in dark
    assert f"light-dark({','.join(papers)})" in both
    assert "light-dark" not in light + dark
    assert plots.svg(figure) == light


def test_thousands_of_points_take_little_room():
    rng = np.random.default_rng(0)
    figure = plots.points_plot(rng.normal(size=(5_000, 2)), rng.integers(0, 3, 5_000))
    assert len(plots.svg(figure, theme="auto")) < 150_000


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"theme": "pink"}, "theme must be"),
        ({"width": 10}, "width must be"),
    ],
)
def test_bad_options_are_refused(options, said):
    with pytest.raises(ParameterError, match=said):
        plots.svg(plots.contingency_heatmap(cases.table(3)), **options)


def test_places_that_are_not_given_are_counted_from_zero():
    bars = plain_figure({"type": "bar", "y": [1.0, 3.0]})
    assert len(boxes(drawn(bars))) == 2
    points = plain_figure({"type": "scatter", "mode": "markers", "y": [1.0, 2.0, 5.0]})
    steps = np.diff(dots(drawn(points))[:, 0])
    np.testing.assert_allclose(steps, steps[0], atol=0.11)
    heat = plain_figure({"type": "heatmap", "z": [[0.0, 1.0, 2.0]], "coloraxis": "coloraxis"})
    assert len([box for box in boxes(drawn(heat)) if box[2] > 30]) == 3


def test_figures_made_elsewhere_are_drawn_in_the_light_theme():
    figure = go.Figure({"type": "scatter", "x": [1, 2], "y": [3, 4]})
    assert plots.svg(figure) == plots.svg(figure, theme="light")
    dark = plots.contingency_heatmap(cases.table(3), theme="dark")
    assert plots.svg(dark) == plots.svg(dark, theme="dark")


def test_other_things_than_figures_are_refused():
    for other in (3, {"a": 1}, cases.cards()):
        with pytest.raises(ParameterError, match="svg draws a figure of plotly, not "):
            plots.svg(other)


@pytest.mark.parametrize("values", [[], [2.0], [2.0, 2.0]])
def test_few_or_equal_values_are_drawn(values):
    figure = go.Figure({"type": "scatter", "mode": "markers", "x": values, "y": values})
    assert len(dots(drawn(figure))) == len(values)
    assert plots.svg(figure.update_xaxes(range=[2, 2]))


def test_other_traces_are_refused_in_one_sentence():
    with pytest.raises(ParameterError, match="not 'pie'"):
        plots.svg(go.Figure({"type": "pie", "values": [1, 2]}))


def test_an_axis_of_shares_says_percent():
    figure = plain_figure(
        {"type": "scatter", "mode": "markers", "x": [0, 1], "y": [0.0, 1.0]},
        yaxis={"tickformat": ".0%", "range": [0, 1], "nticks": 3},
    )
    said = set(texts(drawn(figure)))
    assert {"0%", "50%", "100%"} <= said
    assert "0.5" not in said
