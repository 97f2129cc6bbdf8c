"""Counting the table of two labelings."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import clustervet as cv
from compare import rows
from harness import Contender, Row, Scale, at_least, at_most, race, size_of
from labels import Labels, moved
from peers import present


def integers(scale: Scale) -> Iterator[Row]:
    """10 million int64 labels, beside the peers' tables and beside one pass over the data."""
    n = scale(10_000_000)
    for clusters, times in ((10, 80), (1_000, 40)):
        truth, pred = moved(n, clusters)
        contenders = present(
            {
                "scikit-learn": partial(_sklearn, truth, pred),
                "genieclust": partial(_genieclust, truth, pred),
            }
        )
        contenders.append(Contender("numpy sum of both", partial(_sum, truth, pred)))
        ours, peers = race(
            scale, partial(cv.Contingency.from_labels, truth, pred), contenders, summary=_dense
        )
        goals = {
            "scikit-learn": at_least(times),
            "genieclust": at_least(8),
            "numpy sum of both": at_most(4),
        }
        yield from rows(
            ours,
            peers,
            what="table of int64 labels",
            size=size_of(n, clusters),
            goals=goals,
            judged=_same_counts,
        )


def strings(scale: Scale) -> Iterator[Row]:
    """1 million strings in object arrays: shared by reference, and each a separate object."""
    n, clusters = scale(1_000_000), 100
    codes = moved(n, clusters)
    shared = tuple(_shared_strings(labels, clusters) for labels in codes)
    # A string stores its hash after the first use, so new strings are made for each run.
    variants = {
        "strings shared by reference": lambda: shared,
        "every string a new object": lambda: tuple(map(_fresh_strings, codes)),
    }
    for name, prepare in variants.items():
        ours, peers = race(
            scale,
            cv.Contingency.from_labels,
            present({"scikit-learn": partial(_sklearn_contender, prepare)}),
            prepare=prepare,
            summary=_dense,
        )
        yield from rows(
            ours,
            peers,
            what=f"table, {name}",
            size=size_of(n, clusters),
            goals={"scikit-learn": at_least(20)},
            judged=_same_counts,
        )


def _shared_strings(labels: Labels, clusters: int) -> NDArray[Any]:
    return np.array([f"cluster {k}" for k in range(clusters)], object)[labels]


def _fresh_strings(labels: Labels) -> NDArray[Any]:
    return np.array([f"cluster {k}" for k in labels.tolist()], object)


def _sklearn(truth: Labels, pred: Labels) -> Contender:
    return _sklearn_contender(lambda: (truth, pred))


def _sklearn_contender(prepare: Any) -> Contender:
    from sklearn.metrics.cluster import contingency_matrix

    # The sparse form is faster in scikit-learn.
    return Contender("scikit-learn", partial(contingency_matrix, sparse=True), prepare)


def _genieclust(truth: Labels, pred: Labels) -> Contender:
    from genieclust.compare_partitions import confusion_matrix

    return Contender("genieclust", partial(confusion_matrix, truth, pred))


def _sum(truth: Labels, pred: Labels) -> int:
    return int(truth.sum()) + int(pred.sum())


def _dense(table: Any) -> NDArray[Any] | int:
    """Counts in the order of the labels, for the table of any library."""
    if isinstance(table, cv.Contingency):
        rows_, cols = np.argsort(table.class_names), np.argsort(table.cluster_names)
        return np.asarray(table.counts.toarray()[rows_][:, cols])
    if isinstance(table, int):
        return table
    return np.asarray(table.toarray() if hasattr(table, "toarray") else table)


def _same_counts(peer: str, ours: Any, theirs: Any) -> tuple[str, bool]:
    if isinstance(theirs, int):
        return "lower limit: one pass over these labels on one core", False
    if np.array_equal(ours, theirs):
        return "same counts", False
    return f"counts DIFFER between clustervet and {peer}", True
