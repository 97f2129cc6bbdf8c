"""Two trees over the same leaves, beside scipy, dendropy and what dendextend does for each k.

Lower limits. All cuts of two trees of n leaves are n tables; their cells move O(n log n) times in
all, 1.7 million moves of 20 ns at n = 100,000, and mean and variance of each are exact fractions of
10 µs. A matrix of cophenetic distances of 100,000 leaves takes 40 GB.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import clustervet as cv
from compare import rows
from harness import Contender, Row, Scale, at_least, race
from labels import SEED
from peers import why_missing

# Numbers of clusters for which a loop over cuts is timed.
CUTS = 20


def run(scale: Scale) -> Iterator[Row]:
    """Cophenetic correlation, groups and cuts of two trees."""
    yield from _cophenetic(scale)
    yield from _groups(scale)
    yield from _cuts(scale)
    yield from _large(scale)


def _linkages(n: int) -> tuple[Any, Any]:
    """Average linkage of points, and complete linkage of the same points with noise."""
    from scipy.cluster.hierarchy import linkage

    rng = np.random.default_rng(SEED)
    x = rng.normal(size=(n, 3))
    return linkage(x, "average"), linkage(x + rng.normal(size=x.shape) / 4, "complete")


def _random(n: int, rng: Any) -> Any:
    """A tree that merges random nodes, which needs no distances of all pairs."""
    held, sizes = list(range(n)), [1] * n
    merges = np.empty((n - 1, 4))
    for k in range(n - 1):
        i, j = rng.integers(len(held)), rng.integers(len(held) - 1)
        held[i], held[-1] = held[-1], held[i]
        one = held.pop()
        sizes.append(sizes[one] + sizes[held[j]])
        merges[k] = one, held[j], k, sizes[-1]
        held[j] = n + k
    return merges


def _cophenetic(scale: Scale) -> Iterator[Row]:
    n = scale(5_000, 500)
    one, two = _linkages(n)
    ours, peers = race(
        scale,
        partial(cv.cophenetic_correlation, one, two),
        [Contender("scipy", partial(_scipy, one, two))],
    )
    yield from rows(
        ours,
        peers,
        what="cophenetic correlation / cophenet and corrcoef",
        size=f"n = {n:,}",
        goals={"scipy": at_least(3)} if scale.is_full else {},
    )


def _scipy(one: Any, two: Any) -> float:
    from scipy.cluster.hierarchy import cophenet

    return float(np.corrcoef(cophenet(one), cophenet(two))[0, 1])


def _groups(scale: Scale) -> Iterator[Row]:
    n = scale(5_000, 500)
    one, two = (_newick(tree) for tree in _linkages(n))
    if (why := why_missing("dendropy")) is not None:
        yield Row(what="Robinson-Foulds from Newick", size=f"n = {n:,}", peer="dendropy", note=why)
        return
    ours, peers = race(
        scale,
        partial(cv.robinson_foulds, one, two),
        [Contender("dendropy", partial(_dendropy, one, two))],
    )
    yield from rows(ours, peers, what="Robinson-Foulds from Newick", size=f"n = {n:,}")


def _newick(merges: Any) -> str:
    """The tree as Newick text without lengths."""
    texts = {k: f"t{k}" for k in range(len(merges) + 1)}
    for k, (one, two) in enumerate(merges[:, :2].astype(int).tolist(), len(merges) + 1):
        texts[k] = f"({texts.pop(one)},{texts.pop(two)})"
    return f"{texts[2 * len(merges)]};"


def _dendropy(one: str, two: str) -> float:
    import dendropy
    from dendropy.calculate import treecompare

    space = dendropy.TaxonNamespace()
    trees = [
        dendropy.Tree.get(data=text, schema="newick", rooting="force-rooted", taxon_namespace=space)
        for text in (one, two)
    ]
    return float(treecompare.symmetric_difference(*trees))


def _cuts(scale: Scale) -> Iterator[Row]:
    n = scale(5_000, 500)
    one, two = _linkages(n)
    ks = np.linspace(2, n - 1, CUTS).astype(int)
    ours, peers = race(
        scale,
        partial(_all_cuts, one, two, ks),
        [Contender("scikit-learn", partial(_loop, one, two, ks))],
    )
    for peer in peers:  # each cut takes the same time in a loop, so a few are timed and scaled up
        peer.seconds *= (n - 2) / len(ks)
    yield from rows(
        ours,
        peers,
        what="B_k for all k / a loop of fcluster and fowlkes_mallows_score",
        size=f"n = {n:,}",
        goals={"scikit-learn": at_least(20)} if scale.is_full else {},
    )


def _all_cuts(one: Any, two: Any, ks: Any) -> float:
    n = len(one) + 1
    curve = cv.b_k(one, two, ks=range(2, n))
    return float(np.mean(curve.values[ks - 2]))


def _loop(one: Any, two: Any, ks: Any) -> float:
    from scipy.cluster.hierarchy import fcluster
    from sklearn.metrics import fowlkes_mallows_score

    found = [
        fowlkes_mallows_score(fcluster(one, k, "maxclust"), fcluster(two, k, "maxclust"))
        for k in ks.tolist()
    ]
    return float(np.mean(found))


def _large(scale: Scale) -> Iterator[Row]:
    """100,000 leaves, of which no peer can hold the pairs."""
    n = scale(100_000)
    rng = np.random.default_rng(SEED)
    one, two = _random(n, rng), _random(n, rng)
    calls = {
        "cophenetic correlation": partial(cv.cophenetic_correlation, one, two),
        "B_k for 2,000 k": partial(_mean_of_cuts, one, two, None),
        "B_k for all k": partial(_mean_of_cuts, one, two, range(2, n)),
        "Robinson-Foulds": partial(cv.robinson_foulds, one, two),
        "hierarchical mutual information": partial(cv.hierarchical_mutual_information, one, two),
    }
    for what, call in calls.items():
        ours, _ = race(scale, call, [])
        yield Row(
            what=what,
            size=f"n = {n:,}",
            peer="clustervet alone",
            ours=ours.seconds if ours.runs else None,
            value_ours=ours.value,
            note=ours.failure or "from linkage matrices",
            alarm=ours.failure is not None,
        )


def _mean_of_cuts(one: Any, two: Any, ks: Any) -> float:
    return float(np.mean(cv.b_k(one, two, ks=ks).values))
