"""`assign`: new points are given the clusters of a finished clustering."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import one_of, whole
from clustervet.errors import FeatureError, LabelError, ParameterError
from clustervet.geometry.gower import gower_tables
from clustervet.geometry.metrics import Metric, read_metric
from clustervet.geometry.points import is_sparse, read_points
from clustervet.geometry.sources import SCIPY_NAMES
from clustervet.labels import check_index
from clustervet.labels.index import index_of
from clustervet.labels.pair import read_clustered

How = Literal["centroid", "knn", "average"]
HOW = ("centroid", "knn", "average")
# Distances that are held at once.
BLOCK = 2**22


def assign(
    X: Any,  # noqa: N803  # the name that everyone gives to features
    labels: Any,
    new: Any,
    how: How = "centroid",
    *,
    metric: Any = "euclidean",
    neighbours: int = 1,
    noise: Any = -1,
) -> Any:
    """Give new points the clusters of a finished clustering.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame
        The points that were clustered, one row each; None with ``metric='precomputed'``.
    labels : array-like
        The cluster of each of them. Points without a label, and noise, are left out.
    new : array-like, sparse matrix or data frame
        The new points, with the same features; with ``metric='precomputed'`` their distances to
        the points that were clustered, one row per new point.
    how : {'centroid', 'knn', 'average'}, default 'centroid'
        What a new point is given: the cluster with the nearest centroid, as k-means has it; the
        cluster of most of its nearest points, as suits clusters of any shape; or the cluster with
        the least mean distance to its points.
    metric : str or callable, default 'euclidean'
        The distance between two points, as in `Geometry`. Centroids are always Euclidean. With
        'gower', ranges and categories are those of `X`; a category that it lacks is as far from
        all of its categories.
    neighbours : int, default 1
        With 'knn', how many nearest points are asked. Of clusters with equally many, the one whose
        points are nearest in sum is taken.
    noise : label, default -1
        The label of noise, which is no cluster; None if no label means noise.

    Returns
    -------
    ndarray or Series
        The label of each new point; a series with the index of a pandas frame.

    Raises
    ------
    FeatureError
        If points cannot be read, or have different numbers of features.
    LabelError
        If there is not one label for each point, or no point has one.
    ParameterError
        If options do not go together.

    Notes
    -----
    These are the rules "centroid", "knn" and "averagedist" of R's ``fpc::classifdist`` (Hennig
    2024), by which Tibshirani and Walther (2005) and Fang and Wang (2012) compare clusterings of
    different samples.

    Examples
    --------
    >>> import clustervet as cv
    >>> X, labels = [[0.0], [1.0], [8.0], [9.0]], ["low", "low", "high", "high"]
    >>> cv.assign(X, labels, [[2.0], [7.0]]).tolist()
    ['low', 'high']
    """
    one_of(how, "how", HOW)
    read = read_metric(metric)
    given = read.name == "precomputed"
    old: Any
    fresh: Any
    asked = whole(neighbours, "neighbours", 1)
    if how == "centroid" and read.name not in ("euclidean", "sqeuclidean"):
        raise ParameterError(
            "centroids are by Euclidean distances; for others take 'knn' or 'average'."
        )
    if read.reads_table:
        tables = gower_tables(X, new)
        read, (old, fresh) = tables[0].metric, (one.points for one in tables)
    else:
        fresh, old = read_points(new, "new"), None if given else read_points(X)
    check_index({"X": X, "labels": labels})
    codes, names = read_clustered(labels, noise)
    points = fresh.shape[1] if given else old.shape[0]
    if len(codes) != points:
        raise LabelError(f"labels has {len(codes):,} labels, and X has {points:,} points.")
    if given and (is_sparse(fresh) or fresh.min(initial=0) < 0):
        raise FeatureError("new with metric='precomputed' must be dense, and not negative.")
    if not given and old.shape[1] != fresh.shape[1]:
        raise FeatureError(
            f"new must have the features of X; it has {fresh.shape[1]:,}, and X has "
            f"{old.shape[1]:,}."
        )
    kept = np.flatnonzero(codes >= 0)
    order = kept[np.argsort(codes[kept], kind="stable")]
    sizes = np.bincount(codes[kept])
    points = None if given else old[order]
    if how == "centroid":
        points = _centroids(points, sizes)
    found = np.empty(fresh.shape[0], np.int64)
    step = max(1, BLOCK // (len(order) if points is None else points.shape[0]))
    for first in range(0, len(found), step):
        block = fresh[first : first + step]
        distances = block[:, order] if points is None else _distances(block, points, read)
        found[first : first + step] = _nearest(distances, how, sizes, asked)
    chosen = np.array(names)[found] if len({*map(type, names)}) == 1 else _objects(names, found)
    index = index_of(new)
    if index is None:
        return chosen
    import pandas as pd

    return pd.Series(chosen, index=index)


def _centroids(points: Any, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    ends = np.cumsum(sizes)
    parts = [points[end - size : end] for end, size in zip(ends, sizes, strict=True)]
    return np.vstack([np.asarray(part.mean(axis=0)).ravel() for part in parts])


def _distances(block: Any, points: Any, metric: Metric) -> NDArray[np.float64]:
    """Return all distances; those of dense points by differences, which lose no digits."""
    if metric.is_own and metric.name != "cosine" and not is_sparse(block):
        from scipy.spatial.distance import cdist

        name = SCIPY_NAMES.get(metric.name, metric.name)
        return np.asarray(cdist(block, points.toarray() if is_sparse(points) else points, name))
    from sklearn.metrics import pairwise_distances

    return np.asarray(pairwise_distances(block, points, metric=metric.of_points))


def _nearest(
    distances: NDArray[Any], how: str, sizes: NDArray[np.int64], neighbours: int
) -> NDArray[np.int64]:
    """Return the cluster of each row; columns are centroids, or points in cluster order."""
    if how == "centroid":
        return np.asarray(distances.argmin(axis=1))
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    if how == "average":
        return np.asarray((np.add.reduceat(distances, starts, axis=1) / sizes).argmin(axis=1))
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    wanted = min(neighbours, distances.shape[1])
    if wanted == 1:
        return np.asarray(cluster[distances.argmin(axis=1)])
    near = np.argsort(distances, axis=1, kind="stable")[:, :wanted]
    rows = np.repeat(np.arange(len(distances)), wanted)
    votes = np.zeros((len(distances), len(sizes)))
    total = np.zeros_like(votes)
    np.add.at(votes, (rows, cluster[near].ravel()), 1)
    np.add.at(total, (rows, cluster[near].ravel()), np.take_along_axis(distances, near, 1).ravel())
    total[votes < votes.max(axis=1, keepdims=True)] = np.inf
    return np.asarray(total.argmin(axis=1))


def _objects(names: list[Any], places: NDArray[np.int64]) -> NDArray[Any]:
    found = np.empty(len(names), object)
    found[:] = names
    return found[places]
