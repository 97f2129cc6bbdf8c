"""The command `tendency`."""

from __future__ import annotations

from typing import Annotated

import typer

from clustervet.cli import options
from clustervet.cli.emit import emit
from clustervet.cli.files import READ


def tendency(
    file: Annotated[
        str,
        typer.Argument(metavar="TABLE", help="Points: CSV, TSV, Parquet, Arrow, JSON, NPY or NPZ."),
        READ,
    ],
    features: options.Features = None,
    exclude: options.Exclude = None,
    standardize: options.Standardize = False,
    metric: options.Metric = "euclidean",
    array: options.Array = None,
    delimiter: options.Delimiter = None,
    header: options.Header = None,
    memory_limit: options.Memory = None,
    seed: options.Seed = 0,
    format: options.Format = None,
    output: options.Output = None,
    report: options.Report = None,
) -> None:
    """Say whether there is anything to cluster, before anything is clustered.

    [bold]clustervet tendency points.csv --standardize[/bold]
    """
    from clustervet.frames import open_table
    from clustervet.geometry.tendency import tendency as look

    mixed = options.takes_text(metric)
    opened = open_table(
        file, array=array, delimiter=delimiter, header=header, memory_limit=memory_limit
    )
    table = opened.features(features, exclude or (), later=True, mixed=mixed)
    found = look(table, metric=metric, standardize=standardize, random_state=seed)
    emit(found, format, output, remarks=() if features else [table.remark], report=report)
