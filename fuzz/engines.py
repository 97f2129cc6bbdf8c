"""Clusters that lose a worker in the middle of a job: the right answer, or one sentence."""

from __future__ import annotations

import contextlib
import io
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from fuzz.cases import ROOT, Case, Kind, Verdict, failed
from fuzz.exact import MEASURES, card_fault
from fuzz.rooms import Job, Room, Scene, environment_of, judged

HOST = "127.0.0.1"
PARTS, ROWS = 24, 40_000
SECONDS = 240.0
SHOWN = ("-t", "y", "-p", "c", "-m", ",".join(MEASURES), "-f", "json")


def draw(rng: random.Random) -> Case:
    """Draw an engine, and when its worker dies."""
    recipe = {
        "engine": rng.choice(("dask", "spark")),
        "moment": round(rng.uniform(0.2, 12.0), 2),
        "both": rng.random() < 0.25,
        "form": rng.choice(("parquet", "csv")),
    }
    return Case("engines", recipe)


def _parts(form: str) -> tuple[dict[str, bytes], list[list[int]]]:
    """Return files of the rows 0, 1, ..., and the table of their remainders by 7 and by 11."""
    import pyarrow
    import pyarrow.csv
    import pyarrow.parquet

    files = {}
    for part in range(PARTS):
        numbers = range(part * ROWS, (part + 1) * ROWS)
        table = pyarrow.table({"y": [k % 7 for k in numbers], "c": [k % 11 for k in numbers]})
        held = io.BytesIO()
        if form == "parquet":
            pyarrow.parquet.write_table(table, held)
        else:
            pyarrow.csv.write_csv(table, held)
        files[f"part-{part:02}.{form}"] = held.getvalue()
    total = PARTS * ROWS
    counts = [[0] * 11 for _ in range(7)]
    for rest in range(77):
        counts[rest % 7][rest % 11] = (total - rest + 76) // 77
    return files, counts


def _spark_cluster(folder: Path) -> contextlib.AbstractContextManager[Any]:
    """Return the cluster that the tests use."""
    place = str(ROOT / "tests" / "frames")
    if place not in sys.path:
        sys.path.append(place)
    import spark_cluster

    made: contextlib.AbstractContextManager[Any] = spark_cluster.cluster(folder)
    return made


@contextlib.contextmanager
def _spark(folder: Path) -> Iterator[tuple[str, list[Callable[[], None]]]]:
    """Start a master and two workers; give its address, and a way to kill each worker."""
    with _spark_cluster(folder) as cluster:
        cluster.add_workers(2)
        yield cluster.url, [partial(cluster.kill, worker) for worker in cluster.workers]


@contextlib.contextmanager
def _dask(folder: Path) -> Iterator[tuple[str, list[Callable[[], None]]]]:
    """Start a scheduler and two workers; give its address, and a way to kill each worker."""
    place = str(ROOT / "tests" / "frames")
    if place not in sys.path:
        sys.path.append(place)
    from spark_cluster import eventually, free_port, listening

    port = free_port()
    address = f"tcp://{HOST}:{port}"
    scheduler = ("scheduler", "--host", HOST, "--port", str(port), "--no-dashboard")
    worker = ("worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard",
              "--local-directory", str(folder), "--memory-limit", "1GB")  # fmt: skip
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for command in (scheduler, worker, worker):
            processes.append(_started(command, folder))
            if command is scheduler:
                eventually(lambda: listening(port))
        yield address, [partial(_killed, process) for process in processes[1:]]
    finally:
        for process in processes:
            _killed(process)


def _started(arguments: tuple[str, ...], folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *arguments],
        cwd=folder,
        env=environment_of(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _killed(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def run(case: Case, room: Room) -> Verdict:
    """Score on a cluster while one worker, or both, are killed."""
    recipe = case.recipe
    spark = recipe["engine"] == "spark"
    if spark and shutil.which("java") is None:
        return Verdict("skipped", "no Java for Spark")
    files, counts = _parts(recipe["form"])
    case = Case(case.kind, recipe, files, case.origin)
    folder = room.base / "cluster"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with (_spark if spark else _dask)(folder) as (address, kills):
        timers = [
            threading.Timer(recipe["moment"] + 1.5 * at, kill)
            for at, kill in enumerate(kills[: 1 + recipe["both"]])
        ]
        argv = ["score", f"part-*.{recipe['form']}", *SHOWN, "--engine", address]
        job = Job(argv, seconds=SECONDS, memory=None, environment={"SPARK_LOCAL_IP": HOST})
        for timer in timers:
            timer.start()
        room.enter(case.files)
        before = Scene.of(room)
        ran = room.run(job, fresh=True)
        for timer in timers:
            timer.cancel()
            timer.join()
    shown = str(ran)
    if spark and "Traceback" not in ran.err:
        # Java and Spark write their own log there before anyone can stop them.
        lines = [x for x in ran.err.splitlines(keepends=True) if x.startswith("clustervet: ")]
        ran = replace(ran, err="".join(lines))
    verdict = judged(ran, argv)
    if Scene.of(room) != before:
        verdict = failed("the inputs were changed")
    if verdict.failed:
        return failed(f"{verdict.reason} ({recipe['engine']}, a worker killed)", shown)
    if verdict.outcome == "right" and (fault := card_fault(ran.out, counts)):
        return failed(f"wrong answer: {fault} ({recipe['engine']})", verdict.shown)
    return verdict


KIND = Kind("engines", 8, draw, run, alone=True)
