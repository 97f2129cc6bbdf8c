"""`noise_features`: which features would raise the validated likelihood if they were left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import generator, share, whole
from clustervet.errors import FeatureError, ParameterError, UndefinedError
from clustervet.fitting.algorithms import Algorithm, read_algorithm, read_seed
from clustervet.fitting.fits import fit_row
from clustervet.geometry import Geometry
from clustervet.geometry.geometry import as_geometry, refuse_weights
from clustervet.geometry.points import is_sparse, read_points
from clustervet.internal.likelihood import check_shape, dealt_folds, fit_mixture, new_points
from clustervet.labels import plain_label
from clustervet.labels.pair import Missing, NoisePolicy
from clustervet.registry import Estimate
from clustervet.tuning.refits import FOLDS
from clustervet.view import Result, Section, plain, plain_table
from clustervet.view.words import counted, names, spoken

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class NoiseFeatures(Result):
    """What the clusters tell about each feature of points that took no part in them.

    Parameters
    ----------
    features : tuple
        The names of the features, or their numbers.
    gains : tuple of Estimate
        For each feature, what the clusters add to the mean log density of a point, in nats. Below 0
        the validated likelihood is higher if the feature is left out.
    shared : tuple of Estimate
        The part of each gain that other features confirm. The rest is the feature's own shape: the
        mixture describes several modes or heavy tails better than one Gaussian does.
    points : int
        The number of points that were judged.
    folds : int
        The number of folds; 0 where the points are those of a validation set.
    algorithm : str
        The clusterer that was fitted; "" where labels were given.
    covariance : str
        The shape of the covariances.
    confidence : float
        The confidence of the intervals.

    Notes
    -----
    A feature is "noise" if its gain is not above 0. It is "useful" if its gain is above 0 and the
    whole interval of the shared part is. Otherwise it is "unclear": the gain may be due to chance,
    or to the shape of the feature alone. Each interval holds for its feature alone.

    Examples
    --------
    >>> import numpy as np, clustervet as cv
    >>> rng = np.random.default_rng(0)
    >>> labels = np.repeat([0, 1], 60)
    >>> X = rng.normal(size=(120, 3)) + np.outer(labels, [4, 4, 0])
    >>> found = cv.noise_features(X, labels)
    >>> found.useful, found.noise
    ([0, 1], [2])
    """

    features: tuple[Any, ...]
    gains: tuple[Estimate, ...]
    shared: tuple[Estimate, ...]
    points: int
    folds: int
    algorithm: str
    covariance: str
    confidence: float

    @property
    def verdicts(self) -> list[str]:
        """For each feature "noise", "unclear" or "useful"."""
        found = []
        for gain, shared in zip(self.gains, self.shared, strict=True):
            clear = shared.interval(self.confidence)[0] > 0
            found.append("noise" if gain <= 0 else "useful" if clear else "unclear")
        return found

    @property
    def noise(self) -> list[Any]:
        """The features that would raise the validated likelihood if they were left out."""
        return self._named("noise")

    @property
    def useful(self) -> list[Any]:
        """The features that clusters tell something about, as other features clearly confirm."""
        return self._named("useful")

    @property
    def unclear(self) -> list[Any]:
        """The features whose gain is above 0, but perhaps by chance or by their shape alone."""
        return self._named("unclear")

    def _named(self, verdict: str) -> list[Any]:
        pairs = zip(self.features, self.verdicts, strict=True)
        return [feature for feature, found in pairs if found == verdict]

    def columns(self) -> dict[str, Any]:
        """Return one row per feature: its gain, the shared part, intervals and the verdict.

        Returns
        -------
        dict
            Values by the name of the column.
        """
        columns: dict[str, Any] = {"feature": list(self.features)}
        for name, values in (("gain", self.gains), ("shared", self.shared)):
            ends = [value.interval(self.confidence) for value in values]
            columns[name] = [float(value) for value in values]
            columns[f"{name}_low"] = [low for low, _ in ends]
            columns[f"{name}_high"] = [high for _, high in ends]
        return columns | {"verdict": self.verdicts}

    def to_dict(self) -> dict[str, Any]:
        """Return the features and how they were judged as plain data.

        Returns
        -------
        dict
            Plain data, as JSON holds it.
        """
        columns = self.columns()
        rows = zip(*columns.values(), strict=True)
        return {
            "points": self.points,
            "folds": self.folds,
            "algorithm": self.algorithm or None,
            "covariance": self.covariance,
            "confidence": self.confidence,
            "features": [plain(dict(zip(columns, row, strict=True))) for row in rows],
        }

    def document(self) -> Section:
        """Return which features carry noise only, and the table of gains, the least first.

        Returns
        -------
        Section
            The sentences and the table.
        """
        left = self.noise
        total = counted(len(self.features), "feature")
        said = f"None of {total} would raise the validated likelihood if left out."
        if left:
            listed = names([spoken(name) for name in left])
            said = (
                f"{len(left):,} of {total} would raise the validated likelihood if left out: "
                f"{listed}."
            )
        order = np.argsort([float(gain) for gain in self.gains], kind="stable")
        columns = {key: [values[k] for k in order] for key, values in self.columns().items()}
        table = plain_table(
            "noise-features",
            "What the clusters tell about each feature, in nats per point",
            columns,
        )
        return Section("noise_features", "Noise features", (said, self._how()), (table,))

    def _how(self) -> str:
        """Return how the features were judged."""
        if not self.folds:
            how = f"{counted(self.points, 'point')} of a validation set"
        elif self.algorithm:
            how = (
                f"{counted(self.points, 'point')}; {spoken(self.algorithm)} was fitted again "
                f"without each of {self.folds} folds"
            )
        else:
            how = (
                f"{counted(self.points, 'point')} in {self.folds} folds; the labels come from all "
                "points, which flatters the features that they were made from"
            )
        return f"Judged by {how} ({self.covariance} covariances)."


class _Part(NamedTuple):
    """Points with their clusters, and the points to judge by them, in the same unit."""

    points: NDArray[Any]
    codes: NDArray[np.int32]
    names: list[Any]
    judged: NDArray[Any]


def noise_features(
    X: Any,  # noqa: N803  # the name that everyone gives to features
    clustering: Any,
    *,
    n_clusters: int | None = None,
    covariance: str = "diagonal",
    regularization: float = 0.0,
    folds: int = FOLDS,
    validation: Any = None,
    confidence: float = 0.95,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: Missing = "raise",
    feature_names: Sequence[Any] | None = None,
    random_state: Any = 0,
) -> NoiseFeatures:
    """Tell which features would raise the validated likelihood if they were left out.

    Parameters
    ----------
    X : array-like or data frame
        Points by features, dense.
    clustering : array-like, str, class or object
        One label per point; or the name of an algorithm, such as "kmeans", or any scikit-learn
        clusterer, which is fitted again without the points that are judged.
    n_clusters : int, optional
        The number of clusters, for a clusterer.
    covariance : {'diagonal', 'spherical', 'tied', 'full'}, default 'diagonal'
        Shape of the covariances of the clusters. With 'tied' and 'full' a feature is also useful if
        it depends on other features within clusters.
    regularization : float, default 0.0
        Share of the features' mean variance that is added to every variance.
    folds : int, default 10
        Number of parts that are left out in turn, at least 2, where there is no validation set.
    validation : array-like or data frame, optional
        Other points of the same population, which are judged instead. The clusters are then those
        of all of X.
    confidence : float, default 0.95
        Confidence of the intervals.
    noise : label, str or dict, optional
        Label that means noise, a policy for the label -1, or a policy per label. By default noise
        is one more cluster.
    noise_policy : {'keep', 'drop', 'singletons'}, optional
        What to do with noise.
    missing : {'raise', 'drop', 'class'}, default 'raise'
        What to do with missing labels.
    feature_names : sequence, optional
        Names of the features; by default those of the data frame, or 0, 1, 2 and so on.
    random_state : int, Generator or None, default 0
        Seed for the folds, and for a clusterer that has no seed of its own.

    Returns
    -------
    NoiseFeatures
        For each feature what the clusters tell about it, with an interval and a verdict.

    Raises
    ------
    FeatureError
        If the features cannot be read, are sparse, or have no variance in a cluster.
    LabelError
        If labels cannot be read, or their number is not that of the points.
    ParameterError
        If an option is unknown or out of range, or if the clusterer refuses the points.

    Notes
    -----
    Dom 2001, App. C.1, calls a feature noise if it follows the same distribution in all clusters,
    and warns that likelihoods over different features cannot be compared. So both models here are
    densities of all features. One is the mixture of the clusters, p(x) = sum_j a_j p_j(x). In the
    other one, feature f has a distribution of its own, whatever the cluster is:
    p(x without f) p_0(x_f). The first factor is the same mixture without the feature, and p_0 is
    one Gaussian. What the clusters tell about the feature, its gain, is the mean over points that
    took no part in either fit of ::

        ln p(x) - ln p(x without f) - ln p_0(x_f) = ln p(x_f given the others) - ln p_0(x_f)

    Under a diagonal covariance the other features say something about x_f only through the cluster.
    A gain below 0 says that the model in which the feature carries noise only predicts new points
    better: parameters for each cluster cost more than they tell. Clusters are not fitted again
    without the feature.

    A mixture also describes several modes or heavy tails of a single feature better than one
    Gaussian does, even if the feature has nothing to do with the clusters. So the gain is the sum
    of two parts. With the density of the feature by itself in the mixture, p(x_f), they are ::

        ln p(x_f given the others) - ln p(x_f)    and    ln p(x_f) - ln p_0(x_f)

    The first part is what other features confirm. It is never above 0, on average, for a feature
    that is independent of the others, whatever its distribution is. A feature is called useful only
    if this part is clearly above 0. Where a single feature makes the clusters and no other one
    confirms them, it is unclear.

    The standard error is that of a mean over points. The labels of points that are judged are
    never used. Still, labels that were made from all points have seen them; a clusterer has not.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import KMeans
    >>> rng = np.random.default_rng(2)
    >>> centres = np.repeat([[0, 0], [5, 0], [0, 5]], 50, axis=0)
    >>> X = np.column_stack([centres + rng.normal(size=(150, 2)), rng.normal(size=(150, 2))])
    >>> found = noise_features(X, KMeans(3), feature_names=["a", "b", "c", "d"])
    >>> found.useful, found.noise
    (['a', 'b'], ['c', 'd'])
    """
    check_shape(covariance, regularization)
    level = share(confidence, "confidence")
    count = whole(folds, "folds", 2)
    policies = {"noise": noise, "noise_policy": noise_policy, "missing": missing}
    shown = _feature_names(X, feature_names)
    name = ""
    if _is_clusterer(clustering):
        refit = _Refit(_read_clusterer(clustering, n_clusters), n_clusters, policies, random_state)
        name = refit.algorithm.name
        parts = refit.parts(X, validation, count)
    elif n_clusters is not None:
        raise ParameterError("n_clusters is for a clusterer, and labels were given.")
    else:
        geometry = as_geometry("noise_features", X, clustering, **policies)
        refuse_weights("noise_features", geometry)
        parts = _kept_labels(geometry, validation, count, random_state)
    found = [_gains(part, covariance, regularization) for part in parts]
    n, d = sum(len(gains) for gains, _ in found), found[0][0].shape[1]
    if shown is not None and len(shown) != d:
        raise ParameterError(f"feature_names has {len(shown):,} names, and X has {d:,} features.")
    gains, shared = (_estimates(np.concatenate(every)) for every in zip(*found, strict=True))
    return NoiseFeatures(
        features=tuple(range(d) if shown is None else shown),
        gains=gains,
        shared=shared,
        points=n,
        folds=0 if validation is not None else len(found),
        algorithm=name,
        covariance=covariance,
        confidence=level,
    )


def _estimates(values: Floats) -> tuple[Estimate, ...]:
    """Return the mean of each column with its standard error."""
    n, d = values.shape
    errors = values.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else np.full(d, np.nan)
    return tuple(
        Estimate(value, standard_error=error, sample=n, degrees=n - 1)
        for value, error in zip(values.mean(axis=0).tolist(), errors.tolist(), strict=True)
    )


def _gains(part: _Part, covariance: str, regularization: float) -> tuple[Floats, Floats]:
    """Return what the clusters tell about each feature of each judged point, and what is shared."""
    one = np.zeros(len(part.points), np.int32)
    try:
        mixture = fit_mixture(part.points, part.codes, part.names, covariance, regularization)
        alone = fit_mixture(part.points, one, ["all"], "diagonal", regularization)
    except UndefinedError as undefined:
        raise FeatureError(f"{undefined}.") from None
    told = mixture.log_densities(part.judged)[:, None] - mixture.without_each(part.judged)
    return told - alone.conditionals(part.judged, 0), told - mixture.marginals(part.judged)


def _kept_labels(
    geometry: Geometry, validation: Any, folds: int, random_state: Any
) -> Iterator[_Part]:
    """Yield the points without each fold, with the labels that they have."""
    try:
        points = geometry.dense
    except UndefinedError as undefined:
        raise FeatureError(f"noise_features has no value here: {undefined}.") from None
    if validation is not None:
        judged = new_points(geometry, validation)
        yield _Part(points, geometry.codes, geometry.names, judged)
        return
    count = min(folds, geometry.rows)
    if count < 2:
        raise FeatureError("noise_features needs at least 2 points.")
    fold = dealt_folds(geometry, count, random_state)
    for k in range(count):
        out = fold == k
        yield _Part(points[~out], geometry.codes[~out], geometry.names, points[out])


@dataclass(frozen=True)
class _Refit:
    """A clusterer that is fitted to the points that are not judged."""

    algorithm: Algorithm
    n_clusters: int | None
    policies: dict[str, Any]
    random_state: Any

    def parts(self, features: Any, validation: Any, folds: int) -> Iterator[_Part]:
        """Yield the points without each fold, clustered, or all points and a validation set."""
        points = read_points(features)
        if is_sparse(points):
            raise FeatureError("noise_features needs dense features, and these are sparse.")
        seed = None if self.algorithm.has_own_seed else read_seed(self.random_state)
        if validation is not None:
            yield self._part(points, validation, seed)
            return
        n = len(points)
        if n < 2:
            raise FeatureError("noise_features needs at least 2 points.")
        count = min(folds, n)
        fold = generator(self.random_state).permutation(n) % count
        for k in range(count):
            yield self._part(points[fold != k], points[fold == k], seed)

    def _part(self, points: Any, judged: Any, seed: int | None) -> _Part:
        made = self.algorithm.made(self.n_clusters, seed)
        (found,) = fit_row(points, [(made, self.n_clusters, seed)])
        if found.labels is None:
            reason = str(found.error).rstrip(".")
            raise ParameterError(f"{self.algorithm.name} refuses the points: {reason}.")
        geometry = Geometry(points, found.labels, **self.policies)
        return _Part(geometry.dense, geometry.codes, geometry.names, new_points(geometry, judged))


def _is_clusterer(given: Any) -> bool:
    return isinstance(given, str | type) or hasattr(given, "fit_predict")


def _read_clusterer(given: Any, n_clusters: int | None) -> Algorithm:
    if n_clusters is not None:
        whole(n_clusters, "n_clusters", 1)
        return read_algorithm(given)
    if isinstance(given, str) and read_algorithm(given, None).template.get_params().keys() & {
        "n_clusters",
        "n_components",
    }:
        raise ParameterError(f"n_clusters must be given for {given}.")
    return read_algorithm(given, None)


def _feature_names(features: Any, given: Sequence[Any] | None) -> list[Any] | None:
    """Return the names that were given, or those of a data frame."""
    if given is None:
        given = getattr(features, "column_names", None)
    if given is None:
        given = getattr(features, "columns", None)
    return None if given is None else [plain_label(name) for name in given]
