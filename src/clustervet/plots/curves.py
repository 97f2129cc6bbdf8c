"""Curves over a parameter with what was chosen: elbows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from clustervet._checks import is_number
from clustervet.plots.frame import Figure, finish, graph_objects
from clustervet.plots.text import axis_texts, escape, hover, ident, number, shown
from clustervet.plots.theme import EITHER, QUIET
from clustervet.registry import Measure
from clustervet.scorecard.render import ARROWS
from clustervet.tuning import Tuning

# Pixels of one curve, and between two.
CURVE, BETWEEN = 104, 30
# Values up to which each has a mark.
MARKED = 60


def elbow_plot(tuning: Tuning, *, theme: str = "light") -> Figure:
    """Each measure over the values of the parameter, one below the other, with its choice.

    A filled star is a clear choice and a hollow one an unclear one; the dashed line is the
    value that most measures choose. Bands are intervals over samples, where there are any.

    >>> import clustervet as cv
    >>> points = [[x + 20 * k] for k in range(3) for x in (0.0, 1.0, 2.0, 3.0)]
    >>> found = cv.tune("ward", points, values=range(2, 7), measures=["silhouette"])
    >>> elbow_plot(found).layout.meta["title"]
    'The suggestion is n_clusters = 3: 1 of 1 measures clearly chooses it.'
    """
    go = graph_objects()
    figure = go.Figure()
    places, texts = curve_places(tuning)
    count = len(tuning.measures)
    total = count * (CURVE + BETWEEN) - BETWEEN
    for k, record in enumerate(tuning.measures):
        top = k * (CURVE + BETWEEN)
        suffix = "" if k == 0 else str(k + 1)
        figure.update_layout(
            {
                f"yaxis{suffix}": {
                    "domain": [max(0.0, 1 - (top + CURVE) / total), 1 - top / total],
                    "anchor": "x",
                    "nticks": 4,
                    "tickformat": "~s" if _is_large(tuning, record) else "",
                }
            }
        )
        _add_curve(go, figure, tuning, record, places, suffix)
        figure.add_annotation(
            text=_caption(tuning, record),
            x=0,
            y=1 - top / total,
            xref="paper",
            yref="paper",
            xanchor="left",
            yanchor="bottom",
        )
    _add_suggestion(figure, tuning, places)
    axis: dict[str, Any] = {"title": escape(shown(tuning.parameter)), "anchor": f"y{count}"}
    if count == 1:
        axis["anchor"] = "y"
    if texts is not None:
        axis |= {"tickvals": places, "ticktext": texts}
    figure.update_xaxes(**axis)
    finish(
        figure,
        kind="elbow",
        title=elbow_title(tuning),
        note=_note(tuning),
        theme=theme,
        height=total + 96,
    )
    return figure.update_layout(margin={"t": figure.layout.margin.t + 18})


def curve_places(tuning: Tuning) -> tuple[list[Any], list[str] | None]:
    """Where the values lie on the axis, and their texts where they are no numbers."""
    if all(is_number(value) for value in tuning.values):
        return [float(value) for value in tuning.values], None
    return list(range(len(tuning.values))), axis_texts(tuning.values)


def _is_large(tuning: Tuning, record: Measure) -> bool:
    curve = tuning.curves[record.key]
    known = np.abs(curve[np.isfinite(curve)])
    return bool(len(known) and known.max() >= 10_000)


def _caption(tuning: Tuning, record: Measure) -> str:
    choice = tuning.choices[record.key]
    arrow = ARROWS[record.better]
    head = f"{shown(record.title)} {arrow}".strip()
    if choice.clear:
        return escape(f"{head}: {shown(choice.value)}")
    return escape(f"{head}: {choice.why}")


def _add_curve(
    go: Any, figure: Figure, tuning: Tuning, record: Measure, places: list[Any], suffix: str
) -> None:
    curve = tuning.curves[record.key]
    axis = f"y{suffix}"
    if tuning.stability is not None:
        low, high = (side[record.key] for side in (tuning.stability.low, tuning.stability.high))
        known = np.isfinite(low) & np.isfinite(high)
        x = np.asarray(places)[known]
        figure.add_trace(
            go.Scatter(
                x=np.concatenate([x, x[::-1]]),
                y=np.concatenate([high[known], low[known][::-1]]),
                fill="toself",
                mode="lines",
                line={"width": 0, "color": EITHER[0]},
                opacity=0.6,
                hoverinfo="skip",
                yaxis=axis,
            )
        )
    figure.add_trace(
        go.Scatter(
            x=places,
            y=[float(x) if math.isfinite(x) else None for x in curve],
            mode=_mode(tuning),
            line={"color": EITHER[0], "width": 2},
            marker={"size": 6, "color": EITHER[0]},
            customdata=[
                [ident("value", value), ident("measure", record.key)] for value in tuning.values
            ],
            hovertext=[_box(tuning, record, k) for k in range(len(places))],
            hovertemplate="%{hovertext}<extra></extra>",
            yaxis=axis,
        )
    )
    choice = tuning.choices[record.key]
    if choice.index is None or not math.isfinite(curve[choice.index]):
        return
    figure.add_trace(
        go.Scatter(
            x=[places[choice.index]],
            y=[float(curve[choice.index])],
            mode="markers",
            marker={
                "symbol": "star" if choice.clear else "star-open",
                "size": 15,
                "color": EITHER[1],
            },
            customdata=[[ident("value", choice.value), ident("measure", record.key)]],
            hovertext=[
                hover(
                    f"{record.title} chooses {shown(choice.value)}"
                    if choice.clear
                    else f"{record.title} leans to {shown(choice.value)}",
                    choice.why or "",
                    f"strength {number(choice.strength)}, by {choice.rule}",
                )
            ],
            hovertemplate="%{hovertext}<extra></extra>",
            yaxis=axis,
        )
    )


def _mode(tuning: Tuning) -> str:
    """Dots for values without an order, a line for many, both for few."""
    if not all(is_number(value) for value in tuning.values):
        return "markers"
    return "lines+markers" if len(tuning.values) <= MARKED else "lines"


def _box(tuning: Tuning, record: Measure, k: int) -> str:
    found = int(tuning.counts[k])
    noise = float(tuning.noise[k])
    return hover(
        f"{shown(tuning.parameter)} = {shown(tuning.values[k])}",
        f"{record.title}: {number(float(tuning.curves[record.key][k]))}",
        tuning.reasons[record.key][k] or "",
        f"{found:,} clusters found" + (f", {noise:.1%} noise" if noise > 0 else ""),
    )


def _add_suggestion(figure: Figure, tuning: Tuning, places: list[Any]) -> None:
    if tuning.suggestion is None:
        return
    at = places[tuning.values.index(tuning.suggestion)]
    for k in range(len(tuning.measures)):
        figure.add_shape(
            type="line",
            x0=at,
            x1=at,
            y0=0,
            y1=1,
            xref="x",
            yref=f"y{k + 1 if k else ''} domain",
            layer="below",
            line={"dash": "dash", "width": 1.5, "color": QUIET},
        )


def elbow_title(tuning: Tuning) -> str:
    """What the measures suggest, in a sentence."""
    if tuning.suggestion is None:
        return f"There is no suggestion: {tuning.why}."
    value, total = tuning.suggestion, len(tuning.measures)
    clear = len(tuning.agreement.get(value, []))
    leaning = len(tuning.leanings.get(value, []))
    more = f" and {leaning} {'leans' if leaning == 1 else 'lean'} to it" if leaning else ""
    verb = "chooses" if clear == 1 else "choose"
    return (
        f"The suggestion is {shown(tuning.parameter)} = {shown(value)}: {clear} of {total} "
        f"measures clearly {verb} it{more}."
    )


def _note(tuning: Tuning) -> str:
    said = [f"{shown(tuning.estimator)} on {tuning.points:,} points."]
    said.append("Filled stars are clear choices, hollow ones are not.")
    if tuning.stability is not None:
        said.append(f"Bands are 95% intervals over {tuning.stability.samples:,} samples.")
    return " ".join(said)
