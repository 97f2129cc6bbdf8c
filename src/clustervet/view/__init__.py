"""How results are shown: the document model, one renderer per form, and the words.

Law: the only room that formats; all text is escaped here. A result says what it has to say once,
in `document()`; text, terminal, notebook, Markdown, LaTeX, CSV, JSON and page are made from it.
"""

from __future__ import annotations

from clustervet.view.cells import (
    best_places,
    facts_table,
    form_cell,
    name_cell,
    number_cell,
    plain_table,
    scale_of,
    text_cell,
    with_ends,
)
from clustervet.view.data import (
    Backend,
    csv_rows,
    flat_numbers,
    plain,
    section_data,
    to_frame,
    to_json,
)
from clustervet.view.model import Block, Cell, Column, Picture, Row, Section, Table
from clustervet.view.result import Result

__all__ = [
    "Backend",
    "Block",
    "Cell",
    "Column",
    "Picture",
    "Result",
    "Row",
    "Section",
    "Table",
    "best_places",
    "csv_rows",
    "facts_table",
    "flat_numbers",
    "form_cell",
    "name_cell",
    "number_cell",
    "plain",
    "plain_table",
    "scale_of",
    "section_data",
    "text_cell",
    "to_frame",
    "to_json",
    "with_ends",
]
