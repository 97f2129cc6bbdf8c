"""The command `compare`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from clustervet.cli import options
from clustervet.cli.emit import emit
from clustervet.cli.files import READ, WRITTEN
from clustervet.errors import ParameterError
from clustervet.registry import measures


class CentresChoice(StrEnum):
    """What is at the centre of a group of labelings."""

    medoids = "medoids"
    consensus = "consensus"


def compare(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="TABLE | FILES",
            help="A table with one column per labeling, or several files with one labeling each: "
            "CSV, TSV, Parquet, Arrow or JSON lines; - is standard input.",
        ),
        READ,
    ],
    labels: Annotated[
        list[str] | None,
        typer.Option(
            "--labels",
            "-l",
            metavar="COLUMNS",
            help="Columns of labels, separated by commas or repeated; by default all except an "
            "index.",
            callback=options.listed,
        ),
    ] = None,
    measure: Annotated[
        str, options.one_measure("Distance between labelings.")
    ] = "variation_of_information",
    groups: Annotated[
        int | None,
        typer.Option(metavar="K", help="Number of groups; by default as many as are most apart."),
    ] = None,
    centres: Annotated[
        CentresChoice,
        typer.Option(
            help="What is at the centre of a group: one of its labelings, or their consensus."
        ),
    ] = CentresChoice.medoids,
    weight: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=X",
            help="How much a labeling counts in medoid, groups and consensus, 1 by default; "
            "repeat it, or separate by commas.",
            callback=options.listed,
        ),
    ] = None,
    consensus: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the consensus there, one label per line; with --centres consensus also "
            "that of each group.",
            callback=options.checked_output,
        ),
        WRITTEN,
    ] = None,
    aligned: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write all labelings there, one column each, with the same number for the same "
            "group of objects.",
            callback=options.checked_output,
        ),
        WRITTEN,
    ] = None,
    align_to: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The labeling whose clusters get the numbers 0, 1, ... in --aligned; by default "
            "the medoid.",
        ),
    ] = None,
    query: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="One more labeling: say which ones are nearest to it."),
        READ,
    ] = None,
    nearest: Annotated[
        int | None, typer.Option(metavar="K", help="How many of them to name; 5 by default.")
    ] = None,
    within: Annotated[
        float | None,
        typer.Option(metavar="RADIUS", help="Name all of them up to this distance instead."),
    ] = None,
    trajectory: Annotated[
        bool,
        typer.Option(
            "--trajectory",
            help="Take the labelings as steps in their order: show only how far each is from the "
            "first, from the last and from the one before.",
        ),
    ] = False,
    noise: options.Noise = None,
    missing: options.Missing = options.MissingChoice.raise_,
    shared: Annotated[
        bool, typer.Option("--shared", help="Compare each pair on the objects that both label.")
    ] = False,
    starts: Annotated[
        int, typer.Option(metavar="N", help="Local searches for the consensus.")
    ] = 12,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    array: options.Array = None,
    delimiter: options.Delimiter = None,
    header: options.Header = None,
    memory_limit: options.Memory = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The runs of a table with one row per object and run, whose objects --id names; "
            "each is a labeling.",
        ),
    ] = None,
    id: Annotated[
        str | None,
        typer.Option(
            "--id",
            metavar="COLUMN",
            help="Column of the objects' names, with --by or in several files.",
        ),
    ] = None,
    by_row: options.ByRow = False,
    format: options.Format = None,
    output: options.Output = None,
    report: options.Report = None,
) -> None:
    """Compare many clusterings: distances, centre, groups, map and consensus.

    All distances between more than seven labelings are in the JSON, CSV and report forms.

    [bold]clustervet compare runs.csv --labels a,b,c --consensus together.csv[/bold]

    [bold]clustervet compare runs/*.csv --groups 3 -f json[/bold]

    [bold]clustervet compare long.csv --by run --id object --labels cluster[/bold]
    """
    from clustervet.ensemble import Ensemble
    from clustervet.ensemble.labeling_files import LabelingFiles, check_comparison

    record = measures[measure]
    for name, given in (("nearest", nearest), ("within", within)):
        if given is not None and query is None:
            raise ParameterError(f"--{name} goes with --query.")
    if align_to is not None and aligned is None:
        raise ParameterError(
            "--align-to says whose numbers clusters get in the --aligned file; add --aligned FILE."
        )
    around = centres is CentresChoice.consensus
    if trajectory and (query or consensus or groups is not None or around):
        raise ParameterError(
            "--trajectory goes without --query, --consensus, --groups and --centres."
        )
    reader = LabelingFiles(
        labels,
        array=array,
        delimiter=delimiter,
        header=header,
        memory_limit=memory_limit,
        by_row=by_row,
        by=by,
        id=id,
    )
    names = reader.names(files, query)
    check_comparison(
        names,
        record,
        weights=None if names is None else options.named_numbers(weight, names),
        groups=groups,
        centres=centres.value,
        starts=starts,
        trajectory=trajectory,
    )
    labelings = reader.read(files)
    ensemble = Ensemble(
        labelings,
        measure=record,
        weights=options.named_numbers(weight, list(labelings)),
        noise=options.noise_policies(noise),
        missing=missing.value,
        shared=shared,
        n_jobs=jobs,
    )
    ids = {} if reader.objects is None else {"id": reader.objects}
    if aligned is not None:
        numbers = ensemble.aligned(align_to)
        shown = {
            name: [None if number < 0 else number for number in each.tolist()]
            for name, each in numbers.items()
        }
        _write(aligned, ids | shown)
    if trajectory:
        emit(ensemble.trajectory(), format, output, remarks=reader.remarks(), report=report)
        return
    found = ensemble.summary(
        groups,
        centres=centres.value,
        starts=starts,
        random_state=seed,
        query=None if query is None else reader.one(query),
        nearest=nearest,
        within=within,
    )
    if consensus is not None:
        written = ids | {"consensus": found.labels()}
        written |= {f"group {k + 1}": found.labels(k) for k in range(len(found.groups.centres))}
        _write(consensus, written)
    emit(found, format, output, remarks=reader.remarks(), report=report)


def _write(path: str, columns: dict[str, Any]) -> None:
    """Write labels, one column per labeling."""
    from clustervet.frames.writing import write_whole
    from clustervet.view import csv_rows

    rows = zip(*columns.values(), strict=True)
    shown = [["NA" if label is None else label for label in row] for row in rows]
    write_whole(path, csv_rows([list(columns), *shown]))
