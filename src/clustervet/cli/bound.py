"""The command `bound`."""

from __future__ import annotations

from typing import Annotated

import typer

from clustervet.cli import options
from clustervet.cli.emit import emit
from clustervet.cli.files import READ


def bound(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="A table with labels."), READ],
    truth: Annotated[
        str,
        typer.Option(
            "--truth", "-t", metavar="COLUMN", help="Column of true labels; may have gaps."
        ),
    ],
    pred: Annotated[
        str, typer.Option("--pred", "-p", metavar="COLUMN", help="Column of clusters.")
    ],
    labelled: options.Labelled = None,
    language: options.Language = "auto",
    runs: Annotated[
        int, typer.Option(metavar="N", help="Runs that this is the best of, by the labels.")
    ] = 1,
    algorithms: Annotated[
        int, typer.Option(metavar="N", help="Algorithms that this is the best of, by the labels.")
    ] = 1,
    searched: Annotated[
        bool,
        typer.Option("--searched", help="The number of clusters was chosen by the labels, too."),
    ] = False,
    clusters: Annotated[
        int | None,
        typer.Option(
            "--k", metavar="N", help="Number of clusters asked for, if some came out empty."
        ),
    ] = None,
    delta: options.Delta = 0.1,
    labels: options.PossibleLabels = None,
    noise: options.Noise = None,
    missing: options.Missing = options.MissingChoice.raise_,
    seed: options.Seed = 0,
    array: options.Array = None,
    delimiter: options.Delimiter = None,
    header: options.Header = None,
    memory_limit: options.Memory = None,
    format: options.Format = None,
    output: options.Output = None,
    report: options.Report = None,
) -> None:
    """Bound the errors of a clustering as a predictor of labels that nobody has seen.

    The bound holds if the labelled objects are a random sample of all. Noise and missing labels
    are those of the clusters.

    [bold]clustervet bound labels.csv --truth y --pred c --labelled mask[/bold]
    """
    from clustervet.frames import open_table
    from clustervet.pacmdl.bound import check_bound, pac_mdl_bound

    check_bound(delta, language, runs, algorithms, searched=searched, clusters=clusters)
    policies = options.noise_policies(noise)
    names = [truth, pred] if labelled is None else [truth, pred, labelled]
    source = open_table(
        table, array=array, delimiter=delimiter, header=header, memory_limit=memory_limit
    )
    columns = source.labels(names)
    found = pac_mdl_bound(
        columns[truth],
        columns[pred],
        None if labelled is None else columns[labelled],
        language=language,
        runs=runs,
        algorithms=algorithms,
        searched=searched,
        clusters=clusters,
        delta=delta,
        labels=labels,
        noise=policies,
        missing=missing.value,
        random_state=seed,
    )
    emit(found, format, output, report=report)
