"""The application: its commands in the order in which `--help` lists them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Annotated, Any

import typer

import clustervet
from clustervet.cli.benchmark import benchmark
from clustervet.cli.bound import bound
from clustervet.cli.compare import compare
from clustervet.cli.demo import demo
from clustervet.cli.drift import drift
from clustervet.cli.estimate import estimate
from clustervet.cli.files import Commands
from clustervet.cli.lab import lab
from clustervet.cli.measures import measures
from clustervet.cli.options import HELP, spell_option
from clustervet.cli.report import report
from clustervet.cli.score import score
from clustervet.cli.select import select
from clustervet.cli.stability import stability
from clustervet.cli.table import table
from clustervet.cli.tendency import tendency
from clustervet.cli.tree import tree
from clustervet.cli.tune import tune
from clustervet.cli.warmup import warmup
from clustervet.view.words import spelling

COMMANDS: tuple[Any, ...] = (
    score, estimate, measures, demo, tendency, tune, stability, select, benchmark, bound, compare,
    drift, tree, lab, report, table, warmup,
)  # fmt: skip


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"clustervet {clustervet.__version__}")
        raise typer.Exit


def _root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", is_eager=True, callback=_show_version),
    ] = False,
) -> None:
    """Judge, compare and choose clusterings."""
    context.with_resource(spelling(spell_option))  # notes name options, not parameters


def _application(commands: Iterable[Any]) -> Commands:
    """Make an application of some of the commands."""
    made = Commands(
        name="clustervet",
        help="Judge, compare and choose clusterings.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings=HELP,
    )
    made.callback()(_root)
    for command in commands:
        if isinstance(command, typer.Typer):
            made.add_typer(command)
        else:
            made.command()(command)
    return made


app = _application(COMMANDS)
_NAMED = {
    command.info.name if isinstance(command, typer.Typer) else command.__name__: command
    for command in COMMANDS
}


def command_line(words: Sequence[str]) -> Callable[..., Any]:
    """Return what runs a line of words: all commands, or the one that it begins with.

    The options of one command are read in a tenth of the time that those of all take.
    """
    return _built(words[0] if words and words[0] in _NAMED else None)


@cache
def _built(name: str | None) -> Callable[..., Any]:
    return typer.main.get_command(app if name is None else _application([_NAMED[name]]))
