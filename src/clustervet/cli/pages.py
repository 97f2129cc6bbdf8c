"""A page about an answer, beside the answer itself."""

from __future__ import annotations

import shlex
import sys
from typing import Annotated, Any

import typer

from clustervet.labels import show_label

ReportOption = Annotated[
    str | None,
    typer.Option(
        "--report", metavar="FILE", help="Write a report about it too: .html, .md or .json."
    ),
]


def check_page(path: str | None) -> None:
    """Refuse a name that no report can have, before any work is done."""
    if path is not None:
        from clustervet.report.write import check_target

        check_target(path)


def write_page(result: Any, path: str | None) -> None:
    """Write the report, if one is wanted."""
    if path is None:
        return
    from clustervet.report import write_report

    written = write_report(result, path, command=shlex.join(["clustervet", *sys.argv[1:]]))
    print(f"clustervet: wrote {show_label(str(written), 200)}.", file=sys.stderr)
