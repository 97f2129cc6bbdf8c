"""Whatever the user has as several labelings, one by one and by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from clustervet.errors import LabelError, ParameterError
from clustervet.labels import show_label
from clustervet.labels.arrays import kind_of

FRAMES = ("pandas", "polars", "pyarrow")


class Given(NamedTuple):
    """A labeling's name, what to call it in a message, and its labels."""

    name: str
    what: str
    labels: Any


def listed(labelings: Any) -> list[Given]:
    """The labelings in a list, a mapping, the rows of an array or the columns of a frame.

    >>> [item.name for item in listed([[0, 1], [1, 1]])], listed({"a": [0, 1]})[0].what
    (['labeling 1', 'labeling 2'], "labeling 'a'")
    """
    if type(labelings).__module__.partition(".")[0] in FRAMES:
        return _by_name(_columns(labelings))
    if isinstance(labelings, Mapping):
        return _by_name(list(labelings.items()))
    if isinstance(labelings, np.ndarray) and labelings.ndim != 2:
        raise LabelError(
            "labelings must be a matrix with a row a labeling, or a list of labelings; the array "
            f"given has shape {labelings.shape}."
        )
    if isinstance(labelings, str | bytes) or not isinstance(labelings, Iterable):
        raise LabelError(
            "labelings must be a list of labelings, {name: labels}, a matrix or a frame, not "
            f"{kind_of(labelings)}."
        )
    return [Given(f"labeling {k}", f"labeling {k}", item) for k, item in enumerate(labelings, 1)]


def _by_name(pairs: list[tuple[Any, Any]]) -> list[Given]:
    names = [str(name) for name, _ in pairs]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ParameterError(
            f"two labelings are called {show_label(twice)!r}; their names must differ."
        )
    return [
        Given(name, f"labeling {show_label(name)!r}", labels)
        for name, (_, labels) in zip(names, pairs, strict=True)
    ]


def _columns(frame: Any) -> list[tuple[Any, Any]]:
    """The columns of a frame of pandas, polars or pyarrow, by their own methods."""
    if hasattr(frame, "column_names"):
        return list(zip(frame.column_names, frame.columns, strict=True))
    if hasattr(frame, "get_columns"):
        return [(column.name, column) for column in frame.get_columns()]
    if hasattr(frame, "iloc") and frame.ndim == 2:
        return [(name, frame.iloc[:, k]) for k, name in enumerate(frame.columns)]
    raise LabelError(f"labelings must be a frame with a column a labeling, not {kind_of(frame)}.")
