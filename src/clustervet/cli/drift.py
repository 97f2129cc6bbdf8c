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
            help="One table with a column of labels per time, or one file per time, in order.",
        ),
        READ,
    ],
    labels: Annotated[
        list[str] | None,
        typer.Option(
            "--labels",
            "-l",
            metavar="COLUMNS",
            help="Columns of labels, separated by commas or repeated.",
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
    """
    from clustervet.ensemble.drift import drift as follow
    from clustervet.ensemble.labeling_files import LabelingFiles

    reader = LabelingFiles(
        labels,
        array=array,
        delimiter=delimiter,
        header=header,
        memory_limit=memory_limit,
        by_row=by_row or objects == "new",
        by=by,
        id=id,
    )
    found = follow(
        reader.read(files),
        objects=objects,  # type: ignore[arg-type]  # checked there
        confidence=confidence,
        random_state=seed,
    )
    emit(found, format, output, remarks=reader.remarks(), report=report)
