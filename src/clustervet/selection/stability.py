"""Whether the choices, the curves and the clusters stay when some of the points are left out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency import Contingency
from clustervet.errors import ParameterError
from clustervet.registry import measures
from clustervet.selection.choice import Choice, Floats
from clustervet.selection.sweep import Sweep

# Each sample holds four fifths of the points (Ben-Hur, Elisseeff & Guyon 2002). Points drawn
# with replacement would be copies, which clusterers and silhouettes take for dense places.
SHARE = 0.8
Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, eq=False)
class Stability:
    """What samples of the points say.

    `shares` is how often each measure chose each value, clearly or not, and `clear` how often
    it chose clearly; `low` and `high` are 95% intervals of each curve; `labels` is the mean
    adjusted Rand index of the clusterings of two samples on the points they share.
    """

    samples: int
    size: int
    shares: dict[str, Floats]
    clear: dict[str, float]
    low: dict[str, Floats]
    high: dict[str, Floats]
    labels: Floats

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "samples": self.samples,
            "size": self.size,
            "shares": {key: plain(share) for key, share in self.shares.items()},
            "clear": self.clear,
            "low": {key: plain(low) for key, low in self.low.items()},
            "high": {key: plain(high) for key, high in self.high.items()},
            "labels": plain(self.labels),
        }


def plain(numbers: Floats) -> list[float | None]:
    """As a list; what is not finite is None."""
    return [float(x) if math.isfinite(x) else None for x in numbers]


def read_samples(bootstrap: Any) -> int:
    """How many samples to draw."""
    whole = isinstance(bootstrap, int | np.integer) and not isinstance(bootstrap, bool)
    if not whole or bootstrap < 0 or bootstrap == 1:
        raise ParameterError(
            f"bootstrap must be 0 or a number of samples from 2 on, not {bootstrap!r}."
        )
    return int(bootstrap)


def draw_samples(points: int, samples: int, seed: int | None) -> list[NDArray[np.int64]]:
    """Positions of the points in each sample, rising."""
    size = max(2, round(SHARE * points))
    streams = np.random.SeedSequence(seed).spawn(samples)
    return [
        np.sort(np.random.default_rng(stream).choice(points, size, replace=False))
        for stream in streams
    ]


def gather(
    whole: Sweep,
    rows: list[NDArray[np.int64]],
    found: Iterator[Sweep],
    choose: Callable[[Sweep], dict[str, Choice]],
) -> Stability:
    """What the sweeps of the samples say beside that of all points."""
    keys = list(whole.fits[0].outcomes)
    curves: dict[str, list[Floats]] = {key: [] for key in keys}
    votes = {key: np.zeros(len(whole.values)) for key in keys}
    clear = dict.fromkeys(keys, 0)
    agreement: list[Floats] = []
    first: Sweep | None = None
    last: Sweep | None = None
    for b, sweep in enumerate(found):
        for key, choice in choose(sweep).items():
            curves[key].append(sweep.curve(key))
            clear[key] += choice.clear
            if choice.index is not None:
                votes[key][choice.index] += 1
        if last is not None:
            agreement.append(_agreement(last, sweep, rows[b - 1], rows[b]))
        first, last = first or sweep, sweep
    samples = len(rows)
    if samples > 2 and first is not None and last is not None:
        agreement.append(_agreement(last, first, rows[-1], rows[0]))
    bands = {
        key: _band(whole.curve(key), np.array(curves[key]), whole.points, len(rows[0]))
        for key in keys
    }
    return Stability(
        samples,
        len(rows[0]),
        {key: count / samples for key, count in votes.items()},
        {key: count / samples for key, count in clear.items()},
        {key: band[0] for key, band in bands.items()},
        {key: band[1] for key, band in bands.items()},
        _mean(np.array(agreement)),
    )


def _agreement(
    one: Sweep, other: Sweep, rows: NDArray[np.int64], others: NDArray[np.int64]
) -> Floats:
    """Adjusted Rand index of two samples' clusterings at each value; noise is one more cluster."""
    _, here, there = np.intersect1d(rows, others, assume_unique=True, return_indices=True)
    found = np.full(len(one.values), math.nan)
    if len(here) < 2:
        return found
    record = measures["adjusted_rand"]
    for k, (a, b) in enumerate(zip(one.fits, other.fits, strict=True)):
        if a.labels is not None and b.labels is not None:
            table = Contingency.from_labels(a.labels[here], b.labels[there])
            found[k] = record.evaluate(table).value
    return found


def _band(curve: Floats, drawn: Floats, points: int, size: int) -> tuple[Floats, Floats]:
    """An interval about a curve from its values on samples of fewer points.

    Means of m out of n points vary by (1 - m/n) / m, those of n points by 1 / n: deviations
    are stretched by sqrt(m / (n - m)) (Politis, Romano & Wolf 1999, §2.2). What grows with
    the number of points, such as SSQ, is brought to the scale of all points first.
    """
    drawn = np.where(np.isfinite(drawn), drawn, math.nan)
    center = _mean(drawn)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = curve / center
    factor = np.clip(np.where(ratio > 0, ratio, 1.0), size / points, points / size)
    spread = np.sqrt(_mean((drawn - center) ** 2) * len(drawn) / (len(drawn) - 1))
    reach = Z * spread * factor * math.sqrt(size / max(1, points - size))
    return curve - reach, curve + reach


def _mean(rows: Floats) -> Floats:
    """Means of the columns over what is defined; nan where nothing is."""
    count = (~np.isnan(rows)).sum(axis=0)
    total = np.nansum(rows, axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), math.nan)
