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
    """A table whose columns follow below in a narrow terminal, each time beside the first one.

    rich would split numbers, or leave out columns without a word. Where not even two columns fit,
    the table is plain text.
    """

    def __init__(self, table: Table) -> None:
        self.table = table

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        from rich.measure import Measurement
        from rich.text import Text

        free = options.update(width=WIDEST)  # else the least width is that of the terminal at most

        def fits(places: range) -> bool:
            made = _coloured(self.table, places)
            return bool(Measurement.get(console, free, made).minimum <= options.max_width)

        count = len(self.table.columns)
        groups = [range(1, count)]
        while not fits(groups[-1]) and len(groups[-1]) > 1:
            first = groups.pop().start
            stop = next(k for k in range(first + 1, count) if not fits(range(first, k + 1)))
            groups += [range(first, stop), range(stop, count)]
        if all(map(fits, groups)):
            yield from (_coloured(self.table, group) for group in groups)
        else:
            yield Text("\n".join(table_lines(self.table)), overflow="fold")


def _coloured(table: Table, places: range) -> Any:
    """Return the first column, with others beside it."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    made = RichTable(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    shown = (0, *places)
    for k in shown:
        column = table.columns[k]
        words = column.title.replace("_", " ")  # so that a long head may take several lines
        made.add_column(
            Text(words),
            justify="right" if column.kind == "number" else "left",
            no_wrap=k == 0,
            min_width=max(map(len, words.split()), default=0),
            overflow="fold",
        )
    for row in table.first_rows:
        cells = (_text(row.cells[k], table.mark) for k in shown)
        made.add_row(*cells, end_section=row.last)
    if shown[-1] == len(table.columns) - 1:
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
