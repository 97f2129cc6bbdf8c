"""What one repair would gain: merge two clusters, or split a class off a cluster.

VI, Q0 and the pair counts change only where the repair touches the table, so each gain is
computed from the cells concerned and equals what scoring the mended clustering would give.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from clustervet._numeric import log_binomial
from clustervet.contingency import Contingency
from clustervet.contingency.cells import Cells, transpose
from clustervet.labels import show_label

# Classes and clusters looked at: the ones with most to gain.
LOOKED_AT = 1_000


@dataclass(frozen=True, slots=True)
class Repair:
    """A change of the clustering and what it gains; positive gains are improvements."""

    kind: Literal["merge", "split"]
    clusters: tuple[Any, ...]
    split_off: Any
    vi_gain: float
    q0_gain: float
    adjusted_rand_gain: float

    def to_dict(self) -> dict[str, Any]:
        """As plain data; names as text that is safe to show."""
        return {
            "kind": self.kind,
            "clusters": [show_label(name) for name in self.clusters],
            "split_off": None if self.split_off is None else show_label(self.split_off),
            "vi_gain": self.vi_gain,
            "q0_gain": self.q0_gain,
            "adjusted_rand_gain": self.adjusted_rand_gain
            if math.isfinite(self.adjusted_rand_gain)
            else None,
        }

    @property
    def action(self) -> str:
        """What to do, in words."""
        names = " and ".join(show_label(name) for name in self.clusters)
        if self.kind == "merge":
            return f"merge clusters {names}"
        return f"separate class {show_label(self.split_off)} from the rest of cluster {names}"

    def __str__(self) -> str:
        return f"{self.action} ({self.vi_gain:.3f} bits)"


def find_repairs(table: Contingency, most: int) -> list[Repair]:
    """The repairs that lower VI most."""
    finder = _RepairFinder(table)
    found = [*finder.splits(), *finder.merges()]
    good = [repair for repair in found if repair.vi_gain > 0]
    return sorted(good, key=lambda repair: -repair.vi_gain)[:most]


class _RepairFinder:
    """The table by columns, with what all repairs need."""

    def __init__(self, table: Contingency) -> None:
        self.table = table
        self.n = table.n
        self.classes, self.clusters = table.class_names, table.cluster_names
        self.sizes = table.cluster_sizes.tolist()
        self.columns: Cells = transpose(table.cells, table.shape[1])
        pairs = table.exact_pairs
        self.pairs = tuple(Fraction(x) for x in (pairs.n11, pairs.same_class, pairs.same_cluster))
        self.total = Fraction(pairs.total)

    def column(self, k: int) -> dict[int, Any]:
        """Counts of a cluster by class."""
        span = slice(self.columns.indptr[k], self.columns.indptr[k + 1])
        return dict(
            zip(self.columns.cols[span].tolist(), self.columns.values[span].tolist(), strict=True)
        )

    def splits(self) -> list[Repair]:
        """For each mixed cluster, the class whose leaving gains most."""
        mixed = np.flatnonzero(np.diff(self.columns.indptr) > 1)
        order = sorted(mixed.tolist(), key=lambda k: -self.sizes[k])[:LOOKED_AT]
        return [self._split(k) for k in order]

    def _split(self, k: int) -> Repair:
        size = self.sizes[k]
        leaving, x = max(
            self.column(k).items(), key=lambda item: (_mixing(item[1], size - item[1]), item[0])
        )
        bits = _mixing(x, size - x) / float(self.n) / math.log(2)
        model = self._cost(size) - self._cost(x) - self._cost(size - x)
        return Repair(
            kind="split",
            clusters=(self.clusters[k],),
            split_off=self.classes[leaving],
            vi_gain=bits,
            q0_gain=bits + model,
            adjusted_rand_gain=self._rand_gain(0, -x * (size - x)),
        )

    def merges(self) -> list[Repair]:
        """For each class in several clusters, its two largest parts put together."""
        cells = self.table.cells
        several = np.flatnonzero(np.diff(cells.indptr) > 1)
        sizes = self.table.class_sizes
        order = sorted(several.tolist(), key=lambda c: -sizes[c])[:LOOKED_AT]
        pairs = set()
        for c in order:
            span = slice(cells.indptr[c], cells.indptr[c + 1])
            ranked = sorted(
                zip(cells.values[span].tolist(), cells.cols[span].tolist(), strict=True),
                reverse=True,
            )
            pairs.add(tuple(sorted((ranked[0][1], ranked[1][1]))))
        return [self._merge(i, j) for i, j in sorted(pairs)]

    def _merge(self, i: int, j: int) -> Repair:
        one, two = self.column(i), self.column(j)
        shared = [(one[c], two[c]) for c in one.keys() & two.keys()]
        size, other = self.sizes[i], self.sizes[j]
        joined = math.fsum(_mixing(x, y) for x, y in shared)
        whole = _mixing(size, other)
        scale = float(self.n) * math.log(2)
        model = self._cost(size) + self._cost(other) - self._cost(size + other)
        return Repair(
            kind="merge",
            clusters=(self.clusters[i], self.clusters[j]),
            split_off=None,
            vi_gain=(2 * joined - whole) / scale,
            q0_gain=(joined - whole) / scale + model,
            adjusted_rand_gain=self._rand_gain(sum(x * y for x, y in shared), size * other),
        )

    def _cost(self, size: Any) -> float:
        """Bits an object that a cluster of this size costs to describe (Dom 2001, eq. 10)."""
        return log_binomial(float(size), self.table.shape[0] - 1) / float(self.n) / math.log(2)

    def _rand_gain(self, together: Any, same_cluster: Any) -> float:
        """Change of the adjusted Rand index when so many pairs change."""
        n11, p, q = self.pairs
        before = self._rand(n11, p, q)
        return self._rand(n11 + Fraction(together), p, q + Fraction(same_cluster)) - before

    def _rand(self, n11: Fraction, p: Fraction, q: Fraction) -> float:
        room = self.total * (p + q) - 2 * p * q
        return float(2 * (self.total * n11 - p * q) / room) if room else 1.0


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
