"""`Shape`: the form of a tree that formulas read, in which ties in height are one step."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import ParameterError
from clustervet.hierarchical.tree import EVERYTHING, Floats, Places, Tree

# Heights that differ by less than this share of the larger one are a fall by rounding alone.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Shape:
    """A tree with one root, over objects that are its leaves.

    Every inner node has two children or more and is higher than each of them: nodes with one child
    are left out, and a node as high as its parent is one with it. Nodes are numbered from the
    leaves up, inner nodes by their height, so that the root is the last one.

    Parameters
    ----------
    leaves : int
        The number of objects.
    parents : ndarray of int
        The parent of each node; that of the root is beyond all nodes.
    heights : ndarray of float
        The height of each inner node.
    floor : float
        Groups up to this height are not split into objects: those of labels are the finest there
        are, while a dendrogram parts all objects in the end.
    top : float
        A root above this height is no group of the tree, but only joins what labels leave apart.
    """

    leaves: int
    parents: Places
    heights: Floats
    floor: float = -math.inf
    top: float = math.inf

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return len(self.parents)

    @property
    def inner(self) -> int:
        """The number of inner nodes."""
        return len(self.heights)

    @property
    def flat(self) -> bool:
        """Whether the tree is one clustering, with nothing below or above its groups."""
        return self.floor == self.top

    @cached_property
    def sizes(self) -> Places:
        """The number of objects of each node."""
        found = [1] * self.leaves + [0] * self.inner
        for node, parent in enumerate(self.parents[:-1].tolist()):
            found[parent] += found[node]
        return np.array(found, np.int64)

    @cached_property
    def starts(self) -> Places:
        """Where the objects of each node start in `order`."""
        sizes, parents = self.sizes.tolist(), self.parents.tolist()
        found, free = [0] * self.nodes, [0] * self.nodes
        for node in range(self.nodes - 2, -1, -1):
            parent = parents[node]
            found[node] = free[node] = free[parent]
            free[parent] += sizes[node]
        return np.array(found, np.int64)

    @cached_property
    def ends(self) -> Places:
        """Where they end."""
        return self.starts + self.sizes

    @cached_property
    def order(self) -> Places:
        """The objects in an order in which those of each node are side by side."""
        found = np.empty(self.leaves, np.int64)
        found[self.starts[: self.leaves]] = np.arange(self.leaves)
        return found

    @cached_property
    def joins(self) -> Places:
        """For each object in this order but the last, the node that joins it with the next one."""
        below = np.arange(self.nodes - 1)
        later = below[self.starts[below] > self.starts[self.parents[below]]]
        found = np.empty(self.leaves - 1, np.int64)
        found[self.starts[later] - 1] = self.parents[later]
        return found

    @cached_property
    def pairs(self) -> Places:
        """The number of pairs of objects that each inner node joins."""
        squares = np.zeros(self.inner, np.int64)
        np.add.at(squares, self.parents[:-1] - self.leaves, self.sizes[:-1] ** 2)
        return (self.sizes[self.leaves :] ** 2 - squares) // 2

    @cached_property
    def children(self) -> tuple[Places, Places]:
        """Where the children of each inner node start in a list, and the list."""
        listed = np.argsort(self.parents[:-1], kind="stable")
        counts = np.bincount(self.parents[:-1] - self.leaves, minlength=self.inner)
        return np.concatenate([[0], np.cumsum(counts)]), listed

    @cached_property
    def depths(self) -> Places:
        """How many nodes are above each node."""
        parents, found = self.parents.tolist(), [0] * self.nodes
        for node in range(self.nodes - 2, -1, -1):
            found[node] = found[parents[node]] + 1
        return np.array(found, np.int64)

    @cached_property
    def steps(self) -> Places:
        """For each inner node its place among the different heights."""
        rises = np.diff(self.heights, prepend=self.heights[:1]) > 0
        return np.cumsum(rises)

    @cached_property
    def cuts(self) -> dict[int, int]:
        """For each number of clusters that a cut at some height gives, the inner nodes below it."""
        joined = np.cumsum(np.diff(self.children[0]) - 1)
        rises = np.append(np.diff(self.heights) > 0, True)[: self.inner]
        lasts = np.flatnonzero(rises).tolist()
        found = {self.leaves - int(joined[last]): last + 1 for last in lasts}
        if not self.inner or self.heights[0] > self.floor:
            found = {self.leaves: 0, **found}
        return found

    @property
    def has_groups(self) -> NDArray[np.bool_]:
        """Whether each inner node is split into groups, and not only into what has no parts."""
        return self.heights > self.floor

    def take(self, places: Places) -> Shape:
        """Return the tree of some objects, in their order."""
        leaves = len(places)
        marked = np.zeros(self.leaves + 1, np.int64)
        marked[1 + self.starts[places]] = 1
        total = np.cumsum(marked)
        held = total[self.ends] - total[self.starts]
        largest = np.zeros(self.nodes, np.int64)
        np.maximum.at(largest, self.parents[:-1], held[:-1])
        kept = (held >= 2) & (largest < held)
        kept[: self.leaves] = False
        # The nearest node at or above each node that is kept, by steps that double.
        near = np.append(np.where(kept, np.arange(self.nodes), self.parents), self.nodes)
        while not np.array_equal(further := near[near], near):
            near = further
        numbers = np.append(leaves + np.cumsum(kept) - 1, leaves + kept.sum())
        inner = np.flatnonzero(kept)
        own = np.concatenate([places, inner]).astype(np.int64)
        return Shape(
            leaves,
            numbers[near[self.parents[own]]],
            self.heights[inner - self.leaves],
            self.floor,
            self.top,
        )


def shape_of(tree: Tree) -> tuple[Shape, Places]:
    """Return the shape of a tree, and the objects that are in it.

    A height that a linkage does not have is the place of the merge in their order; that of a
    level of labels is its number, from the finest level up.
    """
    objects = np.flatnonzero(tree.leaf >= 0)
    if not len(objects):
        raise ParameterError("the tree has no objects.")
    heights = _heights(tree)
    groups = tree.leaf[objects]
    total = len(objects)
    parents = np.concatenate([total + groups, total + tree.parents])
    roots = int((tree.parents == tree.nodes).sum())
    if roots > 1:
        raise ParameterError(
            f"the tree has {roots:,} roots, and a hierarchy has one; an AgglomerativeClustering "
            "makes all merges with compute_full_tree=True."
        )
    if tree.level_names is None or tree.heights is not None:
        return _tidy(total, parents, heights), objects
    levels = len(tree.level_names) - (tree.level_names[0] == EVERYTHING)
    return _tidy(total, parents, heights, 1.0, float(max(levels, 1))), objects


def _heights(tree: Tree) -> Floats:
    """Return the height of each node of a tree; it must not be below that of a child."""
    inner = len(tree.children)
    if tree.heights is None and tree.level_names is not None:
        rising = np.searchsorted(tree.steps[::-1], np.arange(inner), side="right")
        return np.concatenate([np.ones(tree.leaves), 1.0 + rising])
    if tree.heights is None:
        return np.concatenate([np.full(tree.leaves, -math.inf), np.arange(1.0, inner + 1)])
    found = np.concatenate([np.full(tree.leaves, -math.inf), tree.heights])
    below = np.flatnonzero((tree.parents < tree.nodes) & (np.arange(tree.nodes) >= tree.leaves))
    falls = below[found[tree.parents[below]] < found[below]]
    for node in falls.tolist():  # from the leaves up
        parent = int(tree.parents[node])
        high, low = float(found[node]), float(found[parent])
        if high - low > ROUNDING * max(abs(high), abs(low)):
            raise ParameterError(
                f"the tree has an inversion: node {node:,} has the height {high:g}, and node "
                f"{parent:,} that holds it only {low:g}, as centroid and median linkage may give. "
                "Give the merges without their heights (linkage[:, :2]); their order then counts."
            )
    if len(falls):
        for node in below.tolist():
            parent = tree.parents[node]
            found[parent] = max(found[parent], found[node])
    return found


def _tidy(
    leaves: int,
    parents: Places,
    heights: Floats,
    floor: float = -math.inf,
    top: float = math.inf,
) -> Shape:
    """Leave out nodes with one child, and make a node one with a parent of its height.

    `parents` are those of all nodes, with the objects first; `heights` those of the others. What
    is a leaf of the tree has no parts, and is left out unless it has several objects.
    """
    count = leaves + len(heights)
    high = np.concatenate([np.full(leaves, -math.inf), heights])
    parents = np.append(parents, count)
    below = np.bincount(parents[:-1], minlength=count + 1)[:count]
    # Of nodes in a row with one child each, the lowest one stays: from the leaves up.
    single = (np.arange(count) >= leaves) & (below == 1)
    near = np.append(np.where(single, parents[:count], np.arange(count)), count)
    parents = _followed(near)[parents]
    parents[-1] = count
    same = np.zeros(count, np.bool_)
    own = np.flatnonzero((np.arange(count) >= leaves) & ~single & (parents[:count] < count))
    same[own] = high[parents[own]] <= high[own]
    near = np.append(np.where(same, parents[:count], np.arange(count)), count)
    parents = _followed(near)[parents]
    inner = np.flatnonzero((np.arange(count) >= leaves) & ~single & ~same & (below > 1))
    inner = inner[np.argsort(high[inner], kind="stable")]
    numbers = np.full(count + 1, leaves + len(inner))
    numbers[inner] = leaves + np.arange(len(inner))
    kept = np.concatenate([np.arange(leaves), inner])
    return Shape(leaves, numbers[parents[kept]], high[inner], floor, top)


def _followed(near: Places) -> Places:
    """Follow each node to the one that stays, by steps that double."""
    while not np.array_equal(further := near[near], near):
        near = further
    return near


def extremes(values: Places, starts: Places, ends: Places) -> tuple[Places, Places]:
    """Return the least and the largest value of each range; no range is empty."""
    low, high = np.empty(len(starts), np.int64), np.empty(len(starts), np.int64)
    widths = ends - starts
    least = most = values
    step = 1
    while len(starts):
        chosen = np.flatnonzero((widths >= step) & (widths < 2 * step))
        first, last = starts[chosen], ends[chosen] - step
        low[chosen] = np.minimum(least[first], least[last])
        high[chosen] = np.maximum(most[first], most[last])
        if 2 * step > len(values):
            break
        least, most = np.minimum(least[:-step], least[step:]), np.maximum(most[:-step], most[step:])
        step *= 2
    return low, high


def clades(shape: Shape, beside: Shape) -> tuple[Places, Places]:
    """Return the groups of objects of inner nodes as numbers that are comparable between trees.

    The first has one number per inner node of `shape`. The second has those of `beside`, and -1
    for groups that no node of `shape` can have.
    """
    n = shape.leaves
    own = shape.starts[n:] * n + shape.ends[n:] - 1
    values = shape.starts[beside.order]
    low, high = extremes(values, beside.starts[n:], beside.ends[n:])
    return own, np.where(high - low + 1 == beside.sizes[n:], low * n + high, -1)


def splits(shape: Shape, beside: Shape) -> tuple[Places, Places]:
    """Return the ways in which inner nodes part the objects in two, where both have two or more.

    Of the two parts the one without the first object stands for both. Numbers are comparable, as
    those of `clades`, and each is there once.
    """
    n = shape.leaves
    turned = (shape.starts[:n] - shape.starts[0]) % n
    starts, ends = _arcs(shape)
    low, high = _arcs(beside)
    first, last = extremes(turned[np.roll(beside.order, -beside.starts[0])], low, high)
    found = np.where(last - first == high - low - 1, first * n + last, -1)
    return np.unique(starts * n + ends - 1), np.unique(found)


def _arcs(shape: Shape) -> tuple[Places, Places]:
    """The parts without the first object, in the order of objects that is turned to start there."""
    n = shape.leaves
    first = int(shape.starts[0])
    low, high = shape.starts[n:-1], shape.ends[n:-1]
    around = (low <= first) & (first < high)
    starts = np.where(around, high - first, low - first) % n
    sizes = np.where(around, n - (high - low), high - low)
    kept = (sizes >= 2) & (sizes <= n - 2)
    return starts[kept], starts[kept] + sizes[kept]


def same(one: Shape, other: Shape) -> bool:
    """Whether two trees have the same groups at the same heights."""
    if (one.inner, one.floor, one.top) != (other.inner, other.floor, other.top):
        return False
    left, right = clades(one, other)
    a, b = np.argsort(left), np.argsort(right)
    return bool(
        np.array_equal(left[a], right[b]) and np.array_equal(one.heights[a], other.heights[b])
    )
