"""Figures of the laboratory: properties of measures, Dom's study (2001, §7), and the lattice."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from clustervet._checks import whole
from clustervet.errors import ParameterError
from clustervet.lab import DomStudy, PropertyMatrix
from clustervet.partition import Partition
from clustervet.plots import canvas, figures
from clustervet.plots.canvas import Figure, axis_texts, escape, hover, plot_text
from clustervet.plots.theme import DASHES, EITHER, QUIET, SYMBOLS
from clustervet.view import Result
from clustervet.view.words import brief, counted, ident, listed, spoken

Columns = Mapping[str, Sequence[Any]]
# Answers with the sign and the colour that each is drawn with: signs also tell without colour.
SIGNS: dict[str, tuple[str, str]] = {
    "holds": ("circle", EITHER[0]),
    "fails": ("x-thin-open", EITHER[1]),
    "does not apply": ("line-ew-open", QUIET),
    "broken": ("diamond-open", EITHER[3]),
}
# Measures that a title names.
TITLED = 4
# Pixels for the names of properties.
NAMES = 150
# Points of a scatter that are drawn; of more an even selection.
DRAWN = 2_000
# Measures in a sweep that differ in colour or dash.
LINES = len(EITHER) * 2
# What grows along a sweep, in words.
GROWING = {
    "error_useful": "more objects go into other useful clusters",
    "useful": "there are more useful clusters",
}
MOST_OBJECTS = 5
# Partitions up to which their names stand beside them.
NAMED_PARTITIONS = 20
# Rounds in which each level is ordered by the places of its neighbours.
ROUNDS = 12


def property_matrix_plot(matrix: Result, *, theme: str = "light") -> Figure:
    """Draw which measure has which property.

    Parameters
    ----------
    matrix : PropertyMatrix
        What `clustervet.lab.axioms` found, or anything with `columns()`.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        One row per measure and one column per property: a dot where it holds, a cross where it
        fails.

    Raises
    ------
    ParameterError
        If a column is missing.

    Examples
    --------
    >>> import clustervet as cv
    >>> found = cv.lab.axioms(["rand", "vi"])
    >>> property_matrix_plot(found).layout.meta["title"]
    'No measure has all 25 properties; variation of information has the most (17).'
    """
    columns = matrix.columns()
    if missing := [key for key in ("measure", "property", "answer") if key not in columns]:
        raise ParameterError(f"the matrix has no column {listed(missing)}.")
    keys, kinds = (list(dict.fromkeys(map(str, columns[key]))) for key in ("measure", "property"))
    figure = canvas.new_figure()
    rank = {answer: place for place, answer in enumerate(SIGNS)}
    for answer in sorted(
        set(map(str, columns["answer"])), key=lambda one: rank.get(one, len(rank))
    ):
        _add_answer(figure, columns, answer, keys, kinds)
    figure.update_xaxes(
        tickvals=list(range(len(kinds))),
        ticktext=axis_texts([kind.replace("_", " ") for kind in kinds]),
        tickangle=-90,
        side="top",
        range=[-0.6, len(kinds) - 0.4],
    )
    canvas.name_rows(figure, axis_texts([key.replace("_", " ") for key in keys], 36))
    title, height = _matrix_title(columns, len(kinds)), 60 + NAMES + 19 * len(keys)
    note = "A dot: the property holds in all cases tried. A cross: it fails."
    return canvas.finish(
        figure, "properties", theme, title, note, height=height, room=NAMES, legend=True
    )


def _add_answer(
    figure: Figure, columns: Columns, answer: str, keys: list[str], kinds: list[str]
) -> None:
    pairs = zip(columns["measure"], columns["property"], columns["answer"], strict=True)
    found = [(k, str(m), str(p)) for k, (m, p, each) in enumerate(pairs) if str(each) == answer]
    symbol, colour = SIGNS.get(answer, ("square-open", QUIET))
    why = [columns[key] for key in ("why", "counterexample") if key in columns]
    canvas.add_marks(
        figure,
        [kinds.index(kind) for _, _, kind in found],
        [keys.index(key) for _, key, _ in found],
        name=spoken(answer),
        marker={"symbol": symbol, "color": colour, "size": 9}
        | {"line": {"width": 2, "color": colour}},
        ids=[[ident("measure", key), ident("property", kind)] for _, key, kind in found],
        boxes=[
            hover(
                f"{spoken(key)}, {spoken(kind)}: {answer}",
                *(spoken(words[k], 90) for words in why if words[k]),
            )
            for k, key, kind in found
        ],
    )


def _matrix_title(columns: Columns, kinds: int) -> str:
    held: Counter[str] = Counter()
    for key, answer in zip(columns["measure"], columns["answer"], strict=True):
        held[str(key)] += answer == "holds"
    most = max(held.values())
    best = [spoken(key.replace("_", " ")) for key, count in held.items() if count == most]
    verb = "has" if len(best) == 1 else "have"
    if most == kinds:
        return f"{listed(best[:TITLED])} {verb} all {most} properties."
    who = listed(best) if len(best) <= TITLED else f"{len(best)} measures"
    return f"No measure has all {kinds} properties; {who} {verb} the most ({most})."


def dom_figures(study: DomStudy, *, theme: str = "light") -> dict[str, Figure]:
    """Draw Figs. 1-7 of Dom (2001) again, part (a) at the left and part (b) at the right.

    Parameters
    ----------
    study : DomStudy
        What `clustervet.lab.dom_study` found.
    theme : {"light", "dark"}, default "light"
        The colours of the figures.

    Returns
    -------
    dict of str to plotly.graph_objects.Figure
        The figures by name. A scatter that the paper does not have is named by its measure.

    Examples
    --------
    >>> import clustervet as cv
    >>> list(dom_figures(cv.lab.dom_study(["rand"])))
    ['Figure 1', 'Figure 2', 'Figure 7']
    """
    found = {sweep.figure: _sweep_figure(sweep, theme) for sweep in study.sweeps}
    scatters = {one.figure or one.key: _scatter_figure(one, theme) for one in study.scatters}
    return found | scatters


def _sweep_figure(sweep: Any, theme: str) -> Figure:
    """Draw measures as one parameter grows: their own values, and scaled to [0, 1]."""
    figure = canvas.new_figure()
    for k, curve in enumerate(sweep.curves[:LINES]):
        line = {"color": EITHER[k % len(EITHER)], "dash": DASHES[k % len(DASHES)], "width": 2}
        for part, values in enumerate((curve.values, curve.scaled)):
            canvas.add_marks(
                figure,
                list(sweep.x),
                [v if math.isfinite(v) else None for v in values],
                mode="lines",
                name=plot_text(curve.symbol or curve.title),
                legendgroup=curve.key,
                showlegend=part == 0,
                line=line,
                ids=[[ident("measure", curve.key)]] * len(sweep.x),
                hovertemplate=f"{plot_text(curve.title)}<br>{escape(sweep.x_title)} "
                "%{x:.6~g}<br>%{y:.6~g}<extra></extra>",
                xaxis=canvas.axis("x", part),
                yaxis=canvas.axis("y", part),
            )
    _two_panels(figure, sweep.x_title, sweep.x_title, "value", "scaled to [0, 1]")
    note = f"{spoken(sweep.figure)} of Dom 2001: {spoken(sweep.title, 90)}."
    left = len(sweep.curves) - LINES
    if left > 0:
        note += f" {left:,} more measures are left out."
    if void := [spoken(curve.title) for curve in sweep.curves if not _known(curve.values)]:
        note += f" No value: {', '.join(void[:4])}."
    title = _sweep_title(sweep)
    return canvas.finish(figure, "sweep", theme, title, note, height=430, legend=True)


def _known(values: Sequence[float]) -> list[float]:
    return [value for value in values if math.isfinite(value)]


def _sweep_title(sweep: Any) -> str:
    """Return which measures do not change along the sweep, or that all do."""
    curves = [curve for curve in sweep.curves if _known(curve.values)]
    if not curves:
        return "No measure has a value here."
    still = [c.symbol or c.title for c in curves if np.ptp(_known(c.values)) < 1e-9]
    grows = GROWING.get(sweep.x_title, f"{spoken(sweep.x_title, 60)} grows")
    if still:
        verb = "does" if len(still) == 1 else "do"
        return f"{', '.join(map(spoken, still[:4]))} {verb} not change as {grows}."
    falling = all(
        after < before
        for curve in curves
        for before, after in itertools.pairwise(_known(curve.values))
    )
    moves = "fall" if falling else "change"
    if len(curves) == 1:
        return f"{spoken(curves[0].title)} {moves}s as {grows}."
    first = [curve.symbol or curve.title for curve in curves if _is_lowest(curve, curves)]
    soonest = f", {spoken(first[0])} soonest" if falling and len(first) == 1 else ""
    return f"All {len(curves)} measures {moves} as {grows}{soonest}."


def _is_lowest(curve: Any, curves: Sequence[Any]) -> bool:
    """Return whether a scaled curve lies below all others between its ends."""
    heights = np.array([other.scaled[1:-1] for other in curves if other is not curve])
    return heights.size > 0 and bool((np.array(curve.scaled[1:-1]) < heights.min(axis=0)).all())


def _scatter_figure(scatter: Any, theme: str) -> Figure:
    """Draw a measure against Q2: ranks at the left, values at the right."""
    figure = canvas.new_figure()
    count = len(scatter.x)
    picked = np.unique(np.linspace(0, count - 1, min(count, DRAWN)).round().astype(np.int64))
    for part, (x, y) in enumerate(((scatter.x_ranks, scatter.y_ranks), (scatter.x, scatter.y))):
        canvas.add_marks(
            figure,
            np.asarray(x, np.float64)[picked],
            np.asarray(y, np.float64)[picked],
            marker={"size": 4, "opacity": 0.45, "color": EITHER[part]},
            ids=[[ident("measure", scatter.key), int(k)] for k in picked],
            hovertemplate="combination %{customdata[1]}<br>%{x:.6~g}, %{y:.6~g}<extra></extra>",
            xaxis=canvas.axis("x", part),
            yaxis=canvas.axis("y", part),
        )
    x, y = scatter.x_title, scatter.y_title
    _two_panels(figure, f"rank by {x}", x, f"rank by {y}", y, most=44)
    note = f"{spoken(scatter.figure)} of Dom 2001. " if scatter.figure else ""
    note += "Rank 1 is the best clustering."
    if len(picked) < count:
        note += f" {len(picked):,} of {count:,} combinations are drawn."
    title = f"{spoken(y, 60)} has no value for any combination."
    if np.isfinite(np.asarray(scatter.y, np.float64)).any():
        rho = scatter.spearman
        like = "almost like" if rho >= 0.95 else "much like" if rho >= 0.7 else "differently from"
        like = "exactly like" if rho > 1 - 1e-12 else like
        title = (
            f"{spoken(y, 60)} ranks clusterings {like} {spoken(x)}: Spearman {brief(rho)}, "
            f"Kendall {brief(scatter.kendall)}."
        )
    return canvas.finish(figure, "scatter", theme, title, note, height=400)


def _two_panels(figure: Figure, x: str, x2: str, y: str, y2: str, most: int = 34) -> None:
    titles = [plot_text(text, most) for text in (x, x2, y, y2)]
    figure.update_layout(
        xaxis={"domain": [0, 0.44], "title": titles[0]},
        xaxis2={"domain": [0.57, 1], "title": titles[1], "anchor": "y2"},
        yaxis={"title": titles[2]},
        yaxis2={"title": titles[3], "anchor": "x2"},
    )


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
    title, height = _lattice_title(n, len(everyone), marked), 110 + 95 * n
    note = "A bar separates clusters: 12|3 puts the first two objects together."
    return canvas.finish(figure, "lattice", theme, title, note, height=height, legend=bool(marked))


def _partition_text(partition: Partition) -> str:
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
    texts = [_partition_text(one) for one in place]
    crowded = len(place) > NAMED_PARTITIONS
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


def _lattice_title(n: int, count: int, marked: dict[str, Partition]) -> str:
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
    return f"{listed(names)} do not refine each other; they meet in {_partition_text(one & other)}."


canvas.draws(PropertyMatrix, property_matrix_plot)


@figures.register
def _(study: DomStudy, *, theme: str = "light") -> list[Figure]:
    return list(dom_figures(study, theme=theme).values())
