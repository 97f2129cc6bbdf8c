"""The alluvial diagram: where objects go from truth to clustering to clustering."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency import Contingency
from clustervet.errors import ParameterError
from clustervet.plots.frame import Figure, finish, graph_objects
from clustervet.plots.text import (
    SHORT,
    counted,
    distinct_texts,
    escape,
    hover,
    ident,
    number,
    share,
    shown,
)
from clustervet.plots.theme import EITHER, QUIET


@dataclass(frozen=True)
class Stage:
    """One column of the diagram: the names that are shown, the largest first, and the rest."""

    title: str
    kind: str
    names: list[Any]
    sizes: list[Any]
    rest: int
    rest_size: Any

    @property
    def length(self) -> int:
        """Nodes in the column."""
        return len(self.names) + bool(self.rest)

    def texts(self) -> list[str]:
        """Labels of the nodes, escaped."""
        texts = distinct_texts(self.names, SHORT)
        return [escape(text) for text in [*texts, *[f"other ({self.rest:,})"] * bool(self.rest)]]

    def ids(self) -> list[str]:
        """Ids of the nodes."""
        return [ident(self.kind, name) for name in self.names] + [""] * bool(self.rest)

    def words(self) -> list[str]:
        """What the nodes are called in a hover box."""
        noun = "class" if self.kind == "class" else "cluster"
        named = [f"{noun} {shown(name)}" for name in self.names]
        plural = "classes" if noun == "class" else "clusters"
        return named + [f"{self.rest:,} other {plural}"] * bool(self.rest)


def alluvial(
    flows: Contingency | Sequence[Contingency] | Mapping[Any, Any],
    *,
    names: Sequence[str] | None = None,
    most: int = 12,
    theme: str = "light",
) -> Figure:
    """Flows of objects from truth to clustering, and on to other clusterings.

    `flows` is one table, a sequence of tables in which the clusters of each are the classes of
    the next, or {name: labels} with the truth first. Of each column the `most` largest are
    shown and the others gathered. `names` are the titles of the columns.

    >>> figure = alluvial({"truth": ["a", "a", "b"], "first": [0, 0, 1], "second": [0, 0, 0]})
    >>> figure.layout.meta["title"]
    'Each class flows into one cluster; none is split.'
    """
    if most < 2:
        raise ParameterError(f"most must be at least 2, not {most!r}.")
    tables, titles = _read(flows, names)
    stages = _stages(tables, titles, most)
    go = graph_objects()
    hidden = _is_mostly_rest(tables[0], stages)
    figure = go.Figure(_sankey(go, tables, stages, hidden))
    for k, title in enumerate(titles):
        last = len(titles) - 1
        figure.add_annotation(
            text=escape(shown(title, SHORT)),
            x=k / last,
            y=1,
            xref="paper",
            yref="paper",
            yanchor="bottom",
            yshift=4,
            xanchor="left" if k == 0 else "right" if k == last else "center",
        )
    finish(
        figure,
        kind="alluvial",
        title=_title(tables[0]),
        note=_note(stages, hidden),
        theme=theme,
        height=80 + 34 * max(stage.length for stage in stages),
    )
    return figure.update_layout(margin={"t": figure.layout.margin.t + 22, "b": 20})


def _read(flows: Any, names: Sequence[str] | None) -> tuple[list[Contingency], list[str]]:
    """Tables between neighbouring columns, and the titles of the columns."""
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
            raise ParameterError(f"names must be {len(titles)}, one a column, not {len(names)}.")
        titles = [str(name) for name in names]
    return tables, titles


def _stages(tables: list[Contingency], titles: list[str], most: int) -> list[Stage]:
    sides = [(tables[0].class_names, tables[0].class_sizes)]
    sides += [(table.cluster_names, table.cluster_sizes) for table in tables]
    stages = []
    for place, (names, sizes) in enumerate(sides):
        order = np.argsort(-sizes.astype(np.float64), kind="stable")
        # One left over is shown rather than gathered.
        kept = order if len(order) <= most + 1 else order[:most]
        rest = order[len(kept) :]
        kind = ("class", "cluster")[place] if place < 2 else f"cluster of {titles[place]}"
        stages.append(
            Stage(
                titles[place],
                kind,
                [names[k] for k in kept],
                [sizes[k] for k in kept],
                len(rest),
                sizes[rest].sum() if len(rest) else 0,
            )
        )
    return stages


def _block(table: Contingency, before: Stage, after: Stage) -> NDArray[Any]:
    """Flows between two columns, what is gathered in the last places."""
    block = np.zeros((before.length, after.length), table.cells.values.dtype)
    rows = _places(table.class_names, before)
    cols = _places(table.cluster_names, after)
    np.add.at(block, (rows[table.cells.rows], cols[table.cells.cols]), table.cells.values)
    return block


def _is_mostly_rest(table: Contingency, stages: list[Stage]) -> bool:
    """Whether flows among what is gathered would leave little room for the others."""
    return all(stage.rest and 2 * stage.rest_size > table.n for stage in stages)


def _places(names: list[Any], stage: Stage) -> NDArray[np.int64]:
    place = {name: k for k, name in enumerate(stage.names)}
    return np.array([place.get(name, len(stage.names)) for name in names], np.int64)


def _sankey(go: Any, tables: list[Contingency], stages: list[Stage], hidden: bool) -> Any:
    starts = np.cumsum([0, *(stage.length for stage in stages)])
    colours = [EITHER[k % len(EITHER)] for k in range(len(stages[0].names))]
    colours += [QUIET] * bool(stages[0].rest)
    links: dict[str, list[Any]] = {
        key: [] for key in ("source", "target", "value", "color", "customdata")
    }
    for k, table in enumerate(tables):
        before, after = stages[k], stages[k + 1]
        block = _block(table, before, after)
        here = colours[-before.length :]
        largest = block.argmax(axis=0)
        reached = [here[place] for place in largest]
        if after.rest:
            reached[-1] = QUIET
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
                f"{before.words()[r]} → {after.words()[c]}",
                counted(block[r, c], "object"),
                f"{share(float(block[r, c] / outs[r]))} of the first, "
                f"{share(float(block[r, c] / ins[c]))} of the second",
            )
            links["customdata"].append([after.ids()[c], before.ids()[r], box])
        colours += reached
    return go.Sankey(
        # Nodes that can be dragged swallow clicks.
        arrangement="fixed",
        node={
            "label": [text for stage in stages for text in stage.texts()],
            "color": colours,
            "pad": 12,
            "thickness": 14,
            "line": {"width": 0},
            "customdata": _nodes(stages),
            "hovertemplate": "%{customdata[1]}<extra></extra>",
        },
        link={**links, "hovertemplate": "%{customdata[2]}<extra></extra>"},
    )


def _nodes(stages: list[Stage]) -> list[list[str]]:
    """Id and hover box of each node."""
    found = []
    for stage in stages:
        sizes = [*stage.sizes, *[stage.rest_size] * bool(stage.rest)]
        for key, word, size in zip(stage.ids(), stage.words(), sizes, strict=True):
            found.append([key, hover(f"{stage.title}: {word}", counted(size, "object"))])
    return found


def _faint(colour: str, strength: float) -> str:
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red},{green},{blue},{strength})"


def _title(table: Contingency) -> str:
    """Which class is spread most, by the number of its objects outside its largest part."""
    cells, sizes = table.cells, table.class_sizes
    peaks = np.maximum.reduceat(cells.values, cells.indptr[:-1])
    strays = (sizes - peaks).astype(np.float64)
    if not strays.any():
        return "Each class flows into one cluster; none is split."
    worst = int(np.argmax(strays))
    span = slice(int(cells.indptr[worst]), int(cells.indptr[worst + 1]))
    top = span.start + int(np.argmax(cells.values[span].astype(np.float64)))
    target = shown(table.cluster_names[int(cells.cols[top])])
    parts = span.stop - span.start
    part = share(float(peaks[worst] / sizes[worst]))
    return (
        f"Class {shown(table.class_names[worst])} is spread over {parts:,} clusters: {part} of its "
        f"{number(sizes[worst])} objects are in cluster {target}."
    )


def _note(stages: list[Stage], hidden: bool) -> str:
    said = ["Height is the number of objects; a cluster has the colour of its largest inflow."]
    gathered = [f"{stage.rest:,} of {shown(stage.title)}" for stage in stages if stage.rest]
    if gathered:
        said.append(f"The smallest are gathered as other: {', '.join(gathered)}.")
    if hidden:
        said.append("Flows from other to other are most of the objects and not drawn.")
    return " ".join(said)
