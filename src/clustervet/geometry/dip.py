"""The dip of a sample: how far it is from any distribution with one mode (Hartigan 1985)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Numbers of values and probabilities of the table of quantiles.
SIZES = (4, 6, 10, 20, 50, 100, 200, 500, 1000)
PROBABILITIES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975, 0.99, 0.995, 0.999)
# The least p-value that the table gives.
LEAST_P = round(1 - PROBABILITIES[-1], 9)
QUANTILES = (
    (0.250, 0.250, 0.250, 0.250, 0.250, 0.290, 0.376, 0.415, 0.441, 0.463, 0.475, 0.489),
    (0.204, 0.204, 0.204, 0.241, 0.302, 0.354, 0.390, 0.404, 0.430, 0.473, 0.496, 0.541),
    (0.194, 0.228, 0.247, 0.278, 0.309, 0.360, 0.413, 0.442, 0.468, 0.506, 0.527, 0.570),
    (0.213, 0.237, 0.255, 0.288, 0.328, 0.381, 0.436, 0.470, 0.502, 0.538, 0.564, 0.617),
    (0.223, 0.250, 0.267, 0.300, 0.345, 0.401, 0.458, 0.496, 0.530, 0.571, 0.598, 0.667),
    (0.227, 0.256, 0.274, 0.309, 0.355, 0.412, 0.473, 0.513, 0.547, 0.593, 0.623, 0.679),
    (0.234, 0.262, 0.280, 0.315, 0.361, 0.420, 0.480, 0.521, 0.560, 0.604, 0.635, 0.702),
    (0.237, 0.267, 0.285, 0.320, 0.368, 0.426, 0.488, 0.529, 0.568, 0.615, 0.647, 0.720),
    (0.240, 0.269, 0.288, 0.324, 0.371, 0.431, 0.495, 0.534, 0.573, 0.620, 0.651, 0.716),
)
Floats = NDArray[np.float64]
Places = NDArray[np.int64]


def dip(values: NDArray[np.float64]) -> float:
    """Return the dip: the largest distance to the nearest distribution function with one mode.

    That function is convex up to the mode and concave after it. So it is at best the greatest
    convex minorant of the empirical one, then a line, then its least concave majorant; the
    interval of the line shrinks until nothing is gained (Hartigan and Hartigan 1985, §3).

    >>> dip(np.array([1.0, 2.0, 3.0, 4.0]))
    0.125
    >>> round(dip(np.array([0.0, 0.1, 0.2, 9.0, 9.1, 9.2])), 3)
    0.244
    """
    x, counts = np.unique(values, return_counts=True)
    above = np.cumsum(counts).astype(np.float64)
    below = above - counts
    low, high, found = 0, len(x) - 1, 1.0
    while low < high:
        here = slice(low, high + 1)
        minorant = low + _hull(x[here], below[here])
        majorant = low + _hull(x[here], -above[here])
        convex = np.interp(x[here], x[minorant], below[minorant])
        concave = np.interp(x[here], x[majorant], above[majorant])
        knots = np.union1d(minorant, majorant)
        gaps = (concave - convex)[knots - low]
        widest = int(knots[gaps.argmax()])
        if gaps.max() <= found:
            break
        # The line runs from the last knot of the minorant to the next one of the majorant.
        first = int(minorant[np.searchsorted(minorant, widest, side="right") - 1])
        last = int(majorant[np.searchsorted(majorant, widest)])
        left = (above[here] - convex)[: first - low].max(initial=0.0)
        right = (concave - below[here])[last - low + 1 :].max(initial=0.0)
        found = max(found, float(left), float(right))
        if (first, last) == (low, high):
            break
        low, high = first, last
    return found / (2 * len(values))


def _hull(x: Floats, y: Floats) -> Places:
    """Return the places of the knots of the greatest convex minorant."""
    kept: list[int] = []
    xs, ys = x.tolist(), y.tolist()
    for k, (across, up) in enumerate(zip(xs, ys, strict=True)):
        while len(kept) > 1:
            i, j = kept[-2], kept[-1]
            if (ys[j] - ys[i]) * (across - xs[j]) < (up - ys[j]) * (xs[j] - xs[i]):
                break
            kept.pop()
        kept.append(k)
    return np.array(kept, np.int64)


def dip_p_value(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the dip, and how likely a dip as large is if there is one mode: at least 0.001.

    The quantiles are those of uniform values, which have the largest dips of all with one mode.

    >>> dip_p_value(np.array([0.0, 0.1, 0.2, 0.3, 9.0, 9.1, 9.2, 9.3]))[1] <= 0.01
    True
    """
    found = dip(values)
    size = len(values)
    # Between the rows of the table, and up to the last one, quantiles change with 1 / sqrt(n).
    places = -1 / np.sqrt(SIZES)
    row = [np.interp(-1 / size**0.5, places, column) for column in zip(*QUANTILES, strict=True)]
    scaled = found * size**0.5
    if scaled <= row[0]:
        return found, 1.0
    return found, float(1 - np.interp(scaled, row, PROBABILITIES))
