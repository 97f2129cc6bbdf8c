"""Soft clusterings: the degrees of all objects in all clusters."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.plots import canvas, figures
from clustervet.plots.canvas import Figure, axis_texts, hover, plot_text
from clustervet.plots.theme import QUIET
from clustervet.soft import Memberships, SoftPair
from clustervet.view.words import SHORT, brief, counted, spoken

Places = NDArray[np.int64]
# Columns of a heat map, and clusters up to which all are drawn.
DRAWN = 400
DRAWN_CLUSTERS = 60
# Characters that fit below the columns, and the share of them from which on a name has room.
WIDE = 80
LEGIBLE = 0.04
# Groups up to which lines part them.
PARTED = 40


def membership_heatmap(
    memberships: Any, truth: Any = None, *, name: str = "", theme: str = "light"
) -> Figure:
    """Draw the degrees of all objects in all clusters.

    Parameters
    ----------
    memberships : Memberships or array_like
        The soft clustering, or whatever else `clustervet.Memberships` takes.
    truth : array_like or Memberships, optional
        The class of each object, by which objects are grouped; soft classes go by their largest
        degree. By default objects are grouped by their main cluster.
    name : str, optional
        What the clustering is called in the title.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        One row per cluster and one column per object. Within a group, objects are sorted by their
        main cluster and then by their degree in it. Of many objects, neighbours are averaged.

    Raises
    ------
    LabelError
        If the memberships or the classes cannot be read, or are of different objects.

    Examples
    --------
    >>> import clustervet as cv
    >>> found = membership_heatmap([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]], ["a", "a", "b"])
    >>> found.layout.meta["title"]
    'On average, the main cluster of an object has the degree 0.767.'
    """
    held = memberships if isinstance(memberships, Memberships) else Memberships(memberships)
    classes = held if truth is None else _classes(truth, held)
    groups, (high, _, main) = classes.tops[2], held.tops
    order = np.lexsort((-high, main, groups))
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    edges = np.append(starts, held.n)
    blocks = _blocks(edges)
    kept = np.sort(np.argsort(-held.sums, kind="stable")[:DRAWN_CLUSTERS])
    image = _means(held, order, blocks, kept)
    figure = canvas.new_figure()
    _add_image(figure, image, [held.names[k] for k in kept], np.diff(blocks))
    titles = [classes.names[k] for k in groups[order[starts]].tolist()]
    _name_groups(figure, titles, np.searchsorted(blocks, edges), truth is None)
    note = _note(held, blocks, len(kept), truth is None)
    height = min(max(24 * len(kept), 150), 560) + 100
    title = f"{canvas.named(name)}{_title(held)}"
    return canvas.finish(figure, "memberships", theme, title, note, height=height)


def _classes(truth: Any, held: Memberships) -> Memberships:
    return SoftPair(truth if isinstance(truth, Memberships) else Memberships(truth), held).truth


def _blocks(edges: Places) -> Places:
    """Where the columns begin, and where the last one ends; each is within one group."""
    n = int(edges[-1])
    if n <= DRAWN:
        return np.arange(n + 1)
    found = [0]
    for start, stop in pairwise(edges.tolist()):
        columns = max(1, round(DRAWN * (stop - start) / n))
        found += [start + (stop - start) * k // columns for k in range(1, columns + 1)]
    return np.unique(found)


def _means(held: Memberships, order: Places, blocks: Places, kept: Places) -> NDArray[np.float64]:
    """The mean degrees of the objects of each column, one row per cluster."""
    found = np.empty((len(kept), len(blocks) - 1))
    for column, (start, stop) in enumerate(pairwise(blocks.tolist())):
        rows = held.shares[order[start:stop]]
        found[:, column] = np.asarray(rows.mean(axis=0), np.float64).ravel()[kept]
    return found


def _add_image(figure: Figure, image: Any, names: list[Any], sizes: Places) -> None:
    boxes: dict[str, Any] = {"hovertemplate": "cluster %{y}<br>degree %{z:.3f}<extra></extra>"}
    if image.size <= canvas.HOVERED:
        boxes = {"hovertemplate": canvas.BOX, "hovertext": _texts(image, names, sizes)}
    figure.add_heatmap(z=image.round(3), y=axis_texts(names, SHORT), coloraxis="coloraxis", **boxes)
    figure.update_coloraxes(cmin=0, cmax=1, colorbar={"title": {"text": "degree"}})
    figure.update_xaxes(showgrid=False, range=[-0.5, len(sizes) - 0.5])
    figure.update_yaxes(title="cluster", type="category", showgrid=False, autorange="reversed")
    if len(names) > canvas.NAMED:
        figure.update_yaxes(showticklabels=False, ticks="", title=f"{len(names):,} clusters")


def _texts(image: Any, names: list[Any], sizes: Places) -> list[list[str]]:
    return [
        [
            hover(
                f"cluster {spoken(name)}",
                f"degree {value:.3f}" if size == 1 else f"mean degree {value:.3f}",
                "" if size == 1 else counted(size, "object"),
            )
            for value, size in zip(row, sizes.tolist(), strict=True)
        ]
        for name, row in zip(names, image.tolist(), strict=True)
    ]


def _name_groups(figure: Figure, names: list[Any], edges: Places, own: bool) -> None:
    """Write the names of groups below their columns, and draw lines between them."""
    total = int(edges[-1])
    spans = list(zip(names, *(side.tolist() for side in (edges[:-1], edges[1:])), strict=True))
    room = [span for span in spans if span[2] - span[1] >= LEGIBLE * total]
    figure.update_xaxes(
        title="objects, by main cluster" if own else "objects, by class",
        tickvals=[(start + stop - 1) / 2 for _, start, stop in room],
        ticktext=[
            plot_text(name, min(SHORT, int(WIDE * (stop - start) / total)))
            for name, start, stop in room
        ],
        ticks="",
    )
    for edge in edges[1:-1].tolist() if len(names) <= PARTED else []:
        figure.add_vline(x=edge - 0.5, line={"width": 1.5, "color": QUIET})


def _title(held: Memberships) -> str:
    high = held.tops[0]
    if held.is_hard:
        return "Every object has all of its degree in one cluster."
    unclear = int((high <= 0.5).sum())
    whole = f"On average, the main cluster of an object has the degree {brief(float(high.mean()))}"
    if not unclear:
        return f"{whole}."
    have = "has" if unclear == 1 else "have"
    return f"{whole}; {counted(unclear, 'object')} {have} no degree above {brief(0.5)}."


def _note(held: Memberships, blocks: Places, drawn: int, own: bool) -> str:
    first = "" if own else "class, "
    note = f"Objects are in the order of their {first}main cluster and their degree in it."
    if len(blocks) <= held.n:
        each = max(np.diff(blocks).tolist())
        note += f" A column is the mean of up to {counted(each, 'object')}."
    if drawn < held.k:
        note += f" The {held.k - drawn:,} clusters with the smallest sums of degrees are not drawn."
    return note


canvas.draws(Memberships, membership_heatmap)


def soft_figures(
    found: Mapping[str, SoftPair | Memberships], *, theme: str = "light"
) -> list[Figure]:
    """Return the degrees of each prediction, by class where there are classes."""
    sides = {
        name: (one.pred, one.truth) if isinstance(one, SoftPair) else (one, None)
        for name, one in found.items()
    }
    return [membership_heatmap(*side, name=name, theme=theme) for name, side in sides.items()]


@figures.register
def _(pair: SoftPair, *, theme: str = "light") -> list[Figure]:
    return soft_figures({"": pair}, theme=theme)
