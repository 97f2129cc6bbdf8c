"""The command `bound`."""

from __future__ import annotations

from typing import Annotated

import typer

from clustervet.cli.choices import Bounded
from clustervet.cli.labelled import read_mask
from clustervet.cli.labelled_options import (
    DeltaOption,
    LabelledOption,
    LabelsOption,
    LanguageOption,
)
from clustervet.cli.options import DelimiterOption, FormatOption, HeaderOption, OutputOption
from clustervet.cli.output import emit
from clustervet.cli.pages import ReportOption, check_page, write_page
from clustervet.cli.request import MissingChoice, noise_policies
from clustervet.frames.documents import read_columns
from clustervet.pacmdl import pac_mdl_bound


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("bound")(bound_command)


def bound_command(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="A table with labels.")],
    truth: Annotated[
        str,
        typer.Option(
            "--truth", "-t", metavar="COLUMN", help="Column of true labels, gaps and all."
        ),
    ],
    pred: Annotated[
        str, typer.Option("--pred", "-p", metavar="COLUMN", help="Column of clusters.")
    ],
    labelled: LabelledOption = None,
    language: LanguageOption = "auto",
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
    delta: DeltaOption = 0.1,
    labels: LabelsOption = None,
    noise: Annotated[
        list[str] | None,
        typer.Option(
            metavar="POLICY | LABEL=POLICY",
            help="What the noise label (-1 unless named) means among the clusters: keep, drop or "
            "singletons.",
        ),
    ] = None,
    missing: Annotated[
        MissingChoice,
        typer.Option(help="What an empty cluster does: stop, drop the object, or be a cluster."),
    ] = MissingChoice.raise_,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed that breaks ties.")] = 0,
    delimiter: DelimiterOption = None,
    header: HeaderOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
    report: ReportOption = None,
) -> None:
    """Bound the errors of a clustering as a predictor of labels that nobody has seen.

    The bound holds if the labelled objects are a random sample of all.

    [bold]clustervet bound labels.csv --truth y --pred c --labelled mask[/bold]
    """
    check_page(report)
    names = [truth, pred] if labelled is None else [truth, pred, labelled]
    columns = read_columns(table, names, delimiter=delimiter, header=header)
    found = pac_mdl_bound(
        columns[truth],
        columns[pred],
        None if labelled is None else read_mask(columns[labelled], labelled),
        language=language,
        runs=runs,
        algorithms=algorithms,
        searched=searched,
        clusters=clusters,
        delta=delta,
        labels=labels,
        noise=noise_policies(noise or []),
        missing=missing.value,
        random_state=seed,
    )
    emit(Bounded(found), format, output)
    write_page(found, report)
