"""Which lines of the package are run, seen by `sys.settrace`.

A process that a recorded test starts is traced too: it finds a `sitecustomize` that calls
`trace_process`, and leaves its lines in the folder that `CLUSTERVET_LINES` names.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
import threading
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NoReturn

FOLDER = "CLUSTERVET_LINES"
PACKAGE = "CLUSTERVET_PACKAGE"
Lines = dict[str, set[int]]
# Calls of a function without a line that is new to the test, after which it is followed no more.
ENOUGH = 60


class Tracer:
    """Gathers the lines of the package that are run while it is on."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.lines: Lines = defaultdict(set)
        self.ours: dict[str, bool] = {}
        self.quiet: dict[CodeType, int] = {}

    def start(self) -> None:
        """Begin, in this thread and in those that start later."""
        threading.settrace(self.called)
        sys.settrace(self.called)

    def stop(self) -> None:
        """End."""
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]  # the documented way to end it

    def take(self) -> Lines:
        """Return the lines since the last time."""
        # Threads may hold the sets, so that they are emptied and not replaced.
        taken = {file: set(lines) for file, lines in list(self.lines.items()) if lines}
        for lines in self.lines.values():
            lines.clear()
        self.quiet.clear()
        return taken

    def called(self, frame: FrameType, event: str, arg: Any) -> Any:
        """Begin a function: follow its lines if it is one of the package."""
        code = frame.f_code
        quiet = self.quiet.get(code, 0)
        if quiet > ENOUGH:
            return None
        file = code.co_filename
        ours = self.ours.get(file)
        if ours is None:
            ours = self.ours[file] = file.startswith(self.package) and "_kernels" not in file
        if not ours:
            return None
        self.quiet[code] = quiet + 1
        lines = self.lines[file]
        lines.add(frame.f_lineno)

        def ran(frame: FrameType, event: str, arg: Any) -> Any:
            if frame.f_lineno not in lines:
                lines.add(frame.f_lineno)
                self.quiet[code] = 0
            return ran

        return ran


def trace_process() -> None:
    """Trace this process and leave its lines in the folder when it ends."""
    folder, test = os.environ[FOLDER], os.environ.get("PYTEST_CURRENT_TEST")
    if test is None:
        return
    tracer = Tracer(os.environ[PACKAGE])

    def leave() -> None:
        tracer.stop()
        lines = {file: sorted(found) for file, found in tracer.take().items()}
        text = json.dumps({"test": test.rpartition(" (")[0], "lines": lines})
        with suppress(ImportError, ValueError, OSError):  # a test may let files have few bytes
            import resource

            most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        Path(folder, f"{os.getpid()}-{time.monotonic_ns()}.json").write_text(text)

    def end(code: int) -> NoReturn:
        with suppress(Exception):
            leave()
        at_once(code)

    at_once = os._exit
    os._exit = end  # type: ignore[assignment]  # a command that is stopped ends this way
    atexit.register(leave)
    tracer.start()
