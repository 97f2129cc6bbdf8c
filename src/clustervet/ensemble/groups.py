"""The structure among labelings: their centre, groups, hierarchy, and the most diverse of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import one_of, whole
from clustervet._memory import need
from clustervet.labels import show_label
from clustervet.partition import Partition
from clustervet.registry import Estimate
from clustervet.view import Result, Section, plain_table
from clustervet.view.words import counted, number
from clustervet.view.words import names as some_names

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Linkage = Literal["average", "complete", "single"]
Centres = Literal["medoids", "consensus"]
LINKAGES: tuple[Linkage, ...] = ("average", "complete", "single")
CENTRES: tuple[Centres, ...] = ("medoids", "consensus")
# Numbers of groups that are tried where none is given.
MOST_GROUPS = 10
# Rows of the matrix that are looked at together.
ROWS = 512
# Up to this many points, this many random starts are tried as well.
FEW = 500
STARTS = 8
# Swaps that gain less than this share of the loss are rounding.
ROUNDING = 1e-12
# Letters of a name in a sentence, and rows of a table in a terminal.
WIDTH = 24
SHOWN = 20


@dataclass(frozen=True, repr=False)
class Medoid(Result):
    """The labeling nearest to the others.

    Parameters
    ----------
    index : int
        Its position.
    name : str
        Its name.
    mean_distance : float
        Its weighted mean distance to the others.
    """

    index: int
    name: str
    mean_distance: float

    def columns(self) -> dict[str, Any]:
        """Return one row.

        Returns
        -------
        dict
            The columns ``labeling`` and ``mean_distance``.
        """
        return {"labeling": [self.name], "mean_distance": [self.mean_distance]}

    def document(self) -> Section:
        """Return the labeling and its mean distance.

        Returns
        -------
        Section
            One table.
        """
        table = plain_table("medoid-labeling", "The medoid", self.columns())
        return Section("medoid", table.title, blocks=(table,), subject=self)

    def to_dict(self) -> dict[str, Any]:
        """Return the medoid as plain data.

        Returns
        -------
        dict
            Its name and its mean distance.
        """
        return {"name": self.name, "mean_distance": self.mean_distance}


def mean_to_others(matrix: Floats, weights: Floats) -> Floats:
    """Return the weighted mean distance of each labeling to the others, 0 if they weigh nothing."""
    others = weights.sum() - weights
    means: Floats = np.divide(matrix @ weights, others, out=np.zeros(len(matrix)), where=others > 0)
    return means


def mean_distance(matrix: Floats, weights: Floats) -> Estimate:
    """Return the weighted mean over pairs, with the jackknife's standard error over labelings.

    Pairs that share a labeling are dependent, so labelings are left out, not pairs: the mean
    is a U-statistic, for which the jackknife is consistent (Arvesen 1969).

    >>> mean_distance(np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 4.0], [1.0, 4.0, 0.0]]), np.ones(3))
    2.0 ± 2
    """
    count = len(matrix)
    pairs = np.outer(weights, weights)
    np.fill_diagonal(pairs, 0.0)
    by_row = (pairs * matrix).sum(axis=1)
    mass = pairs.sum(axis=1)
    mean = by_row.sum() / mass.sum()
    rest = mass.sum() - 2 * mass
    if count < 3 or (rest <= 0).any():
        return Estimate(float(mean), standard_error=math.nan, sample=count, degrees=1)
    without = (by_row.sum() - 2 * by_row) / rest
    spread = (count - 1) / count * float(((without - without.mean()) ** 2).sum())
    return Estimate(float(mean), standard_error=math.sqrt(spread), sample=count, degrees=count - 1)


@dataclass(frozen=True, eq=False, repr=False)
class Groups(Result):
    """Labelings in groups around medoids, or around consensus centres.

    Parameters
    ----------
    names : tuple of str
        Names of the labelings.
    labels : ndarray of int
        The group of each labeling.
    medoids : tuple of int
        The positions of the labelings at the centres of the groups; of those nearest to the
        centres where these are consensus partitions.
    mean_distance : float
        The weighted mean distance of a labeling to the centre of its group.
    silhouette : float
        The mean silhouette of the labelings (Rousseeuw 1987). It is near 1 for groups that are
        tight and far apart, near 0 or below where there are no real groups, and nan for one
        group.
    centres : tuple of Partition, optional
        The consensus of each group; empty where medoids are the centres.
    trace : tuple of float, optional
        The mean distance to the centres, from labelings as centres to the end of the search; it
        never rises. Empty where medoids are the centres.
    """

    names: tuple[str, ...]
    labels: Places
    medoids: tuple[int, ...]
    mean_distance: float
    silhouette: float
    centres: tuple[Partition, ...] = ()
    trace: tuple[float, ...] = ()

    @property
    def k(self) -> int:
        """Number of groups."""
        return len(self.medoids)

    @property
    def sizes(self) -> list[int]:
        """Number of labelings in each group."""
        return [int(size) for size in np.bincount(self.labels, minlength=self.k)]

    def members(self, group: int) -> list[str]:
        """Return the names of the labelings of a group.

        Parameters
        ----------
        group : int
            The number of the group, from 0 on.

        Returns
        -------
        list of str
            Their names.
        """
        return [self.names[i] for i in np.flatnonzero(self.labels == group)]

    def columns(self) -> dict[str, Any]:
        """Return one row per labeling.

        Returns
        -------
        dict
            The columns ``labeling``, ``group`` (from 1 on), and ``medoid`` of that group, or
            ``nearest``, the labeling nearest to its consensus.
        """
        labels = self.labels.tolist()
        return {
            "labeling": list(self.names),
            "group": [label + 1 for label in labels],
            self._central: [self.names[self.medoids[label]] for label in labels],
        }

    @property
    def _central(self) -> str:
        """What the labelings in `medoids` are called above a column."""
        return "nearest" if self.centres else "medoid"

    def document(self) -> Section:
        """Return the groups: their centres, sizes and members.

        Returns
        -------
        Section
            One or two sentences, and one table with one row per group.
        """
        groups = range(self.k)
        clusters = {"clusters": [centre.k for centre in self.centres]} if self.centres else {}
        table = plain_table(
            "groups-members",
            "The groups",
            {
                "group": [group + 1 for group in groups],
                **clusters,
                self._central: [self.names[i] for i in self.medoids],
                "labelings": self.sizes,
                "members": [some_names(self.members(group)) for group in groups],
            },
        )
        centre = "consensus of its group" if self.centres else "medoid"
        mean = f"Mean distance to the {centre}: {number(self.mean_distance)}"
        said = (self.sentence(), mean) if self.k > 1 else (mean,)
        return Section("groups", "Groups of labelings", said, (table,), subject=self)

    def sentence(self) -> str:
        """Return the groups as a sentence.

        Returns
        -------
        str
            Centres, sizes and the mean silhouette; empty for one group.
        """
        if self.k == 1:
            return ""
        centres = ", ".join(
            f"{show_label(self.names[i], WIDTH)} ({size:,})"
            for i, size in zip(self.medoids, self.sizes, strict=True)
        )
        around = "consensus centres near " if self.centres else ""
        silhouette = f"mean silhouette {self.silhouette:.2f}"
        return f"{self.k} groups (labelings) around {around}{centres}; {silhouette}."

    def to_dict(self) -> dict[str, Any]:
        """Return the groups as plain data; a number that is not finite is None.

        Returns
        -------
        dict
            The number of groups, the group of each labeling, medoids, sizes and silhouette; for
            consensus centres also the sizes of their clusters, and the trace.
        """
        centres = [centre.sizes.tolist() for centre in self.centres]
        found = {"centres": centres, "trace": list(self.trace)} if self.centres else {}
        return {
            "k": self.k,
            "labels": dict(zip(self.names, self.labels.tolist(), strict=True)),
            "medoids": [self.names[i] for i in self.medoids],
            "sizes": self.sizes,
            "mean_distance": self.mean_distance,
            "silhouette": None if math.isnan(self.silhouette) else self.silhouette,
            **found,
        }


def make_groups(names: tuple[str, ...], matrix: Floats, weights: Floats, k: int | None) -> Groups:
    """Return groups around k medoids, or as many as have the largest mean silhouette."""
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
    mean = total / float(weights.sum())
    return Groups(names, labels, tuple(medoids.tolist()), mean, mean_silhouette(matrix, labels))


def mean_silhouette(matrix: Floats, labels: Places) -> float:
    """Return the mean silhouette: nan for one group, 0 where every point is alone.

    >>> line = np.array([0.0, 1.0, 10.0])
    >>> round(mean_silhouette(abs(line[:, None] - line), np.array([0, 0, 1])), 4)
    0.5963
    """
    from clustervet.internal import silhouette

    groups = int(labels.max()) + 1
    if groups in (1, len(labels)):
        return math.nan if groups == 1 else 0.0
    return float(silhouette(matrix, labels, "precomputed"))


def find_medoids(matrix: Floats, weights: Floats, k: int) -> Places:
    """Return k points with the least weighted sum of distances from each point to the nearest.

    This is PAM (Kaufman & Rousseeuw 1990): a greedy start, then the best exchange of a medoid
    for another point while one lowers the sum. All exchanges are weighed in one pass over the
    matrix (Schubert & Rousseeuw 2021, FastPAM1). Few points are also tried from random starts,
    the same ones every time.

    >>> line = np.array([0.0, 1.0, 2.0, 10.0, 11.0, 12.0])
    >>> find_medoids(abs(line[:, None] - line), np.ones(6), 2).tolist()
    [1, 4]
    """
    starts = [_greedy(matrix, weights, k)]
    if len(matrix) <= FEW and 1 < k < len(matrix):
        rng = np.random.default_rng(0)
        starts += [rng.choice(len(matrix), k, replace=False) for _ in range(STARTS)]
    best, least = starts[0], np.inf
    limit = ROUNDING * float(weights @ matrix.max(axis=1))
    for medoids in starts:
        gain, out, into = _best_swap(matrix, weights, medoids)
        while gain < -limit:
            medoids[out] = into
            gain, out, into = _best_swap(matrix, weights, medoids)
        loss = float(weights @ matrix[:, medoids].min(axis=1))
        if loss < least - limit:
            best, least = medoids, loss
    return np.sort(best)


def _greedy(matrix: Floats, weights: Floats, k: int) -> Places:
    """Choose one medoid after the other, each the one that lowers the sum most."""
    nearest = np.full(len(matrix), np.inf)
    medoids: list[int] = []
    for _ in range(k):
        total = np.zeros(len(matrix))
        for first in range(0, len(matrix), ROWS):
            rows = slice(first, first + ROWS)
            total += weights[rows] @ np.minimum(matrix[rows], nearest[rows, None])
        total[medoids] = np.inf
        medoids.append(int(np.argmin(total)))
        nearest = np.minimum(nearest, matrix[:, medoids[-1]])
    return np.array(medoids, np.int64)


def _best_swap(matrix: Floats, weights: Floats, medoids: Places) -> tuple[float, int, int]:
    """Return the change of the sum, which medoid goes, and which point replaces it."""
    # A single medoid has no second one: it is infinitely far away.
    to_medoids = np.column_stack([matrix[:, medoids], np.full(len(matrix), np.inf)])
    owner = to_medoids.argmin(axis=1)
    near, second = np.partition(to_medoids, 1, axis=1)[:, :2].T
    change = np.zeros((len(medoids), len(matrix)))
    for first in range(0, len(matrix), ROWS):
        rows = slice(first, first + ROWS)
        gaps, close = matrix[rows], near[rows, None]
        # A point that is nearer to the new medoid than to any other goes to it in any case.
        change += weights[rows] @ np.minimum(gaps - close, 0)
        # A point that loses its medoid goes to the new one or to its second nearest.
        moved = weights[rows, None] * (np.minimum(gaps, second[rows, None]).clip(min=close) - close)
        np.add.at(change, owner[rows], moved)
    change[:, medoids] = np.inf
    out, into = np.unravel_index(int(np.argmin(change)), change.shape)
    return float(change[out, into]), int(out), int(into)


def nearest_medoid(matrix: Floats, medoids: Places) -> Places:
    """Return the group of each point; a medoid is in its own group even if two are equal."""
    labels: Places = matrix[:, medoids].argmin(axis=1).astype(np.int64)
    labels[medoids] = np.arange(len(medoids))
    return labels


@dataclass(frozen=True, eq=False, repr=False)
class Hierarchy(Result):
    """A tree of labelings.

    Parameters
    ----------
    names : tuple of str
        Names of the labelings.
    merges : ndarray of shape (labelings - 1, 4)
        The linkage matrix of scipy. Each row is one merge: the two nodes that are merged, the
        distance between them, and the number of labelings below.
    method : {"average", "complete", "single"}
        How the distance between two nodes is found.
    """

    names: tuple[str, ...]
    merges: Floats
    method: Linkage

    @property
    def order(self) -> list[int]:
        """Positions of the labelings such that no two branches of a drawn tree cross."""
        from scipy.cluster.hierarchy import leaves_list

        return leaves_list(self.merges).tolist()  # type: ignore[no-any-return]  # no types there

    def cut(self, k: int) -> Places:
        """Cut the tree into k groups.

        Parameters
        ----------
        k : int
            The number of groups.

        Returns
        -------
        ndarray of int
            The group of each labeling.

        Raises
        ------
        ParameterError
            If k is not a whole number between 1 and the number of labelings.
        """
        count = len(self.names)
        kept = {i: np.array([i]) for i in range(count)}
        merges = self.merges[: count - whole(k, "k", 1, count), :2].astype(int)
        for row, (a, b) in enumerate(merges):
            kept[count + row] = np.concatenate([kept.pop(a), kept.pop(b)])
        labels = np.empty(count, np.int64)
        for group, members in enumerate(sorted(kept.values(), key=lambda part: part.min())):
            labels[members] = group
        return labels

    def columns(self) -> dict[str, Any]:
        """Return one row per merge.

        Returns
        -------
        dict
            The columns ``first`` and ``second`` (a labeling, or the number of an earlier merge),
            ``distance``, and ``labelings``, the number of them below.
        """
        count = len(self.names)
        first, second = (
            [self.names[i] if i < count else f"merge {i - count + 1}" for i in nodes]
            for nodes in self.merges[:, :2].astype(int).T
        )
        sizes = self.merges[:, 3].astype(int).tolist()
        distances = self.merges[:, 2].tolist()
        return {"first": first, "second": second, "distance": distances, "labelings": sizes}

    def document(self) -> Section:
        """Return the merges, from the nearest labelings to the last two nodes.

        Returns
        -------
        Section
            One sentence and one table.
        """
        table = plain_table("hierarchy-merges", "Every merge", self.columns(), shown=SHOWN)
        said = f"{counted(len(self.names), 'labeling')} merged by {self.method} linkage"
        return Section("hierarchy", "The tree of labelings", (said,), (table,), subject=self)

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain data.

        Returns
        -------
        dict
            The linkage, the merges, and the names in the order of a drawn tree.
        """
        rows = [[int(a), int(b), float(height), int(size)] for a, b, height, size in self.merges]
        return {"method": self.method, "merges": rows, "order": [self.names[i] for i in self.order]}


def make_hierarchy(names: tuple[str, ...], matrix: Floats, method: Linkage) -> Hierarchy:
    """Merge labelings by the distances between them."""
    one_of(method, "method", LINKAGES)
    from scipy.cluster.hierarchy import linkage

    need(20 * matrix.size, f"a tree of {len(matrix):,} labelings", "compare fewer labelings")
    upper = matrix[np.triu_indices(len(matrix), 1)]
    return Hierarchy(names, linkage(upper, method), method)


@dataclass(frozen=True, eq=False, repr=False)
class Diverse(Result):
    """Labelings that are far from each other.

    Parameters
    ----------
    names : tuple of str
        Their names.
    indices : tuple of int
        Their positions.
    least : float
        The least distance between two of them.
    mean : float
        The mean distance between two of them.
    """

    names: tuple[str, ...]
    indices: tuple[int, ...]
    least: float
    mean: float

    def columns(self) -> dict[str, Any]:
        """Return one row per labeling.

        Returns
        -------
        dict
            The columns ``labeling`` and ``position``.
        """
        return {"labeling": list(self.names), "position": list(self.indices)}

    def document(self) -> Section:
        """Return the labelings and how far they are apart.

        Returns
        -------
        Section
            One sentence and one table.
        """
        table = plain_table("diverse-labelings", "Diverse labelings", self.columns(), shown=SHOWN)
        said = f"Least distance {number(self.least)}, mean distance {number(self.mean)}"
        return Section("diverse", table.title, (said,), (table,), subject=self)

    def to_dict(self) -> dict[str, Any]:
        """Return the labelings as plain data.

        Returns
        -------
        dict
            Their names, and the least and the mean distance.
        """
        return {"names": list(self.names), "least": self.least, "mean": self.mean}


def make_diverse(names: tuple[str, ...], matrix: Floats, k: int) -> Diverse:
    """Choose k labelings that are far from each other."""
    places = most_diverse(matrix, whole(k, "k", 1, len(matrix)))
    block = matrix[np.ix_(places, places)][np.triu_indices(len(places), 1)]
    least, mean = (float(block.min()), float(block.mean())) if len(block) else (0.0, 0.0)
    return Diverse(tuple(names[i] for i in places), tuple(places.tolist()), least, mean)


def most_diverse(matrix: Floats, k: int) -> Places:
    """Return the positions of k points whose least distance is large: greedy, then by swaps.

    The farthest pair comes first, then always the point farthest from those chosen (Gonzalez
    1985), which reaches at least half of the largest possible least distance. Then points are
    exchanged while that raises the least distance, or the sum at the same least distance.

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
    """Exchange one point for a better one, if there is one."""
    value = _dispersion(matrix, chosen)
    for k in range(len(chosen)):
        others = chosen[:k] + chosen[k + 1 :]
        inner = _dispersion(matrix, others)
        least = np.minimum(matrix[others].min(axis=0), inner[0])
        total = matrix[others].sum(axis=0) + inner[1]
        least[chosen] = -1.0
        best = int(np.lexsort((-total, -least))[0])
        if (least[best], total[best]) > (value[0], value[1] * (1 + 1e-12)):
            chosen[k] = best
            return True
    return False


def _dispersion(matrix: Floats, chosen: list[int]) -> tuple[float, float]:
    """Return the least and the total distance among some points."""
    block = matrix[np.ix_(chosen, chosen)][np.triu_indices(len(chosen), 1)]
    return (float(block.min()), float(block.sum())) if len(block) else (math.inf, 0.0)
