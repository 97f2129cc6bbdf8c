"""What a selection is given: features by their fingerprint, and numbers of clusters."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from clustervet.errors import ParameterError
from clustervet.geometry.points import is_sparse
from clustervet.pacmdl.description import whole

DEFAULT_CLUSTERS = range(2, 21)
# Bytes that are digested at a time.
BLOCK = 2**24


def digest(points: Any) -> str:
    """A fingerprint of the features, by which a journal knows them again."""
    found = hashlib.sha256()
    parts = [points.data, points.indices, points.indptr] if is_sparse(points) else [points]
    for part in parts:
        wide = part.astype(np.int64, copy=False) if part.dtype.kind == "i" else part
        found.update(f"{wide.dtype.str} {wide.shape} ".encode())
        flat = np.ascontiguousarray(wide).reshape(-1).view(np.uint8)
        for first in range(0, len(flat), BLOCK):
            found.update(flat[first : first + BLOCK].data)
    return found.hexdigest()


def read_clusters(clusters: Any, points: int) -> tuple[int, ...]:
    """Numbers of clusters in rising order, each once; the usual ones end before the points do."""
    if clusters is DEFAULT_CLUSTERS or clusters == DEFAULT_CLUSTERS:
        clusters = range(2, min(DEFAULT_CLUSTERS.stop, max(points, 3)))
    if isinstance(clusters, str | bytes) or not isinstance(clusters, Iterable):
        clusters = [clusters]
    numbers = sorted({whole(number, "clusters", 1) for number in clusters})
    if not numbers:
        raise ParameterError("clusters is empty; give at least one number of clusters.")
    if numbers[-1] > points:
        raise ParameterError(
            f"clusters asks for {numbers[-1]:,} clusters, which is more than the {points:,} points."
        )
    return tuple(numbers)
