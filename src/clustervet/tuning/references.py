"""Whether curves show more than those of data without clusters, and points that merely lie apart.

The p-value is the largest over several kinds of data without clusters: whichever of them the points
resemble, a curve is called clear by mistake in at most one of twenty tunings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.fitting.fits import FitTask, run_rows
from clustervet.geometry.nulls import Nulls, TableNulls
from clustervet.geometry.points import is_sparse
from clustervet.registry import measures as registry
from clustervet.tuning.curves import SUMS, Asked, CurvePlan, Curves, statistic
from clustervet.tuning.resampled import RESAMPLED
from clustervet.tuning.rules import Floats
from clustervet.view.data import record as plain_record

# Up to this p-value a measure is clear against the references.
LEVEL = 0.05
# Reference sets of each kind, the fewest with which a p-value can reach the level, and how many of
# each kind come first.
SETS = 19
FEW = 3
# A kind of data is left after its first sets if these are so far from the data that a t test says
# so with this p-value. It is far smaller than the level because statistics are not normal.
FAR = 0.001
# Points that are compared, at most: the larger of this number and this one for each cluster.
POINTS, PER_CLUSTER = 300, 8
# The same where the parameter is not a number of clusters: fewer points are less dense.
DENSE_POINTS = 500
# Starts of a clusterer that starts several times, for the data and the references alike.
STARTS = 1
# Numbers in the points that are compared, at most.
MOST = 10_000_000
# Clusters up to this share of the points may be outlying points.
OUTLYING = 0.05
# Outlying points are farther from their nearest neighbour than this share of the other points.
APART = 0.95
# Points whose nearest neighbours are looked up.
LOOKED_UP = 2_000


@dataclass(frozen=True, eq=False)
class TuningReference:
    """How the curves compare with those of data without clusters.

    Parameters
    ----------
    p_value : float
        How likely curves as extreme as those of the data are without clusters: the largest over
        the kinds of such data, each with its most extreme measure.
    kind : str
        The kind with this p-value, the hardest to tell from the data.
    is_bound : bool
        Whether the p-value is smaller than the one given: the first sets were all so far from the
        data that there was no need for more.
    sets : dict
        By kind, the number of sets that were clustered.
    points : int
        The number of points in each set; the data are compared by as many of their points.
    p_values : dict
        By measure, its p-value against that kind, adjusted for the number of measures.
    statistics : dict
        By measure, the most extreme that its curve shows over all values: the strength of an elbow,
        or the best value.
    expected : dict
        By measure, the same in the sets of that kind: the median and the most extreme.
    low, high : dict
        By measure, the ends of its curves in the sets of that kind at each value. Sums over points
        are brought to the number of points of the data.
    clusterer : str, optional
        What clusters the data and the sets, if it is not what is tuned.

    Notes
    -----
    Every set is clustered at the same values by the same clusterer, so that the size of the range
    is paid for. Statistics are standardized over the data and the sets together, and a measure is
    compared with the largest of all measures in each set (Westfall & Young 1993, §2.5). Sets stop
    as soon as the answer cannot be clear any more (Besag & Clifford 1991).
    """

    p_value: float
    kind: str
    is_bound: bool
    sets: dict[str, int]
    points: int
    p_values: dict[str, float]
    statistics: dict[str, float]
    expected: dict[str, tuple[float, float]] = field(default_factory=dict)
    low: dict[str, Floats] = field(default_factory=dict)
    high: dict[str, Floats] = field(default_factory=dict)
    clusterer: str = ""

    @property
    def total(self) -> int:
        """The number of sets of all kinds."""
        return sum(self.sets.values())

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data.

        Returns
        -------
        dict
            The fields, and the level that p-values are compared with.
        """
        held = plain_record(self)
        clusterer = held.pop("clusterer")
        return {**held, "level": LEVEL, **({"clusterer": clusterer} if clusterer else {})}


def joint_p_values(data: Floats, sets: Floats) -> Floats:
    """Return a p-value for each statistic of the data, adjusted for the number of statistics.

    Rows of `sets` are reference sets. Data and sets are standardized together, so that they are
    exchangeable where the data are like the sets.

    >>> sets = np.array([[0.1, 5.0], [0.2, 7.0], [0.3, 6.0], [0.2, 5.5]])
    >>> joint_p_values(np.array([0.9, 6.0]), sets).round(2).tolist()
    [0.2, 0.6]
    """
    scores = _standardized(np.vstack([data, sets]))
    most = scores[1:].max(axis=1)
    exceeded = (most[:, None] >= scores[0] - 1e-12).sum(axis=0)
    return np.asarray((1 + exceeded) / (1 + len(sets)), np.float64)


def _standardized(table: Floats) -> Floats:
    """Return columns with mean 0 and variance 1; what is undefined counts as the smallest."""
    finite = np.where(np.isfinite(table), table, math.nan)
    known = ~np.isnan(finite).all(axis=0)
    scores = np.zeros(table.shape)
    for j in np.flatnonzero(known):
        low, high = float(np.nanmin(finite[:, j])), float(np.nanmax(finite[:, j]))
        room = (high - low) or 1.0
        column = np.clip(np.nan_to_num(table[:, j], nan=-math.inf), low - room, high + room)
        spread = column.std()
        if spread > 1e-12 * max(1.0, abs(low), abs(high)):
            scores[:, j] = (column - column.mean()) / spread
    return scores


@dataclass(frozen=True)
class Comparison:
    """The clusterings of the data and of reference sets, by the same plan and on as many points."""

    plan: CurvePlan
    values: list[Any]
    n_jobs: int | None
    square: bool

    def curves(self, sets: Sequence[Any], tick: Callable[[], None]) -> list[Curves]:
        """Return the curves of each set of points."""
        held = [_distances(points) if self.square else points for points in sets]
        tasks = [FitTask(v, self.plan.algorithm, v, self.plan.seed) for v in self.values]
        rows = run_rows(((tasks, points) for points in held), self.n_jobs, self.plan.measured)
        found = []
        for points, fits in zip(held, rows, strict=True):
            ends = self.plan.algorithm.ends(self.values)
            found.append(Curves(self.values, fits, self.plan.start(points), points.shape[0], ends))
            tick()
        return found

    def statistics(self, found: list[Curves]) -> Floats:
        """Return one row per set: the statistic of each measure."""
        asked = [record for record, _ in self.plan.asked]
        rules = self.plan.rules
        return np.array([[statistic(r, rules[r.key], one) for r in asked] for one in found])


def compare(
    plan: CurvePlan,
    X: Any,  # noqa: N803  # the name that everyone gives to features
    every: Curves,
    sets: int,
    seed: int,
    n_jobs: int | None,
    tick: Callable[[], None],
    nominal: NDArray[np.int64] | None = None,
) -> TuningReference | str:
    """Compare curves with those of data without clusters, or say why that is not possible.

    `nominal` are the features of a table that stand for categories, as in `TableNulls`.
    """
    seeds = np.random.SeedSequence(seed)
    square = getattr(plan.metric, "name", "") == "precomputed"
    most = max(POINTS, PER_CLUSTER * max(every.clusters))
    most = most if plan.algorithm.varies_number else max(most, DENSE_POINTS)
    rows = _chosen(every.points, most, seeds.spawn(1)[0])
    if X.shape[1] * len(rows) > MOST and not square:
        return "there are too many features to draw data without clusters"
    points = X[np.ix_(rows, rows)] if square else X[rows]
    dense = points.toarray() if is_sparse(points) else np.asarray(points)
    dense = _places(dense) if square else dense.astype(np.float64)
    if not dense.shape[1] or not np.ptp(dense, axis=0).any():
        return "all points are equal"
    asked = _quick_measures(plan)
    rules = {record.key: plan.rules.get(record.key, "optimum") for record, _ in asked}
    plan = replace(plan, algorithm=plan.algorithm.quick(STARTS), asked=asked, rules=rules)
    nulls: Nulls | TableNulls = Nulls(dense, plan.algorithm.reads_counts)
    if nominal is not None:
        nulls = TableNulls(dense, nominal)
    trial = Comparison(plan, every.values, n_jobs, square)
    data = trial.statistics(trial.curves([dense], tick))[0]
    if not np.isfinite(data).any():
        return "the measures have no value on the points that are compared"
    streams = dict(zip(nulls.kinds, seeds.spawn(len(nulls.kinds)), strict=True))

    made: dict[str, list[Curves]] = {kind: [] for kind in nulls.kinds}

    def drawn(kind: str, many: int) -> Floats:
        rngs = [np.random.default_rng(stream) for stream in streams[kind].spawn(many)]
        new = trial.curves([nulls.draw(kind, rng) for rng in rngs], tick)
        made[kind] += new
        return trial.statistics(new)

    found, p_values = _tested(data, drawn, list(nulls.kinds), sets)
    keys = [record.key for record, _ in plan.asked]
    worst = max(p_values, key=lambda kind: float(p_values[kind].min()))
    joint = p_values[worst]
    low, high = _ranges(keys, made[worst], every.points)
    return TuningReference(
        max(FAR, float(joint.min())),
        worst,
        bool(joint.min() < FAR),
        {kind: len(table) for kind, table in found.items()},
        len(rows),
        dict(zip(keys, np.maximum(FAR, joint).tolist(), strict=True)),
        dict(zip(keys, data.tolist(), strict=True)),
        {
            key: (float(np.median(column)), float(np.max(column)))
            for key, column in zip(keys, found[worst].T, strict=True)
        },
        low,
        high,
    )


def _ranges(
    keys: list[str], sets: list[Curves], points: int
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Return the ends of the curves of sets at each value, by measure."""
    low, high = {}, {}
    for key in keys:
        table = np.array([one.curve(key) for one in sets])
        table *= points / sets[0].points if key in SUMS else 1.0
        known = np.isfinite(table)
        some = known.any(axis=0)
        low[key] = np.where(some, np.where(known, table, math.inf).min(axis=0), math.nan)
        high[key] = np.where(some, np.where(known, table, -math.inf).max(axis=0), math.nan)
    return low, high


def _tested(
    data: Floats, drawn: Callable[[str, int], Floats], kinds: list[str], sets: int
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Return the statistics of the sets of each kind, and the p-values of the measures by kind.

    Kinds that are far from the data get no further sets. The others get all, the nearest first,
    until one of them says that nothing is clear; then only those that were asked count.
    """
    found = {kind: drawn(kind, FEW) for kind in kinds}
    p_values = _far(data, found)
    order = sorted(kinds, key=lambda kind: -p_values[kind].min())
    near = [kind for kind in order if p_values[kind].min() >= FAR]
    for place, kind in enumerate(near):
        found[kind] = np.vstack([found[kind], drawn(kind, sets - FEW)])
        p_values[kind] = joint_p_values(data, found[kind])
        if p_values[kind].min() > LEVEL:
            for other in near[place + 1 :]:
                del p_values[other]
            break
    return found, p_values


def _far(data: Floats, found: dict[str, Floats]) -> dict[str, Floats]:
    """Return p-values of t tests that the data are one more set of each kind, times the measures.

    A few sets say little about how much sets vary, so all kinds do it together; a kind whose own
    sets vary more counts with its own.
    """
    from scipy.stats import t

    table = _standardized(np.vstack([data, *found.values()]))
    groups = np.split(table[1:], len(found))
    inner = np.array([group.var(axis=0, ddof=1) for group in groups])
    spreads = np.sqrt(np.maximum(np.maximum(inner, inner.mean(axis=0)), 1e-12) * (1 + 1 / FEW))
    freedom = len(found) * (FEW - 1)
    return {
        kind: np.minimum(1.0, len(data) * t.sf((table[0] - group.mean(axis=0)) / spread, freedom))
        for kind, group, spread in zip(found, groups, spreads, strict=True)
    }


def _chosen(points: int, most: int, stream: np.random.SeedSequence) -> NDArray[np.int64]:
    if points <= most:
        return np.arange(points)
    return np.sort(np.random.default_rng(stream).choice(points, most, replace=False))


def _quick_measures(plan: CurvePlan) -> Asked:
    """Return the measures without those that take too long: samples and references of their own.

    Where only samples were asked for, the silhouette says whether there are clusters.
    """
    plain = tuple(item for item in plan.asked if item[0].key not in RESAMPLED)
    if not plain:
        return ((registry["silhouette"], {}),)
    return tuple(item for item in plain if item[0].key != "gap_statistic") or plain


def _places(distances: Floats) -> Floats:
    """Return points whose Euclidean distances are nearest to these (classical scaling)."""
    squares = distances.astype(np.float64) ** 2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    lengths, axes = np.linalg.eigh(-centred / 2)
    kept = lengths > 1e-9 * max(lengths[-1], np.finfo(float).tiny)
    return np.asarray(axes[:, kept] * np.sqrt(lengths[kept]), np.float64)


def _distances(points: Floats) -> Floats:
    from scipy.spatial.distance import pdist, squareform

    return np.asarray(squareform(pdist(points)), np.float64)


def outlying_points(
    points: Any, labels: NDArray[Any], square: bool, metric: str = "euclidean"
) -> tuple[int, int]:
    """Return how many points are outlying, and how many clusters they make.

    They are the clusters of at most 5% of the points, half of whose points are farther from their
    nearest neighbour than 95% of the points of other clusters. Noise is not looked at.
    """
    names, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    small = [k for k in np.flatnonzero(sizes <= OUTLYING * len(labels)) if names[k] != -1]
    if not small or len(small) == len(names):
        return 0, 0
    rng = np.random.default_rng(0)
    rest = np.flatnonzero(~np.isin(codes, small))
    usual = _nearest(points, rng.permutation(rest)[:LOOKED_UP], square, metric)
    limit = float(np.quantile(usual, APART))
    found = [
        k
        for k in small
        if np.median(_nearest(points, np.flatnonzero(codes == k), square, metric)) > limit
    ]
    return int(sizes[found].sum()), len(found)


def _nearest(points: Any, rows: NDArray[np.int64], square: bool, metric: str) -> Floats:
    """Return the distance of some points to their nearest neighbours among all points."""
    if square:
        table = np.array(points[rows], np.float64)
        table[np.arange(len(rows)), rows] = math.inf
        return np.asarray(table.min(axis=1), np.float64)
    from sklearn.neighbors import NearestNeighbors

    found = (
        NearestNeighbors(n_neighbors=2, metric=metric).fit(points).kneighbors(points[rows])[0][:, 1]
    )
    return np.asarray(found, np.float64)
