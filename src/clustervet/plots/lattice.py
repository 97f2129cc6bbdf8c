"""The lattice of partitions of a few objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clustervet.errors import ParameterError
from clustervet.partition import Partition
from clustervet.plots.frame import Figure, finish, graph_objects
from clustervet.plots.text import counted, escape, hover, ident, listed, shown
from clustervet.plots.theme import EITHER, QUIET, SYMBOLS

MOST_OBJECTS = 5
# Rounds in which each level is ordered by the places of its neighbours.
SWEEPS = 12


def lattice_plot(n: int, *, marks: Mapping[str, Any] | None = None, theme: str = "light") -> Figure:
    """All partitions of n objects (up to 5); a line leads up to where two clusters are merged.

    `marks` are labelings to find in it, by name.

    >>> lattice_plot(3).layout.meta["title"]
    'The 5 partitions of 3 objects; each line upwards merges two clusters.'
    """
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 1 <= n <= MOST_OBJECTS:
        raise ParameterError(f"n must be a whole number from 1 to {MOST_OBJECTS}, not {n!r}.")
    marked = {str(name): Partition(labels) for name, labels in (marks or {}).items()}
    for name, partition in marked.items():
        if partition.n != n:
            raise ParameterError(f"{shown(name)} must label {n} objects, not {partition.n:,}.")
    everyone = list(Partition.all(int(n)))
    covers = {one: list(one.covers_above()) for one in everyone}
    place = _arranged(everyone, covers)
    go = graph_objects()
    figure = go.Figure()
    _add_lines(go, figure, covers, place)
    _add_partitions(go, figure, everyone, place)
    for k, (name, partition) in enumerate(marked.items()):
        _add_mark(go, figure, name, place[partition], k)
    figure.update_xaxes(visible=False)
    figure.update_yaxes(
        title="clusters",
        tickvals=list(range(int(n))),
        ticktext=[str(int(n) - level) for level in range(int(n))],
        showgrid=False,
        range=[-0.45, n - 0.55],
    )
    return finish(
        figure,
        kind="lattice",
        title=_title(int(n), len(everyone), marked),
        note="A bar separates clusters: 12|3 puts the first two objects together.",
        theme=theme,
        height=110 + 95 * int(n),
        legend=bool(marked),
    )


def _text(partition: Partition) -> str:
    return "|".join("".join(str(k + 1) for k in block) for block in partition.blocks())


def _arranged(
    everyone: list[Partition], covers: dict[Partition, list[Partition]]
) -> dict[Partition, tuple[float, float]]:
    """A place for each: levels by number of clusters, few crossings within them."""
    n = everyone[0].n
    levels: list[list[Partition]] = [[] for _ in range(n)]
    for one in everyone:
        levels[n - one.k].append(one)
    near: dict[Partition, list[Partition]] = {one: list(covers[one]) for one in everyone}
    for one, above in covers.items():
        for other in above:
            near[other].append(one)
    across: dict[Partition, float] = {}
    for _ in range(SWEEPS):
        for level in levels:
            if across:
                level.sort(key=lambda one: _mean([across[o] for o in near[one] if o in across]))
            for k, one in enumerate(level):
                across[one] = (k + 0.5) / len(level)
    return {one: (across[one], float(n - one.k)) for one in everyone}


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.5


def _add_lines(
    go: Any,
    figure: Figure,
    covers: dict[Partition, list[Partition]],
    place: dict[Partition, tuple[float, float]],
) -> None:
    x: list[float | None] = []
    y: list[float | None] = []
    for one, above in covers.items():
        for other in above:
            x += [place[one][0], place[other][0], None]
            y += [place[one][1], place[other][1], None]
    figure.add_trace(
        go.Scatter(
            x=x,
            y=y,
            mode="lines",
            line={"color": QUIET, "width": 0.8},
            opacity=0.6,
            hoverinfo="skip",
            showlegend=False,
        )
    )


def _add_partitions(
    go: Any,
    figure: Figure,
    everyone: list[Partition],
    place: dict[Partition, tuple[float, float]],
) -> None:
    crowded = len(everyone) > 20
    figure.add_trace(
        go.Scatter(
            x=[place[one][0] for one in everyone],
            y=[place[one][1] for one in everyone],
            mode="markers" if crowded else "markers+text",
            text=None if crowded else [_text(one) for one in everyone],
            textposition="middle right",
            textfont={"size": 11},
            marker={"size": 9, "color": EITHER[0]},
            customdata=[[ident("partition", _text(one))] for one in everyone],
            hovertext=[hover(_text(one), counted(one.k, "cluster")) for one in everyone],
            hovertemplate="%{hovertext}<extra></extra>",
            showlegend=False,
        )
    )
    if crowded:
        for one in everyone:
            x, y = place[one]
            figure.add_annotation(
                x=x,
                y=y,
                text=_text(one),
                textangle=-60,
                font={"size": 9.5},
                xanchor="left",
                yanchor="bottom",
                xshift=1,
                yshift=3,
            )


def _add_mark(go: Any, figure: Figure, name: str, at: tuple[float, float], k: int) -> None:
    symbol = SYMBOLS[k % len(SYMBOLS)]
    figure.add_trace(
        go.Scatter(
            x=[at[0]],
            y=[at[1]],
            mode="markers",
            name=escape(shown(name)),
            marker={
                "symbol": f"{symbol}-open",
                "size": 18 + 5 * (k // 2),
                "color": EITHER[(k + 1) % len(EITHER)],
                "line": {"width": 2.5},
            },
            customdata=[[ident("pred", name)]],
            hoverinfo="skip",
        )
    )


def _title(n: int, count: int, marked: dict[str, Partition]) -> str:
    if len(marked) < 2:
        noun = counted(n, "object")
        what = f"The {count} partitions of {noun}" if count > 1 else f"The partition of {noun}"
        return f"{what}; each line upwards merges two clusters."
    (first, one), (second, other), *_ = marked.items()
    names = [shown(name) for name in (first, second)]
    if one == other:
        return f"{listed(names)} are the same partition."
    if one.refines(other):
        return f"{names[0]} refines {names[1]}: a way upwards leads from one to the other."
    if other.refines(one):
        return f"{names[1]} refines {names[0]}: a way upwards leads from one to the other."
    return f"{listed(names)} do not refine each other; they meet in {_text(one & other)}."
