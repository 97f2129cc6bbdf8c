"""The command `select`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from clustervet.cli.choices import Chosen, predictions_text
from clustervet.cli.labelled import Asked, own_algorithms, read_points_and_labels
from clustervet.cli.labelled_options import (
    DeltaOption,
    LabelledOption,
    LabelsOption,
    LanguageOption,
)
from clustervet.cli.options import (
    ArrayOption,
    DelimiterOption,
    FeaturesOption,
    FormatOption,
    HeaderOption,
    OutputOption,
    checked_target,
)
from clustervet.cli.output import emit
from clustervet.cli.pages import ReportOption, check_page, write_page
from clustervet.cli.ranges import whole_numbers
from clustervet.errors import ParameterError
from clustervet.frames.whole import write_whole
from clustervet.labels import show_label
from clustervet.selection.inputs import DEFAULT_CLUSTERS
from clustervet.selection.select import select


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("select")(select_command)


def select_command(
    data: Annotated[
        str,
        typer.Argument(
            metavar="TABLE | FOLDER",
            help="Points with a column of labels: CSV, TSV, Parquet, Arrow, JSON or NPZ; or a "
            "folder of text files with a folder for each class.",
        ),
    ],
    label: Annotated[
        str | None,
        typer.Option("--label", "-l", metavar="COLUMN", help="Column of labels; may have gaps."),
    ] = None,
    algorithms: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithms",
            "-a",
            metavar="NAMES",
            help="kmeans, spherical, frequency_sensitive, hard_movmf, soft_movmf, kl (the "
            "default), ward, gmm, ... or module:class of your own; by commas or repeated.",
        ),
    ] = None,
    k: Annotated[
        str | None,
        typer.Option("--k", metavar="RANGE", help="Numbers of clusters: 2..20 or 2,3,5."),
    ] = None,
    runs: Annotated[int, typer.Option(metavar="N", help="Fits of each.")] = 10,
    delta: DeltaOption = 0.1,
    language: LanguageOption = "auto",
    train: Annotated[
        str,
        typer.Option(
            metavar="SHARE | N",
            help="Points to look at, drawn at random, where all have a label.",
        ),
    ] = "0.5",
    labelled: LabelledOption = None,
    labels: LabelsOption = None,
    features: FeaturesOption = None,
    array: ArrayOption = None,
    text: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of text, whose words are counted: of two letters or more, in two texts or "
            "more, but not in most of them.",
        ),
    ] = None,
    weighting: Annotated[
        str | None,
        typer.Option(
            metavar="tfidf | counts | none",
            help="What becomes of counts; tfidf for text, none for other features. Algorithms "
            "that read counts always get them.",
        ),
    ] = None,
    neighbours: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Move every row of words half the way to its N nearest rows; 10 help most "
            "collections of short texts.",
        ),
    ] = 0,
    noise: Annotated[
        str | None,
        typer.Option(metavar="keep | singletons", help="What points labelled -1 are."),
    ] = None,
    journal: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write every fit there at once, and go on from it."),
    ] = None,
    resume: Annotated[
        bool | None,
        typer.Option(
            "--resume/--no-resume",
            help="Insist that the journal exists, or that it does not.",
        ),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Fits at once; -1 is all cores.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of split and fits.")] = 0,
    predictions: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write cluster and predicted label of each point there.",
            callback=checked_target,
        ),
    ] = None,
    delimiter: DelimiterOption = None,
    header: HeaderOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
    report: ReportOption = None,
) -> None:
    """Choose algorithm, number of clusters and run, with a bound on the errors of the choice.

    The bound holds if the points with a label that is looked at are a random sample of all.

    [bold]clustervet select data.npz --label y --k 2..20 --runs 10 --journal run.db[/bold]

    [bold]clustervet select mails.csv --text body --label folder -a spherical,soft_movmf[/bold]

    [bold]clustervet select newsgroups/ --delta 0.05[/bold]
    """
    check_page(report)
    asked = Asked(data, label, text, labelled, features or [], array, delimiter, header)
    points = read_points_and_labels(asked)
    try:
        found = select(
            points.matrix,
            points.labels,
            own_algorithms(algorithms),
            DEFAULT_CLUSTERS if k is None else whole_numbers(k, "--k"),
            runs,
            train=_train(train),
            labelled=points.labelled,
            language=language,
            delta=delta,
            labels=labels,
            noise=noise,
            weighting=points.weighting if weighting is None else weighting,
            neighbours=neighbours,
            journal=journal,
            resume=resume,
            n_jobs=jobs,
            random_state=seed,
        )
    except KeyboardInterrupt:
        if journal is not None:
            kept = f"the fits that had ended are in {show_label(journal, 200)}"
            print(f"clustervet: {kept}; the same command goes on from there.", file=sys.stderr)
        raise
    points.tell()
    emit(Chosen(found), format, output)
    if predictions is not None:
        write_whole(predictions, predictions_text(found, points.names))
    write_page(found, report)


def _train(text: str) -> float | int:
    """A share such as 0.5, or a number of points."""
    try:
        return int(text) if text.strip().isdigit() else float(text)
    except ValueError:
        raise ParameterError(
            f"--train is a share such as 0.5 or a number of points, not {show_label(text)!r}."
        ) from None
