"""A measure between labelings: of one pair, and the matrix of all pairs, filled in threads.

The value of a pair comes from a counted table, or from sums that compiled loops give.

Labelings are counted in groups. A group is read as one labeling whose number of codes is the
product of theirs. Counting a group of r labelings against a group of c costs one increment per
object for r c pairs, about half a nanosecond on one core, and a table of the product of both.
Which groups are best depends on the numbers of codes and objects, so it is estimated. The joint
codes of one tile of columns are held at a time, so that memory does not grow with the number of
labelings beyond their codes and the matrix.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._kernels.patience import is_little
from clustervet._kernels.threads import Pool, cores
from clustervet._memory import need
from clustervet._progress import ticking
from clustervet.contingency import Contingency
from clustervet.contingency.cells import Cells, squeeze, transpose
from clustervet.contingency.count import count_labels
from clustervet.ensemble.labelings import Labelings
from clustervet.errors import LabelError, ParameterError, Setting
from clustervet.external import variation_of_information
from clustervet.external.common import in_base
from clustervet.labels import show_label
from clustervet.labels.codes import from_integers
from clustervet.registry import Measure, MeasureFunction, measures

Counted = tuple[Cells, NDArray[Any], NDArray[Any]]
Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Joint = NDArray[np.uint16]
VI = variation_of_information.record.formula
# Up to this many pairs, and objects in all of them, plain tables are quicker than loading compiled
# loops.
FEW_PAIRS = 300
FEW_OBJECTS = 6_000_000
# The table of a pair is held whole up to this many cells, or twice the number of objects.
FEW_CELLS = 2**12
MOST_CELLS = 2**22
# Joint codes are 16 bits wide; labelings with more clusters are counted one by one.
NARROW = 2**16
# Logarithms of counts up to here are looked up.
LOOKED_UP = 2**22
# Tables of groups that pay are small beside the second-level cache and the number of objects.
LARGEST = 2**15
# Estimates look at this many of the labelings.
SAMPLE = 48
# Nanoseconds: an increment, adding a cell to another, and a call of a compiled loop.
INCREMENT, ADDITION, CALL = 0.5, 0.15, 20_000.0
# What to do where there are too many labelings.
FEWER = "compare fewer labelings"
# Bytes of joint codes that are held at a time.
TILE = 2**26


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
            is_whole=True,
            identical=cells == height == width,
            plain=None,  # its sums are always compiled
        )

    @cached_property
    def _cells(self) -> Cells:
        """The cells, counted when they are asked for."""
        counted: Cells = self.__dict__["_count"]()
        return counted

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

    def itself(self, sizes: Places) -> float:
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
        self.few = pairs <= FEW_PAIRS and is_little(pairs * many.n, FEW_OBJECTS)
        self.by_sums = not self.few and (scoring.unit is not None or scoring.pairs_alone)

    def __call__(self, i: int, j: int) -> tuple[float, float, int]:
        """Return the value of i against j, that of j against i, and the number of objects."""
        if self.by_sums:
            sums = np.empty(7, np.int64)
            nats = pair_sums(self.many, i, j, sums)
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
def log_table(n: int) -> Floats:
    """Return logarithms of counts up to n, or up to the largest that is looked up; 0 for 0."""
    counts = np.arange(min(n, LOOKED_UP) + 1, dtype=np.float64)
    counts[0] = 1.0
    return np.log(counts)


def pair_sums(many: Labelings, i: int, j: int, sums: Places) -> float:
    """Write the seven sums of one pair, and return its variation of information in nats."""
    from clustervet import _kernels

    slots, live = many.slots[[i, j]], many.clusters[[i, j]]
    size, logs = int(slots.prod()), log_table(many.n)
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


def plan_blocks(slots: Places, n: int) -> tuple[Places, Places]:
    """Return the cheapest groups of consecutive labelings, sorted by their number of codes.

    These are the places where the groups of rows and the groups of columns start, and the end.

    >>> plan_blocks(np.full(6, 10), 100_000)
    (array([0, 2, 4, 6]), array([0, 2, 4, 6]))
    """
    sample = slots[np.linspace(0, len(slots) - 1, min(SAMPLE, len(slots))).astype(np.int64)]
    limits = [1, *(2**k for k in range(2, LARGEST.bit_length()))]
    tried = {limit: group_edges(sample, limit) for limit in limits}
    pairs = [(r, c) for r, c in product(limits, limits) if r <= c and r * c <= LARGEST]
    best = min(pairs, key=lambda pair: _cost(sample, n, tried[pair[0]], tried[pair[1]]))
    return group_edges(slots, best[0]), group_edges(slots, best[1])


def group_edges(slots: Places, limit: int) -> Places:
    """Return the edges of groups, each as large as the limit on its product of codes allows.

    >>> group_edges(np.array([2, 3, 4, 50]), 25)
    array([0, 3, 4])
    """
    edges = [0]
    size = 1
    for k, slot in enumerate(slots.tolist()):
        if size * slot > limit and k > edges[-1]:
            edges.append(k)
            size = 1
        size *= slot
    return np.array([*edges, len(slots)], np.int64)


def _cost(slots: Places, n: int, rows: Places, cols: Places) -> float:
    """Estimate the nanoseconds for all blocks of a group of rows and a group of columns."""
    heights, widths = (
        np.multiply.reduceat(slots.astype(np.float64), edges[:-1]) for edges in (rows, cols)
    )
    members, others = np.diff(rows), np.diff(cols)
    cells = np.outer(heights, widths)
    pairs = np.outer(members, others)
    collapsed = np.outer(members * (members > 1), widths) * heights[:, None]
    spread = np.outer(np.add.reduceat(slots, rows[:-1]), widths * others * (others > 1))
    counted = n * INCREMENT * (1 + (cells > LARGEST)) + ADDITION * (cells + collapsed + spread)
    single = pairs * (n * INCREMENT + CALL)
    needed = np.less.outer(rows[:-1], cols[1:] - 1)  # else no row comes before a column
    return float(np.where(cells <= room(n), counted, single)[needed].sum())


def thread_count(n_jobs: int | None) -> int:
    """Return the number of threads: 1 by default; -1 means all cores, -2 all but one, ..."""
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs == 0:
        raise ParameterError(
            Setting("n_jobs"), f" must be a whole number other than 0, not {n_jobs!r}."
        )
    if n_jobs > 0:
        return int(n_jobs)
    return max(1, cores() + 1 + int(n_jobs))


def _run_tasks(task: Callable[[Any], None], items: Iterable[Any], jobs: int) -> None:
    """Call a task on each item, in threads; an error ends all."""
    if jobs == 1:
        for item in items:
            task(item)
        return
    with Pool(jobs) as pool:
        for done in [pool.submit(task, item) for item in items]:
            done.result()


class PairMatrix:
    """The values of a measure for all pairs of labelings, and how many objects each pair shares.

    Blocks are counted over the labelings sorted by their number of codes; `order` gives the
    place of each in the matrix.
    """

    def __init__(self, many: Labelings, scoring: Scoring) -> None:
        self.many, self.scoring = many, scoring
        size = len(many)
        matrices = 1 if many.complete else 2
        need(8 * matrices * size**2, f"the distances between {size:,} labelings", FEWER)
        self.pair = PairValues(many, scoring, size * (size - 1) // 2)
        self.values = np.empty((size, size))
        self.counts: Places = np.broadcast_to(np.int64(many.n), self.values.shape)
        if not many.complete:
            self.counts = np.empty((size, size), np.int64)
        self.order = np.argsort(many.slots, kind="stable")
        self.slots = many.slots[self.order]
        self.live = many.clusters[self.order]
        self.codes = [many.codes[k] for k in self.order.tolist()]

    def fill(self, jobs: int) -> None:
        """Fill in every entry, with a progress bar."""
        for k in range(len(self.many)):
            self._fill_diagonal(k)
        if self.pair.by_sums:
            self._fill_blocks(jobs)
            return
        last = len(self.many) - 1
        with ticking(last, "distances") as tick:

            def row(i: int) -> None:
                for j in range(i + 1, last + 1):
                    *values, shared = self.pair(i, j)
                    self._set(i, j, values, shared)
                tick()

            _run_tasks(row, range(last), 1 if self.pair.few else jobs)

    def _fill_diagonal(self, k: int) -> None:
        if self.scoring.unit is not None and self.many.complete:
            self.values[k, k] = 0.0
            return
        sizes = self.many.sizes(k)
        self._set(k, k, (self.scoring.itself(sizes),) * 2, int(sizes.sum()))

    def _set(self, i: int, j: int, values: Sequence[float], shared: int) -> None:
        self.values[i, j], self.values[j, i] = values
        if not self.many.complete:
            self.counts[i, j] = self.counts[j, i] = shared

    def _fill_blocks(self, jobs: int) -> None:
        """Count every pair once: groups of labelings by blocks, those with many clusters alone."""
        n = self.many.n
        narrow = int(np.searchsorted(self.slots, NARROW, side="right"))
        tiles: list[Places] = []
        rows: list[tuple[int, int]] = []
        if narrow > 1:
            row_edges, col_edges = plan_blocks(self.slots[:narrow], n)
            step = max(1, TILE // (2 * n))
            starts = range(0, len(col_edges) - 1, step)
            tiles = [col_edges[start : start + step + 1] for start in starts]
            rows = list(pairwise(row_edges.tolist()))
        wide = range(max(narrow, 1), len(self.codes))
        total = sum(sum(first < tile[-1] - 1 for first, _ in rows) for tile in tiles) + len(wide)
        with ticking(total, "distances") as tick:
            for edges in tiles:
                cols = np.empty((len(edges) - 1, n), np.uint16)
                for k, ends in enumerate(pairwise(edges.tolist())):
                    cols[k] = self._joint(*ends)

                def block(row: tuple[int, int], edges: Places = edges, cols: Joint = cols) -> None:
                    self._count_block(row, edges, cols)
                    tick()

                _run_tasks(block, [row for row in rows if row[0] < edges[-1] - 1], jobs)

            def column(j: int) -> None:
                self._count_column(j)
                tick()

            _run_tasks(column, wide, jobs)

    def _joint(self, first: int, last: int) -> Joint:
        """Return the joint codes of some labelings, the first one leading."""
        joint: Joint = self.codes[first].astype(np.uint16)
        for k in range(first + 1, last):
            joint *= np.uint16(self.slots[k])
            joint += self.codes[k]
        return joint

    def _count_block(self, group: tuple[int, int], edges: Places, cols: Joint) -> None:
        """Count a group of rows against a tile of columns."""
        from clustervet import _kernels

        first, last = group
        rows, others = np.arange(first, last), np.arange(edges[0], edges[-1])
        nats = np.zeros((len(rows), len(others)))
        sums = np.empty((*nats.shape, 7), np.int64)
        _kernels.band(
            self._joint(first, last), first, last, cols, edges, self.slots, self.live,
            room(self.many.n), log_table(self.many.n), nats, sums,
        )  # fmt: skip
        wanted = np.less.outer(rows, others)
        for i, j in zip(*np.nonzero(wanted & (sums[..., 0] < 0)), strict=True):
            nats[i, j] = self._count_pair(int(rows[i]), int(others[j]), sums[i, j])
        self._take_block(self.order[rows], self.order[others], nats, sums, wanted)

    def _count_column(self, j: int) -> None:
        """Count one labeling with many clusters against all with fewer."""
        nats = np.empty((j, 1))
        sums = np.empty((j, 1, 7), np.int64)
        for i in range(j):
            nats[i, 0] = self._count_pair(i, j, sums[i, 0])
        wanted = np.ones((j, 1), np.bool_)
        self._take_block(self.order[:j], self.order[j : j + 1], nats, sums, wanted)

    def _count_pair(self, i: int, j: int, sums: Places) -> float:
        return pair_sums(self.many, int(self.order[i]), int(self.order[j]), sums)

    def _take_block(
        self, rows: Places, cols: Places, nats: Floats, sums: Places, wanted: NDArray[np.bool_]
    ) -> None:
        """Enter the values of the wanted pairs of a block, from their sums."""
        at = np.nonzero(wanted)
        i, j = rows[at[0]], cols[at[1]]
        shared = sums[..., 0][at]
        if not shared.all():
            where = int(np.flatnonzero(shared == 0)[0])
            raise no_common(self.many, int(i[where]), int(j[where]))
        if not self.many.complete:
            self.counts[i, j] = self.counts[j, i] = shared
        if self.scoring.unit is not None:
            self.values[i, j] = self.values[j, i] = nats[at] * self.scoring.unit
            return
        for one, other, part in zip(i.tolist(), j.tolist(), sums[at].tolist(), strict=True):
            self.values[one, other], self.values[other, one] = self.pair.from_sums(
                one, other, 0.0, part
            )
