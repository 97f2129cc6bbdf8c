"""`SoftGeometry`: memberships and perhaps the features of the objects, for internal measures."""

from __future__ import annotations

import math
from collections.abc import Sized
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import FeatureError, LabelError, ParameterError, UndefinedError
from clustervet.geometry import Geometry
from clustervet.geometry.points import is_sparse, peak_of, read_with_peak, scaled_by, unpacked
from clustervet.labels import check_index
from clustervet.labels.arrays import kind_of
from clustervet.registry import register_door, register_subject
from clustervet.soft.memberships import Memberships, memberships_of
from clustervet.view.words import counted

Floats = NDArray[np.float64]
# Largest number of values of a block of points × features.
BLOCK = 2**20
NO_FEATURES = "it needs the features of the objects, before their memberships"
ONE_CLUSTER = "it needs at least 2 clusters with a degree above 0, and there is 1"


@dataclass(frozen=True, eq=False, repr=False)
class SoftGeometry:
    """Memberships of points, and their features where these are known.

    Parameters
    ----------
    memberships : Memberships
        The degrees.
    X : array_like, sparse matrix or dataframe, optional
        Features, one row per object; with ``metric='precomputed'`` a square matrix of distances.
    metric : str or callable, optional
        Metric of the silhouette; 'euclidean' by default.

    Raises
    ------
    LabelError
        If there are not as many rows of features as of memberships.

    Examples
    --------
    >>> import clustervet as cv
    >>> found = SoftGeometry(cv.Memberships([[1, 0], [0.5, 0.5], [0, 1]]), [[0.0], [1.0], [2.0]])
    >>> found, (found.centers(2.0) * 2.0**found.exponent).round(3).tolist()
    (SoftGeometry of 3 points in 2 clusters, [[-0.8], [0.8]])
    """

    memberships: Memberships
    X: Any = None
    metric: Any = None

    def __post_init__(self) -> None:
        """Refuse features of other objects."""
        if self.X is None:
            return
        if isinstance(self.X, Memberships):
            raise FeatureError("X must be a matrix of features, not Memberships.")
        shape = getattr(self.X, "shape", None)
        if shape == () or (shape is None and not isinstance(self.X, Sized)):
            raise FeatureError(f"X must be a matrix of features, not {kind_of(self.X)}.")
        rows = shape[0] if shape else len(self.X)
        if rows != self.n:
            raise LabelError(
                f"X has {counted(rows, 'row')} and memberships has {self.n:,}; they must describe "
                "the same objects."
            )
        check_index({"X": self.X, "memberships": self.memberships})

    def __repr__(self) -> str:
        k = counted(self.memberships.k, "cluster")
        return f"SoftGeometry of {counted(self.n, 'point')} in {k}"

    @property
    def n(self) -> int:
        """The number of points."""
        return self.memberships.n

    @cached_property
    def degrees(self) -> Floats:
        """The degrees in clusters that are not empty, one row per cluster."""
        shares = self.memberships.shares
        kept = np.flatnonzero(self.memberships.sums > 0)
        dense = shares[:, kept].toarray() if self.memberships.is_sparse else shares[:, kept]
        return np.ascontiguousarray(dense.T)

    @cached_property
    def _points(self) -> tuple[Any, int]:
        """Points about their mean at a size that has squares, and the power of two of the unit."""
        if self.X is None:
            raise UndefinedError(NO_FEATURES, fault=ParameterError)
        if self.metric == "precomputed":
            why = "it needs features, and these are distances"
            raise UndefinedError(why, fault=FeatureError)
        points, peak = read_with_peak(unpacked(self.X))
        exponent = math.frexp(peak)[1] if peak else 0
        points = scaled_by(points.astype(np.float64), -exponent)
        if is_sparse(points):
            return points, exponent
        points = points - points.mean(axis=0)
        # Points that are near to each other, far from 0: what is left may be small.
        small = math.frexp(peak_of(points))[1] if points.any() else 0
        return scaled_by(points, -small), exponent + small

    @property
    def exponent(self) -> int:
        """The power of two that is the unit of distances."""
        return self._points[1]

    @property
    def points(self) -> Any:
        """The points in this unit; dense ones about their mean."""
        return self._points[0]

    def powers(self, power: float) -> Floats:
        """Return the degrees to a power, for each cluster as a share of its largest.

        Parameters
        ----------
        power : float
            The power.

        Returns
        -------
        ndarray
            One row per cluster that is not empty.

        Examples
        --------
        >>> import clustervet as cv
        >>> SoftGeometry(cv.Memberships([[1, 0], [0.5, 0.5]])).powers(2.0).tolist()
        [[1.0, 0.25], [0.0, 1.0]]
        """
        return np.asarray((self.degrees / self.degrees.max(axis=1, keepdims=True)) ** power)

    def centers(self, power: float) -> Floats:
        """Return the mean of the points by the degrees of each cluster, to a power.

        Parameters
        ----------
        power : float
            The power.

        Returns
        -------
        ndarray
            One row per cluster that is not empty, in the unit of `points`.

        Examples
        --------
        >>> import clustervet as cv
        >>> found = SoftGeometry(cv.Memberships([0, 0, 1]), [[-3.0], [-1.0], [4.0]])
        >>> (found.centers(1.0) * 2.0**found.exponent).tolist()
        [[-2.0], [4.0]]
        """
        weights = self.powers(power)
        sums = np.asarray((self.points.T @ weights.T).T)
        return np.asarray(sums / weights.sum(axis=1, keepdims=True))

    def scatter(self, power: float) -> Floats:
        """Return for each cluster the sum of degrees to a power times squared distances.

        Parameters
        ----------
        power : float
            The power.

        Returns
        -------
        ndarray
            One sum per cluster that is not empty: distances to its centre, in the unit of `points`.

        Examples
        --------
        >>> import clustervet as cv
        >>> found = SoftGeometry(cv.Memberships([0, 0, 1]), [[-3.0], [-1.0], [4.0]])
        >>> (found.scatter(1.0) * 4.0**found.exponent).tolist()
        [2.0, 0.0]
        """
        centers, weights = self.centers(power), self.degrees**power
        found = np.zeros(len(centers))
        step = max(1, BLOCK // self.points.shape[1])
        for first in range(0, self.n, step):
            block = self.points[first : first + step]
            block = block.toarray() if is_sparse(block) else block
            for k, center in enumerate(centers):
                squares = np.square(block - center).sum(axis=1)
                found[k] += float((weights[k, first : first + step] * squares).sum())
        return found

    @cached_property
    def hard(self) -> Geometry:
        """The geometry of the main clusters."""
        if self.X is None:
            raise UndefinedError(NO_FEATURES, fault=ParameterError)
        return Geometry(self.X, self.memberships.tops[2], self.metric or "euclidean")


def _soft_internal_door(
    who: str,
    X_or_P: Any,  # noqa: N803  # the names that everyone gives to features and memberships
    memberships: Any = None,
    metric: Any = None,
    *,
    normalize: bool = False,
) -> SoftGeometry:
    """What a measure of one soft clustering takes.

    Parameters
    ----------
    X_or_P : array_like, Memberships or SoftGeometry
        Features, one row per object, and then `memberships` must be given. Or the memberships, for
        measures that need no features. Or one finished `SoftGeometry`.
    memberships : Memberships, optional
        Memberships, a matrix of degrees with one row per object, or whatever else
        `clustervet.Memberships` takes.
    metric : str or callable, optional
        Metric of distances between points, where the measure has any; 'euclidean' by default.
    normalize : bool, default False
        Whether every row of degrees is divided by its sum, whatever that is.
    """
    if isinstance(X_or_P, SoftGeometry):
        if memberships is not None or metric is not None:
            raise ParameterError(
                f"{who} takes either one SoftGeometry or features and memberships, not both."
            )
        return X_or_P
    if memberships is None:
        if metric is not None:
            raise ParameterError(f"{who} got a metric and no features that it is for.")
        return SoftGeometry(memberships_of(X_or_P, "memberships", normalize))
    return SoftGeometry(memberships_of(memberships, "memberships", normalize), X_or_P, metric)


register_door("soft_internal", _soft_internal_door)
register_subject("soft_internal", SoftGeometry)
