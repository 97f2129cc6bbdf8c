"""`Ensemble`: many clusterings of the same objects as points of a metric space."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from clustervet.ensemble.consensus import Consensus, find_consensus, ranked, read_criterion
from clustervet.ensemble.distances import distance_matrix
from clustervet.ensemble.embedding import Embedding, Method, embed
from clustervet.ensemble.groups import (
    Diverse,
    Groups,
    Hierarchy,
    Linkage,
    make_groups,
    make_hierarchy,
    most_diverse,
    whole,
)
from clustervet.ensemble.labelings import read_labelings
from clustervet.ensemble.members import (
    Medoid,
    mean_to_others,
    read_names,
    read_weights,
    some_labelings,
)
from clustervet.ensemble.nearest import Nearest, Space
from clustervet.ensemble.record import Distances
from clustervet.ensemble.stability import Stability, make_stability, mean_distance
from clustervet.ensemble.summary import Summary
from clustervet.errors import LabelError, ParameterError
from clustervet.labels import show_label
from clustervet.labels.pair import Missing, NoisePolicy
from clustervet.partition import Partition
from clustervet.registry import Estimate, Measure, MeasureFunction, measures

Floats = NDArray[np.float64]
VI = "variation_of_information"


class Ensemble:
    """Many clusterings of the same objects: distances, centre, groups, map and consensus.

    `labelings` are a list, {name: labels}, the rows of an array or the columns of a frame;
    `names` names them otherwise. `weights` say how much each counts in the medoid, the groups,
    the means and the consensus. `measure` is the distance; a similarity or a measure that is
    not symmetric has a matrix, and what needs a distance refuses it. `missing`, `noise` and
    `shared` are as in `distance_matrix`. Everything is computed when first asked for.

    >>> e = Ensemble({"a": [0, 0, 1, 1, 2, 2], "b": [0, 0, 1, 1, 1, 1], "c": [0, 0, 1, 1, 2, 0]})
    >>> e
    <Ensemble: 3 labelings of 6 objects, 2 to 3 clusters each, by variation_of_information>
    >>> e.medoid.name, round(e.medoid.mean_distance, 3)
    ('a', 0.73)
    >>> e.consensus().partition
    Partition({0, 1}, {2, 3}, {4, 5})
    >>> e.nearest(["x", "x", "y", "y", "y", "z"], 2).names
    ('b', 'a')
    """

    def __init__(
        self,
        labelings: Any,
        names: Sequence[str] | None = None,
        weights: Any = None,
        measure: str | Measure | MeasureFunction = VI,
        *,
        noise: Any = None,
        noise_policy: NoisePolicy | None = None,
        missing: Missing = "raise",
        shared: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.measure = measures.select([measure])[0]
        if self.measure.kind != "external":
            raise ParameterError(f"{self.measure.key} needs features, not a second labeling.")
        many = read_labelings(
            labelings, noise=noise, noise_policy=noise_policy, missing=missing, shared=shared
        )
        self.labelings = many if names is None else read_names(names, many)
        self.weights = read_weights(weights, len(many))
        self.n_jobs = n_jobs

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the labelings."""
        return self.labelings.names

    @property
    def n(self) -> int:
        """Number of objects."""
        return self.labelings.n

    def __len__(self) -> int:
        return len(self.labelings)

    def __repr__(self) -> str:
        return f"<Ensemble: {self.labelings!r}, by {self.measure.key}>"

    def partition(self, which: int | str) -> Partition:
        """One labeling as a partition."""
        return self.labelings.partition(self._place(which))

    def subset(self, which: Iterable[int | str]) -> Self:
        """Some of the labelings, by position or name, as an ensemble of their own."""
        places = [self._place(one) for one in which]
        if len(places) < 2:
            raise LabelError("one labeling has nothing to be compared with; give at least two.")
        made = object.__new__(type(self))
        made.measure, made.n_jobs = self.measure, self.n_jobs
        made.weights = self.weights[places]
        made.labelings = some_labelings(self.labelings, places)
        return made

    def _place(self, which: int | str) -> int:
        if isinstance(which, str):
            if which not in self.names:
                raise ParameterError(f"there is no labeling {show_label(which)!r}.")
            return self.names.index(which)
        return whole(which, "the position of a labeling", 0, len(self) - 1)

    @cached_property
    def distances(self) -> Distances:
        """The measure between every two labelings."""
        return distance_matrix(self.labelings, self.measure, n_jobs=self.n_jobs)

    def _matrix(self, purpose: str) -> Floats:
        """The distances, where they are such: symmetric, small where alike, and all defined."""
        record = self.measure
        if record.better != "lower":
            kind = "a similarity" if record.better == "higher" else "no distance"
            raise ParameterError(
                f"{purpose} needs a distance, and {record.key} is {kind}; use one such as {VI}."
            )
        if not record.symmetric:
            raise ParameterError(
                f"{purpose} needs a distance that is the same both ways, and {record.key} is not; "
                f"use one such as {VI}."
            )
        return self._defined(self.distances)

    def _defined(self, found: Distances) -> Floats:
        matrix: Floats = found.matrix
        if np.isnan(matrix).any():
            i, j = np.argwhere(np.isnan(matrix))[0]
            pair = " and ".join(repr(show_label(self.names[k])) for k in (i, j))
            why = ": they have no object in common" if found.counts[i, j] == 0 else ""
            raise LabelError(f"{found.measure.key} is undefined between {pair}{why}.")
        return matrix

    @cached_property
    def medoid(self) -> Medoid:
        """The labeling with the least weighted sum of distances to all."""
        matrix = self._matrix("a medoid")
        index = int(np.argmin(ranked(matrix @ self.weights)))
        mean = float(mean_to_others(matrix, self.weights)[index])
        return Medoid(index, self.names[index], mean)

    @cached_property
    def spread(self) -> Estimate:
        """The mean over pairs; `interval(confidence)` is the jackknife's over labelings."""
        return mean_distance(self._matrix("a spread"), self.weights)

    def stability(self, max_clusters: int | None = None, confidence: float = 0.95) -> Stability:
        """Mean variation of information over pairs of runs of an algorithm, with an interval.

        What Properties 2 to 4 of Meilă (2007, §4.2) make comparable: `mean`, in bits, does not
        depend on the number of objects as such (2), so bits from data sets of different sizes
        may be compared, averaged and subtracted where the problems are alike and numbers of
        clusters are bounded alike. More clusters leave room for larger distances: up to
        2 log2 K for at most K clusters on K² objects or more (4). `share` divides by that
        bound; it is comparable between experiments that give the same `max_clusters`, and
        not otherwise; the default is the largest number of clusters here. Division by log2 n,
        the largest distance of all (3), would make data sets of different sizes incomparable
        and is not offered. The ensemble's own `measure` does not matter here.

        >>> runs = Ensemble([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]])
        >>> found = runs.stability()
        >>> round(found.mean, 4), round(found.share, 4)
        (0.7925, 0.3962)
        """
        return make_stability(
            self._between(VI),
            self.weights,
            clusters=int(self.labelings.clusters.max()),
            max_clusters=max_clusters,
            objects=self.n,
            confidence=confidence,
        )

    def _between(self, key: str) -> Floats:
        """Distances by a measure, perhaps not the ensemble's own."""
        if key == self.measure.key:
            return self._defined(self.distances)
        return self._defined(distance_matrix(self.labelings, key, n_jobs=self.n_jobs))

    def diverse(self, k: int) -> Diverse:
        """Labelings, k of them, that are far from each other: greedily, then by swaps."""
        matrix = self._matrix("diversity")
        places = most_diverse(matrix, whole(k, "k", 1, len(self)))
        block = matrix[np.ix_(places, places)][np.triu_indices(len(places), 1)]
        least, mean = (float(block.min()), float(block.mean())) if len(block) else (0.0, 0.0)
        return Diverse(tuple(self.names[i] for i in places), tuple(places.tolist()), least, mean)

    def groups(self, k: int | None = None) -> Groups:
        """Labelings in k groups around medoids; without k as many as are most apart."""
        return make_groups(self.names, self._matrix("grouping"), self.weights, k)

    def hierarchy(self, method: Linkage = "average") -> Hierarchy:
        """The tree in which labelings are merged by their distances."""
        return make_hierarchy(self.names, self._matrix("a hierarchy"), method)

    def embedding(
        self,
        dimensions: int = 2,
        method: Method = "stress",
        *,
        starts: int = 4,
        random_state: Any = 0,
    ) -> Embedding:
        """A map: classical scaling, or the least stress from there and from random starts."""
        matrix = self._matrix("a map")
        wanted = whole(dimensions, "dimensions", 1, max(2, len(self)))
        tried = whole(starts, "starts", 1, 10_000)
        rng = np.random.default_rng(random_state)
        points, stress = embed(matrix, wanted, method, tried, rng)
        return Embedding(self.names, points, stress, method)

    def nearest(self, query: Any, k: int = 1) -> Nearest:
        """The k labelings nearest to one more, exactly, by as few distances as a metric allows.

        The first call makes a tree from some distances between labelings; where `distances` are
        known, they serve instead and rule out even more. The answer says how many it took.
        """
        wanted = whole(k, "k", 1, len(self))
        if "distances" in self.__dict__ and self._space.tree.built:
            self.__dict__.pop("_space")  # all distances are known by now
        return self._space.nearest(query, wanted)

    @cached_property
    def _space(self) -> Space:
        known = self.distances.matrix if "distances" in self.__dict__ else None
        return Space.of(self.labelings, self.measure, known)

    def consensus(
        self,
        measure: str | Measure | MeasureFunction | None = None,
        *,
        collapse: bool = False,
        starts: int = 12,
        random_state: Any = 0,
    ) -> Consensus:
        """The partition with the least weighted sum of distances to the labelings.

        By variation of information, or by Mirkin's metric (`measure="mirkin"`); the ensemble's
        own measure unless it is neither, and then the first. Local searches move atoms (objects
        that all labelings treat alike), cells and clusters; they start from members,
        co-association cuts, meets and one cluster, then from the best answer shaken. None is
        worse than the best complete member; the best of all partitions is not guaranteed.

        All objects in one cluster are H(L) from each labeling L, which is the least of all where
        labelings agree little, and useless. The answer is then the best partition that a search
        came to with the clusters of its start, and is `collapsed`; `collapse=True` takes the
        one cluster. `groups` and `subset` may lead to labelings that agree.
        """
        key = read_criterion(measure, self.measure)
        return find_consensus(
            self.labelings,
            self.weights,
            key,
            self._between(key),
            collapse=collapse,
            starts=whole(starts, "starts", 1, 100_000),
            rng=np.random.default_rng(random_state),
        )

    def summary(
        self, groups: int | None = None, *, starts: int = 12, random_state: Any = 0
    ) -> Summary:
        """All of this as one record, to print or to keep."""
        return Summary(
            distances=self.distances,
            clusters=self.labelings.clusters,
            mean_distances=mean_to_others(self._matrix("a comparison"), self.weights),
            objects=self.n,
            kept=self.labelings.kept,
            medoid=self.medoid,
            spread=self.spread,
            groups=self.groups(groups),
            hierarchy=self.hierarchy(),
            embedding=self.embedding(random_state=random_state),
            consensus=self.consensus(starts=starts, random_state=random_state),
        )
