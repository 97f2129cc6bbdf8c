"""The door for features: anything that holds numbers becomes a dense array or a CSR matrix."""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from clustervet._kernels.patience import is_little
from clustervet._memory import need
from clustervet.errors import FeatureError, Setting
from clustervet.frames.feature_table import FeatureTable
from clustervet.frames.rows import LARGEST, SMALLEST
from clustervet.labels import encode_weights, show_label
from clustervet.labels.arrays import kind_of

FRAMES = frozenset({"pandas", "polars", "pyarrow", "duckdb", "modin", "cudf", "ibis"})
# Binary exponents of largest values that need no other scale: even the squares of differences in
# the last digit are far from the smallest float, and squares of squares from the largest.
USUAL = {np.dtype(np.float32): (-30, 50), np.dtype(np.float64): (-200, 200)}
# A row this much smaller than the largest value has no square beside it.
VANISHING = 2.0**-700
# Relative difference of the sums of a symmetric matrix along rows and columns, at most.
ROUNDING = 1e-11
# A matrix may differ from its transpose by this share of the largest distance: the square root
# of a rounding error, which is the error of distances by matrix products.
ASYMMETRY = {np.dtype(np.float32): 1e-3, np.dtype(np.float64): 1e-7}
# Distances up to which numpy reads a matrix; for more a compiler is loaded.
FEW_DISTANCES = 2**24
# Metrics in which wide features outweigh narrow ones, the ratio above which a note says so, and
# the share of its size up to which a feature varies by rounding.
ADDING = frozenset(
    {"euclidean", "sqeuclidean", "cosine", "manhattan", "cityblock", "l1", "l2", "chebyshev"}
    | {"minkowski"}
)
UNEVEN = 100.0
CONSTANT = 1e-12


def read_points(features: Any, what: str = "X") -> Any:
    """Features for algorithms, which square them: all finite, and of a size that has a square."""
    points, peak = read_with_peak(features, what)
    if peak >= LARGEST:
        raise FeatureError(f"{what} holds values beyond {LARGEST:g}, too large to square.")
    if 0 < peak < SMALLEST:
        raise FeatureError(
            f"the largest value of {what} is {peak:.3g}, too small to square; multiply {what} by a "
            "constant first."
        )
    return rescaled(points, peak)[0] if points.dtype == np.float32 else points


def read_with_peak(features: Any, what: str = "X") -> tuple[Any, float]:
    """Features as a contiguous float array (points, features) or a CSR matrix, all finite.

    The largest absolute value comes with them.
    """
    features = unpacked(features)
    points = _sparse(features, what) if is_sparse(features) else _as_table(features, what)
    peak = peak_of(points)
    if not math.isfinite(peak):
        _refuse_infinite(points, what)
    return points, peak


def read_values(features: Any, what: str = "X") -> Any:
    """Features in which values may be missing (NaN), as an array or a CSR matrix."""
    features = unpacked(features)
    if is_sparse(features):
        points = _sparse(features, what)
    else:
        points = _as_table(features, what, gaps=True)
    values = points.data if is_sparse(points) else points
    if np.isinf(values).any():
        _refuse_infinite(points, what, lambda given: ~np.isinf(given))
    return points


def peak_of(points: Any) -> float:
    """The largest absolute value, NaN if one is not finite; works on blocks of rows."""
    values = points.data if is_sparse(points) else points
    rows = max(1, 2**20 * len(values) // max(1, values.size))
    peak = 0.0
    for first in range(0, len(values), rows):
        block = values[first : first + rows]
        low, high = float(block.min()), float(block.max())
        if not (math.isfinite(low) and math.isfinite(high)):
            return math.nan
        peak = max(peak, -low, high)
    return peak


def rescaled(points: Any, peak: float) -> tuple[Any, int]:
    """Points of a usual size: themselves, or divided by 2**exponent; and the exponent.

    A power of two costs no digit. Single precision becomes double, where all its squares fit.
    """
    exponent = usual_exponent(peak, points.dtype)
    if exponent and points.dtype == np.float32:
        return points.astype(np.float64), 0
    return scaled_by(points, -exponent), exponent


def usual_exponent(peak: float, dtype: np.dtype[Any]) -> int:
    """The power of two to divide by; 0 if the largest value is usual.

    The largest value then is at the upper end of what is usual, which leaves most room for the
    squares of much smaller ones.
    """
    exponent = math.frexp(peak)[1]
    low, high = USUAL[dtype]
    return 0 if peak == 0 or low <= exponent <= high else exponent - high


def scaled_by(points: Any, exponent: int) -> Any:
    """Points times 2**exponent."""
    if not exponent:
        return points
    if not is_sparse(points):
        return np.ldexp(points, exponent)
    found = points.copy()
    found.data = np.ldexp(points.data, exponent)
    return found


def check_rows(points: Any, peak: float, what: str = "X") -> None:
    """Refuse rows that would vanish once the largest value is small enough to square."""
    peaks = _row_peaks(points)
    lost = np.flatnonzero((peaks > 0) & (peaks < VANISHING * peak))
    if len(lost):
        raise FeatureError(
            f"{what} holds {peak:.3g}, too large to square beside row {lost[0]}, whose largest "
            f"value is {peaks[lost[0]]:.3g}."
        )


def even_rows(points: Any) -> Any:
    """Each row at a usual size, for cosines, which do not depend on the lengths of rows."""
    peaks = _row_peaks(points)
    exponents = np.frexp(peaks)[1]
    low, high = USUAL[points.dtype]
    odd = (peaks > 0) & ((exponents < low) | (exponents > high))
    if not odd.any():
        return points
    steps = np.where(odd, -exponents, 0)
    found = points.astype(np.float64)
    if not is_sparse(points):
        return np.ldexp(found, steps[:, None])
    found.data = np.ldexp(found.data, np.repeat(steps, np.diff(points.indptr)))
    return found


def _row_peaks(points: Any) -> NDArray[Any]:
    peaks = abs(points).max(axis=1)
    return np.asarray(peaks.toarray().ravel() if is_sparse(points) else peaks)


def unpacked(features: Any) -> Any:
    """The matrix of a table in files; the sparse matrix of a pandas frame of sparse columns."""
    if isinstance(features, FeatureTable):
        return features.matrix
    if type(features).__module__.partition(".")[0] != "pandas" or not hasattr(features, "dtypes"):
        return features
    kinds = getattr(features.dtypes, "values", [])
    packed = len(kinds) and all(str(kind).startswith("Sparse[") for kind in kinds)
    return features.sparse.to_coo().tocsr() if packed else features


def _as_table(features: Any, what: str, *, gaps: bool = False) -> NDArray[Any]:
    """A contiguous float array with one row per point; with `gaps` a frame may miss values."""
    if type(features).__module__.partition(".")[0] in FRAMES:
        array = _from_frame(features, what, gaps=gaps)
    else:
        array = _as_array(features, what)
    check_shape(array, what)
    if array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    return np.ascontiguousarray(array)


def check_shape(array: Any, what: str) -> None:
    """Refuse what has not two dimensions, or no points, or no features."""
    if len(array.shape) == 1:
        raise FeatureError(
            f"{what} must have two dimensions, points by features; it has one. For a single "
            f"feature pass {what}.reshape(-1, 1)."
        )
    if len(array.shape) != 2:
        raise FeatureError(
            f"{what} must have two dimensions, points by features; it has {len(array.shape)}."
        )
    if 0 in array.shape:
        raise FeatureError(f"{what} has shape {array.shape}; it needs points and features.")


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
    return matrix


def open_frame(frame: Any, what: str) -> Any:
    """The data frame as narwhals has it; None for a series, or an array of a library of frames."""
    import narwhals as nw

    if hasattr(frame, "set_axis") and getattr(frame, "ndim", 1) == 2:  # pandas: names of any kind
        frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    try:
        return nw.from_native(frame, eager_only=True)
    except nw.exceptions.DuplicateError as error:
        name = str(error).partition("'")[2].partition("'")[0]
        raise FeatureError(
            f"{what} has two columns called {show_label(name)!r}; names must be unique."
        ) from None
    except TypeError:
        try:
            table = nw.from_native(frame, allow_series=True)
        except TypeError:
            return None
        return None if isinstance(table, nw.Series) else table.collect()


def missing_value(name: str, what: str, row: int) -> FeatureError:
    """The refusal of a column with a missing value."""
    return FeatureError(
        f"column {show_label(name)!r} of {what} has a missing value in row {row}; drop or fill "
        "such rows first."
    )


def check_finite(values: NDArray[Any], name: str, what: str) -> None:
    """Refuse a column with a value that is NaN or infinite."""
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong) and np.isnan(values[wrong[0]]):
        raise missing_value(name, what, int(wrong[0]))
    if len(wrong):
        raise FeatureError(
            f"column {show_label(name)!r} of {what} must be finite; row {wrong[0]} is infinite."
        )


def _from_frame(frame: Any, what: str, *, gaps: bool) -> NDArray[Any]:
    import narwhals as nw

    table = open_frame(frame, what)
    if table is None:
        return _as_array(frame, what)
    for name, kind in table.schema.items():
        column = table[name]
        if not (kind.is_numeric() or kind == nw.Boolean):
            raise FeatureError(
                f"column {show_label(name)!r} of {what} holds {kind}, not numbers; leave it out or "
                "encode it. Where there is a metric, ",
                Setting("metric", "gower"),
                " reads it as it is.",
            )
        if column.null_count() and not gaps:
            at = int(np.flatnonzero(column.is_null().to_numpy())[0])
            raise missing_value(name, what, at)
    columns = [table[name] for name in table.columns]
    columns = [one.cast(nw.Float64) if one.null_count() else one for one in columns]
    kinds = {np.dtype(one.to_numpy().dtype) for one in columns}
    wide = np.float32 if kinds == {np.dtype(np.float32)} else np.float64
    out = np.empty((len(table), len(columns)), wide)
    for k, one in enumerate(columns):
        out[:, k] = one.to_numpy()
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
    except OverflowError:
        raise FeatureError(f"{what} holds whole numbers beyond any float.") from None
    if array.dtype.kind not in "biuf":
        raise FeatureError(_no_numbers(array, what))
    return array


def _no_numbers(features: Any, what: str) -> str:
    """Why features are not an array of numbers: the first other value, or unequal rows."""
    try:
        table = np.asarray(features, dtype=object)
    except ValueError:
        return f"{what} must have rows of equal length."
    if not table.ndim:
        return f"{what} must be an array of points by features, not {kind_of(features)}."
    for place, item in np.ndenumerate(table):
        try:
            float(item)
        except (TypeError, ValueError):
            where = f"row {place[0]}" + (f", column {place[1]}" if len(place) > 1 else "")
            if isinstance(item, list | tuple | np.ndarray):
                return f"{what} must have rows of equal length."
            return f"{what} must hold numbers; {where} is {show_label(item)!r}."
    return f"{what} must hold real numbers, not {getattr(features, 'dtype', type(features))}."


def _refuse_infinite(points: Any, what: str, finite: Any = np.isfinite) -> NoReturn:
    """Name the first value that is NaN or infinite."""
    if is_sparse(points):
        at = int(np.flatnonzero(~finite(points.data))[0])
        row = int(np.searchsorted(points.indptr, at, side="right")) - 1
        raise FeatureError(
            f"{what} must be finite; row {row}, column {points.indices[at]} is {points.data[at]}."
        )
    row, column = np.argwhere(~finite(points))[0]
    value = "NaN" if np.isnan(points[row, column]) else "infinite"
    raise FeatureError(
        f"{what} must be finite; row {row}, column {column} is {value}. Drop or fill such rows "
        "first."
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
    distances: NDArray[Any],
    codes: NDArray[np.int32],
    clusters: int,
    what: str = "X",
    exponent: int = 0,
) -> tuple[NDArray[Any], NDArray[np.float64], int]:
    """Check that all are distances, and sum them over clusters, points × clusters.

    Returns the distances, the sums and an exponent: both are divided by 2**exponent, which is 1
    unless the distances are very large or very small. The matrix is read once. It is symmetric if
    its products with random weights are the same along rows and along columns, up to rounding. Only
    if they are not, the fault is searched for.
    """
    from clustervet import _kernels

    n = len(distances)
    check_sums(n, clusters)
    sums, along = np.zeros((n, clusters)), np.zeros(n)
    weights = np.random.default_rng(0).uniform(0.5, 1.5, n)
    order = np.argsort(codes, kind="stable")
    held, starts = np.unique(codes[order], return_index=True)

    def part(first: int, last: int) -> tuple[bool, NDArray[np.float64]]:
        across = np.zeros(n)
        rows = (distances, first, last, codes, weights)
        return _kernels.survey(*rows, sums, along, across), across

    def plain_part(first: int, last: int) -> tuple[bool, NDArray[np.float64]]:
        rows = distances[first:last]
        with np.errstate(invalid="ignore", over="ignore"):  # such values show in the sums
            found = np.add.reduceat(rows[:, order], starts, axis=1, dtype=np.float64)
            along[first:last] = rows @ weights
            across = weights[first:last] @ rows
        sums[first:last, held] = found
        here = np.arange(first, last)
        sums[here, codes[here]] -= distances[here, here]
        return bool((rows < 0).any()), across

    if is_little(distances.size, FEW_DISTANCES):
        step = max(1, 2**18 // n)
        parts = [plain_part(at, min(n, at + step)) for at in range(0, n, step)]
    else:
        parts = _kernels.run(part, _kernels.ranges(n, 64))
    across = sum(found for _, found in parts)
    scale = float(along.max())
    low, high = USUAL[np.dtype(np.float64)]
    if scale and not 2.0**low <= scale <= 2.0**high and math.isfinite(peak := peak_of(distances)):
        scaled, steps = rescaled(distances.astype(np.float64, copy=False), peak)
        if steps:
            return survey(scaled, codes, clusters, what, steps)
    even = math.isfinite(scale) and float(np.abs(along - across).max()) <= ROUNDING * scale
    if not even or any(negative for negative, _ in parts) or np.diagonal(distances).any():
        # No distance is larger than twice the largest one from the first point.
        tolerance = ASYMMETRY[distances.dtype] * float(distances[0].max())
        fault, row, column = _find_fault(distances, tolerance)
        if fault:
            _refuse(fault, scaled_by(distances, exponent), row, column, what)
    return distances, sums, exponent


def _find_fault(distances: NDArray[Any], tolerance: float) -> tuple[int, int, int]:
    """Return the first fault as (kind, row, column).

    Kinds: 1 is not finite, 2 negative, 3 asymmetric, 4 not zero on the diagonal; 0 means no fault.
    """
    n = len(distances)
    blocks = [slice(at, at + max(1, 2**18 // n)) for at in range(0, n, max(1, 2**18 // n))]
    for block in blocks:
        rows = distances[block]
        wrong = ~(np.isfinite(rows) & (rows >= 0))
        if wrong.any():
            row, column = divmod(int(wrong.argmax()), n)
            return 2 if np.isfinite(rows[row, column]) else 1, block.start + row, column
    for block in blocks:
        rows = distances[block]
        places = np.arange(n)[block]
        wrong = np.abs(rows - distances[:, block].T) > tolerance
        wrong &= np.arange(n) > places[:, None]
        wrong[np.arange(len(rows)), places] = np.diagonal(distances)[block] > tolerance
        if wrong.any():
            row, column = divmod(int(wrong.argmax()), n)
            return 4 if places[row] == column else 3, int(places[row]), column
    return 0, -1, -1


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


def standardized(points: Any, others: Any = None, weights: Any = None) -> Any:
    """Return features with mean 0 and variance 1; sparse ones keep their zeros.

    Other points, where there are any, are returned instead, moved and scaled alike. With weights,
    mean and variance are weighted.
    """
    from sklearn.preprocessing import StandardScaler

    peaks = abs(points).max(axis=0)
    peaks = peaks.toarray().ravel() if is_sparse(points) else peaks
    for column in np.flatnonzero((peaks > 0) & ~((peaks >= SMALLEST) & (peaks < LARGEST)))[:1]:
        fault, factor = ("small", "multiply") if peaks[column] < SMALLEST else ("large", "divide")
        raise FeatureError(
            f"the largest value of column {column} of X is {peaks[column]:.3g}, too {fault} to "
            f"standardize; {factor} that column by a constant first."
        )
    scaler = StandardScaler(with_mean=not is_sparse(points)).set_output(transform="default")
    heavy = None if weights is None else encode_weights(weights, points.shape[0])
    heavy = heavy if heavy is None else heavy.astype(np.float64)
    scaler = scaler.fit(points, sample_weight=heavy)
    return scaler.transform(points if others is None else others)
