"""k-medoids on a matrix of distances, and silhouettes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
# Rows of the matrix that are looked at together.
ROWS = 512
# Up to so many points, so many random starts are tried as well.
FEW = 500
STARTS = 8
# Swaps that gain less than this share of the loss are rounding.
ROUNDING = 1e-12


def find_medoids(matrix: Floats, weights: Floats, k: int) -> Places:
    """Points, k of them, with the others near to one: PAM (Kaufman & Rousseeuw 1990).

    Greedy, then the best exchange of a medoid for another point while one lowers the sum. All
    exchanges are weighed in one pass over the matrix (Schubert & Rousseeuw 2021, FastPAM1).
    Where that is quick it is tried from some other starts too, the same ones every time.

    >>> line = np.array([0.0, 1.0, 2.0, 10.0, 11.0, 12.0])
    >>> find_medoids(abs(line[:, None] - line), np.ones(6), 2).tolist()
    [1, 4]
    """
    starts = [_greedy(matrix, weights, k)]
    if len(matrix) <= FEW and 1 < k < len(matrix):
        rng = np.random.default_rng(0)
        starts += [rng.choice(len(matrix), k, replace=False) for _ in range(STARTS)]
    best, least = starts[0], np.inf
    limit = ROUNDING * float(weights @ matrix.max(axis=1))
    for start in starts:
        medoids = _exchanged(matrix, weights, start, limit)
        loss = float(weights @ matrix[:, medoids].min(axis=1))
        if loss < least - limit:
            best, least = medoids, loss
    return np.sort(best)


def _exchanged(matrix: Floats, weights: Floats, medoids: Places, limit: float) -> Places:
    """Medoids exchanged for other points until none gains more than the limit."""
    while True:
        gain, out, into = _best_swap(matrix, weights, medoids)
        if gain >= -limit:
            return medoids
        medoids[out] = into


def _greedy(matrix: Floats, weights: Floats, k: int) -> Places:
    """One medoid after the other, each lowering the sum most."""
    nearest = np.full(len(matrix), np.inf)
    medoids: list[int] = []
    for _ in range(k):
        total = np.zeros(len(matrix))
        for first in range(0, len(matrix), ROWS):
            rows = slice(first, first + ROWS)
            total += weights[rows] @ np.minimum(matrix[rows], nearest[rows, None])
        total[medoids] = np.inf
        medoids.append(int(np.argmin(total)))
        nearest = np.minimum(nearest, matrix[:, medoids[-1]])
    return np.array(medoids, np.int64)


def _best_swap(matrix: Floats, weights: Floats, medoids: Places) -> tuple[float, int, int]:
    """The change of the sum, which medoid goes, and which point comes instead of it."""
    to_medoids = matrix[:, medoids]
    order = np.argsort(to_medoids, axis=1, kind="stable")
    owner = order[:, 0]
    near = to_medoids[np.arange(len(matrix)), owner]
    second = np.full(len(matrix), np.inf)
    if len(medoids) > 1:
        second = to_medoids[np.arange(len(matrix)), order[:, 1]]
    change = np.zeros((len(medoids), len(matrix)))
    for first in range(0, len(matrix), ROWS):
        rows = slice(first, first + ROWS)
        gaps, close = matrix[rows], near[rows, None]
        # Whoever is nearer to the newcomer than to any medoid goes to it in any case.
        change += weights[rows] @ np.minimum(gaps - close, 0)
        # Those who lose their medoid go to the newcomer or to their second nearest.
        moved = weights[rows, None] * (np.minimum(gaps, second[rows, None]).clip(min=close) - close)
        np.add.at(change, owner[rows], moved)
    change[:, medoids] = np.inf
    out, into = np.unravel_index(int(np.argmin(change)), change.shape)
    return float(change[out, into]), int(out), int(into)


def nearest_medoid(matrix: Floats, medoids: Places) -> Places:
    """The group of each point; a medoid is in its own even if another one equals it."""
    labels: Places = matrix[:, medoids].argmin(axis=1).astype(np.int64)
    labels[medoids] = np.arange(len(medoids))
    return labels


def silhouettes(matrix: Floats, labels: Places) -> Floats:
    """How much nearer each point is to its own group than to the next (Rousseeuw 1987).

    >>> line = np.array([0.0, 1.0, 10.0])
    >>> silhouettes(abs(line[:, None] - line), np.array([0, 0, 1])).tolist()
    [0.9, 0.8888888888888888, 0.0]
    """
    sizes = np.bincount(labels)
    member = labels[:, None] == np.arange(len(sizes))
    sums = matrix @ member
    own = np.arange(len(labels)), labels
    alone = sizes[labels] == 1
    inner = np.where(alone, 0, sums[own] / np.maximum(sizes[labels] - 1, 1))
    means = sums / sizes
    means[own] = np.inf
    outer = means.min(axis=1)
    larger = np.maximum(inner, outer)
    fits = ~alone & np.isfinite(larger) & (larger > 0)
    widths: Floats = np.divide(outer - inner, larger, out=np.zeros(len(labels)), where=fits)
    return widths
