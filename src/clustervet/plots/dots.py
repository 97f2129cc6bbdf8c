"""Dots with intervals: score cards with the level of chance, and the lead of the best one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from clustervet._checks import whole
from clustervet.errors import ParameterError
from clustervet.inference import Chance, Ranking
from clustervet.plots import canvas, figures
from clustervet.plots.canvas import Figure, axis_texts, escape, hover
from clustervet.plots.theme import EITHER, QUIET, SYMBOLS
from clustervet.registry import Measure
from clustervet.registry import measures as registry
from clustervet.scorecard import Score, ScoreCard, ScoreCards
from clustervet.scorecard.card_document import leading_keys
from clustervet.view import best_places
from clustervet.view.words import (
    ARROWS,
    COUNTED,
    DIRECTIONS,
    brief,
    counted,
    digits,
    ident,
    listed,
    spoken,
)

Cards = ScoreCard | ScoreCards | Mapping[str, ScoreCard]
Chances = Mapping[str, Any]
Levels = dict[str, dict[str, Chance]]
# The measures of the sentence about one card, where the card has them.
HEADLINES = (
    *("adjusted_rand", "adjusted_mutual_information", "variation_of_information"),
    *("ndc", "omega_index", "cophenetic_correlation"),
)
# Measures up to which a page shows all; of more, the leading ones.
SHOWN = 5
# Cards that have a colour of their own; of more, only the leading ones.
COLOURED = 6
LEADING = 3
# Units in which different measures can be read on one axis.
COMMON = ("bits", "objects")
# Pixels of a row, of what a panel needs beside its rows, and what another card adds to a row.
ROW, PANEL, MORE = 24, 56, 7


@dataclass
class Panel:
    """Measures that share an axis."""

    title: str
    measures: list[Measure] = field(default_factory=list)
    bounded: bool = False


def score_plot(
    cards: Cards,
    *,
    chance: Chances | None = None,
    measures: Sequence[str] | None = None,
    theme: str = "light",
) -> Figure:
    """Draw the scores of one clustering or of several, with their intervals.

    Parameters
    ----------
    cards : ScoreCard, ScoreCards or mapping of str to ScoreCard
        The scores.
    chance : mapping or None, optional
        What to expect by chance: {measure: Chance}, or {card: {measure: Chance}}. It is drawn as a
        stroke across the row of the measure.
    measures : sequence of str or None, optional
        The measures to show; by default all for which higher or lower is better.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        One row per measure. Measures between fixed bounds share an axis, as do those in bits;
        others have their own.

    Raises
    ------
    ParameterError
        If `cards` are no score cards, or have no value of these measures.

    Examples
    --------
    >>> import clustervet as cv
    >>> card = cv.external_scores([0, 0, 1, 1], [0, 0, 0, 1], measures=["purity", "vi"])
    >>> score_plot(card).layout.meta["title"]
    'Variation of information is 1.19 bits.'
    """
    named = read_cards(cards)
    wanted = chosen_measures(named, measures)
    records = [r for r in wanted if any(not math.isnan(card[r.key]) for card in named.values())]
    if not records:
        raise ParameterError("no measure of these cards has a value.")
    panels = _panels(records)
    levels = _levels(named, chance or {})
    wins = _wins(named, records)
    order = sorted(named, key=lambda name: -wins[name]) if len(named) > COLOURED else list(named)
    lanes = len(named) if len(named) <= COLOURED else 2
    row = ROW + MORE * (lanes - 1)
    figure = canvas.new_figure()
    _lay_out(figure, panels, row, _lowest(named, panels[0]))
    for at, name in enumerate(order):
        _add_card(figure, panels, named[name], name, at, len(order))
    _add_chance(figure, panels, levels)
    several = len(named) > 1 or any(levels.values())
    height = sum(row * len(panel.measures) + PANEL for panel in panels) + (40 if several else 10)
    title = _score_title(named, records, wins, levels)
    note = _score_note(named, wanted, levels)
    return canvas.finish(figure, "scores", theme, title, note, height=height, legend=several)


def read_cards(cards: Any) -> dict[str, ScoreCard]:
    """Return the cards by name."""
    if isinstance(cards, ScoreCard):
        return {cards.subject.pred: cards}
    if not isinstance(cards, Mapping) or not cards:
        raise ParameterError("cards must be a ScoreCard, or several by name.")
    return {str(name): card for name, card in cards.items()}


def chosen_measures(named: dict[str, ScoreCard], wanted: Sequence[str] | None) -> list[Measure]:
    """Return the measures to show; by default those that say how good a clustering is."""
    first = next(iter(named.values()))
    shared = [key for key in first if all(key in card.scores for card in named.values())]
    if wanted is not None:
        keys = [key if key in first.scores else registry[key].key for key in wanted]
        if missing := [key for key in keys if key not in shared]:
            raise ParameterError(f"the cards have no {', '.join(missing)}.")
        return [first.scores[key].measure for key in keys]
    records = [first.scores[key].measure for key in shared]
    return [record for record in records if record.better != "neither"] or records


def is_bounded(record: Measure) -> bool:
    """Return whether a measure lies between fixed bounds."""
    return all(map(math.isfinite, record.bounds))


def reaches(
    values: Sequence[float], ends: Sequence[tuple[float, ...] | None]
) -> tuple[list[float], list[float]]:
    """Return how far intervals reach below and above their values; 0 where there is none."""
    pairs = list(zip(values, ends, strict=True))
    below = [max(0.0, value - end[0]) if end else 0.0 for value, end in pairs]
    above = [max(0.0, end[1] - value) if end else 0.0 for value, end in pairs]
    return below, above


def _error_bars(
    values: Sequence[float], ends: Sequence[tuple[float, ...] | None]
) -> dict[str, Any] | None:
    if not any(ends):
        return None
    below, above = reaches(values, ends)
    sides = {"array": above, "arrayminus": below}
    return {"type": "data", "symmetric": False, "thickness": 1.5, "width": 4, **sides}


def _panels(records: list[Measure]) -> list[Panel]:
    """Return the measures by the axis that they share, those between fixed bounds first."""
    found: dict[str, Panel] = {"": Panel("", bounded=True)}
    for record in records:
        if is_bounded(record):
            key, title = "", ""
        elif record.unit in COMMON:
            key = title = record.unit
        else:
            key, title = record.key, record.unit
        found.setdefault(key, Panel(title)).measures.append(record)
    return [panel for panel in found.values() if panel.measures]


def _lowest(named: dict[str, ScoreCard], panel: Panel) -> float:
    """Return where the axis of bounded measures begins: at 0, or at the lowest value or end."""
    scores = [card.scores[record.key] for card in named.values() for record in panel.measures]
    lows = [ends[0] for score in scores if (ends := score.ends)]
    lows += [score.value for score in scores if not math.isnan(score.value)]
    least = min(lows, default=0.0)
    return math.floor(10 * least) / 10 if least < 0 else 0.0


def _lay_out(figure: Figure, panels: list[Panel], row: int, lowest: float) -> None:
    """Give each panel its two axes, one panel below the other."""
    total = sum(row * len(panel.measures) + PANEL for panel in panels) - PANEL
    top = 0
    for k, panel in enumerate(panels):
        bottom = top + row * len(panel.measures)
        last = len(panel.measures) - 1
        across = {
            "anchor": canvas.axis("y", k),
            "title": {"text": escape(panel.title), "standoff": 2},
            "range": [lowest - 0.02, 1.02] if panel.bounded else None,
            "rangemode": "tozero" if panel.title in COMMON else "normal",
            "tickformat": "~s" if panel.title in COUNTED else ",.6~g",
        }
        down = {
            "anchor": canvas.axis("x", k),
            "domain": [max(0.0, 1 - bottom / total), 1 - top / total],
            "range": [last + 0.6, -0.6],
            "tickvals": list(range(last + 1)),
            "ticktext": [
                escape(f"{spoken(record.title, 36)} {ARROWS[record.better]}".strip())
                for record in panel.measures
            ],
        }
        figure.update_layout({canvas.axis("xaxis", k): across, canvas.axis("yaxis", k): down})
        top = bottom + PANEL


def _add_card(
    figure: Figure, panels: list[Panel], card: ScoreCard, name: str, at: int, count: int
) -> None:
    quiet = count > COLOURED and at >= LEADING
    lane, lanes = (at, count) if count <= COLOURED else (int(quiet), 2)
    shift = 0.6 * (lane / (lanes - 1) - 0.5) if lanes > 1 else 0.0
    for k, panel in enumerate(panels):
        scores = [card.scores[record.key] for record in panel.measures]
        values = [score.value for score in scores]
        bars = None if quiet else _error_bars(values, [score.ends for score in scores])
        canvas.add_marks(
            figure,
            [None if math.isnan(value) else float(value) for value in values],
            [row + shift for row in range(len(scores))],
            name=escape(f"{count - LEADING:,} others" if quiet else spoken(name)),
            legendgroup="others" if quiet else f"card {at}",
            showlegend=k == 0 and (not quiet or at == LEADING),
            marker={
                "size": 6 if quiet else 9,
                "symbol": SYMBOLS[0 if quiet else at % len(SYMBOLS)],
                "color": QUIET if quiet else EITHER[at % len(EITHER)],
                "opacity": 0.5 if quiet else 1,
            },
            error_x=bars,
            ids=[[ident("pred", name), ident("measure", score.measure.key)] for score in scores],
            boxes=[_score_box(name, score) for score in scores],
            xaxis=canvas.axis("x", k),
            yaxis=canvas.axis("y", k),
        )


def _score_box(name: str, score: Score) -> str:
    record, ends = score.measure, score.ends
    unit = f" {record.unit}" if record.unit else ""
    return hover(
        spoken(name),
        f"{record.title}: {digits(score.value)}{unit}",
        f"{_percent(ends[2])} interval {digits(ends[0])} to {digits(ends[1])}" if ends else "",
        DIRECTIONS[record.better],
        score.why or "",
    )


def _percent(confidence: float) -> str:
    return f"{100 * confidence:.4g}%"


def _add_chance(figure: Figure, panels: list[Panel], levels: Levels) -> None:
    fresh = True
    for k, panel in enumerate(panels):
        marks = [
            (row, name, of_card[record.key])
            for row, record in enumerate(panel.measures)
            for name, of_card in levels.items()
            if record.key in of_card and not math.isnan(of_card[record.key].expected)
        ]
        if not marks:
            continue
        canvas.add_marks(
            figure,
            [level.expected for _, _, level in marks],
            [row for row, _, _ in marks],
            name="expected by chance",
            legendgroup="chance",
            showlegend=fresh,
            marker={"symbol": "line-ns-open", "size": 16, "color": QUIET, "line": {"width": 2}},
            ids=[[ident("pred", n), ident("measure", level.measure)] for _, n, level in marks],
            boxes=[
                hover(
                    f"expected by chance: {digits(level.expected)}",
                    f"model: {level.model}",
                    f"p-value {digits(level.p_value)}",
                    spoken(name),
                )
                for _, name, level in marks
            ],
            xaxis=canvas.axis("x", k),
            yaxis=canvas.axis("y", k),
        )
        fresh = False


def _levels(named: dict[str, ScoreCard], chance: Chances) -> Levels:
    """Return the levels of chance by card and measure; a flat mapping is about the first card."""
    if chance and all(isinstance(item, Chance) for item in chance.values()):
        chance = {next(iter(named)): chance}
    return {
        str(name): {
            key if key in named[str(name)].scores else registry[key].key: level
            for key, level in levels.items()
        }
        for name, levels in chance.items()
        if str(name) in named
    }


def _wins(named: dict[str, ScoreCard], records: list[Measure]) -> dict[str, int]:
    """Return for how many measures each card has the best value."""
    names = list(named)
    wins = dict.fromkeys(names, 0)
    for record in records:
        for place in best_places([named[name][record.key] for name in names], record.better):
            wins[names[place]] += 1
    return wins


def _score_title(
    named: dict[str, ScoreCard], records: list[Measure], wins: dict[str, int], levels: Levels
) -> str:
    """Return what the scores say, in one sentence."""
    if len(named) > 1:
        judged = _judged(named, records)
        ranked = sorted(wins, key=lambda name: -wins[name])
        most, second = wins[ranked[0]], ranked[1]
        if most == 0:
            return "No clustering is ahead: all values are equal."
        tied = [spoken(name) for name in ranked if wins[name] == most]
        if len(tied) > 1:
            return f"{listed(tied[:3])} each have the best value in {most} of {judged}."
        after = f"; next is {spoken(second)} with {wins[second]}" if wins[second] else ""
        return f"{tied[0]} has the best value in {most} of {judged}{after}."
    ((name, card),) = named.items()
    keys = [record.key for record in records]
    key = next(key for key in (*HEADLINES, *keys) if key in keys)
    score = card.scores[key]
    said = f"{score.measure.title} is {brief(score.value)}"
    said += f" {score.measure.unit}" if score.measure.unit else ""
    if ends := score.ends:
        said += f" ({_percent(ends[2])} interval {brief(ends[0])} to {brief(ends[1])})"
    if level := levels.get(name, {}).get(key):
        said += f"; {brief(level.expected)} is expected by chance"
    return f"{said}."


def _judged(named: dict[str, ScoreCard], records: list[Measure]) -> str:
    """Return how many measures are shown that have a best value, and whether these are all."""
    shown, every = (
        sum(record.better != "neither" for record in found)
        for found in (records, chosen_measures(named, None))
    )
    return f"{shown:,} measures" if shown == every else f"the {counted(shown, 'measure')} shown"


def _score_note(named: dict[str, ScoreCard], records: list[Measure], levels: Levels) -> str:
    """Return how to read the scores, and which have no value."""
    said = []
    if any(record.better != "neither" for record in records):
        said.append("↑ higher is better, ↓ lower is better.")
    scores = [card.scores[record.key] for card in named.values() for record in records]
    confidences = sorted({ends[2] for score in scores if (ends := score.ends)})
    if confidences:
        said.append(f"Bars are {listed(list(map(_percent, confidences)))} intervals.")
    if levels:
        said.append("Grey strokes are chance levels.")
    undefined = [
        f"{score.measure.title} ({score.why})"
        for score in scores[: len(records)]
        if math.isnan(score.value)
    ]
    if undefined:
        more = f" and {len(undefined) - 2} more" if len(undefined) > 2 else ""
        said.append(f"Undefined: {'; '.join(undefined[:2])}{more}.")
    return " ".join(said)


class Lead(NamedTuple):
    """The value of the best prediction minus that of another one, and the interval of that."""

    name: str
    difference: float
    ends: tuple[float, float] | None
    p_value: float
    distinct: bool


def ranking_plot(ranking: Ranking, *, most: int = 40, theme: str = "light") -> Figure:
    """Draw how far the best prediction is ahead of each other one, with intervals.

    Parameters
    ----------
    ranking : Ranking
        What `clustervet.rank_predictions` found.
    most : int, default 40
        The most predictions that are drawn. The note tells how many others there are.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        One row per other prediction. Its dot is hollow where the data cannot distinguish it from
        the best one.

    Examples
    --------
    >>> import clustervet as cv
    >>> truth = [0] * 50 + [1] * 50
    >>> preds = {"good": [0] * 45 + [1] * 55, "poor": [0, 1] * 50}
    >>> ranked = cv.rank_predictions(truth, preds, "rand", random_state=0)
    >>> ranking_plot(ranked).layout.meta["title"]
    'good is best: the data distinguish it from all others.'
    """
    whole(most, "most", 1)
    best = ranking.groups[0][0]
    leads = _leads(ranking, best)
    kept = leads[:most]
    record = registry[ranking.measure]
    figure = canvas.new_figure()
    for distinct, name, colour, symbol in (
        (True, "distinguished", EITHER[0], "circle"),
        (False, "not distinguished", QUIET, "circle-open"),
    ):
        rows = [row for row, lead in enumerate(kept) if lead.distinct == distinct]
        if rows:
            marker = {"color": colour, "symbol": symbol, "size": 9}
            _add_leads(figure, kept, rows, best, name=name, marker=marker)
    figure.add_vline(x=0, line={"width": 1.5, "dash": "dash"})
    unit = f", {record.unit}" if record.unit else ""
    leader = spoken(best, 20)
    figure.update_xaxes(title=escape(f"{record.title} of {leader} minus that of the other{unit}"))
    canvas.name_rows(figure, axis_texts([lead.name for lead in kept]), showgrid=False)
    left = len(leads) - len(kept)
    note = (
        f"{_percent(ranking.confidence)} intervals over {ranking.objects:,} objects, by pairs; "
        "p-values are corrected for the number of pairs (Holm). "
        f"{'Left' if record.better == 'lower' else 'Right'} of 0, {leader} is better."
    )
    if left:
        what = "prediction is" if left == 1 else "predictions are"
        note += f" {left:,} more {what} not drawn."
    near = [spoken(lead.name) for lead in leads if not lead.distinct]
    who = near if len(near) <= 3 else [*near[:2], f"{len(near) - 2:,} others"]
    title = f"{spoken(best)} is best: the data distinguish it from all others."
    if near:
        title = f"{spoken(best)} has the best value, but the data cannot distinguish it from "
        title += f"{listed(who)}."
    height = 130 + 26 * max(2, len(kept))
    return canvas.finish(figure, "ranking", theme, title, note, height=height, legend=True)


def _leads(ranking: Ranking, best: str) -> list[Lead]:
    """Return the others from best to worst, each compared with the leader."""
    found = {}
    for pair in ranking.comparisons:
        if best not in (pair.first, pair.second):
            continue
        other = pair.second if pair.first == best else pair.first
        sign = 1.0 if pair.first == best else -1.0
        low, high = sorted((sign * pair.interval.low, sign * pair.interval.high))
        ends = None if math.isnan(low) else (low, high)
        difference = sign * pair.difference
        found[other] = Lead(other, difference, ends, pair.p_value, pair.better is not None)
    return [found[name] for name in ranking.letters if name in found]


def _add_leads(
    figure: Figure, kept: list[Lead], rows: list[int], best: str, **options: Any
) -> None:
    leads = [kept[row] for row in rows]
    differences = [lead.difference for lead in leads]
    canvas.add_marks(
        figure,
        differences,
        rows,
        error_x=_error_bars(differences, [lead.ends for lead in leads]),
        ids=[[ident("pred", lead.name)] for lead in leads],
        boxes=[
            hover(
                f"{spoken(best)} minus {spoken(lead.name)}: {digits(lead.difference)}",
                f"interval {digits(lead.ends[0])} to {digits(lead.ends[1])}" if lead.ends else "",
                f"p-value {digits(lead.p_value)}",
            )
            for lead in leads
        ],
        **options,
    )


def judgement_figures(
    scores: Cards, chances: Chances, ranking: Ranking | None = None, *, theme: str = "light"
) -> list[Figure]:
    """Return the figure of the bounded scores, with the chance levels of the first prediction.

    Of more than a few measures those are shown that lead in the table of the clusterings.
    `chances` is {card: {measure: Chance}}. There is no figure where no such measure has a value.
    """
    named = read_cards(scores)
    keys = [
        record.key
        for record in chosen_measures(named, None)
        if record.better != "neither"
        and is_bounded(record)
        and any(math.isfinite(card[record.key]) for card in named.values())
    ]
    leading = [key for key in leading_keys(named, ranking) if key in keys]
    few = len(chosen_measures(named, None)) <= SHOWN
    shown = list(dict.fromkeys([*leading, *keys]))[:SHOWN] if few or not leading else leading
    levels = {name: chances[name] for name in list(chances)[:1]}
    return [score_plot(named, chance=levels, measures=shown, theme=theme)] if shown else []


@figures.register
def _(cards: ScoreCard | ScoreCards, *, theme: str = "light") -> list[Figure]:
    return judgement_figures(cards, {}, theme=theme)


canvas.draws(Ranking, ranking_plot)
