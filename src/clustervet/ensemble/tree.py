"""A metric tree: nearest neighbours exactly, with few distances.

A node has several pivots, far apart, and a child for the points nearest to each (Brin 1995).
It keeps its points' distances to its pivots, so that by the triangle inequality (Meilă 2007,
Property 1) every distance between the query and a pivot bounds that of every point from
below. Pivots are looked at by their own bounds, the most promising first, and what cannot be
near enough is never looked at. A node whose points are all pivots is Vidal's table (1986).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
# So few points are all pivots.
LEAF = 32
# The triangle inequality holds for rounded distances up to this share of the largest.
SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Node:
    """Some points, the distances of pivots among them to all of them, and the rest by parts.

    `pivots` and `parts` are positions within `points`; a child holds the points of a part.
    """

    points: Places
    pivots: Places = field(repr=False)
    table: Floats = field(repr=False)
    parts: tuple[Places, ...] = field(default=(), repr=False)
    children: tuple[Node, ...] = field(default=(), repr=False)


@dataclass(frozen=True, eq=False)
class MetricTree:
    """A tree over the points 0, 1, ..., `count` - 1, and how many distances it took."""

    count: int
    built: int
    largest: float
    root: Node = field(repr=False)

    @classmethod
    def build(
        cls,
        count: int,
        distances: Callable[[int, Places], Floats],
        tick: Callable[[], None] = lambda: None,
    ) -> MetricTree:
        """A tree from a function that gives the distances of one point to several.

        `tick` is called once a point, when it has been asked for or found its place.

        >>> line = np.arange(100.0)
        >>> tree = MetricTree.build(100, lambda i, js: abs(line[js] - line[i]))
        >>> places, gaps, computed = tree.search(lambda i: abs(line[i] - 3.9), 2)
        >>> places.tolist(), gaps.round(1).tolist(), computed < 40
        ([4, 3], [0.1, 0.9], True)
        """
        builder = _Builder(distances, tick)
        root = builder.node(np.arange(count))
        return cls(count, builder.asked, builder.largest, root)

    @classmethod
    def from_matrix(cls, matrix: Floats) -> MetricTree:
        """The tree that knows every distance among its points."""
        places = np.arange(len(matrix))
        return cls(len(matrix), 0, float(matrix.max(initial=0.0)), Node(places, places, matrix))

    def search(self, distance: Callable[[int], float], wanted: int) -> tuple[Places, Floats, int]:
        """The nearest points by (distance, place), their distances, and how many it took."""
        best = _Best(distance, wanted, SLACK * self.largest)
        queue = [(0.0, 0, self.root, np.zeros(self.count))]
        pushed = 0
        while queue:
            least, _, node, bounds = heapq.heappop(queue)
            if best.excludes(least):
                break
            bounds = best.sight(node, bounds)
            for part, child in zip(node.parts, node.children, strict=True):
                pushed += 1
                item = (float(bounds[part].min()), pushed, child, bounds[part])
                heapq.heappush(queue, item)
        gaps = np.array([gap for gap, _ in best.found])
        return np.array([place for _, place in best.found], np.int64), gaps, best.computed


@dataclass(eq=False)
class _Builder:
    """What is needed while a tree grows. Its pivots are drawn, the same ones every time."""

    distances: Callable[[int, Places], Floats]
    tick: Callable[[], None]
    asked: int = 0
    largest: float = 0.0
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    def node(self, points: Places) -> Node:
        """A node of these points: some of them as pivots, the others by their nearest pivot."""
        if len(points) <= LEAF:
            return Node(points, np.arange(len(points)), self._square(points))
        rows: list[Floats] = []
        pivots: list[int] = []
        nearest = np.ones(len(points))
        # Far from the pivots so far, but not the farthest: outliers make poor pivots.
        while len(pivots) < math.isqrt(len(points)) and nearest.any():
            chance = nearest**2
            pivots.append(int(self.rng.choice(len(points), p=chance / chance.sum())))
            rows.append(self._ask(int(points[pivots[-1]]), points))
            nearest = np.minimum(nearest, rows[-1]) if len(rows) > 1 else rows[0]
            self.tick()
        table = np.stack(rows)
        if not table.any():
            same = np.broadcast_to(0.0, (len(points), len(points)))
            return Node(points, np.arange(len(points)), same)
        owner = table.argmin(axis=0)
        owner[pivots] = -1
        parts = [np.flatnonzero(owner == k) for k in range(len(pivots))]
        parts = [part for part in parts if len(part)]
        children = tuple(self.node(points[part]) for part in parts)
        return Node(points, np.array(pivots), table, tuple(parts), children)

    def _square(self, points: Places) -> Floats:
        """Distances of some points to each other."""
        table = np.zeros((len(points), len(points)))
        for k, point in enumerate(points[:-1]):
            table[k, k + 1 :] = table[k + 1 :, k] = self._ask(int(point), points[k + 1 :])
            self.tick()
        return table

    def _ask(self, point: int, others: Places) -> Floats:
        found = np.asarray(self.distances(point, others), np.float64)
        self.asked += len(others)
        self.largest = max(self.largest, float(found.max(initial=0.0)))
        return found


@dataclass(eq=False)
class _Best:
    """The nearest points so far, in order of (distance, place)."""

    distance: Callable[[int], float]
    wanted: int
    slack: float
    found: list[tuple[float, int]] = field(default_factory=list)
    computed: int = 0

    def excludes(self, bound: float) -> bool:
        """Whether nothing at this distance or beyond can be among the nearest."""
        return len(self.found) == self.wanted and bound > self.found[-1][0] + self.slack

    def sight(self, node: Node, bounds: Floats) -> Floats:
        """Compute the pivots that may be near, and what follows for all points of the node."""
        waiting = np.ones(len(node.pivots), np.bool_)
        while waiting.any():
            hopes = np.where(waiting, bounds[node.pivots], np.inf)
            k = int(np.argmin(hopes))
            if self.excludes(float(hopes[k])):
                break
            waiting[k] = False
            gap = self._add(int(node.points[node.pivots[k]]))
            bounds = np.maximum(bounds, abs(node.table[k] - gap))
        return bounds

    def _add(self, place: int) -> float:
        """Compute one distance and keep the point if it is near."""
        gap = float(self.distance(place))
        self.computed += 1
        self.found = sorted([*self.found, (gap, place)])[: self.wanted]
        return gap
