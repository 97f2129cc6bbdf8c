"""What a sample of true clusters, objects or pairs says about ratios of sums over all of them.

Every unit of the sample stands for as many as its chance of being drawn says (Horvitz and Thompson
1952; Binette et al. 2022 for clusters and pairs of records). Leaving each unit out in turn shows
how much the ratio varies from sample to sample.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import LabelError, Setting
from clustervet.inference.jackknife import Spread, jackknife, score_ends
from clustervet.labels.sampled import (
    Predicted,
    class_chances,
    object_chances,
    pair_chances,
    read_pairs,
    read_sampled,
)

# The largest sample that is looked for.
MOST = 10**12

Floats = NDArray[np.float64]
Sums = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Formula:
    """A score as a ratio of sums, what each unit weighs in it, and what the sample may lack.

    `power` says how the weight of a true cluster grows with its size: 2 if all pairs of its
    objects count, 1 if its objects do, 0 if it counts once.
    """

    ratio: Callable[[Sums], tuple[Any, Any]]
    weight: Callable[[Sums], Any]
    power: int
    lacking: str = ""


PREDICTED = "no pair of objects of one predicted cluster is in the sample"
TRUE = "no pair of objects of one true cluster is in the sample"
EITHER = "no pair of objects of one predicted or one true cluster is in the sample"
PAIRS = {
    "pair_precision": Formula(lambda s: (s["both"], s["pred"]), lambda s: s["pred"], 2, PREDICTED),
    "pair_recall": Formula(lambda s: (s["both"], s["true"]), lambda s: s["true"], 2, TRUE),
    "pair_f1": Formula(
        lambda s: (2 * s["both"], s["pred"] + s["true"]),
        lambda s: s["pred"] + s["true"],
        2,
        EITHER,
    ),
}
# B-cubed precision is pair precision in which a pair weighs as much as its cluster is small, and
# every object is right about itself.
WITHIN = {
    "bcubed_precision": Formula(
        lambda s: (
            s["alone"] * s["small pred"] + (1 - s["alone"]) * s["small both"],
            s["small pred"],
        ),
        lambda s: s["small pred"],
        1,
        PREDICTED,
    ),
}
WHOLE = {
    "bcubed_precision": Formula(lambda s: (s["precision"], s["size"]), lambda s: s["size"], 1),
    "bcubed_recall": Formula(lambda s: (s["recall"], s["size"]), lambda s: s["size"], 1),
    "bcubed_f1": Formula(
        lambda s: (
            2 * s["precision"] * s["recall"],
            (s["precision"] + s["recall"]) * s["size"],
        ),
        lambda s: s["size"],
        1,
    ),
    "cluster_precision": Formula(lambda s: (s["exact"], s["clusters"]), lambda s: s["clusters"], 0),
    "cluster_recall": Formula(lambda s: (s["exact"], s["one"]), lambda s: s["one"], 0),
    "cluster_f1": Formula(
        lambda s: (2 * s["exact"], s["clusters"] + s["one"]), lambda s: s["clusters"] + s["one"], 0
    ),
}
FORMULAS: dict[str, dict[str, Formula]] = {
    "clusters": PAIRS | WHOLE,
    "objects": PAIRS | WITHIN,
    "pairs": PAIRS | WITHIN,
    "predicted": {"pair_precision": PAIRS["pair_precision"]} | WITHIN,
}


@dataclass(frozen=True, slots=True)
class Sample:
    """Sums over a sample, what each unit adds to them, and the chance of each unit.

    `expected` has, by the power of a formula, how many units of equal weight such a sample is
    worth by the sizes of the predicted clusters, where these say it.
    """

    totals: Sums
    parts: Mapping[str, Floats]
    chances: Floats
    objects: int
    expected: Mapping[int, float] = field(default_factory=dict)
    noise: int = 0

    def __len__(self) -> int:
        return len(self.chances)


@dataclass(frozen=True, slots=True)
class Estimated:
    """An estimate with what is needed to say how it would be with more units.

    `effective` is the number of units of equal weight that the sample is worth for this score, and
    `drawn` the mean chance of its units.
    """

    value: float
    spread: Spread
    effective: float
    units: int
    drawn: float
    why: str = ""

    def ends(self, confidence: float, units: float = 0) -> tuple[float, float]:
        """The ends of the interval, or those to expect from another number of units."""
        more = units / self.units if units else 1.0
        # With a larger share of the population drawn, less is left to vary.
        left = 1 - self.drawn * more
        if math.isnan(self.value) or left <= 0:
            return self.value, self.value
        shrunk = left / (1 - self.drawn) / more
        spread = Spread(
            self.spread.bias * shrunk,
            self.spread.error * math.sqrt(shrunk),
            max(self.spread.freedom * more, 1.0),
        )
        return score_ends(self.value, spread, confidence, (0.0, 1.0), self.effective * more / left)

    def needed(self, width: float, confidence: float) -> int | None:
        """How many units give an interval no wider than this."""
        if math.isnan(self.value):
            return None

        def fits(units: int) -> bool:
            low, high = self.ends(confidence, units)
            return high - low <= width

        high = 2
        while not fits(high):
            high *= 2
            if high > MOST:
                return None
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if fits(middle) else (middle, high)
        return high


def estimated(sample: Sample, formula: Formula) -> Estimated:
    """A score and its spread: every unit is left out in turn."""
    count = len(sample)
    part, whole = formula.ratio(sample.totals)
    drawn = float(sample.chances.mean())
    if not whole and sample.totals.get("alone") == 1 and formula.power == 1:
        # Clusters of one object each are precise, whatever the truth is.
        return Estimated(1.0, Spread(0.0, 0.0, 1.0), count, count, 1.0)
    if not whole:
        nothing = Spread(math.nan, math.nan, math.nan)
        return Estimated(math.nan, nothing, 0.0, count, drawn, formula.lacking)
    value = min(float(part / whole), 1.0)  # rounding may go beyond
    weights = formula.weight(sample.parts)
    effective = float(weights.sum() ** 2 / (weights**2).sum())
    effective = min(effective, sample.expected.get(formula.power, effective))
    without = {
        name: total - sample.parts[name] if name in sample.parts else total
        for name, total in sample.totals.items()
    }
    parts, wholes = formula.ratio(without)
    with np.errstate(divide="ignore", invalid="ignore"):
        changes = np.where(wholes > 1e-12 * whole, parts / wholes, np.nan) - value
    # A unit that was likely to be drawn says little of how samples vary.
    varying, ones = np.sqrt(1 - sample.chances), np.ones(count)
    spread = jackknife(changes * varying, ones)
    if math.isnan(spread.error):
        spread = Spread(0.0, 0.0, 1.0)  # one unit decides: only its weight is known
    bias = jackknife(changes, ones).bias * (1 - drawn) if spread.error else 0.0
    freedom = spread.freedom if spread.error else max(effective - 1, 1.0)
    return Estimated(value, Spread(bias, spread.error, freedom), effective, count, drawn)


def _size_chances(sizes: Floats, objects: int) -> Floats:
    """The chance of a true cluster to be found if objects are drawn and each cluster counts once.

    So many objects were drawn that the sample stands for all objects.
    """
    if sizes.sum() >= objects:
        return np.ones(len(sizes))
    missed = np.log1p(-sizes / objects)

    def chances(log_draws: float) -> Floats:
        return -np.expm1(math.exp(log_draws) * missed)

    def surplus(log_draws: float) -> float:
        return float((sizes / chances(log_draws)).sum()) / objects - 1

    from scipy.optimize import brentq

    low, high = math.log(len(sizes)) - 1, math.log(len(sizes))
    while surplus(high) > 0:
        low, high = high, high + 1
    return chances(brentq(surplus, low, high))


def _cluster_sample(truth: Any, pred: Predicted, sampling: Any) -> Sample:
    sampled = read_sampled(truth, pred)
    classes = sampled.classes.astype(np.int64)
    count = len(sampled.names)
    sizes = np.bincount(classes, minlength=count).astype(np.float64)
    if isinstance(sampling, str):
        uniform = np.full(count, sizes.sum() / len(pred))
        given = uniform if sampling == "uniform" else _size_chances(sizes, len(pred))
    else:
        given = class_chances(sampling, pred, sampled)
        # A common factor does not matter: the sample stands for all objects.
        given = given * (float((sizes / given).sum()) / len(pred))
    keys, counts = np.unique(
        classes * len(pred.sizes) + pred.codes[sampled.rows], return_counts=True
    )
    of, cluster = keys // len(pred.sizes), pred.sizes[keys % len(pred.sizes)].astype(np.float64)
    shared, whole = counts.astype(np.float64), sizes[of]

    def sums(values: Any) -> Floats:
        return np.bincount(of, weights=np.asarray(values, np.float64), minlength=count) / given

    parts = {
        "both": sums(shared * (shared - 1) / 2),
        "pred": sums(shared * (cluster - 1) / 2),
        "true": sizes * (sizes - 1) / 2 / given,
        "precision": sums(shared * shared / cluster),
        "recall": sums(shared * shared / whole),
        "size": sizes / given,
        "exact": sums((shared == cluster) & (shared == whole)),
        "clusters": sums(shared / cluster),
        "one": 1 / given,
    }
    totals = {name: float(part.sum()) for name, part in parts.items()}
    expected = _expected(pred, count, sampling) if isinstance(sampling, str) else {}
    return Sample(totals, parts, np.minimum(given, 1.0), len(sampled), expected, sampled.noise)


def _expected(pred: Predicted, count: int, sampling: str) -> dict[int, float]:
    """How many units of equal weight a sample of true clusters is worth, by power.

    True clusters are taken to be as large as predicted ones: a sample with too few large clusters
    would not show that it lacks them.
    """
    sizes = pred.sizes.astype(np.float64)
    chances = np.full(len(sizes), 1 / len(sizes)) if sampling == "uniform" else sizes / sizes.sum()
    found = {}
    for power, weight in enumerate((np.ones(len(sizes)), sizes, sizes * (sizes - 1))):
        if weight.any():
            found[power] = float(count * weight.sum() ** 2 / (weight**2 / chances).sum())
    return found


def _object_sample(truth: Any, pred: Predicted, sampling: Any) -> Sample:
    sampled = read_sampled(truth, pred)
    count = len(sampled)
    given = np.full(count, count / len(pred))
    if not isinstance(sampling, str):
        given = object_chances(sampling, pred, sampled.rows)
        given = given * (float((1 / given).sum()) / len(pred))
    weights = given.mean() / given
    classes, clusters = sampled.classes.astype(np.int64), pred.codes[sampled.rows].astype(np.int64)
    cells = np.unique(classes * len(pred.sizes) + clusters, return_inverse=True)[1]

    def pairs(groups: NDArray[Any]) -> Floats:
        """The weight of the pairs of each object with others of its group."""
        others = np.bincount(groups, weights=weights)[groups] - weights
        found: Floats = weights * np.where(np.bincount(groups)[groups] > 1, others, 0.0)
        return found

    small = 1.0 / pred.sizes[clusters]
    both, predicted = pairs(cells), pairs(clusters)
    parts = {
        "both": both,
        "pred": predicted,
        "true": pairs(classes),
        "small both": both * small,
        "small pred": predicted * small,
    }
    # Each pair is counted at both of its objects.
    totals = {name: float(part.sum()) / 2 for name, part in parts.items()}
    totals["alone"] = len(pred.sizes) / len(pred)
    return Sample(totals, parts, np.minimum(given, 1.0), count, noise=sampled.noise)


def _pair_sample(truth: Any, pred: Predicted, sampling: Any) -> Sample:
    first, second, match = read_pairs(truth, pred)
    count = len(first)
    together = pred.codes[first] == pred.codes[second]
    sizes = pred.sizes.astype(np.float64)
    population = len(pred) * (len(pred) - 1) / 2
    if isinstance(sampling, str) and sampling == "predicted":
        apart = int((~together).sum())
        if apart:
            raise LabelError(
                f"{apart:,} of {count:,} pairs of truth are not within a predicted cluster; with ",
                Setting("sampling", "predicted"),
                " all must be.",
            )
        population = float((sizes * (sizes - 1) / 2).sum())
    chances, weights = np.full(count, min(count / population, 1.0)), np.ones(count)
    if not isinstance(sampling, str):
        given = pair_chances(sampling, count)
        # The population may be the pairs that a search proposed, so its size is not known.
        chances, weights = np.zeros(count), given.mean() / given
    small = weights / sizes[pred.codes[first]]
    parts = {
        "both": weights * (together & match),
        "pred": weights * together,
        "true": weights * match,
        "small both": small * (together & match),
        "small pred": small * together,
    }
    totals = {name: float(part.sum()) for name, part in parts.items()}
    totals["alone"] = len(sizes) / len(pred)
    rows = len(np.unique(np.concatenate([first, second])))
    return Sample(totals, parts, chances, rows)


READERS: dict[str, Callable[[Any, Predicted, Any], Sample]] = {
    "clusters": _cluster_sample,
    "objects": _object_sample,
    "pairs": _pair_sample,
}
