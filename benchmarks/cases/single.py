"""One measure at a time, from labels to value, beside every peer that has it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from compare import judge, rows
from exact import ExactTable
from harness import Row, Scale, race, size_of
from labels import Labels, moved
from peers import BY_NAME, PEERS, Peer, our_call

# Reasons for known wrong values of peers. clusim's documented formula is not a correlation:
# identical clusterings do not score 1. networkit computes the exact formula, but with the product
# of pair counts taken modulo 2^64.
REMARKS = {
    ("clusim", "hubert_gamma"): "its pearson_correlation lacks the square root",
    ("networkit", "adjusted_rand"): "the product of its pair counts exceeds 2^64",
}


def run(scale: Scale) -> Iterator[Row]:
    """1 million labels in 100 clusters, beside all peers that can handle them."""
    n, clusters = scale(1_000_000), 100
    peers = [peer for peer in PEERS if peer.name != "clusim"]
    yield from beside(scale, peers, *moved(n, clusters), size=size_of(n, clusters))


def small(scale: Scale) -> Iterator[Row]:
    """Small calls, where the way to the value takes longer than the counting."""
    peers = [BY_NAME["scikit-learn"], BY_NAME["genieclust"]]
    asked = ["adjusted_rand", "normalized_mutual_information"]
    for n in (10, 150, 1_000, 10_000):
        yield from beside(scale, peers, *moved(n, 3), size=size_of(n, 3), only=asked)


def slow(scale: Scale) -> Iterator[Row]:
    """clusim, which stores clusters as Python sets and elements as an n x n matrix."""
    hard = {"element_centric_similarity": (5_000, 50), "adjusted_mutual_information": (2_000, 20)}
    clusim = BY_NAME["clusim"]
    n, clusters = scale(20_000), 100 if scale.is_full else 10
    size = size_of(n, clusters)
    yield from beside(scale, [clusim], *moved(n, clusters), size=size, leave=hard)
    if clusim.missing() is None:
        for measure, (full, groups) in hard.items():
            n, clusters = scale(full, least=500), groups
            yield from beside(
                scale, [clusim], *moved(n, clusters), size=size_of(n, clusters), only=[measure]
            )


def beside(
    scale: Scale,
    peers: list[Peer],
    truth: Labels,
    pred: Labels,
    *,
    size: str,
    only: Iterable[str] | None = None,
    leave: Iterable[str] = (),
) -> Iterator[Row]:
    """Rows for every measure that at least one peer has, or for the measures in `only`."""
    here = []
    for peer in peers:
        if (why := peer.missing()) is not None:
            yield Row(what="all its measures", size=size, peer=peer.name, note=why)
        else:
            here.append((peer, peer.load(), peer.convert(truth), peer.convert(pred)))
    known = dict.fromkeys(key for _, measures, *_ in here for key in measures)
    exact = ExactTable(truth, pred)
    for measure in only or known:
        if measure in leave:
            continue
        contenders = [
            peer.contender(measure, first, second)
            for peer, measures, first, second in here
            if measure in measures
        ]
        ours, results = race(scale, our_call(measure, truth, pred), contenders)
        judged = partial(_judge, measure, exact)
        yield from rows(ours, results, what=measure, size=size, judged=judged)


def _judge(
    measure: str, exact: ExactTable, peer: str, ours: float, theirs: float
) -> tuple[str, bool]:
    note, alarm = judge(peer, ours, theirs, exact(measure))
    remark = REMARKS.get((peer, measure))
    return (f"{note} ({remark})" if remark and alarm else note), alarm
