"""Single clusters: how wide each is, and how far from the others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from clustervet._progress import ticking
from clustervet.errors import LabelError
from clustervet.geometry.spanning import spanning_tree
from clustervet.geometry.widths import all_widths
from clustervet.labels import show_label
from clustervet.view import Result, Section, Table, name_cell, plain_table
from clustervet.view.data import rows_of
from clustervet.view.words import counted

if TYPE_CHECKING:
    from clustervet.geometry.geometry import Geometry

Floats = NDArray[np.float64]
# Points of a cluster up to which its widest gap is found, which takes a step per point.
GAPS = 50_000


@dataclass(frozen=True, repr=False, eq=False)
class ClusterDistances(Result):
    """Distances within each cluster and to the others.

    Parameters
    ----------
    names : list
        The clusters.
    sizes : ndarray of int
        The number of points of each.
    diameters : ndarray of float
        The largest distance between two points of the cluster.
    mean_distances : ndarray of float
        The mean distance between two points of the cluster; nan for a point alone.
    gaps : ndarray of float
        The widest gap: the largest distance between two parts of the cluster, however it is cut
        in two. It is the longest edge of the shortest tree that joins its points; nan for
        a point alone, and for clusters of more than 50,000 points.
    separations : ndarray of float
        The least distance of a point of the cluster to a point of another one.
    silhouettes : ndarray of float
        The mean silhouette of its points.
    nearest : list
        The other cluster that is nearest to most of its points, by mean distance.
    metric : str
        The distance.

    Notes
    -----
    A cluster whose widest gap is larger than its separation falls apart before it meets another
    one. The names in R's ``fpc::cluster.stats`` are diameter, average.distance, cwidegap,
    separation and clus.avg.silwidths (Hennig 2024).

    Examples
    --------
    >>> import clustervet as cv
    >>> found = cv.Geometry([[0], [1], [4], [10], [11]], ["a", "a", "a", "b", "b"]).clusters()
    >>> found["a"].diameter, found["a"].gap, found["a"].separation, found["a"].nearest
    (4.0, 3.0, 6.0, 'b')
    """

    SCHEMA: ClassVar[str] = "clustervet/clusters/1"

    names: list[Any]
    sizes: NDArray[np.int64]
    diameters: Floats
    mean_distances: Floats
    gaps: Floats
    separations: Floats
    silhouettes: Floats
    nearest: list[Any]
    metric: str

    def __getitem__(self, name: Any) -> ClusterRow:
        k = self.names.index(name)
        return ClusterRow(*(column[k] for column in self.columns().values()))

    def __len__(self) -> int:
        return len(self.names)

    def columns(self) -> dict[str, Any]:
        """Return one row per cluster.

        Returns
        -------
        dict
            Values by the name of the column.
        """
        return {
            "cluster": self.names,
            "size": self.sizes.tolist(),
            "diameter": self.diameters.tolist(),
            "mean_distance": self.mean_distances.tolist(),
            "gap": self.gaps.tolist(),
            "separation": self.separations.tolist(),
            "silhouette": self.silhouettes.tolist(),
            "nearest": self.nearest,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return one entry per cluster as plain data.

        Returns
        -------
        dict
            Plain data, as JSON holds it.
        """
        columns = self.columns()
        columns |= {name: list(map(show_label, columns[name])) for name in ("cluster", "nearest")}
        return {"schema": self.SCHEMA, "metric": self.metric, "clusters": rows_of(columns)}

    def document(self) -> Section:
        """Return one row per cluster.

        Returns
        -------
        Section
            The sentences and tables.
        """
        said = f"{counted(len(self), 'cluster')}, {self.metric} distances"
        return replace(self.section("clusters", "p0"), paragraphs=(said,))

    def section(self, key: str, scope: str) -> Section:
        """Return the table as a section of a page.

        Parameters
        ----------
        key : str
            The key of the section.
        scope : str
            The id of the clustering, which the ids of its clusters begin with.

        Returns
        -------
        Section
            The table.
        """
        table = self.table(f"{key}-all", scope)
        return Section(key, "The clusters", (), (table,), subject=self, scope=scope)

    def table(self, key: str, scope: str) -> Table:
        """Return one row per cluster, the least apart first.

        Parameters
        ----------
        key : str
            The key of the table, unique in its document.
        scope : str
            The id of the clustering, which the ids of its clusters begin with.

        Returns
        -------
        Table
            The clusters and their distances.
        """
        order = np.argsort(self.silhouettes, kind="stable").tolist()
        numbers = {
            "objects": self.sizes,
            "silhouette": self.silhouettes,
            "diameter": self.diameters,
            "mean_distance": self.mean_distances,
            "widest gap": self.gaps,
            "separation": self.separations,
        }
        columns: dict[str, Any] = {
            "cluster": [name_cell("cluster", self.names[k], scope) for k in order]
        }
        for head, values in numbers.items():
            columns[head] = [None if values[k] != values[k] else values[k].item() for k in order]
        columns["nearest"] = [name_cell("cluster", self.nearest[k], scope) for k in order]
        return plain_table(key, "Clusters, the least apart first", columns)


@dataclass(frozen=True, slots=True)
class ClusterRow:
    """One cluster; see `ClusterDistances`."""

    name: Any
    size: int
    diameter: float
    mean_distance: float
    gap: float
    separation: float
    silhouette: float
    nearest: Any


def cluster_distances(geometry: Geometry) -> ClusterDistances:
    """Return the distances within and between the clusters of a geometry."""
    if geometry.k < 2:
        raise LabelError("distances between clusters need at least 2 clusters, and there is 1.")
    starts, sizes = geometry.starts[:-1], geometry.sizes
    extremes = geometry.extremes()
    widths, nearest = all_widths(geometry)
    own = _own_sums(geometry)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = own / (sizes * (sizes - 1.0))
    gaps = np.full(geometry.k, np.nan)
    with ticking(geometry.k, "gaps of clusters") as tick:
        for k in range(geometry.k):
            if 1 < sizes[k] <= GAPS:
                gaps[k] = spanning_tree(geometry, k)[0][1:].max()
            tick()

    def given(values: Floats) -> Floats:
        return np.array([geometry.in_unit(x, geometry.metric.degree) for x in values.tolist()])

    return ClusterDistances(
        geometry.names,
        sizes,
        given(np.maximum.reduceat(extremes.reach, starts)),
        given(means),
        given(gaps),
        given(np.minimum.reduceat(extremes.separation, starts)),
        np.bincount(geometry.codes, widths) / sizes,
        [geometry.names[k] for k in _most_named(geometry.codes, nearest, geometry.k)],
        geometry.metric.name,
    )


def _most_named(codes: NDArray[Any], nearest: NDArray[np.int32], k: int) -> list[int]:
    """Return for each cluster the one that most of its points name as the nearest."""
    pairs, votes = np.unique(codes.astype(np.int64) * k + nearest, return_counts=True)
    order = np.lexsort((pairs, -votes, pairs // k))
    first = np.unique(pairs[order] // k, return_index=True)[1]
    return (pairs[order][first] % k).tolist()  # type: ignore[no-any-return]  # whole numbers


def _own_sums(geometry: Geometry) -> Floats:
    """Return for each cluster the sum of the distances between its points, both ways."""
    if not geometry.metric.squares:
        return np.add.reduceat(geometry.pair_sums.own, geometry.starts[:-1])
    total = np.zeros(geometry.k)
    for k in range(geometry.k):
        rows = geometry.order[geometry.starts[k] : geometry.starts[k + 1]]
        total[k] = geometry.squared.of(rows)[:, k].sum()
    return total
