"""What score cards say in words, and what of them is drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from clustervet.errors import ParameterError
from clustervet.inference import Chance
from clustervet.plots.text import brief, listed, number, shown
from clustervet.registry import Estimate, Measure, measures
from clustervet.scorecard import ScoreCard
from clustervet.scorecard.card import Score
from clustervet.scorecard.render import best_cards

Chances = Mapping[str, Any]
# The measure that a sentence about one card is about, the first that it has.
HEADLINES = ("adjusted_rand", "adjusted_mutual_information", "variation_of_information")
CONFIDENCE = 0.95


def read_cards(cards: Any) -> dict[str, ScoreCard]:
    """Cards by name."""
    if isinstance(cards, ScoreCard):
        return {cards.subject.pred: cards}
    if not isinstance(cards, Mapping) or not cards:
        raise ParameterError("cards must be a ScoreCard, or several by name.")
    return {str(name): card for name, card in cards.items()}


def chosen_measures(named: dict[str, ScoreCard], wanted: Sequence[str] | None) -> list[Measure]:
    """The measures to show; without a wish those that say how good a clustering is."""
    first = next(iter(named.values()))
    shared = [key for key in first if all(key in card.scores for card in named.values())]
    if wanted is not None:
        keys = [key if key in first.scores else measures[key].key for key in wanted]
        if missing := [key for key in keys if key not in shared]:
            raise ParameterError(f"the cards have no {', '.join(missing)}.")
        return [first.scores[key].measure for key in keys]
    records = [first.scores[key].measure for key in shared]
    return [record for record in records if record.better != "neither"] or records


def interval_of(score: Score) -> tuple[float, float, float] | None:
    """Low, high and confidence, where a score has them."""
    if score.interval is not None and not math.isnan(score.interval.low):
        return score.interval.low, score.interval.high, score.interval.confidence
    if isinstance(score.value, Estimate):
        return (*score.value.interval(CONFIDENCE), CONFIDENCE)
    return None


def span_text(found: tuple[float, float, float]) -> str:
    """From where to where."""
    return f"{number(found[0])} to {number(found[1])}"


def percent(confidence: float) -> str:
    """A confidence as a percentage."""
    return f"{100 * confidence:.4g}%"


def expectations(named: dict[str, ScoreCard], chance: Chances) -> dict[str, dict[str, Chance]]:
    """Levels of chance by card and measure."""
    if all(isinstance(item, Chance) for item in chance.values()):
        return {name: dict(chance) for name in list(named)[:1]} if chance else {}
    return {str(name): dict(levels) for name, levels in chance.items() if str(name) in named}


def count_wins(named: dict[str, ScoreCard], records: list[Measure]) -> dict[str, int]:
    """For how many measures each card has the best value."""
    names = list(named)
    wins = dict.fromkeys(names, 0)
    for record in records:
        for place in best_cards([named[name].scores[record.key] for name in names]):
            wins[names[place]] += 1
    return wins


def score_title(
    named: dict[str, ScoreCard],
    records: list[Measure],
    wins: dict[str, int],
    expected: dict[str, dict[str, Chance]],
) -> str:
    """What the scores say, in a sentence."""
    if len(named) > 1:
        judged = sum(record.better != "neither" for record in records)
        ranked = sorted(wins, key=lambda name: -wins[name])
        if wins[ranked[0]] == 0:
            return "No clustering is ahead: all values are equal."
        tied = [shown(name) for name in ranked if wins[name] == wins[ranked[0]]]
        if len(tied) > 1:
            return f"{listed(tied[:3])} each have the best value in {wins[ranked[0]]} of {judged}."
        second = ranked[1]
        after = f"; next is {shown(second)} with {wins[second]}" if wins[second] else ""
        return f"{tied[0]} has the best value in {wins[ranked[0]]} of {judged} measures{after}."
    card, name = next(iter(named.values())), next(iter(named))
    keys = [record.key for record in records]
    key = next(key for key in (*HEADLINES, *keys) if key in keys)
    score = card.scores[key]
    unit = f" {score.measure.unit}" if score.measure.unit else ""
    found = interval_of(score)
    sure = ""
    if found:
        sure = f" ({percent(found[2])} interval {brief(found[0])} to {brief(found[1])})"
    level = expected.get(name, {}).get(key)
    random = f"; chance gives {brief(level.expected)}" if level else ""
    return f"{score.measure.title} is {brief(score.value)}{unit}{sure}{random}."


def score_note(
    named: dict[str, ScoreCard], records: list[Measure], expected: dict[str, dict[str, Chance]]
) -> str:
    """How to read the scores, and which have no value."""
    said = []
    if any(record.better != "neither" for record in records):
        said.append("↑ higher is better, ↓ lower is better.")
    found = [interval_of(c.scores[r.key]) for c in named.values() for r in records]
    levels = sorted({each[2] for each in found if each})
    if levels:
        said.append(f"Bars are {listed(list(map(percent, levels)))} intervals.")
    if expected:
        said.append("Grey strokes are what chance gives.")
    undefined = [
        f"{record.title} ({card.scores[record.key].why})"
        for card in list(named.values())[:1]
        for record in records
        if math.isnan(card.scores[record.key].value)
    ]
    if undefined:
        more = f" and {len(undefined) - 2} more" if len(undefined) > 2 else ""
        said.append(f"Undefined: {'; '.join(undefined[:2])}{more}.")
    return " ".join(said)
