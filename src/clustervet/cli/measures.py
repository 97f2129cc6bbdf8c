"""The command `measures`."""

from __future__ import annotations

from typing import Annotated

import typer

from clustervet.cli import options
from clustervet.cli.emit import emit


def measures(
    key: Annotated[
        str | None,
        typer.Argument(
            metavar="[KEY]", help="One measure.", autocompletion=options.complete_measure
        ),
    ] = None,
    family: options.Family = None,
    format: options.Format = None,
    output: options.Output = None,
) -> None:
    """List the measures, or show the card of one: what it means and when to use it."""
    from clustervet.lab import card, measure_list

    emit(measure_list(family) if key is None else card(key), format, output)
