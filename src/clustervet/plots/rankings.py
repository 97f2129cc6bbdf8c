"""How far the best prediction is ahead of each other one, and whether the data can tell."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from clustervet.errors import ParameterError
from clustervet.inference import Ranking
from clustervet.plots.frame import Figure, finish, graph_objects
from clustervet.plots.text import axis_texts, counted, escape, hover, ident, listed, number, shown
from clustervet.plots.theme import EITHER, QUIET
from clustervet.registry import measures


class Lead(NamedTuple):
    """The leader's value less that of another prediction, and its interval."""

    name: str
    difference: float
    low: float
    high: float
    p_value: float
    told: bool


def ranking_plot(ranking: Ranking, *, most: int = 40, theme: str = "light") -> Figure:
    """Differences of the best prediction and each other one, with their intervals.

    >>> import clustervet as cv
    >>> truth = [0] * 50 + [1] * 50
    >>> preds = {"good": [0] * 45 + [1] * 55, "poor": [0, 1] * 50}
    >>> ranked = cv.rank_predictions(truth, preds, "rand", random_state=0)
    >>> ranking_plot(ranked).layout.meta["title"]
    'good is best: the data tell it apart from all others.'
    """
    if most < 1:
        raise ParameterError(f"most must be at least 1, not {most!r}.")
    best = ranking.groups[0][0]
    leads = _leads(ranking, best)
    kept = leads[:most]
    record = measures[ranking.measure]
    go = graph_objects()
    figure = go.Figure()
    for told, name, colour, symbol in (
        (True, "told apart", EITHER[0], "circle"),
        (False, "not told apart", QUIET, "circle-open"),
    ):
        rows = [row for row, lead in enumerate(kept) if lead.told == told]
        if rows:
            marker = {"color": colour, "symbol": symbol, "size": 9}
            figure.add_trace(_dots(go, kept, rows, name, marker, best))
    figure.add_vline(x=0, line={"width": 1.5, "dash": "dash"})
    unit = f", {record.unit}" if record.unit else ""
    less = shown(best, 20)
    figure.update_xaxes(title=escape(f"{record.title} of {less} less that of the other{unit}"))
    figure.update_yaxes(
        tickvals=list(range(len(kept))),
        ticktext=axis_texts([lead.name for lead in kept]),
        range=[len(kept) - 0.4, -0.6],
        showgrid=False,
    )
    return finish(
        figure,
        kind="ranking",
        title=_title(best, leads),
        note=_note(ranking, len(leads) - len(kept), record.better == "lower", less),
        theme=theme,
        height=130 + 26 * max(2, len(kept)),
        legend=True,
    )


def _leads(ranking: Ranking, best: str) -> list[Lead]:
    """The others from best to worst, each beside the leader."""
    found = {}
    for pair in ranking.comparisons:
        if best not in (pair.first, pair.second):
            continue
        other = pair.second if pair.first == best else pair.first
        sign = 1.0 if pair.first == best else -1.0
        low, high = sorted((sign * pair.interval.low, sign * pair.interval.high))
        told = pair.better is not None
        found[other] = Lead(other, sign * pair.difference, low, high, pair.p_value, told)
    order = [name for group in ranking.groups for name in group]
    return [found[name] for name in order if name in found]


def _dots(
    go: Any, kept: list[Lead], rows: list[int], name: str, marker: dict[str, Any], best: str
) -> Any:
    leads = [kept[row] for row in rows]
    known = [not math.isnan(lead.low) for lead in leads]
    pairs = list(zip(leads, known, strict=True))
    return go.Scatter(
        x=[lead.difference for lead in leads],
        y=rows,
        mode="markers",
        name=name,
        marker=marker,
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [max(0.0, lead.high - lead.difference) if ok else 0 for lead, ok in pairs],
            "arrayminus": [max(0.0, lead.difference - lead.low) if ok else 0 for lead, ok in pairs],
            "thickness": 1.5,
            "width": 4,
        },
        customdata=[[ident("pred", lead.name)] for lead in leads],
        hovertext=[
            hover(
                f"{shown(best)} less {shown(lead.name)}: {number(lead.difference)}",
                f"interval {number(lead.low)} to {number(lead.high)}",
                f"p-value {number(lead.p_value)}",
            )
            for lead in leads
        ],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _title(best: str, leads: list[Lead]) -> str:
    near = [shown(lead.name) for lead in leads if not lead.told]
    if not near:
        return f"{shown(best)} is best: the data tell it apart from all others."
    who = near if len(near) <= 3 else [*near[:2], f"{len(near) - 2:,} others"]
    return f"{shown(best)} has the best value, but the data cannot tell it from {listed(who)}."


def _note(ranking: Ranking, left: int, lower: bool, best: str) -> str:
    said = [
        f"{100 * ranking.confidence:.4g}% intervals over {ranking.objects:,} objects, by pairs; "
        "p-values are corrected for the number of pairs (Holm).",
        f"{'Left' if lower else 'Right'} of 0, {best} is better.",
    ]
    if left:
        verb = "is" if left == 1 else "are"
        said.append(f"{counted(left, 'more prediction', 'more predictions')} {verb} not drawn.")
    return " ".join(said)
