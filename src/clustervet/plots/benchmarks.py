"""A benchmark: mean ranks with their groups, and the scores of all sets and algorithms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from clustervet.errors import ParameterError
from clustervet.plots import canvas, figures
from clustervet.plots.canvas import Figure, axis_texts, escape, hover
from clustervet.plots.theme import EITHER, QUIET
from clustervet.suites import Benchmark
from clustervet.view.words import brief, counted, ident, spoken

# Scores up to which cells hold their values, and data sets that are drawn.
NUMBERED, MOST_SETS = 200, 200


def critical_difference_plot(benchmark: Benchmark, *, theme: str = "light") -> Figure:
    """Draw the mean rank of each algorithm, with bars that join those that do not differ.

    Parameters
    ----------
    benchmark : Benchmark
        What `clustervet.benchmark` found, with two or more algorithms and data sets.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        The critical-difference diagram (Demšar 2006).

    Raises
    ------
    ParameterError
        If there are no ranks to compare.

    Examples
    --------
    >>> import clustervet as cv
    >>> X, y = [[0.0], [0.1], [9.0], [9.1]], [0, 0, 1, 1]
    >>> found = cv.benchmark({"a": (X, y), "b": (X, [0, 1, 0, 1])}, ["kmeans", "ward"], runs=1)
    >>> critical_difference_plot(found).layout.meta["figure"]
    'benchmark-ranks'
    """
    ranks, ranked = benchmark.ranks, benchmark.ranked
    if len(ranks) < 2 or benchmark.ranked_sets < 2:
        raise ParameterError("mean ranks need two algorithms and two data sets or more.")
    names = list(ranks)
    figure = canvas.new_figure()
    groups = ranked.groups
    bars = [
        [(ranks[group[0]], len(names) + 0.5 * k), (ranks[group[-1]], len(names) + 0.5 * k)]
        for k, group in enumerate(groups)
    ]
    if bars:
        canvas.add_lines(
            figure, bars, line={"color": EITHER[1], "width": 5}, name="no difference shown"
        )
    critical = ranked.critical_difference
    if critical is not None:
        ends = [(1.0, -0.9), (1.0 + critical, -0.9)]
        canvas.add_lines(
            figure, [ends], line={"color": QUIET, "width": 3}, name="critical difference"
        )
    stems = [[(rank, place), (rank, len(names) + 0.5 * (len(bars) - 1))] for place, rank in
             enumerate(ranks.values())]  # fmt: skip
    canvas.add_lines(figure, stems, line={"color": QUIET, "width": 1, "dash": "dot"},
                     showlegend=False)  # fmt: skip
    canvas.add_marks(
        figure,
        list(ranks.values()),
        list(range(len(names))),
        marker={"color": EITHER[0], "size": 11},
        name="mean rank",
        ids=[[ident("algorithm", name)] for name in names],
        boxes=[hover(spoken(name), f"mean rank {brief(rank)}") for name, rank in ranks.items()],
    )
    figure.update_yaxes(
        tickvals=list(range(len(names))),
        ticktext=axis_texts(names),
        range=[len(names) + 0.5 * len(bars), -1.4],
        showgrid=False,
    )
    most = max(len(names), 1 + (critical or 0))
    figure.update_xaxes(title="mean rank (1 is the best)", range=[0.8, most + 0.2])
    joined = "Bars below join algorithms of which no two differ. " if bars else ""
    said = "" if critical is None else f"Critical difference {brief(critical)}, drawn on top. "
    note = f"{said}{joined}{counted(benchmark.ranked_sets, 'data set')}."
    height = 34 * len(names) + 20 * len(bars) + 110
    return canvas.finish(
        figure, "benchmark-ranks", theme, benchmark.facts()[0], note, height=height, legend=True,
        table="ranks",
    )  # fmt: skip


def benchmark_heatmap(benchmark: Benchmark, *, theme: str = "light") -> Figure:
    """Draw the mean score of every algorithm on every data set.

    Parameters
    ----------
    benchmark : Benchmark
        What `clustervet.benchmark` found. Up to 200 cells hold their values; of more than 200 data
        sets an even selection is drawn, and the note says so.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        The heatmap, with the best algorithms on the left.

    Examples
    --------
    >>> import clustervet as cv
    >>> X, y = [[0.0], [0.1], [9.0], [9.1]], [0, 0, 1, 1]
    >>> found = cv.benchmark({"a": (X, y), "b": (X, [0, 1, 0, 1])}, ["kmeans", "ward"], runs=1)
    >>> benchmark_heatmap(found).layout.meta["note"]
    'Mean over 1 run.'
    """
    record = benchmark.measure
    ranks = benchmark.ranks
    order = sorted(
        range(len(benchmark.algorithms)),
        key=lambda k: ranks.get(benchmark.algorithms[k], math.inf),
    )
    means = benchmark.means[:, order]
    rows = np.arange(len(benchmark.sets))
    if len(rows) > MOST_SETS:
        rows = np.linspace(0, len(rows) - 1, MOST_SETS).round().astype(np.int64)
    matrix = means[rows]
    names = axis_texts([benchmark.sets[k].name for k in rows])
    columns = axis_texts([benchmark.algorithms[k] for k in order])
    extra: dict[str, Any] = {}
    if matrix.size <= NUMBERED:
        extra["text"] = [["" if math.isnan(x) else f"{x:.3g}" for x in row] for row in matrix]
        extra["texttemplate"] = "%{text}"
    figure = canvas.new_figure()
    figure.add_heatmap(
        z=[[None if math.isnan(x) else x for x in row] for row in matrix.tolist()],
        x=columns,
        y=names,
        coloraxis="coloraxis",
        hovertemplate=f"%{{x}} on %{{y}}<br>{escape(record.title)} %{{z:.6~g}}<extra></extra>",
        **extra,
    )
    what = ("data sets", "algorithms")
    unnamed = canvas.name_cells(figure, len(rows), len(columns), what)
    figure.update_coloraxes(
        colorbar={"title": {"text": escape(record.symbol or record.title)}},
        reversescale=record.better == "lower",
    )
    shown = "" if len(rows) == len(means) else f"{len(rows)} of {len(means):,} data sets. "
    gaps = "; empty cells have no score" if np.isnan(matrix).any() else ""
    note = f"{shown}Mean over {counted(benchmark.runs, 'run')}{gaps}. {unnamed}".rstrip()
    title = f"{record.title} of every algorithm on every data set ({record.better} is better)."
    height = min(max(260, 24 * len(names)), 900) + 60
    return canvas.finish(
        figure, "benchmark-scores", theme, title, note, height=height, table="sets"
    )


@figures.register
def _(benchmark: Benchmark, *, theme: str = "light") -> list[Figure]:
    found = []
    if len(benchmark.ranks) > 1 and benchmark.ranked_sets > 1:
        found.append(critical_difference_plot(benchmark, theme=theme))
    return [*found, benchmark_heatmap(benchmark, theme=theme)]
