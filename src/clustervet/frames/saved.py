"""Finished columns in a Parquet file, with a text beside them that says what they are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from clustervet.errors import FileError
from clustervet.frames.duck import EngineError, engine, safe_path
from clustervet.frames.forms import as_array
from clustervet.frames.scan import Part, engine_fault
from clustervet.frames.source import Place, find_place
from clustervet.frames.stream import batches
from clustervet.frames.typed import PARQUET
from clustervet.labels import show_label

KEY = b"clustervet"
SQL_TYPES = {"i": "BIGINT", "f": "DOUBLE"}


def write_parquet(path: str, columns: Mapping[str, Any], about: str) -> None:
    """Arrays of numbers and of text as the columns of a new file."""
    chosen = ", ".join(
        f"CAST(c{at} AS {SQL_TYPES.get(values.dtype.kind, 'VARCHAR')}) AS {name}"
        for at, (name, values) in enumerate(columns.items())
    )
    held = {f"c{at}": values for at, values in enumerate(columns.values())}
    sql = f"COPY (SELECT {chosen} FROM held) TO ? (FORMAT parquet, COMPRESSION zstd, "
    try:
        with engine() as connection:
            connection.register("held", held)
            sql += "KV_METADATA {clustervet: ?})"
            connection.execute(sql, [path, about]).fetchall()
    except EngineError as error:
        shown = show_label(str(error).split("\n", 1)[0], 200).rstrip(".")
        raise FileError(f"{show_label(path, 200)} cannot be written: {shown}.") from None


def parquet_note(path: str | os.PathLike[str]) -> str | None:
    """The text beside the columns; None where the file has none or is no Parquet file."""
    try:
        with open(path, "rb") as stream:
            if stream.read(4) != b"PAR1":
                return None
        place = find_place(path)
        with safe_path(place) as safe, engine() as connection:
            sql = "SELECT value FROM parquet_kv_metadata(?) WHERE key = ?"
            found = connection.execute(sql, [safe, KEY]).fetchall()
    except (OSError, EngineError):
        return None
    return bytes(found[0][0]).decode("utf-8", "replace") if found else None


def read_parquet(path: str | os.PathLike[str], types: Mapping[str, str]) -> dict[str, Any]:
    """Columns of a file in the order of its rows: arrays of numbers, lists of text."""
    place: Place = find_place(path)
    chosen = ", ".join(f"CAST({name} AS {declared})" for name, declared in types.items())
    parts: list[list[Any]] = [[] for _ in types]
    with safe_path(place) as safe:
        try:
            with engine() as connection:
                sql = f"SELECT {chosen} FROM read_parquet(?, hive_partitioning=false)"
                capsule = connection.sql(sql, params=[safe]).__arrow_c_stream__()
                with closing(batches(capsule)) as stream:
                    for _, columns in stream:
                        for part, values in zip(parts, columns, strict=True):
                            if isinstance(values, list):
                                part.extend(values)
                            else:
                                part.append(values.copy())
                del capsule  # the connection cannot close while a result is open
        except EngineError as error:
            raise engine_fault(error, [Part(place, safe, Path(safe).suffix)], PARQUET) from None
    return {
        name: part if declared == "VARCHAR" else as_array(part)
        for (name, declared), part in zip(types.items(), parts, strict=True)
    }
