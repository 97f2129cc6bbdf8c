"""The page in a real browser, its network cut off."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from report_cases import FEW, HOSTILE, drawn, labels_of, opened, unfold

import clustervet as cv
from clustervet.evidence import examine
from clustervet.report import build_report, write_report
from clustervet.view import Cell, Column, Result, Row, Section, Table, text_cell

SIZE = 8_000_000


@pytest.fixture(scope="module")
def report():
    truth, near = labels_of(["ash", "oak", "yew", "fir"], 240, 0.1, 0)
    _, far = labels_of(["ash", "oak", "yew", "fir"], 240, 0.5, 1)
    points = np.random.default_rng(0).normal(size=(240, 2)) + 5 * near[:, None]
    preds = {"near": near, "far": far}
    return build_report(examine({"tree": truth}, preds, features=points, measures=FEW))


@pytest.fixture(scope="module")
def page_file(report, tmp_path_factory):
    return write_report(report, tmp_path_factory.mktemp("page") / "page.html")


def rows(page, key):
    """Texts of the first cells that are shown."""
    return page.eval_on_selector_all(
        f"#{key} tbody tr:not([hidden])", "rows => rows.map(row => row.cells[0].textContent.trim())"
    )


def test_it_opens_offline_with_its_verdict_and_its_figures(browser, page_file, report):
    assert page_file.stat().st_size < SIZE
    with opened(browser, page_file) as page:
        assert page.text_content(".lead") == report.verdict[0]
        assert page.title() == "Clusterings examined"
        for picture in report.pictures[:5]:
            assert drawn(page, picture.key).query_selector("svg.main-svg")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_policy_lets_only_the_page_itself_run(browser, page_file):
    with opened(browser, page_file, allowed=1) as page:
        policy = page.get_attribute("meta[http-equiv=Content-Security-Policy]", "content")
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy.partition("script-src")[2].partition(";")[0]
        said = page.evaluate(
            """() => new Promise(done => {
              document.addEventListener("securitypolicyviolation", e => done(e.effectiveDirective));
              document.body.setAttribute("onclick", "window.hacked = 1");
              document.body.click();
            })"""
        )
        assert said == "script-src-attr"
        assert page.evaluate("window.hacked") is None


def is_rounded(text, value):
    """Whether a text is a number with some of its digits."""
    digits = len(text.partition(".")[2])
    return abs(float(text.replace(",", "")) - value) <= 0.5 * 10.0**-digits * (1 + 1e-9)


def test_numbers_on_the_page_are_those_of_the_json(browser, page_file, report):
    plain = json.loads(report.to_json())

    def tables(section):
        yield from (block for block in section["blocks"] if block["type"] == "table")
        for inner in section["sections"]:
            yield from tables(inner)

    held = {t["key"]: t["rows"] for section in plain["sections"] for t in tables(section)}
    with opened(browser, page_file) as page:
        shown = page.evaluate(
            """() => Object.fromEntries([...document.querySelectorAll("[data-table]")].map(t =>
              [t.id, [...t.querySelectorAll("tbody tr")].map(r => [...r.cells].map(c => {
                const ends = c.querySelector(".ends");
                return [c.dataset.value === undefined ? null : Number(c.dataset.value),
                  (c.querySelector(".v, bdi") || c).textContent,
                  ends && Number(ends.dataset.low), ends && Number(ends.dataset.high)];
              }))]))"""
        )
    assert shown.keys() == held.keys()
    compared = 0
    for key, lines in held.items():
        for line, found in zip(lines, shown[key], strict=True):
            for cell, (value, text, low, high) in zip(line, found, strict=True):
                if "text" in cell:
                    assert value == cell["value"]
                    assert text == cell["text"] or is_rounded(text, value)
                    compared += 1
                else:
                    assert text == cell["value"]
                assert (low, high) == (cell.get("low"), cell.get("high"))
    assert compared > 100


def test_tables_sort_and_say_so(browser, page_file):
    with opened(browser, page_file) as page:
        unfold(page)
        head = "#c0-clusters thead th:nth-child(2)"
        values = "rows => rows.map(row => Number(row.cells[1].dataset.value))"
        for order, falling in (("descending", True), ("ascending", False)):
            page.click(f"{head} .sort")
            assert page.get_attribute(head, "aria-sort") == order
            found = page.eval_on_selector_all("#c0-clusters tbody tr", values)
            assert found == sorted(found, reverse=falling)
            assert order in page.text_content("#live")


def test_tables_filter(browser, page_file):
    with opened(browser, page_file) as page:
        page.click("#measures summary")
        box = page.locator("#measures-all input")
        every = rows(page, "measures-all")
        box.fill("CALINSKI")
        assert 0 < len(rows(page, "measures-all")) < len(every)
        assert "match" in page.text_content("#live")
        box.fill("no such measure")
        assert rows(page, "measures-all") == []
        box.fill("")
        assert rows(page, "measures-all") == every


def faded(page, key):
    """Marks and flows of a figure that stand back."""
    return page.evaluate(
        """key => { const data = document.getElementById(key + "-plot").data; let n = 0;
          for (const t of data) {
            if (t.selectedpoints) n += t.customdata.length - t.selectedpoints.length;
            if (t.opacity === 0.18) n += 1;
            if (t.link) n += t.link.color.filter(c => c.endsWith(",0.08)")).length;
          } return n; }""",
        key,
    )


def test_choosing_a_cluster_in_a_table_lights_it_up_in_all_figures(browser, page_file):
    with opened(browser, page_file) as page:
        for key in ("c0-contingency", "c0-alluvial", "c0-diagnosis", "c0-silhouette"):
            drawn(page, key)
            assert faded(page, key) == 0
        unfold(page)
        page.click("#c0-clusters tbody tr:nth-child(2) button.link >> nth=0")
        link = page.get_attribute("#c0-clusters tbody tr:nth-child(2)", "data-link")
        page.wait_for_selector("#c0-clusters tr.lit")
        assert page.locator("#c0-clusters tr.lit").count() == 1
        assert faded(page, "c0-alluvial") > 0
        assert faded(page, "c0-diagnosis") == 3
        assert faded(page, "c0-silhouette") > 0
        assert (
            len(page.evaluate("document.getElementById('c0-contingency-plot').layout.shapes")) == 1
        )
        assert page.is_visible("#chosen")
        assert page.evaluate("decodeURIComponent(location.hash)") == f"#choose={link}"
        page.keyboard.press("Escape")
        assert page.locator("tr.lit").count() == 0
        assert faded(page, "c0-alluvial") == 0
        assert page.is_hidden("#chosen")


def test_choosing_in_a_figure_lights_up_the_row(browser, page_file):
    with opened(browser, page_file) as page:
        unfold(page)
        drawn(page, "c0-diagnosis")
        page.locator("#c0-diagnosis-plot .bars .point").first.scroll_into_view_if_needed()
        page.locator("#c0-diagnosis-plot .nsewdrag").first.click(position={"x": 12, "y": 12})
        page.wait_for_selector("#c0-clusters tr.lit")
        lit = page.get_attribute("#c0-clusters tr.lit", "data-link")
        first = page.evaluate(
            "document.getElementById('c0-diagnosis-plot').data[0].customdata[0][0]"
        )
        assert lit == f"p0|{first}"


def test_the_address_keeps_the_choice(browser, page_file):
    with opened(browser, page_file, "#choose=class%3Aoak") as page:
        page.wait_for_selector("#c0-classes tr.lit", state="attached")
        assert "Class oak" in page.text_content("#chosen-text")
    with opened(browser, page_file, "#choose=%E0%A4%A") as page:
        assert page.locator("tr.lit").count() == 0


def test_dark_by_system_and_by_button(browser, page_file):
    ground = "() => getComputedStyle(document.body).backgroundColor"
    paper = "document.querySelector('.plot[data-drawn]').layout.template.layout.paper_bgcolor"
    with opened(browser, page_file, color_scheme="dark") as page:
        drawn(page, "ahead-scores")
        assert page.evaluate(ground) == "rgb(20, 23, 28)"
        assert page.evaluate(paper) == "#14171C"
        page.click("#theme")
        assert page.evaluate(ground) == "rgb(255, 255, 255)"
        page.wait_for_function(f"{paper} === '#FFFFFF'")


def test_a_phone_needs_no_sideways_scroll(browser, page_file):
    with opened(browser, page_file, viewport={"width": 400, "height": 800}) as page:
        for key in ("ahead-scores", "c0-contingency", "c0-alluvial"):
            drawn(page, key)
        unfold(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_the_keyboard_alone_is_enough(browser, page_file):
    with opened(browser, page_file) as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "verdict"
        page.focus("#ahead-leaders thead th:nth-child(2) .sort")
        page.keyboard.press("Enter")
        assert page.get_attribute("#ahead-leaders thead th:nth-child(2)", "aria-sort") != "none"
        page.focus("#ahead-leaders tbody button.link")
        page.keyboard.press("Space")
        page.wait_for_selector("tr.lit")
        page.keyboard.press("Escape")
        assert page.locator("tr.lit").count() == 0
        page.focus("#c1 summary")
        page.keyboard.press("Enter")
        assert page.evaluate("document.getElementById('c1').open")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_for_accessibility(browser, page_file, scheme):
    with opened(browser, page_file, color_scheme=scheme) as page:
        unfold(page)
        drawn(page, "c0-diagnosis")
        page.click("#c0-clusters tbody button.link >> nth=0")
        found = Axe().run(page).response["violations"]
    grave = [v for v in found if v["impact"] in ("serious", "critical")]
    assert [(v["id"], [n["html"][:200] for n in v["nodes"][:2]]) for v in grave] == []


def test_headings_step_down_one_at_a_time(browser, page_file):
    with opened(browser, page_file) as page:
        levels = page.evaluate(
            "[...document.querySelectorAll('h1,h2,h3,h4,h5')].map(h => Number(h.tagName[1]))"
        )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_hostile_names_are_inert(browser, tmp_path):
    truth, clusters = labels_of(list(HOSTILE), 160, 0.2, 0)
    named = [HOSTILE[k] for k in clusters]
    preds = {HOSTILE[0]: named, HOSTILE[2]: clusters, HOSTILE[5]: clusters}
    found = examine({HOSTILE[1]: truth}, preds, measures=FEW)
    path = write_report(found, tmp_path / "page.html", title=HOSTILE[1], command=HOSTILE[1])
    with opened(browser, path, viewport={"width": 400, "height": 800}) as page:
        for key in (
            "ahead-scores",
            "c0-contingency",
            "c0-alluvial",
            "c0-diagnosis",
            "ensemble-map",
        ):
            drawn(page, key)
        unfold(page)
        page.click("#c0-clusters tbody button.link >> nth=0")
        page.wait_for_selector("#c0-clusters tr.lit")
        assert page.evaluate("window.hacked") is None
        assert page.locator("body img").count() == 0
        assert (
            page.evaluate("[...document.scripts].some(s => /hacked/.test(s.text) && !s.type)")
            is False
        )
        assert page.evaluate("[...document.links].every(a => a.protocol === 'file:')")
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        assert page.title().startswith("</script><script>window.hacked = 2")


def test_without_figures_there_is_no_drawing_library(browser, tmp_path):
    path = write_report(
        cv.pac_mdl_bound([0, 1] * 20, [0, 1] * 20, range(20)), tmp_path / "page.html"
    )
    assert path.stat().st_size < 100_000
    with opened(browser, path) as page:
        assert "unsafe" not in page.get_attribute("meta[http-equiv]", "content")
        assert "With probability" in page.text_content(".lead")


def test_many_clusters_and_clusterings_stay_small(browser, tmp_path):
    rng = np.random.default_rng(0)
    rows_, preds = rng.integers(0, 300, 3_000), {}
    for k in range(50):
        moved = rng.random(3_000) < 0.02 * (k + 1)
        labels = np.where(moved, rng.integers(0, 300, 3_000), rows_)
        preds[f"run {k}"] = cv.Contingency.from_labels(rows_, labels)
    evidence = examine(None, preds, measures=["purity", "rand"])
    path = write_report(evidence, tmp_path / "page.html")
    assert path.stat().st_size < SIZE
    with opened(browser, path) as page:
        assert len(rows(page, "ahead-leaders")) == 20
        page.click("#ahead-leaders .more")
        assert len(rows(page, "ahead-leaders")) == 50
        drawn(page, "c0-contingency")
        assert "leading clusterings of 50" in page.text_content("#wrong")


def test_the_first_screen_answers_who_and_how_sure_with_a_picture(browser, page_file, report):
    with opened(browser, page_file, viewport={"width": 1400, "height": 900}) as page:
        facts = page.eval_on_selector_all(".facts div", "all => all.map(one => one.textContent)")
        assert facts[:2] == ["objects240", "features2"]
        assert page.query_selector("#verdict .plot[data-plot=points-points]")
        box = page.locator("#points-points-plot").bounding_box()
        assert box["y"] + box["height"] < 900
        assert page.locator("nav").bounding_box()["x"] < page.locator("main").bounding_box()["x"]
        page.evaluate("scrollTo(0, 1500)")
        page.wait_for_function("document.querySelector('nav').getBoundingClientRect().top >= 0")
        assert page.locator("#points-points").count() == 1


def test_one_figure_and_one_table_of_a_section_are_open(browser, page_file):
    with opened(browser, page_file) as page:
        for section in ("#ahead", "#c0"):
            for kind in (".plot", "table"):
                seen = page.locator(f"{section} {kind}")
                assert [seen.nth(k).is_visible() for k in range(seen.count())].count(True) == 1
        assert page.evaluate("[...document.querySelectorAll('.plot')].length") > 5


def test_a_link_to_a_folded_table_opens_it(browser, page_file):
    with opened(browser, page_file) as page:
        assert page.is_hidden("#c0-clusters table")
        page.evaluate("location.hash = 'c0-clusters'")
        page.wait_for_selector("#c0-clusters table")


def test_on_paper_every_figure_is_drawn_and_nothing_is_folded(browser, page_file):
    with opened(browser, page_file) as page:
        page.wait_for_selector("html[data-ready]", state="attached")
        closed = page.locator("details:not([open])").count()
        drawn_before = page.locator(".plot[data-drawn]").count()
        page.pdf(format="A4")
        assert drawn_before < page.locator(".plot").count()
        assert page.locator(".plot[data-drawn]").count() == page.locator(".plot").count()
        assert page.locator("details:not([open])").count() == closed


def test_without_scripts_figures_and_tables_can_be_read(browser, page_file):
    with opened(browser, page_file, java_script_enabled=False) as page:
        assert page.is_visible("#ahead-scores .plot > svg")
        assert "scripts are off" not in page.content()
        page.click("#ahead-pairs summary")
        assert page.is_visible("#ahead-pairs table")


def test_a_value_outside_its_interval_is_marked(browser, tmp_path):
    class Biased(Result):
        def columns(self):
            return {"value": [1.0, 2.5]}

        def document(self):
            cells = Cell("1.0000", 1.0, 2.0, 3.0), Cell("2.5000", 2.5, 2.0, 3.0)
            rows = tuple(Row((text_cell("x"), cell)) for cell in cells)
            table = Table("biased-all", "Values", (Column("name", "text"), Column("value")), rows)
            return Section("biased", "Values", blocks=(table,))

    path = write_report(Biased(), tmp_path / "page.html")
    with opened(browser, path) as page:
        cells = page.locator("#biased-all tbody td.number")
        assert cells.nth(0).inner_text().split() == ["1.0", "interval", "[2.0,", "3.0]", "outside"]
        assert cells.nth(1).inner_text().split() == ["2.5", "interval", "[2.0,", "3.0]"]
