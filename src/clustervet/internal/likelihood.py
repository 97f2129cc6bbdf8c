"""Density of the points in a mixture of Gaussians that is made from the clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import generator, is_number, one_of, whole
from clustervet.errors import FeatureError, ParameterError, UndefinedError
from clustervet.geometry import Geometry, MomentGeometry
from clustervet.geometry.points import is_sparse, read_with_peak, scaled_by
from clustervet.internal.common import BLOCK
from clustervet.labels import show_label
from clustervet.registry import Estimate, measure

Floats = NDArray[np.float64]
COVARIANCES = ("spherical", "diagonal", "tied", "full")
LOG_TAU = math.log(2 * math.pi)
LOG_TWO = math.log(2)
# A correlation matrix with a smaller eigenvalue is singular up to rounding. Eigenvalues take longer
# than Cholesky's factor, so they are computed only where one of its pivots is small.
SINGULAR, SMALL = 1e-14, 1e-4
ROWS = 65_536
MODEL_BIAS = "it favours Gaussian clusters of the shape assumed, as mixtures and k-means make them"


@measure(
    title="Log-likelihood of the mixture",
    symbol="LL",
    family="likelihood",
    kind="internal",
    better="higher",
    bounds=(-math.inf, math.inf),
    unit="nats",
    equation="sum_i ln sum_k (n_k/n) N(x_i; c_k, S_k)",
    reference="Aggarwal 2015, §6.9.1 (probabilistic measure)",
    meaning="How probable the data is under a Gaussian for each cluster, fitted by one M-step.",
    use="Clusters should be Gaussians of a known shape, given by covariance.",
    avoid="Numbers of clusters differ: it rises with them; " + MODEL_BIAS + ".",
    weighted=True,
    sized=True,
)
def log_likelihood(
    geometry: Geometry, covariance: str = "full", regularization: float = 0.0
) -> float:
    """Log-likelihood of the points in a mixture made from the clusters.

    Parameters
    ----------
    covariance : {'spherical', 'diagonal', 'tied', 'full'}, default 'full'
        Shape of the covariances.
    regularization : float, default 0.0
        Share of the features' mean variance that is added to every variance. Without it a singular
        covariance has no likelihood.

    Examples
    --------
    >>> X = [[0.0], [2.0], [10.0], [12.0]]
    >>> round(log_likelihood(X, [0, 0, 1, 1], covariance="tied"), 6)
    -8.448343
    """
    return _total(geometry, mixture_of(geometry, covariance, regularization))


@measure(
    title="Bayesian information criterion",
    symbol="BIC",
    family="likelihood",
    kind="internal",
    better="lower",
    bounds=(-math.inf, math.inf),
    unit="nats",
    equation="-2 LL + p ln n",
    reference="Schwarz 1978",
    meaning="Misfit of the mixture made from the clusters, plus a penalty for its parameters.",
    use="Numbers of clusters or shapes of covariance are compared, with many points.",
    avoid="Clusters are not Gaussian: it then asks for too many; " + MODEL_BIAS + ".",
    weighted=True,
    no_interval="its penalty depends on the number of points and not on their source",
)
def bic(geometry: Geometry, covariance: str = "full", regularization: float = 0.0) -> float:
    """Bayesian information criterion of the mixture; lower is better.

    Parameters
    ----------
    covariance : {'spherical', 'diagonal', 'tied', 'full'}, default 'full'
        Shape of the covariances.
    regularization : float, default 0.0
        Share of the features' mean variance that is added to every variance.

    Examples
    --------
    >>> X = [[0.0], [2.0], [10.0], [12.0]]
    >>> round(bic(X, [0, 0, 1, 1], covariance="tied"), 6)
    22.441863
    """
    model = mixture_of(geometry, covariance, regularization)
    return -2 * _total(geometry, model) + model.parameters * math.log(geometry.n)


@measure(
    title="Akaike information criterion",
    symbol="AIC",
    family="likelihood",
    kind="internal",
    better="lower",
    bounds=(-math.inf, math.inf),
    unit="nats",
    equation="-2 LL + 2 p",
    reference="Akaike 1974",
    meaning="Misfit of the mixture made from the clusters, plus two for each parameter.",
    use="Prediction matters more than finding the true number of clusters.",
    avoid="The number of clusters itself is the question: it asks for too many; "
    + MODEL_BIAS
    + ".",
    weighted=True,
    no_interval="its penalty depends on the number of points and not on their source",
)
def aic(geometry: Geometry, covariance: str = "full", regularization: float = 0.0) -> float:
    """Akaike information criterion of the mixture; lower is better.

    Parameters
    ----------
    covariance : {'spherical', 'diagonal', 'tied', 'full'}, default 'full'
        Shape of the covariances.
    regularization : float, default 0.0
        Share of the features' mean variance that is added to every variance.

    Examples
    --------
    >>> X = [[0.0], [2.0], [10.0], [12.0]]
    >>> round(aic(X, [0, 0, 1, 1], covariance="tied"), 6)
    24.896686
    """
    model = mixture_of(geometry, covariance, regularization)
    return -2 * _total(geometry, model) + 2 * model.parameters


@measure(
    title="Validated likelihood",
    symbol="VL",
    family="likelihood",
    kind="internal",
    better="higher",
    bounds=(-math.inf, math.inf),
    unit="nats",
    equation="mean ln density of points that took no part in fitting the mixture",
    reference="Dom 2001, App. C.1",
    meaning="Mean log density of points that were left out when the mixture was fitted.",
    use="Overfitting is the worry: more clusters are better only if they predict new points. "
    "tune fits the clusterer again without them.",
    avoid="Labels made from all points are all there is: the value is then optimistic, the more "
    "so the more clusters there are; " + MODEL_BIAS + ".",
    no_interval="it has a standard error of its own, over the points",
)
def validated_likelihood(
    geometry: Geometry,
    covariance: str = "full",
    regularization: float = 0.0,
    folds: int = 10,
    random_state: Any = 0,
    validation: Any = None,
) -> float:
    """Mean log density of points under a mixture that was fitted without them.

    Parameters
    ----------
    covariance : {'spherical', 'diagonal', 'tied', 'full'}, default 'full'
        Shape of the covariances.
    regularization : float, default 0.0
        Share of the features' mean variance that is added to every variance.
    folds : int, default 10
        Number of parts that are left out in turn, at least 2, where there is no validation set.
    random_state : int, Generator or None, default 0
        Seed for dealing points to folds.
    validation : array-like or None, default None
        Other points of the same population, which took no part in the clustering. The mixture is
        fitted to all of X.

    Notes
    -----
    The value is an `Estimate`; its standard error is that of a mean over the points.

    Without a validation set the mixture is fitted to parts of the points, but the labels come from
    all of them. The value is then optimistic, the more so the more clusters there are. `tune` has
    the clusterer, and fits it again without each part.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> validated_likelihood(X, [0, 0, 0, 1, 1, 1], covariance="tied", folds=6) > -4
    True
    >>> new = validated_likelihood(X, [0, 0, 0, 1, 1, 1], covariance="tied", validation=[[1.0]])
    >>> round(new, 4)
    -1.4094
    """
    check_shape(covariance, regularization)
    if validation is not None:
        model = mixture_of(geometry, covariance, regularization)
        return _mean_density(geometry, model.log_densities(new_points(geometry, validation)))
    points = geometry.dense
    count = min(whole(folds, "folds", 2), geometry.rows)
    if count < 2:
        raise UndefinedError("it needs at least 2 points", fault=FeatureError)
    fold = dealt_folds(geometry, count, random_state)
    densities = np.empty(geometry.rows)
    for k in range(count):
        out = fold == k
        model = fit_mixture(
            points[~out], geometry.codes[~out], geometry.names, covariance, regularization
        )
        densities[out] = model.log_densities(points[out])
    return _mean_density(geometry, densities)


def dealt_folds(geometry: Geometry, folds: int, random_state: Any) -> NDArray[np.int64]:
    """The fold of every point; the points of a cluster are dealt to the folds in turn.

    No fold then empties a cluster, if it can be avoided.
    """
    shuffled = generator(random_state).permutation(geometry.rows)
    dealt = shuffled[np.argsort(geometry.codes[shuffled], kind="stable")]
    fold = np.empty(geometry.rows, np.int64)
    fold[dealt] = np.arange(geometry.rows) % folds
    return fold


def new_points(geometry: Geometry, given: Any) -> NDArray[Any]:
    """Points beside those of the geometry, in its unit."""
    points = read_with_peak(given, "validation")[0]
    if is_sparse(points):
        raise FeatureError("validation must be dense, as X must be for this measure.")
    if points.shape[1] != geometry.d:
        raise FeatureError(
            f"validation has {points.shape[1]:,} features, and X has {geometry.d:,}."
        )
    return np.asarray(scaled_by(points.astype(np.float64), -geometry.exponent))


def _mean_density(geometry: Geometry, densities: Floats) -> Estimate:
    n = len(densities)
    error = float(densities.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
    found = float(densities.mean()) - _unit_nats(geometry)
    return Estimate(found, standard_error=error, sample=n)


def check_shape(covariance: Any, regularization: Any) -> None:
    """Refuse shapes and regularizations that there are not."""
    one_of(covariance, "covariance", COVARIANCES)
    if not is_number(regularization) or not 0 <= regularization < math.inf:
        raise ParameterError(
            f"regularization must be a number of at least 0, not {regularization!r}."
        )


def mixture_of(geometry: Geometry, covariance: str, regularization: float = 0.0) -> Mixture:
    """The mixture of Gaussians that the clusters make, kept with the geometry."""
    check_shape(covariance, regularization)
    key = ("mixture", covariance, regularization)
    if key not in geometry.memory:
        if isinstance(geometry, MomentGeometry):
            model = _fit_moments(geometry, covariance, regularization)
        else:
            data = geometry.dense, geometry.codes, geometry.names
            model = fit_mixture(*data, covariance, regularization, geometry.weights)
        geometry.memory[key] = model
    return geometry.memory[key]  # type: ignore[no-any-return]  # set above


def _total(geometry: Geometry, model: Mixture) -> float:
    if model.total is None:
        if isinstance(geometry, MomentGeometry):  # a density needs every point
            blocks = geometry.blocks()
            model.total = math.fsum(math.fsum(model.log_densities(points)) for points, _ in blocks)
        else:
            model.total = math.fsum(geometry.weighed(model.log_densities(geometry.dense)))
    return model.total - geometry.n * _unit_nats(geometry)


def _unit_nats(geometry: Geometry) -> float:
    """What the unit of the geometry adds to the log density of a point."""
    return geometry.d * geometry.exponent * LOG_TWO


class SingularError(UndefinedError):
    """Raised where a covariance has no inverse; `why` says so, and the message also what to do."""

    def __init__(self, whose: str) -> None:
        self.why = (
            f"{whose} is singular: too few points, or features that are constant or depend on one "
            "another"
        )
        advice = "use a simpler covariance or regularization=1e-6"
        super().__init__(f"{self.why}; {advice}", fault=FeatureError)


@dataclass
class Mixture:
    """Weights, means (a point and a step from it) and scales of a mixture of Gaussians.

    `scales` has one standard deviation per component (spherical), one per component and
    feature (diagonal), or Cholesky factors (tied: one for all; full: one per component).
    """

    weights: Floats
    anchors: Floats
    offsets: Floats
    scales: list[Floats]
    covariance: str
    parameters: int
    total: float | None = None

    def log_densities(self, points: NDArray[Any]) -> Floats:
        """Log density of each point."""
        out = np.full(len(points), -np.inf)
        for first in range(0, len(points), ROWS):
            block = points[first : first + ROWS]
            for k in range(len(self.weights)):
                found = self._component(block, k)
                out[first : first + ROWS] = np.logaddexp(out[first : first + ROWS], found)
        return out

    def without_each(self, points: NDArray[Any]) -> Floats:
        """Log density of each point without each of its features: points × features.

        A component has the density p(x without f) = p(x) / p(x_f given the other features).
        """
        out = np.full(points.shape, -np.inf)
        rows = max(1, BLOCK // points.shape[1])
        for first in range(0, len(points), rows):
            block = points[first : first + rows]
            for k in range(len(self.weights)):
                found = self._component(block, k)[:, None] - self.conditionals(block, k)
                np.logaddexp(out[first : first + rows], found, out=out[first : first + rows])
        return out

    def conditionals(self, points: NDArray[Any], k: int) -> Floats:
        """Log density of each feature given the others in one component: points × features."""
        from scipy.linalg import solve_triangular

        scale = self.scales[0 if self.covariance == "tied" else k]
        steps = (points - self.anchors[k]) - self.offsets[k]
        if scale.ndim == 1:
            return np.asarray(-0.5 * ((steps / scale) ** 2 + LOG_TAU) - np.log(scale))
        inverse = solve_triangular(scale, np.eye(len(scale)), lower=True, check_finite=False)
        # With the precision matrix P, x_f has the variance 1 / P_ff given the other features, and
        # is (P step)_f / P_ff away from its mean.
        precisions = (inverse**2).sum(axis=0)
        deviations = steps @ (inverse.T @ inverse)
        return np.asarray(0.5 * (np.log(precisions) - LOG_TAU - deviations**2 / precisions))

    def marginals(self, points: NDArray[Any]) -> Floats:
        """Log density of each feature by itself in the mixture: points × features."""
        out = np.full(points.shape, -np.inf)
        for k, weight in enumerate(self.weights):
            scale = self.scales[0 if self.covariance == "tied" else k]
            spread = scale if scale.ndim == 1 else np.sqrt((scale**2).sum(axis=1))
            steps = ((points - self.anchors[k]) - self.offsets[k]) / spread
            found = math.log(weight) - 0.5 * (steps**2 + LOG_TAU) - np.log(spread)
            np.logaddexp(out, found, out=out)
        return out

    def _component(self, points: NDArray[Any], k: int) -> Floats:
        from scipy.linalg import solve_triangular

        scale = self.scales[0 if self.covariance == "tied" else k]
        steps = (points - self.anchors[k]) - self.offsets[k]
        d = points.shape[1]
        if scale.ndim == 2:
            steps = solve_triangular(scale, steps.T, lower=True, check_finite=False).T
            volume = float(np.log(np.diag(scale)).sum())
        else:
            steps = steps / scale
            volume = float(np.log(scale).sum()) * (d / len(scale))
        squares = np.einsum("ij,ij->i", steps, steps)
        return np.asarray(math.log(self.weights[k]) - 0.5 * (squares + d * LOG_TAU) - volume)


def fit_mixture(
    points: NDArray[Any],
    codes: NDArray[np.int32],
    names: list[Any],
    covariance: str,
    regularization: float,
    heavy: Floats | None = None,
) -> Mixture:
    """Weights, means and maximum-likelihood covariances of the clusters that have points.

    `heavy` says how many points each row stands for.
    """
    d = points.shape[1]
    rows = np.bincount(codes, minlength=len(names))
    sizes = rows if heavy is None else np.bincount(codes, heavy, len(names))
    present = np.flatnonzero(rows)
    extra = regularization * _mean_variance(points, heavy)
    order = np.argsort(codes, kind="stable")
    groups = np.split(order, np.cumsum(rows)[:-1])
    anchors, offsets, scatters = [], [], []
    for k in present:
        anchor = points[groups[k][0]].astype(np.float64)
        steps = points[groups[k]] - anchor  # exact near the anchor, even far from the origin
        held = None if heavy is None else heavy[groups[k]]
        offset = np.average(steps, axis=0, weights=held)
        anchors.append(anchor)
        offsets.append(offset)
        steps -= offset
        if held is not None:
            steps *= np.sqrt(held)[:, None]
        scatters.append(_scatter(steps, covariance))
    scales = _scales(scatters, sizes[present], covariance, extra, [names[k] for k in present])
    weights = sizes[present] / sizes.sum()
    parameters = _parameters(len(present), d, covariance)
    return Mixture(weights, np.array(anchors), np.array(offsets), scales, covariance, parameters)


def _mean_variance(points: NDArray[Any], heavy: Floats | None) -> float:
    """The variance of a feature, averaged over features."""
    if heavy is None:
        return float(points.var(axis=0, dtype=np.float64).mean())
    steps = points - np.average(points, axis=0, weights=heavy)
    return float(np.average(steps**2, axis=0, weights=heavy).mean())


def _fit_moments(geometry: MomentGeometry, covariance: str, regularization: float) -> Mixture:
    """Like `fit`, from moments of the clusters; tied and full covariances need cross products."""
    known = geometry.moments
    if covariance == "diagonal":
        scatters = list(known.scatter)
    elif covariance == "spherical":
        scatters = list(known.scatter.mean(axis=1, keepdims=True))
    elif known.cross is not None:
        scatters = list(known.cross)
    else:
        raise UndefinedError(
            f"a {covariance} covariance needs products of features; ask for cross=True with the "
            "moments",
            fault=FeatureError,
        )
    variance = (geometry.between + float(known.scatter.sum())) / (geometry.n * geometry.d)
    scales = _scales(
        scatters, geometry.sizes, covariance, regularization * variance, geometry.names
    )
    weights = geometry.sizes / geometry.n
    parameters = _parameters(geometry.k, geometry.d, covariance)
    return Mixture(weights, known.anchors, known.offsets, scales, covariance, parameters)


def _parameters(count: int, d: int, covariance: str) -> int:
    """Free numbers of a mixture: weights, means, covariances."""
    shape = {
        "spherical": count,
        "diagonal": count * d,
        "tied": d * (d + 1) // 2,
        "full": count * d * (d + 1) // 2,
    }[covariance]
    return count - 1 + count * d + shape


def _scatter(steps: Floats, covariance: str) -> Floats:
    """Sums of squared steps from the mean, in the detail that the covariance needs."""
    if covariance in ("tied", "full"):
        return np.asarray(steps.T @ steps)
    squares = (steps**2).sum(axis=0)
    return np.asarray(squares if covariance == "diagonal" else [squares.mean()])


def _scales(
    scatters: list[Floats],
    sizes: NDArray[Any],
    covariance: str,
    extra: float,
    names: list[Any],
) -> list[Floats]:
    if covariance == "tied":
        return [
            _root(
                np.sum(scatters, axis=0) / sizes.sum(), extra, "the covariance that clusters share"
            )
        ]
    if covariance == "full":
        return [
            _root(scatter / size, extra, f"the covariance of cluster {show_label(name)}")
            for scatter, size, name in zip(scatters, sizes, names, strict=True)
        ]
    found = []
    for scatter, size, name in zip(scatters, sizes, names, strict=True):
        variances = scatter / size + extra
        if not variances.all():
            which = f" in feature {int(np.argmin(variances))}" if covariance == "diagonal" else ""
            raise SingularError(f"the variance of cluster {show_label(name)}{which}")
        found.append(np.sqrt(variances))
    return found


def _root(matrix: Floats, extra: float, whose: str) -> Floats:
    """The Cholesky factor of a covariance, unless it is singular."""
    matrix = matrix + extra * np.eye(len(matrix))
    spread = np.sqrt(np.diag(matrix))
    if not spread.all():
        raise SingularError(whose)
    correlations = matrix / np.outer(spread, spread)
    try:
        root = np.linalg.cholesky(correlations)
    except np.linalg.LinAlgError:
        raise SingularError(whose) from None
    if np.diag(root).min() < SMALL and np.linalg.eigvalsh(correlations)[0] < SINGULAR:
        raise SingularError(whose)
    return np.asarray(root * spread[:, None])
