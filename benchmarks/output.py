"""Write rows as text, Markdown and JSON.

Nothing is measured here.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from clustervet import plots
from harness import Goal, Row

LEGEND = (
    "Each time is the best of several runs; contenders take turns in one process. Labels are "
    "converted to each peer's own form before timing starts. A ratio is the peer's figure divided "
    "by ours: 85 x means that the peer takes 85 times as long. Where a goal says 'at most ... its "
    "time', the ratio is our figure divided by the peer's. clustervet uses every core; peers use "
    "what they use by default."
)
HEAD = ("what", "size", "clustervet", "peer", "peer's figure", "ratio", "goal", "met")
# Pixels of the panels of a picture, and how many stand side by side.
SIDE, GAP, ABOVE, ACROSS = 240, 70, 80, 4
VALUES = ("our value", "peer's value", "remark")


@dataclass(frozen=True)
class Section:
    """A case and its finished rows."""

    name: str
    title: str
    rows: list[Row]


def figure(value: float | None, unit: str) -> str:
    """A time, a size or an error with three digits."""
    if value is None or math.isinf(value):
        return "-"
    if unit == "MB":
        return f"{value:,.0f} MB"
    if unit == "error":
        return f"{value:.1e}"
    if unit == "slope":
        return f"{value:.2f}"
    for factor, name in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if value * factor >= 1:
            return f"{value * factor:.3g} {name}"
    return f"{value * 1e6:.2g} µs"


def times(ratio: float) -> str:
    """A ratio as people write it."""
    return f"{ratio:,.0f} x" if ratio >= 10 else f"{ratio:.2g} x"


def ratio_text(row: Row) -> str:
    if row.speedup is None or row.unit in ("error", "slope"):
        return ""
    if row.goal is not None and row.goal.kind == "share":
        return f"{times(1 / row.speedup)} its time"
    return times(row.speedup)


def goal_text(goal: Goal | None, unit: str) -> str:
    if goal is None:
        return ""
    if goal.kind == "speedup":
        return f"at least {times(goal.bound)}"
    if goal.kind == "share":
        return f"at most {times(goal.bound)} its time"
    return f"at most {figure(goal.bound, unit)}"


def met_text(row: Row, judged: bool) -> str:
    if row.goal is None:
        return ""
    if not judged or row.met is None:
        return "not judged"
    return "yes" if row.met else "MISSED"


def value_text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _cells(row: Row, judged: bool) -> tuple[str, ...]:
    return (
        row.what,
        row.size,
        figure(row.ours, row.unit),
        row.peer,
        figure(row.theirs, row.unit),
        ratio_text(row),
        goal_text(row.goal, row.unit),
        met_text(row, judged),
    )


def text(sections: list[Section], facts: dict[str, str], judged: bool) -> str:
    """All results as text for a terminal."""
    lines = [", ".join(f"{name} {value}" for name, value in facts.items()), "", LEGEND]
    for section in sections:
        table: list[tuple[str, ...]] = [(*HEAD, "remark")]
        table += [(*_cells(row, judged), row.note) for row in section.rows]
        lines += ["", section.title, ""]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        for cells in table:
            padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
            lines.append("  ".join(padded).rstrip())
    return "\n".join([*lines, "", *verdict(sections, judged)])


def verdict(sections: list[Section], judged: bool) -> list[str]:
    """What a reader must see: missed goals and wrong values."""
    everything = [row for section in sections for row in section.rows]
    alarms = [f"  {row.what}, {row.size}: {row.note}" for row in everything if row.alarm]
    lines = ["Wrong values and failures:", *alarms] if alarms else ["No wrong values."]
    if not judged:
        return [*lines, "Goals are not judged in a quick run."]
    goals = [row for row in everything if row.goal is not None]
    missed = [
        f"  {row.what}, {row.size}: {ratio_text(row) or figure(row.ours, row.unit)} beside "
        f"{row.peer}, goal {goal_text(row.goal, row.unit)}"
        for row in goals
        if row.met is False
    ]
    unknown = sum(row.met is None for row in goals)
    met = len(goals) - len(missed) - unknown
    count = f"Goals: {met} met, {len(missed)} missed, {unknown} not judged."
    return [*lines, count, *missed]


def markdown(sections: list[Section], facts: dict[str, str], judged: bool) -> str:
    """All results as Markdown tables."""
    lines = ["# Benchmarks", "", LEGEND, "", "| | |", "|---|---|"]
    lines += [_line((name, value)) for name, value in facts.items()]
    head = (*HEAD, *VALUES)
    for section in sections:
        lines += ["", f"## {section.title}", "", _line(head), _line(["---"] * len(head), raw=True)]
        lines += [
            _line(
                (
                    *_cells(row, judged),
                    value_text(row.value_ours),
                    value_text(row.value_peer),
                    row.note,
                )
            )
            for row in section.rows
        ]
    said = [
        f"- {line.strip()}" if line.startswith("  ") else line for line in verdict(sections, judged)
    ]
    lines += ["", "## Verdict", ""]
    for before, line in zip(["", *said], said, strict=False):
        if line.startswith("- ") != before.startswith("- ") or not line.startswith("- "):
            lines.append("")
        lines.append(line)
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def page(sections: list[Section], facts: dict[str, str], left_out: list[str]) -> str:
    """The page of the site: the tables, below a picture of all ratios and one of all slopes."""
    head, _, tables = markdown(sections, facts, True).partition("\n\n")
    said = "`make bench` writes this page."
    if left_out:
        said += f" Cases that were left out of this run: {', '.join(left_out)}."
    parts = [head, said, "![How many times as long each peer takes](images/ratios.svg)"]
    if any(row.curve for section in sections for row in section.rows):
        parts.append("![How the time grows with the size](images/growth.svg)")
    return "\n\n".join([*parts, tables])


def ratios(sections: list[Section]) -> str:
    """Every ratio of times as a point on one scale, as SVG."""
    rows = [row for section in sections for row in section.rows]
    shown = [row for row in rows if row.unit == "s" and row.speedup and math.isfinite(row.speedup)]
    names = [f"{row.what}, {row.size} / {row.peer}" for row in shown]
    figure = go.Figure(layout={"template": plots.template(), "height": 22 * len(shown) + 80})
    ahead = [row.speedup >= 1 for row in shown]
    for is_ahead, name in ((True, "clustervet is faster"), (False, "the peer is faster")):
        picked = [k for k, yes in enumerate(ahead) if yes == is_ahead]
        values = [shown[k].speedup for k in picked]
        figure.add_scatter(x=values, y=picked, mode="markers", marker={"size": 9}, name=name)
    ticks = {"tickvals": list(range(len(names))), "ticktext": names}
    figure.update_yaxes(**ticks, range=[len(names) - 0.5, -0.5])
    figure.update_xaxes(type="log", title="peer's time / ours")
    figure.add_vline(x=1)
    figure.update_layout(showlegend=True)
    return plots.svg(figure, width=1_100)


def _line(cells: Any, raw: bool = False) -> str:
    joined = "|".join(cells) if raw else " | ".join(cell.replace("|", "\\|") for cell in cells)
    return f"|{joined}|" if raw else f"| {joined} |"


def as_json(sections: list[Section], facts: dict[str, str], judged: bool) -> str:
    """All results as JSON; figures are seconds, MB or relative errors."""
    rows = [
        {
            "case": section.name,
            "what": row.what,
            "size": row.size,
            "unit": row.unit,
            "ours": _finite(row.ours),
            "peer": row.peer,
            "theirs": _finite(row.theirs),
            "ratio": _finite(row.speedup),
            "goal": goal_text(row.goal, row.unit) or None,
            "met": row.met if judged else None,
            "value_ours": _finite(row.value_ours),
            "value_peer": _finite(row.value_peer),
            "note": row.note,
            "wrong_or_failed": row.alarm,
            **({"curve": row.curve} if row.curve else {}),
        }
        for section in sections
        for row in section.rows
    ]
    answer = {"machine": facts, "goals_judged": judged, "rows": rows}
    return json.dumps(answer, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    """Convert infinite and undefined numbers to text, since JSON has none."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def picture(rows: list[Row]) -> str:
    """Every curve as a panel of one SVG: seconds against size, both logarithmic.

    The dashed line has the slope of theory and starts at the last point.
    """
    height = -(-len(rows) // ACROSS) * (SIDE + ABOVE) + ABOVE
    width = ACROSS * (SIDE + GAP) + GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="sans-serif" font-size="13">',
        "<title>How the time grows</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{GAP}" y="24">Seconds against size; the dashed lines have the slope of '
        "theory.</text>",
    ]
    for k, row in enumerate(rows):
        left, top = GAP + k % ACROSS * (SIDE + GAP), ABOVE + k // ACROSS * (SIDE + ABOVE)
        parts += _panel(row, left, top)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(row: Row, left: int, top: int) -> list[str]:
    sizes, seconds = (
        [math.log10(value) for value in side] for side in zip(*row.curve, strict=True)
    )
    floor, ceiling = math.floor(min(seconds)), math.ceil(max(seconds) + 1e-9)
    first, last = sizes[0], sizes[-1]

    def x(size: float) -> float:
        return left + SIDE * (size - first) / (last - first)

    def y(second: float) -> float:
        return top + SIDE * (ceiling - second) / (ceiling - floor)

    start = max(first, last - (seconds[-1] - floor) / (row.theirs or 1.0))
    below = seconds[-1] - (row.theirs or 0.0) * (last - start)
    dots = [(x(size), y(second)) for size, second in zip(sizes, seconds, strict=True)]
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in dots)
    ticks = [
        f'<text x="{left - 5}" y="{y(power) + 4:.1f}" text-anchor="end">'
        f"{figure(10.0**power, 's')}</text>"
        f'<line x1="{left}" x2="{left + SIDE}" y1="{y(power):.1f}" y2="{y(power):.1f}" '
        f'stroke="#ddd"/>'
        for power in range(floor, ceiling + 1)
    ]
    slope = f"slope {figure(row.ours, 'slope')}, theory {row.theirs:g}"
    return [
        f'<text x="{left}" y="{top - 24}" font-weight="bold">{row.what}</text>',
        f'<text x="{left}" y="{top - 8}">{slope}</text>',
        *ticks,
        f'<line x1="{x(start):.1f}" y1="{y(below):.1f}" x2="{x(last):.1f}" '
        f'y2="{y(seconds[-1]):.1f}" stroke="#E69F00" stroke-dasharray="5 4"/>',
        f'<polyline points="{path}" fill="none" stroke="#0072B2"/>',
        *(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.5" fill="#0072B2"/>' for a, b in dots),
        f'<text x="{left + SIDE / 2}" y="{top + SIDE + 18}" text-anchor="middle">{row.size}</text>',
    ]


def write_whole(path: Path, content: str) -> None:
    """Write a file completely or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text(content, encoding="utf-8")
    os.replace(part, path)
