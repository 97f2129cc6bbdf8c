"""`Stability`: whether the clusters of one clustering come back in others of the same objects."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import LabelError
from clustervet.labels import show_label
from clustervet.labels.pair import read_clustered
from clustervet.view import (
    Result,
    Section,
    Table,
    form_cell,
    name_cell,
    number_cell,
    plain,
    plain_table,
)
from clustervet.view.data import rows_of
from clustervet.view.words import counted, names

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
# Up to the first Jaccard index a cluster is dissolved in a sample, above the second it is
# recovered (Hennig 2007, §3; the defaults of fpc::clusterboot).
DISSOLVED, RECOVERED = 0.5, 0.75
# Mean Jaccard indices from which a cluster is called stable and highly stable (Hennig 2008, §4).
STABLE, HIGHLY = 0.75, 0.85
# Cells of a table that are held for each object, above which only those that occur are.
DENSE = 4
# The ends of the range in which nine of ten samples lie.
ENDS = (0.05, 0.95)


@dataclass(frozen=True, slots=True)
class ClusterStability:
    """One cluster, and how it came back in the samples.

    Parameters
    ----------
    cluster : object
        The name of the cluster.
    size : int
        The number of its objects.
    jaccard : float
        Its mean best Jaccard index: in each sample, that of its objects there with the most
        similar cluster of the sample.
    low, high : float
        The range in which nine of ten samples lie.
    dissolved : float
        The share of samples in which its Jaccard index is at most 0.5.
    recovered : float
        The share of samples in which it is above 0.75.
    samples : int
        The samples that hold objects of the cluster; others say nothing about it.
    """

    cluster: Any
    size: int
    jaccard: float
    low: float
    high: float
    dissolved: float
    recovered: float
    samples: int

    @property
    def stable(self) -> bool:
        """Whether the mean Jaccard index is at least 0.75."""
        return self.jaccard >= STABLE

    @property
    def verdict(self) -> str:
        """The cluster in one or two words: highly stable, stable or unstable."""
        if math.isnan(self.jaccard):
            return "unknown"
        return ("highly stable" if self.jaccard >= HIGHLY else "stable") * self.stable or "unstable"


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Result):
    """How well each cluster comes back when the data change a little.

    Made by `stability`.

    Parameters
    ----------
    names : list
        The clusters.
    sizes : ndarray of int
        The number of objects of each.
    jaccards : ndarray of float
        Clusters × samples: the Jaccard index of a cluster with the most similar one of a sample,
        among the objects of the sample; nan where the sample has none of its objects.
    objects : ndarray of float
        For each object the share of samples in which it was in the cluster that is most similar
        to its own, among the samples that hold it; nan for noise and where no sample holds it.
    how : str
        What the samples are, in a few words.
    labels : ndarray
        The place of each object's cluster among the names; -1 for noise.
    failed : dict
        Why the clusterer refused samples, and how often.
    remark : str, optional
        What else a reader must know about the samples.
    ids : tuple, optional
        The names of the objects, in the order of `objects` and `labels`, if labels came with them.

    Examples
    --------
    >>> import clustervet as cv
    >>> runs = [[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 2], [1, 1, 1, 0, 0, 2]]
    >>> found = cv.stability(runs, labels=list("aaabbb"))
    >>> [round(cluster.jaccard, 2) for cluster in found.clusters]
    [1.0, 0.78]
    >>> found["b"].verdict, found.objects.round(2).tolist()
    ('stable', [1.0, 1.0, 1.0, 1.0, 1.0, 0.33])
    """

    SCHEMA: ClassVar[str] = "clustervet/stability/1"

    names: list[Any]
    sizes: Places
    jaccards: Floats
    objects: Floats
    how: str
    labels: Places
    failed: dict[str, int]
    remark: str = ""
    ids: tuple[Any, ...] | None = None

    def __getitem__(self, name: Any) -> ClusterStability:
        return self.clusters[self.names.index(name)]

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def clusters(self) -> list[ClusterStability]:
        """The clusters, in the order of their names."""
        return [self._cluster(k) for k in range(len(self.names))]

    def _cluster(self, k: int) -> ClusterStability:
        held = self.jaccards[k][~np.isnan(self.jaccards[k])]
        name, size = self.names[k], int(self.sizes[k])
        if not len(held):
            nan = math.nan
            return ClusterStability(name, size, nan, nan, nan, nan, nan, 0)
        low, high = np.quantile(held, ENDS).tolist()
        shares = float(np.mean(held <= DISSOLVED)), float(np.mean(held > RECOVERED))
        return ClusterStability(name, size, float(held.mean()), low, high, *shares, len(held))

    @property
    def samples(self) -> int:
        """The number of samples that were clustered."""
        return int(self.jaccards.shape[1])

    @property
    def verdict(self) -> str:
        """Which clusters are stable, in one sentence."""
        weak = [one for one in self.clusters if not one.stable]
        total = counted(len(self), "cluster")
        if not weak:
            return f"All {total} are stable." if len(self) > 1 else "The cluster is stable."
        weak.sort(key=lambda one: one.jaccard)
        said = names([show_label(one.cluster) for one in weak])
        if len(weak) == len(self):
            return f"None of the {total} is stable." if len(self) > 1 else "It is unstable."
        held = len(self) - len(weak)
        return f"{held} of {total} {'is' if held == 1 else 'are'} stable; unstable: {said}."

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per cluster.

        Returns
        -------
        dict
            Values by the name of the column.
        """
        rows = self.clusters
        fields = ("cluster", "size", "jaccard", "low", "high", "dissolved", "recovered", "samples")
        found: dict[str, Sequence[Any]] = {
            name: [getattr(row, name) for row in rows] for name in fields
        }
        return found | {"verdict": [row.verdict for row in rows]}

    def listed_objects(self) -> dict[str, Sequence[Any]]:
        """Return one row per object.

        Returns
        -------
        dict
            The name of the object if objects have names, the cluster, and the share of samples in
            which the object stayed with it; None for noise.

        Examples
        --------
        >>> import clustervet as cv
        >>> cv.stability([[0, 0, 1], [0, 1, 1]], labels=["a", "a", "b"]).listed_objects()
        {'cluster': ['a', 'a', 'b'], 'stayed': [1.0, 0.5, 1.0]}
        """
        held = [None, *self.names]
        return {
            **({} if self.ids is None else {"object": list(self.ids)}),
            "cluster": [held[place + 1] for place in self.labels.tolist()],
            "stayed": plain(self.objects),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the clusters as plain data.

        Returns
        -------
        dict
            Plain data, as JSON holds it.
        """
        columns = self.columns()
        columns["cluster"] = [show_label(name) for name in columns["cluster"]]
        return {
            "schema": self.SCHEMA,
            "how": self.how,
            "samples": self.samples,
            "clusters": rows_of(columns),
            "verdict": self.verdict,
            **({"failed": self.failed} if self.failed else {}),
        }

    def document(self) -> Section:
        """Return one row per cluster, the least stable first.

        Returns
        -------
        Section
            The sentences and the table.
        """
        return Section(
            "stability",
            "Which clusters are stable",
            (f"{self.how}, {counted(len(self.objects), 'object')}",),
            (self.table("stability-clusters", "Clusters, the least stable first"),),
            notes=(*self._notes(), self.verdict),
            lead=(self.verdict,),
            subject=self,
            citations=("Hennig 2007",),
        )

    def table(self, key: str, title: str) -> Table:
        """Return one row per cluster, the least stable first.

        Parameters
        ----------
        key : str
            The key of the table, unique in its document.
        title : str
            Its title.

        Returns
        -------
        Table
            The clusters with their mean Jaccard index.

        Examples
        --------
        >>> import clustervet as cv
        >>> found = cv.stability([[0, 0, 1, 1], [0, 0, 1, 2]], labels=["a", "a", "b", "b"])
        >>> [row.cells[0].text for row in found.table("all", "All clusters").rows]
        ['b', 'a']
        """
        rows = sorted(self.clusters, key=lambda one: (one.jaccard, -one.size))
        columns: dict[str, Any] = {
            "cluster": [name_cell("cluster", one.cluster, "p0") for one in rows],
            "objects": [one.size for one in rows],
            "jaccard ↑": [
                number_cell(None if math.isnan(one.jaccard) else one.jaccard) for one in rows
            ],
            "dissolved": [_share(one.dissolved) for one in rows],
            "recovered": [_share(one.recovered) for one in rows],
            "verdict": [one.verdict for one in rows],
        }
        return plain_table(key, title, columns)

    def _notes(self) -> list[str]:
        said = [
            "jaccard: mean over the samples of the best Jaccard index; stable from 0.75, highly "
            "stable from 0.85. dissolved: share of the samples in which it is at most 0.5; "
            "recovered: in which it is more than 0.75."
        ]
        noise = int((self.labels < 0).sum())
        if noise:
            are = "is" if noise == 1 else "are"
            said.append(f"{counted(noise, 'object')} {are} noise, and in no cluster.")
        known = self.objects[~np.isnan(self.objects)]
        moved = int((known < 0.5).sum())
        if moved:
            own = "its" if moved == 1 else "their"
            said.append(
                f"{moved:,} of the {counted(len(known), 'object')} ({moved / len(known):.1%}) that "
                f"samples held left {own} cluster in more than half of these."
            )
        for why, count in self.failed.items():
            said.append(f"{counted(count, 'sample')} left out: {show_label(why, 200)}.")
        if self.remark:
            said.append(self.remark)
        said.append(
            "A stable cluster need not be a real one: a cut through one group can be stable too."
        )
        return said


def _share(value: float) -> Any:
    return form_cell(None if math.isnan(value) else value, ".0%")


class StabilityCount:
    """Compares one clustering with those of samples, one at a time.

    `ids` are the names of the objects, in the order of the labels.
    """

    def __init__(self, labels: Any, noise: Any = -1, ids: tuple[Any, ...] | None = None) -> None:
        self.ids = ids
        self.labels, self.names = read_clustered(labels, noise)
        self.sizes = np.bincount(self.labels[self.labels >= 0], minlength=len(self.names))
        self._jaccards: list[Floats] = []
        self._stayed = np.zeros(len(self.labels), np.int64)
        self._seen = np.zeros(len(self.labels), np.int64)

    def add(self, labels: Places, rows: Places | None = None) -> None:
        """Compare with the clusters of one sample: codes from 0, and -1 for noise.

        `rows` are the places of its objects, each once; by default all.
        """
        own = self.labels if rows is None else self.labels[rows]
        best, jaccards = best_matches(own, labels, len(self.names))
        self._jaccards.append(jaccards)
        inside = own >= 0
        stayed = inside & (labels >= 0)
        stayed[stayed] = best[own[stayed]] == labels[stayed]
        self._seen[slice(None) if rows is None else rows] += inside
        self._stayed[slice(None) if rows is None else rows] += stayed

    def result(self, how: str, failed: dict[str, int] | None = None, remark: str = "") -> Stability:
        """Return what was found."""
        with np.errstate(invalid="ignore"):
            objects = self._stayed / self._seen
        table = np.array(self._jaccards).T.reshape(len(self.names), -1)
        return Stability(
            self.names,
            self.sizes,
            table,
            objects,
            how,
            self.labels,
            failed or {},
            remark,
            self.ids,
        )


def best_matches(own: Places, others: Places, clusters: int) -> tuple[Places, Floats]:
    """Return for each cluster the most similar one of other labels, and their Jaccard index.

    Codes below 0 are in no cluster. A cluster that meets no other has the place -1 and index 0;
    one without objects has the index nan.

    >>> best_matches(np.array([0, 0, 0, 1, -1]), np.array([0, 0, 1, 1, 1]), 3)
    (array([ 0,  1, -1]), array([0.66666667, 0.33333333,        nan]))
    """
    best, index = np.full(clusters, -1), np.zeros(clusters)
    sizes = np.bincount(own[own >= 0], minlength=clusters)
    index[sizes == 0] = math.nan
    both = (own >= 0) & (others >= 0)
    if not both.any():
        return best, index
    width = int(others.max()) + 1
    widths = np.bincount(others[others >= 0], minlength=width)
    keys = own[both].astype(np.int64) * width + others[both]
    if clusters * width <= DENSE * len(own) + 2**16:
        table = np.bincount(keys, minlength=clusters * width)
        cells = np.flatnonzero(table)
        shared = table[cells]
    else:
        cells, shared = np.unique(keys, return_counts=True)
    rows, columns = np.divmod(cells, width)
    values = shared / (sizes[rows] + widths[columns] - shared)
    # Of equally similar clusters the first.
    order = np.lexsort((columns, -values, rows))
    first = order[np.r_[True, np.diff(rows[order]) > 0]]
    best[rows[first]], index[rows[first]] = columns[first], values[first]
    return best, index


def clusters_of(labels: Any, noise: Any = -1) -> Places:
    """Return the number of each object's cluster, -1 where it has none; there may be no cluster."""
    try:
        return read_clustered(labels, noise)[0]
    except LabelError:
        return np.full(len(labels), -1)
