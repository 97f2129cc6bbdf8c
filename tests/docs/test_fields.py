"""The page of every field runs, and names what the registry has."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import clustervet as cv
from clustervet.registry import FIELDS

PAGES = Path(__file__).resolve().parents[2] / "docs" / "fields"


def test_every_field_has_a_page() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == {*FIELDS, "index"}
    index = (PAGES / "index.md").read_text("utf-8")
    for key, field in FIELDS.items():
        assert f"| [{field.title}]({key}.md) | {field.objects} |" in index


@pytest.mark.parametrize("key", FIELDS)
def test_the_page_says_which_name_is_which_measure(key: str) -> None:
    text = (PAGES / f"{key}.md").read_text("utf-8")
    field = FIELDS[key]
    rows = dict(re.findall(r"^\| ([^|]+) \| `(\w+)` \|$", text, re.M))
    assert rows == field.names
    for name in re.findall(r"cv\.(\w+)\(", text):
        assert hasattr(cv, name)
    for words in (field.title, field.objects, field.classes, field.clusters):
        assert words in text


@pytest.mark.parametrize("key", FIELDS)
def test_the_example_runs(key: str) -> None:
    found = doctest.testfile(str(PAGES / f"{key}.md"), module_relative=False, encoding="utf-8")
    assert found.attempted > 2
    assert found.failed == 0
