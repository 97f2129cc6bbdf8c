"""Sums of weights in an engine: checked there, and exact where the weights are whole.

An engine adds in 64 bits. A whole weight is therefore added in two parts, a high one and a low
one, whose sums cannot overflow below four billion rows a group; real weights are added as floats.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import LabelError
from clustervet.frames.grouped import Grouped
from clustervet.labels import show_label

PART_BITS = 31
# Whole numbers below this are exact in a float64.
FLOAT_LIMIT = 2.0**53


@dataclass(frozen=True)
class Weighing:
    """What an engine computes about weights: new columns, and their sums in each group."""

    columns: Sequence[Any]
    sums: Sequence[Any]
    whole: Sequence[str]  # the sums that fit into 64 bits, whatever the engine makes of them
    real: bool

    def grouped(self, home: Mapping[str, Any], rows: NDArray[np.int64]) -> Grouped:
        """The groups that came home, once their weights are found to be weights."""
        if int(np.asarray(home["given"], np.int64).sum()) < int(rows.sum()):
            raise LabelError("weights must be finite; some are missing or NaN.")
        least = np.asarray(home["least"], object).min(initial=0)
        if least < 0:
            raise LabelError(f"weights must not be negative; the smallest is {show_label(least)}.")
        if not self.real:
            return Grouped(home["truth"], home["pred"], rows, _joined(home["high"], home["low"]))
        total, parts = (np.asarray(home[name], np.float64) for name in ("total", "parts"))
        if not np.isfinite(total).all():
            raise LabelError("weights must be finite; there is a NaN or an infinity among them.")
        return Grouped(home["truth"], home["pred"], rows, total, bool(parts.any()))

    def must_be_whole(self, grouped: Grouped) -> bool:
        """Whether floats that are all whole sum to more than floats can hold."""
        if not self.real or grouped.fractional or grouped.weights is None:
            return False
        return FLOAT_LIMIT <= float(grouped.weights.sum()) < 2.0**62


def check_weights(dtype: Any) -> None:
    """Refuse a column of anything but numbers; what a column of objects holds shows later."""
    import narwhals as nw

    if not (dtype.is_numeric() or dtype in (nw.Boolean, nw.Object)):
        raise LabelError(f"weights must be numbers, one an object, not of type {dtype}.")


def weighing(dtype: Any, *, as_whole: bool = False) -> Weighing:
    """How weights of a type are added."""
    import narwhals as nw

    check_weights(dtype)
    weight = nw.col("weight")
    checks = weight.count().alias("given"), weight.min().alias("least")
    if dtype.is_integer() or dtype == nw.Boolean or as_whole:
        if dtype != nw.UInt64:
            weight = weight.cast(nw.Int64())
        low = weight % 2**PART_BITS
        # The difference has few digits, so that even an engine that divides as floats is exact.
        high = (weight - low) // 2**PART_BITS
        return Weighing(
            [weight, low.cast(nw.Int64()).alias("low"), high.cast(nw.Int64()).alias("high")],
            [*checks, nw.col("low").sum(), nw.col("high").sum()],
            ["given", "low", "high"],
            real=False,
        )
    real = weight.cast(nw.Float64())
    known = nw.when(~real.is_nan()).then(real).alias("weight")
    part = nw.when(real % 1 != 0).then(1).otherwise(0)
    return Weighing(
        [known, part.alias("parts")],
        [
            *checks,
            nw.col("weight").sum().alias("total"),
            nw.col("parts").sum(),
        ],
        ["given", "parts"],
        real=True,
    )


def _joined(high: Any, low: Any) -> NDArray[Any]:
    """High and low parts as one array of whole numbers, of any size."""
    tops, rests = (np.asarray(part, np.int64) for part in (high, low))
    if float(tops.sum(dtype=np.float64)) < 2.0**30:
        return (tops << PART_BITS) + rests
    sums = np.empty(len(tops), object)
    pairs = zip(tops.tolist(), rests.tolist(), strict=True)
    sums[:] = [(top << PART_BITS) + rest for top, rest in pairs]
    return sums
