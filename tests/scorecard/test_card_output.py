from __future__ import annotations

import csv
import importlib.util
import io
import json
import math
import operator
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath

import jsonschema
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from rich.console import Console

import clustervet as cv
from clustervet import Contingency, external_scores
from clustervet.errors import MissingPackageError, ParameterError
from clustervet.scorecard.card_document import SIDE_BY_SIDE
from clustervet.view import (
    Cell,
    Result,
    Section,
    form_cell,
    plain,
    plain_table,
    to_frame,
    words,
)
from clustervet.view.latex import to_latex
from clustervet.view.result import Exported

SCHEMA = Path(__file__).parents[2] / "docs" / "scorecard.schema.json"
TRUTH = ["a", "a", "a", "b", "b", "c"]
PRED = [0, 0, 1, 1, 2, 2]
OTHER = [0, 0, 0, 1, 1, 2]
HOSTILE = [
    "<script>alert(1)</script>",
    'quo"te & co',
    "pipe | pipe",
    "two\nlines",
    "\x1b[31mred\x1b[0m",
    "\x9b31m",
    "\u202eright to left",
    "[bold red]markup[/]",
    "=1+1",
    "@SUM(A1)",
    "+1",
    "-1",
    "`code`",
    "back\\slash",
    "x" * 10**6,
]
CARDS = {
    "one": external_scores(TRUTH, PRED),
    "undefined": external_scores(["a", "a"], [0, 1]),
    "several": external_scores(TRUTH, {"first": PRED, "second": OTHER}),
    "truths": external_scores([TRUTH, PRED], {"x": PRED, "y": OTHER}),
    "weights": external_scores(TRUTH, PRED, weights=[0.5] * 6),
    "huge": external_scores(Contingency.from_counts([[10**400, 1], [1, 10**400]])),
    "hostile": external_scores(TRUTH, dict.fromkeys(HOSTILE, PRED), measures=["vi", "ari"]),
    "empty": external_scores(TRUTH, PRED, measures=[]),
}


@pytest.fixture(scope="module")
def validator():
    assert SCHEMA.exists()
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def strict(text):
    """JSON as the standard has it: no NaN, no Infinity."""

    def refuse(constant):
        raise AssertionError(constant)

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("name", CARDS)
def test_the_json_of_a_card_is_valid_against_the_schema(name, validator):
    card = CARDS[name]
    validator.validate(strict(card.to_json()))
    assert strict(card.to_json()) == strict(card.to_json(indent=None)) == card.to_dict()


def test_the_schema_refuses_what_is_no_card(validator):
    good = CARDS["one"].to_dict()
    for wrong in ({}, [], {**good, "objects": 0}, {**good, "extra": 1}, {**good, "schema": "x/1"}):
        assert not validator.is_valid(wrong)


def test_the_data_of_a_card():
    data = external_scores(TRUTH, PRED, measures=["ari", "vi"]).to_dict()
    assert [score["measure"] for score in data["scores"]] == [
        "adjusted_rand",
        "variation_of_information",
    ]
    assert (data["objects"], data["classes"], data["clusters"]) == (6, 3, 3)
    first, second = data["scores"]
    assert first["value"] == cv.adjusted_rand(TRUTH, PRED)
    assert first["adjusted"] is True
    assert second["bounds"] == [0, None]
    assert second["unit"] == "bits"
    assert second["better"] == "lower"


def test_undefined_values_are_null_and_say_why():
    scores = {score["measure"]: score for score in CARDS["undefined"].to_dict()["scores"]}
    assert scores["pair_precision"]["value"] is None
    assert "no pair shares a cluster" in scores["pair_precision"]["why_undefined"]
    assert scores["rand"]["why_undefined"] is None


def test_several_cards_keep_their_names():
    data = CARDS["several"].to_dict()
    assert [card["name"] for card in data["cards"]] == ["first", "second"]
    assert [card["pred"] for card in data["cards"]] == ["first", "second"]


def test_names_survive_json_unchanged():
    found = [card["name"] for card in strict(CARDS["hostile"].to_json())["cards"]]
    assert found == HOSTILE


def test_letters_of_every_script_stay_readable_in_json():
    names = ["Größe", "عنقود", "聚类", "κατηγορία"]
    text = external_scores(TRUTH, dict.fromkeys(names, PRED), measures=["vi"]).to_json()
    assert all(f'"{name}"' in text for name in names)
    assert "\\u" not in text


FRAMES = {
    "pandas": (pd.DataFrame, lambda frame: frame.to_dict("list")),
    "polars": (pl.DataFrame, lambda frame: frame.to_dict(as_series=False)),
    "pyarrow": (pa.Table, operator.methodcaller("to_pydict")),
}


@pytest.mark.parametrize("backend", FRAMES)
def test_a_frame_has_a_row_a_measure(backend):
    kind, as_dict = FRAMES[backend]
    card = CARDS["undefined"]
    frame = card.to_frame(backend)
    assert isinstance(frame, kind)
    found = as_dict(frame)
    assert found["measure"] == list(card)
    assert found["family"][0] == "pairs"
    values = dict(zip(found["measure"], found["value"], strict=True))
    assert values["rand"] == card["rand"]
    assert values["pair_precision"] is None or math.isnan(values["pair_precision"])
    why = dict(zip(found["measure"], found["why_undefined"], strict=True))
    assert "no pair shares a cluster" in why["pair_precision"]


@pytest.mark.parametrize("backend", FRAMES)
def test_a_frame_of_several_cards_has_a_row_a_measure_and_card(backend):
    found = FRAMES[backend][1](CARDS["several"].to_frame(backend))
    size = len(CARDS["several"]["first"])
    assert found["pred"] == ["first"] * size + ["second"] * size


def test_the_first_installed_library_makes_the_frame():
    assert isinstance(CARDS["one"].to_frame(), pd.DataFrame)


def test_a_library_that_is_not_there_is_named(monkeypatch):
    real = importlib.util.find_spec
    gone = {"pandas"}
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name, *_: None if name in gone else real(name)
    )
    with pytest.raises(MissingPackageError) as caught:
        CARDS["one"].to_frame("pandas")
    assert str(caught.value) == "a pandas frame needs pandas, which is not installed."
    assert isinstance(CARDS["one"].to_frame(), pl.DataFrame)
    gone |= {"polars", "pyarrow"}
    with pytest.raises(MissingPackageError) as caught:
        CARDS["one"].to_frame()
    assert str(caught.value) == (
        "a frame needs pandas, polars or pyarrow, and none of them is installed."
    )


@pytest.mark.parametrize("backend", ["polars", "pyarrow"])
def test_a_frame_that_cannot_hold_the_values_says_so(backend):
    said = f"^a {backend} frame cannot hold this table: .*x.*[.]$"
    with pytest.raises(ParameterError, match=said):
        to_frame({"a": [1, "x"]}, backend)


def test_a_small_card_as_text():
    card = external_scores(TRUTH, OTHER, measures=["rand", "vi", "mirkin"])
    assert repr(card).split("\n") == [
        "6 objects, 3 classes, 3 clusters",
        "measure                       value  range  unit",
        "rand                      ↑  1.0000  0 … 1",
        "variation_of_information  ↓       0  0 … ∞  bits",
        "mirkin                    ↓       0  0 … ∞  ordered pairs",
    ]


def test_a_card_of_one_is_in_the_singular():
    card = external_scores(["a"], [0], measures="rand")
    assert repr(card).split("\n")[0] == "1 object, 1 class, 1 cluster"


def test_cards_side_by_side_as_text():
    lines = repr(CARDS["several"]).split("\n")
    assert lines[0] == "first: 6 objects, 3 classes, 3 clusters"
    assert lines[1] == "second: 6 objects, 3 classes, 3 clusters"
    assert lines[2].split() == ["measure", "first", "second", "range", "unit"]


def test_text_says_why_a_value_is_undefined():
    text = repr(CARDS["undefined"])
    assert re.search(r"pair_precision +↑ +undefined", text)
    assert (
        "pair_precision: every cluster has one object, so no pair shares a cluster"
        in text.replace("fowlkes_mallows, adjusted_fowlkes_mallows, ", "")
    )


def test_text_says_where_an_interval_is_undefined():
    one, two = [0, 0, 0, 0, 1], [0, 0, 0, 1, 0]
    card = external_scores(one, two, measures=["nmi"], confidence=0.95)
    said = "normalized_mutual_information: undefined when any one of 2 objects is left out"
    assert said in card.document().notes
    drawn = cv.confidence_interval("nmi", one, two, method="basic", resamples=50, random_state=0)
    assert 0 < drawn.undefined < 50
    score = replace(card.scores["normalized_mutual_information"], interval=drawn)
    notes = cv.ScoreCard(card.subject, [score]).document().notes
    where = f"in {drawn.undefined} of 50 resampled tables"
    assert f"normalized_mutual_information: undefined {where}" in notes


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1.0000"),
        (0.12345, "0.1235"),
        (-0.5, "-0.5000"),
        (0.00012345, "1.234e-04"),
        (12345.678, "12,345.7"),
        (1e9, "1.000e+09"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        (math.nan, "undefined"),
        (0.99999999, "1.0000"),
    ],
)
def test_numbers_are_short_and_never_hidden(value, shown):
    assert words.number(value) == shown


def test_whole_counts_are_shown_whole():
    assert words.number(1234567.0, "objects") == "1,234,567"
    assert words.number(0.5, "objects") == "0.5000"


@pytest.mark.parametrize("value", [None, math.nan, math.inf])
def test_a_share_that_is_none_is_a_dash(value):
    assert form_cell(value, ".1%") == Cell("-")
    assert form_cell(0.25, ".1%").text == "25.0%"


def test_a_table_shows_its_first_rows_and_says_so(monkeypatch):
    table = plain_table("t", "All", {"k": range(3), "yes": [True, False, True]}, "Whole numbers.")
    assert table.note == "Whole numbers."
    assert [column.kind for column in table.columns] == ["number", "text"]
    assert [row.cells[1].text for row in table.rows] == ["yes", "no", "yes"]
    monkeypatch.setattr("clustervet.view.cells.MOST_ROWS", 2)
    short = plain_table("t", "All", {"k": range(3)}, "Whole numbers.")
    assert short.note == "Whole numbers. The first 2 of 3 rows."
    assert len(short.rows) == 2


def test_values_of_any_kind_are_plain_data():
    assert plain({1: 2 + 3j, "path": PurePosixPath("a/b")}) == {"1": "(2+3j)", "path": "a/b"}


def test_a_result_without_a_document_or_data_says_so():
    class Bare(Result):
        pass

    class Empty(Exported):
        pass

    with pytest.raises(NotImplementedError, match=r"^Bare has no document\.$"):
        Bare().document()
    with pytest.raises(NotImplementedError, match=r"^Empty has no plain data\.$"):
        Empty().to_json()


def test_latex_holds_the_tables_of_parts_but_not_of_details():
    def part(key, **options):
        return Section(key, key, blocks=(plain_table(key, key, {"k": [1]}),), **options)

    whole = Section("whole", "Whole", sections=(part("seen"), part("kept", detail=True)))
    text = to_latex(whole)
    assert text.count(r"\begin{table}") == 1
    assert r"\caption{seen}" in text


def rendered(card, width=300, **options):
    console = Console(record=True, width=width, file=io.StringIO(), **options)
    console.print(card)
    return console


@pytest.mark.parametrize("name", CARDS)
def test_every_card_can_be_shown_in_a_terminal(name):
    for width in (20, 80, 300):
        assert rendered(CARDS[name], width).export_text()


def test_a_terminal_shows_the_numbers_of_the_card():
    text = rendered(CARDS["one"]).export_text()
    assert "6 objects, 3 classes, 3 clusters" in text
    for key in CARDS["one"]:
        assert key in text
    assert words.number(CARDS["one"]["vi"]) in text


def test_a_terminal_shows_the_heads_of_the_columns():
    lines = rendered(CARDS["several"]).export_text().splitlines()
    (head,) = [line for line in lines if "first" in line and "second" in line]
    assert head.split() == ["measure", "first", "second", "range", "unit"]
    document = CARDS["one"].document()
    text = rendered(CARDS["one"]).export_text()
    for table in document.shown_tables:
        for column in table.columns:
            assert column.title.replace("_", " ") in text
    numbers = [k for k, column in enumerate(document.tables[-1].columns) if column.kind == "number"]
    assert numbers


def test_a_terminal_shows_the_best_of_a_row():
    html = rendered(CARDS["several"], color_system="truecolor").export_html(inline_styles=True)
    bold = re.findall(r"font-weight: bold[^>]*>([^<]*)<", html)
    assert any("1.0000" in text for text in bold)


def test_a_terminal_says_why_a_value_is_undefined():
    assert "no pair shares a cluster" in rendered(CARDS["undefined"]).export_text()


class Plain(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.texts.append(data)


@pytest.mark.parametrize("name", CARDS)
def test_the_html_of_every_card_holds_only_its_own_tags(name):
    page = Plain(CARDS[name]._repr_html_())
    assert page.tags[0] == ("table" if name != "empty" else "p")
    assert set(page.tags) <= {
        *("table", "caption", "thead", "tbody", "tr", "th", "td", "b", "br", "ul", "li", "p")
    }


def test_the_html_of_a_small_card():
    html = external_scores(["a", "b"], [0, 1], measures=["rand"])._repr_html_()
    meaning = cv.measures["rand"].meaning
    assert html == (
        "<table><caption>2 objects, 2 classes, 2 clusters</caption><thead><tr><th>measure</th>"
        "<th></th><th>value</th><th>range</th><th>unit</th></tr></thead><tbody><tr>"
        f'<th title="{meaning}">rand</th><td>↑</td><td>1.0000</td><td>0 … 1</td><td></td></tr>'
        "</tbody></table>"
    )


def test_html_marks_the_best_and_says_why():
    both = external_scores(TRUTH, {"x": PRED, "y": OTHER}, measures=["rand"])
    assert "<b>1.0000</b>" in both._repr_html_()
    assert "no pair shares a cluster" in CARDS["undefined"]._repr_html_()


@pytest.mark.parametrize(
    "show", [repr, lambda c: c._repr_html_(), lambda c: rendered(c).export_text()]
)
def test_hostile_names_cannot_break_out(show):
    text = show(CARDS["hostile"])
    assert len(text) < 20_000
    for raw in ("\x1b", "\x9b", "\u202e", "two\nlines"):
        assert raw not in text
    assert "<script" not in CARDS["hostile"]._repr_html_()


def test_markup_in_a_name_is_shown_not_obeyed():
    assert "[bold red]markup[/]" in rendered(CARDS["hostile"], 2000).export_text()


def test_a_markdown_table_has_as_many_cells_in_every_row():
    for name in ("several", "hostile"):
        lines = CARDS[name].to_markdown().split("\n")
        rows = [line for line in lines if line.startswith("| ")]
        bars = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) for row in rows}
        assert bars == {len(CARDS[name]) + 5 if len(CARDS[name]) <= SIDE_BY_SIDE else 7}


def test_markdown_names_are_escaped():
    text = CARDS["hostile"].to_markdown()
    assert r"pipe \| pipe" in text
    assert r"\`code\`" in text
    assert r"back\\slash" in text
    assert "<script" not in text
    assert "\x1b" not in text


def test_markdown_holds_values_and_reasons():
    text = CARDS["undefined"].to_markdown()
    assert re.search(r"\| pair_precision \| ↑ \| undefined \|", text)
    assert "no pair shares a cluster" in text


def test_csv_keeps_all_digits():
    card = CARDS["one"]
    rows = list(csv.DictReader(io.StringIO(card.to_csv())))
    assert [row["measure"] for row in rows] == list(card)
    assert [float(row["value"]) for row in rows] == list(card.values())


def test_csv_leaves_undefined_values_empty_and_says_why():
    rows = csv.DictReader(io.StringIO(CARDS["undefined"].to_csv()))
    row = next(row for row in rows if row["measure"] == "pair_precision")
    assert row["value"] == ""
    assert "no pair shares a cluster" in row["why_undefined"]


def test_csv_starts_no_formula_in_a_spreadsheet():
    found = external_scores(TRUTH, dict.fromkeys(HOSTILE[:-1], PRED), measures=["vi", "ari"])
    rows = list(csv.reader(io.StringIO(found.to_csv())))
    assert {len(row) for row in rows} == {len(rows[0])}
    for row in rows[1:]:
        for head, cell in zip(rows[0], row, strict=True):
            if head != "value":
                assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert "'=1+1" in [cell for row in rows for cell in row]


def test_a_negative_value_stays_a_number_in_csv():
    card = external_scores([1, 1, 2, 2], [0, 1, 0, 1], measures="ari")
    assert card["ari"] < 0
    assert f",{card['ari']!r}," in card.to_csv()


def test_a_dozen_names_are_shown():
    assert words.names(range(12)) == ", ".join(map(str, range(12)))
    assert words.names(range(14)) == ", ".join(map(str, range(12))) + " and 2 more"


def test_the_formula_stands_as_code_in_the_help_of_a_measure():
    assert f"Formula: ``{cv.rand.record.equation}``" in " ".join(cv.rand.__doc__.split())


@pytest.mark.parametrize("width", [20, 30, 50, 80])
def test_a_narrow_terminal_loses_no_number(width):
    preds = {"first": [0, 0, 1, 1, 1, 2], "second": [0, 1, 1, 2, 2, 2]}
    cards = external_scores(TRUTH, preds, measures=["vi", "ari", "purity"])
    stream = io.StringIO()
    Console(file=stream, width=width).print(cards)
    shown = re.sub(r"\s", "", stream.getvalue())
    for card in cards.values():
        for key in card:
            assert f"{card[key]:.4f}" in shown
