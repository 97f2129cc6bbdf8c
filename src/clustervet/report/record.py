"""`Report`: what a page says, as plain frozen records that renderers only read."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

SCHEMA = "clustervet/report/1"
Kind = Literal["text", "number"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry of a table: what is shown, the number behind it, and its interval.

    `link` is the id of the cluster, class or clustering that the entry is about.
    """

    text: str
    value: float | int | str | None = None
    low: float | None = None
    high: float | None = None
    best: bool = False
    link: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As plain data: the number with all its digits, and the text where it is none."""
        plain: dict[str, Any] = {"value": self.text if self.value is None else finite(self.value)}
        if self.value is not None:
            plain["text"] = self.text
        if self.low is not None and self.high is not None:
            plain |= {"low": finite(self.low), "high": finite(self.high)}
        return plain | ({"best": True} if self.best else {})


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column; `scale` is the range over which intervals or shares are drawn."""

    title: str
    kind: Kind = "number"
    hint: str = ""
    scale: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table, and the id of what it is about."""

    cells: tuple[Cell, ...]
    link: str = ""


@dataclass(frozen=True)
class Table:
    """Rows under titled columns; `scope` is the clustering that its clusters belong to.

    `screen` is a note on how the page shows them, and is said there alone.
    """

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""
    scope: str = ""
    screen: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "type": "table",
            "key": self.key,
            "title": self.title,
            "note": self.note,
            "columns": [
                {"title": column.title, "kind": column.kind, "hint": column.hint}
                for column in self.columns
            ],
            "rows": [[cell.to_dict() for cell in row.cells] for row in self.rows],
        }


@dataclass(frozen=True, eq=False)
class Picture:
    """A finished figure: what it shows in words, and plotly's data.

    `scopes` says to which clustering the clusters of each kind of id belong; `table` is the key
    of the table that holds the same numbers.
    """

    key: str
    title: str
    note: str
    figure: Mapping[str, Any] = field(repr=False)
    scopes: Mapping[str, str] = field(default_factory=dict)
    table: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As plain data, without the drawing."""
        return {
            "type": "figure",
            "key": self.key,
            "title": self.title,
            "note": self.note,
            "table": self.table or None,
        }


Block = Table | Picture


@dataclass(frozen=True, eq=False)
class Section:
    """A heading with paragraphs, blocks and sections of its own; `folded` ones start closed.

    `screen` is how to use the section on the page, and is said there alone.
    """

    key: str
    title: str
    paragraphs: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()
    sections: tuple[Section, ...] = ()
    notes: tuple[str, ...] = ()
    folded: bool = False
    screen: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "key": self.key,
            "title": self.title,
            "paragraphs": list(self.paragraphs),
            "blocks": [block.to_dict() for block in self.blocks],
            "sections": [section.to_dict() for section in self.sections],
            "notes": list(self.notes),
        }

    def walk(self) -> Iterator[Block]:
        """All blocks, in the order of the page."""
        yield from self.blocks
        for section in self.sections:
            yield from section.walk()


@dataclass(frozen=True)
class Reproduction:
    """How the report was made, and how to make it again."""

    command: str
    versions: Mapping[str, str]
    seed: str
    time: str

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "command": self.command or None,
            "versions": dict(self.versions),
            "seed": self.seed or None,
            "time": self.time,
        }


@dataclass(frozen=True, eq=False)
class Report:
    """A title, a verdict in plain words, the evidence in sections, and how it was made."""

    title: str
    subject: str
    verdict: tuple[str, ...]
    sections: tuple[Section, ...]
    references: tuple[str, ...]
    reproduction: Reproduction

    def blocks(self) -> Iterator[Block]:
        """All tables and figures, in the order of the page."""
        for section in self.sections:
            yield from section.walk()

    @property
    def tables(self) -> list[Table]:
        """The tables."""
        return [block for block in self.blocks() if isinstance(block, Table)]

    @property
    def pictures(self) -> list[Picture]:
        """The figures."""
        return [block for block in self.blocks() if isinstance(block, Picture)]

    def to_dict(self) -> dict[str, Any]:
        """As plain data; `docs/report.schema.json` describes it."""
        return {
            "schema": SCHEMA,
            "title": self.title,
            "subject": self.subject,
            "verdict": list(self.verdict),
            "sections": [section.to_dict() for section in self.sections],
            "references": list(self.references),
            "reproduction": self.reproduction.to_dict(),
        }

    def to_json(self, indent: int | None = 2) -> str:
        """As JSON, valid against `docs/report.schema.json`."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)


def finite(value: Any) -> Any:
    """The value, or None for a number that JSON cannot hold."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
