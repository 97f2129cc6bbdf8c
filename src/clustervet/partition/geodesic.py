"""The geodesic between two partitions: down to their meet by splits, then up by merges."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet.partition.codes import owners, split_cost

if TYPE_CHECKING:
    from clustervet.partition.partition import Partition


class Descent(NamedTuple):
    """A path down to a refinement; each step splits one cluster in two.

    The part that is split off is a cluster of the refinement. `rank` is the step at which each part
    is split off (0 for the parts that are left over), `rest` the part where it was before.
    """

    rank: NDArray[np.int64]
    rest: NDArray[np.int64]
    lengths: NDArray[np.float64]

    def groups(self, step: int) -> NDArray[np.int64]:
        """The cluster of each part after `step` splits."""
        return np.where(self.rank <= step, np.arange(len(self.rank)), self.rest)


def descend(coarse: Partition, fine: Partition) -> Descent:
    """Split the clusters in their order: all parts but the first are split off."""
    owner = owners(fine.codes, coarse.codes, fine.k)
    order = np.argsort(owner, kind="stable")
    opens = np.flatnonzero(np.diff(owner[order], prepend=-1))
    counts = np.diff(opens, append=fine.k)
    rest = np.empty(fine.k, np.int64)
    rest[order] = np.repeat(order[opens], counts)
    splits = np.ones(fine.k, np.bool_)
    splits[opens] = False
    rank = np.zeros(fine.k, np.int64)
    rank[order[splits]] = np.arange(1, fine.k - coarse.k + 1)
    # What is left of a cluster before a split: its size minus the parts that were split off.
    sizes = fine.sizes[order]
    gone = np.where(splits, sizes, 0)
    before = np.cumsum(gone) - gone
    before -= np.repeat(before[opens], counts)
    left = (coarse.sizes[owner[order]] - before - sizes)[splits]
    return Descent(rank, rest, split_cost(sizes[splits], left, fine.n))


class Geodesic(Sequence["Partition"]):
    """Partitions from one to another through their meet, each a neighbour of the one before.

    Each step splits a cluster in two or merges two clusters. Partitions are made when they are
    asked for.

    Parameters
    ----------
    start : Partition
        First partition.
    end : Partition
        Last partition, of the same objects.
    make : callable
        Function that makes a partition from codes and the number of clusters.

    Attributes
    ----------
    meet : Partition
        Meet of both ends.
    turn : int
        Position of the meet in the sequence.

    Notes
    -----
    The VI of the steps adds up to the VI of the ends (Meilă 2007, Property 6).

    Examples
    --------
    >>> from clustervet.partition import Partition
    >>> Partition([0, 0, 1, 1]).geodesic([0, 1, 1, 1])
    Geodesic of 3 partitions over 1.18872 bits
    """

    def __init__(
        self, start: Partition, end: Partition, make: Callable[[NDArray[Any], int], Partition]
    ) -> None:
        self.start, self.end, self.meet = start, end, start.meet(end)
        self._make = make
        self._down = descend(start, self.meet)
        self._up = descend(end, self.meet)
        self.turn = len(self._down.lengths)

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """VI of each step, in bits."""
        return np.concatenate([self._down.lengths, self._up.lengths[::-1]])

    @property
    def total(self) -> float:
        """VI of the ends, in bits."""
        return math.fsum(self.lengths.tolist())

    def __len__(self) -> int:
        return len(self.lengths) + 1

    def __getitem__(self, index: Any) -> Any:
        places = range(len(self))[index]
        if isinstance(places, range):
            return [self[place] for place in places]
        if places in (0, self.turn, len(self) - 1):
            return {len(self) - 1: self.end, self.turn: self.meet, 0: self.start}[places]
        down = places < self.turn
        side, step = (self._down, places) if down else (self._up, len(self) - 1 - places)
        clusters = (self.start if down else self.end).k + step
        used, groups = np.unique(side.groups(step), return_inverse=True)
        assert len(used) == clusters  # each split adds one
        return self._make(groups[self.meet.codes], clusters)

    def __repr__(self) -> str:
        return f"Geodesic of {len(self):,} partitions over {self.total:.6g} bits"
