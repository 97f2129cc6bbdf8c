"""The mean distance between labelings, with an interval, and what it says across data sets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import ParameterError
from clustervet.registry import Estimate

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Stability:
    """How far runs of an algorithm are from each other.

    `mean` is the mean variation of information over all pairs of runs, in bits, with an
    interval for the mean over all runs that the algorithm could make. `share` is the mean
    as a share of 2 log2 `max_clusters`, the most that two runs of at most so many clusters
    can differ by (Meilă 2007, Property 4 and §5.1).
    """

    mean: float
    low: float
    high: float
    confidence: float
    standard_error: float
    share: float
    max_clusters: int
    objects: int
    runs: int

    @property
    def attainable(self) -> bool:
        """Whether `share` may reach 1: max_clusters squared is at most the number of objects."""
        return self.max_clusters**2 <= self.objects

    def to_dict(self) -> dict[str, Any]:
        """As plain data; what is not finite is null."""
        numbers = {
            "mean": self.mean,
            "low": self.low,
            "high": self.high,
            "standard_error": self.standard_error,
            "share": self.share,
        }
        return {
            **{key: x if math.isfinite(x) else None for key, x in numbers.items()},
            "confidence": self.confidence,
            "max_clusters": self.max_clusters,
            "objects": self.objects,
            "runs": self.runs,
        }


def make_stability(
    matrix: Floats,
    weights: Floats,
    *,
    clusters: int,
    max_clusters: int | None,
    objects: int,
    confidence: float,
) -> Stability:
    """The mean of a matrix of variations of information, as stability."""
    bound = clusters if max_clusters is None else max_clusters
    right = isinstance(bound, int | np.integer) and not isinstance(bound, bool)
    if not right or bound < clusters:
        raise ParameterError(
            f"max_clusters must bound every number of clusters ({clusters} here), not {bound!r}."
        )
    mean = mean_distance(matrix, weights)
    low, high = positive_interval(mean, confidence)
    return Stability(
        mean=float(mean),
        low=low,
        high=high,
        confidence=confidence,
        standard_error=mean.standard_error,
        # Runs of one cluster are all equal, and as stable as can be.
        share=float(mean) / (2 * math.log2(bound)) if bound > 1 else 0.0,
        max_clusters=int(bound),
        objects=objects,
        runs=len(matrix),
    )


def positive_interval(mean: Estimate, confidence: float) -> tuple[float, float]:
    """An interval for a mean that cannot be negative; `nan` where there is none."""
    low, high = mean.interval(confidence)
    return float(np.maximum(low, 0.0)), high


def mean_distance(matrix: Floats, weights: Floats) -> Estimate:
    """The weighted mean over pairs, with the jackknife's standard error over labelings.

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
