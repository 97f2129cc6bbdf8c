"""`select`: algorithm, number of clusters and run, chosen with a guarantee."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clustervet._checks import jobs, one_of, whole
from clustervet.errors import FeatureError, ParameterError
from clustervet.fitting.algorithms import Algorithm, read_algorithms, read_seed, usual_numbers
from clustervet.fitting.fits import fit_tasks, progress_bar, stream_of
from clustervet.fitting.journal import Identity, Journal, made_fits
from clustervet.geometry.picture import tried_points
from clustervet.geometry.points import read_points, scale_ratio
from clustervet.geometry.profiles import named_features
from clustervet.labels import show_label
from clustervet.pacmdl import Language, languages, pac_mdl_bound
from clustervet.selection.candidates import (
    NOISES,
    Contest,
    SelectionStudy,
    read_split,
)
from clustervet.selection.predictors import (
    BASELINE,
    HELD_OUT,
    PAC_MDL,
    Predictor,
    classified,
    halves_of,
    jointly,
    read_share,
)
from clustervet.selection.selection import Selection

if TYPE_CHECKING:
    from clustervet.fitting.preparation import Preparation


def select(
    X: Any,  # noqa: N803  # the name that everyone gives to features
    y: Any,
    algorithms: Any = None,
    clusters: Iterable[int] | int | None = None,
    runs: int = 10,
    *,
    train: float | int = 0.5,
    labelled: Any = None,
    language: str | Language = "auto",
    delta: float = 0.1,
    labels: Any = None,
    noise: str | None = None,
    held_out: float = 0.5,
    baseline: bool = True,
    standardize: bool = False,
    weighting: str = "none",
    neighbours: int = 0,
    journal: str | os.PathLike[str] | None = None,
    resume: bool | None = None,
    n_jobs: int | None = None,
    random_state: Any = 0,
    feature_names: Sequence[Any] | None = None,
    progress: bool = True,
) -> Selection:
    """Fit algorithms with many numbers of clusters and runs, and choose one with its bound.

    Every clustering predicts the labels of unlabelled points. The clustering with the lowest
    bound on its errors is chosen, and its bound pays for the choice.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame
        Points by features.
    y : array-like
        One label per point; a data frame and a series of pandas must have equal indexes. Where
        some are missing (None, NaN), those points are unlabelled and
        the choice is made by the others, whatever `train` says. Where none are missing, `train`
        says which points are looked at, and the truth of the others only tells, beside the bound,
        how many errors there really are.
    algorithms : list of str or dict, optional
        Names of algorithms, or a mapping from names to any scikit-learn clusterers or mixtures.
        By default the six of the paper: "kmeans", "spherical", "frequency_sensitive",
        "hard_movmf", "soft_movmf" and, where no feature is below zero, "kl".
    clusters : int or iterable of int, optional
        Numbers of clusters to ask for; by default 2 to 20.
    runs : int, optional
        Fits of each; an algorithm without a random_state is fitted once.
    train : float or int, optional
        The share of the points, or their number, that is drawn at random to be looked at.
    labelled : array-like, optional
        The points that are looked at: a mask, positions, or a column of yes and no or of 1 and 0.
        The bound holds for a random sample of all points; if they were picked it promises nothing.
    language : str or Language, optional
        What the bits pay for. "auto" is the shortest of the paper's languages that pays for the
        choices made: "algo", "cluster", "init" or "simple".
    delta : float, optional
        The probability that the bound may fail.
    labels : int or list, optional
        The possible labels, or their number, as in `pac_mdl_bound`.
    noise : {"keep", "singletons"}, optional
        "keep" makes points labelled -1 one more cluster, as happens without a policy, which a note
        then says; "singletons" one cluster each. They are never dropped, so that every candidate
        predicts the same points.
    held_out : float, optional
        The share of the labelled points that is held out for a second and a third opinion. The
        others label the clusters again, choose the clustering that errs least on them, and train
        the baseline. Those held out bound the errors of both, without bits. 0 means neither.
    baseline : bool, optional
        Whether a plain classifier (nearest neighbours or ridge regression) is trained beside the
        clusterings. It has a bound of its own, by the points held out.
    standardize : bool, optional
        Whether every feature gets mean 0 and variance 1 first; sparse features keep their zeros.
    weighting : {"none", "counts", "tfidf"}, optional
        "tfidf" turns counts into tf-idf for all algorithms but those that read counts; "counts"
        leaves counts, or weights that were made of them before, as they are.
    neighbours : int, optional
        Move every row of counts or tf-idf half of the way to this many nearest rows, as
        `clusterers.NeighbourSmoothing` does; 10 help most collections of short texts, 0 is off.
    journal : path, optional
        A file to which every finished fit is written at once. A journal that exists is continued.
        Fits never depend on labels, so y, train, language, delta and the lists of algorithms,
        numbers and runs may change; X, standardize, random_state and an algorithm's settings may
        not.
    resume : bool, optional
        True asks for a journal that exists, False for a new one.
    n_jobs : int, optional
        How many fits run at once, by whatever joblib backend is active; -1 uses all cores.
    random_state : int, numpy.random.Generator or None, optional
        A seed from which every fit derives its own, so that the answer is the same for any order
        of fits, any `n_jobs` and any number of interruptions.
    feature_names : sequence, optional
        Names of the features, such as words, for the profiles of the clusters; by default the
        columns of a data frame.
    progress : bool, optional
        Whether a terminal shows a progress bar.

    Returns
    -------
    Selection
        The chosen clustering with its bound and its predictions, and every candidate.

    Raises
    ------
    FeatureError
        If the points cannot be read, or an algorithm cannot read them.
    LabelError
        If the labels cannot be read, or leave nothing to predict.
    ParameterError
        If an option is unknown or out of range, or if every fit failed.
    FileError
        If the journal cannot be read or written, or belongs to another run.

    Notes
    -----
    The bound is that of Banerjee & Langford 2004, §3.2 and §3.3. Ties go to fewer clusters, then
    to the earlier algorithm and run.

    `predictors` of the result has three ways to predict: "pac_mdl" (the chosen clustering),
    "held_out" and "baseline". Each bound alone holds with probability 1 - delta; their joint
    bounds hold all at once. `trusted` is the one with the smallest joint bound. The PAC-MDL bound
    is a certificate for a clustering that one has. With many labelled points a classifier is
    usually better.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 1, (100, 2)) for c in ((0, 0), (9, 0), (0, 9))])
    >>> y = np.repeat(["ham", "spam", "news"], 100)
    >>> found = select(X, y, algorithms=["kmeans", "ward"], clusters=range(2, 6), runs=2)
    >>> found.best.clusters, found.best.max_errors, found.best.test_errors
    (3, 12, 0)
    >>> {key: one.joint_max_errors for key, one in found.predictors.items()}
    {'pac_mdl': 13, 'held_out': 8, 'baseline': 8}
    """
    from clustervet.fitting.preparation import Preparation

    points = read_points(X)
    total = int(points.shape[0])
    if total < 2:
        raise FeatureError("a selection needs at least 2 points; X has 1.")
    names = getattr(X, "columns", None) if feature_names is None else feature_names
    names = named_features(names, points.shape[1])
    preparation = Preparation.read(weighting, neighbours, standardize)
    scaled = preparation.scaled(points)
    negative = preparation.negative(scaled) if algorithms is None else None
    wanted, remarks = _readable(read_algorithms(algorithms), negative)
    numbers, runs = _read_numbers(clusters, total), whole(runs, "runs", 1)
    preparation.check(scaled, wanted)
    policy = None if noise is None else one_of(noise, "noise", NOISES)
    told, n_jobs, kept_back = read_seed(random_state), jobs(n_jobs), read_share(held_out)
    if journal is None and resume is not None:
        raise ParameterError("resume goes with a journal, and there is none.")
    with nullcontext() if journal is None else Journal(journal, resume) as held:
        if told is None:
            told = held.seed if held else None
        seed = int(np.random.default_rng().integers(2**32)) if told is None else told
        split = read_split(y, labelled, train, total, seed, X)
        # pac_mdl_bound refuses one label, nothing to predict and a wrong delta before any work.
        trivial = pac_mdl_bound(
            split.truth, np.zeros(total, np.int8), split.labelled, delta=delta, labels=labels
        )
        made = {"algorithms": len(wanted), "number": len(numbers), "runs": runs}
        study = SelectionStudy(
            points=total,
            features=points.shape[1],
            train_size=trivial.train_size,
            test_size=trivial.test_size,
            labels=trivial.labels,
            algorithms=tuple(algorithm.name for algorithm in wanted),
            clusters=numbers,
            runs=runs,
            delta=float(delta),
            language=languages.resolve(language, [key for key, many in made.items() if many > 1]),
            weighting=preparation.weighting,
            neighbours=preparation.neighbours,
            seed=seed,
            remarks=(*remarks, *split.remarks),
            standardized=preparation.standardize,
            scale_ratio=scale_ratio(scaled) if preparation.weighting == "none" else 0.0,
        )
        study.check()
        if held:
            settings = {a.name: a.settings(preparation.described(a)) for a in wanted}
            held.begin(Identity.of(points, seed, settings))
        drawn = np.random.default_rng(stream_of(seed, "held out"))
        halves = halves_of(split.labelled, kept_back, drawn)
        contest = Contest(study, split, labels, policy, halves=halves)
        _fit_all(contest, wanted, preparation, scaled, held, n_jobs, progress)
    found = _finished(contest, points if baseline else None)
    seen = _drawn(found, preparation, wanted, scaled)
    said = f"Clusters of {show_label(found.best.algorithm)}, which is chosen."
    picture = tried_points(
        points, found.labels, contest.split.truth, names=names, drawn=seen, said=said
    )
    return replace(found, picture=picture)


def _readable(
    algorithms: tuple[Algorithm, ...], negative: str | None
) -> tuple[tuple[Algorithm, ...], tuple[str, ...]]:
    """Return the algorithms that can read the features, and a remark about the others."""
    if negative is None:
        return algorithms, ()
    left = ", ".join(algorithm.name for algorithm in algorithms if algorithm.reads_counts)
    kept = tuple(algorithm for algorithm in algorithms if not algorithm.reads_counts)
    return kept, (f"Left out: {left}, which reads counts, from zero on; {negative}.",)


def _read_numbers(clusters: Any, points: int) -> tuple[int, ...]:
    """Return numbers of clusters in rising order, each once."""
    if clusters is None or (isinstance(clusters, range) and clusters == range(2, 21)):
        clusters = usual_numbers(points)
    if isinstance(clusters, str | bytes) or not isinstance(clusters, Iterable):
        clusters = [clusters]
    numbers = sorted({whole(number, "clusters", 1) for number in clusters})
    if not numbers:
        raise ParameterError("clusters is empty; give at least one number of clusters.")
    if numbers[-1] > points:
        raise ParameterError(
            f"clusters asks for {numbers[-1]:,} clusters, which is more than the {points:,} points."
        )
    return tuple(numbers)


def _fit_all(
    contest: Contest,
    algorithms: Sequence[Algorithm],
    preparation: Preparation,
    scaled: Any,
    held: Journal | None,
    n_jobs: int | None,
    progress: bool,
) -> None:
    """Take the fits that the journal holds, and make the rest; each is written, then judged."""
    study = contest.study
    asked = [(algorithm, number) for number in study.clusters for algorithm in algorithms]
    tasks = fit_tasks(asked, study.runs, study.seed)
    for fit in held.kept(tasks) if held else ():
        contest.add(fit)
    rest = [task for key, task in tasks.items() if key not in contest.candidates]
    kept = len(tasks) - len(rest)
    what = f"fits ({kept:,} in the journal)" if kept else "fits"
    with progress_bar(len(rest), what, progress) as tick:
        # Features are prepared only if there is something to fit.
        inputs = preparation.inputs(scaled, [task.algorithm for task in rest]) if rest else {}
        with closing(made_fits(rest, inputs, held, n_jobs)) as fits:
            for fit in fits:
                contest.add(fit)
                tick()


def _finished(contest: Contest, points: Any) -> Selection:
    """Return what came out, unless nothing did; with points, a classifier is trained on them."""
    study = contest.study
    table = sorted(
        contest.candidates.values(),
        key=lambda c: (study.algorithms.index(c.algorithm), c.clusters, c.run),
    )
    if contest.leader is None:
        failed = table[0]
        raise ParameterError(
            f"all {len(table):,} fits failed; the first, {show_label(failed.algorithm)} with "
            f"{failed.clusters} clusters: {str(failed.error).rstrip('.')}."
        )
    best, fit = contest.leader
    predictors = _predictors(contest, points)
    return Selection(
        study=study,
        table=tuple(table),
        best=best,
        bound=contest.bound(best, fit),
        labels=np.asarray(fit.labels),
        predictions=predictors[PAC_MDL].predictions,
        seconds=dict(contest.seconds),
        noise_as_cluster=dict(contest.noise_as_cluster),
        predictors=predictors,
    )


def _drawn(
    found: Selection, preparation: Preparation, algorithms: Sequence[Algorithm], scaled: Any
) -> Any:
    """Return the features as the chosen algorithm reads them, but not smoothed."""
    if preparation.weighting != "tfidf":
        return scaled
    chosen = [one for one in algorithms if one.name == found.best.algorithm]
    # Neighbours are not looked for again.
    return replace(preparation, neighbours=0).inputs(scaled, chosen)[found.best.algorithm]


def _predictors(contest: Contest, points: Any) -> dict[str, Predictor]:
    """Return the ways to predict, each with its bound alone and with that of all at once."""
    study, split, halves = contest.study, contest.split, contest.halves
    found: dict[str, Predictor] = {}
    if contest.leader is not None:
        best = contest.leader[0]
        bits = math.inf if best.bits is None else best.bits
        found[PAC_MDL] = contest.answer(*contest.leader).predictor(split, study.delta, bits=bits)
    if halves and contest.learner is not None:
        _, candidate, fit = contest.learner
        learnt = contest.answer(candidate, fit, halves.learnt)
        found[HELD_OUT] = learnt.predictor(split, study.delta, halves)
    if halves and points is not None:
        seed = int(stream_of(study.seed, "baseline").generate_state(1)[0])
        learnt = classified(points, study.weighting, split, halves, seed)
        found[BASELINE] = learnt.predictor(split, study.delta, halves)
    return jointly(found, study.test_size, study.delta)
