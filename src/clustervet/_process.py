"""How the process of a command ends when it is told to stop: soon, in silence, nothing left over.

`clustervet` imports this module before anything else, and it loads almost nothing, so that the
command can be stopped while the rest is loaded. Programs that use the library keep their own
handlers of signals; only the command `clustervet` and `python -m clustervet` get these.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import contextmanager, suppress

TYPE_CHECKING = False  # as in `typing`, which takes longer to load than all of the above
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import FrameType
    from typing import Any, NoReturn

SIGNALS = (signal.SIGINT, signal.SIGTERM)
# Seconds that the work has after a signal to close and remove what it opened, and that all that is
# called before the end has after that. Together they stay below the two seconds promised.
GRACE = 0.8
LAST = 0.9

_first = 0
_interrupted = False
_leaving = threading.Lock()
# What is called when a signal arrives, and what before the process ends because of it.
_calls: dict[object, Callable[[], object]] = {}
_removals: dict[object, Callable[[], object]] = {}


@contextmanager
def stoppable() -> Iterator[None]:
    """Let a signal stop the work of the command, and end the process with 128 + its number.

    The signal becomes a KeyboardInterrupt in the main thread, so that everything is closed and
    removed as after an error. The main thread may not see it in time, because compiled code runs
    there or somebody catches the interrupt. Then another thread ends the process.
    """
    ours = [number for number in SIGNALS if signal.getsignal(number) is _exit_at_once]
    if not ours or threading.current_thread() is not threading.main_thread():
        yield
        return
    if os.name == "posix":
        told, tell = os.pipe()
        os.set_blocking(tell, False)
        signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
        threading.Thread(target=_watch, args=(told,), daemon=True).start()
        os.register_at_fork(after_in_child=_forget)
    for number in ours:
        signal.signal(number, _interrupt)
    try:
        yield
    except BaseException:
        if _first:
            _leave()
        raise
    finally:
        for number in ours:
            signal.signal(number, _exit_at_once)


@contextmanager
def stopped_by(call: Callable[[], object]) -> Iterator[None]:
    """Have a function called when a signal arrives, from another thread, while the block runs."""
    key = object()
    _calls[key] = call
    try:
        yield
    finally:
        del _calls[key]


@contextmanager
def removed_by(call: Callable[[], object]) -> Iterator[None]:
    """Have a function called after the block, even if a signal ends the process within it."""
    key = object()
    _removals[key] = call
    try:
        yield
    finally:
        call()
        del _removals[key]


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Stop the work in the main thread, once."""
    global _interrupted
    _note(number)
    if not _interrupted:
        _interrupted = True
        raise KeyboardInterrupt


def _watch(told: int) -> None:
    """Wait for a signal, and end the process if it does not end by itself."""
    while number := os.read(told, 1):
        if number[0] in SIGNALS:
            _note(number[0])
            threading.Thread(target=_call_each, args=(_calls.values(),), daemon=True).start()
            time.sleep(GRACE)
            _leave()


def _call_each(functions: Iterable[Callable[[], object]]) -> None:
    """Call functions, whatever becomes of one of them."""
    for call in list(functions):
        with suppress(Exception):
            call()


def _note(number: int) -> None:
    """Remember the first signal; errors that nobody handles are its consequences from now on."""
    global _first
    if not _first:
        _first = number
        sys.excepthook = lambda *_: _leave()
        sys.unraisablehook = lambda _: None
        threading.excepthook = lambda _: None


def _leave() -> NoReturn:
    """End the process, whatever its threads do."""
    with _leaving:  # a second caller waits here for the end
        steps = (_end_children, *_removals.values(), *_finalizers())
        last = threading.Thread(target=_call_each, args=(steps,), daemon=True)
        last.start()
        last.join(LAST)
        if sys.stderr.isatty():
            os.write(2, b"\x1b[?25h")  # a progress bar hides the cursor
        os._exit(128 + _first)


def _finalizers() -> list[Callable[[], object]]:
    """Return what removes temporary folders and the like at the end, the newest first.

    The functions of `atexit` are not called: they expect that the main thread has ended, and it may
    be loading a library. Nor is what unloads code of numba, which other threads may be running.
    """
    from weakref import finalize

    registry: Any = finalize._registry  # type: ignore[attr-defined]  # known to Python alone
    found = []
    for each, kept in sorted(registry.items(), key=lambda item: -item[1].index):
        home = str(getattr(kept.func, "__module__", ""))
        if kept.atexit and not home.startswith(("numba", "llvmlite")):
            found.append(each)
    return found


def _end_children() -> None:
    """End worker processes, and others such as the Java of Spark, which do not end with us."""
    if "multiprocessing.process" in sys.modules:
        for child in sys.modules["multiprocessing.process"].active_children():
            child.kill()
    for thread in os.listdir("/proc/self/task"):  # on Linux alone
        # A thread may end while we read the list, and so may a child.
        with suppress(OSError), open(f"/proc/self/task/{thread}/children") as children:
            for number in children.read().split():
                with suppress(OSError):
                    os.kill(int(number), signal.SIGTERM)


def _exit_at_once(number: int, frame: FrameType | None) -> NoReturn:
    """End a command that has not begun its work, or has ended it."""
    os._exit(128 + number)


def _forget() -> None:
    """Give a forked process its usual handlers, so that a signal to it is not taken for ours."""
    with suppress(ValueError):  # it was forked by a thread
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _is_command() -> bool:
    """Return whether this process was started as the command."""
    given = getattr(sys, "argv", None) or [""]
    if given[0] == "-m":  # so it is while Python loads what it is to run
        return sys.orig_argv[-len(given)] in ("clustervet", "-mclustervet")
    return os.path.basename(given[0]).partition(".")[0] in ("clustervet", "clustervet-script")


def _begin() -> None:
    """Prepare the process of a command, while nothing is loaded yet."""
    if sys.argv[0] == "-m" and not sys.flags.safe_path:
        # Python puts the current folder first; a file there must not hide an installed package.
        sys.path.append(sys.path.pop(0))
    for number in SIGNALS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _exit_at_once)


if _is_command():
    _begin()
