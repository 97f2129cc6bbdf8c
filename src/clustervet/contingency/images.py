"""Tables of label images: pixels are objects, segments are classes and clusters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency.cells import Cells, squeeze
from clustervet.contingency.table import Contingency
from clustervet.errors import LabelError, ParameterError
from clustervet.labels import show_label


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
    table = Contingency.from_labels(*(image.ravel() for image in images.values()), noise="keep")
    return table if ignore is None else _without(table, _ignored(ignore))


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
    left = [table.cluster_names[col] for col in cols.tolist()]
    return Contingency(rest, [name for name, keep in zip(names, kept, strict=True) if keep], left)
