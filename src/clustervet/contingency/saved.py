"""Saved tables, so that the tables of many machines can be merged into one.

A file carries a version and a checksum of names and counts. JSON is for people and other
programs; Parquet, with one row per cell, is for large tables.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency.cells import Cells, as_values
from clustervet.errors import FileError, TableError
from clustervet.frames.duck import parquet_note, read_parquet, write_parquet
from clustervet.frames.writing import beside, move
from clustervet.labels import Singleton, show_label

if TYPE_CHECKING:
    from clustervet.contingency.table import Contingency

FORMAT, VERSION = "clustervet/table", 1
PARQUET = (".parquet", ".pq", ".parq")


def save_table(table: Contingency, path: str | os.PathLike[str]) -> None:
    """Write a table as Parquet or JSON, as the name of the file says, whole or not at all."""
    target = Path(os.path.realpath(path))
    shown = show_label(os.fspath(path), 200)
    suffix = target.suffix.lower()
    if suffix not in (*PARQUET, ".json"):
        raise FileError(f"a table is saved to a .parquet or .json file, not to {shown}.")
    try:
        with beside(target) as folder:
            folder.mkdir(0o700)
            made = folder / f"table{suffix}"
            if suffix == ".json":
                made.write_text(_as_json(table), encoding="utf-8")
            else:
                _write_parquet(table, made)
            move(made, target)
    except OSError as error:
        raise FileError(f"{shown} cannot be written: {error.strerror}.") from None


def load_table(path: str | os.PathLike[str]) -> Contingency:
    """Read a table that was saved; another version or a changed file is refused."""
    shown = show_label(os.fspath(path), 200)
    about = _note(path)
    if about is None:
        if not os.path.exists(path):
            raise FileError(f"{shown} cannot be read: No such file or directory.")
        raise FileError(f"{shown} is not a saved table.")
    try:
        known = json.loads(about)
        if known["format"] != FORMAT:
            raise FileError(f"{shown} is not a saved table.")
        if known["version"] != VERSION:
            raise FileError(
                f"{shown} is a table of version {show_label(known['version'])}; this clustervet "
                f"reads version {VERSION}."
            )
        parts = _from_json(known) if "cells" in known else _from_parquet(path, known)
        same = _checksum(*parts) == known["checksum"]
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{shown} is a saved table that has been changed or cut short.") from None
    if not same:
        raise FileError(
            f"{shown} has been changed since it was saved: its checksum does not fit its counts."
        )
    return _table(*parts)


def is_saved_table(path: str) -> bool:
    """Whether a file says that it is a saved table, of whatever version."""
    suffix = Path(path).suffix.lower()
    if suffix not in (*PARQUET, ".json") or not os.path.isfile(path):
        return False
    if suffix == ".json":
        try:
            with open(path, "rb") as stream:
                return FORMAT.encode() in stream.read(200)
        except OSError:
            return False
    return parquet_note(path) is not None


def merge_tables(tables: Sequence[Contingency]) -> Contingency:
    """The table of all objects of several disjoint tables, merged two by two."""
    if not tables:
        raise TableError("there is no table to merge.")
    while len(tables) > 1:
        tables = [
            tables[at] + tables[at + 1] if at + 1 < len(tables) else tables[at]
            for at in range(0, len(tables), 2)
        ]
    return tables[0]


Parts = tuple[list[Any], list[Any], NDArray[np.int64], NDArray[np.int64], NDArray[Any]]


def _parts(table: Contingency) -> Parts:
    classes, clusters = ([_encoded(x) for x in s] for s in (table.class_names, table.cluster_names))
    cells = table.cells
    return classes, clusters, cells.rows.astype(np.int64), cells.cols.astype(np.int64), cells.values


def _table(
    classes: list[Any],
    clusters: list[Any],
    rows: NDArray[np.int64],
    cols: NDArray[np.int64],
    values: NDArray[Any],
) -> Contingency:
    from clustervet.contingency.table import Contingency

    starts = np.searchsorted(rows, np.arange(len(classes) + 1))
    cells = Cells(starts, cols.astype(np.int32), values)
    return Contingency(cells, list(map(_decoded, classes)), list(map(_decoded, clusters)))


def _checksum(
    classes: list[Any],
    clusters: list[Any],
    rows: NDArray[np.int64],
    cols: NDArray[np.int64],
    values: NDArray[Any],
) -> str:
    """SHA-256 of names, places and counts, the same for both kinds of file."""
    found = hashlib.sha256()
    for names in (classes, clusters):
        found.update(json.dumps(names, separators=(",", ":")).encode())
    for places in (rows, cols):
        found.update(places.astype("<i8").tobytes())
    if values.dtype == np.float64:
        found.update(b"real" + values.astype("<f8").tobytes())
    else:
        found.update(b"whole" + b",".join(str(int(x)).encode() for x in values.tolist()))
    return f"sha256:{found.hexdigest()}"


def _as_json(table: Contingency) -> str:
    parts = _parts(table)
    classes, clusters, rows, cols, values = parts
    data = {
        "format": FORMAT,
        "version": VERSION,
        "checksum": _checksum(*parts),
        "whole": table.is_whole,
        "classes": classes,
        "clusters": clusters,
        "cells": list(zip(rows.tolist(), cols.tolist(), values.tolist(), strict=True)),
    }
    return json.dumps(data)


def _from_json(data: dict[str, Any]) -> Parts:
    rows, cols, counts = ([cell[at] for cell in data["cells"]] for at in range(3))
    return (
        data["classes"],
        data["clusters"],
        np.array(rows, np.int64),
        np.array(cols, np.int64),
        _whole(counts) if data["whole"] else np.array(counts, np.float64),
    )


def _whole(counts: Sequence[Any]) -> NDArray[Any]:
    return as_values([int(count) for count in counts])


def _write_parquet(table: Contingency, path: Path) -> None:
    """One row per cell: class, cluster and count to read, and their places among all names."""
    parts = _parts(table)
    columns: dict[str, NDArray[Any]] = {}
    forms: dict[str, str] = {}
    for side, names, codes in (("class", *parts[0::2][:2]), ("cluster", parts[1], parts[3])):
        forms[side], held = _column(names)
        columns[side] = held[codes]
    values = parts[4]
    forms["count"] = {"O": "large", "f": "real"}.get(values.dtype.kind, "whole")
    columns["count"] = values if values.dtype != object else _texts(map(str, values.tolist()))
    columns |= {"row": parts[2], "col": parts[3]}
    about = {
        "format": FORMAT,
        "version": VERSION,
        "checksum": _checksum(*parts),
        "shape": table.shape,
        **forms,
    }
    write_parquet(
        str(path), {f'"{name}"': held for name, held in columns.items()}, json.dumps(about)
    )


def _column(names: list[Any]) -> tuple[str, NDArray[Any]]:
    """Names as numbers or text where all are such, else each as JSON."""
    if all(type(name) is int and -(2**63) <= name < 2**63 for name in names):
        return "whole", np.array(names, np.int64)
    if all(type(name) is str and name.isprintable() for name in names):
        return "text", _texts(names)
    return "json", _texts(map(json.dumps, names))


def _texts(texts: Iterable[str]) -> NDArray[Any]:
    return np.fromiter(texts, object)


def _from_parquet(path: str | os.PathLike[str], about: dict[str, Any]) -> Parts:
    sql = {"whole": "BIGINT", "real": "DOUBLE"}
    types = {f'"{name}"': sql.get(about[name], "VARCHAR") for name in ("class", "cluster", "count")}
    found = read_parquet(path, types | {'"row"': "BIGINT", '"col"': "BIGINT"})
    rows, cols = found['"row"'], found['"col"']
    names = [
        _names(found[f'"{side}"'], codes, about[side], size)
        for side, codes, size in zip(
            ("class", "cluster"), (rows, cols), about["shape"], strict=True
        )
    ]
    counts = found['"count"']
    values = counts if about["count"] != "large" else _whole(counts)
    if len(rows) and (np.diff(rows) < 0).any():
        raise ValueError("cells out of order")
    return names[0], names[1], rows, cols, values


def _names(held: Any, codes: NDArray[np.int64], form: str, size: int) -> list[Any]:
    """The name of each place, from the first cell that has it."""
    places, first = np.unique(codes, return_index=True)
    if len(places) != size or (size and places[-1] != size - 1):
        raise ValueError("names are lacking")
    found = [held[at] for at in first]
    if form == "whole":
        return [int(name) for name in found]
    return found if form == "text" else [json.loads(name) for name in found]


def _note(path: str | os.PathLike[str]) -> str | None:
    if Path(path).suffix.lower() == ".json":
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeError):
            return None
        return text if FORMAT in text[:200] else None
    return parquet_note(path)


# Labels that JSON has no type for, by the name under which they are written.
WRITERS: dict[type, tuple[str, Callable[[Any], str]]] = {
    datetime: ("datetime", datetime.isoformat),
    date: ("date", date.isoformat),
    time: ("time", time.isoformat),
    Decimal: ("decimal", str),
    UUID: ("uuid", str),
    bytes: ("bytes", bytes.hex),
}
READERS: dict[str, Callable[[Any], Any]] = {
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "decimal": Decimal,
    "uuid": UUID,
    "bytes": bytes.fromhex,
    "float": float,
    "timedelta": lambda parts: timedelta(*parts),
    "tuple": lambda items: tuple(map(_decoded, items)),
    "noise": lambda label: Singleton(_decoded(label)),
    "datetime64": lambda parts: np.datetime64(*parts),
    "timedelta64": lambda parts: np.timedelta64(*parts),
}


def _encoded(name: Any) -> Any:
    """A label as JSON that tells its type."""
    if name is None or type(name) in (bool, int, str):
        return name
    if type(name) is float:
        return {"float": repr(name)}
    if type(name) in WRITERS:
        kind, write = WRITERS[type(name)]
        return {kind: write(name)}
    if type(name) is timedelta:
        return {"timedelta": [name.days, name.seconds, name.microseconds]}
    if type(name) is tuple:
        return {"tuple": [_encoded(item) for item in name]}
    if isinstance(name, Singleton):
        return {"noise": _encoded(name.label)}
    if isinstance(name, np.datetime64 | np.timedelta64):
        kind = "datetime64" if isinstance(name, np.datetime64) else "timedelta64"
        return {kind: [int(name.astype(np.int64)), np.datetime_data(name.dtype)[0]]}
    raise TableError(
        f"a label of type {type(name).__name__} cannot be saved; make it text or a number."
    )


def _decoded(name: Any) -> Any:
    """The label that was encoded."""
    if not isinstance(name, dict):
        return name
    ((kind, value),) = name.items()
    return READERS[kind](value)
