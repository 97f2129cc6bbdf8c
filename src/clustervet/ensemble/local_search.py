"""Local search for the partition nearest to several labelings, over the atoms of their meet.

An atom is a set of objects that no labeling separates; it never needs to be divided. As a
function of how many objects of an atom lie in the first of two clusters, the objective is
concave: its terms for cells bend down at least twice as strongly as its terms for clusters bend
up. So its least value has all of them in one cluster. A search over partitions of atoms is
therefore exact, and there are far fewer atoms than objects.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int32]
Floats = NDArray[np.float64]
Criterion = Literal["variation_of_information", "mirkin"]
# Values of x log2 x that are looked up; the table fits a second-level cache.
LOOKED_UP = 1 << 17
# Labels that a pass over the cells may look at.
CELL_WORK = 5e7
# Differences below this share of the largest objective are rounding.
ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class Atoms:
    """Sets of objects that no labeling separates.

    `labels` has one row per atom and one column per labeling, -1 where a labeling has no label;
    `places` is the atom of each object.
    """

    labels: Integers
    sizes: NDArray[np.int64]
    places: Integers

    @property
    def count(self) -> int:
        """Number of atoms."""
        return len(self.sizes)

    def restricted(self, chosen: NDArray[np.int64]) -> Atoms:
        """Return some of the atoms alone, with the labels that they have renumbered."""
        columns = [consecutive_places(column)[0] for column in self.labels[chosen].T]
        places = np.arange(len(chosen), dtype=np.int32)
        return Atoms(np.stack(columns, axis=1), self.sizes[chosen], places)


def find_atoms(labelings: Sequence[Integers]) -> Atoms:
    """Return the clusters of the meet of the labelings, in order of appearance (Meilă 2007, §4.3).

    >>> atoms = find_atoms([np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])])
    >>> atoms.places.tolist(), atoms.sizes.tolist()
    ([0, 0, 1, 2], [2, 1, 1])
    """
    from clustervet._kernels import hash_codes

    n = len(labelings[0])
    places = np.zeros(n, np.int64)
    first = np.zeros(1, np.int64)
    for labels in labelings:
        width = int(labels.max(initial=-1)) + 2
        places, first = hash_codes(places * width + labels + 1, n + 1)
        places = places.astype(np.int64)
    table = np.stack([labels[first] for labels in labelings], axis=1).astype(np.int32)
    sizes = np.bincount(places, minlength=len(first)).astype(np.int64)
    return Atoms(table, sizes, places.astype(np.int32))


@dataclass(frozen=True, eq=False)
class Median:
    """The local search for a partition of atoms with the least weighted sum of distances."""

    atoms: Atoms
    weights: Floats
    criterion: Criterion

    @cached_property
    def problem(self) -> Any:
        """The arrays that the compiled loops read."""
        from clustervet._kernels.consensus_state import Problem, by_column

        labels, sizes = self.atoms.labels, self.atoms.sizes
        widths = labels.max(axis=0, initial=-1) + 1
        offsets = np.concatenate([[0], np.cumsum(widths)])
        columns = np.where(labels < 0, -1, labels + offsets[:-1]).astype(np.int32)
        costs = self._costs()
        leads, shares = _leads(labels, costs)
        starts, inside = by_column(columns, int(offsets[-1]))
        return Problem(
            columns=columns,
            sizes=sizes,
            costs=costs,
            leads=leads,
            shares=shares,
            owner=np.repeat(np.arange(len(widths), dtype=np.int32), widths),
            starts=starts,
            atoms=inside,
            table=self._terms(np.arange(min(int(sizes.sum()) + 1, LOOKED_UP))),
            square=self.criterion == "mirkin",
        )

    def _costs(self) -> Floats:
        """Return the weights; for the variation of information, those per labelled object."""
        if self.criterion == "mirkin":
            return self.weights
        labelled = (self.atoms.sizes[:, None] * (self.atoms.labels >= 0)).sum(axis=0)
        costs: Floats = self.weights / np.maximum(labelled, 1)
        return costs

    def _terms(self, x: NDArray[Any]) -> Floats:
        values = x.astype(np.float64)
        if self.criterion == "mirkin":
            return values * values
        terms: Floats = values * np.log2(np.maximum(values, 1))
        return terms

    @cached_property
    def fixed(self) -> float:
        """The part of the objective that does not depend on the partition."""
        problem = self.problem
        held = np.bincount(
            np.repeat(np.arange(len(problem.owner)), np.diff(problem.starts)),
            problem.sizes[problem.atoms],
            minlength=len(problem.owner),
        )
        return math.fsum(problem.costs[problem.owner] * self._terms(held))

    @cached_property
    def least(self) -> float:
        """The least change that is not rounding."""
        total = int(self.atoms.sizes.sum())
        return ROUNDING * float(
            np.abs(self.problem.shares).sum() * self._terms(np.array([total]))[0]
        )

    def state(self, places: Integers) -> Any:
        """Return a partition of the atoms, ready for moves; atoms at -1 are in no cluster yet."""
        from clustervet._kernels.consensus import place_all
        from clustervet._kernels.consensus_state import State

        problem = self.problem
        atoms = self.atoms.count
        places, clusters = consecutive_places(places)
        slots = min(atoms, 2 * clusters + 64)
        capacity = np.minimum(np.diff(problem.starts), slots)
        first = np.concatenate([[0], np.cumsum(capacity)]).astype(np.int64)
        spare = np.zeros(slots + 1, np.int64)
        spare[: slots - clusters] = np.arange(slots - 1, clusters - 1, -1)
        spare[-1] = slots - clusters
        state = State(
            places=np.full(atoms, -1, np.int32),
            counts=np.zeros((slots, len(problem.leads)), np.int64),
            members=np.zeros(slots, np.int64),
            spare=spare,
            first=first,
            used=np.zeros(len(capacity), np.int64),
            cluster=np.zeros(first[-1], np.int32),
            count=np.zeros(first[-1], np.int32),
            touched=np.zeros(len(capacity), np.int64),
            listed=np.zeros(len(capacity), np.int64),
            gain=np.zeros(slots),
            seen=np.zeros(slots, np.int64),
            mark=np.zeros(slots, np.bool_),
        )
        place_all(problem, state, places)
        return state

    def objective(self, state: Any) -> float:
        """Return the weighted sum of distances, from the current cells."""
        from clustervet._kernels.consensus import total_terms

        return float(total_terms(self.problem, state)) + self.fixed

    @cached_property
    def _cells(self) -> NDArray[np.int64]:
        """Columns whose cells are moved: of all labelings, or of some where there are too many."""
        atoms, labelings = self.atoms.labels.shape
        some = int(max(1, CELL_WORK / (atoms * labelings)))
        chosen = np.unique(np.linspace(0, labelings - 1, min(some, labelings)).astype(np.int64))
        return np.flatnonzero(np.isin(self.problem.owner, chosen))

    def improve(self, state: Any, *, fixed: bool = False) -> int:
        """Move atoms, cells and clusters until no move lowers the objective; return their number.

        Where `fixed`, the number of clusters stays: none is emptied and none is made.
        """
        from clustervet._kernels.consensus import move_atoms, move_blocks, move_cells

        problem, least = self.problem, self.least
        order = np.arange(self.atoms.count, dtype=np.int64)
        made = 0
        while True:
            moves = 1
            while moves:
                moves = int(move_atoms(problem, state, order, least, fixed)[1])
                made += moves
            if fixed:
                return made
            moves = int(move_blocks(problem, state, least)[1])
            moves += int(move_cells(problem, state, self._cells, least)[1])
            made += moves
            if not moves:
                return made


def consecutive_places(places: Integers) -> tuple[Integers, int]:
    """Return the clusters numbered 0, 1, ..., with -1 kept, and their number."""
    present = np.zeros(int(places.max(initial=-1)) + 2, np.bool_)
    present[places] = True
    present[-1] = False
    numbers = np.cumsum(present, dtype=np.int32) - 1
    numbers[-1] = -1
    return numbers[places].astype(np.int32), int(present.sum())


def _leads(labels: Integers, costs: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Return the first labeling of each set that labels the same objects, and their joint cost.

    Labelings of the same objects share the sizes of the clusters of the partition.
    """
    leads: dict[bytes, int] = {}
    shares: dict[int, float] = {}
    for k in range(labels.shape[1]):
        lead = leads.setdefault(np.packbits(labels[:, k] >= 0).tobytes(), k)
        shares[lead] = shares.get(lead, 0.0) + float(costs[k])
    return np.array(list(shares), np.int64), np.array(list(shares.values()))
