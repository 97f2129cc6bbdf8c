"""`PacMdlSearch`: a selection as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import make_pipeline
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from clustervet._checks import is_number
from clustervet.errors import LabelError, ParameterError, Setting
from clustervet.fitting.algorithms import read_algorithms
from clustervet.fitting.preparation import read_representations
from clustervet.labels import Codes, check_index, plain_label, read_labels, show_label
from clustervet.selection.select import select

UNLABELLED = -1


def _can_predict(search: PacMdlSearch) -> bool:
    """Return whether new points get a cluster: by the best estimator, or before a fit by all."""
    if hasattr(search, "best_estimator_"):
        return hasattr(search.best_estimator_, "predict")
    return all(
        hasattr(algorithm.template, "predict") for algorithm in read_algorithms(search.algorithms)
    )


class PacMdlSearch(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # they ship no types
    """The clustering whose errors as a predictor of labels have the lowest bound.

    Clusters all points, labelled or not, by every algorithm, number of clusters and run, and
    keeps the one of the lowest PAC-MDL bound (Banerjee & Langford 2004). See
    `clustervet.select`, which has the same parameters.

    Parameters
    ----------
    algorithms : list of str or dict, optional
        Names, or a mapping from names to clusterers; by default the paper's six.
    clusters : int or iterable of int, optional
        Numbers of clusters; by default 2 to 20.
    runs : int, optional
        Fits of each.
    train : float or int, optional
        Share or number of points to look at, where every point has a label.
    language : str or Language, optional
        What the bits pay for.
    delta : float, optional
        The probability that the bound may fail.
    labels : int or list, optional
        The possible labels, or their number.
    noise : {"keep", "singletons"}, optional
        What points labelled -1 by a clusterer are.
    held_out : float, optional
        The share of the labelled points that is held out for the other predictors of
        `selection_`. `predict` and `transduction_` are those of the lowest PAC-MDL bound.
    baseline : bool, optional
        Whether a plain classifier is trained beside the clusterings.
    run_choice : {"bound", "objective"}, optional
        What chooses the run of an algorithm with some number of clusters.
    standardize : bool, optional
        Whether every feature gets mean 0 and variance 1 first.
    weighting : {"none", "counts", "tfidf"}, optional
        What is done to counts of words.
    neighbours : int, optional
        The number of nearest rows by which rows of words are smoothed.
    representations : mapping, optional
        Several kinds of settings to choose from, by name. Other features of the same points, which
        `select` takes too, would be unknown for new points.
    journal : path, optional
        A file to which every finished fit is written at once.
    n_jobs : int, optional
        How many fits run at once.
    random_state : int, Generator, RandomState or None, optional
        The seed of the split and of all fits.

    Attributes
    ----------
    best_estimator_ : estimator
        The chosen clusterer, fitted to all points; a pipeline where features are prepared.
    best_params_ : dict
        Its algorithm, number of clusters, run and seed.
    best_bound_ : Bound
        The bound on its errors among the unlabelled points.
    selection_ : Selection
        The selection, with every candidate.
    labels_ : ndarray
        Its cluster of each point.
    transduction_ : ndarray
        The label that each point gets from its cluster.
    classes_ : ndarray
        The labels that were seen.
    n_features_in_, feature_names_in_ : int and ndarray
        The number and the names of the features.

    Notes
    -----
    In `fit(X, y)`, the number -1, None and NaN in y mean that a point has no label, as in
    `sklearn.semi_supervised`. `predict` gives a new point the label of its cluster, `fit_predict`
    every fitted point, and `score` counts only points that have a label. A search may be the last
    step of a pipeline. Where metadata are routed, `set_fit_request(labelled=True)` asks for
    `labelled`. Settings that `GridSearchCV` chooses by the same labels are not paid for by
    `best_bound_`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import KMeans
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 1, (100, 2)) for c in ((0, 0), (9, 0))])
    >>> y = np.where(rng.random(200) < 0.5, np.repeat([0, 1], 100), -1)
    >>> search = PacMdlSearch({"kmeans": KMeans(n_init=1)}, clusters=range(2, 5), runs=2).fit(X, y)
    >>> search.best_params_["clusters"], search.best_bound_.max_errors
    (2, 8)
    >>> search.predict([[0.5, 0], [8, 1]])
    array([0, 1])
    """

    def __init__(
        self,
        algorithms: Any = None,
        *,
        clusters: Any = None,
        runs: int = 10,
        train: float | int = 0.5,
        language: Any = "auto",
        delta: float = 0.1,
        labels: Any = None,
        noise: str | None = None,
        held_out: float = 0.5,
        baseline: bool = True,
        run_choice: str = "bound",
        standardize: bool = False,
        weighting: str = "none",
        neighbours: int = 0,
        representations: Any = None,
        journal: Any = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.algorithms = algorithms
        self.clusters = clusters
        self.runs = runs
        self.train = train
        self.language = language
        self.delta = delta
        self.labels = labels
        self.noise = noise
        self.held_out = held_out
        self.baseline = baseline
        self.run_choice = run_choice
        self.standardize = standardize
        self.weighting = weighting
        self.neighbours = neighbours
        self.representations = representations
        self.journal = journal
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self,
        X: Any,  # noqa: N803  # the name that scikit-learn gives it
        y: Any,
        labelled: Any = None,
    ) -> Self:
        """Cluster the points and choose by those that have a label.

        Parameters
        ----------
        X : array-like or sparse matrix
            Points by features.
        y : array-like
            One label per point; -1, None or NaN where there is none. A data frame and a series of
            pandas must have equal indexes.
        labelled : array-like, optional
            The points whose labels are looked at, as in `select`; a mask can be routed and split.

        Returns
        -------
        PacMdlSearch
            The fitted search itself.

        Raises
        ------
        LabelError
            If there are no labels, or one class only.

        Examples
        --------
        >>> from sklearn.cluster import KMeans
        >>> X, y = [[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]], ["a", "a", -1, "b", -1, "b"]
        >>> search = PacMdlSearch({"kmeans": KMeans(n_init=1)}, clusters=[2], runs=1).fit(X, y)
        >>> search.best_params_["clusters"], search.classes_.tolist()
        (2, ['a', 'b'])
        """
        matrix = validate_data(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=2
        )
        self._dtype = matrix.dtype
        check_index({"X": X, "y": y, "labelled": labelled})
        truth = _with_missing(y)
        self.classes_ = _classes(truth)
        if len(self.classes_) == 1 and self.labels is None:
            raise LabelError(
                f"y has one class only, {show_label(self.classes_[0])!r}; if there are others, "
                "name them with ",
                Setting("labels"),
                ".",
            )
        if not is_number(self.train):
            raise ParameterError(f"train must be one share or number here, not {self.train!r}.")
        for name, held in (self.representations or {}).items():
            if not isinstance(held, Mapping):
                raise ParameterError(
                    f"the representation {show_label(name)!r} must be a mapping of settings here."
                )
        options = self.get_params(deep=False)
        options["random_state"] = _seed(self.random_state)
        self.selection_ = select(matrix, truth, **options, labelled=labelled)
        best = self.selection_.best
        self.best_params_ = {
            "algorithm": best.algorithm,
            "clusters": best.clusters,
            "run": best.run,
            "random_state": best.seed,
            **({"representation": best.representation} if best.representation else {}),
        }
        self.best_bound_ = self.selection_.bound
        self.labels_ = self.selection_.labels
        self.transduction_ = self.selection_.predictions
        self.best_estimator_ = self._fitted(matrix)
        return self

    def _fitted(self, matrix: Any) -> Any:
        """Fit the best clusterer again, by its own seed, since a journal holds only labels."""
        best = self.selection_.best
        usual = self.weighting, self.neighbours, self.standardize
        kinds = read_representations(self.representations, matrix, *usual)
        kind, algorithm = next(
            (kind, algorithm)
            for kind in kinds
            for algorithm in read_algorithms(self.algorithms)
            if kind.reader(algorithm).name == best.algorithm
        )
        clusterer = algorithm.made(best.clusters, best.seed)
        before = kind.preparation.steps(algorithm, matrix)
        return (make_pipeline(*before, clusterer) if before else clusterer).fit(matrix)

    def fit_predict(
        self,
        X: Any,  # noqa: N803  # as above
        y: Any,
        labelled: Any = None,
    ) -> NDArray[Any]:
        """Fit, and return the label that each point gets from its cluster.

        It needs no clusterer that predicts new points.

        Parameters
        ----------
        X : array-like or sparse matrix
            Points by features.
        y : array-like
            One label per point, as in `fit`.
        labelled : array-like, optional
            The points whose labels are looked at, as in `fit`.

        Returns
        -------
        ndarray
            One label per point: `transduction_`.

        Examples
        --------
        >>> from sklearn.pipeline import make_pipeline
        >>> from sklearn.preprocessing import StandardScaler
        >>> X, y = [[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]], ["a", "a", -1, "b", -1, "b"]
        >>> search = PacMdlSearch(["ward"], clusters=[2])
        >>> make_pipeline(StandardScaler(), search).fit_predict(X, y).tolist()
        ['a', 'a', 'a', 'b', 'b', 'b']
        """
        found: NDArray[Any] = self.fit(X, y, labelled=labelled).transduction_
        return found

    @available_if(_can_predict)  # type: ignore[untyped-decorator]  # scikit-learn ships no types
    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803  # as above
        """Return the label of the cluster that each new point falls into.

        Parameters
        ----------
        X : array-like or sparse matrix
            New points, with the features of those that were fitted.

        Returns
        -------
        ndarray
            One label per point.

        Examples
        --------
        >>> from sklearn.cluster import KMeans
        >>> X, y = [[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]], ["a", "a", -1, "b", -1, "b"]
        >>> search = PacMdlSearch({"kmeans": KMeans(n_init=1)}, clusters=[2], runs=1).fit(X, y)
        >>> search.predict([[0.3], [8.5]]).tolist()
        ['a', 'b']
        """
        check_is_fitted(self)
        matrix = validate_data(self, X, reset=False, accept_sparse="csr", dtype=self._dtype)
        clusters = np.asarray(self.best_estimator_.predict(matrix)).tolist()
        assignment = self.best_bound_.assignment
        # A cluster that came out empty has no label of its own.
        known = [assignment.get(cluster, self.best_bound_.constant.label) for cluster in clusters]
        return np.array(known, self.transduction_.dtype)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803  # as above
        """Return the share of the points with a label that are predicted rightly.

        Parameters
        ----------
        X : array-like or sparse matrix
            Points by features.
        y : array-like
            One label per point; -1, None or NaN where there is none.
        sample_weight : array-like, optional
            One weight per point.

        Returns
        -------
        float
            The accuracy.

        Raises
        ------
        LabelError
            If no point has a label.

        Examples
        --------
        >>> from sklearn.cluster import KMeans
        >>> X, y = [[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]], ["a", "a", -1, "b", -1, "b"]
        >>> search = PacMdlSearch({"kmeans": KMeans(n_init=1)}, clusters=[2], runs=1).fit(X, y)
        >>> search.score(X, y)
        1.0
        """
        check_consistent_length(X, y, sample_weight)
        truth = _with_missing(y)
        known = ~np.asarray(truth.missing)
        if not known.any():
            raise LabelError("no point of y has a label, so there is nothing to score.")
        names = np.array([plain_label(name) for name in truth.restore(truth.values)], object)
        right = self.predict(X).astype(object)[known] == names[known]
        weights = None if sample_weight is None else np.asarray(sample_weight, float)[known]
        return float(np.average(right, weights=weights))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.classifier_tags.poor_score = True
        return tags


def _with_missing(y: Any) -> Codes:
    """Return labels that are missing where they are -1."""
    if y is None:
        raise LabelError(
            "requires y to be passed, but the target y is None: one label per point, -1 where "
            "there is none."
        )
    codes = read_labels(_flat(y), "y")
    absent = np.zeros(len(codes), bool) if codes.missing is None else codes.missing
    return replace(codes, missing=absent | (codes.values == codes.find(UNLABELLED)))


def _flat(y: Any) -> Any:
    """Return one column as scikit-learn reads it, with its warning and its refusals."""
    if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
        y = column_or_1d(y, warn=True)
    if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind == "f":
        check_classification_targets(y[~np.isnan(y)])
    return y


def _classes(truth: Codes) -> NDArray[Any]:
    seen = np.unique(truth.values[~np.asarray(truth.missing)])
    names = [plain_label(name) for name in truth.restore(seen)]
    try:
        return np.unique(np.array(sorted(names)))
    except TypeError:
        return np.array(names, object)


def _seed(random_state: Any) -> Any:
    """Return a seed from scikit-learn's own kind of generator, too."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    return random_state
