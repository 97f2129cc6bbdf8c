"""The figures with matplotlib, in the manner of scikit-learn's displays."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clustervet.contingency import Contingency
from clustervet.ensemble import Distances, Ensemble, Hierarchy
from clustervet.errors import MissingPackageError, ParameterError
from clustervet.internal import Silhouettes, silhouettes
from clustervet.plots.clusterwise import bands_of
from clustervet.plots.curves import (
    baseline_text,
    bound_title,
    constant_text,
    curve_places,
    elbow_title,
)
from clustervet.plots.dots import chosen_measures, is_bounded, reaches, read_cards
from clustervet.plots.maps import ordered_distances
from clustervet.plots.tables import NUMBERED, SHADES, Shade, heatmap_title, make_grid
from clustervet.plots.theme import EITHER, QUIET, SEQUENTIAL
from clustervet.registry import measures
from clustervet.scorecard import ScoreCard, ScoreCards, external_scores
from clustervet.selection import Selection
from clustervet.selection.predictors import BASELINE
from clustervet.tuning import Tuning
from clustervet.view.words import ARROWS, LONG, SHORT, brief, distinct, spoken

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = ("o", "s", "D", "^", "v", "P", "X", "*")
# Names along an axis that have room.
NAMED = 40


def _plain(text: str) -> str:
    """Return a text in which no dollar opens a formula."""
    return text.replace("$", r"\$")


def _texts(names: Sequence[Any], width: int = SHORT) -> list[str]:
    """Return names for matplotlib: short, distinct, and without formulas."""
    return [_plain(text) for text in distinct(names, width)]


class _Display:
    """The axes that a display is drawn on."""

    ax_: Axes
    figure_: Any

    def _start(self, ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
        """Take the axes given, or those of a new figure.

        The figure belongs to pyplot, as those of scikit-learn's displays do.
        """
        if ax is None:
            try:
                pyplot: Any = importlib.import_module("matplotlib.pyplot")
            except ImportError:
                raise MissingPackageError(
                    "displays need matplotlib; install it with clustervet's extra 'matplotlib'."
                ) from None
            ax = pyplot.subplots(figsize=size, layout="constrained")[1]
        self.ax_ = ax
        self.figure_ = ax.figure
        return ax

    def _set_title(self, title: str) -> None:
        self.ax_.set_title(_plain(title), loc="left", wrap=True, fontsize="medium")

    def _draw_matrix(
        self, numbers: Any, shades: Any, rows: list[Any], cols: list[Any], top: float | None
    ) -> None:
        """Draw a matrix with names beside it, and its numbers in the cells where it is small."""
        ax = self.ax_
        colors: Any = importlib.import_module("matplotlib.colors")
        ramp = colors.LinearSegmentedColormap.from_list("clustervet", SEQUENTIAL["light"])
        least = None if top is None else 0
        self.im_ = ax.imshow(shades, cmap=ramp, vmin=least, vmax=top, aspect="auto")
        for names, axis, upright in ((cols, ax.xaxis, True), (rows, ax.yaxis, False)):
            step = max(1, math.ceil(len(names) / NAMED))
            texts = _texts(names)[::step]
            turned = upright and (len(texts) > 12 or max(map(len, texts)) > 6)
            axis.set_ticks(
                range(0, len(names), step),
                texts,
                rotation="vertical" if turned else "horizontal",
                fontsize="small" if len(names) <= 20 else "xx-small",
            )
        self.text_: Any = None
        if max(shades.shape) > NUMBERED:
            return
        self.text_ = np.full(shades.shape, None, object)
        most = top or np.nanmax(shades) or 1.0
        size = "medium" if max(shades.shape) <= 8 else "x-small"
        for r, c in zip(*np.nonzero(~np.isnan(shades)), strict=True):
            value = numbers[r, c]
            self.text_[r, c] = ax.text(
                c,
                r,
                f"{value:.3g}" if isinstance(value, float) else f"{int(value)}",
                ha="center",
                va="center",
                color="white" if shades[r, c] > 0.5 * most else "black",
                fontsize=size,
            )


class ContingencyDisplay(_Display):
    """The heatmap of a table, with matches on the diagonal.

    Parameters
    ----------
    table : Contingency
        The table.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
        What `plot` drew on.
    im_ : matplotlib image
        The heatmap.
    text_ : ndarray of matplotlib texts, or None
        The numbers in the cells, where there is room for them.

    Examples
    --------
    >>> display = ContingencyDisplay.from_labels(["a", "a", "b"], [1, 1, 0])
    >>> display.table.shape
    (2, 2)
    """

    def __init__(self, table: Contingency) -> None:
        self.table = table

    @classmethod
    def from_labels(cls, truth: Any, pred: Any, **options: Any) -> ContingencyDisplay:
        """Return the display of two labelings.

        Parameters
        ----------
        truth, pred : array-like
            The labels.
        **options
            Options of `Contingency.from_labels`.

        Returns
        -------
        ContingencyDisplay
            The display, not yet drawn.

        Examples
        --------
        >>> ContingencyDisplay.from_labels(["a", "a", "b"], [1, 1, 0]).table.n
        3
        """
        return cls(Contingency.from_labels(truth, pred, **options))

    @classmethod
    def from_table(cls, table: Contingency) -> ContingencyDisplay:
        """Return the display of a finished table.

        Parameters
        ----------
        table : Contingency
            The table, however it was made: counted by an engine, say, or read from a file
            that was saved.

        Returns
        -------
        ContingencyDisplay
            The display, not yet drawn.

        Examples
        --------
        >>> ContingencyDisplay.from_table(Contingency.from_counts([[2, 0], [0, 1]])).table.n
        3
        """
        return cls(table)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        shade: Shade = "class",
        most: int = 300,
        colorbar: bool = True,
    ) -> ContingencyDisplay:
        """Draw the heatmap; up to 20 rows and columns the cells hold their numbers.

        Parameters
        ----------
        ax : matplotlib axes or None, optional
            Where to draw; by default in a new figure.
        shade : {"class", "cluster", "count"}, default "class"
            What the colour shows: the share of the class, the share of the cluster, or the number
            of objects.
        most : int, default 300
            The most rows and columns. The smallest classes and clusters beyond are combined.
        colorbar : bool, default True
            Whether to draw the scale of the colours.

        Returns
        -------
        ContingencyDisplay
            The display itself.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> display = ContingencyDisplay.from_labels(["a", "a", "b"], [1, 1, 0])
        >>> ax = display.plot(Figure().subplots()).ax_
        >>> ax.get_xlabel(), ax.get_ylabel()
        ('cluster', 'class')
        """
        grid = make_grid(self.table, most)
        ax = self._start(ax)
        shades = np.where(grid.counts != 0, grid.shares[shade], np.nan)
        top = float(np.nanmax(shades)) if shade == "count" else 1.0
        self._draw_matrix(grid.counts, shades, grid.rows.labels, grid.cols.labels, top)
        ax.set(xlabel="cluster", ylabel="class")
        self._set_title(heatmap_title(self.table))
        if colorbar:
            self.figure_.colorbar(self.im_, ax=ax, label=SHADES[shade])
        return self


class DistanceDisplay(_Display):
    """The matrix of distances between clusterings.

    Parameters
    ----------
    distances : Distances
        The distances.
    hierarchy : Hierarchy or None, optional
        The tree whose order the rows have.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
        What `plot` drew on.
    im_ : matplotlib image
        The heatmap.
    text_ : ndarray of matplotlib texts, or None
        The numbers in the cells, where there is room for them.

    Examples
    --------
    >>> display = DistanceDisplay.from_labelings({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2]})
    >>> display.distances.names
    ('a', 'b')
    """

    def __init__(self, distances: Distances, hierarchy: Hierarchy | None = None) -> None:
        self.distances = distances
        self.hierarchy = hierarchy

    @classmethod
    def from_distances(
        cls, distances: Distances, hierarchy: Hierarchy | None = None
    ) -> DistanceDisplay:
        """Return the display of finished distances.

        Parameters
        ----------
        distances : Distances
            The distances.
        hierarchy : Hierarchy or None, optional
            The tree whose order the rows have.

        Returns
        -------
        DistanceDisplay
            The display, not yet drawn.

        Examples
        --------
        >>> import clustervet as cv
        >>> found = cv.distance_matrix({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2]})
        >>> DistanceDisplay.from_distances(found).distances is found
        True
        """
        return cls(distances, hierarchy)

    @classmethod
    def from_labelings(cls, labelings: Any, **options: Any) -> DistanceDisplay:
        """Return the display of the distances between labelings, in the order of their tree.

        Parameters
        ----------
        labelings : list or mapping of labels
            The labelings.
        **options
            Options of `Ensemble`.

        Returns
        -------
        DistanceDisplay
            The display, not yet drawn.

        Examples
        --------
        >>> display = DistanceDisplay.from_labelings([[0, 0, 1, 1], [0, 0, 1, 2]], measure="mirkin")
        >>> display.distances.measure.key
        'mirkin'
        """
        found = Ensemble(labelings, **options)
        return cls(found.distances, found.hierarchy() if len(found) > 1 else None)

    def plot(self, ax: Axes | None = None, *, colorbar: bool = True) -> DistanceDisplay:
        """Draw the matrix; up to 20 clusterings the cells hold their values.

        Parameters
        ----------
        ax : matplotlib axes or None, optional
            Where to draw; by default in a new figure.
        colorbar : bool, default True
            Whether to draw the scale of the colours.

        Returns
        -------
        DistanceDisplay
            The display itself.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> display = DistanceDisplay.from_labelings({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2]})
        >>> display.plot(Figure().subplots()).text_.shape
        (2, 2)
        """
        ax = self._start(ax)
        names, matrix = ordered_distances(self.distances, self.hierarchy)
        self._draw_matrix(matrix, matrix, names, names, None)
        record = self.distances.measure
        self._set_title(f"{record.title} of {len(names):,} clusterings")
        if colorbar:
            label = _plain(f"{record.symbol} {record.unit}".strip())
            self.figure_.colorbar(self.im_, ax=ax, label=label)
        return self


class SilhouetteDisplay(_Display):
    """Silhouettes of the points, sorted within clusters.

    Parameters
    ----------
    silhouettes : Silhouettes
        The silhouettes.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
        What `plot` drew on.
    fills_ : list of matplotlib collections
        One area per cluster.

    Examples
    --------
    >>> display = SilhouetteDisplay.from_labels([[0], [1], [10], [13]], [0, 0, 1, 1])
    >>> round(display.silhouettes.overall, 3)
    0.816
    """

    def __init__(self, silhouettes: Silhouettes) -> None:
        self.silhouettes = silhouettes

    @classmethod
    def from_silhouettes(cls, silhouettes: Silhouettes) -> SilhouetteDisplay:
        """Return the display of finished silhouettes.

        Parameters
        ----------
        silhouettes : Silhouettes
            The silhouettes.

        Returns
        -------
        SilhouetteDisplay
            The display, not yet drawn.

        Examples
        --------
        >>> found = silhouettes([[0], [1], [10], [13]], [0, 0, 1, 1])
        >>> SilhouetteDisplay.from_silhouettes(found).silhouettes is found
        True
        """
        return cls(silhouettes)

    @classmethod
    def from_labels(
        cls,
        X: Any,  # noqa: N803  # the name that everyone gives to features
        labels: Any,
        **options: Any,
    ) -> SilhouetteDisplay:
        """Return the display of the silhouettes of points.

        Parameters
        ----------
        X : array-like
            The features of the points.
        labels : array-like
            The cluster of each point.
        **options
            Options of `clustervet.internal.silhouettes`.

        Returns
        -------
        SilhouetteDisplay
            The display, not yet drawn.

        Examples
        --------
        >>> display = SilhouetteDisplay.from_labels([[0], [1], [10], [13]], [0, 0, 1, 1])
        >>> display.silhouettes.points.round(2).tolist()
        [0.91, 0.9, 0.68, 0.76]
        """
        return cls(silhouettes(X, labels, **options))

    def plot(self, ax: Axes | None = None) -> SilhouetteDisplay:
        """Draw the silhouettes, with the cluster of the largest mean on top.

        Parameters
        ----------
        ax : matplotlib axes or None, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        SilhouetteDisplay
            The display itself.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> display = SilhouetteDisplay.from_labels([[0], [1], [10], [13]], [0, 0, 1, 1])
        >>> len(display.plot(Figure().subplots()).fills_)
        2
        """
        ax = self._start(ax)
        bands = bands_of(self.silhouettes)
        gap = 0.012 * sum(band.size for band in bands)
        row, middles, self.fills_ = 0.0, [], []
        for band in bands:
            rows = row + np.arange(band.size + 1)
            widths = np.append(band.widths, band.widths[-1])
            colour = EITHER[band.place % len(EITHER)]
            fill = ax.fill_betweenx(rows, 0, widths, step="post", color=colour, alpha=0.8)
            self.fills_.append(fill)
            middles.append(row + band.size / 2)
            row += band.size + gap
        step = max(1, math.ceil(len(bands) / NAMED))
        texts = _texts([band.name for band in bands])
        ax.set_yticks(middles[::step], texts[::step], fontsize="small")
        ax.set_ylim(row, -gap)
        ax.axvline(self.silhouettes.overall, color="black", linestyle="--", linewidth=1)
        ax.axvline(0, color="grey", linewidth=0.8)
        ax.set(xlabel="silhouette", ylabel="cluster")
        self._set_title(f"The mean silhouette is {brief(self.silhouettes.overall)}")
        return self


class ScoreDisplay(_Display):
    """Scores with their intervals, of the measures that lie between fixed bounds.

    Parameters
    ----------
    cards : ScoreCard or ScoreCards
        The scores.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
        What `plot` drew on.
    lines_ : list of matplotlib containers
        The dots and bars, one container per card.

    Examples
    --------
    >>> ScoreDisplay.from_labels([0, 0, 1], [0, 0, 1], confidence=None).cards["pred"]["rand"]
    1.0
    """

    def __init__(self, cards: ScoreCard | ScoreCards) -> None:
        self.cards = read_cards(cards)

    @classmethod
    def from_cards(cls, cards: ScoreCard | ScoreCards) -> ScoreDisplay:
        """Return the display of finished cards.

        Parameters
        ----------
        cards : ScoreCard or ScoreCards
            The scores.

        Returns
        -------
        ScoreDisplay
            The display, not yet drawn.

        Examples
        --------
        >>> card = external_scores([0, 0, 1], [0, 0, 1], measures=["rand", "purity"])
        >>> list(ScoreDisplay.from_cards(card).cards)
        ['pred']
        """
        return cls(cards)

    @classmethod
    def from_labels(
        cls, truth: Any, pred: Any, *, confidence: float | None = 0.95, **options: Any
    ) -> ScoreDisplay:
        """Return the display of the scores of labelings.

        Parameters
        ----------
        truth, pred : array-like
            The labels; `pred` may be several labelings by name.
        confidence : float or None, default 0.95
            The confidence of the intervals; None for no intervals.
        **options
            Options of `external_scores`.

        Returns
        -------
        ScoreDisplay
            The display, not yet drawn.

        Examples
        --------
        >>> preds = {"a": [0, 0, 1, 1], "b": [0, 1, 1, 1]}
        >>> list(ScoreDisplay.from_labels([0, 0, 1, 1], preds, confidence=None).cards)
        ['a', 'b']
        """
        return cls(external_scores(truth, pred, confidence=confidence, **options))

    def plot(
        self, ax: Axes | None = None, *, measures: Sequence[str] | None = None
    ) -> ScoreDisplay:
        """Draw the scores, one row per measure.

        Parameters
        ----------
        ax : matplotlib axes or None, optional
            Where to draw; by default in a new figure.
        measures : sequence of str or None, optional
            The measures to show; by default all that lie between fixed bounds and for which higher
            or lower is better.

        Returns
        -------
        ScoreDisplay
            The display itself.

        Raises
        ------
        ParameterError
            If the cards do not have these measures.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> display = ScoreDisplay.from_labels([0, 0, 1], [0, 1, 1], confidence=None)
        >>> display = display.plot(Figure().subplots(), measures=["rand", "purity"])
        >>> [tick.get_text() for tick in display.ax_.get_yticklabels()]
        ['Rand index ↑', 'Purity ↑']
        """
        records = [
            record
            for record in chosen_measures(self.cards, measures)
            if measures is not None or is_bounded(record)
        ]
        if not records:
            raise ParameterError("no measure of these cards lies between bounds; name some.")
        ax = self._start(ax, (6.4, 1.5 + 0.24 * len(records)))
        self.lines_ = []
        count = len(self.cards)
        for k, (name, card) in enumerate(self.cards.items()):
            scores = [card.scores[record.key] for record in records]
            values, ends = [float(s.value) for s in scores], [s.ends for s in scores]
            drawn = ax.errorbar(
                values,
                np.arange(len(scores)) + (0.5 * (k / (count - 1) - 0.5) if count > 1 else 0.0),
                xerr=reaches(values, ends) if any(ends) else None,
                fmt=MARKERS[k % len(MARKERS)],
                color=EITHER[k % len(EITHER)],
                capsize=2,
                markersize=5,
                label=_plain(spoken(name)),
            )
            self.lines_.append(drawn)
        titles = [f"{record.title} {ARROWS[record.better]}".strip() for record in records]
        ax.set_yticks(range(len(titles)), _texts(titles, LONG), fontsize="small")
        ax.set_ylim(len(titles) - 0.4, -0.6)
        ax.grid(axis="x", alpha=0.3)
        ax.set_xlabel("score (↑ higher is better, ↓ lower is better)")
        if count > 1:
            ax.legend(fontsize="small")
        return self


class ElbowDisplay(_Display):
    """One measure over the values of a parameter, with its choice.

    Parameters
    ----------
    tuning : Tuning
        What `clustervet.tune` found.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
        What `plot` drew on.
    line_ : matplotlib line
        The curve.

    Examples
    --------
    >>> import clustervet as cv
    >>> X = [[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]]
    >>> found = cv.tune("kmeans", X, values=[2, 3, 4], measures=["silhouette"], random_state=0)
    >>> display = ElbowDisplay(found)
    >>> display.tuning.voted
    2
    """

    def __init__(self, tuning: Tuning) -> None:
        self.tuning = tuning

    @classmethod
    def from_tuning(cls, tuning: Tuning) -> ElbowDisplay:
        """Return the display of a finished tuning.

        Parameters
        ----------
        tuning : Tuning
            What `clustervet.tune` found.

        Returns
        -------
        ElbowDisplay
            The display, not yet drawn.

        Examples
        --------
        >>> import clustervet as cv
        >>> X = [[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]]
        >>> found = cv.tune("kmeans", X, values=[2, 3, 4], measures=["silhouette"], random_state=0)
        >>> ElbowDisplay.from_tuning(found).tuning is found
        True
        """
        return cls(tuning)

    def plot(self, ax: Axes | None = None, *, measure: str | None = None) -> ElbowDisplay:
        """Draw the curve of one measure.

        Parameters
        ----------
        ax : matplotlib axes or None, optional
            Where to draw; by default in a new figure.
        measure : str or None, optional
            The measure; by default the first of the tuning.

        Returns
        -------
        ElbowDisplay
            The display itself.

        Raises
        ------
        ParameterError
            If the tuning does not have the measure.

        Examples
        --------
        >>> import clustervet as cv
        >>> from matplotlib.figure import Figure
        >>> X = [[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]]
        >>> found = cv.tune("kmeans", X, values=[2, 3, 4], measures=["silhouette"], random_state=0)
        >>> ElbowDisplay(found).plot(Figure().subplots()).line_.get_xdata().tolist()
        [2.0, 3.0, 4.0]
        """
        tuning = self.tuning
        record = tuning.measures[0] if measure is None else measures[measure]
        key = record.key
        if key not in tuning.curves:
            raise ParameterError(f"the tuning has no {key}; it has {', '.join(tuning.curves)}.")
        ax = self._start(ax)
        places, ordered = curve_places(tuning)
        curve, choice = tuning.curves[key], tuning.choices[key]
        (self.line_,) = ax.plot(places, curve, "o-", color=EITHER[0], markersize=4)
        for held, colour in ((tuning.reference, QUIET), (tuning.stability, EITHER[0])):
            if held is not None and key in held.low:
                low, high = held.low[key], held.high[key]
                ax.fill_between(places, low, high, color=colour, alpha=0.2, linewidth=0)
        if choice.index is not None:
            ax.plot(
                [places[choice.index]],
                [curve[choice.index]],
                "*",
                markersize=15,
                color=EITHER[1],
                fillstyle="full" if choice.clear else "none",
            )
        if not ordered:
            ax.set_xticks(places, _texts(tuning.values))
        ax.set_xlabel(_plain(spoken(tuning.parameter)))
        ax.set_ylabel(_plain(f"{record.title} {ARROWS[record.better]}".strip()))
        ax.grid(alpha=0.3)
        self._set_title(elbow_title(tuning))
        return self


class BoundDisplay(_Display):
    """The bound on errors against the number of clusters, by algorithm.

    Parameters
    ----------
    selection : Selection
        What `clustervet.select` found.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure
        What `plot` drew on.
    lines_ : dict of str to matplotlib line
        The curves, by algorithm.

    Examples
    --------
    >>> import clustervet as cv
    >>> X, y = [[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]], ["a", "a", None, "b", "b", None]
    >>> found = cv.select(X, y, algorithms=["kmeans"], clusters=[2, 3], runs=1)
    >>> display = BoundDisplay(found)
    >>> display.selection.best.clusters
    2
    """

    def __init__(self, selection: Selection) -> None:
        self.selection = selection

    @classmethod
    def from_selection(cls, selection: Selection) -> BoundDisplay:
        """Return the display of a finished selection.

        Parameters
        ----------
        selection : Selection
            What `clustervet.select` found. The curves show the smallest bound of each number of
            clusters, under the description language that the selection chose by.

        Returns
        -------
        BoundDisplay
            The display, not yet drawn.

        Examples
        --------
        >>> import clustervet as cv
        >>> X, y = [[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]], ["a", "a", None, "b", "b", None]
        >>> found = cv.select(X, y, algorithms=["kmeans"], clusters=[2, 3], runs=1)
        >>> BoundDisplay.from_selection(found).selection is found
        True
        """
        return cls(selection)

    def plot(self, ax: Axes | None = None) -> BoundDisplay:
        """Draw one line per algorithm, the constant answer, and the choice.

        Parameters
        ----------
        ax : matplotlib axes or None, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        BoundDisplay
            The display itself.

        Examples
        --------
        >>> import clustervet as cv
        >>> from matplotlib.figure import Figure
        >>> X, y = [[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]], ["a", "a", None, "b", "b", None]
        >>> found = cv.select(X, y, algorithms=["kmeans"], clusters=[2, 3], runs=1)
        >>> list(BoundDisplay(found).plot(Figure().subplots()).lines_)
        ['kmeans']
        """
        ax = self._start(ax)
        selection, best = self.selection, self.selection.best
        self.lines_: dict[str, Any] = {}
        for k, (name, curve) in enumerate(selection.curves.items()):
            (self.lines_[name],) = ax.plot(
                list(curve),
                list(curve.values()),
                marker=MARKERS[k % len(MARKERS)],
                color=EITHER[k % len(EITHER)],
                markersize=4,
                label=_plain(spoken(name)),
            )
        label = _plain(constant_text(selection))
        ax.axhline(selection.bound.constant.rate, color=QUIET, linestyle="--", label=label)
        if BASELINE in selection.predictors:
            rate, label = selection.predictors[BASELINE].rate, _plain(baseline_text(selection))
            ax.axhline(rate, color=QUIET, linestyle="-.", label=label)
        height = selection.curves[best.algorithm][best.clusters]
        ax.plot([best.clusters], [height], "*", markersize=15, color=EITHER[1], label="chosen")
        ax.set(xlabel="number of clusters", ylabel="bound on the error rate")
        ax.set_ylim(bottom=0)
        ax.grid(alpha=0.3)
        ax.legend(fontsize="small")
        self._set_title(bound_title(selection))
        return self
