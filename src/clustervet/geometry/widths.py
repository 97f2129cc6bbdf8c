"""Silhouettes of points: the own cluster compared with the nearest other one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from clustervet.geometry.geometry import Geometry

Floats = NDArray[np.float64]
# Largest number of values of a block of points × clusters.
BLOCK = 2**22


def all_widths(geometry: Geometry) -> tuple[Floats, NDArray[np.int32]]:
    """Every point's silhouette and nearest other cluster, in the order given."""
    if "silhouettes" not in geometry.memory:
        if geometry.metric.squares:
            found = _squared(geometry)
        else:
            sums = geometry.pair_sums
            sizes = geometry.sizes[geometry.sorted_codes]
            widths = np.empty(geometry.rows)
            widths[geometry.order] = _compare(sums.own, sums.nearest, sizes)
            nearest = np.empty(geometry.rows, np.int32)
            nearest[geometry.order] = sums.which
            found = widths, nearest
        geometry.memory["silhouettes"] = found
    return geometry.memory["silhouettes"]  # type: ignore[no-any-return]  # set above


def _squared(geometry: Geometry) -> tuple[Floats, NDArray[np.int32]]:
    """Silhouettes under squared distances, in time points × clusters × features."""
    parts = []
    for first, last in blocks(geometry):
        sums = geometry.squared.of(np.arange(first, last))
        parts.append(widths_of(geometry, geometry.codes[first:last], sums / geometry.sizes, sums))
    widths, nearest = zip(*parts, strict=True)
    return np.concatenate(widths), np.concatenate(nearest)


def blocks(geometry: Geometry) -> list[tuple[int, int]]:
    """Return ranges of points that are small enough to compare with all clusters."""
    rows = max(1, BLOCK // geometry.k)
    return [(at, min(geometry.rows, at + rows)) for at in range(0, geometry.rows, rows)]


def widths_of(
    geometry: Geometry, codes: NDArray[Any], means: Floats, own: Floats
) -> tuple[Floats, NDArray[np.int32]]:
    """Silhouettes and nearest clusters of points from their distances to all clusters.

    `own` holds the distances to their own cluster: sums, or distances to centroids.
    """
    rows = np.arange(len(codes))
    inside = own[rows, codes]
    others = means.copy()
    others[rows, codes] = np.inf
    nearest = others.argmin(axis=1).astype(np.int32)
    sizes = geometry.sizes[codes]
    if own is means:  # distances to centroids, which are means already
        inside = inside * (sizes - 1)
    return _compare(inside, others[rows, nearest], sizes), nearest


def _compare(sums: Floats, nearest: Floats, sizes: NDArray[Any]) -> Floats:
    """(b - a) / max(a, b), 0 for a point alone and where both distances are 0."""
    several = sizes > 1
    inside = sums / np.where(several, sizes - 1, 1)
    scale = np.maximum(inside, nearest)
    defined = several & (scale > 0)
    return np.where(defined, (nearest - inside) / np.where(defined, scale, 1), 0.0)
