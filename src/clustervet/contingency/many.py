"""Pairs of objects without a table: of one truth and many predictions, or of many objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency.count import FEW_OBJECTS, count_pairs_alone
from clustervet.contingency.derived import Pairs, Table
from clustervet.labels import encode_one
from clustervet.registry import register_batch

# Cells of a table, with the empty ones, up to which tables are counted together.
FEW_CELLS = 2**10
# Labels, or cells, that are counted at once.
BLOCK = 2**17


@dataclass(frozen=True, slots=True, eq=False)
class ManyPairs(Table):
    """What is known about the pairs of many tables of n objects: arrays with one item per table.

    Pair counts are Python ints, so that formulas are as exact as for one table.
    """

    exact_n: int
    exact_pairs: Pairs
    identical: NDArray[np.bool_]
    is_whole: bool = True


def count_many(truth: Any, preds: Any) -> ManyPairs | None:
    """Count one truth and each row of a matrix, or array of a list, of whole numbers.

    None if the predictions are something else, or have many objects, classes or clusters.
    """
    if isinstance(preds, list) and len({_form(pred) for pred in preds}) == 1 and _form(preds[0]):
        preds = np.stack(preds)
    if not (isinstance(preds, np.ndarray) and preds.ndim == 2 and preds.dtype.kind in "iu"):
        return None
    if not 0 < preds.size <= FEW_OBJECTS * len(preds):
        return None
    codes, _ = encode_one(truth, "truth")
    if len(codes) != preds.shape[1]:
        return None
    _, rows, class_sizes = np.unique(codes.values, return_inverse=True, return_counts=True)
    low, height, n = int(preds.min()), len(class_sizes), len(rows)
    width = int(preds.max()) - low + 1
    size = height * width
    if size > FEW_CELLS:
        return None
    wide = preds if preds.dtype == np.uint64 else preds.astype(np.int64)
    preds = (wide - wide.dtype.type(low)).astype(np.int64)
    squares, sums, identical = [], [], []
    step = max(1, BLOCK // max(n, size))
    for start in range(0, len(preds), step):
        keys = preds[start : start + step] + rows * width
        keys += size * np.arange(len(keys))[:, None]
        counts = np.bincount(keys.ravel(), minlength=size * len(keys)).reshape(-1, height, width)
        sizes = counts.sum(axis=1)
        squares.append(np.einsum("ijk,ijk->i", counts, counts))
        sums.append(np.einsum("ij,ij->i", sizes, sizes))
        filled, clusters = np.count_nonzero(counts, axis=(1, 2)), np.count_nonzero(sizes, axis=1)
        identical.append((filled == height) & (clusters == height))
    both, together = ((np.concatenate(parts) - n) // 2 for parts in (squares, sums))
    apart = (int(class_sizes @ class_sizes) - n) // 2 - both
    rest = (n * n - n) // 2 - apart - together
    pairs = Pairs._make(found.astype(object) for found in (both, apart, together - both, rest))
    return ManyPairs(n, pairs, np.concatenate(identical))


@dataclass(frozen=True, slots=True, eq=False)
class PairsAlone(Table):
    """What is known about the pairs of n objects whose table is not made."""

    exact_n: int
    exact_pairs: Pairs
    identical: bool
    is_whole: bool = True


def count_alone(truth: Any, pred: Any) -> PairsAlone | None:
    """Count the pairs of two arrays of whole numbers; None if their table takes no longer."""
    found = count_pairs_alone(truth, pred)
    if found is None:
        return None
    n, (classes, clusters, both) = len(truth), found
    rest = n * (n - 1) // 2 - classes - clusters + both
    pairs = Pairs(both, classes - both, clusters - both, rest)
    return PairsAlone(n, pairs, both == classes == clusters)


def _form(pred: Any) -> tuple[Any, ...]:
    """Type and length of an array; nothing of anything else."""
    return (pred.dtype, *pred.shape) if type(pred) is np.ndarray else ()


register_batch("external", count_many, count_alone)
