"""The command `drift`."""

from __future__ import annotations

from typing import Annotated

import typer

from clustervet.cli import options
from clustervet.cli.emit import emit
from clustervet.cli.files import READ


def drift(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILES...",
            help="One table with a column of labels per time, or one file per time, in order. With "
            "--features, points with their clusters, and new points, which get the same clusters.",
        ),
        READ,
    ],
    labels: Annotated[
        list[str] | None,
        typer.Option(
            "--labels",
            "-l",
            "--pred",
            "-p",
            metavar="COLUMNS",
            help="Columns of labels, separated by commas or repeated; with --features the one "
            "column of clusters.",
            callback=options.listed,
        ),
    ] = None,
    id: Annotated[
        str | None,
        typer.Option(
            "--id",
            metavar="COLUMN",
            help="Column of the objects' names, by which files are joined.",
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The times of a table with one row per object and time, with --id.",
        ),
    ] = None,
    objects: Annotated[
        str | None,
        typer.Option(
            metavar="same | new",
            help="Whether the objects are the same ones, or others in clusters of the same names.",
        ),
    ] = None,
    features: Annotated[
        list[str] | None,
        typer.Option(
            "--features",
            metavar="COLUMNS",
            help=f"{options.COLUMNS} Both files have them.",
            callback=options.listed,
        ),
    ] = None,
    exclude: options.Exclude = None,
    standardize: options.Standardize = False,
    how: Annotated[
        str | None,
        typer.Option(
            metavar="centroid | knn | average",
            help="Which cluster a new point gets: that of the nearest centroid (the default), that "
            "of the nearest point, or the one whose points are nearest on average.",
        ),
    ] = None,
    metric: options.AskedMetric = None,
    confidence: Annotated[
        float, typer.Option(metavar="SHARE", help="Confidence of the intervals.")
    ] = 0.95,
    seed: options.Seed = 0,
    array: options.Array = None,
    delimiter: options.Delimiter = None,
    header: options.Header = None,
    memory_limit: options.Memory = None,
    by_row: options.ByRow = False,
    format: options.Format = None,
    output: options.Output = None,
    report: options.Report = None,
) -> None:
    """Say what became of clusters since another time: kept, split, merged, born or died.

    [bold]clustervet drift january.csv february.csv --id customer --labels segment[/bold]

    [bold]clustervet drift table.csv --labels jan,feb,mar --report drift.html[/bold]

    [bold]clustervet drift old.csv new.csv --labels segment --objects new[/bold]

    [bold]clustervet drift old.csv new.csv --features x1,x2 --labels segment[/bold]
    """
    from clustervet.ensemble.drift_files import drift_files

    found, remarks = drift_files(
        files,
        labels,
        features=features,
        exclude=exclude or (),
        how=how,
        metric=metric,
        standardize=standardize,
        objects=objects,  # type: ignore[arg-type]  # checked there
        id=id,
        by=by,
        by_row=by_row,
        array=array,
        delimiter=delimiter,
        header=header,
        memory_limit=memory_limit,
        confidence=confidence,
        random_state=seed,
    )
    emit(found, format, output, remarks=remarks, report=report)
