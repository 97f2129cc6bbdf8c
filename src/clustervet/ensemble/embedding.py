"""A map of the labelings: points whose distances are as near as can be to those given."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import ParameterError

Floats = NDArray[np.float64]
Method = Literal["stress", "classical"]
METHODS: tuple[Method, ...] = ("stress", "classical")
# Steps of majorization, and the share of the stress below which a step is the last.
STEPS = 1_000
SETTLED = 1e-7
# Rows of the matrix that are looked at together.
ROWS = 512
# Beyond so many points only the leading eigenvectors are computed, by Lanczos' method.
MANY = 500


@dataclass(frozen=True, eq=False)
class Embedding:
    """A point for each labeling.

    `stress` is the root of the sum of squared errors over the sum of squared distances (Borg
    & Groenen 2005, §11.1): 0 for a map without error, and the share of the distances that is
    lost.
    """

    names: tuple[str, ...]
    points: Floats = field(repr=False)
    stress: float
    method: Method

    @property
    def dimensions(self) -> int:
        """Number of coordinates."""
        return int(self.points.shape[1])

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "method": self.method,
            "stress": self.stress,
            "points": dict(zip(self.names, self.points.tolist(), strict=True)),
        }


def embed(
    matrix: Floats, dimensions: int, method: Method, starts: int, rng: np.random.Generator
) -> tuple[Floats, float]:
    """Coordinates and their stress."""
    if method not in METHODS:
        raise ParameterError(f"method must be one of {', '.join(METHODS)}, not {method!r}.")
    points = classical(matrix, dimensions)
    if method == "classical":
        return points, stress(matrix, points)
    best = majorize(matrix, points)
    scale = float(matrix.mean()) or 1.0
    for _ in range(starts - 1):
        drawn = rng.normal(scale=scale, size=points.shape)
        best = min(best, majorize(matrix, drawn), key=lambda found: found[1])
    return upright(best[0]), best[1]


def classical(matrix: Floats, dimensions: int) -> Floats:
    """Classical scaling: the leading eigenvectors of the doubly centred squares (Torgerson 1952).

    >>> line = np.array([[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0, 0.0]])
    >>> points = classical(line, 1)[:, 0]
    >>> bool(np.allclose(abs(points[:, None] - points), line))
    True
    """
    squares = -0.5 * matrix**2
    means = squares.mean(axis=0)
    squares += means.mean() - means - means[:, None]
    wanted = min(dimensions, len(matrix))
    values, vectors = _leading(squares, wanted)
    points = np.zeros((len(matrix), dimensions))
    # Eigenvalues below 0 belong to what no Euclidean space can show.
    points[:, :wanted] = vectors * np.sqrt(np.maximum(values, 0))
    return upright(points)


def _leading(matrix: Floats, wanted: int) -> tuple[Floats, Floats]:
    """The largest eigenvalues, falling, and their vectors."""
    size = len(matrix)
    if size <= MANY or wanted >= size - 1:
        from scipy.linalg import eigh

        values, vectors = eigh(matrix, subset_by_index=(size - wanted, size - 1))
    else:
        from scipy.sparse.linalg import eigsh

        start = np.random.default_rng(0).normal(size=size)
        values, vectors = eigsh(matrix, k=wanted, which="LA", v0=start)
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[:, order]


def majorize(matrix: Floats, points: Floats) -> tuple[Floats, float]:
    """Points moved until the stress settles, which no step raises (de Leeuw 1977, SMACOF)."""
    total = float((matrix**2).sum())
    if total == 0:
        return np.zeros_like(points), 0.0
    last = math.inf
    for _ in range(STEPS):
        points, raw = _step(matrix, points)
        if last - raw <= SETTLED * total:
            break
        last = raw
    return points, stress(matrix, points)


def _step(matrix: Floats, points: Floats) -> tuple[Floats, float]:
    """The Guttman transform of the points, and the sum of squared errors before it."""
    moved = np.empty_like(points)
    errors = 0.0
    for first in range(0, len(points), ROWS):
        rows = slice(first, first + ROWS)
        gaps = _gaps(points[rows], points)
        errors += float(((matrix[rows] - gaps) ** 2).sum())
        ratios = np.divide(matrix[rows], gaps, out=np.zeros_like(gaps), where=gaps > 0)
        moved[rows] = ratios.sum(axis=1)[:, None] * points[rows] - ratios @ points
    return moved / len(points), errors


def stress(matrix: Floats, points: Floats) -> float:
    """Errors as a share of the distances, both as the root of their sum of squares."""
    errors = total = 0.0
    for first in range(0, len(points), ROWS):
        rows = slice(first, first + ROWS)
        errors += float(((matrix[rows] - _gaps(points[rows], points)) ** 2).sum())
        total += float((matrix[rows] ** 2).sum())
    return math.sqrt(errors / total) if total else 0.0


def _gaps(some: Floats, points: Floats) -> Floats:
    squares = np.zeros((len(some), len(points)))
    for one, every in zip(some.T, points.T, strict=True):
        squares += (one[:, None] - every) ** 2
    gaps: Floats = np.sqrt(squares)
    return gaps


def upright(points: Floats) -> Floats:
    """The same map, centred, along its principal axes, the largest coordinate of each positive."""
    centred = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    turned = np.zeros_like(centred)
    turned[:, : len(axes)] = centred @ axes.T
    peaks = turned[abs(turned).argmax(axis=0), np.arange(turned.shape[1])]
    upright: Floats = turned * np.where(peaks < 0, -1.0, 1.0) + 0.0
    return upright
