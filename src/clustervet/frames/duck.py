"""DuckDB: one scan over a file, batch by batch.

A column is known to SQL by its place alone (`c0`, `c1`, ...) and a path is a bound parameter,
so nothing that a file or a user says becomes SQL.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYetError
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clustervet.errors import ParameterError
from clustervet.frames.source import Place
from clustervet.frames.stream import StreamError, batches
from clustervet.labels import show_label

# Bytes that take about two seconds to read.
SHOW_PROGRESS = 256 * 2**20
# No input makes the engine fetch an extension.
CONFIG: dict[str, Any] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
GLOB = re.compile(r"[*?\[\\]")
MEMORY = re.compile(r"(\d+(?:\.\d+)?) *([KMGT]i?B)", re.IGNORECASE)
# Seconds between two looks at how far the engine is.
PAUSE = 0.2


class EngineError(Exception):
    """What the engine said when it could not go on."""


@dataclass(frozen=True)
class Relation:
    """Something to select from, with its bound parameters."""

    source: str
    parameters: tuple[Any, ...]
    tables: Mapping[str, Any] = field(default_factory=dict)

    @contextmanager
    def scan(
        self, width: int, expressions: Sequence[str], rows: slice | None = None
    ) -> Iterator[Iterator[tuple[int, list[Any]]]]:
        """Batches of the expressions over the columns `c0` to `c{width - 1}`, in file order."""
        names = ", ".join(f"c{place}" for place in range(width))
        sql = f"SELECT {', '.join(expressions) or '1.0::DOUBLE'} FROM {self.source} AS t({names})"
        if rows is not None:
            sql += f" LIMIT {rows.stop - rows.start:d} OFFSET {rows.start:d}"
        with self._connected() as connection:
            capsule = connection.sql(sql, params=list(self.parameters)).__arrow_c_stream__()
            with closing(batches(capsule)) as stream:
                yield stream
            del capsule  # the connection cannot close while a result is open

    def describe(self, *more: str) -> tuple[list[str], list[str], list[list[tuple[Any, ...]]]]:
        """Names and types of the columns, and the rows of more questions about the same file."""
        given = list(self.parameters)
        with self._connected() as connection:
            found = connection.sql(f"SELECT * FROM {self.source}", params=given)
            names, types = list(found.columns), [str(kind) for kind in found.types]
            return names, types, [connection.execute(sql, given).fetchall() for sql in more]

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        import duckdb

        try:
            with closing(duckdb.connect(config=CONFIG)) as connection:
                for name, table in self.tables.items():
                    connection.register(name, table)
                yield connection
        # A damaged file may name its columns in bytes of which the engine cannot make text.
        except (duckdb.Error, StreamError, UnicodeError, RuntimeError) as error:
            raise EngineError(str(error)) from None


@contextmanager
def safe_path(place: Place) -> Iterator[str]:
    """A path in which the engine sees no pattern and no byte that it cannot spell."""
    try:
        place.path.encode()
        plain = not GLOB.search(place.path)
    except UnicodeEncodeError:
        plain = False
    if plain or os.name == "nt":
        yield str(place.path)
        return
    with tempfile.TemporaryDirectory(prefix="clustervet-") as folder:
        link = Path(folder, "table")
        link.symlink_to(place.path)
        yield str(link)


def watched(
    stream: Iterator[tuple[int, list[Any]]], place: Place, rows: int | None
) -> Iterator[tuple[int, list[Any]]]:
    """The batches, with a progress bar on a terminal if the file is large."""
    if os.path.getsize(place.path) < SHOW_PROGRESS or not sys.stderr.isatty():
        yield from stream
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(f"reading {escape(place.name)}", total=rows)
        for length, columns in stream:
            yield length, columns
            progress.advance(task, length)


def memory_size(given: str) -> str:
    """A memory limit as the engine spells it.

    >>> memory_size("1.5 gb")
    '1.5GB'
    """
    found = MEMORY.fullmatch(given.strip())
    if not found or not float(found[1]):
        raise ParameterError(
            f"a memory limit is a size such as 512MB or 4GB, not {show_label(given)!r}."
        )
    unit = found[2].upper().replace("I", "i")
    return f"{found[1]}{unit}"


@contextmanager
def engine(spill: str | None = None, memory_limit: str | None = None) -> Iterator[Any]:
    """A connection; beyond its memory it goes on in a folder, and then in any order of rows."""
    import duckdb

    config = dict(CONFIG)
    if spill is not None:
        config |= {"temp_directory": spill, "preserve_insertion_order": "false"}
    if memory_limit is not None:
        config["memory_limit"] = memory_size(memory_limit)
    try:
        with closing(duckdb.connect(config=config)) as connection:
            yield connection
    except (duckdb.Error, StreamError, UnicodeError, RuntimeError) as error:
        raise EngineError(str(error)) from None


def run_watched(connection: Any, sql: str, parameters: Sequence[Any], size: int) -> None:
    """Run a statement, with a progress bar on a terminal if it reads much."""

    def run() -> None:
        connection.execute(sql, list(parameters)).fetchall()

    if size < SHOW_PROGRESS or not sys.stderr.isatty():
        run()
        return
    from rich.console import Console
    from rich.progress import Progress

    with ThreadPoolExecutor(1) as pool, Progress(console=Console(stderr=True), transient=True) as p:
        task = p.add_task("grouping", total=100)
        running = pool.submit(run)
        try:
            while not _is_done(running):
                p.update(task, completed=max(0.0, connection.query_progress()))
        except KeyboardInterrupt:
            connection.interrupt()
            raise


def _is_done(running: Future[Any]) -> bool:
    try:
        running.result(PAUSE)
    except NotYetError:
        return False
    return True
