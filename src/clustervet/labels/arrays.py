"""Reading arrays and lists of objects: every dtype of numpy, by range or by hash."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import LabelError
from clustervet.labels.codes import Codes, Mask, from_integers, from_keys, number
from clustervet.labels.text import plain_label, show_label

# For fewer objects a dict is quicker than loading compiled loops.
FEW = 20_000
SAMPLE = 8_192
# Bits of a whole number that Python writes whatever its limit of digits is.
SHORT = 2_000


def from_array(array: NDArray[Any], what: str) -> Codes:
    """Codes of a one-dimensional array of any dtype that can be labels."""
    if array.ndim != 1:
        hint = "; pass one column, or ravel it" if array.ndim == 2 and 1 in array.shape else ""
        if array.ndim == 2 and not hint and array.dtype.kind in "fb":
            hint = "; degrees of membership are a cv.Memberships, overlapping groups a cv.Cover"
        raise LabelError(
            f"{what} must be one-dimensional, one label per object; its shape is "
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
    elif kind in "US":
        codes = from_keys(*number(array.tolist()), masked)
    elif kind in "OT":
        codes = from_objects(array if kind == "O" else array.tolist(), what, masked)
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
    if array.dtype.itemsize < 8:  # a long double stays one: its labels may differ beyond a double
        array = array.astype(np.float64)
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
        return [plain_label(date) for date in codes.astype(np.int64).view(dtype)]

    def find(label: Any) -> int | None:
        moment = _moment(label)
        if moment is None or moment.dtype.kind != dtype.kind:
            return None
        same = moment.astype(dtype)
        return int(same.view(np.int64)) if same == moment else None

    values = np.ascontiguousarray(array).view(np.int64)
    if not missing.any():
        return Codes(values, restore, find)
    # The code of NaT is the smallest integer, which would make the range of codes huge.
    return Codes(np.where(missing, 0, values), restore, find, missing)


def _moment(label: Any) -> np.generic | None:
    """A date, a time or a time span as a numpy scalar; None for anything else."""
    if isinstance(label, np.generic):
        return label
    for name in ("to_datetime64", "to_timedelta64"):  # pandas, to the nanosecond
        if hasattr(label, name):
            made: np.generic = getattr(label, name)()
            return made
    if isinstance(label, datetime.timedelta):
        return np.timedelta64(label)
    aware = getattr(label, "tzinfo", None) is not None
    return np.datetime64(label) if isinstance(label, datetime.date) and not aware else None


def from_objects(
    labels: Sequence[Any] | NDArray[Any], what: str, masked: Mask | None = None
) -> Codes:
    """Codes of Python objects; objects that Python calls equal get the same code."""
    try:
        codes, keys = _number_objects(labels)
    except TypeError:
        wrong = next(item for item in labels if not _hashable(item))
        raise LabelError(
            f"{what} holds {kind_of(wrong)} among its labels; a label must be one plain value."
        ) from None
    check_names(keys, what)
    absent = np.array([is_missing(key) for key in keys], dtype=bool)
    if absent.any():
        gone = absent[codes]
        masked = gone if masked is None else gone | masked
        rank = np.where(absent, 0, np.cumsum(~absent) - 1).astype(codes.dtype)
        codes, keys = rank[codes], [key for key in keys if not is_missing(key)]
        keys = keys or [None]
    return from_keys(codes, keys, masked)


def check_names(keys: Sequence[Any], what: str) -> None:
    """Refuse names that are fractions, infinities, complex numbers or too long to be written."""
    for key in keys:
        if isinstance(key, int) and key.bit_length() > SHORT and not _writable(key):
            raise LabelError(
                f"{what} holds a whole number of more than {sys.get_int_max_str_digits():,} "
                "digits, which cannot be a label; make it text."
            )
        if isinstance(key, complex | np.complexfloating):
            raise LabelError(f"{what} holds the complex number {key!s}, which cannot be a label.")
        if isinstance(key, float | np.floating) and key == key and not key.is_integer():
            if np.isinf(key):
                raise LabelError(f"{what} holds an infinite number, which cannot be a label.")
            raise LabelError(
                f"{what} holds {key!s}; float labels must be whole numbers (convert to text if "
                "fractions are meant as names)."
            )


def _writable(number: int) -> bool:
    """Whether Python writes a number in digits, of which it allows 4,300 by default."""
    try:
        str(number)
    except ValueError:
        return False
    return True


def _number_objects(labels: Sequence[Any] | NDArray[Any]) -> tuple[NDArray[Any], list[Any]]:
    """Number objects by value; by address first where many references share few objects."""
    if not isinstance(labels, np.ndarray):
        return number(labels)
    if len(labels) > FEW and labels.flags.c_contiguous:
        addresses = _addresses(labels)
        sample = addresses[:: len(addresses) // SAMPLE]
        if 2 * len(set(sample.tolist())) < len(sample):
            from clustervet._kernels import hash_codes

            codes, first = hash_codes(addresses, len(labels) // 8)
            if len(first):
                merged, keys = number(labels[first].tolist())
                return merged[codes], keys
    return number(labels.tolist())


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


def is_missing(key: Any) -> bool:
    """Whether a value stands for one that is missing."""
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


def kind_of(thing: Any) -> str:
    """The kind of an object, for a message."""
    if thing is None:
        return "None"
    if isinstance(thing, str):
        return f"one string ({show_label(thing, 20)!r})"
    name = type(thing).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' or name == 'ndarray' else 'a'} {name}"
