"""Several local searches for the partition nearest to all labelings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
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
    find_atoms,
)
from clustervet.ensemble.starts import proposals, shaken

# Beyond so many atoms the starts are tried on that many, and only the best answer on all.
MANY_ATOMS = 20_000
# Cells that one pass over the atoms may look at; beyond, only the candidates are compared.
LONGEST_PASS = 2e10


@dataclass(frozen=True, slots=True)
class Trial:
    """One local search: where it started, the objective there and at its end, and its moves."""

    start: str
    before: float
    after: float
    moves: int

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "start": self.start,
            "before": self.before,
            "after": self.after,
            "moves": self.moves,
        }


@dataclass(frozen=True, eq=False)
class Found:
    """The best partition found, as a cluster for every object, and all trials."""

    labels: Integers = field(repr=False)
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
            best, trials = _best(Median(atoms, weights, criterion), plan)
        else:
            best, trials = _large(atoms, weights, criterion, plan)
    return Found(best[atoms.places], tuple(trials), atoms.count)


class _Plan(NamedTuple):
    """What the searches share."""

    names: Sequence[str]
    order: NDArray[np.int64]
    starts: int
    rng: np.random.Generator
    tick: Callable[[], None]


def _best(median: Median, plan: _Plan) -> tuple[Integers, list[Trial]]:
    """Candidates first, then the best answer shaken, as often as asked in all."""
    best, least = np.zeros(median.atoms.count, np.int32), math.inf
    trials: list[Trial] = []
    named = proposals(median.atoms, median.weights, plan.names, plan.order, plan.rng)
    for name, places in islice(named, max(1, (plan.starts + 1) // 2)):
        found, trial = _local(median, name, places)
        trials.append(trial)
        if trial.after < least - median.least:
            best, least = found, trial.after
        plan.tick()
    while len(trials) < plan.starts:
        found, trial = _local(median, "best, shaken", shaken(median.atoms, best, plan.rng))
        trials.append(trial)
        if trial.after < least - median.least:
            best, least = found, trial.after
        plan.tick()
    return best, trials


def _local(median: Median, name: str, places: Integers) -> tuple[Integers, Trial]:
    """One local search."""
    from clustervet._kernels.consensus import move_atoms

    state = median.state(places)
    loose = np.flatnonzero(state.places < 0)
    if len(loose):
        # The largest first: they decide where the others fit.
        loose = loose[np.argsort(-median.atoms.sizes[loose], kind="stable")]
        move_atoms(median.problem, state, loose, median.least)
    before = median.objective(state)
    problem = median.problem
    work = float(np.diff(problem.starts).astype(np.float64) @ state.used)
    moves = median.improve(state) if work <= LONGEST_PASS else 0
    return state.places, Trial(name, before, median.objective(state), moves)


def _large(
    atoms: Atoms, weights: Floats, criterion: Criterion, plan: _Plan
) -> tuple[Integers, list[Trial]]:
    """Search on some of the atoms, let the others join, and search on."""
    chances = atoms.sizes / atoms.sizes.sum()
    drawn = np.sort(plan.rng.choice(atoms.count, MANY_ATOMS, replace=False, p=chances))
    part = Median(_packed(atoms.restricted(drawn)), weights, criterion)
    few, trials = _best(part, plan)
    trials = [replace(trial, start=f"{trial.start} (some atoms)") for trial in trials]
    places = np.full(atoms.count, -1, np.int32)
    places[drawn] = few
    whole = Median(atoms, weights, criterion)
    tried = [
        _local(whole, f"best of {MANY_ATOMS:,} atoms", places),
        _local(whole, plan.names[plan.order[0]], atoms.labels[:, plan.order[0]]),
    ]
    best, _ = min(tried, key=lambda pair: pair[1].after)
    return best, [*(trial for _, trial in tried), *trials]


def _packed(atoms: Atoms) -> Atoms:
    """Labels renumbered where the atoms drawn left some of them out."""
    columns = [_renumbered(column) for column in atoms.labels.T]
    return Atoms(np.stack(columns, axis=1), atoms.sizes, atoms.places)


def _renumbered(column: Integers) -> Integers:
    distinct, numbers = np.unique(column, return_inverse=True)
    return (numbers - int(distinct[0] < 0)).astype(np.int32)
