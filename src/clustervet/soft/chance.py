"""What a random order of objects would give: the mean gap between equivalences of any two pairs."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from clustervet import _kernels
from clustervet._kernels.patience import is_little
from clustervet._memory import room
from clustervet.soft.memberships import Memberships
from clustervet.soft.pair_sums import FEW, Rows, equivalences
from clustervet.soft.rows import distinct_rows

Floats = NDArray[np.float64]
# Values that are held at once of each side, and bytes of the memory limit for each of them.
HELD = 2**26
PER_VALUE = 64
# Values among which those are chosen at which a range is split.
SAMPLE = 2**16


def expected_gap(truth: Memberships, pred: Memberships) -> float:
    """Return the mean of |e - f| over all pairs: each e in truth with each f in pred.

    Notes
    -----
    It is the integral of F (1 - G) + G (1 - F), where F and G are the shares of values up to a
    point. All terms are positive, so nothing cancels. Values are sorted range by range, as many
    ranges as it takes to hold one of them.
    """
    one, other = Spread(truth), Spread(pred)
    totals = np.array([one.total, other.total])
    if is_little(max(one.comparisons, other.comparisons), FEW):
        return _of_lists(one, other)
    state = np.zeros(4)
    _walk((one, other), -1.0, 2.0, totals, state)
    return float(state[3])


class Spread:
    """The equivalences of all pairs of distinct objects of one side, and their weights.

    Parameters
    ----------
    given : Memberships
        The side.
    """

    def __init__(self, given: Memberships) -> None:
        kinds, firsts = distinct_rows(given.shares)
        # Mixed, so that the first rows are a sample of all.
        order = np.random.default_rng(0).permutation(len(firsts))
        self.rows = Rows(given.shares[firsts[order]])
        self.sizes = np.bincount(kinds).astype(np.float64)[order]
        self.total = given.n * (given.n - 1) / 2
        self.inside = math.fsum((self.sizes * (self.sizes - 1) / 2).tolist())
        self.comparisons = len(firsts) ** 2 / 2 * given.k
        self.side = self.rows.side

    def listed(self) -> tuple[Floats, Floats]:
        """Return all values, and how many pairs of objects have each of them."""
        dense, sizes = self.rows.dense, self.sizes
        steps = range(len(sizes) - 1)
        values = [equivalences(dense, i) for i in steps]
        weights = [sizes[i] * sizes[i + 1 :] for i in steps]
        return np.concatenate([*values, [1.0]]), np.concatenate([*weights, [self.inside]])

    def between(self, low: float, high: float, most: int) -> tuple[Floats, Floats, float]:
        """Return rising values strictly between two others, weights, and the weight of `low`.

        There are no weights where each value counts once, and more than `most` values where there
        is no room for all; those are a sample.
        """
        weighted = bool((self.sizes != 1).any())
        space = min(most, len(self.sizes) * (len(self.sizes) - 1) // 2)
        values, weights = np.empty(space), np.empty(space if weighted else 0)
        count, ties = _kernels.between(
            self.side, self.rows.room, self.sizes, low, high, values, weights
        )
        if count > space:
            return np.append(values, values[0]), weights, ties
        values = values[:count]
        if weighted:
            order = np.argsort(values)
            return values[order], weights[:count][order], ties
        values.sort()
        return values, weights, ties


def _walk(
    sides: tuple[Spread, Spread], low: float, high: float, totals: Floats, state: Floats
) -> None:
    """Add what lies from one value to another, in several ranges where it is too much for one."""
    most = int(min(HELD, max(SAMPLE, room() // PER_VALUE)))
    found = _kernels.run(Spread.between, [(side, low, high, most) for side in sides])
    crowded = [values for values, _, _ in found if len(values) > most]
    if crowded:
        ranges = math.ceil(2 * max(totals) / most) if high - low > 2 else 2
        seen = np.concatenate([values[:: max(1, most // SAMPLE)] for values in crowded])
        del found, crowded
        levels = np.linspace(0, 1, ranges + 1)[1:-1]
        edges = np.unique(np.quantile(seen, levels, method="nearest"))
        for start, stop in pairwise([low, *edges.tolist(), high]):
            _walk(sides, start, stop, totals, state)
        return
    (one, one_weights, one_ties), (other, other_weights, other_ties) = found
    at, last = np.array([low]), np.array([1.0])
    ties = np.array([one_ties]), np.array([other_ties])
    _kernels.gaps(at, ties[0], at, ties[1], totals, state)
    _kernels.gaps(one, one_weights, other, other_weights, totals, state)
    if high > 1:  # equal objects are equivalent by 1, which no value exceeds
        inside = [np.array([side.inside]) for side in sides]
        _kernels.gaps(last, inside[0], last, inside[1], totals, state)


def _of_lists(one: Spread, other: Spread) -> float:
    (left, left_weights), (right, right_weights) = one.listed(), other.listed()
    values = np.concatenate([left, right])
    order = np.argsort(values)
    # Weights are whole numbers, whose sums are exact.
    below = np.concatenate([left_weights, np.zeros(len(right))])[order].cumsum()[:-1]
    under = np.concatenate([np.zeros(len(left)), right_weights])[order].cumsum()[:-1]
    f, g = below / one.total, under / other.total
    return math.fsum((np.diff(values[order]) * (f * (1 - g) + g * (1 - f))).tolist())
