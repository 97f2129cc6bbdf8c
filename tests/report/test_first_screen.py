"""What a reader sees before any script has run, and what a notebook shows."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest

import clustervet as cv
from clustervet.report import build_report, first_screen, render


@pytest.fixture(scope="module")
def evidence():
    rng = np.random.default_rng(0)
    truth = np.repeat(["a", "<b>", "c"], 40)
    points = rng.normal(size=(120, 3)) + np.repeat([[0], [4], [8]], 40, axis=0)
    preds = {"good": np.repeat([0, 1, 2], 40), "poor": rng.integers(0, 3, 120)}
    return cv.examine(truth, preds, features=points, random_state=0)


@pytest.fixture(scope="module")
def path(evidence, tmp_path_factory):
    target = tmp_path_factory.mktemp("page") / "report.html"
    cv.write_report(evidence, target)
    return target


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_figures_are_seen_where_scripts_are_off(browser, path, scheme):
    context = browser.new_context(java_script_enabled=False, color_scheme=scheme)
    page = context.new_page()
    page.goto(path.as_uri())
    count = page.locator(".plot").count()
    assert count > 5
    assert page.locator(".plot > svg").count() == count
    first = page.locator("#verdict .plot > svg")
    assert first.bounding_box()["height"] > 200
    paper = page.locator("#verdict .plot > svg > rect").first.evaluate(
        "r => getComputedStyle(r).fill"
    )
    assert paper == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 23, 28)")
    context.close()


def test_a_figure_is_there_when_the_page_is_first_painted(browser, path):
    page = browser.new_page()
    page.add_init_script(
        "window.seen = null; new PerformanceObserver(() => {"
        "window.seen ??= document.querySelectorAll('.plot svg').length; })"
        ".observe({type: 'paint', buffered: true});"
    )
    page.goto(path.as_uri())
    page.wait_for_selector(".plot[data-drawn]")
    assert page.evaluate("window.seen") > 0
    # The script draws in the place of the still figure, not below it.
    plot = page.locator("#verdict .plot")
    assert plot.locator(":scope > svg").count() == 0
    page.close()


def test_a_notebook_shows_the_first_screen(evidence):
    screen = evidence._repr_html_()
    assert screen == first_screen(evidence)
    assert screen.count("<svg") >= 1
    assert "<script" not in screen
    for words in ("objects", "120", "Of 2 clusterings good agrees best", "&lt;b&gt;"):
        assert words in screen
    assert screen.count("<table>") == 1
    assert "against the best" in screen
    open_tags = []

    class Checker(HTMLParser):
        def handle_starttag(self, tag, attributes):
            open_tags.append(tag)

        def handle_endtag(self, tag):
            assert open_tags.pop() == tag

        def handle_startendtag(self, tag, attributes):
            pass

    Checker().feed(screen)
    assert not open_tags


def test_without_features_the_scores_are_the_figure():
    found = cv.examine(["a", "a", "b", "b"], {"x": [0, 0, 1, 1], "y": [0, 1, 0, 1]})
    screen = found._repr_html_()
    assert "has the best value" in screen
    assert screen.count("<svg") >= 1


def test_a_figure_that_only_plotly_can_draw_says_so_where_scripts_are_off(evidence, monkeypatch):
    def refuse(*_, **__):
        raise cv.ClustervetError("pie")

    monkeypatch.setattr("clustervet.report.page.svg", refuse)
    page = render(build_report(evidence), "html")
    assert "The figure is drawn by a script, and scripts are off." in page
