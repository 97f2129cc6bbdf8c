"""When work is done without a compiler.

Loading a compiler takes half a second, and compiling takes seconds on the first day of a machine.
So little work is done by numpy and scipy, or in plain Python, and never depends on what was
compiled before. Source that runs both ways with the same results to the last bit may also be
plain for a while and compiled later (`Patience`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_compile_all = False


@contextmanager
def compiled_always() -> Iterator[None]:
    """Compile everything, however little work there is."""
    global _compile_all  # one switch for the process
    before, _compile_all = _compile_all, True
    try:
        yield
    finally:
        _compile_all = before


def is_little(work: float, most: float) -> bool:
    """Whether work is done without a compiler."""
    return work <= most and not _compile_all


class Patience:
    """An amount of work, in the units of its owner, that shrinks with every use."""

    def __init__(self, work: float) -> None:
        self.left = work

    def allows(self, work: float) -> bool:
        """Whether this work is done without a compiler; it is taken off what is left."""
        self.left -= work
        return self.left >= 0 and not _compile_all
