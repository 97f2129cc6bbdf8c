"""Groups among labelings, their hierarchy, and the most diverse of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet.ensemble.medoids import find_medoids, nearest_medoid, silhouettes
from clustervet.errors import ParameterError

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Linkage = Literal["average", "complete", "single"]
LINKAGES: tuple[Linkage, ...] = ("average", "complete", "single")
# Numbers of groups that are tried where none is given.
MOST_GROUPS = 10


@dataclass(frozen=True, eq=False)
class Groups:
    """Labelings in groups around medoids.

    `labels` is the group of each labeling; `medoids` are the positions of the labelings at the
    groups' centres; `mean_distance` is that of a labeling to its medoid; `silhouette` is the
    mean of the labelings' widths (Rousseeuw 1987): near 1 for groups that are tight and far
    apart, near 0 or below for groups that are none, `nan` where there is one.
    """

    names: tuple[str, ...] = field(repr=False)
    labels: Places = field(repr=False)
    medoids: tuple[int, ...]
    mean_distance: float
    silhouette: float

    @property
    def k(self) -> int:
        """Number of groups."""
        return len(self.medoids)

    @property
    def sizes(self) -> list[int]:
        """Labelings in each group."""
        return [int(size) for size in np.bincount(self.labels, minlength=self.k)]

    def members(self, group: int) -> list[str]:
        """Names of a group's labelings."""
        return [self.names[i] for i in np.flatnonzero(self.labels == group)]

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "k": self.k,
            "labels": dict(zip(self.names, self.labels.tolist(), strict=True)),
            "medoids": [self.names[i] for i in self.medoids],
            "sizes": self.sizes,
            "mean_distance": self.mean_distance,
            "silhouette": None if math.isnan(self.silhouette) else self.silhouette,
        }


def make_groups(names: tuple[str, ...], matrix: Floats, weights: Floats, k: int | None) -> Groups:
    """Groups around k medoids, or as many as have the largest mean silhouette."""
    count = len(matrix)
    if k is not None:
        return _grouped(names, matrix, weights, whole(k, "k", 1, count))
    if count < 3 or not matrix.any():
        return _grouped(names, matrix, weights, 1)
    tried = [
        _grouped(names, matrix, weights, some) for some in range(2, min(MOST_GROUPS, count - 1) + 1)
    ]
    return max(tried, key=lambda groups: groups.silhouette)


def _grouped(names: tuple[str, ...], matrix: Floats, weights: Floats, k: int) -> Groups:
    medoids = find_medoids(matrix, weights, k)
    labels = nearest_medoid(matrix, medoids)
    total = float(weights @ matrix[np.arange(len(matrix)), medoids[labels]])
    widths = silhouettes(matrix, labels)
    return Groups(
        names,
        labels,
        tuple(medoids.tolist()),
        total / float(weights.sum()),
        float(widths.mean()) if k > 1 else math.nan,
    )


def whole(value: Any, name: str, least: int, most: int) -> int:
    """A whole number within bounds."""
    right = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not right or not least <= value <= most:
        raise ParameterError(
            f"{name} must be a whole number from {least} to {most:,}, not {value!r}."
        )
    return int(value)


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A tree of labelings.

    `merges` is scipy's linkage matrix: a row a merge, with the two nodes that are merged, the
    distance between them, and the number of labelings below. `order` lists the labelings so
    that no two branches cross.
    """

    names: tuple[str, ...] = field(repr=False)
    merges: Floats = field(repr=False)
    method: Linkage

    @property
    def order(self) -> list[int]:
        """Positions of the labelings as a drawn tree has them."""
        from scipy.cluster.hierarchy import leaves_list

        return leaves_list(self.merges).tolist()  # type: ignore[no-any-return]  # no types there

    def cut(self, k: int) -> Places:
        """The tree cut into k groups: the group of each labeling."""
        k = whole(k, "k", 1, len(self.names))
        kept = {i: np.array([i]) for i in range(len(self.names))}
        for row, (a, b) in enumerate(self.merges[: len(self.names) - k, :2].astype(int)):
            kept[len(self.names) + row] = np.concatenate([kept.pop(a), kept.pop(b)])
        labels = np.empty(len(self.names), np.int64)
        for group, members in enumerate(sorted(kept.values(), key=lambda part: part.min())):
            labels[members] = group
        return labels

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        rows = [[int(a), int(b), float(height), int(size)] for a, b, height, size in self.merges]
        return {"method": self.method, "merges": rows, "order": [self.names[i] for i in self.order]}


def make_hierarchy(names: tuple[str, ...], matrix: Floats, method: Linkage) -> Hierarchy:
    """Labelings merged by the distances between them."""
    if method not in LINKAGES:
        raise ParameterError(f"method must be one of {', '.join(LINKAGES)}, not {method!r}.")
    from scipy.cluster.hierarchy import linkage

    upper = matrix[np.triu_indices(len(matrix), 1)]
    return Hierarchy(names, linkage(upper, method), method)


@dataclass(frozen=True, eq=False)
class Diverse:
    """Labelings far from each other: `least` and `mean` are of their pairwise distances."""

    names: tuple[str, ...]
    indices: tuple[int, ...]
    least: float
    mean: float

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {"names": list(self.names), "least": self.least, "mean": self.mean}


def most_diverse(matrix: Floats, k: int) -> Places:
    """Positions of k points whose least distance is large: greedy, then by swaps.

    The farthest pair, then always the point farthest from those chosen (Gonzalez 1985), which
    gets at least half of the largest possible least distance. Then points are exchanged while
    that raises the least distance, or the sum of distances at the same least one.

    >>> line = np.array([0.0, 1.0, 5.0, 9.0, 10.0])
    >>> most_diverse(abs(line[:, None] - line), 3).tolist()
    [0, 2, 4]
    """
    farthest = np.unravel_index(int(np.argmax(matrix)), matrix.shape)
    chosen = [int(place) for place in farthest][:k]
    if k > 1 and chosen[0] == chosen[1]:  # all labelings are equal
        return np.arange(k)
    while len(chosen) < k:
        nearest = matrix[chosen].min(axis=0)
        nearest[chosen] = -1.0
        chosen.append(int(np.argmax(nearest)))
    if k > 1:
        while _swap(matrix, chosen):
            pass
    return np.sort(np.array(chosen, np.int64))


def _swap(matrix: Floats, chosen: list[int]) -> bool:
    """Exchange one point for a better one, if any is."""
    value = _dispersion(matrix, chosen)
    for k in range(len(chosen)):
        others = chosen[:k] + chosen[k + 1 :]
        inner = _dispersion(matrix, others)
        least = np.minimum(matrix[others].min(axis=0), inner[0])
        total = matrix[others].sum(axis=0) + inner[1]
        least[chosen] = -1.0
        best = int(np.lexsort((-total, -least))[0])
        better = least[best] > value[0] or (
            least[best] == value[0] and total[best] > value[1] * (1 + 1e-12)
        )
        if better:
            chosen[k] = best
            return True
    return False


def _dispersion(matrix: Floats, chosen: list[int]) -> tuple[float, float]:
    """Least and total distance among some points."""
    block = matrix[np.ix_(chosen, chosen)][np.triu_indices(len(chosen), 1)]
    return (float(block.min()), float(block.sum())) if len(block) else (math.inf, 0.0)
