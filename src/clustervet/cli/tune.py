"""The command `tune`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import typer

from clustervet.cli import options
from clustervet.cli.emit import emit
from clustervet.cli.files import READ, READ_CODE, WRITTEN
from clustervet.errors import ParameterError


def tune(
    file: Annotated[
        str,
        typer.Argument(metavar="TABLE", help="Points: CSV, TSV, Parquet, Arrow, JSON, NPY or NPZ."),
        READ,
    ],
    k: options.K = None,
    estimator: Annotated[
        list[str] | None,
        typer.Option(
            "--estimator",
            "-e",
            metavar="NAME | MODULE:CLASS",
            help="Clusterer: kmeans (the default; average with --metric gower), ward, gmm, dbscan, "
            "... or a class of your own; of several, one is chosen.",
            callback=options.listed,
        ),
        READ_CODE,
    ] = None,
    parameter: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Parameter to tune, if not the number of clusters."),
    ] = None,
    values: Annotated[
        str | None,
        typer.Option(metavar="RANGE", help="Its values: 0.1..1..0.1 or 0.5,1,2."),
    ] = None,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=RANGE",
            help="Values of one of several parameters, all combinations of which are tried; "
            "repeat it.",
        ),
    ] = None,
    features: options.Features = None,
    exclude: options.Exclude = None,
    standardize: options.Standardize = False,
    noise: Annotated[
        str,
        typer.Option(
            metavar="drop | keep | singletons", help="What measures do with points labelled -1."
        ),
    ] = "drop",
    measures: options.Measures = None,
    metric: options.Metric = "euclidean",
    bootstrap: Annotated[
        int, typer.Option(metavar="N", help="Repeat on N samples, to see what is stable.")
    ] = 0,
    references: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Compare with N sets without clusters of each kind; 0 or at least 19. "
            "With 0 nothing is suggested.",
        ),
    ] = 19,
    sample: options.Sample = None,
    validation: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE",
            help="Other points, by which clusters are judged: their likelihood joins the measures.",
        ),
        READ,
    ] = None,
    array: options.Array = None,
    delimiter: options.Delimiter = None,
    header: options.Header = None,
    memory_limit: options.Memory = None,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the labels at the suggested value there.",
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
    """Choose the number of clusters, or another parameter, by internal measures.

    [bold]clustervet tune points.csv --k 2..20[/bold]

    [bold]clustervet tune points.parquet -e dbscan --parameter eps --values 0.1..2..0.1[/bold]

    [bold]clustervet tune points.csv -e kmeans,ward --k 2..8[/bold]

    [bold]clustervet tune points.csv -e dbscan --grid eps=0.5,1,2 --grid min_samples=3,5[/bold]
    """
    from clustervet.frames import open_table
    from clustervet.frames.writing import write_whole
    from clustervet.tuning import tune as tune_parameter
    from clustervet.tuning.tune import read_question
    from clustervet.view import csv_rows

    mixed = options.takes_text(metric)
    usual = "average" if mixed else "kmeans"
    named = options.named_objects(estimator or [usual], "a clusterer", "class") or []
    several = len(named) > 1 or grid is not None
    name, tried = _asked(k, parameter, values)
    asked: dict[str, Any] = {
        "parameter": None if several else name,
        "values": None if several else tried,
        "measures": measures,
        "grid": _grid(grid, name, tried) if several else None,
        "metric": metric,
        "noise": noise,
        "standardize": standardize,
        "bootstrap": bootstrap,
        "references": references,
        "sample": sample,
        "n_jobs": jobs,
        "random_state": seed,
    }
    clusterer = named if several else named[0]
    read_question(clusterer, None, validation=validation, **asked)  # which refuses what is wrong
    opened = partial(
        open_table, array=array, delimiter=delimiter, header=header, memory_limit=memory_limit
    )
    table = opened(file).features(features, exclude or (), later=True, mixed=mixed)
    others = None
    if validation is not None:
        others = opened(validation).features(table.feature_names, later=True)
    found = tune_parameter(
        clusterer, table, validation=others, feature_names=table.feature_names, **asked
    )
    if labels is not None:
        rows = [["label"], *([label] for label in found.best_labels().tolist())]
        write_whole(labels, csv_rows(rows))
    emit(found, format, output, remarks=() if features else [table.remark], report=report)


def _grid(
    grid: list[str] | None, name: str, tried: Sequence[float] | None
) -> dict[str, Sequence[float]]:
    """Return the values of each parameter; numbers of clusters are 2 to 20 if nothing is asked."""
    found: dict[str, Sequence[float]] = {} if tried is None else {name: tried}
    for one in grid or []:
        key, sign, text = one.partition("=")
        if not sign or not key:
            raise ParameterError(f"--grid must be NAME=RANGE, not {one!r}.")
        if key in found:
            again = (
                "--k or --parameter gives" if key == name and tried is not None else "--grid has"
            )
            raise ParameterError(f"{again} values of {key} already; give them once.")
        found[key] = _values(text, f"--grid {key}")
    return found or {name: range(2, 21)}


def _asked(
    k: str | None, parameter: str | None, values: str | None
) -> tuple[str, Sequence[float] | None]:
    """Return the parameter, and its values if any were given."""
    if k is not None:
        if parameter is not None or values is not None:
            raise ParameterError(
                "--k is short for a number of clusters and goes without --parameter and --values."
            )
        return "n_clusters", options.whole_numbers(k, "--k")
    if parameter is None:
        return "n_clusters", None if values is None else options.whole_numbers(values, "--values")
    if values is None:
        raise ParameterError(f"--parameter {parameter} needs its --values.")
    return parameter, _values(values, "--values")


def _values(text: str, option: str) -> Sequence[float]:
    """Return numbers, whole ones where all are written so."""
    found = options.numbers(text, option)
    whole = all(value.is_integer() for value in found) and "." not in text.replace("..", "")
    return [int(value) for value in found] if whole else found
