"""The alluvial diagram: where objects go from truth to clustering to clustering."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import whole
from clustervet.contingency import Contingency
from clustervet.errors import ParameterError
from clustervet.plots import canvas, figures
from clustervet.plots.canvas import Figure, axis_texts, hover, plot_text
from clustervet.plots.heatmaps import Side, contingency_heatmap
from clustervet.plots.theme import EITHER, QUIET
from clustervet.view.words import SHORT, counted, digits, share, spoken


def alluvial(
    flows: Contingency | Sequence[Contingency] | Mapping[Any, Any],
    *,
    names: Sequence[str] | None = None,
    most: int = 12,
    theme: str = "light",
) -> Figure:
    """Draw the flows of objects from truth to clustering, and on to other clusterings.

    Parameters
    ----------
    flows : Contingency, sequence of Contingency, or mapping
        One table; or several tables, where the clusters of each are the classes of the next; or
        {name: labels}, with the truth first.
    names : sequence of str or None, optional
        The titles of the columns.
    most : int, default 12
        How many of the largest classes or clusters each column shows. The others are combined.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        The diagram.

    Raises
    ------
    ParameterError
        If there are fewer than two labelings, the tables do not follow each other, or the number
        of names is not the number of columns.

    Examples
    --------
    >>> figure = alluvial({"truth": ["a", "a", "b"], "first": [0, 0, 1], "second": [0, 0, 0]})
    >>> figure.layout.meta["title"]
    'Each class goes into one cluster; none is split.'
    """
    whole(most, "most", 2)
    tables, titles = _read(flows, names)
    columns = _columns(tables, titles, most)
    # Flows between combined clusters would leave little room for the others.
    hidden = all(column.rest and 2 * column.sizes[-1] > tables[0].n for column in columns)
    figure = canvas.new_figure()
    _add_flows(figure, tables, columns, hidden)
    last = len(titles) - 1
    for k, title in enumerate(titles):
        figure.add_annotation(
            text=plot_text(title, SHORT),
            x=k / last,
            y=1,
            xref="paper",
            yref="paper",
            yanchor="bottom",
            yshift=4,
            xanchor="left" if k == 0 else "right" if k == last else "center",
        )
    title, note = _title(tables[0]), _note(columns, hidden)
    height = 80 + 34 * max(len(column.sizes) for column in columns)
    canvas.finish(figure, "alluvial", theme, title, note, height=height, room=22)
    return figure.update_layout(margin_b=20)


def _read(flows: Any, names: Sequence[str] | None) -> tuple[list[Contingency], list[str]]:
    """Return the tables between neighbouring columns, and the titles of the columns."""
    if isinstance(flows, Mapping):
        if len(flows) < 2:
            raise ParameterError("flows need two labelings or more.")
        tables = [Contingency.from_labels(a, b) for a, b in pairwise(flows.values())]
        titles = [str(name) for name in flows]
    else:
        tables = [flows] if isinstance(flows, Contingency) else list(flows)
        if not tables or not all(isinstance(table, Contingency) for table in tables):
            raise ParameterError("flows must be a Contingency, several, or {name: labels}.")
        titles = ["truth", "clusters", *(f"clusters {k}" for k in range(2, len(tables) + 1))]
    for before, after in pairwise(tables):
        if set(before.cluster_names) != set(after.class_names):
            raise ParameterError("the clusters of each table must be the classes of the next.")
    if names is not None:
        if len(names) != len(titles):
            raise ParameterError(
                f"names must be {len(titles)}, one for each column, not {len(names)}."
            )
        titles = [str(name) for name in names]
    return tables, titles


def _columns(tables: list[Contingency], titles: list[str], most: int) -> list[Side]:
    """Return the columns of the diagram, the largest class or cluster of each first."""
    sides = [(tables[0].class_names, tables[0].class_sizes)]
    sides += [(table.cluster_names, table.cluster_sizes) for table in tables]
    columns = []
    for place, (names, sizes) in enumerate(sides):
        order = np.argsort(-sizes.astype(np.float64), kind="stable")
        # A single one beyond the most is shown, as it would take the same room.
        shown = len(order) if len(order) <= most + 1 else most
        kind = ("class", "cluster")[place] if place < 2 else f"cluster of {titles[place]}"
        columns.append(Side.of(kind, names, sizes, order, shown, titles[place]))
    return columns


def _block(table: Contingency, before: Side, after: Side) -> NDArray[Any]:
    """Return the flows between two columns; those of combined clusters are in the last places."""
    block = np.zeros((len(before.sizes), len(after.sizes)), table.cells.values.dtype)
    rows, cols = _places(table.class_names, before), _places(table.cluster_names, after)
    np.add.at(block, (rows[table.cells.rows], cols[table.cells.cols]), table.cells.values)
    return block


def _places(names: list[Any], column: Side) -> NDArray[np.int64]:
    place = {name: k for k, name in enumerate(column.names)}
    return np.array([place.get(name, len(column.names)) for name in names], np.int64)


def _add_flows(
    figure: Figure, tables: list[Contingency], columns: list[Side], hidden: bool
) -> None:
    starts = np.cumsum([0, *(len(column.sizes) for column in columns)])
    colours = [EITHER[k % len(EITHER)] for k in range(len(columns[0].names))]
    colours += [QUIET] * bool(columns[0].rest)
    links: dict[str, list[Any]] = {
        key: [] for key in ("source", "target", "value", "color", "customdata")
    }
    for k, (table, (before, after)) in enumerate(zip(tables, pairwise(columns), strict=True)):
        block = _block(table, before, after)
        here = colours[-len(before.sizes) :]
        largest = block.argmax(axis=0)
        colours += [here[place] for place in largest]
        if after.rest:
            colours[-1] = QUIET
        outs, ins = block.sum(axis=1), block.sum(axis=0)
        if hidden:
            block[-1, -1] = 0
        for r, c in zip(*np.nonzero(block), strict=True):
            links["source"].append(int(starts[k] + r))
            links["target"].append(int(starts[k + 1] + c))
            links["value"].append(float(block[r, c]))
            main = c == block[r].argmax() or r == largest[c]
            links["color"].append(_faint(here[r], 0.45 if main else 0.2))
            box = hover(
                f"{before.words[r]} → {after.words[c]}",
                counted(block[r, c], "object"),
                f"{share(float(block[r, c] / outs[r]))} of the first, "
                f"{share(float(block[r, c] / ins[c]))} of the second",
            )
            links["customdata"].append([after.ids[c], before.ids[r], box])
    figure.add_sankey(
        # Nodes that can be dragged swallow clicks.
        arrangement="fixed",
        node={
            "label": [text for column in columns for text in axis_texts(column.labels)],
            "color": colours,
            "pad": 12,
            "thickness": 14,
            "line": {"width": 0},
            "customdata": [
                [key, hover(f"{column.title}: {word}", counted(size, "object"))]
                for column in columns
                for key, word, size in zip(column.ids, column.words, column.sizes, strict=True)
            ],
            "hovertemplate": "%{customdata[1]}<extra></extra>",
        },
        link={**links, "hovertemplate": "%{customdata[2]}<extra></extra>"},
    )


def _faint(colour: str, strength: float) -> str:
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red},{green},{blue},{strength})"


def _title(table: Contingency) -> str:
    """Return which class has the most objects outside its largest part."""
    cells, sizes = table.cells, table.class_sizes
    peaks = np.maximum.reduceat(cells.values, cells.indptr[:-1])
    strays = (sizes - peaks).astype(np.float64)
    if not strays.any():
        return "Each class goes into one cluster; none is split."
    worst = int(np.argmax(strays))
    span = slice(int(cells.indptr[worst]), int(cells.indptr[worst + 1]))
    top = span.start + int(np.argmax(cells.values[span].astype(np.float64)))
    target = spoken(table.cluster_names[int(cells.cols[top])])
    part = share(float(peaks[worst] / sizes[worst]))
    return (
        f"Class {spoken(table.class_names[worst])} is spread over {span.stop - span.start:,} "
        f"clusters: {part} of its {digits(sizes[worst])} objects are in cluster {target}."
    )


def _note(columns: list[Side], hidden: bool) -> str:
    said = ["Height is the number of objects; a cluster has the colour of its largest inflow."]
    combined = [f"{column.rest:,} of {spoken(column.title)}" for column in columns if column.rest]
    if combined:
        said.append(f"The smallest are combined as other: {', '.join(combined)}.")
    if hidden:
        said.append("Flows from other to other hold most of the objects and are not drawn.")
    return " ".join(said)


@figures.register
def _(table: Contingency, *, theme: str = "light") -> list[Figure]:
    return [contingency_heatmap(table, theme=theme), alluvial(table, theme=theme)]
