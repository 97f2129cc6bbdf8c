"""`Tree`: a dendrogram or a taxonomy over objects, read from what programs make of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import LabelError, ParameterError, Setting
from clustervet.labels import check_index, consecutive, read_labels, show_label
from clustervet.labels.arrays import kind_of
from clustervet.labels.pair import Missing, missing_error

Places = NDArray[np.int64]
Floats = NDArray[np.float64]
# The fields of the tree that scikit-learn's HDBSCAN holds.
FIELDS = ("left_node", "right_node", "value", "cluster_size")
EVERYTHING = "all objects"


@dataclass(frozen=True, eq=False)
class Tree:
    """Groups of objects within larger groups.

    Nodes are numbered from the leaves up: 0, 1, ... are leaves, and every other node has a higher
    number than its children. A level of the tree is what there is once a number of inner nodes are
    made, in their order: the nodes that no other node holds yet.

    Parameters
    ----------
    leaf : ndarray of int
        The leaf of each object; -1 for an object that is not in the tree.
    leaves : int
        The number of leaves.
    children : list of tuple of int
        The children of each inner node.
    steps : ndarray of int
        How many inner nodes are made at each level, from the coarsest level to the finest.
    heights : ndarray of float or None
        The height of each inner node, where it is known.
    level_names : tuple of str or None
        Names of the levels of a taxonomy.
    node_names : list of str or None
        Labels of the nodes of a taxonomy.
    """

    leaf: Places
    leaves: int
    children: Sequence[tuple[int, ...]]
    steps: Places
    heights: Floats | None = None
    level_names: tuple[str, ...] | None = None
    node_names: Sequence[str] | None = None

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return self.leaves + len(self.children)

    @cached_property
    def parents(self) -> Places:
        """The parent of each node; that of a root is beyond all nodes."""
        found = np.full(self.nodes, self.nodes, np.int64)
        for node, below in enumerate(self.children, self.leaves):
            found[list(below)] = node
        return found

    def tops(self, low: int, high: int) -> Places:
        """Return the node that holds each node once `high` inner nodes are made.

        Only nodes that no other node holds when `low` inner nodes are made have an entry that
        means anything, and those made since.
        """
        first, end = self.leaves + low, self.leaves + high
        found = np.arange(end)
        parents = self.parents
        for node in range(end - 1, first - 1, -1):
            if parents[node] < end:
                found[node] = found[parents[node]]
        older = np.flatnonzero((parents[:first] >= first) & (parents[:first] < end))
        found[older] = found[parents[older]]
        return found

    def members(self, nodes: Iterable[int]) -> Places:
        """Return the node of a cut that holds each object; -1 for an object outside the tree."""
        found = np.full(self.nodes, -1, np.int64)
        for node in nodes:
            found[node] = node
        for node in range(self.nodes - 1, self.leaves - 1, -1):
            if found[node] >= 0:
                found[list(self.children[node - self.leaves])] = found[node]
        return np.where(self.leaf >= 0, found[self.leaf], -1)


def read_tree(tree: Any, truth: Any = None, missing: Missing = "raise") -> Tree:
    """Read a tree of any supported kind; `truth` is only compared by its index."""
    if isinstance(tree, Tree):
        return tree
    if isinstance(read := getattr(tree, "tree", None), Tree):  # of a hierarchy
        return read
    if hasattr(tree, "children_"):
        heights = getattr(tree, "distances_", None)
        leaves = int(getattr(tree, "n_leaves_", len(tree.children_) + 1))
        return _merged(np.asarray(tree.children_), heights, None, leaves)
    held = getattr(tree, "single_linkage_tree_", getattr(tree, "_single_linkage_tree_", None))
    held = tree if held is None else held
    if type(held).__module__.partition(".")[0] == "hdbscan" and hasattr(held, "to_numpy"):
        held = held.to_numpy()
    if isinstance(held, np.ndarray) and held.dtype.names is not None:
        if not set(FIELDS) <= set(held.dtype.names):
            raise ParameterError(f"a tree as an array of records has the fields {FIELDS}.")
        held = np.column_stack([held[name] for name in FIELDS])
    if isinstance(held, np.ndarray) and held.ndim == 2:
        if np.ma.is_masked(held):
            raise ParameterError("a linkage must hold numbers; some are masked.")
        return read_linkage(np.asarray(held))
    if (read := _framed_linkage(held)) is not None:
        return read
    if hasattr(held, "fit"):
        raise ParameterError(
            f"{type(held).__name__} holds no tree; a fitted AgglomerativeClustering or HDBSCAN "
            "holds one."
        )
    return read_taxonomy(_levels(held), truth, missing)


def read_linkage(matrix: NDArray[Any], name: str = "the linkage") -> Tree:
    """Read a linkage matrix of scipy, or the pairs of nodes that are merged."""
    if matrix.dtype.kind not in "iuf":
        raise ParameterError(f"{name} must hold numbers, not {matrix.dtype}.")
    if matrix.ndim != 2 or matrix.shape[1] not in (2, 4):
        raise ParameterError(
            f"{name} must have 4 columns (two nodes, height, number of objects), or the first 2 "
            f"of them; its shape is {matrix.shape}."
        )
    if not len(matrix):
        raise ParameterError(f"{name} has no rows; a tree merges two objects or more.")
    if matrix.shape[1] == 2:
        return _merged(matrix, None, None, len(matrix) + 1, name)
    return _merged(matrix[:, :2], matrix[:, 2], matrix[:, 3], len(matrix) + 1, name)


def _framed_linkage(given: Any) -> Tree | None:
    """Return the tree of a data frame of pandas that holds a linkage matrix of scipy."""
    if not hasattr(type(given), "columns") or getattr(given, "shape", ())[1:] != (4,):
        return None
    matrix = np.asarray(given)
    if matrix.dtype.kind not in "iuf" or len(matrix) < 2:
        return None
    try:
        return read_linkage(matrix)
    except ParameterError:  # labels of four levels
        return None


def _merged(
    pairs: NDArray[Any], heights: Any, sizes: Any, leaves: int, name: str = "the tree"
) -> Tree:
    """Return the tree of merges in their order, each of two nodes that are there already."""
    if pairs.dtype.kind == "f":
        whole = np.isfinite(pairs) & (pairs == np.floor(pairs))
        if not whole.all():
            row = int(np.flatnonzero(~whole.all(axis=1))[0])
            raise ParameterError(
                f"{name} is not a valid linkage: row {row} merges nodes that are no whole numbers."
            )
    used = np.zeros(leaves + len(pairs), np.bool_)
    counts = np.ones(leaves + len(pairs), np.int64)
    children = [(int(one), int(other)) for one, other in pairs.tolist()]
    for row, pair in enumerate(children):
        made = leaves + row
        for node in pair:
            if not 0 <= node < made:
                raise ParameterError(
                    f"{name} is not a valid linkage: row {row} merges node {node}, and there "
                    f"are only the nodes 0 to {made - 1} by then."
                )
            if used[node]:
                raise ParameterError(
                    f"{name} is not a valid linkage: row {row} merges node {node}, which is merged "
                    "already."
                )
            used[node] = True
        counts[made] = counts[pair[0]] + counts[pair[1]]
    if sizes is not None:
        wrong = np.flatnonzero(np.asarray(sizes) != counts[leaves:])
        if len(wrong):
            row = int(wrong[0])
            raise ParameterError(
                f"{name} is not a valid linkage: row {row} says that {sizes[row]:g} objects are "
                f"merged, and its nodes hold {counts[leaves + row]:,}."
            )
    high = None if heights is None else np.asarray(heights, np.float64)
    if high is not None:
        odd = np.flatnonzero(np.isnan(high) | (high == -np.inf))
        if len(odd):
            what = "no number" if np.isnan(high[odd[0]]) else "below every number"
            raise ParameterError(
                f"{name} is not a valid linkage: the height in row {odd[0]} is {what}."
            )
    steps = np.arange(len(pairs), -1, -1)
    return Tree(np.arange(leaves), leaves, children, steps, high)


def _levels(tree: Any) -> dict[str, Any]:
    """Return labelings by name, from coarse to fine."""
    if isinstance(tree, Mapping):
        return {show_label(name): labels for name, labels in tree.items()}
    if hasattr(type(tree), "columns"):
        from clustervet.frames.frame import Frame

        frame = Frame.of(tree)
        if not frame.eager:
            raise ParameterError(
                "a tree as a data frame must be one of pandas, polars or pyarrow; others have to "
                "be collected first."
            )
        return {show_label(name): frame.column(name) for name in frame.columns}
    single = isinstance(tree, str | bytes) or getattr(tree, "shape", None) == ()
    if single or not isinstance(tree, Iterable):
        raise ParameterError(
            "a tree is a linkage matrix, a fitted AgglomerativeClustering or HDBSCAN, or nested "
            f"labelings from coarse to fine, not {kind_of(tree)}."
        )
    found = list(tree)
    if found and not any(hasattr(one, "__len__") and not isinstance(one, str) for one in found):
        raise ParameterError(
            "one labeling is no tree; give a list of labelings from coarse to fine, or a linkage "
            "matrix as a numpy array."
        )
    return {f"level {k}": labels for k, labels in enumerate(found, 1)}


def read_taxonomy(levels: Mapping[str, Any], truth: Any, missing: Missing) -> Tree:
    """Read nested labelings from coarse to fine as a tree."""
    if not levels:
        raise ParameterError("there are no levels; a tree needs one labeling or more.")
    read = {name: read_labels(labels, name) for name, labels in levels.items()}
    check_index({"truth": truth, **levels})
    length = len(next(iter(read.values())))
    inside = np.ones(length, np.bool_)
    for name, side in read.items():
        if len(side) != length:
            raise LabelError(
                f"all levels must label the same objects; {next(iter(read))} has {length:,} "
                f"labels and {name} has {len(side):,}."
            )
        absent = side.missing
        if absent is not None and absent.any():
            if missing == "raise":
                raise missing_error(
                    name, int(absent.sum()), f", the first at position {absent.argmax()}"
                )
            inside &= ~absent if missing == "drop" else True
    if not inside.any():
        raise LabelError("no object is left once those with missing labels are dropped.")
    codes: list[Places] = []
    labels: list[list[str]] = []
    for side in read.values():
        renumbered, distinct = consecutive(side.keep(inside))
        values = renumbered.astype(np.int64)
        shown = [show_label(label) for label in side.restore(distinct)]
        absent = None if side.missing is None else side.missing[inside]
        if absent is not None and absent.any():
            above = codes[-1] if codes else np.zeros(len(values), np.int64)
            groups, place = np.unique(above[absent], return_inverse=True)
            values[absent] = len(shown) + place
            used, values = np.unique(values, return_inverse=True)
            shown = [[*shown, *["(missing)"] * len(groups)][k] for k in used]
        codes.append(values)
        labels.append(shown)
    _check_nested(list(read), codes, labels)
    leaf = np.full(length, -1, np.int64)
    leaf[inside] = codes[-1]
    return _nested(leaf, codes, labels, tuple(read))


def _check_nested(names: list[str], codes: list[Places], labels: list[list[str]]) -> None:
    """Refuse labelings of which one is not nested in the one before."""
    split = [_split(fine, coarse) for coarse, fine in pairwise(codes)]
    if all(found is None for found in split):
        return
    if all(_split(coarse, fine) is None for coarse, fine in pairwise(codes)):
        raise LabelError(
            f"the levels must run from coarse to fine, and {names[0]} is finer than {names[-1]}; "
            "give them in the other order."
        )
    k, found = next((k, found) for k, found in enumerate(split) if found is not None)
    label, one, other = found
    raise LabelError(
        f"{names[k + 1]} is not nested in {names[k]}: objects with its label "
        f"{labels[k + 1][label]!r} lie in {labels[k][one]!r} and in {labels[k][other]!r}."
    )


def _split(fine: Places, coarse: Places) -> tuple[int, int, int] | None:
    """Return a fine code that lies in two coarse ones, and these two; None if there is none."""
    pairs = np.unique(fine * (coarse.max() + 1) + coarse)
    inner, outer = np.divmod(pairs, coarse.max() + 1)
    twice = np.flatnonzero(inner[1:] == inner[:-1])
    if not len(twice):
        return None
    k = int(twice[0])
    return int(inner[k]), int(outer[k]), int(outer[k + 1])


def _nested(
    leaf: Places, codes: list[Places], labels: list[list[str]], names: tuple[str, ...]
) -> Tree:
    """Return the tree of nested labelings, with a root that holds everything."""
    if len(labels[0]) > 1:
        codes, labels = [np.zeros_like(codes[0]), *codes], [[EVERYTHING], *labels]
        names = (EVERYTHING, *names)
    children: list[tuple[int, ...]] = []
    steps = [0]
    node_names = list(labels[-1])
    start = 0
    for coarse, fine, shown in zip(codes[-2::-1], codes[:0:-1], labels[-2::-1], strict=True):
        pairs = np.unique(coarse * (fine.max() + 1) + fine)
        outer, inner = np.divmod(pairs, fine.max() + 1)
        edges = np.searchsorted(outer, np.arange(len(shown) + 1))
        below = (inner + start).tolist()
        children += [tuple(below[first:last]) for first, last in pairwise(edges)]
        start += len(inner)
        steps.append(len(children))
        node_names += shown
    return Tree(
        leaf,
        len(labels[-1]),
        children,
        np.array(steps[::-1], np.int64),
        level_names=names,
        node_names=node_names,
    )


def check_length(tree: Tree, length: int) -> None:
    """Refuse a truth of another length than the tree."""
    if len(tree.leaf) != length:
        what = "leaves" if tree.level_names is None else "labels"
        raise LabelError(
            f"truth has {length:,} labels, and the tree has {len(tree.leaf):,} {what}; they must "
            "be about the same objects."
        )


def level_place(tree: Tree, clusters: Sequence[int], asked: int | str) -> int:
    """Return the place of a level by its number of clusters, or by its name in a taxonomy."""
    if isinstance(asked, str) and tree.level_names is not None and asked in tree.level_names:
        return tree.level_names.index(asked)
    if not isinstance(asked, str) and asked in clusters:
        return list(clusters).index(asked)
    if tree.level_names is not None:
        raise ParameterError(
            f"the tree has no level {show_label(asked)!r}; its levels are "
            f"{', '.join(tree.level_names)}."
        )
    raise ParameterError(
        Setting("clusters"),
        f" must be between {min(clusters):,} and {max(clusters):,} for this tree, not "
        f"{show_label(asked)!r}.",
    )
