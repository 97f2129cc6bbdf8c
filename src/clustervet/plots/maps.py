"""Many clusterings: their map, the tree that merges them, and the matrix of their distances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import whole
from clustervet.ensemble import Distances, Embedding, Groups, Hierarchy, Summary, Trajectory
from clustervet.errors import ParameterError
from clustervet.plots import canvas, figures
from clustervet.plots.canvas import Figure, axis_texts, escape, hover, plot_text
from clustervet.plots.resolution import cluster_tree
from clustervet.plots.theme import EITHER, SYMBOLS
from clustervet.view.words import SHORT, brief, counted, digits, ident, share, spoken

Floats = NDArray[np.float64]
# Clusterings up to which names are tried beside their points, or all stand beside a tree.
NAMED = 60
# Stress that is rounding alone.
EXACT = 1e-9
# Clusterings up to which cells hold their distances, and the most that are drawn.
NUMBERED_DISTANCES = 12
MOST_DISTANCES = 300
# Clusterings of a sequence up to which each has a mark, and the most that the axis names.
MARKED, TICKS = 60, 15


def map_plot(
    embedding: Embedding,
    *,
    groups: Groups | None = None,
    marked: Sequence[str] = (),
    theme: str = "light",
) -> Figure:
    """Draw clusterings as points, so that similar clusterings lie close together.

    Parameters
    ----------
    embedding : Embedding
        The places of the clusterings. The first two coordinates are drawn.
    groups : Groups or None, optional
        Groups of the clusterings. They give the points their colours; the medoid of each group, or
        the clustering nearest to its consensus, is drawn larger.
    marked : sequence of str, optional
        Names of points to draw a ring around, such as the truth or a consensus.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        The map. Names are written beside points where there is room.

    Raises
    ------
    ParameterError
        If `groups` are those of other clusterings.

    Examples
    --------
    >>> import clustervet as cv
    >>> found = cv.Ensemble({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 1, 0, 1]})
    >>> map_plot(found.embedding()).layout.meta["note"]
    'The map shows the distances exactly.'
    """
    names = embedding.names
    codes = np.zeros(len(names), np.int64) if groups is None else np.asarray(groups.labels)
    if len(codes) != len(names):
        raise ParameterError("groups must be of the clusterings on the map.")
    points = np.zeros((len(names), 2))
    kept = min(2, embedding.dimensions)
    points[:, :kept] = embedding.points[:, :kept]
    places = label_places(points, [spoken(name, SHORT) for name in names])
    medoids = () if groups is None else groups.medoids
    around = groups is not None and bool(groups.centres)
    central = "nearest to the consensus of its group" if around else "medoid of its group"
    figure = canvas.new_figure()
    for group in range(int(codes.max()) + 1):
        inside = {k: names[k] for k in np.flatnonzero(codes == group).tolist()}
        if not inside:
            continue
        canvas.add_marks(
            figure,
            points[list(inside), 0],
            points[list(inside), 1],
            mode="markers+text",
            text=[plot_text(name, SHORT) if places[k] else "" for k, name in inside.items()],
            textposition=[places[k] or "top center" for k in inside],
            textfont={"size": 11},
            cliponaxis=False,
            name=f"group {group + 1} ({len(inside):,})",
            marker={
                "color": EITHER[group % len(EITHER)],
                "symbol": SYMBOLS[group % len(SYMBOLS)],
                "size": [14 if k in medoids else 8 for k in inside],
                "opacity": 0.85,
                "line": {"width": 0},
            },
            ids=[[ident("pred", name)] for name in inside.values()],
            boxes=[
                hover(
                    spoken(name),
                    "" if groups is None else f"group {group + 1}",
                    central if k in medoids else "",
                    f"at {digits(float(points[k, 0]))}, {digits(float(points[k, 1]))}",
                )
                for k, name in inside.items()
            ],
        )
    ringed = [k for k, name in enumerate(names) if name in set(marked)]
    if ringed:
        canvas.add_marks(
            figure,
            points[ringed, 0],
            points[ringed, 1],
            name="marked",
            marker={"symbol": "circle-open", "size": 20, "line": {"width": 2}, "color": EITHER[1]},
            ids=[[ident("pred", names[k])] for k in ringed],
        )
    # One scale for both directions.
    figure.update_xaxes(title="first direction of the map", showgrid=True, zeroline=False)
    figure.update_yaxes(title="second direction", scaleanchor="x", scaleratio=1)
    title, note = _map_title(embedding, groups), _map_note(embedding, places.count(""))
    several = groups is not None and groups.k > 1
    return canvas.finish(figure, "map", theme, title, note, height=500, legend=several)


def label_places(points: Floats, texts: list[str]) -> list[str]:
    """Return where each name goes beside its point so that none cover each other; "" for nowhere.

    >>> label_places(np.array([[0.0, 0.0], [1.0, 1.0]]), ["a", "b"])
    ['top center', 'top center']
    """
    if len(points) > NAMED:
        return [""] * len(points)
    # In pixels of a map about 600 wide, one scale for both directions.
    spans = np.ptp(points, axis=0)
    pixels = points * (min(600 / max(spans[0], 1e-12), 380 / max(spans[1], 1e-12), 1e9))
    taken = [(x - 6, y - 6, x + 6, y + 6) for x, y in pixels.tolist()]
    places = []
    for (x, y), text in zip(pixels.tolist(), texts, strict=True):
        wide = 3.9 * len(text) + 2
        boxes = {
            "top center": (x - wide, y + 7, x + wide, y + 23),
            "bottom center": (x - wide, y - 23, x + wide, y - 7),
            "middle right": (x + 7, y - 7, x + 7 + 2 * wide, y + 7),
            "middle left": (x - 7 - 2 * wide, y - 7, x - 7, y + 7),
        }
        place = next((key for key, box in boxes.items() if not _is_covered(box, taken)), "")
        if place:
            taken.append(boxes[place])
        places.append(place)
    return places


def _is_covered(box: tuple[float, ...], taken: list[tuple[float, float, float, float]]) -> bool:
    return any(
        box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]
        for other in taken
    )


def _map_title(embedding: Embedding, groups: Groups | None) -> str:
    count = len(embedding.names)
    if groups is None or groups.k == 1:
        return f"{count:,} clusterings; similar ones lie close together."
    largest = int(np.argmax(groups.sizes))
    centre = spoken(embedding.names[groups.medoids[largest]])
    apart = "clear" if groups.silhouette >= 0.5 else "loose"
    return (
        f"The {count:,} clusterings fall into {groups.k} {apart} groups; the largest, of "
        f"{groups.sizes[largest]:,}, lies around {centre}."
    )


def _map_note(embedding: Embedding, left: int) -> str:
    said = [f"The map distorts the distances by {share(embedding.stress)} (its stress)."]
    if embedding.stress < EXACT:
        said = ["The map shows the distances exactly."]
    if embedding.dimensions > 2:
        said.append(f"Two of {embedding.dimensions} directions are drawn.")
    if left:
        verb = "is" if left == 1 else "are"
        said.append(f"{counted(left, 'name')} {verb} left out for lack of room.")
    return " ".join(said)


def dendrogram(hierarchy: Hierarchy, *, most: int = 300, theme: str = "light") -> Figure:
    """Draw the tree of clusterings, with its leaves at the left and merges at their distances.

    Parameters
    ----------
    hierarchy : Hierarchy
        The tree.
    most : int, default 300
        The most leaves that are drawn. Beyond, the lowest merges are drawn as one leaf each.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        The tree.

    Examples
    --------
    >>> import clustervet as cv
    >>> found = cv.Ensemble({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 1, 0, 1]})
    >>> dendrogram(found.hierarchy()).layout.meta["title"]
    'The last merge, at distance 1.75, joins a and b with c.'
    """
    whole(most, "most", 2)
    names, merges = hierarchy.names, hierarchy.merges
    n = len(names)
    leaves, places, drawn = lay_out(hierarchy, most)
    figure = canvas.new_figure()
    brackets = []
    for k in drawn:
        top = places[n + k][0]
        left, right = (places[int(side)] for side in merges[k, :2])
        brackets.append([left, (top, left[1]), (top, right[1]), right])
    canvas.add_lines(figure, brackets, line={"color": EITHER[0], "width": 2 if n <= NAMED else 1})
    canvas.add_marks(
        figure,
        [places[n + k][0] for k in drawn],
        [places[n + k][1] for k in drawn],
        marker={"size": 5, "color": EITHER[0]},
        boxes=[
            hover(f"{int(size):,} clusterings", f"merged at {digits(float(height))}")
            for height, size in merges[drawn, 2:]
        ],
    )
    single = [leaf for leaf in leaves if leaf < n]
    canvas.add_marks(
        figure,
        [0] * len(single),
        [places[leaf][1] for leaf in single],
        marker={"size": 7 if n <= NAMED else 4, "color": EITHER[1]},
        cliponaxis=False,
        ids=[[ident("pred", names[leaf])] for leaf in single],
        boxes=[hover(spoken(names[leaf])) for leaf in single],
    )
    texts = axis_texts(
        [
            names[leaf] if leaf < n else f"{int(merges[leaf - n, 3]):,} clusterings"
            for leaf in leaves
        ]
    )
    step = 1 if len(texts) <= NAMED else round(len(texts) / 40)
    canvas.name_rows(figure, texts, step, showgrid=False, showline=False)
    figure.update_xaxes(title="distance", rangemode="tozero")
    note = f"{n:,} clusterings, merged by {hierarchy.method} distance."
    if n > len(leaves):
        note += f" The {n - len(leaves):,} lowest merges are drawn as single leaves."
    if step > 1:
        note += " Some names are left out."
    title, height = _tree_title(hierarchy), 80 + max(120, min(22 * len(texts), 760))
    return canvas.finish(figure, "dendrogram", theme, title, note, height=height)


def lay_out(
    hierarchy: Hierarchy, most: int
) -> tuple[list[int], dict[int, tuple[float, float]], list[int]]:
    """Return leaves from top to bottom, the places of all nodes, and the merges that are drawn.

    There are at most `most` leaves; what merges below them is one leaf.
    """
    merges, n = hierarchy.merges, len(hierarchy.names)
    drawn = list(range(max(0, n - most), n - 1))
    children = {n + k: merges[k, :2].astype(int).tolist() for k in drawn}
    leaves: list[int] = []
    stack = [2 * n - 2]
    while stack:
        node = stack.pop()
        if node in children:
            stack += reversed(children[node])
        else:
            leaves.append(node)
    heights = [0.0] * n + merges[:, 2].tolist()
    rows = {leaf: float(row) for row, leaf in enumerate(leaves)}
    for node, (left, right) in children.items():
        rows[node] = (rows[left] + rows[right]) / 2
    return leaves, {node: (heights[node], row) for node, row in rows.items()}, drawn


def _tree_title(hierarchy: Hierarchy) -> str:
    side = hierarchy.cut(2)
    parts = [[hierarchy.names[k] for k in np.flatnonzero(side == group)] for group in (0, 1)]
    first, second = (
        " and ".join(map(spoken, part)) if len(part) <= 2 else counted(len(part), "clustering")
        for part in sorted(parts, key=len, reverse=True)
    )
    distance = brief(float(hierarchy.merges[-1, 2]))
    return f"The last merge, at distance {distance}, joins {first} with {second}."


def distance_heatmap(
    distances: Distances, *, hierarchy: Hierarchy | None = None, theme: str = "light"
) -> Figure:
    """Draw the distance between every two clusterings.

    Parameters
    ----------
    distances : Distances
        The distances. Up to 12 clusterings the cells hold their values; of more than 300 an even
        selection is drawn, and the note says so.
    hierarchy : Hierarchy or None, optional
        The tree of the clusterings. The rows are in its order, so that similar clusterings are
        side by side; without it they are in the order given.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        The heatmap.

    Examples
    --------
    >>> import clustervet as cv
    >>> found = cv.distance_matrix({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 1, 0, 1]})
    >>> distance_heatmap(found).layout.meta["title"]
    'a and b are most alike (VI 0.5), a and c least (VI 2).'
    """
    names, matrix = ordered_distances(distances, hierarchy, MOST_DISTANCES)
    texts, ids = axis_texts(names), [ident("pred", name) for name in names]
    record = distances.measure
    few = len(names) <= NUMBERED_DISTANCES
    extra: dict[str, Any] = {}
    if few:
        extra["text"] = [[f"{x:.3g}" for x in row] for row in matrix.tolist()]
        extra["texttemplate"] = "%{text}"
    if matrix.size <= canvas.HOVERED:
        extra["customdata"] = [[[one, other] for other in ids] for one in ids]
    unit = f" {record.unit}" if record.unit else ""
    figure = canvas.new_figure()
    figure.add_heatmap(
        z=matrix if few else matrix.astype(np.float32),
        x=texts,
        y=texts,
        coloraxis="coloraxis",
        hovertemplate=f"%{{y}} and %{{x}}<br>{escape(record.title)} %{{z:.6~g}}{unit}"
        "<extra></extra>",
        **extra,
    )
    unnamed = canvas.name_cells(figure, len(names), len(names), ("clusterings", "clusterings"))
    figure.update_xaxes(tickangle=-90)
    symbol = f"{record.symbol or record.title}{', ' + record.unit if record.unit else ''}"
    figure.update_coloraxes(colorbar={"title": {"text": escape(symbol)}})
    note = f"{_distance_note(distances, len(names), hierarchy is not None)} {unnamed}".rstrip()
    height = min(max(300, 22 * len(names)), 620) + 60
    meta: dict[str, Any] = {"rows": ids, "columns": ids, "table": "matrix"}
    title = _distance_title(distances)
    return canvas.finish(figure, "distances", theme, title, note, height=height, **meta)


def ordered_distances(
    distances: Distances, hierarchy: Hierarchy | None, most: int | None = None
) -> tuple[list[str], NDArray[np.float64]]:
    """Return names and matrix in the order of a tree; of more than `most` an even selection."""
    order = np.arange(len(distances)) if hierarchy is None else np.asarray(hierarchy.order)
    if most is not None and len(order) > most:
        order = order[np.linspace(0, len(order) - 1, most).round().astype(np.int64)]
    return [distances.names[k] for k in order], distances.matrix[np.ix_(order, order)]


def _distance_title(distances: Distances) -> str:
    record, symbol = distances.measure, distances.measure.symbol or distances.measure.key
    values = np.where(np.isfinite(distances.condensed), distances.condensed, np.nan)
    if np.isnan(values).all():
        return f"{record.title} has no value between these clusterings."
    low, high = int(np.nanargmin(values)), int(np.nanargmax(values))
    near, far = (high, low) if record.better == "higher" else (low, high)
    near_value, far_value = float(values[near]), float(values[far])
    if near_value == far_value == record.perfect:
        where = f"Where {symbol} has a value, all" if np.isnan(values).any() else "All"
        return f"{where} clusterings are the same."
    if near_value == far_value:
        return f"All clusterings are equally far apart ({symbol} {brief(near_value)})."
    pairs = np.transpose(np.triu_indices(len(distances), 1))
    ends = (*pairs[near], *pairs[far])
    one, other, third, fourth = (spoken(distances.names[k], SHORT) for k in ends)
    return (
        f"{one} and {other} are most alike ({symbol} {brief(near_value)}), {third} and {fourth} "
        f"least ({symbol} {brief(far_value)})."
    )


def _distance_note(distances: Distances, drawn: int, ordered: bool) -> str:
    said = [f"{distances.measure.title} between {len(distances):,} clusterings."]
    if ordered:
        said.append("Similar ones are side by side, as in their tree.")
    if drawn < len(distances):
        said.append(f"An even selection of {drawn:,} is drawn.")
    missing = sum(distances.undefined.values())
    if missing:
        said.append(f"{missing:,} {'entry is' if missing == 1 else 'entries are'} undefined.")
    return " ".join(said)


canvas.draws(Distances, distance_heatmap)


@figures.register
def _(summary: Summary, *, theme: str = "light") -> list[Figure]:
    found = [map_plot(summary.embedding, groups=summary.groups, theme=theme)]
    if len(summary.names) > 2:
        found.append(dendrogram(summary.hierarchy, theme=theme))
    found.append(distance_heatmap(summary.distances, hierarchy=summary.hierarchy, theme=theme))
    return [*found, cluster_tree(summary, theme=theme)] if summary.levels else found


def trajectory_plot(trajectory: Trajectory, *, theme: str = "light") -> Figure:
    """Draw the distances of a sequence of clusterings to its start, its end and the step before.

    Parameters
    ----------
    trajectory : Trajectory
        What `Ensemble.trajectory` gives.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        Three curves over the sequence.

    Examples
    --------
    >>> import clustervet as cv
    >>> e = cv.Ensemble({"k=1": [0, 0, 0, 0], "k=2": [0, 0, 1, 1], "k=3": [0, 0, 1, 2]})
    >>> trajectory_plot(e.trajectory()).layout.meta["title"]
    'The steps add up to 1.5000 bits, and the first and the last are 1.5000 apart (100% of that).'
    """
    figure = canvas.new_figure()
    count = len(trajectory.names)
    curves = {
        "from the start": trajectory.from_start,
        "to the end": trajectory.to_end,
        "from the step before": trajectory.steps,
    }
    for k, (name, values) in enumerate(curves.items()):
        boxes = [
            hover(spoken(label), f"{name}: {brief(value)}")
            for label, value in zip(trajectory.names, values.tolist(), strict=True)
        ]
        canvas.add_marks(
            figure,
            list(range(count)),
            [None if math.isnan(value) else value for value in values.tolist()],
            boxes=boxes,
            mode="lines+markers" if count <= MARKED else "lines",
            name=name,
            marker={"symbol": SYMBOLS[k], "color": EITHER[k]},
            line={"color": EITHER[k]},
        )
    step = max(1, -(-count // TICKS))
    texts = axis_texts(trajectory.names)[::step]
    figure.update_xaxes(tickvals=list(range(0, count, step)), ticktext=texts)
    figure.update_yaxes(title=escape(f"{trajectory.measure.title}"), rangemode="tozero")
    title, *rest = trajectory.facts()
    note = " ".join([*rest, f"{count:,} clusterings of {trajectory.objects:,} objects."])
    return canvas.finish(figure, "trajectory", theme, title, note, height=360, legend=True)


canvas.draws(Trajectory, trajectory_plot)
