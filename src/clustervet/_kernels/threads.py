"""Threads over compiled loops, which release the GIL."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any


def cores() -> int:
    """Return the number of processors that this process may use.

    Returns
    -------
    int
        Number of processors, at least 1.

    Examples
    --------
    >>> cores() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def ranges(length: int, grain: int, most: int | None = None) -> list[tuple[int, int]]:
    """Split 0..length into one range per core.

    Parameters
    ----------
    length : int
        Number of items.
    grain : int
        Least length of a range, if there is more than one.
    most : int, optional
        Largest number of ranges; by default the number of cores.

    Returns
    -------
    list of tuple of int
        Start and end of each range.

    Examples
    --------
    >>> ranges(10, 4, most=2)
    [(0, 5), (5, 10)]
    """
    parts = max(1, min(cores() if most is None else most, length // grain))
    edges = [length * k // parts for k in range(parts + 1)]
    return list(pairwise(edges))


class Pool(ThreadPoolExecutor):
    """Threads that an error or an interrupt stops: nothing is begun or waited for after it.

    Parameters
    ----------
    threads : int
        Number of threads.

    Attributes
    ----------
    stopped : threading.Event
        Set by an error or an interrupt. Work that takes longer than a second looks at it between
        its steps.

    Examples
    --------
    >>> with Pool(2) as pool:
    ...     list(pool.map(abs, [-1, -2, 3]))
    [1, 2, 3]
    """

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        self.stopped = threading.Event()

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        """Wait for the work to end, or stop it after an error or an interrupt."""
        if kind is None:
            self.shutdown()
            return
        self.stopped.set()
        self.shutdown(wait=False, cancel_futures=True)


def run(function: Callable[..., Any], jobs: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Call a function once per job: the first job here, each other one in its own thread.

    Parameters
    ----------
    function : callable
        Function to call.
    jobs : iterable of tuple
        Arguments of each call.

    Returns
    -------
    list
        Results in the order of the jobs.

    Notes
    -----
    A new pool per call takes about 50 microseconds and survives a fork, which a lasting pool does
    not.

    Examples
    --------
    >>> run(pow, [(2, 3), (3, 2)])
    [8, 9]
    """
    first, *others = jobs
    if not others:
        return [function(*first)]
    with Pool(len(others)) as pool:
        waiting = [pool.submit(function, *job) for job in others]
        return [function(*first), *(job.result() for job in waiting)]
