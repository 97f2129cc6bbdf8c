"""Threads over compiled loops, which hold no lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any


def cores() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def ranges(length: int, grain: int, most: int | None = None) -> list[tuple[int, int]]:
    """Split 0..length into one range a core, none of them shorter than `grain`."""
    parts = max(1, min(cores() if most is None else most, length // grain))
    edges = [length * k // parts for k in range(parts + 1)]
    return list(pairwise(edges))


def run(function: Callable[..., Any], jobs: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Call the function once a job, the first here and each other in a thread of its own.

    A pool a call costs some 50 microseconds and survives a fork, which a kept pool does not.
    """
    first, *others = jobs
    if not others:
        return [function(*first)]
    with ThreadPoolExecutor(len(others)) as pool:
        waiting = [pool.submit(function, *job) for job in others]
        return [function(*first), *(job.result() for job in waiting)]
