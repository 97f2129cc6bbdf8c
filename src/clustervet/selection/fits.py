"""Fits shared out by joblib, each given back as soon as it is done."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import ClustervetError
from clustervet.labels import show_label
from clustervet.selection.algorithms import Algorithm, seeds_of
from clustervet.selection.parallel import run_jobs

Labels = NDArray[np.integer[Any]]
Key = tuple[str, int, int]
LONGEST_ERROR = 300


@dataclass(frozen=True, slots=True)
class Task:
    """One fit to make: `seed` starts it, `ties` breaks ties in what it finds."""

    algorithm: Algorithm
    clusters: int
    run: int
    seed: int
    ties: int

    @property
    def key(self) -> Key:
        """Algorithm, number of clusters and run, which name a fit."""
        return self.algorithm.name, self.clusters, self.run


@dataclass(frozen=True, slots=True)
class Fit:
    """What came of a task: labels, or the reason why there are none."""

    key: Key
    seed: int
    labels: Labels | None
    seconds: float
    error: str | None = None


def read_tasks(
    algorithms: Sequence[Algorithm], clusters: Sequence[int], runs: int, seed: int
) -> list[Task]:
    """Every fit of a selection, runs apart, so that time left can be told from time spent.

    An algorithm that has no seed always finds the same, and runs once.
    """
    return [
        Task(algorithm, number, run, *seeds_of(seed, algorithm.name, number, run))
        for run in range(runs)
        for number in clusters
        for algorithm in algorithms
        if algorithm.seeded or run == 0
    ]


def run_fits(
    tasks: Sequence[Task], inputs: Mapping[str, Any], n_jobs: int | None
) -> Generator[Fit, None, None]:
    """The fits in the order in which they end, by threads or whatever joblib backend is active.

    Every fit computes on one core, so that what it finds does not depend on how many there
    are.
    """
    from joblib import delayed
    from threadpoolctl import threadpool_limits

    jobs = (
        delayed(fit_one)(
            inputs[task.algorithm.name],
            task.algorithm.clusterer.made(task.clusters, task.seed),
            task.key,
            task.seed,
        )
        for task in tasks
    )
    with _calm(), threadpool_limits(1, user_api="blas"):
        try:
            yield from run_jobs(jobs, n_jobs, ordered=False)
        except _lost_workers() as error:
            raise ClustervetError(
                "a worker process died in the middle of a fit, killed or out of memory; fits "
                "that had ended are kept. Try again with fewer jobs."
            ) from error


def _lost_workers() -> tuple[type[Exception], ...]:
    from concurrent.futures.process import BrokenProcessPool

    return (BrokenProcessPool,)


@contextmanager
def _calm() -> Iterator[None]:
    """No word about clusters that came out empty or runs that were cut short.

    Their bound says what they are worth. Filters of warnings belong to a process, so only its
    main thread changes them.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def fit_one(points: Any, estimator: Any, key: Key, seed: int) -> Fit:
    """Make one fit; whatever it raises becomes the reason why it failed."""
    from threadpoolctl import threadpool_limits

    start = time.perf_counter()
    try:
        with _calm(), threadpool_limits(1):
            labels = _plain_labels(estimator.fit_predict(points), points.shape[0])
    except Exception as error:  # an estimator may raise anything, and the others go on
        lines = str(error).strip().splitlines() or [type(error).__name__]
        reason = show_label(lines[0], LONGEST_ERROR)
        return Fit(key, seed, None, time.perf_counter() - start, reason)
    return Fit(key, seed, labels, time.perf_counter() - start)


def _plain_labels(found: Any, points: int) -> Labels:
    """Labels as integers, noise -1 among them."""
    labels = np.asarray(found)
    if labels.shape != (points,):
        raise ValueError(f"fit_predict gave shape {labels.shape} for {points:,} points")
    if labels.dtype.kind not in "iu":
        if labels.dtype.kind == "f" and not np.isfinite(labels).all():
            raise ValueError("fit_predict gave a label that is not finite")
        labels = np.unique(labels, return_inverse=True)[1]
    low, high = int(labels.min()), int(labels.max())
    kinds = (np.int8, np.int16, np.int32, np.int64)
    fitting = next(k for k in kinds if np.iinfo(k).min <= low and high <= np.iinfo(k).max)
    return labels.astype(fitting)
