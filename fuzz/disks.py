"""Disks that are full or broken: whole files or none, right answers or one sentence."""

from __future__ import annotations

import functools
import os
import random
import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from fuzz.cases import ROOT, Case, Kind, Verdict, failed
from fuzz.exact import MEASURES, card_fault
from fuzz.grammar import WRITERS, columns_of, counts_of, delimited
from fuzz.rooms import Job, Room, judged, run_command

SHOWN = ("-m", ",".join(MEASURES), "-f", "json")
LABELS = ("-t", "y", "-p", "c")
# Commands that write, with what they write.
WRITING: tuple[tuple[list[str], list[str]], ...] = (
    (["score", "table.csv", *LABELS, "-o", "../out/a.json"], ["a.json"]),
    (["score", "table.csv", *LABELS, "-f", "json"], []),
    (["score", "table.csv", *LABELS, "--report", "../out/r.html"], ["r.html"]),
    (["report", "table.csv", *LABELS, "-o", "../out/r.md"], ["r.md"]),
    (["table", "build", "table.csv", *LABELS, "-o", "../out/t.parquet"], ["t.parquet"]),
    (["table", "build", "table.csv", *LABELS, "-o", "../out/t.json"], ["t.json"]),
    (["compare", "table.csv", "-l", "y,c", "--consensus", "../out/c.csv"], ["c.csv"]),
    (["tune", "table.csv", "--features", "x1,x2", "--k", "2..3", "--labels", "../out/l.csv"],
     ["l.csv"]),
    (["select", "table.csv", "-l", "y", "--k", "2", "--runs", "2", "-a", "kmeans", "--journal",
      "../out/run.db", "--predictions", "../out/p.csv"], ["run.db", "p.csv"]),
)  # fmt: skip


@functools.cache
def shim() -> str | None:
    """Return the library that breaks a disk; None where no compiler is installed."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    made = Path(tempfile.mkdtemp(prefix="clustervet-shim-")) / "shim.so"
    source = str(ROOT / "fuzz" / "shim.c")
    options = ["-shared", "-fPIC", "-O1", "-o", str(made)]
    ran = subprocess.run([compiler, *options, source, "-ldl"], capture_output=True, check=False)
    return str(made) if ran.returncode == 0 else None


def draw(rng: random.Random) -> Case:
    """Draw a command and the way its disk fails."""
    how = rng.choice(("reads", "reads", "reads", "writes", "full", "full", "full pipe", "spill"))
    columns = columns_of(rng, "plain", rng.choice((30, 3_000)), ("y", "c"))
    counts = counts_of(columns["y"], columns["c"])
    recipe: dict[str, Any] = {"how": how, "counts": counts, "outputs": []}
    form = rng.choice(("csv", "csv", "jsonl", "json", "parquet", "arrow", "npz", "tsv"))
    content = WRITERS[form](columns)
    files = {f"table.{form}": content, "table.csv": delimited(columns)}
    if how == "reads":
        engine = rng.choice(("", "", "duckdb", "polars", "dask"))
        more = ["--engine", engine] if engine and form in ("csv", "parquet", "jsonl") else []
        after = rng.choice((0, 1, 100, len(content) // 2, len(content) - 1, len(content)))
        recipe |= {"argv": ["score", f"table.{form}", *LABELS, *SHOWN, *more], "after": after}
    elif how == "spill":
        recipe |= {"argv": ["score", "big.parquet", *LABELS, *SHOWN, "--memory-limit",
                            rng.choice(("40MB", "80MB", "150MB"))],
                   "after": rng.choice((3_000, 10_000, 5_000_000)), "rows": 1_500_000}  # fmt: skip
        files = {}
    else:
        argv, outputs = rng.choice(WRITING)
        least = 0 if how == "writes" else 2_000  # a sentence must fit
        after = max(least, rng.choice((0, 1, 100, 1_000, 5_000, 50_000)))
        recipe |= {"argv": argv, "after": after, "outputs": outputs}
    return Case("disks", recipe, files)


@functools.cache
def _big(rows: int) -> bytes:
    """Return a table of so many different pairs that grouping them needs the disk."""
    import io

    import numpy as np
    import pyarrow
    import pyarrow.parquet

    rng = np.random.default_rng(0)
    columns = {"y": np.arange(rows) // 3, "c": rng.permutation(rows) // 3}
    held = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), held)
    return held.getvalue()


def run(case: Case, room: Room) -> Verdict:
    """Run the command on such a disk."""
    recipe = case.recipe
    how, after, argv = recipe["how"], recipe["after"], recipe["argv"]
    allowed = [f"out/{name}" for name in recipe["outputs"]]
    preload, job = "", Job(argv)
    if how in ("reads", "writes"):
        library = shim()
        if library is None:
            return Verdict("skipped", "no compiler for the library that breaks a disk")
        preload = library
        place = room.inputs if how == "reads" else room.outputs
        environment = {"EIO_PATH": str(place), "EIO_AFTER": str(after)}
        environment |= {"EIO_WRITES": "1"} if how == "writes" else {}
        job = Job(argv, environment=environment)
    elif how == "full":
        job = Job(argv, file_size=after)
    elif how == "full pipe":
        job = Job(argv, stdout="/dev/full")
    elif how == "spill":
        case = Case(case.kind, recipe, {"big.parquet": _big(recipe["rows"])}, case.origin)
        job = Job(argv, file_size=after, memory=None)
    verdict, ran = run_command(room, case, job, allowed, preload=preload)
    if how == "full pipe" and ran.code == 0 and verdict.reason == "exit code 0 and no answer":
        return failed("exit code 0, and the answer went nowhere", verdict.shown)
    if how in ("full", "writes") and verdict.reason.startswith("refused after a part"):
        verdict = judged(replace(ran, out=""), argv)  # what could be written is there
    if verdict.failed:
        return failed(f"{verdict.reason} (disk: {how})", verdict.shown)
    for name in recipe["outputs"]:
        path = room.outputs / name
        if ran.code == 0 and not path.exists():
            return failed(f"exit code 0 and no {name} (disk: {how})", verdict.shown)
        if path.exists() and not os.path.getsize(path) and not name.endswith(".db"):
            return failed(f"an empty {name} (disk: {how})", verdict.shown)
    if how != "reads" or verdict.outcome != "right":
        return verdict
    fault = card_fault(ran.out, recipe["counts"])
    return failed(f"wrong answer: {fault} (disk: {how})", verdict.shown) if fault else verdict


KIND = Kind("disks", 5, draw, run)
