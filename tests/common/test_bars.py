"""Every bar says what is done, and ends when all of it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest

import clustervet as cv
from clustervet import _progress
from clustervet.clusterers import NeighbourSmoothing
from clustervet.lab import axioms

RNG = np.random.default_rng(0)
TRUTH = np.arange(60) % 3
NEAR, FAR = TRUTH.copy(), RNG.integers(0, 4, 60)
NEAR[:9] = 0
POINTS = RNG.normal(size=(60, 2)) + 5 * TRUTH[:, None]
LABELINGS = [TRUTH, NEAR, FAR, RNG.integers(0, 2, 60)]
CALLS: dict[str, tuple[str, Callable[[], Any]]] = {
    "examine": ("evidence", lambda: cv.examine(TRUTH, {"a": NEAR, "b": FAR}, measures="rand")),
    "examine with features": (
        "evidence",
        lambda: cv.examine(TRUTH, {"a": NEAR, "b": FAR}, features=POINTS, measures="rand"),
    ),
    "examine features alone": ("evidence", lambda: cv.examine(None, NEAR, features=POINTS)),
    "leaving out": ("leaving objects out", lambda: cv.confidence_interval("f_measure", TRUTH, FAR)),
    "resampling": (
        "resampling",
        lambda: cv.confidence_interval(
            "rand", TRUTH, FAR, method="basic", resamples=30, random_state=0
        ),
    ),
    "resampling in threads": (
        "resampling",
        lambda: cv.confidence_interval(
            "rand", TRUTH, FAR, method="basic", resamples=30, random_state=0, n_jobs=2
        ),
    ),
    "chance": (
        "random tables",
        lambda: cv.chance("purity", TRUTH, FAR, samples=20, random_state=0),
    ),
    "distances": ("distances", lambda: cv.distance_matrix(LABELINGS)),
    "consensus": ("consensus", lambda: cv.Ensemble(LABELINGS).consensus()),
    "density": ("density of clusters", lambda: cv.dbcv(POINTS, TRUTH)),
    "reference sets": (
        "reference sets",
        lambda: cv.measures["gap"](POINTS, TRUTH) if "gap" in cv.measures else None,
    ),
    "neighbours": ("nearest rows", lambda: NeighbourSmoothing(3).fit_transform(abs(POINTS))),
    "axioms": (
        "Testing properties",
        lambda: axioms(["rand", "purity"], ["triangle", "symmetry"], fresh=True),
    ),
    "axioms in threads": (
        "Testing properties",
        lambda: axioms(["rand", "purity"], ["triangle"], fresh=True, n_jobs=2),
    ),
    "nearest": ("tree", lambda: cv.Ensemble(LABELINGS * 10).nearest(NEAR, 2)),
    "tune": ("", lambda: cv.tune("kmeans", POINTS, values=[2, 3], random_state=0)),
    "select": ("", lambda: cv.select(POINTS, TRUTH, ["kmeans"], [2, 3], 2, random_state=0)),
}


class Bar:
    """What a bar was told."""

    made: ClassVar[list[Bar]] = []

    def __init__(self, total: int, what: str) -> None:
        self.total, self.what, self.done = total, what, 0
        self.made.append(self)

    def tick(self) -> None:
        self.done += 1

    def close(self) -> None:
        pass


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[Bar]:
    monkeypatch.setattr(Bar, "made", [])
    monkeypatch.setattr(_progress, "_Bar", Bar)
    monkeypatch.delenv("CLUSTERVET_QUIET")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    return Bar.made


@pytest.mark.parametrize("name", CALLS)
def test_a_bar_reaches_its_end(name: str, bars: list[Bar]) -> None:
    what, call = CALLS[name]
    call()
    assert bars
    assert what in [bar.what for bar in bars] or not what
    for bar in bars:
        assert isinstance(bar.what, str)
        assert bar.what
        assert (bar.what, bar.done) == (bar.what, bar.total)
