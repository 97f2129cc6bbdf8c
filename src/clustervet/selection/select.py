"""`select`: algorithm, number of clusters and run, chosen with a guarantee."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, overload

import numpy as np

from clustervet._checks import is_number, jobs, one_of, whole
from clustervet.contingency.mapping import places_beside
from clustervet.errors import FeatureError, ParameterError, Setting
from clustervet.fitting.algorithms import Algorithm, read_algorithms, read_seed, usual_numbers
from clustervet.fitting.fits import Fit, fit_tasks, progress_bar, stream_of
from clustervet.fitting.journal import Identity, Journal, made_fits
from clustervet.geometry.picture import tried_points
from clustervet.geometry.points import read_points, scale_ratio
from clustervet.geometry.profiles import named_features
from clustervet.labels import show_label
from clustervet.pacmdl import Language, languages, pac_mdl_bound
from clustervet.pacmdl.bound import check_bound
from clustervet.selection.candidates import (
    BOUND,
    NOISES,
    OWN,
    RUN_CHOICES,
    Contest,
    SelectionStudy,
    check_train,
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
from clustervet.selection.selections import Selections

if TYPE_CHECKING:
    from clustervet.fitting.preparation import Representation

Reader = tuple[Algorithm, "Representation"]


class SelectOptions(TypedDict, total=False):
    """What `select` takes by name, besides `train`."""

    labelled: Any
    language: str | Language
    delta: float
    labels: Any
    noise: str | None
    held_out: float
    baseline: bool
    run_choice: str
    standardize: bool
    weighting: str
    neighbours: int
    representations: Mapping[str, Any] | None
    journal: str | os.PathLike[str] | None
    resume: bool | None
    n_jobs: int | None
    random_state: Any
    feature_names: Sequence[Any] | None
    progress: bool


@overload
def select(
    X: Any,  # noqa: N803  # as below
    y: Any,
    algorithms: Any = ...,
    clusters: Iterable[int] | int | None = ...,
    runs: int = ...,
    *,
    train: float | int = ...,
    **options: Unpack[SelectOptions],
) -> Selection: ...
@overload
def select(
    X: Any,  # noqa: N803  # as below
    y: Any,
    algorithms: Any = ...,
    clusters: Iterable[int] | int | None = ...,
    runs: int = ...,
    *,
    train: Iterable[float | int],
    **options: Unpack[SelectOptions],
) -> Selections: ...
def select(
    X: Any,  # noqa: N803  # the name that everyone gives to features
    y: Any,
    algorithms: Any = None,
    clusters: Iterable[int] | int | None = None,
    runs: int = 10,
    *,
    train: float | int | Iterable[float | int] = 0.5,
    labelled: Any = None,
    language: str | Language = "auto",
    delta: float = 0.1,
    labels: Any = None,
    noise: str | None = None,
    held_out: float = 0.5,
    baseline: bool = True,
    run_choice: str = BOUND,
    standardize: bool = False,
    weighting: str = "none",
    neighbours: int = 0,
    representations: Mapping[str, Any] | None = None,
    journal: str | os.PathLike[str] | None = None,
    resume: bool | None = None,
    n_jobs: int | None = None,
    random_state: Any = 0,
    feature_names: Sequence[Any] | None = None,
    progress: bool = True,
) -> Selection | Selections:
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
    train : float, int or iterable of these, optional
        The share of the points, or their number, that is drawn at random to be looked at. With
        several there is one selection for each, made of the same fits; the points of a smaller
        share are among those of a larger one.
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
    run_choice : {"bound", "objective"}, optional
        What chooses the run of an algorithm with some number of clusters. "bound" takes the run
        with the lowest bound, which pays for that. "objective" takes the run with the best value
        of what the algorithm itself optimizes. That needs no labels and costs no bits; all
        algorithms with several runs must tell the value (`objective_`, `lower_bound_`, `inertia_`
        or `cost_`).
    standardize : bool, optional
        Whether every feature gets mean 0 and variance 1 first; sparse features keep their zeros.
    weighting : {"none", "counts", "tfidf"}, optional
        "tfidf" turns counts into tf-idf for all algorithms but those that read counts; "counts"
        leaves counts, or weights that were made of them before, as they are.
    neighbours : int, optional
        Move every row of counts or tf-idf half of the way to this many nearest rows, as
        `clusterers.NeighbourSmoothing` does; 10 help most collections of short texts, 0 is off.
    representations : mapping, optional
        Several kinds of features to choose from, by name: settings, of which those left out are
        `standardize`, `weighting` and `neighbours` above, or other features of the same points,
        which are read as they are. Every algorithm reads every representation, and the bound pays
        for the choice among all pairs as it does for the choice of the algorithm. A
        representation that was chosen beforehand by looking at the labels would have to be paid
        for too.
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
    Selection or Selections
        The chosen clustering with its bound and its predictions, and every candidate. If `train`
        is a list, one `Selection` for each of its values.

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

    Standardized features as a second representation, and three shares of labelled points:

    >>> kinds = {"raw": {}, "standardized": {"standardize": True}}
    >>> several = select(
    ...     X, y, ["kmeans"], [2, 3], 2, train=[0.1, 0.3, 0.5], representations=kinds
    ... )
    >>> {share: (one.best.representation, one.best.max_errors) for share, one in several.items()}
    {0.1: ('raw', 72), 0.3: ('raw', 23), 0.5: ('raw', 12)}
    """
    from clustervet.fitting.preparation import read_representations

    chosen, runs = read_algorithms(algorithms), whole(runs, "runs", 1)
    parts = _read_parts(train)
    check_selection(
        runs,
        parts,
        delta=delta,
        language=language,
        run_choice=run_choice,
        noise=noise,
        held_out=held_out,
        journal=journal,
        resume=resume,
    )
    points = read_points(X)
    total = int(points.shape[0])
    if total < 2:
        raise FeatureError("a selection needs at least 2 points; X has 1.")
    names = getattr(X, "columns", None) if feature_names is None else feature_names
    names = named_features(names, points.shape[1])
    kinds = read_representations(representations, points, weighting, neighbours, standardize)
    readers, remarks = _readers(chosen, kinds, algorithms is None)
    numbers = _read_numbers(clusters, total)
    told, n_jobs, kept_back = read_seed(random_state), jobs(n_jobs), read_share(held_out)
    with nullcontext() if journal is None else Journal(journal, resume) as held:
        if told is None:
            told = held.seed if held else None
        seed = int(np.random.default_rng().integers(2**32)) if told is None else told
        splits = [read_split(y, labelled, part, total, seed, X) for part in parts]
        if len(parts) > 1 and OWN in splits[0].remarks:
            raise ParameterError(
                "several values of train draw the labelled points at random; they are given here."
            )
        plain = kinds[0].preparation
        by_labels = runs if run_choice == BOUND else 1
        made = {"algorithms": len(readers), "number": len(numbers), "runs": by_labels}
        payer = languages.resolve(language, [key for key, many in made.items() if many > 1])
        contests = []
        for split in splits:
            # pac_mdl_bound refuses one label, nothing to predict and a wrong delta before any work.
            trivial = pac_mdl_bound(
                split.truth, np.zeros(total, np.int8), split.labelled, delta=delta, labels=labels
            )
            study = SelectionStudy(
                points=total,
                features=points.shape[1],
                train_size=trivial.train_size,
                test_size=trivial.test_size,
                labels=trivial.labels,
                algorithms=tuple(algorithm.name for algorithm, _ in readers),
                clusters=numbers,
                runs=runs,
                delta=float(delta),
                language=payer,
                weighting=plain.weighting,
                neighbours=plain.neighbours,
                seed=seed,
                remarks=(*remarks, *split.remarks),
                standardized=plain.standardize,
                scale_ratio=min(_scale_ratio(kind) for kind in kinds),
                run_choice=run_choice,
                representations=tuple(kind.name for _, kind in readers if kind.name),
            )
            study.check()
            drawn = np.random.default_rng(stream_of(seed, "held out"))
            halves = halves_of(split.labelled, kept_back, drawn)
            contests.append(Contest(study, split, labels, noise, halves=halves))
        if held:
            settings = {a.name: a.settings(kind.described(a)) for a, kind in readers}
            held.begin(Identity.of(points, seed, settings))
        _fit_all(contests, readers, held, n_jobs, progress)
    found = []
    for contest in contests:
        one = _finished(contest, points if baseline else None)
        picture = tried_points(
            points,
            one.labels,
            contest.split.truth,
            names=names,
            drawn=_seen(one.best.algorithm, readers),
            places=places_beside(contest.split.truth, one.labels),
            said=f"Clusters of {show_label(one.best.algorithm)}, which is chosen.",
        )
        found.append(replace(one, picture=picture))
    return found[0] if is_number(train) else Selections(dict(zip(parts, found, strict=True)))


def check_selection(
    runs: Any,
    parts: Iterable[Any],
    clusters: Any = None,
    *,
    delta: Any,
    language: Any,
    run_choice: Any,
    noise: Any,
    held_out: Any,
    journal: Any,
    resume: Any,
) -> None:
    """Refuse what is wrong whatever the points are, before they are read."""
    check_bound(delta, language, runs)
    if clusters is not None:
        _whole_numbers(clusters)
    for train in parts:
        check_train(train)
    one_of(run_choice, "run_choice", RUN_CHOICES)
    if noise is not None:
        one_of(noise, "noise", NOISES)
    read_share(held_out)
    if journal is None and resume is not None:
        raise ParameterError("resume goes with a journal, and there is none.")


def _read_parts(train: Any) -> tuple[Any, ...]:
    """Return the values of train, each once."""
    if isinstance(train, str) or not isinstance(train, Iterable):
        return (train,)
    if not (parts := tuple(dict.fromkeys(train))):
        raise ParameterError(Setting("train"), " is empty; give at least one share or number.")
    return parts


def _readers(
    algorithms: tuple[Algorithm, ...], kinds: Sequence[Representation], usual: bool
) -> tuple[list[Reader], tuple[str, ...]]:
    """Return every algorithm on every representation, and remarks about those left out.

    Of the usual algorithms, those that read counts are left out where values are below zero.
    """
    found: list[Reader] = []
    remarks: list[str] = []
    for kind in kinds:
        able = algorithms
        negative = kind.preparation.negative(kind.scaled) if usual else None
        if negative is not None:
            left = ", ".join(algorithm.name for algorithm in able if algorithm.reads_counts)
            able = tuple(algorithm for algorithm in able if not algorithm.reads_counts)
            place = f" of {show_label(kind.name)}" if kind.name else ""
            remarks.append(
                f"Left out{place}: {left}, which reads counts, from zero on; {negative}."
            )
        kind.preparation.check(kind.scaled, able)
        found += [(kind.reader(algorithm), kind) for algorithm in able]
    names = [algorithm.name for algorithm, _ in found]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(
                f"two pairs of algorithm and representation are called {show_label(name)!r}; give "
                "the algorithms or the representations other names."
            )
    return found, tuple(remarks)


def _scale_ratio(kind: Representation) -> float:
    return scale_ratio(kind.scaled) if kind.preparation.weighting == "none" else 0.0


def _read_numbers(clusters: Any, points: int) -> tuple[int, ...]:
    """Return numbers of clusters in rising order, each once."""
    if clusters is None or (isinstance(clusters, range) and clusters == range(2, 21)):
        clusters = usual_numbers(points)
    numbers = _whole_numbers(clusters)
    if numbers[-1] > points:
        raise ParameterError(
            f"clusters asks for {numbers[-1]:,} clusters, which is more than the {points:,} points."
        )
    return numbers


def _whole_numbers(clusters: Any) -> tuple[int, ...]:
    """Return one number of clusters or several, whatever the points are."""
    if isinstance(clusters, str | bytes) or not isinstance(clusters, Iterable):
        clusters = [clusters]
    numbers = sorted({whole(number, "clusters", 1) for number in clusters})
    if not numbers:
        raise ParameterError("clusters is empty; give at least one number of clusters.")
    return tuple(numbers)


def _fit_all(
    contests: Sequence[Contest],
    readers: Sequence[Reader],
    held: Journal | None,
    n_jobs: int | None,
    progress: bool,
) -> None:
    """Take the fits that the journal holds, and make the rest; each is written, then judged."""
    first = contests[0]
    asked = [(algorithm, k) for k in first.study.clusters for algorithm, _ in readers]
    tasks = fit_tasks(asked, first.study.runs, first.study.seed)
    for fit in held.kept(tasks) if held else ():
        _judge(contests, fit)
    rest = [task for key, task in tasks.items() if key not in first.candidates]
    kept = len(tasks) - len(rest)
    what = f"fits ({kept:,} in the journal)" if kept else "fits"
    with progress_bar(len(rest), what, progress) as tick:
        # Features are prepared only if there is something to fit.
        inputs = _inputs(readers, {task.algorithm.name for task in rest})
        with closing(made_fits(rest, inputs, held, n_jobs)) as fits:
            for fit in fits:
                _judge(contests, fit)
                tick()
    for contest in contests:
        contest.settle()


def _judge(contests: Sequence[Contest], fit: Fit) -> None:
    for contest in contests:
        contest.add(fit)


def _inputs(readers: Sequence[Reader], names: Collection[str]) -> dict[str, Any]:
    """Return the features that each of these algorithms reads."""
    found: dict[str, Any] = {}
    for kind in dict.fromkeys(kind for _, kind in readers):
        own = [a for a, read in readers if read is kind and a.name in names]
        if own:
            found |= kind.preparation.inputs(kind.scaled, own)
    return found


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


def _seen(name: str, readers: Sequence[Reader]) -> Any:
    """Return the features as an algorithm reads them, but not smoothed."""
    algorithm, kind = next(pair for pair in readers if pair[0].name == name)
    if kind.preparation.weighting != "tfidf":
        return kind.scaled
    # Neighbours are not looked for again.
    return replace(kind.preparation, neighbours=0).inputs(kind.scaled, [algorithm])[name]


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
