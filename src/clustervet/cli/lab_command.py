"""The commands of the laboratory."""

from __future__ import annotations

from typing import Annotated

import typer

from clustervet.cli import lab_axioms, lab_dom
from clustervet.cli.options import FormatOption, OutputOption
from clustervet.cli.output import emit
from clustervet.cli.ranges import numbers, whole_numbers
from clustervet.cli.studied import Studied

lab = typer.Typer(
    name="lab",
    help="Measures put through published tests, and the papers' studies run again.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    lab_dom.register(lab)
    lab_axioms.register(lab)
    app.add_typer(lab)


@lab.callback()
def _laboratory() -> None:
    """Measures put through published tests, and the papers' studies run again."""


@lab.command()
def text(
    data: Annotated[
        str, typer.Option("--data", metavar="DIR", help="Folder of corpora; see docs/corpora.md.")
    ],
    sets: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Sets, separated by commas; all by default.")
    ] = None,
    algorithms: Annotated[
        str | None,
        typer.Option("--algorithms", "-a", metavar="NAMES", help="Algorithms; the paper's six."),
    ] = None,
    k: Annotated[
        str | None,
        typer.Option("--k", metavar="RANGE", help="2..20 by default, 2..30 for twenty classes."),
    ] = None,
    runs: Annotated[int, typer.Option(metavar="N", help="Runs of each.")] = 10,
    neighbours: Annotated[
        int,
        typer.Option(metavar="N", help="Nearest documents that smooth each one; 0 for none."),
    ] = 10,
    shares: Annotated[
        str,
        typer.Option(metavar="LIST", help="Labelled shares; the paper's are 0.1,0.3,0.5,0.7,0.9."),
    ] = "0.5",
    delta: Annotated[float, typer.Option(metavar="P", help="Chance that a bound fails.")] = 0.1,
    journal: Annotated[
        str | None,
        typer.Option("--journal", metavar="DIR", help="Keep every finished fit there, and go on."),
    ] = None,
    fetch: Annotated[
        bool, typer.Option("--fetch", help="Download newsgroups that are not there into DIR.")
    ] = False,
    jobs: Annotated[int | None, typer.Option(metavar="N", help="Fits at once.")] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of fits and splits.")] = 0,
    format: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Bounds on text corpora, ours beside those of Banerjee & Langford 2004, §4."""
    from clustervet.lab import text_study

    study = text_study(
        data,
        None if sets is None else [name.strip() for name in sets.split(",")],
        algorithms=None if algorithms is None else [a.strip() for a in algorithms.split(",")],
        clusters=None if k is None else whole_numbers(k, "--k"),
        runs=runs,
        neighbours=neighbours,
        shares=numbers(shares, "--shares"),
        delta=delta,
        journals=journal,
        n_jobs=jobs,
        random_state=seed,
        fetch=fetch,
    )
    emit(Studied(study), format, output)
