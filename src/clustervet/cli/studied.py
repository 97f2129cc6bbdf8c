"""Studies of the laboratory as answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from clustervet.cli.output import Format
from clustervet.scorecard.render import csv_columns, safe_cell


@dataclass(frozen=True)
class Studied:
    """A study as an answer: a grid, or several with titles (`sections`), and notes."""

    study: Any

    def to_text(self, format: Format) -> str:
        """The tables as text; as CSV the values behind them."""
        if format is Format.json:
            return str(self.study.to_json())
        if format is Format.csv:
            return csv_columns(self.study.columns())
        if format is Format.markdown:
            return self._markdown()
        return repr(self.study)

    def _markdown(self) -> str:
        notes = "\n".join(f"- {safe_cell(note)}" for note in self.study.notes())
        if not hasattr(self.study, "sections"):
            return f"{_table(self.study.grid())}\n\n{notes}"
        parts = [
            f"### {safe_cell(title)}\n\n{_table(rows)}" for title, rows in self.study.sections()
        ]
        return "\n\n".join([*parts, notes])

    def to_rich(self) -> Any:
        """The tables for a terminal."""
        from rich.text import Text

        return Text(repr(self.study), no_wrap=True, overflow="ignore")


def _table(rows: list[list[str]]) -> str:
    head, *body = [[safe_cell(item) for item in row] for row in rows]
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines)
