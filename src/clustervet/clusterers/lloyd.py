"""The alternation that hard clusterers share: assign every row, then fit every cluster.

Rule: the objective that a model defines never gets worse from one iteration to the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from clustervet._kernels import sparse_rows as loops
from clustervet.clusterers.rows import Floats, Labels, Rows, Sums, spread

Changed = NDArray[np.bool_]


class Model(Protocol):
    """The model of an algorithm; the score of a cluster is linear in the row.

    The score of row x for cluster h is `bias[h]` plus x times column h of `table`. The objective is
    the sum of the best scores plus `offset`. The score minus the row's `ceiling` says how well the
    cluster fits the row.
    """

    table: Floats
    bias: Floats
    ceiling: Floats
    offset: float
    at_rest: bool  # whether the objective will stay the same function from now on

    def fit(self, sums: Sums, changed: Changed) -> None:
        """Best tables for the rows as they are assigned; clusters without rows do not change."""

    def advance(self) -> None:
        """Make the changes that happen once per iteration, before the fit."""


@dataclass
class Run:
    """The end of a run: labels of the merged rows, and the objective after each iteration."""

    labels: Labels
    path: list[float]
    iterations: int
    model: Any

    @property
    def objective(self) -> float:
        """The objective at the end; greater is better."""
        return self.path[-1]


def alternate(rows: Rows, model: Model, labels: Labels, most: int, tol: float) -> Run:
    """Fit and assign in turns until no row moves, the gain is small, or `most` is reached."""
    k = len(model.bias)
    sums = Sums(rows, labels, k)
    model.fit(sums, np.ones(k, np.bool_))
    labels, best = rows.nearest(model.table, model.bias)
    path = [_objective(rows, model, best)]
    rested = len(path) - 1
    done = 1
    while done < most:
        resting = model.at_rest
        if resting and np.array_equal(labels, sums.labels):
            break
        if resting and len(path) - 1 > rested and settled(path[rested:], tol):
            break
        _follow(rows, model, sums, labels, best, path[-1])
        labels, best = rows.nearest(model.table, model.bias)
        path.append(_objective(rows, model, best))
        rested = rested if resting else len(path) - 1
        done += 1
    return Run(labels, path, done, model)


def settled(path: list[float], tol: float) -> bool:
    """Whether the last step gained at most a share `tol` of everything that was gained."""
    return len(path) > 1 and path[-1] - path[-2] <= tol * (path[-1] - path[0])


def total(model: Model, sums: Sums) -> float:
    """The objective of the rows as they are assigned now, from their sums."""
    held = sums.counts > 0
    fit = np.einsum("jh,hj->h", model.table, sums.totals)
    return float((fit[held] + model.bias[held] * sums.sizes[held]).sum() + model.offset)


def _objective(rows: Rows, model: Model, best: Floats) -> float:
    return rows.sum(best) + model.offset


def _follow(
    rows: Rows, model: Model, sums: Sums, labels: Labels, best: Floats, before: float
) -> None:
    """Fit the model to new labels; fill empty clusters first where that does not hurt."""
    model.advance()
    filled = fill_empty(labels, best - model.ceiling, len(model.bias))
    changed = sums.move(filled)
    model.fit(sums, changed)
    if filled is not labels and total(model, sums) < before:
        changed |= sums.move(labels)
        model.fit(sums, changed)


def fill_empty(labels: Labels, best: Floats, k: int) -> Labels:
    """Labels in which every empty cluster got the row that fits its own cluster worst.

    A cluster gives away rows only while it has another one. Labels without empty clusters are
    returned as they are.
    """
    counts = np.bincount(labels, minlength=k)
    empty = np.flatnonzero(counts == 0)
    if not len(empty):
        return labels
    filled = labels.copy()
    worst = iter(np.argsort(best, kind="stable"))
    for h in empty:
        giver = next((i for i in worst if counts[filled[i]] > 1), None)
        if giver is None:
            break
        counts[filled[giver]] -= 1
        filled[giver] = h
    return filled


def fill_table(table: Floats, sums: Floats, factors: Floats, changed: Changed) -> None:
    """Set the columns of changed clusters to their sums times their factors."""
    which = np.flatnonzero(changed)
    spread(loops.fill_table, (sums, factors, which, table), len(table), len(table) * len(which))
