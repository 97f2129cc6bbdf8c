"""Where compiled code is kept, so that a machine compiles it once.

Code is kept in the first of these folders that can be written: the one that `NUMBA_CACHE_DIR`
names, `__pycache__` in this room, the user's cache, a private folder among the temporary files.
Code beside the source is read even where it cannot be written, as in the image of a container.
Whatever cannot be kept or read is compiled again: no work fails for want of a place.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import threading
import time
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from numba.core import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.misc.appdirs import AppDirs

from clustervet._progress import is_quiet

ROOM = Path(__file__).parent
BESIDE_SOURCE = ROOM / "__pycache__"
# Seconds of compiling, all in all, after which it is said.
PATIENCE = 1.0


class Locator:
    """The folder and the age of kept code, as numba asks for them."""

    def __init__(self, function: Any) -> None:
        self._line = function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, function: Any, file: str) -> Locator:
        """Return the place for a function of a file."""
        return cls(function)

    def ensure_cache_path(self) -> None:
        """Do nothing: the folder was made when it was chosen."""

    def get_cache_path(self) -> str:
        """Return the folder to write to."""
        return str(folder() or BESIDE_SOURCE)

    def get_source_stamp(self) -> str:
        """Return what changes with any source of this room, since its functions call each other."""
        return _sources()

    def get_disambiguator(self) -> str:
        """Return what tells two functions of one name apart."""
        return str(self._line)


class _Places(CompileResultCacheImpl):
    def __init__(self, function: Any) -> None:
        classes: list[Any] = [Locator]
        self._locator_classes = classes
        super().__init__(function)


class KeptCode(FunctionCache):
    """The kept code of one function."""

    _impl_class = _Places

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        self._files = [self._cache_file]
        if Path(self._cache_path) != BESIDE_SOURCE:
            name, stamp = self._impl.filename_base, _sources()
            self._files.insert(0, IndexDataCacheFile(str(BESIDE_SOURCE), name, stamp))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the code for a signature; None if it has to be compiled."""
        for file in self._files:  # the last one is that to write to
            self._cache_file = file
            # A torn file raises whatever its bytes spell, and a new one takes its place.
            with suppress(Exception):
                found = super().load_overload(sig, target_context)
                if found is not None:
                    return found
        _clock.start()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the code for a signature, where there is a place and room for it."""
        _clock.stop()
        with suppress(OSError):
            try:
                super().save_overload(sig, data)
            except (ValueError, EOFError, UnpicklingError):  # a torn index
                self.flush()
                super().save_overload(sig, data)


@cache
def folder() -> Path | None:
    """Return the folder in which compiled code is kept; None if none can be written."""
    for find in (_named, lambda: BESIDE_SOURCE, _of_the_user, _temporary):
        with suppress(OSError, RuntimeError):  # a user may have no home
            place = find()
            if place is not None:
                place.mkdir(parents=True, exist_ok=True)
                tempfile.TemporaryFile(dir=place).close()
                return place
    return None


def _named() -> Path | None:
    named = vars(config)["CACHE_DIR"]
    return Path(named, _own_name()) if named else None


def _of_the_user() -> Path:
    cache = Path(AppDirs(appname="clustervet", appauthor=False).user_cache_dir)
    cache.parent.mkdir(parents=True, exist_ok=True)
    return _private(cache) / _own_name()


def _temporary() -> Path:
    me = os.getuid() if hasattr(os, "getuid") else "code"
    return _private(Path(tempfile.gettempdir(), f"clustervet-{me}")) / _own_name()


def _own_name() -> str:
    """Return a name that no other installation has."""
    return sha256(str(ROOM).encode()).hexdigest()[:16]


def _private(place: Path) -> Path:
    """Make a folder that nobody else can write, since code is run from it."""
    place.mkdir(mode=0o700, exist_ok=True)
    found = place.lstat()
    if hasattr(os, "getuid") and not (
        stat.S_ISDIR(found.st_mode)
        and found.st_uid == os.getuid()
        and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    ):
        raise PermissionError(f"others can write {place}")
    return place


@cache
def _sources() -> str:
    found = sha256()
    for source in [*sorted(ROOM.glob("*.py*")), *sorted(ROOM.parent.glob("_numeric.py*"))]:
        found.update(source.read_bytes())
    return found.hexdigest()


class _Clock:
    """The time spent on compiling; once it is long, a line says so."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.spent = 0.0
        self.depth = 0
        self.since = 0.0
        self.said = False
        self.timer: threading.Timer | None = None

    def start(self) -> None:
        """Begin to compile; functions that are called are compiled within."""
        with self.lock:
            self.depth += 1
            if self.depth > 1 or self.said:
                return
            self.since = time.monotonic()
            self.timer = threading.Timer(max(0.0, PATIENCE - self.spent), self._say)
            self.timer.daemon = True
            self.timer.start()

    def stop(self) -> None:
        """End one compilation."""
        with self.lock:
            self.depth = max(0, self.depth - 1)
            if not self.depth and self.timer is not None:
                self.timer.cancel()
                self.timer = None
                self.spent += time.monotonic() - self.since

    def _say(self) -> None:
        with self.lock:
            if self.said or self.timer is None or is_quiet():
                return
            self.said = True
        when = "once for this machine" if folder() else "for this process (no folder is writable)"
        sys.stderr.write(f"clustervet: compiling {when} …\n")
        sys.stderr.flush()


_clock = _Clock()
