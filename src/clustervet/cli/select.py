"""The command `select`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from clustervet.cli import options
from clustervet.cli.emit import emit, resumable
from clustervet.cli.files import READ_TEXTS, WRITTEN
from clustervet.errors import ParameterError
from clustervet.labels import show_label

# Digits of a number that no setting has.
LONG = 10


def select(
    data: Annotated[
        str,
        typer.Argument(
            metavar="TABLE | FOLDER",
            help="Points with a column of labels: CSV, TSV, Parquet, Arrow, JSON or NPZ; or a "
            "folder of text files with a folder for each class.",
        ),
        READ_TEXTS,
    ],
    label: Annotated[
        str | None,
        typer.Option("--label", "-l", metavar="COLUMN", help="Column of labels; may have gaps."),
    ] = None,
    algorithms: options.Algorithms = None,
    k: options.K = None,
    runs: Annotated[int, typer.Option(metavar="N", help="Fits of each.")] = 10,
    delta: options.Delta = 0.1,
    language: options.Language = "auto",
    train: Annotated[
        str,
        typer.Option(
            metavar="SHARE | N",
            help="Points to look at, drawn at random, where all have a label; several, separated "
            "by commas, are told side by side.",
        ),
    ] = "0.5",
    labelled: options.Labelled = None,
    labels: options.PossibleLabels = None,
    features: options.Features = None,
    exclude: options.Exclude = None,
    standardize: options.Standardize = False,
    array: options.Array = None,
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
    representation: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[,KEY=VALUE]",
            help="A kind of features to choose from: a name, and behind commas settings such as "
            "neighbours=10 (weighting, neighbours or standardize). Repeat it; the bound pays for "
            "the choice.",
        ),
    ] = None,
    run_choice: options.RunChoice = "bound",
    noise: Annotated[
        str | None,
        typer.Option(metavar="keep | singletons", help="What points labelled -1 are."),
    ] = None,
    held_out: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="Labelled points to hold out, which bound the errors of two more predictors; 0 "
            "for neither.",
        ),
    ] = 0.5,
    baseline: Annotated[
        bool,
        typer.Option(
            "--baseline/--no-baseline",
            help="Train a plain classifier as well, with a bound of its own.",
        ),
    ] = True,
    journal: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write every fit there at once, and go on from it.",
            callback=options.checked_journal,
        ),
        WRITTEN,
    ] = None,
    resume: Annotated[
        bool | None,
        typer.Option(
            "--resume/--no-resume",
            help="Insist that the journal exists, or that it does not.",
        ),
    ] = None,
    jobs: options.Jobs = None,
    seed: options.Seed = 0,
    predict_by: Annotated[
        str,
        typer.Option(
            metavar="pac_mdl | held_out | baseline | trusted",
            help="Predictor whose labels --predictions writes; trusted has the smallest bound.",
        ),
    ] = "pac_mdl",
    predictions: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write cluster and predicted label of each point there.",
            callback=options.checked_output,
        ),
        WRITTEN,
    ] = None,
    delimiter: options.Delimiter = None,
    header: options.Header = None,
    memory_limit: options.Memory = None,
    format: options.Format = None,
    output: options.Output = None,
    report: options.Report = None,
) -> None:
    """Choose algorithm, number of clusters and run, with a bound on the errors of the choice.

    The bound holds if the points with a label that is looked at are a random sample of all.

    [bold]clustervet select data.npz --label y --k 2..20 --runs 10 --journal run.db[/bold]

    [bold]clustervet select mails.csv --text body --label folder -a spherical,soft_movmf[/bold]

    [bold]clustervet select newsgroups/ --delta 0.05[/bold]
    """
    from clustervet.fitting.algorithms import read_algorithms
    from clustervet.fitting.preparation import read_representations
    from clustervet.frames.documents import read_labelled_points, usual_weighting
    from clustervet.frames.writing import write_whole
    from clustervet.selection import Selection
    from clustervet.selection import select as select_clustering
    from clustervet.selection.select import check_selection
    from clustervet.selection.selection import check_predictor
    from clustervet.view.data import to_csv

    if algorithms is not None and not options.listed(algorithms):
        raise ParameterError("--algorithms names none; leave it out to have the usual ones.")
    shares = [_train(part) for part in train.split(",")]
    if predictions is not None and len(shares) > 1:
        raise ParameterError("--predictions needs one share of labelled points in --train.")
    asked = options.named_objects(options.listed(algorithms), "an algorithm", "class")
    numbers = None if k is None else options.whole_numbers(k, "--k")
    kinds = _representations(representation)
    # What needs no data is checked before the data, which may take long to read.
    read_algorithms(asked)
    if weighting is None:
        weighting = usual_weighting(data, text)
    read_representations(kinds, None, weighting, neighbours, standardize)
    check_predictor(predict_by, "predict_by")
    settings: dict[str, Any] = {
        "delta": delta,
        "language": language,
        "run_choice": run_choice,
        "noise": noise,
        "held_out": held_out,
        "journal": journal,
        "resume": resume,
    }
    check_selection(runs, shares, numbers, **settings)
    points = read_labelled_points(
        data,
        label,
        text=text,
        labelled=labelled,
        features=features,
        exclude=exclude or (),
        array=array,
        delimiter=delimiter,
        header=header,
        memory_limit=memory_limit,
    )
    with resumable(journal):
        found = select_clustering(
            points.matrix,
            points.labels,
            asked,
            numbers,
            runs,
            train=shares if len(shares) > 1 else shares[0],
            labelled=points.labelled,
            labels=labels,
            baseline=baseline,
            weighting=weighting,
            neighbours=neighbours,
            representations=kinds,
            standardize=standardize,
            n_jobs=jobs,
            random_state=seed,
            feature_names=points.feature_names,
            **settings,
        )
    if predictions is not None and isinstance(found, Selection):
        written = found.predictions_columns(points.names, predict_by)
        write_whole(predictions, to_csv(written))
    emit(found, format, output, remarks=() if features else [points.remark], report=report)


def _train(text: str) -> float | int:
    """Return a share such as 0.5, or a number of points."""
    try:
        return int(text) if text.strip().isdigit() else float(text)
    except ValueError:
        raise ParameterError(
            f"--train is a share such as 0.5 or a number of points, not {show_label(text)!r}."
        ) from None


def _representations(given: list[str] | None) -> dict[str, dict[str, Any]] | None:
    """Return settings by name from texts such as `smoothed,neighbours=10`."""
    if not given:
        return None
    found: dict[str, dict[str, Any]] = {}
    for text in given:
        name, *settings = (part.strip() for part in text.split(","))
        if name in found:
            raise ParameterError(f"--representation names {show_label(name)!r} twice.")
        found[name] = {}
        for setting in settings:
            key, equals, value = setting.partition("=")
            if not equals:
                raise ParameterError(
                    "--representation takes a name and settings such as neighbours=10, not "
                    f"{show_label(setting)!r}."
                )
            found[name][key.strip()] = _setting(value.strip())
    return found


def _setting(text: str) -> Any:
    """Return a whole number, yes or no as such; other texts as they are."""
    if text.isascii() and text.isdigit() and len(text) < LONG:
        return int(text)
    return {"yes": True, "true": True, "no": False, "false": False}.get(text.lower(), text)
