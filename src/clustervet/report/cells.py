"""Cells, columns and rows from finished numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from clustervet.labels import plain_label
from clustervet.plots.text import ident, short, shown
from clustervet.registry import Estimate, Measure
from clustervet.report.record import Cell, Column, Row, Table
from clustervet.scorecard.card import Score
from clustervet.scorecard.render import ARROWS, number

# Letters of a name in a table, and in a sentence.
WIDTH = 40
CONFIDENCE = 0.95


def name_text(name: Any, width: int = WIDTH) -> str:
    """A name that is safe to show in a cell or a head, on one line."""
    return short(name, width)


def spoken_name(name: Any, width: int = WIDTH) -> str:
    """A name within a sentence."""
    return shown(name, width)


def text_cell(text: Any, link: str = "") -> Cell:
    """Plain text."""
    return Cell(name_text(text, 2_000), link=link)


def name_cell(kind: str, name: Any, scope: str = "") -> Cell:
    """A name that is a cluster, class or clustering, linked to it."""
    return Cell(name_text(name), link=link_of(kind, name, scope))


def link_of(kind: str, name: Any, scope: str = "") -> str:
    """The id of a cluster, class or clustering on the page; clusters belong to a clustering.

    >>> link_of("class", "a", "p1"), link_of("cluster", 3, "p1")
    ('class:a', 'p1|cluster:3')
    """
    own = scope and kind == "cluster"
    return f"{scope}|{ident(kind, name)}" if own else ident(kind, name)


def number_cell(value: Any, unit: str = "", *, best: bool = False, text: str = "") -> Cell:
    """A number, as people read it and with all its digits; what is undefined says so."""
    if value is None:
        return Cell("–")
    if isinstance(value, int) and not isinstance(value, bool):
        return Cell(text or f"{value:,}", value, best=best)
    plain = float(value)
    said = text or number(plain, unit)
    return Cell(said, plain if math.isfinite(plain) else None, best=best)


def p_cell(value: float) -> Cell:
    """A p-value."""
    if math.isnan(value):
        return Cell("–")
    return Cell(f"{value:.3f}" if value >= 0.001 else "<0.001", float(value))


def share_cell(value: float) -> Cell:
    """A share as a percentage."""
    return number_cell(value, text=f"{value:.1%}")


def score_cell(score: Score, *, best: bool = False) -> Cell:
    """A score with its interval."""
    ends = interval_of(score)
    cell = number_cell(score.value, score.measure.unit, best=best)
    if ends is None:
        return cell
    return Cell(cell.text, cell.value, ends[0], ends[1], best)


def interval_of(score: Score) -> tuple[float, float] | None:
    """The ends of a score's interval, where it has one."""
    if score.interval is not None and not math.isnan(score.interval.low):
        return score.interval.low, score.interval.high
    if isinstance(score.value, Estimate) and score.value.standard_error > 0:
        return score.value.interval(CONFIDENCE)
    return None


def score_column(record: Measure, scores: Iterable[Score], title: str = "") -> Column:
    """The head of a column of one measure's values."""
    way = {"higher": "higher is better", "lower": "lower is better", "neither": ""}[record.better]
    unit = f", {record.unit}" if record.unit else ""
    return Column(
        f"{title or record.title}{unit}\u00a0{ARROWS[record.better]}".strip(),
        hint=". ".join(filter(None, [record.meaning.rstrip("."), way])),
        scale=scale_of(record, scores),
    )


def scale_of(record: Measure, scores: Iterable[Score]) -> tuple[float, float] | None:
    """The range in which intervals of a measure are drawn: its bounds, or what occurs."""
    found = [(score, interval_of(score)) for score in scores]
    ends = [x for score, pair in found for x in (*(pair or ()), float(score.value))]
    defined = [x for x in ends if math.isfinite(x)]
    if not defined or all(pair is None for _, pair in found):
        return None
    low, high = record.bounds
    # No value below 0 occurs in most data: the scale is spent on those that do.
    low = min(0.0, *defined) if math.isinf(low) or low < 0 else low
    high = max(defined) if math.isinf(high) else high
    return (low, high) if high > low else None


def plain_table(
    key: str, title: str, columns: Mapping[str, Sequence[Any]], note: str = "", most: int = 2_000
) -> Table:
    """A table of any columns; a column is numeric if all its values are."""
    named = {str(name): list(values) for name, values in columns.items()}
    length = max(map(len, named.values()), default=0)
    numeric = {name: all(map(_is_number, values)) for name, values in named.items()}
    rows = tuple(
        Row(tuple(_cell(values[k], numeric[name]) for name, values in named.items()))
        for k in range(min(length, most))
    )
    heads = tuple(
        Column(name_text(name).replace("_", " "), "number" if numeric[name] else "text")
        for name in named
    )
    if length > most:
        note = f"{note} The first {most:,} of {length:,} rows.".strip()
    return Table(key, title, heads, rows, note)


def grid_table(key: str, title: str, grid: Sequence[Sequence[Any]], note: str = "") -> Table:
    """A table of texts, the first line its heads; texts that are numbers sort as such."""
    head, *lines = grid
    columns = {
        str(name) or f"column {k}": [line[k] for line in lines] for k, name in enumerate(head)
    }
    return plain_table(key, title, columns, note)


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return _read(value) is not None
    return value is None or isinstance(value, int | float) or hasattr(value, "dtype")


def _read(text: str) -> float | None:
    """The number that a text is, where it is one; a dash stands for none."""
    if text.strip() in ("", "-", "–", "undefined"):
        return math.nan
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def _cell(value: Any, numeric: bool) -> Cell:
    if not numeric or value is None:
        return Cell("–") if value is None else text_cell(value)
    if isinstance(value, str):
        read = _read(value)
        return Cell(value, None if read is None or math.isnan(read) else read)
    return number_cell(plain_label(value))
