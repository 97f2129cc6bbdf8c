"""The lattice on codes: canonical numbering, meet, join, refinement, blocks, distances.

Everything takes linear time in the number of objects. Codes are numbered by first appearance, so
equal partitions have equal codes. Up to a few thousand objects numpy alone does the work, and no
compiler is loaded.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.labels.codes import first_places

Codes32 = NDArray[np.int32]
# Up to this many objects numpy is quicker than loading compiled loops.
FEW = 20_000
# Objects for which starting a thread is worthwhile.
GRAIN = 1_000_000
DENSE_CELLS = 2**24
LN2 = math.log(2)


def canonical(codes: NDArray[Any], clusters: int) -> tuple[Codes32, NDArray[np.int64]]:
    """Codes 0..clusters - 1 renumbered by first appearance, and the old code of each."""
    n = len(codes)
    if n > FEW:
        from clustervet import _kernels

        out = np.empty(n, np.int32)
        return out, _kernels.renumber(codes, clusters, out)
    order = np.argsort(first_places(codes, clusters))
    rank = np.empty(clusters, np.int32)
    rank[order] = np.arange(clusters, dtype=np.int32)
    return rank[codes], order


def compress(labels: NDArray[Any], most: int) -> tuple[Codes32, int]:
    """Labels below `most` as codes without gaps, in their order, and the number of codes."""
    present = np.zeros(most, np.bool_)
    present[labels] = True
    rank = np.cumsum(present, dtype=np.int32) - np.int32(1)
    return rank[labels], int(rank[-1]) + 1


def meet(a: Codes32, b: Codes32, height: int, width: int) -> tuple[Codes32, int]:
    """The pairs of codes that occur, numbered by first appearance, and their number."""
    if len(a) <= FEW:
        keys, codes = np.unique(a.astype(np.int64) * width + b, return_inverse=True)
        return canonical(codes, len(keys))[0], len(keys)
    if height * width <= min(DENSE_CELLS, max(2**16, 4 * len(a))):
        return _meet_dense(a, b, height, width)
    from clustervet import _kernels

    codes = np.empty(len(a), np.int32)
    found = int(_kernels.number_sparse(a, b, sizes_of(a, height), width, codes))
    return canonical(codes, found)[0], found


def _meet_dense(a: Codes32, b: Codes32, height: int, width: int) -> tuple[Codes32, int]:
    """Number the cells in each thread's range of objects, then give all ranges one numbering."""
    from clustervet import _kernels

    size = height * width
    parts = _kernels.ranges(len(a), max(GRAIN, size))
    tables = np.full((len(parts), size), -1, np.int32)
    seen = [np.empty(min(size, last - first), np.int64) for first, last in parts]
    out = np.empty(len(a), np.int32)

    def number(part: int) -> int:
        here = slice(*parts[part])
        return int(
            _kernels.number_cells(a[here], b[here], width, tables[part], seen[part], out[here])
        )

    counts = _kernels.run(number, [(part,) for part in range(len(parts))])
    found, whole = counts[0], tables[0]
    names: list[NDArray[np.int32]] = []
    for part in range(1, len(parts)):
        cells = seen[part][: counts[part]]
        fresh = cells[whole[cells] < 0]
        whole[fresh] = np.arange(found, found + len(fresh), dtype=np.int32)
        found += len(fresh)
        names.append(whole[cells])
    if names:
        _kernels.run(
            _kernels.relabel,
            [(out[slice(*parts[k])], name) for k, name in enumerate(names, 1)],
        )
    return out, found


def join(a: Codes32, b: Codes32, height: int, width: int) -> tuple[Codes32, int]:
    """Connected sets of clusters that share objects, numbered by first appearance.

    Clusters are the nodes of a forest and objects its edges (Galler & Fischer 1964). The root of a
    set is its smallest code of `a`, and the smallest codes appear in their order.
    """
    if len(a) <= FEW:
        sets, found = _join_few(a, b, height, width)
        return sets[a], found
    from clustervet import _kernels

    parts = _kernels.ranges(len(a), max(GRAIN, 4 * (height + width)))
    forests = [np.arange(height + width, dtype=np.int32) for _ in parts]
    _kernels.run(
        _kernels.unite,
        [
            (a[slice(*part)], b[slice(*part)], height, forest)
            for part, forest in zip(parts, forests, strict=True)
        ],
    )
    for other in forests[1:]:
        _kernels.unite_forests(forests[0], other)
    sets, found = _kernels.number_roots(forests[0], height)
    out = np.empty(len(a), np.int32)
    _kernels.run(
        _kernels.gather,
        [(a[slice(*part)], sets, out[slice(*part)]) for part in _kernels.ranges(len(a), GRAIN)],
    )
    return out, int(found)


def _join_few(a: Codes32, b: Codes32, height: int, width: int) -> tuple[Codes32, int]:
    parent = list(range(height + width))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = node = parent[parent[node]]
        return node

    for cell in np.unique(a.astype(np.int64) * width + b).tolist():
        one, other = root(cell // width), root(height + cell % width)
        parent[max(one, other)] = min(one, other)
    roots, sets = np.unique([root(node) for node in range(height)], return_inverse=True)
    return sets.astype(np.int32), len(roots)


def refines(a: Codes32, b: Codes32, height: int) -> bool:
    """Whether each cluster of `a` lies in one cluster of `b`."""
    if len(a) <= FEW:
        image = np.empty(height, np.int32)
        image[a] = b
        return bool((image[a] == b).all())
    from clustervet import _kernels

    return bool(_kernels.maps_into(a, b, np.full(height, -1, np.int32)))


def sizes_of(codes: Codes32, clusters: int) -> NDArray[np.int64]:
    """Number of objects in each cluster."""
    return np.bincount(codes, minlength=clusters).astype(np.int64, copy=False)


def positions_by_code(codes: Codes32, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions of the first cluster in rising order, then those of the second, and so on."""
    if len(codes) <= FEW:
        return np.argsort(codes, kind="stable")
    from clustervet import _kernels

    order: NDArray[np.int64] = _kernels.bucket(codes, sizes)
    return order


def owners(fine: Codes32, coarse: Codes32, clusters: int) -> NDArray[np.int64]:
    """The coarse cluster that contains each of the fine clusters."""
    owner = np.empty(clusters, np.int64)
    owner[fine] = coarse
    return owner


def split_cost(part: Any, rest: Any, n: int) -> Any:
    """VI between a partition and the one with a cluster split in two (Meilă 2007, eq. 27).

    >>> float(split_cost(1, 1, 4))
    0.5
    """
    part, rest = np.float64(part), np.float64(rest)
    return (part * np.log1p(rest / part) + rest * np.log1p(part / rest)) / (n * LN2)


def variation(a: Codes32, b: Codes32, height: int, width: int) -> float:
    """VI of two partitions (Meilă 2007, eq. 21) as a sum of positive terms over their meet."""
    both, cells = meet(a, b, height, width)
    shared = sizes_of(both, cells)
    total = np.zeros(cells)
    for side, clusters in ((a, height), (b, width)):
        total += _surprise(shared, sizes_of(side, clusters)[owners(both, side, cells)])
    return math.fsum((shared * total).tolist()) / (len(a) * LN2)


def _surprise(part: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.float64]:
    """-log(part / size), with full precision also where part is nearly all of size."""
    return np.where(2 * part > size, -np.log1p(-(size - part) / size), np.log(size / part))


def entropy(sizes: NDArray[np.int64]) -> float:
    """Entropy of a partition with these sizes (Meilă 2007, eq. 14)."""
    n = np.full(len(sizes), sizes.sum())
    return math.fsum((sizes * _surprise(sizes, n)).tolist()) / (int(n[0]) * LN2)
