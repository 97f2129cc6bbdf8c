"""A comparison of many clusterings as an answer."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import dataclass
from typing import Any

from clustervet.cli.output import Format
from clustervet.ensemble import show as shown
from clustervet.ensemble.nearest import Nearest
from clustervet.ensemble.summary import Summary
from clustervet.labels import show_label
from clustervet.scorecard.render import number, safe_cell


@dataclass(frozen=True)
class Compared:
    """An ensemble's summary as an answer, and the labelings nearest to a query."""

    summary: Summary
    nearest: Nearest | None

    def to_text(self, format: Format) -> str:
        """Distances, groups, map and consensus as text."""
        if format is Format.json:
            return json.dumps(self._data(), indent=2, ensure_ascii=False, allow_nan=False)
        if format is Format.csv:
            return _csv(shown.columns(self.summary))
        if format is Format.markdown:
            said = [f"- {safe_cell(line)}" for line in self._closing()]
            return "\n".join([shown.markdown(self.summary), *said])
        return "\n".join([shown.text(self.summary), *self._closing()])

    def _data(self) -> dict[str, Any]:
        data = self.summary.to_dict()
        return data if self.nearest is None else {**data, "nearest": self.nearest.to_dict()}

    def _closing(self) -> list[str]:
        found = self.nearest
        if found is None:
            return []
        unit = self.summary.distances.measure.unit
        near = ", ".join(
            f"{show_label(name, 40)} ({number(float(gap), unit)})"
            for name, gap in zip(found.names, found.distances, strict=True)
        )
        return [f"Nearest to the query: {near}."]

    def to_rich(self) -> Any:
        """The same for a terminal."""
        from rich.console import Group
        from rich.text import Text

        lines = (Text(line) for line in self._closing())
        return Group(shown.rich_table(self.summary), *lines)


def _csv(columns: dict[str, list[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(_cell, columns))
    for row in zip(*columns.values(), strict=True):
        writer.writerow(map(_cell, row))
    return out.getvalue()


def _cell(item: Any) -> Any:
    """All digits of numbers; text that a spreadsheet would run is defused."""
    if isinstance(item, float):
        return "" if math.isnan(item) else repr(item)
    if not isinstance(item, str):
        return item
    safe = show_label(item, max(1, len(item) * 12))  # control characters spelled out, none cut
    return "'" + safe if safe.startswith(("=", "+", "-", "@")) else safe
