"""Results for programs: plain data, JSON, CSV and data frames."""

from __future__ import annotations

import csv
import dataclasses
import importlib.util
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal

import numpy as np

from clustervet.errors import MissingPackageError, ParameterError
from clustervet.labels import show_label
from clustervet.view.model import Cell, Picture, Section, Table

Backend = Literal["pandas", "polars", "pyarrow"]
BACKENDS: tuple[Backend, ...] = ("pandas", "polars", "pyarrow")
# A spreadsheet takes a text that begins so for a formula and runs it.
FORMULA = ("=", "+", "-", "@")


def plain(value: Any) -> Any:
    """Return a value as JSON holds it: a number that is not finite is None, a record a dict."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if dataclasses.is_dataclass(value):
        return record(value)
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset | range):
        return [plain(item) for item in value]
    return show_label(value)


def record(value: Any) -> dict[str, Any]:
    """Return the fields of a record as plain data."""
    return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}


def rows_of(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return columns as one plain record per row.

    >>> rows_of({"name": ["a", "b"], "size": [1, 2]})
    [{'name': 'a', 'size': 1}, {'name': 'b', 'size': 2}]
    """
    rows = zip(*columns.values(), strict=True)
    return [plain(dict(zip(columns, row, strict=True))) for row in rows]


def to_json(data: Any, indent: int | None = 2) -> str:
    """Return plain data as JSON."""
    return json.dumps(data, indent=indent, ensure_ascii=False, allow_nan=False)


def to_csv(columns: Mapping[str, Sequence[Any]]) -> str:
    """Return columns as CSV with all digits; text that a spreadsheet would run is made harmless."""
    return csv_rows([list(columns), *zip(*columns.values(), strict=True)])


def csv_rows(rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as CSV, made harmless in the same way."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([_harmless(x) for x in row] for row in rows)
    return out.getvalue()


def _harmless(item: Any) -> Any:
    if item is None:
        return ""
    if isinstance(item, float):
        return "" if math.isnan(item) else float.__repr__(float(item))
    if not isinstance(item, str):
        return item
    safe = show_label(item, max(1, len(item) * 12))  # control characters spelled out, none cut
    return "'" + safe if safe.startswith(FORMULA) else safe


def flat_numbers(parts: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, float]:
    """Return numbers by dotted name; what is no finite number is left out.

    >>> flat_numbers([("rand", {"": 0.5, "low": 0.25, "high": None})])
    {'rand': 0.5, 'rand.low': 0.25}
    """
    found = {}
    for name, numbers in parts:
        for inner, value in numbers.items():
            if value is not None and math.isfinite(value):
                found[f"{name}.{inner}" if inner else name] = float(value)
    return found


def to_frame(columns: Mapping[str, Any], backend: Backend | None) -> Any:
    """Return columns as a frame of the library named, or of the first one that is installed."""
    if backend is None:
        found = [name for name in BACKENDS if importlib.util.find_spec(name)]
        if not found:
            raise MissingPackageError(
                "a frame needs pandas, polars or pyarrow, and none of them is installed."
            )
        backend = found[0]
    if backend not in BACKENDS:
        raise ParameterError(f"backend must be one of {', '.join(BACKENDS)}, not {backend!r}.")
    if importlib.util.find_spec(backend) is None:
        raise MissingPackageError(f"a {backend} frame needs {backend}, which is not installed.")
    import narwhals as nw

    try:
        ready = {
            name: _decimals(column) if backend == "pyarrow" else column
            for name, column in columns.items()
        }
        return nw.from_dict(ready, backend=backend).to_native()
    except Exception as error:  # engines differ in what they raise for a value they cannot hold
        reason = str(error).partition("\n")[0]
        raise ParameterError(f"a {backend} frame cannot hold this table: {reason}.") from error


def _decimals(column: Any) -> Any:
    """Return whole numbers beyond 64 bits as decimals, which is how Arrow holds them."""
    large = isinstance(column, list) and any(isinstance(x, int) and x >= 2**63 for x in column)
    return [Decimal(x) for x in column] if large else column


def section_data(section: Section) -> dict[str, Any]:
    """Return a section as plain data; of a figure its words, not its drawing."""
    return {
        "key": section.key,
        "title": section.title,
        "paragraphs": list(section.paragraphs),
        "blocks": [
            _table(block) if isinstance(block, Table) else _picture(block)
            for block in section.blocks
        ],
        "sections": [section_data(inner) for inner in section.sections],
        "notes": list(section.notes),
    }


def _table(table: Table) -> dict[str, Any]:
    return {
        "type": "table",
        "key": table.key,
        "title": table.title,
        "note": table.note,
        "columns": [
            {
                "title": column.title,
                "kind": "number" if column.kind == "number" else "text",
                "hint": column.hint,
            }
            for column in table.columns
        ],
        "rows": [[_cell(cell) for cell in row.cells] for row in table.rows],
    }


def _cell(cell: Cell) -> dict[str, Any]:
    text = cell.long or cell.text
    data: dict[str, Any] = {"value": text if cell.value is None else plain(cell.value)}
    if cell.value is not None:
        data["text"] = text
    if cell.low is not None and cell.high is not None:
        data |= {"low": plain(cell.low), "high": plain(cell.high)}
    return data | ({"best": True} if cell.best else {})


def _picture(picture: Picture) -> dict[str, Any]:
    return {
        "type": "figure",
        "key": picture.key,
        "title": picture.title,
        "note": picture.note,
        "table": picture.table or None,
    }
