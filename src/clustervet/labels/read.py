"""Reading what the user has: numpy, lists, and the series of pandas, polars and pyarrow."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import LabelError
from clustervet.labels.codes import Codes, Mask, from_integers, from_keys, number
from clustervet.labels.text import show_label

# Below this many objects a dict is quicker than loading compiled loops.
FEW = 20_000


def read_labels(labels: Any, what: str = "labels") -> Codes:
    """Turn labels of any supported type into codes, or say why they are none."""
    if isinstance(labels, Codes):
        return labels
    reader = _SERIES.get(type(labels).__module__.partition(".")[0])
    if reader is not None and hasattr(labels, "__len__"):
        codes = reader(labels, what)
    elif isinstance(labels, np.ndarray):
        codes = _array(labels, what)
    else:
        codes = _sequence(labels, what)
    if len(codes) == 0:
        raise LabelError(f"{what} is empty; at least one object is needed.")
    return codes


def _sequence(labels: Any, what: str) -> Codes:
    if isinstance(labels, str | bytes | Mapping | Set) or labels is None:
        raise LabelError(
            f"{what} must be a sequence with one label an object, not {_kind(labels)}."
        )
    if isinstance(labels, range):
        return _array(np.asarray(labels), what)
    if not isinstance(labels, list | tuple):
        if hasattr(labels, "__array__"):
            return _array(np.asarray(labels), what)
        if not isinstance(labels, Iterable | Iterator):
            raise LabelError(
                f"{what} must be a sequence with one label an object, not {_kind(labels)}."
            )
        labels = list(labels)
    types = set(map(type, labels))
    if types and all(issubclass(kind, list | tuple | np.ndarray) for kind in types):
        raise LabelError(
            f"{what} must be one-dimensional, one label an object; it holds {len(labels)} rows."
        )
    if len(types) == 1 and issubclass(next(iter(types)), int | float | np.generic):
        array = np.asarray(labels)
        if array.dtype.kind in "biufMm":
            return _array(array, what)
    return _objects(labels, what)


def _array(array: NDArray[Any], what: str) -> Codes:
    if array.ndim != 1:
        hint = "; pass one column, or ravel it" if array.ndim == 2 and 1 in array.shape else ""
        raise LabelError(
            f"{what} must be one-dimensional, one label an object; its shape is "
            f"{array.shape}{hint}."
        )
    masked = _mask_of(array)
    array = np.asarray(array)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    kind = array.dtype.kind
    if kind == "b":
        codes = from_keys(array.view(np.uint8), [False, True], masked)
    elif kind in "iu":
        codes = _integers(array, masked)
    elif kind == "f":
        codes = _floats(array, masked, what)
    elif kind in "Mm":
        codes = _dates(array, masked)
    elif kind in "UST":
        codes = from_keys(*number(array.tolist()), masked)
    elif kind == "O":
        codes = _objects(array, what, masked)
    else:
        raise LabelError(f"{what} has dtype {array.dtype}, which cannot be labels.")
    return codes


def _mask_of(array: NDArray[Any]) -> Mask | None:
    if not isinstance(array, np.ma.MaskedArray):
        return None
    mask = np.ma.getmaskarray(array)
    return mask if mask.any() else None


def _integers(array: NDArray[Any], masked: Mask | None) -> Codes:
    if array.dtype == np.uint64 and len(array) and array.max() > np.iinfo(np.int64).max:
        values, codes = np.unique(array, return_inverse=True)
        return from_keys(codes, [int(value) for value in values], masked)
    return from_integers(array, masked)


def _floats(array: NDArray[Any], masked: Mask | None, what: str) -> Codes:
    missing = np.isnan(array)
    if masked is not None:
        missing |= masked
    filled = np.where(missing, 0, array) if missing.any() else array
    wrong = np.flatnonzero(filled != np.trunc(filled))
    if not np.isfinite(filled).all():
        raise LabelError(f"{what} holds an infinite number, which cannot be a label.")
    if len(wrong):
        raise LabelError(
            f"{what} holds {filled[wrong[0]]!s} at position {wrong[0]}; float labels must be "
            "whole numbers (convert to text if fractions are meant as names)."
        )
    if len(filled) and np.abs(filled).max() >= 2.0**63:
        values, codes = np.unique(filled, return_inverse=True)
        return from_keys(
            codes, [int(value) for value in values], missing if missing.any() else None
        )
    return from_integers(filled.astype(np.int64), missing if missing.any() else None)


def _dates(array: NDArray[Any], masked: Mask | None) -> Codes:
    missing = np.isnat(array)
    if masked is not None:
        missing |= masked
    dtype = array.dtype

    def restore(codes: NDArray[Any]) -> Sequence[Any]:
        return list(codes.astype(np.int64).view(dtype))

    def find(label: Any) -> int | None:
        return int(label.astype(dtype).view(np.int64)) if isinstance(label, np.generic) else None

    values = np.ascontiguousarray(array).view(np.int64)
    if not missing.any():
        return Codes(values, restore, find)
    # The code of NaT is the smallest integer: left in place it would stretch the range.
    return Codes(np.where(missing, 0, values), restore, find, missing)


def _objects(labels: Sequence[Any] | NDArray[Any], what: str, masked: Mask | None = None) -> Codes:
    try:
        codes, keys = _number_objects(labels)
    except TypeError:
        wrong = next(item for item in labels if not _hashable(item))
        raise LabelError(
            f"{what} holds {_kind(wrong)} among its labels; a label must be one plain value."
        ) from None
    for key in keys:
        if isinstance(key, float) and key == key and not key.is_integer():
            raise LabelError(
                f"{what} holds {key!r}; float labels must be whole numbers (convert to text if "
                "fractions are meant as names)."
            )
    absent = np.array([_is_missing(key) for key in keys], dtype=bool)
    if absent.any():
        gone = absent[codes]
        masked = gone if masked is None else gone | masked
        rank = np.where(absent, 0, np.cumsum(~absent) - 1).astype(codes.dtype)
        codes, keys = rank[codes], [key for key in keys if not _is_missing(key)]
        keys = keys or [None]
    return from_keys(codes, keys, masked)


def _number_objects(labels: Sequence[Any] | NDArray[Any]) -> tuple[NDArray[Any], list[Any]]:
    """Number objects by value; where few objects stand behind many references, by address first."""
    if isinstance(labels, np.ndarray):
        if len(labels) > FEW and labels.flags.c_contiguous:
            from clustervet._kernels import hash_codes

            addresses = _addresses(labels)
            codes, seen = hash_codes(addresses, max(256, len(labels) // 8))
            if len(seen):
                first = np.empty(len(seen), np.int64)
                first[codes[::-1]] = np.arange(len(labels))[::-1]
                merged, keys = number([labels[k] for k in first])
                return merged[codes], keys
        return number(labels.tolist())
    return number(labels)


def _addresses(objects: NDArray[Any]) -> NDArray[np.int64]:
    """The references of an object array as integers, without copying."""
    interface = {
        "data": (objects.__array_interface__["data"][0], True),
        "typestr": np.dtype(np.intp).str,
        "shape": objects.shape,
        "version": 3,
    }
    holder = type("Holder", (), {"__array_interface__": interface})()
    return np.asarray(holder)


def _is_missing(key: Any) -> bool:
    if key is None or type(key).__name__ == "NAType":
        return True
    try:
        return bool(key != key)
    except (TypeError, ValueError):
        return False


def _hashable(item: Any) -> bool:
    try:
        hash(item)
    except TypeError:
        return False
    return True


def _kind(thing: Any) -> str:
    if thing is None:
        return "None"
    if isinstance(thing, str):
        return f"one string ({show_label(thing, 20)!r})"
    name = type(thing).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _pandas(series: Any, what: str) -> Codes:
    if getattr(series, "ndim", 1) != 1:
        raise LabelError(f"{what} is a table of shape {series.shape}; pass one of its columns.")
    array = getattr(series, "array", series)
    if hasattr(array, "categories"):
        codes = np.asarray(array.codes)
        missing = codes < 0
        if missing.any():
            return from_keys(np.where(missing, 0, codes), list(array.categories), missing)
        return from_keys(codes, list(array.categories))
    if isinstance(array.dtype, np.dtype):
        return _array(series.to_numpy(), what)
    codes, keys = series.factorize()
    missing = codes < 0
    names = [key.item() if isinstance(key, np.generic) else key for key in keys]
    if any(isinstance(name, float) and not name.is_integer() for name in names):
        return _objects(
            [None if m else names[c] for c, m in zip(codes, missing, strict=True)], what
        )
    if missing.any():
        return from_keys(np.where(missing, 0, codes), names or [None], missing)
    return from_keys(codes, names)


def _polars(series: Any, what: str) -> Codes:
    if not hasattr(series, "to_physical"):
        raise LabelError(f"{what} is a table or an expression; pass one of its columns.")
    polars = sys.modules["polars"]
    missing = series.is_null().to_numpy()
    masked = missing if missing.any() else None
    if series.dtype.is_numeric() or series.dtype == polars.Boolean:
        filled = series.fill_null(value=False if series.dtype == polars.Boolean else 0)
        codes = _array(filled.to_numpy(), what)
        return codes if masked is None else Codes(codes.values, codes.restore, codes.find, masked)
    if series.dtype.is_nested() or series.dtype == polars.Object:
        return _objects(series.to_list(), what)
    if series.dtype == polars.String:
        series = series.cast(polars.Categorical)
    distinct = series.drop_nulls().unique()
    values = distinct.to_physical().to_numpy().astype(np.int64)
    order = np.argsort(values)
    names = [distinct[int(k)] for k in order]
    physical = series.to_physical()
    if masked is not None and len(values):
        physical = physical.fill_null(int(values[0]))
    codes = np.searchsorted(values[order], physical.to_numpy()) if len(values) else missing * 0
    return from_keys(codes, names or [None], masked)


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
        return _array(array.to_numpy(zero_copy_only=False), what)
    if arrow.types.is_floating(array.type) or arrow.types.is_nested(array.type):
        return _objects(array.to_pylist(), what)
    if not arrow.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    missing = array.is_null().to_numpy(zero_copy_only=False)
    codes = array.indices.fill_null(0).to_numpy(zero_copy_only=False)
    names = array.dictionary.to_pylist() or [None]
    return from_keys(codes, names, missing if missing.any() else None)


# An engine's own series are read by their own methods; no engine is ever imported here.
_SERIES = {"pandas": _pandas, "polars": _polars, "pyarrow": _pyarrow}
