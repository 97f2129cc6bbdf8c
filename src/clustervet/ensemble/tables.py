"""The table of one pair of labelings: counted, or known by its sums until cells are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency import Contingency
from clustervet.contingency.cells import Cells, squeeze, transpose
from clustervet.contingency.count import count_labels
from clustervet.ensemble.grouping import room
from clustervet.ensemble.labelings import Labelings
from clustervet.errors import LabelError
from clustervet.labels import show_label
from clustervet.labels.codes import from_integers

Counted = tuple[Cells, NDArray[Any], NDArray[Any]]


class LazyTable(Contingency):
    """A table of whole counts whose pairs are known, and whose cells are counted if asked for.

    Measures that count pairs of objects need no more than `sums`: the number of objects, of
    cells, of rows and of columns, and the sums of squares of cells, rows and columns.
    """

    def __init__(self, sums: list[int], count: Callable[[], Cells]) -> None:
        n, cells, height, width, *squares = sums
        self.__dict__.update(
            _sums=sums,
            _count=count,
            _class_names=range(height),
            _cluster_names=range(width),
            _squares=tuple(squares),
            n=n,
            exact_n=n,
            identical=cells == height == width,
            plain=None,  # its sums are always compiled
        )

    def __getattr__(self, name: str) -> Any:
        if name != "_cells":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self.__dict__["_cells"] = cells = self.__dict__["_count"]()
        return cells

    @property
    def is_whole(self) -> bool:
        """It counts objects."""
        return True

    @property
    def T(self) -> Contingency:
        """The table with the roles of classes and clusters exchanged."""
        n, cells, height, width, squares, rows, cols = self.__dict__["_sums"]
        return LazyTable(
            [n, cells, width, height, squares, cols, rows], lambda: transpose(self._cells, width)
        )


def needs_cells(evaluate: Callable[[Contingency], Any]) -> bool:
    """Whether a measure looks at more than the pairs of a table."""
    whole = Contingency.from_counts([[5, 1], [2, 4]])
    table = LazyTable([12, 4, 2, 2, 46, 72, 74], lambda: whole.cells)
    del table.__dict__["plain"]  # so small a table is summed without loading a compiler
    evaluate(table)
    return "_cells" in table.__dict__


def counted_table(many: Labelings, i: int, j: int) -> Contingency:
    """The table of two labelings on the objects that both label, with compiled sums."""
    table = Contingency(*_count(many, i, j))
    table.__dict__["plain"] = None
    return table


def counted_cells(many: Labelings, i: int, j: int) -> Cells:
    """The cells of that table."""
    return _count(many, i, j)[0]


def plain_table(many: Labelings, i: int, j: int) -> Contingency:
    """The same table where there are few labels, without loading a compiler."""
    return Contingency(*_count_labels(many, i, j))


def no_common(many: Labelings, i: int, j: int) -> LabelError:
    """Two labelings that label no object both."""
    one, other = (show_label(many.names[k]) for k in sorted((i, j)))
    return LabelError(f"{one!r} and {other!r} have no labelled object in common.")


def _count(many: Labelings, i: int, j: int) -> Counted:
    slots, clusters = many.slots, many.clusters
    size = int(slots[i] * slots[j])
    if size > room(many.n) or max(slots[i], slots[j]) > 2**16:
        return _count_labels(many, i, j)
    from clustervet import _kernels

    table = np.empty(size, np.uint32)
    rows, cols = (many.codes[k].astype(np.uint16) for k in (i, j))
    _kernels.count_pair(rows, cols, int(slots[j]), table)
    block = table.reshape(slots[i], slots[j])[: clusters[i], : clusters[j]]
    places = np.flatnonzero(block)
    if not len(places):
        raise no_common(many, i, j)
    indptr = np.searchsorted(places, np.arange(clusters[i] + 1) * clusters[j])
    values = block.ravel()[places].astype(np.int64)
    return squeeze(Cells(indptr, (places % clusters[j]).astype(np.int32), values))


def _count_labels(many: Labelings, i: int, j: int) -> Counted:
    sides = [many.codes[k] for k in (i, j)]
    if many.gaps[i] or many.gaps[j]:
        both = many.labelled(i) & many.labelled(j)
        if not both.any():
            raise no_common(many, i, j)
        sides = [codes[both] for codes in sides]
    return count_labels(from_integers(sides[0]), from_integers(sides[1]), None)
