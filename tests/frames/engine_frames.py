"""One table in every engine, for tests."""

from __future__ import annotations

import contextlib
import os

import pyarrow as pa
import pyarrow.compute as pc


def arrow(table):
    return table


def pandas(table):
    import pandas as pd

    # An int column with nulls is one of floats in pandas, unless it is nullable.
    wide = {pa.uint64(): pd.UInt64Dtype()}
    if any((pc.max(column).as_py() or 0) >= 2**53 for column in table if column.type == pa.int64()):
        wide[pa.int64()] = pd.Int64Dtype()
    return table.to_pandas(types_mapper=wide.get)


def pandas_arrow(table):
    import pandas as pd

    return table.to_pandas(types_mapper=pd.ArrowDtype)


def polars(table):
    import polars as pl

    return pl.from_arrow(table)


def polars_lazy(table):
    return polars(table).lazy()


def duckdb(table):
    import duckdb as duck

    connection = duck.connect()
    return connection.from_arrow(table)


def dask(table):
    import dask.dataframe as dd

    categories = [
        n for n in table.column_names if hasattr(table.schema.field(n).type, "index_type")
    ]
    plain = pandas_arrow(table.drop_columns(categories))
    for name in categories:
        plain[name] = table[name].to_pandas()
    return dd.from_pandas(plain, npartitions=3)


def ibis(table):
    import ibis as ib

    return ib.memtable(table)


ENGINES = {
    make.__name__: make
    for make in (arrow, pandas, pandas_arrow, polars, polars_lazy, duckdb, dask, ibis)
}


@contextlib.contextmanager
def spark_session(master="local[1]", settings=None):
    """A small Spark session on this machine alone."""
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    from pyspark.sql import SparkSession

    builder = (
        SparkSession.builder.master(master)
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "1g")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.sql.session.timeZone", "America/Lima")
    )
    for name, value in (settings or {}).items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    try:
        yield session
    finally:
        session.stop()
