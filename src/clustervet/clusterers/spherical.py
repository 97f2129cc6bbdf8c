"""Clusters of directions: the base of the algorithms on the sphere, and spherical k-means."""

from __future__ import annotations

import numpy as np
from sklearn.base import ClusterMixin

from clustervet.clusterers.base import Clusterer
from clustervet.clusterers.lloyd import Changed, Run, alternate, fill_empty, fill_table
from clustervet.clusterers.rows import Floats, Labels, Rows, Sums
from clustervet.clusterers.seeding import Chosen, Gaps


class Directions(ClusterMixin, Clusterer):  # type: ignore[misc]  # scikit-learn ships no types
    """Base of the algorithms on the sphere: rows of length one, 1 - cosine as the gap."""

    def _distances(self, rows: Rows) -> Floats:
        centres = np.ascontiguousarray(self.cluster_centers_.T)
        return 1.0 - rows.scores(centres, np.zeros(centres.shape[1]))

    def _gaps(self, rows: Rows) -> Gaps:
        def gaps(chosen: Chosen) -> Floats:
            return np.maximum(0.0, 1.0 - rows.products(*rows.pick(chosen)))

        return gaps

    def _first_labels(self, rows: Rows, rng: np.random.Generator) -> tuple[Labels, Floats]:
        """Labels of the nearest of the centres to start from, and these centres as a table."""
        centres = self._centres(rows, rng)
        table, nothing = np.ascontiguousarray(centres.T), np.zeros(len(centres))
        return fill_empty(*rows.nearest(table, nothing), len(centres)), table


def unit_factors(lengths: Floats) -> Floats:
    """One divided by the lengths; zero where there is no direction."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.where(lengths > 0, 1.0 / lengths, 0.0))


def lengths_of(sums: Floats) -> Floats:
    """Lengths of the rows of a matrix."""
    return np.asarray(np.sqrt(np.einsum("hj,hj->h", sums, sums)))


class SphericalModel:
    """Scores are cosines: a column of the table is a sum of rows scaled to length one."""

    offset = 0.0
    at_rest = True

    def __init__(self, table: Floats) -> None:
        self.table = table
        self.bias = np.zeros(table.shape[1])
        self.ceiling = np.zeros(1)

    def fit(self, sums: Sums, changed: Changed) -> None:
        """Normalise the sums of the members; without rows or direction a centre does not change."""
        lengths = lengths_of(sums.totals)
        fill_table(self.table, sums.totals, unit_factors(lengths), changed & (lengths > 0))

    def advance(self) -> None:
        """Do nothing: only the rows change."""


class SphericalKMeans(Directions):
    """Spherical k-means: unit rows, unit centres, the cosine as similarity.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of clusters.
    init : {'k-means++', 'random'} or array_like, default 'k-means++'
        Rows to start from: spread out by 1 - cosine, or drawn by weight; or an array of centres,
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

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Centres, of length one.
    labels_ : ndarray of shape (n_samples,)
        Cluster of each row.
    objective_ : float
        Sum of cosines at the end.
    objective_path_ : ndarray
        Sum of cosines after each iteration.
    inertia_ : float
        Sum of squared distances between rows and centres, 2 (n - `objective_`).
    n_iter_ : int
        Number of iterations of the best run.
    blank_label_ : int
        Cluster of rows without words, which is the largest one.

    Notes
    -----
    Maximises the sum of cosines between rows and the centre of their cluster (Dhillon & Modha 2001;
    SPKMeans of Banerjee & Langford 2004, §4.2). Rows are scaled to length one. The input should be
    tf-idf weights, or counts.

    A cluster that loses its last row gets the row with the least cosine to its own centre; by the
    triangle inequality that never makes the objective worse. Results do not depend on the order of
    rows, and a row given twice counts as one of double weight. `transform` returns 1 - cosine. A
    row of zeros has no direction: it does not change any centre.

    Examples
    --------
    >>> from clustervet.clusterers import SphericalKMeans
    >>> model = SphericalKMeans(2, random_state=0).fit([[3, 0], [9, 1], [0, 2], [1, 8]])
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3])
    True
    """

    def _run(self, rows: Rows, rng: np.random.Generator) -> Run:
        labels, table = self._first_labels(rows, rng)
        return alternate(rows, SphericalModel(table), labels, self.max_iter, self.tol)

    def _keep(self, rows: Rows, run: Run) -> None:
        self.cluster_centers_: Floats = np.ascontiguousarray(run.model.table.T)
        self.inertia_: float = 2.0 * max(0.0, float(rows.weights.sum()) - run.objective)

    def _tables(self) -> tuple[Floats, Floats]:
        return np.ascontiguousarray(self.cluster_centers_.T), np.zeros(len(self.cluster_centers_))
