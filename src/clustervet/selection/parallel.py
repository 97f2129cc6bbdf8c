"""Jobs shared out by joblib, each answer handed on as soon as it is there."""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterator
from itertools import islice
from typing import Any


def run_jobs(
    jobs: Iterator[Any], n_jobs: int | None, *, ordered: bool
) -> Generator[Any, None, None]:
    """What the jobs give, over threads or by whatever joblib backend is active.

    A job is a batch of its own, since a batch keeps its answers to itself until the last is
    done. Backends that can only give all back at once, as Spark's, are handed as many as run
    at once.
    """
    from joblib import Parallel, effective_n_jobs

    options: dict[str, Any] = {"n_jobs": n_jobs, "prefer": "threads", "batch_size": 1}
    stream = "generator" if ordered else "generator_unordered"
    try:
        workers = Parallel(**options, return_as=stream)
    except ValueError:
        while handed := list(islice(jobs, effective_n_jobs(n_jobs))):
            yield from Parallel(**options)(handed)
        return
    found = workers(jobs)
    try:
        for answer in found:  # noqa: UP028  # which would close it before warnings are silent
            yield answer
    finally:
        with warnings.catch_warnings():  # about jobs that nobody waits for any more
            warnings.simplefilter("ignore", UserWarning)
            found.close()
