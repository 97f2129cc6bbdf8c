"""The data: pairs of labelings that agree except for a share of randomly moved objects."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int64]
SEED = 20_240_601


def moved(n: int, clusters: int, share: float = 0.3) -> tuple[Labels, Labels]:
    """Random classes, and equal clusters with a share of the objects moved at random."""
    rng = np.random.default_rng(SEED)
    truth = rng.integers(0, clusters, n)
    pred = truth.copy()
    chosen = np.flatnonzero(rng.random(n) < share)
    pred[chosen] = rng.integers(0, clusters, len(chosen))
    return truth, pred


def unrelated(n: int, clusters: int) -> tuple[Labels, Labels]:
    """Two independent labelings."""
    rng = np.random.default_rng(SEED)
    return rng.integers(0, clusters, n), rng.integers(0, clusters, n)


def one_moved(n: int, clusters: int) -> tuple[Labels, Labels]:
    """Two labelings that differ in a single object."""
    truth = np.random.default_rng(SEED).integers(0, clusters, n)
    pred = truth.copy()
    pred[0] = (pred[0] + 1) % clusters
    return truth, pred
