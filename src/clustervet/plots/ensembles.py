"""Many clusterings: their map, their distances and their tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.ensemble.distances import Distances
from clustervet.ensemble.embedding import Embedding
from clustervet.ensemble.groups import Groups, Hierarchy
from clustervet.errors import ParameterError
from clustervet.plots.frame import HOVERED, Figure, finish, graph_objects
from clustervet.plots.text import (
    SHORT,
    axis_texts,
    brief,
    counted,
    escape,
    hover,
    ident,
    number,
    plot_text,
    share,
    shown,
)
from clustervet.plots.theme import EITHER, SYMBOLS

Floats = NDArray[np.float64]
# Groups that get a colour of their own, and labels that are tried beside points.
COLOURED = 6
LABELLED = 60
# Rows up to which a heatmap of distances holds numbers, and beyond which some are left out.
NUMBERED = 12
MOST = 300
# Stress that is rounding alone.
EXACT = 1e-9


def map_plot(
    embedding: Embedding,
    *,
    groups: Groups | None = None,
    marked: Sequence[str] = (),
    theme: str = "light",
) -> Figure:
    """Clusterings as points whose distances are as near as can be to those given.

    `groups` colours the points and draws medoids larger; `marked` are names of points to ring,
    such as the truth or a consensus. Names stand beside points where there is room.

    >>> import clustervet as cv
    >>> found = cv.Ensemble({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 1, 0, 1]})
    >>> map_plot(found.embedding()).layout.meta["note"][:40]
    'The map shows the distances without loss'
    """
    points = _plane(embedding.points)
    names = embedding.names
    codes = np.zeros(len(names), np.int64) if groups is None else np.asarray(groups.labels)
    if len(codes) != len(names):
        raise ParameterError("groups must be of the clusterings on the map.")
    go = graph_objects()
    figure = go.Figure()
    places = label_places(points, [shown(name, SHORT) for name in names])
    for group in range(int(codes.max()) + 1):
        inside = np.flatnonzero(codes == group)
        if len(inside):
            figure.add_trace(_group(go, embedding, points, inside, group, groups, places))
    ringed = [k for k, name in enumerate(names) if name in set(marked)]
    if ringed:
        figure.add_trace(_rings(go, embedding, points, ringed))
    # Room for names at the edges, and one scale for both ways.
    figure.update_xaxes(title="first direction of the map", showgrid=True, zeroline=False)
    figure.update_yaxes(title="second direction", scaleanchor="x", scaleratio=1)
    left = sum(not place for place in places)
    return finish(
        figure,
        kind="map",
        title=_map_title(embedding, groups),
        note=_map_note(embedding, left),
        theme=theme,
        height=500,
        legend=groups is not None and groups.k > 1,
    )


def _plane(points: Floats) -> Floats:
    """Two coordinates a point: the first two, or one and 0."""
    wide = np.zeros((len(points), 2))
    kept = min(2, points.shape[1])
    wide[:, :kept] = points[:, :kept]
    return wide


def label_places(points: Floats, texts: list[str]) -> list[str]:
    """Where each name goes beside its point so that none cover each other; "" for nowhere.

    >>> label_places(np.array([[0.0, 0.0], [1.0, 1.0]]), ["a", "b"])
    ['top center', 'top center']
    """
    if len(points) > LABELLED:
        return [""] * len(points)
    # In pixels of a map about 600 wide, one scale for both ways.
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
        place = next((key for key, box in boxes.items() if not _covered(box, taken)), "")
        if place:
            taken.append(boxes[place])
        places.append(place)
    return places


def _covered(box: tuple[float, ...], taken: list[tuple[float, float, float, float]]) -> bool:
    return any(
        box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]
        for other in taken
    )


def _group(
    go: Any,
    embedding: Embedding,
    points: Floats,
    inside: NDArray[np.int64],
    group: int,
    groups: Groups | None,
    places: list[str],
) -> Any:
    medoids = () if groups is None else groups.medoids
    texts = [plot_text(embedding.names[k], SHORT) if places[k] else "" for k in inside]
    return go.Scatter(
        x=points[inside, 0],
        y=points[inside, 1],
        mode="markers+text",
        text=texts,
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
        customdata=[[ident("pred", embedding.names[k])] for k in inside],
        hovertext=[
            hover(
                shown(embedding.names[k]),
                "" if groups is None else f"group {group + 1}",
                "medoid of its group" if k in medoids else "",
                f"at {number(float(points[k, 0]))}, {number(float(points[k, 1]))}",
            )
            for k in inside
        ],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _rings(go: Any, embedding: Embedding, points: Floats, ringed: list[int]) -> Any:
    return go.Scatter(
        x=points[ringed, 0],
        y=points[ringed, 1],
        mode="markers",
        name="marked",
        marker={"symbol": "circle-open", "size": 20, "line": {"width": 2}, "color": EITHER[1]},
        customdata=[[ident("pred", embedding.names[k])] for k in ringed],
        hoverinfo="skip",
    )


def _map_title(embedding: Embedding, groups: Groups | None) -> str:
    count = len(embedding.names)
    if groups is None or groups.k == 1:
        return f"{count:,} clusterings, near each other where they agree."
    sizes = sorted(groups.sizes, reverse=True)
    largest = int(np.argmax(groups.sizes))
    centre = shown(embedding.names[groups.medoids[largest]])
    apart = "clear" if groups.silhouette >= 0.5 else "loose"
    return (
        f"The {count:,} clusterings fall into {groups.k} {apart} groups; the largest, of "
        f"{sizes[0]:,}, lies around {centre}."
    )


def _map_note(embedding: Embedding, left: int) -> str:
    said = [f"The map loses {share(embedding.stress)} of the distances (its stress)."]
    if embedding.stress < EXACT:
        said = ["The map shows the distances without loss."]
    if embedding.dimensions > 2:
        said.append(f"Two of {embedding.dimensions} directions are drawn.")
    if left:
        said.append(
            f"{counted(left, 'name')} without room {'is' if left == 1 else 'are'} left out."
        )
    return " ".join(said)


def distance_heatmap(
    distances: Distances, *, hierarchy: Hierarchy | None = None, theme: str = "light"
) -> Figure:
    """A measure between every two clusterings, like ones side by side.

    Rows are in the order of `hierarchy`, or as given. Up to 12 clusterings the cells hold their
    values; of more than 300 an even selection is drawn, and the note says so.

    >>> import clustervet as cv
    >>> found = cv.distance_matrix({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 1, 0, 1]})
    >>> distance_heatmap(found).layout.meta["title"]
    'a and b are most alike (VI 0.5), a and c least (VI 2).'
    """
    order = np.arange(len(distances)) if hierarchy is None else np.asarray(hierarchy.order)
    if len(order) > MOST:
        order = order[np.linspace(0, len(order) - 1, MOST).round().astype(np.int64)]
    matrix = distances.matrix[np.ix_(order, order)]
    names = [distances.names[k] for k in order]
    texts = axis_texts(names)
    record = distances.measure
    extra: dict[str, Any] = {}
    if len(order) <= NUMBERED:
        extra = {"text": [[f"{x:.3g}" for x in row] for row in matrix.tolist()]}
        extra |= {"texttemplate": "%{text}"}
    if matrix.size <= HOVERED:
        ids = [ident("pred", name) for name in names]
        extra["customdata"] = [[[one, other] for other in ids] for one in ids]
    unit = f" {record.unit}" if record.unit else ""
    go = graph_objects()
    figure = go.Figure(
        go.Heatmap(
            z=matrix.astype(np.float32) if len(order) > NUMBERED else matrix,
            x=texts,
            y=texts,
            coloraxis="coloraxis",
            hovertemplate=f"%{{y}} and %{{x}}<br>{escape(record.title)} %{{z:.6~g}}{unit}"
            "<extra></extra>",
            **extra,
        )
    )
    figure.update_xaxes(type="category", showgrid=False, tickangle=-90)
    figure.update_yaxes(type="category", showgrid=False, autorange="reversed")
    symbol = f"{record.symbol or record.title}{', ' + record.unit if record.unit else ''}"
    figure.update_coloraxes(colorbar={"title": {"text": escape(symbol)}})
    return finish(
        figure,
        kind="distances",
        title=_distance_title(distances),
        note=_distance_note(distances, len(order), hierarchy is not None),
        theme=theme,
        height=min(max(300, 22 * len(order)), 620) + 60,
        rows=[ident("pred", name) for name in names],
        columns=[ident("pred", name) for name in names],
    )


def _distance_title(distances: Distances) -> str:
    record, symbol = distances.measure, distances.measure.symbol or distances.measure.key
    upper = np.triu(np.ones(distances.matrix.shape, np.bool_), 1)
    known = upper & np.isfinite(distances.matrix)
    if not known.any():
        return f"{record.title} has no value between these clusterings."
    values = np.where(known, distances.matrix, np.nan)
    low, high = (
        np.unravel_index(int(f(values)), values.shape) for f in (np.nanargmin, np.nanargmax)
    )
    near, far = (high, low) if record.better == "higher" else (low, high)
    near_value, far_value = float(values[near]), float(values[far])
    if near_value == far_value == record.perfect:
        return "All clusterings are the same."
    if near_value == far_value:
        return f"All clusterings are equally far apart ({symbol} {brief(near_value)})."
    one, other, third, fourth = (shown(distances.names[k], SHORT) for k in (*near, *far))
    return (
        f"{one} and {other} are most alike ({symbol} {brief(near_value)}), {third} and {fourth} "
        f"least ({symbol} {brief(far_value)})."
    )


def _distance_note(distances: Distances, drawn: int, ordered: bool) -> str:
    said = [f"{distances.measure.title} between {len(distances):,} clusterings."]
    if ordered:
        said.append("Like ones stand side by side, as in their tree.")
    if drawn < len(distances):
        said.append(f"{drawn:,} of them are drawn, evenly picked.")
    missing = sum(distances.undefined.values())
    if missing:
        said.append(f"{missing:,} entries are undefined.")
    return " ".join(said)
