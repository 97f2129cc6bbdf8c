"""Information-theoretic clustering: rows as distributions over words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from clustervet._checks import one_of
from clustervet.clusterers.base import Clusterer
from clustervet.clusterers.lloyd import Changed, Run, alternate
from clustervet.clusterers.rows import Floats, Rows, Sums
from clustervet.clusterers.seeding import Chosen, Gaps
from clustervet.errors import FeatureError, ParameterError

UNIFORM, LENGTH = "uniform", "length"


@dataclass(eq=False, repr=False, kw_only=True)
class KLKMeans(Clusterer):
    """Cluster rows, as distributions, by their Kullback-Leibler divergence from the centres.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of clusters.
    init : {'k-means++', 'random'} or array_like, default 'k-means++'
        Rows to start from: spread out by divergence, or drawn by weight; or an array of centres,
        clusters × features.
    n_init : int, default 1
        Number of runs from different starts; the one with the best objective is kept.
    max_iter : int, default 100
        Largest number of iterations of a run.
    tol : float, default 1e-4
        A run ends when an iteration gains at most this share of all it gained so far, or when no
        row moves.
    random_state : int, Generator, RandomState or None, optional
        Seed.
    weighting : {'uniform', 'length'}, default 'uniform'
        Whether all rows have the same weight, or each its number of words.
    smoothing : float, default 1.0
        The final β, in rows of weight one (and of average length with 'length').
    initial_smoothing : float, default 10.0
        The first β, in clusters of average weight.
    shrink : float, default 0.8
        Factor by which β shrinks in each iteration, below 1.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Smoothed centres, of sum one.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    objective_ : float
        The negative loss with its prior part, in bits times weight.
    objective_path_ : ndarray
        Objective after each iteration.
    information_loss_ : float
        Bits lost per row, without the prior part.
    smoothing_ : float
        The β at the end, in the same unit as `smoothing`.
    n_iter_ : int
        Number of iterations of the best run.
    blank_label_ : int
        Cluster of rows without words, which is the largest one.

    Notes
    -----
    Minimises Σ π KL(p ‖ q) over rows p and the centres q of their clusters: the mutual information
    between rows and words that the clustering loses (Dhillon, Mallela & Kumar 2003; KLKMeans of
    Banerjee & Langford 2004, §4.2). Rows are scaled to sum one. The input should be counts.

    A centre includes, besides its rows, a prior u on all words with weight β: q = (Σ π p + β u) /
    (Σ π + β), where u is the mean of all rows and of one row in which every word is equally
    frequent. That q is the best one for Σ π KL(p ‖ q) + β KL(u ‖ q), whose negative sum is the
    objective. β shrinks in each iteration, which can only lower the second term, so the objective
    never gets worse while β shrinks, nor under the final β.

    A cluster that loses its last row gets the row of the largest divergence from its own centre,
    unless that makes the objective worse; then it stays empty, with the prior as its centre.
    `transform` returns divergences in bits. A row of zeros is no distribution; its divergences are
    0.

    Examples
    --------
    >>> from clustervet.clusterers import KLKMeans
    >>> model = KLKMeans(2, random_state=0).fit([[8, 1, 0], [9, 0, 0], [0, 1, 7], [0, 0, 5]])
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3])
    True
    """

    weighting: str = UNIFORM
    smoothing: float = 1.0
    initial_smoothing: float = 10.0
    shrink: float = 0.8

    _squared: ClassVar[bool] = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def _check_values(self, matrix: Any) -> None:
        values = getattr(matrix, "data", matrix) if hasattr(matrix, "tocsr") else matrix
        if values.size and values.min() < 0:
            raise FeatureError(
                "Negative values in data: KLKMeans reads rows as counts, which are not negative; "
                f"the smallest given is {values.min():g}."
            )

    def _check_more(self) -> None:
        one_of(self.weighting, "weighting", (UNIFORM, LENGTH))
        for name in ("smoothing", "initial_smoothing", "shrink"):
            self._check_number(name, least=0.0)
        if not self.smoothing > 0:
            raise ParameterError(f"smoothing must be above 0, not {self.smoothing!r}.")
        if not self.shrink < 1:
            raise ParameterError(f"shrink must be below 1, not {self.shrink!r}.")

    def _weighted(self, rows: Rows) -> Rows:
        if self.weighting == UNIFORM:
            return rows
        with np.errstate(over="ignore"):
            weights = rows.weights * rows.sizes
            total = weights.sum()
        if not np.isfinite(total):
            raise FeatureError("rows are too long to weigh by length: their sum is not finite.")
        return replace(rows, weights=weights)

    def _run(self, rows: Rows, rng: np.random.Generator) -> Run:
        centres = self._centres(rows, rng)
        model = SmoothedModel(rows, len(centres), self)
        labels, _ = rows.nearest(log2_table((centres + model.prior) / 2.0), model.bias)
        return alternate(rows, model, labels, self.max_iter, self.tol)

    def _keep(self, rows: Rows, run: Run) -> None:
        model, weight = run.model, float(rows.weights.sum())
        self.cluster_centers_: Floats = model.centres
        self.smoothing_: float = model.weight / model.unit
        self._penalty: float = model.penalty
        self.information_loss_: float = -(run.objective + model.penalty) / weight

    def _tables(self) -> tuple[Floats, Floats]:
        return log2_table(self.cluster_centers_), np.zeros(len(self.cluster_centers_))

    def _distances(self, rows: Rows) -> Floats:
        gaps = negative_entropies(rows)[:, None] - rows.scores(*self._tables())
        return np.maximum(0.0, gaps)

    def _objective(self, rows: Rows) -> float:
        best = rows.nearest(*self._tables())[1]
        return rows.sum(best - negative_entropies(rows)) - self._penalty

    def _gaps(self, rows: Rows) -> Gaps:
        """Divergence of rows from a row that is mixed half and half with the prior.

        log q differs from that of the prior's half only for the words of the chosen row, so only
        these are looked up.
        """
        prior, whole = prior_of(rows), negative_entropies(rows)
        base = whole - rows.scores(np.log2(prior / 2)[:, None], np.zeros(1))[:, 0]

        def gaps(chosen: Chosen) -> Floats:
            words, values, starts = rows.pick(chosen)
            lifted = np.log2(1.0 + values / prior[words])
            return np.maximum(0.0, base[:, None] - rows.products(words, lifted, starts))

        return gaps


class SmoothedModel:
    """Centres smoothed by a prior whose weight shrinks; scores are expected log-probabilities."""

    def __init__(self, rows: Rows, k: int, options: KLKMeans) -> None:
        weight = float(rows.weights.sum())
        self.unit = weight / rows.mass
        self.final = options.smoothing * self.unit
        self.weight = max(self.final, options.initial_smoothing * weight / k)
        self.shrink = options.shrink
        self.prior = prior_of(rows)
        self.ceiling = negative_entropies(rows)
        self.entropy = rows.sum(self.ceiling)
        self.prior_entropy = float((self.prior * np.log2(self.prior)).sum())
        self.bias = np.zeros(k)
        self.table = np.zeros((rows.width, k))
        self.centres = np.zeros((k, rows.width))
        self.penalty = 0.0
        self.offset = 0.0
        self.at_rest = False

    def fit(self, sums: Sums, changed: Changed) -> None:
        """Best centres under the current weight of the prior."""
        self.at_rest = self.weight <= self.final
        totals = sums.totals + self.weight * self.prior
        self.centres = totals / (sums.sizes + self.weight)[:, None]
        self.table = log2_table(self.centres)
        cross = np.einsum("j,jh->h", self.prior, self.table)
        self.penalty = self.weight * float((self.prior_entropy - cross).sum())
        self.offset = -self.entropy - self.penalty

    def advance(self) -> None:
        """Shrink the weight of the prior."""
        self.weight = max(self.final, self.weight * self.shrink)


def prior_of(rows: Rows) -> Floats:
    """The mean of all rows and of one more row in which every word is equally frequent."""
    unit = float(rows.weights.sum()) / rows.mass
    total = rows.shared_sums(rows.weights[:, None])[:, 0] + unit / rows.width
    return np.asarray(total / total.sum())


def negative_entropies(rows: Rows) -> Floats:
    """Σ p log2 p of each row; zero for a row without words."""
    out = np.zeros(len(rows))
    held = np.flatnonzero(np.diff(rows.indptr) > 0)
    if len(held):
        safe = np.where(rows.data > 0, rows.data, 1.0)
        out[held] = np.add.reduceat(rows.data * np.log2(safe), rows.indptr[held])
    return out


def log2_table(centres: Floats) -> Floats:
    """Logarithms of the centres, features × clusters."""
    return np.ascontiguousarray(np.log2(centres).T)
