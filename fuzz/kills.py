"""Signals at random moments: nothing half written, nothing lost, and a quick, quiet end."""

from __future__ import annotations

import random
import signal
from collections.abc import Iterator
from typing import Any

from fuzz.cases import ROOT, Case, Kind, Verdict, failed, right
from fuzz.forged import without_times
from fuzz.grammar import columns_of, delimited
from fuzz.rooms import FOREIGN, Job, Ran, Room, Scene, command_of, crowded, disturbed

SIGNALS = {"INT": signal.SIGINT, "TERM": signal.SIGTERM, "KILL": signal.SIGKILL}
# A shell shows both as 130, 143 and 137.
CODES = {"INT": (130, -signal.SIGINT), "TERM": (143, -signal.SIGTERM), "KILL": (-signal.SIGKILL,)}
# Two seconds are promised; a busy machine gets a few more, and more again the busier it is.
PATIENCE = 5.0
# Commands that run for some seconds, and what they write.
LONG: dict[str, tuple[list[str], list[str]]] = {
    "score": (
        ["score", "wide.csv", "-t", "y", "-p", "c", "--confidence", "0.95", "--resamples",
         "2000000", "--seed", "1", "-o", "../out/a.json"], ["a.json"]),
    "chance": (
        ["score", "table.csv", "-t", "y", "-p", "c", "--chance", "all", "--diagnose", "--seed", "1",
         "--report", "../out/r.html"], ["r.html"]),
    "compare": (
        ["compare", "many.csv", "--consensus", "../out/c.csv", "-o", "../out/a.json", "--starts",
         "200"], ["c.csv", "a.json"]),
    "tune": (
        ["tune", "points.csv", "--k", "2..12", "--bootstrap", "50", "--labels", "../out/l.csv",
         "-o", "../out/a.md"], ["l.csv", "a.md"]),
    "report": (
        ["report", "table.csv", "-t", "y", "-p", "c", "--features", "x1,x2", "-o", "../out/r.html"],
        ["r.html"]),
    "build": (
        ["table", "build", "table.csv", "-t", "y", "-p", "c", "-o", "../out/t.parquet"],
        ["t.parquet"]),
    "desiderata": (["lab", "desiderata", "-m", "all", "-o", "../out/a.csv"], ["a.csv"]),
    "axioms": (["lab", "axioms", "-m", "vi,ari", "--fresh", "-o", "../out/a.csv"], ["a.csv"]),
    "demo": (["demo", "--report", "../out/r.html"], ["r.html"]),
}  # fmt: skip
SELECT = ["select", "points.csv", "-l", "y", "--k", "2..6", "--runs", "6", "-a", "kmeans,gmm",
          "--seed", "3", "--journal", "../out/run.db", "-o", "../out/a.json", "--predictions",
          "../out/p.csv"]  # fmt: skip


def draw(rng: random.Random) -> Case:
    """Draw a command and the moments of its signals."""
    how = rng.choice(("select", "select", "long", "long", "long", "start"))
    name = rng.choice(("INT", "INT", "TERM", "KILL"))
    if how == "select":
        kills = [
            [rng.choice(("INT", "TERM", "KILL")), round(rng.uniform(0.02, 2.5), 4)]
            for _ in range(rng.randint(1, 4))
        ]
        return Case("kills", {"how": how, "kills": kills, "jobs": rng.choice((1, 2))}, _inputs(400))
    command = rng.choice(list(LONG))
    most = 2.5 if how == "start" else rng.choice((0.5, 3.0, 6.0))
    moments = [round(rng.uniform(0.0, most), 4)]
    if rng.random() < 0.25:
        moments.append(round(moments[0] + rng.uniform(0, 0.5), 4))
    recipe = {"how": how, "command": command, "signal": name, "moments": moments}
    return Case("kills", recipe, _inputs(2_000))


def _inputs(rows: int) -> dict[str, bytes]:
    rng = random.Random(rows)
    columns = columns_of(rng, "plain", rows, ("y", "c"))
    many = {f"r{k}": [rng.randrange(8) for _ in range(rows)] for k in range(12)}
    points = {name: columns[name] for name in ("y", "x1", "x2")}
    # More cells than are left out one by one, so that intervals need resamples.
    wide = {"y": [k % 61 for k in range(2_500)], "c": [k % 59 for k in range(2_500)]}
    return {
        "table.csv": delimited(columns),
        "many.csv": delimited(many),
        "wide.csv": delimited(wide),
        "points.csv": delimited(points),
    }


def run(case: Case, room: Room) -> Verdict:
    """Run the command, signal it, and look at what is left."""
    return _run_select(case, room) if case.recipe["how"] == "select" else _run_long(case, room)


def end_fault(ran: Ran, name: str) -> str:
    """Return what is wrong with the end of a run that was signalled; nothing if nothing is."""
    if ran.timed_out:
        return f"no end at all after SIG{name}"
    if ran.code == 0 or name == "KILL":
        return "" if ran.code in (0, *CODES["KILL"]) else f"exit code {ran.code} after SIGKILL"
    if "Traceback" in ran.err and str(ROOT / "src") not in ran.err:
        return ""  # Python itself was interrupted, before the first line of the product
    if found := FOREIGN.search(ran.err):
        return f"{found[0]!r} on standard error after SIG{name}"
    if ran.code not in CODES[name]:
        last = (ran.err.strip().splitlines() or [""])[-1]
        return f"exit code {ran.code} after SIG{name}: {last[:120]}"
    if ran.late > PATIENCE * crowded():
        return f"an end only {ran.late:.0f} s after SIG{name}"
    return ""


def _run_long(case: Case, room: Room) -> Verdict:
    recipe = case.recipe
    argv, outputs = LONG[recipe["command"]]
    name = recipe["signal"]
    signals = [(moment, int(SIGNALS[name])) for moment in recipe["moments"]]
    room.enter(case.files)
    before = Scene.of(room)
    job = Job(argv, signals=signals, memory=None)
    ran = room.run(job, fresh=recipe["how"] == "start")
    shown = f"{command_of(argv)}\nSIG{name} after {recipe['moments']} s\n{ran}"
    if fault := end_fault(ran, name):
        return failed(f"{fault} ({recipe['command']})", shown)
    if name != "KILL":
        whole = [f"out/{output}" for output in outputs]
        if fault := disturbed(room, before, whole):
            return failed(f"{fault} after SIG{name} ({recipe['command']})", shown)
    for output in outputs:
        path = room.outputs / output
        if path.exists() and not _is_whole(path.read_bytes(), output):
            return failed(f"{output} is half written after SIG{name}", shown)
    return right()


def _is_whole(content: bytes, name: str) -> bool:
    """Return whether a file has the end that its kind has."""
    ends = {"json": b"}\n", "html": b"</html>", "parquet": b"PAR1"}
    return content.rstrip(b" ").endswith((ends.get(name.rpartition(".")[2], b"\n"), b"</html>\n"))


def _run_select(case: Case, room: Room) -> Verdict:
    recipe = case.recipe
    argv = [*SELECT, "--jobs", str(recipe["jobs"])]
    room.enter(case.files)
    ran = room.run(Job(argv, memory=None))
    if ran.code:
        return failed(f"a selection without a kill: exit code {ran.code}", str(ran))
    wanted = _results(room)
    room.enter(case.files)
    before = Scene.of(room)
    allowed = ["out/run.db", "out/a.json", "out/p.csv"]
    shown = [command_of(argv)]
    for name, moment in recipe["kills"]:
        _forget(room)
        ran = room.run(Job(argv, signals=[(moment, int(SIGNALS[name]))], memory=None))
        shown.append(f"SIG{name} after {moment} s\n{ran}")
        if fault := end_fault(ran, name):
            return failed(f"{fault} (select)", "\n".join(shown))
        if name == "KILL":  # what SQLite keeps then goes when the journal is next opened
            allowed.append("out/run.db-journal")
        elif fault := disturbed(room, before, allowed):
            return failed(f"{fault} after SIG{name} (select)", "\n".join(shown))
    _forget(room)
    ran = room.run(Job(argv, memory=None))
    shown.append(f"resumed\n{ran}")
    if ran.code:
        return failed(f"exit code {ran.code} when resumed", "\n".join(shown))
    if _results(room) != wanted:
        return failed("another result after a kill", "\n".join(shown))
    return right(len(recipe["kills"]))


def _forget(room: Room) -> None:
    """Remove what the run before has printed and written, but for its journal."""
    for name in ("log/out", "log/err", "out/a.json", "out/p.csv"):
        (room.base / name).unlink(missing_ok=True)


def _results(room: Room) -> Any:
    answer = without_times((room.outputs / "a.json").read_text(encoding="utf-8"))
    return answer, (room.outputs / "p.csv").read_bytes()


def smaller(case: Case) -> Iterator[Case]:
    """Yield cases with fewer signals."""
    for key in ("kills", "moments"):
        items = case.recipe.get(key, [])
        if len(items) > 1:
            yield from (case.having(**{key: items[:k] + items[k + 1 :]}) for k in range(len(items)))


KIND = Kind("kills", 8, draw, run, smaller)
