"""Arrays of numpy and scipy in NPY and NPZ files; nothing pickled is ever loaded."""

from __future__ import annotations

import struct
import tokenize
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import FileError
from clustervet.frames.columns import Kind, absent_column, listed, refused_value
from clustervet.frames.places import Place
from clustervet.labels import Codes, read_labels, show_label

MATRICES = ("X", "data", "features")
FEATURE_NAMES = ("feature_names", "vocab", "columns")
CLASS_NAMES = ("class_names", "target_names")
# The arrays that class names are the names of.
CLASSES = ("labels", "y", "target", "classes")
SPARSE = ("data", "indices", "indptr", "shape")
BLOCK = 65_536
PICKLED = "holds Python objects, which are never loaded; save it as text, with .astype(str)"
# What numpy, scipy and zipfile raise for files that are not what they claim to be.
BROKEN = (
    *(OSError, EOFError, ValueError, TypeError, KeyError, IndexError, SyntaxError, MemoryError),
    *(NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error, struct.error),
    tokenize.TokenError,
)

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class ArrayFile:
    """A matrix of named columns, and arrays as long as it is, which can be labels."""

    place: Place
    matrix: Any
    features: tuple[str, ...]
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
        places = {column: place for place, column in enumerate(self.features)}
        for column in features:
            if column not in places:
                raise self._no_feature(column)
        matrix = self.matrix
        if tuple(features) != self.features:
            matrix = matrix[:, [places[column] for column in features]]
        matrix = _floats(matrix)
        _check_finite(matrix, features, self.name)
        return matrix, codes

    def absent(self, column: str) -> FileError:
        """The refusal of a column or array that cannot be had."""
        if column in self.unfit:
            return FileError(f"array {show_label(column)!r} of {self.name} {self.unfit[column]}.")
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
    if not place.start.startswith(b"\x93NUMPY"):
        raise FileError(f"{place.name} is not an NPY file.")
    try:
        with open(place.path, "rb") as stream:
            array = np.load(stream, allow_pickle=False)
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
        arrays, unfit = _load(place.path)
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


def _load(path: str) -> tuple[Arrays, dict[str, str]]:
    arrays, unfit = {}, {}
    with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as archive:
        for column in archive.files:
            try:
                arrays[column] = archive[column]
            except ValueError as error:
                if "allow_pickle" not in str(error):
                    raise
                unfit[column] = PICKLED
    for column, array in arrays.items():
        if not isinstance(array, np.ndarray):
            raise ValueError(f"its member {show_label(column)} is no array")
    return arrays, unfit


def _sparse(arrays: Arrays, path: str) -> Any:
    """The matrix that scipy saved, or the three arrays of one with its shape; else None."""
    from_scipy = {"format", "shape", "data"} <= arrays.keys()
    if not from_scipy and not (set(SPARSE) <= arrays.keys() and arrays["data"].ndim == 1):
        return None
    from scipy import sparse

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
    unfit = dict(unfit)
    fit = {}
    for column, array in arrays.items():
        if array.shape == (rows,):
            fit[column] = _named(column, array, arrays)
        else:
            unfit[column] = f"has the shape {array.shape} beside a matrix of {rows:,} rows"
    # A word of a vocabulary may be the name of an array, too.
    features = tuple(
        f"{column} (column)" if column in fit else column
        for column in names or _feature_names(arrays, width)
    )
    kinds = {**dict.fromkeys(features, Kind.number), **dict.fromkeys(fit, Kind.beside)}
    return ArrayFile(place, matrix, features, fit, kinds, unfit)


def _feature_names(arrays: Arrays, width: int) -> tuple[str, ...]:
    for column in FEATURE_NAMES:
        if column in arrays:
            array = arrays[column]
            if array.shape == (width,) and array.dtype.kind in "UT":
                names = tuple(array.tolist())
                if len(set(names)) == width:
                    return names
    return tuple(str(place) for place in range(1, width + 1))


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
    for start in range(0, len(matrix), BLOCK):
        wrong = np.argwhere(~np.isfinite(matrix[start : start + BLOCK]))
        if len(wrong):
            row, place = wrong[0].tolist()
            value = float(matrix[start + row, place])
            raise refused_value(features[place], name, f"row {start + row + 1}", value)


def _broken(place: Place, format: str, error: Exception) -> FileError:
    if isinstance(error, MemoryError):
        return FileError(f"{place.name} holds an array that does not fit into memory.")
    if "allow_pickle" in str(error):
        return FileError(f"{place.name} {PICKLED}.")
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return FileError(
        f"{place.name} is not a whole {format} file: {show_label(lines[0], 120).rstrip('.')}."
    )
