"""The bound on errors against the number of clusters, by algorithm."""

from __future__ import annotations

import math
from typing import Any

from clustervet.plots.frame import Figure, finish, graph_objects
from clustervet.plots.text import counted, escape, hover, ident, number, share, shown
from clustervet.plots.theme import DASHES, EITHER, QUIET, SYMBOLS
from clustervet.selection import Selection

# Algorithms that get a colour of their own: those of the lowest bounds.
COLOURED = 6


def bound_plot(selection: Selection, *, theme: str = "light") -> Figure:
    """The bound on the error rate by algorithm and number of clusters.

    The best bound over the runs (Banerjee & Langford 2004, fig. 2), the true error of the same
    clustering as a thin line where it is known, and the bound of always answering the
    commonest label. A star marks the choice.
    """
    go = graph_objects()
    figure = go.Figure()
    curves = {name: _defined(curve) for name, curve in selection.curves.items()}
    drawn = {name: curve for name, curve in curves.items() if curve}
    ranked = sorted(drawn, key=lambda name: min(drawn[name].values()))
    truth = _true_rates(selection)
    for place, name in enumerate(ranked):
        _add_algorithm(go, figure, name, drawn[name], truth.get(name, {}), place)
    _add_constant(figure, selection)
    _add_choice(go, figure, selection, drawn)
    wide = [k for curve in drawn.values() for k in curve]
    log = max(wide) > 20 * max(1, min(wide)) and len(set(wide)) > 3
    figure.update_xaxes(title="number of clusters", type="log" if log else "linear")
    if log or len(set(wide)) <= 12:
        figure.update_xaxes(tickvals=sorted(set(wide)) if len(set(wide)) <= 12 else None)
    figure.update_yaxes(title="share of unlabelled points", tickformat=".0%", rangemode="tozero")
    return finish(
        figure,
        kind="bound",
        title=bound_title(selection),
        note=_note(selection, len(drawn), any(truth.values())),
        theme=theme,
        height=420 + 18 * math.ceil(min(len(drawn), COLOURED) / 2),
        legend=True,
    )


def _defined(curve: dict[int, float]) -> dict[int, float]:
    return {k: rate for k, rate in curve.items() if not math.isnan(rate)}


def _true_rates(selection: Selection) -> dict[str, dict[int, float]]:
    """The true error of the run with the best bound, by algorithm and number of clusters."""
    best: dict[tuple[str, int], Any] = {}
    for candidate in selection.table:
        if candidate.rate is None:
            continue
        key = candidate.algorithm, candidate.clusters
        if key not in best or candidate.rate < best[key].rate:
            best[key] = candidate
    found: dict[str, dict[int, float]] = {}
    for (name, k), candidate in best.items():
        if candidate.test_rate is not None:
            found.setdefault(name, {})[k] = candidate.test_rate
    return found


def _add_algorithm(
    go: Any,
    figure: Figure,
    name: str,
    curve: dict[int, float],
    truth: dict[int, float],
    place: int,
) -> None:
    quiet = place >= COLOURED
    colour = QUIET if quiet else EITHER[place % len(EITHER)]
    group = "others" if quiet else f"algorithm {place}"
    figure.add_trace(
        go.Scatter(
            x=list(curve),
            y=list(curve.values()),
            mode="lines+markers",
            name="other algorithms" if quiet else escape(shown(name)),
            legendgroup=group,
            showlegend=not quiet or place == COLOURED,
            line={"color": colour, "width": 1 if quiet else 2, "dash": DASHES[0]},
            marker={"symbol": SYMBOLS[0 if quiet else place], "size": 5 if quiet else 7},
            opacity=0.6 if quiet else 1,
            customdata=[[ident("algorithm", name), ident("value", k)] for k in curve],
            hovertext=[_box(name, k, rate, truth.get(k)) for k, rate in curve.items()],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    )
    if truth and not quiet:
        figure.add_trace(
            go.Scatter(
                x=sorted(truth),
                y=[truth[k] for k in sorted(truth)],
                mode="lines",
                legendgroup=group,
                showlegend=False,
                line={"color": colour, "width": 1.2, "dash": "dot"},
                customdata=[[ident("algorithm", name), ident("value", k)] for k in sorted(truth)],
                hovertext=[_box(name, k, curve.get(k), truth[k]) for k in sorted(truth)],
                hovertemplate="%{hovertext}<extra></extra>",
            )
        )


def _box(name: str, k: int, rate: float | None, truth: float | None) -> str:
    return hover(
        f"{shown(name)}, {counted(k, 'cluster')}",
        "" if rate is None else f"bound {number(rate)}",
        "" if truth is None else f"true error {number(truth)}",
    )


def _add_constant(figure: Figure, selection: Selection) -> None:
    constant = selection.bound.constant
    figure.add_hline(y=constant.rate, line={"dash": "dash", "width": 1.5, "color": QUIET})
    figure.add_annotation(
        x=1,
        xref="paper",
        xanchor="right",
        y=constant.rate,
        yanchor="bottom",
        text=escape(f"always {shown(constant.label, 20)}: {share(constant.rate)}"),
    )


def _add_choice(
    go: Any, figure: Figure, selection: Selection, drawn: dict[str, dict[int, float]]
) -> None:
    best = selection.best
    height = drawn.get(best.algorithm, {}).get(best.clusters)
    if height is None:
        return
    figure.add_trace(
        go.Scatter(
            x=[best.clusters],
            y=[height],
            mode="markers",
            name="chosen",
            marker={"symbol": "star-open", "size": 18, "color": EITHER[1], "line": {"width": 2}},
            customdata=[[ident("algorithm", best.algorithm), ident("value", best.clusters)]],
            hovertext=[
                hover(
                    f"chosen: {shown(best.algorithm)}, {counted(best.clusters, 'cluster')}",
                    f"bound with all choices paid {number(best.rate)}",
                )
            ],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    )


def bound_title(selection: Selection) -> str:
    """What was chosen and how it compares, in a sentence."""
    best, constant = selection.best, selection.bound.constant
    rate = share(best.rate or 0.0)
    what = f"{shown(best.algorithm)} with {counted(best.clusters, 'cluster')}"
    if selection.bound.beats_constant:
        return (
            f"{what} is wrong about at most {rate} of the unlabelled points; always answering "
            f"{shown(constant.label, 24)} is bounded by {share(constant.rate)}."
        )
    return (
        f"No clustering beats always answering {shown(constant.label, 24)} "
        f"({share(constant.rate)}); the best bound is {rate}, of {what}."
    )


def _note(selection: Selection, drawn: int, known: bool) -> str:
    study = selection.study
    said = [
        f"Bounds hold with probability {1 - study.delta:.4g}; {study.train_size:,} of "
        f"{study.points:,} points are labelled. Curves are the best of "
        f"{counted(study.runs, 'run')} and pay for that choice; the bound in the title pays for "
        "all choices."
    ]
    if known:
        said.append("Dotted: the true error.")
    if drawn > COLOURED:
        said.append(f"The {COLOURED} algorithms of the lowest bounds are coloured.")
    return " ".join(said)
