"""Other engines: one that this machine has by name, or a cluster that runs somewhere.

`duckdb`, `polars`, `spark` and `dask` run here; `spark://host:port` is a standalone cluster,
`sc://host:port` a Spark Connect server, `tcp://host:port` a scheduler of Dask. Each has one
adapter, which opens files as the engine's own dataframe.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import socket
import sys
import threading
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from clustervet import _memory
from clustervet.errors import (
    ClustervetError,
    FileError,
    MissingPackageError,
    ParameterError,
    Setting,
)
from clustervet.frames.columns import MISSING, Kind, absent_column, refused_value
from clustervet.frames.duck import EngineError, exhausted, session
from clustervet.frames.frame import Frame, group_frame
from clustervet.frames.grouping import GroupedCounts
from clustervet.frames.places import find_files
from clustervet.frames.rows import floats
from clustervet.frames.source import ColumnName, Options, Source
from clustervet.labels import Codes, read_labels, show_label

NAMES = ("duckdb", "polars", "spark", "dask")
ADDRESS = re.compile(r"(spark|sc|tcp)://(\[[0-9a-fA-F:]+\]|[^/:\[\]]+):(\d{1,5})(/.*)?")
SCHEMES = {"spark": "spark", "sc": "connect", "tcp": "dask cluster"}
PACKAGES = {"spark": "pyspark", "connect": "pyspark", "dask": "dask", "dask cluster": "distributed"}
EXTRAS = {"pyspark": "clustervet[spark]", "dask": "clustervet[dask]"}
# Formats that every engine reads, by the ends of names.
ENGINE_FORMATS = {
    **dict.fromkeys((".parquet", ".pq", ".parq"), "parquet"),
    **dict.fromkeys((".csv", ".csv.gz"), "csv"),
    **dict.fromkeys((".tsv", ".tsv.gz"), "tsv"),
    **dict.fromkeys((".jsonl", ".ndjson"), "json"),
}
# How many times larger than packed a gzip file can be.
MOST_PACKED = 1032
# Seconds until a cluster that does not answer is given up: to be reached at all, and to begin.
HEARD, BEGUN = 8.0, 20.0


@dataclass(frozen=True)
class Engine(ABC):
    """Something that opens files as dataframes for `Contingency.from_frame`."""

    name: str
    session: Any = None

    def read(
        self,
        paths: str | Sequence[str],
        *,
        numbers: Sequence[str] = (),
        separator: str | None = None,
    ) -> Any:
        """Files of one format as one dataframe; the columns of delimited text are text.

        `numbers` names columns of text that are numbers, such as weights; `separator` stands
        between fields where it is not what the name of the file says.
        """
        given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
        files = [os.fspath(path) for path in given]
        form = _format(files)
        try:
            usual = "\t" if form == "tsv" else ","
            frame = self.open(files, form, separator or usual)
            _ = Frame.of(frame).columns  # a lazy engine finds a broken file only now
            return _texts(frame, numbers) if form in ("csv", "tsv") else frame
        except ClustervetError:
            raise
        except Exception as error:  # every engine has its own
            raise self.fault(error, ", ".join(show_label(one, 200) for one in files[:3])) from None

    def fault(self, error: Exception, files: str) -> ClustervetError:
        """What an engine raised while it read files, in one sentence."""
        if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryException":
            return exhausted(str(error))
        first = show_label(str(error).strip().partition("\n")[0], 200).rstrip(".")
        return FileError(f"{self.name} cannot read {files}: {first or type(error).__name__}.")

    @contextmanager
    def in_order(self) -> Iterator[None]:
        """Give rows in the order of the files for a while, where the engine can choose."""
        yield

    @abstractmethod
    def open(self, files: list[str], format: str, separator: str) -> Any:
        """The engine's own dataframe."""


class DuckEngine(Engine):
    """DuckDB in this process."""

    @contextmanager
    def in_order(self) -> Iterator[None]:
        """With one thread, since several threads return delimited text in any order."""
        asked = "SELECT current_setting('threads')"
        (threads,) = self.session.execute(asked).fetchone()
        self.session.execute("SET preserve_insertion_order = true; SET threads = 1")
        try:
            yield
        finally:
            self.session.execute(f"SET threads = {int(threads)}")

    def open(self, files: list[str], format: str, separator: str) -> Any:
        """A relation."""
        if format == "parquet":
            return self.session.read_parquet(files)
        if format == "json":
            return self.session.read_json(files, format="newline_delimited")
        return self.session.read_csv(
            files, header=True, all_varchar=True, sep=separator, union_by_name=True
        )


class PolarsEngine(Engine):
    """Polars in this process, lazily."""

    def open(self, files: list[str], format: str, separator: str) -> Any:
        """A lazy dataframe."""
        import polars

        if format == "json":
            return polars.scan_ndjson(files)
        patterns = not all(map(os.path.isfile, files))  # a file's own name may look like one
        if format == "parquet":
            return polars.scan_parquet(files, glob=patterns)
        return polars.scan_csv(files, infer_schema=False, separator=separator, glob=patterns)


class DaskEngine(Engine):
    """Dask, in this process or on a cluster."""

    def open(self, files: list[str], format: str, separator: str) -> Any:
        """A dataframe of partitions."""
        import dask.dataframe as dd

        if format == "parquet":
            return dd.read_parquet(files)
        if format == "json":
            return dd.read_json(files, lines=True)
        options: dict[str, Any] = {"dtype": str, "keep_default_na": False}
        if any(file.endswith(".gz") for file in files):
            options |= {"compression": "gzip", "blocksize": None}
        return dd.read_csv(files, sep=separator, **options)


class SparkEngine(Engine):
    """Spark, in this process, on a cluster, or behind Spark Connect."""

    def open(self, files: list[str], format: str, separator: str) -> Any:
        """A dataframe of Spark."""
        if format == "parquet":
            return self.session.read.parquet(*files)
        if format == "json":
            return self.session.read.json(files)
        return self.session.read.csv(files, header=True, sep=separator, quote='"', escape='"')


def _format(files: Sequence[str]) -> str:
    """The format that all files have, by their names; a folder is one of Parquet."""
    if not files:
        raise FileError("no file is given.")
    formats = {}
    for file in files:
        path = Path(file)
        packed = path.suffix.lower() == ".gz"
        suffix = ("".join(path.suffixes[-2:]) if packed else path.suffix).lower()
        formats[ENGINE_FORMATS.get(suffix, "parquet" if path.is_dir() else suffix)] = file
    if len(formats) > 1:
        raise FileError(f"files of one format are wanted, not of {' and '.join(sorted(formats))}.")
    (found, file), *_ = formats.items()
    if found not in ENGINE_FORMATS.values():
        raise FileError(
            f"{show_label(file, 200)} is of no format that every engine reads; those are Parquet, "
            "CSV, TSV and JSON lines."
        )
    return found


def _texts(frame: Any, numbers: Sequence[str]) -> Any:
    """Columns of text with what means a missing value as null, and some as numbers."""
    import narwhals as nw

    given = Frame.of(frame)
    names = given.columns
    for name in numbers:
        if name not in names:
            raise absent_column(name, "the file", names)
    picked = given.picked(**{f"t{place}": name for place, name in enumerate(names)})
    columns = []
    for place, name in enumerate(names):
        column = nw.col(f"t{place}")
        column = nw.when(~column.is_in(sorted(MISSING))).then(column)
        column = column.cast(nw.Float64()) if name in numbers else column
        columns.append(column.alias(name))
    return picked.native.select(*columns).to_native()


@contextmanager
def engine_for(name: str, *, memory_limit: str | None = None) -> Iterator[Engine]:
    """An engine by its name or address, for as long as it is needed.

    >>> with engine_for("duckdb", memory_limit="1GB") as engine:
    ...     engine.name
    'duckdb'
    """
    kind, host, port = _parsed(name)
    _check_installed(kind)
    if memory_limit is not None and kind != "duckdb":
        raise ParameterError(f"a memory limit is for duckdb; {name} has its own settings for it.")
    if host is not None and port is not None:
        _check_heard(name, host, port)
    with STARTERS[kind](name, memory_limit) as started:
        yield started


def _parsed(name: str) -> tuple[str, str | None, int | None]:
    if name in NAMES:
        return name, None, None
    match = ADDRESS.fullmatch(name)
    if match is None or not 0 < int(match[3]) < 2**16:
        raise ParameterError(
            f"an engine is one of {', '.join(NAMES)}, or an address such as spark://host:7077, "
            f"sc://host:15002 or tcp://host:8786, not {show_label(name)!r}."
        )
    return SCHEMES[match[1]], match[2].strip("[]"), int(match[3])


def _check_installed(kind: str) -> None:
    package = PACKAGES.get(kind, kind)
    needed = [package, "grpc"] if kind == "connect" else [package]
    for module in needed:
        if find_spec(module) is None:
            extra = EXTRAS.get("dask" if kind.startswith("dask") else package, package)
            raise MissingPackageError(
                f"the engine {kind.partition(' ')[0]} needs {module}, which is not installed; "
                f"install {extra}."
            )
    if kind == "spark" and not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        raise MissingPackageError("the engine spark needs Java, and there is none on the path.")


def _check_heard(name: str, host: str, port: int) -> None:
    try:
        with socket.create_connection((host, port), HEARD):
            pass
    except OSError as error:
        reason = error.strerror or str(error) or "no answer"
        raise ParameterError(
            f"the cluster {show_label(name, 200)} cannot be reached: {reason}."
        ) from None


def _within(seconds: float, name: str, begin: Callable[[], Any]) -> Any:
    """What a call gives, or a refusal once it has taken too long; it is not waited for then."""
    outcome: dict[str, Any] = {}

    def run() -> None:
        try:
            outcome["value"] = begin()
        except BaseException as error:  # handed to the caller below
            outcome["error"] = error

    worker = threading.Thread(target=run, daemon=True)
    worker.start()
    worker.join(seconds)
    if "value" in outcome:
        return outcome["value"]
    error = outcome.get("error")
    text = str(error).strip().partition("\n")[0] if error else f"no answer within {seconds:g} s"
    reason = (show_label(text, 200) or type(error).__name__).rstrip(".")
    raise ParameterError(f"the engine {show_label(name, 200)} does not start: {reason}.") from None


@contextmanager
def _duckdb(name: str, memory_limit: str | None) -> Iterator[Engine]:
    try:
        with _memory.memory_limit(memory_limit), session(ordered=False) as opened:
            yield DuckEngine(name, opened.connection)
    except EngineError as error:
        first = show_label(str(error).strip().partition("\n")[0], 200)
        raise FileError(f"duckdb cannot go on: {first.rstrip('.')}.") from None


@contextmanager
def _dask_cluster(name: str, memory_limit: str | None) -> Iterator[Engine]:
    from distributed import Client

    client_at: Callable[..., Any] = Client  # it has no types

    client = _within(BEGUN, name, lambda: client_at(name, timeout=BEGUN - 2))
    try:
        yield DaskEngine(name, client)
    finally:
        client.close()


@contextmanager
def _spark(name: str, memory_limit: str | None) -> Iterator[Engine]:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:  # one process has one Spark
        held = active.sparkContext.master
        if name not in ("spark", held):
            raise ParameterError(f"this process already uses the Spark {show_label(held, 200)}.")
        yield SparkEngine(name, active)
        return
    builder = SparkSession.builder.appName("clustervet").config("spark.ui.enabled", "false")
    builder = builder.master("local[*]" if name == "spark" else name)
    # Spark's own progress bar shows on a terminal only, as ours does.
    shown = str(sys.stderr.isatty()).lower()
    builder = builder.config("spark.ui.showConsoleProgress", shown)
    if name == "spark":
        builder = builder.config("spark.driver.host", "127.0.0.1")
        builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
    # Java starts first: the seconds that it takes here tell nothing about the cluster.
    SparkContext._ensure_initialized()
    session = _within(BEGUN, name, builder.getOrCreate)
    session.sparkContext.setLogLevel("ERROR")
    try:
        yield SparkEngine(name, session)
    finally:
        session.stop()


@contextmanager
def _connect(name: str, memory_limit: str | None) -> Iterator[Engine]:
    from pyspark.sql.connect.session import SparkSession

    def begin() -> Any:
        session = SparkSession.builder.remote(name).create()
        _ = session.version  # the first word to the server
        return session

    session = _within(BEGUN, name, begin)
    try:
        yield SparkEngine(name, session)
    finally:
        session.stop()


STARTERS: dict[str, Callable[[str, str | None], AbstractContextManager[Engine]]] = {
    "duckdb": _duckdb,
    "polars": lambda name, _: nullcontext(PolarsEngine(name)),
    "dask": lambda name, _: nullcontext(DaskEngine(name)),
    "dask cluster": _dask_cluster,
    "spark": _spark,
    "connect": _connect,
}


class EngineFiles(Source):
    """A table in files that another engine reads where the data are."""

    def __init__(
        self, arguments: Sequence[str], engine: str, options: Options, id: str | None = None
    ) -> None:
        for option, given in (
            (Setting("id"), id is not None),
            (Setting("delimiter"), options.delimiter is not None),
            (Setting("header", False), options.header is False),
            (Setting("array"), options.array is not None),
        ):
            if given:
                raise ParameterError(option, " goes with the engine duckdb alone.")
        self.engine, self.memory_limit = engine, options.memory_limit
        self.name = show_label(arguments[0], 200)
        self.files = [
            path
            for file in arguments
            for path in ([file] if "://" in file else map(os.path.abspath, find_files([file])))
        ]

    @contextmanager
    def frame(self, numbers: Sequence[str] = ()) -> Iterator[Any]:
        """The engine's own dataframe, for as long as the engine runs."""
        if self.engine in ("polars", "dask"):
            _check_unpacked(self.files)
        with engine_for(self.engine, memory_limit=self.memory_limit) as started:
            yield started.read(self.files, numbers=numbers)

    @property
    def columns(self) -> Mapping[str, Kind]:
        """The names of the columns, and what each holds."""
        with self.frame() as frame:
            schema = Frame.of(frame).native.collect_schema()
        return {name: _kind(dtype) for name, dtype in schema.items()}

    def read(self, features: Sequence[str], labels: Sequence[str]) -> tuple[Any, dict[str, Codes]]:
        """Columns as a matrix of numbers, and columns as labels, as the engine returns them."""
        named = {f"c{at}": name for at, name in enumerate([*features, *labels])}
        with self.frame() as opened:
            frame = Frame.of(opened).picked(**named)
            found = list(frame.collect(frame.native).values())
        rows = len(found[0]) if found else 0
        _memory.need(8 * rows * len(features), f"a matrix of {rows:,} rows", "take fewer features")
        matrix = np.empty((rows, len(features)))
        for at, name in enumerate(features):
            matrix[:, at] = floats(found[at])
            wrong = np.flatnonzero(~np.isfinite(matrix[:, at]))
            if len(wrong):
                value = float(matrix[wrong[0], at])
                raise refused_value(name, self.name, f"row {wrong[0] + 1}", value)
        return matrix, {
            name: read_labels(values, f"column {show_label(name)!r} of {self.name}")
            for name, values in zip(labels, found[len(features) :], strict=True)
        }

    def groups(
        self,
        sets: Sequence[Sequence[ColumnName]],
        weights: ColumnName | None = None,
        most: Mapping[int, int] | None = None,
    ) -> list[GroupedCounts | None]:
        """Count the combinations of each set of columns, one set after the other."""
        found: list[GroupedCounts | None] = []
        numbers = [] if weights is None else [str(weights)]
        with self.frame(numbers) as frame:
            for at, names in enumerate(sets):
                placed = {f"k{k}": str(name) for k, name in enumerate(names)}
                asked = None if weights is None else str(weights)
                one = group_frame(frame, weights=asked, **placed)
                keys = {name: one.keys[f"k{k}"] for k, name in enumerate(names)}
                large = most is not None and len(one.counts) > most.get(at, len(one.counts))
                groups = GroupedCounts(keys, one.counts, one.weights, one.fractional)
                found.append(None if large else groups)
        return found


def _check_unpacked(files: Sequence[str]) -> None:
    """Refuse gzip files that are too large for engines that unpack them in memory."""
    for file in files:
        if not file.endswith(".gz") or not os.path.isfile(file):
            continue
        if os.path.getsize(file) * MOST_PACKED <= _memory.room():
            continue
        size = 0
        with suppress(OSError, EOFError, zlib.error), gzip.open(file, "rb") as stream:
            while chunk := stream.read(2**20):
                size += len(chunk)
                _memory.need(size, f"{show_label(file, 200)} unpacked")


def _kind(dtype: Any) -> Kind:
    import narwhals as nw

    if dtype == nw.Float32:
        return Kind.single
    if dtype.is_numeric():
        return Kind.number
    if dtype == nw.Boolean:
        return Kind.boolean
    if dtype.is_temporal():
        return Kind.date
    return Kind.text if dtype in (nw.String, nw.Categorical, nw.Enum) else Kind.other
