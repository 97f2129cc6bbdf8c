"""Make small random changes to the source, one at a time, and see whether the tests notice.

    python tests/mutants/run_mutants.py --sample 200 --seed 0 --room inference

1. Each test file is run once under a tracer, which records the lines that each test runs. The
   records are kept in `.mutants/` and made again where the test file or a source file that it
   runs has changed.
2. A seeded sample of changes is drawn, evenly over the rooms and over the kinds of change.
3. Each change is made in a copy of the project, and the tests that reach its line are run there,
   those of the room first and then the quickest, until one fails. Tests that together took longer
   than `--limit` seconds are left out. A run that takes much longer than it should is stopped and
   counts as noticed.

A change that no test can notice is listed in `equivalent.toml` with the reason.

`_kernels` is left out: no tracer sees a compiled line, and each change would compile all kernels
again; the oracles of `external`, `internal` and `ensemble` check what they compute. `_numeric` is
compiled too, and runs with an empty cache.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import functools
import hashlib
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from source_changes import Change, changes_of, still_compiles

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KEPT = ROOT / ".mutants"
EQUIVALENT = HERE / "equivalent.toml"
AIM = 0.92
LEFT_OUT = {"_kernels", "__main__"}
UNCOPIED = (".git", ".venv", ".mutants", ".hypothesis", ".bench", "site", "dist", "build")
# Tests of the project as a whole, whose failure says nothing about a changed line.
WHOLE = ("tests/mutants/", "tests/test_docs.py")
# A line that gives a name in capitals its value.
CONSTANT = re.compile(r"([A-Z][A-Z0-9_]{2,})\b[^()]*?=")
# This test looks at every public default and calls none of the functions.
OF_DEFAULTS = "tests/common/test_defaults.py::test_no_default_changes_unnoticed"
# Imported once, before the processes that run tests are forked: nothing that starts threads.
PRELOADED = ("numba", "pandas", "pytest", "scipy.stats", "sklearn.cluster", "typer")


@dataclass
class Outcome:
    """What became of one change."""

    change: Change
    noticed: bool
    by: str
    seconds: float
    tests: int


# Sources and changes


def source_files(room: str | None = None) -> list[Path]:
    """Return the files in which changes are made: all, those of a room, or one, `room/file`."""
    files = sorted((ROOT / "src" / "clustervet").rglob("*.py"))
    kept = [path for path in files if room_of(path) not in LEFT_OUT]
    if room is not None and "/" in room:
        return [path for path in kept if path.as_posix().endswith(f"/{room}.py")]
    return [path for path in kept if room in (None, room_of(path))]


def room_of(path: Path) -> str:
    """Return the room of a file of the package."""
    return path.relative_to(ROOT / "src" / "clustervet").parts[0].removesuffix(".py")


@functools.cache
def changes_in(path: Path) -> list[Change]:
    """Return every change that can be made to a file."""
    return changes_of(path.read_bytes(), path.relative_to(ROOT).as_posix())


def possible_changes(room: str | None = None) -> dict[str, list[Change]]:
    """Return every change by room."""
    found: dict[str, list[Change]] = defaultdict(list)
    for path in source_files(room):
        found[room_of(path)] += changes_in(path)
    return found


def draw(changes: list[Change], seed: str) -> Iterator[Change]:
    """Yield changes in a random order in which the kinds take turns."""
    rng = random.Random(seed)
    by_kind: dict[str, list[Change]] = defaultdict(list)
    for change in changes:
        by_kind[change.kind].append(change)
    kinds = sorted(by_kind)
    for kind in kinds:
        rng.shuffle(by_kind[kind])
    rng.shuffle(kinds)
    for turn in zip_longest(*(by_kind[kind] for kind in kinds)):
        for change in turn:
            if change is not None and still_compiles(change, (ROOT / change.file).read_bytes()):
                yield change


def sampled(size: int, seed: int, room: str | None) -> list[Change]:
    """Return a sample that is spread over the rooms."""
    rooms = [draw(found, f"{seed} {name}") for name, found in possible_changes(room).items()]
    turns = chain.from_iterable(zip_longest(*rooms))
    found: list[Change] = []
    for change in turns:
        if len(found) == size:
            break
        if change is not None:
            found.append(change)
    return sorted(found, key=lambda change: (change.room, change.file, change.line))


def known_equivalents() -> dict[tuple[str, str, str, str], str]:
    """Return the changes that no test can notice, with the reasons."""
    entries = tomllib.loads(EQUIVALENT.read_text())["equivalent"]
    return {(e["file"], e["function"], e["before"], e["after"]): e["reason"] for e in entries}


def stale_equivalents() -> list[str]:
    """Return the listed changes that the source no longer has room for."""
    stale = []
    for key in known_equivalents():
        path = ROOT / key[0]
        if not path.exists() or key not in {change.key for change in changes_in(path)}:
            stale.append(" | ".join(key))
    return stale


# Processes


def forked(work: Callable[[], int], log: Path, seconds: float) -> Generator[None, None, int | None]:
    """Run some work in a process of its own, and return its exit code.

    It is stopped after some seconds, and then there is no exit code.
    """
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.setsid()
            handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
            os.dup2(handle, 1)
            os.dup2(handle, 2)
            code = work()
        finally:
            sys.stdout.flush()
            os._exit(code)
    end = time.monotonic() + seconds
    status = None
    try:
        while time.monotonic() < end and status is None:
            yield
            done, found = os.waitpid(pid, os.WNOHANG)
            status = found if done else None
    finally:
        # Whatever the tests left running belongs to the group; an interrupt ends here too.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        if status is None:
            os.waitpid(pid, 0)
    return None if status is None else os.waitstatus_to_exitcode(status)


def pytest_in(folder: Path, arguments: list[str]) -> int:
    """Run pytest in a copy of the project."""
    import pytest

    os.chdir(folder)
    source = str(folder / "src")
    sys.path[:0] = [source, str(HERE)]
    os.environ["PYTHONPATH"] = source
    options = ["-q", "-x", "--no-header", "--tb=short", "-p", "no:cacheprovider"]
    fixed = ["--randomly-seed=0", "--randomly-dont-reorganize", "--hypothesis-seed=0"]
    return int(pytest.main([*options, *fixed, "-p", "reached_lines", *arguments]))


def side_by_side(tasks: list[Any], jobs: int) -> None:
    """Run tasks, which are generators, some of them at a time."""
    waiting, running = iter(tasks), []
    while True:
        while len(running) < jobs and (task := next(waiting, None)) is not None:
            running.append(task)
        if not running:
            return
        running = [task for task in running if next(task, _ENDED) is not _ENDED]
        time.sleep(0.02)


_ENDED = object()


def copy_project(folder: Path) -> Path:
    """Copy the project, with compiled kernels and the times of the files."""
    shutil.copytree(ROOT, folder, symlinks=True, ignore=shutil.ignore_patterns(*UNCOPIED))
    (folder / ".venv").symlink_to(ROOT / ".venv")
    return folder


# Lines that tests reach


def digest(*paths: Path) -> str:
    """Return a digest of the contents of files."""
    found = hashlib.sha256()
    for path in paths:
        found.update(path.read_bytes() if path.exists() else b"gone")
    return found.hexdigest()[:16]


def test_groups() -> dict[str, list[Path]]:
    """Return what is recorded together, with the files that it is made of."""
    groups: dict[str, list[Path]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(WHOLE):
            helpers = [p for p in path.parent.glob("*.py") if not p.name.startswith("test_")]
            groups[name] = [path, *sorted(helpers)]
    for room in sorted({room_of(path) for path in source_files()}):
        files = [path for path in source_files(room) if b">>>" in path.read_bytes()]
        if files:
            groups[f"the examples of {room}"] = files
    return groups


def recorded(jobs: int, only: list[str] | None = None) -> dict[str, dict[str, Any]]:
    """Return the tests with their lines, times and outcomes; record those that changed."""
    folder = KEPT / "lines"
    folder.mkdir(parents=True, exist_ok=True)
    groups = test_groups()
    parts = [""] if only is None else only
    wanted = dict.fromkeys(name for part in parts for name in groups if part in name)
    stale = [name for name in wanted if not _is_fresh(name, groups[name], folder)]
    if stale:
        print(f"recording the lines that the tests of {len(stale)} files reach", flush=True)
        side_by_side([_record(name, groups[name], folder) for name in stale], jobs)
    tests: dict[str, dict[str, Any]] = {}
    for name in groups:
        path = folder / _flat(name)
        if path.exists():
            tests.update(json.loads(path.read_text())["tests"])
    return tests


def _flat(name: str) -> str:
    return name.replace("/", "-").replace(" ", "-") + ".json"


def _is_fresh(name: str, files: list[Path], folder: Path) -> bool:
    path = folder / _flat(name)
    if not path.exists():
        return False
    kept = json.loads(path.read_text())
    if not all(test["passed"] for test in kept["tests"].values()):
        return False  # it may have failed for what has changed since
    package = ROOT / "src" / "clustervet"
    reached = [package / file for file in kept["files"]]
    return bool(kept["digest"] == digest(*files, *reached))


def _record(name: str, files: list[Path], folder: Path) -> Iterator[None]:
    target, log = folder / (_flat(name) + ".new"), folder / (_flat(name) + ".log")
    began = time.monotonic()
    arguments = [str(files[0])]
    if name.startswith("the examples"):  # of all files, whose functions are no tests
        arguments = [*map(str, files), "-o", "python_functions=none"]
    arguments += ["--record-lines", str(target), "--maxfail=1000"]
    code = yield from forked(lambda: pytest_in(ROOT, arguments), log, 3600)
    print(f"  {time.monotonic() - began:6.1f} s  {name} (exit {code})", flush=True)
    if not target.exists():
        print(f"  not recorded; see {log}", flush=True)
        return
    tests = json.loads(target.read_text())
    reached = sorted({file for test in tests.values() for file in test["lines"]})
    package = ROOT / "src" / "clustervet"
    kept = {
        "digest": digest(*files, *(package / file for file in reached)),
        "files": reached,
        "tests": tests,
    }
    (folder / _flat(name)).write_text(json.dumps(kept))
    target.unlink()
    if code == 0:
        log.unlink()


def lines_naming(constant: str) -> list[tuple[str, int]]:
    """Return the files and lines of the package and of its tests that name a constant."""
    word = re.compile(rf"\b{constant}\b")
    return [place for place, text in _all_lines() if word.search(text)]


@functools.cache
def _all_lines() -> list[tuple[tuple[str, int], str]]:
    files = chain(source_files(), (ROOT / "tests").rglob("test_*.py"))
    return [
        ((path.relative_to(ROOT).as_posix(), number), text)
        for path in files
        for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    ]


class Reach:
    """The tests that reach a line."""

    def __init__(self, tests: dict[str, dict[str, Any]]) -> None:
        self.seconds = {name: test["seconds"] for name, test in tests.items()}
        self.by_line: dict[tuple[str, int], set[str]] = defaultdict(set)
        for name, test in tests.items():
            if test["passed"]:
                for file, lines in test["lines"].items():
                    for line in lines:
                        self.by_line[file, line].add(name)

    def tests(self, change: Change, limit: float) -> list[str]:
        """Return the tests that reach a change: those of its room first, then the quickest.

        Those of a constant are the tests that name it, and then those that reach a line that does.
        """
        file = change.file.removeprefix("src/clustervet/")
        lines = change.lines if change.body is None else change.body
        found = set().union(*(self.by_line.get((file, line), ()) for line in lines))
        near: tuple[str, ...] = (OF_DEFAULTS, f"tests/{change.room}/", change.file)
        if change.kind == "default" and OF_DEFAULTS in self.seconds:
            found.add(OF_DEFAULTS)
        using: set[str] = set()
        if constant := CONSTANT.match(change.before):
            places = lines_naming(constant[1])
            naming = tuple({f"{file}::" for file, _ in places if file.startswith("tests/")})
            near = naming or near
            found.update(test for test in self.seconds if naming and test.startswith(naming))
            inside = {(f.removeprefix("src/clustervet/"), line) for f, line in places}
            using.update(*(self.by_line.get(place, ()) for place in inside))
        order = sorted(
            found,
            key=lambda test: (
                not test.startswith(near), test not in using, self.seconds[test], test
            ),
        )  # fmt: skip
        left = limit
        chosen = []
        for test in order:
            if self.seconds[test] <= left:
                left -= self.seconds[test]
                chosen.append(test)
        return chosen


def unreached_functions(tests: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Yield the functions that no test runs."""
    reached = {
        (f, line) for test in tests.values() for f, lines in test["lines"].items() for line in lines
    }
    for path in source_files():
        file = path.relative_to(ROOT / "src" / "clustervet").as_posix()
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                if all(
                    isinstance(getattr(part, "value", None), ast.Constant) for part in node.body
                ):
                    continue  # it only says what others do
                body = range(node.body[0].lineno, (node.end_lineno or 0) + 1)
                if not any((file, line) in reached for line in body):
                    yield f"src/clustervet/{file}:{node.lineno} {node.name}"


# Running


def try_changes(changes: list[Change], reach: Reach, limit: float, jobs: int) -> list[Outcome]:
    """Make each change in a copy and run the tests that reach it."""
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        copies = [copy_project(Path(name) / str(job)) for job in range(jobs)]
        queue = iter(changes)
        tasks = [_try_in_turn(copy, queue, reach, limit, outcomes) for copy in copies]
        side_by_side(tasks, jobs)
    return outcomes


def _try_in_turn(
    copy: Path, queue: Iterator[Change], reach: Reach, limit: float, outcomes: list[Outcome]
) -> Iterator[None]:
    for change in queue:
        outcome = yield from _try(change, copy, reach, limit)
        outcomes.append(outcome)
        word = "noticed" if outcome.noticed else "UNNOTICED"
        print(
            f"[{len(outcomes)}] {word} in {outcome.seconds:.0f} s by {outcome.by}\n  {change}",
            flush=True,
        )


def _try(change: Change, copy: Path, reach: Reach, limit: float) -> Generator[None, None, Outcome]:
    chosen = reach.tests(change, limit)
    if not chosen:
        return Outcome(change, False, "no test, for none reaches it", 0.0, 0)
    path = copy / change.file
    source, times = path.read_bytes(), path.stat()
    listed = copy.parent / f"{copy.name}.tests"
    failed = Path(f"{listed}.failed")
    failed.unlink(missing_ok=True)
    listed.write_text("\n".join(chosen))
    files = list(dict.fromkeys(test.partition("::")[0] for test in chosen))
    began = time.monotonic()

    def work() -> int:
        import numba

        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        sys.dont_write_bytecode = True
        if change.room == "_numeric":
            fresh = tempfile.mkdtemp(dir=copy.parent)
            os.environ["NUMBA_CACHE_DIR"] = numba.config.CACHE_DIR = fresh
        return pytest_in(copy, [*files, "--chosen-tests", str(listed)])

    path.write_bytes(change.apply(source))
    try:
        allowed = 60 + 4 * sum(reach.seconds[test] for test in chosen)
        code = yield from forked(work, copy.parent / f"{copy.name}.log", allowed)
    finally:
        path.write_bytes(source)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    if code is None:
        by = "the time limit"
    elif failed.exists():
        by = failed.read_text()
    else:
        by = "an error before the first test" if code else f"none of {len(chosen)} tests"
    return Outcome(change, code != 0, by, time.monotonic() - began, len(chosen))


def figures(outcomes: list[Outcome], equivalent: list[Change]) -> tuple[str, float]:
    """Return a table by room, and the share that was noticed."""
    rooms = sorted({c.room for c in equivalent} | {o.change.room for o in outcomes})
    rows = []
    for room in rooms:
        own = [outcome for outcome in outcomes if outcome.change.room == room]
        noticed = sum(outcome.noticed for outcome in own)
        same = sum(change.room == room for change in equivalent)
        rows.append((room, noticed, len(own) - noticed, same))
    total = ("all", *(sum(row[at] for row in rows) for at in (1, 2, 3)))
    lines = [f"{'room':<14}{'noticed':>9}{'unnoticed':>11}{'equivalent':>12}"]
    lines += [f"{room:<14}{a:>9}{b:>11}{c:>12}" for room, a, b, c in (*rows, total)]
    share = total[1] / max(1, total[1] + total[2])
    lines.append(f"noticed: {share:.1%} of those that are not equivalent (aim: {AIM:.0%})")
    return "\n".join(lines), share


def main() -> int:
    """Run a sample; return 1 if too few changes were noticed or the list is stale."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sample", type=int, default=200, help="number of changes")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample")
    parser.add_argument(
        "--room", default=None, help="change only this room, or this file: room/file"
    )
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of tests per change")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at once")
    parser.add_argument("--record-only", nargs="*", help="record tests whose files have such names")
    parser.add_argument("--as-recorded", action="store_true", help="record nothing, not even now")
    parser.add_argument("--unreached", action="store_true", help="list functions no test runs")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if stale := stale_equivalents():
        print("listed as equivalent, but no longer in the source:", *stale, sep="\n  ")
        return 1
    for name in PRELOADED:
        __import__(name)
    tests = recorded(given.jobs, [] if given.as_recorded else given.record_only)
    if given.record_only is not None:
        return 0
    if given.unreached:
        print(*unreached_functions(tests), sep="\n")
        return 0
    failing = [name for name, test in tests.items() if not test["passed"]]
    if failing:
        print("left out, for they fail without any change:", *failing, sep="\n  ")
    known = known_equivalents()
    sample = sampled(given.sample, given.seed, given.room or None)
    equivalent = [change for change in sample if change.key in known]
    tried = [change for change in sample if change.key not in known]
    began = time.monotonic()
    outcomes = try_changes(tried, Reach(tests), given.limit, given.jobs)
    text, share = figures(outcomes, equivalent)
    print(f"\n{text}\n{len(sample)} changes in {(time.monotonic() - began) / 60:.0f} minutes")
    for title, listed in (
        ("unnoticed", [o.change for o in outcomes if not o.noticed]),
        ("equivalent", equivalent),
    ):
        if listed:
            print(f"\n{title}:")
        for change in listed:
            print(f"  {change}")
            if change.key in known:
                print(f"    {known[change.key]}")
    return 0 if share >= AIM else 1


if __name__ == "__main__":
    sys.exit(main())
