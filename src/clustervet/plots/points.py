"""The points themselves: clusters by colour and classes by shape, in two dimensions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from clustervet.contingency.mapping import places_beside
from clustervet.geometry.picture import (
    SHAPED,
    ClusteredPoints,
    Density,
    Group,
    Marks,
    Sketch,
    given_plane,
    plane_of,
    sketched,
)
from clustervet.geometry.points import read_points
from clustervet.geometry.profiles import read_clusters
from clustervet.labels import check_index
from clustervet.plots import canvas, figures
from clustervet.plots.canvas import Figure, escape, plot_text
from clustervet.plots.theme import EITHER, QUIET, SYMBOLS
from clustervet.view.words import counted, ident, share, spoken

# Size of a point whose class is not known.
DOT = 4


def points_plot(
    X: Any,  # noqa: N803  # the name that everyone gives to features
    labels: Any,
    truth: Any = None,
    *,
    embedding: Any = None,
    feature_names: Sequence[Any] | None = None,
    theme: str = "light",
) -> Figure:
    """Draw the points of a clustering: clusters by colour, classes by shape.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame
        Points by features. Two features are drawn as they are, more by their first two principal
        components.
    labels : array-like
        The cluster of each point; -1 is noise.
    truth : array-like, optional
        The class of each point.
    embedding : array-like, optional
        Two coordinates per point to draw instead, such as t-SNE or UMAP gives them.
    feature_names : sequence, optional
        Names of the features; by default those of a data frame.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        The six largest clusters have a colour each, the others share a grey one, and noise is made
        of small grey crosses. With a truth, a cluster has the colour of the class that it is
        matched with, as in `alluvial`. The seven largest classes have a shape each, and points
        whose class is missing are small dots. More than 5,000 points are drawn as densities: each
        cell of a grid has the colour of the cluster that most of its points are in, stronger where
        there are more.

    Raises
    ------
    FeatureError
        If the points cannot be read, or the embedding has not two coordinates for each.
    LabelError
        If there is not one label for each point, or pandas objects have different indexes.

    Notes
    -----
    Aggarwal 2015, §6.9.1.1, and Mottin's slides on the iris data look at the points first.
    Principal components keep as much of the variance as two directions can; the axes say how
    much. A sparse matrix is not centred first. Of more than 20,000 points a random sample finds the
    components, and the note says so.

    Examples
    --------
    >>> X = [[0.0, 0.0], [0.1, 0.2], [5.0, 5.0], [5.2, 5.1]]
    >>> figure = points_plot(X, [0, 0, 1, 1], ["a", "a", "b", "a"])
    >>> figure.layout.meta["title"]
    '2 clusters of 4 points; 1 point is not of the class that leads its cluster.'
    """
    check_index({"X": X, "labels": labels, "truth": truth, "embedding": embedding})
    points = read_points(X)
    names = getattr(X, "columns", None) if feature_names is None else feature_names
    n = int(points.shape[0])
    if embedding is None:
        plane = plane_of(points, None if names is None else list(names))
    else:
        plane = given_plane(embedding, n)
    places = places_beside(truth, labels)
    return drawn_sketch(sketched(plane, n, read_clusters(labels, n), truth, places), theme)


def drawn_sketch(sketch: Sketch, theme: str) -> Figure:
    """Return the picture of points that were laid out already."""
    figure = canvas.new_figure()
    how = ""
    if sketch.density is not None:
        _add_densities(figure, sketch.density, sketch.groups)
        how = " Cells have the colour of most of their points, stronger where there are more."
        how += " Classes are not drawn." * bool(sketch.classes)
    elif sketch.marks is not None:
        _add_points(figure, sketch, sketch.marks)
        how = " Clusters by colour, classes by shape." * bool(sketch.classes)
    figure.update_xaxes(title=escape(sketch.titles[0]))
    figure.update_yaxes(title=escape(sketch.titles[1]))
    note = f"{sketch.note}{how}"
    title, table = _title(sketch), "profiles"
    return canvas.finish(figure, "points", theme, title, note, height=480, legend=True, table=table)


def _colours(groups: Sequence[Group]) -> list[str]:
    """Return the colour of each group."""
    coloured = ("cluster", "all")
    return [
        EITHER[group.place % len(EITHER)] if group.kind in coloured else QUIET for group in groups
    ]


def _head(group: Group) -> str:
    """Return what a group is called."""
    if group.kind == "rest":
        return counted(group.clusters, "smaller cluster")
    return spoken(group.name) if group.kind != "cluster" else f"cluster {spoken(group.name)}"


def _class_words(sketch: Sketch, k: int) -> str:
    """Return what a class is called."""
    if k < 0:
        return "class not known"
    if sketch.combined and k == SHAPED:
        return f"one of {sketch.combined:,} other classes"
    return f"class {spoken(sketch.classes[k])}"


def _shape(k: int) -> str:
    """Return the shape of a class; a class that is not known is a dot."""
    return "circle" if k < 0 else SYMBOLS[k % len(SYMBOLS)]


def _add_points(figure: Figure, sketch: Sketch, marks: Marks) -> None:
    classes = np.zeros(len(marks.rows), np.int16) if marks.classes is None else marks.classes
    places = marks.places
    colours = _colours(sketch.groups)
    for g, group in enumerate(sketch.groups):
        inside = marks.groups == g
        for k in np.unique(classes[inside]).tolist():
            at = np.flatnonzero(inside & (classes == k))
            told = "" if marks.classes is None else _class_words(sketch, k)
            noise, head = group.kind == "noise", _head(group)
            lines = filter(None, ["row %{customdata}", plot_text(head), plot_text(told)])
            marker: dict[str, Any] = {
                "color": colours[g],
                "symbol": "x-thin" if noise else _shape(k),
                "size": 5 if noise else DOT if k < 0 else 7,
                "opacity": 0.75,
            }
            if noise:
                marker["line"] = {"width": 1, "color": colours[g]}
            canvas.add_marks(
                figure,
                places[at, 0].tolist(),
                places[at, 1].tolist(),
                ids=marks.rows[at].tolist(),
                name=plot_text(f"{head}, {told}" if told else head),
                hovertemplate="<br>".join(lines) + "<extra></extra>",
                showlegend=False,
                meta={"id": ident("cluster", group.name)} if group.kind == "cluster" else None,
                marker=marker,
            )
    for group, colour in zip(sketch.groups, colours, strict=True):
        shape = "x-thin" if group.kind == "noise" else "circle"
        _add_key(figure, _head(group), colour, shape)
    if marks.classes is not None:
        for k in np.unique(classes).tolist():
            told = _class_words(sketch, k).removeprefix("one of ")
            # Hollow, since a filled shape would be one of the smaller clusters.
            shape, size = (_shape(k), DOT) if k < 0 else (f"{_shape(k)}-open", 9)
            _add_key(figure, told, QUIET, shape, size)


def _add_key(figure: Figure, name: str, colour: str, shape: str, size: int = 9) -> None:
    """Add an entry of the legend."""
    marker: dict[str, Any] = {"color": colour, "size": size, "symbol": shape}
    if shape == "x-thin":
        marker["line"] = {"width": 1, "color": colour}
    canvas.add_marks(figure, [None], [None], name=plot_text(name), marker=marker)


def _add_densities(figure: Figure, density: Density, groups: Sequence[Group]) -> None:
    """Add one map of cells per group; a cell belongs to the group with most of its points."""
    total, leader = density.total, density.leader
    top = math.log1p(float(total.max()))
    middles = [(side[1:] + side[:-1]) / 2 for side in density.edges]
    for k, (group, colour) in enumerate(zip(groups, _colours(groups), strict=True)):
        own = np.where((leader == k) & (total > 0), np.log1p(total) / top, np.nan)
        red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
        clear, full = (f"rgba({red},{green},{blue},{alpha})" for alpha in (0.15, 1))
        figure.add_heatmap(
            x=middles[0],
            y=middles[1],
            z=own.round(3).astype(np.float32),
            zmin=0,
            zmax=1,
            colorscale=[[0, clear], [1, full]],
            showscale=False,
            hoverinfo="skip",
            meta={"id": ident("cluster", group.name)} if group.kind == "cluster" else None,
        )
        _add_key(figure, _head(group), colour, "square")


def _title(sketch: Sketch) -> str:
    points = counted(sketch.points, "point")
    if sketch.clusters is None:
        return f"{points}, without clusters."
    said = f"{counted(sketch.clusters, 'cluster')} of {points}"
    noise = next((group.size for group in sketch.groups if group.kind == "noise"), 0)
    if noise:
        said += f", {share(noise / sketch.points)} of them noise"
    off = sketch.strays
    if off is None:
        return f"{said}."
    if not off:
        return f"{said}; every cluster holds one class."
    verb, whose = ("is", "its") if off == 1 else ("are", "their")
    return f"{said}; {counted(off, 'point')} {verb} not of the class that leads {whose} cluster."


@figures.register
def _(found: ClusteredPoints, *, theme: str = "light") -> list[Figure]:
    return [drawn_sketch(found.sketch, theme)]
