"""From the arguments of `score` to score cards."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from clustervet.cli.output import Format
from clustervet.cli.plugins import load_measure
from clustervet.datasets import iris_path
from clustervet.errors import ParameterError
from clustervet.frames import TextTable, read_text_table
from clustervet.inference import Diagnosis, Ranking, diagnose, rank_predictions
from clustervet.labels import Codes, show_label
from clustervet.registry import measures
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
    measures: Sequence[str] | None = None
    own_measures: Sequence[str] = ()
    families: Sequence[str] | None = None
    noise: Sequence[str] = ()
    missing: MissingChoice = MissingChoice.raise_
    weights: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    confidence: float | None = None
    resamples: int = 2_000
    seed: int | None = None
    diagnose: bool = False


@dataclass(frozen=True)
class Scores:
    """Score cards as an answer, with what else was asked about them."""

    cards: ScoreCards
    title: str | None = None
    ranking: Ranking | None = None
    diagnoses: Mapping[str, Diagnosis] = field(default_factory=dict)

    def to_text(self, format: Format) -> str:
        """The cards as text; a single card has no name above its values."""
        cards, names = list(self.cards.values()), self._names()
        if format is Format.json:
            return json.dumps(self._data(), indent=2, ensure_ascii=False, allow_nan=False)
        if format is Format.csv:
            return render.csv_text(cards)
        if format is Format.markdown:
            closing = [f"\n{line}" for line in self._closing()]
            return "\n".join([render.markdown(cards, names), *closing])
        opening = [self.title] if self.title else []
        return "\n".join([*opening, render.text(cards, names), *self._closing()])

    def _data(self) -> dict[str, Any]:
        """The cards' data, with ranking and diagnoses where asked for."""
        data = (self.cards if self._names() else next(iter(self.cards.values()))).to_dict()
        if self.ranking is not None:
            data["ranking"] = self.ranking.to_dict()
        if self.diagnoses:
            data["diagnoses"] = {name: d.to_dict() for name, d in self.diagnoses.items()}
        return data

    def _closing(self) -> list[str]:
        """The ranking and the verdicts, a line each."""
        lines = []
        if self.ranking is not None:
            groups = " > ".join(
                " = ".join(show_label(name, 40) for name in group) for group in self.ranking.groups
            )
            tied = any(len(group) > 1 for group in self.ranking.groups)
            note = " (= where the data cannot tell)" if tied else ""
            level = f"{self.ranking.confidence:.4g}"
            shared = ""
            if any(card.subject.objects != self.ranking.objects for card in self.cards.values()):
                shared = f" on the {self.ranking.objects:,} objects that all label"
            lines.append(
                f"By {self.ranking.measure}{shared}, at {level} confidence: {groups}{note}"
            )
        for name, found in self.diagnoses.items():
            head = f"{show_label(name, 40)}: " if len(self.cards) > 1 else ""
            lines.append(head + found.verdict)
        return lines

    def to_rich(self) -> Any:
        """The cards for a terminal."""
        from rich.console import Group
        from rich.text import Text

        table = render.rich_table(list(self.cards.values()), self._names())
        opening = [Text(self.title)] if self.title else []
        return Group(*opening, table, *(Text(line) for line in self._closing()))

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
    policies: dict[str, Any] = {
        "noise": _noise(request.noise),
        "missing": request.missing.value,
    }
    own = [load_measure(name) for name in request.own_measures]
    cards = external_scores(
        truths,
        preds,
        measures=None if request.measures is None else [*_listed(request.measures), *own],
        family=request.families,
        weights=weights,
        confidence=request.confidence,
        resamples=request.resamples,
        random_state=request.seed,
        n_jobs=-1,
        **policies,
    )
    return Scores(
        cards,
        ranking=_ranking(request, truths, preds, cards, policies),
        diagnoses=_diagnoses(request, truths, preds, weights, policies),
    )


def _ranking(
    request: Request,
    truths: dict[str, Codes],
    preds: dict[str, Codes],
    cards: ScoreCards,
    policies: dict[str, Any],
) -> Ranking | None:
    """Several predictions of one truth ranked by the first measure asked for, if it ranks."""
    if request.confidence is None or len(preds) < 2 or len(truths) > 1 or request.weights:
        return None
    keys = next(iter(cards.values())) if request.measures else ["adjusted_rand"]
    directed = [key for key in keys if measures[key].better != "neither"]
    if not directed:
        return None
    return rank_predictions(
        next(iter(truths.values())),
        preds,
        directed[0],
        confidence=request.confidence,
        resamples=request.resamples,
        random_state=request.seed,
        n_jobs=-1,
        **policies,
    )


def _diagnoses(
    request: Request,
    truths: dict[str, Codes],
    preds: dict[str, Codes],
    weights: Any,
    policies: dict[str, Any],
) -> dict[str, Diagnosis]:
    if not request.diagnose:
        return {}
    if len(truths) > 1:
        raise ParameterError("--diagnose goes with one --truth.")
    truth = next(iter(truths.values()))
    return {
        name: diagnose(truth, pred, weights=weights, **policies) for name, pred in preds.items()
    }


Sides = tuple[dict[str, Codes], dict[str, Codes], Any]


def _listed(keys: Sequence[str]) -> list[str]:
    listed = ",".join(keys).split(",")
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
    weights = None if request.weights is None else table.numbers(request.weights)
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
