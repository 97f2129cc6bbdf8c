"""Documents as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from clustervet.view.model import Picture, Section, Table
from clustervet.view.plain_text import interval_text

# Rows of a table in the Markdown of a report; the page and the JSON have all.
MOST_ROWS = 50


def to_markdown(section: Section) -> str:
    """Return a document as Markdown without its own heading; details are left to pages."""
    return "\n".join(body_lines(section, 3, details=False)).strip("\n")


def body_lines(section: Section, level: int, *, details: bool) -> list[str]:
    """Return the lines of a section below its heading; those of its parts have this level."""
    lines: list[str] = []
    for paragraph in section.paragraphs if details else section.opening:
        lines += [safe(paragraph), ""]
    shown = [
        block
        for block in section.blocks
        if isinstance(block, Picture) or ((details or not block.detail) and block.rows)
    ]
    for block in shown:
        lines += (
            _picture(block)
            if isinstance(block, Picture)
            else _table(
                block, titled=details or len(shown) > 1, most=MOST_ROWS if details else None
            )
        )
    for part in section.sections:
        if details or not part.detail:
            lines += [f"{'#' * level} {safe(part.title)}", ""]
            lines += body_lines(part, level + 1, details=details)
    if section.notes:
        lines += [*(f"- {safe(note)}" for note in section.notes), ""]
    return lines


def _picture(picture: Picture) -> list[str]:
    note = f" {safe(picture.note)}" if picture.note else ""
    return [f"> Figure: {safe(picture.title)}{note}", ""]


def _table(table: Table, *, titled: bool, most: int | None) -> list[str]:
    lines = [f"**{safe(table.title)}**", ""] if titled else []
    lines += [
        _line(safe(column.title) or " " for column in table.columns),
        _line("---:" if column.kind == "number" else "---" for column in table.columns),
    ]
    for row in table.rows[:most]:
        texts = [(safe(cell.text) + interval_text(cell), cell.best) for cell in row.cells]
        lines.append(_line(f"**{text}**" if best else text for text, best in texts))
    more = (table.total or len(table.rows)) - len(table.rows[:most])
    if more:
        lines += ["", f"{more:,} more rows are in the page and in the JSON."]
    if titled and table.note:
        lines += ["", safe(table.note)]
    return [*lines, ""]


def _line(cells: Iterator[str]) -> str:
    return f"| {' | '.join(cells)} |"


def safe(text: str) -> str:
    r"""Return text that Markdown shows as it is, in a table too.

    >>> print(safe("a|b <i> *c* [d]"))
    a\|b &lt;i&gt; \*c\* \[d\]
    """
    for sign in "\\|`*[]":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("<", "&lt;").replace(">", "&gt;")
