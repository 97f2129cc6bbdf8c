"""A mixture of Gaussians by one M-step on hard clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import FeatureError, ParameterError, UndefinedError
from clustervet.geometry import MomentGeometry
from clustervet.labels import show_label

Floats = NDArray[np.float64]
COVARIANCES = ("spherical", "diagonal", "tied", "full")
LOG_TAU = math.log(2 * math.pi)
# A correlation matrix with smaller Cholesky pivots is singular up to rounding.
SINGULAR = 1e-7
ROWS = 65_536


def check_regularization(value: Any) -> None:
    """Check a share of the mean variance: finite and not negative."""
    real = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not real or not 0 <= value < math.inf:
        raise ParameterError(f"regularization must be a number of at least 0, not {value!r}.")


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


def fit(
    points: NDArray[Any],
    codes: NDArray[np.int32],
    names: list[Any],
    covariance: str,
    regularization: float,
) -> Mixture:
    """Weights, means and maximum-likelihood covariances of the clusters that have points."""
    n, d = points.shape
    sizes = np.bincount(codes, minlength=len(names))
    present = np.flatnonzero(sizes)
    extra = regularization * float(points.var(axis=0, dtype=np.float64).mean())
    order = np.argsort(codes, kind="stable")
    groups = np.split(order, np.cumsum(sizes)[:-1])
    anchors, offsets, scatters = [], [], []
    for k in present:
        anchor = points[groups[k][0]].astype(np.float64)
        steps = points[groups[k]] - anchor  # exact near the anchor, even far from the origin
        offset = steps.mean(axis=0)
        anchors.append(anchor)
        offsets.append(offset)
        scatters.append(_scatter(steps - offset, covariance))
    scales = _scales(scatters, sizes[present], covariance, extra, [names[k] for k in present])
    weights = sizes[present] / n
    parameters = _parameters(len(present), d, covariance)
    return Mixture(weights, np.array(anchors), np.array(offsets), scales, covariance, parameters)


def fit_moments(geometry: MomentGeometry, covariance: str, regularization: float) -> Mixture:
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
    sizes: NDArray[np.int64],
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
            raise UndefinedError(
                _singular(f"the variance of cluster {show_label(name)}{which}"), fault=FeatureError
            )
        found.append(np.sqrt(variances))
    return found


def _root(matrix: Floats, extra: float, whose: str) -> Floats:
    """The Cholesky factor of a covariance, unless it is singular."""
    matrix = matrix + extra * np.eye(len(matrix))
    spread = np.sqrt(np.diag(matrix))
    if not spread.all():
        raise UndefinedError(_singular(whose), fault=FeatureError)
    try:
        root = np.linalg.cholesky(matrix / np.outer(spread, spread))
    except np.linalg.LinAlgError:
        raise UndefinedError(_singular(whose), fault=FeatureError) from None
    if np.diag(root).min() < SINGULAR:
        raise UndefinedError(_singular(whose), fault=FeatureError)
    return np.asarray(root * spread[:, None])


def _singular(whose: str) -> str:
    return (
        f"{whose} is singular: too few points, or features that are constant or depend on one "
        "another; use a simpler covariance or regularization=1e-6"
    )
