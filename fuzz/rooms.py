"""A room to run the product in: folders of its own, limits, and what must not change.

Starting Python and importing the product takes a second or two. A server that has imported
everything is started once, and forks a child for every run, so that hundreds per minute are
possible. A failure counts only if a process of its own, started afresh, shows it too.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from fuzz.cases import ROOT, Case, Verdict, failed

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MEGABYTE = 2**20
# Beyond what the process has when it begins: inputs are small, so no answer needs more.
MEMORY = 3 * 1024 * MEGABYTE
# No input of the attack gives work for longer than this, on a busy machine.
SECONDS = 90.0
# What a fresh process needs for imports, on a busy machine.
START = 30.0


@dataclass(frozen=True)
class Job:
    """A run of the command line, or a call of a function of the attack.

    Attributes
    ----------
    argv : list of str
        Arguments after `clustervet`.
    call : str
        A function as module:name that is called with `argument` instead.
    memory, file_size : int, optional
        Limits in bytes: memory beyond that of the start, and the size of a file.
    seconds : float
        When it is ended, as a failure.
    signals : list
        Pairs of a moment in seconds and a signal.
    stdin, stdout : str
        Files.
    environment : dict
        Variables to set.
    """

    argv: Sequence[str] = ()
    call: str = ""
    argument: Any = None
    memory: int | None = MEMORY
    file_size: int | None = None
    seconds: float = SECONDS
    signals: Sequence[tuple[float, int]] = ()
    stdin: str = os.devnull
    stdout: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Ran:
    """What a run left behind; `code` is minus the signal that ended it."""

    code: int
    out: str
    err: str
    seconds: float
    late: float
    timed_out: bool
    peak: int

    def __str__(self) -> str:
        end = f"exit code {self.code} after {self.seconds:.1f} s"
        late = f", {self.late:.1f} s after the first signal" if self.late else ""
        ended = ", ended by the time limit" if self.timed_out else ""
        memory = f", {self.peak // 1024} MB at most"
        return (
            f"{end}{late}{ended}{memory}\n==== standard output\n{self.out[:20_000]}\n"
            f"==== standard error\n{self.err[:20_000]}"
        )


def crowded() -> float:
    """Return how many processes want each core, at least 1; limits of time are longer by it."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def watch(pid: int, seconds: float, signals: Sequence[tuple[float, int]]) -> dict[str, Any]:
    """Wait for a process that leads its own group; send it signals, and end it when time is up."""
    began = time.monotonic()
    left, first, pause, timed_out = sorted(signals), 0.0, 0.001, False
    while True:
        ended, status, usage = os.wait4(pid, os.WNOHANG)
        now = time.monotonic()
        if ended:
            break
        if left and now - began >= left[0][0]:
            _, number = left.pop(0)
            first = first or now
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        if not timed_out and now - began > seconds and now - began > seconds * crowded():
            timed_out = True
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGUSR1)
                time.sleep(1.0)
                os.killpg(pid, signal.SIGKILL)
        until = left[0][0] - (now - began) if left else pause
        time.sleep(max(0.0005, min(pause, until)))
        pause = min(pause * 1.3, 0.02)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)  # children that it left behind
    return {
        "code": os.waitstatus_to_exitcode(status),
        "seconds": now - began,
        "late": now - first if first else 0.0,
        "timed_out": timed_out,
        "peak": usage.ru_maxrss,
    }


class Server:
    """A process that has imported the product, and forks a child for every job."""

    def __init__(self, before: str = "", preload: str = "") -> None:
        requests, ours = os.pipe()
        mine, replies = os.pipe()
        environment = environment_of(before)
        if preload:
            environment["LD_PRELOAD"] = preload
        self._process = subprocess.Popen(
            [sys.executable, "-m", "fuzz.server", str(requests), str(replies)],
            pass_fds=(requests, replies),
            env=environment,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(requests)
        os.close(replies)
        self._requests: IO[str] = os.fdopen(ours, "w", encoding="utf-8")
        self._replies: IO[str] = os.fdopen(mine, "r", encoding="utf-8")

    def run(self, job: Job, base: Path) -> dict[str, Any]:
        """Run a job in a child, and return how it ended."""
        request = asdict(job) | {"base": str(base)}
        try:
            self._requests.write(json.dumps(request) + "\n")
            self._requests.flush()
            reply = self._replies.readline()
        except BrokenPipeError:
            reply = ""
        if not reply:
            raise RuntimeError("the server of the attack has ended; this is no fault of a case.")
        answer: dict[str, Any] = json.loads(reply)
        return answer

    def close(self) -> None:
        """End the process."""
        with contextlib.suppress(BrokenPipeError):
            self._requests.close()
        self._replies.close()
        self._process.wait(timeout=60)


def environment_of(before: str = "") -> dict[str, str]:
    """Return the environment of the product, which finds it and the attack first."""
    paths = [str(ROOT / "src"), str(ROOT), str(ROOT / "tests" / "external")]
    paths += [path for path in [os.environ.get("PYTHONPATH", "")] if path]
    found = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "FUZZ_BEFORE": before}
    found["CLUSTERVET_QUIET"] = "1"  # what was compiled before is no matter
    for name in ("COLUMNS", "FORCE_COLOR", "PYTHONWARNINGS", "LD_PRELOAD"):
        found.pop(name, None)
    return found


class Room:
    """Folders for one case at a time, and the servers and browser that its cases share.

    Parameters
    ----------
    before : str, optional
        Python code that every process runs before the product, such as a planted fault.
    """

    def __init__(self, before: str = "") -> None:
        self.before = before
        self.base = Path(tempfile.mkdtemp(prefix="clustervet-attack-"))
        self._servers: dict[str, Server] = {}
        self._browser: contextlib.ExitStack | None = None
        self._opened: Browser | None = None
        self.fresh_only = False

    @property
    def inputs(self) -> Path:
        """The folder of the input files, where commands run."""
        return self.base / "in"

    @property
    def outputs(self) -> Path:
        """The folder in which commands write."""
        return self.base / "out"

    def enter(self, files: Mapping[str, bytes]) -> None:
        """Empty the folders, and write the input files."""
        for name in ("in", "out", "tmp", "home", "log"):
            shutil.rmtree(self.base / name, ignore_errors=True)
            (self.base / name).mkdir()
        # A hard link needs the file that it is a link to.
        for name, content in sorted(files.items(), key=lambda file: file[1][:9] == b"hardlink:"):
            path = self.inputs / os.fsdecode(name.encode("utf-8", "surrogateescape"))
            path.parent.mkdir(parents=True, exist_ok=True)
            if content.startswith(b"symlink:"):
                path.symlink_to(os.fsdecode(content[8:]))
            elif content.startswith(b"hardlink:"):
                os.link(self.inputs / os.fsdecode(content[9:]), path)
            else:
                path.write_bytes(content)

    def run(self, job: Job, *, fresh: bool = False, preload: str = "") -> Ran:
        """Run a job in a forked child, or in a process of its own."""
        if fresh or self.fresh_only:
            ended = self._run_fresh(job, preload)
        else:
            if preload not in self._servers:
                self._servers[preload] = Server(self.before, preload)
            ended = self._servers[preload].run(job, self.base)
        out, err = (
            _text(path)
            for path in (Path(job.stdout or self.base / "log/out"), self.base / "log" / "err")
        )
        return Ran(out=out, err=err, **ended)

    def _run_fresh(self, job: Job, preload: str) -> dict[str, Any]:
        environment = environment_of(self.before)
        if preload:
            environment["LD_PRELOAD"] = preload
        request = json.dumps(asdict(job) | {"base": str(self.base)})
        ready, told = os.pipe()
        with subprocess.Popen(
            [sys.executable, str(ROOT / "fuzz" / "fresh.py"), request, str(told)],
            pass_fds=(told,),
            env=environment,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            os.close(told)
            os.read(ready, 1)  # moments of signals count from here
            os.close(ready)
            ended = watch(process.pid, job.seconds + START, job.signals)
            process.returncode = ended["code"]
        return ended

    def browser(self) -> Browser:
        """Return a Chromium that is started when it is first needed."""
        if self._opened is None:
            from playwright.sync_api import sync_playwright

            stack = contextlib.ExitStack()
            playwright = stack.enter_context(sync_playwright())
            path = shutil.which("chromium")
            self._opened = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
            stack.callback(self._opened.close)
            self._browser = stack
        return self._opened

    def close(self) -> None:
        """End the servers and the browser, and remove the folders."""
        for server in self._servers.values():
            server.close()
        if self._browser is not None:
            self._browser.close()
        shutil.rmtree(self.base, ignore_errors=True)

    def __enter__(self) -> Room:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _text(path: Path) -> str:
    if not path.is_file():
        return ""
    with path.open("rb") as stream:
        return stream.read(20 * MEGABYTE).decode("utf-8", "backslashreplace")


# What a user must never read: another program's exceptions, types, addresses and temporary files.
FOREIGN = re.compile(
    r"Traceback|\b\w+ Error: |exception_type|std::|\bstd\b.*terminate|\bC\+\+|"
    r"(duckdb|pyarrow|polars)\.\w|Arrow(Invalid|NotImpl|TypeError|Key)|ComputeError|SchemaError|"
    r"py4j|org\.apache|java\.\w|0x[0-9a-f]{6,}|<class '|object at |\.clustervet-|"
    r"clustervet-attack-\w+/tmp/|site-packages|\bUserWarning|RuntimeWarning|ConvergenceWarning|"
    r"DeprecationWarning|\w+(Error|Exception)\b.*\bat line|INTERNAL"
)
# A label that is the text of an object of Python, in the quotes in which labels are shown.
QUOTED_OBJECT = re.compile(r"'<object object at [^']*'")


def command_of(argv: Sequence[str]) -> str:
    """Return a run of the command line as a line for a shell."""
    return shlex.join(["clustervet", *argv])


def sentence_fault(text: str) -> str:
    """Return what keeps a message from being one clear sentence; nothing if nothing does."""
    if not text.strip():
        return "the message is empty"
    if found := FOREIGN.search(QUOTED_OBJECT.sub("", text)):
        return f"the message has words of another program: {found[0]!r}"
    if len(text.splitlines()) > 1:
        return f"the message has {len(text.splitlines())} lines"
    line = text.rstrip("\n")
    if not line.isprintable():
        return "the message has characters that cannot be printed"
    if not line.endswith((".", "?", "!")):
        return "the message is no whole sentence"
    return ""


@dataclass(frozen=True)
class Scene:
    """What is in the folders before a run, to hold against what is there after it."""

    inputs: Mapping[str, str]

    @classmethod
    def of(cls, room: Room) -> Scene:
        """Read the folders."""
        return cls({str(p.relative_to(room.base)): _digest(p) for p in _files(room.inputs)})


def _files(folder: Path) -> list[Path]:
    return [p for p in sorted(folder.rglob("*")) if p.is_symlink() or not p.is_dir()]


def _digest(path: Path) -> str:
    if path.is_symlink():
        return f"link to {os.readlink(path)}"
    if not path.is_file():
        return "special"
    return hashlib.sha256(path.read_bytes()).hexdigest()


def disturbed(room: Room, before: Scene, allowed: Sequence[str] = ()) -> str:
    """Return what a run has spoilt or left behind; nothing if nothing.

    Parameters
    ----------
    room : Room
        The room.
    before : Scene
        What was there before.
    allowed : sequence of str
        Files that the run may have made, relative to the room.
    """
    after = Scene.of(room).inputs
    for name, digest in before.inputs.items():
        if after.get(name) != digest and name not in allowed:
            return f"the input {name!r} was {'changed' if name in after else 'removed'}"
    for name in after.keys() - before.inputs.keys():
        if name not in allowed:
            return f"a file {name!r} was left beside the inputs"
    for folder in ("tmp", "out", "home"):
        for path in _files(room.base / folder):
            name = str(path.relative_to(room.base))
            if name not in allowed:
                return f"a file was left behind: {folder}/{path.name}"
    for path in sorted((room.base / "tmp").iterdir()):
        return f"a folder was left behind: tmp/{path.name}"
    return ""


def judged(ran: Ran, argv: Sequence[str], *, writes: bool = False) -> Verdict:
    """Return the verdict on how a run ended: exit code, sentence and time.

    Parameters
    ----------
    ran : Ran
        The run.
    argv : sequence of str
        Its arguments.
    writes : bool
        Whether its answer goes to a file, so that standard output may be empty.
    """
    shown = f"{command_of(argv)}\n{ran}"
    if ran.timed_out:
        return failed("no end within the time limit", shown)
    if ran.code == 0:
        for line in ran.err.splitlines():
            if not line.startswith("clustervet: "):
                return failed(f"exit code 0 with a stray line on stderr: {line[:160]}", shown)
            if fault := sentence_fault(line):
                return failed(f"a remark: {fault}: {line[:160]}", shown)
        if FOREIGN.search(ran.err):
            return failed("exit code 0 with words of another program on stderr", shown)
        if not ran.out.strip() and not writes:
            return failed("exit code 0 and no answer", shown)
        return Verdict("right", shown=shown)
    if ran.code == 2:
        if not ran.err and ran.out.lstrip().startswith("Usage:"):
            return Verdict("refused", shown=shown)  # the help, for a call without arguments
        if ran.out:
            return failed("refused after a part of the answer was printed", shown)
        # Remarks on how files were read may come before what could not be done.
        for line in ran.err.splitlines() or [""]:
            if fault := sentence_fault(line):
                return failed(f"refused, but {fault}: {ran.err.strip()[:300]}", shown)
            if not line.startswith("clustervet: "):
                return failed(f"refused in words of another program: {line[:160]}", shown)
        return Verdict("refused", shown=shown)
    last = (ran.err.strip().splitlines() or [""])[-1]
    return failed(f"exit code {ran.code}: {last[:200]}", shown)


def run_command(
    room: Room,
    case: Case,
    job: Job,
    allowed: Sequence[str] = (),
    *,
    fresh: bool = False,
    preload: str = "",
) -> tuple[Verdict, Ran]:
    """Run a command on the files of a case, and judge how it ended and what it left.

    Parameters
    ----------
    room : Room
        Where to run it.
    case : Case
        The case, whose files are its inputs.
    job : Job
        The command.
    allowed : sequence of str
        Files that it may write, relative to the room.
    fresh : bool
        Whether to run it in a process of its own.
    preload : str
        A library for `LD_PRELOAD`.

    Returns
    -------
    tuple
        The verdict, and the run.
    """
    room.enter(case.files)
    before = Scene.of(room)
    ran = room.run(job, fresh=fresh, preload=preload)
    verdict = judged(ran, job.argv, writes=bool(allowed))
    spoilt = disturbed(room, before, allowed)
    if spoilt and (not verdict.failed or "input" in spoilt):
        verdict = failed(f"{spoilt} (exit code {ran.code})", verdict.shown)
    return verdict, ran
