"""Stability of clusters beside R's fpc::clusterboot, with the same algorithm and the same scheme.

Lower limit: the fits themselves. 30 fits of k-means, from one start each, to 63% of 20,000 points
take 0.5 to 1 s on one core; what is left is counting one table per sample, 0.1 ms each.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans

import clustervet as cv
from harness import Row, Scale, at_least, timed
from labels import SEED

SAMPLES = 30
# The time within R alone, without its start and without reading the points.
SCRIPT = """
suppressMessages(library(fpc))
given <- commandArgs(TRUE)
X <- as.matrix(read.csv(given[1], header = FALSE))
set.seed(1)
spent <- system.time(found <- clusterboot(X, B = as.integer(given[3]), clustermethod = kmeansCBI,
                                          k = as.integer(given[2]), runs = 1, count = FALSE))
cat(spent[["elapsed"]], mean(found$bootmean), "\n")
"""


def stability(scale: Scale) -> Iterator[Row]:
    """k-means from one start, bootstrap samples."""
    for clusters, goal in ((40, at_least(10)), (10, None)):
        n = scale(20_000)
        rng = np.random.default_rng(SEED)
        centres = rng.normal(size=(clusters, 5)) * 8
        points = centres[rng.integers(clusters, size=n)] + rng.normal(size=(n, 5))
        clusterer = KMeans(clusters, n_init=1)
        options = {"how": "bootstrap", "progress": False, "random_state": 0, "n_jobs": 2}
        cv.stability(clusterer, points[:1_000], samples=2, **options)
        seconds, found = timed(
            lambda: cv.stability(clusterer, points, samples=SAMPLES, **options)  # noqa: B023  # now
        )
        theirs, value, why = _clusterboot(points, clusters)
        yield Row(
            what="stability of each cluster, bootstrap / fpc::clusterboot",
            size=f"n = {n:,}, K = {clusters}, {SAMPLES} samples",
            peer="fpc",
            ours=seconds,
            theirs=theirs,
            goal=goal,
            value_ours=float(np.nanmean(found.jaccards)),
            value_peer=value,
            note=why or "mean Jaccard index over the clusters; the fits are random",
        )


def _clusterboot(points: np.ndarray, clusters: int) -> tuple[float | None, float | None, str]:
    """Return the seconds and the mean index in R, or why there are none."""
    program = shutil.which("Rscript")
    if program is None:
        return None, None, "not installed"
    with tempfile.TemporaryDirectory() as folder:
        table, script = Path(folder) / "points.csv", Path(folder) / "run.R"
        np.savetxt(table, points, delimiter=",")
        script.write_text(SCRIPT, encoding="utf-8")
        done = subprocess.run(
            [program, str(script), str(table), str(clusters), str(SAMPLES)],
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        return None, None, (done.stderr.strip().splitlines() or ["R failed"])[-1][:160]
    seconds, value = map(float, done.stdout.split()[-2:])
    return seconds, value, ""
