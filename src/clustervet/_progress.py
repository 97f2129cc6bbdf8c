"""A progress bar for long work: on a terminal only, and only once it has taken a while."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# Seconds of work before a bar appears, and between its updates.
PATIENCE = 1.0
PAUSE = 0.2


@contextmanager
def ticking(total: int, what: str) -> Iterator[Callable[[], None]]:
    """Give a function to call after each of so many steps; any thread may call it."""
    bar = _Bar(total, what)
    try:
        yield bar.tick if sys.stderr.isatty() else _nothing
    finally:
        bar.close()


def _nothing() -> None:
    return None


class _Bar:
    def __init__(self, total: int, what: str) -> None:
        self.total, self.what, self.done = total, what, 0
        self.lock = threading.Lock()
        self.next = time.monotonic() + PATIENCE
        self.shown: Any = None
        self.task: Any = None

    def tick(self) -> None:
        with self.lock:
            self.done += 1
            if time.monotonic() < self.next:
                return
            self.next = time.monotonic() + PAUSE
            if self.shown is None:
                from rich.console import Console
                from rich.progress import Progress

                self.shown = Progress(console=Console(stderr=True), transient=True)
                self.shown.start()
                self.task = self.shown.add_task(self.what, total=self.total)
            self.shown.update(self.task, completed=self.done)

    def close(self) -> None:
        if self.shown is not None:
            self.shown.stop()
