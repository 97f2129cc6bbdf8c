"""Batches of an engine's result through the Arrow C stream interface, without copying.

The structures are those of the Arrow C data interface, which is frozen
(https://arrow.apache.org/docs/format/CDataInterface.html, CStreamInterface.html). So a result
comes batch by batch into numpy, and neither engine nor numpy ever holds a second copy of it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Generator
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

NUMBERS = {"g": np.float64, "f": np.float32, "l": np.int64, "L": np.uint64}
TEXTS = {"u": np.int32, "U": np.int64}


class StreamError(Exception):
    """The engine broke off; its own words."""


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    pass


_Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(_Schema))),
    ("dictionary", POINTER(_Schema)),
    ("release", CFUNCTYPE(None, POINTER(_Schema))),
    ("private_data", c_void_p),
]
_Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(_Array))),
    ("dictionary", POINTER(_Array)),
    ("release", CFUNCTYPE(None, POINTER(_Array))),
    ("private_data", c_void_p),
]
_Stream._fields_ = [
    ("get_schema", CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Schema))),
    ("get_next", CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Array))),
    ("get_last_error", CFUNCTYPE(c_char_p, POINTER(_Stream))),
    ("release", CFUNCTYPE(None, POINTER(_Stream))),
    ("private_data", c_void_p),
]


def batches(capsule: Any) -> Generator[tuple[int, list[Any]], None, None]:
    """Each batch as its length and its columns, which are gone when the next one comes.

    A column of 64-bit integers or of floats is an array, masked where values are missing; a
    column of text is a list with None where a value is missing.
    """
    stream = ctypes.cast(_pointer(capsule), POINTER(_Stream))
    formats = _formats(stream)
    while True:
        batch = _Array()
        _check(stream, stream.contents.get_next(stream, ctypes.byref(batch)))
        if not batch.release:
            return
        try:
            yield (
                batch.length,
                [_column(batch, place, code) for place, code in enumerate(formats)],
            )
        finally:
            batch.release(ctypes.byref(batch))


def _pointer(capsule: Any) -> int:
    read = ctypes.pythonapi.PyCapsule_GetPointer
    read.restype, read.argtypes = c_void_p, [ctypes.py_object, c_char_p]
    address: int = read(capsule, b"arrow_array_stream")
    return address


def _formats(stream: Any) -> list[str]:
    schema = _Schema()
    _check(stream, stream.contents.get_schema(stream, ctypes.byref(schema)))
    try:
        children = schema.children[: schema.n_children]
        return [child.contents.format.decode() for child in children]
    finally:
        schema.release(ctypes.byref(schema))


def _check(stream: Any, failed: int) -> None:
    if failed:
        said = stream.contents.get_last_error(stream) or b"the engine gives no reason"
        raise StreamError(said.decode("utf-8", "replace"))


def _column(batch: _Array, place: int, code: str) -> Any:
    child = batch.children[place].contents
    start, length = batch.offset + child.offset, batch.length
    gone = _missing(child, start, length)
    if code in TEXTS:
        return _texts(child, start, length, gone, TEXTS[code])
    values = _buffer(child, 1, NUMBERS[code], start, length)
    return values if gone is None else np.ma.MaskedArray(values, gone)


def _missing(child: _Array, start: int, length: int) -> NDArray[np.bool_] | None:
    """Where the validity bitmap has a zero."""
    if child.null_count == 0 or not child.buffers[0]:
        return None
    packed = _buffer(child, 0, np.uint8, 0, (start + length + 7) // 8)
    valid = np.unpackbits(packed, bitorder="little")[start : start + length]
    return np.logical_not(valid)


def _texts(
    child: _Array, start: int, length: int, gone: NDArray[np.bool_] | None, offset: Any
) -> list[str | None]:
    ends = _buffer(child, 1, offset, start, length + 1)
    first, last = int(ends[0]), int(ends[-1])
    data = ctypes.string_at(child.buffers[2] + first, last - first) if last > first else b""
    cuts = pairwise((ends - first).tolist())
    texts: list[str | None]
    if data.isascii():
        whole = data.decode("ascii")
        texts = [whole[a:b] for a, b in cuts]
    else:
        texts = [data[a:b].decode() for a, b in cuts]
    if gone is not None:
        for place in np.flatnonzero(gone):
            texts[place] = None
    return texts


def _buffer(child: _Array, place: int, dtype: Any, start: int, length: int) -> NDArray[Any]:
    if not length:
        return np.empty(0, dtype)
    size = np.dtype(dtype).itemsize
    raw = (ctypes.c_char * (length * size)).from_address(child.buffers[place] + start * size)
    return np.frombuffer(raw, dtype)
