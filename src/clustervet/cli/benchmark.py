"""The command `benchmark`."""

from __future__ import annotations

from typing import Annotated

import typer

from clustervet.cli import options
from clustervet.cli.emit import emit, resumable
from clustervet.cli.files import READ_CODE, READ_TEXTS, WRITTEN
from clustervet.errors import ParameterError


def benchmark(
    suite: Annotated[
        str,
        typer.Argument(
            metavar="FOLDER",
            help="Data sets: NAME.data.gz with NAME.labels0.gz, NAME.labels1.gz, ..., or tables "
            "with a column of labels.",
        ),
        READ_TEXTS,
    ],
    algorithms: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithms",
            "-a",
            metavar="NAMES",
            help="kmeans, gmm, ward, average, complete, single (the default), dbscan, ... or "
            "module:class of your own; by commas or repeated.",
        ),
        READ_CODE,
    ] = None,
    runs: Annotated[int, typer.Option(metavar="N", help="Fits of each.")] = 10,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Clusterings made before: one folder per algorithm with NAME.csv, one column per "
            "run, or NAME.result3.gz.",
        ),
        READ_TEXTS,
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(
            "--label", "-l", metavar="COLUMN", help="Column of true labels in tables; repeatable."
        ),
    ] = None,
    measure: Annotated[
        str, options.one_measure("Measure that scores clusterings; aliases such as vi work.")
    ] = "variation_of_information",
    k: Annotated[
        str,
        typer.Option(
            "--k",
            metavar="truth | own | RANGE",
            help="Numbers of clusters: as many as classes, as algorithms are set, or 2..20.",
        ),
    ] = "truth",
    truths: Annotated[
        str, typer.Option(metavar="best | mean", help="Score by several truths of a set.")
    ] = "best",
    truth_noise: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LABEL",
            help="Label of the truth that means noise; repeatable. In files NAME.labels0.gz it is "
            "0, unless others are named.",
        ),
    ] = None,
    noise: Annotated[
        str | None,
        typer.Option(metavar="keep | singletons", help="What points labelled -1 are."),
    ] = None,
    standardize: options.Standardize = False,
    posthoc: Annotated[
        str, typer.Option(metavar="nemenyi | wilcoxon", help="Test of pairs of algorithms.")
    ] = "nemenyi",
    alpha: Annotated[
        float, typer.Option(metavar="SHARE", help="Chance of any difference where there is none.")
    ] = 0.05,
    rope: Annotated[
        float, typer.Option(metavar="X", help="Differences of scores up to X are ties.")
    ] = 0.0,
    confidence: Annotated[
        float, typer.Option(metavar="SHARE", help="Level of the intervals over runs.")
    ] = 0.95,
    journal: Annotated[
        str | None,
        typer.Option(metavar="FOLDER", help="Write every fit there at once, and go on from it."),
        WRITTEN,
    ] = None,
    jobs: options.Jobs = None,
    seed: options.Seed = 0,
    memory_limit: options.Memory = None,
    format: options.Format = None,
    output: options.Output = None,
    report: options.Report = None,
) -> None:
    """Run algorithms on a suite of data sets with known classes, and rank them.

    [bold]clustervet benchmark suite/ -a kmeans,ward,gmm --runs 10 --journal fits/[/bold]

    [bold]clustervet benchmark tables/ --label species --labels results/ -m ari[/bold]
    """
    from clustervet._memory import memory_limit as limited
    from clustervet.suites import benchmark as run_benchmark

    if algorithms is not None and not options.listed(algorithms):
        raise ParameterError("--algorithms names none; leave it out to have the usual ones.")
    with resumable(journal), limited(memory_limit):
        found = run_benchmark(
            suite,
            options.named_objects(options.listed(algorithms), "an algorithm", "class"),
            runs,
            labels=labels,
            measure=measure,
            clusters=k if k in ("truth", "own") else options.whole_numbers(k, "--k"),
            truths=truths,
            truth_noise=truth_noise or "auto",
            noise=noise,
            label=options.listed(label),
            standardize=standardize,
            posthoc=posthoc,
            alpha=alpha,
            rope=rope,
            confidence=confidence,
            journal=journal,
            n_jobs=jobs,
            random_state=seed,
        )
    emit(found, format, output, report=report)
