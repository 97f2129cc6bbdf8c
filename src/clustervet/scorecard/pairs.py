"""Soft, overlapping and hierarchical clusterings judged as labels are: scores, ranking, chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from clustervet._checks import generator
from clustervet.errors import ParameterError, Setting
from clustervet.hierarchical import BkCurve, b_k
from clustervet.inference import Chance, Ranking, rank_predictions
from clustervet.inference.chance import pair_levels
from clustervet.inference.interval import pair_intervals
from clustervet.inference.paired import Measured
from clustervet.registry import Pair, doors, measures
from clustervet.scorecard.card import PairSubject, Score, ScoreCard, ScoreCards
from clustervet.scorecard.card_document import without_interval
from clustervet.scorecard.judgement import Judgement
from clustervet.scorecard.questions import GIVEN, Chosen, Questions, named_labelings

# Objects up to which measures are taken unasked whose time grows with pairs of objects.
MOST_OBJECTS = 10_000
# The measure of trees that needs classes as the truth.
FLAT_TRUTH = "dendrogram_purity"


def judge_pairs(truth: Any, pred: Any, asked: Questions, **options: Any) -> Judgement:
    """Answer questions about two soft, overlapping or hierarchical clusterings, or several."""
    for name, value in {**options, "diagnose": asked.diagnose or None}.items():
        if value not in (None, "raise"):
            raise ParameterError(Setting(name), f" is for labels, not for {GIVEN[asked.kind]}.")
    preds = named_labelings(pred, "pred") if isinstance(pred, Mapping) else {"pred": pred}
    pairs = {name: doors[asked.kind]("scoring", truth, each) for name, each in preds.items()}
    cards = {name: _card(name, pair, asked) for name, pair in pairs.items()}
    chances = {name: _levels(pair, asked) for name, pair in pairs.items() if asked.chance}
    return Judgement(
        ScoreCards(cards),
        ranking=_ranking(truth, preds, asked),
        chances=chances,
        pairs=pairs,
        curves=_curves(pairs, asked),
    )


def _card(name: str, pair: Pair, asked: Questions) -> ScoreCard:
    records, remarks = asked.records(), list(pair.remarks)
    slow = [r.key for r in records if r.cost == "pairs" and asked.measures is None]
    if slow and pair.n > MOST_OBJECTS:
        records = [record for record in records if record.key not in slow]
        remarks.append(
            f"Not computed, since they take long for so many objects: {', '.join(slow)}. Name them "
            "to have them."
        )
    able: Measured = [(record, {}) for record in records if not record.no_interval]
    intervals = {}
    if asked.confidence is not None:
        made = pair_intervals(pair, able, asked.confidence, asked.random_state)
        intervals = {record.key: one for (record, _), one in zip(able, made, strict=True)}
        remarks += without_interval(records)
    if asked.measures is None and not getattr(getattr(pair, "truth", None), "flat", True):
        records = [record for record in records if record.key != FLAT_TRUTH]
    scores = [Score(r, *r.evaluate(pair), intervals.get(r.key)) for r in records]
    sizes = {key: size for key, size in pair.sizes.items() if key != "objects"}
    about = PairSubject(asked.kind, pair.n, sizes, pred=name, remarks=tuple(remarks))
    return ScoreCard(about, scores)


def _levels(pair: Pair, asked: Questions) -> dict[str, Chance]:
    wanted = asked.beside_chance
    records = asked.records() if wanted is None else measures.select(wanted)
    measured: Measured = [(record, {}) for record in records if record.better != "neither"]
    rng = generator(asked.random_state)
    levels = pair_levels(pair, measured, str(asked.chance), asked.samples, "conservative", rng)
    return {level.measure: level for level in levels}


def _curves(pairs: Mapping[str, Pair], asked: Questions) -> dict[str, BkCurve]:
    """Return how well cuts of trees agree, where no measures are named and there are such cuts."""
    if asked.kind != "hierarchical" or asked.measures is not None or asked.family is not None:
        return {}
    found = {}
    for name, pair in pairs.items():
        with suppress(ParameterError):  # no number of clusters is a cut of both trees
            found[name] = b_k(pair)
    return found


def _ranking(truth: Any, preds: Mapping[str, Any], asked: Questions) -> Ranking | None:
    if asked.ranked_by is None or len(preds) < 2:
        return None
    return rank_predictions(
        truth,
        preds,
        asked.ranked_by,
        confidence=asked.confidence or 0.95,
        random_state=asked.random_state,
    )


def refuse_for_memberships(given: Mapping[str, Any]) -> None:
    """Refuse what scores of memberships by their features do not take."""
    for name, value in given.items():
        if value is not None:
            raise ParameterError(Setting(name), " is for labels, not for memberships.")


def score_memberships(
    features: Any,
    memberships: Any,
    metric: Any = None,
    chosen: Chosen = None,
    family: str | Iterable[str] | None = None,
) -> ScoreCard:
    """Return how sharp memberships are, and how they fit features where there are any."""
    records = Questions(measures=chosen, family=family, kind="soft_internal").records()
    given = [one for one in (features, memberships) if one is not None]
    options = {} if features is None or metric is None else {"metric": metric}
    subject = doors["soft_internal"]("scoring", *given, **options)
    scores = [Score(record, *record.evaluate(subject)) for record in records]
    about = PairSubject("soft_internal", subject.n, {"clusters": subject.memberships.k}, truth="")
    return ScoreCard(about, scores)
