"""Score cards as text, rich tables, HTML, Markdown, CSV and columns; nothing is computed here."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from clustervet.labels import show_label
from clustervet.registry import Estimate

if TYPE_CHECKING:
    from clustervet.scorecard.card import Score, ScoreCard

# Units whose values are counts.
COUNTED = frozenset({"objects", "ordered pairs"})
ARROWS = {"higher": "↑", "lower": "↓", "neither": ""}


def number(value: float, unit: str = "") -> str:
    """A value as people read it: four decimals, or four digits where that would hide it."""
    if math.isnan(value):
        return "undefined"
    if unit in COUNTED and value < 1e15 and value.is_integer():
        return f"{value:,.0f}"
    if math.isinf(value) or value == 0 or 1e-3 <= abs(value) < 1e6:
        text = f"{value:.4f}" if abs(value) < 1e4 else f"{value:,.1f}"
        return "0" if value == 0 else text
    return f"{value:.3e}"


def scored(score: Score) -> str:
    """A score's value, with its interval where there is one."""
    text = number(score.value, score.measure.unit)
    if _is_estimate(score):
        return f"{text} ± {score.value.standard_error:.1g}"  # type: ignore[attr-defined]  # one
    found = score.interval
    if found is None or math.isnan(found.low):
        return text
    low, high = (number(x, score.measure.unit) for x in (found.low, found.high))
    return f"{text} [{low}, {high}]"


def best_cards(scores: Sequence[Score]) -> set[int]:
    """Positions of the best values of one measure, if the measure has a direction."""
    values = [score.value for score in scores]
    defined = [value for value in values if not math.isnan(value)]
    if len(scores) < 2 or scores[0].measure.better == "neither" or not defined:
        return set()
    best = max(defined) if scores[0].measure.better == "higher" else min(defined)
    return (
        {k for k, value in enumerate(values) if value == best}
        if min(defined) < max(defined)
        else set()
    )


def _heads(cards: Sequence[ScoreCard], names: Sequence[str] | None) -> list[str]:
    return [show_label(name, 40) for name in names] if names else ["value"] * len(cards)


def _rows(cards: Sequence[ScoreCard]) -> list[tuple[Any, list[Score]]]:
    return [
        (record.measure, [card.scores[key] for card in cards])
        for key, record in cards[0].scores.items()
    ]


def notes(cards: Sequence[ScoreCard], names: Sequence[str] | None = None) -> list[str]:
    """Why values are undefined, one line a reason."""
    reasons: dict[str, list[str]] = {}
    for k, card in enumerate(cards):
        of = f" ({show_label(names[k], 40)})" if names else ""
        for score in card.scores.values():
            if score.why:
                reasons.setdefault(score.why + of, []).append(score.measure.key)
            elif score.interval is not None and score.interval.undefined:
                lost, total = score.interval.undefined, score.interval.resamples
                why = f"undefined in {lost:,} of {total:,} resamples{of}"
                reasons.setdefault(why, []).append(score.measure.key)
            if score.interval is not None and score.interval.is_shifted:
                why = (
                    "the value is biased by more than its standard error, and the interval is "
                    f"shifted against that{of}"
                )
                if score.interval.is_rough:
                    why = (
                        "there are too few objects for so many cells: the value is biased far "
                        f"beyond its standard error, and the interval is only a rough guide{of}"
                    )
                reasons.setdefault(why, []).append(score.measure.key)
    remarks = dict.fromkeys(line for card in cards for line in card.subject.remarks)
    return [*(f"{', '.join(keys)}: {why}" for why, keys in reasons.items()), *remarks]


def captions(cards: Sequence[ScoreCard], names: Sequence[str] | None = None) -> list[str]:
    """What was scored."""
    lines = [str(cards[0].subject)]
    if names:
        heads = _heads(cards, names)
        lines = [f"{head}: {card.subject}" for head, card in zip(heads, cards, strict=True)]
    found = next((s.interval for s in cards[0].scores.values() if s.interval is not None), None)
    if found is not None:
        lines.append(
            f"[low, high]: {found.confidence:.4g} confidence intervals from {found.resamples:,} "
            "resampled tables"
        )
    if any(_is_estimate(score) for card in cards for score in card.scores.values()):
        lines.append("±: standard error of a value that was sampled")
    return lines


def _is_estimate(score: Score) -> bool:
    return isinstance(score.value, Estimate) and score.value.standard_error > 0


def _grid(cards: Sequence[ScoreCard], names: Sequence[str] | None) -> list[list[str]]:
    grid = [["measure", "", *_heads(cards, names), "range", "unit"]]
    for record, scores in _rows(cards):
        values = [scored(score) for score in scores]
        grid.append([record.key, ARROWS[record.better], *values, span(record.bounds), record.unit])
    return grid


def span(bounds: tuple[float, float]) -> str:
    """A range of values as text."""
    low, high = ("∞" if math.isinf(bound) else f"{bound:g}" for bound in bounds)
    return f"{'-' if bounds[0] == -math.inf else ''}{low} … {high}"


def text(cards: Sequence[ScoreCard], names: Sequence[str] | None = None) -> str:
    """Aligned plain text."""
    grid = _grid(cards, names)
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    lines = []
    for line in grid:
        items = [
            item.ljust(width) if k < 2 or k >= len(line) - 2 else item.rjust(width)
            for k, (item, width) in enumerate(zip(line, widths, strict=True))
        ]
        lines.append("  ".join(items).rstrip())
    return "\n".join([*captions(cards, names), *lines, *notes(cards, names)])


def rich_table(cards: Sequence[ScoreCard], names: Sequence[str] | None = None) -> Any:
    """For a terminal: families apart, the best of each row marked."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    table.add_column("measure", no_wrap=True)
    table.add_column("", no_wrap=True)
    for head in _heads(cards, names):
        table.add_column(Text(head), justify="right", overflow="fold")
    table.add_column("range", style="dim", no_wrap=True)
    table.add_column("unit", style="dim")
    rows = _rows(cards)
    for k, (record, scores) in enumerate(rows):
        best = best_cards(scores)
        values = [
            Text(scored(score), style="bold green" if i in best else _style(score))
            for i, score in enumerate(scores)
        ]
        last = k + 1 == len(rows) or rows[k + 1][0].family != record.family
        table.add_row(
            record.key,
            ARROWS[record.better],
            *values,
            span(record.bounds),
            record.unit,
            end_section=last,
        )
    return Group(
        *(Text(line, style="bold") for line in captions(cards, names)),
        table,
        *(Text(line, style="dim") for line in notes(cards, names)),
    )


def _style(score: Score) -> str:
    return "dim italic" if math.isnan(score.value) else ""


def html(cards: Sequence[ScoreCard], names: Sequence[str] | None = None) -> str:
    """For a notebook; all text is escaped."""
    grid = _grid(cards, names)
    head = "".join(f"<th>{escape(item)}</th>" for item in grid[0])
    body = []
    for (record, scores), line in zip(_rows(cards), grid[1:], strict=True):
        best = best_cards(scores)
        cells = [f'<th title="{escape(record.meaning)}">{escape(line[0])}</th>']
        for k, item in enumerate(line[1:]):
            shown = f"<b>{escape(item)}</b>" if k - 1 in best else escape(item)
            why = scores[k - 1].why if 0 < k <= len(scores) else None
            cells.append(f'<td title="{escape(why)}">{shown}</td>' if why else f"<td>{shown}</td>")
        body.append(f"<tr>{''.join(cells)}</tr>")
    caption = "<br>".join(escape(line) for line in captions(cards, names))
    reasons = "".join(f"<li>{escape(line)}</li>" for line in notes(cards, names))
    return (
        f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table>" + (f"<ul>{reasons}</ul>" if reasons else "")
    )


def markdown(cards: Sequence[ScoreCard], names: Sequence[str] | None = None) -> str:
    """A Markdown table; pipes in names are escaped."""
    grid = [[safe_cell(item) for item in line] for line in _grid(cards, names)]
    rule = ["---" if k < 2 or k >= len(grid[0]) - 2 else "---:" for k in range(len(grid[0]))]
    lines = ["| " + " | ".join(line) + " |" for line in [grid[0], rule, *grid[1:]]]
    reasons = [f"- {safe_cell(line)}" for line in notes(cards, names)]
    top = [safe_cell(line) + "  " for line in captions(cards, names)]
    return "\n".join([*top, "", *lines, *(["", *reasons] if reasons else [])])


def safe_cell(item: str) -> str:
    """Text that Markdown prints as it is, in a table too."""
    safe = item.replace("\\", "\\\\").replace("|", "\\|").replace("`", "\\`")
    return safe.replace("<", "&lt;").replace(">", "&gt;")


def columns(cards: Sequence[ScoreCard]) -> dict[str, list[Any]]:
    """A row a measure and card, as columns."""
    scores = [(card.subject, score) for card in cards for score in card.scores.values()]
    truths = [subject.truth for subject, _ in scores]
    return {
        **({"truth": truths} if any(truths) else {}),
        "pred": [subject.pred for subject, _ in scores],
        "measure": [score.measure.key for _, score in scores],
        "family": [score.measure.family for _, score in scores],
        "value": [score.value for _, score in scores],
        "better": [score.measure.better for _, score in scores],
        "unit": [score.measure.unit for _, score in scores],
        "why_undefined": [score.why or "" for _, score in scores],
        **_interval_columns([score for _, score in scores]),
    }


def _interval_columns(scores: Sequence[Score]) -> dict[str, list[Any]]:
    """Ends of the intervals, if any score has one."""
    if all(score.interval is None for score in scores):
        return {}
    return {
        "low": [math.nan if s.interval is None else s.interval.low for s in scores],
        "high": [math.nan if s.interval is None else s.interval.high for s in scores],
    }


def csv_text(cards: Sequence[ScoreCard]) -> str:
    """The same as CSV."""
    return csv_columns(columns(cards))


def csv_columns(table: Mapping[str, Sequence[Any]]) -> str:
    """Columns as CSV, all digits kept; text that a spreadsheet would run is defused."""
    return csv_rows([list(table), *zip(*table.values(), strict=True)])


def csv_rows(rows: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV, defused alike."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([_defused(item) for item in row] for row in rows)
    return out.getvalue()


def _defused(item: Any) -> Any:
    if item is None:
        return ""
    if isinstance(item, float):
        return "" if math.isnan(item) else float.__repr__(item)
    if not isinstance(item, str):
        return item
    safe = show_label(item, max(1, len(item) * 12))  # control characters spelled out, none cut
    return "'" + safe if safe.startswith(("=", "+", "-", "@")) else safe
