"""Density-based validity: clusters of any shape, and noise."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet import _kernels
from clustervet._checks import whole
from clustervet._progress import ticking
from clustervet.errors import LabelError, ParameterError, UndefinedError
from clustervet.geometry import Geometry
from clustervet.geometry.spanning import spanning_tree
from clustervet.registry import measure

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


@measure(
    title="Density-based clustering validation",
    symbol="DBCV",
    family="density",
    kind="internal",
    better="higher",
    bounds=(-1, 1),
    cost="pairs",
    equation="sum_k (n_k/n) (sep_k - spars_k) / max(sep_k, spars_k)",
    reference="Moulavi, Jaskowiak, Campello, Zimek & Sander 2014, eq. 6",
    meaning="How much sparser the space between clusters is than the sparsest place inside them.",
    use="Clusters may have any shape and some points may be noise (label -1).",
    avoid="There are many features, or the last digits matter: ties make it depend on the order of "
    "the points; it favours what DBSCAN and similar algorithms find.",
    no_interval="single points decide it, and leaving points out at random says little about them",
)
def dbcv(geometry: Geometry, dimension: int | None = None) -> float:
    """Density-based clustering validation.

    Parameters
    ----------
    dimension : int, optional
        Number of features, needed where only distances are known.

    Notes
    -----
    These points belong to no cluster: those that a noise policy drops, those labelled -1 if there
    is no policy, and clusters of a single point.

    Examples
    --------
    >>> ring = [[0, 0], [0, 1], [0, 2], [9, 0], [9, 1], [9, 2]]
    >>> round(dbcv(ring, [0, 0, 0, 1, 1, 1]), 4)
    0.8595
    """
    d = geometry.d if dimension is None else whole(dimension, "dimension", 1)
    if d == 0:
        raise UndefinedError(
            "it needs dimension=, since only distances are known", fault=ParameterError
        )
    clusters = [
        k for k in range(geometry.k) if k != geometry.noise_cluster and geometry.sizes[k] > 1
    ]
    if len(clusters) < 2:
        raise UndefinedError(
            "it needs at least 2 clusters of 2 points or more, besides noise, and there "
            f"{'is 1' if clusters else 'are none'}",
            fault=LabelError,
        )
    cores, inner, sparseness = {}, {}, {}
    with ticking(2 * len(clusters), "density of clusters") as tick:
        for k in clusters:
            cores[k] = _core_distances(geometry, k, float(d))
            inner[k], sparseness[k] = _tree(geometry, k, cores[k])
            tick()
        separation = dict.fromkeys(clusters, np.inf)
        for at, a in enumerate(clusters):
            for b in clusters[at + 1 :]:
                found = _separation(geometry, (a, b), cores, inner)
                separation[a], separation[b] = min(separation[a], found), min(separation[b], found)
            tick()
    total = geometry.rows + geometry.dropped
    value = 0.0
    for k in clusters:
        scale = max(separation[k], sparseness[k])
        if scale > 0:
            value += geometry.sizes[k] / total * (separation[k] - sparseness[k]) / scale
    return float(value)


def _core_distances(geometry: Geometry, cluster: int, dimension: float) -> Floats:
    """All-points core distance of each point of a cluster (definition 1)."""
    start, stop = geometry.starts[cluster : cluster + 2].tolist()
    size = stop - start
    core = np.empty(size)
    rows = max(1, 2**22 // size)
    for first in range(0, size, rows):
        last = min(size, first + rows)
        tile = geometry.tile(np.arange(start + first, start + last), start, stop)
        if geometry.source.plain:
            core[first:last] = _plain_cores(tile, first, dimension)
        else:
            _kernels.core_distances(tile, first, dimension, size, core)
    return core


def _plain_cores(tile: Floats, first: int, dimension: float) -> Floats:
    """Core distances of the tile's rows; see the compiled `core_distances`."""
    tile, here = tile.astype(np.float64), np.arange(len(tile))
    tile[here, first + here] = 0.0
    others = tile > 0
    least = tile.min(axis=1, where=others, initial=np.inf)
    ratios = np.divide(least[:, None], tile, out=np.zeros_like(tile), where=others)
    means = (ratios**dimension).sum(axis=1) / (tile.shape[1] - 1)
    means[means == 0] = 1  # points that coincide with all others
    cores: Floats = np.where(np.isinf(least), 0.0, least * means ** (-1 / dimension))
    return cores


def _tree(geometry: Geometry, cluster: int, core: Floats) -> tuple[Places, float]:
    """Inner nodes of the spanning tree by mutual reachability, and its longest inner edge.

    Without inner edges the longest edge counts, as in the authors' program. A tie for a parent goes
    to the point that comes first.
    """
    size = len(core)
    weight, parent = spanning_tree(geometry, cluster, core)
    joined = np.arange(size)[1:]  # the first node has no parent
    degree = np.bincount(np.concatenate([joined, parent[1:]]), minlength=size)
    nodes = np.flatnonzero(degree > 1)
    edges = (degree[joined] > 1) & (degree[parent[1:]] > 1)
    lengths = weight[1:][edges] if edges.any() else weight[1:]
    return (nodes if len(nodes) else np.array([0])), float(lengths.max())


def _separation(
    geometry: Geometry, pair: tuple[int, int], cores: dict[int, Floats], inner: dict[int, Any]
) -> float:
    """The least mutual reachability between inner nodes of two clusters."""
    a, b = pair
    start, stop = geometry.starts[b : b + 2].tolist()
    reach = np.full(stop - start, np.inf)
    reach[inner[b]] = cores[b][inner[b]]
    best = np.inf
    rows = max(1, 2**22 // (stop - start))
    for first in range(0, len(inner[a]), rows):
        nodes = inner[a][first : first + rows]
        tile = geometry.tile(geometry.starts[a] + nodes, start, stop)
        if geometry.source.plain:
            least = np.maximum(np.maximum(tile, cores[a][nodes][:, None]), reach).min()
        else:
            least = _kernels.least_reachability(tile, cores[a][nodes], reach)
        best = min(best, least)
    return float(best)
