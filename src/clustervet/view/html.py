"""Documents as HTML for a notebook; all text is escaped."""

from __future__ import annotations

from html import escape

from clustervet.view.model import Cell, Section, Table
from clustervet.view.plain_text import cell_text


def to_html(section: Section) -> str:
    """Return a document as HTML; details are left to pages."""
    tables, opening = section.shown_tables, [escape(line) for line in section.opening]
    parts = []
    if len(tables) == 1:
        parts.append(_table(tables[0], "<br>".join(opening)))
    else:
        parts += [f"<p>{line}</p>" for line in opening]
        parts += [_table(table, escape(table.title)) for table in tables]
    for part in section.sections:
        if not part.detail:
            parts += [f"<h4>{escape(part.title)}</h4>", to_html(part)]
    if section.notes:
        parts.append(f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in section.notes)}</ul>")
    return "".join(parts)


def _table(table: Table, caption: str) -> str:
    above = f"<caption>{caption}</caption>" if caption else ""
    head = "".join(
        f"<th{_hint(column.hint)}>{escape(column.title)}</th>" for column in table.columns
    )
    body = "".join(
        f"<tr>{''.join(_cell(cell, k == 0) for k, cell in enumerate(row.cells))}</tr>"
        for row in table.first_rows
    )
    heads = f"<thead><tr>{head}</tr></thead>" if table.has_heads else ""
    more = f"<p>{table.more}</p>" if table.more else ""
    return f"<table>{above}{heads}<tbody>{body}</tbody></table>{more}"


def _cell(cell: Cell, first: bool) -> str:
    tag = "th" if first else "td"
    text = escape(cell_text(cell))
    return f"<{tag}{_hint(cell.hint)}>{f'<b>{text}</b>' if cell.best else text}</{tag}>"


def _hint(text: str) -> str:
    return f' title="{escape(text)}"' if text else ""
