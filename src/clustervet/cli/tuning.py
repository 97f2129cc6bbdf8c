"""The command `tune`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from clustervet.cli.options import (
    ArrayOption,
    DelimiterOption,
    FeaturesOption,
    FormatOption,
    HeaderOption,
    MeasuresOption,
    MetricOption,
    OutputOption,
    SampleOption,
)
from clustervet.cli.output import Format, emit
from clustervet.cli.pages import ReportOption, check_page, write_page
from clustervet.cli.points import listed, tell_features
from clustervet.cli.ranges import numbers, whole_numbers
from clustervet.cli.request import listed_measures
from clustervet.errors import ParameterError
from clustervet.frames import FeatureTable, read_features
from clustervet.frames.whole import write_whole
from clustervet.scorecard.render import csv_columns
from clustervet.selection import Tuning, tune
from clustervet.selection import show as shown
from clustervet.selection.estimators import DEFAULT_VALUES


@dataclass(frozen=True)
class Tuned:
    """A tuning as an answer."""

    tuning: Tuning

    def to_text(self, format: Format) -> str:
        """The curves and choices as text."""
        if format is Format.json:
            return self.tuning.to_json()
        if format is Format.csv:
            return csv_columns(shown.columns(self.tuning))
        if format is Format.markdown:
            return shown.markdown(self.tuning)
        return shown.text(self.tuning)

    def to_rich(self) -> Any:
        """The curves and choices for a terminal."""
        return shown.rich_table(self.tuning)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("tune")(tune_command)


def tune_command(
    file: Annotated[
        str,
        typer.Argument(metavar="TABLE", help="Points: CSV, TSV, Parquet, Arrow, JSON, NPY or NPZ."),
    ],
    k: Annotated[
        str | None,
        typer.Option("--k", metavar="RANGE", help="Numbers of clusters: 2..20 or 2,3,5."),
    ] = None,
    estimator: Annotated[
        str,
        typer.Option(
            "--estimator",
            "-e",
            metavar="NAME | MODULE:CLASS",
            help="Clusterer: kmeans, ward, gmm, dbscan, ... or a class of your own.",
        ),
    ] = "kmeans",
    parameter: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Parameter to tune, if not the number of clusters."),
    ] = None,
    values: Annotated[
        str | None,
        typer.Option(metavar="RANGE", help="Its values: 0.1..1..0.1 or 0.5,1,2."),
    ] = None,
    features: FeaturesOption = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMNS", help="Numeric columns that are no features."),
    ] = None,
    standardize: Annotated[
        bool, typer.Option("--standardize", help="Give every feature mean 0 and variance 1.")
    ] = False,
    measures: MeasuresOption = None,
    metric: MetricOption = "euclidean",
    bootstrap: Annotated[
        int, typer.Option(metavar="N", help="Repeat on so many samples, to see what is stable.")
    ] = 0,
    sample: SampleOption = None,
    array: ArrayOption = None,
    delimiter: DelimiterOption = None,
    header: HeaderOption = None,
    labels: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the labels at the suggested value there."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Fits at once; -1 is all cores.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of the fits.")] = 0,
    format: FormatOption = None,
    output: OutputOption = None,
    report: ReportOption = None,
) -> None:
    """Choose the number of clusters, or another parameter, by internal measures.

    [bold]clustervet tune points.csv --k 2..20[/bold]

    [bold]clustervet tune points.parquet -e dbscan --parameter eps --values 0.1..2..0.1[/bold]
    """
    check_page(report)
    name, tried = _asked(k, parameter, values)
    table = read_features(
        file,
        features=listed(features or []),
        exclude=listed(exclude or []) or [],
        array=array,
        delimiter=delimiter,
        header=header,
    )
    found = tune(
        _clusterer(estimator),
        _scaled(table) if standardize else table.matrix,
        name,
        DEFAULT_VALUES if tried is None else tried,
        measures=None if measures is None else listed_measures(measures),
        metric=metric,
        bootstrap=bootstrap,
        sample=sample,
        n_jobs=jobs,
        random_state=seed,
    )
    if not features:
        tell_features(table)
    if labels is not None:
        _write_labels(found, labels)
    emit(Tuned(found), format, output)
    write_page(found, report)


def _asked(
    k: str | None, parameter: str | None, values: str | None
) -> tuple[str, Sequence[float] | None]:
    """The parameter, and its values if any were given."""
    if k is not None:
        if parameter is not None or values is not None:
            raise ParameterError(
                "--k is short for a number of clusters and goes without --parameter and --values."
            )
        return "n_clusters", whole_numbers(k, "--k")
    if parameter is None:
        return "n_clusters", None if values is None else whole_numbers(values, "--values")
    if values is None:
        raise ParameterError(f"--parameter {parameter} needs its --values.")
    found = numbers(values, "--values")
    whole = all(value.is_integer() for value in found) and "." not in values.replace("..", "")
    return parameter, [int(value) for value in found] if whole else found


def _clusterer(name: str) -> Any:
    """A clusterer by name, or a class of the user's own."""
    if ":" not in name:
        return name
    from clustervet.cli.plugins import load_object

    return load_object(name, "a clusterer", "class")


def _scaled(table: FeatureTable) -> Any:
    from sklearn.preprocessing import StandardScaler

    return StandardScaler(with_mean=not hasattr(table.matrix, "tocsr")).fit_transform(table.matrix)


def _write_labels(found: Tuning, path: str) -> None:
    if found.suggestion is None:
        raise ParameterError(f"there are no labels to write: {found.why}.")
    lines = [str(label) for label in found.labels[found.suggestion].tolist()]
    write_whole(path, "\n".join(["label", *lines]) + "\n")
