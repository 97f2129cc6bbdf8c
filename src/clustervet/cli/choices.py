"""Selections and bounds as answers of the command line."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any

from clustervet.cli.output import Format
from clustervet.labels import show_label
from clustervet.pacmdl import Bound
from clustervet.selection import display
from clustervet.selection.selection import Selection

NESTED = frozenset({"schema", "costs", "assignment", "verdict"})


@dataclass(frozen=True)
class Chosen:
    """A selection as an answer."""

    selection: Selection

    def to_text(self, format: Format) -> str:
        """The best of each algorithm; every candidate as JSON and CSV."""
        if format is Format.json:
            return self.selection.to_json()
        if format is Format.csv:
            return display.csv_text(self.selection)
        if format is Format.markdown:
            return display.markdown(self.selection)
        return display.text(self.selection)

    def to_rich(self) -> Any:
        """The best of each algorithm for a terminal."""
        return display.rich_table(self.selection)


@dataclass(frozen=True)
class Bounded:
    """A bound as an answer."""

    bound: Bound

    def to_text(self, format: Format) -> str:
        """The bound in words, or its numbers."""
        if format is Format.json:
            return self.bound.to_json()
        numbers = {
            name: value for name, value in self.bound.to_dict().items() if name not in NESTED
        }
        if format is Format.csv:
            return _csv([list(numbers), list(numbers.values())])
        if format is Format.markdown:
            lines = [f"| {name} | {_cell(value)} |" for name, value in numbers.items()]
            return "\n".join([self.bound.verdict, "", "| | |", "|---|---:|", *lines])
        return repr(self.bound)

    def to_rich(self) -> Any:
        """The bound in words."""
        from rich.text import Text

        first, _, rest = repr(self.bound).partition("\n")
        return Text.assemble((first, "bold"), "\n", rest)


def predictions_text(selection: Selection) -> str:
    """Cluster and predicted label of each point, as CSV."""
    names = {label: _defused(str(label)) for label in dict.fromkeys(selection.predictions.tolist())}
    rows = zip(selection.labels.tolist(), selection.predictions.tolist(), strict=True)
    return _csv([["cluster", "label"], *([cluster, names[label]] for cluster, label in rows)])


def _csv(rows: list[list[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in rows:
        writer.writerow(_defused(item) if isinstance(item, str) else item for item in row)
    return out.getvalue()


def _defused(item: str) -> str:
    """Text with control characters spelled out, which no spreadsheet runs as a formula."""
    safe = show_label(item, max(1, 12 * len(item)))
    return "'" + safe if safe.startswith(("=", "+", "-", "@")) else safe


def _cell(item: Any) -> str:
    safe = "" if item is None else str(item)
    for sign in ("\\", "|", "`"):
        safe = safe.replace(sign, f"\\{sign}")
    return safe.replace("<", "&lt;").replace(">", "&gt;")
