"""Null models: how a random clustering is drawn, and the cluster sizes it has on average.

Gates & Ahn (2017) name three: the sizes are fixed (permutation), the number of clusters is
fixed, or every partition is as likely as any other; and the last two with one side fixed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet._memory import need
from clustervet.contingency import Contingency
from clustervet.errors import ParameterError

Floats = NDArray[np.float64]
Model = Literal["sizes", "number", "all", "number_one_sided", "all_one_sided"]
MODELS: dict[str, str] = {
    "sizes": "both sets of sizes are fixed and objects are dealt out at random",
    "number": "both sides are any partitions with their numbers of clusters",
    "all": "both sides are any partitions at all",
    "number_one_sided": "the truth is fixed, the other any partition with its number of clusters",
    "all_one_sided": "the truth is fixed, the other any partition at all",
}
ALIASES = {
    "permutation": "sizes",
    "perm": "sizes",
    "num": "number",
    "num1": "number_one_sided",
    "all1": "all_one_sided",
}
# Objects up to which numbers of partitions are tabulated.
MANY = 20_000
# Clusters up to which numbers of partitions are known to all digits, within a second or two.
COUNTED_CLUSTERS = 1_000


def resolve_model(model: str) -> str:
    """A model by its name or by the one the literature uses."""
    name = ALIASES.get(model, model)
    if name not in MODELS:
        raise ParameterError(
            f"there is no null model {model!r}; the models are {', '.join(MODELS)}."
        )
    return name


@dataclass(frozen=True)
class Side:
    """One random clustering: fixed sizes, a fixed number of clusters, or neither."""

    n: int
    sizes: NDArray[Any] | None = None
    clusters: int | None = None

    def spectrum(self) -> dict[int, float]:
        """Expected number of clusters of each size."""
        if self.sizes is not None:
            return {size: float(count) for size, count in Counter(self.sizes.tolist()).items()}
        logs, logs_of_rest = _log_partitions(self.n, self.clusters)
        most = self.n if self.clusters is None else self.n - self.clusters + 1
        found: dict[int, float] = {}
        for size in range(1, most + 1):
            log_count = _log_choose(self.n, size) + logs_of_rest[self.n - size] - logs[self.n]
            if log_count > -745:
                found[size] = math.exp(log_count)
        return found

    def expected_pairs(self) -> Fraction:
        """Expected number of pairs of objects in one cluster."""
        if self.sizes is not None:
            return Fraction(sum(size * (size - 1) // 2 for size in self.sizes.tolist()))
        shares = (count * (size * (size - 1) / 2) for size, count in self.spectrum().items())
        return Fraction(math.fsum(shares))

    def together(self, groups: tuple[int, ...]) -> Fraction:
        """Probability that each of some groups of objects is within one cluster.

        There are at most three groups, and three only of two objects each. A fixed number of
        clusters is at most `COUNTED_CLUSTERS`.
        """
        if not groups:
            return Fraction(1)
        if self.sizes is None:
            return _merged_shares(self.n, self.clusters)[sum(groups) - len(groups)]
        f, one = self._falling, groups[0]
        if len(groups) == 1:
            ways = f(one)
        elif len(groups) == 2:
            ways = f(one) * f(groups[1]) - f(*groups) + f(sum(groups))
        else:
            apart = f(2) ** 3 - 3 * f(2) * f(2, 2) + 2 * f(2, 2, 2)
            ways = apart + 3 * (f(4) * f(2) - f(4, 2)) + f(6)
        return Fraction(ways, math.perm(self.n, sum(groups)))

    def _falling(self, *orders: int) -> int:
        """Sum over clusters of the product of falling factorials of their sizes."""
        return sum(
            count * math.prod(math.perm(size, order) for order in orders)
            for size, count in self._counted.items()
        )

    @cached_property
    def _counted(self) -> Counter[int]:
        return Counter([] if self.sizes is None else map(int, self.sizes.tolist()))

    def draw(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """One random clustering as labels."""
        if self.sizes is not None:
            labels = np.repeat(np.arange(len(self.sizes)), self.sizes.astype(np.int64))
            return rng.permutation(labels)
        if self.clusters is None:
            return _draw_any(self.n, rng)
        return _draw_number(self.n, self.clusters, rng)


def sides(table: Contingency, model: str) -> tuple[Side, Side]:
    """The two random clusterings of a model, for a table."""
    n = int(table.n)
    truth = Side(n, sizes=table.class_sizes)
    if model == "sizes":
        return truth, Side(n, sizes=table.cluster_sizes)
    if n > MANY:
        raise ParameterError(
            f"the model {model!r} counts partitions, which is done for up to {MANY:,} objects; "
            f"this table has {n:,}. Take model='sizes'."
        )
    if model.startswith("number"):
        pred = Side(n, clusters=table.shape[1])
        return (truth if model.endswith("sided") else Side(n, clusters=table.shape[0])), pred
    return (truth if model.endswith("sided") else Side(n)), Side(n)


@lru_cache(maxsize=8)
def _log_partitions(n: int, clusters: int | None) -> tuple[Floats, Floats]:
    """Logs of numbers of partitions of 0 to n objects: all of them, and with one cluster less.

    They are Bell numbers, or Stirling numbers of the second kind in two columns.

    Python's whole numbers keep them exact where that is cheap; beyond, the recurrences run in
    logs, which only add positive terms.
    """
    if clusters is None:
        bells = _log_bells(n)
        return bells, bells
    less, everything = np.array([row[-2:] for row in _log_stirling_rows(n, clusters)]).T
    return everything, less


@lru_cache(maxsize=8)
def _merged_shares(n: int, clusters: int | None) -> tuple[Fraction, ...]:
    """Numbers of partitions of n, n - 1, n - 2 and n - 3 objects, over that of n, to 80 digits.

    Objects that must be together count as one, so these are probabilities that some are. Bell's
    numbers come from Dobinski's formula; K! S(m, K) = sum_j (-1)^(K-j) C(K, j) j^m, of which
    cancellation takes less than 0.74 K digits.
    """
    least = max(1, n - 3)
    digits = 90 + (0 if clusters is None else clusters)
    with localcontext(Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)):
        sums = [Decimal(0)] * (n - least + 1)
        for k, weight in _partition_terms(n, clusters):
            power = weight * Decimal(k) ** least
            for lost in range(n - least, -1, -1):
                if clusters is None or n - lost >= clusters:
                    sums[lost] += power
                power *= k
        return tuple(Fraction(+(found / sums[0]).normalize(Context(prec=80))) for found in sums)


def _partition_terms(n: int, clusters: int | None) -> Iterator[tuple[int, Decimal]]:
    """Weights of k^m in the sum that counts the partitions of m objects, m up to n."""
    if clusters is not None:
        for k in range(1, clusters + 1):
            yield k, Decimal((-1) ** (clusters - k) * math.comb(clusters, k))
        return
    weight, top = Decimal(1), Decimal(0)
    for k in range(1, 2 * n + 100):
        weight /= k
        term = weight * Decimal(k) ** n
        top = max(top, term)
        if term < top * Decimal("1e-90"):
            return
        yield k, weight


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _log_bells(n: int) -> Floats:
    """Logs of B(0..n) by Dobinski's formula B(m) = (1/e) sum_k k^m / k!, summed around its peak."""
    logs = np.empty(n + 1)
    k = np.arange(1, 2 * n + 60, dtype=np.float64)
    log_k = np.log(k)
    log_factorial = np.cumsum(log_k)
    logs[0] = 0.0
    for m in range(1, n + 1):
        terms = m * log_k[: m + 60] - log_factorial[: m + 60]
        top = terms.max()
        logs[m] = top + math.log(np.exp(terms - top).sum()) - 1.0
    return logs


def _log_stirling_rows(n: int, clusters: int) -> Iterator[Floats]:
    """Logs of S(m, 0..K) for m from 0 to n, by S(m, k) = k S(m-1, k) + S(m-1, k-1)."""
    log_k = np.log(np.arange(1, clusters + 1))
    row = np.full(clusters + 1, -np.inf)
    row[0] = 0.0
    yield row
    for _ in range(n):
        row = np.concatenate([[-np.inf], np.logaddexp(log_k + row[1:], row[:-1])])
        yield row


def _draw_any(n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """A uniform partition: a random number of boxes, then a box for each object (Stam 1983)."""
    k = np.arange(1, n + 60, dtype=np.float64)
    logs = n * np.log(k) - np.cumsum(np.log(k))
    shares = np.exp(logs - logs.max())
    boxes = int(rng.choice(len(k), p=shares / shares.sum())) + 1
    return rng.integers(0, boxes, n)


def _draw_number(n: int, clusters: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """A uniform partition into a given number of clusters.

    Labelings that use every label are as many a partition; where they are common, draw until
    one comes up, and else decide object by object from the counts of partitions.
    """
    if clusters * math.exp(-n / clusters) < 3:
        while True:
            labels = rng.integers(0, clusters, n)
            if len(np.unique(labels)) == clusters:
                return labels
    return _draw_backwards(n, clusters, rng)


def _draw_backwards(n: int, clusters: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """The last object is alone with probability S(m-1, k-1) / S(m, k), else joins any cluster."""
    alone = _alone(n, clusters)
    labels = np.empty(n, np.int64)
    k = clusters
    chances = rng.random(n)
    pending: list[tuple[int, int]] = []
    for m in range(n, 0, -1):
        if chances[m - 1] < alone[m, k]:
            k -= 1
            labels[m - 1] = k
        else:
            pending.append((m - 1, k))
    for place, open_clusters in pending:
        labels[place] = rng.integers(0, open_clusters)
    return labels


@lru_cache(maxsize=4)
def _alone(n: int, clusters: int) -> Floats:
    """S(m-1, k-1) / S(m, k) for all m and k."""
    what = f"drawing partitions of {n:,} objects into {clusters:,} clusters"
    need(8 * (n + 1) * (clusters + 1), what)
    ratio = np.zeros((n + 1, clusters + 1))
    for m, (old, new) in enumerate(pairwise(_log_stirling_rows(n, clusters)), 1):
        real = np.isfinite(new[1:])
        ratio[m, 1:][real] = np.exp(old[:-1][real] - new[1:][real])
    return ratio
