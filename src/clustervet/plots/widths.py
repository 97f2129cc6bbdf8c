"""The silhouette plot: every point's width, by cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.internal.silhouette import Silhouettes
from clustervet.plots.frame import Figure, finish, graph_objects
from clustervet.plots.text import (
    axis_texts,
    brief,
    counted,
    hover,
    ident,
    number,
    plot_text,
    share,
    shown,
)
from clustervet.plots.theme import EITHER

# Points up to which each has a line of its own within its cluster, and how many a cluster of
# more is drawn with: evenly spaced ones among the sorted widths.
DRAWN = 4_000
LEAST = 12
# Clusters up to which each shows the shape of its widths; beyond, only their spread.
SHAPED = 40
SPREADS = 300
QUARTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Band:
    """One cluster: its name, size, mean width, and its widths, falling."""

    name: Any
    size: int
    mean: float
    widths: NDArray[np.float64]


def bands_of(silhouettes: Silhouettes) -> list[Band]:
    """Clusters, that of the largest mean width first; dropped points are left out."""
    code = {name: k for k, name in enumerate(silhouettes.clusters)}
    codes = np.array([-1 if label is None else code[label] for label in silhouettes.labels])
    points = np.asarray(silhouettes.points)
    order = np.lexsort((-points, codes))
    starts = np.searchsorted(codes[order], np.arange(len(code) + 1))
    bands = [
        Band(name, silhouettes.sizes[name], mean, points[order[starts[k] : starts[k + 1]]])
        for k, (name, mean) in enumerate(silhouettes.clusters.items())
    ]
    return sorted(bands, key=lambda band: -band.mean)


def silhouette_plot(silhouettes: Silhouettes, *, theme: str = "light") -> Figure:
    """Silhouettes of the points, sorted within clusters; below 0 a point lies nearer to another.

    Many points are drawn by evenly spaced ones, and of many clusters only the spread is shown;
    the note says so.

    >>> import clustervet as cv
    >>> from clustervet.internal.silhouette import silhouettes
    >>> found = silhouettes([[0], [1], [10], [11]], ["a", "a", "b", "b"])
    >>> silhouette_plot(found).layout.meta["title"]
    'The mean silhouette is 0.9; every cluster keeps apart.'
    """
    bands = bands_of(silhouettes)
    go = graph_objects()
    figure = go.Figure()
    if len(bands) <= SHAPED:
        height, drawn = _add_shapes(go, figure, bands)
    else:
        height, drawn = _add_spreads(go, figure, bands), ""
    figure.add_vline(x=silhouettes.overall, line={"dash": "dash", "width": 1.5})
    figure.add_annotation(
        x=silhouettes.overall, y=1, yref="paper", yanchor="bottom", text="mean", yshift=1
    )
    least = min(float(band.widths.min()) for band in bands)
    figure.update_xaxes(title="silhouette", range=[min(-0.1, 1.05 * least), 1.02], zeroline=True)
    below = int(np.count_nonzero(np.asarray(silhouettes.points) < 0))
    points = sum(band.size for band in bands)
    one = below <= 1
    some = f"{counted(below, 'point')} of {points:,} ({share(below / points)})"
    note = some if below else f"No point of {points:,}"
    note += " lies below 0, nearer " if one else " lie below 0, nearer "
    note += f"to another cluster than to {'its' if one else 'their'} own."
    finish(
        figure,
        kind="silhouette",
        title=_title(bands, silhouettes.overall),
        note=f"{note}{drawn}" if len(bands) <= SHAPED else f"{note} {_spread_note(bands)}",
        theme=theme,
        height=height,
    )
    return figure.update_layout(margin={"t": figure.layout.margin.t + 14})


def _add_shapes(go: Any, figure: Figure, bands: list[Band]) -> tuple[int, str]:
    """An area a cluster, as high as the cluster is large."""
    points = sum(band.size for band in bands)
    height = max(220, min(90 + 60 * len(bands), 760))
    # A small cluster gets the room that its name needs.
    room = 18 / (height - 80) * points * 1.5
    row = 0.0
    middles = []
    for k, band in enumerate(bands):
        slot = max(room, band.size * 1.06)
        start = row + (slot - band.size) / 2
        figure.add_trace(_shape(go, band, start, points, EITHER[k % len(EITHER)]))
        middles.append(row + slot / 2)
        row += slot
    _add_handles(go, figure, bands, middles)
    figure.update_yaxes(
        title="cluster",
        tickvals=middles,
        ticktext=axis_texts([band.name for band in bands]),
        range=[row, 0],
        showgrid=False,
    )
    note = " Clusters are drawn by evenly spaced points of each." if points > DRAWN else ""
    return height, note


def _shape(go: Any, band: Band, start: float, points: int, colour: str) -> Any:
    wanted = max(LEAST, int(DRAWN * band.size / points))
    places = np.linspace(0, band.size - 1, min(band.size, wanted)).round().astype(np.int64)
    picked = np.unique(places)
    # Each width is a step as high as the points it stands for.
    edges = np.append(picked, band.size) + start
    x = np.repeat(band.widths[picked], 2).round(4)
    y = np.repeat(edges, 2)[1:-1].round(2)
    return go.Scatter(
        x=np.concatenate([[0], x, [0]]),
        y=np.concatenate([y[:1], y, y[-1:]]),
        mode="lines",
        fill="tozerox",
        line={"width": 0.5, "color": colour},
        name=plot_text(band.name),
        hoveron="points",
        hoverinfo="skip",
        meta={"id": ident("cluster", band.name)},
    )


def _add_handles(go: Any, figure: Figure, bands: list[Band], rows: list[float]) -> None:
    """A diamond at each cluster's mean, which carries the numbers and the id."""
    figure.add_trace(
        go.Scatter(
            x=[band.mean for band in bands],
            y=rows,
            mode="markers",
            marker={"symbol": "diamond", "size": 9, "color": "white"}
            | {"line": {"width": 1.5, "color": "#1B1F24"}},
            customdata=[[ident("cluster", band.name)] for band in bands],
            hovertext=[_box(band) for band in bands],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    )


def _add_spreads(go: Any, figure: Figure, bands: list[Band]) -> int:
    """The range and the middle half of each cluster; of very many the highest and the lowest."""
    kept = _ends(bands)
    levels = np.array([np.quantile(band.widths, QUARTILES) for band in kept])
    rows = list(range(len(kept)))
    thick = 2.0 if len(kept) > 100 else 5.0
    for low, high, width in ((0, 4, 1.0), (1, 3, thick)):
        x = np.column_stack([levels[:, low], levels[:, high], np.full(len(kept), np.nan)])
        y = np.column_stack([rows, rows, np.full(len(kept), np.nan)])
        figure.add_trace(
            go.Scatter(
                x=x.ravel().round(4),
                y=y.ravel(),
                mode="lines",
                line={"width": width, "color": EITHER[0]},
                hoverinfo="skip",
            )
        )
    figure.add_trace(
        go.Scatter(
            x=[band.mean for band in kept],
            y=rows,
            mode="markers",
            marker={"symbol": "diamond", "size": 4 if len(kept) > 100 else 6, "color": EITHER[1]},
            customdata=[[ident("cluster", band.name)] for band in kept],
            hovertext=[_box(band) for band in kept],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    )
    step = max(1, round(len(kept) / 40))
    figure.update_yaxes(
        title="cluster",
        tickvals=rows[::step],
        ticktext=axis_texts([band.name for band in kept])[::step],
        range=[len(kept) - 0.2, -0.8],
        showgrid=False,
    )
    return 620


def _ends(bands: list[Band]) -> list[Band]:
    """Clusters that are drawn: all, or the best and the worst of very many."""
    half = SPREADS // 2
    return bands if len(bands) <= SPREADS else [*bands[:half], *bands[-half:]]


def _spread_note(bands: list[Band]) -> str:
    left = len(bands) - len(_ends(bands))
    said = f"{len(bands):,} clusters are too many for shapes: lines are their ranges and middle "
    said += "halves, diamonds their means."
    return f"{said} {left:,} clusters in the middle are left out." if left else said


def _box(band: Band) -> str:
    below = int(np.count_nonzero(band.widths < 0))
    return hover(
        f"cluster {shown(band.name)}, {counted(band.size, 'point')}",
        f"mean {number(band.mean)}",
        f"{number(float(band.widths[-1]))} to {number(float(band.widths[0]))}",
        f"{below:,} below 0",
    )


def _title(bands: list[Band], overall: float) -> str:
    start = f"The mean silhouette is {brief(overall)}"
    worst = bands[-1]
    below = int(np.count_nonzero(worst.widths < 0))
    if below:
        part = share(below / worst.size)
        return f"{start}; cluster {shown(worst.name)} is worst, with {part} of its points below 0."
    if any((band.widths < 0).any() for band in bands):
        return f"{start}; cluster {shown(worst.name)} is worst, at {brief(worst.mean)}."
    return f"{start}; every cluster keeps apart."
