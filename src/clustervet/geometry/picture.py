"""The points of a clustering in two dimensions, small enough to be kept with a result.

The coordinates of up to 5,000 points are kept, and of more only a grid of counts. So a result that
holds a picture does not hold the data.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import ClustervetError, FeatureError, LabelError
from clustervet.geometry.gower import GowerTable
from clustervet.geometry.points import is_sparse, read_distances, read_points, read_values
from clustervet.geometry.profiles import (
    ClusterProfiles,
    Clusters,
    named_features,
    profiles_of,
    read_clusters,
)
from clustervet.labels import consecutive, plain_label, read_labels
from clustervet.view import Result, Section
from clustervet.view.words import short, spoken

Floats = NDArray[np.float64]
Kind = Literal["cluster", "rest", "noise", "all"]
# Points up to which each has a mark; more are drawn as densities, in a grid with cells on a side.
MARKED = 5_000
GRID = 160
# Points, and values, from which the directions of the plane are found; more are drawn at random.
FITTED = 20_000
VALUES = 10_000_000
# Points whose distances are scaled to a plane.
SCALED = 1_000
# Clusters with a colour, and classes with a shape, of their own.
COLOURED = 6
SHAPED = 7
# Features up to which all of their covariances are computed.
COVARIED = 1_000
# Digits of a place on a page: more cannot be seen.
DIGITS = 5


@dataclass(frozen=True, eq=False)
class Plane:
    """Where points lie in two dimensions, what the axes are, and how much of the data they hold.

    `rows` are the points that have a place, None for all.
    """

    places: Floats
    titles: tuple[str, str]
    note: str
    rows: NDArray[np.int64] | None = None


@dataclass(frozen=True, eq=False)
class Group:
    """Points of one colour: a cluster, the smaller clusters together, or noise.

    `place` is that of the colour of a cluster.
    """

    name: Any
    size: int
    kind: Kind
    clusters: int = 1
    place: int = 0


@dataclass(frozen=True, eq=False)
class Marks:
    """Single points: their rows and places, and the numbers of their groups and classes.

    A point whose class is not known has the number -1.
    """

    rows: NDArray[np.int64]
    places: Floats
    groups: NDArray[np.int16]
    classes: NDArray[np.int16] | None


@dataclass(frozen=True, eq=False)
class Density:
    """Points counted in a grid: its edges, how many points each cell has, and the leading group."""

    edges: tuple[Floats, Floats]
    total: NDArray[np.int64]
    leader: NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class Sketch:
    """What a picture of points needs.

    `clusters` is the number of clusters, None where there are none; `strays` the number of points
    that are not of the class that leads their cluster, None without classes. The last of `classes`
    stands for `combined` classes, where that is not 0.
    """

    points: int
    clusters: int | None
    titles: tuple[str, str]
    note: str
    groups: tuple[Group, ...]
    classes: tuple[Any, ...]
    combined: int
    strays: int | None
    marks: Marks | None
    density: Density | None


@dataclass(frozen=True, eq=False, repr=False)
class ClusteredPoints(Result):
    """The points of a clustering: their picture, and the profile of each cluster.

    Parameters
    ----------
    sketch : Sketch
        The points in two dimensions: some thousand places, or a grid of counts.
    profiles : ClusterProfiles or None
        What sets each cluster apart; None where only distances are known.
    said : str
        Which clustering this is.
    """

    sketch: Sketch
    profiles: ClusterProfiles | None
    said: str = ""

    def columns(self) -> dict[str, Any]:
        """Return one row per cluster and feature, or per group of points without profiles.

        Returns
        -------
        dict
            Values by the name of the column.
        """
        if self.profiles is not None:
            return self.profiles.columns()
        groups = self.sketch.groups
        return {
            "group": [short(group.name) for group in groups],
            "points": [group.size for group in groups],
        }

    def document(self) -> Section:
        """Return the profiles; a page draws the points above them.

        Returns
        -------
        Section
            The table.
        """
        return self.section("points", "")

    def section(self, key: str, scope: str) -> Section:
        """Return the section of a page.

        Parameters
        ----------
        key : str
            The key of the section.
        scope : str
            The id of the clustering, which the ids of its clusters begin with.

        Returns
        -------
        Section
            The profiles, with the points as subject, which a page draws.
        """
        held = self.profiles
        return Section(
            key,
            "The points",
            tuple(filter(None, [self.said])),
            () if held is None else (held.table(f"{key}-profiles", scope),),
            subject=self,
            scope=scope,
            detail=True,
            citations=() if held is None else ("Cohen 1988",),
        )


def clustered_points(
    points: Any,
    labels: Any,
    truth: Any = None,
    *,
    names: Sequence[Any] | None = None,
    noise: Sequence[Any] = (),
    precomputed: bool = False,
    drawn: Any = None,
    places: Mapping[Any, int] | None = None,
    said: str = "",
) -> ClusteredPoints:
    """Return picture and profiles of points, or the picture alone without clusters.

    A table for Gower's distance is drawn by its distances; its profiles are those of its numbers
    and of the shares of its categories.

    Profiles are those of `points`. The picture is that of `drawn`, the features as the clusterer
    read them, where these are others. With `precomputed` the points are distances. `places` are
    those of the colours of clusters, by size where it is not known.
    """
    table = points if isinstance(points, GowerTable) else None
    if table is not None:
        points, names = table.values, table.names
    values = read_distances(points) if precomputed else read_values(points)
    clusters = None if labels is None else read_clusters(labels, values.shape[0], noise)
    seen = values if drawn is None else drawn
    named = None if precomputed else named_features(names, values.shape[1])
    if table is not None:
        rows = _drawn(table.shape[0], SCALED)
        plane = _scaled(table.distances(rows), rows, table.shape[0])
    else:
        plane = distance_plane(values) if precomputed else plane_of(seen, named)
    plane = replace(plane, places=_rounded(plane.places))
    sketch = sketched(plane, values.shape[0], clusters, truth, places)
    profiles = None
    if named is not None and clusters is not None:
        profiles = profiles_of(values, clusters, named, 3)
    return ClusteredPoints(sketch, profiles, said)


def tried_points(*given: Any, **options: Any) -> ClusteredPoints | None:
    """Return the same, or None where no picture can be made of such data."""
    try:
        return clustered_points(*given, **options)
    except ClustervetError:
        return None


def sketched(
    plane: Plane,
    points: int,
    clusters: Clusters | None,
    truth: Any,
    places: Mapping[Any, int] | None = None,
) -> Sketch:
    """Return what a picture of all points needs."""
    groups, group_of = _groups(clusters, points, places or {})
    classes, codes, combined = _classes(truth, points)
    marks = density = None
    if len(plane.places) <= MARKED:
        rows = np.arange(points) if plane.rows is None else plane.rows
        own = None if codes is None else np.where(codes < 0, -1, np.minimum(codes, SHAPED))[rows]
        marks = Marks(
            rows, plane.places, group_of[rows], None if own is None else own.astype(np.int16)
        )
    else:
        density = _density(plane.places, group_of, len(groups))
    return Sketch(
        points,
        None if clusters is None else len(clusters.order),
        plane.titles,
        plane.note,
        groups,
        classes,
        combined,
        None if codes is None or clusters is None else _strays(clusters, codes),
        marks,
        density,
    )


def _groups(
    clusters: Clusters | None, points: int, places: Mapping[Any, int]
) -> tuple[tuple[Group, ...], NDArray[np.int16]]:
    """Return the clusters that have a colour, the others and noise, and the group of each point."""
    if clusters is None:
        return (Group("points", points, "all", 0),), np.zeros(points, np.int16)
    order, sizes = clusters.order, clusters.sizes
    coloured = order[:COLOURED]
    names = [plain_label(clusters.names[k]) for k in coloured]
    colours = free_places([places.get(name, -1) for name in names])
    found = [
        Group(clusters.names[k], int(sizes[k]), "cluster", place=place)
        for k, place in zip(coloured, colours, strict=True)
    ]
    place = np.zeros(len(clusters.names), np.int16)
    place[order[:COLOURED]] = np.arange(len(found))
    rest = order[COLOURED:]
    if rest:
        place[rest] = len(found)
        found.append(Group("others", int(sizes[rest].sum()), "rest", len(rest)))
    if clusters.noise is not None:
        place[clusters.noise] = len(found)
        found.append(Group("noise", int(sizes[clusters.noise]), "noise", 0))
    return tuple(found), place[clusters.codes]


def free_places(wanted: Sequence[int]) -> list[int]:
    """Return places of colours that all differ: those wanted, and free ones for the others.

    >>> free_places([2, -1, 2, 9, 0])
    [2, 1, 3, 4, 0]
    """
    taken = {place for place in wanted if 0 <= place < COLOURED}
    free = (place for place in count() if place not in taken)
    seen: set[int] = set()
    found = []
    for place in wanted:
        own = 0 <= place < COLOURED and place not in seen
        found.append(place if own else next(free))
        seen.add(found[-1])
    return found


def _classes(truth: Any, points: int) -> tuple[tuple[Any, ...], NDArray[np.int32] | None, int]:
    """Return the classes, the largest first, the class of each point, and how many share a shape.

    A point without a label has the class -1.
    """
    if truth is None:
        return (), None, 0
    side = read_labels(truth, "truth")
    if len(side) != points:
        raise LabelError(f"truth has {len(side):,} labels, and X has {points:,} points.")
    known = np.ones(points, np.bool_) if side.missing is None else ~side.missing
    if not known.any():
        return (), None, 0
    codes, distinct = consecutive(side.keep(known))
    names = list(side.restore(distinct))
    order = np.argsort(-np.bincount(codes, minlength=len(names)), kind="stable")
    place = np.empty(len(names), np.int32)
    place[order] = np.arange(len(names))
    found = np.full(points, -1, np.int32)
    found[known] = place[codes]
    ranked = [names[k] for k in order.tolist()]
    if len(ranked) <= SHAPED + 1:
        return tuple(ranked), found, 0
    return (*ranked[:SHAPED], "others"), found, len(ranked) - SHAPED


def _strays(clusters: Clusters, classes: NDArray[np.int32]) -> int:
    """Return how many points are not of the class that leads their cluster; noise is in none."""
    inside = classes >= 0
    if clusters.noise is not None:
        inside &= clusters.codes != clusters.noise
    pairs = clusters.codes[inside].astype(np.int64) * (int(classes.max()) + 1) + classes[inside]
    cells, counts = np.unique(pairs, return_counts=True)
    peaks = np.zeros(len(clusters.names), np.int64)
    np.maximum.at(peaks, cells // (int(classes.max()) + 1), counts)
    return int(inside.sum() - peaks.sum())


def _density(places: Floats, groups: NDArray[np.int16], number: int) -> Density:
    """Return how many points lie in each cell, and the group that most of them are in."""
    edges: list[Floats] = []
    cells = np.zeros(len(places), np.int64)
    for k in (1, 0):
        low, high = float(places[:, k].min()), float(places[:, k].max())
        high += high == low
        edges.insert(0, np.linspace(low, high, GRID + 1))
        step = (places[:, k] / 2 - low / 2) / (high / 2 - low / 2) * GRID
        cells = cells * GRID + np.minimum(step.astype(np.int64), GRID - 1)
    counts = np.bincount(cells + groups.astype(np.int64) * GRID**2, minlength=number * GRID**2)
    counts = counts.reshape(number, GRID, GRID)
    total, leader = counts.sum(axis=0), counts.argmax(axis=0).astype(np.int16)
    return Density((edges[0], edges[1]), total, leader)


def _rounded(places: Floats) -> Floats:
    """Return places without digits that nobody can see."""
    found = np.array(places, np.float64)
    for k in range(2):
        width = float(np.ptp(found[:, k] / 2)) * 2 if len(found) else 0.0
        if 0 < width < math.inf:
            found[:, k] = np.round(found[:, k], DIGITS - math.floor(math.log10(width)))
    return found


def given_plane(embedding: Any, points: int) -> Plane:
    """Return the places that were given."""
    places = read_points(embedding, "embedding")
    if is_sparse(places) or places.shape != (points, 2):
        raise FeatureError(
            f"embedding must have two coordinates for each of the {points:,} points; its shape is "
            f"{places.shape}."
        )
    note = "An embedding that was given; distances in it need not be those of the features."
    return Plane(np.asarray(places, np.float64), ("coordinate 1", "coordinate 2"), note)


def plane_of(features: Any, names: Sequence[str] | None = None) -> Plane:
    """Return two coordinates per point: two features as they are, or principal components."""
    points = read_points(features)
    n, d = points.shape
    named = [spoken(name) for name in named_features(names, d)] if d <= 2 else []
    if d <= 2:
        dense = points.toarray() if is_sparse(points) else np.asarray(points, np.float64)
        places = dense if d == 2 else np.column_stack([dense[:, 0], np.zeros(n)])
        return Plane(places, (named[0], named[1] if d == 2 else ""), "The features as they are.")
    if n < 2:
        return Plane(np.zeros((n, 2)), ("", ""), "One point has no direction.")
    rows = _drawn(n, max(2, min(FITTED, VALUES // d)) if not is_sparse(points) else FITTED)
    part = points if len(rows) == n else points[rows]
    centre, directions, held = _directions(part)
    places = np.empty((n, 2))
    for span in _spans(n, d):
        block = points[span]
        if not is_sparse(points):
            block = block.astype(np.float64) - centre
        places[span] = block @ directions.T
    titles = tuple(
        f"component {k + 1} ({share:.1%} of the variance)" for k, share in enumerate(held)
    )
    how = "components of a truncated SVD" if is_sparse(points) else "principal components"
    note = f"Two {how} of {d:,} features hold {sum(held):.1%} of their variance."
    if len(rows) < n:
        note = f"{note[:-1]}, by {len(rows):,} points drawn at random."
    return Plane(places, (titles[0], titles[1]), note)


def _directions(part: Any) -> tuple[Floats, Floats, list[float]]:
    """Return the centre, two directions of most variance, and their shares of it."""
    from sklearn.decomposition import PCA, TruncatedSVD

    with np.errstate(divide="ignore", invalid="ignore"):  # points that are all the same
        if is_sparse(part):
            model: Any = TruncatedSVD(2, random_state=0).fit(part)
            centre = np.zeros(part.shape[1])
        else:
            centre = part.mean(axis=0, dtype=np.float64)
            small = part.shape[1] <= COVARIED
            solver = "covariance_eigh" if small else "randomized"
            model = PCA(2, svd_solver=solver, random_state=0).fit(part - centre)
    return centre, model.components_, np.nan_to_num(model.explained_variance_ratio_).tolist()


def distance_plane(distances: Any) -> Plane:
    """Return a plane in which distances are kept as well as two coordinates can.

    This is classical scaling (Torgerson 1952), of a sample where there are many points.
    """
    rows = _drawn(len(distances), SCALED)
    return _scaled(distances[np.ix_(rows, rows)].astype(np.float64), rows, len(distances))


def _scaled(part: Floats, rows: NDArray[np.int64], n: int) -> Plane:
    """Return the plane of the distances of some of n points."""
    size = float(part.max()) or 1.0
    squares = (part / size) ** 2
    means = squares.mean(axis=0)
    products = (means[:, None] + means - squares - means.mean()) / 2
    values, vectors = np.linalg.eigh(products)
    values = np.maximum(values[::-1], 0.0)
    lead = np.zeros(2)
    lead[: min(2, len(values))] = values[:2]
    directions = np.zeros((len(rows), 2))
    directions[:, : min(2, len(values))] = vectors[:, ::-1][:, :2]
    share = lead.sum() / (values.sum() or 1.0)
    some = f" of {len(rows):,} points drawn at random" if len(rows) < n else ""
    note = (
        f"Classical scaling of the distances{some}; the plane holds {share:.1%} of their squares."
    )
    places = directions * np.sqrt(lead) * size
    return Plane(places, ("coordinate 1", "coordinate 2"), note, rows)


def _drawn(n: int, most: int) -> NDArray[np.int64]:
    """Return the numbers of all rows, or of `most` that are drawn at random; always the same."""
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, most, replace=False))


def _spans(n: int, d: int) -> Iterator[slice]:
    step = max(1, VALUES // 4 // d)
    yield from (slice(first, min(first + step, n)) for first in range(0, n, step))
