"""The verdict in plain words; every figure in it comes from a finished result."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from clustervet.evidence import Evidence
from clustervet.inference import Ranking
from clustervet.plots.text import listed
from clustervet.registry import measures
from clustervet.report.cells import spoken_name
from clustervet.report.dropped import dropped_words
from clustervet.report.phrases import score_words
from clustervet.scorecard import ScoreCard, ScoreCards

# Names in a sentence before the others are only counted.
NAMED = 4
INNER = ("silhouette", "simplified_silhouette", "davies_bouldin")


def verdict(evidence: Evidence) -> tuple[str, ...]:
    """Who is ahead, whether the data can tell, where it goes wrong, and what features say."""
    said = []
    if evidence.scores is not None:
        said += _against_classes(evidence)
    if evidence.inner is not None:
        said += _against_features(evidence)
    if left_out := dropped_words(evidence):
        said.insert(1, left_out)
    return tuple(said)


def leader(evidence: Evidence) -> str:
    """The clustering that is shown first."""
    cards = evidence.scores if evidence.scores is not None else evidence.inner
    key = evidence.ranking.measure if evidence.ranking is not None else _key(evidence)
    return best_by(cards, key)


def _key(evidence: Evidence) -> str:
    """The measure that the verdict is about."""
    cards = evidence.scores if evidence.scores is not None else evidence.inner
    return "" if cards is None else _headline(cards)


def cards_words(result: ScoreCard | ScoreCards) -> list[str]:
    """Which card is ahead by the measure asked for first."""
    cards = {result.subject.pred: result} if isinstance(result, ScoreCard) else dict(result)
    key = _headline(cards)
    if not key:
        return []
    best = best_by(cards, key)
    words, shown = score_words(cards[best], key), spoken_name(best)
    if len(cards) == 1:
        return [f"The score card of {shown} has {words}."]
    return [f"Of {len(cards):,} score cards {shown} is ahead: {words}."]


def _headline(cards: Mapping[str, ScoreCard]) -> str:
    """The measure with a direction that people ask for first."""
    keys = [k for k in next(iter(cards.values())) if measures[k].better != "neither"]
    wanted = [k for k in ("adjusted_rand", *INNER) if k in keys]
    return (wanted or keys or [""])[0]


def best_by(cards: Any, key: str) -> str:
    """The name of the card with the best value of a measure; the first where none is defined."""
    names = list(cards)
    if not key:
        return str(names[0])
    sign = -1 if measures[key].better == "higher" else 1
    defined = [name for name in names if not math.isnan(cards[name].scores[key].value)]
    return str(min(defined or names, key=lambda name: sign * cards[name].scores[key].value))


def _against_classes(evidence: Evidence) -> list[str]:
    assert evidence.scores is not None  # asked only then
    first = leader(evidence)
    card, shown = evidence.scores[first], spoken_name(first)
    ranking = evidence.ranking
    key = ranking.measure if ranking is not None else _key(evidence)
    truth = spoken_name(evidence.truth or "the truth")
    if not key:
        return ["No measure that was asked for says which clustering is better."]
    score = score_words(card, key)
    tied = _tied(evidence.scores, key, first)
    if len(evidence.names) == 1:
        said = [f"Against {truth}, {shown} has {score}."]
    elif tied:
        names = [spoken_name(name) for name in [first, *tied]]
        leading = listed(names) if len(names) <= NAMED else f"{shown} and {len(tied):,} others"
        said = [
            f"Of {len(evidence.names):,} clusterings {leading} agree best with {truth}: {score}."
        ]
    else:
        said = [
            f"Of {len(evidence.names):,} clusterings {shown} agrees best with {truth}: {score}."
        ]
    if ranking is not None:
        said.append(ranking_words(ranking, first))
    found = evidence.chances.get(first, {}).get(key)
    if found is not None and not math.isnan(found.p_value):
        said.append(_chance_words(found.p_value, found.samples))
    if first in evidence.diagnoses:
        said.append(_tail(evidence.diagnoses[first].verdict, key))
    return [line for line in said if line]


def _tied(cards: Mapping[str, ScoreCard], key: str, first: str) -> list[str]:
    """The others that have the same value of a measure."""
    best = cards[first].scores[key].value
    return [name for name, card in cards.items() if name != first and card[key] == best]


def _tail(text: str, key: str) -> str:
    """A diagnosis without its first sentence where that repeats the score."""
    head, _, rest = text.partition("). ")
    return rest if key == "adjusted_rand" and rest and "adjusted Rand" in head else text


def ranking_words(ranking: Ranking, first: str | None = None) -> str:
    """Whether the data can tell the leader from the others."""
    best = ranking.groups[0][0] if first is None else first
    pairs = [c for c in ranking.comparisons if best in (c.first, c.second)]
    others = [c.second if c.first == best else c.first for c in pairs]
    tied = [name for name, c in zip(others, pairs, strict=True) if c.better is None]
    worse = sum(c.better == best for c in pairs)
    shown, sure = spoken_name(best), f"at {ranking.confidence:.4g} confidence"
    if not tied and worse == len(others):
        rest = "the other" if worse == 1 else f"all {worse:,} others"
        return f"The data can tell: {shown} is better than {rest}, {sure}."
    if not tied:
        return f"The data show {shown} to be better than {worse:,} of {len(others):,}, {sure}."
    names = [spoken_name(name) for name in tied]
    said = listed(names) if len(names) <= NAMED else f"{len(names):,} others"
    end = f"; {worse:,} {'is' if worse == 1 else 'are'} worse" if worse else ""
    return f"The data cannot tell {shown} from {said} {sure}{end}."


def _chance_words(p: float, samples: int) -> str:
    least = f" (of {samples:,} random clusterings)" if samples else ""
    if p < 0.01:
        return f"That is beyond chance: p = {_p(p)}{least}."
    if p < 0.05:
        return f"That is hardly chance: p = {_p(p)}{least}."
    return f"That may be chance alone: p = {_p(p)}{least}."


def _p(p: float) -> str:
    return f"{p:.2g}" if p >= 1e-4 else "less than 0.0001"


def _against_features(evidence: Evidence) -> list[str]:
    inner = evidence.inner
    assert inner is not None  # asked only then
    first = next(iter(inner.values()))
    key = next((k for k in INNER if k in first.scores), "")
    if not key:
        return []
    best = best_by(inner, key)
    words = score_words(inner[best], key)
    if len(inner) == 1:
        return [f"By its features: {words}."]
    same = evidence.scores is not None and best == leader(evidence)
    also = " too" if same else ""
    return [f"By the features alone {spoken_name(best)} is ahead{also}: {words}."]
