"""Engines by name: one that this machine has, or a cluster that runs somewhere.

`duckdb`, `polars`, `spark` and `dask` run here; `spark://host:port` is a standalone cluster,
`sc://host:port` a Spark Connect server, `tcp://host:port` a scheduler of Dask.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from clustervet.errors import FileError, MissingPackageError, ParameterError
from clustervet.frames.duck import EngineError, engine
from clustervet.frames.opening import DaskEngine, DuckEngine, Engine, PolarsEngine, SparkEngine
from clustervet.labels import show_label

NAMES = ("duckdb", "polars", "spark", "dask")
ADDRESS = re.compile(r"(spark|sc|tcp)://(\[[0-9a-fA-F:]+\]|[^/:\[\]]+):(\d{1,5})(/.*)?")
SCHEMES = {"spark": "spark", "sc": "connect", "tcp": "dask cluster"}
PACKAGES = {"spark": "pyspark", "connect": "pyspark", "dask": "dask", "dask cluster": "distributed"}
EXTRAS = {"pyspark": "clustervet[spark]", "dask": "clustervet[dask]"}
# Seconds until a cluster that does not answer is given up: to be heard at all, and to begin.
HEARD, BEGUN = 8.0, 20.0


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
    with tempfile.TemporaryDirectory(prefix="clustervet-") as folder:
        try:
            with engine(folder, memory_limit) as connection:
                yield DuckEngine(name, connection)
        except EngineError as error:
            first = show_label(str(error).strip().partition("\n")[0], 200)
            raise FileError(f"duckdb cannot go on: {first.rstrip('.')}.") from None


@contextmanager
def _polars(name: str, memory_limit: str | None) -> Iterator[Engine]:
    yield PolarsEngine(name)


@contextmanager
def _dask(name: str, memory_limit: str | None) -> Iterator[Engine]:
    yield DaskEngine(name)


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
    # Spark's own bar shows on a terminal only, as everybody's should.
    shown = str(sys.stderr.isatty()).lower()
    builder = builder.config("spark.ui.showConsoleProgress", shown)
    if name == "spark":
        builder = builder.config("spark.driver.host", "127.0.0.1")
        builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
    # Java starts first, which takes its time here and tells nothing about the cluster.
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


STARTERS = {
    "duckdb": _duckdb,
    "polars": _polars,
    "dask": _dask,
    "dask cluster": _dask_cluster,
    "spark": _spark,
    "connect": _connect,
}
