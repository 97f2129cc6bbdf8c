"""`select`: algorithm, number of clusters and run, chosen with a guarantee."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from clustervet._progress import ticking
from clustervet.errors import FeatureError, ParameterError
from clustervet.geometry.points import is_sparse, read_points
from clustervet.labels import show_label
from clustervet.pacmdl import Language, pac_mdl_bound
from clustervet.pacmdl.description import whole
from clustervet.selection.algorithms import Algorithm, read_algorithms
from clustervet.selection.candidates import Candidate, Judge, Study, read_language, read_noise
from clustervet.selection.estimators import read_seed
from clustervet.selection.fits import Fit, Key, Labels, Task, read_tasks, run_fits
from clustervet.selection.identity import Identity
from clustervet.selection.inputs import DEFAULT_CLUSTERS, digest, read_clusters
from clustervet.selection.journal import Journal, NoJournal
from clustervet.selection.preparation import Preparation, first_negative
from clustervet.selection.selection import Selection
from clustervet.selection.splits import Split, read_split


def select(
    X: Any,  # noqa: N803  # the name that everyone gives to features
    y: Any,
    algorithms: Any = None,
    clusters: Iterable[int] | int = DEFAULT_CLUSTERS,
    runs: int = 10,
    *,
    train: float | int = 0.5,
    labelled: Any = None,
    language: str | Language = "auto",
    delta: float = 0.1,
    labels: Any = None,
    noise: str | None = None,
    weighting: str = "none",
    neighbours: int = 0,
    journal: str | os.PathLike[str] | None = None,
    resume: bool | None = None,
    n_jobs: int | None = None,
    random_state: Any = 0,
    progress: bool = True,
) -> Selection:
    """Fit algorithms with many numbers of clusters and runs, and keep the best with its bound.

    Every clustering predicts the labels of unlabelled points; the one whose errors are bounded
    lowest is chosen, and its bound pays for the choice (Banerjee & Langford 2004, §3.2 and §3.3).
    Ties go to fewer clusters, then to the earlier algorithm and run.

    X: points by features; an array, a sparse matrix or a frame.
    y: a label a point. Where some are missing (None, NaN), those points are unlabelled and the
        others are what the choice is made by, whatever `train` says. Where none are, `train` says
        which share of the points, or how many, are drawn at random to be looked at, and the truth
        of the others only tells beside the bound what came true. `labelled`, a mask or positions,
        says it outright. The bound holds for labelled points that are a random sample of all;
        where they were picked it promises nothing.
    algorithms: names, or a mapping from names to any scikit-learn clusterers or mixtures; by
        default the paper's "kmeans", "spherical", "frequency_sensitive", "hard_movmf",
        "soft_movmf" and, where no feature is below zero, "kl".
    clusters, runs: numbers of clusters to ask for, and fits of each; an algorithm without a
        random_state is fitted once.
    language: what the bits pay for, by key or as a record. "auto" is the shortest of the
        paper's that pays for the choices made: "algo", "cluster", "init" or "simple".
    labels: the possible labels, or their number, as in `pac_mdl_bound`.
    noise: "keep" makes points labelled -1 one more cluster, "singletons" a cluster each.
    weighting: "tfidf" turns counts into tf-idf for all algorithms but those that read counts;
        "counts" leaves counts, or weights that were made of them before, as they are.
    neighbours: moves every row of counts or tf-idf half the way to its nearest neighbours, as
        `clusterers.NeighbourSmoothing` does; 10 help most collections of short texts, 0 is off.
    journal: a file that every finished fit is written to at once. A journal that exists is
        gone on with (`resume=True` asks for that, `resume=False` for a new one). Fits never
        depend on labels, so y, train, language, delta and the lists of algorithms, numbers and
        runs may change; X, random_state and an algorithm's settings may not.
    n_jobs: fits at once, by whatever joblib backend is active.
    random_state: a seed; every fit derives its own, so that the answer is the same for any
        order of fits, any n_jobs and any number of interruptions.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 1, (100, 2)) for c in ((0, 0), (9, 0), (0, 9))])
    >>> y = np.repeat(["ham", "spam", "news"], 100)
    >>> found = select(X, y, algorithms=["kmeans", "ward"], clusters=range(2, 6), runs=2)
    >>> found.best.clusters, found.best.max_errors, found.best.test_errors
    (3, 12, 0)
    """
    points = read_points(X)
    if points.shape[0] < 2:
        raise FeatureError("a selection needs at least 2 points; X has 1.")
    wanted, remarks = _usual(points) if algorithms is None else (read_algorithms(algorithms), [])
    plan = _Plan(
        algorithms=wanted,
        clusters=read_clusters(clusters, points.shape[0]),
        runs=whole(runs, "runs", 1),
        preparation=Preparation.read(weighting, neighbours),
        remarks=remarks,
    )
    chosen = read_language(language, len(plan.algorithms), len(plan.clusters), plan.runs)
    plan.preparation.check(points, plan.algorithms)
    policy, told = read_noise(noise), read_seed(random_state)
    if n_jobs == 0:
        raise ParameterError("n_jobs must not be 0; -1 means all cores.")
    if journal is None and resume is not None:
        raise ParameterError("resume goes with a journal, and there is none.")
    with NoJournal() if journal is None else Journal(journal, resume) as held:
        seed = _seed(told, held.seed)
        split = read_split(y, labelled, train, points.shape[0], seed)
        # Refusals of pac_mdl_bound come before any work: one label, nothing to predict, delta.
        trivial = pac_mdl_bound(
            split.truth, np.zeros(points.shape[0], np.int8), split.labelled, delta=delta,
            labels=labels,
        )  # fmt: skip
        study = plan.study(points, split, trivial.labels, float(delta), chosen, seed)
        study.check()
        if journal is not None:
            held.begin(plan.identity(points, seed))
        best = _Best(Judge(study, split, labels, policy))
        tasks = read_tasks(plan.algorithms, plan.clusters, plan.runs, seed)
        run = partial(_run, plan, points, n_jobs)
        _fit_all(tasks, best, held, run, progress)
    return best.selection()


def _usual(points: Any) -> tuple[tuple[Algorithm, ...], list[str]]:
    """The paper's algorithms, but those that cannot read the features, and a word about them."""
    every, negative = read_algorithms(None), first_negative(points)
    if negative is None:
        return every, []
    left = ", ".join(algorithm.name for algorithm in every if algorithm.counts)
    kept = tuple(algorithm for algorithm in every if not algorithm.counts)
    return kept, [f"Left out: {left}, which reads counts, from zero on; {negative}."]


def _run(
    plan: _Plan, points: Any, n_jobs: int | None, tasks: Sequence[Task]
) -> Generator[Fit, None, None]:
    """The fits; features are prepared only if there are any."""
    if tasks:
        inputs = plan.preparation.inputs(points, plan.algorithms)
        yield from run_fits(tasks, inputs, n_jobs)


def _fit_all(
    tasks: Sequence[Task],
    best: _Best,
    held: NoJournal,
    run: Callable[[Sequence[Task]], Generator[Fit, None, None]],
    progress: bool,
) -> None:
    """Take what the journal keeps, and fit the rest; a fit is written before it is judged."""
    asked = {task.key: task for task in tasks}
    for fit in held.kept(asked):
        best.add(fit, asked[fit.key])
    rest = [task for task in tasks if task.key not in best.candidates]
    kept = len(tasks) - len(rest)
    what = f"fits ({kept:,} in the journal)" if kept else "fits"
    bar = ticking(len(rest), what) if progress else nullcontext(_idle)
    with bar as tick, closing(run(rest)) as fits:
        for fit in fits:
            held.add(fit)
            best.add(fit, asked[fit.key])
            tick()


def _idle() -> None:
    return None


def _seed(told: int | None, held: int | None) -> int:
    """The seed as told; without one, that of the journal, or a fresh one."""
    if told is not None:
        return told
    return int(np.random.default_rng().integers(2**32)) if held is None else held


@dataclass(frozen=True)
class _Plan:
    """What is fitted."""

    algorithms: tuple[Algorithm, ...]
    clusters: tuple[int, ...]
    runs: int
    preparation: Preparation
    remarks: list[str]

    def study(
        self, points: Any, split: Split, labels: int, delta: float, language: Language, seed: int
    ) -> Study:
        return Study(
            points=points.shape[0],
            features=points.shape[1],
            train_size=split.train_size,
            test_size=split.test_size,
            labels=labels,
            algorithms=tuple(algorithm.name for algorithm in self.algorithms),
            clusters=self.clusters,
            runs=self.runs,
            delta=delta,
            language=language,
            weighting=self.preparation.weighting,
            neighbours=self.preparation.neighbours,
            seed=seed,
            remarks=(*self.remarks, *split.remarks),
        )

    def identity(self, points: Any, seed: int) -> Identity:
        return Identity(
            points=points.shape[0],
            features=points.shape[1],
            storage=f"{'sparse' if is_sparse(points) else 'dense'} {points.dtype}",
            digest=digest(points),
            seed=seed,
            algorithms={a.name: a.settings(self.preparation.described(a)) for a in self.algorithms},
        )


@dataclass
class _Best:
    """Candidates as they come, and the labels of the best so far."""

    judge: Judge
    candidates: dict[Key, Candidate] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    first: tuple[Candidate, Labels, int] | None = None

    def add(self, fit: Fit, task: Task) -> None:
        """Judge a fit; its labels are forgotten unless it leads."""
        candidate = self.judge.judged(fit, task.ties)
        self.candidates[fit.key] = candidate
        self.seconds[task.algorithm.name] += fit.seconds
        rank = self.judge.study.rank
        if fit.labels is not None and (self.first is None or rank(candidate) < rank(self.first[0])):
            self.first = candidate, fit.labels, task.ties

    def selection(self) -> Selection:
        """What came out, unless nothing did."""
        study = self.judge.study
        table = sorted(
            self.candidates.values(),
            key=lambda c: (study.algorithms.index(c.algorithm), c.clusters, c.run),
        )
        if self.first is None:
            failed = table[0]
            raise ParameterError(
                f"all {len(table):,} fits failed; the first, {show_label(failed.algorithm)} with "
                f"{failed.clusters} clusters: {str(failed.error).rstrip('.')}."
            )
        candidate, labels, ties = self.first
        return Selection(
            study=study,
            table=tuple(table),
            best=candidate,
            bound=self.judge.bound(candidate, labels, ties),
            labels=labels,
            predictions=self.judge.predictions(labels, ties),
            seconds=dict(self.seconds),
        )
