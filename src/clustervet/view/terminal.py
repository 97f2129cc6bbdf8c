"""Documents for a terminal, with colours, by rich."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clustervet.view.model import Cell, Section, Table
from clustervet.view.plain_text import WIDTH, cell_text, table_lines

# Columns in which any table fits.
WIDEST = 10_000


def to_rich(section: Section) -> Any:
    """Return a document as something that rich prints; details are left to pages."""
    from rich.console import Group

    return Group(*_parts(section))


def _parts(section: Section) -> list[Any]:
    from rich.text import Text

    parts: list[Any] = [
        Text(line, style="" if k else "bold") for k, line in enumerate(section.opening)
    ]
    tables = section.shown_tables
    for table in tables:
        if len(tables) > 1:
            parts.append(Text(f"\n{table.title}", style="bold"))
        parts.append(_Fitted(table) if table.has_heads else _facts(table))
    for part in section.sections:
        if not part.detail:
            parts += [Text(f"\n{part.title}", style="bold"), *_parts(part)]
    return [*parts, *(Text(line, style="dim") for line in section.notes)]


class _Fitted:
    """A table in colour where the terminal is wide enough, and else as plain text.

    rich would leave out columns that do not fit, without a word.
    """

    def __init__(self, table: Table) -> None:
        self.table = table

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        from rich.measure import Measurement
        from rich.text import Text

        made = _coloured(self.table)
        free = options.update(width=WIDEST)  # else the least width is that of the terminal at most
        if Measurement.get(console, free, made).minimum <= options.max_width:
            yield made
        else:
            yield Text("\n".join(table_lines(self.table)), overflow="fold")


def _coloured(table: Table) -> Any:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    made = RichTable(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for k, column in enumerate(table.columns):
        words = column.title.replace("_", " ")  # so that a long head may take several lines
        made.add_column(
            Text(words),
            justify="right" if column.kind == "number" else "left",
            no_wrap=k == 0,
            min_width=max(map(len, words.split()), default=0),
            overflow="fold",
        )
    for row in table.first_rows:
        made.add_row(*(_text(cell, table.mark) for cell in row.cells), end_section=row.last)
    made.caption = table.more or None
    return made


def _facts(table: Table) -> Any:
    from rich.table import Table as RichTable

    grid = RichTable.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(max_width=WIDTH)
    for row in table.rows:
        grid.add_row(row.cells[0].text, _text(row.cells[1], table.mark))
    return grid


def _text(cell: Cell, mark: str) -> Any:
    from rich.text import Text

    style = "bold green" if cell.best else "dim" if cell.text in ("undefined", "-") else ""
    return Text(cell_text(cell, mark), style=style)
