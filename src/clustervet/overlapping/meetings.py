"""How many groups pairs of objects share: counted in two covers at once, and never kept."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet import _kernels
from clustervet._kernels.patience import is_little
from clustervet._progress import ticking
from clustervet.overlapping.rows import Atoms, Places, Rows, rows_at

Floats = NDArray[np.float64]
# Pairs in groups up to which numpy and scipy are quicker than loading compiled loops.
FEW = 2_000_000
# Pairs that one step counts, so that progress is seen and threads share the work evenly.
STEP = 50_000_000
# Bits of a count, and the type that holds two of them.
WIDTHS = ((8, np.int16), (16, np.int32), (32, np.int64))


class Meetings(NamedTuple):
    """Pairs of objects by the number of groups they share in each cover, and those that agree."""

    ones: list[int]
    twos: list[int]
    agreed: int
    pairs: int


class Sides(NamedTuple):
    """Two covers of atoms: the groups of each atom, and the atoms of each group."""

    atoms: Atoms
    own: tuple[Rows, Rows]
    members: tuple[Rows, Rows]

    @property
    def work(self) -> Places:
        """For each atom, the atoms in its groups."""
        total = np.zeros(len(self.atoms.weights), np.int64)
        for (starts, groups), (heads, _) in zip(self.own, self.members, strict=True):
            sums = np.concatenate([[0], np.cumsum(np.diff(heads)[groups])])
            total += sums[starts[1:]] - sums[starts[:-1]]
        return total


def sides_of(atoms: Atoms, own: tuple[Rows, Rows], widths: tuple[int, int]) -> Sides:
    """The covers with one row per atom."""
    held = [rows_at(*rows, atoms.first) for rows in own]
    members = [_turned(rows, width) for rows, width in zip(held, widths, strict=True)]
    return Sides(atoms, (held[0], held[1]), (members[0], members[1]))


def _turned(rows: Rows, width: int) -> Rows:
    """The rows that hold each number, from the numbers in each row."""
    from scipy.sparse import csr_array

    starts, entries = rows
    ones = np.ones(len(entries), np.int8)
    held = csr_array((ones, entries, starts), shape=(len(starts) - 1, width)).tocsc()
    return held.indptr.astype(np.int64), held.indices.astype(np.int64)


def count_meetings(sides: Sides, n: int) -> Meetings:
    """Count pairs of objects by how many groups they share."""
    weights, own = sides.atoms.weights, sides.own
    tops = [int(np.diff(starts).max(initial=0)) for starts, _ in own]
    ones, twos = (np.zeros(top + 1, np.int64) for top in tops)
    inside = weights * (weights - 1) // 2  # pairs within an atom share all of its groups
    levels = [np.diff(starts) for starts, _ in own]
    np.add.at(ones, levels[0], inside)
    np.add.at(twos, levels[1], inside)
    agreed = int(inside[levels[0] == levels[1]].sum())
    if is_little(int(sides.work.sum()), FEW):
        met = _met(sides)
        later = met.rows < met.columns
        a, b, pairs = met.ones[later], met.twos[later], met.pairs(weights)[later]
        np.add.at(ones, a, pairs)
        np.add.at(twos, b, pairs)
        agreed += int(pairs[a == b].sum())
    else:
        for part in _in_parts(sides, _count_part):
            ones += part[0]
            twos += part[1]
            agreed += int(part[2])
    total = n * (n - 1) // 2
    counted = int(ones.sum())
    found = [ones.tolist(), twos.tolist()]
    for levels_of in found:  # all other pairs share no group in either cover
        levels_of[0] += total - counted
    return Meetings(found[0], found[1], agreed + total - counted, total)


def object_shares(sides: Sides) -> tuple[Floats, Floats]:
    """Extended B-cubed precision and recall of the objects of each atom; nan without a group."""
    count = len(sides.atoms.weights)
    precision, recall = np.full(count, np.nan), np.full(count, np.nan)
    if is_little(int(sides.work.sum()), FEW):
        met = _met(sides)
        _fill_shares(met, sides.atoms.weights, met.twos, met.ones, precision)
        _fill_shares(met, sides.atoms.weights, met.ones, met.twos, recall)
        return precision, recall
    for first, last, one, two in _in_parts(sides, _share_part):
        precision[first:last], recall[first:last] = one, two
    return precision, recall


def mean_share(weights: Places, shares: Floats) -> float:
    """The mean over the objects that have a group; nan if none has."""
    has = ~np.isnan(shares)
    objects = int(weights[has].sum())
    return math.fsum((shares[has] * weights[has]).tolist()) / objects if objects else math.nan


class _Met(NamedTuple):
    """Pairs of atoms that share a group in either cover, and how many they share in each."""

    rows: Places
    columns: Places
    ones: Places
    twos: Places

    def pairs(self, weights: Places) -> Places:
        """The pairs of objects behind each pair of atoms."""
        return weights[self.rows] * weights[self.columns]


def _met(sides: Sides) -> _Met:
    from scipy.sparse import csr_array, hstack

    base = int(np.diff(sides.own[0][0]).max(initial=0)) + 1
    held = []
    for (starts, groups), (heads, _) in zip(sides.own, sides.members, strict=True):
        shape = len(starts) - 1, len(heads) - 1
        held.append(csr_array((np.ones(len(groups), np.int64), groups, starts), shape=shape))
    left, right = hstack(held), hstack([held[0], held[1] * base])
    met = (left @ right.T).tocoo()
    rows, columns = (side.astype(np.int64) for side in met.coords)
    return _Met(rows, columns, met.data % base, met.data // base)


def _fill_shares(met: _Met, weights: Places, mine: Places, other: Places, shares: Floats) -> None:
    """Add whole numbers by row and shared groups, so that no order of objects matters."""
    here = mine > 0
    rows, level = met.rows[here], mine[here]
    objects = np.zeros(len(shares), np.int64)
    np.add.at(objects, rows, weights[met.columns[here]])
    width = int(mine.max(initial=0)) + 1
    keys, places = np.unique(rows * width + level, return_inverse=True)
    sums = np.zeros(len(keys), np.int64)
    np.add.at(sums, places, weights[met.columns[here]] * np.minimum(level, other[here]))
    total = np.bincount(keys // width, sums / (keys % width), minlength=len(shares))
    has = objects > 0
    shares[has] = total[has] / objects[has]


def _count_part(first: int, last: int, weights: Places, one: Any, two: Any) -> Any:
    ones, twos = (np.zeros(top + 1, np.int64) for top in _tops(one, two))
    room = _room(len(weights), max(_tops(one, two)))
    agreed = _kernels.count_shared(first, last, weights, one, two, *room, ones, twos)
    return ones, twos, agreed


def _share_part(first: int, last: int, weights: Places, one: Any, two: Any) -> Any:
    top = max(_tops(one, two))
    shares = [np.full(last - first, np.nan) for _ in range(2)]
    sums = np.zeros(top + 1, np.int64)
    _kernels.share_of_objects(
        first, last, weights, one, two, *_room(len(weights), top), sums, *shares
    )
    return first, last, *shares


def _tops(*sides: Any) -> list[int]:
    """The most groups of an atom, on each side."""
    return [int(np.diff(side[0]).max()) for side in sides]


def _room(atoms: int, top: int) -> tuple[int, NDArray[Any], NDArray[np.int32]]:
    """Bits of a count, one number for two counts of each atom, and room for a list of atoms."""
    bits, kind = next((b, k) for b, k in WIDTHS if top < 2 ** (b - 1))
    return bits, np.zeros(atoms, kind), np.empty(atoms, np.int32)


def _in_parts(sides: Sides, part: Any) -> Any:
    """Yield what parts of all atoms give, several at once."""
    arrays = [
        (own[0], own[1].astype(np.int32), members[0], members[1].astype(np.int32))
        for own, members in zip(sides.own, sides.members, strict=True)
    ]
    work = np.cumsum(sides.work)
    steps = max(1, int(work[-1]) // STEP)
    edges = np.searchsorted(work, np.arange(1, steps) * (int(work[-1]) / steps)).tolist()
    ends = sorted({0, *edges, len(work)})
    jobs = list(pairwise(ends))
    weights = sides.atoms.weights
    with ticking(len(jobs), "pairs of objects") as tick, _kernels.Pool(_kernels.cores()) as pool:
        for found in pool.map(lambda job: part(*job, weights, *arrays), jobs):
            tick()
            yield found
