"""Two trees over the same leaves: side by side, and over all their cuts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from clustervet._checks import whole
from clustervet.errors import ParameterError
from clustervet.hierarchical import BkCurve, TreePair, b_k
from clustervet.hierarchical.shape import Shape, clades
from clustervet.hierarchical.tree import Floats, Places
from clustervet.hierarchical.untangle import untangle
from clustervet.labels.arrays import kind_of
from clustervet.plots import canvas, figures
from clustervet.plots.canvas import Figure, axis_texts, escape, hover, plot_text
from clustervet.plots.still.pen import width_of
from clustervet.plots.theme import EITHER, QUIET
from clustervet.registry import doors
from clustervet.view.words import brief, counted, digits, ident, spoken

# Width of a tree and of the lines between trees.
TREE, BETWEEN = 1.0, 0.9
# Letters of a leaf's name and their size; pixels around it, and those of a narrow figure.
NAME, LETTER, AROUND, NARROW = 20, 10, 12, 760
# The largest share of the figure that the names of one tree take.
WIDEST = 0.3
# What two trees are called where they have no names.
FIRST, SECOND = "first tree", "second tree"
# Pixels of a leaf, of which there are at most so many; of the names above the trees.
LEAF, MOST = 13, 100
HEAD = 18
# Numbers of clusters up to which each has a mark, and those that are drawn.
MARKED, DRAWN = 80, 2_000


def tanglegram(
    h1: Any,
    h2: Any = None,
    *,
    most: int = MOST,
    names: tuple[str, str] = (FIRST, SECOND),
    theme: str = "light",
) -> Figure:
    """Draw two trees side by side, with a line between the two places of each leaf.

    Parameters
    ----------
    h1, h2 : Hierarchy, or what it reads, or TreePair
        Two trees over the same leaves; or one finished pair.
    most : int, default 100
        The most leaves that are drawn. Of more an even selection is drawn, in the order of the
        first tree.
    names : tuple of str, optional
        What the two trees are called.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        The first tree at the left and the second one at the right, each below its name. Nodes are
        turned so that few lines cross. A node is blue if the other tree has the same group of
        leaves, and orange otherwise.

    Raises
    ------
    LabelError
        If the trees have different leaves.
    ParameterError
        If something is no tree, there is only one, or the names are not two.

    Examples
    --------
    >>> figure = tanglegram("((a,b),(c,d));", "((d,c),(a,b));")
    >>> figure.layout.meta["title"]
    'The trees share all 2 groups of leaves below the root.'
    """
    pair: TreePair = doors["hierarchical"]("tanglegram", h1, h2)
    whole(most, "most", 2)
    if isinstance(names, str) or not isinstance(names, Sequence) or len(names) != 2:
        raise ParameterError("names must be two, of the first tree and of the second one.")
    everything, title = pair.n, _tangle_title(_shared(pair), names, pair.n > most)
    labels = [str(k) for k in range(pair.n)] if pair.names is None else list(pair.names)
    if everything > most:
        spread = np.linspace(0, everything - 1, most).round().astype(np.int64)
        kept = np.sort(pair.truth.order[spread])
        pair, labels = pair.take(kept), [labels[k] for k in kept.tolist()]
    found = untangle(pair)
    texts = axis_texts(labels, NAME)
    room = _room(texts)
    across = TREE + room, TREE + room + BETWEEN
    figure = canvas.new_figure()
    rows = [np.argsort(order).astype(np.float64) for order in (found.truth, found.pred)]
    canvas.add_lines(
        figure,
        [[(across[0], rows[0][k]), (across[1], rows[1][k])] for k in range(pair.n)],
        line={"color": QUIET, "width": 1},
        showlegend=False,
    )
    width = 2 * (TREE + room) + BETWEEN
    shared = _shared(pair)
    for side, shape in enumerate((pair.truth, pair.pred)):
        _add_tree(figure, shape, rows[side], shared[side], (0.0, width)[side], side)
        canvas.add_marks(
            figure,
            [(TREE + 0.02, width - TREE - 0.02)[side]] * pair.n,
            rows[side].tolist(),
            mode="text",
            text=texts,
            textposition=("middle right", "middle left")[side],
            textfont={"size": LETTER},
            ids=[[ident("object", name)] for name in labels],
            showlegend=False,
        )
        figure.add_annotation(
            x=(0.0, width)[side],
            y=1,
            yref="paper",
            text=plot_text(names[side]),
            xanchor=("left", "right")[side],
            yanchor="bottom",
        )
    figure.update_xaxes(visible=False, range=[-0.05, width + 0.05])
    figure.update_yaxes(visible=False, range=[pair.n - 0.4, -0.6])
    note = f"Lines cross {counted(found.crossings, 'time')}"
    note += f" ({found.before:,} before nodes were turned)." if found.before else "."
    if everything > pair.n:
        note = (
            f"Drawn are {pair.n:,} of {everything:,} leaves, evenly selected, and the groups of "
            f"these alone, of which both trees share {int(shared[0][:-1].sum()):,}. {note}"
        )
    height = max(180, LEAF * pair.n) + 70 + HEAD
    return canvas.finish(
        figure, "tanglegram", theme, title, note, height=height, room=HEAD, legend=True
    )


def _room(texts: list[str]) -> float:
    """Return the room of the names of one tree, which are as wide on a narrow figure as shown."""
    wide = max(width_of(text, LETTER) for text in texts) + AROUND
    share = min(wide / NARROW, WIDEST)
    return share * (2 * TREE + BETWEEN) / (1 - 2 * share)


def _shared(pair: TreePair) -> tuple[Any, Any]:
    """Whether each inner node of both trees is a group of the other tree."""
    one, there = clades(pair.truth, pair.pred)
    return np.isin(one, there), np.isin(there, one)


def _tangle_title(shared: tuple[Any, Any], names: tuple[str, str], part: bool) -> str:
    """Return how many groups below the roots both trees have, drawn or not."""
    whole = "; few of the leaves are drawn." if part else "."
    who = "The trees" if names == (FIRST, SECOND) else " and ".join(map(spoken, names))
    both, first, second = int(shared[0][:-1].sum()), len(shared[0]) - 1, len(shared[1]) - 1
    if both == first == second:
        groups = "1 group" if both == 1 else f"all {both:,} groups"
        return f"{who} share {groups} of leaves below the root{whole}"
    return (
        f"{who} share {counted(both, 'group')} of leaves below the root, of {max(first, 0):,} and "
        f"{max(second, 0):,}{whole}"
    )


def _add_tree(
    figure: Figure, shape: Shape, rows: Floats, shared: Any, start: float, side: int
) -> None:
    """Add a tree whose root is at `start`, and whose leaves face the other tree."""
    sign = -1.0 if side else 1.0
    across, down = _laid_out(shape, rows)
    x = start + sign * across
    parents = shape.parents
    for group, (colour, name) in enumerate(
        ((EITHER[1], "group of one tree"), (EITHER[0], "group of both trees"))
    ):
        drawn = np.flatnonzero(shared == bool(group)) + shape.leaves
        inside = np.flatnonzero(np.isin(parents, drawn))
        ends = parents[inside]
        canvas.add_lines(
            figure,
            [
                [(x[k], down[k]), (x[up], down[k]), (x[up], down[up])]
                for k, up in zip(inside.tolist(), ends.tolist(), strict=True)
            ],
            line={"color": colour, "width": 1.6},
            name=name,
            showlegend=not side,
        )
        canvas.add_marks(
            figure,
            x[drawn].tolist(),
            down[drawn].tolist(),
            marker={"size": 5, "color": colour},
            boxes=[
                hover(
                    counted(int(shape.sizes[node]), "object"),
                    f"height {digits(float(shape.heights[node - shape.leaves]))}",
                    name,
                )
                for node in drawn.tolist()
            ],
            showlegend=False,
        )


def _laid_out(shape: Shape, rows: Floats) -> tuple[Floats, Floats]:
    """Return how far each node is from the root, as a share of the tree's width, and its row."""
    finite = np.where(np.isfinite(shape.heights), shape.heights, np.nan)
    top = np.nanmax(finite, initial=0.0)
    base = min(0.0, np.nanmin(finite, initial=0.0))
    span = top - base or 1.0
    across = np.full(shape.nodes, TREE)
    across[shape.leaves :] = TREE * (1 - (np.nan_to_num(finite, nan=top) - base) / span)
    down = np.concatenate([rows, np.zeros(shape.inner)])
    low, high = down.copy(), down.copy()
    low[shape.leaves :], high[shape.leaves :] = np.inf, -np.inf
    for node, parent in enumerate(shape.parents.tolist()):
        if node >= shape.leaves:
            down[node] = (low[node] + high[node]) / 2
        if parent < shape.nodes:
            low[parent] = min(low[parent], down[node])
            high[parent] = max(high[parent], down[node])
    return across, down


def b_k_plot(curve: Any, h2: Any = None, *, theme: str = "light") -> Figure:
    """Draw B_k over the number of clusters, with what random orders of the leaves give.

    Parameters
    ----------
    curve : BkCurve, TreePair, or Hierarchy or what it reads
        What `clustervet.b_k` found. Of more than 2,000 numbers of clusters a selection is drawn.
        Or a pair of trees, or the first of two trees.
    h2 : Hierarchy or what it reads, optional
        The second tree.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        The curve, the expected value of random orders of the leaves as a dashed line, and a band
        that 5% of them exceed at each number of clusters, and 5% fall below.

    Raises
    ------
    ParameterError
        If there is neither a curve nor two trees.

    Examples
    --------
    >>> import clustervet as cv
    >>> curve = cv.b_k("(((a,b),c),(d,e));", "(((a,c),b),(d,e));")
    >>> b_k_plot(curve).layout.meta["figure"]
    'b-k'
    """
    curve = _curve(curve, h2)
    places = _drawn(curve)
    ks = curve.ks[places]
    figure = canvas.new_figure()
    band = np.isfinite(curve.upper[places])
    x = ks[band]
    canvas.add_marks(
        figure,
        np.concatenate([x, x[::-1]]).tolist(),
        np.concatenate([curve.upper[places][band], curve.lower[places][band][::-1]]).tolist(),
        mode="lines",
        fill="toself",
        fillcolor=QUIET,
        opacity=0.3,
        line={"width": 0},
        showlegend=False,
    )
    canvas.add_marks(
        figure,
        ks.tolist(),
        curve.expected[places].tolist(),
        mode="lines",
        line={"color": QUIET, "width": 1.5, "dash": "dash"},
        name="expected in random order",
        showlegend=True,
    )
    canvas.add_marks(
        figure,
        ks.tolist(),
        curve.values[places].tolist(),
        mode="lines+markers" if len(ks) <= MARKED else "lines",
        line={"color": EITHER[0], "width": 2},
        marker={"size": 6, "color": EITHER[0]},
        name=escape("B_k"),
        showlegend=True,
        ids=[[ident("value", int(k))] for k in ks.tolist()],
        boxes=[
            hover(
                counted(int(k), "cluster"),
                f"B_k {digits(float(curve.values[place]))}",
                f"expected {digits(float(curve.expected[place]))}",
                f"z {brief(float(curve.z[place]))}" if np.isfinite(curve.z[place]) else "",
            )
            for k, place in zip(ks.tolist(), places.tolist(), strict=True)
        ],
    )
    log = len(ks) > 20 and int(ks[-1]) > 60
    figure.update_xaxes(title="number of clusters", type="log" if log else "linear")
    figure.update_yaxes(title="B_k", range=[-0.03, 1.05])
    if len(ks) <= 12:
        figure.update_xaxes(tickvals=ks.tolist())
    note = (
        f"{curve.objects:,} leaves. The band holds 90% of the values of leaves in a random order, "
    )
    note += "by the normal distribution."
    if len(places) < len(curve):
        note += f" {len(places):,} of {len(curve):,} numbers of clusters are drawn."
    return canvas.finish(
        figure, "b-k", theme, curve.headline, note, height=430, legend=True, table="values"
    )


def _curve(given: Any, h2: Any) -> BkCurve:
    """Return the curve that is given, or that of two trees."""
    if isinstance(given, BkCurve):
        if h2 is not None:
            raise ParameterError("b_k_plot takes either one BkCurve or two trees, not both.")
        return given
    if h2 is None and not isinstance(given, TreePair):
        raise ParameterError(f"b_k_plot needs a BkCurve, or two trees; it got {kind_of(given)}.")
    return b_k(given, h2)


def _drawn(curve: BkCurve) -> Places:
    """Return the places of the numbers of clusters that are drawn."""
    if len(curve) <= DRAWN:
        return np.arange(len(curve))
    return np.unique(np.geomspace(1, len(curve), DRAWN).round().astype(np.int64) - 1)


def tree_figures(pairs: Mapping[str, TreePair], *, theme: str = "light") -> list[Figure]:
    """Return each prediction beside the truth."""
    return [
        tanglegram(pair, names=("Truth", name or "Prediction"), theme=theme)
        for name, pair in pairs.items()
    ]


canvas.draws(BkCurve, b_k_plot)


@figures.register
def _(pair: TreePair, *, theme: str = "light") -> list[Figure]:
    return tree_figures({"": pair}, theme=theme)
