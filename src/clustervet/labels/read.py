"""Reading labels of any type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np

from clustervet.errors import LabelError
from clustervet.labels.arrays import from_array, from_objects, kind_of
from clustervet.labels.codes import Codes
from clustervet.labels.series import READERS


def read_labels(labels: Any, what: str = "labels") -> Codes:
    """Turn labels of any supported type into codes.

    Parameters
    ----------
    labels : array_like or Codes
        Label of each object: list, numpy array, or a column of pandas, polars or pyarrow.
    what : str, default 'labels'
        Name of the labels in messages.

    Returns
    -------
    Codes
        The codes; codes that are given are returned as they are.

    Raises
    ------
    LabelError
        If the labels are not one-dimensional, empty, or of a kind that cannot be labels.

    Examples
    --------
    >>> read_labels([3, 1, 3]).values.tolist()
    [3, 1, 3]
    """
    if isinstance(labels, Codes):
        return labels
    reader = READERS.get(type(labels).__module__.partition(".")[0])
    if reader is not None and hasattr(labels, "__len__"):
        codes = reader(labels, what)
    elif isinstance(labels, np.ndarray):
        codes = from_array(labels, what)
    else:
        codes = _sequence(labels, what)
    if len(codes) == 0:
        raise LabelError(f"{what} is empty; at least one object is needed.")
    return codes


def _sequence(labels: Any, what: str) -> Codes:
    if isinstance(labels, str | bytes | Mapping | Set) or labels is None:
        raise LabelError(
            f"{what} must be a sequence with one label per object, not {kind_of(labels)}."
        )
    if isinstance(labels, range):
        return from_array(np.asarray(labels), what)
    if not isinstance(labels, list | tuple):
        if hasattr(labels, "__array__"):
            return from_array(np.asarray(labels), what)
        if not isinstance(labels, Iterable):
            raise LabelError(
                f"{what} must be a sequence with one label per object, not {kind_of(labels)}."
            )
        labels = list(labels)
    types = set(map(type, labels))
    if types and all(issubclass(kind, list | tuple | np.ndarray) for kind in types):
        raise LabelError(
            f"{what} must be one-dimensional, one label per object; it holds {len(labels)} rows."
        )
    if len(types) == 1 and issubclass(next(iter(types)), int | float | np.generic):
        array = np.asarray(labels)
        rounded = array.dtype.kind == "f" and isinstance(labels[0], int | np.integer)
        if array.dtype.kind in "biufMm" and not rounded:
            return from_array(array, what)
    return from_objects(labels, what)
