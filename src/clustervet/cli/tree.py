"""The command `tree`."""

from __future__ import annotations

from typing import Annotated

import typer

from clustervet.cli import options
from clustervet.cli.emit import emit
from clustervet.cli.files import READ, WRITTEN


def tree(
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE",
            help="A table with the classes, and with nested labels unless there is a --linkage: "
            "CSV, TSV, Parquet, Arrow, NPY, NPZ or JSON lines; - is standard input.",
        ),
        READ,
    ],
    truth: options.Truth = None,
    labels: Annotated[
        list[str] | None,
        typer.Option(
            "--labels",
            "-l",
            metavar="COLUMNS",
            help="Columns of nested labels from coarse to fine, separated by commas or repeated; "
            "by default all others, in their order.",
            callback=options.listed,
        ),
    ] = None,
    linkage: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Linkage matrix of scipy over the rows of the table, as NPY, NPZ or text.",
        ),
        READ,
    ] = None,
    measures: options.Measures = None,
    measure: options.OwnMeasure = None,
    k: Annotated[
        str | None,
        typer.Option(
            "--k",
            metavar="RANGE",
            help="Numbers of clusters at which measures score a dendrogram: 2..20 or 2,3,5; by "
            "default all, or 2,000 of them.",
        ),
    ] = None,
    cut: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the clusters of the best cut there, one per line.",
            callback=options.checked_output,
        ),
        WRITTEN,
    ] = None,
    noise: Annotated[
        list[str] | None,
        typer.Option(
            "--noise",
            metavar="POLICY | LABEL=POLICY",
            help="What the class -1, or another class, means: keep, drop or singletons.",
        ),
    ] = None,
    missing: options.Missing = options.MissingChoice.raise_,
    array: options.Array = None,
    delimiter: options.Delimiter = None,
    header: options.Header = None,
    memory_limit: options.Memory = None,
    format: options.Format = None,
    output: options.Output = None,
    report: options.Report = None,
) -> None:
    """Score a dendrogram or a taxonomy as a code for the classes, and find its best cut.

    The code names a cut of the tree, and then sends the classes given its clusters (Dom 2001).

    [bold]clustervet tree animals.csv --truth habitat --labels class,order,family[/bold]

    [bold]clustervet tree truth.csv --linkage Z.npy --measures ari,vi --cut clusters.csv[/bold]
    """
    from clustervet.frames.writing import write_whole
    from clustervet.trees.files import score_tree_files
    from clustervet.view import csv_rows

    wanted = [*(measures or []), *options.own_measures(measure)]
    found = score_tree_files(
        table,
        truth,
        labels,
        linkage=linkage,
        measures=wanted or None,
        clusters=None if k is None else options.whole_numbers(k, "--k"),
        noise=options.noise_policies(noise),
        missing=missing.value,
        array=array,
        delimiter=delimiter,
        header=header,
        memory_limit=memory_limit,
    )
    if cut is not None:
        write_whole(cut, csv_rows([["cluster"], *([one] for one in found.labels().tolist())]))
    emit(found, format, output, remarks=found.remarks, report=report)
