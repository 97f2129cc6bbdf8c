"""Tables of label images: pixels are objects, segments are classes and clusters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet import _kernels
from clustervet._kernels.patience import is_little
from clustervet.contingency.cells import Cells, squeeze
from clustervet.contingency.table import Contingency
from clustervet.errors import LabelError, ParameterError
from clustervet.labels import show_label

# Most pixels of a wide segment are like the one before. From MANY_PIXELS on, runs of equal pixels
# are counted instead of pixels, unless they are shorter than LONG on average; a block stays in the
# cache. Beyond FEW_PIXELS a compiled loop does it, in threads and in parts of at most PART pixels.
MANY_PIXELS = 2**18
FEW_PIXELS = 2**24
BLOCK = 2**18
LONG = 8
PART = 2**26


def image_table(truth: Any, pred: Any, ignore: Any) -> Contingency:
    """The table of two images of labels, without the pixels whose true label is ignored.

    >>> image_table([[0, 1], [1, 1]], [[5, 5], [6, 6]], 0).to_dict()
    {(1, 5): 1, (1, 6): 2}
    """
    images = {"truth": _image(truth, "truth"), "pred": _image(pred, "pred")}
    shapes = [image.shape for image in images.values()]
    if shapes[0] != shapes[1]:
        raise LabelError(
            f"truth and pred must have the same shape, not {shapes[0]} and {shapes[1]}."
        )
    flat = [image.ravel() for image in images.values()]
    runs = _runs(*flat)
    if runs is None:
        table = Contingency.from_labels(*flat, noise="keep")
    else:
        table = Contingency.from_labels(runs[0], runs[1], weights=runs[2], noise="keep")
    return table if ignore is None else _without(table, _ignored(ignore))


def _runs(
    truth: NDArray[Any], pred: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]] | None:
    """The labels of each run of equal pixels and its length; None if runs are few or short.

    >>> _runs(np.arange(10), np.arange(10)) is None
    True
    """
    n = len(truth)
    if n < MANY_PIXELS:
        return None
    if not is_little(n, FEW_PIXELS):
        return _counted(truth, pred)
    starts = [np.zeros(1, np.int64)]
    found = 0
    for low in range(1, n, BLOCK):
        t, p = truth[low - 1 : low + BLOCK], pred[low - 1 : low + BLOCK]
        changes = np.flatnonzero((t[1:] != t[:-1]) | (p[1:] != p[:-1])) + low
        found += len(changes)
        if found * LONG > low + BLOCK:
            return None
        starts.append(changes)
    first = np.concatenate(starts)
    return truth[first], pred[first], np.diff(first, append=n)


def _counted(
    truth: NDArray[Any], pred: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]] | None:
    """The same in a compiled loop, which counts equal runs of a part at once."""
    n, kinds = len(truth), (truth.dtype, pred.dtype)
    if bool in kinds:
        truth, pred = (
            side.view(np.uint8) if side.dtype == bool else side for side in (truth, pred)
        )
    parts = _kernels.ranges(n, 1, max(2 * _kernels.cores(), -(-n // PART)))
    found = []

    def count(part: tuple[int, int]) -> Any:
        return _kernels.count_pixels(truth, pred, *part, LONG, BLOCK)

    with _kernels.Pool(_kernels.cores()) as pool:
        for pairs, counts in pool.map(count, parts):
            if not len(counts):
                pool.shutdown(cancel_futures=True)
                return None
            found.append((pairs, counts))
    pairs = np.concatenate([part for part, _ in found])
    one, other = (pairs[:, k].astype(kind) for k, kind in enumerate(kinds))
    return one, other, np.concatenate([counts for _, counts in found])


def _image(image: Any, what: str) -> NDArray[Any]:
    array = np.asarray(image)
    if array.dtype.kind not in "biu":
        raise LabelError(f"{what} must be an image of whole numbers, not of {array.dtype}.")
    if array.size == 0:
        raise LabelError(f"{what} has no pixels; its shape is {array.shape}.")
    return array


def _ignored(ignore: Any) -> set[int]:
    labels = list(ignore) if isinstance(ignore, Iterable) else [ignore]
    for label in labels:
        if isinstance(label, bool) or not isinstance(label, int | np.integer):
            raise ParameterError(
                f"ignore must be a whole number or several, not {show_label(label, 40)!r}."
            )
    return {int(label) for label in labels}


def _without(table: Contingency, classes: set[int]) -> Contingency:
    names = table.class_names
    kept = np.array([name not in classes for name in names])
    if kept.all():
        return table
    if not kept.any():
        raise LabelError("no pixel is left: all true labels are ignored.")
    old = table.cells
    cells = kept[old.rows]
    sizes = np.diff(old.indptr)[kept]
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    rest, _, cols = squeeze(Cells(indptr, old.cols[cells], old.values[cells]))
    found = table.cluster_names
    left = [found[col] for col in cols.tolist()]
    return Contingency(rest, [name for name, keep in zip(names, kept, strict=True) if keep], left)
