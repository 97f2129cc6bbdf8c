"""The figures of Dom's study of measures (2001, §7), drawn again."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from clustervet.plots.frame import Figure, finish, graph_objects
from clustervet.plots.text import brief, escape, ident, shown
from clustervet.plots.theme import DASHES, EITHER

# Points of a scatter that are drawn; more are evenly picked.
DRAWN = 2_000
# Measures in a sweep that can be told apart.
LINES = len(EITHER) * 2
# What grows along a sweep, in words.
GROWING = {
    "error_useful": "more objects err into other useful clusters",
    "useful": "there are more useful clusters",
}


class Study(Protocol):
    """Finished sweeps (Figs. 1 and 2) and scatters (Figs. 3 to 7)."""

    @property
    def sweeps(self) -> tuple[Any, ...]:
        """Measures along a parameter."""

    @property
    def scatters(self) -> tuple[Any, ...]:
        """Each measure against Q2."""


def dom_figures(study: Study, *, theme: str = "light") -> dict[str, Figure]:
    """Figs. 1-7 of Dom 2001 by name, part (a) at the left and part (b) at the right.

    `study` is that of `clustervet.lab.dom_study`. Scatters that the paper does not have are
    named by their measure.
    """
    found = {}
    for sweep in study.sweeps:
        found[sweep.figure] = sweep_figure(sweep, theme=theme)
    for scatter in study.scatters:
        found[scatter.figure or scatter.key] = scatter_figure(scatter, theme=theme)
    return found


def sweep_figure(sweep: Any, *, theme: str = "light") -> Figure:
    """Measures as one parameter grows: their own values, and stretched over [0, 1]."""
    go = graph_objects()
    figure = go.Figure()
    for k, curve in enumerate(sweep.curves[:LINES]):
        colour, dash = EITHER[k % len(EITHER)], DASHES[k % len(DASHES)]
        for part, values in enumerate((curve.values, curve.scaled)):
            figure.add_trace(
                go.Scatter(
                    x=list(sweep.x),
                    y=[v if math.isfinite(v) else None for v in values],
                    mode="lines",
                    name=escape(shown(curve.symbol or curve.title)),
                    legendgroup=curve.key,
                    showlegend=part == 0,
                    line={"color": colour, "dash": dash, "width": 2},
                    customdata=[[ident("measure", curve.key)]] * len(sweep.x),
                    hovertemplate=f"{escape(shown(curve.title))}<br>{escape(sweep.x_title)} "
                    "%{x:.6~g}<br>%{y:.6~g}<extra></extra>",
                    xaxis="x2" if part else "x",
                    yaxis="y2" if part else "y",
                )
            )
    _two_panels(figure, sweep.x_title, sweep.x_title, "value", "stretched over [0, 1]")
    left = len(sweep.curves) - LINES
    more = f" {left:,} more measures are left out." if left > 0 else ""
    void = [curve for curve in sweep.curves if not any(map(math.isfinite, curve.values))]
    if void:
        more += f" No value: {', '.join(shown(curve.title) for curve in void[:4])}."
    return finish(
        figure,
        kind="sweep",
        title=_sweep_title(sweep),
        note=f"{shown(sweep.figure)} of Dom 2001: {shown(sweep.title, 90)}.{more}",
        theme=theme,
        height=430,
        legend=True,
    )


def _sweep_title(sweep: Any) -> str:
    """Which measures do not move along the sweep, or that all do."""
    curves = [curve for curve in sweep.curves if any(map(math.isfinite, curve.values))]
    if not curves:
        return "No measure has a value here."
    still = [
        curve.symbol or curve.title
        for curve in curves
        if np.ptp([v for v in curve.values if math.isfinite(v)]) < 1e-9
    ]
    grows = GROWING.get(sweep.x_title, f"{shown(sweep.x_title, 60)} grows")
    if still:
        names = ", ".join(shown(name) for name in still[:4])
        verb = "does" if len(still) == 1 else "do"
        return f"{names} {verb} not change as {grows}."
    moves = "fall" if all(_falls(curve.values) for curve in curves) else "change"
    first = [curve for curve in curves if _lowest(curve, curves)]
    soonest = f", {shown(first[0].symbol or first[0].title)} soonest" if len(first) == 1 else ""
    soonest = soonest if moves == "fall" else ""
    which = f"All {len(curves)} measures" if len(curves) > 1 else shown(curves[0].title)
    moves = moves if len(curves) > 1 else f"{moves}s"
    return f"{which} {moves} as {grows}{soonest}."


def _lowest(curve: Any, curves: Sequence[Any]) -> bool:
    """Whether a stretched curve lies below all others between its ends."""
    heights = np.array([other.scaled[1:-1] for other in curves if other is not curve])
    return heights.size > 0 and bool((np.array(curve.scaled[1:-1]) < heights.min(axis=0)).all())


def _falls(values: Sequence[float]) -> bool:
    known = [value for value in values if math.isfinite(value)]
    return all(after < before for before, after in itertools.pairwise(known))


def scatter_figure(scatter: Any, *, theme: str = "light") -> Figure:
    """A measure against Q2: ranks at the left, values at the right."""
    go = graph_objects()
    figure = go.Figure()
    picked = np.arange(len(scatter.x))
    if len(picked) > DRAWN:
        picked = np.unique(np.linspace(0, len(picked) - 1, DRAWN).round().astype(np.int64))
    pairs = ((scatter.x_ranks, scatter.y_ranks), (scatter.x, scatter.y))
    for part, (x, y) in enumerate(pairs):
        figure.add_trace(
            go.Scatter(
                x=np.asarray(x, np.float64)[picked],
                y=np.asarray(y, np.float64)[picked],
                mode="markers",
                marker={"size": 4, "opacity": 0.45, "color": EITHER[part]},
                customdata=[[ident("measure", scatter.key), int(k)] for k in picked],
                hovertemplate="combination %{customdata[1]}<br>%{x:.6~g}, %{y:.6~g}<extra></extra>",
                xaxis="x2" if part else "x",
                yaxis="y2" if part else "y",
            )
        )
    x, y = scatter.x_title, scatter.y_title
    _two_panels(figure, f"rank by {x}", x, f"rank by {y}", y, most=44)
    drawn = len(picked) < len(scatter.x)
    some = f" {len(picked):,} of {len(scatter.x):,} combinations are drawn." if drawn else ""
    where = f"{shown(scatter.figure)} of Dom 2001. " if scatter.figure else ""
    return finish(
        figure,
        kind="scatter",
        title=_scatter_title(scatter),
        note=f"{where}Rank 1 is the best clustering.{some}",
        theme=theme,
        height=400,
    )


def _scatter_title(scatter: Any) -> str:
    x, y = shown(scatter.x_title), shown(scatter.y_title, 60)
    if not np.isfinite(np.asarray(scatter.y, np.float64)).any():
        return f"{y} has no value for any combination."
    return (
        f"{y} ranks clusterings {_closeness(scatter.spearman)} {x}: Spearman "
        f"{brief(scatter.spearman)}, Kendall {brief(scatter.kendall)}."
    )


def _closeness(correlation: float) -> str:
    if correlation >= 0.95:
        return "almost as does"
    return "much as does" if correlation >= 0.7 else "otherwise than"


def _two_panels(figure: Figure, x: str, x2: str, y: str, y2: str, most: int = 34) -> None:
    titles = [escape(shown(text, most)) for text in (x, x2, y, y2)]
    figure.update_layout(
        xaxis={"domain": [0, 0.44], "title": titles[0]},
        xaxis2={"domain": [0.57, 1], "title": titles[1], "anchor": "y2"},
        yaxis={"title": titles[2]},
        yaxis2={"title": titles[3], "anchor": "x2"},
    )
