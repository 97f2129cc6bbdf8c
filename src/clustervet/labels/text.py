"""Labels as text that is safe to show."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def plain_label(label: Any) -> Any:
    """Return a label as a plain Python value, where nothing is lost.

    Parameters
    ----------
    label : object
        A label, perhaps a numpy scalar.

    Returns
    -------
    object
        A Python value; times finer than microseconds stay numpy scalars.

    Examples
    --------
    >>> plain_label(np.int64(3))
    3
    """
    if not isinstance(label, np.generic):
        return label
    if label.dtype.kind in "Mm":
        coarse = label.astype(f"{'datetime64' if label.dtype.kind == 'M' else 'timedelta64'}[us]")
        unit = np.datetime_data(label.dtype)[0]  # type: ignore[arg-type]  # its kind is checked
        if unit in ("ns", "ps", "fs", "as"):
            return coarse.item() if coarse == label else label
    return label.item()


def show_label(label: Any, width: int = 32) -> str:
    r"""Return a label on one short line.

    Parameters
    ----------
    label : object
        Any label.
    width : int, default 32
        Largest number of characters.

    Returns
    -------
    str
        Text with control characters and direction marks written as escapes.

    Examples
    --------
    >>> show_label("a\nb")
    'a\\nb'
    >>> show_label("x" * 100, width=10)
    'xxxxxxxxx…'
    """
    # Only the beginning of a huge label is read.
    text = label[: 4 * width] if isinstance(label, str) else _written(label)[: 4 * width]
    safe = "".join(c if c.isprintable() else _spelled(c) for c in text)
    return safe if len(safe) <= width else safe[: width - 1] + "…"


def _written(label: Any) -> str:
    try:
        return str(label)
    except ValueError:  # Python writes no whole number of more than some thousand digits
        return f"a number of about {math.log10(2) * label.bit_length():,.0f} digits"


def _spelled(character: str) -> str:
    return character.encode("unicode_escape", "backslashreplace").decode("ascii")
