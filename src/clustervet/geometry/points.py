"""The door for features: anything that holds numbers becomes a dense array or a CSR matrix."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._memory import need
from clustervet.errors import FeatureError
from clustervet.labels import show_label
from clustervet.labels.arrays import kind_of

FRAMES = frozenset({"pandas", "polars", "pyarrow", "duckdb", "modin", "cudf", "ibis"})
# Squares of larger coordinates come too near to the largest float.
LARGEST = 1e150
# Relative difference of the sums of a symmetric matrix along rows and columns, at most.
ROUNDING = 1e-11
# A matrix may differ from its transpose by this share of the largest distance: the square root
# of a rounding error, which is the error of distances by matrix products.
ASYMMETRY = {np.dtype(np.float32): 1e-3, np.dtype(np.float64): 1e-7}
# Metrics in which wide features outweigh narrow ones, the ratio above which a note says so, and
# the share of its size up to which a feature varies by rounding.
ADDING = frozenset(
    {"euclidean", "sqeuclidean", "cosine", "manhattan", "cityblock", "l1", "l2", "chebyshev"}
    | {"minkowski"}
)
UNEVEN = 100.0
CONSTANT = 1e-12


def read_points(features: Any, what: str = "X") -> Any:
    """Features as a contiguous float array (points, features) or a CSR matrix, all finite."""
    features = _unpacked(features)
    if is_sparse(features):
        return _sparse(features, what)
    array = _as_table(features, what)
    _check_finite(array, what)
    return array


def _unpacked(features: Any) -> Any:
    """The sparse matrix of a pandas frame if all its columns are sparse."""
    if type(features).__module__.partition(".")[0] != "pandas" or not hasattr(features, "dtypes"):
        return features
    kinds = getattr(features.dtypes, "values", [])
    packed = len(kinds) and all(str(kind).startswith("Sparse[") for kind in kinds)
    return features.sparse.to_coo().tocsr() if packed else features


def _as_table(features: Any, what: str) -> NDArray[Any]:
    """A contiguous float array with one row per point."""
    if type(features).__module__.partition(".")[0] in FRAMES:
        array = _from_frame(features, what)
    else:
        array = _as_array(features, what)
    if array.ndim == 1:
        raise FeatureError(
            f"{what} must have two dimensions, points by features; it has one. For a single "
            f"feature pass {what}.reshape(-1, 1)."
        )
    if array.ndim != 2:
        raise FeatureError(
            f"{what} must have two dimensions, points by features; it has {array.ndim}."
        )
    if 0 in array.shape:
        raise FeatureError(f"{what} has shape {array.shape}; it needs points and features.")
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    return np.ascontiguousarray(array)


def is_sparse(features: Any) -> bool:
    """Whether it is a scipy sparse matrix or array."""
    return type(features).__module__.startswith("scipy.sparse")


def _sparse(features: Any, what: str) -> Any:
    matrix = features.tocsr()
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise FeatureError(f"{what} has shape {matrix.shape}; it needs points and features.")
    if matrix.dtype.kind not in "biuf":
        raise FeatureError(f"{what} must hold numbers, not {matrix.dtype}.")
    if matrix.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float64)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    if (
        len(matrix.data)
        and float(np.abs(matrix.data).max()) >= LARGEST
        and np.isfinite(matrix.data).all()
    ):
        raise FeatureError(f"{what} holds values beyond {LARGEST:g}, too large to square.")
    if not np.isfinite(matrix.data).all():
        at = int(np.flatnonzero(~np.isfinite(matrix.data))[0])
        row = int(np.searchsorted(matrix.indptr, at, side="right")) - 1
        raise FeatureError(
            f"{what} must be finite; row {row}, column {matrix.indices[at]} is {matrix.data[at]}."
        )
    return matrix


def _from_frame(frame: Any, what: str) -> NDArray[Any]:
    import narwhals as nw

    if hasattr(frame, "set_axis") and getattr(frame, "ndim", 1) == 2:  # pandas: names of any kind
        frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    try:
        table = nw.from_native(frame, eager_only=True)
    except nw.exceptions.DuplicateError as error:
        name = str(error).partition("'")[2].partition("'")[0]
        raise FeatureError(
            f"{what} has two columns called {show_label(name)!r}; names must be unique."
        ) from None
    except TypeError:
        table = nw.from_native(frame, allow_series=True)
        if isinstance(table, nw.Series):
            return np.asarray(table.to_numpy())
        table = table.collect()
    for name, kind in table.schema.items():
        column = table[name]
        if not (kind.is_numeric() or kind == nw.Boolean):
            raise FeatureError(
                f"column {show_label(name)!r} of {what} holds {kind}, not numbers; leave it out "
                "or encode it."
            )
        if column.null_count():
            at = int(np.flatnonzero(column.is_null().to_numpy())[0])
            raise FeatureError(
                f"column {show_label(name)!r} of {what} has a missing value in row {at}; drop or "
                "fill such rows first."
            )
    kinds = {np.dtype(table[name].to_numpy().dtype) for name in table.columns}
    wide = np.float32 if kinds == {np.dtype(np.float32)} else np.float64
    out = np.empty((len(table), len(table.columns)), wide)
    for k, name in enumerate(table.columns):
        out[:, k] = table[name].to_numpy()
    return out


def _as_array(features: Any, what: str) -> NDArray[Any]:
    if features is None or isinstance(features, str | bytes | dict | set):
        raise FeatureError(
            f"{what} must be an array of points by features, not {kind_of(features)}."
        )
    if np.ma.is_masked(features):
        raise FeatureError(f"{what} has masked values; drop or fill them first.")
    try:
        array = np.asarray(features)
        if array.dtype.kind == "O":
            array = array.astype(np.float64)
    except (TypeError, ValueError):
        raise FeatureError(_no_numbers(features, what)) from None
    if array.dtype.kind not in "biuf":
        raise FeatureError(_no_numbers(array, what))
    return array


def _no_numbers(features: Any, what: str) -> str:
    """Why features are not an array of numbers: the first other value, or unequal rows."""
    try:
        table = np.asarray(features, dtype=object)
    except ValueError:
        return f"{what} must have rows of equal length."
    for place, item in np.ndenumerate(table):
        try:
            float(item)
        except (TypeError, ValueError):
            where = f"row {place[0]}" + (f", column {place[1]}" if len(place) > 1 else "")
            if isinstance(item, list | tuple | np.ndarray):
                return f"{what} must have rows of equal length."
            return f"{what} must hold numbers; {where} is {show_label(item)!r}."
    return f"{what} must hold real numbers, not {getattr(features, 'dtype', type(features))}."


def _check_finite(array: NDArray[Any], what: str) -> None:
    """Refuse NaN and infinities, and name the first one; works on blocks of rows."""
    rows = max(1, 2**20 // array.shape[1])
    for first in range(0, len(array), rows):
        block = array[first : first + rows]
        low, high = float(block.min()), float(block.max())
        if low > -LARGEST and high < LARGEST:
            continue
        bad = ~np.isfinite(block)
        if not bad.any():
            raise FeatureError(f"{what} holds values beyond {LARGEST:g}, too large to square.")
        row, column = np.argwhere(bad)[0]
        value = "NaN" if np.isnan(block[row, column]) else "infinite"
        raise FeatureError(
            f"{what} must be finite; row {first + row}, column {column} is {value}. Drop or fill "
            "such rows first."
        )


def read_matrix(matrix: Any, what: str = "X") -> NDArray[Any]:
    """A square matrix of numbers; `survey` checks whether they are distances."""
    if is_sparse(matrix):
        raise FeatureError(f"{what} with metric='precomputed' must be dense, not sparse.")
    distances: NDArray[Any] = _as_table(matrix, what)
    if distances.shape[1] != len(distances):
        raise FeatureError(
            f"{what} with metric='precomputed' must be square, with one row and one column per "
            f"point; its shape is {distances.shape}."
        )
    return distances


def read_distances(matrix: Any, what: str = "X") -> NDArray[Any]:
    """A square matrix of distances: finite, not negative, symmetric, zero on the diagonal."""
    distances = read_matrix(matrix, what)
    survey(distances, np.zeros(len(distances), np.int32), 1, what)
    return distances


def check_sums(points: int, clusters: int) -> None:
    """Refuse more distances of points to clusters than fit into memory."""
    need(8 * points * clusters, f"the distances of {points:,} points to {clusters:,} clusters")


def survey(
    distances: NDArray[Any], codes: NDArray[np.int32], clusters: int, what: str = "X"
) -> NDArray[np.float64]:
    """Sum the distances over clusters, points × clusters, and check that all are distances.

    The matrix is read once. It is symmetric if its products with random weights are the same along
    rows and along columns, up to rounding. Only if they are not, the fault is searched for.
    """
    from clustervet import _kernels

    n = len(distances)
    check_sums(n, clusters)
    sums, along = np.zeros((n, clusters)), np.zeros(n)
    weights = np.random.default_rng(0).uniform(0.5, 1.5, n)

    def part(first: int, last: int) -> tuple[bool, NDArray[np.float64]]:
        across = np.zeros(n)
        rows = (distances, first, last, codes, weights)
        return _kernels.survey(*rows, sums, along, across), across

    parts = _kernels.run(part, _kernels.ranges(n, 64))
    across = sum(found for _, found in parts)
    scale = float(along.max())
    even = math.isfinite(scale) and float(np.abs(along - across).max()) <= ROUNDING * scale
    if not even or any(negative for negative, _ in parts) or np.diagonal(distances).any():
        # No distance is larger than twice the largest one from the first point.
        tolerance = ASYMMETRY[distances.dtype] * float(distances[0].max())
        fault, row, column = _kernels.find_fault(distances, tolerance)
        if fault:
            _refuse(int(fault), distances, row, column, what)
    return sums


def _refuse(fault: int, distances: NDArray[Any], row: int, column: int, what: str) -> None:
    value = distances[row, column]
    if fault == 1:
        seen = "NaN" if np.isnan(value) else "infinite"
        raise FeatureError(f"{what} must be finite; row {row}, column {column} is {seen}.")
    if fault == 2:
        raise FeatureError(
            f"distances must not be negative; row {row}, column {column} of {what} is {value:g}."
        )
    if fault == 4:
        raise FeatureError(
            f"the distance of a point to itself must be 0; it is {value:.6g} for point {row} of "
            f"{what}."
        )
    raise FeatureError(
        f"distances must be symmetric; row {row}, column {column} of {what} is {value:.6g} and "
        f"the other way {distances[column, row]:.6g}."
    )


def scale_ratio(points: Any, metric: str = "euclidean") -> float:
    """Return how many times wider the widest feature is than the narrowest, where that is much.

    It is 0 unless the ranges and the standard deviations of the features both differ by a factor
    of more than 100: a pixel that is rarely black has the scale of all other pixels. It is 0 for
    sparse features, which are counts, and for metrics that do not add up the features as they are.
    Features that are constant have no scale.

    >>> scale_ratio(np.array([[0.0, 5.0], [1.0, 805.0]])), scale_ratio(np.eye(3))
    (800.0, 0.0)
    """
    if is_sparse(points) or metric not in ADDING:
        return 0.0
    low, high = points.min(axis=0).astype(np.float64), points.max(axis=0).astype(np.float64)
    widths = high / 2 - low / 2  # halves, whose difference is always finite
    # What differs in the last digits alone is constant.
    varying = np.flatnonzero(widths > CONSTANT * np.maximum(np.abs(low), np.abs(high)))
    ratio = _quotient(widths[varying])
    if ratio <= UNEVEN:
        return 0.0
    # Shares of the range, which can be squared whatever its size.
    spreads = [((points[:, k] / 2 - low[k] / 2) / widths[k]).std() for k in varying]
    return ratio if _quotient(np.array(spreads) * widths[varying]) > UNEVEN else 0.0


def _quotient(values: NDArray[np.float64]) -> float:
    """Return the largest value by the smallest; 0 where there are none."""
    if not len(values):
        return 0.0
    with np.errstate(over="ignore"):
        return float(min(values.max() / values.min(), np.finfo(np.float64).max))


def standardized(points: Any) -> Any:
    """Return features with mean 0 and variance 1; sparse ones keep their zeros."""
    from sklearn.preprocessing import StandardScaler

    return StandardScaler(with_mean=not is_sparse(points)).fit_transform(points)
