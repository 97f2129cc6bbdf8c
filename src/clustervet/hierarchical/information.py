"""What two trees share: information from level to level, and where objects are drawn to."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from clustervet.hierarchical.shape import Shape
from clustervet.hierarchical.tree import Floats, Places

Mask = NDArray[np.bool_]


def _levels(shape: Shape) -> Iterator[tuple[Places, Mask]]:
    """Yield by depth the node of each object, and whether it is split there; None below that.

    The node of an object that has no node at a depth means nothing.
    """
    n = shape.leaves
    order = np.lexsort((shape.starts, shape.depths))
    edges = np.searchsorted(shape.depths[order], np.arange(shape.depths.max() + 2))
    is_split = np.zeros(shape.nodes, np.bool_)
    is_split[n:] = shape.has_groups
    found = np.full(n, -1, np.int64)
    for first, last in pairwise(edges.tolist()):
        nodes = order[first:last]
        sizes = shape.sizes[nodes]
        places = np.repeat(shape.starts[nodes] - np.cumsum(sizes) + sizes, sizes)
        held = np.repeat(nodes, sizes)
        found[:] = -1
        found[shape.order[places + np.arange(len(held))]] = held
        yield found.copy(), (found >= 0) & is_split[found]


def mutual_nats(one: Shape, two: Shape) -> float:
    """Hierarchical mutual information, in nats.

    At each depth the objects whose nodes are split in both trees count, and within each pair of
    nodes the mutual information of the parts.
    """
    n = one.leaves
    terms: list[float] = []
    left, right = _levels(one), _levels(two)
    above, beside = next(left), next(right)
    for below, under in zip(left, right, strict=False):
        both = np.flatnonzero(above[1] & beside[1])
        if not len(both):
            break
        u, v = above[0][both], beside[0][both]
        part, other = below[0][both], under[0][both]
        _, first, counts = np.unique(
            part * two.nodes + other, return_index=True, return_counts=True
        )
        whole, left_side, right_side = (
            _sizes(x * two.nodes + y)[first] for x, y in ((u, v), (part, v), (u, other))
        )
        # Whole numbers first, so that parts that are independent have exactly nothing in common.
        chance = left_side * right_side
        terms += (counts * np.log1p((counts * whole - chance) / chance)).tolist()
        above, beside = below, under
    return max(0.0, math.fsum(terms) / n)


def _sizes(keys: Places) -> Places:
    """The number of times that each key is there."""
    _, place, counts = np.unique(keys, return_inverse=True, return_counts=True)
    found: Places = counts[place]
    return found


class Affinity:
    """Where a walk from object to object by way of shared clusters ends, from each object.

    The walk of Gates et al. (2019) goes from an object to one of its clusters by their weights,
    and from there to any object of the cluster; it goes on with probability `alpha`. Its
    transition matrix is a sum of a block per cluster, and blocks are nested. So its inverse is
    made from the leaves up, with one number per node (Sherman and Morrison 1950), and a row of
    the matrix of visits is made when it is asked for.
    """

    def __init__(self, shape: Shape, r: float, alpha: float) -> None:
        n, nodes = shape.leaves, shape.nodes
        self.shape = shape
        groups = np.ones(nodes, np.bool_)
        parents = shape.parents
        high = np.concatenate([np.full(n, -math.inf), shape.heights])
        groups[n:] = shape.heights <= shape.top
        # An object in a group of the finest labels is no cluster of its own.
        if n > 1:
            groups[:n] = high[parents[:n]] > shape.floor
        weights = np.where(groups, np.exp(r * _relative_depths(shape, groups)), 0.0)
        total = np.zeros(nodes)
        lists = parents.tolist()
        for node in range(nodes - 1, -1, -1):
            total[node] = weights[node] + (total[lists[node]] if lists[node] < nodes else 0.0)
        self.strength = total[:n]
        shares = alpha * weights / shape.sizes
        gain, whole = np.zeros(nodes), np.zeros(nodes)
        whole[:n] = 1 / (self.strength - shares[:n])
        self.alone = whole[:n].copy()
        growth = np.zeros(nodes)
        for node in range(nodes):
            if node >= n:
                gain[node] = shares[node] / (1 - shares[node] * whole[node])
                growth[node] = math.log1p(gain[node] * whole[node])
                whole[node] *= 1 + gain[node] * whole[node]
            if lists[node] < nodes:
                whole[lists[node]] += whole[node]
        # From the root down: the logarithm of how much what is below has grown, and the visits.
        self.grown, self.visits = np.zeros(nodes), np.zeros(nodes)
        for node in range(nodes - 1, n - 1, -1):
            up = lists[node]
            self.grown[node] = growth[node] + (self.grown[up] if up < nodes else 0.0)
            above = self.visits[up] if up < nodes else 0.0
            self.visits[node] = gain[node] + math.exp(2 * growth[node]) * above
        self.scale = 1 - alpha

    def rows(self) -> Iterator[Floats]:
        """Yield the visits from each object to all objects."""
        shape, n = self.shape, self.shape.leaves
        if n == 1:
            yield np.ones(1)
            return
        parents = shape.parents[:n]
        # From two objects to the node that joins them, relative to the root, and on from there.
        lead = self.alone * np.exp(self.grown[parents] - self.grown.max())
        meet = np.exp(2 * (self.grown.max() - self.grown)) * self.visits
        joins, order = shape.joins, shape.order
        node = np.empty(n, np.int64)
        row = np.empty(n)
        for leaf in range(n):
            place = int(shape.starts[leaf])
            node[place] = parents[leaf]
            np.maximum.accumulate(joins[place:], out=node[place + 1 :])
            if place:
                np.maximum.accumulate(joins[:place][::-1], out=node[:place][::-1])
            row[order] = meet[node]
            row *= self.strength * lead * lead[leaf]
            row[leaf] += self.strength[leaf] * self.alone[leaf]
            yield row * self.scale


def _relative_depths(shape: Shape, groups: Mask) -> Floats:
    """The depth of each cluster as a share of the longest way from a top through it to a leaf."""
    parents, nodes = shape.parents.tolist(), shape.nodes
    depth, below = [0] * nodes, [0] * nodes
    held = groups.tolist()
    for node in range(nodes - 2, -1, -1):
        depth[node] = depth[parents[node]] + 1 if held[parents[node]] else 0
    for node in range(nodes - 1):
        if held[node]:
            below[parents[node]] = max(below[parents[node]], below[node] + 1)
    down, up = np.array(below, np.float64), np.array(depth, np.float64)
    return up / np.maximum(up + down, 1.0)
