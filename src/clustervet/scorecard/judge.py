"""`judge`: tables and questions in; scores, ranking, chance and diagnosis out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from clustervet.contingency import Contingency, EngineTable
from clustervet.contingency.engine_table import with_cells
from clustervet.contingency.tables import Tables
from clustervet.errors import ParameterError
from clustervet.inference import Chance, Diagnosis, Interval, Ranking, diagnose, rank_predictions
from clustervet.inference.chance import MOST_OBJECTS, chance_levels
from clustervet.inference.interval import intervals as intervals_of
from clustervet.inference.members import Members
from clustervet.labels.pair import MissingInPair, NoisePolicy
from clustervet.labels.several import is_frame
from clustervet.registry import Measure, measures
from clustervet.scorecard.card import Score, ScoreCard, ScoreCards, TableSubject
from clustervet.scorecard.judgement import Judgement, Table
from clustervet.scorecard.pairs import judge_pairs
from clustervet.scorecard.questions import (
    Chosen,
    Questions,
    is_several,
    kind_of,
    named_labelings,
    several_predictions,
)

Attempt = Callable[[str, Callable[[], Any]], Any]


def answer(
    tables: Mapping[tuple[str, str], Table],
    asked: Questions,
    *,
    labels: Callable[[], tuple[Any, Mapping[str, Any]] | None] = lambda: None,
    rows: Callable[[str], Any] = lambda _: None,
    policies: Mapping[str, Any] | None = None,
    attempt: Attempt = lambda _, ask: ask(),
    tick: Callable[[], None] = lambda: None,
    keep: bool = False,
) -> Judgement:
    """Answer questions about tables by (truth, prediction); each table is counted once.

    `labels` gives truth and predictions object by object, which a ranking needs, and `rows` those
    of one prediction in the order of the rows, by which a diagnosis names its objects. `attempt`
    runs what may be impossible for such data, under a name. With `keep` the judgement holds the
    tables.
    """
    truths = list(dict.fromkeys(truth for truth, _ in tables))
    preds = list(dict.fromkeys(pred for _, pred in tables))
    asked.check(len(truths))
    records = asked.records()
    cards: dict[str, ScoreCard] = {}
    chances: dict[str, dict[str, Chance]] = {}
    diagnoses: dict[str, Diagnosis] = {}
    kept: dict[str, Table] = {}
    for (truth, pred), table in tables.items():
        intervals = attempt("intervals", partial(_intervals, table, records, asked)) or {}
        scores = [Score(r, *r.evaluate(table), intervals.get(r.key)) for r in records]
        subject = _subject(table, truth, pred)
        cards[_card_name(truth, pred, len(truths), len(preds))] = ScoreCard(subject, scores)
        if asked.chance is not None:
            chances[pred] = attempt("chance", partial(_levels, table, asked)) or {}
        if asked.diagnose:
            members = Members(rows(pred), None, policies or {})
            diagnoses[pred] = replace(diagnose(table), members=members)
        if keep:
            kept[pred] = table
        tick()
    ranking = None
    if asked.ranked_by is not None and len(preds) > 1 and len(truths) == 1:
        ranking = attempt("the ranking", lambda: _ranking(labels(), asked, policies or {}))
    return Judgement(ScoreCards(cards), ScoreCards({}), ranking, chances, diagnoses, kept)


def _card_name(truth: str, pred: str, truths: int, preds: int) -> str:
    if truths > 1 and preds > 1:
        return f"{pred} | {truth}"
    return truth if truths > 1 else pred


def _intervals(table: Table, records: list[Measure], asked: Questions) -> dict[str, Interval]:
    sure = [r for r in records if asked.sure is None or r.key in asked.sure]
    if asked.confidence is None or not sure:
        return {}
    found = intervals_of(
        with_cells(table, "an interval"),
        sure,
        confidence=asked.confidence,
        resamples=asked.resamples,
        random_state=asked.random_state,
        n_jobs=asked.n_jobs,
    )
    return {record.key: each for record, each in zip(sure, found, strict=True)}


def _subject(table: Table, truth: str, pred: str) -> TableSubject:
    (classes, clusters), (row, column) = table.shape, table.absent
    return TableSubject(
        table.n,
        classes - (row is not None),
        clusters - (column is not None),
        truth,
        pred,
        remarks=(table.one_sided_note(),) if table.partial else (),
        noise_as_cluster=table.noise_as_cluster,
    )


def _levels(table: Table, asked: Questions) -> dict[str, Chance]:
    found = chance_levels(
        measures.select(asked.beside_chance, kind="external", family=asked.family, general=True),
        table,
        model=str(asked.chance),
        samples=asked.samples if table.n <= MOST_OBJECTS else 0,
        random_state=asked.random_state,
    )
    return {level.measure: level for level in found}


def _ranking(
    labels: tuple[Any, Mapping[str, Any]] | None, asked: Questions, policies: Mapping[str, Any]
) -> Ranking | None:
    if labels is None:
        return None
    truth, preds = labels
    return rank_predictions(
        truth,
        preds,
        str(asked.ranked_by),
        confidence=asked.confidence or 0.95,
        resamples=asked.rank_resamples or asked.resamples,
        random_state=asked.random_state,
        n_jobs=asked.n_jobs,
        **policies,
    )


def judge(
    truth: Any,
    pred: Any = None,
    *,
    measures: Chosen = None,
    family: str | Iterable[str] | None = None,
    confidence: float | None = None,
    resamples: int = 2_000,
    chance: str | None = None,
    beside_chance: Chosen = None,
    diagnose: bool = False,
    weights: Any = None,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: MissingInPair = "raise",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Judgement:
    """Score clusterings and ask what else is to be known, with each table counted once.

    Parameters
    ----------
    truth, pred : object
        As in `external_scores`: labels, several of them, a finished table, or tables of files;
        or soft, overlapping or hierarchical clusterings.
    measures : str, Measure or list, optional
        The measures to compute; all external ones by default.
    family : str or list of str, optional
        Only measures of this family.
    confidence : float, optional
        Give intervals of this confidence, and rank several predictions of one truth by the first
        measure that has a direction.
    resamples : int, optional
        How many tables are resampled for intervals, where a table has more than 2,000 cells.
    chance : {"sizes", "number", "all", "number_one_sided", "all_one_sided"}, optional
        Hold measures against this model of random clusterings.
    beside_chance : str, Measure or list, optional
        The measures held against chance; by default those named, or some usual ones.
    diagnose : bool, optional
        Say where each clustering goes wrong.
    weights : array-like, optional
        One weight per object.
    noise, noise_policy, missing : optional
        What noise labels and missing labels mean, as in `Contingency.from_labels`.
    random_state : int, Generator or None, optional
        The seed of everything random.
    n_jobs : int, optional
        Threads; -1 uses all cores.

    Returns
    -------
    Judgement
        Scores, ranking, chance levels and diagnoses.

    Examples
    --------
    >>> truth = ["a"] * 12 + ["b"] * 12
    >>> found = judge(truth, [0] * 16 + [1] * 8, measures=["rand"], diagnose=True)
    >>> found.scores["pred"]["rand"] > 0.6, found.diagnoses["pred"].repairs[0].kind
    (True, 'move')
    """
    asked = Questions.of(
        measures,
        family,
        confidence=confidence,
        resamples=resamples,
        chance=chance,
        beside_chance=beside_chance,
        diagnose=diagnose,
        random_state=random_state,
        n_jobs=n_jobs,
        kind=kind_of(truth, pred),
    )
    policies = {"noise": noise, "noise_policy": noise_policy, "missing": missing}
    if asked.kind != "external":
        return judge_pairs(truth, pred, asked, weights=weights, **policies)
    return judged(read_sides(truth, pred, weights=weights, **policies), asked)


def judged(tables: Tables, asked: Questions) -> Judgement:
    """Return the answers about tables that know their labels; weighted objects are not ranked."""
    if tables.weighted:
        asked = replace(asked, ranked_by=None)
    found = answer(tables, asked, labels=tables.labels, rows=tables.rows, policies=tables.policies)
    unmatched = None if tables.unmatched is None else tuple(tables.unmatched)
    rows = {name: tables.rows(name) for name in tables.preds}
    return replace(found, unmatched=unmatched, _rows=rows)


def read_sides(truth: Any, pred: Any, *, weights: Any = None, **policies: Any) -> Tables:
    """Return the tables that truth and prediction stand for."""
    if isinstance(truth, Contingency | EngineTable | Tables):
        if any(option not in (None, "raise") for option in (pred, weights, *policies.values())):
            raise ParameterError(
                "scoring takes either one table or labels, not both (options need labels)."
            )
        return truth if isinstance(truth, Tables) else Tables.of(truth)
    if pred is None:
        raise ParameterError("scoring needs truth and prediction, or one Contingency.")
    preds = several_predictions(pred)
    return Tables.of_labels(_several_truths(truth), preds, weights=weights, policies=policies)


def _several_truths(truth: Any) -> dict[str, Any]:
    if is_several(truth) and not is_frame(truth):
        return named_labelings(truth, "truth")
    if isinstance(truth, list | tuple) and truth and all(map(_is_labeling, truth)):
        return {f"truth {k}": labels for k, labels in enumerate(truth, 1)}
    return {"truth": truth}


def _is_labeling(item: Any) -> bool:
    """Whether an element of a list is itself a labeling; strings and tuples are labels."""
    if isinstance(item, str | bytes | tuple):
        return False
    return isinstance(item, list | range) or (
        hasattr(item, "__len__") and (isinstance(item, np.ndarray) or hasattr(item, "__array__"))
    )
