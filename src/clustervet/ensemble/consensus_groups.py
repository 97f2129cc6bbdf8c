"""Groups of labelings around consensus centres: k-means among clusterings (Meilă 2007, §4.1).

Law: the order in which labelings are given changes nothing but the numbers of the groups. So the
labelings are first put into an order of their own, and every search has a seed of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet.ensemble.consensus import find_consensus, ranked
from clustervet.ensemble.distances import distances_to
from clustervet.ensemble.groups import (
    Floats,
    Groups,
    Places,
    find_medoids,
    make_groups,
    mean_silhouette,
    nearest_medoid,
)
from clustervet.ensemble.labelings import Labelings
from clustervet.ensemble.local_search import Criterion
from clustervet.errors import LabelError, Setting

# Up to this many labels in all, this many random starts are tried beside the medoids.
FEW_LABELS = 20_000
STARTS = 8
# Differences below this share of the largest total are rounding.
ROUNDING = 1e-12


class Centre(NamedTuple):
    """A partition of the objects, and its distance to each labeling."""

    labels: NDArray[np.int32]
    distances: Floats


class Found(NamedTuple):
    """The group of each labeling, the centres, and the totals from the start to the end."""

    labels: Places
    centres: list[Centre]
    trace: list[float]


@dataclass(eq=False)
class CentreSearch:
    """The alternation of nearest centres and consensus centres, with what it knows already.

    `many` has the objects that are left as all of its objects.
    """

    many: Labelings
    weights: Floats
    criterion: Criterion
    matrix: Floats
    starts: int
    seed: int
    known: dict[bytes, Centre] = field(default_factory=dict)

    @property
    def slack(self) -> float:
        """The least change of a total that is not rounding."""
        return ROUNDING * float(self.weights @ self.matrix.max(axis=1))

    def best(self, k: int) -> Found:
        """Return the least total reached from medoids, and from random labelings where cheap."""
        count = len(self.many)
        tried = [find_medoids(self.matrix, self.weights, k)]
        if count * self.many.n <= FEW_LABELS and 1 < k < count:
            rng = np.random.default_rng(self.seed)
            tried += [rng.choice(count, k, replace=False) for _ in range(STARTS)]
        found = [self.alternate(np.sort(medoids)) for medoids in tried]
        least = min(one.trace[-1] for one in found) + self.slack
        return next(one for one in found if one.trace[-1] <= least)

    def alternate(self, medoids: Places) -> Found:
        """Move centres and labelings in turn, from these labelings on, while the total falls."""
        labels = nearest_medoid(self.matrix, medoids)
        centres = [self.alone(int(place)) for place in medoids]
        trace = [self.total(labels, centres)]
        while True:
            centres = [
                self.better(np.flatnonzero(labels == group), centre)
                for group, centre in enumerate(centres)
            ]
            labels = self.assigned(labels, centres)
            total = self.total(labels, centres)
            if total >= trace[-1] - self.slack:
                return Found(labels, centres, trace)
            trace.append(total)

    def total(self, labels: Places, centres: list[Centre]) -> float:
        """Return the weighted sum of the distances of labelings to the centres of their groups."""
        gaps = np.stack([centre.distances for centre in centres])
        return float(self.weights @ gaps[labels, np.arange(len(labels))])

    def better(self, members: Places, held: Centre) -> Centre:
        """Return the consensus of a group, or the centre that it has if the search found none."""
        new = self.centre(members)
        weights = self.weights[members]
        gain = float(weights @ (held.distances[members] - new.distances[members]))
        return new if gain > self.slack else held

    def centre(self, members: Places) -> Centre:
        """Return the consensus of some labelings, which is searched once."""
        if len(members) == 1:
            return self.alone(int(members[0]))
        key = members.tobytes()
        if key not in self.known:
            weights = self.weights[members]
            found = find_consensus(
                self.many.some(members.tolist()),
                weights if weights.any() else np.ones(len(members)),
                self.criterion,
                self.matrix[np.ix_(members, members)],
                collapse=False,
                starts=self.starts,
                rng=np.random.default_rng([self.seed, *members.tolist()]),
            )
            labels = found.labels.astype(np.int32)
            self.known[key] = Centre(labels, distances_to(labels, self.many, self.criterion))
        return self.known[key]

    def alone(self, place: int) -> Centre:
        """Return a labeling as a centre."""
        return Centre(self.many.codes[place].astype(np.int32), self.matrix[place])

    def assigned(self, labels: Places, centres: list[Centre]) -> Places:
        """Return the group of the nearest centre; `centres` gets a new one for an empty group."""
        gaps = np.stack([centre.distances for centre in centres], axis=1)
        rows = np.arange(len(labels))
        nearer = gaps.min(axis=1) < gaps[rows, labels] - ROUNDING * gaps.max()
        found: Places = np.where(nearer, gaps.argmin(axis=1), labels)
        for group in range(len(centres)):
            if not (found == group).any():
                # The labeling that is worst placed in a group of several becomes the centre.
                cost = self.weights * gaps[rows, found]
                several = np.bincount(found, minlength=len(centres))[found] > 1
                place = int(np.argmax(np.where(several, cost, -1.0)))
                centres[group] = self.alone(place)
                found[place] = group
                gaps[:, group] = centres[group].distances
        return found


def make_consensus_groups(
    many: Labelings,
    weights: Floats,
    criterion: Criterion,
    matrix: Floats,
    k: int | None,
    *,
    starts: int,
    rng: np.random.Generator,
) -> Groups:
    """Return groups around k consensus centres, or as many as groups around medoids would be."""
    if not many.complete:
        raise LabelError(
            "groups around consensus centres need labelings of all objects; use ",
            Setting("centres", "medoids"),
            " instead.",
        )
    medoids = make_groups(many.names, matrix, weights, k)
    order = _own_order(many, weights)
    search = CentreSearch(
        many.some(order.tolist()).unnamed(),
        weights[order],
        criterion,
        matrix[np.ix_(order, order)],
        starts,
        int(rng.integers(2**32)),
    )
    found = search.best(medoids.k)
    labels = np.empty(len(order), np.int64)
    labels[order] = found.labels
    # Groups are numbered by their first labelings.
    numbers = list(dict.fromkeys(labels.tolist()))
    labels = np.array([numbers.index(label) for label in labels.tolist()], np.int64)
    centres = [found.centres[number] for number in numbers]
    nearest = [
        _nearest_member(centre, order, labels == group) for group, centre in enumerate(centres)
    ]
    total = float(weights.sum())
    return Groups(
        many.names,
        labels,
        tuple(nearest),
        found.trace[-1] / total,
        mean_silhouette(matrix, labels),
        tuple(many.partition_of(centre.labels) for centre in centres),
        tuple(value / total for value in found.trace),
    )


def _own_order(many: Labelings, weights: Floats) -> Places:
    """Return an order of labelings that depends on their clusters and weights alone."""
    keys = []
    for codes, weight in zip(many.codes, weights.tolist(), strict=True):
        _, first, places = np.unique(codes, return_index=True, return_inverse=True)
        numbers = np.argsort(np.argsort(first)).astype(np.int32)
        keys.append((blake2b(numbers[places].tobytes()).digest(), weight))
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)


def _nearest_member(centre: Centre, order: Places, inside: NDArray[np.bool_]) -> int:
    """Return the position of the labeling of a group that is nearest to its centre."""
    gaps = np.where(inside[order], ranked(centre.distances), np.inf)
    return int(order[np.argmin(gaps)])
