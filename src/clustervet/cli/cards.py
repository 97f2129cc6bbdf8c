"""The list of measures and the card of one, as answers."""

from __future__ import annotations

import csv
import io
import json
import math
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clustervet.cli.output import Format
from clustervet.registry import Measure
from clustervet.scorecard.render import ARROWS, span

if TYPE_CHECKING:
    from clustervet.lab.property_verdict import Verdict

DIRECTION = {
    "higher": "higher is better",
    "lower": "lower is better",
    "neither": "neither high nor low is better",
}


TIME = {
    "cells": "time grows with the table's cells",
    "points": "time grows with the points",
    "pairs": "time grows with the pairs of points",
    "refits": "clusters reference data several times",
}


def as_data(record: Measure) -> dict[str, Any]:
    """A record as plain data."""
    return {
        "key": record.key,
        "title": record.title,
        "symbol": record.symbol,
        "family": record.family,
        "kind": record.kind,
        "better": record.better,
        "bounds": [bound if math.isfinite(bound) else None for bound in record.bounds],
        "unit": record.unit,
        "symmetric": record.symmetric,
        "metric": record.metric,
        "adjusted": record.adjusted,
        "cost": record.cost,
        "perfect": record.perfect,
        "aliases": list(record.aliases),
        "parameters": {name: str(default) for name, default in record.parameters.items()},
        "meaning": record.meaning,
        "equation": record.equation,
        "use": record.use,
        "avoid": record.avoid,
        "reference": record.reference,
        "tested": {key: verdict.status for key, verdict in _tested(record).items()},
    }


def _tested(record: Measure) -> Mapping[str, Verdict]:
    """What the property matrix of the package says of a measure."""
    from clustervet.lab.matrix import packaged_row

    return packaged_row(record) or {}


def _titles(record: Measure, status: str) -> str:
    """The properties of which the tests said so."""
    from clustervet.lab.properties import known_properties

    found = [key for key, verdict in _tested(record).items() if verdict.status == status]
    titles = [known_properties()[key].title for key in found]
    return "; ".join(title[0].lower() + title[1:] for title in titles)


def _traits(record: Measure) -> list[str]:
    traits = [DIRECTION[record.better], f"range {span(record.bounds)}"]
    traits += [f"in {record.unit}"] if record.unit else []
    if record.kind == "internal":
        return [*traits, "needs features, not classes", TIME[record.cost]]
    traits += ["symmetric" if record.symmetric else "truth and prediction are not exchangeable"]
    traits += ["a metric"] if record.metric else []
    traits += ["corrected for chance"] if record.adjusted else []
    return traits


@dataclass(frozen=True)
class Listing:
    """All measures, a line each."""

    records: list[Measure]

    def _rows(self) -> list[list[str]]:
        return [
            [r.key, ARROWS[r.better], span(r.bounds), r.title, ", ".join(r.aliases)]
            for r in self.records
        ]

    def to_text(self, format: Format) -> str:
        """The list as text."""
        if format is Format.json:
            return json.dumps([as_data(r) for r in self.records], indent=2, ensure_ascii=False)
        head = ["measure", "", "range", "title", "aliases"]
        if format is Format.csv:
            rows = [["measure", "better", "low", "high", "family", "title"]]
            rows += [
                [r.key, r.better, *map(str, r.bounds), r.family, r.title] for r in self.records
            ]
            out = io.StringIO()
            csv.writer(out, lineterminator="\n").writerows(rows)
            return out.getvalue()
        if format is Format.markdown:
            rows = [head, ["---"] * len(head), *self._rows()]
            return "\n".join("| " + " | ".join(row) + " |" for row in rows)
        grid = [head, *self._rows()]
        widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
        return "\n".join(
            "  ".join(x.ljust(w) for x, w in zip(row, widths, strict=True)).rstrip() for row in grid
        )

    def to_rich(self) -> Any:
        """The list for a terminal, families apart."""
        from rich.box import SIMPLE_HEAD
        from rich.table import Table

        table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
        table.add_column("measure", no_wrap=True, style="bold")
        table.add_column("", no_wrap=True)
        table.add_column("range", style="dim", no_wrap=True)
        table.add_column("title")
        table.add_column("aliases", style="dim")
        rows = self._rows()
        for k, row in enumerate(rows):
            end = k + 1 == len(rows) or self.records[k].family != self.records[k + 1].family
            table.add_row(*row, end_section=end)
        return table


@dataclass(frozen=True)
class Card:
    """What one measure means and when to use it."""

    record: Measure

    def _sections(self) -> list[tuple[str, str]]:
        r = self.record
        parameters = ", ".join(f"{name}={default!r}" for name, default in r.parameters.items())
        sections = [
            ("", r.meaning),
            ("formula", r.equation),
            ("properties", "; ".join(_traits(r))),
            ("has", _titles(r, "holds")),
            ("lacks", _titles(r, "fails")),
            ("use when", r.use),
            ("avoid when", r.avoid),
            ("parameters", parameters),
            ("also called", ", ".join(r.aliases)),
            ("reference", r.reference),
        ]
        return [(head, body) for head, body in sections if body]

    def to_text(self, format: Format) -> str:
        """The card as text."""
        if format is Format.json:
            return json.dumps(as_data(self.record), indent=2, ensure_ascii=False)
        if format is Format.csv:
            return Listing([self.record]).to_text(format)
        title = f"{self.record.title} ({self.record.key})"
        if format is Format.markdown:
            lines = [
                f"- **{head}**: {body}" if head else f"{body}\n" for head, body in self._sections()
            ]
            return "\n".join([f"## {title}", "", *lines])
        lines = [title, ""]
        for head, body in self._sections():
            lines += textwrap.wrap(
                body,
                88,
                initial_indent=f"{head:12}" if head else "",
                subsequent_indent=" " * 12 if head else "",
            )
            lines += [] if head else [""]
        return "\n".join(lines)

    def to_rich(self) -> Any:
        """The card for a terminal."""
        from rich.console import Group
        from rich.padding import Padding
        from rich.table import Table
        from rich.text import Text

        title = Text.assemble((self.record.title, "bold"), (f"  {self.record.key}", "dim"))
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim", no_wrap=True)
        grid.add_column(max_width=88)
        sections = self._sections()
        for head, body in sections[1:]:
            grid.add_row(head, Text(body))
        return Group(title, Padding(Text(sections[0][1]), (1, 0)), grid)
