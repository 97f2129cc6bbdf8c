"""The commands of the laboratory."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from clustervet.cli import options
from clustervet.cli.emit import emit
from clustervet.cli.files import READ_CORPORA, WRITTEN, Commands

lab = Commands(
    name="lab",
    help="Measures put through published tests, and the papers' studies run again.",
    no_args_is_help=True,
    context_settings=options.HELP,
)
ObjectsOption = Annotated[float, typer.Option("-n", metavar="N", help="Number of objects.")]


@lab.callback()
def _laboratory() -> None:
    """Measures put through published tests, and the papers' studies run again."""


def _measures(names: list[str] | None) -> Any:
    """Return keys as they are and module:function loaded; None or "all" have their own meaning."""
    return "all" if names == ["all"] else options.named_objects(names, "a measure", "function")


@lab.command()
def desiderata(
    measure: options.NamedMeasures = None,
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
    format: options.Format = None,
    output: options.Output = None,
    report: options.Report = None,
) -> None:
    """Test any measure by Dom's rules P1 to P5: what breaks them, and how often.

    The measures of the paper by default.
    """
    from clustervet.lab import desiderata as test

    ranges = {"classes": classes, "useful": useful, "noise": noise}
    shares = {"error_useful": error_useful, "error_noise": error_noise}
    grid: dict[str, Any] = {k: options.whole_numbers(v, f"--{k}") for k, v in ranges.items() if v}
    grid |= {k: options.numbers(v, f"--{k.replace('_', '-')}") for k, v in shares.items() if v}
    found = test(_measures(measure), grid, n=n, tolerance=tolerance)
    emit(found.steps() if failures else found, format, output, report=report)


@lab.command()
def dom(
    measure: options.NamedMeasures = None,
    n: ObjectsOption = 500,
    format: options.Format = None,
    output: options.Output = None,
    report: options.Report = None,
) -> None:
    """Compare measures as Dom 2001, §7, does: tables, figures as numbers, ranks.

    The measures of the paper by default.
    """
    from clustervet.lab import dom_study

    emit(dom_study(_measures(measure), n=n), format, output, report=report)


@lab.command()
def axioms(
    measure: options.NamedMeasures = None,
    property: Annotated[
        list[str] | None,
        typer.Option(
            "--property",
            "-p",
            metavar="KEY",
            help="Properties, separated by commas or repeated. All by default.",
            callback=options.listed,
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Test again what the package knows already.")
    ] = False,
    jobs: options.Jobs = None,
    seed: options.Seed = 0,
    format: options.Format = None,
    output: options.Output = None,
    report: options.Report = None,
) -> None:
    """Show which properties measures have, with the smallest counterexample where they fail.

    All measures by default.
    """
    from clustervet.lab import axioms as test

    named = None if measure == ["all"] else _measures(measure)
    matrix = test(named, property, random_state=seed, n_jobs=jobs, fresh=fresh)
    emit(matrix, format, output, report=report)


@lab.command()
def advise(
    need: Annotated[
        list[str],
        typer.Option(
            "--need",
            "-n",
            metavar="WORDS",
            help="What is needed: metric, chance-adjusted, 'different k', ...; repeatable.",
        ),
    ],
    measure: options.NamedMeasures = None,
    format: options.Format = None,
    output: options.Output = None,
    report: options.Report = None,
) -> None:
    """Show measures that have what is needed, or those that lack least.

    By default those of no single field; -m all has every measure.
    """
    from clustervet.lab import advise as choose
    from clustervet.lab import axioms as test

    named = _measures(measure)
    matrix = None if named is None else test(None if measure == ["all"] else named)
    emit(choose(need, matrix), format, output, report=report)


@lab.command()
def text(
    data: Annotated[
        str,
        typer.Option("--data", metavar="DIR", help="Folder of corpora; see docs/corpora.md."),
        READ_CORPORA,
    ],
    sets: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="Sets, separated by commas or repeated; all by default.",
            callback=options.listed,
        ),
    ] = None,
    algorithms: options.Algorithms = None,
    k: options.K = None,
    runs: Annotated[int, typer.Option(metavar="N", help="Runs of each.")] = 10,
    neighbours: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Nearest documents that smooth each one, for a second bound that pays for the "
            "choice; the paper has none.",
        ),
    ] = 0,
    run_choice: options.RunChoice = "bound",
    shares: Annotated[
        str,
        typer.Option(metavar="LIST", help="Labelled shares; the paper's are 0.1,0.3,0.5,0.7,0.9."),
    ] = "0.5",
    delta: options.Delta = 0.1,
    journal: Annotated[
        str | None,
        typer.Option("--journal", metavar="DIR", help="Keep every finished fit there, and go on."),
        WRITTEN,
    ] = None,
    fetch: Annotated[
        bool, typer.Option("--fetch", help="Have scikit-learn download missing newsgroups.")
    ] = False,
    memory_limit: options.Memory = None,
    jobs: options.Jobs = None,
    seed: options.Seed = 0,
    format: options.Format = None,
    output: options.Output = None,
    report: options.Report = None,
) -> None:
    """Bound errors on text corpora, beside the bounds of Banerjee & Langford 2004, §4.

    By default 2 to 20 clusters, and 2 to 30 for twenty classes.
    """
    from clustervet.lab import text_study

    study = text_study(
        data,
        sets,
        algorithms=options.named_objects(options.listed(algorithms), "an algorithm", "class"),
        clusters=None if k is None else options.whole_numbers(k, "--k"),
        runs=runs,
        neighbours=neighbours,
        run_choice=run_choice,
        shares=options.numbers(shares, "--shares"),
        delta=delta,
        journals=journal,
        n_jobs=jobs,
        random_state=seed,
        fetch=fetch,
    )
    emit(study, format, output, report=report)
