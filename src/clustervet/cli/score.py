"""The command `score`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from clustervet.cli import options
from clustervet.cli.emit import emit
from clustervet.cli.files import READ, WRITTEN
from clustervet.errors import ParameterError


def score(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="TRUTH PRED | TABLE",
            help="Two files with one label per line, or one table; - is standard input. A table is "
            "CSV, JSON lines, Parquet, Arrow, NPY, NPZ or a workbook in a file, in all files that "
            "match a pattern, or in a folder; or what `table build` saved. With --features, one "
            "such table with everything, or points and labels in two files.",
        ),
        READ,
    ],
    truth: options.Truths = None,
    pred: options.Preds = None,
    measures: options.Measures = None,
    family: options.Family = None,
    measure: options.OwnMeasure = None,
    format: options.Format = None,
    noise: options.Noise = None,
    missing: options.MissingInPair = options.MissingInPairChoice.raise_,
    weights: options.Weights = None,
    delimiter: options.Delimiter = None,
    header: options.Header = None,
    confidence: options.Confidence = None,
    resamples: options.Resamples = 2_000,
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Seed of everything random, to repeat it."),
    ] = None,
    jobs: options.Jobs = -1,
    diagnose: Annotated[
        bool, typer.Option("--diagnose", help="Also say where each clustering goes wrong.")
    ] = False,
    objects: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the objects of every split, merge and repair there, by their rows from 0 "
            "on or by their --id; with --diagnose.",
            callback=options.checked_output,
        ),
        WRITTEN,
    ] = None,
    aligned: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the clusters of every object by the names of their classes, one column "
            "per prediction.",
            callback=options.checked_output,
        ),
        WRITTEN,
    ] = None,
    chance: options.Chance = None,
    features: options.AskedFeatures = None,
    exclude: options.Exclude = None,
    memberships: options.Memberships = None,
    true_memberships: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMNS",
            help="Degrees of membership of the truth, instead of --truth; with --memberships.",
            callback=options.listed,
        ),
    ] = None,
    normalize: Annotated[
        bool, typer.Option("--normalize", help="Divide the --memberships of a row by their sum.")
    ] = False,
    cover: Annotated[
        bool,
        typer.Option(
            "--cover",
            help="Groups may overlap: each row is an object and one of its groups, in two files "
            "or in columns that --id, --truth and --pred name.",
        ),
    ] = False,
    tree: Annotated[
        bool,
        typer.Option(
            "--tree",
            help="Each file is a tree, the first one the truth: Newick text, or a linkage matrix "
            "of scipy. In one table --truth and --pred name nested labels from coarse to fine.",
        ),
    ] = False,
    standardize: options.Standardize = False,
    metric: options.Metric = "euclidean",
    sample: options.Sample = None,
    array: options.Array = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Score each group of rows by itself: a batch, or a run in a table with one row "
            "per object and run. With --id, runs of the same objects are ranked.",
        ),
    ] = None,
    id: options.Id = None,
    by_row: options.ByRow = False,
    memory_limit: options.Memory = None,
    engine: options.Engine = None,
    output: options.Output = None,
    report: options.Report = None,
) -> None:
    """Score a clustering against known classes, against its features, or both.

    [bold]clustervet score truth.csv pred.csv[/bold]

    [bold]clustervet score table.csv --truth y --pred kmeans --pred hdbscan[/bold]

    [bold]clustervet score 'lake/*.parquet' --truth y --pred a --pred b --memory-limit 1GB[/bold]

    [bold]clustervet score truth.parquet pred.csv --id id --truth y --pred c[/bold]

    [bold]clustervet score points.parquet --features x1,x2 --pred kmeans[/bold]

    [bold]clustervet score truth.csv pred.csv --cover[/bold]

    [bold]clustervet score a.nwk b.nwk --tree[/bold]

    [bold]clustervet score table.csv --memberships 'p_*' --true-memberships 'q_*'[/bold]
    """
    from clustervet.frames.writing import write_whole
    from clustervet.scorecard.score_files import score_files
    from clustervet.view.data import to_csv

    if objects is not None and not diagnose:
        raise ParameterError("--objects goes with --diagnose.")
    found = score_files(
        files,
        truth,
        pred,
        by=by,
        id=id,
        by_row=by_row,
        array=array,
        delimiter=delimiter,
        header=header,
        memory_limit=memory_limit,
        engine=engine,
        noise=options.noise_policies(noise),
        missing=missing.value,
        weights=weights,
        memberships=memberships,
        true_memberships=true_memberships,
        normalize=normalize,
        cover=cover,
        tree=tree,
        measures=measures,
        also=options.own_measures(measure),
        family=family,
        features=features,
        exclude=exclude or (),
        standardize=standardize,
        metric=metric,
        sample=sample,
        confidence=confidence,
        resamples=resamples,
        diagnose=diagnose,
        picture=report is not None,
        chance=chance,
        random_state=seed,
        n_jobs=jobs,
    )
    if objects is not None:
        rows: dict[str, list[Any]] = {}
        for name, one in found.diagnoses.items():
            listed = one.listed_objects()
            for key, column in {"prediction": [name] * len(listed["part"]), **listed}.items():
                rows.setdefault(key, []).extend(column)
        write_whole(objects, to_csv(rows))
    if aligned is not None:
        write_whole(aligned, to_csv(found.aligned()))
    emit(found, format, output, remarks=found.remarks, report=report)
