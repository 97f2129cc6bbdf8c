"""A progress bar for long work: only on a terminal, and only once the work has taken a while.

`CLUSTERVET_QUIET=1` in the environment turns off bars and what is said about compiling.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# Seconds of work before a bar appears, and between its updates.
PATIENCE = 1.0
PAUSE = 0.2
_one_bar = threading.Lock()


@contextmanager
def ticking(total: int, what: str) -> Iterator[Callable[[], None]]:
    """Give a function to call after each of `total` steps; any thread may call it.

    Nested or parallel work shows no bar of its own.
    """
    if is_quiet() or not (sys.stderr.isatty() and _one_bar.acquire(blocking=False)):
        yield _nothing
        return
    bar = _Bar(total, what)
    try:
        yield bar.tick
    finally:
        bar.close()
        _one_bar.release()


def is_quiet() -> bool:
    """Whether nothing may be said beside the results.

    >>> is_quiet() == (os.environ.get("CLUSTERVET_QUIET", "0") not in ("", "0"))
    True
    """
    return sys.stderr is None or os.environ.get("CLUSTERVET_QUIET", "") not in ("", "0")


def _nothing() -> None:
    return None


def time_left(seconds: float) -> str:
    """The time that something will take, in words.

    >>> time_left(8.4), time_left(100), time_left(5_000), time_left(500_000)
    ('8 s left', '2 min left', '1 h 23 min left', '5 d 18 h left')
    """
    if seconds < 90:
        return f"{round(seconds)} s left"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min left"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours} h {minutes} min left"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h left"


class _Bar:
    """A bar that appears after a while, even if no step is done by then."""

    def __init__(self, total: int, what: str) -> None:
        self.total, self.what, self.done = total, what, 0
        self.lock = threading.Lock()
        self.start = time.monotonic()
        self.next = self.start + PATIENCE
        self.shown: Any = None
        self.task: Any = None
        self.ended = False
        self.timer = threading.Timer(PATIENCE, self._update)
        self.timer.daemon = True
        self.timer.start()

    def tick(self) -> None:
        with self.lock:
            self.done += 1
        if time.monotonic() >= self.next:
            self._update()

    def _update(self) -> None:
        with self.lock:
            if self.ended or not self.total:
                return
            self.next = time.monotonic() + PAUSE
            if self.shown is None:
                self._show()
            self.shown.update(self.task, completed=self.done, left=self._left())

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}", markup=False),
        )
        self.shown = Progress(*columns, console=Console(stderr=True), transient=True)
        self.shown.start()
        self.task = self.shown.add_task(self.what, total=self.total, left="")

    def _left(self) -> str:
        """Time left, if each further step takes as long as the steps so far."""
        if not self.done:
            return ""
        spent = time.monotonic() - self.start
        return time_left(spent * (self.total - self.done) / self.done)

    def close(self) -> None:
        self.timer.cancel()
        with self.lock:
            self.ended = True
            if self.shown is not None:
                self.shown.stop()
