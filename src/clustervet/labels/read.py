"""Reading labels of any type.

No engine of tables is imported here: a user who passes a series has imported its engine already.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from clustervet.errors import LabelError
from clustervet.labels.arrays import check_names, from_array, from_objects, kind_of
from clustervet.labels.codes import Codes, Integers, from_keys, number


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
    labels = _held(labels)
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


def _held(labels: Any) -> Any:
    """The labels of a fitted estimator, of a pipeline that ends in one, or of a graph's clustering.

    Anything else is returned as it is.
    """
    last = labels.steps[-1][1] if hasattr(labels, "steps") else labels
    if hasattr(last, "labels_"):
        return last.labels_
    if hasattr(labels, "membership") and hasattr(labels, "graph"):  # VertexClustering of igraph
        return labels.membership
    return labels


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
            unfitted = hasattr(labels, "fit") and hasattr(labels, "get_params")
            hint = "; fit it first, so that it has labels" if unfitted else ""
            raise LabelError(
                f"{what} must be a sequence with one label per object, not {kind_of(labels)}{hint}."
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


def _pandas(series: Any, what: str) -> Codes:
    # Made of nested lists, a series of numbers may have more dimensions than it says.
    if getattr(series, "ndim", 1) != 1 or len(getattr(series, "shape", (0,))) != 1:
        raise LabelError(f"{what} is a table of shape {series.shape}; pass one of its columns.")
    if hasattr(series, "levels"):
        raise LabelError(f"{what} has several levels; pass one of them.")
    array = getattr(series, "array", series)
    if hasattr(array, "categories"):
        check_names(list(array.categories), what)
        codes = np.asarray(array.codes)
        missing = codes < 0
        if missing.any():
            codes = np.where(missing, codes.dtype.type(0), codes)
        return from_keys(
            codes, list(array.categories), missing if missing.any() else None, ordered=True
        )
    if isinstance(series.dtype, np.dtype) and series.dtype.kind != "O":
        return from_array(series.to_numpy(), what)
    if getattr(array.dtype, "subtype", None) == np.dtype(object):  # sparse; pandas would warn
        return from_objects(list(series), what)
    try:
        codes, keys = series.factorize()
    except (TypeError, NotImplementedError, UnicodeError):
        # A list among the labels, a type without keys, or text that Arrow cannot hold.
        return from_objects(list(series), what)
    missing = codes < 0
    names = [key.item() if isinstance(key, np.generic) else key for key in keys]
    if any(isinstance(name, float) for name in names):  # NaN is missing, and -0.0 is 0.0
        return from_objects(
            [None if m else names[c] for c, m in zip(codes, missing, strict=True)], what
        )
    check_names(names, what)
    if missing.any():
        return from_keys(np.where(missing, 0, codes), names or [None], missing)
    return from_keys(codes, names)


def _polars(series: Any, what: str) -> Codes:
    if not hasattr(series, "to_physical"):
        raise LabelError(f"{what} is a table or an expression; pass one of its columns.")
    polars = sys.modules["polars"]
    missing = series.is_null().to_numpy()
    masked = missing if missing.any() else None
    if str(series.dtype).endswith("Int128"):  # numpy has no such type
        return from_objects(series.to_list(), what)
    if series.dtype.is_numeric() or series.dtype == polars.Boolean:
        filled = series.fill_null(value=False if series.dtype == polars.Boolean else 0)
        codes = from_array(filled.to_numpy(), what)
        if masked is None:
            return codes
        gone = masked if codes.missing is None else masked | codes.missing  # NaN is not null
        return Codes(codes.values, codes.restore, codes.find, gone)
    if series.dtype.is_nested() or series.dtype in (polars.Object, polars.Binary):
        return from_objects(series.to_list(), what)
    is_text = series.dtype == polars.String
    if is_text:
        series = series.cast(polars.Categorical)
    physical = series.to_physical()
    if masked is not None:
        physical = physical.fill_null(0)
    distinct = series.drop_nulls().unique()
    names = dict(zip(distinct.to_physical().to_list(), distinct.to_list(), strict=True))
    if is_text and names:
        # All categories of the process share their numbers, so those of a text are in no order.
        dense = np.zeros(max(names) + 1, np.int32)
        dense[list(names)] = np.arange(len(names))
        values = physical.to_numpy()
        values = values if masked is None else np.where(masked, next(iter(names)), values)
        return from_keys(dense[values], list(names.values()), masked)
    return _physical(physical.to_numpy(), names, masked)


def _physical(values: Integers, names: dict[int, Any], masked: Any) -> Codes:
    """Codes that are an engine's own codes, unchanged."""
    places = {name: code for code, name in names.items()}

    def restore(codes: Integers) -> Sequence[Any]:
        return [names.get(int(code)) for code in codes]

    def find(label: Any) -> int | None:
        return places.get(label, places.get(str(label)))

    return Codes(values, restore, find, masked)


def _pyarrow(array: Any, what: str) -> Codes:
    arrow = sys.modules["pyarrow"]
    if not isinstance(array, arrow.Array | arrow.ChunkedArray):
        raise LabelError(f"{what} is a {type(array).__name__}; pass one of its columns.")
    if isinstance(array, arrow.ChunkedArray):
        array = array.unify_dictionaries().combine_chunks()
        if isinstance(array, arrow.ChunkedArray):
            array = array.chunk(0) if array.num_chunks else arrow.array([])
    number_like = arrow.types.is_integer(array.type) or arrow.types.is_floating(array.type)
    if array.null_count == 0 and number_like:
        return from_array(array.to_numpy(zero_copy_only=False), what)
    encoded = arrow.types.is_dictionary(array.type)
    kind = array.type.value_type if encoded else array.type
    extended = isinstance(kind, arrow.BaseExtensionType)  # Arrow cannot count all of these
    if encoded and arrow.types.is_null(kind):
        array = arrow.nulls(len(array))  # Arrow crashes when it looks for missing codes of nothing
    elif extended or arrow.types.is_floating(kind) or arrow.types.is_nested(kind):
        return from_objects(array.to_pylist(), what)
    if not arrow.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    missing = array.is_null().to_numpy(zero_copy_only=False)
    codes = array.indices.fill_null(0).to_numpy(zero_copy_only=False)
    names = array.dictionary.to_pylist() or [None]
    check_names(names, what)
    if len(set(names)) < len(names):
        merged, names = number(names)
        codes = merged[codes]
    return from_keys(codes, names, missing if missing.any() else None, ordered=encoded)


READERS = {"pandas": _pandas, "polars": _polars, "pyarrow": _pyarrow}
