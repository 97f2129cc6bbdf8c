"""The labelings nearest to one more, or within a radius, found exactly with few distances.

A node of a metric tree has several pivots, far apart, and one child per pivot for the points
nearest to it (Brin 1995). It keeps the distances between its points and its pivots. By the triangle
inequality (Meilă 2007, Property 1), every distance between the query and a pivot gives a lower
bound for every point. Pivots are asked in the order of their own bounds, and a point that
cannot be near enough is never asked. A node whose points are all pivots is Vidal's table (1986).
"""

from __future__ import annotations

import heapq
import math
from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._progress import ticking
from clustervet.ensemble.labelings import Labelings
from clustervet.ensemble.pair_values import PairValues, Scoring
from clustervet.errors import ParameterError
from clustervet.registry import Measure
from clustervet.view import Result, Section, plain_table
from clustervet.view.words import number

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
# A node of at most this many points has no children: all its points are pivots.
LEAF = 32
# The triangle inequality holds for rounded distances up to this share of the largest.
SLACK = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Nearest(Result):
    """The labelings nearest to a query, by distance; equal distances by position.

    Parameters
    ----------
    names : tuple of str
        Names of the labelings.
    indices : tuple of int
        Their positions.
    distances : ndarray of float
        Their distances to the query.
    computed : int
        The number of distances to the query that were computed.
    total : int
        The number of labelings.
    radius : float, optional
        The largest distance that was asked for; infinite if any distance is right.
    """

    names: tuple[str, ...]
    indices: tuple[int, ...]
    distances: Floats
    computed: int
    total: int
    radius: float = math.inf

    def columns(self) -> dict[str, Any]:
        """Return one row per labeling.

        Returns
        -------
        dict
            The columns ``labeling`` and ``distance``.
        """
        return {"labeling": list(self.names), "distance": self.distances.tolist()}

    def document(self) -> Section:
        """Return what was found: a table of the labelings.

        Returns
        -------
        Section
            One table, and how many distances were computed.
        """
        within = f"Within {number(self.radius)} of the query"
        title = within if math.isfinite(self.radius) else "Nearest to the query"
        table = plain_table("nearest-labelings", title, self.columns())
        note = f"{self.computed:,} of {self.total:,} distances were computed."
        return Section("nearest", table.title, blocks=(table,), notes=(note,), subject=self)

    def to_dict(self) -> dict[str, Any]:
        """Return the labelings as plain data.

        Returns
        -------
        dict
            Names, distances, and how many distances were computed.
        """
        data = super().to_dict()
        del data["indices"]
        if data["radius"] is None:
            del data["radius"]
        return data


@dataclass(frozen=True, eq=False)
class Space:
    """Labelings with a metric, and the tree that finds the nearest ones."""

    labelings: Labelings = field(repr=False)
    measure: Measure
    tree: MetricTree

    @classmethod
    def of(cls, many: Labelings, measure: Measure, matrix: Floats | None) -> Space:
        """Make a space from labelings, and from their distances where these are known."""
        if not measure.metric:
            kind = {"higher": "a similarity", "lower": "not one"}.get(measure.better, "no distance")
            raise ParameterError(
                f"the nearest labelings are found by a metric, and {measure.key} is {kind}; use "
                "one such as variation_of_information."
            )
        if not many.complete:
            raise ParameterError(
                "the nearest labelings are found by a metric, and distances on different objects "
                "are none; read the labelings without shared."
            )
        if matrix is not None:
            return cls(many, measure, MetricTree.from_matrix(matrix))
        pair = PairValues(many, Scoring(measure, {}), len(many) ** 2)

        def distances(one: int, others: Places) -> Floats:
            return np.array([pair(one, other)[0] for other in others.tolist()])

        with ticking(len(many), "tree") as tick:
            return cls(many, measure, MetricTree.build(len(many), distances, tick))

    def nearest(self, query: Any, wanted: int, radius: float = math.inf) -> Nearest:
        """Return the nearest labelings, by distances as `distances_to` gives them."""
        last = len(self.labelings)
        pair = PairValues(self.labelings.with_query(query), Scoring(self.measure, {}), last)
        places, gaps, computed = self.tree.search(
            lambda place: pair(place, last)[0], wanted, radius
        )
        names = tuple(self.labelings.names[i] for i in places)
        return Nearest(names, tuple(places.tolist()), gaps, computed, last, radius)


@dataclass(frozen=True, eq=False)
class Node:
    """Some points, the distances from its pivots to all of them, and the others by parts.

    `pivots` and `parts` are positions within `points`; a child holds the points of a part.
    """

    points: Places
    pivots: Places = field(repr=False)
    table: Floats = field(repr=False)
    parts: tuple[Places, ...] = field(default=(), repr=False)
    children: tuple[Node, ...] = field(default=(), repr=False)


@dataclass(frozen=True, eq=False)
class MetricTree:
    """A tree over the points 0, 1, ..., `count` - 1; `built` distances were needed to build it."""

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
        """Build a tree from a function that gives the distances of one point to several.

        `tick` is called at most once per point, when its distances are known.

        >>> line = np.arange(100.0)
        >>> tree = MetricTree.build(100, lambda i, js: abs(line[js] - line[i]))
        >>> places, gaps, computed = tree.search(lambda i: abs(line[i] - 3.9), 2)
        >>> places.tolist(), gaps.round(1).tolist(), computed < 40
        ([4, 3], [0.1, 0.9], True)
        """
        builder = _TreeBuilder(distances, tick)
        root = builder.node(np.arange(count))
        return cls(count, builder.asked, builder.largest, root)

    @classmethod
    def from_matrix(cls, matrix: Floats) -> MetricTree:
        """Return the tree that knows every distance among its points."""
        places = np.arange(len(matrix))
        return cls(len(matrix), 0, float(matrix.max(initial=0.0)), Node(places, places, matrix))

    def search(
        self, distance: Callable[[int], float], wanted: int, radius: float = math.inf
    ) -> tuple[Places, Floats, int]:
        """Return the nearest points, their distances, and how many distances were computed.

        Points are ordered by (distance, place); none is farther than the radius.
        """
        best = _NearestFound(distance, wanted, SLACK * self.largest, radius)
        queue = [(0.0, 0, self.root, np.zeros(self.count))]
        pushed = 0
        while queue:
            least, _, node, bounds = heapq.heappop(queue)
            if best.excludes(least):
                break
            bounds = best.ask_pivots(node, bounds)
            for part, child in zip(node.parts, node.children, strict=True):
                pushed += 1
                item = (float(bounds[part].min()), pushed, child, bounds[part])
                heapq.heappush(queue, item)
        gaps = np.array([gap for gap, _ in best.found])
        return np.array([place for _, place in best.found], np.int64), gaps, best.computed


@dataclass(eq=False)
class _TreeBuilder:
    """The state of a tree while it grows; it draws the same pivots every time."""

    distances: Callable[[int, Places], Floats]
    tick: Callable[[], None]
    asked: int = 0
    largest: float = 0.0
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    def node(self, points: Places) -> Node:
        """Make a node of these points: some are pivots, the others go to their nearest pivot."""
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
            for _ in points[len(pivots) :]:
                self.tick()
            same = np.broadcast_to(0.0, (len(points), len(points)))
            return Node(points, np.arange(len(points)), same)
        owner = table.argmin(axis=0)
        owner[pivots] = -1
        parts = [np.flatnonzero(owner == k) for k in range(len(pivots))]
        parts = [part for part in parts if len(part)]
        children = tuple(self.node(points[part]) for part in parts)
        return Node(points, np.array(pivots), table, tuple(parts), children)

    def _square(self, points: Places) -> Floats:
        """Return the distances of some points to each other."""
        table = np.zeros((len(points), len(points)))
        for k, point in enumerate(points[:-1]):
            table[k, k + 1 :] = table[k + 1 :, k] = self._ask(int(point), points[k + 1 :])
            self.tick()
        self.tick()  # the last point has no others
        return table

    def _ask(self, point: int, others: Places) -> Floats:
        found = np.asarray(self.distances(point, others), np.float64)
        self.asked += len(others)
        self.largest = max(self.largest, float(found.max(initial=0.0)))
        return found


@dataclass(eq=False)
class _NearestFound:
    """The nearest points so far, in order of (distance, place)."""

    distance: Callable[[int], float]
    wanted: int
    slack: float
    radius: float
    found: list[tuple[float, int]] = field(default_factory=list)
    computed: int = 0

    def excludes(self, bound: float) -> bool:
        """Return whether nothing at this distance or beyond can be among the nearest."""
        full = len(self.found) == self.wanted
        return bound > (self.found[-1][0] if full else self.radius) + self.slack

    def ask_pivots(self, node: Node, bounds: Floats) -> Floats:
        """Ask for the pivots that may be near, and return bounds for all points of the node."""
        waiting = np.ones(len(node.pivots), np.bool_)
        while waiting.any():
            hopes = np.where(waiting, bounds[node.pivots], np.inf)
            k = int(np.argmin(hopes))
            if self.excludes(float(hopes[k])):
                break
            waiting[k] = False
            place = int(node.points[node.pivots[k]])
            gap = float(self.distance(place))
            self.computed += 1
            if gap <= self.radius:
                insort(self.found, (gap, place))
                del self.found[self.wanted :]
            bounds = np.maximum(bounds, abs(node.table[k] - gap))
        return bounds
