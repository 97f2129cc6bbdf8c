"""The commands that test measures for properties, and advise."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from clustervet.cli.options import FormatOption, OutputOption
from clustervet.cli.output import emit
from clustervet.cli.pages import ReportOption, check_page, write_page
from clustervet.cli.plugins import load_object
from clustervet.cli.studied import Studied


def register(lab: typer.Typer) -> None:
    """Add the commands to the laboratory."""
    lab.command()(axioms)
    lab.command()(advise)


def axioms(
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            metavar="KEY",
            help="A measure, or module:function of your own; again for more. All by default.",
        ),
    ] = None,
    property: Annotated[
        list[str] | None,
        typer.Option(
            "--property", "-p", metavar="KEY", help="A property; again for more. All by default."
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Test again what the package knows already.")
    ] = False,
    jobs: Annotated[int | None, typer.Option(metavar="N", help="Measures at once.")] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of the larger cases.")] = 0,
    format: FormatOption = None,
    output: OutputOption = None,
    report: ReportOption = None,
) -> None:
    """Which properties measures have, with the smallest counterexample where they fail."""
    from clustervet.lab.axioms import axioms as test

    check_page(report)
    matrix = test(_named(measure), property or None, random_state=seed, n_jobs=jobs, fresh=fresh)
    emit(Studied(matrix), format, output)
    write_page(matrix, report)


def advise(
    need: Annotated[
        list[str],
        typer.Option(
            "--need",
            "-n",
            metavar="WORDS",
            help="What is needed: metric, chance-adjusted, 'different k', ...; again for more.",
        ),
    ],
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            metavar="KEY",
            help="Choose among these, module:function of your own included. All by default.",
        ),
    ] = None,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Measures that have what is needed, or those that lack least."""
    from clustervet.lab.advice import advise as choose
    from clustervet.lab.axioms import axioms as test

    emit(Studied(choose(need, test(_named(measure)))), format, output)


def _named(names: list[str] | None) -> Any:
    """What was asked for: keys as they are, module:function loaded; nothing means all."""
    listed = [name.strip() for part in names or [] for name in part.split(",")]
    found = [load_object(name, "a measure", "function") if ":" in name else name for name in listed]
    return found or None
