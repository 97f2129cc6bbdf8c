"""The commands `table build` and `table merge`."""

from __future__ import annotations

from typing import Annotated

import typer

from clustervet.cli import options
from clustervet.cli.files import READ, WRITTEN, Commands
from clustervet.errors import ParameterError, Setting

table = Commands(
    name="table",
    help="Save tables of counts, and merge them.",
    no_args_is_help=True,
    context_settings=options.HELP,
)
TargetOption = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Where to save it: .parquet or .json.",
        callback=options.checked_table,
    ),
    WRITTEN,
]


@table.callback()
def _tables() -> None:
    """Save tables of counts, and merge them."""


@table.command()
def build(
    files: Annotated[
        list[str], typer.Argument(metavar="DATA...", help="Files, patterns or folders."), READ
    ],
    output: TargetOption,
    truth: options.Truths = None,
    pred: options.Preds = None,
    noise: options.Noise = None,
    missing: options.MissingInPair = options.MissingInPairChoice.raise_,
    weights: options.Weights = None,
    array: options.Array = None,
    delimiter: options.Delimiter = None,
    header: options.Header = None,
    id: options.Id = None,
    memory_limit: options.Memory = None,
    engine: options.Engine = None,
) -> None:
    """Count classes and clusters of data, and save the table.

    [bold]clustervet table build shard-1.parquet --truth y --pred c -o 1.parquet[/bold]
    """
    from clustervet.cli.emit import tell
    from clustervet.contingency import read_tables

    for name, columns in (("truth", truth), ("pred", pred)):
        if columns is not None and len(columns) > 1:
            raise ParameterError(
                Setting(name), " names one column here: a saved table has one clustering."
            )
    tables = read_tables(
        files,
        truth,
        pred,
        noise=options.noise_policies(noise),
        missing=missing.value,
        weights=weights,
        array=array,
        delimiter=delimiter,
        header=header,
        id=id,
        memory_limit=memory_limit,
        engine=engine,
        parts=True,
    )
    (found,) = tables.values()
    tell(*tables.remarks(), *found.cautions())
    found.save(output)
    print(found.document().paragraphs[0])


@table.command()
def merge(
    files: Annotated[list[str], typer.Argument(metavar="TABLES...", help="Saved tables."), READ],
    output: TargetOption,
    memory_limit: options.Memory = None,
) -> None:
    """Merge saved tables of disjoint objects into the table of them all.

    [bold]clustervet table merge 1.parquet 2.parquet -o whole.parquet[/bold]
    """
    from clustervet.contingency import Contingency
    from clustervet.contingency.saved import merge_tables
    from clustervet.frames.places import find_files

    whole = merge_tables([Contingency.load(path) for path in find_files(files)])
    whole.save(output)
    print(whole.document().paragraphs[0])
