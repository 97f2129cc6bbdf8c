"""Partitions near a given one: its nearest neighbours, and others at a given distance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import ParameterError
from clustervet.partition.codes import (
    LN2,
    Codes32,
    compress,
    entropy,
    meet,
    positions_by_code,
    split_cost,
)

if TYPE_CHECKING:
    from clustervet.partition.partition import Partition


class Neighbour(NamedTuple):
    """A nearest partition on one side, and its distance.

    Parameters
    ----------
    partition : Partition
        The nearest partition.
    vi : float
        Its variation of information, in bits.
    ties : int
        Number of other partitions that are equally near on that side.

    Examples
    --------
    >>> from clustervet.partition import Partition
    >>> Partition([0, 0, 1, 1]).nearest_neighbours().coarser.vi
    1.0
    """

    partition: Partition
    vi: float
    ties: int


class Neighbours(NamedTuple):
    """The nearest partition with more clusters, and the nearest one with fewer.

    Parameters
    ----------
    finer : Neighbour or None
        Nearest partition with more clusters; None if every object is alone.
    coarser : Neighbour or None
        Nearest partition with fewer clusters; None if there is one cluster.

    Examples
    --------
    >>> from clustervet.partition import Partition
    >>> found = Partition([0, 0, 1, 1]).nearest_neighbours()
    >>> found.nearest == found.finer
    True
    """

    finer: Neighbour | None
    coarser: Neighbour | None

    @property
    def nearest(self) -> Neighbour | None:
        """The nearer of both; no partition is nearer (Meilă 2007, Property 7)."""
        found = [side for side in self if side is not None]
        return min(found, key=lambda side: side.vi) if found else None


class Placed(NamedTuple):
    """A partition, and its distance from the one that it was asked of.

    Parameters
    ----------
    partition : Partition
        The partition found.
    vi : float
        Its variation of information from the start, in bits.

    Examples
    --------
    >>> from clustervet.partition import Partition
    >>> Partition.top(100).at_distance(0, random_state=0).vi
    0.0
    """

    partition: Partition
    vi: float


def finer(center: Partition) -> Neighbour | None:
    """Split one point off the smallest cluster that is not a singleton (Meilă 2007, eq. 28)."""
    sizes = center.sizes
    if center.k == center.n:
        return None
    size = int(sizes[sizes > 1].min())
    alike = np.flatnonzero(sizes == size)
    parts = np.zeros(size, np.int64)
    parts[-1] = 1
    choices = len(alike) * (1 if size == 2 else size)
    cost = float(split_cost(1, size - 1, center.n))
    return Neighbour(center.split(int(alike[0]), parts), cost, choices - 1)


def coarser(center: Partition) -> Neighbour | None:
    """Merge the two smallest clusters (Meilă 2007, after eq. 30)."""
    if center.k == 1:
        return None
    one, other = np.argsort(center.sizes, kind="stable")[:2]
    small, next_ = int(center.sizes[one]), int(center.sizes[other])
    same = int((center.sizes == next_).sum())
    choices = same * (same - 1) // 2 if small == next_ else same
    cost = float(split_cost(small, next_, center.n))
    return Neighbour(center.merge(int(one), int(other)), cost, choices - 1)


def leap(n: int) -> float:
    """Largest difference in bits between the VI asked for and the VI at which a walk ends.

    It is half of the largest change by one move. Moving a point changes n VI by at most
    2 (log n + 1 / ln 2), since x log x grows by at most log n + 1 / ln 2 from one x to the next.
    """
    return (math.log2(n) + 1 / LN2) / n + 1e-9


def labels_at(center: Partition, vi: float, rng: np.random.Generator) -> tuple[Codes32, int]:
    """Codes of a random partition within `leap` of this VI, and the number of clusters.

    Points move one by one, in random order, each to a random cluster (one of two, if there is only
    one cluster). If that does not lead far enough, they move on towards a partition that is about
    as far away as possible.
    """
    n, width = center.n, max(2, center.k)
    mixed = rng.integers(0, width, n)
    labels, gap = _walk(center, center.codes.astype(np.int64), mixed, vi, rng)
    if gap > leap(n):
        labels, gap = _walk(center, mixed, _far(center, rng) + width, vi, rng)
    if gap <= leap(n):
        return compress(labels, int(labels.max()) + 1)
    raise ParameterError(
        f"vi must be within reach: no partition was found {vi:.6g} bits away, and the farthest "
        f"one tried is {reach(center):.6g} bits away."
    )


def reach(center: Partition) -> float:
    """VI of the farthest partition that is tried, in bits."""
    return max(entropy(center.sizes), _across(center.sizes))


def _across(sizes: NDArray[np.int64]) -> float:
    """VI of a partition whose clusters share at most one point with each of the given ones."""
    n = int(sizes.sum())
    larger = np.searchsorted(np.sort(sizes), np.arange(int(sizes.max())), side="right")
    crossing = len(sizes) - larger
    return 2 * math.log2(n) - entropy(sizes) - entropy(crossing)


def _far(center: Partition, rng: np.random.Generator) -> NDArray[np.int64]:
    """One cluster, or the k-th points of all clusters in the k-th cluster, whichever is farther."""
    if entropy(center.sizes) >= _across(center.sizes):
        return np.zeros(center.n, np.int64)
    shuffled = rng.permutation(center.n)
    order = shuffled[positions_by_code(center.codes[shuffled], center.sizes)]
    starts = np.cumsum(center.sizes) - center.sizes
    labels = np.empty(center.n, np.int64)
    labels[order] = np.arange(center.n) - np.repeat(starts, center.sizes)
    return labels


def _walk(
    center: Partition,
    source: NDArray[np.int64],
    target: NDArray[np.int64],
    vi: float,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], float]:
    """Labels on the way from source to target whose VI is nearest to `vi`, and the difference."""
    from clustervet import _kernels

    n = center.n
    both = np.concatenate([source, target])
    labels, used = compress(both, int(both.max()) + 1)
    cells, found = meet(np.tile(center.codes, 2), labels, center.k, used)
    counts = np.bincount(cells[:n], minlength=found), np.bincount(labels[:n], minlength=used)
    start = n * LN2 * (2 * entropy(_some(counts[0])) - entropy(_some(counts[1])))
    start -= n * LN2 * entropy(center.sizes)
    order = rng.permutation(n)
    step, gap = _kernels.walk(
        order, cells[:n], cells[n:], labels[:n], labels[n:], *counts, start, n * LN2 * vi
    )
    moved = source.copy()
    moved[order[:step]] = target[order[:step]]
    return moved, gap / (n * LN2)


def _some(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return counts[counts > 0]
