"""Curves with what was chosen: measures over a parameter, and bounds over numbers of clusters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from clustervet._checks import is_number
from clustervet.plots import canvas, figures
from clustervet.plots.canvas import Figure, axis_texts, escape, hover, plot_text
from clustervet.plots.resolution import cluster_tree
from clustervet.plots.theme import EITHER, QUIET, SYMBOLS
from clustervet.registry import Measure
from clustervet.selection import Selection
from clustervet.selection.predictors import BASELINE
from clustervet.tuning import Tuning
from clustervet.view.words import ARROWS, counted, digits, ident, share, spoken

# Pixels of one curve, and between two.
CURVE, BETWEEN = 104, 30
# Values up to which each has a mark.
MARKED = 60
# Algorithms that have a colour of their own: those with the lowest bounds.
COLOURED = 6
# Numbers of clusters up to which the axis names each.
NAMED = 12


def elbow_plot(tuning: Tuning, *, theme: str = "light") -> Figure:
    """Draw each measure over the values of the parameter, with the value that it chooses.

    Parameters
    ----------
    tuning : Tuning
        What `clustervet.tune` found.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        One curve per measure. A filled star is a clear choice, a hollow star an unclear one. The
        dashed line is the value that is suggested. Grey bands are the curves of data without
        clusters, of the kind that is hardest to tell from the points; blue bands are intervals over
        samples, where there are any.

    Examples
    --------
    >>> import clustervet as cv
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 1, (50, 2)) for c in ((0, 0), (9, 0), (0, 9))])
    >>> found = cv.tune("kmeans", X, values=range(2, 9), random_state=0)
    >>> elbow_plot(found).layout.meta["title"]
    'The suggestion is n_clusters = 3: 5 of 5 measures clearly choose it.'
    """
    figure = canvas.new_figure()
    places, ordered = curve_places(tuning)
    count = len(tuning.measures)
    total = count * (CURVE + BETWEEN) - BETWEEN
    for k, record in enumerate(tuning.measures):
        top = k * (CURVE + BETWEEN)
        curve = tuning.curves[record.key]
        large = np.max(np.abs(curve[np.isfinite(curve)]), initial=0) >= 10_000
        axis = {
            "domain": [max(0.0, 1 - (top + CURVE) / total), 1 - top / total],
            "anchor": "x",
            "nticks": 4,
            "tickformat": "~s" if large else "",
        }
        figure.update_layout({canvas.axis("yaxis", k): axis})
        _add_curve(figure, tuning, record, places, canvas.axis("y", k))
        choice = tuning.choices[record.key]
        head = f"{spoken(record.title)} {ARROWS[record.better]}".strip()
        figure.add_annotation(
            text=escape(
                f"{head}: {spoken(choice.value) if choice.clear else choice.why}"
                f"{_p_text(tuning, record)}"
            ),
            x=0,
            y=1 - top / total,
            xref="paper",
            yref="paper",
            xanchor="left",
            yanchor="bottom",
        )
        if tuning.suggestion is not None:
            at = places[tuning.values.index(tuning.suggestion)]
            figure.add_shape(
                type="line",
                x0=at,
                x1=at,
                y0=0,
                y1=1,
                xref="x",
                yref=f"{canvas.axis('y', k)} domain",
                layer="below",
                line={"dash": "dash", "width": 1.5, "color": QUIET},
            )
    figure.update_xaxes(title=plot_text(tuning.parameter), anchor=canvas.axis("y", count - 1))
    if not ordered:
        figure.update_xaxes(tickvals=places, ticktext=axis_texts(tuning.values))
    note = f"{spoken(tuning.estimator)} on {tuning.points:,} points. "
    note += "Filled stars are clear choices, hollow stars unclear ones."
    if tuning.reference is not None:
        note += f" Grey bands are curves without clusters: {tuning.reference.kind}."
    if tuning.stability is not None:
        note += f" Blue bands are 95% intervals over {tuning.stability.samples:,} samples."
    title = elbow_title(tuning)
    return canvas.finish(figure, "elbow", theme, title, note, height=total + 96, room=18)


def curve_places(tuning: Tuning) -> tuple[list[float], bool]:
    """Return where the values lie on the axis, and whether they are numbers."""
    if all(map(is_number, tuning.values)):
        return [float(value) for value in tuning.values], True
    return [float(k) for k in range(len(tuning.values))], False


def _p_text(tuning: Tuning, record: Measure) -> str:
    """Return the p-value of a measure, where it was compared with data without clusters."""
    held = tuning.reference
    if held is None or record.key not in held.p_values:
        return ""
    p = held.p_values[record.key]
    return f" (p {'<' if held.is_bound and p == held.p_value else '='} {p:.2g})"


def _add_band(
    figure: Figure, places: list[float], low: Any, high: Any, colour: str, opacity: float, axis: str
) -> None:
    known = np.isfinite(low) & np.isfinite(high)
    x = np.asarray(places)[known]
    canvas.add_marks(
        figure,
        np.concatenate([x, x[::-1]]),
        np.concatenate([high[known], low[known][::-1]]),
        fill="toself",
        mode="lines",
        line={"width": 0, "color": colour},
        opacity=opacity,
        yaxis=axis,
    )


def _add_curve(
    figure: Figure, tuning: Tuning, record: Measure, places: list[float], axis: str
) -> None:
    curve, choice = tuning.curves[record.key], tuning.choices[record.key]
    bands = ((tuning.reference, QUIET, 0.5), (tuning.stability, EITHER[0], 0.6))
    for held, colour, opacity in bands:
        if held is not None and record.key in held.low:
            low, high = held.low[record.key], held.high[record.key]
            _add_band(figure, places, low, high, colour, opacity, axis)
    line = "lines+markers" if len(places) <= MARKED else "lines"
    canvas.add_marks(
        figure,
        places,
        [float(x) if math.isfinite(x) else None for x in curve],
        mode=line if all(map(is_number, tuning.values)) else "markers",
        line={"color": EITHER[0], "width": 2},
        marker={"size": 6, "color": EITHER[0]},
        ids=[[ident("value", value), ident("measure", record.key)] for value in tuning.values],
        boxes=[_curve_box(tuning, record, k) for k in range(len(places))],
        yaxis=axis,
    )
    if choice.index is None or not math.isfinite(curve[choice.index]):
        return
    verb = "chooses" if choice.clear else "leans to"
    box = hover(
        f"{record.title} {verb} {spoken(choice.value)}",
        choice.why or "",
        f"strength {digits(choice.strength)}, by {choice.rule}",
    )
    symbol = "star" if choice.clear else "star-open"
    canvas.add_marks(
        figure,
        [places[choice.index]],
        [float(curve[choice.index])],
        marker={"symbol": symbol, "size": 15, "color": EITHER[1]},
        ids=[[ident("value", choice.value), ident("measure", record.key)]],
        boxes=[box],
        yaxis=axis,
    )


def _curve_box(tuning: Tuning, record: Measure, k: int) -> str:
    noise = float(tuning.noise[k])
    return hover(
        f"{spoken(tuning.parameter)} = {spoken(tuning.values[k])}",
        f"{record.title}: {digits(float(tuning.curves[record.key][k]))}",
        tuning.reasons[record.key][k] or "",
        f"{int(tuning.counts[k]):,} clusters found" + (f", {noise:.1%} noise" if noise > 0 else ""),
    )


def elbow_title(tuning: Tuning) -> str:
    """Return what the measures suggest, in one sentence."""
    if tuning.suggestion is None:
        return f"There is no suggestion: {tuning.why}."
    value, total = tuning.suggestion, len(tuning.measures)
    clear = len(tuning.agreement.get(value, []))
    leaning = len(tuning.leanings.get(value, []))
    more = f" and {leaning} {'leans' if leaning == 1 else 'lean'} to it" if leaning else ""
    verb = "chooses" if clear == 1 else "choose"
    return (
        f"The suggestion is {spoken(tuning.parameter)} = {spoken(value)}: {clear} of {total} "
        f"measures clearly {verb} it{more}."
    )


def bound_plot(selection: Selection, *, theme: str = "light") -> Figure:
    """Draw the bound on the error rate by algorithm and number of clusters.

    Parameters
    ----------
    selection : Selection
        What `clustervet.select` found.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        One curve per algorithm: the best bound over the runs (Banerjee & Langford 2004, fig. 2). A
        dotted line is the true error of the same clustering, where it is known. The dashed lines
        are the bounds of always answering the commonest label and of the baseline, a plain
        classifier. A star marks the choice.

    Examples
    --------
    >>> import clustervet as cv
    >>> points = [[x + 200 * k] for k in range(2) for x in range(30)]
    >>> known = ["a"] * 30 + ["b"] * 30
    >>> found = cv.select(points, known, algorithms=["ward"], clusters=[2, 3], random_state=0)
    >>> bound_plot(found).layout.meta["title"][:21]
    'ward with 2 clusters '
    """
    curves = {
        name: {k: rate for k, rate in curve.items() if not math.isnan(rate)}
        for name, curve in selection.curves.items()
    }
    drawn = {name: curve for name, curve in curves.items() if curve}
    truth = _true_rates(selection)
    figure = canvas.new_figure()
    ranked = sorted(drawn, key=lambda name: min(drawn[name].values()))
    for place, name in enumerate(ranked):
        _add_algorithm(figure, name, drawn[name], truth.get(name, {}), place)
    _add_constant_and_choice(figure, selection, drawn)
    counts = sorted({k for curve in drawn.values() for k in curve})
    log = counts[-1] > 20 * max(1, counts[0]) and len(counts) > 3
    figure.update_xaxes(title="number of clusters", type="log" if log else "linear")
    if len(counts) <= NAMED:
        figure.update_xaxes(tickvals=counts)
    figure.update_yaxes(title="share of unlabelled points", tickformat=".0%", rangemode="tozero")
    title, note = bound_title(selection), _bound_note(selection, len(drawn), any(truth.values()))
    height = 420 + 18 * math.ceil(min(len(drawn), COLOURED) / 2)
    return canvas.finish(figure, "bound", theme, title, note, height=height, legend=True)


def _true_rates(selection: Selection) -> dict[str, dict[int, float]]:
    """Return the true error of the run with the best bound, by algorithm and number of clusters."""
    found: dict[str, dict[int, float]] = {}
    bounded = [one for one in selection.table if one.rate is not None]
    seen = set()
    for one in sorted(bounded, key=lambda one: one.rate or 0.0):
        key = one.algorithm, one.clusters
        if key not in seen and one.test_rate is not None:
            found.setdefault(one.algorithm, {})[one.clusters] = one.test_rate
        seen.add(key)
    return found


def _add_algorithm(
    figure: Figure, name: str, curve: dict[int, float], truth: dict[int, float], place: int
) -> None:
    quiet = place >= COLOURED
    colour = QUIET if quiet else EITHER[place % len(EITHER)]
    group = "others" if quiet else f"algorithm {place}"

    def add(rates: dict[int, float], **options: Any) -> None:
        canvas.add_marks(
            figure,
            list(rates),
            list(rates.values()),
            legendgroup=group,
            ids=[[ident("algorithm", name), ident("value", k)] for k in rates],
            boxes=[_bound_box(name, k, curve.get(k), truth.get(k)) for k in rates],
            **options,
        )

    add(
        curve,
        mode="lines+markers",
        name="other algorithms" if quiet else plot_text(name),
        showlegend=not quiet or place == COLOURED,
        line={"color": colour, "width": 1 if quiet else 2},
        marker={"symbol": SYMBOLS[0 if quiet else place], "size": 5 if quiet else 7},
        opacity=0.6 if quiet else 1,
    )
    if truth and not quiet:
        line = {"color": colour, "width": 1.2, "dash": "dot"}
        add(dict(sorted(truth.items())), mode="lines", showlegend=False, line=line)


def _bound_box(name: str, k: int, rate: float | None, truth: float | None) -> str:
    return hover(
        f"{spoken(name)}, {counted(k, 'cluster')}",
        "" if rate is None else f"bound {digits(rate)}",
        "" if truth is None else f"true error {digits(truth)}",
    )


def _add_constant_and_choice(
    figure: Figure, selection: Selection, drawn: dict[str, dict[int, float]]
) -> None:
    constant, best = selection.bound.constant, selection.best
    levels = {constant.rate: (constant_text(selection), 1, "dash")}
    if (baseline := selection.predictors.get(BASELINE)) is not None:
        levels[baseline.rate] = (baseline_text(selection), 0, "dashdot")
    for rate, (text, side, dash) in levels.items():
        figure.add_hline(y=rate, line={"dash": dash, "width": 1.5, "color": QUIET})
        figure.add_annotation(
            x=side,
            xref="paper",
            xanchor="right" if side else "left",
            y=rate,
            yanchor="bottom",
            text=escape(text),
        )
    height = drawn[best.algorithm][best.clusters]
    box = hover(
        f"chosen: {spoken(best.algorithm)}, {counted(best.clusters, 'cluster')}",
        f"bound with the cost of all choices {digits(best.rate)}",
    )
    canvas.add_marks(
        figure,
        [best.clusters],
        [height],
        name="chosen",
        marker={"symbol": "star-open", "size": 18, "color": EITHER[1], "line": {"width": 2}},
        ids=[[ident("algorithm", best.algorithm), ident("value", best.clusters)]],
        boxes=[box],
    )


def constant_text(selection: Selection) -> str:
    """Return the bound of always answering the commonest label."""
    constant = selection.bound.constant
    return f"always {spoken(constant.label, 20)}: {share(constant.rate)}"


def baseline_text(selection: Selection) -> str:
    """Return the bound of the plain classifier that learns from some of the labels."""
    baseline = selection.predictors[BASELINE]
    return f"{baseline.method}: {share(baseline.rate)}"


def bound_title(selection: Selection) -> str:
    """Return what was chosen and how it compares, in one sentence."""
    best, constant = selection.best, selection.bound.constant
    rate, label = share(best.rate or 0.0), spoken(constant.label, 24)
    what = f"{spoken(best.algorithm)} with {counted(best.clusters, 'cluster')}"
    if selection.bound.beats_constant:
        return (
            f"{what} is wrong about at most {rate} of the unlabelled points; always answering "
            f"{label} is bounded by {share(constant.rate)}."
        )
    return (
        f"No clustering beats always answering {label} ({share(constant.rate)}); the best bound "
        f"is {rate}, of {what}."
    )


def _bound_note(selection: Selection, drawn: int, known: bool) -> str:
    study = selection.study
    said = [
        f"Bounds hold with probability {1 - study.delta:.4g}; {study.train_size:,} of "
        f"{study.points:,} points are labelled. Curves show the best of "
        f"{counted(study.runs, 'run')} and include the cost of that choice; the bound in the title "
        "includes the cost of all choices."
    ]
    if known:
        said.append("Dotted lines are the true error.")
    if BASELINE in selection.predictors:
        said.append(
            "The line of dashes and dots is the bound of a classifier that learns from some of the "
            "labels and is checked on the others."
        )
    if drawn > COLOURED:
        said.append(f"The {COLOURED} algorithms with the lowest bounds are coloured.")
    return " ".join(said)


@figures.register
def _(tuning: Tuning, *, theme: str = "light") -> list[Figure]:
    drawn = [elbow_plot(tuning, theme=theme)]
    if np.count_nonzero(tuning.counts) > 1:
        drawn.append(cluster_tree(tuning, theme=theme))
    return drawn


canvas.draws(Selection, bound_plot)
