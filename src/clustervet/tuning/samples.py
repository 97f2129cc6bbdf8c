"""Whether choices, curves and clusters stay the same when some of the points are left out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import whole
from clustervet.contingency import Contingency
from clustervet.errors import ParameterError, Setting
from clustervet.registry import measures
from clustervet.tuning.curves import Curves
from clustervet.tuning.rules import Choice, Floats
from clustervet.view.data import record

# Each sample holds four fifths of the points (Ben-Hur, Elisseeff & Guyon 2002). Points drawn
# with replacement would be copies, which clusterers and silhouettes take for dense places.
SHARE = 0.8
Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, eq=False)
class TuningStability:
    """What samples of the points say about a tuning.

    Parameters
    ----------
    samples : int
        The number of samples.
    size : int
        The number of points in each of them.
    shares : dict
        By measure, how often it chose each value, clearly or not.
    clear : dict
        By measure, how often it chose clearly.
    low, high : dict
        By measure, 95% intervals of its curve.
    labels : ndarray
        At each value, the mean adjusted Rand index of the clusterings of two samples on the
        points that they share.
    """

    samples: int
    size: int
    shares: dict[str, Floats]
    clear: dict[str, float]
    low: dict[str, Floats]
    high: dict[str, Floats]
    labels: Floats

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data.

        Returns
        -------
        dict
            The fields, with lists for arrays and None for what is undefined.
        """
        return record(self)


def read_samples(bootstrap: Any) -> int:
    """Return how many samples to draw."""
    samples = whole(bootstrap, "bootstrap")
    if samples == 1:
        raise ParameterError(Setting("bootstrap"), " must be 0 or at least 2, not 1.")
    return samples


def draw_samples(points: int, samples: int, seed: int | None) -> list[NDArray[np.int64]]:
    """Return the positions of the points in each sample, rising."""
    size = max(2, round(SHARE * points))
    streams = np.random.SeedSequence(seed).spawn(samples)
    return [
        np.sort(np.random.default_rng(stream).choice(points, size, replace=False))
        for stream in streams
    ]


def stability_of(
    every: Curves,
    rows: list[NDArray[np.int64]],
    found: Iterator[Curves],
    choose: Callable[[Curves], dict[str, Choice]],
) -> TuningStability:
    """Return what the curves of the samples say beside those of all points."""
    keys = list(every.fits[0].outcomes)
    curves: dict[str, list[Floats]] = {key: [] for key in keys}
    votes = {key: np.zeros(len(every.values)) for key in keys}
    clear = dict.fromkeys(keys, 0)
    agreement: list[Floats] = []
    first: Curves | None = None
    last: Curves | None = None
    for b, sample in enumerate(found):
        for key, choice in choose(sample).items():
            curves[key].append(sample.curve(key))
            clear[key] += choice.clear
            if choice.index is not None:
                votes[key][choice.index] += 1
        if last is not None:
            agreement.append(_agreement(last, sample, rows[b - 1], rows[b]))
        first, last = first or sample, sample
    samples = len(rows)
    if samples > 2 and first is not None and last is not None:
        agreement.append(_agreement(last, first, rows[-1], rows[0]))
    bands = {
        key: _band(every.curve(key), np.array(curves[key]), every.points, len(rows[0]))
        for key in keys
    }
    return TuningStability(
        samples,
        len(rows[0]),
        {key: count / samples for key, count in votes.items()},
        {key: count / samples for key, count in clear.items()},
        {key: band[0] for key, band in bands.items()},
        {key: band[1] for key, band in bands.items()},
        _mean(np.array(agreement)),
    )


def _agreement(
    one: Curves, other: Curves, rows: NDArray[np.int64], others: NDArray[np.int64]
) -> Floats:
    """Return the adjusted Rand index of two samples at each value; noise is one more cluster."""
    _, here, there = np.intersect1d(rows, others, assume_unique=True, return_indices=True)
    found = np.full(len(one.values), math.nan)
    if len(here) < 2:
        return found
    for k, (a, b) in enumerate(zip(one.fits, other.fits, strict=True)):
        if a.labels is not None and b.labels is not None:
            table = Contingency.from_labels(a.labels[here], b.labels[there])
            found[k] = measures["adjusted_rand"].evaluate(table).value
    return found


def _band(curve: Floats, drawn: Floats, points: int, size: int) -> tuple[Floats, Floats]:
    """Return an interval around a curve from its values on samples of fewer points.

    Means of m out of n points vary by (1 - m/n) / m, those of n points by 1 / n: deviations
    are stretched by sqrt(m / (n - m)) (Politis, Romano & Wolf 1999, §2.2). A measure
    that grows with the number of points, such as SSQ, is first brought to the scale of all points.
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
    """Return the means of the columns over what is defined; nan where nothing is."""
    count = (~np.isnan(rows)).sum(axis=0)
    total = np.nansum(rows, axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), math.nan)
