"""The consensus: the partition with the least weighted total distance to several labelings."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.ensemble.distances import distances_to
from clustervet.ensemble.labelings import Labelings
from clustervet.ensemble.search import Criterion
from clustervet.ensemble.trials import Trial, search_consensus
from clustervet.errors import LabelError, ParameterError
from clustervet.partition import Partition
from clustervet.registry import Measure, MeasureFunction, measures

Floats = NDArray[np.float64]
CRITERIA: tuple[Criterion, ...] = ("variation_of_information", "mirkin")
SCHEMA = "clustervet/consensus/1"


@dataclass(frozen=True, eq=False)
class Consensus:
    """The partition found, and how far it and each labeling are from all of them.

    `objective` is the weighted sum of `distances`, those to the labelings; `objectives` are the
    same sum for each labeling in its place, and `one_cluster` is that for all objects in one
    cluster. `trials` are the local searches, `atoms` the parts that no labeling divides.
    `collapsed` says that the least total found is that of one cluster though the labelings
    have more: they agree so little that no partition found is nearer to them.
    """

    names: tuple[str, ...] = field(repr=False)
    partition: Partition = field(repr=False)
    measure: Measure = field(repr=False)
    objective: float
    distances: Floats = field(repr=False)
    objectives: Floats = field(repr=False)
    one_cluster: float
    weights: Floats = field(repr=False)
    trials: tuple[Trial, ...] = field(repr=False)
    atoms: int
    collapsed: bool = False

    @property
    def labels(self) -> NDArray[np.int32]:
        """The cluster of each object, numbered by first appearance."""
        return self.partition.codes

    @property
    def best_input(self) -> str:
        """The labeling with the least objective."""
        return self.names[int(np.argmin(self.objectives))]

    @property
    def moves(self) -> int:
        """Blocks of objects moved in all searches."""
        return sum(trial.moves for trial in self.trials)

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "schema": SCHEMA,
            "measure": self.measure.key,
            "unit": self.measure.unit,
            "clusters": self.partition.k,
            "sizes": self.partition.sizes.tolist(),
            "objective": self.objective,
            "one_cluster": self.one_cluster,
            "collapsed": self.collapsed,
            "distances": dict(zip(self.names, self.distances.tolist(), strict=True)),
            "objectives": dict(zip(self.names, self.objectives.tolist(), strict=True)),
            "weights": dict(zip(self.names, self.weights.tolist(), strict=True)),
            "best_input": self.best_input,
            "atoms": self.atoms,
            "moves": self.moves,
            "trials": [trial.to_dict() for trial in self.trials],
        }


def read_criterion(measure: str | Measure | MeasureFunction | None, own: Measure) -> Criterion:
    """What a consensus minimises: the measure asked for, or the ensemble's where it can be."""
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
    """The best partition found, never worse than the best of the complete labelings."""
    codes = [_plain(many, k) for k in range(len(many))]
    _refuse_unlabelled(many)
    objectives = matrix @ weights
    # A labeling of some of the objects is no partition of all of them, and ranks last.
    order = np.lexsort((ranked(objectives), many.gaps))
    found = search_consensus(
        codes, weights, criterion, order, names=many.names, starts=starts, rng=rng
    )
    every = replace(many, kept=None)
    collapsed = not found.labels.any() and bool((many.clusters > 1).any())
    labels = found.labels
    if collapsed and not collapse and found.kept is not None:
        labels = found.kept
    distances = distances_to(labels, every, criterion)
    objective = float(weights @ distances)
    best = int(np.argmin(np.where(many.gaps, np.inf, objectives)))
    if not many.gaps[best] and objective > objectives[best]:
        labels, distances = codes[best], matrix[best]
        objective = float(objectives[best])
    alone = distances_to(np.zeros(many.n, np.int32), every, criterion)
    return Consensus(
        many.names,
        Partition(labels),
        measures[criterion],
        objective,
        distances,
        objectives,
        float(weights @ alone),
        weights,
        found.trials,
        found.atoms,
        collapsed,
    )


def ranked(totals: Floats) -> Floats:
    """Totals in which what differs by rounding alone is equal, so that the first comes first."""
    scale = float(abs(totals).max(initial=0.0)) or 1.0
    return np.round(totals / scale, 12)


def _plain(many: Labelings, index: int) -> NDArray[np.int32]:
    """A labeling's codes, -1 where an object has no label."""
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
