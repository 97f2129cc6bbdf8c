"""How far apart clusters are, compared with how wide they are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import one_of
from clustervet._memory import need
from clustervet.errors import ParameterError, UndefinedError
from clustervet.geometry import Geometry
from clustervet.internal.common import DISTANCE_BIAS, ratio
from clustervet.registry import measure

Floats = NDArray[np.float64]
# With more clusters than this, no array of the size clusters × clusters is made.
MANY_CLUSTERS = 4_000
ROWS = 256
BETWEEN = ("single", "complete", "average", "centroid", "to_centroids", "hausdorff")
WITHIN = ("diameter", "average", "centroid")


def centroid_distances(geometry: Geometry) -> Any:
    """Blocks (first, last, distances of these centroids to all centroids)."""
    for first in range(0, geometry.k, ROWS):
        last = min(geometry.k, first + ROWS)
        block = geometry.centers.apart(first, last)
        block[np.arange(last - first), np.arange(first, last)] = np.inf
        yield first, last, block


@measure(
    title="Davies-Bouldin index",
    symbol="DB",
    family="separation",
    kind="internal",
    better="lower",
    bounds=(0, math.inf),
    aliases=("db",),
    equation="mean_i max_{j != i} (s_i + s_j) / |c_i - c_j|",
    reference="Davies & Bouldin 1979, eqs. 1 to 5 (p = 2, q = 1)",
    meaning="How much each cluster overlaps with the one it overlaps with most, on average.",
    use="Clusters should be apart from their nearest neighbour, and there are many points.",
    avoid="Centroids say little about clusters; " + DISTANCE_BIAS + ".",
    weighted=True,
)
def davies_bouldin(geometry: Geometry) -> float:
    """Mean over clusters of the worst ratio of spreads to the distance of centroids.

    >>> davies_bouldin([[0], [2], [10], [12]], [0, 0, 1, 1])
    0.2
    """
    geometry.need_clusters()
    spreads = geometry.spreads
    worst = []
    for first, last, distances in centroid_distances(geometry):
        both = spreads[first:last, None] + spreads
        if ((distances == 0) & (both == 0)).any():
            raise UndefinedError("two clusters are the same single point")
        with np.errstate(divide="ignore"):
            worst.append((both / distances).max(axis=1))
    return float(np.concatenate(worst).mean())


@measure(
    title="Xie-Beni index",
    symbol="XB",
    family="separation",
    kind="internal",
    better="lower",
    bounds=(0, math.inf),
    aliases=("xb",),
    equation="SSQ / (n min_{i != j} |c_i - c_j|^2)",
    reference="Xie & Beni 1991, eq. 7 with memberships 0 and 1",
    meaning="Mean squared distance to centroids over the least squared distance of two centroids.",
    use="You must notice two clusters that should be one: the nearest pair decides the value.",
    avoid="There are many clusters: it falls with their number; " + DISTANCE_BIAS + ".",
    weighted=True,
)
def xie_beni(geometry: Geometry) -> float:
    """Compactness divided by the separation of the two nearest centroids.

    >>> xie_beni([[0], [2], [10], [12]], [0, 0, 1, 1])
    0.01
    """
    geometry.need_clusters()
    least = min(float(block.min()) for _, _, block in centroid_distances(geometry))
    return ratio(
        math.fsum(geometry.within), geometry.n * least**2, "two clusters are the same single point"
    )


@measure(
    title="Dunn index",
    symbol="D",
    family="separation",
    kind="internal",
    better="higher",
    bounds=(0, math.inf),
    cost="pairs",
    equation="min distance between clusters / max diameter of a cluster",
    reference="Dunn 1974",
    meaning="The narrowest gap between clusters over the widest cluster.",
    use="Clusters must be clearly apart: above 1 every cluster is narrower than every gap.",
    avoid="There are outliers, since two points decide it; " + DISTANCE_BIAS + ".",
    weighted=True,
    no_interval="single points decide it, and leaving points out at random says little about them",
)
def dunn(geometry: Geometry) -> float:
    """Least distance between points of two clusters divided by the largest diameter.

    >>> dunn([[0], [2], [10], [12]], [0, 0, 1, 1])
    4.0
    """
    geometry.need_clusters()
    found = geometry.extremes()
    gap, widest = float(found.separation.min()), float(found.reach.max())
    return ratio(gap, widest, "all points lie in one place")


@measure(
    title="Generalised Dunn index",
    symbol="GD",
    family="separation",
    kind="internal",
    better="higher",
    bounds=(0, math.inf),
    cost="pairs",
    aliases=("gdi",),
    equation="min_{i != j} delta(i, j) / max_k Delta(k)",
    reference="Bezdek & Pal 1998, eqs. 19 to 28",
    meaning="The least of a distance between clusters over the greatest of their widths.",
    use="You want Dunn's index, but no single points that decide it (the default: averages).",
    avoid="Clusters differ much in width: the widest one decides; " + DISTANCE_BIAS + ".",
    weighted=True,
)
def generalized_dunn(
    geometry: Geometry, between: str = "average", within: str = "centroid"
) -> float:
    """Index of Dunn with another distance between clusters and another width.

    Parameters
    ----------
    between : str, default 'average'
        Distance between clusters, delta 1 to 6 of the paper: 'single', 'complete', 'average',
        'centroid', 'to_centroids' or 'hausdorff'.
    within : {'diameter', 'average', 'centroid'}, default 'centroid'
        Width of a cluster, Delta 1 to 3 of the paper.

    Examples
    --------
    >>> generalized_dunn([[0], [2], [10], [12]], [0, 0, 1, 1])
    5.0
    """
    one_of(between, "between", BETWEEN)
    one_of(within, "within", WITHIN)
    geometry.need_clusters()
    need_few_clusters(geometry)
    least = least_of_pairs(_between(geometry, between))
    return ratio(least, float(_within(geometry, within).max()), "all points lie in one place")


def need_few_clusters(geometry: Geometry) -> None:
    """Refuse more clusters than can be compared two by two."""
    if geometry.k > MANY_CLUSTERS:
        raise UndefinedError(f"it is for up to {MANY_CLUSTERS:,} clusters", fault=ParameterError)


def least_of_pairs(apart: Floats) -> float:
    """The least value for two different clusters."""
    return float(apart[~np.eye(len(apart), dtype=bool)].min())


def _between(geometry: Geometry, which: str) -> Floats:
    if which == "average":
        return mean_distances(geometry)
    if which in ("centroid", "to_centroids"):
        _euclidean_only(geometry, which)
        if which == "centroid":
            return np.concatenate([block for _, _, block in centroid_distances(geometry)])
        return _to_centroids(geometry)
    found = geometry.extremes(by_pair=True)
    if which == "hausdorff":
        return np.maximum(found.hausdorff, found.hausdorff.T)
    return found.nearest if which == "single" else found.farthest


def _within(geometry: Geometry, which: str) -> Floats:
    if which == "centroid":
        _euclidean_only(geometry, which)
        return 2 * geometry.spreads
    if which == "diameter":
        reach = geometry.extremes().reach
        return np.maximum.reduceat(reach, geometry.starts[:-1])
    sizes = geometry.sizes.astype(float)
    sums = np.diag(mean_distances(geometry)) * sizes**2
    pairs = np.where(sizes > 1, sizes * (sizes - 1), math.inf)  # none where a point is alone
    return np.asarray(sums / pairs)


def _euclidean_only(geometry: Geometry, which: str) -> None:
    if geometry.metric.name != "euclidean":
        raise UndefinedError(
            f"'{which}' needs the euclidean metric, and it is {geometry.metric.name}",
            fault=ParameterError,
        )


def _pairs(geometry: Geometry) -> Floats:
    """Zeros for every two clusters."""
    need(24 * geometry.k**2, f"the distances between {geometry.k:,} clusters")
    return np.zeros((geometry.k, geometry.k))


def mean_distances(geometry: Geometry) -> Floats:
    """Mean distance between the points of two clusters: clusters × clusters."""
    if "mean_distances" not in geometry.memory:
        sums = _pairs(geometry)
        rows = max(1, 2**22 // geometry.k)
        for first in range(0, geometry.rows, rows):
            last = min(geometry.rows, first + rows)
            places = np.arange(first, last)
            order = geometry.order[places]
            if geometry.metric.squares:
                found = geometry.squared.of(order)
            else:
                found = geometry.row_sums(places)
            np.add.at(sums, geometry.sorted_codes[places], geometry.weighed(found, order))
        sizes = geometry.sizes.astype(float)
        geometry.memory["mean_distances"] = sums / (sizes[:, None] * sizes)
    return geometry.memory["mean_distances"]  # type: ignore[no-any-return]  # set above


def _to_centroids(geometry: Geometry) -> Floats:
    """Mean distance of the points of two clusters to the centroid of the other one."""
    sums = _pairs(geometry)
    rows = max(1, 2**22 // geometry.k)
    for first in range(0, geometry.rows, rows):
        last = min(geometry.rows, first + rows)
        found = np.sqrt(geometry.centers.squares(geometry.points, first, last))
        heavy = geometry.weighed(found, slice(first, last))
        np.add.at(sums, geometry.codes[first:last], heavy)
    sizes = geometry.sizes.astype(float)
    return np.asarray((sums + sums.T) / (sizes[:, None] + sizes))
