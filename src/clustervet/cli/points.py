"""From the arguments of `score` to score cards of features."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clustervet.cli.request import Request, noise_policies
from clustervet.errors import ParameterError
from clustervet.frames import FeatureTable, read_features, read_text_table
from clustervet.frames.documents import read_columns
from clustervet.frames.features import ChosenFeatures, open_table
from clustervet.frames.source import ARRAYS, is_many, is_plain
from clustervet.labels import show_label
from clustervet.scorecard import ScoreCards, internal_scores


def against_features(request: Request, chosen: Sequence[str] | None) -> ScoreCards:
    """Hold each clustering against its features."""
    if _by_engine(request):
        return _in_files(request, chosen)
    table, labels = _read(request)
    cards = internal_scores(
        table.matrix,
        labels,
        request.metric,
        measures=chosen,
        family=request.families,
        noise=noise_policies(request.noise),
        missing=request.missing.value,
        sample=request.sample,
        random_state=0 if request.seed is None else request.seed,
    )
    if not request.features:
        tell_features(table)
    return ScoreCards(dict(cards))


def _by_engine(request: Request) -> bool:
    """Whether the files are parts of one table, or for an engine outright."""
    if request.engine is not None or request.memory_limit is not None or len(request.files) > 2:
        return True
    if any(map(is_many, request.files)):
        return True
    # Two files are parts of one table if the first has the clusters, or else points and labels.
    if len(request.files) != 2 or "-" in request.files or not request.preds:
        return False
    first = request.files[0]
    if Path(first).suffix.lower() in ARRAYS:
        return False
    source = open_table(first, None, request.delimiter, request.header)
    return set(request.preds) <= set(source.kinds)


def _in_files(request: Request, chosen: Sequence[str] | None) -> ScoreCards:
    """Score files that are left where they are."""
    from clustervet.scorecard.file_features import FileFeatures

    for option, given in (
        ("--array", request.array),
        ("--delimiter", request.delimiter),
        ("--header", request.header),
    ):
        if given is not None:
            raise ParameterError(f"{option} goes with one file that is read into memory.")
    if not request.preds:
        raise ParameterError("name a column of clusters with --pred.")
    files = FileFeatures(
        request.files,
        listed(request.features),
        exclude=[*request.preds, *request.truths],
        engine=request.engine or "duckdb",
        memory_limit=request.memory_limit,
        noise=noise_policies(request.noise),
        missing=request.missing.value,
        metric=request.metric,
        sample=request.sample,
        random_state=0 if request.seed is None else request.seed,
    )
    cards = files.scores(request.preds, chosen, request.families)
    if not request.features:
        tell_features(files.chosen)
    return cards


def _read(request: Request) -> tuple[FeatureTable, dict[str, Any]]:
    """Features, and clusterings from the same file or from a second one."""
    options: dict[str, Any] = {"delimiter": request.delimiter, "header": request.header}
    if len(request.files) > 2:
        raise ParameterError(
            "score takes one table, or features and labels in two files, not "
            f"{len(request.files)} files."
        )
    names = listed(request.features)
    if len(request.files) == 2:
        table = read_features(request.files[0], features=names, array=request.array)
        if request.files[1] != "-" and not is_plain(request.files[1]):
            if not request.preds:
                raise ParameterError("name a column of clusters with --pred.")
            return table, dict(read_columns(request.files[1], list(request.preds)))
        second = read_text_table(request.files[1], **options)
        tell_header(second.name, second.header_guessed)
        preds = list(request.preds) or list(second.columns)
        return table, {name: second.column(name) for name in preds}
    exclude = [*request.preds, *request.truths]
    table = read_features(
        request.files[0], features=names, exclude=exclude, array=request.array, **options
    )
    if not request.preds:
        known = ", ".join(show_label(name) for name in table.columns[:20])
        raise ParameterError(f"name a column of clusters with --pred; {table.name} has {known}.")
    return table, {name: table.labels(name) for name in request.preds}


def listed(features: Sequence[str]) -> list[str] | None:
    """Names of features, separated by commas or repeated; none means all numeric columns."""
    names = [name.strip() for name in ",".join(features).split(",") if name.strip()]
    return names or None


def tell_header(name: str, guessed: str | None) -> None:
    """Say that a first line was taken as a name where that was a guess."""
    if guessed is not None:
        print(
            f"clustervet: the first line of {name}, {show_label(guessed)}, is taken as a name; "
            "with --no-header it is a label.",
            file=sys.stderr,
        )


def tell_features(table: FeatureTable | ChosenFeatures) -> None:
    """Say which columns were taken as features where the user has not."""
    shown = ", ".join(show_label(name, 40) for name in table.feature_names[:12])
    more = len(table.feature_names) - 12
    said = f"features are {shown}{f' and {more:,} more' if more > 0 else ''}"
    if table.left_out:
        left = ", ".join(f"{show_label(name, 40)} ({why})" for name, why in table.left_out.items())
        said += f"; left out: {left}"
    print(f"clustervet: {said}.", file=sys.stderr)
