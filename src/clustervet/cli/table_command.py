"""The commands of tables: build one from data, merge several."""

from __future__ import annotations

from typing import Annotated

import typer

from clustervet.cli.options import (
    DelimiterOption,
    EngineOption,
    HeaderOption,
    IdOption,
    MemoryOption,
    MissingOption,
    NoiseOption,
    WeightsOption,
)
from clustervet.cli.request import MissingChoice, Request
from clustervet.errors import ParameterError

table = typer.Typer(
    name="table",
    help="Save tables of counts, and merge them.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
TargetOption = Annotated[
    str,
    typer.Option("--output", "-o", metavar="FILE", help="Where to save it: .parquet or .json."),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(table)


@table.callback()
def _tables() -> None:
    """Save tables of counts, and merge them."""


@table.command()
def build(
    files: Annotated[
        list[str], typer.Argument(metavar="DATA...", help="Files, patterns or folders.")
    ],
    output: TargetOption,
    truth: Annotated[
        list[str] | None,
        typer.Option("--truth", "-t", metavar="COLUMN", help="Column of the classes."),
    ] = None,
    pred: Annotated[
        list[str] | None,
        typer.Option("--pred", "-p", metavar="COLUMN", help="Column of clusters."),
    ] = None,
    noise: NoiseOption = None,
    missing: MissingOption = MissingChoice.raise_,
    weights: WeightsOption = None,
    delimiter: DelimiterOption = None,
    header: HeaderOption = None,
    id: IdOption = None,
    memory_limit: MemoryOption = None,
    engine: EngineOption = None,
) -> None:
    """Count classes and clusters of data, and save the table.

    [bold]clustervet table build shard-1.parquet --truth y --pred c -o 1.parquet[/bold]
    """
    from clustervet.cli.tables import read_tables

    request = Request(
        files=files,
        truths=_one(truth, "--truth"),
        preds=_one(pred, "--pred"),
        noise=noise or [],
        missing=missing,
        weights=weights,
        delimiter=delimiter,
        header=header,
        id=id,
        memory_limit=memory_limit,
        engine=engine,
    )
    (found,) = read_tables(request).tables.values()
    found.save(output)
    print(str(found).partition("\n")[0])


def _one(columns: list[str] | None, option: str) -> list[str]:
    """The column named, if one is; a saved table holds two columns and no more."""
    if columns is not None and len(columns) > 1:
        raise ParameterError(f"{option} names one column here: a saved table has one clustering.")
    return columns or []


@table.command()
def merge(
    files: Annotated[list[str], typer.Argument(metavar="TABLES...", help="Saved tables.")],
    output: TargetOption,
) -> None:
    """Merge saved tables of disjoint objects into the table of them all.

    [bold]clustervet table merge 1.parquet 2.parquet -o whole.parquet[/bold]
    """
    from clustervet.contingency import Contingency
    from clustervet.contingency.saved import merge_tables
    from clustervet.frames.scan import find_files

    whole = merge_tables([Contingency.load(path) for path in find_files(files)])
    whole.save(output)
    print(str(whole).partition("\n")[0])
