"""Frequency-sensitive spherical k-means: clusters of similar size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from clustervet._checks import one_of
from clustervet._kernels import sparse_rows as loops
from clustervet.clusterers.bessel import concentration
from clustervet.clusterers.components import MOST
from clustervet.clusterers.lloyd import Run, fill_empty, settled
from clustervet.clusterers.rows import Floats, Labels, Rows, Sums
from clustervet.clusterers.spherical import Directions, lengths_of, unit_factors

INCREMENTAL, BATCH = "incremental", "batch"


@dataclass(eq=False, repr=False, kw_only=True)
class FrequencySensitiveKMeans(Directions):
    """Spherical k-means in which a large cluster is wide and hard to join.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of clusters.
    init, n_init, max_iter, tol, random_state : optional
        As in `SphericalKMeans`.
    update : {'incremental', 'batch'}, default 'incremental'
        Whether sizes follow every single move, or stay those of the last pass. The first gives more
        balanced clusters, above all if there are many.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Centres, of length one.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    objective_ : float
        Sum of the scores at the end.
    objective_path_ : ndarray
        Objective after each iteration.
    n_iter_ : int
        Number of iterations of the best run.
    blank_label_ : int
        Cluster of rows without words, which is the largest one.
    sizes_ : ndarray of shape (n_clusters,)
        Weight of each cluster. `predict` assigns by these, one row at a time, so it can differ from
        `labels_`, which depend on all rows together.
    balance_ : float
        Smallest size divided by the average one; 1 is perfect.
    strength_ : float
        The constant L.

    Notes
    -----
    This is the hard von Mises-Fisher model with κ_h = L / n_h: row x goes to the cluster with the
    largest (L / n_h)(x·μ_h - 1) - ((d - 1)/2) log n_h (Banerjee & Ghosh 2004; FSKMeans of Banerjee
    & Langford 2004, §4.2). L is set so that κ at the average size is the one that fits the rows
    around the centres of plain spherical clusters at the start. The objective is the sum of these
    scores at the true sizes. The input should be tf-idf weights.

    No theorem says that a pass improves the objective, since every move changes the κ of all rows
    in two clusters. If a pass would make it worse, only the better half of its moves is made, and
    so on; when no move is left, the run ends. An empty cluster gets the row with the least cosine
    to its own centre on the same condition. `transform` returns 1 - cosine.

    Examples
    --------
    >>> from clustervet.clusterers import FrequencySensitiveKMeans
    >>> counts = np.random.default_rng(0).poisson(0.3, (90, 300))
    >>> FrequencySensitiveKMeans(3, random_state=0).fit(counts).balance_ > 0.9
    True
    """

    update: str = INCREMENTAL

    _by_cluster: ClassVar[tuple[str, ...]] = ("cluster_centers_", "sizes_")

    def _check_more(self) -> None:
        one_of(self.update, "update", (INCREMENTAL, BATCH))

    def _run(self, rows: Rows, rng: np.random.Generator) -> Run:
        labels, table = self._first_labels(rows, rng)
        model = BalancedModel(rows, labels, table.shape[1], incremental=self.update == INCREMENTAL)
        return model.run(self.max_iter, self.tol)

    def _keep(self, rows: Rows, run: Run) -> None:
        model = run.model
        self.cluster_centers_: Floats = np.ascontiguousarray(model.table().T)
        self.sizes_: Floats = model.sums.sizes
        self.balance_: float = float(self.sizes_.min() * len(self.sizes_) / self.sizes_.sum())
        self.strength_: float = model.strength

    def _tables(self) -> tuple[Floats, Floats]:
        held = self.sizes_ > 0
        sizes = np.where(held, self.sizes_, 1.0)
        kappa, half = self.strength_ / sizes, (self.n_features_in_ - 1) / 2
        bias = np.where(held, -kappa - half * np.log(sizes), -np.inf)
        return np.ascontiguousarray((self.cluster_centers_ * kappa[:, None]).T), bias


class BalancedModel:
    """Labels, sums and sizes of a run, and their objective."""

    def __init__(self, rows: Rows, labels: Labels, k: int, *, incremental: bool) -> None:
        self.rows, self.incremental = rows, incremental
        self.sums = Sums(rows, labels, k)
        self.half = (rows.width - 1) / 2
        self.mean = float(rows.weights.sum()) / k
        fit = float(lengths_of(self.sums.totals).sum()) / (self.mean * k)
        self.strength = self.mean * float(concentration(rows.width, min(1.0, fit), MOST))

    def run(self, most: int, tol: float) -> Run:
        """Make passes until none helps; the first one starts from equal sizes."""
        self.sums.move(self._proposals(np.full(len(self.sums.sizes), self.mean), first=True)[0])
        path, done = [self.objective()], 1
        while done < most and not settled(path, tol):
            if not self._pass(path[-1]):
                break
            path.append(self.objective())
            done += 1
        return Run(self.sums.labels, path, done, self)

    def objective(self) -> float:
        """Sum of (L / n_h)(x·μ_h - 1) - ((d - 1)/2) log n_h over the rows, from the sums."""
        held = self.sums.counts > 0
        sizes, lengths = self.sums.sizes[held], lengths_of(self.sums.totals[held])
        fit = self.strength * (lengths / sizes - 1.0)
        return float((fit - self.half * sizes * np.log(sizes)).sum())

    def table(self) -> Floats:
        """Centres, features by clusters."""
        factors = unit_factors(lengths_of(self.sums.totals))
        return np.ascontiguousarray((self.sums.totals * factors[:, None]).T)

    def _pass(self, before: float) -> bool:
        """Move rows, halving their number until it helps; return whether any moved."""
        old = self.sums.labels
        new, gains = self._proposals(self.sums.sizes.copy(), first=False)
        moved = np.flatnonzero(new != old)
        moved = moved[np.argsort(-gains[moved], kind="stable")]
        while len(moved):
            labels = old.copy()
            labels[moved] = new[moved]
            self.sums.move(labels)
            if self.objective() > before:
                return True
            moved = moved[: len(moved) // 2]
        self.sums.move(old)
        return False

    def _proposals(self, sizes: Floats, *, first: bool) -> tuple[Labels, Floats]:
        """The cluster that each row would join, and the expected gain."""
        k = len(sizes)
        cosines = self.rows.scores(self.table(), np.zeros(k))
        labels, gains = self.sums.labels.copy(), np.zeros(len(cosines))
        lone = np.maximum(sizes, self.rows.weights.min())
        if self.incremental:
            arguments = (cosines, self.rows.weights, first, labels, lone)
            loops.balanced_pass(*arguments, self.strength, self.half, gains)
        else:
            scores = self.strength / lone * (cosines - 1.0) - self.half * np.log(lone)
            own = scores[np.arange(len(labels)), labels]
            labels = scores.argmax(axis=1).astype(np.int32)
            gains = scores.max(axis=1) - own
        best = cosines[np.arange(len(labels)), labels]
        filled = fill_empty(labels, best, k)
        gains[filled != labels] = np.inf
        return filled, gains
