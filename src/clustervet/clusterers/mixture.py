"""Mixtures of von Mises-Fisher densities: hard and soft."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from clustervet._checks import one_of
from clustervet.clusterers.bessel import log_normalizer
from clustervet.clusterers.components import MOST, HardModel, SoftModel, critical_concentration
from clustervet.clusterers.lloyd import Run, alternate
from clustervet.clusterers.rows import Floats, Rows
from clustervet.clusterers.spherical import Directions
from clustervet.errors import ParameterError

FREE, SHARED = "free", "shared"


@dataclass(eq=False, repr=False, kw_only=True)
class Mixture(Directions):
    """Base of the two mixtures."""

    concentration: str = FREE

    _by_cluster: ClassVar[tuple[str, ...]] = ("cluster_centers_", "concentrations_", "weights_")

    def _check_more(self) -> None:
        one_of(self.concentration, "concentration", (FREE, SHARED))

    def _keep(self, rows: Rows, run: Run) -> None:
        self.cluster_centers_: Floats = run.model.centres
        self.concentrations_: Floats = run.model.kappa
        self.weights_: Floats = run.model.weights

    def _tables(self) -> tuple[Floats, Floats]:
        kappa = self.concentrations_
        with np.errstate(divide="ignore"):
            logs = np.log(self.weights_)
        bias = logs + log_normalizer(self.n_features_in_, kappa) - kappa
        return np.ascontiguousarray((self.cluster_centers_ * kappa[:, None]).T), bias


class HardMovMF(Mixture):
    """Mixture of von Mises-Fisher densities with every row in its most likely component.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of components.
    init, n_init, max_iter, tol, random_state : optional
        As in `SphericalKMeans`.
    concentration : {'free', 'shared'}, default 'free'
        One κ per component, as in the paper, or one κ for all. In thousands of dimensions a few
        long or repetitive documents have a much larger κ than others, and free concentrations then
        sort documents by that rather than by topic.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Directions of the components, of length one.
    labels_ : ndarray of shape (n_samples,)
        Component of each row.
    objective_ : float
        Log-likelihood of rows and labels at the end, in nats.
    objective_path_ : ndarray
        Objective after each iteration.
    concentrations_ : ndarray of shape (n_clusters,)
        The κ of each component.
    weights_ : ndarray of shape (n_clusters,)
        The weight α of each component.
    n_iter_ : int
        Number of iterations of the best run.
    blank_label_ : int
        Cluster of rows without words, which is the largest one.

    Notes
    -----
    Maximises the sum over rows of log α_h + log c_d(κ_h) + κ_h μ_h·x for the component h of the row
    (hard-moVMF of Banerjee et al. 2003; Banerjee & Langford 2004, §4.2). Rows are scaled to length
    one. The input should be tf-idf weights with `sublinear_tf`.

    A component that loses its last row gets the row of least density, unless that makes the
    objective worse; then it stays empty, with weight zero. κ is at most 1e8, so that components of
    equal rows have a finite density. `transform` returns 1 - cosine.

    Examples
    --------
    >>> from clustervet.clusterers import HardMovMF
    >>> model = HardMovMF(2, random_state=0).fit([[3, 0], [9, 1], [0, 2], [1, 8], [1, 9]])
    >>> sorted(model.weights_.tolist())
    [0.4, 0.6]
    """

    def _run(self, rows: Rows, rng: np.random.Generator) -> Run:
        labels, table = self._first_labels(rows, rng)
        model = HardModel(rows.width, table.shape[1], shared=self.concentration == SHARED)
        return alternate(rows, model, labels, self.max_iter, self.tol)


@dataclass(eq=False, repr=False, kw_only=True)
class SoftMovMF(Mixture):
    """Mixture of von Mises-Fisher densities, by expectation and maximisation.

    Parameters
    ----------
    n_clusters : int, default 8
        Number of components.
    init, n_init, max_iter, tol, random_state : optional
        As in `SphericalKMeans`.
    concentration : {'free', 'shared'}, default 'free'
        One κ per component, as in the paper, or one κ for all; see `HardMovMF`.
    annealing : float or None, default 1.2
        Factor above 1, or None for none, as in the paper. In thousands of dimensions posteriors
        are nearly hard from the first iteration, and the result depends on the start. With
        annealing no κ may exceed a limit. The limit begins at half the concentration at which one
        cluster first splits in two, and grows by this factor in each iteration until it no longer
        binds. It only ever allows more, so the likelihood still never gets worse.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Most likely component of each row.
    objective_ : float
        Log-likelihood at the end, in nats.
    cluster_centers_, objective_path_, concentrations_, weights_, n_iter_, blank_label_
        As in `HardMovMF`.

    Notes
    -----
    Maximises the log-likelihood Σ log Σ_h α_h c_d(κ_h) exp(κ_h μ_h·x) (soft-moVMF of Banerjee et
    al. 2003); labels are the most likely components (Banerjee & Langford 2004, §4.2). Rows are
    scaled to length one. The input should be tf-idf weights.

    A component that explains nothing gets the row of least density, unless that makes the
    likelihood worse; then it is left out, with weight zero. κ is at most 1e8, so that components of
    equal rows have a finite density. `transform` returns 1 - cosine. A row of zeros has the
    component weights as its probabilities.

    Examples
    --------
    >>> from clustervet.clusterers import SoftMovMF
    >>> model = SoftMovMF(2, random_state=0).fit([[3, 0], [9, 1], [0, 2], [1, 8], [1, 9]])
    >>> model.posteriors([[1, 0]]).max().round(3)
    np.float64(1.0)
    """

    annealing: float | None = 1.2

    def posteriors(self, X: Any) -> Floats:  # noqa: N803 - scikit-learn's name
        """Return the probability of each component given the row.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_samples, n_features)
            Rows like those of the fit.

        Returns
        -------
        ndarray of float
            Probabilities, rows × components.

        Notes
        -----
        The probability of component h is α_h c_d(κ_h) exp(κ_h μ_h·x), normalised to sum one
        (Banerjee et al. 2003).

        Examples
        --------
        >>> from clustervet.clusterers import SoftMovMF
        >>> model = SoftMovMF(2, random_state=0).fit([[3, 0], [9, 1], [0, 2], [1, 8]])
        >>> model.posteriors([[1, 0], [0, 1]]).sum(axis=1).tolist()
        [1.0, 1.0]
        """
        check_is_fitted(self)
        rows = self._rows(self._read(X, reset=False))
        shares, _, _ = rows.posteriors(*self._tables())
        shares[rows.places < 0] = self.weights_
        return shares

    def _check_more(self) -> None:
        super()._check_more()
        if self.annealing is not None:
            self._check_number("annealing", least=1.0)
            if self.annealing == 1:
                raise ParameterError("annealing must be a number above 1 or None, not 1.")

    def _run(self, rows: Rows, rng: np.random.Generator) -> Run:
        table = np.ascontiguousarray(self._centres(rows, rng).T)
        model = SoftModel(rows, table.shape[1], shared=self.concentration == SHARED)
        growth = 1.0 if self.annealing is None else float(self.annealing)
        limit = MOST if self.annealing is None else min(MOST, critical_concentration(rows) / 2)
        return model.run(table * limit, limit, growth, self.max_iter, self.tol)

    def _objective(self, rows: Rows) -> float:
        return rows.sum(rows.posteriors(*self._tables())[2])
