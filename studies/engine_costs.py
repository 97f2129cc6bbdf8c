"""The cost of a billion rows in each engine: CPU seconds, and bytes returned to the client.

    python studies/engine_costs.py [million rows]

Every engine counts a Parquet file with two integer columns (100 classes, 1,000 clusters) in a
separate process. CPU time does not depend on what else the machine does. A thousandth of the rows
is counted first, so that the start of the engine is not included.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ENGINES = ("duckdb", "polars", "dask", "spark")


def processor_seconds() -> float:
    """CPU seconds of all processes of this session, such as the Java machine behind Spark."""
    ticks = 0
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == os.getsid(0):
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def count(name: str, small: str, large: str) -> None:
    """Count a small file, then a large one, and print the cost of the large one."""
    from clustervet import Contingency
    from clustervet.contingency import grouped
    from clustervet.frames.engines import engine_for

    sizes: list[int] = []
    asked = grouped.group_frame

    def measured(*given: object, **options: object) -> object:
        found = asked(*given, **options)  # type: ignore[arg-type]  # passed on unchanged
        sizes.append(3 * 8 * len(found.counts))
        return found

    grouped.group_frame = measured  # type: ignore[assignment]  # the study observes an internal function
    with engine_for(name) as engine:
        spent = [processor_seconds()]
        for path in (small, large):
            table = Contingency.from_frame(engine.read(path), truth="y", pred="c")
            spent.append(processor_seconds())
        took = spent[2] - spent[1]  # the first count includes the start of the engine
        print(json.dumps([name, int(table.n), took, sizes[-1]]), flush=True)


def main(millions: int = 20) -> None:
    """Write the files, run every engine, and print a table."""
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for rows in (millions * 1_000, millions * 1_000_000):
            paths.append(f"{folder}/{rows}.parquet")
            numbers = (
                f"SELECT hash(i) % 100 AS y, hash(i + 7) % 1000 AS c FROM range({rows:d}) t(i)"
            )
            cast = f"SELECT y::BIGINT AS y, c::BIGINT AS c FROM ({numbers})"
            duckdb.sql(cast).write_parquet(paths[-1])
        print(f"file: {os.path.getsize(paths[1]) / millions / 1e6:.2f} bytes per row")
        for name in ENGINES:
            ran = subprocess.run(
                [sys.executable, __file__, name, *paths],
                capture_output=True,
                text=True,
                check=True,
                start_new_session=True,
            )
            _, rows, took, home = json.loads(ran.stdout.splitlines()[-1])
            print(f"{name:8} {took / rows * 1e9:8.0f} CPU seconds per billion rows, ", end="")
            print(f"{home:,} bytes returned")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        count(*sys.argv[1:4])
    else:
        main(*map(int, sys.argv[1:]))
