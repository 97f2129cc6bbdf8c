"""Variation of information on codes and sizes, in bits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.partition.codes import Codes32, meet, owners, sizes_of

LN2 = math.log(2)


def split_cost(part: Any, rest: Any, n: int) -> Any:
    """VI between a partition and the one with a cluster split in two (Meilă 2007, eq. 27).

    >>> float(split_cost(1, 1, 4))
    0.5
    """
    part, rest = np.float64(part), np.float64(rest)
    return (part * np.log1p(rest / part) + rest * np.log1p(part / rest)) / (n * LN2)


def variation(a: Codes32, b: Codes32, height: int, width: int) -> float:
    """VI of two partitions (Meilă 2007, eq. 21) as a sum of positive terms over their meet."""
    both, cells = meet(a, b, height, width)
    shared = sizes_of(both, cells)
    total = np.zeros(cells)
    for side, clusters in ((a, height), (b, width)):
        total += _surprise(shared, sizes_of(side, clusters)[owners(both, side, cells)])
    return math.fsum((shared * total).tolist()) / (len(a) * LN2)


def _surprise(part: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.float64]:
    """-log(part / size), with full precision also where part is nearly all of size."""
    return np.where(2 * part > size, -np.log1p(-(size - part) / size), np.log(size / part))


def entropy(sizes: NDArray[np.int64]) -> float:
    """Entropy of a partition with these sizes (Meilă 2007, eq. 14)."""
    n = np.full(len(sizes), sizes.sum())
    return math.fsum((sizes * _surprise(sizes, n)).tolist()) / (int(n[0]) * LN2)
