"""Documents as HTML for a notebook; all text is escaped."""

from __future__ import annotations

from html import escape

from clustervet.view.model import Cell, Section, Table
from clustervet.view.plain import cell_text


def to_html(section: Section) -> str:
    """Return a document as HTML; details are left to pages."""
    parts = [f"<p>{escape(line)}</p>" for line in section.paragraphs]
    tables = [table for table in section.tables if not table.detail and table.rows]
    parts += [_table(table, titled=len(tables) > 1) for table in tables]
    for part in section.sections:
        if not part.detail:
            parts += [f"<h4>{escape(part.title)}</h4>", to_html(part)]
    if section.notes:
        parts.append(f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in section.notes)}</ul>")
    return "".join(parts)


def _table(table: Table, titled: bool) -> str:
    caption = f"<caption>{escape(table.title)}</caption>" if titled else ""
    head = "".join(
        f"<th{_hint(column.hint)}>{escape(column.title)}</th>" for column in table.columns
    )
    body = "".join(
        f"<tr>{''.join(_cell(cell, k == 0) for k, cell in enumerate(row.cells))}</tr>"
        for row in table.rows
    )
    heads = f"<thead><tr>{head}</tr></thead>" if table.has_heads else ""
    return f"<table>{caption}{heads}<tbody>{body}</tbody></table>"


def _cell(cell: Cell, first: bool) -> str:
    tag = "th" if first else "td"
    text = escape(cell_text(cell))
    return f"<{tag}{_hint(cell.hint)}>{f'<b>{text}</b>' if cell.best else text}</{tag}>"


def _hint(text: str) -> str:
    return f' title="{escape(text)}"' if text else ""
