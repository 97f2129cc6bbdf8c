"""The command `compare`."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from clustervet.cli.compared import Compared
from clustervet.cli.options import (
    DelimiterOption,
    FormatOption,
    HeaderOption,
    MissingOption,
    OutputOption,
    checked_target,
    complete_measure,
)
from clustervet.cli.output import emit
from clustervet.cli.pages import ReportOption, check_page, write_page
from clustervet.cli.points import listed
from clustervet.cli.request import MissingChoice
from clustervet.ensemble.ensemble import Ensemble
from clustervet.ensemble.summary import Summary
from clustervet.errors import ParameterError
from clustervet.frames.features import INDEX, open_table
from clustervet.frames.source import Source
from clustervet.frames.whole import write_whole
from clustervet.labels import Codes, show_label
from clustervet.registry import measures


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("compare")(compare)


def compare(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="TABLE | FILES",
            help="A table with a column a labeling, or several files with a labeling each: CSV, "
            "TSV, Parquet, Arrow or JSON lines; - is standard input.",
        ),
    ],
    labels: Annotated[
        list[str] | None,
        typer.Option(
            "--labels",
            "-l",
            metavar="COLUMNS",
            help="Columns of labels, separated by commas or repeated; by default all but an index.",
        ),
    ] = None,
    measure: Annotated[
        str,
        typer.Option(
            "--measure",
            "-m",
            metavar="KEY",
            help="Distance between labelings.",
            autocompletion=complete_measure,
        ),
    ] = "variation_of_information",
    groups: Annotated[
        int | None,
        typer.Option(metavar="K", help="Number of groups; by default as many as are most apart."),
    ] = None,
    weight: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=X",
            help="How much a labeling counts in medoid, groups and consensus, 1 by default; "
            "repeat it, or separate by commas.",
        ),
    ] = None,
    consensus: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the consensus there, a label a line.",
            callback=checked_target,
        ),
    ] = None,
    query: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="One more labeling: say which ones are nearest to it."),
    ] = None,
    nearest: Annotated[
        int | None, typer.Option(metavar="K", help="How many of them to name; 5 by default.")
    ] = None,
    missing: MissingOption = MissingChoice.raise_,
    shared: Annotated[
        bool, typer.Option("--shared", help="Compare each pair on the objects that both label.")
    ] = False,
    starts: Annotated[
        int, typer.Option(metavar="N", help="Local searches for the consensus.")
    ] = 12,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of searches and map.")] = 0,
    jobs: Annotated[
        int, typer.Option(metavar="N", help="Distances at once; -1 is all cores.")
    ] = -1,
    delimiter: DelimiterOption = None,
    header: HeaderOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
    report: ReportOption = None,
) -> None:
    """Compare many clusterings: distances, centre, groups, map and consensus.

    [bold]clustervet compare runs.csv --labels a,b,c --consensus together.csv[/bold]

    [bold]clustervet compare runs/*.csv --groups 3 -f json[/bold]
    """
    check_page(report)
    record = measures[measure]
    if nearest is not None and query is None:
        raise ParameterError("--nearest goes with --query.")
    reader = _Reader(listed(labels or []), delimiter, header)
    labelings = reader.all(files)
    ensemble = Ensemble(
        labelings,
        measure=record,
        weights=_weights(listed(weight or []), list(labelings)),
        missing=missing.value,
        shared=shared,
        n_jobs=jobs,
    )
    near = None
    if query is not None:
        wanted = min(5, len(ensemble)) if nearest is None else nearest
        near = ensemble.nearest(reader.one(query), wanted)
    summary = ensemble.summary(groups, starts=starts, random_state=seed)
    reader.tell()
    if consensus is not None:
        write_whole(consensus, _consensus_text(summary))
    emit(Compared(summary, near), format, output)
    write_page(summary, report)


def _weights(given: Sequence[str] | None, names: Sequence[str]) -> list[float] | None:
    """A weight for each labeling; None where none was given."""
    if given is None:
        return None
    weights = dict.fromkeys(names, 1.0)
    for pair in given:
        name, equals, text = pair.rpartition("=")
        if not equals:
            raise ParameterError(f"--weight takes NAME=X, not {show_label(pair)!r}.")
        if name not in weights:
            near = difflib.get_close_matches(name, names, n=1)
            hint = f"did you mean {show_label(near[0])!r}?" if near else "see the names it prints."
            raise ParameterError(f"--weight names no labeling by {show_label(name)!r}; {hint}")
        try:
            weights[name] = float(text)
        except ValueError:
            raise ParameterError(
                f"the weight of {show_label(name)!r} must be a number, not {show_label(text)!r}."
            ) from None
    return list(weights.values())


def _consensus_text(summary: Summary) -> str:
    """A label a line; an object that was left out has none."""
    labels = [str(label) for label in summary.consensus.labels.tolist()]
    if summary.kept is not None:
        left = iter(labels)
        labels = [next(left) if kept else "NA" for kept in summary.kept.tolist()]
    return "\n".join(["consensus", *labels]) + "\n"


@dataclass(frozen=True)
class _Reader:
    """How labelings are read from files."""

    columns: Sequence[str] | None
    delimiter: str | None
    header: bool | None
    notes: list[str] = field(default_factory=list)
    guessed: list[tuple[str, str]] = field(default_factory=list)

    def tell(self) -> None:
        """Say what was taken for what where that was a guess."""
        if self.guessed:
            name, first = self.guessed[0]
            which = f"the first line of {name}, {show_label(first)}, is taken as a name"
            more = len(self.guessed) - 1
            others = f", as are those of {more:,} more files" if more else ""
            what = "they are labels" if more else "it is a label"
            self.notes.append(f"{which}{others}; with --no-header {what}.")
        for note in self.notes:
            print(f"clustervet: {note}", file=sys.stderr)

    def all(self, files: Sequence[str]) -> dict[str, Codes]:
        """The columns of one table, or a labeling a file."""
        if len(files) == 1:
            return self._table(files[0])
        if files.count("-") > 1:
            raise ParameterError("only one of the files can be standard input.")
        names = _file_names(files)
        found: dict[str, Codes] = {}
        for path, name in zip(files, names, strict=True):
            columns = self._columns(path, self.columns)
            for column, codes in columns.items():
                found[name if len(columns) == 1 else f"{name}:{column}"] = codes
        return found

    def one(self, path: str) -> Codes:
        """The labeling in a file of its own."""
        return next(iter(self._columns(path, None).values()))

    def _table(self, path: str) -> dict[str, Codes]:
        source = open_table(path, None, self.delimiter, self.header)
        if self.columns is not None:
            return self._read(source, self.columns)
        taken, index = _without_index(source)
        if len(taken) > 1:
            named = ", ".join(show_label(name, 40) for name in taken[:12])
            more = f" and {len(taken) - 12:,} more" if len(taken) > 12 else ""
            left = f"; left out: {', '.join(map(show_label, index))} (an index)" if index else ""
            self.notes.append(f"labelings are {named}{more}{left}.")
        return self._read(source, taken)

    def _columns(self, path: str, wanted: Sequence[str] | None) -> dict[str, Codes]:
        """The columns wanted of a file, or the labeling of one that holds no other."""
        source = open_table(path, None, self.delimiter, self.header)
        names = wanted or _without_index(source)[0]
        if wanted is None and len(names) > 1:
            named = ", ".join(show_label(name) for name in names[:20])
            raise ParameterError(
                f"{source.name} holds several columns ({named}) where one labeling a file is "
                "wanted; name one with --labels."
                if self.columns is None
                else f"{source.name} holds several columns ({named}) where one labeling is wanted."
            )
        if source.header_guessed is not None:
            self.guessed.append((source.name, source.header_guessed))
        return self._read(source, names)

    def _read(self, source: Source, names: Sequence[str]) -> dict[str, Codes]:
        for name in names:
            if name not in source.kinds:
                raise source.absent(name)
        found: dict[str, Codes] = source.read((), list(dict.fromkeys(names)))[1]
        return {name: found[name] for name in dict.fromkeys(names)}


def _without_index(source: Source) -> tuple[list[str], list[str]]:
    """The columns that are no index, and those that are; a single column is none."""
    index = [name for name in source.kinds if INDEX.fullmatch(name.strip())]
    taken = [name for name in source.kinds if name not in index]
    return (taken, index) if taken else (index, [])


def _file_names(files: Sequence[str]) -> list[str]:
    """Names of the files without folders and endings, or in full where those are the same."""
    short = [Path(path).name.split(".")[0] or path for path in files]
    names = [
        path if short.count(name) > 1 else name for path, name in zip(files, short, strict=True)
    ]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f"{show_label(name, 200)} is given twice.")
    return names
