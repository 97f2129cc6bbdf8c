"""P-values of differences, one and many."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

# Resamples in the tail below which their share says little.
COUNTABLE = 10
# Objects below which differences of equally good predictions look significant too often.
FEW = 20
# A p-value that lies within so many of its standard errors of the limit is too close to call.
CLOSE = 3.0


def too_close(raw: list[float], corrected: list[float], limit: float, resamples: int) -> bool:
    """Whether other resamples might put any p-value on the other side of the limit."""
    for p, adjusted in zip(raw, corrected, strict=True):
        if math.isnan(p) or p <= 0:
            continue
        error = 2 * math.sqrt(p / 2 * (1 - p / 2) / resamples)
        if abs(adjusted - limit) < CLOSE * error * adjusted / p:
            return True
    return False


def p_value(difference: float, noise: NDArray[np.float64], objects: int) -> float:
    """Two-sided: how often noise alone is as large as the difference, on the side it is on.

    Where so little noise reaches it that there is nothing to count, the normal tail tells:
    else many predictions could never be separated, since Holm's method multiplies p-values.
    Of fewer than `FEW` objects resampling knows too little, and says nothing.
    """
    defined = noise[np.isfinite(noise)]
    if objects < FEW or len(defined) < 20 or math.isnan(difference):
        return math.nan
    tail = min(np.count_nonzero(defined >= difference), np.count_nonzero(defined <= difference))
    counted = 2 * (tail + 1) / (len(defined) + 1)
    spread = float(defined.std(ddof=1))
    if tail < COUNTABLE and spread > 0:
        z = abs(difference - float(defined.mean())) / spread
        return min(float(counted), math.erfc(z / math.sqrt(2)))
    return float(min(1.0, counted))


def holm(p_values: list[float]) -> list[float]:
    """Holm's (1979) step-down correction for many comparisons.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda k: (math.isnan(p_values[k]), p_values[k]))
    corrected = [math.nan] * len(p_values)
    running = 0.0
    for rank, k in enumerate(order):
        if not math.isnan(p_values[k]):
            running = max(running, min(1.0, (len(p_values) - rank) * p_values[k]))
            corrected[k] = running
    return corrected
