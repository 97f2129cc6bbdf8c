"""Reading the series of pandas, polars and pyarrow, by their own methods.

No engine is imported here: a user who passes a series has imported its engine already.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from clustervet.errors import LabelError
from clustervet.labels.arrays import check_names, from_array, from_objects
from clustervet.labels.codes import Codes, Integers, from_keys, number


def _pandas(series: Any, what: str) -> Codes:
    if getattr(series, "ndim", 1) != 1:
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
    if isinstance(array.dtype, np.dtype):
        return from_array(series.to_numpy(), what)
    codes, keys = series.factorize()
    missing = codes < 0
    names = [key.item() if isinstance(key, np.generic) else key for key in keys]
    if any(isinstance(name, float) and not name.is_integer() for name in names):
        return from_objects(
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
        codes = from_array(filled.to_numpy(), what)
        if masked is None:
            return codes
        gone = masked if codes.missing is None else masked | codes.missing  # NaN is not null
        return Codes(codes.values, codes.restore, codes.find, gone)
    if series.dtype.is_nested() or series.dtype in (polars.Object, polars.Binary):
        return from_objects(series.to_list(), what)
    if series.dtype == polars.String:
        series = series.cast(polars.Categorical)
    physical = series.to_physical()
    if masked is not None:
        physical = physical.fill_null(0)
    distinct = series.drop_nulls().unique()
    names = dict(zip(distinct.to_physical().to_list(), distinct.to_list(), strict=True))
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
    if arrow.types.is_floating(array.type) or arrow.types.is_nested(array.type):
        return from_objects(array.to_pylist(), what)
    encoded = arrow.types.is_dictionary(array.type)
    if not encoded:
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
