"""From degrees of membership to the cells of a table: each object is shared out to its clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency.build import Built, build_cells, frame_parts, is_frame
from clustervet.errors import LabelError, Setting
from clustervet.labels import (
    check_index,
    consecutive,
    encode_weights,
    read_labels,
    show_label,
)
from clustervet.labels.pair import noise_policies, settled

# Rows whose sums differ from 1 by more are no memberships; those of written digits differ by less.
TOLERANCE = 1e-3
# Degrees below 0 by less are 0 with a rounding error.
ROUNDING = 1e-12


def shared_cells(
    truth: Any,
    memberships: Any,
    *,
    weights: Any = None,
    noise: Any = None,
    missing: Any = "raise",
    normalize: bool = False,
) -> Built:
    """Cells of classes, or of a second matrix of memberships, against memberships."""
    from scipy.sparse import csr_array

    check_index({"truth": truth, "memberships": memberships, "weights": weights})
    shares, cluster_names = read_memberships(memberships, "memberships", normalize)
    if is_matrix(truth):
        left, class_names = read_memberships(truth, "truth", normalize)
        if left.shape[0] != shares.shape[0]:
            raise LabelError(
                f"truth has {left.shape[0]:,} rows and memberships has {shares.shape[0]:,}; they "
                "must describe the same objects."
            )
        if weights is not None:
            left = left * encode_weights(weights, shares.shape[0])[:, None].astype(np.float64)
        return build_cells(left.T @ shares, class_names, cluster_names)
    known = read_labels(truth, "truth")
    if len(known) != shares.shape[0]:
        raise LabelError(
            f"truth has {len(known):,} labels and memberships has {shares.shape[0]:,} rows; they "
            "must describe the same objects."
        )
    (classes,), kept = settled({"truth": known}, noise_policies(noise, None), missing)
    places = np.arange(len(known)) if kept is None else np.flatnonzero(kept)
    held = np.ones(len(known)) if weights is None else encode_weights(weights, len(known))
    codes, distinct = consecutive(classes)
    cells = held[places].astype(np.float64), (codes, places)
    left = csr_array(cells, (len(distinct), len(known)))
    return build_cells(left @ shares, list(classes.restore(distinct)), cluster_names)


def is_matrix(given: Any) -> bool:
    """Whether something has two dimensions, and so is no vector of labels."""
    if hasattr(given, "shape"):
        return len(given.shape) == 2
    first = next(iter(given), None) if isinstance(given, list | tuple) else None
    return isinstance(first, list | tuple | np.ndarray)


def read_memberships(
    given: Any, what: str = "memberships", normalize: bool = False
) -> tuple[Any, list[Any] | None]:
    """Shares of each object, which sum to 1, and the names of the columns if they have any.

    Parameters
    ----------
    given : array-like, sparse matrix, data frame or Memberships
        One row per object and one column per cluster.
    what : str, optional
        What messages call it.
    normalize : bool, optional
        Whether every row is divided by its sum, whatever that is.

    Returns
    -------
    shares : ndarray or csr_array
        The degrees of membership; each row sums to 1.
    names : list or None
        Names of the clusters.

    Raises
    ------
    LabelError
        If it is no matrix of finite numbers of at least 0, or a row does not sum to 1.

    Examples
    --------
    >>> shares, names = read_memberships([[1, 3], [2, 0]], normalize=True)
    >>> shares.tolist(), names
    ([[0.25, 0.75], [1.0, 0.0]], None)
    """
    from scipy.sparse import csr_array

    if hasattr(given, "shares") and hasattr(given, "names"):
        return given.shares, list(given.names)
    names: list[Any] | None = None
    if not hasattr(given, "tocsr") and is_frame(given):
        _, names, given = frame_parts(given)
    if np.ma.is_masked(given):
        raise LabelError(f"{what} must be a matrix of numbers; some are masked.")
    if getattr(getattr(given, "dtype", None), "kind", "") == "c":
        raise LabelError(f"{what} must be a matrix of real numbers, not {given.dtype}.")
    if hasattr(given, "tocsr"):
        matrix: Any = csr_array(given.tocsr().astype(np.float64))
        matrix.sum_duplicates()
    else:
        try:
            matrix = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise LabelError(f"{what} must be a matrix of numbers, one row per object.") from None
    if matrix.ndim != 2:
        raise LabelError(
            f"{what} must be a matrix with one row per object and one column per cluster; its "
            f"shape is {matrix.shape}."
        )
    if not matrix.shape[0] or not matrix.shape[1]:
        raise LabelError(f"{what} is empty; its shape is {matrix.shape}.")
    _refuse(matrix, ~np.isfinite(_values(matrix)), what, "memberships are finite")
    _refuse(matrix, _values(matrix) < -ROUNDING, what, "memberships are not negative")
    if (_values(matrix) < 0).any():  # what a sum that rounds leaves behind is no degree
        matrix = matrix.maximum(0) if hasattr(matrix, "tocsr") else np.maximum(matrix, 0)
    sums = _row_sums(matrix)
    if normalize and np.isinf(sums).any():  # beyond every float; halved often enough they are not
        matrix = _by_rows(matrix, np.where(np.isinf(sums), 2.0 ** matrix.shape[1].bit_length(), 1))
        sums = _row_sums(matrix)
    zero = np.flatnonzero(sums == 0)
    if len(zero):
        raise LabelError(
            f"row {zero[0]} of {what} is all zero; every object belongs somewhere. Leave such "
            "objects out, or give them a column of their own."
        )
    off = np.flatnonzero(abs(sums - 1) > TOLERANCE)
    if len(off) and not normalize:
        times = round(float(sums[0]))
        if times > 1 and (abs(sums - times) <= TOLERANCE).all():
            raise LabelError(
                f"every row of {what} sums to {times}, not 1, as if these were {times} "
                "clusterings; give the degrees of one."
            )
        raise LabelError(
            f"row {off[0]} of {what} sums to {sums[off[0]]:.6g}, not 1. If no column is missing, ",
            Setting("normalize", True),
            " divides every row by its sum.",
        )
    return _by_rows(matrix, sums), names


def _row_sums(matrix: Any) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):
        return np.asarray(matrix.sum(axis=1), np.float64).ravel()


def _values(matrix: Any) -> NDArray[np.float64]:
    return np.asarray(matrix.data if hasattr(matrix, "tocsr") else matrix)


def _refuse(matrix: Any, wrong: NDArray[np.bool_], what: str, law: str) -> None:
    """Name the first row that breaks a law."""
    if not wrong.any():
        return
    if hasattr(matrix, "tocsr"):
        place = int(np.argmax(wrong))
        row, value = int(np.searchsorted(matrix.indptr, place, "right")) - 1, matrix.data[place]
    else:
        row, column = (int(k) for k in np.argwhere(wrong)[0])
        value = matrix[row, column]
    raise LabelError(f"row {row} of {what} holds {show_label(float(value))}; {law}.")


def _by_rows(matrix: Any, sums: NDArray[np.float64]) -> Any:
    """Rows divided by their sums, which changes nothing where they are 1."""
    if (sums == 1).all():
        return matrix
    if hasattr(matrix, "tocsr"):
        found = matrix.copy()
        found.data = found.data / np.repeat(sums, np.diff(found.indptr))
        return found
    return matrix / sums[:, None]
