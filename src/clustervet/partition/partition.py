"""`Partition`: one clustering, whatever its labels."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any, Self

import numpy as np

from clustervet.errors import LabelError, ParameterError
from clustervet.partition import draw, neighbours
from clustervet.partition.base import Element
from clustervet.partition.codes import compress
from clustervet.partition.counts import bell, is_whole, stirling, whole
from clustervet.partition.geodesic import Geodesic
from clustervet.partition.information import variation
from clustervet.partition.neighbours import Neighbours, Placed

# Enumerations are refused beyond this many objects, and beyond this many splits.
MOST_OBJECTS = 12
MOST_SPLITS = 2**20


class Partition(Element):
    """A clustering as such: codes 0, 1, ... by first appearance, never changed.

    Made from labels of any kind; `missing` and `noise` are as in `Contingency.from_labels`,
    and objects that they drop are not counted. Equal partitions are equal and hash alike,
    whatever their labels were. `p <= q` says that p refines q, `p & q` is the meet, `p | q` the
    join. Every function that takes labels takes a partition.

    >>> p, q = Partition(["a", "a", "b", "c"]), Partition([7, 7, 7, 1])
    >>> p
    Partition({0, 1}, {2}, {3})
    >>> p <= q, p & q == p, p | q
    (True, True, Partition({0, 1, 2}, {3}))
    """

    @classmethod
    def top(cls, n: int) -> Self:
        """All of n objects in one cluster, the coarsest partition."""
        return cls._of(np.zeros(whole(n, "n", 1), np.int32), 1)

    @classmethod
    def bottom(cls, n: int) -> Self:
        """Each of n objects alone, the finest partition."""
        return cls._of(np.arange(whole(n, "n", 1), dtype=np.int32), n)

    @classmethod
    def uniform(cls, n: int, k: int) -> Self:
        """Objects in a row cut into k clusters whose sizes differ by at most one.

        >>> Partition.uniform(7, 3).sizes
        array([3, 2, 2])
        """
        _check_clusters(whole(n, "n", 1), k)
        return cls._of((np.arange(n, dtype=np.int64) * k // n).astype(np.int32), int(k))

    @classmethod
    def random(cls, n: int, random_state: Any = None, k: int | None = None) -> Self:
        """One of all partitions of n objects (into k clusters), each equally likely.

        >>> Partition.random(6, 1).n, Partition.random(6, 1, k=2).k
        (6, 2)
        """
        rng = draw.generator(random_state)
        if k is None:
            labels = draw.any_labels(whole(n, "n", 1), rng)
        else:
            _check_clusters(whole(n, "n", 1), k)
            labels = draw.labels_onto(n, k, rng)
        return cls._from(*compress(labels, int(labels.max()) + 1))

    @classmethod
    def all(cls, n: int, k: int | None = None) -> Iterator[Self]:
        """Every partition of n objects (into k clusters) once, up to n = 12.

        >>> len(list(Partition.all(4))), len(list(Partition.all(4, k=2)))
        (15, 7)
        """
        if whole(n, "n", 1) > MOST_OBJECTS:
            raise ParameterError(
                f"n must be at most {MOST_OBJECTS} to list all partitions, not {n:,}."
            )
        if k is not None:
            _check_clusters(n, k)
        strings = draw.growth_strings(n, k)
        return (cls._of(np.array(codes, np.int32), max(codes) + 1) for codes in strings)

    @staticmethod
    def count(n: int, k: int | None = None) -> int:
        """How many partitions n objects have (into k clusters), exactly (Meilă 2007, §1).

        >>> Partition.count(4), Partition.count(4, 2), Partition.count(25)
        (15, 7, 4638590332229999353)
        """
        n = whole(n, "n", 0)
        return bell(n) if k is None else stirling(n, whole(k, "k", 0))

    def split(self, cluster: int, parts: Any) -> Partition:
        """One cluster divided (Meilă 2007, Property 5) into so many parts, or by labels.

        Labels are one for each of its objects, in their order; a number cuts the objects in a
        row into parts whose sizes differ by at most one.

        >>> Partition.top(5).split(0, 2)
        Partition({0, 1, 2}, {3, 4})
        >>> Partition.top(4).split(0, ["x", "y", "x", "y"])
        Partition({0, 2}, {1, 3})
        """
        members = np.flatnonzero(self._codes == self._cluster(cluster))
        if is_whole(parts):
            parts = self.uniform(len(members), parts)
        inside = Partition(parts)
        if inside.n != len(members):
            raise LabelError(
                f"cluster {cluster} has {len(members):,} objects, and there are {inside.n:,} "
                "labels to split it by."
            )
        moved = inside._codes > 0  # the first part stays where it is
        codes = self._codes.copy()
        codes[members[moved]] = self._k - 1 + inside._codes[moved]
        return self._from(codes, self._k + inside._k - 1)

    def merge(self, *clusters: int) -> Partition:
        """Two or more clusters made one.

        >>> Partition([0, 1, 2, 2]).merge(0, 2)
        Partition({0, 2, 3}, {1})
        """
        chosen = sorted({self._cluster(cluster) for cluster in clusters})
        if len(chosen) < 2:
            raise ParameterError("merge needs at least two different clusters.")
        first = np.arange(self._k)
        first[chosen[1:]] = chosen[0]
        # Clusters are numbered by their first codes, which appear in their order.
        _, into = np.unique(first, return_inverse=True)
        return self._of(into.astype(np.int32)[self._codes], self._k - len(chosen) + 1)

    def covers_above(self) -> Iterator[Partition]:
        """Each partition that merges two clusters: those next above in the lattice."""
        return (self.merge(a, b) for a, b in combinations(range(self._k), 2))

    def covers_below(self) -> Iterator[Partition]:
        """Each partition that splits one cluster in two: those next below in the lattice.

        They are 2^(size - 1) - 1 a cluster, and refused beyond about a million of them.
        """
        splits = sum(2 ** (size - 1) - 1 for size in self.sizes.tolist())
        if splits > MOST_SPLITS:
            raise ParameterError(
                f"there are too many ways to split these clusters in two: more than {MOST_SPLITS:,}"
                f", the largest having {int(self.sizes.max()):,} objects."
            )
        return self._splits()

    def _splits(self) -> Iterator[Partition]:
        for members in self.blocks():
            rest = members[1:].tolist()
            for chosen in range(1, 2 ** len(rest)):
                codes = self._codes.copy()
                codes[[at for bit, at in enumerate(rest) if chosen >> bit & 1]] = self._k
                yield self._from(codes, self._k + 1)

    def nearest_neighbours(self) -> Neighbours:
        """The nearest partitions under VI on either side, with their distances in bits.

        `finer` splits one point off the smallest cluster that is not a singleton, `coarser`
        merges the two smallest (Meilă 2007, Property 7 and eq. 28); a side that does not exist
        is None. Of several that are as near the first is taken, and `ties` counts the others.

        >>> Partition([0, 0, 1, 1]).nearest_neighbours().finer
        Neighbour(partition=Partition({0}, {1}, {2, 3}), vi=0.5, ties=1)
        """
        return Neighbours(neighbours.finer(self), neighbours.coarser(self))

    def geodesic(self, other: Any) -> Geodesic:
        """A straight line to another partition under VI, through the meet.

        Each step splits a cluster in two, down to the meet, or merges two, up from it; the
        steps' VI add up to the VI of both ends (Meilă 2007, Property 6).

        >>> line = Partition([0, 0, 1, 1]).geodesic([0, 0, 0, 1])
        >>> list(line)
        [Partition({0, 1}, {2, 3}), Partition({0, 1}, {2}, {3}), Partition({0, 1, 2}, {3})]
        >>> line.lengths.round(6), line.turn
        (array([0.5     , 0.688722]), 1)
        """
        return Geodesic(self, self._same_objects(other), self._from)

    def at_distance(self, vi: float, random_state: Any = None) -> Placed:
        """A random partition about as far away as asked, and how far it is, in bits.

        Points move one by one, in random order, to clusters drawn at random, until the VI comes
        nearest to what is asked; beyond the reach of that they move on to a partition about as
        far away as any. The VI is within (log2 n + 1.45) / n bits of what is asked.

        >>> start = Partition.uniform(1_000, 5)
        >>> found = start.at_distance(0.5, random_state=0)
        >>> abs(found.vi - 0.5) < 0.012, found.partition.k
        (True, 5)
        """
        real = isinstance(vi, int | float | np.integer | np.floating)
        if isinstance(vi, bool) or not real or not 0 <= vi < np.inf:
            raise ParameterError(f"vi must be a number of bits from 0 on, not {vi!r}.")
        labels, clusters = neighbours.labels_at(self, float(vi), draw.generator(random_state))
        found = self._from(labels, clusters)
        return Placed(found, variation(self._codes, found._codes, self._k, found._k))

    def _cluster(self, cluster: int) -> int:
        code = whole(cluster, "a cluster", 0)
        if code >= self._k:
            raise ParameterError(
                f"a cluster is a code below {self._k:,}, the number of clusters, not {code:,}."
            )
        return code


def _check_clusters(n: int, k: Any) -> None:
    if whole(k, "k", 1) > n:
        raise ParameterError(f"k must be at most {n:,}, the number of objects, not {k:,}.")
