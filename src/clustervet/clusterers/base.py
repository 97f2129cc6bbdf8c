"""The base of all clusterers: parameters, reading of data, runs, prediction."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from clustervet._checks import whole
from clustervet.clusterers.lloyd import Run
from clustervet.clusterers.rows import Floats, Labels, Rows, read_rows
from clustervet.clusterers.seeding import Gaps, generators, random_rows, spread_rows
from clustervet.errors import FeatureError, ParameterError

SPREAD, RANDOM = "k-means++", "random"


@dataclass(eq=False, repr=False)
class Clusterer(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]  # scikit-learn ships no types
    TransformerMixin,  # type: ignore[misc]  # scikit-learn ships no types
    BaseEstimator,  # type: ignore[misc]  # scikit-learn ships no types
    ABC,
):
    """Base of the clusterers; a subclass defines how rows are scaled, seeded, fitted and scored.

    scikit-learn's check of every `ClusterMixin` passes negative numbers, so a subclass is a
    `ClusterMixin` only if it accepts them. All are tagged as clusterers.
    """

    # Rows are scaled to length one, or to sum one.
    _squared: ClassVar[bool] = True
    # Attributes with one entry per cluster.
    _by_cluster: ClassVar[tuple[str, ...]] = ("cluster_centers_",)

    # Parameters of all clusterers. scikit-learn reads them from the constructor, which the
    # dataclass makes from the fields of the class and its bases.
    n_clusters: int = 8
    _: KW_ONLY
    init: Any = SPREAD
    n_init: int = 1
    max_iter: int = 100
    tol: float = 1e-4
    random_state: Any = None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: N803 - scikit-learn's name
        """Cluster the rows.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_samples, n_features)
            Counts or weights of words, one row per document.
        y : object, optional
            Ignored.
        sample_weight : array_like, optional
            One number per row, not negative.

        Returns
        -------
        Clusterer
            The fitted estimator.

        Raises
        ------
        ParameterError
            If a parameter is out of range, or there are fewer rows than clusters.
        FeatureError
            If the rows or weights cannot be read, or every row is zero.

        Examples
        --------
        >>> from clustervet.clusterers import SphericalKMeans
        >>> SphericalKMeans(2, random_state=0).fit([[3, 0], [9, 1], [0, 2]]).cluster_centers_.shape
        (2, 2)
        """
        self._check()
        matrix = self._read(X, reset=True)
        if matrix.shape[0] < self.n_clusters:
            raise ParameterError(
                f"n_samples={matrix.shape[0]} rows cannot fill n_clusters={self.n_clusters} "
                "clusters; give at least as many rows as clusters."
            )
        weights = _weights(sample_weight, matrix.shape[0])
        rows = self._weighted(read_rows(matrix, weights, squared=self._squared, merge=True))
        if not len(rows):
            raise FeatureError("every row with a weight is zero, so none has a direction.")
        runs = (self._run(rows, rng) for rng in generators(self.random_state, self.n_init))
        best = max(runs, key=lambda run: run.objective)
        self._keep(rows, best)
        self._label(matrix, rows, self._ordered(best.labels))
        self.n_iter_: int = best.iterations
        self.objective_: float = best.objective
        self.objective_path_: Floats = np.asarray(best.path)
        return self

    def fit_predict(self, X: Any, y: Any = None, **options: Any) -> Labels:  # noqa: N803 - scikit-learn's name
        """Cluster the rows and return the cluster of each.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_samples, n_features)
            Counts or weights of words, one row per document.
        y : object, optional
            Ignored.
        **options : dict
            Options of `fit`.

        Returns
        -------
        ndarray of int
            Cluster of each row.

        Examples
        --------
        >>> from clustervet.clusterers import SphericalKMeans
        >>> labels = SphericalKMeans(2, random_state=0).fit_predict([[3, 0], [9, 1], [0, 2]])
        >>> bool(labels[0] == labels[1] != labels[2])
        True
        """
        return self.fit(X, y, **options).labels_

    def predict(self, X: Any) -> Labels:  # noqa: N803 - scikit-learn's name
        """Return the cluster of each row.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_samples, n_features)
            Rows like those of the fit.

        Returns
        -------
        ndarray of int
            Cluster of each row; `blank_label_` for rows without words.

        Examples
        --------
        >>> from clustervet.clusterers import SphericalKMeans
        >>> model = SphericalKMeans(2, random_state=0).fit([[3, 0], [9, 1], [0, 2]])
        >>> bool(model.predict([[1, 0]])[0] == model.labels_[0])
        True
        """
        check_is_fitted(self)
        return self._predict(self._rows(self._read(X, reset=False)))

    def transform(self, X: Any) -> NDArray[Any]:  # noqa: N803 - scikit-learn's name
        """Return the distances of the rows from the centres.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_samples, n_features)
            Rows like those of the fit.

        Returns
        -------
        ndarray of float
            Distances, rows × clusters; smaller is nearer.

        Examples
        --------
        >>> from clustervet.clusterers import SphericalKMeans
        >>> model = SphericalKMeans(2, random_state=0).fit([[3, 0], [9, 0], [0, 2]])
        >>> np.sort(model.transform([[1, 0]])[0]).tolist()
        [0.0, 1.0]
        """
        check_is_fitted(self)
        matrix = self._read(X, reset=False)
        return self._distances(self._rows(matrix)).astype(matrix.dtype, copy=False)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:  # noqa: N803 - scikit-learn's name
        """Return the objective of the rows under the fitted model; greater is better.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_samples, n_features)
            Rows like those of the fit.
        y : object, optional
            Ignored.
        sample_weight : array_like, optional
            One number per row, not negative.

        Returns
        -------
        float
            The objective. Rows without words add nothing to it.

        Examples
        --------
        >>> from clustervet.clusterers import SphericalKMeans
        >>> model = SphericalKMeans(2, random_state=0).fit([[3, 0], [9, 0], [0, 2]])
        >>> model.score([[1, 0], [0, 1]])
        2.0
        """
        check_is_fitted(self)
        matrix = self._read(X, reset=False)
        weights = _weights(sample_weight, matrix.shape[0])
        rows = read_rows(matrix, weights, squared=self._squared, merge=True)
        return self._objective(self._weighted(rows)) if len(rows) else 0.0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "clusterer"
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    # What a subclass defines.

    @abstractmethod
    def _run(self, rows: Rows, rng: np.random.Generator) -> Run:
        """Make one run from one start."""

    @abstractmethod
    def _keep(self, rows: Rows, run: Run) -> None:
        """Set the results of a run: `cluster_centers_` and the attributes of the algorithm."""

    @abstractmethod
    def _tables(self) -> tuple[Floats, Floats]:
        """Table and bias of the fitted model; the cluster with the largest score wins."""

    @abstractmethod
    def _distances(self, rows: Rows) -> Floats:
        """The result of `transform`."""

    @abstractmethod
    def _gaps(self, rows: Rows) -> Gaps:
        """The dissimilarity by which seeds are spread."""

    def _objective(self, rows: Rows) -> float:
        """The result of `score`."""
        return rows.sum(rows.nearest(*self._tables())[1])

    def _weighted(self, rows: Rows) -> Rows:
        """Rows with the weights that the algorithm gives them."""
        return rows

    def _check_values(self, matrix: Any) -> None:
        """Refuse values that the algorithm cannot read."""

    def _check_more(self) -> None:
        """Check the parameters of the algorithm itself."""

    # What is shared.

    def _centres(self, rows: Rows, rng: np.random.Generator) -> Floats:
        """Scaled centres to start from, clusters by features."""
        if not isinstance(self.init, str):
            return self._given(rows)
        k = min(self.n_clusters, len(rows))
        if self.init == RANDOM:
            return rows.dense(random_rows(rows, k, rng))
        return rows.dense(spread_rows(rows, k, rng, self._gaps(rows)))

    def _given(self, rows: Rows) -> Floats:
        wanted = (self.n_clusters, rows.width)
        try:
            centres = np.array(self.init, np.float64)
        except (TypeError, ValueError):
            raise ParameterError(f"init must be an array of shape {wanted}.") from None
        if centres.shape != wanted:
            raise ParameterError(f"init must have the shape {wanted}, not {centres.shape}.")
        if not np.isfinite(centres).all() or not centres.any(axis=1).all():
            raise ParameterError("init must hold finite centres, none of them all zero.")
        self._check_values(centres)
        scale = np.abs(centres).max(axis=1, keepdims=True)
        centres /= scale
        lengths = np.linalg.norm(centres, axis=1) if self._squared else centres.sum(axis=1)
        return np.asarray(centres / lengths[:, None])

    def _check(self) -> None:
        for name in ("n_clusters", "n_init", "max_iter"):
            whole(getattr(self, name), name, 1)
        self._check_number("tol", least=0.0)
        if isinstance(self.init, str) and self.init not in (SPREAD, RANDOM):
            raise ParameterError(
                f"init must be {SPREAD!r}, {RANDOM!r} or an array of centres, not {self.init!r}."
            )
        self._check_more()

    def _check_number(self, name: str, *, least: float, most: float = np.inf) -> None:
        value = getattr(self, name)
        real = isinstance(value, Real) and not isinstance(value, bool)
        if not real or not (least <= float(value) <= most):
            span = f"at least {least:g}" if most == np.inf else f"from {least:g} to {most:g}"
            raise ParameterError(f"{name} must be a number {span}, not {value!r}.")

    def _read(self, data: Any, *, reset: bool) -> Any:
        """Data as a CSR or dense matrix of floats, checked by scikit-learn's rules."""
        matrix = validate_data(
            self, data, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32]
        )
        self._check_values(matrix)
        return matrix

    def _rows(self, matrix: Any) -> Rows:
        """Rows in the order given, equal ones included."""
        weights = np.ones(matrix.shape[0])
        return read_rows(matrix, weights, squared=self._squared, merge=False)

    def _predict(self, rows: Rows) -> Labels:
        labels, _ = rows.nearest(*self._tables())
        labels[rows.places < 0] = self.blank_label_
        return labels

    def _ordered(self, labels: Labels) -> Labels:
        """Labels after clusters without rows have moved to the end."""
        counts = np.bincount(labels, minlength=len(self.cluster_centers_))
        order = np.argsort(counts == 0, kind="stable")
        for name in self._by_cluster:
            setattr(self, name, getattr(self, name)[order])
        return np.argsort(order).astype(np.int32)[labels]

    def _label(self, matrix: Any, rows: Rows, labels: Labels) -> None:
        """Set the labels of all rows; rows that the run left out get predictions."""
        shares = np.bincount(labels, rows.weights, len(self.cluster_centers_))
        self.blank_label_: int = int(np.argmax(shares))
        self.labels_: Labels = labels[rows.places]
        left = np.flatnonzero(rows.places < 0)
        if len(left):
            self.labels_[left] = self._predict(self._rows(matrix[left]))
        found = len(np.unique(labels))
        if found < self.n_clusters:
            warnings.warn(
                f"only {found} of {self.n_clusters} clusters have rows; "
                f"there are {len(rows)} different rows.",
                ConvergenceWarning,
                stacklevel=3,
            )


def _weights(sample_weight: Any, n: int) -> Floats:
    """Weights of the rows as floats."""
    if sample_weight is None:
        return np.ones(n)
    try:
        weights = np.asarray(sample_weight, np.float64)
    except (TypeError, ValueError):
        raise FeatureError("sample_weight must hold one number per row.") from None
    if weights.ndim == 0:
        weights = np.full(n, float(weights))
    if weights.shape != (n,):
        raise FeatureError(f"sample_weight has shape {weights.shape}; {n} weights are needed.")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise FeatureError("sample_weight must hold finite numbers, none of them negative.")
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if not np.isfinite(total):
        raise FeatureError("sample_weight is too large: its sum is not finite.")
    if not total:
        raise FeatureError("sample_weight is zero for every row; one weight must be positive.")
    return weights
