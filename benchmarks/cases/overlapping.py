"""Covers beside CluSim, cdlib and networkit, and a million objects in up to ten groups each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import clustervet as cv
from compare import rows
from harness import AbsentError, Contender, Row, Scale, at_least, limit, race
from labels import SEED
from peers import why_missing

# One object and one group per membership.
Edges = tuple[NDArray[np.int64], NDArray[np.int64]]
Groups = list[list[int]]
TWENTY = 20


def run(scale: Scale) -> Iterator[Row]:
    """The omega index, mutual information and best matches of two covers."""
    n = scale(100_000)
    sides = _covers(n, n // 50, 2)
    covers = [cv.Cover.from_edges(*side, n) for side in sides]
    size = f"{n:,} objects in {n // 50:,} groups, up to 2 each"
    yield from _beside(scale, "omega_index", covers, "clusim", _clusim(covers), size, TWENTY)
    for measure, peer in _networkit(covers).items():
        yield from _beside(scale, measure, covers, "networkit", peer, size)
    n = scale(2_000, least=200)
    few = [cv.Cover.from_edges(*side, n) for side in _covers(n, n // 50, 2)]
    size = f"{n:,} objects in {n // 50:,} groups, up to 2 each"
    yield from _beside(scale, "omega_index", few, "cdlib", _cdlib(few), size, TWENTY)
    yield from _large(scale)


def _large(scale: Scale) -> Iterator[Row]:
    """No peer takes these: they keep the pairs, or look at all of them."""
    n = scale(1_000_000)
    covers = [cv.Cover.from_edges(*side, n) for side in _covers(n, n // 10, 10)]
    size = f"{n:,} objects in {n // 10:,} groups, up to 10 each"
    for measure in ("omega_index", "extended_bcubed_f1", "best_match_f1", "overlapping_nmi_max"):
        ours, _ = race(scale, partial(cv.measures[measure], *covers), [])
        yield Row(what=measure, size=size, peer="-", ours=ours.seconds, goal=limit(30.0))


def _covers(n: int, groups: int, most: int) -> tuple[Edges, Edges]:
    """A random cover, and an equal one with three tenths of the memberships moved at random."""
    rng = np.random.default_rng(SEED)
    objects = np.repeat(np.arange(n), rng.integers(1, most + 1, n))
    held = rng.integers(0, groups, len(objects))
    moved = np.where(rng.random(len(held)) < 0.3, rng.integers(0, groups, len(held)), held)
    return _once(objects, held, groups), _once(objects, moved, groups)


def _once(objects: NDArray[np.int64], held: NDArray[np.int64], groups: int) -> Edges:
    keys = np.unique(objects * groups + held)
    return keys // groups, keys % groups


def _beside(
    scale: Scale,
    measure: str,
    covers: list[cv.Cover],
    peer: str,
    theirs: Callable[[], float],
    size: str,
    times: float | None = None,
) -> list[Row]:
    ours, results = race(scale, partial(cv.measures[measure], *covers), [Contender(peer, theirs)])
    goals = {peer: at_least(times)} if times else {}
    return rows(ours, results, what=measure, size=size, goals=goals)


def _absent(why: str) -> float:
    raise AbsentError(why)


def _clusim(covers: list[cv.Cover]) -> Callable[[], float]:
    if (why := why_missing("clusim")) is not None:
        return partial(_absent, why)
    from clusim import sim
    from clusim.clustering import Clustering

    sides = []
    for cover in covers:
        held = np.split(cover.indices, cover.indptr[1:-1])
        sides.append(Clustering(elm2clu_dict={k: row.tolist() for k, row in enumerate(held)}))
    return partial(sim.omega_index, *sides)


def _cdlib(covers: list[cv.Cover]) -> Callable[[], float]:
    if (why := why_missing("cdlib")) is not None:
        return partial(_absent, why)
    import networkx as nx
    from cdlib import NodeClustering, evaluation

    graph = nx.empty_graph(covers[0].n)
    sides = [NodeClustering(list(cover.groups.values()), graph, overlap=True) for cover in covers]
    return lambda: float(evaluation.omega(*sides).score)


def _networkit(covers: list[cv.Cover]) -> dict[str, Callable[[], float]]:
    """Its F is that of one side, so that two of them make the mean."""
    if (why := why_missing("networkit")) is not None:
        return dict.fromkeys(("overlapping_nmi_max", "best_match_f1"), partial(_absent, why))
    import networkit as nk

    graph, sides = nk.Graph(covers[0].n), []
    for cover in covers:
        side: Any = nk.Cover(cover.n)
        side.setUpperBound(cover.k)
        for k, row in enumerate(np.split(cover.indices, cover.indptr[1:-1])):
            for group in row.tolist():
                side.addToSubset(group, k)
        sides.append(side)

    def information() -> float:
        measure = nk.community.OverlappingNMIDistance()
        return 1.0 - float(measure.getDissimilarity(graph, *sides))

    def matches() -> float:
        total = 0.0
        for own, other in (sides, sides[::-1]):
            measure = nk.community.CoverF1Similarity(graph, own, other)
            measure.run()
            total += measure.getUnweightedAverage() / 2
        return total

    return {"overlapping_nmi_max": information, "best_match_f1": matches}
