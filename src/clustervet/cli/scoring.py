"""From the arguments of `score` to score cards."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from clustervet.cli.answers import Scores
from clustervet.cli.chances import Levels, check_chance, levels
from clustervet.cli.plugins import load_measure
from clustervet.cli.points import against_features, tell_header
from clustervet.cli.request import Request, listed_measures, noise_policies
from clustervet.contingency import Contingency
from clustervet.errors import ParameterError
from clustervet.frames import read_text_table
from clustervet.frames.features import open_table
from clustervet.frames.source import ARRAYS, Source, is_light, is_many, is_plain
from clustervet.inference import Diagnosis, Ranking, diagnose, rank_predictions
from clustervet.labels import Codes, show_label
from clustervet.registry import measures
from clustervet.scorecard import ScoreCards, external_scores


def run(request: Request) -> Scores:
    """Read the files and score: against classes, against features, or both."""
    if not request.wants_features:
        return _against_classes(request)
    wanted = _by_kind(request)
    if not request.truths:
        for option, given in (
            ("--confidence", request.confidence is not None),
            ("--diagnose", request.diagnose),
            ("--chance", request.chance is not None),
            ("--weights", request.weights is not None),
        ):
            if given:
                raise ParameterError(f"{option} goes with --truth.")
        if wanted["external"]:
            raise ParameterError(f"{wanted['external'][0]} needs --truth.")
        return Scores(inner=against_features(request, wanted["internal"]))
    if len(request.files) != 1:
        raise ParameterError("--features with --truth goes with one table.")
    if wanted["external"] == []:
        for option, asked in (("--chance", request.chance), ("--measure", request.own_measures)):
            if asked:
                raise ParameterError(
                    f"{option} is about classes, and --measures names none for them."
                )
    if request.id is not None:
        raise ParameterError("--id does not go with --features.")
    outer = Scores() if wanted["external"] == [] else _against_classes(request, wanted["external"])
    inner = against_features(request, wanted["internal"])
    return replace(outer, inner=inner)


def _by_kind(request: Request) -> dict[str, list[str] | None]:
    """Measures asked for, external and internal apart; None where none were named."""
    if request.measures is None:
        return {"external": None, "internal": None}
    records = measures.select(listed_measures(request.measures))
    return {
        kind: [record.key for record in records if record.kind == kind]
        for kind in ("external", "internal")
    }


def _against_classes(request: Request, chosen: Sequence[str] | None = None) -> Scores:
    """Score against known classes."""
    own = [load_measure(name) for name in request.own_measures]
    options: dict[str, Any] = {
        "measures": None
        if request.measures is None
        else [*(chosen or listed_measures(request.measures)), *own],
        "family": request.families,
        "confidence": request.confidence,
        "resamples": request.resamples,
        "random_state": request.seed,
        "n_jobs": -1,
    }
    if request.wants_engine and not _by_position(request):
        from clustervet.cli.file_scores import score_files

        return score_files(request, options, _ranking)
    if len(request.files) == 1:
        truths, preds, weights = _one_table(request)
    elif len(request.files) == 2:
        truths, preds, weights = _two_files(request)
    else:
        raise ParameterError(
            f"score takes one table or two label files, not {len(request.files)} files."
        )
    policies: dict[str, Any] = {
        "noise": noise_policies(request.noise),
        "missing": request.missing.value,
    }
    check_chance(request, len(truths))
    cards = external_scores(truths, preds, weights=weights, **options, **policies)
    return Scores(
        cards,
        ranking=_ranking(request, truths, preds, cards, policies),
        diagnoses=_diagnoses(request, truths, preds, weights, policies),
        levels=_levels(request, truths, preds, weights, options["measures"], policies),
    )


def _by_position(request: Request) -> bool:
    """Whether labels are read into memory: two files row by row, or arrays of numpy."""
    if request.id is not None or request.memory_limit is not None or request.engine is not None:
        return False
    if len(request.files) == 2:
        return not any(map(is_many, request.files))
    return len(request.files) == 1 and Path(request.files[0]).suffix.lower() in ARRAYS


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


def _levels(
    request: Request,
    truths: dict[str, Codes],
    preds: dict[str, Codes],
    weights: Any,
    chosen: Sequence[Any] | None,
    policies: dict[str, Any],
) -> Levels:
    truth = next(iter(truths.values()))
    tables = (
        (name, Contingency.from_labels(truth, pred, weights=weights, **policies))
        for name, pred in preds.items()
    )
    return levels(request, tables, chosen)


Sides = tuple[dict[str, Codes], dict[str, Codes], Any]


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
    both = set()
    for path, columns, option in zip(
        request.files, (request.truths, request.preds), ("--truth", "--pred"), strict=True
    ):
        table = _read(request, path)
        if isinstance(table, _Columns) and {*request.truths, *request.preds} <= {*table.columns}:
            both.add(path)
        names = list(columns) or list(table.columns)
        if not columns and len(names) > 1:
            known = ", ".join(show_label(name) for name in names[:20])
            raise ParameterError(f"name a column of {table.name} with {option}; it has {known}.")
        sides.append({name: table.column(name) for name in names})
    if len(both) == 2:
        print(
            "clustervet: the first file has the truth and the second the prediction, row by row; "
            "for two parts of one table give a pattern or their folder, for ids --id.",
            file=sys.stderr,
        )
    return sides[0], sides[1], None


def _read(request: Request, path: str) -> Any:
    if not (is_light(path) or is_plain(path)):
        return _Columns(open_table(path, request.array, request.delimiter, request.header))
    table = read_text_table(path, delimiter=request.delimiter, header=request.header)
    tell_header(table.name, table.header_guessed)
    return table


class _Columns:
    """A file that is no delimited text, read a column at a time."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.name = source.name
        self.columns = list(source.kinds)

    def column(self, name: str) -> Codes:
        if name not in self.columns:
            raise self.source.absent(name)
        return self.source.read((), [name])[1][name]

    def numbers(self, name: str) -> Any:
        if name not in self.columns:
            raise self.source.absent(name)
        return self.source.read([name], ())[0][:, 0]
