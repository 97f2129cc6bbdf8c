"""Scores, elbows and bounds with matplotlib, in the manner of scikit-learn's displays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clustervet.errors import ParameterError
from clustervet.plots.axes import new_axes, plain, plain_texts, set_title
from clustervet.plots.bounds import bound_title
from clustervet.plots.curves import curve_places, elbow_title
from clustervet.plots.score_text import chosen_measures, interval_of, read_cards
from clustervet.plots.text import LONG, share, shown
from clustervet.plots.theme import EITHER, QUIET
from clustervet.registry import measures
from clustervet.scorecard import ScoreCard, ScoreCards, external_scores
from clustervet.scorecard.render import ARROWS
from clustervet.selection import Selection
from clustervet.tuning import Tuning

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = ("o", "s", "D", "^", "v", "P", "X", "*")


class ScoreDisplay:
    """Scores with their intervals, of the measures that lie between fixed bounds.

    After `plot`, `ax_`, `figure_` and `lines_` (one a card) are set.

    >>> ScoreDisplay.from_labels([0, 0, 1], [0, 0, 1], confidence=None).cards["pred"]["rand"]
    1.0
    """

    def __init__(self, cards: ScoreCard | ScoreCards) -> None:
        self.cards = read_cards(cards)

    @classmethod
    def from_cards(cls, cards: ScoreCard | ScoreCards) -> ScoreDisplay:
        """Take finished cards."""
        return cls(cards)

    @classmethod
    def from_labels(
        cls, truth: Any, pred: Any, *, confidence: float | None = 0.95, **options: Any
    ) -> ScoreDisplay:
        """Score labelings; options are those of `external_scores`."""
        return cls(external_scores(truth, pred, confidence=confidence, **options))

    def plot(
        self, ax: Axes | None = None, *, measures: Sequence[str] | None = None
    ) -> ScoreDisplay:
        """Draw it, a row a measure."""
        records = [
            record
            for record in chosen_measures(self.cards, measures)
            if measures is not None or all(map(math.isfinite, record.bounds))
        ]
        if not records:
            raise ParameterError("no measure of these cards lies between bounds; name some.")
        self.ax_ = new_axes(ax, (6.4, 1.5 + 0.24 * len(records)))
        self.figure_ = self.ax_.figure
        self.lines_ = []
        count = len(self.cards)
        for k, (name, card) in enumerate(self.cards.items()):
            scores = [card.scores[record.key] for record in records]
            rows = np.arange(len(scores)) + (0.5 * (k / (count - 1) - 0.5) if count > 1 else 0.0)
            found = [interval_of(score) for score in scores]
            below = [
                max(0.0, s.value - f[0]) if f else 0 for s, f in zip(scores, found, strict=True)
            ]
            above = [
                max(0.0, f[1] - s.value) if f else 0 for s, f in zip(scores, found, strict=True)
            ]
            drawn = self.ax_.errorbar(
                [float(score.value) for score in scores],
                rows,
                xerr=[below, above] if any(found) else None,
                fmt=MARKERS[k % len(MARKERS)],
                color=EITHER[k % len(EITHER)],
                capsize=2,
                markersize=5,
                label=plain(shown(name)),
            )
            self.lines_.append(drawn)
        titles = [f"{record.title} {ARROWS[record.better]}".strip() for record in records]
        self.ax_.set_yticks(range(len(titles)), plain_texts(titles, LONG), fontsize="small")
        self.ax_.set_ylim(len(titles) - 0.4, -0.6)
        self.ax_.grid(axis="x", alpha=0.3)
        self.ax_.set_xlabel("score (↑ higher is better, ↓ lower is better)")
        if count > 1:
            self.ax_.legend(fontsize="small")
        return self


class ElbowDisplay:
    """One measure over the values of a parameter, with its choice.

    After `plot`, `ax_`, `figure_` and `line_` are set.
    """

    def __init__(self, tuning: Tuning) -> None:
        self.tuning = tuning

    @classmethod
    def from_tuning(cls, tuning: Tuning) -> ElbowDisplay:
        """Take a finished tuning."""
        return cls(tuning)

    def plot(self, ax: Axes | None = None, *, measure: str | None = None) -> ElbowDisplay:
        """Draw the curve of one measure, the first by default."""
        tuning = self.tuning
        key = tuning.measures[0].key if measure is None else measures[measure].key
        if key not in tuning.curves:
            raise ParameterError(f"the tuning has no {key}; it has {', '.join(tuning.curves)}.")
        record = next(record for record in tuning.measures if record.key == key)
        self.ax_ = new_axes(ax)
        self.figure_ = self.ax_.figure
        places, words = curve_places(tuning)
        curve = tuning.curves[key]
        (self.line_,) = self.ax_.plot(places, curve, "o-", color=EITHER[0], markersize=4)
        if tuning.stability is not None:
            low, high = tuning.stability.low[key], tuning.stability.high[key]
            self.ax_.fill_between(places, low, high, color=EITHER[0], alpha=0.2, linewidth=0)
        choice = tuning.choices[key]
        if choice.index is not None:
            self.ax_.plot(
                [places[choice.index]],
                [curve[choice.index]],
                "*",
                markersize=15,
                color=EITHER[1],
                fillstyle="full" if choice.clear else "none",
            )
        if words is not None:
            self.ax_.set_xticks(places, plain_texts(tuning.values))
        arrow = ARROWS[record.better]
        self.ax_.set_xlabel(plain(shown(tuning.parameter)))
        self.ax_.set_ylabel(plain(f"{record.title} {arrow}".strip()))
        self.ax_.grid(alpha=0.3)
        set_title(self.ax_, elbow_title(tuning))
        return self


class BoundDisplay:
    """The bound on errors against the number of clusters, by algorithm.

    After `plot`, `ax_`, `figure_` and `lines_` (by algorithm) are set.
    """

    def __init__(self, selection: Selection) -> None:
        self.selection = selection

    @classmethod
    def from_selection(cls, selection: Selection) -> BoundDisplay:
        """Take a finished selection."""
        return cls(selection)

    def plot(self, ax: Axes | None = None) -> BoundDisplay:
        """Draw a line an algorithm, the constant answer, and the choice."""
        self.ax_ = new_axes(ax)
        self.figure_ = self.ax_.figure
        selection = self.selection
        self.lines_: dict[str, Any] = {}
        for k, (name, curve) in enumerate(selection.curves.items()):
            (self.lines_[name],) = self.ax_.plot(
                list(curve),
                list(curve.values()),
                marker=MARKERS[k % len(MARKERS)],
                color=EITHER[k % len(EITHER)],
                markersize=4,
                label=plain(shown(name)),
            )
        constant, best = selection.bound.constant, selection.best
        label = plain(f"always {shown(constant.label, 20)}: {share(constant.rate)}")
        self.ax_.axhline(constant.rate, color=QUIET, linestyle="--", label=label)
        height = selection.curves[best.algorithm][best.clusters]
        self.ax_.plot(
            [best.clusters], [height], "*", markersize=15, color=EITHER[1], label="chosen"
        )
        self.ax_.set(xlabel="number of clusters", ylabel="bound on the error rate")
        self.ax_.set_ylim(bottom=0)
        self.ax_.grid(alpha=0.3)
        self.ax_.legend(fontsize="small")
        set_title(self.ax_, bound_title(selection))
        return self
