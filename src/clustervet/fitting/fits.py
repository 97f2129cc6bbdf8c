"""Fits side by side, by joblib; each is given back as soon as it is done."""

from __future__ import annotations

import hashlib
import math
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import is_number
from clustervet._kernels import blas_on_one_core
from clustervet._memory import given_limit, memory_limit
from clustervet._progress import ticking
from clustervet.errors import ClustervetError
from clustervet.fitting.algorithms import Algorithm
from clustervet.labels import show_label

LONGEST_ERROR = 300
# Where a fitted algorithm tells the value of its objective, and the sign that makes it a gain:
# clustervet's own and scikit-learn's mixtures maximize theirs, k-means and k-modes minimize it.
OBJECTIVES = {"objective_": 1, "lower_bound_": 1, "inertia_": -1, "cost_": -1}


@dataclass(frozen=True, slots=True)
class FitTask:
    """One fit to make: `key` names it, and `value` is that of the algorithm's parameter."""

    key: Any
    algorithm: Algorithm
    value: Any
    seed: int | None


@dataclass(frozen=True, slots=True)
class Fit:
    """What came of a task: labels, or the reason why there are none.

    `warning` is what the algorithm first warned of: that it did not converge, or that clusters
    came out empty. `objective` is the value of what the algorithm optimizes, where it tells it;
    greater is better.
    """

    key: Any
    seed: int | None
    labels: NDArray[Any] | None
    seconds: float
    error: str | None = None
    warning: str | None = None
    objective: float | None = None


def seeds_of(seed: int, name: str, clusters: int, run: int) -> tuple[int, int]:
    """Return the seeds of one fit and of the ties in its clusters, whatever else is fitted.

    >>> seeds_of(0, "kmeans", 3, 1) == seeds_of(0, "kmeans", 3, 1)
    True
    >>> seeds_of(0, "kmeans", 3, 1)[0] == seeds_of(0, "spherical", 3, 1)[0]
    False
    """
    fit, ties = stream_of(seed, name, clusters, run).generate_state(2).tolist()
    return fit, ties


def stream_of(seed: int, name: str, *numbers: int) -> np.random.SeedSequence:
    """Return a stream of random numbers for one purpose of one seed."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:16]
    return np.random.SeedSequence([seed, *np.frombuffer(digest, "<u4").tolist(), *numbers])


def fit_tasks(
    asked: Iterable[tuple[Algorithm, int]], runs: int, seed: int
) -> dict[tuple[str, int, int], FitTask]:
    """Return the fits of algorithms with numbers of clusters by their key, which has the run too.

    The runs are the outer loop, so that the time that is left can be told from the time spent. An
    algorithm that has no seed always finds the same, and runs once.
    """
    pairs = list(asked)
    tasks = (
        FitTask((a.name, k, run), a, k, seeds_of(seed, a.own_name or a.name, k, run)[0])
        for run in range(runs)
        for a, k in pairs
        if a.seeds or run == 0
    )
    return {task.key: task for task in tasks}


def progress_bar(total: int, what: str, shown: bool) -> AbstractContextManager[Callable[[], None]]:
    """Return a progress bar, or something that shows nothing; both give a function to call."""
    return ticking(total, what) if shown else nullcontext(lambda: None)


def run_fits(
    tasks: Iterable[tuple[FitTask, Any]],
    n_jobs: int | None,
    *,
    then: Callable[[Any, Fit], Any] | None = None,
    ordered: bool = False,
) -> Generator[Any, None, None]:
    """Yield the fit of each task to the points beside it, by threads or joblib's active backend.

    Every fit computes on one core, so that what it finds does not depend on how many there are.
    `then` turns points and fit into what is given back, still in the worker. Without `ordered`
    they come in the order in which they end. Warnings about convergence are kept in the fits.
    """
    rows = (([task], points) for task, points in tasks)
    with closing(run_rows(rows, n_jobs, then, ordered)) as answers:
        for (answer,) in answers:
            yield answer


def run_rows(
    rows: Iterable[tuple[list[FitTask], Any]],
    n_jobs: int | None,
    then: Callable[[Any, Fit], Any] | None = None,
    ordered: bool = True,
) -> Generator[list[Any], None, None]:
    """Yield the fits of several tasks to the same points, made one after the other by one worker.

    That is for many quick fits, which take less time than handing them to a worker.
    """
    from concurrent.futures.process import BrokenProcessPool

    from joblib import delayed

    limit = given_limit()
    jobs = (
        delayed(fit_row)(
            points,
            [(t.algorithm.made(t.value, t.seed), t.key, t.seed) for t in tasks],
            then,
            limit,
        )
        for tasks, points in rows
    )
    with _kept_warnings(), blas_on_one_core():
        try:
            yield from run_jobs(jobs, n_jobs, ordered=ordered)
        except BrokenProcessPool as error:
            raise ClustervetError(
                "a worker process died in the middle of a fit, killed or out of memory; fits "
                "that had ended are kept. Try again with fewer jobs."
            ) from error


def run_jobs(
    jobs: Iterator[Any], n_jobs: int | None, *, ordered: bool
) -> Generator[Any, None, None]:
    """Yield what the jobs return, over threads or by whatever joblib backend is active.

    Each job is a batch of its own, since a batch gives nothing back until its last job is done.
    A backend that can only give back everything at once, as Spark's, gets as many jobs at a time
    as it runs at once.
    """
    from joblib import Parallel, effective_n_jobs

    options: dict[str, Any] = {"n_jobs": n_jobs, "prefer": "threads", "batch_size": 1}
    stream = "generator" if ordered else "generator_unordered"
    try:
        workers = Parallel(**options, return_as=stream)
    except ValueError:
        while batch := list(islice(jobs, effective_n_jobs(n_jobs))):
            yield from Parallel(**options)(batch)
        return
    found = workers(jobs)
    try:
        for answer in found:  # noqa: UP028  # which would close it before warnings are silent
            yield answer
    finally:
        with warnings.catch_warnings():  # about jobs whose result nobody waits for any more
            warnings.simplefilter("ignore", UserWarning)
            found.close()


# The warnings of the fit that a thread is making.
_given = threading.local()


@contextmanager
def _kept_warnings() -> Iterator[None]:
    """Keep warnings about convergence for the fit that gives them, instead of printing them.

    Filters of warnings belong to a process, so only its main thread changes them.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        usual = warnings.showwarning

        def keep(message: Any, category: Any, *place: Any, **more: Any) -> None:
            if issubclass(category, ConvergenceWarning):
                getattr(_given, "texts", []).append(str(message))
            else:
                usual(message, category, *place, **more)

        warnings.simplefilter("always", ConvergenceWarning)
        warnings.showwarning = keep
        yield


def fit_row(
    points: Any,
    made: list[tuple[Any, Any, int | None]],
    then: Callable[[Any, Fit], Any] | None = None,
    limit: int | None = None,
) -> list[Any]:
    """Make fits of estimators with their keys and seeds; `then` turns each into what is returned.

    Whatever an estimator raises becomes the reason why it failed. `limit` is the memory limit of
    the thread that asked for the fits.
    """
    with memory_limit(limit):
        with _kept_warnings(), blas_on_one_core(), _openmp(len(sys.modules)).limit(limits=1):
            fits = [_fitted(points, *one) for one in made]
        return fits if then is None else [then(points, fit) for fit in fits]


@lru_cache(maxsize=1)
def _openmp(modules: int) -> Any:
    """Return what sets the number of threads of OpenMP, looked for anew after more imports.

    The search takes ten milliseconds, longer than many a fit.
    """
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="openmp")


def _fitted(points: Any, estimator: Any, key: Any, seed: int | None) -> Fit:
    labels = error = gain = None
    _given.texts = []
    start = time.perf_counter()
    try:
        labels = _checked(np.asarray(estimator.fit_predict(points)), points.shape[0])
        gain = _objective(estimator)
    except Exception as raised:  # an estimator may raise anything, and the other fits go on
        lines = str(raised).strip().splitlines() or [type(raised).__name__]
        error = show_label(lines[0], LONGEST_ERROR)
    warned = show_label(_given.texts[0], LONGEST_ERROR) if _given.texts else None
    return Fit(key, seed, labels, time.perf_counter() - start, error, warned, gain)


def _objective(estimator: Any) -> float | None:
    """Return what a fitted algorithm optimizes, greater is better; None where it does not tell."""
    last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    for name, sign in OBJECTIVES.items():
        value: Any = getattr(last, name, None)
        if is_number(value) and math.isfinite(value):
            return sign * float(value)
    return None


def _checked(labels: NDArray[Any], points: int) -> NDArray[Any]:
    if labels.shape != (points,):
        raise ValueError(f"fit_predict gave shape {labels.shape} for {points:,} points")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise ValueError("fit_predict gave a label that is not finite")
    return labels
