"""What one repair would gain: merge two clusters, split one, or move objects to another.

VI, Q0 and the pair counts change only where the repair touches the table, so each gain is
computed from the cells concerned and equals what scoring the mended clustering would give.
Repairs of an agreement that may be chance are worth nothing, so its p-value is here as well.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet._numeric import log_binomial
from clustervet.contingency import Contingency
from clustervet.contingency.cells import Cells, transpose
from clustervet.inference.chance import chance
from clustervet.inference.nulls import sides
from clustervet.inference.pair_null import PairNull
from clustervet.labels import show_label
from clustervet.view import plain
from clustervet.view.words import brief, counted

Reals = NDArray[np.float64]
# Pairs of parts of a class that are looked at; all of them, unless the table has more.
PAIRS = 2**21
# Gains below this share of the terms they are a difference of are rounding.
ROUNDING = 1e-12
# Standard deviations beyond which no sample is needed: by Cantelli's inequality p < 0.01.
FAR = 10.0
# Random clusterings, the most that stay within this many dealt objects. Each number makes
# 5% a p-value that can occur.
SAMPLES = (999, 199, 39)
DEALT = 2**23
# Entries up to which a larger table is compared with random tables drawn whole.
ENTRIES = 10_000


@dataclass(frozen=True, slots=True)
class Repair:
    """A change of the clustering and what it gains; positive gains are improvements.

    Parameters
    ----------
    kind : {"merge", "split", "move"}
        Merge two clusters, separate a class from the rest of a cluster, or move the objects of a
        class in one cluster to another cluster.
    clusters : tuple
        The clusters: two for a merge, one for a split, and for a move where from and where to.
    split_off : label or None
        The class that leaves its cluster; None for a merge.
    objects : int or float
        The number of objects that get another cluster: the smaller part of a merge or a split,
        all that are moved, or their weight.
    vi_gain, q0_gain, adjusted_rand_gain : float
        How much better each measure becomes; VI and Q0 in bits.
    vi_gain_per_object : float
        `vi_gain` divided by `objects`.
    """

    kind: Literal["merge", "split", "move"]
    clusters: tuple[Any, ...]
    split_off: Any
    objects: int | float
    vi_gain: float
    vi_gain_per_object: float
    q0_gain: float
    adjusted_rand_gain: float

    def to_dict(self) -> dict[str, Any]:
        """As plain data; names as text that is safe to show."""
        return {
            **{name: plain(value) for name, value in asdict(self).items()},
            "clusters": [show_label(name) for name in self.clusters],
            "split_off": None if self.split_off is None else show_label(self.split_off),
        }

    @property
    def action(self) -> str:
        """What to do, in words."""
        names = [show_label(name) for name in self.clusters]
        if self.kind == "merge":
            return f"merge clusters {names[0]} and {names[1]}"
        left = show_label(self.split_off)
        if self.kind == "split":
            return f"separate class {left} from the rest of cluster {names[0]}"
        if isinstance(self.objects, float):
            moved = f"the weight {brief(self.objects)}"
        else:
            moved = f"the {counted(self.objects, 'object')}"
        return f"move {moved} of class {left} in cluster {names[0]} to cluster {names[1]}"

    def __str__(self) -> str:
        return (
            f"{self.action} ({self.vi_gain:.3f} bits, {brief(self.vi_gain_per_object)} per object)"
        )


class Agreement(NamedTuple):
    """How likely random clusterings of the same sizes agree as well, by which measure."""

    p_value: float
    measure: str


def agreement(table: Contingency) -> Agreement:
    """The p-value of the agreement; nan for weights and for one object, which have none.

    The pairs that truth and prediction share have an exact mean and variance, and an agreement
    ten standard deviations beyond the mean needs no sample. Otherwise the objects are dealt out
    at random, with a fixed seed and sizes in ascending order, so that names do not matter.
    """
    n = table.n
    if not table.is_whole or not 2 <= n < 2**62:
        return Agreement(math.nan, "")
    if n > 3:
        variance, pairs = float(PairNull(sides(table, "sizes")).variance), table.exact_pairs
        if variance <= 0:  # the sizes leave no choice
            return Agreement(1.0, "variation_of_information")
        gap = pairs.n11 - Fraction(pairs.same_class * pairs.same_cluster) / Fraction(pairs.total)
        if gap > 0 and float(gap) >= FAR * math.sqrt(variance):
            bound = 1 / (1 + float(gap) ** 2 / variance)
            return Agreement(bound, "adjusted_rand")
    samples = next((samples for samples in SAMPLES if samples * n <= DEALT), 0)
    if samples:
        return Agreement(_dealt_p_value(table, samples), "variation_of_information")
    if math.prod(table.shape) <= ENTRIES and n < 2**31:
        level = chance("variation_of_information", table, samples=199, random_state=0)
    else:
        level = chance("adjusted_rand", table, samples=0)
    return Agreement(level.p_value, level.measure)


def _dealt_p_value(table: Contingency, samples: int) -> float:
    """The share of random clusterings with at most this VI: with at least this sum of x log x."""
    height, width = table.shape
    classes, clusters = (
        np.repeat(np.arange(len(sizes)), np.sort(sizes))
        for sizes in (table.class_sizes, table.cluster_sizes)
    )
    counts = np.arange(min(table.class_sizes.max(), table.cluster_sizes.max()) + 1.0)
    info = counts * np.log(np.maximum(counts, 1))
    given = float(info[table.cells.values].sum())
    rng = np.random.default_rng(0)
    dense = height * width <= 8 * len(classes)
    as_good = 0
    for _ in range(samples):
        cells = classes * width + rng.permutation(clusters)
        drawn = np.bincount(cells) if dense else np.unique(cells, return_counts=True)[1]
        as_good += float(info[drawn].sum()) >= given - ROUNDING * max(1.0, given)
    return (as_good + 1) / (samples + 1)


def find_repairs(table: Contingency, most: int) -> tuple[list[Repair], list[Repair]]:
    """The repairs that lower VI most, in total and per object."""
    finder = _Finder(table)
    found = [finder.repair(change) for change in finder.changes(most)]
    good = [repair for repair in found if repair.vi_gain > 0]
    good.sort(key=lambda repair: (-repair.vi_gain, repair.objects))
    per_object = sorted(good, key=lambda repair: -repair.vi_gain_per_object)
    return good[:most], per_object[:most]


class _Change(NamedTuple):
    """A repair by positions: the class that leaves cluster `source`, and where it goes."""

    leaving: int | None  # None for a merge
    source: int
    target: int | None  # None for a new cluster


class _Gain(NamedTuple):
    """What a change does to the sums of the table; the first two in nats times objects."""

    vi: float
    q0: float
    together: Any  # pairs of one class and one cluster
    same_cluster: Any  # pairs of one cluster


class _Finder:
    """The table by columns, with what all repairs need."""

    def __init__(self, table: Contingency) -> None:
        self.table = table
        self.classes, self.clusters = table.class_names, table.cluster_names
        self.sizes = table.cluster_sizes.tolist()
        self.columns: Cells = transpose(table.cells, table.shape[1])
        pairs = table.exact_pairs
        self.pairs = tuple(Fraction(x) for x in (pairs.n11, pairs.same_class, pairs.same_cluster))
        self.total = Fraction(pairs.total)

    def changes(self, most: int) -> list[_Change]:
        """The changes that gain most in total, and those that gain most per object.

        A class gains by moving only where it already is, so parts of one class are looked at in
        pairs: each part with those that are large in their cluster, as far as `PAIRS` allows.
        """
        cells = self.table.cells
        rows, cols = cells.rows, cells.cols.astype(np.int64)
        whole = self.table.cluster_sizes[cols]
        x, size, rest = (v.astype(np.float64) for v in (cells.values, whole, whole - cells.values))
        apart = _mixings(x, rest)
        starts, lengths = cells.indptr[rows], np.diff(cells.indptr)[rows]
        order = np.lexsort((-x * (x / size), rows))
        place = np.empty(len(x), np.int64)
        place[order] = np.arange(len(x)) - starts
        gain, to = np.full(len(x), -math.inf), np.zeros(len(x), np.int64)
        width = self.table.shape[1]
        keys, shared = [np.empty(0, np.int64)], [np.empty(0)]
        for turn in range(min(int(lengths.max()), max(2, PAIRS // len(x)))):
            here = np.flatnonzero((lengths > turn) & (place != turn))
            there = order[starts[here] + turn]
            joined = _mixings(x[here], x[there])
            moved = apart[here] - _mixings(x[here], size[there]) + 2 * joined
            better = moved > gain[here]
            gain[here[better]], to[here[better]] = moved[better], there[better]
            new = place[here] > turn  # the other order of a pair is its merge again
            ends = cols[here[new]], cols[there[new]]
            keys.append(np.minimum(*ends) * width + np.maximum(*ends))
            shared.append(joined[new])
        # To move all of a cluster is a merge.
        gain[(rest == 0) | (gain <= ROUNDING * (apart + _mixings(x, size[to])))] = -math.inf
        found = [
            _Change(int(rows[k]), int(cols[k]), int(cols[to[k]])) for k in _leading(gain, x, most)
        ]
        alone = self._splits(cols, x, apart, gain)
        least = np.minimum(x, rest)[alone]
        found += [
            _Change(int(rows[k]), int(cols[k]), None)
            for k in alone[_leading(apart[alone], least, most)]
        ]
        return found + self._merges(np.concatenate(keys), np.concatenate(shared), most)

    def _merges(self, keys: NDArray[np.int64], shared: Reals, most: int) -> list[_Change]:
        """The best merges, from the pairs of clusters and what each class in both gains."""
        pairs, group = np.unique(keys, return_inverse=True)
        ends = np.divmod(pairs, self.table.shape[1])
        one, two = (self.table.cluster_sizes[end].astype(np.float64) for end in ends)
        cost = _mixings(one, two)
        gain = 2 * np.bincount(group, shared, len(pairs)) - cost
        gain[gain <= ROUNDING * cost] = -math.inf
        found = _leading(gain, np.minimum(one, two), most)
        return [_Change(None, int(ends[0][k]), int(ends[1][k])) for k in found]

    def _splits(self, cols: NDArray[Any], x: Reals, apart: Reals, moved: Reals) -> NDArray[Any]:
        """For each cluster, the class whose leaving gains most, unless it should move instead."""
        most = np.full(len(self.sizes), -math.inf)
        np.maximum.at(most, cols, moved)
        # A cluster of two classes has one split, whichever of them leaves.
        two = np.diff(self.columns.indptr)[cols] == 2
        alone = np.flatnonzero((apart > 0) & (np.where(two, most[cols], moved) <= apart))
        alone = alone[np.lexsort((x[alone], -apart[alone], cols[alone]))]
        return alone[np.unique(cols[alone], return_index=True)[1]]

    def repair(self, change: _Change) -> Repair:
        """All that is known of a change."""
        leaving, source, target = change
        one, size = self._column(source), self.sizes[source]
        steps, objects = [], size
        if leaving is not None:
            x, rest = one[leaving], size - one[leaving]
            steps.append(self._part(x, rest))
            one, size, objects = {leaving: x}, x, min(x, rest)
        if target is not None:
            steps.append(self._join(one, size, target))
            objects = min(size, self.sizes[target]) if leaving is None else size
        vi, q0 = (math.fsum(step[k] for step in steps) for k in (0, 1))
        together, same_cluster = (sum(Fraction(step[k]) for step in steps) for k in (2, 3))
        scale = float(self.table.n) * math.log(2)
        ends = (source,) if target is None else (source, target)
        return Repair(
            kind="merge" if leaving is None else "split" if target is None else "move",
            clusters=tuple(self.clusters[end] for end in ends),
            split_off=None if leaving is None else self.classes[leaving],
            objects=objects,
            vi_gain=vi / scale,
            vi_gain_per_object=vi / scale / float(objects),
            q0_gain=q0 / scale,
            adjusted_rand_gain=self._rand_gain(together, same_cluster),
        )

    def _column(self, k: int) -> dict[int, Any]:
        """Counts of a cluster by class."""
        span = slice(self.columns.indptr[k], self.columns.indptr[k + 1])
        return dict(
            zip(self.columns.cols[span].tolist(), self.columns.values[span].tolist(), strict=True)
        )

    def _part(self, x: Any, rest: Any) -> _Gain:
        """What is gained by taking x objects of a class out of a cluster."""
        bits = _mixing(x, rest)
        model = self._cost(x + rest) - self._cost(x) - self._cost(rest)
        return _Gain(bits, bits + model, 0, -x * rest)

    def _join(self, one: dict[int, Any], size: Any, target: int) -> _Gain:
        """What is gained by putting these objects, counted by class, into another cluster."""
        two, other = self._column(target), self.sizes[target]
        shared = [(one[c], two[c]) for c in one.keys() & two.keys()]
        joined = math.fsum(_mixing(x, y) for x, y in shared)
        whole = _mixing(size, other)
        model = self._cost(size) + self._cost(other) - self._cost(size + other)
        pairs = sum(x * y for x, y in shared)
        return _Gain(2 * joined - whole, joined - whole + model, pairs, size * other)

    def _cost(self, size: Any) -> float:
        """What a cluster of this size costs to describe (Dom 2001, eq. 10)."""
        return log_binomial(float(size), self.table.shape[0] - 1)

    def _rand_gain(self, together: Fraction | int, same_cluster: Fraction | int) -> float:
        """Change of the adjusted Rand index when these numbers of pairs are added."""
        n11, p, q = self.pairs
        before = self._rand(n11, p, q)
        return self._rand(n11 + together, p, q + same_cluster) - before

    def _rand(self, n11: Fraction, p: Fraction, q: Fraction) -> float:
        room = self.total * (p + q) - 2 * p * q
        return float(2 * (self.total * n11 - p * q) / room) if room else 1.0


def _leading(gain: Reals, objects: Reals, most: int) -> NDArray[np.int64]:
    """Places of the largest gains in total, and per object."""
    good = np.flatnonzero(gain > 0)
    gain, objects = gain[good], objects[good]
    with np.errstate(over="ignore"):
        ranked = [np.argsort(-v, kind="stable")[:most] for v in (gain, gain / objects)]
    return good[np.union1d(*ranked)]


def _mixings(x: Reals, y: Reals) -> Reals:
    """`_mixing` of arrays of positive x and of y that may be 0."""
    small, large = np.minimum(x, y), np.maximum(x, y)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        ratio = large / small
        logs = np.where(ratio < math.inf, np.log1p(ratio), np.log(large) - np.log(small))
        found = large * np.log1p(small / large) + small * logs
    return np.where(small > 0, found, 0.0)


def _mixing(x: Any, y: Any) -> float:
    """(x + y) log(x + y) - x log x - y log y, as a sum of positive terms."""
    one, two = float(x), float(y)
    if one == 0 or two == 0:
        return 0.0
    return one * _log_part(one, two) + two * _log_part(two, one)


def _log_part(part: float, rest: float) -> float:
    """log((part + rest) / part), also where the quotient exceeds any float."""
    ratio = rest / part
    return math.log1p(ratio) if ratio < math.inf else math.log(rest) - math.log(part)
