"""The profile of each cluster: its size, and the features that set it apart from the rest."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import whole
from clustervet._memory import need
from clustervet.errors import FeatureError, LabelError
from clustervet.geometry.points import is_sparse, read_values
from clustervet.labels import Codes, check_index, consecutive, encode_all, show_label
from clustervet.labels.pair import noise_place
from clustervet.view import Cell, Column, Result, Row, Section, Table, plain
from clustervet.view.cells import form_cell, name_cell, number_cell
from clustervet.view.words import counted, digits, spoken

Floats = NDArray[np.float64]
# Clusters that get a profile, and means (clusters × features) up to which all of them do.
PROFILED = 100
MEANS = 4_000_000
# Values that are looked at together.
BLOCK = 2_000_000
# Share of the range of a feature up to which it varies by rounding.
ROUNDING = 1e-12
# Rows of a table in a terminal.
SHOWN = 20
ORDINALS = ("1st", "2nd", "3rd")


@dataclass(frozen=True, slots=True)
class FeatureDifference:
    """How far the mean of a cluster lies from that of the rest in one feature.

    Attributes
    ----------
    feature : str
        The name of the feature.
    difference : float
        Cohen's d; infinite if neither side varies.
    mean, rest_mean : float
        The means of the cluster and of all other points.
    points, rest_points : int
        How many points of the cluster, and of the others, have a value.
    """

    feature: str
    difference: float
    mean: float
    rest_mean: float
    points: int
    rest_points: int


@dataclass(frozen=True, slots=True)
class ClusterProfile:
    """One cluster: its size, its share of all points, and what sets it apart.

    Attributes
    ----------
    name : object
        The label of the cluster.
    size : int
        The number of its points.
    share : float
        Their share of all points.
    noise : bool
        Whether these are the points that are in no cluster.
    features : tuple of FeatureDifference
        The features with the largest absolute differences, the largest first.
    """

    name: Any
    size: int
    share: float
    noise: bool
    features: tuple[FeatureDifference, ...]

    @property
    def shown(self) -> str:
        """The label as text."""
        return "noise" if self.noise else show_label(self.name)


@dataclass(frozen=True, eq=False, repr=False)
class ClusterProfiles(Result):
    """The profiles of clusters, the largest first and noise last.

    Parameters
    ----------
    profiles : tuple of ClusterProfile
        The clusters.
    points : int
        The number of points.
    others, other_points : int
        How many smaller clusters have no profile, and their points.
    constant : int
        How many features have one value for all points.

    Examples
    --------
    >>> X = [[1.0, 5.0], [2.0, 5.1], [8.0, 5.0], [9.0, 5.2]]
    >>> found = cluster_profiles(X, ["a", "a", "b", "b"], feature_names=["width", "height"])
    >>> found["a"].features[0].feature, round(found["a"].features[0].difference, 2)
    ('width', -9.9)
    """

    profiles: tuple[ClusterProfile, ...]
    points: int
    others: int = 0
    other_points: int = 0
    constant: int = 0

    def __getitem__(self, name: Any) -> ClusterProfile:
        for profile in self.profiles:
            if profile.name == name:
                return profile
        raise KeyError(name)

    def __iter__(self) -> Iterator[Any]:
        return (profile.name for profile in self.profiles)

    def __len__(self) -> int:
        return len(self.profiles)

    def columns(self) -> dict[str, Any]:
        """Return one row per cluster and feature; a cluster without features has one row.

        Returns
        -------
        dict
            Values by the name of the column.
        """
        rows: list[tuple[Any, ...]] = []
        for one in self.profiles:
            head = (one.shown, one.size, one.share)
            for rank, each in enumerate(one.features, 1):
                means = (each.difference, each.mean, each.rest_mean)
                rows.append((*head, rank, each.feature, *means, each.points, each.rest_points))
            if not one.features:
                rows.append((*head, *[None] * 7))
        heads = ["cluster", "size", "share", "rank", "feature", "difference", "mean", "rest_mean"]
        heads += ["points", "rest_points"]
        return {name: [row[k] for row in rows] for k, name in enumerate(heads)}

    def to_dict(self) -> dict[str, Any]:
        """Return the profiles as plain data; a difference that is not finite is None.

        Returns
        -------
        dict
            Plain data, as JSON holds it.
        """
        return {
            "points": self.points,
            "others": self.others,
            "other_points": self.other_points,
            "constant_features": self.constant,
            "clusters": [
                {"cluster": one.shown, "size": one.size, "share": one.share, "noise": one.noise}
                | {"features": plain(one.features)}
                for one in self.profiles
            ],
        }

    def document(self) -> Section:
        """Return one row per cluster: its size, its share, and what sets it apart.

        Returns
        -------
        Section
            The table.
        """
        table = self.table("profiles-clusters", "")
        return Section(
            "profiles", "Cluster profiles", blocks=(table,), subject=self, citations=("Cohen 1988",)
        )

    def table(self, key: str, scope: str) -> Table:
        """Return the table of clusters.

        Parameters
        ----------
        key : str
            The key of the table.
        scope : str
            The id of the clustering, which the ids of its clusters begin with.

        Returns
        -------
        Table
            One row per cluster, the largest first.

        Examples
        --------
        >>> found = cluster_profiles([[1.0], [2.0], [8.0], [9.0]], [0, 0, 1, 1])
        >>> [cell.text for cell in found.table("k", "p0").rows[0].cells]
        ['0', '2', '50.0%', 'feature 1 −9.90']
        """
        wide = max((len(one.features) for one in self.profiles), default=0)
        heads = [Column("cluster", "text"), Column("points"), Column("share", scale=(0, 1))]
        hint = "The feature, and the standardised difference of the cluster's mean to the rest's"
        for k in range(wide):
            name = ORDINALS[k] if k < len(ORDINALS) else f"{k + 1}th"
            heads.append(Column(f"{name} feature", "text", hint))
        rows = []
        for one in self.profiles:
            first = Cell("noise") if one.noise else name_cell("cluster", one.name, scope)
            cells = [first, number_cell(one.size), form_cell(one.share, ".1%")]
            cells += [_feature_cell(each, one.size) for each in one.features]
            cells += [Cell("-")] * (3 + wide - len(cells))
            rows.append(Row(tuple(cells), first.link))
        note = self._note(wide)
        title = "What sets each cluster apart" if wide else "Sizes of the clusters"
        return Table(key, title, tuple(heads), tuple(rows), note, shown=SHOWN)

    def _note(self, wide: int) -> str:
        said = []
        if wide:
            said.append(
                "Numbers are standardised differences: the mean of the cluster less that of all "
                "other points, divided by their pooled standard deviation (Cohen's d). The "
                "features are those that differ most, so few points easily show large numbers."
            )
        if self.constant:
            verb = "has" if self.constant == 1 else "have"
            said.append(f"{counted(self.constant, 'feature')} {verb} one value for all points.")
        if self.others:
            points = counted(self.other_points, "point")
            said.append(f"{counted(self.others, 'smaller cluster')} of {points} not shown.")
        return " ".join(said)


def _feature_cell(one: FeatureDifference, size: int) -> Cell:
    """Return a feature and its difference; the points behind it where they are not all."""
    amount = "∞" if math.isinf(one.difference) else f"{abs(one.difference):.2f}"
    sign = "−" if one.difference < 0 else "+"
    behind = "" if one.points == size else f" ({counted(one.points, 'point')})"
    hint = (
        f"mean {digits(one.mean)} of {counted(one.points, 'point')} here, "
        f"{digits(one.rest_mean)} of {counted(one.rest_points, 'point')} in the rest"
    )
    # A name that is a number would run into the difference.
    name = f"feature {one.feature}" if one.feature.isdigit() else spoken(one.feature, 30)
    return Cell(f"{name} {sign}{amount}{behind}", hint=hint)


@dataclass(frozen=True, eq=False)
class Clusters:
    """The clusters of points: a number for each point, and the name and size of each cluster."""

    codes: NDArray[np.int32]
    names: list[Any]
    sizes: NDArray[np.int64]
    noise: int | None

    @property
    def order(self) -> list[int]:
        """The numbers of the clusters, the largest first, without noise."""
        falling = np.argsort(-self.sizes, kind="stable").tolist()
        return [k for k in falling if k != self.noise]


def read_clusters(labels: Any, points: int, noise: Sequence[Any] = ()) -> Clusters:
    """Return the clusters that labels stand for; `noise` are labels that mean noise beside -1."""
    (side,), _ = encode_all({"labels": labels}, missing="class")
    if len(side) != points:
        raise LabelError(f"labels has {len(side):,} labels, and X has {points:,} points.")
    codes, distinct = consecutive(side)
    names = list(side.restore(distinct))
    place = noise_place(names)
    if noise and place is None:
        place = _place_of(side, distinct, noise)
    return Clusters(codes, names, np.bincount(codes, minlength=len(names)), place)


def _place_of(side: Codes, distinct: NDArray[Any], noise: Sequence[Any]) -> int | None:
    known = [side.find(label) for label in noise]
    places = [np.flatnonzero(distinct == code) for code in known if code is not None]
    return next((int(place[0]) for place in places if len(place)), None)


class _Moments(NamedTuple):
    """Points with a value, means, and sums of squares about the means, of each feature."""

    known: Floats
    mean: Floats
    squares: Floats

    def with_(self, other: _Moments) -> _Moments:
        """Return those of both together; all terms are positive, so that no digit is lost."""
        count = self.known + other.known
        part = np.divide(other.known, count, out=np.zeros_like(count), where=count > 0)
        apart = other.mean - self.mean
        squares = self.squares + other.squares + apart**2 * self.known * part
        return _Moments(count, self.mean + apart * part, squares)


def cluster_profiles(
    X: Any,  # noqa: N803  # the name that everyone gives to features
    labels: Any,
    *,
    most: int = 3,
    feature_names: Sequence[Any] | None = None,
) -> ClusterProfiles:
    """Return size and share of each cluster, and the features that set it apart.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame
        Points by features. A value may be missing (NaN).
    labels : array-like
        The cluster of each point; -1 is noise.
    most : int, default 3
        The most features per cluster.
    feature_names : sequence, optional
        Names of the features; by default the columns of a data frame.

    Returns
    -------
    ClusterProfiles
        One profile for each of the 100 largest clusters, or fewer if there are very many features,
        and one for noise.

    Raises
    ------
    FeatureError
        If X cannot be read, has infinite values, or there is not one name for each feature.
    LabelError
        If there is not one label for each point, or if X and labels are of pandas and have
        different indexes.

    Notes
    -----
    The difference is Cohen's d (Cohen 1988, §2.5): the mean of the cluster less the mean of all
    other points, noise among them, divided by sqrt((S1 + S2) / (n1 + n2 - 2)), where S are the sums
    of squares about the two means. A missing value leaves its point out of that feature alone. A
    feature that varies on neither side has an infinite difference if the means differ, and none if
    they do not. A zero of a sparse matrix is a value.

    The features are picked because they differ most. So the differences describe the cluster, but
    are no estimates for new points.

    Examples
    --------
    >>> X = [[1.0, 5.0], [2.0, 5.1], [8.0, 5.0], [9.0, 5.2]]
    >>> found = cluster_profiles(X, ["a", "a", "b", "b"], feature_names=["width", "height"])
    >>> found["b"].size, found["b"].share, [one.feature for one in found["b"].features]
    (2, 0.5, ['width', 'height'])
    """
    whole(most, "most", 1)
    check_index({"X": X, "labels": labels})
    values = read_values(X)
    points, features = values.shape
    names = _names(X, feature_names, features)
    clusters = read_clusters(labels, points)
    return profiles_of(values, clusters, names, most)


def profiles_of(
    values: Any, clusters: Clusters, names: Sequence[str], most: int
) -> ClusterProfiles:
    """Return the profiles of clusters that were read already."""
    points, features = values.shape
    order, noise = clusters.order, [] if clusters.noise is None else [clusters.noise]
    room = max(1, min(PROFILED, MEANS // max(1, features)))
    shown, rest = [*order[:room], *noise], order[room:]
    place = np.full(len(clusters.names), len(shown), np.int32)
    place[shown] = np.arange(len(shown))
    groups = len(shown) + bool(rest)
    found: list[tuple[FeatureDifference, ...]] = [()] * len(shown)
    scale = _scales(values)
    varying = int(np.count_nonzero(scale[1] > 0))
    if groups > 1 and varying:
        means = f"the means of {groups:,} clusters in {features:,} features"
        need(8 * 8 * groups * features, means)
        moments = _moments(values, place[clusters.codes], groups, scale)
        found = list(_picked(moments, len(shown), scale, names, most))
    profiles = tuple(
        ClusterProfile(
            clusters.names[k],
            int(clusters.sizes[k]),
            float(clusters.sizes[k] / points),
            k == clusters.noise,
            differences,
        )
        for k, differences in zip(shown, found, strict=True)
    )
    left = int(clusters.sizes[rest].sum())
    return ClusterProfiles(profiles, points, len(rest), left, features - varying)


def _names(given: Any, names: Sequence[Any] | None, features: int) -> list[str]:
    """Return the names of the features: those given, the columns of a frame, or numbers."""
    if names is None:
        names = getattr(given, "columns", None)
    return named_features(names, features)


def named_features(names: Any, features: int) -> list[str]:
    """Return one name per feature."""
    if names is None or len(names) == 0:
        return [f"feature {k + 1}" for k in range(features)]
    if len(names) != features:
        raise FeatureError(
            f"feature_names must have one name for each of the {features:,} features; it has "
            f"{len(names):,}."
        )
    return [str(name) for name in names]


def _blocks(values: Any) -> Iterator[slice]:
    """Yield rows, a few at a time."""
    points, features = values.shape
    step = max(1, BLOCK // max(1, values.nnz // points if is_sparse(values) else features))
    yield from (slice(first, min(first + step, points)) for first in range(0, points, step))


def _scales(values: Any) -> tuple[Floats, Floats]:
    """Return a zero and half a width for each feature; the width of a constant one is 0."""
    if is_sparse(values):
        high = np.zeros(values.shape[1])
        np.maximum.at(high, values.indices, np.nan_to_num(np.abs(values.data)))
        low, top = (side(values) for side in (_least, _most))
        return np.zeros_like(high), np.where(low == top, 0.0, high / 2)
    low, high = np.full(values.shape[1], np.inf), np.full(values.shape[1], -np.inf)
    for rows in _blocks(values):
        np.fmin(low, np.fmin.reduce(values[rows], axis=0), out=low)
        np.fmax(high, np.fmax.reduce(values[rows], axis=0), out=high)
    known = low <= high
    low, high = np.where(known, low, 0.0), np.where(known, high, 0.0)
    return low, high / 2 - low / 2


def _least(values: Any) -> Floats:
    return np.asarray(values.nanmin(axis=0).toarray().ravel(), np.float64)


def _most(values: Any) -> Floats:
    return np.asarray(values.nanmax(axis=0).toarray().ravel(), np.float64)


def _moments(values: Any, codes: NDArray[Any], groups: int, scale: Any) -> _Moments:
    """Return the moments of all groups, groups × features, each feature from 0 to 1.

    Means come first and squares about them in a second pass, which also mends the means.
    """
    from scipy.sparse import csr_array

    zero, half = scale
    wide = np.where(half > 0, half, 1.0)
    shape = (groups, values.shape[1])
    count, total, squares, off = (np.zeros(shape) for _ in range(4))
    sizes = np.bincount(codes, minlength=groups).astype(np.float64)[:, None]

    def summed(block: Any, rows: slice) -> Floats:
        """Return the sums of the rows of each group."""
        own = codes[rows]
        ones = csr_array((np.ones(len(own)), (own, np.arange(len(own)))), (groups, len(own)))
        found = ones @ block
        return np.asarray(found.toarray() if is_sparse(found) else found)

    if is_sparse(values):
        gone = np.isnan(values.data)
        data = np.where(gone, 0.0, values.data / (2 * wide[values.indices]))
        lines = np.repeat(codes, np.diff(values.indptr))

        def matrix(numbers: Any) -> Any:
            return csr_array((numbers, values.indices, values.indptr), values.shape)

        every = slice(0, len(codes))
        count += sizes - (summed(matrix(gone.astype(np.float64)), every) if gone.any() else 0.0)
        mean = _quotient(summed(matrix(data), every), count)
        apart = np.where(gone, 0.0, data - mean[lines, values.indices])
        stored = summed(matrix((~gone).astype(np.float64)), every)
        squares += summed(matrix(apart**2), every) + (count - stored) * mean**2
        return _Moments(count, mean, squares)

    def scaled(rows: slice) -> tuple[Floats, NDArray[np.bool_]]:
        block = (values[rows].astype(np.float64) / 2 - zero / 2) / wide
        gone = np.isnan(block)
        return np.where(gone, 0.0, block), gone

    for rows in _blocks(values):
        block, gone = scaled(rows)
        total += summed(block, rows)
        count += np.bincount(codes[rows], minlength=groups)[:, None]
        if gone.any():
            count -= summed(gone.astype(np.float64), rows)
    mean = _quotient(total, count)
    for rows in _blocks(values):
        block, gone = scaled(rows)
        apart = np.where(gone, 0.0, block - mean[codes[rows]])
        off += summed(apart, rows)
        squares += summed(apart**2, rows)
    mended = _quotient(off, count)
    return _Moments(count, mean + mended, np.maximum(squares - count * mended**2, 0.0))


def _quotient(total: Floats, count: Floats) -> Floats:
    return np.divide(total, count, out=np.zeros_like(total), where=count > 0)


def _picked(
    moments: _Moments, shown: int, scale: Any, names: Sequence[str], most: int
) -> Iterator[tuple[FeatureDifference, ...]]:
    """Yield the features in which each group differs most from all others together."""
    groups = [_Moments(*row) for row in zip(*moments, strict=True)]
    nothing = _Moments(*(np.zeros(len(names)) for _ in range(3)))
    before, after = [nothing], [nothing]
    for one in groups[:-1]:
        before.append(before[-1].with_(one))
    for one in groups[:0:-1]:
        after.append(after[-1].with_(one))
    for k in range(shown):
        rest = before[k].with_(after[len(groups) - 1 - k])
        yield _differences(groups[k], rest, scale, names, most)


def _differences(
    own: _Moments, rest: _Moments, scale: Any, names: Sequence[str], most: int
) -> tuple[FeatureDifference, ...]:
    zero, half = scale
    apart = own.mean - rest.mean
    free = own.known + rest.known - 2
    known = (own.known > 0) & (rest.known > 0) & (free > 0) & (half > 0)
    both = own.squares + rest.squares
    spread = np.sqrt(np.divide(both, free, out=np.zeros_like(apart), where=known))
    varies = spread > ROUNDING
    value = np.divide(apart, spread, out=np.copysign(np.inf, apart), where=varies)
    known &= varies | (np.abs(apart) > ROUNDING)
    places = np.flatnonzero(known)
    first = places[np.argsort(-np.abs(value[places]), kind="stable")][:most]
    return tuple(
        FeatureDifference(
            names[k],
            float(value[k]),
            float(zero[k] + 2 * half[k] * own.mean[k]),
            float(zero[k] + 2 * half[k] * rest.mean[k]),
            int(own.known[k]),
            int(rest.known[k]),
        )
        for k in first.tolist()
    )
