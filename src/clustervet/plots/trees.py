"""A tree: code length and scores over its levels, with the best level and the best cut."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from clustervet.plots import canvas
from clustervet.plots.canvas import Figure, escape, hover, plot_text
from clustervet.plots.theme import EITHER, QUIET
from clustervet.trees import TreeScores
from clustervet.view.words import ARROWS, brief, counted, digits, ident, spoken

# Pixels of the code length, of a measure, and between two curves.
CODE, CURVE, BETWEEN = 240, 110, 34
# Levels that are drawn, and up to which each has a mark; measures that are drawn.
DRAWN, MARKED, MOST = 2_000, 60, 6


def tree_plot(scores: TreeScores, *, theme: str = "light") -> Figure:
    """Draw the code length of every level of a tree, and the scores of levels by measures.

    Parameters
    ----------
    scores : TreeScores
        What `clustervet.score_tree` found. Up to six measures are drawn; of more than 2,000 levels
        a selection is drawn, the best one included.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        One curve for the code length and one per measure over the number of clusters. A star is the
        best level, a diamond the best cut.

    Examples
    --------
    >>> import clustervet as cv
    >>> found = cv.score_tree(list("aaabb"), [[0, 0, 0, 1, 1], [0, 0, 1, 2, 2]], ["ari"])
    >>> figure = tree_plot(found)
    >>> figure.layout.meta["figure"], figure.layout.meta["title"][:28]
    ('tree', 'The best cut has 2 clusters:')
    """
    figure = canvas.new_figure()
    shown = scores.measures[:MOST]
    total = CODE + len(shown) * (CURVE + BETWEEN)
    places = _drawn(scores)
    top = 0
    for k in range(1 + len(shown)):
        high = CURVE if k else CODE
        domain = [max(0.0, 1 - (top + high) / total), 1 - top / total]
        figure.update_layout(
            {canvas.axis("yaxis", k): {"domain": domain, "anchor": "x", "nticks": 5}}
        )
        record = shown[k - 1] if k else None
        head = f"{record.title} {ARROWS[record.better]}" if record else "Code length in bits ↓"
        figure.add_annotation(
            text=escape(head.strip()),
            x=0,
            y=1 - top / total,
            xref="paper",
            yref="paper",
            xanchor="left",
            yanchor="bottom",
        )
        top += high + BETWEEN
    _add_codes(figure, scores, places)
    for k, record in enumerate(shown, 1):
        values = scores.scores[record.key]
        axis = canvas.axis("y", k)
        known = [place for place in places if math.isfinite(values[place])]
        boxes = [hover(_level(scores, at), f"{record.title}: {digits(values[at])}") for at in known]
        _add_curve(figure, scores, known, values[known], record.key, boxes, 2, axis)
        if record.better != "neither" and known:
            best, _ = scores.best(record)
            at = int(np.flatnonzero(values == best)[0])
            box = hover(f"best: {_level(scores, at)}", f"{record.title}: {digits(best)}")
            _add_mark(figure, scores.clusters[at], best, "star", box, axis)
        value = scores.cut.scores[record.key]
        if math.isfinite(value):
            box = hover("best cut", f"{record.title}: {digits(value)}")
            _add_mark(figure, scores.cut.clusters, value, "diamond-open", box, axis)
    log = scores.clusters[-1] > 20
    figure.update_xaxes(
        title="number of clusters",
        type="log" if log else "linear",
        anchor=canvas.axis("y", len(shown)),
    )
    if scores.names is not None:  # room for the name of the first level
        most = max(scores.alone_bits, float(scores.bits.max()))
        figure.update_layout(yaxis_range=[0, 1.2 * most])
    if not log:
        figure.update_xaxes(tickvals=sorted(set(scores.clusters.tolist())))
    title, *rest = scores.facts()
    note = " ".join([*rest, "Stars are the best levels, diamonds the best cut by code length."])
    if len(places) < len(scores.clusters):
        note += f" {len(places):,} of {len(scores.clusters):,} levels are drawn."
    if len(shown) < len(scores.measures):
        note += f" {len(shown)} of {len(scores.measures)} measures are drawn."
    return canvas.finish(
        figure, "tree", theme, title, note, height=total + 96, room=18, legend=True, table="levels"
    )


def _drawn(scores: TreeScores) -> list[int]:
    """Return the places of the levels that are drawn."""
    count = len(scores.clusters)
    if count <= DRAWN:
        return list(range(count))
    spread = np.geomspace(1, count, DRAWN).round().astype(np.int64) - 1
    return sorted({*spread.tolist(), scores.best_place})


def _level(scores: TreeScores, place: int) -> str:
    groups = counted(int(scores.clusters[place]), "cluster")
    return groups if scores.names is None else f"{spoken(scores.names[place])}: {groups}"


def _add_codes(figure: Figure, scores: TreeScores, places: list[int]) -> None:
    """Add the code lengths with and without the bits for the cut, and what is best."""
    bits = scores.bits
    boxes = [
        hover(
            _level(scores, at),
            f"{brief(bits[at])} bits",
            f"{int(scores.cut_bits[at]):,} for the cut, {brief(scores.class_bits[at])} for the "
            "classes",
        )
        for at in places
    ]
    _add_curve(figure, scores, places, bits[places], "cut and classes", boxes, 0, "y")
    _add_curve(figure, scores, places, scores.class_bits[places], "classes alone", boxes, 1, "y")
    canvas.add_lines(
        figure,
        [[(1, scores.alone_bits), (float(scores.clusters[-1]), scores.alone_bits)]],
        line={"color": QUIET, "width": 1.5, "dash": "dash"},
        name="without the tree",
    )
    best, cut = scores.best_place, scores.cut
    box = hover(f"best level: {_level(scores, best)}", f"{brief(bits[best])} bits")
    _add_mark(figure, scores.clusters[best], bits[best], "star", box, "y", "best level")
    box = hover(f"best cut: {counted(cut.clusters, 'cluster')}", f"{brief(cut.bits)} bits")
    _add_mark(figure, cut.clusters, cut.bits, "diamond-open", box, "y", "best cut")


def _add_curve(
    figure: Figure,
    scores: TreeScores,
    places: Sequence[int],
    values: Any,
    name: str,
    boxes: Sequence[str],
    colour: int,
    axis: str,
) -> None:
    """Add one value over the numbers of clusters; levels of a taxonomy are named beside it."""
    mode = "lines+markers" if len(places) <= MARKED else "lines"
    extra: dict[str, Any] = {}
    if scores.names is not None and not colour:
        mode += "+text"
        extra["text"] = [plot_text(scores.names[at], 16) for at in places]
        sides = ["top right"] * (len(places) - 1) + ["top left"]
        extra |= {"textposition": sides, "cliponaxis": False}
    ids = [[ident("value", scores.level_name(at))] for at in places]
    canvas.add_marks(
        figure,
        scores.clusters[list(places)].tolist(),
        np.asarray(values).tolist(),
        mode=mode,
        name=escape(name),
        showlegend=axis == "y",
        line={"color": EITHER[colour], "width": 2 if colour != 1 else 1.2},
        marker={"size": 6, "color": EITHER[colour]},
        ids=ids,
        boxes=list(boxes),
        yaxis=axis,
        **extra,
    )


def _add_mark(
    figure: Figure, x: Any, y: Any, symbol: str, box: str, axis: str, name: str = ""
) -> None:
    """Add what is best."""
    colour, width = (EITHER[1], 0) if symbol == "star" else (EITHER[3], 2)
    canvas.add_marks(
        figure,
        [int(x)],
        [float(y)],
        marker={"symbol": symbol, "size": 15, "color": colour, "line": {"width": width}},
        name=name,
        showlegend=bool(name),
        boxes=[box],
        yaxis=axis,
    )


canvas.draws(TreeScores, tree_plot)
