"""Tables of finished answers as text and HTML; nothing is computed here."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from string import ascii_lowercase

from clustervet.lab.properties import Property
from clustervet.lab.property_verdict import Verdict

WIDTH = 98
LEGEND = "✓ holds in all cases tried, ✗ fails, – does not apply, ! the measure is broken."


def text_table(grid: Sequence[Sequence[str]], gap: str = "  ") -> str:
    """Columns side by side."""
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    return "\n".join(
        gap.join(item.ljust(w) for item, w in zip(row, widths, strict=True)).rstrip()
        for row in grid
    )


def html_table(grid: Sequence[Sequence[str]], notes: Iterable[str]) -> str:
    """A table and notes below it, every text escaped."""
    head, *rows = grid
    top = "".join(f"<th>{escape(item)}</th>" for item in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(item)}</td>" for item in row) + "</tr>" for row in rows
    )
    below = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>{below}"


def marks(rows: Mapping[str, Mapping[str, Verdict]], kinds: Sequence[Property]) -> str:
    """Many measures: a letter a property, a mark an answer, and what the letters mean."""
    letters = ascii_lowercase[: len(kinds)]
    grid = [
        ["measure", *letters],
        *([key, *(v.mark for v in row.values())] for key, row in rows.items()),
    ]
    legend = [
        [letter, kind.key, f"{kind.title}: {_count(rows, kind.key)} of {len(rows)}"]
        for letter, kind in zip(letters, kinds, strict=True)
    ]
    return f"{text_table(grid, ' ')}\n\n{text_table(legend)}\n{LEGEND}"


def _count(rows: Mapping[str, Mapping[str, Verdict]], key: str) -> int:
    return sum(row[key].status == "holds" for row in rows.values())


def answers(rows: Mapping[str, Mapping[str, Verdict]]) -> str:
    """Few measures: every answer in words."""
    lines: list[str] = []
    for key, row in rows.items():
        lines += ["", key] if lines else [key]
        said = {str(verdict) for verdict in row.values()}
        if len(row) > 1 and len(said) == 1 and {v.status for v in row.values()} == {"broken"}:
            lines += indented(f"{next(iter(row.values())).mark} {said.pop()}")
            continue
        for name, verdict in row.items():
            lines += indented(f"{verdict.mark} {name}: {verdict}")
    return "\n".join(lines)


def indented(said: str) -> list[str]:
    """A sentence under a heading, on as many lines as it needs."""
    return textwrap.wrap(said, WIDTH, initial_indent="  ", subsequent_indent="      ")
