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

from clustervet.contingency.build import list_cells
from clustervet.errors import ClustervetError, FileError, TableError
from clustervet.frames.duck import parquet_note, read_parquet, write_parquet
from clustervet.frames.writing import beside, check_writable, move
from clustervet.labels import ABSENT, Singleton, plain_label, show_label

if TYPE_CHECKING:
    from clustervet.contingency.table import Contingency

FORMAT, VERSION = "clustervet/table", 1
PARQUET = (".parquet", ".pq", ".parq")
# What a file says about its table, and the type of each answer.
NOTE: dict[str, type] = {"format": str, "version": int, "checksum": str}
JSON_KEYS = NOTE | {"whole": bool, "classes": list, "clusters": list, "cells": list}
PARQUET_KEYS = NOTE | {"shape": list, "class": str, "cluster": str, "count": str}
# The forms in which names and counts are written to Parquet, and their types there.
NAMES = {"whole": "BIGINT", "text": "VARCHAR", "json": "VARCHAR"}
COUNTS = {"whole": "BIGINT", "real": "DOUBLE", "large": "VARCHAR"}
FORMS = {"class": NAMES, "cluster": NAMES, "count": COUNTS}
# What reading something else than a table can raise.
BROKEN = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError)


def save_table(table: Contingency, path: str | os.PathLike[str]) -> None:
    """Write a table as Parquet or JSON, as the name of the file says, whole or not at all."""
    suffix = _suffix(path)
    target = Path(os.path.realpath(path))
    shown = show_label(os.fspath(path), 200)
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
    except ClustervetError:
        raise
    except (ValueError, RecursionError):
        raise TableError(
            "a count or a label has more digits than Python writes, or a label is nested too "
            "deeply; such a table cannot be saved."
        ) from None


def check_target(path: str | os.PathLike[str]) -> None:
    """Refuse a file to which no table could be saved later, before any work is done."""
    _suffix(path)
    check_writable(path)


def _suffix(path: str | os.PathLike[str]) -> str:
    """Return the end of the name, which gives the format."""
    suffix = Path(os.path.realpath(path)).suffix.lower()
    if suffix not in (*PARQUET, ".json"):
        shown = show_label(os.fspath(path), 200)
        raise FileError(f"a table is saved to a .parquet or .json file, not to {shown}.")
    return suffix


def load_table(path: str | os.PathLike[str]) -> Contingency:
    """Read a table that was saved; another version or a changed file is refused.

    Anyone can compute a checksum, so everything is checked as the counts and names of a user are.
    """
    shown = show_label(os.fspath(path), 200)
    about = _note(path)
    if about is None:
        if not os.path.exists(path):
            raise FileError(f"{shown} cannot be read: No such file or directory.")
        raise FileError(f"{shown} is not a saved table.")
    try:
        known = json.loads(about, object_pairs_hook=_once, parse_constant=_no_number)
        if not isinstance(known, dict) or known.get("format") != FORMAT:
            raise FileError(f"{shown} is not a saved table.")
        version = known.get("version")
        if type(version) is not int or version != VERSION:
            raise FileError(
                f"{shown} is a table of version {show_label(repr(version))}; this clustervet reads "
                f"version {VERSION}."
            )
        return _table(known, path)
    except FileError:
        raise
    except MemoryError:
        raise FileError(f"{shown} is a saved table that does not fit into memory.") from None
    except RecursionError:
        how = "values are nested too deeply"
    except TableError as error:
        how = str(error).rstrip(".")
    except BROKEN as error:
        how = str(error) if isinstance(error, _ChangedError) else "it does not hold a whole table"
    raise FileError(f"{shown} has been changed since it was saved: {how}.")


class _ChangedError(ValueError):
    """How a file differs from every file that was saved."""


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


# Names as they are written, the row and column of each cell, and its count.
Parts = tuple[list[Any], list[Any], NDArray[np.int64], NDArray[np.int64], NDArray[Any]]


def _parts(table: Contingency) -> Parts:
    classes, clusters = ([_encoded(x) for x in s] for s in (table.class_names, table.cluster_names))
    cells = table.cells
    return classes, clusters, cells.rows.astype(np.int64), cells.cols.astype(np.int64), cells.values


def _table(known: dict[str, Any], path: str | os.PathLike[str]) -> Contingency:
    from clustervet.contingency.table import Contingency

    in_json = _is_json(path)
    wanted = JSON_KEYS if in_json else PARQUET_KEYS
    if known.keys() != wanted.keys():
        key = min(known.keys() ^ wanted.keys())
        raise _ChangedError(f"it {'lacks' if key in wanted else 'has'} the key {show_label(key)!r}")
    for key, kind in wanted.items():
        if type(known[key]) is not kind:
            raise _ChangedError(f"the value of {key!r} is of another type")
    parts = _from_json(known) if in_json else _from_parquet(path, known)
    classes, clusters = (list(map(_label, names)) for names in parts[:2])
    built = list_cells(*parts[2:], classes, clusters)
    if _checksum(*parts) != known["checksum"]:
        raise _ChangedError("its checksum does not fit its counts")
    return Contingency(*built)


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
    if any(type(cell) is not list or len(cell) != 3 for cell in data["cells"]):
        raise _ChangedError("a cell is not a row, a column and a count")
    rows, cols, counts = ([cell[at] for cell in data["cells"]] for at in range(3))
    if not {*map(type, rows), *map(type, cols)} <= {int}:
        raise _ChangedError("the row or column of a cell is not a whole number")
    if not set(map(type, counts)) <= {int if data["whole"] else float}:
        raise _ChangedError(f"a count is not a {'whole' if data['whole'] else 'real'} number")
    values = np.fromiter(counts, object) if data["whole"] else np.array(counts, np.float64)
    places = np.array(rows, np.int64), np.array(cols, np.int64)
    return data["classes"], data["clusters"], *places, values


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, in which every key stands once."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _ChangedError("a key is there twice")
    return found


def _no_number(name: str) -> Any:
    raise _ChangedError(f"it holds {name}")


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
    for key, known in FORMS.items():
        if about[key] not in known:
            raise _ChangedError(f"the value of {key!r} is {show_label(about[key])!r}")
    types = {key: known[about[key]] for key, known in FORMS.items()}
    found = read_parquet(
        path, types | {"row": "BIGINT", "col": "BIGINT"}, {"class": "row", "cluster": "col"}
    )
    names = [_names(found[side], about[side]) for side in ("class", "cluster")]
    if json.dumps(about["shape"]) != json.dumps([*map(len, names)]):
        raise _ChangedError("its shape does not fit its names")
    counts = found["count"]
    values = counts if about["count"] != "large" else np.fromiter(map(_whole, counts), object)
    return names[0], names[1], found["row"], found["col"], values


def _whole(text: str) -> int:
    count = int(text)
    if str(count) != text:
        raise _ChangedError(f"the count {show_label(text)!r} is not a whole number")
    return count


def _names(held: Any, form: str) -> list[Any]:
    """Names as JSON has them."""
    if form == "json":
        return [
            json.loads(name, object_pairs_hook=_once, parse_constant=_no_number) for name in held
        ]
    return held if form == "text" else [int(name) for name in held]


def _is_json(path: str | os.PathLike[str]) -> bool:
    return Path(path).suffix.lower() == ".json"


def _note(path: str | os.PathLike[str]) -> str | None:
    """What a file says about its table: all of a JSON file, or the note of a Parquet file."""
    try:
        if not _is_json(path):
            return parquet_note(path)
        text = Path(path).read_text(encoding="utf-8") if os.path.isfile(path) else ""
    except (OSError, ValueError):  # not UTF-8, or a NUL in its name
        return None
    return text if FORMAT in text[:200] else None


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
    "absent": {True: ABSENT}.__getitem__,
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
    if name is ABSENT:
        return {"absent": True}
    if isinstance(name, Singleton):
        return {"noise": _encoded(name.label)}
    if isinstance(name, np.datetime64 | np.timedelta64):
        kind = "datetime64" if isinstance(name, np.datetime64) else "timedelta64"
        unit, step = np.datetime_data(name.dtype)
        return {kind: [int(name.astype(np.int64)), unit if step == 1 else f"{step}{unit}"]}
    raise TableError(
        f"a label of type {type(name).__name__} cannot be saved; make it text or a number."
    )


def _decoded(name: Any) -> Any:
    """The label that was encoded."""
    if type(name) is not dict:
        return name
    ((kind, value),) = name.items()
    return READERS[kind](value)


def _label(name: Any) -> Any:
    """The label that was encoded; it must be one that is written like this."""
    if name is None or type(name) in (bool, int, str):
        return name
    label = plain_label(_decoded(name))
    try:
        if json.dumps(_encoded(label)) == json.dumps(name):
            return label
    except TableError:  # no label can be such
        pass
    raise _ChangedError(f"the name {show_label(name)!r} is not a label")
