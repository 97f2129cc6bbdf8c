"""The command `report`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any, NamedTuple

import typer

from clustervet.cli.options import (
    ArrayOption,
    DelimiterOption,
    HeaderOption,
    MeasuresOption,
    MetricOption,
)
from clustervet.cli.points import listed, tell_features, tell_header
from clustervet.cli.request import MissingChoice, listed_measures, noise_policies
from clustervet.errors import ParameterError
from clustervet.frames import read_features
from clustervet.frames.features import open_table
from clustervet.labels import Codes, show_label


class Theme(StrEnum):
    """Colours of the page."""

    auto = "auto"
    light = "light"
    dark = "dark"


class Data(NamedTuple):
    """What a table holds: the classes, the clusterings, and the features where asked for."""

    truth: dict[str, Codes] | None
    preds: dict[str, Codes]
    features: Any
    feature_names: tuple[str, ...] | None


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("report")(report)


def report(
    file: Annotated[
        str,
        typer.Argument(
            metavar="TABLE",
            help="A table with a row an object: CSV, TSV, Parquet, Arrow, JSON lines or NPZ.",
        ),
    ],
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="FILE", help="Where to write: .html, .md or .json."),
    ],
    truth: Annotated[
        str | None, typer.Option("--truth", "-t", metavar="COLUMN", help="Column of the classes.")
    ] = None,
    pred: Annotated[
        list[str] | None,
        typer.Option("--pred", "-p", metavar="COLUMN", help="Column of clusters; repeatable."),
    ] = None,
    features: Annotated[
        list[str] | None,
        typer.Option(
            "--features",
            metavar="COLUMNS",
            help="Columns of features, separated by commas or repeated; x* stands for all that "
            "match. All numeric columns where neither this nor --truth is given.",
        ),
    ] = None,
    measures: MeasuresOption = None,
    confidence: Annotated[
        float, typer.Option(metavar="SHARE", help="Confidence of intervals and rankings.")
    ] = 0.95,
    noise: Annotated[
        list[str] | None,
        typer.Option(
            metavar="POLICY | LABEL=POLICY",
            help="What the noise label (-1 unless named) means: keep, drop or singletons.",
        ),
    ] = None,
    missing: Annotated[
        MissingChoice,
        typer.Option(help="What an empty label does: stop, drop the object, or be a class."),
    ] = MissingChoice.raise_,
    metric: MetricOption = "euclidean",
    sample: Annotated[
        int,
        typer.Option(metavar="N", help="Objects to draw for what takes long on all of them."),
    ] = 20_000,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Title of the report.")] = None,
    theme: Annotated[
        Theme, typer.Option(help="Colours of the page; auto follows the reader's system.")
    ] = Theme.auto,
    array: ArrayOption = None,
    delimiter: DelimiterOption = None,
    header: HeaderOption = None,
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="Seed of resampling and drawing.")
    ] = 0,
    jobs: Annotated[int | None, typer.Option(metavar="N", help="Threads; all by default.")] = None,
) -> None:
    """Write one page on clusterings: who is ahead, whether the data can tell, what goes wrong.

    [bold]clustervet report data.parquet --truth y --pred a --pred b -o report.html[/bold]

    [bold]clustervet report points.csv --features x1,x2 --pred kmeans -o report.html[/bold]
    """
    from clustervet.evidence import examine
    from clustervet.report import write_report
    from clustervet.report.write import check_target

    check_target(output)
    data = _read(file, truth, pred or [], listed(features or []), array, delimiter, header)
    evidence = examine(
        data.truth,
        data.preds,
        features=data.features,
        feature_names=data.feature_names,
        measures=None if measures is None else listed_measures(measures),
        confidence=confidence,
        noise=noise_policies(noise or []),
        missing=missing.value,
        metric=metric,
        sample=sample,
        random_state=seed,
        n_jobs=-1 if jobs is None else jobs,
    )
    command = shlex.join(["clustervet", *sys.argv[1:]])
    path = write_report(evidence, output, title=title, command=command, theme=theme.value)
    print(f"clustervet: wrote {show_label(str(path), 200)}.", file=sys.stderr)


def _read(
    file: str,
    truth: str | None,
    preds: Sequence[str],
    features: list[str] | None,
    array: str | None,
    delimiter: str | None,
    header: bool | None,
) -> Data:
    """Classes, clusterings and features from one table."""
    columns = [*([truth] if truth is not None else []), *preds]
    if not preds:
        source = open_table(file, array, delimiter, header)
        known = ", ".join(show_label(name) for name in list(source.kinds)[:20])
        raise ParameterError(f"name a column of clusters with --pred; {source.name} has {known}.")
    if features is None and truth is not None:
        source = open_table(file, array, delimiter, header)
        for name in columns:
            if name not in source.kinds:
                raise source.absent(name)
        tell_header(source.name, source.header_guessed)
        codes = source.read((), list(dict.fromkeys(columns)))[1]
        matrix, named = None, None
    else:
        table = read_features(
            file,
            features=features,
            exclude=columns,
            array=array,
            delimiter=delimiter,
            header=header,
        )
        tell_header(table.name, table.header_guessed)
        codes = {name: table.labels(name) for name in columns}
        matrix, named = table.matrix, table.feature_names
        if features is None:
            tell_features(table)
    classes = None if truth is None else {truth: codes[truth]}
    return Data(classes, {name: codes[name] for name in preds}, matrix, named)
