"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from clustervet.cli.output import Format
from clustervet.cli.request import MissingChoice
from clustervet.frames.whole import check_writable
from clustervet.registry import measures as registry


def complete_measure(incomplete: str) -> list[tuple[str, str]]:
    """Measures whose key begins so, the last of several."""
    head, comma, last = incomplete.rpartition(",")
    return [
        (head + comma + key, record.title)
        for key, record in registry.items()
        if key.startswith(last)
    ]


def _complete_family(incomplete: str) -> list[str]:
    families = {record.family for record in registry.values()}
    return sorted(family for family in families if family.startswith(incomplete))


FormatOption = Annotated[
    Format | None,
    typer.Option(
        "--format",
        "-f",
        help="How to print the answer; by default a table, or what the output file's name says.",
        case_sensitive=False,
    ),
]
MeasuresOption = Annotated[
    list[str] | None,
    typer.Option(
        "--measures",
        "-m",
        metavar="KEYS",
        help="Measures to show, separated by commas or repeated; aliases such as vi work.",
        autocompletion=complete_measure,
    ),
]
FamilyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--family",
        metavar="NAME",
        help="Only measures of this family; may be repeated.",
        autocompletion=_complete_family,
    ),
]


def checked_target(path: str | None) -> str | None:
    """A file to be written, refused at once if it cannot be."""
    if path is None or path == "-":
        return None
    check_writable(path)
    return path


OutputOption = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write the answer to a file instead of standard output.",
        callback=checked_target,
    ),
]


FeaturesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--features",
        metavar="COLUMNS",
        help="Columns of features, separated by commas or repeated; x* stands for all that match. "
        "By default all numeric columns but labels; with a --truth, none.",
    ),
]
MetricOption = Annotated[
    str, typer.Option(metavar="NAME", help="Distance between points: euclidean, cosine, ...")
]
SampleOption = Annotated[
    int | None,
    typer.Option(metavar="N", help="Points to draw for measures that take long on all of them."),
]
ArrayOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="Which array of an NPZ file holds the features.")
]
DelimiterOption = Annotated[
    str | None, typer.Option(metavar="CHAR", help="Field separator; found out by default.")
]
HeaderOption = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether the first line names the columns."),
]

NoiseOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="POLICY | LABEL=POLICY",
        help="What the noise label (-1 unless named) means, in either labeling: keep, drop or "
        "singletons.",
    ),
]
MissingOption = Annotated[
    MissingChoice,
    typer.Option(help="What an empty label does: stop, drop the object, or be a class."),
]
WeightsOption = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Column with a weight an object.")
]
IdOption = Annotated[
    str | None,
    typer.Option(
        "--id",
        metavar="COLUMN",
        help="Join the file of the truth, which comes first, and files of predictions by this "
        "column.",
    ),
]
MemoryOption = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        metavar="SIZE",
        help="Memory for grouping files, such as 1GB; beyond it a temporary folder is used.",
    ),
]
EngineOption = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="What groups the data: duckdb (the default), polars, spark or dask, or a cluster at "
        "spark://host:port, sc://host:port or tcp://host:port.",
    ),
]
