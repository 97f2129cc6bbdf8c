"""Density of the points in a mixture of Gaussians that is made from the clusters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from clustervet.errors import FeatureError, UndefinedError
from clustervet.geometry import Geometry, MomentGeometry
from clustervet.internal.common import generator, one_of, whole
from clustervet.internal.mixture import COVARIANCES, Mixture, check_regularization, fit, fit_moments
from clustervet.registry import Estimate, measure

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
    return _total(geometry, _model(geometry, covariance, regularization))


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
    model = _model(geometry, covariance, regularization)
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
    model = _model(geometry, covariance, regularization)
    return -2 * _total(geometry, model) + 2 * model.parameters


@measure(
    title="Validated likelihood",
    symbol="VL",
    family="likelihood",
    kind="internal",
    better="higher",
    bounds=(-math.inf, math.inf),
    unit="nats",
    equation="mean over folds of the mean ln density of points left out",
    reference="Dom 2001, App. C.1",
    meaning="Mean log density of points that were left out when the mixture was fitted.",
    use="Overfitting is the worry: more clusters are better only if they predict new points.",
    avoid="The points left out were used to make the clusters, which flatters every value; "
    + MODEL_BIAS
    + ".",
)
def validated_likelihood(
    geometry: Geometry,
    covariance: str = "full",
    regularization: float = 0.0,
    folds: int = 10,
    random_state: Any = 0,
) -> float:
    """Mean log density of points under a mixture fitted to the others, by cross-validation.

    Parameters
    ----------
    covariance : {'spherical', 'diagonal', 'tied', 'full'}, default 'full'
        Shape of the covariances.
    regularization : float, default 0.0
        Share of the features' mean variance that is added to every variance.
    folds : int, default 10
        Number of parts that are left out in turn, at least 2.
    random_state : int, Generator or None, default 0
        Seed for dealing points to folds.

    Notes
    -----
    The value is an `Estimate`; its standard error is that of a mean over the points.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> validated_likelihood(X, [0, 0, 0, 1, 1, 1], covariance="tied", folds=6) > -4
    True
    """
    one_of(covariance, "covariance", COVARIANCES)
    check_regularization(regularization)
    points = geometry.dense
    count = min(whole(folds, "folds", 2), geometry.n)
    if count < 2:
        raise UndefinedError("it needs at least 2 points", fault=FeatureError)
    # Shuffled within clusters and dealt to the folds in turn, so that no fold empties a cluster.
    shuffled = generator(random_state).permutation(geometry.n)
    dealt = shuffled[np.argsort(geometry.codes[shuffled], kind="stable")]
    fold = np.empty(geometry.n, np.int64)
    fold[dealt] = np.arange(geometry.n) % count
    densities = np.empty(geometry.n)
    for k in range(count):
        out = fold == k
        model = fit(points[~out], geometry.codes[~out], geometry.names, covariance, regularization)
        densities[out] = model.log_densities(points[out])
    error = float(densities.std(ddof=1)) / math.sqrt(geometry.n)
    return Estimate(float(densities.mean()), standard_error=error, sample=geometry.n)


def _model(geometry: Geometry, covariance: str, regularization: float) -> Mixture:
    one_of(covariance, "covariance", COVARIANCES)
    check_regularization(regularization)
    key = ("mixture", covariance, regularization)
    if key not in geometry.memory:
        if isinstance(geometry, MomentGeometry):
            model = fit_moments(geometry, covariance, regularization)
        else:
            model = fit(geometry.dense, geometry.codes, geometry.names, covariance, regularization)
        geometry.memory[key] = model
    return geometry.memory[key]  # type: ignore[no-any-return]  # set above


def _total(geometry: Geometry, model: Mixture) -> float:
    if model.total is None:
        if isinstance(geometry, MomentGeometry):  # a density needs every point
            blocks = geometry.blocks()
            model.total = math.fsum(math.fsum(model.log_densities(points)) for points, _ in blocks)
        else:
            model.total = math.fsum(model.log_densities(geometry.dense))
    return model.total
