"""Trees as plain sets and dictionaries, and every measure of them by brute force.

Nothing here is taken from the package: a tree is the height at which each pair of objects is
joined, made from the merges or labels themselves, and its groups are what is joined up to a height.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

import numpy as np

Group = frozenset[int]


@dataclass
class Plain:
    """Heights by pair of objects, and the groups of labels that are not split any more."""

    n: int
    join: dict[tuple[int, int], Any]
    finest: set[Group]
    coarsest: set[Group] | None = None

    def height(self, i: int, j: int) -> Any:
        return self.join[min(i, j), max(i, j)]

    @property
    def levels(self) -> list[Any]:
        return sorted(set(self.join.values()))

    def cut(self, height: Any) -> set[Group]:
        near = (
            frozenset(j for j in range(self.n) if j == i or self.height(i, j) <= height)
            for i in range(self.n)
        )
        return set(near)

    @property
    def groups(self) -> set[Group]:
        """Groups of two objects or more."""
        found = {group for level in self.levels for group in self.cut(level)}
        return {group for group in found if len(group) > 1}

    @property
    def cuts(self) -> dict[int, set[Group]]:
        """Clusterings by their number of clusters."""
        alone = {frozenset([i]) for i in range(self.n)}
        found = {len(cut): cut for cut in map(self.cut, self.levels)}
        if all(len(group) == 1 for group in self.finest):
            found[self.n] = alone
        return found

    @property
    def clusters(self) -> set[Group]:
        """The clusters of the tree: no group that only joins what labels leave apart."""
        singles = {frozenset([i]) for i in range(self.n)}
        inside = {i for group in self.finest if len(group) > 1 for i in group}
        found = self.groups | {group for group in singles if not group <= inside}
        everything = frozenset(range(self.n))
        if self.coarsest is not None and everything not in self.coarsest:
            found.discard(everything)
        return found

    def parts(self, group: Group) -> list[Group] | None:
        """The parts of a group, or None if it is not split."""
        if len(group) == 1 or group in self.finest:
            return None
        inner = [other for other in self.groups if other < group]
        most = [one for one in inner if not any(one < other for other in inner)]
        rest = group.difference(*most) if most else group
        return most + [frozenset([i]) for i in rest]


def from_linkage(rows: Sequence[Sequence[float]]) -> Plain:
    n = len(rows) + 1
    held: dict[int, Group] = {i: frozenset([i]) for i in range(n)}
    join = {}
    for k, (one, two, height, *_) in enumerate(rows):
        a, b = held.pop(int(one)), held.pop(int(two))
        for i, j in product(a, b):
            join[min(i, j), max(i, j)] = height
        held[n + k] = a | b
    return Plain(n, join, {frozenset([i]) for i in range(n)})


def from_levels(levels: Sequence[Sequence[Any]]) -> Plain:
    n = len(levels[0])
    join = {}
    for i, j in combinations(range(n), 2):
        together = [k for k, labels in enumerate(reversed(levels), 1) if labels[i] == labels[j]]
        join[i, j] = together[0] if together else len(levels) + 1
    finest, coarsest = (
        {frozenset(i for i in range(n) if labels[i] == label) for label in set(labels)}
        for labels in (levels[-1], levels[0])
    )
    return Plain(n, join, finest, coarsest)


def restricted(tree: Plain, places: Sequence[int]) -> Plain:
    number = {place: k for k, place in enumerate(places)}

    def renamed(groups: set[Group]) -> set[Group]:
        inside = (frozenset(number[i] for i in group if i in number) for group in groups)
        return {group for group in inside if group}

    join = {
        (i, j): tree.height(places[i], places[j]) for i, j in combinations(range(len(places)), 2)
    }
    coarsest = None if tree.coarsest is None else renamed(tree.coarsest)
    return Plain(len(places), join, renamed(tree.finest), coarsest)


def pearson(x: Sequence[Any], y: Sequence[Any]) -> float:
    x, y = [Fraction(v) for v in x], [Fraction(v) for v in y]
    mx, my = sum(x) / len(x), sum(y) / len(y)
    shared = sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    spread = sum((a - mx) ** 2 for a in x) * sum((b - my) ** 2 for b in y)
    if not spread:
        return math.nan
    return math.copysign(math.sqrt(shared**2 / spread), shared)


def _pairs(one: Plain, two: Plain) -> tuple[list[Any], list[Any]]:
    places = list(combinations(range(one.n), 2))
    return [one.join[p] for p in places], [two.join[p] for p in places]


def cophenetic_correlation(one: Plain, two: Plain) -> float:
    if one.n < 2:
        return math.nan
    return pearson(*_pairs(one, two))


def bakers_gamma(one: Plain, two: Plain, method: str = "gamma") -> float:
    """Over pairs of pairs; ranks of heights are those of numbers of clusters."""
    if one.n < 2:
        return math.nan
    x, y = _pairs(one, two)
    if method == "spearman":
        return pearson(_ranks(x), _ranks(y))
    signs = Counter(
        ((a > c) - (a < c)) * ((b > d) - (b < d))
        for (a, b), (c, d) in combinations(zip(x, y, strict=True), 2)
    )
    told = signs[1] + signs[-1]
    return (signs[1] - signs[-1]) / told if told else math.nan


def _ranks(values: list[Any]) -> list[Fraction]:
    return [
        Fraction(sum(other < value for other in values))
        + Fraction(sum(other == value for other in values) + 1, 2)
        for value in values
    ]


def robinson_foulds(one: Plain, two: Plain, rooted: bool = True) -> float:
    a, b = (_sides(tree, rooted) for tree in (one, two))
    return float(len(a ^ b))


def normalized_robinson_foulds(one: Plain, two: Plain, rooted: bool = True) -> float:
    a, b = (_sides(tree, rooted) for tree in (one, two))
    return len(a ^ b) / (len(a) + len(b)) if a or b else math.nan


def _sides(tree: Plain, rooted: bool) -> set[Any]:
    everything = frozenset(range(tree.n))
    if rooted:
        return tree.groups - {everything}
    return {
        frozenset([group, everything - group])
        for group in tree.groups
        if 2 <= len(group) <= tree.n - 2
    }


def _shared_information(one: Plain, two: Plain, u: Group, v: Group) -> float:
    """The recursion of Perotti and colleagues, in bits times the number of objects."""
    left, right = one.parts(u), two.parts(v)
    n = len(u & v)
    if left is None or right is None or not n:
        return 0.0

    def term(x: int) -> float:
        return x * math.log2(x) if x else 0.0

    cells = {(a, b): len(a & b) for a in left for b in right}
    own = term(n) - sum(term(len(a & v)) for a in left) - sum(term(len(b & u)) for b in right)
    own += sum(term(cell) for cell in cells.values())
    return own + sum(_shared_information(one, two, a, b) for (a, b), cell in cells.items() if cell)


def hierarchical_mutual_information(one: Plain, two: Plain) -> float:
    everything = frozenset(range(one.n))
    return max(0.0, _shared_information(one, two, everything, everything) / one.n)


def normalized_hierarchical_mutual_information(
    one: Plain, two: Plain, average: str = "geometric"
) -> float:
    a, b = (hierarchical_mutual_information(tree, tree) for tree in (one, two))
    mean = {"geometric": math.sqrt(a * b), "arithmetic": (a + b) / 2, "min": min(a, b)}
    most = (mean | {"max": max(a, b)})[average]
    return hierarchical_mutual_information(one, two) / most if most > 1e-12 else math.nan


def hierarchical_element_centric(
    one: Plain, two: Plain, r: float = 1.0, alpha: float = 0.9
) -> float:
    a, b = (_visits(tree, r, alpha) for tree in (one, two))
    return float(1 - np.abs(a - b).sum(axis=1).mean() / (2 * alpha))


def _visits(tree: Plain, r: float, alpha: float) -> Any:
    """Personalised PageRank by a dense solution; affinities as in Gates et al. 2019, eq. 1."""
    clusters = sorted(tree.clusters, key=len)
    above = {
        c: max((1 + _chain(d, clusters) for d in clusters if c < d), default=0) for c in clusters
    }
    below = {c: _depth(c, clusters) for c in clusters}
    marks = np.zeros((tree.n, len(clusters)))
    for k, c in enumerate(clusters):
        whole = above[c] + below[c]
        marks[sorted(c), k] = math.exp(r * (above[c] / whole if whole else 0.0))
    step = (marks / marks.sum(axis=1, keepdims=True)) @ (marks / marks.sum(axis=0)).T
    return (1 - alpha) * np.linalg.inv(np.eye(tree.n) - alpha * step)


def _chain(c: Group, clusters: list[Group]) -> int:
    return max((1 + _chain(d, clusters) for d in clusters if c < d), default=0)


def _depth(c: Group, clusters: list[Group]) -> int:
    return max((1 + _depth(d, clusters) for d in clusters if d < c), default=0)


def dendrogram_purity(one: Plain, two: Plain, average: str = "objects") -> float:
    """`one` is flat: its finest groups are the classes."""
    terms = []
    for c in one.finest:
        for i, j in permutations(c, 2):
            inside = [group for group in two.groups if {i, j} <= group]
            smallest = min(inside, key=len)
            weight = Fraction(1, len(c) - 1) if average == "objects" else Fraction(1)
            terms.append((weight, Fraction(len(smallest & c), len(smallest))))
    total = sum(weight for weight, _ in terms)
    return float(sum(w * share for w, share in terms) / total) if total else math.nan


def b_k(one: Plain, two: Plain, k: int) -> float:
    together = [
        {frozenset(p) for group in tree.cuts[k] for p in combinations(group, 2)}
        for tree in (one, two)
    ]
    most = len(together[0]) * len(together[1])
    return len(together[0] & together[1]) / math.sqrt(most) if most else math.nan


def b_k_moments(one: Plain, two: Plain, k: int) -> tuple[float, float]:
    """Mean and variance over all orders of the leaves, exactly but for the square root."""
    left = {frozenset(p) for group in one.cuts[k] for p in combinations(group, 2)}
    right = {frozenset(p) for group in two.cuts[k] for p in combinations(group, 2)}
    shared = [
        sum(frozenset(order[i] for i in p) in left for p in right)
        for order in permutations(range(one.n))
    ]
    mean = Fraction(sum(shared), len(shared))
    spread = Fraction(sum(x * x for x in shared), len(shared)) - mean**2
    most = len(left) * len(right)
    return float(mean) / math.sqrt(most), float(spread / most)
