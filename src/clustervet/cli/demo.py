"""The command `demo`."""

from __future__ import annotations

from typing import Annotated

import typer

from clustervet.cli import options
from clustervet.cli.emit import emit, tell, write_page
from clustervet.cli.files import WRITTEN


def demo(
    report: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Cluster handwritten digits in six ways instead, and write a page about it.",
        ),
        WRITTEN,
    ] = None,
    format: options.Format = None,
) -> None:
    """Score four clusterings of Fisher's irises, which come with clustervet.

    [bold]clustervet demo --report report.html[/bold]
    """
    from clustervet.evidence.demonstration import digits, irises

    if report is None:
        emit(irises(), format, None)
        return
    from clustervet.report.output import check_target

    check_target(report)
    tell("clustering 1,797 handwritten digits in six ways ...")
    shown, results = digits()
    write_page(results, report, title="Six clusterings of handwritten digits")
    emit(shown, format, None)
