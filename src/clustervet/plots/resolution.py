"""Growing resolution: how the clusters of one clustering divide those of the one before."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from clustervet._checks import share as read_share
from clustervet.ensemble import Summary
from clustervet.ensemble.cluster_stability import STABLE
from clustervet.ensemble.levels import SWEEP, Level, in_order, levels_of
from clustervet.errors import ParameterError
from clustervet.labels.pair import read_clustered
from clustervet.plots import canvas
from clustervet.plots.canvas import Figure, hover
from clustervet.plots.theme import EITHER, INK, QUIET
from clustervet.tuning import Tuning
from clustervet.view.words import counted, ident, share, short, spoken

# Pixels of a level, and of the smallest and the largest cluster.
STEP, SMALL, LARGE = 62, 7, 30


def cluster_tree(
    sweep: Tuning | Summary | Mapping[Any, Any], *, least: float = 0.1, theme: str = "light"
) -> Figure:
    """Draw how clusters divide as their number grows.

    Parameters
    ----------
    sweep : Tuning, Summary or mapping
        What `clustervet.tune` found, the summary of an ensemble, or {value: labels} of the same
        objects, such as labels by resolution. Levels are in the order of their numbers of clusters.
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
        If there are fewer than two clusterings, or a summary has fewer than three different
        numbers of clusters.

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
    width = max(len(level.sizes) for level in levels)
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
    ink, kind = INK["light"], "pred" if isinstance(sweep, Summary) else "value"
    largest = max(int(level.sizes.max()) for level in levels)
    for good in (True, False):
        x, y, sizes, ids, boxes = [], [], [], [], []
        for k, level in enumerate(levels):
            for j in range(len(level.sizes)):
                if (_score(level, j) >= STABLE) != good:
                    continue
                x.append(rows[k][j])
                y.append(k)
                sizes.append(max(SMALL, LARGE * math.sqrt(level.sizes[j] / largest)))
                ids.append([ident(kind, level.name)])
                boxes.append(_box(levels, k, j))
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


def _levels(sweep: Tuning | Summary | Mapping[Any, Any]) -> tuple[Level, ...]:
    if isinstance(sweep, Summary):
        if not sweep.levels:
            raise ParameterError(
                f"a tree of clusters needs labelings with at least {SWEEP} different numbers of "
                "clusters."
            )
        return sweep.levels
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
    stable: dict[Any, list[float]] = {}
    if isinstance(sweep, Tuning) and sweep.stability is not None:
        pairs = zip(sweep.values, sweep.stability.clusters, strict=True)
        stable = {v: [one.jaccard for one in found.clusters] for v, found in pairs if found}
    drawn = [read[i] for i in in_order([len(clusters) for _, _, clusters in read])]
    return levels_of(
        (value, codes, len(clusters), clusters, stable.get(value, []))
        for value, codes, clusters in drawn
    )


def _places(levels: tuple[Level, ...]) -> list[list[float]]:
    """Return where each cluster is drawn: near those that its objects come from."""
    width = max(len(level.sizes) for level in levels)
    found: list[list[float]] = []
    for level in levels:
        many = len(level.sizes)
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


def _box(levels: tuple[Level, ...], k: int, j: int) -> str:
    level = levels[k]
    lines = [
        f"{_called(level, j)} at {spoken(level.name)}",
        counted(int(level.sizes[j]), "object"),
    ]
    if len(level.shared):
        best = int(level.shared[:, j].argmax())
        part = share(float(level.shared[best, j] / level.sizes[j]))
        lines.append(f"{part} from {_called(levels[k - 1], best)} above")
    if level.stability:
        lines.append(f"Jaccard index in samples {level.stability[j]:.2f}")
    return hover(*lines)


def _called(level: Level, j: int) -> str:
    """Return a cluster by its name, or by its size where labelings keep no names."""
    if level.clusters:
        return f"cluster {spoken(level.clusters[j])}"
    return f"a cluster of {counted(int(level.sizes[j]), 'object')}"


def _words(sweep: Any, levels: tuple[Level, ...]) -> tuple[str, str]:
    mixed = [
        (level.name, j)
        for level in levels[1:]
        for j in range(len(level.sizes))
        if level.shared[:, j].max() < STABLE * level.sizes[j]
    ]
    first, last = len(levels[0].sizes), len(levels[-1].sizes)
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
    held = sweep.labels if isinstance(sweep, Tuning) else sweep
    total = len(sweep.names if isinstance(sweep, Summary) else held)
    left = (
        f" {counted(total - len(levels), 'clustering')} not drawn." if total > len(levels) else ""
    )
    return title, f"Each disc is a cluster, and its area the number of objects; {why}.{left}"
