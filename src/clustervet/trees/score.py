"""`score_tree`: a tree as a code for the classes, cut where the code is shortest."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import is_whole, one_of
from clustervet._memory import need
from clustervet.contingency import Contingency
from clustervet.contingency.cells import Cells
from clustervet.errors import ParameterError, Setting
from clustervet.external import dom_q0
from clustervet.external.coding import cluster_nats
from clustervet.hierarchical.tree import Floats, Places, Tree, check_length, level_place, read_tree
from clustervet.labels import encode_one, show_label
from clustervet.labels.pair import Missing
from clustervet.registry import Measure
from clustervet.scorecard.questions import Chosen, Questions
from clustervet.trees.result import TreeCluster, TreeCut, TreeScores

# Levels that are scored by measures where none are named.
MOST_LEVELS = 2_000
# Memory of a node with its classes.
NODE_BYTES = 500
# Cells of all levels from which on sums are compiled.
MANY_CELLS = 200_000


def score_tree(
    truth: Any,
    tree: Any,
    measures: Chosen = None,
    *,
    clusters: Iterable[int] | None = None,
    noise: Any = None,
    missing: Missing = "raise",
) -> TreeScores:
    """Score a dendrogram or a taxonomy by how short a code for the classes its best cut gives.

    Parameters
    ----------
    truth : array-like
        The class of each object.
    tree : array, estimator, data frame, list or mapping
        A linkage matrix of scipy as a numpy array; a fitted `AgglomerativeClustering` of
        scikit-learn, or a fitted `HDBSCAN`, of which the tree of single linkage is taken; or nested
        labelings of the same objects from coarse to fine, as the columns of a data frame of pandas,
        polars or pyarrow, as a list, or as {name of the level: labels}.
    measures : str, Measure or list, optional
        External measures, by key or alias, that score the levels too; none by default.
    clusters : iterable of int, optional
        Numbers of clusters at which measures score the levels of a dendrogram. By default all, or
        2,000 of them where there are more: all small numbers, and then less and less dense.
        The code length is known for all levels anyway, and for all levels of a taxonomy.
    noise : str or dict, optional
        What the class -1 means ("keep", "drop" or "singletons"), or {class: policy}.
    missing : {"raise", "drop", "class"}, optional
        What missing labels do. An object without a class may be dropped: then the tree is scored by
        the other objects. With "class", missing labels of a level of a taxonomy are a group of
        their own within each group of the level above.

    Returns
    -------
    TreeScores
        The best cut, the code length of every level, and the scores of levels by the measures.

    Raises
    ------
    LabelError
        If labels are missing, are no labels or differ in number, or if levels are not nested.
    ParameterError
        If `tree` is no tree, or if a measure needs features.

    Notes
    -----
    This is the hierarchical variant of his measure that Dom (2001, footnote 12) planned. A
    cut of the tree is a clustering, of which the classes are sent as in his eq. 11:
    in ``n Q0`` bits. Before that the cut itself is named, by one bit for each inner node from the
    root down: 1 splits it, 0 stops there and makes it a cluster. Nothing is said below a stop, and
    leaves take no bit. That is a complete prefix code for all cuts: the sum of ``2^-bits`` over
    them is 1. It is the code of tree models in Willems, Shtarkov & Tjalkens (1995).

    ``n Q0`` is a sum over clusters, as the number of classes is that of the truth for every cut; so
    are the bits of the cut. The best cut of a node is the shorter one of stopping there and of the
    best cuts of its children, which finds the shortest code of all cuts exactly. Q1 and Q2 fall
    as Q0 grows, so their best cut is the same.

    The levels of a dendrogram are the clusterings after each merge. A level is a cut too, and is
    named by the same code, so that no level beats the best cut.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.cluster.hierarchy import linkage
    >>> x = np.array([0.0, 0.1, 0.2, 5.0, 5.1, 5.2, 9.0, 9.1])
    >>> found = score_tree(list("aaabbbbb"), linkage(x[:, None], "average"), ["ari"])
    >>> found.cut.clusters, found.cut.cut_bits, round(found.cut.class_bits, 3)
    (2, 3, 4.585)
    >>> found.labels().tolist()
    [0, 0, 0, 1, 1, 1, 1, 1]
    >>> found.best("ari")
    (1.0, 2)
    >>> zoo = {"class": ["bird", "bird", "fish", "fish"], "kind": ["owl", "duck", "cod", "cod"]}
    >>> [part.name for part in score_tree(["air", "air", "sea", "sea"], zoo).cut.parts]
    ['bird', 'fish']
    """
    one_of(missing, "missing", ("raise", "drop", "class"))
    records = check_questions(measures, clusters)
    read = read_tree(tree, truth, missing)
    codes, kept = encode_one(truth, "truth", noise=noise, missing=missing)
    check_length(read, len(codes) if kept is None else len(kept))
    leaf = read.leaf if kept is None else read.leaf[kept]
    if (leaf < 0).any():
        codes, leaf = codes.keep(leaf >= 0), leaf[leaf >= 0]
    if not len(leaf):
        raise ParameterError("no object is left that has a class and is in the tree.")
    table = Contingency.from_labels(codes, leaf)
    costs = node_costs(read, table)
    levels = _levels(read, costs)
    scored = _scored(read, levels.clusters, clusters) if records else []
    values = _level_scores(read, table, levels.steps[scored], records)
    scores = {}
    for record, found in zip(records, values, strict=True):
        scores[record.key] = np.full(len(levels.steps), math.nan)
        scores[record.key][scored] = found
    nodes = best_nodes(read, costs)
    n = int(table.n)
    heights = None
    if read.heights is not None:
        heights = np.concatenate([[0.0], read.heights])[levels.steps]
    return TreeScores(
        objects=n,
        classes=table.shape[0],
        alone_bits=n * dom_q0(Contingency.from_labels(codes, np.zeros(n, np.int8))),
        perfect_bits=n * dom_q0(Contingency.from_labels(codes, codes)),
        cut=_cut(read, costs, table, nodes, records),
        clusters=levels.clusters,
        cut_bits=levels.cut_bits,
        class_bits=levels.class_bits,
        names=read.level_names,
        heights=heights,
        tied=_tied(read, levels.steps),
        measures=tuple(records),
        scores=scores,
        left_out=len(read.leaf) - n,
        noise_as_class=0 if noise is not None else int(table.noise_as_cluster[0]),
        tree=read,
        nodes=tuple(nodes),
        steps=levels.steps,
    )


def check_questions(measures: Chosen, clusters: Any) -> list[Measure]:
    """Return the measures; refuse what is wrong whatever the tree is, before it is read."""
    records = [] if measures is None else Questions(measures=measures).records()
    if clusters is not None and not records:
        raise ParameterError(Setting("clusters"), " goes with ", Setting("measures"), ".")
    return records


class NodeCosts(NamedTuple):
    """What each node costs.

    `known` counts its objects that have a class, and `own` is the number of bits for their classes
    if the node is one cluster. `forks` says whether two of its children or more have such objects,
    so that it takes a bit, and `opens` whether it or a node below forks.
    """

    known: list[int]
    own: list[float]
    forks: list[bool]
    opens: list[bool]


def node_costs(tree: Tree, table: Contingency) -> NodeCosts:
    """Merge the classes of nodes from the leaves up, the smaller part into the larger one."""
    need(NODE_BYTES * tree.nodes, f"a tree of {tree.leaves:,} leaves", "cut the tree first")
    kinds = table.shape[0]
    counts: list[dict[int, int]] = [{} for _ in range(tree.leaves)]
    cells = table.cells
    leaves = np.asarray(table.cluster_names, np.int64)[cells.cols]
    for kind, leaf, count in zip(
        cells.rows.tolist(), leaves.tolist(), cells.values.tolist(), strict=True
    ):
        counts[leaf][kind] = count
    known = [sum(held.values()) for held in counts]
    own = [cluster_nats(held.values(), kinds) if held else 0.0 for held in counts]
    forks, opens = [False] * tree.leaves, [False] * tree.leaves
    for below in tree.children:
        full = [child for child in below if known[child]]
        known.append(sum(known[child] for child in full))
        forks.append(len(full) > 1)
        opens.append(len(full) > 1 or any(opens[child] for child in full))
        largest = max(below, key=lambda child: len(counts[child]))
        merged = counts[largest]
        for child in below:
            if child != largest:
                for kind, count in counts[child].items():
                    merged[kind] = merged.get(kind, 0) + count
                counts[child] = {}
        counts[largest] = {}
        counts.append(merged)
        if len(full) > 1:
            own.append(cluster_nats(merged.values(), kinds))
        else:
            own.append(own[full[0]] if full else 0.0)
    return NodeCosts(known, [nats / math.log(2) for nats in own], forks, opens)


def best_nodes(tree: Tree, costs: NodeCosts) -> list[int]:
    """Return the nodes of the cut whose code is the shortest; of equal ones, the coarser one."""
    best, split = costs.own[: tree.leaves], [False] * tree.leaves
    for node, below in enumerate(tree.children, tree.leaves):
        parts = math.fsum([best[child] for child in below])
        if costs.forks[node]:
            split.append(parts < costs.own[node])
            best.append(1 + min(parts, costs.own[node]))
        else:  # nothing is to be said here
            split.append(any(split[child] for child in below))
            best.append(parts)
    found = []
    left = np.flatnonzero(tree.parents == tree.nodes).tolist()
    while left:
        node = left.pop()
        if split[node]:
            left.extend(tree.children[node - tree.leaves])
        else:
            found.append(node)
    return sorted(found)


def naming_bits(tree: Tree, costs: NodeCosts, nodes: Sequence[int]) -> int:
    """Return the bits that name a cut: one per fork above it, and one per cluster that forks."""
    parents = tree.parents.tolist()
    above: set[int] = set()
    for node in nodes:
        parent = parents[node]
        while parent < tree.nodes and parent not in above:
            above.add(parent)
            parent = parents[parent]
    return sum(costs.forks[node] for node in above) + sum(costs.opens[node] for node in nodes)


class Levels(NamedTuple):
    """The levels of a tree from coarse to fine: nodes made, clusters, and bits."""

    steps: Places
    clusters: Places
    cut_bits: Places
    class_bits: Floats


def _levels(tree: Tree, costs: NodeCosts) -> Levels:
    """Return the code length of every level: each merge changes the terms of its nodes alone."""

    def running(values: Sequence[float]) -> list[float]:
        changes = [
            values[node] - math.fsum([values[child] for child in below])
            for node, below in enumerate(tree.children, tree.leaves)
        ]
        return list(running_totals(math.fsum(values[: tree.leaves]), changes))

    clusters = np.array(running([known > 0 for known in costs.known]), np.int64)
    stops = np.array(running(costs.opens), np.int64)
    forks = np.cumsum([0, *costs.forks[tree.leaves :]])
    bits = stops + (forks[-1] - forks)
    steps = tree.steps
    if tree.level_names is None:  # a merge with nothing known changes nothing
        kept = np.append(clusters[1:] != clusters[:-1], True)
        steps = np.flatnonzero(kept)[::-1]
    return Levels(steps, clusters[steps], bits[steps], np.array(running(costs.own))[steps])


def running_totals(total: float, changes: Iterable[float]) -> Iterator[float]:
    """Yield a total after each change, with what rounding lost added back (Neumaier 1974)."""
    lost = 0.0
    yield total
    for change in changes:
        after = total + change
        part = after - total
        lost += (total - (after - part)) + (change - part)
        total = after
        yield total + lost


def _tied(tree: Tree, steps: Places) -> NDArray[np.bool_]:
    """Return at which levels the next merge is not higher, so that no straight line cuts there."""
    found = np.zeros(len(steps), np.bool_)
    if tree.heights is not None:
        inside = (steps > 0) & (steps < len(tree.heights))
        at = steps[inside]
        found[inside] = tree.heights[at] <= tree.heights[at - 1]
    return found


def _scored(tree: Tree, clusters: Places, asked: Iterable[int] | None) -> list[int]:
    """Return the places of the levels that measures score."""
    if asked is not None:
        if tree.level_names is not None:
            raise ParameterError(
                Setting("clusters"), " is for a dendrogram; a taxonomy is scored at all its levels."
            )
        given: Any = [asked] if is_whole(asked) else asked
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise ParameterError(
                Setting("clusters"), f" must be whole numbers, not {show_label(asked)!r}."
            )
        places = [level_place(tree, clusters.tolist(), number) for number in given]
        if not places:
            raise ParameterError(Setting("clusters"), " names no number of clusters.")
        return sorted(set(places))
    count = len(clusters)
    if count <= MOST_LEVELS:
        return list(range(count))
    half = MOST_LEVELS // 2
    sparse = np.geomspace(half, count - 1, half).round().astype(np.int64)
    return sorted({*range(half), *sparse.tolist()})


def _level_scores(
    tree: Tree, table: Contingency, steps: Places, records: Sequence[Measure]
) -> list[Floats]:
    """Score levels from the finest on: each table is that of the finer level, columns merged."""
    found = [np.full(len(steps), math.nan) for _ in records]
    if not records:
        return found
    cells = table.cells
    nodes = np.asarray(table.cluster_names, np.int64)[cells.cols]
    compiled = len(cells.values) * len(steps) > MANY_CELLS
    low = 0
    for place in np.argsort(steps, kind="stable").tolist():
        high = int(steps[place])
        cells, nodes = _merge(cells, tree.tops(low, high)[nodes])
        low = high
        merged = _named(table, cells, nodes)
        if compiled:
            merged.__dict__["plain"] = None
        for column, record in zip(found, records, strict=True):
            column[place] = record.evaluate(merged).value
    return found


def _merge(cells: Cells, nodes: Places) -> tuple[Cells, Places]:
    """Merge the cells of each class that lie in the same node; return the node of each too."""
    width = int(nodes.max()) + 1
    keys, place = np.unique(cells.rows * width + nodes, return_inverse=True)
    rows, nodes = np.divmod(keys, width)
    indptr = np.searchsorted(rows, np.arange(len(cells.indptr)))
    sums = np.bincount(place, weights=cells.values).astype(np.int64)
    return Cells(indptr, nodes, sums), nodes


def _named(table: Contingency, cells: Cells, nodes: Places) -> Contingency:
    """Return a table of classes and nodes."""
    names, cols = np.unique(nodes, return_inverse=True)
    packed = Cells(cells.indptr, cols.astype(np.int32), cells.values)
    return Contingency(packed, table.class_names, names)


def _cut(
    tree: Tree,
    costs: NodeCosts,
    table: Contingency,
    nodes: Sequence[int],
    records: Sequence[Measure],
) -> TreeCut:
    """Describe the best cut: its code, its clusters and its scores."""
    holder = tree.members(nodes)
    numbers = {node: k for k, node in enumerate(dict.fromkeys(holder[holder >= 0].tolist()))}
    leaves = np.asarray(table.cluster_names, np.int64)
    top = np.full(tree.leaves, -1, np.int64)
    top[tree.leaf[tree.leaf >= 0]] = holder[tree.leaf >= 0]
    merged = _named(table, *_merge(table.cells, top[leaves][table.cells.cols]))
    counts = merged.T.cells
    parts = []
    for place, node in enumerate(merged.cluster_names):
        span = slice(counts.indptr[place], counts.indptr[place + 1])
        most = int(counts.values[span].argmax())
        high = None if tree.heights is None or node < tree.leaves else node - tree.leaves
        parts.append(
            TreeCluster(
                cluster=numbers[node],
                name=None if tree.node_names is None else tree.node_names[node],
                height=None if high is None or tree.heights is None else float(tree.heights[high]),
                objects=int(costs.known[node]),
                bits=float(costs.own[node]),
                main_class=table.class_names[int(counts.cols[span][most])],
                share=int(counts.values[span][most]) / int(costs.known[node]),
            )
        )
    return TreeCut(
        clusters=len(parts),
        cut_bits=naming_bits(tree, costs, nodes),
        class_bits=math.fsum(part.bits for part in parts),
        scores={record.key: float(record.evaluate(merged).value) for record in records},
        parts=tuple(sorted(parts, key=lambda part: part.cluster)),
    )
