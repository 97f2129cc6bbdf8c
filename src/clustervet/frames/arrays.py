"""Arrays of numpy and scipy in NPY and NPZ files; nothing pickled is ever loaded."""

from __future__ import annotations

import io
import math
import struct
import sys
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from clustervet._memory import need, show_size
from clustervet.errors import ClustervetError, FileError
from clustervet.frames.columns import COMPARED, Kind, absent_column, listed, refused_value
from clustervet.frames.places import Place
from clustervet.labels import Codes, read_labels, show_label

MATRICES = ("X", "data", "features")
FEATURE_NAMES = ("feature_names", "vocab", "columns")
CLASS_NAMES = ("class_names", "target_names")
# The arrays that class names are the names of.
CLASSES = ("labels", "y", "target", "classes")
SPARSE = ("data", "indices", "indptr", "shape")
BLOCK = 65_536
MAGIC = b"\x93NUMPY"
# Bytes of the header of an array, at most, as in numpy.
LONGEST_HEADER = 10_000
# Bytes that a row or a column of a sparse matrix may take where it has a name.
SPARSE_LINE = 256
PICKLED = "holds Python objects, which are never loaded; save it as text, with .astype(str)"
# What numpy, scipy and zipfile raise for files that are not what they claim to be.
BROKEN = (
    *(OSError, EOFError, ValueError, TypeError, KeyError, IndexError, SyntaxError, MemoryError),
    *(NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error, struct.error),
    tokenize.TokenError,
)

Arrays = dict[str, NDArray[Any]]


class Numbered(Sequence[str]):
    """The names 1, 2, ... of columns that have no others, made when they are asked for."""

    def __init__(self, width: int) -> None:
        self._numbers = range(1, width + 1)

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, place: Any) -> Any:
        found = self._numbers[place]
        return tuple(map(str, found)) if isinstance(found, range) else str(found)

    def __iter__(self) -> Iterator[str]:
        return map(str, self._numbers)

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str) or len(name) > 20 or not (name.isascii() and name.isdecimal()):
            return False
        return str(int(name)) == name and int(name) in self._numbers

    def index(self, name: str, *_: Any) -> int:
        """The place of a name."""
        if name not in self:
            raise ValueError(f"{name!r} is not in the list")
        return int(name) - 1

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Numbered):
            return self._numbers == other._numbers
        return isinstance(other, tuple) and len(other) == len(self) and other == tuple(self)

    __hash__ = None  # type: ignore[assignment]  # it equals tuples and is no key

    def __repr__(self) -> str:
        return repr(tuple(self)) if len(self) <= 20 else f"('1', ..., '{len(self)}')"


@dataclass(frozen=True)
class _Kinds(Mapping[str, Kind]):
    """What each column holds, where those of the matrix are numbered."""

    features: Numbered
    beside: Mapping[str, Any]

    def __getitem__(self, name: str) -> Kind:
        if name in self.beside:
            return Kind.beside
        if name in self.features:
            return Kind.number
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        yield from self.features
        yield from self.beside

    def __len__(self) -> int:
        return len(self.features) + len(self.beside)


@dataclass(frozen=True)
class ArrayFile:
    """A matrix of named columns, and arrays as long as it is, which can be labels."""

    place: Place
    matrix: Any
    features: Sequence[str]
    arrays: Mapping[str, NDArray[Any]]
    columns: Mapping[str, Kind]
    unfit: Mapping[str, str]
    indexed: bool = False

    @property
    def name(self) -> str:
        """The file in words that are safe to show."""
        return self.place.name

    def dtype(self, column: str) -> np.dtype[Any]:
        """The type of a column."""
        found: np.dtype[Any] = self.arrays.get(column, self.matrix).dtype
        return found

    def read(self, features: Sequence[str], labels: Sequence[str]) -> tuple[Any, dict[str, Codes]]:
        """The features as a matrix, and columns as labels."""
        if not self.matrix.shape[0]:
            raise FileError(f"{self.name} has no rows.")
        codes = {
            column: read_labels(values, f"{show_label(column)!r} of {self.name}")
            for column, values in zip(labels, self.arrays_of(labels), strict=True)
        }
        matrix = self.matrix
        if features is not self.features and tuple(features) != self.features:
            matrix = matrix[:, self._places(features)]
        matrix = _floats(matrix)
        _check_finite(matrix, features, self.name)
        return matrix, codes

    def _places(self, features: Sequence[str]) -> list[int]:
        """Where the columns of some features are in the matrix."""
        names = self.features
        places = {} if isinstance(names, Numbered) else {name: at for at, name in enumerate(names)}
        for column in features:
            if column not in (places or names):
                raise self._no_feature(column)
        return [places[column] if places else names.index(column) for column in features]

    def absent(self, column: str) -> FileError:
        """The refusal of a column or array that cannot be had."""
        if column in self.unfit:
            return FileError(f"array {show_label(column)!r} of {self.name} {self.unfit[column]}.")
        if len(self.features) > COMPARED:
            beside = f" and {listed([*self.arrays])}" if self.arrays else ""
            first, last = show_label(self.features[0]), show_label(self.features[-1])
            return FileError(
                f"{self.name} has no column {show_label(column)!r}; its columns are {first} to "
                f"{last}{beside}."
            )
        return absent_column(column, self.name, [*self.arrays, *self.features])

    def arrays_of(self, columns: Sequence[str]) -> list[NDArray[Any]]:
        """Columns as arrays of one dimension."""
        return [self._column(column) for column in columns]

    def _column(self, column: str) -> NDArray[Any]:
        if column in self.arrays:
            return self.arrays[column]
        values = self.matrix[:, [self.features.index(column)]]
        dense: NDArray[Any] = values if isinstance(values, np.ndarray) else values.toarray()
        return dense.ravel()

    def _no_feature(self, column: str) -> FileError:
        if self.columns[column] is Kind.beside:
            return FileError(
                f"array {show_label(column)!r} of {self.name} lies beside the matrix and is no "
                "column of it."
            )
        return refused_value(column, self.name, "row 1", self.arrays[column][0])


def open_arrays(place: Place, chosen: str | None) -> ArrayFile:
    """An NPY or an NPZ file; `chosen` names the matrix of an NPZ file."""
    return _open_npy(place) if place.suffix == ".npy" else _open_npz(place, chosen)


def _open_npy(place: Place) -> ArrayFile:
    """The one array of an NPY file; a structured array is a table."""
    if not place.start.startswith(MAGIC):
        raise FileError(f"{place.name} is not an NPY file.")
    try:
        with open(place.path, "rb") as stream:
            need(_claimed(stream, place.size, "it"), f"the array of {place.name}")
            stream.seek(0)
            array = _array(stream)
    except BROKEN as error:
        raise _broken(place, "NPY", error) from None
    if array.dtype.names:
        return _table({column: array[column] for column in array.dtype.names}, place, {})
    return _beside(array, ["1"] if array.ndim == 1 else [], {}, place, {})


def _open_npz(place: Place, chosen: str | None) -> ArrayFile:
    """The matrix of an NPZ file, dense or sparse, with the arrays beside it."""
    if not place.start.startswith(b"PK"):
        raise FileError(f"{place.name} is not an NPZ file.")
    try:
        arrays, unfit = load_npz(place)
        sparse = None if chosen is not None else _sparse(arrays, place.path)
    except BROKEN as error:
        raise _broken(place, "NPZ", error) from None
    if sparse is not None:
        rest = {column: array for column, array in arrays.items() if column not in SPARSE}
        return _beside(sparse, [], rest, place, unfit)
    matrix = _choose(arrays, place.name, chosen, unfit)
    if matrix is None:
        return _table(arrays, place, unfit)
    rest = {column: array for column, array in arrays.items() if column != matrix}
    names = [matrix] if arrays[matrix].ndim == 1 else []
    return _beside(arrays[matrix], names, rest, place, unfit)


def load_npz(place: Place) -> tuple[Arrays, dict[str, str]]:
    """All arrays, once their claims are found to fit their members and the memory."""
    arrays, unfit, total = {}, {}, 0
    with zipfile.ZipFile(place.path) as archive:
        members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        for column, info in members.items():
            with archive.open(info) as stream:
                if stream.read(len(MAGIC)) != MAGIC:
                    raise ValueError(f"its member {show_label(column)} is no array")
            with archive.open(info) as stream:
                total += _claimed(stream, info.file_size, f"its array {show_label(column)!r}")
        need(total, f"the arrays of {place.name}")
        for column, info in members.items():
            try:
                with archive.open(info) as stream:
                    arrays[column] = _array(stream)
            except ValueError as error:
                if "allow_pickle" not in str(error):
                    raise
                unfit[column] = PICKLED
    return arrays, unfit


def _array(stream: Any) -> NDArray[Any]:
    """An array of which no text has a character that Unicode does not have."""
    array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    for part in [array] if array.dtype.names is None else map(array.__getitem__, array.dtype.names):
        kind = part.dtype
        if kind.kind == "U" and kind.itemsize and part.size:
            codes = np.ascontiguousarray(part).view(np.dtype("u4").newbyteorder(kind.byteorder))
            if codes.max() > sys.maxunicode:
                raise ValueError("a text has a character that Unicode does not have")
    return array


def _claimed(stream: Any, size: int, what: str) -> int:
    """Bytes of the array at the start of a stream of `size` bytes, which must hold them."""
    version = np.lib.format.read_magic(stream)
    shape, _, dtype = _header(stream, version)
    if dtype.hasobject:
        return 0  # it is refused when it is read
    held = size - stream.tell()
    # Even where values take no room, each of them is a value.
    if min(shape, default=0) < 0 or math.prod(shape) * max(dtype.itemsize, 1) > held:
        shown = " x ".join(f"{side:,}" for side in shape) or "1"
        raise ValueError(
            f"{what} claims {show_label(shown, 80)} values of {dtype.itemsize} bytes each, and "
            f"{show_size(max(held, 0))} are there"
        )
    return int(math.prod(shape) * dtype.itemsize)


def _header(stream: BinaryIO, version: tuple[int, int]) -> Any:
    """Shape, order and type of an array, by its header."""
    try:
        return _parsed_header(stream, version)
    except (ValueError, TypeError, SyntaxError):  # what they say is about Python's own parser
        raise ValueError("its header cannot be read") from None


def _parsed_header(stream: BinaryIO, version: tuple[int, int]) -> Any:
    if version == (1, 0):
        return np.lib.format.read_array_header_1_0(stream)
    if version == (2, 0):
        return np.lib.format.read_array_header_2_0(stream)
    # Version 3 is version 2 in UTF-8; a literal may spell its names in escapes.
    (length,) = struct.unpack("<I", stream.read(4))
    if version != (3, 0) or length > LONGEST_HEADER:
        raise ValueError("its header cannot be read")
    text = stream.read(length).decode().encode("ascii", "backslashreplace")
    return np.lib.format.read_array_header_2_0(
        io.BytesIO(struct.pack("<I", len(text)) + text), max_header_size=10 * LONGEST_HEADER
    )


def _sparse(arrays: Arrays, path: str) -> Any:
    """The matrix that scipy saved, or the three arrays of one with its shape; else None."""
    from_scipy = {"format", "shape", "data"} <= arrays.keys()
    if not from_scipy and not (set(SPARSE) <= arrays.keys() and arrays["data"].ndim == 1):
        return None
    from scipy import sparse

    check_sparse(arrays["shape"])
    if from_scipy:
        with open(path, "rb") as stream:
            matrix = sparse.load_npz(stream)
    else:
        shape = tuple(int(size) for size in arrays["shape"])
        parts = (arrays["data"], arrays["indices"], arrays["indptr"])
        matrix = sparse.csr_array(parts, shape=shape)
    if matrix.format in ("csr", "csc", "bsr"):
        matrix.check_format(full_check=True)  # compiled code would follow a wrong index anywhere
    matrix = sparse.csr_array(matrix)
    matrix.sum_duplicates()
    return matrix


def check_sparse(shape: NDArray[Any]) -> None:
    """Refuse a sparse matrix that claims more rows and columns than can be dealt with."""
    sides = [int(side) for side in shape.ravel()[:2]]
    shown = " x ".join(f"{side:,}" for side in sides)
    need(SPARSE_LINE * sum(sides), f"a sparse matrix of {shown}")


def _choose(arrays: Arrays, name: str, chosen: str | None, unfit: Mapping[str, str]) -> str | None:
    """The name of the matrix; None where there is none and the arrays make a table."""
    if chosen is not None:
        if chosen in unfit:
            raise FileError(f"array {show_label(chosen)!r} of {name} {unfit[chosen]}.")
        if chosen not in arrays:
            raise FileError(
                f"{name} has no array {show_label(chosen)!r}; its arrays are "
                f"{listed([*arrays, *unfit])}."
            )
        return chosen
    flat = [column for column, array in arrays.items() if array.ndim == 2]
    for column in MATRICES:
        if column in flat:
            return column
    if len(flat) > 1:
        raise FileError(
            f"{name} holds several matrices, {listed(flat)}; name one with --array (array=)."
        )
    return flat[0] if flat else None


def _table(arrays: Arrays, place: Place, unfit: Mapping[str, str]) -> ArrayFile:
    """Arrays of one length as the columns of a table."""
    columns = {column: array for column, array in arrays.items() if array.ndim == 1}
    lengths = {len(array) for array in columns.values()}
    if len(lengths) != 1:
        shapes = listed([f"{column} {array.shape}" for column, array in arrays.items()])
        pickled = listed([f"{column} (Python objects)" for column in unfit])
        held = ", ".join(part for part in (shapes, pickled) if part) or "no array"
        raise FileError(
            f"{place.name} has neither a matrix nor arrays of one length: it holds {held}."
        )
    kinds = {column: _kind(array.dtype) for column, array in columns.items()}
    features = tuple(column for column, kind in kinds.items() if kind.numeric)
    numeric = [columns[column] for column in features]
    wide = np.result_type(np.float32, *(_float(array.dtype) for array in numeric))
    size = sum(array.nbytes for array in arrays.values()) + 8 * len(numeric) * max(lengths)
    need(size, f"the arrays of {place.name}")
    matrix = np.empty((*lengths, len(numeric)), wide)
    for at, array in enumerate(numeric):
        matrix[:, at] = array
    return ArrayFile(place, matrix, features, columns, kinds, unfit, indexed=True)


def _beside(
    matrix: Any, names: Sequence[str], arrays: Arrays, place: Place, unfit: Mapping[str, str]
) -> ArrayFile:
    """A matrix with the arrays that are as long as it is."""
    if matrix.ndim == 1:
        matrix = matrix.reshape(-1, 1)
    if matrix.ndim != 2:
        raise FileError(
            f"{place.name} holds an array of shape {matrix.shape}; two dimensions are meant."
        )
    if not _kind(matrix.dtype).numeric:
        raise FileError(f"the matrix of {place.name} holds {_kind(matrix.dtype)}, not numbers.")
    rows, width = matrix.shape
    if not rows:
        raise FileError(f"{place.name} has no rows.")
    unfit = dict(unfit)
    fit = {}
    for column, array in arrays.items():
        if array.shape == (rows,):
            fit[column] = _named(column, array, arrays)
        else:
            unfit[column] = f"has the shape {array.shape} beside a matrix of {rows:,} rows"
    if not width and not fit:
        raise FileError(f"{place.name} has no columns.")
    known = names or _feature_names(arrays, width)
    if isinstance(known, Numbered) and not any(column in known for column in fit):
        return ArrayFile(place, matrix, known, fit, _Kinds(known, fit), unfit)
    # A word of a vocabulary may be the name of an array, too.
    features = tuple(f"{column} (column)" if column in fit else column for column in known)
    kinds = {**dict.fromkeys(features, Kind.number), **dict.fromkeys(fit, Kind.beside)}
    return ArrayFile(place, matrix, features, fit, kinds, unfit)


def _feature_names(arrays: Arrays, width: int) -> Sequence[str]:
    for column in FEATURE_NAMES:
        if column in arrays:
            array = arrays[column]
            if array.shape == (width,) and array.dtype.kind in "UT":
                names = tuple(array.tolist())
                if len(set(names)) == width:
                    return names
    return Numbered(width)


def _named(column: str, array: NDArray[Any], arrays: Arrays) -> NDArray[Any]:
    """Class numbers by their names, where the file has a name for each number."""
    for key in CLASS_NAMES:
        names = arrays.get(key)
        if names is None or names.ndim != 1 or names.dtype.kind not in "UT":
            continue
        if column in CLASSES and array.dtype.kind in "iu" and len(array):
            unique = len(set(names.tolist())) == len(names)
            if unique and array.min() >= 0 and array.max() < len(names):
                by_name: NDArray[Any] = names[array]
                return by_name
    return array


def _kind(dtype: np.dtype[Any]) -> Kind:
    if dtype.kind in "iuf":
        return Kind.number
    kinds = {"b": Kind.boolean, "M": Kind.date, "m": Kind.date}
    return kinds.get(dtype.kind, Kind.text if dtype.kind in "UST" else Kind.other)


def _float(dtype: np.dtype[Any]) -> Any:
    return np.float32 if dtype.kind == "f" and dtype.itemsize <= 4 else np.float64


def _floats(matrix: Any) -> Any:
    wide = matrix.astype(_float(matrix.dtype), copy=False)
    return np.ascontiguousarray(wide) if isinstance(wide, np.ndarray) else wide


def _check_finite(matrix: Any, features: Sequence[str], name: str) -> None:
    if not isinstance(matrix, np.ndarray):
        stored = np.flatnonzero(~np.isfinite(matrix.data))
        if len(stored):
            row = int(np.searchsorted(matrix.indptr, stored[0], side="right"))
            column = features[int(matrix.indices[stored[0]])]
            raise refused_value(column, name, f"row {row}", float(matrix.data[stored[0]]))
        return
    for start in range(0, len(matrix) if matrix.shape[1] else 0, BLOCK):
        wrong = np.argwhere(~np.isfinite(matrix[start : start + BLOCK]))
        if len(wrong):
            row, place = wrong[0].tolist()
            value = float(matrix[start + row, place])
            raise refused_value(features[place], name, f"row {start + row + 1}", value)


def _broken(place: Place, format: str, error: Exception) -> ClustervetError:
    if isinstance(error, ClustervetError):
        return error
    if isinstance(error, MemoryError):
        return FileError(f"{place.name} holds an array that does not fit into memory.")
    if "allow_pickle" in str(error):
        return FileError(f"{place.name} {PICKLED}.")
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return FileError(
        f"{place.name} is not a whole {format} file: {show_label(lines[0], 200).rstrip('.')}."
    )
