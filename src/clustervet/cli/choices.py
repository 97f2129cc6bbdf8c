"""Selections and bounds as answers of the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from clustervet.cli.output import Format
from clustervet.pacmdl import Bound
from clustervet.scorecard.render import csv_rows, safe_cell
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
            return csv_rows([list(numbers), list(numbers.values())])
        if format is Format.markdown:
            lines = [
                f"| {name} | {safe_cell('' if value is None else str(value))} |"
                for name, value in numbers.items()
            ]
            return "\n".join([self.bound.verdict, "", "| | |", "|---|---:|", *lines])
        return repr(self.bound)

    def to_rich(self) -> Any:
        """The bound in words."""
        from rich.text import Text

        first, _, rest = repr(self.bound).partition("\n")
        return Text.assemble((first, "bold"), "\n", rest)


def predictions_text(selection: Selection, names: Sequence[str] | None) -> str:
    """Cluster and predicted label of each point, as CSV; with its name, if points have names."""
    columns = [selection.labels.tolist(), selection.predictions.tolist()]
    if names is None:
        return csv_rows([["cluster", "label"], *zip(*columns, strict=True)])
    return csv_rows([["document", "cluster", "label"], *zip(names, *columns, strict=True)])
