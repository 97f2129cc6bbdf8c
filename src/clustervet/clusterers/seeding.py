"""Rows to start from: spread out in the geometry of the algorithm, or random."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import generator
from clustervet.clusterers.rows import Floats, Rows

Chosen = NDArray[np.int64]
# Gaps of all rows from some of them: rows by candidates, zero where a row meets itself.
Gaps = Callable[[Chosen], Floats]


def generators(random_state: Any, runs: int) -> list[np.random.Generator]:
    """One generator per run, from an int, a Generator, a RandomState or None."""
    if isinstance(random_state, np.random.RandomState):
        seeds = random_state.randint(2**31, size=(runs, 2))
    else:
        seeds = generator(random_state).integers(2**31, size=(runs, 2))
    return [np.random.default_rng(seed.tolist()) for seed in seeds]


def random_rows(rows: Rows, k: int, rng: np.random.Generator) -> Chosen:
    """Different rows drawn by weight."""
    shares = rows.weights / rows.weights.sum()
    return np.asarray(rng.choice(len(rows), k, replace=False, p=shares))


def spread_rows(rows: Rows, k: int, rng: np.random.Generator, gaps: Gaps) -> Chosen:
    """Different rows far from each other, by greedy k-means++ over any gap.

    Arthur & Vassilvitskii 2007, §2.2, with the gap instead of the squared distance. Each time
    2 + log k rows are drawn, and the one that leaves the least total gap is kept.
    """
    weights = rows.weights
    chosen = _draw(weights, rng, 1)
    closest = gaps(chosen)[:, 0]
    closest[chosen] = 0.0
    trials = 2 + int(math.log(k))
    while len(chosen) < k:
        candidates = _draw(weights * closest, rng, trials)
        left = np.minimum(closest[:, None], gaps(candidates))
        at = int(np.argmin((weights[:, None] * left).sum(axis=0)))
        best, closer = candidates[at], left[:, at]
        if closest[best] <= 0:  # the other rows equal chosen ones
            best, closer = np.setdiff1d(np.arange(len(rows)), chosen)[0], closest
        closest = closer
        closest[best] = 0.0
        chosen = np.append(chosen, best)
    return chosen


def _draw(weights: Floats, rng: np.random.Generator, count: int) -> Chosen:
    """Rows drawn by weight, repeats allowed."""
    steps = np.cumsum(weights)
    at = np.searchsorted(steps, rng.random(count) * steps[-1], side="right")
    return np.asarray(np.minimum(at, len(weights) - 1))
