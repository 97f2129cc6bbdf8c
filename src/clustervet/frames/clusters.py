"""Clusters that do not answer, do not begin, or have lost their workers: none is waited for."""

from __future__ import annotations

import socket
import threading
import time
from asyncio import CancelledError
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from clustervet.errors import FileError, ParameterError
from clustervet.labels import show_label

# Seconds until a cluster is given up: until it is reached, until it begins, until it has its first
# worker, and after it has lost its last one.
HEARD, BEGUN, FIRST, LAST = 8.0, 45.0, 180.0, 60.0


def check_heard(name: str, host: str, port: int) -> None:
    """Refuse a cluster that cannot be reached."""
    try:
        with socket.create_connection((host, port), HEARD):
            pass
    except OSError as error:
        reason = error.strerror or str(error) or "no answer"
        raise ParameterError(
            f"the cluster {show_label(name, 200)} cannot be reached: {reason}."
        ) from None


def begun(name: str, begin: Callable[[], Any]) -> Any:
    """What a call gives, or a refusal once it has taken too long; it is not waited for then."""
    outcome: dict[str, Any] = {}

    def run() -> None:
        try:
            outcome["value"] = begin()
        except BaseException as error:  # handed to the caller below
            outcome["error"] = error

    worker = threading.Thread(target=run, daemon=True)
    worker.start()
    worker.join(BEGUN)
    if "value" in outcome:
        return outcome["value"]
    error = outcome.get("error")
    text = str(error).strip().partition("\n")[0] if error else f"no answer within {BEGUN:g} s"
    reason = (show_label(text, 200) or type(error).__name__).rstrip(".")
    raise ParameterError(f"the engine {show_label(name, 200)} does not start: {reason}.") from None


@contextmanager
def with_workers(
    name: str, workers: Callable[[], int], stop: Callable[[], object]
) -> Iterator[None]:
    """Stop the work of a cluster that has no worker, and refuse it; it would wait for ever."""
    ended = threading.Event()
    waited: list[float] = []

    def look() -> None:
        since, most = time.monotonic(), FIRST
        while not ended.wait(1.0):
            with suppress(Exception):  # who works on the cluster gets the same error
                if waited:
                    stop()  # again: work that begins after one call of it is not stopped by it
                elif workers():
                    since, most = time.monotonic(), LAST
            if not waited and time.monotonic() - since > most:
                waited.append(most)

    threading.Thread(target=look, daemon=True).start()
    try:
        yield
    except (Exception, CancelledError):
        if waited:
            shown = show_label(name, 200)
            raise FileError(f"{shown} has had no worker for {waited[0]:g} seconds.") from None
        raise
    finally:
        ended.set()
