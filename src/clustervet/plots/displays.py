"""Tables, distances and silhouettes with matplotlib, in the manner of scikit-learn's displays."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from clustervet.contingency import Contingency
from clustervet.ensemble.distances import Distances
from clustervet.ensemble.groups import Hierarchy
from clustervet.internal.silhouette import Silhouettes, silhouettes
from clustervet.plots.axes import colour_map, new_axes, plain, plain_texts, set_title
from clustervet.plots.tables import NUMBERED, SHADES, Shade, heatmap_title, make_grid
from clustervet.plots.text import brief
from clustervet.plots.theme import EITHER
from clustervet.plots.widths import bands_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Names along an axis that have room.
NAMED = 40


class ContingencyDisplay:
    """The heatmap of a table, matches on the diagonal.

    After `plot`, `ax_`, `figure_`, `im_` and `text_` (an array of texts, or None) are set.

    >>> display = ContingencyDisplay.from_labels(["a", "a", "b"], [1, 1, 0])
    >>> display.table.shape
    (2, 2)
    """

    def __init__(self, table: Contingency) -> None:
        self.table = table

    @classmethod
    def from_labels(cls, truth: Any, pred: Any, **options: Any) -> ContingencyDisplay:
        """Count two labelings; options are those of `Contingency.from_labels`."""
        return cls(Contingency.from_labels(truth, pred, **options))

    @classmethod
    def from_table(cls, table: Contingency) -> ContingencyDisplay:
        """Take a finished table."""
        return cls(table)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        shade: Shade = "class",
        most: int = 300,
        colorbar: bool = True,
    ) -> ContingencyDisplay:
        """Draw it; up to 20 rows and columns the cells hold their numbers."""
        grid = make_grid(self.table, most)
        self.ax_ = new_axes(ax)
        self.figure_ = self.ax_.figure
        shares = np.where(grid.counts != 0, grid.shares[shade], np.nan)
        top = None if shade == "count" else 1.0
        self.im_ = self.ax_.imshow(shares, cmap=colour_map(), vmin=0, vmax=top, aspect="auto")
        self.text_ = _numbers(self.ax_, grid.counts, shares, top) if _is_small(shares) else None
        rows = [*grid.row_names, *[f"other ({grid.rest_rows:,})"] * bool(grid.rest_rows)]
        cols = [*grid.col_names, *[f"other ({grid.rest_cols:,})"] * bool(grid.rest_cols)]
        _name_ticks(self.ax_, rows, cols)
        self.ax_.set(xlabel="cluster", ylabel="class")
        set_title(self.ax_, heatmap_title(self.table))
        if colorbar:
            self.figure_.colorbar(self.im_, ax=self.ax_, label=SHADES[shade])
        return self


def _is_small(matrix: np.ndarray[Any, Any]) -> bool:
    return bool(max(matrix.shape) <= NUMBERED)


def _numbers(ax: Axes, values: Any, shares: Any, top: float | None) -> Any:
    """The numbers in the cells, light on dark."""
    texts = np.full(shares.shape, None, object)
    most = top or np.nanmax(shares) or 1.0
    size = "medium" if max(shares.shape) <= 8 else "x-small"
    for r, c in zip(*np.nonzero(~np.isnan(shares)), strict=True):
        colour = "white" if shares[r, c] > 0.5 * most else "black"
        value = values[r, c]
        shown = f"{value:.3g}" if isinstance(value, float) else f"{int(value)}"
        texts[r, c] = ax.text(c, r, shown, ha="center", va="center", color=colour, fontsize=size)
    return texts


def _name_ticks(ax: Axes, rows: list[Any], cols: list[Any]) -> None:
    """Names beside the axes, thinned where they are many."""
    for names, axis, upright in ((cols, ax.xaxis, True), (rows, ax.yaxis, False)):
        step = max(1, math.ceil(len(names) / NAMED))
        texts = plain_texts(names)[::step]
        turned = upright and (len(texts) > 12 or max(map(len, texts)) > 6)
        axis.set_ticks(
            range(0, len(names), step),
            texts,
            rotation="vertical" if turned else "horizontal",
            fontsize="small" if len(names) <= 20 else "xx-small",
        )


class DistanceDisplay:
    """The matrix of distances between clusterings.

    After `plot`, `ax_`, `figure_`, `im_` and `text_` are set.
    """

    def __init__(self, distances: Distances, hierarchy: Hierarchy | None = None) -> None:
        self.distances = distances
        self.hierarchy = hierarchy

    @classmethod
    def from_distances(
        cls, distances: Distances, hierarchy: Hierarchy | None = None
    ) -> DistanceDisplay:
        """Take finished distances, in the order of a tree where one is given."""
        return cls(distances, hierarchy)

    @classmethod
    def from_labelings(cls, labelings: Any, **options: Any) -> DistanceDisplay:
        """Compare labelings; options are those of `Ensemble`."""
        from clustervet.ensemble import Ensemble

        found = Ensemble(labelings, **options)
        return cls(found.distances, found.hierarchy() if len(found) > 1 else None)

    def plot(self, ax: Axes | None = None, *, colorbar: bool = True) -> DistanceDisplay:
        """Draw it; up to 20 clusterings the cells hold their values."""
        self.ax_ = new_axes(ax)
        self.figure_ = self.ax_.figure
        order = range(len(self.distances)) if self.hierarchy is None else self.hierarchy.order
        matrix = self.distances.matrix[np.ix_(order, order)]
        self.im_ = self.ax_.imshow(matrix, cmap=colour_map(), aspect="auto")
        self.text_ = _numbers(self.ax_, matrix, matrix, None) if _is_small(matrix) else None
        names = [self.distances.names[k] for k in order]
        _name_ticks(self.ax_, names, names)
        record = self.distances.measure
        set_title(self.ax_, f"{record.title} of {len(names):,} clusterings")
        if colorbar:
            label = plain(f"{record.symbol} {record.unit}".strip())
            self.figure_.colorbar(self.im_, ax=self.ax_, label=label)
        return self


class SilhouetteDisplay:
    """Silhouettes of the points, sorted within clusters.

    After `plot`, `ax_`, `figure_` and `fills_` (one a cluster) are set.
    """

    def __init__(self, silhouettes: Silhouettes) -> None:
        self.silhouettes = silhouettes

    @classmethod
    def from_silhouettes(cls, silhouettes: Silhouettes) -> SilhouetteDisplay:
        """Take finished silhouettes."""
        return cls(silhouettes)

    @classmethod
    def from_labels(
        cls,
        X: Any,  # noqa: N803  # the name that everyone gives to features
        labels: Any,
        **options: Any,
    ) -> SilhouetteDisplay:
        """Compute the silhouettes of points; options are those of `silhouettes`."""
        return cls(silhouettes(X, labels, **options))

    def plot(self, ax: Axes | None = None) -> SilhouetteDisplay:
        """Draw it, the cluster of the largest mean on top."""
        self.ax_ = new_axes(ax)
        self.figure_ = self.ax_.figure
        bands = bands_of(self.silhouettes)
        gap = 0.012 * sum(band.size for band in bands)
        row, middles, self.fills_ = 0.0, [], []
        for k, band in enumerate(bands):
            rows = row + np.arange(band.size + 1)
            widths = np.append(band.widths, band.widths[-1])
            colour = EITHER[k % len(EITHER)]
            fill = self.ax_.fill_betweenx(rows, 0, widths, step="post", color=colour, alpha=0.8)
            self.fills_.append(fill)
            middles.append(row + band.size / 2)
            row += band.size + gap
        step = max(1, math.ceil(len(bands) / NAMED))
        texts = plain_texts([band.name for band in bands])
        self.ax_.set_yticks(middles[::step], texts[::step], fontsize="small")
        self.ax_.set_ylim(row, -gap)
        self.ax_.axvline(self.silhouettes.overall, color="black", linestyle="--", linewidth=1)
        self.ax_.axvline(0, color="grey", linewidth=0.8)
        self.ax_.set(xlabel="silhouette", ylabel="cluster")
        set_title(self.ax_, f"The mean silhouette is {brief(self.silhouettes.overall)}")
        return self
