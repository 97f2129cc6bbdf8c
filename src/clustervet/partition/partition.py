"""`Partition`: one clustering, independent of its labels."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any, Self

import numpy as np

from clustervet._checks import generator, is_number, is_whole, whole
from clustervet.errors import LabelError, ParameterError
from clustervet.labels.keyed import is_keyed, ordered_as
from clustervet.partition import draw, neighbours
from clustervet.partition.base import Element
from clustervet.partition.codes import compress, variation
from clustervet.partition.geodesic import Geodesic
from clustervet.partition.neighbours import Neighbours, Placed

# Enumerations of more objects, or of more splits, are refused.
MOST_OBJECTS = 12
MOST_SPLITS = 2**20


class Partition(Element):
    """One clustering as canonical codes 0, 1, ... by first appearance; it never changes.

    Parameters
    ----------
    labels : array_like, mapping, list of sets or Partition
        Label of each object, of any kind: a sequence, the clustering of a fitted estimator or of
        igraph, or labels by the name of the object, as {object: label} or as groups of objects,
        such as communities of networkx.
    noise : label, str or dict, optional
        Label that means noise, a policy for the label -1, or a policy per label.
    noise_policy : {'keep', 'drop', 'singletons'}, optional
        What to do with noise. By default it is kept as one more cluster. Dropped objects are not
        counted.
    missing : {'raise', 'drop', 'class'}, default 'raise'
        What to do with missing labels.

    Raises
    ------
    LabelError
        If the labels cannot be read, groups overlap, or no object is left.
    ParameterError
        If a policy is unknown.

    Notes
    -----
    Partitions with the same clusters are equal and have the same hash, whatever their labels were.
    `p <= q` means that p refines q; `p & q` is the meet and `p | q` the join. Every function that
    takes labels takes a partition.

    If labels are by the name of the object, so is the partition: `objects` has the names in the
    order in which they were given, which is the order of `codes`, `labels` and `blocks`. It is
    compared with other partitions and labels by these names; the order of the objects does not
    matter. With labels that go by position it is refused, and it equals no partition of them.

    Examples
    --------
    >>> p, q = Partition(["a", "a", "b", "c"]), Partition([7, 7, 7, 1])
    >>> p
    Partition({0, 1}, {2}, {3})
    >>> p <= q, p & q == p, p | q
    (True, True, Partition({0, 1, 2}, {3}))
    >>> Partition({"x": 0, "y": 0, "z": 1}).join([{"z"}, {"y"}, {"x"}])
    Partition({'x', 'y'}, {'z'})
    """

    @classmethod
    def top(cls, n: int) -> Self:
        """Return the coarsest partition: all objects in one cluster.

        Parameters
        ----------
        n : int
            Number of objects, at least 1.

        Returns
        -------
        Partition
            One cluster of n objects.

        Raises
        ------
        ParameterError
            If n is not a whole number of at least 1.

        Examples
        --------
        >>> Partition.top(3)
        Partition({0, 1, 2})
        """
        return cls._of(np.zeros(whole(n, "n", 1), np.int32), 1)

    @classmethod
    def bottom(cls, n: int) -> Self:
        """Return the finest partition: each object alone.

        Parameters
        ----------
        n : int
            Number of objects, at least 1.

        Returns
        -------
        Partition
            Partition into n clusters of one object.

        Raises
        ------
        ParameterError
            If n is not a whole number of at least 1.

        Examples
        --------
        >>> Partition.bottom(3)
        Partition({0}, {1}, {2})
        """
        return cls._of(np.arange(whole(n, "n", 1), dtype=np.int32), n)

    @classmethod
    def uniform(cls, n: int, k: int) -> Self:
        """Cut a row of objects into clusters whose sizes differ by at most one.

        Parameters
        ----------
        n : int
            Number of objects, at least 1.
        k : int
            Number of clusters, from 1 to n.

        Returns
        -------
        Partition
            The first objects are in the first cluster, and so on.

        Raises
        ------
        ParameterError
            If n or k is not a whole number in its range.

        Examples
        --------
        >>> Partition.uniform(7, 3).sizes
        array([3, 2, 2])
        """
        k = whole(k, "k", 1, whole(n, "n", 1))
        return cls._of((np.arange(n, dtype=np.int64) * k // n).astype(np.int32), k)

    @classmethod
    def random(cls, n: int, random_state: Any = None, k: int | None = None) -> Self:
        """Draw a partition; all partitions are equally likely.

        Parameters
        ----------
        n : int
            Number of objects, at least 1.
        random_state : int, Generator or None, optional
            Seed.
        k : int, optional
            Number of clusters; by default any number.

        Returns
        -------
        Partition
            Random partition of n objects (into k clusters).

        Raises
        ------
        ParameterError
            If a parameter is not a whole number in its range.

        Notes
        -----
        A random number of urns makes all partitions equally likely (Stam 1983).

        Examples
        --------
        >>> Partition.random(6, 1).n, Partition.random(6, 1, k=2).k
        (6, 2)
        """
        rng = generator(random_state)
        if k is None:
            labels = draw.any_labels(whole(n, "n", 1), rng)
        else:
            labels = draw.labels_onto(n, whole(k, "k", 1, whole(n, "n", 1)), rng)
        return cls._from(*compress(labels, int(labels.max()) + 1))

    @classmethod
    def all(cls, n: int, k: int | None = None) -> Iterator[Self]:
        """Return an iterator over all partitions of n objects.

        Parameters
        ----------
        n : int
            Number of objects, from 1 to 12.
        k : int, optional
            Number of clusters; by default any number.

        Returns
        -------
        iterator of Partition
            Every partition (into k clusters) once.

        Raises
        ------
        ParameterError
            If n is larger than 12, or a parameter is not a whole number in its range.

        Examples
        --------
        >>> len(list(Partition.all(4))), len(list(Partition.all(4, k=2)))
        (15, 7)
        """
        if whole(n, "n", 1) > MOST_OBJECTS:
            raise ParameterError(
                f"n must be at most {MOST_OBJECTS} to list all partitions, not {n:,}."
            )
        if k is not None:
            whole(k, "k", 1, n)
        strings = draw.growth_strings(n, k)
        return (cls._of(np.array(codes, np.int32), max(codes) + 1) for codes in strings)

    @staticmethod
    def count(n: int, k: int | None = None) -> int:
        """Count the partitions of n objects, exactly.

        Parameters
        ----------
        n : int
            Number of objects, at least 0.
        k : int, optional
            Number of clusters; by default any number.

        Returns
        -------
        int
            Bell's number of n, or Stirling's number of the second kind of n and k.

        Raises
        ------
        ParameterError
            If a parameter is not a whole number of at least 0.

        Notes
        -----
        These are the sizes of the lattice and of its levels (Meilă 2007, §1).

        Examples
        --------
        >>> Partition.count(4), Partition.count(4, 2), Partition.count(25)
        (15, 7, 4638590332229999353)
        """
        n = whole(n, "n", 0)
        return draw.bell(n) if k is None else draw.stirling(n, whole(k, "k", 0))

    def split(self, cluster: int, parts: Any) -> Partition:
        """Divide one cluster.

        Parameters
        ----------
        cluster : int
            Code of the cluster.
        parts : int or array_like
            Number of parts, which cuts the row of its objects into parts whose sizes differ by at
            most one; or one label per object of the cluster, in their order.

        Returns
        -------
        Partition
            Partition with the cluster divided.

        Raises
        ------
        ParameterError
            If there is no such cluster, or the number of parts is out of range.
        LabelError
            If the number of labels differs from the size of the cluster.

        Notes
        -----
        See Meilă 2007, Property 5, for the VI of a split.

        Examples
        --------
        >>> Partition.top(5).split(0, 2)
        Partition({0, 1, 2}, {3, 4})
        >>> Partition.top(4).split(0, ["x", "y", "x", "y"])
        Partition({0, 2}, {1, 3})
        """
        members = np.flatnonzero(self._codes == whole(cluster, "cluster", 0, self._k - 1))
        if is_whole(parts):
            parts = self.uniform(len(members), parts)
        if is_keyed(parts):
            parts = ordered_as(self.restrict(members).objects, parts, ("the cluster", "the parts"))
        inside = Partition(parts)
        if inside.n != len(members):
            raise LabelError(
                f"cluster {cluster} has {len(members):,} objects, and there are {inside.n:,} "
                "labels to split it by."
            )
        moved = inside._codes > 0  # the first part stays where it is
        codes = self._codes.copy()
        codes[members[moved]] = self._k - 1 + inside._codes[moved]
        return self._alike(codes, self._k + inside._k - 1)

    def merge(self, *clusters: int) -> Partition:
        """Merge two or more clusters into one.

        Parameters
        ----------
        *clusters : int
            Codes of the clusters, at least two different ones.

        Returns
        -------
        Partition
            Partition with the clusters merged.

        Raises
        ------
        ParameterError
            If there is no such cluster, or fewer than two are given.

        Examples
        --------
        >>> Partition([0, 1, 2, 2]).merge(0, 2)
        Partition({0, 2, 3}, {1})
        """
        chosen = sorted({whole(cluster, "cluster", 0, self._k - 1) for cluster in clusters})
        if len(chosen) < 2:
            raise ParameterError("merge needs at least two different clusters.")
        first = np.arange(self._k)
        first[chosen[1:]] = chosen[0]
        # The smallest code of each new cluster appears in rising order, so the codes are canonical.
        _, into = np.unique(first, return_inverse=True)
        codes = into.astype(np.int32)[self._codes]
        return self._of(codes, self._k - len(chosen) + 1, objects=self._objects)

    def covers_above(self) -> Iterator[Partition]:
        """Return an iterator over the partitions that merge two clusters.

        Returns
        -------
        iterator of Partition
            The partitions directly above this one in the lattice.

        Examples
        --------
        >>> list(Partition([0, 0, 1, 2]).covers_above())[0]
        Partition({0, 1, 2}, {3})
        """
        return (self.merge(a, b) for a, b in combinations(range(self._k), 2))

    def covers_below(self) -> Iterator[Partition]:
        """Return an iterator over the partitions that split one cluster in two.

        Returns
        -------
        iterator of Partition
            The partitions directly below this one in the lattice.

        Raises
        ------
        ParameterError
            If there are more than about a million of them.

        Notes
        -----
        There are 2^(size - 1) - 1 of them per cluster.

        Examples
        --------
        >>> len(list(Partition.top(4).covers_below()))
        7
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
                yield self._alike(codes, self._k + 1)

    def nearest_neighbours(self) -> Neighbours:
        """Find the nearest partitions under VI that have more and fewer clusters.

        Returns
        -------
        Neighbours
            `finer` and `coarser`, each with its distance in bits and the number of ties; None where
            there is no such partition.

        Notes
        -----
        `finer` splits one point off the smallest cluster that is not a singleton, `coarser` merges
        the two smallest clusters (Meilă 2007, Property 7 and eq. 28). Of several that are equally
        near the first is returned, and `ties` counts the others.

        Examples
        --------
        >>> Partition([0, 0, 1, 1]).nearest_neighbours().finer
        Neighbour(partition=Partition({0}, {1}, {2, 3}), vi=0.5, ties=1)
        """
        return Neighbours(neighbours.finer(self), neighbours.coarser(self))

    def geodesic(self, other: Any) -> Geodesic:
        """Return a shortest path to another partition under VI, through the meet.

        Parameters
        ----------
        other : Partition, array_like, mapping or groups
            Partition, or labels, of the same objects.

        Returns
        -------
        Geodesic
            Sequence of partitions with the VI of each step.

        Raises
        ------
        LabelError
            If the other partition is of other objects, or only one of both names its objects.

        Notes
        -----
        Each step splits a cluster in two, down to the meet, or merges two, up from it. The VI of
        the steps adds up to the VI of both ends (Meilă 2007, Property 6).

        Examples
        --------
        >>> line = Partition([0, 0, 1, 1]).geodesic([0, 0, 0, 1])
        >>> list(line)
        [Partition({0, 1}, {2, 3}), Partition({0, 1}, {2}, {3}), Partition({0, 1, 2}, {3})]
        >>> line.lengths.round(6), line.turn
        (array([0.5     , 0.688722]), 1)
        """
        return Geodesic(self, self._same_objects(other), self._alike)

    def at_distance(self, vi: float, random_state: Any = None) -> Placed:
        """Draw a random partition at about the given distance.

        Parameters
        ----------
        vi : float
            Variation of information in bits, at least 0.
        random_state : int, Generator or None, optional
            Seed.

        Returns
        -------
        Placed
            The partition and its VI, which is within (log2 n + 1.45) / n bits of what is asked.

        Raises
        ------
        ParameterError
            If `vi` is not a number of at least 0, or no partition that far away is found.

        Notes
        -----
        Points move one by one, in random order, to clusters drawn at random, until the VI is
        nearest to what is asked. If that does not lead far enough, they move on towards a partition
        that is about as far away as possible.

        Examples
        --------
        >>> start = Partition.uniform(1_000, 5)
        >>> found = start.at_distance(0.5, random_state=0)
        >>> abs(found.vi - 0.5) < 0.012, found.partition.k
        (True, 5)
        """
        if not is_number(vi) or not 0 <= vi < np.inf:
            raise ParameterError(f"vi must be a number of bits of at least 0, not {vi!r}.")
        labels, clusters = neighbours.labels_at(self, float(vi), generator(random_state))
        found = self._alike(labels, clusters)
        return Placed(found, variation(self._codes, found._codes, self._k, found._k))
