"""Very many clusters: tables that fit into memory only as sparse tables, with matching."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

import clustervet as cv
from compare import judge, rows
from exact import ExactTable
from harness import Contender, Row, Scale, at_most, race, size_of
from labels import Labels, moved
from peers import BY_NAME, present


def run(scale: Scale) -> Iterator[Row]:
    """1 million objects in 300,000 clusters, then a small case whose matching can be checked."""
    n, clusters = scale(1_000_000), scale(300_000)
    peer = BY_NAME["scikit-learn"]
    for share, times in ((0.1, 10), (0.5, 60)):
        truth, pred = moved(n, clusters, share)
        ours, peers = race(
            scale,
            partial(cv.external_scores, truth, pred),
            present({peer.name: partial(peer.contender, "adjusted_rand", truth, pred)}),
            summary=lambda score: (
                score["adjusted_rand"] if isinstance(score, cv.ScoreCard) else score
            ),
        )
        yield from rows(
            ours,
            peers,
            what=f"all measures, {share:.0%} moved / its adjusted Rand",
            size=size_of(n, clusters),
            goals={peer.name: at_most(times)},
            judged=partial(judge, exact=ExactTable(truth, pred)("adjusted_rand")),
        )
    yield from _matching(scale)


def _matching(scale: Scale) -> Iterator[Row]:
    """The weight of our matching beside scipy's, which is exact but needs a dense matrix."""
    n, clusters = (10_000, 3_000) if scale.is_full else (2_000, 600)
    for share in (0.1, 0.5):
        truth, pred = moved(n, clusters, share)
        ours, peers = race(
            scale,
            partial(_matched, truth, pred),
            [Contender("scipy linear_sum_assignment", partial(_assigned, truth, pred))],
        )
        yield from rows(
            ours,
            peers,
            what=f"objects in the best matching, {share:.0%} moved",
            size=size_of(n, clusters),
            judged=_same_weight,
        )


def _matched(truth: Labels, pred: Labels) -> int:
    return int(cv.Contingency.from_labels(truth, pred).matched)


def _assigned(truth: Labels, pred: Labels) -> int:
    from scipy.optimize import linear_sum_assignment

    counts = np.zeros((int(truth.max()) + 1, int(pred.max()) + 1))
    np.add.at(counts, (truth, pred), 1)
    return int(counts[linear_sum_assignment(counts, maximize=True)].sum())


def _same_weight(_peer: str, ours: int, theirs: int) -> tuple[str, bool]:
    if ours == theirs:
        return "same weight: the matching is the best one", False
    return f"weights DIFFER: clustervet {ours}, scipy {theirs}", True
