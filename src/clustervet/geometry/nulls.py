"""Data without clusters that look like given data: references for values and for tunings.

Law: points in, points out; nothing is fitted to a number of clusters here. Every kind has one mode
at most, and keeps what is not a cluster: number of points and features, scales, correlations, skew,
tails, and the grid of values that have one, such as counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# The share of the values, and the fewest, that a tail is fitted to; the fewest values that have a
# tail of their own; and the heaviest tail, that of a Cauchy distribution.
TAIL, FEWEST, ENOUGH, HEAVIEST = 0.1, 5, 20, 1.0
# Places among the sorted values of a feature that are tried as its mode.
MODES = 21
# A feature has a grid if its values are whole multiples of their least difference, up to this
# share of it, and if there are fewer of them than this share of the points.
ON_GRID, FEW_VALUES = 1e-6, 0.5
# More features than this are described by their principal axes alone.
WIDE = 100
# Points for each direction in which radii are taken.
PER_AXIS = 5


@dataclass(frozen=True)
class Falling:
    """A density on [0, inf) that never rises, fitted to values, with a Pareto tail.

    Its distribution function is the least concave majorant of the empirical one (Grenander 1956),
    which may start with a jump at 0. The largest tenth of the values follows a Pareto tail by
    Hill's estimator (1975): samples must be able to go further out than the values.
    """

    ends: Floats
    heights: Floats
    threshold: float
    above: float
    shape: float

    @classmethod
    def fit(cls, values: Floats) -> Falling:
        """Return the falling density of non-negative values."""
        from scipy.optimize import isotonic_regression

        places, counts = np.unique(values, return_counts=True)
        n = len(values)
        zero = counts[0] / n if places[0] == 0 else 0.0
        ends = np.append(0.0, places[places > 0])
        widths, masses = np.diff(ends), counts[places > 0] / n
        if not len(widths):
            return cls(np.zeros(2), np.array([1.0, 1.0]), math.inf, 0.0, 0.0)
        slopes = isotonic_regression(masses / widths, weights=widths, increasing=False).x
        heights = np.append(zero, zero + np.cumsum(slopes * widths))
        ordered = np.sort(values)
        many = max(FEWEST, math.ceil(TAIL * n))
        if n < ENOUGH or ordered[-many - 1] <= 0:
            return cls(ends, heights, math.inf, 0.0, 0.0)
        threshold = float(ordered[-many - 1])
        shape = float(np.mean(np.log(ordered[-many:] / threshold)))
        return cls(ends, heights, threshold, many / n, min(shape, HEAVIEST))

    def at(self, shares: Floats) -> Floats:
        """Return the values below which these shares of the density lie."""
        found = np.interp(shares, self.heights, self.ends)
        if not self.above:
            return found
        left = np.maximum(1 - shares, 1e-12) / self.above
        return np.where(left < 1, self.threshold * np.minimum(left, 1) ** -self.shape, found)

    def below(self, values: Floats) -> Floats:
        """Return the shares of the density without its tail below these values."""
        return np.interp(values, self.ends, self.heights)


@dataclass(frozen=True)
class OneMode:
    """A distribution with one mode, fitted to a feature: it falls on both sides of the mode."""

    mode: float
    left: Falling | None
    right: Falling | None
    share: float

    @classmethod
    def fit(cls, values: Floats) -> OneMode:
        """Return the nearest one: its largest distance to the empirical distribution is least."""
        ordered = np.sort(values)
        places = np.unique(np.linspace(0, len(ordered) - 1, MODES).round().astype(int))
        tried = [cls._around(ordered, mode) for mode in np.unique(ordered[places])]
        return min(tried, key=lambda one: one.distance(ordered))

    @classmethod
    def _around(cls, ordered: Floats, mode: float) -> OneMode:
        first = int(np.searchsorted(ordered, mode))
        below, above = mode - ordered[:first], ordered[first:] - mode
        share = first / len(ordered)
        left = Falling.fit(below) if len(below) else None
        return cls(float(mode), left, Falling.fit(above) if len(above) else None, share)

    def distance(self, ordered: Floats) -> float:
        """Return the largest difference of the two distribution functions."""
        n = len(ordered)
        under = ordered < self.mode
        fitted = np.empty(n)
        if self.left is not None:
            fitted[under] = self.share * (1 - self.left.below(self.mode - ordered[under]))
        if self.right is not None:
            ahead = self.right.below(ordered[~under] - self.mode)
            fitted[~under] = self.share + (1 - self.share) * ahead
        reached = np.searchsorted(ordered, ordered, side="right") / n
        before = np.searchsorted(ordered, ordered) / n
        # At the mode the fitted distribution may jump as the empirical one does.
        early = np.where(ordered == self.mode, 0.0, before - fitted)
        return float(max(np.max(fitted - reached), np.max(early), np.max(reached - fitted - 1 / n)))

    def at(self, shares: Floats) -> Floats:
        """Return the values below which these shares of the distribution lie."""
        found = np.full(shares.shape, self.mode)
        under = shares < self.share
        if self.left is not None and self.share > 0:
            found[under] -= self.left.at(1 - shares[under] / self.share)
        if self.right is not None and self.share < 1:
            found[~under] += self.right.at((shares[~under] - self.share) / (1 - self.share))
        return found


@dataclass(frozen=True)
class TableNulls:
    """Points of a table for Gower's distance, and tables without clusters that look like it.

    Columns of numbers are drawn together, as in `Nulls`. Each column of categories, and of numbers
    of which there are two, is brought into a random order: so all columns keep their frequencies,
    and combinations of categories are as frequent as they are by chance.

    `nominal` has the number of the column of each feature that stands for a category, else -1.
    """

    points: Floats
    nominal: NDArray[np.int64]

    @cached_property
    def _shuffled(self) -> list[NDArray[np.int64]]:
        """The features of each column that is brought into a random order."""
        found = [np.flatnonzero(self.nominal == k) for k in np.unique(self.nominal) if k >= 0]
        numbers = np.flatnonzero(self.nominal < 0)
        two = [k for k in numbers if len(np.unique(self.points[:, k])) <= 2]
        return found + [np.array([k]) for k in two]

    @cached_property
    def _numbers(self) -> NDArray[np.int64]:
        """The other features."""
        moved = np.concatenate([np.empty(0, np.int64), *self._shuffled])
        return np.setdiff1d(np.arange(self.points.shape[1]), moved)

    @cached_property
    def _drawn(self) -> Nulls | None:
        return Nulls(self.points[:, self._numbers]) if len(self._numbers) else None

    @property
    def kinds(self) -> Sequence[str]:
        """Names of ways to draw tables without clusters."""
        return ["independent columns"] if self._drawn is None else list(self._drawn.kinds)

    def draw(self, kind: str, rng: np.random.Generator) -> Floats:
        """Return as many points without clusters, of one kind."""
        found = self.points.copy()
        if self._drawn is not None:
            found[:, self._numbers] = self._drawn.draw(kind, rng)
        for features in self._shuffled:
            found[:, features] = self.points[rng.permutation(len(found))][:, features]
        return found


@dataclass(frozen=True)
class Nulls:
    """Points, and data without clusters that look like them."""

    points: Floats
    positive: bool = False

    @cached_property
    def _spread(self) -> Floats:
        """The points, with equal values on a grid spread evenly over one step."""
        spread = self.points.copy()
        for feature, _, step in self._grid:
            _, places, counts = np.unique(
                self.points[:, feature], return_inverse=True, return_counts=True
            )
            # By chance: an order that features share would correlate them.
            shuffled = np.random.default_rng(feature).permutation(len(places))
            order = np.lexsort((shuffled, places))
            ranks = np.empty(len(places))
            ranks[order] = np.arange(len(places)) - np.repeat(np.cumsum(counts) - counts, counts)
            spread[:, feature] += step * ((ranks + 0.5) / counts[places] - 0.5)
        return spread

    @cached_property
    def _mean(self) -> Floats:
        return np.asarray(self._spread.mean(axis=0), np.float64)

    @cached_property
    def _axes(self) -> tuple[Floats, Floats]:
        """The points along their principal axes, and these axes."""
        scores, lengths, axes = np.linalg.svd(self._spread - self._mean, full_matrices=False)
        kept = lengths > 1e-10 * max(lengths[0], np.finfo(float).tiny)
        return scores[:, kept] * lengths[kept], axes[kept]

    @cached_property
    def _grid(self) -> list[tuple[int, float, float]]:
        """The features that have a grid, each with its first value and its step."""
        found = []
        for feature, column in enumerate(self.points.T):
            values = np.unique(column)
            if len(values) < 2:
                continue
            step = 1.0
            if (values != np.rint(values)).any():
                step = float(np.diff(values).min())
                steps = (values - values[0]) / step
                rare = len(values) > FEW_VALUES * len(column)
                if rare or (abs(steps - np.rint(steps)) > ON_GRID * np.maximum(1, steps)).any():
                    continue
            found.append((feature, float(values[0]), step))
        return found

    def draw(self, kind: str, rng: np.random.Generator) -> Floats:
        """Return as many points without clusters, of one kind."""
        drawn = self.kinds[kind](rng)
        for feature, first, step in self._grid:
            drawn[:, feature] = first + step * np.rint((drawn[:, feature] - first) / step)
        low = self.points.min(axis=0)
        if self.positive:
            return np.maximum(drawn, 0.0)
        for feature, _, _ in self._grid:
            if low[feature] >= 0:  # counts stay counts
                drawn[:, feature] = np.maximum(drawn[:, feature], 0.0)
        return drawn

    @cached_property
    def kinds(self) -> dict[str, Callable[[np.random.Generator], Floats]]:
        """Ways to draw points without clusters, by name."""
        named: dict[str, Callable[[np.random.Generator], Floats]] = {
            "uniform in the box": self._box,
            "uniform in the box of the principal axes": self._principal_box,
            "one Gaussian": self._gaussian,
            "elliptical with the tails of the data": self._elliptical,
            "one mode in each feature": self._one_mode,
        }
        if self.points.shape[1] == 1:  # where these two are one
            del named["uniform in the box of the principal axes"]
        return named

    def _box(self, rng: np.random.Generator) -> Floats:
        low, high = self._spread.min(axis=0), self._spread.max(axis=0)
        return rng.uniform(low, high, self.points.shape)

    def _principal_box(self, rng: np.random.Generator) -> Floats:
        scores, axes = self._axes
        drawn = rng.uniform(scores.min(axis=0), scores.max(axis=0), scores.shape)
        return np.asarray(self._mean + drawn @ axes, np.float64)

    def _gaussian(self, rng: np.random.Generator) -> Floats:
        scores, axes = self._axes
        drawn = rng.normal(size=scores.shape) * scores.std(axis=0)
        return np.asarray(self._mean + drawn @ axes, np.float64)

    @cached_property
    def _radii(self) -> tuple[int, Falling, float]:
        """How many axes radii are taken in, their volumes as a falling density, and the largest."""
        scores, _ = self._axes
        many = max(1, min(scores.shape[1], len(scores) // PER_AXIS))
        radii = np.linalg.norm(scores[:, :many] / scores[:, :many].std(axis=0), axis=1)
        largest = float(radii.max())
        return many, Falling.fit((radii / largest) ** many), largest

    def _elliptical(self, rng: np.random.Generator) -> Floats:
        """Return points whose density falls from the centre as that of the data does.

        A density that falls with the radius is a falling density of the volume within.
        """
        scores, axes = self._axes
        many, falling, largest = self._radii
        drawn = rng.normal(size=scores.shape)
        radii = largest * falling.at(rng.uniform(size=len(drawn))) ** (1 / many)
        drawn[:, :many] *= (radii / np.linalg.norm(drawn[:, :many], axis=1))[:, None]
        drawn[:, many:] *= radii[:, None] / math.sqrt(many)
        return np.asarray(self._mean + (drawn * scores.std(axis=0)) @ axes, np.float64)

    @cached_property
    def _margins(self) -> tuple[Floats, list[OneMode]]:
        """Normal scores of each column by its ranks, and its nearest distribution of one mode."""
        from scipy.special import ndtri
        from scipy.stats import rankdata

        columns = self._spread if self.points.shape[1] <= WIDE else self._axes[0][:, :WIDE]
        scores = ndtri((rankdata(columns, axis=0) - 0.5) / len(columns))
        spread = scores.std(axis=0)
        scores = np.where(spread > 0, scores / np.where(spread > 0, spread, 1), 0.0)
        return scores, [OneMode.fit(column) for column in columns.T]

    def _one_mode(self, rng: np.random.Generator) -> Floats:
        """Return points whose features have one mode and are correlated as those of the data.

        The copula is Gaussian. Features beyond `WIDE` become principal axes.
        """
        from scipy.special import ndtr

        scores, margins = self._margins
        n = len(scores)
        shares = ndtr(rng.normal(size=(n, n)) @ (scores - scores.mean(axis=0)) / math.sqrt(n))
        shares[:, scores.std(axis=0) == 0] = 0.5
        drawn = np.column_stack([one.at(shares[:, j]) for j, one in enumerate(margins)])
        if self.points.shape[1] <= WIDE:
            return drawn
        rest, axes = self._axes
        more = rng.normal(size=rest.shape) * rest.std(axis=0)
        more[:, : drawn.shape[1]] = drawn
        return np.asarray(self._mean + more @ axes, np.float64)
