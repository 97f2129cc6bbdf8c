"""The heatmap of a contingency table, matches on its diagonal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency import Contingency
from clustervet.errors import ParameterError
from clustervet.plots.frame import HOVERED, Figure, finish, graph_objects
from clustervet.plots.order import Places, diagonal_order
from clustervet.plots.text import (
    axis_texts,
    counted,
    distinct_texts,
    hover,
    ident,
    listed,
    number,
    share,
    shown,
)

Shade = Literal["class", "cluster", "count"]
SHADES: dict[Shade, str] = {
    "class": "share of the class",
    "cluster": "share of the cluster",
    "count": "objects",
}
# Rows or columns up to which cells hold their numbers.
NUMBERED = 20
OTHER = "other"


@dataclass(frozen=True)
class Grid:
    """A table as it is drawn: rows and columns in order, the last of each perhaps a rest.

    `counts` is dense; `row_sizes` and `col_sizes` are its margins; `rest_rows` and `rest_cols`
    say how many classes and clusters the last row and column gather.
    """

    row_names: list[Any]
    col_names: list[Any]
    counts: NDArray[Any]
    row_sizes: NDArray[Any]
    col_sizes: NDArray[Any]
    rest_rows: int
    rest_cols: int

    @property
    def shares(self) -> dict[Shade, NDArray[np.float64]]:
        """What a cell's colour may show."""
        rows = self.row_sizes.astype(np.float64)[:, None]
        cols = self.col_sizes.astype(np.float64)[None, :]
        counts = self.counts.astype(np.float64)
        return {"class": counts / rows, "cluster": counts / cols, "count": counts}


def make_grid(table: Contingency, most: int) -> Grid:
    """The table in diagonal order, at most so many rows and columns; smaller ones are gathered."""
    if most < 2:
        raise ParameterError(f"most must be at least 2, not {most!r}.")
    rows, cols = diagonal_order(table)
    row_place, row_rest = _places(rows, most)
    col_place, col_rest = _places(cols, most)
    cells = table.cells
    kind = cells.values.dtype
    counts = np.zeros((int(row_place.max()) + 1, int(col_place.max()) + 1), kind)
    np.add.at(counts, (row_place[cells.rows], col_place[cells.cols]), cells.values)
    classes, clusters = table.class_names, table.cluster_names
    return Grid(
        [classes[k] for k in rows[: len(counts) - bool(row_rest)]],
        [clusters[k] for k in cols[: counts.shape[1] - bool(col_rest)]],
        counts,
        counts.sum(axis=1),
        counts.sum(axis=0),
        row_rest,
        col_rest,
    )


def _places(order: Places, most: int) -> tuple[Places, int]:
    """Where each row is drawn, and how many share the last place."""
    place = np.empty(len(order), np.int64)
    place[order] = np.minimum(np.arange(len(order)), most - 1)
    return place, len(order) - most + 1 if len(order) > most else 0


def contingency_heatmap(
    table: Contingency, *, shade: Shade = "class", most: int = 300, theme: str = "light"
) -> Figure:
    """How classes fall into clusters, matched pairs on the diagonal.

    `shade` says what colour shows: the share of the class, of the cluster, or the count. Up to
    20 rows and columns the cells hold their numbers; beyond `most` of them the smaller ones are
    gathered, and the note says so.

    >>> table = Contingency.from_labels(["a", "a", "b", "b"], [1, 1, 1, 0])
    >>> contingency_heatmap(table).layout.meta["title"]
    'Cluster 1 mixes a and b: 1 of its 3 objects is not a.'
    """
    if shade not in SHADES:
        raise ParameterError(f"shade must be one of {', '.join(SHADES)}, not {shade!r}.")
    if not isinstance(table, Contingency):
        raise ParameterError(
            f"contingency_heatmap draws a Contingency, not {type(table).__name__}; make one with "
            "Contingency.from_labels(truth, pred)."
        )
    grid = make_grid(table, most)
    height, width = grid.counts.shape
    few = max(height, width) <= NUMBERED
    go = graph_objects()
    figure = go.Figure(_heatmap(go, grid, shade, few))
    figure.update_xaxes(title="cluster", type="category", showgrid=False, tickangle=_angle(grid))
    figure.update_yaxes(title="class", type="category", showgrid=False, autorange="reversed")
    percent = shade != "count"
    figure.update_coloraxes(
        cmin=0,
        cmax=1 if percent else None,
        colorbar={"title": {"text": SHADES[shade]}, "tickformat": ".0%" if percent else ",d"},
    )
    tall = min(max(46 * height if few else 15 * height, 170), 620)
    return finish(
        figure,
        kind="contingency",
        title=heatmap_title(table),
        note=_note(table, grid, few),
        theme=theme,
        height=tall + 90,
        rows=[ident("class", name) for name in grid.row_names],
        columns=[ident("cluster", name) for name in grid.col_names],
    )


def _heatmap(go: Any, grid: Grid, shade: Shade, few: bool) -> Any:
    filled = grid.counts != 0
    colours = np.where(filled, grid.shares[shade], math.nan)
    row_texts = _texts(grid.row_names, grid.rest_rows)
    col_texts = _texts(grid.col_names, grid.rest_cols)
    extra: dict[str, Any] = {}
    if few:
        extra["text"] = [[_compact(x) if x else "" for x in row] for row in grid.counts.tolist()]
        extra["texttemplate"] = "%{text}"
        extra["textfont"] = {"size": 13 if max(grid.counts.shape) <= 12 else 10}
    if int(filled.sum()) <= HOVERED:
        extra |= _marks(grid, filled)
        extra["hovertemplate"] = "%{hovertext}<extra></extra>"
    else:
        extra["customdata"] = _narrow(grid.counts)
        shared = "" if shade == "count" else f"<br>%{{z:.2%}} of the {shade}"
        extra["hovertemplate"] = (
            f"class %{{y}}, cluster %{{x}}<br>%{{customdata:,}} objects{shared}<extra></extra>"
        )
    gap = 1 if max(grid.counts.shape) <= 60 else 0
    return go.Heatmap(
        z=colours.astype(np.float32),
        x=col_texts,
        y=row_texts,
        coloraxis="coloraxis",
        hoverongaps=False,
        xgap=gap,
        ygap=gap,
        **extra,
    )


def _narrow(counts: NDArray[Any]) -> NDArray[Any]:
    """Counts in as few bytes as they need: a page holds all of them."""
    if counts.dtype == np.int64 and counts.max() < 2**32:
        return counts.astype(np.uint16 if counts.max() < 2**16 else np.uint32)
    return counts.astype(np.float64)


def _texts(names: list[Any], rest: int) -> list[str]:
    return axis_texts([*names, f"{OTHER} ({rest:,})"] if rest else names)


def _marks(grid: Grid, filled: NDArray[np.bool_]) -> dict[str, Any]:
    """Ids and hover boxes of the cells that are not empty."""
    rows = [ident("class", name) for name in grid.row_names] + [""] * bool(grid.rest_rows)
    cols = [ident("cluster", name) for name in grid.col_names] + [""] * bool(grid.rest_cols)
    classes = [f"class {shown(name)}" for name in grid.row_names]
    clusters = [f"cluster {shown(name)}" for name in grid.col_names]
    classes += [f"{grid.rest_rows:,} other classes"] * bool(grid.rest_rows)
    clusters += [f"{grid.rest_cols:,} other clusters"] * bool(grid.rest_cols)
    height, width = grid.counts.shape
    ids: list[list[Any]] = [[None] * width for _ in range(height)]
    boxes = [[""] * width for _ in range(height)]
    of_class, of_cluster = grid.shares["class"], grid.shares["cluster"]
    for r, c in zip(*np.nonzero(filled), strict=True):
        ids[r][c] = [cols[c], rows[r]]
        count = grid.counts[r, c]
        boxes[r][c] = hover(
            f"{classes[r]}, {clusters[c]}",
            counted(count, "object"),
            f"{share(float(of_class[r, c]))} of the class ({number(grid.row_sizes[r])})",
            f"{share(float(of_cluster[r, c]))} of the cluster ({number(grid.col_sizes[c])})",
        )
    return {"customdata": ids, "hovertext": boxes}


def _compact(count: Any) -> str:
    """A number that fits a cell."""
    value = float(count)
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= size:
            return f"{value / (1e3 if letter == 'k' else size):.3g}{letter}"
    return f"{value:,.3g}" if value < 100 and value % 1 else f"{value:.0f}"


def _angle(grid: Grid) -> int:
    """Names of clusters stand upright where they would run into each other."""
    texts = distinct_texts(grid.col_names)
    room = 560 / grid.counts.shape[1]
    return 0 if max(map(len, texts), default=0) * 7.5 + 8 <= room else -90


def heatmap_title(table: Contingency) -> str:
    """What the table shows, in a sentence."""
    if table.identical:
        return "Each cluster is one class and each class one cluster: the clustering is the truth."
    cells, sizes = table.cells, table.cluster_sizes
    peaks = np.zeros(len(sizes), cells.values.dtype)
    np.maximum.at(peaks, cells.cols, cells.values)
    strays = (sizes - peaks).astype(np.float64)
    mixed = int(np.count_nonzero(strays > 0))
    if mixed == 0:
        return _split_title(table)
    worst = int(np.argmax(strays))
    inside = np.flatnonzero(cells.cols == worst)
    ranked = inside[np.argsort(-cells.values[inside].astype(np.float64), kind="stable")]
    names = [shown(table.class_names[k]) for k in cells.rows[ranked[:3]]]
    if len(ranked) > 3:
        names = [names[0], f"{len(ranked) - 1:,} other classes"]
    lost, size = sizes[worst] - peaks[worst], sizes[worst]
    name = shown(table.cluster_names[worst])
    tail = f"{number(lost)} of its {number(size)} objects {'is' if lost == 1 else 'are'} not"
    finding = f"mixes {listed(names)}: {tail} {names[0]}."
    if mixed == 1 or len(sizes) <= 5:
        return f"Cluster {name} {finding}"
    return f"{mixed:,} of {len(sizes):,} clusters mix classes; cluster {name} {finding}"


def _split_title(table: Contingency) -> str:
    """A sentence for clusters that are all pure."""
    parts = np.diff(table.cells.indptr)
    most = int(np.argmax(parts))
    name = shown(table.class_names[most])
    return f"No cluster mixes classes; class {name} is split over {parts[most]:,} clusters."


def _note(table: Contingency, grid: Grid, few: bool) -> str:
    matched, n = table.matched, table.exact_n
    height, width = table.shape
    said = [
        f"{number(_plain(matched))} of {number(table.n)} objects ({share(float(matched / n))}) lie "
        "in matched pairs, which come first along the diagonal."
    ]
    if not few:
        classes, clusters = counted(height, "class", "classes"), counted(width, "cluster")
        said.append(f"{classes} × {clusters}: too many for numbers in the cells.")
    gathered = []
    if grid.rest_rows:
        gathered.append(f"{grid.rest_rows:,} classes")
    if grid.rest_cols:
        gathered.append(f"{grid.rest_cols:,} clusters")
    if gathered:
        said.append(f"The last {listed(gathered)} are gathered as {OTHER}.")
    return " ".join(said)


def _plain(value: Any) -> int | float:
    return value if isinstance(value, int) else float(value)
