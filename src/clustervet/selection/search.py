"""`PacMdlSearch`: a selection as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import make_pipeline
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from clustervet.errors import LabelError
from clustervet.labels import plain_label, read_labels, show_label
from clustervet.selection.algorithms import read_algorithms
from clustervet.selection.inputs import DEFAULT_CLUSTERS
from clustervet.selection.preparation import Preparation
from clustervet.selection.select import select

UNLABELLED = -1


def _can_predict(search: PacMdlSearch) -> bool:
    """Whether new points have a cluster: the best estimator tells, or before it all of them do."""
    if hasattr(search, "best_estimator_"):
        return hasattr(search.best_estimator_, "predict")
    return all(
        hasattr(algorithm.clusterer.template, "predict")
        for algorithm in read_algorithms(search.algorithms)
    )


class PacMdlSearch(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # they ship no types
    """The clustering whose errors as a predictor of labels are bounded lowest.

    Clusters all points, labelled or not, by every algorithm, number of clusters and run, and
    keeps the one of the lowest PAC-MDL bound (Banerjee & Langford 2004). See
    `clustervet.select`, whose parameters these are.

    Parameters
    ----------
    algorithms : names, or mapping from names to clusterers; by default the paper's six
    clusters : numbers of clusters; by default 2 to 20
    runs : fits of each
    train : share or number of points to look at, where every point has a label
    language, delta, labels, noise, weighting, neighbours : see `select`
    journal, n_jobs, random_state : see `select`

    Attributes
    ----------
    best_estimator_ : the chosen clusterer, fitted to all points; a pipeline where weighted or
        smoothed
    best_params_ : its algorithm, number of clusters, run and seed
    best_bound_ : `Bound` on its errors among the unlabelled points
    selection_ : `Selection`, with every candidate
    labels_ : its cluster of each point
    transduction_ : the label that each point gets from its cluster
    classes_ : the labels that were seen
    n_features_in_, feature_names_in_ : as everywhere

    Notes
    -----
    In `fit(X, y)`, the number -1, None and NaN in y mean that a point has no label, as in
    `sklearn.semi_supervised`. `predict` gives a new point the label of its cluster.

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
        weighting: str = "none",
        neighbours: int = 0,
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
        self.weighting = weighting
        self.neighbours = neighbours
        self.journal = journal
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803  # the name that scikit-learn gives it
        """Cluster the points and choose by those that have a label."""
        matrix = validate_data(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=2
        )
        self._dtype = matrix.dtype
        truth = _with_missing(y, matrix.shape[0])
        self.classes_ = _classes(truth)
        if len(self.classes_) == 1 and self.labels is None:
            raise LabelError(
                f"y has one class only, {show_label(self.classes_[0])!r}; if there are others, "
                "name them with labels=."
            )
        self.selection_ = select(
            matrix,
            truth,
            self.algorithms,
            DEFAULT_CLUSTERS if self.clusters is None else self.clusters,
            self.runs,
            train=self.train,
            language=self.language,
            delta=self.delta,
            labels=self.labels,
            noise=self.noise,
            weighting=self.weighting,
            neighbours=self.neighbours,
            journal=self.journal,
            n_jobs=self.n_jobs,
            random_state=_seed(self.random_state),
        )
        best = self.selection_.best
        self.best_params_ = {
            "algorithm": best.algorithm,
            "clusters": best.clusters,
            "run": best.run,
            "random_state": best.seed,
        }
        self.best_bound_ = self.selection_.bound
        self.labels_ = self.selection_.labels
        self.transduction_ = self.selection_.predictions
        self.best_estimator_ = self._fitted(matrix)
        return self

    def _fitted(self, matrix: Any) -> Any:
        """The best clusterer once more, by its own seed, since a journal keeps labels alone."""
        best = self.selection_.best
        algorithm = next(a for a in read_algorithms(self.algorithms) if a.name == best.algorithm)
        clusterer = algorithm.clusterer.made(best.clusters, best.seed)
        before = Preparation.read(self.weighting, self.neighbours).steps(algorithm, matrix)
        return (make_pipeline(*before, clusterer) if before else clusterer).fit(matrix)

    @available_if(_can_predict)  # type: ignore[untyped-decorator]  # scikit-learn ships no types
    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803  # as above
        """The label of the cluster that each new point falls into."""
        check_is_fitted(self)
        matrix = validate_data(self, X, reset=False, accept_sparse="csr", dtype=self._dtype)
        clusters = np.asarray(self.best_estimator_.predict(matrix)).tolist()
        assignment = self.best_bound_.assignment
        # A cluster that came out empty has no label of its own.
        known = [assignment.get(cluster, self.best_bound_.constant.label) for cluster in clusters]
        return np.array(known, self.transduction_.dtype)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        tags.classifier_tags.poor_score = True
        return tags


def _with_missing(y: Any, points: int) -> Any:
    """Labels with None where a point has none."""
    if y is None:
        raise LabelError(
            "requires y to be passed, but the target y is None: a label a point, -1 where there "
            "is none."
        )
    codes = read_labels(_flat(y), "y")
    names = [plain_label(name) for name in codes.restore(codes.values)]
    absent = np.zeros(len(names), bool) if codes.missing is None else codes.missing
    if len(names) != points:
        raise LabelError(
            f"y must have a label a point; X has {points:,} points and y has {len(names):,} labels."
        )
    told = np.empty(points, object)
    told[:] = [
        None if gone or _is_unlabelled(name) else name
        for name, gone in zip(names, absent, strict=True)
    ]
    return told


def _flat(y: Any) -> Any:
    """One column as scikit-learn takes it, with its warning, and its refusal of measurements."""
    if getattr(y, "ndim", 1) == 2 and y.shape[1] == 1:
        y = column_or_1d(y, warn=True)
    if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind == "f":
        check_classification_targets(y[~np.isnan(y)])
    return y


def _is_unlabelled(name: Any) -> bool:
    return isinstance(name, int | float) and not isinstance(name, bool) and name == UNLABELLED


def _classes(truth: NDArray[Any]) -> NDArray[Any]:
    names = list(dict.fromkeys(name for name in truth.tolist() if name is not None))
    try:
        return np.unique(np.array(sorted(names)))
    except TypeError:
        return np.array(names, object)


def _seed(random_state: Any) -> Any:
    """Scikit-learn's own kind of generator gives a seed, too."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    return random_state
