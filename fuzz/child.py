"""The last steps before the product runs, in a forked child and in a fresh process alike.

It imports nothing heavy: a fresh process must meet a signal as a user's process does.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import resource
import signal
import sys
import tempfile
from typing import Any


def begin(request: dict[str, Any]) -> None:
    """Take folders, files, variables and limits from a request."""
    base = request["base"]
    places = {"TMPDIR": f"{base}/tmp", "HOME": f"{base}/home"}
    os.environ.update(places | request["environment"])
    tempfile.tempdir = None
    os.chdir(f"{base}/in")
    out = request["stdout"] or f"{base}/log/out"
    for target, path, flags in (
        (0, request["stdin"], os.O_RDONLY),
        (1, out, os.O_WRONLY | os.O_CREAT),
        (2, f"{base}/log/err", os.O_WRONLY | os.O_CREAT | os.O_APPEND),
    ):
        handle = os.open(path, flags, 0o600)
        os.dup2(handle, target)
        os.close(handle)
    sys.argv = ["clustervet", *request["argv"]]
    if request["memory"] is not None:
        with open("/proc/self/statm", encoding="ascii") as stream:
            pages = int(stream.read().split()[0])
        most = pages * resource.getpagesize() + request["memory"]
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    if request["file_size"] is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (request["file_size"], request["file_size"]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable()  # where it stood when it crashed
    faulthandler.register(signal.SIGUSR1, 2)  # where it stands when its time is up
    if "clustervet._process" in sys.modules:  # it was imported by a process that is no command
        sys.modules["clustervet._process"]._begin()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))


def perform(request: dict[str, Any]) -> None:
    """Run the command line, or call the function that is asked for and print its answer."""
    if request["call"]:
        module, _, name = request["call"].partition(":")
        answer = getattr(importlib.import_module(module), name)(request["argument"])
        print(json.dumps(answer))  # noqa: T201  # the answer to the parent
        return
    from clustervet.cli import main

    main()
