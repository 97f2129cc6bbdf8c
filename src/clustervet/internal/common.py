"""Helpers that several internal measures share."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import UndefinedError
from clustervet.geometry import Geometry, MomentGeometry
from clustervet.geometry.widths import blocks
from clustervet.registry import Estimate

# Largest number of entries of a block of points × features or points × clusters.
BLOCK = 2**22
DISTANCE_BIAS = (
    "it favours round, compact clusters, as k-means makes them, and fails on other shapes"
)


def ratio(above: float, below: float, why: str) -> float:
    """A quotient that may be infinite; 0/0 is undefined for the given reason."""
    if below == 0:
        if above == 0:
            raise UndefinedError(why)
        return math.inf
    return above / below


def distance(geometry: Geometry, value: float) -> float:
    """A distance, or a sum of distances, in the unit of the features."""
    power = geometry.metric.degree
    found = geometry.in_unit(float(value), power)
    if not isinstance(value, Estimate):
        return found
    error = math.ldexp(value.standard_error, power * geometry.exponent)
    return Estimate(found, standard_error=error, sample=value.sample, degrees=value.degrees)


def strata(geometry: Geometry, sample: int) -> list[tuple[int, int, int]]:
    """(start, size, number to draw) of each stratum; at least two points of each are drawn.

    Strata are the clusters, or all points together where there are too many clusters.
    """
    geometry.need_no_weights("a sample of points")
    sizes = geometry.sizes
    least = np.minimum(sizes, 2)
    if least.sum() > sample:
        return [(0, geometry.rows, sample)]
    ideal = sizes * (sample / geometry.rows)
    counts = np.clip(np.floor(ideal).astype(np.int64), least, sizes)
    while counts.sum() != sample:  # large clusters give what small ones got
        step = 1 if counts.sum() < sample else -1
        able = counts < sizes if step > 0 else counts > least
        counts[int(np.argmax(np.where(able, step * (ideal - counts), -np.inf)))] += step
    starts = geometry.starts[:-1]
    return list(zip(starts.tolist(), sizes.tolist(), counts.tolist(), strict=True))


def drawn_places(parts: list[tuple[int, int, int]], rng: np.random.Generator) -> NDArray[np.int64]:
    """Points drawn from each stratum: their positions in cluster order, rising."""
    return np.concatenate(
        [
            start + np.sort(rng.choice(size, count, replace=False))
            for start, size, count in parts
            if count
        ]
    )


def pieces(geometry: Geometry) -> Iterator[tuple[Any, NDArray[Any], slice]]:
    """Blocks of points, small enough to compare with all centroids, with clusters and rows."""
    if not isinstance(geometry, MomentGeometry):
        for first, last in blocks(geometry):
            place = slice(first, last)
            yield geometry.points[place], geometry.codes[place], place
        return
    rows = max(1, BLOCK // geometry.k)
    for points, codes in geometry.blocks():
        for at in range(0, len(codes), rows):
            yield points[at : at + rows], codes[at : at + rows], slice(0)
