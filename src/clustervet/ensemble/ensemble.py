"""`Ensemble`: many clusterings of the same objects as points of a metric space."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import generator, is_number, one_of, suggestion, whole
from clustervet.ensemble.aligned import align_labelings
from clustervet.ensemble.coassociation import Coassociation, coassociation
from clustervet.ensemble.consensus import Consensus, find_consensus, ranked, read_criterion
from clustervet.ensemble.consensus_groups import make_consensus_groups
from clustervet.ensemble.distances import Distances, distance_matrix
from clustervet.ensemble.embedding import Embedding, Method, RunStability, embed, positive_interval
from clustervet.ensemble.groups import (
    CENTRES,
    Centres,
    Diverse,
    Groups,
    Hierarchy,
    Linkage,
    Medoid,
    make_diverse,
    make_groups,
    make_hierarchy,
    mean_distance,
    mean_to_others,
)
from clustervet.ensemble.labelings import read_labelings
from clustervet.ensemble.levels import sweep_of
from clustervet.ensemble.nearest import Nearest, Space
from clustervet.ensemble.pair_values import PairValues, Scoring
from clustervet.ensemble.summary import Summary
from clustervet.ensemble.trajectory import Trajectory
from clustervet.errors import LabelError, ParameterError, Setting
from clustervet.labels import show_label
from clustervet.labels.pair import Missing, NoisePolicy
from clustervet.partition import Partition
from clustervet.registry import Estimate, Measure, MeasureFunction
from clustervet.view.words import names as first_names

Floats = NDArray[np.float64]
VI = "variation_of_information"


class Ensemble:
    """Many clusterings of the same objects: distances, centre, groups, map and consensus.

    Everything is computed when it is first asked for.

    Parameters
    ----------
    labelings : list, dict, ndarray, data frame or Labelings
        A list of labelings, {name: labels}, the rows of an array or the columns of a frame.
        Several pandas series must have equal indexes. A labeling is a sequence, a fitted estimator
        or a clustering of igraph; or labels by the name of the object, as {object: label}, groups
        such as communities of networkx, or a partition of named objects. If one is by name, all
        must be.
    names : sequence of str, optional
        Other names for the labelings.
    weights : sequence of float, optional
        How much each labeling counts in the medoid, the groups, the means and the consensus.
    measure : str, Measure or callable, optional
        The distance. A similarity, or a measure that is not symmetric, has a matrix too; methods
        that need a distance refuse it.
    noise, noise_policy, missing, shared : optional
        As in `distance_matrix`.
    n_jobs : int, optional
        The number of threads; -1 means all cores.

    Raises
    ------
    LabelError
        If the labelings are of different objects, lack labels, or are fewer than two.
    ParameterError
        If the measure needs features, or names or weights do not fit the labelings.

    Notes
    -----
    Where labelings are by the names of the objects, so are the partitions here (`partition`, the
    `consensus` and the centres of `groups`), and `aligned` returns labels by object. Arrays with
    one entry per object are in the order of `objects`.

    Examples
    --------
    >>> e = Ensemble({"a": [0, 0, 1, 1, 2, 2], "b": [0, 0, 1, 1, 1, 1], "c": [0, 0, 1, 1, 2, 0]})
    >>> e
    <Ensemble: 3 labelings of 6 objects, 2 to 3 clusters each, by variation_of_information>
    >>> e.medoid.name, round(e.medoid.mean_distance, 3)
    ('a', 0.73)
    >>> e.consensus().partition
    Partition({0, 1}, {2, 3}, {4, 5})
    >>> e.nearest(["x", "x", "y", "y", "y", "z"], 2).names
    ('b', 'a')
    >>> e = Ensemble({"a": [{"x", "y"}, {"z"}], "b": {"z": 1, "y": 0, "x": 0}})
    >>> e.consensus().partition == Partition([{"z"}, {"y", "x"}])
    True
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
        self.measure = Scoring(measure, {}).record
        many = read_labelings(
            labelings, noise=noise, noise_policy=noise_policy, missing=missing, shared=shared
        )
        self.labelings = many if names is None else many.renamed(names)
        self.weights = _read_weights(weights, len(many))
        self.n_jobs = n_jobs

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the labelings."""
        return self.labelings.names

    @property
    def n(self) -> int:
        """Number of objects."""
        return self.labelings.n

    @property
    def objects(self) -> tuple[Any, ...] | None:
        """Names of the objects given, in the order of all arrays; None if labelings have none."""
        return self.labelings.objects

    def __len__(self) -> int:
        return len(self.labelings)

    def __repr__(self) -> str:
        return f"<Ensemble: {self.labelings!r}, by {self.measure.key}>"

    def partition(self, which: int | str) -> Partition:
        """Return one labeling as a partition.

        Parameters
        ----------
        which : int or str
            Its position or name.

        Returns
        -------
        Partition
            The clusters as sets of the objects that it labels, by their names if they have names.

        Raises
        ------
        ParameterError
            If there is no such labeling.

        Examples
        --------
        >>> Ensemble({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2]}).partition("b")
        Partition({0, 1}, {2}, {3})
        """
        return self.labelings.partition(self._place(which))

    def subset(self, which: Iterable[int | str]) -> Self:
        """Return some of the labelings as an ensemble of their own.

        Parameters
        ----------
        which : iterable of int or str
            Their positions or names; at least two.

        Returns
        -------
        Ensemble
            These labelings, with their weights and the same measure.

        Raises
        ------
        LabelError
            If there are fewer than two.
        ParameterError
            If there is no such labeling.

        Examples
        --------
        >>> e = Ensemble({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 0, 0, 0]})
        >>> e.subset(["a", "c"]).names
        ('a', 'c')
        """
        places = [self._place(one) for one in which]
        if len(places) < 2:
            raise LabelError("one labeling has nothing to be compared with; give at least two.")
        made = object.__new__(type(self))
        made.measure, made.n_jobs = self.measure, self.n_jobs
        made.weights = self.weights[places]
        made.labelings = self.labelings.some(places)
        return made

    def _place(self, which: int | str) -> int:
        if not isinstance(which, str):
            return whole(which, "the position of a labeling", 0, len(self) - 1)
        if which not in self.names:
            hint = show_label(
                suggestion(which, self.names, f"there are {first_names(self.names, 6)}."), 200
            )
            raise ParameterError(f"there is no labeling {show_label(which)!r}; {hint}")
        return self.names.index(which)

    @cached_property
    def distances(self) -> Distances:
        """The measure between every two labelings."""
        return distance_matrix(self.labelings, self.measure, n_jobs=self.n_jobs)

    def _matrix(self, purpose: str) -> Floats:
        """Return the distances, if the measure is a symmetric distance defined everywhere."""
        record, wanted = self.measure, "a distance"
        kind = {"higher": "a similarity", "neither": "no distance"}.get(record.better, "")
        if not kind and not record.symmetric:
            wanted, kind = "a distance that is the same both ways", "not"
        if kind:
            raise ParameterError(
                f"{purpose} needs {wanted}, and {record.key} is {kind}; use one such as {VI}."
            )
        return self._defined(self.distances)

    def _defined(self, found: Distances) -> Floats:
        matrix: Floats = found.matrix
        if np.isnan(matrix).any():
            i, j = np.argwhere(np.isnan(matrix))[0]
            pair = " and ".join(repr(show_label(self.names[k])) for k in (i, j))
            raise LabelError(f"{found.measure.key} is undefined between {pair}.")
        return matrix

    def _between(self, key: str) -> Floats:
        """Return the distances by a measure that may differ from that of the ensemble."""
        if key == self.measure.key:
            return self._defined(self.distances)
        return self._defined(distance_matrix(self.labelings, key, n_jobs=self.n_jobs))

    @cached_property
    def medoid(self) -> Medoid:
        """The labeling with the least weighted sum of distances to all."""
        matrix = self._matrix("a medoid")
        index = int(np.argmin(ranked(matrix @ self.weights)))
        mean = float(mean_to_others(matrix, self.weights)[index])
        return Medoid(index, self.names[index], mean)

    @cached_property
    def spread(self) -> Estimate:
        """The mean over pairs; `interval(confidence)` is that of the jackknife over labelings."""
        return mean_distance(self._matrix("a spread"), self.weights)

    def stability(self, max_clusters: int | None = None, confidence: float = 0.95) -> RunStability:
        """Return the mean variation of information over pairs of runs of an algorithm.

        Parameters
        ----------
        max_clusters : int, optional
            A bound on the number of clusters; by default the largest number here.
        confidence : float, optional
            The confidence of the interval for the mean.

        Returns
        -------
        RunStability
            The mean with its interval, and its share of the largest distance.

        Raises
        ------
        ParameterError
            If a labeling has more clusters than `max_clusters`.

        Notes
        -----
        Properties 2 to 4 of Meilă (2007, §4.2) say what can be compared. `mean`, in bits, does
        not depend on the number of objects as such (2), so bits from data sets of different
        sizes may be compared, averaged and subtracted where the problems are alike and the
        numbers of clusters have similar bounds. More clusters leave room for larger distances:
        up to 2 log2 K for at most K clusters on K² objects or more (4). `share` divides by that
        bound. It is comparable only between experiments that give the same `max_clusters`.
        Division by log2 n, the largest distance of all (3), would make data sets of different
        sizes incomparable and is not offered. The measure of the ensemble does not matter here.

        Examples
        --------
        >>> runs = Ensemble([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]])
        >>> found = runs.stability()
        >>> round(found.mean, 4), round(found.share, 4)
        (0.7925, 0.3962)
        """
        clusters = int(self.labelings.clusters.max())
        bound = clusters if max_clusters is None else whole(max_clusters, "max_clusters", clusters)
        mean = mean_distance(self._between(VI), self.weights)
        low, high = positive_interval(mean, confidence)
        return RunStability(
            mean=float(mean),
            low=low,
            high=high,
            standard_error=mean.standard_error,
            # Runs of one cluster are all equal, and as stable as can be.
            share=float(mean) / (2 * math.log2(bound)) if bound > 1 else 0.0,
            confidence=confidence,
            max_clusters=bound,
            objects=self.n,
            runs=len(self),
        )

    def aligned(self, to: int | str | None = None) -> dict[str, Any]:
        """Return all labelings with the same number for the same group of objects.

        Parameters
        ----------
        to : int or str, optional
            The labeling whose clusters get the numbers 0, 1, ..., largest first; by default the
            medoid.

        Returns
        -------
        dict of str to ndarray of int, or to dict
            The number of the cluster of each object that was given; -1 where a labeling does not
            label it. They are by the name of the object if the labelings are. The clusters of each
            labeling are matched with those of `to`, one to one and with the most objects in common
            (see `align`). A cluster without a partner gets the next number, or that of such a
            cluster of an earlier labeling, if their Jaccard index is above 0.5.

        Raises
        ------
        ParameterError
            If there is no such labeling.

        Examples
        --------
        >>> labelings = {"a": [0, 0, 0, 1, 1], "b": [5, 5, 5, 2, 2], "c": [1, 1, 0, 2, 2]}
        >>> for name, numbers in Ensemble(labelings).aligned("a").items():
        ...     print(name, numbers.tolist())
        a [0, 0, 0, 1, 1]
        b [0, 0, 0, 1, 1]
        c [0, 0, 2, 1, 1]
        """
        place = self._place(self.medoid.name if to is None else to)
        return align_labelings(self.labelings, place)

    def coassociation(self, reference: int | str | None = None) -> Coassociation:
        """Return how often pairs of objects are together in the labelings.

        Parameters
        ----------
        reference : int or str, optional
            The labeling whose clusters and objects get a consensus; by default the medoid.

        Returns
        -------
        Coassociation
            The distribution of the consensus over all pairs of objects, the proportion of
            ambiguous pairs, the area under the distribution, and the consensus of each cluster and
            object. Memory grows with the objects, not with their pairs.

        Raises
        ------
        ParameterError
            If there is no such labeling, or if labelings have different weights.

        Examples
        --------
        >>> runs = [[0, 0, 1, 1, 1], [0, 0, 1, 1, 1], [0, 0, 1, 1, 2]]
        >>> found = Ensemble(runs).coassociation()
        >>> found.pac, found.objects.round(2).tolist()
        (0.2, [1.0, 1.0, 0.83, 0.83, 0.67])
        """
        if len(set(self.weights.tolist())) > 1:
            raise ParameterError("a co-association counts all labelings alike; leave out weights.")
        place = self._place(self.medoid.name if reference is None else reference)
        return coassociation(self.labelings, place)

    def diverse(self, k: int) -> Diverse:
        """Return k labelings that are far from each other.

        Parameters
        ----------
        k : int
            How many labelings to choose.

        Returns
        -------
        Diverse
            The labelings, and the least and the mean distance between them.

        Raises
        ------
        ParameterError
            If k is not a whole number between 1 and the number of labelings, or the measure is
            not a symmetric distance.

        Notes
        -----
        A greedy choice (Gonzalez 1985), then swaps while they raise the least distance. The
        least distance is at least half of the largest possible one.

        Examples
        --------
        >>> e = Ensemble({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 1, 0, 1]})
        >>> e.diverse(2).names
        ('a', 'c')
        """
        return make_diverse(self.names, self._matrix("diversity"), k)

    def groups(
        self,
        k: int | None = None,
        centres: Centres = "medoids",
        *,
        starts: int = 12,
        random_state: Any = 0,
    ) -> Groups:
        """Return the labelings in k groups around medoids, or around consensus centres.

        Parameters
        ----------
        k : int, optional
            The number of groups; by default the one with the largest mean silhouette of groups
            around medoids.
        centres : {"medoids", "consensus"}, optional
            What is at the centre of a group: one of its labelings, or their consensus.
        starts : int, optional
            The number of local searches for each consensus.
        random_state : int, Generator or None, optional
            The seed of the searches for consensus centres.

        Returns
        -------
        Groups
            The group of each labeling, and the medoids or the centres.

        Raises
        ------
        LabelError
            If some labelings do not label all objects and the centres are to be consensus ones.
        ParameterError
            If k is not a whole number between 1 and the number of labelings, the measure is not a
            symmetric distance, or there is no consensus by the measure.

        Notes
        -----
        Groups around medoids are found by PAM (Kaufman & Rousseeuw 1990).

        Consensus centres are found as in k-means (Meilă 2007, §4.1). Each labeling goes to the
        group of the nearest centre, each group gets its `consensus` as its centre, and so on while
        the weighted sum of distances to the centres falls. It never rises: a group keeps its
        centre where the search finds no better one. The search starts at the medoids, so the
        centres are at least as near as they are; for up to 20,000 labels in all it also starts
        at eight random choices of labelings. It may miss the least sum of all. The order of the
        labelings does not matter. The distance is that of the ensemble, which must be
        "variation_of_information" or "mirkin".

        Examples
        --------
        >>> e = Ensemble({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 1, 0, 1]})
        >>> e.groups(2)
        2 groups (labelings) around b (2), c (1); mean silhouette 0.47.
        Mean distance to the medoid: 0.1667
        group  medoid  labelings  members
            1  b               2  a, b
            2  c               1  c
        >>> runs = {"a": [0, 0, 0, 1, 1, 1], "b": [0, 0, 1, 1, 1, 1], "c": [0, 0, 0, 0, 1, 1]}
        >>> found = Ensemble({**runs, "d": [0, 1, 2, 0, 1, 2]}).groups(2, "consensus")
        >>> found.centres[0], found.members(0)
        (Partition({0, 1, 2}, {3, 4, 5}), ['a', 'b', 'c'])
        """
        matrix = self._matrix("grouping")
        if one_of(centres, "centres", CENTRES) == "medoids":
            return make_groups(self.names, matrix, self.weights, k)
        return make_consensus_groups(
            self.labelings,
            self.weights,
            read_criterion(self.measure, self.measure),
            matrix,
            k,
            starts=whole(starts, "starts", 1, 100_000),
            rng=generator(random_state),
        )

    def hierarchy(self, method: Linkage = "average") -> Hierarchy:
        """Return the tree in which labelings are merged by their distances.

        Parameters
        ----------
        method : {"average", "complete", "single"}, optional
            How the distance between two sets of labelings is found.

        Returns
        -------
        Hierarchy
            The merges.

        Raises
        ------
        ParameterError
            If the method is unknown, or the measure is not a symmetric distance.

        Examples
        --------
        >>> e = Ensemble({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 1, 0, 1]})
        >>> e.hierarchy()
        3 labelings merged by average linkage
        first  second   distance  labelings
        a      b          0.5000          2
        c      merge 1    1.7500          3
        """
        return make_hierarchy(self.names, self._matrix("a hierarchy"), method)

    def embedding(
        self,
        dimensions: int = 2,
        method: Method = "stress",
        *,
        starts: int = 4,
        random_state: Any = 0,
    ) -> Embedding:
        """Return a map: points whose distances are as close as possible to those given.

        Parameters
        ----------
        dimensions : int, optional
            The number of coordinates.
        method : {"stress", "classical"}, optional
            "classical" is classical scaling (Torgerson 1952). "stress" starts from there, and
            from random points, and lowers the stress by majorization (de Leeuw 1977).
        starts : int, optional
            The number of starts for the least stress, including classical scaling.
        random_state : int, Generator or None, optional
            The seed of the random starts.

        Returns
        -------
        Embedding
            The points, and the stress of the map.

        Raises
        ------
        ParameterError
            If a parameter is out of range, or the measure is not a symmetric distance.

        Examples
        --------
        >>> e = Ensemble({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 1, 0, 1]})
        >>> e.embedding().points.shape
        (3, 2)
        """
        matrix = self._matrix("a map")
        wanted = whole(dimensions, "dimensions", 1, max(2, len(self)))
        tried = whole(starts, "starts", 1, 10_000)
        points, stress = embed(matrix, wanted, method, tried, generator(random_state))
        return Embedding(self.names, points, stress, method)

    def nearest(self, query: Any, k: int = 1) -> Nearest:
        """Return the k labelings nearest to one more, exactly.

        Parameters
        ----------
        query : array-like, mapping or groups
            One more labeling of the same objects, by their names if the labelings are.
        k : int, optional
            How many labelings to return.

        Returns
        -------
        Nearest
            The labelings, their distances, and how many distances were computed.

        Raises
        ------
        LabelError
            If the query is of other objects than the labelings, or lacks labels.
        ParameterError
            If k is out of range, or the measure is not a metric.

        Notes
        -----
        The first call builds a metric tree from some distances between labelings. Where
        `distances` are known, they are used instead and rule out even more candidates.

        Examples
        --------
        >>> e = Ensemble({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 1, 0, 1]})
        >>> e.nearest([0, 0, 1, 1], 2)
        labeling  distance
        a                0
        b           0.5000
        2 of 3 distances were computed.
        """
        return self._nearest(query, whole(k, "k", 1, len(self)), math.inf)

    def within(self, query: Any, radius: float) -> Nearest:
        """Return all labelings within a radius of one more, exactly and nearest first.

        Parameters
        ----------
        query : array-like, mapping or groups
            One more labeling of the same objects, by their names if the labelings are.
        radius : float
            The largest distance, in the unit of the measure.

        Returns
        -------
        Nearest
            The labelings, their distances, and how many distances were computed; none may be near
            enough.

        Raises
        ------
        LabelError
            If the query is of other objects than the labelings, or lacks labels.
        ParameterError
            If the radius is negative or no number, or the measure is not a metric.

        Notes
        -----
        These are the balls of Meilă 2007, §4.3: a metric with a known bound gives radii a meaning.

        Examples
        --------
        >>> e = Ensemble({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 1, 0, 1]})
        >>> e.within([0, 0, 1, 1], 0.5).names
        ('a', 'b')
        """
        if not is_number(radius) or not radius >= 0:
            raise ParameterError(f"radius must be a number of at least 0, not {radius!r}.")
        return self._nearest(query, len(self), float(radius))

    def trajectory(self) -> Trajectory:
        """Take the labelings as steps in their order, such as the iterations of an algorithm.

        Returns
        -------
        Trajectory
            The distance of each to the first, to the last and to the one before.

        Raises
        ------
        ParameterError
            If the measure is not a distance.

        Examples
        --------
        >>> e = Ensemble({"k=1": [0, 0, 0, 0], "k=2": [0, 0, 1, 1], "k=3": [0, 0, 1, 2]})
        >>> e.trajectory()
        Variation of information between 3 clusterings of 4 objects, in their order
        labeling  clusters    step  from start  to end
        k=1              1       -           0  1.5000
        k=2              2  1.0000      1.0000  0.5000
        k=3              3  0.5000      1.5000       0
        The steps add up to 1.5000 bits, and the first and the last are 1.5000 apart (100% of that).
        """
        if self.measure.better != "lower":
            raise ParameterError(
                f"a trajectory needs a distance, and {self.measure.key} is none; use one such as "
                "variation_of_information."
            )
        pair = PairValues(self.labelings, Scoring(self.measure, {}), 3 * len(self))
        last = len(self) - 1
        steps = [math.nan, *(pair(k, k + 1)[0] for k in range(last))]
        return Trajectory(
            self.names,
            self.labelings.clusters,
            np.array(steps),
            np.array([pair(0, k)[0] if k else 0.0 for k in range(len(self))]),
            np.array([pair(k, last)[0] if k < last else 0.0 for k in range(len(self))]),
            self.measure,
            self.n,
        )

    def _nearest(self, query: Any, wanted: int, radius: float) -> Nearest:
        if "distances" in self.__dict__ and self._space.tree.built:
            self.__dict__.pop("_space")  # all distances are known by now
        return self._space.nearest(query, wanted, radius)

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
        """Return the partition with the least weighted sum of distances to the labelings.

        Parameters
        ----------
        measure : {"variation_of_information", "mirkin"}, optional
            The distance; by default that of the ensemble, or the variation of information if
            that of the ensemble is neither.
        collapse : bool, optional
            Whether the answer may be one cluster though the labelings have more.
        starts : int, optional
            The number of local searches.
        random_state : int, Generator or None, optional
            The seed of the searches.

        Returns
        -------
        Consensus
            The partition, its distances to the labelings, and the searches.

        Raises
        ------
        LabelError
            If some object has no label in any labeling.
        ParameterError
            If the measure is another one, or `starts` is out of range.

        Notes
        -----
        The searches move atoms (objects that no labeling separates), cells and clusters. They
        start from members, co-association cuts, meets and one cluster, then from the best answer
        after random changes. The answer is never worse than the best complete member; it is not
        guaranteed to be the best of all partitions.

        All objects in one cluster are at distance H(L) from each labeling L. Where the labelings
        agree little, that is the least sum of all, and useless. The answer is then the best
        partition that a search reached with the clusters of its start, and is `collapsed`. With
        ``collapse=True`` it is the one cluster. `groups` and `subset` may lead to labelings that
        agree.

        Examples
        --------
        >>> e = Ensemble({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 0, 1, 1]})
        >>> e.consensus().labels.tolist()
        [0, 0, 1, 1]
        """
        key = read_criterion(measure, self.measure)
        return find_consensus(
            self.labelings,
            self.weights,
            key,
            self._between(key),
            collapse=collapse,
            starts=whole(starts, "starts", 1, 100_000),
            rng=generator(random_state),
        )

    def summary(
        self,
        groups: int | None = None,
        *,
        centres: Centres = "medoids",
        starts: int = 12,
        random_state: Any = 0,
        query: Any = None,
        nearest: int | None = None,
        within: float | None = None,
    ) -> Summary:
        """Return all of this as one record, to print or to keep.

        Parameters
        ----------
        groups : int, optional
            The number of groups; by default the one with the largest mean silhouette.
        centres : {"medoids", "consensus"}, optional
            What is at the centre of a group, as in `groups`.
        starts : int, optional
            The number of local searches for each consensus.
        random_state : int, Generator or None, optional
            The seed of the searches and of the map.
        query : array-like, mapping or groups, optional
            One more labeling of the same objects, by their names if the labelings are; the
            labelings nearest to it are found.
        nearest : int, optional
            How many of them to find; by default five, or all if there are fewer.
        within : float, optional
            Find all of them up to this distance instead.

        Returns
        -------
        Summary
            Distances, medoid, spread, groups, hierarchy, map and consensus.

        Raises
        ------
        ParameterError
            If a parameter is out of range, or the measure is not a symmetric distance.

        Examples
        --------
        >>> e = Ensemble({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 0, 1, 1]})
        >>> e.summary(query=[0, 0, 1, 2], nearest=1).nearest.names
        ('b',)
        """
        if groups is not None:
            whole(groups, "groups", 1, len(self))
        near = None
        if within is not None and nearest is not None:
            raise ParameterError(Setting("within"), " goes without ", Setting("nearest"), ".")
        if query is not None and within is not None:
            near = self.within(query, within)
        elif query is not None:
            wanted = min(5, len(self)) if nearest is None else nearest
            near = self.nearest(query, whole(wanted, "nearest", 1, len(self)))
        return Summary(
            distances=self.distances,
            clusters=self.labelings.clusters,
            mean_distances=mean_to_others(self._matrix("a comparison"), self.weights),
            objects=self.n,
            kept=self.labelings.kept,
            medoid=self.medoid,
            spread=self.spread,
            groups=self.groups(groups, centres, starts=starts, random_state=random_state),
            hierarchy=self.hierarchy(),
            embedding=self.embedding(random_state=random_state),
            consensus=self.consensus(starts=starts, random_state=random_state),
            nearest=near,
            levels=sweep_of(self.labelings),
        )


def _read_weights(weights: Any, count: int) -> Floats:
    """Return the weights of the labelings: numbers, none negative, not all zero."""
    if weights is None:
        return np.ones(count)
    try:
        given = np.asarray(weights, np.float64)
    except (TypeError, ValueError):
        raise ParameterError("weights must be numbers, one per labeling.") from None
    if given.shape != (count,):
        raise ParameterError(
            f"weights must be one number per labeling; there are {count:,} labelings and the "
            f"weights have shape {given.shape}."
        )
    if not np.isfinite(given).all() or given.min() < 0 or not given.any():
        raise ParameterError("weights must be finite, not negative and not all zero.")
    return given
