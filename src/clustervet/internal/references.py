"""Reference sets of points without structure."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._progress import ticking


def reference_ssq(
    points: NDArray[Any], clusters: int, count: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """SSQ of k-means on `count` sets of uniform points in the box along the principal axes."""
    from threadpoolctl import threadpool_limits

    centred = points - points.mean(axis=0, dtype=np.float64)
    axes = np.linalg.eigh(centred.T @ centred)[1]
    turned = centred @ axes
    low, high = turned.min(axis=0), turned.max(axis=0)
    found = np.empty(count)
    # Threads within a fit of this size cost more than they save.
    with ticking(count, "reference sets") as tick, threadpool_limits(1):
        for b in range(count):
            found[b] = _ssq(rng.uniform(low, high, points.shape), clusters, rng)
            tick()
    return found


def _ssq(points: NDArray[np.float64], clusters: int, rng: np.random.Generator) -> float:
    if clusters == 1:
        return float(((points - points.mean(axis=0)) ** 2).sum())
    from sklearn.cluster import KMeans

    seed = int(rng.integers(2**31))
    return float(KMeans(clusters, n_init=3, random_state=seed).fit(points).inertia_)
