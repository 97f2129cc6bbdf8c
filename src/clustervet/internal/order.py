"""The distances of pairs in one cluster beside those of pairs in two, in order of size."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import generator
from clustervet.errors import UndefinedError
from clustervet.geometry import Geometry
from clustervet.internal.common import DISTANCE_BIAS
from clustervet.internal.pairs import (
    NumberOfPairs,
    all_pairs,
    distances_of,
    drawn_pairs,
    number_of_pairs,
)
from clustervet.registry import Estimate, measure

Sorted = NDArray[np.floating[Any]]
# Distances that differ by at most this share are equal, since rounding alone may tell them apart;
# and those of features or distances in single precision.
TIE, SINGLE_TIE = 1e-10, 1e-6
# Parts of the drawn pairs that are left out in turn, for the standard error.
PARTS = 20
EQUAL = "all distances are equal"


@measure(
    title="C-index",
    symbol="C",
    family="indices",
    kind="internal",
    better="lower",
    bounds=(0, 1),
    cost="pairs",
    aliases=("cindex", "hubert_levin"),
    equation="(S - S_min) / (S_max - S_min), S: distances of the w pairs in one cluster, S_min and "
    "S_max: the w least and the w greatest distances",
    reference="Hubert & Levin 1976",
    meaning="Where the distances within clusters lie between the least and the greatest that as "
    "many pairs could have.",
    use="You want a number from 0 to 1 for any metric, and clusters are of similar width.",
    avoid="Numbers of clusters differ much: many clusters have few pairs within; "
    + DISTANCE_BIAS
    + ".",
)
def c_index(geometry: Geometry, pairs: NumberOfPairs = None, random_state: Any = 0) -> float:
    """Sum of distances within clusters, between the least and the greatest possible.

    Parameters
    ----------
    pairs : int or 'all', optional
        Number of pairs to draw, half of them within clusters. By default all pairs up to fifty
        million, and one million drawn pairs beyond.
    random_state : int, Generator or None, default 0
        Seed for drawing pairs.

    Notes
    -----
    With drawn pairs the value is an `Estimate`; its standard error is that of the jackknife over
    20 parts of the pairs.

    Examples
    --------
    >>> c_index([[0], [1], [5], [6]], [0, 0, 1, 1])
    0.0
    >>> round(c_index([[0], [1], [5], [6]], [0, 1, 1, 0]), 6)
    0.888889
    """

    def formula(facts: Order) -> float:
        if facts.most == facts.least:
            raise UndefinedError(EQUAL)
        found = (facts.inside * facts.within - facts.least) / (facts.most - facts.least)
        return min(1.0, max(0.0, found))

    return _index(geometry, pairs, random_state, formula)


@measure(
    title="Baker-Hubert gamma",
    symbol="Γ_BH",
    family="indices",
    kind="internal",
    better="higher",
    bounds=(-1, 1),
    cost="pairs",
    aliases=("baker_hubert",),
    equation="(s+ - s-) / (s+ + s-), s+ and s-: a distance within is below, or above, one between",
    reference="Baker & Hubert 1975; Goodman & Kruskal 1954",
    meaning="How often a distance within a cluster is below a distance between clusters, rather "
    "than above it.",
    use="Only the order of distances means anything, as with ranks or judgements.",
    avoid="Few clusters should be preferred: it rises with their number; " + DISTANCE_BIAS + ".",
)
def baker_hubert_gamma(
    geometry: Geometry, pairs: NumberOfPairs = None, random_state: Any = 0
) -> float:
    """Goodman and Kruskal's gamma of distances and of being in different clusters.

    Parameters
    ----------
    pairs : int or 'all', optional
        Number of pairs to draw, as for `c_index`. By default all pairs up to fifty million.
    random_state : int, Generator or None, default 0
        Seed for drawing pairs.

    Notes
    -----
    Equal distances count on neither side. Distances that agree to ten digits, in single precision
    to six, are equal. With drawn pairs the value is an `Estimate`, as for `c_index`.

    Examples
    --------
    >>> round(baker_hubert_gamma([[0], [1], [5], [10]], [0, 0, 1, 1]), 6)
    0.714286
    """

    def formula(facts: Order) -> float:
        if facts.below + facts.above == 0:
            raise UndefinedError(EQUAL)
        return (facts.below - facts.above) / (facts.below + facts.above)

    return _index(geometry, pairs, random_state, formula)


@measure(
    title="Kendall's tau of distances",
    symbol="τ",
    family="indices",
    kind="internal",
    better="higher",
    bounds=(-1, 1),
    cost="pairs",
    aliases=("tau", "rohlf_tau"),
    equation="(s+ - s-) / sqrt(w b N (N - 1) / 2), w and b: pairs within and between, N = w + b",
    reference="Rohlf 1974; Milligan 1981",
    meaning="The rank correlation of distances with being in different clusters.",
    use="You want Baker and Hubert's gamma, but clusterings with few pairs within or between "
    "should not score high.",
    avoid="It is read as a correlation: even perfect clusters reach about 0.71; "
    + DISTANCE_BIAS
    + ".",
)
def kendall_tau(geometry: Geometry, pairs: NumberOfPairs = None, random_state: Any = 0) -> float:
    """Rank correlation of distances and of being in different clusters.

    Parameters
    ----------
    pairs : int or 'all', optional
        Number of pairs to draw, as for `c_index`. By default all pairs up to fifty million.
    random_state : int, Generator or None, default 0
        Seed for drawing pairs.

    Notes
    -----
    The denominator is corrected for ties of clusters, not for ties of distances, as in clusterCrit;
    tau-b of Kendall corrects for both. NbClust has the number of pairs of points in the place of
    the number of comparisons. With drawn pairs the value is an `Estimate`, as for `c_index`.

    Examples
    --------
    >>> round(kendall_tau([[0], [1], [5], [10]], [0, 0, 1, 1]), 6)
    0.456435
    """

    def formula(facts: Order) -> float:
        total = facts.inside + facts.across
        scale = math.sqrt(2 * facts.inside * facts.across / (total * (total - 1)))
        return (facts.below - facts.above) * scale

    return _index(geometry, pairs, random_state, formula)


@measure(
    title="Point-biserial correlation",
    symbol="PB",
    family="indices",
    kind="internal",
    better="higher",
    bounds=(-1, 1),
    cost="pairs",
    aliases=("pearson_gamma", "pearsongamma", "normalized_gamma", "ptbiserial"),
    equation="(mean between - mean within) sqrt(w b) / (N s), s: standard deviation of distances",
    reference="Milligan 1981; Halkidi, Batistakis & Vazirgiannis 2001 (Γ)",
    meaning="The correlation of distances with being in different clusters.",
    use="You want a correlation that is easy to read, for any metric.",
    avoid="One large cluster dominates the pairs; " + DISTANCE_BIAS + ".",
)
def point_biserial(geometry: Geometry, pairs: NumberOfPairs = None, random_state: Any = 0) -> float:
    """Pearson correlation of distances and of being in different clusters.

    Parameters
    ----------
    pairs : int or 'all', optional
        Number of pairs to draw, as for `c_index`. By default all pairs up to fifty million.
    random_state : int, Generator or None, default 0
        Seed for drawing pairs.

    Notes
    -----
    It is `pearsongamma` of fpc. NbClust divides by the standard deviation of a sample, with N - 1.
    clusterCrit's Point_Biserial has the other sign and is not divided. With drawn pairs the value
    is an `Estimate`, as for `c_index`.

    Examples
    --------
    >>> round(point_biserial([[0], [1], [5], [10]], [0, 0, 1, 1]), 6)
    0.62092
    """

    def formula(facts: Order) -> float:
        if facts.deviation == 0:
            raise UndefinedError(EQUAL)
        shares = math.sqrt(facts.inside * facts.across) / (facts.inside + facts.across)
        found = (facts.between - facts.within) * shares / facts.deviation
        return min(1.0, max(-1.0, found))

    return _index(geometry, pairs, random_state, formula)


class Order(NamedTuple):
    """What the indices read of all pairs of points, or what drawn pairs say of it.

    There are `inside` pairs in one cluster and `across` in two; `within` and `between` are their
    mean distances, `deviation` is the standard deviation of all. A distance within is below one
    between with the chance `below`, and above it with the chance `above`. The least and the
    greatest `inside` distances have the sums `least` and `most`.
    """

    inside: int
    across: int
    within: float
    between: float
    deviation: float
    below: float
    above: float
    least: float
    most: float


def _index(
    geometry: Geometry, pairs: NumberOfPairs, random_state: Any, formula: Callable[[Order], float]
) -> float:
    """The index from all pairs, or from drawn ones with its standard error."""
    geometry.need_clusters()
    count = number_of_pairs(geometry, pairs)
    inside = sum(math.comb(int(size), 2) for size in geometry.sizes)
    tie = SINGLE_TIE if geometry.is_single else TIE
    numbers = inside, math.comb(geometry.rows, 2) - inside
    if count is None:
        if "order" not in geometry.memory:
            sides = all_pairs(geometry)
            for side in sides:
                side.sort()
            geometry.memory["order"] = _order(sides, numbers, tie)
        return formula(geometry.memory["order"])
    drawn = drawn_pairs(geometry, count, "halves", generator(random_state))
    found = [distances_of(geometry, *side) for side in drawn]
    ranks = [np.argsort(side, kind="stable") for side in found]
    sides = found[0][ranks[0]], found[1][ranks[1]]
    value = formula(_order(sides, numbers, tie))
    parts = min(PARTS, len(sides[0]), len(sides[1]))
    kept = ([rank % parts != part for rank in ranks] for part in range(parts))
    again = [formula(_order((sides[0][w], sides[1][b]), numbers, tie)) for w, b in kept]
    error = math.sqrt((parts - 1) * float(np.var(again)))
    return Estimate(value, standard_error=error, sample=count, degrees=parts - 1)


def _order(sides: tuple[Sorted, Sorted], numbers: tuple[int, int], tie: float) -> Order:
    """What sorted distances say; with fewer than all pairs, those of each side stand for more."""
    (within, between), (inside, across) = sides, numbers
    below = len(between) * len(within) - int(
        np.searchsorted(between, within * (1 + tie), "right").sum(dtype=np.int64)
    )
    above = int(np.searchsorted(between, within * (1 - tie), "left").sum(dtype=np.int64))
    comparisons = len(within) * len(between)
    total = inside + across
    means = [float(side.mean(dtype=np.float64)) for side in (within, between)]
    spreads = [float(side.var(dtype=np.float64)) for side in (within, between)]
    variance = (inside * spreads[0] + across * spreads[1]) / total
    variance += inside * across / total**2 * (means[1] - means[0]) ** 2
    weights = inside / len(within), across / len(between)
    return Order(
        inside=inside,
        across=across,
        within=means[0],
        between=means[1],
        deviation=math.sqrt(variance),
        below=below / comparisons,
        above=above / comparisons,
        least=_least(sides, weights, inside),
        most=inside * means[0] + across * means[1] - _least(sides, weights, across),
    )


def _least(sides: tuple[Sorted, Sorted], weights: tuple[float, float], count: int) -> float:
    """Sum of the least `count` distances, where each one stands for `weights` of its side."""

    def reached(value: Any) -> float:
        places = [np.searchsorted(side, value, "right") for side in sides]
        return float(weights[0] * places[0] + weights[1] * places[1])

    # The least distance up to which there are that many, but for the rounding of weights.
    firsts = [bisect_left(side, count * (1 - 1e-12), key=reached) for side in sides]
    edge = min(float(side[at]) for side, at in zip(sides, firsts, strict=True) if at < len(side))
    found, held = 0.0, 0.0
    for side, weight in zip(sides, weights, strict=True):
        at = int(np.searchsorted(side, edge, "left"))
        found += weight * float(side[:at].sum(dtype=np.float64))
        held += weight * at
    return found + (count - held) * edge
