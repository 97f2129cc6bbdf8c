"""Adjusted mutual information: speed, and difference from the exact value."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from compare import judge, relative_error, rows
from exact import ExactTable
from harness import Row, Scale, at_least, limit, race, size_of
from labels import moved
from peers import BY_NAME, our_call, present

MEASURE = "adjusted_mutual_information"


def run(scale: Scale) -> Iterator[Row]:
    """1 million labels in 1,000 clusters."""
    n, clusters = scale(1_000_000), 1_000
    truth, pred = moved(n, clusters)
    exact = ExactTable(truth, pred)(MEASURE)
    assert exact is not None
    peer = BY_NAME["scikit-learn"]
    ours, peers = race(
        scale,
        our_call(MEASURE, truth, pred),
        present({peer.name: partial(peer.contender, MEASURE, truth, pred)}),
    )
    size = size_of(n, clusters)
    yield from rows(
        ours,
        peers,
        what="adjusted mutual information",
        size=size,
        goals={peer.name: at_least(1_000)},
        judged=partial(judge, exact=exact),
    )
    if ours.failure is not None:
        return
    for result in peers:
        theirs = None if result.failure else relative_error(result.value, exact)
        yield Row(
            what="error of adjusted mutual information",
            size=size,
            peer=result.name,
            ours=relative_error(ours.value, exact),
            theirs=theirs,
            unit="error",
            goal=limit(1e-11),
            value_ours=float(ours.value),
            value_peer=result.value,
            note=result.failure or f"exact: {exact:.17f}",
        )
