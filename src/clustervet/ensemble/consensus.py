"""The consensus: the partition with the least weighted total distance to several labelings.

It is the best answer of several local searches. They start from members, meets, co-association
cuts and one cluster, and then from the best answer so far, changed at random. A start gives a
cluster for every atom; atoms at -1 join where they fit best. No start needs memory for more than
`DRAWN` squared numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet._kernels.moves import ATOMS, State
from clustervet._memory import need
from clustervet._progress import ticking
from clustervet.ensemble.distances import distances_to
from clustervet.ensemble.labelings import Labelings
from clustervet.ensemble.local_search import (
    Atoms,
    Criterion,
    Floats,
    Integers,
    Median,
    consecutive_places,
    find_atoms,
)
from clustervet.errors import LabelError, ParameterError
from clustervet.labels import show_label
from clustervet.partition import Partition
from clustervet.registry import Measure, MeasureFunction, measures
from clustervet.view import Result, Section, plain_table
from clustervet.view.words import counted, number

CRITERIA: tuple[Criterion, ...] = ("variation_of_information", "mirkin")
# Beyond this many atoms the starts are tried on a sample of this size, and the best answer on all.
MANY_ATOMS = 20_000
# Cells that one pass over the atoms may look at; beyond, only the candidates are compared.
LONGEST_PASS = 2e10
# Atoms whose co-association is looked at pair by pair.
DRAWN = 800
# A meet of more clusters is a poor start: most of them would only be merged again.
MOST_CLUSTERS = 3_000
CUTS = (0.5, 0.3, 0.7)
# Share of the atoms that lose their cluster when an answer is shaken.
LOOSE = 0.2
# Letters of a name in a sentence, and rows of a table in a terminal.
WIDTH = 24
SHOWN = 20


@dataclass(frozen=True, slots=True)
class SearchTrial:
    """One local search for the consensus.

    Parameters
    ----------
    start : str
        The name of the start.
    before : float
        The objective at the start.
    kept : float
        The objective before any cluster was emptied or made.
    after : float
        The objective at the end.
    clusters : int
        The number of clusters at the end.
    moves : int
        The number of blocks of objects that were moved.
    """

    start: str
    before: float
    kept: float
    after: float
    clusters: int
    moves: int


@dataclass(frozen=True, eq=False, repr=False)
class Consensus(Result):
    """The partition found, and how far it and each labeling are from all labelings.

    Parameters
    ----------
    names : tuple of str
        Names of the labelings.
    partition : Partition
        The consensus, by the names of the objects if the labelings are; `by_object()` returns
        their clusters.
    measure : Measure
        The distance.
    objective : float
        The weighted sum of `distances`.
    distances : ndarray of float
        The distance between the consensus and each labeling.
    objectives : ndarray of float
        The same weighted sum for each labeling in place of the consensus.
    one_cluster : float
        The same weighted sum for all objects in one cluster.
    weights : ndarray of float
        The weight of each labeling.
    trials : tuple of SearchTrial
        The local searches.
    atoms : int
        The number of sets of objects that no labeling divides.
    collapsed : bool
        Whether the least sum found is that of one cluster though the labelings have more. The
        labelings then agree so little that no other partition found is nearer to them.

    Examples
    --------
    >>> import clustervet as cv
    >>> labelings = {"a": [0, 0, 1, 1, 2, 2], "b": [0, 0, 1, 1, 1, 1], "c": [0, 0, 1, 1, 2, 0]}
    >>> found = cv.Ensemble(labelings).consensus()
    >>> found.partition, found.best_input
    (Partition({0, 1}, {2, 3}, {4, 5}), 'a')
    >>> found.distances.round(3)
    array([0.   , 0.667, 0.792])
    """

    SCHEMA: ClassVar[str] = "clustervet/consensus/1"

    names: tuple[str, ...]
    partition: Partition
    measure: Measure
    objective: float
    distances: Floats
    objectives: Floats
    one_cluster: float
    weights: Floats
    trials: tuple[SearchTrial, ...]
    atoms: int
    collapsed: bool = False

    @property
    def labels(self) -> NDArray[np.int32]:
        """The cluster of each object, by first appearance; named ones as `partition.objects`."""
        return self.partition.codes

    @property
    def best_input(self) -> str:
        """The labeling with the least objective."""
        return self.names[int(np.argmin(self.objectives))]

    @property
    def moves(self) -> int:
        """Number of blocks of objects moved in all searches."""
        return sum(trial.moves for trial in self.trials)

    def columns(self) -> dict[str, Any]:
        """Return one row per labeling.

        Returns
        -------
        dict
            The columns ``labeling``, ``weight``, ``total`` (its objective) and ``to_consensus``.
        """
        return {
            "labeling": list(self.names),
            "weight": self.weights.tolist(),
            "total": self.objectives.tolist(),
            "to_consensus": self.distances.tolist(),
        }

    def sentences(self) -> list[str]:
        """Return the consensus as sentences, beside the best labeling and beside one cluster.

        Returns
        -------
        list of str
            One sentence, and a warning where the consensus collapsed.

        Examples
        --------
        >>> import clustervet as cv
        >>> labelings = {"a": [0, 0, 1, 1, 2, 2], "b": [0, 0, 1, 1, 1, 1], "c": [0, 0, 1, 1, 2, 0]}
        >>> print(cv.Ensemble(labelings).consensus().sentences()[0])
        Consensus by variation_of_information: 3 clusters, total 1.4591;
        best labeling: a, 1.4591; one cluster: 3.9624.
        """
        unit = self.measure.unit
        lines = [
            f"Consensus by {self.measure.key}: {counted(self.partition.k, 'cluster')}, total "
            f"{number(self.objective, unit)}; best labeling: "
            f"{show_label(self.best_input, WIDTH)}, {number(float(self.objectives.min()), unit)}; "
            f"one cluster: {number(self.one_cluster, unit)}."
        ]
        if self.collapsed:
            lines.append(
                "The labelings agree so little that one cluster is nearer to them than any other "
                "partition found: take the consensus with care."
            )
        return lines

    def document(self) -> Section:
        """Return the totals and distances of the labelings, and the searches.

        Returns
        -------
        Section
            One or two sentences, and a table with one row per labeling.
        """
        trials = [asdict(trial) for trial in self.trials]
        searches = {head: [trial[head] for trial in trials] for head in trials[0]}
        return Section(
            "consensus",
            "The consensus",
            tuple(self.sentences()),
            (
                plain_table("consensus-labelings", "The labelings", self.columns(), shown=SHOWN),
                plain_table("consensus-searches", "The searches", searches, detail=True),
            ),
            subject=self,
            measures=(self.measure,),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the consensus as plain data, without the cluster of each object.

        Returns
        -------
        dict
            Sizes, objectives, distances, weights and searches.
        """
        by_name = {
            key: dict(zip(self.names, getattr(self, key).tolist(), strict=True))
            for key in ("distances", "objectives", "weights")
        }
        return {
            "schema": self.SCHEMA,
            "measure": self.measure.key,
            "unit": self.measure.unit,
            "clusters": self.partition.k,
            "sizes": self.partition.sizes.tolist(),
            "objective": self.objective,
            "one_cluster": self.one_cluster,
            "collapsed": self.collapsed,
            **by_name,
            "best_input": self.best_input,
            "atoms": self.atoms,
            "moves": self.moves,
            "trials": [asdict(trial) for trial in self.trials],
        }


def read_criterion(measure: str | Measure | MeasureFunction | None, own: Measure) -> Criterion:
    """Return what a consensus minimises: the measure asked for, or that of the ensemble."""
    if measure is None:
        return own.key if own.key in CRITERIA else CRITERIA[0]
    key = measures.select([measure])[0].key
    if key not in CRITERIA:
        raise ParameterError(f"a consensus is by {' or by '.join(CRITERIA)}, not by {key}.")
    return key


def find_consensus(
    many: Labelings,
    weights: Floats,
    criterion: Criterion,
    matrix: Floats,
    *,
    collapse: bool,
    starts: int,
    rng: np.random.Generator,
) -> Consensus:
    """Return the best partition found, never worse than the best of the complete labelings."""
    # The codes, and those of the atoms, of which there are as many as objects at most.
    need(8 * len(many) * many.n, f"a consensus of {len(many):,} labelings of {many.n:,} objects")
    codes = [_signed_codes(many, k) for k in range(len(many))]
    _refuse_unlabelled(many)
    objectives = matrix @ weights
    # A labeling of some of the objects is no partition of all of them, so it ranks last.
    order = np.lexsort((ranked(objectives), many.gaps))
    atoms = find_atoms(codes)
    with ticking(starts, "consensus") as tick:
        found = Searches(Median(atoms, weights, criterion), many.names, order, rng, tick)
        found.run_all(starts)
    labels = found.best.places[atoms.places]
    collapsed = not labels.any() and bool((many.clusters > 1).any())
    if collapsed and not collapse and found.kept is not None:
        labels = found.kept.places[atoms.places]
    every = many.unnamed()
    distances = distances_to(labels, every, criterion)
    objective = float(weights @ distances)
    best = int(np.argmin(np.where(many.gaps, np.inf, objectives)))
    if not many.gaps[best] and objective > objectives[best]:
        labels, distances = codes[best], matrix[best]
        objective = float(objectives[best])
    alone = distances_to(np.zeros(many.n, np.int32), every, criterion)
    return Consensus(
        many.names,
        many.partition_of(labels),
        measures[criterion],
        objective,
        distances,
        objectives,
        float(weights @ alone),
        weights,
        tuple(found.trials),
        atoms.count,
        collapsed,
    )


def ranked(totals: Floats) -> Floats:
    """Return totals in which values that differ only by rounding are equal."""
    scale = float(abs(totals).max(initial=0.0)) or 1.0
    return np.round(totals / scale, 12)


def _signed_codes(many: Labelings, index: int) -> NDArray[np.int32]:
    """Return the codes of a labeling, -1 where an object has no label."""
    codes = many.codes[index].astype(np.int32)
    if many.gaps[index]:
        codes[~many.labelled(index)] = -1
    return codes


def _refuse_unlabelled(many: Labelings) -> None:
    if many.complete or not many.gaps.all():
        return
    labelled = np.logical_or.reduce([many.labelled(k) for k in range(len(many))])
    if not labelled.all():
        where = np.flatnonzero(~labelled)
        raise LabelError(
            f"{len(where):,} objects have no label in any labeling, the first at position "
            f"{where[0]}; leave them out, since nothing says where they belong."
        )


class Placement(NamedTuple):
    """A cluster for every atom, with the objective."""

    places: Integers
    objective: float


class Start(NamedTuple):
    """A name, a cluster for every atom, and whether it is a labeling or comes from one."""

    name: str
    places: Integers
    own: bool = False


@dataclass(eq=False)
class Searches:
    """Several local searches, and their best answers so far.

    `order` ranks the labelings by their own objective, the best first. `kept` is the best answer
    that a search from a labeling reached before it emptied or made a cluster, among those with at
    least as many clusters as some labeling; None if there is none.
    """

    median: Median
    names: Sequence[str]
    order: NDArray[np.int64]
    rng: np.random.Generator
    tick: Callable[[], None]
    trials: list[SearchTrial] = field(default_factory=list)
    best: Placement = field(default_factory=lambda: Placement(np.zeros(0, np.int32), math.inf))
    kept: Placement | None = None

    def run_all(self, starts: int) -> None:
        """Search from candidates, then from the best answer shaken; of many atoms, some first."""
        atoms = self.median.atoms
        if atoms.count > MANY_ATOMS:
            self._run_on_some(starts)
            return
        for start in islice(self._proposals(), max(1, (starts + 1) // 2)):
            self.run(start)
            self.tick()
        while len(self.trials) < starts:
            self.run(shaken(atoms, self.base, self.rng))
            self.tick()

    def _proposals(self) -> Iterator[Start]:
        """Yield starts of different kinds, the most promising first; `order` ranks the members."""
        atoms, order = self.median.atoms, self.order
        members = [Start(self.names[k], atoms.labels[:, k], True) for k in order]
        yield members[0]
        yield from _cuts(atoms, self.median.weights, self.rng)
        yield Start("one cluster", np.zeros(atoms.count, np.int32))
        yield members[1]
        for several in (2, 3):
            if len(order) > several:
                meet = find_atoms([atoms.labels[:, k] for k in order[:several]]).places
                if meet.max() < MOST_CLUSTERS:
                    yield Start(f"meet of the best {several}", meet)
        if atoms.count <= MOST_CLUSTERS:
            yield Start("meet of all", np.arange(atoms.count, dtype=np.int32))
        yield from members[2:]

    def _run_on_some(self, starts: int) -> None:
        """Search on some of the atoms, let the others join, and search again."""
        atoms = self.median.atoms
        chances = atoms.sizes / atoms.sizes.sum()
        drawn = np.sort(self.rng.choice(atoms.count, MANY_ATOMS, replace=False, p=chances))
        part = replace(self, median=replace(self.median, atoms=atoms.restricted(drawn)), trials=[])
        part.run_all(starts)
        for name, few in (("best", part.best), ("best with its clusters kept", part.kept)):
            if few is not None:
                places = np.full(atoms.count, -1, np.int32)
                places[drawn] = few.places
                self.run(Start(f"{name} of {MANY_ATOMS:,} atoms", places, few is part.kept))
        first = int(self.order[0])
        self.run(Start(self.names[first], atoms.labels[:, first], True))
        self.trials += [replace(t, start=f"{t.start} (some atoms)") for t in part.trials]

    @property
    def base(self) -> Integers:
        """The answer to shake; one cluster alone cannot be shaken."""
        single = int(self.best.places.max()) == 0
        return self.kept.places if single and self.kept is not None else self.best.places

    def run(self, start: Start) -> None:
        """Run one local search: first with the number of clusters fixed, then without."""
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
            self.kept = Placement(state.places.astype(np.int32), kept)
        if work <= LONGEST_PASS:
            moves += median.improve(state)
        after = median.objective(state)
        clusters = int(np.count_nonzero(state.members))
        self.trials.append(SearchTrial(start.name, before, kept, after, clusters, moves))
        if self._better(after, self.best):
            self.best = Placement(consecutive_places(state.places)[0], after)

    @cached_property
    def fewest(self) -> int:
        """Clusters that a partition must have to be kept: those of some labeling, at least two."""
        return max(2, int(self.median.atoms.labels.max(axis=0).min()) + 1)

    def _better(self, value: float, than: Placement | None) -> bool:
        return than is None or value < than.objective - self.median.least


def _join_loose(median: Median, state: State) -> None:
    """Let atoms without a cluster join where they fit best."""
    loose = np.flatnonzero(state.places < 0)
    if len(loose):
        # The largest first: they decide where the others fit.
        loose = loose[np.argsort(-median.atoms.sizes[loose], kind="stable")]
        median.move(state, ATOMS, loose)


def _cuts(atoms: Atoms, weights: Floats, rng: np.random.Generator) -> Iterator[Start]:
    """Yield cuts of the tree of atoms by how many labelings put them together, on average."""
    from scipy.cluster.hierarchy import fcluster, linkage

    rows = np.arange(atoms.count)
    if atoms.count > DRAWN:
        rows = np.sort(rng.choice(rows, DRAWN, replace=False, p=atoms.sizes / atoms.sizes.sum()))
    if len(rows) < 2:
        return
    apart = 1 - co_association(atoms.labels[rows], weights)
    tree = linkage(apart[np.triu_indices(len(rows), 1)], "average")
    for share in CUTS:
        places = np.full(atoms.count, -1, np.int32)
        places[rows] = fcluster(tree, share, "distance") - 1
        yield Start(f"co-association cut at {1 - share:.1f}", places)


def co_association(labels: Integers, weights: Floats) -> Floats:
    """Return the weighted share of labelings with two objects together, of those that label both.

    >>> co_association(np.array([[0, 0], [0, 1], [1, 1]], np.int32), np.ones(2))
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    need(24 * len(labels) ** 2, f"the co-association of {len(labels):,} objects")
    together = np.zeros((len(labels), len(labels)))
    both = np.zeros_like(together)
    for column, weight in zip(labels.T, weights, strict=True):
        known = column >= 0
        pairs = known[:, None] & known if not known.all() else np.True_
        both += weight * pairs
        together += weight * (pairs & (column[:, None] == column))
    shares: Floats = np.divide(together, both, out=np.zeros_like(both), where=both > 0)
    np.fill_diagonal(shares, 1.0)
    return shares


def shaken(atoms: Atoms, places: Integers, rng: np.random.Generator) -> Start:
    """Return an answer with two clusters merged, one split by a labeling, or some atoms loose."""
    moved = places.copy()
    clusters = np.unique(moved)
    kind = rng.integers(3)
    if kind == 0 and len(clusters) > 2:
        into, away = rng.choice(clusters, 2, replace=False)
        moved[moved == away] = into
    elif kind == 1:
        inside = np.flatnonzero(moved == rng.choice(clusters))
        split = atoms.labels[inside, rng.integers(atoms.labels.shape[1])]
        moved[inside] = np.where(split == split[0], moved[inside], moved.max() + 2 + split)
    else:
        moved[rng.random(len(moved)) < LOOSE] = -1
    return Start("best, shaken", moved, True)
