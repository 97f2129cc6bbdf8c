"""The command `report`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from clustervet.cli import options
from clustervet.cli.emit import tell, write_page
from clustervet.cli.files import READ, WRITTEN


class Theme(StrEnum):
    """Colours of the page."""

    auto = "auto"
    light = "light"
    dark = "dark"


def report(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="TABLE",
            help="A table with one row per object: CSV, TSV, Parquet, Arrow, JSON lines or NPZ. "
            "With --id, the file of the truth and files of predictions.",
        ),
        READ,
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write: .html, .md or .json.",
            callback=options.checked_report,
        ),
        WRITTEN,
    ],
    truth: options.Truth = None,
    pred: options.Preds = None,
    features: options.AskedFeatures = None,
    exclude: options.Exclude = None,
    standardize: options.Standardize = False,
    measures: options.Measures = None,
    family: options.Family = None,
    measure: options.OwnMeasure = None,
    confidence: Annotated[
        float, typer.Option(metavar="SHARE", help="Confidence of intervals and rankings.")
    ] = 0.95,
    chance: options.Chance = None,
    weights: options.Weights = None,
    noise: options.Noise = None,
    missing: options.MissingInPair = options.MissingInPairChoice.raise_,
    metric: options.Metric = "euclidean",
    sample: Annotated[
        int,
        typer.Option(metavar="N", help="Objects to draw for what takes long on all of them."),
    ] = 20_000,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Title of the report.")] = None,
    theme: Annotated[
        Theme, typer.Option(help="Colours of the page; auto follows the reader's system.")
    ] = Theme.auto,
    id: options.Id = None,
    by_row: options.ByRow = False,
    array: options.Array = None,
    delimiter: options.Delimiter = None,
    header: options.Header = None,
    memory_limit: options.Memory = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    of_score: options.OfScore = False,
) -> None:
    """Write one page on clusterings: who is ahead, whether the data can tell, what goes wrong.

    [bold]clustervet report data.parquet --truth y --pred a --pred b -o report.html[/bold]

    [bold]clustervet report points.csv --features x1,x2 --pred kmeans -o report.html[/bold]

    [bold]clustervet report mentions.csv -t key -p system --field coreference --missing absent
    -o report.html[/bold]
    """
    from clustervet.evidence import examine_files

    found, remarks = examine_files(
        files,
        truth,
        pred or [],
        features=features,
        exclude=exclude or (),
        standardize=standardize,
        measures=measures,
        also=options.own_measures(measure),
        family=family,
        confidence=confidence,
        chance=chance,
        weights=weights,
        noise=options.noise_policies(noise),
        missing=missing.value,
        metric=metric,
        sample=sample,
        id=id,
        by_row=by_row,
        array=array,
        delimiter=delimiter,
        header=header,
        memory_limit=memory_limit,
        random_state=seed,
        n_jobs=jobs,
    )
    tell(*remarks)
    write_page(found, output, title=title, theme=theme.value)
