"""Everything at once: what `examine` and its page take where tables are large.

Limits: a table of n labels takes n increments, and its 46 measures with intervals some passes over
its cells; random tables for chance levels and the search for a consensus take the rest. The page
holds as much as a reader can look at, whatever the number of clusters.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import clustervet as cv
from harness import OURS, Row, Scale, limit, size_of, timed
from labels import SEED, Labels


def run(scale: Scale) -> Iterator[Row]:
    """100,000 objects in 50 clusters, rankings of wide tables, a million in 300,000 clusters."""
    alone = {"peer": f"{OURS} alone", "unit": "s"}
    n = scale(100_000)
    truth, preds = labelings(n, 50, 5)
    cv.examine(truth, preds)
    yield Row(
        what="examine, five predictions",
        size=size_of(n, 50),
        ours=min(timed(cv.examine, (truth, preds))[0] for _ in range(3)),
        goal=limit(1.5),
        **alone,
    )
    truth, preds = labelings(n, 250, 5)
    yield Row(
        what="rank_predictions, five predictions",
        size=size_of(n, 250),
        ours=min(timed(cv.rank_predictions, (truth, preds))[0] for _ in range(3)),
        goal=limit(3.0),
        **alone,
    )
    n = scale(1_000_000)
    clusters = 3 * n // 10
    truth, preds = labelings(n, clusters, 2)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        seconds, _ = timed(lambda: cv.write_report(cv.examine(truth, preds), page))
        size = page.stat().st_size / 1e6
    what = "examine and its page, two predictions"
    yield Row(what=what, size=size_of(n, clusters), ours=seconds, goal=limit(20.0), **alone)
    yield Row(
        what="size of that page",
        size=size_of(n, clusters),
        ours=size,
        goal=limit(10.0),
        **{**alone, "unit": "MB"},
    )


def labelings(n: int, clusters: int, many: int) -> tuple[Labels, dict[str, Labels]]:
    """Random classes, and predictions that move more and more objects."""
    rng = np.random.default_rng(SEED)
    truth = rng.integers(0, clusters, n)
    preds = {}
    for k in range(many):
        moved = rng.random(n) < 0.1 * (k + 1)
        preds[f"p{k}"] = np.where(moved, rng.integers(0, clusters, n), truth)
    return truth, preds
