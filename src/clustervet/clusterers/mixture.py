"""Mixtures of von Mises-Fisher densities: hard and soft."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from clustervet.clusterers.base import SPREAD
from clustervet.clusterers.bessel import log_normalizer
from clustervet.clusterers.components import MOST, HardModel, SoftModel, critical_concentration
from clustervet.clusterers.lloyd import Run, alternate
from clustervet.clusterers.rows import Floats, Rows
from clustervet.clusterers.spherical import Directions
from clustervet.errors import ParameterError

FREE, SHARED = "free", "shared"


class Mixture(Directions):
    """Base of the two mixtures: what is fitted, kept and predicted."""

    _by_cluster: ClassVar[tuple[str, ...]] = ("cluster_centers_", "concentrations_", "weights_")

    def _check_more(self) -> None:
        self._check_choice("concentration", (FREE, SHARED))

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
    """Mixture of von Mises-Fisher densities with every row in its likeliest component.

    Maximises the sum over rows of log α_h + log c_d(κ_h) + κ_h μ_h·x for the component h that
    a row belongs to (hard-moVMF of Banerjee et al. 2003; Banerjee & Langford 2004,
    §4.2). Rows are scaled to length one inside; give tf-idf weights with `sublinear_tf`.

    Parameters
    ----------
    n_clusters, init, n_init, max_iter, tol, random_state : see `SphericalKMeans`
    concentration : "free" or "shared"
        Each component's own κ, as in the paper, or one κ for all. In thousands of dimensions
        a few long or repetitive documents have a much larger κ than others, and free
        concentrations then sort documents by that rather than by topic.

    Attributes
    ----------
    cluster_centers_, labels_, objective_, objective_path_, n_iter_, blank_label_ :
        see `SphericalKMeans`; the objective is the log-likelihood of rows and labels, in nats
    concentrations_, weights_ : κ and α of each component

    Notes
    -----
    A component that loses its last row gets the row of least density, unless that makes the
    objective worse; then it stays empty, with weight zero. κ ends at 1e8, so that components
    of equal rows have a finite density. `transform` gives 1 - cosine.

    Examples
    --------
    >>> from clustervet.clusterers import HardMovMF
    >>> model = HardMovMF(2, random_state=0).fit([[3, 0], [9, 1], [0, 2], [1, 8], [1, 9]])
    >>> sorted(model.weights_.tolist())
    [0.4, 0.6]

    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        concentration: str = FREE,
        init: Any = SPREAD,
        n_init: int = 1,
        max_iter: int = 100,
        tol: float = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.concentration = concentration
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _run(self, rows: Rows, rng: np.random.Generator) -> Run:
        labels, table = self._first_labels(rows, rng)
        model = HardModel(rows.width, table.shape[1], shared=self.concentration == SHARED)
        return alternate(rows, model, labels, self.max_iter, self.tol)

    def _objective(self, rows: Rows) -> float:
        return rows.sum(rows.nearest(*self._tables())[1])


class SoftMovMF(Mixture):
    """Mixture of von Mises-Fisher densities, by expectation and maximisation.

    Maximises the log-likelihood Σ log Σ_h α_h c_d(κ_h) exp(κ_h μ_h·x) (soft-moVMF of Banerjee
    et al. 2003); labels are the likeliest components (Banerjee & Langford 2004, §4.2).
    Rows are scaled to length one inside; give tf-idf weights.

    Parameters
    ----------
    n_clusters, init, n_init, max_iter, tol, random_state : see `SphericalKMeans`
    concentration : "free" or "shared"
        See `HardMovMF`.
    annealing : float above 1, or None
        In thousands of dimensions posteriors are all but hard from the first iteration, and
        the start decides. With annealing no κ may pass a limit that begins at half the
        concentration at which one cluster first breaks into two, and grows by this factor
        an iteration until it no longer binds. The limit only ever widens what may be
        chosen, so the likelihood still never gets worse. 1.2 is a good factor; with
        `concentration="shared"` it is the best choice for short or few documents.

    Attributes
    ----------
    cluster_centers_, labels_, objective_, objective_path_, n_iter_, blank_label_ :
        see `SphericalKMeans`; the objective is the log-likelihood in nats
    concentrations_, weights_ : κ and α of each component

    Notes
    -----
    A component that explains nothing gets the row of least density, unless that makes the
    likelihood worse; then it stays out, with weight zero. κ ends at 1e8, so that components
    of equal rows have a finite density. `transform` gives 1 - cosine. A row of zeros has the
    component weights as its probabilities.

    Examples
    --------
    >>> from clustervet.clusterers import SoftMovMF
    >>> model = SoftMovMF(2, random_state=0).fit([[3, 0], [9, 1], [0, 2], [1, 8], [1, 9]])
    >>> model.posteriors([[1, 0]]).max().round(3)
    np.float64(1.0)

    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        concentration: str = FREE,
        annealing: float | None = None,
        init: Any = SPREAD,
        n_init: int = 1,
        max_iter: int = 100,
        tol: float = 1e-4,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.concentration = concentration
        self.annealing = annealing
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def posteriors(self, X: Any) -> Floats:  # noqa: N803 - scikit-learn's name
        """Probability of each component given the row."""
        check_is_fitted(self)
        rows = self._rows(X)
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
