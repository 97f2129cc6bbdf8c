"""One measure at a time, from labels to value, beside every peer that has it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np

import clustervet as cv
from compare import judge, rows
from exact import ExactTable
from harness import Contender, Row, Scale, limit, race, size_of
from labels import SEED, Labels, moved
from peers import BY_NAME, PEERS, Peer, Score, our_call, present

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
    yield from batch(scale, peers, 1_000, 150, 3)


def batch(scale: Scale, peers: list[Peer], many: int, n: int, clusters: int) -> Iterator[Row]:
    """Many small predictions at once, beside loops over them."""
    rng = np.random.default_rng(SEED)
    truth, preds = rng.integers(0, clusters, n), rng.integers(0, clusters, (many, n))

    def loop(score: Score) -> list[float]:
        return [score(truth, pred) for pred in preds]

    def contender(peer: Peer) -> Contender:
        return Contender(peer.name, partial(loop, peer.load()["adjusted_rand"]))

    makers = {peer.name: partial(contender, peer) for peer in peers}
    ours, results = race(scale, partial(cv.adjusted_rand.many, truth, preds), present(makers))
    for result in results:
        same = result.failure is None and np.allclose(ours.value, result.value, atol=1e-12)
        yield Row(
            what="adjusted_rand of many predictions",
            size=f"{many:,} x {size_of(n, clusters)}",
            peer=result.name,
            ours=ours.seconds,
            theirs=None if result.failure else result.seconds,
            goal=limit(3e-6 * many),
            note=result.failure or ("" if same else "the values differ"),
            alarm=result.failure is None and not same,
        )


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
