"""Scores of one table by groups of its rows: each batch by itself, or each run of a long table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from clustervet.contingency import Contingency
from clustervet.contingency.tables import Tables
from clustervet.errors import FileError, LabelError, ParameterError, Setting
from clustervet.frames.row_groups import row_groups, rows_of_objects
from clustervet.frames.source import Source
from clustervet.labels import Codes, show_label
from clustervet.scorecard.card import ScoreCard, ScoreCards
from clustervet.scorecard.judge import answer, judged
from clustervet.scorecard.judgement import Judgement
from clustervet.scorecard.questions import Questions


def score_groups(
    source: Source,
    truth: str,
    preds: Sequence[str],
    by: str,
    asked: Questions,
    *,
    id: str | None = None,
    **policies: Any,
) -> Judgement:
    """Score every group of rows that a column makes.

    Parameters
    ----------
    source : Source
        The table.
    truth : str
        The column of classes.
    preds : sequence of str
        The columns of clusters.
    by : str
        The column that names the group of each row, such as a batch or a run.
    asked : Questions
        What is asked of each group.
    id : str, optional
        The column that names the objects, where every group labels the same ones: groups are then
        predictions of these objects, and are ranked where a confidence is asked for.
    **policies
        What noise labels and missing labels mean.

    Returns
    -------
    Judgement
        One card per group, or per column of clusters and group.

    Raises
    ------
    FileError
        If a column is missing, a row has no group, or an object is twice in a group.
    LabelError
        If the groups have different objects, or classes of one object differ.
    """
    names = list(dict.fromkeys([truth, *preds, by, *([] if id is None else [id])]))
    columns = source.labels(names)
    groups = row_groups(columns[by], by, source.name)
    if id is not None:
        if len(preds) > 1:
            raise ParameterError(
                Setting("by"), " with ", Setting("id"), " goes with one ", Setting("pred"), "."
            )
        return _by_object(source.name, columns, truth, preds[0], groups, id, asked, policies)
    tables: dict[tuple[str, str], Contingency] = {}
    subjects: dict[str, tuple[str, str]] = {}
    for pred in preds:
        for name, kept in groups.items():
            sides = (columns[truth].keep(kept), columns[pred].keep(kept))
            try:
                table = Contingency.from_labels(*sides, **policies)
            except LabelError as error:
                raise FileError(f"{show_label(by)} {show_label(name)!r}: ", *error.parts) from None
            card = name if len(preds) == 1 else f"{pred}, {name}"
            tables[truth, card], subjects[card] = table, (pred, name)
    found = answer(tables, replace(asked, ranked_by=None))
    cards = {}
    for name, (pred, group) in subjects.items():
        held = found.scores[name]
        subject = replace(held.subject, pred=pred, group=(by, group))
        cards[name] = ScoreCard(subject, list(held.scores.values()))
    return replace(found, scores=ScoreCards(cards))


def _by_object(
    where: str,
    columns: dict[str, Codes],
    truth: str,
    pred: str,
    groups: dict[str, Any],
    id: str,
    asked: Questions,
    policies: dict[str, Any],
) -> Judgement:
    """Score groups as predictions of the same objects."""
    _, rows = rows_of_objects(columns[id], groups, id, where)
    first, *others = rows
    for name in others:
        if not np.array_equal(rows[name] < 0, rows[first] < 0):
            raise FileError(
                f"the groups {first!r} and {name!r} of {where} have different objects; leave out ",
                Setting("id"),
                " to score each by itself.",
            )
    classes = {name: columns[truth].keep(order) for name, order in rows.items()}
    missing, values = _classes(classes[first])
    for name in others:
        blank, found = _classes(classes[name])
        if not np.array_equal(blank, missing):
            raise FileError(f"an object of {where} has a class in {first!r} or {name!r} alone.")
        if not np.array_equal(found, values):
            raise FileError(f"an object of {where} has another class in {name!r}.")
    preds = {name: columns[pred].keep(order) for name, order in rows.items()}
    tables = Tables.of_labels({truth: classes[first]}, preds, policies=policies)
    return judged(tables, asked)


def _classes(codes: Codes) -> tuple[Any, Any]:
    """Return which labels are missing, and the codes of the others."""
    missing = np.zeros(len(codes), bool) if codes.missing is None else codes.missing
    return missing, codes.values[~missing]
