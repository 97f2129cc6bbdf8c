"""One clustering, cluster by cluster: shares of the distance, silhouettes, and stability."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import one_of, whole
from clustervet.contingency import Contingency
from clustervet.ensemble.cluster_stability import STABLE, Stability
from clustervet.evidence import ClusteringEvidence
from clustervet.geometry.picture import free_places
from clustervet.inference import Diagnosis
from clustervet.inference.members import CELL_OBJECTS, PAGE_OBJECTS
from clustervet.internal import Silhouettes
from clustervet.labels import plain_label
from clustervet.plots import canvas, figures
from clustervet.plots.canvas import Figure, axis_texts, hover, plot_text
from clustervet.plots.tables import DRAWN_SIDES, alluvial, contingency_heatmap, make_grid
from clustervet.plots.theme import EITHER, INK
from clustervet.view.words import (
    LONG,
    SHORT,
    brief,
    counted,
    digits,
    distinct,
    ident,
    share,
    short,
    spoken,
)

Of = Literal["clusters", "classes"]
# Points that are drawn in all, and at least of each cluster: evenly spaced ones among the sorted
# widths of a cluster.
DRAWN = 4_000
LEAST = 12
# Clusters up to which all widths are drawn, and clusters up to which their spread is drawn.
SHAPED = 40
SPREADS = 300
QUARTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


def diagnosis_bars(
    diagnosis: Diagnosis, *, of: Of = "clusters", most: int = 30, theme: str = "light"
) -> Figure:
    """Draw the share of each cluster, or class, in the variation of information.

    Parameters
    ----------
    diagnosis : Diagnosis
        What `clustervet.diagnose` found.
    of : {"clusters", "classes"}, default "clusters"
        Whether the bars are clusters or classes.
    most : int, default 30
        The most bars, the worst on top. The note tells how many others there are.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        The bars.

    Examples
    --------
    >>> import clustervet as cv
    >>> found = cv.diagnose(["a"] * 6 + ["b"] * 6, [0] * 6 + [0] * 2 + [1] * 4)
    >>> diagnosis_bars(found).layout.meta["title"]
    'Cluster 0 accounts for 80.5% of the distance to the truth.'
    """
    one_of(of, "of", ("clusters", "classes"))
    whole(most, "most", 1)
    one, other = ("cluster", "class") if of == "clusters" else ("class", "cluster")
    parts = sorted(getattr(diagnosis, of), key=lambda part: -part.vi)
    kept = parts if len(parts) <= most + 1 else parts[:most]
    shares = [share(part.vi / diagnosis.vi) if diagnosis.vi else "0%" for part in kept]
    figure = canvas.new_figure()
    figure.add_bar(
        x=[part.vi for part in kept],
        y=axis_texts([part.name for part in kept]),
        orientation="h",
        text=shares,
        textposition="outside",
        cliponaxis=False,
        marker={"line": {"width": 0}},
        customdata=[[ident(one, part.name), ident(other, part.majority)] for part in kept],
        hovertext=[
            hover(
                f"{one} {spoken(part.name)}, {counted(part.size, 'object')}",
                f"{digits(part.vi)} bits, {text} of VI",
                f"{share(part.purity)} of its objects are in {other} {spoken(part.majority)}",
                f"{share(part.recall)} of that {other} are here",
                f"{digits(part.pair_errors)} wrong pairs",
            )
            for part, text in zip(kept, shares, strict=True)
        ],
        hovertemplate=canvas.BOX,
    )
    # Room for the text behind the longest bar.
    figure.update_xaxes(
        title="bits of the variation of information",
        range=[0, 1.12 * kept[0].vi] if kept[0].vi else [0, 1],
    )
    figure.update_yaxes(title=one, type="category", autorange="reversed", showgrid=False)
    figure.update_yaxes(tickmode="linear", dtick=1)
    note = f"VI is {digits(diagnosis.vi)} bits in all; it is 0 for the truth itself."
    if rest := parts[len(kept) :]:
        left = share(math.fsum(part.vi for part in rest) / diagnosis.vi) if diagnosis.vi else "0%"
        note += f" {len(rest):,} {of} with smaller shares, together {left}, are not drawn."
    title, height = _bars_title(parts, diagnosis.vi, one, of), 76 + 22 * max(3, len(kept))
    return canvas.finish(figure, "diagnosis", theme, title, note, height=height)


def _bars_title(parts: Sequence[Any], total: float, one: str, many: str) -> str:
    if total == 0:
        return "No cluster is wrong: the clustering equals the truth."
    name, first = spoken(parts[0].name), share(parts[0].vi / total)
    running = np.cumsum([part.vi for part in parts])
    half = int(np.argmax(running >= total / 2)) + 1
    if half == 1 or len(parts) < 5:
        return f"{one.capitalize()} {name} accounts for {first} of the distance to the truth."
    return (
        f"Half of the distance to the truth lies in {half:,} of {len(parts):,} {many}; "
        f"{one} {name} alone accounts for {first}."
    )


@dataclass(frozen=True)
class Band:
    """One cluster: its name, size and mean width, and its widths, the largest first."""

    name: Any
    size: int
    mean: float
    widths: NDArray[np.float64]
    place: int

    @property
    def below(self) -> int:
        """How many of its points have a silhouette below 0."""
        return int(np.count_nonzero(self.widths < 0))


def bands_of(silhouettes: Silhouettes) -> list[Band]:
    """Return the clusters, that of the largest mean width first; dropped points are left out."""
    code = {name: k for k, name in enumerate(silhouettes.clusters)}
    codes = np.array([-1 if label is None else code[label] for label in silhouettes.labels])
    points = np.asarray(silhouettes.points)
    order = np.lexsort((-points, codes))
    starts = np.searchsorted(codes[order], np.arange(len(code) + 1))
    places = _places(silhouettes)
    bands = [
        Band(name, silhouettes.sizes[name], mean, points[order[starts[k] : starts[k + 1]]], place)
        for k, ((name, mean), place) in enumerate(
            zip(silhouettes.clusters.items(), places, strict=True)
        )
    ]
    return sorted(bands, key=lambda band: -band.mean)


def _places(silhouettes: Silhouettes) -> list[int]:
    """Return the places of the colours of clusters, as they are in a picture of the points."""
    names = list(silhouettes.clusters)
    by_size = sorted(range(len(names)), key=lambda k: -silhouettes.sizes[names[k]])
    held = [silhouettes.places.get(plain_label(names[k]), -1) for k in by_size]
    found = [0] * len(names)
    for k, place in zip(by_size, free_places(held), strict=True):
        found[k] = place
    return found


def silhouette_plot(silhouettes: Silhouettes, *, theme: str = "light") -> Figure:
    """Draw the silhouettes of all points, sorted within clusters.

    Parameters
    ----------
    silhouettes : Silhouettes
        The silhouettes. A point below 0 lies nearer to another cluster than to its own. Of many
        points an even selection is drawn, and of more than 40 clusters only the spread; the note
        says so.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure, with the cluster of the largest mean on top.

    Examples
    --------
    >>> from clustervet.internal import silhouettes
    >>> found = silhouettes([[0], [1], [10], [11]], ["a", "a", "b", "b"])
    >>> silhouette_plot(found).layout.meta["title"]
    'The mean silhouette is 0.9; no point lies below 0.'
    """
    bands = bands_of(silhouettes)
    points = sum(band.size for band in bands)
    figure = canvas.new_figure()
    if len(bands) <= SHAPED:
        height = max(220, min(90 + 60 * len(bands), 760))
        _add_shapes(figure, bands, points, height)
        how = " An even selection of the points of each cluster is drawn." * (points > DRAWN)
    else:
        height, how = 620, _add_spreads(figure, bands)
    figure.add_vline(x=silhouettes.overall, line={"dash": "dash", "width": 1.5})
    figure.add_annotation(
        x=silhouettes.overall, y=1, yref="paper", yanchor="bottom", text="mean", yshift=1
    )
    least = min(float(band.widths[-1]) for band in bands)
    figure.update_xaxes(title="silhouette", range=[min(-0.1, 1.05 * least), 1.02], zeroline=True)
    below = sum(band.below for band in bands)
    some = f"{counted(below, 'point')} of {points:,} ({share(below / points)})"
    who = some if below else f"No point of {points:,}"
    lies, own = ("lies", "its") if below <= 1 else ("lie", "their")
    note = f"{who} {lies} below 0, nearer to another cluster than to {own} own.{how}"
    title = _silhouette_title(bands, silhouettes.overall, below)
    return canvas.finish(figure, "silhouette", theme, title, note, height=height, room=14)


def _add_shapes(figure: Figure, bands: list[Band], points: int, height: int) -> None:
    """Add one area for each cluster, as high as the cluster is large."""
    # A small cluster gets the room that its name needs.
    room = 18 / (height - 80) * points * 1.5
    row = 0.0
    middles = []
    for band in bands:
        slot = max(room, band.size * 1.06)
        colour = EITHER[band.place % len(EITHER)]
        _add_shape(figure, band, row + (slot - band.size) / 2, points, colour)
        middles.append(row + slot / 2)
        row += slot
    ink = INK["light"]
    _add_means(figure, bands, middles, 9, ink["paper"], line={"width": 1.5, "color": ink["text"]})
    texts = axis_texts([band.name for band in bands])
    figure.update_yaxes(
        title="cluster", tickvals=middles, ticktext=texts, range=[row, 0], showgrid=False
    )


def _add_shape(figure: Figure, band: Band, start: float, points: int, colour: str) -> None:
    wanted = max(LEAST, int(DRAWN * band.size / points))
    places = np.linspace(0, band.size - 1, min(band.size, wanted)).round().astype(np.int64)
    picked = np.unique(places)
    # Each width is a step as high as the points it stands for.
    edges = np.append(picked, band.size) + start
    x = np.repeat(band.widths[picked], 2).round(4)
    y = np.repeat(edges, 2)[1:-1].round(2)
    canvas.add_marks(
        figure,
        np.concatenate([[0], x, [0]]),
        np.concatenate([y[:1], y, y[-1:]]),
        mode="lines",
        fill="tozerox",
        line={"width": 0.5, "color": colour},
        name=plot_text(band.name),
        hoveron="points",
        meta={"id": ident("cluster", band.name)},
    )


def _add_means(
    figure: Figure, bands: list[Band], rows: Sequence[float], size: int, colour: str, **marker: Any
) -> None:
    """Add a diamond at the mean of each cluster, which carries its numbers and its id."""
    canvas.add_marks(
        figure,
        [band.mean for band in bands],
        rows,
        marker={"symbol": "diamond", "size": size, "color": colour, **marker},
        ids=[[ident("cluster", band.name)] for band in bands],
        boxes=[
            hover(
                f"cluster {spoken(band.name)}, {counted(band.size, 'point')}",
                f"mean {digits(band.mean)}",
                f"{digits(float(band.widths[-1]))} to {digits(float(band.widths[0]))}",
                f"{band.below:,} below 0",
            )
            for band in bands
        ],
    )


def _add_spreads(figure: Figure, bands: list[Band]) -> str:
    """Add the range and the middle half of each cluster, and return a note about them.

    Of very many clusters the best and the worst are drawn.
    """
    half = SPREADS // 2
    kept = bands if len(bands) <= SPREADS else [*bands[:half], *bands[-half:]]
    levels = np.array([np.quantile(band.widths, QUARTILES) for band in kept]).round(4).tolist()
    rows = range(len(kept))
    thick, size = (2.0, 4) if len(kept) > 100 else (5.0, 6)
    for low, high, width in ((0, 4, 1.0), (1, 3, thick)):
        lines = [[(levels[row][low], row), (levels[row][high], row)] for row in rows]
        canvas.add_lines(figure, lines, line={"width": width, "color": EITHER[0]})
    _add_means(figure, kept, list(rows), size, EITHER[1])
    step = max(1, round(len(kept) / 40))
    texts = axis_texts([band.name for band in kept])
    canvas.name_rows(figure, texts, step, title="cluster", showgrid=False)
    left = len(bands) - len(kept)
    return (
        f" {len(bands):,} clusters are too many to draw all points: lines show the range and the "
        "middle half of each cluster, diamonds the mean."
        f"{f' {left:,} clusters in the middle are left out.' if left else ''}"
    )


def _silhouette_title(bands: list[Band], overall: float, below: int) -> str:
    start, worst = f"The mean silhouette is {brief(overall)}", bands[-1]
    if worst.below:
        part = share(worst.below / worst.size)
        return f"{start}; cluster {spoken(worst.name)} is worst, with {part} of its points below 0."
    if below:
        return f"{start}; cluster {spoken(worst.name)} is worst, at {brief(worst.mean)}."
    return f"{start}; no point lies below 0."


def stability_plot(stability: Stability, *, most: int = 40, theme: str = "light") -> Figure:
    """Draw how well each cluster comes back in samples.

    Parameters
    ----------
    stability : Stability
        What `clustervet.stability` found.
    most : int, default 40
        The number of clusters that are drawn, the least stable first.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        A diamond at the mean Jaccard index of each cluster, and a line over 90% of the samples.

    Examples
    --------
    >>> import clustervet as cv
    >>> runs = [[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 2], [1, 1, 1, 0, 0, 2]]
    >>> stability_plot(cv.stability(runs, labels=list("aaabbb"))).layout.meta["title"]
    'All 2 clusters are stable.'
    """
    whole(most, "most", 1)
    known = [one for one in stability.clusters if not math.isnan(one.jaccard)]
    drawn = sorted(known, key=lambda one: (one.jaccard, -one.size))[:most]
    figure = canvas.new_figure()
    rows = list(range(len(drawn)))
    lines = [[(one.low, row), (one.high, row)] for row, one in zip(rows, drawn, strict=True)]
    canvas.add_lines(figure, lines, line={"width": 3, "color": EITHER[0]})
    ink = INK["light"]
    for stable, colour in ((True, EITHER[0]), (False, EITHER[1])):
        held = [(row, one) for row, one in zip(rows, drawn, strict=True) if one.stable == stable]
        canvas.add_marks(
            figure,
            [one.jaccard for _, one in held],
            [row for row, _ in held],
            marker={
                "symbol": "diamond",
                "size": 11,
                "color": colour,
                "line": {"width": 1.5, "color": ink["paper"]},
            },
            ids=[[ident("cluster", one.cluster)] for _, one in held],
            boxes=[
                hover(
                    f"cluster {spoken(one.cluster)}, {counted(one.size, 'object')}: {one.verdict}",
                    f"mean Jaccard index {digits(one.jaccard)}",
                    f"dissolved in {share(one.dissolved)} of {counted(one.samples, 'sample')}, "
                    f"recovered in {share(one.recovered)}",
                )
                for _, one in held
            ],
        )
    figure.add_vline(x=STABLE, line={"dash": "dash", "width": 1.5})
    figure.add_annotation(x=STABLE, y=1, yref="paper", yanchor="bottom", text="stable", yshift=1)
    figure.update_xaxes(title="Jaccard index with the most similar cluster", range=[0, 1.02])
    texts = axis_texts([one.cluster for one in drawn])
    canvas.name_rows(figure, texts, title="cluster", showgrid=False)
    note = f"{stability.how}. Diamonds are means; lines cover 90% of the samples."
    left = len(stability.clusters) - len(drawn)
    if left:
        note += f" {counted(left, 'more cluster')} not drawn."
    height = 90 + 26 * max(2, len(drawn))
    return canvas.finish(
        figure, "stability", theme, stability.verdict, note, height=height, room=14
    )


def add_objects(heatmap: Figure, table: Contingency, diagnosis: Diagnosis) -> None:
    """Keep the objects behind the cells in `layout.meta["objects"]`, for a page that lists them."""
    grid = make_grid(table, DRAWN_SIDES)
    held = diagnosis.listed_cells(grid.rows.names, grid.cols.names)
    listed = {
        "why": held.why,
        "kind": "id" if held.by_id else "row",
        "rows": distinct(grid.rows.names, LONG),
        "columns": distinct(grid.cols.names, LONG),
        "cells": held.cells,
        "most": CELL_OBJECTS,
        "total": PAGE_OBJECTS,
    }
    heatmap.update_layout(meta={**heatmap.layout.meta, "objects": listed})


canvas.draws(Diagnosis, diagnosis_bars)
canvas.draws(Silhouettes, silhouette_plot)
canvas.draws(Stability, stability_plot)


@figures.register
def _(known: ClusteringEvidence, *, theme: str = "light") -> list[Figure]:
    found = []
    if known.table is not None:
        titles = [short(known.truth or "truth", SHORT), short(known.name, SHORT)]
        heatmap = contingency_heatmap(known.table, theme=theme)
        if known.diagnosis is not None:
            add_objects(heatmap, known.table, known.diagnosis)
        found.append(heatmap)
        found.append(alluvial(known.table, names=titles, theme=theme))
    if known.diagnosis is not None:
        found.append(diagnosis_bars(known.diagnosis, theme=theme))
    if known.silhouettes is not None:
        found.append(silhouette_plot(known.silhouettes, theme=theme))
    return found
