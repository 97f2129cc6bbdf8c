"""Grouped counts: all that an engine sends home."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Grouped:
    """Counts of every combination of two label columns, as an engine grouped them.

    A combination may come more than once, as from the parts of a table. Of the keys, None and
    NaN are missing labels. `weights` are sums: whole numbers, or floats; `fractional` says that
    some weight was no whole number, even if every sum is one. Where noise is to be singletons
    and there are weights, every object of noise is a group of its own.

    >>> Grouped(["a", None], [0, 0], np.array([2, 1])).counts
    array([2, 1])
    """

    truth: Any  # whatever `read_labels` takes: a list, an array, an engine's column
    pred: Any
    counts: NDArray[np.int64]
    weights: NDArray[Any] | None = None
    fractional: bool = False
