"""Clusterings in the order of their numbers of clusters: what each takes from the one before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.ensemble.labelings import Labelings

# Levels, and clusters of a level, that are kept.
LEVELS, WIDE = 24, 60
# Different numbers of clusters that make a sweep of labelings.
SWEEP = 3


@dataclass(frozen=True)
class Level:
    """One clustering of a sweep, and what it takes from the one above.

    Parameters
    ----------
    name : object
        The clustering: a value of the sweep, or the name of a labeling.
    sizes : ndarray of int
        The number of objects in each cluster.
    shared : ndarray of int
        Objects of each cluster above (rows) that are in each cluster (columns); no rows for the
        first level.
    clusters : list, optional
        The names of the clusters, where they are known.
    stability : list of float, optional
        How stable each cluster is in samples, where that is known.
    """

    name: Any
    sizes: NDArray[np.int64]
    shared: NDArray[np.int64]
    clusters: list[Any] = field(default_factory=list)
    stability: list[float] = field(default_factory=list)


def in_order(counts: Sequence[int]) -> list[int]:
    """Return the positions of clusterings by their numbers of clusters, at most as many as drawn.

    Clusterings with very many clusters are left out where there are others.

    >>> in_order([5, 2, 900, 3])
    [1, 3, 0]
    """
    some = [i for i, count in enumerate(counts) if count <= WIDE] or list(range(len(counts)))
    return sorted(some, key=lambda i: counts[i])[:LEVELS]


def levels_of(
    read: Iterable[tuple[Any, NDArray[Any], int, list[Any], list[float]]],
) -> tuple[Level, ...]:
    """Return levels from (name, codes, number of clusters, their names, their stability).

    Codes below 0 are no clusters.
    """
    found: list[Level] = []
    above: NDArray[Any] | None = None
    for name, codes, count, clusters, stability in read:
        sizes = np.bincount(codes[codes >= 0], minlength=count)
        shared = np.zeros((len(found[-1].sizes) if found else 0, count), np.int64)
        if above is not None:
            both = (above >= 0) & (codes >= 0)
            cells = above[both].astype(np.int64) * count + codes[both]
            shared = np.bincount(cells, minlength=shared.size).reshape(shared.shape)
        found.append(Level(name, sizes, shared, clusters, stability))
        above = codes
    return tuple(found)


def sweep_of(labelings: Labelings) -> tuple[Level, ...]:
    """Return the levels of labelings with at least three different, not too large numbers."""
    counts = labelings.clusters.tolist()
    if len({count for count in counts if count <= WIDE}) < SWEEP:
        return ()
    return levels_of(
        # The codes are unsigned.
        (
            labelings.names[i],
            np.where(labelings.labelled(i), labelings.codes[i].astype(np.int64), -1),
            counts[i],
            [],
            [],
        )
        for i in in_order(counts)
    )
