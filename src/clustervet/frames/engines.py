"""Other engines: one that this machine has by name, or a cluster that runs somewhere.

`duckdb`, `polars`, `spark` and `dask` run here; `spark://host:port` is a standalone cluster,
`sc://host:port` a Spark Connect server, `tcp://host:port` a scheduler of Dask. Each has one
adapter, which opens files as the engine's own dataframe.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import sys
import tempfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from clustervet import _memory
from clustervet.errors import (
    ClustervetError,
    FileError,
    MissingPackageError,
    ParameterError,
    Setting,
)
from clustervet.frames.clusters import BEGUN, begun, check_heard, with_workers
from clustervet.frames.columns import (
    COMMA_NUMBER,
    MISSING,
    Kind,
    absent_column,
    refused_value,
)
from clustervet.frames.dialect import Layout, Trait, read_layouts
from clustervet.frames.duck import EngineError, exhausted, session
from clustervet.frames.frame import Frame, group_frame
from clustervet.frames.grouping import GroupedCounts
from clustervet.frames.parts import READ_CSV
from clustervet.frames.places import Paths, find_files, find_place, is_pattern, path_list
from clustervet.frames.rows import floats
from clustervet.frames.source import ColumnName, Options, Source
from clustervet.frames.text import open_text
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
# What an engine may take for a pattern, for several paths, or for no text at all.
ODD = re.compile(r"[*?\[\]{}\\,:\ud800-\udfff]")
# Numbers that every engine reads alike.
PLAIN = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
# What every engine reads in delimited text as Python does, and what DuckDB does.
ALL_READ = frozenset({Trait.bom, Trait.broken, Trait.nul})
DUCK_READS = ALL_READ | {Trait.blank, Trait.returned, Trait.tangled, Trait.white}


@dataclass(frozen=True)
class Engine(ABC):
    """Something that opens files as dataframes for `Contingency.from_frame`.

    `folder` is a place for links to files with unusual names; a cluster has none.
    """

    name: str
    session: Any = None
    folder: str | None = None
    # What the engine reads in delimited text as Python does.
    reads: ClassVar[frozenset[Trait]] = frozenset()

    @contextmanager
    def reading(
        self,
        paths: str | Sequence[str],
        *,
        columns: Sequence[str] | None = None,
        numbers: Sequence[str] = (),
        separator: str | None = None,
        header: bool | None = None,
    ) -> Iterator[Any]:
        """Files as a dataframe, as `read` gives it; what fails while it is used is one sentence."""
        try:
            yield self.read(
                paths, columns=columns, numbers=numbers, separator=separator, header=header
            )
        except (FileError, ParameterError, EngineError):
            raise
        except Exception as error:  # every engine has its own, and most read late
            files = expanded(paths)
            if numbers and _format(files) in ("csv", "tsv"):
                self._check_numbers(files, numbers, separator, header)
            if isinstance(error, ClustervetError):
                raise
            raise self._fault(error, files) from None

    def read(
        self,
        paths: str | Sequence[str],
        *,
        columns: Sequence[str] | None = None,
        numbers: Sequence[str] = (),
        separator: str | None = None,
        header: bool | None = None,
    ) -> Any:
        """Files of one format as one dataframe; the columns of delimited text are text.

        `columns` are those that are needed, if not all of them: a wide text costs no more then.
        `numbers` names columns of text that are numbers, such as weights; `separator` stands
        between fields where it is not what the first line says. Text that the engine would
        read otherwise than Python is refused.
        """
        files = expanded(paths)
        form = _format(files)
        try:
            if form in ("csv", "tsv"):
                return self._texts(files, columns, numbers, separator, header)
            frame = self.open([self.path(file) for file in files], form)
            _ = Frame.of(frame).columns  # a lazy engine finds a broken file only now
            return frame
        except ClustervetError:
            raise
        except Exception as error:  # every engine has its own
            raise self._fault(error, files) from None

    def kinds(
        self, paths: str | Sequence[str], separator: str | None = None, header: bool | None = None
    ) -> dict[str, Kind]:
        """The names of the columns that `read` gives, and what each holds."""
        files = expanded(paths)
        try:
            if _format(files) in ("csv", "tsv"):
                layouts = self._layouts(files, separator, header)
                return dict.fromkeys(self._shared(layouts)[1], Kind.text)
            schema = Frame.of(self.read(files)).native.collect_schema()
            return {name: _kind(dtype) for name, dtype in schema.items()}
        except ClustervetError:
            raise
        except Exception as error:  # every engine has its own
            raise self._fault(error, files) from None

    @contextmanager
    def in_order(self) -> Iterator[None]:
        """Give rows in the order of the files for a while, where the engine can choose."""
        yield

    @abstractmethod
    def open(self, files: list[str], format: str) -> Any:
        """The engine's own dataframe of files of Parquet or of JSON lines."""

    @abstractmethod
    def open_text(self, layout: Layout) -> Any:
        """The engine's own dataframe of delimited text: c0, c1, ... where names are known."""

    def path(self, file: str) -> str:
        """A path in which the engine sees no pattern and no byte that it cannot spell."""
        base = os.path.basename(file)
        if not is_here(file) or os.name == "nt" or not (ODD.search(file) or base[:1] in "._"):
            return file
        if self.folder is None:
            raise FileError(
                f"{self.name} cannot open a file of the name {show_label(file, 200)}; rename it."
            )
        number = len(os.listdir(self.folder))
        link = os.path.join(self.folder, f"table-{number}{_suffix(file)}")
        os.symlink(file, link)
        return link

    def _texts(
        self,
        files: list[str],
        columns: Sequence[str] | None,
        numbers: Sequence[str],
        separator: str | None,
        header: bool | None,
    ) -> Any:
        """Delimited text: the columns that all files have, missing values as null."""
        import narwhals as nw

        layouts = self._layouts(files, separator, header)
        stands, kept = self._shared(layouts)
        wanted = [*numbers, *(columns or ())]
        known = set(kept)
        for name in wanted:
            if name not in known:
                raise absent_column(name, show_label(files[0], 200), kept)
        if columns is not None:
            kept = list(dict.fromkeys(wanted))
            layouts = [
                replace(one, needed=sorted({stand[name] for name in kept}))
                for one, stand in zip(layouts, stands, strict=True)
            ]
        frames = []
        for layout, stand in zip(layouts, stands, strict=True):
            held = Frame.of(self.open_text(layout))
            names = layout.places or held.columns
            places = {f"t{at}": names[stand[name]] for at, name in enumerate(kept)}
            picked = held.picked(**places).native
            read = [
                _column(at, name in numbers, name in layout.commas).alias(name)
                for at, name in enumerate(kept)
            ]
            frames.append(picked.select(*read))
        return (frames[0] if len(frames) == 1 else nw.concat(frames)).to_native()

    def _layouts(
        self, files: list[str], separator: str | None, header: bool | None
    ) -> list[Layout]:
        """Delimited text by its layouts, under paths that the engine can open."""
        if not all(map(is_here, files)):
            usual = "\t" if _format(files) == "tsv" else ","
            return [Layout(files, separator or usual, named=header is not False)]
        layouts = read_layouts(files, separator, header, self.name, self.reads)
        return [replace(one, paths=[self.path(path) for path in one.paths]) for one in layouts]

    def _shared(self, layouts: list[Layout]) -> tuple[list[dict[str, int]], list[str]]:
        """Where each name stands first in each layout, and the names that all have."""
        known = [one.names or Frame.of(self.open_text(one)).columns for one in layouts]
        # A file may have many columns, and a name twice.
        stands = [
            dict(zip(reversed(names), reversed(range(len(names))), strict=True)) for names in known
        ]
        return stands, [name for name in known[0] if all(name in places for places in stands)]

    def _check_numbers(
        self, files: list[str], numbers: Sequence[str], separator: str | None, header: bool | None
    ) -> None:
        """Let Python find the line that holds no number."""
        for file in filter(is_here, files):
            text = open_text(find_place(file), separator, header)
            try:
                text.read([name for name in numbers if name in text.columns], ())
            except FileError as found:
                raise FileError(f"{self.name} cannot go on: {found}") from None

    def _fault(self, error: Exception, files: Sequence[str]) -> ClustervetError:
        """What an engine raised while it read files, in one sentence."""
        if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryException":
            return exhausted(str(error))
        said = str(error).rpartition("Original Message: ")[2]  # Dask puts a line of its own before
        first = show_label(said.strip().partition("\n")[0], 200).rstrip(".")
        shown = ", ".join(show_label(file, 200) for file in files[:3])
        return FileError(f"{self.name} cannot read {shown}: {first or type(error).__name__}.")


class DuckEngine(Engine):
    """DuckDB in this process."""

    reads: ClassVar[frozenset[Trait]] = frozenset(Trait)

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

    def open(self, files: list[str], format: str) -> Any:
        """A relation."""
        if format == "parquet":
            return self.session.read_parquet(files)
        return self.session.read_json(files, format="newline_delimited")

    def open_text(self, layout: Layout) -> Any:
        """A relation; Python reads what DuckDB may read otherwise."""
        if layout.names is None:
            return self.session.read_csv(
                layout.paths, header=layout.named, all_varchar=True, sep=layout.delimiter
            )
        names = layout.places
        if layout.traits <= DUCK_READS and all(text.first_line == 1 for text in layout.texts):
            source = READ_CSV.format(header="true" if layout.named else "false", alone="")
            types = dict.fromkeys(names, "VARCHAR")
            packing = "gzip" if layout.packed else "none"
            given = [list(layout.paths), types, layout.delimiter, packing]
            return self.session.sql(f"SELECT * FROM {source}", params=given)
        parts = [text.texts(layout.names) for text in layout.texts]
        held = {name: np.concatenate(column) for name, *column in zip(names, *parts, strict=True)}
        self.session.register(f"text_{id(layout):d}", held)
        return self.session.table(f"text_{id(layout):d}")


class PolarsEngine(Engine):
    """Polars in this process, lazily."""

    reads: ClassVar[frozenset[Trait]] = ALL_READ | {
        Trait.returned,
        Trait.mixed,
        Trait.tangled,
        Trait.white,
    }

    def open(self, files: list[str], format: str) -> Any:
        """A lazy dataframe."""
        import polars

        if format == "json":
            return polars.scan_ndjson(files)
        return polars.scan_parquet(files, glob=not all(map(is_here, files)))

    def open_text(self, layout: Layout) -> Any:
        """A lazy dataframe; the header is skipped, since it is known."""
        import polars

        paths = list(layout.paths)
        options: dict[str, Any] = {"separator": layout.delimiter, "infer_schema": False}
        if layout.names is None:
            return polars.scan_csv(paths, has_header=layout.named, **options)
        schema = dict.fromkeys(layout.places, polars.String)
        skipped = int(layout.named)
        return polars.scan_csv(
            paths, has_header=False, skip_rows=skipped, schema=schema, glob=False, **options
        )


def _json_rows(stream: Any, **given: Any) -> Any:
    """A dataframe of pandas from lines of JSON.

    pandas itself would read the text "007" as a number, and whole numbers with gaps as floats.
    """
    import pandas

    rows = [json.loads(line) for line in stream if line.strip()]
    if not all(isinstance(row, dict) for row in rows):
        raise ValueError("a line is no object of names and values")
    names = dict.fromkeys(name for row in rows for name in row)
    return pandas.DataFrame({name: _json_column([row.get(name) for row in rows]) for name in names})


def _json_column(values: list[Any]) -> Any:
    """Values of one type as an array that may have gaps; others as they are written in JSON."""
    import pandas

    kinds = {type(value) for value in values if value is not None}
    if kinds == {int} and all(value is None or -(2**63) <= value < 2**63 for value in values):
        return pandas.array(values, "Int64")
    if kinds in ({float}, {int, float}):
        return pandas.array(values, "Float64")
    if kinds == {bool}:
        return pandas.array(values, "boolean")
    if not kinds <= {str}:
        values = [None if value is None else json.dumps(value) for value in values]
    return pandas.array(values, "string")


class DaskEngine(Engine):
    """Dask, in this process or on a cluster."""

    reads: ClassVar[frozenset[Trait]] = PolarsEngine.reads | {Trait.blank}

    def open(self, files: list[str], format: str) -> Any:
        """A dataframe of partitions."""
        import dask.dataframe as dd

        if format == "parquet":
            return dd.read_parquet(files)
        return dd.read_json(files, lines=True, engine=_json_rows)

    def open_text(self, layout: Layout) -> Any:
        """A dataframe of partitions: parts of files, or whole files where rows have line ends."""
        import dask.dataframe as dd

        paths = list(layout.paths)
        options: dict[str, Any] = {
            "dtype": str,
            "keep_default_na": False,
            "sep": layout.delimiter,
            "index_col": False,
        }
        if layout.names is None:
            whole = {"compression": "gzip", "blocksize": None} if layout.packed else {}
            return dd.read_csv(paths, header=0 if layout.named else None, **options, **whole)
        places = layout.places
        options |= {"names": places, "header": None, "skiprows": int(layout.named)}
        if layout.needed is not None:  # since the time that Dask takes grows with the columns
            places = [places[at] for at in layout.needed]
            options["usecols"] = places
        if not (layout.broken or layout.packed):
            return dd.read_csv(paths, **options)
        import pandas

        from_map: Any = dd.from_map  # it has no types
        none = pandas.DataFrame({name: pandas.Series(dtype=str) for name in places})
        return from_map(pandas.read_csv, paths, meta=none, **options)


class SparkEngine(Engine):
    """Spark, in this process, on a cluster, or behind Spark Connect."""

    reads: ClassVar[frozenset[Trait]] = ALL_READ | {Trait.leading, Trait.blank, Trait.mixed}

    def open(self, files: list[str], format: str) -> Any:
        """A dataframe of Spark."""
        if format == "parquet":
            return self.session.read.parquet(*files)
        return self.session.read.json(files)

    def open_text(self, layout: Layout) -> Any:
        """A dataframe of Spark."""
        schema = None
        if layout.names is not None:
            schema = ", ".join(f"{name} STRING" for name in layout.places)
        return self.session.read.csv(
            list(layout.paths),
            schema=schema,
            header=layout.named,
            sep=layout.delimiter,
            quote='"',
            escape='"',
            mode="FAILFAST",
            multiLine=layout.broken,
        )


def is_here(path: str) -> bool:
    """Whether a file can be read by this process, whatever the engine can reach."""
    return "://" not in path and os.path.exists(path)


def expanded(paths: Paths) -> list[str]:
    """Files with patterns spelled out, so that a pattern means the same in every engine."""
    files: list[str] = []
    for path in path_list(paths):
        if "://" in path:
            files.append(path)
        else:
            named = find_files([path]) if is_pattern(path) else [path]
            files += map(os.path.abspath, named)
    return files


def _suffix(file: str) -> str:
    """The end of a name that tells the format."""
    path = Path(file)
    packed = path.suffix.lower() == ".gz"
    return ("".join(path.suffixes[-2:]) if packed else path.suffix).lower()


def _format(files: Sequence[str]) -> str:
    """The format that all files have, by their names; a folder is one of Parquet."""
    if not files:
        raise FileError("no file is given.")
    formats = {}
    for file in files:
        suffix = _suffix(file)
        formats[ENGINE_FORMATS.get(suffix, "parquet" if os.path.isdir(file) else suffix)] = file
    if len(formats) > 1:
        raise FileError(f"files of one format are wanted, not of {' and '.join(sorted(formats))}.")
    (found, file), *_ = formats.items()
    if found not in ENGINE_FORMATS.values():
        raise FileError(
            f"{show_label(file, 200)} is of no format that every engine reads; those are Parquet, "
            "CSV, TSV and JSON lines."
        )
    return found


def _column(place: int, number: bool, comma: bool) -> Any:
    """A column of text with what means a missing value as null, perhaps as numbers."""
    import narwhals as nw

    column = nw.col(f"t{place}")
    column = nw.when(~column.is_in(sorted(MISSING))).then(column)
    if not number:
        return column
    # Engines differ in what else they take for a number; null is refused later.
    if comma:
        column = nw.when(column.str.contains(f"^{COMMA_NUMBER}$")).then(column)
        column = column.str.replace_all(",", ".", literal=True)
    column = column.str.strip_chars()
    return nw.when(column.str.contains(PLAIN)).then(column).cast(nw.Float64())


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
        check_heard(name, host, port)
    with (
        tempfile.TemporaryDirectory(prefix="clustervet-") as folder,
        STARTERS[kind](name, memory_limit) as started,
    ):
        yield replace(started, folder=folder if host is None else None)


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

    client = begun(name, lambda: client_at(name, timeout=BEGUN - 2))
    try:
        with with_workers(name, lambda: len(client.scheduler_info()["workers"]), client.close):
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
    session = begun(name, builder.getOrCreate)
    session.sparkContext.setLogLevel("ERROR")
    context = session.sparkContext
    others = context._jsc.sc().getExecutorMemoryStatus  # beside this process
    try:
        with (
            nullcontext()
            if name == "spark"
            else with_workers(name, lambda: others().size() - 1, context.cancelAllJobs)
        ):
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

    session = begun(name, begin)
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
            (Setting("array"), options.array is not None),
        ):
            if given:
                raise ParameterError(option, " goes with the engine duckdb alone.")
        self.engine, self._options = engine, options
        self.name = show_label(arguments[0], 200)
        here = [file for file in arguments if "://" not in file]
        far = [file for file in arguments if "://" in file]
        self.files = expanded([*far, *find_files(here)])

    @contextmanager
    def frame(
        self, columns: Sequence[str] | None = None, numbers: Sequence[str] = ()
    ) -> Iterator[Any]:
        """The engine's own dataframe of some columns or all, for as long as the engine runs."""
        given = self._options
        with (
            self._started() as started,
            started.reading(
                self.files,
                columns=columns,
                numbers=numbers,
                separator=given.delimiter,
                header=given.header,
            ) as frame,
        ):
            yield frame

    def _started(self) -> AbstractContextManager[Engine]:
        if self.engine in ("polars", "dask"):
            _check_unpacked(self.files)
        return engine_for(self.engine, memory_limit=self._options.memory_limit)

    @property
    def columns(self) -> Mapping[str, Kind]:
        """The names of the columns, and what each holds."""
        with self._started() as engine:
            return engine.kinds(self.files, self._options.delimiter, self._options.header)

    def read(self, features: Sequence[str], labels: Sequence[str]) -> tuple[Any, dict[str, Codes]]:
        """Columns as a matrix of numbers, and columns as labels, as the engine returns them."""
        named = {f"c{at}": name for at, name in enumerate([*features, *labels])}
        with self.frame([*features, *labels]) as opened:
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
        columns = [str(name) for names in sets for name in names]
        with self.frame(columns, numbers) as frame:
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
