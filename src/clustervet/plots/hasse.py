"""The Hasse diagram of the lattice of partitions of a few objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clustervet._checks import whole
from clustervet.errors import ParameterError
from clustervet.partition import Partition
from clustervet.plots import canvas
from clustervet.plots.canvas import Figure, hover, plot_text
from clustervet.plots.theme import EITHER, QUIET, SYMBOLS
from clustervet.view.words import counted, ident, listed, spoken

MOST_OBJECTS = 5
# Partitions up to which their names stand beside them.
NAMED = 20
# Rounds in which each level is ordered by the places of its neighbours.
ROUNDS = 12


def lattice_plot(n: int, *, marks: Mapping[str, Any] | None = None, theme: str = "light") -> Figure:
    """Draw all partitions of n objects; a line leads up to where two clusters are merged.

    Parameters
    ----------
    n : int
        The number of objects, from 1 to 5.
    marks : mapping of str to labels, or None, optional
        Labelings to mark, by name.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        The lattice, with all objects in one cluster on top.

    Raises
    ------
    ParameterError
        If `n` is not from 1 to 5, or a labeling is not of n objects.

    Examples
    --------
    >>> lattice_plot(3).layout.meta["title"]
    'The 5 partitions of 3 objects; each line upwards merges two clusters.'
    """
    n = whole(n, "n", 1, MOST_OBJECTS)
    marked = {str(name): Partition(labels) for name, labels in (marks or {}).items()}
    for name, partition in marked.items():
        if partition.n != n:
            raise ParameterError(f"{spoken(name)} must label {n} objects, not {partition.n:,}.")
    everyone = list(Partition.all(n))
    covers = {one: list(one.covers_above()) for one in everyone}
    place = _arranged(everyone, covers)
    figure = canvas.new_figure()
    canvas.add_lines(
        figure,
        [[place[one], place[other]] for one, above in covers.items() for other in above],
        line={"color": QUIET, "width": 0.8},
        opacity=0.6,
        showlegend=False,
    )
    _add_partitions(figure, place)
    for k, (name, partition) in enumerate(marked.items()):
        x, y = place[partition]
        canvas.add_marks(
            figure,
            [x],
            [y],
            name=plot_text(name),
            marker={
                "symbol": f"{SYMBOLS[k % len(SYMBOLS)]}-open",
                "size": 18 + 5 * (k // 2),
                "color": EITHER[(k + 1) % len(EITHER)],
                "line": {"width": 2.5},
            },
            ids=[[ident("pred", name)]],
        )
    figure.update_xaxes(visible=False)
    figure.update_yaxes(
        title="clusters",
        tickvals=list(range(n)),
        ticktext=[str(n - level) for level in range(n)],
        showgrid=False,
        range=[-0.45, n - 0.55],
    )
    title, height = _title(n, len(everyone), marked), 110 + 95 * n
    note = "A bar separates clusters: 12|3 puts the first two objects together."
    return canvas.finish(figure, "lattice", theme, title, note, height=height, legend=bool(marked))


def _text(partition: Partition) -> str:
    return "|".join("".join(str(k + 1) for k in block) for block in partition.blocks())


def _arranged(
    everyone: list[Partition], covers: dict[Partition, list[Partition]]
) -> dict[Partition, tuple[float, float]]:
    """Return a place for each: levels by number of clusters, with few crossings between them."""
    n = everyone[0].n
    levels: list[list[Partition]] = [[] for _ in range(n)]
    near: dict[Partition, list[Partition]] = {one: list(covers[one]) for one in everyone}
    for one, above in covers.items():
        levels[n - one.k].append(one)
        for other in above:
            near[other].append(one)
    across: dict[Partition, float] = {}

    def mean_place(one: Partition) -> float:
        places = [across[other] for other in near[one] if other in across]
        return sum(places) / len(places) if places else 0.5

    for _ in range(ROUNDS):
        for level in levels:
            level.sort(key=mean_place)
            for k, one in enumerate(level):
                across[one] = (k + 0.5) / len(level)
    return {one: (across[one], float(n - one.k)) for one in everyone}


def _add_partitions(figure: Figure, place: dict[Partition, tuple[float, float]]) -> None:
    texts = [_text(one) for one in place]
    crowded = len(place) > NAMED
    canvas.add_marks(
        figure,
        [x for x, _ in place.values()],
        [y for _, y in place.values()],
        mode="markers" if crowded else "markers+text",
        text=None if crowded else texts,
        textposition="middle right",
        textfont={"size": 11},
        marker={"size": 9, "color": EITHER[0]},
        ids=[[ident("partition", text)] for text in texts],
        boxes=[
            hover(text, counted(one.k, "cluster")) for one, text in zip(place, texts, strict=True)
        ],
        showlegend=False,
    )
    if crowded:
        for (x, y), text in zip(place.values(), texts, strict=True):
            figure.add_annotation(
                x=x,
                y=y,
                text=text,
                textangle=-60,
                font={"size": 9.5},
                xanchor="left",
                yanchor="bottom",
                xshift=1,
                yshift=3,
            )


def _title(n: int, count: int, marked: dict[str, Partition]) -> str:
    if len(marked) < 2:
        noun = counted(n, "object")
        what = f"The {count} partitions of {noun}" if count > 1 else f"The partition of {noun}"
        return f"{what}; each line upwards merges two clusters."
    (first, one), (second, other), *_ = marked.items()
    names = [spoken(first), spoken(second)]
    if one == other:
        return f"{listed(names)} are the same partition."
    if one.refines(other) or other.refines(one):
        fine, coarse = names if one.refines(other) else reversed(names)
        return f"{fine} refines {coarse}: a path leads upwards from {fine} to {coarse}."
    return f"{listed(names)} do not refine each other; they meet in {_text(one & other)}."
