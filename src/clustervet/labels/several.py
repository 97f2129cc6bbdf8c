"""Several labelings of the same objects, in the containers that people keep them in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from clustervet.errors import LabelError, ParameterError
from clustervet.labels.arrays import kind_of
from clustervet.labels.text import show_label

# The name of a labeling, how errors call it, and its labels.
Named = tuple[str, str, Any]
FRAMES = ("pandas", "polars", "pyarrow")


def named_labels(labelings: Any) -> list[Named]:
    """Return the labelings in a list, a mapping, the rows of an array or the columns of a frame.

    >>> [name for name, _, _ in named_labels([[0, 1], [1, 1]])], named_labels({"a": [0]})[0][1]
    (['labeling 1', 'labeling 2'], "labeling 'a'")
    """
    if type(labelings).__module__.partition(".")[0] in FRAMES:
        return _by_name(columns_of(labelings))
    if isinstance(labelings, Mapping):
        return _by_name(list(labelings.items()))
    if isinstance(labelings, np.ndarray) and labelings.ndim != 2:
        raise LabelError(
            "labelings must be a matrix with one row per labeling, or a list of labelings; the "
            f"array given has shape {labelings.shape}."
        )
    if isinstance(labelings, str | bytes) or not isinstance(labelings, Iterable):
        raise LabelError(
            "labelings must be a list of labelings, {name: labels}, a matrix or a frame, not "
            f"{kind_of(labelings)}."
        )
    names = [(f"labeling {k}", item) for k, item in enumerate(labelings, 1)]
    return [(name, name, item) for name, item in names]


def is_frame(labels: Any) -> bool:
    """Whether labels are a frame of pandas, polars or pyarrow, with labelings as its columns.

    >>> import pandas as pd
    >>> is_frame(pd.DataFrame({"a": [0, 1]})), is_frame(pd.Series([0, 1]))
    (True, False)
    """
    # A view of AnnData's frame is a class of its own that derives from that of pandas.
    kinds = (kind.__module__.partition(".")[0] for kind in type(labels).__mro__)
    if not any(kind in FRAMES for kind in kinds):
        return False
    return hasattr(labels, "columns") and len(getattr(labels, "shape", ())) == 2


def _by_name(pairs: list[tuple[Any, Any]]) -> list[Named]:
    names = [str(name) for name, _ in pairs]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ParameterError(
            f"two labelings are called {show_label(twice)!r}; their names must differ."
        )
    return [
        (name, f"labeling {show_label(name)!r}", labels)
        for name, (_, labels) in zip(names, pairs, strict=True)
    ]


def columns_of(frame: Any) -> list[tuple[Any, Any]]:
    """Return the columns of a frame of pandas, polars or pyarrow, by their own methods."""
    if hasattr(frame, "column_names"):
        return list(zip(frame.column_names, frame.columns, strict=True))
    if hasattr(frame, "get_columns"):
        return [(column.name, column) for column in frame.get_columns()]
    if hasattr(frame, "iloc") and frame.ndim == 2:
        return [(name, frame.iloc[:, k]) for k, name in enumerate(frame.columns)]
    raise LabelError(
        f"labelings must be a frame with one column per labeling, not {kind_of(frame)}."
    )
