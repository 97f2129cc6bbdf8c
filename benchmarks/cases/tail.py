"""The hypergeometric tail of the PAC-MDL bound, beside bisection with scipy's tail."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from clustervet.pacmdl import bmax
from clustervet.pacmdl.tail import _bmax
from compare import rows
from harness import Contender, Row, Scale, at_least, race

# Share of errors among the labelled objects, and log2 delta. The last delta is too small for a
# float.
CASES = ((0.1, -8.0), (0.1, -60.0), (0.4, -2_000.0))


def run(scale: Scale) -> Iterator[Row]:
    """The largest b whose tail reaches delta, with as many labelled as unlabelled objects."""
    for full in (100_000, 10_000_000):
        size = scale(full)
        for share, log2_delta in CASES:
            errors = round(share * size)
            ours, peers = race(
                scale,
                partial(_ours, size, errors, log2_delta),
                [Contender("scipy", partial(_halved, size, errors, log2_delta))],
            )
            yield from rows(
                ours,
                peers,
                what=f"bmax, delta = 2^{log2_delta:g}",
                size=f"m = n = {size:,}, a = {errors:,}",
                goals={"scipy": at_least(100)} if full == 10_000_000 else {},
                judged=_same,
            )


def _ours(size: int, errors: int, log2_delta: float) -> int:
    _bmax.cache_clear()  # an earlier result must not be reused
    return bmax(size, size, errors, log2_delta)


def _halved(size: int, errors: int, log2_delta: float) -> int:
    from scipy.stats import hypergeom

    low, high, level = 0, size, log2_delta * math.log(2)
    while low < high:
        b = (low + high + 1) // 2
        if hypergeom.logsf(b - 1, 2 * size, size, errors + b) >= level:
            low = b
        else:
            high = b - 1
    return low


def _same(peer: str, ours: int, theirs: int) -> tuple[str, bool]:
    if ours == theirs:
        return "same value", False
    return f"values DIFFER: clustervet {ours:,}, {peer} {theirs:,}", True
