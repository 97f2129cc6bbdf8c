"""Integer codes, and the way back from them to labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.integer[Any]]
Mask = NDArray[np.bool_]
Names = Sequence[Any] | NDArray[Any]


@dataclass(frozen=True, slots=True)
class Codes:
    """One clustering as integers, not always consecutive, with the way back to labels.

    Parameters
    ----------
    values : ndarray of int
        Code of each object.
    restore : callable
        Function that returns the labels of an array of codes.
    find : callable
        Function that returns the code of a label, or None.
    missing : ndarray of bool, optional
        Where labels are missing; None if there are none.
    span : tuple of int, optional
        Smallest code and number of slots, where these are known without a pass over the data.

    Examples
    --------
    >>> from clustervet.labels import read_labels
    >>> codes = read_labels(["b", "a", "b"])
    >>> codes.values.tolist(), codes.restore(codes.values), codes.find("b")
    ([1, 0, 1], ['b', 'a', 'b'], 1)
    """

    values: Integers
    restore: Callable[[Integers], Names]
    find: Callable[[Any], int | None]
    missing: Mask | None = None
    span: tuple[int, int] | None = None

    def __len__(self) -> int:
        return len(self.values)

    def keep(self, kept: Mask | Integers) -> Codes:
        """Return the codes of some of the objects.

        Parameters
        ----------
        kept : ndarray of bool or int
            Which objects to keep, or their places in the order wanted.

        Returns
        -------
        Codes
            Codes of these objects, with the same way back to labels.

        Examples
        --------
        >>> from clustervet.labels import read_labels
        >>> read_labels([5, 6, 7]).keep(np.array([True, False, True])).values.tolist()
        [5, 7]
        """
        missing = None if self.missing is None else self.missing[kept]
        return replace(self, values=self.values[kept], missing=missing)

    def with_class(self, mask: Mask, names: Sequence[Any]) -> Codes:
        """Give some objects new codes: one for all of them, or one each.

        Parameters
        ----------
        mask : ndarray of bool
            Which objects get new codes.
        names : list
            One name for all of them, or one name per object.

        Returns
        -------
        Codes
            Codes without missing labels.

        Examples
        --------
        >>> from clustervet.labels import read_labels
        >>> codes = read_labels(["a", None, "b"])
        >>> filled = codes.with_class(codes.missing, ["unknown"])
        >>> filled.restore(np.unique(filled.values))
        ['a', 'b', 'unknown']
        """
        top = int(self.values.max(initial=0)) + 1
        if top + len(names) >= 2**63:
            return self._compressed().with_class(mask, names)
        values = self.values.astype(np.int64)
        values[mask] = top + (np.arange(int(mask.sum())) if len(names) > 1 else 0)
        old = self.restore

        def restore(codes: Integers) -> Sequence[Any]:
            known = codes < top
            added = [names[int(code) - top] for code in codes[~known]]
            return [*old(codes[known]), *added]

        def find(label: Any) -> int | None:
            code = self.find(label)
            return code if code is not None and code < top else None  # higher codes have new names

        return Codes(values, restore, find)

    def _compressed(self) -> Codes:
        """The same with codes 0, 1, ..., where there is no room above the largest code."""
        distinct, values = np.unique(self.values, return_inverse=True)
        place = {int(value): k for k, value in enumerate(distinct)}

        def find(label: Any) -> int | None:
            code = self.find(label)
            return None if code is None else place.get(code)

        return Codes(values, lambda codes: self.restore(distinct[codes]), find, self.missing)


def consecutive(codes: Codes) -> tuple[NDArray[np.int32], Integers]:
    """Renumber codes as 0, 1, ... in their order.

    Parameters
    ----------
    codes : Codes
        Codes without missing labels.

    Returns
    -------
    renumbered : ndarray of int32
        New code of each object.
    distinct : ndarray of int
        Old code of each new one.

    Examples
    --------
    >>> from clustervet.labels import read_labels
    >>> [part.tolist() for part in consecutive(read_labels([7, 3, 7]))]
    [[1, 0, 1], [3, 7]]
    """
    values = codes.values
    low, high = int(values.min()), int(values.max())
    if high - low > 4 * len(values) + 1_000:
        distinct, renumbered = np.unique(values, return_inverse=True)
        return renumbered.astype(np.int32), distinct
    places = (values - values.dtype.type(low)).astype(np.int64, copy=False)
    present = np.bincount(places, minlength=high - low + 1) > 0
    distinct = np.flatnonzero(present) + low
    if len(distinct) == high - low + 1:
        return places.astype(np.int32), distinct
    return (np.cumsum(present) - 1).astype(np.int32)[places], distinct


class Singleton:
    """The name of a cluster that holds one noise object; it equals no other name.

    Parameters
    ----------
    label : object
        Label that means noise.

    Examples
    --------
    >>> Singleton(-1), Singleton(-1) == Singleton(-1)
    (noise -1, False)
    """

    __slots__ = ("label",)

    def __init__(self, label: Any) -> None:
        self.label = label

    def __repr__(self) -> str:
        return f"noise {self.label!r}"


class Absent:
    """The name of the objects that a clustering does not have, though another has them.

    Examples
    --------
    >>> ABSENT
    (absent)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "(absent)"

    def __reduce__(self) -> str:
        return "ABSENT"


ABSENT = Absent()


def first_places(codes: Integers, count: int) -> NDArray[np.int64]:
    """Return where each of the codes 0..count - 1 appears first; all of them do."""
    first = np.empty(count, np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # of several writes the last one stays
    return first


def from_integers(values: Integers, missing: Mask | None = None) -> Codes:
    """Codes of integers: the integers themselves."""

    def find(label: Any) -> int | None:
        whole = (
            isinstance(label, int | np.integer | np.bool_) and not isinstance(label, np.timedelta64)
        ) or (isinstance(label, float | np.floating) and label.is_integer())
        return int(label) if whole and abs(int(label)) <= 2**63 else None

    return Codes(values, lambda codes: codes, find, missing)


def from_keys(
    codes: Integers, keys: Sequence[Any], missing: Mask | None = None, *, ordered: bool = False
) -> Codes:
    """Codes 0, 1, ... that stand for the keys, renumbered so that names are in order.

    Keys that are `ordered` already, such as a user's categories, are not reordered.
    """
    order = None if ordered else name_order(keys)
    if order is not None:
        rank = np.empty(len(order), codes.dtype)
        rank[order] = np.arange(len(order), dtype=codes.dtype)
        codes = rank[codes]
        keys = [keys[k] for k in order]
    place: dict[Any, int] = {key: k for k, key in enumerate(keys)}

    def find(label: Any) -> int | None:
        return place.get(label, place.get(str(label)))

    return Codes(codes, lambda some: [keys[k] for k in some], find, missing, (0, len(keys)))


def name_order(names: Sequence[Any]) -> list[int] | None:
    """Positions in sorted order; None where the names are in order or cannot be compared."""
    try:
        order = sorted(range(len(names)), key=names.__getitem__)
    except (TypeError, ArithmeticError):  # a NaN of Decimal refuses to be compared
        return None
    return None if order == list(range(len(names))) else order


def number(items: Sequence[Any]) -> tuple[Integers, list[Any]]:
    """Number the distinct items in order of appearance, by hash."""
    place: defaultdict[Any, int] = defaultdict(count().__next__)
    codes = np.fromiter(map(place.__getitem__, items), np.int32, len(items))
    return codes, list(place)
