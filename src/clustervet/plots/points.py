"""The points themselves: clusters by colour and classes by shape, in two dimensions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import FeatureError, LabelError
from clustervet.geometry.points import is_sparse, read_points
from clustervet.labels import Codes, consecutive, encode_all
from clustervet.labels.pair import noise_place
from clustervet.plots import canvas
from clustervet.plots.canvas import Figure, escape, hover, plot_text
from clustervet.plots.theme import EITHER, QUIET, SYMBOLS
from clustervet.view.words import counted, share, spoken

Floats = NDArray[np.float64]
# Points up to which each has a mark; more are drawn as densities, in a grid of so many cells.
MARKED = 5_000
GRID = 160


@dataclass(frozen=True)
class Plane:
    """Where points lie in two dimensions, what the axes are, and how much of the data they hold."""

    places: Floats
    titles: tuple[str, str]
    note: str


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
        of small grey crosses. More than 5,000 points are drawn as densities: each cell of a grid
        has the colour of the cluster that most of its points are in, stronger where there are more.

    Raises
    ------
    FeatureError
        If the points cannot be read, or the embedding has not two coordinates for each.
    LabelError
        If there is not one label for each point.

    Notes
    -----
    Aggarwal 2015, §6.9.1.1, and Mottin's slides on the iris data look at the points first.
    Principal components keep as much of the variance as two directions can; the axes say how
    much. A sparse matrix is not centred first.

    Examples
    --------
    >>> X = [[0.0, 0.0], [0.1, 0.2], [5.0, 5.0], [5.2, 5.1]]
    >>> figure = points_plot(X, [0, 0, 1, 1], ["a", "a", "b", "a"])
    >>> figure.layout.meta["title"]
    '2 clusters of 4 points; 1 point is not of the class that leads its cluster.'
    """
    points = read_points(X)
    names = getattr(X, "columns", None) if feature_names is None else feature_names
    plane = _plane(points, embedding, None if names is None else list(names))
    given = {"labels": labels} | ({} if truth is None else {"truth": truth})
    sides, _ = encode_all(given, missing="class")
    if len(sides[0]) != len(plane.places):
        raise LabelError(
            f"labels has {len(sides[0]):,} labels, and X has {len(plane.places):,} points."
        )
    groups = _groups(sides[0])
    figure = canvas.new_figure()
    if len(plane.places) > MARKED:
        _add_densities(figure, plane.places, groups)
        how = " Cells have the colour of most of their points, stronger where there are more."
    else:
        _add_points(figure, plane.places, groups, sides[1] if truth is not None else None)
        how = "" if truth is None else " Clusters by colour, classes by shape."
    figure.update_xaxes(title=escape(plane.titles[0]))
    figure.update_yaxes(title=escape(plane.titles[1]))
    note = f"{plane.note}{how}"
    title = _title(groups, len(plane.places), sides)
    return canvas.finish(figure, "points", theme, title, note, height=460, legend=True)


def _plane(points: Any, embedding: Any, names: list[Any] | None) -> Plane:
    """Return two coordinates per point."""
    n, d = points.shape
    if embedding is not None:
        places = read_points(embedding, "embedding")
        if is_sparse(places) or places.shape != (n, 2):
            raise FeatureError(
                f"embedding must have two coordinates for each of the {n:,} points; its shape is "
                f"{places.shape}."
            )
        note = "An embedding that was given; distances in it need not be those of the features."
        return Plane(np.asarray(places, np.float64), ("coordinate 1", "coordinate 2"), note)
    named = [f"feature {k + 1}" for k in range(d)] if names is None else [spoken(x) for x in names]
    if d <= 2:
        dense = points.toarray() if is_sparse(points) else np.asarray(points, np.float64)
        places = dense if d == 2 else np.column_stack([dense[:, 0], np.zeros(n)])
        return Plane(places, (named[0], named[1] if d == 2 else ""), "The features as they are.")
    from sklearn.decomposition import PCA, TruncatedSVD

    if n < 2:
        return Plane(np.zeros((n, 2)), ("", ""), "One point has no direction.")
    if is_sparse(points):
        model: Any = TruncatedSVD(2, random_state=0)
    else:
        model = PCA(2, svd_solver="covariance_eigh" if d <= 1_000 else "randomized", random_state=0)
    places = np.asarray(model.fit_transform(points), np.float64)
    held = np.nan_to_num(model.explained_variance_ratio_)
    titles = tuple(f"component {k + 1} ({part:.1%} of the variance)" for k, part in enumerate(held))
    note = f"Two principal components of {d:,} features hold {held.sum():.1%} of their variance."
    return Plane(places, (titles[0], titles[1]), note)


@dataclass(frozen=True)
class Group:
    """Points of one colour: a cluster, the small clusters together, or noise."""

    name: str
    rows: NDArray[np.int64]
    colour: str
    kind: str


def _groups(side: Codes) -> list[Group]:
    """Return the clusters that have a colour, largest first, then the others, then noise."""
    codes, distinct = consecutive(side)
    names = list(side.restore(distinct))
    sizes = np.bincount(codes, minlength=len(names))
    noise = noise_place(names)
    order = [int(k) for k in np.argsort(-sizes, kind="stable") if k != noise]
    found = [
        Group(spoken(names[k]), np.flatnonzero(codes == k), EITHER[place], "cluster")
        for place, k in enumerate(order[: len(EITHER)])
    ]
    rest = order[len(EITHER) :]
    if rest:
        rows = np.flatnonzero(np.isin(codes, rest))
        found.append(Group(f"{counted(len(rest), 'smaller cluster')}", rows, QUIET, "rest"))
    if noise is not None:
        found.append(Group("noise", np.flatnonzero(codes == noise), QUIET, "noise"))
    return found


def _add_points(figure: Figure, places: Floats, groups: list[Group], truth: Codes | None) -> None:
    classes: NDArray[Any] = np.zeros(len(places), np.int64)
    names: list[Any] = [""]
    if truth is not None:
        classes, distinct = consecutive(truth)
        names = list(truth.restore(distinct))
    for group in groups:
        for k in np.unique(classes[group.rows]).tolist():
            rows = group.rows[classes[group.rows] == k]
            shape = "x-thin" if group.kind == "noise" else SYMBOLS[k % len(SYMBOLS)]
            told = f"class {spoken(names[k])}" if truth is not None else ""
            head = group.name if group.kind != "cluster" else f"cluster {group.name}"
            canvas.add_marks(
                figure,
                places[rows, 0].tolist(),
                places[rows, 1].tolist(),
                ids=rows.tolist(),
                boxes=[hover(f"row {row}", head, told) for row in rows.tolist()],
                name=plot_text(f"{head}, {told}" if told else head),
                legendgroup=plot_text(head),
                marker={
                    "color": group.colour,
                    "symbol": shape,
                    "size": 5 if group.kind == "noise" else 7,
                    "opacity": 0.75,
                    "line": {"width": 1, "color": group.colour} if group.kind == "noise" else {},
                },
            )


def _add_densities(figure: Figure, places: Floats, groups: list[Group]) -> None:
    """Add one map of cells per group; a cell belongs to the group with most of its points."""
    edges = [np.linspace(side.min(), side.max() + (side.max() == side.min()), GRID + 1)
             for side in places.T]  # fmt: skip
    counts = np.stack(
        [np.histogram2d(places[g.rows, 0], places[g.rows, 1], edges)[0].T for g in groups]
    )
    leader, total = counts.argmax(axis=0), counts.sum(axis=0)
    top = math.log1p(float(total.max()))
    middles = [(side[1:] + side[:-1]) / 2 for side in edges]
    for k, group in enumerate(groups):
        own = np.where((leader == k) & (total > 0), np.log1p(total) / top, np.nan)
        head = group.name if group.kind != "cluster" else f"cluster {group.name}"
        red, green, blue = (int(group.colour[i : i + 2], 16) for i in (1, 3, 5))
        clear, full = (f"rgba({red},{green},{blue},{alpha})" for alpha in (0.15, 1))
        figure.add_heatmap(
            x=middles[0],
            y=middles[1],
            z=own,
            zmin=0,
            zmax=1,
            colorscale=[[0, clear], [1, full]],
            showscale=False,
            hoverinfo="skip",
        )
        canvas.add_marks(  # the entry of the legend
            figure, [None], [None], name=plot_text(head), marker={"color": group.colour, "size": 9}
        )


def _title(groups: list[Group], n: int, sides: list[Codes]) -> str:
    codes = consecutive(sides[0])[0]
    noise = [group.rows for group in groups if group.kind == "noise"]
    clusters = len(np.unique(codes)) - len(noise)
    said = f"{counted(clusters, 'cluster')} of {counted(n, 'point')}"
    if noise:
        said += f", {share(len(noise[0]) / n)} of them noise"
    if len(sides) == 1:
        return f"{said}."
    classes = consecutive(sides[1])[0]
    table = np.zeros((int(codes.max()) + 1, int(classes.max()) + 1), np.int64)
    np.add.at(table, (codes, classes), 1)
    if noise:
        table[codes[noise[0][0]]] = 0
    off = int((table.sum(axis=1) - table.max(axis=1)).sum())
    if not off:
        return f"{said}; every cluster holds one class."
    verb, whose = ("is", "its") if off == 1 else ("are", "their")
    return f"{said}; {counted(off, 'point')} {verb} not of the class that leads {whose} cluster."
