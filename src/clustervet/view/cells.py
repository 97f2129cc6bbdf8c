"""Cells and tables made from finished numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from clustervet.labels import plain_label
from clustervet.view.model import Cell, Column, Row, Table
from clustervet.view.words import ident, number, short

# Rows of a table on a page; all of them are in the JSON and CSV forms of the result.
MOST_ROWS = 2_000


def text_cell(text: Any, *, link: str = "", long: str = "", hint: str = "") -> Cell:
    """Return a cell of plain text."""
    return Cell(short(text, 2_000), link=link, long=long, hint=hint)


def name_cell(kind: str, name: Any, scope: str = "", width: int = 40) -> Cell:
    """Return the name of a cluster, class or clustering, linked to all its other places."""
    return Cell(short(name, width), link=ident(kind, name, scope))


def number_cell(
    value: Any,
    unit: str = "",
    *,
    text: str = "",
    low: float | None = None,
    high: float | None = None,
    best: bool = False,
    hint: str = "",
) -> Cell:
    """Return a number as people read it, with all its digits behind the text.

    >>> number_cell(12345).text, number_cell(0.25).text, number_cell(None).text
    ('12,345', '0.2500', '-')
    """
    if value is None:
        return Cell("-", hint=hint)
    if isinstance(value, int) and not isinstance(value, bool):
        return Cell(text or f"{value:,}", value, low, high, best, hint=hint)
    real = float(value)
    exact = real if math.isfinite(real) else None
    return Cell(text or number(real, unit), exact, low, high, best, hint=hint)


def form_cell(value: float | None, form: str, **options: Any) -> Cell:
    """Return a number in a form such as ".1%", or a dash where it is missing or not finite."""
    if value is None or not math.isfinite(value):
        return Cell("-")
    return number_cell(value, text=format(value, form), **options)


def facts_table(key: str, title: str, facts: Mapping[str, str | Cell], **options: Any) -> Table:
    """Return a table without heads: one row per fact, its name and what is known."""
    rows = tuple(
        Row((Cell(name), fact if isinstance(fact, Cell) else text_cell(fact)))
        for name, fact in facts.items()
    )
    return Table(key, title, (Column("", "text"), Column("", "text")), rows, **options)


def plain_table(
    key: str, title: str, columns: Mapping[str, Sequence[Any]], note: str = "", **options: Any
) -> Table:
    """Return a table of any columns; a column is numeric if all its values are numbers.

    >>> table = plain_table("t", "Sizes", {"name": ["a", "b"], "size": [3, None]})
    >>> [column.kind for column in table.columns], [row.cells[1].text for row in table.rows]
    (['text', 'number'], ['3', '-'])
    """
    held = {str(name): list(values) for name, values in columns.items()}
    length = max(map(len, held.values()), default=0)
    numeric = {name: all(map(_is_numeric, values)) for name, values in held.items()}
    rows = tuple(
        Row(tuple(_plain_cell(values[k], numeric[name]) for name, values in held.items()))
        for k in range(min(length, MOST_ROWS))
    )
    heads = tuple(
        Column(short(name).replace("_", " "), "number" if numeric[name] else "text")
        for name in held
    )
    if length > MOST_ROWS:
        note = f"{note} The first {MOST_ROWS:,} of {length:,} rows.".strip()
    return Table(key, title, heads, rows, note, **options)


def _is_numeric(value: Any) -> bool:
    if isinstance(value, Cell):
        return (value.value is not None or value.text == "-") and not value.link
    if isinstance(value, bool):
        return False
    return value is None or isinstance(value, int | float) or hasattr(value, "dtype")


def _plain_cell(value: Any, numeric: bool) -> Cell:
    if isinstance(value, Cell):
        return value
    if value is None:
        return Cell("-")
    if isinstance(value, bool):
        return Cell("yes" if value else "no")
    return number_cell(plain_label(value)) if numeric else text_cell(value)


def with_ends(cell: Cell, ends: tuple[float, float] | None) -> Cell:
    """Return the cell with the ends of its interval, where it has one."""
    return cell if ends is None else replace(cell, low=ends[0], high=ends[1])


def best_places(values: Sequence[float], better: str) -> set[int]:
    """Return the places of the best of several values, unless all are equal.

    >>> best_places([0.5, 0.9, 0.9], "higher"), best_places([1.0, 1.0], "lower")
    ({1, 2}, set())
    """
    defined = [value for value in values if not math.isnan(value)]
    if len(values) < 2 or better == "neither" or not defined or min(defined) == max(defined):
        return set()
    best = max(defined) if better == "higher" else min(defined)
    return {k for k, value in enumerate(values) if value == best}


def scale_of(values: Iterable[float]) -> tuple[float, float] | None:
    """Return the range of the finite values, where they differ."""
    found = [value for value in values if math.isfinite(value)]
    return (min(found), max(found)) if found and max(found) > min(found) else None
