"""The commands `select` and `bound`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from clustervet.cli.choices import Bounded, Chosen, predictions_text
from clustervet.cli.labelled import Asked, own_algorithms, read_mask, read_points_and_labels
from clustervet.cli.options import (
    ArrayOption,
    FeaturesOption,
    FormatOption,
    OutputOption,
    checked_target,
)
from clustervet.cli.output import emit
from clustervet.cli.pages import ReportOption, check_page, write_page
from clustervet.cli.ranges import whole_numbers
from clustervet.cli.request import MissingChoice, noise_policies
from clustervet.errors import ParameterError
from clustervet.frames.documents import read_columns
from clustervet.frames.whole import write_whole
from clustervet.labels import show_label
from clustervet.pacmdl import languages, pac_mdl_bound
from clustervet.selection.candidates import read_language
from clustervet.selection.inputs import DEFAULT_CLUSTERS
from clustervet.selection.select import select


def _complete_language(incomplete: str) -> list[tuple[str, str]]:
    return [
        (key, record.meaning) for key, record in languages.items() if key.startswith(incomplete)
    ]


LanguageOption = Annotated[
    str,
    typer.Option(
        metavar="KEY",
        help="What the bound pays for: simple, init, cluster, algo, permutation, adaptive or "
        "mixture; auto pays for the choices made.",
        autocompletion=_complete_language,
    ),
]
DeltaOption = Annotated[
    float, typer.Option(metavar="SHARE", help="Probability that the bound may fail.")
]
LabelledOption = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column that is true or 1 where the label may be looked at; by default wherever "
        "there is one.",
    ),
]
LabelsOption = Annotated[
    int | None,
    typer.Option(metavar="N", help="Number of possible labels, where the data may lack some."),
]
DelimiterOption = Annotated[
    str | None, typer.Option(metavar="CHAR", help="Field separator; found out by default.")
]
HeaderOption = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether the first line names the columns."),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("select")(select_command)
    app.command("bound")(bound_command)


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
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of split and fits.")] = 0,
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


def bound_command(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="A table with labels.")],
    truth: Annotated[
        str,
        typer.Option(
            "--truth", "-t", metavar="COLUMN", help="Column of true labels, gaps and all."
        ),
    ],
    pred: Annotated[
        str, typer.Option("--pred", "-p", metavar="COLUMN", help="Column of clusters.")
    ],
    labelled: LabelledOption = None,
    language: LanguageOption = "auto",
    runs: Annotated[
        int, typer.Option(metavar="N", help="Runs that this is the best of, by the labels.")
    ] = 1,
    algorithms: Annotated[
        int, typer.Option(metavar="N", help="Algorithms that this is the best of, by the labels.")
    ] = 1,
    searched: Annotated[
        bool,
        typer.Option("--searched", help="The number of clusters was chosen by the labels, too."),
    ] = False,
    clusters: Annotated[
        int | None,
        typer.Option(
            "--k", metavar="N", help="Number of clusters asked for, if some came out empty."
        ),
    ] = None,
    delta: DeltaOption = 0.1,
    labels: LabelsOption = None,
    noise: Annotated[
        list[str] | None,
        typer.Option(
            metavar="POLICY | LABEL=POLICY",
            help="What the noise label (-1 unless named) means among the clusters: keep, drop or "
            "singletons.",
        ),
    ] = None,
    missing: Annotated[
        MissingChoice,
        typer.Option(help="What an empty cluster does: stop, drop the object, or be a cluster."),
    ] = MissingChoice.raise_,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed that breaks ties.")] = 0,
    delimiter: DelimiterOption = None,
    header: HeaderOption = None,
    format: FormatOption = None,
    output: OutputOption = None,
    report: ReportOption = None,
) -> None:
    """Bound the errors of a clustering as a predictor of labels that nobody has seen.

    The bound holds if the labelled objects are a random sample of all.

    [bold]clustervet bound labels.csv --truth y --pred c --labelled mask[/bold]
    """
    check_page(report)
    names = [truth, pred] if labelled is None else [truth, pred, labelled]
    columns = read_columns(table, names, delimiter=delimiter, header=header)
    found = pac_mdl_bound(
        columns[truth],
        columns[pred],
        None if labelled is None else read_mask(columns[labelled], labelled),
        language=read_language(language, algorithms, 2 if searched else 1, runs),
        runs=runs,
        algorithms=algorithms,
        searched=searched,
        clusters=clusters,
        delta=delta,
        labels=labels,
        noise=noise_policies(noise or []),
        missing=missing.value,
        random_state=seed,
    )
    emit(Bounded(found), format, output)
    write_page(found, report)
