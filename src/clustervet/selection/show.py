"""Tunings as text, rich tables, HTML and columns; nothing is computed here."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Any

from clustervet.labels import show_label
from clustervet.registry import Measure
from clustervet.scorecard.render import ARROWS, number, safe_cell

if TYPE_CHECKING:
    from clustervet.selection.tuning import Tuning

CAUTION = (
    "A rule of thumb, not a proof: internal measures favour algorithms of their own kind, and "
    "their elbows may mislead or be missing (Aggarwal 2015, §6.9.1.1)."
)
CHOSEN = "*"
UNDEFINED = "-"


def value_text(value: Any) -> str:
    """A parameter value as people read it."""
    return f"{value:g}" if isinstance(value, float) else show_label(value)


def caption(tuning: Tuning) -> str:
    """What was tuned."""
    values = [value_text(value) for value in tuning.values]
    span = values[0] if len(values) == 1 else f"{values[0]} to {values[-1]}"
    name = show_label(tuning.estimator)
    return f"{name}, {show_label(tuning.parameter)} {span}, {tuning.points:,} points"


def _heads(tuning: Tuning) -> list[str]:
    marked = [f"{record.key} {ARROWS[record.better]}".strip() for record in tuning.measures]
    return [show_label(tuning.parameter), *_facts(tuning), *marked, *_stable(tuning)]


def _facts(tuning: Tuning) -> list[str]:
    """Columns about the clusterings that say something the parameter does not."""
    own = [count == value for count, value in zip(tuning.counts, tuning.values, strict=True)]
    heads = [] if all(own) else ["clusters"]
    return [*heads, "noise"] if (tuning.noise > 0).any() else heads


def _stable(tuning: Tuning) -> list[str]:
    return [] if tuning.stability is None else ["stability"]


def _cell(tuning: Tuning, record: Measure, row: int) -> str:
    choice = tuning.choices[record.key]
    mark = CHOSEN if choice.clear and choice.index == row else ""
    return _number(float(tuning.curves[record.key][row]), record.unit) + mark


def _number(value: float, unit: str = "") -> str:
    return UNDEFINED if math.isnan(value) else number(value, unit)


def _grid(tuning: Tuning) -> list[list[str]]:
    heads = _heads(tuning)
    facts = _facts(tuning)
    grid = [heads]
    for row, value in enumerate(tuning.values):
        line = [value_text(value)]
        line += [f"{tuning.counts[row]:,}"] if "clusters" in facts else []
        line += [f"{tuning.noise[row]:.1%}"] if "noise" in facts else []
        line += [_cell(tuning, record, row) for record in tuning.measures]
        if tuning.stability is not None:
            line.append(_number(float(tuning.stability.labels[row])))
        grid.append(line)
    return grid


def choice_lines(tuning: Tuning) -> list[str]:
    """What each measure chooses, and how strongly."""
    lines = []
    for key, choice in tuning.choices.items():
        if choice.clear:
            text = (
                f"{key}: {value_text(choice.value)} ({choice.rule}, strength {choice.strength:.2f})"
            )
        else:
            text = f"{key}: {choice.why}"
            if choice.index is not None:
                text += f" (best: {value_text(choice.value)}, strength {choice.strength:.2f})"
        if tuning.stability is not None and choice.index is not None:
            text += f", chosen in {tuning.stability.shares[key][choice.index]:.0%} of samples"
        if choice.skipped:
            text += f", {choice.skipped} undefined"
        lines.append(text)
    return lines


def notes(tuning: Tuning) -> list[str]:
    """Why values are undefined, and what else there is to know; then the verdict."""
    reasons: dict[str, list[str]] = {}
    for key, whys in tuning.reasons.items():
        for value, why in zip(tuning.values, whys, strict=True):
            if why is not None:
                at = reasons.setdefault(f"{key}: {show_label(why, 200)}", [])
                at.append(value_text(value))
    lines = [f"{text} (at {', '.join(at)})" for text, at in _merged(reasons).items()]
    if tuning.drawn is not None:
        lines.append(f"Measures that can be sampled look at {tuning.drawn:,} points or pairs.")
    if tuning.stability is not None:
        held = tuning.stability
        lines.append(
            f"stability: mean adjusted Rand index of clusterings of {held.samples} samples of "
            f"{held.size:,} points"
        )
    if tuning.suggestion is not None and "noise" in _facts(tuning):
        share = float(tuning.noise[tuning.values.index(tuning.suggestion)])
        if share > 0:
            lines.append(
                f"At {value_text(tuning.suggestion)}, {share:.1%} of the points are noise."
            )
    return lines


def _merged(reasons: dict[str, list[str]]) -> dict[str, list[str]]:
    """Measures with one reason at the same values share a line."""
    shared: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for text, at in reasons.items():
        key, _, why = text.partition(": ")
        shared.setdefault((why, tuple(at)), []).append(key)
    return {f"{', '.join(keys)}: {why}": list(at) for (why, at), keys in shared.items()}


def verdict(tuning: Tuning) -> str:
    """What the measures choose, in one sentence."""
    total = len(tuning.measures)
    parts: list[str] = []
    for value, keys in tuning.agreement.items():
        verb = "chooses" if len(keys) == 1 else "choose"
        alone = len(keys) == 1 and (parts or total == 1)
        who = keys[0] if alone else f"{len(keys)} of {total} measures"
        more = len(tuning.leanings.get(value, []))
        leaning = f" and {more} more {'leans' if more == 1 else 'lean'} to it" if more else ""
        parts.append(f"{who} {verb} {value_text(value)}{leaning}")
    if not parts:
        parts.append(
            "The measure makes no clear choice"
            if total == 1
            else f"None of the {total} measures makes a clear choice" + _common_leaning(tuning)
        )
    unclear: dict[str, list[str]] = {}
    for key, choice in tuning.choices.items():
        if not choice.clear:
            unclear.setdefault(str(choice.why), []).append(key)
    parts += [f"{', '.join(keys)}: {why}" for why, keys in unclear.items()]
    return "; ".join(parts) + "."


def _common_leaning(tuning: Tuning) -> str:
    """The value that most of the unsure measures lean to, if several do."""
    value, keys = max(tuning.leanings.items(), key=lambda item: len(item[1]), default=(None, []))
    if len(keys) < 2:
        return ""
    who = f"all {len(keys)}" if len(keys) == len(tuning.measures) else f"{len(keys)} of them"
    return f", but {who} lean to {value_text(value)}"


def summary(tuning: Tuning) -> list[str]:
    """The verdict, the suggestion and the caution."""
    if tuning.suggestion is None:
        last = f"No suggestion: {tuning.why}."
    else:
        last = f"Suggestion: {show_label(tuning.parameter)} = {value_text(tuning.suggestion)}."
    return [tuning.verdict, last, CAUTION]


def text(tuning: Tuning) -> str:
    """Aligned plain text; a star marks a clear choice."""
    grid = _grid(tuning)
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    lines = [
        "  ".join(item.rjust(width) for item, width in zip(line, widths, strict=True)).rstrip()
        for line in grid
    ]
    return "\n".join(
        [caption(tuning), *lines, *choice_lines(tuning), *notes(tuning), *summary(tuning)]
    )


def markdown(tuning: Tuning) -> str:
    """A Markdown table, then what is chosen as a list."""
    grid = [[safe_cell(item) for item in line] for line in _grid(tuning)]
    lines = [
        "| " + " | ".join(line) + " |" for line in [grid[0], ["---:"] * len(grid[0]), *grid[1:]]
    ]
    told = [f"- {safe_cell(line)}" for line in [*choice_lines(tuning), *notes(tuning)]]
    closing = [safe_cell(line) + "  " for line in summary(tuning)]
    return "\n".join([safe_cell(caption(tuning)), "", *lines, "", *told, "", *closing])


def rich_table(tuning: Tuning) -> Any:
    """For a terminal: clear choices in green."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    grid = _grid(tuning)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for head in grid[0]:
        words = head.replace("_", " ")  # a head may take several lines
        width = max(map(len, words.split()))
        table.add_column(Text(words), justify="right", min_width=width, overflow="fold")
    for value, line in zip(tuning.values, grid[1:], strict=True):
        cells = [Text(item, style="bold green" if item.endswith(CHOSEN) else "") for item in line]
        cells[0].stylize("bold green" if value == tuning.suggestion else "bold")
        table.add_row(*cells)
    verdict, last, caution = summary(tuning)
    return Group(
        Text(caption(tuning), style="bold"),
        table,
        *(Text(line) for line in choice_lines(tuning)),
        *(Text(line, style="dim") for line in notes(tuning)),
        Text(verdict),
        Text(last, style="bold"),
        Text(caution, style="dim italic"),
    )


def html(tuning: Tuning) -> str:
    """For a notebook; all text is escaped."""
    grid = _grid(tuning)
    head = "".join(f"<th>{escape(item)}</th>" for item in grid[0])
    body = []
    for line in grid[1:]:
        cells = [f"<th>{escape(line[0])}</th>"]
        for item in line[1:]:
            shown = escape(item.removesuffix(CHOSEN))
            cells.append(
                f"<td><b>{shown}</b></td>" if item.endswith(CHOSEN) else f"<td>{shown}</td>"
            )
        body.append(f"<tr>{''.join(cells)}</tr>")
    said = "".join(f"<li>{escape(line)}</li>" for line in [*choice_lines(tuning), *notes(tuning)])
    end = "".join(f"<p>{escape(line)}</p>" for line in summary(tuning))
    return (
        f"<table><caption>{escape(caption(tuning))}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table><ul>{said}</ul>{end}"
    )


def columns(tuning: Tuning) -> dict[str, list[Any]]:
    """A row a value, as columns."""
    table: dict[str, list[Any]] = {
        tuning.parameter: list(tuning.values),
        "clusters": tuning.counts.tolist(),
        "noise": [float(share) for share in tuning.noise],
    }
    held = tuning.stability
    for record in tuning.measures:
        table[record.key] = [float(x) for x in tuning.curves[record.key]]
        if held is not None:
            table[f"{record.key}_low"] = [float(x) for x in held.low[record.key]]
            table[f"{record.key}_high"] = [float(x) for x in held.high[record.key]]
            table[f"{record.key}_share"] = [float(x) for x in held.shares[record.key]]
    if held is not None:
        table["stability"] = [float(x) for x in held.labels]
    chosen: list[list[str]] = [[] for _ in tuning.values]
    for key, choice in tuning.choices.items():
        if choice.clear and choice.index is not None:
            chosen[choice.index].append(key)
    table["chosen_by"] = [", ".join(keys) for keys in chosen]
    return {name: [_held(item) for item in column] for name, column in table.items()}


def _held(item: Any) -> Any:
    plain = item is None or isinstance(item, bool | int | float | str)
    return math.nan if item is None else item if plain else show_label(item)
