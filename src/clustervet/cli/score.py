"""The command `score`."""

from __future__ import annotations

from typing import Annotated

import typer

from clustervet.cli.emit import emit
from clustervet.cli.options import (
    ArrayOption,
    ChanceOption,
    ConfidenceOption,
    DelimiterOption,
    EngineOption,
    ExcludeOption,
    FamilyOption,
    FeaturesOption,
    FormatOption,
    HeaderOption,
    IdOption,
    JobsOption,
    MeasuresOption,
    MemoryOption,
    MetricOption,
    MissingChoice,
    MissingOption,
    NoiseOption,
    OutputOption,
    OwnMeasureOption,
    PredsOption,
    ReportOption,
    ResamplesOption,
    SampleOption,
    StandardizeOption,
    TruthsOption,
    WeightsOption,
    noise_policies,
    own_measures,
)


def score(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="TRUTH PRED | TABLE",
            help="Two files with one label per line, or one table; - is standard input. A table is "
            "CSV, JSON lines, Parquet, Arrow, NPY or NPZ in a file, in all files that match a "
            "pattern, or in a folder; or what `table build` saved. With --features, one such "
            "table with everything, or points and labels in two files.",
        ),
    ],
    truth: TruthsOption = None,
    pred: PredsOption = None,
    measures: MeasuresOption = None,
    family: FamilyOption = None,
    measure: OwnMeasureOption = None,
    format: FormatOption = None,
    noise: NoiseOption = None,
    missing: MissingOption = MissingChoice.raise_,
    weights: WeightsOption = None,
    delimiter: DelimiterOption = None,
    header: HeaderOption = None,
    confidence: ConfidenceOption = None,
    resamples: ResamplesOption = 2_000,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Seed of everything random, to repeat it."),
    ] = None,
    jobs: JobsOption = -1,
    diagnose: Annotated[
        bool, typer.Option("--diagnose", help="Also say where each clustering goes wrong.")
    ] = False,
    chance: ChanceOption = None,
    features: FeaturesOption = None,
    exclude: ExcludeOption = None,
    standardize: StandardizeOption = False,
    metric: MetricOption = "euclidean",
    sample: SampleOption = None,
    array: ArrayOption = None,
    id: IdOption = None,
    memory_limit: MemoryOption = None,
    engine: EngineOption = None,
    output: OutputOption = None,
    report: ReportOption = None,
) -> None:
    """Score a clustering against known classes, against its features, or both.

    [bold]clustervet score truth.csv pred.csv[/bold]

    [bold]clustervet score table.csv --truth y --pred kmeans --pred hdbscan[/bold]

    [bold]clustervet score 'lake/*.parquet' --truth y --pred a --pred b --memory-limit 1GB[/bold]

    [bold]clustervet score truth.parquet pred.csv --id id --truth y --pred c[/bold]

    [bold]clustervet score points.parquet --features x1,x2 --pred kmeans[/bold]
    """
    from clustervet.scorecard import score_files

    found = score_files(
        files,
        truth,
        pred,
        measures=measures,
        also=own_measures(measure),
        family=family,
        noise=noise_policies(noise),
        missing=missing.value,
        weights=weights,
        delimiter=delimiter,
        header=header,
        confidence=confidence,
        resamples=resamples,
        random_state=seed,
        n_jobs=jobs,
        diagnose=diagnose,
        chance=chance,
        features=features,
        exclude=exclude or (),
        standardize=standardize,
        metric=metric,
        sample=sample,
        array=array,
        id=id,
        memory_limit=memory_limit,
        engine=engine,
    )
    emit(found, format, output, remarks=found.remarks, report=report)
