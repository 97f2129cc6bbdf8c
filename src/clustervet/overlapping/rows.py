"""Rows of places: choosing among them, and finding those that are equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]
# Where the entries of each row begin, and the entries of all rows.
Rows = tuple[Places, Places]


class Atoms(NamedTuple):
    """Objects that no group tells apart: their number, the first of them, and whose each is."""

    weights: Places
    first: Places
    of: Places


def rows_at(starts: Places, entries: NDArray[np.int64], places: Places) -> Rows:
    """Some rows one after another, in the order of `places`."""
    lengths = np.diff(starts)[places]
    ends = np.concatenate([[0], np.cumsum(lengths)])
    where = np.repeat(starts[places] - ends[:-1], lengths) + np.arange(ends[-1])
    return ends.astype(np.int64), entries[where]


def atoms_of(sides: Sequence[Rows]) -> Atoms:
    """Objects whose rows are equal on all sides, in the order in which they appear first.

    Rows are told apart by a sum of hashes, and compared afterwards: should two different rows
    have the same sum, every object is an atom of its own.
    """
    count = len(sides[0][0]) - 1
    keys = np.zeros(count, np.uint64)
    for salt, (starts, entries) in enumerate(sides):
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed(entries, salt))])
        keys += sums[starts[1:]] - sums[starts[:-1]]
    _, first, inverse, weights = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    atoms = Atoms(weights[order].astype(np.int64), first[order], rank[inverse])
    if all(_are_equal(side, atoms) for side in sides):
        return atoms
    every = np.arange(count)
    return Atoms(np.ones(count, np.int64), every, every)


def _are_equal(side: Rows, atoms: Atoms) -> bool:
    """Whether each row is that of the first object of its atom."""
    starts, entries = rows_at(*side, atoms.first[atoms.of])
    return np.array_equal(starts, side[0]) and np.array_equal(entries, side[1])


def mixed(numbers: Places, salt: int) -> NDArray[np.uint64]:
    """A hash of each number (Steele, Lea and Flood 2014, SplitMix64)."""
    found = numbers.astype(np.uint64) + np.uint64(1) + (np.uint64(salt) << np.uint64(40))
    found *= np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        found ^= found >> np.uint64(shift)
        found *= np.uint64(factor)
    found ^= found >> np.uint64(31)
    return found
