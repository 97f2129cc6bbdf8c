"""Silhouettes: each point's own cluster compared with the nearest other one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import generator, whole
from clustervet.geometry import Geometry, MomentGeometry
from clustervet.geometry.geometry import as_geometry, refuse_weights
from clustervet.geometry.widths import all_widths, widths_of
from clustervet.internal.common import DISTANCE_BIAS, drawn_places, pieces, strata
from clustervet.labels import show_label
from clustervet.labels.pair import Missing, NoisePolicy
from clustervet.registry import Estimate, measure
from clustervet.view import Result, Section, Table, name_cell, plain, plain_table

Floats = NDArray[np.float64]


@measure(
    title="Silhouette coefficient",
    symbol="S",
    family="silhouette",
    kind="internal",
    better="higher",
    bounds=(-1, 1),
    cost="pairs",
    aliases=("average_silhouette_width", "asw"),
    equation="mean_i (b_i - a_i) / max(a_i, b_i)",
    reference="Rousseeuw 1987; Aggarwal 2015, eq. 6.45",
    meaning="How much nearer points are to their own cluster than to the nearest other one.",
    use="You want a number that is easy to read: near 1 apart, near 0 touching, below 0 mixed.",
    avoid="Clusters are long, nested or of unequal density; " + DISTANCE_BIAS + ".",
    weighted=True,
)
def silhouette(geometry: Geometry, sample: int | None = None, random_state: Any = 0) -> float:
    """Mean silhouette of the points.

    Parameters
    ----------
    sample : int, optional
        Number of points to draw, cluster by cluster; each is compared with all points. By default
        all points are used.
    random_state : int, Generator or None, default 0
        Seed for drawing points.

    Notes
    -----
    A point alone in its cluster has silhouette 0. With `sample` the value is an `Estimate` with its
    standard error. Where only moments and a sample of points are known, that sample is used.

    Examples
    --------
    >>> silhouette([[0], [1], [10], [11]], [0, 0, 1, 1])
    0.899749373433584
    """
    geometry.need_clusters()
    if isinstance(geometry, MomentGeometry):
        return _by_moments(geometry)
    if sample is None:
        return float(geometry.weighed(all_widths(geometry)[0]).sum()) / geometry.n
    return _sampled(geometry, whole(sample, "sample", 2), generator(random_state))


@measure(
    title="Macro silhouette",
    symbol="S_macro",
    family="silhouette",
    kind="internal",
    better="higher",
    bounds=(-1, 1),
    cost="pairs",
    aliases=("cluster_silhouette", "macro_averaged_silhouette"),
    equation="mean_k mean_{i in k} (b_i - a_i) / max(a_i, b_i)",
    reference="Rousseeuw 1987; Pavlopoulos, Vardakas & Likas 2024",
    meaning="The mean silhouette of a cluster, averaged over clusters.",
    use="Small clusters should count as much as large ones.",
    avoid="There are clusters of one point, which count 0 each; " + DISTANCE_BIAS + ".",
    weighted=True,
)
def macro_silhouette(geometry: Geometry) -> float:
    """Mean over clusters of the mean silhouette of their points.

    Notes
    -----
    It is Silhouette of clusterCrit.

    Examples
    --------
    >>> round(macro_silhouette([[0], [1], [2], [10], [14]], [0, 0, 0, 1, 1]), 6)
    0.750981
    >>> round(silhouette([[0], [1], [2], [10], [14]], [0, 0, 0, 1, 1]), 6)
    0.776391
    """
    geometry.need_clusters()
    if isinstance(geometry, MomentGeometry):
        _ = geometry.points  # raises, with the reason
    sums = np.bincount(geometry.codes, geometry.weighed(all_widths(geometry)[0]))
    return float((sums / geometry.sizes).mean())


@measure(
    title="Simplified silhouette",
    symbol="SS",
    family="silhouette",
    kind="internal",
    better="higher",
    bounds=(-1, 1),
    equation="mean_i (b_i - a_i) / max(a_i, b_i), distances to centroids",
    reference="Hruschka, Campello & de Castro 2006, §2",
    meaning="The silhouette with distances to centroids in place of mean distances to points.",
    use="There are too many points for the silhouette.",
    avoid="Clusters differ much in spread; " + DISTANCE_BIAS + ".",
    weighted=True,
)
def simplified_silhouette(geometry: Geometry) -> float:
    """Mean silhouette with distances to centroids; 0 for a point alone in its cluster.

    >>> round(simplified_silhouette([[0], [1], [10], [11]], [0, 0, 1, 1]), 6)
    0.949875
    """
    geometry.need_clusters()
    total = 0.0
    for points, codes, rows in pieces(geometry):
        found = np.sqrt(geometry.centers.squares(points, 0, len(codes)))
        widths = widths_of(geometry, codes, found, found)[0]
        total += float(geometry.weighed(widths, rows).sum())
    return total / geometry.n


@dataclass(frozen=True, repr=False)
class Silhouettes(Result):
    """Silhouettes by point, by cluster and overall.

    Parameters
    ----------
    points : ndarray of float
        Silhouette of each point, in the order of the rows given; NaN where a policy dropped one.
    labels : list
        Cluster of each point; None where a policy dropped one.
    nearest : list
        For each point the nearest cluster other than its own.
    clusters : dict
        Mean silhouette of each cluster.
    sizes : dict
        Number of points in each cluster.
    overall : float
        Mean silhouette of all points.
    places : dict
        Places of the colours of clusters in pictures; those that it lacks go by size.

    Notes
    -----
    The silhouette of a point is (b - a) / max(a, b), where a is its mean distance to the other
    points of its cluster and b its least mean distance to another cluster (Rousseeuw 1987).

    Examples
    --------
    >>> import clustervet as cv
    >>> found = cv.silhouettes([[0], [1], [10], [12]], [0, 0, 1, 1])
    >>> found.points.round(3).tolist(), found.nearest
    ([0.909, 0.9, 0.789, 0.826], [1, 1, 0, 0])
    """

    points: Floats
    labels: list[Any]
    nearest: list[Any]
    clusters: dict[Any, float]
    sizes: dict[Any, int]
    overall: float
    places: Mapping[Any, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the silhouettes of clusters as plain data; those of points are in `columns`.

        Returns
        -------
        dict
            Plain data, as JSON holds it.
        """
        return {
            "overall": plain(self.overall),
            "points": len(self.points),
            "clusters": [
                {"cluster": show_label(name), "size": self.sizes[name], "silhouette": width}
                for name, width in self.clusters.items()
            ],
        }

    def columns(self) -> dict[str, Any]:
        """Return one row per point: its cluster, the nearest other one, its silhouette.

        Returns
        -------
        dict
            Values by the name of the column.
        """
        return {"cluster": self.labels, "nearest": self.nearest, "silhouette": self.points}

    def document(self) -> Section:
        """Return the silhouette of every cluster, the least apart first.

        Returns
        -------
        Section
            The sentences and tables.
        """
        said = (
            f"Silhouettes of {len(self.points):,} points in {len(self.clusters):,} clusters: "
            f"{self.overall:.4f} overall, {np.count_nonzero(self.points < 0):,} below 0"
        )
        table = self.table("silhouettes-clusters", "p0")
        return Section("silhouettes", "Silhouettes", (said,), (table,), subject=self, scope="p0")

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
            The clusters, their sizes and their mean silhouettes.

        Examples
        --------
        >>> table = silhouettes([[0], [1], [10], [13]], [0, 0, 1, 1]).table("clusters", "p0")
        >>> [[cell.text for cell in row.cells] for row in table.rows]
        [['1', '2', '0.7221'], ['0', '2', '0.9089']]
        """
        ordered = sorted(self.clusters.items(), key=lambda item: item[1])
        columns: dict[str, Any] = {
            "cluster": [name_cell("cluster", name, scope) for name, _ in ordered],
            "objects": [self.sizes[name] for name, _ in ordered],
            "silhouette": [width for _, width in ordered],
        }
        return plain_table(key, "Clusters, the least apart first", columns)


def silhouettes(
    X: Any,  # noqa: N803  # the name that everyone gives to features
    labels: Any = None,
    metric: Any = None,
    *,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: Missing = "raise",
) -> Silhouettes:
    """Return the silhouette of every point, of every cluster and of the clustering.

    Parameters
    ----------
    X : array_like, sparse matrix, dataframe or Geometry
        Features, one row per point; with ``metric='precomputed'`` a square matrix of distances. Or
        one finished geometry, and then nothing else of the data.
    labels : array_like, optional
        Cluster of each point, in the order of the rows of `X`.
    metric : str or callable, optional
        Name of a metric of scikit-learn, 'gower' for data frames with columns of any kind,
        'precomputed', or a function of two points. By default 'euclidean'.
    noise : label, str or dict, optional
        Label that means noise, a policy for the label -1, or a policy per label.
    noise_policy : {'keep', 'drop', 'singletons'}, optional
        What to do with noise. By default it is kept as one more cluster.
    missing : {'raise', 'drop', 'class'}, default 'raise'
        What to do with missing labels.

    Returns
    -------
    Silhouettes
        The values, with the nearest other cluster of each point.

    Raises
    ------
    LabelError
        If the labels cannot be read, or there are fewer than two clusters, or as many as points.
    FeatureError
        If `X` cannot be read as points or distances.
    ParameterError
        If a parameter is unknown or its value is out of range.

    Notes
    -----
    The silhouette of a point is (b - a) / max(a, b), where a is its mean distance to the other
    points of its cluster and b its least mean distance to another cluster (Rousseeuw 1987;
    Aggarwal 2015, eq. 6.45). It is 0 for a point alone in its cluster.

    Examples
    --------
    >>> found = silhouettes([[0], [1], [10], [11]], ["a", "a", "b", "b"])
    >>> found
    Silhouettes of 4 points in 2 clusters: 0.8997 overall, 0 below 0
    cluster  objects  silhouette
    a              2      0.8997
    b              2      0.8997
    >>> found.clusters
    {'a': 0.899749373433584, 'b': 0.899749373433584}
    """
    policies: dict[str, Any] = {"noise": noise, "noise_policy": noise_policy, "missing": missing}
    geometry = as_geometry("silhouettes", X, labels, metric, **policies)
    refuse_weights("silhouettes", geometry)
    silhouette.record(geometry, sample=2)  # raises where there are no silhouettes
    widths, nearest = all_widths(geometry)
    means = np.bincount(geometry.codes, widths) / geometry.sizes
    names = geometry.names
    places = geometry.as_given(geometry.codes, -1)
    others = geometry.as_given(nearest, -1)
    return Silhouettes(
        geometry.as_given(widths, math.nan),
        [None if c < 0 else names[c] for c in places.tolist()],
        [None if c < 0 else names[c] for c in others.tolist()],
        dict(zip(names, means.tolist(), strict=True)),
        dict(zip(names, geometry.sizes.tolist(), strict=True)),
        float(widths.mean()),
    )


def _by_moments(geometry: MomentGeometry) -> float:
    """Mean silhouette from moments: from the sample, or for squared distances from all rows."""
    drawn = geometry.estimate("silhouette")
    if drawn is not None:
        return drawn
    if not geometry.metric.squares:
        _ = geometry.points  # raises, with the reason
    total = 0.0
    for points, codes, _ in pieces(geometry):
        squares = geometry.centers.squares(points, 0, len(codes))
        sums = geometry.sizes * squares + geometry.within
        total += float(widths_of(geometry, codes, sums / geometry.sizes, sums)[0].sum())
    return total / geometry.n


def _sampled(geometry: Geometry, sample: int, rng: np.random.Generator) -> float:
    """The mean silhouette from points drawn by cluster, with its standard error."""
    geometry.need_no_weights("a sample of points")
    if sample >= geometry.rows:
        exact = float(all_widths(geometry)[0].mean())
        return Estimate(exact, standard_error=0.0, sample=geometry.rows)
    parts = strata(geometry, sample)
    places = drawn_places(parts, rng)
    codes = geometry.sorted_codes[places]
    if geometry.metric.squares:
        sums = geometry.squared.of(geometry.order[places])
    else:
        sums = geometry.row_sums(places)
    widths = widths_of(geometry, codes, sums / geometry.sizes, sums)[0]
    mean = variance = doubt = 0.0
    at = 0
    for _, size, count in parts:
        found = widths[at : at + count]
        at += count
        share = size / geometry.n
        mean += share * float(found.mean())
        if 1 < count < size:
            left = 1 - count / size  # finite-population correction
            part = share**2 * left * float(found.var(ddof=1)) / count
            variance += part
            doubt += part**2 / (count - 1)
    degrees = variance**2 / doubt if doubt else math.inf  # by Satterthwaite
    error = math.sqrt(variance)
    return Estimate(mean, standard_error=error, sample=sample, degrees=degrees)
