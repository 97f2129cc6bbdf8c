"""The application: its commands in the order in which `--help` lists them."""

from __future__ import annotations

from typing import Annotated

import typer

import clustervet
from clustervet.cli.benchmark import benchmark
from clustervet.cli.bound import bound
from clustervet.cli.compare import compare
from clustervet.cli.demo import demo
from clustervet.cli.files import Commands
from clustervet.cli.lab import lab
from clustervet.cli.measures import measures
from clustervet.cli.options import HELP, spell_option
from clustervet.cli.report import report
from clustervet.cli.score import score
from clustervet.cli.select import select
from clustervet.cli.table import table
from clustervet.cli.tree import tree
from clustervet.cli.tune import tune
from clustervet.cli.warmup import warmup
from clustervet.view.words import spelling

app = Commands(
    name="clustervet",
    help="Judge, compare and choose clusterings.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings=HELP,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"clustervet {clustervet.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", is_eager=True, callback=_show_version),
    ] = False,
) -> None:
    """Judge, compare and choose clusterings."""
    context.with_resource(spelling(spell_option))  # notes name options, not parameters


for command in (score, measures, demo, tune, select, benchmark, bound, compare, tree):
    app.command()(command)
app.add_typer(lab)
app.command()(report)
app.add_typer(table)
app.command()(warmup)
