"""Scores of one table by groups of its rows: each batch by itself, or each run of a long table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from clustervet.contingency import Contingency
from clustervet.contingency.tables import Tables
from clustervet.errors import FileError, LabelError, ParameterError, Setting
from clustervet.frames.source import Source
from clustervet.labels import Codes, consecutive, show_label
from clustervet.scorecard.card import ScoreCard, ScoreCards
from clustervet.scorecard.judge import Judgement, Questions, answer, judged
from clustervet.view.words import counted

# Groups that are scored one by one.
MOST = 10_000


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
    groups = _groups(columns[by], by, source.name)
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


def _groups(codes: Codes, by: str, where: str) -> dict[str, Any]:
    """The rows of each group, by its name."""
    if codes.missing is not None and codes.missing.any():
        rows = int(codes.missing.sum())
        raise FileError(
            f"column {show_label(by)!r} of {where} has no value in {counted(rows, 'row')}."
        )
    numbers, firsts = consecutive(codes)
    names = [show_label(name) for name in codes.restore(firsts)]
    if len(names) > MOST:
        raise FileError(
            f"column {show_label(by)!r} of {where} has {len(names):,} values; groups may be "
            f"{MOST:,} at most."
        )
    if len(set(names)) < len(names):
        raise FileError(f"two values of column {show_label(by)!r} of {where} read alike.")
    order = np.argsort(numbers, kind="stable")
    ends = np.cumsum(np.bincount(numbers))
    held = dict(zip(names, np.split(order, ends[:-1]), strict=True))
    return {name: held[name] for name in sorted(names, key=_natural)}


def _natural(name: str) -> list[tuple[int, int, str]]:
    """What sorts the numbers within names by their size: 2 before 10."""
    parts = [part for part in re.split(r"(\d+)", name) if part]
    return [(0, int(part), part) if part.isdecimal() else (1, 0, part) for part in parts]


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
    missing = columns[id].missing
    if missing is not None and missing.any():
        row = int(np.flatnonzero(missing)[0]) + 1
        raise FileError(f"column {show_label(id)!r} of {where} has no value in row {row:,}.")
    ids = consecutive(columns[id])[0]
    first = show_label(next(iter(groups)))
    rows: list[Any] = []
    for name, kept in groups.items():
        order = kept[np.argsort(ids[kept], kind="stable")]
        held = ids[order]
        if (held[1:] == held[:-1]).any():
            raise FileError(f"{where} has an object twice in {show_label(name)!r}.")
        if rows and not np.array_equal(held, ids[rows[0]]):
            raise FileError(
                f"the groups {first!r} and {show_label(name)!r} of {where} have different objects; "
                "leave out ",
                Setting("id"),
                " to score each by itself.",
            )
        rows.append(order)
    classes = columns[truth]
    labels = [classes.keep(order) for order in rows]
    for name, held_codes in zip(groups, labels, strict=True):
        if not np.array_equal(_missing(held_codes), _missing(labels[0])):
            raise FileError(
                f"an object of {where} has a class in {first!r} or {show_label(name)!r} alone."
            )
        if not np.array_equal(held_codes.values, labels[0].values):
            raise FileError(f"an object of {where} has another class in {show_label(name)!r}.")
    preds = {name: columns[pred].keep(order) for name, order in zip(groups, rows, strict=True)}
    tables = Tables.of_labels({truth: labels[0]}, preds, policies=policies)
    return judged(tables, asked)


def _missing(codes: Codes) -> Any:
    return np.zeros(len(codes), bool) if codes.missing is None else codes.missing
