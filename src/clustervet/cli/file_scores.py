"""Score cards of files that an engine groups, and of tables that were saved."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from clustervet.cli.answers import Scores
from clustervet.cli.chances import check_chance, levels
from clustervet.cli.request import MissingChoice, Request, noise_policies
from clustervet.cli.tables import COMBINATIONS, RANKED, read_tables
from clustervet.contingency import Contingency
from clustervet.contingency.saved import is_saved_table
from clustervet.errors import ParameterError
from clustervet.frames.join import Unmatched
from clustervet.inference import Ranking, diagnose
from clustervet.labels import show_label
from clustervet.scorecard.external import score_tables

Rank = Callable[..., Ranking | None]


@dataclass(frozen=True)
class JoinedScores(Scores):
    """Score cards of files that were joined, with the ids that do not match."""

    unmatched: Sequence[Unmatched] = field(default_factory=list)

    def _data(self) -> dict[str, Any]:
        return {**super()._data(), "unmatched": [one.to_dict() for one in self.unmatched]}


def score_files(request: Request, options: Mapping[str, Any], rank: Rank) -> Scores:
    """Score cards of files that an engine groups, or of a table that was saved."""
    if len(request.files) == 1 and is_saved_table(request.files[0]):
        return _score_saved(request, options)
    if len(request.files) > 1 and request.id is None and not (request.truths and request.preds):
        if len(request.files) > 2:
            raise ParameterError(
                f"score takes one table or two label files, not {len(request.files)} files."
            )
        raise ParameterError("name the columns of such files with --truth and --pred.")
    if request.diagnose and len(request.truths) > 1:
        raise ParameterError("--diagnose goes with one --truth.")
    check_chance(request, len(request.truths))
    ranked = request.confidence is not None and len(set(request.preds)) > 1
    ranked = ranked and len(request.truths) < 2 and not request.weights
    found = read_tables(request, joint=ranked)
    several = (len(found.truths), len(found.preds))
    options = {**options, "measures_": options["measures"], "several": several}
    del options["measures"]
    cards = score_tables(found.tables.items(), **options)
    labels = found.labels() if ranked else None
    ranking = None
    if labels is not None:
        policies = {"noise": noise_policies(request.noise), "missing": request.missing.value}
        ranking = rank(request, {found.truths[0]: labels[0]}, labels[1], cards, policies)
    elif ranked:
        print(
            "clustervet: no ranking: it compares all predictions object by object, which the "
            f"engine duckdb does for up to {RANKED:,} objects and {COMBINATIONS:,} combinations of "
            "labels.",
            file=sys.stderr,
        )
    diagnoses = {}
    if request.diagnose:
        diagnoses = {pred: diagnose(table) for (_, pred), table in found.tables.items()}
    tables = [(pred, table) for (_, pred), table in found.tables.items()]
    more: dict[str, Any] = {
        "ranking": ranking,
        "diagnoses": diagnoses,
        "levels": levels(request, tables, options["measures_"]),
    }
    if request.id is None:
        return Scores(cards, **more)
    return JoinedScores(cards, **more, unmatched=list(found.unmatched))


def _score_saved(request: Request, options: Mapping[str, Any]) -> Scores:
    for option, given in (
        ("--truth", request.truths),
        ("--pred", request.preds),
        ("--weights", request.weights),
        ("--noise", request.noise),
        ("--missing", request.missing is not MissingChoice.raise_),
    ):
        if given:
            shown = show_label(request.files[0], 200)
            raise ParameterError(f"{shown} is a saved table, which {option} does not go with.")
    check_chance(request, 1)
    table = Contingency.load(request.files[0])
    options = {**options, "measures_": options["measures"]}
    del options["measures"]
    cards = score_tables([(("truth", "pred"), table)], **options)
    return Scores(
        cards,
        diagnoses={"pred": diagnose(table)} if request.diagnose else {},
        levels=levels(request, [("pred", table)], options["measures_"]),
    )
