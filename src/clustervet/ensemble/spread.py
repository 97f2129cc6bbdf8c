"""The mean distance between labelings, with an interval, and what it says across data sets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.registry import Estimate
from clustervet.view import Result, Section, facts_table, number_cell

Floats = NDArray[np.float64]


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


def mean_distance(matrix: Floats, weights: Floats) -> Estimate:
    """Return the weighted mean over pairs, with the jackknife's standard error over labelings.

    Pairs that share a labeling are dependent, so labelings are left out, not pairs: the mean
    is a U-statistic, for which the jackknife is consistent (Arvesen 1969).

    >>> mean_distance(np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 4.0], [1.0, 4.0, 0.0]]), np.ones(3))
    2.0 ± 2
    """
    count = len(matrix)
    pairs = np.outer(weights, weights)
    np.fill_diagonal(pairs, 0.0)
    by_row = (pairs * matrix).sum(axis=1)
    mass = pairs.sum(axis=1)
    mean = by_row.sum() / mass.sum()
    rest = mass.sum() - 2 * mass
    if count < 3 or (rest <= 0).any():
        return Estimate(float(mean), standard_error=math.nan, sample=count, degrees=1)
    without = (by_row.sum() - 2 * by_row) / rest
    spread = (count - 1) / count * float(((without - without.mean()) ** 2).sum())
    return Estimate(float(mean), standard_error=math.sqrt(spread), sample=count, degrees=count - 1)
