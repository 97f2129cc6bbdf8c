"""How much memory may be taken, and the refusal of what would take more, before it is taken.

The limit is one number of bytes: the one that `memory_limit` sets for a while, or else a share of
what this process may have of the machine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from typing import Any

from clustervet._checks import is_whole
from clustervet.errors import MemoryLimitError, ParameterError, Setting

# The share of the machine's memory that is taken at most.
SHARE = 0.8
# What a machine has that does not say.
UNKNOWN = 2**62
SIZE = re.compile(r"(\d+(?:\.\d+)?) *([KMGT])(i?)B", re.IGNORECASE)
POWERS = {"K": 1, "M": 2, "G": 3, "T": 4}
CGROUPS = Path("/sys/fs/cgroup")

_limit: ContextVar[int | None] = ContextVar("memory_limit", default=None)


@contextmanager
def memory_limit(size: str | int | None) -> Iterator[None]:
    """Limit the memory of everything that is read or computed inside a `with` block.

    Parameters
    ----------
    size : str, int or None
        A size such as ``"512MB"``, ``"4GB"`` or ``"4GiB"``, or a number of bytes; None leaves the
        limit as it is. By default the limit is 0.8 of the memory that this process may have: that
        of the machine, of its control group, or its ``RLIMIT_AS``, whichever is least.

    Yields
    ------
    None
        The limit holds until the block ends, in this thread.

    Raises
    ------
    ParameterError
        If it is no size.

    Notes
    -----
    What is known to need more raises `MemoryLimitError` before it is computed. Counting the rows
    of files needs little memory: beyond the limit a temporary folder is used.

    Examples
    --------
    >>> import clustervet as cv
    >>> with cv.memory_limit("1MB"):
    ...     cv.distance_matrix([[0, 0, 1, 1]] * 1000)
    Traceback (most recent call last):
        ...
    clustervet.errors.MemoryLimitError: the distances between 1,000 labelings would take 8 MB of
    memory, more than the limit of 1 MB; compare fewer labelings, or raise the limit with
    memory_limit.
    """
    if size is None:
        yield
        return
    token = _limit.set(read_size(size))
    try:
        yield
    finally:
        _limit.reset(token)


def read_size(given: Any) -> int:
    """Return a size in bytes.

    >>> read_size("1.5 gb"), read_size("2KiB")
    (1500000000, 2048)
    """
    if is_whole(given) and given > 0:
        return int(given)
    found = SIZE.fullmatch(given.strip()) if isinstance(given, str) else None
    if not found or not float(found[1]):
        shown = repr(given if len(str(given)) < 60 else f"{str(given)[:59]}…")
        raise ParameterError(
            f"a memory limit is a size such as 512MB or 4GB, not {shown}.",
            parameter="memory_limit",
        )
    return int(float(found[1]) * (1024 if found[3] else 1000) ** POWERS[found[2].upper()])


def show_size(size: float) -> str:
    """Return a number of bytes in words.

    >>> show_size(912), show_size(3_900_000), show_size(80e9)
    ('912 bytes', '3.9 MB', '80 GB')
    """
    for power, unit in reversed(list(enumerate(("KB", "MB", "GB", "TB"), 1))):
        if size >= 0.9995 * 1000**power:
            value = size / 1000**power
            return f"{value:,.0f} {unit}" if value >= 1000 else f"{value:.3g} {unit}"
    return f"{size:.0f} bytes"


def room() -> int:
    """Return how many bytes may be taken."""
    given = _limit.get()
    if given is not None:
        return given
    return int(SHARE * min(_physical(), _control_group(), _address_space()))


def given_limit() -> int | None:
    """Return the limit that was set, for work in another thread or process."""
    return _limit.get()


def need(size: float, what: str, advice: str = "") -> None:
    """Refuse what would take more bytes than there is room for.

    `what` is a noun, and `advice` what else the user can do.
    """
    if size > room():
        raise refusal(f"{what} would take {show_size(size)} of memory, more than", advice)


def refusal(exceeds: str, advice: str = "") -> MemoryLimitError:
    """Return the error for something that exceeds the limit, whose size may not be known."""
    also = f"{advice}, or raise the limit" if advice else "raise the limit"
    return MemoryLimitError(
        f"{exceeds} the limit of {show_size(room())}; {also} with ", Setting("memory_limit"), "."
    )


@lru_cache(maxsize=1)
def _physical() -> int:
    """Memory of the machine."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return UNKNOWN


@lru_cache(maxsize=1)
def _control_group(root: Path = CGROUPS, listing: Path = Path("/proc/self/cgroup")) -> int:
    """The least limit of the control groups that this process is in, of version 1 or 2."""
    try:
        lines = listing.read_text().splitlines()
    except OSError:
        return UNKNOWN
    least = UNKNOWN
    for line in lines:
        _, kinds, path = line.split(":", 2)
        if kinds and "memory" not in kinds.split(","):
            continue
        top, name = (root / "memory", "memory.limit_in_bytes") if kinds else (root, "memory.max")
        # A container often sees its own group at the top, whatever its path says.
        group = Path(path.lstrip("/"))
        for place in (top / group, *(top / parent for parent in group.parents), top):
            try:
                least = min(least, int((place / name).read_text()))
            except (OSError, ValueError):  # not there, or "max"
                continue
    return least


def _address_space() -> int:
    """What is left of the address space, where it has a limit."""
    try:
        import resource
    except ImportError:
        return UNKNOWN
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    if most == resource.RLIM_INFINITY:
        return UNKNOWN
    try:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        used = 0
    return max(most - used, 0)
