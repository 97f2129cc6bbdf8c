"""BLAS keeps to one core until the last fit has ended, also one that nobody waits for."""

from __future__ import annotations

import threading
import time

import numpy as np
from threadpoolctl import threadpool_info

from clustervet._kernels import blas_on_one_core
from clustervet.fitting.algorithms import Algorithm
from clustervet.fitting.fits import FitTask, run_fits


def _cores_of_blas() -> set[int]:
    return {
        library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"
    }


def test_the_last_block_gives_the_cores_back() -> None:
    before = _cores_of_blas()
    first, second = blas_on_one_core(), blas_on_one_core()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert _cores_of_blas() == {1}
    second.__exit__(None, None, None)
    assert _cores_of_blas() == before


class _Fit:
    """A fit that may wait, and then notes how many cores BLAS has."""

    def __init__(self, begun: threading.Event, go_on: threading.Event, seen: list[set[int]]):
        self.begun, self.go_on, self.seen = begun, go_on, seen

    def fit_predict(self, points: np.ndarray) -> np.ndarray:
        self.begun.set()
        self.go_on.wait(20)
        self.seen.append(_cores_of_blas())
        return np.zeros(len(points), int)


class _Either(Algorithm):
    """Makes fits that are given as values."""

    def __init__(self) -> None:
        pass

    def made(self, value: _Fit, seed: int | None) -> _Fit:
        return value


def test_fits_that_a_stopped_run_leaves_behind_keep_to_one_core() -> None:
    before = _cores_of_blas()
    begun, at_once, later = threading.Event(), threading.Event(), threading.Event()
    at_once.set()
    seen: list[set[int]] = []
    fits = [_Fit(at_once, at_once, []), _Fit(begun, later, seen)]
    tasks = [(FitTask(k, _Either(), fit, None), np.zeros((4, 1))) for k, fit in enumerate(fits)]
    running = run_fits(iter(tasks), 2)
    assert next(running).key == 0
    assert begun.wait(20)
    running.close()
    assert _cores_of_blas() == {1}
    later.set()
    for _ in range(200):
        if _cores_of_blas() == before:
            break
        time.sleep(0.05)
    assert seen == [{1}]
    assert _cores_of_blas() == before
