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

from clustervet._kernels import moves
from clustervet._kernels.moves import Problem, State
from clustervet._kernels.patience import Patience
from clustervet.labels.codes import first_places
from clustervet.partition.codes import meet, sizes_of

Integers = NDArray[np.int32]
Floats = NDArray[np.float64]
Criterion = Literal["variation_of_information", "mirkin"]
# Values of x log2 x that are looked up; the table fits a second-level cache.
LOOKED_UP = 1 << 17
# Labels that a pass over the cells may look at.
CELL_WORK = 5e7
# Cells that plain Python looks at before moves are compiled; they take less than a second.
patience = Patience(1_000_000)
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
    places, count = np.zeros(len(labelings[0]), np.int32), 1
    for labels in labelings:
        known = (labels + 1).astype(np.int32)  # -1, where there is no label, is a code as well
        places, count = meet(places, known, count, int(known.max(initial=0)) + 1)
    first = first_places(places, count)
    table = np.stack([labels[first] for labels in labelings], axis=1).astype(np.int32)
    return Atoms(table, sizes_of(places, count), places)


@dataclass(frozen=True, eq=False)
class Median:
    """The local search for a partition of atoms with the least weighted sum of distances."""

    atoms: Atoms
    weights: Floats
    criterion: Criterion

    @cached_property
    def problem(self) -> Problem:
        """The arrays that moves read."""
        labels, sizes = self.atoms.labels, self.atoms.sizes
        widths = labels.max(axis=0, initial=-1) + 1
        offsets = np.concatenate([[0], np.cumsum(widths)])
        columns = np.where(labels < 0, -1, labels + offsets[:-1]).astype(np.int32)
        costs = self._costs()
        leads, shares = _leads(labels, costs)
        held = columns >= 0
        order = np.argsort(columns[held], kind="stable")
        counts = np.bincount(columns[held], minlength=int(offsets[-1]))
        return Problem(
            columns=columns,
            sizes=sizes,
            costs=costs,
            leads=leads,
            shares=shares,
            owner=np.repeat(np.arange(len(widths), dtype=np.int32), widths),
            starts=np.concatenate([[0], np.cumsum(counts)]),
            atoms=np.nonzero(held)[0][order].astype(np.int32),
            every=np.arange(len(sizes), dtype=np.int32),
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

    def state(self, places: Integers) -> State:
        """Return a partition of the atoms, ready for moves; atoms at -1 are in no cluster yet."""
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
            places=np.full(atoms, -1, np.int64),
            counts=np.zeros((slots, len(problem.leads)), np.int64),
            members=np.zeros(slots, np.int64),
            spare=spare,
            first=first,
            used=np.zeros(len(capacity), np.int64),
            cluster=np.zeros(first[-1], np.int32),
            count=np.zeros(first[-1], np.int32),
            touched=np.zeros(len(capacity), np.int64),
            listed=np.zeros(len(capacity), np.int64),
            weights=np.zeros(len(problem.leads), np.int64),
            gain=np.zeros(slots),
            seen=np.zeros(slots, np.int64),
            mark=np.zeros(slots, np.int64),
            order=np.zeros(atoms, np.int64),
            edges=np.zeros(slots + 1, np.int64),
        )
        self.move(state, moves.PLACE, places.astype(np.int64))
        return state

    def move(
        self, state: State, what: int, chosen: NDArray[np.int64], *, fixed: bool = False
    ) -> tuple[float, int]:
        """Make one pass of moves of a kind; return the change and the number of moves."""
        sizes = np.diff(self.problem.starts)
        if not patience.allows(int(sizes @ (1 + state.used))):
            from clustervet._kernels import consensus

            change, made = consensus.move(self.problem, state, what, chosen, self.least, fixed)
            return float(change), int(made)
        lists = State(*(array.tolist() for array in state))
        change, made = moves.move(self._listed, lists, what, chosen.tolist(), self.least, fixed)
        for array, values in zip(state, lists, strict=True):
            array[...] = values
        return change, made

    @cached_property
    def _listed(self) -> Problem:
        """The problem as lists, which plain Python reads faster than arrays."""
        return Problem(*(np.asarray(part).tolist() for part in self.problem))

    def objective(self, state: State) -> float:
        """Return the weighted sum of distances, from the current cells."""
        problem = self.problem
        cells = np.arange(len(state.count)) - np.repeat(state.first[:-1], np.diff(state.first))
        columns = np.repeat(np.arange(len(state.used)), np.diff(state.first))
        used = cells < state.used[columns]
        shared = problem.costs[problem.owner[columns[used]]] * self._terms(state.count[used])
        inside = problem.shares * self._terms(state.counts)
        return math.fsum(inside.ravel()) + self.fixed - 2 * math.fsum(shared)

    @cached_property
    def _cells(self) -> NDArray[np.int64]:
        """Columns whose cells are moved: of all labelings, or of some where there are too many."""
        atoms, labelings = self.atoms.labels.shape
        some = int(max(1, CELL_WORK / (atoms * labelings)))
        chosen = np.unique(np.linspace(0, labelings - 1, min(some, labelings)).astype(np.int64))
        return np.flatnonzero(np.isin(self.problem.owner, chosen))

    def improve(self, state: State, *, fixed: bool = False) -> int:
        """Move atoms, cells and clusters until no move lowers the objective; return their number.

        Where `fixed`, the number of clusters stays: none is emptied and none is made.
        """
        order, once = np.arange(self.atoms.count), np.arange(1)
        made = 0
        while True:
            new = 1
            while new:
                new = self.move(state, moves.ATOMS, order, fixed=fixed)[1]
                made += new
            if fixed:
                return made
            new = self.move(state, moves.CLUSTERS, once)[1]
            new += self.move(state, moves.CELLS, self._cells)[1]
            made += new
            if not new:
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
