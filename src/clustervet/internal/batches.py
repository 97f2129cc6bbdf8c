"""Silhouettes of single-cell biology: by cell type, and by batch within cell types."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import whole
from clustervet.errors import LabelError
from clustervet.geometry.gower import gower_table
from clustervet.geometry.metrics import read_metric
from clustervet.geometry.points import read_distances, read_points
from clustervet.internal.silhouette import silhouette, silhouettes
from clustervet.labels import Codes, check_index, consecutive, encode_all, read_labels


def silhouette_label(X: Any, types: Any, metric: Any = "euclidean") -> float:  # noqa: N803  # features
    """Return how far cell types are apart: the mean silhouette, from 0 to 1.

    Parameters
    ----------
    X : array_like, sparse matrix or frame
        Features or an embedding, one row per cell.
    types : array_like
        The type of each cell.
    metric : str or callable, default 'euclidean'
        The distance between cells.

    Returns
    -------
    float
        (s + 1) / 2 for the mean silhouette s (Luecken et al. 2022).

    Examples
    --------
    >>> silhouette_label([[0], [1], [10], [11]], ["T", "T", "B", "B"])
    0.949874686716792
    """
    return (float(silhouette(X, types, metric=metric)) + 1) / 2


def silhouette_batch(X: Any, types: Any, batches: Any, metric: Any = "euclidean") -> float:  # noqa: N803  # features
    """Return how well batches are mixed within cell types: 1 where they cannot be told apart.

    Parameters
    ----------
    X : array_like, sparse matrix or frame
        Features or an embedding, one row per cell.
    types, batches : array_like
        The type and the batch of each cell.
    metric : str or callable, default 'euclidean'
        The distance between cells.

    Returns
    -------
    float
        The mean over cell types of ``1 - abs(s)``, where s is the silhouette of a cell among the
        batches of its type (Luecken et al. 2022).

    Raises
    ------
    LabelError
        If the labels cannot be read, or no type has several batches with several cells.

    Notes
    -----
    A type with one batch, or with as many batches as cells, is left out, as scIB does.

    Examples
    --------
    >>> cells = [[0.0], [0.1], [0.2], [0.3], [9.0], [9.1]]
    >>> round(silhouette_batch(cells, list("TTTTBB"), [1, 2, 1, 2, 1, 1]), 4)
    0.75
    """
    kinds, among = _codes(types, batches)
    check_index({"X": X, "types": types, "batches": batches})
    metric = read_metric(metric)
    precomputed = metric.is_own and metric.name == "precomputed"
    if metric.reads_table:
        table = gower_table(X)
        points, metric = table.points, table.metric
    else:
        points = read_distances(X) if precomputed else read_points(X)
    if points.shape[0] != len(kinds):
        raise LabelError(f"X has {points.shape[0]:,} rows and types has {len(kinds):,} labels.")
    found = []
    for kind in range(int(kinds.max()) + 1):
        rows = np.flatnonzero(kinds == kind)
        if 1 < len(np.unique(among[rows])) < len(rows):
            held = points[np.ix_(rows, rows)] if precomputed else points[rows]
            widths = silhouettes(held, among[rows], metric).points
            found.append(float(np.mean(1 - np.abs(widths))))
    if not found:
        raise LabelError("no cell type has several batches and more cells than batches.")
    return float(np.mean(found))


def isolated_labels(types: Any, batches: Any, most: int | None = None) -> list[Any]:
    """Return the cell types that are in the fewest batches.

    Parameters
    ----------
    types, batches : array_like
        The type and the batch of each cell.
    most : int, optional
        Types in at most this many batches; by default those in as few batches as any.

    Returns
    -------
    list
        The types, as `isolated_label_f1` takes them.

    Examples
    --------
    >>> isolated_labels(["T", "T", "B", "NK"], [1, 2, 1, 2])
    ['B', 'NK']
    """
    sides = _sides(types, batches)
    kinds, firsts = consecutive(sides[0])
    pairs = np.unique(np.stack([kinds, consecutive(sides[1])[0]]), axis=1)
    batches_of = np.bincount(pairs[0])
    limit = int(batches_of.min()) if most is None else whole(most, "most", 1)
    return list(sides[0].restore(firsts[batches_of <= limit]))


def isolated_label_silhouette(
    X: Any,  # noqa: N803  # features
    types: Any,
    batches: Any,
    most: int | None = None,
    metric: Any = "euclidean",
) -> float:
    """Return how far isolated cell types are apart from all others, from 0 to 1.

    Parameters
    ----------
    X : array_like, sparse matrix or frame
        Features or an embedding, one row per cell.
    types, batches : array_like
        The type and the batch of each cell.
    most : int, optional
        Types in at most this many batches are isolated; by default those in as few as any.
    metric : str or callable, default 'euclidean'
        The distance between cells.

    Returns
    -------
    float
        The mean over isolated types of (s + 1) / 2, s the mean silhouette of the type's cells
        among all types (Luecken et al. 2022, as scib-metrics has it).

    Examples
    --------
    >>> cells = [[0], [1], [10], [11]]
    >>> round(isolated_label_silhouette(cells, ["T", "T", "B", "B"], [1, 2, 1, 1]), 4)
    0.9499
    """
    widths = silhouettes(X, types, metric).clusters
    isolated = isolated_labels(types, batches, most)
    if not isolated:
        raise LabelError(f"no cell type is in at most {most} batches.")
    return float(np.mean([(widths[name] + 1) / 2 for name in isolated]))


def _sides(types: Any, batches: Any) -> tuple[Codes, Codes]:
    for name, labels in {"types": types, "batches": batches}.items():
        codes = read_labels(labels, name)
        if codes.missing is not None and codes.missing.any():
            raise LabelError(f"{name} has no label for {int(codes.missing.sum()):,} cells.")
    (first, second), _ = encode_all({"types": types, "batches": batches})
    return first, second


def _codes(types: Any, batches: Any) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    first, second = _sides(types, batches)
    return consecutive(first)[0], consecutive(second)[0]
