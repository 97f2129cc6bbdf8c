"""Score cards as an answer of the command line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clustervet.cli import chances
from clustervet.cli.output import Format
from clustervet.inference import Diagnosis, Ranking
from clustervet.labels import show_label
from clustervet.scorecard import ScoreCards, render
from clustervet.scorecard.card import SCHEMA


@dataclass(frozen=True)
class Scores:
    """Score cards as an answer, with what else was asked about them.

    `cards` hold clusterings against known classes, `inner` against their own features; one of
    them may be missing.
    """

    cards: ScoreCards = field(default_factory=lambda: ScoreCards({}))
    inner: ScoreCards = field(default_factory=lambda: ScoreCards({}))
    title: str | None = None
    ranking: Ranking | None = None
    diagnoses: Mapping[str, Diagnosis] = field(default_factory=dict)
    levels: chances.Levels = field(default_factory=dict)

    def _parts(self) -> list[ScoreCards]:
        return [cards for cards in (self.cards, self.inner) if cards]

    def to_text(self, format: Format) -> str:
        """The cards as text; a single card has no name above its values."""
        if format is Format.json:
            return json.dumps(self._data(), indent=2, ensure_ascii=False, allow_nan=False)
        if format is Format.csv:
            cards = [card for part in self._parts() for card in part.values()]
            table = render.columns(cards)
            return render.csv_columns({**table, **chances.columns(self.levels, table)})
        if format is Format.markdown:
            tables = [render.markdown(list(c.values()), _names(c)) for c in self._parts()]
            closing = [f"\n{line}" for line in self._closing()]
            return "\n".join(["\n\n".join(tables), *chances.markdown(self.levels), *closing])
        opening = [self.title] if self.title else []
        tables = [render.text(list(c.values()), _names(c)) for c in self._parts()]
        return "\n".join([*opening, "\n\n".join(tables), *self._under()])

    def _data(self) -> dict[str, Any]:
        """The cards' data, with ranking, diagnoses and chance where asked for."""
        parts = self._parts()
        if len(parts) == 1:
            only = parts[0]
            data = (only if _names(only) else next(iter(only.values()))).to_dict()
        else:
            every = [card for cards in parts for card in cards.to_dict()["cards"]]
            data = {"schema": SCHEMA, "cards": every}
        if self.ranking is not None:
            data["ranking"] = self.ranking.to_dict()
        if self.diagnoses:
            data["diagnoses"] = {name: d.to_dict() for name, d in self.diagnoses.items()}
        if self.levels:
            data["chance"] = chances.as_data(self.levels)
        return data

    def _under(self) -> list[str]:
        """Chance levels, ranking and verdicts, as lines."""
        gap = [""] if self.levels and self._closing() else []
        return [*chances.lines(self.levels), *gap, *self._closing()]

    def _closing(self) -> list[str]:
        """The ranking and the verdicts, a line each."""
        lines = []
        if self.ranking is not None:
            groups = " > ".join(
                " = ".join(show_label(name, 40) for name in group) for group in self.ranking.groups
            )
            tied = any(len(group) > 1 for group in self.ranking.groups)
            note = " (= where the data cannot tell)" if tied else ""
            level = f"{self.ranking.confidence:.4g}"
            shared = ""
            if any(card.subject.objects != self.ranking.objects for card in self.cards.values()):
                shared = f" on the {self.ranking.objects:,} objects that all label"
            lines.append(
                f"By {self.ranking.measure}{shared}, at {level} confidence: {groups}{note}"
            )
        for name, found in self.diagnoses.items():
            head = f"{show_label(name, 40)}: " if len(self.cards) > 1 else ""
            lines.append(head + found.verdict)
        return lines

    def to_rich(self) -> Any:
        """The cards for a terminal."""
        from rich.console import Group
        from rich.text import Text

        tables = [render.rich_table(list(c.values()), _names(c)) for c in self._parts()]
        opening = [Text(self.title)] if self.title else []
        return Group(*opening, *tables, *(Text(line) for line in self._under()))


def _names(cards: ScoreCards) -> list[str] | None:
    return list(cards) if len(cards) > 1 else None
