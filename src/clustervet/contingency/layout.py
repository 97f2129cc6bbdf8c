"""The table as a document and as columns."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from clustervet.labels import plain_label, show_label
from clustervet.labels.codes import Names
from clustervet.view import Cell, Column, Row, Section, Table
from clustervet.view.words import counted

if TYPE_CHECKING:
    from clustervet.contingency.table import Contingency

# Classes and clusters whose counts are shown.
SHOWN = 12


def headline(table: Contingency) -> str:
    """Return one line about the table."""
    height, width = table.shape
    amount = f"{table.n:,}" if table.is_whole else f"{table.n:,.6g}"
    return (
        f"Contingency of {amount} {'object' if table.n == 1 else 'objects'}: "
        f"{counted(height, 'class', 'classes')} x {counted(width, 'cluster')}, "
        f"{counted(len(table), 'non-empty cell')}"
    )


def document(table: Contingency) -> Section:
    """Return the corner that fits a screen, with names and totals; empty cells are dots."""
    height, width = (min(size, SHOWN) for size in table.shape)
    more = [Cell("…")] if table.shape[1] > width else []
    body = [[Cell(".")] * width for _ in range(height)]
    cells = table.cells
    last = int(cells.indptr[height])
    places = np.repeat(np.arange(height), np.diff(cells.indptr[: height + 1]))
    for at, col, value in zip(places, cells.cols[:last], cells.values[:last], strict=True):
        if col < width:
            body[at][col] = _count(value)
    heads = ["", *(_name(table._cluster_names[k]) for k in range(width)), *(["…"] if more else [])]
    rows = [
        Row((Cell(_name(table._class_names[k])), *body[k], *more, _count(table.class_sizes[k])))
        for k in range(height)
    ]
    if table.shape[0] > height:
        rows.append(Row((Cell("…"),) * (len(heads) + 1)))
    sizes = [_count(table.cluster_sizes[k]) for k in range(width)]
    rows.append(Row((Cell("total"), *sizes, *more, _count(table.n))))
    grid = Table(
        "table-counts",
        "Classes in rows, clusters in columns",
        tuple(map(Column, [*heads, "total"])),
        tuple(rows),
    )
    return Section("table", "The table", (headline(table),), (grid,), subject=table, scope="p0")


def _name(label: Any) -> str:
    return show_label(plain_label(label))


def _count(value: Any) -> Cell:
    if isinstance(value, float | np.floating):
        return Cell(f"{value:.6g}", float(value))
    return Cell(str(int(value)), int(value))


def columns(table: Contingency, layout: str) -> dict[str, Names]:
    """Return the cells as three columns, or one column per cluster."""
    cells = table.cells
    classes, clusters = table.class_names, table.cluster_names
    values = cells.values if cells.values.dtype != object else cells.values.tolist()
    if layout == "long":
        classes, clusters = _uniform(classes), _uniform(clusters)
        return {
            "class": [classes[k] for k in cells.rows],
            "cluster": [clusters[k] for k in cells.cols],
            "count": values,
        }
    dense = np.zeros(table.shape, cells.values.dtype)
    dense[cells.rows, cells.cols] = cells.values
    named: dict[str, Names] = {"class": _uniform(classes)}
    for k, name in enumerate(clusters):
        head = str(name)
        while head in named:  # two clusters may read alike, as 1 and "1" do
            head += "'"
        named[head] = dense[:, k] if dense.dtype != object else dense[:, k].tolist()
    return named


def _uniform(names: list[Any]) -> list[Any]:
    """Return names of one plain type as they are, others as text: a column has one type."""
    plain = (bool, int, str, bytes, date, datetime, timedelta)
    return (
        names
        if len(set(map(type, names))) == 1 and isinstance(names[0], plain)
        else [None if name is None else str(name) for name in names]
    )
