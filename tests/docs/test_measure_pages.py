"""The parts of the measures' pages that are not in the registry: formulas and curves."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

import clustervet as cv

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))
import curves  # noqa: E402  # a module of the site

FORMULAS = tomllib.loads((DOCS / "formulas.toml").read_text(encoding="utf-8"))
QUICK = [key for key, record in cv.measures.items() if record.cost != "refits"]


def test_every_measure_has_a_formula_and_no_other():
    assert set(FORMULAS["formulas"]) == set(cv.measures)


@pytest.mark.parametrize("text", [*FORMULAS["formulas"].values(), *FORMULAS["notation"].values()])
def test_formulas_are_balanced(text):
    assert text.count("{") == text.count("}")
    assert text.count(r"\left") - text.count(r"\leftarrow") == text.count(r"\right")
    assert text.count("$") % 2 == 0
    assert not re.search(r"\\(?![a-zA-Z,\\%{};!| ])", text)


@pytest.mark.parametrize("key", QUICK)
def test_curves_begin_with_the_right_clusters_and_get_worse(key):
    record = cv.measures[key]
    for k, curve in enumerate(curves.curves(record)):
        first, *_, last = [value for value in curve.values if value is not None]
        if k == 0 and record.perfect is not None and record.kind == "external":
            assert first == pytest.approx(record.perfect, abs=1e-9)
        # The other curves may rise: some measures look only at classes or only at clusters.
        if record.better != "neither" and k == 0:
            better = first > last if record.better == "higher" else first < last
            assert better, curve.name
    assert curves.picture(record).startswith("<svg")


def test_ticks_are_round_and_hold_the_values():
    for low, high in [(0, 1), (-0.5, 1), (0, 575_424), (310, 910), (0.02, 0.035), (3, 3)]:
        ticks = curves._ticks(low, high)
        assert 2 <= len(ticks) <= 7
        assert ticks[0] <= low
        assert ticks[-1] >= high
