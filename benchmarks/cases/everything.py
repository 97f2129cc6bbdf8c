"""All external measures beside one measure of a peer."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import clustervet as cv
from compare import judge, rows
from exact import ExactTable
from harness import Row, Scale, at_least, race, size_of
from labels import moved
from peers import BY_NAME, present


def run(scale: Scale) -> Iterator[Row]:
    """10 million labels: our whole score card beside scikit-learn's adjusted Rand alone."""
    n = scale(10_000_000)
    peer = BY_NAME["scikit-learn"]
    for clusters in (10, 100, 1_000):
        truth, pred = moved(n, clusters)
        ours, peers = race(
            scale,
            partial(cv.external_scores, truth, pred),
            present({peer.name: partial(peer.contender, "adjusted_rand", truth, pred)}),
            summary=lambda score: (
                score["adjusted_rand"] if isinstance(score, cv.ScoreCard) else score
            ),
        )
        count = len(cv.measures.select(kind="external", general=True))
        yield from rows(
            ours,
            peers,
            what=f"all {count} external measures / its adjusted Rand",
            size=size_of(n, clusters),
            goals={"scikit-learn": at_least(20)},
            judged=partial(judge, exact=ExactTable(truth, pred)("adjusted_rand")),
        )
