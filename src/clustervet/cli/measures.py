"""The command `measures`."""

from __future__ import annotations

from typing import Annotated

import typer

from clustervet.cli.emit import emit
from clustervet.cli.options import FamilyOption, FormatOption, OutputOption, complete_measure


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
    from clustervet.lab import card, measure_list

    emit(measure_list(family) if key is None else card(key), format, output)
