"""Parts of a page, each on its own."""

from __future__ import annotations

import math

import numpy as np
import pytest

import clustervet as cv
from clustervet.report import build_report
from clustervet.report.page import _bar, _is_solid, _open_blocks, to_html
from clustervet.scorecard.card_document import leaders_table
from clustervet.view.model import Cell, Column

SCALE = Column("value", scale=(0.0, 2.0))


@pytest.mark.parametrize(
    ("cell", "drawn"),
    [
        (Cell("1", 1.0), {"from": 0.0, "width": 50.0, "at": 50.0, "interval": 0}),
        (Cell("3", 3), {"from": 0.0, "width": 100.0, "at": 100.0, "interval": 0}),
        (Cell("1", 1.0, 0.5, 1.5), {"from": 25.0, "width": 50.0, "at": 50.0, "interval": 1}),
        (Cell("1", 1.0, 1.0, 1.0), {"from": 50.0, "width": 0.8, "at": 50.0, "interval": 1}),
        (Cell("-", math.nan), None),
        (Cell("text", "text"), None),
        (Cell("nothing"), None),
    ],
)
def test_a_bar_lies_where_the_value_is(cell, drawn):
    assert _bar(cell, SCALE) == drawn
    assert _bar(cell, Column("value")) is None


def test_the_title_of_the_leading_measures_counts_the_clusterings():
    truth, one, other = [0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 0, 1]
    alone = leaders_table("x", {"one": cv.external_scores(truth, one)})
    assert alone.title == "The leading measures"
    both = leaders_table("x", cv.external_scores(truth, {"one": one, "other": other}))
    assert both.title == "The clusterings side by side"
    assert "against the best" not in [column.title for column in both.columns]


def test_what_the_data_cannot_tell_from_the_best_is_not_called_worse():
    truth = [0, 1] * 60
    preds = {"same": truth, "near": [1, *truth[1:]], "far": [0, 0, 1, 1] * 30}
    ranking = cv.rank_predictions(truth, preds, random_state=0)
    table = leaders_table("x", cv.external_scores(truth, preds), ranking=ranking)
    titles = [column.title for column in table.columns]
    name, standing = titles.index("clustering"), titles.index("against the best")
    shown = {row.cells[name].text: row.cells[standing].text for row in table.rows}
    same = "not distinguishable from the best"
    assert shown == {"same": "best", "near": same, "far": "worse"}
    assert ranking.letters["near"] == ranking.letters["same"] != ranking.letters["far"]


def test_p_values_that_are_all_the_least_are_one_sentence():
    truth, preds = [0, 1] * 60, {"one": [0, 1] * 60, "other": [1, 1] + [0, 1] * 59}
    cards = cv.external_scores(truth, preds)
    levels = {
        name: {"adjusted_rand": cv.chance("purity", truth, pred, samples=99, random_state=0)}
        for name, pred in preds.items()
    }
    table = leaders_table("x", cards, levels)
    assert "p-value against chance" not in [column.title for column in table.columns]
    told = "None of 99 random clusterings does as well as any of them (p ≤ 0.01), by the adjusted"
    assert told in table.note
    levels["other"]["adjusted_rand"] = cv.chance("purity", truth, [0, 0, 1, 1] * 30, samples=99)
    table = leaders_table("x", cards, levels)
    assert table.columns[-1].title == "p-value against chance"
    assert table.rows[0].cells[-1].text == "≤ 0.01"


def test_a_page_holds_the_costliest_of_very_many_clusters() -> None:
    n = 4_000
    truth, pred = np.arange(n) // 2, (np.arange(n) + 1) // 2
    found = cv.diagnose(truth, pred)
    clusters = found.tables("d", "p0")[0]
    assert (len(clusters.rows), clusters.total) == (1_000, len(found.clusters)) == (1_000, 2_001)
    assert clusters.note == "The first 1,000 of 2,001; JSON and data frames have all."
    assert clusters.more == "(1,981 more rows)"
    page = to_html(cv.build_report(found))
    assert "The first 1,000 of 2,001" in page
    assert len(found.to_dict()["clusters"]) == 2_001


def test_only_long_words_are_broken() -> None:
    assert not _is_solid(f"{28 * 'a'} {28 * 'b'}")
    assert _is_solid(f"a {29 * 'b'}")


TREES = "(((a,b),c),(d,e));", "(((a,c),b),(d,e));"


def test_the_first_figure_of_what_was_compared_is_open_beside_the_scores():
    tree, other = map(cv.Hierarchy, TREES)
    report = build_report(cv.judge(tree, other))
    section = report.sections[0]
    assert _open_blocks(section) == ["scores-scores", "scores-tanglegram", "scores-leaders"]
    # There is no table of its numbers.
    assert [picture.table for picture in report.pictures][:2] == ["scores-leaders", ""]
    several = build_report(cv.judge(tree, {"one": tree, "two": other})).sections[0]
    assert _open_blocks(several) == ["scores-scores", "scores-leaders"]


def test_the_sentence_on_cuts_is_on_the_page_once():
    tree, other = map(cv.Hierarchy, TREES)
    page = to_html(build_report(cv.judge(tree, {"ward": other})))
    assert page.count("<h4>ward and the truth agree beyond chance") == 1
    assert '<p class="words">ward and the truth' not in page


def test_the_section_on_chance_begins_in_upper_case():
    found = cv.judge([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 0], chance="sizes", random_state=0)
    title = "Beside 1,000 random tables of clusterings of the same sizes"
    assert [section.title for section in build_report(found).sections[0].sections] == [title]
    assert f"\\caption{{{title}}}" in found.to_latex()
    level = cv.chance("rand", [0, 0, 1, 1], [0, 0, 1, 0], random_state=0)
    assert level.document().paragraphs[0].startswith("Rand index beside 1,000 random tables")
    two = cv.judge([0, 0, 1, 1], {"one": [0, 1, 1, 1], "two": [0, 0, 1, 0]}, chance="sizes")
    assert two.document().sections[0].title.startswith("one: beside 1,000 random tables")
