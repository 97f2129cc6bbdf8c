"""Many labelings of the same objects, read once: names and small codes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import one_of
from clustervet.errors import LabelError, ParameterError, Setting
from clustervet.labels import (
    Codes,
    check_index,
    consecutive,
    encode_one,
    noise_count,
    read_labels,
)
from clustervet.labels.codes import from_integers
from clustervet.labels.index import index_of
from clustervet.labels.keyed import by_name, is_keyed, ordered_as, paired
from clustervet.labels.pair import Missing, NoisePolicy
from clustervet.labels.several import Named, named_labels
from clustervet.partition import Partition

SmallCodes = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.int32]
# Codes, the number of clusters, and whether some objects have the next code: no label.
Encoded = tuple[SmallCodes, int, bool]
# Up to this many objects numpy is quicker than loading compiled loops.
FEW = 20_000


@dataclass(frozen=True, eq=False, repr=False)
class Labelings:
    """Clusterings of the same n objects as codes 0, 1, ...; made by `read_labelings`.

    It is accepted wherever labelings are.

    Parameters
    ----------
    names : tuple of str
        One name per labeling.
    codes : tuple of ndarray
        One array per labeling, with one code per object. An object that a labeling does not
        label has the first code after those of the clusters.
    clusters : ndarray of int
        The number of clusters of each labeling.
    gaps : ndarray of bool
        Which labelings have objects without a label.
    kept : ndarray of bool, optional
        Which of the objects given are left, where some were dropped from all labelings.
    noise_as_cluster : tuple of int, optional
        How many objects each labeling labels -1, where no policy said what that means.
    index : pandas.Index, optional
        The index of the labelings, where they came with one.
    objects : tuple, optional
        The names of the objects given, in the order in which the labelings first name them, where
        labelings are by the name of the object.
    """

    names: tuple[str, ...]
    codes: tuple[SmallCodes, ...]
    clusters: NDArray[np.int64]
    gaps: NDArray[np.bool_]
    kept: NDArray[np.bool_] | None = None
    noise_as_cluster: tuple[int, ...] = ()
    index: Any = None
    objects: tuple[Any, ...] | None = None

    @property
    def n(self) -> int:
        """Number of objects."""
        return len(self.codes[0])

    @property
    def left(self) -> tuple[Any, ...] | None:
        """Names of the objects that are left, where they have names."""
        if self.objects is None or self.kept is None:
            return self.objects
        return tuple(compress(self.objects, self.kept.tolist()))

    @property
    def complete(self) -> bool:
        """Whether every labeling labels every object."""
        return not self.gaps.any()

    @property
    def slots(self) -> NDArray[np.int64]:
        """Number of codes of each labeling, including the code for no label."""
        return self.clusters + self.gaps

    def __len__(self) -> int:
        return len(self.codes)

    def labelled(self, index: int) -> NDArray[np.bool_]:
        """Return which objects a labeling labels.

        Parameters
        ----------
        index : int
            The position of the labeling.

        Returns
        -------
        ndarray of bool
            One entry per object.
        """
        return np.asarray(self.codes[index] < self.clusters[index])

    def sizes(self, index: int) -> NDArray[np.int64]:
        """Return the number of objects in each cluster of a labeling.

        Parameters
        ----------
        index : int
            The position of the labeling.

        Returns
        -------
        ndarray of int
            One entry per cluster.
        """
        slots = int(self.slots[index])
        return np.bincount(self.codes[index], minlength=slots)[: self.clusters[index]]

    def partition(self, index: int) -> Partition:
        """Return a labeling as a partition of the objects that it labels.

        Parameters
        ----------
        index : int
            The position of the labeling.

        Returns
        -------
        Partition
            The clusters as sets of objects, by their names if they have names.
        """
        codes = self.codes[index]
        if not self.gaps[index]:
            return self.partition_of(codes)
        held = self.labelled(index)
        left = None if self.left is None else list(compress(self.left, held.tolist()))
        return Partition(by_name(left, codes[held]))

    def partition_of(self, labels: NDArray[Any]) -> Partition:
        """Return labels of the objects that are left as a partition of these objects.

        Parameters
        ----------
        labels : ndarray
            One label per object that is left.

        Returns
        -------
        Partition
            The clusters as sets of objects, by their names if they have names.
        """
        return Partition(by_name(self.left, labels))

    def unnamed(self) -> Labelings:
        """Return the labelings with the objects that are left, known by their positions alone.

        Returns
        -------
        Labelings
            The same codes.
        """
        return replace(self, kept=None, index=None, objects=None)

    def some(self, places: Sequence[int]) -> Labelings:
        """Return some of the labelings.

        Parameters
        ----------
        places : sequence of int
            Their positions.

        Returns
        -------
        Labelings
            These labelings, of the same objects.
        """
        return replace(
            self,
            names=tuple(self.names[i] for i in places),
            codes=tuple(self.codes[i] for i in places),
            clusters=self.clusters[list(places)],
            gaps=self.gaps[list(places)],
            noise_as_cluster=tuple(
                self.noise_as_cluster[i] for i in places if self.noise_as_cluster
            ),
        )

    def renamed(self, names: Sequence[str]) -> Labelings:
        """Return the labelings with other names.

        Parameters
        ----------
        names : sequence of str
            One name per labeling, all different.

        Returns
        -------
        Labelings
            The same labelings.

        Raises
        ------
        ParameterError
            If there are too few or too many names, or two that are equal.
        """
        given = tuple(str(name) for name in names)
        if len(given) != len(self) or len(set(given)) < len(given):
            raise ParameterError(
                f"names must be {len(self):,} different names, one per labeling; {len(given):,} "
                f"were given, {len(set(given)):,} of them different."
            )
        return replace(self, names=given)

    def with_query(self, query: Any) -> Labelings:
        """Return the labelings with one more at the end.

        Parameters
        ----------
        query : array-like, mapping or groups
            Labels of the same objects, including those that were dropped; by the names of the
            objects if those of the labelings are. Objects that no labeling has are left out where
            objects may differ.

        Returns
        -------
        Labelings
            All of them, of the objects that are left.

        Raises
        ------
        LabelError
            If the query is of other objects, or has no label for an object that all others label.
        """
        differ = self.kept is not None or not self.complete
        labels = ordered_as(self.objects, query, ("a labeling", "the query"), some=differ)
        side = read_labels(labels, "the query")
        given = self.n if self.kept is None else len(self.kept)
        _check_same_length("a labeling", given, "the query", len(side))
        check_index({"the labelings": self, "the query": query})
        side = side if self.kept is None else side.keep(self.kept)
        codes, clusters, gaps = LabelReader(shared=not self.complete).read(side, "the query")
        return Labelings(
            (*self.names, "the query"),
            (*self.codes, codes),
            np.append(self.clusters, clusters),
            np.append(self.gaps, gaps),
            objects=self.left,
        )

    def __repr__(self) -> str:
        least, most = int(self.clusters.min()), int(self.clusters.max())
        clusters = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        return f"{len(self):,} labelings of {self.n:,} objects, {clusters} clusters each"


def read_labelings(
    labelings: Any,
    *,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: Missing = "raise",
    shared: bool = False,
    least: int = 2,
) -> Labelings:
    """Read several labelings of the same objects.

    Parameters
    ----------
    labelings : list, dict, ndarray, data frame or Labelings
        A list of labelings, {name: labels}, the rows of a two-dimensional array, or the columns
        of a frame of pandas, polars or pyarrow. Several pandas series must have equal indexes. A
        labeling is a sequence, a fitted estimator or a clustering of igraph; or labels by the name
        of the object, as {object: label}, groups such as communities of networkx, or a partition
        of named objects. If one is by name, all must be.
    noise : optional
        The label of noise, or its policy, as in `Contingency.from_labels`. Objects that it
        drops count as not labelled.
    noise_policy : {"keep", "drop", "singletons"}, optional
        What to do with noise.
    missing : {"raise", "drop", "class"}, optional
        What to do with an object that some labeling does not label, or does not name: refuse it,
        drop it from all labelings, or put it into one more cluster of that labeling.
    shared : bool, optional
        Whether such an object stays without a label there, so that each pair of labelings is
        compared on the objects that both label.
    least : int, optional
        The number of labelings that are needed.

    Returns
    -------
    Labelings
        Names and codes.

    Raises
    ------
    LabelError
        If the labelings are of different objects, lack labels, or are too few.
    ParameterError
        If two labelings have the same name, or an option is unknown.

    Examples
    --------
    >>> many = read_labelings({"first": ["a", "a", "b"], "second": [1, 2, 2]})
    >>> many.names, many.codes[1]
    (('first', 'second'), array([0, 1, 1], dtype=uint8))
    >>> many = read_labelings([{"x": "a", "y": "b"}, [{"y"}, {"x"}]])
    >>> many.objects, many.codes[1]
    (('x', 'y'), array([1, 0], dtype=uint8))
    """
    if isinstance(labelings, Labelings):
        if (noise, noise_policy, missing, shared) != (None, None, "raise", False):
            raise ParameterError(
                "missing, noise and shared are for labels, and these labelings are read already."
            )
        return labelings
    reader = LabelReader(noise, noise_policy, missing, shared)
    objects, given = given_labelings(labelings, "drop" if shared else missing, least)
    told = noise is not None or noise_policy is not None
    names, whats, found, noisy, indexes = [], [], [], [], []
    for name, what, labels in given:
        side = read_labels(labels, what)
        names.append(name)
        whats.append(what)
        found.append(reader.read(side, what))
        noisy.append(0 if told else noise_count(side))
        indexes.append(index_of(labels))
        _check_same_length(whats[0], len(found[0][0]), what, len(found[-1][0]))
    many = _gathered(names, found)
    many = many if shared or many.complete else _common(many)
    index = next((index for index in indexes if index is not None), None)
    return replace(many, noise_as_cluster=tuple(noisy), index=index, objects=objects)


def given_labelings(
    labelings: Any, missing: str = "raise", least: int = 1
) -> tuple[tuple[Any, ...] | None, Iterator[Named]]:
    """Return the objects that labelings name, and the labelings in the order of these.

    A labeling has a name, a name in messages, and labels. Where labelings name no objects these
    are None, and labels are returned as they are. `missing` and `least` are as in
    `read_labelings`; an object that some labelings lack has the label None there.

    >>> objects, given = given_labelings({"a": {"x": 0, "y": 1}, "b": [{"y"}, {"x"}]})
    >>> objects, list(given)
    (('x', 'y'), [('a', "labeling 'a'", [0, 1]), ('b', "labeling 'b'", [1, 0])])
    """
    if not isinstance(labelings, Mapping) and is_keyed(labelings):
        raise LabelError(
            "labelings must be a list of clusterings, and these are the groups of one; put it "
            "into a list with others."
        )
    given = named_labels(labelings)
    if len(given) < least:
        raise LabelError(
            "one labeling has nothing to be compared with; give at least two."
            if given
            else "there are no labelings; give at least two."
        )
    check_index({what: labels for _, what, labels in given})
    objects, held = paired([(what, labels) for _, what, labels in given], missing)
    return objects, (
        (name, what, labels) for (name, what, _), labels in zip(given, held, strict=True)
    )


@dataclass(frozen=True)
class LabelReader:
    """How labels become codes here: the policies for missing labels and for noise."""

    noise: Any = None
    noise_policy: NoisePolicy | None = None
    missing: Missing = "raise"
    shared: bool = False

    def __post_init__(self) -> None:
        one_of(self.missing, "missing", ("raise", "drop", "class"))
        if self.shared and self.missing != "raise":
            raise ParameterError(
                Setting("shared", True),
                " compares each pair on the objects that both label, which leaves nothing for ",
                Setting("missing", self.missing),
                " to do; give one of them.",
            )

    def read(self, labels: Any, what: str) -> Encoded:
        """Read one labeling; an object that a policy drops has no label in it."""
        side = read_labels(labels, what)
        if self.missing == "raise" and not self.shared:
            _refuse_missing(side, what)
        if self.missing != "class" and side.missing is not None and side.missing.all():
            raise LabelError(f"{what} labels no object at all.")
        treated: Missing = "class" if self.missing == "class" else "drop"
        codes, kept = encode_one(
            side, what, noise=self.noise, noise_policy=self.noise_policy, missing=treated
        )
        small, clusters = _small(codes)
        if kept is None or kept.all():
            return small, clusters, False
        full = np.full(len(kept), clusters, _kind(clusters + 1))
        full[kept] = small
        return full, clusters, True


def _refuse_missing(side: Codes, what: str) -> None:
    if side.missing is not None and side.missing.any():
        where = np.flatnonzero(side.missing)
        raise LabelError(
            f"{what} has no label for {len(where):,} of {len(side):,} objects, the first at "
            f"position {where[0]}; compare each pair on what both label with ",
            Setting("shared", True),
            ", drop such objects everywhere with ",
            Setting("missing", "drop"),
            ", or make them a class with ",
            Setting("missing", "class"),
            ".",
        )


def _check_same_length(one: str, length: int, other: str, other_length: int) -> None:
    if length != other_length:
        raise LabelError(
            f"{one} and {other} must label the same objects; {one} has {length:,} labels and "
            f"{other} has {other_length:,}."
        )


def _gathered(
    names: Sequence[str], found: Sequence[Encoded], kept: NDArray[np.bool_] | None = None
) -> Labelings:
    codes, clusters, gaps = zip(*found, strict=True)
    return Labelings(
        tuple(names), tuple(codes), np.array(clusters, np.int64), np.array(gaps, np.bool_), kept
    )


def _common(many: Labelings) -> Labelings:
    """Return only the objects that every labeling labels."""
    kept = np.logical_and.reduce([many.labelled(k) for k in np.flatnonzero(many.gaps).tolist()])
    if not kept.any():
        raise LabelError(
            "no object has a label in every labeling; ",
            Setting("shared", True),
            " compares each pair on what both label.",
        )
    small = [(*_small(from_integers(codes[kept])), False) for codes in many.codes]
    return _gathered(many.names, small, kept)


def _small(codes: Codes) -> tuple[SmallCodes, int]:
    """Return read-only codes without gaps, in the narrowest type that also has a "no label"."""
    numbered, clusters = _shrunk(codes) or _renumbered(codes)
    small = numbered.astype(_kind(clusters + 1), copy=False)
    small.flags.writeable = False
    return small, clusters


def _renumbered(codes: Codes) -> tuple[NDArray[Any], int]:
    numbered, distinct = consecutive(codes)
    return numbered, len(distinct)


def _shrunk(codes: Codes) -> tuple[NDArray[Any], int] | None:
    """Return the same by compiled loops, where many objects have codes of a narrow range."""
    if len(codes) <= FEW:
        return None
    from clustervet import _kernels

    values = np.ascontiguousarray(codes.values)
    if values.dtype not in (np.int32, np.int64):
        values = values.astype(np.int64)
    low, high = _kernels.value_range(values)
    span = int(high) - int(low) + 1
    if span > 2**16:
        return None
    out, counts = np.empty(len(values), _kind(span + 1)), np.zeros(span, np.int64)
    _kernels.shrink(values, low, out, counts)
    present = counts > 0
    if present.all():
        return out, span
    return (np.cumsum(present) - 1).astype(out.dtype)[out], int(present.sum())


def _kind(slots: int) -> Any:
    return np.uint8 if slots <= 2**8 else np.uint16 if slots <= 2**16 else np.int32
