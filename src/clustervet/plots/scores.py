"""Score cards as dots with intervals, and the level of chance where it is known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from clustervet.errors import ParameterError
from clustervet.inference import Chance
from clustervet.plots.frame import Figure, finish, graph_objects
from clustervet.plots.score_text import (
    Chances,
    chosen_measures,
    count_wins,
    expectations,
    interval_of,
    percent,
    read_cards,
    score_note,
    score_title,
    span_text,
)
from clustervet.plots.text import escape, hover, ident, number, shown
from clustervet.plots.theme import EITHER, QUIET, SYMBOLS
from clustervet.registry import Measure
from clustervet.scorecard import ScoreCard, ScoreCards
from clustervet.scorecard.card import Score
from clustervet.scorecard.render import ARROWS, COUNTED

# Cards that get a colour of their own; of more, only the leading ones.
COLOURED = 6
LEADING = 3
# Units in which different measures can be read on one axis.
COMMON = ("bits", "objects")
# Pixels of a row, of what a panel needs beside its rows, and what another card adds to a row.
ROW, PANEL, MORE = 24, 56, 7


@dataclass
class Panel:
    """Measures that share an axis."""

    title: str
    measures: list[Measure] = field(default_factory=list)
    bounded: bool = False


def score_plot(
    cards: ScoreCard | ScoreCards | Mapping[str, ScoreCard],
    *,
    chance: Chances | None = None,
    measures: Sequence[str] | None = None,
    theme: str = "light",
) -> Figure:
    """Scores of one clustering or of several, with their intervals.

    `chance` is {measure: Chance}, or {card: {measure: Chance}}; its expectation is drawn as a
    bar across. `measures` are the ones to show. Measures between fixed bounds share an axis,
    as do those in bits; others have their own.

    >>> import clustervet as cv
    >>> card = cv.external_scores([0, 0, 1, 1], [0, 0, 0, 1], measures=["purity", "vi"])
    >>> score_plot(card).layout.meta["title"]
    'Variation of information is 1.19 bits.'
    """
    named = read_cards(cards)
    wanted = chosen_measures(named, measures)
    records = [r for r in wanted if any(not math.isnan(card[r.key]) for card in named.values())]
    if not records:
        raise ParameterError("no measure of these cards has a value.")
    panels = _panels(records)
    expected = expectations(named, chance or {})
    wins = count_wins(named, records)
    order = sorted(named, key=lambda name: -wins[name]) if len(named) > COLOURED else list(named)
    go = graph_objects()
    figure = go.Figure()
    row = ROW + MORE * (_lanes(len(named)) - 1)
    _lay_out(figure, panels, row, _lowest(named, panels[0]))
    for place, name in enumerate(order):
        _add_card(go, figure, panels, named[name], name, (place, len(order)))
    _add_chance(go, figure, panels, expected)
    height = sum(row * len(panel.measures) + PANEL for panel in panels)
    several = len(named) > 1 or any(expected.values())
    return finish(
        figure,
        kind="scores",
        title=score_title(named, records, wins, expected),
        note=score_note(named, wanted, expected),
        theme=theme,
        height=height + (40 if several else 10),
        legend=several,
    )


def _panels(records: list[Measure]) -> list[Panel]:
    """Measures by the axis they share, those between fixed bounds first."""
    found: dict[str, Panel] = {"": Panel("", bounded=True)}
    for record in records:
        if all(map(math.isfinite, record.bounds)):
            key, title = "", ""
        elif record.unit in COMMON:
            key = title = record.unit
        else:
            key, title = record.key, record.unit
        found.setdefault(key, Panel(title)).measures.append(record)
    return [panel for panel in found.values() if panel.measures]


def _lanes(cards: int) -> int:
    """Lines of dots a measure has: one a card, or one of leaders and one of all others."""
    return cards if cards <= COLOURED else 2


def _lowest(named: dict[str, ScoreCard], panel: Panel) -> float:
    """Where the axis of bounded measures begins: at 0, or lower where a value or bar does."""
    scores = [card.scores[record.key] for card in named.values() for record in panel.measures]
    lows = [found[0] for score in scores if (found := interval_of(score))]
    lows += [score.value for score in scores if not math.isnan(score.value)]
    least = min(lows, default=0.0)
    return math.floor(10 * least) / 10 if least < 0 else 0.0


def _lay_out(figure: Figure, panels: list[Panel], row: int, lowest: float) -> None:
    """An axis pair a panel, one above the other."""
    total = sum(row * len(panel.measures) + PANEL for panel in panels) - PANEL
    top = 0
    for k, panel in enumerate(panels):
        bottom = top + row * len(panel.measures)
        suffix = "" if k == 0 else str(k + 1)
        last = len(panel.measures) - 1
        figure.update_layout(
            {
                f"xaxis{suffix}": {
                    "anchor": f"y{suffix}",
                    "title": {"text": escape(panel.title), "standoff": 2},
                    "range": [lowest - 0.02, 1.02] if panel.bounded else None,
                    "rangemode": "tozero" if panel.title in COMMON else "normal",
                    "tickformat": "~s" if panel.title in COUNTED else ",.6~g",
                },
                f"yaxis{suffix}": {
                    "anchor": f"x{suffix}",
                    "domain": [max(0.0, 1 - bottom / total), 1 - top / total],
                    "range": [last + 0.6, -0.6],
                    "tickvals": list(range(last + 1)),
                    "ticktext": [_row_text(record) for record in panel.measures],
                },
            }
        )
        top = bottom + PANEL


def _row_text(record: Measure) -> str:
    return escape(f"{shown(record.title, 36)} {ARROWS[record.better]}".strip())


def _add_card(
    go: Any,
    figure: Figure,
    panels: list[Panel],
    card: ScoreCard,
    name: str,
    place: tuple[int, int],
) -> None:
    at, count = place
    quiet = count > COLOURED and at >= LEADING
    lanes = _lanes(count)
    lane = at if count <= COLOURED else int(quiet)
    shift = 0.0 if lanes == 1 else 0.6 * (lane / (lanes - 1) - 0.5)
    for k, panel in enumerate(panels):
        scores = [card.scores[record.key] for record in panel.measures]
        figure.add_trace(
            go.Scatter(
                x=[None if math.isnan(score.value) else float(score.value) for score in scores],
                y=[row + shift for row in range(len(scores))],
                mode="markers",
                name=escape(f"{count - LEADING:,} others" if quiet else shown(name)),
                legendgroup="others" if quiet else f"card {at}",
                showlegend=k == 0 and (not quiet or at == LEADING),
                marker={
                    "size": 6 if quiet else 9,
                    "symbol": SYMBOLS[0 if quiet else at % len(SYMBOLS)],
                    "color": QUIET if quiet else EITHER[at % len(EITHER)],
                    "opacity": 0.5 if quiet else 1,
                },
                error_x=None if quiet else _bars(scores),
                customdata=[[ident("pred", name), ident("measure", s.measure.key)] for s in scores],
                hovertext=[_box(name, score) for score in scores],
                hovertemplate="%{hovertext}<extra></extra>",
                xaxis=f"x{k + 1 if k else ''}",
                yaxis=f"y{k + 1 if k else ''}",
            )
        )


def _bars(scores: list[Score]) -> dict[str, Any] | None:
    found = [interval_of(score) for score in scores]
    if not any(found):
        return None
    pairs = list(zip(scores, found, strict=True))
    return {
        "type": "data",
        "symmetric": False,
        "array": [max(0.0, f[1] - s.value) if f else 0 for s, f in pairs],
        "arrayminus": [max(0.0, s.value - f[0]) if f else 0 for s, f in pairs],
        "thickness": 1.5,
        "width": 4,
    }


def _box(name: str, score: Score) -> str:
    record, found = score.measure, interval_of(score)
    unit = f" {record.unit}" if record.unit else ""
    sure = "" if found is None else f"{percent(found[2])} interval {span_text(found)}"
    way = {"higher": "higher is better", "lower": "lower is better", "neither": ""}[record.better]
    why = score.why or ""
    return hover(shown(name), f"{record.title}: {number(score.value)}{unit}", sure, way, why)


def _add_chance(
    go: Any, figure: Figure, panels: list[Panel], expected: dict[str, dict[str, Chance]]
) -> None:
    fresh = True
    for k, panel in enumerate(panels):
        marks = [
            (row, name, levels[record.key])
            for row, record in enumerate(panel.measures)
            for name, levels in expected.items()
            if record.key in levels and not math.isnan(levels[record.key].expected)
        ]
        if not marks:
            continue
        figure.add_trace(
            go.Scatter(
                x=[level.expected for _, _, level in marks],
                y=[row for row, _, _ in marks],
                mode="markers",
                name="expected by chance",
                legendgroup="chance",
                showlegend=fresh,
                marker={"symbol": "line-ns-open", "size": 16, "color": QUIET, "line": {"width": 2}},
                customdata=[[ident("pred", n), ident("measure", c.measure)] for _, n, c in marks],
                hovertext=[
                    hover(
                        f"chance gives {number(level.expected)}",
                        f"model: {level.model}",
                        f"p-value {number(level.p_value)}",
                        shown(name),
                    )
                    for _, name, level in marks
                ],
                hovertemplate="%{hovertext}<extra></extra>",
                xaxis=f"x{k + 1 if k else ''}",
                yaxis=f"y{k + 1 if k else ''}",
            )
        )
        fresh = False
