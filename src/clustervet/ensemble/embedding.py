"""How labelings spread: their map, and their mean distance with its interval.

The distances between the points of the map are as close as possible to those given.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import one_of
from clustervet._memory import need
from clustervet.registry import Estimate
from clustervet.view import Result, Section, facts_table, number_cell, plain_table

Floats = NDArray[np.float64]
Method = Literal["stress", "classical"]
METHODS: tuple[Method, ...] = ("stress", "classical")
# Steps of majorization, and the share of the squared distances below which a step is the last.
STEPS = 1_000
SETTLED = 1e-7
# Beyond this many points only the leading eigenvectors are computed, by the method of Lanczos.
MANY = 500
# Matrices of distances that a map takes beside the one given, while it is made.
MATRICES = 6
# Rows of a table in a terminal.
SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False)
class Embedding(Result):
    """One point per labeling.

    Parameters
    ----------
    names : tuple of str
        Names of the labelings.
    points : ndarray of shape (labelings, dimensions)
        Their coordinates, centred and along the principal axes.
    stress : float
        The root of the sum of squared errors over the sum of squared distances (Borg & Groenen
        2005, §11.1): 0 for a map without error.
    method : {"stress", "classical"}
        How the points were found.
    """

    names: tuple[str, ...]
    points: Floats
    stress: float
    method: Method

    @property
    def dimensions(self) -> int:
        """Number of coordinates."""
        return int(self.points.shape[1])

    def columns(self) -> dict[str, Any]:
        """Return one row per labeling.

        Returns
        -------
        dict
            The name, and one column per coordinate: x, y, z, or x1, x2, ... for more than three.
        """
        axes = "xyz" if self.dimensions <= 3 else [f"x{k + 1}" for k in range(self.dimensions)]
        points = dict(zip(axes, self.points.T.tolist(), strict=False))
        return {"labeling": list(self.names), **points}

    def document(self) -> Section:
        """Return the coordinates and the stress.

        Returns
        -------
        Section
            One sentence and one table.
        """
        table = plain_table("map-points", "The points", self.columns(), shown=SHOWN)
        many = {1: "one dimension", 2: "two dimensions", 3: "three dimensions"}
        where = many.get(self.dimensions, f"{self.dimensions} dimensions")
        said = f"The map in {where} has stress {self.stress:.3f}."
        return Section("map", "The map of labelings", (said,), (table,), subject=self)

    def to_dict(self) -> dict[str, Any]:
        """Return the map as plain data.

        Returns
        -------
        dict
            The method, the stress, and the points by name.
        """
        points = dict(zip(self.names, self.points.tolist(), strict=True))
        return {"method": self.method, "stress": self.stress, "points": points}


def embed(
    matrix: Floats, dimensions: int, method: Method, starts: int, rng: np.random.Generator
) -> tuple[Floats, float]:
    """Return coordinates and their stress."""
    one_of(method, "method", METHODS)
    need(8 * MATRICES * matrix.size, f"a map of {len(matrix):,} labelings", "map fewer labelings")
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
    """Return the leading eigenvectors of the doubly centred squares (Torgerson 1952).

    >>> line = np.array([[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0, 0.0]])
    >>> points = classical(line, 1)[:, 0]
    >>> bool(np.allclose(abs(points[:, None] - points), line))
    True
    """
    points = np.zeros((len(matrix), dimensions))
    if not matrix.any():
        return points
    squares = -0.5 * matrix**2
    means = squares.mean(axis=0)
    squares += means.mean() - means - means[:, None]
    wanted = min(dimensions, len(matrix))
    values, vectors = _leading(squares, wanted)
    # Eigenvalues below 0 belong to what no Euclidean space can show.
    points[:, :wanted] = vectors * np.sqrt(np.maximum(values, 0))
    return upright(points)


def _leading(matrix: Floats, wanted: int) -> tuple[Floats, Floats]:
    """Return the largest eigenvalues in falling order, and their vectors."""
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
    """Move points until the stress settles; no step raises it (de Leeuw 1977, SMACOF)."""
    if not matrix.any():
        return np.zeros_like(points), 0.0
    from scipy.spatial.distance import pdist, squareform

    gaps = squareform(pdist(points))
    last = math.inf
    for _ in range(STEPS):
        # The Guttman transform, in which points at one place do not move each other.
        pull = np.divide(matrix, gaps, out=np.zeros_like(gaps), where=gaps > 0)
        points = (pull.sum(axis=1)[:, None] * points - pull @ points) / len(points)
        gaps = squareform(pdist(points))
        errors = float(((gaps - matrix) ** 2).sum())
        if last - errors < SETTLED * float((gaps**2).sum()):
            break
        last = errors
    return points, stress(matrix, points)


def stress(matrix: Floats, points: Floats) -> float:
    """Return the errors as a share of the distances, both as the root of a sum of squares."""
    from scipy.spatial.distance import pdist, squareform

    wanted = squareform(matrix, checks=False)
    total = float(wanted @ wanted)
    errors = wanted - pdist(points)
    return math.sqrt(float(errors @ errors) / total) if total else 0.0


def upright(points: Floats) -> Floats:
    """Return the map centred and along its principal axes, with a positive peak on each."""
    centred = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    turned = np.zeros_like(centred)
    turned[:, : len(axes)] = centred @ axes.T
    peaks = turned[abs(turned).argmax(axis=0), np.arange(turned.shape[1])]
    upright: Floats = turned * np.where(peaks < 0, -1.0, 1.0) + 0.0
    return upright


@dataclass(frozen=True, repr=False)
class RunStability(Result):
    """How far runs of an algorithm are from each other.

    Parameters
    ----------
    mean : float
        The mean variation of information over all pairs of runs, in bits.
    low, high : float
        The interval for the mean over all runs that the algorithm could make.
    standard_error : float
        The standard error of the mean.
    share : float
        The mean as a share of 2 log2 `max_clusters`, the largest distance between two
        clusterings of at most that many clusters (Meilă 2007, Property 4 and §5.1).
    confidence : float
        The confidence of the interval.
    max_clusters : int
        The bound on the number of clusters.
    objects : int
        The number of objects.
    runs : int
        The number of runs.
    """

    mean: float
    low: float
    high: float
    standard_error: float
    share: float
    confidence: float
    max_clusters: int
    objects: int
    runs: int

    @property
    def attainable(self) -> bool:
        """Whether `share` may reach 1: max_clusters squared is at most the number of objects."""
        return self.max_clusters**2 <= self.objects

    def columns(self) -> dict[str, Any]:
        """Return one row.

        Returns
        -------
        dict
            One column per field.
        """
        return {name: [getattr(self, name)] for name in self.__dataclass_fields__}

    def document(self) -> Section:
        """Return all fields.

        Returns
        -------
        Section
            One table of facts.
        """
        cells = {name.replace("_", " "): number_cell(*one) for name, one in self.columns().items()}
        title = "Stability of the runs"
        table = facts_table("runs-stability", title, cells)
        return Section("runs", title, blocks=(table,), subject=self, citations=("Meilă 2007",))


def positive_interval(mean: Estimate, confidence: float) -> tuple[float, float]:
    """Return an interval for a mean that cannot be negative; nan where there is none."""
    low, high = mean.interval(confidence)
    return float(np.maximum(low, 0.0)), high
