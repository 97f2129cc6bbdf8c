from __future__ import annotations

import html
import re

import pytest
from figure_cases import HOSTILE
from hypothesis import given, settings
from hypothesis import strategies as st

from clustervet.errors import ParameterError
from clustervet.plots.canvas import axis_texts, plot_text, wrapped
from clustervet.plots.theme import CATEGORICAL, EITHER, INK, SEQUENTIAL, THEMES, template
from clustervet.view.words import ident, spoken


@settings(max_examples=200)
@given(st.text(max_size=200))
def test_no_label_can_open_a_tag_an_entity_or_a_formula(label):
    text = plot_text(label)
    assert "<" not in text
    assert ">" not in text
    assert "$" not in text
    assert "\n" not in text
    assert re.fullmatch(r"([^&]|&(amp|lt|gt|#36|#37);)*", text)
    assert len(html.unescape(text)) <= 40


@pytest.mark.parametrize("label", HOSTILE)
def test_hostile_labels_are_short_and_on_one_line(label):
    text = spoken(label)
    assert len(text) <= 40
    assert text.isprintable() or "\u0301" in text
    assert text.count("\u0301") <= 2


def test_names_that_read_alike_are_told_apart():
    texts = axis_texts(["y" * 100, "y" * 101, "y" * 102, 1, "1"])
    assert len(set(texts)) == 5


def test_ids_are_short_stable_and_tell_long_names_apart():
    assert ident("cluster", 3) == ident("cluster", "3") == "cluster:3"
    assert ident("class", "x" * 10_000) != ident("class", "x" * 9_999)
    assert all(len(ident("class", label)) < 60 for label in HOSTILE)


def test_titles_are_broken_into_lines_before_they_are_escaped():
    lines = wrapped("<b>bold</b> & " * 20, 40)
    assert len(lines) > 3
    assert all(len(html.unescape(line)) <= 40 for line in lines)
    assert not any("<" in line for line in lines)


def luminance(colour):
    """Relative luminance of a colour (WCAG 2.1)."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_text_and_marks_stand_out_from_the_ground(theme):
    ink = INK[theme]
    assert contrast(ink["text"], ink["paper"]) > 7
    assert contrast(ink["soft"], ink["paper"]) > 4.5
    assert all(contrast(colour, ink["paper"]) > 2 for colour in CATEGORICAL[theme])
    assert all(contrast(colour, ink["paper"]) > 2.3 for colour in EITHER)


@pytest.mark.parametrize("theme", THEMES)
def test_sequential_colours_are_in_order_of_lightness_and_leave_the_ground(theme):
    levels = [luminance(colour) for colour in SEQUENTIAL[theme]]
    assert levels == sorted(levels, reverse=theme == "light")
    away = [contrast(colour, INK[theme]["paper"]) for colour in SEQUENTIAL[theme]]
    assert away == sorted(away)
    assert away[0] > 1.3


def test_a_template_names_no_font_that_must_be_fetched():
    for theme in THEMES:
        assert "http" not in str(template(theme))
        assert template(theme)["layout"]["font"]["family"].endswith("sans-serif")


def test_other_themes_are_refused():
    with pytest.raises(ParameterError, match="'light' or 'dark', not 'blue'"):
        template("blue")
