"""What single objects contribute to a value, and what that says about the population's value.

Every object is left out in turn. The values without it show how far the value is off on average,
how much it varies from sample to sample, and how surely that is known. Objects of one cell of a
table are alike, so one value per cell is enough, and nothing is random. Formulas that take arrays
of sums get those of all these tables at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._progress import ticking
from clustervet.contingency import Contingency
from clustervet.inference.batch import ROUNDED
from clustervet.inference.left_out import LeftOut
from clustervet.registry import Measure

# Cells up to which a formula that takes one table is evaluated without an object of each; larger
# tables are resampled for it.
MOST_CELLS = 2_000
# Measures of the best matching, which is found again without an object of each matched pair, and
# the pairs up to which that is done in larger tables.
MATCHED, FEW_MATCHED = frozenset({"matching_accuracy", "classification_error"}), 200
# The share of the estimated bias that is taken to be uncertain.
DOUBT = 0.25
# The share of objects left out at once where single ones are lost in rounding.
BLOCK = 1e-5

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Spread:
    """How far a value is off on average, how much it varies, and how surely that is known.

    `freedom` are the degrees of freedom of the standard error: few where it rests on few objects.
    `undefined` counts the values that do not exist.
    """

    bias: float
    error: float
    freedom: float
    undefined: int = 0

    @property
    def doubt(self) -> float:
        """The standard error, with a share of the bias."""
        return math.hypot(self.error, DOUBT * self.bias)

    def reach(self, confidence: float) -> float:
        """Return how many standard errors an interval reaches to each side."""
        from scipy.special import stdtrit

        return float(stdtrit(self.freedom, (1 + confidence) / 2))

    def p_value(self, difference: float) -> float:
        """Return how likely a difference this large is in the sample if there is none beyond it.

        The difference counts as it is and without its bias, and the smaller of both is tested.
        """
        from scipy.special import stdtr

        corrected = difference - self.bias
        if math.isnan(corrected) or math.isnan(self.error):
            return math.nan
        if difference * corrected <= 0:
            return 1.0
        size = min(abs(difference), abs(corrected))
        return float(2 * stdtr(self.freedom, -size / self.doubt)) if self.doubt else 0.0


def left_out(
    table: Contingency,
    records: Sequence[Measure],
    parameters: dict[str, Any],
    cells: NDArray[np.int64] | None = None,
) -> Floats:
    """How much measures change without one object: one row per cell, one column per measure.

    A measure that depends on the number of objects reads all tables as distributions over the same
    number of them, so that leaving one out changes the shares alone.
    """
    n, counts = int(table.n), table.cells.values
    chosen = np.arange(len(counts)) if cells is None else cells
    whole = np.array(_values(table, n, records, parameters))
    found = np.empty((len(chosen), len(records)))
    together = {scaled: LeftOut(table, chosen, scaled=scaled) for scaled in (False, True)}
    rest = []
    for k, record in enumerate(records):
        if record.arrays and n <= ROUNDED and not table.partial:
            values = record.evaluate_all(together[record.sized], **parameters)
            found[:, k] = values - whole[k]
        else:
            rest.append(k)
    if not rest:
        return found
    singly = [records[k] for k in rest]
    with ticking(len(chosen), "leaving objects out") as tick:
        for row, cell in enumerate(chosen):
            fewer = counts.copy()
            block = min(int(n * BLOCK), int(counts[cell])) if n > ROUNDED else 1
            fewer[cell] -= block
            without = np.array(_values(table.with_values(fewer), n, singly, parameters))
            # What one object of the block does.
            found[row, rest] = (without - whole[rest]) * ((n - block) / (block * (n - 1)))
            tick()
    return found


def is_quick(table: Contingency, record: Measure) -> bool:
    """Whether it takes little time to leave every object out, also in a table of many cells."""
    if len(table) <= MOST_CELLS:
        return True
    few = record.key not in MATCHED or min(table.shape) <= FEW_MATCHED
    return few and bool(record.arrays) and table.n <= ROUNDED and not table.partial


def _values(
    table: Contingency, n: int, records: Sequence[Measure], parameters: dict[str, Any]
) -> list[float]:
    scaled = table.as_population(n) if any(record.sized for record in records) else table
    return [
        record.evaluate(scaled if record.sized else table, **parameters).value for record in records
    ]


def jackknife(changes: Floats, counts: NDArray[Any]) -> Spread:
    """The spread of a value, from its change without one object of each kind.

    Bias and standard error are Quenouille's and Tukey's (Efron 1982, ch. 2 and 3). The variance of
    a variance depends on the kurtosis of what it is made of, which gives the degrees of freedom:
    2 n / (kurtosis - 1), n for normal values.
    """
    known = np.isfinite(changes)
    weights = np.where(known, counts, 0).astype(np.float64)
    undefined = int(counts[~known].sum())
    n = float(weights.sum())
    if n < 2:
        return Spread(math.nan, math.nan, math.nan, undefined)
    values = np.where(known, changes, 0.0)
    mean = float(weights @ values) / n
    gaps = values - mean
    second = float(weights @ gaps**2) / n
    # Rounding must not pass for a spread: without it all changes may be equal.
    if math.sqrt(second) <= 1e-13 * min(1.0, ROUNDED / n):
        second = 0.0
    freedom = n - 1
    if second:
        kurtosis = float(weights @ (gaps / math.sqrt(second)) ** 4) / n
        freedom = min(freedom, max(1.0, 2 * n / max(kurtosis - 1, 1e-9)))
    bias = (n - 1) * mean if n <= ROUNDED else 0.0  # beyond, the error is far larger
    return Spread(bias, math.sqrt((n - 1) * second), freedom, undefined)


def spread_of(resampled: Floats, center: float, n: int) -> Spread:
    """The spread of a value whose values on resampled tables are known."""
    defined = resampled[np.isfinite(resampled)]
    undefined = len(resampled) - len(defined)
    if len(defined) < 20 or not math.isfinite(center):
        return Spread(math.nan, math.nan, math.nan, undefined)
    bias = float(defined.mean()) - center
    return Spread(bias, float(defined.std(ddof=1)), float(n - 1), undefined)


def score_ends(
    value: float, spread: Spread, confidence: float, bounds: tuple[float, float], n: float
) -> tuple[float, float]:
    """The ends of an interval about a value, and about the value without its bias: the outer ones.

    The variance of a value falls to 0 at the ends of its range, as that of a share does. So the
    interval holds every value x whose distance to the center is at most `reach` standard errors
    at x, as Wilson's (1927) does for a share; without a largest value, as that of a rate.
    """
    reach = spread.reach(confidence)
    both = [
        _score(center, spread.doubt, reach, bounds, n) for center in (value, value - spread.bias)
    ]
    low, high = min(low for low, _ in both), max(high for _, high in both)
    return max(low, bounds[0]), min(high, bounds[1])


def _score(
    center: float, error: float, reach: float, bounds: tuple[float, float], n: float
) -> tuple[float, float]:
    low, high = bounds
    if math.isinf(low):
        return center - reach * error, center + reach * error
    center = max(center - low, 0.0)
    if math.isinf(high):
        if center == 0:
            return low, low + reach * error
        rate = error**2 / center
        middle = center + reach**2 * rate / 2
        half = reach * math.sqrt(center * rate + (reach * rate / 2) ** 2)
        return low + middle - half, low + middle + half
    width = high - low
    share, variance = min(center / width, 1.0), (error / width) ** 2
    inner = share * (1 - share)
    # The number of objects of which a share with this variance would be.
    size = inner / variance if inner and variance else float(n)
    heavy = reach**2 / size
    middle = (share + heavy / 2) / (1 + heavy)
    half = math.sqrt(heavy * inner + heavy**2 / 4) / (1 + heavy)
    # At the ends of the range the sums are exact only without rounding.
    least = low if share == 0 else low + width * (middle - half)
    return least, high if share == 1 else low + width * (middle + half)
