"""The components of a von Mises-Fisher mixture, and how they are fitted."""

from __future__ import annotations

import math

import numpy as np

from clustervet.clusterers.bessel import concentration, log_normalizer
from clustervet.clusterers.lloyd import Changed, Run, fill_table, settled
from clustervet.clusterers.rows import Floats, Labels, Rows, Sums
from clustervet.clusterers.spherical import lengths_of, unit_factors

# Largest concentration; equal rows alone would have an infinite one.
MOST = 1e8
# A component with a smaller share of all weight has lost its rows.
NOTHING = 1e-12
POWER_STEPS = 12


class Components:
    """Weights, directions and concentrations of a mixture, and the scores they give.

    The score of a row is log α + log c_d(κ) + κ μ·x (Banerjee et al. 2003).
    """

    def __init__(self, width: int, k: int, *, shared: bool) -> None:
        self.shared = shared
        self.weights = np.full(k, 1.0 / k)
        self.kappa = np.ones(k)
        self.bias = np.zeros(k)
        self.factors = np.zeros(k)  # from sums of rows to columns of the table
        self.table = np.zeros((width, k))

    def maximize(self, lengths: Floats, masses: Floats, most: float = MOST) -> None:
        """Set the most likely weights and concentrations for sums of these lengths and masses.

        Banerjee et al. 2003. The likelihood has one peak in each κ, so the best κ up to `most` is
        the free one or `most`. A component without rows has weight zero.
        """
        held = masses > 0
        width = len(self.table)
        if self.shared:
            self.kappa[:] = concentration(width, min(1.0, lengths.sum() / masses.sum()), most)
        else:
            ratio = np.minimum(1.0, lengths[held] / masses[held])
            self.kappa[held] = concentration(width, ratio, most)
        self.weights = masses / masses.sum()
        with np.errstate(divide="ignore"):
            logs = np.log(self.weights)
        self.bias = logs + log_normalizer(width, self.kappa) - self.kappa
        self.factors = self.kappa * unit_factors(lengths)

    @property
    def centres(self) -> Floats:
        """Directions, clusters × features."""
        lengths = np.sqrt(np.einsum("jh,jh->h", self.table, self.table))
        return np.ascontiguousarray((self.table * unit_factors(lengths)).T)


class HardModel(Components):
    """The mixture fitted to rows that belong to one component each."""

    ceiling = np.zeros(1)
    offset = 0.0
    at_rest = True

    def fit(self, sums: Sums, changed: Changed) -> None:
        """Fit the components to the rows as assigned; a component without rows keeps its place."""
        self.maximize(lengths_of(sums.totals), sums.sizes)
        held = sums.counts > 0
        fill_table(self.table, sums.totals, self.factors, held if self.shared else changed & held)

    def advance(self) -> None:
        """Do nothing: only the rows change."""


class SoftModel(Components):
    """The mixture fitted to rows that are shared among the components."""

    def __init__(self, rows: Rows, k: int, *, shared: bool) -> None:
        super().__init__(rows.width, k, shared=shared)
        self.rows = rows
        self._weighted = np.empty((len(rows), k))
        self._sums = np.empty((rows.width, k))
        self._given_up = np.zeros(k, np.bool_)

    def run(self, start: Floats, limit: float, growth: float, most: int, tol: float) -> Run:
        """Alternate M-steps and E-steps; the limit of κ grows until it no longer binds."""
        shares, labels, evidence = self.rows.posteriors(start, self.bias)
        path: list[float] = []
        rested = 0
        for done in range(1, most + 1):
            before = path[-1] if path else -np.inf
            shares, labels, evidence = self._step(shares, evidence, limit, before)
            path.append(self.rows.sum(evidence))
            if limit < MOST and self.kappa.max() >= limit:
                limit, rested = min(MOST, limit * growth), done
            elif settled(path[rested:], tol):
                break
        return Run(labels, path, done, self)

    def _step(
        self, shares: Floats, evidence: Floats, limit: float, before: float
    ) -> tuple[Floats, Labels, Floats]:
        """Make one M-step and E-step; components without rows get one where that helps."""
        masses = self._weigh(shares)
        lost = np.flatnonzero((masses <= NOTHING * masses.sum()) & ~self._given_up)
        if not len(lost) or len(lost) >= len(shares):
            self._maximize(masses, limit)
            return self.rows.posteriors(self.table, self.bias, shares)
        filled = shares.copy()
        worst = np.argsort(evidence, kind="stable")[: len(lost)]
        filled[worst] = 0.0
        filled[worst, lost] = 1.0
        self._maximize(self._weigh(filled), limit)
        after = self.rows.posteriors(self.table, self.bias)
        if self.rows.sum(after[2]) < before:
            self._given_up[lost] = True
            self._maximize(self._weigh(shares), limit)
            after = self.rows.posteriors(self.table, self.bias, shares)
        return after

    def _weigh(self, shares: Floats) -> Floats:
        """Multiply the shares of each row by its weight; return the mass of each component."""
        np.multiply(shares, self.rows.weights[:, None], out=self._weighted)
        return np.asarray(self._weighted.sum(axis=0))

    def _maximize(self, masses: Floats, limit: float) -> None:
        """Fit the components to the shares that were weighted last."""
        sums = self.rows.shared_sums(self._weighted, self._sums)
        lengths = np.sqrt(np.einsum("jh,jh->h", sums, sums))
        self.maximize(lengths, masses, limit)
        np.multiply(sums, self.factors, out=self.table, where=masses > 0)


def critical_concentration(rows: Rows) -> float:
    """The shared κ at which a mixture around one common direction first splits in two.

    A small move v of a centre becomes (κ / R) C v after one iteration, where C is the covariance of
    the rows and R the length of their mean: below R / (largest eigenvalue of C) it dies out, above
    it grows. The eigenvalue is found by power steps. Rows without a common direction have no such
    point; for them the κ at which posteriors begin to differ is returned.
    """
    nothing, share = np.zeros(1), (rows.weights / rows.weights.sum())[:, None]
    mean = rows.shared_sums(share)
    length = float(np.sqrt((mean * mean).sum()))
    move = np.random.default_rng(0).standard_normal(mean.shape)
    spread = 0.0
    for _ in range(POWER_STEPS):
        back = rows.shared_sums(share * rows.scores(move, nothing)) - mean * (mean * move).sum()
        spread = float(np.sqrt((back * back).sum()))
        if spread <= 0:
            return MOST
        move = back / spread
    return max(length / spread, 1.0 / math.sqrt(spread))
