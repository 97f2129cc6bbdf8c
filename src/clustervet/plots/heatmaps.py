"""Heatmaps: contingency tables with matches on the diagonal, and distances between clusterings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import one_of, whole
from clustervet.contingency import Contingency
from clustervet.ensemble import Distances, Hierarchy
from clustervet.errors import ParameterError
from clustervet.plots import canvas, figures
from clustervet.plots.canvas import Figure, axis_texts, escape, hover
from clustervet.view.words import (
    SHORT,
    brief,
    counted,
    digits,
    distinct,
    ident,
    listed,
    share,
    spoken,
)

Places = NDArray[np.int64]
Shade = Literal["class", "cluster", "count"]
SHADES: dict[Shade, str] = {
    "class": "share of the class",
    "cluster": "share of the cluster",
    "count": "objects",
}
# Rows or columns of a table up to which cells hold their numbers.
NUMBERED = 20
# Clusterings up to which cells hold their distances, and the most that are drawn.
NUMBERED_DISTANCES = 12
MOST_DISTANCES = 300


@dataclass(frozen=True)
class Side:
    """Classes or clusters along one side of a figure.

    `names` are those that are shown. Where others are combined in one more place, `rest` is their
    number and the last of `sizes` is theirs.
    """

    kind: str
    names: list[Any]
    sizes: list[Any]
    rest: int
    title: str = ""

    @classmethod
    def of(
        cls,
        kind: str,
        names: list[Any],
        sizes: NDArray[Any],
        order: Places,
        shown: int,
        title: str = "",
    ) -> Side:
        """Return the side that shows the first places of an order and combines the others."""
        kept, rest = order[:shown], order[shown:]
        combined = [sizes[rest].sum()] if len(rest) else []
        return cls(kind, [names[k] for k in kept], [*sizes[kept], *combined], len(rest), title)

    @cached_property
    def labels(self) -> list[Any]:
        """What stands at each place."""
        return [*self.names, *[f"other ({self.rest:,})"] * bool(self.rest)]

    @cached_property
    def ids(self) -> list[str]:
        """The id of each place; that of combined ones is empty."""
        return [ident(self.kind, name) for name in self.names] + [""] * bool(self.rest)

    @cached_property
    def words(self) -> list[str]:
        """What each place is called in a hover box."""
        one, many = ("class", "classes") if self.kind == "class" else ("cluster", "clusters")
        named = [f"{one} {spoken(name)}" for name in self.names]
        return named + [f"{self.rest:,} other {many}"] * bool(self.rest)


@dataclass(frozen=True)
class Grid:
    """A table as it is drawn: its two sides, and its counts as a dense matrix."""

    rows: Side
    cols: Side
    counts: NDArray[Any]

    @cached_property
    def shares(self) -> dict[Shade, NDArray[np.float64]]:
        """What the colour of a cell may show."""
        counts = self.counts.astype(np.float64)
        rows, cols = (np.asarray(side.sizes, np.float64) for side in (self.rows, self.cols))
        return {"class": counts / rows[:, None], "cluster": counts / cols, "count": counts}

    @property
    def is_small(self) -> bool:
        """Whether there is room for numbers in the cells."""
        return bool(max(self.counts.shape) <= NUMBERED)


def diagonal_order(table: Contingency) -> tuple[Places, Places]:
    """Return orders of classes and clusters in which matched pairs lie on the diagonal.

    The pairs of the table's best matching come first, the largest cell foremost. Then come the
    classes and clusters without a match, the largest first.

    >>> table = Contingency.from_counts([[0, 9, 1], [5, 0, 0]])
    >>> [order.tolist() for order in diagonal_order(table)]
    [[0, 1], [1, 0, 2]]
    """
    cells = table.cells
    matched = table.match()
    matched = matched[np.argsort(-cells.values[matched].astype(np.float64), kind="stable")]
    rows, cols = (side[matched].astype(np.int64) for side in (cells.rows, cells.cols))
    return _completed(rows, table.class_sizes), _completed(cols, table.cluster_sizes)


def _completed(first: Places, sizes: NDArray[np.generic]) -> Places:
    """Return these places, followed by the others, the largest first."""
    left = np.ones(len(sizes), np.bool_)
    left[first] = False
    others = np.flatnonzero(left)
    falling = np.argsort(-sizes[others].astype(np.float64), kind="stable")
    return np.concatenate([first, others[falling]])


def make_grid(table: Contingency, most: int) -> Grid:
    """Return the table in diagonal order; what is beyond `most` rows or columns is combined."""
    whole(most, "most", 2)
    named = (
        ("class", table.class_names, table.class_sizes),
        ("cluster", table.cluster_names, table.cluster_sizes),
    )
    sides, places = [], []
    for (kind, names, sizes), order in zip(named, diagonal_order(table), strict=True):
        shown = len(order) if len(order) <= most else most - 1
        sides.append(Side.of(kind, names, sizes, order, shown))
        place = np.empty(len(order), np.int64)
        place[order] = np.minimum(np.arange(len(order)), shown)
        places.append(place)
    cells = table.cells
    counts = np.zeros([len(side.sizes) for side in sides], cells.values.dtype)
    np.add.at(counts, (places[0][cells.rows], places[1][cells.cols]), cells.values)
    return Grid(sides[0], sides[1], counts)


def contingency_heatmap(
    table: Contingency, *, shade: Shade = "class", most: int = 300, theme: str = "light"
) -> Figure:
    """Draw how classes fall into clusters, with matched pairs on the diagonal.

    Parameters
    ----------
    table : Contingency
        The table. Up to 20 rows and columns the cells hold their numbers.
    shade : {"class", "cluster", "count"}, default "class"
        What the colour shows: the share of the class, the share of the cluster, or the number of
        objects.
    most : int, default 300
        The most rows and columns that are drawn. The smallest classes and clusters beyond are
        combined, and the note says so.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        The heatmap.

    Raises
    ------
    ParameterError
        If `table` is not a `Contingency`, or a parameter has a value that is not allowed.

    Examples
    --------
    >>> table = Contingency.from_labels(["a", "a", "b", "b"], [1, 1, 1, 0])
    >>> contingency_heatmap(table).layout.meta["title"]
    'Cluster 1 mixes a and b: 1 of its 3 objects is not a.'
    """
    one_of(shade, "shade", SHADES)
    if not isinstance(table, Contingency):
        raise ParameterError(
            f"contingency_heatmap draws a Contingency, not {type(table).__name__}; make one with "
            "Contingency.from_labels(truth, pred)."
        )
    grid = make_grid(table, most)
    height, width = grid.counts.shape
    figure = canvas.new_figure()
    _add_cells(figure, grid, shade)
    # Names of clusters are upright where they would run into each other.
    longest = max(map(len, distinct(grid.cols.names)))
    angle = 0 if longest * 7.5 + 8 <= 560 / width else -90
    figure.update_xaxes(title="cluster", type="category", showgrid=False, tickangle=angle)
    figure.update_yaxes(title="class", type="category", showgrid=False, autorange="reversed")
    form, top = (",d", None) if shade == "count" else (".0%", 1)
    bar = {"title": {"text": SHADES[shade]}, "tickformat": form}
    figure.update_coloraxes(cmin=0, cmax=top, colorbar=bar)
    ids: dict[str, Any] = {
        "rows": [key for key in grid.rows.ids if key],
        "columns": [key for key in grid.cols.ids if key],
    }
    title, note = heatmap_title(table), _note(table, grid)
    tall = min(max((46 if grid.is_small else 15) * height, 170), 620) + 90
    return canvas.finish(figure, "contingency", theme, title, note, height=tall, **ids)


def _add_cells(figure: Figure, grid: Grid, shade: Shade) -> None:
    filled = grid.counts != 0
    largest = max(grid.counts.shape)
    extra: dict[str, Any] = {}
    if grid.is_small:
        extra["text"] = [[_compact(x) if x else "" for x in row] for row in grid.counts.tolist()]
        extra["texttemplate"] = "%{text}"
        extra["textfont"] = {"size": 13 if largest <= 12 else 10}
    if int(filled.sum()) <= canvas.HOVERED:
        extra |= _boxes(grid, filled)
    else:
        shared = "" if shade == "count" else f"<br>%{{z:.2%}} of the {shade}"
        extra["customdata"] = _narrow(grid.counts)
        extra["hovertemplate"] = (
            f"class %{{y}}, cluster %{{x}}<br>%{{customdata:,}} objects{shared}<extra></extra>"
        )
    figure.add_heatmap(
        z=np.where(filled, grid.shares[shade], math.nan).astype(np.float32),
        x=axis_texts(grid.cols.labels),
        y=axis_texts(grid.rows.labels),
        coloraxis="coloraxis",
        hoverongaps=False,
        xgap=int(largest <= 60),
        ygap=int(largest <= 60),
        **extra,
    )


def _narrow(counts: NDArray[Any]) -> NDArray[Any]:
    """Return counts in as few bytes as they need: a page holds all of them."""
    if counts.dtype == np.int64 and counts.max() < 2**32:
        return counts.astype(np.uint16 if counts.max() < 2**16 else np.uint32)
    return counts.astype(np.float64)


def _boxes(grid: Grid, filled: NDArray[np.bool_]) -> dict[str, Any]:
    """Return ids and hover boxes of the cells that are not empty."""
    rows, cols = grid.rows, grid.cols
    ids = np.full(grid.counts.shape, None, object)
    boxes = np.full(grid.counts.shape, "", object)
    of_class, of_cluster = grid.shares["class"], grid.shares["cluster"]
    for r, c in zip(*np.nonzero(filled), strict=True):
        ids[r, c] = [cols.ids[c], rows.ids[r]]
        boxes[r, c] = hover(
            f"{rows.words[r]}, {cols.words[c]}",
            counted(grid.counts[r, c], "object"),
            f"{share(float(of_class[r, c]))} of the class ({digits(rows.sizes[r])})",
            f"{share(float(of_cluster[r, c]))} of the cluster ({digits(cols.sizes[c])})",
        )
    return {"customdata": ids.tolist(), "hovertext": boxes.tolist(), "hovertemplate": canvas.BOX}


def _compact(count: Any) -> str:
    """Return a number that fits a cell."""
    value = float(count)
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= size:
            return f"{value / (1e3 if letter == 'k' else size):.3g}{letter}"
    return f"{value:,.3g}" if value < 100 and value % 1 else f"{value:.0f}"


def heatmap_title(table: Contingency) -> str:
    """Return what the table shows, in one sentence."""
    if table.identical:
        return "Each cluster is one class: the clustering equals the truth."
    cells, sizes = table.cells, table.cluster_sizes
    peaks = np.zeros(len(sizes), cells.values.dtype)
    np.maximum.at(peaks, cells.cols, cells.values)
    strays = (sizes - peaks).astype(np.float64)
    mixed = int(np.count_nonzero(strays > 0))
    if mixed == 0:
        parts = np.diff(cells.indptr)
        most = int(np.argmax(parts))
        name = spoken(table.class_names[most])
        return f"No cluster mixes classes; class {name} is split over {parts[most]:,} clusters."
    worst = int(np.argmax(strays))
    inside = np.flatnonzero(cells.cols == worst)
    ranked = inside[np.argsort(-cells.values[inside].astype(np.float64), kind="stable")]
    names = [spoken(table.class_names[k]) for k in cells.rows[ranked[:3]]]
    if len(ranked) > 3:
        names = [names[0], f"{len(ranked) - 1:,} other classes"]
    lost, size = sizes[worst] - peaks[worst], sizes[worst]
    tail = f"{digits(lost)} of its {digits(size)} objects {'is' if lost == 1 else 'are'} not"
    finding = f"{spoken(table.cluster_names[worst])} mixes {listed(names)}: {tail} {names[0]}."
    if mixed == 1 or len(sizes) <= 5:
        return f"Cluster {finding}"
    return f"{mixed:,} of {len(sizes):,} clusters mix classes; cluster {finding}"


def _note(table: Contingency, grid: Grid) -> str:
    matched, (height, width) = table.matched, table.shape
    count = digits(matched if isinstance(matched, int) else float(matched))
    said = [
        f"{count} of {digits(table.n)} objects ({share(float(matched / table.exact_n))}) lie "
        "in matched pairs, which come first along the diagonal."
    ]
    if not grid.is_small:
        sizes = f"{counted(height, 'class', 'classes')} × {counted(width, 'cluster')}"
        said.append(f"{sizes}: too many for numbers in the cells.")
    combined = [f"{grid.rows.rest:,} classes"] * bool(grid.rows.rest)
    combined += [f"{grid.cols.rest:,} clusters"] * bool(grid.cols.rest)
    if combined:
        said.append(f"The last {listed(combined)} are combined as other.")
    return " ".join(said)


def distance_heatmap(
    distances: Distances, *, hierarchy: Hierarchy | None = None, theme: str = "light"
) -> Figure:
    """Draw the distance between every two clusterings.

    Parameters
    ----------
    distances : Distances
        The distances. Up to 12 clusterings the cells hold their values; of more than 300 an even
        selection is drawn, and the note says so.
    hierarchy : Hierarchy or None, optional
        The tree of the clusterings. The rows are in its order, so that similar clusterings are
        side by side; without it they are in the order given.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        The heatmap.

    Examples
    --------
    >>> import clustervet as cv
    >>> found = cv.distance_matrix({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 1, 0, 1]})
    >>> distance_heatmap(found).layout.meta["title"]
    'a and b are most alike (VI 0.5), a and c least (VI 2).'
    """
    names, matrix = ordered_distances(distances, hierarchy, MOST_DISTANCES)
    texts, ids = axis_texts(names), [ident("pred", name) for name in names]
    record = distances.measure
    few = len(names) <= NUMBERED_DISTANCES
    extra: dict[str, Any] = {}
    if few:
        extra["text"] = [[f"{x:.3g}" for x in row] for row in matrix.tolist()]
        extra["texttemplate"] = "%{text}"
    if matrix.size <= canvas.HOVERED:
        extra["customdata"] = [[[one, other] for other in ids] for one in ids]
    unit = f" {record.unit}" if record.unit else ""
    figure = canvas.new_figure()
    figure.add_heatmap(
        z=matrix if few else matrix.astype(np.float32),
        x=texts,
        y=texts,
        coloraxis="coloraxis",
        hovertemplate=f"%{{y}} and %{{x}}<br>{escape(record.title)} %{{z:.6~g}}{unit}"
        "<extra></extra>",
        **extra,
    )
    figure.update_xaxes(type="category", showgrid=False, tickangle=-90)
    figure.update_yaxes(type="category", showgrid=False, autorange="reversed")
    symbol = f"{record.symbol or record.title}{', ' + record.unit if record.unit else ''}"
    figure.update_coloraxes(colorbar={"title": {"text": escape(symbol)}})
    note = _distance_note(distances, len(names), hierarchy is not None)
    height = min(max(300, 22 * len(names)), 620) + 60
    meta: dict[str, Any] = {"rows": ids, "columns": ids, "table": "matrix"}
    title = _distance_title(distances)
    return canvas.finish(figure, "distances", theme, title, note, height=height, **meta)


def ordered_distances(
    distances: Distances, hierarchy: Hierarchy | None, most: int | None = None
) -> tuple[list[str], NDArray[np.float64]]:
    """Return names and matrix in the order of a tree; of more than `most` an even selection."""
    order = np.arange(len(distances)) if hierarchy is None else np.asarray(hierarchy.order)
    if most is not None and len(order) > most:
        order = order[np.linspace(0, len(order) - 1, most).round().astype(np.int64)]
    return [distances.names[k] for k in order], distances.matrix[np.ix_(order, order)]


def _distance_title(distances: Distances) -> str:
    record, symbol = distances.measure, distances.measure.symbol or distances.measure.key
    upper = np.triu(np.ones(distances.matrix.shape, np.bool_), 1)
    known = upper & np.isfinite(distances.matrix)
    if not known.any():
        return f"{record.title} has no value between these clusterings."
    values = np.where(known, distances.matrix, np.nan)
    low, high = (
        np.unravel_index(int(f(values)), values.shape) for f in (np.nanargmin, np.nanargmax)
    )
    near, far = (high, low) if record.better == "higher" else (low, high)
    near_value, far_value = float(values[near]), float(values[far])
    if near_value == far_value == record.perfect:
        return "All clusterings are the same."
    if near_value == far_value:
        return f"All clusterings are equally far apart ({symbol} {brief(near_value)})."
    one, other, third, fourth = (spoken(distances.names[k], SHORT) for k in (*near, *far))
    return (
        f"{one} and {other} are most alike ({symbol} {brief(near_value)}), {third} and {fourth} "
        f"least ({symbol} {brief(far_value)})."
    )


def _distance_note(distances: Distances, drawn: int, ordered: bool) -> str:
    said = [f"{distances.measure.title} between {len(distances):,} clusterings."]
    if ordered:
        said.append("Similar ones are side by side, as in their tree.")
    if drawn < len(distances):
        said.append(f"An even selection of {drawn:,} is drawn.")
    missing = sum(distances.undefined.values())
    if missing:
        said.append(f"{missing:,} entries are undefined.")
    return " ".join(said)


@figures.register
def _(distances: Distances, *, theme: str = "light") -> list[Figure]:
    return [distance_heatmap(distances, theme=theme)]
