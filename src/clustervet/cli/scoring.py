"""From the arguments of `score` to score cards."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from clustervet.cli.output import Format
from clustervet.datasets import iris_path
from clustervet.errors import FileError, ParameterError
from clustervet.frames import TextTable, read_text_table
from clustervet.labels import Codes, show_label
from clustervet.scorecard import ScoreCards, external_scores, render


class MissingChoice(StrEnum):
    """What an empty label does."""

    raise_ = "raise"
    drop = "drop"
    class_ = "class"


@dataclass(frozen=True, kw_only=True)
class Request:
    """What `score` was asked."""

    files: Sequence[str]
    truths: Sequence[str] = ()
    preds: Sequence[str] = ()
    measures: str | None = None
    families: Sequence[str] | None = None
    noise: Sequence[str] = ()
    missing: MissingChoice = MissingChoice.raise_
    weights: str | None = None
    delimiter: str | None = None
    header: bool | None = None


@dataclass(frozen=True)
class Scores:
    """Score cards as an answer."""

    cards: ScoreCards
    title: str | None = None

    def to_text(self, format: Format) -> str:
        """The cards as text; a single card has no name above its values."""
        cards, names = list(self.cards.values()), self._names()
        if format is Format.json:
            return cards[0].to_json() if names is None else self.cards.to_json()
        if format is Format.csv:
            return render.csv_text(cards)
        if format is Format.markdown:
            return render.markdown(cards, names)
        return "\n".join([*([self.title] if self.title else []), render.text(cards, names)])

    def to_rich(self) -> Any:
        """The cards for a terminal."""
        from rich.console import Group

        table = render.rich_table(list(self.cards.values()), self._names())
        return Group(self.title, table) if self.title else table

    def _names(self) -> list[str] | None:
        return list(self.cards) if len(self.cards) > 1 else None


def run(request: Request) -> Scores:
    """Read the files and score."""
    if len(request.files) == 1:
        truths, preds, weights = _one_table(request)
    elif len(request.files) == 2:
        truths, preds, weights = _two_files(request)
    else:
        raise ParameterError(
            f"score takes one table or two label files, not {len(request.files)} files."
        )
    cards = external_scores(
        truths,
        preds,
        measures=None if request.measures is None else _listed(request.measures),
        family=request.families,
        noise=_noise(request.noise),
        missing=request.missing.value,
        weights=weights,
    )
    return Scores(cards)


Sides = tuple[dict[str, Codes], dict[str, Codes], Any]


def _listed(keys: str) -> list[str]:
    listed = keys.split(",")
    if not all(key.strip() for key in listed):
        raise ParameterError(
            "--measures has an empty name of a measure; leave it out to have them all."
        )
    return listed


def _one_table(request: Request) -> Sides:
    table = _read(request, request.files[0])
    truths, preds = list(request.truths), list(request.preds)
    names = list(table.columns)
    if not truths and not preds and len(names) == 2 and request.weights is None:
        truths, preds = names[:1], names[1:]
    if not truths or not preds:
        lacking = " and ".join(
            option for option, given in (("--truth", truths), ("--pred", preds)) if not given
        )
        known = ", ".join(show_label(name) for name in names[:20])
        raise ParameterError(f"name a column with {lacking}; {table.name} has {known}.")
    weights = None if request.weights is None else _numbers(table, request.weights)
    return (
        {name: table.column(name) for name in truths},
        {name: table.column(name) for name in preds},
        weights,
    )


def _two_files(request: Request) -> Sides:
    if request.weights is not None:
        raise ParameterError(
            "--weights names a column of one table and does not go with two files."
        )
    if len(request.files) == request.files.count("-"):
        raise ParameterError("only one of the two files can be standard input.")
    sides = []
    for path, columns, option in zip(
        request.files, (request.truths, request.preds), ("--truth", "--pred"), strict=True
    ):
        table = _read(request, path)
        names = list(columns) or list(table.columns)
        if not columns and len(names) > 1:
            known = ", ".join(show_label(name) for name in names[:20])
            raise ParameterError(f"name a column of {table.name} with {option}; it has {known}.")
        sides.append({name: table.column(name) for name in names})
    return sides[0], sides[1], None


def _read(request: Request, path: str) -> TextTable:
    table = read_text_table(path, delimiter=request.delimiter, header=request.header)
    if table.header_guessed is not None:
        print(
            f"clustervet: the first line of {table.name}, {show_label(table.header_guessed)}, is "
            "taken as a name; with --no-header it is a label.",
            file=sys.stderr,
        )
    return table


def _numbers(table: TextTable, name: str) -> Any:
    column = table.column(name)
    if column.missing is not None:
        raise FileError(f"column {show_label(name)} of {table.name} has an empty weight.")
    texts = column.restore(np.arange(column.span[1] if column.span else 0))
    try:
        values = np.array([float(text) for text in texts])
    except ValueError:
        wrong = next(text for text in texts if not _is_float(text))
        raise FileError(
            f"column {show_label(name)} of {table.name} holds {show_label(wrong)!r}, which is no "
            "weight."
        ) from None
    return values[column.values]


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _noise(given: Sequence[str]) -> dict[Any, str] | None:
    """`drop` is for the label -1; `outlier=drop` for the label outlier."""
    policies: dict[Any, str] = {}
    for item in given:
        label, equals, policy = item.rpartition("=")
        if equals:
            policies[label] = policy
        else:
            policies.update({-1: policy, "-1.0": policy})
    return policies or None


def demonstration() -> Scores:
    """Score the bundled clusterings of the irises."""
    table = read_text_table(iris_path())
    preds = {name: codes for name, codes in table.columns.items() if name != "species"}
    cards = external_scores({"species": table.column("species")}, preds)
    return Scores(
        cards,
        "Fisher's 150 irises: four clusterings of the flowers against their species "
        "(↑ higher is better, ↓ lower is better).",
    )
