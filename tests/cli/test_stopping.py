"""Ctrl-C and SIGTERM: the command ends soon, with its code, in silence, and leaves nothing."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

MODULE = [sys.executable, "-m", "clustervet"]
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
# The promise is two seconds; a busy machine gets more.
SOON = 20
LONG = {
    "score": "score points.csv -t wide -p c0 -p c1 --confidence 0.95 --resamples 2000000",
    "chance": "score points.csv -t kind -p c0 --chance all -m vi,rand,nmi --seed 1",
    "tune": "tune points.csv --features v,w,x,y,z --k 2..400 -e gmm --jobs 2",
    "compare": "compare points.csv --labels c0,c1,c2,c3,c4,c5,c6 --starts 100000",
    "report": "report points.csv -t kind -p c0 -p c1 --features v,w,x,y,z",
    "axioms": "lab axioms --fresh --jobs 2",
}


def wake():
    """Let signals reach a process whose parent ignores them, as background jobs of a shell do."""
    for number in CODES:
        signal.signal(number, signal.SIG_DFL)


@pytest.fixture
def work(tmp_path):
    """The folder to work in, with points, classes and clusterings to work on for a minute."""
    folder = tmp_path / "work"
    folder.mkdir()
    draw = np.random.default_rng(0)
    numbers = np.hstack([draw.normal(size=(3_000, 5)), draw.integers(9, size=(3_000, 8))])
    # With this many classes tables have too many cells to leave objects out one by one.
    numbers = np.hstack([numbers, draw.integers(1_000, size=(3_000, 1))])
    names = ["v", "w", "x", "y", "z", "kind", *(f"c{k}" for k in range(7)), "wide"]
    formats = ["%.6f"] * 5 + ["%d"] * 9
    path = folder / "points.csv"
    np.savetxt(path, numbers, formats, ",", header=",".join(names), comments="")
    return folder


@pytest.fixture
def start(tmp_path, work):
    """Start a process, and give it as soon as it can be stopped; nothing may be left at the end."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    started = []

    def begin(*words):
        process = subprocess.Popen(
            words,
            cwd=work,
            env={**os.environ, "TMPDIR": str(scratch), "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=wake,
        )
        started.append(process)
        while not catches(process.pid, signal.SIGTERM):
            assert process.poll() is None, process.communicate()
            time.sleep(0.001)
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()
    assert list(scratch.iterdir()) == []


def catches(pid, number):
    """Whether a process has a handler for a signal."""
    status = Path(f"/proc/{pid}/status").read_text()
    return bool(int(status.partition("SigCgt:")[2].split()[0], 16) >> (number - 1) & 1)


def stopped(process, number=signal.SIGINT, times=1):
    """Send a signal, and return what the process says; its code must be that of the signal."""
    for _ in range(times):
        process.send_signal(number)
    out, err = process.communicate(timeout=SOON)
    assert (process.returncode, out) == (CODES[number], ""), err
    assert "Traceback" not in err
    assert "Exception" not in err
    return err


@pytest.mark.parametrize("name", LONG)
def test_long_work_is_stopped_at_any_moment(start, work, name):
    output = "new.html" if name == "report" else "new.json"
    process = start(*MODULE, *LONG[name].split(), "-o", output)
    time.sleep(random.SystemRandom().uniform(0.5, 2.5))
    assert stopped(process, random.choice(list(CODES)), times=2).count("\n") <= 1
    assert os.listdir(work) == ["points.csv"]


def test_a_demonstration_is_stopped(start, work):
    process = start(*MODULE, "demo", "--report", "new.html")
    time.sleep(random.SystemRandom().uniform(0.2, 2.5))
    stopped(process)
    assert os.listdir(work) == ["points.csv"]


def test_a_selection_is_stopped_and_goes_on(start, work):
    ask = "select points.csv --label kind --features v,w -a kmeans --runs 2 --journal run.db"
    process = start(
        *MODULE, *ask.split(), "--k", "2..400", "--jobs", "2", "--predictions", "new.csv"
    )
    journal = work / "run.db"
    while not (journal.exists() and fits(journal)):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    err = stopped(process, signal.SIGTERM)
    assert "are in run.db; the same command goes on from there." in err
    assert sorted(os.listdir(work)) == ["points.csv", "run.db"]
    kept = fits(journal)
    ran = subprocess.run(
        [*MODULE, *ask.split(), "--k", "2..3"], cwd=work, capture_output=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert fits(journal) >= kept > 0


def fits(journal):
    """How many fits a journal holds, by a copy, since the file may be locked."""
    held = journal.read_bytes()
    with closing(sqlite3.connect(":memory:")) as base:
        try:
            base.deserialize(held or bytes(512))
            return base.execute("SELECT count(*) FROM fits").fetchone()[0]
        except sqlite3.Error:
            return 0


def test_the_start_is_stopped(start, work):
    script = work / "clustervet"
    script.write_text("from clustervet.cli import main\nmain()\n")
    for command in (MODULE, [sys.executable, script]) * 3:
        process = start(*command, *LONG["score"].split())
        time.sleep(random.SystemRandom().uniform(0, 0.4))
        assert stopped(process, random.choice(list(CODES))) == ""


# Work that does not stop by itself; a script of the command's name gets its handlers.
STUCK = """
import hashlib, multiprocessing, subprocess, sys, threading, time
from pathlib import Path
from clustervet._process import removed_by, stoppable, stopped_by
from clustervet.frames.duck import session
from clustervet.frames.writing import beside

def compiled():
    hashlib.pbkdf2_hmac("sha256", b"", b"", 10**9)

def swallowing():
    while True:
        try:
            time.sleep(9)
        except BaseException:
            pass

def failing():
    try:
        time.sleep(99)
    except BaseException:
        raise ValueError("something else")

def blocked():
    with stopped_by(lambda: time.sleep(99)), removed_by(lambda: time.sleep(99)):
        swallowing()

def odd():
    import weakref
    import numba
    kept = threading.Lock()
    weakref.finalize(numba, kept.acquire)  # a function without a module
    swallowing()

def query():
    with session() as opened:
        opened.rows("SELECT sum(hash(i * j)) FROM range(1000000) a(i), range(1000000) b(j)")

def batches():
    with session() as opened:
        sql = "SELECT i * j % 999983 AS k, count(*) FROM range(1000000) a(i), range(9999) b(j) "
        list(opened.batches(sql + "GROUP BY k"))

with stoppable(), beside(Path("answer").resolve()) as made:
    made.write_text("half")
    child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(600,))
    child.start()
    print(child.pid, subprocess.Popen(["sleep", "600"]).pid, flush=True)
    globals()[sys.argv[1]]()
"""


KINDS = ["compiled", "swallowing", "failing", "blocked", "odd", "query", "batches"]


@pytest.mark.parametrize("kind", KINDS)
def test_work_that_does_not_stop_by_itself_is_ended(start, work, kind):
    script = work / "clustervet"
    script.write_text(STUCK)
    process = start(sys.executable, script, kind)
    children = process.stdout.readline().split()
    time.sleep(0.5)
    assert stopped(process) == ""
    assert sorted(os.listdir(work)) == ["clustervet", "points.csv"]
    assert len(children) == 2
    wait_until_ended(children)


def wait_until_ended(pids):
    """Wait for processes that were told to end: a busy machine may not have let them run since."""
    until = time.monotonic() + SOON
    while left := list(filter(running, pids)):
        assert time.monotonic() < until, left
        time.sleep(0.01)


def running(pid):
    """Whether a process does anything yet; one that nobody waits for stays in the list."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_signal_that_is_ignored_stays_so(start):
    code = "import os, signal, sys; signal.signal(2, signal.SIG_IGN); "
    code += "os.execv(sys.argv[1], sys.argv[1:])"
    process = start(sys.executable, "-c", code, *MODULE, *LONG["score"].split())
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None
    stopped(process, signal.SIGTERM)


def test_the_library_leaves_signals_alone():
    code = "import signal, clustervet, clustervet.cli; print(*map(signal.getsignal, (2, 15)))"
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, preexec_fn=wake
    )
    assert "default_int_handler" in ran.stdout
    assert "SIG_DFL" in ran.stdout or ran.stdout.endswith("0\n")


def test_what_threads_run_is_not_unloaded_when_a_signal_ends_the_process():
    program = """
import tempfile, weakref
from numba import njit
from clustervet import _process
assert njit(lambda x: x + 1)(1) == 2
homes = lambda found: [each.peek()[1].__module__.partition(".")[0] for each in found]
assert "numba" in homes(weakref.finalize._registry)
first, second = tempfile.TemporaryDirectory(), tempfile.TemporaryDirectory()
called = _process._finalizers()
assert "numba" not in homes(called)
assert [each.peek()[0] for each in called[:2]] == [second, first]
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr
