"""The tree in which clusterings are merged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clustervet.ensemble.groups import Hierarchy
from clustervet.errors import ParameterError
from clustervet.plots.frame import Figure, finish, graph_objects
from clustervet.plots.text import axis_texts, brief, counted, hover, ident, number, shown
from clustervet.plots.theme import EITHER

# Leaves whose names all have room.
NAMED = 60


@dataclass(frozen=True)
class Layout:
    """A tree as it is drawn.

    `leaves` are nodes from top to bottom, `rows` the place of every drawn node, `merges` the
    merges that are drawn (rows of the linkage matrix), lowest first.
    """

    leaves: list[int]
    rows: dict[int, float]
    merges: list[int]


def lay_out(hierarchy: Hierarchy, most: int) -> Layout:
    """Places for at most so many leaves; what merges below them is a leaf as a whole."""
    merges = hierarchy.merges
    n = len(hierarchy.names)
    drawn = list(range(max(0, n - most), n - 1))
    inner = {n + k for k in drawn}
    leaves: list[int] = []
    stack = [2 * n - 2]
    while stack:
        node = stack.pop()
        if node in inner:
            left, right = merges[node - n, :2].astype(int).tolist()
            stack += [right, left]
        else:
            leaves.append(node)
    rows = {leaf: float(place) for place, leaf in enumerate(leaves)}
    for k in drawn:
        left, right = merges[k, :2].astype(int).tolist()
        rows[n + k] = (rows[left] + rows[right]) / 2
    return Layout(leaves, rows, drawn)


def dendrogram(hierarchy: Hierarchy, *, most: int = 300, theme: str = "light") -> Figure:
    """The tree of clusterings, leaves at the left, merges at their distances.

    Beyond `most` leaves the lowest merges are drawn as one leaf each.

    >>> import clustervet as cv
    >>> found = cv.Ensemble({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 1, 0, 1]})
    >>> dendrogram(found.hierarchy()).layout.meta["title"]
    'The last merge, at distance 1.75, joins a and b with c.'
    """
    if most < 2:
        raise ParameterError(f"most must be at least 2, not {most!r}.")
    layout = lay_out(hierarchy, most)
    go = graph_objects()
    figure = go.Figure()
    _add_links(go, figure, hierarchy, layout)
    _add_nodes(go, figure, hierarchy, layout)
    texts = axis_texts([_leaf_name(hierarchy, leaf) for leaf in layout.leaves])
    step = 1 if len(texts) <= NAMED else round(len(texts) / 40)
    figure.update_yaxes(
        tickvals=list(range(0, len(texts), step)),
        ticktext=texts[::step],
        range=[len(texts) - 0.4, -0.6],
        showgrid=False,
        showline=False,
    )
    figure.update_xaxes(title="distance", rangemode="tozero")
    gathered = len(hierarchy.names) - len(layout.leaves)
    note = f"{len(hierarchy.names):,} clusterings, merged by {hierarchy.method} distance."
    if gathered > 0:
        note += f" The {gathered:,} lowest merges are drawn as single leaves."
    if step > 1:
        note += " Some names are left out."
    return finish(
        figure,
        kind="dendrogram",
        title=_title(hierarchy),
        note=note,
        theme=theme,
        height=80 + max(120, min(22 * len(texts), 760)),
    )


def _leaf_name(hierarchy: Hierarchy, node: int) -> str:
    n = len(hierarchy.names)
    return hierarchy.names[node] if node < n else f"{int(hierarchy.merges[node - n, 3]):,} together"


def _height(hierarchy: Hierarchy, node: int) -> float:
    n = len(hierarchy.names)
    return 0.0 if node < n else float(hierarchy.merges[node - n, 2])


def _add_links(go: Any, figure: Figure, hierarchy: Hierarchy, layout: Layout) -> None:
    """All brackets in one line with gaps."""
    n = len(hierarchy.names)
    x: list[float | None] = []
    y: list[float | None] = []
    for k in layout.merges:
        left, right = hierarchy.merges[k, :2].astype(int).tolist()
        top = float(hierarchy.merges[k, 2])
        x += [_height(hierarchy, left), top, top, _height(hierarchy, right), None]
        y += [layout.rows[left], layout.rows[left], layout.rows[right], layout.rows[right], None]
    width = 2 if n <= NAMED else 1
    figure.add_trace(
        go.Scatter(
            x=x, y=y, mode="lines", line={"color": EITHER[0], "width": width}, hoverinfo="skip"
        )
    )


def _add_nodes(go: Any, figure: Figure, hierarchy: Hierarchy, layout: Layout) -> None:
    n = len(hierarchy.names)
    merged = [n + k for k in layout.merges]
    figure.add_trace(
        go.Scatter(
            x=[_height(hierarchy, node) for node in merged],
            y=[layout.rows[node] for node in merged],
            mode="markers",
            marker={"size": 5, "color": EITHER[0]},
            hovertext=[
                hover(
                    f"{int(hierarchy.merges[node - n, 3]):,} clusterings",
                    f"merged at {number(_height(hierarchy, node))}",
                )
                for node in merged
            ],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    )
    single = [leaf for leaf in layout.leaves if leaf < n]
    figure.add_trace(
        go.Scatter(
            x=[0] * len(single),
            y=[layout.rows[leaf] for leaf in single],
            mode="markers",
            marker={"size": 7 if n <= NAMED else 4, "color": EITHER[1]},
            cliponaxis=False,
            customdata=[[ident("pred", hierarchy.names[leaf])] for leaf in single],
            hovertext=[hover(shown(hierarchy.names[leaf])) for leaf in single],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    )


def _members(hierarchy: Hierarchy, node: int) -> list[int]:
    n = len(hierarchy.names)
    found, stack = [], [node]
    while stack:
        here = stack.pop()
        if here < n:
            found.append(here)
        else:
            stack += hierarchy.merges[here - n, :2].astype(int).tolist()
    return sorted(found)


def _title(hierarchy: Hierarchy) -> str:
    left, right = hierarchy.merges[-1, :2].astype(int).tolist()
    sides = sorted((_members(hierarchy, left), _members(hierarchy, right)), key=len, reverse=True)
    words = []
    for side in sides:
        names = [shown(hierarchy.names[k]) for k in side]
        few = len(names) <= 2
        words.append(" and ".join(names) if few else counted(len(names), "clustering"))
    distance = brief(float(np.max(hierarchy.merges[-1, 2])))
    return f"The last merge, at distance {distance}, joins {words[0]} with {words[1]}."
