"""Threads over compiled loops, which release the GIL."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
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


class _Users:
    """How many blocks want BLAS on one core, and what gives it its cores back."""

    def __init__(self) -> None:
        self.unlock()
        self.number = 0
        self.limits: Any = None

    def unlock(self) -> None:
        """Take a new lock, as a forked process must whose parent held the old one."""
        self.lock = threading.Lock()


_users = _Users()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_users.unlock)


@contextmanager
def blas_on_one_core() -> Iterator[None]:
    """Have BLAS compute on one core until the last block that asked for it has ended.

    Notes
    -----
    The number of cores belongs to the process, and must not change while BLAS computes. Work that
    is stopped leaves threads behind that still compute; each of them enters a block of its own.

    Examples
    --------
    >>> with blas_on_one_core():
    ...     pass
    """
    from threadpoolctl import OpenBLASController, threadpool_limits

    with _users.lock:
        if not _users.number:
            _users.limits = threadpool_limits(1, user_api="blas")
        _users.number += 1
    try:
        yield
    finally:
        with _users.lock:
            _users.number -= 1
            if not _users.number:
                # Since 3.8 only the thread that set a limit may change it, until it is cleared.
                clear = getattr(OpenBLASController, "clear_controlling_thread", lambda **_: None)
                clear(force=True)
                _users.limits.restore_original_limits()
                clear()
