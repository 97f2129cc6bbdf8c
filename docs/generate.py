"""Write docs/measures.md from the registry; `make docs` runs it, and a test compares."""

from __future__ import annotations

from pathlib import Path

import clustervet as cv
from clustervet.cli.cards import Card
from clustervet.cli.output import Format
from clustervet.registry import FAMILIES
from clustervet.scorecard.render import ARROWS, span

TARGET = Path(__file__).parent / "measures.md"


def measures_page() -> str:
    """All measures: a table of them, then a card each, by family."""
    lines = [
        "# The measures",
        "",
        "Written from the registry by `make docs`. ↑ means that higher is better, ↓ that lower is.",
        "",
        "External measures hold a clustering against classes, internal ones against its data.",
        "",
        "| external | | range | unit | symmetric | metric | chance-adjusted | also called |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for record in cv.measures.select(kind="external"):
        marks = [
            "yes" if claim else "" for claim in (record.symmetric, record.metric, record.adjusted)
        ]
        cells = [
            f"[{record.key}](#{record.key})",
            ARROWS[record.better],
            span(record.bounds),
            record.unit,
            *marks,
            ", ".join(record.aliases),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    lines += [
        "",
        "| internal | | range | unit | time | also called |",
        "|---|---|---|---|---|---|",
    ]
    for record in cv.measures.select(kind="internal"):
        cells = [
            f"[{record.key}](#{record.key})",
            ARROWS[record.better],
            span(record.bounds),
            record.unit,
            record.cost,
            ", ".join(record.aliases),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    for family, looks_at in FAMILIES.items():
        lines += ["", f"## {family}: {looks_at}"]
        for record in cv.measures.select(family=family):
            _, _, body = Card(record).to_text(Format.markdown).partition("\n")
            lines += ["", f'<a id="{record.key}"></a>', f"### {record.title} `{record.key}`", body]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TARGET.write_text(measures_page(), encoding="utf-8")
