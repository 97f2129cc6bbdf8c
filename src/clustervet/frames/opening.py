"""Files in an engine: opened there as one frame, and read by no one else."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clustervet.errors import FileError, ParameterError
from clustervet.frames.narwhal import Held
from clustervet.frames.source import absent_column
from clustervet.frames.text import MISSING
from clustervet.labels import show_label

FORMATS = {
    **dict.fromkeys((".parquet", ".pq", ".parq"), "parquet"),
    **dict.fromkeys((".csv", ".csv.gz"), "csv"),
    **dict.fromkeys((".tsv", ".tsv.gz"), "tsv"),
    **dict.fromkeys((".jsonl", ".ndjson"), "json"),
}


@dataclass(frozen=True)
class Engine(ABC):
    """Something that opens files as frames for `Contingency.from_frame`."""

    name: str
    session: Any = None

    def read(
        self,
        paths: str | Sequence[str],
        *,
        numbers: Sequence[str] = (),
        separator: str | None = None,
    ) -> Any:
        """Files of one format as one frame; the columns of delimited text are text.

        `numbers` names columns of text that are numbers, such as weights; `separator` stands
        between fields where it is not what the name of the file says.
        """
        given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
        files = [os.fspath(path) for path in given]
        form = _format(files)
        try:
            usual = "\t" if form == "tsv" else ","
            frame = self.open(files, form, separator or usual)
            _ = Held.of(frame).columns  # a lazy engine finds a broken file only now
            return _texts(frame, numbers) if form in ("csv", "tsv") else frame
        except (FileError, ParameterError):
            raise
        except Exception as error:  # every engine has its own
            first = show_label(str(error).strip().partition("\n")[0], 200)
            shown = ", ".join(show_label(file, 200) for file in files[:3])
            raise FileError(f"{self.name} cannot read {shown}: {first.rstrip('.')}.") from None

    @contextmanager
    def in_order(self) -> Iterator[None]:
        """Give rows in the order of the files for a while, where the engine can choose."""
        yield

    @abstractmethod
    def open(self, files: list[str], format: str, separator: str) -> Any:
        """The engine's own frame."""


class DuckEngine(Engine):
    """DuckDB in this process."""

    @contextmanager
    def in_order(self) -> Iterator[None]:
        """With one thread: several read delimited text in the order in which they come to it."""
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
        """A lazy frame."""
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
        """A frame of partitions."""
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
        """A frame of Spark."""
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
        formats[FORMATS.get(suffix, "parquet" if path.is_dir() else suffix)] = file
    if len(formats) > 1:
        raise FileError(f"files of one format are wanted, not of {' and '.join(sorted(formats))}.")
    (found, file), *_ = formats.items()
    if found not in FORMATS.values():
        raise FileError(
            f"{show_label(file, 200)} is of no format that every engine reads; those are Parquet, "
            "CSV, TSV and JSON lines."
        )
    return found


def _texts(frame: Any, numbers: Sequence[str]) -> Any:
    """Columns of text with what means a missing value as null, and some as numbers."""
    import narwhals as nw

    held = Held.of(frame)
    for name in numbers:
        if name not in held.columns:
            raise absent_column(name, "the file", held.columns)
    named = held.picked(**{f"t{place}": name for place, name in enumerate(held.columns)})
    columns = []
    for place, name in enumerate(held.columns):
        column = nw.col(f"t{place}")
        column = nw.when(~column.is_in(sorted(MISSING))).then(column)
        column = column.cast(nw.Float64()) if name in numbers else column
        columns.append(column.alias(name))
    return named.frame.select(*columns).to_native()
