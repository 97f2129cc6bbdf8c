"""Parquet files under a memory limit, beside pandas and scikit-learn on the part that fits."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from compare import judge
from harness import OURS, Row, Scale, at_least, limit
from peers import why_missing

PEER = "pandas + scikit-learn"
CLASSES = 100
PART = 10_000_000
FITS = 20_000_000
UNIT = 100_000_000  # times are given per this many rows, since the two read different numbers
MEMORY = "1GB"
# In MB. The process also holds the interpreter, numpy, and the code of the engine.
MEMORY_GOAL = 1_300

PEAK = """
from pathlib import Path
lines = dict(l.split(":", 1) for l in Path("/proc/self/status").read_text().splitlines())
print(json.dumps([seconds, value, int(lines["VmHWM"].split()[0]) / 1024]))
"""
OUR_CODE = f"""
import contextlib, io, json, sys, time
from clustervet.cli import main
out = io.StringIO()
sys.argv = ["clustervet", "score", *sys.argv[1:], "--truth", "y", "--pred", "c"]
sys.argv += ["-m", "adjusted_rand", "-f", "json", "--memory-limit", "{MEMORY}"]
start = time.perf_counter()
with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
    main()
seconds = time.perf_counter() - start
value = json.loads(out.getvalue())["scores"][0]["value"]
{PEAK}"""
PEER_CODE = f"""
import json, sys, time
import pandas
from sklearn.metrics import adjusted_rand_score
start = time.perf_counter()
frame = pandas.concat(pandas.read_parquet(path, columns=["y", "c"]) for path in sys.argv[1:])
value = float(adjusted_rand_score(frame["y"], frame["c"]))
seconds = time.perf_counter() - start
{PEAK}"""


def run(scale: Scale) -> Iterator[Row]:
    """200 million rows in files of 10 million."""
    n, fits, part = (scale(size) for size in (200_000_000, FITS, PART))
    with tempfile.TemporaryDirectory(prefix="clustervet-lake-") as folder:
        parts = _write(Path(folder), n, part)
        some = parts[: max(1, fits // part)]
        ours = _measure(OUR_CODE, [folder])
        same = _measure(OUR_CODE, [f"{folder}/part-00[0-{len(some) - 1}].parquet"])
        missing = why_missing("pandas") or why_missing("sklearn")
        theirs = missing or _measure(PEER_CODE, some)
    size = f"n = {n:,}, K = {CLASSES}; {PEER}: n = {part * len(some):,}"
    if isinstance(ours, str) or isinstance(same, str):
        yield Row(what="score of Parquet files", size=size, peer=PEER, note=str(ours), alarm=True)
        return
    note, alarm = (theirs, False) if isinstance(theirs, str) else judge(PEER, same[1], theirs[1])
    peer = None if isinstance(theirs, str) else theirs
    yield Row(
        what=f"score of Parquet files, {MEMORY} of memory, time per 100 million rows",
        size=size,
        peer=PEER,
        ours=ours[0] * UNIT / n,
        theirs=None if peer is None else peer[0] * UNIT / (part * len(some)),
        goal=at_least(10),
        value_ours=same[1],
        value_peer=None if peer is None else peer[1],
        note=note,
        alarm=alarm,
    )
    yield Row(
        what=f"peak memory of the process, {MEMORY} for the engine",
        size=size,
        peer=PEER,
        ours=ours[2],
        theirs=None if peer is None else peer[2],
        unit="MB",
        goal=limit(MEMORY_GOAL),
        note=f"{OURS} reads {n // (part * len(some))} times as many rows",
    )


def _write(folder: Path, n: int, part: int) -> list[str]:
    """Write classes and clusters that mostly agree, one file at a time."""
    import duckdb

    paths = []
    with duckdb.connect(config={"memory_limit": MEMORY}) as connection:
        for k in range(max(1, n // part)):
            paths.append(str(folder / f"part-{k:03d}.parquet"))
            rows = f"SELECT i, hash(i + {k * part:d}) AS h FROM range({part:d}) AS t(i)"
            rows = f"SELECT CAST(h % {CLASSES:d} AS INTEGER) AS y, h FROM ({rows})"
            rows = (
                "SELECT y, CAST(CASE WHEN (h >> 32) % 10 < 7 THEN y "
                f"ELSE (h >> 40) % {CLASSES:d} END AS INTEGER) AS c FROM ({rows})"
            )
            connection.execute(f"COPY ({rows}) TO ? (FORMAT parquet)", [paths[-1]]).fetchall()
    return paths


def _measure(code: str, arguments: list[str]) -> tuple[float, float, float] | str:
    """Seconds, value and peak memory of a separate process, or why it failed."""
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        return f"failed: {last[:160]}"
    seconds, value, peak = json.loads(done.stdout.splitlines()[-1])
    return seconds, value, peak
