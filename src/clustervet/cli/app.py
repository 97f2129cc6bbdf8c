"""The commands."""

from __future__ import annotations

from typing import Annotated, Any

import typer

import clustervet
from clustervet.cli import (
    bounding,
    cards,
    choosing,
    compare_command,
    demonstration,
    lab_command,
    report_command,
    scoring,
    table_command,
    tuning,
)
from clustervet.cli.options import (
    ArrayOption,
    DelimiterOption,
    EngineOption,
    FamilyOption,
    FeaturesOption,
    FormatOption,
    HeaderOption,
    IdOption,
    MeasuresOption,
    MemoryOption,
    MetricOption,
    MissingOption,
    NoiseOption,
    OutputOption,
    SampleOption,
    WeightsOption,
    complete_measure,
)
from clustervet.cli.output import emit
from clustervet.cli.request import MissingChoice, Request
from clustervet.registry import measures as registry

app = typer.Typer(
    name="clustervet",
    help="Judge, compare and choose clusterings.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"clustervet {clustervet.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", is_eager=True, callback=_show_version),
    ] = False,
) -> None:
    """Judge, compare and choose clusterings."""


def _complete_model(incomplete: str) -> list[str]:
    from clustervet.inference.nulls import MODELS

    return [name for name in MODELS if name.startswith(incomplete)]


@app.command()
def score(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="TRUTH PRED | TABLE",
            help="Two files with a label a line, or one table; - is standard input. A table is "
            "CSV, JSON lines, Parquet, Arrow, NPY or NPZ in a file, in all files that match a "
            "pattern, or in a folder; or what `table build` saved. With --features, one such "
            "table with all, or points and labels in two files.",
        ),
    ],
    truth: Annotated[
        list[str] | None,
        typer.Option("--truth", "-t", metavar="COLUMN", help="Column of the classes; repeatable."),
    ] = None,
    pred: Annotated[
        list[str] | None,
        typer.Option("--pred", "-p", metavar="COLUMN", help="Column of clusters; repeatable."),
    ] = None,
    measures: MeasuresOption = None,
    family: FamilyOption = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(metavar="MODULE:FUNCTION", help="A measure of your own to show as well."),
    ] = None,
    format: FormatOption = None,
    noise: NoiseOption = None,
    missing: MissingOption = MissingChoice.raise_,
    weights: WeightsOption = None,
    delimiter: DelimiterOption = None,
    header: HeaderOption = None,
    confidence: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Give intervals of this confidence, such as 0.95, and rank several predictions of "
            "one truth by the first measure.",
        ),
    ] = None,
    resamples: Annotated[
        int, typer.Option(metavar="N", help="Tables to resample for intervals.")
    ] = 2_000,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Seed of the resampling, to repeat it."),
    ] = None,
    diagnose: Annotated[
        bool, typer.Option("--diagnose", help="Also say where each clustering goes wrong.")
    ] = False,
    chance: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Hold the measures named, or some usual ones, against random clusterings: sizes, "
            "number, all, number_one_sided or all_one_sided.",
            autocompletion=_complete_model,
        ),
    ] = None,
    features: FeaturesOption = None,
    metric: MetricOption = "euclidean",
    sample: SampleOption = None,
    array: ArrayOption = None,
    id: IdOption = None,
    memory_limit: MemoryOption = None,
    engine: EngineOption = None,
    output: OutputOption = None,
) -> None:
    """Score a clustering against known classes, against its features, or both.

    [bold]clustervet score truth.csv pred.csv[/bold]

    [bold]clustervet score table.csv --truth y --pred kmeans --pred hdbscan[/bold]

    [bold]clustervet score 'lake/*.parquet' --truth y --pred a --pred b --memory-limit 1GB[/bold]

    [bold]clustervet score truth.parquet pred.csv --id id --truth y --pred c[/bold]

    [bold]clustervet score points.parquet --features x1,x2 --pred kmeans[/bold]
    """
    request = Request(
        files=files,
        truths=truth or [],
        preds=pred or [],
        measures=measures,
        own_measures=measure or [],
        families=family,
        noise=noise or [],
        missing=missing,
        weights=weights,
        delimiter=delimiter,
        header=header,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
        diagnose=diagnose,
        chance=chance,
        features=features or [],
        metric=metric,
        sample=sample,
        array=array,
        id=id,
        memory_limit=memory_limit,
        engine=engine,
    )
    emit(scoring.run(request), format, output)


@app.command()
def measures(
    key: Annotated[
        str | None,
        typer.Argument(metavar="[KEY]", help="One measure.", autocompletion=complete_measure),
    ] = None,
    family: FamilyOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """List the measures, or show the card of one: what it means and when to use it."""
    answer: Any = (
        cards.Listing(registry.select(family=family)) if key is None else cards.Card(registry[key])
    )
    emit(answer, format, output)


@app.command()
def demo(
    report: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Cluster handwritten digits in six ways instead, and write a page about it.",
        ),
    ] = None,
    format: FormatOption = None,
) -> None:
    """Score four clusterings of Fisher's irises, which come with clustervet.

    [bold]clustervet demo --report report.html[/bold]
    """
    shown = demonstration.irises() if report is None else demonstration.digits(report)
    emit(shown, format, None)


tuning.register(app)
choosing.register(app)
bounding.register(app)
compare_command.register(app)
lab_command.register(app)
report_command.register(app)
table_command.register(app)
