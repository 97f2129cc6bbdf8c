"""`drift`: what became of clusters since another time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import entropy, one_of, share
from clustervet.ensemble.drift_result import (
    DRAWS,
    Drift,
    DriftEvent,
    DriftFlow,
    Drifts,
    Kind,
    Places,
    ShareDrift,
)
from clustervet.errors import LabelError, ParameterError, Setting
from clustervet.geometry.assign import How, assign
from clustervet.geometry.metrics import check_standardize, read_metric
from clustervet.geometry.points import read_points, standardized
from clustervet.labels import check_index, read_labels
from clustervet.labels.index import index_of
from clustervet.labels.keyed import as_mapping, is_keyed
from clustervet.labels.pair import read_clustered
from clustervet.labels.several import named_labels

Objects = Literal["same", "new"]
# More than this share of a cluster is its majority.
MAJORITY = 0.5


def drift(
    before: Any,
    after: Any = None,
    *,
    objects: Objects | None = None,
    X: Any = None,  # noqa: N803  # the name that everyone gives to features
    new: Any = None,
    how: How = "centroid",
    metric: Any = "euclidean",
    standardize: bool = False,
    names: Sequence[str] | None = None,
    noise: Any = -1,
    confidence: float = 0.95,
    random_state: Any = 0,
) -> Drift | ShareDrift | Drifts:
    """Say what became of clusters since another time.

    Parameters
    ----------
    before : array-like or mapping
        The cluster of each object at the first time. Without `after`, and without new points, the
        clusters at several times, as a mapping {name: labels}, a list of labelings or a data frame
        with one column per time.
    after : array-like or mapping, optional
        The cluster of each object at the second time.
    objects : {"same", "new"}, optional
        Whether the objects are the same ones, or others in clusters of the same names. By default
        the same if both name their objects (a mapping, or a pandas series), or are as many.
    X, new : array-like, sparse matrix or data frame, optional
        The points that `before` labels, and new points. Without `after`, new points get the
        clusters of `before`, as in `assign`.
    how : {"centroid", "knn", "average"}, optional
        How they get them.
    metric : str or callable, optional
        The distance between two points, as in `assign`.
    standardize : bool, optional
        Move and scale the features of all points so that those of `X` have mean 0 and variance 1.
    names : sequence of str, optional
        The names of the times; by default "before" and "after".
    noise : label, optional
        The label of noise, which is no cluster; None if no label means noise.
    confidence : float, optional
        The confidence of the intervals.
    random_state : int or numpy.random.Generator, optional
        The seed of the p-value for other objects.

    Returns
    -------
    Drift, ShareDrift or Drifts
        For the same objects, which clusters were kept, split, merged, born or died, and how many
        objects moved. For others, how the shares of the clusters differ. For three times or more,
        one of these for each step.

    Raises
    ------
    LabelError
        If labels cannot be read, or do not belong to the same objects where they should.
    ParameterError
        If options do not go together.

    Notes
    -----
    A later cluster follows an earlier one if more than half of the objects of the one are in the
    other. A cluster is *split* if two or more follow it, *merged* if it follows two or more,
    *kept* if one cluster follows it and that one follows no other, *born* if it follows none, and
    it has *died* if none follows it. Objects that are there at one time only count in the sizes of
    their clusters.

    For other objects the Jensen-Shannon divergence of the shares is held against 9,999 random
    divisions of all objects among the two times; the p-value is the share with as large
    a divergence. The population stability index is Σ (q - p) ln(q / p).

    Examples
    --------
    >>> import clustervet as cv
    >>> cv.drift({"x": 0, "y": 0, "z": 1}, {"x": "a", "y": "a", "z": "b", "w": "c"}).verdict
    'Of 2 clusters, 2 kept; 1 born; 0.0% of the 3 objects with a cluster at both times moved.'
    >>> X, labels = [[0.0], [1.0], [8.0], [9.0]], ["low", "low", "high", "high"]
    >>> cv.drift(labels, X=X, new=[[0.5], [7.0], [7.5], [9.0]]).counts.tolist()
    [[2, 2], [3, 1]]
    """
    level = share(confidence, "confidence")
    if objects is not None:
        one_of(objects, "objects", ("same", "new"))
    if (X is None) != (new is None):
        raise ParameterError("X and new go together: the points of before, and new ones.")
    if new is not None:
        if after is not None or objects == "same":
            raise ParameterError(
                "new points get the clusters of before; leave after and objects out."
            )
        after = _assigned(before, X, new, how, metric, standardize, noise)
        objects = "new"
    elif (how, metric, standardize) != ("centroid", "euclidean", False):
        raise ParameterError("how, metric and standardize go with X and new.")
    if after is not None:
        titles = _titles(names, ["before", "after"])
        return _step((before, after), titles, objects, noise, level, random_state)
    if is_keyed(before):
        raise ParameterError(
            "drift needs two times: give after, or labels by the name of the time."
        )
    held = named_labels(before)
    if len(held) < 2:
        raise LabelError("drift needs at least two times.")
    titles = _titles(names, [name for name, _, _ in held])
    labels = [each for _, _, each in held]
    steps = [
        _step(
            (labels[k], labels[k + 1]),
            (titles[k], titles[k + 1]),
            objects,
            noise,
            level,
            random_state,
        )
        for k in range(len(labels) - 1)
    ]
    if len(steps) == 1:
        return steps[0]
    same = all(isinstance(step, Drift) for step in steps)
    return Drifts(steps, dict(zip(titles, labels, strict=True)) if same else {})


def _assigned(
    labels: Any,
    X: Any,  # noqa: N803  # the name that everyone gives to features
    new: Any,
    how: How,
    metric: Any,
    standardize: bool,
    noise: Any,
) -> Any:
    """Return the cluster of each new point."""
    read = read_metric(metric)
    if read.name == "precomputed":
        named = Setting("metric", "precomputed")
        raise ParameterError("new points get clusters by their features; ", named, " has none.")
    check_standardize(read, standardize)
    if standardize:
        check_index({"X": X, "labels": labels})
        old, fresh = read_points(X), read_points(new, "new")
        if old.shape[1] == fresh.shape[1]:  # others are refused below
            X, new = standardized(old), standardized(old, fresh)  # noqa: N806
    return assign(X, labels, new, how, metric=metric, noise=noise)


def _titles(given: Any, usual: list[str]) -> Any:
    if given is None:
        return tuple(usual)
    try:
        titles = () if isinstance(given, str) else tuple(map(str, given))
    except TypeError:
        titles = ()
    if not len(titles) == len(set(titles)) == len(usual):
        raise ParameterError(f"names must be {len(usual)} different names, one for each time.")
    return titles


def _step(
    sides: tuple[Any, Any],
    titles: tuple[str, str],
    objects: Objects | None,
    noise: Any,
    level: float,
    random_state: Any,
) -> Drift | ShareDrift:
    if objects == "new":
        return _share_drift(sides, titles, noise, level, random_state)
    one, two = _same_objects(sides, titles, asked=objects == "same")
    (first, old), (second, young) = read_clustered(one, noise), read_clustered(two, noise)
    if len(first) != len(second):
        raise LabelError(
            f"{titles[0]} has {len(first):,} labels and {titles[1]} {len(second):,}; name the "
            "objects (a mapping, or an index), or for other objects give ",
            Setting("objects", "new"),
            ".",
        )
    unlabelled = [
        int((codes < 0).sum()) - _missing(side) for side, codes in ((one, first), (two, second))
    ]
    found = make_drift(titles, (old, young), (first, second), level)
    return replace(found, noise=(unlabelled[0], unlabelled[1]))


def _missing(labels: Any) -> int:
    """Return how many objects have no label."""
    absent = read_labels(labels, "labels").missing
    return 0 if absent is None else int(absent.sum())


def nothing_common(titles: tuple[str, str]) -> LabelError:
    """Return the error for two times that have no object in common."""
    return LabelError(
        f"{titles[0]} and {titles[1]} have no object in common; for other objects in the same "
        "clusters give ",
        Setting("objects", "new"),
        ".",
    )


def _same_objects(
    sides: tuple[Any, Any], titles: tuple[str, str], *, asked: bool
) -> tuple[Any, Any]:
    """Return both labelings in the order of the same objects; None where one has no label."""
    keyed = [_by_object(labels, name) for labels, name in zip(sides, titles, strict=True)]
    one, two = keyed
    if one is not None and two is not None:
        if not asked and one.keys().isdisjoint(two):
            raise nothing_common(titles)
        every = list(dict.fromkeys([*one, *two]))
        return [one.get(key) for key in every], [two.get(key) for key in every]
    if (one is None) != (two is None):
        who, other = titles if one is not None else titles[::-1]
        raise LabelError(f"{who} names its objects and {other} does not; give both alike.")
    return sides


def _by_object(labels: Any, what: str) -> dict[Any, Any] | None:
    """Return labels by object, where they name their objects."""
    if is_keyed(labels):
        return as_mapping(labels, what)
    index = index_of(labels)
    if index is None or getattr(labels, "ndim", 1) != 1:
        return None
    if not index.is_unique:
        raise LabelError(f"the index of {what} names an object twice.")
    return dict(zip(index.tolist(), labels.tolist(), strict=True))


def make_drift(
    titles: tuple[str, str],
    clusters: tuple[list[Any], list[Any]],
    codes: tuple[Places, Places],
    level: float,
) -> Drift:
    """Return what became of clusters; codes of -1 are in no cluster."""
    old, young = clusters
    first, second = codes
    sizes = np.bincount(first[first >= 0], minlength=len(old))
    later = np.bincount(second[second >= 0], minlength=len(young))
    both = (first >= 0) & (second >= 0)
    cells, shared = np.unique(
        first[both].astype(np.int64) * len(young) + second[both], return_counts=True
    )
    rows, columns = np.divmod(cells, len(young))
    goes = shared > MAJORITY * sizes[rows]
    comes = shared > MAJORITY * later[columns]
    cell = {(int(i), int(j)): int(x) for i, j, x in zip(rows, columns, shared, strict=True)}
    # A later cluster follows an earlier one if most of the one were, or are, in the other.
    edges = [
        (int(i), int(j)) for i, j in zip(rows[goes | comes], columns[goes | comes], strict=True)
    ]
    parts: dict[int, list[int]] = {}
    sources: dict[int, list[int]] = {}
    for i, j in sorted(edges, key=lambda edge: -cell[edge]):
        parts.setdefault(i, []).append(j)
        sources.setdefault(j, []).append(i)

    def flow(i: int | None, j: int | None) -> DriftFlow:
        one, two = (None if i is None else int(sizes[i])), (None if j is None else int(later[j]))
        # Without an origin, or a destination, it is all objects of the cluster.
        found = cell[i, j] if i is not None and j is not None else one or two or 0
        return DriftFlow(
            None if i is None else old[i],
            None if j is None else young[j],
            found,
            math.nan if one is None else found / one,
            *((math.nan, math.nan) if one is None else wilson(found, one, level)),
            math.nan if two is None else found / two,
        )

    events: list[tuple[int, DriftEvent]] = []

    def add(kind: Kind, before: list[int], after: list[int], pairs: list[Any], size: Any) -> None:
        sides = tuple(old[i] for i in before), tuple(young[j] for j in after)
        flows = tuple(flow(i, j) for i, j in pairs)
        events.append((int(size), DriftEvent(kind, *sides, flows)))

    best_to = _largest(rows, columns, shared, len(old))
    best_of = _largest(columns, rows, shared, len(young))
    for i in range(len(old)):
        made = parts.get(i, [])
        if not made:
            add("died", [i], [], [(i, best_to[i])], sizes[i])
        elif len(made) > 1:
            add("split", [i], made, [(i, j) for j in made], sizes[i])
        elif len(sources[made[0]]) == 1:
            add("kept", [i], made, [(i, made[0])], sizes[i])
    for j in range(len(young)):
        held = sources.get(j, [])
        if not held:
            add("born", [], [j], [(best_of[j], j)], later[j])
        elif len(held) > 1:
            add("merged", held, [j], [(i, j) for i in held], later[j])
    stayed = sum(cell[edge] for edge in edges)
    total = int(both.sum())
    moved = (total - stayed) / total if total else math.nan
    interval = wilson(total - stayed, total, level) if total else (math.nan, math.nan)
    ordered = sorted(events, key=lambda item: (item[1].kind == "kept", -item[0]))
    return Drift(titles, old, young, codes, [event for _, event in ordered], moved, interval, level)


def _largest(rows: Places, columns: Places, shared: Places, many: int) -> list[int | None]:
    """Return for each row the column with most objects, None where there is none."""
    found = np.full(many, -1)
    order = np.argsort(shared, kind="stable")
    found[rows[order]] = columns[order]
    return [int(place) if place >= 0 else None for place in found]


def wilson(hits: int, total: int, confidence: float) -> tuple[float, float]:
    """Return Wilson's interval of a share.

    >>> [round(end, 4) for end in wilson(8, 10, 0.95)]
    [0.4902, 0.9433]
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, square = hits / total, z * z / total
    centre = share + square / 2
    reach = z * math.sqrt(share * (1 - share) / total + square / total / 4)
    low, high = (centre - reach) / (1 + square), (centre + reach) / (1 + square)
    return (0.0 if hits == 0 else max(0.0, low)), (1.0 if hits == total else min(1.0, high))


def _share_drift(
    sides: tuple[Any, Any],
    titles: tuple[str, str],
    noise: Any,
    level: float,
    random_state: Any,
) -> ShareDrift:
    read = [
        read_clustered(
            list(as_mapping(labels, name).values()) if is_keyed(labels) else labels, noise
        )
        for labels, name in zip(sides, titles, strict=True)
    ]
    clusters = list(dict.fromkeys([*read[0][1], *read[1][1]]))
    place = {name: k for k, name in enumerate(clusters)}
    counts = np.zeros((2, len(clusters)), np.int64)
    for row, (codes, held) in zip(counts, read, strict=True):
        where = np.array([place[name] for name in held])
        row += np.bincount(where[codes[codes >= 0]], minlength=len(clusters))
    totals = counts.sum(axis=1)
    divergence = float(jensen_shannon(counts[:1], counts[1:])[0])
    stream = np.random.SeedSequence(entropy(random_state), spawn_key=(DRAWS,))
    rng = np.random.default_rng(stream)
    whole = counts.sum(axis=0)
    drawn = rng.multivariate_hypergeometric(whole, int(totals[0]), DRAWS, method="marginals")
    as_large = int((jensen_shannon(drawn, whole - drawn) >= divergence * (1 - 1e-9)).sum())
    p, q = (np.maximum(row, 0.5) / total for row, total in zip(counts, totals, strict=True))
    shares = counts / totals[:, None]
    ends = np.array(
        [
            _newcombe(int(a), int(totals[0]), int(b), int(totals[1]), level)
            for a, b in counts.T.tolist()
        ]
    )
    return ShareDrift(
        titles,
        clusters,
        counts,
        divergence,
        (1 + as_large) / (1 + DRAWS),
        float(((q - p) * np.log(q / p)).sum()),
        shares[1] - shares[0],
        ends,
        level,
    )


def jensen_shannon(one: NDArray[Any], two: NDArray[Any]) -> NDArray[np.float64]:
    """Return the Jensen-Shannon divergence of the shares in each row of counts, in bits.

    >>> jensen_shannon(np.array([[1, 0], [2, 2]]), np.array([[0, 3], [1, 1]])).tolist()
    [1.0, 0.0]
    """
    p = one / one.sum(axis=1, keepdims=True)
    q = two / two.sum(axis=1, keepdims=True)
    middle = (p + q) / 2

    def bits(values: NDArray[Any]) -> NDArray[Any]:
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(values > 0, -values * np.log2(values), 0.0)
        return np.asarray(terms.sum(axis=1))

    return np.asarray(np.maximum(bits(middle) - (bits(p) + bits(q)) / 2, 0.0))


def _newcombe(a: int, m: int, b: int, n: int, level: float) -> tuple[float, float]:
    """Return the interval of b / n - a / m, from Wilson's intervals of both."""
    p, q = a / m, b / n
    (low, high), (below, above) = wilson(a, m, level), wilson(b, n, level)
    down = math.hypot(q - below, high - p)
    up = math.hypot(above - q, p - low)
    return q - p - down, q - p + up
