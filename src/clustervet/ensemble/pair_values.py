"""A measure between two labelings: from a counted table, or from sums that compiled loops give."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency import Contingency
from clustervet.contingency.cells import Cells, squeeze, transpose
from clustervet.contingency.count import count_labels
from clustervet.ensemble.labelings import Labelings
from clustervet.errors import LabelError, ParameterError
from clustervet.external import variation_of_information
from clustervet.external.common import in_base
from clustervet.labels import show_label
from clustervet.labels.codes import from_integers
from clustervet.registry import Measure, MeasureFunction, measures

Counted = tuple[Cells, NDArray[Any], NDArray[Any]]
VI = variation_of_information.record.formula
# Up to this many pairs of this many objects plain tables are quicker than loading compiled loops.
FEW_PAIRS = 300
FEW_OBJECTS = 2_000
# The table of a pair is held whole up to this many cells, or twice the number of objects.
FEW_CELLS = 2**12
MOST_CELLS = 2**22
# Joint codes are 16 bits wide; labelings with more clusters are counted one by one.
NARROW = 2**16
# Logarithms of counts up to here are looked up.
LOOKED_UP = 2**22


class LazyTable(Contingency):
    """A table of whole counts whose pairs are known, and whose cells are counted on demand.

    Measures that count pairs of objects need only `sums`: the numbers of objects, of cells, of
    rows and of columns, and the sums of squares of cells, rows and columns.
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


class Scoring:
    """A measure with its parameters: its values, and why some are undefined.

    `unit` is that of the variation of information, which comes from compiled sums; it is None
    for any other measure. `pairs_alone` says that the measure looks only at pair counts.
    """

    def __init__(
        self, measure: str | Measure | MeasureFunction, parameters: dict[str, Any]
    ) -> None:
        self.record = measures.select([measure])[0]
        self.parameters = parameters
        if self.record.kind != "external":
            raise ParameterError(f"{self.record.key} needs features, not a second labeling.")
        # This also refuses parameters, before any work.
        self.pairs_alone = not _needs_cells(lambda table: self.record.evaluate(table, **parameters))
        is_vi = self.record.formula is VI
        self.unit = in_base(1.0, parameters.get("base", 2)) if is_vi else None
        # A record's word on symmetry holds for the default parameters.
        self.symmetric = is_vi or (self.record.symmetric and not parameters)
        self.undefined: Counter[str] = Counter()
        self._lock = threading.Lock()

    def value(self, table: Contingency) -> float:
        """Return the measure of one table; nan where it is undefined."""
        outcome = self.record.evaluate(table, **self.parameters)
        if outcome.why is not None:
            with self._lock:
                self.undefined[outcome.why] += 1
        return float(outcome.value)

    def both(self, table: Contingency) -> tuple[float, float]:
        """Return the measure of a table and of its transpose."""
        first = self.value(table)
        return first, (first if self.symmetric else self.value(table.T))

    def itself(self, sizes: NDArray[np.int64]) -> float:
        """Return the measure of a labeling with these sizes against itself."""
        clusters = np.arange(len(sizes))
        cells = Cells(np.arange(len(sizes) + 1), clusters.astype(np.int32), sizes)
        return self.value(Contingency(cells, clusters, clusters))


def _needs_cells(evaluate: Callable[[Contingency], Any]) -> bool:
    """Return whether a measure looks at more than the pairs of a table."""
    whole = Contingency.from_counts([[5, 1], [2, 4]])
    table = LazyTable([12, 4, 2, 2, 46, 72, 74], lambda: whole.cells)
    del table.__dict__["plain"]  # a table this small is summed without loading a compiler
    evaluate(table)
    return "_cells" in table.__dict__


class PairValues:
    """The measure of two labelings in both directions, and the number of objects they share.

    The variation of information and measures of pairs come from compiled sums, the others from
    a counted table; few and small labelings are counted without a compiler.
    """

    def __init__(self, many: Labelings, scoring: Scoring, pairs: int) -> None:
        self.many, self.scoring = many, scoring
        self.few = pairs <= FEW_PAIRS and many.n <= FEW_OBJECTS
        self.by_sums = not self.few and (scoring.unit is not None or scoring.pairs_alone)

    def __call__(self, i: int, j: int) -> tuple[float, float, int]:
        """Return the value of i against j, that of j against i, and the number of objects."""
        if self.by_sums:
            sums = np.empty(7, np.int64)
            nats = pair_sums(self.many, i, j, log_table(self.many.n), sums)
            return (*self.from_sums(i, j, nats, sums.tolist()), int(sums[0]))
        count = _count_labels if self.few else _count
        table = Contingency(*count(self.many, i, j))
        if not self.few:
            table.__dict__["plain"] = None  # its sums are compiled too
        return (*self.scoring.both(table), int(table.n))

    def from_sums(self, i: int, j: int, nats: float, sums: list[int]) -> tuple[float, float]:
        """Return the values of a pair whose sums are known."""
        if sums[0] == 0:
            raise no_common(self.many, i, j)
        if self.scoring.unit is not None:
            value = nats * self.scoring.unit
            return value, value
        return self.scoring.both(LazyTable(sums, lambda: _count(self.many, i, j)[0]))


def no_common(many: Labelings, i: int, j: int) -> LabelError:
    """Return the error about two labelings that have no labelled object in common."""
    one, other = (show_label(many.names[k]) for k in sorted((i, j)))
    return LabelError(f"{one!r} and {other!r} have no labelled object in common.")


def room(n: int) -> int:
    """Return the cells of the largest table that is held whole."""
    return min(MOST_CELLS, max(FEW_CELLS, 2 * n))


@lru_cache(maxsize=2)
def log_table(n: int) -> NDArray[np.float64]:
    """Return logarithms of counts up to n, or up to the largest that is looked up; 0 for 0."""
    counts = np.arange(min(n, LOOKED_UP) + 1, dtype=np.float64)
    counts[0] = 1.0
    return np.log(counts)


def pair_sums(
    many: Labelings, i: int, j: int, logs: NDArray[np.float64], sums: NDArray[np.int64]
) -> float:
    """Write the seven sums of one pair, and return its variation of information in nats."""
    from clustervet import _kernels

    slots, live = many.slots[[i, j]], many.clusters[[i, j]]
    size = int(slots.prod())
    if size <= room(many.n) and slots.max() <= NARROW:
        row, col = (many.codes[k].astype(np.uint16) for k in (i, j))
        nats, block = np.empty((1, 1)), np.empty((1, 1, 7), np.int64)
        edges = np.array([1, 2])
        _kernels.band(row, 0, 1, col[None], edges, slots, live, size, logs, nats, block)
        sums[:] = block[0, 0]
        return float(nats[0, 0])
    codes, other = (many.codes[k].astype(np.int32) for k in (i, j))
    sizes = np.bincount(codes, minlength=int(slots[0]))
    starts = np.concatenate([[0], np.cumsum(sizes)])[: live[0] + 1]
    order = _kernels.bucket(codes, sizes)
    return float(_kernels.by_rows(order, starts, other, int(live[1]), logs, sums))


def _count(many: Labelings, i: int, j: int) -> Counted:
    """Count the table of two labelings on the objects that both label, by compiled loops."""
    slots, clusters = many.slots, many.clusters
    size = int(slots[i] * slots[j])
    if size > room(many.n) or max(slots[i], slots[j]) > NARROW:
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
    """Count the same table without loading a compiler where there are few objects."""
    sides = [many.codes[k] for k in (i, j)]
    if many.gaps[i] or many.gaps[j]:
        both = many.labelled(i) & many.labelled(j)
        if not both.any():
            raise no_common(many, i, j)
        sides = [codes[both] for codes in sides]
    return count_labels(from_integers(sides[0]), from_integers(sides[1]), None)
