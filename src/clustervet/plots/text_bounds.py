"""Figures of Banerjee & Langford 2004: bounds by run, algorithm, labelled share and language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from clustervet.errors import ParameterError
from clustervet.lab import TextStudy
from clustervet.lab.text_bounds import CorpusBound
from clustervet.plots import canvas, figures
from clustervet.plots.canvas import Figure, escape, hover, plot_text
from clustervet.plots.theme import DASHES, EITHER, QUIET, SYMBOLS
from clustervet.selection import Selections
from clustervet.view.words import counted, ident, share, spoken

# Pixels of a panel and between two of them, and panels beside each other.
PANEL, BETWEEN, ACROSS = 170, 46, 2
# Corpora whose runs are drawn, and the two that the paper's fig. 1 has.
MOST_PANELS = 12
FIRST = ("cmu-different-1000", "cmu-same-1000")
HALF = 0.5


def text_figures(study: TextStudy, *, theme: str = "light") -> list[Figure]:
    """Draw the bounds on text corpora as figs. 1 and 3 to 6 of the paper do.

    Parameters
    ----------
    study : TextStudy
        What `clustervet.lab.text_study` found.
    theme : {"light", "dark"}, default "light"
        The colours of the figures.

    Returns
    -------
    list of plotly.graph_objects.Figure
        The bound of every run under Simple (fig. 1), the best of each algorithm under Cluster
        (fig. 3), the best by the share of labelled documents under Algo (figs. 4 and 5; only if
        there are several shares), and the bound under each language (fig. 6). Fig. 2 is
        `bound_plot` of one selection.

    Raises
    ------
    ParameterError
        If the study has no corpora.

    Notes
    -----
    Banerjee & Langford 2004, §4.4. Where the study has several shares of labelled documents, the
    figures by run, algorithm and language show the share that is nearest to one half.

    Examples
    --------
    >>> from clustervet.lab.text_bounds import CorpusBound
    >>> line = CorpusBound("classic3", 90, 3, 0.5, "kmeans", 3, 0, 0.1, 0.0, 0.6, 0.02,
    ...     {"simple": 0.2, "algo": 0.1}, {"kmeans": 0.09}, {"kmeans": [0.08, 0.2]})
    >>> drawn = text_figures(TextStudy(0, (line,), ()))
    >>> [figure.layout.meta["figure"] for figure in drawn]
    ['text-runs', 'text-algorithms', 'text-languages']
    """
    if not study.lines:
        raise ParameterError("the study has no corpora to draw.")
    nearest = min((line.train for line in study.lines), key=lambda train: abs(train - HALF))
    lines = [line for line in study.lines if line.train == nearest]
    drawn = [
        _run_figure(lines, theme),
        _dot_figure(
            lines,
            lambda line: line.algorithms,
            "text-algorithms",
            theme,
            "the best of each algorithm over its runs and numbers of clusters, under Cluster "
            "(Banerjee & Langford 2004, fig. 3)",
            "algorithm",
        ),
    ]
    if len({line.train for line in study.lines}) > 1:
        drawn.append(_share_figure(study.lines, theme))
    drawn.append(
        _dot_figure(
            lines,
            lambda line: line.languages,
            "text-languages",
            theme,
            "a language's bound is the best over the choices that it pays for and the average "
            "over the others (Banerjee & Langford 2004, fig. 6)",
            "language",
        )
    )
    return drawn


def _run_figure(lines: Sequence[CorpusBound], theme: str) -> Figure:
    """Draw one panel per corpus: the bound of every run of every algorithm."""
    chosen = sorted(lines, key=lambda line: line.corpus not in FIRST)[:MOST_PANELS]
    names = list(dict.fromkeys(name for line in chosen for name in line.runs))
    figure = canvas.new_figure()
    across = min(ACROSS, len(chosen))
    down = -(-len(chosen) // across)
    height = down * (PANEL + BETWEEN) - BETWEEN
    for k, line in enumerate(chosen):
        row, column = divmod(k, across)
        top = 1 - row * (PANEL + BETWEEN) / height
        left, right = column / across, (column + 1) / across - (0.08 if across > 1 else 0)
        x, y = canvas.axis("x", k), canvas.axis("y", k)
        figure.update_layout(
            {
                canvas.axis("xaxis", k): {
                    "domain": [left, right], "anchor": y, "dtick": 1,
                    "title": "run" if row == down - 1 else "",
                },
                canvas.axis("yaxis", k): {
                    "domain": [max(0.0, top - PANEL / height), top], "anchor": x,
                    "tickformat": ".0%", "rangemode": "tozero", "nticks": 5,
                },
            }
        )  # fmt: skip
        for place, name in enumerate(names):
            rates = line.runs.get(name, [])
            canvas.add_marks(
                figure,
                list(range(len(rates))),
                rates,
                mode="lines+markers",
                name=plot_text(name),
                legendgroup=name,
                showlegend=k == 0,
                line={"color": _colour(place), "width": 1.5, "dash": _dash(place)},
                marker={"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 6},
                ids=[[ident("algorithm", name)] for _ in rates],
                boxes=[
                    hover(f"{spoken(name)} on {line.corpus}", f"run {run}", f"bound {share(rate)}")
                    for run, rate in enumerate(rates)
                ],
                xaxis=x,
                yaxis=y,
            )
        figure.add_annotation(
            text=escape(line.corpus), x=left, y=top, xref="paper", yref="paper",
            xanchor="left", yanchor="bottom",
        )  # fmt: skip
        figure.add_shape(
            type="line", x0=0, x1=1, xref=f"{x} domain", y0=line.constant, y1=line.constant,
            yref=y, line={"dash": "dash", "width": 1.2, "color": QUIET},
        )  # fmt: skip
    spread = [max(rates) - min(rates) for line in chosen for rates in line.runs.values() if rates]
    title = (
        f"Two runs of the same algorithm on the same documents differ by up to "
        f"{share(max(spread, default=0.0))} in their bound."
    )
    more = len(lines) - len(chosen)
    note = (
        "Bounds under Simple with as many clusters as classes (Banerjee & Langford 2004, eq. 1 and "
        "fig. 1). The dashed line is the error of always giving the largest class."
        + (f" {counted(more, 'more corpus', 'more corpora')} not drawn." if more else "")
    )
    return canvas.finish(
        figure, "text-runs", theme, title, note, height=height + 120, room=18, legend=True
    )


def _dot_figure(
    lines: Sequence[CorpusBound],
    values: Callable[[CorpusBound], Mapping[str, float]],
    kind: str,
    theme: str,
    what: str,
    noun: str,
) -> Figure:
    """Draw one row per corpus with a mark for each algorithm or language."""
    names = list(dict.fromkeys(name for line in lines for name in values(line)))
    figure = canvas.new_figure()
    for place, name in enumerate(names):
        held = [(k, values(line)[name]) for k, line in enumerate(lines) if name in values(line)]
        canvas.add_marks(
            figure,
            [rate for _, rate in held],
            [k for k, _ in held],
            name=plot_text(name),
            marker={"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 9, "color": _colour(place)},
            ids=[[ident(noun, name)] for _ in held],
            boxes=[
                hover(f"{spoken(name)} on {lines[k].corpus}", f"bound {share(rate)}")
                for k, rate in held
            ],
        )
    canvas.add_marks(
        figure,
        [line.constant for line in lines],
        list(range(len(lines))),
        name="largest class always",
        marker={"symbol": "line-ns-open", "size": 14, "color": QUIET, "line": {"width": 2}},
        boxes=[
            hover(line.corpus, f"largest class always {share(line.constant)}") for line in lines
        ],
    )
    canvas.name_rows(figure, canvas.axis_texts([line.corpus for line in lines]))
    figure.update_xaxes(title="bound on the error rate", tickformat=".0%", rangemode="tozero")
    wins: dict[str, int] = {}
    for line in lines:
        if held_rates := values(line):
            low = min(held_rates.values())
            for name, rate in held_rates.items():
                wins[name] = wins.get(name, 0) + (rate == low)
    best = max(names, key=lambda name: wins.get(name, 0))
    title = (
        f"The {noun} {spoken(best)} has the lowest bound on {wins.get(best, 0)} of "
        f"{counted(len(lines), 'corpus', 'corpora')}."
    )
    note = f"{what[0].upper()}{what[1:]}; {share(lines[0].train)} of the documents are labelled."
    return canvas.finish(
        figure, kind, theme, title, note, height=30 * len(lines) + 140, legend=True
    )


def _share_figure(lines: Sequence[CorpusBound], theme: str) -> Figure:
    """Draw one line per corpus: the best bound by the share of labelled documents."""
    figure = canvas.new_figure()
    for place, name in enumerate(dict.fromkeys(line.corpus for line in lines)):
        held = sorted((line for line in lines if line.corpus == name), key=lambda line: line.train)
        canvas.add_marks(
            figure,
            [line.train for line in held],
            [line.bound for line in held],
            mode="lines+markers",
            name=plot_text(name),
            line={"color": _colour(place), "width": 2, "dash": _dash(place)},
            marker={"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 7},
            ids=[[ident("corpus", name)] for _ in held],
            boxes=[
                hover(
                    f"{name}, {share(line.train)} labelled",
                    f"bound {share(line.bound)}: {spoken(line.algorithm)}, "
                    f"{counted(line.clusters, 'cluster')}",
                    f"true error {share(line.test_error)}",
                    f"largest class always {share(line.constant)}",
                )
                for line in held
            ],
        )
    shares = sorted({line.train for line in lines})
    figure.update_xaxes(title="labelled documents", tickformat=".0%", tickvals=shares)
    figure.update_yaxes(title="bound on the error rate", tickformat=".0%", rangemode="tozero")
    corpora = {line.corpus: line for line in sorted(lines, key=lambda line: -line.bound)}
    lowest = Counter(line.train for line in corpora.values())
    often = max(shares, key=lambda train: lowest[train])
    title = (
        f"{lowest[often]} of {counted(len(corpora), 'corpus', 'corpora')} have the lowest bound "
        f"with {share(often)} of the documents labelled."
    )
    note = (
        "Best over all algorithms, numbers of clusters and runs under Algo (Banerjee & Langford "
        "2004, figs. 4 and 5)."
    )
    return canvas.finish(figure, "text-shares", theme, title, note, height=460, legend=True)


def share_plot(selections: Selections, *, theme: str = "light") -> Figure:
    """Draw the bound by the share of labelled points.

    Parameters
    ----------
    selections : Selections
        What `clustervet.select` found with several values of `train`.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        The bound of the choice, the true error where it is known, and the bound of always
        answering the commonest label (Banerjee & Langford 2004, figs. 4 and 5).

    Examples
    --------
    >>> import clustervet as cv
    >>> X, y = [[k + 9.0 * (k > 9)] for k in range(20)], ["a"] * 10 + ["b"] * 10
    >>> found = cv.select(X, y, algorithms=["kmeans"], clusters=[2], runs=1, train=[0.3, 0.5])
    >>> share_plot(found).layout.meta["title"][:35]
    'The bound on the error rate goes fr'
    """
    held = sorted(selections.values(), key=lambda one: one.study.train_size)
    places = [one.study.train_size / one.study.points for one in held]
    figure = canvas.new_figure()
    drawn: tuple[tuple[str, list[float | None], dict[str, Any]], ...] = (
        ("bound", [one.best.rate for one in held], {"color": EITHER[0], "width": 2}),
        ("true error", [one.best.test_rate for one in held], {"color": EITHER[0], "dash": "dot"}),
        (
            "bound of the commonest label",
            [one.bound.constant.rate for one in held],
            {"color": QUIET, "dash": "dash"},
        ),
    )
    for name, rates, line in drawn:
        if any(rate is not None for rate in rates):
            canvas.add_marks(
                figure,
                places,
                rates,
                mode="lines+markers",
                name=name,
                line=line,
                marker={"size": 7 if name == "bound" else 4},
                boxes=[
                    hover(
                        f"{one.study.train_size:,} labelled points",
                        f"{name} {share(rate or 0.0)}",
                        f"{spoken(one.best.algorithm)}, {counted(one.best.clusters, 'cluster')}",
                    )
                    for one, rate in zip(held, rates, strict=True)
                ],
            )
    figure.update_xaxes(title="labelled points", tickformat=".0%", tickvals=places)
    figure.update_yaxes(title="share of unlabelled points", tickformat=".0%", rangemode="tozero")
    note = (
        f"Each bound holds alone with probability {1 - held[0].study.delta:.4g}; it pays for every "
        "choice but that of the share."
    )
    return canvas.finish(
        figure, "shares", theme, selections.verdict, note, height=400, legend=True, table="shares"
    )


def _colour(place: int) -> str:
    return EITHER[place % len(EITHER)]


def _dash(place: int) -> str:
    return DASHES[place // len(EITHER) % len(DASHES)]


canvas.draws(Selections, share_plot)


@figures.register
def _(study: TextStudy, *, theme: str = "light") -> list[Figure]:
    return text_figures(study, theme=theme) if study.lines else []
