"""The table as text, as HTML, and as columns."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from clustervet.labels import plain_label, show_label
from clustervet.labels.codes import Names

if TYPE_CHECKING:
    from clustervet.contingency.table import Contingency

SHOWN = 12


def headline(table: Contingency) -> str:
    """One line about the table."""
    height, width = table.shape
    unit = "object" if table.n == 1 else "objects"
    amount = f"{table.n:,}" if table.is_whole else f"{table.n:,.6g}"
    return (
        f"Contingency of {amount} {unit}: {height:,} {'class' if height == 1 else 'classes'} x "
        f"{width:,} {'cluster' if width == 1 else 'clusters'}, "
        f"{len(table):,} non-empty {'cell' if len(table) == 1 else 'cells'}"
    )


def _grid(table: Contingency) -> list[list[str]]:
    """The corner that fits a screen, with names and totals; empty cells are dots."""
    height, width = (min(size, SHOWN) for size in table.shape)
    more_rows, more_cols = table.shape[0] > height, table.shape[1] > width
    body = [["."] * width for _ in range(height)]
    cells = table.cells
    last = int(cells.indptr[height])
    rows = np.repeat(np.arange(height), np.diff(cells.indptr[: height + 1]))
    for at, col, value in zip(rows, cells.cols[:last], cells.values[:last], strict=True):
        if col < width:
            body[at][col] = _number(value)
    classes, clusters = table._class_names, table._cluster_names
    names = [show_label(plain_label(clusters[k])) for k in range(width)]
    dots = ["…"] if more_cols else []
    grid = [["", *names, *dots, "total"]]
    for row in range(height):
        name = show_label(plain_label(classes[row]))
        grid.append([name, *body[row], *dots, _number(table.class_sizes[row])])
    if more_rows:
        grid.append(["…"] * len(grid[0]))
    sizes = [_number(table.cluster_sizes[k]) for k in range(width)]
    grid.append(["total", *sizes, *dots, _number(table.n)])
    return grid


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(int(value))


def text(table: Contingency) -> str:
    """For a terminal or a log."""
    grid = _grid(table)
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    lines = [
        "  ".join(item.rjust(width) for item, width in zip(line, widths, strict=True))
        for line in grid
    ]
    return "\n".join([headline(table), *lines])


def html(table: Contingency) -> str:
    """For a notebook; names are escaped."""
    grid = _grid(table)
    head = "".join(f"<th>{escape(item)}</th>" for item in grid[0])
    body = "".join(
        f"<tr><th>{escape(line[0])}</th>"
        + "".join(f"<td>{escape(x)}</td>" for x in line[1:])
        + "</tr>"
        for line in grid[1:]
    )
    return (
        f"<table><caption>{escape(headline(table))}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def columns(table: Contingency, layout: str) -> dict[str, Names]:
    """The table as columns for a frame."""
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
    """Names of one plain type as they are, others as text: a frame's column has one type."""
    plain = (bool, int, str, bytes, date, datetime, timedelta)
    return (
        names
        if len(set(map(type, names))) == 1 and isinstance(names[0], plain)
        else [None if name is None else str(name) for name in names]
    )
