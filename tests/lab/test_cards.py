"""The card of a measure, the list of measures, and a record as a result."""

from __future__ import annotations

import csv
import io
import json
import math

import pytest

import clustervet as cv
from clustervet import lab
from clustervet.errors import UnknownMeasureError
from clustervet.registry import FIELDS

RECORDS = list(cv.measures.values())


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.key)
def test_the_card_says_what_the_record_knows(record):
    card = lab.card(record.key)
    assert card.record is record
    data = json.loads(card.to_json())
    for name in ("key", "title", "symbol", "family", "kind", "better", "unit", "perfect", "cost"):
        assert data[name] == getattr(record, name)
    assert data["bounds"] == [bound if math.isfinite(bound) else None for bound in record.bounds]
    assert list(data["parameters"]) == list(record.parameters)
    assert len(data["tested"]) == (len(lab.known_properties()) if record.kind == "external" else 0)
    text = " ".join(repr(card).split())
    for part in (record.title, record.key, record.meaning, record.equation, record.use):
        assert " ".join(part.split()) in text


def test_has_and_lacks_are_the_answers_of_the_tests():
    facts = lab.card("vi").facts()
    row = lab.axioms("vi")["vi"]
    known = lab.known_properties()
    for head, status in (("has", "holds"), ("lacks", "fails")):
        titles = [known[key].title for key, verdict in row.items() if verdict.status == status]
        assert [title.lower() for title in titles] == facts[head].lower().split("; ")
    assert "has" not in lab.card("silhouette").facts()


def test_a_card_is_found_by_alias_record_and_function():
    for name in ("ari", "Adjusted-Rand", cv.measures["ari"], cv.adjusted_rand):
        assert lab.card(name).record.key == "adjusted_rand"
    with pytest.raises(UnknownMeasureError, match="did you mean rand"):
        lab.card("rnad")


def test_a_record_is_shown_as_its_card():
    record, card = cv.measures["vi"], lab.card("vi")
    assert repr(record) == repr(card)
    assert record._repr_html_() == card._repr_html_()
    assert "<table>" in record._repr_html_()
    assert record.to_json() == card.to_json()
    assert record.to_markdown() == card.to_markdown()
    assert record.to_csv() == card.to_csv()
    assert record.to_frame("polars")["measure"].to_list() == ["variation_of_information"]


def test_the_card_of_a_measure_of_ones_own():
    @cv.measure(title="<b>Mine</b>", family="my own", better="lower", bounds=(0, 1))
    def mine(table):
        """Always | the same."""
        return 0.5

    try:
        record = cv.measures["mine"]
        assert repr(record).startswith("<b>Mine</b> (mine)\nAlways | the same.\nproperties  lower")
        assert "<b>" not in record._repr_html_()
        assert record.to_dict()["tested"] == {}
        assert lab.measure_list("my own").records == (record,)
    finally:
        cv.measures.remove("mine")


def test_the_list_of_measures():
    whole = lab.measure_list()
    assert list(whole.records) == RECORDS
    assert json.loads(whole.to_json()) == [json.loads(record.to_json()) for record in RECORDS]
    assert whole.to_dict()["measures"][0] == RECORDS[0].to_dict()
    rows = list(csv.DictReader(io.StringIO(whole.to_csv())))
    assert list(rows[0]) == ["measure", "better", "low", "high", "kind", "family", "title"]
    assert [row["measure"] for row in rows] == list(cv.measures)
    assert {float(row["high"]) for row in rows} == {record.bounds[1] for record in RECORDS}
    lines = repr(whole).splitlines()
    kinds = {record.kind for record in RECORDS}
    # Each kind has a title, a head and an empty line before it, but for the first one.
    assert len(lines) == 3 * len(kinds) - 1 + len(RECORDS)
    assert lines[0] == "Labels against labels"


def test_kinds_have_tables_in_which_families_are_kept_apart():
    tables = lab.measure_list().document().tables
    rows = [row for table in tables for row in table.rows]
    assert [row.cells[0].text for row in rows] == [record.key for record in RECORDS]
    ends = [record.family for record, row in zip(RECORDS, rows, strict=True) if row.last]
    assert ends == list(dict.fromkeys(record.family for record in RECORDS))
    assert len(tables) == len({record.kind for record in RECORDS})


@pytest.mark.parametrize("field", list(FIELDS))
def test_a_field_lists_its_measures_by_its_own_names(field):
    found = lab.measure_list(field)
    assert (
        dict(zip(found.names, [r.key for r in found.records], strict=True)) == FIELDS[field].names
    )
    shown = {
        row.cells[0].text: row.cells[1].text
        for table in found.document().tables
        for row in table.rows
    }
    assert shown == FIELDS[field].names
    assert found.columns()["name in the field"] == list(FIELDS[field].names)
    assert lab.measure_list(FIELDS[field].title).records == found.records


def test_a_family_is_a_list():
    pairs = lab.measure_list("pairs")
    assert {record.family for record in pairs.records} == {"pairs"}
    with pytest.raises(UnknownMeasureError, match="no family"):
        lab.measure_list("nothing")
