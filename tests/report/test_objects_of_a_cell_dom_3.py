"""The objects behind a cell of the heat map (Dom 2001, §3), in a real browser."""

from __future__ import annotations

import numpy as np
import pytest
from report_cases import FEW, HOSTILE, drawn, opened

import clustervet as cv
from clustervet.inference import members
from clustervet.report import build_report, render, write_report

TRUTH = ["a"] * 12 + ["b"] * 12
PRED = [0] * 16 + [1] * 8
HEAT = "c0-contingency"
PANEL = f"[data-objects={HEAT}]"


def written(found, tmp_path):
    return write_report(found, tmp_path / "page.html")


def heatmap(found):
    (picture,) = [one for one in build_report(found).pictures if one.key == HEAT]
    return picture


def click(page, row, column):
    """Click the middle of a cell, by the places of its class and its cluster."""
    plot = drawn(page, HEAT)
    box = plot.query_selector(".nsewdrag").bounding_box()
    rows, columns = page.evaluate(
        "key => ['y', 'x'].map(side => document.getElementById(key).data[0][side].length)",
        f"{HEAT}-plot",
    )
    x = box["x"] + box["width"] * (column + 0.5) / columns
    y = box["y"] + box["height"] * (row + 0.5) / rows
    page.mouse.move(x, y)
    page.mouse.click(x, y)
    page.wait_for_selector(f"{PANEL} .told:not(:empty)")


def told(page):
    return page.text_content(f"{PANEL} .told")


def listed(page):
    return page.input_value(f"{PANEL} textarea").split("\n")


def test_a_click_lists_the_objects_and_the_button_copies_them(browser, tmp_path):
    names = [f"doc {k}" for k in range(24)]
    found = cv.examine(TRUTH, PRED, measures=FEW, ids=names)
    with opened(browser, written(found, tmp_path)) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        click(page, 1, 0)
        assert told(page) == "4 objects of class b are in cluster 0."
        assert listed(page) == names[12:16]
        page.click(f"{PANEL} .copy")
        page.wait_for_selector(f"{PANEL} .copy:text('Copied')")
        assert page.evaluate("navigator.clipboard.readText()") == "\n".join(names[12:16])
        # What is chosen lights up as before, and a second click in its column keeps it.
        assert page.text_content("#chosen-text").startswith("Cluster 0")
        click(page, 0, 0)
        assert told(page) == "12 objects of class a are in cluster 0."
        assert page.text_content("#chosen-text").startswith("Cluster 0")


def test_without_a_clipboard_the_objects_are_selected(browser, tmp_path):
    found = cv.examine(TRUTH, PRED, measures=FEW)
    with opened(browser, written(found, tmp_path)) as page:
        page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
        page.evaluate("document.execCommand = () => false")
        click(page, 1, 1)
        page.click(f"{PANEL} .copy")
        page.wait_for_selector(f"{PANEL} .copy:text('Press Ctrl+C')")
        rows = [str(k) for k in range(16, 24)]
        assert page.evaluate("String(getSelection())") == "\n".join(rows)


def test_the_keyboard_is_enough(browser, tmp_path):
    found = cv.examine(TRUTH, PRED, measures=FEW)
    with opened(browser, written(found, tmp_path)) as page:
        drawn(page, HEAT)
        page.focus(f"{PANEL} select[data-side=rows]")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector(f"{PANEL} .told:not(:empty)")
        assert told(page) == "4 objects of class b are in cluster 0."
        assert listed(page) == ["12", "13", "14", "15"]
        assert page.text_content("#live") == told(page)
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_selector(f"{PANEL} .told:has-text('No object')")
        assert told(page) == "No object of class a is in cluster 1."
        assert page.is_hidden(f"{PANEL} textarea")


def test_hostile_ids_are_text(browser, tmp_path):
    ids = [f"{HOSTILE[k % len(HOSTILE)]}{k}" for k in range(24)]
    found = cv.examine(TRUTH, PRED, measures=FEW, ids=ids)
    with opened(browser, written(found, tmp_path)) as page:
        click(page, 1, 0)
        right = [members.written_id(one) for one in ids[12:16]]
        assert listed(page) == right
        assert page.evaluate("window.hacked") is None


def test_what_is_cut_is_told(browser, tmp_path, monkeypatch):
    monkeypatch.setattr(members, "CELL_OBJECTS", 3)
    found = cv.examine(TRUTH, PRED, measures=FEW)
    with opened(browser, written(found, tmp_path)) as page:
        click(page, 1, 0)
        assert told(page) == "4 objects of class b are in cluster 0; the first 3 are listed."
        assert listed(page) == ["12", "13", "14"]


def test_caps_hold_for_many_objects_and_long_ids():
    rng = np.random.default_rng(0)
    truth, pred = rng.integers(0, 9, 60_000), rng.integers(0, 9, 60_000)
    pred[:20_000] = truth[:20_000] = 0
    found = cv.diagnose(truth, pred).listed_cells(range(9), range(9))
    shown = [len(held) for _, _, _, held in found.cells]
    assert max(shown) <= members.CELL_OBJECTS
    assert sum(shown) <= members.PAGE_OBJECTS
    assert sum(shown) > 0.9 * members.PAGE_OBJECTS
    for row, column, count, held in found.cells:
        rows = np.flatnonzero((truth == row) & (pred == column))
        assert count == len(rows)
        assert held == [str(k) for k in rows[: len(held)]]
    long = cv.diagnose(TRUTH, PRED, ids=[f"{k}{'x' * 90_000}" for k in range(24)])
    cells = long.listed_cells(["a", "b"], [0, 1]).cells
    assert sum(len(one) for cell in cells for one in cell[3]) <= members.PAGE_LETTERS
    assert [cell[2] for cell in cells] == [12, 4, 8]


def test_more_cells_than_may_be_listed(monkeypatch):
    monkeypatch.setattr(members, "PAGE_OBJECTS", 2)
    found = cv.diagnose(TRUTH, PRED).listed_cells(["a", "b"], [0, 1])
    assert [len(cell[3]) for cell in found.cells] == [1, 0, 1]


def test_dropped_objects_are_not_listed_and_the_rows_are_those_given():
    truth = ["a", None, "a", "b", "b", "a"]
    found = cv.examine(truth, [0, 0, -1, 0, 1, 0], measures=FEW, missing="drop", noise="drop")
    cells = heatmap(found).objects["cells"]
    assert sorted(row for cell in cells for row in cell[3]) == ["0", "3", "4", "5"]


def test_counts_alone_say_so(tmp_path):
    table = cv.Contingency.from_labels(TRUTH, PRED)
    page = render(build_report(cv.examine(None, {"a": table}, measures=FEW)), "html")
    assert "The objects behind the cells are not known here: the labels came as counts." in page
    assert "--objects FILE" in page
    assert "data-objects=" not in page


def test_joined_files_have_their_ids_unless_they_are_many(tmp_path, monkeypatch):
    order = np.random.default_rng(0).permutation(24)
    rows = "".join(f"d{k},{TRUTH[k]}\n" for k in range(24))
    (tmp_path / "truth.csv").write_text(f"id,y\n{rows}", encoding="utf-8")
    rows = "".join(f"d{k},{PRED[k]}\n" for k in order)
    (tmp_path / "pred.csv").write_text(f"id,c\n{rows}", encoding="utf-8")
    files = [str(tmp_path / name) for name in ("truth.csv", "pred.csv")]
    found, _ = cv.examine_files(files, "y", "c", id="id", measures=FEW)
    objects = heatmap(found).objects
    assert objects["kind"] == "id"
    held = {(objects["rows"][r], objects["columns"][c]): ids for r, c, _, ids in objects["cells"]}
    assert sorted(held["b", "0"]) == ["d12", "d13", "d14", "d15"]
    monkeypatch.setattr(members, "READ_AGAIN", 20)
    assert "are not listed here: there are more than" in heatmap(found).objects["why"]


def test_ids_are_one_for_each_object():
    with pytest.raises(cv.ClustervetError, match="one id for each of the 24 objects"):
        cv.examine(TRUTH, PRED, ids=range(3))
    with pytest.raises(cv.ClustervetError, match="ids go with labels"):
        cv.examine(None, {"a": cv.Contingency.from_labels(TRUTH, PRED)}, ids=range(24))
