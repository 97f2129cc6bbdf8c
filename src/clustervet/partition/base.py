"""The base class of `Partition`: codes that never change, and the order of the lattice."""

from __future__ import annotations

from functools import cached_property
from itertools import compress
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import LabelError, ParameterError
from clustervet.labels import consecutive, encode_one, plain_label
from clustervet.labels.keyed import ordered_as, paired, show_object
from clustervet.labels.pair import Missing, NoisePolicy
from clustervet.partition import codes as lattice

# The names of the objects, where they have names.
Objects = tuple[Any, ...] | None
# Up to this many objects are shown one by one; beyond, this many sizes are shown.
OBJECTS = 12
SIZES = 8


class Element:
    """An element of the lattice of partitions: canonical codes, order, meet and join."""

    _codes: lattice.Codes32
    _k: int
    _names: Any
    _objects: Objects

    def __init__(
        self,
        labels: Any,
        *,
        noise: Any = None,
        noise_policy: NoisePolicy | None = None,
        missing: Missing = "raise",
    ) -> None:
        if isinstance(labels, Element):
            if noise is None and noise_policy is None:  # nothing is missing in a partition
                self._set(labels._codes, labels._k, labels._names, labels._objects)
                return
            labels = labels.labels if labels._objects is None else labels.by_object()
        objects, (labels,) = paired([("labels", labels)])
        side, kept = encode_one(labels, noise=noise, noise_policy=noise_policy, missing=missing)
        numbered, values = consecutive(side)
        codes, order = lattice.canonical(numbered, len(values))
        if objects is not None and kept is not None:
            objects = tuple(compress(objects, kept.tolist()))
        self._set(codes, len(values), side.restore(values[order]), objects)

    def _set(
        self, codes: lattice.Codes32, clusters: int, names: Any, objects: Objects = None
    ) -> None:
        codes.flags.writeable = False
        self.__dict__.update(_codes=codes, _k=clusters, _names=names, _objects=objects)

    @classmethod
    def _of(
        cls, codes: lattice.Codes32, clusters: int, names: Any = None, objects: Objects = None
    ) -> Self:
        """Make an element from canonical codes."""
        made = object.__new__(cls)
        made._set(codes, clusters, names, objects)
        return made

    @classmethod
    def _from(cls, codes: NDArray[Any], clusters: int, objects: Objects = None) -> Self:
        """Make an element from codes 0..clusters - 1, all in use, in any order."""
        return cls._of(lattice.canonical(codes, clusters)[0], clusters, objects=objects)

    def _alike(self, codes: NDArray[Any], clusters: int) -> Self:
        """Make an element of the same objects from codes in any order."""
        return self._from(codes, clusters, self._objects)

    @property
    def codes(self) -> lattice.Codes32:
        """Code of each object's cluster, numbered by first appearance; read-only."""
        return self._codes

    @property
    def n(self) -> int:
        """Number of objects."""
        return len(self._codes)

    @property
    def k(self) -> int:
        """Number of clusters."""
        return self._k

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of objects in each cluster."""
        sizes = lattice.sizes_of(self._codes, self._k)
        sizes.flags.writeable = False
        return sizes

    @property
    def names(self) -> list[Any]:
        """Label of each cluster as it was given, or its code."""
        given = range(self._k) if self._names is None else self._names
        return [plain_label(name) for name in given]

    @property
    def labels(self) -> NDArray[Any]:
        """Label of each object as it was given, or the code of its cluster."""
        if self._names is None:
            return self._codes
        if isinstance(self._names, np.ndarray):
            return self._names[self._codes]
        return np.fromiter(self._names, object, self._k)[self._codes]

    @property
    def objects(self) -> Objects:
        """Names of the objects, in the order of all arrays; None if labels were given in order."""
        return self._objects

    def by_object(self) -> dict[Any, Any]:
        """Return the label of each object by the name of the object.

        Returns
        -------
        dict
            Labels as they were given, or codes. Objects without names have their positions.

        Examples
        --------
        >>> from clustervet.partition import Partition
        >>> Partition([{"x", "y"}, {"z"}]).meet({"z": 0, "y": 0, "x": 1}).by_object()["z"]
        2
        >>> Partition(["a", "b", "a"]).by_object()
        {0: 'a', 1: 'b', 2: 'a'}
        """
        names = self.names
        keys = range(self.n) if self._objects is None else self._objects
        return {key: names[code] for key, code in zip(keys, self._codes.tolist(), strict=True)}

    def blocks(self) -> list[NDArray[np.int64]]:
        """Return the positions of the objects in each cluster.

        Returns
        -------
        list of ndarray
            One array per cluster, with rising positions.

        Examples
        --------
        >>> from clustervet.partition import Partition
        >>> [block.tolist() for block in Partition(["a", "b", "a"]).blocks()]
        [[0, 2], [1]]
        """
        order = lattice.positions_by_code(self._codes, self.sizes)
        return np.split(order, np.cumsum(self.sizes)[:-1])

    def _named_blocks(self) -> list[list[Any]]:
        """The objects in each cluster, by their names or else their positions."""
        blocks = [block.tolist() for block in self.blocks()]
        if self._objects is None:
            return blocks
        return [[self._objects[place] for place in block] for block in blocks]

    def meet(self, *others: Any) -> Self:
        """Return the coarsest partition that refines this one and all others.

        Parameters
        ----------
        *others : Partition, array_like, mapping or groups
            Partitions, or labels, of the same objects; paired by their names if these have any.

        Returns
        -------
        Partition
            Two objects share a cluster if they share one in every partition.

        Raises
        ------
        LabelError
            If a partition is of other objects, or only one of both names its objects.

        Notes
        -----
        Takes linear time (Meilă 2007, §4.3). `p & q` is the meet of two partitions.

        Examples
        --------
        >>> from clustervet.partition import Partition
        >>> Partition([0, 0, 1, 1]).meet([0, 1, 1, 1])
        Partition({0}, {1}, {2, 3})
        """
        found = self
        for other in map(self._same_objects, others):
            codes, clusters = lattice.meet(found._codes, other._codes, found._k, other._k)
            found = self._of(codes, clusters, objects=self._objects)
        return found

    def join(self, *others: Any) -> Self:
        """Return the finest partition that this one and all others refine.

        Parameters
        ----------
        *others : Partition, array_like, mapping or groups
            Partitions, or labels, of the same objects; paired by their names if these have any.

        Returns
        -------
        Partition
            Clusters that share an object in any two partitions become one.

        Raises
        ------
        LabelError
            If a partition is of other objects, or only one of both names its objects.

        Notes
        -----
        Takes nearly linear time (union-find; Galler & Fischer 1964). `p | q` is the join of two
        partitions.

        Examples
        --------
        >>> from clustervet.partition import Partition
        >>> Partition([0, 0, 1, 2]).join([0, 1, 1, 2])
        Partition({0, 1, 2}, {3})
        """
        found = self
        for other in map(self._same_objects, others):
            codes, clusters = lattice.join(found._codes, other._codes, found._k, other._k)
            found = self._of(codes, clusters, objects=self._objects)
        return found

    def refines(self, other: Any) -> bool:
        """Return whether each cluster lies within one cluster of another partition.

        Parameters
        ----------
        other : Partition, array_like, mapping or groups
            Partition, or labels, of the same objects.

        Returns
        -------
        bool
            True if this partition is finer than the other one, or equal to it.

        Raises
        ------
        LabelError
            If the other partition is of other objects, or only one of both names its objects.

        Examples
        --------
        >>> from clustervet.partition import Partition
        >>> Partition([0, 1, 2, 2]).refines(["a", "a", "b", "b"])
        True
        """
        other = self._same_objects(other)
        return self._k >= other._k and lattice.refines(self._codes, other._codes, self._k)

    def restrict(self, positions: Any) -> Self:
        """Return the partition of some of the objects.

        Parameters
        ----------
        positions : array_like or slice
            Positions of the objects, in the order wanted; or a mask of all objects; or a slice.

        Returns
        -------
        Partition
            Partition of the chosen objects alone.

        Raises
        ------
        ParameterError
            If positions are outside the range, repeated or none at all.

        Examples
        --------
        >>> from clustervet.partition import Partition
        >>> Partition([0, 0, 1, 2]).restrict([3, 0, 1])
        Partition({0}, {1, 2})
        """
        places = _positions(positions, self.n)
        objects = None if self._objects is None else tuple(self._objects[k] for k in places)
        return self._from(*lattice.compress(self._codes[places], self._k), objects)

    def _same_objects(self, other: Any) -> Self:
        """Return a partition, or labels, as a partition with the objects in the order of these."""
        if isinstance(other, type(self)) and other._objects == self._objects:
            same = other
        else:
            names = ("the partition", "the other one")
            read = type(self)(ordered_as(self._objects, other, names))
            same = self._of(read._codes, read._k, read._names, self._objects)
        if same.n != self.n:
            raise LabelError(
                f"both partitions must be of the same objects; one has {self.n:,} and the other "
                f"{same.n:,}."
            )
        return same

    def __and__(self, other: object) -> Self:
        return self.meet(other) if isinstance(other, Element) else NotImplemented

    def __or__(self, other: object) -> Self:
        return self.join(other) if isinstance(other, Element) else NotImplemented

    def __le__(self, other: object) -> bool:
        return self.refines(other) if isinstance(other, Element) else NotImplemented

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Element):
            return NotImplemented
        return self.refines(other) and self._k > other._k

    def __ge__(self, other: object) -> bool:
        return other.refines(self) if isinstance(other, Element) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return other < self if isinstance(other, Element) else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Element):
            return NotImplemented
        if self._k != other._k:
            return False
        if self._objects != other._objects:
            if self._objects is None or {*self._objects} != {*(other._objects or ())}:
                return False
            other = self._same_objects(other)
        return np.array_equal(self._codes, other._codes)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        if self._objects is None:
            return hash(self._codes.tobytes())
        return hash(frozenset(map(frozenset, self._named_blocks())))  # whatever their order

    def __len__(self) -> int:
        """Number of objects."""
        return len(self._codes)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if self._objects is not None:
            raise LabelError(
                "the partition names its objects, and an array goes by position; take .codes, "
                "which are in the order of .objects."
            )
        return np.array(self._codes, dtype, copy=copy)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a partition never changes; {name} cannot be set.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a partition never changes; {name} cannot be deleted.")

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self._codes, self._k, self._names, self._objects)

    def __repr__(self) -> str:
        """The clusters as sets of objects or positions, or their number and the largest sizes."""
        if self.n <= OBJECTS:
            blocks = [", ".join(map(show_object, block)) for block in self._named_blocks()]
            return f"Partition({', '.join(f'{{{block}}}' for block in blocks)})"
        sizes = np.sort(self.sizes)[::-1]
        shown = ", ".join(f"{size:,}" for size in sizes[:SIZES].tolist())
        more = ", ..." if len(sizes) > SIZES else ""
        unit = "cluster" if self.k == 1 else "clusters"
        return f"Partition of {self.n:,} objects: {self.k:,} {unit} of {shown}{more}"


def _restored(
    kind: type[Element], codes: Any, clusters: int, names: Any, objects: Objects = None
) -> Element:
    return kind._of(codes, clusters, names, objects)


def _positions(positions: Any, n: int) -> NDArray[np.int64]:
    """Check positions of distinct objects, at least one."""
    if isinstance(positions, slice):
        chosen = np.arange(n)[positions]
    else:
        chosen = np.asarray(positions)
        if chosen.dtype == np.bool_ and chosen.shape == (n,):
            chosen = np.flatnonzero(chosen)
        elif chosen.ndim != 1 or (chosen.dtype.kind not in "iu" and len(chosen)):
            raise ParameterError(
                f"positions must be whole numbers, a mask of {n:,} objects or a slice."
            )
    if len(chosen) == 0:
        raise ParameterError("there are no positions; a partition has at least one object.")
    if chosen.min() < 0 or chosen.max() >= n:
        raise ParameterError(f"positions must lie between 0 and {n - 1:,}.")
    chosen = chosen.astype(np.int64, copy=False)
    if np.bincount(chosen).max() > 1:
        raise ParameterError("positions must differ; an object cannot be in a partition twice.")
    return chosen
