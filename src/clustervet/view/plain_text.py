"""Documents as plain text: aligned columns, one line per row."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from clustervet.view.model import Cell, Section, Table
from clustervet.view.words import number

# Letters of a line in a list of facts.
WIDTH = 88


def to_text(section: Section) -> str:
    """Return a document as plain text; details are left to pages."""
    return "\n".join(_lines(section))


def _lines(section: Section) -> list[str]:
    lines = list(section.opening)
    tables = section.shown_tables
    titled = len(tables) > 1
    for table in tables:
        if titled:
            lines += [*([""] if lines else []), table.title]
        lines += table_lines(table)
    inner = [part for part in section.sections if not part.detail]
    for part in inner:
        lines += [*([""] if lines else []), part.title, *_lines(part)]
    gap = [""] if section.notes and (titled or inner) else []
    return [*lines, *gap, *section.notes]


def table_lines(table: Table) -> list[str]:
    """Return a table as aligned lines."""
    if not table.has_heads:
        return _facts(table)
    grid = [[column.title for column in table.columns]]
    grid += [[cell_text(cell, table.mark) for cell in row.cells] for row in table.first_rows]
    left = [column.kind != "number" for column in table.columns]
    return [*aligned(grid, left), *([table.more] if table.more else [])]


def aligned(grid: Sequence[Sequence[str]], left: Sequence[bool]) -> list[str]:
    """Return rows of cells in columns of equal width, text to the left and numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    return [
        "  ".join(
            item.ljust(width) if at_left else item.rjust(width)
            for item, width, at_left in zip(row, widths, left, strict=True)
        ).rstrip()
        for row in grid
    ]


def cell_text(cell: Cell, mark: str = "") -> str:
    """Return a cell with its interval, and with the mark of the best."""
    text = cell.text + interval_text(cell)
    return text + mark if cell.best else text


def interval_text(cell: Cell) -> str:
    """Return the interval of a cell, behind a space; empty where there is none."""
    if cell.low is None or cell.high is None:
        return ""
    return f" [{number(cell.low)}, {number(cell.high)}]"


def _facts(table: Table) -> list[str]:
    """Return names of facts and what is known, the long ones over several lines."""
    names = [row.cells[0].text for row in table.rows]
    indent = max(map(len, names)) + 2
    lines = []
    for name, row in zip(names, table.rows, strict=True):
        lines += textwrap.wrap(
            cell_text(row.cells[1], table.mark),
            WIDTH,
            initial_indent=name.ljust(indent),
            subsequent_indent=" " * indent,
        )
    return lines
