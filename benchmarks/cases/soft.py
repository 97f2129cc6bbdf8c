"""Measures of soft clusterings beside numpy with one array of all pairs, as their papers' code has.

R's fclust, which is no Debian package, keeps four matrices of all pairs and compares every two
clusters for every two objects. Its loop in C++ took 0.4 s for n = 1,000 and 2.2 s for n = 2,000
with 10 clusters on each side, which makes a minute for n = 10,000. Lower limit: 10^8 / 2 pairs
times 20 differences of degrees, 0.15 s on two cores with vector instructions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.spatial.distance import cdist, pdist

import clustervet as cv
from harness import Contender, Row, Scale, at_least, race
from labels import SEED

CLUSTERS = 10


def soft(scale: Scale) -> Iterator[Row]:
    """Degrees of two unrelated soft clusterings."""
    n = scale(10_000)
    rng = np.random.default_rng(SEED)
    left, right = (rng.dirichlet([0.3] * CLUSTERS, n) for _ in range(2))
    size = f"n = {n:,}, {CLUSTERS} clusters each"
    yield _row(scale, "ndc", cv.ndc, _ndc, (left, right), size, 3)
    few = scale(2_000)
    size, sides = f"n = {few:,}, {CLUSTERS} clusters each", (left[:few], right[:few])
    yield _row(scale, "fuzzy_rand", cv.fuzzy_rand, _fuzzy_rand, sides, size, 20)
    few = scale(1_000)
    size, sides = f"n = {few:,}, {CLUSTERS} clusters each", (left[:few], right[:few])
    note = "all orders here, 100 random ones there"
    drawn = cv.adjusted_concordance, _drawn_concordance
    yield _row(scale, "adjusted_concordance", *drawn, sides, size, None, note)


def _row(
    scale: Scale,
    what: str,
    ours: Callable[..., float],
    theirs: Callable[..., float],
    sides: tuple[np.ndarray, np.ndarray],
    size: str,
    goal: float | None,
    note: str = "",
) -> Row:
    result, (peer,) = race(
        scale, lambda: ours(*sides), [Contender("numpy, all pairs", lambda: theirs(*sides))]
    )
    return Row(
        what=what,
        size=size,
        peer="numpy, all pairs",
        ours=result.seconds,
        theirs=peer.seconds,
        goal=None if goal is None else at_least(goal),
        value_ours=result.value,
        value_peer=peer.value,
        note=peer.failure or note,
    )


def _ndc(left: np.ndarray, right: np.ndarray) -> float:
    e, f = (1 - pdist(side, "cityblock") / 2 for side in (left, right))
    return float(1 - np.abs(e - f).mean())


def _drawn_concordance(left: np.ndarray, right: np.ndarray) -> float:
    """As ConsRankClass does, with a tenth of its random orders."""
    e, f = (1 - cdist(side, side, "cityblock") / 2 for side in (left, right))
    rng, pairs = np.random.default_rng(SEED), len(left) * (len(left) - 1)
    drawn = []
    for _ in range(100):
        order = rng.permutation(len(left))
        drawn.append(1 - np.abs(e - f[np.ix_(order, order)]).sum() / pairs)
    found = 1 - np.abs(e - f).sum() / pairs
    return float((found - np.mean(drawn)) / (1 - np.mean(drawn)))


def _fuzzy_rand(left: np.ndarray, right: np.ndarray) -> float:
    """Row by row, every two clusters, with numpy."""
    agreed = every = 0.0
    for i in range(len(left) - 1):
        counts = []
        for side in (left, right):
            later, own = side[i + 1 :], side[i]
            same = np.minimum(later, own).max(axis=1)
            apart = np.zeros(len(later))
            for k in range(CLUSTERS):
                others = np.delete(later, k, axis=1)
                np.maximum(apart, np.minimum(others, own[k]).max(axis=1), out=apart)
            counts.append((same, apart))
        a, b, c, d = (np.minimum(x, y).sum() for x in counts[0] for y in counts[1])
        agreed, every = agreed + a + d, every + a + b + c + d
    return float(agreed / every)
