"""DuckDB: connections, results batch by batch, and progress.

A column is known to SQL by its place alone (`c0`, `c1`, ...) and a path is a bound parameter,
so nothing that a file or a user says becomes SQL.
"""

from __future__ import annotations

import errno
import os
import re
import sys
import tempfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._memory import SHARE, UNKNOWN, memory_limit, need, refusal, room, show_size
from clustervet._process import stopped_by
from clustervet.errors import ClustervetError, FileError
from clustervet.frames.columns import text_bytes
from clustervet.frames.places import PARQUET, Place, advancing, find_place
from clustervet.labels import show_label

# Bytes that take about two seconds to read.
SHOW_PROGRESS = 256 * 2**20
# No input makes the engine fetch an extension.
CONFIG: dict[str, Any] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
GLOB = re.compile(r"[*?\[\\]")
FAILED = re.compile(r"ArrowArrayStream::get_(next|schema)\(\) failed \(\d+\): ")
INTERRUPTED = re.compile(r"^INTERRUPT Error|Query interrupted")
# Seconds between two looks at how far the engine is.
PAUSE = 0.2
READ_PARQUET = "read_parquet(?, hive_partitioning=false)"
# The key of our own text in the metadata of a Parquet file.
KEY = b"clustervet"
# Bytes of a JSON object, at most.
LARGEST_OBJECT = 2**24
SQL_TYPES = {"i": "BIGINT", "f": "DOUBLE"}
# How many times its size a packed file may have in memory, and the bytes that any may have.
PACKED = 100
LEAST_ROOM = 2**30


class EngineError(Exception):
    """What the engine said when it could not go on."""


@dataclass
class Session:
    """A connection to DuckDB, with a folder for links and for what exceeds its memory."""

    connection: Any
    folder: str
    links: dict[str, str] = field(default_factory=dict)

    def path(self, place: Place) -> str:
        """A path in which the engine sees no pattern and no byte that it cannot spell."""
        try:
            place.path.encode()
            if os.name == "nt" or not GLOB.search(place.path):
                return str(place.path)
        except UnicodeEncodeError:
            pass
        if place.path not in self.links:
            link = os.path.join(self.folder, f"table-{len(self.links)}")
            os.symlink(place.path, link)
            self.links[place.path] = link
        return self.links[place.path]

    def register(self, name: str, table: Any) -> None:
        """Make a table in memory known by a name."""
        self.connection.register(name, table)

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a result."""
        found: list[tuple[Any, ...]] = self.connection.execute(sql, list(parameters)).fetchall()
        return found

    def types(self, source: str, parameters: Sequence[Any] = ()) -> tuple[list[str], list[str]]:
        """Names and types of the columns of something to select from."""
        found = self.connection.sql(f"SELECT * FROM {source}", params=list(parameters))
        return list(found.columns), [str(kind) for kind in found.types]

    def batches(
        self, sql: str, parameters: Sequence[Any] = ()
    ) -> Generator[tuple[int, list[Any]], None, None]:
        """The result in batches, each as its length and its columns.

        A column of 64-bit integers or of floats is an array, masked where values are missing;
        it is gone with its batch. A column of text is a list with None for a missing value.
        """
        import nanoarrow  # type: ignore[import-untyped]  # it ships no types

        capsule = self.connection.sql(sql, params=list(parameters)).__arrow_c_stream__()
        with nanoarrow.c_array_stream(capsule) as stream:
            del capsule  # the connection cannot close while a result is open
            for batch in stream:
                view = batch.view()
                yield batch.length, [_column(view.child(k)) for k in range(view.n_children)]

    def gather(self, sql: str, width: int, parameters: Sequence[Any] = ()) -> list[Any]:
        """The columns of a result: arrays of numbers, lists of text with equal texts held once."""
        parts: list[list[Any]] = [[] for _ in range(width)]
        once: dict[str | None, str | None] = {}
        rows = held = 0
        for length, columns in self.batches(sql, parameters):
            known, rows = len(once), rows + length
            for part, values in zip(parts, columns, strict=True):
                if isinstance(values, list):
                    part.extend(once.setdefault(text, text) for text in values)
                else:
                    part.append(values.copy())
            held += text_bytes(once, known)
            need(held + 8 * rows * width, "what is read of the files")
        return [
            as_array(part) if part and isinstance(part[0], np.ndarray) else part for part in parts
        ]

    def run(self, sql: str, parameters: Sequence[Any], size: int) -> None:
        """Run a statement, with a progress bar on a terminal if it reads many bytes."""
        if size < SHOW_PROGRESS or not sys.stderr.isatty():
            self.rows(sql, parameters)
            return
        from concurrent.futures import ThreadPoolExecutor, wait

        # Else the connection does not tell how far it is; the bar is ours.
        self.rows("SET enable_progress_bar = true")
        self.rows("SET enable_progress_bar_print = false")
        with ThreadPoolExecutor(1) as pool, advancing("grouping", 100, large=True) as advance:
            running, before = pool.submit(self.rows, sql, parameters), 0.0
            try:
                while wait([running], PAUSE).not_done:
                    done = max(before, self.connection.query_progress())
                    advance(done - before)
                    before = done
                running.result()
                advance(100 - before)
            except KeyboardInterrupt:
                self.connection.interrupt()
                raise


@contextmanager
def session(*, ordered: bool = True) -> Iterator[Session]:
    """A connection to a database of its own; unordered, it needs less memory."""
    import duckdb

    with tempfile.TemporaryDirectory(prefix="clustervet-") as folder:
        config = {**CONFIG, "temp_directory": os.path.join(folder, "spill")}
        if not ordered:
            config["preserve_insertion_order"] = "false"
        if room() < SHARE * UNKNOWN:
            config["memory_limit"] = f"{room()}B"
        links: dict[str, str] = {}
        # A damaged file may name its columns in bytes of which the engine cannot make text.
        try:
            with (
                closing(duckdb.connect(config=config)) as connection,
                stopped_by(connection.interrupt),
            ):
                yield Session(connection, folder, links)
        except duckdb.OutOfMemoryException as error:
            raise exhausted(str(error)) from None
        except (duckdb.Error, UnicodeError, RuntimeError) as error:
            said = FAILED.sub("", str(error))
            if INTERRUPTED.search(said):
                raise KeyboardInterrupt from None
            if config["temp_directory"] in said:  # it could not be written, or read again
                raise no_room_to_spill() from None
            for path, link in links.items():
                said = said.replace(link, path)
            raise EngineError(said) from None


def exhausted(said: str) -> ClustervetError:
    """The refusal of what exceeds the memory, or the disk where the rest is put."""
    if "max_temp_directory_size" in said:
        return no_room_to_spill()
    return refusal("reading and grouping the files takes more memory than")


def no_room_to_spill() -> FileError:
    """The refusal of what exceeds the memory and cannot be put on the disk."""
    shown = show_label(tempfile.gettempdir(), 200)
    return FileError(
        f"what exceeds the memory does not fit into the temporary folder {shown}; set TMPDIR to a "
        "folder with more space."
    )


def _column(view: Any) -> NDArray[Any] | list[str | None]:
    start, length = view.offset, view.length
    gone = None
    if view.null_count:
        bits = np.unpackbits(np.frombuffer(view.buffer(0), np.uint8), bitorder="little")
        gone = np.logical_not(bits[start : start + length])
    if view.storage_type in ("string", "large_string"):
        texts = _texts(view, start, length)
        for place in () if gone is None else np.flatnonzero(gone):
            texts[place] = None
        return texts
    values = np.asarray(view.buffer(1))[start : start + length]
    return values if gone is None else np.ma.MaskedArray(values, gone)


def _texts(view: Any, start: int, length: int) -> list[str | None]:
    ends = np.asarray(view.buffer(1))[start : start + length + 1]
    data = bytes(view.buffer(2))
    if data.isascii():
        whole = data.decode("ascii")
        return [whole[a:b] for a, b in pairwise(ends.tolist())]
    return [data[a:b].decode() for a, b in pairwise(ends.tolist())]


def as_array(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Batches of numbers as one array, masked where any is."""
    masked = any(isinstance(part, np.ma.MaskedArray) for part in parts)
    return np.ma.concatenate(parts) if masked else np.concatenate(parts)  # type: ignore[no-untyped-call]  # numpy gives it no types


def watched(
    stream: Iterator[tuple[int, list[Any]]], name: str, size: int, rows: int | None
) -> Iterator[tuple[int, list[Any]]]:
    """The batches, with a progress bar on a terminal if the files are large."""
    with advancing(f"reading {name}", rows, large=size >= SHOW_PROGRESS) as advance:
        for length, columns in stream:
            yield length, columns
            advance(length)


def engine_fault(error: EngineError, places: Sequence[Place], format: str) -> FileError:
    """What the engine said about one of several files, in one sentence."""
    said = str(error)
    place = max(places, key=lambda place: len(place.path) if place.path in said else 0)
    if "maximum_object_size" in said:
        return large_object(place.name)
    line = said.split("\n", 1)[0].partition(": ")[2] or said
    for quote in "'\"":
        quoted = f"{quote}{place.path}{quote}"
        line = line.replace(f" in file {quoted},", "").replace(f"file {quoted}", "the file")
    line = show_label(line.replace(place.path, "the file"), 200).strip(" .")
    return FileError(f"{place.name} is not a whole {format} file: {line}.")


def large_object(where: str) -> FileError:
    """The refusal of a JSON object that the engine cannot take."""
    most = show_size(LARGEST_OBJECT)
    return FileError(f"{where} has a JSON object of more than {most}, which is too long to read.")


def write_parquet(path: str, columns: Mapping[str, Any], about: str) -> None:
    """Arrays of numbers and of text as the columns of a new file, with a text about them.

    A file that cannot be written raises OSError, as Python's own writing does.
    """
    chosen = ", ".join(
        f"CAST(c{at} AS {SQL_TYPES.get(values.dtype.kind, 'VARCHAR')}) AS {name}"
        for at, (name, values) in enumerate(columns.items())
    )
    sql = f"COPY (SELECT {chosen} FROM given) TO ? (FORMAT parquet, COMPRESSION zstd, "
    try:
        with session() as opened:
            opened.register(
                "given", {f"c{at}": values for at, values in enumerate(columns.values())}
            )
            opened.rows(sql + "KV_METADATA {clustervet: ?})", [path, about])
    except EngineError as error:
        raise OSError(*system_error(str(error))) from None


def system_error(said: str) -> tuple[int, str]:
    """What the system said, out of what the engine said about it."""
    found = re.search(r'"errno": *"(\d+)"', said)
    known = [int(found[1])] if found else [n for n in errno.errorcode if os.strerror(n) in said]
    number = max(known, key=lambda n: len(os.strerror(n)), default=errno.EIO)
    if known:
        return number, os.strerror(number)
    return number, show_label(said.split("\n", 1)[0], 200).rstrip(".")


def parquet_note(path: str | os.PathLike[str]) -> str | None:
    """The text about the columns; None where the file has none or is no Parquet file."""
    try:
        with open(path, "rb") as stream:
            if stream.read(4) != b"PAR1":
                return None
        with session() as opened:
            sql = "SELECT value FROM parquet_kv_metadata(?) WHERE key = ?"
            found = opened.rows(sql, [opened.path(find_place(path)), KEY])
    except (OSError, EngineError):
        return None
    return bytes(found[0][0]).decode("utf-8", "replace") if found else None


def read_parquet(
    path: str | os.PathLike[str], types: Mapping[str, str], places: Mapping[str, str]
) -> dict[str, Any]:
    """Columns of a file in the order of its rows: arrays of numbers, lists of text.

    The file has these columns in these types, without missing values. `places` tells of a column
    of names which column numbers them; one name per number is returned, in the order of numbers.
    """
    place = find_place(path)
    most = max(LEAST_ROOM, PACKED * place.size)
    try:
        with memory_limit(min(2 * most, room())), session() as opened:
            return _read_columns(opened, place, types, places, most)
    except EngineError as error:
        raise engine_fault(error, [place], PARQUET) from None


def _read_columns(
    opened: Session, place: Place, types: Mapping[str, str], places: Mapping[str, str], most: int
) -> dict[str, Any]:
    # The engine believes what a file says about its smallest and largest values, and crashes where
    # that is forged.
    opened.rows("SET disabled_optimizers = 'statistics_propagation,compressed_materialization'")
    file = [opened.path(place)]
    if dict(zip(*opened.types(READ_PARQUET, file), strict=True)) != types:
        raise FileError(
            f"{place.name} has other columns than {', '.join(types)}, or in other types."
        )
    own = [name for name in types if name not in places]
    rows = f"SELECT {', '.join(map(_quoted, own))} FROM {READ_PARQUET}"
    names = {
        name: f"SELECT {_quoted(numbers)} AS place, min({_quoted(name)}) AS {_quoted(name)}, "
        f"max({_quoted(name)}) AS other FROM {READ_PARQUET} GROUP BY place"
        for name, numbers in places.items()
    }
    ((length,),) = opened.rows(f"SELECT count(*) FROM {READ_PARQUET}", file)
    # A small file can claim any number of rows, and can repeat one long text in all of them.
    needed = 8 * length * len(own)
    for name in [name for name, kind in types.items() if kind == "VARCHAR"]:
        if needed <= most:
            size = f"sum(strlen({_quoted(name)}))"
            if name in places:
                distinct = f"count(DISTINCT {_quoted(places[name])})"
                size = f"least({size}, CAST({distinct} AS HUGEINT) * max(strlen({_quoted(name)})))"
            ((bytes_held,),) = opened.rows(f"SELECT {size} FROM {READ_PARQUET}", file)
            needed += int(bytes_held or 0)
    if needed > most:
        raise FileError(
            f"{place.name} claims {needed:,} bytes of rows and texts, which is more than a file "
            f"of {place.size:,} bytes can hold."
        )
    whole = " AND ".join(f"count({_quoted(name)}) = count(*)" for name in types)
    if opened.rows(f"SELECT {whole} FROM {READ_PARQUET}", file) != [(True,)]:
        raise FileError(f"{place.name} has missing values.")
    found = dict(zip(own, opened.gather(rows, len(own), file), strict=True))
    for name, query in names.items():
        same = f"SELECT bool_and({_quoted(name)} = other) FROM ({query})"
        if opened.rows(same, file) == [(False,)]:
            raise FileError(f"{place.name} has two values of {name} for one {places[name]}.")
        each = f"SELECT {_quoted(name)} FROM ({query}) ORDER BY place"
        (found[name],) = opened.gather(each, 1, file)
    # The engine may have taken the word of the file that none is missing.
    for held in found.values():
        if np.ma.isMaskedArray(held) or (isinstance(held, list) and None in held):
            raise FileError(f"{place.name} has missing values.")
    return {
        name: found[name] if len(found[name]) or kind == "VARCHAR" else np.empty(0, np.int64)
        for name, kind in types.items()
    }


def _quoted(name: str) -> str:
    return f'"{name}"'
