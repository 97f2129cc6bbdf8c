"""Several local searches for the partition nearest to all labelings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet._progress import ticking
from clustervet.ensemble.search import (
    Atoms,
    Criterion,
    Floats,
    Integers,
    Median,
    consecutive_places,
    find_atoms,
)
from clustervet.ensemble.starts import Start, proposals, shaken

# Beyond so many atoms the starts are tried on that many, and only the best answer on all.
MANY_ATOMS = 20_000
# Cells that one pass over the atoms may look at; beyond, only the candidates are compared.
LONGEST_PASS = 2e10


@dataclass(frozen=True, slots=True)
class Trial:
    """One local search: where it started, the objective there and at its end, and its moves.

    `kept` is the objective before any cluster was emptied or made, and `clusters` says how
    many there are at the end.
    """

    start: str
    before: float
    kept: float
    after: float
    clusters: int
    moves: int

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "start": self.start,
            "before": self.before,
            "kept": self.kept,
            "after": self.after,
            "clusters": self.clusters,
            "moves": self.moves,
        }


class Answer(NamedTuple):
    """A cluster for every atom, with the objective."""

    places: Integers
    objective: float


@dataclass(frozen=True, eq=False)
class Found:
    """The best partition found, as a cluster for every object, and all trials.

    `kept` is the best that a search from a labeling came to before it emptied or made a
    cluster, of those with no fewer clusters than every labeling; None where there is none.
    """

    labels: Integers = field(repr=False)
    kept: Integers | None = field(repr=False)
    trials: tuple[Trial, ...]
    atoms: int


def search_consensus(
    labelings: Sequence[Integers],
    weights: Floats,
    criterion: Criterion,
    order: NDArray[np.int64],
    *,
    names: Sequence[str],
    starts: int,
    rng: np.random.Generator,
) -> Found:
    """The best of several local searches; half of them shake the best answer so far.

    `labelings` are codes 0, 1, ... with -1 where there is no label; `order` ranks them by
    their own objective, the best first.
    """
    atoms = find_atoms(labelings)
    with ticking(starts, "consensus") as tick:
        plan = _Plan(names, order, starts, rng, tick)
        if atoms.count <= MANY_ATOMS:
            found = _Best(Median(atoms, weights, criterion))
            _search(found, plan)
        else:
            found = _large(atoms, weights, criterion, plan)
    kept = None if found.kept is None else found.kept.places[atoms.places]
    return Found(found.answer.places[atoms.places], kept, tuple(found.trials), atoms.count)


class _Plan(NamedTuple):
    """What the searches share."""

    names: Sequence[str]
    order: NDArray[np.int64]
    starts: int
    rng: np.random.Generator
    tick: Callable[[], None]


@dataclass(eq=False)
class _Best:
    """The best answers of the local searches so far."""

    median: Median
    trials: list[Trial] = field(default_factory=list)
    answer: Answer = field(default_factory=lambda: Answer(np.zeros(0, np.int32), math.inf))
    kept: Answer | None = None

    @property
    def base(self) -> Integers:
        """The answer to shake: one cluster has nothing that could come loose."""
        single = int(self.answer.places.max()) == 0
        return self.kept.places if single and self.kept is not None else self.answer.places

    def run(self, start: Start) -> None:
        """One local search: with the clusters as they are, then with new and fewer ones."""
        median = self.median
        state = median.state(start.places)
        _join_loose(median, state)
        before = median.objective(state)
        problem = median.problem
        work = float(np.diff(problem.starts).astype(np.float64) @ state.used)
        moves, kept = 0, before
        if work <= LONGEST_PASS:
            moves = median.improve(state, fixed=True)
            kept = median.objective(state)
        enough = np.count_nonzero(state.members) >= self.fewest
        if start.own and enough and self._better(kept, self.kept):
            self.kept = Answer(state.places.copy(), kept)
        if work <= LONGEST_PASS:
            moves += median.improve(state)
        after = median.objective(state)
        clusters = int(np.count_nonzero(state.members))
        self.trials.append(Trial(start.name, before, kept, after, clusters, moves))
        if self._better(after, self.answer):
            self.answer = Answer(consecutive_places(state.places)[0], after)

    @cached_property
    def fewest(self) -> int:
        """Clusters that a partition must have to be kept: those of some labeling, or two."""
        return max(2, int(self.median.atoms.labels.max(axis=0).min()) + 1)

    def _better(self, value: float, than: Answer | None) -> bool:
        return than is None or value < than.objective - self.median.least


def _join_loose(median: Median, state: Any) -> None:
    """Let atoms without a cluster join where they fit best."""
    from clustervet._kernels.consensus import move_atoms

    loose = np.flatnonzero(state.places < 0)
    if len(loose):
        # The largest first: they decide where the others fit.
        loose = loose[np.argsort(-median.atoms.sizes[loose], kind="stable")]
        move_atoms(median.problem, state, loose, median.least, False)


def _search(best: _Best, plan: _Plan) -> None:
    """Candidates first, then the best answer shaken, as often as asked in all."""
    atoms, weights = best.median.atoms, best.median.weights
    named = proposals(atoms, weights, plan.names, plan.order, plan.rng)
    for start in islice(named, max(1, (plan.starts + 1) // 2)):
        best.run(start)
        plan.tick()
    while len(best.trials) < plan.starts:
        best.run(shaken(atoms, best.base, plan.rng))
        plan.tick()


def _large(atoms: Atoms, weights: Floats, criterion: Criterion, plan: _Plan) -> _Best:
    """Search on some of the atoms, let the others join, and search on."""
    chances = atoms.sizes / atoms.sizes.sum()
    drawn = np.sort(plan.rng.choice(atoms.count, MANY_ATOMS, replace=False, p=chances))
    part = _Best(Median(_packed(atoms.restricted(drawn)), weights, criterion))
    _search(part, plan)
    whole = _Best(Median(atoms, weights, criterion))
    for name, few in (("best", part.answer), ("best with its clusters kept", part.kept)):
        if few is not None:
            places = np.full(atoms.count, -1, np.int32)
            places[drawn] = few.places
            whole.run(Start(f"{name} of {MANY_ATOMS:,} atoms", places, few is part.kept))
    first = int(plan.order[0])
    whole.run(Start(plan.names[first], atoms.labels[:, first], True))
    whole.trials += [replace(t, start=f"{t.start} (some atoms)") for t in part.trials]
    return whole


def _packed(atoms: Atoms) -> Atoms:
    """Labels renumbered where the atoms drawn left some of them out."""
    columns = [_renumbered(column) for column in atoms.labels.T]
    return Atoms(np.stack(columns, axis=1), atoms.sizes, atoms.places)


def _renumbered(column: Integers) -> Integers:
    distinct, numbers = np.unique(column, return_inverse=True)
    return (numbers - int(distinct[0] < 0)).astype(np.int32)
