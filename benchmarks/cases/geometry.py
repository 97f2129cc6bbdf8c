"""Internal measures beside those of scikit-learn and genieclust.

Lower limits of the time. The Euclidean silhouette needs n (n - 1) / 2 distances. At n = 30,000
these are 4.5e8 square roots, some 0.1 s on two cores with 512-bit vectors, plus 3 d flops each by
differences (1.4e10 at d = 10: 0.1 s) or 2 d by matrix products (9e10 at d = 100: 0.9 s at 100
GFlop/s). A matrix of distances at n = 10,000 has 800 MB, read once: 0.06 s. The cosine silhouette
needs only points × clusters products: 2e6 non-zeros × 20 clusters, 0.03 s. Centroids and squares
read the data twice: 160 MB at n = 10^6, d = 20, 0.03 s.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import clustervet as cv
from compare import judge, rows
from harness import OURS, Contender, Goal, Row, Scale, at_least, limit, race

PROBE = Path(__file__).resolve().parent.parent / "silhouette_probe.py"


def blobs(n: int, d: int, clusters: int = 10) -> tuple[Any, Any]:
    """Points around centres, and their clusters."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, clusters, n)
    return rng.normal(size=(clusters, d))[codes] * 3 + rng.normal(size=(n, d)), codes


def words(n: int, d: int, clusters: int = 20) -> tuple[Any, Any]:
    """Sparse counts like those of documents: about a hundred words with a long-tailed law."""
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(0)
    lengths = rng.poisson(100, n) + 1
    columns = np.minimum((rng.pareto(0.6, lengths.sum()) * 5).astype(np.int64), d - 1)
    matrix = csr_matrix(
        (np.ones(len(columns)), columns, np.concatenate([[0], np.cumsum(lengths)])), (n, d)
    )
    matrix.sum_duplicates()
    return matrix, rng.integers(0, clusters, n)


def size(n: int, d: int) -> str:
    return f"n = {n:,}, d = {d:,}"


def _race(
    scale: Scale,
    what: str,
    key: str,
    peer_key: str,
    data: Any,
    where: str,
    goal: Goal | None,
    **more: Any,
) -> Iterator[Row]:
    from sklearn import metrics

    points, codes = data
    peers = [Contender("scikit-learn", partial(getattr(metrics, peer_key), points, codes, **more))]
    ours, found = race(scale, partial(getattr(cv, key), points, codes, **more), peers)
    goals = {"scikit-learn": goal} if goal else {}
    judged = _single if points.dtype == np.float32 else judge
    yield from rows(ours, found, what=what, size=where, goals=goals, judged=judged)


def _single(peer: str, ours: float, theirs: float) -> tuple[str, bool]:
    """Single precision: the input has seven digits, and five of the result must agree."""
    gap = abs(ours - theirs) / abs(theirs)
    return f"values differ by {gap:.0e}", gap > 1e-5


def silhouettes(scale: Scale) -> Iterator[Row]:
    """The exact silhouette: few and many features, precomputed distances, sparse text."""
    for d, times in ((2, 8), (10, 6), (100, 3)):
        n = scale(30_000)
        yield from _race(
            scale, "exact silhouette", "silhouette", "silhouette_score",
            blobs(n, d), size(n, d), at_least(times),
        )  # fmt: skip
    n = scale(30_000)
    points, codes = blobs(n, 10)
    yield from _race(
        scale, "exact silhouette, float32", "silhouette", "silhouette_score",
        (points.astype(np.float32), codes), size(n, 10), None,
    )  # fmt: skip
    n = scale(10_000)
    from sklearn.metrics import pairwise_distances

    points, codes = blobs(n, 10)
    yield from _race(
        scale, "silhouette of precomputed distances", "silhouette", "silhouette_score",
        (pairwise_distances(points), codes), f"n = {n:,}", at_least(3), metric="precomputed",
    )  # fmt: skip
    n = scale(20_000)
    yield from _race(
        scale, "cosine silhouette of sparse text", "silhouette", "silhouette_score",
        words(n, 40_000), size(n, 40_000), at_least(20), metric="cosine",
    )  # fmt: skip


def centroids(scale: Scale) -> Iterator[Row]:
    """Davies-Bouldin and Calinski-Harabasz of a million points."""
    n = scale(1_000_000)
    data = blobs(n, 20)
    for key in ("davies_bouldin", "calinski_harabasz"):
        name = f"{key}_score"
        yield from _race(scale, cv.measures[key].title, key, name, data, size(n, 20), at_least(2))


def genieclust(scale: Scale) -> Iterator[Row]:
    """The indices that genieclust also computes."""
    n = scale(10_000)
    points, codes = blobs(n, 10)
    pairs = {
        "silhouette": "silhouette_index",
        "calinski_harabasz": "calinski_harabasz_index",
        "dunn": "generalised_dunn_index",
    }
    for key, name in pairs.items():
        ours, found = race(
            scale,
            partial(getattr(cv, key), points, codes),
            [Contender("genieclust", partial(_genie, name, points, codes))],
        )
        yield from rows(ours, found, what=cv.measures[key].title, size=size(n, 10))


def _genie(name: str, points: Any, codes: Any) -> float:
    from genieclust import cluster_validity as validity

    more = (1, 1) if name.startswith("generalised") else ()  # least distance, diameter
    return float(getattr(validity, name)(points, codes, *more))


def memory(scale: Scale) -> Iterator[Row]:
    """Peak memory of the exact silhouette beyond its inputs, in a separate process."""
    n = scale(200_000)
    done = subprocess.run(
        [sys.executable, str(PROBE), str(n)], capture_output=True, text=True, check=False
    )
    answer = json.loads(done.stdout) if not done.returncode else {}
    yield Row(
        what="peak memory of the exact silhouette",
        size=size(n, 10),
        peer=f"{OURS} alone",
        ours=answer.get("rise"),
        unit="MB",
        goal=limit(500),
        value_ours=answer.get("value"),
        note=f"in {answer['seconds']:.1f} s" if answer else done.stderr.strip()[-160:],
        alarm=not answer,
    )
