"""The command `stability`."""

from __future__ import annotations

from typing import Annotated

import typer

from clustervet.cli import options
from clustervet.cli.emit import emit
from clustervet.cli.files import READ, READ_CODE, WRITTEN


def stability(
    file: Annotated[
        str,
        typer.Argument(metavar="TABLE", help="Points: CSV, TSV, Parquet, Arrow, JSON, NPY or NPZ."),
        READ,
    ],
    k: Annotated[int | None, typer.Option("--k", metavar="N", help="Number of clusters.")] = None,
    estimator: Annotated[
        str | None,
        typer.Option(
            "--estimator",
            "-e",
            metavar="NAME | MODULE:CLASS",
            help="Clusterer: kmeans (the default; average with --metric gower), ward, gmm, dbscan, "
            "... or a class or function of your own.",
        ),
        READ_CODE,
    ] = None,
    pred: Annotated[
        str | None,
        typer.Option(
            "--pred",
            "-p",
            metavar="COLUMN",
            help="Column of finished clusters to judge; by default the clusterer makes them.",
        ),
    ] = None,
    how: Annotated[
        str | None,
        typer.Option(
            metavar="subset | bootstrap | jitter",
            help="What is clustered again: a share of the points, those of a bootstrap sample, or "
            "all points moved a little.",
        ),
    ] = None,
    samples: Annotated[
        int, typer.Option(metavar="N", help="Number of samples that are clustered.")
    ] = 100,
    share: Annotated[
        float | None, typer.Option(metavar="SHARE", help="Share of the points in a subset.")
    ] = None,
    features: options.Features = None,
    exclude: options.Exclude = None,
    standardize: options.Standardize = False,
    metric: options.Metric = "euclidean",
    array: options.Array = None,
    delimiter: options.Delimiter = None,
    header: options.Header = None,
    memory_limit: options.Memory = None,
    objects: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the cluster of each object there, and how often it stayed in it.",
            callback=options.checked_output,
        ),
        WRITTEN,
    ] = None,
    jobs: options.Jobs = None,
    seed: options.Seed = 0,
    format: options.Format = None,
    output: options.Output = None,
    report: options.Report = None,
) -> None:
    """Say which clusters can be relied on: those that come back in samples of the points.

    [bold]clustervet stability points.csv --k 5[/bold]

    [bold]clustervet stability points.csv -e ward --k 5 --pred segment --exclude id[/bold]
    """
    from clustervet.frames import open_table
    from clustervet.frames.writing import write_whole
    from clustervet.tuning.stability import read_plan
    from clustervet.tuning.stability import stability as judge_clusters
    from clustervet.view.data import to_csv

    mixed = options.takes_text(metric)
    estimator = estimator or ("average" if mixed else "kmeans")
    (clusterer,) = options.named_objects([estimator], "a clusterer", "class") or [estimator]
    read_plan(clusterer, k, how, samples, share, metric)  # which refuses what cannot be asked
    opened = open_table(
        file, array=array, delimiter=delimiter, header=header, memory_limit=memory_limit
    )
    aside = [*(exclude or ()), *([] if pred is None else [pred])]
    table = opened.features(features, aside, later=True, mixed=mixed)
    found = judge_clusters(
        clusterer,
        table,
        None if pred is None else table.labels(pred),
        how=how,  # type: ignore[arg-type]  # checked there
        samples=samples,
        clusters=k,
        share=share,
        metric=metric,
        standardize=standardize,
        n_jobs=jobs,
        random_state=seed,
    )
    if objects is not None:
        write_whole(objects, to_csv(found.listed_objects()))
    emit(found, format, output, remarks=() if features else [table.remark], report=report)
