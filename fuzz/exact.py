"""Exact values of a few measures, and whether a printed score card has them.

The oracle of the tests computes them in rationals or sixty digits.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from fuzz.cases import ROOT

MEASURES = ("rand", "adjusted_rand", "purity", "mirkin", "variation_of_information")
PERFECT = {"rand": 1.0, "adjusted_rand": 1.0, "purity": 1.0, "mirkin": 0.0}


def exact_values(counts: list[list[int]]) -> dict[str, float | None]:
    """Return the values of the measures for a table; None where one is undefined."""
    place = str(ROOT / "tests" / "external")
    if place not in sys.path:
        sys.path.append(place)
    import oracle

    table = oracle.Table(counts)
    found: dict[str, float | None] = {}
    for key in MEASURES:
        value = oracle.MEASURES[key](table)
        if table.identical:
            value = PERFECT.get(key, 0.0)
        found[key] = None if value is None else float(value)
    return found


def card_fault(text: str, counts: list[list[int]]) -> str:
    """Return what is wrong with a score card in JSON; nothing if nothing is."""
    try:
        card = json.loads(text)
        held = {score["measure"]: score["value"] for score in card["scores"]}
    except (ValueError, KeyError, TypeError) as error:
        return f"the score card cannot be read: {type(error).__name__}"
    objects = sum(map(sum, counts))
    if card["objects"] != objects:
        return f"{card['objects']} objects were counted, not {objects}"
    for key, wanted in exact_values(counts).items():
        if key in held and not same_value(held[key], wanted):
            return f"{key} is {held[key]}, not {wanted}"
    return ""


def same_value(value: Any, wanted: float | None) -> bool:
    """Return whether two values agree to twelve digits."""
    if value is None or wanted is None:
        return value is wanted
    return abs(float(value) - wanted) <= 1e-12 * max(abs(wanted), 1e-3)
