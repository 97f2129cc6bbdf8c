"""The commands of Dom's laboratory: his desiderata and his study."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from clustervet.cli.options import FormatOption, OutputOption, complete_measure
from clustervet.cli.output import emit
from clustervet.cli.pages import ReportOption, check_page, write_page
from clustervet.cli.plugins import load_object
from clustervet.cli.ranges import numbers, whole_numbers
from clustervet.cli.studied import Studied

MeasureOption = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        "-m",
        metavar="KEY | MODULE:FUNCTION",
        help="Measures to try, separated by commas or repeated, your own included; all for every "
        "one. Those of the paper by default.",
        autocompletion=complete_measure,
    ),
]
ObjectsOption = Annotated[float, typer.Option("-n", metavar="N", help="Number of objects.")]


def register(lab: typer.Typer) -> None:
    """Add the commands."""
    lab.command()(desiderata)
    lab.command()(dom)


def desiderata(
    measure: MeasureOption = None,
    classes: Annotated[
        str | None, typer.Option(metavar="RANGE", help="Numbers of classes; 5 by default.")
    ] = None,
    useful: Annotated[
        str | None, typer.Option(metavar="RANGE", help="Numbers of useful clusters; 2..11.")
    ] = None,
    noise: Annotated[
        str | None, typer.Option(metavar="RANGE", help="Numbers of noise clusters; 0..6.")
    ] = None,
    error_useful: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Shares in wrong useful clusters; 0 to 1/5 by 1/15."),
    ] = None,
    error_noise: Annotated[
        str | None, typer.Option(metavar="LIST", help="Shares in noise clusters; 0..0.3..0.1.")
    ] = None,
    n: ObjectsOption = 500,
    tolerance: Annotated[
        float, typer.Option(metavar="SHARE", help="Share of the value that is no change.")
    ] = 1e-12,
    failures: Annotated[
        bool, typer.Option("--failures", help="List every step that breaks a rule.")
    ] = False,
    format: FormatOption = None,
    output: OutputOption = None,
    report: ReportOption = None,
) -> None:
    """Dom's rules P1 to P5 on any measure: what breaks them, and how often."""
    from clustervet.lab.desiderata import desiderata as try_measures
    from clustervet.lab.desiderata_result import FailureList

    counts = {"classes": classes, "useful": useful, "noise": noise}
    errors = {"error_useful": error_useful, "error_noise": error_noise}
    grid: dict[str, list[Any]] = {
        **{k: list(whole_numbers(v, f"--{k}")) for k, v in counts.items() if v is not None},
        **{
            k: list(numbers(v, f"--{k.replace('_', '-')}"))
            for k, v in errors.items()
            if v is not None
        },
    }
    check_page(report)
    found = try_measures(_named(measure), grid, n=n, tolerance=tolerance)
    emit(Studied(FailureList(found) if failures else found), format, output)
    write_page(found, report)


def dom(
    measure: MeasureOption = None,
    n: ObjectsOption = 500,
    format: FormatOption = None,
    output: OutputOption = None,
    report: ReportOption = None,
) -> None:
    """The comparison of measures of Dom 2001, §7: tables, figures as numbers, ranks."""
    from clustervet.lab.dom import dom_study

    check_page(report)
    study = dom_study(_named(measure), n=n)
    emit(Studied(study), format, output)
    write_page(study, report)


def _named(names: list[str] | None) -> Any:
    """What was asked for: keys as they are, module:function loaded."""
    if names is None:
        return None
    listed = [name.strip() for part in names for name in part.split(",")]
    if listed == ["all"]:
        return "all"
    return [load_object(name, "a measure", "function") if ":" in name else name for name in listed]
