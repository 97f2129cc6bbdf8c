"""The command `estimate`."""

from __future__ import annotations

from typing import Annotated

import typer

from clustervet.cli import options
from clustervet.cli.emit import emit
from clustervet.cli.files import READ


def estimate(
    table: Annotated[
        str, typer.Argument(metavar="TABLE", help="A table with the clusters of all objects."), READ
    ],
    pred: Annotated[
        str, typer.Option("--pred", "-p", metavar="COLUMN", help="Column of clusters.")
    ],
    sample: Annotated[
        str,
        typer.Option(
            metavar="UNITS",
            help="What was drawn: clusters (whole true clusters), objects or pairs.",
        ),
    ],
    truth: Annotated[
        str | None,
        typer.Option(
            "--truth",
            "-t",
            metavar="COLUMN",
            help="Column of true labels, empty outside the sample.",
        ),
    ] = None,
    pairs: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="File of pairs: two objects, and whether they belong together (yes or no).",
        ),
        READ,
    ] = None,
    id: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column of the objects' names that the file of pairs uses."
        ),
    ] = None,
    sampling: Annotated[
        str,
        typer.Option(
            metavar="HOW",
            help="How it was drawn: uniform, size (true clusters), predicted (pairs within "
            "clusters), or a column of probabilities.",
        ),
    ] = "uniform",
    width: Annotated[
        float | None,
        typer.Option(
            metavar="WIDTH", help="Say how many to label for intervals no wider than this."
        ),
    ] = None,
    measures: options.Measures = None,
    confidence: Annotated[
        float, typer.Option(metavar="SHARE", help="Confidence of the intervals.")
    ] = 0.95,
    noise: options.Noise = None,
    array: options.Array = None,
    delimiter: options.Delimiter = None,
    header: options.Header = None,
    memory_limit: options.Memory = None,
    format: options.Format = None,
    output: options.Output = None,
    report: options.Report = None,
) -> None:
    """Estimate scores of all clusters where the truth is known for a sample only.

    [bold]clustervet estimate records.csv -p c -t person --sample clusters --sampling size[/bold]
    """
    from clustervet.inference.sampled_files import sampled_scores_files

    found = sampled_scores_files(
        table,
        pred=pred,
        sample=sample,  # type: ignore[arg-type]  # checked there
        truth=truth,
        pairs=pairs,
        id=id,
        sampling=sampling,
        width=width,
        measures=measures,
        confidence=confidence,
        noise=options.noise_policies(noise),
        array=array,
        delimiter=delimiter,
        header=header,
        memory_limit=memory_limit,
    )
    emit(found, format, output, report=report)
