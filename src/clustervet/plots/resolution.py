"""Growing resolution: how the clusters of one clustering divide those of the one before."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import share as read_share
from clustervet.ensemble.cluster_stability import STABLE
from clustervet.errors import ParameterError
from clustervet.labels.pair import read_clustered
from clustervet.plots import canvas
from clustervet.plots.canvas import Figure, hover
from clustervet.plots.theme import EITHER, INK, QUIET
from clustervet.tuning import Tuning
from clustervet.view.words import counted, ident, share, short, spoken

# Levels, and clusters of a level, that are drawn.
LEVELS, WIDE = 24, 60
# Pixels of a level, and of the smallest and the largest cluster.
STEP, SMALL, LARGE = 62, 7, 30


@dataclass(frozen=True)
class Level:
    """One clustering: its name, clusters and their sizes, and what it takes from the one above."""

    name: Any
    clusters: list[Any]
    codes: NDArray[np.int64]
    sizes: NDArray[np.int64]
    # Rows are clusters of the level above, columns those of this one.
    shared: NDArray[np.int64]
    stability: list[float]


def cluster_tree(
    sweep: Tuning | Mapping[Any, Any], *, least: float = 0.1, theme: str = "light"
) -> Figure:
    """Draw how clusters divide as their number grows.

    Parameters
    ----------
    sweep : Tuning or mapping
        What `clustervet.tune` found, or {value: labels} of the same objects, such as labels by
        resolution. Levels are in the order of their numbers of clusters.
    least : float, default 0.1
        The least share of a cluster that comes from one above, for a line to be drawn.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        One row per clustering and one disc per cluster, as large as the cluster. Lines show where
        its objects were in the row above. Clusters are orange if they are unstable in samples, or,
        without samples, if less than three quarters of a cluster come from one cluster above.

    Raises
    ------
    ParameterError
        If there are fewer than two clusterings.

    Notes
    -----
    This is the tree of Zappia and Oshlack (2018). Clusters that come from several ones above are a
    sign of too many clusters.

    Examples
    --------
    >>> figure = cluster_tree({2: [0, 0, 0, 1, 1, 1], 3: [0, 0, 2, 1, 1, 1]})
    >>> figure.layout.meta["title"]
    'From 2 to 3 clusters, each cluster comes from one above.'
    """
    read_share(least, "least")
    levels = _levels(sweep)
    rows = _places(levels)
    figure = canvas.new_figure()
    width = max(len(level.clusters) for level in levels)
    for strong in (False, True):
        lines = [
            [(rows[k - 1][i], k - 1), (rows[k][j], k)]
            for k, level in enumerate(levels)
            if k
            for i, j in zip(*np.nonzero(level.shared), strict=True)
            if (part := level.shared[i, j] / level.sizes[j]) >= least and (part >= STABLE) == strong
        ]
        style = {"width": 2.5 if strong else 1.0, "color": QUIET}
        canvas.add_lines(figure, lines, line=style)
    ink = INK["light"]
    largest = max(int(level.sizes.max()) for level in levels)
    for good in (True, False):
        x, y, sizes, ids, boxes = [], [], [], [], []
        for k, level in enumerate(levels):
            for j, name in enumerate(level.clusters):
                if (_score(level, j) >= STABLE) != good:
                    continue
                x.append(rows[k][j])
                y.append(k)
                sizes.append(max(SMALL, LARGE * math.sqrt(level.sizes[j] / largest)))
                ids.append([ident("value", level.name)])
                boxes.append(_box(levels, k, j, name))
        canvas.add_marks(
            figure,
            x,
            y,
            ids=ids,
            boxes=boxes,
            marker={
                "size": sizes,
                "opacity": 1,
                "color": EITHER[0] if good else EITHER[1],
                "line": {"width": 1.5, "color": ink["paper"]},
            },
        )
    titles = [canvas.escape(short(level.name)) for level in levels]
    canvas.name_rows(figure, titles, showgrid=False)
    figure.update_xaxes(visible=False, range=[-0.6, width - 0.4])
    title, note = _words(sweep, levels)
    height = 40 + STEP * len(levels)
    return canvas.finish(figure, "cluster-tree", theme, title, note, height=height)


def _levels(sweep: Tuning | Mapping[Any, Any]) -> list[Level]:
    held = sweep.labels if isinstance(sweep, Tuning) else sweep
    if not isinstance(held, Mapping):
        raise ParameterError("a tree of clusters needs labels by value: {value: labels}.")
    if isinstance(sweep, Tuning):  # a value may leave nothing but noise
        held = {v: held[v] for v, many in zip(sweep.values, sweep.counts, strict=True) if many}
    if len(held) < 2:
        raise ParameterError("a tree of clusters needs at least two clusterings, {value: labels}.")
    read = [(value, *read_clustered(labels)) for value, labels in held.items()]
    if len({len(codes) for _, codes, _ in read}) > 1:
        raise ParameterError("a tree of clusters needs labels of the same objects.")
    stable: dict[Any, Any] = {}
    if isinstance(sweep, Tuning) and sweep.stability is not None:
        stable = dict(zip(sweep.values, sweep.stability.clusters, strict=True))
    read = [item for item in read if len(item[2]) <= WIDE] or read[:LEVELS]
    read = sorted(read, key=lambda item: len(item[2]))[:LEVELS]
    found: list[Level] = []
    for value, codes, clusters in read:
        sizes = np.bincount(codes[codes >= 0], minlength=len(clusters))
        above = found[-1] if found else None
        shared = np.zeros((len(above.clusters) if above else 0, len(clusters)), np.int64)
        if above is not None:
            both = (above.codes >= 0) & (codes >= 0)
            np.add.at(shared, (above.codes[both], codes[both]), 1)
        held_value = stable.get(value)
        scores = [] if held_value is None else [one.jaccard for one in held_value.clusters]
        found.append(Level(value, clusters, codes, sizes, shared, scores))
    return found


def _places(levels: list[Level]) -> list[list[float]]:
    """Return where each cluster is drawn: near those that its objects come from."""
    width = max(len(level.clusters) for level in levels)
    found: list[list[float]] = []
    for level in levels:
        many = len(level.clusters)
        if found:
            weights = level.shared / np.maximum(level.shared.sum(axis=0), 1)
            wanted = np.asarray(found[-1]) @ weights
        else:
            wanted = -level.sizes.astype(float)
        order = np.argsort(wanted, kind="stable")
        places = np.empty(many)
        places[order] = (np.arange(many) + 0.5) * width / many - 0.5
        found.append(places.tolist())
    return found


def _score(level: Level, j: int) -> float:
    """Return how stable a cluster is, or how much of it comes from one cluster above."""
    if level.stability:
        return level.stability[j]
    return float(level.shared[:, j].max() / level.sizes[j]) if len(level.shared) else 1.0


def _box(levels: list[Level], k: int, j: int, name: Any) -> str:
    level = levels[k]
    lines = [
        f"cluster {spoken(name)} at {spoken(level.name)}",
        counted(int(level.sizes[j]), "object"),
    ]
    if len(level.shared):
        best = int(level.shared[:, j].argmax())
        part = share(float(level.shared[best, j] / level.sizes[j]))
        lines.append(f"{part} from cluster {spoken(levels[k - 1].clusters[best])} above")
    if level.stability:
        lines.append(f"Jaccard index in samples {level.stability[j]:.2f}")
    return hover(*lines)


def _words(sweep: Any, levels: list[Level]) -> tuple[str, str]:
    mixed = [
        (level.name, j)
        for level in levels[1:]
        for j in range(len(level.clusters))
        if level.shared[:, j].max() < STABLE * level.sizes[j]
    ]
    first, last = len(levels[0].clusters), len(levels[-1].clusters)
    span = f"From {first} to {counted(last, 'cluster')}"
    if not mixed:
        title = f"{span}, each cluster comes from one above."
    else:
        verb = "come" if len(mixed) > 1 else "comes"
        many = counted(len(mixed), "cluster")
        title = f"{span}, {many} {verb} from several above, first at {spoken(mixed[0][0])}."
    stable = any(level.stability for level in levels)
    why = (
        "orange ones are unstable in samples"
        if stable
        else "less than three quarters of orange ones come from one cluster above"
    )
    total = len(sweep.labels if isinstance(sweep, Tuning) else sweep)
    left = (
        f" {counted(total - len(levels), 'clustering')} not drawn." if total > len(levels) else ""
    )
    return title, f"Each disc is a cluster, and its area the number of objects; {why}.{left}"
